"""COUNT, second step: a sample for every pixel of a view, from a coarse grid refined wherever anything changes.

`sample_coarsely` takes one sample in the middle of each block of a coarse grid. `refine` cuts each block into four, and
samples the quarters of those blocks that differ from a neighbour. Where the new samples show a change at the edge of a
block that was not cut, that block is cut as well, and so on:

    . . # #        . o o .        . o o .
    . . # #        . o o o        . o o o
    . . . .        . . o o        . . o o
    . . . .        . . . .        . . x .
    samples        o is cut       x follows: a quarter of the block above it turned out to be #

So a thin part is followed along its whole length once any ray has hit it. What no ray hits is not found here; see
`silhouette.measure.search`.

What is no wider than a pixel cannot be followed: some rays hit it, others next to them miss it. Blocks that were hit
would be refined and blocks that missed it would not, so that too few pixels would be counted. Where contours are
followed down to single pixels and there is such a thin part, every pixel is sampled.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from silhouette.geometry import Flags, Floats, Integers
from silhouette.lazy import cached_property
from silhouette.measure.culling import DIRECTIONS, picture_bounds
from silhouette.measure.samples import HIDDEN, TARGET, Codes, SampleRequest, Samples, sample
from silhouette.meshes.bounds import bounding_points
from silhouette.renderers.protocol import Body
from silhouette.views import View

BLOCK = 0.4
"""Width of a block of the coarse grid, mm at the target: about the thinnest part of a printed miniature."""

LARGEST_BLOCK = 16
"""The greatest width of a block of the coarse grid, in pixels."""

THIN_ALLOWED, THIN_SHARE_ALLOWED = 4, 0.005
"""How many pixels, and how many more as a share of the target's, may differ from both neighbours before the image shows
a thin part: every figure has a few tips and notches."""

Differ = Callable[[Codes, Codes], Flags]
"""Whether the codes of neighbouring samples, (n,) and (n,), differ in a way that is to be followed: (n,)."""

SIDE_QUARTERS = np.array([[0, 1], [1, 1], [0, 0], [1, 0], [1, 0], [1, 1], [0, 0], [0, 1]])
STEPS_OUTWARD = np.array([[0, 1], [0, 1], [0, -1], [0, -1], [1, 0], [1, 0], [-1, 0], [-1, 0]])
"""The eight ways out of a block that is cut into quarters: the row and column of the quarter, and the step across the
side of the block to the quarter of the neighbour that touches it:

            ^   ^
          +---+---+
        < | 00| 01| >
          +---+---+
        < | 10| 11| >
          +---+---+
            v   v
"""


@dataclass(frozen=True, eq=False)
class SampledView:
    """A view in which a sample stands for every pixel: the pixel's own, or that of the block in which it lies.

    Attributes:
        view: the picture.
        samples: the samples of n rays.
        block: the width of the square blocks into which the picture is cut, in pixels.
        index: (height, width) int32, in blocks: the number of the sample that stands for each block.
        weight: (n,) int64, the number of pixels for which each sample stands.
    """

    view: View
    samples: Samples
    block: int
    index: Integers
    weight: NDArray[np.int64]

    @cached_property
    def _is_plain(self) -> bool:
        """Whether each sample stands for one pixel."""
        return bool((self.weight == 1).all())

    def count(self, flags: Flags) -> int:
        """The number of pixels whose sample's flag (n,) is set."""
        return int(np.count_nonzero(flags) if self._is_plain else self.weight[flags].sum())

    def tally(self, numbers: Integers, size: int) -> NDArray[np.int64]:
        """(size,) the number of pixels whose sample has each of the ``numbers`` (n,), from 0."""
        weights = None if self._is_plain else self.weight
        return np.bincount(numbers, weights, size).astype(np.int64, copy=False)

    def mask(self, flags: Any) -> Any:
        """The samples' values (n,) laid out as an image (height, width), in blocks."""
        return flags.take(self.index)

    def pixels(self, values: Any) -> Any:
        """The samples' values (n,) as an image (height, width) of the view's pixels."""
        image = self.mask(values)
        return _repeated(image, self.block) if self.block > 1 else image

    def with_samples(self, pixels: Integers, samples: Samples) -> SampledView:
        """The view in single pixels, with new samples for ``pixels`` (k, 2); of several for one pixel the last."""
        index = _repeated(self.index, self.block)
        index[pixels[:, 0], pixels[:, 1]] = len(self.samples.target) + np.arange(len(pixels), dtype=np.int32)
        joined = Samples.concatenated([self.samples, samples])
        return SampledView(self.view, joined, 1, index, np.bincount(index.ravel(), minlength=len(joined.target)))


@dataclass(frozen=True)
class Contours:
    """Which parts of the target's own contour are followed: where it is seen, where it is occluded. The division
    between its seen and occluded parts is always followed."""

    seen: bool = True
    occluded: bool = True


ALL_CONTOURS = Contours()


def sample_coarsely(view: View, request: SampleRequest, pixel: float) -> SampledView:
    """The view sampled in blocks of the coarse grid; in every pixel, with a renderer that gains nothing from fewer.

    Args:
        view: the picture.
        request: the question to each ray.
        pixel: the width of a pixel at the target, mm.
    """
    if not request.renderer.sparse:
        samples = sample(view, request, background=True)
        index = np.arange(view.height * view.width, dtype=np.int32).reshape(view.height, view.width)
        return SampledView(view, samples, 1, index, np.ones(index.size, dtype=np.int64))
    return _sample_blocks(view, request, _coarse_width(pixel))


def refine(sampled: SampledView, request: SampleRequest, width: int, contours: Contours = ALL_CONTOURS) -> SampledView:
    """The view with the division of the target, and these of its contours, followed in blocks of ``width`` pixels.

    Where all contours are followed down to single pixels and anything is thin, every pixel is sampled.
    """
    if sampled.block <= width:
        return sampled
    grid = _Grid.of(sampled, request)
    while grid.width > width:
        grid.halve(contours)
    refined = grid.sampled()
    if width == 1 and contours == ALL_CONTOURS and shows_thin_parts(refined):
        return sample_every_pixel(refined, request)
    return refined


def sample_every_pixel(sampled: SampledView, request: SampleRequest) -> SampledView:
    """The same view with new samples, one in every pixel into which the target may reach."""
    return _sample_blocks(sampled.view, request, 1)


def shows_thin_parts(sampled: SampledView) -> bool:
    """Whether more than a few blocks differ from both neighbours on a line: left and right, or above and below."""
    kinds = sampled.mask(sampled.samples.target.astype(np.uint8) + sampled.samples.occluded)
    thin = 0
    for image in (kinds, kinds.T):
        middle = image[1:-1]
        alone = (middle != image[:-2]) & (middle != image[2:])
        thin += int(np.count_nonzero(alone & ((middle | image[:-2] | image[2:]) > 0)))
    return bool(thin > THIN_ALLOWED + THIN_SHARE_ALLOWED * sampled.block * np.count_nonzero(kinds))


def _coarse_width(pixel: float) -> int:
    """The width in pixels of a block of the coarse grid: a power of two.

    >>> _coarse_width(0.1), _coarse_width(0.025), _coarse_width(0.001), _coarse_width(1.0)
    (4, 16, 16, 1)
    """
    return min(LARGEST_BLOCK, 1 << max(0, int(np.floor(np.log2(BLOCK / pixel) + 1e-9))))


def _sample_blocks(view: View, request: SampleRequest, width: int) -> SampledView:
    """The view in blocks of ``width`` pixels, with a sample in each block into which the target may reach."""
    reached = _reached(view, request.target, width)
    # The first sample lies outside the picture and stands for all blocks that the target cannot reach.
    index = np.zeros(reached.shape, dtype=np.int32)
    index[reached] = np.arange(1, np.count_nonzero(reached) + 1)
    places = np.concatenate([[[-1.0, -1.0]], _middles(np.argwhere(reached), width)])
    samples = sample(view, request, places, background=True)
    weight = np.full(len(samples.target), width * width)
    weight[0] = np.count_nonzero(~reached) * width * width
    return SampledView(view, samples, width, index, weight)


def _reached(view: View, target: Body, block: int) -> Flags:
    """(height, width) in blocks: which of them the target may reach into, between its tangents in four directions."""
    rows, columns = (np.arange(size // block) * block + block / 2 for size in (view.height, view.width))
    least, most = picture_bounds(view, target.pose.place(bounding_points(target.mesh)))
    reached = np.ones((len(rows), len(columns)), dtype=np.bool_)
    for direction in range(0, len(least), 2):
        across, down = DIRECTIONS[:, direction]
        along = (down * rows)[:, None] + across * columns
        reached &= (along >= least[direction] - block) & (along <= most[direction] + block)
    return reached


@dataclass(eq=False)
class _Grid:
    """A view while it is refined: square blocks, each with a sample in its middle or that of a larger block round it.

    Attributes:
        view, request: the picture that is sampled, and the question to each ray.
        width: the width of a block, in pixels.
        index: (height, width) int32, in blocks: the number of the sample that stands for each block.
        batches: all samples so far, in the order in which they were taken.
        code: (n,) the codes of these samples.
        weight: (n,) the number of pixels for which each sample stands.
    """

    view: View
    request: SampleRequest
    width: int
    index: Integers
    batches: list[Samples]
    code: Codes
    weight: NDArray[np.int64]

    @classmethod
    def of(cls, sampled: SampledView, request: SampleRequest) -> _Grid:
        """The grid of a view that is sampled in blocks."""
        samples, weight = sampled.samples, sampled.weight.copy()
        return cls(sampled.view, request, sampled.block, sampled.index, [samples], samples.code, weight)

    def sampled(self) -> SampledView:
        """The view as it is sampled so far."""
        return SampledView(self.view, Samples.concatenated(self.batches), self.width, self.index, self.weight)

    def halve(self, contours: Contours) -> None:
        """Cuts each block into four; samples the quarters of those that differ from a neighbour on these contours."""
        differ = _target_differs if contours == ALL_CONTOURS else partial(_differs_along, contours)
        coarse, self.index = self.index, _repeated(self.index, 2)
        self.width //= 2
        refined = _changing(self.code.take(coarse), differ)
        blocks = np.flatnonzero(refined)
        while len(blocks):
            # One sample may stand for several of these blocks, so each of them is taken off by itself.
            taken_off = np.bincount(coarse.ravel()[blocks], minlength=len(self.weight))
            self.weight -= taken_off * (4 * self.width * self.width)
            places = np.column_stack(np.divmod(blocks, coarse.shape[1]))
            self._resample(places)
            following = np.zeros(coarse.shape, dtype=np.bool_)
            following[self._differing_neighbours(places, differ)] = True
            following &= ~refined
            refined |= following
            blocks = np.flatnonzero(following)

    def _resample(self, blocks: NDArray[np.intp]) -> None:
        """Samples the four quarters of blocks (k, 2)."""
        quarters = (blocks[:, None] * 2 + [[0, 0], [0, 1], [1, 0], [1, 1]]).reshape(-1, 2)
        samples = sample(self.view, self.request, _middles(quarters, self.width), background=True)
        numbers = np.arange(len(self.code), len(self.code) + len(quarters), dtype=np.int32)
        self.index[quarters[:, 0], quarters[:, 1]] = numbers
        self.batches.append(samples)
        self.code = np.concatenate([self.code, samples.code])
        self.weight = np.concatenate([self.weight, np.full(len(quarters), self.width * self.width)])

    def _differing_neighbours(
        self, blocks: NDArray[np.intp], differ: Differ
    ) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Rows and columns of the neighbours of ``blocks`` (k, 2) that differ from them somewhere along a common side.

        ``blocks`` are places among the blocks as they were before they were cut, and so are the neighbours returned.
        """
        height, width = self.index.shape
        rows, columns = blocks[:, :1] * 2 + SIDE_QUARTERS[:, 0], blocks[:, 1:] * 2 + SIDE_QUARTERS[:, 1]
        neighbours = (
            np.clip(rows + STEPS_OUTWARD[:, 0], 0, height - 1),
            np.clip(columns + STEPS_OUTWARD[:, 1], 0, width - 1),
        )
        quarters, adjacent = (self.index.take(row * width + column) for row, column in ((rows, columns), neighbours))
        differing = differ(self.code.take(quarters), self.code.take(adjacent))
        return neighbours[0][differing] // 2, neighbours[1][differing] // 2


def _repeated(index: Integers, times: int) -> Integers:
    """The image with each block cut into ``times`` by ``times``; always a copy."""
    return np.repeat(np.repeat(index, times, axis=0), times, axis=1)


def _middles(blocks: Any, width: int) -> Floats:
    """(n, 2) row and column, in pixels, of the middles of blocks (n, 2) that are ``width`` pixels wide."""
    middles: Floats = np.asarray(blocks, dtype=np.float64) * width + (width - 1) / 2
    return middles


def _target_differs(first: Codes, second: Codes) -> Flags:
    """Where two samples differ in any way and at least one of them lies on the target."""
    different: Flags = (first != second) & (((first | second) & TARGET) > 0)
    return different


def _divided(first: Codes, second: Codes) -> Flags:
    """Where both samples lie on the target and differ in any way, or one does and what occludes it ends there as well.

    In the second case the bit `TARGET` changes together with the bit `HIDDEN` places further.
    """
    changed = first ^ second
    different: Flags = (changed > 0) & (((first & second | changed & changed >> HIDDEN) & TARGET) > 0)
    return different


def _differs_along(contours: Contours, first: Codes, second: Codes) -> Flags:
    """Where seen and occluded parts of the target are divided, and on those parts of its contour that are followed."""
    chosen = _divided(first, second)
    # On the contour one of the two samples lies on the target: that one says whether the target is occluded there.
    contour = ((first ^ second) & TARGET) > 0
    occluded = (((first & TARGET) * first | (second & TARGET) * second) >> HIDDEN & TARGET) > 0
    if contours.seen:
        chosen |= contour & ~occluded
    if contours.occluded:
        chosen |= contour & occluded
    return chosen


def _changing(codes: Codes, differ: Differ) -> Flags:
    """The blocks that differ from the one left, right, above or below; diagonal ones follow once quarters are known."""
    changing = np.zeros(codes.shape, dtype=np.bool_)
    across = differ(codes[:, 1:], codes[:, :-1])
    changing[:, 1:] |= across
    changing[:, :-1] |= across
    down = differ(codes[1:], codes[:-1])
    changing[1:] |= down
    changing[:-1] |= down
    return changing
