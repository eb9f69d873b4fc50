"""SCAN: the figures within a region, cut out of it above their bases."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from silhouette.common.geometry import Flags, Floats, Integers
from silhouette.scans.discs import Disc
from silhouette.scans.surfaces import groups_of

SHORTEST, TALLEST = 8.0, 130.0  # mm; what stands on a base is a figure when it rises so far above it

CONTACT = 0.6
"""The most of a rim's length along which a figure may be grown together with its surroundings. What has more is a part
of them, as a tower of a wall, unless its rim is seen well; the worse a disc, the less of that it may have."""

CENTRAL = 0.3
"""The least share of the points over a base that lies within two thirds of its radius: figures stand in the
middle, stairs at the rim."""


@dataclass(frozen=True, eq=False)
class Standing:
    """What stands on a disc."""

    disc: Disc  # the base
    points: Integers  # (k,) indices of its points, the base's among them
    rises: float  # mm above the ground
    touches: bool  # whether it is grown together with something else above its base


def on_discs(
    points: Floats, edges: Integers, labels: Integers, discs: list[Disc], noise: float, spacing: float
) -> list[Standing]:
    """What stands on each disc, where anything upright does; points belong to one at most.

     figure + its overhang        cylinder over the base; what is linked to the base within it is the figure's,
          | |~~~~                 and so is what hangs on that outside and does not come down to the ground
     _____| |_____                anywhere (a sword, a wing, a cloak)
    |_____________|  wall
    """
    taken = np.zeros(len(points), dtype=bool)
    tree = cKDTree(points[:, :2])
    found = []
    for disc in sorted(discs, key=lambda one: -one.ground):  # first what stands on others
        standing = _on_disc(points, edges, labels, disc, noise, spacing, tree, taken)
        if standing is not None and standing.rises <= TALLEST:
            taken[standing.points] = True
            found.append(standing)
    return found


def _on_disc(
    points: Floats,
    edges: Integers,
    labels: Integers,
    disc: Disc,
    noise: float,
    spacing: float,
    tree: cKDTree,
    taken: Flags,
) -> Standing | None:
    radius = disc.diameter / 2
    near = np.sort(np.asarray(tree.query_ball_point(disc.centre, max(3 * radius, radius + 60)), dtype=np.int64))
    height = points[near, 2] - disc.ground
    # what is below the ground that it stands on plays no part; a little of the fillet goes with the ground
    keep = (labels[near] > 0) & ~taken[near] & (height > 0.3 * disc.height)
    near, height = near[keep], height[keep]
    if len(near) < 6:
        return None
    distance = np.hypot(*(points[near, :2] - disc.centre).T)
    number = np.full(len(points), -1)
    number[near] = np.arange(len(near))
    some = number[edges]
    some = some[(some >= 0).all(1)].astype(np.int32)
    within = distance < radius + 0.5 * spacing + noise
    inner = groups_of(len(near), some[within[some].all(1)])
    ledge = within & (height < 1.5 * disc.height) & (height > 0.3 * disc.height)
    if not ledge.any():
        return None
    linked = within & np.isin(inner, np.unique(inner[ledge]))
    # parts within, but not linked inside: a raised arm seen apart from the body belongs to it unless it goes outside
    outside = ~linked
    outer = groups_of(len(near), some[outside[some].all(1)])
    grounded = outside & (height < 1.6 * disc.height) & (distance > radius + spacing)
    grounded |= outside & (distance > max(3 * radius, radius + 60) - 3 * spacing)
    bound = np.unique(outer[grounded])
    free = outside & ~np.isin(outer, bound)
    across = some[linked[some[:, 0]] != linked[some[:, 1]]]
    touching = np.unique(outer[across[outside[across]]])
    figure = linked | (free & (np.isin(outer, touching) | (distance < radius)))
    rises = float(height[figure].max())
    if not disc.height + SHORTEST < rises:
        return None
    body = distance[linked & (height > 2 * disc.height)]
    if len(body) and (body < 0.65 * radius).mean() < CENTRAL:
        return None
    grown = outside[across] & np.isin(outer[across], bound)
    seam = np.unique(across[grown[:, ::-1]])
    contact = len(seam) * spacing / (np.pi * disc.diameter)
    if contact > CONTACT * disc.quality and disc.quality < 0.85:
        return None
    return Standing(disc, near[figure].astype(np.int32), rises, contact > 0)
