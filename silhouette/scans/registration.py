"""MATCH: the upright pose at which a model fits scanned points best: a coarse search over yaw, then refinement.

Figures and terrain stand upright, so a pose has four numbers: x, y, z and yaw. The coarse search looks distances up in
grids; where no base shows the place it tries those that correlation tells. The refinement is point-to-plane
registration (Chen and Medioni 1992) in these four, with weights that leave out what belongs to something else (Tukey's
biweight) and a reach that shrinks from step to step.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from silhouette.common.geometry import Flags, Floats
from silhouette.common.lazy import cached_property
from silhouette.scans.models import SearchedPoints, Upright, VisibleSurface, spread

# ---- shifts

CELLS = 40  # along the longest side of the piece, in plan
LEAST_CELL = 1.5  # mm: finer than this the scan's own roughness would matter
LAYERS = 12  # the layers into which the height is cut, so that walls fall on walls and roofs on roofs
PEAKS = 2  # the number of places that are tried for each yaw, besides box on box


def shifted(model: Floats, weights: Floats, points: Floats, yaws: Floats) -> list[Upright]:
    """Poses at which a model may stand in a piece, for each yaw (m,), radians, a few.

    The piece may be cut short, or grown together with another one, so that its box says little. So the points (n, 3) of
    the model's visible surface, by how well each is seen, are laid over the piece's (k, 3), which stands on z = 0, at
    every place in plan at once: layer by layer, they are correlated with how near each cell is to a scanned point, by
    Fourier transforms.
    """
    model, weights = model[weights > 0.0], weights[weights > 0.0]
    if len(model) == 0 or len(points) == 0:
        return []
    low, high = points.min(axis=0), points.max(axis=0)
    cell = max(LEAST_CELL, float((high - low)[:2].max()) / CELLS)
    rise = max(cell, float(max(high[2], model[:, 2].max())) / LAYERS)
    layer = np.clip(model[:, 2] / rise, 0, LAYERS - 1).astype(np.intp)
    reach = int(2.0 * np.hypot(model[:, 0], model[:, 1]).max() / cell) + 3
    near = _nearness(points, low, cell, rise)
    size = tuple(scipy.fft.next_fast_len(length + reach, real=True) for length in near.shape[1:])
    there = scipy.fft.rfft2(near, size)
    starts = []
    for yaw in yaws:
        pose = Upright(0.0, 0.0, 0.0, float(yaw))
        plan = pose.turn(model)[:, :2]
        least, most = plan.min(axis=0), plan.max(axis=0)
        column, row = np.floor((plan - least) / cell).astype(np.intp).T
        drawn = np.zeros((LAYERS, reach, reach), np.float32)
        np.add.at(drawn, (layer, column, row), weights)
        score = scipy.fft.irfft2((scipy.fft.rfft2(drawn, size).conj() * there).sum(axis=0), size)
        # A peak at (i, j) lays the model's first cell on cell (i, j) of the padded picture, negative from its far end.
        for i, j in _peaks(score):
            place = np.array([i - size[0] * (i > near.shape[1]), j - size[1] * (j > near.shape[2])], dtype=np.float64)
            x, y = low[:2] - 2.0 * cell + place * cell - least
            starts.append(Upright(float(x), float(y), 0.0, float(yaw)))
        x, y = (low[:2] + high[:2] - least - most) / 2.0
        starts.append(Upright(float(x), float(y), 0.0, float(yaw)))
    return starts


def _nearness(points: Floats, low: Floats, cell: float, rise: float) -> NDArray[np.float32]:
    """(layers, columns, rows) from 1 in cells with a scanned point down to 0 two cells away, with a margin of two."""
    column, row = np.floor((points[:, :2] - low[:2]) / cell).astype(np.intp).T + 2
    layer = np.clip(points[:, 2] / rise, 0, LAYERS - 1).astype(np.intp)
    free = np.ones((LAYERS, int(column.max()) + 3, int(row.max()) + 3), dtype=np.bool_)
    free[layer, column, row] = False
    away = scipy.ndimage.distance_transform_edt(free, sampling=(rise / cell, 1.0, 1.0))
    near: NDArray[np.float32] = np.clip(1.0 - away / 2.0, 0.0, 1.0).astype(np.float32)
    return near


def _peaks(score: NDArray[np.float32]) -> Iterator[tuple[int, int]]:
    """The cells with the highest scores, no two within two cells of each other."""
    score = score.copy()
    for _ in range(PEAKS):
        i, j = (int(index) for index in np.unravel_index(int(score.argmax()), score.shape))
        yield i, j
        score[max(0, i - 2) : i + 3, max(0, j - 2) : j + 3] = -np.inf


# ---- registration


@dataclass(frozen=True, eq=False)
class Scanned(SearchedPoints):
    """The points of one piece, as registration needs them."""

    points: Floats  # (n, 3) float64, mm on the table, relative to ``origin``
    normals: Floats  # (n, 3) float64 unit vectors
    is_oriented: bool  # whether they are known to point outwards; else they may point inwards as well
    origin: Floats  # (3,) where the piece stands: the middle of its base, or of the box round it, and its ground
    spacing: float  # mm between neighbouring points
    noise: float  # mm, standard deviation of the points about the surface
    foot: float  # mm above the ground: what lies lower is grown together with what the piece stands on
    is_placed: bool  # whether x and y of the origin are those of a base, to within ``slack`` mm
    slack: float  # mm by which the origin may be off, standard deviation
    several: bool = False  # whether other pieces may have grown together with it

    @cached_property
    def body(self) -> Flags:
        """(n,) bool, points above the foot."""
        above: Flags = self.points[:, 2] > self.foot
        return above

    def chosen(self, most: int) -> NDArray[np.intp]:
        """Indices of about ``most`` points above the foot, spread evenly."""
        above = self.body.nonzero()[0]
        return above[spread(self.points[above], most)] if len(above) > most else above

    @cached_property
    def sparse(self) -> Floats:
        """(k, 3) about 1,000 points above the foot, spread evenly."""
        return self.points[self.chosen(1000)]

    def agreement(self, model: Floats, scan: Floats) -> Floats:
        """The cosines (n,) between normals (n, 3) of a model, turned with it, and of the scan."""
        cosine: Floats = np.einsum("ij,ij->i", model, scan)
        return cosine if self.is_oriented else np.abs(cosine)


# ---- the coarse search


def coarse_poses(surface: VisibleSurface, scanned: Scanned, step: float, most: int) -> list[Upright]:
    """The poses that look best among yaws so many degrees apart, best first; no two near each other."""
    limit = max(2.0, max(surface.reach, 5.0) * np.radians(step))  # mm: between two yaws the rim is off by half of this
    model = surface.points[surface.sparse]
    weights = surface.openness[surface.sparse] * (model[:, 2] > scanned.foot)
    if scanned.is_placed:
        starts = [Upright(0.0, 0.0, 0.0, yaw) for yaw in np.radians(np.arange(0.0, 360.0, step))]
    else:
        starts = shifted(model, weights, scanned.sparse, np.radians(np.arange(0.0, 360.0, 2.0 * step)))
    chosen: list[Upright] = []
    for pose in sorted(starts, key=lambda pose: _cost(surface, model, weights, scanned, pose, limit)):
        if not any(pose.is_near(other, 2.0 * step, 2.0 * limit) for other in chosen):
            chosen.append(pose)
        if len(chosen) == most:
            break
    return chosen


def _cost(
    surface: VisibleSurface, model: Floats, weights: Floats, scanned: Scanned, pose: Upright, limit: float
) -> float:
    """Mean squared distance both ways as a share of the limit squared, none counted as more than the limit."""
    forward = np.minimum(surface.distances.at(pose.localise(scanned.sparse)), limit)
    backward = np.minimum(scanned.distances.at(pose.place(model)), limit)
    both = float(np.mean(forward**2)) + float(np.sum(weights * backward**2)) / max(float(weights.sum()), 1e-9)
    return both / limit**2


# ---- the refinement

ALIGNED = 0.8
"""The least cosine between the normals of scan and model where scales are measured: scans round edges off, which makes
things smaller, and edges have other normals then."""

FAR = 100.0  # mm: the scale has settled where what is so far away stays where it is


@dataclass(frozen=True)
class Fit:
    """A refined pose."""

    pose: Upright  # of the model
    # (4, 4) of x, y, z in mm and yaw in radians, if the residuals were independent; (5, 5) with the logarithm of the
    # growth where that is measured
    covariance: Floats
    growth: float = 1.0  # by what the scanned points are multiplied to lie on the model


def refine(
    surface: VisibleSurface, scanned: Scanned, start: Upright, reach: float, rounds: int, most: int, grows: bool = False
) -> Fit:
    """The pose near ``start`` at which the scanned points lie best on the model's surface.

    At the beginning they may lie ``reach`` mm apart. Of the points at most ``most`` are used, spread evenly, in at most
    so many rounds of finding the nearest points and solving. Where it ``grows`` the scale is measured as well, by up to
    a sixth; it moves more slowly than a pose alone.
    """
    chosen = scanned.chosen(most)
    points, normals = scanned.points[chosen], scanned.normals[chosen]
    fit = Fit(start, np.eye(5 if grows else 4))
    least = max(3.0 * scanned.noise, 1.0)
    for number in range(rounds):
        gate = max(least, reach * (0.85 if grows else 0.7) ** number)
        fit, moved = _step(surface, scanned, fit, points, normals, gate, ALIGNED if grows and gate == least else 0.0)
        if moved < 0.01 and gate == least:  # mm: a fiftieth of what is needed
            break
    return fit


def _step(
    surface: VisibleSurface, scanned: Scanned, fit: Fit, points: Floats, normals: Floats, gate: float, like: float
) -> tuple[Fit, float]:
    """One round of Gauss and Newton: the new pose, its covariance, and how far the rim moved in mm.

    Points have weights from 1 to 0, which they have from twice ``gate`` on, and where the cosine of their normals with
    the model's is not above ``like``.
    """
    pose, points = fit.pose, points * fit.growth
    local = pose.localise(points)
    distance, nearest = surface.tree.query(local, distance_upper_bound=2.0 * gate)
    met = np.isfinite(distance)
    nearest = np.where(met, nearest, 0)
    normal = pose.turn(surface.normals[nearest])
    met &= scanned.agreement(normal, normals) > like
    apart = np.einsum("ij,ij->i", pose.turn(local - surface.points[nearest]), normal)
    weight = np.where(met, np.clip(1.0 - (distance / (2.0 * gate)) ** 2, 0.0, None) ** 2, 0.0)
    weight *= np.clip(1.0 - (apart / (2.0 * gate)) ** 2, 0.0, None) ** 2
    arm = points - (pose.x, pose.y, pose.z)
    count = len(fit.covariance)
    turning, growing = normal[:, 1] * arm[:, 0] - normal[:, 0] * arm[:, 1], -np.einsum("ij,ij->i", normal, points)
    rows = np.column_stack([normal, turning, growing][: count - 2])
    sigma = max(scanned.noise, 0.1)
    system = (rows * (weight / sigma**2)[:, None]).T @ rows
    right = rows.T @ (weight * apart) / sigma**2
    # What is known beforehand: it stands on its ground, to within half a millimetre of slow error of the scan, and
    # where its base shows it to stand. Weighted as many points, for the residuals are not independent. Where the scale
    # is measured it stands there exactly. If it could sink, lost tops would be taken for a lower place, and rounded
    # sides for a smaller scale; as it is, the one makes up for the other.
    prior = np.zeros(count)
    prior[2] = 1e6 / sigma**2 if count == 5 else 20.0 / max(scanned.noise, 0.5) ** 2
    if scanned.is_placed:
        prior[:2] = 1.0 / scanned.slack**2
    system[np.diag_indices(count)] += prior + 1e-9
    right -= prior * np.array([pose.x, pose.y, pose.z, 0.0, 0.0])[:count]
    delta = np.zeros(5)
    delta[:count] = np.linalg.solve(system, right)
    largest = max(float(np.abs(delta[:3]).max()), abs(float(delta[3])) * surface.reach)
    delta *= min(1.0, gate / max(largest, 1e-12), 0.03 / max(abs(float(delta[4])), 1e-12))
    pose = Upright(pose.x + delta[0], pose.y + delta[1], pose.z + delta[2], pose.yaw + delta[3])
    growth = float(np.clip(fit.growth * np.exp(delta[4]), 0.85, 1.18))
    moved = largest if count == 4 else abs(float(delta[4])) * FAR
    return Fit(pose, np.linalg.inv(system).astype(np.float64), growth), moved


# ---- how well a pose explains


@dataclass(frozen=True, eq=False)
class Explained:
    """How a model at a pose and the scanned points explain each other."""

    forward: Floats  # (n,) mm from each scanned point to the model's surface
    forward_turn: Floats  # (n,) one less the cosine between its normal and the surface's there
    backward: Floats  # (m,) mm from each point of the model that ``counted`` to the scan
    backward_turn: Floats  # (m,) the same for the normals there
    weights: Floats  # (m,) how much each of those counts: the share of places from which it is seen
    chosen: NDArray[np.intp]  # (n,) indices of the scanned points, which lie above the foot
    counted: NDArray[np.intp]  # (m,) indices of the points of the model
    taken: int  # of how many of the model's points those are the ones above the foot


def explain(surface: VisibleSurface, scanned: Scanned, pose: Upright, most: int) -> Explained:
    """The distances both ways, of at most ``most`` points of each that lie above the foot, with the model at a pose."""
    far = max(8.0 * scanned.noise, 6.0)
    chosen = scanned.chosen(most)
    forward, turned = to_model(surface, pose, scanned.points[chosen], far)
    forward_turn = 1.0 - scanned.agreement(turned, scanned.normals[chosen])
    some = surface.some(most)
    counted = some[surface.points[some, 2] + pose.z > scanned.foot]
    model = pose.place(surface.points[counted])
    distance, nearest = scanned.tree.query(model, distance_upper_bound=far)
    backward, turned = _apart(model, distance, nearest, scanned.points, scanned.normals, scanned.spacing, far)
    backward_turn = 1.0 - scanned.agreement(pose.turn(surface.normals[counted]), turned)
    weights = surface.openness[counted]
    return Explained(forward, forward_turn, backward, backward_turn, weights, chosen, counted, len(some))


def to_model(surface: VisibleSurface, pose: Upright, points: Floats, far: float = 6.0) -> tuple[Floats, Floats]:
    """Distances (n,) in mm from points (n, 3) to a model's surface, at most ``far``, and its normals (n, 3) there."""
    local = pose.localise(points)
    distance, nearest = surface.tree.query(local, distance_upper_bound=far)
    forward, turned = _apart(local, distance, nearest, surface.points, surface.normals, surface.spacing, far)
    return forward, pose.turn(turned)


def _apart(
    places: Floats, distance: Floats, nearest: Any, points: Floats, normals: Floats, spacing: float, far: float
) -> tuple[Floats, Floats]:
    """Distances (n,) from places to a surface given as points, at most ``far``, and its normals (n, 3) there.

    Near a point the distance is that to its plane: the points lie some way apart, the surface between them does not.
    """
    met = np.isfinite(distance)
    index = np.where(met, nearest, 0)
    plane = np.abs(np.einsum("ij,ij->i", places - points[index], normals[index]))
    beside = np.sqrt(np.maximum(np.where(met, distance, 0.0) ** 2 - plane**2, 0.0))
    apart = np.hypot(plane, np.maximum(beside - spacing, 0.0))
    return np.where(met, apart, far), normals[index]
