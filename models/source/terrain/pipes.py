"""A run of process pipe on cradles: flanges, a valve with its wheel, riveted bands, a patch, a thin line beside it."""

import numpy as np
from manifold3d import Manifold

from models.source.details import around, bolts, chipped, dented, rivets
from models.source.paints import BRASS, CONCRETE, IRON, OXIDE, RUST
from models.source.solids import (
    FRONT,
    RIGHT,
    UP,
    bar,
    box,
    cut,
    mirrored,
    outlined,
    pipe,
    placed,
    regular,
    revolved,
    rod,
    union,
)
from models.source.writing import Sculpture

LONG, HIGH, BORE = 126.0, 19.0, 17.0  # mm: the run, its axis above the ground, its diameter


def sculpt() -> Sculpture:
    """The run along x; at its right end it bends down into the floor."""
    rng = np.random.default_rng(61)
    parts = {
        "pipe": union([_main(), *_flanges(), *_bands(), *_bonnet()]),
        "cradles": union([_cradle(rng).translate((x, 0, 0)) for x in (-50.0, -8.0, 32.0)]),
        "valve wheel": _wheel(),
        "line": _line(),
        "gauge": _gauge(),
        "footing": _footing(rng),
    }
    paints = {"pipe": RUST, "cradles": IRON, "valve wheel": OXIDE, "line": BRASS, "gauge": IRON, "footing": CONCRETE}
    return Sculpture("pipes", parts, paints)


def _main() -> Manifold:
    """The pipe itself, open at its left end, dented here and there."""
    end = LONG / 2 - 12
    run = pipe([(-LONG / 2, 0, HIGH), (end, 0, HIGH), (end, 0, 0.4)], BORE, 14.0, 32, 8)
    at = [(-36, 6, HIGH + 7), (12, 8, HIGH - 3), (22, -6, HIGH + 6), (-30, -8, HIGH)]
    push = [(0, -1.2, -1.4), (0, -1.6, 0.5), (0, 1.1, -1.3), (0, 1.8, 0)]
    run = dented(run, at, push, [9, 8, 8, 10], 3.2)
    return run - rod(BORE - 3.0, 9.0, (-LONG / 2 - 1, 0, HIGH), RIGHT, 0.0, 28)


def _flanges() -> list[Manifold]:
    """Bolted pairs along the run, one at the open end and one on the drop."""
    half = _flange(2.1).translate((0, 0, 0.2))
    pair = union([half, half.mirror(UP), rod(BORE + 3, 1.0, (0, 0, -0.5), bevel=0, sides=24)])
    at = [placed(pair, (x, 0, HIGH), RIGHT) for x in (-29.0, -15.0, 12.0)]
    mouth = cut(_flange(2.6), [rod(BORE - 3.0, 9, (0, 0, -3), bevel=0, sides=28)])
    drop = _flange(2.2).translate((LONG / 2 - 12, 0, 2.4))
    return [*at, placed(mouth, (-LONG / 2 + 2.3, 0, HIGH), (-1, 0, 0)), drop]


def _flange(thickness: float) -> Manifold:
    """A ring with eight bolts on its upper face, standing on z = 0."""
    plate = rod(BORE + 8.0, thickness, bevel=0.4, sides=28)
    return plate + bolts(around(BORE + 4.6, 8, (0, 0, thickness)), UP, 1.9)


def _bands() -> list[Manifold]:
    """Riveted repair bands, a welded patch, and weld beads."""
    solids = []
    for x, width in ((-42.0, 5.0), (24.0, 4.0)):
        band = rod(BORE + 1.5, width, (x, 0, HIGH), RIGHT, 0.3, 32)
        solids.append(band)
        for end in (1.1, width - 1.1):
            for turn in np.arange(0, 360, 30):
                out = (0.0, float(np.cos(np.radians(turn))), float(np.sin(np.radians(turn))))
                reach = BORE / 2 + 0.72
                solids.append(rivets([(x + end, out[1] * reach, HIGH + out[2] * reach)], out, 0.95, 6))
    collar = rod(BORE + 1.2, 9.5, bevel=0.3, sides=32) ^ box((40, 11, 20), (0, 12, -2), 0)
    solids.append(placed(collar, (-2.0, 0, HIGH), RIGHT, FRONT))
    solids += [rod(BORE + 0.9, 0.8, (x, 0, HIGH), RIGHT, 0.3, 28) for x in (1.0, 38.5)]
    return solids


def _bonnet() -> list[Manifold]:
    """The valve between the two left flanges: a globe, a neck, a gland."""
    x = -22.0
    globe = Manifold.sphere(1.0, 28).scale((7.4, 11.6, 11.6)).translate((x, 0, HIGH))
    ribs = [rod(24.2, 1.2, (x - 0.6, 0, HIGH), RIGHT, 0.4, 28)]
    neck = rod(11.0, 6.0, (x, 0, HIGH + 8), UP, 0.4, 20, top=9.0)
    plate = rod(14.0, 1.8, (x, 0, HIGH + 13.4), UP, 0.4, 20)
    cap = rod(13.0, 1.6, (x, 0, HIGH + 15.0), UP, 0.4, 6)
    heads = bolts(around(11.4, 6, (x, 0, HIGH + 16.5)), UP, 1.5)
    gland = rod(6.0, 5.0, (x, 0, HIGH + 16), UP, 0.5, 12, top=4.2)
    stem = bar((x, 0, HIGH + 18), (x, 0, HIGH + 29), 2.0, 10, 0.4)
    yoke = [bar((x, y, HIGH + 15), (x, y * 0.55, HIGH + 24.0), 1.7, 8) for y in (-4.6, 4.6)]
    return [globe, *ribs, neck, plate, cap, heads, gland, stem, *yoke, box((2.6, 7.4, 1.9), (x, 0, HIGH + 23.0), 0.4)]


def _wheel() -> Manifold:
    """The hand wheel: a bent rim, five spokes and a nut, leaning a little."""
    rim = revolved(regular(8, 2.2) + np.array([7.6, 0]), sides=30)
    spokes = [
        bar((0, 0, 0.6), (7.6 * np.cos(turn), 7.6 * np.sin(turn), 0), 1.5, 8) for turn in np.arange(5) * 2 * np.pi / 5
    ]
    hub = rod(4.2, 2.6, (0, 0, -0.9), bevel=0.5, sides=12) + bolts([(0, 0, 1.6)], UP, 2.2)
    return placed(union([rim, *spokes, hub]), (-22.0, 0, HIGH + 26.6), (0.05, 0.03, 1.0))


def _cradle(rng: np.random.Generator) -> Manifold:
    """A steel cradle on a bolted foot, with a strap over the pipe."""
    side = [(-12, 1.6), (12, 1.6), (10.6, 12), (9.9, HIGH), (-9.9, HIGH), (-10.6, 12)]
    window = outlined(regular(8, 6.4), 9, 0)
    cheek = placed(outlined(side, 1.5, 0.3), (0, 0, 0), FRONT, UP).rotate((0, 0, 90))
    holes = [placed(window, (-4, y, 6.0), RIGHT, UP) for y in (-5.8, 5.8)]
    cheeks = [cut(cheek.translate((x, 0, 0)), holes) for x in (-2.6, 2.6 + 1.5)]
    web = box((5.4, 1.4, 8.6), (0.8, 0, 1.4), 0.2)
    foot = chipped(box((11, 30, 2.2), (0.8, 0, 0), 0.5), rng, 12, 1.4)
    heads = bolts([(x, y, 2.1) for x in (-2.4, 4.0) for y in (-13.1, 13.1)], UP, 1.9)
    strap = rod(BORE + 2.2, 3.4, (-0.9, 0, HIGH), RIGHT, 0.35, 32)
    ears = mirrored(
        box((3.4, 4.2, 1.7), (0.8, 10.8, HIGH - 0.6), 0.35) + bolts([(0.8, 11.4, HIGH + 1.0)], UP, 1.6), FRONT
    )
    return union([*cheeks, web, foot, heads, strap, ears]) - rod(BORE - 2, 14, (-7, 0, HIGH), RIGHT, 0, 24)


def _line() -> Manifold:
    """A thin line that climbs, crosses under the run's clips and dips, with unions at its joints."""
    y = 13.0
    path: list[tuple[float, float, float]] = [
        (-58, y, 0),
        (-58, y, 11),
        (-34, y, 11),
        (-34, y, 25),
        (2, y, 25),
        (2, y, 10),
        (44, y, 10),
        (44, y, 0),
    ]
    nuts = [
        ((-58, y, 3), UP),
        ((-46, y, 11), RIGHT),
        ((-34, y, 17), UP),
        ((-14, y, 25), RIGHT),
        ((2, y, 17), UP),
        ((24, y, 10), RIGHT),
    ]
    joints = [rod(4.8, 2.8, at, along, 0.4, 6) for at, along in nuts]
    feet = [rod(8.0, 1.4, (x, y, 0), UP, 0.35, 14) for x in (-58, 44)]
    clips = [box((1.8, 5.0, 4.2), (x, y - 1.6, z - 2.1), 0.4) for x, z in ((-8.0, 25), (33.0, 10))]
    return union([pipe(path, 3.2, 4.5, 12, 5), *joints, *feet, *clips])


def _gauge() -> Manifold:
    """A pressure gauge on a stub, its needle in relief."""
    x, z = 18.0, HIGH + 8
    stub = bar((x, 0, z - 1), (x, 0, z + 5), 2.0, 8) + rod(3.6, 1.8, (x, 0, z), UP, 0.4, 6)
    case = rod(8.0, 3.4, (0, 0, -1.7), bevel=0.5, sides=20) - rod(6.4, 2, (0, 0, 1.2), bevel=0, sides=20)
    marks = union(box((0.5, 1.0, 0.5), (0, 2.3, 1.0), 0).rotate((0, 0, turn)) for turn in range(-120, 121, 40))
    needle = box((0.7, 2.8, 0.6), (0, 0.9, 1.0), 0.1).rotate((0, 0, -40)) + rod(
        1.3, 0.8, (0, 0, 1.0), bevel=0.2, sides=8
    )
    return union([stub, placed(union([case, marks, needle]), (x, 0, z + 8.4), (0, 1, 0.25), UP)])


def _footing(rng: np.random.Generator) -> Manifold:
    """The concrete kerb that the drop goes into."""
    kerb = chipped(box((31, 31, 2.6), (LONG / 2 - 12, 0, 0), 0.7), rng, 22, 2.6)
    return kerb - rod(BORE - 2, 9, (LONG / 2 - 12, 0, -2), bevel=0, sides=24)
