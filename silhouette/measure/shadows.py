"""COUNT: what lies in the shadow of boxes inside closed surfaces is hidden, whatever the surfaces look like.

From an eye outside a closed surface every ray meets a face before it comes to a box inside (`meshes.solids`). What lies
behind the box is its *shadow*, a convex part of space: so all of a target is hidden where the corners of a box round it
are in the shadow. It takes no contours, and settles most of what stands behind walls.

           ______
          / ,--. \\  _ _ _ _ _ _ _ _          silhouette planes, through the eye and an edge of the box
    eye  |  |##|  |    shadow                front planes, in which the sides lie that look at the eye
          \\ '--' /  - - - - - - - -
           ------
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product

import numpy as np

from silhouette.common.geometry import Flags, Floats, Pose
from silhouette.common.lazy import derived
from silhouette.measure.cells import Grid
from silhouette.meshes.bounds import bounding_points
from silhouette.meshes.clusters import Indices
from silhouette.meshes.mesh import Mesh
from silhouette.meshes.solids import inner_boxes
from silhouette.renderers.protocol import NEAREST_DEPTH_MM, Body
from silhouette.renderers.views import View

APART = 0.01
"""mm: an eye nearer than this to a box round a closed surface may touch it, and what it only touches hides nothing."""

MOST_MADE = 64
"""The most blockers of which a proof asks for inner boxes, those that may hide some of the target, in their order: the
boxes take some 20 ms for each mesh that is new. A proof that is not found leaves an error, and says nothing untrue."""

_EDGES = np.array([[*axes, *ends] for axes in ((0, 1), (1, 2), (2, 0)) for ends in product((0, 1), (0, 1))]).T
"""(4, 12) the edges of a box: two axes across it, and at which end of each of them it lies."""


@dataclass(frozen=True, eq=False)
class _Place:
    """An eye (3,), in the world, and the pose of a mesh that it looks at; equal to any of the same numbers."""

    eye: Floats
    pose: Pose
    key: bytes = field(init=False)

    def __post_init__(self) -> None:
        parts = (self.eye, self.pose.rotation, self.pose.translation)
        object.__setattr__(self, "key", b"".join(part.tobytes() for part in parts))

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Place) and self.key == other.key


@dataclass(frozen=True, eq=False)
class Shadows:
    """The shadows of inner boxes of a body, seen from an eye; places are relative to the eye, in the world's axes."""

    # (n, 12, 3) a place is between the silhouette planes of a box where none of these is below zero by it
    sides: Floats
    # (n, 3, 3) and limits: (n, 3) a place is behind its front planes where these are not below the limits
    fronts: Floats
    limits: Floats
    lids: Floats  # (k, 8, 3) the corners of boxes round the lids of the surfaces
    through: Flags  # (k, n) whether the surface in which a box lies has that lid

    @classmethod
    def of(cls, view: View, body: Body) -> Shadows:
        """The shadows of those boxes in which the eye is surely not, nor at their surfaces."""
        return _of_inner_boxes(body.mesh, _Place(view.eye, body.pose))

    @classmethod
    def round(cls, view: View, body: Body) -> Shadows:
        """The shadow of a box round the whole body; none where the eye is in it. It holds those of all inner boxes."""
        return _of_box_round(body.mesh, _Place(view.eye, body.pose))

    @classmethod
    def of_boxes(cls, pose: Pose, eye: Floats, boxes: Floats, lids: Floats, through: Flags) -> Shadows:
        """The shadows of boxes (n, 2, 3); these, the eye and the lids (k, 2, 3) are in the frame that a pose places."""
        boxes, lids = boxes - eye, lids - eye
        low, high = boxes[:, 0], boxes[:, 1]
        # Which of the two sides along each axis look at the eye: at most one.
        front = np.stack([low > 0.0, high < 0.0], axis=1)
        axis, other, first, second = _EDGES
        edges = np.arange(len(axis))
        along, beside = boxes[:, first, axis], boxes[:, second, other]
        middle = (low + high) / 2
        sign = np.sign(beside * middle[:, axis] - along * middle[:, other])
        sign *= front[:, first, axis] != front[:, second, other]
        sides = np.zeros((len(boxes), len(axis), 3))
        sides[:, edges, axis], sides[:, edges, other] = sign * beside, -sign * along
        fronts = np.zeros((len(boxes), 3, 3))
        fronts[:, range(3), range(3)] = np.where(front[:, 0], 1.0, np.where(front[:, 1], -1.0, 0.0))
        limits = np.where(front[:, 0], low, np.where(front[:, 1], -high, 0.0))
        corners = np.stack([lids[:, list(choice), range(3)] for choice in product((0, 1), repeat=3)], axis=1)
        turn = pose.rotation.T
        return cls(sides @ turn, fronts @ turn, limits, corners @ turn, through)

    def chosen(self, which: Flags) -> Shadows:
        """Those of the boxes chosen by flags."""
        return Shadows(self.sides[which], self.fronts[which], self.limits[which], self.lids, self.through[:, which])

    def behind(self, points: Floats) -> Flags:
        """(n,) whether all of points (k, 3) lie behind the front planes of a box."""
        behind: Flags = ((self.fronts @ points.T).min(axis=2) >= self.limits).all(axis=1)
        return behind

    def between(self, points: Floats) -> Flags:
        """(n,) whether all of points (k, 3) lie between the silhouette planes of a box."""
        between: Flags = ((self.sides @ points.T).min(axis=2) >= 0.0).all(axis=1)
        return between


@derived
def _of_inner_boxes(mesh: Mesh, place: _Place) -> Shadows:
    """The shadows of the boxes inside a mesh: an attacker looks at many targets past the same terrain."""
    eye = place.pose.localise(place.eye[None])[0]
    inner = inner_boxes(mesh)
    outside = _is_outside(eye, inner.shells)
    used = np.flatnonzero(outside[inner.surface])
    return Shadows.of_boxes(
        place.pose, eye, inner.boxes[used], inner.lids, inner.lid_of[:, None] == inner.surface[used]
    )


@derived
def _of_box_round(mesh: Mesh, place: _Place) -> Shadows:
    """The shadow of the box round a mesh."""
    eye = place.pose.localise(place.eye[None])[0]
    box = mesh.bounds[None]
    box = box[_is_outside(eye, box)]
    return Shadows.of_boxes(place.pose, eye, box, np.empty((0, 2, 3)), np.empty((0, len(box)), dtype=np.bool_))


def _is_outside(eye: Floats, shells: Floats) -> Flags:
    """(n,) whether an eye is clearly outside boxes (n, 2, 3)."""
    outside: Flags = np.any((eye < shells[:, 0] - APART) | (eye > shells[:, 1] + APART), axis=1)
    return outside


@dataclass(eq=False)
class Hider:
    """Finds out what of a target is in shadows; those of a blocker are made when they are first needed."""

    view: View  # the picture
    target: Body  # what is to be hidden
    blockers: Sequence[Body]  # what may hide it
    points: Floats = field(init=False)  # (k, 3) in whose convex hull the target lies, relative to the eye
    made: dict[int, Shadows] = field(default_factory=dict)  # the shadows of the blockers of these numbers

    def __post_init__(self) -> None:
        self.points = self.target.pose.place(bounding_points(self.target.mesh)) - self.view.eye

    def hides_all(self) -> bool:
        """Whether the whole target is in the shadow of one box."""
        round_them = [Shadows.round(self.view, blocker) for blocker in self.blockers]
        for number, round_it in enumerate(round_them):
            if len(round_it.sides) and not self._whole(round_it).any():
                continue
            if len(self.made) >= MOST_MADE:
                return False
            shadows = self._shadows(number)
            whole = self._whole(shadows)
            if whole.any() and not self._seen_through(shadows, self._bounds(self.points))[whole].all():
                return True
        return False

    def _whole(self, shadows: Shadows) -> Flags:
        """(n,) whether the whole target is in each of the shadows."""
        whole = shadows.between(self.points)
        whole[whole] = shadows.chosen(whole).behind(self.points)
        return whole

    def _shadows(self, number: int) -> Shadows:
        """Those of a blocker."""
        if number not in self.made:
            self.made[number] = Shadows.of(self.view, self.blockers[number])
        return self.made[number]

    def left(self, grid: Grid, cells: Indices) -> Indices:
        """The cells that are not wholly in the shadow of one box, so that something of the target may be seen there."""
        depth = self.points @ self.view.axes[2]
        nearest, farthest = max(float(depth.min()), NEAREST_DEPTH_MM), float(depth.max())
        for number in range(len(self.blockers)):
            if len(cells) == 0:
                break
            window = grid.window(cells, 0.0)
            round_it = Shadows.round(self.view, self.blockers[number])
            if len(round_it.sides) and not (_greatest(_lines(self.view, round_it.sides), window) >= 0.0).all():
                continue
            if number not in self.made and len(self.made) >= MOST_MADE:
                continue
            shadows = self._shadows(number)
            lines = _lines(self.view, shadows.sides)
            possible = (_greatest(lines, window) >= 0.0).all(axis=1)
            if not possible.any():
                continue
            lines, through = lines[possible], shadows.through[:, possible]
            fronts, limits = _in_picture(self.view, shadows.fronts[possible]), shadows.limits[possible]
            column, row = grid.corners(cells) + grid.size / 2
            covered = np.ones((len(lines), len(cells)), dtype=np.bool_)
            for line in lines.transpose(1, 0, 2):
                covered &= _least(line, column, row, grid.size / 2) >= 0.0
            for front, limit in zip(fronts.transpose(1, 0, 2), limits.T, strict=True):
                # Of what lies in the cell as near and as far as the target, a corner is the nearest to the plane.
                least = _least(front, column, row, grid.size / 2)
                covered &= (nearest * least >= limit[:, None]) & (farthest * least >= limit[:, None])
            low, high = self._bounds_of_lids(shadows)
            for lid in np.flatnonzero(through.any(axis=1)):
                x, y = grid.corners(cells)
                touched = (low[lid, 0] <= x + grid.size) & (high[lid, 0] >= x)
                touched &= (low[lid, 1] <= y + grid.size) & (high[lid, 1] >= y)
                covered &= ~(through[lid][:, None] & touched)
            cells = cells[~covered.any(axis=0)]
        return cells

    def _bounds(self, points: Floats) -> tuple[Floats, Floats]:
        """Least and greatest column and row of points relative to the eye."""
        columns, rows, depth = self.view.project(points + self.view.eye)
        if (depth <= NEAREST_DEPTH_MM).any():
            return np.full(2, -np.inf), np.full(2, np.inf)
        return np.array([columns.min(), rows.min()]), np.array([columns.max(), rows.max()])

    def _bounds_of_lids(self, shadows: Shadows) -> tuple[Floats, Floats]:
        """(k, 2) least and greatest column and row of each lid."""
        low, high = np.empty((2, len(shadows.lids), 2))
        for number, lid in enumerate(shadows.lids):
            low[number], high[number] = self._bounds(lid)
        return low, high

    def _seen_through(self, shadows: Shadows, part: tuple[Floats, Floats]) -> Flags:
        """(n,) whether boxes lie in a surface with a lid that may be in a part of the picture."""
        low, high = self._bounds_of_lids(shadows)
        touched = np.all((low <= part[1]) & (high >= part[0]), axis=1)
        seen: Flags = (shadows.through & touched[:, None]).any(axis=0)
        return seen


def _lines(view: View, sides: Floats) -> Floats:
    """(n, 6, 3) silhouette planes (n, 12, 3), of which at most six are used, `_in_picture`."""
    order = np.argsort((sides == 0.0).all(axis=2), axis=1, kind="stable")[:, :6]
    return _in_picture(view, np.take_along_axis(sides, order[:, :, None], axis=1))


def _in_picture(view: View, planes: Floats) -> Floats:
    """(n, k, 3) factors of column, of row, and what is added: normals (n, k, 3) times the way, one deep, to a place."""
    right, up, forward = np.moveaxis(planes @ view.axes.T, 2, 0)
    return np.stack([right * view.step, -up * view.step, right * view.left + up * view.top + forward], axis=2)


def _least(line: Floats, column: Floats, row: Floats, half: float) -> Floats:
    """(n, m) the least value of lines (n, 3) in squares round places (m,)."""
    value = line[:, :1] * column + line[:, 1:2] * row
    value += (line[:, 2] - half * np.abs(line[:, :2]).sum(axis=1))[:, None]
    return value


def _greatest(lines: Floats, window: Floats) -> Floats:
    """(n, 6) the greatest value of lines in a window: its least and greatest column and row."""
    by_column, by_row, rest = np.moveaxis(lines, 2, 0)
    greatest: Floats = rest + np.maximum(by_column * window[0], by_column * window[1])
    greatest += np.maximum(by_row * window[2], by_row * window[3])
    return greatest
