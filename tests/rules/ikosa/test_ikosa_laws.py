"""Ikosa against its brute force, and the laws that no scene breaks."""

from __future__ import annotations

import copy
from itertools import permutations, product
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from silhouette.files.cache import Cache
from silhouette.renderers.reference import ReferenceRenderer
from silhouette.rules.ikosa.cell_lines import CellBox, Solids, point_of
from silhouette.rules.ikosa.rule import IKOSA
from tests.support.ikosa_by_brute_force import answer, box, number, random_document
from tests.support.rulings import ruled

Document = dict[str, Any]

SEEDS = range(2000)
AXES = "xyz"
WORDS = ("rule", "reason", "rule_number", "attacker", "target", "rules")

seeds = st.integers(0, 2**32 - 1)
laws = settings(max_examples=120, derandomize=True)


def row_of(document: Document) -> dict[str, Any]:
    scene = IKOSA.load(Path("cells.json"), document, Cache(None))
    row = ruled(IKOSA, scene, scene.checks[0], ReferenceRenderer(), 0.1).row()
    return {key: value for key, value in row.items() if key not in WORDS}


@pytest.mark.long
@pytest.mark.parametrize(
    "seeds",
    [pytest.param(SEEDS[::4]), pytest.param(SEEDS)],
    ids=str,
)
def test_as_the_brute_force_on_random_scenes(seeds: range) -> None:
    different, found = [], set()
    for seed in seeds:
        document = random_document(Random(seed))
        wanted, row = answer(document), row_of(document)
        found.add((document["mode"], row["verdict"], row["gravity_face_excluded"]))
        if any(row[key] != value for key, value in wanted.items()):
            different.append(seed)
    assert not different
    assert len(found) == 9, "every verdict, with and without the gravity face in melee"


# ---- symmetry


class Motion:
    """One of the 48 symmetries of the cube, then a shift by whole cells."""

    def __init__(self, order: tuple[int, ...], signs: tuple[int, ...], shift: tuple[int, ...] = (0, 0, 0)) -> None:
        self.order, self.signs, self.shift = order, signs, shift

    def cell(self, cell: list[int]) -> list[int]:
        """Where a cell comes to lie: of a mirrored one the other end is the least corner."""
        moved = [cell[axis] if sign > 0 else -cell[axis] - 1 for axis, sign in zip(self.order, self.signs, strict=True)]
        return [value + by for value, by in zip(moved, self.shift, strict=True)]

    def point(self, point: list[Any]) -> list[Any]:
        moved = [sign * number(point[axis]) for axis, sign in zip(self.order, self.signs, strict=True)]
        return [str(value + by) for value, by in zip(moved, self.shift, strict=True)]

    def box(self, box: list[list[Any]]) -> list[list[Any]]:
        ends = [sorted(pair, key=number) for pair in zip(*map(self.point, box), strict=True)]
        return [[low for low, _ in ends], [high for _, high in ends]]

    def gravity(self, gravity: str) -> str:
        axis = self.order.index(AXES.index(gravity[1]))
        sign = self.signs[axis] * (1 if gravity[0] == "+" else -1)
        return f"{'+' if sign > 0 else '-'}{AXES[axis]}"

    def __call__(self, document: Document) -> Document:
        moved = copy.deepcopy(document)
        moved["solid_cells"] = [self.cell(cell) for cell in document["solid_cells"]]
        moved["boxes"] = [self.box(box) for box in document["boxes"]]
        for creature in moved["creature"]:
            creature["cells"] = [self.cell(cell) for cell in creature["cells"]]
            creature["gravity"] = self.gravity(creature.get("gravity", "-z"))
        for check in moved["check"]:
            if isinstance(check.get("source_point"), list):
                check["source_point"] = self.point(check["source_point"])
        return moved


SYMMETRIES = [Motion(*each) for each in product(permutations(range(3)), product((1, -1), repeat=3))]


@pytest.mark.parametrize("seed", [*range(7), 62])
def test_all_48_symmetries_of_the_cube_change_nothing(seed: int) -> None:
    document = random_document(Random(seed))
    wanted = row_of(document)
    assert len(SYMMETRIES) == 48
    assert all(row_of(motion(document)) == wanted for motion in SYMMETRIES)


@pytest.mark.long
@laws
@given(seeds, st.sampled_from(SYMMETRIES), st.tuples(*[st.integers(-999_990, 999_990)] * 3))
def test_moving_everything_changes_nothing(seed: int, turn: Motion, shift: tuple[int, ...]) -> None:
    document = random_document(Random(seed))
    assert row_of(Motion(turn.order, turn.signs, shift)(document)) == row_of(document)


# ---- terrain


@pytest.mark.long
@laws
@given(seeds)
def test_more_terrain_never_removes_cover_from_a_ranged_attack_nor_opens_a_line(seed: int) -> None:
    random = Random(seed)
    document = random_document(random) | {"mode": "ranged"}
    before = row_of(document)
    more = document["boxes"] + [box(random, document["creature"][0]["cells"][0], [1, 2, -1])]
    after = row_of(document | {"boxes": more})
    assert after["cover"] >= before["cover"]
    assert after["line_of_effect"] <= before["line_of_effect"]
    if "best corner" not in str(document["check"]) and len(document["creature"][0]["cells"]) == 1:
        assert after["blocked"] >= before["blocked"]


@pytest.mark.slow
@laws
@given(seeds)
def test_order_does_not_matter(seed: int) -> None:
    random = Random(seed)
    document = random_document(random)
    wanted = row_of(document)
    for listed in (document["solid_cells"], document["boxes"], *(one["cells"] for one in document["creature"])):
        random.shuffle(listed)
    document["creature"].reverse()
    assert row_of(document) == wanted


@laws
@given(seeds)
def test_a_solid_cell_is_the_same_as_its_box(seed: int) -> None:
    document = random_document(Random(seed))
    cells = [[cell, [value + 1 for value in cell]] for cell in document["solid_cells"]]
    assert row_of(document | {"solid_cells": [], "boxes": document["boxes"] + cells}) == row_of(document)


@pytest.mark.long
@laws
@given(seeds, st.integers(1, 11), st.integers(0, 2))
def test_a_box_is_the_same_as_its_two_halves(seed: int, part: int, axis: int) -> None:
    document = random_document(Random(seed))
    halves = []
    for low, high in document["boxes"]:
        cut = number(low[axis]) + (number(high[axis]) - number(low[axis])) * part / 12
        middle_high, middle_low = list(high), list(low)
        middle_high[axis] = middle_low[axis] = str(cut)
        halves += [[low, middle_high], [middle_low, high]]
    assert row_of(document | {"boxes": halves}) == row_of(document)


@pytest.mark.long
@laws
@given(seeds)
def test_terrain_that_no_line_comes_near_changes_nothing_however_fine_its_numbers(seed: int) -> None:
    document = random_document(Random(seed))
    far = [["100", "100", "300000000000000001/3000000000000000"], ["200.12345678901234567", "101", 1e5]]
    assert row_of(document | {"boxes": [*document["boxes"], far]}) == row_of(document)


@pytest.mark.long
@laws
@given(seeds)
def test_level_melee_is_the_same_both_ways(seed: int) -> None:
    document = random_document(Random(seed)) | {"mode": "melee"}
    document["check"] = [{"attacker": "ogre", "target": "goblin"}]
    for creature in document["creature"]:
        creature.update(flying=True, cells=creature["cells"][:1])
    row = row_of(document)
    document["check"] = [{"attacker": "goblin", "target": "ogre"}]
    if row["source_points"] != 1:
        assert row_of(document) == row


# ---- lines among boxes


def test_a_sliver_between_two_boxes_leaves_the_line_free_and_no_sliver_does_not() -> None:
    line = [point_of(0, 0, 0)], [point_of(4, 4, 0)]
    thin = number("1e-30")
    for gap in (thin, number(0)):
        left = CellBox(point_of(1, -9, -9), point_of(2, 9, -gap))
        right = CellBox(point_of(1, -9, gap), point_of(2, 9, 9))
        assert Solids([left, right]).crossings(*line).hindered.tolist() == [[gap == 0]]


def test_a_box_that_a_line_passes_at_a_corner_only_is_touched() -> None:
    corner = CellBox(point_of(1, 1, 0), point_of(2, 2, 1))
    assert not Solids([corner]).crossings([point_of(0, 2, 0)], [point_of(2, 0, 1)]).hindered.any()
    nearer = CellBox(point_of(1 - number("1e-30"), 1, 0), point_of(2, 2, 1))
    assert Solids([nearer]).crossings([point_of(0, 2, 0)], [point_of(2, 0, 1)]).hindered.all()


def test_a_line_without_length_is_hindered_only_inside() -> None:
    cube = Solids([CellBox.of_cell((0, 0, 0))])
    places = {point_of(0, 0, 0): False, point_of(1, 0, number("1/2")): False, point_of(*[number("1/2")] * 3): True}
    assert {place: cube.crossings([place], [place]).hindered.item() for place in places} == places
    eight = Solids([CellBox.of_cell((i, j, k)) for i in (-1, 0) for j in (-1, 0) for k in (-1, 0)])
    hindered, boxes = eight.crossings([point_of(0, 0, 0)], [point_of(0, 0, 0)])
    assert (hindered.item(), boxes) == (True, tuple(range(8)))
