"""Claims that nothing is seen, or nothing obscured: proven, refuted, or an error; whatever the arcs are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import shapely

from silhouette.measure.observation import SEEN
from silhouette.measure.observe import observe
from tests.conftest import started
from tests.support.hard_sights import case
from tests.support.measured_shares import EYE, FRONT
from tests.support.sight_cases import Case, Screen, disc, rectangle


@pytest.mark.parametrize("kind", ["pinholes", "slits", "drilled", "dust"])
def test_an_attacker_without_an_arc_has_a_true_share_too(kind: str) -> None:
    """The target is hidden whatever stands before it, and yet the share obscured is within its error."""
    for number in range(5):
        one = case(kind, number)
        counts = observe(replace(one.sight, arcs=()), started("embree"), one.pixel).counts
        assert (counts.seen, counts.in_arc, counts.error_seen) == (0, 0, 0.0)
        assert abs(counts.occluded / counts.total - one.exact().occluded) <= counts.error + 1e-9


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
    found = observe(Case(FRONT, (wall,), EYE).sight, started("embree"), 0.1, keep=True)
    assert found.counts.seen == 1
    (mask,) = found.masks
    ((row, column),) = np.argwhere(mask.kinds == SEEN)
    columns, rows, _ = mask.view.project(screen.place(hole[None]))
    assert (row, column) == (int(rows[0]), int(columns[0]))
