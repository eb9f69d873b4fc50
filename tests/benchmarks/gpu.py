"""How many checks a second is a GPU good for, with CUDA and with OpenGL, and where does the time go?

    python -m tests.benchmarks.gpu [--rounds 1] [--renderer cuda] [--device NAME] [--workers 1,4,16] [--seconds 5]

The table of ``scale``, all 90 pairs again and again, by one process, the meshes already on the device. Wanted on one
H100 or H200, with a worst error of at most 0.5 %: 20,000 checks a second with cuda and 2,000 with gl; a map of twelve
attackers at an inch (that of ``maps``) in 0.5 s. All GPUs are measured; without one, CUDA's kernels run on the CPU.
With ``--rounds`` each figure takes a second, and the map has a place every four inches.

*At once* is the number of checks that are judged together: 64 by the commands, 512 with cuda on a GPU, 16 by
``batch``. What a check costs is measured with a wait after every step:

| of | step | is |
|---|---|---|
| cuda | upload, download | arrays are put on the device; answers come back |
| | kernels | launched, and waited for |
| | launching | Python round these |
| gl | submit | Python and the driver put together what is to be drawn |
| | draw, readback, layers | waiting for the device; copying what was drawn; laying it out |
| both | Python | everything else: views, errors, proofs, verdicts |

*Threads* are those of all launches: for an edge of a mesh, a line of a picture, a span of its cells, or one of them.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence

from silhouette.common.errors import RendererUnavailable
from silhouette.workers import cores
from tests.benchmarks.gpu_runs import (
    SETTINGS,
    Place,
    alone,
    by_setting,
    listed,
    mapped,
    side_by_side,
    steps,
    table,
)
from tests.benchmarks.gpu_steps import STEPS
from tests.benchmarks.tables import CannotRunError, Options, Skipped, Table, add_options, progress, show

SECONDS, QUICK = 5.0, 1.0
"""For which each figure is measured; with ``--rounds`` the latter."""

INCH, COARSE = 25.4, 4 * 25.4
"""mm between the places of the map; with ``--rounds`` the latter."""

NO_GPU = "there is no GPU, only OpenGL in software"

COUNTED = {
    "cuda": {"threads": ("threads", 1.0), "launches": ("launches", 1.0), "KB up": ("bytes up", 1e-3)}
    | {"KB down": ("bytes down", 1e-3)},
    "gl": {"bodies drawn": ("bodies", 1.0), "MB read back": ("pixels", 4e-6)},
}
"""Columns of what is counted, with what the clock calls it and what that is taken times."""

ERRORS = ("median error", "worst error", "largest stated error")


def tables(options: Options) -> Iterator[Table | Skipped]:
    """The tables of each GPU, and of cuda on the CPU where it has none."""
    quick = options.rounds is not None
    chosen, skipped = chosen_places()
    yield from skipped
    yield from tables_of(chosen, (1, cores()), QUICK if quick else SECONDS, COARSE if quick else INCH)


def chosen_places(
    renderers: Sequence[str] = ("cuda", "gl"), device: str | None = None
) -> tuple[list[Place], list[Skipped]]:
    """What is measured here, and which renderers are not, with the reasons.

    Args:
        renderers: "cuda" and "gl", or one of them.
        device: only this one, in software too.

    Raises:
        CannotRunError: where a device is asked for that is not there.
    """
    chosen, skipped = list[Place](), list[Skipped]()
    for renderer in renderers:
        try:
            there = listed(renderer)
        except RendererUnavailable as reason:
            skipped.append(Skipped(renderer, str(reason)))
            continue
        if device is not None:
            found = [place for place in there if place.device == device]
        else:
            found = [place for place in there if place.is_gpu] or [place for place in there if place.renderer == "cuda"]
        chosen += found
        skipped += [] if found or device is not None else [Skipped(renderer, NO_GPU)]
    if device is not None and not chosen:
        raise CannotRunError(f"there is no device {device}; silhouette doctor lists those that there are")
    return chosen, skipped


def tables_of(
    chosen: Sequence[Place], workers: Sequence[int], seconds: float, grid: float
) -> Iterator[Table | Skipped]:
    """The tables of each place, and one of maps.

    Args:
        chosen: the places.
        workers: numbers of processes that judge at the same time.
        seconds: for each figure.
        grid: mm between the places of the map.
    """
    if not chosen:
        return
    note = f"Ten figures among ten pieces: {table()[1]}."
    for place in chosen:
        try:
            yield rates_table(place, seconds, note)
            yield costs_table(place, alone(steps, place, seconds, place.usual))
            yield processes_table(place, workers, seconds)
        except RendererUnavailable as reason:
            yield Skipped(place.title, str(reason))
    yield maps_table(chosen, grid)


def option_words(pixel: float, error: float) -> str:
    """A setting as options of a command."""
    return f"`--pixel {pixel:g} --error {error:g}`"


def percent(share: float) -> str:
    """A share in per cent, with two decimals."""
    return f"{100 * share:.2f} %"


def rates_table(place: Place, seconds: float, note: str) -> Table:
    """Checks a second by setting and by how many are judged at once, and errors."""
    found = alone(by_setting, place, seconds)
    rates = [f"checks a second, {count} at once" for count in place.together]
    rows = [
        progress((option_words(*setting), *(f"{rate:,.0f}" for rate in one.rates), *map(percent, one.errors)))
        for setting, one in zip(SETTINGS, found, strict=True)
    ]
    columns = ("", *rates, *ERRORS)
    return Table(f"{place.title}: checks a second", columns, tuple(rows), (note,), (*rates, "worst error"))


def costs_table(place: Place, costs: Sequence[dict[str, float]]) -> Table:
    """What a check costs by setting: milliseconds and their shares by step, and what is counted."""
    names = (*STEPS[place.renderer], "Python")
    counted = COUNTED[place.renderer]
    rows = []
    for setting, cost in zip(SETTINGS, costs, strict=True):
        whole = sum(cost.get(name, 0.0) for name in names)
        spent = [f"{1e3 * cost.get(name, 0.0):.3f} ({100 * cost.get(name, 0.0) / whole:.0f} %)" for name in names]
        told = [f"{cost.get(count, 0.0) * times:,.2f}" for count, times in counted.values()]
        rows.append(progress((option_words(*setting), *spent, *told)))
    columns = ("", *(f"{name}, ms" for name in names), *counted)
    title = f"{place.title}: what a check costs, {place.usual if place.renderer == 'cuda' else 1} at once"
    return Table(title, columns, tuple(rows), compared=("Python, ms",))


def processes_table(place: Place, workers: Sequence[int], seconds: float) -> Table:
    """Checks a second of several processes on one device, and memory."""
    rows = []
    for count in sorted({1, *workers}):
        rate, most, taken = side_by_side(place, count, seconds)
        on_device = "not told" if taken is None else f"{taken:,.0f}"
        rows.append(progress((str(count), f"{rate:,.0f}", f"{most:,.0f}", on_device)))
    columns = ("processes", "checks a second", "MB of the largest process", "MB on the device, of one")
    return Table(f"{place.title}: processes and memory", columns, tuple(rows), compared=columns[1:2])


def maps_table(chosen: Sequence[Place], grid: float) -> Table:
    """Seconds of the map with Embree and on each device; OpenGL in software is left out."""
    rows, absent = [], dict[str, str]()
    for place in (Place("embree", None, "embree"), *chosen):
        if place.renderer == "gl" and not place.is_gpu:
            absent[place.title] = "in software it takes a quarter of an hour"
            continue
        try:
            found = alone(mapped, place, grid)
        except RendererUnavailable as reason:
            absent[place.title] = str(reason)
            continue
        each = f"{found.checks / found.seconds:,.0f}"
        rows.append(progress((place.title, f"{found.places:,}", f"{found.checks:,}", f"{found.seconds:.1f}", each)))
    columns = ("", "places", "verdicts", "s", "verdicts a second")
    title = f"A map of twelve attackers, a place every {grid / INCH:g} inch"
    return Table(title, columns, tuple(rows), compared=("s",), absent=absent)


def numbers(words: str) -> list[int]:
    found = [int(word) for word in words.split(",")]
    if min(found) < 1:
        raise ValueError
    return found


def main() -> None:
    """Prints the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    add_options(parser)
    parser.add_argument("--renderer", choices=("cuda", "gl"), help="only this one")
    parser.add_argument(
        "--device", metavar="NAME", help="only this one, as silhouette doctor lists it, in software too"
    )
    parser.add_argument("--workers", type=numbers, default=[cores()], help="numbers of processes, such as 1,4,16")
    parser.add_argument("--seconds", type=float, help="for which each figure is measured")
    given = parser.parse_args()
    quick = given.rounds is not None
    seconds, grid = given.seconds or (QUICK if quick else SECONDS), COARSE if quick else INCH

    def all_tables() -> Iterator[Table | Skipped]:
        chosen, skipped = chosen_places((given.renderer,) if given.renderer else ("cuda", "gl"), given.device)
        yield from skipped
        yield from tables_of(chosen, given.workers, seconds, grid)

    show(all_tables())


if __name__ == "__main__":
    main()
