"""A cargo hauler of the wastes: six deep-lugged wheels, a riveted cab behind a ram, a loaded bed, a manned twin gun.

The truck drives towards +y. Its hull is of sloped plates; what it runs on and carries is in `vehicle_parts` and
`vehicle_load`, the gun and its gunner in `vehicle_gun`.
"""

import numpy as np
from manifold3d import Manifold

from models.source import vehicle_gun, vehicle_load, vehicle_parts
from models.source.details import around, chipped, row
from models.source.paints import CLOTH, IRON, OCHRE, OLIVE, OXIDE, RUST, STEEL
from models.source.skin import lightened, outer
from models.source.solids import (
    FRONT,
    RIGHT,
    UP,
    bar,
    beam,
    box,
    cut,
    mirrored,
    outlined,
    pipe,
    placed,
    revolved,
    rod,
    union,
)
from models.source.vehicle_parts import AXLES, HUB
from models.source.vehicle_shapes import block, faceted, pad, raised, studs
from models.source.writing import Material, Sculpture

KEPT = 0.77  # of the triangles
BELT, ROOF = 29.0, 41.0  # mm: the cab's widest line and its roof
RUBBER = Material("rubber", (0.06, 0.06, 0.06), 0.95)
LEATHER = Material("leather", (0.30, 0.20, 0.13), 0.9)

DOOR_UP = np.array([-4.0, 0.0, 12.0]) / np.hypot(4.0, 12.0)  # up the slope of the cab's right side, above its belt
DOOR_OUT = np.array([12.0, 0.0, 4.0]) / np.hypot(4.0, 12.0)
SCREEN_UP = np.array([0.0, -8.0, 12.0]) / np.hypot(8.0, 12.0)  # the same for its windscreen
SCREEN_OUT = np.array([0.0, 12.0, 8.0]) / np.hypot(8.0, 12.0)


def sculpt() -> Sculpture:
    """The hauler with its crew at the gun."""
    parts = {
        "hull": _lean(hull()),
        "ram": _lean(ram()),
        "chassis": _lean(vehicle_parts.chassis()),
        "mudguards": _lean(vehicle_parts.mudguards()),
        "tyres": vehicle_parts.tyres(),
        "wheel hubs": vehicle_parts.hubs(),
        "bed": _lean(vehicle_load.bed()),
        "roll cage": _lean(vehicle_load.roll_cage()),
        "crates": _lean(vehicle_load.crates()),
        "drums": _lean(vehicle_load.drums()),
        "tarpaulin": _lean(vehicle_load.tarpaulin()),
        "fuel cans": _lean(vehicle_parts.fuel_cans()),
        "gun mount": _lean(vehicle_gun.mount()),
        "gun barrels": _lean(vehicle_gun.barrels()),
        "gunner": vehicle_gun.gunner(),
        "gunner's helmet": vehicle_gun.helmet(),
        "exhausts": _lean(exhausts()),
        "aerial": aerial(),
    }
    paints = {
        "hull": OCHRE,
        "ram": STEEL,
        "chassis": IRON,
        "mudguards": OCHRE,
        "tyres": RUBBER,
        "wheel hubs": OXIDE,
        "bed": RUST,
        "roll cage": IRON,
        "crates": OLIVE,
        "drums": OXIDE,
        "tarpaulin": CLOTH,
        "fuel cans": OLIVE,
        "gun mount": IRON,
        "gun barrels": STEEL,
        "gunner": LEATHER,
        "gunner's helmet": OLIVE,
        "exhausts": STEEL,
        "aerial": IRON,
    }
    return Sculpture("hauler", parts, paints)


def _lean(solid: Manifold) -> Manifold:
    """The solid without the slivers that its many joints leave on flat faces, which is about a fifth of all."""
    return outer(lightened(solid, round(KEPT * solid.num_tri())))


# ---- hull


def hull() -> Manifold:
    """Cab and bonnet, cut out over the wheels, with all that is bolted to them."""
    rng = np.random.default_rng(3)
    wells = [rod(29.0, 20.0, (side * 15.6, AXLES[0], HUB), (side, 0, 0), 0.0, 18) for side in (-1, 1)]
    hatch = rod(12.6, 8.0, (0, 9.0, ROOF - 4.6), bevel=0.0, sides=16)
    body = chipped(cut(_cab() + _bonnet(), wells), rng, 10, 1.6)
    doubled = [_door(), _windscreen(), _lamp(), _silencer()]
    fittings = [mirrored(union(doubled)), *_roof(), *_radiator(), *_bonnet_fittings(), *_scoop()]
    return cut(union([body, *fittings]), [*_slits(), hatch])


def _cab() -> Manifold:
    """The cab: narrower at the roof and at the sills than at its belt."""
    belt = [(x, y, z) for x in (-21.5, 21.5) for y in (0.6, 26.0) for z in (BELT - 4.0, BELT)]
    upper = faceted([*belt, *((x, y, ROOF) for x in (-17.5, 17.5) for y in (2.4, 18.0))], 0.6)
    sills = [(x, y, 14.0) for x in (-18.4, 18.4) for y in (1.2, 25.4)]
    lower = Manifold.hull_points([*((x, y, BELT - 3.0) for x in (-20.9, 20.9) for y in (1.2, 25.4)), *sills])
    return upper + lower


def _bonnet() -> Manifold:
    """The bonnet: two slopes on either side of a flat top, falling towards the nose."""
    ends = ((24.0, 24.0, 9.0, 14.6, 34.5, 30.5), (45.6, 46.4, 7.0, 11.8, 30.4, 26.6))
    points = []
    for top_y, y, top, half, crest, shoulder in ends:
        points += [(way * top, top_y, crest) for way in (-1, 1)]
        points += [(way * half, y, z) for way in (-1, 1) for z in (12.4, shoulder)]
    return faceted(points, 0.6)


def _door() -> Manifold:
    """The right door: two bolted plates with hinges, a hooded vision slit, a handle; a grab rail; the belt."""
    outline = [(-7.2, 0.5), (7.2, 0.5), (7.2, 7.6), (4.4, 10.6), (-7.2, 10.6)]
    heads = [(x, y, 1.0) for x, y in ((-6.1, 1.7), (0.0, 1.7), (6.1, 1.7), (-6.1, 9.3), (6.1, 7.0), (3.9, 9.4))]
    hood = [(x, y, z) for x in (-4.6, 3.4) for y, z in ((7.5, 0.6), (9.3, 0.6), (7.5, 2.3), (7.9, 2.5))]
    hinges = [rod(1.8, 3.0, (7.9, y, 0.5), FRONT, 0.0, 6) for y in (1.4, 4.8)]
    rail = pipe([(-9.2, 1.0, 0), (-9.2, 1.0, 2.0), (-9.2, 9.4, 2.0), (-9.2, 9.4, 0)], 1.2, 0.9, 5, 1)
    upper = union([raised(outline, 1.0), studs(heads, UP, 1.2), Manifold.hull_points(hood), *hinges, rail])
    plate = [(-7.2, -9.2), (5.4, -9.2), (7.2, -7.0), (7.2, -0.9), (-7.2, -0.9)]
    knots = [(x, y, 1.0) for x, y in ((-6.1, -2.1), (6.1, -2.1), (-6.1, -8.0), (4.9, -8.0))]
    handle = pad((4.2, 1.0, 1.9), (-3.6, -3.6, 0.6), bevel=0.3)
    lower = union(
        [raised(plate, 1.0), studs(knots, UP, 1.2), handle, pad((7.6, 2.4, 0.8), (0.4, -6.4, 0.8), bevel=0.3)]
    )
    lower_up = np.array([2.5, 0.0, 12.0]) / np.hypot(2.5, 12.0)
    lower_out = np.array([lower_up[2], 0.0, -lower_up[0]])
    return union(
        [
            placed(upper, (21.4, 11.0, BELT), DOOR_OUT, DOOR_UP),
            placed(lower, (20.8, 11.0, BELT - 3.0), lower_out, lower_up),
            box((1.5, 24.4, 2.2), (21.4, 13.2, BELT - 3.6), 0.4),
        ]
    )


def _windscreen() -> Manifold:
    """The right half of the screen: a bolted shutter with a hooded slit, and half the rib in the middle."""
    outline = [(-1.3, 0.7), (-1.3, 12.0), (-13.4, 12.0), (-16.0, 8.6), (-18.0, 0.7)]
    heads = [(-x, y, 1.0) for x, y in ((2.5, 1.8), (9.4, 1.8), (16.5, 1.8), (2.5, 10.8), (13.0, 10.7), (15.4, 6.4))]
    hood = [(-x, y, z) for x in (2.6, 13.6) for y, z in ((8.0, 0.6), (10.4, 0.6), (8.0, 2.8), (8.4, 3.2))]
    sill = pad((10.8, 1.1, 1.4), (-8.0, 5.0, 0.5), bevel=0.3)
    rib = pad((2.2, 13.6, 2.2), (0.0, 6.6, -0.4), bevel=0.45)
    screen = union([raised(outline, 1.0), studs(heads, UP, 1.3), Manifold.hull_points(hood), sill, rib])
    return placed(screen, (0, 25.9, BELT), SCREEN_OUT, SCREEN_UP)


def _slits() -> list[Manifold]:
    """What is cut out for the eyes of the crew: two slits in the screen and one in each door."""
    screen = mirrored(block((9.6, 2.0, 6.0), (8.0, 6.6, -2.0)))
    side = block((6.6, 1.8, 5.0), (-0.6, 6.4, -2.0))
    doors = mirrored(placed(side, (21.4, 11.0, BELT), DOOR_OUT, DOOR_UP))
    return [placed(screen, (0, 25.9, BELT), SCREEN_OUT, SCREEN_UP), doors]


def _roof() -> list[Manifold]:
    """The hatch's coaming and open lid, a searchlight, a vent and the seams of the roof."""
    ring = [(6.2, -0.5), (8.6, -0.5), (8.6, 0.9), (8.1, 1.5), (6.2, 1.5)]
    coaming = revolved(ring, (0, 9.0, ROOF), sides=16)
    heads = studs([p for p in around(14.8, 10, (0, 9.0, ROOF + 1.5), UP, 18) if p[1] < 13], UP, 1.3)
    vent = [pad((5.0, 3.6, 1.9), (-13.0, 14.0, ROOF - 0.2), bevel=0.5)]
    vent += [block((0.7, 3.0, 0.7), (x, 14.0, ROOF + 1.4)) for x in (-14.4, -13.0, -11.6)]
    seam = studs([(x, y, ROOF) for x in (-16.0, 16.0) for y in (4.4, 8.4, 12.4, 16.4)], UP, 1.3)
    return [coaming, heads, *vent, seam, *_lid(), *_searchlight()]


def _lid() -> list[Manifold]:
    """The hatch's lid, thrown back on its hinge: dished, ribbed, with a grip."""
    disc = rod(14.6, 1.5, bevel=0.45, sides=16) - rod(12.0, 1.0, (0, 0, 0.9), bevel=0.0, sides=16)
    ribs = [
        block((12.6, 1.4, 0.6), (0, 0, 0.7)),
        block((3.6, 1.0, 1.6), (0, 3.4, 0.6)),
    ]
    lid = placed(union([disc, *ribs]), (0, -1.6, ROOF + 6.4), (0, 1, 0.42), UP)
    hinges = [block((2.0, 3.4, 2.4), (x, 1.6, ROOF - 0.8)) for x in (-3.2, 3.2)]
    return [lid, *hinges, rod(1.6, 9.0, (-4.5, 0.4, ROOF + 0.9), RIGHT, 0.0, 6)]


def _searchlight() -> list[Manifold]:
    """A searchlight on a foot at the roof's right front, a guard across its glass."""
    way = (0.25, 1.0, 0.05)
    outline = [(0, 0), (2.1, 0), (3.2, 2.2), (3.3, 4.2), (2.6, 4.2), (2.4, 3.0), (0, 3.0)]
    lamp = revolved(outline, (13.0, 12.6, ROOF + 3.6), way, 12)
    guard = block((0.8, 0.8, 6.0), (13.95, 16.4, ROOF + 0.8))
    return [lamp, guard, pad((2.4, 2.4, 1.6), (13.5, 14.8, ROOF - 0.3), bevel=0.3)]


def _radiator() -> list[Manifold]:
    """Slats in a frame at the nose."""
    frame = box((19.6, 3.0, 12.6), (0, 45.8, 14.2), 0.6) - block((16.4, 6.0, 9.6), (0, 48.6, 15.7))
    slats = [block((17.0, 1.8, 1.3), (0, 46.0, z)) for z in (16.4, 18.8, 21.2, 23.6)]
    return [frame, *slats, block((1.4, 2.4, 10.4), (0, 46.0, 15.4))]


def _bonnet_fittings() -> list[Manifold]:
    """Louvres, catches, a hinge and a radiator cap along the bonnet."""
    places = [(13.9 - 0.39 * i, 27.4 + 3.0 * i, 21.5) for i in range(6)]
    louvres = [
        placed(
            raised([(-0.9, 0), (0.9, 0), (0.9, 7.6 - 0.55 * i), (-0.9, 7.6 - 0.55 * i)], 1.2, 0.4), at, (1, 0.13, 0), UP
        )
        for i, at in enumerate(places)
    ]
    seam = studs(row((11.5, 26.6, 32.15), (9.6, 44.0, 28.95), 5), (0.57, 0.17, 0.8), 1.4)
    hinge = bar((0, 25.0, 34.35), (0, 45.4, 30.45), 1.2, 6)
    return [mirrored(union([*louvres, seam])), hinge, rod(3.2, 1.5, (0, 44.2, 30.2), (0, 0.18, 1), 0.4, 8)]


def _scoop() -> list[Manifold]:
    """An air scoop on a finned blower, through the bonnet."""
    base = block((9.6, 10.2, 4.6), (0, 35.0, 31.0))
    fins = [block((10.6, 0.9, 3.0), (0, y, 32.2)) for y in (31.2, 33.1, 35.0, 36.9, 38.8)]
    side = ((30.6, 35.0), (41.0, 35.0), (41.6, 38.6), (38.0, 39.4), (31.6, 37.0))
    horn = faceted([(x, y, z) for x in (-4.0, 4.0) for y, z in side], 0.5)
    blades = [block((0.7, 2.6, 2.6), (x, 40.0, 35.6)) for x in (-1.6, 1.6)]
    return [base, *fins, cut(horn, [block((6.4, 4.0, 2.1), (0, 41.2, 35.95))]), *blades]


def _silencer() -> Manifold:
    """The right silencer behind the cab, which an exhaust rises from, and the sill under the door."""
    side = [(0, 0), (2.4, 0), (3.2, 0.8), (3.2, 2.0), (3.5, 2.0), (3.5, 3.4), (3.2, 3.4)]
    outline = [*side, *((radius, 11.0 - z) for radius, z in reversed(side))]
    drum = revolved(outline, (19.6, -2.6, 19.6), UP, 9)
    down = bar((19.6, -2.6, 20.4), (17.0, -0.6, 15.6), 3.2, 8)
    return union([drum, down, block((3.0, 4.4, 2.6), (18.6, 0.4, 23.4)), box((3.0, 17.0, 3.0), (17.6, 9.4, 13.6), 0.5)])


def _lamp() -> Manifold:
    """The right headlamp on its bracket beside the bonnet, behind bars."""
    shell = revolved([(0, 0), (1.8, 0), (3.1, 1.8), (3.3, 4.6), (2.6, 4.6), (2.6, 3.8), (0, 3.8)], sides=12)
    bars = [block((0.7, 6.0, 0.7), (0, 0, 4.2)), block((6.0, 0.7, 0.6), (0, 0, 4.25))]
    lamp = placed(union([shell, *bars]), (16.2, 42.2, 28.6), FRONT, UP)
    return lamp + beam((10.6, 42.6, 24.8), (16.4, 43.6, 26.8), 2.2, 1.6, 0.0)


# ---- ram, exhausts, aerial


def ram() -> Manifold:
    """A plough of two toothed plates that meet in a prow, and the bar above it that guards the radiator."""
    prow = beam((0, 53.1, 3.4), (0, 51.2, 19.0), 3.4, 2.6, 0.7, FRONT)
    share = [(-1.4, 52, 3.2), (1.4, 52, 3.2), (0, 54.6, 4.4), (0, 52.4, 9.0), (-1.4, 51, 9.0), (1.4, 51, 9.0)]
    arm = beam((8.5, 42.0, 17.6), (8.5, 48.6, 12.9), 2.6, 4.0, 0.0)
    hoop = pipe([(-13.6, 47.6, 18.0), (-12.6, 48.6, 27.4), (12.6, 48.6, 27.4), (13.6, 47.6, 18.0)], 2.3, 3.5, 8, 2)
    posts = [bar((x, 49.8, 16.8), (x, 48.6, 27.4), 1.9, 6) for x in (-5.2, 5.2)]
    return union([mirrored(_ram_half() + arm), prow, Manifold.hull_points(share), hoop, *posts])


def _ram_half() -> Manifold:
    """The right half of the plough: a plate with teeth below, straps, bolts, stripes and a rolled upper edge."""
    rng = np.random.default_rng(8)
    along, up = np.array([22.0, -5.4, 0.0]), np.array([0.0, -1.9, 15.0])
    out = np.cross(up, along)
    out *= np.sign(out[1])
    teeth = [(-22.4 + 3.2 * i + 1.6 * half, (0.0, 2.8)[half]) for i in range(7) for half in (0, 1)]
    outline = [(0.8, 1.6), (0.8, 15.2), (-19.0, 15.2), (-23.6, 11.4), (-23.6, 2.6), *teeth]
    plate = chipped(outlined(outline, 1.7, 0.4), rng, 4, 1.6)
    straps = [pad((2.4, 11.2, 1.2), (x, 8.4, 1.3)) for x in (-6.4, -14.2)]
    heads = studs([(x, y, 2.5) for x in (-6.4, -14.2) for y in (4.6, 12.2)], UP, 1.6, 6)
    edge = pad((20.4, 2.2, 2.0), (-9.4, 14.4, 0.6), bevel=0.6)
    stripe = [(-2.9, 5.6), (-0.7, 5.6), (2.8, 11.8), (0.6, 11.8)]
    hazard = [
        raised(np.add(stripe, (x, 0.0)), 0.9, 0.2).translate((0, 0, 1.3))
        for x in (-1.6, -4.4, -8.8, -11.6, -17.0, -19.8)
    ]
    return placed(union([plate, *straps, heads, edge, *hazard]), (0, 52.0, 4.0), out, up)


def exhausts() -> Manifold:
    """The two stacks that rise behind the cab and lean out, each in a slotted shield."""
    path = [(19.6, -2.6, 29.6), (19.6, -2.6, 47.0), (21.4, -6.4, 52.6)]
    stack = pipe(path, 2.9, 4.0, 10, 3) - bar((20.9, -5.2, 50.9), (21.8, -7.2, 53.8), 2.1, 8)
    shield = rod(3.8, 9.0, (19.6, -2.6, 32.0), UP, 0.4, 10)
    slots = [
        block((1.1, 2.0, 5.6), (0, 1.9, 33.7)).rotate((0, 0, turn)).translate((19.6, -2.6, 0))
        for turn in (-90, -18, 54)
    ]
    return mirrored(union([stack, cut(shield, slots)]))


def aerial() -> Manifold:
    """A whip aerial on a sprung foot at the cab's left rear, bent back by the wind."""
    x, y = -15.4, 4.4
    foot = rod(2.6, 1.4, (x, y, ROOF - 0.3), bevel=0.3, sides=8)
    spring = union(rod(1.8, 0.6, (x, y, ROOF + 0.9 + 0.8 * i), bevel=0.0, sides=6) for i in range(2))
    whip = pipe([(x, y, ROOF), (x, y - 0.6, ROOF + 8), (x - 0.6, y - 5.0, ROOF + 19)], 0.8, 8.0, 5, 4)
    return union([foot, spring, whip, rod(1.4, 1.4, (x - 0.58, y - 4.7, ROOF + 18.2), (-0.05, -0.38, 1), 0.0, 6)])
