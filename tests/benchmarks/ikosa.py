"""How long does a check of this game take, with more terrain, larger creatures and longer numbers?

Milliseconds to read a scene and to judge its one check, the best of five, and how many lines decided.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

from silhouette.files.cache import Cache
from silhouette.renderers.reference import ReferenceRenderer
from silhouette.rules.ikosa.rule import IKOSA
from tests.benchmarks.tables import Options, Table, options_of, progress, show
from tests.support.rulings import ruled

RUNS = 5
ONE = [[0, 0, 1]]
NEAR, FAR = [[1, 1, 0]], [[30, 20, 1]]
GIANT = [[30 + i, 20 + j, 1 + k] for i, j, k in product(range(4), repeat=3)]
HYDRA = [[i - 3, j - 3, 1 + k] for i, j, k in product(range(4), repeat=3)]


def floor(side: int) -> list[list[int]]:
    """A square floor of so many cells a side, with a pillar on every seventh."""
    cells = [[i, j, 0] for i in range(side) for j in range(side)]
    return cells + [[i, j, 1] for i, j, _ in cells if i % 7 == 3 and j % 7 == 3]


def document(mode: str, attacker: Any, target: Any, solid: Any, boxes: Any = ()) -> dict[str, Any]:
    """A scene of one check."""
    both = [{"name": "attacker", "cells": attacker}, {"name": "target", "cells": target}]
    check = [{"attacker": "attacker", "target": "target"}]
    return {"rules": "ikosa", "mode": mode, "solid_cells": solid, "boxes": boxes, "creature": both, "check": check}


SCENES = {
    "melee, one block": document("melee", ONE, NEAR, [[0, 0, 0]]),
    "melee, 1000 cells": document("melee", ONE, NEAR, floor(31)),
    "melee, 10000 cells": document("melee", ONE, NEAR, floor(100)),
    "ranged, 1000 cells": document("ranged", ONE, FAR, floor(31)),
    "ranged, 10000 cells": document("ranged", ONE, FAR, floor(100)),
    "ranged, 10000 cells, numbers of 20 digits": document(
        "ranged", ONE, FAR, floor(100), [[[9, 9, 1], [10, 10, "1.1234567890123456789"]]]
    ),
    "ranged, 10000 cells, target of 64 cells": document("ranged", ONE, GIANT, floor(100)),
    "ranged, 1000 cells, both of 64 cells": document("ranged", HYDRA, GIANT, floor(31)),
}


def tables(options: Options) -> Iterator[Table]:
    """One row for each scene."""
    rows = [measured(name, content, options.laps(RUNS)) for name, content in SCENES.items()]
    yield Table(
        "One check", ("", "loaded, ms", "judged, ms", "lines", "verdict"), tuple(rows), compared=("judged, ms",)
    )


def measured(name: str, content: dict[str, Any], runs: int) -> tuple[str, ...]:
    """A row."""
    loading, judging = [], []
    for _ in range(runs):
        start = time.perf_counter()
        scene = IKOSA.load(Path("cells.json"), content, Cache(None))
        loaded = time.perf_counter()
        verdict = ruled(IKOSA, scene, scene.checks[0], ReferenceRenderer(), 0.1)
        loading.append(loaded - start)
        judging.append(time.perf_counter() - loaded)
    took = f"{1e3 * min(loading):.2f}", f"{1e3 * min(judging):.2f}"
    return progress((name, *took, str(verdict.drawn.count), str(verdict.verdict)))


def main() -> None:
    """Prints the tables."""
    show(tables(options_of()))


if __name__ == "__main__":
    main()
