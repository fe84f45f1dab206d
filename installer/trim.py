"""Takes out of the packages what a program of Qt Widgets never loads: three quarters of PySide6 among it."""

from __future__ import annotations

import re
import shutil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_QT_MODULES = frozenset({"Core", "Gui", "Widgets", "Network", "Svg", "SvgWidgets"})
_QT_PLUGINS = frozenset({"platforms", "styles", "imageformats", "iconengines", "tls", "networkinformation"})
_QT_LANGUAGES = ("qtbase_de", "qtbase_en")
_QT_FOLDERS = ("qml", "typesystems", "metatypes", "include", "lib", "glue", "doc", "scripts", "resources", "QtAsyncio")
_OLD_RUNTIME = re.compile(r"(concrt140|vcamp140|vcomp140|vccorlib140|msvcp140.*|vcruntime140.*)\.dll")  # ours is newer
_PLOT_UNUSED = ("examples", "opengl", "jupyter", "flowchart", "dockarea")
_TESTS = frozenset({"tests", "testing_data"})
_INSTALLERS_OWN = frozenset({"REQUESTED", "INSTALLER", "direct_url.json"})
_QT_SUFFIXES = frozenset({".exe", ".json", ".pyi"})
_QT_OTHERS = ("pyside6qml", "opengl32sw")  # the second is OpenGL in software: no part of ours draws with OpenGL


def trim(packages: Path) -> None:
    """Trim the folder `site-packages`."""
    _trim_qt(packages / "PySide6")
    for package in ("PySide6", "shiboken6"):
        for library in list((packages / package).glob("*.dll")):
            if _OLD_RUNTIME.fullmatch(library.name.lower()):
                library.unlink()
    for name in _PLOT_UNUSED:
        shutil.rmtree(packages / "pyqtgraph" / name, ignore_errors=True)
    shutil.rmtree(packages / "bin", ignore_errors=True)  # scripts that would start another Python
    for path in sorted(packages.rglob("*"), reverse=True):
        if _is_unused(path):
            _remove(path)


def _is_unused(path: Path) -> bool:
    if path.suffix in {".pyi", ".lib"} or path.name in {"__pycache__", ".lock"}:
        return True
    if path.name in _TESTS and "numpy" in path.parts:
        return True
    return path.parent.suffix == ".dist-info" and path.name in _INSTALLERS_OWN


def _trim_qt(qt: Path) -> None:
    for path in list(qt.iterdir()):
        module = re.fullmatch(r"Qt6?(\w+)\.(dll|pyd)", path.name)
        wanted = module is None or module[1] in _QT_MODULES
        if not wanted or path.name in _QT_FOLDERS or path.name.startswith(_QT_OTHERS) or path.suffix in _QT_SUFFIXES:
            _remove(path)
    for plugin in list((qt / "plugins").iterdir()):
        if plugin.name not in _QT_PLUGINS:
            _remove(plugin)
    for translation in list((qt / "translations").rglob("*.qm")):
        if translation.stem not in _QT_LANGUAGES:
            translation.unlink()


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
