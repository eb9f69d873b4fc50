"""Necromunda: every comparison of the rules with a case exactly on its threshold, and one on either side.

Exactly half is built from what is exactly half for any sampling grid that is symmetric about the middle of its picture:
a box that faces the eye at the height of its middle, and a wall whose edge lies in the upright plane, or the level one,
through the eye.
"""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import pytest

from silhouette.files.cache import Cache
from silhouette.measure.observation import OcclusionCounts
from silhouette.renderers import choose
from silhouette.renderers.protocol import Renderer
from silhouette.rules.fields import Blocker
from silhouette.rules.necromunda.judge import VERDICTS, _could_be, _ladder, _ReasonWords, _warnings
from silhouette.rules.necromunda.rule import NECROMUNDA
from silhouette.scenes.scene import Check
from tests.rules.necromunda.test_necromunda import NOWHERE, duel, fighter, judged, table
from tests.support.rulings import ruled

PLAIN = choose()

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
    assert row["occluded"] == 0.5
    assert 2 * row["occluded_pixels"] == pytest.approx(row["target_pixels"], abs=1.0)
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


def counted(total: int, occluded: int, error: float = 0.0, **more: Any) -> OcclusionCounts:
    """Counts of a target that lies wholly in the arc, but for what ``more`` says."""
    given = {"in_arc": total, "occluded_in_arc": occluded, "error_in_arc": error, "error_seen": error, **more}
    return OcclusionCounts(total, occluded, nearest=(), alone=(), error=error, **given)


def ladder(counts: OcclusionCounts, part: int, whole: int) -> tuple[str, str]:
    """The verdict on counts, and the number of its rule."""
    verdict, rule, _ = _ladder(_ReasonWords("Kal", "Vex", None, ["front"], (), ""), counts, part, whole)
    return verdict, rule.number


@pytest.mark.parametrize(
    ("total", "occluded", "expected"),
    [
        (0, 0, ("hidden", "R6")),
        (1000, 0, ("open", "R13")),
        (1000, 1, ("partial cover", "R14")),
        (1000, 499, ("partial cover", "R14")),
        (1000, 500, ("full cover", "R15")),
        (1000, 501, ("full cover", "R15")),
        (1000, 999, ("full cover", "R15")),
        (1000, 1000, ("hidden", "R8")),
        (1001, 500, ("partial cover", "R14")),
        (1001, 501, ("full cover", "R15")),
        (1, 0, ("open", "R13")),
        (2, 1, ("full cover", "R15")),
        (10**18, 5 * 10**17 - 1, ("partial cover", "R14")),
    ],
)
def test_r13_r14_r15_counts_are_compared_as_whole_numbers(total: int, occluded: int, expected: tuple[str, str]) -> None:
    assert ladder(counted(total, occluded), occluded, total) == expected


def test_r6_r8_nothing_in_the_arc_and_nothing_seen_in_it_are_hidden() -> None:
    assert ladder(counted(1000, 0, in_arc=0, occluded_in_arc=0), 0, 1000) == ("hidden", "R6")
    assert ladder(counted(1000, 1, in_arc=1, occluded_in_arc=1), 1, 1000) == ("hidden", "R8")
    assert ladder(counted(1000, 1, in_arc=1, occluded_in_arc=0), 1, 1000) == ("partial cover", "R14")


HIDDEN, OPEN, PARTIAL, FULL = "hidden", "open", "partial cover", "full cover"


@pytest.mark.parametrize(
    ("occluded", "error", "expected"),
    [
        (256, 0.2499, {PARTIAL}),
        (256, 0.25, {OPEN, PARTIAL, FULL}),
        (768, 0.2499, {FULL}),
        (768, 0.25, {FULL, HIDDEN}),
        (768, 0.2501, {PARTIAL, FULL, HIDDEN}),
        (512, 0.0, {FULL}),
        (512, 0.0001, {PARTIAL, FULL}),
        (0, 0.0, {OPEN}),
        (0, 0.0001, {OPEN, PARTIAL}),
        (1024, 0.0, {HIDDEN}),
        (1024, 0.0001, {FULL, HIDDEN}),
    ],
)
def test_r20_what_lies_exactly_within_the_error_counts(occluded: int, error: float, expected: set[str]) -> None:
    """Of 1024 pixels, so that a quarter and a half are exact in floating point as well."""
    counts = counted(1024, occluded, error)
    for in_arc in (False, True):
        found = _could_be(counts, counts, occluded, 1024, in_arc, 0.0)
        assert set(found) == expected
        assert found == tuple(word for word in VERDICTS if word in expected)


def test_r20_of_a_share_in_the_arc_the_error_is_its_own() -> None:
    counts = counted(1024, 512, 0.0, error_in_arc=0.0001, error_seen=0.0)
    assert _could_be(counts, counts, 512, 1024, False, 0.0) == (FULL,)
    assert _could_be(counts, counts, 512, 1024, True, 0.0) == (PARTIAL, FULL)


def test_r20_the_tolerance_does_not_touch_exactly_nothing_and_exactly_all() -> None:
    for occluded, verdict in ((0, OPEN), (1024, HIDDEN)):
        counts = counted(1024, occluded)
        assert _could_be(counts, counts, occluded, 1024, False, 0.1) == (verdict,)
    nothing = counted(0, 0)
    assert _could_be(nothing, nothing, 0, 0, False, 0.1) == (HIDDEN,)


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
        found = halved("right", edge, PLAIN).counts
        share, seen = found.occluded / found.total, found.seen / found.total
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


@pytest.mark.parametrize("arcs, arc", [(["front"], None), (["front", "left"], "front")])
def test_r3_which_arc_it_was_is_said_from_two_arcs_on(arcs: list[str], arc: str | None) -> None:
    """A vehicle whose crew have eyes of their own, one for each arc."""
    eyes = {name: [0, 0, 60] for name in arcs}
    parts = [{"box": [60, 120, 40]}]
    hauler = {"name": "Kal", "at": [0, 0], "facing": 0, "arcs": arcs, "eyes": eyes, "parts": parts}
    found = judged(table(fighters=[fighter("Vex", 300)], vehicles=[hauler]))
    assert (found.verdict, found.arc) == ("open", arc)


def test_only_who_is_nearest_somewhere_is_named_with_a_share() -> None:
    """Who stands wholly behind others would obscure something alone, but is nearest nowhere."""

    def by(*shares: float) -> str:
        blockers = tuple(Blocker(f"B{number}", share, 0.5) for number, share in enumerate(shares))
        return _ReasonWords("Kal", "Vex", None, ["front"], blockers, "").by

    assert by() == ""
    assert by(0.0) == " by B0"
    assert by(0.3, 0.0) == " by B0 (30.0 %)"
    assert by(0.3, 0.2) == " by B0 (30.0 %) and B1 (20.0 %)"
    assert by(0.3, 0.2, 0.1, 0.0) == " by B0 (30.0 %) and B1 (20.0 %) and B2 (10.0 %)"
    assert by(0.3, 0.2, 0.1, 0.05, 0.0) == " by B0 (30.0 %), B1 (20.0 %), B2 (10.0 %) and 1 more"


@pytest.mark.parametrize("measured, told", [(100.0, False), (101.0, False), (101.5, True), (98.5, True), (99.0, False)])
def test_another_pixel_than_the_one_asked_for_is_told_from_one_percent_on(measured: float, told: bool) -> None:
    model = SimpleNamespace(warnings=())
    sight = SimpleNamespace(
        attacker=SimpleNamespace(name="Kal", model=model, eye_from="given", eye_warnings=(), all_warnings=()),
        target=SimpleNamespace(name="Vex", model=model, all_warnings=()),
    )
    counts = counted(0, 0)
    cover: Any = SimpleNamespace(
        pixel=measured, sight=sight, blockers=(), looked_through=(), looked_between=(), counts=counts
    )
    found = _warnings(cover, 100.0, None)
    assert bool(found) is told


def test_r6_of_an_edge_on_target_the_reason_says_that_nothing_can_be_seen() -> None:
    words = _ReasonWords("Kal", "Vex", None, ["front"], (), "")
    assert _ladder(words, counted(0, 0), 0, 0)[2] == "from there Vex is edge-on, nothing of it can be seen: hidden"
