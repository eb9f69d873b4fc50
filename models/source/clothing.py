"""Clothes and armour fitted to a posed body.

Soft things (jacket, trousers, boots' uppers) are fields to be skinned; hard ones (plates, pads, pouches, buckles) are
solids. `band` and `fitted` make straps and plates that hug whatever field they are given.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from manifold3d import Manifold
from numpy.typing import ArrayLike, NDArray

from models.source import solids
from models.source.anatomy import SIDES, Body, Frame, Side, arm, leg, sign, torso
from models.source.fields import (
    Bricks,
    Field,
    Vector,
    blend,
    box,
    cone,
    cut,
    displaced,
    ellipsoid,
    half_space,
    hollow,
    intersection,
    placed,
    slab,
    swollen,
    union,
    unit,
    vector,
)
from models.source.folds import folded, noise, radiating, rough, stacked
from models.source.settling import COARSE, settled
from models.source.skin import skin

# --- cloth ------------------------------------------------------------------------------------------------------------


def sleeve(body: Body, side: Side, loose: float = 0.22, depth: float = 0.34, seed: int = 0) -> Field:
    """A sleeve to the wrist with folds fanning from the inside of the elbow and gathered above the cuff."""
    shoulder, elbow, wrist = body.shoulder[side], body.elbow[side], body.wrist[side]
    upper, lower = unit(elbow - shoulder), unit(wrist - elbow)
    inward = unit(lower - upper + 1e-6)
    return folded(
        arm(body, side, loose),
        radiating(elbow + 1.35 * inward, upper + lower, -inward, folds=8, depth=depth, reach=3.4, seed=seed),
        stacked(elbow + lower * 1.4, wrist, folds=2.4, depth=depth * 0.6, seed=seed + 1),
        stacked(shoulder + upper, shoulder + upper * 3.6, folds=2, depth=depth * 0.5, slant=2.0, seed=seed + 2),
        most=0.35,
    )


def jacket(body: Body, loose: float = 0.22, seed: int = 0) -> Field:
    """Torso and sleeves of a padded jacket, drawn in at the waist; its hem is `skirt`."""
    chest, waist = body.chest, body.waist
    trunk = folded(
        swollen(torso(body), loose),
        *(
            radiating(
                chest.at(sign(side) * 2.6, 0.6, 0.2),
                chest.way(0, 0, 1),
                chest.way(-sign(side), 0, 0),
                depth=0.3,
                reach=2.6,
                seed=seed + 5 + i,
            )
            for i, side in enumerate(SIDES)
        ),
        stacked(waist.at(0, 0, -1.6), waist.at(0, 0, 1.9), folds=3, depth=0.3, seed=seed + 7),
        most=0.32,
    )
    return blend(0.45, trunk, *(sleeve(body, side, loose, seed=seed + 10 * i) for i, side in enumerate(SIDES)))


def skirt(
    body: Body,
    length: float = 2.6,
    flare: float = 1.0,
    opening: float = 0.7,
    thickness: float = 0.4,
    seed: int = 0,
    trail: ArrayLike = (0, 0, 0),
) -> Field:
    """The part of a coat below the belt, hollow underneath and open in front.

    Args:
        body: who wears it.
        length: from the belt down, mm: 2.5 for a jacket, 9 for a long coat.
        flare: how much wider each side of the hem is than the waist.
        opening: half the width of the gap in front at the hem; 0 closes it.
        thickness: of the cloth.
        seed: of its folds.
        trail: how far the hem is blown aside (x, y, z of the pelvis' frame).
    """
    girth = body.build.bulk
    end = np.array([0, 0, 0.7 - length]) + vector(trail)
    bell = placed(
        cone((0, 0, 1.0), (end[0], end[1] / 0.8, end[2]), 2.75 * girth, 2.75 * girth + flare),
        np.eye(3),
        (0, 0, 0),
        (1, 0.8, 1),
    )
    drapes = 4 + 0.55 * length
    sway, waves = noise(seed, 4.0), noise(seed + 1, 1.6)

    def drape(points: NDArray[np.float64]) -> NDArray[np.float64]:
        drop = np.clip((0.9 - points[..., 2]) / length, 0, 1.4)
        angle = np.arctan2(points[..., 0], points[..., 1])
        folds: NDArray[np.float64] = np.sin(drapes * angle + 1.2 * sway(points)) * (0.12 + 0.045 * length)
        return np.asarray(drop * (folds + 0.05 * waves(points)))

    sheet = hollow(displaced(bell, drape, 0.7), thickness)
    top, hem = half_space((0, 0, 1.15), (0, 0, 1)), half_space(end, (-0.12 * end[0], -0.12 * end[1], -1))
    sheet = intersection(intersection(sheet, top), hem)
    if opening > 0:
        gap = cone((0, 0, 1.2), (end[0], 0, end[2] - 1), 0.1, opening + 0.4)
        sheet = cut(sheet, placed(gap, np.eye(3), (0, 4, 0), (1, 4, 1)))
    return body.pelvis.place(sheet)


def collar(body: Body, radius: float = 1.75, height: float = 1.3, flare: float = 0.45, opening: float = 0.8) -> Field:
    """A standing collar round the neck, open in front."""
    frame = Frame.along(body.neck, body.chest.way(0, 0.28, 1), body.chest.way(0, 1, 0))
    bell = placed(
        cone((0, 0, -1.2), (0, 0, height + 1.2), radius, radius + flare * 1.6), np.eye(3), (0, 0, 0), (1, 0.92, 1)
    )
    sheet = intersection(hollow(bell, 0.42), box((0, 0, height / 2 - 0.5), (4, 4, height / 2 + 0.5)), 0.15)
    notch = cone((0, 2.2, -0.4), (0, 2.2, height + 0.4), 0.3, opening + 0.6)
    return frame.place(rough(cut(sheet, notch, 0.2), 5, 2.0, 0.06))


def trousers(body: Body, loose: float = 0.22, seed: int = 0, boot: float = 3.6) -> Field:
    """Trousers with folds at crotch and behind the knees, gathered where they go into boots `boot` above the ankle."""
    legs = []
    for index, side in enumerate(SIDES):
        hip, knee, ankle, s = body.hip[side], body.knee[side], body.ankle[side], sign(side)
        thigh, shin = unit(knee - hip), unit(ankle - knee)
        back = -unit(thigh - shin + 0.2 * body.foot[side].way(0, 1, 0))
        inner = body.pelvis.way(-s, 0, 0)
        top = ankle - shin * boot
        legs.append(
            folded(
                leg(body, side, loose),
                radiating(
                    knee + 1.75 * back * body.build.bulk,
                    thigh + shin,
                    -back,
                    depth=0.45,
                    reach=3.4,
                    seed=seed + 20 * index,
                ),
                radiating(
                    hip + inner * 1.5 + thigh * 0.8,
                    thigh,
                    -inner,
                    folds=8,
                    depth=0.4,
                    reach=3.6,
                    seed=seed + 20 * index + 3,
                ),
                stacked(top - shin * 1.8, top + shin * 0.6, folds=2.4, depth=0.36, seed=seed + 20 * index + 6),
                stacked(hip + thigh * 1.5, knee - thigh, folds=2, depth=0.2, slant=2.6, seed=seed + 20 * index + 9),
                most=0.4,
            )
        )
        legs.append(cone(top - shin * 0.55, top + shin * 0.15, 1.62 * body.build.bulk, 1.5 * body.build.bulk))
    seat = folded(
        swollen(intersection(torso(body), half_space(body.pelvis.at(0, 0, 1.4), body.pelvis.way(0, 0, 1))), 0.12),
        radiating(
            body.pelvis.at(0, 1.3, -1.9),
            body.pelvis.way(1, 0, 0),
            body.pelvis.way(0, 0, 1),
            depth=0.3,
            reach=2.6,
            seed=seed + 40,
        ),
    )
    return blend(0.5, seat, *legs)


# --- boots and gloves -------------------------------------------------------------------------------------------------


def boot(body: Body, side: Side, shaft: float = 3.6, straps: int = 2, triangles: int = 1500) -> Manifold:
    """A heavy boot: treaded sole and heel, toe cap, laces over the instep, straps round the shaft, a turned cuff."""
    frame, ankle, knee = body.foot[side], body.ankle[side], body.knee[side]
    shin = unit(knee - ankle)
    girth = 0.5 + 0.5 * body.build.bulk
    lower = frame.place(
        blend(
            0.5,
            ellipsoid((0, 2.15, 0.75), (1.2 * girth, 1.35, 0.95)),
            cone((0, 1.6, 1.05), (0, 0.2, 1.75), 0.95 * girth, 1.1 * girth),
            cone((0, -0.75, 0.9), (0, 0.6, 0.8), 1.02 * girth, 1.1 * girth),
        )
    )
    upper = blend(0.7, lower, cone(ankle - shin * 0.1, ankle + shin * shaft, 1.12 * girth, 1.4 * girth))
    upper = rough(cut(upper, half_space(frame.at(0, 0, 0.4), frame.way(0, 0, 1))), 3, 1.5, 0.07)
    top = ankle + shin * shaft
    pieces = [intersection(upper, half_space(top, shin))]
    pieces.append(intersection(swollen(upper, 0.24), slab(top - shin * 0.35, shin, 0.36), 0.12))
    pieces.append(intersection(swollen(upper, 0.16), half_space(frame.at(0, 1.75, 0), frame.way(0, -1, -0.25)), 0.1))
    for index in range(straps):
        middle = ankle + shin * (shaft - 1.35) * (index + 0.55) / straps
        pieces.append(intersection(swollen(upper, 0.2), slab(middle, shin + 0.12 * frame.way(0, -1, 0), 0.24), 0.06))
    laces = [(x, 0.75 + 0.32 * i, 2.05 - 0.23 * i) for i in range(3) for x in (-0.42, 0.42)]
    pieces += [frame.place(cone(laces[i], laces[i + 1], 0.13)) for i in range(len(laces) - 1)]
    floor = half_space(frame.at(0, 0, 0.4), frame.way(0, 0, -1))
    return (
        skin(intersection(union(*pieces), floor), 0.12, triangles)
        + frame.put(_sole(girth))
        + _buckles(body, side, shaft, straps, girth)
    )


def _sole(girth: float) -> Manifold:
    """The sole of a boot in the foot's frame: heel block and ball joined by a shank, lugs cut along the edge."""
    ball_of = [(1.0, -0.2), (1.32, 1.3), (1.3, 2.3), (0.85, 3.3), (0, 3.65)]
    heel = [(0.85, -1.85), (1.1, -1.3), (1.08, -0.35)]
    solid = Manifold()
    for half, low in ((ball_of, 0.0), (heel, 0.0), ([(0.95, -1.6), (1.0, 1.8)], 0.28)):
        outline = np.array(half + [(-x, y) for x, y in half[::-1]]) * [girth, 1]
        middle = outline.mean(axis=0)
        inner = middle + (outline - middle) * 0.93
        rings = [(inner, low), (outline, low + 0.1), (outline, 0.5), (inner, 0.62)]
        solid += Manifold.hull_points(np.concatenate([np.column_stack([o, np.full(len(o), z)]) for o, z in rings]))
    lugs = [solids.box((0.5, 0.26, 0.5), (s * 1.42 * girth, y, -0.2), 0.0) for s in (1, -1) for y in (0.65, 1.35, 2.05)]
    lugs += [solids.box((0.5, 0.22, 0.5), (s * 1.2 * girth, y, -0.2), 0.0) for s in (1, -1) for y in (-1.25, -0.75)]
    return solids.cut(solid, lugs)


def _buckles(body: Body, side: Side, shaft: float, straps: int, girth: float) -> Manifold:
    """A buckle for each strap of a boot, on the outside."""
    ankle, shin = body.ankle[side], unit(body.knee[side] - body.ankle[side])
    outward = body.foot[side].way(sign(side), 0.25, 0)
    outward = unit(outward - (outward @ shin) * shin)
    frames = solids.cut(solids.box((0.75, 0.85, 0.4), bevel=0.1), [solids.box((0.35, 0.4, 1.0), (0, 0, -0.1), 0.0)])
    result = Manifold()
    for index in range(straps):
        along = (shaft - 1.35) * (index + 0.55) / straps
        radius = (1.12 + 0.28 * along / shaft) * girth + 0.05
        result += solids.placed(frames, ankle + shin * along + outward * radius, outward, shin)
    return result


def cuff(body: Body, side: Side, length: float = 1.5, radius: float = 1.3) -> Field:
    """The gauntlet of a glove, over the end of the sleeve."""
    wrist, back = body.wrist[side], unit(body.elbow[side] - body.wrist[side])
    girth = 0.5 + 0.5 * body.build.bulk
    bell = cone(wrist - back * 0.3, wrist + back * length, radius * 0.82 * girth, radius * 1.12 * girth)
    body_of = intersection(bell, half_space(wrist + back * length, back), 0.15)
    bead = intersection(swollen(bell, 0.13), slab(wrist + back * (length - 0.18), back, 0.17), 0.06)
    return union(body_of, bead, intersection(swollen(bell, 0.13), slab(wrist + back * 0.1, back, 0.13), 0.06))


# --- what hugs a surface ----------------------------------------------------------------------------------------------


def band(over: Field, point: ArrayLike, normal: ArrayLike, width: float = 0.9, thickness: float = 0.3) -> Field:
    """A belt or strap that goes round a field in a plane."""
    return intersection(hollow(swollen(over, thickness), thickness + 0.35), slab(point, normal, width / 2), 0.08)


def touching(over: Field, start: ArrayLike, direction: ArrayLike) -> Vector:
    """The point of a field's surface that is first met from `start` along `direction`."""
    point, way = vector(start), unit(direction)
    for _ in range(60):
        distance = float(over.distances(Bricks.of(point[None, None], 3.0))[0, 0])
        if abs(distance) < 0.004:
            break
        point = point + way * distance * 0.8
    return settled(point, COARSE)


def fitted(over: Field, thickness: float, prism: Manifold, cell: float = 0.16, triangles: int = 1100) -> Manifold:
    """A plate that lies on a field: as thick as said, its outline cut by a prism (both in the figure's coordinates).

    It reaches down into what it lies on, so that the two join when united.
    """
    reach = np.array(prism.bounding_box())
    window = box((reach[:3] + reach[3:]) / 2, (reach[3:] - reach[:3]) / 2 + 0.5)
    shell = intersection(hollow(swollen(over, thickness), thickness + 0.5), window)
    return skin(shell, cell, triangles) ^ prism


def stud(over: Field, start: ArrayLike, direction: ArrayLike, size: float = 0.32) -> Manifold:
    """A rivet head where a field is met from `start` along `direction`."""
    point = touching(over, start, direction)
    return solids.rod(size * 2, 0.45, point + unit(direction) * 0.2, -unit(direction), 0.14, 8)


def buckle(over: Field, frame: Frame, height: float, size: Sequence[float] = (1.5, 1.2)) -> Manifold:
    """A belt buckle on a field, in front of a frame at a height."""
    direction = frame.way(0, -1, 0)
    point = touching(over, frame.at(0, 7, height), direction)
    plate = solids.box((size[0], size[1], 0.5), (0, 0, -0.2), 0.12)
    hole = solids.box((size[0] * 0.55, size[1] * 0.5, 1.0), (0, 0, 0.12), 0.0)
    tongue = solids.box((size[0] * 0.75, 0.22, 0.3), (-0.1, 0, 0.0), 0.08)
    return solids.placed(plate - hole + tongue, point, -direction, frame.way(0, 0, 1))


def pouch(over: Field, frame: Frame, angle: float, height: float, size: Sequence[float] = (1.5, 0.9, 1.7)) -> Manifold:
    """A pouch with a buttoned flap hanging on a belt.

    Args:
        over: what it lies on.
        frame: whose height axis it hangs along.
        angle: where round the frame, degrees from its front to its right.
        height: of the middle of the pouch in the frame.
        size: width, depth and height, mm.
    """
    a = np.radians(angle)
    outward = frame.way(np.sin(a), np.cos(a), 0)
    point = touching(over, frame.at(8 * np.sin(a), 8 * np.cos(a), height), -outward)
    width, depth, tall = size
    bag = solids.box((width, tall, depth + 0.5), (0, 0, -0.5), 0.22)
    flap = solids.box((width + 0.2, tall * 0.52, depth + 0.66), (0, tall * 0.3, -0.5), 0.2)
    button = solids.rod(0.42, 0.3, (0, tall * 0.14, depth + 0.05), bevel=0.1, sides=10)
    strap = solids.box((0.4, tall * 0.5, depth + 0.78), (0, tall * 0.3, -0.5), 0.1)
    return solids.placed(bag + flap + button + strap, point, outward, frame.way(0, 0, 1))
