"""A gantry: a floor of open grating at 75 mm on braced legs, with a rail, a ladder and a lamp."""

import numpy as np
from manifold3d import Manifold

from models.source.details import bolts, chipped, rivets, row, stripes
from models.source.paints import BRASS, IRON, OCHRE, STEEL
from models.source.solids import (
    FRONT,
    RIGHT,
    UP,
    bar,
    beam,
    box,
    girder,
    outlined,
    pipe,
    placed,
    rod,
    union,
)
from models.source.writing import Sculpture

LONG, WIDE, FLOOR = 120.0, 80.0, 75.0  # mm: the floor's size and the height one stands at
PITCH, BAR = 3.0, 0.8  # mm: the grating's pitch and its bars' width
LEGS = [(x, y) for x in (-54.0, 0.0, 54.0) for y in (-35.0, 35.0)]
RAIL = 17.0  # mm: the rail's height above the floor
GATE = (32.0, 46.0)  # mm in x: where the ladder comes up, at the front


def sculpt() -> Sculpture:
    """The gantry, lengthways in x; the ladder goes up its front."""
    rng = np.random.default_rng(53)
    frame = union([_legs(rng), *_braces()])
    parts = {
        "floor": _floor(rng),
        "floor rods": _rods(),
        "legs": frame,
        "rail": union(_rail()),
        "ladder": _ladder(),
        "pipe": _pipe(),
    }
    paints = {"floor": STEEL, "floor rods": STEEL, "legs": IRON, "rail": OCHRE, "ladder": OCHRE, "pipe": BRASS}
    return Sculpture("gantry", parts, paints)


def _bars(reach: float) -> np.ndarray:
    """Where the grating's bars lie between -reach and +reach."""
    count = int(2 * reach // PITCH) + 1
    return (np.arange(count) - (count - 1) / 2) * PITCH


def _floor(rng: np.random.Generator) -> Manifold:
    """The edge beams, two cross girders just under the grating, and the bars that bear, all along x."""
    bearing = [box((LONG - 4, BAR, 1.5), (0, y, FLOOR - 1.5), 0) for y in _bars(WIDE / 2 - 3.5)]
    edges = [box((LONG, 2.2, 6.0), (0, way * (WIDE / 2 - 1.1), FLOOR - 5.8), 0.4) for way in (-1, 1)]
    ends = [box((2.2, WIDE - 1, 6.0), (way * (LONG / 2 - 1.1), 0, FLOOR - 5.8), 0.4) for way in (-1, 1)]
    cross = [
        girder(WIDE - 3, 3.2, 5.0, 1.0, 1.0)
        .translate((1.5 - WIDE / 2, 0, FLOOR - 6.6))
        .rotate((0, 0, 90))
        .translate((x, 0, 0))
        for x in (-20.0, 20.0)
    ]
    rim = chipped(union([*edges, *ends]), rng, 40, 1.4)
    heads = [
        rivets(
            [(x, way * WIDE / 2, FLOOR - z) for x in np.linspace(-57, 57, 20) for z in (1.2, 4.4)], (0, way, 0), 0.9, 6
        )
        for way in (-1, 1)
    ]
    heads += [
        rivets([(way * LONG / 2, y, FLOOR - 2.8) for y in np.linspace(-36, 36, 13)], (way, 0, 0), 1.0, 6)
        for way in (-1, 1)
    ]
    plate = box((22, 1.0, 4.0), (-38, WIDE / 2, FLOOR - 4.8), 0.2)
    relief = placed(stripes(20, 3, 4.4, 0.3), (-38, WIDE / 2 + 0.5, FLOOR - 2.8), FRONT, UP)
    return union([rim, *cross, *bearing, *heads, plate, relief])


def _rods() -> Manifold:
    """The rods across the bars; a part of their own, so that each bar keeps its twelve triangles."""
    return Manifold.compose([box((BAR, WIDE - 3, BAR), (x, 0, FLOOR - 1.4), 0) for x in _bars(LONG / 2 - 3.0)])


def _legs(rng: np.random.Generator) -> Manifold:
    """H-section legs on bolted feet, with gussets under the floor."""
    outline = (
        girder(FLOOR - 5, 5.2, 5.2, 1.2, 1.1, 0.25).translate((0, 0, -2.6)).rotate((0, -90, 0)).translate((0, 0, 0.8))
    )
    leg = chipped(outline, rng, 10, 1.3)
    foot = box((9.4, 9.4, 1.6), bevel=0.4) + bolts([(x, y, 1.6) for x in (-3.6, 3.6) for y in (-3.6, 3.6)], UP, 1.5)
    foot += box((7.0, 1.2, 4.5), (0, 0, 1.2), 0.3) + box((1.2, 7.0, 4.5), (0, 0, 1.2), 0.3)
    head = box((6.6, 6.6, 2.0), (0, 0, FLOOR - 7.2), 0.4)
    gusset = (
        outlined([(0, 0), (0, -9), (1.5, -9), (9, -1.5), (9, 0)], 1.2, 0.25)
        .translate((2, 0, -0.6))
        .rotate((90, 0, 0))
        .translate((0, 0, FLOOR - 5))
    )
    solids = [(leg + foot + head).translate((x, y, 0)) for x, y in LEGS]
    solids += [gusset.translate((x, y, 0)) for x, y in LEGS if x < 50]
    solids += [gusset.rotate((0, 0, 180)).translate((x, y, 0)) for x, y in LEGS if x > -50]
    return union(solids)


def _braces() -> list[Manifold]:
    """Saltires across both ends and the back, and ties low down."""
    solids = []
    for x in (-54.0, 54.0):
        solids += [beam((x, -35 * way, 8), (x, 35 * way, 62), 2.4, 1.4, 0.3, RIGHT) for way in (-1, 1)]
        solids.append(_knot((x, 0, 35), RIGHT))
    for start, end in ((-54.0, 0.0), (0.0, 54.0)):
        solids += [beam((a, -35, 8), (b, -35, 62), 2.4, 1.4, 0.3, FRONT) for a, b in ((start, end), (end, start))]
        solids.append(_knot(((start + end) / 2, -35, 35), FRONT))
    ties = [beam((-54, y, 62), (54, y, 62), 2.0, 2.4, 0.4) for y in (-35, 35)]
    return [*solids, *ties]


def _knot(at: tuple[float, float, float], towards: tuple[float, float, float]) -> Manifold:
    """The bolted plate where two braces cross."""
    corners = [(x, y, 0.9) for x in (-1.9, 1.9) for y in (-1.9, 1.9)]
    plate = box((7, 7, 1.8), (0, 0, -0.9), 0.4)
    return placed(
        plate + bolts(corners, UP, 1.2) + bolts([(x, y, -0.9) for x, y, _ in corners], (0, 0, -1), 1.2), at, towards, UP
    )


def _rail() -> list[Manifold]:
    """Posts, two bars and a toe board on all sides but the gate."""
    x, y, z = LONG / 2 - 1.6, WIDE / 2 - 1.6, FLOOR - 0.3
    runs = [
        ((-x, y), (GATE[0], y)),
        ((GATE[1], y), (x, y)),
        ((x, y), (x, -y)),
        ((x, -y), (-x, -y)),
        ((-x, -y), (-x, y)),
    ]
    solids = []
    for (ax, ay), (bx, by) in runs:
        count = max(2, round(np.hypot(bx - ax, by - ay) / 19) + 1)
        for post in row((ax, ay, z), (bx, by, z), count):
            solids.append(box((1.8, 1.8, RAIL), tuple(post), 0.3))
            solids.append(box((3.4, 3.0, 1.1), tuple(post), 0.3))
        solids.append(bar((ax, ay, FLOOR + RAIL - 0.6), (bx, by, FLOOR + RAIL - 0.6), 2.0, 10))
        solids.append(bar((ax, ay, FLOOR + 9.2), (bx, by, FLOOR + 9.2), 1.4, 8))
        solids.append(beam((ax, ay, FLOOR + 1.6), (bx, by, FLOOR + 1.6), 0.9, 2.8, 0.2))
    corners = [(sx * x, sy * y) for sx in (-1, 1) for sy in (-1, 1)] + [(gate, y) for gate in GATE]
    return [*solids, *(rod(2.6, 1.9, (cx, cy, FLOOR + RAIL - 1.4), bevel=0.5, sides=10) for cx, cy in corners)]


def _ladder() -> Manifold:
    """Two stiles that lean against the edge and curl over the floor, with rungs."""
    left, right = GATE[0] + 2.0, GATE[1] - 2.0
    foot, top = WIDE / 2 + 6.0, WIDE / 2 + 1.6
    stiles = []
    for x in (left, right):
        path = [
            (x, foot, 0.6),
            (x, top, FLOOR + RAIL + 1),
            (x, WIDE / 2 - 3, FLOOR + RAIL + 1),
            (x, WIDE / 2 - 3, FLOOR),
        ]
        stiles += [pipe(path, 1.8, 3.0, 8, 4), box((3.2, 3.8, 1.2), (x, foot, 0), 0.3)]
        stiles.append(box((1.4, 4.4, 1.6), (x, WIDE / 2 + 1.0, FLOOR - 4), 0.3))
    heights = np.arange(5.0, FLOOR + 6, 5.4)
    rungs = [
        bar((left, foot + (top - foot) * z / 93, z), (right, foot + (top - foot) * z / 93, z), 1.3, 8) for z in heights
    ]
    return union([*stiles, *rungs])


def _pipe() -> Manifold:
    """A service pipe under the floor that comes down a leg, and a lamp on it."""
    run = pipe([(-30, -31, FLOOR - 10), (50, -31, FLOOR - 10), (50, -31, 0)], 3.4, 6.0, 12, 6)
    collars = [rod(4.6, 2.0, (x, -31, FLOOR - 10), RIGHT, 0.4, 12) for x in (-28, -2, 26)]
    collars += [rod(4.6, 2.0, (50, -31, z), UP, 0.4, 12) for z in (0.0, 22.0, 44.0)]
    hangers = [box((1.2, 1.2, 6), (x + 1.0, -31, FLOOR - 9.5), 0.2) for x in (-28, -2, 26)]
    lamp = rod(7.0, 3.4, (-27, -31, FLOOR - 15.5), UP, 0.4, 14, top=3.2) + rod(
        4.0, 2.2, (-27, -31, FLOOR - 17.2), UP, 0.6, 12
    )
    return union([run, *collars, *hangers, lamp, bar((-27, -31, FLOOR - 13), (-27, -31, FLOOR - 10), 1.6, 8)])
