"""COUNT: what is obscured, exactly: half of it, next to nothing of it, and where surfaces cross."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import SimpleNamespace

import manifold3d
import numpy as np
import pytest

from silhouette.common.geometry import Floats, Pose
from silhouette.measure import occlusion as module
from silhouette.measure import silhouettes, tiles
from silhouette.measure.culling import outermost
from silhouette.measure.framing import framed
from silhouette.measure.observation import OcclusionCounts
from silhouette.measure.observe import observe
from silhouette.measure.occlusion import is_certain, occlusion
from silhouette.measure.silhouettes import Placed
from silhouette.meshes.mesh import Mesh
from silhouette.renderers import choose
from tests.support import shapes
from tests.support.hard_sights import case, faults
from tests.support.sight_cases import Case

EYE = np.array([0.0, 0.0, 25.0])


def counted(target: Mesh, *blockers: Mesh, pose: Pose | None = None) -> OcclusionCounts:
    one = Case(target, blockers, EYE if pose is None else pose.place(EYE[None])[0], pose=pose or Pose.standing())
    return observe(one.sight, choose(), 0.1).counts


@pytest.mark.parametrize("turn", [0.0, 17.0, 90.0, 233.3])
@pytest.mark.parametrize("x", [50.0, 290.0, 299.9])
def test_exactly_half_is_half_both_ways(turn: float, x: float) -> None:
    """A target symmetric about the plane y = 0, and a wall whose edge lies in it, as seen from an eye in it."""
    target = shapes.box((300, -10, 3), (320, 10, 33))
    pose = Pose.standing((123.4, -56.7, 8.9), turn)
    for wall in (shapes.box((x, 0, -99), (x + 0.05, 99, 99)), shapes.box((x, -99, -99), (x + 0.05, 0, 99))):
        counts = counted(target, wall, pose=pose)
        assert 2.0 * counts.occluded == counts.total
        assert counts.error < 1e-6


@pytest.mark.parametrize("width", [1e-3, 2e-4])
def test_a_slit_is_seen_through(width: float) -> None:
    target = shapes.box((300, -10, 3), (320, 10, 33))
    walls = shapes.box((295, -99, -99), (296, 0, 99)), shapes.box((295, width, -99), (296, 99, 99))
    counts = counted(target, *walls)
    assert 0.0 < counts.seen / counts.total == pytest.approx(width / 20.0, rel=0.1)


@pytest.mark.parametrize("width", [5e-5, 1e-9, 0.0])
def test_what_is_narrower_than_a_touch_is_no_gap(width: float) -> None:
    target = shapes.box((300, -10, 3), (320, 10, 33))
    walls = shapes.box((295, -99, -99), (296, 0, 99)), shapes.box((295, width, -99), (296, 99, 99))
    counts = counted(target, *walls)
    assert (counts.seen, counts.error_seen) == (0.0, 0.0)


FINELY = {"FEW_IN_TILE": 0, "FEW_IN_ALL": 0}
"""Tiles are parted as often as they may be."""

COARSELY = {"TILES_ACROSS": 5, "LEVELS": 1}
"""There are few, and they are not parted."""


@pytest.mark.parametrize("settings", [{}, FINELY, COARSELY, {"AT_ONCE": 7, "PAIRS_AT_ONCE": 5}])
@pytest.mark.parametrize(
    ("kind", "number"),
    [("shells", 0), ("ground", 0), ("piercing", 1), ("standing", 0), ("flipped faces", 2), ("soups", 3)],
)
def test_tiles_of_any_size_tell_the_same(
    kind: str, number: int, settings: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    one = case(kind, number)
    (picture,) = framed(one.sight, one.pixel).pictures
    exact = occlusion(picture)
    for name, value in {"FEW_TRIANGLE_PAIRS": 0, **settings}.items():
        monkeypatch.setattr(tiles, name, value)
    by_tiles = occlusion(picture)
    assert exact.doubt == by_tiles.doubt == 0.0
    assert (exact.obscured - by_tiles.obscured).area() <= 1e-3 + by_tiles.touching
    assert (by_tiles.obscured - exact.obscured).area() <= 1e-3 + exact.touching
    counts = observe(one.sight, choose(), one.pixel).counts
    share = one.exact().occluded
    assert abs(counts.occluded / counts.total - share) <= counts.error + 1e-6


@pytest.mark.parametrize(("kind", "number"), [("shells", 0), ("ground", 0), ("piercing", 1), ("standing", 0)])
def test_what_is_left_of_tiles_is_in_doubt(kind: str, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    one = case(kind, number)
    (picture,) = framed(one.sight, one.pixel).pictures
    exact = occlusion(picture)
    for name in ("FEW_TRIANGLE_PAIRS", "MOST_TILE_PAIRS", "FEW_IN_TILE"):
        monkeypatch.setattr(tiles, name, 0)
    doubts = []
    for few in (10**9, 0):  # nothing is parted, and all is
        monkeypatch.setattr(tiles, "FEW_IN_ALL", few)
        left = occlusion(picture)
        least = left.obscured.area()
        assert least - 1e-3 <= exact.obscured.area() <= least + left.doubt + left.touching + 1e-3
        doubts.append(left.doubt)
    assert doubts[1] <= doubts[0]
    assert doubts[0] > 0.0
    counts = observe(one.sight, choose(), one.pixel).counts
    assert abs(counts.occluded / counts.total - one.exact().occluded) <= counts.error + 1e-6


def rough_ground(cells: int, height: float) -> Mesh:
    """A square of 120 mm of small triangles, no two of which lie in one plane."""
    random = np.random.default_rng(cells)
    ends = np.linspace(-60.0, 60.0, cells + 1)
    x, y = np.meshgrid(ends, ends, indexing="ij")
    z = height * np.sin(x / 7.0) * np.cos(y / 5.0) + random.normal(0.0, height / 60.0, x.shape)
    number = np.arange(x.size).reshape(x.shape)
    a, b, c, d = (each.ravel() for each in (number[:-1, :-1], number[1:, :-1], number[1:, 1:], number[:-1, 1:]))
    return shapes.mesh(
        np.stack([x, y, z], axis=-1).reshape(-1, 3),
        np.vstack([np.column_stack(each) for each in ((a, b, c), (a, c, d))]),
    )


@pytest.mark.parametrize("settings", [{}, COARSELY])
@pytest.mark.parametrize("eye", [(-200.0, 30.0, 40.0), (-200.0, 0.0, 8.0), (-90.0, 20.0, 150.0)])
def test_a_fine_shape_sunk_into_fine_ground_is_counted_exactly(
    eye: tuple[float, float, float], settings: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Thousands of faces cross: the share is within the error of the witness, whatever tiles there are."""
    target, ground = shapes.moved(shapes.sphere(15.0, 60, 40), (0.0, 0.0, 8.0)), rough_ground(80, 3.0)
    one = Case(target, (ground,), np.array(eye))
    same = observe(one.sight, choose(), 0.1).counts
    for name, value in settings.items():
        monkeypatch.setattr(tiles, name, value)
    counts = observe(one.sight, choose(), 0.1).counts
    assert counts.error < 1e-4
    seen = observe(one.sight, choose("embree"), 0.05).counts
    assert abs(counts.occluded / counts.total - seen.occluded / seen.total) <= counts.error + seen.error
    assert counts.occluded / counts.total == pytest.approx(same.occluded / same.total, abs=2e-6)


@pytest.mark.parametrize("outline", [0.0, 1.0, -1.0])
def test_a_target_all_round_the_eye_has_no_rim_where_pictures_end(outline: float) -> None:
    pictures = framed(Case(shapes.sphere(40.0, 60, 41), (), np.array([3.0, 1.0, 2.0]), pixel=0.4).sight, 0.4).pictures
    assert len(pictures) == 6
    for picture in pictures:
        round_it = replace(picture, target=replace(picture.target, outline=outline))
        whole = occlusion(round_it, is_cube=True).whole
        assert whole.area() == pytest.approx(picture.view.width * picture.view.height, rel=1e-9)


@pytest.mark.parametrize("apart", [0.0, 5e-5, 2e-4, 1.0])
def test_what_touches_a_target_hides_nothing(apart: float) -> None:
    """A plate before a plate: nearer by less than a ten thousandth of a millimetre it only touches it."""
    target = shapes.square(20.0, (0, 300, 25))
    plate = shapes.square(10.0, (0, 300 - apart, 25))
    counts = counted(target, plate)
    if apart > 1e-4:
        assert counts.occluded / counts.total == pytest.approx(0.25, rel=0.02)
    else:
        assert counts.occluded == 0.0


@pytest.mark.parametrize("turn", [10.0, 20.0, 30.0])
def test_a_blocker_that_crosses_a_target_hides_what_it_is_before(turn: float) -> None:
    """A wall that pierces a box: what of it lies before the wall is seen."""
    wall = shapes.box((-100, -0.01, -99), (100, 0.01, 99))
    turned = shapes.mesh(Pose.standing((310.0, 0.0, 0.0), turn).place(wall.vertices), wall.faces)
    one = Case(shapes.box((300, -10, 3), (320, 10, 33)), (turned,), EYE)
    counts = observe(one.sight, choose(), 0.1).counts
    assert 0.0 < counts.occluded < counts.total
    assert abs(counts.occluded / counts.total - one.exact().occluded) <= counts.error + 1e-9


@pytest.mark.parametrize(("kind", "number"), [("interleaved", 0), ("piercing", 1), ("standing", 2), ("soups", 3)])
def test_tiles_and_lone_faces_change_nothing(kind: str, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    sight = case(kind, number)
    (picture,) = framed(sight.sight, sight.pixel).pictures
    areas, mixed = [], [0, 0, 0, 0]
    own_planes = module._own_planes

    def counted_triangles(placed: Placed, triangles: Floats) -> tuple[Floats, Floats]:
        mixed[len(areas)] += triangles.shape[1]
        return own_planes(placed, triangles)

    monkeypatch.setattr(module, "_own_planes", counted_triangles)
    for across, few, pairs in ((1, 0, 0), (128, 0, 0), (128, 10_000, 0), (128, 10_000, 10**9)):
        monkeypatch.setattr(tiles, "TILES_ACROSS", across)
        monkeypatch.setattr(tiles, "FEW_TRIANGLE_PAIRS", pairs)
        monkeypatch.setattr(module, "FEW_FACES", few)
        areas.append(occlusion(picture).obscured.area())
    assert areas == pytest.approx([areas[0]] * 4, abs=1e-5)
    assert mixed[0] >= mixed[1] == mixed[2] == mixed[3]


def test_a_hole_that_a_sweep_loses_is_noticed() -> None:
    """Put into another picture, the silhouette of these triangles has a notch that all but closes."""
    sight = case("soups", 71)
    assert not faults(observe(sight.sight, choose(), sight.pixel).counts, sight.exact())


def test_what_cannot_be_swept_well_is_left_in_doubt(monkeypatch: pytest.MonkeyPatch) -> None:
    sight = case("ordinary", 3)
    (picture,) = framed(sight.sight, sight.pixel).pictures
    assert occlusion(picture).doubt == 0.0
    monkeypatch.setattr(module, "SAME_AREA", -1.0)
    assert 0.0 <= occlusion(picture).doubt < 1e-3
    kept = occlusion(picture).obscured
    monkeypatch.undo()
    assert (kept - occlusion(picture).obscured).area() < 1e-3


@dataclass
class Swept:
    """Polygons, of which a sweep loses one pixel in some directions."""

    size: float
    turned: float = 0.0
    lossy: tuple[float, ...] = ()

    def rotate(self, turn: float) -> Swept:
        return Swept(self.size, self.turned + turn, self.lossy)

    def __xor__(self, _: Swept) -> Swept:
        return Swept(3.0 if self.turned in self.lossy else 4.0, self.turned)

    def __sub__(self, _: Swept) -> Swept:
        return Swept(6.0)

    def area(self) -> float:
        return self.size


@pytest.mark.parametrize(
    ("lossy", "size", "doubt"), [((), 4.0, 0.0), (module.TURNS[:1], 4.0, 0.0), (module.TURNS, 3.0, 1.0)]
)
def test_a_sweep_is_made_in_another_direction_where_areas_do_not_add_up(
    lossy: tuple[float, ...], size: float, doubt: float
) -> None:
    hidden = module._Target.covered_by(SimpleNamespace(whole=Swept(10.0)), Swept(5.0, lossy=lossy))  # type: ignore[arg-type]
    assert (hidden.polygons.area(), hidden.polygons.turned, hidden.doubt) == (size, 0.0, doubt)


@pytest.mark.parametrize(("kind", "number"), [("soups", 4), ("holes", 1), ("flipped faces", 2), ("standing", 2)])
def test_one_sweep_over_all_faces_covers_what_two_cover(
    kind: str, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    sight = case(kind, number)
    (picture,) = framed(sight.sight, sight.pixel).pictures
    areas = []
    for many in (-1.0, float("inf")):
        monkeypatch.setattr(silhouettes, "MANY_BORDERS", many)
        silhouettes.silhouette_alone.forget()
        counted = occlusion(picture)
        areas.append((counted.whole.area(), counted.obscured.area()))
    assert areas[0] == pytest.approx(areas[1], abs=1e-5)


def test_what_bounds_call_certain_is_so() -> None:
    certain = {True: 0, False: 0}
    kinds = ("piercing", "standing", "shells", "interleaved", "ground", "drilled", "foils", "ordinary")
    for one in (case(kind, number) for kind in kinds for number in range(8)):
        (picture, *others) = framed(one.sight, one.pixel).pictures
        columns, rows, depth = picture.view.project(outermost(picture.target))
        if others or depth.min() <= 0.0:
            continue
        outer = manifold3d.CrossSection.hull_points(np.column_stack([columns, rows]))
        exact = occlusion(picture)
        left = {True: exact.whole - exact.obscured, False: exact.obscured}
        for is_hidden in (True, False):
            if is_certain(picture, outer, is_hidden):
                certain[is_hidden] += 1
                assert left[is_hidden].area() < 1e-6
    assert all(certain.values())
