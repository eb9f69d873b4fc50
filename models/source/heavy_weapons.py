"""What only the strongest carry: a rotary stubber with its ammunition pack and feed, and a great hammer.

Weapons lie along +y with z up and their origin in the middle of the grip, as in `gear`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from manifold3d import Manifold
from numpy.typing import ArrayLike

from models.source import solids
from models.source.details import around, bolts, rivets
from models.source.fields import curve, unit, vector
from models.source.gear import Hold, Weapon, side_plate
from models.source.settling import settled

RIGHT, LEFT, FRONT, BACK, UP = (1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1)


# --- the rotary stubber -----------------------------------------------------------------------------------------------

FEED_PORT = (-1.9, 6.0, -0.6)
"""Where the feed belt goes into the rotary stubber, in its own frame."""

AXIS = 0.2
"""Height of the axis the barrels turn about, in the stubber's own frame."""


def rotary_stubber(barrel: float = 12.0) -> Weapon:
    """A five-barrelled stubber for the hip: spade grip behind, motor and receiver, carrying handle on top.

    Holds: the spade grip, and the handle from above by the left hand. `barrel`: how far the barrels stand out.
    """
    body = solids.union([_spade_grip(), _receiver(), _motor(), _carrying_handle(), _rotor_housing()])
    holds = (
        Hold((0, 0, 0), (0, 0.1, 1), (0.1, -1, 0.1), 0.45),
        Hold((0, 7.3, 5.5), (0, 1, 0), (-0.75, -0.2, 0.75), 0.45),
    )
    return Weapon(body, _barrels(barrel), holds)


def _spade_grip() -> Manifold:
    """A D-shaped handle behind the receiver, its upright wound with cord, a thumb trigger at the top."""
    path = [(0, 3.0, 2.0), (0, 0.1, 2.0), (0, -0.1, -2.0), (0, 3.0, -2.0)]
    cord = [solids.rod(1.02, 0.34, (0, 0.0, -1.35 + 0.5 * i), UP, 0.1, 12) for i in range(6)]
    trigger = solids.box((0.5, 0.9, 0.4), (0, 0.5, 1.55), 0.1)
    return solids.union([solids.swept(solids.regular(10, 0.85), solids.rounded_path(path, 0.8, 4)), *cord, trigger])


def _receiver() -> Manifold:
    """The box: chamfered sides, panels, cooling ribs, a feed port to the left and an ejector to the right."""
    box = side_plate(
        [(2.0, -1.9), (3.2, -2.6), (9.2, -2.6), (10.0, -1.8), (10.0, 2.4), (9.0, 2.9), (2.0, 2.9)], 3.3, 0.3
    )
    panels = [solids.box((0.5, 2.6, 1.5), (s * 1.75, 4.0, -1.9), 0.12) for s in (1, -1)]
    ribs = [solids.box((3.7, 0.4, 3.4), (0, 7.7 + 0.72 * i, -1.7), 0.14) for i in range(3)]
    lid = solids.box((2.4, 5.2, 0.8), (0, 5.9, 2.6), 0.25)
    hinges = [solids.rod(0.55, 1.0, (-1.2, y, 3.0), FRONT, 0.1, 10) for y in (4.0, 7.2)]
    port = solids.box((1.2, 2.7, 3.0), FEED_PORT, 0.2).translate((0, 0, -1.5))
    mouth = solids.box((2, 2.0, 2.3), FEED_PORT, 0.0).translate((-1.2, 0, -1.15))
    ejector = solids.box((0.7, 2.0, 1.1), (1.75, 6.0, 0.5), 0.16) - solids.box((1, 1.4, 0.6), (2.2, 6.0, 0.75), 0.0)
    heads = rivets([(s * 1.62, y, z) for s in (1,) for y in (2.6, 5.2, 7.0) for z in (-2.0, 2.3)], RIGHT, 0.5, 8)
    others = rivets([(-1.62, y, z) for y in (2.6, 8.9) for z in (-2.0, 2.3)], LEFT, 0.5, 8)
    whole = solids.union([box, *panels, *ribs, lid, *hinges, port, ejector, heads, others])
    grooves = [solids.box((9, 0.16, 9), (0, 7.15, -4), 0.0) - solids.box((2.95, 9, 5.1), (0, 7, -2.4), 0.0)]
    return solids.cut(whole, [mouth, *grooves])


def _motor() -> Manifold:
    """The drive: a finned drum on the lower right of the receiver, and a cable that goes back into it."""
    drum = solids.rod(2.3, 4.6, (1.5, 3.0, -2.5), FRONT, 0.25, 20)
    fins = [solids.rod(2.65, 0.34, (1.5, 3.7 + 0.62 * i, -2.5), FRONT, 0.1, 20) for i in range(5)]
    cap = bolts([(1.5, 3.05, -2.5)], BACK, 1.1)
    cable = solids.pipe([(1.5, 2.9, -2.0), (1.7, 1.6, -1.0), (1.5, 1.5, 1.2), (0.9, 2.6, 1.5)], 0.5, 0.8, 8, 3)
    return solids.union([drum, *fins, cap, cable])


def _carrying_handle() -> Manifold:
    """Two posts and a bar above the receiver."""
    path = [(0, 5.0, 2.8), (0, 5.0, 5.5), (0, 9.6, 5.5), (0, 9.6, 2.4)]
    bar = solids.swept(solids.regular(10, 0.85), solids.rounded_path(path, 0.7, 4))
    feet = [solids.box((1.5, 1.3, 0.7), (0, y, 2.75), 0.2) for y in (5.0, 9.4)]
    return solids.union([bar, *feet])


def _rotor_housing() -> Manifold:
    """The stepped ring from which the barrels come."""
    outline = [
        (0, 9.6),
        (2.1, 9.6),
        (2.4, 9.9),
        (2.4, 10.7),
        (2.7, 10.9),
        (2.7, 12.0),
        (2.45, 12.25),
        (2.0, 12.3),
        (0, 12.3),
    ]
    ring = solids.revolved(outline, (0, 0, AXIS), FRONT, 32)
    heads = [
        rivets([point], np.subtract(point, (0, 11.45, AXIS)), 0.6, 8)
        for point in around(5.4, 10, (0, 11.45, AXIS), FRONT)
    ]
    return solids.union([ring, *heads])


def _barrels(length: float) -> Manifold:
    """Five barrels about a slim axle, clamped once, their bores drilled; light shows between them."""
    start, end = 11.9, 12.2 + length
    centres = around(3.7, 5, (0, 0, AXIS), FRONT, 18.0)
    pieces = [solids.rod(1.25, end - start, c + np.array([0, start, 0]), FRONT, 0.14, 14) for c in centres]
    pieces += [solids.rod(1.5, 0.8, c + np.array([0, end - 0.8, 0]), FRONT, 0.14, 14) for c in centres]
    pieces.append(solids.rod(0.7, end - start - 1.6, (0, start, AXIS), FRONT, 0.1, 10))
    middle = np.array([0, start + 0.64 * length, 0])
    clamp = solids.rod(5.1, 0.6, middle + np.array([0, 0, AXIS]), FRONT, 0.16, 30)
    beside = around(5.4, 5, (0, -0.5, AXIS), FRONT, 54.0)
    pieces.append(solids.cut(clamp, [solids.rod(1.1, 2, c + middle, FRONT, 0.0, 8) for c in beside]))
    bores = [solids.rod(0.76, 3, c + np.array([0, end - 1.2, 0]), FRONT, 0.0, 12) for c in centres]
    return solids.cut(solids.union(pieces), bores)


# --- its ammunition ---------------------------------------------------------------------------------------------------


def feed_belt(
    points: Sequence[ArrayLike], across: ArrayLike = UP, length: float = 2.3, calibre: float = 0.72
) -> Manifold:
    """A belt of cartridges along a smooth line through points; each lies square to the line, its bullet to `across`."""
    line = curve(points, 80)
    steps = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(line, axis=0), axis=1))])
    places = np.arange(0.0, steps[-1], calibre * 1.22)
    centres = np.column_stack([np.interp(places, steps, line[:, axis]) for axis in range(3)])
    tangents = np.gradient(centres, axis=0)
    half, case, tip = length / 2, calibre / 2, calibre * 0.36
    outline = [(0, -half), (case, -half), (case, -half + 0.2), (case * 0.82, -half + 0.3), (case, -half + 0.42)]
    outline += [(case, length * 0.18), (tip, length * 0.26), (tip, length * 0.34), (0, half)]
    cartridge = solids.revolved(outline, sides=8)
    rounds = []
    for centre, tangent in zip(centres, tangents, strict=True):
        along = unit(tangent)
        bullet = vector(across) - (vector(across) @ along) * along
        rounds.append(solids.placed(cartridge, centre, bullet, along))
    links = [solids.bar(a, b, calibre * 0.75, 6) for a, b in pairwise(centres)]
    return solids.union([*rounds, *links])


@dataclass(frozen=True)
class Pack:
    """An ammunition pack, its front to the wearer's back: the drum on its frame, and the aerial that stands above."""

    body: Manifold
    antenna: Manifold
    mouth: tuple[float, float, float] = (-2.6, -1.6, -3.2)
    """Where the belt comes out."""


def ammunition_pack(aerial: float = 9.0) -> Pack:
    """A drum of ammunition under a power cell with two exhausts; `aerial`: how tall its antenna is."""
    frame = solids.box((5.6, 1.2, 8.2), (0, -0.3, -4.4), 0.3)
    rails = [solids.box((0.7, 1.8, 9.4), (s * 2.6, -0.5, -5.0), 0.2) for s in (1, -1)]
    cell = solids.box((6.0, 2.9, 3.2), (0, -1.9, 2.1), 0.4)
    vents = [solids.box((3.6, 0.6, 0.32), (0, -3.4, 2.7 + 0.66 * i), 0.0) for i in range(4)]
    heads = rivets([(x, -3.33, z) for x in (-2.5, 2.5) for z in (2.7, 3.7, 4.7)], BACK, 0.6)
    exhausts = [_exhaust(s) for s in (1, -1)]
    body = solids.union([frame, *rails, solids.cut(cell, vents), heads, _drum(), _chute(), *exhausts])
    return Pack(body, _antenna(aerial))


def _drum() -> Manifold:
    """The drum: a flat cylinder with rims, spokes and a winding handle behind."""
    outline = [
        (0, 0),
        (3.2, 0),
        (3.55, 0.25),
        (3.55, 0.8),
        (3.3, 1.0),
        (3.3, 2.6),
        (3.55, 2.8),
        (3.55, 3.4),
        (3.2, 3.7),
    ]
    outline += [(2.7, 3.7), (2.5, 3.4), (1.2, 3.4), (1.0, 3.9), (0, 3.9)]
    centre = np.array([0, -0.7, -1.6])
    drum = solids.revolved(outline, centre, BACK, 36)
    spokes = [solids.box((0.6, 2.1, 0.55), (0, 1.7, 3.2), 0.14).rotate((0, 0, 60 * i)) for i in range(6)]
    ribs = [
        solids.rod(0.6, 2.0, (3.2 * np.cos(a), 3.2 * np.sin(a), 0.9), UP, 0.1, 8)
        for a in np.arange(0, 2 * np.pi, np.pi / 7)
    ]
    crank = solids.bar((0, 0, 4.0), (0.9, 0.5, 4.1), 0.5, 8) + solids.rod(0.6, 0.9, (0.9, 0.5, 3.8), UP, 0.12, 10)
    placed = solids.placed(solids.union([*spokes, *ribs, crank]), centre, BACK, UP)
    return solids.union([drum, placed, bolts(around(1.5, 4, centre + np.array([0, -3.85, 0]), BACK), BACK, 0.45)])


def _chute() -> Manifold:
    """The mouth low on the drum's left from which the belt runs."""
    chute = solids.box((2.4, 1.6, 3.0), (-2.6, -2.0, -4.7), 0.25)
    return chute - solids.box((2.0, 1.0, 2.5), (-3.4, -2.0, -4.45), 0.0)


def _exhaust(s: float) -> Manifold:
    """A short stack with a slotted shield and a cut-off mouth, at one upper corner."""
    pipe = solids.pipe([(s * 2.3, -2.6, 4.6), (s * 2.6, -2.7, 6.4), (s * 3.1, -3.5, 7.9)], 1.15, 0.9, 14, 4)
    shield = solids.rod(1.55, 1.3, (s * 2.42, -2.62, 5.1), (s * 0.17, -0.03, 1), 0.15, 14)
    bore = solids.bar((s * 2.75, -3.0, 7.0), (s * 3.4, -4.0, 8.9), 0.75, 12)
    return (pipe + shield) - bore


def _antenna(height: float) -> Manifold:
    """A whip on a spring and a foot, swaying outwards."""
    foot = solids.rod(1.0, 0.8, (-1.2, -1.4, 5.1), UP, 0.15, 12)
    spring = [solids.rod(0.7, 0.26, (-1.2, -1.4, 5.8 + 0.36 * i), UP, 0.08, 10) for i in range(4)]
    path = curve([(-1.2, -1.4, 5.6), (-1.25, -1.45, 5.6 + height * 0.5), (-1.6, -1.8, 5.6 + height)], 8)
    whip = solids.swept(solids.regular(8, 0.46), path)
    tip = solids.rod(0.75, 0.7, path[-1] - [0, 0, 0.4], path[-1] - path[-2], 0.2, 10)
    return solids.union([foot, *spring, whip, tip])


# --- what brutes carry ------------------------------------------------------------------------------------------------


def great_hammer(haft: float = 8.0) -> Weapon:
    """A sledge made of an iron billet on a pipe: the haft along +y, its striking face to +z, a pick behind.

    The grip's middle is the origin; the head is the weapon's `barrel`, `haft` beyond it. Hold: the grip.
    """
    pole = [solids.rod(0.86, haft + 6.2, (0, -5.2, 0), FRONT, 0.12, 14)]
    pole += [solids.rod(1.06, 0.42, (0, -1.7 + 0.5 * i, 0), FRONT, 0.12, 12) for i in range(7)]
    pole += [solids.rod(1.25, 0.5, (0, y, 0), FRONT, 0.15, 12) for y in (2.4, haft - 2.4)]
    pommel = solids.revolved([(0, -6.2), (0.5, -6.1), (0.85, -5.5), (0.7, -4.9), (0.42, -4.6), (0, -4.6)], sides=12)
    pole.append(solids.placed(pommel, (0, 0, 0), FRONT))
    return Weapon(
        solids.union(pole),
        _billet().scale((1.2, 1.2, 1.2)).translate((0, haft, 0)),
        (Hold((0, 0, 0), (0, 1, 0), (0.3, 0, -1), 0.45),),
    )


def _billet() -> Manifold:
    """The hammer's head: a chamfered block with two bolted bands, a worn face before and a wedge behind."""
    block = solids.placed(solids.box((2.9, 2.9, 4.4), bevel=0.35), (0, 0, -1.9), UP, FRONT)
    face = solids.box((3.4, 3.4, 1.1), (0, 0, 2.1), 0.38)
    wedge = Manifold.hull_points(
        [(x, y, z) for x, y, z in [(1.2, 1.2, -1.7), (-1.2, 1.2, -1.7), (1.2, -1.2, -1.7), (-1.2, -1.2, -1.7)]]
        + [(s * 0.2, y, z) for s in (1, -1) for y, z in ((0.7, -3.4), (-1.0, -4.3), (-1.2, -4.1))]
    )
    bands = [solids.box((3.2, 3.2, 0.6), (0, 0, z), 0.16) for z in (-1.35, 0.85)]
    heads = []
    for z in (-1.05, 1.15):
        for towards in (RIGHT, LEFT, FRONT, BACK):
            side = np.array(towards) * 1.6
            across = np.abs(np.array([towards[1], towards[0], 0])) * 0.95
            heads.append(rivets([side + across * s + [0, 0, z] for s in (1, -1)], towards, 0.5, 8))
    collar = [solids.rod(1.7, 0.9, (0, y, 0), FRONT, 0.2, 12) for y in (-2.0, 1.1)]
    notches = [solids.box((0.7, 0.5, 0.8), p, 0.0).rotate((0, 0, 30)) for p in ((1.75, 0.6, 2.7), (-1.0, 1.7, 2.9))]
    return solids.cut(solids.union([block, face, wedge, *bands, *heads, *collar]), notches)


def chain(points: Sequence[ArrayLike], size: float = 0.9, count: int = 80) -> Manifold:
    """A chain of links `size` long along a smooth line through points, each link square to the next."""
    line = curve(points, count)
    steps = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(line, axis=0), axis=1))])
    places = np.arange(0.0, steps[-1], size * 0.62)
    centres = np.column_stack([np.interp(places, steps, line[:, axis]) for axis in range(3)])
    tangents = np.gradient(centres, axis=0)
    wire = size * 0.15
    section = solids.regular(4, 2.2 * wire) + np.array([size * 0.27, 0])
    link = Manifold.revolve(solids.drawn(section), 8).scale((1.0, size / 2 / (size * 0.27 + wire), 1.0))
    flat, upright = link, link.rotate((0, 90, 0))
    above = np.array([0.31, 0.2, 0.93])
    return solids.union(
        (flat if index % 2 else upright).transform(settled(np.column_stack([_link_turn(tangent, above), centre])))
        for index, (centre, tangent) in enumerate(zip(centres, tangents, strict=True))
    )


def _link_turn(tangent: np.ndarray, above: np.ndarray) -> np.ndarray:
    """A rotation whose second axis runs along the chain."""
    along = unit(tangent)
    third = unit(above - (above @ along) * along)
    return np.stack([np.cross(along, third), along, third], axis=1)
