"""Pictures in cells: which are cut, and which sample stands for which pixel; masks show what was counted."""

from __future__ import annotations

import numpy as np
import pytest

from silhouette.common.geometry import Flags, Floats
from silhouette.measure.atlas import Atlas
from silhouette.measure.counting import measured
from silhouette.measure.observation import NOTHING, OBSCURED, OUTSIDE, SEEN
from silhouette.measure.places import places
from silhouette.measure.question import Question
from silhouette.measure.sampling import IN_ARC, KINDS, OCCLUDED, TARGET, Picture, Samples
from silhouette.meshes.mesh import Mesh
from silhouette.renderers.protocol import Body
from silhouette.renderers.reference import ReferenceRenderer
from silhouette.renderers.views import fighter_arc
from tests.support import shapes
from tests.support.measured_shares import HERE, rotation_about_x, turned
from tests.support.shapes import looking

REFERENCE = ReferenceRenderer()


def picture(blocker: Mesh, size: tuple[int, int] = (64, 96)) -> Picture:
    """A picture, of this height and width in pixels, of a wall that fills most of it, and a blocker before the wall."""
    high, wide = size
    view = looking((0.0, 0.0, 0.0), (100.0, 0.0, 0.0), 0.01, wide, high)
    target = shapes.box((100, -wide / 2 + 9, -high / 2 + 7), (101, wide / 2 - 5, high / 2 - 6))
    return Picture(view, Body(1, target, HERE), [Body(2, blocker, HERE)], None)


def wire(angle: float, width: float = 0.8) -> Mesh:
    """A bar that leans, before the wall."""
    return turned(shapes.box((50, -width / 2, -90), (50.1, width / 2, 90)), rotation_about_x(angle), np.zeros(3))


PICTURES = [picture(wire(0.4)), picture(wire(-1.1), (32, 48)), picture(shapes.sphere(9.0, 12, 7), (48, 32))]


def cut(width: int = 8, last: int = 1) -> Atlas:
    """An atlas of the three pictures: sampled in cells ``width`` pixels wide, cut along contours down to ``last``."""
    reached = [np.ones((one.view.height // width, one.view.width // width), dtype=np.bool_) for one in PICTURES]
    atlas = Atlas.sampled(PICTURES, reached, width, REFERENCE)
    none: Flags = np.zeros(len(PICTURES), dtype=np.bool_)
    while atlas.levels[-1].width > last:
        atlas.cut(atlas.contour(), none, none)
    return atlas


def test_a_contour_is_followed_wherever_it_leads() -> None:
    """Where a quarter of a cell differs from the one across the side of the cell, the cell on that side is cut too."""
    atlas = cut()
    followed = 0
    for coarse, fine in zip(atlas.levels, atlas.levels[1:], strict=False):
        assert fine.width == coarse.width // 2
        own, is_cut = coarse.is_own, coarse.is_cut
        assert not (is_cut & ~own).any()
        assert (fine.is_own == is_cut.repeat(2, axis=0).repeat(2, axis=1)).all()
        for kinds, finer, cells, parted in (
            (coarse.kinds, fine.kinds, own, is_cut),
            (coarse.kinds.T, fine.kinds.T, own.T, is_cut.T),
        ):
            differ = kinds[1:] != kinds[:-1]
            assert parted[1:][differ & cells[1:]].all()
            assert parted[:-1][differ & cells[:-1]].all()
            quarters = finer[1::2][:-1] != finer[2::2]  # on either side of the border of two cells
            differ = quarters[:, ::2] | quarters[:, 1::2]
            for mine, other in ((slice(None, -1), slice(1, None)), (slice(1, None), slice(None, -1))):
                leads_on = differ & parted[mine] & cells[other]
                assert parted[other][leads_on].all()
                followed += int(leads_on.sum())
        # Most cells are far from a contour, and stay whole.
        assert 0 < is_cut.sum() < 0.6 * own.sum() or coarse.width == 8
    assert followed > 100


@pytest.mark.long
def test_the_sample_of_a_pixel_lies_in_the_cell_that_stands_for_it() -> None:
    """And in the pixel itself where the cell is one pixel wide; also where the last level is coarser."""
    for width, stop in ((8, 1), (8, 4), (4, 4)):
        atlas = cut(width, stop)
        samples = Samples.concatenated(atlas.samplings.batches)
        weights = atlas.samplings.weights
        for number, one in enumerate(PICTURES):
            whole = atlas.numbers_of(number)
            image = whole[: one.view.height, : one.view.width]
            assert image.shape == (one.view.height, one.view.width)
            assert (whole[one.view.height :] == -1).all()
            assert (whole[:, one.view.width :] == -1).all()
            assert (samples.picture[image] == number).all()
            used, count = np.unique(image, return_counts=True)
            assert (weights[used] == count).all()
            kinds = np.bincount(samples.kind[image].ravel(), minlength=KINDS)
            assert atlas.samplings.counts[number].tolist() == kinds.tolist()
            for sample_number in used[::7]:
                rows, columns = np.nonzero(image == sample_number)
                side = int(np.sqrt(weights[sample_number]))
                assert np.ptp(rows) + 1 == np.ptp(columns) + 1 == side
                sizes = np.array([[one.view.height // side], [one.view.width // side]])
                row, column = rows.min() // side, columns.min() // side
                place = places(np.array([row]), np.array([column]), side, sizes)
                kind = sampled_kind(one, place)
                assert samples.kind[sample_number] == kind


def sampled_kind(one: Picture, place: Floats) -> int:
    bodies = [one.target, *one.blockers]
    target, blocker = (float(REFERENCE.render(one.view, [body], place).depth[0]) for body in bodies)
    return (TARGET | IN_ARC) * np.isfinite(target) | OCCLUDED * (blocker < target < np.inf)


@pytest.mark.parametrize(("goal", "pixel"), [(0.002, 0.5), (0.2, 0.1), (0.02, 0.1)])
def test_masks_show_what_was_counted(goal: float, pixel: float) -> None:
    one, other = picture(wire(0.4, 7.0)), picture(shapes.joined(wire(0.4, 7.0), wire(-0.7, 9.0)))
    arc = fighter_arc((0.0, 0.0), facing=48.0)
    pictures = [one, Picture(other.view, other.target, [*one.blockers, Body(3, wire(1.2, 4.0), HERE)], [arc])]
    questions = [Question([each], pixel, goal) for each in pictures]
    for each, found, bare in zip(
        pictures, measured(questions, REFERENCE, keep=True), measured(questions, REFERENCE), strict=True
    ):
        (mask,), counts = found.masks, found.counts
        assert bare.masks == ()
        assert vars(bare.counts) == vars(counts)
        assert mask.kinds.shape == mask.blocker.shape == (each.view.height, each.view.width)
        number = [int((mask.kinds == kind).sum()) for kind in (NOTHING, SEEN, OBSCURED, OUTSIDE)]
        assert sum(number[1:]) == counts.total
        assert number[1] == counts.seen
        assert number[2] == counts.occluded
        assert [int((mask.blocker == blocker).sum()) for blocker in range(len(each.blockers))] == list(counts.nearest)
        assert ((mask.blocker >= 0) == (mask.kinds == OBSCURED)).all()
        assert (number[3] > 0) == (each.arcs is not None)
