"""COUNT: what a survey asks of its pictures, wherever they are sampled: here, or on a renderer's device.

pictures -> an atlas of cells, each with a sample -> along the contours of a level, what they leave open
         -> cells along them cut into quarters, and so on -> counts, blockers and masks
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from silhouette.common.geometry import Flags, Floats, Integers
from silhouette.measure.sampling import Kinds, Picture


@dataclass(frozen=True, eq=False)
class Along:
    """What lies along the contours of the last level, for each of n checks and each pair of kinds."""

    variance: Floats  # (n, KINDS²) pixels squared, at a step of one: see `silhouette.measure.error.open_variance`
    pairs: Floats  # (n, KINDS²) the number of pairs of neighbours of which one, at least, has a sample at this level
    # (n, KINDS²) the cells that differ from all their neighbours: see `silhouette.measure.error.isolated`
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
