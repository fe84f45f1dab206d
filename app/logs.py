"""The log file: what libraries say while they work, and the traceback of a fault. Never fails a job."""

from __future__ import annotations

import contextlib
import logging
import traceback
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

FILE_NAME = "firstlight.log"
_MAX_BYTES, _OLD_FILES = 1_000_000, 3
_FORMAT = "%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s"


class _LogFile(RotatingFileHandler):
    """Opens its file, and makes its folder, at the first record; drops a record that cannot be written."""

    def _open(self):  # as in the base class: a text stream
        Path(self.baseFilename).parent.mkdir(parents=True, exist_ok=True)
        return super()._open()

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802  # the library's name
        """Drop the record: a full disk or a read-only profile must not stop a picture."""


@contextlib.contextmanager
def log_file(folder: Path) -> Iterator[None]:
    """While entered, log records and Python's warnings go to the log file in `folder`."""
    handler = _LogFile(
        folder / FILE_NAME,
        maxBytes=_MAX_BYTES,
        backupCount=_OLD_FILES,
        encoding="utf-8",
        errors="backslashreplace",
        delay=True,
    )
    handler.setFormatter(logging.Formatter(_FORMAT))
    root = logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    logging.captureWarnings(True)
    try:
        yield
    finally:
        logging.captureWarnings(False)
        root.setLevel(level)
        root.removeHandler(handler)
        handler.close()


def write_fault(error: BaseException, folder: Path) -> Path | None:
    """Append the traceback of `error` to the log file and return that, or None where it cannot be written."""
    path = folder / FILE_NAME
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8", errors="backslashreplace") as file:
            file.writelines(traceback.format_exception(error))
    except OSError:
        return None
    return path
