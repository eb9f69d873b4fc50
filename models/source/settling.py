"""Numbers without their last bits: sines, lengths and products of matrices end differently from CPU to CPU.

Whatever decides something later (which edge is collapsed first, which of two solids lies outside) is settled before.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

FINE = 2.0**-30
"""mm, or the share of a direction: far below what is seen, far above the noise of float64."""

COARSE = 2.0**-20
"""mm: for the corners of meshes, whose noise grows where solids cut each other at a slant."""


def settled(values: ArrayLike, step: float = FINE) -> NDArray[np.float64]:
    """The values rounded to multiples of a step, a power of two."""
    return np.rint(np.asarray(values, np.float64) / step) * step + 0.0
