"""How hard a proof tries, how finely it looks, and where it gives up: each bound is reached, and kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from silhouette.common.geometry import Flags, Floats, Pose
from silhouette.measure import covering, polygons, shadows, unobscured
from silhouette.measure import hidden as hidden_module
from silhouette.measure.cells import Grid
from silhouette.measure.contours import Contours, Placed
from silhouette.measure.hidden import Unproven, first_grid, unproven_hidden
from silhouette.measure.patches import Patches
from silhouette.measure.polygons import uncovered
from silhouette.measure.regions import Regions
from silhouette.measure.sampling import Picture
from silhouette.measure.strips import Pieces, in_cells, open_contours
from silhouette.measure.unobscured import unproven_open
from silhouette.meshes.clusters import clusters_of
from silhouette.meshes.mesh import Mesh
from silhouette.renderers.protocol import NEAREST_DEPTH_MM, Body, Layer
from silhouette.renderers.reference import ReferenceRenderer
from silhouette.renderers.views import View, fit_view
from tests.support.shapes import box, joined, mesh, moved, quad, square

HERE = Pose.standing()
EYE = np.zeros(3)


def view_of(target: Mesh, pixel: float = 0.1) -> View:
    (view,) = fit_view(EYE, target.bounds.mean(axis=0), target.vertices, pixel)
    return view


def bodies(*shapes: Mesh) -> list[Body]:
    return [Body(number, shape, HERE) for number, shape in enumerate(shapes, 1)]


def hidden(target: Mesh, *blockers: Mesh, thorough: bool = True, renderer: Any = None) -> Unproven:
    first, *others = bodies(target, *blockers)
    return unproven_hidden(view_of(target), first, others, renderer or ReferenceRenderer(), thorough)


def before(target: Mesh, *blockers: Mesh, thorough: bool = True) -> Unproven:
    first, *others = bodies(target, *blockers)
    return unproven_open(view_of(target), first, others, thorough)


def wall(left: float, right: float, depth: float = 50.0) -> Mesh:
    return quad((left, depth, -60), (right, depth, -60), (right, depth, 60), (left, depth, 60))


def lines(start: Any, end: Any, side: float = 1.0, doubt: float = 1e-6, gap: float = 0.0) -> Contours:
    """Contours from places (n, 2) to places (n, 2), column and row."""
    first, last = np.array(start, np.float64).T, np.array(end, np.float64).T
    each = np.ones(first.shape[1])
    return Contours(first, last, side * each, doubt * each, gap * each)


TARGET = square(20.0, (0.0, 100.0, 0.0))


@pytest.mark.parametrize(("width", "size"), [(1024, 16.0), (1040, 32.0), (2080, 64.0)])
def test_the_first_cells_are_16_pixels_wide_or_no_more_than_4096(width: int, size: float) -> None:
    view = replace(view_of(TARGET), width=width, height=1024 if width < 2048 else 2080)
    assert first_grid(view).size == size


@pytest.mark.parametrize(("high", "is_tried"), [(32.0, True), (39.0, False)])
def test_a_quick_proof_tries_32_cells_that_no_blocker_hides_alone(high: float, is_tried: bool) -> None:
    """Two walls meet before the middle of the target: in 0.9 cells for each millimetre, since the picture is rolled."""
    target = quad((-1, 100, -high / 2), (1, 100, -high / 2), (1, 100, high / 2), (-1, 100, high / 2))
    left = hidden(target, wall(-30, 0), wall(0, 30), thorough=False)
    assert (left.area == 0.0) == is_tried
    assert hidden(target, wall(-30, 0), wall(0, 30)).area == 0.0


@pytest.mark.parametrize(("thorough", "size"), [(False, 4.0), (True, 0.25)])
def test_what_is_not_hidden_is_left_in_quarters_of_a_pixel(thorough: bool, size: float) -> None:
    """A quick proof cuts cells into four, along each side, once."""
    left = hidden(TARGET, wall(-30, 0.0), wall(0.01, 30), thorough=thorough)
    assert set(left.blocks[:, 2:].ravel().tolist()) == {size}


def test_what_is_before_the_target_is_left_in_cells_of_four_pixels() -> None:
    left = before(TARGET, square(0.1, (0.0, 50.0, 0.0)))
    assert set(left.blocks[:, 2:].ravel().tolist()) == {4.0}


@pytest.mark.parametrize(("deep", "groups"), [(1.9, 1), (2.1, 2), (50.0, 2)])
def test_contours_are_taken_for_two_groups_of_two_millimetres_of_depth(deep: float, groups: int) -> None:
    depths = np.linspace(100.0, 100.0 + deep, 40)
    found = list(hidden_module._by_depth(depths))
    assert len(found) == groups
    assert sorted(np.concatenate([group for group, _ in found]).tolist()) == list(range(40))
    assert all(far == depths[group].min() for group, far in found)


def test_what_float32_tells_surely_is_several_roundings_away() -> None:
    for depth in np.geomspace(10.0, 5000.0, 40):
        surely = (depth - covering.before(depth)) / 2.0 - NEAREST_DEPTH_MM
        assert 8.0 <= surely / np.spacing(np.float32(depth)) <= 17.0


def test_rays_are_sent_beside_the_middles_of_cells() -> None:
    """By 0.0437 of a cell: in the middle itself a model on round coordinates may have an edge."""
    asked = list[Floats]()

    class Noting(ReferenceRenderer):
        def render(self, view: View, bodies: Sequence[Body], pixels: Any = None) -> Layer:
            asked.append(np.array(pixels))
            return super().render(view, bodies, pixels)

    hidden(TARGET, wall(-30, 30), renderer=Noting())
    rows, columns = (asked[0] + 0.5).T / 16.0 % 1.0
    assert columns == pytest.approx(0.5437)
    assert rows == pytest.approx(0.4563)


@pytest.mark.parametrize(("faces", "is_tried"), [(2000, True), (2500, False)])
def test_five_million_pairs_of_faces_in_one_cell_are_compared(
    faces: int, is_tried: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    grid, none = Grid.of(16, 16, 16.0), Unproven.joined([])
    monkeypatch.setattr(hidden_module.Surfaces, "of", lambda *_: SimpleNamespace(first=np.array([0, faces])))
    monkeypatch.setattr(hidden_module, "_by_faces", lambda *_: none)
    monkeypatch.setattr(hidden_module._Target, "of", lambda *_: None)
    patches = SimpleNamespace(least=np.zeros(1), greatest=np.ones(1))
    view, (target,) = view_of(TARGET), bodies(TARGET)
    scene = covering.Occluders(
        view, ReferenceRenderer(), [], grid.window(np.array([0]), 16.0), {}, lambda blocks: blocks[:, 0] >= 0.0
    )
    part: Any = hidden_module._Part(grid, np.array([0]), patches)  # type: ignore[arg-type]
    assert (hidden_module._exactly(scene, Placed.of(view, target), part) is none) == is_tried


class Parts:
    """So many parts of a target's faces, all of them in one cell."""

    grid = Grid.of(16, 16, 16.0)

    def __init__(self, count: int) -> None:
        self.cell = self.pair = np.zeros(count, np.int64)
        self.least, self.area = np.full(count, 100.0), np.full(count, 1e-3)

    def cut(self, *_: object) -> Parts:
        return self

    def regions(self) -> Parts:
        return self

    def window(self) -> Floats:
        return np.zeros(4)

    def chosen(self, which: Any) -> Parts:
        return Parts(len(self.cell[which]))


@pytest.mark.parametrize(("count", "is_tried"), [(8000, True), (8400, False)])
def test_8192_parts_of_faces_are_proven_exactly(count: int, is_tried: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hidden_module, "uncovered", lambda found, surfaces, regions, far: regions.least < 0.0)
    scene = covering.Occluders(
        view_of(TARGET), ReferenceRenderer(), bodies(), np.zeros(4), {}, lambda blocks: blocks[:, 0] >= 0.0
    )
    monkeypatch.setattr(covering.Occluders, "contours_in", lambda *_: None)
    parts: Any = Parts(count)
    assert (hidden_module._by_faces(scene, None, parts).area == 0.0) == is_tried  # type: ignore[arg-type]


def asked_about(found: Contours, answer: Any, regions: int = 1) -> Flags:
    """Which regions are open, of contours that are each alone in its region, or all in one."""
    grid = Grid.of(16, 16, 16.0)
    line, cell, enter, leave, through = in_cells(found, grid, np.array([0]))
    region = cell if regions == 1 else line
    pieces = Pieces.of(found, line, region, enter, leave)
    return open_contours(found, pieces, line, region, regions, answer, through)


def upright(count: int) -> Contours:
    """Lines side by side, far apart."""
    across = np.linspace(1.0, 15.0, count)
    return lines(np.column_stack([across, np.full(count, 2.0)]), np.column_stack([across, np.full(count, 12.0)]))


@pytest.mark.parametrize(("count", "is_tried"), [(900, True), (1100, False)])
def test_a_million_pairs_of_pieces_in_one_cell_are_compared(count: int, is_tried: bool) -> None:
    found = asked_about(upright(count), lambda places, _: np.ones(places.shape[1], dtype=np.bool_))
    assert found.tolist() == [not is_tried]


def test_a_piece_is_asked_in_its_middle_then_next_to_its_ends() -> None:
    asked = list[list[float]]()

    def answer(places: Floats, _: object) -> Flags:
        asked.append(sorted(places[1].tolist()))
        return np.zeros(places.shape[1], dtype=np.bool_)

    assert asked_about(upright(1), answer).tolist() == [True]
    assert asked[0] == pytest.approx([7.0])
    assert asked[1] == pytest.approx([2.0, 12.0], abs=1e-5)
    assert len(asked) == 2


def test_pieces_are_asked_again_twice() -> None:
    """One more is proven each time that they are asked: in the first round twice, then once a round."""

    def answer(places: Floats, _: object) -> Flags:
        return np.arange(places.shape[1]) == 0

    assert asked_about(upright(12), answer, regions=12).sum() == 12 - 4


def test_a_piece_is_followed_beyond_its_cell_by_ten_widths_of_its_strip() -> None:
    found = lines([[-5.0, 8.0]], [[21.0, 8.0]], gap=0.05)
    _, _, enter, leave, _ = in_cells(found, Grid.of(16, 16, 16.0), np.array([0]))
    assert 26.0 * (leave - enter) == pytest.approx(16.0 + 2 * 10 * 0.1)


@pytest.mark.parametrize(("length", "has_sides"), [(1.1e-6, True), (0.9e-6, False)])
def test_a_line_of_a_millionth_of_a_pixel_has_no_sides(length: float, has_sides: bool) -> None:
    found = lines([[5.0, 5.0]], [[5.0 + length, 5.0]])
    reach = found.reach(np.array([0]), np.array([[5.0], [7.0]]))
    assert np.isfinite(reach).tolist() == [has_sides]


@pytest.mark.parametrize(("high", "is_kept"), [(2.5e-6, True), (1.5e-6, False)])
def test_a_part_of_a_face_that_float64_cannot_tell_from_a_line_is_left_out(high: float, is_kept: bool) -> None:
    """Half of its height, the area of one pixel of its length, is compared."""
    triangle = np.array([[[2.0, 12.0, 2.0]], [[3.0, 3.0, 3.0 + high]]])
    found = Regions.of(Grid.of(16, 16, 16.0), np.array([0]), triangle, np.full((1, 3), 0.01), np.array([100.0]))
    assert len(found.cell) == is_kept


@pytest.mark.parametrize(("faces", "is_tried"), [(90, True), (110, False)])
def test_a_quick_proof_compares_a_hundred_faces(faces: int, is_tried: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unobscured.Planes, "faces", lambda *_: np.arange(faces))
    monkeypatch.setattr(unobscured, "_compared", lambda *_: Unproven.joined([]))
    blocker = square(0.1, (0.0, 50.0, 0.0))
    assert (before(TARGET, blocker, thorough=False).area == 0.0) == is_tried
    assert before(TARGET, blocker).area == 0.0


def test_200_000_pairs_of_faces_are_compared_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two nets of 1,058 faces in the same four pixels: the pairs of one before the other are a million."""
    steps = np.linspace(-0.15, 0.15, 24)
    x, z = (part.ravel() for part in np.meshgrid(steps, steps))
    corner = np.arange(23 * 24).reshape(23, 24)[:, :-1].ravel()
    faces = np.concatenate([corner[:, None] + [0, 1, 24], corner[:, None] + [1, 25, 24]])
    target, other = (mesh(np.column_stack([x, depth + slant * x, z]), faces) for depth, slant in ((100, 0), (99.9, 1)))
    counts, is_before = list[int](), unobscured._is_before

    def noted(theirs: Any, face: Any, own: Any, which: Any) -> Any:
        counts.append(len(face))
        return is_before(theirs, face, own, which)

    monkeypatch.setattr(unobscured, "_is_before", noted)
    first, second = bodies(target, other)
    view = replace(view_of(square(20.0, (0.0, 100.0, 0.0))), left=-0.0021, top=0.0021)
    unproven_open(view, first, [second])
    assert 150_000 < max(counts) <= 200_000


@pytest.mark.parametrize(("overlap", "is_apart"), [(0.9e-7, True), (1.1e-7, False)])
def test_triangles_that_overlap_by_a_ten_millionth_of_a_pixel_only_touch(overlap: float, is_apart: bool) -> None:
    first = np.array([[[0.0, 1.0, 0.0]], [[0.0, 0.0, 1.0]], [[0.01, 0.01, 0.01]]])
    second = first * [[[-1.0]], [[1.0]], [[1.0]]] + [[[overlap]], [[0.0]], [[0.0]]]
    assert (unobscured._apart(first, second) | unobscured._apart(second, first)).tolist() == [is_apart]


def test_faces_are_cut_where_they_would_lie_a_hundred_million_pixels_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """A wall beside the eye: what of it is nearer than that has no place of which float64 could be sure."""
    depths, cut = list[float](), unobscured._cut_nearer

    def noted(points: Floats, nearest: float) -> Floats:
        depths.append(nearest)
        return cut(points, nearest)

    monkeypatch.setattr(unobscured, "_cut_nearer", noted)
    beside = quad((8e4, -10.0, -8e4), (1.0, 1.0, -1.0), (9.0, 120.0, 0.0), (0.0, 120.0, 1.0))
    before(TARGET, beside)
    middle = clusters_of(beside).middle
    reach = float(np.linalg.norm(middle) + np.linalg.norm(beside.vertices - middle, axis=1).max())
    assert depths[0] == pytest.approx(reach / view_of(TARGET).step / 1e8)
    assert depths[0] > 2 * NEAREST_DEPTH_MM


@pytest.mark.parametrize(("away", "is_outside"), [(0.011, True), (0.009, False)])
def test_an_eye_a_hundredth_of_a_millimetre_from_a_surface_may_touch_it(away: float, is_outside: bool) -> None:
    shell = np.array([[[0.0, 0.0, 0.0], [10.0, 10.0, 10.0]]])
    for eye in ((5.0, -away, 5.0), (5.0, 5.0, 10.0 + away)):
        assert shadows._is_outside(np.array(eye), shell).tolist() == [is_outside]


def test_the_shadow_of_a_mesh_from_an_eye_is_worked_out_once() -> None:
    (body,) = bodies(box((-5, 40, -5), (5, 50, 5)))
    view = view_of(TARGET)
    first, other = (replace(view, eye=np.array([x, 0.0, 0.0])) for x in (0.0, 39.0))
    assert shadows.Shadows.of(first, body) is shadows.Shadows.of(first, body)
    assert shadows.Shadows.of(first, body) is not shadows.Shadows.of(other, body)


@pytest.mark.parametrize(("pixels", "patches"), [(45, 1), (48, 2)])
def test_a_cluster_wider_than_four_cells_is_bounded_face_by_face(pixels: int, patches: int) -> None:
    """In a picture that is rolled the box round a square is wider than the square by three eighths."""
    (body,) = bodies(square(0.1 * pixels, (0.0, 100.0, 0.0)))
    view = view_of(TARGET)
    found = Patches.of(Placed.of(view, body), Grid.of(view.width, view.height, 16.0), np.array([0]))
    assert len(found.least) == patches


def blocks(count: int) -> Floats:
    """(count, 4) pixels in the middle of the picture of `TARGET`."""
    place = np.stack(np.divmod(np.arange(count), 20), axis=1) + 100.0
    return np.hstack([place, np.ones((count, 2))])


@pytest.mark.parametrize(("count", "left"), [(60, 0), (70, 70)])
def test_64_cells_are_looked_at_as_polygons(count: int, left: int) -> None:
    target, blocker = bodies(TARGET, wall(-30, 30))
    picture = Picture(view_of(TARGET), target, [blocker], None)
    assert len(uncovered(picture, blocks(count))) == left


@pytest.mark.parametrize(("gap", "is_filled"), [(0.7e-9, True), (1.5e-9, False)])
def test_a_gap_of_a_thousand_millionth_of_a_cell_is_none(gap: float, is_filled: bool) -> None:
    corners = np.array([[[0, 0], [1, 0], [1, 1 - gap]], [[0, 0], [1, 1 - gap], [0, 1 - gap]]], np.float64)
    assert polygons._is_filled(corners, np.array([0.0, 0.0, 1.0, 1.0])) == is_filled


def test_a_cluster_has_64_faces() -> None:
    """Between 32 and 128 a search for contours takes as long."""
    plates = joined(*(moved(square(1.0), (0.0, 2.0 * number, 0.0)) for number in range(320)))
    assert len(clusters_of(plates).radii) == 10


@pytest.mark.parametrize(("high", "has_normal"), [(1.1e-6, True), (0.9e-6, False)])
def test_a_face_thinner_than_a_millionth_of_a_millimetre_has_no_normal(high: float, has_normal: bool) -> None:
    sliver = mesh([(0.0, 0.0, 0.0), (10.0, 0.0, 0.0), (0.0, 0.0, high)], [(0, 1, 2)])
    assert clusters_of(sliver).planes[0, :3].any() == has_normal
