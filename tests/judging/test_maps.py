"""Maps: each place has the verdict of a check with the model there, and stands where its base does."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from silhouette.common.errors import RequestError
from silhouette.common.geometry import Floats
from silhouette.judging.maps import Map, MapRequest
from silhouette.rules import RULES, rule_called
from silhouette.rules.abilities import HasMaps, maps_of
from tests.support.coin_toss import RULE as COIN_TOSS
from tests.support.duels import skirmish
from tests.support.games import FILES
from tests.support.mapped_tables import checked, differing, fighter, gantry_table, loaded, made

ON = {"on": "surface"}


def hidden_behind(box: tuple[Floats, Floats], eye: Floats, corners: Floats) -> bool:
    """Whether a box hides all of the convex hull of some corners (n, 3) from an eye outside of both.

    What a convex body hides is convex, so that the corners tell.
    """
    low, high = box
    ways = corners - eye
    with np.errstate(divide="ignore", invalid="ignore"):
        one, other = (low - eye) / ways, (high - eye) / ways
    enter, leave = np.minimum(one, other).max(axis=1), np.maximum(one, other).min(axis=1)
    return bool(((enter < leave) & (enter > 0.0) & (enter < 1.0)).all())


@pytest.mark.slow
def test_the_shadow_of_a_wall_is_what_is_hidden() -> None:
    document: dict[str, Any] = {
        "rules": "necromunda",
        "table": [400.0, 400.0],
        "fighter": [
            fighter("Kal", [0.0, -150.0], 90.0, eye=[0.0, 0.0, 40.0]),
            fighter("Vex", [150.0, 150.0], body=[{"box": [10.0, 10.0, 14.0]}]),
        ],
        "terrain": [{"name": "wall", "at": [10.0, 0.0], "parts": [{"box": [120.0, 6.0, 30.0]}]}],
    }
    drawn = made(document, "Vex", grid=20.0)
    wall = np.array([-50.0, -3.0, 0.0]), np.array([70.0, 3.0, 30.0])
    offsets = np.array([(x, y, z) for x in (-5.0, 5.0) for y in (-5.0, 5.0) for z in (0.0, 14.0)])
    found, expected = [], []
    for number in np.flatnonzero(drawn.cells.stands):
        at = drawn.cells.at[number]
        if abs(at[0]) < at[1] + 150.0 - 12.0:  # all of it lies in the arc
            found.append(drawn.verdicts[drawn.verdict[number]] == "hidden")
            expected.append(hidden_behind(wall, np.array([0.0, -150.0, 40.0]), at + offsets))
    assert found == expected
    assert 20 < sum(expected) < len(expected) - 20


@pytest.mark.thinned(quick=50, ci=50)
@pytest.mark.parametrize("keys", [{"attackers": ("Kal",)}, {"targets": ("Kal", "Zil")}], ids=["target", "attacker"])
def test_each_place_has_the_verdict_of_a_check_there(keys: dict[str, Any]) -> None:
    document = gantry_table()
    drawn = made(document, "Vex", **keys)
    if drawn.request.role == "target":
        assert not differing(document, "fighter", drawn, 25, 1, **ON)
        return
    for number in np.random.default_rng(2).choice(np.flatnonzero(drawn.cells.stands), 12, replace=False):
        cell = drawn.cell(int(number))
        for one, other in zip(cell["by"], ("Kal", "Zil"), strict=True):
            there = next(entry["at"] for entry in document["fighter"] if entry["name"] == other)
            facing = math.degrees(math.atan2(there[1] - cell["at"][1], there[0] - cell["at"][0]))
            keys = {**ON, "facing": facing, "pairs": [("Vex", other)]}
            (ruling,) = checked(document, "fighter", "Vex", cell["at"][:2], **keys)
            assert one["verdict"] == ruling.verdict or one["marginal"]
        assert cell["seen_by"] == sum(one["verdict"] != "hidden" for one in cell["by"])
    assert "nearest" not in drawn.document()


@pytest.mark.parametrize(
    "grid, places",
    [pytest.param(16.0, 60, marks=pytest.mark.long), pytest.param(9.0, 500, marks=pytest.mark.long)],
)
def test_hundreds_of_places_have_the_verdicts_of_checks_there(grid: float, places: int) -> None:
    document = gantry_table()
    drawn = made(document, "Vex", grid=grid)
    assert not differing(document, "fighter", drawn, places, 3, **ON)
    certain = [number for number in np.flatnonzero(drawn.cells.stands) if drawn.marginal[number]]
    pairs = [(check.attacker, check.target) for check in drawn.checks]
    needless = 0
    for number in certain:
        at = drawn.cell(int(number))["at"][:2]
        rulings = checked(document, "fighter", "Vex", at, pairs=pairs, **ON)
        needless += not any(ruling.row()["marginal"] for ruling in rulings)
    assert needless <= 0.03 * drawn.cells.stands.sum()


@pytest.mark.slow
def test_units_of_skirmishcorps_stand_and_lie() -> None:
    document = skirmish([-20.0, -60.0], [30.0, 60.0], [0.0, 20.0], 10.0, table=[200.0, 240.0])
    assert not differing(document, "unit", made(document, "Vex"), 12, 4, **ON)
    document["unit"][1] |= {"posture": "prone", "lies_along": 30.0}
    assert not differing(document, "unit", made(document, "Vex"), 8, 5, **ON)


def crisis() -> dict[str, Any]:
    """Two characters, a building, and a crate."""
    return {
        "rules": "crisis-protocol",
        "units": "inch",
        "ranges": {"1": 3, "2": 6},
        "character": [
            {"name": "Kal", "size": 2, "at": [0.0, 0.0], "base": 1.4},
            {"name": "Vex", "size": 2, "at": [12.0, 2.0], "base": 1.4},
        ],
        "terrain": [
            {"name": "house", "size": 4, "polygon": [[4, -4], [9, -4], [9, 3], [4, 3]]},
            {"name": "car", "size": 2, "polygon": [[10, 4], [12, 4], [12, 6], [10, 6]]},
        ],
        "object": [{"name": "crate", "size": 1, "polygon": [[1, 4], [2, 4], [2, 5], [1, 5]]}],
    }


@pytest.mark.long
def test_characters_of_crisis_protocol_stand_on_the_table_or_wholly_on_terrain() -> None:
    document = crisis()
    drawn = made(document, "Vex", grid=12.7)
    house, beside = (drawn.cell(_nearest_to(drawn, *(25.4 * np.array(at)))) for at in ((6.5, 0.0), (4.0, 0.0)))
    assert house["stands"]
    assert not beside["stands"]
    assert beside["verdict"] is None
    for number in np.random.default_rng(6).choice(np.flatnonzero(drawn.cells.stands), 60, replace=False):
        cell = drawn.cell(int(number))
        at = [float(place) / 25.4 for place in cell["at"][:2]]
        on = {"on": "house"} if 4.0 < at[0] < 9.0 and -4.0 < at[1] < 3.0 else {}
        (ruling,) = checked(document, "character", "Vex", at, pairs=[("Kal", "Vex")], **on)
        assert cell["verdict"] == ruling.verdict
        assert cell["by"][0]["occluded"] is None


def _nearest_to(drawn: Map, x: float, y: float) -> int:
    return int(np.hypot(*(drawn.cells.at[:, :2] - [x, y]).T).argmin())


@pytest.mark.long
def test_a_model_stands_on_the_highest_floor_or_on_the_one_below() -> None:
    document = gantry_table()
    upper, lower = made(document, "Vex", attackers=("Kal",)), made(document, "Vex", attackers=("Kal",), under=40.0)
    for drawn, height, keys in ((upper, 54.0, ON), (lower, 0.0, {**ON, "under": 40.0})):
        cell = drawn.cell(_nearest_to(drawn, 35.0, 30.0))
        assert cell["stands"]
        assert cell["at"][2] == pytest.approx(height)
        (ruling,) = checked(document, "fighter", "Vex", cell["at"][:2], pairs=[("Kal", "Vex")], **keys)
        assert cell["verdict"] == ruling.verdict


@pytest.mark.long
def test_a_base_does_not_stand_over_an_edge_or_in_others() -> None:
    document = gantry_table()
    drawn = made(document, "Vex", attackers=("Kal",), grid=10.0)
    assert not drawn.cell(_nearest_to(drawn, -118.0, -88.0))["stands"]  # in Kal
    assert drawn.cell(_nearest_to(drawn, 0.0, -100.0))["stands"]  # where it stands itself
    edge = drawn.cell(_nearest_to(drawn, -60.0, -20.0))
    assert not edge["stands"]
    assert edge["verdict"] is None
    assert edge["by"] == []
    assert edge["seen_by"] == 0


def test_within_keeps_to_the_places_near_by() -> None:
    whole, near = (made(gantry_table(), "Vex", attackers=("Kal",), within=within) for within in (None, 60.0))
    away = np.hypot(*(whole.cells.at[:, :2] - [0.0, -100.0]).T)
    assert np.array_equal(near.cells.at, whole.cells.at[away <= 60.0])
    assert np.array_equal(near.verdict, whole.verdict[away <= 60.0])
    assert len(whole.cells.at) == 12 * 9  # (i + 1/2) steps of an inch from the edge
    assert whole.cells.at[0, :2].tolist() == [-137.3, -107.3]


@pytest.mark.long
def test_everyone_of_another_gang_looks_and_the_one_who_sees_most_counts() -> None:
    drawn = made(gantry_table(), "Vex")
    assert drawn.others == ("Kal", "Yar")
    apart = [made(gantry_table(), "Vex", attackers=(name,)) for name in drawn.others]
    stands = drawn.cells.stands
    assert np.array_equal(drawn.verdict, np.minimum(apart[0].verdict, apart[1].verdict))
    assert np.array_equal(drawn.seen_by, apart[0].seen_by + apart[1].seen_by)
    assert set(drawn.seen_by[stands].tolist()) == {0, 1, 2}
    for verdict, (number, mm) in drawn.nearest.items():
        enough = drawn.verdict >= drawn.verdicts.index(verdict)
        away = np.hypot(*(drawn.cells.at[enough, :2] - [0.0, -100.0]).T)
        assert mm == pytest.approx(away.min())
        assert enough[number]
    plain = gantry_table()
    for entry in plain["fighter"]:
        del entry["gang"]
    assert made(plain, "Vex", within=30.0).others == ("Kal", "Yar", "Zil")


def test_nobody_knows_where_an_attacker_faces() -> None:
    document = gantry_table()
    document["fighter"][0]["facing"] = "unknown"
    drawn = made(document, "Vex", attackers=("Kal",), within=80.0)
    assert drawn.marginal[drawn.cells.stands].all()
    seen = drawn.cell(int(np.flatnonzero(drawn.seen_by)[0]))
    assert seen["could_be"][-1] == "hidden"
    assert len(seen["could_be"]) > 1
    document = gantry_table()
    document["fighter"][2]["facing"] = "unknown"
    looks = made(document, "Vex", targets=("Kal",), within=80.0)
    assert not looks.marginal[looks.cells.stands].all()  # it faces what it looks at, which is known


def test_the_document_says_what_the_contract_says() -> None:
    jsonschema = pytest.importorskip("jsonschema", reason="needs the extra 'test'")
    from silhouette.cli.schema import schema_of

    document = made(gantry_table(), "Vex", within=50.0).document()
    jsonschema.validate(document, schema_of("map"))
    assert list(document)[:3] == ["silhouette", "schema", "scene"]
    assert document["as"] == "target"
    assert document["grid"] == 25.4
    assert document["verdicts"] == ["open", "partial cover", "full cover", "hidden"]


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"move": "Wex"}, "nothing is called 'Wex'"),
        ({"move": "wall"}, "'wall' is terrain"),
        ({"attackers": ("Nobody",)}, "nothing is called 'Nobody'"),
        ({"attackers": ("Vex",)}, "'Vex' would check itself"),
        ({"attackers": ("Kal",), "targets": ("Yar",)}, "--from and --to"),
        ({"grid": 0.5}, "no grid is finer than 1 mm"),
        ({"grid": math.nan}, "no grid is finer than 1 mm"),
        ({"grid": 500.0}, "no point of it lies on the table"),
        ({"within": -1.0}, "--within -1: give mm"),
        ({"under": math.inf}, "--under inf: give a height"),
        ({"within": 3.0}, "no point of a grid of 25.4 mm is so near"),
    ],
)
def test_bad_requests_are_one_line(asked: dict[str, Any], told: str) -> None:
    with pytest.raises(RequestError, match=told) as error:
        made(gantry_table(), **{"move": "Vex", **asked})
    assert "\n" not in str(error.value)


def test_a_map_has_a_million_places_at_most_and_the_grid_that_is_told_fits() -> None:
    document = gantry_table() | {"table": [4000.0, 3000.0]}
    with pytest.raises(RequestError, match=r"12 000 000 points .* --grid 3.5 would fit"):
        made(document, "Vex", grid=1.0)
    assert math.ceil(4000 / 3.5) * math.ceil(3000 / 3.5) <= 1_000_000
    assert len(made(document, "Vex", attackers=("Kal",), grid=1.0, within=5.0).cells.at) > 50


def test_games_without_maps_say_so_in_one_line() -> None:
    for rule in [COIN_TOSS, *map(rule_called, RULES)]:
        if not isinstance(rule, HasMaps):
            with pytest.raises(RequestError, match="there are no maps of"):
                maps_of(rule, loaded(gantry_table()))
    able = {name for name in RULES if isinstance(rule_called(name), HasMaps)}
    assert able == {"crisis-protocol", "necromunda", "skirmishcorps", *FILES}


@pytest.mark.long
def test_several_processes_find_the_same() -> None:
    from silhouette.judging.maps import map_of
    from tests.support.mapped_tables import settings

    request = MapRequest("Vex", grid=20.0, within=100.0)
    one, two = (map_of(loaded(gantry_table()), request, settings(), workers) for workers in (1, 2))
    assert one.document() == two.document()


def test_what_is_hidden_is_marginal_as_well_where_nobody_knows_where_the_attacker_faces() -> None:
    document = gantry_table()
    document["fighter"][0]["facing"] = "unknown"
    document["terrain"].append({"name": "tower", "at": [-110, -70], "turn": 40, "parts": [{"box": [4, 80, 90]}]})
    drawn = made(document, "Vex", attackers=("Kal",), within=40.0)
    cells = [drawn.cell(number) for number in np.flatnonzero(drawn.cells.stands)]
    assert {(cell["verdict"], *cell["could_be"], cell["marginal"]) for cell in cells} == {("hidden", "hidden", True)}


def test_a_place_is_marginal_if_of_who_sees_most_two_verdicts_are_possible() -> None:
    """Though it is not marginal for all who look."""
    drawn = made(gantry_table(), "Vex", attackers=("Kal", "Yar"), within=30.0)
    stands = drawn.cells.stands
    possible = np.zeros_like(drawn.cells.possible)
    possible[:, 0, :2] = possible[:, 1, 3] = True  # open or in partial cover from one, hidden from the other
    marginal = np.tile([True, False], (len(stands), 1))
    drawn = replace(drawn, cells=replace(drawn.cells, possible=possible, marginal=marginal))
    assert stands.any()
    assert np.array_equal(drawn.marginal, stands)
    assert drawn.cell(int(np.flatnonzero(stands)[0]))["could_be"] == ["open", "partial cover"]
