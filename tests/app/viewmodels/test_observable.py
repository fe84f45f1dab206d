from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from app.viewmodels.observable import Observed, follow


class Lamp(QObject):
    on = Observed(False)
    on_changed = Signal(object)
    level = Observed[float](0.0)
    level_changed = Signal(object)


class Room(QObject):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[object] = []

    def see(self, value: object) -> None:
        self.seen.append(value)


def test_a_value_begins_with_its_default_and_instances_are_apart() -> None:
    one, other = Lamp(), Lamp()
    one.on = True
    assert (one.on, other.on) == (True, False)


def test_only_a_real_change_is_told() -> None:
    lamp, room = Lamp(), Room()
    lamp.level_changed.connect(room.see)
    for value in (0.0, 1.0, 1.0, 0.5):
        lamp.level = value
    assert room.seen == [1.0, 0.5]


def test_equal_values_of_different_types_differ() -> None:
    lamp, room = Lamp(), Room()
    lamp.level = 1.0
    lamp.level_changed.connect(room.see)
    lamp.level = True
    assert room.seen == [True]


def test_follow_tells_the_present_value_first() -> None:
    lamp, room = Lamp(), Room()
    lamp.on = True
    follow(lamp, "on", room.see)
    lamp.on = False
    assert room.seen == [True, False]


def test_a_follower_that_is_gone_is_not_called() -> None:
    lamp, room = Lamp(), Room()
    follow(lamp, "on", room.see)
    seen = room.seen
    room.deleteLater()
    del room
    lamp.on = True
    assert seen == [False] or seen == [False, True]  # deleted late: no crash is what counts
