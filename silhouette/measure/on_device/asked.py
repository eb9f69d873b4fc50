"""COUNT on a device that another process holds: the cells lie there, and each request is one message and its answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from silhouette.geometry import Flags, Floats, Integers
from silhouette.measure.on_device.described import Described, Look
from silhouette.measure.sampling import Kinds, Places
from silhouette.meshes.mesh import Mesh
from silhouette.renderers.cuda.served import ServedRenderer


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
        variance, self.last = self._asked("refine", is_open, everywhere, throughout)
        return variance

    def put(self, picture: int, pixel: Places, kind: int, nearest: int, before: NDArray[np.uint64]) -> None:
        """See `Cells`."""
        _, self.last = self._asked("put", picture, pixel, kind, nearest, before)

    def blockers(self) -> tuple[Floats, Floats]:
        """See `Cells`."""
        found: tuple[Floats, Floats] = self._asked("blockers")[0]
        return found

    def mask(self, picture: int) -> tuple[Kinds, Integers]:
        """See `Cells`."""
        found: tuple[Kinds, Integers] = self._asked("mask", picture)[0]
        return found

    def _asked(self, name: str, *given: Any) -> Any:
        """What a method of the cells returns there, and what is then known at the last level."""
        return self._renderer.ask("cells", self._number, name, given)
