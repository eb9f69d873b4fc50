"""COUNT, first half: rays through a view, coarse first and finer where anything changes.

A coarse grid of blocks comes first. Blocks in which, or next to which, anything changes are sampled finer; where that
shows a change at the rim of a block that was not sampled finer, that block follows, so that a thin part is followed
along its whole length once it has been hit anywhere. The line between what is seen and what is obscured is followed
down to single pixels; the rest of the target's outline, which matters less to the share, down to two.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from silhouette.clusters import outer_points
from silhouette.geometry import Flags, Floats, Integers
from silhouette.renderers.base import Body, Renderer
from silhouette.views import Arc, View, in_any

BLOCK = 0.4
"""Width of a block of the coarse grid, mm at the target; about the thinnest part of a printed miniature."""


FACTOR = 2
"""How much narrower the blocks of the next grid are."""


TANGENTS = (31.7, 76.7, 121.7, 166.7)
"""Degrees in the picture, whose grid is turned by 31.7: along the upright, across it, and between."""


@dataclass(frozen=True, eq=False)
class Question:
    """What is asked of each ray: does it meet the target, in an arc, and which blockers are nearer.

    Attributes:
        target: what is looked at; its id is lower than the blockers', so that it is in front at equal depth.
        blockers: what may stand before it.
        arcs: the vision arcs looked from; None where the whole target is known to lie in one.
        renderer: what casts the rays.
    """

    target: Body
    blockers: Sequence[Body]
    arcs: Sequence[Arc] | None
    renderer: Renderer


@dataclass(frozen=True, eq=False)
class Samples:
    """What rays through some points of a view meet.

    Attributes:
        places: (n, 2) row and column of each in the view, fractional where a ray was sent between the middles.
        target: (n,) bool, the target is there.
        in_arc: (n,) bool, the target is there, and the point of it that is met lies in a vision arc.
        depth: (n,) float32, of the target; inf where it is not.
        blocked: (k, n) bool, for each blocker, whether it is nearer than the target.
        nearest: (n,) int32, the index of the nearest blocker before the target, -1 where there is none.
    """

    places: Floats
    target: Flags
    in_arc: Flags
    depth: NDArray[np.float32]
    blocked: Flags
    nearest: Integers

    @property
    def occluded(self) -> Flags:
        """(n,) bool: the target is there, and something is before it."""
        flags: Flags = self.nearest >= 0
        return flags

    @property
    def seen(self) -> Flags:
        """(n,) bool: the target is there, in a vision arc, and nothing is before it."""
        return self.in_arc & ~self.occluded

    @cached_property
    def code(self) -> NDArray[np.uint64]:
        """(n,) a number that differs where any of the answers does; blockers enter by random 64-bit keys."""
        keys = _keys(len(self.blocked))
        code: NDArray[np.uint64] = keys[0, self.nearest]
        for key, blocked in zip(keys[1], self.blocked, strict=False):
            code ^= key * blocked
        code |= self.target.astype(np.uint64) | (self.in_arc.astype(np.uint64) << 1)
        return code

    def chosen(self, flags: Flags) -> Samples:
        """Those of the samples whose flag (n,) is set."""
        return Samples(
            self.places[flags],
            self.target[flags],
            self.in_arc[flags],
            self.depth[flags],
            self.blocked[:, flags],
            self.nearest[flags],
        )

    @staticmethod
    def joined(several: Sequence[Samples]) -> Samples:
        """All of them in a row."""
        return Samples(
            np.concatenate([one.places for one in several]),
            np.concatenate([one.target for one in several]),
            np.concatenate([one.in_arc for one in several]),
            np.concatenate([one.depth for one in several]),
            np.concatenate([one.blocked for one in several], axis=1),
            np.concatenate([one.nearest for one in several]),
        )


@cache
def _keys(blockers: int) -> NDArray[np.uint64]:
    """(2, blockers + 1) keys of which the lowest bits are free; the last of the first row, for no blocker, is 0."""
    keys = np.random.default_rng(0).integers(1 << 61, size=(2, blockers + 1), dtype=np.uint64) << np.uint64(3)
    keys[0, -1] = 0
    return keys


@dataclass(frozen=True, eq=False)
class Survey:
    """A view of which every pixel is known: sampled itself, or standing in an even block that was sampled.

    Attributes:
        view: the picture.
        samples: what was met, n of them.
        index: (height, width) int32, the sample that stands for each pixel.
        weight: (n,) int64, how many pixels each sample stands for.
    """

    view: View
    samples: Samples
    index: Integers
    weight: NDArray[np.int64]

    def count(self, flags: Flags) -> int:
        """The number of pixels whose sample's flag (n,) is set."""
        return int(self.weight[flags].sum())

    def mask(self, flags: Any) -> Any:
        """The samples' values (n,) as an image (height, width)."""
        return flags[self.index]

    def replaced(self, pixels: Integers, samples: Samples) -> Survey:
        """The same, with other samples standing for the ``pixels`` (k, 2): one for each, the last where they meet."""
        index = self.index.copy()
        index[pixels[:, 0], pixels[:, 1]] = len(self.samples.target) + np.arange(len(pixels), dtype=np.int32)
        joined = Samples.joined([self.samples, samples])
        return Survey(self.view, joined, index, np.bincount(index.ravel(), minlength=len(joined.target)))


def take(view: View, question: Question, pixels: Any = None) -> Samples:
    """Samples at ``pixels`` (n, 2), rows and columns that may be fractional; or at every pixel of the view."""
    alone = question.renderer.render(view, [question.target], pixels)
    target, depth = alone.ids.ravel() > 0, alone.depth.ravel()
    where = np.flatnonzero(target)
    if pixels is None:
        places = np.indices((view.height, view.width), dtype=np.float64).reshape(2, -1).T
        wanted = None
    else:
        places = np.asarray(pixels, dtype=np.float64)
        wanted = places[where]
    in_arc = target
    if question.arcs is not None:
        in_arc = target.copy()
        points = view.eye + view.directions(*places[where].T) * depth[where, None]
        in_arc[where] = in_any(question.arcs, points)
    blocked = np.zeros((len(question.blockers), len(target)), dtype=np.bool_)
    nearest = np.full(len(target), -1, dtype=np.int32)
    front = depth[where]
    for number, blocker in enumerate(question.blockers):
        layer = question.renderer.render(view, [blocker], wanted)
        distance = layer.depth if wanted is not None else layer.depth.ravel()[where]
        blocked[number, where] = distance < depth[where]
        closer = distance < front
        nearest[where[closer]] = number
        front = np.where(closer, distance, front)
    return Samples(places, target, in_arc, depth, blocked, nearest)


def survey(view: View, question: Question, pixel: float) -> Survey:
    """Every pixel of the view, whose pixels are ``pixel`` mm wide at the target.

    A renderer that does not gain by being asked for few pixels is asked for all of them.
    """
    if not question.renderer.sparse:
        samples = take(view, question)
        index = np.arange(view.height * view.width, dtype=np.int32).reshape(view.height, view.width)
        return Survey(view, samples, index, np.ones(index.size, dtype=np.int64))
    block, *finer = _block_widths(pixel)
    reached = _reached(view, question.target, block)
    index = np.zeros(reached.shape, dtype=np.int32)
    index[reached] = np.arange(1, np.count_nonzero(reached) + 1)
    beside = np.array([[-1.0, -1.0]])
    grid = _Grid(block, index, [take(view, question, np.concatenate([beside, _middles(np.argwhere(reached), block)]))])
    grid.weights.append(np.full(len(grid.taken[0].target), block * block))
    grid.weights[0][0] = 0
    for width in finer:
        _refine(view, question, grid, width, _apart if width > 1 else _divided)
    weight = np.concatenate(grid.weights)
    weight[0] = index.size * block * block - weight.sum()
    return Survey(view, Samples.joined(grid.taken), grid.index, weight)


@dataclass(eq=False)
class _Grid:
    """Blocks ``width`` pixels wide, the ``index`` of the sample that stands for each, all samples and their weights."""

    width: int
    index: Integers
    taken: list[Samples]
    weights: list[NDArray[np.int64]] = field(default_factory=list)


def _reached(view: View, target: Body, block: int) -> Flags:
    """Which blocks of the coarse grid the target may reach into: between its tangents in some directions.

    The others are all like the first sample, a place beside the picture.
    """
    height, width = view.height // block, view.width // block
    columns, rows, depth = view.project(target.pose.place(outer_points(target.mesh)))
    reached = np.ones((height, width), dtype=np.bool_)
    if depth.min() <= 0.0:
        return reached
    down, right = (np.arange(size) * block + block / 2 for size in (height, width))
    for angle in np.radians(TANGENTS):
        along = rows * np.sin(angle) + columns * np.cos(angle)
        place = down[:, None] * np.sin(angle) + right * np.cos(angle)
        reached &= (place >= along.min() - block) & (place <= along.max() + block)
    return reached


def _block_widths(pixel: float) -> list[int]:
    """Widths in pixels of the blocks of the grids, from the coarse one down to one pixel.

    >>> _block_widths(0.1), _block_widths(0.025), _block_widths(1.0)
    ([4, 2, 1], [16, 8, 4, 2, 1], [1])
    """
    widths = [min(16, 1 << max(0, int(np.floor(np.log2(BLOCK / pixel) + 1e-9))))]
    while widths[-1] > 1:
        widths.append(max(1, widths[-1] // FACTOR))
    return widths


def _middles(blocks: Any, width: int) -> Floats:
    """(n, 2) row and column of the middles of blocks (n, 2) that are ``width`` pixels wide."""
    middles: Floats = np.asarray(blocks, dtype=np.float64) * width + (width - 1) / 2
    return middles


Codes = NDArray[np.uint64]


def _apart(one: Codes, other: Codes) -> Flags:
    """Where anything differs."""
    different: Flags = one != other
    return different


def _divided(one: Codes, other: Codes) -> Flags:
    """Where the target is on both sides, and anything else differs."""
    different: Flags = (one != other) & ((one & other & np.uint64(1)) > 0)
    return different


def _refine(view: View, question: Question, grid: _Grid, width: int, apart: Callable[[Codes, Codes], Flags]) -> None:
    """Makes the grid one of blocks ``width`` pixels wide, with new samples where neighbouring blocks are apart."""
    ratio = grid.width // width
    codes = np.concatenate([samples.code for samples in grid.taken])
    weights = np.concatenate(grid.weights)
    coarse, fine = grid.index, np.repeat(np.repeat(grid.index, ratio, axis=0), ratio, axis=1)
    within = np.indices((ratio, ratio)).reshape(2, -1)
    refined = _changing(codes[coarse], apart)
    blocks = np.argwhere(refined)
    grid.weights = []
    while len(blocks):
        rows = blocks[:, :1] * ratio + within[0]
        columns = blocks[:, 1:] * ratio + within[1]
        samples = take(view, question, _middles(np.column_stack([rows.ravel(), columns.ravel()]), width))
        fine[rows, columns] = np.arange(len(codes), len(codes) + rows.size, dtype=np.int32).reshape(rows.shape)
        grid.taken.append(samples)
        grid.weights.append(np.full(rows.size, width * width))
        replaced = coarse[blocks[:, 0], blocks[:, 1]]
        weights[replaced[replaced > 0]] = 0
        codes = np.concatenate([codes, samples.code])
        blocks = _neighbours(fine, codes, blocks, ratio, apart)
        blocks = np.unique(blocks[~refined[blocks[:, 0], blocks[:, 1]]], axis=0)
        refined[blocks[:, 0], blocks[:, 1]] = True
    grid.weights = [weights, *grid.weights]
    grid.width, grid.index = width, fine


def _changing(codes: Codes, apart: Callable[[Codes, Codes], Flags]) -> Flags:
    """Which blocks differ from the one beside, above or below; diagonal ones follow where a rim shows a change."""
    changing = np.zeros(codes.shape, dtype=np.bool_)
    beside = apart(codes[:, 1:], codes[:, :-1])
    changing[:, 1:] |= beside
    changing[:, :-1] |= beside
    below = apart(codes[1:], codes[:-1])
    changing[1:] |= below
    changing[:-1] |= below
    return changing


def _neighbours(
    fine: Integers,
    codes: Codes,
    blocks: NDArray[np.intp],
    ratio: int,
    apart: Callable[[Codes, Codes], Flags],
) -> NDArray[np.intp]:
    """Blocks (k, 2) that differ, somewhere along the common side, from one of the ``blocks`` (n, 2) next to them."""
    height, width = fine.shape[0] // ratio, fine.shape[1] // ratio
    along = np.arange(ratio)
    found = []
    for down, right in ((0, 1), (0, -1), (1, 0), (-1, 0)):
        step = np.array([down, right])
        beside = blocks + step
        inside = (beside >= 0).all(axis=1) & (beside < [height, width]).all(axis=1)
        beside = beside[inside]
        corner = blocks[inside] * ratio + (step > 0) * (ratio - 1)
        rows = corner[:, :1] + (along if right else 0)
        columns = corner[:, 1:] + (along if down else 0)
        different = apart(codes[fine[rows, columns]], codes[fine[rows + down, columns + right]])
        found.append(beside[different.any(axis=1)])
    return np.concatenate(found)
