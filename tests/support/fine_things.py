"""Cases of sight with what is finer than samples: dots, wires, holes, slits, bars, bits, and thin parts of the target.

Sizes are in mm at the target, as it looks from the eye.
"""

from __future__ import annotations

import numpy as np
import shapely
from shapely import Polygon
from shapely.affinity import translate

from silhouette.meshes.mesh import Mesh
from tests.support import shapes
from tests.support.sight_cases import (
    GRID,
    Case,
    Screen,
    any_eye,
    any_pixel,
    any_target,
    bars,
    box_from,
    disc,
    rectangle,
    scattered,
)

Random = np.random.Generator


def _size(random: Random, least: float = 0.02, most: float = 0.5) -> float:
    """Any order of magnitude alike."""
    return float(np.exp(random.uniform(np.log(least), np.log(most))))


def _screen(random: Random, target: Mesh, eye: np.ndarray, nearest: float = 0.1) -> Screen:
    """Before the target, anywhere on the way to it; a third of them lean."""
    size = float(np.linalg.norm(np.ptp(target.bounds, axis=0)))
    farthest = 1.0 - 0.8 * size / float(np.linalg.norm(target.bounds.mean(axis=0) - eye))
    lean = random.uniform(-0.004, 0.004, 2) if random.random() < 0.3 else (0.0, 0.0)
    return Screen.before(target, eye, float(random.uniform(nearest, max(farthest, nearest))), tuple(lean))


def _turn(random: Random) -> float:
    """Any angle, one along the sampling grid or climbing it in equal steps, or upright or level."""
    kind = random.integers(3)
    if kind == 0:
        return float(random.uniform(0, 180))
    return float(random.choice(GRID)) * float(random.choice([-1, 1])) + 90.0 * float(random.integers(2))


def _part(random: Random, outline: np.ndarray, share: float) -> Polygon:
    """About this share of the rectangle round a target, from one side."""
    u, v, right, top = outline
    if random.random() < 0.5:
        return shapely.box(u - 9, v - 9, u + share * (right - u), top + 9)
    return shapely.box(u - 9, v - 9, right + 9, v + share * (top - v))


def _beside(random: Random, target: Mesh, screen: Screen) -> list[Mesh]:
    """Half of the time, something that hides about half of the target, so that little decides."""
    if random.random() < 0.5:
        return []
    return [screen.draw(_part(random, screen.outline(target), random.uniform(0.45, 0.55)))]


def dots(random: Random) -> Case:
    """Up to 90 dots before a target."""
    target = any_target(random)
    eye = any_eye(random, target)
    screen = _screen(random, target, eye)
    count, size = int(_size(random, 1, 90)), _size(random)
    shape = disc((0, 0), size, int(random.integers(3, 8)))
    mesh = screen.draw(scattered(random, shape, screen.outline(target), count))
    return Case(target, (mesh, *_beside(random, target, _screen(random, target, eye))), eye, pixel=any_pixel(random))


def dots_in_rows(random: Random) -> Case:
    """Dots a whole number of pixels apart along the sampling grid, before a target of which about half is hidden."""
    target = any_target(random, ("plate", "box"))
    eye = any_eye(random, target)
    screen, outline = _screen(random, target, eye), None
    outline = screen.outline(target)
    apart, size = 0.1 * float(random.integers(8, 25)), _size(random, 0.02, 0.4)
    angle, reach = np.radians(float(random.choice(GRID[:2]))), 5.5 * apart
    across = np.arange(-reach, reach, apart) + random.uniform(0, apart)
    u, v = (grid.ravel() for grid in np.meshgrid(across, across))
    places = np.column_stack([u * np.cos(angle) - v * np.sin(angle), u * np.sin(angle) + v * np.cos(angle)])
    places = places[np.all((places > outline[:2]) & (places < outline[2:]), axis=1)]
    square = rectangle((0, 0), size, size, float(np.degrees(angle)))
    drawn = shapely.MultiPolygon([translate(square, *place) for place in (places if len(places) else [(0.0, 0.0)])])
    return Case(target, (screen.draw(drawn), *_beside(random, target, screen)), eye)


def holes(random: Random) -> Case:
    """A plate with holes in rows before about half of a target."""
    target = any_target(random, ("plate", "box", "figure"))
    eye = any_eye(random, target)
    screen = _screen(random, target, eye)
    outline = screen.outline(target)
    plate = _part(random, outline, random.uniform(0.35, 0.75))
    low, high = np.maximum(outline[:2], plate.bounds[:2]), np.minimum(outline[2:], plate.bounds[2:])
    apart = max(float(random.uniform(0.6, 2.5)), float(np.sqrt(np.prod(high - low) / 40)))
    size = min(_size(random, 0.05, 0.5), 0.6 * apart)
    u, v = np.meshgrid(np.arange(low[0], high[0], apart), np.arange(low[1], high[1], apart))
    shape = disc((0, 0), size, 6) if random.random() < 0.5 else rectangle((0, 0), size, size, _turn(random))
    cut = shapely.union_all([translate(shape, *place) for place in zip(u.ravel(), v.ravel(), strict=True)])
    return Case(target, (screen.draw(plate.difference(cut)),), eye, pixel=any_pixel(random))


def wires(random: Random) -> Case:
    """Up to eight wires of 0.005 to 0.3 mm, short or right across."""
    target = any_target(random)
    eye = any_eye(random, target)
    blockers = []
    for _ in range(int(random.integers(1, 9))):
        screen = _screen(random, target, eye)
        outline = screen.outline(target)
        middle = random.uniform(outline[:2], outline[2:])
        wire = rectangle(middle, float(random.choice([3.0, 10.0, 150.0])), _size(random, 0.005, 0.3), _turn(random))
        blockers.append(screen.draw(wire))
    if random.random() < 0.5:
        blockers = [shapes.joined(*blockers)]
    return Case(target, (*blockers, *_beside(random, target, _screen(random, target, eye))), eye)


def rods(random: Random) -> Case:
    """Rods of 0.01 to 0.2 mm, square in section, anywhere in space."""
    target = any_target(random)
    eye = any_eye(random, target)
    low, high = target.bounds
    blockers = []
    for _ in range(int(random.integers(1, 6))):
        place = eye + random.uniform(0.3, 0.95) * (random.uniform(low, high) - eye)
        thick = _size(random, 0.01, 0.2)
        size = random.permutation([thick, thick, float(random.choice([2.0, 8.0, 60.0]))])
        blockers.append(box_from(place, size, float(random.uniform(0, 90))))
    return Case(target, tuple(blockers), eye, pixel=any_pixel(random))


def _hiding_wall(target: Mesh, screen: Screen) -> Polygon:
    u, v, right, top = screen.outline(target)
    return shapely.box(u - 8, v - 8, right + 8, top + 8)


def pinholes(random: Random) -> Case:
    """A wall that hides all, but for up to four holes of 0.01 to 0.5 mm; they may be beside the target."""
    target = any_target(random)
    eye = any_eye(random, target)
    screen = _screen(random, target, eye)
    count, size = int(random.integers(1, 5)), _size(random, 0.01, 0.5)
    shape = disc((0, 0), size, int(random.integers(3, 9)))
    cut = scattered(random, shape, screen.outline(target), count)
    return Case(target, (screen.draw(_hiding_wall(target, screen).difference(cut)),), eye, pixel=any_pixel(random))


def slits(random: Random) -> Case:
    """A wall that hides all, but for a slit of 0.005 to 0.1 mm, or whose two parts are that far apart."""
    target = any_target(random)
    eye = any_eye(random, target)
    screen = _screen(random, target, eye)
    u, v, right, top = screen.outline(target)
    wide, long = _size(random, 0.005, 0.1), float(random.choice([1.0, 10.0, 300.0]))
    slit = rectangle(random.uniform((u, v), (right, top)), long, wide, _turn(random))
    rest = _hiding_wall(target, screen).difference(slit)
    parts = list(rest.geoms) if rest.geom_type == "MultiPolygon" else [rest]
    if random.random() < 0.5 or len(parts) == 1:
        return Case(target, (screen.draw(rest),), eye, pixel=any_pixel(random))
    return Case(target, tuple(screen.draw(part) for part in parts), eye, pixel=any_pixel(random))


def seams(random: Random) -> Case:
    """A wall that hides all, of parts that only touch: nothing is seen between them."""
    target = any_target(random)
    eye = any_eye(random, target)
    screen = _screen(random, target, eye)
    u, v, right, top = _hiding_wall(target, screen).bounds
    across, up = np.sort(random.uniform((u, v), (right, top), (3, 2)), axis=0).T
    columns, rows = [u, *across, right], [v, *up, top]
    parts = [
        screen.draw(shapely.box(left, low, columns[i + 1], rows[j + 1]))
        for i, left in enumerate(columns[:-1])
        for j, low in enumerate(rows[:-1])
    ]
    blockers = tuple(parts) if random.random() < 0.3 else (shapes.joined(*parts),)
    return Case(target, blockers, eye, pixel=any_pixel(random))


def combs(random: Random) -> Case:
    """Bars a whole number of pixels apart, at every angle, those of the sampling grid among them."""
    target = any_target(random, ("plate", "box"))
    eye = any_eye(random, target)
    screen = Screen.before(target, eye, float(random.uniform(0.2, 0.9)))
    pixel = float(random.choice([0.1, 0.1, 0.2]))
    period = pixel * float(random.choice([2, 4, 5, 5, 8, 10]))
    width = period * float(random.choice([0.5, 0.5, 0.2, 0.9, random.uniform(0.1, 0.9)]))
    reach = min(12.0, 20 * period)
    comb = bars(reach, width, period, _turn(random), float(random.random()))
    return Case(target, (screen.draw(comb),), eye, pixel=pixel)


def gratings(random: Random) -> Case:
    """Bars of any width, leaning, one comb before another."""
    target = any_target(random)
    eye = any_eye(random, target)
    blockers = []
    for _ in range(int(random.integers(1, 3))):
        period = float(random.uniform(0.3, 2.0))
        comb = bars(min(10.0, 12 * period), period * random.uniform(0.05, 0.95), period, _turn(random))
        blockers.append(_screen(random, target, eye).draw(comb))
    return Case(target, tuple(blockers), eye, pixel=any_pixel(random))


def bits(random: Random) -> Case:
    """A target of 20 to 150 bits of 0.02 to 0.3 mm, and a wall before some of them."""
    count, size = int(random.integers(20, 151)), _size(random, 0.02, 0.3)
    ends = random.uniform((-8, -4, 0), (8, 4, 20), (count, 3))
    turns = random.normal(size=(count, 2, 3))
    turns /= np.linalg.norm(turns, axis=2, keepdims=True)
    corners = np.stack([ends, ends + size * turns[:, 0], ends + size * turns[:, 1]], axis=1)
    target = shapes.mesh(corners.reshape(-1, 3), np.arange(3 * count))
    x, y, _ = target.bounds.mean(axis=0)
    eye = np.array([x, y - random.uniform(60, 400), random.uniform(5, 60)])
    screen = Screen.before(target, eye, float(random.uniform(0.1, 0.9)))
    return Case(target, (screen.draw(_part(random, screen.outline(target), random.uniform(0.1, 1.1))),), eye)


def thin_targets(random: Random) -> Case:
    """A target that is a comb or has hairs, of 0.02 to 0.4 mm, and a wall before some of it."""
    body = any_target(random, ("plate", "box"))
    eye = any_eye(random, body)
    behind = Screen.before(body, eye, 1.0)
    u, v, right, top = behind.outline(body)
    hairs = [
        rectangle((random.uniform(u, right), top), _size(random, 0.02, 0.4), float(random.uniform(3, 25)), turn)
        for turn in random.uniform(-30, 30, int(random.integers(1, 12)))
    ]
    together = shapely.union_all(hairs)
    if random.random() < 0.4:
        together = bars(10.0, _size(random, 0.05, 0.4), float(random.uniform(0.5, 1.5)), _turn(random))
        target = behind.draw(together)
    else:
        target = shapes.joined(body, behind.draw(together))
    screen = Screen.before(target, eye, float(random.uniform(0.2, 0.8)))
    u, v, right, top = screen.outline(target)
    wall = shapely.box(u - 9, v - 9, right + 9, v + random.uniform(0.3, 1.0) * (top - v))
    return Case(target, (screen.draw(wall),), eye, pixel=any_pixel(random))


def needles(random: Random) -> Case:
    """A target hidden by a wall, but for a spike that is thinner than a pixel."""
    target = any_target(random, ("box", "figure", "ball"))
    low, high = target.bounds
    thick = _size(random, 0.005, 0.2)
    place = random.uniform(low, high)
    place[2] = high[2] + 2.0
    spike = box_from(place, (thick, thick, float(random.uniform(4, 20))), float(random.uniform(0, 90)))
    eye = any_eye(random, target)
    screen = _screen(random, target, eye)
    u, v, right, top = screen.outline(target)
    wall = screen.draw(shapely.box(u - 9, v - 9, right + 9, top + random.uniform(0.0, 3.0)))
    return Case(shapes.joined(target, spike), (wall,), eye, pixel=any_pixel(random))


def slivers(random: Random) -> Case:
    """A wall that ends up to 0.1 mm before the target's own outline does, or just there."""
    target = any_target(random, ("plate", "box", "ball"))
    eye = any_eye(random, target)
    screen = _screen(random, target, eye)
    outline = screen.outline(target)
    gap = float(random.choice([0.0, _size(random, 0.001, 0.1)])) * float(random.choice([-1, 1]))
    u, v, right, top = outline - [9, 9, -9, -9]
    side = int(random.integers(4))
    if random.random() < 0.5:  # all but a sliver
        ends = [outline[0] + gap, outline[1] + gap, outline[2] - gap, outline[3] - gap]
        wall = shapely.box(*[ends[i] if i == side else (u, v, right, top)[i] for i in range(4)])
    else:  # nothing but a sliver
        near = [(u, v, outline[0] + gap, top), (u, v, right, outline[1] + gap)]
        near += [(outline[2] - gap, v, right, top), (u, outline[3] - gap, right, top)]
        wall = shapely.box(*near[side])
    return Case(target, (screen.draw(wall),), eye, pixel=any_pixel(random))
