"""What the hauler runs on: tyres, hubs, frame and axles, mudguards; and its fuel, between the wheels."""

import numpy as np
from manifold3d import Manifold

from models.source.details import around
from models.source.solids import (
    FRONT,
    RIGHT,
    UP,
    box,
    mirrored,
    outlined,
    placed,
    revolved,
    rod,
    solid_of,
    union,
)
from models.source.vehicle_shapes import across, block, faceted, pad, studs

AXLES = (32.0, -14.3, -39.7)  # mm: where the axles are along y, the steered one first
TRACK, RADIUS, HUB = 22.0, 12.5, 12.3  # mm: a wheel's middle from the middle line, its radius, its axis' height
LUGS = 10  # on either half of a tyre's tread
REAR = -52.0  # mm: the bed's rear end along y


def on_axles(wheel: Manifold, turns: np.ndarray) -> Manifold:
    """Six copies of a wheel about the z axis, its outer side up, each turned by its own angle (degrees)."""
    places = [(side, y) for y in AXLES for side in (-1, 1)]
    return union(
        placed(wheel.rotate((0, 0, turn)), (side * TRACK, y, HUB), (side, 0, 0))
        for (side, y), turn in zip(places, turns, strict=True)
    )


def tyres() -> Manifold:
    """All six tyres, each turned by another angle, flattened where they stand."""
    return on_axles(_tyre(), np.random.default_rng(5).uniform(0, 360, 6)).trim_by_plane(UP, 0.0)


def _tyre() -> Manifold:
    """A tyre about the z axis with deep slanting lugs that wrap its shoulders, open towards its upper side for a rim.

    Either half of the tread has a lug on every second facet, the lower one where the upper has none; the mesh is laid
    out row by row from the middle of the tread over a lug, or beside it, to the side wall.
    """
    count = 2 * LUGS
    upper, tread = _half_tread(count)
    lower = upper * [1, 1, -1] @ _turn(np.pi / LUGS)
    well = [_ring(count, 6.6, height, 0.8) for height in (4.2, 1.0)]
    size = len(upper)
    here, following = np.arange(count), (np.arange(count) + 1) % count
    before = (here - 1) % count
    side, rim, floor = 2 * count, 2 * size, 2 * size + count
    cap = np.stack([np.zeros(count - 2, int), np.arange(1, count - 1), np.arange(2, count)], axis=1)
    faces = [
        tread,
        tread[:, ::-1] + size,
        _strip(size + before, size + here, following, here),
        _strip(side + here, side + following, rim + following, rim + here),
        _strip(rim + here, rim + following, floor + following, floor + here),
        cap + floor,
        cap[:, ::-1] + size + side,
    ]
    return solid_of(np.concatenate([upper, lower, *well]), np.concatenate(faces))


def _half_tread(count: int) -> tuple[np.ndarray, np.ndarray]:
    """The upper half of a tyre's tread, shoulder and lugs: vertices (6 `count`, 3) in rows, faces (m, 3)."""
    narrow = np.where(np.arange(count) % 2, -0.13, 0.13)  # lugs begin on even facets and taper towards their tops
    rows: list[tuple[float, float, float | np.ndarray]] = [(11.0, 0.5, 0.0), (10.8, 4.3, 0.7), (9.4, 5.2, 0.8)]
    rows += [(RADIUS, 0.8, narrow), (RADIUS, 4.5, 0.7 + narrow), (11.5, 5.8, 0.8 + narrow)]
    vertices = np.concatenate([_ring(count, *row) for row in rows])
    first = np.arange(0, count, 2)
    last, following = first + 1, (first + 2) % count
    root, shoulder, wall, low, top, edge = np.arange(6) * count
    over = [
        _strip(a + first, a + last, b + last, b + first)
        for a, b in ((root, low), (low, top), (top, edge), (edge, wall))
    ]
    beside = [_strip(a + last, a + following, b + following, b + last) for a, b in ((root, shoulder), (shoulder, wall))]
    flank = [(root, shoulder, low), (shoulder, top, low), (shoulder, edge, top), (shoulder, wall, edge)]
    behind = [np.stack([a + last, b + last, c + last], axis=1) for a, b, c in flank]
    ahead = [np.stack([c + first, b + first, a + first], axis=1) for a, b, c in flank]
    return vertices, np.concatenate([*over, *beside, *behind, *ahead])


def _ring(count: int, radius: float, height: float, onward: float | np.ndarray) -> np.ndarray:
    """`count` points (count, 3) on a circle about the z axis, moved on by `onward` of the angle between two."""
    turn = (np.arange(count) + onward) * (2 * np.pi / count)
    return np.stack([radius * np.cos(turn), radius * np.sin(turn), np.full(count, height)], axis=1)


def _turn(angle: float) -> np.ndarray:
    """The matrix (3, 3) that turns row vectors by `angle` (radians) about the z axis."""
    cosine, sine = np.cos(angle), np.sin(angle)
    return np.array([[cosine, sine, 0], [-sine, cosine, 0], [0, 0, 1]])


def _strip(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> np.ndarray:
    """Two triangles for each quadrilateral whose corners a, b, c, d (n,) run anticlockwise."""
    return np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])


def hubs() -> Manifold:
    """The six wheels' steel: dished rims, wheel nuts, planetary hubs."""
    outline = [(0, 0.6), (7.2, 0.6), (7.2, 4.5), (6.6, 4.9), (5.5, 2.0), (0, 2.0)]
    nuts = studs(around(8.6, 5, (0, 0, 2.0), UP), UP, 1.5)
    hub = rod(5.6, 2.4, (0, 0, 1.8), bevel=0.0, sides=10, top=4.4) + rod(
        3.0, 1.3, (0, 0, 3.9), bevel=0.0, sides=6, top=2.6
    )
    wheel = union([revolved(outline, sides=14), nuts, hub])
    return on_axles(wheel, np.array([0, 17, 40, 5, 29, 52]))


def chassis() -> Manifold:
    """Frame rails, axles with differentials, springs, the tow hitch."""
    solids = [block((3.6, 97.0, 6.4), (x, -2.5, 15.2)) for x in (-8.5, 8.5)]
    for y in AXLES:
        solids.append(rod(4.0, 36.0, (-18.0, y, HUB), RIGHT, 0.0, 6))
        solids.append(rod(8.4, 7.0, (-3.5, y, HUB), RIGHT, 0.0, 8))
        solids.append(mirrored(_suspension(y)))
    hitch = [block((20.0, 3.0, 5.0), (0, -50.6, 16.0)), box((3.2, 3.4, 2.4), (0, -52.9, 17.0), 0.5)]
    return union([*solids, *hitch])


def _suspension(y: float) -> Manifold:
    """The right side's spring pack on an axle, and the strap that holds it."""
    pack = [(y - 11.4, 15.6), (y - 11.4, 14.2), (y - 4.0, 11.2), (y + 4.0, 11.2), (y + 11.4, 14.2), (y + 11.4, 15.6)]
    spring = across(outlined([*pack, (y, 14.2)], 2.9, 0.0), 10.0)
    return spring + block((3.2, 3.2, 5.6), (11.6, y, 8.4))


def mudguards() -> Manifold:
    """Angular guards over the steered wheels with riveted seams, and flaps before and behind the rear wheels."""
    corners = np.radians([12, 42, 66, 114, 138, 166])
    ring = np.stack([np.cos(corners), np.sin(corners)], axis=1)
    middle = np.array([AXLES[0], HUB])
    guard = across(outlined(np.concatenate([ring * 15.6, ring[::-1] * 14.3]) + middle, 13.0, 0.0), 14.9)
    rim = across(outlined(np.concatenate([ring * 15.9, ring[::-1] * 13.3]) + middle, 1.2, 0.35), 27.2)
    seams = []
    for first, last, places in ((0, 1, (17.4, 25.6)), (1, 2, (25.6,)), (2, 3, (17.4, 25.6)), (3, 4, (25.6,))):
        out = np.append(0.0, ring[first] + ring[last])
        middles = [(ring[first] * share + ring[last] * (1 - share)) * 15.6 + middle for share in (0.2, 0.8)]
        seams.append(studs([(x, *at) for x in places for at in middles], out, 1.3))
    back = (0, -1, 0.1)
    flap = [pad((11.0, 19.4, 1.0), (22, -52.3, 17.0), back, UP)]
    flap += [pad((11.4, 1.4, 1.6), (22, -52.3 - 0.1 * (17.0 - z), z), back, UP, 0.5) for z in (11.0,)]
    return mirrored(union([guard, rim, *seams, *flap, _front_flap()]))


def _front_flap() -> Manifold:
    """A sloping plate from the right of the bed down before the foremost rear wheel."""
    out = np.array([0, 10.8, 4.3]) / np.hypot(10.8, 4.3)
    plate = pad((11.2, 11.6, 1.2), (22, -3.05 - 0.6 * out[1], 20.8 - 0.6 * out[2]), out, UP, 0.4)
    return plate + studs([(x, -1.3, 19.0 - 0.9) for x in (18.0, 26.0)], out, 1.5)


# ---- fuel


def fuel_cans() -> Manifold:
    """A rack of three fuel cans under the left door, and a fuel tank with straps and a filler under the right."""
    cans = [_can().translate((-22.6, y, 8.4)) for y in (3.2, 8.6, 14.0)]
    frame = [block((8.4, 17.6, 1.2), (-21.8, 8.6, 7.4)), block((1.1, 17.6, 1.5), (-26.2, 8.6, 12.8))]
    frame += [block((1.2, 1.3, 6.0), (-26.15, y, 7.9)) for y in (0.5, 16.7)]
    frame += [block((8.6, 1.2, 1.2), (-21.8, y, 13.0)) for y in (0.5, 16.7)]
    side = [(0, 0), (3.6, 0), (4.5, 0.9), (4.5, 2.8), (5.0, 2.8), (5.0, 4.4), (4.5, 4.4)]
    outline = [*side, *((radius, 16.6 - y) for radius, y in reversed(side))]
    tank = revolved(outline, (20.6, 0.2, 12.4), FRONT, 12)
    filler = rod(3.4, 2.2, (23.0, 8.0, 15.4), (0.5, 0, 1), 0.4, 8)
    step = pad((8.0, 16.0, 1.0), (22.8, 8.4, 18.1), bevel=0.3)
    brackets = [block((2.0, 1.6, 5.2), (20.0, y, 15.0)) for y in (2.6, 14.2)]
    return union([*cans, *frame, tank, filler, step, *brackets])


def _can() -> Manifold:
    """A jerrycan on z = 0: pressed panel, three handles, a spout; its broad sides face front and back."""
    low = [(x, y, z) for x in (-3.3, 3.3) for y in (-2.2, 2.2) for z in (0, 8.4)]
    body = faceted([*low, *((x, y, 9.6) for x in (-2.2, 3.2) for y in (-2.0, 2.0))], 0.5)
    panel = pad((2.2, 4.6, 0.6), (-3.2, 0, 4.3), (-1, 0, 0), UP, 0.25)
    grip = [(-1.8, 9.2), (-1.4, 10.9), (1.9, 10.9), (2.3, 9.2), (1.4, 9.2), (1.2, 10.1), (-0.8, 10.1), (-1.0, 9.2)]
    handles = [across(outlined(grip, 0.8, 0.0), y - 0.4).rotate((0, 0, -90)) for y in (-1.1, 1.1)]
    return union([body, panel, *handles, rod(1.9, 1.4, (-2.7, 0, 8.8), (-0.7, 0, 1), 0.0, 6)])
