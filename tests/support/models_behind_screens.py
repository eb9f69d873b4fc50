"""Cases of sight with the project's own models, of some 27,000 triangles, behind screens with fine patterns.

All of a screen lies before the model. So what it obscures of the model is what its pattern has in common with the
model's image, a polygon that is worked out once for each eye.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import shapely

from silhouette.common.geometry import Floats
from silhouette.files.cache import Cache
from silhouette.models.model import load_model
from tests.support.exact_shares import ExactShares
from tests.support.sight_cases import (
    Case,
    Screen,
    any_size,
    any_turn,
    bars,
    disc,
    part_of,
    rectangle,
    scattered,
)

MODELS = Path(__file__).resolve().parents[2] / "models"

GRID = 1e-10
"""mm, that polygons are rounded to: a share is right to within 1e-9."""


def cases_behind_screens(name: str, count: int, seed: int = 0) -> Iterator[tuple[Case, ExactShares]]:
    """Cases with a model of that name, each with its exact shares; all from one eye."""
    random = np.random.default_rng(seed)
    model = load_model(MODELS / f"{name}.toml", Cache.default()).significant
    angle = random.uniform(0, 2 * np.pi)
    eye = model.bounds.mean(axis=0) + random.uniform(80, 300) * np.array([np.cos(angle), np.sin(angle), 0.2])
    any_screen = Screen.before(model, eye, 0.5)
    image = any_screen.image(model)
    nearest = float(((model.vertices - eye) @ any_screen.axes[2]).min()) / any_screen.distance
    for _ in range(count):
        screen = Screen.before(model, eye, min(float(random.uniform(0.05, 0.7)), 0.98 * nearest))
        drawn = any_pattern(random, screen.outline(model), image)
        seen = shapely.difference(image, drawn, grid_size=GRID).area / image.area
        hidden = shapely.intersection(image, drawn, grid_size=GRID).area / image.area
        exact = ExactShares(image.area / screen.distance**2, hidden, seen, 1.0, hidden, (hidden,), (hidden,), 1)
        yield Case(model, (screen.draw(drawn),), eye), exact


def any_pattern(random: np.random.Generator, outline: Floats, image: Any) -> Any:
    """Dots, wires, bars, a plate with holes, or a wall that hides all but for pinholes, a slit or a sliver.

    Args:
        random: draws it.
        outline: (4,) of the target on the screen.
        image: the polygons of the target there.
    """
    kind = int(random.integers(7))
    wall = shapely.box(*np.add(outline, [-8, -8, 8, 8]))
    shape = disc((0, 0), any_size(random), int(random.integers(3, 8)))
    if kind == 0:
        return scattered(random, shape, outline, int(any_size(random, 1, 90)))
    if kind == 1:
        places = random.uniform(outline[:2], outline[2:], (int(random.integers(1, 5)), 2))
        return shapely.union_all([rectangle(at, 90.0, any_size(random, 0.005, 0.3), any_turn(random)) for at in places])
    if kind == 2:
        period = 0.1 * float(random.integers(2, 11))
        return bars(min(12.0, 20 * period), period * random.uniform(0.1, 0.9), period, any_turn(random))
    if kind == 3:
        return part_of(random, outline, random.uniform(0.3, 0.8)).difference(scattered(random, shape, outline, 60))
    if kind == 4:
        return wall.difference(scattered(random, shape, outline, int(random.integers(1, 6))))
    if kind == 5:
        return wall.difference(
            rectangle(image.centroid.coords[0], 20.0, any_size(random, 0.002, 0.1), any_turn(random))
        )
    end = outline[3] - any_size(random, 0.002, 0.5)
    return shapely.box(outline[0] - 8, outline[1] - 8, outline[2] + 8, end)
