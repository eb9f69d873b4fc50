"""How much memory do the workers of a batch share, and when does the first row arrive?

Six tables of ten figures and twelve pieces of terrain, everyone against everyone. Memory is the peak of all processes
as proportional set size. Linux only.
"""

from __future__ import annotations

import json
import os
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

import silhouette
from tests.benchmarks.crowded_table import FIGURES, MESHES, crowded_document, loaded
from tests.benchmarks.tables import CannotRunError, Options, Table, options_of, progress, show

SCENES = 6

SECONDS = 0.05
"""Between two looks at the memory."""

COLUMNS = ("", "checks a second", "CPU ms a check", "seconds to the first row", "MB")

WORKERS = (1, 2, 4)


def document(number: int, detailed: bool) -> dict[str, Any]:
    """The scene of that number: the same pieces, in other places."""
    found = crowded_document()
    pieces = [*found["fighter"], *found["terrain"]]
    order = np.random.default_rng(number).permutation(len(pieces))
    for piece, place in zip(pieces, [pieces[index]["at"] for index in order], strict=True):
        piece["at"] = place
    if detailed:
        for index, piece in enumerate(found["terrain"]):
            piece |= FIGURES[index % len(FIGURES)]
            piece["scale"] = round(piece["scale"] * (1.1 + 0.1 * index), 6)
    for piece in pieces:
        piece["mesh"] = str(MESHES / piece["mesh"])
    return found


def pack(folder: Path, detailed: bool, scenes: int) -> Path:
    """Writes the scenes, and reads one, so that all meshes are cached."""
    folder.mkdir()
    for number in range(scenes):
        (folder / f"{number:02}.json").write_text(json.dumps(document(number, detailed)))
    loaded(document(0, detailed))
    return folder


def measured(folder: Path, workers: int) -> tuple[float, float, float, float]:
    """Checks per second, CPU milliseconds per check, seconds to the first row, and megabytes at most."""
    most, over = [0.0], threading.Event()

    def watch() -> None:
        while not over.wait(SECONDS):
            most[0] = max(most[0], sum(map(_proportional, _family())))

    watching = threading.Thread(target=watch)
    watching.start()
    before, start = sum(os.times()[:4]), time.perf_counter()
    rows = silhouette.batch(folder, everyone=True, workers=workers)
    try:
        errors = [isinstance(next(rows).get("error"), str)]
        first = time.perf_counter() - start
        errors += [isinstance(row.get("error"), str) for row in rows]
    finally:
        over.set()
        watching.join()
    taken = time.perf_counter() - start
    assert not any(errors)
    return len(errors) / taken, (sum(os.times()[:4]) - before) * 1e3 / len(errors), first, most[0]


def _family() -> Iterator[int]:
    """This process, and all that were started by it or by those."""
    parents: dict[int, int] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            parents[int(stat.parent.name)] = int(stat.read_text().rpartition(")")[2].split()[1])
    family = {os.getpid()}
    while grown := {process for process, parent in parents.items() if parent in family} - family:
        family |= grown
    yield from family


def _proportional(process: int) -> float:
    """Megabytes of a process, what it shares divided among those who share it."""
    with suppress(OSError):
        for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) / 1024
    return 0.0


def tables(options: Options) -> Iterator[Table]:
    """A row for each pack and number of workers."""
    if not Path("/proc/self/smaps_rollup").exists():
        raise CannotRunError("memory is measured on Linux only")
    rows = []
    with tempfile.TemporaryDirectory() as name:
        for kind in ("printed", "scanned"):
            folder = pack(Path(name, kind), kind == "scanned", options.laps(SCENES))
            for workers in WORKERS:
                rate, cost, first, memory = measured(folder, workers)
                numbers = f"{rate:.1f}", f"{cost:.1f}", f"{first:.2f}", f"{memory:.0f}"
                rows.append(progress((f"{kind} terrain, {workers} workers", *numbers)))
    yield Table("Batches", COLUMNS, tuple(rows), compared=("CPU ms a check", "MB"))


def main() -> None:
    """Prints the tables."""
    show(tables(options_of()))


if __name__ == "__main__":
    main()
