"""The exact shares of models behind screens, against those of random rays."""

from __future__ import annotations

import pytest

from tests.support.figures import cpu_renderer
from tests.support.models_behind_screens import cases_behind_screens
from tests.support.test_hard_sights import by_random_rays


@pytest.mark.long
def test_shares_of_a_model_behind_screens_are_those_of_random_rays() -> None:
    found = [(case, exact) for case, exact in cases_behind_screens("scout", 8, seed=3) if 0.01 < exact.occluded < 0.99]
    assert len(found) > 1
    for case, exact in found:
        assert exact.seen + exact.occluded == pytest.approx(1.0, abs=1e-9)
        occluded, _, seen = by_random_rays(case, 2000, cpu_renderer())
        assert (occluded, seen) == pytest.approx((exact.occluded, exact.seen), abs=1 / 28)
