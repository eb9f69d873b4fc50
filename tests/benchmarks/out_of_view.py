"""What terrain costs that nobody looks at: the crowded table, and the same with as much terrain again outside.

python -m tests.benchmarks.out_of_view
"""

from __future__ import annotations

import time
from itertools import permutations

import numpy as np

from silhouette.renderers import choose
from silhouette.rules.necromunda.rule import NECROMUNDA
from silhouette.rules.necromunda.scene import Readings
from silhouette.scenes.scene import Check
from tests.benchmarks.crowded_table import crowded_document, loaded
from tests.support.rulings import ruled

RUNS = 5


def main() -> None:
    """Prints milliseconds per check without and with the terrain outside, pair by pair in turn, and their ratio."""
    document = {**crowded_document(), "readings": Readings().model_dump()}
    outside = [
        {**piece, "name": f"outside {number}", "at": [900 + 90 * number, 900]}
        for number, piece in enumerate(document["terrain"])
    ]
    scenes = [loaded(document), loaded({**document, "terrain": document["terrain"] + outside})]
    names = [piece.name for piece in scenes[0].pieces if piece.kind == "fighter"]
    checks = [Check(attacker, target) for attacker, target in permutations(names, 2)]
    renderer = choose("embree")
    taken = np.zeros((RUNS + 1, len(checks), 2))
    for run in range(RUNS + 1):
        for number, check in enumerate(checks):
            for which in (run % 2, 1 - run % 2):
                start = time.perf_counter()
                ruled(NECROMUNDA, scenes[which], check, renderer, 0.1)
                taken[run, number, which] = time.perf_counter() - start
    median = np.median(taken[1:], axis=0)
    without, doubled = median.mean(axis=0) * 1e3
    print(
        f"{len(document['terrain'])} pieces: {without:.2f} ms per check; {len(outside)} more outside: {doubled:.2f} ms"
    )
    print(f"ratio {doubled / without:.3f}")


if __name__ == "__main__":
    main()
