"""EXCHANGE: whether a base that was found has a size that bases have, or a piece was scaled by eye."""

from __future__ import annotations

from silhouette.models.bases import Base

SIZES = (20.0, 25.0, 27.0, 28.5, 30.0, 32.0, 35.0, 40.0, 50.0, 60.0, 65.0, 70.0, 75.0, 80.0, 90.0, 100.0, 105.0, 120.0,
         130.0, 160.0, 170.0)  # fmt: skip
"""mm: diameters of round bases that are sold, and the longer sides and axes of others."""

NEAR = 0.015
"""The share of its size by which a base may be off: lips and bevels of casts and scans."""


def odd_base(name: str, base: Base | None) -> str | None:
    """A warning where a base has no size that exists, with the nearest and the factor to it; else None.

    >>> odd_base("Kal", Base("auto", 3.0, 31.8, (0.0, 0.0))) is None
    True
    >>> odd_base("Kal", Base("auto", 3.0, 36.0, (0.0, 0.0)))
    'Kal: its base is 36.0 mm across, and the nearest that exists 35 mm: at 0.972 of its scale it would be that'
    """
    if base is None or base.source not in ("auto", "part"):
        return None
    nearest = min(SIZES, key=lambda size: abs(size - base.diameter))
    if abs(base.diameter - nearest) <= NEAR * nearest:
        return None
    factor = nearest / base.diameter
    what = f"its base is {base.diameter:.1f} mm across, and the nearest that exists {nearest:g} mm"
    return f"{name}: {what}: at {factor:.3f} of its scale it would be that"
