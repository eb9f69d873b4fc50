"""Tests of counting on a device: what it finds is what is found here, with the same renderer, to the last pixel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from silhouette.measure.counting import measured
from silhouette.measure.observe import Wanted, observe_many
from silhouette.measure.on_device import sampled as on_device
from silhouette.measure.question import Question
from silhouette.renderers.protocol import Body
from silhouette.renderers.views import fighter_arc
from tests.conftest import started
from tests.measure.test_atlas import HERE, PICTURES, wire
from tests.support import shapes
from tests.support.hard_sights import KINDS, case


def counting_here(renderer: Any) -> Any:
    """The renderer ``cuda``, whose samples are counted in this process."""
    here = copy(renderer)
    here.capabilities = replace(renderer.capabilities, counts_on_device=False)
    return here


@pytest.fixture(scope="module")
def cuda() -> Any:
    """The renderer that counts on its device."""
    return started("cuda")


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of pictures of each survey that is counted on the device."""
    found: list[int] = []
    begin = on_device.SampledOnDevice.__init__

    def counted(self: Any, pictures: Any, *rest: Any) -> None:
        found.append(len(pictures))
        begin(self, pictures, *rest)

    monkeypatch.setattr(on_device.SampledOnDevice, "__init__", counted)
    return found


def both(cuda: Any, measure: Callable[[Any], Sequence[Any]]) -> None:
    """Compares counts, errors and masks."""
    for mine, other in zip(measure(cuda), measure(counting_here(cuda)), strict=True):
        assert vars(mine.counts) == vars(other.counts)
        assert mine.decided_by == other.decided_by
        for one, two in zip(mine.masks, other.masks, strict=True):
            assert np.array_equal(one.kinds, two.kinds)
            assert np.array_equal(one.blocker, two.blocker)


@pytest.mark.thinned(quick=32, ci=32)
def test_counts_errors_and_masks_are_those_that_are_counted_here(cuda: Any, taken: list[int]) -> None:
    """Of pictures together, whatever is allowed: those that are settled at one level are left alone at the next."""
    arc, behind = fighter_arc((0.0, 0.0), facing=48.0), fighter_arc((0.0, 0.0), facing=200.0)
    pictures = [*PICTURES, *(replace(one, arcs=arcs) for one in PICTURES for arcs in ([arc], [], [behind, arc]))]
    questions = [Question([one], 0.1, goal) for goal in (0.2, 0.02, 0.002, 0.0) for one in pictures]
    both(cuda, lambda renderer: measured(questions, renderer, keep=True))
    assert sum(taken) == len(questions)


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_hard_sights_are_counted_as_they_are_here(cuda: Any, taken: list[int], kind: str) -> None:
    sight = case(kind, 0).sight
    both(cuda, lambda renderer: observe_many([sight], renderer, 0.1, Wanted(error_goal=0.004, keep=True)))
    assert taken


@pytest.mark.parametrize(
    "count",
    [pytest.param(count, marks=pytest.mark.slow if count == 65 else pytest.mark.long) for count in (63, 64, 65, 130)],
)
def test_each_of_many_blockers_is_counted(cuda: Any, count: int) -> None:
    """Also where the bits of one word do not suffice."""
    one = PICTURES[2]
    bars = [Body(2 + number, wire(-1.5 + 3.0 * number / count, 0.2), HERE) for number in range(count)]
    question = Question([replace(one, blockers=bars)], 0.1, 0.002)
    both(cuda, lambda renderer: measured([question], renderer))
    (found,) = measured([question], cuda)
    assert min(found.counts.alone) > 0
    assert sum(found.counts.nearest) == found.counts.occluded


def test_a_place_that_is_shown_is_counted(cuda: Any) -> None:
    """A gap that no sample meets, but a ray of the proof: both count the pixel in which it lies as seen."""
    target = shapes.box((100, -9, -7), (101, 9, 7))
    walls = [shapes.box((50, -20, -20), (51, 0.001, 20)), shapes.box((50, 0.0012, -20), (51, 20, 20))]
    view = PICTURES[0].view
    blockers = [Body(2 + number, wall, HERE) for number, wall in enumerate(walls)]
    question = Question([replace(PICTURES[0], view=view, target=Body(1, target, HERE), blockers=blockers)], 0.1, 0.002)
    both(cuda, lambda renderer: measured([question], renderer, keep=True))
    (found,) = measured([question], cuda)
    assert 0 < found.counts.seen <= 2


def test_as_many_pixels_are_counted_together_as_the_device_has_room_for(cuda: Any, taken: list[int]) -> None:
    questions = [Question([one], 0.1, 0.02) for one in PICTURES]
    together = measured(questions, cuda)
    assert taken == [3]
    small = copy(cuda)
    small.capabilities = replace(small.capabilities, pixels_together=1)
    assert [vars(one.counts) for one in measured(questions, small)] == [vars(one.counts) for one in together]
    assert taken == [3, 1, 1, 1]


@pytest.mark.thinned(quick=57)
def test_bodies_with_outlines_of_their_own_are_counted_here(cuda: Any, taken: list[int]) -> None:
    (wider,) = (replace(blocker, outline=0.3) for blocker in PICTURES[0].blockers)
    question = Question([replace(PICTURES[0], blockers=[wider])], 0.1, 0.02)
    both(cuda, lambda renderer: measured([question], renderer))
    assert not taken
