"""Heads: faces, ears, hair and helmets, modelled in the head's own frame.

The origin is the middle of the skull at eye level; x is right, y front, z up; chin to crown is 4.7 mm.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from models.source.anatomy import Body
from models.source.fields import (
    Field,
    ball,
    blend,
    box,
    cone,
    curve,
    cut,
    displaced,
    ellipsoid,
    half_space,
    intersection,
    placed,
    ring,
    slab,
    swollen,
    union,
    unit,
    vector,
)
from models.source.folds import folded, noise, radiating, stacked


def face(scowl: float = 0.5, jaw: float = 1.0, mouth_open: float = 0.0, scar: bool = False) -> Field:
    """A bare head with its face and ears.

    Args:
        scowl: how far the brows are drawn down in the middle.
        jaw: width of the jaw; below one for a slight figure.
        mouth_open: height of the open mouth, mm; a shout is 0.5.
        scar: a scar from brow to cheek on the right.
    """
    skull = blend(
        0.6,
        ellipsoid((0, -0.3, 0.65), (1.62, 2.0, 1.7)),
        ellipsoid((0, 0.35, 0.5), (1.42, 1.5, 1.3)),
        ellipsoid((0, 0.5, -0.8), (1.25 * jaw, 1.3, 1.35)),
        cone((0.75 * jaw, 0.9, -1.72), (1.3 * jaw, -0.35, -0.85), 0.52, 0.5),
        cone((-0.75 * jaw, 0.9, -1.72), (-1.3 * jaw, -0.35, -0.85), 0.52, 0.5),
        cone((-0.36, 1.5, -1.95), (0.36, 1.5, -1.95), 0.44),
    )
    features = blend(0.3, skull, *_features(scowl))
    sockets = [ellipsoid((s * 0.7, 1.95, 0.0), (0.54, 0.5, 0.36)) for s in (1, -1)]
    hollows = [ellipsoid((s * 1.42 * jaw, 1.35, -1.35), (0.26, 0.6, 0.4)) for s in (1, -1)]
    carved = cut(cut(features, union(*sockets), 0.16), union(*hollows), 0.4)
    parts = [carved, *_eyes(), *_lips(mouth_open)]
    head = blend(0.07, *parts)
    slit = ellipsoid((0, 1.95, -1.22 - mouth_open / 2), (0.5, 0.6, 0.06 + mouth_open * 0.7))
    head = cut(head, slit, 0.04)
    if scar:
        head = cut(head, cone((0.5, 1.95, 0.9), (1.15, 1.75, -0.9), 0.12), 0.06)
    return union(blend(0.1, head, _ear(1), _ear(-1)))


def _features(scowl: float) -> list[Field]:
    """Brow, nose, cheekbones: what stands out from the skull."""
    drop = 0.3 * scowl
    sides = (1, -1)
    return [
        *(cone((s * 0.26, 1.72, 0.55 - drop), (s * 1.2, 1.2, 0.6), 0.3, 0.25) for s in sides),
        *(cone((s * 1.2, 0.7, -0.5), (s * 0.85, 1.3, -0.72), 0.36, 0.3) for s in sides),
        cone((0, 1.68, 0.2), (0, 2.18, -0.55), 0.2, 0.27),
        *(ball((s * 0.27, 1.93, -0.62), 0.2) for s in sides),
        ellipsoid((0, 1.48, -1.2), (0.75, 0.5, 0.55)),
    ]


def _eyes() -> list[Field]:
    """Eyeballs between an upper and a lower lid."""
    parts = []
    for s in (1, -1):
        eye = cut(ball((s * 0.68, 1.27, -0.03), 0.37), cone((s * 0.66, 1.5, -0.03), (s * 0.64, 1.9, -0.03), 0.1), 0.03)
        parts.append(eye)
        parts.append(cone((s * 0.34, 1.6, 0.1), (s * 1.05, 1.38, 0.2), 0.11, 0.13))
        parts.append(cone((s * 0.38, 1.56, -0.24), (s * 1.0, 1.36, -0.2), 0.1))
    return parts


def _lips(mouth_open: float) -> list[Field]:
    """Upper and lower lip, and the crease from nose to mouth."""
    upper, lower = -1.08, -1.36 - mouth_open
    parts = [cone((0, 1.95, upper), (s * 0.5, 1.72, upper - 0.08), 0.13, 0.09) for s in (1, -1)]
    return [*parts, cone((-0.34, 1.82, lower), (0.34, 1.82, lower), 0.15)]


def _ear(s: float) -> Field:
    """One ear: a rim that opens to the front, its hollow and a lobe."""
    shell = blend(
        0.15, ellipsoid((0, -0.05, 0.1), (0.24, 0.5, 0.6)), ellipsoid((-0.04 * s, 0.14, -0.5), (0.2, 0.26, 0.3))
    )
    hollows = [ellipsoid((s * 0.24, 0.1, 0.12), (0.2, 0.34, 0.4)), ellipsoid((s * 0.2, 0.3, -0.1), (0.16, 0.24, 0.18))]
    turn = np.array([[1, 0.3 * s, 0], [-0.3 * s, 1, 0.2], [0, -0.2, 1]])
    return placed(cut(shell, union(*hollows), 0.08), turn, (s * 1.74, -0.25, -0.1))


def neck(body: Body, radius: float = 1.12) -> Field:
    """The neck in the figure's coordinates, with the muscles that run from ear to breastbone."""
    head, chest, girth = body.head, body.chest, 0.6 + 0.4 * body.build.bulk
    base = body.neck - chest.way(0, 0, 0.9)
    cords = [cone(head.at(s * 1.25, -0.5, -0.9), chest.at(s * 0.3, 0.75, 2.3), 0.34, 0.26) for s in (1, -1)]
    column = cone(base, head.at(0, -0.35, -0.9), radius * 1.15 * girth, radius * girth)
    return blend(0.3, column, *cords, ball(head.at(0, 0.75, -2.1) * 0.5 + chest.at(0, 0.6, 2.6) * 0.5, 0.3))


def strands(
    paths: Sequence[Sequence[ArrayLike]] | NDArray[np.float64], thick: float = 0.4, thin: float = 0.1, seed: int = 0
) -> Field:
    """Locks of hair along smooth paths: each a bundle of twisting strands that runs to a point."""
    generator = np.random.default_rng(seed)
    locks = []
    for path in paths:
        line = curve([vector(p) for p in path], 10)
        share = np.linspace(0, 1, len(line))
        for k in range(4):
            turn = 2 * np.pi * (k / 4 + share * generator.uniform(0.4, 0.9)) + generator.uniform(0, 6)
            spread = thick * 0.78 * np.sin(np.pi * np.clip(share * 0.9 + 0.12, 0, 1)) ** 0.7
            offset = np.stack([np.cos(turn), np.sin(turn), np.cos(turn + 1.5)], axis=1) * spread[:, None]
            sizes = thin + (thick * 0.46 - thin) * np.sqrt(np.clip(1 - share, 0, 1))
            place = line + offset
            locks.append(union(*(cone(place[i], place[i + 1], sizes[i], sizes[i + 1]) for i in range(len(line) - 1))))
    return blend(0.03, *locks)


def combed(cap: Field, seed: int = 0, depth: float = 0.14) -> Field:
    """Hair drawn back to the crown: a cap on the skull, in the head's frame, grooved by the comb."""
    tousle = noise(seed, 2.2)

    def grooves(points: NDArray[np.float64]) -> NDArray[np.float64]:
        ahead = 0.91 * points[..., 1] + 0.42 * points[..., 2]
        angle = np.arctan2(points[..., 0], ahead)
        ridges = np.sqrt(np.abs(np.sin(9 * angle + 0.5 * tousle(points)))) - 0.5
        return np.asarray(depth * ridges * np.clip(np.hypot(points[..., 0], ahead), 0, 1))

    return displaced(cap, grooves, depth) & half_space((0, 0, 0.75), (0, 0.42, -1))


def _disc(at: ArrayLike, towards: ArrayLike, radius: float, height: float, edge: float = 0.05) -> Field:
    """A round plate or canister from a point on, along a direction, its rims rounded."""
    foot, way = vector(at), unit(towards)
    bar = cone(foot - radius * way, foot + (height + radius) * way, radius)
    return intersection(bar, slab(foot + way * height / 2, way, height / 2), edge)


def _filter(at: ArrayLike, towards: ArrayLike, radius: float, height: float) -> Field:
    """A breathing filter: a canister with a groove round it, a sunk front and slots in that."""
    foot, way = vector(at), unit(towards)
    side = unit(np.cross(way, (0, 0, 1)))
    front = foot + way * height
    groove = ring(foot + way * height * 0.52, way, radius + 0.03, 0.09)
    face_of = _disc(front - way * 0.14, way, radius - 0.15, 1.0, 0.02)
    bars = [
        intersection(slab(front + side * x, side, 0.055), _disc(front - way * 0.3, way, radius - 0.1, 0.26))
        for x in (-0.26, 0.0, 0.26)
    ]
    return union(cut(cut(_disc(foot, way, radius, height, 0.08), groove, 0.03), face_of), *bars)


def respirator() -> Field:
    """A half mask over nose and mouth: rim, valve, two filters and a harness, to be united with a face."""
    jaw = blend(
        0.5,
        ellipsoid((0, 0.5, -0.8), (1.25, 1.3, 1.35)),
        ellipsoid((0, 1.35, -1.2), (0.95, 0.75, 0.85)),
        cone((0, 1.8, -0.2), (0, 1.9, -1.2), 0.3, 0.62),
        cone((-0.36, 1.5, -1.95), (0.36, 1.5, -1.95), 0.44),
    )
    skull = blend(0.5, ellipsoid((0, -0.3, 0.65), (1.62, 2.0, 1.7)), ellipsoid((0, 0.45, -0.8), (1.36, 1.35, 1.35)))

    def region(inset: float) -> Field:
        top = half_space((0, 2.2, -0.12 - inset), (0, -0.5, 1))
        back = half_space((0, 0.75 + inset, -0.9), (0, -1, -0.35))
        return intersection(top, back, 0.3)

    shell = intersection(swollen(jaw, 0.3), region(0.0), 0.08)
    rim = cut(intersection(swollen(jaw, 0.42), region(0.0), 0.06), region(0.3))
    valve = _filter((0, 2.42, -1.42), (0, 1, -0.3), 0.5, 0.45)
    filters = [_filter((s * 0.72, 1.5, -1.45), (s * 0.78, 0.62, -0.22), 0.66, 1.15) for s in (1, -1)]
    collars = [_disc((s * 0.72, 1.5, -1.45), (s * 0.78, 0.62, -0.22), 0.8, 0.62, 0.1) for s in (1, -1)]
    straps = [(0.55, 0.2, (0, 0.86, 0.5)), (-1.0, -0.95, (0, 0.06, 1))]
    behind = half_space((0, 0.95, 0), (0, 1, -0.2))
    harness = [
        intersection(intersection(swollen(skull, 0.16), slab((0, y, z), normal, 0.23), 0.05), behind)
        for y, z, normal in straps
    ]
    buckles = [placed(box((0, 0, 0), (0.14, 0.3, 0.26), 0.06), np.eye(3), (s * 1.5, 0.2, -1.0)) for s in (1, -1)]
    return union(blend(0.1, shell, *collars), rim, valve, *filters, *harness, *buckles)


def goggles() -> Field:
    """Two round lenses in a frame over the eyes and a strap round the head, to be united with a face."""
    skull = blend(0.6, ellipsoid((0, -0.3, 0.65), (1.66, 2.04, 1.7)), ellipsoid((0, 0.35, 0.5), (1.5, 1.55, 1.3)))
    strap = intersection(swollen(skull, 0.2), slab((0, 0, 0.12), (0, 0.06, 1), 0.36), 0.06)
    parts = [strap, cone((-0.5, 1.85, 0.1), (0.5, 1.85, 0.1), 0.24)]
    for s in (1, -1):
        way = unit((s * 0.22, 1, 0.0))
        foot = np.array([s * 0.72, 1.2, 0.02])
        tube = union(_disc(foot, way, 0.66, 0.95, 0.08), _disc(foot + way * 0.55, way, 0.78, 0.22, 0.06))
        glass = placed(ellipsoid((0, 0, 0), (0.52, 0.2, 0.52)), np.eye(3), foot + way * 0.82)
        parts.append(union(cut(tube, _disc(foot + way * 0.8, way, 0.5, 1.0, 0.02)), glass))
        parts.append(box((s * 1.62, 0.55, 0.12), (0.2, 0.26, 0.46), 0.06))
    return union(*parts)


def hood(peak: float = 1.0, seed: int = 0) -> Field:
    """A cloth hood round the head and down to the shoulders, open in front, its hem rolled, drooping to a point behind.

    It is filled behind the opening: unite it with the front half of a `face`.

    Args:
        peak: how far the point reaches behind the crown, mm.
        seed: of its folds.
    """
    shell = blend(
        0.9,
        ellipsoid((0, -0.3, 0.65), (2.1, 2.45, 2.0)),
        cone((0, -0.5, -0.6), (0, -0.9, -3.0), 2.0, 2.35),
        cone((0, -1.4, 1.5), (0, -2.0 - peak, 1.6), 1.2, 0.45),
        cone((0, -0.4, 1.0), (0, 1.1, 1.45), 1.6, 1.15),
    )
    shell = folded(
        shell,
        *(
            radiating((s * 1.6, 1.7, -2.6), (0, 0, 1), (0, -1, 0), folds=9, depth=0.3, reach=4.6, seed=seed + i)
            for i, s in enumerate((1, -1))
        ),
        stacked((0, -0.8, -3.0), (0, -2.4, 2.4), folds=2.6, depth=0.22, slant=2.0, seed=seed + 3),
        most=0.3,
    )
    opening = blend(0.5, ellipsoid((0, 2.2, -0.05), (1.45, 2.4, 1.75)), cone((0, 2.0, -1.5), (0, 2.2, -4.0), 1.15, 0.8))
    hem = intersection(swollen(shell, 0.16), swollen(opening, 0.34), 0.12)
    return cut(union(shell, hem), opening, 0.1)


def helmet(visor: bool = True, crest: float = 0.0) -> Field:
    """A full helmet in the head's frame: round crown with a rim, cheek guards, and a slit visor or an open face.

    Args:
        visor: closes the face with a plate, a slit and a breathing grille; without, unite it with a `face`.
        crest: height of a keel over the crown, mm.
    """
    crown = ellipsoid((0, -0.2, 0.6), (1.95, 2.3, 2.0))
    jaw = blend(0.4, ellipsoid((0, 0.1, -0.9), (1.8, 2.05, 1.55)), cone((-0.5, 1.5, -1.6), (0.5, 1.5, -1.6), 0.6))
    shell = blend(0.4, crown, jaw)
    rim = intersection(swollen(shell, 0.2), slab((0, 0, 0.75), (0, -0.15, 1), 0.24), 0.06)
    guards = [cone((s * 1.7, -0.2, -0.2), (s * 2.0, -0.2, -0.2), 0.62, 0.55) for s in (1, -1)]
    parts = [shell, rim, *guards]
    if crest > 0:
        keel = intersection(swollen(crown, crest), slab((0, 0, 0), (1, 0, 0), 0.28), 0.08)
        parts.append(keel & half_space((0, 0, 0.9), (0, 0, -1)))
    solid = union(*parts)
    if not visor:
        return cut(solid, blend(0.3, box((0, 2.2, -0.9), (1.05, 1.6, 1.6), 0.3)), 0.08)
    slit = box((0, 2.2, 0.05), (1.3, 0.7, 0.17), 0.05)
    grille = [box((x, 2.1, -1.25), (0.11, 0.6, 0.45), 0.05) for x in (-0.6, -0.2, 0.2, 0.6)]
    plate = intersection(swollen(shell, 0.22), box((0, 1.8, -0.75), (1.35, 1.6, 1.15), 0.2), 0.06)
    lenses = [ellipsoid((s * 0.62, 1.75, 0.05), (0.5, 0.22, 0.2)) for s in (1, -1)]
    return union(cut(union(solid, plate), union(slit, *grille), 0.04), *lenses)


def mohawk(height: float = 1.6, seed: int = 0, spikes: int = 6) -> Field:
    """A crest from brow to nape, in the head's frame: hair stiffened to long spikes that stand apart and sweep back.

    Args:
        height: of the tallest spike, mm.
        seed: of the irregularity.
        spikes: how many.
    """
    generator = np.random.default_rng(seed)
    skull = ellipsoid((0, -0.3, 0.65), (1.62, 2.0, 1.7))
    strip = intersection(swollen(skull, 0.28), box((0, -0.6, 2.4), (0.42, 2.3, 2.3), 0.3), 0.15)
    locks = []
    for angle in np.radians(np.linspace(-46, 92, spikes)):
        way = np.array([generator.uniform(-0.06, 0.06), -np.sin(angle), np.cos(angle)])
        along = np.array([0, np.cos(angle), np.sin(angle)])
        tall = height * (0.76 + 0.24 * np.cos(1.2 * angle - 0.2)) * generator.uniform(0.92, 1.06)
        root = np.array([0, -0.3, 0.65]) + way * [1, 1.86, 1.58]
        tip = root + way * tall + [generator.uniform(-0.2, 0.2), -0.2 * tall, 0]
        for aside, ahead, reach in ((0.2, 0.06, 0.92), (-0.2, 0.06, 0.84), (0.0, -0.12, 1.0)):
            foot = root + along * ahead + [aside, 0, 0]
            bend = 0.55 * root + 0.45 * tip + along * (ahead + 0.12) + [0.7 * aside, 0, 0]
            end = root + (tip - root) * reach
            locks += [cone(foot, bend, 0.33, 0.31), cone(bend, end, 0.31, 0.06)]
    return union(strip, blend(0.05, *locks))
