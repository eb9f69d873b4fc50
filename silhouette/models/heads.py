"""TAG: what may be a figure's head: the round things of a head's size in it, and how likely each of them is it.

faces -> cubes -> depths -> balls inside the body -> features of each -> likelihood

A ball fits into a head, and also into a fist, a hammer, a crest, a hump. A head is told from those by its size against
the trunk, by what is free around it, by the neck, by where it sits: all these are numbers, which a conditional logit
weighs (D. McFadden, 1974). That none of them is the head is weighed as well: where nothing looks like one, all are
unlikely. The weights were fitted to figures whose eyes are known: `tests/support/estimated_eyes.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from silhouette.files.cache import Cache
from silhouette.geometry import Flags, Floats, cosine_and_sine
from silhouette.meshes.mesh import Mesh
from silhouette.models.cubes import Cubes, Indices, depths

CUBES = 80  # along the longest side of the figure
LEAST_BALL = 0.28  # of the trunk's thickness: smaller balls are no heads
LEAST_CUBES = 1.8  # the same in cubes: what is smaller is no ball but a grid's corner
APART = 0.7  # of the larger ball's radius: balls nearer to each other are one
MOST_BALLS = 24
TRUNK_BELOW = 0.7  # of the height of all that is thick: what is larger and higher is a hammer, not the trunk
ROUND = 96  # points on a sphere round a ball


@dataclass(frozen=True, eq=False)
class Balls:
    """The balls that fit into a body, mm.

    Attributes:
        centres: (k, 3).
        radii: (k,).
        features: (k, f) what tells heads from others, in the order of `FEATURES`.
    """

    centres: Floats
    radii: Floats
    features: Floats

    def likelihood(self) -> Floats:
        """(k,) how likely each is the head; what they lack to 1 is how likely the head is none of them."""
        scores = np.append(self.features @ WEIGHTS, NO_BALL)
        likelihoods: Floats = np.exp(scores - scores.max())
        likelihoods /= likelihoods.sum()
        return likelihoods[:-1]


def balls_in(body: Mesh, front: float) -> Balls | None:
    """The balls inside a body, the largest first; None where it has no volume.

    Args:
        body: the significant parts, mm, z up.
        front: the direction that it faces, degrees anticlockwise from +x.
    """
    solid = Cubes.of(body.vertices[body.faces], CUBES)
    if solid is None:
        return None
    depth = depths(solid.cubes, CUBES)
    places = _peaks(depth)
    if len(places) == 0:
        return None
    radii = depth[tuple(places.T)]
    features = _features(solid.cubes, depth, places, radii, np.array(cosine_and_sine(front)))
    return Balls(solid.low + (places + 0.5) * solid.pitch, radii * solid.pitch, features)


def stored_balls(body: Mesh, front: float, cache: Cache) -> Balls | None:
    """`balls_in`, kept in a cache."""

    def build() -> dict[str, NDArray[Any]]:
        balls = balls_in(body, front)
        return {} if balls is None else dict(vars(balls))

    kept = cache.fetch(f"heads {body.digest} {front!r}", build)
    return Balls(kept["centres"], kept["radii"], kept["features"]) if kept else None


def _peaks(depth: Floats) -> Indices:
    """(k, 3) the cubes in which the largest balls have their middles, apart from each other; the largest ball first."""
    from scipy.ndimage import maximum_filter

    least = max(LEAST_CUBES, LEAST_BALL * float(depth.max()))
    peaks = np.argwhere((depth >= least) & (maximum_filter(depth, 3) == depth))
    peaks = peaks[np.argsort(-depth[tuple(peaks.T)], kind="stable")]
    chosen: list[Indices] = []
    for peak in peaks:
        near = (np.hypot.reduce(peak - other) < APART * depth[tuple(other)] for other in chosen)
        if not any(near):
            chosen.append(peak)
        if len(chosen) == MOST_BALLS:
            break
    return np.array(chosen, np.intp).reshape(-1, 3)


FEATURES = (
    "size", "size²", "level", "level²", "covered", "aside", "aside²", "ahead", "neck", "reach", "free", "round",
    "blocked", "mate", "low", "above trunk",
)  # fmt: skip
"""The features of a ball:

    size         log of its radius over the trunk's; size² the square
    level        its top's height over that of all that is thick; level² the square
    covered      the share of the column above it that is solid, two radii high
    aside        how far it lies to the side of the trunk, over the height; aside² the square
    ahead        how far it lies ahead of the trunk, over the height
    neck         the narrowest place on the way from it to the trunk, over its radius
    reach        how long that way is, over both radii
    free         the share that is solid of a sphere of 1.6 radii round it
    round        the same of 1.25 radii
    blocked      the share that is solid of the way straight ahead, from 1.3 to 2.5 radii
    mate         whether another ball as large lies opposite, on the other side of the trunk
    low          whether it lies below the trunk's middle
    above trunk  how high it lies above the trunk's middle, over the trunk's radius, at most 4
"""


WEIGHTS = np.array([
    -3.74,  # size
    -1.60,  # size²
    6.67,  # level
    1.22,  # level²
    -1.41,  # covered
    -16.62,  # aside
    23.72,  # aside²
    6.10,  # ahead
    -3.77,  # neck
    -1.62,  # reach
    -4.40,  # free
    -2.14,  # round
    -1.78,  # blocked
    -3.83,  # mate
    -2.02,  # low
    0.83,  # above trunk
])  # fmt: skip
"""What a unit of each feature adds to the logarithm of how likely a ball is the head."""

NO_BALL = -1.21
"""The same sum for "none of the balls"."""


def _features(cubes: Flags, depth: Floats, places: Indices, radii: Floats, forward: Floats) -> Floats:
    """(k, f) the features of balls at cubes (k, 3), in units of cubes; their radii are (k,)."""
    low = float(np.flatnonzero(cubes.any(axis=(0, 1)))[0])
    height = float((places[:, 2] + radii).max()) - low
    trunk = int(np.argmax(radii * (places[:, 2] - low <= TRUNK_BELOW * height)))
    offset = places - places[trunk]
    aside, ahead = offset[:, :2] @ [-forward[1], forward[0]] / height, offset[:, :2] @ forward / height
    size, level = np.log(radii / radii[trunk]), (places[:, 2] + radii - low) / height
    neck, reach = _ways(cubes, depth, places, radii, trunk)
    sphere = _sphere()
    up = np.array([[0.0, 0.0, share] for share in np.linspace(1.3, 3.0, 10)])
    out = np.array([[*forward * share, 0.0] for share in np.linspace(1.3, 2.5, 8)])
    round_it = [_solid(cubes, places, radii, way) for way in (up, 1.6 * sphere, 1.25 * sphere, out)]
    mirrored = places - 2.0 * np.outer(aside * height, [-forward[1], forward[0], 0.0])
    apart = np.linalg.norm(mirrored[:, None] - places, axis=2)
    alike = (apart < 1.5 * radii[:, None]) & (np.abs(np.log(radii[:, None] / radii)) < 0.35)
    mate = (alike.any(axis=1)) & (np.abs(aside) * height > 0.8 * radii)
    return np.column_stack([
        size, size**2, level, level**2, round_it[0], np.abs(aside), aside**2, ahead, neck, reach, round_it[1],
        round_it[2], round_it[3], mate, offset[:, 2] < 0, np.minimum(offset[:, 2] / radii[trunk], 4.0),
    ])  # fmt: skip


def _solid(cubes: Flags, places: Indices, radii: Floats, ways: Floats) -> Floats:
    """(k,) the share that is solid of some points (n, 3) round each ball, in units of its radius."""
    at = np.rint(places[:, None] + radii[:, None, None] * ways).astype(np.intp)
    inside: Flags = np.all((at >= 0) & (at < np.array(cubes.shape)), axis=2)
    at = np.where(inside[..., None], at, 0)
    share: Floats = (cubes[tuple(np.moveaxis(at, 2, 0))] & inside).mean(axis=1)
    return share


def _sphere() -> Floats:
    """(ROUND, 3) points all over a sphere of radius 1, on a spiral."""
    z = 1.0 - (2.0 * np.arange(ROUND) + 1.0) / ROUND
    turn = np.arange(ROUND) * np.pi * (3.0 - np.sqrt(5.0))
    return np.column_stack([np.sqrt(1.0 - z**2) * np.cos(turn), np.sqrt(1.0 - z**2) * np.sin(turn), z])


def _ways(cubes: Flags, depth: Floats, places: Indices, radii: Floats, trunk: int) -> tuple[Floats, Floats]:
    """The way from each ball to the trunk's through the middle of what joins them: narrowest place and length.

    (k,) the depth of the narrowest place over the ball's radius, at most 1, and (k,) the length over both radii; 0 and
    9 where nothing joins them.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import dijkstra

    number = np.full(cubes.shape, -1, np.intp)
    number[cubes] = np.arange(np.count_nonzero(cubes))
    starts, ends, costs = [], [], []
    for step in ((1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (1, -1, 0), (1, 0, 1), (1, 0, -1), (0, 1, 1), (0, 1, -1)):
        there = np.roll(number, [-part for part in step], axis=(0, 1, 2))
        joined = (number >= 0) & (there >= 0)
        starts.append(number[joined])
        ends.append(there[joined])
        between = np.minimum(depth[joined], np.roll(depth, [-part for part in step], axis=(0, 1, 2))[joined])
        costs.append(np.hypot.reduce(step) / between**2)
    count = int(number.max()) + 1
    graph = coo_array((np.concatenate(costs), (np.concatenate(starts), np.concatenate(ends))), (count, count)).tocsr()
    _, before = dijkstra(graph, directed=False, indices=number[tuple(places[trunk])], return_predecessors=True)
    inside, at = depth[cubes], np.argwhere(cubes)
    neck, reach = np.zeros(len(places)), np.full(len(places), 9.0)
    for own, place in enumerate(places):
        node = int(number[tuple(place)])
        way = [node]
        while (node := int(before[node])) >= 0:
            way.append(node)
        if way[-1] == number[tuple(places[trunk])]:
            neck[own] = min(1.0, float(inside[way].min()) / radii[own])
            reach[own] = np.linalg.norm(np.diff(at[way], axis=0), axis=1).sum() / (radii[own] + radii[trunk])
    return neck, reach
