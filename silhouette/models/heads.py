"""TAG: what may be a figure's head: the round things of a head's size in it, and how likely each of them is it.

faces -> cubes -> depths -> balls inside the body -> features of each -> likelihood

A ball fits into a head, and also into a fist, a hammer, a crest, a hump. A head is told from those by its size, by
where it sits, and by what is round it: free space, shoulders below, a trunk below these. All these are numbers, which a
conditional logit weighs (D. McFadden, 1974). That none of them is the head is weighed as well: where nothing looks like
one, all are unlikely. The weights, in ``heads.json``, were fitted to figures whose eyes are known:
`tests/support/estimated_eyes.py`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from silhouette.files.cache import Cache
from silhouette.geometry import Flags, Floats, cosine_and_sine
from silhouette.meshes.mesh import Mesh
from silhouette.models.cubes import Cubes, Indices, depths

CUBES = 80  # along the longest side of the figure
LEAST_BALL = 0.18  # of the body's thickness: smaller balls are no heads
LEAST_CUBES = 1.8  # the same in cubes: what is smaller is no ball but a grid's corner
MIN_HEAD_SPACING = 0.7  # of the larger ball's radius: balls nearer to each other are one
MOST_BALLS = 48
SHELLS = (1.25, 1.6, 2.1, 2.8, 3.8, 5.2, 7.0)  # radii of the spheres round a ball at whose points the body is sampled
SPHERE_POINTS = 160  # points on each
BANDS = (-0.8, -0.3, 0.3, 0.8)  # of such a sphere: the heights, in radii, between its bottom, three rings, and its top


@dataclass(frozen=True, eq=False)
class Balls:
    """The balls that fit into a body, mm.

    Attributes:
        centres: (k, 3).
        radii: (k,).
        features: (k, f) what tells heads from others: see `_features`.
    """

    centres: Floats
    radii: Floats
    features: Floats

    def likelihood(self) -> Floats:
        """(k,) how likely each is the head; what they lack to 1 is how likely the head is none of them."""
        weights, none = WEIGHTS
        scores = np.append(self.features @ weights, none)
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
    features = _features(depth, places, radii, np.array(cosine_and_sine(front)))
    return Balls(solid.low + (places + 0.5) * solid.pitch, radii * solid.pitch, features)


def stored_balls(body: Mesh, front: float, cache: Cache) -> Balls | None:
    """`balls_in`, kept in a cache."""

    def build() -> dict[str, NDArray[Any]]:
        balls = balls_in(body, front)
        return {} if balls is None else dict(vars(balls))

    kept = cache.fetch(f"heads 3 {body.digest} {front!r}", build)
    return Balls(kept["centres"], kept["radii"], kept["features"]) if kept else None


def _peaks(depth: Floats) -> Indices:
    """(k, 3) the cubes in which the largest balls have their middles, apart from each other; the largest ball first.

    Each is the deepest of its surroundings at its own height: so is a head that is sunk into the shoulders.
    """
    from scipy.ndimage import maximum_filter

    least = max(LEAST_CUBES, LEAST_BALL * float(depth.max()))
    peaks = np.argwhere((depth >= least) & (maximum_filter(depth, (3, 3, 1)) == depth))
    peaks = peaks[np.argsort(-depth[tuple(peaks.T)], kind="stable")]
    chosen: list[Indices] = []
    while len(peaks) and len(chosen) < MOST_BALLS:
        chosen.append(peaks[0])
        peaks = peaks[np.linalg.norm(peaks - peaks[0], axis=1) >= MIN_HEAD_SPACING * depth[tuple(peaks[0])]]
    return np.array(chosen, np.intp).reshape(-1, 3)


def _features(depth: Floats, places: Indices, radii: Floats, forward: Floats) -> Floats:
    """(k, f) the features of balls at cubes (k, 3), in units of cubes; their radii are (k,).

    Ten numbers and their squares: the logs of its radius over the height of all balls, over the edge of a cube as large
    as the body, and over the largest radius; its top over that height; how far it lies aside, ahead of and above the
    body's middle, in such edges; the share of balls that are higher; how far it lies aside, and below the highest top,
    in its radii. Then the surroundings, as `_surroundings` has them.
    """
    solid = np.argwhere(depth > 0.0)
    middle, edge = solid.mean(axis=0), len(solid) ** (1.0 / 3.0)
    tops, low = places[:, 2] + radii, float(solid[:, 2].min())
    high = float(tops.max())
    offset = places - middle
    aside, ahead = np.abs(offset[:, :2] @ [-forward[1], forward[0]]), offset[:, :2] @ forward
    higher = np.argsort(np.argsort(-tops, kind="stable"), kind="stable") / len(tops)
    own = np.column_stack([
        np.log(radii / (high - low)), np.log(radii / edge), np.log(radii / radii.max()), (tops - low) / (high - low),
        aside / edge, ahead / edge, offset[:, 2] / edge, higher, aside / radii, (high - places[:, 2]) / radii,
    ])  # fmt: skip
    return np.hstack([own, own**2, _surroundings(depth > 0.0, places, radii, forward)])


def _surroundings(solid: Flags, places: Indices, radii: Floats, forward: Floats) -> Floats:
    """(k, f) how much is solid round balls: on spheres round each, in regions of these.

    A head has free space round it, shoulders below, a trunk below these; a fist has an arm, a hammer a handle. Each
    sphere of `SHELLS` has 14 regions: bottom, top, and between them three rings of ahead, left, behind, right. Of left
    and right there are the mean and how far they differ. All is measured in radii of the ball: its size does not count.
    """
    sphere, ahead, beside = _sphere()
    left = np.array([-forward[1], forward[0]])
    ways = np.column_stack([sphere[:, 0, None] * left + sphere[:, 1, None] * forward, sphere[:, 2]])
    at = places[:, None, None] + radii[:, None, None, None] * np.array(SHELLS)[:, None, None] * ways
    at = np.rint(at).astype(np.intp)
    inside: Flags = np.all((at >= 0) & (at < np.array(solid.shape)), axis=-1)
    at = np.where(inside[..., None], at, 0)
    values = (inside & solid[tuple(np.moveaxis(at, -1, 0))]).astype(np.float64)
    left_right = values @ beside.T
    means, differences = (left_right[..., :3] + left_right[..., 3:]) / 2.0, left_right[..., :3] - left_right[..., 3:]
    return np.hstack([part.reshape(len(places), -1) for part in (values @ ahead.T, means, np.abs(differences))])


def _sphere() -> tuple[Floats, Floats, Floats]:
    """(ROUND, 3) points all over a sphere of radius 1, on a spiral: to the left, ahead and up.

    And what averages over its regions: (8, ROUND) bottom, top, ahead and behind; (6, ROUND) left, then right.
    """
    z = 1.0 - (2.0 * np.arange(SPHERE_POINTS) + 1.0) / SPHERE_POINTS
    turn = np.arange(SPHERE_POINTS) * np.pi * (3.0 - np.sqrt(5.0))
    sphere = np.column_stack([np.sqrt(1.0 - z**2) * np.cos(turn), np.sqrt(1.0 - z**2) * np.sin(turn), z])
    band, side = np.digitize(z, BANDS), np.abs(sphere[:, 0]) > np.abs(sphere[:, 1])
    to_left, to_front = sphere[:, 0] > 0.0, sphere[:, 1] > 0.0
    rings = [band == ring for ring in (1, 2, 3)]
    ahead = [band == 0, band == 4, *(ring & ~side & (to_front == way) for way in (True, False) for ring in rings)]
    beside = [ring & side & (to_left == way) for way in (True, False) for ring in rings]
    of_ahead, of_beside = (
        np.array([region / np.count_nonzero(region) for region in regions]) for regions in (ahead, beside)
    )
    return sphere, of_ahead, of_beside


def _weights() -> tuple[Floats, float]:
    """(f,) what a unit of each feature adds to the logarithm of how likely a ball is the head; that of "no ball"."""
    numbers = json.loads(Path(__file__).with_name("heads.json").read_text(encoding="utf-8"))
    return np.array(numbers["weights"]), float(numbers["none"])


WEIGHTS = _weights()
"""As `python -m tests.support.estimated_eyes --fit` writes them."""
