"""SCAN: circles among the points of a cut through a scan."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from silhouette.common.errors import RequestError, go_on
from silhouette.common.geometry import Flags, Floats

ARCS = 36  # into which a circle is cut to see how much of it has points: 10 degrees each

FEW, MOST_PAIRS = 1000, 10_000_000
"""Of more points of an outline than few, so many pairs may lie close to each other, each pair counted twice."""


@dataclass(frozen=True, eq=False)
class Circle:
    """A circle fitted to points of a cut."""

    centre: Floats  # (2,) float64
    radius: float  # of the fit
    error: float  # standard deviation of the diameter, from how the points scatter, arc by arc
    arcs: Flags  # (36,) bool, the arcs of 10 degrees, from the angle -180, on which points lie
    against: float  # share of its arcs within which points of the cut lie where there should be none

    @property
    def seen(self) -> float:
        """The share of its arcs on which points lie."""
        return float(self.arcs.mean())


def outline_normals(cut: Floats, down: Floats, reach: float) -> tuple[Floats, cKDTree]:
    """(k, 2) unit vectors across the outline at each of its points, downhill, and a tree of the points.

    The way across is the direction in which the points within `reach` scatter least; `down`, (k, 2), says which of
    the two it is.

    Raises:
        RequestError: where the points lie so close to each other that they are no outline.

    >>> row = np.column_stack([np.arange(9.0), np.zeros(9)])
    >>> outline_normals(row, np.tile([0.3, -1.0], (9, 1)), 2.5)[0][4].tolist()
    [0.0, -1.0]
    """
    tree = cKDTree(cut)
    if len(cut) > FEW and tree.count_neighbors(tree, reach) > MOST_PAIRS:
        raise RequestError(
            f"the scan is too jagged: at one height {len(cut):,} points of it lie so that each has hundreds within "
            f"{reach:.3g} mm; a scan is a surface: smooth it, or remove what is no part of the table"
        )
    pairs = tree.query_pairs(reach, output_type="ndarray")
    pairs = np.vstack([pairs, pairs[:, ::-1], np.repeat(np.arange(len(cut))[:, None], 2, 1)])
    at, other = pairs.T
    count = np.bincount(at, minlength=len(cut))

    def mean(values: Floats) -> Floats:
        return np.asarray(np.bincount(at, values[other], minlength=len(cut)) / count)

    length = np.maximum(np.hypot(down[:, 0], down[:, 1]), 1e-12)
    fall = np.column_stack([mean(down[:, 0] / length), mean(down[:, 1] / length)])
    x, y = cut[:, 0] - cut[:, 0].mean(), cut[:, 1] - cut[:, 1].mean()  # small numbers, so that squares stay exact
    mx, my = mean(x), mean(y)
    xx, xy, yy = mean(x * x) - mx * mx, mean(x * y) - mx * my, mean(y * y) - my * my
    along = 0.5 * np.arctan2(2 * xy, xx - yy)
    across = np.column_stack([-np.sin(along), np.cos(along)])
    return across * np.where((across * fall).sum(1) < 0, -1.0, 1.0)[:, None], tree


def circle_seeds(
    cut: Floats, outward: Floats, least: float, most: float, spacing: float, limit: int = 40
) -> list[tuple[float, float, float]]:
    """Centres and radii for which many points of a cut vote, the most voted first: x, y, radius.

    Each point votes for the places at a radius behind it. Cells are a fifth of a radius wide, as normals are rough, and
    radii 6 % apart; a seed is where three tenths of a circle's points vote, and none of its neighbours has more.
    """
    radii = np.geomspace(least, most, 1 + int(np.ceil(np.log(most / least) / np.log(1.06))))
    seeds: list[tuple[float, float, float, float]] = []
    density = 1.0 / _gap(cut)
    for radius in radii:
        go_on()
        width = max(0.2 * radius, 0.8 * spacing)
        centres = cut - radius * outward
        cells = np.floor(centres / width).astype(np.int64)
        low = cells.min(0) - 1
        shape = cells.max(0) - low + 2
        if shape[0] * shape[1] > 4_000_000:  # points far away from all others
            continue
        votes = np.bincount((cells - low) @ (shape[1], 1), minlength=int(shape[0] * shape[1]))
        votes = votes.reshape(shape).astype(np.float64)
        summed = sum(np.roll(votes, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1))
        share = np.asarray(summed) / (2 * np.pi * radius * density)
        rows, columns = np.nonzero((share > 0.3) & (summed >= 8))
        for row, column in zip(rows, columns, strict=True):
            around = share[max(row - 1, 0) : row + 2, max(column - 1, 0) : column + 2]
            if share[row, column] >= around.max():
                x, y = (np.array([row, column]) + low + 0.5) * width
                seeds.append((float(share[row, column]), float(x), float(y), float(radius)))
    seeds.sort(reverse=True)
    kept: list[tuple[float, float, float]] = []
    for _, x, y, radius in seeds:
        if all(np.hypot(x - a, y - b) > 0.25 * radius or abs(radius - r) > 0.2 * r for a, b, r in kept):
            kept.append((x, y, radius))
        if len(kept) >= limit:
            break
    return kept


def _gap(cut: Floats) -> float:
    """The mean distance between points along the outline: half that to the second nearest, at least."""
    distance = cKDTree(cut).query(cut, k=min(5, len(cut)))[0]
    return float(max(np.median(distance[:, -1]) / 2, 1e-12))


def best_circle(cut: Floats, outward: Floats, seed: tuple[float, float, float], slack: float) -> Circle | None:
    """The circle near a seed on which most arcs have points, fitted to them; None where there are too few.

    Args:
        cut: (k, 2) points near the seed.
        outward: (k, 2) their normals.
        seed: x, y and radius, within a quarter.
        slack: how far from the circle a point may lie.
    """
    x, y, radius = seed
    centre = np.array([x, y])
    offset = cut - centre
    distance = np.hypot(offset[:, 0], offset[:, 1])
    facing = (offset * outward).sum(1) / np.maximum(distance, 1e-12)
    close = (np.abs(distance / radius - 1) < 0.4) & (facing > 0.5)
    if close.sum() < 6:
        return None
    points, normals = cut[close], outward[close]
    start = _by_chance(points, normals, centre, radius, slack)
    if start is None:
        return None
    centre, radius = start
    for _ in range(4):
        inlier = _on(points, normals, centre, radius, slack)
        if inlier.sum() < 6:
            return None
        centre, radius = _fit(points[inlier], centre, radius, slack)
    inlier = _on(points, normals, centre, radius, slack)
    if inlier.sum() < 6:
        return None
    return _judged(cut, points[inlier], centre, radius, slack)


def _on(points: Floats, normals: Floats, centre: Floats, radius: float, slack: float) -> Flags:
    offset = points - centre
    distance = np.maximum(np.hypot(offset[:, 0], offset[:, 1]), 1e-12)
    facing = (offset * normals).sum(1) / distance
    return np.asarray((np.abs(distance - radius) < slack) & (facing > 0.7))


def _by_chance(
    points: Floats, normals: Floats, centre: Floats, radius: float, slack: float, tries: int = 120
) -> tuple[Floats, float] | None:
    """The one, among circles through three points each, with points on most of its arcs."""
    random = np.random.default_rng(7)
    angle = np.arctan2(*(points - centre).T[::-1])
    order = np.argsort(angle, kind="stable")
    picks = order[random.integers(0, len(points), (tries, 3))]
    centres, radii = _through(points[picks])
    good = np.isfinite(radii) & (np.abs(radii / radius - 1) < 0.3)
    good &= np.hypot(*(centres - centre).T) < 0.45 * radius
    centres, radii = centres[good], radii[good]
    if len(radii) == 0:
        return None
    if len(points) > 150:  # enough to tell which of the circles is best
        some = order[:: len(points) // 150 + 1]
        points, normals = points[some], normals[some]
    offset = points[None] - centres[:, None]
    distance = np.maximum(np.hypot(offset[..., 0], offset[..., 1]), 1e-12)
    on = np.abs(distance - radii[:, None]) < slack
    on &= offset[..., 0] * normals[:, 0] + offset[..., 1] * normals[:, 1] > 0.7 * distance
    arc = ((np.arctan2(offset[..., 1], offset[..., 0]) / (2 * np.pi) + 0.5) * ARCS).astype(np.int64) % ARCS
    cells = np.arange(len(radii))[:, None] * ARCS + arc
    covered = np.bincount(cells[on], minlength=len(radii) * ARCS).reshape(-1, ARCS) > 0
    score = covered.sum(1) + on.sum(1) / (1.0 + on.shape[1])
    best = int(np.argmax(score))
    return centres[best], float(radii[best])


def _through(triples: Floats) -> tuple[Floats, Floats]:
    """Centres (k, 2) and radii (k,) of the circles through three points each, (k, 3, 2); infinite on a line."""
    a, b, c = triples[:, 0], triples[:, 1] - triples[:, 0], triples[:, 2] - triples[:, 0]
    cross = 2 * (b[:, 0] * c[:, 1] - b[:, 1] * c[:, 0])
    bb, cc = (b * b).sum(1), (c * c).sum(1)
    with np.errstate(divide="ignore", invalid="ignore"):
        x = (c[:, 1] * bb - b[:, 1] * cc) / cross
        y = (b[:, 0] * cc - c[:, 0] * bb) / cross
    return a + np.column_stack([x, y]), np.hypot(x, y)


def _fit(points: Floats, centre: Floats, radius: float, slack: float) -> tuple[Floats, float]:
    """One step of Gauss and Newton on the distances, each arc of the circle weighing the same, outliers less."""
    offset = points - centre
    distance = np.maximum(np.hypot(offset[:, 0], offset[:, 1]), 1e-12)
    arc = ((np.arctan2(offset[:, 1], offset[:, 0]) / (2 * np.pi) + 0.5) * ARCS).astype(np.int64) % ARCS
    residual = distance - radius
    weight = (1 - np.minimum(np.abs(residual) / (1.2 * slack), 1.0) ** 2) ** 2  # Tukey's
    weight /= np.bincount(arc, minlength=ARCS)[arc]
    rows = np.column_stack([offset / distance[:, None], np.ones(len(points))])
    normal = (rows * weight[:, None]).T @ rows + 1e-9 * np.eye(3)
    step = np.linalg.solve(normal, (rows * weight[:, None]).T @ residual)
    step = np.clip(step, -0.2 * radius, 0.2 * radius)
    return centre + step[:2], float(radius + step[2])


def _judged(cut: Floats, inliers: Floats, centre: Floats, radius: float, slack: float) -> Circle:
    offset = inliers - centre
    distance = np.hypot(offset[:, 0], offset[:, 1])
    arc = ((np.arctan2(offset[:, 1], offset[:, 0]) / (2 * np.pi) + 0.5) * ARCS).astype(np.int64) % ARCS
    count = np.bincount(arc, minlength=ARCS)
    covered = count > 0
    means = np.bincount(arc, distance - radius, minlength=ARCS)[covered] / count[covered]
    rows = np.column_stack(
        [
            np.cos(np.arange(ARCS)[covered] * 2 * np.pi / ARCS),
            np.sin(np.arange(ARCS)[covered] * 2 * np.pi / ARCS),
            np.ones(covered.sum()),
        ]
    )
    spread = np.linalg.inv(rows.T @ rows + 1e-9 * np.eye(3))[2, 2]
    # neighbouring arcs err alike in a fused surface: as if only every second one counted
    error = 2 * float(np.sqrt(2 * spread * max(means.var(), (0.05 * slack) ** 2)))
    inside = cut - centre
    within = np.hypot(inside[:, 0], inside[:, 1]) < min(0.85 * radius, radius - 2 * slack)
    wrong = ((np.arctan2(inside[within, 1], inside[within, 0]) / (2 * np.pi) + 0.5) * ARCS).astype(np.int64) % ARCS
    against = np.count_nonzero(np.bincount(wrong, minlength=ARCS)) / ARCS
    return Circle(centre, radius, error, covered, float(against))
