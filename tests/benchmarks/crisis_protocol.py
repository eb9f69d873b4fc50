"""How long Crisis Protocol takes: pairs on tables of more and more terrain.

python -m tests.benchmarks.crisis_protocol
"""

from __future__ import annotations

import time
from pathlib import Path

from silhouette.files.cache import Cache
from silhouette.renderers.reference import ReferenceRenderer
from silhouette.rules.crisis_protocol.rule import CRISIS_PROTOCOL
from tests.support.crisis_protocol_tables import table
from tests.support.rulings import ruled

CHARACTERS = 33
PAIRS = 1000


def main() -> None:
    renderer = ReferenceRenderer()
    print(f"{'pieces':>6} {'pairs':>6} {'seen':>5} {'load, ms':>9} {'judge, s':>9} {'ms a pair':>10}")
    for pieces in (0, 5, 10, 20, 40, 80):
        document = table(7, CHARACTERS, pieces)
        begin = time.perf_counter()
        scene = CRISIS_PROTOCOL.load(Path("table.toml"), document, Cache(None))
        loaded = time.perf_counter()
        checks = CRISIS_PROTOCOL.everyone(scene)[:PAIRS]
        seen = sum(ruled(CRISIS_PROTOCOL, scene, check, renderer, 0.1).line_of_sight for check in checks)
        took = time.perf_counter() - loaded
        load = 1e3 * (loaded - begin)
        print(f"{pieces:6} {len(checks):6} {seen:5} {load:9.1f} {took:9.3f} {1e3 * took / len(checks):10.3f}")


if __name__ == "__main__":
    main()
