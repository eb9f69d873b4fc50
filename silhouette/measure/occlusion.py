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
from dataclasses import dataclass, field, replace

import manifold3d
import numpy as np

from silhouette.common.geometry import Flags, Floats
from silhouette.common.lazy import cached_property
from silhouette.measure.sampling import Picture
from silhouette.measure.silhouettes import (
    SAME_AREA,
    Faces,
    Placed,
    Polygons,
    polygons,
    silhouette_of,
    union_of,
)
from silhouette.measure.tiles import TargetTiles
from silhouette.measure.triangles import (
    clipped,
    cut,
    greatest_of,
    least_of,
    may_meet,
    places_of,
    products,
    sides_of,
)
from silhouette.meshes.clusters import Indices
from silhouette.renderers.areas import NO_LINES, LayeredPicture, Lines, SeenMesh
from silhouette.renderers.protocol import NEAREST_DEPTH_MM, Body
from silhouette.renderers.views import View, VisionArc

LEAST_APART = 1e-9
"""mm, on a table of a metre: surfaces that are apart by less are as near as each other, but for rounding."""

FEW_FACES = 100  # are put together one by one; the outlines of more are sought

TURNS = (0.0, 29.0, 61.0)  # degrees: pictures in which a part of one is sought until nothing is lost

TOUCHED_LITTLE = 1e-7  # of a target: that surfaces touch over less is not looked into


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


def is_certain(picture: Picture, outer: Polygons, is_hidden: bool, step: Callable[[], None] = lambda: None) -> bool:
    """Whether it is certain that all of a target is hidden, or, unless ``is_hidden``, that nothing of it is obscured.

    The silhouette of a fine mesh takes long: it is not sought but where a blocker is before some, and not all, of
    polygons that hold it. Nor are faces compared whose order no plane tells: they may be before the target.

    Args:
        picture: a flat one.
        outer: polygons that hold the target's silhouette.
        is_hidden: which of both.
        step: as of `occlusion`.
    """
    target = _Target(picture.view, Placed.of(picture.view, picture.target), False, step, outer, is_rough=True)
    parts = [target.hidden_by_outline(body) for body in picture.blockers]
    if any(part.doubt for part in parts):
        return False
    surely = joined([part.polygons for part in parts])
    return not target.reaches_into(outer - surely if is_hidden else joined([surely, *(part.maybe for part in parts)]))


def occlusion(
    picture: Picture,
    is_cube: bool = False,
    step: Callable[[], None] = lambda: None,
) -> Occlusion:
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
    in_arc = target.in_arcs(picture.arcs)
    parts = [target.hidden_by_outline(body) for body in picture.blockers]
    touching, doubt = (float(sum(each)) for each in ([p.touching for p in parts], [p.doubt for p in parts]))
    return Occlusion(whole, in_arc, [part.polygons for part in parts], touching, doubt)


def layered(picture: Picture, step: Callable[[], None] = lambda: None) -> LayeredPicture | None:
    """A flat picture for a renderer that counts areas; None where only `occlusion` tells.

    That is so where the target does not lie well before the eye, where the order of some faces is a matter of their own
    planes, and where arcs part the target, or outlines lie farther out or in than meshes.
    """
    bodies = [picture.target, *picture.blockers]
    placed = Placed.of(picture.view, picture.target)
    points = placed.bounding
    if picture.arcs or any(body.outline for body in bodies) or not placed.is_ahead:
        return None
    if not (points[2] > NEAREST_DEPTH_MM).all():
        return None
    (left, top), (right, bottom) = (points[:2] / points[2]).min(axis=1), (points[:2] / points[2]).max(axis=1)
    outer = manifold3d.CrossSection.square((right - left, bottom - top)).translate((left, top))
    target = _Target(picture.view, placed, False, step, outer)
    layers = list[SeenMesh | Lines]([placed.as_seen])
    for body in picture.blockers:
        layer = target.layer_before(body)
        if layer is None:
            return None
        layers.append(layer)
    return LayeredPicture(np.array([left, right, top, bottom]), layers)


@dataclass(frozen=True, eq=False)
class _Hidden:
    """Where a blocker is before a target; ``touching`` and ``doubt`` as of `Occlusion`."""

    polygons: Polygons
    touching: float = 0.0
    doubt: float = 0.0
    maybe: Polygons = field(default_factory=polygons)  # where else it may be before the target, for a rough one


@dataclass(frozen=True, eq=False)
class _Target:
    """A target in a picture."""

    view: View
    placed: Placed
    is_cube: bool  # whether the view is a face of a cube, beyond which nothing counts
    step: Callable[[], None]  # is called now and then
    outer: Polygons | None = None  # what stands for its silhouette, and holds it; None for that itself
    is_rough: bool = False  # whether faces that no plane parts from it are left where they may be before it

    @cached_property
    def frame(self) -> Floats:
        """The picture's window, and as far round it as its outline may lie farther out or in than that of the mesh."""
        width, height = self.view.width, self.view.height
        return _grown(np.array([0.0, width, 0.0, height]), _outline_reach(self.placed, float(max(width, height))))

    @cached_property
    def faces(self) -> Faces:
        """Those in the picture."""
        return Faces.of(self.placed, self.frame)

    @cached_property
    def whole(self) -> Polygons:
        """Its silhouette."""
        if self.outer is not None:
            return self.outer
        body = self.placed.body
        whole = silhouette_of(self.placed)
        if whole is None:
            whole = self.faces.silhouette((self.frame[0], self.frame[1]))
        if body.outline:
            rim = self.faces.rim(whole, abs(body.outline))
            whole = whole + rim if body.outline > 0.0 else whole - rim
        return whole ^ manifold3d.CrossSection.square((self.view.width, self.view.height)) if self.is_cube else whole

    @cached_property
    def window(self) -> Floats:
        """Least and greatest column and row of its silhouette."""
        left, top, right, bottom = self.whole.bounds()
        return np.array([left, right, top, bottom])

    def near(self, points: Floats) -> TargetTiles:
        """Its faces that may lie in the bounds of points (3, ...) of the picture."""
        columns, rows = (points[:2] / points[2]).reshape(2, -1)
        left, right, top, bottom = self.window
        window = np.array([*np.clip(_ends(columns), left, right), *np.clip(_ends(rows), top, bottom)])
        return TargetTiles(Faces.of(self.placed, window), window)

    def reaches_into(self, part: Polygons) -> bool:
        """Whether its silhouette may reach into a part of the picture."""
        if part.is_empty() or self.placed.body.outline > 0.0:
            return not part.is_empty()
        left, top, right, bottom = part.bounds()
        faces = Faces.of(self.placed, np.array([left, right, top, bottom]))
        return not (faces.silhouette((left, right)) ^ part).is_empty()

    def hidden_by_outline(self, body: Body) -> _Hidden:
        """`hidden_by`, where the blocker's outline lies farther out or in than that of its mesh."""
        part = self.hidden_by(body)
        hidden = part.polygons
        if not body.outline:
            return part
        placed = Placed.of(self.view, body)
        reach = _outline_reach(placed, float(self.window.max()))
        window = _grown(self.window, reach)
        faces = Faces.of(placed, window)
        rim = faces.rim(faces.silhouette((window[0], window[1])), abs(body.outline))
        if body.outline < 0.0:
            return replace(part, polygons=hidden - rim)
        beside = rim ^ hidden.offset(reach, manifold3d.JoinType.Round) ^ self.whole
        maybe = part.maybe if part.maybe.is_empty() else self.whole
        return replace(part, polygons=hidden + beside, maybe=maybe)

    def hidden_by(self, body: Body) -> _Hidden:
        """Where a blocker is before the target."""
        self.step()
        placed = Placed.of(self.view, body)
        planes = _Planes.of(self.placed, placed)
        is_behind, is_before = planes.order(placed.bounding[:, None])
        if is_before[0] and (whole := silhouette_of(placed)) is not None:
            return self.covered_by(whole)
        if is_behind[0]:
            return _Hidden(polygons())
        before, mixed, near = self._parted(placed, planes)
        hidden = self.covered_by(before.silhouette((self.window[0], self.window[1])))
        if self.is_rough:
            return replace(hidden, maybe=_covered(mixed) ^ self.whole)
        if near is None:
            return hidden
        all_hidden = self._hidden_by_mixed(placed, mixed, hidden.polygons, near)
        return replace(all_hidden, doubt=all_hidden.doubt + hidden.doubt)

    def layer_before(self, body: Body) -> SeenMesh | Lines | None:
        """What of a blocker is before the target, for a renderer that counts areas; None where some faces are mixed."""
        self.step()
        placed = Placed.of(self.view, body)
        planes = _Planes.of(self.placed, placed)
        is_behind, is_before = planes.order(placed.bounding[:, None])
        if is_before[0] and placed.is_ahead:
            return placed.as_seen
        if is_behind[0]:
            return NO_LINES
        before, mixed, _ = self._parted(placed, planes)
        return None if mixed.shape[1] else before.lines()

    def _parted(self, placed: Placed, planes: _Planes) -> tuple[Faces, Floats, TargetTiles | None]:
        """The faces of a blocker before the target; (3, m, 3) those of which neither planes nor depths tell; and what
        of the target lies near these, if there may be such.
        """
        reaching, _ = placed.within(self.window, NEAREST_DEPTH_MM, planes.farthest)
        if not reaching.any():
            return Faces.none(placed), np.empty((3, 0, 3)), None
        faces = Faces.of(placed, self.window, planes.farthest)
        is_near = placed.centres[2] + placed.clusters.radii > planes.nearest
        numbers, points = placed.faces_in(np.flatnonzero(reaching & is_near), faces.sides)
        points = np.concatenate([points, faces.parts], axis=1)
        is_behind, is_before, near = self.order(placed, planes, points)
        left_out = ~is_before
        before = faces.without(numbers[left_out[: len(numbers)]], left_out[len(numbers) :])
        return before, points[:, ~is_behind & ~is_before], near

    def order(self, placed: Placed, planes: _Planes, points: Floats) -> tuple[Flags, Flags, TargetTiles | None]:
        """(m,) and (m,) which faces (3, m, 3) of a blocker are surely behind the target, and which before it; and what
        of the target lies near those that `_Planes` does not part from it, if there are such.
        """
        is_behind, is_before = planes.order(points)
        mixed = np.flatnonzero(~is_behind & ~is_before)
        is_behind[mixed], is_before[mixed] = planes.order_by_own(placed, points[:, mixed])
        mixed = mixed[~is_behind[mixed] & ~is_before[mixed]]
        if not len(mixed) or self.is_rough:
            return is_behind, is_before, None
        near = self.near(points[:, mixed])
        is_behind[mixed], is_before[mixed] = near.order(points[:, mixed])
        return is_behind, is_before, near

    def covered_by(self, part: Polygons) -> _Hidden:
        """What of the target a part of the picture covers that is before it."""
        for turn in TURNS:
            whole, before = (each.rotate(turn) for each in (self.whole, part))
            hidden = before ^ whole
            # Both are swept by themselves: seldom, and not in all directions, a sweep loses a hole.
            lost = abs(hidden.area() + (whole - before).area() - whole.area())
            if lost <= SAME_AREA * whole.area():
                return _Hidden(hidden.rotate(-turn))
        return _Hidden(hidden.rotate(-turn), doubt=float(lost))

    def _hidden_by_mixed(self, placed: Placed, triangles: Floats, hidden: Polygons, near: TargetTiles) -> _Hidden:
        """Where also triangles (3, m, 3) are before the target, each of which lies before and behind parts of it: each
        is compared with those of the target that lie over it.

        Args:
            placed: the blocker whose triangles they are.
            triangles: of it.
            hidden: where others of it are before the target.
            near: what of the target lies there.
        """
        planes, distance = _own_planes(placed, triangles)
        is_faced = distance > LEAST_APART  # one whose plane the eye lies in hides nothing
        triangles, planes, distance = triangles[:, is_faced], planes[:, is_faced], distance[is_faced]
        order = near.compared(triangles, self.step)
        pairs = order.pairs[:, may_meet(triangles[:, order.pairs[0]], near.triangles[:, order.pairs[1]])]
        around = _OwnedTriangles(pairs[0], near.triangles[:, pairs[1]])
        low, high = 1.0 + LEAST_APART / distance, 1.0 + NEAREST_DEPTH_MM / distance
        nearer = around.where(-planes, -high)
        between = nearer.where(planes, low)
        for side in sides_of(triangles):
            between = between.where(side, np.zeros(len(distance)))
        touched = between.areas(len(distance))
        is_touched = touched > TOUCHED_LITTLE * self.whole.area()
        shown = around.of(is_touched).where(-planes, -low)
        outlines, touching = places_of(triangles), float(touched[~is_touched].sum())
        parts = [_covered(triangles[:, order.is_before])]
        for number in np.flatnonzero(order.is_parted).tolist():
            bare = polygons([outlines[number]])
            gone = _covered(nearer.of_number(number))
            parts.append(bare - gone - polygons([*order.rectangles(number)]))
            if is_touched[number]:
                self.step()
                met, left = (_covered(each.of_number(number)) for each in (between, shown))
                touching += ((met ^ bare ^ self.whole) - hidden - left).area()
        by_faces = self.covered_by(joined(parts))
        surely = joined([hidden, by_faces.polygons])
        doubt = ((polygons([*order.doubt]) ^ self.whole) - surely).area() if len(order.doubt) else 0.0
        return _Hidden(surely, touching=touching, doubt=float(doubt) + by_faces.doubt)

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
        in_arc = (self.whole if is_whole else inside.silhouette() ^ self.whole) - joined(nearer)
        for line in lines:
            in_arc = in_arc ^ self._beside(line)
        return in_arc

    def _beside(self, line: Floats) -> Polygons:
        """What of its window lies where ``line @ (column, row, 1) >= 0``."""
        left, right, top, bottom = self.window
        corners = np.array([[left, right, right, left], [top, top, bottom, bottom], [1.0, 1.0, 1.0, 1.0]])
        parts = clipped(corners[:, [[0, 1, 2], [0, 2, 3]]], line, 0.0)
        return polygons((parts[:2] / parts[2]).transpose(1, 2, 0))


@dataclass(frozen=True, eq=False)
class _OwnedTriangles:
    """Triangles, and parts of them, by that with which each is compared."""

    owner: Indices  # (n,) ascending: the number of that
    triangles: Floats  # (3, n, 3) in picture coordinates

    def of(self, flagged: Flags) -> _OwnedTriangles:
        """Those of flagged numbers."""
        some = flagged[self.owner]
        return _OwnedTriangles(self.owner[some], self.triangles[:, some])

    def where(self, planes: Floats, least: Floats) -> _OwnedTriangles:
        """What of them lies where ``plane @ p >= least``, of planes (3, m) by their number."""
        beyond = products(planes[:, self.owner], self.triangles) - least[self.owner, None]
        parts, number = cut(self.triangles, beyond)
        order = np.argsort(number, kind="stable")
        return _OwnedTriangles(self.owner[number[order]], parts[:, order])

    def areas(self, count: int) -> Floats:
        """(count,) pixels: the areas of those of each number, added up."""
        places = places_of(self.triangles)
        x, y = np.moveaxis(places - places[:, :1], 2, 0)
        areas = np.abs(x[:, 1] * y[:, 2] - x[:, 2] * y[:, 1]) / 2.0
        return np.bincount(self.owner, areas, count).astype(np.float64)

    def of_number(self, number: int) -> Floats:
        """(3, k, 3) those of a number."""
        return self.triangles[:, slice(*np.searchsorted(self.owner, [number, number + 1]))]


def _covered(triangles: Floats) -> Polygons:
    """What triangles (3, m, 3) cover."""
    return union_of(triangles) if triangles.shape[1] > FEW_FACES else polygons([*places_of(triangles)])


def _outline_reach(placed: Placed, most: float) -> float:
    """Pixels, ``most`` at most: by how much a body's outline lies farther out or in where the body is nearest."""
    nearest = max(float((placed.centres[2] - placed.clusters.radii).min()), NEAREST_DEPTH_MM)
    return min(abs(placed.body.outline) / (placed.step * nearest), most)


def _grown(window: Floats, by: float) -> Floats:
    """(4,) a window, its least and greatest column and row, with a margin of ``by`` pixels on each side."""
    return window + by * np.array([-1.0, 1.0, -1.0, 1.0])


def _ends(values: Floats) -> Floats:
    return np.array([values.min(), values.max()])


@dataclass(frozen=True, eq=False)
class _Planes:
    """Planes that touch a target, and have all of it on one side; in picture coordinates."""

    normals: Floats  # (n, 3): their products with points are mm
    reaches: Floats  # (n,) the greatest product with a point of the target, or more
    points: Floats  # (3, k) in whose convex hull the target lies
    # nearest, farthest: mm, depths between which the target lies
    nearest: float
    farthest: float

    @classmethod
    def of(cls, target: Placed, blocker: Placed) -> _Planes:
        """Those along the frames of both, and across the line of sight."""
        normals = np.concatenate([target.ways, blocker.ways])
        points = target.bounding
        nearest = max(float(points[2].min()), 0.0) - NEAREST_DEPTH_MM
        return cls(normals, (normals @ points).max(axis=1), points, nearest, float(points[2].max()))

    def order(self, points: Floats) -> tuple[Flags, Flags]:
        """(m,) and (m,) which of m hulls of k points, (3, m, k), are surely behind the target, and which before it."""
        nearest = least_of((self.normals @ points.reshape(3, -1)).reshape(len(self.normals), *points.shape[1:]))
        reaches, depth = self.reaches[:, None], points[2]
        is_behind = least_of(depth) >= self.farthest
        is_behind |= ((nearest >= reaches) & (reaches >= 0.0)).any(axis=0)
        is_before = greatest_of(depth) <= self.nearest
        is_before |= ((nearest >= reaches + NEAREST_DEPTH_MM) & (reaches < 0.0)).any(axis=0)
        return is_behind, is_before & ~is_behind

    def order_by_own(self, placed: Placed, triangles: Floats) -> tuple[Flags, Flags]:
        """`order` of triangles (3, m, 3) of a body, where the plane of one has all of the target on one side."""
        planes, distance = _own_planes(placed, triangles)
        apart = (planes.T @ self.points - 1.0) * distance[:, None]
        is_faced = distance > LEAST_APART
        is_behind = is_faced & (apart <= LEAST_APART).all(axis=1)
        return is_behind, is_faced & (apart >= NEAREST_DEPTH_MM).all(axis=1)


def _own_planes(placed: Placed, triangles: Floats) -> tuple[Floats, Floats]:
    """(3, m) the planes of triangles (3, m, 3) of a body, ``plane @ p == 1``; (m,) mm from the eye, 0 through it."""
    first, second, third = np.moveaxis(triangles, 2, 0)
    normals = np.cross(second - first, third - first, axis=0)
    reach = (normals * first).sum(axis=0)
    lengths = np.linalg.norm(normals.T @ placed.matrix, axis=1)
    distance = np.divide(np.abs(reach), lengths, out=np.zeros_like(reach), where=lengths > 0.0)
    return np.divide(normals, reach, out=np.zeros_like(normals), where=reach != 0.0), distance
