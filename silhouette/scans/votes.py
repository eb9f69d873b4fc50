"""SCALE: what known models that stand on a scan say of its scale.

The scale of a scan, from known models that stand in it.

The scale of a scan by known models: pieces that stand apart, and the scales that are worth trying on them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import ndimage

from silhouette.common.geometry import Flags, Floats
from silhouette.scans.match import FEWEST_POINTS, PATCH, Candidate, cost_of, doubt, is_alike, quality, scanned_piece
from silhouette.scans.models import Known, Upright
from silhouette.scans.registration import Fit, Scanned, coarse_poses, explain, paired

# ---- known scale

OFF = 0.1
"""As a share, how far a model's height may be from the piece's at a scale that is tried: scans lose thin tops, and the
scales that bases tell are 2 % off."""

AGREE = 0.015  # as a share, how far the scales of two pieces may be apart and mean the same one
LEAST_ERROR = 0.002  # as a share: the scans themselves are not better than this
ROUNDED_STEP_SHARE, UNEVEN_STEP_SHARE = 0.18, 0.14
"""Scans round edges off, so that models are measured too small: by the first as a share of the spacing of points, over
the size of the model. On 15 scans of 1.5 to 4.9 mm what was left had a standard deviation of the second. One scan errs
alike in all of its figures, so that more of them are no more exact."""
MEASURED = 3  # the number of figures on which a scale is measured that is all but known
FINALISTS = 4  # the number of poses of models that are refined for each piece and scale

FLAT = 0.8
"""The least cosine between the normals of scan and model where scales are measured: scans round edges off, which makes
things smaller, and edges have other normals then."""

ROUNDS = 25  # the rounds of the refinement with the scale, which moves more slowly than that of a pose alone


@dataclass(frozen=True)
class ScaleMatch:
    """The scale at which known models fit what was scanned."""

    mm: float  # per unit of the file
    error: float  # its standard deviation as a share of it
    sure: bool  # whether two pieces agree on it, or one that leaves no doubt
    models: tuple[str, ...]  # paths of the models that were found


@dataclass(frozen=True, eq=False)
class StandingModel:
    """A known figure that stands on a scan at some scale."""

    known: Known
    points: Floats  # (k, 3) mm at that scale, its own, from its origin on
    yaw: float  # radians, how far it is turned
    sure: bool  # whether it is that one beyond doubt


@dataclass(frozen=True, eq=False)
class _Scaled:
    """A model at a pose on a piece at a scale, which is ``mm`` per unit, with its standard deviation as a share."""

    mm: float
    error: float
    candidate: Candidate
    scanned: Scanned


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
    tried: list[list[_Scaled]] = [[] for _ in blobs]
    sure: list[_Scaled] = []
    for mm in hypotheses:
        for number, blob in enumerate(blobs):
            tried[number] += _fitted(blob, known, mm, noise)
        sure = _agreeing([best for entries in tried if (best := _clear(entries)) is not None])
        if len(sure) > 1 and _is_telling(sure):
            break
    every = sorted((one for entries in tried for one in entries), key=lambda one: one.candidate.quality.cost)
    if not every:
        return None
    if not sure:
        least = every[0]
        return ScaleMatch(least.mm, max(least.error, 0.02), False, (least.candidate.known.path,))
    weights = np.array([1.0 / max(one.error, LEAST_ERROR) ** 2 for one in sure])
    mm = float(np.exp((weights * np.log([one.mm for one in sure])).sum() / weights.sum()))
    error = float(np.hypot(max(float(weights.sum() ** -0.5), LEAST_ERROR), _uneven(sure)))
    contradicted = sum(_clear(entries) is not None for entries in tried) > len(sure)
    paths = tuple(dict.fromkeys(one.candidate.known.path for one in sure))
    return ScaleMatch(mm, error, _is_telling(sure) and (len(sure) > 1 or not contradicted), paths)


def drift(standing: Sequence[StandingModel], noise: float) -> ScaleMatch | None:
    """The scale, as a ratio to the one at which they were found, of known figures; None where none is sure.

    Args:
        standing: of which the first three that are sure are measured.
        noise: mm, standard deviation of the scan's points.

    >>> drift([], 0.3) is None
    True
    """
    measured = []
    for each in [each for each in standing if each.sure and len(each.points) >= FEWEST_POINTS][:MEASURED]:
        scanned = scanned_piece(each.points, None, None, 0.0, noise)
        start = Upright(-float(scanned.origin[0]), -float(scanned.origin[1]), 0.0, each.yaw)
        measured.append(_refined(each.known, scanned, start, each.points, 1.0, noise))
    if not measured:
        return None
    weights = np.array([1.0 / max(each.error, LEAST_ERROR) ** 2 for each in measured])
    mm = float(np.exp((weights * np.log([each.mm for each in measured])).sum() / weights.sum()))
    paths = tuple(dict.fromkeys(each.candidate.known.path for each in measured))
    error = float(np.hypot(max(float(weights.sum() ** -0.5), LEAST_ERROR), _uneven(measured)))
    return ScaleMatch(mm, error, True, paths)


def _agreeing(clear: Sequence[_Scaled]) -> list[_Scaled]:
    """The most pieces that agree on a scale."""
    groups = [[one for one in clear if abs(np.log(one.mm / other.mm)) <= AGREE] for other in clear]
    return max(groups, key=len, default=[])


def _is_telling(group: Sequence[_Scaled]) -> bool:
    """Whether the models of pieces tell a scale: two boxes of one shape fit another box at some scale or other."""
    return len({one.candidate.known for one in group}) > 1 or any(not _is_plain(one) for one in group)


def _fitted(blob: Floats, models: Sequence[Known], mm: float, noise: float) -> list[_Scaled]:
    """The models of about the size of a piece at a scale, each where it fits best: a quick look, then the best."""
    if len(blob) < FEWEST_POINTS:
        return []
    tall = max(float(blob[:, 2].max()) * mm, 1e-9)
    fitting = [one for one in models if abs(np.log(one.model.mesh.bounds[1, 2] / tall)) <= OFF]
    scanned = scanned_piece(blob * mm, None, None, 0.0, noise * mm)
    if not fitting or np.count_nonzero(scanned.body) < FEWEST_POINTS:
        return []
    quick = [
        (cost_of(explain(one.surface, scanned, start, 600), scanned, max(scanned.noise, 0.5))[0], number, start)
        for number, one in enumerate(fitting)
        for _, start in coarse_poses(one.surface, scanned, 5.0, 2)
    ]
    best = sorted(quick, key=lambda entry: entry[0])[:FINALISTS]
    return [_refined(fitting[number], scanned, start, blob, mm, noise) for _, number, start in best]


def _clear(entries: Sequence[_Scaled]) -> _Scaled | None:
    """The best of what was tried on a piece, where nothing speaks against it."""
    if not entries:
        return None
    best = min(entries, key=lambda entry: entry.candidate.quality.cost)
    others = [entry.candidate for entry in entries if entry is not best and not _is_same(best, entry)]
    return None if doubt(best.candidate, others, best.scanned) else best


def _is_same(one: _Scaled, other: _Scaled) -> bool:
    """Whether two are one and the same, reached from two scales."""
    return (
        one.candidate.known is other.candidate.known
        and abs(np.log(one.mm / other.mm)) <= AGREE
        and one.candidate.fit.pose.turned_from(other.candidate.fit.pose) < np.radians(5.0)
    )


def _refined(known: Known, scanned: Scanned, start: Upright, blob: Floats, mm: float, noise: float) -> _Scaled:
    """The pose and the scale at which a model fits best, near those given; point-to-plane as `registration` does."""
    surface = known.surface
    chosen = scanned.chosen(1500)
    points, normals = scanned.points[chosen], scanned.normals[chosen]
    pose, grown, system = start, 1.0, np.eye(5)
    least = max(3.0 * scanned.noise, 1.0)
    reach = max(2.0, 0.05 * surface.reach + 0.05 * float(surface.points[:, 2].max()))
    for number in range(ROUNDS):
        gate = max(least, reach * 0.85**number)
        like = 0.0 if gate > least else FLAT
        rows, apart, weight = paired(surface, scanned, pose, points * grown, normals, gate, like)
        along = np.einsum("ij,ij->i", rows[:, :3], points * grown)
        rows = np.column_stack([rows, -along])
        system = (rows * weight[:, None]).T @ rows
        right = rows.T @ (weight * apart)
        # It stands on its ground. If it could sink, lost tops would be taken for a lower place, and rounded sides for
        # a smaller scale; as it is, the one makes up for the other.
        prior = np.array([0.0, 0.0, 1e6, 0.0, 0.0])
        system[np.diag_indices(5)] += prior + 1e-9
        right -= prior * (0.0, 0.0, pose.z, 0.0, 0.0)
        delta = np.linalg.solve(system, right)
        delta *= min(1.0, gate / max(float(np.abs(delta[:3]).max()), 1e-12), 0.03 / max(abs(float(delta[4])), 1e-12))
        pose = Upright(pose.x + delta[0], pose.y + delta[1], pose.z + delta[2], pose.yaw + delta[3])
        grown = float(np.clip(grown * np.exp(delta[4]), 0.85, 1.18))
        if abs(delta[4]) < 1e-4 and gate == least:
            break
    final = scanned_piece(blob * mm * grown, None, None, 0.0, noise * mm * grown)
    explained = explain(surface, final, pose, 3000)
    scatter = min(1.48 * float(np.median(explained.forward)), max(2.0 * final.noise, 0.8))
    own = quality(known, explained, final, pose, scatter)
    covariance = (
        np.linalg.inv(system).astype(np.float64) * max(scatter, 0.1) ** 2 * max(1.0, (PATCH / final.spacing) ** 2)
    )
    candidate = Candidate(known, Fit(pose, covariance[:4, :4]), explained, own, scatter)
    # What is rounded off is not seen in the residuals.
    rounded = 1.0 + ROUNDED_STEP_SHARE * _step_share(final)
    return _Scaled(mm * grown / rounded, float(np.sqrt(covariance[4, 4])), candidate, final)


def _step_share(scanned: Scanned) -> float:
    """The spacing of points as a share of the size of a piece."""
    return scanned.spacing / float(np.ptp(scanned.points, axis=0).max())


def _uneven(measured: Sequence[_Scaled]) -> float:
    """The standard deviation, as a share, of what a scan does to all of its pieces alike."""
    return UNEVEN_STEP_SHARE * float(np.median([_step_share(each.scanned) for each in measured]))


def _is_plain(one: _Scaled) -> bool:
    """Whether a model looks the same turned by a right angle or by two, as boxes and drums do."""
    surface, tolerance = one.candidate.known.surface, one.candidate.quality.tolerance
    straight = Upright(0.0, 0.0, 0.0, 0.0)
    return any(is_alike(surface, straight, Upright(0.0, 0.0, 0.0, turn), tolerance) for turn in (np.pi / 2.0, np.pi))


# ---- model votes

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
