"""Random figures with and without a base, built from closed shells, of which the truth is known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from silhouette.common.geometry import Floats, Integers
from silhouette.meshes.mesh import Mesh

Shell = tuple[Floats, Integers]
Random = np.random.Generator


# ---- shells


def stacked(rings: list[Floats], cap_bottom: bool = True) -> Shell:
    """A shell through rings (n, 3) of equally many points, anticlockwise from above, closed at the top."""
    count = len(rings[0])
    middles = [rings[0].mean(axis=0), rings[-1].mean(axis=0)]
    vertices = np.concatenate([*rings, np.array(middles)])
    here = np.arange(count)
    there = (here + 1) % count
    faces = []
    for level in range(len(rings) - 1):
        a, b = level * count + here, level * count + there
        faces += [np.stack([a, b, b + count], 1), np.stack([a, b + count, a + count], 1)]
    last = (len(rings) - 1) * count
    faces.append(np.stack([last + here, last + there, np.full(count, len(vertices) - 1)], 1))
    if cap_bottom:
        faces.append(np.stack([there, here, np.full(count, len(vertices) - 2)], 1))
    return vertices, np.concatenate(faces).astype(np.int32)


def at_height(outline: Floats, z: float) -> Floats:
    return np.column_stack([outline, np.full(len(outline), z)])


def circle(radius: float, count: int = 32) -> Floats:
    angle = np.arange(count) * 2 * np.pi / count
    return radius * np.column_stack([np.cos(angle), np.sin(angle)])


def inset(outline: Floats, by: float) -> Floats:
    """The outline moved inwards by about ``by``."""
    return outline * (1.0 - by / np.linalg.norm(outline, axis=1).max())


def ellipsoid(centre: tuple[float, float, float], radii: tuple[float, float, float], count: int = 16) -> Shell:
    angle = np.linspace(-np.pi / 2, np.pi / 2, count)
    rings = [at_height(circle(max(np.cos(a), 1e-3), count), np.sin(a)) * radii + centre for a in angle]
    return stacked(rings)


def box(low: tuple[float, float, float], high: tuple[float, float, float]) -> Shell:
    square = np.array([[low[0], low[1]], [high[0], low[1]], [high[0], high[1]], [low[0], high[1]]])
    return stacked([at_height(square, low[2]), at_height(square, high[2])])


def rod(start: tuple[float, float, float], end: tuple[float, float, float], radius: float, taper: float = 1.0) -> Shell:
    """A capped cylinder or cone between two points."""
    first, last = np.array(start), np.array(end)
    axis = (last - first) / np.linalg.norm(last - first)
    side = np.cross(axis, [0.3, 0.5, 0.8])
    side /= np.linalg.norm(side)
    ring = circle(radius, 16) @ np.array([side, np.cross(axis, side)])
    return stacked([first + ring, last + ring * taper])


def tube(path: Floats, radius: float) -> list[Shell]:
    """Overlapping balls along a path (n, 3), as OpenSCAD hulls leave them."""
    return [ellipsoid(tuple(point), (radius, radius, radius), 12) for point in path]


def mesh_of(shells: list[Shell]) -> Mesh:
    starts = np.cumsum([0] + [len(vertices) for vertices, _ in shells])
    vertices = np.concatenate([vertices for vertices, _ in shells])
    faces = np.concatenate([faces + start for (_, faces), start in zip(shells, starts[:-1], strict=True)])
    vertices = vertices - [0.0, 0.0, vertices[:, 2].min()]
    return Mesh(vertices, faces.astype(np.int32), np.zeros(len(faces), np.int32))


# ---- random figures; each stands on z = 0


def walker(random: Random, tall: float) -> list[Shell]:
    """Boots, legs, a trunk, a head, arms, often a weapon that sticks out and may hang low."""
    wide = tall * random.uniform(0.06, 0.13)
    boot = tall * random.uniform(0.05, 0.09)
    shells = []
    for side in (-1, 1):
        x = side * wide * random.uniform(0.8, 1.6)
        if random.random() < 0.5:
            shells.append(ellipsoid((x, boot * 0.6, 0.5 * boot), (boot, 2 * boot, boot * 0.9)))
        else:
            shells.append(box((x - boot, -boot, 0), (x + boot, 2.2 * boot, boot)))
        shells.append(rod((x, 0, 0.2 * boot), (side * wide * 0.6, 0, tall * 0.5), boot * 0.8))
    shells.append(ellipsoid((0, 0, tall * 0.62), (wide * 1.6, wide, tall * 0.2)))
    shells.append(ellipsoid((0, 0, tall * 0.9), (tall * 0.07,) * 3))
    hand = (wide * 2.4, wide * random.uniform(0, 2), tall * random.uniform(0.4, 0.7))
    shells.append(rod((wide, 0, tall * 0.75), hand, tall * 0.03))
    if random.random() < 0.6:
        far = random.uniform(-1, 1, 3) * [tall, tall, tall * 0.25]
        low = (hand[0] + far[0], hand[1] + far[1], max(hand[2] - abs(far[2]) - tall * 0.3, -1.5))
        shells.append(rod((hand[0] - far[0] * 0.3, hand[1] - far[1] * 0.3, hand[2] + tall * 0.3), low, 0.6))
    return shells


def gown(random: Random, tall: float) -> list[Shell]:
    """A robe that reaches the ground: a straight, flared or bell-shaped cone, with a trunk and a head."""
    hem, waist = tall * random.uniform(0.18, 0.36), tall * random.uniform(0.08, 0.12)
    bend = random.choice([0.4, 0.7, 1.0, 2.0])
    up = np.linspace(0, 1, 12)
    sway = 1.0 + random.uniform(0, 0.12) * np.cos(random.integers(3, 9) * np.linspace(0, 2 * np.pi, 32, endpoint=False))
    rings = [
        at_height(circle(hem + (waist - hem) * t**bend) * (sway[:, None] if t < 0.9 else 1), t * tall * 0.6) for t in up
    ]
    return [
        stacked(rings),
        ellipsoid((0, 0, tall * 0.65), (waist * 1.5, waist, tall * 0.2)),
        ellipsoid((0, 0, tall * 0.92), (tall * 0.08,) * 3),
        rod((waist, 0, tall * 0.7), (waist * 3, tall * 0.3, tall * 0.6), 1.0),
    ]


def beast(random: Random, tall: float) -> list[Shell]:
    """Four legs, a long trunk, a head and a tail."""
    long, wide = tall * random.uniform(0.5, 0.8), tall * random.uniform(0.2, 0.3)
    foot = tall * random.uniform(0.06, 0.1)
    legs = [
        rod((x * wide, y * long, 0), (x * wide * 0.8, y * long, tall * 0.6), foot) for x in (-1, 1) for y in (-0.7, 0.7)
    ]
    return [
        *legs,
        ellipsoid((0, 0, tall * 0.6), (wide * 1.2, long, tall * 0.25)),
        ellipsoid((0, long, tall * 0.8), (wide * 0.6, wide, tall * 0.2)),
        rod((0, -long, tall * 0.6), (0, -1.6 * long, tall * random.uniform(0.0, 0.9)), 0.8, 0.3),
    ]


def sitter(random: Random, tall: float) -> list[Shell]:
    """A squat body that rests on its haunches, cut off flat where it meets the ground."""
    wide = tall * random.uniform(0.3, 0.45)
    angle = np.linspace(random.uniform(-0.6, 0.1), np.pi / 2, 14)
    height = tall * 0.5
    rings = [at_height(circle(wide * max(np.cos(a), 1e-3)), height * (np.sin(a) - np.sin(angle[0]))) for a in angle]
    haunch = [
        ellipsoid((s * wide * 0.8, wide * 0.4, wide * 0.3), (wide * 0.4, wide * 0.7, wide * 0.4)) for s in (-1, 1)
    ]
    return [stacked(rings), *haunch, ellipsoid((0, wide * 0.2, tall * 0.75), (tall * 0.15,) * 3)]


def snake(random: Random, tall: float) -> list[Shell]:
    """A coil or two on the ground and a raised head."""
    radius = tall * random.uniform(0.05, 0.1)
    coil = tall * random.uniform(0.25, 0.35)
    turns = random.uniform(1.0, 2.2)
    t = np.linspace(0, 1, int(26 * turns))
    angle = 2 * np.pi * turns * t
    shrink = coil * (1 - 0.15 * t * turns)
    path = np.column_stack([shrink * np.cos(angle), shrink * np.sin(angle), radius * (1 + 1.8 * turns * t)])
    raised = np.linspace(path[-1], [0, 0, tall * 0.9], 14)
    return [*tube(path, radius), *tube(raised, radius), ellipsoid((0, 0, tall * 0.9), (radius, radius * 2, radius))]


def walking_machine(random: Random, tall: float) -> list[Shell]:
    """Two or four flat boxes for feet, struts and a hull: level tops close to the ground, and yet no base."""
    foot, high = tall * random.uniform(0.1, 0.16), tall * random.uniform(0.05, 0.12)
    corners = [(-1, 0), (1, 0)] if random.random() < 0.5 else [(-1, -1), (1, -1), (-1, 1), (1, 1)]
    apart = foot * random.uniform(1.15, 1.8)
    shells = [box((-foot * 1.5, -foot * 1.5, tall * 0.5), (foot * 1.5, foot * 1.5, tall))]
    for x, y in corners:
        x, y = x * apart, y * apart * 1.3
        shells.append(box((x - foot, y - foot * 1.2, 0), (x + foot, y + foot * 1.2, high)))
        shells.append(rod((x, y, 0.5 * high), (x * 0.5, y * 0.5, tall * 0.6), foot * 0.35))
    return shells


Maker = Callable[[Random, float], list[Shell]]
MAKERS: dict[str, Maker] = {
    "walker": walker,
    "gown": gown,
    "beast": beast,
    "sitter": sitter,
    "snake": snake,
    "walking machine": walking_machine,
}


def turned(angle: float) -> Floats:
    cosine, sine = np.cos(angle), np.sin(angle)
    return np.array([[cosine, -sine, 0.0], [sine, cosine, 0.0], [0.0, 0.0, 1.0]])


# ---- random bases


@dataclass(frozen=True)
class Truth:
    heights: tuple[float, ...]  # the level plane, and for rough tops the median of the rough surface
    diameter: float


def outline_of(random: Random, kind: str, size: float) -> tuple[Floats, float]:
    """A base's outline about the origin, and its greatest width (the longer side for rectangles)."""
    if kind == "round":
        return circle(size / 2, int(random.choice([12, 24, 48, 96]))), size
    if kind == "oval":
        return circle(size / 2, 64) * [random.uniform(0.55, 0.8), 1.0], size
    if kind == "hexagon":
        return circle(size / 2, 6), size
    if kind == "rugged":
        edge = circle(size / 2, 40)
        wobble = 1.0 - 0.12 * random.random(40)[:, None]
        edge = edge * wobble
        return edge, float(np.sqrt(((edge[:, None] - edge) ** 2).sum(axis=2)).max())
    ratio = 1.0 if kind == "square" else random.uniform(0.5, 0.8)
    half = np.array([ratio, 1.0]) * size / 2
    side = np.linspace(-1, 1, 6)[:-1]
    one = np.ones(5)
    edge = np.concatenate([np.column_stack(c) for c in ((one, side), (-side, one), (-one, -side), (side, -one))])
    return edge * half, size


def slab(random: Random, outline: Floats, height: float, side: str, hollow: bool) -> list[Shell]:
    """The slab itself: its side straight, bevelled, chamfered below, stepped or with a raised lip round the top."""
    bevel = random.uniform(0.3, 0.5) * height if side == "bevelled" else 0.0
    rings = [at_height(outline, 0.0)]
    if side == "chamfered":
        rings = [at_height(inset(outline, 0.4), 0.0), at_height(outline, 0.4)]
    if side == "stepped":
        step = inset(outline, random.uniform(0.5, 1.2))
        rings += [at_height(outline, 0.4 * height), at_height(step, 0.4 * height)]
        rings += [at_height(step, height)]
    elif side == "lipped":
        sunk, wide = random.uniform(0.4, 0.9), random.uniform(0.7, 1.3)
        inner = inset(outline, wide)
        rings += [at_height(outline, height), at_height(inner, height), at_height(inner, height - sunk)]
    else:
        rings.append(at_height(inset(outline, bevel), height))
    shells = [stacked(rings, cap_bottom=not hollow)]
    if hollow:
        inside = inset(outline, 1.0 + bevel + 1.0)
        ceiling = stacked([at_height(inside, 0.0), at_height(inside, height - 1.0)], cap_bottom=False)
        shells.append((ceiling[0], ceiling[1][:, ::-1].copy()))
    return shells


def rough_surface(random: Random, outline: Floats, height: float, amplitude: float) -> tuple[list[Shell], float]:
    """A top displaced by smooth noise, as a fan of rings over the outline; and the median of its height by area."""
    shares = np.linspace(0.97, 0.02, 24)
    rings = [inset(outline, 0.0) * share for share in shares]
    waves = random.uniform(-1.5, 1.5, (8, 2))
    phases = random.uniform(0, 6.3, 8)

    def bump(points: Floats) -> Floats:
        return amplitude * np.clip(np.sin(points @ waves.T + phases).sum(axis=1) / 4, -1, 1)

    lifted = [np.column_stack([ring, height + bump(ring)]) for ring in rings]
    rim = at_height(outline, height - amplitude)
    surface = stacked([at_height(outline, 0.0), rim, *lifted])
    weights = np.repeat(shares**1.0, len(outline))
    values = np.concatenate(lifted)[:, 2]
    order = np.argsort(values)
    total = np.cumsum(weights[order])
    return [surface], float(values[order][np.searchsorted(total, total[-1] / 2)])


def based(seed: int) -> tuple[Mesh, Truth, str]:
    """A random figure on a random base, the truth, and what it is."""
    random = np.random.default_rng(seed)
    kind = str(random.choice(["round", "round", "oval", "hexagon", "square", "rectangle", "rugged"]))
    side = str(random.choice(["straight", "bevelled", "chamfered", "stepped", "lipped"]))
    top = str(random.choice(["plain", "plain", "cobbles", "rubble", "rock", "rough"]))
    maker = str(random.choice(list(MAKERS)))
    size, height = random.uniform(20, 60), random.uniform(1.8, 6.0)
    height = min(height, 0.2 * size)
    outline, width = outline_of(random, kind, size)
    narrow = float(np.linalg.norm(outline, axis=1).min())
    rough: list[Shell] = []
    heights = [height]
    if top == "rough" and side != "lipped":
        shells, median = rough_surface(random, outline, height, random.uniform(0.15, 0.5))
        heights.append(median)
    else:
        shells = slab(random, outline, height, side, hollow=bool(random.random() < 0.3))
    for _ in range({"cobbles": 60, "rubble": 25, "rock": 1}.get(top, 0)):
        spot = random.uniform(-0.62, 0.62, 2) * narrow
        if top == "cobbles":
            rough.append(ellipsoid((*spot, height - 0.3), (1.2, 1.2, random.uniform(0.5, 1.2)), 10))
        elif top == "rubble":
            tall_piece = random.uniform(0.3, 1.0)
            rough.append(box((spot[0], spot[1], height - 0.5), (spot[0] + 1.5, spot[1] + 1, height + tall_piece)))
        else:
            rough.append(ellipsoid((*spot, height), (narrow * 0.35, narrow * 0.3, min(narrow * 0.5, height))))
    tall = random.uniform(0.9, 1.5) * narrow * 2
    figure = mesh_of(MAKERS[maker](random, tall))
    resting = figure.vertices[figure.vertices[:, 2] < 0.25 * tall, :2]
    reach = float(np.linalg.norm(resting, axis=1).max())
    scale = min(1.0, random.uniform(0.6, 0.93) * narrow / reach) if maker in ("gown", "snake", "sitter") else 1.0
    turn = random.uniform(0, 2 * np.pi)
    sunk = random.choice([0.0, 0.02, random.uniform(0, 0.8)])
    placed = figure.vertices * scale @ turned(turn).T + [0, 0, height - sunk]
    mesh = mesh_of([*shells, *rough, (placed, figure.faces)])
    spin = turned(random.uniform(0, 2 * np.pi) if random.random() < 0.5 else 0.0)
    mesh = Mesh(mesh.vertices @ spin.T + [*random.uniform(-30, 30, 2), 0.0], mesh.faces, mesh.part)
    return mesh, Truth(tuple(heights), width), f"{maker} on {kind} {side} {top} base of {size:.1f} x {height:.2f} mm"


def baseless(seed: int) -> tuple[Mesh, str]:
    """A random figure that stands on the ground itself, 18 to 90 mm tall."""
    random = np.random.default_rng(seed)
    maker = str(random.choice(list(MAKERS)))
    tall = random.uniform(18, 90)
    mesh = mesh_of(MAKERS[maker](random, tall))
    spin = turned(random.uniform(0, 2 * np.pi))
    return Mesh(
        mesh.vertices @ spin.T + [*random.uniform(-30, 30, 2), 0.0], mesh.faces, mesh.part
    ), f"{maker} {tall:.0f}"
