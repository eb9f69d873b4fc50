"""Proofs among many bodies: a few of them are tried first, and all where these do not suffice."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from silhouette.measure import covering
from silhouette.measure.contours import Contours
from tests.measure.test_proofs import hidden, wall
from tests.support.shapes import box

TARGET = box((-9, 99, -7), (9, 100, 7))


@pytest.fixture
def tried(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of bodies whose contours were taken together, each time."""
    found: list[int] = []
    joined = covering.Occluders.all_contours

    def counted(occluders: Any, far: float) -> Contours:
        found.append(len(occluders.placed))
        return joined(occluders, far)

    monkeypatch.setattr(covering.Occluders, "all_contours", counted)
    return found


def crowd(count: int) -> list[Any]:
    """Bars behind the walls, each of which hides a little."""
    return [box((-8 + 16 * number / count, 80, -20), (-7.9 + 16 * number / count, 80.2, 20)) for number in range(count)]


def test_where_two_of_many_hide_a_target_the_others_are_not_asked(tried: list[int]) -> None:
    walls = [wall(-20.0, 0.1), wall(-0.1, 20.0, depth=51.0)]
    assert hidden(TARGET, *walls, *crowd(20)).area == 0.0
    assert tried
    assert max(tried) <= covering.MANY
    assert hidden(TARGET, *crowd(20), *walls[::-1]).area == 0.0
    assert max(tried) <= covering.MANY


def test_where_a_few_do_not_suffice_all_are_asked(tried: list[int]) -> None:
    """Slabs side by side, each over the end of the next, of which all are needed."""
    edges = [-6.0 + 12.0 * number / 9 for number in range(10)]
    slabs = [
        wall(left - 0.1, right + 0.1, depth=50.0 + 0.5 * (number % 2))
        for number, (left, right) in enumerate(pairwise(edges))
    ]
    assert hidden(TARGET, *slabs).area == 0.0
    assert max(tried) == len(slabs)


@pytest.mark.thinned(quick=16, ci=16)
@pytest.mark.parametrize("missing", range(1, 7))
def test_a_gap_among_many_is_never_covered(missing: int) -> None:
    edges = [-6.0 + 12.0 * number / 9 for number in range(10)]
    slabs = [wall(left, right + 0.1) for left, right in pairwise(edges)]
    slabs[missing] = wall(edges[missing], edges[missing + 1] - 0.02)
    assert hidden(TARGET, *slabs, *crowd(5)).area > 0.0
