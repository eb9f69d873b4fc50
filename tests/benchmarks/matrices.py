"""What a matrix costs beside the counting: each further check of a cold process, and of a table where most are hidden.

    python -m tests.benchmarks.matrices [--against DIR]

First all 90 pairs of the skirmish, most of them hidden, in one process: CPU ms a check, and how much of it is loading
and counting. Then whole processes of `silhouette matrix`, with an empty cache: the crowded table with two figures,
and with ten; from the difference, CPU seconds for each of the 88 further checks, the meshes of eight further figures
read and indexed; beside them a check with pyrender (two segmentation renders of 256 x 256), its meshes loaded before.
"""

from __future__ import annotations

import cProfile
import json
import pstats
import shutil
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from silhouette.errors import RendererUnavailable
from silhouette.files.cache import Cache
from silhouette.judging import JudgingOptions, Selection, judge_scene, load_scene
from silhouette.renderers import choose
from tests.benchmarks.crowded_table import MESHES, crowded_document
from tests.benchmarks.processes import PROJECT, checkouts, cpu_seconds, heading, row
from tests.benchmarks.renderers import table_and_pairs, with_pyrender

SKIRMISH = PROJECT / "scenes" / "necromunda" / "skirmish.toml"
FEW, MANY = 2, 10
"""Figures of the two tables."""

RUNS = 3
EVERY = 9
"""pyrender judges one pair in so many."""


def crowded_scenes(folder: Path) -> list[Path]:
    """The crowded table as files: with few figures, and with many."""
    paths = []
    for figures in (FEW, MANY):
        document = crowded_document(figures)
        for piece in (*document["fighter"], *document["terrain"]):
            piece["mesh"] = str(MESHES / piece["mesh"])
        paths.append(folder / f"{figures}.json")
        paths[-1].write_text(json.dumps(document))
    return paths


def cold(scene: Path, place: Path, folder: Path) -> float:
    """CPU seconds of a matrix with an empty cache."""
    cache = folder / "empty"
    shutil.rmtree(cache, ignore_errors=True)
    return cpu_seconds(["-m", "silhouette", "matrix", str(scene)], place, folder, SILHOUETTE_CACHE_DIR=str(cache))


def time_cold(places: Sequence[Path], folder: Path) -> None:
    """Prints the rows of cold processes."""
    scenes = crowded_scenes(folder)
    taken = [[[cold(scene, place, folder) for scene in scenes] for place in places] for _ in range(RUNS + 1)][1:]
    for number, figures in enumerate((FEW, MANY)):
        row(f"CPU s, {figures} figures", [median(lap[place][number] for lap in taken) for place in range(len(places))])
    further = MANY * (MANY - 1) - FEW * (FEW - 1)
    each = [median((lap[place][1] - lap[place][0]) / further for lap in taken) for place in range(len(places))]
    row("CPU ms for each further check", [1e3 * seconds for seconds in each])
    try:
        table, pairs = table_and_pairs()
        judge = with_pyrender(table)
    except (ImportError, RendererUnavailable) as reason:
        print(f"without pyrender: {reason}")
        return
    times = []
    for pair in pairs[::EVERY]:
        start = time.process_time()
        judge(*pair)
        times.append(time.process_time() - start)
    row("the same, share of a check with pyrender", [seconds / median(times[1:]) for seconds in each])


def time_skirmish() -> None:
    """Prints CPU ms a check in one process, and the shares of loading and of COUNT."""
    options, everyone = JudgingOptions(choose("embree"), Cache.default()), Selection(everyone=True)
    whole, loading = list[float](), list[float]()
    for _ in range(RUNS + 1):
        start = time.process_time()
        load_scene(SKIRMISH)
        middle = time.process_time()
        found = judge_scene(SKIRMISH, everyone, options)
        loading.append(middle - start)
        whole.append(time.process_time() - middle)
    checks = len(found.judged)
    profile = cProfile.Profile()
    profile.runcall(judge_scene, SKIRMISH, everyone, options)
    stats = pstats.Stats(profile).stats  # type: ignore[attr-defined]
    counting = max(
        cumulative for (file, _, _), (_, _, _, cumulative, _) in stats.items() if "/silhouette/measure/" in file
    )
    total = sum(own for _, _, own, _, _ in stats.values())
    seconds, load = median(whole[1:]), median(loading[1:])
    hidden = sum(judged.verdict.verdict == "hidden" for judged in found.judged)
    print(
        f"skirmish, {checks} checks, {hidden} hidden, one process: {1e3 * seconds / checks:.1f} CPU ms a check, ",
        end="",
    )
    print(f"of which loading {load / seconds:.0%}, COUNT {counting / total:.0%} (profiled)")


def main() -> None:
    """Prints the tables."""
    places = checkouts("What a matrix costs beside the counting.")
    time_skirmish()
    if not MESHES.is_dir():
        print("without the crowded table: needs ../shared/meshes")
        return
    heading("silhouette matrix, crowded table, empty cache", places)
    with tempfile.TemporaryDirectory() as name:
        time_cold(places, Path(name))


if __name__ == "__main__":
    main()
