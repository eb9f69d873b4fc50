"""A ruined wall: brick under fallen plaster, a broken top, an arched window to look through, girders, rubble."""

from itertools import pairwise

import manifold3d
import numpy as np
from manifold3d import CrossSection, Manifold

from models.source.details import bolts, chipped, rivets, rubble, stone
from models.source.paints import BRICK, CONCRETE, IRON, ROCK
from models.source.settling import settled
from models.source.solids import FRONT, UP, bar, box, cut, girder, outlined, pipe, placed, union
from models.source.writing import Sculpture

LONG, DEEP, HIGH = 120.0, 8.0, 75.0  # mm
BRICKS = (8.2, 4.1)  # mm: a brick's length and a course's height, joints included
SILL, SPRING, OPEN = 18.0, 27.0, 22.0  # mm: the window's foot, where its arch springs, its width; its head is at 38
MIDDLE = -14.0  # mm: the window's middle in x
SKYLINE = [(-60, 58), (-52, 60), (-46, 71), (-38, 75), (-30, 66), (-18, 68), (-8, 61), (0, 52), (8, 50), (16, 39)]
SKYLINE += [(26, 36), (34, 27), (42, 30), (48, 22), (54, 24), (60, 13)]


def sculpt() -> Sculpture:
    """The wall along x, its plastered face to the front."""
    rng = np.random.default_rng(97)
    steel = union(_girders())
    coats, under = _plaster(rng)
    bricks = cut(_bricks(rng), [_opening(0.3), *under]).simplify(0.04)
    wall = cut(union([*coats, _footing(rng), _surround(rng)]), [_opening(0)])
    parts = {"wall": wall, "bricks": bricks, "steel": steel, "rubble": _rubble(rng)}
    return Sculpture("ruined_wall", parts, {"wall": CONCRETE, "bricks": BRICK, "steel": IRON, "rubble": ROCK})


def _arch(grow: float) -> np.ndarray:
    """The window's outline (n, 2), anticlockwise, moved outwards by `grow`."""
    half = OPEN / 2 + grow
    turn = np.linspace(0, np.pi, 17)
    top = np.stack([half * np.cos(turn) + MIDDLE, SPRING + half * np.sin(turn)], axis=1)
    return settled(np.concatenate([[(MIDDLE - half, SILL - grow), (MIDDLE + half, SILL - grow)], top]))


def _upright(outline: CrossSection | np.ndarray, low: float, high: float) -> Manifold:
    """An outline drawn in x and z, from y = `low` to y = `high`."""
    drawn = outline if isinstance(outline, CrossSection) else CrossSection([outline])
    return drawn.extrude(high - low).rotate((90, 0, 0)).translate((0, high, 0))


def _opening(grow: float) -> Manifold:
    return _upright(_arch(grow), -12, 12)


def _ragged(rng: np.random.Generator, below: float, rough: float) -> CrossSection:
    """What is left of the wall, drawn in x and z: under the skyline less `below`, its edge rough by `rough`."""
    x = np.linspace(-LONG / 2, LONG / 2, 61)
    known = np.array(SKYLINE, float)
    z = np.interp(x, known[:, 0], known[:, 1]) - below + rng.uniform(-rough, rough, len(x))
    top = np.stack([x, np.minimum(z, HIGH)], axis=1)[::-1]
    return CrossSection([np.concatenate([[(-LONG / 2, 0), (LONG / 2, 0)], top])])


def _bricks(rng: np.random.Generator) -> Manifold:
    """Bonded courses on a mortar core; the top ends brick by brick, along the skyline."""
    length, course = BRICKS
    columns, rows = int(LONG // length) + 2, int(HIGH // course)
    row, column = np.mgrid[0:rows, 0:columns].reshape(2, -1)
    x = (column - columns / 2 + 0.5 * (row % 2)) * length + length / 2
    z = row * course
    known = np.array(SKYLINE, float)
    stands = (np.interp(x, known[:, 0], known[:, 1]) > z + course * rng.uniform(0.2, 1.0, len(x))) & (np.abs(x) < 58.5)
    x, z = x[stands], z[stands]
    push, tilt = rng.uniform(-0.2, 0.2, len(x)), rng.normal(0, 1.2, len(x))
    brick = box((length - 0.75, DEEP - 1.6, course - 0.75), bevel=0.3)
    solids = [
        brick.rotate((0, turn, turn)).translate((px, py, pz + 0.35))
        for px, py, pz, turn in zip(x, push, z, tilt, strict=True)
    ]
    mortar = union(
        box((length + 0.4, DEEP - 2.9, course + 0.1), (px, 0, pz - 0.6), 0) for px, pz in zip(x, z, strict=True)
    )
    whole = union([*solids, mortar.trim_by_plane(UP, 0.0)])
    return whole.trim_by_plane((1, 0, 0), -LONG / 2).trim_by_plane((-1, 0, 0), -LONG / 2)


def _plaster(rng: np.random.Generator) -> tuple[list[Manifold], list[Manifold]]:
    """The coats of both faces, fallen off in places, grooved, cracked; and what to pare off the bricks under them."""
    coats, under = [], []
    gone = {
        1: [(-47, 46, 14, 17), (20, 22, 13, 9), (-34, 8, 9, 6), (48, 10, 12, 9), (4, 45, 12, 9)],
        -1: [(-40, 54, 17, 14), (36, 14, 16, 12), (6, 30, 8, 12), (-50, 16, 9, 10)],
    }
    for face, holes in gone.items():
        coat = _ragged(rng, 3.2, 1.5)
        for x, z, width, height in holes:
            turn = np.linspace(0, 2 * np.pi, 23, endpoint=False)
            reach = rng.uniform(0.72, 1.12, 23)
            coat -= CrossSection(
                [np.stack([x + width * np.cos(turn) * reach, z + height * np.sin(turn) * reach], axis=1)]
            )
        low, high = sorted((face * (DEEP / 2 - 1.6), face * (DEEP / 2 - 0.2)))
        sheet = _upright(coat.simplify(0.05), low, high)
        hidden = coat.offset(-1.8, manifold3d.JoinType.Miter) - CrossSection([_arch(4.5)])
        under.append(_upright(hidden, *sorted((face * (DEEP / 2 - 1.48), face * DEEP))))
        joints = [box((0.6, 0.9, 90), (x, face * (DEEP / 2 - 0.2), 0), 0) for x in (-42, 10, 38)]
        joints += [box((130, 0.9, 0.6), (0, face * (DEEP / 2 - 0.2), z), 0) for z in (14.0, 44.0)]
        cracks = [_crack(rng, x, z, face) for x, z in ((-4, 40), (-26, 60), (28, 30), (-50, 12))]
        coats.append(chipped(cut(sheet, [*joints, *cracks]), rng, 40, 1.6))
    return coats, under


def _crack(rng: np.random.Generator, x: float, z: float, face: int) -> Manifold:
    """A crack that wanders down one face from (x, z)."""
    down = np.cumsum(rng.uniform(1.6, 3.4, 6))
    aside = np.cumsum(rng.normal(0, 1.5, 6))
    path = np.stack([x + aside, np.full(6, face * (DEEP / 2 - 0.1)), z - down], axis=1)
    return union(bar(start, end, 0.75, 4) for start, end in pairwise(path))


def _footing(rng: np.random.Generator) -> Manifold:
    """A chamfered kerb at the foot of both faces, with sunk bays."""
    kerb = chipped(box((LONG, DEEP, 4.6), bevel=0.6), rng, 36, 2.0)
    bays = [box((10.4, 1.0, 1.9), (x, way * DEEP / 2, 1.4), 0.3) for x in np.arange(-52, 53, 13.0) for way in (-1, 1)]
    return cut(kerb, bays)


def _surround(rng: np.random.Generator) -> Manifold:
    """The window's dressed stones, its keystone and its sill."""
    turns = np.linspace(0, 180, 9)
    stones = []
    for start, end in pairwise(turns):
        turn = np.radians(np.linspace(start + 1.2, end - 1.2, 3))
        ring = np.stack([np.cos(turn), np.sin(turn)], axis=1)
        outline = np.concatenate([ring * (OPEN / 2 - 0.5), ring[::-1] * (OPEN / 2 + 4.0)]) + np.array([MIDDLE, SPRING])
        stones.append(placed(outlined(outline * [-1, 1], DEEP, 0.35), (0, -DEEP / 2, 0), FRONT, UP))
    for way in (-1, 1):
        for index, z in enumerate((SILL + 0.2, SILL + 4.8)):
            wide = 5.0 - 1.2 * (index % 2)
            stones.append(box((wide, DEEP, 4.3), (MIDDLE + way * (OPEN / 2 + wide / 2 - 0.4), 0, z), 0.35))
    key = outlined([(-1.9, -0.6), (1.9, -0.6), (2.8, 6.0), (-2.8, 6.0)], DEEP, 0.4)
    stones.append(placed(key, (MIDDLE, -DEEP / 2, SPRING + OPEN / 2), FRONT, UP))
    sill = box((OPEN + 9, DEEP, 2.6), (MIDDLE, 0, SILL - 2.6), 0.5)
    return union([chipped(union([*stones, sill]), rng, 40, 1.8)])


def _girders() -> list[Manifold]:
    """Two stanchions in the wall, the second one bare where the brick has gone, and bent reinforcement at the top."""
    solids = []
    for x, top in ((-57.0, 66.0), (30.0, 46.0)):
        post = (
            girder(top, 5.6, DEEP, 1.2, 1.2, 0.25).translate((0, 0, -DEEP / 2)).rotate((0, -90, 0)).rotate((0, 0, 90))
        )
        torn = stone(9.0, np.random.default_rng(int(top)), (2.0, 2.0, top + 1.0))
        solids.append((post - torn).translate((x, 0, 0)))
        for way in (-1, 1):
            places = [(x + side, way * DEEP / 2, z) for z in np.arange(4.0, top - 4, 6.0) for side in (-1.9, 1.9)]
            solids.append(rivets(places, (0, way, 0), 0.9, 6))
    foot = box((9, DEEP, 2.2), (30.0, 0, 0), 0.4) + bolts(
        [(30 + side, DEEP / 2, 1.1) for side in (-3.4, 3.4)], FRONT, 1.2
    )
    bends = [
        ((-40, 0.8), 70, 79, 3),
        ((-34, -1.2), 62, 73, -4),
        ((-9, 1.0), 55, 67, 3.5),
        ((3, -0.8), 46, 58, -3),
        ((44, 0.5), 24, 35, 4),
    ]
    rods = [
        pipe([(x, y, low), (x, y, high - 4), (x + lean, y * 2.0, high)], 1.1, 2.5, 6, 3)
        for (x, y), low, high, lean in bends
    ]
    return [*solids, foot, *rods]


def _rubble(rng: np.random.Generator) -> Manifold:
    """Lumps, whole bricks and splinters at the foot, most under the lowest part of the skyline."""
    count = 64
    x = np.clip(rng.normal(34, 19, count), -40, 58)
    y = rng.choice([-1, 1], count) * rng.uniform(3.6, 8.4, count)
    sizes = rng.uniform(1.5, 4.2, count)
    lumps = rubble(np.stack([x, y, sizes * 0.15], axis=1), sizes, rng)
    bricks = [
        box((6.2, 3.4, 2.6), bevel=0.3)
        .rotate(tuple(rng.uniform((-25, -25, 0), (25, 25, 180))))
        .translate((bx, by, 0.3))
        for bx, by in zip(rng.uniform(2, 54, 14), rng.choice([-1, 1], 14) * rng.uniform(5.4, 8.2, 14), strict=True)
    ]
    return union([lumps, *bricks]).trim_by_plane(UP, 0.0)
