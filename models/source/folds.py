"""Relief for `fields.displaced`: the folds of cloth where a limb bends or a leg is stuffed in a boot, and noise."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from models.source.fields import Field, displaced, unit, vector

Points = NDArray[np.float64]
Relief = Callable[[Points], NDArray[np.float64]]
"""Points (..., 3) to heights in millimetres."""

WAVES = 7
"""Waves that noise is made of."""


def noise(seed: int, wavelength: float) -> Relief:
    """Smooth random relief between about -1 and 1 whose bumps are about a wavelength apart."""
    generator = np.random.default_rng(seed)
    directions = generator.normal(size=(WAVES, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    numbers = 2 * np.pi / wavelength * generator.uniform(0.6, 1.5, WAVES)
    waves = (directions * numbers[:, None]).T
    phases = generator.uniform(0, 2 * np.pi, WAVES)

    def relief(points: Points) -> NDArray[np.float64]:
        heights: Points = np.sin(points @ waves + phases).sum(axis=-1) * (1.0 / np.sqrt(WAVES))
        return heights

    return relief


def rough(field: Field, seed: int, wavelength: float, depth: float) -> Field:
    """The field with smooth random relief of about `depth`."""
    bumps = noise(seed, wavelength)
    return displaced(field, lambda points: depth * bumps(points), 1.5 * depth)


def _ridges(phase: NDArray[np.float64]) -> NDArray[np.float64]:
    """Round ridges with narrow valleys between them, from -0.6 to 0.4, one for each turn of `phase`."""
    return np.sqrt(np.abs(np.cos(phase / 2))) - 0.6


def radiating(
    apex: ArrayLike,
    along: ArrayLike,
    outward: ArrayLike,
    *,
    folds: float = 7,
    depth: float = 0.3,
    reach: float = 2.6,
    seed: int = 0,
) -> Relief:
    """Folds that fan out from the inside of a bend.

    Args:
        apex: where cloth is pinched, on the inner side of the elbow, knee or crotch.
        along: the limb's direction there.
        outward: from the apex to the outer side of the bend.
        folds: how many ridges a full turn about the apex would have.
        depth: from valley to ridge, mm.
        reach: how far from the apex the folds die away, mm.
        seed: of the irregularity.
    """
    middle, first = vector(apex), unit(along)
    second = vector(outward) - (vector(outward) @ first) * first
    plane = np.stack([first, unit(second)], axis=1)
    irregular = noise(seed, 3.0)

    def relief(points: Points) -> NDArray[np.float64]:
        flat = (points - middle) @ plane
        distance = np.hypot(flat[..., 0], flat[..., 1])
        phase = folds * np.arctan2(flat[..., 0], flat[..., 1] + 0.2) + 1.4 * irregular(points)
        strength = np.exp(-((distance / reach) ** 4)) * np.clip(distance / 0.5, 0, 1)
        return depth * strength * _ridges(phase)

    return relief


def stacked(
    start: ArrayLike, end: ArrayLike, *, folds: float = 4, depth: float = 0.3, slant: float = 1.2, seed: int = 0
) -> Relief:
    """Folds one above the other round a limb from start to end, uneven and slanting, as trousers have above boots."""
    first, axis = vector(start), vector(end) - vector(start)
    length = float(np.linalg.norm(axis))
    share = axis / length**2
    irregular, steep = noise(seed, 3.5), noise(seed + 1, 7.0)

    def relief(points: Points) -> NDArray[np.float64]:
        place = (points - first) @ share
        phase = 2 * np.pi * folds * place + slant * irregular(points) + slant * steep(points)
        strength = np.exp(-((np.abs(2 * place - 1) * 0.9) ** 4))
        return depth * strength * _ridges(phase)

    return relief


def folded(field: Field, *reliefs: Relief, most: float = 0.4) -> Field:
    """The field with these reliefs added up; `most` is the greatest height they reach."""

    def height(points: Points) -> NDArray[np.float64]:
        return np.clip(sum(relief(points) for relief in reliefs), -most, most)

    return displaced(field, height, most)
