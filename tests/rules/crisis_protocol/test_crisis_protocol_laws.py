"""Crisis Protocol: what must hold of any table, and what a slow and obvious program finds on two thousand."""

from __future__ import annotations

import copy
import itertools
from typing import Any

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from silhouette.relations import free_lines
from tests.support.crisis_protocol_by_brute_force import is_free, judged, some_line_is_free
from tests.support.crisis_protocol_tables import box, duel, grid_duel, moved, scene, verdict, verdicts

SEEDS = st.integers(0, 10**6)


def answers(document: dict[str, Any]) -> list[Any]:
    return [(each.verdict, each.cover, set(each.in_the_way), set(each.cover_from)) for each in verdicts(document)]


@pytest.mark.long
@settings(max_examples=60)
@given(
    seed=SEEDS,
    power=st.floats(-3, 3),
    degrees=st.floats(-360, 360),
    by=st.tuples(st.floats(-500, 500), st.floats(-500, 500)),
    mirror=st.booleans(),
)
def test_nothing_hangs_on_the_unit_or_on_how_the_table_lies(
    seed: int, power: float, degrees: float, by: tuple[float, float], mirror: bool
) -> None:
    document = duel(seed)
    assert answers(moved(document, 10**power, degrees, by, mirror)) == answers(document)


@pytest.mark.long
@settings(max_examples=60)
@given(seed=SEEDS, power=st.floats(-3, 3), degrees=st.floats(-360, 360), mirror=st.booleans())
def test_exact_touches_do_not_hang_on_the_last_digit(seed: int, power: float, degrees: float, mirror: bool) -> None:
    document = grid_duel(seed)
    other = moved(document, 10**power, degrees, (11.1, -5.3), mirror)
    kept = [(each.verdict, each.cover) for each in verdicts(document)]
    assert [(each.verdict, each.cover) for each in verdicts(other)] == kept


@pytest.mark.slow
@settings(max_examples=60)
@given(seed=SEEDS, other=SEEDS)
def test_more_terrain_never_opens_a_line_nor_takes_cover_away(seed: int, other: int) -> None:
    document = duel(seed)
    more = copy.deepcopy(document)
    more["terrain"] += [{**feature, "name": f"more {feature['name']}"} for feature in duel(other)["terrain"]]
    for before, after in zip(verdicts(document), verdicts(more), strict=True):
        assert after.line_of_sight <= before.line_of_sight
        assert after.cover is not None
        assert before.cover is not None
        assert after.cover >= before.cover


@pytest.mark.long
@settings(max_examples=60)
@given(seed=SEEDS, random=st.randoms(use_true_random=False))
def test_the_order_of_pieces_and_corners_does_not_matter(seed: int, random: Any) -> None:
    document = duel(seed)
    other = copy.deepcopy(document)
    random.shuffle(other["terrain"])
    random.shuffle(other["character"])
    for feature in other["terrain"]:
        turn = random.randrange(len(feature["polygon"]))
        feature["polygon"] = (feature["polygon"][turn:] + feature["polygon"][:turn])[:: random.choice((1, -1))]
    assert answers(other) == answers(document)


@pytest.mark.long
@settings(max_examples=40)
@given(seed=SEEDS, at=st.tuples(st.floats(-50, 350), st.floats(-60, 60)), size=st.integers(1, 20))
def test_further_characters_change_nothing(seed: int, at: tuple[float, float], size: int) -> None:
    document = duel(seed)
    other = copy.deepcopy(document)
    other["character"].insert(0, {"name": "C", "size": size, "at": list(at), "base": 65})
    assert [each.row() for each in verdicts(other)] == [each.row() for each in verdicts(document)]


@pytest.mark.long
@settings(max_examples=40)
@given(seed=SEEDS)
def test_pieces_cut_in_two_are_the_same_in_the_way(seed: int) -> None:
    document = duel(seed)
    document["character"] = [{**each, "size": 1, "on": None} for each in document["character"]]
    document["terrain"] = [{**each, "size": 5} for each in document["terrain"]]
    other = {**document, "terrain": []}
    for feature in document["terrain"]:
        for part in shapely.constrained_delaunay_triangles(shapely.Polygon(feature["polygon"])).geoms:
            ring = [list(corner) for corner in part.exterior.coords[:-1]]
            other["terrain"].append({"name": f"{len(other['terrain'])}", "size": 5, "polygon": ring})
    seen = [each.line_of_sight for each in verdicts(document)]
    assert [each.line_of_sight for each in verdicts(other)] == seen


@pytest.mark.long
@pytest.mark.parametrize(
    "seeds",
    [pytest.param(range(150)), pytest.param(range(150, 2000))],
    ids=str,
)
def test_brute_force_finds_nothing_else(seeds: range) -> None:
    found = {True: 0, False: 0}
    for seed in seeds:
        document = duel(seed)
        document["check"] = [document["check"][seed % 2]]
        each = verdict(document)
        sees, cover, blockers = judged(document, each.attacker, each.target)
        characters = {one["name"]: one for one in document["character"]}
        assert each.line_of_sight or not sees, seed
        if each.line_of_sight:
            assert is_free(each.sight_line, characters[each.attacker], characters[each.target], blockers), seed
        assert cover in (each.cover, None), seed
        found[each.line_of_sight] += 1
    assert min(found.values()) > 0.15 * len(seeds)


@pytest.mark.parametrize("seeds", [range(75), pytest.param(range(75, 300), marks=pytest.mark.long)], ids=str)
def test_brute_force_finds_no_other_line_to_an_object(seeds: range) -> None:
    found = {True: 0, False: 0}
    for seed in seeds:
        document = duel(seed)
        characters = [{**each, "size": 1, "on": None} for each in document["character"]]
        console, *terrain = [{**each, "size": 5} for each in document["terrain"]]
        console["size"] = 1
        document = {**document, "character": characters, "object": [console], "terrain": terrain}
        document["check"] = [{"attacker": "A", "target": console["name"]}]
        each = verdict(document)
        if each.distance > 0.0:
            assert each.line_of_sight or not some_line_is_free(characters[0], console, terrain), seed
            if each.line_of_sight:
                assert is_free(each.sight_line, characters[0], console, terrain), seed
            found[each.line_of_sight] += 1
    assert min(found.values()) > 0.1 * len(seeds)


def test_many_corners_are_no_hardship() -> None:
    angles = np.linspace(0, 2 * np.pi, 400, endpoint=False)
    ring = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    middles = itertools.product((60, 100, 140, 180), (-20, 20))
    discs = [
        {"name": f"{number}", "size": 5, "polygon": (ring * 19.99 + middle).tolist()}
        for number, middle in enumerate(middles)
    ]
    found = verdict(scene(*discs))
    assert found.line_of_sight
    assert found.sight_line is not None
    assert max(abs(end[1]) for end in found.sight_line) < 0.05


def tiles(gap: float) -> dict[str, Any]:
    """A thousand tiles in rows, with gaps between the rows."""
    places = itertools.product(range(31), range(32))
    polygons = [box(30 + 17 * i, 2.5 * j - 40, 47 + 17 * i, 2.5 * j - 37.5 - gap) for i, j in places]
    terrain = [{"name": f"{number}", "size": 5, "polygon": polygon} for number, polygon in enumerate(polygons)]
    return scene(*terrain, b={"at": [600, 0]})


@pytest.mark.long
@pytest.mark.parametrize("gap, sees", [(0.0, False), (0.1, True)])
def test_a_thousand_pieces_between_two_are_no_hardship(gap: float, sees: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    tried = []
    blocked = free_lines._Problem.blocked

    def counted(problem: Any, lines: Any) -> Any:
        tried.append(len(lines.offsets))
        return blocked(problem, lines)

    monkeypatch.setattr(free_lines._Problem, "blocked", counted)
    assert verdict(tiles(gap)).line_of_sight == sees
    assert sum(tried) < 20_000, "of some ten million that touch two corners"


@pytest.mark.parametrize(
    "seeds",
    [pytest.param(range(15), marks=pytest.mark.slow), pytest.param(range(15, 60), marks=pytest.mark.long)],
    ids=str,
)
def test_thinning_out_what_a_line_can_touch_changes_no_answer(monkeypatch: pytest.MonkeyPatch, seeds: range) -> None:
    for seed in seeds:
        for document in (duel(seed), grid_duel(seed)):
            found = []
            for many in (0, 10**9):
                monkeypatch.setattr(free_lines, "MANY_SUPPORTS", many)
                found.append(answers(document))
            assert found[0] == found[1], seed


def test_what_stands_between_is_named_wherever_it_stands_there() -> None:
    tower = {"name": "tower", "size": 5, "polygon": box(150, -90, 160, 90)}
    for bottom in np.linspace(-16, 14, 16).tolist():
        post = {"name": "post", "size": 5, "polygon": box(100, bottom, 105, bottom + 2)}
        assert verdict(scene(tower, post)).in_the_way == ("tower", "post")
        console = {"name": "console", "size": 1, "polygon": box(222.5, -17.5, 257.5, 17.5)}
        asked = scene(tower, post, object=[console], check=[{"attacker": "A", "target": "console"}])
        assert verdict(asked).in_the_way == ("tower", "post")
