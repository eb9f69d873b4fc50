"""COUNT: which surfaces are nearer, tile by tile of a picture; and which few triangles are left to compare.

tiles of a part of the picture -> in each, the depths between which target and blocker lie there -> those in doubt are
parted into smaller ones -> pairs of triangles, of which their own planes tell

      +---------+---------+    before   nearer than all of the target in a tile
      | before  | before  |    behind   beyond all of it, or beyond a layer of it that covers the whole tile
      +----+----+----+----+    doubt    where the surfaces cross, and where a layer of the target ends that is nearer,
      | be |doubt  doubt  |             while others are not
      +----+----+----+----+

A layer covers a whole tile where one of its faces does; or where some face covers the middle of the tile, and none of
the lines runs through it that bound such faces: how many of them lie over a place changes along these alone. Of faces
none of which reaches as deep as the blocker, it is lines as near as these that do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from silhouette.common.geometry import Flags, Floats, spread
from silhouette.common.lazy import cached_property
from silhouette.measure.silhouettes import Faces, Sides
from silhouette.measure.triangles import boxes_of, greatest_of, least_of
from silhouette.meshes.clusters import Indices
from silhouette.renderers.protocol import NEAREST_DEPTH_MM

TILES_ACROSS = 128  # of a part of a target, at most: in each its depth is compared with that of mixed faces

FACES_IN_TILE = 0.5  # of a target: of few faces there are fewer tiles

NARROWEST_PART = 1e-3  # pixels: of a part in which depths are compared

BESIDE_TILE = 1e-6  # of a tile: what is as near to one may reach into it

DEPTHS_APART = 1e-7  # mm: depths that differ by less may be the same, but for rounding

PARTED = 4  # tiles across one that is parted

LEVELS = 3  # of tiles: parted at most so often

FEW_TRIANGLE_PAIRS = 20_000  # of a triangle of either: so few are compared without tiles

FEW_IN_TILE, FEW_IN_ALL = 32, 50_000
"""Of a triangle of the target and one of the blocker, in a tile, and in all: so few are compared at once."""

MOST_TILE_PAIRS, MOST_MET = 3_000_000, 3_000_000
"""Pairs that are compared, and triangles in tiles that are parted, at most: where there are more, doubt is left."""

AT_ONCE = 50_000  # triangles in tiles that are parted together: what fits into the processor's own memory

PAIRS_AT_ONCE = 200_000

SURE = 1e4  # times rounding may grow in the plane of a triangle; of others the corners alone tell the depth


@dataclass(frozen=True, eq=False)
class Surfaces:
    """Triangles in a picture, or with two corners each, lines."""

    boxes: Floats  # (4, m) least and greatest column, least and greatest row
    near: Floats  # (m,) mm: the depth of the nearest corner
    far: Floats  # (m,) mm: that of the farthest
    # (3, m) by these (column, row, 1) is multiplied for 1 / depth in a triangle's plane; 0 where that is not sure
    inverse: Floats
    sides: Floats  # (k, 3, m) by these, for the pixels by which a place lies inside of each side

    @classmethod
    def of(cls, points: Floats) -> Surfaces:
        """Those with corners (3, m, 3) or (3, m, 2), in picture coordinates."""
        depth, (x, y) = points[2], points[:2] / points[2]
        following = np.roll(np.arange(points.shape[2]), -1)
        across, down = x[:, following] - x, y[:, following] - y
        length, inverse = np.hypot(across, down), np.zeros((3, points.shape[1]))
        turn = np.ones((1, 1))  # there and back along a line: a place lies inside of both ways where it is on the line
        if points.shape[2] == 3:
            turn = np.sign(across[:, 0] * down[:, 1] - down[:, 0] * across[:, 1])[:, None]
            first, second, third = np.moveaxis(points, 2, 0)
            normal = np.cross(second - first, third - first, axis=0)
            reach = (normal * first).sum(axis=0)
            is_sure = np.abs(reach) * SURE > np.abs(normal * first).sum(axis=0)
            inverse = np.divide(normal, reach, out=inverse, where=is_sure)
        scale = np.divide(turn, length, out=np.zeros_like(length), where=length > 0.0)
        sides = np.stack([-down * scale, across * scale, (down * x - across * y) * scale])
        sides = np.ascontiguousarray(sides.transpose(2, 0, 1))
        return cls(boxes_of(points), least_of(depth), greatest_of(depth), inverse, sides)


class Met(NamedTuple):
    """Surfaces in tiles that they may reach into."""

    tile: Indices  # (n,)
    face: Indices  # (n,)

    def of(self, flagged: Flags) -> Met:
        """Those flagged."""
        return Met(self.tile[flagged], self.face[flagged])

    def within(self, number: Indices) -> Met:
        """Those in tiles that have a number by these, and none below 0."""
        tile = number.take(self.tile)
        return Met(tile, self.face).of(tile >= 0)

    def spread(self, places: Floats, down: int, across: int) -> Met:
        """The same in those parts of a tile into which boxes (4, n) of places reach, in parts from its corner."""
        least, most = np.floor(places[::2] - BESIDE_TILE), np.floor(places[1::2] + BESIDE_TILE)
        number = np.array([[across], [down]])
        first = np.clip(least, 0, number).astype(np.int64)
        wide, high = np.maximum(np.clip(most, -1, number - 1).astype(np.int64) - first + 1, 0)
        row, owner = spread(first[1], high)
        column, line = spread(first[0].take(owner), wide.take(owner))
        owner = owner.take(line)
        return Met(self.tile.take(owner) * (down * across) + row.take(line) * across + column, self.face.take(owner))


@dataclass(frozen=True, eq=False)
class Tiles:
    """Square tiles of a picture."""

    size: float  # pixels
    left: Floats  # (n,) the least column of each
    top: Floats  # (n,) the least row

    def parted(self, down: int = PARTED, across: int = PARTED, size: float | None = None) -> Tiles:
        """Those that each is parted into, row by row; of a size, if it is given."""
        size = size or self.size / across
        rows, columns = (each.ravel() * size for each in np.mgrid[:down, :across])
        return Tiles(size, (self.left[:, None] + columns).ravel(), (self.top[:, None] + rows).ravel())

    def of(self, flagged: Flags) -> Tiles:
        """Those flagged."""
        return Tiles(self.size, self.left[flagged], self.top[flagged])

    def squares(self, chosen: Indices) -> Floats:
        """(3, n) the least column and row of chosen tiles, and their size."""
        return np.stack([self.left.take(chosen), self.top.take(chosen), np.full(len(chosen), self.size)])

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self.left)


@dataclass(frozen=True, eq=False)
class Depths:
    """Surfaces in tiles, and the depths between which each lies there."""

    met: Met
    near: Floats  # (n,) mm
    far: Floats  # (n,) mm
    is_over_middle: Flags  # (n,) whether a triangle covers the middle of the tile
    is_over: Flags  # (n,) whether it covers all of the tile

    @classmethod
    def of(cls, tiles: Tiles, met: Met, surfaces: Surfaces) -> Depths:
        """Those of surfaces that may meet tiles; what passes beside a tile is left out."""
        size, half = tiles.size, tiles.size / 2.0
        x, y = tiles.left.take(met.tile) + half, tiles.top.take(met.tile) + half
        left, right, top, bottom = surfaces.boxes
        is_wide = (right - left > size) & (bottom - top > size)  # of what is narrow its bounds tell where it is
        of_face = met.face
        is_near = (left.take(of_face) < x) & (right.take(of_face) > x)
        is_near &= (top.take(of_face) < y) & (bottom.take(of_face) > y)
        some = np.flatnonzero(is_near | is_wide.take(of_face))
        is_over_middle, is_over, flagged = np.zeros((3, len(x)), np.bool_)
        flagged[:] = True
        inside, within, beside = np.full((3, len(some)), np.inf)
        for side in surfaces.sides:
            a, b, c = (each.take(of_face[some]) for each in side)
            by, reach = a * x[some] + b * y[some] + c, (np.abs(a) + np.abs(b)) * half
            for least, value in ((inside, by), (within, by - reach), (beside, by + reach)):
                np.minimum(least, value, out=least)
        is_over_middle[some], is_over[some] = inside > BESIDE_TILE * size, within > BESIDE_TILE * size
        flagged[some] = beside >= -BESIDE_TILE * size
        met, x, y = met.of(flagged), x[flagged], y[flagged]
        a, b, c = (each.take(met.face) for each in surfaces.inverse)
        middle, reach = a * x + b * y + c, (np.abs(a) + np.abs(b)) * half
        near, far = surfaces.near.take(met.face), surfaces.far.take(met.face)
        soonest = np.divide(1.0, middle + reach, out=near.copy(), where=middle + reach > 0.0)
        latest = np.divide(1.0, middle - reach, out=far.copy(), where=middle - reach > 0.0)
        return cls(met, np.maximum(near, soonest), np.minimum(far, latest), is_over_middle[flagged], is_over[flagged])

    @classmethod
    def finer(cls, tiles: Tiles, met: Met, surfaces: Surfaces, number: Indices | None = None) -> Depths:
        """Those in the tiles into which tiles are parted; by numbers, where these are 0 or more."""
        finer, parts = tiles.parted(), list[Depths]()
        if number is not None:
            finer = finer.of(number >= 0)
        for first in range(0, max(len(met.tile), 1), AT_ONCE):
            part = Met(*(each[first : first + AT_ONCE] for each in met))
            corner = np.stack([tiles.left, tiles.left, tiles.top, tiles.top]).take(part.tile, axis=1)
            spread_out = part.spread((surfaces.boxes.take(part.face, axis=1) - corner) / finer.size, PARTED, PARTED)
            parts.append(cls.of(finer, spread_out if number is None else spread_out.within(number), surfaces))
        return cls(
            Met(*(np.concatenate(each) for each in zip(*(part.met for part in parts), strict=True))),
            np.concatenate([part.near for part in parts]),
            np.concatenate([part.far for part in parts]),
            np.concatenate([part.is_over_middle for part in parts]),
            np.concatenate([part.is_over for part in parts]),
        )

    def of_flagged(self, flagged: Flags) -> Depths:
        """Those flagged."""
        each = (self.near[flagged], self.far[flagged], self.is_over_middle[flagged], self.is_over[flagged])
        return Depths(self.met.of(flagged), *each)

    def within(self, number: Indices) -> Depths:
        """As `Met.within`."""
        tile = number.take(self.met.tile)
        return replace(self, met=Met(tile, self.met.face)).of_flagged(tile >= 0)

    def least(self, count: int) -> Floats:
        """(count,) mm: the nearest of them in each tile; infinite where there is none."""
        nearest = np.full(count, np.inf)
        np.minimum.at(nearest, self.met.tile, self.near)
        return nearest

    def most(self, count: int) -> Floats:
        """(count,) mm: the farthest of them in each tile; minus infinity where there is none."""
        farthest = np.full(count, -np.inf)
        np.maximum.at(farthest, self.met.tile, self.far)
        return farthest


@dataclass(frozen=True, eq=False)
class TileLevel:
    """Tiles of one size in which the order of surfaces is in doubt."""

    tiles: Tiles
    blocker: Depths
    target: Depths
    rims: tuple[Depths, Depths]  # lines that bound its faces that show the eye one side, and those that show the other
    is_deep: Flags  # (n,) whether there is more of the target than this, beyond all of the blocker

    def of(self, flagged: Flags) -> TileLevel:
        """What of it is in flagged tiles."""
        number = _numbers(flagged)
        rims = self.rims[0].within(number), self.rims[1].within(number)
        return TileLevel(
            self.tiles.of(flagged), self.blocker.within(number), self.target.within(number), rims, self.is_deep[flagged]
        )

    def narrowed(self) -> TileLevel:
        """Without tiles in which there is nothing of the blocker, and without what of the target is beyond that."""
        occupied = np.zeros(self.tiles.count, np.bool_)
        occupied[self.blocker.met.tile] = True
        level = self if occupied.all() else self.of(occupied)
        reach = level.blocker.most(level.tiles.count) + NEAREST_DEPTH_MM + DEPTHS_APART
        flagged = [part.near <= reach.take(part.met.tile) for part in (level.target, *level.rims)]
        is_deep = level.is_deep.copy()
        is_deep[level.target.met.tile[~flagged[0]]] = True
        target, first, second = (
            part.of_flagged(each) for part, each in zip((level.target, *level.rims), flagged, strict=True)
        )
        return replace(level, target=target, rims=(first, second), is_deep=is_deep)

    def finer(self, blocker: Surfaces, target: Surfaces, lines: Sequence[Surfaces]) -> TileLevel:
        """The same, with each tile parted."""
        tiles = self.tiles.parted()
        parts = Depths.finer(self.tiles, self.blocker.met, blocker)
        flagged = np.zeros(tiles.count, np.bool_)
        flagged[parts.met.tile] = True
        number = _numbers(flagged)
        its = Depths.finer(self.tiles, self.target.met, target, number)
        first, second = (
            Depths.finer(self.tiles, each.met, line, number) for each, line in zip(self.rims, lines, strict=True)
        )
        is_deep = self.is_deep.repeat(PARTED * PARTED)[flagged]
        return TileLevel(tiles.of(flagged), parts.within(number), its, (first, second), is_deep).narrowed()

    def order(self, side: Sides) -> tuple[Flags, Flags, Flags]:
        """(n,), (n,) and (n,) what of the blocker in tiles is before the target, what behind it, what where that is.

        ``side`` (m,) is 1 or -1 for whole faces of the target, as of `rims`.
        """
        count, target = self.tiles.count, self.target
        nearest, bound = target.least(count), target.most(count)
        bound[self.is_deep] = np.inf
        np.minimum.at(bound, target.met.tile[target.is_over], target.far[target.is_over])
        for sign, rim in zip((1, -1), self.rims, strict=True):
            own = target.of_flagged(side.take(target.met.face) == sign)
            is_covered = np.zeros(count, np.bool_)
            is_covered[own.met.tile[own.is_over_middle]] = True
            is_covered[rim.met.tile] = False
            bound = np.where(is_covered, np.minimum(bound, own.most(count)), bound)
        tile = self.blocker.met.tile
        is_there = ((nearest < np.inf) | self.is_deep).take(tile)
        is_before = self.blocker.far <= nearest.take(tile) - NEAREST_DEPTH_MM - DEPTHS_APART
        return is_before, ~is_before & (self.blocker.near >= bound.take(tile) + DEPTHS_APART), is_there

    def pairs(self) -> Indices:
        """(n,) how many pairs of a triangle of either there are in each tile."""
        count = self.tiles.count
        pairs: Indices = np.bincount(self.blocker.met.tile, minlength=count) * np.bincount(
            self.target.met.tile, minlength=count
        )
        return pairs


@dataclass(frozen=True, eq=False)
class Comparison:
    """Where m triangles of a blocker are before a target.

    One is where it is before all of the target in a tile, and behind it in `behind`. In all other places those of
    `pairs` tell that are its own.
    """

    is_before: Flags  # (m,) before the target wherever both are
    is_parted: Flags  # (m,) before it in some places, but not in all
    behind: Floats  # (k, 4, 2) corners of rectangles in which a triangle is behind it, or in doubt
    owner: Indices  # (k,) ascending, that triangle
    pairs: Indices  # (2, p) in ascending order: a triangle of the blocker, and one of the target that may be nearer
    doubt: Floats  # (d, 4, 2) rectangles in which it was not found out which is nearer

    @classmethod
    def of_all(cls, count: int, others: int) -> Comparison:
        """Each triangle of a blocker with each of a target's."""
        nothing, pairs = np.empty((0, 4, 2)), np.divmod(np.arange(count * others), others)
        is_parted = np.ones(count, np.bool_)
        return cls(~is_parted, is_parted, nothing, np.empty(0, np.int64), np.stack(pairs), nothing)

    def rectangles(self, number: int) -> Floats:
        """(k, 4, 2) those in which one is not."""
        return self.behind[slice(*np.searchsorted(self.owner, [number, number + 1]))]


@dataclass(frozen=True, eq=False)
class _TileOrder:
    """What is known of a blocker's triangles, tile by tile."""

    side: Sides  # as of `TileLevel.order`, of the target's triangles
    is_shown: Flags  # (m,) whether one is before the target somewhere
    is_left: Flags  # (m,) whether it is left to compare, or in doubt, somewhere
    squares: list[tuple[Indices, Floats]] = field(default_factory=list)  # triangles, and (3, n) tiles where one is not
    doubt: list[Floats] = field(default_factory=list)  # (3, n) tiles
    pairs: list[Indices] = field(default_factory=list)  # by numbers that tell of both triangles
    compared: list[int] = field(default_factory=lambda: [0])  # how many were looked at

    def note(self, tiles: Tiles, met: Met, is_before: Flags, is_behind: Flags) -> None:
        """What of a blocker in tiles is before the target, and what behind it."""
        self.is_shown[met.face[is_before]] = True
        self.squares.append((met.face[is_behind], tiles.squares(met.tile[is_behind])))

    def compare(self, level: TileLevel) -> None:
        """Pairs in tiles; where there are too many, the tiles with the most are left in doubt."""
        pairs = level.pairs()
        order = np.argsort(pairs, kind="stable")
        is_few = np.zeros(len(pairs), np.bool_)
        is_few[order] = np.cumsum(pairs[order]) + self.compared[0] <= MOST_TILE_PAIRS
        if not is_few.all():
            tile, face = level.blocker.met
            left = ~is_few[tile]
            self.is_left[face[left]] = True
            self.squares.append((face[left], level.tiles.squares(tile[left])))
            self.doubt.append(level.tiles.squares(np.flatnonzero(~is_few)))
            level = level.of(is_few)
        self.compared[0] += int(pairs[is_few].sum())
        target = level.target
        order = np.argsort(target.met.tile, kind="stable")
        start = np.searchsorted(target.met.tile[order], np.arange(level.tiles.count + 1))
        rims = [rim.least(level.tiles.count) for rim in level.rims]
        number = np.diff(start).take(level.blocker.met.tile)
        turn = np.cumsum(number) // PAIRS_AT_ONCE
        for each in range(int(turn.max(initial=0)) + 1):
            part = replace(level, blocker=level.blocker.of_flagged(turn == each))
            place, entry = spread(start.take(part.blocker.met.tile), number[turn == each])
            self._compare(part, order.take(place), entry, rims)

    def _compare(self, level: TileLevel, its: Indices, mine: Indices, rims: Sequence[Floats]) -> None:
        """Pairs of one of the target and one of the blocker, by their numbers in a level's tiles."""
        blocker, target = level.blocker, level.target
        near, far = blocker.near.take(mine), blocker.far.take(mine)
        face, tile = target.met.face.take(its), blocker.met.tile
        side, is_nearer = self.side.take(face), target.far.take(its) <= near - DEPTHS_APART
        may_be_nearer = target.near.take(its) <= far + NEAREST_DEPTH_MM + DEPTHS_APART
        is_before, is_behind = np.ones(len(tile), np.bool_), np.zeros(len(tile), np.bool_)
        is_before[mine[may_be_nearer]] = False
        for sign, rim in zip((1, -1), rims, strict=True):
            is_covered = np.zeros(len(tile), np.bool_)
            is_covered[mine[(side == sign) & is_nearer & target.is_over_middle.take(its)]] = True
            is_covered[mine[(side == sign) & ~is_nearer & may_be_nearer]] = False
            is_behind |= is_covered & (rim.take(tile) > blocker.far + DEPTHS_APART)
        self.note(level.tiles, blocker.met, is_before & ~is_behind, is_behind)
        is_left = ~is_before & ~is_behind
        self.is_left[blocker.met.face[is_left]] = True
        flagged = is_left.take(mine) & may_be_nearer
        self.pairs.append(np.unique(blocker.met.face.take(mine[flagged]) * len(self.side) + face[flagged]))

    def order(self) -> Comparison:
        """All of it."""
        owner = np.concatenate([faces for faces, _ in self.squares])
        is_behind = np.zeros(len(self.is_shown), np.bool_)
        is_behind[owner] = True
        is_parted = self.is_left | (self.is_shown & is_behind)
        some = is_parted.take(owner)
        squares = np.concatenate([tiles for _, tiles in self.squares], axis=1)
        owner, behind = _runs(owner[some], squares[:, some])
        pairs = np.unique(np.concatenate(self.pairs))
        doubt = np.concatenate([np.empty((3, 0)), *self.doubt], axis=1)
        return Comparison(
            self.is_shown & ~is_parted,
            is_parted,
            behind,
            owner,
            np.stack([pairs // len(self.side), pairs % len(self.side)]),
            _runs(np.zeros(doubt.shape[1], np.int64), doubt)[1],
        )


@dataclass(frozen=True, eq=False)
class TargetTiles:
    """A target's faces in the tiles of a window of a picture."""

    faces: Faces  # of the target, those that may reach into the window
    window: Floats  # (4,) least and greatest column and row

    @cached_property
    def triangles(self) -> Floats:
        """(3, m, 3) the faces, in picture coordinates."""
        return self.faces.triangles

    @cached_property
    def boxes(self) -> Floats:
        """(4, m) least and greatest column, least and greatest row of each."""
        return boxes_of(self.triangles)

    @cached_property
    def tiles(self) -> Tiles:
        """The tiles."""
        left, right, top, bottom = self.window
        across = min(TILES_ACROSS, 1 + int(np.sqrt(self.triangles.shape[1] / FACES_IN_TILE)))
        size = max(right - left, bottom - top, NARROWEST_PART) / across
        return Tiles(size, np.array([left]), np.array([top])).parted(*self._shape(size), size)

    def _shape(self, size: float) -> tuple[int, int]:
        """Tiles of a size down and across."""
        left, right, top, bottom = self.window
        return int((bottom - top) / size) + 1, int((right - left) / size) + 1

    @cached_property
    def met(self) -> Met:
        """The faces in the tiles."""
        return self.met_by(self.boxes)

    @cached_property
    def depths(self) -> tuple[Floats, Floats]:
        """(n,) and (n,) mm: the least and the greatest depth of a face in each tile; infinite where there is none."""
        nearest, farthest = np.full(self.tiles.count, np.inf), np.full(self.tiles.count, -np.inf)
        np.minimum.at(nearest, self.met.tile, least_of(self.triangles[2]).take(self.met.face))
        np.maximum.at(farthest, self.met.tile, greatest_of(self.triangles[2]).take(self.met.face))
        return nearest, farthest

    def met_by(self, boxes: Floats) -> Met:
        """Which of boxes (4, m) reach into which tiles."""
        corner, faces = self.window[[0, 0, 2, 2], None], np.arange(boxes.shape[1])
        size = self.tiles.size
        return Met(np.zeros_like(faces), faces).spread((boxes - corner) / size, *self._shape(size))

    def order(self, triangles: Floats) -> tuple[Flags, Flags]:
        """(m,) and (m,) which of triangles (3, m, 3) are surely behind the target, and which before it."""
        tile, face = self.met_by(boxes_of(triangles))
        depth, count = triangles[2], triangles.shape[1]
        nearest, farthest = np.full(count, np.inf), np.full(count, -np.inf)
        np.minimum.at(nearest, face, self.depths[0].take(tile))
        np.maximum.at(farthest, face, self.depths[1].take(tile))
        is_behind = least_of(depth) >= farthest
        return is_behind, (greatest_of(depth) <= nearest - NEAREST_DEPTH_MM) & ~is_behind

    def compared(self, triangles: Floats, step: Callable[[], None]) -> Comparison:
        """Where triangles (3, m, 3) of a blocker are before the target; ``step`` is called now and then."""
        if triangles.shape[1] * self.triangles.shape[1] <= FEW_TRIANGLE_PAIRS:
            return Comparison.of_all(triangles.shape[1], self.triangles.shape[1])
        blocker, lines = Surfaces.of(triangles), [Surfaces.of(each) for each in self.faces.rims()]
        (nearest, farthest), met = self.depths, self.met_by(blocker.boxes)
        is_before = blocker.far.take(met.face) <= nearest.take(met.tile) - NEAREST_DEPTH_MM
        is_behind = blocker.near.take(met.face) >= farthest.take(met.tile)
        is_left, is_there = ~is_before & ~is_behind, nearest.take(met.tile) < np.inf
        flagged = np.zeros(self.tiles.count, np.bool_)
        flagged[met.tile[is_left]] = True
        number, tiles = _numbers(flagged), self.tiles.of(flagged)
        tile, face = self.met.within(number)
        chosen, face = np.unique(face, return_inverse=True)
        target = Surfaces.of(self.triangles[:, chosen])
        first, second = (Depths.of(tiles, self.met_by(each.boxes).within(number), each) for each in lines)
        mine, its = Depths.of(tiles, met.of(is_left).within(number), blocker), Depths.of(tiles, Met(tile, face), target)
        level = TileLevel(tiles, mine, its, (first, second), np.zeros(tiles.count, np.bool_)).narrowed()
        sides = self.faces.sides[self.faces.sides != 0]
        side = np.append(sides, np.zeros(self.faces.parts.shape[1], np.int8))[chosen]
        by_tile = _TileOrder(side, *np.zeros((2, triangles.shape[1]), np.bool_))
        by_tile.note(self.tiles, met, is_before & is_there, is_behind & is_there)
        for _ in range(LEVELS - 1):
            pairs = level.pairs()
            is_full = pairs > FEW_IN_TILE
            if pairs[is_full].sum() <= FEW_IN_ALL or len(mine.met.tile) + len(its.met.tile) > MOST_MET:
                break
            step()
            by_tile.compare(level.of(~is_full))
            level = level.of(is_full).finer(blocker, target, lines)
            is_before, is_behind, is_there = level.order(side)
            by_tile.note(level.tiles, level.blocker.met, is_before & is_there, is_behind & is_there)
            level = replace(level, blocker=level.blocker.of_flagged(~is_before & ~is_behind)).narrowed()
            mine, its = level.blocker, level.target
        by_tile.compare(level)
        order = by_tile.order()
        return replace(order, pairs=np.stack([order.pairs[0], chosen.take(order.pairs[1])]))


def _numbers(flagged: Flags) -> Indices:
    """(n,) the number of each that is flagged among these; -1 of others."""
    return np.where(flagged, np.cumsum(flagged) - 1, -1)


def _runs(owner: Indices, squares: Floats) -> tuple[Indices, Floats]:
    """Rectangles that squares (3, n) of owners (n,) make, those side by side one: (k,) ascending, whose; (k, 4, 2)."""
    order = np.lexsort((squares[0], squares[1], squares[2], owner))
    owner, (left, top, size) = owner[order], squares[:, order]
    is_first = np.ones(len(owner), np.bool_)
    is_first[1:] = (np.diff(owner) != 0) | (np.diff(top) != 0.0) | (np.diff(size) != 0.0)
    is_first[1:] |= np.abs(np.diff(left) - size[1:]) > BESIDE_TILE * size[1:]
    right, bottom = (left + size)[np.append(is_first[1:], True)[: len(owner)]], (top + size)[is_first]
    left, top = left[is_first], top[is_first]
    corners = np.stack([left, top, right, top, right, bottom, left, bottom], axis=1)
    return owner[is_first], corners.reshape(-1, 4, 2)
