"""The random cases: what is drawn on a screen looks as it was drawn, and each kind is what it says."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import shapely

from silhouette.common.geometry import Floats
from silhouette.measure.observation import OcclusionCounts
from silhouette.renderers.protocol import Body, Renderer
from silhouette.renderers.reference import ReferenceRenderer
from silhouette.renderers.views import View, in_any
from tests.support import shapes
from tests.support.exact_shares import ExactShares, cameras, exact_shares
from tests.support.hard_sights import KINDS, case, could_be, faults, verdicts
from tests.support.sight_cases import Case, Screen, bars, disc, rectangle

EYE = np.array([3.0, -200.0, 40.0])
PLATE = shapes.quad((-10, 0, 0), (10, 0, 0), (10, 0, 30), (-10, 0, 30))


@pytest.mark.parametrize("share", [0.02, 0.5, 0.95])
@pytest.mark.parametrize("lean", [(0.0, 0.0), (0.004, -0.003)])
def test_what_is_drawn_on_a_screen_has_its_size_at_the_target(share: float, lean: tuple[float, float]) -> None:
    screen = Screen.before(PLATE, EYE, share, lean)
    drawn = rectangle((1.0, 2.0), 6.0, 4.0, 20.0).difference(disc((1.0, 2.0), 0.5, 9))
    found = exact_shares(PLATE, [screen.draw(drawn)], EYE)
    assert found.occluded * found.total * screen.distance**2 == pytest.approx(drawn.area, rel=1e-9)


def test_bars_cover_their_share_of_every_period() -> None:
    drawn = bars(40.0, 0.25, 0.5, 31.7, 0.3)
    found = exact_shares(PLATE, [Screen.before(PLATE, EYE, 0.5).draw(drawn)], EYE)
    assert found.occluded == pytest.approx(0.5, abs=1e-3)
    assert drawn.intersection(shapely.box(-5, -5, 5, 5)).area == pytest.approx(50.0, rel=0.02)


@pytest.mark.parametrize("kind", KINDS)
def test_a_case_is_the_same_every_time_and_another_one_is_not(kind: str) -> None:
    first, again, other = case(kind, 1), case(kind, 1), case(kind, 2)
    meshes = [[mesh.digest for mesh in (one.target, *one.blockers)] for one in (first, again, other)]
    assert (meshes[0], first.eye.tolist()) == (meshes[1], again.eye.tolist()) != (meshes[2], other.eye.tolist())
    assert first.sight.target.model.significant is first.target
    assert len(np.unique(first.target.vertices, axis=0)) == len(first.target.vertices)
    assert len(first.sight.present) == len(first.blockers)


def points_of_target(corners: Floats, count: int) -> tuple[Floats, Floats]:
    """Random points (n, 2) of a flat picture in triangles (m, 3, 3) seen from the eye, and how many of them lie there.

    Where k triangles lie one behind another, points are k times as dense.
    """
    random = np.random.default_rng(1)
    flat = corners[..., :2] / corners[..., 2:]
    (a, b), (c, d) = (flat[:, 1] - flat[:, 0]).T, (flat[:, 2] - flat[:, 0]).T
    areas = np.abs(a * d - b * c)
    chosen = random.choice(len(flat), count, p=areas / areas.sum())
    points = np.einsum("ni,nij->nj", random.dirichlet(np.ones(3), count), flat[chosen])
    behind, _ = shapely.STRtree(shapely.polygons(flat)).query(shapely.points(points), "intersects")
    return points, np.maximum(np.bincount(behind, minlength=count), 1)


def by_random_rays(one: Case, count: int, renderer: Renderer) -> Floats:
    """(3,) the shares obscured, in an arc and seen, of rays to random points."""
    corners = one.pose.place(one.target.vertices)[one.target.faces] - one.eye
    taken, found = cameras(corners.reshape(-1, 3)), np.zeros(4)
    bodies = [Body(number, mesh, one.pose) for number, mesh in enumerate((one.target, *one.blockers), 1)]
    for axes in taken:
        points, times = np.random.default_rng(2).uniform(-1, 1, (count, 2)), np.ones(count)
        if len(taken) == 1:
            points, times = points_of_target(corners @ axes.T, count)
        view, places = View(one.eye, axes, 0.0, 0.0, 1.0, 1, 1), np.column_stack([-points[:, 1], points[:, 0]]) - 0.5
        target, front = (renderer.render(view, some, places) for some in (bodies[:1], bodies))
        weight, obscured = (target.ids == 1) / times, front.ids != 1
        shown = one.eye + view.directions(*places.T) * np.where(weight > 0, target.depth, 1.0)[:, None]
        inside = np.ones(count, dtype=np.bool_) if one.arcs is None else in_any(one.arcs, shown)
        found += [float((weight * flags).sum()) for flags in (obscured, inside, inside & ~obscured, weight > 0)]
    return found[:3] / max(found[3], 1e-9)


@pytest.mark.thinned(quick=0, ci=17)
@pytest.mark.parametrize("number", [1, 3, 4])
@pytest.mark.parametrize("kind", KINDS)
def test_exact_shares_are_those_of_random_rays(kind: str, number: int) -> None:
    """2,000 rays of the reference renderer give shares to within 1/28: 3.2 standard deviations or more."""
    one = case(kind, number)
    exact = one.exact()
    if exact.total == 0.0:  # edge-on
        assert (kind, exact.seen) == ("from above", 0.0)
        return
    assert by_random_rays(one, 2000, ReferenceRenderer()) == pytest.approx(
        [exact.occluded, exact.in_arc, exact.seen], abs=1 / 28
    )


@pytest.mark.long
def test_few_cases_settle_nothing() -> None:
    """Where all or nothing is obscured, not much can be wrong: most kinds have many cases between."""
    shares = [case(kind, number).exact().occluded for kind in KINDS if kind != "seams" for number in (0, 9)]
    assert np.mean([1e-9 < share < 1 - 1e-9 for share in shares]) > 0.6


COUNTS = OcclusionCounts(1000, 400, 1000, 400, (400,), (400,), 0.01, 0.01, 0.01)
EXACT = ExactShares(0.1, 0.405, 0.595, 1.0, 0.405, (), (), 1)


def test_counts_within_their_errors_are_faultless() -> None:
    assert faults(COUNTS, EXACT) == []
    assert could_be(COUNTS) == verdicts(EXACT) == {"less"}


@pytest.mark.parametrize(
    ("changed", "truth", "words"),
    [
        ({}, {"occluded": 0.411}, "obscured: 0.400000 ± 0.010000"),
        ({}, {"seen": 0.58}, "seen: 0.600000"),
        ({}, {"occluded_in_arc": 0.5}, "obscured in the arc"),
        ({"total": 0}, {}, "0 pixels of a target"),
        ({}, {"total": 0.0}, "1000 pixels of a target of area 0"),
        ({"occluded": 1000, "occluded_in_arc": 1000, "error_seen": 0.0}, {"seen": 1e-9}, "said to be hidden"),
        ({"occluded": 0, "error": 0.0}, {"occluded": 1e-9}, "said to be in the open"),
        ({"occluded": 499, "error": 0.0005}, {"occluded": 0.51}, "could be less, and is more"),
        ({"occluded": 0, "error": 0.0}, {"occluded": 0.4}, "could be open, and is less"),
    ],
)
def test_what_is_untrue_is_named(changed: dict[str, float], truth: dict[str, float], words: str) -> None:
    found = faults(replace(COUNTS, **changed), replace(EXACT, **truth))  # type: ignore[arg-type]
    assert any(words in fault for fault in found), found


def test_exactly_half_may_be_either() -> None:
    assert verdicts(replace(EXACT, occluded=0.5)) == {"less", "more"}
    assert verdicts(replace(EXACT, occluded=0.0)) == {"open"}
    assert verdicts(replace(EXACT, seen=0.0)) == {"hidden"}
    assert could_be(replace(COUNTS, occluded=495)) == {"less", "more"}
    assert could_be(replace(COUNTS, occluded=0, error=0.0)) == {"open"}
    assert could_be(replace(COUNTS, occluded=995, occluded_in_arc=995)) == {"hidden", "more"}
