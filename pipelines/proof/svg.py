"""Charts as SVG, which browsers, repositories' pages and Qt show as they are. Standard library only.

Two kinds: bars with a whisker for the tail, and lines. Colours are Okabe and Ito's, which all eyes tell apart; each
series has a mark of its own besides. Everything that is drawn has its value written beside it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
_INK, _QUIET, _GRID = "#1a1a1a", "#5c5c5c", "#dddddd"
_WIDTH, _HEIGHT = 560, 320  # of one chart
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 24, 62, 44
_BAR = 18
_HEAD = 74  # height of the page's title
_FONT = "font-family='Segoe UI, Noto Sans, DejaVu Sans, sans-serif'"


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar of a group; `tail` is where its whisker ends (0: none)."""

    group: str
    series: str
    value: float
    tail: float = 0.0


@dataclass(frozen=True, slots=True)
class Line:
    """One line; `points` are (x, y)."""

    series: str
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart of bars or of lines. `say` writes a value, `say_x` one of the horizontal axis."""

    title: str
    say: Callable[[float], str]
    bars: tuple[Bar, ...] = ()
    lines: tuple[Line, ...] = ()
    x_title: str = ""
    say_x: Callable[[float], str] = "{:g}".format


def draw(title: str, lines: Sequence[str], charts: Sequence[Chart], series: Sequence[str]) -> str:
    """A page of charts, two beside each other, under a title and lines of text. `series` fixes the colours' order."""
    colours = {name: _COLOURS[number % len(_COLOURS)] for number, name in enumerate(series)}
    heights = [max(_height(chart) for chart in charts[row : row + 2]) for row in range(0, len(charts), 2)]
    head = _HEAD + 18 * max(0, len(lines) - 1)
    width, height = 2 * _WIDTH, head + 30 + sum(heights)
    parts = [
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{width}' height='{height}' viewBox='0 0 {width} {height}' "
        f"{_FONT} role='img' aria-label='{escape(title, quote=True)}'>",
        f"<rect width='{width}' height='{height}' fill='white'/>",
        _text(24, 34, title, size=20, weight="600"),
        *(_text(24, 56 + 18 * number, line, size=12, colour=_QUIET) for number, line in enumerate(lines)),
        *_legend(24, head, colours),
    ]
    top = head + 20
    for row, row_height in enumerate(heights):
        for column, chart in enumerate(charts[2 * row : 2 * row + 2]):
            body = "".join(_bars(chart, colours) if chart.bars else _lines(chart, colours))
            parts.append(f"<g transform='translate({column * _WIDTH} {top})'>{body}</g>")
        top += row_height
    return "\n".join([*parts, "</svg>", ""])


def _height(chart: Chart) -> int:
    if not chart.bars:
        return _HEIGHT
    groups = {bar.group for bar in chart.bars}
    return max(_HEIGHT // 2, _TOP + len(chart.bars) * (_BAR + 3) + len(groups) * 12 + 20)


def _legend(x: float, y: float, colours: dict[str, str]) -> Iterator[str]:
    for number, (name, colour) in enumerate(colours.items()):
        yield _mark(number, x + 6, y, colour)
        yield _text(x + 18, y + 4, name, size=13)
        x += 40 + 7.5 * len(name)


def _bars(chart: Chart, colours: dict[str, str]) -> Iterator[str]:
    """Groups of horizontal bars from one zero."""
    yield _text(24, 34, chart.title, size=15, weight="600")
    left = 24 + 8 + max(7 * len(bar.group) for bar in chart.bars)
    most = max(max(bar.value, bar.tail) for bar in chart.bars) or 1.0
    scale = (_WIDTH - left - 110) / most
    y = 48.0
    for group in dict.fromkeys(bar.group for bar in chart.bars):
        mine = [bar for bar in chart.bars if bar.group == group]
        yield _text(left - 8, y + len(mine) * (_BAR + 3) / 2 + 3, group, size=12, anchor="end")
        for bar in mine:
            colour, end = colours[bar.series], left + bar.value * scale
            yield f"<rect x='{left}' y='{y:.1f}' width='{max(1.0, end - left):.1f}' height='{_BAR}' fill='{colour}'/>"
            last = end
            if bar.tail > bar.value:
                last, middle = left + bar.tail * scale, y + _BAR / 2
                yield f"<path d='M{end:.1f} {middle}H{last:.1f}M{last:.1f} {middle - 5}V{middle + 5}' stroke='{_INK}'/>"
            yield _text(last + 6, y + 13, chart.say(bar.value), size=12)
            y += _BAR + 3
        y += 12


def _lines(chart: Chart, colours: dict[str, str]) -> Iterator[str]:
    """Lines over axes that begin at zero."""
    yield _text(24, 34, chart.title, size=15, weight="600")
    points = [point for line in chart.lines for point in line.points]
    most_x, most_y = max(x for x, _ in points) * 1.04 or 1.0, max(y for _, y in points) * 1.12 or 1.0
    width, height = _WIDTH - _LEFT - _RIGHT, _HEIGHT - _TOP - _BOTTOM

    def place(x: float, y: float) -> tuple[float, float]:
        return _LEFT + x / most_x * width, _TOP + (1 - y / most_y) * height

    for value in _ticks(most_y):
        y = place(0, value)[1]
        yield f"<path d='M{_LEFT} {y:.1f}H{_LEFT + width}' stroke='{_GRID}'/>"
        yield _text(_LEFT - 6, y + 4, chart.say(value), size=11, colour=_QUIET, anchor="end")
    last = -1e9
    for x_value in sorted({x for x, _ in points}):
        x = place(x_value, 0)[0]
        yield f"<path d='M{x:.1f} {_TOP + height}v5' stroke='{_QUIET}'/>"
        words = chart.say_x(x_value)
        if x - last > 7 * len(words):  # else it would run into the one before
            yield _text(x, _TOP + height + 18, words, size=11, colour=_QUIET, anchor="middle")
            last = x
    yield _text(_LEFT + width / 2, _HEIGHT - 8, chart.x_title, size=12, colour=_QUIET, anchor="middle")
    order = list(colours)
    for line in chart.lines:
        colour = colours[line.series]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (place(*point) for point in line.points))
        yield f"<polyline points='{path}' fill='none' stroke='{colour}' stroke-width='2'/>"
        for point in line.points:
            yield _mark(order.index(line.series), *place(*point), colour)
    yield from _ends(chart, colours, place)


def _ends(chart: Chart, colours: dict[str, str], place: Callable[[float, float], tuple[float, float]]) -> Iterator[str]:
    """The last value of each line, kept from running into each other."""
    ends = sorted(((*place(*line.points[-1]), line) for line in chart.lines), key=lambda end: end[1])
    last = -1e9
    for x, y, line in ends:
        y = max(y - 9, last + 14)
        last = y
        words = chart.say(line.points[-1][1])
        yield _text(x - 8, y, words, size=12, colour=colours[line.series], anchor="end", weight="600")


def _ticks(most: float) -> list[float]:
    """Round numbers from zero to `most`, five or so."""
    rough = most / 5
    power = 10 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= rough)
    return [number * step for number in range(int(most / step) + 1)]


def _mark(number: int, x: float, y: float, colour: str) -> str:
    """Circle, square, triangle, diamond: told apart without colours."""
    match number % 4:
        case 0:
            return f"<circle cx='{x:.1f}' cy='{y:.1f}' r='4.5' fill='{colour}'/>"
        case 1:
            return f"<rect x='{x - 4:.1f}' y='{y - 4:.1f}' width='8' height='8' fill='{colour}'/>"
        case 2:
            return f"<path d='M{x:.1f} {y - 5:.1f}l5 9h-10z' fill='{colour}'/>"
        case _:
            return f"<path d='M{x:.1f} {y - 6:.1f}l6 6l-6 6l-6-6z' fill='{colour}'/>"


def _text(  # noqa: PLR0913 # SVG's own
    x: float, y: float, words: str, *, size: int, colour: str = _INK, anchor: str = "start", weight: str = "400"
) -> str:
    return (
        f"<text x='{x:.1f}' y='{y:.1f}' font-size='{size}' fill='{colour}' text-anchor='{anchor}' "
        f"font-weight='{weight}'>{escape(words)}</text>"
    )
