"""Saving a report for the developers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.services import report
from app.services.background import Background
from app.services.job_store import JobState
from app.services.report import Contents
from app.services.settings_table import SETTINGS
from app.version import read_version
from app.viewmodels.observable import Observed
from pipelines import devices
from pipelines.errors import FirstlightError
from pipelines.events import Failure

if TYPE_CHECKING:
    from pathlib import Path

    from app.folders import Folders
    from app.services.jobs import Jobs
    from app.services.settings import Settings
    from app.viewmodels.notices import Notices

_PROMPTS = 2000  # of so many jobs are taken out of the logs


class Diagnostics(QObject):
    """Writes the report in the background.

    Signals:
        busy_changed (bool): one is being written.
        saved (Path): it is there.
    """

    busy, busy_changed = Observed(False), Signal(object)
    saved = Signal(object)
    _done = Signal(object)

    def __init__(self, folders: Folders, settings: Settings, jobs: Jobs, notices: Notices) -> None:
        super().__init__()
        self._folders = folders
        self._settings = settings
        self._jobs = jobs
        self._notices = notices
        self._background = Background()
        self._done.connect(self._finish)

    def save(self, file: Path) -> None:
        """Write it to `file`; `saved` or a notice tells how that went."""
        if self.busy:
            return
        self.busy = True
        settings = {setting.name: self._settings.get(setting) for setting in SETTINGS}
        problems = [_line(notice.what) for notice in self._notices.shown]
        private = self._prompts()
        folders = self._folders
        places = (folders.config, folders.data, folders.cache, folders.logs, folders.pictures)

        def write() -> None:
            try:
                machine = devices.probe()
                report.write(
                    file,
                    Contents(read_version(), machine, settings, problems, folders.logs, places, private),
                )
            except FirstlightError as error:
                self._done.emit(Failure(error.kind, error.message, error.action))
            else:
                self._done.emit(file)

        self._background.do(write)

    def close(self) -> None:
        """Wait for what is being written."""
        self._background.close()

    def _prompts(self) -> tuple[str, ...]:
        """What was drawn lately, whole and in parts: logs may quote it."""
        try:
            found = self._jobs.store.ids(tuple(JobState), newest_first=True)[:_PROMPTS]
            rows = [
                job for start in range(0, len(found), 500) for job in self._jobs.store.rows(found[start : start + 500])
            ]
        except FirstlightError:
            return ()
        requests = [job.request for job in rows if job.request is not None]
        texts = {text for request in requests for text in (request.prompt, request.negative_prompt, request.model)}
        return tuple(part for text in texts for part in {text, *text.splitlines()})

    def _finish(self, result: object) -> None:
        self.busy = False
        if isinstance(result, Failure):
            self._notices.tell(result)
        else:
            self.saved.emit(result)


def _line(what: object) -> str:
    if isinstance(what, Failure):
        return f"[{what.kind}] {what.message} {what.action}\n{what.details}"
    return str(what)
