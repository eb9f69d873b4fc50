"""What a leader carries to be known by: a power sword, skulls, spiked pauldrons, an ornate breastplate, a banner."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from manifold3d import CrossSection, Manifold

from models.source import solids
from models.source.anatomy import Body, Frame, Side, leg, sign
from models.source.clothing import fitted, stud
from models.source.drapes import Values, sheet, smooth_step, torn
from models.source.fields import Field, blend, box, cone, cut, ellipsoid, swollen, union, unit
from models.source.gear import Hold, Weapon
from models.source.skin import lightened, skin


def skull() -> Field:
    """A human skull 3 mm tall that looks along +y, its middle at the origin, teeth at the bottom."""
    sides = (1, -1)
    bone = blend(
        0.25,
        ellipsoid((0, -0.25, 0.45), (1.02, 1.2, 1.0)),
        *(cone((s * 0.85, 0.2, -0.22), (s * 0.5, 0.75, -0.3), 0.22) for s in sides),
        *(cone((0.12 * s, 0.82, 0.28), (s * 0.78, 0.55, 0.34), 0.17) for s in sides),
        box((0, 0.38, -0.75), (0.5, 0.48, 0.42), 0.2),
        cone((-0.32, 0.62, -1.3), (0.32, 0.62, -1.3), 0.26),
        *(cone((s * 0.4, 0.6, -1.3), (s * 0.72, -0.1, -0.7), 0.2) for s in sides),
    )
    holes = [ellipsoid((s * 0.42, 0.92, -0.02), (0.32, 0.5, 0.29)) for s in sides]
    nose = cone((0, 0.95, -0.28), (0, 0.95, -0.45), 0.1, 0.17)
    mouth = box((0, 0.95, -1.02), (0.5, 0.3, 0.05))
    teeth = [box((x, 0.95, -1.02), (0.035, 0.2, 0.22)) for x in (-0.27, -0.09, 0.09, 0.27)]
    return cut(bone, union(*holes, nose, mouth, *teeth), 0.05)


def small_skull(size: float, triangles: int = 900) -> Manifold:
    """A skull `size` mm tall about the origin, looking along +y."""
    return skin(skull(), 0.07, triangles).scale((size / 3.0,) * 3)


def power_sword(length: float = 13.0) -> Weapon:
    """A broad sword with a generator in its guard; the blade, as its `barrel`, is fullered. Hold: the hilt."""
    hilt = [
        solids.rod(0.78, 3.2, (0, -1.7, 0), (0, 1, 0), 0.1, 12),
        *(solids.rod(0.94, 0.3, (0, -1.35 + 0.52 * i, 0), (0, 1, 0), 0.08, 12) for i in range(5)),
        solids.rod(1.35, 0.9, (0, -2.5, 0), (0, 1, 0), 0.3, 12),
        solids.rod(0.7, 0.4, (0, -2.8, 0), (0, 1, 0), 0.15, 8),
        solids.box((1.25, 1.3, 1.7), (0, 2.05, -0.85), 0.25),
        solids.rod(0.8, 1.5, (-0.75, 2.05, 0), (1, 0, 0), 0.12, 12),
    ]
    for s in (1, -1):
        quillon = [(1.45, 0.5 * s), (2.6, 0.5 * s), (3.0, 1.6 * s), (2.6, 2.05 * s), (1.8, 1.5 * s)]
        hilt.append(_lens(np.array(quillon), 1.15))
    outline = np.array([(2.4, -0.95), (length * 0.84, -0.95), (length, 0.0), (length * 0.84, 0.95), (2.4, 0.95)])
    middle = np.array([length * 0.5, 0.0])
    rings = [(outline, 0.06), (middle + (outline - middle) * [0.97, 0.55], 0.27)]
    points = [np.column_stack([np.full(len(o), s * x), o]) for o, x in rings for s in (1, -1)]
    blade = Manifold.hull_points(np.concatenate(points))
    fuller = [solids.box((0.3, length * 0.62, 0.42), (s * 0.33, 2.8 + length * 0.31, -0.21), 0.08) for s in (1, -1)]
    runes = [solids.box((0.8, 0.2, 0.75), (0, 4.0 + 1.15 * i, -0.38), 0.05) for i in range(5)]
    blade = solids.cut(blade, fuller) + solids.cut(solids.union(runes), [solids.box((0.5, 20, 2), (0, 8, -1), 0.0)])
    return Weapon(solids.union(hilt), _largest(blade), (Hold((0, 0, 0), (0, 1, 0), (0.4, -0.35, -1), 0.42),))


def _largest(solid: Manifold) -> Manifold:
    """The piece of greatest volume."""
    return max(solid.decompose(), key=lambda piece: piece.volume())


def _lens(outline: Values, width: float) -> Manifold:
    """A convex plate seen from the side, `outline` of y and z, its rims chamfered."""
    middle = outline.mean(axis=0)
    inner = middle + (outline - middle) * 0.75
    rings = [(inner, -width / 2), (outline, -width / 4), (outline, width / 4), (inner, width / 2)]
    return Manifold.hull_points(np.concatenate([np.column_stack([np.full(len(o), x), o]) for o, x in rings]))


def ornate_breastplate(body: Body, over: Field) -> Manifold:
    """A muscled cuirass with a double rim, lames over the belly, a winged skull on the breast, and rivets."""
    half = [(1.2, 2.25), (2.25, 2.0), (2.2, 0.7), (2.75, -0.3), (2.1, -1.5), (0.0, -2.1)]
    outline = np.array([(s * x, z) for s in (1, -1) for x, z in half[:-1]] + [half[-1], (0, 1.65)])
    order = np.argsort(np.arctan2(outline[:, 1], outline[:, 0]))
    whole = CrossSection([outline[order] * [body.build.bulk, 1]])
    rim, keel = whole - whole.offset(-0.32), CrossSection.square((0.3, 9), True) ^ whole
    pieces = [
        fitted(over, 0.55, _carried(body.chest, whole)),
        fitted(over, 0.85, _carried(body.chest, rim + keel)),
    ]
    feathers = CrossSection()
    for s in (1, -1):
        for i, (reach, drop) in enumerate(((2.0, 0.0), (1.75, 0.42), (1.4, 0.82))):
            z = 0.95 - drop
            feather = np.array(
                [(0.35, z - 0.3), (reach, z + 0.05 - 0.1 * i), (reach + 0.12, z + 0.3), (0.35, z + 0.12)]
            )
            feathers += CrossSection([feather[:: int(s)] * [s, 1]])
    pieces.append(fitted(over, 0.95, _carried(body.chest, feathers)))
    for index in range(2):
        low = -2.55 - 0.75 * index
        width = 1.9 - 0.25 * index
        lame = CrossSection(
            [np.array([(-width, low + 0.55), (0, low), (width, low + 0.55), (width, low + 1.15), (-width, low + 1.15)])]
        )
        pieces.append(fitted(over, 0.62 - 0.12 * index, _carried(body.chest, lame)))
    surface = swollen(over, 0.75)
    spots = [(s * x, z) for s in (1, -1) for x, z in ((1.9, 1.6), (2.15, -0.2), (1.5, -1.45))]
    pieces += [stud(surface, body.chest.at(x, 6, z), body.chest.way(0, -1, 0), 0.22) for x, z in spots]
    return solids.union(pieces)


def _carried(frame: Frame, section: CrossSection, depth: float = 8.0) -> Manifold:
    """A cross-section in the frame's x and z, carried along its front."""
    return frame.put(section.extrude(depth).transform(np.array([[1, 0, 0, 0], [0, 0, 1, 0], [0, 1, 0, 0]], float)))


def great_pauldron(body: Body, side: Side, size: float = 1.0, spikes: int = 0) -> Manifold:
    """A pauldron: a domed cap with a rolled rim, a skull or spikes on it, and three lames down the arm."""
    s = sign(side)
    shoulder, upper = body.shoulder[side], unit(body.elbow[side] - body.shoulder[side])
    outward = unit(body.chest.way(s * 1.0, 0.1, 0.9) - 0.2 * upper)
    frame = Frame.along(shoulder + outward * 0.2, outward, body.chest.way(0, 1, 0))
    radii = np.array([2.6, 2.75, 2.3]) * size
    dome = Manifold.sphere(1.0, 36)

    def layer(grow: float, low: float, high: float = 9.0) -> Manifold:
        return dome.scale(tuple(radii + grow)).trim_by_plane((0, 0, 1), low).trim_by_plane((0, 0, -1), -high)

    shell = solids.union([layer(0.0, -0.3), layer(0.24, -0.3, 0.2), layer(0.12, 0.2, 0.42), layer(0.14, 1.5 * size)])
    shell -= dome.scale(tuple(radii - 0.6))
    angles = np.linspace(0, 2 * np.pi, 12, endpoint=False)
    spots = [np.array([np.cos(a), np.sin(a), 0.0]) * (radii + 0.02) + [0, 0, 0.78] for a in angles]
    pieces = [shell, *(solids.rod(0.4, 0.35, p - 0.28 * unit(p), unit(p), 0.12, 6) for p in spots)]
    if spikes:
        ways = [unit([np.cos(a), np.sin(a), 1.1]) for a in np.linspace(0, 2 * np.pi, spikes, endpoint=False) + 0.5]
        pieces += [solids.rod(0.8, 1.5, w * (radii - 0.1), w, 0.0, 10, 0.05) for w in [*ways, np.array([0.0, 0, 1])]]
    else:
        front = unit(frame.turn.T @ body.chest.way(0.8 * s, 0.65, 0.8))
        mount = Frame.along(front * radii * 0.98, frame.turn.T @ body.chest.way(0, 0.25, 1), front)
        pieces.append(mount.put(small_skull(2.6, 500)))
    result = frame.put(solids.union(pieces))
    for index in range(3):
        middle = shoulder + upper * (1.55 + 0.75 * index) * size
        lame = Frame.along(middle, -upper, outward)
        radius = (2.2 - 0.2 * index) * size
        ring = Manifold.cylinder(1.05, radius + 0.22, radius - 0.12, 28, True)
        lip = Manifold.cylinder(0.22, radius + 0.34, radius + 0.3, 28, True).translate((0, 0, -0.42))
        arch = ring + lip - Manifold.cylinder(3, radius - 0.35, radius - 0.35, 28, True)
        result += lame.put(arch.trim_by_plane((0, 1, 0), -0.2 * radius))
    return result


def tasset(body: Body, side: Side) -> Manifold:
    """A plate of two lames over the outside of a thigh, hanging from the belt, rimmed and riveted."""
    hip, knee = body.hip[side], body.knee[side]
    thigh = unit(knee - hip)
    outward = body.pelvis.way(sign(side) * 0.9, 0.65, 0)
    frame = Frame.along(hip + thigh * 1.2, -thigh, outward)
    over = swollen(leg(body, side, 0.3), 0.1)
    pieces = []
    for low, high, lift in ((-3.5, -1.3, 0.3), (-1.6, 1.3, 0.55)):
        width = 1.45 + 0.12 * high
        outline = np.array(
            [
                (-width * 0.75, low),
                (width * 0.75, low),
                (width, low + 0.6),
                (width, high),
                (-width, high),
                (-width, low + 0.6),
            ]
        )
        whole = CrossSection([outline])
        pieces.append(fitted(over, lift, _carried(frame, whole), triangles=700))
        pieces.append(fitted(over, lift + 0.2, _carried(frame, whole - whole.offset(-0.26)), triangles=700))
        surface = swollen(over, lift + 0.1)
        spots = [(x, low + 0.65) for x in (-0.75, 0.75)]
        pieces += [stud(surface, frame.at(x, 6, z), frame.way(0, -1, 0), 0.17) for x, z in spots]
    return solids.union(pieces)


# --- the banner: in its own frame the pole runs up z from the ground, and the cloth's front looks along +y ------------


def banner_pole(height: float, bar_at: float, bar: float) -> Manifold:
    """A bound pole with a ferrule, a cross-bar lashed to it, and a spiked skull on top as a trophy.

    Args:
        height: of the tip, mm.
        bar_at: height of the cross-bar.
        bar: its length.
    """
    half = bar / 2
    pieces = [
        solids.rod(1.0, bar_at + 1.6, (0, 0, 0), bevel=0.1, sides=12),
        solids.rod(0.16, 2.2, (0, 0, -1.0), bevel=0.0, sides=12, top=1.2),
        *(solids.rod(1.3, 0.4, (0, 0, z), bevel=0.1, sides=14) for z in (1.2, bar_at * 0.3, bar_at * 0.62)),
        solids.rod(0.85, bar, (-half, 0.55, bar_at), (1, 0, 0), 0.1, 14),
        solids.rod(1.5, 0.35, (0, 0, bar_at + 1.3), bevel=0.1, sides=16),
    ]
    for s in (1, -1):
        pieces.append(solids.rod(1.2, 0.45, (s * (half - 0.1), 0.55, bar_at), (s, 0, 0), 0.14, 14))
        pieces.append(solids.rod(0.9, 1.5, (s * (half + 0.25), 0.55, bar_at), (s, 0, 0), 0.0, 12, 0.1))
        for lean in (0.6, -0.6):
            pieces.append(solids.bar((s * 0.55, 0.75, bar_at - 0.5), (-s * 0.55, 0.75, bar_at + lean), 0.34, 8))
    pieces.append(Manifold.sphere(0.85, 20).scale((1, 1, 0.8)).translate((0, 0.3, bar_at)))
    top = bar_at + 1.5
    tall = 3.3
    pieces.append(small_skull(tall, 700).translate((0, 0.15, top + 1.5)))
    pieces.append(solids.rod(0.75, height - top - 2.4, (0, -0.1, top + 2.4), (0, 0, 1), 0.0, 10, 0.12))
    for s in (1, -1):
        horn = [(0.8, -0.1, 2.1), (1.7, -0.2, 2.5), (2.1, -0.1, 3.5), (1.8, 0.0, 4.4)]
        places = np.array(horn) * [s, 1, 1] + [0, 0, top]
        sizes = (0.42, 0.36, 0.26, 0.1)
        curved = [cone(*ends, *radii) for ends, radii in zip(pairwise(places), pairwise(sizes), strict=True)]
        pieces.append(skin(blend(0.2, *curved), 0.1, 240))
    return solids.union(pieces)


def banner_cloth(width: float, drop: float, seed: int = 0) -> Manifold:
    """The cloth below a cross-bar at the origin: waving to +x, hem torn, with a cog, a skull and a border in relief."""
    hem = torn(seed, 5, 0.26)

    def surface(u: Values, v: Values) -> Values:
        fall = v * drop * (1 - (1 - hem(u)) * v**2)
        share = fall / drop
        wave = 1.15 * share**0.9 * np.sin(5.2 * u + 3.4 * share - 0.6) + 0.5 * share * np.sin(11 * u - 2.5 * share)
        x = (u - 0.5) * width * (1 - 0.06 * share) + 2.0 * share**2 + 0.25 * np.sin(3.5 * share) * share
        return np.stack([x, 0.15 + wave + 0.9 * share**2, -fall], axis=2)

    def relief(u: Values, v: Values) -> Values:
        fall = v * drop * (1 - (1 - hem(u)) * v**2)
        drawing = np.minimum(_cog_and_skull((u - 0.5) * width, 0.43 * drop - fall), _border(u, fall, width))
        return 0.45 * smooth_step(drawing, 0.3)

    return lightened(sheet(surface, 130, 180, 0.5, relief), 2500)


def _border(u: Values, fall: Values, width: float) -> Values:
    """Distance from the two lines of braid along the sides and the one under the bar."""
    aside = np.minimum(u, 1 - u) * width
    return np.asarray(np.minimum(np.abs(aside - 0.62) - 0.2, np.abs(fall - 1.2) - 0.2))


def _cog_and_skull(x: Values, z: Values) -> Values:
    """Distance (rough) in the plane from a cog wheel with a skull in it, about the origin, 6.4 mm across."""
    radius, angle = np.hypot(x, z), np.arctan2(z, x)
    outer = 3.05 + 0.3 * np.clip(3 * np.sin(10 * angle), -1, 1)
    wheel = np.maximum(radius - outer, 2.35 - radius)
    cranium = np.hypot(x, (z - 0.45) * 1.08) - 1.6
    jaw = np.maximum(np.abs(x) - 0.85 - 0.12 * (z + 1.2), np.abs(z + 1.15) - 0.8)
    sockets = np.hypot(np.abs(x) - 0.68, (z - 0.2) * 1.1) - 0.48
    nose = np.maximum(np.abs(x) - 0.12 + 0.5 * (z + 0.35), np.abs(z + 0.6) - 0.25)
    teeth = np.maximum(np.abs(np.abs(np.abs(x) - 0.3) - 0.3) - 0.09, np.abs(z + 1.55) - 0.4)
    head = np.maximum(np.minimum(cranium, jaw), -np.minimum(np.minimum(sockets, nose), teeth))
    return np.asarray(np.minimum(wheel, head))
