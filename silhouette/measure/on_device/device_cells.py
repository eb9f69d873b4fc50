"""COUNT on a device: the cells of many pictures, sampled and cut there in a few launches for all checks together.

`Described` -> an atlas on the device -> launches over cells: samples, contours, quarters -> sums for each check

It is the atlas of `silhouette.measure.atlas`: the same places are sampled and the same cells cut; counts are equal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from silhouette.common.geometry import Flags, Floats, Integers
from silhouette.measure.places import tables
from silhouette.measure.sampled import Along
from silhouette.measure.sampling import KINDS, Kinds, Picture, Places
from silhouette.meshes.mesh import Mesh
from silhouette.renderers.cuda.renderer import BodyRows, CudaRenderer, view_rows

BITS = 64  # blockers that one word of a sample's bits tells of

_tables: WeakKeyDictionary[CudaRenderer, Any] = WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
class Described:
    """The k pictures of some checks."""

    block: int  # the width of a block, in pixels
    # (rows, columns) uint8: the blocks of all pictures, one below the other, each with a margin of one block; 1 where
    # its target may be
    own: NDArray[np.uint8]
    sizes: Integers  # (k, 2) blocks, height and width
    check: Places  # (k,) the check to which each picture belongs
    views: Floats  # (k, 5, 3) as of `silhouette.renderers.cuda.renderer.view_rows`
    bodies: BodyRows  # of each picture its target, then its blockers
    blockers: Integers  # (k,) how many these are
    arcs: Integers  # (k,) the number of arcs of each picture, -1 where all of the target lies in one
    wedges: Floats  # (n, 3, 2) the arcs of all pictures: each one's apex, and the unit vectors along its edges

    @classmethod
    def of(cls, pictures: Sequence[Picture], reached: Sequence[Flags], block: int, check: Places) -> Described:
        """Pictures as arrays.

        Args:
            pictures: one at least.
            reached: for each picture, (height, width) in blocks, where its target may be.
            block: the width of a block, in pixels.
            check: (k,) the check to which each picture belongs.
        """
        sizes = np.array([mask.shape for mask in reached])
        top = np.cumsum([0, *(sizes[:, 0] + 2)])
        own = np.zeros((int(top[-1]), int(sizes[:, 1].max()) + 2), np.uint8)
        for start, mask in zip(top, reached, strict=False):
            own[start + 1 : start + 1 + mask.shape[0], 1 : 1 + mask.shape[1]] = mask
        return cls(
            block,
            own,
            sizes,
            check,
            view_rows([one.view for one in pictures]),
            BodyRows.of([body for one in pictures for body in (one.target, *one.blockers)]),
            np.array([len(one.blockers) for one in pictures]),
            np.array([-1 if one.arcs is None else len(one.arcs) for one in pictures]),
            np.array([(arc.apex, arc.right, arc.left) for one in pictures for arc in one.arcs or ()]).reshape(-1, 3, 2),
        )

    @property
    def top(self) -> Integers:
        """(k + 1,) the first row in ``own`` of each picture, its margin included; and the number of rows."""
        return np.cumsum([0, *(self.sizes[:, 0] + 2)])


@dataclass(frozen=True, eq=False)
class Look:
    """What is known of pictures at their last level."""

    width: int  # of its cells, in pixels
    counts: Floats  # (k, KINDS) pixels of each kind
    along: Along  # what lies along its contours


class DeviceCells:
    """The cells of described pictures on the device of a renderer.

    Args:
        described: the pictures.
        meshes: of their bodies, by their digests.
        renderer: holds the device.

    Attributes:
        last: what is known at the last level, as it is now.
    """

    def __init__(self, described: Described, meshes: Mapping[str, Mesh], renderer: CudaRenderer) -> None:
        from silhouette.measure.on_device import cells, contours, sampling

        self._described, self._renderer = described, renderer
        self._types: Any = cells
        self._kernels = {**vars(sampling), **vars(contours)}
        self._size = int(described.check[-1]) + 1
        self._top = described.top
        pictures = len(described.sizes)
        self._of_row = self._ints(np.repeat(np.arange(pictures), np.diff(self._top)))
        self._placed = renderer.placed(described.bodies, meshes)
        self._pictures, self._arcs = self._on_device(described)
        self._tables = _tables_on(renderer)
        self._is_open = self._ints(np.ones(pictures))
        self._counts = renderer.zeros(pictures * KINDS, renderer.warp.int32)
        self._samples: Any = None
        self._samples, self._taken = self._room_for_samples(0), 0
        self._levels = [self._level(0, described.block, described.own.shape)]
        self._levels[0].own.assign(described.own.ravel())
        self._cells = [[self._ints(np.flatnonzero(described.own))]]
        self._sample(self._levels[0], self._cells[0][0])
        self.last = self._look()

    def refine(self, is_open: Flags, everywhere: Flags, throughout: Flags) -> Floats:
        """See `silhouette.measure.sampled.Sampled.refine`; of pictures (k,) that are open."""
        coarse = self._levels[-1]
        coarse.cut = self._renderer.zeros(coarse.high * coarse.wide, self._renderer.warp.int32)
        fine = self._level(coarse.depth + 1, coarse.cell // 2, (2 * coarse.high, 2 * coarse.wide))
        self._launch("spread_kinds", fine.high * fine.wide, coarse, fine)
        self._is_open, *flags = (self._ints(each) for each in (is_open, everywhere, throughout))
        chosen = self._is_open, *flags, self._of_row
        waves = [self._listed("choose_cells", each, coarse, *chosen) for each in self._cells[-1]]
        self._levels.append(fine)
        self._cells.append([])
        for wave in waves:
            while len(wave):
                corners, others = (self._renderer.zeros(n * len(wave), self._renderer.warp.int32) for n in (4, 3))
                told = self._pictures, self._of_row, self._tables, self._counts
                self._launch("quarter_cells", len(wave), wave, coarse, fine, *told, corners, others)
                self._cells[-1].append(corners)
                self._sample(fine, others)
                wave = self._listed("lead_on", wave, coarse, fine, most=8)
        left = self._along(-2, is_cut=True).variance
        self.last = self._look()
        return left

    def put(self, picture: int, pixel: Places, kind: int, nearest: int, before: NDArray[np.uint64]) -> None:
        """Replaces the sample of a pixel (2,), row and column, of a picture.

        Args:
            picture, pixel: where.
            kind, nearest: of the sample.
            before: the bits of the blockers that are before the target in it.
        """
        level, (row, column) = self._levels[-1], pixel.tolist()
        cell = int((row + (self._top[picture] + 1 << level.depth)) * level.wide + column + (1 << level.depth))
        number = self._taken
        self._samples = self._room_for_samples(1)
        self._taken += 1
        counts = self._renderer.read(self._counts)
        counts[picture * KINDS + int(self._renderer.read(level.kinds)[cell])] -= 1
        counts[picture * KINDS + kind] += 1
        self._counts.assign(counts)
        for array, first, values in (
            (self._samples.kinds, number, np.array([kind], np.uint8)),
            (self._samples.nearest, number, np.array([nearest], np.int32)),
            (self._samples.before, number * len(before), before),
            (level.kinds, cell, np.array([kind], np.uint8)),
            (level.numbers, cell, np.array([number], np.int32)),
        ):
            array[first : first + len(values)].assign(values)
        self.last = self._look()

    def blockers(self) -> tuple[Floats, Floats]:
        """See `silhouette.measure.sampled.Sampled.blockers`."""
        numbers = self._described.blockers
        first = self._ints(np.cumsum([0, *numbers]))
        total = int(numbers.sum())
        nearest, alone = (self._renderer.zeros(max(total, 1), self._renderer.warp.int32) for _ in range(2))
        for level, several in zip(self._levels, self._cells, strict=True):
            told = self._samples, self._pictures, self._of_row, first, nearest, alone
            for cells in several:
                self._launch("count_blockers", len(cells), cells, level, int(level is self._levels[-1]), *told)
        found = [self._renderer.read(array)[:total].astype(np.float64) for array in (nearest, alone)]
        return found[0], found[1]

    def mask(self, picture: int) -> tuple[Kinds, Integers]:
        """See `silhouette.measure.sampled.Sampled.mask`."""
        number = np.full((1, 1), -1, np.int32)
        for level in self._levels:
            shape = (level.high, level.wide)
            rows = slice(self._top[picture] + 1 << level.depth, self._top[picture + 1] - 1 << level.depth)
            part = rows, slice(1 << level.depth, -1 << level.depth)
            own, mine = (self._renderer.read(array).reshape(shape)[part] for array in (level.own, level.numbers))
            coarse = number.repeat(2, axis=0).repeat(2, axis=1) if level.depth else np.int32(-1)
            number = np.where(own == 1, mine, coarse)
        number = number.repeat(self.last.width, axis=0).repeat(self.last.width, axis=1)
        is_there = number >= 0
        kinds, nearest = self._renderer.read(self._samples.kinds), self._renderer.read(self._samples.nearest)
        return np.where(is_there, kinds[number], np.uint8(0)), np.where(is_there, nearest[number], np.int32(-1))

    def _look(self) -> Look:
        """What is known at the last level."""
        along = self._along(-1, is_cut=False)
        counts: Floats = self._renderer.read(self._counts).reshape(-1, KINDS).astype(np.float64)
        return Look(int(self._levels[-1].cell), counts, along)

    def _on_device(self, described: Described) -> tuple[Any, Any]:
        """The pictures, and the arcs to which they point, as the device reads them."""
        arcs = np.maximum(described.arcs, 0)
        rows: Any = np.zeros(len(arcs), self._types.DevicePicture.numpy_dtype())
        rows["view"] = described.views
        rows["blockers"], rows["target"] = (
            described.blockers,
            np.cumsum(described.blockers + 1) - described.blockers - 1,
        )
        rows["whole"] = described.arcs < 0
        rows["first_arc"], rows["last_arc"] = np.cumsum(arcs) - arcs, np.cumsum(arcs)
        rows["top_row"], rows["check"] = self._top[:-1], described.check
        rows["high"], rows["wide"] = described.sizes.T
        given, types = self._renderer.given, self._types
        return given(rows, types.DevicePicture, copy=True), given(described.wedges, types.DeviceArc, copy=True)

    def _level(self, depth: int, cell: int, shape: tuple[int, int]) -> Any:
        """A level without samples."""
        zeros, warp, size = self._renderer.zeros, self._renderer.warp, shape[0] * shape[1]
        level = self._types.DeviceLevel()
        level.depth, level.cell, level.high, level.wide = depth, cell, *shape
        level.kinds, level.own = zeros(size, warp.uint8), zeros(size, warp.uint8)
        level.numbers, level.cut = zeros(size, warp.int32), zeros(0, warp.int32)
        return level

    def _room_for_samples(self, more: int) -> Any:
        """The samples, with room for some more, twice as many as there were at least."""
        words = words_of(self._described)
        before = self._samples
        if before is not None and self._taken + more <= len(before.kinds):
            return before
        room, samples = 2 * (self._taken if before is not None else 0) + more, self._types.DeviceSamples()
        samples.words = words
        for name, kind, each in (("kinds", "uint8", 1), ("nearest", "int32", 1), ("before", "uint64", words)):
            array = self._renderer.zeros(room * each, getattr(self._renderer.warp, kind))
            if before is not None and self._taken:
                self._renderer.warp.copy(array, getattr(before, name), count=self._taken * each)
            setattr(samples, name, array)
        return samples

    def _sample(self, level: Any, cells: Any) -> None:
        """Takes a sample in each of some cells of a level."""
        self._samples = self._room_for_samples(len(cells))
        told = self._pictures, self._of_row, self._placed.bodies, self._placed.chunks, self._arcs, self._tables
        self._launch("sample_cells", len(cells), cells, self._taken, level, self._samples, *told, self._counts)
        self._taken += len(cells)

    def _along(self, number: int, is_cut: bool) -> Along:
        """What lies along the contours of a level; where it is cut, without pairs of which one is."""
        sums = [self._renderer.zeros(self._size * KINDS**2, self._renderer.warp.float64) for _ in range(3)]
        told = self._pictures, self._is_open, self._of_row
        for cells in self._cells[number]:
            self._launch("look_along", len(cells), cells, self._levels[number], int(is_cut), *told, *sums)
        variance, pairs, alone = (self._renderer.read(array).reshape(self._size, KINDS**2) for array in sums)
        return Along(variance, pairs, alone)

    def _listed(self, kernel: str, cells: Any, *given: Any, most: int = 1) -> Any:
        """The cells that a kernel lists for some cells, ``most`` for each of them at most."""
        chosen = self._renderer.zeros(most * len(cells), self._renderer.warp.int32)
        count = self._renderer.zeros(1, self._renderer.warp.int32)
        self._launch(kernel, len(cells), cells, *given, chosen, count)
        return chosen[: int(self._renderer.read(count)[0])]

    def _launch(self, kernel: str, threads: int, *given: Any) -> None:
        self._renderer.launch(self._kernels[kernel], threads, given)

    def _ints(self, values: NDArray[Any]) -> Any:
        return self._renderer.given(values.astype(np.int32), self._renderer.warp.int32, copy=True)


def words_of(described: Described) -> int:
    """How many words of bits each sample of described pictures has, a bit for each blocker."""
    return max(1, -(-int(described.blockers.max()) // BITS))


def _tables_on(renderer: CudaRenderer) -> Any:
    """The tables of `silhouette.measure.places` on the device, which are sent there once."""
    if renderer not in _tables:
        from silhouette.measure.on_device import cells

        types: Any = cells
        offsets, choices = tables()
        _tables[renderer] = on_device = types.DeviceTables()
        on_device.offsets = renderer.given(offsets, renderer.warp.vec2d, copy=True)
        on_device.choices = renderer.given(choices.ravel(), renderer.warp.uint8, copy=True)
    return _tables[renderer]
