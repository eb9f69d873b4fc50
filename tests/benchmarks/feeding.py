"""How many checks a second does a batch judge, with each renderer that works here?

A whole command on 10,000 small scenes of one check, and on one scene of 100,000 checks, with as many processes as
cores, each with a renderer of its own. Without a GPU a tenth of them, with the kernels of ``cuda`` on the CPU; with
``--rounds N`` N hundred scenes, and N thousand checks.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from silhouette.batches.run import make_pool, write_batch
from silhouette.batches.settings import BatchSettings
from silhouette.workers import cores
from tests.benchmarks.gpu import chosen_places
from tests.benchmarks.gpu_runs import Place
from tests.benchmarks.tables import Options, Skipped, Table, options_of, progress, show

SCENES, CHECKS = 10_000, 100_000
ON_CPU = 10
"""Without a GPU, so many times fewer."""

MODELS = Path(__file__).resolve().parents[2] / "models"


def piece(name: str, model: str, x: float, y: float, facing: float) -> dict[str, Any]:
    """A piece of a scene."""
    return {"name": name, "model": str(MODELS / f"{model}.toml"), "at": [x, y], "facing": facing}


def small_scenes(folder: Path, count: int) -> Path:
    """So many scenes of two figures and two pieces of terrain, with one check each."""
    for number in range(count):
        x, y = number % 61 - 30.0, 216.0 + number % 53
        terrain = [piece("barricade", "barricade", 2, 196, 270), piece("barrels", "barrel_stack", 58, 228, 40)]
        fighters = [piece("Kal", "ganger_rifle", 0, 0, 90), piece("Vex", "ganger_blade", x, y, 270)]
        asked = [{"attacker": "Kal", "target": "Vex"}]
        document = {"rules": "necromunda", "terrain": terrain, "fighter": fighters, "check": asked}
        (folder / f"{number:05}.json").write_text(json.dumps(document))
    return folder


def large_scene(folder: Path, checks: int) -> Path:
    """One scene of about so many checks, everyone against everyone: figures in a square, each third place terrain."""
    figures = round(checks**0.5)
    side = round((1.5 * figures) ** 0.5)
    places = [(100.0 * (number % side), 100.0 * (number // side)) for number in range(figures + figures // 2)]
    fighters = [
        piece(f"M{number}", ("ganger_rifle", "ganger_blade")[number % 2], *place, 37.0 * number % 360)
        for number, place in enumerate(place for number, place in enumerate(places) if number % 3)
    ]
    terrain = [piece(f"wall {number}", "barricade", *place, 90.0 * number) for number, place in enumerate(places[::3])]
    (folder / "large.json").write_text(json.dumps({"rules": "necromunda", "terrain": terrain, "fighter": fighters}))
    return folder


def seconds_of(folder: Path, place: Place, *, everyone: bool) -> tuple[int, float]:
    """The number of rows of a batch of the scenes in a folder, and its seconds."""
    start = time.perf_counter()
    settings = BatchSettings(place.renderer, everyone=everyone, device=place.device)
    summary = write_batch([folder], folder / "rows.jsonl", settings, make_pool(settings))
    seconds = time.perf_counter() - start
    assert not summary.failed, summary.failed[:3]
    (folder / "rows.jsonl").unlink()
    return summary.rows, seconds


def tables(options: Options) -> Iterator[Table | Skipped]:
    """A row for each renderer and device."""
    chosen, skipped = chosen_places()
    yield from skipped
    fewer = 1 if any(place.is_gpu for place in chosen) else ON_CPU
    scenes, checks = SCENES // fewer, CHECKS // fewer
    if options.rounds is not None:
        scenes, checks = min(scenes, 100 * options.rounds), min(checks, 1000 * options.rounds)
    rows = list[tuple[str, ...]]()
    makers = {"small": partial(small_scenes, count=scenes), "large": partial(large_scene, checks=checks)}
    with tempfile.TemporaryDirectory() as name:
        for kind, make in makers.items():
            Path(name, kind).mkdir()
            make(Path(name, kind))
        for place in (Place("embree", None, "embree"), *chosen):
            words = [place.title]
            for kind in makers:
                count, seconds = seconds_of(Path(name, kind), place, everyone=kind == "large")
                words += [f"{count:,}", f"{seconds:.1f}", f"{count / seconds:,.0f}"]
            rows.append(progress(tuple(words)))
    columns = [
        f"{kind}: {what}" for kind in ("small scenes", "one scene") for what in ("checks", "s", "checks a second")
    ]
    title = f"A batch by {cores()} processes"
    yield Table(title, ("", *columns), tuple(rows), compared=(columns[2], columns[5]))


def main() -> None:
    """Prints the table."""
    show(tables(options_of()))


if __name__ == "__main__":
    main()
