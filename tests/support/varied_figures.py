"""A third family of figures of which it is known where their eye is: stance, gear and dress are drawn independently.

So a hunched figure may have wings and a raised shield, and a beast a banner on its back. The pieces and heads are those
of `sculpted_figures`.
"""

# ruff: noqa: RUF005 - points are arrays, and adding to one moves it

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from silhouette.common.geometry import Floats
from silhouette.meshes.mesh import Mesh
from tests.support.sculpted_figures import Sculpture, standing_free


class Varied(Sculpture):
    """A figure of any stance.

    Attributes:
        chest: (3,) the middle of its chest, from which arms and what is on its back go out.
        top: (3,) the middle of its head.
    """

    chest: Floats = np.array([0.0, 0.0, 0.71])
    top: Floats = np.array([0.0, 0.0, 0.9])

    def hand(self, side: int) -> Floats:
        """A place (3,) that a hand reaches: anywhere ahead, aside or above."""
        way = self.random.normal(size=3) * [0.6, 0.6, 0.9] + [side * 0.6, 0.4, self.between(-0.8, 0.6)]
        return self.chest + [side * self.width, 0, 0.04] + way / np.linalg.norm(way) * self.between(0.24, 0.38)

    def person(
        self, hips: Floats, lean: float, feet: list[Floats], up: float = 0.21, neck: float | None = None
    ) -> None:
        """Trunk, arms, legs and head, the chest ``up`` above the hips and ``lean`` ahead of them."""
        self.chest = hips + [0.0, lean, up]
        hands = [self.hand(-1), self.hand(1)]
        if self.random.random() < 0.2:  # both hands hold one thing
            hands[1] = hands[0] + self.random.uniform(-0.1, 0.1, 3) + [0.1, 0, 0]
        knees = (0.0, self.between(0.0, 0.12), self.between(0.0, 0.06))
        self.top = self.body(hips, self.chest, hands, feet, knees, neck, self.between(-30, 30) * self.chance(0.3))
        for hand in hands:
            self.hold(hand)
        if self.chance(0.1):
            for side in (-1, 1):
                hand = self.hand(side)
                self.limbs(self.chest + [side * self.width, 0, -0.03], hand, (side * 0.05, 0, -0.02), self.limb)
                self.hold(hand)

    def chance(self, share: float) -> bool:
        """Whether something happens that happens so often."""
        return bool(self.random.random() < share)

    # ---- gear

    def hold(self, hand: Floats) -> None:
        """Something in a hand, or nothing."""
        way = self.random.normal(size=3) * [0.5, 1.0, 1.0]
        way /= np.linalg.norm(way)
        held = self.random.choice(
            ["nothing", "nothing", "blade", "hammer", "axe", "gun", "shield", "staff", "ball", "flag"]
        )
        if held == "blade":
            self.bone(hand - 0.05 * way, hand + self.between(0.15, 0.7) * way, self.between(0.012, 0.03))
        elif held in ("hammer", "axe"):
            end = hand + self.between(0.15, 0.5) * way
            self.bone(hand - self.between(0.0, 0.3) * way, end, 0.018)
            half = self.random.uniform(0.05, 0.15, 3) * ([1, 1, 1] if held == "hammer" else [0.3, 1, 1])
            (self.block if self.chance(0.6) else self.lump)(end - half, end + half)
        elif held == "gun":
            thick = self.between(0.02, 0.07)
            ahead = np.array([0.0, 1.0, self.between(-0.3, 0.5)])
            self.bone(hand - self.between(0.05, 0.4) * ahead, hand + self.between(0.1, 0.5) * ahead, thick, 0.6 * thick)
        elif held == "shield":
            half = np.array([self.between(0.1, 0.26), self.between(0.015, 0.04), self.between(0.12, 0.34)])
            half = half[[0, 2, 1]] if self.chance(0.25) else half
            (self.block if self.chance(0.5) else self.lump)(hand - half, hand + half)
        elif held in ("staff", "flag"):
            high = hand + [0, 0, self.between(0.2, 0.9)]
            self.bone(hand - [0, 0, min(0.5, hand[2])], high, self.between(0.012, 0.025))
            if held == "staff":
                self.ball(high, self.between(0.03, 0.1), 0.004)
            else:
                wide, tall = self.between(0.1, 0.4), self.between(0.15, 0.5)
                self.block(high - [wide * self.random.random(), 0.012, tall], high + [wide, 0.012, 0])
        elif held == "ball":
            self.ball(hand + [0, 0.02, 0.04], self.random.uniform(0.05, 0.11, 3), 0.006)

    def lump(self, low: Floats, high: Floats) -> None:
        """The ellipsoid in a box."""
        self.ball((low + high) / 2.0, (high - low) / 2.0, 0.006)

    def back(self) -> None:
        """What a figure may have on its back, and beside its head."""
        x, y, z = self.chest
        rear = y - self.depth
        worn = self.random.choice(
            ["nothing", "nothing", "nothing", "pack", "vents", "cape", "wings", "pole", "tail", "roll"]
        )
        if worn in ("pack", "vents"):
            wide, deep, top = self.between(0.07, 0.2), self.between(0.05, 0.16), z + self.between(0.0, 0.4)
            self.block((x - wide, rear - deep, top - self.between(0.2, 0.45)), (x + wide, rear + 0.03, top))
            if worn == "vents":
                for side in (-1, 1):
                    self.ball((x + side * wide, rear - deep / 2, top), self.between(0.04, 0.1), 0.004)
        elif worn == "cape":
            wide, top = self.between(0.1, 0.25), z + self.between(0.0, 0.2)
            self.block((x - wide, rear - self.between(0.03, 0.07), max(0.03, z - 0.6)), (x + wide, rear, top))
        elif worn == "wings":
            tall, wide = self.between(0.1, 0.7), self.between(0.3, 0.8)
            for side in (-1, 1):
                for share in np.linspace(0, 1, 6):
                    tip = (x + side * wide, rear - 0.15, z + tall - 0.5 * share)
                    self.bone((x + side * 0.04, rear + 0.03, z - 0.15 * share), tip, 0.03, 0.018)
        elif worn == "pole":
            high = z + self.between(0.4, 1.0)
            self.bone((x, rear, z - 0.2), (x, rear, high), 0.018)
            (self.block if self.chance(0.6) else self.lump)(
                np.array([x - self.between(0.03, 0.25), rear - 0.015 - 0.06 * self.chance(0.3), high - 0.2]),
                np.array([x + self.between(0.03, 0.25), rear + 0.015 + 0.06 * self.chance(0.3), high]),
            )
        elif worn == "tail":
            middle = np.array([x, rear - 0.2, 0.3])
            end = middle + [self.between(-0.2, 0.2), -self.between(0.1, 0.3), self.between(-0.2, 0.6)]
            self.bone((x, rear, max(z - 0.25, 0.1)), middle, 0.05, 0.04)
            self.bone(middle, end, 0.04, self.between(0.01, 0.03))
            if self.chance(0.3):
                self.ball(end, self.between(0.04, 0.08))
        elif worn == "roll":
            level = z + self.between(0.05, 0.2)
            self.bone(
                (x - 0.15, rear - 0.03, level), (x + 0.15, rear - 0.03, level), self.between(0.04, 0.08), blend=0.004
            )

    def extras(self) -> None:
        """What may be on head, shoulders, hips and ground."""
        at, tall = self.top, self.head / 2.0
        if self.chance(0.12):  # a crest, from front to rear or from side to side
            half = np.array([0.025, self.between(0.5, 1.6) * tall, self.between(0.3, 0.9) * tall])
            half = half[[1, 0, 2]] if self.chance(0.3) else half
            middle = at + [0, -self.between(0, 0.6) * tall, tall + 0.4 * half[2]]
            (self.block if self.chance(0.4) else self.lump)(middle - half, middle + half)
        if self.chance(0.07):  # a tall hat
            top = at + [0, -0.03, self.between(1.4, 3.2) * tall]
            self.bone(at + [0, 0, 0.5 * tall], top, self.between(0.6, 1) * tall, self.between(0.1, 0.8) * tall)
        if self.chance(0.1):  # a collar or gorget
            self.ball(self.chest + [0, 0, 0.14], (1.1 * self.width, self.depth * 1.2, self.between(0.03, 0.06)), 0.004)
        if self.chance(0.15):  # pauldrons
            size = self.between(0.07, 0.14)
            for side in (-1, 1):
                self.ball(self.chest + [side * (self.width + 0.03), 0, 0.05 + 0.3 * size], size, 0.004)
        if self.chance(0.1):  # a familiar
            place = self.chest + [self.side() * (self.width + 0.02), self.between(-0.05, 0.03), 0.12]
            self.ball(place, (0.05, 0.06, 0.07))
            self.ball(place + [0, 0.04, 0.09], self.between(0.03, 0.055))
        if self.chance(0.15):  # a robe or skirt
            low = np.array([self.chest[0], self.chest[1] * 0.5, 0.04])
            self.bone(low, self.chest - [0, 0, 0.1], self.between(0.12, 0.26), self.between(0.07, 0.12), 0.03)
        if self.chance(0.1):  # a belly
            self.ball(self.chest - [0, -0.05, 0.13], self.random.uniform(0.1, 0.22, 3), 0.03)
        if self.chance(0.15):  # things at its feet
            size = self.between(0.05, 0.13)
            place = np.array([self.side() * self.between(0.1, 0.3), self.between(-0.2, 0.3), 0.7 * size])
            self.ball(place, size * self.random.uniform(0.7, 1.2, 3))


# ---- stances


def _feet(figure: Varied, up: float = 0.03) -> list[Floats]:
    return [np.array([side * figure.between(0.05, 0.2), figure.between(-0.2, 0.2), up]) for side in (-1, 1)]


def upright(figure: Varied) -> None:
    figure.person(np.array([0, 0, figure.between(0.44, 0.52)]), figure.between(-0.04, 0.1), _feet(figure))


def leaning(figure: Varied) -> None:
    figure.person(np.array([0, -0.05, 0.46]), figure.between(0.1, 0.25), _feet(figure), figure.between(0.1, 0.2))


def hunched(figure: Varied) -> None:
    lean, up = figure.between(0.0, 0.1), figure.between(0.16, 0.24)
    tall = figure.head
    ahead = figure.between(0.08, 0.24)
    hips = np.array([0, 0, figure.between(0.36, 0.48)])
    figure.ball(hips + [0, lean, up], figure.random.uniform((0.14, 0.12, 0.1), (0.28, 0.24, 0.22)), 0.03)
    figure.chest = hips + [0, lean, up]
    hands = [figure.hand(-1), figure.hand(1)]
    own, figure.head = figure.head, 0.05  # the head that the body puts on it is within the hump
    figure.body(hips, figure.chest, hands, _feet(figure), neck=-0.06)
    figure.head = own
    neck = figure.chest + [0, lean + ahead + 0.04, figure.between(-0.12, 0.1)]
    figure.bone(figure.chest, neck, 0.07)
    figure.top = figure.head_on(neck, -0.5 * tall + figure.between(0.0, 0.05))
    for hand in hands:
        figure.hold(hand)


def kneeling(figure: Varied) -> None:
    feet = [np.array([-0.1, -0.2, 0.05]), np.array([0.1, 0.2, 0.03])]
    figure.person(np.array([0, 0, figure.between(0.22, 0.3)]), figure.between(0.0, 0.15), feet)


def seated(figure: Varied) -> None:
    level = figure.between(0.25, 0.7)
    kind = figure.random.choice(["block", "rock", "throne"])
    half = figure.random.uniform(0.12, 0.25, 2)
    if kind == "rock":
        for _ in range(4):
            figure.ball(
                figure.random.uniform((-0.12, -0.15, 0), (0.12, 0.1, level - 0.1)), figure.random.uniform(0.1, 0.2, 3)
            )
    else:
        figure.block((-half[0], -half[1], 0), (half[0], half[1] * 0.6, level - 0.06))
    if kind == "throne":
        figure.block((-half[0], -half[1] - 0.05, 0), (half[0], -half[1], level + figure.between(0.3, 0.9)))
    feet = [np.array([side * 0.12, 0.25, max(0.03, level - 0.3)]) for side in (-1, 1)]
    figure.person(np.array([0, -0.03, level]), figure.between(-0.03, 0.08), feet)


def on_a_mount(figure: Varied) -> None:
    up, long = figure.between(0.35, 0.65), figure.between(0.25, 0.5)
    quadruped(figure, up, long, figure.between(0.1, 0.18))
    feet = [np.array([side * 0.22, 0.08, up - 0.2]) for side in (-1, 1)]
    figure.person(np.array([0, -0.05, up + 0.18]), figure.between(-0.03, 0.1), feet)


def quadruped(figure: Varied, up: float, long: float, wide: float) -> Floats:
    """Trunk, legs, neck, a mount's head with its snout, sometimes a tail; the place (3,) of that head."""
    figure.ball((0, 0, up), (wide, long, wide * figure.between(0.9, 1.4)), 0.03)
    for x in (-0.6, 0.6):
        for y in (-0.75, 0.75):
            foot = (x * wide * 1.2, y * long + figure.between(-0.1, 0.1), 0.03)
            figure.limbs((x * wide, y * long, up), foot, (0, 0.02, 0), figure.between(0.03, 0.055))
    poll = np.array([0, long * figure.between(1.05, 1.5), up + figure.between(-0.05, 0.4)])
    figure.bone((0, 0.75 * long, up + 0.03), poll, figure.between(0.07, 0.11), figure.between(0.045, 0.08))
    size = figure.between(0.045, 0.08)
    figure.ball(poll, (size, size * 1.3, size))
    figure.bone(poll, poll + [0, figure.between(0.08, 0.22), -figure.between(0.02, 0.14)], size * 0.8, size * 0.6)
    if figure.chance(0.6):
        end = np.array([0, -long * figure.between(1.3, 2.0), up + figure.between(-0.25, 0.4)])
        figure.bone((0, -long * 0.9, up + 0.03), end, 0.04, 0.02)
    return poll


def beast(figure: Varied) -> None:
    up, long, wide = figure.between(0.3, 0.6), figure.between(0.2, 0.45), figure.between(0.1, 0.2)
    poll = quadruped(figure, up, long, wide)
    figure.head, figure.chest = figure.between(0.13, 0.24), np.array([0, 0, up])
    figure.top = figure.head_on(poll - [0, 0.02, 0], -0.5 * figure.head)
    if figure.chance(0.3):  # a hump, a saddle, a load
        figure.ball((0, figure.between(-0.2, 0.1), up + wide), figure.random.uniform(0.07, 0.2, 3), 0.02)


def dragon(figure: Varied) -> None:
    """A body on two or four legs, a long neck that rises, and a tail."""
    up = figure.between(0.25, 0.5)
    body = (figure.between(0.12, 0.22), figure.between(0.18, 0.3), figure.between(0.12, 0.24))
    figure.ball((0, 0, up), body, 0.03)
    for side in (-1, 1):
        for y in (-0.1, 0.15):
            figure.limbs((side * body[0] * 0.7, y, up), (side * 0.2, y + 0.05, 0.03), (side * 0.04, -0.03, 0), 0.05)
    middle = np.array([0, body[1] + figure.between(-0.05, 0.12), up + figure.between(0.2, 0.35)])
    end = middle + [0, figure.between(-0.02, 0.2), figure.between(0.0, 0.3)]
    figure.bone((0, body[1] * 0.6, up + 0.05), middle, 0.1, 0.07)
    figure.bone(middle, end, 0.07, 0.05)
    figure.head, figure.chest = figure.between(0.12, 0.2), np.array([0, 0, up])
    figure.top = figure.head_on(end, -0.5 * figure.head)
    figure.bone(figure.top, figure.top + [0, figure.between(0.1, 0.2), -0.04], 0.045, 0.03)
    tail = np.array([figure.between(-0.3, 0.3), -0.6, figure.between(0.05, 0.3)])
    figure.bone((0, -0.15, up), tail, 0.07, 0.02)


def lying(figure: Varied) -> None:
    feet = [np.array([side * figure.between(0.08, 0.2), -0.75, 0.05]) for side in (-1, 1)]
    figure.chest = np.array([0, 0.0, figure.between(0.1, 0.2)])
    hands = [np.array([side * figure.between(0.03, 0.2), figure.between(0.2, 0.35), 0.08]) for side in (-1, 1)]
    own, figure.head = figure.head, 0.05
    figure.body((0, -0.25, 0.1), figure.chest, hands, feet, (0, 0, 0.02), -0.05)
    figure.head = own
    neck = figure.chest + [0, figure.between(0.14, 0.22), figure.between(0.02, 0.1)]
    figure.bone(figure.chest, neck, 0.05)
    figure.top = figure.head_on(neck, -0.5 * own)
    if figure.chance(0.7):
        figure.bone(hands[0], hands[0] + [0, figure.between(0.2, 0.5), 0.02], 0.02)


def flying(figure: Varied) -> None:
    up = figure.between(0.5, 0.9)
    figure.bone((0, 0, 0.02), (0, 0, up), figure.between(0.015, 0.06))
    feet = [np.array([side * 0.08, -figure.between(0.1, 0.4), up - 0.35]) for side in (-1, 1)]
    figure.person(np.array([0, -0.05, up]), figure.between(0.0, 0.2), feet, figure.between(0.12, 0.21))


def on_a_heap(figure: Varied) -> None:
    up = figure.between(0.1, 0.6)
    for _ in range(5):
        figure.ball(
            figure.random.uniform((-0.18, -0.18, 0), (0.18, 0.18, up)), figure.random.uniform(0.08, 0.28, 3), 0.02
        )
    feet = _feet(figure, up + 0.03)
    figure.person(np.array([0, 0, up + figure.between(0.4, 0.5)]), figure.between(0.0, 0.12), feet)


def bulky(figure: Varied) -> None:
    """An ogre, a suit of armour or a walker: a great trunk, a small head, hardly a neck."""
    figure.width, figure.depth = figure.between(0.18, 0.28), figure.between(0.13, 0.22)
    figure.head, figure.limb = figure.between(0.1, 0.18), figure.between(0.045, 0.08)
    figure.person(np.array([0, 0, 0.46]), figure.between(0, 0.1), _feet(figure), neck=figure.between(-0.03, 0.1))
    half = figure.random.uniform((0.18, 0.13, 0.1), (0.28, 0.2, 0.16))
    (figure.block if figure.chance(0.4) else figure.lump)(
        figure.chest - half - [0, 0.05, 0.04], figure.chest + half - [0, 0.05, 0.04]
    )


STANCES: dict[str, Callable[[Varied], None]] = {
    stance.__name__.replace("_", " "): stance
    for stance in (
        upright, leaning, hunched, kneeling, seated, on_a_mount, beast, dragon, lying, flying, on_a_heap, bulky,
    )
}  # fmt: skip


def varied_figure(seed: int) -> tuple[Mesh, Floats, str]:
    """A figure's body, whose front is +y, its eye (3,) mm, and its stance; stances follow each other with the seed."""
    random = np.random.default_rng([seed, 3])
    name = list(STANCES)[seed % len(STANCES)]
    figure = Varied(random)
    STANCES[name](figure)
    figure.back()
    figure.extras()
    return *standing_free(figure), name
