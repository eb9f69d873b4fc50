"""What does a matrix cost beside the counting, and a table where most are hidden?

First all 90 pairs of the skirmish, in one process. Then whole processes of ``silhouette matrix`` with an empty cache,
on the crowded table of ``renderers`` with two figures and with ten: the difference is the cost of the 88 further
checks, reading eight further meshes included. At most 0.08 of a check with pyrender (two segmentation renders of 256 x
256, meshes loaded) is wanted.
"""

from __future__ import annotations

import cProfile
import json
import pstats
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from statistics import median

from silhouette.common.errors import RendererUnavailable
from silhouette.files.cache import Cache
from silhouette.judging import JudgingOptions, Selection, judge_scene, load_scene
from silhouette.renderers import choose
from tests.benchmarks.crowded_table import MESHES, MISSING, crowded_document
from tests.benchmarks.processes import PROJECT, as_table, cpu_seconds, places, row
from tests.benchmarks.renderers import table_and_pairs, with_pyrender
from tests.benchmarks.tables import Options, Skipped, Table, options_of, show

SKIRMISH = PROJECT / "scenes" / "necromunda" / "skirmish.toml"
FEW, MANY = 2, 10
"""Figures of the two tables."""

SKIRMISH_TITLE = "The skirmish, everyone against everyone, one process"
COLD = "`silhouette matrix` of the crowded table, empty cache"

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


def cold_processes(checkouts: Sequence[Path], folder: Path, runs: int) -> Table:
    """The table of cold processes."""
    scenes, rows = crowded_scenes(folder), []
    taken = [[[cold(scene, place, folder) for scene in scenes] for place in checkouts] for _ in range(runs + 1)][1:]
    for number, figures in enumerate((FEW, MANY)):
        seconds = [median(lap[place][number] for lap in taken) for place in range(len(checkouts))]
        rows.append(row(f"with {figures} figures, CPU s", seconds))
    further = MANY * (MANY - 1) - FEW * (FEW - 1)
    each = [median((lap[place][1] - lap[place][0]) / further for lap in taken) for place in range(len(checkouts))]
    rows.append(row("each further check, CPU ms", [1e3 * seconds for seconds in each]))
    beside, notes = "the same, share of a check with pyrender", []
    try:
        rows.append(row(beside, [seconds / pyrender_seconds() for seconds in each]))
    except (ImportError, RendererUnavailable) as reason:
        notes = [f"Without pyrender: {reason}."]
    return as_table(COLD, rows, checkouts, notes)


@cache
def pyrender_seconds() -> float:
    """CPU seconds of a check with pyrender."""
    table, pairs = table_and_pairs()
    judge, times = with_pyrender(table), []
    for pair in pairs[::EVERY]:
        start = time.process_time()
        judge(*pair)
        times.append(time.process_time() - start)
    return median(times[1:])


def skirmish(runs: int) -> Table:
    """CPU ms a check in one process, and the shares of loading and of COUNT."""
    options, everyone = JudgingOptions(choose(), Cache.default()), Selection(everyone=True)
    whole, loading = list[float](), list[float]()
    for _ in range(runs + 1):
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
    rows = (
        ("CPU ms a check", f"{1e3 * seconds / checks:.1f}"),
        ("of which loading", f"{100 * load / seconds:.0f} %"),
        ("of which COUNT (profiled)", f"{100 * counting / total:.0f} %"),
    )
    notes = (f"{checks} checks, of which {hidden} are hidden.",)
    return Table(SKIRMISH_TITLE, ("", "measured"), rows, notes, compared=("measured",))


def tables(options: Options) -> Iterator[Table | Skipped]:
    """The skirmish, then the crowded table."""
    yield skirmish(options.laps(RUNS))
    if not MESHES.is_dir():
        yield Skipped(COLD, MISSING)
        return
    with tempfile.TemporaryDirectory() as name:
        yield cold_processes(places(options), Path(name), options.laps(RUNS))


def main() -> None:
    """Prints the tables."""
    show(tables(options_of()))


if __name__ == "__main__":
    main()
