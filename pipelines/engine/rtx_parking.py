"""Networks that take turns on a small GPU: the weights of the others wait in pinned memory of the host.

IWeightsManager (TensorRT-RTX 1.7) takes weights off the GPU and brings them back to the same addresses, so contexts
stay as they are. Its calls must not overlap a run, a change of weights, or the making of a context: all are made on
the thread that runs the networks, which waits for each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from pipelines.engine.gpu_memory import Block, Gpu
    from pipelines.engine.rtx_engine import Library


class Parked(Protocol):
    """Weights that can leave the GPU and come back."""

    def leave(self) -> None:
        """Take them off the GPU.

        Raises:
            EngineFailure, NoRoom: it does not go.
        """
        ...

    def enter(self) -> None:
        """Bring them (back), before anything is done with the engine.

        Raises:
            EngineFailure, NoRoom: it does not go.
        """
        ...

    def renew(self) -> None:
        """They have changed."""
        ...

    def close(self) -> None:
        """Free what is held; closing twice does no harm."""
        ...


class Parking:
    """The weights of one engine. Where the engine does not know the art, they stay on the GPU."""

    def __init__(self, library: Library, engine: Any, name: str, gpu: Gpu) -> None:
        self._library = library
        self._name = name
        self._gpu = gpu
        self._manager: Any = engine.create_weights_manager()
        self._copy: Block | None = None
        self._is_away = False

    @property
    def is_away(self) -> bool:
        """Whether they are off the GPU now."""
        return self._is_away

    def leave(self) -> None:
        """See `Parked`."""
        if self._manager is None or self._is_away:
            return
        host = self._library.trt.TensorLocation.HOST
        if self._copy is None:
            self._copy = self._gpu.allocate_pinned(self._manager.get_size())
            saved = self._manager.save_to_buffer(self._copy.address, self._copy.size, host, self._gpu.stream)
            self._demand(saved, "saved")
            self._gpu.synchronise()
        self._demand(self._manager.unload(self._gpu.stream), "taken off the GPU")
        self._gpu.synchronise()
        self._is_away = True

    def enter(self) -> None:
        """See `Parked`."""
        if not self._is_away or self._copy is None:
            return
        host = self._library.trt.TensorLocation.HOST
        restored = self._manager.restore_from_buffer(self._copy.address, self._copy.size, host, self._gpu.stream)
        self._demand(restored, "brought back")
        self._gpu.synchronise()
        self._is_away = False

    def renew(self) -> None:
        """See `Parked`. The copy is no longer theirs."""
        if self._copy is not None:
            self._gpu.free_pinned(self._copy)
            self._copy = None

    def close(self) -> None:
        """See `Parked`."""
        self.renew()
        self._manager = None

    def _demand(self, answer: bool, what: str) -> None:
        if not answer:
            raise self._library.failure(f"The weights of the {self._name} cannot be {what}")


class Turns:
    """Who is on the GPU, where only one may be."""

    def __init__(self) -> None:
        self._present: Parked | None = None

    def take(self, parking: Parked) -> None:
        """Let this one in, and the one before it out first."""
        if self._present is not None and self._present is not parking:
            self._present.leave()
        parking.enter()
        self._present = parking

    def drop(self, parking: Parked) -> None:
        """It is closed."""
        if self._present is parking:
            self._present = None
