"""Games on squares on boards made at random: the package and the oracle, which shares nothing with it, rule alike.

Walls lie along the edges of squares and fill squares, as on a map, so that lines touch them and run along their seams.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.rules.data.oracles import dnd_5e, pathfinder_2e
from tests.rules.data.oracles.sampling import INCH, Box, Figure, Terrain
from tests.rules.data.oracles.squares import SIDES
from tests.rules.data.test_worked_cases import judged
from tests.support.worked_cases import WorkedCase

BOARD = 8
"""Squares either way."""

READINGS = {
    "dnd-5e": {
        "touching": ("clear", "blocked"),
        "creatures": ("half", "as obstacles"),
        "creature_fills": ("its squares", "its base"),
        "low": ("half", "as obstacles"),
    },
    "pathfinder-2e": {"touching": ("clear", "blocked")},
}

ORACLES: dict[str, Any] = {"dnd-5e": dnd_5e.ruled, "pathfinder-2e": pathfinder_2e.ruled}


def board(chance: np.random.Generator, readings: dict[str, tuple[str, ...]]) -> WorkedCase:
    """Two to four creatures, and up to three walls or blocks, none of which fills a square with a creature."""
    taken: set[tuple[int, int]] = set()
    figures = []
    for name in ("Kal", "Vex", "Orc", "Boar")[: chance.integers(2, 5)]:
        while True:
            size = str(chance.choice(["tiny", "medium", "medium", "large", "huge"]))
            wide = max(1, int(SIDES[size]))
            left, low = chance.integers(0, BOARD, 2).tolist()
            squares = {(left + i, low + j) for i in range(wide) for j in range(wide)}
            if not squares & taken:
                break
        taken |= squares
        at = (INCH * (left + wide / 2), INCH * (low + wide / 2), 0.0)
        figures.append(Figure(name, at, float(chance.choice([0.0, 90.0, 180.0])), base=25.0, says={"size": size}))
    terrain = []
    for number in range(chance.integers(0, 4)):
        box = _wall(chance) if chance.random() < 0.6 else _block(chance, taken)
        terrain += [Terrain(f"wall {number + 1}", (box,))] if box is not None else []
    given = {key: str(chance.choice(values)) for key, values in readings.items()}
    return WorkedCase("board", (), tuple(figures), tuple(terrain), "", (), "", given, {})


def _wall(chance: np.random.Generator) -> Box:
    """A wall along edges of squares."""
    x, y, length = (int(number) for number in chance.integers((0, 0, 1), (BOARD, BOARD, 5)))
    height = float(chance.choice([12.0, 22.0, 60.0]))
    if chance.random() < 0.5:
        return Box((INCH * (x + length / 2), INCH * y, 0.0), (INCH * length, 2.5, height))
    return Box((INCH * x, INCH * (y + length / 2), 0.0), (2.5, INCH * length, height))


def _block(chance: np.random.Generator, taken: set[tuple[int, int]]) -> Box | None:
    """A block that fills squares, if no creature does."""
    x, y, wide, deep = (int(number) for number in chance.integers((0, 0, 1, 1), (BOARD, BOARD, 4, 3)))
    if {(x + i, y + j) for i in range(wide) for j in range(deep)} & taken:
        return None
    height = float(chance.choice([12.0, 22.0, 60.0]))
    return Box((INCH * (x + wide / 2), INCH * (y + deep / 2), 0.0), (INCH * wide, INCH * deep, height))


@pytest.mark.parametrize("game", READINGS)
@pytest.mark.parametrize("seeds", [range(8), pytest.param(range(8, 150), marks=pytest.mark.long)])
def test_boards_at_random_are_ruled_as_by_the_oracle(game: str, seeds: range) -> None:
    verdicts = set()
    for seed in seeds:
        case = board(np.random.default_rng(seed), READINGS[game])
        verdict = judged(game, case)
        assert (verdict.verdict, "") == ORACLES[game](case.table, "Kal", "Vex", **case.readings), (seed, verdict.reason)
        verdicts.add(verdict.verdict)
    assert len(verdicts) >= 2
