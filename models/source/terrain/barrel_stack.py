"""Four oil drums on a timber pallet: three standing, one lying; dented, with rolling hoops, rims and bungs."""

import numpy as np
from manifold3d import Manifold

from models.source.details import bolts, chipped, dented, rivets
from models.source.paints import OCHRE, OXIDE, RUST, TEAL, WOOD
from models.source.solids import UP, box, cut, revolved, rod, union
from models.source.writing import Sculpture

HIGH, RADIUS = 25.0, 9.0  # mm
DECK = 5.2  # mm: the pallet's upper side


def sculpt() -> Sculpture:
    """The pallet with its drums, the lying one in front."""
    rng = np.random.default_rng(23)
    lying = (
        _drum(rng).rotate((0, 90, 0)).rotate((35, 0, 0)).rotate((0, 0, 7)).translate((-3.0, 10.2, DECK + RADIUS - 0.15))
    )
    parts = {
        "pallet": _pallet(rng),
        "drum left": _drum(rng).rotate((0, 0, 200)).translate((-11.5, -9.6, DECK - 0.1)),
        "drum right": _drum(rng).rotate((0, 0, 75)).translate((8.2, -11.0, DECK - 0.1)),
        "drum front": _drum(rng).rotate((0, 0, 310)).translate((-13.6, 9.4, DECK - 0.1)),
        "drum lying": lying,
    }
    paints = {"pallet": WOOD, "drum left": OXIDE, "drum right": TEAL, "drum front": OCHRE, "drum lying": RUST}
    return Sculpture("barrel_stack", parts, paints)


def _drum(rng: np.random.Generator) -> Manifold:
    """A drum standing on z = 0: two hoops, fluted ends, rolled rims, a sunken lid with two bungs, and dents."""
    r, skin = RADIUS, RADIUS - 0.55
    hoop = [(skin, -0.9), (r, -0.3), (r, 0.3), (skin, 0.9)]
    flute = [(skin, -0.5), (skin + 0.3, -0.15), (skin + 0.3, 0.15), (skin, 0.5)]
    side = [(0, 0.6), (r - 1.4, 0.6), (r - 1.2, 0), (r - 0.2, 0), (r, 0.2), (r, 0.9), (skin, 1.3)]
    side += [(x, 3.0 + z) for x, z in flute] + [(x, 8.7 + z) for x, z in hoop] + [(x, 16.3 + z) for x, z in hoop]
    side += [(x, 22.0 + z) for x, z in flute]
    side += [
        (skin, HIGH - 1.3),
        (r, HIGH - 0.9),
        (r, HIGH - 0.2),
        (r - 0.2, HIGH),
        (r - 1.2, HIGH),
        (r - 1.4, HIGH - 1.2),
    ]
    shell = revolved([*side, (0, HIGH - 1.2)], sides=32)
    turns, heights = rng.uniform(0, 2 * np.pi, 4), rng.uniform(4, 21, 4)
    out = np.stack([np.cos(turns), np.sin(turns), 0 * turns], axis=1)
    depth = rng.uniform(0.7, 2.2, (4, 1))
    shell = dented(shell, out * skin + heights[:, None] * np.array(UP), -out * depth, rng.uniform(5, 8.5, 4), 3.2)
    large = rod(3.4, 1.6, (4.4, 1.2, HIGH - 1.4), bevel=0.3, sides=10) + bolts([(4.4, 1.2, HIGH + 0.1)], UP, 1.7)
    small = rod(2.0, 1.2, (-5.0, -1.0, HIGH - 1.4), bevel=0.25, sides=8)
    ring = revolved([(5.6, -0.3), (6.2, -0.3), (6.2, 0.2), (5.9, 0.4), (5.6, 0.2)], (0, 0, HIGH - 1.2), sides=20)
    return union([shell, large, small, ring])


def _pallet(rng: np.random.Generator) -> Manifold:
    """Weathered boards on three bearers, split and gnawed at their ends, with nail heads."""
    boards, nails = [], []
    for index, y in enumerate(np.linspace(-17.4, 17.4, 6)):
        length = 45 + rng.uniform(-1.2, 0.8)
        board = box((length, 5.4, 1.5), (rng.uniform(-0.4, 0.4), y, DECK - 1.5), 0.25)
        grain = [
            box((length * 0.7, 0.3, 1), (rng.uniform(-14, 14), y + side * rng.uniform(0.7, 1.7), DECK - 0.25), 0)
            for side in (-1, 1)
        ]
        split = box((rng.uniform(4, 9), 0.5, 4), (23 * (-1) ** index, y + rng.uniform(-1.5, 1.5), 2), 0)
        boards.append(chipped(cut(board, [*grain, split]), rng, 7, 1.0))
        nails += [(x, y + side, DECK) for x in (-18.5, 0.4, 18.3) for side in (-1.6, 1.6)]
    bearers = [box((4.6, 41.4, 2.6), (x, 0, 1.2), 0.35) for x in (-18.5, 0, 18.5)]
    lower = [box((46, 5.2, 1.4), (0, y, 0), 0.25) for y in (-17.6, 0, 17.6)]
    frame = chipped(union([*bearers, *lower]), rng, 24, 1.1)
    return union([*boards, frame, rivets(nails, UP, 0.8, 6)])
