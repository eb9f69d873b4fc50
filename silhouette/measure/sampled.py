"""COUNT: the pictures of a survey, sampled: coarsely first, then finer along contours; here, or on a renderer's device.

pictures -> an atlas of cells, each with a sample -> along the contours of a level, what they leave open
         -> cells along them cut into quarters, and so on -> counts, blockers and masks
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, cast

import numpy as np

from silhouette.geometry import Flags, Floats, Integers
from silhouette.measure.atlas import Atlas, Contour
from silhouette.measure.error import isolated, open_variance
from silhouette.measure.sampling import KINDS, Kinds, Picture, Places, Samples
from silhouette.renderers.protocol import Renderer

if TYPE_CHECKING:
    from silhouette.renderers.cuda.renderer import CudaRenderer


@dataclass(frozen=True, eq=False)
class Along:
    """What lies along the contours of the last level, for each of n checks and each pair of kinds.

    Attributes:
        variance: (n, KINDS²) pixels squared, at a step of one: see `silhouette.measure.error.open_variance`.
        pairs: (n, KINDS²) the number of pairs of neighbours of which one, at least, has a sample at this level.
        alone: (n, KINDS²) the cells that differ from all their neighbours: see `silhouette.measure.error.isolated`.
    """

    variance: Floats
    pairs: Floats
    alone: Floats


class Sampled(Protocol):
    """The k pictures of n checks, sampled."""

    @property
    def pictures(self) -> Sequence[Picture]:
        """The pictures."""
        ...

    @property
    def width(self) -> int:
        """Of a cell of the last level, in pixels."""
        ...

    @property
    def counts(self) -> Floats:
        """(k, KINDS) the pixels of each kind, for each picture."""
        ...

    def along(self) -> Along:
        """What lies along the contours of the last level, of pictures that are not settled."""
        ...

    def settle(self, settled: Flags) -> None:
        """Leaves out pictures (k,) from now on: nothing is done to them any more."""
        ...

    def refine(self, everywhere: Flags, throughout: Flags) -> Floats:
        """Cuts cells of the last level into quarters, those on a contour, and those to which it turns out to lead on.

        Args:
            everywhere: (k,) the pictures of which every cell is cut in which the target was found, or near to which.
            throughout: (k,) the pictures of which every cell is cut.

        Returns:
            (n, KINDS²) pixels squared: the variance along what is left of the contours of the level that is cut.
        """
        ...

    def show(self, picture: int, place: Floats) -> None:
        """Samples a place (2,) of a picture in place of that of its pixel; in a picture of which each pixel has one."""
        ...

    def blockers(self) -> tuple[Floats, Floats]:
        """(m,) the pixels in which each blocker is the nearest one, and (m,) those in which it is before the target.

        The blockers are those of the first picture, then those of the second, and so on.
        """
        ...

    def mask(self, picture: int) -> tuple[Kinds, Integers]:
        """(height, width) in pixels, at least those of the picture: kinds, and the nearest blocker, -1 for none."""
        ...


def sampled(
    pictures: Sequence[Picture], reached: Sequence[Flags], block: int, renderer: Renderer, check: Places
) -> Sampled:
    """Pictures with a sample in each cell that a target may reach; on the renderer's device, where it counts there.

    Args:
        pictures: one at least.
        reached: for each picture, (height, width) in blocks, where its target may be.
        block: the width of a block, in pixels.
        renderer: casts the rays. One that counts on its device has a true attribute ``counts``.
        check: (k,) the check to which each picture belongs; never less than the one before.
    """
    if getattr(renderer, "counts", False):
        from silhouette.measure.on_device.sampled import SampledOnDevice

        if SampledOnDevice.takes(pictures):
            return SampledOnDevice(pictures, reached, block, cast("CudaRenderer", renderer), check)
    return SampledHere(Atlas.sampled(pictures, reached, block, renderer), check)


class SampledHere:
    """`Sampled` in this process's memory.

    Args:
        atlas: in which the pictures are sampled.
        check: (k,) the check to which each belongs.
    """

    def __init__(self, atlas: Atlas, check: Places) -> None:
        self._atlas, self._check, self._size = atlas, check, int(check[-1]) + 1
        self._homes = [atlas] * len(atlas.pictures)
        self._known: Contour | None = None

    @property
    def pictures(self) -> Sequence[Picture]:
        """See `Sampled`."""
        return self._atlas.pictures

    @property
    def width(self) -> int:
        """See `Sampled`."""
        return self._atlas.levels[-1].width

    @property
    def counts(self) -> Floats:
        """See `Sampled`."""
        return self._atlas.samplings.counts

    @property
    def _contour(self) -> Contour:
        if self._known is None:
            self._known = self._atlas.contour()
        return self._known

    def along(self) -> Along:
        """See `Sampled`."""
        contour, check, size = self._contour, self._check, self._size
        own = self._atlas.levels[-1].is_own.ravel()
        is_own = own[contour.first] | own[contour.second]
        pairs = np.bincount(check[contour.picture] * KINDS**2 + contour.pair, is_own, size * KINDS**2)
        return Along(
            open_variance(self._atlas, contour, check, size),
            pairs.reshape(size, KINDS**2).astype(np.float64),
            isolated(self._atlas, contour, check, size),
        )

    def settle(self, settled: Flags) -> None:
        """See `Sampled`."""
        atlas = self._atlas.without(settled)
        if atlas is not self._atlas:
            self._atlas, self._known = atlas, None
            for picture in atlas.tiles.tolist():
                self._homes[picture] = atlas

    def refine(self, everywhere: Flags, throughout: Flags) -> Floats:
        """See `Sampled`."""
        contour, self._known = self._contour, None
        self._atlas.cut(contour, everywhere, throughout)
        return open_variance(self._atlas, contour, self._check, self._size, level=-2)

    def show(self, picture: int, place: Floats) -> None:
        """See `Sampled`."""
        self._homes[picture].show(picture, place)
        self._known = None

    def blockers(self) -> tuple[Floats, Floats]:
        """See `Sampled`."""
        samples, weight = self._samples, self._atlas.samplings.weights.astype(np.float64)
        first = np.cumsum([0, *(len(picture.blockers) for picture in self.pictures)])
        hidden = np.flatnonzero(samples.nearest >= 0)
        nearest = np.bincount(first[samples.picture[hidden]] + samples.nearest[hidden], weight[hidden], first[-1])
        ray, blocker = samples.blocked
        alone = np.bincount(first[samples.picture[ray]] + blocker, weight[ray], first[-1])
        return nearest.astype(np.float64), alone.astype(np.float64)

    def mask(self, picture: int) -> tuple[Kinds, Integers]:
        """See `Sampled`."""
        samples, number = self._samples, self._homes[picture].numbers_of(picture)
        is_there = number >= 0
        kinds = np.where(is_there, samples.kind[number], np.uint8(0)).astype(np.uint8)
        return kinds, np.where(is_there, samples.nearest[number], np.int32(-1)).astype(np.int32)

    @property
    def _samples(self) -> Samples:
        return Samples.concatenated(self._atlas.samplings.batches)
