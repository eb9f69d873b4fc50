"""RELATE: the point sets between which lines are drawn: an eye, a head, a body, a base, a volume; and their samples.

Samples are halved again and again, with a ball round each half; no point of a set is far from one. Of a closed surface
whose faces turn outward, only what faces somebody can be reached by a line first: a line to a point at its back goes
through its front before, and is cut short there.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal, cast

import numpy as np
from numpy.typing import NDArray

from silhouette.common.geometry import Flags, Floats, Integers, Pose, components, corners
from silhouette.common.lazy import cached_property, derived, remembered
from silhouette.meshes.cutting import cut_to_box
from silhouette.meshes.mesh import Mesh, merge_equal
from silhouette.models.eyes import EYE_LEVEL
from silhouette.models.model import BASE, BODY
from silhouette.scenes.pieces import Piece


@dataclass(frozen=True, eq=False)
class ErrorBound:
    """A length in mm, or a share from 0 to 1.

    Attributes:
        error: the true number lies within ``value`` ± this; 0 where the value is exact but for rounding.
        lines: (k, 2, 3) mm, world: the lines on which it was found, for figures; none where no line tells.
        by: the names of the pieces to which it is due, such as those that are crossed, the most telling first.
    """

    value: float
    error: float = 0.0
    lines: Floats = field(default_factory=lambda: np.zeros((0, 2, 3)))
    by: tuple[str, ...] = ()


# ---- closed surfaces


@derived
def is_outward(mesh: Mesh) -> bool:
    """Whether a mesh is made of closed shells, all faces of each turned outward.

    >>> from silhouette.meshes.primitives import Box, Solid, solid
    >>> crate = solid(Solid(Box((2.0, 2.0, 2.0))))
    >>> inside_out = Mesh(crate.vertices, crate.faces[:, ::-1], crate.part)
    >>> is_outward(crate), is_outward(inside_out), is_outward(crate.subset(np.arange(12) > 0))
    (True, False, False)
    """
    count = len(mesh.vertices)
    faces = merge_equal(mesh.vertices)[1][mesh.faces].astype(np.int64)
    starts, ends = faces.ravel(), np.roll(faces, -1, axis=1).ravel()
    ways = np.sort(starts * count + ends)
    if not np.array_equal(ways, np.sort(ends * count + starts)):
        return False
    shell = components(np.column_stack([starts, ends]), count)[faces[:, 0]]
    first, second, third = (mesh.vertices[mesh.faces[:, k]] - mesh.bounds[0] for k in range(3))
    volumes = np.bincount(shell, weights=np.einsum("ij,ij->i", first, np.cross(second, third)))
    return bool((volumes[np.unique(shell)] > 0.0).all())


def facing(mesh: Mesh, pose: Pose, box: Floats) -> Flags:
    """(m,) which faces of a mesh may face a point of a box (2, 3), mm, world: it is not wholly behind their plane."""
    normal, height = _planes(mesh)
    along = normal @ pose.localise(corners(*box)).T
    while along.shape[1] > 1:  # the greatest of eight: in halves, since numpy is slow along short rows
        along = np.maximum(*np.split(along, 2, axis=1))
    return along[:, 0] - height > 0.0


@derived
def _planes(mesh: Mesh) -> tuple[Floats, Floats]:
    """The normals (m, 3) of a mesh's faces, as long as twice their areas; (m,) how far each plane is along its own."""
    first, second, third = (mesh.vertices[mesh.faces[:, k]] for k in range(3))
    normal = np.cross(second - first, third - first)
    return normal, np.einsum("ij,ij->i", normal, first)


# ---- point sets

PartName = Literal["eye", "head", "body", "whole", "base"]  # the point sets that a piece has by itself
VOLUME_SIDES = 64  # sides of a standard volume
RING_SPACING_MM, MAX_RINGS = 3.0, 200  # mm between the rings of a standard volume; of a very large one, so many in all
# mm: a standard volume that is narrower or lower has triangles and edges as fine as what rays may miss.
COARSE_VOLUME_MM = 2.0
STANDING = Pose.standing()


@dataclass(frozen=True, eq=False)
class PointSet:
    """Points of the world: a surface, single points, or both."""

    name: str  # what it is, such as "head"
    mesh: Mesh | None  # the surface, in the frame that ``pose`` places; None where there are single points only
    pose: Pose
    own: Floats  # (k, 3) mm, in that frame too: the points that belong to it beside its surface
    outward: bool = False  # whether the surface is a closed one whose faces turn outward, or a part of one
    # Whether it is known to be convex and closed, and coarser than what rays in float32 could miss
    convex: bool = False

    @classmethod
    def of_points(cls, points: Floats, name: str = "points") -> PointSet:
        """Single points (k, 3) of the world."""
        return cls(name, None, STANDING, np.asarray(points, dtype=np.float64).reshape(-1, 3))

    @classmethod
    def of_surface(cls, mesh: Mesh, pose: Pose = STANDING, name: str = "surface") -> PointSet:
        """All points of a surface.

        >>> from silhouette.meshes.primitives import Solid, Sphere, solid
        >>> PointSet.of_surface(solid(Solid(Sphere(2.0)))).box.round(2).tolist()
        [[-1.0, -1.0, -0.0], [1.0, 1.0, 2.0]]
        """
        return cls(name, mesh, pose, np.empty((0, 3)), is_outward(mesh))

    @property
    def is_point(self) -> bool:
        """Whether it is one point."""
        return self.mesh is None and len(self.own) == 1

    @cached_property
    def single(self) -> Floats:
        """(k, 3) mm, world: the points that belong to it beside its surface."""
        return self.pose.place(self.own)

    @cached_property
    def box(self) -> Floats:
        """(2, 3) mm, world: the least and greatest coordinates of a box that holds it, not always the tightest."""
        points = [self.single] if self.mesh is None else [self.single, self.pose.place(corners(*self.mesh.bounds))]
        joined = np.concatenate(points)
        return np.array([joined.min(axis=0), joined.max(axis=0)])

    @property
    def corners(self) -> Floats:
        """(m, 3, 3) mm, world: the corners of the triangles of its surface."""
        if self.mesh is None:
            return np.empty((0, 3, 3))
        return self.pose.place(self.mesh.vertices)[self.mesh.faces]


def point_set(piece: Piece, part: PartName) -> PointSet:
    """A point set of a piece.

    - ``eye``: the point from which it looks.
    - ``head``: the eye, the middle of the head, and what of the body's surface lies in an upright cube round that
      middle, which reaches up to the crown: the cube's half is a tenth of the height of the body, from which the eye is
      estimated at nine tenths of it. Where a model says where its eye is, the head is moved with it.
    - ``body``: the surface of the significant parts; neither base nor insignificant parts. Of terrain all of it.
    - ``whole``: the surface of all parts.
    - ``base``: the surface of the base. Where the mesh has none, that of an upright prism with the outline of the base,
      from its lowest to its highest point, and where nothing says how high, the flat outline.
    """
    if part == "eye":
        return PointSet.of_points(piece.eye[None], part)
    if part == "head":
        return _head(piece)
    mesh = {"body": piece.model.significant, "whole": piece.model.mesh}.get(part)
    if mesh is None:
        model, chosen = piece.model, piece.model.role == BASE
        span = model.base_span if model.base is not None else (model.base_span[0],) * 2
        base = model.mesh.subset(chosen) if chosen.any() else _prism(model.base_outline, *span)
        return PointSet.of_surface(base, piece.pose, part)
    return PointSet(part, mesh, piece.pose, np.empty((0, 3)), is_outward(piece.model.mesh))


@dataclass(frozen=True, eq=False)
class Points:
    """Points of a piece by what they are called, from which or to which lines go."""

    piece: Piece
    part: str  # a `PartName`, or "cylinder"
    # height, width: of a cylinder, mm; a width of 0 is that of the base
    height: float = 0.0
    width: float = 0.0

    @property
    def key(self) -> tuple[str, str, float, float]:
        """By which equal ones are known."""
        return self.piece.name, self.part, self.height, self.width

    @property
    def set(self) -> PointSet:
        """The points themselves."""
        if self.part == "cylinder":
            return standard_volume(self.piece, self.height, self.width / 2.0 or None)
        return point_set(self.piece, cast(PartName, self.part))

    @property
    def measured(self) -> Piece:
        """The piece as who looks at these points alone: all that counts of it is these."""
        piece = self.piece
        if self.part == "body":
            return piece
        mesh, pose = piece.model.mesh, piece.pose
        if self.part == "cylinder":
            volume = self.set
            assert volume.mesh is not None
            mesh, pose = volume.mesh, volume.pose
        role = np.full(len(mesh.faces), BODY, np.uint8)
        return replace(piece, model=replace(piece.model, mesh=mesh, role=role, drawn_from=None), pose=pose)


@derived
def standard_volume(piece: Piece, height: float, radius: float | None = None) -> PointSet:
    """The surface of an upright cylinder of a height and a radius, mm, that stands for a piece: its silhouette by base
    and height class. It stands on the lowest z of the base, round the middle of its outline, by default as wide as the
    smallest circle round that holding it. It has 64 sides: its polygon lies within an eight-hundredth of the radius of
    the circle.
    """
    outline = piece.base_outline
    middle = (outline.min(axis=0) + outline.max(axis=0)) / 2
    if radius is None:
        radius = float(np.hypot(*(outline - middle).T).max())
    mesh, pose = _tower(round(radius, 6), round(height, 6)), Pose.standing((*middle, piece.base_span[0]))
    convex = min(radius, height) >= COARSE_VOLUME_MM
    return PointSet("volume", mesh, pose, np.empty((0, 3)), is_outward(mesh), convex)


@remembered
def _tower(radius: float, height: float) -> Mesh:
    """The closed surface of an upright cylinder on the origin, in rings: long thin triangles take too many samples."""
    turn = np.linspace(0.0, 2.0 * np.pi, VOLUME_SIDES, endpoint=False)
    rim = radius * np.column_stack([np.cos(turn), np.sin(turn)])
    floors = np.linspace(0.0, height, _rings(height))
    # Up the side; on both lids, rings grow narrower towards a point in the middle.
    shares = np.linspace(1.0, 0.0, _rings(radius))[1:-1]
    levels = [*((share, 0.0) for share in shares[::-1]), *((1.0, z) for z in floors), *((s, height) for s in shares)]
    rings = np.concatenate([np.column_stack([share * rim, np.full(VOLUME_SIDES, z)]) for share, z in levels])
    vertices = np.concatenate([rings, [[0.0, 0.0, 0.0], [0.0, 0.0, height]]])
    here = np.arange(VOLUME_SIDES)
    after = np.roll(here, -1)
    strip = np.concatenate(
        [
            np.column_stack([here, after, after + VOLUME_SIDES]),
            np.column_stack([here, after + VOLUME_SIDES, here + VOLUME_SIDES]),
        ]
    )
    sides = np.concatenate([strip + VOLUME_SIDES * level for level in range(len(levels) - 1)])
    last, top = VOLUME_SIDES * (len(levels) - 1), len(rings)
    lids = [
        np.column_stack([after, here, np.full(VOLUME_SIDES, top)]),
        np.column_stack([last + here, last + after, np.full(VOLUME_SIDES, top + 1)]),
    ]
    return _mesh(vertices, np.concatenate([sides, *lids]))


def _rings(length: float) -> int:
    return max(2, int(np.ceil(min(length / RING_SPACING_MM, MAX_RINGS))) + 1)


def _prism(outline: Floats, low: float, high: float) -> Mesh:
    """The upright prism over a convex outline (k, 2); flat where it has no height."""
    count = len(outline)
    here = np.arange(count)
    after = np.roll(here, -1)
    fan = np.column_stack([np.zeros(count - 2, int), here[1:-1], here[2:]])
    bottom = np.column_stack([outline, np.full(count, low)])
    if high <= low:
        return _mesh(bottom, fan)
    sides = [np.column_stack([here, after, after + count]), np.column_stack([here, after + count, here + count])]
    top = np.column_stack([outline, np.full(count, high)])
    return _mesh(np.concatenate([bottom, top]), np.concatenate([fan[:, ::-1], fan + count, *sides]))


def _head(piece: Piece) -> PointSet:
    model = piece.model
    estimate = model.eye_estimate
    middle = estimate.head
    if piece.eye_from == "given":
        middle = middle + piece.own_eye - estimate.eye
    half = (1.0 - EYE_LEVEL) / EYE_LEVEL * float(estimate.head[2] - model.body_box[0, 2])
    low, high = middle - half, middle + half
    surface = _in_box(model.significant, tuple(low.tolist()), tuple(high.tolist()))
    return PointSet("head", surface, piece.pose, np.array([piece.own_eye, middle]), is_outward(model.mesh))


@derived
def _in_box(mesh: Mesh, low: tuple[float, ...], high: tuple[float, ...]) -> Mesh | None:
    """What of a mesh lies in a box, its least and its greatest corner; None if nothing does."""
    return cut_to_box(mesh, np.array(low), np.array(high))


def _mesh(vertices: Floats, faces: Integers) -> Mesh:
    return Mesh(np.asarray(vertices, dtype=np.float64), np.asarray(faces, np.int32), np.zeros(len(faces), np.int32))


# ---- samples

MAX_POINT_SAMPLES = 2_000_000  # before equal ones are merged; of a surface that would have more, it takes fewer
MANY_SAMPLES = 500_000  # samples above which long thin triangles are cut across first
MAX_SURFACE_EYES = 48  # points of a surface from which is looked, at most
EYES_ALONG = 24.0  # so many stand along the longest side of a surface, before the few are chosen that are far apart
# A share of the spacing: where most triangles are smaller, samples that are nearer to each other are merged.
MERGE_SPACING_SHARE = 0.4
EQUAL = 6  # decimals of a mm to which samples of neighbouring triangles are compared
Indices = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class PointSamples:
    """Samples of a point set."""

    # (n, 3) mm, in the frame of the set's pose; corners of triangles and single points are among them, where none were
    # merged
    points: Floats
    # (m, 2) the triangles of the set's mesh, each with a sample that stands for a part of it; single points belong to
    # none
    of: Integers
    spacing: float  # mm; no point of a triangle is farther than this from one of its samples


@dataclass(frozen=True, eq=False)
class Nest:
    """The samples of a point set in balls within balls, in the frame that its pose places."""

    samples: PointSamples  # in the order of the balls
    middle: tuple[Integers, ...]  # for each level, (2^level,) the samples in the middle of its balls
    # For each level, (2^level,) mm: how far the set's points that belong to a ball lie from that sample
    radius: tuple[Floats, ...]
    order: Indices  # (k,) the sample at each place of the finest level; some stand at several


@dataclass(frozen=True, eq=False)
class Balls:
    """Balls that together hold a point set, finer from level to level; each is parted in two on the next."""

    points: PointSet
    nest: Nest  # another set with the same surface shares it: what moves is worked out when it is asked for
    # (2, 3) mm, world: only balls count that hold something which a line from there reaches first; None for all
    box: Floats | None = None

    @property
    def radius(self) -> tuple[Floats, ...]:
        """See `Nest`."""
        return self.nest.radius

    def middles(self, level: int, numbers: Indices) -> Floats:
        """(n, 3) mm, world: the samples in the middle of balls of a level."""
        return self.placed(self.nest.middle[level][numbers])

    def placed(self, numbers: Indices | Integers) -> Floats:
        """(n, 3) mm, world: the samples of these numbers."""
        local = self.nest.samples.points[numbers]
        # A single point is multiplied in another way than several, which may differ in the last digit.
        is_single = len(local) == 1
        return self.points.pose.place(np.repeat(local, 2, axis=0) if is_single else local)[: len(local)]

    @cached_property
    def counts(self) -> tuple[Flags, ...]:
        """For each level, (2^level,) whether a ball holds points that count."""
        levels = [self._counted[self.nest.order]]
        while len(levels[0]) > 1:
            levels.insert(0, levels[0][0::2] | levels[0][1::2])
        return tuple(levels)

    @property
    def _counted(self) -> Flags:
        """(n,) which samples count; all do but those on faces that turn away from the box."""
        counts = np.ones(len(self.nest.samples.points), np.bool_)
        if self.box is not None and self.points.mesh is not None and self.points.outward:
            face, sample = self.nest.samples.of.T
            counts[sample] = False
            counts[sample[facing(self.points.mesh, self.points.pose, self.box)[face]]] = True
        return counts


def sampled(points: PointSet, spacing: float) -> PointSamples:
    """Samples of a point set, in the frame of its pose, no point of which is farther than ``spacing`` mm from one. What
    is much finer is merged. A very large surface is sampled more coarsely, as the samples say.

    >>> from silhouette.meshes.primitives import Box, Solid, solid
    >>> found = sampled(PointSet.of_surface(solid(Solid(Box((1.0, 1.0, 1.0))))), 1.0)
    >>> len(found.points), found.spacing
    (8, 1.0)
    """
    if points.mesh is None:
        return PointSamples(points.own, np.empty((0, 2), np.int32), 0.0)
    surface = _of_surface(points.mesh, spacing)
    return PointSamples(np.concatenate([surface.points, points.own]), surface.of, surface.spacing)


def eyes_in(points: PointSet, toward: Floats) -> Floats:
    """(k, 3) mm, world: points of a set from which to look at a box (2, 3): few, and far from each other; of a closed
    surface only points whose face turns to the box.

    >>> eyes_in(PointSet.of_points(np.array([[0.0, 0.0, 30.0]])), np.zeros((2, 3))).tolist()
    [[0.0, 0.0, 30.0]]
    """
    if points.mesh is None:
        return points.single[:MAX_SURFACE_EYES]
    extent = float(np.ptp(points.box, axis=0).max())
    tree = balls(points, max(extent / EYES_ALONG, 1e-3), toward)
    spots = tree.placed(np.unique(tree.nest.order[tree.counts[-1]]))
    axes = np.ascontiguousarray(spots.T)
    chosen = [int(_away(axes, spots.mean(axis=0)).argmax())]
    away = _away(axes, spots[chosen[0]])
    while len(chosen) < min(MAX_SURFACE_EYES, len(spots)) and away.max() > 0.0:
        chosen.append(int(away.argmax()))
        away = np.minimum(away, _away(axes, spots[chosen[-1]]))
    return spots[chosen]


def _away(axes: Floats, point: Floats) -> Floats:
    """(n,) mm: how far points, by axes (3, n), are from another (3,)."""
    x, y, z = axes - point[:, None]
    away: Floats = np.sqrt(x * x + y * y + z * z)
    return away


def balls(points: PointSet, spacing: float, box: Floats | None = None) -> Balls:
    """The samples of a point set, ``spacing`` mm apart, in balls within balls, down to a ball for each sample. Only
    balls count that hold something which a line from the box (2, 3), mm, world, reaches first.

    >>> eyes = PointSet.of_points(np.array([[0.0, 0.0, 0.0], [8.0, 0.0, 0.0]]))
    >>> [radius.tolist() for radius in balls(eyes, 1.0).radius]
    [[8.0], [0.0, 0.0]]
    """
    if points.mesh is None:
        return Balls(points, _nested(sampled(points, spacing)), box)
    return Balls(points, _nest(points.mesh, spacing, points.own.tobytes()), box)


@derived
def _nest(mesh: Mesh, spacing: float, own: bytes) -> Nest:
    """The balls of a surface and of points (k, 3), float64, beside it, given as their bytes."""
    beside = np.frombuffer(own).reshape(-1, 3)
    return _nested(sampled(PointSet("surface", mesh, STANDING, beside), spacing))


def _nested(samples: PointSamples) -> Nest:
    order, ordered = _in_halves(samples.points)
    depth = len(order).bit_length() - 1
    middle, radius = list[Integers](), list[Floats]()
    low, high = ordered, ordered
    for level in reversed(range(depth + 1)):
        blocks = [axis.reshape(1 << level, -1) for axis in ordered]
        centre = [(least + most) / 2 for least, most in zip(low, high, strict=True)]
        nearest = _squares(blocks, centre).argmin(axis=1) + np.arange(1 << level) * blocks[0].shape[1]
        radius.append(np.sqrt(_squares(blocks, [axis[nearest] for axis in ordered]).max(axis=1)) + samples.spacing)
        middle.append(order[nearest].astype(np.int32))
        low = [np.minimum(axis[0::2], axis[1::2]) for axis in low] if level else low
        high = [np.maximum(axis[0::2], axis[1::2]) for axis in high] if level else high
    return Nest(samples, tuple(middle[::-1]), tuple(radius[::-1]), order)


def _in_halves(points: Floats) -> tuple[Indices, list[Floats]]:
    """An order of points (n, 3), some of them twice, that is halved again and again across its longest side: (2^depth,)
    the number of the point at each place; and x, y and z of the points in that order.
    """
    depth = max(0, int(np.ceil(np.log2(len(points)))))
    order = np.resize(np.arange(len(points)), 1 << depth)
    ordered = [np.ascontiguousarray(axis)[order] for axis in points.T]  # numpy is fast along whole rows
    for level in range(depth):
        blocks = [axis.reshape(1 << level, -1) for axis in ordered]
        longest = np.stack([np.ptp(block, axis=1) for block in blocks], axis=1).argmax(axis=1)
        along = np.choose(longest[:, None], blocks)
        rank = np.argpartition(along, along.shape[1] // 2, axis=1)
        order = np.take_along_axis(order.reshape(along.shape), rank, axis=1).ravel()
        ordered = [np.take_along_axis(block, rank, axis=1).ravel() for block in blocks]
    return order, ordered


def _squares(blocks: list[Floats], places: list[Floats]) -> Floats:
    """(n, m) mm²: how far the points of each block are from its place; blocks (n, m) and places (n,) by axes."""
    total = (blocks[0] - places[0][:, None]) ** 2
    for block, place in zip(blocks[1:], places[1:], strict=True):
        total += (block - place[:, None]) ** 2
    return total


def _of_surface(mesh: Mesh, spacing: float) -> PointSamples:
    corners, of = mesh.vertices[mesh.faces], np.arange(len(mesh.faces), dtype=np.int32)
    is_fine = bool(np.median(_longest(corners)) < MERGE_SPACING_SHARE * spacing)
    steps = _steps(corners, spacing, is_fine)
    if _count(steps).sum() > MANY_SAMPLES:
        corners, of = _cut_across(corners, of, spacing, is_fine)
        steps = _steps(corners, spacing, is_fine)
    while _count(steps).sum() > MAX_POINT_SAMPLES and steps.max() > 1:
        spacing *= 1.5
        steps = _steps(corners, spacing, is_fine)
    points, faces = list[Floats](), list[Integers]()
    for count in np.unique(steps).tolist():
        chosen = np.flatnonzero(steps == count).astype(np.int32)
        i, j = (index.ravel() for index in np.indices((count + 1, count + 1)))
        weights = np.stack([i, j, count - i - j], axis=1)[i + j <= count] / count
        points.append(np.einsum("wc,mcx->mwx", weights, corners[chosen]).reshape(-1, 3))
        faces.append(np.repeat(of[chosen], len(weights)))
    joined, face = np.concatenate(points), np.concatenate(faces)
    keys = np.round(joined, EQUAL)
    if is_fine:  # the outermost sample of each cell stays
        outermost = np.argsort(-((joined - joined.mean(axis=0)) ** 2).sum(axis=1), kind="stable")
        joined, face = joined[outermost], face[outermost]
        keys = np.floor(joined * (np.sqrt(3.0) / (MERGE_SPACING_SHARE * spacing)))
    equal = merge_equal(keys)[1]
    first = np.unique(equal, return_index=True)[1]
    return PointSamples(joined[first], np.column_stack([face, equal]).astype(np.int32), spacing)


def _longest(corners: Floats) -> Floats:
    """(n,) mm: the longest side of each triangle (n, 3, 3)."""
    longest: Floats = np.sqrt(((corners - np.roll(corners, 1, axis=1)) ** 2).sum(axis=2)).max(axis=1)
    return longest


def _steps(corners: Floats, spacing: float, is_fine: bool) -> Integers:
    """(n,) into how many steps the sides of triangles (n, 3, 3) are cut: their points lie within a longest side over
    sqrt(3) of a corner.
    """
    step = (1.0 - MERGE_SPACING_SHARE * is_fine) * spacing
    steps: Integers = np.maximum(1, np.ceil(_longest(corners) / (np.sqrt(3.0) * step) - 1e-9)).astype(np.int64)
    return steps


def _count(steps: Integers) -> Integers:
    """(n,) samples of triangles whose sides are cut into so many steps."""
    return (steps + 1) * (steps + 2) // 2


def _cut_across(corners: Floats, of: Integers, spacing: float, is_fine: bool) -> tuple[Floats, Integers]:
    """Triangles (n, 3, 3), and which of the mesh each is part of (n,), cut across the middles of their two longer sides
    as long as the three parts together have fewer samples: long thin triangles have few then."""
    done, whose = list[Floats](), list[Integers]()
    while len(corners):
        sides = ((corners - np.roll(corners, -1, axis=1)) ** 2).sum(axis=2)
        turn = (sides.argmin(axis=1)[:, None] + np.arange(3)) % 3
        start, end, apex = np.take_along_axis(corners, turn[:, :, None], axis=1).swapaxes(0, 1)
        left, right = (start + apex) / 2, (end + apex) / 2
        parts = np.stack([apex, left, right, left, start, right, right, start, end], axis=1).reshape(-1, 3, 3)
        fewer = _count(_steps(parts, spacing, is_fine)).reshape(-1, 3).sum(axis=1) < _count(
            _steps(corners, spacing, is_fine)
        )
        done.append(corners[~fewer])
        whose.append(of[~fewer])
        corners, of = parts.reshape(-1, 3, 3, 3)[fewer].reshape(-1, 3, 3), np.repeat(of[fewer], 3)
    return np.concatenate(done), np.concatenate(whose)
