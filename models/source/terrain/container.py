"""A shipping container: corrugated sides and roof between corner castings, doors with locking bars at its right end."""

import numpy as np
from manifold3d import Manifold

from models.source.details import bolts, chipped, dented, rivets, row, stripes
from models.source.paints import STEEL, TEAL
from models.source.solids import (
    FRONT,
    RIGHT,
    UP,
    bar,
    box,
    corrugated,
    cut,
    mirrored,
    outlined,
    placed,
    regular,
    union,
)
from models.source.writing import Sculpture

LONG, WIDE, HIGH = 120.0, 50.0, 52.0  # mm outside
SINK = 2.6  # mm that the sheets' hollows lie inside the frame
CASTING = (7.5, 6.0, 6.5)


def sculpt() -> Sculpture:
    """The container, lengthways in x."""
    rng = np.random.default_rng(31)
    shell = union([_core(), _frame(rng), *_sheets(rng), _plate()])
    doors = union([mirrored(_door(), FRONT), _gasket()])
    bars = union(_locking_bars())
    parts = {"container": shell, "doors": doors, "locking bars": bars}
    return Sculpture("container", parts, {"container": TEAL, "doors": TEAL, "locking bars": STEEL})


def _core() -> Manifold:
    return box((LONG - 4, WIDE - 2 * SINK - 4, HIGH - 5), (0, 0, 2.2), 0)


def _frame(rng: np.random.Generator) -> Manifold:
    """Corner posts and castings, sills with fork pockets, top rails."""
    x, y = LONG / 2, WIDE / 2
    posts = [box((5, 4.6, HIGH - 4), (sx * (x - 2.7), sy * (y - 2.5), 2), 0.5) for sx in (-1, 1) for sy in (-1, 1)]
    sills = [box((LONG - 6, 3.4, 4.8), (0, sy * (y - 2.0), 0.6), 0.4) for sy in (-1, 1)]
    tops = [box((LONG - 6, 3.2, 3.4), (0, sy * (y - 1.9), HIGH - 4.2), 0.4) for sy in (-1, 1)]
    ends = [
        box((3.4, WIDE - 6, height), (sx * (x - 2.0), 0, z), 0.4)
        for sx in (-1, 1)
        for z, height in ((0.6, 4.6), (HIGH - 5, 4.2))
    ]
    pockets = [box((9, 2.4, 2.6), (px, sy * y, 1.7), 0.3) for px in (-16, 16) for sy in (-1, 1)]
    heads = [
        rivets(row((-52, sy * (y - 0.3), HIGH - 2.5), (52, sy * (y - 0.3), HIGH - 2.5), 14), (0, sy, 0), 0.9, 6)
        for sy in (-1, 1)
    ]
    frame = chipped(cut(union([*posts, *sills, *tops, *ends]), pockets), rng, 34, 1.6)
    return union(
        [frame, *heads, *(_casting(sx, sy, z) for sx in (-1, 1) for sy in (-1, 1) for z in (0, HIGH - CASTING[2]))]
    )


def _casting(side: int, front: int, z: float) -> Manifold:
    """A corner casting with its three oval holes."""
    at = (side * (LONG - CASTING[0]) / 2, front * (WIDE - CASTING[1]) / 2, z)
    oval = outlined(regular(10, 3.0) * [0.75, 1.15], 4, 0)
    middle = z + CASTING[2] / 2
    holes = [
        placed(oval, (side * (LONG / 2 - 1.2), at[1], middle), (side, 0, 0), UP),
        placed(oval, (at[0], front * (WIDE / 2 - 1.2), middle), (0, front, 0), UP),
        placed(oval, (at[0], at[1], HIGH - 1.2), UP, FRONT),
    ]
    return cut(box(CASTING, at, 0.6), holes if z > 0 else holes[:2])


def _sheets(rng: np.random.Generator) -> list[Manifold]:
    """Both sides, the blind end and the roof, with the dents of a working life."""
    sheet = corrugated(LONG - 9, HIGH - 8, 1.9, 6.2, 2.8)
    sides = []
    for turn in (0, 180):
        at = np.stack([rng.uniform(-48, 48, 5), np.full(5, 1.5), rng.uniform(4, 40, 5)], axis=1)
        push = np.stack([np.zeros(5), -rng.uniform(0.7, 1.7, 5), np.zeros(5)], axis=1)
        side = dented(sheet, at, push, rng.uniform(6, 13, 5), 3.0)
        sides.append(side.translate((0, WIDE / 2 - SINK, 4)).rotate((0, 0, turn)))
    blind = corrugated(WIDE - 9, HIGH - 8, 1.6, 6.2).translate((0, LONG / 2 - SINK, 4)).rotate((0, 0, 90))
    roof = corrugated(LONG - 12, WIDE - 4, 0.8, 9.0, 1.5).rotate((90, 0, 0))
    roof = roof.translate((0, (WIDE - 4) / 2, HIGH - 2.7))
    return [*sides, blind, roof]


def _plate() -> Manifold:
    """A marking plate with hazard stripes in relief on the front, and a blank one behind."""
    plate = box((30, 1.2, 11), (-30, WIDE / 2 - 1.3, 29), 0.3)
    relief = placed(stripes(27, 5, 5.4, 0.35), (-30, WIDE / 2 - 0.7, 32.4), FRONT, UP)
    lines = union(
        box((length, 1, 0.8), (-44 + length / 2, WIDE / 2 - 0.8, z), 0.2) for length, z in ((21, 37.8), (12, 36.4))
    )
    heads = rivets([(x, WIDE / 2 - 0.7, z) for x in (-44, -16) for z in (30, 39)], FRONT, 0.9, 6)
    behind = box((16, 1.2, 9), (34, -WIDE / 2 + 1.3, 30), 0.3)
    backs = bolts([(x, -WIDE / 2 + 0.7, z) for x in (27.3, 40.7) for z in (31.2, 37.8)], (0, -1, 0), 1.0)
    return union([plate, relief, lines, heads, behind, backs])


def _door() -> Manifold:
    """The left leaf as the front sees it: a frame with three pressed panels, and hinges on the post."""
    x, width, height = LONG / 2 - 1.9, 20.2, HIGH - 9
    y = 0.35 + width / 2
    leaf = box((3.0, width, height), (x - 0.6, y, 4.6), 0.4)
    panels = [box((2, width - 4.4, 11), (x + 1.2, y, z), 0.45) for z in (7.2, 20.4, 33.6)]
    presses = [
        box((1.4, width - 8, 1.8), (x - 0.2, y, z + rise), 0.4) for z in (7.2, 20.4, 33.6) for rise in (2.4, 6.8)
    ]
    hinges = [
        bar((x + 0.9, y + width / 2 + 0.6, z), (x + 0.9, y + width / 2 + 0.6, z + 3.4), 1.8, 10, 0.3)
        for z in (8, 19, 30, 41)
    ]
    straps = [box((1.0, 4.4, 2.2), (x + 0.9, y + width / 2 - 1.4, z + 0.6), 0.3) for z in (8, 19, 30, 41)]
    return union([cut(leaf, panels), *presses, *hinges, *straps])


def _gasket() -> Manifold:
    return box((0.8, 1.0, HIGH - 9), (LONG / 2 - 1.0, 0, 4.6), 0.2)


def _locking_bars() -> list[Manifold]:
    """Four bars with cams, guides and handles."""
    x = LONG / 2 - 0.3
    solids = []
    for index, y in enumerate((-15.4, -5.2, 5.2, 15.4)):
        solids.append(bar((x, y, 2.6), (x, y, HIGH - 2.4), 1.3, 8))
        solids += [box((2.0, 2.6, 2.4), (x - 0.2, y, z), 0.4) for z in (2.0, HIGH - 4.6)]
        guides = (12, 26.5, 40)
        solids += [box((1.7, 3.0, 1.5), (x - 0.4, y, z), 0.3) for z in guides]
        solids += [bolts([(x + 0.0, y + way * 1.9, z + 0.75) for way in (-1, 1) for z in guides], RIGHT, 0.8)]
        solids += [box((0.9, 5.6, 1.5), (x - 0.55, y, z), 0.25) for z in guides]
        reach = 7.6 if index % 2 == 0 else -7.6
        height = 19.5 if index in (0, 3) else 17.5
        solids.append(bar((x + 0.35, y, height + 0.6), (x + 0.35, y + reach, height), 1.2, 8, 0.2))
        solids.append(box((1.4, 2.2, 2.6), (x - 0.1, y, height - 0.6), 0.35))
        solids.append(box((1.3, 1.2, 2.4), (x - 0.1, y + 0.8 * reach, height - 1.1), 0.3))
    return solids
