"""A gang leader with a power sword, a cloak and a tall banner, one boot on the head of a fallen idol."""

from __future__ import annotations

import numpy as np
from manifold3d import Manifold

from models.source import armour, bases, clothing, heads, regalia, solids
from models.source.anatomy import (
    GROUND,
    SIDES,
    Body,
    Build,
    Foot,
    Frame,
    Grip,
    Pose,
    gloved_hand,
    posed,
    rotation,
    torso,
)
from models.source.drapes import Values, sheet, torn
from models.source.fairing import thinned
from models.source.fields import Field, blend, cone, cut, ellipsoid, half_space, placed, ring, swollen, union, unit
from models.source.folds import rough
from models.source.gear import Weapon
from models.source.skin import finished, lightened, outer, skin
from models.source.writing import Material, Sculpture

STEP = 4.2
"""Height of the idol's temple, on which the right boot stands (mm above the floor)."""

POLE_AT, POLE_WAY = np.array([-9.15, 3.55, 9.4]), np.array([-0.02, 0.02, 1.0])
CREASE = 0.012
"""Wrinkles of hard surfaces no deeper than this (mm) are not worth triangles."""

BAR_AT, POLE_HEIGHT = 37.4, 44.4
"""Heights of the banner's cross-bar and tip above the pole's foot (mm)."""

MATERIALS = {
    "body": Material("blackened armour", (0.24, 0.23, 0.23), 0.6, 0.3),
    "base": Material("hive floor", (0.17, 0.17, 0.18), 0.9),
    "fallen idol": Material("pale stone", (0.42, 0.40, 0.36), 0.95),
    "cloak": Material("crimson cloth", (0.33, 0.05, 0.05), 0.95),
    "power sword": Material("brass", (0.42, 0.27, 0.09), 0.45, 0.8),
    "power sword blade": Material("bright steel", (0.45, 0.48, 0.52), 0.3, 0.9),
    "banner": Material("faded crimson", (0.38, 0.08, 0.06), 0.95),
    "banner pole": Material("dark wood", (0.22, 0.15, 0.09), 0.8),
}


def sculpt() -> Sculpture:
    """The figure on its 32 mm base."""
    sword = regalia.power_sword().aim((6.6, 6.2, 25.0), (0.62, 0.72, 0.30), (-0.2, -0.1, 1.0))
    body = _body(sword)
    pole = Frame.along(POLE_AT, POLE_WAY, (0.16, 1.0, 0))
    cloth = thinned(solids.union(_clothes(body)), 4700)
    hard = lightened(outer(solids.union([*_boots(body), *_belt(body)])), 1900)
    hands = [skin(gloved_hand(body, side), 0.1, 700) for side in SIDES]
    figure = solids.union([cloth, hard, *_armour(body), *hands, _fur(body), lightened(outer(_head(body)), 3800)])
    parts = {
        "body": finished(figure.simplify(CREASE)),
        "base": finished(bases.round_base(32, clear=[(-2.6, -2.0), (2.8, 4.4), (-9, 3.4)], rubble=9, seed=11)),
        "fallen idol": finished(_idol()),
        "cloak": finished(_cloak(body)),
        "power sword": finished(sword.body, 760),
        "power sword blade": finished(sword.barrel.simplify(CREASE)),
        "banner": finished(pole.put(regalia.banner_cloth(9.6, 14.0, seed=4).translate((0, 0.9, BAR_AT)))),
        "banner pole": finished(pole.put(regalia.banner_pole(POLE_HEIGHT, BAR_AT, 10.6)), 2000),
    }
    return Sculpture("leader", parts, MATERIALS)


def _body(sword: Weapon) -> Body:
    """The stance: weight on the straight left leg, right boot on the idol, breast out, looking along the sword."""
    way = unit(POLE_WAY)
    pose = Pose(
        pelvis=(-0.7, -0.5, 19.5),
        hips=(-4, -2, 3),
        chest=(-2, -5, -2),
        head=(-14, -3, 0),
        feet={
            "left": Foot((-2.7, -1.9, GROUND), turn=32),
            "right": Foot((2.9, 4.3, GROUND + STEP), turn=-14, knee=(0.35, 1.0, 0.2)),
        },
        hands={
            "right": sword.grip(0, elbow=(0.9, -0.3, -0.7)),
            "left": Grip(POLE_AT + way * 17.6, way, np.array([0.5, -0.9, -0.15]), (0.9, -0.5, -0.9), 0.5),
        },
    )
    build = Build(
        spine=5.3, shoulder=4.25, hip=1.9, upper_arm=5.5, forearm=4.9, thigh=7.2, shin=6.9, bulk=1.12, chest=1.05
    )
    return posed(build, pose)


def _trunk(body: Body) -> Field:
    """The torso as straps and plates lie on it."""
    return swollen(torso(body), 0.25)


def _clothes(body: Body) -> list[Manifold]:
    """Trousers and a padded coat with a high collar."""
    coat = union(clothing.jacket(body, seed=13), clothing.collar(body, 2.0, 2.3, 0.75, 1.1))
    hem = clothing.skirt(body, length=3.4, flare=0.8, opening=0.9, seed=4)
    return [skin(clothing.trousers(body, seed=21), 0.14, 16000), skin(coat, 0.14, 18000), skin(hem, 0.14, 6000)]


def _boots(body: Body) -> list[Manifold]:
    """Tall boots with three straps."""
    return [clothing.boot(body, side, shaft=4.2, straps=3, triangles=2400) for side in SIDES]


def _armour(body: Body) -> list[Manifold]:
    """Breastplate with its skull, pauldrons, knee pads, gauntlets."""
    trunk = _trunk(body)
    emblem = clothing.touching(trunk, body.chest.at(0, 7, 0.9), body.chest.way(0, -1, 0))
    mount = Frame(emblem + body.chest.way(0, 0.55, 0), body.chest.turn)
    return [
        lightened(regalia.ornate_breastplate(body, trunk), 1500),
        mount.put(regalia.small_skull(1.9, 400)),
        lightened(regalia.great_pauldron(body, "left", spikes=5), 1800),
        lightened(regalia.great_pauldron(body, "right"), 1800),
        *(lightened(armour.knee_pad(body, side, 1.08), 500) for side in SIDES),
        *(lightened(regalia.tasset(body, side), 560) for side in SIDES),
        *(skin(clothing.cuff(body, side, 2.1, 1.3), 0.11, 360) for side in SIDES),
    ]


def _belt(body: Body) -> list[Manifold]:
    """A broad belt with a skull for a buckle, pouches, and a tabard below it."""
    trunk, pelvis = _trunk(body), body.pelvis
    belt = clothing.band(trunk, pelvis.at(0, 0, 1.0), pelvis.way(0, 0, 1), 1.25, 0.5)
    over = swollen(trunk, 0.5)
    front = clothing.touching(over, pelvis.at(0, 7, 1.0), pelvis.way(0, -1, 0))
    skull = Frame(front + pelvis.way(0, 0.1, 0.1), pelvis.turn).put(regalia.small_skull(2.1, 450))
    pouches = [
        clothing.pouch(over, pelvis, angle, 0.3, size)
        for angle, size in ((-62, (1.6, 1.0, 1.8)), (-95, (1.3, 0.9, 1.9)), (70, (1.5, 1.0, 2.0)))
    ]
    return [skin(belt, 0.12, 800), skull, *pouches, _tabard(body)]


def _tabard(body: Body) -> Manifold:
    """A strip of cloth hanging from the belt before the legs, blown a little to the right."""
    hem, pelvis = torn(8, 3, 0.2), body.pelvis

    def surface(u: Values, v: Values) -> Values:
        fall = v * 7.4 * (1 - (1 - hem(u)) * v)
        x = (u - 0.5) * (3.1 + 0.13 * fall) - 0.35 + 0.012 * fall**2
        y = 2.55 - 1.2 * (u - 0.5) ** 2 + 0.02 * fall + 0.055 * fall * np.sin(9 * u + 0.3 * fall)
        return np.stack([x, y, 1.1 - fall], axis=2)

    return pelvis.put(sheet(surface, 40, 50, 0.5))


def _cloak(body: Body) -> Manifold:
    """A cloak from the shoulders, falling in deep folds and blown back and to the right."""
    hem, chest = torn(17, 9, 0.17), body.chest

    def surface(u: Values, v: Values) -> Values:
        side = 1 - 2 * u
        fall = v * (1 - (1 - hem(u)) * v**2)
        phase = 2 * np.pi * (4.2 * (u + 0.04 * np.sin(9 * u + 2.0)) - 0.4 * fall**1.5 + 0.1)
        deep = 0.12 + 1.35 * fall**1.15
        x = side * (4.4 + 3.6 * fall) + 7.0 * fall**1.8 * (0.6 + 0.4 * side) + 0.3 * deep * np.sin(phase)
        y = -2.55 + 1.3 * side**2 * (1 - fall) - 4.6 * fall**1.4 - 1.1 * np.sin(3.0 * fall) - deep * np.cos(phase)
        y -= 2.2 * fall**2 * np.clip(side, 0, 1) - 2.6 * fall * np.clip(-side, 0, 1) ** 2
        z = 2.5 - 0.75 * side**2 - 21.5 * fall + 4.6 * fall**2.5 * (0.5 + 0.5 * side) ** 2
        return np.asarray(np.stack([x, y, z], axis=2) @ chest.turn.T + chest.origin)

    cloth = sheet(surface, 170, 130, 0.5)
    return lightened(cloth.trim_by_plane((0, 0, 1), GROUND + 0.4), 2900)


def _fur(body: Body) -> Manifold:
    """A ruff of shaggy fur over the shoulders, where the cloak hangs from."""
    generator = np.random.default_rng(7)
    chest, tufts = body.chest, []
    for row, (grow, drop) in enumerate(((1.0, 0.0), (1.12, -0.75), (0.86, 0.55))):
        for side in np.linspace(-1, 1, 22 - 2 * row):
            a = side * 1.95 + generator.uniform(-0.05, 0.05)
            root = np.array([3.3 * grow * np.sin(a), -0.75 - 1.75 * grow * np.cos(a), 2.75 + drop - 0.25 * a**2])
            way = unit([np.sin(a) * 0.8, -np.cos(a) * 0.9, -0.75]) + generator.normal(0, 0.16, 3)
            tip = root + way * generator.uniform(1.2, 1.8)
            middle = (root + tip) / 2 + np.array([np.sin(a), -np.cos(a), 0.6]) * 0.22
            tufts.append(union(cone(root, middle, 0.55, 0.42), cone(middle, tip, 0.42, 0.08)))
    return skin(chest.place(blend(0.08, *tufts)), 0.12, 1000)


def _head(body: Body) -> Manifold:
    """A stern, bearded face on a bull's neck, the hair combed back."""
    face = skin(heads.face(scowl=1.0, jaw=1.04, scar=True), 0.08, 2700)
    return skin(heads.neck(body), 0.14, 250) + body.head.put(
        face + skin(_beard(), 0.08, 1200) + skin(_hair(), 0.08, 1300)
    )


def _beard() -> Field:
    """A full beard and moustache in locks, in the head's frame."""
    locks = []
    for x in np.linspace(-1.0, 1.0, 9):
        root = np.array([1.5 * x, 1.4 - 1.3 * x**2, -1.5 + 0.75 * x**2])
        tip = np.array([0.7 * x, 1.75 - 0.5 * x**2, -3.9 + 1.35 * np.abs(x)])
        locks.append([root, root * 0.5 + tip * 0.5 + np.array([0.3 * x, 0.35, 0]), tip])
    moustache = [[(s * 0.1, 2.02, -0.92), (s * 0.6, 1.88, -1.1), (s * 0.95, 1.55, -1.75)] for s in (1, -1)]
    return union(
        heads.strands(np.array(locks), thick=0.5, thin=0.1, seed=5),
        *(heads.strands([path], thick=0.3, thin=0.07, seed=6) for path in moustache),
        ellipsoid((0, 1.0, -2.0), (1.1, 0.85, 0.85)),
    )


def _hair() -> Field:
    """Long hair swept back from the brow to the nape in locks, in the head's frame."""
    skull, size = np.array([0, -0.3, 0.65]), np.array([1.64, 2.02, 1.7])
    tilt, lift = np.radians([44, 66, 105, 150, 195]), (0.93, 1.03, 1.06, 1.06, 1.12)
    paths = []
    for aside in np.radians(np.linspace(-68, 68, 10)):
        rise = np.stack([np.full(5, np.sin(aside)), np.cos(aside) * np.cos(tilt), np.cos(aside) * np.sin(tilt)], axis=1)
        paths.append([*(skull + size * rise * np.array(lift)[:, None]), (1.5 * np.sin(aside) + 0.3, -2.7, -1.7)])
    cap = cut(ellipsoid(skull, size * 1.02), half_space((0, 1.05, 1.5), (0, 1.0, -0.9)))
    return union(cap, heads.strands(np.array(paths), thick=0.36, thin=0.14, seed=9))


def _idol() -> Manifold:
    """The skull of a stone idol, sunk in the floor to its cheekbones, cracked, with a circlet on its brow."""
    stone = union(regalia.skull(), ring((0, -0.25, 0.62), (0, 0.3, 1), 1.06, 0.12))
    cracks = [cone((0.5, 0.6, 1.25), (0.75, 0.75, 0.5), 0.05), cone((0.75, 0.75, 0.5), (0.5, 0.9, 0.3), 0.04)]
    broken = rough(cut(stone, union(*cracks), 0.02), 3, 0.8, 0.02)
    lying = placed(broken, rotation(12, -16, 8), (2.7, 4.4, GROUND + STEP - 3.35), 2.5)
    return skin(lying, 0.14, 1500).trim_by_plane((0, 0, 1), GROUND - 0.3)
