"""The steps of two passes, told as those of one run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.events import Progress, Stage

if TYPE_CHECKING:
    from pipelines.events import Event, Report
    from pipelines.request import GenerationRequest, HiresFix


class TwoPasses:
    """A `Report` for a picture that is drawn twice, or refined: its steps are counted on, and it is decoded once.

    Args:
        report: where the events go.
        expected: how many steps the second pass will take, as far as that is known before it begins.
    """

    def __init__(self, report: Report, expected: int) -> None:
        self._report = report
        self._expected = expected
        self._steps = 0  # of the first pass
        self._is_second = False

    def begin_second(self) -> None:
        """The first pass is done."""
        self._is_second = True

    def __call__(self, event: Event, /) -> None:
        """Take one event.

        Raises:
            Cancelled: from the report.
        """
        match event:
            case Progress(Stage.denoising, done, total) if self._is_second:
                if done:  # it goes on where the first one ended
                    self._report(Progress(Stage.denoising, self._steps + done, self._steps + total))
            case Progress(Stage.denoising, done, total):
                self._steps = total
                self._report(Progress(Stage.denoising, done, total + self._expected))
            case Progress(Stage.decoding) if not self._is_second:
                self._report(Progress(Stage.denoising, self._steps, self._steps + self._expected))  # may be cancelled
            case _:
                self._report(event)


def expect_steps(hires: HiresFix, num_inference_steps: int) -> int:
    """How many steps the second pass takes: of those it is given, a start picture leaves the last."""
    return max(1, round((hires.num_inference_steps or num_inference_steps) * hires.strength))


def expect_rest(request: GenerationRequest) -> int:
    """How many steps a refiner takes."""
    return max(1, round(request.num_inference_steps * (1 - request.refiner_start)))
