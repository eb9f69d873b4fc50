"""A heavy: a five-barrelled stubber at the hip, fed from the drum on the back, thick plates and a welder's mask."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from manifold3d import Manifold

from models.source import armour, bases, clothing, details, heads, heavy_weapons, solids
from models.source.anatomy import (
    GROUND,
    SIDES,
    Body,
    Build,
    Foot,
    Frame,
    Pose,
    Side,
    arm,
    gloved_hand,
    leg,
    posed,
    sign,
    torso,
)
from models.source.details import rivets
from models.source.fields import Field, blend, ellipsoid, intersection, slab, swollen, union, unit
from models.source.folds import folded, radiating, stacked
from models.source.gear import Weapon
from models.source.heavy_weapons import FEED_PORT
from models.source.skin import finished, lightened, outer, skin
from models.source.writing import Material, Sculpture

GRIP, MUZZLE = np.array([5.2, 0.3, 17.2]), np.array([-0.36, 0.93, -0.1])
"""Where the stubber is held (mm), and which way it points."""

MATERIALS = {
    "body": Material("plated overalls", (0.27, 0.25, 0.20)),
    "base": Material("hive floor", (0.17, 0.17, 0.18), 0.9),
    "rubble": Material("hive floor", (0.17, 0.17, 0.18), 0.9),
    "heavy stubber": Material("gunmetal", (0.20, 0.21, 0.23), 0.5, 0.6),
    "heavy stubber barrels": Material("bare steel", (0.34, 0.35, 0.37), 0.4, 0.8),
    "ammunition belt": Material("brass", (0.42, 0.27, 0.09), 0.45, 0.8),
    "antenna": Material("black paint", (0.05, 0.05, 0.05), 0.6),
}


def sculpt() -> Sculpture:
    """The figure on its 40 mm base."""
    stubber = heavy_weapons.rotary_stubber().aim(GRIP, MUZZLE, (0.12, 0, 1))
    body = _body(stubber)
    pack, carried = heavy_weapons.ammunition_pack(), _pack_frame(body)
    base = bases.round_base(40, "grating", rubble=0, clear=[(5.0, -2.6), (-4.6, 2.6)], turn=28, seed=3)
    spots = [(13.5, 6.0), (11.8, 8.2), (-13.0, -8.0), (-14.6, -5.6), (-11.5, 10.5), (-4.0, -15.0), (8.5, -13.0)]
    places = np.column_stack([spots, np.zeros(len(spots))])
    rubble = details.rubble(places, [3.2, 1.8, 3.0, 1.7, 2.2, 1.9, 2.4], np.random.default_rng(4))
    figure = solids.union([*_clothes(body), *_hands(body), *_belt(body)])
    figure = lightened(outer(figure), 7000)
    figure = solids.union([figure, *_armour(body), _head(body), lightened(carried.put(pack.body), 2000)])
    parts = {
        "body": finished(figure),
        "base": finished(base),
        "rubble": finished(rubble.translate((0, 0, GROUND - 0.15))),
        "heavy stubber": finished(stubber.body, 3200),
        "heavy stubber barrels": finished(stubber.barrel, 2700),
        "ammunition belt": finished(_feed(carried, pack), 2900),
        "antenna": finished(carried.put(pack.antenna), 450),
    }
    return Sculpture("heavy", parts, MATERIALS)


def _body(stubber: Weapon) -> Body:
    """The stance: legs wide, leaning back against the weight, the gun at the right hip, the head turned to its aim."""
    pose = Pose(
        pelvis=(0.2, -0.8, 17.6),
        hips=(8, -2, 0),
        chest=(6, -3, 3),
        head=(14, 6, 0),
        feet={"right": Foot((5.3, -2.7, GROUND), turn=-38), "left": Foot((-5.0, 2.8, GROUND), turn=18)},
        hands={"right": stubber.grip(0, elbow=(0.9, -1.0, 0.1)), "left": stubber.grip(1, elbow=(-1.0, 0.2, -0.6))},
    )
    build = Build(
        spine=5.8, shoulder=4.5, hip=2.15, upper_arm=5.5, forearm=5.0, thigh=6.9, shin=6.6, bulk=1.22, chest=1.05
    )
    return posed(build, pose)


def _trunk(body: Body) -> Field:
    """The torso as straps and plates lie on it."""
    return swollen(torso(body), 0.25)


def _pack_frame(body: Body) -> Frame:
    """Where the pack's front lies on the back."""
    return Frame(body.chest.at(0, -2.9, -0.6), body.chest.turn)


def _feed(carried: Frame, pack: heavy_weapons.Pack) -> Manifold:
    """The belt from the drum round the left hip to the gun's port, sagging before the belly."""
    gun = Frame.along(GRIP, np.array([0.12, 0, 1.0]) - MUZZLE * (np.array([0.12, 0, 1.0]) @ unit(MUZZLE)), MUZZLE)
    start, end = carried.at(*pack.mouth), gun.at(*FEED_PORT)
    path = [
        start,
        start + np.array([-2.4, 0.6, -0.6]),
        np.array([-5.9, -1.6, 16.9]),
        np.array([-5.6, 2.4, 15.2]),
        np.array([-2.8, 5.6, 14.2]),
        end + gun.way(-1.6, -0.2, -0.9),
        end + gun.way(0.6, 0, 0),
    ]
    return heavy_weapons.feed_belt(path, (0.1, 0.15, 1))


def _clothes(body: Body) -> list[Manifold]:
    """Padded overalls and broad boots."""
    trunk = folded(
        swollen(torso(body), 0.3),
        stacked(body.waist.at(0, 0, -1.8), body.waist.at(0, 0, 2.0), folds=3.4, depth=0.36, seed=6),
        most=0.32,
    )
    coat = union(blend(0.45, trunk, *(_sleeve(body, side) for side in SIDES)), clothing.collar(body, 1.95, 1.1))
    stout = replace(body, build=replace(body.build, bulk=1.62))
    return [
        skin(clothing.trousers(body, 0.35, seed=11), 0.14, 9000),
        skin(coat, 0.14, 9000),
        *(clothing.boot(stout, side, triangles=2500) for side in SIDES),
    ]


def _sleeve(body: Body, side: Side) -> Field:
    """A thick sleeve, its folds fanning from well inside the bend of the elbow."""
    shoulder, elbow, wrist = body.shoulder[side], body.elbow[side], body.wrist[side]
    upper, lower = unit(elbow - shoulder), unit(wrist - elbow)
    inward = unit(lower - upper)
    return folded(
        arm(body, side, 0.3),
        radiating(elbow + 2.1 * inward, upper + lower, -inward, folds=9, depth=0.4, reach=4.4, seed=14),
        stacked(elbow + lower * 1.2, wrist, folds=2, depth=0.22, seed=15),
        most=0.35,
    )


def _armour(body: Body) -> list[Manifold]:
    """Breastplate, belly lames, great pauldrons, thigh plates, knee pads, greaves, steel toes."""
    trunk = _trunk(body)
    shin = np.array([(-1.0, 1.6), (1.0, 1.6), (1.15, 0.4), (0.75, -1.7), (-0.75, -1.7), (-1.15, 0.4)]) * 1.15
    pieces = [lightened(armour.chest_plate(body, trunk, 0.75), 1300)]
    pieces += [lightened(armour.shoulder_pad(body, "left", 1.32), 1300)]
    pieces += [lightened(armour.shoulder_pad(body, "right", 1.22), 1300)]
    for side in SIDES:
        pieces.append(armour.toe_cap(body, side))
        greave = armour.plate(leg(body, side, 0.32), _shin_frame(body, side), shin, 0.45, ribs=[(0, 0, 0.45, 9)])
        pieces += [lightened(greave, 450), lightened(_tasset(body, side), 750), _seat_plate(body, side)]
        pieces.append(lightened(armour.knee_pad(body, side, 1.08), 550))
    return pieces


def _shin_frame(body: Body, side: Side) -> Frame:
    """The middle of the shin, facing as the foot does."""
    knee, ankle = body.knee[side], body.ankle[side]
    return Frame.along(0.42 * knee + 0.58 * ankle, knee - ankle, body.foot[side].way(0.15 * sign(side), 1, 0))


def _tasset(body: Body, side: Side) -> Manifold:
    """Two overlapping plates that hang from the belt on the outside of a thigh."""
    hip, knee, s = body.hip[side], body.knee[side], sign(side)
    limb = leg(body, side, 0.68)
    outward = body.pelvis.way(s, 0.75, 0)
    result = Manifold()
    for share, thickness, width in ((0.62, 0.35, 1.55), (0.3, 0.6, 1.8)):
        frame = Frame.along(hip + share * (knee - hip), hip - knee, outward)
        outline = [
            (-width, 1.3),
            (width, 1.3),
            (width * 0.9, -0.8),
            (width * 0.5, -1.35),
            (-width * 0.5, -1.35),
            (-width * 0.9, -0.8),
        ]
        result += armour.plate(limb, frame, outline, thickness, rivets=[(s * width * 0.6, 0.7) for s in (1, -1)])
    return result


def _seat_plate(body: Body, side: Side) -> Manifold:
    """A plate that hangs from the belt behind."""
    s = sign(side)
    over = union(_trunk(body), leg(body, side, 0.55))
    frame = Frame.along(body.pelvis.at(0, 0, -0.9), body.pelvis.way(0, 0.12, 1), body.pelvis.way(0.72 * s, -1, 0))
    outline = [(-1.5, 1.4), (1.5, 1.4), (1.75, -0.6), (1.2, -1.7), (-1.2, -1.7), (-1.75, -0.6)]
    return lightened(armour.plate(over, frame, outline, 0.5, rivets=[(x, 0.85) for x in (-1.0, 1.0)]), 420)


def _belt(body: Body) -> list[Manifold]:
    """A broad belt with pouches and grenades, and the pack's straps."""
    trunk, pelvis, chest = _trunk(body), body.pelvis, body.chest
    belt = clothing.band(trunk, pelvis.at(0, 0, 1.2), pelvis.way(0.05, 0, 1), 1.4, 0.55)
    over = swollen(trunk, 0.55)
    pouches = [
        clothing.pouch(over, pelvis, angle, 0.4, size)
        for angle, size in ((-30, (1.6, 1.1, 1.9)), (-100, (1.9, 1.2, 2.1)), (110, (1.9, 1.2, 2.1)))
    ]
    straps = [clothing.band(trunk, chest.at(x, 0, 2.0), chest.way(1, 0, 0.12 * x), 0.95, 0.5) for x in (2.5, -2.5)]
    upper = intersection(union(*straps), slab(chest.at(0, 0, 1.5), chest.way(0, 0, 1), 3.4))
    return [skin(belt, 0.12, 900), clothing.buckle(over, pelvis, 1.2, (2.0, 1.6)), *pouches, skin(upper, 0.14, 900)]


def _hands(body: Body) -> list[Manifold]:
    """Welder's gauntlets."""
    gloves = [skin(gloved_hand(body, side), 0.1, 2200) for side in SIDES]
    return gloves + [skin(clothing.cuff(body, side, 2.4, 1.4), 0.12, 600) for side in SIDES]


def _head(body: Body) -> Manifold:
    """A rimmed helmet and before it a welder's mask."""
    inside = blend(0.4, ellipsoid((0, 0.1, -0.6), (1.4, 1.5, 1.8)), ellipsoid((0, -0.2, 0.6), (1.7, 2.0, 1.8)))
    helmet = union(heads.helmet(visor=False, crest=0.35), inside)
    return lightened(
        skin(heads.neck(body, 1.3), 0.14, 300) + body.head.put(skin(helmet, 0.09, 2000)), 1700
    ) + body.head.put(_mask())


def _mask() -> Manifold:
    """A faceted welder's shield hung from the temples, with window, louvres and rivets, in the head's frame."""
    levels = [
        (2.0, 1.55, 0.75, 0.85, 2.1),
        (0.9, 2.05, 0.9, 1.15, 2.75),
        (-1.3, 1.95, 0.9, 1.1, 3.05),
        (-2.9, 1.15, 1.5, 0.65, 2.8),
    ]
    shell = _shield(levels, 0.0) - _shield(levels, 0.4)
    frame = solids.standing(solids.outlined([(-1.3, -0.55), (1.3, -0.55), (1.3, 0.55), (-1.3, 0.55)], 0.7, 0.16))
    slit = solids.box((2.0, 2.0, 0.5), (0, 3.4, -0.22), 0.0)
    lens = solids.box((2.2, 0.3, 0.8), (0, 2.75, -0.4), 0.0)
    louvres = [solids.box((1.3, 1.2, 0.24), (0, 3.1, -1.35 - 0.48 * i), 0.0) for i in range(3)]
    knobs = [solids.rod(1.2, 0.7, (s * 1.75, 0.5, 0.35), (s, 0, 0), 0.16, 12) for s in (1, -1)]
    arms = [solids.beam((s * 2.0, 0.4, 0.35), (s * 1.95, 1.5, 0.2), 0.3, 0.8, 0.1) for s in (1, -1)]
    heads_of = rivets([(x, 2.62, z) for x in (-0.75, 0.75) for z in (1.15,)], (0, 0.9, 0.4), 0.42)
    mask = shell + frame.translate((0, 2.55, 0.02))
    return solids.union([solids.cut(mask, [slit, *louvres]), lens, *knobs, *arms, heads_of])


def _shield(levels: Sequence[tuple[float, ...]], inset: float) -> Manifold:
    """The hull through half octagons at heights: (z, half width, y at the side, half width in front, y in front)."""
    points = [
        (s * x, y, z)
        for z, side, back, flat, front in levels
        for s in (1, -1)
        for x, y in ((side - inset, back - inset * 4), (side - inset, back), (flat - inset * 0.5, front - inset))
    ]
    return Manifold.hull_points(np.array(points) * [1, 1, 1.0 + 0.2 * inset])
