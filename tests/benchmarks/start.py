"""How long does a user wait for the help, for a check of the first example, and for the first verdict on a huge mesh?

Whole processes of an installed package: medians of nine runs, but for the single first check with an empty cache.
Nearly half of a check is the import of libraries. Wanted for the first example: 0.35 s.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from tests.benchmarks.crowded_table import MESHES, MISSING
from tests.benchmarks.processes import PROJECT, as_table, in_turn, places, row, run
from tests.benchmarks.tables import Options, Skipped, Table, options_of, progress, show

EXAMPLE = PROJECT / "scenes" / "necromunda" / "example_2_partial_cover.toml"
HUGE = MESHES / "big" / "realism-effects" / "time_machine.optimized.glb"
HUGE_TITLE = "Seconds on the clock, a mesh of 1,145,888 triangles"
LOAD = "import sys, silhouette; silhouette.load_scene(sys.argv[1])"


def seconds(arguments: list[str], folder: Path, cache: Path, runs: int) -> float:
    """The median time on the clock of a process ``python ARGUMENTS``; compiled modules are kept in the folder."""
    taken = []
    for _ in range(runs):
        start = time.perf_counter()
        run(arguments, PROJECT, folder, SILHOUETTE_CACHE_DIR=str(cache))
        taken.append(time.perf_counter() - start)
    return float(np.median(taken))


def figure(name: str, y: float, facing: float) -> dict[str, object]:
    """A plain figure."""
    parts = [{"box": [10, 10, 30], "at": [0, 0, 3]}, {"cylinder": {"diameter": 25, "height": 3}, "base": True}]
    return {"name": name, "at": [0, y], "facing": facing, "eye": [0, 5, 28], "parts": parts}


def huge_scenes(folder: Path) -> dict[str, Path]:
    """Scenes with the huge mesh as terrain between two figures, and as the target itself."""
    huge = {"mesh": str(HUGE), "units": "mm", "at": [0, 100]}
    scenes = {
        "as terrain": {
            "rules": "necromunda",
            "terrain": [{"name": "machine", **huge}],
            "fighter": [figure("Kal", 0, 90), figure("Vex", 220, 270)],
            "check": [{"attacker": "Kal", "target": "Vex"}],
        },
        "as target": {
            "rules": "necromunda",
            "vehicle": [{"name": "machine", **huge, "eye": [0, 0, 30]}],
            "fighter": [figure("Kal", 0, 90)],
            "check": [{"attacker": "Kal", "target": "machine"}],
        },
    }
    paths = {}
    for name, scene in scenes.items():
        paths[name] = folder / f"{name}.json"
        paths[name].write_text(json.dumps(scene))
    return paths


def tables(options: Options) -> Iterator[Table | Skipped]:
    """CPU seconds, then seconds on the clock."""
    checkouts, example = places(options), ["-m", "silhouette", "check", str(EXAMPLE)]
    with tempfile.TemporaryDirectory() as name:
        folder, runs = Path(name), options.laps(9)
        rows = [
            row("`silhouette --help`", in_turn(["-m", "silhouette", "--help"], checkouts, folder, runs)),
            row("`check` of the first example", in_turn(example, checkouts, folder, runs)),
        ]
        yield as_table("CPU seconds of whole processes, warm cache", rows, checkouts)
        commands: list[tuple[str, list[str], Path, int]] = [
            ("`silhouette --help`", ["-m", "silhouette", "--help"], folder, 7),
            ("`check` of the first example, empty cache", example, folder / "empty", 1),
            ("`check` of the first example, warm cache", example, folder / "empty", 7),
        ]
        yield on_the_clock("Seconds on the clock", commands, folder, options)
        if not HUGE.is_file():
            yield Skipped(HUGE_TITLE, MISSING)
            return
        commands = []
        for place, path in huge_scenes(folder).items():
            check, load = ["-m", "silhouette", "check", str(path)], ["-c", LOAD, str(path)]
            commands += [
                (f"{place}, empty cache, until judging starts", load, folder / f"loaded {place}", 1),
                (f"{place}, empty cache, whole check", check, folder / f"checked {place}", 1),
                (f"{place}, warm cache, until judging starts", load, folder / f"checked {place}", 5),
                (f"{place}, warm cache, whole check", check, folder / f"checked {place}", 5),
            ]
        yield on_the_clock(HUGE_TITLE, commands, folder, options)


def on_the_clock(
    title: str, commands: Sequence[tuple[str, list[str], Path, int]], folder: Path, options: Options
) -> Table:
    """A table of seconds on the clock."""
    rows = [
        progress((what, f"{seconds(arguments, folder, cache, options.laps(runs)):.2f}"))
        for what, arguments, cache, runs in commands
    ]
    return Table(title, ("", "seconds"), tuple(rows), compared=("seconds",))


def main() -> None:
    """Prints the tables."""
    show(tables(options_of()))


if __name__ == "__main__":
    main()
