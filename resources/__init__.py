"""Data that ships with the app: the model catalog, the starter model and, later, icons and translations."""

from __future__ import annotations

from pathlib import Path


def folder() -> Path:
    """The folder that holds the shipped data, wherever the app is installed."""
    return Path(__file__).resolve().parent
