"""How long does each question of this game take?

On a street with twelve units and sixteen walls, every unit asks about every other.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from silhouette.files.cache import Cache
from silhouette.rules.skirmishcorps.rule import SKIRMISHCORPS
from tests.benchmarks.tables import Options, Table, options_of, progress, show
from tests.support.rulings import ruled
from tests.support.skirmishcorps_scenes import quick

UNITS, WALLS = 12, 16
PIXEL = 0.1


def street() -> dict[str, Any]:
    """Twelve units in two rows, and sixteen walls of one to six bricks between and at them; no checks."""
    units = [{"name": f"unit {k}", "at": [300.0 * (k % 2), 60.0 * (k // 2)]} for k in range(UNITS)]
    walls = [
        {
            "name": f"wall {k}",
            "at": [12.2 + 275.6 * (k % 2) + 50.0 * (k % 3), 45.0 * (k // 2)],
            "size": [8, 44],
            "turn": 5.0 * (k % 5),
            "height": 1 + k % 6,
        }
        for k in range(WALLS)
    ]
    return {"rules": "skirmishcorps", "unit": units, "cover": walls}


def tables(_: Options) -> Iterator[Table]:
    """One row for each question."""
    rows = [measured(ask) for ask in ("protection", "flanked", "close combat", "classify")]
    columns = ("question", "checks", "ms a check")
    notes = (f"{UNITS} units, {WALLS} walls, renderer {quick().name}.",)
    yield Table("A street", columns, tuple(rows), notes, compared=("ms a check",))


def measured(ask: str) -> tuple[str, ...]:
    """A row."""
    pairs = [(f"unit {a}", f"unit {b}") for a in range(UNITS) for b in range(UNITS) if a != b]
    renderer, document = quick(), street()
    if ask == "classify":
        document["check"] = [{"ask": ask, "height": height} for height in range(len(pairs))]
    else:
        document["check"] = [{"ask": ask, "attacker": a, "target": b} for a, b in pairs]
    scene = SKIRMISHCORPS.load(Path("street.toml"), document, Cache(None))
    started = time.perf_counter()
    for check in scene.checks:
        ruled(SKIRMISHCORPS, scene, check, renderer, PIXEL)
    taken = time.perf_counter() - started
    return progress((ask, str(len(scene.checks)), f"{1000 * taken / len(scene.checks):.2f}"))


def main() -> None:
    """Prints the tables."""
    show(tables(options_of()))


if __name__ == "__main__":
    main()
