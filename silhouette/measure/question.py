"""COUNT: what is asked of one check, and what is found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from silhouette.common.geometry import Floats
from silhouette.measure.error import PARTS, WHOLES
from silhouette.measure.observation import DecidedBy, Mask, OcclusionCounts
from silhouette.measure.places import LARGEST_BLOCK
from silhouette.measure.sampling import Picture, Places

BLOCK = 0.8
"""Width of a cell of the coarse grid, mm at the target: twice that of the thinnest part of a printed miniature."""

COARSE_CELLS = 65_536  # cells are wider where the coarse grid would have more of them: a target that is no miniature


@dataclass(frozen=True, eq=False)
class Question:
    """What is asked of one check."""

    pictures: Sequence[Picture]  # one flat picture, or the six faces of a cube, which together show the target once
    pixel: float  # mm per pixel at the target
    goal: float  # the error, as a share, that is small enough where no threshold is near
    # Shares occluded at which a verdict changes; 0 and 1 are always among them
    thresholds: Sequence[float] = (0.0, 0.5, 1.0)
    tolerance: float = 0.0  # a share nearer than this to a threshold is too close to call, however well it is measured

    def refined(self, factor: int) -> Question:
        """The same question with each pixel cut into ``factor`` by ``factor``."""
        pictures = [replace(picture, view=picture.view.refined(factor)) for picture in self.pictures]
        return replace(self, pictures=pictures, pixel=self.pixel / factor)

    @property
    def block(self) -> int:
        """The width in pixels of a cell of the coarse grid: a power of two."""
        pixels = sum(picture.view.width * picture.view.height for picture in self.pictures)
        wide = int(np.floor(np.log2(BLOCK / self.pixel) + 1e-9))
        few = int(np.ceil(np.log2(pixels / COARSE_CELLS) / 2))
        return min(LARGEST_BLOCK, 1 << max(0, wide, few))


@dataclass(frozen=True, eq=False)
class Measured:
    """What was found for one question.

    Attributes:
        counts: its counts.
        pixel: mm per pixel at the target.
        decided_by: what the counts rest on.
        masks: one for each picture, if they were kept.
    """

    counts: OcclusionCounts
    pixel: float
    decided_by: DecidedBy
    masks: tuple[Mask, ...]


def occlusion_counts(
    kinds: Floats, nearest: Floats | Places, alone: Floats | Places, errors: Floats
) -> OcclusionCounts:
    """The counts of a target.

    Args:
        kinds: (KINDS,) the pixels of each kind.
        nearest: (m,) the pixels in which each blocker is the nearest one.
        alone: (m,) those in which each blocker is before the target, others or not.
        errors: (3,) of the shares occluded, occluded in the arc, and seen.
    """
    return OcclusionCounts(
        total=round(kinds @ WHOLES[0]),
        occluded=round(kinds @ PARTS[0]),
        in_arc=round(kinds @ WHOLES[1]),
        occluded_in_arc=round(kinds @ PARTS[1]),
        nearest=tuple(nearest.astype(np.int64).tolist()),
        alone=tuple(alone.astype(np.int64).tolist()),
        error=float(errors[0]),
        error_in_arc=float(errors[1]),
        error_seen=float(errors[2]),
    )
