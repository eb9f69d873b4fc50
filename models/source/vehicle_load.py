"""The hauler's cargo bed, what is lashed on it, and the roll cage before it."""

import numpy as np
from manifold3d import Manifold

from models.source.details import bent, chipped, dented
from models.source.solids import (
    RIGHT,
    UP,
    Point,
    bar,
    box,
    corrugated,
    cut,
    mirrored,
    outlined,
    pipe,
    placed,
    revolved,
    rod,
    union,
)
from models.source.vehicle_parts import REAR
from models.source.vehicle_shapes import block, pad, studs

HEAD = -7.0  # mm: the bed's front end along y
SIDE = 25.2  # mm: the bed's walls from the middle line
DECK, WALL = 27.4, 36.6  # mm: the bed's floor and the top of its walls
BACK = (0.0, -1.0, 0.0)


def bed() -> Manifold:
    """The cargo bed: planked deck on cross beams, corrugated walls between posts, headboard and tailgate."""
    rng = np.random.default_rng(17)
    length, middle = HEAD - REAR, (HEAD + REAR) / 2
    deck = block((2 * SIDE, length, 1.8), (0, middle, DECK - 1.8))
    gaps = [block((0.6, length - 3, 1.0), (x, middle, DECK - 0.5)) for x in np.arange(-19.5, 20, 6.5)]
    beams = [block((50.8, 2.6, 2.6), (0, y, 23.3)) for y in np.linspace(REAR + 2.0, HEAD - 2.0, 3)]
    bearers = [block((3.4, length - 1, 4.8), (x, middle, 21.0)) for x in (-8.5, 8.5)]
    sides = [_side_wall(rng), _side_wall(rng).mirror(RIGHT)]
    return union([cut(deck, gaps), *beams, *bearers, *sides, _headboard(), *_tailgate(rng), _ladder()])


def _side_wall(rng: np.random.Generator) -> Manifold:
    """The right wall: corrugated sheet with dents, bolted posts, rails."""
    length, middle = HEAD - REAR, (HEAD + REAR) / 2
    posts = np.linspace(REAR + 1.6, HEAD - 1.6, 4)
    sheet = corrugated(length - 2, WALL - DECK, 1.4, 5.4, 0.8)
    at = np.stack([rng.uniform(-18, 18, 3), np.full(3, 0.7), rng.choice([0.0, 9.2], 3)], axis=1)
    push = np.stack([np.zeros(3), -rng.uniform(0.4, 0.9, 3), np.zeros(3)], axis=1)
    sheet = dented(sheet, at, push, rng.uniform(4, 7, 3), None)
    sheet = sheet.rotate((0, 0, -90)).translate((SIDE, middle, DECK - 0.3))
    ribs = [pad((2.8, WALL - 24.2, 2.9), (SIDE - 1.1, y, (WALL + 24) / 2), RIGHT, UP, 0.5) for y in posts]
    rail = chipped(box((2.9, length + 0.8, 2.0), (SIDE + 0.35, middle, WALL - 1.0), 0.5), rng, 2, 1.5)
    sill = box((2.4, length + 0.4, 3.2), (SIDE + 0.45, middle, 24.9), 0.5)
    knots = studs([(SIDE + 1.8, y, z) for y in posts for z in (26.4, 33.2)], RIGHT, 1.4)
    return union([sheet, *ribs, rail, sill, knots])


def _headboard() -> Manifold:
    """The wall behind the cab, with ribs."""
    plate = block((2 * SIDE, 1.4, 11.6), (0, HEAD - 0.9, 25.8))
    ribs = [block((2.0, 2.2, 11.8), (x, HEAD - 0.8, 25.9)) for x in (-12.2, 0, 12.2)]
    return union([plate, *ribs])


def _tailgate(rng: np.random.Generator) -> list[Manifold]:
    """The tailgate: a ribbed flap on hinges, and on its right a gunner's shield with a loophole."""
    flap = chipped(box((2 * SIDE - 3.4, 1.6, WALL - DECK + 0.9), (0, REAR + 0.9, DECK - 0.8), 0.4), rng, 4, 1.6)
    ribs = [pad((2.2, 8.0, 1.4), (x, REAR + 0.6, DECK + 3.8), BACK, UP, 0.4) for x in (-21.5, -5.8, 6.4, 21.5)]
    rail = pad((2 * SIDE - 4, 1.8, 1.3), (0, REAR + 0.65, WALL - 1.5), BACK, UP, 0.4)
    hinges = [rod(2.0, 4.2, (x - 2.1, REAR + 0.1, DECK - 1.0), RIGHT, 0.0, 6) for x in (-19, 0, 17)]
    outline = np.array([(-9.5, 0), (9.5, 0), (9.5, 7.6), (6.6, 11.2), (-6.6, 11.2), (-9.5, 7.6)])
    slot = np.array([(-4.6, 6.0), (4.6, 6.0), (4.6, 7.9), (-4.6, 7.9)])
    shield = cut(outlined(outline, 1.4, 0.35), [outlined(slot, 5, 0).translate((0, 0, -2))])
    brow = [(x, y, z) for x in (-5.2, 5.2) for y, z in ((8.1, 0.8), (9.8, 0.8), (8.2, 2.6))]
    heads = studs([(x, y, 1.4) for x in (-8.3, 8.3) for y in (1.4, 7.0)] + [(-5.8, 10, 1.4), (5.8, 10, 1.4)], UP, 1.3)
    guard = placed(union([shield, Manifold.hull_points(brow), heads]), (9.5, REAR + 0.1, WALL - 1.8), (0, -1, 0.12), UP)
    return [flap, *ribs, rail, *hinges, guard]


def _ladder() -> Manifold:
    """A ladder up the left of the tailgate, hooked over its top."""
    y = REAR - 1.6
    parts = []
    for x in (-15.6, -9.2):
        parts += [block((1.3, 1.5, WALL - 6.4), (x, y, 9.0)), block((1.3, 5.0, 1.3), (x, y + 1.75, WALL + 1.6))]
        parts += [block((1.3, 1.3, 3.0), (x, REAR + 2.3, WALL - 0.6)), block((1.3, 2.6, 1.4), (x, REAR - 0.5, 25.2))]
    rungs = [block((6.4, 1.1, 1.1), (-12.4, y, z)) for z in np.arange(11.0, 36.0, 3.8)]
    return union([*parts, *rungs])


# ---- load


def crates() -> Manifold:
    """The boxes of the load: a tall crate, a small case on a flat one, an ammunition box, each at its own angle."""
    return union(
        [
            _crate((15.0, 13.0, 12.5)).rotate((0, 0, 4)).translate((13.8, -17.0, DECK - 0.1)),
            _crate((18.0, 9.5, 6.5)).rotate((0, 0, -7)).translate((12.0, -30.6, DECK - 0.1)),
            _crate((11.0, 8.0, 5.0)).rotate((0, 0, 19)).translate((12.4, -30.2, DECK + 6.3)),
            _crate((9.0, 7.0, 5.5)).rotate((0, 0, 31)).translate((-15.0, -43.5, DECK - 0.1)),
        ]
    )


def _crate(size: Point) -> Manifold:
    """A strapped crate with corner posts, a chamfered lid and a latch in front and behind."""
    x, y, z = size
    core = block((x - 1.2, y - 1.2, z - 0.8), (0, 0, 0.1))
    posts = [
        block((1.9, 1.9, z - 1.0), (sx * (x / 2 - 0.9), sy * (y / 2 - 0.9), 0)) for sx in (-1, 1) for sy in (-1, 1)
    ]
    lid = pad((x + 0.7, y + 0.7, 1.8), (0, 0, z - 1.8), bevel=0.5)
    straps = [block((1.5, y + 1.3, z + 0.2), (sx * x * 0.27, 0, 0.15)) for sx in (-1, 1)]
    return union([core, *posts, lid, *straps, block((2.2, y + 1.9, 2.6), (0, 0, z - 3.0))])


def drums() -> Manifold:
    """Three drums at the left of the bed, two standing and one lying behind them."""
    rng = np.random.default_rng(41)
    return union(
        [
            _drum(rng).rotate((0, 0, 70)).translate((-17.8, -16.2, DECK - 0.1)),
            _drum(rng).rotate((0, 0, 200)).translate((-6.4, -16.8, DECK - 0.1)),
            _drum(rng).rotate((0, 90, 0)).rotate((0, 0, 96)).translate((-17.6, -36.5, DECK + 5.3)),
        ]
    )


def _drum(rng: np.random.Generator) -> Manifold:
    """A drum on z = 0: two hoops, a rim round a sunken lid with a bung, dents."""
    high = 14.6
    side = [
        (0, 0),
        (5.3, 0),
        (5.3, 0.8),
        (4.9, 1.2),
        (4.9, 4.4),
        (5.4, 4.9),
        (4.9, 5.4),
        (4.9, 9.3),
        (5.4, 9.8),
        (4.9, 10.3),
    ]
    side += [(4.9, high - 1.2), (5.4, high - 0.8), (5.4, high), (4.6, high), (4.5, high - 0.8), (0, high - 0.8)]
    turns, heights = rng.uniform(0, 2 * np.pi, 3), rng.uniform(3, 12, 3)
    out = np.stack([np.cos(turns), np.sin(turns), 0 * turns], axis=1)
    at, push = out * 5.0 + heights[:, None] * np.array(UP), -out * rng.uniform(0.6, 1.3, (3, 1))
    shell = dented(revolved(side, sides=14), at, push, rng.uniform(3, 5, 3), None)
    return shell + rod(2.2, 1.0, (2.4, 1.0, high - 1.0), bevel=0.0, sides=6)


def tarpaulin() -> Manifold:
    """A rolled tarpaulin lashed across the drums behind the cab, its ends spiralled, and two sacks on the deck."""
    rng = np.random.default_rng(53)
    strap = [(-0.75, 3.1), (-0.75, 3.6), (0.75, 3.6), (0.75, 3.1)]
    side = [
        (-14.3, 0),
        (-14.3, 1.0),
        (-13.3, 1.1),
        (-13.3, 1.6),
        (-14.3, 1.8),
        (-14.3, 2.5),
        (-12.6, 3.2),
        (-11.2, 3.5),
    ]
    middle = [(x + y, r) for x in (-8.6, 0.2) for y, r in (*strap, (4.4, 3.6))]
    outline = [
        (r, x) for x, r in (*side, *middle, *((x + 9.0, r) for x, r in strap), *((-x, r) for x, r in side[::-1]))
    ]
    roll = revolved(outline, (0, 0, 0), RIGHT, 12)
    flap = block((24.6, 1.0, 3.6), (0.2, -3.1, -3.0))
    buckles = [block((2.2, 1.2, 2.4), (x, -3.6, 0.2)) for x in (-8.6, 0.2, 9.0)]
    bundle = (
        union([bent(roll, rng, 0.7, 9.0, 100.0), flap, *buckles]).rotate((0, 0, -3)).translate((-10.6, -15.8, 44.9))
    )
    return union([bundle, *_sacks(rng)])


def _sacks(rng: np.random.Generator) -> list[Manifold]:
    """Sacks that lie in the middle of the bed, tied at the neck."""
    sacks = []
    for at, turn in (((-5.6, -27.6, DECK + 2.2), 20.0), ((-15.8, -25.2, DECK + 2.4), 75.0)):
        sack = bent(Manifold.sphere(1.0, 16).scale((5.0, 4.0, 2.7)), rng, 0.9, 6.0, 100.0)
        neck = rod(2.0, 2.6, (4.0, 0, 0.7), (1, 0, 0.35), 0.0, 7, top=3.0)
        sacks.append(union([sack, neck]).rotate((0, 0, turn)).translate(at))
    return sacks


def roll_cage() -> Manifold:
    """A hoop over the bed's front, braced to the walls, with bars that guard the cab and lamps that light the load."""
    y = HEAD - 2.8
    corners = [(23.0, DECK - 1.0), (22.4, 40.0), (17.0, 46.0)]
    hoop = [(-x, y, z) for x, z in corners] + [(x, y, z) for x, z in reversed(corners)]
    brace = pipe([(21.6, y, 41.0), (23.4, HEAD - 11, 40.5), (24.6, HEAD - 19.5, WALL - 0.4)], 1.9, 4.0, 6, 2)
    foot = pad((3.4, 3.8, 1.5), (24.9, HEAD - 19.6, WALL + 0.6), bevel=0.4)
    clamp = rod(3.6, 2.2, (22.1, y, 39.6), (-0.1, 0, 1), 0.0, 8)
    guard = [bar((x, HEAD - 1.0, WALL - 0.4), (x, y, 45.9), 1.5, 4) for x in (-14.0, -7.0, 0.0, 7.0, 14.0)]
    return union([pipe(hoop, 2.4, 3.0, 8, 2), mirrored(union([brace, foot, clamp])), *guard, *_lamps()])


def _lamps() -> list[Manifold]:
    lamps = []
    outline = [(0, 0), (2.2, 0), (2.6, 2.4), (2.2, 2.4), (2.0, 1.5), (0, 1.5)]
    for x in (-9.0, 9.0):
        lamps += [
            revolved(outline, (x, HEAD - 3.0, 47.6), (0, -1, -0.35), 10),
            block((1.2, 1.2, 2.4), (x, HEAD - 3.0, 45.4)),
        ]
    return lamps
