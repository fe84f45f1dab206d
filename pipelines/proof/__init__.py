"""Proof on the user's own machine: how fast (`bench`), where the time goes (`profile`), whether the picture holds.

`record` and `accepted` are light; the rest loads PyTorch when it works.
"""
