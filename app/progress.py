"""What a run reports, collected for the answer, and drawn on stderr while a person is watching."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self, TextIO, cast

from app.terminal import printable
from pipelines.errors import Cancelled
from pipelines.events import Notice, PictureSaved, PlanChosen, Progress, Stage

if TYPE_CHECKING:
    from types import TracebackType

    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID

    from app.interrupt import Interrupt
    from app.terminal import Terminal
    from pipelines.events import Event

_WORDS = {
    Stage.loading: "Loading",
    Stage.encoding: "Reading the prompt",
    Stage.denoising: "Drawing",
    Stage.decoding: "Decoding",
    Stage.upscaling: "Enlarging",
    Stage.saving: "Saving",
}


class Reporter:
    """The `Report` of a command: keeps plans, notices and pictures, and raises `Cancelled` after Ctrl+C.

    Enter it round the run. The bar is drawn on a terminal only; notices are written in any case.
    """

    def __init__(self, terminal: Terminal, interrupt: Interrupt, count: int = 1) -> None:
        self.plans: list[PlanChosen] = []
        self.notices: list[Notice] = []
        self.pictures: list[PictureSaved] = []
        self._terminal = terminal
        self._interrupt = interrupt
        self._count = count
        self._bar = _Bar(terminal) if terminal.err.isatty() else None

    def __enter__(self) -> Self:
        if self._bar:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar:
            self._bar.stop()

    def __call__(self, event: Event, /) -> None:
        """Take one event.

        Raises:
            Cancelled: Ctrl+C was pressed.
        """
        match event:
            case Progress():
                if self._bar:
                    self._bar.show(event, self._which())
            case PlanChosen():
                self._add_plan(event)
            case Notice():
                self.notices.append(event)
                self._say(event.message)
            case PictureSaved():
                self.pictures.append(event)
            case _:
                pass  # a failure arrives here as an exception
        if self._interrupt.requested:
            raise Cancelled

    def _add_plan(self, plan: PlanChosen) -> None:
        """Keep the plan; say it once where the components' plans are alike."""
        words = (plan.backend, plan.precision, plan.reason)
        if words not in [(known.backend, known.precision, known.reason) for known in self.plans]:
            self._say(f"{plan.backend}, {plan.precision}: {plan.reason}")
        self.plans.append(plan)

    def _which(self) -> str:
        """Which picture is being drawn, where there are several."""
        return f"picture {len(self.pictures) + 1} of {self._count}" if self._count > 1 else ""

    def _say(self, text: str) -> None:
        if self._bar:
            self._bar.say(f"firstlight: {printable(text)}")
        else:
            self._terminal.note(text)


class _Bar:
    """One line that shows the stage that a run is in."""

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal
        self._progress: RichProgress | None = None
        self._task: TaskID | None = None
        self._stage: Stage | None = None

    def start(self) -> None:
        # Late: rich takes a tenth of a second to load, and no other command needs it.
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as RichProgress

        console = Console(file=cast("TextIO", self._terminal.err), markup=False, highlight=False, emoji=False)
        self._progress = RichProgress(
            TextColumn("{task.description:<18}", markup=False),
            BarColumn(bar_width=24),  # the line is to fit into 80 columns
            MofNCompleteColumn(),
            TextColumn("{task.fields[detail]}", markup=False),
            TimeElapsedColumn(),
            console=console,
            transient=True,
            redirect_stdout=False,  # stdout is the answer, stderr is ours: neither is to be taken over
            redirect_stderr=False,
        )
        self._task = self._progress.add_task("Starting", total=None, detail="")
        self._progress.start()

    def stop(self) -> None:
        if self._progress:
            self._progress.stop()

    def say(self, line: str) -> None:
        """Write a line above the bar."""
        if self._progress:
            self._progress.console.print(line, soft_wrap=True)

    def show(self, event: Progress, which: str) -> None:
        if self._progress is None or self._task is None:
            return
        if event.stage is not self._stage:
            self._stage = event.stage
            self._progress.reset(self._task, total=event.total, description=_WORDS[event.stage])
        self._progress.update(
            self._task, completed=event.done, total=event.total, detail=f"{event.detail} {which}".strip()
        )
