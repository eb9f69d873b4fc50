"""CLASSIFY: which of the compact upright things on a scan are known figures, wherever they stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from silhouette.common.errors import go_on
from silhouette.common.geometry import Flags, Floats
from silhouette.scans.discs import Disc
from silhouette.scans.known import Known
from silhouette.scans.matching import Match, match
from silhouette.scans.segment import Prominence, Relief

AROUND = 12.0  # mm beside what rises that are looked at: as far as a base reaches beyond the legs on it
RING = 15.0  # mm beyond that which show the ground
SOLE = 0.8  # mm over the ground: what lies lower is the ground's
FEW = 10  # points of the ground in the ring: with fewer, the picture of heights tells it

FITS, ROUGH_FITS = 1.0, 1.8
"""mm, root mean square: what fits a known figure so well is one, sure or not; on rough scans half of their noise more,
up to the second. On eleven scans right models fitted to 0.2 to 1.7 mm, and what is no figure to 2.3 at best."""

BESIDE = 1.0  # mm round a base that belong to it: fillets
OVERLAP = 0.5  # of the sum of their radii: figures whose middles are nearer than that are one and the same


@dataclass(frozen=True, eq=False)
class Figure:
    """A known figure where it stands."""

    points: NDArray[np.intp]  # indices of its points, those of its base among them
    disc: Disc  # its base, as its model has it
    match: Match  # which it is, sure or not


@dataclass(frozen=True, eq=False)
class _Sight:
    """The points about what rises, and the ground there."""

    own: NDArray[np.intp]
    ground: float


def known_figures(
    rising: Sequence[Prominence],
    relief: Relief,
    points: Floats,
    normals: Floats,
    usable: Flags,
    models: Sequence[Known],
    noise: float,
) -> list[Figure]:
    """The known figures among what rises, the best first; no two of them in one place.

    Args:
        rising: what is compact and upright.
        relief: the picture of heights.
        points: (n, 3) mm on the table.
        normals: (n, 3) unit vectors out of the surface.
        usable: (n,) which points count.
        models: the figures to look for.
        noise: mm, standard deviation of the scan's points.
    """
    most = min(FITS + 0.5 * noise, ROUGH_FITS)
    over = np.where(usable, points[:, 2] - relief.ground_at(points), -np.inf)
    figures: list[Figure] = []
    for thing in rising if models else ():
        go_on()
        seen = _seen(thing, points, over)
        fit = match(points[seen.own], normals[seen.own], models, None, seen.ground, noise, True)
        if fit is not None and fit.residual <= most:
            figures.append(_figure(fit, seen, points))
    figures.sort(key=lambda figure: figure.match.residual)
    standing: list[Figure] = []
    for figure in figures:
        if all(is_apart(figure.disc, better.disc) for better in standing):
            standing.append(figure)
    return standing


def _seen(thing: Prominence, points: Floats, over: Floats) -> _Sight:
    """What is to be compared: the points in a cylinder round what rises, down to the ground."""
    reach = thing.size.max() / 2.0 + AROUND
    away = np.hypot(*(points[:, :2] - thing.middle).T)
    height = points[:, 2] - thing.ground
    low = (away < reach + RING) & (over > -4.0) & (over < 5.0) & (np.abs(height) < 5.0)
    ground = float(np.median(points[low, 2])) if low.sum() > FEW else thing.ground
    top = ground + thing.tall + 10.0
    own = (away < reach) & np.isfinite(over) & (points[:, 2] > ground + SOLE) & (points[:, 2] < top)
    return _Sight(np.flatnonzero(own), ground)


def _figure(fit: Match, seen: _Sight, points: Floats) -> Figure:
    """A figure with the points that its model explains, and those on its base."""
    base = fit.known.model.base
    diameter = base.diameter if base is not None else 2.0 * fit.known.surface.reach
    height = base.height if base is not None else 0.0
    own = points[seen.own]
    on_base = np.hypot(own[:, 0] - fit.at[0], own[:, 1] - fit.at[1]) < diameter / 2.0 + BESIDE
    mine = fit.explained | on_base
    disc = Disc((fit.at[0], fit.at[1]), seen.ground, height, diameter, 0.0, 0.0)
    return Figure(seen.own[mine], disc, replace(fit, explained=fit.explained[mine]))


def is_apart(disc: Disc, second: Disc) -> bool:
    """Whether two bases are not in one place."""
    apart = np.hypot(disc.centre[0] - second.centre[0], disc.centre[1] - second.centre[1])
    return bool(apart > OVERLAP * (disc.diameter + second.diameter) / 2.0)
