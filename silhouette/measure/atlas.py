"""COUNT: an atlas, in which many pictures lie as tiles of one image of cells, between empty margins.

top[0]   . . . . . . .        One array holds the cells of all pictures, so that what is done to every cell, and to
         . # # # . . .        every two neighbours, is done at once, and no loop runs over pictures. A margin of empty
         . # # # . . .        cells lies round each tile: cells of different pictures are never neighbours.
         . . . . . . .
top[1]   . . . . . . .        Level 0 has cells of `BLOCK` mm. Each level cuts the cells of the one before it into
         . # # # # # .        four. A cell that was not sampled there has the kind of the larger cell in which it
         . . . . . . .        lies.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from silhouette.common.geometry import Flags, Floats, Integers
from silhouette.common.lazy import cached_property
from silhouette.measure.places import places, quarter_of
from silhouette.measure.sampling import KINDS, Kinds, Picture, Places, Samples, sample
from silhouette.renderers.protocol import Renderer


@dataclass(eq=False)
class Level:
    """Cells of one width in the atlas; all arrays are (height, width) in cells."""

    width: int  # of a cell, in pixels
    kinds: Kinds  # uint8, of the sample that stands for each cell; 0 where the target cannot be
    numbers: Integers  # int32, the number of the sample of each cell that has one; elsewhere undefined
    is_own: Flags  # which cells have a sample at this level
    is_cut: Flags  # which cells are cut into quarters, at the next level

    def rows(self, chosen: Flags) -> Level:
        """The level with the chosen rows (height,) only."""
        return Level(self.width, self.kinds[chosen], self.numbers[chosen], self.is_own[chosen], self.is_cut[chosen])


@dataclass(frozen=True, eq=False)
class Cells:
    """Where n cells of a level lie."""

    picture: Places  # (n,) the picture of each
    # rows, columns: (n,) within that picture, in cells of the level
    rows: Places
    columns: Places
    sizes: Places  # (2, n) the height and width of that picture, in cells of the level


@dataclass(frozen=True, eq=False)
class Contour:
    """Pairs of neighbouring cells of different kinds, at one level of an atlas: m pairs."""

    # first, second: (m,) places of the two cells in the level's image, read row by row
    first: Places
    second: Places
    across: int  # the number of those that lie side by side, which come first; the others lie one below the other
    picture: Places  # (m,) the picture in which they lie
    twice_middle: Places  # (m,) twice the place of its middle: that of a cell plus that of the cell opposite it
    pair: Places  # (m,) their kinds: `KINDS` times the one of the first plus the one of the second


@dataclass(eq=False)
class Samplings:
    """All samples that were taken for an atlas, in batches."""

    counts: Floats  # (k, KINDS) the pixels of each kind, for each picture of the atlas
    # (n,) uint16, the number of pixels for which each sample stands
    weights: NDArray[np.uint16] = field(default_factory=lambda: np.empty(0, np.uint16))
    batches: list[Samples] = field(default_factory=list)  # the samples

    def add(self, samples: Samples, weight: int) -> Integers:
        """Adds a batch of m samples that stand for ``weight`` pixels each; their numbers (m,)."""
        start = len(self.weights)
        self.batches.append(samples)
        self.weights = np.concatenate([self.weights, np.full(len(samples.kind), weight, np.uint16)])
        self._count(samples.picture, samples.kind, np.full(len(samples.kind), float(weight)))
        return np.arange(start, len(self.weights), dtype=np.int32)

    def reweigh(self, numbers: Integers, picture: Places, kind: Kinds, weight: int) -> None:
        """Gives the samples of these numbers (m,), of their pictures and kinds, another weight."""
        self._count(picture, kind, weight - self.weights[numbers].astype(np.float64))
        self.weights[numbers] = weight

    def _count(self, picture: Places, kind: Kinds, pixels: Floats) -> None:
        self.counts += np.bincount(picture * KINDS + kind, pixels, self.counts.size).reshape(self.counts.shape)


@dataclass(frozen=True, eq=False)
class Atlas:
    """Pictures that are sampled together, coarsely first, then finer where it is asked for."""

    pictures: Sequence[Picture]  # all pictures
    renderer: Renderer  # casts the rays
    sizes: Places  # (k, 2) the height and width of each picture, in cells of level 0
    tiles: Places  # (t,) the number of the picture of each tile; pictures that are settled have none any more
    top: Places  # (t + 1,) the first row of each tile, its margin included, in cells of level 0
    levels: list[Level]  # the levels so far
    samplings: Samplings  # the samples so far, of all pictures

    @classmethod
    def sampled(cls, pictures: Sequence[Picture], reached: Sequence[Flags], block: int, renderer: Renderer) -> Atlas:
        """An atlas with a sample in each cell of level 0 that a target may reach.

        Args:
            pictures: one at least.
            reached: for each picture, (height, width) in blocks, where its target may be.
            block: the width of a block, in pixels.
            renderer: casts the rays.
        """
        top = np.cumsum([0, *(mask.shape[0] + 2 for mask in reached)])
        own = np.zeros((top[-1], max(mask.shape[1] for mask in reached) + 2), dtype=np.bool_)
        for start, mask in zip(top, reached, strict=False):
            own[start + 1 : start + 1 + mask.shape[0], 1 : 1 + mask.shape[1]] = mask
        sizes = np.array([mask.shape for mask in reached])
        level = Level(block, np.zeros(own.shape, np.uint8), np.empty(own.shape, np.int32), own, np.zeros_like(own))
        samplings = Samplings(np.zeros((len(pictures), KINDS)))
        atlas = cls(pictures, renderer, sizes, np.arange(len(pictures)), top, [level], samplings)
        atlas._sample(0, np.flatnonzero(own))
        return atlas

    def without(self, settled: Flags) -> Atlas:
        """The atlas without the tiles of the pictures (k,) that are settled: nothing is done to them any more."""
        kept, heights = ~settled[self.tiles], np.diff(self.top)
        if kept.all():
            return self
        rows = np.repeat(kept, heights)
        levels = [level.rows(np.repeat(rows, 1 << number)) for number, level in enumerate(self.levels)]
        return replace(self, tiles=self.tiles[kept], top=np.cumsum([0, *heights[kept]]), levels=levels)

    def contour(self) -> Contour:
        """The pairs of neighbours in the last level of different kinds."""
        kinds = self.levels[-1].kinds
        width, flat = kinds.shape[1], kinds.ravel()
        across = np.flatnonzero(flat[1:] != flat[:-1])
        down = np.flatnonzero(flat[width:] != flat[:-width])
        first, second = np.concatenate([across, down]), np.concatenate([across + 1, down + width])
        pair = flat.take(first).astype(np.intp) * KINDS + flat.take(second)
        level = len(self.levels) - 1
        tile = self._tile_of_row.take(first // width >> level)
        # The first and the last cell of a tile are opposite each other.
        begin = (self.top[:-1] + 1 << level) * width + (1 << level)
        high, wide = (self.sizes[self.tiles] << level).T
        twice_middle = 2 * begin + (high - 1) * width + wide - 1
        return Contour(first, second, len(across), self.tiles.take(tile), twice_middle.take(tile), pair)

    def cut(self, contour: Contour, everywhere: Flags, throughout: Flags) -> None:
        """Cuts cells of the last level into quarters: those on a contour, and those to which it turns out to lead on.

        Args:
            contour: of the last level.
            everywhere: (k,) the pictures of which every cell is cut in which the target was found, or near to which.
            throughout: (k,) the pictures of which every cell is cut.
        """
        last = len(self.levels) - 1
        coarse = self.levels[last]
        self._add_level()
        heights = np.diff(self.top) << last
        wanted = np.repeat(everywhere[self.tiles], heights)[:, None] & self._near_targets(coarse)
        wanted |= np.repeat(throughout[self.tiles], heights)[:, None]
        wanted.ravel()[contour.first] = True
        wanted.ravel()[contour.second] = True
        cells = np.flatnonzero(wanted & coarse.is_own)
        while len(cells):
            coarse.is_cut.ravel()[cells] = True
            self._quarter(cells)
            beyond = self._leading_on(cells)
            cells = np.sort(beyond[coarse.is_own.ravel().take(beyond) & ~coarse.is_cut.ravel().take(beyond)])
            cells = cells[np.diff(cells, prepend=-1) > 0]

    def show(self, picture: int, place: Floats) -> None:
        """Samples a place (2,) of a picture in place of that of the pixel in which it lies; each pixel has a sample."""
        tile, last = int(np.flatnonzero(self.tiles == picture)[0]), len(self.levels) - 1
        row, column = np.floor(place + 0.5).astype(np.intp)
        cell = np.s_[row + (self.top[tile] + 1 << last), column + (1 << last)]
        level = self.levels[last]
        self.samplings.reweigh(level.numbers[cell][None], np.array([picture]), level.kinds[cell][None], 0)
        samples = sample(self.pictures, np.array([picture]), place[None], self.renderer)
        level.kinds[cell], level.numbers[cell] = samples.kind[0], self.samplings.add(samples, level.width**2)[0]

    @staticmethod
    def _near_targets(level: Level) -> Flags:
        """(height, width) the cells no more than two away, along rows and columns, from one in which the target is."""
        near = level.kinds > 0
        for _ in range(2):
            wider = near.copy()
            wider[1:] |= near[:-1]
            wider[:-1] |= near[1:]
            wider[:, 1:] |= near[:, :-1]
            wider[:, :-1] |= near[:, 1:]
            near = wider
        return near

    def numbers_of(self, picture: int) -> Integers:
        """(height, width) in pixels: the number of the sample that stands for each; -1 outside the target's reach."""
        tile = int(np.flatnonzero(self.tiles == picture)[0])
        numbers = np.full((1, 1), -1, dtype=np.int32)
        for number, level in enumerate(self.levels):
            part = np.s_[self.top[tile] + 1 << number : self.top[tile + 1] - 1 << number, 1 << number : -1 << number]
            own, mine = level.is_own[part], level.numbers[part]
            coarse = numbers.repeat(2, axis=0).repeat(2, axis=1) if number else np.int32(-1)
            numbers = np.where(own, mine, coarse)
        times = self.levels[-1].width
        pixels: Integers = numbers.repeat(times, axis=0).repeat(times, axis=1)
        return pixels

    @cached_property
    def _tile_of_row(self) -> Places:
        """The tile in which each row of level 0 lies."""
        return np.repeat(np.arange(len(self.tiles)), np.diff(self.top))

    def _located(self, level: int, cells: Places) -> Cells:
        """Where cells (n,) of a level lie."""
        rows, columns = _rows_and_columns(cells, self.levels[level].kinds.shape[1])
        tile = self._tile_of_row.take(rows >> level)
        rows -= (self.top[:-1] + 1 << level).take(tile)
        columns -= 1 << level
        sizes = (self.sizes[self.tiles] << level).T.take(tile, axis=1)
        return Cells(self.tiles.take(tile), rows, columns, sizes)

    def _add_level(self) -> None:
        """A level below the last one, in which no cell has a sample yet."""
        coarse = self.levels[-1]
        height, width = coarse.kinds.shape
        shape = (2 * height, 2 * width)
        twice_as_wide = (coarse.kinds * np.uint16(0x0101)).view(np.uint8)
        kinds = twice_as_wide.repeat(2, axis=0)
        own, cut = np.zeros(shape, dtype=np.bool_), np.zeros(shape, dtype=np.bool_)
        self.levels.append(Level(coarse.width // 2, kinds, np.empty(shape, np.int32), own, cut))

    def _quarter(self, cells: Places) -> None:
        """Samples three quarters of each cell (n,) of the last level but one; its own sample stands for the fourth."""
        level = len(self.levels) - 2
        coarse, fine = self.levels[-2:]
        width = coarse.kinds.shape[1]
        located = self._located(level, cells)
        quarter = quarter_of(located.rows, located.columns, coarse.width, located.sizes)
        corners = (2 * cells + 2 * width * (cells // width))[:, None] + [0, 1, 2 * width, 2 * width + 1]
        number = coarse.numbers.ravel()[cells]
        fine.is_own.ravel()[corners] = True
        fine.numbers.ravel()[corners[np.arange(len(cells)), quarter]] = number
        self.samplings.reweigh(number, located.picture, coarse.kinds.ravel()[cells], fine.width**2)
        self._sample(level + 1, corners[quarter[:, None] != np.arange(4)])

    def _sample(self, level: int, cells: Places) -> None:
        """Takes a sample in each of the cells (n,) of a level, which lie in the order of their pictures."""
        into = self.levels[level]
        located = self._located(level, cells)
        where = places(located.rows, located.columns, into.width, located.sizes)
        samples = sample(self.pictures, located.picture, where, self.renderer)
        into.kinds.ravel()[cells] = samples.kind
        into.numbers.ravel()[cells] = self.samplings.add(samples, into.width**2)

    def _leading_on(self, cells: Places) -> Places:
        """(m,) the cells of the last level but one next to cells (n,) from which a quarter differs across a side."""
        kinds = self.levels[-1].kinds
        width = kinds.shape[1]
        rows, columns = _rows_and_columns(cells, width // 2)
        inner = (2 * rows * width + 2 * columns) + (SIDE_ROWS * width + SIDE_COLUMNS)[:, None]
        outer = inner + (ROWS_OUT * width + COLUMNS_OUT)[:, None]
        differ = kinds.ravel().take(inner) != kinds.ravel().take(outer)
        rows, columns = _rows_and_columns(outer[differ], width)
        beyond: Places = rows // 2 * (width // 2) + columns // 2
        return beyond


def _rows_and_columns(cells: Places, width: int) -> tuple[Places, Places]:
    """The rows and columns of cells (n,) of an image so wide: `numpy.divmod`, in half the time."""
    rows = cells // width
    return rows, cells - width * rows


SIDE_ROWS = np.array([0, 1, 0, 1, 1, 1, 0, 0])
SIDE_COLUMNS = np.array([1, 1, 0, 0, 0, 1, 0, 1])
ROWS_OUT = np.array([0, 0, 0, 0, 1, 1, -1, -1])
COLUMNS_OUT = np.array([1, 1, -1, -1, 0, 0, 0, 0])
"""The eight ways out of a cell that is cut into quarters: the row and the column of the quarter, and the step across
the side of the cell to the quarter of the neighbour that touches it:

            ^   ^
          +---+---+
        < | 00| 01| >
          +---+---+
        < | 10| 11| >
          +---+---+
            v   v
"""
