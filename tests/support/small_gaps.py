"""Cases of sight in which little is seen, or little hidden: gaps in what hides, thin parts and bits of targets, rims.

Sizes are in mm at the target, as it looks from the eye.
"""

from __future__ import annotations

import numpy as np
import shapely
from shapely import Polygon

from silhouette.common.geometry import unit
from silhouette.meshes.mesh import Mesh
from tests.support import shapes
from tests.support.sight_cases import (
    Case,
    Screen,
    any_eye,
    any_pixel,
    any_screen,
    any_size,
    any_target,
    any_turn,
    bars,
    box_from,
    disc,
    part_of,
    rectangle,
    scattered,
)

Random = np.random.Generator


def _hiding_wall(target: Mesh, screen: Screen) -> Polygon:
    u, v, right, top = screen.outline(target)
    return shapely.box(u - 8, v - 8, right + 8, top + 8)


def pinholes(random: Random) -> Case:
    """A wall that hides all, but for up to four holes of 0.01 to 0.5 mm; they may be beside the target."""
    target = any_target(random)
    eye = any_eye(random, target)
    screen = any_screen(random, target, eye, nearest=any_size(random, 0.02, 0.3))
    count, size = int(random.integers(1, 5)), any_size(random, 0.01, 0.5)
    shape = disc((0, 0), size, int(random.integers(3, 9)))
    wall = screen.draw(_hiding_wall(target, screen).difference(scattered(random, shape, screen.outline(target), count)))
    blockers = [wall]
    if random.random() < 0.3:  # something behind the wall, before part of the target
        behind = Screen.before(target, eye, min(1.2 * screen.depth / screen.distance, 0.95))
        blockers.append(behind.draw(part_of(random, behind.outline(target), random.uniform(0.2, 0.8))))
    return Case(target, tuple(blockers), eye, pixel=any_pixel(random))


def drilled(random: Random) -> Case:
    """A solid block that hides all, but for a hole drilled through it, straight: little of it is seen through."""
    target = any_target(random, ("plate", "box", "ball"))
    eye = any_eye(random, target)
    screen = Screen.before(target, eye, float(random.uniform(0.2, 0.8)))
    outline, size = screen.outline(target), any_size(random, 0.05, 1.0)
    hole = disc(random.uniform(0.7 * outline[:2], 0.7 * outline[2:]), size, int(random.integers(3, 9)))
    thick = any_size(random, 0.05, 2.0)
    return Case(
        target,
        (screen.drill(_hiding_wall(target, screen).difference(hole), thick),),
        eye,
        pixel=any_pixel(random),
    )


def double_walls(random: Random) -> Case:
    """Two walls that would hide all, each with holes and a slit: something is seen only where these fall together."""
    target = any_target(random, ("plate", "box", "ball"))
    eye = any_eye(random, target)
    blockers = []
    shape, slit = disc((0, 0), any_size(random, 0.05, 1.0), 6), any_size(random, 0.01, 0.3)
    for share in random.uniform((0.15, 0.5), (0.45, 0.85)):
        screen = Screen.before(target, eye, float(share))
        outline = screen.outline(target)
        cut = scattered(random, shape, outline, int(random.integers(1, 12)))
        across = rectangle(random.uniform(0.7 * outline[:2], 0.7 * outline[2:]), 30.0, slit, any_turn(random))
        blockers.append(screen.draw(_hiding_wall(target, screen).difference(cut).difference(across)))
    return Case(target, tuple(blockers), eye, pixel=any_pixel(random))


def sieves(random: Random) -> Case:
    """A target that is a plate with holes of 0.05 to 0.5 mm, most of them in one half, and a wall before part of it."""
    plate = any_target(random, ("plate",))
    eye = any_eye(random, plate)
    behind = Screen.before(plate, eye, 1.0)
    outline = behind.outline(plate)
    u, v, right, top = outline
    shape = disc((0, 0), any_size(random, 0.05, 0.5), 6)
    cut = scattered(random, shape, np.array([u, v, u + random.uniform(0.2, 1.0) * (right - u), top]), 40)
    target = behind.draw(shapely.box(*outline).difference(cut))
    screen = any_screen(random, target, eye)
    return Case(target, (screen.draw(part_of(random, screen.outline(target), random.uniform(0.2, 0.8))),), eye)


def interleaved(random: Random) -> Case:
    """Dots, wires or bars of the target itself before what hides the rest of it."""
    body = any_target(random, ("plate", "box"))
    eye = any_eye(random, body)
    share = float(random.uniform(0.2, 0.7))
    near, between = Screen.before(body, eye, share), Screen.before(body, eye, share + 0.1)
    outline = near.outline(body)
    kind = random.integers(3)
    if kind == 0:
        drawn = scattered(random, disc((0, 0), any_size(random), 5), outline, int(random.integers(1, 30)))
    elif kind == 1:
        drawn = rectangle(random.uniform(outline[:2], outline[2:]), 8.0, any_size(random, 0.005, 0.3), any_turn(random))
    else:
        drawn = bars(6.0, any_size(random, 0.02, 0.3), float(random.uniform(0.5, 2.0)), any_turn(random))
    target = shapes.joined(body, near.draw(drawn))
    wall = _hiding_wall(body, between) if random.random() < 0.6 else part_of(random, between.outline(body), 0.5)
    return Case(target, (between.draw(wall),), eye, pixel=any_pixel(random))


def slits(random: Random) -> Case:
    """A wall that hides all, but for a slit of 0.001 to 0.1 mm, or whose two parts are that far apart."""
    target = any_target(random)
    eye = any_eye(random, target)
    screen = any_screen(random, target, eye)
    u, v, right, top = screen.outline(target)
    wide, long = any_size(random, 0.001, 0.1), float(random.choice([1.0, 10.0, 300.0]))
    slit = rectangle(random.uniform((u, v), (right, top)), long, wide, any_turn(random))
    rest = _hiding_wall(target, screen).difference(slit)
    parts = list(rest.geoms) if rest.geom_type == "MultiPolygon" else [rest]
    if random.random() < 0.5 or len(parts) == 1:
        return Case(target, (screen.draw(rest),), eye, pixel=any_pixel(random))
    return Case(target, tuple(screen.draw(part) for part in parts), eye, pixel=any_pixel(random))


def seams(random: Random) -> Case:
    """A wall that hides all, of parts that only touch: nothing is seen between them."""
    target = any_target(random)
    eye = any_eye(random, target)
    screen = any_screen(random, target, eye)
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


def bits(random: Random) -> Case:
    """A target of 20 to 150 bits of 0.02 to 0.3 mm, and a wall before some of them."""
    count, size = int(random.integers(20, 151)), any_size(random, 0.02, 0.3)
    ends = random.uniform((-8, -4, 0), (8, 4, 20), (count, 3))
    turns = random.normal(size=(count, 2, 3))
    turns /= np.linalg.norm(turns, axis=2, keepdims=True)
    corners = np.stack([ends, ends + size * turns[:, 0], ends + size * turns[:, 1]], axis=1)
    target = shapes.mesh(corners.reshape(-1, 3), np.arange(3 * count))
    x, y, _ = target.bounds.mean(axis=0)
    eye = np.array([x, y - random.uniform(60, 400), random.uniform(5, 60)])
    screen = Screen.before(target, eye, float(random.uniform(0.1, 0.9)))
    return Case(target, (screen.draw(part_of(random, screen.outline(target), random.uniform(0.1, 1.1))),), eye)


def thin_targets(random: Random) -> Case:
    """A target that is a comb or has hairs, of 0.02 to 0.4 mm, and a wall before some of it."""
    body = any_target(random, ("plate", "box"))
    eye = any_eye(random, body)
    behind = Screen.before(body, eye, 1.0)
    u, v, right, top = behind.outline(body)
    hairs = [
        rectangle((random.uniform(u, right), top), any_size(random, 0.02, 0.4), float(random.uniform(3, 25)), turn)
        for turn in random.uniform(-30, 30, int(random.integers(1, 12)))
    ]
    if random.random() < 0.4:
        width, period = any_size(random, 0.05, 0.4), float(random.uniform(0.5, 1.5))
        target = behind.draw(bars(10.0, width, period, any_turn(random)))
    else:
        target = shapes.joined(body, behind.draw(shapely.union_all(hairs)))
    screen = Screen.before(target, eye, float(random.uniform(0.2, 0.8)))
    u, v, right, top = screen.outline(target)
    wall = shapely.box(u - 9, v - 9, right + 9, v + random.uniform(0.3, 1.0) * (top - v))
    return Case(target, (screen.draw(wall),), eye, pixel=any_pixel(random))


def tiny_targets(random: Random) -> Case:
    """A target of 0.1 to 3 mm, and a wall before some of it."""
    size = random.uniform(0.3, 1.0, 3) * any_size(random, 0.1, 3.0)
    target = box_from((*random.uniform(-100, 100, 2), 20.0), size, float(random.uniform(0, 90)))
    eye = any_eye(random, target)
    screen = any_screen(random, target, eye)
    outline = screen.outline(target)
    wall = part_of(random, outline, random.uniform(-0.1, 1.1))
    dot = disc(random.uniform(outline[:2], outline[2:]), any_size(random, 0.005, 0.1), 5)
    return Case(target, (screen.draw(wall.union(dot)),), eye, pixel=any_pixel(random))


def needles(random: Random) -> Case:
    """A target hidden by a wall, but for a spike that is thinner than a pixel, or short and barely seen."""
    target = any_target(random, ("box", "figure", "ball"))
    low, high = target.bounds
    thick = any_size(random, 0.005, 0.2)
    place = random.uniform(low, high)
    place[2] = high[2] + 2.0
    spike = box_from(place, (thick, thick, float(random.uniform(4, 20))), float(random.uniform(0, 90)))
    eye = any_eye(random, target)
    screen = any_screen(random, target, eye)
    u, v, right, top = screen.outline(target)
    highest = screen.outline(spike)[3]
    up = top + random.uniform(0.0, 3.0) if random.random() < 0.5 else highest - any_size(random, 0.005, 0.5)
    wall = screen.draw(shapely.box(u - 9, v - 9, right + 9, up))
    return Case(shapes.joined(target, spike), (wall,), eye, pixel=any_pixel(random))


def slivers(random: Random) -> Case:
    """A wall that ends up to 0.1 mm before the target's own outline does, or just there."""
    target = any_target(random, ("plate", "box", "ball"))
    eye = any_eye(random, target)
    screen = any_screen(random, target, eye)
    outline = screen.outline(target)
    gap = float(random.choice([0.0, any_size(random, 0.001, 0.1)])) * float(random.choice([-1, 1]))
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


def shadows(random: Random) -> Case:
    """The target's own shape once more, between it and the eye, so large that it hides all of it, or all but a rim."""
    target = any_target(random)
    eye = any_eye(random, target)
    middle, share = target.bounds.mean(axis=0), random.uniform(0.1, 0.6)
    grown = float(random.choice([1.0, 1.0 + any_size(random, 1e-4, 0.02), 1.0 - any_size(random, 1e-4, 0.02)]))
    aside = any_size(random, 1e-3, 0.2) * unit(random.normal(size=3)) * float(random.integers(2))
    moved = eye + share * (middle + grown * (target.vertices - middle) + aside - eye)
    return Case(target, (shapes.mesh(moved, target.faces),), eye, pixel=any_pixel(random))
