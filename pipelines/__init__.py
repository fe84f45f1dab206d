"""Turns requests into pictures. Knows nothing of Qt; usable alone."""
