"""SCAN: round bases, found by their rims and their level tops."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Disc:
    """A round base as a scan shows it, in the units of the points given.

    Attributes:
        centre: x and y of its middle.
        ground: z of what it stands on.
        height: of its top above that.
        diameter: as measured, not snapped to a size that exists.
        error: standard deviation of the diameter.
        seen: share of its rim, from 0 to 1, on which points lie.
    """

    centre: tuple[float, float]
    ground: float
    height: float
    diameter: float
    error: float
    seen: float
