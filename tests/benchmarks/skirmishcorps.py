"""How long SkirmishCorps' questions take: seconds for each ask, on a street with walls and on a shipped scene.

python -m tests.benchmarks.skirmishcorps
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from silhouette.files.cache import Cache
from silhouette.rules.skirmishcorps.rule import SKIRMISHCORPS
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


def main() -> None:
    """Prints a row for each ask."""
    renderer = quick()
    pairs = [(f"unit {a}", f"unit {b}") for a in range(UNITS) for b in range(UNITS) if a != b]
    print(f"{'ask':<16}{'checks':>8}{'seconds':>10}{'ms each':>10}   ({UNITS} units, {WALLS} walls, {renderer.name})")
    for ask in ("protection", "flanked", "close combat", "classify"):
        document = street()
        if ask == "classify":
            document["check"] = [{"ask": ask, "height": height} for height in range(len(pairs))]
        else:
            document["check"] = [{"ask": ask, "attacker": a, "target": b} for a, b in pairs]
        scene = SKIRMISHCORPS.load(Path("street.toml"), document, Cache(None))
        started = time.perf_counter()
        for check in scene.checks:
            ruled(SKIRMISHCORPS, scene, check, renderer, PIXEL)
        taken = time.perf_counter() - started
        print(f"{ask:<16}{len(scene.checks):>8}{taken:>10.2f}{1000 * taken / len(scene.checks):>10.2f}")


if __name__ == "__main__":
    main()
