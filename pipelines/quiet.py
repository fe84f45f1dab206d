"""Keeps diffusers and transformers off the terminal: we report and log in our own words."""

from __future__ import annotations

import importlib


def quieten() -> None:
    """Silence their warnings and progress bars; call it before their larger parts are imported."""
    for library in ("transformers", "diffusers"):
        settings = importlib.import_module(f"{library}.utils.logging")
        settings.set_verbosity_error()
        settings.disable_progress_bar()
