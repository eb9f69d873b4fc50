"""A ganger with a long rifle at the ready, one boot on the rubble, topknot blowing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from manifold3d import Manifold

from models.source import armour, bases, clothing, gear, heads, solids
from models.source.anatomy import GROUND, SIDES, Body, Build, Foot, Frame, Pose, gloved_hand, posed, torso
from models.source.fairing import thinned
from models.source.fields import (
    Field,
    blend,
    cone,
    intersection,
    ring,
    slab,
    swollen,
    tube,
    union,
    unit,
)
from models.source.gear import Weapon
from models.source.skin import finished, lightened, outer, skin
from models.source.writing import Material, Sculpture

STEP = 1.7
"""Height of the block under the left boot (mm above the floor)."""

BORE = 2.15
"""Height of the barrel's axis above the rifle's grip (mm)."""

CREASE = 0.01
"""Wrinkles of hard surfaces no deeper than this (mm) are not worth triangles."""

MATERIALS = {
    "body": Material("worn leather", (0.30, 0.25, 0.21)),
    "base": Material("hive floor", (0.17, 0.17, 0.18), 0.9),
    "broken block": Material("concrete", (0.34, 0.32, 0.29), 0.95),
    "long rifle": Material("gunmetal", (0.22, 0.23, 0.25), 0.5, 0.6),
    "long rifle barrel": Material("bare steel", (0.34, 0.35, 0.37), 0.4, 0.8),
    "topknot": Material("red hair", (0.42, 0.13, 0.07)),
}


def sculpt() -> Sculpture:
    """The figure on its 25 mm base."""
    rifle = _weapon()
    body = _body(rifle)
    base = bases.round_base(25, clear=[(2.3, -1.9), (-2.6, 3.8)], seed=5)
    block = bases.block((-2.7, 3.9, GROUND + STEP), (4.4, 6.0, STEP + 0.4), (0, 0, 14), seed=2)
    cloth = thinned(solids.union(_clothes(body)), 6600)
    hard = lightened(outer(solids.union([*_boots(body), *_belt(body)])), 3700)
    head = lightened(outer(_head(body)), 4400)
    figure = solids.union([cloth, hard, *_armour(body), *_hands(body), head])
    parts = {
        "body": finished(figure.simplify(CREASE)),
        "base": finished(base),
        "broken block": finished(block),
        "long rifle": finished(rifle.body, 3000),
        "long rifle barrel": rifle.barrel,
        "topknot": finished(body.head.put(_topknot())),
    }
    return Sculpture("ganger_rifle", parts, MATERIALS)


def _weapon() -> Weapon:
    """The rifle across the body, butt below the right elbow, muzzle up, ahead and to the left."""
    rifle = gear.long_rifle(10.4)
    bare = rifle.body.trim_by_plane((0, 0, -1), -3.25)
    mount = solids.box((0.8, 1.9, 0.9), (0, 2.0, 2.85), 0.15)
    slim = rifle.barrel.translate((0, 0, -BORE)).scale((0.86, 1, 0.86)).translate((0, 0, BORE))
    rifle = replace(rifle, body=bare + mount + gear.scope(3.7, 1.3).translate((0, 2.0, 3.95)), barrel=slim)
    return rifle.aim((2.9, 3.7, 18.3), (-0.66, 0.62, 0.40), (0.25, -0.1, 1.0))


def _body(rifle: Weapon) -> Body:
    """The stance: weight on the straight right leg, left boot up, chest turned a little right, face to the left."""
    pose = Pose(
        pelvis=(0.5, -0.7, 17.1),
        hips=(-8, 2, -5),
        chest=(-16, 3, 6),
        head=(20, -2, -5),
        feet={"right": Foot((2.4, -2.6, GROUND), turn=-34), "left": Foot((-2.6, 3.0, GROUND + STEP), turn=16)},
        hands={"right": rifle.grip(0, elbow=(1.0, -0.9, -0.5)), "left": rifle.grip(1, elbow=(-0.8, 0.2, -1.0))},
    )
    return posed(Build(), pose)


def _trunk(body: Body) -> Field:
    """The torso as straps and plates lie on it."""
    return swollen(torso(body), 0.25)


def _clothes(body: Body) -> list[Manifold]:
    """Trousers and a short padded jacket."""
    coat = union(clothing.jacket(body, seed=3), clothing.collar(body))
    hem = clothing.skirt(body, length=2.9, flare=0.6, seed=4)
    return [skin(clothing.trousers(body, seed=8), 0.14, 16000), skin(coat, 0.14, 18000), skin(hem, 0.14, 5000)]


def _boots(body: Body) -> list[Manifold]:
    """Strapped boots."""
    return [clothing.boot(body, side, triangles=2500) for side in SIDES]


def _armour(body: Body) -> list[Manifold]:
    """Breastplate and its harness, shoulder pads, knee pads."""
    trunk = _trunk(body)
    straps = [
        clothing.band(trunk, body.chest.at(x, 0, 2.0), body.chest.way(1, 0, 0.12 * x), 0.75, 0.4) for x in (2.15, -2.15)
    ]
    upper = intersection(union(*straps), slab(body.chest.at(0, 0, 1.5), body.chest.way(0, 0, 1), 3.2))
    under = clothing.band(trunk, body.chest.at(0, 0, -1.5), body.chest.way(0, 0, 1), 0.8, 0.37)
    return [
        lightened(armour.chest_plate(body, trunk, 0.85), 2300),
        skin(union(upper, under), 0.14, 900),
        armour.shoulder_pad(body, "left"),
        armour.shoulder_pad(body, "right", 0.82, 1),
        *(lightened(armour.knee_pad(body, side), 700) for side in SIDES),
    ]


def _belt(body: Body) -> list[Manifold]:
    """A belt with a buckle and pouches, a bedroll behind, and a knife in the left boot."""
    trunk, pelvis = _trunk(body), body.pelvis
    belt = clothing.band(trunk, pelvis.at(0, 0, 1.0), pelvis.way(0.08, 0, 1), 1.05, 0.5)
    over = swollen(trunk, 0.5)
    pouches = [
        clothing.pouch(over, pelvis, angle, 0.35, size)
        for angle, size in (
            (62, (1.5, 0.9, 1.7)),
            (105, (1.7, 1.1, 1.9)),
            (-58, (1.2, 0.8, 1.6)),
            (-88, (1.2, 0.8, 1.6)),
        )
    ]
    return [skin(belt, 0.12, 700), clothing.buckle(over, pelvis, 1.0), *pouches, _bedroll(body), _boot_knife(body)]


def _bedroll(body: Body) -> Manifold:
    """A rolled blanket under the belt behind, held by two straps."""
    ends = [np.array([x, -2.75, 0.75]) for x in (-2.0, 2.0)]
    roll = blend(0.1, cone(ends[0], ends[1], 0.95), cone(ends[0] + [0, 0.1, 0.35], ends[1] + [0, 0.1, 0.35], 0.8))
    trimmed = intersection(roll, slab((0, 0, 0), (1, 0, 0), 2.45), 0.2)
    straps = [intersection(swollen(trimmed, 0.17), slab((x, 0, 0), (1, 0, 0), 0.24), 0.05) for x in (-1.25, 1.25)]
    return body.pelvis.put(skin(union(trimmed, *straps), 0.12, 900))


def _boot_knife(body: Body) -> Manifold:
    """The knife's handle standing out of the left boot, with its scabbard strapped to the shaft."""
    ankle, shin = body.ankle["left"], unit(body.knee["left"] - body.ankle["left"])
    outward = body.foot["left"].way(-1, 0.1, 0)
    outward = unit(outward - (outward @ shin) * shin)
    frame = Frame.along(ankle + shin * 3.3 + outward * 1.42, outward, shin)
    knife = gear.knife(2.4)
    sheath = solids.box((0.95, 3.1, 0.6), (0, -2.6, -0.3), 0.18)
    return frame.put(knife.body.rotate((0, 0, 180)).mirror((0, 1, 0)).translate((0, 0.7, 0)) + sheath)


def _hands(body: Body) -> list[Manifold]:
    """Gloves with gauntlets."""
    gloves = [skin(gloved_hand(body, side), 0.1, 1300) for side in SIDES]
    return gloves + [skin(clothing.cuff(body, side), 0.12, 350) for side in SIDES]


def _head(body: Body) -> Manifold:
    """A scarred, shouting face on a bull's neck, the hair above a shaved rim."""
    return skin(heads.neck(body), 0.14, 250) + body.head.put(
        skin(heads.face(scowl=0.85, mouth_open=0.12, scar=True), 0.08, 7000) + skin(_hair(), 0.08, 4000)
    )


def _hair() -> Field:
    """Locks drawn from a shaved rim all round up to the crown, in the head's frame."""
    skull, size, crown = np.array([0, -0.3, 0.65]), np.array([1.64, 2.02, 1.72]), np.array([0, -1.0, 2.5])
    generator, locks = np.random.default_rng(2), []
    for angle in np.linspace(0, 2 * np.pi, 23, endpoint=False) + generator.uniform(-0.07, 0.07, 23):
        low = np.radians(24 + 20 * np.cos(angle)) + generator.uniform(-0.06, 0.06)
        across = np.array([np.sin(angle), np.cos(angle)])
        steps = [(low - 0.05, 0.95), (low + 0.12, 1.02), (low * 0.7 + 0.5, 1.04), (low * 0.4 + 0.9, 1.05)]
        knots = [skull + size * lift * np.array([*(np.cos(t) * across), np.sin(t)]) for t, lift in steps]
        thick = generator.uniform(0.85, 1.25)
        radii = [0.08 * thick, 0.24 * thick, 0.26 * thick, 0.2 * thick, 0.16 * thick]
        locks.append(tube([*knots, crown + 0.25 * np.array([*across, 0])], radii, 14))
    return blend(0.03, *locks)


def _topknot() -> Manifold:
    """Hair bound at the crown and blown back to the right, in the head's frame."""
    root = np.array([0, -1.0, 2.3])
    ways = np.array(
        [
            [(0, 0, 0), (0.2, -0.6, 1.3), (0.9, -1.8, 2.2), (1.9, -3.4, 2.8), (3.0, -5.2, 3.7)],
            [(0, 0, 0), (0.2, -0.8, 1.2), (0.7, -2.0, 1.9), (1.6, -3.5, 2.3), (2.5, -5.2, 2.7)],
            [(0, 0, 0), (0.4, -0.6, 1.4), (1.2, -1.6, 2.4), (2.2, -3.0, 3.3), (3.1, -4.4, 4.6)],
            [(0, 0, 0), (0.0, -0.6, 1.3), (0.5, -1.8, 2.3), (1.3, -3.4, 3.0), (2.2, -5.0, 4.1)],
        ]
    )
    bands = [ring(root + np.array([0.0, -0.05 * i, 0.25 + 0.27 * i]), (0, -0.15, 1), 0.42, 0.2) for i in range(4)]
    return skin(union(heads.strands(ways + root, thick=0.6, seed=3), *bands), 0.11, 1400)
