"""What is in the shadow of boxes inside closed surfaces is hidden without a ray; what only seems to be is not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from silhouette.common.geometry import Floats, Pose, corners
from silhouette.measure.cells import Grid
from silhouette.measure.hidden import first_grid
from silhouette.measure.shadows import Hider, _greatest
from silhouette.meshes.mesh import Mesh
from silhouette.renderers.protocol import Body
from silhouette.renderers.views import fit_view
from tests.support.shapes import box, joined, mesh, moved, square
from tests.support.solid_cases import solid

TARGET = box((-5.0, 100.0, -5.0), (5.0, 110.0, 5.0))
SLAB = box((-20.0, 40.0, -20.0), (20.0, 44.0, 20.0))


def hider(*blockers: Mesh, target: Mesh = TARGET, eye: Any = (0.0, 0.0, 0.0), pose: Pose | None = None) -> Hider:
    pose = pose or Pose.standing()
    eye = pose.place(np.array([eye], dtype=np.float64))[0]
    (view,) = fit_view(eye, pose.place(target.bounds.mean(axis=0)[None])[0], pose.place(target.vertices), 0.1)
    return Hider(view, Body(1, target, pose), [Body(2 + number, one, pose) for number, one in enumerate(blockers)])


def share_left(one: Hider) -> float:
    """Of the cells of the picture, the share that is not in one shadow."""
    grid = first_grid(one.view)
    if one.hides_all():
        return 0.0
    return len(one.left(grid, np.arange(grid.count))) / grid.count


@pytest.mark.parametrize("pose", [Pose.standing(), Pose.standing((300.0, -20.0, 7.0), turn=77.0)])
def test_a_slab_hides_all_behind_it(pose: Pose) -> None:
    assert hider(SLAB, pose=pose).hides_all()
    assert hider(square(1.0, (30, 20, 0)), SLAB, pose=pose).hides_all()
    assert share_left(hider(moved(SLAB, (19.0, 0.0, 0.0)), pose=pose)) == pytest.approx(0.45, abs=0.12)


@pytest.mark.parametrize(
    ("blocker", "eye"),
    [
        pytest.param(moved(SLAB, (0.0, 80.0, 0.0)), (0, 0, 0), id="behind it"),
        pytest.param(moved(SLAB, (0.0, 65.0, 0.0)), (0, 0, 0), id="through its middle"),
        pytest.param(moved(SLAB, (0.0, 60.5, 0.0)), (0, 0, 0), id="through its front"),
        pytest.param(moved(SLAB, (0.0, -42.0, 0.0)), (0, 0, 0), id="eye inside"),
        pytest.param(moved(SLAB, (0.0, -44.0, 0.0)), (0, 0, 0), id="eye on the side towards the target"),
        pytest.param(moved(SLAB, (0.0, -40.0, 0.0)), (0, 0, 0), id="eye on the side away from it"),
        pytest.param(box((-20.0, -20.0, -20.0), (20.0, 200.0, 20.0)), (0, 0, 0), id="eye and target inside"),
        pytest.param(moved(SLAB, (0.0, -90.0, 0.0)), (0, 0, 0), id="behind the eye"),
        pytest.param(moved(SLAB, (24.5, 0.0, 0.0)), (0, 0, 0), id="beside it"),
        pytest.param(square(40.0, (0.0, 40.0, 0.0)), (0, 0, 0), id="a sheet"),
    ],
)
def test_nothing_is_in_the_shadow_of(blocker: Mesh, eye: Any) -> None:
    assert share_left(hider(blocker, eye=eye)) == 1.0


def test_a_target_inside_is_hidden() -> None:
    assert hider(box((-20.0, 50.0, -20.0), (20.0, 200.0, 20.0))).hides_all()


@pytest.mark.parametrize("width", [0.01, 1.0])
def test_what_is_seen_through_a_tunnel_is_left(width: float) -> None:
    """The wall round it is one closed surface."""
    filled = np.ones((3, 1, 3), dtype=np.bool_)
    filled[1, 0, 1] = False
    around = np.array([-20.0, 0.3, 0.3 + width, 20.0])
    drilled = solid(filled, (around, np.array([40.0, 41.0]), around))
    one = hider(drilled)
    assert not one.hides_all()
    grid = first_grid(one.view)
    left = one.left(grid, np.arange(grid.count))
    columns, rows, _ = one.view.project(np.array([[0.3 + width / 2, 40.5, 0.3 + width / 2]]))
    assert int(rows[0] // grid.size) * grid.columns + int(columns[0] // grid.size) in left


def test_what_may_be_seen_through_a_lid_is_left() -> None:
    """A slab without a triangle of its front, or of its back: boxes in it hide what lies beside the triangle's box."""
    for missing in (4, 5, 6, 7):
        faces = np.delete(SLAB.faces, missing, axis=0)
        lid = SLAB.vertices[SLAB.faces[missing]]
        one = hider(mesh(SLAB.vertices, faces))
        assert not one.hides_all()
        grid = first_grid(one.view)
        left = one.left(grid, np.arange(grid.count))
        place = lid.mean(axis=0)
        columns, rows, _ = one.view.project(place[None])
        cell = int(rows[0] // grid.size) * grid.columns + int(columns[0] // grid.size)
        is_in_picture = 0.0 <= columns[0] < one.view.width and 0.0 <= rows[0] < one.view.height
        assert not is_in_picture or cell in left


def test_a_cell_is_hidden_by_one_box_alone() -> None:
    """Two slabs with a slit between them of less than a thousandth of a cell."""
    left, right = box((-20, 40, -20), (0.0, 44, 20)), box((0.001, 40, -20), (20, 44, 20))
    for blockers in ([left, right], [joined(left, right)]):
        one = hider(*blockers)
        assert not one.hides_all()
        grid = Grid.of(one.view.width, one.view.height, 4.0)
        cells = one.left(grid, np.arange(grid.count))
        columns, _, _ = one.view.project(np.array([[0.0005, 44.0, 0.0]]))
        low = grid.corners(cells)[0]
        assert ((low <= columns[0]) & (columns[0] < low + 4.0)).any()
        assert len(cells) < 0.3 * grid.count


def test_a_hole_elsewhere_lets_nothing_through() -> None:
    """A slab without a face far from the way to the target hides it as a whole slab does."""
    filled = np.ones((5, 1, 5), dtype=np.bool_)
    planes = np.linspace(-60.0, 60.0, 6)
    slab = solid(filled, (planes, np.array([40.0, 44.0]), planes))
    middles = slab.vertices[slab.faces].mean(axis=1)
    for place, is_hidden in (((50.0, 44.0, 50.0), True), ((-50.0, 44.0, 2.0), True), ((0.0, 40.0, 0.0), False)):
        missing = np.linalg.norm(middles - place, axis=1).argmin()
        one = hider(mesh(slab.vertices, np.delete(slab.faces, missing, axis=0)))
        assert one.hides_all() == is_hidden
        assert (share_left(one) == 0.0) == is_hidden


def test_cells_beside_a_hole_are_hidden() -> None:
    """Of a slab that hides a part of the picture, only the cells that its hole touches are left besides the others."""
    fine = np.linspace(-1.0, 2.0, 10)
    planes = (np.append(fine, 40.0), np.array([40.0, 44.0]), np.array([-20.0, *fine, 20.0]))
    slab = solid(np.ones((10, 1, 11), dtype=np.bool_), planes)
    middles = slab.vertices[slab.faces].mean(axis=1)
    whole = hider(slab)
    grid = Grid.of(whole.view.width, whole.view.height, 4.0)
    low = grid.corners(np.arange(grid.count))
    without = whole.left(grid, np.arange(grid.count))
    assert 0 < len(without) < grid.count
    for place in ((1.2, 44.0, 0.8), (0.9, 44.0, -0.5), (0.5, 44.0, 1.6)):
        missing = np.linalg.norm(middles - place, axis=1).argmin()
        one = hider(mesh(slab.vertices, np.delete(slab.faces, missing, axis=0)))
        columns, rows, _ = one.view.project(corners(*bounds_of(slab.vertices[slab.faces[missing]])))
        touched = (low[0] <= columns.max()) & (low[0] + 4.0 >= columns.min())
        touched &= (low[1] <= rows.max()) & (low[1] + 4.0 >= rows.min())
        expected = np.union1d(without, np.flatnonzero(touched))
        assert len(without) < len(expected) < grid.count
        left = one.left(grid, np.arange(grid.count))
        assert set(left) <= set(expected)
        assert set(left) >= set(np.flatnonzero(touched))


def bounds_of(points: Floats) -> tuple[Floats, Floats]:
    return points.min(axis=0), points.max(axis=0)


def test_the_greatest_value_of_lines_in_a_window() -> None:
    """It is that at a corner."""
    chance = np.random.default_rng(2)
    some, window = chance.normal(0.0, 1.0, (7, 6, 3)), np.array([-3.0, 8.0, 2.0, 5.0])
    places = np.array([[column, row, 1.0] for column in window[:2] for row in window[2:]])
    assert _greatest(some, window) == pytest.approx((some @ places.T).max(axis=2))
