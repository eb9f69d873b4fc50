"""COUNT: what the outline of a piece encloses in the picture, its windows and the gaps between its parts, filled.

silhouette of the piece -> the regions that it leaves bare, and that it closes all round
-> a skin over each, stretched from rim to rim -> the piece with its skins, which hides as any other mesh does

    +--------------+     +--------------+
    |   +----+     |     |   +----+     |        A point of a rim lies as far away as the edge of the piece
    |   |    |   --+     |   |####|   --+        there: in a wall the skin lies in the wall. It hides what lies
    |   +----+  |        |   +----+  |           behind it, and nothing before it. What is open on one side, as
    +-----------+        +-----------+           the notch on the right, is no part of what the outline encloses.
"""

from __future__ import annotations

from collections.abc import Sequence

import mapbox_earcut
import numpy as np

from silhouette.common.geometry import Floats, Pose
from silhouette.common.lazy import derived
from silhouette.measure.silhouettes import Faces, Placed, area_within, polygons, straight_at
from silhouette.meshes.bounds import bounding_points
from silhouette.meshes.health import has_area
from silhouette.meshes.mesh import Mesh
from silhouette.meshes.solids import take_inner_boxes
from silhouette.renderers.protocol import NEAREST_DEPTH_MM, Body
from silhouette.renderers.views import View

# Cosine of 80°: a piece all of which lies nearer to one direction has its outline in a picture that way
WIDEST_COSINE = 0.17
# The share of its distance by which a place may lie beside the line on which it was found, by rounding
BESIDE_LINE = 1e-9

CUTS = (0.25, 0.5, 0.75, 1.0)
"""Shares of the way from a piece's nearest point to what is looked at and stands in it. As far as each of them the
piece is looked at alone, because through a window in its near wall one sees its floor and walls, that reach on."""

FILLING_STEP = 1e-5  # the unit of the picture in which regions are found: corners of polygons are rounded to 1e-8 of it
WIDEST_PICTURE = 1e9  # how far it reaches to each side


def filled(mesh: Mesh, pose: Pose, eye: Floats, towards: Floats) -> Mesh:
    """The mesh with a skin over each region that its outline encloses, seen from an eye; itself where there is none.

    Args:
        mesh: of the piece, in its own frame.
        pose: where it stands.
        eye: (3,) mm, world.
        towards: (3,) mm, world: what is looked at. A piece that reaches round the eye is taken as it lies in the
            picture straight at this, as far as it is before the eye.

    >>> from silhouette.meshes.primitives import Box, Solid, solid
    >>> pillars = [Solid(Box((10.0, 10.0, 40.0)), (x, 0.0, 0.0)) for x in (-20.0, 20.0)]
    >>> beams = [Solid(Box((50.0, 10.0, 10.0)), (0.0, 0.0, z)) for z in (-10.0, 40.0)]
    >>> eye, target = np.array([0.0, -200.0, 20.0]), np.array([0.0, 200.0, 20.0])
    >>> frame, gate = solid(*pillars, *beams), solid(*pillars, beams[1])
    >>> [len(filled(mesh, Pose.standing(), eye, target).faces) - len(mesh.faces) for mesh in (frame, gate)]
    [2, 0]
    """
    return Skins(mesh, pose, eye, towards).whole


Triple = tuple[float, float, float]


class Skins:
    """The skins over the regions that a piece's outline encloses; the arguments are those of `filled`.

    Attributes:
        is_round_it: whether the piece reaches both before and beyond what is looked at.
    """

    def __init__(self, mesh: Mesh, pose: Pose, eye: Floats, towards: Floats) -> None:
        self._mesh, self._pose, self._eye = mesh, pose, eye
        here, there = (pose.localise(point[None])[0] for point in (eye, towards))
        points = bounding_points(mesh) - here
        middle = mesh.bounds.mean(axis=0) - here
        length = float(np.linalg.norm(middle))
        depth = points @ middle
        forward, near = middle, float(depth.min(initial=np.inf)) / max(length, NEAREST_DEPTH_MM) / 2.0
        # It reaches round the eye.
        if (depth < WIDEST_COSINE * length * np.linalg.norm(points, axis=1) + NEAREST_DEPTH_MM).any():
            forward, near = there - here, NEAREST_DEPTH_MM
        if not forward.any():
            forward = np.array([1.0, 0.0, 0.0])
        ahead = forward / np.linalg.norm(forward)
        far = float((there - here) @ ahead)
        # Where the piece reaches beyond what is looked at, its far side may close a window of its near one.
        if not near < far < float((points @ ahead).max(initial=-np.inf)):
            far = np.inf
        self.is_round_it = far < np.inf
        self._forward, self._seen_from = forward, (_triple(here), _triple(forward), near, far)

    @property
    def view(self) -> View:
        """A picture, from the eye, in which the outline lies."""
        return straight_at(self._eye, self._pose.rotation @ self._forward)

    @property
    def mesh(self) -> Mesh:
        """The skins alone, in the piece's frame."""
        return _skins(self._mesh, *self._seen_from)

    @property
    def triangles(self) -> Floats:
        """(k, 3, 3) mm, world: their triangles."""
        skins = self.mesh
        return self._pose.place(skins.vertices)[skins.faces]

    @property
    def whole(self) -> Mesh:
        """The piece with them; its mesh itself where there is none."""
        return _with_skins(self._mesh, *self._seen_from)


def _triple(point: Floats) -> Triple:
    x, y, z = point.tolist()
    return x, y, z


@derived
def _with_skins(mesh: Mesh, eye: Triple, forward: Triple, near: float, far: float) -> Mesh:
    skins = _skins(mesh, eye, forward, near, far)
    if not len(skins.faces):
        return mesh
    faces = np.concatenate([mesh.faces, len(mesh.vertices) + skins.faces])
    part = np.concatenate([mesh.part, np.zeros(len(skins.faces), mesh.part.dtype)])
    whole = Mesh(np.concatenate([mesh.vertices, skins.vertices]), faces, part, mesh.part_names)
    take_inner_boxes(whole, mesh)
    return whole


@derived
def _skins(mesh: Mesh, eye: Triple, forward: Triple, near: float, far: float) -> Mesh:
    """The skins of a mesh, seen from an eye in some direction, as far as they are not nearer than ``near`` mm.

    Where ``far`` is finite, those of what is nearer than that alone are among them.
    """
    view = straight_at(np.array(eye), np.array(forward), FILLING_STEP)
    placed = Placed.of(view, Body(1, mesh, Pose.standing()))
    corners = [_skin(placed, rings, lines) for rings, lines in _enclosed(placed, near, np.inf)]
    if far < np.inf:
        least = max(near, float((placed.centres[2] - placed.clusters.radii).min(initial=far)))
        for cut in least + (far - least) * np.array(CUTS):
            before = [_skin(placed, rings, lines) for rings, lines in _enclosed(placed, near, float(cut))]
            # A rim at that depth is where the piece was cut, and no edge of it.
            corners += [skin for skin in before if len(skin) and _depth(placed, skin) < cut * (1.0 - BESIDE_LINE)]
        corners = list({skin.tobytes(): skin for skin in corners}.values())
    vertices = np.concatenate([np.empty((0, 3, 3)), *corners]).reshape(-1, 3)
    faces = np.arange(len(vertices), dtype=np.int32).reshape(-1, 3)
    return Mesh(vertices, faces, np.zeros(len(faces), np.int32))


def _depth(placed: Placed, corners: Floats) -> float:
    """mm, the greatest depth of corners (k, 3, 3) in the piece's frame."""
    return float(((corners - placed.eye) @ placed.matrix.T)[..., 2].max())


def _enclosed(placed: Placed, near: float, far: float) -> list[tuple[list[Floats], Floats]]:
    """The regions that a piece encloses between two depths, each with the contours of the piece.

    A region is its outer ring, and those within it, (n, 2) corners each. The contours are (2, 3, m): both ends of each,
    in picture coordinates.
    """
    ahead, everywhere = np.array([0.0, 0.0, 1.0]), WIDEST_PICTURE * np.array([-1.0, 1.0, -1.0, 1.0])
    faces = Faces.of(placed, everywhere).clipped(ahead, near)
    if far < np.inf:
        faces = faces.clipped(-ahead, -far)
    part = faces.silhouette()
    outer = [loop for loop in part.to_polygons() if area_within(loop) > 0.0]
    bare = (polygons(outer) - part).decompose()
    smallest = (
        NEAREST_DEPTH_MM / float((placed.centres[2] + placed.clusters.radii).max(initial=1.0)) / FILLING_STEP
    ) ** 2
    return [(region.to_polygons(), faces.contours()) for region in bare if region.area() > smallest]


def _skin(placed: Placed, rings: Sequence[Floats], lines: Floats) -> Floats:
    """(k, 3, 3) mm, in the piece's frame: a skin over a region, whose rings lie on contours, (2, 3, n) in the picture.

    A corner of the rim at which a nearer contour crosses a farther one lies as far away as the farther one: what is
    not behind all of its rim is not hidden.
    """
    places = np.concatenate(rings)
    triangles = mapbox_earcut.triangulate_float64(places, np.cumsum([len(ring) for ring in rings]).astype(np.uint32))
    depth = np.concatenate([_rim_depths(ring, lines) for ring in rings])
    points = np.column_stack([places * depth[:, None], depth]) @ np.linalg.inv(placed.matrix).T + placed.eye
    faces = triangles.astype(np.int32).reshape(-1, 3)
    corners: Floats = points[faces[has_area(points, faces)]]
    return corners


def _rim_depths(ring: Floats, lines: Floats) -> Floats:
    """(n,) mm, the depth of a ring's corners (n, 2), each the farther of those of the two sides that meet there."""
    start, end = (points[:2] / points[2] for points in lines)
    way = end - start
    length = (way**2).sum(axis=0)
    following = np.roll(ring, -1, axis=0)
    depth = np.zeros(len(ring))
    for number, (here, there) in enumerate(zip(ring, following, strict=True)):
        middle = (here + there)[:, None] / 2.0
        share = np.clip(((middle - start) * way).sum(axis=0) / length, 0.0, 1.0)
        apart = np.hypot(*(start + share * way - middle))
        on = apart <= apart.min() + BESIDE_LINE * (1.0 + float(np.abs(middle).max()))
        for corner, place in ((number, here), ((number + 1) % len(ring), there)):
            at = np.clip(((place[:, None] - start[:, on]) * way[:, on]).sum(axis=0) / length[on], 0.0, 1.0)
            inverse = (1.0 - at) / lines[0, 2, on] + at / lines[1, 2, on]
            depth[corner] = max(depth[corner], float((1.0 / inverse).max()))
    return depth
