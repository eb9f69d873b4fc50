"""SCAN: what of a scan rises above the table, in connected regions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import dijkstra
from scipy.spatial import ConvexHull, cKDTree
from shapely import Polygon, contains_xy

from silhouette.common.errors import RequestError
from silhouette.common.geometry import Flags, Floats, Integers
from silhouette.scans.surfaces import groups_of

Indices = NDArray[np.int64]

SPECK = 3.0  # mm; what is smaller than that in all directions is no piece of a game, but noise
JOIN = 6.0  # mm; parts of a piece that a scan has torn apart lie no farther from each other, as under a roof's edge


PARTS_OF_HALF = 100
"""The largest parts of a scan that hold half of what is above its table are so many at most: of tables some ten, of
noisy ones too; of spikes or dust thousands, and each part costs a look at all points."""


def refuse_spikes(points: Floats, edges: Integers, floor: float) -> None:
    """Refuses a scan of which what is above the table is no surface, but spikes or dust.

    Args:
        points: (n, 3) levelled, z = 0 is the table's top.
        edges: (k, 2) pairs of neighbours.
        floor: the height up to which the table reaches.

    Raises:
        RequestError: half of the points that have neighbours up there need more than `PARTS_OF_HALF` connected parts.
    """
    above = points[:, 2] > floor
    joined = edges[above[edges].all(axis=1)]
    index, ends = np.unique(joined, return_inverse=True)
    if len(index) == 0:
        return
    sizes = np.sort(np.bincount(groups_of(len(index), ends.reshape(-1, 2).astype(np.int32))))[::-1]
    parts = 1 + int(np.searchsorted(np.cumsum(sizes), 0.5 * len(index)))
    if parts > PARTS_OF_HALF:
        raise RequestError(
            f"the scan is too jagged: half of what is above its table are {parts:,} parts that nothing joins, as "
            "spikes or dust; a scan is a surface: smooth it, or remove what is no part of the table"
        )


def regions_above(
    points: Floats,
    edges: Integers,
    usable: Flags,
    on_table: Flags,
    noise: float,
    spacing: float,
    size: tuple[float, float] | None,
) -> Integers:
    """(n,) int32: 0 the table, k the k-th region above it, -1 specks and what lies below or beside.

    Regions that hang in the air are put to the one that they hang over or by, where there is one near.
    """
    heights = points[:, 2]
    floor = max(3 * noise, 0.4)  # 0.4 mm: thinner than any piece; three deviations: the table's noise ends there
    labels = np.full(len(points), -1, dtype=np.int32)
    inside = usable.copy()
    if size is not None:
        reach = np.asarray(size) / 2 + 3 * spacing
        inside &= (np.abs(points[:, :2]) < reach).all(1)
    labels[inside & (np.abs(heights) <= floor + spacing)] = 0
    labels[inside & on_table] = 0
    above = inside & (heights > floor) & ~(on_table & (heights < 2 * floor))
    kept = edges[above[edges[:, 0]] & above[edges[:, 1]]]
    group = groups_of(len(points), kept)
    index = np.flatnonzero(above).astype(np.int64)
    if len(index) == 0:
        return labels
    numbers, group_of = np.unique(group[index], return_inverse=True)
    group_of = group_of.astype(np.int64)
    low = np.full((len(numbers), 3), np.inf)
    high = np.full((len(numbers), 3), -np.inf)
    np.minimum.at(low, group_of, points[index])
    np.maximum.at(high, group_of, points[index])
    count = np.bincount(group_of)
    least = max(SPECK, 2 * spacing)
    bump = (low[:, 2] < least) & (high[:, 2] < max(2.0, 6 * noise))  # no higher than a coin: nothing hides behind it
    speck = ~bump & ((high - low).max(1) < least) | (count < 6)
    result = np.where(speck, -1, np.where(bump, 0, -2))
    whole = np.flatnonzero(result == -2).astype(np.int64)
    result[whole] = 1 + _joined(points, index, group_of, whole, low, floor, spacing)
    final = result[group_of]
    final[(final == -1) & (heights[index] < least)] = 0
    labels[index] = final
    return _without_crumbs(points, labels, spacing)


def _without_crumbs(points: Floats, labels: Integers, spacing: float, least: float = 150.0) -> Integers:
    """Labels in which regions of few points, of less than so many square mm, have gone to the table or to -1.

    To the table where they lie on it: so small and low a thing is its unevenness.
    """
    count = np.bincount(labels[labels > 0], minlength=int(labels.max(initial=0)) + 1)
    small = np.flatnonzero((count * 0.87 * spacing**2 < max(least, 20 * spacing**2)) & (count > 0))
    out = labels.copy()
    for number in small[small > 0]:
        members = labels == number
        out[members] = 0 if points[members, 2].min() < 2 * SPECK else -1
    return out


def _joined(
    points: Floats, index: Indices, group_of: Indices, whole: Indices, low: Floats, floor: float, spacing: float
) -> Integers:
    """(k,) the number of the region, from 0, of each group in `whole`, with those in the air put to what is near."""
    order = np.full(group_of.max() + 1, -1)
    order[whole] = np.arange(len(whole))
    part = order[group_of]
    pairs = [np.empty((0, 2), dtype=np.int64)]
    standing = low[whole, 2] < floor + max(2.0, 2 * spacing)
    for one in np.flatnonzero(~standing):
        mine = points[index[part == one]]
        reach = max(JOIN, 3 * spacing)
        near = (part != one) & (part >= 0)
        near &= (points[index] > mine.min(0) - [reach, reach, np.inf]).all(1) & (
            points[index] < mine.max(0) + reach
        ).all(1)
        others = index[near]
        if len(others) == 0:
            continue
        distance, which = cKDTree(points[others]).query(mine, distance_upper_bound=reach)
        if np.isfinite(distance).any():
            best = part[near][which[int(np.argmin(distance))]]
        else:  # over it: what it stands on cannot be seen from above
            flat, below = cKDTree(points[others, :2]).query(mine[:, :2], distance_upper_bound=max(2.0, 2 * spacing))
            if not np.isfinite(flat).any():
                continue
            best = np.bincount(part[near][below[np.isfinite(flat)]]).argmax()
        pairs.append(np.array([[one, best]]))
    return groups_of(len(whole), np.vstack(pairs).astype(np.int32))


def taken_in(points: Floats, labels: Integers) -> Integers:
    """Labels in which small regions that lie within a large one, such as a floor seen through its windows, are its.

    Within: nearly all of it under the hull of the larger one's plan and no higher; small: a tenth of its points. What
    stands on the table in there, as a die in a ruin, stays by itself.
    """
    out = labels.copy()
    numbers, count = np.unique(labels[labels > 0], return_counts=True)
    order = np.argsort(-count, kind="stable")
    for k in order:
        large = labels == numbers[k]
        smaller = [j for j in order if count[j] < 0.1 * count[k] and (out[labels == numbers[j]] == numbers[j]).all()]
        if count[k] < 2000 or not smaller:
            continue
        plan = points[large, :2]
        hull = plan[ConvexHull(plan).vertices]
        for j in smaller:
            small = labels == numbers[j]
            low, high = points[small].min(0), points[small].max(0)
            if high[2] > points[large, 2].max() or (high[:2] < hull.min(0)).any() or (low[:2] > hull.max(0)).any():
                continue
            stands = low[2] < 2.0 and high[2] - low[2] > 0.5 * (high - low)[:2].max()
            if not stands and contains_xy(Polygon(hull), *points[small, :2].T).mean() > 0.9:
                out[small] = numbers[k]
    return out


def nearest_along(points: Floats, edges: Integers, labels: Integers, unknown: Flags) -> Integers:
    """Labels in which what is unknown has got that of what is nearest along the surface; unreached ones keep theirs."""
    one, other = edges.T
    length = np.linalg.norm(points[one] - points[other], axis=1) + 1e-9
    used = unknown[one] | unknown[other]
    graph = csr_matrix((length[used], (one[used], other[used])), shape=(len(points), len(points)))
    rim = np.unique(np.concatenate([one[used], other[used]]))
    sources = rim[~unknown[rim]]
    if len(sources) == 0:
        return labels
    _, _, source = dijkstra(graph, directed=False, indices=sources, min_only=True, return_predecessors=True)
    out = labels.copy()
    reached = unknown & (source >= 0)
    out[reached] = labels[source[reached]]
    return out
