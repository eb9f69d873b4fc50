"""A brute: a stooped ogre of a man, bare-armed, a sledge in one fist and a torn chain on the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
from manifold3d import Manifold

from models.source import armour, bases, clothing, details, heavy_weapons, solids
from models.source.anatomy import GROUND, SIDES, Body, Build, Foot, Frame, Grip, Pose, gloved_hand, leg, posed
from models.source.details import bolts
from models.source.fields import (
    Field,
    Vector,
    blend,
    box,
    cone,
    curve,
    displaced,
    ellipsoid,
    intersection,
    swollen,
    union,
    unit,
)
from models.source.figures import _brute_anatomy as anatomy
from models.source.folds import noise
from models.source.gear import Weapon
from models.source.skin import finished, lightened, outer, skin
from models.source.writing import Material, Sculpture

SIZE = 1.65
"""How much larger than the kit's men he is, boots and fists and all: everything but the base is enlarged by it."""

HEAD = 0.74
"""His head, beside theirs, before he is enlarged."""

FIST = 1.3
"""His fists, beside theirs, before he is enlarged."""

MATERIALS = {
    "body": Material("weathered hide", (0.36, 0.24, 0.18)),
    "base": Material("hive floor", (0.17, 0.17, 0.18), 0.9),
    "rubble": Material("hive floor", (0.17, 0.17, 0.18), 0.9),
    "great hammer": Material("raw iron", (0.20, 0.20, 0.21), 0.55, 0.7),
    "shoulder spikes": Material("bare steel", (0.34, 0.35, 0.37), 0.4, 0.8),
}


def sculpt() -> Sculpture:
    """The figure on its 40 mm base."""
    hammer = heavy_weapons.great_hammer().aim((9.0, 3.6, 9.6), (0.16, 0.3, 1.0), (-0.25, 1, -0.3))
    body = _body(hammer)
    base = bases.round_base(40, "plates", rubble=0, clear=[(6.4, -3.0), (-6.2, 3.6)], turn=-15, seed=11)
    pad, spikes = _shoulder(body)
    spots = [
        (-13.5, -7.5),
        (-12.0, -9.5),
        (12.5, 8.0),
        (11.0, 10.2),
        (14.2, 6.4),
        (1.5, 14.8),
        (-3.0, -15.2),
        (0.5, -12.5),
    ]
    places = np.column_stack([spots, np.zeros(len(spots))])
    rubble = details.rubble(places, [3.0, 1.8, 3.4, 2.0, 1.6, 2.0, 2.6, 1.6], np.random.default_rng(2))
    parts = {
        "body": finished(_enlarged(_figure(body) + pad).simplify(0.01)),
        "base": finished(base),
        "rubble": finished(rubble.translate((0, 0, GROUND - 0.15))),
        "great hammer": finished(_enlarged(hammer.body + hammer.barrel), 2300),
        "shoulder spikes": finished(_enlarged(spikes)),
    }
    return Sculpture("brute", parts, MATERIALS)


def _enlarged(solid: Manifold) -> Manifold:
    """A solid of the kit's size at the brute's, standing on the base."""
    return solid.scale((SIZE, SIZE, SIZE)).translate((0, 0, GROUND))


def _body(hammer: Weapon) -> Body:
    """The stance: bent over his fists, legs wide, head thrust forward and turned a little to his left."""
    pose = Pose(
        pelvis=(0.1, -1.9, 11.3),
        hips=(4, 8, 0),
        chest=(6, 27, 3),
        head=(16, 4, -3),
        feet={"right": Foot((3.9, -2.0, 0), turn=-34), "left": Foot((-3.8, 2.0, 0), turn=20)},
        hands={
            "right": hammer.grip(0, elbow=(1.0, -0.9, 0.1), wrist=(-0.35, -0.8, 0.35)),
            "left": Grip(
                np.array([-8.9, 4.2, 7.6]),
                np.array([0.5, 1.0, 0.15]),
                np.array([0.15, -0.3, 1.0]),
                (1.0, -0.9, 0.1),
                0.12,
            ),
        },
    )
    build = Build(spine=5.7, shoulder=5.3, hip=2.4, upper_arm=6.1, forearm=5.4, thigh=6.1, shin=5.5, bulk=1.42)
    return _with_fists(posed(build, pose))


def _with_fists(body: Body) -> Body:
    """The body with its hands enlarged about what they hold, and the head where a hunched neck carries it."""
    grips = {side: replace(grip, radius=grip.radius / FIST) for side, grip in body.pose.hands.items()}
    hands = {side: Frame(frame.origin, frame.turn * FIST) for side, frame in body.hand.items()}
    wrists = {side: hands[side].at(grips[side].radius + 0.35, -1.75, -0.1) for side in SIDES}
    pose = replace(body.pose, hands=grips)
    return replace(body, pose=pose, hand=hands, wrist=wrists, head=anatomy.head_frame(body, HEAD))


def _figure(body: Body) -> Manifold:
    """Flesh, clothes and harness together."""
    trunk = anatomy.trunk(body)
    flesh = solids.union([skin(trunk, 0.14, 12000), *(skin(anatomy.arm(body, side), 0.12, 7000) for side in SIDES)])
    soft = solids.union([flesh, skin(anatomy.neck(body), 0.13, 900), *_clothes(body), *_hands(body)])
    head = body.head.put(skin(anatomy.face(), 0.08, 6000))
    return solids.union(
        [lightened(outer(soft), 11400), lightened(head, 2900), *_belt(body, trunk), *_iron(body, trunk)]
    )


def _hands(body: Body) -> list[Manifold]:
    """Bare fists."""
    return [skin(gloved_hand(body, side), 0.1, 2400) for side in SIDES]


def _clothes(body: Body) -> list[Manifold]:
    """Trousers, boots, and the torn flaps of an apron before and behind."""
    stout = replace(body, build=replace(body.build, bulk=1.75))
    boots = [clothing.boot(stout, side, shaft=3.2, triangles=2500) for side in SIDES]
    return [skin(_trousers(body), 0.14, 8000), skin(_apron(body), 0.12, 3000), *boots]


def _trousers(body: Body) -> Field:
    """Trousers; the legs are slighter than the trunk they carry."""
    return clothing.trousers(replace(body, build=replace(body.build, bulk=1.2)), 0.2, seed=3, boot=3.0)


def _apron(body: Body) -> Field:
    """Two torn flaps of hide below the belt."""
    pelvis, ragged = body.pelvis, noise(8, 1.3)
    sheet = clothing.skirt(
        replace(body, build=replace(body.build, bulk=1.34)), 5.8, 0.7, opening=0, thickness=0.42, seed=12
    )
    shape = union(box((0.2, 4, -1.7), (1.9, 4, 3.4)), box((-0.2, -4, -1.0), (2.3, 4, 2.7)))
    torn = displaced(shape, lambda points: 0.34 * ragged(points), 0.5)
    return intersection(sheet, pelvis.place(torn))


def _belt(body: Body, trunk: Field) -> list[Manifold]:
    """A broad belt under the gut, a cog for a buckle, and a pouch."""
    pelvis = body.pelvis
    hips = pelvis.place(
        blend(0.6, ellipsoid((0, -0.1, 0.0), (3.75, 3.15, 2.6)), ellipsoid((0, 0.5, 0.4), (3.4, 3.3, 2.2)))
    )
    over = blend(0.8, trunk, hips)
    belt = clothing.band(over, pelvis.at(0, 0, 0.9), pelvis.way(0, 0.1, 1), 1.6, 0.45)
    outside = swollen(over, 0.3)
    pouches = [clothing.pouch(outside, pelvis, angle, 0.1, (1.9, 0.9, 2.1)) for angle in (96, -84)]
    around = np.radians([28, 52, -30, -56, 125, 155, 180, 205, 235])
    studs = [
        clothing.stud(
            swollen(over, 0.45), pelvis.at(8 * np.sin(a), 8 * np.cos(a), 0.9), pelvis.way(-np.sin(a), -np.cos(a), 0)
        )
        for a in around
    ]
    point = clothing.touching(outside, pelvis.at(0, 8, 0.95), pelvis.way(0, -1, 0))
    cog = solids.placed(_cog(), point, pelvis.way(0, 1, -0.05), pelvis.way(0, 0, 1))
    return [skin(belt, 0.12, 900), *pouches, *studs, cog]


def _cog() -> Manifold:
    """A toothed wheel on a plate, facing +z."""
    teeth = [solids.box((0.5, 0.55, 0.6), (0, 1.25, -0.15), 0.1).rotate((0, 0, 45 * i)) for i in range(8)]
    wheel = solids.rod(2.5, 0.75, (0, 0, -0.25), bevel=0.16, sides=16) - solids.rod(
        1.2, 1.0, (0, 0, 0.2), bevel=0.0, sides=12
    )
    return solids.union([wheel, *teeth, solids.rod(0.7, 0.7, (0, 0, -0.1), bevel=0.15, sides=8)])


def _iron(body: Body, trunk: Field) -> list[Manifold]:
    """Shackles and chains, a knee plate, and what has been riveted to his back."""
    pieces = [lightened(armour.knee_pad(replace(body, build=replace(body.build, bulk=1.3)), "left", 1.05), 500)]
    pieces += [_shin_plate(body), *(armour.toe_cap(body, side) for side in SIDES)]
    for side in SIDES:
        wrist, back = body.wrist[side], unit(body.elbow[side] - body.wrist[side])
        shackle = clothing.band(anatomy.arm(body, side), wrist + back * 0.8, back, 1.3, 0.35)
        pieces.append(lightened(skin(shackle, 0.12, 500), 400))
    return [*pieces, *_chains(body, trunk), _scar(body, trunk), _pump(body, trunk)]


def _shin_plate(body: Body) -> Manifold:
    """A piece of floor plate bolted over the right shin."""
    knee, ankle = body.knee["right"], body.ankle["right"]
    frame = Frame.along(0.56 * knee + 0.44 * ankle, knee - ankle, body.foot["right"].way(0.1, 1, 0))
    outline = [(-1.35, 2.0), (-0.2, 2.4), (1.3, 1.9), (1.45, 0.4), (1.0, -1.9), (-0.3, -2.2), (-1.1, -1.7), (-1.5, 0.2)]
    places = [(-0.95, 1.5), (0.95, 1.5), (-0.75, -1.4), (0.7, -1.4)]
    over = leg(replace(body, build=replace(body.build, bulk=1.2)), "right", 0.25)
    return lightened(
        armour.plate(over, frame, outline, 0.4, 0.3, places, [(0, 0.75, 4, 0.35), (0, -0.5, 4, 0.35)]), 700
    )


def _chains(body: Body, trunk: Field) -> list[Manifold]:
    """One across the breast from the shoulder plate to the belt, one that hangs torn from the left shackle."""
    over, chest, pelvis = swollen(trunk, 0.2), body.chest, body.pelvis
    first, last = chest.at(-3.7, 0, 2.6), pelvis.at(3.3, 0, 1.2)
    spots = [first + share * (last - first) for share in np.linspace(0, 1, 9)]
    path = [clothing.touching(over, spot + chest.way(0, 9, 0), chest.way(0, -1, 0)) for spot in spots]
    wrist = body.wrist["left"] + unit(body.elbow["left"] - body.wrist["left"]) * 0.8 + np.array([-1.3, 0.3, 0])
    loose = wrist + np.array([(0, 0, 0), (-0.45, 0.1, -1.2), (-0.25, 0.2, -3.2), (-0.45, 0.0, -4.8)])
    return [heavy_weapons.chain(path, 1.25), heavy_weapons.chain(list(loose), 1.1)]


def _scar(body: Body, trunk: Field) -> Manifold:
    """A long seam across the gut, drawn together with wire."""
    waist = body.waist
    line = [
        clothing.touching(trunk, waist.at(-2.9 + 0.42 * i, 8, 0.9 - 0.2 * i), waist.way(0, -1, 0)) for i in range(9)
    ]
    across = waist.way(0.4, 0, 1)
    seam = [cone(a, b, 0.13) for a, b in pairwise(line)]
    wires = [cone(point - across * 0.42, point + across * 0.42, 0.1) for point in line[1:-1]]
    return skin(union(*seam, *wires), 0.07, 420)


def _pump(body: Body, trunk: Field) -> Manifold:
    """A pump and two flasks riveted between the shoulder blades, hoses from it into neck, arms and loins."""
    chest = body.chest
    frame = Frame(chest.at(0, -3.35, -0.5), chest.turn)
    case = solids.box((2.9, 1.7, 2.6), (0, -0.2, -1.6), 0.28)
    plate = solids.box((4.1, 0.9, 3.5), (0, 0.35, -2.0), 0.22)
    heads = bolts([(x, -0.05, z) for x in (-1.75, 1.75) for z in (-1.7, -0.2, 1.2)], (0, -1, 0), 0.55)
    slots = [solids.box((1.7, 0.5, 0.26), (0, -1.05, -1.1 + 0.5 * i), 0.0) for i in range(4)]
    flasks = [_flask().translate((s * 0.95, -1.0, 0.6)) for s in (1, -1)]
    local = solids.union([solids.cut(plate + case, slots), heads, *flasks])
    ends = [
        (frame.at(0.95, -1.0, 2.4), chest.at(1.2, -4.45, 3.0), chest.at(2.1, -3.7, 3.1), chest.at(2.4, -2.0, 2.3)),
        (frame.at(-0.95, -1.0, 2.4), chest.at(-1.2, -4.45, 3.0), chest.at(-2.1, -3.7, 3.1), chest.at(-2.4, -2.0, 2.3)),
        (frame.at(1.2, -0.3, -0.8), chest.at(2.7, -4.1, -1.2), chest.at(3.9, -2.9, -0.8), chest.at(4.0, -1.2, -0.2)),
        (
            frame.at(-1.2, -0.3, -0.8),
            chest.at(-2.4, -3.8, -1.9),
            chest.at(-2.7, -3.2, -3.0),
            chest.at(-2.0, -1.6, -3.6),
        ),
    ]
    return solids.union([lightened(frame.put(local), 1100), *(_hose(points) for points in ends)])


def _flask() -> Manifold:
    """A gas flask standing on z = 0, with bands and a valve."""
    outline = [
        (0, 0),
        (0.7, 0.1),
        (0.82, 0.3),
        (0.82, 1.9),
        (0.6, 2.35),
        (0.3, 2.5),
        (0.3, 2.75),
        (0.45, 2.8),
        (0.45, 3.1),
        (0, 3.1),
    ]
    bands = [solids.rod(1.8, 0.3, (0, 0, z), bevel=0.08, sides=16) for z in (0.45, 1.5)]
    return solids.union([solids.revolved(outline, sides=16), *bands])


def _hose(points: Sequence[Vector], ribs: int = 12) -> Manifold:
    """A ribbed hose through points."""
    path = curve(points, 2 * ribs)
    up, rings = np.array([0.0, 0.0, 1.0]), []
    for index, (point, tangent) in enumerate(zip(path, np.gradient(path, axis=0), strict=True)):
        turn = solids.frame(tangent, up)
        up = turn[:, 1]
        rings.append(point + solids.regular(8, 0.68 if index % 2 == 0 else 0.96) @ turn[:, :2].T)
    return solids.lofted(rings)


def _shoulder(body: Body) -> tuple[Manifold, Manifold]:
    """The plate on the left shoulder, and its spikes."""
    pad = lightened(armour.shoulder_pad(body, "left", 1.32, 2), 1500)
    shoulder = body.shoulder["left"]
    pad += Manifold.sphere(2.6, 20).translate(tuple(shoulder + body.chest.way(-0.15, 0, 0.1)))
    spikes = []
    for x, y, z in ((-1.0, 0.1, 0.35), (-0.75, 0.75, 0.55), (-0.75, -0.65, 0.55), (-0.45, 0.1, 1.0)):
        way = unit(body.chest.way(x, y, z))
        spikes.append(solids.rod(1.25, 3.9, shoulder + way * 2.5, way, 0.02, 12, 0.1))
    return pad, solids.union(spikes)
