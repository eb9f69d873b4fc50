r"""TAG: the place of a figure's eye, estimated from its shape.

    raised wings, weapons, banners, aerials    .  /\
                                               | /  \      thin: a ball half as thick as the trunk cannot enter
    crown, the top of all that is thick    - - |(  ) - -
    eye level, 0.9 of the crown's height       | \/>       the eye, on the surface ahead
                                               |/  \
    the lowest point of the body           ____|____|__

faces -> cubes -> depths -> balls inside the body -> features of each -> how likely it is the head

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
import scipy
from numpy.typing import NDArray

from silhouette.common.geometry import Flags, Floats, cosine_and_sine
from silhouette.files.cache import Cache
from silhouette.meshes.mesh import Mesh
from silhouette.models.cubes import Cubes, Indices, depths
from silhouette.models.surfaces import section

BALL_CUBES = 80  # along the longest side of the figure
MIN_BALL_SHARE = 0.18  # of the body's thickness: smaller balls are no heads
MIN_BALL_CUBES = 1.8  # the same in cubes: what is smaller is no ball but a grid's corner
MIN_HEAD_SPACING = 0.7  # of the larger ball's radius: balls nearer to each other are one
MAX_BALLS = 48
SHELLS = (1.25, 1.6, 2.1, 2.8, 3.8, 5.2, 7.0)  # radii of the spheres round a ball at whose points the body is sampled
SPHERE_POINTS = 160  # points on each
BANDS = (-0.8, -0.3, 0.3, 0.8)  # of such a sphere: the heights, in radii, between its bottom, three rings, and its top


@dataclass(frozen=True, eq=False)
class BodyBalls:
    """The balls (k, 3) of radii (k,), mm, that fit into a body, with features (k, f) that tell heads from others."""

    centres: Floats
    radii: Floats
    features: Floats

    def likelihood(self) -> Floats:
        """(k,) how likely each is the head; what they lack to 1 is how likely the head is none of them."""
        weights, none = EYE_WEIGHTS
        scores = np.append(self.features @ weights, none)
        likelihoods: Floats = np.exp(scores - scores.max())
        likelihoods /= likelihoods.sum()
        return likelihoods[:-1]


def balls_in(body: Mesh, front: float) -> BodyBalls | None:
    """The balls inside a body, its significant parts in mm, z up, the largest first; None where it has no volume.

    The front is in degrees anticlockwise from +x.
    """
    solid = Cubes.of(body.vertices[body.faces], BALL_CUBES)
    if solid is None:
        return None
    depth = depths(solid.cubes, BALL_CUBES)
    places = _peaks(depth)
    if len(places) == 0:
        return None
    radii = depth[tuple(places.T)]
    features = _features(depth, places, radii, np.array(cosine_and_sine(front)))
    return BodyBalls(solid.low + (places + 0.5) * solid.pitch, radii * solid.pitch, features)


def stored_balls(body: Mesh, front: float, cache: Cache) -> BodyBalls | None:
    """`balls_in`, kept in a cache."""

    def build() -> dict[str, NDArray[Any]]:
        balls = balls_in(body, front)
        return {} if balls is None else dict(vars(balls))

    entry = cache.fetch(f"heads 3 {body.digest} {front!r}", build)
    return BodyBalls(entry["centres"], entry["radii"], entry["features"]) if entry else None


def _peaks(depth: Floats) -> Indices:
    """(k, 3) the cubes in which the largest balls have their middles, apart from each other; the largest ball first.

    Each is the deepest of its surroundings at its own height: so is a head that is sunk into the shoulders.
    """

    least = max(MIN_BALL_CUBES, MIN_BALL_SHARE * float(depth.max()))
    peaks = np.argwhere((depth >= least) & (scipy.ndimage.maximum_filter(depth, (3, 3, 1)) == depth))
    peaks = peaks[np.argsort(-depth[tuple(peaks.T)], kind="stable")]
    chosen: list[Indices] = []
    while len(peaks) and len(chosen) < MAX_BALLS:
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


# As `python -m tests.support.estimated_eyes --fit` writes them
_HEADS = json.loads(Path(__file__).with_name("heads.json").read_text(encoding="utf-8"))
EYE_WEIGHTS = np.array(_HEADS["weights"]), float(_HEADS["none"])


EYE_LEVEL = 0.9  # of the body's height
HEAD_FROM = 0.75  # of the body's height: what lies above is head and shoulders
HEAD_REACH = 0.2  # of the body's height: no face is farther from the head's axis
MAX_FRONT_SHARE = 0.5  # of the body's height: a front farther away belongs to a gun or a hull, not to a face
EYE_CUBES_ALONG = 72  # along the longest side of the figure, in which its thick parts are looked for
# Of the trunk's thickness: what a ball of this size reaches is thick, as heads are and wings are not.
HEAD_BALL_SHARE = 0.5
CROWN_HEIGHT_SHARE = 0.97  # of the body's height: where the crown is lower, something thin stands up above the head
EYES_UP = 0.1  # of the radius of a ball that fits into a head: the eyes lie so far above its middle
FACE_REACH_RADII = 1.7  # of that radius: no face is farther ahead of the middle
ON_FACE = 1.9  # of that radius: no eye that the height of the body gives is farther, if it is this head's
NEARBY = 3.0  # mm: eyes nearer to each other count as one place
SAME_EYE_RADII = 0.5  # of that radius: no eye that the height of the body gives is farther from one that the head gives
MIN_BALL_LIKELIHOOD = 0.002  # the eyes of other balls are not worth the work
UPRIGHT_RADII = 4.0  # of that radius: what is lower lies, and its height says nothing of its eye
MAX_EYE_PLACES = 3
MIN_PLACE_LIKELIHOOD = 0.08  # of a place worth a mention
SURE_LIKELIHOOD = 0.88  # the likelihood from which on the likeliest place is not called doubtful


@dataclass(frozen=True, eq=False)
class EyePlace:
    """A place where a figure's eye may be, (3,) mm in the model's frame."""

    eye: Floats
    # (3,) mm, the middle of the head at the same height: the eye of a figure of which nobody knows where its face is
    head: Floats
    # From 0 to 1, how likely it is within `NEARBY` of it; those of all places, with those not worth a mention and with
    # that it is at none of them, sum to 1
    likelihood: float


@dataclass(frozen=True, eq=False)
class EyeEstimate:
    """An eye that is estimated from the shape: at most `MAX_EYE_PLACES`, the likeliest first; a doubt in words, if
    any.
    """

    places: tuple[EyePlace, ...]

    @property
    def eye(self) -> Floats:
        """(3,) mm in the model's frame: the likeliest place."""
        return self.places[0].eye

    @property
    def head(self) -> Floats:
        """(3,) mm: the middle of the head there."""
        return self.places[0].head

    @property
    def doubt(self) -> str | None:
        """A sentence where the eye may well be elsewhere; None where it is as good as sure."""
        if self.places[0].likelihood >= SURE_LIKELIHOOD:
            return None
        others = " or ".join(_in_words(place) for place in self.places[1:])
        where = f"at {others} instead" if others else "elsewhere"
        return f"its eye is estimated, and doubtful: it may be {where}; look at a picture of it and give eye"


def _in_words(place: EyePlace) -> str:
    x, y, z = place.eye
    return f"[{x:.1f}, {y:.1f}, {z:.1f}] ({100 * place.likelihood:.0f} %)"


def thick_parts(body: Mesh) -> Floats:
    """(n, 3) the middles of small cubes that fill the thick parts of a body, mm; none where it has no volume.

    Trunk, head and thighs are thick; spears, banners, plumes, wings and aerials are thin: a ball half as thick as the
    trunk, moved about inside the body, does not reach them.
    """
    solid = Cubes.of(body.vertices[body.faces], EYE_CUBES_ALONG)
    if solid is None:
        return np.empty((0, 3))
    ball = max(HEAD_BALL_SHARE * float(depths(solid.cubes, EYE_CUBES_ALONG // 2).max()), 1.0)
    reach = int(ball) + 2
    return solid.middles(solid.cubes & (depths(depths(solid.cubes, reach) <= ball, reach) <= ball))


def eye_estimate(
    body: Mesh, front: float = 90.0, thick: Floats | None = None, balls: BodyBalls | None = None
) -> EyeEstimate:
    """The places from which a figure may look, in the model's frame, each with how likely it is.

    Without balls there is one: it lies at nine tenths of the body's height. In plan it lies ahead of the middle of head
    and shoulders, on the outermost surface that is near enough to be the face. A plain block has no face so near: its
    eye lies on its front. Where there is no surface ahead at that height, the eye lies above the middle. Where
    something thin stands up above all that is thick, the height is that of what is thick; so are head and shoulders.

    With balls, each that may be the head gives an eye, on the surface ahead of its middle. Those that are nearer to
    each other than `NEARBY` are one place, their mean by likelihood. If the eye above is near that of the likeliest of
    these heads, it is the estimate.

    Args:
        body: the significant parts alone, mm, z up.
        front: the direction that the figure faces, in degrees anticlockwise from +x.
        thick: (n, 3) its `thick_parts`; without them the whole body counts.
        balls: what may be its head, as `balls_in` finds it.

    >>> flat = Mesh(np.eye(3) * [1, 1, 0], np.array([[0, 1, 2]], np.int32), np.zeros(1, np.int32))
    >>> [place.likelihood for place in eye_estimate(flat).places]
    [1.0]
    """
    upper = _by_height(body, front, thick)
    if balls is None or len(balls.radii) == 0:
        return EyeEstimate((upper,))
    likelihoods = balls.likelihood()
    likely = likelihoods >= min(MIN_BALL_LIKELIHOOD, float(likelihoods.max()))
    centres, radii, left = balls.centres[likely], balls.radii[likely], likelihoods[likely]
    eyes = faces_of_heads(body, centres, radii, np.array(cosine_and_sine(front)))
    near = np.linalg.norm(eyes[:, None] - eyes, axis=2) < NEARBY
    places = list[EyePlace]()
    while len(places) < MAX_EYE_PLACES and (not places or (near @ left).max() >= MIN_PLACE_LIKELIHOOD):
        around = np.where(near[int((near @ left).argmax())], left, 0.0)
        left = left - around
        likelihood, best = float(around.sum()), int(around.argmax())
        eye = around @ eyes / likelihood
        head = np.array([*(around @ centres / likelihood)[:2], eye[2]])
        if not places and _is_on(centres[best], radii[best], eye, upper.eye, body):
            eye, head = upper.eye, upper.head
        places.append(EyePlace(eye, head, likelihood))
    return EyeEstimate(tuple(places))


def _is_on(centre: Floats, radius: float, face: Floats, eye: Floats, body: Mesh) -> bool:
    """Whether an eye that the height of a body gives is on the face of a head into which a ball fits."""
    stands = float(np.ptp(body.bounds[:, 2])) >= UPRIGHT_RADII * radius
    out = float(np.hypot(*(eye - centre)[:2]))
    return stands and out <= ON_FACE * radius and float(np.linalg.norm(eye - face)) < SAME_EYE_RADII * radius


def faces_of_heads(body: Mesh, centres: Floats, radii: Floats, forward: Floats) -> Floats:
    """(k, 3) the eyes of heads into which balls fit: ahead of their middles, on the outermost surface near enough."""
    heights = body.vertices[:, 2][body.faces]
    low, high = heights.min(axis=1), heights.max(axis=1)
    eyes = []
    for centre, radius in zip(centres, radii, strict=True):
        level = float(centre[2] + EYES_UP * radius)
        crossing = (low < level) & (high >= level)
        ahead = _distances(section(body.vertices[body.faces[crossing]], level) - centre[:2], forward)
        reach = ahead[(ahead <= FACE_REACH_RADII * radius) & (ahead >= 0.5 * radius)].max(initial=0.0) or radius
        eyes.append([*(centre[:2] + reach * forward), level])
    return np.array(eyes)


def _by_height(body: Mesh, front: float, thick: Floats | None) -> EyePlace:
    """The eye at nine tenths of the body's height; the arguments are those of `eye_estimate`."""
    low, high = body.bounds[:, 2]
    forward = np.array(cosine_and_sine(front))
    heights = body.vertices[:, 2][body.faces]
    crown = high
    if thick is not None and len(thick):
        levels = np.unique(thick[:, 2])
        crown = min(high, float(levels[-1] + (np.diff(levels).min() / 2 if len(levels) > 1 else 0.0)))
    raised = thick is not None and crown - low < CROWN_HEIGHT_SHARE * (high - low)
    height = (crown if raised else high) - low
    level = low + EYE_LEVEL * height
    if thick is not None and raised:
        axis: Floats = thick[thick[:, 2] >= low + HEAD_FROM * height][:, :2].mean(axis=0)
    else:
        axis = _axis(body, heights.sum(axis=1) >= 3 * (low + HEAD_FROM * height))
    crossing = (heights.min(axis=1) < level) & (heights.max(axis=1) >= level)
    ahead = _distances(section(body.vertices[body.faces[crossing]], level) - axis, forward)
    face = ahead[ahead <= HEAD_REACH * height]
    block = ahead[ahead <= MAX_FRONT_SHARE * height]
    reach = face.max(initial=0.0) if len(face) else block.min(initial=np.inf) if len(block) else 0.0
    eye, head = (np.array([*(axis + ahead * forward), level]) for ahead in (reach, 0.0))
    return EyePlace(eye, head, 1.0)


def _axis(body: Mesh, upper: Flags) -> Floats:
    """The middle in plan (2,) of the faces chosen by ``upper`` (m,), by area; of all where none is chosen."""
    triangles = body.vertices[body.faces[upper] if upper.any() else body.faces]
    areas = np.linalg.norm(np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]), axis=1)
    weights = areas if areas.sum() > 0.0 else np.ones(len(areas))
    return np.average(triangles.mean(axis=1)[:, :2], axis=0, weights=weights)


def _distances(lines: Floats, forward: Floats) -> Floats:
    """(k,) distances from the origin, along a direction, of the lines in plan (n, 2, 2) that lie ahead."""
    along = lines @ forward
    sideways = lines @ [-forward[1], forward[0]]
    met = (sideways[:, 0] < 0.0) != (sideways[:, 1] < 0.0)
    along, sideways = along[met], sideways[met]
    distances: Floats = along[:, 0] + (along[:, 1] - along[:, 0]) * sideways[:, 0] / (sideways[:, 0] - sideways[:, 1])
    return distances[distances >= 0.0]
