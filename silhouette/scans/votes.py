"""SCALE: what known models that stand on a scan say of its scale.

Pieces that stand apart are compared with the models of about their height, at the scales that are worth trying, each
as much larger or smaller as it fits best; pieces of which a model is beyond doubt and that agree have found the scale.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import ndimage

from silhouette.common.geometry import Flags, Floats
from silhouette.scans.identify import Surroundings
from silhouette.scans.match import FEWEST_POINTS, PATCH, Candidate, doubt, is_alike, ranked_poses, scanned_piece
from silhouette.scans.models import KnownModel, Upright
from silhouette.scans.registration import Scanned, explain, refine

HEIGHT_TOLERANCE = 0.1
"""As a share, how far a model's height may be from the piece's at a scale that is tried: scans lose thin tops, and the
scales that bases tell are 2 % off."""

FIRST_HEIGHT_TOLERANCE = 0.08  # the same where pieces and models are chosen
VOTES_AGREEMENT = 0.015  # as a share, how far the scales of two pieces may be apart and mean the same one
LEAST_ERROR = 0.002  # as a share: the scans themselves are not better than this
ROUNDED_STEP_SHARE, UNEVEN_STEP_SHARE = 0.18, 0.14
"""Scans round edges off, so that models are measured too small: by the first as a share of the spacing of points, over
the size of the model. On 15 scans of 1.5 to 4.9 mm what was left had a standard deviation of the second. One scan errs
alike in all of its figures, so that more of them are no more exact."""
MEASURED_FIGURES = 3  # the number of figures on which a scale is measured that is all but known
REFINED_POSES = 4  # the number of poses of models that are refined for each piece and scale
REFINEMENT_ROUNDS = 25  # the rounds of that

PIECES = 5
"""On how many pieces models are tried: two that agree leave no doubt, some may be of no model, more are more exact."""

SCALES = 8  # how many scales are tried at most


@dataclass(frozen=True)
class ScaleMatch:
    """The scale at which known models fit what was scanned."""

    mm: float  # per unit of the file
    error: float  # its standard deviation as a share of it
    models: tuple[str, ...]  # paths of the models that were found
    step_share: float = 0.0  # the spacing of points as a share of the size of the pieces

    def unrounded(self) -> ScaleMatch:
        """What it is on a surface that was fused from pictures, which rounds edges off, as no residual shows.

        >>> round(ScaleMatch(1.01, 0.004, (), 0.05).unrounded().mm, 6)
        1.000991
        """
        return replace(self, mm=self.mm / (1.0 + ROUNDED_STEP_SHARE * self.step_share))


@dataclass(frozen=True, eq=False)
class _Vote:
    """A model on a piece at the scale at which it fits best."""

    mm: float  # per unit of the file
    error: float  # its standard deviation as a share of it
    candidate: Candidate


def drift(around: Surroundings) -> ScaleMatch | None:
    """The scale, as a ratio to the one at which they were found, of known figures; None where none is sure."""
    votes = []
    sure = [figure for figure in around.figures if figure.match.sure and len(figure.points) >= FEWEST_POINTS]
    for figure in sure[:MEASURED_FIGURES]:
        points = around.points[figure.points] - [*figure.match.at[:2], figure.disc.ground]
        scanned = scanned_piece(points, None, None, 0.0, around.noise)
        start = Upright(-float(scanned.origin[0]), -float(scanned.origin[1]), 0.0, math.radians(figure.match.turn))
        votes.append(_vote(figure.match.known_model, scanned, start, points, 1.0, around.noise))
    return _mean(votes)


def scale_by_models(
    points: Floats,
    usable: Flags,
    spacing: float,
    noise: float,
    models: Sequence[KnownModel],
    hypotheses: Sequence[float],
    most: int = PIECES,
) -> ScaleMatch | None:
    """The scale at which known models fit pieces of a scan beyond doubt, or None.

    Args:
        points: (n, 3) levelled, in the file's unit, as are the median distance between neighbours and the noise.
        usable: (n,) bool, which of them to look at: on and over the table.
        hypotheses: mm per unit, the likeliest first; where there are none, heights of pieces and models tell which.
        most: on so many pieces models are tried.
    """
    if not models:
        return None
    pieces = pieces_apart(points[usable], spacing, noise)
    heights = [max(float(np.ptp(model.model.mesh.vertices[:, 2])), 1e-3) for model in models]
    tall = np.array([float(piece[:, 2].max()) for piece in pieces])
    # Scales within 5 % of an earlier one are not tried: each is refined by more than that.
    scales: list[float] = []
    for mm in list(hypotheses) or [height / top for height in heights for top in tall]:
        if all(abs(math.log(mm / other)) > 0.05 for other in scales):
            scales.append(mm)
    scales = scales[:SCALES]
    # A piece that has no model's height at any scale is of none, and a model of no piece's height is not tried.
    # (height, scale, piece)
    fits = (
        np.abs(np.log(np.multiply.outer(scales, tall))[None] - np.log(heights)[:, None, None]) < FIRST_HEIGHT_TOLERANCE
    )
    chosen = np.flatnonzero(fits.any(axis=(0, 1)))[:most]
    fitting = [
        model for model, is_fitting in zip(models, fits[:, :, chosen].any(axis=(1, 2)), strict=True) if is_fitting
    ]
    return match_scale([pieces[k] for k in chosen], fitting, scales, noise)


def match_scale(
    pieces: Sequence[Floats], models: Sequence[KnownModel], hypotheses: Sequence[float], noise: float
) -> ScaleMatch | None:
    """The scale at which known models fit pieces beyond doubt, or None: two that agree, or a single one.

    Each piece is its points (k, 3), in units of the file, as is their noise, standing upright on z = 0. The hypotheses
    are mm per unit, and are refined by up to 10 %.

    >>> match_scale([], [], [1.0], 0.5) is None
    True
    """
    votes: list[list[_Vote]] = [[] for _ in pieces]
    clear: list[_Vote] = []
    largest: list[_Vote] = []
    for mm in hypotheses:
        for own, piece in zip(votes, pieces, strict=True):
            own += _votes(piece, models, mm, noise)
        clear = [best for own in votes for best in _clear(own)]
        largest = max(([vote for vote in clear if _agree(vote, other)] for other in clear), key=len, default=[])
        if len(largest) > 1 and _is_telling(largest):
            return _mean(largest)
    return _mean(largest) if len(clear) == 1 and _is_telling(largest) else None


def _votes(piece: Floats, models: Sequence[KnownModel], mm: float, noise: float) -> list[_Vote]:
    """The models of about the size of a piece at a scale, each where it fits best: a quick look, then the best."""
    if len(piece) < FEWEST_POINTS:
        return []
    tall = max(float(piece[:, 2].max()) * mm, 1e-9)
    fitting = [model for model in models if abs(math.log(model.model.mesh.bounds[1, 2] / tall)) <= HEIGHT_TOLERANCE]
    scanned = scanned_piece(piece * mm, None, None, 0.0, noise * mm)
    if not fitting or np.count_nonzero(scanned.body) < FEWEST_POINTS:
        return []
    best = ranked_poses(fitting, scanned, 2, max(scanned.noise, 0.5))[:REFINED_POSES]
    return [_vote(model, scanned, start, piece, mm, noise) for model, start in best]


def _vote(known_model: KnownModel, scanned: Scanned, start: Upright, piece: Floats, mm: float, noise: float) -> _Vote:
    """A model where it fits a piece best, near a pose and a scale."""
    surface = known_model.surface
    reach = max(2.0, 0.05 * surface.reach + 0.05 * float(surface.points[:, 2].max()))
    fit = refine(surface, scanned, start, reach, REFINEMENT_ROUNDS, 1500, grows=True)
    best = scanned_piece(piece * mm * fit.growth, None, None, 0.0, noise * mm * fit.growth)
    explained = explain(surface, best, fit.pose, 3000)
    scatter = min(1.48 * float(np.median(explained.forward)), max(2.0 * best.noise, 0.8))
    deviation = math.sqrt(fit.covariance[4, 4]) / max(scanned.noise, 0.1)
    deviation *= max(scatter, 0.1) * max(1.0, PATCH / best.spacing)
    return _Vote(mm * fit.growth, deviation, Candidate(known_model, fit, best, explained, scatter))


def _clear(votes: Sequence[_Vote]) -> list[_Vote]:
    """The best vote of a piece, where nothing speaks against it; those for it may come from other scales."""
    best = min(votes, key=lambda vote: vote.candidate.quality.cost, default=None)
    if best is None:
        return []
    known_model, pose = best.candidate.known_model, best.candidate.fit.pose
    others = [
        vote.candidate
        for vote in votes
        if vote.candidate.known_model is not known_model
        or not _agree(vote, best)
        or pose.turned_from(vote.candidate.fit.pose) >= math.radians(5.0)
    ]
    return [] if doubt(best.candidate, others) else [best]


def _agree(vote: _Vote, other: _Vote) -> bool:
    return abs(math.log(vote.mm / other.mm)) <= VOTES_AGREEMENT


def _mean(votes: Sequence[_Vote]) -> ScaleMatch | None:
    """The scale of votes that agree, each by its error; None for none."""
    if not votes:
        return None
    weights = np.array([1.0 / max(vote.error, LEAST_ERROR) ** 2 for vote in votes])
    mm = float(np.exp((weights * np.log([vote.mm for vote in votes])).sum() / weights.sum()))
    paths = tuple(dict.fromkeys(vote.candidate.known_model.path for vote in votes))
    pieces = [vote.candidate.scanned for vote in votes]
    step_share = float(np.median([piece.spacing / np.ptp(piece.points, axis=0).max() for piece in pieces]))
    # What a scan does to all of its pieces alike.
    error = math.hypot(max(float(weights.sum() ** -0.5), LEAST_ERROR), UNEVEN_STEP_SHARE * step_share)
    return ScaleMatch(mm, error, paths, step_share)


def _is_telling(votes: Sequence[_Vote]) -> bool:
    """Whether the models of pieces tell a scale: two boxes of one shape fit another box at some scale or other."""
    return len({vote.candidate.known_model for vote in votes}) > 1 or any(not _is_plain(vote) for vote in votes)


def _is_plain(vote: _Vote) -> bool:
    """Whether a model looks the same turned by a right angle or by two, as boxes and drums do."""
    surface, straight = vote.candidate.known_model.surface, Upright(0.0, 0.0, 0.0, 0.0)
    turned = (Upright(0.0, 0.0, 0.0, turn) for turn in (math.pi / 2.0, math.pi))
    return any(is_alike(surface, straight, pose, vote.candidate.quality.tolerance) for pose in turned)


def pieces_apart(points: Floats, spacing: float, noise: float) -> list[Floats]:
    """The points (k, 3) of each piece that stands apart on z = 0, down to the table; the tallest for its width first.

    Pieces of fewer than `FEWEST_POINTS` tell nothing. What is tall and narrow is likely to be a figure, and there are
    more models of figures than of terrain.

    >>> pieces_apart(np.zeros((0, 3)), 1.0, 0.1)
    []
    """
    foot, pixel = max(4 * noise, 1.5 * spacing), 2 * spacing
    up = points[:, 2] > foot
    if not up.any():
        return []
    low = points[up, :2].min(axis=0) - 2 * pixel
    shape = np.minimum(np.ptp(points[up, :2], axis=0) / pixel + 5, 4000).astype(np.int64)
    # What lies beside that, or too far away for a picture, is at its rim, where nothing is.
    cells = np.clip(np.floor((points[:, :2] - low) / pixel), 0, shape - 1).astype(np.int64)
    up &= (cells < shape - 1).all(axis=1)
    picture = np.zeros(shape, dtype=bool)
    picture[tuple(cells[up].T)] = True
    number = ndimage.label(picture, np.ones((3, 3)))[0][tuple(cells.T)]
    number[points[:, 2] <= 0.5 * foot] = 0
    order = np.argsort(number, kind="stable")
    pieces = np.split(points[order], np.flatnonzero(np.diff(number[order])) + 1)[1 if (number == 0).any() else 0 :]
    large = [piece for piece in pieces if len(piece) >= FEWEST_POINTS]
    return sorted(large, key=lambda piece: -piece[:, 2].max() / (np.ptp(piece[:, :2], axis=0).max() + 1e-300))
