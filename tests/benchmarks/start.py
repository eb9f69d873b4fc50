"""How long a user waits: the help, a check of the first example, and a first and second check on a huge mesh.

    python -m tests.benchmarks.start [--against DIR]

Whole processes, start included. First CPU seconds; then seconds on the clock, each the median of some runs, the first
check of the huge mesh a single one with an empty cache.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from tests.benchmarks.crowded_table import MESHES
from tests.benchmarks.processes import PROJECT, checkouts, heading, in_turn

EXAMPLE = PROJECT / "scenes" / "necromunda" / "example_2_partial_cover.toml"
HUGE = MESHES / "big" / "realism-effects" / "time_machine.optimized.glb"


LOAD = "import sys, silhouette; silhouette.load_scene(sys.argv[1])"


def seconds(arguments: list[str], cache: Path, runs: int) -> float:
    """The median wall time of a process ``python ARGUMENTS``."""
    taken = []
    for _ in range(runs):
        start = time.perf_counter()
        subprocess.run(
            [sys.executable, *arguments],
            check=False,
            stdout=subprocess.DEVNULL,
            env={**os.environ, "SILHOUETTE_CACHE_DIR": str(cache)},
        )
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


def main() -> None:
    """Prints the tables."""
    places = checkouts("How long a user waits.")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        cache = folder / "cache"
        heading("CPU seconds, warm cache", places)
        in_turn("silhouette --help", ["-m", "silhouette", "--help"], places, folder, 9)
        in_turn("check of the first example", ["-m", "silhouette", "check", str(EXAMPLE)], places, folder, 9)
        rows: list[tuple[str, list[str], Path, int]] = [
            ("silhouette --help", ["-m", "silhouette", "--help"], cache, 7),
            ("check of the first example, empty cache", ["-m", "silhouette", "check", str(EXAMPLE)], cache, 1),
            ("check of the first example, warm cache", ["-m", "silhouette", "check", str(EXAMPLE)], cache, 7),
        ]
        if not HUGE.is_file():
            print("without the huge mesh: needs ../shared/meshes")
        for place, path in huge_scenes(folder).items() if HUGE.is_file() else ():
            check, load = ["-m", "silhouette", "check", str(path)], ["-c", LOAD, str(path)]
            what = f"1,145,888 triangles {place}"
            rows += [
                (f"{what}, empty cache, until judging starts", load, folder / f"loaded {place}", 1),
                (f"{what}, empty cache, whole check", check, folder / f"checked {place}", 1),
                (f"{what}, warm cache, until judging starts", load, folder / f"checked {place}", 5),
                (f"{what}, warm cache, whole check", check, folder / f"checked {place}", 5),
            ]
        for what, arguments, where, runs in rows:
            print(f"{what:66}{seconds(arguments, where, runs):6.2f} s", flush=True)


if __name__ == "__main__":
    main()
