"""Cases of sight past what is finer than the samples: dots, dust, plates with holes, wires, rods, bars and foils.

Sizes are in mm at the target, as it looks from the eye.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import shapely
from shapely.affinity import translate

from silhouette.common.geometry import unit
from silhouette.meshes.mesh import Mesh
from tests.support import shapes
from tests.support.sight_cases import (
    GRID,
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


def _beside(random: Random, target: Mesh, screen: Screen, drawn: Any) -> list[Mesh]:
    """Half of the time, what makes the share obscured half or nearly so together with what is drawn already."""
    if random.random() < 0.5:
        return []
    share = 0.5 + float(random.choice([-1, 1])) * any_size(random, 0.0002, 0.02)
    image, (left, bottom, right, top) = screen.image(target), screen.outline(target)
    drawn = drawn.intersection(image)
    low, high = left, right
    for _ in range(30):
        middle = (low + high) / 2
        wall = shapely.box(left - 9, bottom - 9, middle, top + 9)
        covered = wall.intersection(image).area + drawn.difference(wall).area
        low, high = (middle, high) if covered < share * image.area else (low, middle)
    return [screen.draw(wall)]


def dots(random: Random) -> Case:
    """Up to 90 dots before a target; some of them near the eye."""
    target = any_target(random)
    eye = any_eye(random, target)
    screen = any_screen(random, target, eye, nearest=any_size(random, 0.01, 0.3))
    count, shape = int(any_size(random, 1, 90)), disc((0, 0), any_size(random), int(random.integers(3, 8)))
    drawn = scattered(random, shape, screen.outline(target), count)
    blockers = (screen.draw(drawn), *_beside(random, target, screen, drawn))
    return Case(target, blockers, eye, pixel=any_pixel(random))


def dots_along_the_rim(random: Random) -> Case:
    """Dots that lie across the target's own outline."""
    target = any_target(random, ("plate", "box", "ball"))
    eye = any_eye(random, target)
    screen = any_screen(random, target, eye)
    rim = screen.image(target).convex_hull.exterior
    places = [rim.interpolate(share, normalized=True) for share in random.random(int(random.integers(1, 40)))]
    shape = disc((0, 0), any_size(random), int(random.integers(3, 8)))
    drawn = shapely.union_all([translate(shape, place.x, place.y) for place in places])
    return Case(target, (screen.draw(drawn), *_beside(random, target, screen, drawn)), eye)


def dots_in_rows(random: Random) -> Case:
    """Dots a whole number of pixels apart along the sampling grid."""
    target = any_target(random, ("plate", "box"))
    eye = any_eye(random, target)
    screen = any_screen(random, target, eye)
    outline = screen.outline(target)
    apart, size = 0.1 * float(random.integers(8, 25)), any_size(random, 0.02, 0.4)
    angle, reach = np.radians(float(random.choice(GRID[:2]))), 5.5 * apart
    across = np.arange(-reach, reach, apart) + random.uniform(0, apart)
    u, v = (grid.ravel() for grid in np.meshgrid(across, across))
    places = np.column_stack([u * np.cos(angle) - v * np.sin(angle), u * np.sin(angle) + v * np.cos(angle)])
    places = places[np.all((places > outline[:2]) & (places < outline[2:]), axis=1)]
    square = rectangle((0, 0), size, size, float(np.degrees(angle)))
    drawn = shapely.MultiPolygon([translate(square, *place) for place in (places if len(places) else [(0.0, 0.0)])])
    return Case(target, (screen.draw(drawn), *_beside(random, target, screen, drawn)), eye)


def many_dots(random: Random) -> Case:
    """Some 200 squares of 0.05 to 0.3 mm all over a target, and what makes half of it hidden, or nearly half."""
    target = any_target(random, ("plate", "box"))
    eye = any_eye(random, target)
    screen = Screen.before(target, eye, float(random.uniform(0.2, 0.8)))
    outline, count = screen.outline(target), int(random.integers(100, 250))
    size = float(random.uniform(0.05, 0.3))
    apart = max(float(np.sqrt(np.prod(outline[2:] - outline[:2]) / count)), 1.5 * size)
    u, v = np.meshgrid(np.arange(outline[0], outline[2], apart), np.arange(outline[1], outline[3], apart))
    middles = np.column_stack([u.ravel(), v.ravel()])
    middles += random.uniform(0, apart - size, middles.shape)
    corners = middles[:, None] + size * np.array([[0, 0], [1, 0], [1, 1], [0, 1]])
    faces = 4 * np.arange(len(corners))[:, None, None] + [[0, 1, 2], [0, 2, 3]]
    mesh = shapes.mesh(screen.place(corners.reshape(-1, 2)), faces)
    drawn = shapely.MultiPolygon(list(shapely.polygons(corners)))
    return Case(target, (mesh, *_beside(random, target, screen, drawn)), eye, pixel=any_pixel(random))


def dust(random: Random) -> Case:
    """Up to 120 tiny triangles anywhere between the eye and the target."""
    target = any_target(random)
    eye = any_eye(random, target)
    count = int(any_size(random, 5, 120))
    share = random.uniform(0.05, 0.95, (count, 1))
    places = eye + share * (random.uniform(*target.bounds, (count, 3)) - eye)
    corners = places[:, None] + any_size(random) * share[:, None] * random.normal(0, 0.5, (count, 3, 3))
    return Case(target, (shapes.mesh(corners.reshape(-1, 3), np.arange(3 * count)),), eye, pixel=any_pixel(random))


def holes(random: Random) -> Case:
    """A plate with holes in rows before about half of a target."""
    target = any_target(random, ("plate", "box", "figure"))
    eye = any_eye(random, target)
    screen = any_screen(random, target, eye)
    outline = screen.outline(target)
    plate = part_of(random, outline, random.uniform(0.35, 0.75))
    low, high = np.maximum(outline[:2], plate.bounds[:2]), np.minimum(outline[2:], plate.bounds[2:])
    apart = max(float(random.uniform(0.6, 2.5)), float(np.sqrt(np.prod(high - low) / 40)))
    size = min(any_size(random, 0.05, 0.5), 0.6 * apart)
    u, v = np.meshgrid(np.arange(low[0], high[0], apart), np.arange(low[1], high[1], apart))
    shape = disc((0, 0), size, 6) if random.random() < 0.5 else rectangle((0, 0), size, size, any_turn(random))
    cut = shapely.union_all([translate(shape, *place) for place in zip(u.ravel(), v.ravel(), strict=True)])
    return Case(target, (screen.draw(plate.difference(cut)),), eye, pixel=any_pixel(random))


def wires(random: Random) -> Case:
    """Up to eight wires of 0.002 to 0.3 mm, short or right across, at any depth."""
    target = any_target(random)
    eye = any_eye(random, target)
    blockers, drawn = [], []
    for _ in range(int(random.integers(1, 9))):
        screen = any_screen(random, target, eye, nearest=any_size(random, 0.01, 0.3))
        outline = screen.outline(target)
        long, thick = float(random.choice([3.0, 10.0, 150.0])), any_size(random, 0.002, 0.3)
        drawn.append(rectangle(random.uniform(outline[:2], outline[2:]), long, thick, any_turn(random)))
        blockers.append(screen.draw(drawn[-1]))
    if random.random() < 0.5:
        blockers = [shapes.joined(*blockers)]
    beside = _beside(random, target, any_screen(random, target, eye), shapely.union_all(drawn))
    return Case(target, (*blockers, *beside), eye)


def rods(random: Random) -> Case:
    """Rods of 0.01 to 0.2 mm, square in section, anywhere in space."""
    target = any_target(random)
    eye = any_eye(random, target)
    blockers = []
    for _ in range(int(random.integers(1, 6))):
        place = eye + random.uniform(0.3, 0.95) * (random.uniform(*target.bounds) - eye)
        thick = any_size(random, 0.01, 0.2)
        size = random.permutation([thick, thick, float(random.choice([2.0, 8.0, 60.0]))])
        blockers.append(box_from(place, size, float(random.uniform(0, 90))))
    return Case(target, tuple(blockers), eye, pixel=any_pixel(random))


def foils(random: Random) -> Case:
    """Rectangles that the eye sees nearly edge-on, and fins: rectangles of which three or more share an edge."""
    target = any_target(random)
    eye = any_eye(random, target)
    blockers = []
    for _ in range(int(random.integers(1, 5))):
        place = eye + random.uniform(0.3, 0.9) * (random.uniform(*target.bounds) - eye)
        along = unit(place - eye)
        side = unit(np.cross(along, random.normal(size=3)))
        edge = random.uniform(1, 12) * side
        if random.random() < 0.5:
            away = np.cross(along, side) * any_size(random, 1e-4, 0.05) + along
            blockers.append(shapes.quad(place, place + edge, place + edge + 9 * away, place + 9 * away))
        else:
            ways = unit(random.normal(size=3)), unit(random.normal(size=3)), along, along + 0.01 * np.cross(along, side)
            fins = [shapes.quad(place, place + edge, place + edge + 2 * way, place + 2 * way) for way in ways]
            blockers.append(shapes.joined(*fins))
    return Case(target, tuple(blockers), eye, pixel=any_pixel(random))


def combs(random: Random) -> Case:
    """Bars a whole number of pixels apart, at every angle, those of the sampling grid among them."""
    target = any_target(random, ("plate", "box"))
    eye = any_eye(random, target)
    screen = Screen.before(target, eye, float(random.uniform(0.2, 0.9)))
    pixel = float(random.choice([0.1, 0.1, 0.2]))
    period = pixel * float(random.choice([2, 4, 5, 5, 8, 10]))
    width = period * float(random.choice([0.5, 0.5, 0.2, 0.9, random.uniform(0.1, 0.9)]))
    reach = min(12.0, 20 * period)
    comb = bars(reach, width, period, any_turn(random), float(random.random()))
    return Case(target, (screen.draw(comb),), eye, pixel=pixel)


def gratings(random: Random) -> Case:
    """Bars of any width, leaning, one comb before another."""
    target = any_target(random)
    eye = any_eye(random, target)
    blockers = []
    for _ in range(int(random.integers(1, 3))):
        period = float(random.uniform(0.3, 2.0))
        comb = bars(min(10.0, 12 * period), period * random.uniform(0.05, 0.95), period, any_turn(random))
        blockers.append(any_screen(random, target, eye).draw(comb))
    return Case(target, tuple(blockers), eye, pixel=any_pixel(random))
