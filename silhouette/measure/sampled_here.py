"""COUNT: pictures that are sampled in this process's memory, cut by cut."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from silhouette.common.geometry import Flags, Floats, Integers
from silhouette.measure.atlas import Atlas, Contour
from silhouette.measure.error import isolated, open_variance
from silhouette.measure.sampled import Along
from silhouette.measure.sampling import KINDS, Kinds, Picture, Places, Samples


class SampledHere:
    """`silhouette.measure.sampled.Sampled` in this process's memory.

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
