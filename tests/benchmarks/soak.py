"""20,000 checks in one process: memory is flat after the first thousand, and no file is left open.

    python -m tests.benchmarks.soak [RENDERER]

Four tables in turn, eight blocks in two rows with a wall and two meshes between them, all 56 pairs again and again,
each scene read anew, its meshes from a memory in which not all have room. Exit status 1 where memory grew by more than
one part in fifty, or files stay open.
"""

from __future__ import annotations

import gc
import os
import sys
import tempfile
import threading
import time
from itertools import cycle
from pathlib import Path

from silhouette.files.cache import Cache, MemoryCache
from silhouette.files.fingerprints import Fingerprints
from silhouette.judging import Selection, judged, load_scene
from silhouette.renderers import choose
from tests.support.batching import folder_of_scenes_with_meshes

CHECKS = 20_000
FIRST = 1_000
REPORTS = 5_000
ALLOWED = 0.02
PIXEL = 2.0

REMEMBERED = 40
"""Triangles of models that are remembered: three blocks of the five."""


def state() -> tuple[float, int, int]:
    """Megabytes in memory, open files, threads; of a system that tells (Linux)."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20, len(os.listdir("/proc/self/fd")), threading.active_count()


def main() -> int:
    """Prints the state now and then."""
    renderer = choose(sys.argv[1] if len(sys.argv) > 1 else "auto")
    print(f"{renderer.device}\n{'checks':>8}{'MB':>8}{'files':>8}{'threads':>8}{'checks/s':>10}")
    before, done, start = state(), 0, time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        scenes = cycle(sorted(folder_of_scenes_with_meshes(Path(folder), models=8).glob("crowd*")))
        cache = Cache(None, MemoryCache(Fingerprints().of, REMEMBERED))
        while done < CHECKS:
            scene = load_scene(next(scenes), cache=cache)
            for check in Selection(everyone=True).checks(scene):
                judged(scene, check, renderer, PIXEL)
                done += 1
                if done in (1, FIRST) or done % REPORTS == 0:
                    now = state()
                    rate = done / (time.perf_counter() - start)
                    print(f"{done:>8}{now[0]:>8.1f}{now[1]:>8}{now[2]:>8}{rate:>10.0f}", flush=True)
                    before = now if done <= FIRST else before
    now = state()
    flat = now[0] <= before[0] * (1.0 + ALLOWED) and now[1:] <= before[1:]
    print("flat" if flat else "NOT FLAT")
    return 0 if flat else 1


if __name__ == "__main__":
    sys.exit(main())
