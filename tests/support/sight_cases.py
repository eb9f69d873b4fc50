"""What cases of sight are made of: a case, targets, and screens before them with any pattern cut out of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import shapely
import trimesh
from shapely import MultiPolygon, Polygon
from shapely.affinity import rotate, translate

from silhouette.common.geometry import Floats, Pose, unit
from silhouette.measure.observation import Sight
from silhouette.meshes.mesh import Mesh
from silhouette.models.model import BODY, Model
from silhouette.renderers.views import ROLL, VisionArc
from silhouette.scenes.pieces import Piece
from silhouette.scenes.table import BlockingPieces
from tests.support import shapes
from tests.support.exact_shares import ExactShares, exact_shares

HERE = Pose.standing()

GRID = tuple(ROLL + float(np.degrees(np.arctan(slope))) for slope in (0.0, 1.0, 0.5, 1 / 3, 2.0))
"""Degrees against the upright: along the rows of the sampling grid, and lines that climb it in equal steps."""


@dataclass(frozen=True, eq=False)
class Case:
    """A target, what may be in the way, and an eye.

    Attributes:
        target, blockers: meshes in their own frames; all stand at ``pose``.
        eye: (3,) mm, in the world.
        arcs: None for no limit.
        pixel: mm per pixel at the target.
    """

    target: Mesh
    blockers: tuple[Mesh, ...]
    eye: Floats
    arcs: tuple[VisionArc, ...] | None = None
    pixel: float = 0.1
    pose: Pose = HERE

    @property
    def sight(self) -> Sight:
        """The case as the rules describe it to the measurement."""
        attacker, target, *others = (
            _piece(name, mesh, self.pose, number)
            for number, (name, mesh) in enumerate(
                [
                    ("attacker", self.target),
                    ("target", self.target),
                    *((f"blocker {number}", mesh) for number, mesh in enumerate(self.blockers, 1)),
                ]
            )
        )
        occluders = BlockingPieces.of((piece, piece.model.mesh) for piece in others)
        return Sight(attacker, target, self.eye, 90.0, self.arcs, occluders)

    def exact(self, each: bool = False) -> ExactShares:
        """The exact shares."""
        target, *blockers = (
            Mesh(self.pose.place(mesh.vertices), mesh.faces, mesh.part) for mesh in (self.target, *self.blockers)
        )
        return exact_shares(target, blockers, self.eye, self.arcs, each=each)


def _piece(name: str, mesh: Mesh, pose: Pose, index: int) -> Piece:
    role = np.full(len(mesh.faces), BODY, np.uint8)
    model = Model(
        "parts", "terrain", mesh, role, None, None, 90.0, False, "parts", "mm", "given", "z", True, 0, ()
    )  # fmt: skip
    return Piece(name, "terrain", model, pose, None, 90.0, ("front",), None, {}, index)


@dataclass(frozen=True, eq=False)
class Screen:
    """A plane before a target, on which what is drawn is in mm at the target: along u, right, and along v, up.

    Where the screen leans, what is drawn on it is drawn so that it looks the same from the eye.

    Attributes:
        eye: (3,) mm.
        axes: (3, 3) right, up, and forward to the middle of the target's box.
        distance: of that middle.
        depth: of the screen's middle.
        lean: how fast one over its depth changes along u and v, as shares per mm.
    """

    eye: Floats
    axes: Floats
    distance: float
    depth: float
    lean: tuple[float, float] = (0.0, 0.0)

    @classmethod
    def before(cls, target: Mesh, eye: Any, share: float, lean: tuple[float, float] = (0.0, 0.0)) -> Screen:
        """At this share of the way from the eye to the middle of the target's box."""
        way = target.bounds.mean(axis=0) - np.asarray(eye)
        forward = unit(way)
        right = unit(np.cross(forward, [0.0, 0.0, 1.0]))
        distance = float(np.linalg.norm(way))
        return cls(
            np.asarray(eye), np.array([right, np.cross(right, forward), forward]), distance, share * distance, lean
        )

    def place(self, points: Any) -> Floats:
        """(n, 3) mm, in the world, of points (n, 2) of the screen."""
        u, v = np.asarray(points, dtype=np.float64).T
        right, up, forward = self.axes
        depth = self.depth / (1.0 + self.lean[0] * u + self.lean[1] * v)
        ways = forward + np.multiply.outer(u / self.distance, right) + np.multiply.outer(v / self.distance, up)
        return self.eye + depth[:, None] * ways

    def draw(self, shape: Any) -> Mesh:
        """The mesh of a shapely polygon, or of many; holes are holes, and neighbours share their corners."""
        polygons = list(shape.geoms) if isinstance(shape, MultiPolygon) else [shape]
        parts = [trimesh.creation.triangulate_polygon(polygon, engine="earcut") for polygon in polygons]
        starts = np.cumsum([0, *[len(corners) for corners, _ in parts]])
        faces = [faces + start for (_, faces), start in zip(parts, starts, strict=False)]
        return shapes.mesh(self.place(np.concatenate([corners for corners, _ in parts])), np.concatenate(faces))

    def drill(self, shape: Polygon, thickness: float) -> Mesh:
        """The closed solid of a polygon and as much behind it, its holes drilled straight along the way forward."""
        front = self.draw(shape)
        back = shapes.moved(front, tuple(thickness * self.axes[2]))
        sides = []
        for ring in (shape.exterior, *shape.interiors):
            near = self.place(ring.coords)
            far = near + thickness * self.axes[2]
            sides += [shapes.quad(*corners) for corners in zip(near[:-1], near[1:], far[1:], far[:-1], strict=True)]
        return shapes.joined(front, shapes.flipped(back), *sides)

    def seen(self, mesh: Mesh) -> Floats:
        """(n, 2) where the corners of a mesh before the eye are seen on the screen."""
        right, up, ahead = ((mesh.vertices - self.eye) @ self.axes.T).T
        return self.distance * np.column_stack([right / ahead, up / ahead])

    def outline(self, mesh: Mesh) -> Floats:
        """(4,) the least u and v and the greatest u and v of a mesh."""
        places = self.seen(mesh)
        return np.concatenate([places.min(axis=0), places.max(axis=0)])

    def image(self, mesh: Mesh) -> Any:
        """The shapely polygon, or polygons, of a mesh as it is seen on the screen."""
        return shapely.union_all(shapely.polygons(self.seen(mesh)[mesh.faces]), grid_size=1e-9)


def rectangle(middle: Any, width: float, height: float, turn: float = 0.0) -> Polygon:
    """A rectangle, turned by degrees about its middle."""
    (u, v), w, h = middle, width / 2, height / 2
    return rotate(shapely.box(u - w, v - h, u + w, v + h), turn, origin=(u, v))


def disc(middle: Any, diameter: float, corners: int = 6) -> Polygon:
    """A regular polygon of that greatest width."""
    angles = 2 * np.pi * np.arange(corners) / corners + 0.3
    return Polygon(np.asarray(middle) + diameter / 2 * np.column_stack([np.cos(angles), np.sin(angles)]))


def bars(reach: float, width: float, period: float, turn: float, phase: float = 0.0) -> MultiPolygon:
    """Bars across a circle of that radius, turned by degrees: ``width`` of each ``period``."""
    count = int(reach / period) + 1
    upright = [
        shapely.box(place, -reach, place + width, reach) for place in (np.arange(-count, count) + phase) * period
    ]
    return rotate(MultiPolygon(upright), turn, origin=(0, 0))


def scattered(random: np.random.Generator, shape: Polygon, outline: Any, count: int) -> MultiPolygon:
    """So many copies of a small shape, anywhere in the rectangle (4,), merged where they overlap."""
    places = random.uniform(outline[:2], outline[2:], (count, 2))
    together = shapely.union_all([translate(shape, u, v) for u, v in places])
    return together if isinstance(together, MultiPolygon) else MultiPolygon([together])


def box_from(middle: Any, size: Any, turn: float = 0.0) -> Mesh:
    """A box about its middle, turned by degrees about the vertical."""
    half = np.asarray(size, dtype=np.float64) / 2
    return placed(shapes.box(tuple(-half), tuple(half)), middle, turn)


def placed(shape: Mesh, at: Any, turn: float = 0.0) -> Mesh:
    """A mesh, turned by degrees about the vertical through the origin, then moved."""
    return shapes.mesh(Pose.standing(at, turn).place(shape.vertices), shape.faces)


def figure(random: np.random.Generator, height: float) -> Mesh:
    """Two legs, a trunk and a head, of boxes and a ball, standing at the origin."""
    w = height / 6
    legs = [box_from((side * w, 0, height * 0.2), (w, w * 1.2, height * 0.4)) for side in (-0.6, 0.6)]
    trunk = box_from((0, 0, height * 0.6), (w * 2.4, w * 1.5, height * 0.4), float(random.uniform(-20, 20)))
    head = placed(shapes.sphere(height / 10, 6, 3), (0, 0, height * 0.9))
    arm = box_from((w * 1.8, w, height * 0.65), (w * 0.6, w * 3, w * 0.6))
    return shapes.joined(*legs, trunk, head, arm)


def any_target(random: np.random.Generator, kinds: Sequence[str] = ("plate", "box", "figure", "ball")) -> Mesh:
    """A target of 5 to 40 mm somewhere on the table."""
    kind, at, turn = random.choice(kinds), [*random.uniform(-200, 200, 2), 0.0], float(random.uniform(0, 360))
    if random.random() < 0.3:
        at, turn = [round(value) for value in at], 90.0 * float(random.integers(4))
    wide, deep, high = random.uniform([5, 5, 8], [25, 25, 40])
    if kind == "plate":
        mesh = shapes.quad((-wide / 2, 0, 0), (wide / 2, 0, 0), (wide / 2, 0, high), (-wide / 2, 0, high))
    elif kind == "box":
        mesh = shapes.box((-wide / 2, -deep / 2, 0), (wide / 2, deep / 2, high))
    elif kind == "figure":
        mesh = figure(random, high)
    else:
        mesh = shapes.moved(shapes.sphere(wide / 2, 9, 6), (0.0, 0.0, high / 2))
    return placed(mesh, at, turn)


def any_eye(random: np.random.Generator, target: Mesh, least: float = 60.0, most: float = 500.0) -> Floats:
    """An eye somewhere round a target, before its plate if it is one."""
    distance, height = np.exp(random.uniform(np.log(least), np.log(most))), random.uniform(-0.3, 0.8)
    normal = np.cross(*(target.vertices[target.faces[0][1:]] - target.vertices[target.faces[0][0]]))[:2]
    angle = np.arctan2(normal[1], normal[0]) + random.uniform(-1.0, 1.0)
    way = unit(np.array([np.cos(angle), np.sin(angle), height * random.random()]))
    return np.asarray(target.bounds.mean(axis=0) + distance * way)


def any_screen(random: np.random.Generator, target: Mesh, eye: Floats, nearest: float = 0.1) -> Screen:
    """Before the target, anywhere on the way to it, from this share on; a third of them lean."""
    size = float(np.linalg.norm(np.ptp(target.bounds, axis=0)))
    farthest = max(1.0 - 0.8 * size / float(np.linalg.norm(target.bounds.mean(axis=0) - eye)), nearest)
    lean = tuple(random.uniform(-0.004, 0.004, 2)) if random.random() < 0.3 else (0.0, 0.0)
    return Screen.before(target, eye, float(random.uniform(nearest, farthest)), lean)


def any_size(random: np.random.Generator, least: float = 0.02, most: float = 0.5) -> float:
    """Any order of magnitude alike."""
    return float(np.exp(random.uniform(np.log(least), np.log(most))))


def any_turn(random: np.random.Generator) -> float:
    """Any angle, or one that is upright or level, or that follows the sampling grid or climbs it in equal steps."""
    kind = random.integers(4)
    if kind < 2:
        return float(random.uniform(0, 180)) if kind else 90.0 * float(random.integers(2))
    return float(random.choice(GRID)) * float(random.choice([-1, 1])) + 90.0 * float(random.integers(2))


def part_of(random: np.random.Generator, outline: Floats, share: float) -> Polygon:
    """About this share of the rectangle (4,) round a target, from its left or from below, and more beside it."""
    u, v, right, top = outline
    if random.random() < 0.5:
        return shapely.box(u - 9, v - 9, u + share * (right - u), top + 9)
    return shapely.box(u - 9, v - 9, right + 9, v + share * (top - v))


def tidy(mesh: Mesh) -> Mesh:
    """The mesh as a file gives it: equal corners are one, and no triangle is without area."""
    vertices, number = np.unique(mesh.vertices, axis=0, return_inverse=True)
    faces = number.reshape(-1)[mesh.faces]
    a, b, c = np.moveaxis(vertices[faces], 1, 0)
    return shapes.mesh(vertices, faces[np.linalg.norm(np.cross(b - a, c - a), axis=1) > 0.0])


def any_pixel(random: np.random.Generator) -> float:
    """Mostly the default of 0.1 mm."""
    return float(random.choice([0.1, 0.1, 0.1, 0.05, 0.2, 0.4]))
