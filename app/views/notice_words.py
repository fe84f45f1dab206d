"""The words of notices: what a fact means, and what a button says."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QObject

from app.viewmodels.notices import Notice, Remedy, Told
from app.views import messages
from pipelines.events import Failure


def headline(notice: Notice) -> str:
    """What happened."""
    match notice.what:
        case Failure(message=message):
            return messages.translate(message)
        case str(text):
            return messages.translate(text)
        case Told.queue_restored:
            return _Counted().restored(int(notice.subject))
        case _:
            words = QCoreApplication.translate(
                "Notices", "The job “{0}” ended the engine twice, so it was set aside. The rest of the queue goes on."
            )
            return words.format(notice.subject)


def advice(notice: Notice) -> str:
    """What to do next; empty where there is nothing to do."""
    return messages.translate(notice.what.action) if isinstance(notice.what, Failure) else ""


def button(remedy: Remedy) -> str:
    """What the button says."""
    match remedy:
        case Remedy.resume_queue:
            return QCoreApplication.translate("Notices", "Go on drawing")
        case Remedy.show_queue:
            return QCoreApplication.translate("Notices", "Show the queue")
        case Remedy.open_models:
            return QCoreApplication.translate("Notices", "Open Models")
        case Remedy.open_engine:
            return QCoreApplication.translate("Notices", "Open Engine")
        case Remedy.open_preferences:
            return QCoreApplication.translate("Notices", "Open Settings")
        case Remedy.open_folder:
            return QCoreApplication.translate("Notices", "Open the folder")
        case Remedy.save_as:
            return QCoreApplication.translate("Notices", "Save as…")
        case Remedy.try_again:
            return QCoreApplication.translate("Notices", "Try again")
        case Remedy.end_engine:
            return QCoreApplication.translate("Notices", "End it now")


class _Counted(QObject):
    """Words with a number: lupdate sees a plural only in a call of `tr`."""

    def restored(self, count: int) -> str:
        return self.tr("%n jobs from last time are still in the queue. It is paused.", "", count)
