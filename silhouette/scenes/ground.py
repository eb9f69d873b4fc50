r"""PLACE: where a base that is lowered from above comes to rest, and what surface there is under it.

    outline in plan, places -> the triangles near each -> the highest point of each under the outline -> heights

A base is a convex outline that is lowered upright. The highest point of a triangle under it is one of these:

       ____            1  the corner of the outline that lies farthest uphill, if it lies over the triangle;
      /  1 \   uphill  2  an end of what remains of an edge of the triangle, cut off at the outline:
     |  .---2-->          a corner of the triangle that lies inside the outline, or where the edge crosses it.
      \_/__/

For a point inside both is the highest only if the triangle is level, and then any of these is as high.

The triangles near a place are found by their boxes in plan, in a tree of shapely.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from shapely import Polygon, STRtree, get_coordinates, linestrings
from shapely.geometry.polygon import orient

from silhouette.common.geometry import Flags, Floats
from silhouette.common.lazy import cached_property

Indices = NDArray[np.intp]

# ---- the ground

OUTLINE_TOUCH_MM = 0.01
"""mm: a side that reaches under an outline by less only touches it. A round base is a polygon, and what is typed is
rounded: a base against a wall is not on top of it."""

SAME_HEIGHT = 1e-6  # mm: heights and places that differ by less are the same
# How many triangles are cut off at the rim at a time, at each place: mostly one of the first is the highest.
TRIANGLES_PER_ROUND = 6
WALL_COSINE = 0.5  # the cosine of 60°: a surface that is steeper is a wall, not a floor
# Share by which more of a surface faces up than down, or down than up, from which on it is no closed one.
OPEN_SURFACE_SHARE = 0.1

WORTH_AN_INDEX = 64
"""How often a place is asked for before triangles are indexed, and the square root of how many there are at least."""

TRIANGLES_PER_BOX = 8  # the number of neighbouring triangles of which the index has one box

FEW_OF_ALL = 0.1  # the share of the area in plan from which on triangles are looked through rather than looked up

_NUMBERS_AT_ONCE = 1 << 21
"""Numbers that one step of an array computation works on, at most, so that memory stays small."""


@dataclass(frozen=True, eq=False)
class Hits:
    """The triangles that vertical lines cross."""

    line: Indices  # (n,) the number of the line
    z: Floats  # (n,) mm, the height of the crossing
    sign: NDArray[np.int8]  # (n,) int8: 1 where a line that goes up enters a body, -1 where it leaves one


class Ground:
    """Triangles (m, 3, 3) in the world, mm, anticlockwise seen from outside, and an index by which those near a place
    are found.
    """

    def __init__(self, triangles: Floats, whole: Ground | None = None) -> None:
        self.triangles = np.asarray(triangles, np.float64).reshape(-1, 3, 3)
        self._whole = whole
        self._queries = 0

    @cached_property
    def faces_outward(self) -> bool:
        """Whether what faces down is an underside, of a ceiling or an overhang, on which nothing stands.

        It is not in a scan without an underside that is inside out: all of that faces down.
        """
        if self._whole is not None:
            return self._whole.faces_outward
        corners = self.triangles - self.triangles.reshape(-1, 3).mean(axis=0) if len(self.triangles) else self.triangles
        sixfold = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        up, both = float(sixfold[:, 2].sum()), float(np.abs(sixfold[:, 2]).sum())
        if abs(up) > OPEN_SURFACE_SHARE * both:
            return up > 0.0
        return float(np.einsum("ij,ij->", corners[:, 0], sixfold)) > 0.0

    @cached_property
    def _boxes(self) -> Floats:
        x, y = self.triangles[:, :, 0].T, self.triangles[:, :, 1].T
        least, most = np.minimum, np.maximum  # by rows of x and y: several times as fast as along short axes
        return np.stack(
            [least(least(*v[:2]), v[2]) for v in (x, y)] + [most(most(*v[:2]), v[2]) for v in (x, y)], axis=1
        )

    @cached_property
    def _extents(self) -> Floats:
        """(2,) mm: the sizes along x and y of a rectangle that holds all of it, with a margin; it has a triangle."""
        extents: Floats = self._boxes[:, 2:].max(axis=0) - self._boxes[:, :2].min(axis=0) + 1.0
        return extents

    @cached_property
    def _heights(self) -> Floats:
        z = self.triangles[:, :, 2].T
        return np.stack([np.minimum(np.minimum(z[0], z[1]), z[2]), np.maximum(np.maximum(z[0], z[1]), z[2])], axis=1)

    @cached_property
    def _index(self) -> tuple[Any, Indices]:
        """The tree of the boxes of runs of neighbours, each as its diagonal; (runs, `TRIANGLES_PER_BOX`) the triangles.

        The last run is filled up with -1. A geometry takes 300 bytes: with one for each triangle a scan of a million
        would take 300 MB.
        """
        cells = np.floor(self._boxes[:, :2] / (self._boxes[:, 2:] - self._boxes[:, :2]).mean(axis=0).clip(min=1e-9))
        order = np.lexsort((cells[:, 1], np.floor(cells[:, 0] / TRIANGLES_PER_BOX)))
        runs = np.pad(order, (0, -len(order) % TRIANGLES_PER_BOX), constant_values=-1).reshape(-1, TRIANGLES_PER_BOX)
        boxes = self._boxes[runs]
        bounds = np.concatenate([boxes[..., :2].min(axis=1), boxes[..., 2:].max(axis=1)], axis=1)
        return STRtree(linestrings(bounds.reshape(-1, 2, 2))), runs

    def _indexed(self, boxes: Floats) -> tuple[Indices, Indices]:
        """The numbers of boxes (q, 4) and of the triangles whose own they overlap or touch, in the order of both."""
        tree, runs = self._index
        box, run = tree.query(linestrings(boxes.reshape(-1, 2, 2)))
        box, triangle = np.repeat(box, TRIANGLES_PER_BOX), runs[run].ravel()
        there, own = boxes[box], self._boxes[triangle]
        touches = (triangle >= 0) & (there[:, :2] <= own[:, 2:]).all(axis=1) & (own[:, :2] <= there[:, 2:]).all(axis=1)
        box, triangle = box[touches], triangle[touches]
        order = np.lexsort((triangle, box))
        return box[order], triangle[order]

    @cached_property
    def _normals(self) -> Floats:
        """(m, 3) the unit normals; zero for a triangle without an area."""
        a, b, c = (self.triangles[:, corner] for corner in range(3))
        normals = np.cross(b - a, c - a)
        lengths = np.linalg.norm(normals, axis=1, keepdims=True)
        unit: Floats = np.divide(normals, lengths, out=np.zeros_like(normals), where=lengths > 0.0)
        return unit

    def prepare(self) -> None:
        """Works out now what all questions share, so that processes forked from this one need not do it again."""
        if len(self.triangles):
            _ = self._heights, self._normals, self._index, self.faces_outward

    @property
    def is_prepared(self) -> bool:
        """Whether it has been indexed: places in it are then found as quickly as in a part of it."""
        return "_index" in self.__dict__

    def near(self, low: Any, high: Any) -> Ground:
        """The triangles whose boxes in plan overlap the rectangle from ``low`` to ``high``, both (2,)."""
        whole = self if self._whole is None else self._whole
        self._queries += 1
        across, along = high[0] - low[0], high[1] - low[1]
        is_worth_it = len(self.triangles) > WORTH_AN_INDEX**2 and (self.is_prepared or self._queries > WORTH_AN_INDEX)
        if is_worth_it and across * along <= FEW_OF_ALL * float(self._extents.prod()):
            return Ground(self.triangles[self._indexed(np.array([[*low, *high]]))[1]], whole)
        boxes = self._boxes
        chosen = (boxes[:, 0] <= high[0]) & (boxes[:, 1] <= high[1])
        chosen &= (boxes[:, 2] >= low[0]) & (boxes[:, 3] >= low[1])
        return Ground(self.triangles[chosen], whole)

    def layers(self, area: float) -> float:
        """How often all triangles together cover an area, mm²; a larger triangle covers it once.

        >>> Ground([[[0, 0, 5], [9, 0, 5], [0, 9, 5]], [[0, 0, 7], [1, 0, 7], [0, 2, 7]]]).layers(4.0)
        1.5
        """
        areas = np.prod(self._boxes[:, 2:] - self._boxes[:, :2], axis=1)
        return float(np.minimum(areas / max(area, 1e-9), 1.0).sum())

    def heights(self, outline: Floats, places: Floats, under: float | None = None) -> Floats:
        """(q,) the height at which a base comes to rest that is lowered at each place; -inf where nothing is under it.

        Args:
            outline: (k, 2) mm, the corners of the base in plan, convex and anticlockwise, seen from its place.
            places: (q, 2) mm.
            under: mm; nothing higher than this counts. Of a surface that reaches higher, the part below it counts;
                of a wall (steeper than 60°) that reaches higher, and of the underside of a ceiling, nothing does.

        >>> table = Ground([[[0, 0, 5], [9, 0, 5], [0, 9, 5]], [[0, 0, 40], [9, 0, 40], [0, 9, 40]]])
        >>> foot = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
        >>> table.heights(foot, np.array([[2.0, 2.0], [-0.5, 3.0], [-1.0, 3.0]])).tolist()
        [40.0, 40.0, -inf]
        >>> table.heights(foot, np.array([[2.0, 2.0]]), under=20.0).tolist()
        [5.0]
        """
        places = np.asarray(places, np.float64).reshape(-1, 2)
        whole, inner = np.full(len(places), -np.inf), np.full(len(places), -np.inf)
        smaller = inset(outline, OUTLINE_TOUCH_MM)
        top = np.inf if under is None else under
        for place, triangle in self._pairs(np.concatenate([places + outline.min(0), places + outline.max(0)], axis=1)):
            least, most = self._heights[triangle].T
            up = self._normals[triangle, 2]
            steep = np.abs(up) < WALL_COSINE
            cut = most > top + SAME_HEIGHT
            if under is not None:
                # Of a wall that goes up through that height under the base no part counts, fine as its mesh may be.
                wall = np.flatnonzero(cut & steep & (least < top))
                _, high = self._spans(smaller, places, place[wall], triangle[wall])
                walled = np.zeros(len(places), np.bool_)
                walled[place[wall[high > top + SAME_HEIGHT]]] = True
                most = np.where(steep & walled[place], -np.inf, most)
            most = np.where(cut, np.where(steep, -np.inf, top), most)
            if under is not None and self.faces_outward:  # its top is higher still, and may not count
                most = np.where(up < -SAME_HEIGHT, -np.inf, most)
            # What lies wholly under the base is as high as its highest corner. Only what could be higher is cut off.
            within = self._lies_within(smaller, places, place, triangle) & (most >= least)
            for highest in (whole, inner):
                np.maximum.at(highest, place[within], most[within])
            left = ~within & (most >= least)
            order = np.lexsort((-most[left], place[left]))  # what could be highest first, a few at each place at a time
            place, triangle, most = place[left][order], triangle[left][order], most[left][order]
            while len(place):
                likely = most > inner[place]
                place, triangle, most = place[likely], triangle[likely], most[likely]
                first = np.searchsorted(place, place)
                now = np.arange(len(place)) - first < TRIANGLES_PER_ROUND
                for shape, highest in ((outline, whole), (smaller, inner)):
                    low, high = self._spans(shape, places, place[now], triangle[now])
                    high = np.where(low <= top + SAME_HEIGHT, np.minimum(high, most[now]), -np.inf)
                    np.maximum.at(highest, place[now], high)
                place, triangle, most = place[~now], triangle[~now], most[~now]
        # A slope rises by little between the two outlines. Where the whole one is far higher, it touches a wall.
        is_slope = whole <= inner + 10.0 * OUTLINE_TOUCH_MM
        return np.where(is_slope, whole, inner)

    def _lies_within(self, outline: Floats, places: Floats, place: Indices, triangle: Indices) -> Flags:
        """(n,) whether the triangle of each pair lies in the largest circle round the outline's middle."""
        if len(outline) < 3:
            return np.zeros(len(place), np.bool_)
        middle = outline.mean(axis=0)
        sides, offsets = half_planes(outline)
        radius = (offsets - sides @ middle).min()
        away = self.triangles[triangle][:, :, :2] - (places + middle)[place, None]
        inside: Flags = (np.einsum("nij,nij->ni", away, away) <= radius * radius).all(axis=1)
        return inside

    def walled(self, outline: Floats, places: Floats, low: Floats, high: Floats) -> Flags:
        """(q,) whether a wall, steeper than 60°, lies within an outline (k, 2) at each place (q, 2).

        Args:
            outline: mm, convex and anticlockwise, seen from its place.
            places: mm.
            low, high: (q,) mm; only a wall counts that reaches above the first and below the second within the outline.

        >>> wall = Ground([[[0, 0, 0], [4, 0, 0], [0, 0, 9]]])
        >>> foot = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
        >>> wall.walled(foot, np.array([[0.0, 0.5], [0.0, 2.0], [4.5, 0.0]]), np.full(3, 2.0), np.full(3, 3.0)).tolist()
        [True, False, False]
        """
        places = np.asarray(places, np.float64).reshape(-1, 2)
        walls = np.zeros(len(places), np.bool_)
        for place, triangle in self._pairs(np.concatenate([places + outline.min(0), places + outline.max(0)], axis=1)):
            least, most = self._heights[triangle].T
            may = (np.abs(self._normals[triangle, 2]) < WALL_COSINE) & (most > low[place]) & (least < high[place])
            place, triangle = place[may], triangle[may]
            least, most = self._spans(outline, places, place, triangle)
            walls[place[(most > low[place]) & (least < high[place])]] = True
        return walls

    def crossings(self, points: Floats) -> Hits:
        """What vertical lines through points (p, 2) cross; vertical triangles are not crossed, and borders are.

        >>> roof = Ground([[[0, 0, 0], [4, 0, 0], [0, 4, 4]]])
        >>> hits = roof.crossings(np.array([[1.0, 1.0], [3.0, 3.0]]))
        >>> hits.line.tolist(), hits.z.round(6).tolist(), hits.sign.tolist()
        ([0], [1.0], [-1])
        """
        points = np.asarray(points, np.float64).reshape(-1, 2)
        parts = []
        for line, triangle in self._pairs(np.concatenate([points - SAME_HEIGHT, points + SAME_HEIGHT], axis=1)):
            hits = self.crossing(triangle, points[line])
            parts.append(Hits(line[hits.line], hits.z, hits.sign))
        if not parts:
            return Hits(np.empty(0, np.intp), np.empty(0), np.empty(0, np.int8))
        return Hits(*(np.concatenate([getattr(part, key) for part in parts]) for key in ("line", "z", "sign")))

    def crossing(self, triangle: Indices, points: Floats) -> Hits:
        """What vertical lines through points (n, 2) cross of one triangle each, of the numbers ``triangle`` (n,)."""
        inside, z = _over(self.triangles[triangle], self._normals[triangle], points)
        (line,) = np.nonzero(inside)
        return Hits(line, z[inside], np.where(self._normals[triangle[inside], 2] > 0.0, -1, 1).astype(np.int8))

    def _pairs(self, boxes: Floats) -> Iterator[tuple[Indices, Indices]]:
        """Pairs of a box (q, 4) in plan and a triangle that may lie under it, some at a time, in the order of boxes."""
        total = len(self.triangles)
        if not total or not len(boxes):
            return
        is_indexed = len(boxes) * total > _NUMBERS_AT_ONCE or (len(boxes) >= WORTH_AN_INDEX and total >= WORTH_AN_INDEX)
        step = max(1, 8 * _NUMBERS_AT_ONCE // total)
        if is_indexed:  # as many boxes as make about so many pairs with triangles that lie evenly
            widths = self._boxes[:, 2:] - self._boxes[:, :2] + (boxes[:, 2:] - boxes[:, :2]).max(axis=0)
            pairs = np.minimum(widths / self._extents, 1.0).prod(axis=1).sum()
            step = max(1, int(_NUMBERS_AT_ONCE / 4 / (1.0 + pairs)))
        for first in range(0, len(boxes), step):
            some = boxes[first : first + step]
            if is_indexed:
                box, triangle = self._indexed(some)
            else:
                (least_x, least_y, most_x, most_y), (west, south, east, north) = self._boxes.T, some.T[..., None]
                overlap = (least_x <= east) & (most_x >= west)
                overlap &= (least_y <= north) & (most_y >= south)
                box, triangle = np.nonzero(overlap)
            yield box + first, triangle

    def _spans(self, outline: Floats, places: Floats, place: Indices, triangle: Indices) -> tuple[Floats, Floats]:
        """The lowest and highest point (n,) of each pair's triangle under the outline; inf and -inf where none is."""
        low, high = np.full(len(place), np.inf), np.full(len(place), -np.inf)
        if len(outline) < 3:
            return low, high
        step = max(1, _NUMBERS_AT_ONCE // (4 * len(outline)))
        for first in range(0, len(place), step):
            some = slice(first, first + step)
            shifted = self.triangles[triangle[some]].copy()
            shifted[:, :, :2] -= places[place[some], None]
            low[some], high[some] = _extremes(outline, shifted, self._normals[triangle[some]])
        return low, high


def inset(outline: Floats, distance: float) -> Floats:
    """The outline (k, 2) of what lies in a convex outline by more than a distance; (0, 2) where that is nothing.

    >>> sorted(inset(np.array([[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0]]), 1.0).tolist())
    [[1.0, 1.0], [1.0, 3.0], [3.0, 1.0], [3.0, 3.0]]
    """
    left = Polygon(outline).buffer(-distance, join_style="mitre")
    return np.empty((0, 2)) if left.is_empty else get_coordinates(orient(left))[:-1]


def half_planes(outline: Floats) -> tuple[Floats, Floats]:
    """The sides of a convex anticlockwise outline: unit normals (k, 2) outward, and offsets (k,): n · x <= offset."""
    ways = np.roll(outline, -1, axis=0) - outline
    lengths = np.linalg.norm(ways, axis=1)
    real = lengths > SAME_HEIGHT
    normals = np.stack([ways[real, 1], -ways[real, 0]], axis=1) / lengths[real, None]
    return normals, np.einsum("ij,ij->i", normals, outline[real])


def _extremes(outline: Floats, triangles: Floats, normals: Floats) -> tuple[Floats, Floats]:
    """The lowest and highest point (n,) of triangles (n, 3, 3) under an outline; inf and -inf where none is."""
    sides, offsets = half_planes(outline)
    low, high = np.full(len(triangles), np.inf), np.full(len(triangles), -np.inf)
    for corner in range(3):
        start, end = triangles[:, corner], triangles[:, (corner + 1) % 3]
        # The share of the edge inside of each side: where the way leads outward it ends there, else it begins there.
        room = offsets - start[:, :2] @ sides.T
        outward = (end - start)[:, :2] @ sides.T
        crossing = np.divide(room, outward, out=np.zeros_like(room), where=outward != 0.0)
        last = np.where(outward > 0.0, crossing, 1.0).min(axis=1).clip(max=1.0)
        first = np.where(outward < 0.0, crossing, 0.0).max(axis=1).clip(min=0.0)
        inside = (first <= last) & ((outward != 0.0) | (room >= 0.0)).all(axis=1)
        rise = (end - start)[:, 2]
        ends = np.stack([start[:, 2] + first * rise, start[:, 2] + last * rise])
        low = np.where(inside, np.minimum(low, ends.min(axis=0)), low)
        high = np.where(inside, np.maximum(high, ends.max(axis=0)), high)
    uphill = -normals[:, :2] * np.sign(normals[:, 2:])
    along = uphill @ outline.T
    for corner, is_high in ((along.argmax(axis=1), True), (along.argmin(axis=1), False)):
        inside, z = _over(triangles, normals, outline[corner])
        if is_high:
            high = np.where(inside, np.maximum(high, z), high)
        else:
            low = np.where(inside, np.minimum(low, z), low)
    return low, high


def _over(triangles: Floats, normals: Floats, points: Floats) -> tuple[Flags, Floats]:
    """Whether each point (n, 2) lies over its triangle (n, 3, 3), borders included, and the height (n,) there."""
    turn = np.sign(normals[:, 2])
    inside = turn != 0.0
    for corner in range(3):
        start, end = triangles[:, corner, :2], triangles[:, (corner + 1) % 3, :2]
        way, to = end - start, points - start
        across = (way[:, 0] * to[:, 1] - way[:, 1] * to[:, 0]) * turn
        inside &= across >= -SAME_HEIGHT * np.hypot(way[:, 0], way[:, 1])
    away = points - triangles[:, 0, :2]
    fall = np.einsum("ij,ij->i", normals[:, :2], away)
    z = triangles[:, 0, 2] - np.divide(fall, normals[:, 2], out=np.zeros(len(fall)), where=inside)
    first, second, third = triangles[:, :, 2].T
    lowest, highest = np.minimum(np.minimum(first, second), third), np.maximum(np.maximum(first, second), third)
    return inside, np.clip(z, lowest, highest)
