"""Many sights at once: what is found for one depends neither on the others nor on their order, to the last bit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from silhouette.measure import counting
from silhouette.measure.observation import Observation, Sight
from silhouette.measure.observe import Wanted, observe, observe_many
from silhouette.measure.question import Question
from silhouette.renderers.embree import EmbreeRenderer
from silhouette.renderers.protocol import Capabilities, Renderer
from tests.measure.test_atlas import picture
from tests.support import shapes
from tests.support.hard_sights import case

KINDS = ("ordinary", "holes", "wires", "arcs across", "bits", "eyes inside", "slits", "one behind another", "dust")


@pytest.fixture(scope="module")
def embree() -> EmbreeRenderer:
    return EmbreeRenderer()


@pytest.fixture(scope="module")
def sights() -> list[Sight]:
    return [case(kind, number).sight for kind in KINDS for number in (0, 1)]


@pytest.fixture(scope="module")
def alone(embree: EmbreeRenderer, sights: list[Sight]) -> list[Observation]:
    return [observe(sight, embree, 0.1, Wanted(keep=True)) for sight in sights]


def same(first: Observation, second: Observation) -> bool:
    """Whether two observations are equal to the last bit."""
    equal = (vars(first.counts), first.pixel, first.projection) == (
        vars(second.counts),
        second.pixel,
        second.projection,
    )
    return equal and all(
        np.array_equal(one.kinds, other.kinds) and np.array_equal(one.blocker, other.blocker)
        for one, other in zip(first.masks, second.masks, strict=True)
    )


@pytest.mark.long
@settings(max_examples=8)
@given(st.lists(st.integers(0, 2 * len(KINDS) - 1), min_size=1, max_size=12))
def test_a_sight_is_measured_as_if_it_were_alone(
    embree: EmbreeRenderer, sights: list[Sight], alone: list[Observation], chosen: list[int]
) -> None:
    """Lists of any length and order, some sights more than once."""
    together = observe_many([sights[number] for number in chosen], embree, 0.1, Wanted(keep=True))
    assert all(same(one, alone[number]) for one, number in zip(together, chosen, strict=True))


@pytest.mark.long
def test_neither_does_it_depend_on_how_many_memory_holds(
    monkeypatch: pytest.MonkeyPatch, embree: EmbreeRenderer, sights: list[Sight], alone: list[Observation]
) -> None:
    monkeypatch.setattr(counting, "PIXELS_TOGETHER", 400_000)
    assert all(same(*pair) for pair in zip(observe_many(sights, embree, 0.1, Wanted(keep=True)), alone, strict=True))


def test_no_sights(embree: EmbreeRenderer) -> None:
    assert observe_many([], embree, 0.1) == []


@pytest.mark.parametrize(
    ("capabilities", "batches", "is_itself"),
    [
        (Capabilities(sparse=True), [4], True),
        (Capabilities(sparse=True, pixels_together=0), [1, 1, 1, 1], True),
        (Capabilities(sparse=True, slow_launch=True), [4], False),
    ],
    ids=["casts rays", "has little room", "is slow to launch"],
)
def test_what_a_renderer_can_do_decides_what_is_measured_together_and_who_proves(
    capabilities: Capabilities, batches: list[int], is_itself: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    renderer, other = EmbreeRenderer(), EmbreeRenderer()
    renderer.capabilities = capabilities
    taken, provers = list[int](), list[object]()
    survey, claim = counting.Survey, counting.claim_of

    def begun(questions: Sequence[Question], *rest: Any) -> Any:
        taken.append(len(questions))
        return survey(questions, *rest)

    def claimed(pictures: Any, says: Any, prover: Renderer, *rest: Any) -> Any:
        provers.append(prover)
        return claim(pictures, says, prover, *rest)

    monkeypatch.setattr(counting, "Survey", begun)
    monkeypatch.setattr(counting, "claim_of", claimed)
    monkeypatch.setattr(counting, "looking_between_pixels", lambda: other)
    hidden = picture(shapes.box((50, -200, -200), (51, 200, 200)))
    counting.measured([Question([hidden], 0.1, 0.002)] * 4, renderer)
    assert taken == batches
    assert provers
    assert all(prover is (renderer if is_itself else other) for prover in provers)
