"""Claims that nothing is seen, or nothing obscured: proven, refuted, or an error; whatever the arcs are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
import shapely
from numpy.typing import NDArray

from silhouette.common.geometry import cosine_and_sine
from silhouette.measure.claims import Claim, claim_of
from silhouette.measure.observation import SEEN
from silhouette.measure.observe import Wanted, observe
from silhouette.measure.sampling import Picture
from silhouette.meshes.bounds import bounding_points
from silhouette.meshes.mesh import Mesh
from silhouette.renderers.embree import EmbreeRenderer
from silhouette.renderers.protocol import Body, Cast
from silhouette.renderers.views import VisionArc, fighter_arc, fit_view
from tests.conftest import started
from tests.support import shapes
from tests.support.hard_sights import case
from tests.support.measured_shares import EYE, FRONT, HERE
from tests.support.sight_cases import Case, Screen, disc, rectangle


@pytest.mark.thinned(quick=63)
@pytest.mark.parametrize("kind", ["pinholes", "slits", "drilled", "dust"])
def test_an_attacker_without_an_arc_has_a_true_share_too(kind: str) -> None:
    """The target is hidden whatever stands before it, and yet the share obscured is within its error."""
    for number in range(5):
        one = case(kind, number)
        counts = observe(replace(one.sight, arcs=()), started("embree"), one.pixel).counts
        assert (counts.seen, counts.in_arc, counts.error_seen) == (0, 0, 0.0)
        assert abs(counts.occluded / counts.total - one.exact().occluded) <= counts.error + 1e-9


@pytest.mark.long
def test_what_is_proven_says_so() -> None:
    """A slit in what hides is found, however fine; a wall without one is a proof; half a wall is counted."""
    embree = started("embree")
    decided = {
        kind: {observe(case(kind, number).sight, embree, 0.1).decided_by for number in range(6)}
        for kind in ("seams", "slits", "combs")
    }
    assert "proof" in decided["seams"]
    assert decided["combs"] == {"count"}
    assert "count" in decided["slits"]


@pytest.mark.parametrize("at", [(-3.0, 9.0), (4.2, -11.0)])
def test_a_hole_smaller_than_a_pixel_is_shown_where_it_is(at: tuple[float, float]) -> None:
    """The one pixel that is seen in the picture is the one in which the hole lies."""
    screen = Screen.before(FRONT, EYE, 0.5)
    middle = screen.outline(FRONT).reshape(2, 2).mean(axis=0)
    hole = middle + at
    wall = screen.draw(shapely.difference(rectangle(middle, 60.0, 60.0), disc(hole, 0.02)))
    found = observe(Case(FRONT, (wall,), EYE).sight, started("embree"), 0.1, Wanted(keep=True))
    assert found.counts.seen == 1
    (mask,) = found.masks
    ((row, column),) = np.argwhere(mask.kinds == SEEN)
    columns, rows, _ = mask.view.project(screen.place(hole[None]))
    assert (row, column) == (int(rows[0]), int(columns[0]))


class Counting(EmbreeRenderer):
    """Counts the rays at targets."""

    asked = 0

    def depths(self, casts: Sequence[Cast]) -> NDArray[np.float32]:
        self.asked += sum(len(cast.places) for cast in casts if cast.body.id == 1)
        return super().depths(casts)


def hair_before(apart: float, side: float) -> tuple[Claim, int]:
    """The claim that a square nearer by a share of the distance obscures nothing, and the rays that it took."""
    half = side / 2
    target, blocker = (
        shapes.box((x, -half, 25 - half), (x + 1, half, 25 + half)) for x in (1000.0, 1000.0 * (1 - apart))
    )
    (view,) = fit_view(EYE, target.bounds.mean(axis=0), target.vertices, 0.1)
    bodies = [Body(number, one, HERE) for number, one in enumerate((target, blocker), 1)]
    started("embree")
    renderer = Counting()
    return claim_of([Picture(view, bodies[0], bodies[1:], None)], "open", renderer), renderer.asked


@pytest.mark.parametrize(("apart", "is_refuted"), [(0.6e-6, False), (1.7e-6, True)])
def test_surfaces_that_a_ray_cannot_tell_apart_refute_nothing(apart: float, is_refuted: bool) -> None:
    """Float32 tells depths apart by a millionth: what is nearer by less leaves a doubt, what is by more refutes."""
    claim, _ = hair_before(apart, 2.0)
    assert claim.unproven > 0.0
    assert claim.is_refuted == is_refuted


@pytest.mark.parametrize(("side", "least", "most"), [(2.0, 6_000, 30_000), (20.0, 140_000, 210_000)])
def test_what_is_not_proven_is_searched_by_rays(side: float, least: int, most: int) -> None:
    """By sixteen in each pixel, and no more than a hundred thousand; each that meets something else is cast again."""
    claim, asked = hair_before(0.6e-6, side)
    assert claim.unproven >= (side / 0.1) ** 2 * 0.99
    assert least <= asked <= most
    assert 15 * min(claim.unproven, 100_000 / 16) <= asked <= 33 * claim.unproven


@pytest.mark.thinned(quick=48)
@pytest.mark.parametrize("row", [-1.0, 0.0, 1.0])
def test_more_than_one_part_of_what_is_not_proven_is_searched(row: float) -> None:
    """Also where there is more of it than rays: two pixels that are clearly obscured are met there."""
    side, place = 20.0, 25.0 + 9.5 * row
    hair = shapes.box((1000 * (1 - 0.6e-6), -10, 15), (1001, 10, 35))
    bit = shapes.box((900, -0.1, 25 + 0.9 * (place - 25.1)), (901, 0.1, 25 + 0.9 * (place - 24.9)))
    target = shapes.box((1000, -side / 2, 15), (1001, side / 2, 35))
    (view,) = fit_view(EYE, target.bounds.mean(axis=0), target.vertices, 0.1)
    for blocker, is_refuted in ((hair, False), (shapes.joined(hair, bit), True)):
        picture = Picture(view, Body(1, target, HERE), [Body(2, blocker, HERE)], None)
        assert claim_of([picture], "open", started("embree")).is_refuted == is_refuted


BEHIND = fighter_arc((0.0, 0.0), facing=180.0)
BALLS = [shapes.moved(shapes.sphere(10.0, *fineness), (310.0, 0.0, 18.0)) for fineness in ((16, 9), (20, 11))]
"""Of 256 faces, and of 400: of more than 200 some are looked at first."""


def claim_in_arcs(target: Mesh, blocker: Mesh, arcs: Sequence[VisionArc], eye: object = EYE) -> Claim:
    """The claim that nothing of a target is seen in arcs."""
    views = fit_view(eye, target.bounds.mean(axis=0), bounding_points(target), 0.2)
    bodies = [Body(number, one, HERE) for number, one in enumerate((target, blocker), 1)]
    return claim_of([Picture(view, bodies[0], bodies[1:], arcs) for view in views], "hidden", started("embree"))


@pytest.mark.thinned(quick=63)
@pytest.mark.parametrize("height", [25.0, 400.0])
@pytest.mark.parametrize("side", [1.0, -1.0])
@pytest.mark.parametrize("target", [FRONT, *BALLS])
def test_only_what_lies_in_an_arc_need_be_covered(target: Mesh, side: float, height: float) -> None:
    """A wall up to a place a little beyond the edge of the arc, and up to one within it."""
    arcs = [BEHIND, fighter_arc((0.0, 0.0), facing=45.0 * side)]  # the edge goes along y = 0
    eye = (0.0, 0.0, height)
    for beyond, is_hidden in ((1.5, True), (-0.05, False), (-3.0, False)):
        low, high = sorted((-beyond * side, 90.0 * side))
        claim = claim_in_arcs(target, shapes.box((270, low, -500), (272, high, 500)), arcs, eye)
        assert (claim.unproven == 0.0) == is_hidden
        assert claim.is_refuted != is_hidden


@pytest.mark.parametrize("beyond", [0.1, 0.25, 2.0])
def test_what_lies_in_no_arc_is_not_looked_into(beyond: float) -> None:
    """Half of a wide target, with nothing before it: else it would take all of the cells that are looked into."""
    target = shapes.box((300, -20, 0), (310, 20, 40))
    wall = shapes.box((150, -beyond, -500), (152, 60, 500))
    assert claim_in_arcs(target, wall, [fighter_arc((0.0, 0.0), facing=45.0)]).unproven == 0.0


@pytest.mark.parametrize(("side", "is_in_the_arc"), [(1.0, True), (-1.0, False)])
def test_a_hole_counts_where_it_is_in_an_arc(side: float, is_in_the_arc: bool) -> None:
    """One of a twentieth of a pixel, which single rays through pixels do not meet."""
    y, z, size = 3.217 * side, 14.613, 0.01
    walls = [
        shapes.quad((146, low_y, low_z), (146, high_y, low_z), (146, high_y, high_z), (146, low_y, high_z))
        for low_y, high_y, low_z, high_z in (
            (-90, y, -200, 200),
            (y + size, 90, -200, 200),
            (y, y + size, -200, z),
            (y, y + size, z + size, 200),
        )
    ]
    claim = claim_in_arcs(FRONT, shapes.joined(*walls), [fighter_arc((0.0, 0.0), facing=45.0)])
    assert (claim.unproven > 0.0) == is_in_the_arc


@pytest.mark.thinned(quick=34, ci=60)
@pytest.mark.parametrize("facing", [10.0, 100.0, 190.0, 280.0])
@pytest.mark.parametrize("edge", [-45.0, 45.0])
@pytest.mark.parametrize(("aside", "outside"), [(0.0, 0.15), (80.0, 1.5)])
def test_holes_next_to_the_edge_of_an_arc(facing: float, edge: float, aside: float, outside: float) -> None:
    """Seen from above, three quarters of a pixel on either side of it, whichever way it runs through the picture.

    Seen aslant, what lies in a block is known less well: where the target is the nearest, and where the farthest.
    """
    middle, eye = np.array([400.0, 300.0]), np.array([400.0 - aside, 300.0 - 0.4 * aside, 400.0])
    along, inward = (
        np.array(cosine_and_sine(facing + edge)),
        np.array(cosine_and_sine(facing + edge - np.sign(edge) * 90)),
    )
    arc = fighter_arc(middle - 70.0 * along, facing)
    target = shapes.moved(shapes.quad((-8, -8, 0), (8, -8, 0), (8, 8, 0), (-8, 8, 0)), (*middle, 0.0))
    for way, is_in_the_arc in ((0.15, True), (-outside, False)):
        x, y = (eye[:2] + middle + 2.3 * along + way * inward) / 2  # half way up
        size = 0.005
        sheets = [
            shapes.quad((left, low, 200), (right, low, 200), (right, high, 200), (left, high, 200))
            for left, right, low, high in (
                (0, x - size, 0, 900),
                (x + size, 900, 0, 900),
                (x - size, x + size, 0, y - size),
                (x - size, x + size, y + size, 900),
            )
        ]
        claim = claim_in_arcs(target, shapes.joined(*sheets), [arc], eye)
        assert (claim.unproven > 0.0) == is_in_the_arc


@pytest.mark.parametrize("target", [FRONT, *BALLS])
def test_what_lies_in_no_arc_is_not_seen(target: Mesh) -> None:
    beside = shapes.box((270, 80, 0), (272, 90, 10))
    for arcs in ([], [BEHIND], [BEHIND, fighter_arc((0.0, 0.0), facing=90.0)]):
        assert claim_in_arcs(target, beside, arcs).unproven == 0.0
    assert claim_in_arcs(target, beside, [fighter_arc((0.0, 0.0), facing=0.0)]).is_refuted


def test_that_nothing_in_an_arc_is_seen_is_proven() -> None:
    """While more of the target is seen out of the arc; what is counted of that has an error, as ever."""
    arcs = (fighter_arc((0.0, 0.0), facing=45.0),)
    found = observe(
        Case(FRONT, (shapes.box((146, -1, -200), (150, 90, 200)),), EYE, arcs).sight, started("embree"), 0.1
    )
    counts = found.counts
    assert found.decided_by == "proof"
    assert (counts.seen, counts.error_seen) == (0, 0.0)
    assert 0.4 < counts.in_arc / counts.total < 0.6
    assert counts.occluded_in_arc == counts.in_arc < counts.occluded < counts.total
    assert 0.0 < counts.error < 0.01
