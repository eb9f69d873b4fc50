"""SCAN: round bases, found by their rims and their level tops.

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
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from silhouette.common.errors import go_on
from silhouette.common.geometry import Flags, Floats, Integers
from silhouette.scans.circles import ARCS, best_circle, circle_seeds, outline_normals
from silhouette.scans.surfaces import Surface, edges_of, level_surfaces, vertex_normals


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

SEEN = 0.4  # less of a rim than this share is no base: walls and corners make so much of a circle by chance

THINNEST, THICKEST = 0.02, 0.24
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
    surfaces: list[Surface] | None = None,
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
    found = search.on(0.0, None)
    for surface in surfaces:
        found += search.on(surface.z, surface.points)
    return _apart(found)


def _apart(discs: list[Disc]) -> list[Disc]:
    """One of each group of discs that overlap by more than bases can, at about one height: the best."""
    kept: list[Disc] = []
    for disc in sorted(discs, key=lambda one: (-one.quality, one.centre)):
        for other in kept:
            apart = np.hypot(disc.centre[0] - other.centre[0], disc.centre[1] - other.centre[1])
            reach = (disc.diameter + other.diameter) / 2
            near = abs(disc.ground - other.ground) < 2 * max(disc.height, other.height)
            if apart < 0.85 * reach and near:
                break
        else:
            kept.append(disc)
    return kept


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
        top = ground + THICKEST * self.most + 2 * self.spacing
        near = (points[:, 2] > ground - 2 * self.spacing) & (points[:, 2] < top)
        if region is not None:  # what stands on it, with what reaches over its edge
            margin = self.most / 2
            low, high = points[region, :2].min(0) - margin, points[region, :2].max(0) + margin
            near &= (points[:, 0] > low[0]) & (points[:, 1] > low[1]) & (points[:, 0] < high[0])
            near &= points[:, 1] < high[1]
        heights = self._heights()
        one, other = self.edges.T
        rises = near[one] & near[other]
        rises &= np.maximum(points[one, 2], points[other, 2]) > ground + 0.4 * heights[0]
        edges = self.edges[rises]
        if len(edges) < 10:
            return []
        middles = (points[edges[:, 0], :2] + points[edges[:, 1], :2]) / 2
        index = np.flatnonzero(near).astype(np.int64)
        place = _Place(points, edges, cKDTree(middles), ground, index, cKDTree(points[index, :2]))
        found: list[Disc] = []
        for height in heights:
            found += self._at(place, height, found)
        return _apart(found)

    def _heights(self) -> list[float]:
        """Heights of the cuts above the ground: from just above its noise to half the highest base, a third apart."""
        low = max(3 * self.noise, 0.5 * self.spacing, 0.5 * THINNEST * self.least)
        high = max(low, 0.5 * min(THICKEST * self.least, 0.1 * self.most) * 1.5)
        count = 1 + int(np.ceil(np.log(high / low) / np.log(1.35)))
        return [float(height) for height in np.geomspace(low, high, count)]

    def _at(self, place: _Place, height: float, before: list[Disc]) -> list[Disc]:
        """The discs of which one cut shows the rim, but for those that another has shown well."""
        cut, down = place.cut(place.ground + height)
        if len(cut) < 8:
            return []
        reach = max(2.5 * self.spacing, 0.06 * self.least)
        outward, tree = outline_normals(cut, down, reach)
        slack = self.slack
        found = []
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
            if circle is None or circle.seen < 0.75 * SEEN or not self.least <= 2 * circle.radius <= self.most:
                continue
            disc = self._disc(place, circle.centre, circle.radius, height)
            if disc is not None:
                found.append(disc)
        return _apart(found)

    @property
    def slack(self) -> float:
        """How far a point of a cut may lie off its circle: the noise, and the steps of the scan's own grid."""
        return max(2 * self.noise, 0.25 * self.spacing) + 0.35 * self.spacing

    def _disc(self, place: _Place, centre: Floats, radius: float, height: float) -> Disc | None:
        """The base of which a circle at some height above the ground is the rim, or None where it has no ledge."""
        circle = None
        for _ in range(2):  # the second time from the true half height
            ring = place.profile(centre, radius)
            measured = ring.ledge(height, radius, self.noise, self.spacing)
            if measured is None:
                return None
            ground, top, share, blocked, walled = measured
            if not THINNEST * 2 * radius <= top - ground <= THICKEST * 2 * radius:
                return None
            half = (top + ground) / 2
            cut, down = place.cut(half, centre, 1.45 * radius + self.spacing)
            if len(cut) < 8:
                return None
            outward, _tree = outline_normals(cut, down, max(2.5 * self.spacing, 0.06 * self.least))
            circle = best_circle(cut, outward, (*centre, radius), self.slack)
            if circle is None or circle.seen < SEEN:
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
class _Place:
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
        top = _mode(self.height[within], max(2 * noise, 0.15 * cut))
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


def _mode(values: Floats, width: float) -> float:
    """The middle of the densest window of that width."""
    ordered = np.sort(values)
    count = np.searchsorted(ordered, ordered + width, side="right") - np.arange(len(ordered))
    first = int(np.argmax(count))
    return float(np.median(ordered[first : first + count[first]]))
