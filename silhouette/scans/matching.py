"""SCAN: which known model a scanned piece is, where it stands and how far it is turned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from silhouette.geometry import Flags, Floats
from silhouette.scans.discs import Disc
from silhouette.scans.known import Known, KnownModels, known_models
from silhouette.scans.registration import Explained, Fit, Scanned, Upright, coarse_poses, explain, refine

__all__ = ["Known", "KnownModels", "Match", "known_models", "match"]

FEWEST_POINTS = 60
"""With fewer points a piece has no shape to tell."""

YAW_STEP = 5.0
"""Degrees of the coarse search: at the rim of a base of 25 mm the next yaw is 1.1 mm away."""

STARTS = 5
"""So many of the best coarse poses of each model are refined."""


@dataclass(frozen=True, eq=False)
class Match:
    """A known model at the place of a scanned piece.

    Attributes:
        known: the model.
        at: x, y, z in mm on the table of the model's origin.
        turn: degrees anticlockwise from how the mesh lies in its frame.
        residual: root mean square in mm of the distances from the scanned points to the model's surface.
        runner_up: the residual of the next best model, or None with one model alone.
        sure: whether this is the right model in the right pose beyond reasonable doubt.
        place: mm, standard deviation of the place.
        facing: degrees, standard deviation of the turn.
        explained: (k,) bool, which of the points given lie on this model, as near as the scan's noise allows.
    """

    known: Known
    at: tuple[float, float, float]
    turn: float
    residual: float
    runner_up: float | None
    sure: bool
    place: float
    facing: float
    explained: Flags


@dataclass(frozen=True, eq=False)
class Candidate:
    """A known model at one pose, and how well the two explain each other.

    Attributes:
        known: the model.
        fit: its pose.
        explained: the distances both ways.
        cost: from 0, everything explained exactly, to 1, nothing explained.
    """

    known: Known
    fit: Fit
    explained: Explained
    cost: float


def match(
    points: Floats,
    normals: Floats | None,
    known: Sequence[Known],
    disc: Disc | None = None,
    ground: float = 0.0,
    noise: float = 0.5,
    spacing: float | None = None,
) -> Match | None:
    """The known model that a scanned piece most probably is, and whether that is sure.

    Args:
        points: (k, 3) mm on the table, z up, of one piece, its base included.
        normals: (k, 3) unit vectors out of the surface, or None where they are not known.
        known: the models to look for.
        disc: the base that was found, or None where none was.
        ground: mm, z of what the piece stands on.
        noise: mm, standard deviation of the scan's points.
        spacing: mm between neighbouring points; None measures it.

    Returns:
        The best match, sure or not; None where there are too few points, or no model whose base has that size.

    >>> match(np.empty((0, 3)), None, []) is None
    True
    """
    if len(points) < FEWEST_POINTS:
        return None
    scanned = scanned_piece(points, normals, disc, ground, noise, spacing)
    candidates = [pose for model in known if _base_agrees(model, disc) for pose in _candidates(model, scanned)]
    if not candidates:
        return None
    candidates.sort(key=lambda candidate: candidate.cost)
    best = candidates[0]
    others = [other for other in candidates if other.known.model.mesh.digest != best.known.model.mesh.digest]
    residual = _residual(best, scanned)
    pose, covariance = best.fit.pose, best.fit.covariance
    at = scanned.origin + np.array([pose.x, pose.y, 0.0])
    return Match(
        best.known,
        (float(at[0]), float(at[1]), float(at[2])),
        float(np.degrees(pose.yaw)) % 360.0,
        residual,
        _residual(others[0], scanned) if others else None,
        _is_sure(best, candidates[1:], scanned),
        float(np.sqrt(np.trace(covariance[:2, :2]) / 2.0)),
        float(np.degrees(np.sqrt(covariance[3, 3]))),
        best.explained.forward <= _tolerance(scanned),
    )


def scanned_piece(
    points: Floats, normals: Floats | None, disc: Disc | None, ground: float, noise: float, spacing: float | None
) -> Scanned:
    """A piece as registration needs it, with the origin at its base, or at the middle of the box round it."""
    if spacing is None:
        spacing = point_spacing(points)
    if disc is not None:
        x, y = disc.centre
    else:
        x, y = (points[:, :2].min(axis=0) + points[:, :2].max(axis=0)) / 2.0
    origin = np.array([x, y, ground])
    foot = max(1.5 * spacing, 3.0 * noise, 0.8)
    slack = max(0.5, noise, 0.0 if disc is None else disc.error)
    return Scanned(points - origin, normals, origin, spacing, noise, foot, disc is not None, slack)


def point_spacing(points: Floats) -> float:
    """The median distance from a point (k, 3) to its nearest neighbour, mm."""
    from scipy.spatial import cKDTree

    some = points[:: max(1, len(points) // 2000)]
    return float(np.median(cKDTree(points).query(some, k=2)[0][:, 1]))


def _base_agrees(known: Known, disc: Disc | None) -> bool:
    """Whether a model may stand on a base as measured: 25 mm may be measured as 27, but not as 32."""
    if disc is None or known.model.base is None:
        return True
    slack = max(2.5, 3.0 * disc.error, 0.1 * known.model.base.diameter)
    return abs(known.model.base.diameter - disc.diameter) <= slack


def _candidates(known: Known, scanned: Scanned) -> list[Candidate]:
    surface = known.surface
    candidates = []
    for _, start in coarse_poses(surface, scanned, YAW_STEP, STARTS):
        fit = refine(surface, scanned, start, max(2.0, surface.reach * np.radians(YAW_STEP)))
        explained = explain(surface, scanned, fit.pose)
        candidates.append(Candidate(known, fit, explained, _mean_cost(explained, scanned)))
    return candidates


def _tolerance(scanned: Scanned) -> float:
    """mm: a point that lies farther from a surface than this is not on it; scans round edges off by one step or two."""
    return max(3.0 * scanned.noise, 1.5 * scanned.spacing, 1.0)


def _mean_cost(explained: Explained, scanned: Scanned) -> float:
    """The mean of a bounded cost of the distances, both ways (Geman and McClure 1987)."""
    scale = (_tolerance(scanned) / 1.5) ** 2
    forward = explained.forward[scanned.body] ** 2
    backward = explained.backward**2
    one = float(np.mean(forward / (forward + scale))) if len(forward) else 1.0
    other = float(np.average(backward / (backward + scale), weights=explained.weights)) if len(backward) else 1.0
    return (one + other) / 2.0


def _residual(candidate: Candidate, scanned: Scanned) -> float:
    forward = candidate.explained.forward[scanned.body]
    return float(np.sqrt(np.mean(forward**2))) if len(forward) else 0.0


def _is_sure(best: Candidate, others: Sequence[Candidate], scanned: Scanned) -> bool:
    tolerance = _tolerance(scanned)
    seen = float(np.mean(best.explained.forward[scanned.body] <= tolerance))
    shown = float(np.average(best.explained.backward <= tolerance, weights=best.explained.weights))
    rival = min((other.cost for other in others if not _same_pose(best, other)), default=1.0)
    return seen >= 0.95 and shown >= 0.9 and rival >= 1.5 * best.cost + 0.02


def _same_pose(one: Candidate, other: Candidate) -> bool:
    """Whether two candidates are the same model at the same place: two starts that led to one pose."""
    if one.known is not other.known:
        return False
    a, b = one.fit.pose, other.fit.pose
    turned = (a.yaw - b.yaw + np.pi) % (2.0 * np.pi) - np.pi
    return bool(abs(turned) < np.radians(3.0) and np.hypot(a.x - b.x, a.y - b.y) < 1.0)


def placed(at: tuple[float, float, float], turn: float) -> Upright:
    """The pose of a match on the table."""
    return Upright(*at, float(np.radians(turn)))
