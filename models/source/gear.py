"""Weapons, hard-surface. Each is modelled along +y (the muzzle) with z up and its origin in the middle of the grip.

A `Weapon` says where hands go; `aim` turns it into place and answers the grips for a pose.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from manifold3d import Manifold
from numpy.typing import ArrayLike

from models.source import solids
from models.source.anatomy import Frame, Grip
from models.source.fields import curve, unit, vector


@dataclass(frozen=True)
class Hold:
    """Where a hand closes on a weapon, in the weapon's frame: see `anatomy.Grip`."""

    at: tuple[float, float, float]
    axis: tuple[float, float, float]
    wrist: tuple[float, float, float]
    radius: float
    trigger: bool = False


@dataclass(frozen=True)
class Weapon:
    """A weapon in two solids: what stays (stock, receiver, hilt) and what sticks out (barrel, blade), and its holds."""

    body: Manifold
    barrel: Manifold
    holds: tuple[Hold, ...]

    def aim(self, at: ArrayLike, muzzle: ArrayLike, up: ArrayLike = (0, 0, 1)) -> Weapon:
        """The weapon with its grip at a point, its muzzle towards a direction, its top as near to `up` as can be."""
        frame = Frame.along(vector(at), vector(up) - unit(muzzle) * (vector(up) @ unit(muzzle)), muzzle)
        holds = tuple(
            Hold(tuple(frame.at(*h.at)), tuple(frame.way(*h.axis)), tuple(frame.way(*h.wrist)), h.radius, h.trigger)
            for h in self.holds
        )
        return Weapon(frame.put(self.body), frame.put(self.barrel), holds)

    def grip(self, index: int = 0, elbow: Sequence[float] = (0.6, -0.5, -1.0), wrist: ArrayLike | None = None) -> Grip:
        """The grip of one of the holds for a pose; `wrist` may say otherwise where the forearm comes from."""
        hold = self.holds[index]
        back = vector(hold.wrist if wrist is None else wrist)
        return Grip(vector(hold.at), vector(hold.axis), back, (elbow[0], elbow[1], elbow[2]), hold.radius, hold.trigger)


def side_plate(outline: ArrayLike, width: float, bevel: float = 0.14) -> Manifold:
    """A plate seen from the side: `outline` (n, 2) of y and z, convex, `width` across, its rims chamfered."""
    points = np.asarray(outline, float)
    middle = points.mean(axis=0)
    size = np.ptp(points, axis=0)
    inner = middle + (points - middle) * (1 - 2 * bevel / np.maximum(size, 4 * bevel))
    half = width / 2
    rings = [(inner, -half), (points, -half + bevel), (points, half - bevel), (inner, half)]
    return Manifold.hull_points(np.concatenate([np.column_stack([np.full(len(o), x), o]) for o, x in rings]))


def along_y(
    diameter: float, start: float, end: float, z: float, x: float = 0.0, bevel: float = 0.12, sides: int = 16
) -> Manifold:
    """A round bar along y."""
    return solids.rod(diameter, end - start, (x, start, z), (0, 1, 0), bevel, sides)


def _pistol_grip(length: float = 2.6, width: float = 0.95) -> Manifold:
    """A raked grip whose middle is the origin, with grooves behind."""
    outline = [(-0.85, -length / 2), (0.2, -length / 2 - 0.1), (0.75, length / 2 + 0.2), (-0.35, length / 2 + 0.2)]
    grooves = [solids.box((2, 0.3, 0.14), (0, -0.85 + 0.13 * i, -length / 2 + 0.4 * i), 0.0) for i in range(1, 6)]
    return solids.cut(side_plate(outline, width, 0.2), grooves)


def _trigger_guard() -> Manifold:
    """A guard and trigger before a pistol grip."""
    path = [(0, 0.55, 0.0), (0, 1.2, -0.35), (0, 2.0, -0.2), (0, 2.2, 1.2)]
    return solids.swept(solids.regular(8, 0.36), solids.rounded_path(path, 0.5, 3)) + solids.bar(
        (0, 1.15, 1.2), (0, 1.35, 0.35), 0.28
    )


def scope(length: float = 5.0, diameter: float = 1.05) -> Manifold:
    """A telescopic sight along y on two mounts, its middle at the origin, 0.95 mm above what it stands on."""
    half = length / 2
    tube = [
        (0, -half),
        (0.42, -half),
        (0.62, -half + 0.25),
        (0.6, -half + 1.2),
        (0.38, -half + 1.6),
        (0.38, half - 1.9),
        (0.68, half - 1.3),
        (0.68, half - 0.1),
        (0.6, half),
        (0.5, half),
        (0.46, half - 0.35),
        (0, half - 0.35),
    ]
    outline = np.array([(r * diameter / 1.05, y) for r, y in tube])
    solid = solids.revolved(outline, (0, 0, 0), (0, 1, 0), 20)
    mounts = [solids.box((0.7, 0.6, 1.3), (0, y, -1.25), 0.12) for y in (-half + 1.9, half - 2.1)]
    rings = [along_y(1.15 * diameter, y - 0.3, y + 0.3, 0.0) for y in (-half + 1.9, half - 2.1)]
    turret = solids.rod(0.7, 0.55, (0, 0, 0.25), bevel=0.1, sides=12) + solids.rod(
        0.6, 0.55, (0.25, 0, 0), (1, 0, 0), 0.1, 12
    )
    return solids.union([solid, *mounts, *rings, turret])


def long_rifle(barrel: float = 9.5) -> Weapon:
    """A long-barrelled rifle with skeleton stock, curved magazine, fluted fore-end, scope and muzzle brake.

    `barrel` is how far the barrel reaches beyond the fore-end. Holds: the pistol grip, the fore-end from below.
    """
    holds = (
        Hold((0, 0, 0.1), (0, 0.32, 1), (0, -1, -0.25), 0.5, True),
        Hold((0, 7.9, 1.85), (0, 1, 0), (-1, 0, -0.55), 0.8),
    )
    return Weapon(_rifle(), _rifle_barrel(barrel), holds)


def _rifle() -> Manifold:
    """Receiver, stock, magazine, fore-end and scope."""
    receiver = side_plate([(-1.6, 1.25), (5.4, 1.1), (5.4, 2.7), (4.6, 3.0), (-0.9, 3.0), (-1.6, 2.5)], 1.45, 0.18)
    details = [
        solids.box((1.62, 2.2, 0.75), (0, 2.4, 1.95), 0.12),
        solids.box((1.75, 1.5, 0.3), (0, 2.3, 2.2), 0.1),
        solids.rod(0.55, 1.9, (-0.95, 0.1, 2.0), (1, 0, 0), 0.1, 10),
        solids.rod(0.4, 1.8, (-0.9, 4.6, 1.7), (1, 0, 0), 0.08, 10),
        solids.bar((0.6, 1.1, 2.55), (1.45, 0.8, 2.7), 0.34, 8),
        solids.rod(0.6, 0.5, (1.3, 0.85, 2.68), (1, -0.3, 0.15), 0.12, 10),
    ]
    rail = [solids.box((0.72, 0.42, 0.42), (0, -0.4 + 0.62 * i, 2.9), 0.08) for i in range(9)] + [
        solids.box((0.55, 5.6, 0.25), (0, 2.1, 2.9), 0.05)
    ]
    stock = side_plate([(-8.2, -0.7), (-7.4, -0.75), (-1.4, 1.2), (-1.4, 2.6), (-7.6, 2.2), (-8.2, 2.2)], 1.15, 0.2)
    stock -= side_plate([(-6.6, 0.35), (-3.4, 1.15), (-3.2, 1.6), (-6.6, 1.35)], 3.0, 0.1)
    butt = side_plate([(-8.6, -0.95), (-8.0, -0.95), (-7.9, 2.4), (-8.5, 2.4)], 1.45, 0.16)
    cheek = side_plate([(-6.8, 2.0), (-3.2, 2.3), (-3.4, 2.85), (-6.6, 2.65)], 1.3, 0.16)
    wraps = [solids.box((1.4, 0.34, 1.0), (0, -2.4 - 0.42 * i, 1.42 - 0.05 * i), 0.1) for i in range(3)]
    magazine = solids.union(
        [
            side_plate(np.array([(2.0, 1.4), (3.9, 1.4), (4.25, -0.4), (2.3, -0.55)]), 1.0),
            side_plate(np.array([(2.3, -0.4), (4.22, -0.3), (4.75, -1.8), (2.95, -2.15)]), 1.0),
            solids.box((1.15, 2.0, 0.3), (0, 3.75, -2.25), 0.1).rotate((10, 0, 0)).translate((0, -0.15, -0.5)),
        ]
    )
    fore = side_plate([(5.2, 1.2), (10.2, 1.35), (10.6, 1.7), (10.6, 2.5), (10.2, 2.75), (5.2, 2.75)], 1.35, 0.25)
    vents = [solids.rod(0.44, 3.0, (-1.5, 6.2 + 0.95 * i, 2.35), (1, 0, 0), 0.0, 10) for i in range(5)]
    fore = solids.cut(fore, vents) + along_y(0.7, 5.0, 10.4, 2.3)
    return solids.union(
        [
            receiver,
            *details,
            *rail,
            stock,
            butt,
            cheek,
            *wraps,
            magazine,
            fore,
            _pistol_grip(),
            _trigger_guard(),
            scope(5.4).translate((0, 2.0, 4.15)),
        ]
    )


def _rifle_barrel(barrel: float) -> Manifold:
    """The barrel with its bands, fins and slotted brake, from the fore-end on."""
    end = 10.6 + barrel
    pieces = [
        along_y(0.95, 10.3, end - 1.2, 2.15),
        along_y(1.25, 10.3, 11.4, 2.15),
        along_y(1.2, end - 4.1, end - 3.5, 2.15),
        solids.box((0.3, 0.5, 1.0), (0, end - 3.8, 2.3), 0.06),
        *(solids.box((0.7, 0.34, 0.42), (0, 11.9 + 1.0 * i, 2.3), 0.05) for i in range(int((barrel - 6) / 1.0))),
        solids.rod(1.5, 2.1, (0, end - 1.6, 2.15), (0, 1, 0), 0.2, 16),
    ]
    slots = [solids.box((3, 0.34, 0.7), (0, end - 1.1 + 0.65 * i, 1.8), 0.0) for i in range(2)]
    bore = along_y(0.6, end - 1.0, end + 1.0, 2.15, bevel=0.0, sides=12)
    return solids.cut(solids.union(pieces), [*slots, bore])


def knife(length: float = 3.6) -> Weapon:
    """A fighting knife: grip, guard, and as its `barrel` a clipped blade."""
    handle = solids.union(
        [
            along_y(0.62, -1.2, 1.2, 0.0),
            along_y(0.85, -1.5, -1.05, 0.0),
            *(along_y(0.72, -0.9 + 0.5 * i, -0.65 + 0.5 * i, 0.0) for i in range(4)),
        ]
    )
    guard = solids.box((0.5, 0.4, 1.7), (0, 1.3, -0.85), 0.12)
    outline = np.array(
        [(1.2, -0.45), (1.2 + length * 0.8, -0.5), (1.2 + length, 0.2), (1.2 + length * 0.6, 0.4), (1.2, 0.4)]
    )
    ridge = np.column_stack([np.zeros(2), [1.2, 1.2 + length * 0.85], [0.12, 0.12]])
    thick = np.concatenate([ridge + np.array([0.22, 0, 0]), ridge - np.array([0.22, 0, 0])])
    edge = np.concatenate([np.column_stack([np.full(5, x), outline]) for x in (0.05, -0.05)])
    return Weapon(
        handle + guard,
        Manifold.hull_points(np.concatenate([thick, edge])),
        (Hold((0, 0, 0), (0, 1, 0), (1, 0, 0), 0.4),),
    )


def pistol() -> Weapon:
    """A heavy automatic pistol. Hold: its grip."""
    slide = side_plate([(-1.3, 1.35), (3.6, 1.35), (3.6, 2.3), (3.2, 2.6), (-1.1, 2.6), (-1.3, 2.3)], 1.15)
    frame = side_plate([(-0.9, 0.9), (2.9, 0.95), (3.1, 1.45), (-1.0, 1.45)], 1.0)
    grooves = [solids.box((0.4, 0.16, 0.8), (s * 0.65, -0.95 + 0.36 * i, 1.6), 0.0) for i in range(4) for s in (1, -1)]
    sights = [solids.box((0.3, 0.4, 0.35), (0, y, 2.5), 0.06) for y in (-0.9, 3.2)]
    body = solids.union([solids.cut(slide, grooves), frame, *sights, _pistol_grip(2.4), _trigger_guard()])
    barrel = solids.cut(along_y(0.85, 3.4, 5.0, 1.9), [along_y(0.45, 4.4, 6, 1.9, bevel=0.0)])
    return Weapon(body, barrel, (Hold((0, 0, 0), (0, 0.32, 1), (0, -1, -0.1), 0.5, True),))


def sword(length: float = 13.0, teeth: int = 0) -> Weapon:
    """A sword; with `teeth`, a chain-blade whose teeth run round the edge. Hold: the hilt, the blade at the thumb."""
    grip = [
        along_y(0.75, -1.5, 1.4, 0.0),
        *(along_y(0.9, -1.2 + 0.55 * i, -0.9 + 0.55 * i, 0.0) for i in range(5)),
        along_y(1.15, -2.1, -1.4, 0.0),
    ]
    if not teeth:
        guard = solids.box((0.7, 0.55, 3.6), (0, 1.5, -1.8), 0.15)
        outline = np.array([(1.4, -0.75), (length * 0.86, -0.85), (length, 0.75), (length * 0.8, 0.75), (1.4, 0.65)])
        spine = np.column_stack([np.zeros(2), [1.4, length * 0.87], [0, 0]])
        points = [
            spine + np.array([0.3, 0, 0]),
            spine - np.array([0.3, 0, 0]),
            *(np.column_stack([np.full(5, x), outline]) for x in (0.06, -0.06)),
        ]
        return Weapon(solids.union([*grip, guard]), Manifold.hull_points(np.concatenate(points)), _HILT)
    motor = solids.union(
        [
            side_plate([(1.1, -1.3), (4.2, -1.3), (4.2, 1.3), (1.6, 1.5)], 1.7, 0.25),
            solids.rod(1.7, 2.1, (-1.05, 2.7, 0), (1, 0, 0), 0.2),
            *(solids.box((1.95, 0.25, 1.2), (0, 1.6 + 0.4 * i, -1.2), 0.06) for i in range(2)),
        ]
    )
    bar = side_plate([(3.8, -0.85), (length - 0.5, -0.75), (length, 0), (length - 0.5, 0.75), (3.8, 0.85)], 0.75, 0.15)
    slots = side_plate([(5.2, -0.25), (length - 1.5, -0.2), (length - 1.5, 0.2), (5.2, 0.25)], 3.0, 0.05)
    places = np.linspace(4.6, length - 0.7, teeth)
    tooth = [
        side_plate([(y - 0.38, s * 0.6), (y + 0.38, s * 0.6), (y + 0.32, s * 1.35), (y + 0.05, s * 1.2)], 0.45, 0.06)
        for y in places
        for s in (1, -1)
    ]
    return Weapon(solids.union([*grip, motor]), solids.union([bar - slots, *tooth]), _HILT)


_HILT = (Hold((0, 0, 0), (0, 1, 0), (0.4, -0.35, -1), 0.42),)


def ammunition_belt(
    points: Sequence[ArrayLike],
    spacing: float = 0.62,
    length: float = 1.9,
    calibre: float = 0.5,
    across: ArrayLike = (0, 1, 0),
) -> Manifold:
    """Cartridges side by side along a smooth line through points, `across` the way the bullets point."""
    line = curve(points, 60)
    steps = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(line, axis=0), axis=1))])
    places = np.arange(spacing / 2, steps[-1], spacing)
    centres = np.column_stack([np.interp(places, steps, line[:, axis]) for axis in range(3)])
    round_of = solids.revolved(
        [
            (0, -length / 2),
            (calibre / 2, -length / 2),
            (calibre / 2, length * 0.2),
            (calibre * 0.36, length * 0.26),
            (calibre * 0.36, length * 0.36),
            (0, length / 2),
        ],
        sides=8,
    )
    rounds = [solids.placed(round_of, tuple(c), tuple(vector(across))) for c in centres]
    links = [solids.bar(tuple(a), tuple(b), calibre * 0.8, 6) for a, b in pairwise(centres)]
    return solids.union([*rounds, *links])
