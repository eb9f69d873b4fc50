"""A ganger who charges with a levelled pistol and a chain-blade swung back, crested and masked."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from manifold3d import CrossSection, Manifold

from models.source import armour, bases, clothing, gear, heads, solids
from models.source.anatomy import (
    GROUND,
    SIDES,
    Body,
    Build,
    Foot,
    Frame,
    Pose,
    Side,
    gloved_hand,
    posed,
    sign,
    torso,
)
from models.source.fairing import thinned
from models.source.fields import (
    Field,
    Vector,
    ball,
    blend,
    cone,
    cut,
    half_space,
    intersection,
    slab,
    swollen,
    union,
    unit,
    vector,
)
from models.source.folds import folded, radiating, stacked
from models.source.gear import Weapon
from models.source.muscles import bare_arm, bare_torso
from models.source.rubble import fallen_bricks
from models.source.skin import finished, lightened, outer, skin
from models.source.writing import Material, Sculpture

MATERIALS = {
    "body": Material("worn leather", (0.27, 0.22, 0.19)),
    "base": Material("hive floor", (0.17, 0.17, 0.18), 0.9),
    "rubble": Material("brick", (0.34, 0.15, 0.10), 0.95),
    "chain blade hilt": Material("hazard paint", (0.45, 0.30, 0.08), 0.6, 0.3),
    "chain blade": Material("bare steel", (0.34, 0.35, 0.37), 0.4, 0.8),
    "pistol": Material("gunmetal", (0.22, 0.23, 0.25), 0.5, 0.6),
    "pistol barrel": Material("bare steel", (0.34, 0.35, 0.37), 0.4, 0.8),
    "mohawk": Material("green hair", (0.16, 0.36, 0.10)),
}


_BRICKS = (
    (6.6, 5.2, 0.35, 6, -10, 35),
    (8.0, 3.6, 0.4, -12, 14, 80),
    (-7.8, -3.6, 0.35, 8, 6, 20),
    (1.6, 9.4, 0.35, -8, 10, -20),
)
_HALVES = (
    (6.4, 7.2, 0.25, 20, 5, 10),
    (-8.4, -1.6, 0.25, -14, 12, 55),
    (-6.2, -5.4, 0.2, 10, -8, 80),
    (8.3, -1.2, 0.25, 6, 16, 30),
    (-8.6, 4.0, 0.25, -10, 6, 65),
)
"""Bricks and half-bricks that lie about: see `rubble.Fallen`."""


def sculpt() -> Sculpture:
    """The figure on its 25 mm base."""
    blade, pistol = _blade(), _pistol()
    body = _body(blade, pistol)
    soft = thinned(solids.union([*_clothes(body), *_flesh(body)]), 9350)
    tails = thinned(skin(_tails(body), 0.15, 40000), 2500)
    hard = solids.union([*_armour(body), *_belt(body), *_straps(body), *_boots(body)]).simplify(0.03)
    parts = {
        "body": finished((soft + tails + hard + _head(body)).simplify(0.02)),
        "base": finished(bases.round_base(25, clear=[(-2.4, 5.6), (2.8, -4.6)], rubble=0, seed=12)),
        "rubble": finished(fallen_bricks(_BRICKS) + fallen_bricks(_HALVES, 1.05)),
        "chain blade hilt": finished(blade.body, 720),
        "chain blade": finished(blade.barrel),
        "pistol": finished(pistol.body),
        "pistol barrel": pistol.barrel,
        "mohawk": finished(body.head.put(skin(heads.mohawk(3.9, seed=3), 0.1, 1100))),
    }
    return Sculpture("ganger_blade", parts, MATERIALS)


def _blade() -> Weapon:
    """The chain-blade, its blade broadened, swung far back beside the hip for an upward cut."""
    blade = gear.sword(14.0, teeth=9)
    broad = replace(blade, barrel=blade.barrel.scale((1.25, 1, 1.25)))
    return broad.aim((8.9, -4.6, 20.6), (0.42, -0.66, 0.62), (0.6, 0.7, 0.3))


def _pistol() -> Weapon:
    """The pistol, given a long barrel, at the end of the left arm, levelled ahead."""
    pistol = gear.pistol()
    shroud = solids.rod(0.95, 1.0, (0, 7.9, 1.9), (0, 1, 0), 0.1, 12)
    barrel = solids.rod(0.8, 5.2, (0, 3.4, 1.9), (0, 1, 0), 0.1, 12) + shroud
    barrel -= solids.rod(0.5, 1.0, (0, 8.3, 1.9), (0, 1, 0), 0.0, 10)
    return replace(pistol, barrel=barrel).aim((-3.6, 10.0, 23.0), (-0.2, 1.0, 0.02), (-0.12, 0, 1))


def _body(blade: Weapon, pistol: Weapon) -> Body:
    """The stance: a long stride on to the left boot, the right heel off the ground, shoulders wound up to strike."""
    pose = Pose(
        pelvis=(0.1, 0.6, 16.4),
        hips=(-18, 8, -3),
        chest=(-26, 13, -4),
        head=(6, 0, 2),
        feet={
            "left": Foot((-2.6, 5.2, GROUND), turn=8),
            "right": Foot((2.7, -6.0, GROUND + 1.45), turn=-24, lean=22),
        },
        hands={
            "right": blade.grip(0, elbow=(0.75, -0.9, 0.0), wrist=(-0.35, 0.2, 0.9)),
            "left": pistol.grip(0, elbow=(-0.7, 0.0, -1.0)),
        },
    )
    return posed(Build(bulk=1.15, shoulder=4.1), pose)


def _trunk(body: Body) -> Field:
    """The torso as straps lie on it."""
    return swollen(torso(body), 0.3)


def _clothes(body: Body) -> list[Manifold]:
    """Trousers and an open sleeveless vest."""
    return [
        skin(clothing.trousers(body, seed=8), 0.13, 60000),
        skin(_vest(body), 0.12, 40000),
    ]


def _vest(body: Body) -> Field:
    """A leather vest: open over the breastbone, its armholes turned over."""
    chest, waist = body.chest, body.waist
    trunk = folded(
        swollen(torso(body), 0.3),
        stacked(waist.at(0, 0, -1.8), waist.at(0, 0, 1.9), folds=2.6, depth=0.24, seed=4),
        *(
            radiating(
                chest.at(3.7 * s, 0.2, 0.6), chest.way(0, 0, 1), chest.way(-s, 0, 0), depth=0.22, reach=3.6, seed=1
            )
            for _, s in _sides()
        ),
        most=0.26,
    )
    rolls = swollen(trunk, 0.22)
    holes = union(*(ball(body.shoulder[side] + chest.way(s * 0.45, 0, 0.1), 1.95) for side, s in _sides()))
    hems = union(*(ball(body.shoulder[side] + chest.way(s * 0.45, 0, 0.1), 2.3) for side, s in _sides()))
    neckline = chest.place(
        blend(0.3, cone((0, 3.2, -4.6), (0, 2.6, 2.2), 0.35, 1.75), ball((0, 1.4, 3.3), 1.9), ball((0, -0.6, 3.9), 1.6))
    )
    edge = intersection(rolls, union(swollen(neckline, 0.4), hems), 0.06)
    return cut(cut(union(trunk, edge), holes, 0.08), neckline, 0.08)


def _sides() -> list[tuple[Side, float]]:
    """Each side with its sign."""
    return [(side, sign(side)) for side in SIDES]


def _tails(body: Body) -> Field:
    """The two tails of a coat, blown back by the charge, their hems torn."""
    length, flare, trail = 10.91, 1.4, np.array([1.4, -6.6, 0.9])
    sheet = clothing.skirt(body, length=length, flare=flare, opening=4.6, thickness=0.5, seed=6, trail=trail)

    def on_cloth(angle: float, above: float) -> Vector:
        share, turn = 1 - above / (length - 0.7), np.radians(angle)
        radius = 2.75 * body.build.bulk + flare * share
        middle = np.array([0, 0, 0.7 - length]) + trail
        return vector(share * middle + radius * np.array([np.sin(turn), -0.8 * np.cos(turn), 0]))

    cuts = [
        cone(on_cloth(angle, -1.4), on_cloth(angle + lean, tall + 1.1), width, 0.05)
        for angle, lean, width, tall in _TEARS
    ]
    hem = half_space(body.pelvis.at(0, trail[1], 1.9 - length + trail[2]), body.pelvis.way(0.05, -0.12, -1))
    return cut(intersection(sheet, hem), body.pelvis.place(union(*cuts)), 0.06)


_TEARS = (
    (6, -7, 2.2, 6.0),
    (-36, 6, 1.3, 2.6),
    (-14, 3, 0.8, 1.3),
    (36, -8, 1.4, 3.0),
    (58, 3, 1.0, 1.4),
)
"""Tears in the tails: where (degrees from behind to the right), how far they lean, width at the hem, height, mm."""


def _flesh(body: Body) -> list[Manifold]:
    """Bare arms and chest, and the hands."""
    trunk = bare_torso(body)
    arms = [bare_arm(body, side) for side in SIDES]
    hands = [skin(gloved_hand(body, side), 0.09, 30000) for side in SIDES]
    return [skin(blend(0.3, trunk, heads.neck(body, 1.2), *arms), 0.11, 60000), *hands]


def _armour(body: Body) -> list[Manifold]:
    """One great pad and a vambrace on the pistol arm, pads on the knees."""
    return [armour.shoulder_pad(body, "left", 1.08), *(armour.knee_pad(body, side) for side in SIDES)]


def _belt(body: Body) -> list[Manifold]:
    """A belt with a buckle and pouches."""
    trunk, pelvis = _trunk(body), body.pelvis
    over = swollen(trunk, 0.5)
    belt = clothing.band(trunk, pelvis.at(0, 0, 1.0), pelvis.way(0.08, 0, 1), 1.1, 0.5)
    pouches = [
        clothing.pouch(over, pelvis, angle, 0.3, size)
        for angle, size in (
            (-60, (1.6, 1.0, 1.8)),
            (-100, (1.3, 0.9, 1.7)),
            (70, (1.5, 1.0, 1.9)),
            (112, (1.9, 1.2, 1.6)),
        )
    ]
    return [skin(belt, 0.1, 500), clothing.buckle(over, pelvis, 1.0, (1.8, 1.4)), *pouches]


def _straps(body: Body) -> list[Manifold]:
    """A bandolier of cartridges from the left shoulder to the right hip, and what is strapped to the arms."""
    trunk, chest = _trunk(body), body.chest
    way = unit(chest.way(0.75, 0.12, 0.66))
    strap = clothing.band(trunk, chest.at(0.2, 0, 0.0), way, 1.2, 0.35)
    over, back = swollen(trunk, 0.5), chest.way(0, -1, 0)
    along = chest.way(-0.66, 0, 0.75)
    places = [clothing.touching(over, chest.at(0.2, 7, 0.0) - along * x, back) for x in np.linspace(-1.7, 2.4, 7)]
    rounds = gear.ammunition_belt(places, spacing=0.6, length=1.9, calibre=0.52, across=way)
    return [skin(strap, 0.1, 500), rounds, *_bracers(body)]


def _bracers(body: Body) -> list[Manifold]:
    """A wound wrap on the blade arm, a riveted vambrace on the pistol arm, a strap round the upper arm."""
    pieces = []
    for side, _ in _sides():
        shoulder, elbow, wrist = body.shoulder[side], body.elbow[side], body.wrist[side]
        lower, upper = unit(wrist - elbow), unit(elbow - shoulder)
        arm = bare_arm(body, side)
        forearm = intersection(arm, half_space(elbow + lower * 0.2, -lower - 0.6 * upper))
        forearm = intersection(forearm, cone(elbow, wrist, 2.2))
        cover = intersection(swollen(forearm, 0.14), slab(elbow * 0.36 + wrist * 0.64, lower, 1.35), 0.08)
        turns = (
            ((0.35, 0.0), (0.9, 0.25), (1.5, -0.2), (2.1, 0.2), (2.7, 0.0)) if side == "right" else ((0.4, 0), (2.7, 0))
        )
        winding = [
            intersection(swollen(forearm, 0.3), slab(wrist - lower * x, lower + tilt * upper, 0.24), 0.1)
            for x, tilt in turns
        ]
        pieces.append(skin(union(cover, *winding), 0.1, 600))
        if side == "right":
            strap = intersection(
                clothing.band(arm, shoulder + upper * 3.1, upper, 0.5, 0.16), cone(shoulder, elbow, 2.2)
            )
            pieces.append(skin(strap, 0.1, 300))
    outward = unit(np.cross(lower, body.chest.way(0, 0, 1)) + 0.6 * body.chest.way(0, 0, 1))
    return [*pieces, _vambrace(Frame.along(elbow * 0.4 + wrist * 0.6, outward, lower), swollen(forearm, 0.2))]


def _vambrace(frame: Frame, over: Field) -> Manifold:
    """A plate with a raised edge and rivets over the outside of a forearm; the frame's up points away from the arm."""
    outline = CrossSection([np.array([(-0.95, -1.5), (0.95, -1.5), (1.2, 1.2), (0.7, 1.7), (-0.7, 1.7), (-1.2, 1.2)])])
    plate = clothing.fitted(over, 0.3, frame.put(outline.extrude(3.0)), 0.12)
    rim = clothing.fitted(over, 0.5, frame.put((outline - outline.offset(-0.3)).extrude(3.0)), 0.12)
    spots = [(x, y) for y in (-1.0, 0.9) for x in (-0.4, 0.4)]
    return solids.union(
        [
            plate,
            rim,
            *(clothing.stud(swollen(over, 0.3), frame.at(x, y, 4), frame.way(0, 0, -1), 0.2) for x, y in spots),
        ]
    )


def _boots(body: Body) -> list[Manifold]:
    """Boots with three straps each."""
    return [clothing.boot(body, side, straps=3, triangles=1200) for side in SIDES]


def _head(body: Body) -> Manifold:
    """A masked, scowling head, shaved at the sides."""
    face = skin(heads.face(scowl=1.0), 0.08, 30000)
    return body.head.put(lightened(outer(face + skin(heads.respirator(), 0.07, 30000)), 3800))
