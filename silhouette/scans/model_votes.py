"""SCAN: the scale of a scan by known models: pieces that stand apart, and the scales that are worth trying on them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy import ndimage

from silhouette.common.geometry import Flags, Floats
from silhouette.scans.known import Known
from silhouette.scans.known_scale import ScaleMatch, match_scale
from silhouette.scans.matching import FEWEST_POINTS

PIECES = 5
"""On how many pieces models are tried: two that agree leave no doubt, some may be of no model, more are more exact."""

ALIKE = 0.08
"""How far, as a share, a piece's height may be from a model's: scans lose spear points, and scales are 2 % off."""

SCALES = 8  # how many scales are tried at most


def scale_by_models(
    points: Floats,
    usable: Flags,
    spacing: float,
    noise: float,
    known: Sequence[Known],
    hypotheses: Sequence[float],
    most: int = PIECES,
) -> ScaleMatch | None:
    """The scale at which known models fit pieces of a scan, or None where none fits.

    Args:
        points: (n, 3) levelled, in the file's unit.
        usable: (n,) bool, which of them to look at: on and over the table.
        spacing: the median distance between neighbouring points.
        noise: standard deviation of the table's surface.
        known: the models to look for.
        most: on so many pieces they are tried.
        hypotheses: mm per unit, the likeliest first; where there are none, heights of pieces and models tell which.
    """
    if not known:
        return None
    pieces = pieces_apart(points[usable], spacing, noise)
    heights = [max(float(np.ptp(one.model.mesh.vertices[:, 2])), 1e-3) for one in known]
    tall = np.array([float(piece[:, 2].max()) for piece in pieces])
    # A piece that has no model's height at any scale is of none, and a model of no piece's height is not tried.
    tried = list(hypotheses) or [height / top for height in heights for top in tall]
    tried = _apart(tried)[:SCALES]
    # (height, scale, piece)
    alike = np.abs(np.log(np.multiply.outer(tried, tall))[None] - np.log(heights)[:, None, None]) < ALIKE
    chosen = np.flatnonzero(alike.any(axis=(0, 1)))[:most]
    if not len(chosen):
        return None
    fitting = alike[:, :, chosen].any(axis=(1, 2))
    models = [one for one, fits in zip(known, fitting, strict=True) if fits]
    return match_scale([pieces[k] for k in chosen], models, tried, noise)


def _apart(scales: Sequence[float]) -> list[float]:
    """Scales in their order, without those within 5 % of an earlier one: each is refined by more than that."""
    kept: list[float] = []
    for mm in scales:
        if all(abs(math.log(mm / other)) > 0.05 for other in kept):
            kept.append(mm)
    return kept


def pieces_apart(points: Floats, spacing: float, noise: float) -> list[Floats]:
    """The points (k, 3) of each piece that stands apart on z = 0, down to the table; the tallest for its width first.

    Pieces of fewer than `FEWEST_POINTS` tell nothing. What is tall and narrow is likely to be a figure, and there are
    more models of figures than of terrain.

    >>> pieces_apart(np.zeros((0, 3)), 1.0, 0.1)
    []
    """
    foot = max(4 * noise, 1.5 * spacing)
    up = points[points[:, 2] > foot]
    if len(up) < FEWEST_POINTS:
        return []
    pixel = 2 * spacing
    low = up[:, :2].min(axis=0) - 2 * pixel
    shape = np.minimum(np.ptp(up[:, :2], axis=0) / pixel + 5, 4000).astype(np.int64)
    steps = np.clip(np.floor((points[:, :2] - low) / pixel), -1, shape).astype(np.int64)
    inside = ((steps >= 0) & (steps < shape)).all(axis=1)
    at = np.where(inside[:, None], steps, 0)
    picture = np.zeros(shape, dtype=bool)
    seen = inside & (points[:, 2] > foot)
    picture[at[seen, 0], at[seen, 1]] = True
    parts, count = ndimage.label(picture, np.ones((3, 3)))
    number = np.where(inside & (points[:, 2] > 0.5 * foot), parts[at[:, 0], at[:, 1]], 0)
    order = np.argsort(number, kind="stable")
    ends = np.cumsum(np.bincount(number, minlength=count + 1))
    found = [points[order[ends[k] : ends[k + 1]]] for k in range(count)]
    large = [piece for piece in found if len(piece) >= FEWEST_POINTS]
    return sorted(
        large, key=lambda piece: -float(piece[:, 2].max()) / float(np.ptp(piece[:, :2], axis=0).max() + 1e-300)
    )
