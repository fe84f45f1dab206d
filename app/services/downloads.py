"""The queue of downloads: what is to be fetched, how far it is, and the work itself.

The queue is a file, so it outlives a crash; what has arrived lies in `models/NAME.part` until all of it is whole
and checked, and only then the folder gets its name. `run` does the work on the caller's thread, so the command
line and the window share it; `pause` and `cancel` may come from any other thread.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urlsplit

from app.services import files, importing
from app.services.crew import Crew, Stopped
from app.services.hub import AccessDenied, authorise
from app.services.importing import Kind
from app.services.links import check_link, explain_link, file_name
from app.services.model_files import hash_file
from app.services.part import HashKind, RemoteFile
from app.services.queue import Download, Queue, State
from app.services.registry import Keeping, Model, StoredFile
from app.services.transfer import Server, TransferFailed, check_url, make_client
from pipelines import catalog, checkpoints
from pipelines.errors import Cancelled, FirstlightError, InvalidRequest, UnusableFile
from pipelines.events import Failure, Notice

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import httpx2

    from app.services.hub import Hub
    from app.services.model_files import FileReport
    from app.services.models import Models
    from app.services.tokens import Tokens


@dataclass(frozen=True, slots=True)
class DownloadProgress:
    """How far a download is. Bytes, bytes a second, seconds; None where it cannot be told."""

    name: str
    file: str
    done: int
    total: int | None
    speed: float
    seconds_left: float | None


class DownloadReport(Protocol):
    """Takes what a download reports, on the thread of `run`; raises `Cancelled` to stop it."""

    def __call__(self, event: DownloadProgress | Notice, /) -> None:
        """Take one event."""
        ...


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a download of a run ended: a model, or the failure; neither where it was paused or cancelled."""

    download: Download
    model: Model | None = None
    failure: FirstlightError | None = None


@dataclass(frozen=True, slots=True)
class Offer:
    """What a download consists of, before it starts. `gated`: the licence must be accepted on its page first.

    `name` is what the model is called where nobody wishes another name.
    """

    files: tuple[RemoteFile, ...]
    commit: str
    licence: str
    gated: bool = False
    name: str = ""

    @property
    def size(self) -> int:
        """Bytes, as far as the server says."""
        return sum(file.size or 0 for file in self.files)


class Downloads:
    """The service. `connect` makes the client of a run."""

    def __init__(
        self,
        data: Path,
        models: Models,
        hub: Hub,
        tokens: Tokens,
        *,
        connect: Callable[[], httpx2.Client] = make_client,
        first_wait: float = 1.0,
    ) -> None:
        self.queue = Queue(data)
        self._models = models
        self._hub = hub
        self._tokens = tokens
        self._connect = connect
        self._first_wait = first_wait
        self._crew: Crew | None = None
        self._current = ""

    def add(self, wish: str, name: str = "") -> Download:
        """Put a download into the queue: a name of the catalog, owner/model of the hub, or an https address.

        One that is there already is set going again.

        Raises:
            InvalidRequest, UnusableFile: it is none of these, or is on this machine already.
        """
        source, default = self._read_wish(wish)
        with self.queue.lock:
            if known := next((one for one in self.queue.all() if one.source == source), None):
                return self.queue.put(replace(known, state=State.waiting, failure=None, page="", denial=""))
            own = files.safe_name(name or default)
            if (self._models.folder / own).exists() or self._models.find(own):
                raise InvalidRequest(
                    f"There is a model named {own!r} already.", "Remove it first, or give another name (--name)."
                )
            if any(one.name == own for one in self.queue.all()):
                raise InvalidRequest(f"A download named {own!r} is waiting already.", "Give it another name (--name).")
            return self.queue.put(Download(own, source))

    def repair(self, model: Model, report: FileReport) -> Download | None:
        """Check a model that was downloaded; put what is damaged or gone into the queue. None: all of it is whole.

        Until it is fetched, the model is not one; its whole files are kept and not fetched again.

        Raises:
            InvalidRequest: it was not downloaded, so nobody knows where its files are to be had.
        """
        if model.keeping is not Keeping.downloaded:
            raise InvalidRequest(f"{model.name!r} was not downloaded.", "Remove it and add its files again.")
        bad = [verdict.file for verdict in self._models.verify(model, report) if verdict.problem]
        return self.fetch_again(model, bad) if bad else None

    def fetch_again(self, model: Model, bad: Iterable[str]) -> Download:
        """Put the files `bad` of a model that was downloaded into the queue; its other files stay."""
        for own in self._models.plan_removal(model).paths:
            part = self._part_folder(model.name)
            try:
                for name in bad:
                    files.long_path(own / name).unlink(missing_ok=True)
                files.long_path(own).replace(files.long_path(part))
            except OSError as error:
                raise files.explain(error, own) from error
        self._models.registry.drop([model.name])
        return self.queue.put(Download(model.name, model.source, commit=model.commit))

    def offer(self, wish: str) -> Offer:
        """Ask the server what a download would consist of, before it is decided on.

        Raises:
            InvalidRequest, UnusableFile: it is nothing to download, no connection, or a refusal.
        """
        source, default = self._read_wish(wish)
        name = files.safe_name(default)
        with self._connect() as client:
            return replace(self._inspect(client, Download(name, source)), name=name)

    def arrived(self, name: str) -> int:
        """Bytes of a download that are here already."""
        return _present(self._part_folder(name))

    def pause(self, name: str) -> None:
        """Stop a download and keep what has arrived."""
        self._stop(name, State.paused)

    def resume(self, name: str) -> None:
        """Let a paused or failed download wait for its turn again."""
        self.queue.change(name, lambda one: replace(one, state=State.waiting, failure=None, page="", denial=""))

    def cancel(self, name: str) -> None:
        """Stop a download and delete what has arrived. One that runs is deleted when its work has ended."""
        with self.queue.lock:
            self.queue.drop(name)
            if self._current == name and self._crew is not None:
                self._crew.stop()
                return
        self._delete_part(name)

    def run(
        self, report: DownloadReport, ended: Callable[[Outcome], object] = lambda outcome: None
    ) -> tuple[Outcome, ...]:
        """Work through what waits, one download after the other, each with a few files at once.

        A failure ends its own download and not the run. `ended` is called after each one.

        Raises:
            Cancelled: `report` wants to stop; the download is paused.
            UnusableFile: another Firstlight is downloading.
        """
        import filelock

        self._models.folder.mkdir(parents=True, exist_ok=True)
        outcomes: list[Outcome] = []
        try:
            with filelock.FileLock(self.queue.file.with_suffix(".lock"), timeout=0), self._connect() as client:
                while download := self._take_next():
                    outcomes.append(self._run_one(client, download, report))
                    ended(outcomes[-1])
        except filelock.Timeout:
            raise UnusableFile("Another Firstlight is downloading.", "Wait for it, or use its window.") from None
        except OSError as error:
            raise files.explain(error, self.queue.file) from error
        return tuple(outcomes)

    def _take_next(self) -> Download | None:
        """The next to work on. What is running in the file was cut off by a kill."""
        with self.queue.lock:
            wanted = [one for one in self.queue.all() if one.state in (State.waiting, State.running)]
            return self.queue.put(replace(wanted[0], state=State.running)) if wanted else None

    def _run_one(self, client: httpx2.Client, download: Download, report: DownloadReport) -> Outcome:
        self._current = download.name
        try:
            model = self._fetch(client, download, report)
        except Stopped:
            return Outcome(download)
        except (Cancelled, KeyboardInterrupt):
            self.queue.change(download.name, lambda one: replace(one, state=State.paused))
            raise
        except FirstlightError as error:
            failure = Failure(error.kind, error.message, error.action)
            page, denial = (error.page, error.denial.value) if isinstance(error, AccessDenied) else ("", "")
            self.queue.change(
                download.name,
                lambda one: replace(one, state=State.failed, failure=failure, page=page, denial=denial),
            )
            return Outcome(download, failure=error)
        finally:
            with self.queue.lock:
                self._current, self._crew = "", None
                if self.queue.find(download.name) is None:  # cancelled, or done
                    self._delete_part(download.name)
        return Outcome(download, model)

    def _fetch(self, client: httpx2.Client, download: Download, report: DownloadReport) -> Model:
        offer = self._inspect(client, download)
        folder = self._part_folder(download.name)
        files.check_room(self._models.folder, offer.size - _present(folder))
        self.queue.change(download.name, lambda one: replace(one, commit=offer.commit, total=offer.size))
        crew = Crew(self._server(client, download), folder)
        with self.queue.lock:
            kept = self.queue.find(download.name)
            if kept is None or kept.state is not State.running:
                raise Stopped
            self._crew = crew

        def show() -> None:
            done, total, speed, left = crew.meter.read(offer.size or None)
            report(DownloadProgress(download.name, crew.meter.file, done, total, speed, left))

        hashes = crew.fetch(offer.files, show, lambda text: report(Notice(text)))
        return self._finish(download, offer, folder, hashes)

    def _finish(self, download: Download, offer: Offer, folder: Path, hashes: dict[str, str]) -> Model:
        """Check what has arrived and make it a model."""
        stored: list[StoredFile] = []
        for remote in offer.files:
            path = folder / remote.name
            if path.suffix in checkpoints.SUFFIXES:
                self._check_header(path, download)
            known = remote.hash if remote.hash_kind is HashKind.sha256 else ""
            sha256 = hashes.get(remote.name) or known or hash_file(path, lambda done: None)
            stored.append(StoredFile(remote.name, files.long_path(path).stat().st_size, sha256))
        goal = self._models.folder / download.name
        kind, family = Kind.pipeline, ""
        if download.is_link:
            found = importing.look_at(folder / offer.files[0].name)
            kind, family = found.kind, found.family
        try:
            files.long_path(folder).replace(files.long_path(goal))
        except OSError as error:
            raise files.explain(error, goal) from error
        if not download.is_link:
            family = importing.scan(goal).found[0].family
        location = goal / offer.files[0].name if download.is_link else goal
        model = Model(
            download.name,
            kind,
            family,
            location,
            Keeping.downloaded,
            download.source,
            offer.licence,
            tuple(stored),
            offer.commit,
        )
        self._models.registry.put([model])
        self.queue.drop(download.name)
        return model

    def _check_header(self, path: Path, download: Download) -> None:
        """A file whose header is wrong is no model, however whole it arrived."""
        try:
            checkpoints.read_header(files.long_path(path))
        except UnusableFile as error:
            files.long_path(path).unlink(missing_ok=True)
            raise TransferFailed(error.message, f"{download.source} does not offer a model that can be used.") from None

    def _inspect(self, client: httpx2.Client, download: Download) -> Offer:
        if download.is_link:
            return Offer((RemoteFile(download.source, file_name(download.source)),), "", "")
        token = self._tokens.find(self._hub.host)
        found = self._hub.list_files(client, download.source, token, download.commit)
        return Offer(found.files, found.commit, found.licence, found.gated)

    def _server(self, client: httpx2.Client, download: Download) -> Server:
        host = check_url(download.source).host if download.is_link else self._hub.host
        token = self._tokens.find(host)
        if not download.is_link or host == self._hub.host:
            name = download.source if not download.is_link else "/".join(urlsplit(download.source).path.split("/")[1:3])

            def explain(response: httpx2.Response) -> UnusableFile:
                return self._hub.explain(response, name, has_token=bool(token))

        else:

            def explain(response: httpx2.Response) -> UnusableFile:
                return explain_link(response, host, has_token=bool(token))

        return Server(client, authorise(token), explain, self._first_wait)

    def _read_wish(self, wish: str) -> tuple[str, str]:
        """The source that `wish` stands for, and a name for the model."""
        entry = next((one for one in catalog.load() if one.name.casefold() == wish.casefold()), None)
        if entry is not None:
            if entry.location is not None:
                raise InvalidRequest(f"{entry.title} is part of Firstlight.", "There is nothing to download.")
            if not entry.repository:
                raise UnusableFile(
                    f"{entry.title} is not offered for download any more.",
                    "If you have its files, add them ('firstlight models add').",
                )
            return entry.repository, entry.name
        if "://" in wish:
            check_link(wish)
            return wish, Path(file_name(wish)).stem
        if wish.count("/") == 1:
            self._hub.check(wish)
            return wish, wish.split("/")[1]
        catalog.find(wish)  # says which name was meant
        raise InvalidRequest(
            f"{wish!r} is on this machine.", "Files that are here are added, not downloaded ('firstlight models add')."
        )

    def _stop(self, name: str, state: State) -> None:
        with self.queue.lock:
            self.queue.change(name, lambda one: replace(one, state=state))
            if self._current == name and self._crew is not None:
                self._crew.stop()

    def _part_folder(self, name: str) -> Path:
        return self._models.folder / f"{name}{files.PART}"

    def _delete_part(self, name: str) -> None:
        folder = self._part_folder(name)
        if folder.parent == self._models.folder and not files.is_link(folder):
            shutil.rmtree(files.long_path(folder), ignore_errors=True)


def _present(folder: Path) -> int:
    """Bytes that are there already."""
    try:
        return sum(size for _, size in importing.folder_files(folder))
    except OSError:
        return 0
