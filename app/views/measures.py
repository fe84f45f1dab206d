"""Sizes, durations and ages in words, as the language of the window writes them."""

from __future__ import annotations

import time

from PySide6.QtCore import QCoreApplication, QDateTime, QLocale, QObject

translate = QCoreApplication.translate  # by this name lupdate finds the texts
_MINUTE, _HOUR, _DAY = 60, 3600, 86_400


def say_size(count: float) -> str:
    """Bytes: decimal units, as shops and file managers count disks."""
    places = 0 if count < 1_000_000 else 1
    return QLocale().formattedDataSize(int(count), places, QLocale.DataSizeFormat.DataSizeSIFormat)


def say_memory(count: float) -> str:
    """Bytes of memory, in the units that makers of GPUs count it in and call GB."""
    return translate("Measures", "%1 GB").replace(
        "%1", QLocale().toString(count / 2**30, "f", 0 if count >= 10 * 2**30 else 1)
    )


def say_speed(rate: float) -> str:
    """Bytes a second."""
    return translate("Measures", "%1/s").replace("%1", say_size(rate))


def say_seconds(seconds: float) -> str:
    """A measured time: `0.45 s`, `12.3 s`, `2 min 5 s`."""
    if seconds >= _MINUTE:
        minutes, rest = divmod(round(seconds), _MINUTE)
        return translate("Measures", "%1 min %2 s").replace("%1", str(minutes)).replace("%2", str(rest))
    places = 2 if seconds < 1 else 1
    return translate("Measures", "%1 s").replace("%1", QLocale().toString(seconds, "f", places))


def say_time_left(seconds: float) -> str:
    """A rough time to wait."""
    if seconds < _MINUTE:
        return _Counted().seconds_left(max(1, round(seconds)))
    if seconds < _HOUR:
        return _Counted().minutes_left(round(seconds / _MINUTE))
    return _Counted().hours_left(round(seconds / _HOUR))


def say_age(then: float) -> str:
    """How long ago a time (seconds since the epoch) was."""
    age = time.time() - then
    if age < _MINUTE:
        return translate("Measures", "just now")
    if age < _HOUR:
        return _Counted().minutes_ago(round(age / _MINUTE))
    if age < _DAY:
        return _Counted().hours_ago(round(age / _HOUR))
    if age < 30 * _DAY:
        return _Counted().days_ago(round(age / _DAY))
    when = QDateTime.fromSecsSinceEpoch(int(then)).date()
    return QLocale().toString(when, QLocale.FormatType.ShortFormat)


class _Counted(QObject):
    """Words with a number: lupdate sees a plural only in a call of `tr`."""

    def seconds_left(self, count: int) -> str:
        return self.tr("about %n seconds left", "", count)

    def minutes_left(self, count: int) -> str:
        return self.tr("about %n minutes left", "", count)

    def hours_left(self, count: int) -> str:
        return self.tr("about %n hours left", "", count)

    def minutes_ago(self, count: int) -> str:
        return self.tr("%n minutes ago", "", count)

    def hours_ago(self, count: int) -> str:
        return self.tr("%n hours ago", "", count)

    def days_ago(self, count: int) -> str:
        return self.tr("%n days ago", "", count)
