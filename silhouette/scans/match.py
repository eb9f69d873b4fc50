"""MATCH: which known model a scanned piece is, where it stands and how far it is turned, and how sure that is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import scipy

from silhouette.common.geometry import Flags, Floats, components
from silhouette.common.lazy import cached_property
from silhouette.scans.bases import Disc
from silhouette.scans.models import KnownModel, Upright, VisibleSurface
from silhouette.scans.registration import Explained, Fit, Scanned, coarse_poses, explain, refine, to_model
from silhouette.scans.surface import vertex_normals

# ---- quality

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


def cost_of(explained: Explained, scanned: Scanned, noise: float) -> tuple[float, Floats]:
    """The cost of a pose from 0 to 1, and that of each scanned point (n,).

    A point costs from 0 to 1 by its distance and the turn of its normal (Geman and McClure 1987): what does not belong
    to the model costs no more the farther away it is. Half is reached at twice the noise, or at 45 degrees.
    """
    scale = float(np.sqrt((2.0 * noise) ** 2 + (0.6 * scanned.spacing) ** 2 + (0.5 * LEAST_TOLERANCE) ** 2))
    forward = _cost(explained.forward, explained.forward_turn, scale)
    backward = _cost(explained.backward, explained.backward_turn, scale)
    total = max(float(explained.weights.sum()), 1e-9)
    mean = (float(forward.mean()) + float((explained.weights * backward).sum()) / total) / 2.0
    return mean, forward


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


def is_alike(surface: VisibleSurface, pose: Upright, other: Upright, tolerance: float) -> bool:
    """Whether a model looks the same in two poses.

    It does where all but a fiftieth of it in the one pose lies within ``tolerance`` mm of it in the other.
    """
    points = other.place(surface.points[surface.sparse])
    weights = surface.openness[surface.sparse]
    apart = to_model(surface, pose, points)[0] > tolerance
    return bool(weights[apart].sum() <= 0.02 * weights.sum())


# ---- matching

FEWEST_POINTS = 40  # with fewer points a piece has no shape to tell
YAW_STEP = 5.0  # degrees of the coarse search: at the rim of a base of 25 mm the next yaw is 1.1 mm away
STARTS = 3  # the number of the best coarse poses of each model that are refined on a few points
FINALISTS = 8  # the number of the best poses of all models that are refined on all points, and compared

SAME_SIDE = 30.0
"""Degrees: a turn that is in more doubt than this comes from another side that looks alike, not from noise."""

MOST_NOISE = 0.8
"""The mm by which points scatter about the right model at thin and rough parts, even where the table is smooth. What
scatters more, and more than twice as much as the table, does not lie on the model."""

TURN_SPREAD, TURN_PER_SPACING = 1.3, 0.55
"""How many times wider turns spread than residuals tell, and the degrees by which a fused surface is turned for each mm
between its points. Of 83 sure figures on 34 scans 57 were turned by less than one deviation without this, one by 4."""

SURELY, SURELY_ROUGH = 0.9, 0.3
"""mm, root mean square: a figure that fits worse is not beyond doubt, nor is one on a rough scan that fits worse than
the second over 0.9 of its noise. On coarse scans another model fitted to 1.5 mm, the right one to 0.6."""


@dataclass(frozen=True, eq=False)
class Match:
    """A known model at the place of a scanned piece."""

    known_model: KnownModel  # the model
    at: tuple[float, float, float]  # x, y, z in mm on the table of the model's origin
    turn: float  # degrees anticlockwise from how the mesh lies in its frame
    residual: float  # root mean square in mm of the distances from the scanned points to the model's surface
    runner_up: float | None  # the residual of the next best model, or None where no other has about that size
    sure: bool  # whether this is the right model in the right pose beyond reasonable doubt
    place: float  # mm, standard deviation of the place
    # Degrees, standard deviation of the turn; of a model that looks the same from several sides the angle between them,
    # with which ``has_front`` is false
    facing: float
    explained: Flags  # (k,) bool, which of the points given lie on this model, as near as the scan's noise allows
    why: str = ""  # what speaks against being sure, in a few words; empty where it is

    @property
    def name(self) -> str:
        """The name of its file without the ending, by which people call it."""
        return Path(self.known_model.path).stem

    @property
    def has_front(self) -> bool:
        """Whether it can be told which side is its front: not so where it looks the same from several sides."""
        return self.facing <= SAME_SIDE


@dataclass(frozen=True, eq=False)
class Candidate:
    """A known model at one pose on a piece."""

    known_model: KnownModel  # the model
    fit: Fit  # its pose
    scanned: Scanned  # the piece
    explained: Explained  # how the model and the scan explain each other there
    noise: float  # mm, of the scanned points about the model that fits best

    @cached_property
    def quality(self) -> Quality:
        """How good the pose is, for a scan with that noise."""
        surface, scanned, explained, pose = self.known_model.surface, self.scanned, self.explained, self.fit.pose
        cost, forward = cost_of(explained, scanned, self.noise)
        tolerance = float(max(3.0 * self.noise, scanned.spacing, LEAST_TOLERANCE))
        points = scanned.points[explained.chosen]
        counts = np.ones(len(points), dtype=np.bool_)
        if scanned.several:
            base = self.known_model.model.base
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
        )

    def is_like(self, other: Candidate) -> bool:
        """Whether the model looks the same at the pose of another one of it."""
        return is_alike(self.known_model.surface, self.fit.pose, other.fit.pose, self.quality.tolerance)

    def deviations_from(self, other: Candidate) -> float:
        """How much more another pose of the model costs, in standard deviations of that.

        Both are costs of the same points, whose differences are summed over patches within which errors are alike.
        """
        cells = np.floor(self.scanned.points[self.explained.chosen] / PATCH).astype(np.int64)
        _, patch = np.unique(cells, axis=0, return_inverse=True)
        apart = other.quality.forward - self.quality.forward
        mean = float(apart.mean())
        sums = np.bincount(patch.ravel(), weights=apart - mean)
        return mean / max(float(np.sqrt((sums**2).sum())) / len(apart), 1e-9)


def match(
    points: Floats,
    normals: Floats | None,
    models: Sequence[KnownModel],
    disc: Disc | None = None,
    ground: float = 0.0,
    noise: float = 0.5,
    several: bool = False,
) -> Match | None:
    """The known model that a scanned piece most probably is, and whether that is sure.

    None where there are too few points, or no model whose base has that size.

    Args:
        points: (k, 3) mm on the table, z up, of one piece, its base included.
        normals: (k, 3) unit vectors out of the surface, or None where they are not known.
        models: those to look for.
        disc: the base that was found, or None where none was.
        ground: mm, z of what the piece stands on.
        noise: mm, standard deviation of the scan's points.
        several: whether other pieces may have grown together with it: what the scan shows beyond the base of a model
            then speaks neither for it nor against it.

    >>> match(np.empty((0, 3)), None, []) is None
    True
    """
    if len(points) < FEWEST_POINTS:
        return None
    scanned = scanned_piece(points, normals, disc, ground, noise, several)
    if np.count_nonzero(scanned.body) < FEWEST_POINTS:
        return None
    finalists = _finalists(
        [model for model in models if _base_agrees(model, disc) and _size_agrees(model, scanned)], scanned
    )
    return _verdict(finalists, scanned) if finalists else None


def scanned_piece(
    points: Floats, normals: Floats | None, disc: Disc | None, ground: float, noise: float, several: bool = False
) -> Scanned:
    """A piece as registration needs it, with the origin at its base, or at the middle of the box round it."""
    spacing = point_spacing(points)
    x, y = (points[:, :2].min(axis=0) + points[:, :2].max(axis=0)) / 2.0 if disc is None else disc.centre
    origin = np.array([x, y, ground])
    foot = max(1.5 * spacing, 3.0 * noise, 0.8)
    slack = max(0.5, noise, 0.0 if disc is None else disc.error)
    moved = points - origin
    across = vertex_normals(moved, None, np.ones(len(moved), dtype=np.bool_), 12) if normals is None else normals
    return Scanned(moved, across, normals is not None, origin, spacing, noise, foot, disc is not None, slack, several)


def point_spacing(points: Floats) -> float:
    """The spacing in mm of points (k, 3) on a surface: the side of the square that each of them has to itself.

    Six neighbours lie within the circle that has room for six squares.
    """
    some = points[:: max(1, len(points) // 2000)]
    sixth = float(np.median(scipy.spatial.cKDTree(points).query(some, k=min(7, len(points)))[0][:, -1]))
    return sixth * float(np.sqrt(np.pi / 6.0))


def _base_agrees(entry: KnownModel, disc: Disc | None) -> bool:
    """Whether a model may stand on a base as measured: 25 mm may be measured as 27, but not as 32."""
    if disc is None or entry.model.base is None:
        return True
    slack = max(2.5, 3.0 * disc.error, 0.1 * entry.model.base.diameter)
    return abs(entry.model.base.diameter - disc.diameter) <= slack


def _size_agrees(entry: KnownModel, scanned: Scanned) -> bool:
    """Whether a model is not much larger than the piece: such a one would for the most part not be seen.

    A piece may well be larger than its model: it may have grown together with others.
    """
    low, high = entry.model.mesh.bounds
    extent = scanned.points.max(axis=0) - np.minimum(scanned.points.min(axis=0), [np.inf, np.inf, 0.0])
    across = float(np.hypot(*(high - low)[:2]))
    return bool(high[2] <= 1.25 * extent[2] + 5.0 and across <= 1.5 * np.hypot(*extent[:2]) + 5.0)


def ranked_poses(
    models: Sequence[KnownModel], scanned: Scanned, most: int, noise: float, rounds: int = 0
) -> list[tuple[KnownModel, Upright]]:
    """The best of all models' coarse poses by a quick look, best first: of each at most so many, refined in rounds."""
    quick: list[tuple[float, KnownModel, Upright]] = []
    for model in models:
        surface = model.surface
        reach = max(2.0, surface.reach * np.radians(YAW_STEP))
        for start in coarse_poses(surface, scanned, YAW_STEP, most):
            pose = refine(surface, scanned, start, reach, rounds, 400).pose if rounds else start
            quick.append((cost_of(explain(surface, scanned, pose, 600), scanned, noise)[0], model, pose))
    return [(model, pose) for _, model, pose in sorted(quick, key=lambda entry: entry[0])]


def _finalists(models: Sequence[KnownModel], scanned: Scanned) -> list[Candidate]:
    """The best poses of all models, best first: each from a few points, then those that look best from all."""
    chosen: list[Candidate] = []
    for model, start in ranked_poses(models, scanned, STARTS, scanned.noise, 6):
        if any(model is other.known_model and start.is_near(other.fit.pose) for other in chosen):
            continue
        fit = refine(model.surface, scanned, start, 1.0, 10, 2000)
        explained = explain(model.surface, scanned, fit.pose, 6000)
        chosen.append(Candidate(model, fit, scanned, explained, scanned.noise))
        if len(chosen) == FINALISTS:
            break
    noise = min((1.48 * float(np.median(each.explained.forward)) for each in chosen), default=scanned.noise)
    noise = min(noise, max(2.0 * scanned.noise, MOST_NOISE))
    return sorted((replace(each, noise=noise) for each in chosen), key=lambda candidate: candidate.quality.cost)


def _verdict(finalists: list[Candidate], scanned: Scanned) -> Match:
    best, *others = finalists
    digest, pose = best.known_model.model.mesh.digest, best.fit.pose
    x, y, z = (float(place) for place in scanned.origin + np.array([pose.x, pose.y, 0.0]))
    why = doubt(best, others)
    place, facing = _deviations(best, others)
    return Match(
        best.known_model,
        (x, y, z),
        float(np.degrees(pose.yaw)) % 360.0,
        best.quality.residual,
        next((other.quality.residual for other in others if other.known_model.model.mesh.digest != digest), None),
        not why,
        place,
        facing,
        to_model(best.known_model.surface, pose, scanned.points)[0] <= best.quality.tolerance,
        why,
    )


def _deviations(best: Candidate, others: Sequence[Candidate]) -> tuple[float, float]:
    """The standard deviations of the place in mm and of the turn in degrees.

    The residuals are not independent: those within a patch of the scan are wrong together. And the patch of the scan
    in which the piece stands is itself displaced, by about as much as the scan is rough, and turned, the more the
    coarser it is, which no residual shows.
    """
    scanned, pose = best.scanned, best.fit.pose
    noise = max(best.noise, scanned.noise)
    inflation = max(1.0, (PATCH / scanned.spacing) ** 2) * (noise / max(scanned.noise, 0.1)) ** 2
    covariance = best.fit.covariance * inflation
    place = float(np.sqrt(np.trace(covariance[:2, :2]) / 2.0 + (0.8 * noise) ** 2))
    facing = float(np.hypot(TURN_SPREAD * np.degrees(np.sqrt(covariance[3, 3])), TURN_PER_SPACING * scanned.spacing))
    for other in others:
        if other.known_model is not best.known_model:
            continue
        turned = float(np.degrees(pose.turned_from(other.fit.pose)))
        if (turned < 20.0 and other.quality.cost < 1.05 * best.quality.cost) or best.is_like(other):
            facing = max(facing, turned)
    return place, facing


def doubt(best: Candidate, others: Sequence[Candidate]) -> str:
    """What speaks against the best candidate being right, in a few words; empty where nothing does."""
    own, is_terrain = best.quality, best.known_model.model.kind == "terrain"
    if own.residual > max(SURELY, SURELY_ROUGH + 0.9 * best.scanned.noise) and best.known_model.model.kind == "fighter":
        return "it fits too roughly"
    area = own.tolerance**2
    # A large piece has insides and undersides that cameras look into from few places, and large plain parts: there a
    # share of it may be lost. On a figure the same share would be the weapon that tells it from another.
    large = 0.04 * best.known_model.surface.area if is_terrain else 0.0
    # Right models had no more than 4 % unexplained and 8 % unseen at noises up to a millimetre; others that stand alike
    # in every limb had 10 % unseen.
    if own.unexplained > (0.09 if is_terrain else 0.045) or own.unexplained_patch > max(25.0 * area, large):
        return "the scan shows what the model has not"
    if own.unseen > (0.24 if large else 0.085) or own.unseen_patch > max(40.0 * area, large):
        return "the model has what the scan does not show"
    for other in others:
        if other.known_model is not best.known_model:
            if not _is_ruled_out(own, other.quality, area):
                return f"{other.known_model.path} fits about as well"
        elif not (best.fit.pose.is_near(other.fit.pose) or best.is_like(other) or best.deviations_from(other) >= 4.0):
            return "it looks much the same from another side"
    return ""


def _is_ruled_out(best: Quality, other: Quality, area: float) -> bool:
    """Whether another model fits so much worse than the best that it cannot be the right one."""
    return (
        other.cost > 1.2 * best.cost + 0.02
        or other.residual > 1.6 * best.residual + 0.3
        or other.unexplained > best.unexplained + 0.06
        or other.unexplained_patch > best.unexplained_patch + 30.0 * area
        or other.unseen > best.unseen + 0.06
        or other.unseen_patch > best.unseen_patch + 30.0 * area
    )
