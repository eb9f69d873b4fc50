"""COUNT, second third: every pixel of a view, from a coarse grid that is made finer where anything changes.

`sample_coarsely` samples the middles of the blocks of a coarse grid. `refine` samples again, finer, the blocks in which
or next to which anything changes; where that shows a change at the edge of a block that was not refined, that block
follows, so that a thin part is followed along its whole length once any ray has hit it.

What is no wider than a pixel cannot be followed: where some rays hit it, others beside them miss it. Blocks that were
hit would be looked at again and blocks that missed it would not, and so it would be counted too small. Where outlines
are followed to single pixels and there is such a thing, every pixel is sampled.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from silhouette.geometry import Flags, Floats, Integers
from silhouette.measure.culling import DIRECTIONS, picture_bounds
from silhouette.measure.samples import HIDDEN, TARGET, Codes, SampleRequest, Samples, sample
from silhouette.meshes.bounds import bounding_points
from silhouette.renderers.protocol import Body
from silhouette.views import View

BLOCK = 0.4
"""Width of a block of the coarse grid, mm at the target; about the thinnest part of a printed miniature."""

LARGEST_BLOCK = 16
"""Pixels across a block of the coarse grid at most."""

THIN_ALLOWED, THIN_SHARE_ALLOWED = 4, 0.005
"""So many pixels, and this share of the target's, may differ from both neighbours: figures have tips and notches."""

Differ = Callable[[Codes, Codes], Flags]
"""Tells of codes side by side where they are apart."""

SIDE_QUARTERS = np.array([[0, 1], [1, 1], [0, 0], [1, 0], [1, 0], [1, 1], [0, 0], [0, 1]])
STEPS_OUTWARD = np.array([[0, 1], [0, 1], [0, -1], [0, -1], [1, 0], [1, 0], [-1, 0], [-1, 0]])
"""The quarters of a block along its sides, and the way from each to the quarter beyond the side."""


@dataclass(frozen=True, eq=False)
class SampledView:
    """A view of which every pixel has a sample: its own, or that of the block it lies in.

    Attributes:
        view: the picture.
        samples: what was met, n of them.
        block: pixels across one of the square blocks that the picture is cut into.
        index: (height, width) int32, in blocks: the sample that stands for each.
        weight: (n,) int64, how many pixels each sample stands for.
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
        """The samples' values (n,) as an image (height, width), in blocks."""
        return flags.take(self.index)

    def pixels(self, values: Any) -> Any:
        """The samples' values (n,) as an image (height, width) of the view's pixels."""
        image = self.mask(values)
        return _repeated(image, self.block) if self.block > 1 else image

    def with_samples(self, pixels: Integers, samples: Samples) -> SampledView:
        """The same, with other samples standing for the ``pixels`` (k, 2): one for each, the last where they meet."""
        index = _repeated(self.index, self.block)
        index[pixels[:, 0], pixels[:, 1]] = len(self.samples.target) + np.arange(len(pixels), dtype=np.int32)
        joined = Samples.concatenated([self.samples, samples])
        return SampledView(self.view, joined, 1, index, np.bincount(index.ravel(), minlength=len(joined.target)))


@dataclass(frozen=True)
class Contours:
    """Which parts of the target's outline are followed: those where it is seen, and those where it is obscured."""

    seen: bool = True
    occluded: bool = True


ALL_CONTOURS = Contours()


def sample_coarsely(view: View, request: SampleRequest, pixel: float) -> SampledView:
    """Every pixel of the view, whose pixels are ``pixel`` mm wide at the target, in blocks of the coarse grid.

    A renderer that does not gain by being asked for few pixels is asked for all of them.
    """
    if not request.renderer.sparse:
        samples = sample(view, request, background=True)
        index = np.arange(view.height * view.width, dtype=np.int32).reshape(view.height, view.width)
        return SampledView(view, samples, 1, index, np.ones(index.size, dtype=np.int64))
    return _coarse(view, request, _coarse_width(pixel))


def refine(one: SampledView, request: SampleRequest, width: int, contours: Contours = ALL_CONTOURS) -> SampledView:
    """The survey with the division of the target's parts, and these of its rims, followed to blocks so wide, in pixels.

    Where all are followed down to single pixels, and anything is thin, there is a sample in every pixel.
    """
    if one.block <= width:
        return one
    grid = _Grid.resumed(one, request)
    while grid.width > width:
        grid.halve(contours)
    found = grid.sampled()
    every = width == 1 and contours == ALL_CONTOURS and shows_thin_parts(found)
    return sample_every_pixel(found, request) if every else found


def sample_every_pixel(one: SampledView, request: SampleRequest) -> SampledView:
    """The survey anew, with a sample in every pixel that the target may reach into."""
    return _coarse(one.view, request, 1)


def shows_thin_parts(one: SampledView) -> bool:
    """Whether the image has more than a few blocks that differ from both neighbours beside them, or above and below."""
    kinds = one.mask(one.samples.target.astype(np.uint8) + one.samples.occluded)
    thin = 0
    for image in (kinds, kinds.T):
        middle = image[1:-1]
        alone = (middle != image[:-2]) & (middle != image[2:])
        thin += int(np.count_nonzero(alone & ((middle | image[:-2] | image[2:]) > 0)))
    return bool(thin > THIN_ALLOWED + THIN_SHARE_ALLOWED * one.block * np.count_nonzero(kinds))


def _coarse_width(pixel: float) -> int:
    """How many pixels a block of the coarse grid is wide: a power of two.

    >>> _coarse_width(0.1), _coarse_width(0.025), _coarse_width(0.001), _coarse_width(1.0)
    (4, 16, 16, 1)
    """
    return min(LARGEST_BLOCK, 1 << max(0, int(np.floor(np.log2(BLOCK / pixel) + 1e-9))))


def _coarse(view: View, request: SampleRequest, width: int) -> SampledView:
    """Blocks so many pixels wide, all sampled that the target may reach into."""
    reached = _reached(view, request.target, width)
    index = np.zeros(reached.shape, dtype=np.int32)
    index[reached] = np.arange(1, np.count_nonzero(reached) + 1)
    places = np.concatenate([[[-1.0, -1.0]], _middles(np.argwhere(reached), width)])
    samples = sample(view, request, places, background=True)
    weight = np.full(len(samples.target), width * width)
    weight[0] = np.count_nonzero(~reached) * width * width
    return SampledView(view, samples, width, index, weight)


def _reached(view: View, target: Body, block: int) -> Flags:
    """Which blocks of the coarse grid the target may reach into: between its tangents in four directions.

    The others are all like the first sample, a place beside the picture.
    """
    rows, columns = (np.arange(size // block) * block + block / 2 for size in (view.height, view.width))
    least, most = picture_bounds(view, target.pose.place(bounding_points(target.mesh)))
    reached = np.ones((len(rows), len(columns)), dtype=np.bool_)
    for way in range(0, len(least), 2):
        across, down = DIRECTIONS[:, way]
        along = (down * rows)[:, None] + across * columns
        reached &= (along >= least[way] - block) & (along <= most[way] + block)
    return reached


@dataclass(eq=False)
class _Grid:
    """Square blocks that cover a view, each with the sample in its middle, or that of a larger block it lies in.

    Attributes:
        view, request: what is sampled.
        width: of a block, in pixels.
        index: (height, width) int32, in blocks, the sample that stands for each.
        taken: all samples so far; the very first lies beside the picture and stands for what the target cannot reach.
        code: (n,) theirs.
        weight: (n,) how many pixels each stands for.
    """

    view: View
    request: SampleRequest
    width: int
    index: Integers
    taken: list[Samples]
    code: Codes
    weight: NDArray[np.int64]

    @classmethod
    def resumed(cls, one: SampledView, request: SampleRequest) -> _Grid:
        """The grid as a survey left it."""
        return cls(one.view, request, one.block, one.index, [one.samples], one.samples.code, one.weight.copy())

    def sampled(self) -> SampledView:
        """What is known of the view so far."""
        return SampledView(self.view, Samples.concatenated(self.taken), self.width, self.index, self.weight)

    def halve(self, contours: Contours) -> None:
        """Cuts each block into four, and takes new samples where neighbours are apart, on the rims asked for."""
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
        """Takes new samples in the four quarters of blocks (k, 2)."""
        quarters = (blocks[:, None] * 2 + [[0, 0], [0, 1], [1, 0], [1, 1]]).reshape(-1, 2)
        samples = sample(self.view, self.request, _middles(quarters, self.width), background=True)
        numbers = np.arange(len(self.code), len(self.code) + len(quarters), dtype=np.int32)
        self.index[quarters[:, 0], quarters[:, 1]] = numbers
        self.taken.append(samples)
        self.code = np.concatenate([self.code, samples.code])
        self.weight = np.concatenate([self.weight, np.full(len(quarters), self.width * self.width)])

    def _differing_neighbours(
        self, blocks: NDArray[np.intp], differ: Differ
    ) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Rows and columns of blocks that are apart, somewhere along the common side, from one of ``blocks`` (k, 2)."""
        height, width = self.index.shape
        rows, columns = blocks[:, :1] * 2 + SIDE_QUARTERS[:, 0], blocks[:, 1:] * 2 + SIDE_QUARTERS[:, 1]
        beside = (
            np.clip(rows + STEPS_OUTWARD[:, 0], 0, height - 1),
            np.clip(columns + STEPS_OUTWARD[:, 1], 0, width - 1),
        )
        one, other = (self.index.take(row * width + column) for row, column in ((rows, columns), beside))
        found = differ(self.code.take(one), self.code.take(other))
        return beside[0][found] // 2, beside[1][found] // 2


def _repeated(index: Integers, times: int) -> Integers:
    """Each block of an image cut into so many, across and down; always a copy."""
    return np.repeat(np.repeat(index, times, axis=0), times, axis=1)


def _middles(blocks: Any, width: int) -> Floats:
    """(n, 2) row and column of the middles of blocks (n, 2) that are ``width`` pixels wide."""
    middles: Floats = np.asarray(blocks, dtype=np.float64) * width + (width - 1) / 2
    return middles


def _target_differs(one: Codes, other: Codes) -> Flags:
    """Where anything of the target differs."""
    different: Flags = (one != other) & (((one | other) & TARGET) > 0)
    return different


def _divided(one: Codes, other: Codes) -> Flags:
    """Where the target is on both sides and anything differs, or on one side and what is before it ends there too."""
    changed = one ^ other
    different: Flags = (changed > 0) & (((one & other | changed & changed >> HIDDEN) & TARGET) > 0)
    return different


def _differs_along(contours: Contours, one: Codes, other: Codes) -> Flags:
    """Where seen and obscured parts of the target are divided, and on the rims asked for."""
    chosen = _divided(one, other)
    contour = ((one ^ other) & TARGET) > 0
    occluded = (((one & TARGET) * one | (other & TARGET) * other) >> HIDDEN & TARGET) > 0
    if contours.seen:
        chosen |= contour & ~occluded
    if contours.occluded:
        chosen |= contour & occluded
    return chosen


def _changing(codes: Codes, differ: Differ) -> Flags:
    """Which blocks differ from the one beside, above or below; diagonal ones follow where a rim shows a change."""
    changing = np.zeros(codes.shape, dtype=np.bool_)
    beside = differ(codes[:, 1:], codes[:, :-1])
    changing[:, 1:] |= beside
    changing[:, :-1] |= beside
    below = differ(codes[1:], codes[:-1])
    changing[1:] |= below
    changing[:-1] |= below
    return changing
