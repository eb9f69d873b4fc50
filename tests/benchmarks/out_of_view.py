"""What does terrain cost that nobody looks at?

The crowded table of ``renderers``, and the same with as much terrain again outside the view, pair by pair in turn.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import permutations

import numpy as np

from silhouette.renderers import choose
from silhouette.rules.necromunda.rule import NECROMUNDA
from silhouette.rules.necromunda.scene import Readings
from silhouette.scenes.scene import Check
from tests.benchmarks.crowded_table import crowded_document, loaded
from tests.benchmarks.tables import Options, Table, options_of, show
from tests.support.rulings import ruled

RUNS = 5


def tables(options: Options) -> Iterator[Table]:
    """Milliseconds per check without and with the terrain outside, and their ratio."""
    document = {**crowded_document(), "readings": Readings().model_dump()}
    outside = [
        {**piece, "name": f"outside {number}", "at": [900 + 90 * number, 900]}
        for number, piece in enumerate(document["terrain"])
    ]
    scenes = [loaded(document), loaded({**document, "terrain": document["terrain"] + outside})]
    names = [piece.name for piece in scenes[0].pieces if piece.kind == "fighter"]
    checks = [Check(attacker, target) for attacker, target in permutations(names, 2)]
    renderer = choose()
    taken = np.zeros((options.laps(RUNS) + 1, len(checks), 2))
    for run in range(len(taken)):
        for number, check in enumerate(checks):
            for which in (run % 2, 1 - run % 2):
                start = time.perf_counter()
                ruled(NECROMUNDA, scenes[which], check, renderer, 0.1)
                taken[run, number, which] = time.perf_counter() - start
    median = np.median(taken[1:], axis=0)
    without, doubled = median.mean(axis=0) * 1e3
    rows = (
        (f"{len(document['terrain'])} pieces", f"{without:.2f}", "1.00"),
        (f"{len(outside)} more outside", f"{doubled:.2f}", f"{doubled / without:.2f}"),
    )
    yield Table("Terrain out of view", ("", "ms a check", "ratio"), rows, compared=("ms a check", "ratio"))


def main() -> None:
    """Prints the tables."""
    show(tables(options_of()))


if __name__ == "__main__":
    main()
