"""Figures of many poses, made of simple solids, of which it is known where their eye is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from silhouette.common.geometry import Floats
from silhouette.meshes.mesh import Mesh
from tests.support.random_figures import Random, Shell, box, ellipsoid, mesh_of, rod, turned

Point = tuple[float, float, float]


@dataclass
class Figure:
    """A figure that looks along +y, in units of its stature when it stands upright; its feet are at z = 0.

    Attributes:
        random: draws what differs from figure to figure.
        shells: that it consists of.
        head: the middle of its head, and ``radii`` of that.
        shoulders: z, and ``wide`` half the distance between them.
        eye: between its eyes.
    """

    random: Random
    shells: list[Shell] = field(default_factory=list)
    head: Point = (0.0, 0.0, 0.9)
    radii: Point = (0.08, 0.09, 0.1)
    shoulders: float = 0.76
    wide: float = 0.15
    eye: Point = (0.0, 0.09, 0.9)

    def between(self, low: float, high: float) -> float:
        """A number drawn evenly."""
        return float(self.random.uniform(low, high))

    def add(self, *shells: Shell) -> None:
        """Adds shells."""
        self.shells += shells

    def put_head(self, head: Point, neck_from: Point) -> None:
        """A head with its neck, sometimes with a jaw, a nose or a helmet."""
        size = self.between(0.072, 0.112)
        self.radii = (size * self.between(0.85, 1.0), size * self.between(0.95, 1.15), size * self.between(1.0, 1.25))
        self.head = head
        self.add(ellipsoid(head, self.radii, 20), rod(neck_from, head, size * self.between(0.5, 0.75)))
        if self.random.random() < 0.3:
            self.add(ellipsoid((head[0], head[1], head[2] + 0.2 * size), (1.12 * size, 1.2 * size, 1.0 * size), 16))
        if self.random.random() < 0.3:
            self.add(ellipsoid((head[0], head[1] + 0.6 * size, head[2] - 0.5 * size), (0.5 * size,) * 3, 10))
        if self.random.random() < 0.2:
            at = head[2] + self.radii[2] * 0.45
            self.add(rod((head[0], head[1], at), (head[0], head[1], at + 0.02), size * self.between(1.3, 2.0)))
        self.eye = (head[0], head[1] + self.radii[1] * 0.98, head[2] + self.between(-0.1, 0.25) * self.radii[2])

    def trunk(self, low: float = 0.44, lean: float = 0.0) -> None:
        """Hips, belly and chest, the shoulders ``lean`` ahead of the hips."""
        self.wide = self.between(0.12, 0.19)
        deep = self.between(0.085, 0.125)
        middle = (0.0, lean / 2.0, (low + self.shoulders) / 2.0 + 0.01)
        self.add(ellipsoid(middle, (self.wide, deep + abs(lean) / 2.0, (self.shoulders - low) * 0.62), 20))
        if self.random.random() < 0.5:
            self.add(ellipsoid((0, lean, self.shoulders - 0.06), (self.wide * 1.15, deep * 1.05, 0.09), 16))
        if self.random.random() < 0.3:
            for side in (-1, 1):
                spot = (side * self.wide * 1.1, lean, self.shoulders + self.between(-0.02, 0.04))
                self.add(ellipsoid(spot, (self.between(0.06, 0.1),) * 3, 12))
        if self.random.random() < 0.25:
            pack = self.between(0.08, 0.16)
            top = self.shoulders + self.between(-0.05, 0.08)
            self.add(box((-pack, lean - deep - 0.12, top - 0.25), (pack, lean - deep * 0.7, top)))

    def legs(self, high: float = 0.48) -> None:
        """Two legs and boots, somewhat apart."""
        apart, thick = self.between(0.05, 0.12), self.between(0.05, 0.075)
        for side in (-1, 1):
            foot = (side * apart * self.between(0.8, 1.6), self.between(-0.1, 0.1), 0.0)
            self.add(rod((foot[0], foot[1], 0.02), (side * 0.06, 0.0, high + 0.04), thick))
            self.add(ellipsoid((foot[0], foot[1] + 0.04, 0.035), (0.05, 0.1, 0.035), 10))

    def arm(self, side: int, hand: Point) -> None:
        """An arm with an elbow from a shoulder to a hand."""
        thick = self.between(0.035, 0.055)
        shoulder = np.array([side * self.wide, 0.0, self.shoulders - 0.03])
        elbow = (shoulder + hand) / 2.0 + [side * self.between(0.0, 0.06), -0.02, self.between(-0.04, 0.02)]
        self.add(rod(tuple(shoulder), tuple(elbow), thick), rod(tuple(elbow), hand, thick * 0.9))
        self.add(ellipsoid(hand, (thick * self.between(1.0, 1.35),) * 3, 10))

    def arms_down(self) -> None:
        """Both arms hang, or hold something before the belly."""
        for side in (-1, 1):
            if self.random.random() < 0.6:
                self.arm(side, (side * self.wide * 1.3, self.between(0.0, 0.12), self.between(0.42, 0.55)))
            else:
                self.arm(side, (side * 0.05, self.between(0.15, 0.25), self.between(0.5, 0.66)))

    def standing(self, lean: float = 0.0, arms: bool = True) -> None:
        """Legs, trunk, head, and arms that hang."""
        self.shoulders = self.between(0.73, 0.79)
        self.legs()
        self.trunk(lean=lean)
        ahead = lean + self.between(-0.01, 0.05)
        self.put_head((self.between(-0.02, 0.02), ahead, self.shoulders + self.between(0.12, 0.16)),
                      (0.0, lean, self.shoulders - 0.06))  # fmt: skip
        if arms:
            self.arms_down()


# ---- poses


def plain(figure: Figure) -> None:
    figure.standing()
    if figure.random.random() < 0.6:
        length = figure.between(0.2, 0.6)
        figure.add(rod((0.1, 0.1, 0.6), (0.05, 0.1 + length, 0.62), 0.025))


def arms_up(figure: Figure) -> None:
    figure.standing(arms=False)
    for side in (-1, 1):
        up = figure.between(1.02, 1.3)
        figure.arm(side, (side * figure.between(0.1, 0.32), figure.between(-0.05, 0.12), up))


def hammer_overhead(figure: Figure) -> None:
    figure.standing(arms=False)
    up, back = figure.between(1.12, 1.35), figure.between(-0.2, 0.15)
    for side in (-1, 1):
        figure.arm(side, (side * figure.between(0.08, 0.2), back, up))
    if figure.random.random() < 0.5:
        half = (figure.between(0.15, 0.35), figure.between(0.06, 0.14), figure.between(0.08, 0.14))
        figure.add(box((-half[0], back - half[1], up - 0.02), (half[0], back + half[1], up + 2 * half[2])))
    else:
        end = (figure.between(-0.4, 0.4), back - figure.between(0.1, 0.3), up + figure.between(0.1, 0.4))
        figure.add(rod((0, back, up), end, 0.025), ellipsoid(end, tuple(figure.random.uniform(0.08, 0.18, 3)), 14))


def gun_overhead(figure: Figure) -> None:
    figure.standing(arms=False)
    up, side = figure.between(1.05, 1.25), int(figure.random.choice([-1, 1]))
    figure.arm(side, (side * figure.between(0.1, 0.25), figure.between(-0.05, 0.1), up))
    figure.arm(-side, (-side * 0.25, 0.1, 0.5))
    thick = figure.between(0.04, 0.09)
    figure.add(box((side * 0.18 - thick, -figure.between(0.2, 0.5), up), (side * 0.18 + thick, 0.35, up + 2 * thick)))


def crest(figure: Figure) -> None:
    figure.standing()
    x, y, z = figure.head
    radii = (figure.between(0.03, 0.08), figure.between(0.12, 0.26), figure.between(0.1, 0.2))
    figure.add(ellipsoid((x, y - figure.between(0.0, 0.12), z + figure.radii[2] * 0.7 + 0.5 * radii[2]), radii, 16))


def horns(figure: Figure) -> None:
    figure.standing()
    x, y, z = figure.head
    for side in (-1, 1):
        tip = (x + side * figure.between(0.12, 0.25), y, z + figure.between(0.1, 0.3))
        figure.add(rod((x + side * 0.05, y, z + 0.05), tip, figure.between(0.02, 0.045), 0.2))


def tall_hat(figure: Figure) -> None:
    figure.standing()
    x, y, z = figure.head
    figure.add(rod((x, y, z + 0.04), (x, y - figure.between(0, 0.08), z + figure.between(0.18, 0.4)),
                   figure.radii[0] * figure.between(0.9, 1.2), figure.between(0.1, 0.9)))  # fmt: skip


def hunched(figure: Figure) -> None:
    figure.shoulders = figure.between(0.6, 0.72)
    figure.legs()
    figure.trunk(lean=0.05)
    hump = (figure.between(0.15, 0.3), figure.between(0.13, 0.26), figure.between(0.12, 0.25))
    middle = (0.0, figure.between(-0.12, 0.0), figure.between(0.7, 0.82))
    figure.add(ellipsoid(middle, hump, 20))
    ahead = middle[1] + hump[1] + figure.between(0.02, 0.12)
    figure.put_head((0.0, ahead, middle[2] - hump[2] * figure.between(0.0, 0.6)), (0.0, middle[1], middle[2] - 0.05))
    figure.arms_down()


def shield(figure: Figure) -> None:
    figure.standing(arms=False)
    side = int(figure.random.choice([-1, 1]))
    far, high = figure.between(0.2, 0.32), figure.between(0.6, 0.95)
    figure.arm(side, (side * 0.05, far - 0.04, min(high, 0.8)))
    figure.arm(-side, (-side * 0.25, 0.1, figure.between(0.5, 1.1)))
    wide, tall, thick = figure.between(0.12, 0.28), figure.between(0.15, 0.35), figure.between(0.02, 0.045)
    figure.add(box((side * 0.06 - wide, far, high - tall), (side * 0.06 + wide, far + 2 * thick, high + tall)))


def hood(figure: Figure) -> None:
    figure.standing()
    x, y, z = figure.head
    size = max(figure.radii)
    figure.add(ellipsoid((x, y - 0.35 * size, z + 0.1 * size), (1.3 * size, 1.2 * size, 1.35 * size), 18))
    figure.add(rod((0, 0, 0.02), (0, 0, figure.shoulders), figure.between(0.18, 0.28), figure.between(0.4, 0.7)))
    if figure.random.random() < 0.5:
        figure.add(rod((x, y - size, z + size), (x, y - 2.5 * size, z + 2.2 * size), 0.6 * size, 0.2))


def cape(figure: Figure) -> None:
    figure.standing()
    high = figure.shoulders + figure.between(-0.02, 0.12)
    figure.add(box((-0.2, -0.2, 0.05), (0.2, -0.2 + figure.between(0.03, 0.08), high)))
    if figure.random.random() < 0.5:
        figure.add(box((-0.12, -0.16, high - 0.1), (0.12, -0.08, figure.between(0.95, 1.1))))


def wings(figure: Figure) -> None:
    figure.standing()
    for side in (-1, 1):
        tip = (side * figure.between(0.4, 0.8), -figure.between(0.1, 0.3), figure.between(1.05, 1.6))
        for share in np.linspace(0, 1, 7):
            end = (tip[0], tip[1], tip[2] - 0.6 * share)
            figure.add(rod((side * 0.08, -0.12, figure.shoulders - 0.05 - 0.15 * share), end, 0.03, 0.6))


def banner(figure: Figure) -> None:
    figure.standing()
    side = int(figure.random.choice([-1, 1]))
    x, y, top = side * figure.between(0.0, 0.25), figure.between(-0.25, -0.12), figure.between(1.3, 1.9)
    figure.add(rod((x, y, 0.3), (x, y, top), 0.02))
    wide = figure.between(0.15, 0.5)
    figure.add(box((x - 0.5 * wide, y - 0.01, top - figure.between(0.25, 0.6)), (x + 0.5 * wide, y + 0.012, top)))


def spear(figure: Figure) -> None:
    figure.standing(arms=False)
    side = int(figure.random.choice([-1, 1]))
    x, y = side * figure.between(0.22, 0.35), figure.between(0.0, 0.2)
    figure.arm(side, (x, y, figure.between(0.6, 0.8)))
    figure.arm(-side, (-side * 0.22, 0.05, 0.5))
    top = figure.between(1.1, 1.7)
    figure.add(rod((x, y, 0.02), (x, y, top), figure.between(0.015, 0.03)))
    figure.add(ellipsoid((x, y, top), (0.04, 0.03, figure.between(0.05, 0.12)), 10))


def axe_on_shoulder(figure: Figure) -> None:
    figure.standing(arms=False)
    side = int(figure.random.choice([-1, 1]))
    figure.arm(side, (side * 0.18, 0.16, 0.62))
    figure.arm(-side, (-side * 0.24, 0.05, 0.5))
    end = (side * figure.between(0.2, 0.35), -figure.between(0.1, 0.3), figure.between(0.9, 1.15))
    figure.add(rod((side * 0.18, 0.18, 0.58), end, 0.025))
    figure.add(box((end[0] - 0.05, end[1] - 0.12, end[2] - 0.1), (end[0] + 0.05, end[1] + 0.12, end[2] + 0.1)))


def kneeling(figure: Figure) -> None:
    figure.shoulders = figure.between(0.5, 0.58)
    figure.add(rod((0.07, 0.22, 0.02), (0.08, 0.2, 0.27), 0.06), rod((0.08, 0.2, 0.27), (0.05, 0.0, 0.26), 0.065))
    figure.add(
        rod((-0.08, 0.02, 0.06), (-0.05, 0.0, 0.27), 0.065), rod((-0.08, 0.02, 0.06), (-0.08, -0.25, 0.05), 0.055)
    )
    figure.trunk(low=0.2, lean=0.03)
    figure.put_head((0.0, 0.06, figure.shoulders + 0.13), (0.0, 0.03, figure.shoulders - 0.06))
    for side in (-1, 1):
        figure.arm(side, (side * 0.06, 0.25, figure.shoulders + figure.between(-0.12, 0.02)))
    figure.add(rod((0.04, 0.1, figure.shoulders), (0.03, figure.between(0.5, 0.8), figure.shoulders + 0.02), 0.025))


def prone(figure: Figure) -> None:
    figure.add(ellipsoid((0, -0.15, 0.1), (0.16, 0.3, 0.1), 20))
    for side in (-1, 1):
        figure.add(rod((side * 0.07, -0.35, 0.08), (side * figure.between(0.08, 0.2), -0.85, 0.06), 0.06))
        figure.add(rod((side * 0.15, 0.05, 0.1), (side * 0.1, 0.28, 0.06), 0.045))
    figure.put_head((0.0, figure.between(0.2, 0.26), figure.between(0.17, 0.23)), (0.0, 0.0, 0.12))
    figure.add(rod((0.06, 0.2, 0.12), (0.05, figure.between(0.6, 0.8), 0.13), 0.028))


def mounted(figure: Figure) -> None:
    mount = 0.62
    beast_of(figure, mount, figure.between(0.3, 0.4), head=False)
    figure.shoulders = mount + figure.between(0.4, 0.46)
    figure.trunk(low=mount - 0.02)
    for side in (-1, 1):
        figure.add(rod((side * 0.08, 0.0, mount), (side * 0.2, 0.1, mount - 0.3), 0.06))
    figure.put_head((0.0, 0.02, figure.shoulders + 0.14), (0.0, 0.0, figure.shoulders - 0.06))
    for side in (-1, 1):
        figure.arm(side, (side * 0.14, 0.22, mount + 0.2))


def beast_of(figure: Figure, high: float, long: float, head: bool) -> None:
    """Four legs, a long trunk, a neck and a head ahead; its eye only where ``head`` is what looks."""
    wide = figure.between(0.12, 0.17)
    for x in (-1, 1):
        for y in (-0.8, 0.8):
            figure.add(rod((x * wide * 0.7, y * long, 0.0), (x * wide * 0.6, y * long, high * 0.75), 0.05))
    figure.add(ellipsoid((0, 0, high * 0.8), (wide, long * 1.15, high * 0.26), 20))
    if head:
        ahead, up = long * figure.between(1.2, 1.5), high * figure.between(0.8, 1.25)
        figure.put_head((0.0, ahead + 0.06, up), (0.0, long * 0.8, high * 0.85))
        figure.add(rod((0, ahead + 0.08, up - 0.01), (0, ahead + figure.between(0.2, 0.3), up - 0.05), 0.05, 0.7))
    else:
        neck = (0.0, long * 1.15, high * 1.25)
        figure.add(rod((0.0, long * 0.8, high * 0.85), neck, 0.09), ellipsoid(neck, (0.06, 0.09, 0.07), 14))
        figure.add(rod(neck, (0.0, neck[1] + 0.2, neck[2] - 0.12), 0.05, 0.7))


def beast(figure: Figure) -> None:
    high = figure.between(0.4, 0.7)
    beast_of(figure, high, figure.between(0.28, 0.45), head=True)
    if figure.random.random() < 0.6:
        figure.add(rod((0, -0.35, high * 0.8), (0, -0.8, high * figure.between(0.4, 1.4)), 0.035, 0.3))


def backpack(figure: Figure) -> None:
    figure.standing()
    wide, top = figure.between(0.12, 0.22), figure.between(0.85, 1.12)
    figure.add(box((-wide, -0.32, 0.5), (wide, -0.08, top)))


def pauldrons(figure: Figure) -> None:
    figure.standing()
    size = figure.between(0.1, 0.15)
    for side in (-1, 1):
        figure.add(ellipsoid((side * (figure.wide + 0.05), 0.0, figure.shoulders + size * 0.3), (size,) * 3, 16))


def lunging(figure: Figure) -> None:
    figure.standing(lean=figure.between(0.12, 0.25), arms=False)
    figure.arm(1, (0.3, 0.35, figure.between(0.5, 1.15)))
    figure.arm(-1, (-0.3, -0.1, figure.between(0.4, 0.7)))
    figure.add(rod((0.3, 0.35, 0.8), (0.35, figure.between(0.5, 0.8), figure.between(0.7, 1.3)), 0.02))


POSES: dict[str, Callable[[Figure], None]] = {
    pose.__name__.replace("_", " "): pose
    for pose in (
        plain, arms_up, hammer_overhead, gun_overhead, crest, horns, tall_hat, hunched, shield, hood, cape, wings,
        banner, spear, axe_on_shoulder, kneeling, prone, mounted, beast, backpack, pauldrons, lunging,
    )
}  # fmt: skip


def figure_with_eye(seed: int) -> tuple[Mesh, Floats, str]:
    """A figure's body, whose front is +y, its eye (3,) mm, and its pose; the poses follow each other with the seed."""
    random = np.random.default_rng(seed)
    name = list(POSES)[seed % len(POSES)]
    figure = Figure(random)
    POSES[name](figure)
    stature = float(random.uniform(24.0, 42.0))
    mesh = mesh_of(figure.shells)
    lowest = min(float(vertices[:, 2].min()) for vertices, _ in figure.shells)
    spin = turned(np.radians(float(random.uniform(-12.0, 12.0)) if random.random() < 0.5 else 0.0))
    mesh = Mesh(stature * mesh.vertices @ spin.T, mesh.faces, mesh.part)
    return mesh, stature * (np.array(figure.eye) - [0.0, 0.0, lowest]) @ spin.T, name
