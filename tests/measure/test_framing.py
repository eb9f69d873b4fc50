"""The pictures of a sight: how wide their pixels are, and what is stated of that."""

from __future__ import annotations

import numpy as np
import pytest

from silhouette.measure.framing import TOGETHER, all_framed, framed
from silhouette.measure.grids import grids
from silhouette.meshes.mesh import Mesh
from silhouette.renderers.views import fighter_arc
from tests.support import shapes
from tests.support.hard_sights import case
from tests.support.measured_shares import EYE, FRONT
from tests.support.sight_cases import Case

GIANT = shapes.box((3000, -1900, -1900), (3001, 1900, 1900))
TINY = shapes.box((300, -0.01, 25), (300.01, 0.01, 25.01))
AROUND = shapes.box((-30, -30, -5), (30, 30, 55))


@pytest.mark.parametrize(
    ("target", "pixel", "is_as_asked"),
    [(FRONT, 0.1, True), (FRONT, 0.37, True), (GIANT, 0.1, False), (TINY, 0.1, False)],
)
def test_a_pixel_is_as_wide_as_is_stated(target: Mesh, pixel: float, is_as_asked: bool) -> None:
    """As was asked for, to the last digit; of a very large target it is wider, of a very small one narrower."""
    found = framed(Case(target, (), EYE).sight, pixel)
    (picture,) = found.pictures
    distance = float(np.linalg.norm(target.bounds.mean(axis=0) - EYE))
    assert found.projection == "flat"
    assert found.pixel == pytest.approx(picture.view.step * distance)
    assert (found.pixel == pixel) == is_as_asked
    assert is_as_asked or (found.pixel > pixel) == (target is GIANT)


def test_a_target_round_the_eye_is_looked_at_in_six_pictures() -> None:
    """With pixels as wide as asked for, or a little narrower, at half the distance of its farthest corner."""
    found = framed(Case(AROUND, (FRONT, TINY), EYE).sight, 0.5)
    assert found.projection == "cube"
    assert len(found.pictures) == 6
    assert 0.4 < found.pixel <= 0.5
    distance = 30.0 * 3**0.5 / 2
    assert [picture.view.step * distance for picture in found.pictures] == pytest.approx([found.pixel] * 6)
    assert [piece.name for piece in found.blockers] == []
    blocked = framed(Case(AROUND, (shapes.box((10, 10, 10), (11, 11, 11)), FRONT), EYE).sight, 0.5)
    assert [piece.name for piece in blocked.blockers] == ["blocker 1"]


def test_sights_framed_together_are_framed_as_each_is_alone_to_the_last_bit() -> None:
    """Targets and tables of all sizes, some round the eye, some across the edge of an arc, more than fit together."""
    kinds = ("ordinary", "holes", "arcs across", "eyes inside", "one behind another")
    sights = [case(kind, number).sight for kind in kinds for number in range(TOGETHER // len(kinds) + 2)]
    sights += [Case(AROUND, (FRONT, TINY), EYE).sight, Case(TINY, (), EYE, (fighter_arc((0.0, 0.0), 45.0),)).sight]
    frames = all_framed(sights, 0.2)
    assert len(frames) == len(sights) > TOGETHER
    for sight, frame in zip(sights, frames, strict=True):
        alone = framed(sight, 0.2)
        assert (frame.sight, frame.pixel, frame.projection) == (sight, alone.pixel, alone.projection)
        assert frame.blockers == alone.blockers
        for picture, other in zip(frame.pictures, alone.pictures, strict=True):
            assert picture.view.axes.tobytes() == other.view.axes.tobytes()
            assert (picture.view.left, picture.view.top, picture.view.step) == (
                *(other.view.left, other.view.top),
                other.view.step,
            )
            assert picture.arcs == other.arcs
    assert all_framed([], 0.2) == []


def test_grids_over_several_pictures_are_those_over_each() -> None:
    pictures = [picture for number in range(4) for picture in framed(case("ordinary", number).sight, 0.2).pictures]
    assert np.array_equal(grids(pictures, 12), [grids([picture], 12)[0] for picture in pictures])
