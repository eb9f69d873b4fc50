"""COUNT on a device: what a survey asks of its pictures, answered by cells on a device."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from silhouette.common.geometry import Flags, Floats, Integers
from silhouette.measure.on_device.device_cells import BITS, Described, DeviceCells, words_of
from silhouette.measure.sampled import Along
from silhouette.measure.sampling import Kinds, Picture, Places, sample
from silhouette.renderers.cuda.renderer import CudaRenderer, meshes_of
from silhouette.renderers.protocol import Renderer


class SampledOnDevice:
    """`silhouette.measure.sampled.Sampled` on the device of a renderer.

    Args:
        pictures: such as it `takes`.
        reached: for each picture, (height, width) in blocks, where its target may be.
        block: the width of a block, in pixels.
        renderer: whose device; one that counts there.
        check: (k,) the check to which each picture belongs.
    """

    def __init__(
        self,
        pictures: Sequence[Picture],
        reached: Sequence[Flags],
        block: int,
        renderer: Renderer,
        check: Places,
    ) -> None:
        self.pictures = pictures
        self._renderer = renderer
        self._is_open = np.ones(len(pictures), np.bool_)
        described = Described.of(pictures, reached, block, check)
        self._words = words_of(described)
        meshes = meshes_of([body for one in pictures for body in (one.target, *one.blockers)])
        device = renderer.underlying
        assert isinstance(device, CudaRenderer), "of those that count on their device there is one"
        self._cells = DeviceCells(described, meshes, device)

    @staticmethod
    def takes(pictures: Sequence[Picture]) -> bool:
        """Whether pictures can be sampled here: no body has an outline of its own, as those of scans have."""
        return not any(body.outline for one in pictures for body in (one.target, *one.blockers))

    @property
    def width(self) -> int:
        """See `Sampled`."""
        return self._cells.last.width

    @property
    def counts(self) -> Floats:
        """See `Sampled`."""
        return self._cells.last.counts.copy()

    def along(self) -> Along:
        """See `Sampled`."""
        return self._cells.last.along

    def settle(self, settled: Flags) -> None:
        """See `Sampled`."""
        self._is_open[settled] = False

    def refine(self, everywhere: Flags, throughout: Flags) -> Floats:
        """See `Sampled`."""
        return self._cells.refine(self._is_open, everywhere, throughout)

    def show(self, picture: int, place: Floats) -> None:
        """See `Sampled`."""
        samples = sample(self.pictures, np.array([picture]), place[None], self._renderer)
        bits = np.zeros(self._words, np.uint64)
        for blocker in samples.blocked[1].tolist():
            bits[blocker // BITS] |= np.uint64(1) << np.uint64(blocker % BITS)
        pixel = np.floor(place + 0.5).astype(np.intp)
        self._cells.put(picture, pixel, int(samples.kind[0]), int(samples.nearest[0]), bits)

    def blockers(self) -> tuple[Floats, Floats]:
        """See `Sampled`."""
        return self._cells.blockers()

    def mask(self, picture: int) -> tuple[Kinds, Integers]:
        """See `Sampled`."""
        return self._cells.mask(picture)
