"""Claims that nothing is seen, or nothing obscured: proven, refuted, or an error; whatever the arcs are."""

from __future__ import annotations

from dataclasses import replace

import pytest

from silhouette.measure.observe import observe
from tests.conftest import started
from tests.support.hard_sights import case


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
