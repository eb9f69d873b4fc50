"""How long do checks of this game take on a crowded map: reading it, tracing lines, judging, and whole results?

Half of the hexes are woods, buildings, smoke or hills. Lines run in seeded random directions, each traced for the
first time in *at first*.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from silhouette.files.cache import Cache
from silhouette.rules.tide_of_iron.hexes import Address, distance, entered, in_words
from silhouette.rules.tide_of_iron.rule import TIDE_OF_IRON
from silhouette.rules.tide_of_iron.scene import HexScene
from silhouette.scenes.scene import Check
from tests.benchmarks.tables import Options, Table, options_of, progress, show
from tests.support.rulings import ruled

SIZE = 60  # hexes along each side of the map
LINES = 10_000

Done = TypeVar("Done")


def timed(rows: list[tuple[str, ...]], what: str, work: Callable[[], Done]) -> Done:
    """Does something and adds a row that says how long it took."""
    start = time.perf_counter()
    done = work()
    rows.append(progress((what, f"{time.perf_counter() - start:.3f}")))
    return done


def ring(radius: int) -> list[Address]:
    """All hexes so far from (0, 0)."""
    span = range(-radius, radius + 1)
    return [(q, r) for q in span for r in span if distance((0, 0), (q, r)) == radius]


def tables(_: Options) -> Iterator[Table]:
    """One row for each step."""
    rng = random.Random(7)
    kinds = ["clear"] * 6 + ["woods", "building", "smoke"]
    hexes = [
        {"at": [q, r], "terrain": rng.choice(kinds), "elevation": rng.choice([0, 0, 0, 0, 1, 1, 2])}
        for q in range(SIZE)
        for r in range(SIZE)
    ]
    document = {"rules": "tide-of-iron", "map": {"hex": hexes}}
    rows: list[tuple[str, ...]] = []
    what = f"reading {len(hexes)} hexes"
    scene = timed(rows, what, lambda: TIDE_OF_IRON.load(Path("map.toml"), document, Cache(None)))
    for length in (5, 10, 20, 40):
        _lines(rows, scene, length, rng)
    yield Table("A map of 60 x 60 hexes", ("", "seconds"), tuple(rows), compared=("seconds",))


def main() -> None:
    """Prints the tables."""
    show(tables(options_of()))


def _lines(rows: list[tuple[str, ...]], scene: HexScene, length: int, rng: random.Random) -> None:
    ends = []
    for step_q, step_r in rng.choices(ring(length), k=LINES):
        q, r = rng.randrange(SIZE), rng.randrange(SIZE)
        ends.append(((q, r), (q + step_q, r + step_r)))
    checks = [Check(in_words(start), in_words(end)) for start, end in ends]
    lines = f"{LINES} lines of {length} hexes"
    timed(rows, f"{lines}: the hexes entered, at first", lambda: [entered(*pair) for pair in ends])
    timed(rows, f"{lines}: the hexes entered, again", lambda: [entered(*pair) for pair in ends])
    verdicts = timed(rows, f"{lines}: judged", lambda: [ruled(TIDE_OF_IRON, scene, check) for check in checks])
    timed(rows, f"{lines}: results", lambda: [verdict.row() for verdict in verdicts])


if __name__ == "__main__":
    main()
