"""Where a base stands, against closed forms."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from silhouette.files.cache import Cache
from silhouette.rules.necromunda.rule import NECROMUNDA
from silhouette.scenes.standing import StandingTest

FIGURE = {"base": 32, "height": 38}


def standing(terrain: list[dict[str, Any]], **others: Any) -> StandingTest:
    fighters = [{"name": "Kal", "at": [0, 0], "figure": FIGURE, "facing": 90}, *others.get("fighter", [])]
    document = {"rules": "necromunda", "terrain": terrain, **others, "fighter": fighters}
    scene = NECROMUNDA.load(Path("duel.toml"), document, Cache(None))
    return StandingTest(scene.pieces, scene.piece("Kal"))


def stands(where: StandingTest, *places: list[float], under: float | None = None) -> list[bool]:
    at: NDArray[np.float64] = np.array(places, float)
    return where.stands(at, where.heights(at, under)).tolist()


def box(name: str, at: list[float], *size: float, **keys: Any) -> dict[str, Any]:
    return {"name": name, "at": at, "parts": [{"box": list(size)}], **keys}


@pytest.mark.parametrize("turn", [0.0, 17.0, 45.0, 90.0])
def test_on_the_edge_of_a_box_a_base_stands_up_to_exactly_half_over(turn: float) -> None:
    where = standing([box("roof", [0, 0], 200, 200, 60, turn=turn)])
    way = np.array([math.cos(math.radians(turn)), math.sin(math.radians(turn))])
    over = [(100.0 + beyond) * way for beyond in (-40.0, -1.0, 0.0, 0.1, 10.0, 15.9)]
    assert stands(where, *(list(place) for place in over)) == [True, True, True, False, False, False]
    assert where.heights(np.array(over)).tolist() == [60.0] * 6


@pytest.mark.parametrize(("degrees", "held"), [(0.0, True), (5.0, True), (6.9, True), (7.4, False), (30.0, False)])
def test_on_a_ramp_a_base_stands_where_its_middle_is_two_millimetres_lower_at_most(
    degrees: float, held: bool, tmp_path: Path
) -> None:
    # The uphill rim touches, the middle is lower by 16 mm times the slope: 2 mm at 7.125 degrees.
    slope = math.tan(math.radians(degrees))
    corners = [(x, y, z) for x in (-100, 100) for y in (-100, 100) for z in (0.0, 30.0 + slope * x)]
    sides = ["1 5 7 3", "2 4 8 6", "1 2 6 5", "3 7 8 4", "1 3 4 2", "5 6 8 7"]
    lines = [f"v {x} {y} {z}" for x, y, z in corners] + [f"f {side}" for side in sides]
    (tmp_path / "ramp.obj").write_text("\n".join(lines))
    ramp = {"name": "ramp", "at": [0, 0], "mesh": str(tmp_path / "ramp.obj"), "origin": "keep", "units": "mm"}
    where, at = standing([ramp]), np.zeros((1, 2))
    bottom = where.heights(at)
    assert bottom[0] == pytest.approx(30 + 16.0 * slope, abs=2e-3)
    assert where.stands(at, bottom).tolist() == [held]


def test_over_a_hole_a_base_stands_where_its_middle_and_half_of_it_are_held() -> None:
    def frame(hole: float) -> list[dict[str, Any]]:
        sides = [(0, 1), (0, -1), (1, 0), (-1, 0)]
        far = hole / 2 + 20
        return [
            box(f"side {number}", [x * far, y * far], 200 if y else 40, 40 if y else hole, 30)
            for number, (x, y) in enumerate(sides)
        ]

    assert stands(standing(frame(6.0)), [0, 0]) == [False]
    assert stands(standing(frame(6.0)), [4, 0], [3.01, 0], [2.99, 0], [9, 0]) == [True, True, False, True]
    assert standing(frame(34.0)).heights(np.zeros((1, 2))).tolist() == [0.0]


def test_a_base_stands_in_contact_and_a_millimetre_in_but_not_deeper() -> None:
    vex = {"name": "Vex", "at": [0, 0], "figure": FIGURE, "facing": 90}
    where = standing([], fighter=[vex])
    assert stands(where, [32.1, 0], [31.2, 0], [30.5, 0], [0, 0], [0, -31.2]) == [True, True, False, False, True]


def test_a_body_may_touch_a_wall_but_not_go_through_it() -> None:
    wall = box("wall", [0, 30], 100, 20, 60)
    at = [[0.0, y] for y in (3.9, 4.5, 7.0, 25.0)]
    where = standing([wall])
    assert where.stands(np.array(at), np.zeros(4)).tolist() == [True, True, False, False]
    narrow, broad = (standing([box("wall", [0, 0], 100, thick, 60)]) for thick in (10, 20))
    # Of a disc of 32 mm, a strip of 10 mm through the middle is 39 %, and one of 20 mm is 74 %.
    assert [stands(one, [0, 0]) for one in (narrow, broad)] == [[False], [True]]


def test_below_a_roof_it_stands_on_the_lower_floor_where_there_is_room() -> None:
    where = standing([box("roof", [0, 0, 45], 200, 200, 5), box("low roof", [300, 0, 30], 100, 100, 5)])
    assert stands(where, [0, 0], [300, 0], under=25) == [True, False]
    assert where.heights(np.array([[0.0, 0.0]])).tolist() == [50.0]
    assert where.stands(np.array([[0.0, 0.0]]), np.array([-np.inf])).tolist() == [False]


def test_thousands_of_places_give_what_each_gives_alone() -> None:
    terrain = [box("hill", [40, 20], 120, 90, 12, turn=20), box("house", [-60, 0], 50, 50, 60, turn=45)]
    vex = {"name": "Vex", "at": [10, 0, 12], "figure": FIGURE, "facing": 90}
    where = standing(terrain, fighter=[vex])
    grid = np.stack(np.meshgrid(np.arange(-120, 120, 11.0), np.arange(-100, 100, 11.0)), axis=-1).reshape(-1, 2)
    heights = where.heights(grid)
    together = where.stands(grid, heights)
    assert 0.4 < together.mean() < 0.95
    for number in range(0, len(grid), 30):
        assert where.heights(grid[number]).tolist() == [heights[number]]
        assert where.stands(grid[number], heights[number : number + 1]).tolist() == [together[number]]
