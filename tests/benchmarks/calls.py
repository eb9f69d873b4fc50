"""What does ``check(scene, a, b)`` cost when Python calls it again and again, and does memory grow?

The second example of cover, loaded once, in blocks of 25 calls; CPU time of all threads. Wanted with the default
renderer: 20 ms a call, and memory that stays the same.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from silhouette import check, load_scene
from silhouette.common.errors import RendererUnavailable
from silhouette.renderers import choose
from tests.benchmarks.processes import PROJECT
from tests.benchmarks.tables import Options, Skipped, Table, options_of, progress, show

EXAMPLE = PROJECT / "scenes" / "necromunda" / "example_2_partial_cover.toml"
TITLES = {"auto": "check in a loop", "gl": "gl calls"}

CALLS, BLOCK = 300, 25
REPORTS = (1, 20, CALLS)
"""Calls after which the process's memory is told."""


def megabytes() -> float:
    """What this process occupies in memory, on a system that tells (Linux)."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def repeated(name: str, calls: int) -> Table:
    """The cost of each call, and memory, with the renderer of that name.

    Raises:
        RendererUnavailable: where it cannot run here.
    """
    device = choose(name).device
    scene, times, rows = load_scene(EXAMPLE), list[float](), list[tuple[str, ...]]()
    pair = scene.checks[0]
    for call in range(1, calls + 1):
        start = time.process_time()
        check(scene, pair.attacker, pair.target, renderer=name)
        times.append(1e3 * (time.process_time() - start))
        if call in REPORTS:
            rows.append((f"memory after call {call}, MB", f"{megabytes():.0f}"))
    blocks = [sum(times[start : start + BLOCK]) / BLOCK for start in range(BLOCK, calls, BLOCK)] or times
    costs = [("CPU ms a call", f"{median(blocks):.1f}"), ("the same, the least block", f"{min(blocks):.1f}")]
    return Table(
        TITLES[name],
        ("", "measured"),
        tuple(progress(row) for row in (*costs, *rows)),
        (f"{calls} calls, {device}.",),
        compared=("measured",),
    )


def tables(options: Options) -> Iterator[Table | Skipped]:
    """The default renderer, then OpenGL by its name."""
    for name, title in TITLES.items():
        try:
            yield repeated(name, CALLS if options.rounds is None else 2 * BLOCK)
        except RendererUnavailable as reason:
            yield Skipped(title, str(reason))


def main() -> None:
    """Prints the tables."""
    show(tables(options_of()))


if __name__ == "__main__":
    main()
