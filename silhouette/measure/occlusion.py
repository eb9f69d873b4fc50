"""COUNT: what of a target is obscured in a picture, exactly: the part of its silhouette that each blocker is before.

The order of two surfaces along a line of sight is that in which the line meets a plane between them: what lies on the
eye's side of a plane is before what lies beyond it, wherever a line of sight meets both.

           |  target         behind   beyond a plane that has the eye and the target on its other side
 eye       |                 before   on the eye's side of a plane that has the target beyond it
   o-------+---- blocker     mixed    no plane tried parts it from the target: the plane of the face itself then says
           |  a plane                 which part of the target is nearer than it, and that part's silhouette is not
                                      hidden by the face
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import product

import manifold3d
import numpy as np

from silhouette.common.geometry import Flags, Floats, spread
from silhouette.common.lazy import cached_property
from silhouette.measure.sampling import Picture
from silhouette.measure.silhouettes import (
    SAME_AREA,
    Faces,
    Placed,
    Polygons,
    clipped,
    polygons,
    silhouette_of,
    turned_alike,
)
from silhouette.meshes.bounds import bounding_points
from silhouette.meshes.clusters import Indices
from silhouette.renderers.protocol import NEAREST_DEPTH_MM, Body
from silhouette.renderers.views import View, VisionArc

LEAST_APART = 1e-9
"""mm, on a table of a metre: surfaces that are apart by less are as near as each other, but for rounding."""

WAYS = np.array([way for way in product((-1.0, 0.0, 1.0), repeat=3) if any(way)])
WAYS /= np.linalg.norm(WAYS, axis=1)[:, None]
"""(26, 3) the normals of planes that are tried, in the frames of both bodies: along their axes, and between these."""

MOST_PLANES = 500  # of faces that no plane tried parts from the target: more are compared with it by slabs

SLABS = 32
"""How many slabs there are: what is left in doubt shrinks as they get thinner, and takes as long as there are many."""

FEW = 8  # values are compared one after the other, more at once

FEW_FACES = 500  # are put together one by one; the outlines of more are sought

TURNS = (0.0, 29.0, 61.0)  # degrees: pictures in which a part of one is sought until nothing is lost

TILES_ACROSS = 128  # of the window of a target: in each its depth is compared with that of mixed faces
BESIDE = 1e-6  # of a tile: what is as near to one may reach into it

COPLANAR = 1e-6  # mm: faces all of whose corners lie as near to one plane hide like that plane


@dataclass(frozen=True, eq=False)
class Occlusion:
    """Of a target, in one picture: polygons, whose areas are in pixels."""

    whole: Polygons  # its silhouette
    in_arc: Polygons  # where what is nearest of it lies in a vision arc
    hidden: list[Polygons]  # for each blocker, where it is before the target
    # Pixels by which what is obscured is less than without the tolerance for surfaces that touch
    touching: float
    doubt: float  # pixels: how much more may be obscured, where the order of surfaces was not found out

    @cached_property
    def obscured(self) -> Polygons:
        """Where some blocker is before the target."""
        return joined(self.hidden)


def joined(parts: Sequence[Polygons]) -> Polygons:
    """The union of polygons."""
    parts = [part for part in parts if not part.is_empty()]
    if len(parts) > 1:
        return manifold3d.CrossSection.batch_boolean(parts, manifold3d.OpType.Add)
    return parts[0] if parts else polygons()


def hidden_within(picture: Picture, outer: Polygons, step: Callable[[], None]) -> Polygons | None:
    """Where the blockers of a flat picture are before all of the target that is there, in polygons that hold it; None
    where that leaves a doubt.

    The target's silhouette, which takes long where its mesh is fine, is not needed for that.
    """
    target = _Target(picture.view, Placed.of(picture.view, picture.target), False, step, outer)
    found = [target.hidden_by_outline(body) for body in picture.blockers]
    is_sure = not any(part.doubt or part.touching for part in found)
    return joined([part.polygons for part in found]) if is_sure else None


def occlusion(picture: Picture, is_cube: bool = False, step: Callable[[], None] = lambda: None) -> Occlusion:
    """What of a picture's target is obscured there.

    Args:
        picture: of the target and what may be before it.
        is_cube: whether it is a face of a cube, beyond which nothing counts.
        step: is called now and then; it may raise, to end the work.
    """
    target = _Target(picture.view, Placed.of(picture.view, picture.target), is_cube, step)
    whole = target.whole
    if whole.is_empty():
        return Occlusion(whole, whole, [polygons() for _ in picture.blockers], 0.0, 0.0)
    found = [target.hidden_by_outline(body) for body in picture.blockers]
    return Occlusion(
        whole,
        target.in_arcs(picture.arcs),
        [part.polygons for part in found],
        sum(part.touching for part in found),
        sum(part.doubt for part in found),
    )


@dataclass(frozen=True, eq=False)
class _Hidden:
    """Where a blocker is before a target; ``touching`` and ``doubt`` as of `Occlusion`."""

    polygons: Polygons
    touching: float = 0.0
    doubt: float = 0.0


@dataclass(frozen=True, eq=False)
class _Target:
    """A target in a picture."""

    view: View
    placed: Placed
    is_cube: bool  # whether the view is a face of a cube, beyond which nothing counts
    step: Callable[[], None]  # is called now and then
    outer: Polygons | None = None  # what stands for its silhouette, and holds it; None for that itself

    @cached_property
    def faces(self) -> Faces:
        """Those in the picture."""
        return Faces.of(self.placed, np.array([0.0, self.view.width, 0.0, self.view.height]))

    @cached_property
    def whole(self) -> Polygons:
        """Its silhouette."""
        if self.outer is not None:
            return self.outer
        body = self.placed.body
        whole = silhouette_of(self.placed)
        if whole is None:
            whole = self.faces.silhouette((0.0, self.view.width))
        if body.outline:
            rim = self.faces.rim(whole, abs(body.outline))
            whole = whole + rim if body.outline > 0.0 else whole - rim
        return whole ^ manifold3d.CrossSection.square((self.view.width, self.view.height)) if self.is_cube else whole

    @cached_property
    def window(self) -> Floats:
        """Least and greatest column and row of its silhouette."""
        left, top, right, bottom = self.whole.bounds()
        return np.array([left, right, top, bottom])

    @cached_property
    def triangles(self) -> Floats:
        """(3, m, 3) its faces, in picture coordinates."""
        clusters = self.placed.clusters
        corners = clusters.corners.take(np.flatnonzero(self.faces.sides), axis=0)
        points = self.placed.points(np.arange(len(clusters.vertices), dtype=np.int32)).take(corners, axis=1)
        return np.concatenate([points, self.faces.parts], axis=1)

    @cached_property
    def depths(self) -> _Depths:
        """Its depths in tiles of its window."""
        return _Depths.of(self.window, self.triangles)

    @cached_property
    def boxes(self) -> Floats:
        """(4, m) least and greatest column, least and greatest row of its faces."""
        places = self.triangles[:2] / self.triangles[2]
        return np.stack([least_of(places), greatest_of(places)], axis=1).reshape(4, -1)

    def hidden_by_outline(self, body: Body) -> _Hidden:
        """`hidden_by`, where the blocker's outline lies farther out or in than that of its mesh."""
        found = self.hidden_by(body)
        hidden = found.polygons
        if not body.outline:
            return found
        placed = Placed.of(self.view, body)
        nearest = max(float((placed.centres[2] - placed.clusters.radii).min()), NEAREST_DEPTH_MM)
        reach = min(abs(body.outline) / (placed.step * nearest), float(self.window.max()))
        window = self.window + reach * np.array([-1.0, 1.0, -1.0, 1.0])
        faces = Faces.of(placed, window)
        rim = faces.rim(faces.silhouette((window[0], window[1])), abs(body.outline))
        if body.outline < 0.0:
            return replace(found, polygons=hidden - rim)
        beside = rim ^ hidden.offset(reach, manifold3d.JoinType.Round) ^ self.whole
        return replace(found, polygons=hidden + beside)

    def hidden_by(self, body: Body) -> _Hidden:
        """Where a blocker is before the target."""
        self.step()
        placed = Placed.of(self.view, body)
        planes = _Planes.of(self.placed, placed)
        is_behind, is_before = planes.order(_bounding(placed)[:, None])
        if is_before[0] and (whole := silhouette_of(placed)) is not None:
            return self._covered_by(whole)
        chosen = np.flatnonzero(placed.within(self.window, NEAREST_DEPTH_MM, planes.farthest))
        if is_behind[0] or not len(chosen):
            return _Hidden(polygons())
        faces = Faces.of(placed, self.window, planes.farthest)
        is_near = placed.centres[2, chosen] + placed.clusters.radii[chosen] > planes.nearest
        numbers = placed.faces_of(chosen[is_near])
        numbers = numbers[faces.sides[numbers] != 0]
        points = np.concatenate([placed.points(placed.clusters.corners.take(numbers, axis=0)), faces.parts], axis=1)
        is_behind, is_before = planes.order(points)
        mixed = np.flatnonzero(~is_behind & ~is_before)
        if len(mixed):
            is_behind[mixed], is_before[mixed] = self.depths.order(points[:, mixed])
        left_out = ~is_before
        before = faces.without(numbers[left_out[: len(numbers)]], left_out[len(numbers) :])
        hidden = self._covered_by(before.silhouette((self.window[0], self.window[1])))
        all_hidden = self._hidden_by_mixed(placed, points[:, ~is_behind & ~is_before], hidden.polygons)
        return replace(all_hidden, doubt=all_hidden.doubt + hidden.doubt)

    def _covered_by(self, part: Polygons) -> _Hidden:
        """What of the target a part of the picture covers that is before it."""
        for turn in TURNS:
            whole, before = (each.rotate(turn) for each in (self.whole, part))
            hidden = before ^ whole
            # Both are swept by themselves: seldom, and not in all directions, a sweep loses a hole.
            lost = abs(hidden.area() + (whole - before).area() - whole.area())
            if lost <= SAME_AREA * whole.area():
                return _Hidden(hidden.rotate(-turn))
        return _Hidden(hidden.rotate(-turn), doubt=float(lost))

    def _hidden_by_mixed(self, placed: Placed, triangles: Floats, hidden: Polygons) -> _Hidden:
        """Where also triangles (3, m, 3) are before the target, each of which lies before and behind parts of it."""
        groups = _coplanar(placed, triangles)
        if len(groups) > MOST_PLANES:
            return self._hidden_by_slabs(placed, triangles, hidden)
        parts, touching = [hidden], 0.0
        for plane, distance, group in groups:
            self.step()
            bare = (_covered(placed, group) ^ self.whole) - hidden
            if bare.is_empty():
                continue
            low, high = 1.0 + LEAST_APART / distance, 1.0 + NEAREST_DEPTH_MM / distance
            around = self._within(bare)
            if group.shape[1] <= FEW:
                around = around[_may_meet(self.triangles[:, around], group)]
            parts.append(bare - self._nearer(plane, high, bare, around))
            between = clipped(clipped(self.triangles[:, around], plane, low), -plane, -high)
            near = _covered(self.placed, between) ^ bare
            if near.area() > SAME_AREA * self.whole.area():
                near -= self._nearer(plane, low, bare, around)
            touching += near.area()
        return _Hidden(joined(parts), touching=touching)

    def _hidden_by_slabs(self, placed: Placed, triangles: Floats, hidden: Polygons) -> _Hidden:
        """The same for triangles in many planes: what is surely hidden, and how much more may be.

        Parallel planes cut both into slabs, which a line of sight meets one after the other. What of the blocker lies
        in a nearer slab than all of the target is before it, and what lies in the same one may be.
        """
        ways = np.concatenate([WAYS @ np.linalg.inv(each.matrix) for each in (self.placed, placed)])
        reach = np.tensordot(ways, triangles, 1).reshape(len(ways), -1)
        number = int(np.ptp(reach, axis=1).argmin())
        least, most = [hidden], [hidden]
        for way, (low, high) in ((sign * ways[number], np.sort(sign * _ends(reach[number]))) for sign in (1.0, -1.0)):
            # The eye lies where the product is 0: on one line of sight all products are of one sign.
            cuts = np.linspace(max(low, 0.0), high, SLABS + 1) if high > 0.0 else np.empty(0)
            beyond = clipped(triangles, way, 0.0)
            nearer = [_covered(placed, clipped(beyond, -way, -cut)) ^ self.whole for cut in cuts]
            for cut, surely, perhaps in zip(cuts, nearer, nearer[1:], strict=False):
                if not perhaps.is_empty():
                    shown = self._nearer(way, cut, perhaps, self._within(perhaps))
                    least.append(surely - shown)
                    most.append(perhaps - shown)
        surely = joined(least)
        return _Hidden(surely, doubt=float((joined(most) - surely).area()))

    def _within(self, part: Polygons) -> Indices:
        """The numbers of the triangles that may lie within the bounds of a part of the picture."""
        left, top, right, bottom = part.bounds()
        first, last, highest, lowest = self.boxes
        return np.flatnonzero((first <= right) & (last >= left) & (highest <= bottom) & (lowest >= top))

    def _nearer(self, plane: Floats, most: float, part: Polygons, around: Indices) -> Polygons:
        """What the target covers, within the bounds of a part of the picture, where ``plane @ p <= most``.

        ``around`` are the triangles there.
        """
        if len(around) <= FEW_FACES:
            return _covered(self.placed, clipped(self.triangles[:, around], -plane, -most))
        left, top, right, bottom = part.bounds()
        faces = Faces.of(self.placed, np.array([left, right, top, bottom]))
        return faces.clipped(-plane, -most).silhouette((left, right))

    def in_arcs(self, arcs: Sequence[VisionArc] | None) -> Polygons:
        """Where what is nearest of it lies in one of some arcs."""
        return self.whole if arcs is None else joined([self._in_arc(arc) for arc in arcs])

    def _in_arc(self, arc: VisionArc) -> Polygons:
        """Where what is nearest of it lies in an arc.

        A line of sight crosses either edge of the arc once. What lies on the eye's side of an edge that the eye is
        beyond is nearer than all that lies in the arc. An edge in which the eye lies is a line in the picture.
        """
        inside, nearer, lines = self.faces, [], []
        to_picture = np.linalg.inv(self.placed.matrix @ self.placed.body.pose.rotation.T)
        for normal in ((-arc.right[1], arc.right[0], 0.0), (arc.left[1], -arc.left[0], 0.0)):
            across = np.array(normal)
            ahead = float(across[:2] @ (arc.apex - self.view.eye[:2]))
            least, plane = ahead + LEAST_APART, across @ to_picture
            if abs(ahead) < LEAST_APART:
                lines.append(plane)
                continue
            inside = inside.clipped(plane, least)
            if least > 0.0:
                nearer.append(self.faces.clipped(-plane, -least).silhouette())
        is_whole = inside is self.faces and not self.placed.body.outline
        found = (self.whole if is_whole else inside.silhouette() ^ self.whole) - joined(nearer)
        for line in lines:
            found = found ^ self._beside(line)
        return found

    def _beside(self, line: Floats) -> Polygons:
        """What of its window lies where ``line @ (column, row, 1) >= 0``."""
        left, right, top, bottom = self.window
        corners = np.array([[left, right, right, left], [top, top, bottom, bottom], [1.0, 1.0, 1.0, 1.0]])
        parts = clipped(corners[:, [[0, 1, 2], [0, 2, 3]]], line, 0.0)
        return polygons((parts[:2] / parts[2]).transpose(1, 2, 0))


def _may_meet(triangles: Floats, others: Floats) -> Flags:
    """(m,) which of triangles (3, m, 3) may lie over some of others (3, k, 3): none of these' sides parts them."""
    sides = np.cross(np.roll(others, 1, axis=2), np.roll(others, 2, axis=2), axis=0)  # planes through the eye
    sides *= np.sign((sides * others).sum(axis=0))
    inside = np.tensordot(sides, triangles, (0, 0))  # (k, 3, m, 3)
    meeting: Flags = np.any(np.all(greatest_of(inside) >= 0.0, axis=1), axis=0)
    return meeting


def _covered(placed: Placed, triangles: Floats) -> Polygons:
    """What triangles (3, m, 3) of a body cover."""
    if triangles.shape[1] > FEW_FACES:
        return Faces(placed, np.zeros(len(placed.clusters.corners), np.int8), triangles).silhouette()
    alike = turned_alike(triangles)
    return polygons((alike[:2] / alike[2]).transpose(1, 2, 0))


def least_of(values: Floats) -> Floats:
    """(...) the least of values (..., k): of few each, one after the other, which takes a fraction of numpy's time."""
    found: Floats = reduce(np.minimum, np.moveaxis(values, -1, 0)) if values.shape[-1] <= FEW else values.min(axis=-1)
    return found


def greatest_of(values: Floats) -> Floats:
    """(...) the greatest of values (..., k); see `least_of`."""
    found: Floats = reduce(np.maximum, np.moveaxis(values, -1, 0)) if values.shape[-1] <= FEW else values.max(axis=-1)
    return found


def _ends(values: Floats) -> Floats:
    return np.array([values.min(), values.max()])


@dataclass(frozen=True, eq=False)
class _Planes:
    """Planes that touch a target, and have all of it on one side; in picture coordinates."""

    normals: Floats  # (n, 3): their products with points are mm
    reaches: Floats  # (n,) the greatest product with a point of the target, or more
    # nearest, farthest: mm, depths between which the target lies
    nearest: float
    farthest: float

    @classmethod
    def of(cls, target: Placed, blocker: Placed) -> _Planes:
        """Those along the frames of both, and across the line of sight."""
        normals = np.concatenate([WAYS @ np.linalg.inv(each.matrix) for each in (target, blocker)])
        points = _bounding(target)
        nearest = max(float(points[2].min()), 0.0) - NEAREST_DEPTH_MM
        return cls(normals, (normals @ points).max(axis=1), nearest, float(points[2].max()))

    def order(self, points: Floats) -> tuple[Flags, Flags]:
        """(m,) and (m,) which of m hulls of k points, (3, m, k), are surely behind the target, and which before it."""
        nearest = least_of((self.normals @ points.reshape(3, -1)).reshape(len(self.normals), *points.shape[1:]))
        reaches, depth = self.reaches[:, None], points[2]
        is_behind = least_of(depth) >= self.farthest
        is_behind |= ((nearest >= reaches) & (reaches >= 0.0)).any(axis=0)
        is_before = greatest_of(depth) <= self.nearest
        is_before |= ((nearest >= reaches + NEAREST_DEPTH_MM) & (reaches < 0.0)).any(axis=0)
        return is_behind, is_before & ~is_behind


@dataclass(frozen=True, eq=False)
class _Depths:
    """Depths between which a target lies, in square tiles of its window."""

    corner: Floats  # (2,) the least column and row
    size: float  # pixels: the side of a tile
    nearest: Floats  # (height, width) mm; infinite where it has no face
    farthest: Floats  # (height, width) mm; minus infinity there

    @classmethod
    def of(cls, window: Floats, faces: Floats) -> _Depths:
        """Those of faces (3, m, 3), in picture coordinates, within a window."""
        left, right, top, bottom = window
        size = max(right - left, bottom - top) / TILES_ACROSS
        shape = int((bottom - top) / size) + 1, int((right - left) / size) + 1
        tiles = cls(np.array([left, top]), size, np.full(shape, np.inf), np.full(shape, -np.inf))
        tile, face = tiles._met(faces)
        depth = faces[2]
        np.minimum.at(tiles.nearest.ravel(), tile, least_of(depth).take(face))
        np.maximum.at(tiles.farthest.ravel(), tile, greatest_of(depth).take(face))
        return tiles

    def order(self, triangles: Floats) -> tuple[Flags, Flags]:
        """(m,) and (m,) which of triangles (3, m, 3) are surely behind the target, and which before it."""
        tile, face = self._met(triangles)
        depth, count = triangles[2], triangles.shape[1]
        nearest, farthest = np.full(count, np.inf), np.full(count, -np.inf)
        np.minimum.at(nearest, face, self.nearest.ravel().take(tile))
        np.maximum.at(farthest, face, self.farthest.ravel().take(tile))
        is_behind = least_of(depth) >= farthest
        return is_behind, (greatest_of(depth) <= nearest - NEAREST_DEPTH_MM) & ~is_behind

    def _met(self, triangles: Floats) -> tuple[Indices, Indices]:
        """(n,) and (n,) tiles, read row by row, and triangles (3, m, 3) that may reach into them."""
        places = (triangles[:2] / triangles[2] - self.corner[:, None, None]) / self.size
        most = np.array(self.nearest.shape[::-1])[:, None]
        first = np.clip(np.floor(least_of(places) - BESIDE), 0, most).astype(np.int64)
        last = np.clip(np.floor(greatest_of(places) + BESIDE), -1, most - 1).astype(np.int64)
        across, down = np.maximum(last - first + 1, 0)
        row, owner = spread(first[1], down)
        column, line = spread(first[0][owner], across[owner])
        return row[line] * self.nearest.shape[1] + column, owner[line]


def _bounding(placed: Placed) -> Floats:
    """(3, k) picture coordinates in whose convex hull a body lies."""
    points: Floats = placed.matrix @ (bounding_points(placed.body.mesh) - placed.eye).T
    return points


def _coplanar(placed: Placed, triangles: Floats) -> list[tuple[Floats, float, Floats]]:
    """Triangles (3, m, 3) by the planes in which they lie: ``plane @ p == 1``, its distance from the eye, its own.

    One whose plane the eye lies in hides nothing, and is left out.
    """
    first, second, third = np.moveaxis(triangles, 2, 0)
    normals = np.cross(second - first, third - first, axis=0)
    reach = (normals * first).sum(axis=0)
    in_mesh = normals.T @ placed.matrix
    lengths = np.linalg.norm(in_mesh, axis=1)
    distance = np.divide(np.abs(reach), lengths, out=np.zeros_like(reach), where=lengths > 0.0)
    faced = np.flatnonzero(distance > LEAST_APART)
    planes = normals[:, faced] / reach[faced]
    units = in_mesh[faced] / lengths[faced, None] * np.sign(reach[faced])[:, None]
    rounded = np.round(np.column_stack([units * 1e6, distance[faced] * 1e4])).astype(np.int64)
    _, group = np.unique(rounded, axis=0, return_inverse=True)
    found = []
    for number in range(group.max(initial=-1) + 1):
        mine = faced[group.ravel() == number]
        members = [mine]
        plane = planes[:, group.ravel() == number][:, 0]
        off = np.abs(np.tensordot(plane, triangles[:, mine], 1) - 1.0).max() * distance[mine[0]]
        if off > COPLANAR:
            members = list(mine[:, None])
        for one in members:
            found.append((normals[:, one[0]] / reach[one[0]], float(distance[one[0]]), triangles[:, one]))
    return found
