"""A hooded scout who kneels behind a lump of rubble, carbine at the ready, pack and bedroll on the back."""

from __future__ import annotations

import numpy as np
from manifold3d import Manifold

from models.source import armour, bases, clothing, gear, heads, solids
from models.source.anatomy import GROUND, SIDES, Body, Build, Foot, Frame, Pose, arm, gloved_hand, leg, posed, torso
from models.source.carbine import carbine
from models.source.fairing import thinned
from models.source.fields import (
    Field,
    ball,
    blend,
    box,
    cone,
    curve,
    displaced,
    half_space,
    intersection,
    ring,
    slab,
    swollen,
    union,
    unit,
)
from models.source.folds import folded, radiating, rough, stacked
from models.source.gear import Weapon
from models.source.rubble import brick_wall, fallen_bricks
from models.source.settling import settled
from models.source.skin import finished, lightened, outer, skin
from models.source.writing import Material, Sculpture

MATERIALS = {
    "body": Material("dun cloth", (0.26, 0.24, 0.18)),
    "base": Material("hive floor", (0.17, 0.17, 0.18), 0.9),
    "rubble": Material("concrete", (0.30, 0.29, 0.27), 0.95),
    "carbine": Material("gunmetal", (0.22, 0.23, 0.25), 0.5, 0.6),
    "carbine silencer": Material("blackened steel", (0.12, 0.12, 0.13), 0.5, 0.6),
    "antenna": Material("bare steel", (0.34, 0.35, 0.37), 0.4, 0.8),
    "scarf end": Material("ochre cloth", (0.45, 0.27, 0.08)),
}


def sculpt() -> Sculpture:
    """The figure on its 25 mm base."""
    weapon = _weapon()
    body = _body(weapon)
    soft = thinned(solids.union([*_clothes(body), *_hands(body)]), 13000)
    hard = solids.union([*_armour(body), *_belt(body), *_pack(body), *_boots(body)]).simplify(0.03)
    parts = {
        "body": finished((soft + hard + _face(body)).simplify(0.018)),
        "base": finished(
            bases.round_base(25, "cracked", rubble=0, clear=[(-3.0, 4.4), (3.4, 0.2), (3.2, -7.5)], seed=4)
        ),
        "rubble": finished(_rubble().simplify(0.04)),
        "carbine": finished(weapon.body, 2100),
        "carbine silencer": finished(weapon.barrel),
        "antenna": finished(_antenna(body), 420),
        "scarf end": _scarf_end(body),
    }
    return Sculpture("scout", parts, MATERIALS)


def _weapon() -> Weapon:
    """The carbine low across the chest, its muzzle over the rubble."""
    return carbine().aim((2.3, 3.2, 14.4), (-0.34, 1.0, 0.06), (0.1, 0, 1))


def _body(weapon: Weapon) -> Body:
    """The stance: right knee on the ground, left boot forward, bent over the weapon, face ahead."""
    pose = Pose(
        pelvis=(0.3, -2.8, 10.6),
        hips=(-14, 12, 3),
        chest=(-26, 26, 4),
        head=(2, 2, 4),
        feet={
            "left": Foot((-3.2, 3.4, GROUND), turn=12),
            "right": Foot((3.0, -7.2, GROUND + 3.5), turn=-16, lean=70, knee=(0.4, 1.0, -0.95)),
        },
        hands={
            "right": weapon.grip(0, elbow=(1.0, -0.6, -0.5)),
            "left": weapon.grip(1, elbow=(-0.7, 0.1, -1.0)),
        },
    )
    return posed(Build(bulk=0.98, shoulder=3.6), pose)


def _trunk(body: Body) -> Field:
    """The torso as straps and pouches lie on it."""
    return swollen(torso(body), 0.25)


def _clothes(body: Body) -> list[Manifold]:
    """Trousers, a padded jacket with its hem, and hood, mantle and scarf."""
    return [
        skin(clothing.trousers(body, seed=8), 0.13, 60000),
        skin(_jacket(body), 0.13, 60000),
        skin(clothing.skirt(body, length=3.2, flare=0.7, seed=4), 0.13, 10000),
        skin(_mantle(body), 0.12, 60000),
        skin(_scarf(body), 0.1, 30000),
    ]


def _jacket(body: Body) -> Field:
    """A jacket drawn in at the waist, its sleeves soft: most of it lies under mantle and pack."""
    waist = body.waist
    trunk = folded(
        swollen(torso(body), 0.22), stacked(waist.at(0, 0, -1.8), waist.at(0, 0, 1.9), folds=2.6, depth=0.26, seed=7)
    )
    sleeves = []
    for index, side in enumerate(SIDES):
        shoulder, elbow, wrist = body.shoulder[side], body.elbow[side], body.wrist[side]
        lower = stacked(elbow, wrist, folds=3.3, depth=0.3, slant=1.4, seed=3 + index)
        upper = stacked(shoulder, elbow, folds=3, depth=0.24, slant=1.6, seed=8 + index)
        sleeves.append(folded(arm(body, side, 0.22), lower, upper, most=0.3))
    return blend(0.45, trunk, *sleeves)


def _mantle(body: Body) -> Field:
    """The hood, and the cape over the shoulders that it belongs to, its hem cut in points."""
    chest = body.chest
    cape = blend(
        1.2, torso(body), *(intersection(arm(body, side, 0.2), ball(body.shoulder[side], 3.2), 0.5) for side in SIDES)
    )
    cape = swollen(cape, 0.5)
    cape = folded(
        cape,
        *(
            radiating(
                chest.at(s * 1.2, y, 3.4),
                chest.way(0, 0, 1),
                chest.way(s, y, 0),
                folds=11,
                depth=0.34,
                reach=6.0,
                seed=i,
            )
            for i, (s, y) in enumerate(((1, 0.4), (-1, 0.4)))
        ),
        most=0.34,
    )

    def points_of(points: np.ndarray) -> np.ndarray:
        local = (points - chest.origin) @ chest.turn
        angle = np.arctan2(local[..., 0], local[..., 1])
        zigzag = np.abs(((angle * 9 / np.pi) % 2) - 1) - 0.5
        return np.asarray(0.9 * zigzag)

    hem = displaced(half_space(chest.at(0, 0, 0.1), chest.way(0, 0.1, -1)), points_of, 0.9)
    return blend(0.35, intersection(cape, hem, 0.1), body.head.place(heads.hood(peak=1.3, seed=2)))


def _scarf(body: Body) -> Field:
    """A scarf wound round neck and mouth under the hood, knotted on the left."""
    head = body.head
    turns = [
        ring(head.at(0, 0.25, -1.5), head.way(0, -0.25, 1), 1.35, 0.62),
        ring(head.at(0, 0.2, -2.15), head.way(0.12, -0.1, 1), 1.6, 0.66),
        ring(head.at(0, 0.1, -2.8), head.way(-0.1, -0.2, 1), 1.75, 0.7),
    ]
    front = blend(0.3, *turns, ball(head.at(0, 0.9, -1.4), 1.05))
    wound = stacked(head.at(0, 0, -3.5), head.at(0, 0, -0.4), folds=4, depth=0.3, slant=0.9, seed=7)
    return folded(front, wound, most=0.3)


def _hands(body: Body) -> list[Manifold]:
    """Gloves with gauntlets."""
    gloves = [skin(gloved_hand(body, side), 0.09, 30000) for side in SIDES]
    return gloves + [skin(clothing.cuff(body, side), 0.11, 8000) for side in SIDES]


def _armour(body: Body) -> list[Manifold]:
    """Knee pads and a plate on the left thigh's outside."""
    return [armour.knee_pad(body, side, 1.05) for side in SIDES]


def _boots(body: Body) -> list[Manifold]:
    """Boots with two straps each."""
    return [clothing.boot(body, side, triangles=1300) for side in SIDES]


def _belt(body: Body) -> list[Manifold]:
    """A belt with pouches, and a knife in a sheath strapped to the left thigh."""
    trunk, pelvis = _trunk(body), body.pelvis
    over = swollen(trunk, 0.45)
    belt = clothing.band(trunk, pelvis.at(0, 0, 1.0), pelvis.way(0.05, 0, 1), 1.0, 0.5)
    pouches = [
        clothing.pouch(over, pelvis, angle, 0.3, size)
        for angle, size in ((95, (1.7, 1.1, 1.9)), (130, (1.3, 0.9, 1.7)), (-110, (1.7, 1.2, 1.6)))
    ]
    return [skin(belt, 0.11, 900), *pouches, *_thigh_knife(body), *_thigh_pouch(body)]


def _thigh_knife(body: Body) -> list[Manifold]:
    """A knife in its sheath on the outside of the left thigh, held by two straps."""
    hip, knee = body.hip["left"], body.knee["left"]
    thigh = unit(knee - hip)
    outward = body.pelvis.way(-1, 0, 0.1)
    outward = unit(outward - (outward @ thigh) * thigh)
    cloth = swollen(leg(body, "left", 0.3), 0.0)
    frame = Frame.along(hip + thigh * 2.4 + outward * 2.25, outward, -thigh)
    sheath = solids.box((1.1, 3.8, 0.75), (0, -1.9, -0.45), 0.2) + solids.box((1.25, 0.5, 0.95), (0, -0.2, -0.5), 0.12)
    handle = gear.knife(2.0).body.translate((0, 1.3, 0.0))
    straps = [clothing.band(cloth, hip + thigh * x, thigh, 0.5, 0.22) for x in (3.0, 4.9)]
    near = ball(hip + thigh * 4, 3.4)
    return [frame.put(sheath + handle), *(skin(intersection(strap, near), 0.12, 500) for strap in straps)]


def _thigh_pouch(body: Body) -> list[Manifold]:
    """A large pouch on the outside of the right thigh, with its strap."""
    hip, knee = body.hip["right"], body.knee["right"]
    thigh = unit(knee - hip)
    outward = body.pelvis.way(1, -0.15, 0.1)
    outward = unit(outward - (outward @ thigh) * thigh)
    cloth, middle = leg(body, "right", 0.3), hip + thigh * 4.1
    frame = Frame.along(middle, -thigh, outward)
    strap = intersection(clothing.band(cloth, middle, thigh, 0.6, 0.2), ball(middle, 3.0))
    return [clothing.pouch(cloth, frame, -8.0, -0.1, (2.0, 1.0, 2.4)), skin(strap, 0.12, 400)]


def _pack(body: Body) -> list[Manifold]:
    """A pack on the back with flap, pockets and straps, a bedroll on top, a flask at its side."""
    back = Frame(body.chest.at(0, -2.55, 0.2), body.chest.turn)
    bag = rough(
        blend(0.3, box((0, -1.2, -0.4), (2.2, 1.35, 2.3), 0.7), box((0, -2.2, -1.2), (1.5, 0.9, 1.1), 0.45)),
        3,
        2.4,
        0.1,
    )
    flap = intersection(swollen(bag, 0.18), half_space((0, 0, 0.7), (0, 0, -1)), 0.1)
    pockets = [box((s * 2.45, -1.1, -1.3), (0.6, 0.9, 1.1), 0.35) for s in (1, -1)]
    straps = [intersection(swollen(bag, 0.3), slab((x, 0, 0), (1, 0, 0), 0.26), 0.05) for x in (1.25, -1.25)]
    roll = rough(blend(0.05, cone((-2.6, -0.9, 2.75), (2.6, -0.9, 2.75), 1.15)), 5, 1.8, 0.08)
    roll = intersection(roll, slab((0, 0, 0), (1, 0, 0), 2.95), 0.2)
    bands = [intersection(swollen(roll, 0.17), slab((x, 0, 0), (1, 0, 0), 0.27), 0.05) for x in (1.5, -1.5)]
    spiral = [ring((s * 2.9, -0.9, 2.75), (1, 0, 0), radius, 0.13) for s in (1, -1) for radius in (0.75, 0.35)]
    soft = back.put(lightened(skin(union(bag, flap, *pockets, *straps, roll, *bands, *spiral), 0.09, 30000), 3000))
    buckles = [solids.box((0.75, 0.3, 0.6), (x, -3.2, -1.0), 0.1) for x in (1.25, -1.25)]
    radio = solids.box((1.2, 1.2, 1.9), (2.5, -1.0, 0.2), 0.2) + solids.rod(
        0.6, 0.5, (2.5, -1.0, 2.0), bevel=0.1, sides=10
    )
    return [soft, back.put(solids.union([*buckles, radio]))]


def _antenna(body: Body) -> Manifold:
    """A whip antenna on the pack's radio, bent back, with a coil at its foot."""
    back = Frame(body.chest.at(0, -2.55, 0.2), body.chest.turn)
    foot = back.at(2.5, -1.0, 2.3)
    line = curve(list(foot + np.array([(0, 0, 0), (0.1, -0.4, 3.0), (0.5, -1.3, 6.5), (1.2, -3.0, 9.5)])), 14)
    whip = solids.swept(solids.regular(8, 0.42), line)
    way = unit(line[1] - line[0])
    coil = [solids.rod(0.85, 0.3, foot + way * (0.1 + 0.42 * i), way, 0.08, 12) for i in range(4)]
    return solids.union(
        [whip, *coil, solids.rod(0.7, 0.6, line[-1] - 0.3 * unit(line[-1] - line[-2]), line[-1] - line[-2], 0.15, 12)]
    )


def _scarf_end(body: Body) -> Manifold:
    """The two loose ends of the scarf, blown back over the left shoulder and fringed."""
    start = body.head.at(-1.7, 0.2, -2.35)
    long = ((0, 0, 0), (-1.5, -0.6, 0.7), (-2.6, -2.6, 0.2), (-2.9, -4.8, 1.3), (-4.3, -6.8, 0.9), (-4.6, -8.6, 1.9))
    short = ((0, 0, 0), (-1.6, -0.4, -0.1), (-2.9, -1.9, -0.7), (-3.9, -3.6, -0.4), (-5.4, -4.9, -1.0))
    return _ribbon(np.add(start, long), 1.05) + _ribbon(np.add(start, short), 0.9)


def _ribbon(points: np.ndarray, half: float) -> Manifold:
    """A strip of cloth, `2 * half` wide, twisting along a smooth line through points, its last part cut in a fringe."""
    line = curve(list(points), 20)
    along = np.gradient(line, axis=0)
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    share = np.linspace(0, 1, len(line))
    twist = 0.5 * np.sin(7 * share)
    up = np.array([0, 0, 1.0]) - along * along[:, 2:]
    up /= np.linalg.norm(up, axis=1, keepdims=True)
    across = np.cos(twist)[:, None] * up + np.sin(twist)[:, None] * np.cross(along, up)
    normal = np.cross(across, along)
    width = half * (0.6 + 0.4 * np.clip(share * 3, 0, 1))
    sides = [(0.17, -1), (0.17, 1), (-0.17, 1), (-0.17, -1)]
    rings = [np.array([line[i] + n * normal[i] + w * width[i] * across[i] for n, w in sides]) for i in range(len(line))]
    strip = solids.lofted(rings if np.linalg.det([normal[0], across[0], along[0]]) > 0 else [r[::-1] for r in rings])
    end = solids.frame(along[-1], across[-1])
    slits = [
        solids.box((3, 0.16, 1.5), (0, w * half, -0.75), 0.0).transform(settled(np.column_stack([end, line[-1]])))
        for w in (-0.7, -0.35, 0, 0.35, 0.7)
    ]
    return solids.cut(strip, slits)


def _face(body: Body) -> Manifold:
    """A face behind goggles."""
    face = skin(heads.face(scowl=0.5, jaw=0.95), 0.08, 30000) + skin(heads.goggles(), 0.07, 30000)
    return body.head.put(lightened(outer(face.trim_by_plane((0, 1, 0), 0.3).trim_by_plane((0, 0, 1), -1.7)), 2600))


def _rubble() -> Manifold:
    """What the scout kneels behind: the stump of a brick wall with a reinforcing bar, and what fell from it."""
    bar = solids.pipe([(2.7, 7.7, 6), (2.6, 7.8, 9.9), (1.6, 8.3, 11.2)], 0.5, 0.8, 8)
    wall = brick_wall((2, 3, 5, 5, 7, 6), (-0.3, 7.7), seed=11)
    return solids.union([wall, bar, fallen_bricks(_FALLEN), fallen_bricks(_HALVES, 1.05)])


_FALLEN = (
    (-0.9, 9.6, 0.42, 6, -12, 30),
    (1.0, 10.3, 0.4, -8, 4, -15),
    (3.4, 10.1, 0.45, 12, 14, 50),
    (6.4, 6.0, 0.42, 0, 10, 75),
    (6.5, 7.6, 1.0, 18, -16, 20),
    (5.4, 4.6, 0.4, -5, 3, 10),
    (-2.6, 8.4, 0.4, 4, 6, 80),
    (4.9, 9.4, 0.95, -20, 12, -40),
    (-7.6, -1.2, 0.35, 5, -9, 25),
)
_HALVES = (
    (-8.8, 0.6, 0.3, 10, 4, 70),
    (-7.4, 2.4, 0.2, -15, 8, 15),
    (8.6, 1.4, 0.3, 14, -10, 40),
    (7.6, -6.2, 0.3, -6, 12, 20),
    (-3.2, -8.8, 0.25, 8, -14, 60),
    (-0.6, 5.4, 0.2, 18, 10, 35),
)
"""Fallen bricks and half-bricks: see `rubble.Fallen`."""
