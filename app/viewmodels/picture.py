"""One picture that is looked at, and what is dropped on the window."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QCoreApplication, QObject, Signal

from app.services.picture_loader import PictureLoader
from app.services.picture_store import Picture
from app.services.reveal import show_in_folder
from app.viewmodels import picture_details
from app.viewmodels.observable import Observed
from app.viewmodels.picture_details import Detail
from pipelines.events import Failure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipelines.inspection import Inspection
    from pipelines.request import GenerationRequest
    from pipelines.viewing import View

_SHOWN, _COMPARED, _DROPPED = "shown", "compared", "dropped"
_OFFER_PIXELS = 1_000_000  # of the picture in the question what to do with it
_MODELS = (".safetensors", ".gguf", ".ckpt", ".pt", ".pth", ".bin")


class Teller(Protocol):
    """Takes what the user is to be told: `viewmodels.notices.Notices`."""

    def tell(self, what: Failure | str) -> object:
        """Tell it."""
        ...


class Painter(Protocol):
    """Takes over what a picture offers: `viewmodels.generation.Generation`."""

    def restore(self, request: GenerationRequest) -> None:
        """Take over all settings."""
        ...

    def restore_partial(self, found: Inspection) -> None:
        """Take over what another tool's picture tells."""
        ...

    def set_start_picture(self, path: Path | None, size: tuple[int, int] | None = None) -> None:
        """Begin with this picture."""
        ...


class PictureView(QObject):
    """A picture, and another one beside it while two are compared.

    Signals:
        image_changed (View | None), compared_changed (View | None): pixels to show (`pipelines.viewing.View`).
        path_changed (Path | None): the file that is shown or being read.
        details_changed (tuple[Detail, ...]): all that is known of it.
        problem_changed (Failure | None): why it cannot be shown.
        reading_changed (bool): it is being read.
        saved (Path): a copy is there.
    """

    image, image_changed = Observed["View | None"](None), Signal(object)
    compared, compared_changed = Observed["View | None"](None), Signal(object)
    path, path_changed = Observed[Path | None](None), Signal(object)
    compared_path, compared_path_changed = Observed[Path | None](None), Signal(object)
    details, details_changed = Observed[tuple[Detail, ...]](()), Signal(object)
    problem, problem_changed = Observed[Failure | None](None), Signal(object)
    reading, reading_changed = Observed(False), Signal(object)
    saved = Signal(object)

    def __init__(self, notices: Teller, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._notices = notices
        self._loader = PictureLoader(self)
        self._loader.loaded.connect(self._take)
        self._loader.inspected.connect(self._take_details)
        self._loader.failed.connect(self._take_failure)
        self._loader.saved.connect(self.saved)
        self._loader.not_saved.connect(self._tell)
        self._loader.noted.connect(self._tell)

    def show(self, picture: Picture | Path) -> None:
        """Show it when it is read; what is shown before stays until then."""
        self.stop_comparing()
        path = picture.path if isinstance(picture, Picture) else picture
        self.path, self.problem, self.reading = path, None, True
        self.details = picture_details.of_picture(picture) if isinstance(picture, Picture) else ()
        self._loader.load(_SHOWN, path, inspect=not isinstance(picture, Picture))

    def compare_with(self, picture: Picture | Path) -> None:
        """Show another one beside it."""
        path = picture.path if isinstance(picture, Picture) else picture
        self.compared_path = path
        self._loader.load(_COMPARED, path)

    def stop_comparing(self) -> None:
        """One picture again."""
        self._loader.forget(_COMPARED)
        self.compared_path = self.compared = None

    def clear(self) -> None:
        """Show nothing, and keep nothing in memory."""
        self.stop_comparing()
        self._loader.forget(_SHOWN)
        self.path = self.image = self.problem = None
        self.details, self.reading = (), False

    def save_as(self, target: Path) -> None:
        """Write a copy in the format of the suffix, with its settings; ends with `saved` or a notice."""
        if self.path is not None:
            self._loader.save_copy(self.path, target)

    def show_in_folder(self) -> None:
        """Show the file in the system's file manager."""
        if self.path is not None:
            reveal(self.path, self._notices)

    def close(self) -> None:
        """End the thread. Call it before the app ends."""
        self._loader.close()

    def _take(self, place: str, view: View) -> None:
        if place == _COMPARED and view.path == self.compared_path:
            self.compared = view
        elif place == _SHOWN and view.path == self.path:
            self.image, self.reading = view, False

    def _take_details(self, place: str, found: Inspection) -> None:
        if place == _SHOWN and found.path == self.path:
            self.details = picture_details.of_inspection(found)

    def _take_failure(self, place: str, path: Path, failure: Failure) -> None:
        if place == _COMPARED and path == self.compared_path:
            self.stop_comparing()
            self._tell(failure)
        elif place == _SHOWN and path == self.path:
            self.image, self.problem, self.reading = None, failure, False

    def _tell(self, what: Failure | str) -> None:
        self._notices.tell(what)


@dataclass(frozen=True, slots=True)
class Offer:
    """A picture that was dropped: what it says, and a small copy of it to show."""

    found: Inspection
    view: View

    @property
    def path(self) -> Path:
        """The file."""
        return self.found.path

    @property
    def has_settings(self) -> bool:
        """Whether it tells how it was made."""
        return self.found.record is not None or bool(self.found.parameters.prompt or self.found.parameters.settings)


class Drops(QObject):
    """What is dropped on the window: one picture, or else one sentence why not.

    Signals:
        offer_changed (Offer | None): a picture waits for the user to say what to do with it.
        used (): something was taken over; show the Generate page.
    """

    offer, offer_changed = Observed[Offer | None](None), Signal(object)
    used = Signal()

    def __init__(self, painter: Painter, notices: Teller, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._painter = painter
        self._notices = notices
        self._found: Inspection | None = None
        self._loader = PictureLoader(self)
        self._loader.inspected.connect(self._take_found)
        self._loader.loaded.connect(self._take_view)
        self._loader.failed.connect(self._take_failure)

    def take(self, paths: Sequence[Path], addresses: int = 0) -> None:
        """Look at what was dropped: files, and so many addresses of the web."""
        if problem := self._find_problem(paths, addresses):
            self._notices.tell(problem)
            return
        self._found = None
        self._loader.load(_DROPPED, paths[0], inspect=True, pixels_max=_OFFER_PIXELS)

    def use_settings(self) -> None:
        """Draw another one like it."""
        if (offer := self.offer) is not None:
            self.offer = None
            self._painter.restore_partial(offer.found)
            self.used.emit()

    def use_as_start(self) -> None:
        """Begin the next picture with it."""
        if (offer := self.offer) is not None:
            self.offer = None
            self._painter.set_start_picture(offer.path, (offer.view.width, offer.view.height))
            self.used.emit()

    def use_both(self) -> None:
        """Take its settings, and begin with it."""
        if (offer := self.offer) is not None:
            self.offer = None
            self._painter.restore_partial(offer.found)
            self._painter.set_start_picture(offer.path)
            self.used.emit()

    def dismiss(self) -> None:
        """Do nothing with it."""
        self.offer = None

    def close(self) -> None:
        """End the thread. Call it before the app ends."""
        self._loader.close()

    def _find_problem(self, paths: Sequence[Path], addresses: int) -> Failure | None:
        if not paths and addresses:
            return Failure(
                "invalid_request",
                self.tr("That is a link to a web page, not a file."),
                self.tr("Save the picture first, then drop the file here."),
            )
        if not paths:
            return Failure("invalid_request", self.tr("There is no file in what was dropped."), "")
        if len(paths) + addresses > 1:
            return Failure(
                "invalid_request",
                self.tr("%n files were dropped.", "", len(paths) + addresses),
                self.tr("Drop one picture at a time."),
            )
        return self._find_wrong_kind(paths[0])

    def _find_wrong_kind(self, path: Path) -> Failure | None:
        if path.is_dir():
            return Failure(
                "unusable_file",
                self.tr("%1 is a folder.").replace("%1", path.name),
                self.tr("Drop one picture, or add the folder's pictures on the Gallery page."),
            )
        if path.suffix.lower() in _MODELS:
            return Failure(
                "unusable_file",
                self.tr("%1 is a model, not a picture.").replace("%1", path.name),
                self.tr("Add it on the Models page."),
            )
        return None

    def _take_found(self, _place: str, found: Inspection) -> None:
        self._found = found

    def _take_view(self, _place: str, view: View) -> None:
        if self._found is not None and self._found.path == view.path:
            self.offer = Offer(self._found, view)

    def _take_failure(self, _place: str, _path: Path, failure: Failure) -> None:
        self._notices.tell(failure)


def reveal(path: Path, notices: Teller) -> None:
    """Show a file in the system's file manager, or tell why not."""
    if not path.exists():
        message = QCoreApplication.translate("Reveal", "%1 is no longer in its folder.").replace("%1", path.name)
        action = QCoreApplication.translate("Reveal", "It may have been moved or deleted.")
        notices.tell(Failure("unusable_file", message, action))
    elif not show_in_folder(path):
        message = QCoreApplication.translate("Reveal", "No file manager was found to show %1.")
        notices.tell(Failure("error", message.replace("%1", str(path)), ""))
