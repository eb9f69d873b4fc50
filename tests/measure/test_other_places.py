"""Other places in the pixels, drawn at random again and again: the error stated is true of nearly all of them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from silhouette.measure import places
from silhouette.measure.observe import observe
from tests.conftest import started
from tests.support.hard_sights import case

TIMES = 12


@pytest.fixture
def other_places(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Draws the places of all pixels anew."""

    def draw(seed: int) -> None:
        random = np.random.default_rng(seed)
        offsets = random.random((places.PERIOD**2, 2)) - 0.5
        choices = random.integers(4, size=(4, places.PERIOD**2), dtype=np.uint8)
        monkeypatch.setattr(places, "_offsets", lambda: offsets)
        monkeypatch.setattr(places, "_choices", lambda: choices)

    return draw


@pytest.mark.long
@pytest.mark.parametrize(
    "kind, number",
    [
        *(
            ("thin targets", 104),
            ("interleaved", 105),
            ("wires", 2),
            ("combs", 3),
            ("gratings", 2),
            ("dots in rows", 3),
        ),
        *(("many dots", 1), ("needles", 3), ("flipped faces", 2), ("soups", 3), ("ordinary", 5), ("ordinary", 8)),
    ],
)
def test_the_error_is_that_of_places_drawn_at_random(
    other_places: Callable[[int], None], kind: str, number: int
) -> None:
    """What is off has a mean of about nothing, and a spread that is not larger than stated."""
    one = case(kind, number)
    exact = one.exact().occluded
    off, stated = [], []
    for seed in range(TIMES):
        other_places(seed)
        counts = observe(one.sight, started("embree"), one.pixel).counts
        off.append(counts.occluded / counts.total - exact)
        stated.append(counts.error)
    assert np.mean(np.abs(off) <= stated) >= 0.9
    spread = float(np.mean(stated)) / 3.0
    assert np.sqrt(np.mean(np.square(off))) <= 1.4 * spread
    assert abs(np.mean(off)) <= 4.0 * spread / np.sqrt(TIMES)
