"""The version of the app, from the installed distribution."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version


def read_version() -> str:
    """Return the version, or `unknown` in a source tree that is not installed."""
    try:
        return version("firstlight")
    except PackageNotFoundError:
        return "unknown"
