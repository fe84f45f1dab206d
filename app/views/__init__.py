"""Widgets. Each view shows one view model, in few lines: build, bind, update."""
