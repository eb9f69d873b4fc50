"""Armour fitted to a posed body: breastplate, shoulder pads, knee pads, steel toes, and plates of any outline."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from manifold3d import CrossSection, Manifold
from numpy.typing import ArrayLike

from models.source import solids
from models.source.anatomy import Body, Frame, Side, sign
from models.source.clothing import fitted, stud
from models.source.fields import Field, blend, ellipsoid, half_space, intersection, slab, swollen, union, unit
from models.source.skin import lightened, skin


def chest_plate(body: Body, over: Field, thickness: float = 0.5) -> Manifold:
    """A breastplate with a raised rim, a keel down the middle and rivets, over the front of the chest."""
    outline = np.array(
        [
            (-1.15, 2.2),
            (-0.75, 1.75),
            (0.75, 1.75),
            (1.15, 2.2),
            (2.15, 1.95),
            (2.05, 0.6),
            (2.5, -0.2),
            (1.75, -1.9),
            (0.8, -2.5),
            (-0.8, -2.5),
            (-1.75, -1.9),
            (-2.5, -0.2),
            (-2.05, 0.6),
            (-2.15, 1.95),
        ]
    )
    outline = outline[::-1] * [body.build.bulk * body.build.chest, 1]
    whole = CrossSection([outline])
    rim, keel = whole - whole.offset(-0.34), CrossSection.square((0.5, 9), True) ^ whole
    bands = CrossSection.square((9, 0.16), True).translate((0, -0.75)) ^ whole.offset(-0.3)
    shell = fitted(over, thickness + 0.2, _carried(body.chest, whole))
    lower = fitted(over, thickness, _carried(body.chest, whole))
    raised = shell ^ _carried(body.chest, rim + keel)
    groove = fitted(over, thickness + 0.3, _carried(body.chest, bands)) - fitted(
        over, thickness - 0.18, _carried(body.chest, bands.offset(0.2))
    )
    surface = swollen(over, thickness + 0.12)
    places = [(x * s, z) for s in (1, -1) for x, z in ((1.65, 1.55), (1.55, -1.5), (1.95, -0.35))]
    rivets = [stud(surface, body.chest.at(x, 6, z), body.chest.way(0, -1, 0), 0.2) for x, z in places]
    return solids.union([lower - groove, raised, *rivets])


def _carried(frame: Frame, section: CrossSection, depth: float = 8.0) -> Manifold:
    """A cross-section in the frame's x and z, carried along its front."""
    turned = section.extrude(depth).transform(np.array([[1, 0, 0, 0], [0, 0, 1, 0], [0, 1, 0, 0]], float))
    return frame.put(turned)


def plate(
    over: Field,
    frame: Frame,
    outline: ArrayLike,
    thickness: float = 0.5,
    rim: float = 0.34,
    rivets: Sequence[tuple[float, float]] = (),
    ribs: Sequence[tuple[float, float, float, float]] = (),
) -> Manifold:
    """A plate with a raised rim bent to whatever it lies on, in front of a frame.

    Args:
        over: what it lies on.
        frame: the plate is cut in its x and z, and faces its y.
        outline: (n, 2) of x and z.
        thickness: of the plate; the rim is 0.2 mm higher.
        rim: width of the rim.
        rivets: where rivets are (x, z).
        ribs: raised bars: the middle (x, z), width and height.
    """
    whole = solids.drawn(outline)
    raised = whole - whole.offset(-rim)
    for x, z, width, height in ribs:
        raised += CrossSection.square((width, height), True).translate((x, z)) ^ whole
    surface = swollen(over, thickness + 0.02)
    heads = [stud(surface, frame.at(x, 6, z), frame.way(0, -1, 0), 0.22) for x, z in rivets]
    sheets = [fitted(over, thickness, _carried(frame, whole)), fitted(over, thickness + 0.2, _carried(frame, raised))]
    return solids.union([*sheets, *heads])


def shoulder_pad(body: Body, side: Side, size: float = 1.0, lames: int = 2) -> Manifold:
    """A round pauldron with a raised rim and rivets, and narrower plates below it down the arm."""
    s = sign(side)
    shoulder, upper = body.shoulder[side], unit(body.elbow[side] - body.shoulder[side])
    outward = unit(body.chest.way(s * 1.0, 0.1, 0.75) - 0.25 * upper)
    frame = Frame.along(shoulder + outward * 0.15, outward, body.chest.way(0, 1, 0))
    radii = np.array([2.3, 2.45, 2.05]) * size
    dome = Manifold.sphere(1.0, max(28, 4 * round(8 * size)))

    def layer(grow: float, low: float, high: float = 9.0) -> Manifold:
        return dome.scale(tuple(radii + grow)).trim_by_plane((0, 0, 1), low).trim_by_plane((0, 0, -1), -high)

    shell = (
        layer(0.0, -0.15)
        + layer(0.2, -0.15, 0.32)
        + (layer(0.16, 0.5) ^ Manifold.cylinder(4, 1.05 * size, 1.05 * size, 6))
    )
    shell -= Manifold.sphere(1.0, 28).scale(tuple(radii - 0.55))
    angles = np.linspace(0, 2 * np.pi, 10, endpoint=False) + 0.3
    spots = [np.array([np.cos(a), np.sin(a), 0.0]) * (radii + 0.17) + [0, 0, 0.08] for a in angles]
    rivets = [solids.rod(0.36, 0.3, p - 0.15 * unit(p), unit(p), 0.1, 8) for p in spots]
    result = frame.put(solids.union([shell, *rivets]))
    for index in range(lames):
        middle = shoulder + upper * (1.5 + 0.85 * index) * size
        lame = Frame.along(middle, -upper, outward)
        radius = (2.05 - 0.22 * index) * size
        arch = Manifold.cylinder(1.2, radius + 0.14, radius - 0.1, 36, True) - Manifold.cylinder(
            3, radius - 0.35, radius - 0.35, 36, True
        )
        result += lame.put(arch.trim_by_plane((0, 1, 0), -0.25 * radius))
    return result


def knee_pad(body: Body, side: Side, size: float = 1.0) -> Manifold:
    """A domed knee pad with a raised edge and a horizontal rib."""
    knee = body.knee[side]
    thigh, shin = unit(knee - body.hip[side]), unit(body.ankle[side] - knee)
    front = thigh - shin + 0.35 * unit(body.foot[side].way(0, 1, 0))
    frame = Frame.along(knee + unit(front) * 0.45 * body.build.bulk, unit(front), -shin - thigh * -0.0)
    girth = body.build.bulk * size
    outline = (
        np.array(
            [(-0.95, -1.35), (0.95, -1.35), (1.3, -0.4), (1.2, 0.9), (0.7, 1.5), (-0.7, 1.5), (-1.2, 0.9), (-1.3, -0.4)]
        )
        * girth
    )
    whole = CrossSection([outline])
    dome = Manifold.sphere(1.0, 36).scale((1.75 * girth, 2.0 * girth, 1.6 * girth))
    raised = dome.scale((1.1, 1.1, 1.12)) ^ (
        whole - whole.offset(-0.3) + (CrossSection.square((4, 0.34), True).translate((0, 0.1)) ^ whole)
    ).extrude(4)
    return frame.put((dome ^ whole.extrude(4)) + raised - dome.scale((0.62, 0.62, 0.55)))


def toe_cap(body: Body, side: Side) -> Manifold:
    """The steel toe of a broad boot, with a raised edge across the instep."""
    toe = blend(0.3, ellipsoid((0, 2.35, 0.85), (1.72, 1.75, 1.2)), ellipsoid((0, 1.6, 0.9), (1.66, 1.4, 1.25)))
    ground = half_space((0, 0, 0.35), (0, 0, -1))
    cap = intersection(toe, half_space((0, 1.35, 0), (0, -1, 0.12)), 0.1)
    edge = intersection(swollen(toe, 0.16), slab((0, 1.6, 0.3), (0, 1, -0.12), 0.22), 0.06)
    return body.foot[side].put(lightened(skin(intersection(union(cap, edge), ground), 0.1, 1600), 420))
