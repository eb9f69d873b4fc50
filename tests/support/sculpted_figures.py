"""A second family of figures of which it is known where their eye is, sculpted from distance fields.

They have nothing in common with `figures_with_eyes` but what they are for: other poses, proportions from true scale to
heroic, headgear drawn by itself, limbs that flow into each other, and surfaces that are clean or as rough as voxels.
"""

# ruff: noqa: RUF005 - points are arrays, and adding to one moves it

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from silhouette.common.geometry import Floats
from silhouette.meshes.mesh import Mesh
from tests.support.random_figures import Random, turned

Point = Sequence[float] | Floats
Distance = Callable[[Floats], Floats]
MARGIN = 0.06  # of the stature: how far from a piece its distances are asked for


class Sculpture:
    """A figure that looks along +y, in units of its stature when it stands upright.

    Attributes:
        head: its height over the stature: 0.125 is true to scale, 0.25 a caricature.
        width, depth: half of those of the chest.
        limb: the radius of an arm.
        eye: between its eyes.
    """

    def __init__(self, random: Random) -> None:
        self.random = random
        self.pieces: list[tuple[Floats, Floats, Distance, float]] = []
        self.head = self.between(0.125, 0.24)
        self.width, self.depth = self.between(0.09, 0.18), self.between(0.065, 0.13)
        self.limb = self.between(0.022, 0.05)
        self.eye = np.zeros(3)

    def between(self, low: float, high: float) -> float:
        """A number drawn evenly."""
        return float(self.random.uniform(low, high))

    def side(self) -> int:
        """-1 or 1."""
        return int(self.random.choice([-1, 1]))

    # ---- pieces

    def ball(self, centre: Point, radii: Point | float, blend: float = 0.015) -> None:
        """An ellipsoid."""
        middle, sizes = np.array(centre, np.float64), np.broadcast_to(np.array(radii, np.float64), 3)

        def distance(points: Floats) -> Floats:
            offset = points - middle
            near = np.linalg.norm(offset / sizes, axis=-1)
            far: Floats = near * (near - 1.0) / np.maximum(np.linalg.norm(offset / sizes**2, axis=-1), 1e-9)
            return far

        self.pieces.append((middle - sizes, middle + sizes, distance, blend))

    def bone(self, start: Point, end: Point, first: float, last: float = 0.0, blend: float = 0.015) -> None:
        """A rod with round ends between two points, whose radius goes from ``first`` to ``last``, if that is given."""
        a, b, last = np.array(start, np.float64), np.array(end, np.float64), last or first

        def distance(points: Floats) -> Floats:
            share = np.clip((points - a) @ (b - a) / max(float((b - a) @ (b - a)), 1e-9), 0.0, 1.0)
            off: Floats = np.linalg.norm(points - a - share[..., None] * (b - a), axis=-1)
            off -= first + share * (last - first)
            return off

        reach = max(first, last)
        self.pieces.append((np.minimum(a, b) - reach, np.maximum(a, b) + reach, distance, blend))

    def block(self, low: Point, high: Point, blend: float = 0.006) -> None:
        """A box."""
        middle, half = (np.array(low, np.float64) + high) / 2.0, (np.array(high, np.float64) - low) / 2.0

        def distance(points: Floats) -> Floats:
            out = np.abs(points - middle) - half
            beyond: Floats = np.linalg.norm(np.maximum(out, 0.0), axis=-1) + np.minimum(out.max(axis=-1), 0.0)
            return beyond

        self.pieces.append((middle - half, middle + half, distance, blend))

    # ---- a body

    def limbs(self, start: Point, end: Point, bend: Point, thick: float) -> None:
        """An arm or a leg, whose joint lies beside the middle of both ends."""
        joint = (np.array(start, np.float64) + end) / 2.0 + bend
        self.bone(start, joint, thick * 1.1, thick)
        self.bone(joint, end, thick, thick * 0.85)
        self.ball(end, thick * self.between(1.0, 1.5))

    def body(
        self,
        hips: Point = (0, 0, 0.5),
        chest: Point = (0, 0.01, 0.71),
        hands: Sequence[Point] | None = None,
        feet: Sequence[Point] | None = None,
        knees: Point = (0, 0.03, 0),
        neck: float | None = None,
        look: float = 0.0,
    ) -> Floats:
        """Trunk, limbs and head; without hands, these are before the belly. The middle (3,) of the head."""
        low, high = np.array(hips, np.float64), np.array(chest, np.float64)
        self.ball(low, (0.8 * self.width, self.depth, 0.085), 0.04)
        self.ball(high, (self.width, self.depth * 1.1, self.between(0.09, 0.13)), 0.04)
        self.bone(low, high, 0.75 * self.depth, self.depth, 0.04)
        if hands is None:
            hands = [
                (side * self.between(0.02, 0.2), self.between(0.1, 0.25), self.between(0.45, 0.62)) for side in (-1, 1)
            ]
        if feet is None:
            feet = [(side * self.between(0.06, 0.14), self.between(-0.08, 0.08), 0.03) for side in (-1, 1)]
        for side, hand in zip((-1, 1), hands, strict=True):
            shoulder = high + [side * self.width, 0, self.between(0.03, 0.06)]
            self.limbs(shoulder, hand, (side * 0.03, -0.03, -0.03), self.limb)
        for side, foot in zip((-1, 1), feet, strict=True):
            self.limbs(low + [side * 0.6 * self.width, 0, -0.03], foot, knees, self.limb * 1.5)
            self.ball(np.array(foot, np.float64) + [0, 0.04, -0.01], (0.035, 0.075, 0.025))
        for side in (-1, 1):  # shoulder plates
            if self.random.random() < 0.35:
                plate = self.between(0.05, 0.095)
                self.ball(high + [side * (self.width + 0.02), 0, 0.06], plate, 0.004)
        return self.head_on(high, self.between(0.1, 0.15) if neck is None else neck, look)

    def head_on(self, chest: Floats, neck: float, look: float = 0.0) -> Floats:
        """A head so far above the chest, with what it wears, turned by ``look`` degrees; its middle (3,)."""
        tall = self.head / 2.0
        wide, long = tall * self.between(0.66, 0.85), tall * self.between(0.8, 0.98)
        at = chest + [self.between(-0.01, 0.01), self.between(0.0, 0.04), neck + tall]
        self.bone(chest, at, wide * self.between(0.5, 0.8), blend=0.02)
        self.ball(at, (wide, long, tall), 0.008)
        ahead = np.array([-np.sin(np.radians(look)), np.cos(np.radians(look)), 0.0])
        out = long
        wears = str(self.random.choice(["nothing", "helmet", "hood", "hat", "hair", "mask", "horns", "bun"]))
        if wears == "helmet":
            self.ball(at + [0, 0, 0.15 * tall], (1.2 * wide, 1.15 * long, 1.05 * tall), 0.004)
            out = 1.12 * long
            if self.random.random() < 0.4:
                self.block(at + [-0.012, -long, 0.5 * tall], at + [0.012, 0.7 * long, self.between(1.2, 1.9) * tall])
        elif wears == "hood":
            self.ball(at - 0.35 * long * ahead + [0, 0, 0.1 * tall], (1.3 * wide, 1.15 * long, 1.25 * tall), 0.01)
            self.bone(at - 0.8 * long * ahead, chest - [0, 0.07, 0], 0.8 * wide)
        elif wears == "hat":
            rim = self.between(1.3, 2.4) * wide
            self.ball(at + [0, 0, 0.6 * tall], (rim, rim, 0.018), 0.002)
            self.bone(
                at + [0, 0, 0.6 * tall],
                at + [0, -0.02, self.between(0.9, 2.4) * tall],
                wide,
                self.between(0.2, 1.0) * wide,
            )
        elif wears in ("hair", "bun"):
            self.ball(at + [0, -0.25 * long, 0.2 * tall], (1.15 * wide, 1.1 * long, tall), 0.006)
            if wears == "bun":
                self.ball(at + [0, -0.8 * long, 0.9 * tall], 0.5 * wide)
            else:
                self.bone(
                    at - [0, long, 0], at - [0, 1.4 * long, self.between(1.0, 2.5) * tall], 0.6 * wide, 0.3 * wide
                )
        elif wears == "mask":
            self.bone(at - [0, 0, 0.4 * tall], at + 1.15 * long * ahead - [0, 0, 0.5 * tall], 0.45 * wide)
        elif wears == "horns":
            for side in (-1, 1):
                self.bone(
                    at + [side * 0.6 * wide, 0, 0.6 * tall],
                    at + [side * 2.2 * wide, self.between(-0.04, 0.04), 2.0 * tall],
                    0.022,
                    0.008,
                )
        self.eye = at + out * ahead + [0, 0, self.between(-0.05, 0.2) * tall]
        return at

    # ---- a mesh

    def mesh(self, pitch: float, rough: bool) -> tuple[Mesh, Floats]:
        """The body with its lowest point at z = 0, and what was its origin: both in units of the stature."""
        from skimage.measure import marching_cubes

        low = np.min([piece[0] for piece in self.pieces], axis=0) - 3 * pitch
        high = np.max([piece[1] for piece in self.pieces], axis=0) + 3 * pitch
        axes = [np.arange(a, b, pitch) for a, b in zip(low, high, strict=True)]
        field = np.full([len(axis) for axis in axes], MARGIN)
        for least, most, distance, blend in self.pieces:
            spans = tuple(
                slice(*np.searchsorted(axis, [a - MARGIN, b + MARGIN]))
                for axis, a, b in zip(axes, least, most, strict=True)
            )
            points = np.stack(
                np.meshgrid(*(axis[span] for axis, span in zip(axes, spans, strict=True)), indexing="ij"), -1
            )
            own, there = distance(points), field[spans]
            near = np.maximum(blend - np.abs(own - there), 0.0) / blend
            field[spans] = np.minimum(own, there) - near**2 * blend / 4.0
        if rough:
            field = np.where(field < 0.0, -1.0, 1.0)
        vertices, faces, _, _ = marching_cubes(field, 0.0, spacing=(pitch,) * 3)  # type: ignore[no-untyped-call]
        vertices = vertices.astype(np.float64) + low
        lowest = np.array([0.0, 0.0, vertices[:, 2].min()])
        return Mesh(vertices - lowest, faces[:, ::-1].astype(np.int32), np.zeros(len(faces), np.int32)), -lowest


# ---- poses


def running(figure: Sculpture) -> None:
    lean = figure.between(0.08, 0.2)
    figure.body(
        (0, 0, 0.48),
        (0, lean, 0.68),
        [(-0.2, lean + 0.22, 0.62), (0.22, -0.15, 0.55)],
        [(-0.08, -0.42, 0.2), (0.08, 0.25, 0.03)],
        (0, 0.1, 0.02),
        figure.between(0.06, 0.12),
    )


def sitting(figure: Sculpture) -> None:
    figure.block((-0.18, -0.2, 0), (0.18, 0.1, 0.27))
    if figure.random.random() < 0.6:
        figure.block((-0.2, -0.24, 0), (0.2, -0.16, figure.between(0.6, 1.15)))
    figure.body(
        (0, -0.05, 0.34),
        (0, -0.05, 0.56),
        [(-0.2, 0.15, 0.4), (0.2, 0.15, 0.4)],
        [(-0.12, 0.26, 0.03), (0.12, 0.28, 0.03)],
        (0, 0.15, 0.12),
    )


def on_horseback(figure: Sculpture) -> None:
    up, long = figure.between(0.5, 0.62), figure.between(0.33, 0.45)
    figure.ball((0, 0, up), (0.13, long, 0.14), 0.03)
    for x in (-0.08, 0.08):
        for y in (-0.75, 0.75):
            figure.limbs((x, y * long, up), (x, y * long + figure.between(-0.12, 0.12), 0.03), (0, 0.03, 0), 0.045)
    poll = np.array([0, long * 1.35, up + figure.between(0.25, 0.42)])
    figure.bone((0, 0.75 * long, up + 0.03), poll, 0.1, 0.06)
    figure.bone(poll, poll + [0, 0.2, -0.14], 0.065, 0.04)
    figure.bone((0, -long, up + 0.05), (0, -long * 1.5, up - 0.25), 0.04)
    figure.body(
        (0, -0.03, up + 0.18),
        (0, -0.03, up + 0.4),
        [(-0.1, 0.18, up + 0.25), (0.25, 0.1, up + figure.between(0.2, 0.75))],
        [(-0.22, 0.08, up - 0.22), (0.22, 0.08, up - 0.22)],
        (0, 0.1, 0.04),
    )
    if figure.random.random() < 0.5:
        figure.bone((0.25, -0.3, up + 0.3), (0.25, figure.between(0.6, 1.1), up + 0.45), 0.018)


def t_pose(figure: Sculpture) -> None:
    level = 0.75 + figure.between(-0.03, 0.03)
    figure.body(hands=[(-0.45, 0, level), (0.45, 0, level)])


def four_arms(figure: Sculpture) -> None:
    figure.body(hands=[(-0.32, 0.1, figure.between(0.8, 1.15)), (0.32, 0.1, figure.between(0.8, 1.15))])
    for side in (-1, 1):
        figure.limbs(
            (side * figure.width, 0, 0.68),
            (side * 0.22, 0.22, figure.between(0.4, 0.6)),
            (side * 0.06, 0, -0.02),
            figure.limb,
        )
        if figure.random.random() < 0.5:
            figure.bone((side * 0.32, 0, 0.85), (side * 0.35, 0.35, 1.2), 0.016)


def no_neck(figure: Sculpture) -> None:
    figure.width, figure.depth, figure.limb = (
        figure.between(0.19, 0.28),
        figure.between(0.13, 0.19),
        figure.between(0.05, 0.075),
    )
    chest = np.array([0, figure.between(0, 0.06), 0.7])
    figure.ball(chest + [0, -0.03, 0.04], (figure.width * 1.1, figure.depth * 1.15, 0.15), 0.03)
    figure.body(
        chest=chest,
        neck=figure.between(-0.03, 0.05),
        hands=[(-0.36, 0.1, 0.35), (0.36, 0.14, figure.between(0.35, 0.8))],
    )


def blade_before_face(figure: Sculpture) -> None:
    at = figure.body(hands=[(-0.03, 0.2, 0.6), (0.03, 0.2, 0.66)])
    wide = figure.between(0.02, 0.075)
    figure.block((-wide, 0.19, 0.68), (wide, 0.22, at[2] + figure.between(0.1, 0.4)))


def great_axe_across(figure: Sculpture) -> None:
    up = figure.between(0.75, 1.0)
    figure.body(hands=[(-0.25, 0.2, up), (0.2, 0.2, up - 0.12)])
    figure.bone((0.35, 0.2, up - 0.18), (-0.42, 0.2, up + 0.08), 0.02)
    figure.block((-0.52, 0.18, up - 0.05), (-0.36, 0.22, up + 0.22))


def vents(figure: Sculpture) -> None:
    figure.body(look=figure.between(-35, 35))
    wide, top = figure.between(0.1, 0.2), figure.between(0.85, 1.0)
    figure.block((-wide, -0.3, 0.52), (wide, -0.06, top - 0.1))
    for side in (-1, 1):
        vent = (side * wide, -0.18, top)
        if figure.random.random() < 0.5:
            figure.ball(vent, figure.between(0.06, 0.1), 0.004)
        else:
            figure.bone((side * wide, -0.18, 0.7), vent, figure.between(0.04, 0.07))


def on_a_rock(figure: Sculpture) -> None:
    up = figure.between(0.2, 0.55)
    for _ in range(5):
        figure.ball(
            (figure.between(-0.15, 0.15), figure.between(-0.15, 0.15), figure.between(0.0, up)),
            figure.random.uniform(0.12, 0.28, 3),
            0.02,
        )
    figure.body(
        (0, 0, up + 0.55),
        (0, 0.02, up + 0.76),
        [(-0.2, 0.15, up + 0.5), (0.24, 0.1, up + figure.between(0.5, 0.8))],
        [(-0.12, 0.08, up + 0.1), (0.12, 0, up + 0.06)],
    )


def robe_and_staff(figure: Sculpture) -> None:
    x = figure.side() * figure.between(0.2, 0.3)
    hands = sorted([(x, 0.14, 0.66), (-x * 0.5, 0.2, figure.between(0.5, 0.9))])
    figure.body(hands=hands)
    figure.bone((0, 0, 0.05), (0, 0, 0.62), figure.between(0.15, 0.24), 0.11, 0.03)
    top = figure.between(0.95, 1.4)
    figure.bone((x, 0.15, 0.02), (x, 0.15, top), 0.018)
    figure.ball((x, 0.15, top), figure.between(0.03, 0.09), 0.004)


def launcher(figure: Sculpture) -> None:
    side = figure.side()
    x, up = side * figure.between(0.12, 0.2), figure.between(0.84, 0.95)
    figure.body(hands=sorted([(x, 0.18, up - 0.1), (x - side * 0.12, 0.26, up - 0.1)]))
    figure.bone(
        (x, -figure.between(0.2, 0.45), up), (x, figure.between(0.3, 0.5), up), figure.between(0.04, 0.075), blend=0.004
    )


def familiar(figure: Sculpture) -> None:
    figure.body()
    x = figure.side() * (figure.width + 0.02)
    figure.ball((x, 0, 0.86), (0.05, 0.06, 0.07))
    figure.ball((x, 0.04, 0.95), figure.between(0.03, 0.05))


def carrying(figure: Sculpture) -> None:
    side = figure.side()
    figure.body(hands=sorted([(side * 0.2, 0.08, 0.95), (-side * 0.2, 0.1, 0.5)]))
    radius = figure.between(0.09, 0.16)
    figure.bone((side * 0.22, -0.18, 0.82 + radius), (side * 0.22, 0.18, 0.82 + radius), radius, blend=0.004)


def shield_overhead(figure: Sculpture) -> None:
    at = figure.body(hands=[(-0.12, 0.05, 1.02), (0.2, 0.2, 0.6)])
    up, wide = at[2] + figure.head / 2 + figure.between(0.03, 0.12), figure.between(0.15, 0.28)
    figure.ball((-0.05, 0.04, up), (wide, wide, figure.between(0.025, 0.05)), 0.004)


def centaur(figure: Sculpture) -> None:
    up, long = figure.between(0.38, 0.5), figure.between(0.22, 0.32)
    figure.ball((0, -long, up), (0.14, long * 1.3, 0.13), 0.03)
    for x in (-0.09, 0.09):
        figure.limbs((x, -1.8 * long, up), (x, -1.8 * long, 0.03), (0, -0.04, 0), 0.04)
    figure.body(
        (0, 0.02, up + 0.08),
        (0, 0.04, up + 0.32),
        [(-0.25, 0.2, up + 0.3), (0.25, 0.1, up + figure.between(0.1, 0.7))],
        [(-0.09, 0.1, 0.03), (0.09, 0.1, 0.03)],
    )


def crouching(figure: Sculpture) -> None:
    figure.body(
        (0, -0.05, 0.27),
        (0, 0.1, 0.45),
        [(-0.08, 0.34, 0.45), (0.06, 0.24, 0.42)],
        [(-0.14, 0.16, 0.03), (0.12, -0.14, 0.03)],
        (0, 0.12, 0.1),
        figure.between(0.05, 0.1),
    )
    figure.bone((0, 0.12, 0.5), (0, figure.between(0.55, 0.85), 0.5), 0.022)


def giant_hammer(figure: Sculpture) -> None:
    side = figure.side()
    figure.body(hands=sorted([(side * 0.22, -0.02, 0.98), (side * 0.12, 0.08, 0.9)]), look=figure.between(-25, 25))
    end = np.array([side * figure.between(0.1, 0.35), -figure.between(0.15, 0.35), figure.between(1.0, 1.4)])
    figure.bone((side * 0.15, 0.12, 0.85), end, 0.02)
    half = figure.random.uniform(0.07, 0.15, 3)
    figure.block(end - half, end + half)


def walker(figure: Sculpture) -> None:
    figure.width, figure.depth = figure.between(0.2, 0.28), figure.between(0.15, 0.22)
    figure.head = figure.between(0.1, 0.16)
    figure.block((-figure.width, -figure.depth, 0.5), (figure.width, figure.depth, figure.between(0.78, 0.88)))
    figure.body(
        chest=(0, 0.5 * figure.depth, 0.68), neck=figure.between(0.0, 0.1), hands=[(-0.4, 0.25, 0.5), (0.4, 0.25, 0.5)]
    )
    for side in (-1, 1):
        figure.block((side * 0.4 - 0.07, -0.1, 0.45), (side * 0.4 + 0.07, 0.35, 0.62))


def flying(figure: Sculpture) -> None:
    up = figure.between(0.2, 0.5)
    figure.bone((0, 0, 0.02), (0, 0, up + 0.5), 0.02)
    figure.body(
        (0, -0.05, up + 0.5),
        (0, 0.12, up + 0.66),
        [(-0.25, 0.3, up + 0.7), (0.25, 0.2, up + figure.between(0.5, 0.95))],
        [(-0.08, -0.35, up + 0.25), (0.08, -0.25, up + 0.12)],
        (0, 0.05, 0),
        figure.between(0.05, 0.1),
    )
    if figure.random.random() < 0.5:
        for side in (-1, 1):
            figure.bone((0, 0, up + 0.7), (side * 0.5, -0.2, up + figure.between(0.8, 1.2)), 0.05, 0.015)


POSES: dict[str, Callable[[Sculpture], None]] = {
    pose.__name__.replace("_", " "): pose
    for pose in (
        running,
        sitting,
        on_horseback,
        t_pose,
        four_arms,
        no_neck,
        blade_before_face,
        great_axe_across,
        vents,
        on_a_rock,
        robe_and_staff,
        launcher,
        familiar,
        carrying,
        shield_overhead,
        centaur,
        crouching,
        giant_hammer,
        walker,
        flying,
    )
}


def sculpted_figure(seed: int) -> tuple[Mesh, Floats, str]:
    """A figure's body, whose front is +y, its eye (3,) mm, and its pose; the poses follow each other with the seed."""
    random = np.random.default_rng([seed, 2])
    name = list(POSES)[seed % len(POSES)]
    sculpture = Sculpture(random)
    POSES[name](sculpture)
    return *standing_free(sculpture), name


def standing_free(sculpture: Sculpture) -> tuple[Mesh, Floats]:
    """A sculpture of a stature in mm, smooth or rough, sometimes turned a little; and its eye (3,) mm."""
    random = sculpture.random
    stature = float(random.uniform(26.0, 40.0))  # 1.8 m in a scale of 1:69 to 1:45
    rough = bool(random.random() < 0.4)
    mesh, origin = sculpture.mesh((0.7 if rough else 0.45) / stature, rough)
    spin = turned(np.radians(float(random.uniform(-12.0, 12.0)) if random.random() < 0.5 else 0.0))
    mesh = Mesh(stature * mesh.vertices @ spin.T, mesh.faces, mesh.part)
    return mesh, stature * (sculpture.eye + origin) @ spin.T
