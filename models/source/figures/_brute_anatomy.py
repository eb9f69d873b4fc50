"""The brute's flesh: a barrel of a trunk under a hump of neck muscle, a gut, arms as thick as a man.

Sizes are those of the kit; the figure is enlarged when it is finished. Muscles are spindles and ellipsoids joined with
a small radius, so that the furrows between them stay deep.
"""

from __future__ import annotations

from models.source import heads
from models.source.anatomy import Body, Frame, Side, sign
from models.source.fields import Field, Vector, ball, blend, cone, cut, ellipsoid, tube, union, unit
from models.source.folds import rough

BOTH = (1, -1)


def trunk(body: Body) -> Field:
    """Chest, hump, back, gut and seat."""
    upper = blend(0.45, _ribs(), *_breast(), *_back())
    furrows = [cone((0, 3.6, 2.2), (0, 3.2, -0.6), 0.12, 0.2), cone((0, -4.15, 3.0), (0, -3.2, -3.0), 0.2, 0.3)]
    upper = cut(upper, union(*furrows), 0.45)
    gut = blend(
        0.5,
        ellipsoid((0, 0.75, -0.35), (3.35, 2.95, 2.6)),
        ellipsoid((0, 1.75, -1.0), (2.6, 2.3, 1.75)),
        *(ellipsoid((s * 2.5, -0.2, -0.2), (1.35, 2.0, 2.0)) for s in BOTH),
    )
    gut = cut(gut, ball((0, 4.1, -0.9), 0.28), 0.3)
    seat = blend(0.8, ellipsoid((0, 0, -0.2), (3.4, 2.5, 1.9)), *(ball((s * 1.5, -1.0, -0.8), 1.75) for s in BOTH))
    flesh = blend(0.75, body.chest.place(upper), body.waist.place(gut), body.pelvis.place(seat))
    flesh = blend(0.4, flesh, *_loins(body))
    return rough(flesh, 4, 1.6, 0.035)


def _ribs() -> Field:
    """The barrel the muscles lie on, in the chest's frame."""
    return blend(
        0.8,
        ellipsoid((0, 0, -0.2), (3.9, 3.0, 3.3)),
        *(
            cone((s * 3.0, 1.6 - 0.15 * i, -0.9 - 0.75 * i), (s * 3.5, 0.2, -0.4 - 0.75 * i), 0.42)
            for s in BOTH
            for i in range(3)
        ),
    )


def _breast() -> list[Field]:
    """The great muscles of the breast, each in two bellies that run to the upper arm."""
    pieces = []
    for s in BOTH:
        upper = tube([(s * 0.75, 2.55, 1.95), (s * 2.5, 2.35, 2.15), (s * 4.7, 0.9, 1.75)], [0.75, 1.15, 0.8], 6)
        lower = tube([(s * 0.95, 2.75, 0.55), (s * 2.4, 2.75, 0.35), (s * 4.6, 1.1, 1.1)], [0.85, 1.3, 0.7], 6)
        pieces.append(blend(0.5, upper, lower))
    return pieces


def _back() -> list[Field]:
    """The hump between the shoulders, the shoulder blades' muscles and the broad ones that taper to the loins."""
    pieces = [ellipsoid((0, -1.7, 2.4), (2.4, 1.9, 1.9))]
    for s in BOTH:
        pieces += [
            tube([(s * 0.35, 0.3, 4.2), (s * 1.7, -0.2, 3.8), (s * 4.6, -0.3, 2.5)], [1.2, 1.3, 0.8], 7),
            tube([(s * 0.5, 2.9, 2.75), (s * 2.2, 2.2, 3.0), (s * 4.7, 0.7, 2.75)], [0.35, 0.42, 0.6], 6),
            cone((s * 0.9, 1.2, 3.3), (s * 3.4, 0.6, 2.7), 0.85, 0.7),
            tube([(s * 0.55, -2.6, 2.6), (s * 2.6, -2.4, 2.3), (s * 4.6, -1.2, 1.7)], [0.8, 1.1, 0.9], 6),
            tube([(s * 0.8, -3.0, 0.9), (s * 2.6, -2.75, 0.75), (s * 4.4, -1.4, 0.9)], [0.6, 1.0, 0.7], 6),
            tube([(s * 4.3, -1.1, 0.6), (s * 3.55, -1.7, -1.2), (s * 2.3, -1.9, -3.6)], [1.0, 1.2, 0.7], 7),
        ]
    return pieces


def _loins(body: Body) -> list[Field]:
    """The cords beside the spine and the flesh between ribs and hips."""
    chest, waist, pelvis = body.chest, body.waist, body.pelvis
    pieces = [waist.place(ellipsoid((0, -0.7, 0.2), (2.9, 2.1, 3.2)))]
    for s in BOTH:
        cord = [
            chest.at(s * 0.8, -2.9, 1.2),
            chest.at(s * 0.85, -2.75, -1.6),
            waist.at(s * 0.9, -2.3, 0.0),
            pelvis.at(s * 0.9, -1.7, 0.4),
        ]
        pieces.append(tube(cord, [0.5, 0.85, 0.9, 0.7], 8))
        pieces.append(waist.place(ellipsoid((s * 2.35, -1.2, -0.9), (1.1, 1.3, 1.2))))
    return pieces


def arm(body: Body, side: Side) -> Field:
    """A bare arm: three heads of the shoulder, biceps, triceps, and the muscles that taper to the wrist."""
    shoulder, elbow, wrist = body.shoulder[side], body.elbow[side], body.wrist[side]
    upper, lower = unit(elbow - shoulder), unit(wrist - elbow)
    inner = unit(lower - upper * (lower @ upper))
    length = float((elbow - shoulder) @ upper)
    lateral = unit(body.chest.way(sign(side), 0, 0.15) - upper * (body.chest.way(sign(side), 0, 0.15) @ upper))
    return rough(
        blend(
            0.28,
            blend(0.3, *_shoulder(body, side, upper, lateral, length)),
            *_upper_arm(shoulder, elbow, upper, inner, length),
            *_forearm(elbow, wrist, upper, lower, inner),
        ),
        6,
        1.3,
        0.035,
    )


def _shoulder(body: Body, side: Side, upper: Vector, lateral: Vector, length: float) -> list[Field]:
    """Three bellies fan from the shoulder's edge and meet half way down the arm."""
    shoulder, front = body.shoulder[side], body.chest.way(0, 1, 0)
    foot = shoulder + upper * length * 0.56 + lateral * 0.75
    tops = [
        (shoulder + front * 1.15 + lateral * 0.2 - upper * 0.1, 1.15),
        (shoulder + lateral * 0.75 - upper * 0.45, 1.35),
        (shoulder - front * 1.2 + lateral * 0.2 - upper * 0.1, 1.15),
    ]
    bellies = []
    for top, radius in tops:
        middle = 0.55 * top + 0.45 * foot + lateral * 0.55 + 0.18 * (top - shoulder)
        bellies.append(tube([top, middle, foot], [radius, radius * 1.12, 0.45], 6))
    return [ball(shoulder, 1.7), *bellies]


def _upper_arm(shoulder: Vector, elbow: Vector, upper: Vector, inner: Vector, length: float) -> list[Field]:
    """Biceps in two heads, triceps in two heads, and the bone."""
    across = unit(_cross(upper, inner))
    pieces = [cone(shoulder, elbow, 1.25, 1.0)]
    for s in BOTH:
        side = across * (0.42 * s)
        pieces.append(
            tube(
                [
                    shoulder + upper * 1.0 + inner * 0.6 + side,
                    shoulder + upper * length * 0.56 + inner * 1.1 + side,
                    elbow - upper * 0.3 + inner * 0.7 + side * 0.3,
                ],
                [0.6, 1.2, 0.45],
                7,
            )
        )
        side = across * (0.75 * s)
        pieces.append(
            tube(
                [
                    shoulder + upper * 0.8 - inner * 0.8 + side,
                    shoulder + upper * length * 0.5 - inner * 1.05 + side,
                    elbow - upper * 0.5 - inner * 0.75 + side * 0.3,
                ],
                [0.65, 1.15, 0.55],
                7,
            )
        )
    return pieces


def _forearm(elbow: Vector, wrist: Vector, upper: Vector, lower: Vector, inner: Vector) -> list[Field]:
    """The elbow's knob, and four bellies round two bones."""
    across = unit(_cross(upper, inner))
    length = float((wrist - elbow) @ lower)
    turned = unit(inner - lower * (inner @ lower))
    pieces = [ball(elbow - inner * 0.45 + upper * 0.1, 0.8), cone(elbow, wrist, 1.1, 0.95)]
    bellies = [(across * 0.95 + turned * 0.35, 1.0, -1.1), (-across * 0.9 + turned * 0.3, 1.0, -0.6)]
    bellies += [(turned * -0.75 + across * 0.4, 0.85, 0.1), (turned * -0.7 - across * 0.5, 0.8, 0.2)]
    for place, radius, start in bellies:
        pieces.append(
            tube(
                [
                    elbow + (upper if start < 0 else lower) * start + place * 0.6,
                    elbow + lower * length * 0.32 + place,
                    elbow + lower * length * 0.72 + place * 0.6,
                    wrist + place * 0.35,
                ],
                [radius * 0.6, radius * 1.25, radius * 0.86, 0.5],
                8,
            )
        )
    return pieces


def _cross(first: Vector, second: Vector) -> Vector:
    """The vector square to both."""
    return first[[1, 2, 0]] * second[[2, 0, 1]] - first[[2, 0, 1]] * second[[1, 2, 0]]


def neck(body: Body) -> Field:
    """What little there is of a neck."""
    cords = [cone(body.head.at(s * 0.9, -0.3, -0.5), body.chest.at(s * 0.5, 2.2, 2.9), 0.5, 0.45) for s in BOTH]
    return blend(0.35, cone(body.chest.at(0, 0.5, 2.9), body.head.at(0, -0.55, -0.1), 2.0, 1.3), *cords)


def face() -> Field:
    """A scowling face with a ridge of brow, a broken nose and a jaw that juts, two teeth standing up from it."""
    ridge = [cone((s * 0.15, 1.9, 0.42), (s * 1.25, 1.35, 0.62), 0.4, 0.32) for s in BOTH]
    jaw = [cone((s * 1.55, -0.1, -1.3), (s * 0.8, 1.5, -2.0), 0.62, 0.62) for s in BOTH]
    chin = cone((-0.75, 1.75, -2.0), (0.75, 1.75, -2.0), 0.62)
    lip = cone((-0.7, 2.1, -1.42), (0.7, 2.1, -1.42), 0.27)
    nose = blend(
        0.15, ellipsoid((0, 2.1, -0.45), (0.5, 0.4, 0.36)), *(ball((s * 0.4, 1.95, -0.52), 0.27) for s in BOTH)
    )
    bare = blend(
        0.16, heads.face(scowl=1.0, jaw=1.2, scar=True), blend(0.25, *ridge), blend(0.35, *jaw, chin), lip, nose
    )
    tusks = [cone((s * 0.62, 2.22, -1.5), (s * 0.72, 2.4, -0.72), 0.24, 0.07) for s in BOTH]
    return union(bare, *tusks)


def head_frame(body: Body, size: float) -> Frame:
    """The head thrust forward from between the shoulders, its frame scaled to `size`."""
    return Frame(body.chest.at(1.15, 2.65, 4.7), body.head.turn * size)
