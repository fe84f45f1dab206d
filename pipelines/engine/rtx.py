"""The tensorrt_rtx module, loaded late, with its messages collected. The module has no types: it is `Any` here."""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import logging
import os
import sys
from importlib import metadata
from typing import Any, cast

from pipelines.errors import EngineFailure

# The first is what pip installs. An installed Firstlight has the second alone: the first, which only hands on to it, is
# published as source, and nothing is built on a user's machine.
_PACKAGES = {"tensorrt_rtx_cu13": "tensorrt_rtx", "tensorrt_rtx_cu13_bindings": "tensorrt_rtx_bindings"}
log = logging.getLogger(__name__)


def find_version() -> str | None:
    """The version of the installed TensorRT-RTX, such as `1.7.1.116`; None where it is not. Loads nothing."""
    package = _find_package()
    return metadata.version(package) if package else None


def _find_package() -> str | None:
    for package in _PACKAGES:
        with contextlib.suppress(metadata.PackageNotFoundError):
            metadata.version(package)
            return package
    return None


def need_version() -> str:
    """As `find_version`.

    Raises:
        EngineFailure: it is not installed.
    """
    version = find_version()
    if version is None:
        raise EngineFailure(
            "TensorRT-RTX, which builds engines, is not installed.",
            "Install it: pip install 'firstlight[rtx]'.",
        )
    return version


def load() -> Any:
    """The module.

    Raises:
        EngineFailure: it is not installed, or its library cannot be loaded.
    """
    need_version()
    _load_system_runtime()
    try:
        return cast("Any", importlib.import_module(_PACKAGES[_find_package() or "tensorrt_rtx_cu13"]))
    except (ImportError, OSError) as error:
        raise EngineFailure(
            f"TensorRT-RTX cannot be loaded: {error}.", "Install it again: pip install 'firstlight[rtx]'."
        ) from error


def _load_system_runtime() -> None:
    """On Windows, load the system's own C++ runtime before TensorRT-RTX finds an older one that another package brings.

    With an older msvcp140.dll it crashes (microsoft/WindowsML issue 22).
    """
    if sys.platform == "win32":
        try:
            ctypes.WinDLL(os.path.join(os.environ.get("SYSTEMROOT", r"C:\Windows"), "System32", "msvcp140.dll"))  # noqa: PTH118
        except OSError as error:
            log.warning("the system's C++ runtime is not loaded: %s", error)


def make_logger(trt: Any) -> tuple[Any, list[str]]:
    """A logger that keeps what goes wrong in the list, and hands the rest to our own log.

    The library keeps one logger for the whole process, so make one, and keep it as long as anything else of it.
    """
    messages: list[str] = []

    class Logger(trt.ILogger):
        def __init__(self) -> None:
            trt.ILogger.__init__(self)

        def log(self, severity: Any, message: str) -> None:
            if severity <= trt.ILogger.ERROR:
                messages.append(message)
            log.log(logging.WARNING if severity <= trt.ILogger.WARNING else logging.DEBUG, "%s", message)

    return Logger(), messages
