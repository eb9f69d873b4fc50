"""Lines in space against places where the answer is known, and against many lines tried one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from silhouette.relations.lines_in_space import (
    CountedPart,
    any_line_crosses,
    centre_line_crosses,
    facing_lines_cross,
)
from silhouette.relations.points import standard_volume
from silhouette.scenes.pieces import Piece
from tests.support.plain_pieces import block, man, sheet

LEVEL = man("Kal", 0.0, 0.0), man("Vex", 0.0, 200.0)
DOWN = man("Kal", 0.0, 0.0, z=150.0), man("Vex", 0.0, 200.0)
UP = DOWN[::-1]


def asked(ends: tuple[Piece, Piece], wall: Piece, **counts: float) -> tuple[bool, bool, bool]:
    """Whether any line, the middle one, and one from every point of the base cross a wall."""
    parts = [CountedPart(wall, **counts)]
    found = (
        any_line_crosses(ends, ends, parts),
        centre_line_crosses(ends, ends, parts),
        facing_lines_cross(*ends, parts),
    )
    for one in found:
        assert one.by == ((wall.name,) if one.value else ())
    any_line, centre, facing = (one.value > 0.0 for one in found)
    return any_line, centre, facing


@pytest.mark.parametrize(
    ("ends", "low", "high", "crossed"),
    [
        # On one level lines run 4 mm above the table, where the upper sides of the bases are.
        (LEVEL, (-60, 90), (60, 100, 40), (True, True, True)),
        (LEVEL, (-60, 90), (60, 100, 3.9), (False, False, False)),
        (LEVEL, (-60, 90, 4.1), (60, 100, 40), (False, False, False)),
        (LEVEL, (15, 90), (60, 100, 40), (True, False, False)),
        (LEVEL, (-2, 90), (60, 100, 40), (True, True, True)),
        # From 154 mm down to 4 mm: half way they run at 79 mm, higher and lower by what the bases are wide.
        (DOWN, (-60, 99), (60, 101, 60), (False, False, False)),
        (DOWN, (-60, 99), (60, 101, 75), (True, False, False)),
        (DOWN, (-60, 99), (60, 101, 90), (True, True, True)),
        (DOWN, (-60, 99, 95), (60, 101, 120), (False, False, False)),
        (DOWN, (-60, 99, 85), (60, 101, 120), (True, False, False)),
        (UP, (-60, 99), (60, 101, 60), (False, False, False)),
        (UP, (-60, 99), (60, 101, 75), (True, False, False)),
        (UP, (-60, 99), (60, 101, 90), (True, True, True)),
        (DOWN, (17, 99), (60, 101, 150), (False, False, False)),
    ],
)
def test_a_wall_is_crossed_where_the_lines_run(
    ends: tuple[Piece, Piece], low: Any, high: Any, crossed: tuple[bool, bool, bool]
) -> None:
    assert asked(ends, block("wall", low, high)) == crossed


def test_only_what_counts_is_crossed() -> None:
    wall = block("wall", (-60, 150), (60, 155, 100))
    assert asked(DOWN, wall) == (True, True, True)
    assert asked(DOWN, wall, within=25.4) == (False, False, False), "its far side is 29 mm from the base"
    assert asked(DOWN, wall, within=35.0) == (True, True, True)
    assert asked(DOWN, wall, beyond=25.4) == (True, True, True)
    assert asked(DOWN, wall, beyond=45.0) == (False, False, False)
    assert asked(DOWN, wall, above=99.0) == (False, False, False)
    assert asked(LEVEL, wall, within=25.4) == (False, False, False)
    assert asked(LEVEL, wall, within=35.0) == (True, True, True)
    assert asked(LEVEL, wall, beyond=45.0) == (False, False, False)
    assert asked(LEVEL, wall, above=5.0) == (False, False, False)


def test_a_sheet_is_crossed_and_what_lies_beside_is_not() -> None:
    assert asked(DOWN, sheet("sheet", (-60, 100), (60, 100), 90.0)) == (True, True, True)
    assert asked(DOWN, sheet("sheet", (-60, 230), (60, 230), 90.0)) == (False, False, False)


def test_nothing_is_crossed_by_nothing() -> None:
    assert any_line_crosses(DOWN, DOWN, []).value == facing_lines_cross(*DOWN, []).value == 0.0


def test_lines_between_bodies_begin_anywhere_in_them() -> None:
    ends = standard_volume(DOWN[0], 30.0), standard_volume(DOWN[1], 30.0)
    wall, far = block("wall", (-60, 99), (60, 101, 75)), block("far wall", (-60, 99), (60, 101, 50))
    assert any_line_crosses(ends, DOWN, [CountedPart(far), CountedPart(wall)]).by == ("wall",)
    assert centre_line_crosses(ends, DOWN, [CountedPart(block("high", (-60, 99), (60, 101, 95)))]).value == 1.0


def test_no_tried_line_says_otherwise() -> None:
    """Of walls that stand and lean about: a line that is found crosses, and so do all where none is free."""
    random, found = np.random.default_rng(5), [0, 0]
    for _ in range(25):
        ends = (
            man("Kal", 0.0, 0.0, z=float(random.uniform(5.0, 150.0))),
            man("Vex", float(random.uniform(-30.0, 30.0)), 200.0),
        )
        size = random.uniform((5, 2, 4), (120, 30, 120))
        at = random.uniform((-40, 40), (40, 160))
        wall = block(
            "wall", (*(at - size[:2] / 2), 0.0), (*(at + size[:2] / 2), size[2]), turn=float(random.uniform(-20, 20))
        )
        corners = wall.pose.place(wall.model.mesh.vertices)[wall.model.mesh.faces]
        starts, stops = (_disc(end) for end in ends)
        tried = np.array([[_meets(start, stop, corners) for stop in stops] for start in starts])
        any_line, _, facing = asked(ends, wall)
        assert any_line or not tried.any()
        assert tried.any(axis=1).all() or not facing
        found[0] += any_line
        found[1] += facing
    assert min(found) > 3
    assert found[1] < found[0] < 25


def _disc(piece: Piece) -> np.ndarray:
    """Points of the upper side of a base: its rim and its middle."""
    turn = np.linspace(0.0, 2.0 * np.pi, 10, endpoint=False)
    rim = 15.99 * np.column_stack([np.cos(turn), np.sin(turn)]) + piece.base_centre
    flat = np.concatenate([rim, [piece.base_centre]])
    return np.column_stack([flat, np.full(len(flat), piece.base_span[1])])


def _meets(start: np.ndarray, stop: np.ndarray, corners: np.ndarray) -> bool:
    """Whether a line meets any of some triangles (n, 3, 3): by which side of the line each corner lies on."""
    way = stop - start
    around = np.cross(corners, np.roll(corners, -1, axis=1))
    sides = np.einsum("nkx,x->nk", around - np.cross(start, np.roll(corners, -1, axis=1) - corners), way)
    through = (sides > 0.0).all(axis=1) | (sides < 0.0).all(axis=1)
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    ends = [np.einsum("nx,nx->n", normal, point - corners[:, 0]) for point in (start, stop)]
    return bool((through & (ends[0] * ends[1] < 0.0)).any())
