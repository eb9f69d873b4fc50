from __future__ import annotations

import math

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from silhouette.common.geometry import Floats
from silhouette.meshes.primitives import Box, Cylinder, Solid, Sphere, solid
from silhouette.scenes.ground import Ground, inset


def disc(radius: float, sides: int = 192) -> Floats:
    angles = 2 * np.pi * np.arange(sides) / sides
    return radius * np.stack([np.cos(angles), np.sin(angles)], axis=1)


def ground(*solids: Solid) -> Ground:
    mesh = solid(*solids)
    return Ground(mesh.vertices[mesh.faces])


def ramp(degrees: float) -> Ground:
    rise = math.tan(math.radians(degrees))
    corners = np.array([[-100, -100, 0], [100, -100, 0], [100, 100, 0], [-100, 100, 0]], float)
    corners[:, 2] = rise * corners[:, 0]
    return Ground(corners[[[0, 1, 2], [0, 2, 3]]])


@pytest.mark.parametrize("degrees", [0.0, 5.0, 20.0, 45.0, 75.0])
def test_a_disc_on_a_ramp_rests_on_its_uphill_rim(degrees: float) -> None:
    (z,) = ramp(degrees).heights(disc(16.0), np.array([[7.0, -3.0]]))
    assert z == pytest.approx((7.0 + 16.0) * math.tan(math.radians(degrees)), abs=1e-9)


def test_a_disc_rests_on_what_stands_in_the_middle_of_it_and_on_points() -> None:
    pin = ground(Solid(Box((200, 200, 5))), Solid(Cylinder(2.0, 9.0), at=(3, 2, 0)))
    cone = Ground([[[0, 0, 12], [3, 0, 0], [0, 3, 0]], [[0, 0, 12], [0, 3, 0], [-3, 0, 0]]])
    assert pin.heights(disc(16.0), np.array([[0.0, 0.0], [40.0, 0.0]])).tolist() == [9.0, 5.0]
    assert cone.heights(disc(16.0), np.array([[1.0, 1.0]])).tolist() == [12.0]


def test_a_hole_lets_nothing_through_but_what_is_smaller() -> None:
    frame = ground(*(Solid(Box((60, 20, 10)), at=(20 * x, 20 * y, 0), turn=90.0 * (x != 0)) for x, y in
                     ((0, 2), (0, -2), (2, 0), (-2, 0))))  # fmt: skip
    assert frame.heights(disc(29.0), np.zeros((1, 2))).tolist() == [-np.inf]
    assert frame.heights(disc(31.0), np.zeros((1, 2))).tolist() == [10.0]


def test_what_only_touches_a_side_is_not_under_the_base() -> None:
    box = ground(Solid(Box((40, 40, 30))))
    places = np.array([[36.0, 0.0], [36.0 - 0.005, 0.0], [35.9, 0.0]])
    assert box.heights(disc(16.0), places).tolist() == [-np.inf, -np.inf, 30.0]


def test_under_leaves_out_what_is_higher_and_cuts_slopes_but_not_walls() -> None:
    house = ground(
        Solid(Box((80, 80, 2))), Solid(Box((80, 80, 2)), at=(0, 0, 60)), Solid(Box((2, 80, 90)), at=(30, 0, 0))
    )
    places = np.array([[0.0, 0.0], [20.0, 0.0]])
    assert house.heights(disc(16.0), places).tolist() == [62.0, 90.0]
    assert house.heights(disc(16.0), places, under=30.0).tolist() == [2.0, 2.0]
    assert house.heights(disc(16.0), places, under=62.0).tolist() == [62.0, 62.0]
    assert house.heights(disc(16.0), places, under=1.0).tolist() == [-np.inf, -np.inf]
    assert ramp(20.0).heights(disc(16.0), np.array([[0.0, 0.0]]), under=3.0).tolist() == [3.0]
    assert ramp(80.0).heights(disc(16.0), np.array([[0.0, 0.0]]), under=3.0).tolist() == [-np.inf]


@pytest.mark.parametrize("under", [58.0, 59.0, 60.0, 61.0, 61.99])
def test_nobody_stands_on_the_underside_of_a_ceiling(under: float) -> None:
    house = ground(Solid(Box((80, 80, 2))), Solid(Box((80, 80, 2)), at=(0, 0, 60)))
    places = np.array([[0.0, 0.0], [36.0, 0.0], [44.0, 0.0]])
    assert house.heights(disc(16.0), places, under=under).tolist() == [2.0, 2.0, 2.0]
    near = house.near([-20, -20], [20, 20])
    assert near.heights(disc(16.0), places[:1], under=under).tolist() == [2.0]
    sheet = Ground(house.triangles[house.triangles[:, :, 2].max(axis=1) == 2.0])
    inside_out = Ground(sheet.triangles[sheet.triangles[:, :, 2].min(axis=1) == 2.0][:, ::-1])
    assert inside_out.heights(disc(16.0), places, under=under).tolist() == [2.0, 2.0, 2.0]


def test_under_leaves_out_a_wall_whose_triangles_are_small() -> None:
    floor, wall = Solid(Box((200, 200, 2))), Solid(Box((2, 80, 90)), at=(20, 0, 0))
    whole = ground(floor, wall)
    middles = (whole.triangles + np.roll(whole.triangles, 1, axis=1)) / 2
    pieces = [np.stack([whole.triangles[:, i], middles[:, (i + 1) % 3], middles[:, i]], axis=1) for i in range(3)]
    fine = Ground(np.concatenate([middles, *pieces]))
    near, on_top = np.array([[5.0, 0.0]]), np.array([[20.0, 0.0]])
    for each in (whole, fine):
        assert each.heights(disc(16.0), near, under=60.0).tolist() == [2.0]
        assert each.heights(disc(16.0), on_top, under=91.0).tolist() == [90.0]


def highest_under(triangles: Floats, base: shapely.Polygon) -> float:
    """mm: the highest point of triangles (m, 3, 3) under a base; -inf where there is none."""
    of_part, places = [], []
    for number, part in enumerate(shapely.intersection(shapely.polygons(triangles[:, :, :2]), base)):
        corners = shapely.get_coordinates(part)
        of_part.append(np.full(len(corners), number))
        places.append(corners)
    corners = triangles[np.concatenate(of_part)]
    ways = np.swapaxes(corners[:, 1:] - corners[:, :1], 1, 2)
    along = np.linalg.solve(ways[:, :2], np.concatenate(places)[:, :, None] - corners[:, 0, :2, None])
    return float((corners[:, 0, 2] + (ways[:, 2:] @ along)[:, 0, 0]).max(initial=-np.inf))


@settings(max_examples=30)
@given(
    seed=st.integers(0, 2**32 - 1),
    sides=st.integers(3, 40),
    many=st.booleans(),
)
def test_a_lowered_base_touches_and_does_not_penetrate(seed: int, sides: int, many: bool) -> None:
    """The oracle: what shapely cuts out of each triangle with the outline, whose highest corner is the highest point.

    What reaches less than a hundredth of a millimetre under the rim only touches it.
    """
    rng = np.random.default_rng(seed)
    triangles = rng.uniform(-20, 20, (60 if many else 12, 1, 3)) + rng.uniform(-8, 8, (60 if many else 12, 3, 3))
    terrain = Ground(triangles)
    outline = disc(rng.uniform(3, 15), sides)
    places = rng.uniform(-15, 15, (4, 2))
    heights = terrain.heights(outline, places)
    for place, height in zip(places, heights, strict=True):
        base = shapely.Polygon(outline + place)
        assert highest_under(triangles, base.buffer(-0.011)) <= height + 1e-6
        assert height <= highest_under(triangles, base) + 1e-6
    moved = Ground(triangles + np.array([7.0, -3.0, 11.0]))
    assert moved.heights(outline, places + np.array([7.0, -3.0])) == pytest.approx(heights + 11.0, abs=1e-6)


def test_many_places_at_once_give_what_each_gives_alone() -> None:
    rng = np.random.default_rng(5)
    terrain = ground(Solid(Sphere(60.0)), Solid(Box((30, 90, 12)), at=(40, 10, 0), turn=20.0))
    places = rng.uniform(-60, 90, (600, 2))
    together = terrain.heights(disc(12.5, 40), places)
    alone = [terrain.heights(disc(12.5, 40), place[None])[0] for place in places[:40]]
    assert together[:40].tolist() == alone
    assert np.isfinite(together).any()
    assert not np.isfinite(together).all()


@pytest.mark.parametrize("distance", [0.0, 1.0, 15.9])
def test_inset_of_a_disc(distance: float) -> None:
    smaller = inset(disc(16.0), distance)
    assert np.linalg.norm(smaller, axis=1) == pytest.approx(16.0 - distance, abs=0.01)


def test_inset_of_all_there_is_leaves_nothing() -> None:
    assert len(inset(disc(16.0), 16.1)) == 0


def test_vertical_lines_meet_the_skin_of_a_ball_twice() -> None:
    hits = ground(Solid(Sphere(20.0))).crossings(np.array([[0.3, 0.2], [50.0, 0.0]]))
    order = hits.z.argsort()
    assert hits.line.tolist() == [0, 0]
    assert hits.z[order] == pytest.approx([0.0, 20.0], abs=0.05)
    assert hits.sign[order].tolist() == [1, -1]
