"""Necromunda: every comparison of the rules with a case exactly on its threshold, and one on either side.

Exactly half is built from what is exactly half for any sampling grid that is symmetric about the middle of its picture:
a box that faces the eye at the height of its middle, and a wall whose edge lies in the upright plane, or the level one,
through the eye.
"""

from __future__ import annotations

import math
from typing import Any

import pytest

from silhouette.files.cache import Cache
from silhouette.renderers.protocol import Renderer
from silhouette.renderers.reference import ReferenceRenderer
from silhouette.rules.necromunda.rule import NECROMUNDA
from silhouette.scenes.scene import Check
from tests.rules.necromunda.test_necromunda import NOWHERE, duel, fighter, judged, table
from tests.support.rulings import ruled

PLAIN = ReferenceRenderer()

EYE = 18.0
"""mm; the height of the eye, and of the middle of the target."""

WALLS = {
    "left": lambda edge: {"at": [150, 100 - edge, 0], "parts": [{"box": [2, 200, 80]}]},
    "right": lambda edge: {"at": [150, -100 + edge, 0], "parts": [{"box": [2, 200, 80]}]},
    "below": lambda edge: {"at": [150, 0, 0], "parts": [{"box": [2, 200, EYE + edge]}]},
    "above": lambda edge: {"at": [150, 0, EYE - edge], "parts": [{"box": [2, 200, 80]}]},
}
"""By the half of the picture that it hides: a wall whose edge lies so many mm past the eye's plane."""


def halved(half: str, edge: float, renderer: Renderer, pixel: float = 0.5, **top: Any) -> Any:
    """The verdict on a box of which a wall hides half, and a little more or less where ``edge`` is not 0."""
    kal = fighter("Kal", 0, facing=0, eye=[0, 0, EYE])
    vex = {"name": "Vex", "at": [300, 0, 0], "gang": "Vex", "parts": [{"box": [10, 20, 30], "at": [0, 0, 3]}]}
    document = table({"name": "wall", **WALLS[half](edge)}, fighters=[kal, vex], **top)
    scene = NECROMUNDA.load(NOWHERE, document, Cache(None))
    return ruled(NECROMUNDA, scene, Check("Kal", "Vex"), renderer, pixel)


@pytest.mark.parametrize("pixel", [0.2, 0.5, 1.0])
@pytest.mark.parametrize("half", list(WALLS))
def test_r15_exactly_half_is_full_cover(half: str, pixel: float, renderer: Renderer) -> None:
    row = halved(half, 0.0, renderer, pixel).row()
    assert 2 * row["occluded_pixels"] == row["target_pixels"] > 0
    assert row["occluded"] == 0.5
    assert (row["verdict"], row["rule_number"]) == ("full cover", "R15")
    assert row["could_be"] == ["partial cover", "full cover"], "a hair either way is within the error"


@pytest.mark.parametrize("edge, expected", [(-0.2, ("partial cover", "R14")), (0.2, ("full cover", "R15"))])
@pytest.mark.parametrize("half", list(WALLS))
def test_r14_r15_a_little_less_than_half_is_partial_and_a_little_more_is_full_cover(
    half: str, edge: float, expected: tuple[str, str], renderer: Renderer
) -> None:
    row = halved(half, edge, renderer).row()
    assert (row["verdict"], row["rule_number"]) == expected
    assert 0.0 < abs(row["occluded"] - 0.5) < 0.1
    assert row["could_be"] == [expected[0]]


@pytest.mark.parametrize(
    ("height", "verdict", "rule"),
    [(2.0, "open", "R13"), (6.0, "partial cover", "R14"), (40.0, "hidden", "R8")],
)
def test_r13_r8_nothing_obscured_is_open_and_nothing_seen_is_hidden(height: float, verdict: str, rule: str) -> None:
    """A kerb before the base, on the target's side, hides nothing of the body; one a little higher hides a little."""
    found = duel({"name": "kerb", "at": [294, 0, 0], "parts": [{"box": [2, 400, height]}]})
    assert (found.verdict, found.rule.number) == (verdict, rule)


def within(edge: float, tolerance: float) -> tuple[str, ...]:
    """What the verdict could be with a tolerance, in a scene where nothing else changes with that."""
    plain, found = (halved("right", edge, PLAIN, tolerance=each) for each in (0.0, tolerance))
    assert (plain.counts.occluded, plain.counts.seen) == (found.counts.occluded, found.counts.seen)
    assert plain.verdict == found.verdict
    return tuple(found.could_be)


def test_r20_a_share_exactly_a_tolerance_from_half_or_from_nothing_or_from_all() -> None:
    """What lies exactly on a bound counts: half is full cover, nothing is open, and nothing seen is hidden."""
    for edge, surely, perhaps, on_the_bound in (
        (0.5, ("full cover",), ("partial cover", "full cover"), False),
        (-0.5, ("partial cover",), ("partial cover", "full cover"), True),
        (-4.5, ("partial cover",), ("open", "partial cover"), True),
        (4.5, ("full cover",), ("full cover", "hidden"), True),
    ):
        counts = halved("right", edge, PLAIN).counts
        share, seen = counts.occluded / counts.total, counts.seen / counts.total
        exactly = {0.5: share - 0.5, -0.5: 0.5 - share, -4.5: share, 4.5: seen}[edge]
        assert 0.01 < exactly < 0.1
        assert within(edge, math.nextafter(exactly, 0.0) - 1e-12) == surely
        assert within(edge, exactly) == (perhaps if on_the_bound else surely)
        assert within(edge, exactly + 1e-12) == perhaps


@pytest.mark.parametrize("off, sees", [(44.0, True), (46.0, False)])
def test_r1_a_thin_target_straight_ahead_is_seen_up_to_45_degrees_off_the_facing(off: float, sees: bool) -> None:
    needle = {"name": "Vex", "at": [300, 0, 0], "gang": "Vex", "parts": [{"box": [2, 2, 30]}]}
    found = judged(table(fighters=[fighter("Kal", 0, facing=off), needle]))
    assert found.line_of_sight is sees


def test_r1_of_a_target_across_the_edge_of_the_arc_exactly_half_is_in_it() -> None:
    """The plane of the arc's edge halves the target, which is seen from the arc's own apex."""
    kal = fighter("Kal", 0, facing=45, eye=[0, 0, EYE])
    vex = {"name": "Vex", "at": [300, 0, 0], "gang": "Vex", "parts": [{"box": [10, 20, 30], "at": [0, 0, 3]}]}
    found = judged(table(fighters=[kal, vex]), pixel=0.5)
    assert (found.verdict, found.counts.occluded) == ("open", 0)
    assert 2 * found.counts.in_arc == found.counts.total


@pytest.mark.parametrize("gap, disregarded", [(0.9, True), (1.0, True), (1.1, False)])
def test_r17_bases_up_to_1_mm_apart_are_in_contact(gap: float, disregarded: bool) -> None:
    """A friend stands before the attacker; its base and the attacker's, both of 25 mm, are that far apart."""
    friend = fighter("Ork", 25 + gap, gang="Kal")
    found = judged(table(fighters=[fighter("Kal", 0, facing=0), friend, fighter("Vex", 300)]))
    assert (found.verdict == "open") is disregarded
