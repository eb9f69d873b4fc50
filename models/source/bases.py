"""Round bases with bevelled rims and hive floors: plates and rivets, grating, rubble. Boots stand at `GROUND`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

import numpy as np
from manifold3d import CrossSection, Manifold

from models.source import solids
from models.source.anatomy import GROUND
from models.source.settling import settled

Floor = Literal["plates", "grating", "cracked"]


def round_base(
    diameter: float = 25.0,
    floor: Floor = "plates",
    rubble: int = 9,
    clear: Sequence[tuple[float, float]] = (),
    turn: float = 20.0,
    seed: int = 0,
) -> Manifold:
    """A base with a floor on it, its top at `GROUND`.

    Args:
        diameter: at the ground; the top is 0.9 mm narrower.
        floor: what the top shows.
        rubble: how many stones and bricks lie about.
        clear: points (x, y) where boots stand: no rubble and no rivets within 2.6 mm.
        turn: how the floor's joints lie, degrees.
        seed: of the rubble and cracks.
    """
    generator = np.random.default_rng(seed)
    radius = diameter / 2
    outline = [
        (0, 0),
        (radius - 0.15, 0),
        (radius, 0.2),
        (radius - 0.4, GROUND - 0.2),
        (radius - 0.6, GROUND),
        (0, GROUND),
    ]
    slab = Manifold.revolve(_section(outline), 96)
    grooves, raised = {"plates": _plates, "grating": _grating, "cracked": _cracked}[floor](radius, generator)
    inside = Manifold.cylinder(6, radius - 1.3, radius - 1.3, 72).translate((0, 0, GROUND - 2.5))
    guard = [Manifold.cylinder(3, 2.4, 2.4, 24).translate((x, y, GROUND + 0.02)) for x, y in clear]
    top = solids.cut(raised.rotate((0, 0, turn)) ^ inside, guard) if not raised.is_empty() else raised
    slab = slab - (grooves.rotate((0, 0, turn)) ^ inside)
    stones = [_stone(generator, spot) for spot in _spots(generator, radius, rubble, clear)]
    return solids.union([slab, top, *stones])


def _section(outline: list[tuple[float, float]]) -> CrossSection:
    """The outline of a turned solid."""
    return CrossSection([settled(outline)])


def _rivet(x: float, y: float) -> Manifold:
    """A flat rivet head."""
    return Manifold.cylinder(0.45, 0.46, 0.26, 6).translate((x, y, GROUND - 0.2))


def _lozenge() -> Manifold:
    """One bar of a chequer plate, its foot at z = 0."""
    foot = np.array([(0.8, 0, 0), (0, 0.26, 0), (-0.8, 0, 0), (0, -0.26, 0)])
    return Manifold.hull_points(settled(np.concatenate([foot, foot * 0.7 + [0, 0, 0.4]])))


def _plates(radius: float, generator: np.random.Generator) -> tuple[Manifold, Manifold]:
    """Joints between floor plates, and rivets and tread along them."""
    joints, rivets = [], []
    lines = [-radius * 0.45, radius * 0.3]
    for y in lines:
        joints.append(solids.box((2 * radius, 0.4, 1.0), (0, y, GROUND - 0.4), 0.0))
    edges = [-radius, *lines, radius]
    for low, high in pairwise(edges):
        x = generator.uniform(-0.4, 0.4) * radius
        joints.append(solids.box((0.45, high - low, 1.0), (x, (low + high) / 2, GROUND - 0.4), 0.0))
        spots = [(x + s * 0.9, y) for s in (1, -1) for y in np.linspace(low + 0.9, high - 0.9, 3)]
        spots += [(u, y) for y in (low + 0.9, high - 0.9) for u in np.arange(-radius, radius, 3.1) if abs(u - x) > 2.2]
        rivets += [_rivet(u, v) for u, v in spots]
    low, high = lines
    tread = [
        _lozenge().rotate((0, 0, 45 if (i + j) % 2 else -45)).translate((u, v, GROUND - 0.2))
        for i, u in enumerate(np.arange(-radius + 1.5, radius - 1, 1.75))
        for j, v in enumerate(np.linspace(low + 1.7, high - 1.7, 4))
    ]
    return solids.union(joints), solids.union(rivets + tread)


def _grating(radius: float, generator: np.random.Generator) -> tuple[Manifold, Manifold]:
    """Slots of a grating in a frame, with rivets round it."""
    half = radius * 0.62
    slots = [solids.box((0.75, 2 * half, 2.0), (x, 0, GROUND - 1.1), 0.0) for x in np.arange(-half, half + 0.1, 1.35)]
    bars = [
        solids.box((2 * half + 2, 0.45, 0.7), (0, y, GROUND - 0.75), 0.0) for y in np.arange(-half + 1.5, half, 2.6)
    ]
    ends = [solids.box((2 * radius, 0.4, 1.0), (0, s * (half + 0.9), GROUND - 0.35), 0.0) for s in (1, -1)]
    spots = [(x, s * (half + 1.8)) for s in (1, -1) for x in np.arange(-radius, radius, 2.0)]
    rivets = [_rivet(x, y) for x, y in spots]
    return solids.union([solids.union(slots) - solids.union(bars), *ends]), solids.union(rivets)


def _cracked(radius: float, generator: np.random.Generator) -> tuple[Manifold, Manifold]:
    """Branching cracks in bare ground."""
    cracks = []
    for start in generator.uniform(0, 2 * np.pi, 5):
        point, way = np.array([np.cos(start), np.sin(start)]) * radius, start + np.pi + generator.uniform(-0.5, 0.5)
        for step in range(9):
            following = point + 2.0 * np.array([np.cos(way), np.sin(way)])
            width = 0.62 - 0.045 * step
            ends = [
                Manifold.cylinder(1.2, 0.06, width / 2, 6).translate((*p, GROUND - 0.6)) for p in (point, following)
            ]
            cracks.append(Manifold.batch_hull(ends))
            point, way = following, way + generator.uniform(-0.75, 0.75)
    return solids.union(cracks), Manifold()


def _spots(
    generator: np.random.Generator, radius: float, count: int, clear: Sequence[tuple[float, float]]
) -> list[tuple[float, float, float]]:
    """Where stones lie (x, y) and how large they are, away from the boots and inside the rim."""
    spots: list[tuple[float, float, float]] = []
    for _ in range(400):
        if len(spots) == count:
            break
        size = generator.uniform(0.5, 1.35)
        angle, distance = generator.uniform(0, 2 * np.pi), radius * np.sqrt(generator.uniform(0.1, 0.78))
        x, y = distance * np.cos(angle), distance * np.sin(angle)
        if distance + size < radius - 1.4 and all(np.hypot(x - u, y - v) > 2.5 + size for u, v in clear):
            spots.append((x, y, size))
    return spots


def _stone(generator: np.random.Generator, spot: tuple[float, float, float]) -> Manifold:
    """A broken stone or half a brick, sunk a little in the floor."""
    x, y, size = spot
    if generator.uniform() < 0.3:
        block = solids.box((size * 1.7, size * 1.0, size * 0.8), (0, 0, -size * 0.4), 0.1)
        turn = generator.uniform([-25, -25, 0], [25, 25, 360])
        return block.rotate(tuple(turn)).translate((x, y, GROUND + size * 0.28))
    points = generator.normal(size=(12, 3))
    points *= size / np.linalg.norm(points, axis=1, keepdims=True) * [1.0, 0.85, 0.75]
    return Manifold.hull_points(settled(points)).translate((x, y, GROUND + size * 0.2))


def block(at: Sequence[float], size: Sequence[float], turn: Sequence[float] = (0, 0, 0), seed: int = 0) -> Manifold:
    """A broken piece of concrete whose top face is flat, to set a boot on: `at` is the middle of its top."""
    generator = np.random.default_rng(seed)
    signs = np.array(np.meshgrid([-1, 1], [-1, 1], [0, 1])).reshape(3, -1).T.astype(float)
    signs[:, :2] *= np.where(signs[:, 2:] == 0, 1.0, 1.25)
    corners = signs * [size[0] / 2, size[1] / 2, -size[2]] + generator.uniform(-0.28, 0.28, (8, 3)) * [1, 1, 0]
    top = signs[:, 2] == 0
    lower = corners[top] * 1.08 - [0, 0, 0.22]
    solid = Manifold.hull_points(np.concatenate([corners, lower]))
    angles = generator.uniform(0, 2 * np.pi, 7)
    spots = np.column_stack(
        [np.cos(angles) * size[0] * 0.62, np.sin(angles) * size[1] * 0.62, generator.uniform(-0.5, 0.15, 7)]
    )
    turns = generator.uniform(0, 90, (7, 3))
    chips = [
        solids.box((1.3, 1.3, 1.3), (0, 0, -0.65), 0.0).rotate(tuple(t)).translate(tuple(settled(p)))
        for p, t in zip(spots, turns, strict=True)
    ]
    solid = solids.cut(solid, chips)
    return solid.rotate((turn[0], turn[1], turn[2])).translate((at[0], at[1], at[2]))
