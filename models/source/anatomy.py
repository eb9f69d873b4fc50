"""The posed body: from a pose to joints, and the volumes of torso, limbs and gripping hands round them.

Frames have x to the figure's right, y to its front, z up. A pose says where pelvis, feet and hands are and which way
chest and head turn; elbows and knees follow. Sizes are those of heroic 28 mm figures: big heads, hands and boots.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

import numpy as np
from manifold3d import Manifold
from numpy.typing import ArrayLike

from models.source.fields import Field, Vector, ball, blend, box, cone, ellipsoid, placed, unit, vector
from models.source.settling import settled

Side = Literal["right", "left"]
SIDES: tuple[Side, Side] = ("right", "left")
GROUND = 3.0
"""Height of the top of the base (mm), on which figures stand."""


def sign(side: Side) -> float:
    """Which way along x a side lies."""
    return 1.0 if side == "right" else -1.0


def rotation(turn: float = 0.0, lean: float = 0.0, tilt: float = 0.0) -> Vector:
    """A rotation (3, 3) from degrees: `turn` to the left, `lean` forward, `tilt` to the right."""
    a, b, c = np.radians([turn, -lean, tilt])
    about_z = np.array([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1]])
    about_x = np.array([[1, 0, 0], [0, np.cos(b), -np.sin(b)], [0, np.sin(b), np.cos(b)]])
    about_y = np.array([[np.cos(c), 0, np.sin(c)], [0, 1, 0], [-np.sin(c), 0, np.cos(c)]])
    return settled(about_z @ about_x @ about_y)


@dataclass(frozen=True)
class Frame:
    """A place and a bearing: the columns of `turn` are right, front and up."""

    origin: Vector
    turn: Vector

    def __post_init__(self) -> None:
        """Takes the last bits off, in which CPUs differ."""
        object.__setattr__(self, "origin", settled(self.origin))
        object.__setattr__(self, "turn", settled(self.turn))

    @classmethod
    def along(cls, origin: ArrayLike, up: ArrayLike, front: ArrayLike) -> Frame:
        """The frame whose up is given and whose front is as near to `front` as can be."""
        third = unit(up)
        second = unit(vector(front) - (vector(front) @ third) * third)
        return cls(vector(origin), np.stack([np.cross(second, third), second, third], axis=1))

    def at(self, x: float, y: float, z: float) -> Vector:
        """A point of the frame in the figure's coordinates."""
        return settled(self.origin + self.way(x, y, z))

    def way(self, x: float, y: float, z: float) -> Vector:
        """A direction of the frame in the figure's coordinates."""
        return settled(self.turn @ np.array([x, y, z]))

    def place(self, local: Field) -> Field:
        """A field modelled in the frame, put where it belongs."""
        return placed(local, self.turn, self.origin)

    def put(self, local: Manifold) -> Manifold:
        """A solid modelled in the frame, put where it belongs."""
        return local.transform(np.column_stack([self.turn, self.origin]))


@dataclass(frozen=True)
class Build:
    """Lengths between joints and how stout the body is (mm, heroic 28 mm)."""

    spine: float = 5.0
    neck: float = 1.2
    shoulder: float = 3.75
    hip: float = 1.75
    upper_arm: float = 5.1
    forearm: float = 4.5
    thigh: float = 6.7
    shin: float = 6.4
    ankle: float = 1.75
    bulk: float = 1.0
    """Scales girths of torso and limbs."""
    chest: float = 1.0
    """Scales the chest alone: below one for a slight figure."""


@dataclass(frozen=True)
class Foot:
    """Where a boot stands: the ground point under the ankle, which way the toes point, and how it is rolled."""

    at: tuple[float, float, float]
    turn: float = 0.0
    lean: float = 0.0
    knee: tuple[float, float, float] | None = None
    """Which way the knee points; by default as the toes."""


@dataclass(frozen=True)
class Grip:
    """What a hand closes round: the middle of the grip, its axis (from little finger to thumb), and the forearm's side.

    `wrist` is the direction from the grip to the wrist, made square to the axis; `elbow` is where the elbow points.
    """

    at: Vector
    axis: Vector
    wrist: Vector
    elbow: tuple[float, float, float] = (0.6, -0.5, -1.0)
    radius: float = 0.5
    trigger: bool = False
    """The index finger lies straight along the weapon instead of closing."""


@dataclass(frozen=True)
class Pose:
    """Where the body is. Angles are (turn to the left, lean forward, tilt to the right), degrees, all from the base."""

    pelvis: tuple[float, float, float]
    hips: tuple[float, float, float] = (0, 0, 0)
    chest: tuple[float, float, float] = (0, 0, 0)
    head: tuple[float, float, float] = (0, 0, 0)
    feet: dict[Side, Foot] = field(default_factory=dict)
    hands: dict[Side, Grip] = field(default_factory=dict)


@dataclass(frozen=True)
class Body:
    """A pose with every joint known: what clothing and gear are fitted to."""

    build: Build
    pose: Pose
    pelvis: Frame
    chest: Frame
    head: Frame
    neck: Vector
    shoulder: dict[Side, Vector]
    elbow: dict[Side, Vector]
    hand: dict[Side, Frame]
    wrist: dict[Side, Vector]
    hip: dict[Side, Vector]
    knee: dict[Side, Vector]
    ankle: dict[Side, Vector]
    foot: dict[Side, Frame]

    @property
    def waist(self) -> Frame:
        """Half way up the spine, turned half way between pelvis and chest."""
        up = self.pelvis.way(0, 0, 1) + self.chest.way(0, 0, 1)
        front = self.pelvis.way(0, 1, 0) + self.chest.way(0, 1, 0)
        middle = 0.62 * self.pelvis.origin + 0.38 * self.chest.origin
        return Frame.along(middle, up, front)


def chest_frame(build: Build, pose: Pose) -> Frame:
    """Where the chest will be: place a weapon by it before the hands are posed."""
    hips, chest = rotation(*pose.hips), rotation(*pose.chest)
    spine = unit(hips[:, 2] + 1.4 * chest[:, 2]) * build.spine
    return Frame(vector(pose.pelvis) + spine, chest)


def posed(build: Build, pose: Pose) -> Body:
    """Every joint of a body in a pose; a hand that lies out of reach is an error."""
    pelvis = Frame(vector(pose.pelvis), rotation(*pose.hips))
    chest = chest_frame(build, pose)
    turned = rotation(*pose.head)
    neck = chest.at(0, -0.3, 2.55)
    up = unit(chest.turn[:, 2] + turned[:, 2])
    head = Frame(neck + build.neck * up + turned @ np.array([0, 0.55, 1.75]), turned)
    body = Body(build, pose, pelvis, chest, head, neck, *({} for _ in range(8)))
    for side in SIDES:
        _pose_arm(body, side)
        _pose_leg(body, side)
    return body


def _pose_arm(body: Body, side: Side) -> None:
    """Works out shoulder, elbow, wrist and hand of one side."""
    build, grip = body.build, body.pose.hands[side]
    axis = unit(grip.axis)
    back = unit(vector(grip.wrist) - (vector(grip.wrist) @ axis) * axis)
    palm = np.cross(axis, back) * sign(side)
    hand = Frame(vector(grip.at), np.stack([palm, -back, axis], axis=1))
    wrist = hand.at(grip.radius + 0.35, -1.75, -0.1)
    shoulder = body.chest.at(sign(side) * build.shoulder, -0.25, 1.65)
    pole = body.chest.way(sign(side) * grip.elbow[0], grip.elbow[1], grip.elbow[2])
    reach = build.upper_arm + build.forearm
    pull = wrist - shoulder
    beyond = float(np.linalg.norm(pull)) - reach
    if beyond > 0:  # shoulders give a little before a reach is too far
        shoulder = shoulder + unit(pull) * min(beyond + 0.05, 0.6)
    body.shoulder[side], body.hand[side], body.wrist[side] = shoulder, hand, wrist
    body.elbow[side] = _bend(shoulder, wrist, build.upper_arm, build.forearm, pole)


def _pose_leg(body: Body, side: Side) -> None:
    """Works out hip, knee, ankle and foot of one side."""
    build, foot = body.build, body.pose.feet[side]
    frame = Frame(vector(foot.at), rotation(foot.turn, foot.lean))
    hip = body.pelvis.at(sign(side) * build.hip, 0, -0.9)
    ankle = frame.at(0, 0, build.ankle)
    forward = frame.way(0, 1, 0.2) if foot.knee is None else vector(foot.knee)
    body.foot[side], body.hip[side], body.ankle[side] = frame, hip, ankle
    body.knee[side] = _bend(hip, ankle, build.thigh, build.shin, forward)


def _bend(root: Vector, end: Vector, upper: float, lower: float, pole: Vector) -> Vector:
    """The joint between two bones that reach from root to end, on the pole's side."""
    span = end - root
    length = float(np.linalg.norm(span))
    if length > upper + lower + 1e-6:
        raise ValueError(f"a limb of {upper + lower:.2f} mm cannot reach {length:.2f} mm")
    axis = span / length
    along = (length**2 + upper**2 - lower**2) / (2 * length)
    height = np.sqrt(max(upper**2 - along**2, 0.0))
    side = vector(pole) - (vector(pole) @ axis) * axis
    return settled(root + along * axis + height * unit(side))


def torso(body: Body) -> Field:
    """Chest, back, belly and seat as one soft volume: what a jacket covers."""
    build, chest, pelvis = body.build, body.chest, body.pelvis
    girth, breast = build.bulk, build.bulk * build.chest
    ribs = blend(
        0.9,
        ellipsoid((0, -0.15, 0.2), (2.95 * breast, 2.15 * breast, 2.7)),
        *(ellipsoid((s * 1.35 * breast, 0.75 * breast, 0.85), (1.6 * breast, 1.45 * breast, 1.25)) for s in (1, -1)),
        *(ellipsoid((s * 1.7 * breast, -1.0, 0.9), (1.5 * breast, 1.3 * breast, 1.9)) for s in (1, -1)),
        *(cone((s * 0.5, -0.45, 2.6), (s * 3.1 * breast, -0.35, 1.8), 0.95, 0.95) for s in (1, -1)),
    )
    waist = body.waist
    belly = ellipsoid((0, 0.05, 0), (2.3 * girth, 1.75 * girth, 2.4))
    seat = blend(
        0.8,
        ellipsoid((0, 0, -0.1), (2.6 * girth, 1.85 * girth, 1.7)),
        *(ellipsoid((s * 1.15, -0.85, -0.7), (1.4 * girth, 1.35 * girth, 1.4)) for s in (1, -1)),
    )
    return blend(1.2, chest.place(ribs), waist.place(belly), pelvis.place(seat))


def arm(body: Body, side: Side, loose: float = 0.0) -> Field:
    """Upper arm and forearm with deltoid, biceps and elbow; `loose` is how far cloth stands off."""
    girth = body.build.bulk
    shoulder, elbow, wrist = body.shoulder[side], body.elbow[side], body.wrist[side]
    upper = unit(elbow - shoulder)
    inner = unit(wrist - elbow) - upper * (unit(wrist - elbow) @ upper) + 1e-6
    belly = shoulder + upper * 2.4 + unit(inner) * 0.25
    swell = elbow + unit(wrist - elbow) * 1.3
    return blend(
        0.7,
        ball(shoulder + upper * 0.35, 1.5 * girth + loose),
        cone(shoulder, elbow, 1.25 * girth + loose, 0.95 * girth + loose),
        cone(belly, belly + upper * 1.1, 1.05 * girth + loose),
        cone(elbow, wrist, 0.98 * girth + loose, 0.68 * girth + loose),
        cone(swell, swell + unit(wrist - elbow) * 0.9, 1.08 * girth + loose),
    )


def leg(body: Body, side: Side, loose: float = 0.0) -> Field:
    """Thigh, knee and calf; `loose` is how far cloth stands off."""
    girth = body.build.bulk
    hip, knee, ankle = body.hip[side], body.knee[side], body.ankle[side]
    thigh, shin = unit(knee - hip), unit(ankle - knee)
    front = unit(body.foot[side].way(0, 1, 0))
    calf = knee + shin * 1.8 - front * 0.3
    return blend(
        0.8,
        cone(hip, knee, 1.95 * girth + loose, 1.3 * girth + loose),
        cone(hip + thigh * 1.6 + front * 0.25, hip + thigh * 3.4 + front * 0.3, 1.75 * girth + loose, 1.55 * girth),
        ball(knee + front * 0.2, 1.25 * girth + loose),
        cone(knee, ankle, 1.2 * girth + loose, 0.95 * girth + loose),
        cone(calf, calf + shin * 1.3, 1.3 * girth + loose, 1.15 * girth + loose),
    )


def gloved_hand(body: Body, side: Side) -> Field:
    """A hand whose separate fingers close round its grip, in the figure's coordinates.

    In the hand's frame x points from the grip to the palm, y from the wrist to the knuckles, z from little finger to
    thumb.
    """
    grip = body.pose.hands[side]
    radius = grip.radius
    girth = 0.36
    around = radius + girth * 0.85
    rows = [1.13, 0.38, -0.37, -1.08]
    palm = blend(
        0.35,
        box((radius + 0.5, -0.2, 0.02), (0.4, 0.9, 1.35), 0.35),
        cone((radius + 0.45, -1.9, -0.1), (radius + 0.5, -0.8, 0.0), 0.72, 0.8),
        *(ball((radius + 0.52, 0.72, z), 0.47) for z in rows),
    )
    fingers = []
    for index, z in enumerate(rows):
        if grip.trigger and index == 0:
            places = [(radius + 0.5, 0.7, z), (radius + 0.35, 1.75, z + 0.1), (radius + 0.1, 2.65, z + 0.05)]
        else:
            angles = np.radians([50, 118, 186, 236] if index < 3 else [48, 112, 176, 226])
            places = [(around * 1.05 * np.cos(a), around * 1.05 * np.sin(a), z * 0.97) for a in angles]
            places[0] = (radius + 0.55, 0.72, z)
        thick = girth * (1.0 if index < 3 else 0.9)
        fingers += [
            cone(a, b, thick * (1 - 0.06 * i), thick * (0.94 - 0.06 * i)) for i, (a, b) in enumerate(pairwise(places))
        ]
    thumb = [
        (radius + 0.35, -1.15, 0.75),
        (0.35, -around * 1.05, 1.25),
        (-around * 0.75, -around * 0.6, 1.35),
        (-around * 1.1, 0.1, 1.2),
    ]
    if grip.trigger:
        thumb[2:] = [(-around * 0.85, -around * 0.45, 1.2), (-around * 1.05, 0.35, 1.0)]
    thumbs = [cone(a, b, r, r * 0.9) for (a, b), r in zip(pairwise(thumb), (0.56, 0.46, 0.42), strict=True)]
    local = blend(0.05, palm, *fingers, blend(0.3, *thumbs))
    return body.hand[side].place(local)
