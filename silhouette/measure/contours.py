"""COUNT: the contours of a body in a picture: everything at which a sheet of its surface can end there.

Seen from an eye, a sheet of surface goes on from face to face; it ends at an edge all of whose faces lie on one side
of it in the picture, whichever way they are turned:

    it goes on      a fold         a border       it goes on
     \\  |  /        |\\  \\          |  /           \\  |  /        three faces and more: it ends
      \\ | /         | \\  \\         | /             \\ | /         only where all lie on one side
       \\|/          |  \\  \\        |/               \\|/\\
        +           +              +                +  \\

Faces are used between two depths only: where one reaches beyond, the line at which it is cut is a contour as well. A
face to which the eye is so near to being edge-on that its side is not certain is not used: an edge of it is one of the
others.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from silhouette.common.geometry import Flags, Floats, Integers, spread
from silhouette.meshes.clusters import SIZE, Clusters, Indices, clusters_of
from silhouette.renderers.protocol import NEAREST_DEPTH_MM, Body
from silhouette.renderers.views import View

FLOAT32 = 2.0**-21
"""The share of a distance by which a ray of float32 may pass a face and meet it all the same: eight roundings."""

SHORTEST = 1e-6  # pixels: a shorter line has no sides of which float64 could be sure


@dataclass(frozen=True, eq=False)
class Contours:
    """Pieces of contour lines in a picture; places are column and row, in pixels, a pixel's middle at its index +
    0.5.
    """

    # start, end: (2, n) the places at their ends
    start: Floats
    end: Floats
    # (n,) 1 or -1: the sheet lies where ``side * cross(end - start, place - start)`` is positive. 0 for an edge of
    # faces that are not used: no sheet is known to lie on either side of it.
    side: Floats
    doubt: Floats  # (n,) pixels: a place this near to the line may be on either side of it, as rays of float32 tell it
    gap: Floats  # (n,) pixels: the width of a gap beside the line that counts as none, `NEAREST_DEPTH_MM` at its depth

    @classmethod
    def joined(cls, several: list[Contours]) -> Contours:
        """All contours of several."""
        if len(several) == 1:
            return several[0]
        return cls(*(np.concatenate([getattr(one, name) for one in several], axis=-1) for name in cls.__annotations__))

    def reach(self, lines: Indices, places: Floats) -> Floats:
        """(n,) how many pixels places (2, n) lie on the side of the sheet of lines; for a line of no sheet, 0 or less.

        Infinite where a line is too short to have sides.
        """
        start, way = self.start[:, lines], self.end[:, lines] - self.start[:, lines]
        length = np.hypot(way[0], way[1])
        to_place = places - start
        across = way[0] * to_place[1] - way[1] * to_place[0]
        side = self.side[lines]
        across = np.where(side == 0.0, -np.abs(across), side * across)
        reach: Floats = np.divide(across, length, out=np.full(len(length), np.inf), where=length > SHORTEST)
        return reach

    @property
    def width(self) -> Floats:
        """(n,) pixels: how far beyond a line another sheet is asked for: surely beside the line, and beyond its gap."""
        width: Floats = np.maximum(4.0 * self.doubt, 2.0 * self.gap)
        return width

    def chosen(self, which: Flags | Indices) -> Contours:
        """Those of them chosen by flags or numbers."""
        return Contours(self.start[:, which], self.end[:, which], self.side[which], self.doubt[which], self.gap[which])


@dataclass(frozen=True, eq=False)
class Placed:
    """A body's clusters as a view sees them, in *picture coordinates*: (column * depth, row * depth, depth).

    They are linear in the world's, so that nothing is divided by a depth before it has been clipped.
    """

    body: Body  # the body
    clusters: Clusters  # of its mesh
    eye: Floats  # (3,) mm, in the mesh's frame
    matrix: Floats  # (3, 3) from the mesh's frame, with the eye as the origin, to picture coordinates
    centres: Floats  # (3, k) of the clusters, in picture coordinates
    # Mm: what a ray of float32 may be off at the body, and more; a face whose plane passes nearer to the eye is not
    # used
    noise: float
    step: float  # the width of a pixel at a depth of one

    @classmethod
    def of(cls, view: View, body: Body) -> Placed:
        """The body as the view sees it."""
        clusters = clusters_of(body.mesh)
        eye = body.pose.localise(view.eye[None])[0]
        right, up, forward = view.axes @ body.pose.rotation
        matrix = np.array([(right - view.left * forward) / view.step, (view.top * forward - up) / view.step, forward])
        noise = 2.0 * NEAREST_DEPTH_MM + FLOAT32 * (float(np.linalg.norm(eye - clusters.middle)) + clusters.reach)
        return cls(body, clusters, eye, matrix, _product(matrix, clusters.centres - eye[:, None]), noise, view.step)

    def within(self, window: Floats, near: float, far: float) -> Flags:
        """(k,) whether clusters may reach between depths into a window: its least and greatest column and row."""
        x, y, depth = self.centres
        radii = self.clusters.radii
        left, right, top, bottom = window
        inside: Flags = (depth + radii > near) & (depth - radii < far)
        for across, axis, bound, sign in (
            (x, 0, left, 1.0),
            (x, 0, right, -1.0),
            (y, 1, top, 1.0),
            (y, 1, bottom, -1.0),
        ):
            slope = float(np.linalg.norm(self.matrix[axis] - bound * self.matrix[2]))
            inside &= sign * (across - bound * depth) > -slope * radii
        return inside

    def points(self, vertices: Integers) -> Floats:
        """(3, ...) picture coordinates of vertices, given by their numbers (...)."""
        flat = self.clusters.vertices.take(vertices.ravel(), axis=0)
        return _product(self.matrix, (flat - self.eye).T).reshape(3, *vertices.shape)

    def faces_of(self, chosen: Indices) -> Indices:
        """The numbers of the faces of chosen clusters."""
        starts = chosen * SIZE
        return spread(starts, np.minimum(starts + SIZE, len(self.clusters.corners)) - starts)[0]

    def facing(self, faces: Integers | Indices | None = None) -> NDArray[np.int8]:
        """(n,) for each face 1 where the eye is on the side of its normal, -1 on the other, 0 where in doubt.

        ``faces`` are numbers, by default those of all.
        """
        eye = self.eye - self.clusters.middle
        planes = self.clusters.planes if faces is None else self.clusters.planes.take(faces, axis=0)
        ahead = np.einsum("ij,j->i", planes, np.array([*eye, -1.0], np.float32))
        sides: NDArray[np.int8] = (ahead > self.noise).view(np.int8) - (ahead < -self.noise).view(np.int8)
        return sides

    def may_fold(self, chosen: Indices) -> Flags:
        """Whether among the faces at a cluster's even edges some may look at the eye and some not."""
        clusters = self.clusters
        to_eye = self.eye[:, None] - clusters.centres[:, chosen]
        cosines, sines = clusters.cosines[chosen], clusters.sines[chosen]
        along = (to_eye * clusters.axes[:, chosen]).sum(axis=0)
        beside = np.sqrt(np.maximum((to_eye**2).sum(axis=0) - along**2, 0.0))
        least = clusters.radii[chosen] + self.noise
        may_fold: Flags = ~(np.abs(along) * cosines - beside * sines > least)
        return may_fold


def contours(placed: Placed, window: Floats, near: float, far: float) -> Contours:
    """The contours of the part of a body between two depths, mm, that may lie in a window of the picture.

    Args:
        placed: the body as the view sees it.
        window: lowest and highest column, lowest and highest row.
        near: above zero.
        far: a face counts as far as it is nearer than this.
    """
    chosen = np.flatnonzero(placed.within(window, near, far))
    if len(chosen) == 0:
        return Contours(np.empty((2, 0)), np.empty((2, 0)), np.empty(0), np.empty(0), np.empty(0))
    start, end, side = lines_between(placed, chosen, near, far)
    start, end, side = _in_window(start, end, side, window)
    pixels = 1.0 / (placed.step * np.minimum(start[2], end[2]))  # a mm at the nearer end
    return Contours(start[:2] / start[2], end[:2] / end[2], side, placed.noise * pixels, NEAREST_DEPTH_MM * pixels)


def lines_between(placed: Placed, chosen: Indices, near: float, far: float) -> tuple[Floats, Floats, Floats]:
    """The contours of some clusters between two depths, mm: their ends (3, n), in picture coordinates, and sides (n,).

    The arguments are as of `contours`; what is level with the eye or behind it is cut off where ``near`` is above zero.
    """
    ends, side = _edges(placed, chosen)
    points = placed.points(ends)
    start, end = points[..., 0], points[..., 1]
    depth, radii = placed.centres[2, chosen], placed.clusters.radii[chosen]
    for bound, keep in ((near, 1.0), (far, -1.0)):
        if not (np.abs(depth - bound) <= radii).any():
            continue
        start, end, side = _clipped(start, end, side, bound, keep)
        faces = placed.faces_of(chosen[np.abs(depth - bound) <= radii])
        cut_start, cut_end, cut_side = _cuts(placed, faces, bound, keep)
        start, end = np.concatenate([start, cut_start], axis=1), np.concatenate([end, cut_end], axis=1)
        side = np.concatenate([side, cut_side])
        # The cuts at one depth may reach beyond the other.
        other, other_keep = (far, -1.0) if keep > 0.0 else (near, 1.0)
        start, end, side = _clipped(start, end, side, other, other_keep)
    return start, end, side


def _in_window(start: Floats, end: Floats, side: Floats, window: Floats) -> tuple[Floats, Floats, Floats]:
    """Lines (3, n) in picture coordinates, without what lies beyond the sides of a window.

    Beyond them a line that passes under the eye is next to it, and its doubt there without bounds.
    """
    for axis, bound, keep in ((0, window[0], 1.0), (0, window[1], -1.0), (1, window[2], 1.0), (1, window[3], -1.0)):
        at_start, at_end = (keep * (point[axis] - bound * point[2]) for point in (start, end))
        start, end, side = _kept(start, end, side, at_start, at_end)
    return start, end, side


def _edges(placed: Placed, chosen: Indices) -> tuple[Integers, Floats]:
    """(n, 2) ends and (n,) sides of the contour edges of the chosen clusters."""
    clusters = placed.clusters
    mirrored = -np.sign(np.linalg.det(placed.matrix))
    folding = chosen[placed.may_fold(chosen)]
    even, odd = clusters.even, clusters.odd
    edges, _ = spread(even.starts[folding], even.starts[folding + 1] - even.starts[folding])
    faces = even.faces.take(edges, axis=0)
    first, second = placed.facing(faces[:, 0]), placed.facing(faces[:, 1])
    # One face alone is used, or both lie on the same side; the second runs against the edge.
    ends_here = (first * second) < 1
    first, second = first[ends_here], second[ends_here]
    side = np.where(first != 0, first, -second)
    ends = even.ends.take(edges[ends_here], axis=0)
    counts = odd.starts[chosen + 1] - odd.starts[chosen]
    if counts.any():
        edges, _ = spread(odd.starts[chosen], counts)
        odd_side, ends_here = _odd_sides(placed, edges)
        side = np.concatenate([side, odd_side[ends_here]])
        ends = np.concatenate([ends, odd.ends.take(edges[ends_here], axis=0)])
    return ends, mirrored * side


def _odd_sides(placed: Placed, edges: Indices) -> tuple[NDArray[np.int8], Flags]:
    """On which side the faces of odd edges lie, and whether a sheet may end there or a face is not used."""
    odd = placed.clusters.odd
    counts = odd.first[edges + 1] - odd.first[edges]
    numbers, owner = spread(odd.first[edges], counts)
    sides = placed.facing(odd.faces[numbers]) * odd.along[numbers]
    left, right, unused = (np.bincount(owner, sides == value, len(edges)) > 0 for value in (1, -1, 0))
    side = left.astype(np.int8) - right.astype(np.int8)
    return side, (left != right) | unused


def _clipped(start: Floats, end: Floats, side: Floats, bound: float, keep: float) -> tuple[Floats, Floats, Floats]:
    """Lines (3, n) without their parts nearer than a depth (``keep`` is 1) or farther (-1)."""
    start, end, side = _kept(start, end, side, keep * (start[2] - bound), keep * (end[2] - bound))
    return start, end, side


def _kept(start: Floats, end: Floats, side: Floats, at_start: Floats, at_end: Floats) -> tuple[Floats, Floats, Floats]:
    """The parts of lines (3, n) at which a value is not below zero that changes evenly along them, from end to end."""
    kept = (at_start >= 0.0) | (at_end >= 0.0)
    crossing = (at_start < 0.0) | (at_end < 0.0)
    if not crossing.any():
        return start, end, side
    start, end, side, at_start, at_end = start[:, kept], end[:, kept], side[kept], at_start[kept], at_end[kept]
    with np.errstate(divide="ignore", invalid="ignore"):
        middle = start + at_start / (at_start - at_end) * (end - start)
    return np.where(at_start < 0.0, middle, start), np.where(at_end < 0.0, middle, end), side


def _cuts(placed: Placed, faces: Indices, bound: float, keep: float) -> tuple[Floats, Floats, Floats]:
    """The lines (3, n) at which faces are cut at a depth, and the side on which their kept parts lie."""
    points = placed.points(placed.clusters.corners.take(faces, axis=0))
    beyond = keep * (points[2] - bound)
    kept = beyond >= 0.0
    crossing = kept.any(axis=1) & ~kept.all(axis=1)
    points, beyond, kept, faces = points[:, crossing], beyond[crossing], kept[crossing], faces[crossing]
    facing = placed.facing(faces.astype(np.int32))
    # The corner that lies alone on its side, and the two others in the direction of the face.
    lone = np.where(kept.sum(axis=1) == 1, kept.argmax(axis=1), (~kept).argmax(axis=1))
    rows = np.arange(len(lone))
    tip, tip_beyond = points[:, rows, lone], beyond[rows, lone]
    cut = []
    for turn in (1, 2):
        corner = (lone + turn) % 3
        share = tip_beyond / (tip_beyond - beyond[rows, corner])
        place = tip + share * (points[:, rows, corner] - tip)
        place[2] = bound
        cut.append(place)
    # From the cut of the edge after the tip to that of the edge before it, the tip lies as the face runs.
    mirrored = -np.sign(np.linalg.det(placed.matrix))
    side = np.where(kept[rows, lone], 1.0, -1.0) * facing * mirrored
    return cut[0], cut[1], side


def _product(matrix: Floats, points: Floats) -> Floats:
    """``matrix @ points`` for (3, 3) and (3, n), written out: see `silhouette.common.geometry.turned`."""
    return np.stack([row[0] * points[0] + row[1] * points[1] + row[2] * points[2] for row in matrix])
