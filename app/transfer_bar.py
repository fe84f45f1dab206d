"""Downloads, copies and checks, drawn on stderr while a person is watching; Ctrl+C comes in here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self, TextIO, cast

from app.terminal import printable
from pipelines.errors import Cancelled
from pipelines.events import Notice

if TYPE_CHECKING:
    from types import TracebackType

    from rich.progress import Progress, TaskID

    from app.interrupt import Interrupt
    from app.services.downloads import DownloadProgress
    from app.services.model_files import FileProgress
    from app.terminal import Terminal


class TransferBar:
    """One line with bytes, speed and time left. Enter it round the work; its methods raise `Cancelled`."""

    def __init__(self, terminal: Terminal, interrupt: Interrupt) -> None:
        self._terminal = terminal
        self._interrupt = interrupt
        self._progress: Progress | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> Self:
        if self._terminal.err.isatty():
            self._start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._progress:
            self._progress.stop()

    def show_download(self, event: DownloadProgress | Notice) -> None:
        """Take an event of a download.

        Raises:
            Cancelled: Ctrl+C was pressed.
        """
        if isinstance(event, Notice):
            self._say(event.message)
        else:
            left = "" if event.seconds_left is None else f"{_say_time(event.seconds_left)} left"
            self._update(event.name, event.done, event.total, f"{event.speed / 1e6:.1f} MB/s {left}")
        self._check()

    def show_files(self, progress: FileProgress) -> None:
        """Take the progress of a copy or a check.

        Raises:
            Cancelled: Ctrl+C was pressed.
        """
        self._update(progress.file, progress.done, progress.total or None, "")
        self._check()

    def _check(self) -> None:
        if self._interrupt.requested:
            raise Cancelled

    def _say(self, text: str) -> None:
        if self._progress:
            self._progress.console.print(f"firstlight: {printable(text)}", soft_wrap=True)
        else:
            self._terminal.note(text)

    def _update(self, what: str, done: int, total: int | None, detail: str) -> None:
        if self._progress and self._task is not None:
            words = printable(what.rpartition("/")[2])[:24]
            self._progress.update(self._task, description=words, completed=done, total=total, detail=detail)

    def _start(self) -> None:
        # Late: rich takes a tenth of a second to load.
        from rich.console import Console
        from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn

        console = Console(file=cast("TextIO", self._terminal.err), markup=False, highlight=False, emoji=False)
        self._progress = Progress(
            TextColumn("{task.description:<24}", markup=False),
            BarColumn(bar_width=12),  # the line is to fit into 80 columns
            DownloadColumn(),
            TextColumn("{task.fields[detail]}", markup=False),
            console=console,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._task = self._progress.add_task("Starting", total=None, detail="")
        self._progress.start()


def _say_time(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
