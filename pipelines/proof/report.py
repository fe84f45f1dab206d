"""A benchmark's record for people: as Markdown, and as a page of charts. Standard library only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.proof import svg
from pipelines.proof.svg import Bar, Chart, Line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pipelines.devices import Machine
    from pipelines.proof.record import BenchRecord, Timing

_STAGES = {"picture": "whole picture", "encode": "reading the prompt", "denoise": "denoising", "decode": "decoding"}
_MIB = 2**20


def plot(record: BenchRecord) -> str:
    """The charts, as SVG."""
    names = list(
        dict.fromkeys(
            [contender.name for contender in record.contenders if not contender.problem]
            + [one.contender for one in (*record.sequence, *record.starts)]
        )
    )
    charts = [chart for chart in _charts(record, names) if chart.bars or chart.lines]
    about = [_describe_machine(record.machine), _describe_run(record)]
    return svg.draw(f"Firstlight benchmark: {record.model}, suite {record.suite}", about, charts, names)


def markdown(record: BenchRecord) -> str:
    """The record as a page of tables."""
    lines = [f"# Benchmark: {record.model}, suite {record.suite}", "", _describe_machine(record.machine) + ".  "]
    lines += [_describe_run(record) + ".", "", *_conditions(record), ""]
    lines += ["Times are medians, the 95th percentile in brackets; the GPU's work is waited for. ", ""]
    for section in (_pictures, _networks, _memory, _starts, _sequence, _overlaps, _curves, _problems):
        lines += section(record)
    return "\n".join(lines).rstrip() + "\n"


def say_seconds(seconds: float) -> str:
    """In the unit that reads best."""
    if seconds >= 100:
        return f"{seconds:.0f} s"
    if seconds >= 1:
        return f"{seconds:.2f} s"
    return f"{seconds * 1000:.1f} ms" if seconds < 0.1 else f"{seconds * 1000:.0f} ms"


def say_bytes(size: float) -> str:
    """In MiB or GiB."""
    return f"{size / _MIB:.0f} MiB" if size < 1024 * _MIB else f"{size / _MIB / 1024:.1f} GiB"


def _describe_machine(machine: Machine) -> str:
    gpu = ", ".join(f"{gpu.name} (driver {gpu.driver})" for gpu in machine.gpus) or "no NVIDIA GPU"
    versions = machine.versions
    cuda = f" with CUDA {versions.torch_cuda}" if versions.torch_cuda else ""
    rtx = f", TensorRT-RTX {versions.tensorrt_rtx}" if versions.tensorrt_rtx else ""
    return (
        f"{machine.system}, {machine.cpu}, {machine.cores} cores, {gpu}, PyTorch {versions.torch}{cuda}, "
        f"diffusers {versions.diffusers}{rtx}"
    )


def _describe_run(record: BenchRecord) -> str:
    return f"Firstlight {record.app_version}, {record.created}, {record.seconds:.0f} s in all, contenders in turns"


def _charts(record: BenchRecord, names: Sequence[str]) -> Iterator[Chart]:
    if main := _main(record):
        yield from _picture_charts(record, names, main)
    yield from _process_charts(record, names)


def _picture_charts(record: BenchRecord, names: Sequence[str], main: list[Timing]) -> Iterator[Chart]:
    sizes = list(dict.fromkeys(timing.size for timing in main))
    pictures = sorted((one for one in main if one.what == "picture"), key=lambda one: sizes.index(one.size))
    yield Chart(
        "Whole picture, by size (whisker: 95th percentile)", say_seconds, tuple(_bar(one, one.size) for one in pictures)
    )
    largest = [one for one in main if one.size == sizes[-1]]
    stages = tuple(_bar(one, _STAGES[one.what]) for what in list(_STAGES)[1:] for one in largest if one.what == what)
    yield Chart(f"Where the time goes at {sizes[-1]}", say_seconds, stages)
    pixels = _lines(names, pictures, lambda one: _pixels(one.size) / 1e6)
    yield Chart("Time against pixels", say_seconds, lines=pixels, x_title="megapixels", say_x="{:.2f}".format)
    memory = tuple(
        Line(
            name,
            tuple(
                sorted((_pixels(one.size) / 1e6, float(one.working)) for one in record.memory if one.contender == name)
            ),
        )
        for name in names
    )
    if any(point[1] for line in memory for point in line.points):
        yield Chart("Memory besides the weights", say_bytes, lines=memory, x_title="megapixels", say_x="{:.2f}".format)
    smallest = sizes[0]
    by_steps = [one for one in _plain(record) if one.what == "picture" and one.size == smallest]
    yield Chart(
        f"Time against steps at {smallest}",
        say_seconds,
        lines=_curve(names, by_steps, lambda one: one.steps),
        x_title="steps",
    )
    denoiser = _denoiser(record)
    batches = [one for one in record.timings if one.what == denoiser and one.steps == 0]
    yield Chart(
        f"One call of the {denoiser} against pictures at once",
        say_seconds,
        lines=_curve(names, batches, lambda one: one.batch),
        x_title="pictures at once",
    )
    loras = [
        one for one in record.timings if one.what == "picture" and one.size == smallest and one.steps == main[0].steps
    ]
    yield Chart(
        f"Time against LoRAs at {smallest}",
        say_seconds,
        lines=_curve(names, loras, lambda one: one.loras),
        x_title="LoRAs",
    )


def _process_charts(record: BenchRecord, names: Sequence[str]) -> Iterator[Chart]:
    order = {name: number for number, name in enumerate(names)}
    starts = tuple(
        Bar(f"{one.cache} {what}", one.contender, seconds)
        for one in sorted(record.starts, key=lambda one: (one.cache, order.get(one.contender, 0)))
        for what, seconds in (("libraries", one.libraries), ("loading", one.loading), ("first picture", one.first))
        if one.contender in order
    )
    yield Chart("Start of a fresh process", say_seconds, starts)
    runs = tuple(
        Line(name, tuple((float(step.number), step.seconds) for step in record.sequence if step.contender == name))
        for name in names
        if any(step.contender == name for step in record.sequence)
    )
    if runs:
        yield Chart("Twelve requests over five sizes, empty cache", say_seconds, lines=runs, x_title="request")


def _bar(timing: Timing, group: str) -> Bar:
    return Bar(group, timing.contender, timing.host.median, timing.host.tail)


def _curve(names: Sequence[str], timings: Sequence[Timing], x: Callable[[Timing], float]) -> tuple[Line, ...]:
    """Lines where there is a curve: two values of x at least."""
    return _lines(names, timings, x) if len({x(one) for one in timings}) > 1 else ()


def _lines(names: Sequence[str], timings: Sequence[Timing], x: Callable[[Timing], float]) -> tuple[Line, ...]:
    found: list[Line] = []
    for name in names:
        points = {float(x(one)): one.host.median for one in timings if one.contender == name}
        if points:
            found.append(Line(name, tuple(sorted(points.items()))))
    return tuple(found)


def _plain(record: BenchRecord) -> list[Timing]:
    return [timing for timing in record.timings if timing.steps and not timing.loras]


def _main(record: BenchRecord) -> list[Timing]:
    """The times at the suite's sizes and its own number of steps."""
    plain = _plain(record)
    return [timing for timing in plain if timing.steps == plain[0].steps]


def _denoiser(record: BenchRecord) -> str:
    return next((one.what for one in record.timings if one.what in ("transformer", "unet")), "transformer")


def _pixels(size: str) -> int:
    width, height = size.split("x")
    return int(width) * int(height)


def _table(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    if not rows:
        return []
    lines = [f"## {title}", "", f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    return [*lines, *(f"| {' | '.join(row)} |" for row in rows), ""]


def _conditions(record: BenchRecord) -> list[str]:
    seen = record.conditions
    if seen.begin is None:
        return [f"Clocks, power and temperature are not known: {seen.problem}."]
    brakes = f"; held back by {', '.join(seen.brakes)}" if seen.brakes else ""
    return [
        f"{seen.name}: {seen.lowest_clock} to {seen.highest_clock} MHz, up to {seen.highest_power:.0f} of "
        f"{seen.power_limit:.0f} W, up to {seen.highest_temperature} °C, up to {say_bytes(seen.highest_memory)} in "
        f"use{brakes}."
    ]


def _say(timing: Timing) -> str:
    return f"{say_seconds(timing.host.median)} ({say_seconds(timing.host.tail)})"


def _pictures(record: BenchRecord) -> list[str]:
    ratios = {(one.candidate, one.what, one.size): one for one in record.ratios}
    rows: list[list[str]] = []
    for timing in _main(record):
        if timing.what in _STAGES:
            ratio = ratios.get((timing.contender, timing.what, timing.size))
            faster = f"{ratio.speedup:.2f} × ({ratio.lowest:.2f} to {ratio.highest:.2f})" if ratio else "baseline"
            warmup = say_seconds(timing.warmup[0]) if timing.warmup else ""
            steps = f"{timing.size}, {timing.steps} steps"
            rows.append([steps, _STAGES[timing.what], timing.contender, warmup, _say(timing), faster])
    return _table("Pictures", ("size", "stage", "contender", "warm-up", "time", "faster"), rows)


def _networks(record: BenchRecord) -> list[str]:
    rows: list[list[str]] = []
    for timing in record.timings:
        if timing.what not in _STAGES and not timing.loras and (timing.steps == 0 or timing in _main(record)):
            device = say_seconds(timing.device.median) if timing.device else "–"
            batch = str(timing.batch) if timing.steps == 0 else "in a picture"
            rows.append([timing.what, timing.size, batch, timing.contender, _say(timing), device])
    head = ("network", "size", "pictures at once", "contender", "a call: host", "GPU")
    return _table("Networks", head, rows)


def _memory(record: BenchRecord) -> list[str]:
    rows = [[one.size, one.contender, say_bytes(one.weights), say_bytes(one.working)] for one in record.memory]
    return _table("Memory", ("size", "contender", "weights", "peak besides"), rows)


def _starts(record: BenchRecord) -> list[str]:
    rows = [
        [one.contender, one.cache, *map(say_seconds, (one.libraries, one.loading, one.first, one.second))]
        for one in record.starts
    ]
    loading = [
        f"- {one.name}: {', '.join(f'{name} {say_seconds(seconds)}' for name, seconds in one.loading.items())}"
        for one in record.contenders
        if one.loading
    ]
    head = ("contender", "cache", "libraries", "loading", "first picture", "second picture")
    return [*_table("Fresh processes", head, rows), "## Loading", "", *loading, ""]


def _sequence(record: BenchRecord) -> list[str]:
    rows = [
        [one.contender, str(one.number), one.size, say_seconds(one.seconds), one.kernels or "–"]
        for one in record.sequence
    ]
    rows += [[name, "all", "", say_seconds(seconds), ""] for name, seconds in total_sequences(record).items()]
    return _table("Twelve requests", ("contender", "request", "size", "time", "kernels after it"), rows)


def total_sequences(record: BenchRecord) -> dict[str, float]:
    """The seconds of all twelve requests by contender."""
    totals = dict.fromkeys([one.contender for one in record.sequence], 0.0)
    for one in record.sequence:
        totals[one.contender] += one.seconds
    return totals


def _overlaps(record: BenchRecord) -> list[str]:
    rows = [
        [one.contender, " and ".join(one.components), say_seconds(one.apart), say_seconds(one.together)]
        for one in record.overlaps
    ]
    return _table("Two networks", ("contender", "networks", "one after the other", "at once"), rows)


def _curves(record: BenchRecord) -> list[str]:
    rows = [
        [one.size, str(one.steps), str(one.loras), one.contender, _say(one)]
        for one in record.timings
        if one.what == "picture" and (one.loras or (one.steps and one not in _main(record)))
    ]
    return _table("Other steps and LoRAs", ("size", "steps", "LoRAs", "contender", "picture"), rows)


def _problems(record: BenchRecord) -> list[str]:
    return ["## Left out", "", *(f"- {note}" for note in record.notes), ""] if record.notes else []
