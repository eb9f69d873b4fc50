"""SCAN: what a piece looks like: a figure, terrain, or something that one should ask about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.spatial import ConvexHull, QhullError, cKDTree
from shapely import MultiPoint, oriented_envelope

from silhouette.common.geometry import Floats
from silhouette.scans.discs import Disc
from silhouette.scans.segment import WIDEST
from silhouette.scans.surfaces import groups_of


@dataclass(frozen=True)
class Look:
    """What a piece looks like."""

    kind: Literal["fighter", "terrain"]  # fighter or terrain
    is_odd: bool = False  # whether one should ask
    why: str = ""  # what speaks for it, in a few words for people
    could_be_several: bool = False  # whether it may be several figures that touch


TERRAIN = Look("terrain")


def of_figure(points: Floats, disc: Disc) -> Look:
    """What stands on a round base: a figure, but for pillars, barrels and trunks, which are round themselves.

    Args:
        points: (n, 3) mm, all of the piece.
        disc: its base.
    """
    height = points[:, 2] - disc.ground
    body = points[height > 2 * disc.height]
    slices = np.array_split(body[np.argsort(body[:, 2], kind="stable")], 4)
    if min(len(one) for one in slices) >= 12 and all(_is_round(one[:, :2], disc) for one in slices[:3]):
        return Look("terrain", True, "as round as a pillar, on a round base")
    return Look("fighter")


def _is_round(plan: Floats, disc: Disc) -> bool:
    """Whether a slice is a circle about the middle of its base; figures and beasts are never three times over."""
    offset = plan - plan.mean(0)
    radius = np.hypot(offset[:, 0], offset[:, 1])
    angle = np.arctan2(offset[:, 1], offset[:, 0])
    sectors = np.bincount(((angle + np.pi) / (2 * np.pi) * 12).astype(int) % 12, minlength=12)
    off = float(np.hypot(*(plan.mean(0) - disc.centre)))
    return bool(
        radius.mean() > 3.0
        and radius.std() < 0.12 * radius.mean()
        and np.count_nonzero(sectors) >= 10
        and off < 0.1 * disc.diameter
    )


def of_thing(points: Floats, size: tuple[float, float] | None, is_upright: bool = False) -> Look:
    """What a piece without a round base looks like.

    Args:
        points: (n, 3) mm, all of the piece.
        size: of the table in mm, or None.
        is_upright: whether it stands free, upright and compact as figures do, and is none that is known.
    """
    if len(points) < 20:
        return TERRAIN
    low, high = np.percentile(points[:, 2], [1, 99])
    height = float(high - min(low, 0.0) if low < 5 else high - low)
    narrow, wide = _sides(points[:, :2])
    if size is not None:
        beyond = (np.abs(points[:, :2]) > np.asarray(size) / 2).any(1)
        if beyond.mean() > 0.1:
            return Look("terrain", True, f"it reaches over the table's edge, {wide:.0f} mm across")
    if min(narrow, height) > 9 and max(wide, height) < 20 and max(wide, height) < 1.35 * min(narrow, height):
        return Look("terrain", True, f"{wide:.0f} mm in all directions, as a die")
    if height < 13 and 55 < narrow < 95 and 115 < wide < 180:
        return Look("terrain", True, f"flat, {narrow:.0f} by {wide:.0f} mm, as a phone")
    if _is_vessel(points, height):
        return Look("terrain", True, f"round and hollow as a mug, {narrow:.0f} mm across")
    if 15 < height < 100 and narrow > 18 and wide < 130 and (plate := _plate(points)) is not None:
        bodies = _bodies(points[points[:, 2] > plate + 6])
        if bodies > 1:
            return Look("fighter", False, f"{bodies} bodies rise from its base", True)
        return Look("fighter", True, f"{height:.0f} mm high, on a base that is not round")
    # slimmer than high, as tall as figures are, and neither a box nor a bottle
    if 18 < height < 80 and wide < 0.9 * height and narrow > 6 and _ragged(points) > 0.25:
        return Look("fighter", True, f"upright, {height:.0f} mm high, on no round base that was seen")
    if is_upright and narrow > 6 and wide < WIDEST and _ragged(points) > 0.25:
        return Look("terrain", True, f"{height:.0f} mm high and {wide:.0f} mm wide, as figures are, and no box")
    return TERRAIN


def _sides(plan: Floats) -> tuple[float, float]:
    """The sides of the least rectangle round a plan, the shorter first."""
    corners = np.asarray(getattr(oriented_envelope(MultiPoint(plan)), "exterior", MultiPoint(plan).envelope).coords)
    if len(corners) < 4:
        return 0.0, float(np.ptp(plan, axis=0).max())
    sides = np.hypot(*np.diff(corners[:3], axis=0).T)
    return float(sides.min()), float(sides.max())


def _is_vessel(points: Floats, height: float) -> bool:
    """Whether its highest points make a ring of 50 to 120 mm, about a middle that is much lower."""
    if height < 30:
        return False
    top = points[:, 2].max()
    rim = points[points[:, 2] > top - 0.1 * height][:, :2]
    if len(rim) < 24:
        return False
    middle = (rim.min(0) + rim.max(0)) / 2
    radius = np.hypot(*(rim - middle).T)
    if not 25 < radius.mean() < 60 or radius.std() > 0.08 * radius.mean():
        return False
    within = np.hypot(*(points[:, :2] - middle).T) < 0.5 * radius.mean()
    return not within.any() or bool(points[within, 2].max() < top - 0.4 * height)


def _plate(points: Floats) -> float | None:
    """The height of a level base of 2 to 6 mm on which the rest stands, or None: an oval or a square one."""
    low = np.sort(points[(points[:, 2] > 1.7) & (points[:, 2] < 6.5), 2])
    if len(low) < 30:
        return None
    within = np.searchsorted(low, low + 0.7, side="right") - np.arange(len(low))
    first = int(np.argmax(within))
    # a fifth of all points within 0.7 mm: a wall has that only where it is 3.5 mm high
    if within[first] < 0.2 * len(points) or points[:, 2].max() < low[first] + 12:
        return None
    return float(np.median(low[first : first + within[first]]))


def _bodies(points: Floats) -> int:
    """How many upright things there are in points that no longer hang together: each a sixth of them and more."""
    if len(points) < 40:
        return 1
    voxels, which = np.unique(np.floor(points / 3.0).astype(np.int64), axis=0, return_inverse=True)
    near = cKDTree(voxels).query_pairs(1.8, output_type="ndarray").astype(np.int32)
    group = groups_of(len(voxels), near)[which.ravel()]
    return max(1, int((np.bincount(group) > len(points) / 6).sum()))


def _ragged(points: Floats) -> float:
    """The share of points that lie well below the convex hull: boxes, bottles and pillars have hardly any."""
    sample = points[:: max(1, len(points) // 1500)]
    try:
        hull = ConvexHull(sample)
    except QhullError:
        return 0.0
    depth = -(sample @ hull.equations[:, :3].T + hull.equations[:, 3]).max(1)
    return float((depth > 0.06 * np.ptp(sample, axis=0).max()).mean())
