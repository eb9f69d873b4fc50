"""SEGMENT: round bases: their rims among the points, and what their sizes say of the scale.

A base shows as a circle where the surface is cut half-way up between its ground and its top: there the rim is steep,
and neither the fillet at its foot nor the chamfer at its top moves the cut much.

              figure
               | |            the cut at half height crosses the rim at the true radius, also where the scan has
          _____| |_____       rounded the edge above outwards-in and the fillet below inwards-out
        .'  ledge      '.  <- cut
    ---'  ground         '---

The cut is taken at several heights, as the height of a base is not known; circles are found among its points by votes
of their normals (Duda and Hart, "Use of the Hough transformation to detect lines and curves in pictures", 1972),
fitted to a few points as often as it takes (Fischler and Bolles, 1981) and then to all in their distances
(Gander, Golub and Strebel, "Least-squares fitting of circles and ellipses", 1994).

Which scale the diameters of round bases speak for, and how plainly.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from silhouette.common.errors import RequestError, go_on
from silhouette.common.geometry import Flags, Floats, Integers
from silhouette.scans.surface import LevelSurface, densest, edges_of, level_surfaces, vertex_normals

# ---- circles

ARCS = 36  # into which a circle is cut to see how much of it has points: 10 degrees each

FEW_POINTS, MOST_CLOSE_PAIRS = 1000, 10_000_000
"""Of an outline of more points than the first, so many pairs may lie close to each other, each pair counted twice."""


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
    if len(cut) > FEW_POINTS and tree.count_neighbors(tree, reach) > MOST_CLOSE_PAIRS:
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
    peaks: list[tuple[float, float, float]] = []
    for _, x, y, radius in seeds:
        if all(np.hypot(x - a, y - b) > 0.25 * radius or abs(radius - r) > 0.2 * r for a, b, r in peaks):
            peaks.append((x, y, radius))
        if len(peaks) >= limit:
            break
    return peaks


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


# ---- discs


@dataclass(frozen=True)
class Disc:
    """A round base as a scan shows it, in the units of the points given."""

    centre: tuple[float, float]  # x and y of its middle
    ground: float  # z of what it stands on
    height: float  # of its top above that
    diameter: float  # as measured, not snapped to a size that exists
    error: float  # standard deviation of the diameter
    seen: float  # share of its rim, from 0 to 1, on which points lie
    # From 0 to 1, how much it looks like a base: the rim seen, with the ledge within it at one height, less what
    # contradicts. Below 0.5 it is a guess.
    quality: float = 1.0


Indices = NDArray[np.int64]

LEAST_RIM_SEEN = 0.4  # less of a rim than this share is no base: walls and corners make so much of a circle by chance

THINNEST_BASE, THICKEST_BASE = 0.02, 0.24
"""Heights of bases as shares of their diameters: 2 to 3 mm under 100 mm, 6 mm under 25 mm."""


def find_discs(  # noqa: PLR0913
    points: Floats,
    faces: Integers | None = None,
    *,
    spacing: float,
    noise: float,
    least: float,
    most: float,
    usable: Flags | None = None,
    surfaces: list[LevelSurface] | None = None,
    edges: Integers | None = None,
) -> list[Disc]:
    """The round bases that stand on the table, at z = 0, and on level surfaces above it; the best first.

    Args:
        points: (n, 3) levelled, in any unit.
        faces: (m, 3) rows of vertices; none or (0, 3) for a cloud of points.
        spacing: the median distance between neighbouring points.
        noise: standard deviation of the table's surface.
        least: the least diameter to look for.
        most: the largest.
        usable: (n,) which points count; all where it is left out.
        surfaces: level surfaces above the table on which bases may stand; found here where it is left out.
        edges: (k, 2) pairs of neighbours, where the caller has them.

    >>> find_discs(np.empty((0, 3)), spacing=1.0, noise=0.2, least=20.0, most=100.0)
    []
    """
    points = np.asarray(points, dtype=np.float64)
    if usable is None:
        usable = np.ones(len(points), dtype=bool)
    if usable.sum() < 10:
        return []
    if edges is None:
        edges = edges_of(points, faces, usable, spacing)
    if surfaces is None:
        normals = vertex_normals(points, faces, usable)
        surfaces = level_surfaces(
            points, normals, edges, spacing=spacing, least_area=0.5 * least**2, above=2 * least / 20
        )
    search = _Search(points, edges, spacing, max(noise, 0.05 * spacing), least, most)
    discs = search.on(0.0, None)
    for surface in surfaces:
        discs += search.on(surface.z, surface.points)
    return _apart(discs)


def _apart(discs: list[Disc]) -> list[Disc]:
    """The best of each group of discs that overlap by more than bases can, at about one height."""
    best_discs: list[Disc] = []
    for disc in sorted(discs, key=lambda disc: (-disc.quality, disc.centre)):
        for other in best_discs:
            apart = np.hypot(disc.centre[0] - other.centre[0], disc.centre[1] - other.centre[1])
            reach = (disc.diameter + other.diameter) / 2
            near = abs(disc.ground - other.ground) < 2 * max(disc.height, other.height)
            if apart < 0.85 * reach and near:
                break
        else:
            best_discs.append(disc)
    return best_discs


@dataclass(frozen=True, eq=False)
class _Search:
    """What stays the same while discs are looked for on one surface after the other."""

    points: Floats
    edges: Integers
    spacing: float
    noise: float
    least: float
    most: float

    def on(self, ground: float, region: Integers | None) -> list[Disc]:
        """The discs on a surface at one height: that of `region`'s points, or everywhere."""
        points = self.points
        top = ground + THICKEST_BASE * self.most + 2 * self.spacing
        near = (points[:, 2] > ground - 2 * self.spacing) & (points[:, 2] < top)
        if region is not None:  # what stands on it, with what reaches over its edge
            margin = self.most / 2
            low, high = points[region, :2].min(0) - margin, points[region, :2].max(0) + margin
            near &= (points[:, 0] > low[0]) & (points[:, 1] > low[1]) & (points[:, 0] < high[0])
            near &= points[:, 1] < high[1]
        heights = self._heights()
        start, end = self.edges.T
        rises = near[start] & near[end]
        rises &= np.maximum(points[start, 2], points[end, 2]) > ground + 0.4 * heights[0]
        edges = self.edges[rises]
        if len(edges) < 10:
            return []
        middles = (points[edges[:, 0], :2] + points[edges[:, 1], :2]) / 2
        index = np.flatnonzero(near).astype(np.int64)
        around = _Neighbourhood(points, edges, cKDTree(middles), ground, index, cKDTree(points[index, :2]))
        discs: list[Disc] = []
        for height in heights:
            discs += self._at(around, height, discs)
        return _apart(discs)

    def _heights(self) -> list[float]:
        """Heights of the cuts above the ground: from just above its noise to half the highest base, a third apart."""
        low = max(3 * self.noise, 0.5 * self.spacing, 0.5 * THINNEST_BASE * self.least)
        high = max(low, 0.5 * min(THICKEST_BASE * self.least, 0.1 * self.most) * 1.5)
        count = 1 + int(np.ceil(np.log(high / low) / np.log(1.35)))
        return [float(height) for height in np.geomspace(low, high, count)]

    def _at(self, around: _Neighbourhood, height: float, before: list[Disc]) -> list[Disc]:
        """The discs of which one cut shows the rim, but for those that another has shown well."""
        cut, down = around.cut(around.ground + height)
        if len(cut) < 8:
            return []
        reach = max(2.5 * self.spacing, 0.06 * self.least)
        outward, tree = outline_normals(cut, down, reach)
        slack = self.slack
        discs = []
        sure = [disc for disc in before if disc.quality > 0.9]
        for x, y, radius in circle_seeds(cut, outward, self.least / 2, self.most / 2, self.spacing):
            go_on()
            # what lies on a base is found again and again: its own rim, and circles within it
            if any(
                np.hypot(disc.centre[0] - x, disc.centre[1] - y) + 0.7 * radius < 0.75 * disc.diameter for disc in sure
            ):
                continue
            near = np.asarray(tree.query_ball_point((x, y), 1.45 * radius + self.spacing), dtype=np.int64)
            circle = best_circle(cut[near], outward[near], (x, y, radius), slack)
            if (
                circle is None
                or circle.seen < 0.75 * LEAST_RIM_SEEN
                or not self.least <= 2 * circle.radius <= self.most
            ):
                continue
            disc = self._disc(around, circle.centre, circle.radius, height)
            if disc is not None:
                discs.append(disc)
        return _apart(discs)

    @property
    def slack(self) -> float:
        """How far a point of a cut may lie off its circle: the noise, and the steps of the scan's own grid."""
        return max(2 * self.noise, 0.25 * self.spacing) + 0.35 * self.spacing

    def _disc(self, around: _Neighbourhood, centre: Floats, radius: float, height: float) -> Disc | None:
        """The base of which a circle at some height above the ground is the rim, or None where it has no ledge."""
        circle = None
        for _ in range(2):  # the second time from the true half height
            ring = around.profile(centre, radius)
            measured = ring.ledge(height, radius, self.noise, self.spacing)
            if measured is None:
                return None
            ground, top, share, blocked, walled = measured
            if not THINNEST_BASE * 2 * radius <= top - ground <= THICKEST_BASE * 2 * radius:
                return None
            half = (top + ground) / 2
            cut, down = around.cut(half, centre, 1.45 * radius + self.spacing)
            if len(cut) < 8:
                return None
            outward, _tree = outline_normals(cut, down, max(2.5 * self.spacing, 0.06 * self.least))
            circle = best_circle(cut, outward, (*centre, radius), self.slack)
            if circle is None or circle.seen < LEAST_RIM_SEEN:
                return None
            centre, radius, height = circle.centre, circle.radius, half - ground
        if circle is None or not self.least <= 2 * radius <= self.most:
            return None
        steep = ring.steepness(radius, self.spacing, top - ground, ground)
        quality = (
            min(1.0, circle.seen / 0.8)
            * float(np.clip((steep - 0.3) / 0.3, 0, 1))
            * min(1.0, share / 0.8)
            * (1 - circle.against)
        )
        # a neighbour of the same size, touching, hides a sixth of the rim; clothes may hang over a third of it
        grown = float((blocked & ~circle.arcs).mean())
        quality *= 1 - min(1.0, 2.5 * max(0.0, grown - 0.17) + 1.5 * max(0.0, walled - 0.35))
        return Disc(
            (float(centre[0]), float(centre[1])),
            float(ground),
            float(top - ground),
            2 * float(radius),
            float(circle.error),
            float(circle.seen),
            float(quality),
        )


@dataclass(frozen=True, eq=False)
class _Neighbourhood:
    """The points about a surface that a base on it may have, and the edges between them that rise above it."""

    points: Floats
    edges: Integers
    middles: cKDTree
    ground: float
    index: Indices
    tree: cKDTree

    def cut(self, z: float, centre: Floats | None = None, reach: float = 0.0) -> tuple[Floats, Floats]:
        """Where the edges cross a height: (k, 2) places and (k, 2) the ways down, no unit vectors."""
        edges = self.edges
        if centre is not None:
            edges = edges[np.sort(np.asarray(self.middles.query_ball_point(centre, reach), dtype=np.int64))]
        heights = self.points[:, 2]
        crosses = (heights[edges[:, 0]] < z) != (heights[edges[:, 1]] < z)
        a, b = self.points[edges[crosses, 0]], self.points[edges[crosses, 1]]
        share = ((z - a[:, 2]) / (b[:, 2] - a[:, 2]))[:, None]
        down = (b[:, :2] - a[:, :2]) * np.sign(a[:, 2] - b[:, 2])[:, None]
        return a[:, :2] + share * (b[:, :2] - a[:, :2]), down

    def profile(self, centre: Floats, radius: float) -> _Ring:
        """The points in and about a circle."""
        index = self.index[np.sort(np.asarray(self.tree.query_ball_point(centre, 1.6 * radius), dtype=np.int64))]
        offset = self.points[index, :2] - centre
        return _Ring(
            np.hypot(offset[:, 0], offset[:, 1]) / radius,
            np.arctan2(offset[:, 1], offset[:, 0]),
            self.points[index, 2] - self.ground,
            self.ground,
        )


@dataclass(frozen=True, eq=False)
class _Ring:
    """The points in and about a circle: distances as shares of its radius, angles, heights above the surface."""

    distance: Floats
    angle: Floats
    height: Floats
    ground: float

    def steepness(self, radius: float, spacing: float, height: float, ground: float) -> float:
        """The share of a base's height that it falls from a little within its rim to a little without.

        That of a base is nearly all of it, though a fused scan rounds the foot; that of a hillock is a third.
        """
        step = 1.5 * spacing / radius
        inner = (np.abs(self.distance - 1 + step) < 0.5 * step) & (self.height < ground - self.ground + 1.5 * height)
        outer = np.abs(self.distance - 1 - step) < 0.5 * step
        if not inner.any() or not outer.any():
            return 1.0  # nobody has seen it
        # neighbours that touch are higher beside it: the lower half tells what it does where it is free
        fall = np.percentile(self.height[inner], 65) - np.percentile(self.height[outer], 35)
        return float(fall / height)

    def ledge(
        self, cut: float, radius: float, noise: float, spacing: float
    ) -> tuple[float, float, float, Flags, float] | None:
        """Ground, z of the ledge within the rim, the share of the ring that is level at its height or hidden, the
        arcs beyond which something is no lower, and the share on which a wall goes on upwards.

        None where there is no ledge: a wall goes on upwards, or nothing is there.
        """
        outer, inner = 1 - min(0.3, 1.0 * spacing / radius), 0.55
        within = (self.distance > inner) & (self.distance < outer) & (self.height > cut)
        within &= self.height < 3.2 * cut + 2 * noise
        if within.sum() < 6:
            return None
        top = densest(self.height[within], max(2 * noise, 0.15 * cut))[0]
        level = within & (np.abs(self.height - top) < max(2.5 * noise, 0.2 * top))
        sector = ((self.angle + np.pi) / (2 * np.pi) * ARCS).astype(int) % ARCS
        ledges = np.bincount(sector[level], minlength=ARCS) > 0
        # hidden: something higher stands on it there, and not only outside of it
        above = (self.distance < outer) & (self.height > top + 3 * noise)
        hidden = (np.bincount(sector[above], minlength=ARCS) > 0) & ~ledges
        share = float(ledges.sum() + 0.5 * hidden.sum()) / ARCS
        if ledges.sum() < 0.22 * ARCS:
            return None
        about = (self.distance > 1.15) & (np.abs(self.height) < 0.5 * top)
        ground = float(np.median(self.height[about])) if about.sum() > 10 else 0.0
        beyond = (self.distance > 1.1) & (self.distance < 1.3)
        on = beyond & (self.height > 0.6 * top) & (self.height < 3 * top)
        blocked = np.bincount(sector[on], minlength=ARCS) > 0
        wall = (
            (np.abs(self.distance - 1) < 0.12) & (self.height > 1.4 * top + noise) & (self.height < 3 * top + spacing)
        )
        walled = np.bincount(sector[wall], minlength=ARCS) > 0
        return self.ground + ground, self.ground + top, share, blocked, float(walled.mean())


# ---- base votes

# The diameters in mm of the round bases that are sold
BASE_DIAMETERS = (25.0, 28.5, 32.0, 40.0, 50.0, 60.0, 80.0, 100.0)
EQUAL_SHARES = dict.fromkeys(BASE_DIAMETERS, 1.0)  # the bases, each as likely as the others

COMMON = {25.0: 0.30, 28.5: 0.10, 32.0: 0.25, 40.0: 0.14, 50.0: 0.08, 60.0: 0.06, 80.0: 0.04, 100.0: 0.03}
"""How common each of them is on a table, roughly: most figures are men. It orders answers, it settles nothing."""

BIAS = 0.01  # standard deviation of what all bases of a size are off together: rims slope, and makers differ by 1 %

SIZE_GAP = 0.04
"""Diameters closer than this share are of one size: the sizes that exist are 12 % apart, scans measure within 2 %."""

STRAY = 1 / np.log(10.0)
"""Density, over the logarithm of diameters, of round things that are no bases: anywhere within a factor of ten."""

LEAST_QUALITY = 0.5  # quality from which on a disc counts; below it is a guess


@dataclass(frozen=True, eq=False)
class Sizes:
    """The sizes of the round bases that were measured, in the file's unit."""

    diameter: Floats  # (k,) float64, ascending, each the mean of bases of one size
    error: Floats  # (k,) float64, standard deviation of its logarithm, what all are off together included
    count: Floats  # (k,) how many bases have it
    chance: Floats  # (k,) float64, from 0 to 1: that these are bases at all

    @classmethod
    def of(cls, discs: Sequence[Disc], spacing: float) -> Sizes:
        """The sizes among some discs; `spacing` is the scan's.

        >>> discs = [Disc((0, 0), 0, 3, 24.9, 0.1, 1), Disc((0, 0), 0, 3, 25.1, 0.1, 1), Disc((0, 0), 0, 3, 40, 0.1, 1)]
        >>> Sizes.of(discs, 1.0).diameter.round(2).tolist()
        [25.0, 40.0]
        >>> len(Sizes.of([], 1.0).diameter)
        0
        """
        chosen = sorted((disc for disc in discs if disc.quality >= LEAST_QUALITY), key=lambda disc: disc.diameter)
        if not chosen:
            return cls(*np.zeros((4, 0)))
        logs = np.log([disc.diameter for disc in chosen])
        errors = np.array([disc.error / disc.diameter for disc in chosen])
        chances = 0.8 * np.clip([2 * disc.quality - 1 for disc in chosen], 0.1, 1.0)
        groups = np.concatenate([[0], np.cumsum(np.diff(logs) > SIZE_GAP)])
        weights = chances / (errors**2 + 0.01**2)
        total = np.bincount(groups, weights)
        means = np.bincount(groups, weights * logs) / total
        counts = np.bincount(groups).astype(np.float64)
        own = np.bincount(groups, errors**2 + (logs - means[groups]) ** 2) / counts**2
        off = BIAS**2 + (0.1 * spacing / np.exp(means)) ** 2
        chance = 1 - np.exp(np.bincount(groups, np.log1p(-chances)))
        return cls(np.exp(means), np.sqrt(own + off), counts, np.minimum(chance, 0.98))

    def likelihood(self, mm: Floats, shares: Mapping[float, float] = EQUAL_SHARES) -> Floats:
        """The logarithm of the likelihood of what was measured, for each scale of `mm` (n,) per unit.

        Each size is one of those that exist, by their `shares`, or no base at all.
        """
        bases = np.array(list(shares))
        off = np.log(np.multiply.outer(np.asarray(mm), self.diameter))[..., None] - np.log(bases)
        width = self.error[:, None]
        weights = np.array(list(shares.values())) / sum(shares.values())
        fits = (weights * np.exp(-0.5 * (off / width) ** 2) / (np.sqrt(2 * np.pi) * width)).sum(axis=-1)
        return np.asarray(np.log(self.chance * fits + (1 - self.chance) * STRAY).sum(axis=-1))

    def rarity(self, mm: Floats) -> Floats:
        """The logarithm of how common the sizes are at each scale, the more bases the more: it orders answers only."""
        likelier = self.likelihood(mm, COMMON) - self.likelihood(mm)
        main = Sizes(self.diameter, self.error, self.count, self.chance * (self.count == self.count.max(initial=0)))
        many = np.sqrt(self.count.max(initial=1.0)) - 1
        return np.asarray(likelier + many * (main.likelihood(mm, COMMON) - main.likelihood(mm)))

    def refined(self, mm: float, bases: Iterable[float] = BASE_DIAMETERS) -> tuple[float, float]:
        """A scale moved to where the sizes near one that exists fit best, and its standard deviation as a share."""
        _, off, mine = self._nearest(mm, bases)
        if not mine.any():
            return mm, SIZE_GAP
        weights = self.chance[mine] / self.error[mine] ** 2
        shift = float((weights * off[mine]).sum() / weights.sum())
        return mm * float(np.exp(-shift)), float(1 / np.sqrt((1 / self.error[mine] ** 2).sum()))

    def named(self, mm: float, bases: Iterable[float] = BASE_DIAMETERS) -> tuple[float, ...]:
        """The sizes that exist which are there at a scale: of those that are likely to be bases at all."""
        near, _, mine = self._nearest(mm, bases)
        return tuple(sorted(set(near[mine & (self.chance > 0.3)].tolist())))

    def explained(self, mm: float) -> float:
        """From 0 to 1, how much of what is likely to be bases has sizes that exist at a scale."""
        mine = self._nearest(mm, BASE_DIAMETERS)[2]
        return float(self.chance[mine].sum() / self.chance.sum()) if self.chance.sum() > 0 else 0.0

    def scales(self, least: float, most: float, bases: Iterable[float] = BASE_DIAMETERS) -> list[float]:
        """Every scale from ``least`` to ``most`` at which a measured size is one that exists, each refined.

        Of those within 1 % of each other there is one.
        """
        bases = tuple(bases)
        tried = np.divide.outer(np.array(bases), self.diameter).ravel()
        refined = sorted(self.refined(mm, bases)[0] for mm in tried.tolist() if least <= mm <= most)
        scales: list[float] = []
        for mm in refined:
            if least <= mm <= most and (not scales or mm > 1.01 * scales[-1]):
                scales.append(mm)
        return scales

    def _nearest(self, mm: float, bases: Iterable[float]) -> tuple[Floats, Floats, Flags]:
        """For each size the nearest of some bases, how far it is off (a logarithm), and whether it may be that one."""
        there = np.array(list(bases))
        off = np.log(mm * self.diameter)[:, None] - np.log(there)
        best = np.abs(off).argmin(axis=1)
        off = off[np.arange(len(best)), best]
        return there[best], off, np.abs(off) < np.maximum(3 * self.error, SIZE_GAP)
