"""A gothic pillar of the hive: stepped plinth, lancet niches between clustered shafts, cogs, a braced capital."""

import numpy as np
from manifold3d import Manifold

from models.source.details import bolts, chipped, rivets
from models.source.paints import BRASS, CONCRETE, IRON
from models.source.solids import (
    FRONT,
    UP,
    bar,
    box,
    cut,
    outlined,
    pipe,
    placed,
    regular,
    revolved,
    rod,
    union,
)
from models.source.writing import Sculpture

WIDE, HIGH = 28.0, 90.0  # mm
SHAFT = 17.0  # mm: the core's width
LOW, TOP = 17.0, 70.0  # mm: where the shaft begins and ends


def sculpt() -> Sculpture:
    """The pillar, alike on four sides but for its pipes and its wear."""
    rng = np.random.default_rng(71)
    stone = cut(union([*_plinth(), _core(), *_capital()]), _four(_niche()))
    stone = chipped(stone, rng, 70, 2.4)
    stone += union([*_four(_tracery()), *_corner_shafts()])
    iron = union([*_bands(), *_four(_cog()), *_four(_buttress())])
    parts = {"pillar": stone, "ironwork": iron, "pipes": union(_pipes())}
    return Sculpture("pillar", parts, {"pillar": CONCRETE, "ironwork": IRON, "pipes": BRASS})


def _four(solid: Manifold) -> list[Manifold]:
    """The solid on each of the four sides."""
    return [solid.rotate((0, 0, turn)) for turn in (0, 90, 180, 270)]


def _plinth() -> list[Manifold]:
    steps = [(WIDE, 0.0, 5.2, 0.8), (25.4, 4.8, 4.2, 0.6), (23.4, 8.6, 6.0, 1.4)]
    slope = Manifold.hull(
        box((22.6, 22.6, 0.6), (0, 0, 14.2), 0.2) + box((SHAFT + 2, SHAFT + 2, 0.6), (0, 0, LOW + 0.4), 0.2)
    )
    return [*(box((width, width, height), (0, 0, z), bevel) for width, z, height, bevel in steps), slope]


def _core() -> Manifold:
    return box((SHAFT, SHAFT, TOP - LOW + 4), (0, 0, LOW - 2), 1.6)


def _capital() -> list[Manifold]:
    """Steps that widen to the slab, coved below."""
    cove = [
        Manifold.hull(box((w0, w0, 0.4), (0, 0, z0), 0.1) + box((w1, w1, 0.4), (0, 0, z1), 0.1))
        for w0, z0, w1, z1 in ((SHAFT, 70, 19.4, 73.2), (19.4, 73.2, 24.0, 76.6))
    ]
    steps = [(19.6, 67.6, 2.6, 0.5), (25.4, 76.4, 3.2, 0.6), (24.0, 79.2, 3.0, 0.5), (WIDE, 82.0, 8.0, 0.9)]
    return [*cove, *(box((width, width, height), (0, 0, z), bevel) for width, z, height, bevel in steps)]


def _lancet(width: float, low: float, spring: float) -> np.ndarray:
    """A pointed arch (n, 2), anticlockwise: upright sides to `spring`, then two arcs of the arch's own width."""
    rise = np.radians(np.linspace(0, 60, 7))
    right = np.stack([np.cos(rise) * width - width / 2, spring + np.sin(rise) * width], axis=1)
    left = (right * [-1, 1])[::-1][1:]
    return np.concatenate([[(-width / 2, low), (width / 2, low)], right, left])


def _niche() -> Manifold:
    """What is taken out of the front: a lancet between the corner shafts, and a slot in the slab."""
    arch = outlined(_lancet(9.0, LOW + 4.5, 54.0), 6, 0)
    slot = box((19, 1.2, 3.2), (0, WIDE / 2, 84.4), 0.3)
    return placed(arch, (0, SHAFT / 2 - 2.2, 0), FRONT, UP) + slot


def _tracery() -> Manifold:
    """In the niche: a moulding round the arch, a mullion that forks, a boss, and a sloping sill; rivets on the slab."""
    y = SHAFT / 2
    rim = outlined(_lancet(11.0, LOW + 3.4, 54.0), 1.5, 0.4) - outlined(_lancet(8.6, LOW + 4.6, 54.0), 9, 0).translate(
        (0, 0, -3)
    )
    sill = Manifold.hull(
        box((11.4, 1.0, 0.8), (0, y + 1.0, LOW + 2.6), 0.2) + box((11.4, 1.2, 3.4), (0, y - 0.8, LOW + 2.2), 0.2)
    )
    mullion = bar((0, y - 1.2, LOW + 4), (0, y - 1.2, 52), 1.6, 8)
    forks = [bar((0, y - 1.2, 51.6), (way * 3.6, y - 1.2, 57.4), 1.4, 8) for way in (-1, 1)]
    ring = revolved(regular(6, 1.3) + np.array([2.0, 0]), sides=16)
    boss = placed(ring + rod(1.6, 0.8, (0, 0, -0.3), bevel=0.3, sides=8), (0, y - 1.1, 57.4), FRONT)
    heads = rivets([(x, WIDE / 2, z) for x in (-11.6, -4, 4, 11.6) for z in (83.4, 88.6)], FRONT, 0.9, 6)
    return union([placed(rim, (0, y - 0.6, 0), FRONT, UP), sill, mullion, *forks, boss, heads])


def _corner_shafts() -> list[Manifold]:
    """Round shafts at the corners with their own bases and rings."""
    reach = SHAFT / 2 + 0.2
    outline: list[tuple[float, float]] = [(0, 0), (2.6, 0), (2.6, 1.2), (2.0, 2.2), (1.6, 3.2)]
    outline += [
        (1.6, 23),
        (2.1, 23.6),
        (2.1, 25.2),
        (1.6, 25.8),
        (1.6, 47.4),
        (2.1, 48.4),
        (2.7, 50.6),
        (2.7, 52.4),
        (0, 52.4),
    ]
    return [revolved(outline, (x, y, LOW - 1.2), sides=14) for x in (-reach, reach) for y in (-reach, reach)]


def _bands() -> list[Manifold]:
    """Iron straps round plinth and shaft, bolted at the corners."""
    solids = []
    for width, z, height in ((26.1, 5.6, 2.4), (20.4, 44.8, 2.6)):
        ring = cut(box((width, width, height), (0, 0, z), 0.35), [box((width - 3.4, width - 3.4, 9), (0, 0, z - 3), 0)])
        places = [(x, width / 2, z + height / 2) for x in (-width / 2 + 2.2, -3.4, 3.4, width / 2 - 2.2)]
        solids += [ring, *_four(bolts(places, FRONT, 1.3))]
    return solids


def _cog() -> Manifold:
    """The cog on the slab's slot and a small plate on the plinth."""
    teeth = union(box((1.3, 7.4, 1.4)).rotate((0, 0, turn)) for turn in range(0, 180, 36))
    cog = (rod(6.0, 1.6, bevel=0.4, sides=20) + teeth) - rod(3.4, 4, (0, 0, 0.7), bevel=0, sides=16)
    face = union([cog, box((1.0, 3.6, 1.4)), box((3.6, 1.0, 1.3))])
    return placed(face, (0, WIDE / 2 - 0.9, 86.0), FRONT, UP)


def _buttress() -> Manifold:
    """A riveted bracket under the slab, in the middle of each side."""
    profile = [(0, 0), (1.6, 0), (3.4, 5), (6.2, 8.6), (6.2, 11.6), (0, 11.6)]
    web = outlined(profile, 2.6, 0.4).rotate((90, 0, 0)).rotate((0, 0, 90)).translate((-1.3, SHAFT / 2 - 1.0, 70.6))
    foot = box((3.8, 2.6, 2.0), (0, SHAFT / 2 + 0.4, 69.8), 0.4)
    heads = [
        rivets([(way * 1.3, SHAFT / 2 + 1.6 + d, 79.6 - 1.7 * (2 - d)) for d in (0.0, 1.6)], (way, 0, 0), 0.8, 6)
        for way in (-1, 1)
    ]
    return union([web, foot, *heads])


def _pipes() -> list[Manifold]:
    """Two conduits that climb the right rear corner."""
    solids = []
    for x, y, width, clips in ((12.2, -5.4, 2.6, (24, 50)), (12.0, -8.8, 1.8, (24, 50))):
        path: list[tuple[float, float, float]] = [(x, y, 12.0), (x, y, 78.4)]
        solids.append(pipe(path, width, 2.0, 10))
        solids += [rod(width + 1.4, 1.8, (x, y, z), UP, 0.35, 10) for z in (14.0, 37.0, 64.0)]
        solids += [box((4.6, width + 0.9, 1.5), (x - 1.6, y, z), 0.3) for z in clips]
    return [
        *solids,
        box((5.6, 7.6, 5.0), (11.6, -7.0, 54), 0.5),
        bolts([(14.4, y, z) for y in (-9.8, -4.2) for z in (55, 58)], (1, 0, 0), 0.9),
    ]
