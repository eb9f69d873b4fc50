"""Estimates with proofs: what they prove, the exact measurement finds too, and it is most of what that proves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from silhouette.common.geometry import Floats
from silhouette.measure.estimate import HIDDEN, Estimate
from silhouette.measure.in_shadow import in_shadow
from silhouette.measure.observation import Sight
from silhouette.measure.observe import ObservationRequest, observe_many
from silhouette.renderers import choose
from silhouette.rules import rule_called
from silhouette.rules.necromunda.judge import sight_between
from silhouette.rules.necromunda.scene import NecromundaScene
from tests.support.duels import loaded as duel_of
from tests.support.mapped_tables import gantry_table, loaded

XS, YS = np.arange(-100.0, 140.0, 30.0), np.arange(-80.0, 110.0, 30.0)


def sights(xs: Floats = XS, ys: Floats = YS) -> list[Sight]:
    """Kal's of Vex at places all over the table, behind walls and the container, under the gantry and in the open."""
    document = gantry_table()
    for entry, size in zip(document["terrain"][1:3], ([90.0, 6.0, 60.0], [70.0, 40.0, 60.0]), strict=True):
        entry["parts"] = [{"box": size}]
    scene = loaded(document)
    places = rule_called(scene.rules).places(scene, "Vex")
    found = []
    for x in xs:
        for y in ys:
            there = places.scene_at(np.array([x, y]), 0.0)
            assert isinstance(there, NecromundaScene)
            kal, vex = there.piece("Kal"), there.piece("Vex")
            found.append(sight_between(there, (kal, vex), None, ignored_parts_block=False, friends_block=False))
    return found


def test_what_is_proven_is_so() -> None:
    asked, renderer = sights(), choose()
    looks = Estimate(proves=True)(asked, renderer, 0.1)
    exact = observe_many(asked, renderer, 0.1)
    agree = 0
    for look, one in zip(looks, exact, strict=True):
        if look.decided_by == "proof":
            assert look.counts.seen == 0 or look.counts.occluded == 0
            assert one.counts.seen == 0 or look.counts.seen > 0
            assert one.counts.occluded == 0 or look.counts.occluded > 0
        if one.decided_by == "proof":
            agree += look.decided_by == "proof" or not one.counts.in_arc
    assert agree >= 0.9 * sum(one.decided_by == "proof" for one in exact)
    assert sum(look.decided_by == "proof" and look.counts.seen == 0 for look in looks) > 3


def test_what_is_in_a_shadow_is_hidden() -> None:
    asked = sights()
    dark = in_shadow(asked)
    assert dark.any()
    assert not dark.all()
    exact = observe_many([sight for sight, one in zip(asked, dark, strict=True) if one], choose(), 0.1)
    assert all(one.counts.seen == 0 and one.counts.error_seen == 0.0 for one in exact)
    assert not in_shadow(asked[:3]).any()  # a few are not worth it


@pytest.mark.long
def test_what_is_refuted_is_more_than_nothing_and_a_closer_look_tells_how_much() -> None:
    asked, renderer = sights(np.array([80.0]), np.arange(-80.0, 110.0, 2.0)), choose()
    exact, slivers = observe_many(asked, renderer, 0.1), 0
    for tolerance in (0.0, 0.01):
        looks = Estimate(proves=True)(asked, renderer, 0.1, ObservationRequest(tolerance=tolerance))
        for look, one in zip(looks, exact, strict=True):
            counts, true = look.counts, one.counts
            if counts is HIDDEN:
                continue
            share, error = counts.occluded / counts.total, counts.error
            assert abs(share - true.occluded / true.total) <= error + true.error
            if share > error:
                assert true.occluded
                assert any(counts.alone)
                slivers += share < 0.05
            if tolerance:
                assert error <= 0.005 or abs(share - tolerance) > error
    assert slivers > 3


def parted(*terrain: dict[str, Any]) -> Sight:
    """Kal's sight of Vex, whom an edge of its vision arc parts."""
    kal = {"name": "Kal", "at": [0, 0], "facing": 0, "parts": [{"box": [4, 4, 30]}], "eye": [0, 0, 25]}
    vex = {"name": "Vex", "at": [150, 150], "facing": 0, "parts": [{"box": [40, 10, 40]}], "eye": [0, 0, 30]}
    scene = duel_of({"rules": "necromunda", "terrain": [*terrain], "fighter": [kal, vex]})
    kal_there, vex_there = scene.piece("Kal"), scene.piece("Vex")
    return sight_between(scene, (kal_there, vex_there), None, ignored_parts_block=False, friends_block=False)


def test_a_target_hidden_within_the_arc_keeps_the_error_of_what_is_obscured_of_all_of_it() -> None:
    wall = {"name": "wall", "at": [100, 80, 0], "parts": [{"box": [46, 3, 80]}]}
    asked, renderer = [parted(wall)], choose()
    (look,) = Estimate(proves=True)(asked, renderer, 0.1)
    (exact,) = observe_many(asked, renderer, 0.1)
    assert (look.decided_by, look.counts.seen, look.counts.error_in_arc) == ("proof", 0, 0.0)
    assert 0 < look.counts.in_arc < look.counts.total
    off = abs(look.counts.occluded / look.counts.total - exact.counts.occluded / exact.counts.total)
    assert off <= look.counts.error + exact.counts.error


@pytest.mark.parametrize("pixel", [0.4, 1.0])
def test_a_target_proven_to_be_in_the_open_keeps_the_error_of_what_is_seen_where_an_arc_parts_it(pixel: float) -> None:
    """Through the frame all of it shows; how much of it the arc takes in is counted, not proven."""
    sides = [{"box": [2, 60, 3]}, {"box": [2, 60, 10], "at": [0, 0, 50]}]
    sides += [{"box": [2, 4, 60], "at": [0, y, 0]} for y in (30, -30)]
    asked, renderer = [parted({"name": "frame", "at": [75, 75, 0], "turn": 45, "parts": sides})], choose()
    (rough,), (fine,) = (observe_many(asked, renderer, each) for each in (pixel, 0.05))
    assert (rough.decided_by, rough.counts.occluded, rough.counts.error) == ("proof", 0, 0.0)
    off = abs(rough.counts.seen / rough.counts.total - fine.counts.seen / fine.counts.total)
    assert off <= rough.counts.error_seen + fine.counts.error_seen


def test_what_obscures_some_of_a_target_outside_the_arc_is_not_told_of_what_lies_in_it() -> None:
    """A needle, which few rays miss, and proofs do not, before the part that no arc takes in."""
    needle = {"name": "needle", "at": [69, 75, 0], "parts": [{"box": [0.05, 0.05, 90]}]}
    (look,) = Estimate(proves=True)([parted(needle)], choose(), 0.1)
    counts = look.counts
    assert 0 < counts.in_arc < counts.total
    assert 0 < counts.occluded / counts.total < 0.1
    assert counts.occluded_in_arc / counts.in_arc <= counts.error_in_arc
