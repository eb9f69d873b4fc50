"""Bare flesh: arms whose muscles show, and a chest with its ribs and belly, round a posed body."""

from __future__ import annotations

import numpy as np

from models.source.anatomy import SIDES, Body, Side, sign, torso
from models.source.fields import Field, Vector, ball, blend, cone, cut, ellipsoid, swollen, unit


def bare_arm(body: Body, side: Side, size: float = 1.0) -> Field:
    """A muscular arm from collarbone to wrist: deltoid in three heads, biceps, triceps, two bellies of the forearm.

    Args:
        body: whose arm.
        side: which arm.
        size: scales the girths on top of the build's bulk.
    """
    girth = body.build.bulk * size
    shoulder, elbow, wrist = body.shoulder[side], body.elbow[side], body.wrist[side]
    upper, lower = unit(elbow - shoulder), unit(wrist - elbow)
    flexor = unit(lower - upper * (lower @ upper) + 1e-3 * body.chest.way(0, 1, 0))
    across = np.cross(upper, flexor)
    return blend(
        0.22,
        _upper_arm(shoulder, elbow, flexor, girth),
        _deltoid(body, side, girth),
        _forearm(elbow, wrist, across, flexor, girth),
    )


def _upper_arm(shoulder: Vector, elbow: Vector, flexor: Vector, girth: float) -> Field:
    """Biceps before and triceps behind the bone."""
    upper, length = unit(elbow - shoulder), float(np.linalg.norm(elbow - shoulder))

    def at(along: float, ahead: float) -> Vector:
        return shoulder + upper * along * length + flexor * ahead * girth

    return blend(
        0.25,
        cone(at(0, 0), at(1, 0), 0.95 * girth, 0.78 * girth),
        cone(at(0.36, 0.46), at(0.68, 0.58), 0.8 * girth, 0.78 * girth),
        cone(at(0.68, 0.58), at(0.97, 0.3), 0.78 * girth, 0.4 * girth),
        cone(at(0.25, -0.5), at(0.55, -0.56), 0.85 * girth, 0.76 * girth),
        cone(at(0.55, -0.56), at(0.95, -0.3), 0.76 * girth, 0.5 * girth),
        ball(at(1.0, -0.28), 0.62 * girth),
    )


def _deltoid(body: Body, side: Side, girth: float) -> Field:
    """The cap of the shoulder: three heads that run together half way down the upper arm."""
    chest, shoulder = body.chest, body.shoulder[side]
    upper, s = unit(body.elbow[side] - shoulder), sign(side)
    outer = unit(chest.way(s, 0, 0.75) - (chest.way(s, 0, 0.75) @ upper) * upper)
    meeting = shoulder + upper * 2.35 + outer * 0.55 * girth
    heads = []
    for ahead, out, radius in ((0.85, 0.25, 0.8), (0.0, 0.62, 0.98), (-0.85, 0.2, 0.8)):
        top = shoulder + chest.way(0, ahead * girth, 0) + outer * out * girth
        heads.append(cone(top, meeting, radius * girth, 0.34 * girth))
    bridge = cone(chest.at(s * 1.9, -0.35, 2.2), shoulder + outer * 0.2, 0.95 * girth, 1.0 * girth)
    return blend(0.2, blend(0.5, bridge, ball(shoulder, 1.15 * girth)), *heads)


def _forearm(elbow: Vector, wrist: Vector, across: Vector, flexor: Vector, girth: float) -> Field:
    """Extensors on the outside, flexors on the inside, tendons to a flat wrist."""
    lower, length = unit(wrist - elbow), float(np.linalg.norm(wrist - elbow))

    def at(along: float, side: float, ahead: float) -> Vector:
        return elbow + lower * along * length + (across * side + flexor * ahead) * girth

    bellies = []
    for side, ahead, thick in ((0.42, 0.12, 0.72), (-0.42, 0.0, 0.76), (0.05, -0.3, 0.62)):
        bellies.append(cone(at(0.1, side, ahead), at(0.42, side, ahead), 0.6 * girth, thick * girth))
        bellies.append(cone(at(0.42, side, ahead), at(0.95, side * 0.55, 0), thick * girth, 0.42 * girth))
    return blend(0.2, cone(elbow, wrist, 0.75 * girth, 0.55 * girth), *bellies)


def bare_torso(body: Body) -> Field:
    """The trunk without clothes: breast muscles with a groove between them, the arch of the ribs, squares of belly."""
    chest, waist, girth = body.chest, body.waist, body.build.bulk
    breast = girth * body.build.chest
    slabs = []
    for side in SIDES:
        s = sign(side)
        slabs.append(chest.place(ellipsoid((s * 1.4 * breast, 1.0 * breast, 0.75), (1.4 * breast, 1.35 * breast, 1.2))))
        slabs.append(chest.place(ellipsoid((s * 0.56, 1.2 * breast, -1.45), (0.6, 0.95, 0.55))))
        slabs.append(waist.place(ellipsoid((s * 0.55, 1.1 * girth, 0.55), (0.58, 0.95, 0.55))))
        slabs.append(waist.place(ellipsoid((s * 0.52, 1.1 * girth, -0.7), (0.56, 0.95, 0.62))))
    flesh = blend(0.18, swollen(torso(body), -0.25), *slabs)
    groove = cone(chest.at(0, 2.35 * breast, 2.0), chest.at(0, 2.4 * breast, -0.2), 0.2)
    return cut(flesh, groove, 0.25)
