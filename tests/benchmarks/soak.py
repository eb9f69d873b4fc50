"""Does memory grow over 20,000 checks in one process?

Four tables in turn, eight blocks in two rows with a wall and two meshes between them, all 56 pairs, each scene read
anew, with a memory too small for all meshes. The benchmark fails if memory grows by more than one part in fifty after
five thousand checks, or a file stays open.
"""

from __future__ import annotations

import gc
import os
import tempfile
import threading
import time
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path

from silhouette.common.errors import RendererUnavailable
from silhouette.files.cache import Cache, MemoryCache
from silhouette.files.fingerprints import Fingerprints
from silhouette.judging import JudgingOptions, Selection, judge_all, load_scene
from silhouette.renderers import choose
from silhouette.renderers.protocol import Renderer
from tests.benchmarks.tables import Options, Skipped, Table, options_of, progress, show
from tests.support.batching import folder_of_scenes_with_meshes

COLUMNS = ("checks", "MB", "open files", "threads", "checks a second")

CHECKS = 20_000
REPORTS = (1, 1_000, 5_000, 10_000, 15_000, 20_000)
FIRST = 5_000
"""Checks after which memory is to stay as it is."""

ALLOWED = 0.02
PIXEL = 2.0

REMEMBERED = 40
"""Triangles of models that are remembered: three blocks of the five."""


def state() -> tuple[float, int, int]:
    """Megabytes in memory, open files, threads; of a system that tells (Linux)."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20, len(os.listdir("/proc/self/fd")), threading.active_count()


def tables(options: Options) -> Iterator[Table | Skipped]:
    """A table for each renderer that works here."""
    for name in ("embree", "gl"):
        try:
            renderer = choose(name)
        except RendererUnavailable as reason:
            yield Skipped(title_of(name), str(reason))
            continue
        yield soaked(renderer, CHECKS if options.rounds is None else FIRST + 1_000)


def title_of(renderer: str) -> str:
    """The title of a renderer's table."""
    return f"20,000 checks with {renderer}"


def soaked(renderer: Renderer, checks: int) -> Table:
    """The state of the process now and then."""
    rows = []
    before, done, start = state(), 0, time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        scenes = cycle(sorted(folder_of_scenes_with_meshes(Path(folder), models=8).glob("crowd*")))
        cache = Cache(None, MemoryCache(Fingerprints().of, REMEMBERED))
        while done < checks:
            scene = load_scene(next(scenes), cache=cache)
            for check in Selection(everyone=True).checks(scene):
                judge_all([(scene, check)], JudgingOptions(renderer, pixel=PIXEL))
                done += 1
                if done in REPORTS:
                    now = state()
                    rate = done / (time.perf_counter() - start)
                    rows.append(progress((f"{done:,}", f"{now[0]:.1f}", str(now[1]), str(now[2]), f"{rate:.0f}")))
                    before = now if done <= FIRST else before
    now = state()
    if now[0] > before[0] * (1.0 + ALLOWED) or any(grown > one for grown, one in zip(now[1:], before[1:], strict=True)):
        raise AssertionError(f"{renderer.name}: from {before} to {now} (MB, files, threads)")
    return Table(title_of(renderer.name), COLUMNS, tuple(rows), compared=("MB",))


def main() -> None:
    """Prints the tables."""
    show(tables(options_of()))


if __name__ == "__main__":
    main()
