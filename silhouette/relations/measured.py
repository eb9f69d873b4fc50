"""RELATE: a number that was measured, with how far it may lie from the truth."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from silhouette.geometry import Floats


@dataclass(frozen=True, eq=False)
class Measured:
    """A length in mm, or a share from 0 to 1.

    Attributes:
        value: the number.
        error: the true number lies within ``value`` ± this; 0 where the value is exact but for rounding.
        lines: (k, 2, 3) mm, world: the lines on which it was found, for figures; none where no line tells.
        by: the names of the pieces to which it is due, such as those that are crossed, the most telling first.

    >>> Measured(25.4).lines.shape
    (0, 2, 3)
    """

    value: float
    error: float = 0.0
    lines: Floats = field(default_factory=lambda: np.zeros((0, 2, 3)))
    by: tuple[str, ...] = ()
