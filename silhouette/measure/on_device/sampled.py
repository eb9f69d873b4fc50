"""COUNT on a device: what a survey asks of its pictures, answered by cells on a device, here or in another process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from silhouette.geometry import Flags, Floats, Integers
from silhouette.measure.on_device.described import Cells, Described, Look
from silhouette.measure.on_device.device_cells import BITS, DeviceCells, words_of
from silhouette.measure.sampled import Along
from silhouette.measure.sampling import Kinds, Picture, Places, sample
from silhouette.meshes.mesh import Mesh
from silhouette.renderers.cuda.device_renderer import meshes_of
from silhouette.renderers.cuda.renderer import CudaRenderer
from silhouette.renderers.cuda.served import ServedRenderer
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
        self._cells: Cells
        device = renderer.underlying
        if isinstance(device, ServedRenderer):
            self._cells = AskedCells(described, meshes, device)
        else:
            assert isinstance(device, CudaRenderer), "a renderer that counts on its device holds it, or is served"
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


class AskedCells:
    """`silhouette.measure.on_device.described.Cells` in the process that holds the device.

    Args:
        described: the pictures.
        meshes: of their bodies, by their digests.
        renderer: knows that process.

    Attributes:
        last: see `Cells`.
    """

    last: Look

    def __init__(self, described: Described, meshes: Mapping[str, Mesh], renderer: ServedRenderer) -> None:
        self._renderer = renderer
        self._number, self.last = renderer.ask_with(meshes, "describe", described)

    def refine(self, is_open: Flags, everywhere: Flags, throughout: Flags) -> Floats:
        """See `Cells`."""
        variance: Floats
        variance, self.last = self._ask("refine", is_open, everywhere, throughout)
        return variance

    def put(self, picture: int, pixel: Places, kind: int, nearest: int, before: NDArray[np.uint64]) -> None:
        """See `Cells`."""
        _, self.last = self._ask("put", picture, pixel, kind, nearest, before)

    def blockers(self) -> tuple[Floats, Floats]:
        """See `Cells`."""
        counts: tuple[Floats, Floats] = self._ask("blockers")[0]
        return counts

    def mask(self, picture: int) -> tuple[Kinds, Integers]:
        """See `Cells`."""
        mask: tuple[Kinds, Integers] = self._ask("mask", picture)[0]
        return mask

    def _ask(self, name: str, *given: Any) -> Any:
        """What a method of the cells returns there, and what is then known at the last level."""
        return self._renderer.ask("cells", self._number, name, given)
