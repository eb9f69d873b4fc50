"""COUNT on a device: the pictures of many checks as arrays, which a device takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from silhouette.common.geometry import Flags, Floats, Integers
from silhouette.measure.sampled import Along
from silhouette.measure.sampling import Picture, Places
from silhouette.renderers.cuda.renderer import BodyRows, view_rows


@dataclass(frozen=True, eq=False)
class Described:
    """The k pictures of some checks.

    Attributes:
        block: the width of a block, in pixels.
        own: (rows, columns) uint8: the blocks of all pictures, one below the other, each with a margin of one block; 1
            where its target may be.
        sizes: (k, 2) blocks, height and width.
        check: (k,) the check to which each picture belongs.
        views: (k, 5, 3) as of `silhouette.renderers.cuda.renderer.view_rows`.
        bodies: of each picture its target, then its blockers.
        blockers: (k,) how many these are.
        arcs: (k,) the number of arcs of each picture, -1 where all of the target lies in one.
        wedges: (n, 3, 2) the arcs of all pictures: each one's apex, and the unit vectors along its edges.
    """

    block: int
    own: NDArray[np.uint8]
    sizes: Integers
    check: Places
    views: Floats
    bodies: BodyRows
    blockers: Integers
    arcs: Integers
    wedges: Floats

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
    """What is known of pictures at their last level.

    Attributes:
        width: of its cells, in pixels.
        counts: (k, KINDS) pixels of each kind.
        along: what lies along its contours.
    """

    width: int
    counts: Floats
    along: Along
