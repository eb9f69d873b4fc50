"""Cases of sight in which things touch, share a plane or go through each other, or the eye is where no eye should be;
and ordinary ones, for comparison."""

from __future__ import annotations

from typing import Any

import numpy as np

from silhouette.common.geometry import Floats, Pose, unit
from silhouette.meshes.mesh import Mesh
from silhouette.renderers.views import VisionArc, fighter_arc, vehicle_arc
from tests.support import shapes
from tests.support.sight_cases import Case, any_eye, any_pixel, any_size, any_target, box_from, figure, placed

Random = np.random.Generator


def _box_target(random: Random) -> tuple[Mesh, Floats, Floats]:
    """A box along the world's axes, at whole millimetres, and its least and greatest corner."""
    low = np.round(random.uniform([-200, -200, 0], [200, 200, 40]))
    high = low + np.round(random.uniform(8, 40, 3))
    return shapes.box(tuple(low), tuple(high)), low, high


def _turned_together(random: Random, meshes: list[Mesh], points: Floats) -> tuple[list[Mesh], Floats]:
    """Half of the time, everything turned about the vertical, so that planes are no longer exactly those of axes."""
    if random.random() < 0.5:
        return meshes, points
    pose = Pose.standing(random.uniform(-50, 50, 3), float(random.uniform(0, 360)))
    return [shapes.mesh(pose.place(mesh.vertices), mesh.faces) for mesh in meshes], pose.place(points[None])[0]


def coplanar(random: Random) -> Case:
    """Rectangles and boxes with a face in the plane of one of the target's faces."""
    target, low, high = _box_target(random)
    eye = high + random.uniform(20, 300, 3) * [1, 1, 0.4]
    blockers = []
    for _ in range(int(random.integers(1, 4))):
        axis = int(random.integers(3))
        ends = np.sort(low + random.uniform(-0.5, 1.5, (2, 3)) * (high - low), axis=0)
        ends[1, axis] = high[axis]
        if random.random() < 0.5:
            ends[0, axis] = high[axis] - random.uniform(0.5, 5)
            blockers.append(shapes.box(tuple(ends[0]), tuple(ends[1])))
        else:
            u, v = (axis + 1) % 3, (axis + 2) % 3
            corners = np.tile(ends[1], (4, 1))
            corners[:, u], corners[:, v] = ends[[0, 1, 1, 0], u], ends[[0, 0, 1, 1], v]
            blockers.append(shapes.quad(*corners))
    (target, *blockers), eye = _turned_together(random, [target, *blockers], eye)
    return Case(target, tuple(blockers), eye, pixel=any_pixel(random))


def shells(random: Random) -> Case:
    """The target's own surface once more, at the same place, or a little larger or smaller, or a part of it."""
    target = any_target(random, ("box", "figure", "ball"))
    eye = any_eye(random, target)
    middle = target.bounds.mean(axis=0)
    blockers = []
    for _ in range(int(random.integers(1, 3))):
        grown = 1.0 + float(random.choice([0.0, -1.0, 1.0])) * any_size(random, 1e-3, 0.1)
        copy = shapes.mesh(middle + grown * (target.vertices - middle), target.faces)
        blockers.append(copy if random.random() < 0.5 else copy.subset(random.random(len(copy.faces)) < 0.5))
    blockers = [one for one in blockers if len(one.faces)]
    return Case(target, tuple(blockers), eye, pixel=any_pixel(random))


def ground(random: Random) -> Case:
    """Rough ground between the eye and the target, or round its feet: many small contours, seen at a low angle."""
    target = any_target(random, ("box", "figure"))
    eye = any_eye(random, target)
    eye[2] = target.bounds[0, 2] + random.uniform(3, 40)
    low = target.bounds[0]
    share, size = random.uniform(0.0, 0.8), 11
    middle = low[:2] + share * (eye[:2] - low[:2])
    reach = random.uniform(8, 40)
    x, y = np.meshgrid(*(middle[:, None] + np.linspace(-reach, reach, size)))
    z = low[2] + random.normal(0, any_size(random, 0.05, 4.0), (size, size))
    number = np.arange(size * size).reshape(size, size)
    a, b, c, d = (part.ravel() for part in (number[:-1, :-1], number[:-1, 1:], number[1:, 1:], number[1:, :-1]))
    faces = np.concatenate([np.column_stack([a, b, c]), np.column_stack([a, c, d])])
    field = shapes.mesh(np.column_stack([x.ravel(), y.ravel(), z.ravel()]), faces)
    return Case(target, (field,), eye, pixel=any_pixel(random))


def standing(random: Random) -> Case:
    """A target on a floor, or on a block, whose top is the plane of its underside; and against a wall."""
    target, low, high = _box_target(random)
    middle = (low + high) / 2
    eye = middle + random.uniform(60, 300) * unit(np.append(random.normal(size=2), random.uniform(0.0, 0.8)))
    floor = shapes.box((low[0] - 300, low[1] - 300, low[2] - 5), (high[0] + 300, high[1] + 300, float(low[2])))
    reach = random.uniform(-3, 12, 4)
    block = shapes.box(
        (low[0] - reach[0], low[1] - reach[1], low[2] - 30), (high[0] + reach[2], high[1] + reach[3], float(low[2]))
    )
    wall = shapes.box(
        (high[0], low[1] - 20, low[2]), (high[0] + 4, high[1] + 9, float(high[2] + random.uniform(-9, 9)))
    )
    chosen = [one for one in (floor, block, wall) if random.random() < 0.6]
    (target, *blockers), eye = _turned_together(random, [target, *chosen], eye)
    return Case(target, tuple(blockers), eye, pixel=any_pixel(random))


def piercing(random: Random) -> Case:
    """Balls, boxes and leaning plates that go through the target."""
    target = any_target(random)
    eye = any_eye(random, target)
    low, high = target.bounds
    size = float(np.linalg.norm(high - low))
    blockers = []
    for _ in range(int(random.integers(1, 3))):
        place = random.uniform(low, high)
        kind = random.integers(3)
        if kind == 0:
            blockers.append(placed(shapes.sphere(size * random.uniform(0.1, 0.4), 8, 5), place))
        elif kind == 1:
            blockers.append(box_from(place, size * random.uniform(0.05, 0.8, 3), float(random.uniform(0, 90))))
        else:
            one, other = (unit(way) * size * random.uniform(0.3, 1.0) for way in random.normal(size=(2, 3)))
            blockers.append(
                shapes.quad(place - one - other, place + one - other, place + one + other, place - one + other)
            )
    return Case(target, tuple(blockers), eye, pixel=any_pixel(random))


def soups(random: Random) -> Case:
    """Triangles anywhere, through each other and on both sides of the eye."""

    def soup(count: int, middle: Any, reach: float) -> Mesh:
        corners = middle + random.uniform(-reach, reach, (count, 1, 3)) + random.normal(0, reach / 2, (count, 3, 3))
        return shapes.mesh(corners.reshape(-1, 3), np.arange(3 * count))

    ahead = random.uniform(40, 300)
    target = soup(int(random.integers(1, 9)), (ahead, 0, 20), 10.0)
    blockers = [
        soup(int(random.integers(1, 7)), (ahead * random.uniform(-0.1, 1.0), 0, 20), random.uniform(1, 9))
        for _ in range(int(random.integers(1, 4)))
    ]
    return Case(target, tuple(blockers), np.array([0.0, 0, 20.0]), pixel=any_pixel(random))


def eyes_on_blocks(random: Random) -> Case:
    """The eye on a face, an edge or a corner of a block in the way, in the plane of a face, or inside the block."""
    low, high = np.array([-20.0, -15.0, 0.0]), np.array([20.0, 15.0, float(random.integers(10, 40))])
    where = random.choice([0.0, 1.0, 0.5, random.random(), random.uniform(-0.5, 1.5)], 3)
    where[int(random.integers(3))] = float(random.integers(2))
    eye = low + where * (high - low)
    way = np.append(unit(random.normal(size=2)), 0.0) * random.uniform(40, 300)
    size = random.uniform([8, 8, 15], [30, 30, 60])
    target = box_from(
        np.round(eye + way + [0, 0, random.uniform(-20, 10)]), np.round(size), float(random.choice([0, 30]))
    )
    beside = shapes.box((-60.0, 30.0, 0.0), (60.0, 32.0, float(random.uniform(5, 45))))
    blockers = [shapes.box(tuple(low), tuple(high)), beside][: int(random.integers(1, 3))]
    (target, *blockers), eye = _turned_together(random, [target, *blockers], eye)
    return Case(target, tuple(blockers), eye, pixel=any_pixel(random))


def eyes_on_targets(random: Random) -> Case:
    """The eye on a face, an edge or a corner of the target, or in the plane of a face."""
    target, low, high = _box_target(random)
    where = random.choice([0.0, 1.0, 0.5, random.random()], 3)
    where[int(random.integers(3))] = float(random.integers(2))
    if random.random() < 0.6:  # in the plane only
        axis = int(random.integers(3))
        where[axis] = random.choice([-1, 1]) * random.uniform(2, 9)
    eye = low + where * (high - low)
    middle = (low + high) / 2
    wall = box_from(eye + random.uniform(0.2, 0.8) * (middle - eye), random.uniform(1, 12, 3))
    (target, wall), eye = _turned_together(random, [target, wall], eye)
    return Case(target, (wall,) if random.random() < 0.8 else (), eye, pixel=0.2)


def eyes_inside(random: Random) -> Case:
    """The eye in a room, exactly in the middle of it or not, among pieces."""
    half = np.round(random.uniform(20, 60, 3))
    walls = [side for side in range(6) if random.random() < 0.7] or [0]
    room = shapes.box(tuple(-half), tuple(half))
    target = room.subset(np.isin(np.arange(12) // 2, walls)) if random.random() < 0.7 else room
    eye = target.bounds.mean(axis=0) + (0.0 if random.random() < 0.6 else random.uniform(-0.5, 0.5, 3) * half)
    blockers = []
    for _ in range(int(random.integers(1, 4))):
        place = eye + unit(random.normal(size=3)) * random.uniform(6, 15)
        blockers.append(box_from(place, random.uniform(1, 12, 3), float(random.uniform(0, 90))))
    return Case(target, tuple(blockers), eye, pixel=0.4)


def close_vehicles(random: Random) -> Case:
    """A long hull so near that its ends lie 55° to 80° off the middle, its box's corners beyond; and a wall."""
    length, width, height = random.uniform([60, 25, 20], [160, 60, 50])
    angles = 2 * np.pi * (np.arange(8) + 0.5) / 8
    ring = np.column_stack([np.cos(angles) * length / 2, np.sin(angles) * width / 2])
    top = np.column_stack([ring * random.uniform(0.5, 1.0), np.full(8, height)])
    vertices = np.concatenate([np.column_stack([ring, np.zeros(8)]), top])
    faces = [[i, (i + 1) % 8, (i + 1) % 8 + 8] for i in range(8)] + [[i, (i + 1) % 8 + 8, i + 8] for i in range(8)]
    faces += [[8, 8 + i, 9 + i] for i in range(1, 7)] + [[0, i + 1, i] for i in range(1, 7)]
    hull = shapes.mesh(vertices, faces)
    angle = np.radians(random.uniform(50, 82))
    gap = length / 2 / np.tan(angle)
    eye = np.array([random.uniform(-0.1, 0.1) * length, -width * 0.35 - gap * 0.5, random.uniform(0.2, 1.1) * height])
    way = random.uniform((-length / 2, -width / 2, 0), (length / 2, 0, height)) - eye
    beside = box_from(eye + random.uniform(0.2, 0.7) * way, (random.uniform(1, 15), 1.0, random.uniform(1, height)))
    meshes, eye = _turned_together(random, [hull, beside], eye)
    return Case(meshes[0], (meshes[1],), eye, pixel=0.2)


def arcs_across(random: Random) -> Case:
    """The border of one or two vision arcs through the target, past none to three walls."""
    target = any_target(random, ("plate", "box", "box", "figure"))
    eye = any_eye(random, target)
    low, high = target.bounds[:, :2]
    apex = eye[:2] + random.uniform(-12, 12, 2) * (random.random() < 0.7)
    through = random.uniform(low, high)
    towards = float(np.degrees(np.arctan2(*(through - apex)[::-1])))
    arcs: tuple[VisionArc, ...] = (fighter_arc(apex, towards + 45.0 * float(random.choice([-1, 1]))),)
    if random.random() < 0.4:
        facing, names = (
            float(random.uniform(0, 360)),
            random.choice(["front", "left", "rear", "right"], 2, replace=False),
        )
        arcs = tuple(vehicle_arc(str(name), apex, facing, 120.0, 60.0) for name in names)
    return Case(target, _walls(random, target, eye, int(random.integers(0, 4))), eye, arcs, any_pixel(random))


def arc_slivers(random: Random) -> Case:
    """The border of an arc so near to the end of the target that all but 0.002 to 0.2 mm lies in it, or outside."""
    target = any_target(random, ("plate", "box", "ball"))
    eye = any_eye(random, target)
    apex = eye[:2] + random.uniform(-9, 9, 2)
    ways = target.vertices[:, :2] - apex
    middle = target.bounds.mean(axis=0)[:2] - apex
    angles = np.arctan2(ways[:, 1], ways[:, 0]) - np.arctan2(middle[1], middle[0])
    angles = (angles + np.pi) % (2 * np.pi) - np.pi
    side = float(random.choice([-1, 1]))
    end = int(np.argmax(side * angles))
    beyond = any_size(random, 0.002, 0.2) * float(random.choice([-1, 1])) / float(np.hypot(*ways[end]))
    border = np.arctan2(middle[1], middle[0]) + angles[end] + side * beyond
    towards = float(np.degrees(border)) + 45.0 * float(random.choice([-1, 1]))
    blockers = _walls(random, target, eye, int(random.integers(0, 3)))
    return Case(target, blockers, eye, (fighter_arc(apex, towards),), any_pixel(random))


def _walls(random: Random, target: Mesh, eye: Floats, count: int) -> tuple[Mesh, ...]:
    """Boxes on the way to a target, the thinner the nearer."""
    low, high = target.bounds
    far = np.linalg.norm((low + high) / 2 - eye)
    places = [eye + random.uniform(0.15, 0.9) * (random.uniform(low, high) - eye) for _ in range(count)]
    return tuple(
        box_from(place, random.uniform(1, 20, 3) * [*[np.linalg.norm(place - eye) / far] * 2, 1], turn)
        for place, turn in zip(places, random.uniform(0, 90, count), strict=True)
    )


def one_behind_another(random: Random) -> Case:
    """Four to eight walls, one behind another."""
    target = any_target(random)
    eye = any_eye(random, target)
    return Case(target, _walls(random, target, eye, int(random.integers(4, 9))), eye, pixel=any_pixel(random))


def from_above(random: Random) -> Case:
    """The eye straight above or below the middle of the target, past walls and wires."""
    target = any_target(random)
    low, high = target.bounds
    eye = (low + high) / 2 + [0.0, 0.0, float(random.choice([-1, 1])) * random.uniform(30, 200)]
    blockers = []
    for _ in range(int(random.integers(1, 4))):
        place = eye + random.uniform(0.2, 0.8) * (random.uniform(low, high) - eye)
        size = [any_size(random, 0.02, 12), any_size(random, 0.02, 12), 1.0]
        blockers.append(box_from(place, size, float(random.uniform(0, 90))))
    return Case(target, tuple(blockers), eye, pixel=any_pixel(random))


def turned_pieces(random: Random) -> Case:
    """Pieces that stand turned: the picture is taken at the middle of the box along the world's axes."""
    high, pose = (
        float(random.uniform(12, 40)),
        Pose.standing(random.uniform(-100, 100, 3), float(random.uniform(0, 360))),
    )
    target = shapes.joined(shapes.box((-20, -3, 0), (5, 3, 12)), shapes.box((5, -3, 0), (9, 22, high)))
    eye = pose.place([[*random.uniform(-30, 30, 2), 15.0]])[0] + [0.0, -float(random.uniform(30, 120)), 0.0]
    return Case(target, _walls(random, target, pose.localise(eye[None])[0], 2), eye, pixel=0.1, pose=pose)


def ordinary(random: Random) -> Case:
    """A figure past walls, figures and floors: nothing that is fine, nothing that touches."""
    target = placed(
        figure(random, float(random.uniform(20, 40))),
        (*random.uniform(-200, 200, 2), 0.0),
        float(random.uniform(0, 360)),
    )
    eye = any_eye(random, target, 100.0)
    blockers = list(_walls(random, target, eye, int(random.integers(1, 3))))
    if random.random() < 0.5:
        way = target.bounds.mean(axis=0) - eye
        place = eye + random.uniform(0.3, 0.8) * way + np.append(random.normal(0, 6, 2), 0.0)
        other = figure(random, float(random.uniform(20, 40)))
        blockers.append(placed(other, (place[0], place[1], place[2] - 18), float(random.uniform(0, 360))))
    if random.random() < 0.5:
        blockers.append(shapes.box((-600.0, -600.0, -4.0), (600.0, 600.0, 0.0)))
    return Case(target, tuple(blockers), eye)
