"""SCAN: how good a model's pose is: what of the scan it explains, and what of the model the scan shows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from silhouette.common.geometry import Floats, components
from silhouette.scans.known import Known
from silhouette.scans.poses import Upright
from silhouette.scans.registration import Explained, Scanned, to_model
from silhouette.scans.visible import Surface

LEAST_TOLERANCE = 0.9
"""mm: scans of tables are fused from pictures in cells of a millimetre or more, and round edges off by one of them."""

PATCH = 4.0  # the mm over which the slow errors of a scan reach: what lies nearer to each other is wrong together

OPEN = 0.25
"""Where less than this share of all cameras looks, a scan shows what was fused from a few pictures, or invented."""


@dataclass(frozen=True, eq=False)
class Quality:
    """How good a pose is."""

    cost: float  # from 0, where everything fits exactly, to 1, where nothing does
    residual: float  # mm, root mean square of the distances from the scanned points to the model
    tolerance: float  # mm, within which a point counts as explained
    unexplained: float  # share of the scanned points that lie farther from the model, in places that cameras see
    unexplained_patch: float  # mm2, the largest connected patch of them
    unseen: float  # share of what a camera sees of the model that lies farther from the scan, thin walls left out
    unseen_patch: float  # mm2, the largest connected patch of it
    forward: Floats  # (n,) what each scanned point above the foot costs, from 0 to 1
    backward: Floats  # (m,) what each point of the model costs


def cost_of(explained: Explained, scanned: Scanned, noise: float) -> tuple[float, Floats, Floats]:
    """The cost of a pose from 0 to 1, and those of each scanned point (n,) and of each point of the model (m,).

    A point costs from 0 to 1 by its distance and the turn of its normal (Geman and McClure 1987): what does not belong
    to the model costs no more the farther away it is. Half is reached at twice the noise, or at 45 degrees.
    """
    scale = float(np.sqrt((2.0 * noise) ** 2 + (0.6 * scanned.spacing) ** 2 + (0.5 * LEAST_TOLERANCE) ** 2))
    forward = _cost(explained.forward, explained.forward_turn, scale)
    backward = _cost(explained.backward, explained.backward_turn, scale)
    total = max(float(explained.weights.sum()), 1e-9)
    mean = (float(forward.mean()) + float((explained.weights * backward).sum()) / total) / 2.0
    return mean, forward, backward


def quality(known: Known, explained: Explained, scanned: Scanned, pose: Upright, noise: float) -> Quality:
    """How good a pose of a model is, for a scan with that noise (mm)."""
    surface = known.surface
    cost, forward, backward = cost_of(explained, scanned, noise)
    tolerance = float(max(3.0 * noise, scanned.spacing, LEAST_TOLERANCE))
    points = scanned.points[explained.chosen]
    counts = np.ones(len(points), dtype=np.bool_)
    if scanned.several:
        base = known.model.base
        reach = surface.reach if base is None else base.diameter / 2.0
        counts = np.hypot(points[:, 0] - pose.x, points[:, 1] - pose.y) <= reach
    odd = ((explained.forward > tolerance) & counts).nonzero()[0]
    odd = odd[surface.openness_at(pose.localise(points[odd])) >= OPEN]
    thick = ~surface.thin(max(scanned.spacing, LEAST_TOLERANCE), explained.counted)
    weights = explained.weights * (thick & (explained.weights >= OPEN))
    lost = explained.backward > tolerance
    open_lost = surface.points[explained.counted[lost & (weights > 0.0)]]
    step = surface.spacing * np.sqrt(len(surface.points) / max(1, explained.taken))
    return Quality(
        cost,
        float(np.sqrt(np.mean(explained.forward[counts] ** 2))) if counts.any() else 0.0,
        tolerance,
        len(odd) / max(1, int(counts.sum())),
        _largest_patch(points[odd], scanned.spacing),
        float(weights[lost].sum()) / max(float(weights.sum()), 1e-9),
        _largest_patch(open_lost, step),
        forward,
        backward,
    )


def _cost(apart: Floats, turn: Floats, scale: float) -> Floats:
    square = (apart / scale) ** 2 + turn / 0.3
    cost: Floats = square / (1.0 + square)
    return cost


def _largest_patch(points: Floats, spacing: float) -> float:
    """mm2 of the largest of the patches that points (n, 3) form which lie about ``spacing`` mm apart."""

    if len(points) < 2:
        return len(points) * spacing**2
    pairs = scipy.spatial.cKDTree(points).query_pairs(2.2 * spacing, output_type="ndarray")
    return float(np.bincount(components(pairs, len(points))).max()) * spacing**2


def is_alike(surface: Surface, one: Upright, other: Upright, tolerance: float) -> bool:
    """Whether a model looks the same in two poses: all but a fiftieth of it lies on it as it stands in the other."""
    points = other.place(surface.points[surface.sparse])
    weights = surface.openness[surface.sparse]
    apart = to_model(surface, one, points) > tolerance
    return bool(weights[apart].sum() <= 0.02 * weights.sum())


def doubt_between(best: Quality, other: Quality, explained: Explained, scanned: Scanned) -> float:
    """The difference in cost of two poses of one model, in standard deviations of it.

    Both are costs of the same points, whose differences are summed over patches within which errors are alike.

    Args:
        best: the quality of the one pose.
        other: of the other.
        explained: by the first; it counts the points of the model, and so does the other.
        scanned: the piece.
    """
    points = scanned.points[explained.chosen]
    cells = np.floor(points / PATCH).astype(np.int64)
    _, patch = np.unique(cells, axis=0, return_inverse=True)
    apart = other.forward - best.forward
    mean = float(apart.mean())
    sums = np.bincount(patch.ravel(), weights=apart - mean)
    return mean / max(float(np.sqrt((sums**2).sum())) / len(apart), 1e-9)
