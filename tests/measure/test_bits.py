"""Targets of small bits, against closed forms: their size, the share obscured, its error, and what is proven."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from silhouette.measure.bits import measured_in_bits
from silhouette.measure.question import Measured, Question
from silhouette.measure.sampling import Picture
from silhouette.meshes.mesh import Mesh
from silhouette.renderers.protocol import Body, Layer
from silhouette.renderers.reference import ReferenceRenderer
from silhouette.renderers.views import View, fit_view
from tests.conftest import started
from tests.support import shapes
from tests.support.measured_shares import EYE, HERE, exact_share

SIDES = ((0.02, 0.3), (0.5, 0.01), (0.1, 0.1), (0.03, 0.04), (0.7, 0.6))
PLACES = ((-9.0, 1.0), (3.3, 22.0), (8.0, 7.7), (-2.2, 28.0), (0.4, 14.6))


def bit(number: int) -> Mesh:
    """A rectangle in a plane 300 mm away."""
    (y, z), (wide, high) = PLACES[number], SIDES[number]
    return shapes.quad((300, y, z), (300, y + wide, z), (300, y + wide, z + high), (300, y, z + high))


BITS = [bit(number) for number in range(5)]


def asked(target: Mesh, *blockers: Mesh, pixel: float = 0.1) -> Question:
    bodies = [Body(number, shape, HERE) for number, shape in enumerate([target, *blockers], 1)]
    middle = target.bounds.mean(axis=0)
    views = fit_view(EYE, middle, target.vertices, pixel)
    pixel = views[0].step * float(np.linalg.norm(middle - EYE))  # finer where a target is very small
    return Question([Picture(view, bodies[0], bodies[1:], None) for view in views], pixel, 0.002)


def measured(target: Mesh, *blockers: Mesh, pixel: float = 0.1) -> Measured:
    found = measured_in_bits(asked(target, *blockers, pixel=pixel), started("embree"))
    assert found is not None
    return found


@pytest.mark.parametrize("chosen", [[0], [1, 2], [0, 1, 2, 3], [4], [3, 4, 0]])
def test_bits_are_as_large_as_they_are(chosen: list[int]) -> None:
    """Of one mesh, wherever they lie in their cells; cells that several faces touch count once."""
    target = shapes.joined(*[BITS[number] for number in chosen], *[BITS[number] for number in chosen])
    found = measured(target)
    area = sum(float(np.prod(SIDES[number])) for number in chosen)
    assert found.counts.total * found.pixel**2 == pytest.approx(area, rel=0.02)
    assert found.counts.total > 1_000
    assert (found.counts.occluded, found.counts.error, found.decided_by) == (0, 0.0, "count")


def test_shares_of_bits_are_true_and_their_errors_small() -> None:
    """A wall up to a height, one behind another, and a bar before one bit only."""
    target = shapes.joined(*BITS)
    for top in (3.0, 12.6, 15.0, 21.0):
        wall = shapes.box((146, -200, -200), (150, 200, 25 - (25 - top) / 2))
        far = shapes.box((160, -200, -200), (162, 200, 0))
        found = measured(target, wall, far)
        one = asked(target, wall)
        area = [float(np.prod(sides)) for sides in SIDES]
        share = sum(
            size * exact_share(one.pictures[0].view, each, [wall]) for size, each in zip(area, BITS, strict=True)
        ) / sum(area)
        counts = found.counts
        assert abs(counts.occluded / counts.total - share) <= counts.error + 1e-9
        assert counts.error < 0.02
        assert counts.seen == counts.total - counts.occluded
        assert counts.nearest == (counts.occluded, 0)
        assert counts.alone[0] == counts.occluded
        assert counts.alone[1] <= counts.occluded
        assert found.decided_by == "count"


def test_all_or_nothing_of_bits_is_proven() -> None:
    target = shapes.joined(*BITS)
    for top, occluded in ((90.0, 1.0), (-90.0, 0.0)):
        found = measured(target, shapes.box((146, -200, -200), (150, 200, top)))
        assert found.counts.occluded == occluded * found.counts.total
        assert (found.counts.error, found.counts.error_seen, found.decided_by) == (0.0, 0.0, "proof")


class Coarse(ReferenceRenderer):
    """Tells depths to a millimetre."""

    def render(self, view: View, bodies: Sequence[Body], pixels: Any = None) -> Layer:
        layer = super().render(view, bodies, pixels)
        return Layer(layer.ids, np.round(layer.depth))


def test_what_of_bits_is_not_proven_is_their_error() -> None:
    """Half of one has something before it that no ray tells from it: that half, and the cells at its end."""
    half = shapes.moved(BITS[2], (-0.1, 0.05, 0.0))
    found = measured_in_bits(asked(BITS[2], half), Coarse())
    assert found is not None
    assert (found.counts.occluded, found.decided_by) == (0, "count")
    assert 0.5 <= found.counts.error < 0.95
    assert found.counts.error_in_arc == found.counts.error_seen == found.counts.error


def test_what_is_no_bit_is_not_measured_here() -> None:
    embree = started("embree")
    large = shapes.box((300, -9, 5), (301, 9, 23))
    assert measured_in_bits(asked(large), embree) is None
    assert measured_in_bits(asked(large, pixel=1.0), embree) is not None
    around = shapes.joined(*[shapes.moved(BITS[2], (way, 0.0, 0.0)) for way in (-600.0, 0.0)])
    assert measured_in_bits(asked(around), embree) is None
