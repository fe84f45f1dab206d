"""Values of a view model that say when they change, and only then."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, Self, TypeVar, overload

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtCore import QObject, SignalInstance

T = TypeVar("T")


class Observed(Generic[T]):
    """A value of a QObject that has a signal of the same name with `_changed` behind it, which carries the value.

        class Queue(QObject):
            paused = Observed(False)
            paused_changed = Signal(object)

    Setting an equal value emits nothing. The default must be immutable: all instances share it.
    """

    def __init__(self, default: T) -> None:
        self._default = default
        self._kept = ""
        self._signal = ""

    def __set_name__(self, owner: type[QObject], name: str) -> None:
        self._kept = f"_{name}"
        self._signal = f"{name}_changed"

    @overload
    def __get__(self, instance: None, owner: type[QObject]) -> Self: ...
    @overload
    def __get__(self, instance: QObject, owner: type[QObject]) -> T: ...
    def __get__(self, instance: QObject | None, owner: type[QObject]) -> Self | T:
        if instance is None:
            return self
        return getattr(instance, self._kept, self._default)

    def __set__(self, instance: QObject, value: T) -> None:
        before = getattr(instance, self._kept, self._default)
        if type(before) is type(value) and before == value:  # 1, 1.0 and True are not the same value
            return
        setattr(instance, self._kept, value)
        signal: SignalInstance = getattr(instance, self._signal)
        signal.emit(value)


def follow(model: QObject, name: str, slot: Callable[[T], object]) -> None:
    """Call `slot` with the value of that name now, and again whenever it changes.

    `slot` should be a method of a QObject on the same thread: the connection then ends with it.
    """
    signal: SignalInstance = getattr(model, f"{name}_changed")
    signal.connect(slot)
    slot(getattr(model, name))
