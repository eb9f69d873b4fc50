"""The picture that is taken: flat where the target's own vertices fit it, else a cube; and eyes in odd places."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation
from shapely import Polygon, union_all

from silhouette.common.geometry import Floats, Pose, corners
from silhouette.measure.observation import Observation, Sight
from silhouette.measure.observe import observe
from silhouette.meshes.bounds import bounding_points, tighter_points
from silhouette.meshes.mesh import Mesh
from silhouette.renderers import Renderer, choose
from silhouette.renderers.views import VIEW_MARGIN_PX, fit_view, projection_of
from silhouette.scenes.table import BlockingPieces
from tests.support import shapes
from tests.support.hard_sights import case, faults

HERE = Pose.standing()
SEEDS = st.integers(0, 2**32 - 1)


def piece(mesh: Mesh, pose: Pose = HERE) -> Any:
    """What a measurement reads of a piece."""
    box = corners(*np.array([pose.place(mesh.vertices).min(axis=0), pose.place(mesh.vertices).max(axis=0)]))
    body = SimpleNamespace(significant=mesh, mesh=mesh, solid=False)
    return SimpleNamespace(model=body, pose=pose, body_box=box, body_middle=box.mean(axis=0), outline=0.0)


def seen(
    target: Mesh, blockers: Sequence[Mesh], eye: Any, renderer: Renderer, pixel: float = 0.1, facing: float = 0.0
) -> Observation:
    pairs = [(piece(mesh), mesh) for mesh in blockers]
    looked_at = piece(target)
    sight = Sight(looked_at, looked_at, np.asarray(eye, float), facing, None, BlockingPieces.of(pairs))
    return observe(sight, renderer, pixel)


def share(observation: Observation) -> float:
    return observation.counts.occluded / observation.counts.total


def axes_at(aim: Floats) -> Floats:
    """Right, up and forward of a flat picture straight at ``aim`` from the origin."""
    return shapes.looking((0, 0, 0), aim, 1.0).axes


def flat_share(target: Mesh, blocker: Polygon, aim: Floats) -> float:
    """The share of a target's picture that lies in ``blocker``, by exact polygons in the plane at distance one."""
    points = target.vertices @ axes_at(aim).T
    outline = union_all([Polygon(points[face, :2] / points[face, 2:]) for face in target.faces])
    return float(outline.intersection(blocker).area / outline.area)


@pytest.mark.long
@settings(max_examples=40)
@given(SEEDS)
def test_a_close_target_is_looked_at_in_a_flat_picture_where_its_vertices_fit_it(seed: int) -> None:
    """Triangles that lie aslant in their boxes, some of whose corners lie far beside them, or behind the eye."""
    random = np.random.default_rng(seed)
    count = int(random.integers(1, 5))
    triangles = random.uniform(-40, 40, (count, 3, 3)) + np.array([0, random.uniform(41, 50), 0])
    target = shapes.mesh(triangles.reshape(-1, 3), np.arange(3 * count))
    aim = (target.vertices.min(axis=0) + target.vertices.max(axis=0)) / 2
    ways = target.vertices @ axes_at(aim).T
    angles = np.degrees(np.arctan2(np.hypot(*ways.T[:2]), ways[:, 2]))
    assume(abs(angles.max() - 75.0) > 1e-6)
    # A rectangle nearer than all of the target, somewhere before it.
    picture = shapes.looking((0, 0, 0), aim, 1.0)
    middle, reach = random.uniform(-1.0, 1.0, 2), random.uniform(0.2, 2.0, 2)
    depth = min(1.0, 0.5 * abs(ways[:, 2]).min())
    rim = [middle + reach * end for end in ([-1, -1], [1, -1], [1, 1], [-1, 1])]
    plate = shapes.quad(*[depth * np.array([*end, 1.0]) @ picture.axes for end in rim])
    observation = seen(target, [plate], (0, 0, 0), choose(), pixel=0.2)
    assert observation.projection == ("flat" if angles.max() <= 75.0 else "cube")
    if observation.projection == "flat" and observation.counts.total:
        truth = flat_share(target, Polygon(rim), aim)
        assert share(observation) == pytest.approx(truth, abs=observation.counts.error + 0.002)


@pytest.mark.parametrize("widest", [60.0, 71.0, 74.9, 75.1])
def test_a_box_is_no_reason_for_a_cube(widest: float) -> None:
    """A wedge whose two ends lie ``widest`` degrees off the middle; its box has corners at the eye's own depth."""
    out = np.tan(np.radians(widest))
    slanted = [(-40 * out, 40, -30), (40 * out, 40, -30), (0, 40, 30), (0, 0.5 / out, 0.5), (0.2, 1.0, -0.5)]
    target = shapes.mesh(slanted, [[0, 1, 2], [0, 3, 2], [1, 2, 3], [3, 4, 1]])
    aim = (target.vertices.min(axis=0) + target.vertices.max(axis=0)) / 2
    ways = target.vertices @ axes_at(aim).T
    angle = np.degrees(np.arctan2(np.hypot(*ways.T[:2]), ways[:, 2])).max()
    observation = seen(target, [], (0, 0, 0), choose())
    assert observation.projection == ("flat" if angle <= 75 else "cube")


@settings(max_examples=40)
@given(SEEDS)
def test_whatever_takes_the_place_of_loose_boxes_all_of_the_target_is_in_the_picture(seed: int) -> None:
    random = np.random.default_rng(seed)
    ball = shapes.sphere(30, 24, 13)
    ball = shapes.mesh(ball.vertices * random.uniform(0.05, 1.0, 3), ball.faces)
    turn = Rotation.random(random_state=random).as_matrix()
    pose = Pose(turn, turn @ random.uniform(-10, 10, 3) + [0, 35, 0])
    points, vertices = pose.place(bounding_points(ball)), pose.place(ball.vertices)
    aim = (vertices.min(axis=0) + vertices.max(axis=0)) / 2
    eye, asked = np.zeros(3), list[int]()

    def tighter(fits: Any) -> Floats:
        asked.append(1)
        return pose.place(tighter_points(ball, lambda some: fits(pose.place(some))))

    views = fit_view(eye, aim, points, 0.1, tighter=tighter)
    assert projection_of(views) == projection_of(fit_view(eye, aim, vertices, 0.1))
    assert len(asked) <= 1
    if len(views) == 1:
        columns, rows, depth = views[0].project(vertices)
        assert (depth > 0).all()
        assert min(columns.min(), rows.min()) >= VIEW_MARGIN_PX - 1e-6
        assert columns.max() <= views[0].width - VIEW_MARGIN_PX + 1e-6
        assert rows.max() <= views[0].height - VIEW_MARGIN_PX + 1e-6


def test_a_far_target_is_not_asked_for_its_vertices() -> None:
    def tighter(fits: Any) -> Floats:
        raise AssertionError

    ball = shapes.sphere(30, 24, 13)
    assert projection_of(fit_view((0, -200, 0), (0, 0, 0), bounding_points(ball), 0.1, tighter=tighter)) == "flat"


@pytest.mark.parametrize("half", [1.0, 2.5])
def test_an_eye_at_the_middle_of_a_box_measures_what_is_round_it(renderer: Renderer, half: float) -> None:
    """A plate at half the way to one of the six sides covers its share of that face of the cube."""
    plate = shapes.quad((5, -half, -half), (5, half, -half), (5, half, half), (5, -half, half))
    observation = seen(shapes.cube(20), [plate], (0, 0, 0), renderer)
    assert observation.projection == "cube"
    assert observation.pixel > 0
    assert share(observation) == pytest.approx((half / 5) ** 2 / 6, abs=observation.counts.error + 2e-4)


ODD_EYES = {
    "corner": (10, 10, 10),
    "edge": (10, 10, 3),
    "side": (10, 2, 3),
    "just outside a side": (10.00001, 2, 3),
    "just inside a side": (9.99999, 2, 3),
    "middle": (0, 0, 0),
    "inside": (3, -2, 9),
    "level with the top": (40, 0, 10),
    "on the line of an edge": (40, 10, 10),
}


@pytest.mark.parametrize("eye", ODD_EYES.values(), ids=ODD_EYES)
def test_an_eye_anywhere_at_a_block_sees_all_of_it_where_nothing_is_in_the_way(renderer: Renderer, eye: Any) -> None:
    observation = seen(shapes.cube(20), [], eye, renderer, pixel=0.5)
    assert observation.counts.total > 100
    assert observation.counts.seen == observation.counts.total
    assert observation.counts.error == observation.counts.error_seen == 0


@pytest.mark.parametrize("eye", [(10, 10, 10), (10, 10, 3), (10, 2, 3)], ids=["corner", "edge", "side"])
def test_a_block_on_which_the_eye_lies_hides_what_is_behind_it_and_nothing_else(renderer: Renderer, eye: Any) -> None:
    block, ahead, behind = shapes.cube(20), shapes.moved(shapes.cube(20), (90, 15, 12)), (-90, -15, -12)
    free = seen(ahead, [block], eye, renderer)
    assert free.counts.occluded == 0
    hidden = seen(shapes.moved(shapes.cube(8), behind), [block], eye, renderer)
    assert hidden.counts.seen == 0


def test_an_eye_inside_a_closed_block_sees_nothing_beyond_it(renderer: Renderer) -> None:
    observation = seen(shapes.moved(shapes.cube(20), (90, 15, 12)), [shapes.cube(20)], (0, 0, 0), renderer)
    assert observation.counts.seen == 0
    assert observation.counts.error_seen == 0


@pytest.mark.parametrize("turn", [0.0, 31.7, 77.0])
def test_a_flat_target_seen_edge_on_has_no_pixel(renderer: Renderer, turn: float) -> None:
    pose = Pose.standing((300, 20, 5), turn=turn)
    sheet = shapes.quad((20, 0, 0), (60, 0, 0), (60, 0, 30), (20, 0, 30))
    sheet = shapes.mesh(pose.place(sheet.vertices), sheet.faces)
    eye = pose.place([[-200.0, 0.0, 12.0]])[0]
    observation = seen(sheet, [shapes.moved(shapes.cube(9), (eye[0] + 30, eye[1], eye[2]))], eye, renderer)
    assert observation.counts.total == 0
    assert observation.counts.occluded == 0


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_a_flat_target_is_measured_from_its_middle_and_from_before_it(renderer: Renderer, axis: int) -> None:
    """From its middle nothing of it is seen, since the eye lies in it."""
    ends = np.ones(3) * 20
    ends[axis] = 0
    x, y = (np.eye(3)[other] * 20 for other in range(3) if other != axis)
    sheet = shapes.quad(-x - y, x - y, x + y, y - x)
    assert seen(sheet, [], (0, 0, 0), renderer).counts.total == 0
    before = seen(sheet, [], 50 * np.eye(3)[axis], renderer)
    assert before.counts.total == pytest.approx((40 / 0.1) ** 2, rel=0.02)


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(SEEDS)
def test_an_eye_on_a_block_measures_the_share_that_lies_below_its_side(renderer: Renderer, seed: int) -> None:
    """A plate across the plane of the block's side, everything posed at random: what lies below the side is hidden."""
    random = np.random.default_rng(seed)
    turn = Rotation.random(random_state=random).as_matrix()
    move = random.uniform(-300, 300, 3)
    size = random.uniform(10, 40, 2)
    low, high = random.uniform(5, 30, 2)
    block = shapes.box((-size[0], -size[1], -90), (size[0], size[1], 0))
    eye = np.array([*(size * random.uniform(-0.9, 0.9, 2)), 0.0])
    plate = shapes.quad((150, -15, -low), (150, 15, -low), (150, 15, high), (150, -15, high))
    block, plate = (shapes.mesh(mesh.vertices @ turn.T + move, mesh.faces) for mesh in (block, plate))
    aim = (plate.vertices.min(axis=0) + plate.vertices.max(axis=0)) / 2
    axes = axes_at(aim - (turn @ eye + move))
    points = (np.array([[150, -15, -low], [150, 15, -low], [150, 15, high], [150, -15, high]]) - eye) @ turn.T @ axes.T
    level = (np.array([[150, -15, 0], [150, 15, 0]]) - eye) @ turn.T @ axes.T
    flat, edge = points[:, :2] / points[:, 2:], level[:, :2] / level[:, 2:]
    truth = Polygon([flat[0], flat[1], edge[1], edge[0]]).area / Polygon(flat).area
    observation = seen(plate, [block], turn @ eye + move, renderer, pixel=0.2)
    assert share(observation) == pytest.approx(truth, abs=observation.counts.error + 1e-3)


@pytest.mark.slow
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(SEEDS)
def test_what_ends_in_the_plane_of_the_targets_face_obscures_nothing(renderer: Renderer, seed: int) -> None:
    """A crate let into a wall, flush with its face, and a sheet on the face: posed at random, seen from before it."""
    random = np.random.default_rng(seed)
    pose = Pose(Rotation.random(random_state=random).as_matrix(), random.uniform(-300, 300, 3))
    wall = shapes.box((-40, 0, -30), (40, 20, 30))
    crate = shapes.box((random.uniform(-30, 0), 0, random.uniform(-20, 0)), (random.uniform(5, 30), 9, 15))
    sheet = shapes.quad(*[(x, 0, z) for x, z in random.uniform(-25, 25, (4, 2))])
    eye = np.array([random.uniform(-150, 150), -(10 ** random.uniform(0.5, 2.5)), random.uniform(-80, 80)])
    posed = [shapes.mesh(pose.place(mesh.vertices), mesh.faces) for mesh in (wall, crate, sheet)]
    observation = seen(posed[0], posed[1:], pose.place(eye[None])[0], renderer, pixel=0.4)
    assert observation.counts.total > 0
    assert observation.counts.occluded == 0


@pytest.mark.parametrize("kind", ["coplanar", "eyes on blocks", "eyes on targets", "close vehicles", "turned pieces"])
def test_exact_shares_agree_whatever_touches_and_however_pieces_stand(renderer: Renderer, kind: str) -> None:
    for number in range(3):
        one = case(kind, number)
        assert faults(observe(one.sight, renderer, one.pixel).counts, one.exact()) == []
