"""A closed mesh has no boundary, whatever it looked like before; and a point is inside it or not."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from silhouette.files.cache import Cache
from silhouette.meshes.health import boundary, inspect
from silhouette.meshes.holes import CLOSING, WELD, close, encloses
from silhouette.meshes.mesh import Mesh, read_mesh

BOX_FACES = [
    [0, 2, 1], [1, 2, 3], [4, 5, 6], [5, 7, 6], [0, 1, 4], [1, 5, 4],
    [2, 6, 3], [3, 6, 7], [0, 4, 2], [2, 4, 6], [1, 3, 5], [3, 7, 5],
]  # fmt: skip
FLOOR, LID = slice(0, 2), slice(2, 4)


def mesh_of(vertices, faces):
    return Mesh(np.array(vertices, dtype=float), np.array(faces, np.int32), np.zeros(len(faces), np.int32))


def box(without=()):
    corners = [[i & 1, i >> 1 & 1, i >> 2 & 1] for i in range(8)]
    kept = [face for number, face in enumerate(BOX_FACES) if number not in without]
    return mesh_of(np.array(corners) * [40.0, 30.0, 20.0], kept)


def sphere(rows=16, columns=24, radius=10.0):
    polar = np.linspace(0.0, np.pi, rows + 1)[1:-1]
    turn = np.linspace(0.0, 2.0 * np.pi, columns, endpoint=False)
    ring = np.stack(
        [
            np.outer(np.sin(polar), np.cos(turn)),
            np.outer(np.sin(polar), np.sin(turn)),
            np.outer(np.cos(polar), turn**0),
        ],
        axis=-1,
    )
    vertices = np.concatenate([ring.reshape(-1, 3), [[0, 0, 1], [0, 0, -1]]]) * radius
    number = np.arange((rows - 1) * columns).reshape(rows - 1, columns)
    around = np.roll(number, -1, axis=1)
    faces = [
        np.stack([number[:-1], number[1:], around[1:]], axis=-1).reshape(-1, 3),
        np.stack([number[:-1], around[1:], around[:-1]], axis=-1).reshape(-1, 3),
        np.stack([np.full(columns, len(vertices) - 2), number[0], around[0]], axis=-1),
        np.stack([np.full(columns, len(vertices) - 1), around[-1], number[-1]], axis=-1),
    ]
    return mesh_of(vertices, np.concatenate(faces))


def heightfield(height, cells=12, width=100.0):
    x, y = np.meshgrid(np.linspace(-1, 1, cells + 1), np.linspace(-1, 1, cells + 1))
    vertices = np.stack([x * width / 2, y * width / 2, height(x, y)], axis=-1).reshape(-1, 3)
    number = np.arange((cells + 1) ** 2).reshape(cells + 1, cells + 1)
    a, b, c, d = number[:-1, :-1], number[:-1, 1:], number[1:, :-1], number[1:, 1:]
    faces = np.concatenate([np.stack([a, b, d], -1).reshape(-1, 3), np.stack([a, d, c], -1).reshape(-1, 3)])
    return mesh_of(vertices, faces)


def is_open(mesh):
    return len(boundary(mesh.faces, len(mesh.vertices))) > 0


def test_a_mesh_without_boundary_comes_back_itself():
    whole = box()
    closed = close(whole)
    assert closed.mesh is whole
    assert (closed.holes, closed.area_grown, closed.sentence) == (0, 0.0, "nothing was open")


def test_a_missing_wall_is_closed_flat():
    closed = close(box(without=(8, 9)))
    assert not is_open(closed.mesh)
    assert closed.holes == 1
    assert closed.area_grown == pytest.approx(30.0 * 20.0)
    assert closed.share_grown == pytest.approx(600.0 / (2 * (1200 + 800 + 600) - 600))
    assert closed.largest == pytest.approx(np.hypot(30.0, 20.0))
    assert "1 hole" in closed.sentence
    assert "36.1 mm across" in closed.sentence


def test_the_added_faces_are_a_part_of_their_own():
    closed = close(box(without=(8, 9)))
    names = [closed.mesh.part_names[index] for index in closed.mesh.part]
    assert names.count(CLOSING) == 4
    assert names[:10] == ["mesh"] * 10


def test_a_missing_underside_is_closed_by_a_floor():
    closed = close(box(without=(0, 1)))
    assert not is_open(closed.mesh)
    assert closed.area_grown == pytest.approx(1200.0)
    assert closed.skirts == 1
    assert closed.mesh.bounds.tolist() == box().bounds.tolist()


def test_a_missing_roof_is_closed_by_a_lid_and_not_by_a_skirt():
    closed = close(box(without=(2, 3)))
    assert not is_open(closed.mesh)
    assert closed.skirts == 0
    assert closed.area_grown == pytest.approx(1200.0)
    assert encloses(closed.mesh, [20.0, 15.0, 19.0])


def test_a_height_field_gets_a_skirt_and_a_floor():
    hill = heightfield(lambda x, y: 20.0 - 10.0 * (x * x + y * y) + 5.0)
    closed = close(hill)
    assert not is_open(closed.mesh)
    assert closed.skirts == closed.holes == 1
    assert "skirt" in closed.sentence
    assert encloses(closed.mesh, [1.0, 1.0, 20.0])
    assert not encloses(closed.mesh, [1.0, 1.0, 26.0])
    assert closed.mesh.bounds[0].tolist() == pytest.approx(hill.bounds[0].tolist())


def test_a_crater_is_not_covered():
    crater = heightfield(lambda x, y: 10.0 * (x * x + y * y))
    closed = close(crater)
    assert closed.skirts == 1
    assert not encloses(closed.mesh, [1.0, 1.0, 5.0])


def test_a_hairline_crack_is_welded_and_is_no_hole():
    whole = box()
    loose = whole.vertices[whole.faces].reshape(-1, 3)
    loose = loose + np.random.default_rng(1).uniform(-0.2, 0.2, loose.shape) * WELD * 40.0
    cracked = mesh_of(loose, np.arange(len(loose)).reshape(-1, 3))
    assert is_open(cracked)
    closed = close(cracked)
    assert not is_open(closed.mesh)
    assert (closed.holes, closed.area_grown) == (0, 0.0)
    assert len(closed.mesh.vertices) == 8
    assert "cracks" in closed.sentence


def test_a_slit_without_width_between_unequal_edges_is_closed_but_is_no_hole():
    corners = [[0, 0, 0], [10, 0, 0], [0, 10, 0], [0, 0, 10], [5, 0, 0]]
    slit = mesh_of(corners, [[0, 2, 1], [0, 4, 3], [4, 1, 3], [1, 2, 3], [2, 0, 3]])
    closed = close(slit)
    assert not is_open(closed.mesh)
    assert closed.holes == 0


def test_a_slit_is_closed_by_cutting_the_faces_along_it_and_not_by_faces_without_area():
    # A bar whose one end is a fan of many edges along the two edges of the other.
    count = 40
    along = np.linspace(0.0, 10.0, count + 1)
    corners = [[0, 10, 0], [5, 0, 10], [0, 0, 0], [10, 0, 0], *[[x, 0, 0] for x in along[1:-1]], [3.3, 0, 0]]
    row = [2, *range(4, 3 + count), 3]
    faces = [[0, two, one] for one, two in itertools.pairwise(row)]
    faces += [[1, 2, len(corners) - 1], [1, len(corners) - 1, 3], [0, 1, 3], [1, 0, 2]]
    slit = mesh_of(corners, faces)
    assert is_open(slit)
    assert inspect(slit.faces, slit.vertices).holes == 0
    closed = close(slit)
    assert not is_open(closed.mesh)
    assert (closed.holes, closed.area_grown) == (0, 0.0)
    assert CLOSING not in closed.mesh.part_names
    sides = closed.mesh.vertices[closed.mesh.faces]
    areas = np.linalg.norm(np.cross(sides[:, 1] - sides[:, 0], sides[:, 2] - sides[:, 0]), axis=1) / 2
    assert areas.min() > 1e-3
    before = slit.vertices[slit.faces]
    whole = np.linalg.norm(np.cross(before[:, 1] - before[:, 0], before[:, 2] - before[:, 0]), axis=1) / 2
    assert areas.sum() == pytest.approx(whole.sum())


def test_what_two_shells_share_is_inside_and_so_is_what_one_turned_inside_out_holds():
    one = box()
    corners = np.concatenate([one.vertices, one.vertices + np.array([20.0, 0.5, 5.0])])
    both = mesh_of(corners, np.concatenate([one.faces, one.faces + len(one.vertices)]))
    assert encloses(both, [30.0, 15.0, 10.0])
    assert encloses(both, [10.0, 15.0, 10.0])
    assert encloses(both, [50.0, 15.0, 10.0])
    assert not encloses(both, [30.0, 15.0, 30.0])
    assert not encloses(both, [10.0, 15.0, 22.0])
    inside_out = mesh_of(one.vertices, one.faces[:, ::-1])
    assert encloses(inside_out, [10.0, 15.0, 10.0])
    assert not encloses(inside_out, [10.0, 15.0, -10.0])


def test_faces_turned_against_each_other_leave_inside_inside():
    ball = sphere()
    turned = ball.faces.copy()
    turned[::3] = turned[::3, ::-1]
    mixed = mesh_of(ball.vertices, turned)
    for x, y in np.random.default_rng(3).uniform(-6.0, 6.0, (60, 2)):
        assert encloses(mixed, [x, y, 0.0])
        assert not encloses(mixed, [x, y, 11.0])
        assert not encloses(mixed, [x, y, -11.0])


def test_a_hollow_is_not_inside():
    outer, inner = sphere(radius=10.0), sphere(radius=5.0)
    faces = np.concatenate([outer.faces, inner.faces[:, ::-1] + len(outer.vertices)])
    hollow = mesh_of(np.concatenate([outer.vertices, inner.vertices]), faces)
    assert encloses(hollow, [7.0, 0.1, 0.2])
    assert not encloses(hollow, [0.3, 0.1, 0.2])


@settings(max_examples=40)
@given(st.lists(st.integers(0, 719), min_size=1, max_size=400, unique=True), st.integers(0, 2**32 - 1))
def test_whatever_is_cut_out_of_a_sphere_no_edge_stays_open_and_every_ray_from_outside_leaves_again(cut, seed):
    whole = sphere()
    kept = np.ones(len(whole.faces), dtype=bool)
    kept[cut] = False
    closed = close(whole.subset(kept))
    assert not is_open(closed.mesh)
    assert closed.holes >= 1
    # Far above nothing is left to cross, far below a ray must leave as often as it enters: both are outside.
    for x, y in np.random.default_rng(seed).uniform(-11.0, 11.0, (5, 2)):
        assert not encloses(closed.mesh, [x, y, -50.0])
        assert not encloses(closed.mesh, [x, y, 50.0])


@settings(max_examples=20)
@given(st.lists(st.integers(0, 719), min_size=1, max_size=20, unique=True), st.integers(0, 2**32 - 1))
def test_a_sphere_with_a_few_holes_is_closed_near_where_it_was(cut, seed):
    whole = sphere()
    kept = np.ones(len(whole.faces), dtype=bool)
    kept[cut] = False
    closed = close(whole.subset(kept))
    random = np.random.default_rng(seed)
    for direction in random.normal(size=(10, 3)):
        direction /= np.linalg.norm(direction)
        assert encloses(closed.mesh, direction * 1.0)
        assert not encloses(closed.mesh, direction * 10.5)


@settings(max_examples=40)
@given(st.integers(1, 12), st.integers(1, 40), st.integers(0, 2**32 - 1))
def test_any_soup_of_triangles_is_closed(points, triangles, seed):
    random = np.random.default_rng(seed)
    vertices = random.integers(0, 4, (points + 2, 3)) * 10.0
    faces = np.array([random.choice(points + 2, 3, replace=False) for _ in range(triangles)])
    soup = mesh_of(vertices + random.uniform(0, 1, vertices.shape), faces)
    assert not is_open(close(soup).mesh)


def test_a_flat_sheet_is_closed_without_falling_over():
    sheet = mesh_of([[0, 0, 0], [10, 0, 0], [10, 10, 0], [0, 10, 0]], [[0, 1, 2], [0, 2, 3]])
    assert not is_open(close(sheet).mesh)
    wall = mesh_of([[0, 0, 0], [10, 0, 0], [10, 0, 10], [0, 0, 10]], [[0, 1, 2], [0, 2, 3]])
    assert not is_open(close(wall).mesh)


def test_inside_is_inside_for_rays_through_edges_and_vertices():
    ball = sphere()
    for point, inside in [([0, 0, 0], True), ([0, 0, 9.9], True), ([0, 0, 10.1], False), ([0, 0, -10.1], False)]:
        assert encloses(ball, point) is inside
    cube = box()
    assert encloses(cube, [20.0, 15.0, 10.0])  # the diagonals of floor and lid run through this place
    assert encloses(cube, [10.0, 7.5, 10.0])
    assert not encloses(cube, [10.0, 7.5, -10.0])
    assert not encloses(cube, [40.0, 15.0, -1.0])
    assert not encloses(cube, [50.0, 15.0, 10.0])


@settings(max_examples=50)
@given(st.tuples(*[st.floats(-1.3, 1.3) for _ in range(3)]), st.integers(0, 2**32 - 1))
def test_inside_a_turned_box_is_what_its_own_coordinates_say(place, seed):
    random = np.random.default_rng(seed)
    turn, _ = np.linalg.qr(random.normal(size=(3, 3)))
    half = np.array([20.0, 15.0, 10.0])
    assume(np.abs(np.abs(place) - 1.0).min() >= 1e-6)  # not on the box's surface, where rounding decides
    cube = box()
    turned = Mesh((cube.vertices - half) @ turn.T, cube.faces, cube.part)
    assert encloses(turned, turn @ (np.array(place) * half)) == bool((np.abs(place) < 1.0).all())


@pytest.mark.long
def test_real_scans_and_terrain_are_closed_in_a_moment(shared):
    files = [
        "scans/odedstein-lionstatue/lionstatue.obj",
        "scans/pmndrs-market/model.gltf",
        "terrain/odedstein-mountain/mountain.obj",
        "terrain/webxr-samples/cave.gltf",
        "terrain/webxr-samples/garage.gltf",
        "terrain/cqterrain/window_lattice.stl",
    ]
    for file in files:
        mesh = read_mesh(shared / "meshes" / file, Cache(None)).mesh
        if not file.endswith(".stl"):
            mesh = Mesh(mesh.vertices[:, [0, 2, 1]] * [1.0, -1.0, 1.0], mesh.faces, mesh.part, mesh.part_names)
        assert is_open(mesh) or file.endswith(".stl")
        closed = close(mesh)
        assert not is_open(closed.mesh)
        assert inspect(closed.mesh.faces, closed.mesh.vertices).watertight


def test_a_closed_mountain_encloses_what_is_under_it(shared):
    mesh = read_mesh(shared / "meshes/terrain/odedstein-mountain/mountain.obj", Cache(None)).mesh
    mountain = Mesh(mesh.vertices[:, [0, 2, 1]] * [1.0, -1.0, 1.0], mesh.faces, mesh.part, mesh.part_names)
    closed = close(mountain)
    assert closed.skirts == 1
    low, high = closed.mesh.bounds
    middle = (low + high) / 2.0
    assert encloses(closed.mesh, [middle[0], middle[1], low[2] + 0.01])
    assert not encloses(closed.mesh, [middle[0], middle[1], high[2] + 0.01])
