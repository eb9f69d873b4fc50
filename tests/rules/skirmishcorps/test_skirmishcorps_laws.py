"""SkirmishCorps: what holds in every scene, and the rules against a second implementation by brute force."""

from __future__ import annotations

import copy
import math
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from silhouette.files.cache import Cache
from silhouette.rules.skirmishcorps.classes import CLASSES, PENALTIES, cover_class
from silhouette.rules.skirmishcorps.rule import SKIRMISHCORPS
from tests.support import skirmishcorps_by_brute_force as brute
from tests.support.rulings import ruled
from tests.support.skirmishcorps_scenes import Document, document_across_a_wall, quick, random_document

SEEDS = st.integers(0, 2**32 - 1)
NEAR = 0.02
"""mm; where a length is nearer than this to changing something, nothing is compared."""


def rows(document: Document, pixel: float = 0.2) -> list[dict[str, Any]]:
    scene = SKIRMISHCORPS.load(Path("table.toml"), document, Cache(None))
    return [ruled(SKIRMISHCORPS, scene, check, quick(), pixel).row() for check in scene.checks]


def moved(document: Document, turn: float, by: tuple[float, float, float]) -> Document:
    """The scene, turned about the origin and then moved."""
    turned = copy.deepcopy(document)
    cosine, sine = math.cos(math.radians(turn)), math.sin(math.radians(turn))
    for piece in (*turned["unit"], *turned["cover"]):
        x, y, z = piece["at"]
        piece["at"] = [cosine * x - sine * y + by[0], sine * x + cosine * y + by[1], z + by[2]]
    for unit in turned["unit"]:
        unit["lies_along"] = unit.get("lies_along", 0.0) + turn
    for cover in turned["cover"]:
        cover["turn"] += turn
    return turned


AIM = 1e-3  # by which a share may change as the target turns: the picture's middle moves by a hair


def scene_of(seed: int, ask: str | None = None) -> Document:
    document = random_document(np.random.default_rng(seed))
    if ask is not None:
        document["check"] = [{"ask": ask, "attacker": "A", "target": "T"}]
    return document


@pytest.mark.slow
@settings(max_examples=40)
@given(seed=SEEDS, turn=st.floats(-360, 360), x=st.floats(-500, 500), z=st.floats(-50, 200))
def test_moving_and_turning_everything_together_changes_no_verdict(seed: int, turn: float, x: float, z: float) -> None:
    """Assumed is that no length lies within `NEAR` of a threshold, where rounding could decide."""
    document = scene_of(seed)
    assume(brute.protection(document, *document["unit"], across=20).geometry_margin >= NEAR)
    assume(brute.close_combat(document, *document["unit"])[1] >= NEAR)
    document["check"].append({"ask": "flanked", "attacker": "A", "target": "T"})
    for before, after in zip(rows(document), rows(moved(document, turn, (x, -x / 2, z))), strict=True):
        if not (before.get("marginal") or after.get("marginal")):
            assert before["verdict"] == after["verdict"]
            assert before.get("modifier") == after.get("modifier")
        if "occluded" in before:
            # A picture is taken straight at the middle of the target's box along the world's axes.
            assert abs(before["occluded"] - after["occluded"]) <= before["error"] + after["error"] + AIM


@pytest.mark.long
@settings(max_examples=40)
@given(seed=SEEDS)
def test_another_piece_of_cover_never_raises_what_is_seen(seed: int) -> None:
    """But one at the attacker itself may, since it stands up to look over that (A9): a piece elsewhere is assumed."""
    document = scene_of(seed)
    attacker = document["unit"][0]
    added = next((piece for piece in document["cover"] if brute.gap(attacker, piece) > 0.6), None)
    assume(added is not None)
    without = {**document, "cover": [piece for piece in document["cover"] if piece is not added]}
    more, less = rows(document)[0], rows(without)[0]
    assert more["occluded"] >= less["occluded"] - more["error"] - less["error"]
    assert less["line_of_sight"] or not more["line_of_sight"] or more["marginal"] or less["marginal"]


@pytest.mark.long
@settings(max_examples=40)
@given(seed=SEEDS, order=st.permutations(range(4)))
def test_the_order_of_pieces_does_not_matter(seed: int, order: list[int]) -> None:
    """But for which of two equal pieces is named."""
    document = scene_of(seed)
    shuffled = copy.deepcopy(document)
    shuffled["cover"] = [document["cover"][k] for k in order if k < len(document["cover"])]
    shuffled["unit"].reverse()
    before, after = rows(document)[0], rows(shuffled)[0]
    for key in ("verdict", "line_of_sight", "cover", "modifier", "occluded", "marginal"):
        assert before[key] == after[key]
    assert sorted(before["in_contact_with"]) == sorted(after["in_contact_with"])


@settings(max_examples=30)
@given(seed=SEEDS)
def test_close_combat_is_mutual(seed: int) -> None:
    document = document_across_a_wall(np.random.default_rng(seed))
    document["check"].append({"ask": "close combat", "attacker": "T", "target": "A"})
    one, other = rows(document)
    assert one["possible"] == other["possible"]


def test_penalties_never_shrink_with_the_class() -> None:
    for posture in ("standing", "prone"):
        row = [PENALTIES[posture][kind] for kind in CLASSES]
        assert row == sorted(row, reverse=True)


@given(unit=st.floats(0.5, 100), heights=st.tuples(st.floats(0, 100), st.floats(0, 100)))
def test_a_higher_piece_is_never_of_a_lesser_class(unit: float, heights: tuple[float, float]) -> None:
    low, high = sorted(heights)
    assert CLASSES.index(cover_class(low, unit)) <= CLASSES.index(cover_class(high, unit))


def test_the_classes_are_those_of_fractions_in_whole_numbers() -> None:
    for rise, unit in product(range(60), range(1, 40)):
        reached = [4 * rise >= unit, 4 * rise >= 2 * unit, 4 * rise >= 3 * unit, rise > unit]
        assert CLASSES.index(cover_class(float(rise), float(unit))) == sum(reached)


@pytest.mark.long
@pytest.mark.parametrize(
    "seeds",
    [pytest.param(range(40)), pytest.param(range(40, 400))],
    ids=str,
)
def test_measured_protection_is_that_of_rays_against_boxes(seeds: range) -> None:
    compared = 0
    for seed in seeds:
        document = scene_of(seed, "protection")
        expected = brute.protection(document, *document["unit"], across=100, seed=seed)
        if expected.geometry_margin < NEAR:
            continue
        (row,) = rows(document, 0.1)
        about = row["error"] + 0.006  # the rays' own error
        assert abs(row["occluded"] - expected.occluded) <= about, seed
        alone = {one["name"]: one["alone"] for one in row["blockers"]}
        for name in alone.keys() | expected.alone.keys():
            assert abs(alone.get(name, 0.0) - expected.alone.get(name, 0.0)) <= about, (seed, name)
        assert row["in_contact_with"] == expected.in_contact_with, seed
        if expected.margin < 0.01 or row["marginal"]:
            continue
        if row["line_of_sight"] != expected.line_of_sight:  # a sliver that so few rays may miss
            expected = brute.protection(document, *document["unit"], across=400, seed=seed)
        compared += 1
        for key in ("line_of_sight", "cover", "protected_by", "modifier"):
            assert row[key] == getattr(expected, key), (seed, key)
    assert compared > 0.75 * len(seeds)


@pytest.mark.parametrize(
    "seeds",
    [pytest.param(range(150), marks=pytest.mark.slow), pytest.param(range(150, 2000), marks=pytest.mark.long)],
    ids=str,
)
def test_close_combat_is_that_of_points_along_outlines(seeds: range) -> None:
    outcomes = []
    for seed in seeds:
        document = document_across_a_wall(np.random.default_rng(seed))
        possible, margin = brute.close_combat(document, *document["unit"])
        if margin >= NEAR:
            (row,) = rows(document)
            assert row["possible"] == possible, seed
            outcomes.append(possible)
    assert len(outcomes) > 0.75 * len(seeds)
    assert 0.05 * len(seeds) < sum(outcomes) < len(outcomes) - 0.05 * len(seeds)


@pytest.mark.long
@pytest.mark.parametrize(
    "seeds",
    [pytest.param(range(0, 120, 10)), pytest.param(range(120))],
    ids=str,
)
def test_flanking_is_that_of_rays_at_every_landing(seeds: range) -> None:
    outcomes = []
    for seed in seeds:
        document = scene_of(seed, "flanked")
        attacker, target = document["unit"]
        if not any(brute.touches(target, piece) for piece in document["cover"]):
            continue
        flanked, margin = brute.flanked(document, attacker, target, across=40)
        (row,) = rows(document)
        if margin >= 0.02 and not row["marginal"]:
            assert row["flanked"] == flanked, seed
            outcomes.append(flanked)
    assert sum(outcomes) >= len(seeds) / 24
    assert len(outcomes) - sum(outcomes) >= len(seeds) / 24


@pytest.mark.long
@pytest.mark.parametrize("pixel", [0.05, 0.5])
def test_the_share_holds_within_its_error_at_other_pixels(pixel: float) -> None:
    for seed in range(20):
        document = scene_of(seed, "protection")
        (fine,), (other,) = rows(document, 0.05), rows(document, pixel)
        assert abs(fine["occluded"] - other["occluded"]) <= fine["error"] + other["error"], seed
