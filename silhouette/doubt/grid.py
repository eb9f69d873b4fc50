"""JUDGE, maps: their points: a square grid over the top of the table, or the part of it round where a model stands."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from silhouette.errors import RequestError
from silhouette.geometry import Floats
from silhouette.scenes.ground import Indices

FINEST = 1.0
"""mm: no grid is finer."""

MOST = 1_000_000
"""The most points of a map."""

NEXT_TO = 1e-9
"""Steps of the grid by which a point may lie beyond the edge of the table, where sizes are rounded."""


def check_grid(grid: float, within: float | None) -> None:
    """Refuses a grid or a distance that no map has.

    Raises:
        RequestError: where the grid is finer than a millimetre or no number, or the distance below 0.

    >>> check_grid(0.5, None)
    Traceback (most recent call last):
    ...
    silhouette.errors.RequestError: --grid 0.5: no grid is finer than 1 mm; give the mm between two points, such as 25.4
    """
    if not FINEST <= grid < np.inf:
        raise RequestError(
            f"--grid {grid:g}: no grid is finer than {FINEST:g} mm; give the mm between two points, such as 25.4"
        )
    if within is not None and not 0.0 <= within < np.inf:
        raise RequestError(f"--within {within:g}: give mm from where it stands, 0 or more")


def grid_points(path: Path, table: Floats, start: Floats, grid: float, within: float | None) -> tuple[Indices, Floats]:
    """The points at which a map is made: their numbers (q, 2) along x and y, and where they lie (q, 2), mm.

    Point (i, j) lies (i + 1/2, j + 1/2) steps from the least corner of the table; rows of x follow each other.

    Args:
        path: of the scene, for messages.
        table: (2, 2) mm, the least and the greatest x and y of the table's top.
        start: (2,) mm, where the model stands.
        grid: mm between two points.
        within: mm: only points so near to where it stands; None for all.

    Raises:
        RequestError: where no point is left, or more than a million.

    >>> square = np.array([[0.0, 0.0], [20.0, 10.0]])
    >>> numbers, points = grid_points(Path("duel.toml"), square, np.zeros(2), 10.0, None)
    >>> numbers.tolist(), points.tolist()
    ([[0, 0], [1, 0]], [[5.0, 5.0], [15.0, 5.0]])
    >>> grid_points(Path("duel.toml"), square, np.zeros(2), 10.0, 7.0)
    Traceback (most recent call last):
    ...
    silhouette.errors.RequestError: duel.toml: --within 7: no point of a grid of 10 mm is so near; give more
    """
    low, high = table
    counts = np.floor((high - low) / grid + 0.5 + NEXT_TO)
    if not counts.all():
        raise RequestError(
            f"{path}: --grid {grid:g}: no point of it lies on the table, which is {high[0] - low[0]:g} by "
            f"{high[1] - low[1]:g} mm; give less"
        )
    first, last = np.zeros(2), counts - 1.0
    if within is not None:
        first = np.maximum(first, np.ceil((start - within - low) / grid - 0.5 - NEXT_TO))
        last = np.minimum(last, np.floor((start + within - low) / grid - 0.5 + NEXT_TO))
    sides = np.maximum(last - first + 1.0, 0.0)
    # A circle fills its square by more than three quarters: a square of more is refused before it is made.
    if sides.prod() > (MOST if within is None else 4 * MOST / np.pi + 8 * np.sqrt(MOST)):
        raise _too_many(path, float(sides.prod()), grid)
    x, y = (np.arange(int(side)) + int(begin) for side, begin in zip(sides, first, strict=True))
    across, up = np.meshgrid(x, y)
    numbers = np.column_stack([across.ravel(), up.ravel()])
    points = low + (numbers + 0.5) * grid
    if within is not None:
        near = np.hypot(*(points - start).T) <= within + NEXT_TO * grid
        numbers, points = numbers[near], points[near]
        if not len(points):
            raise RequestError(f"{path}: --within {within:g}: no point of a grid of {grid:g} mm is so near; give more")
    if len(points) > MOST:
        raise _too_many(path, float(len(points)), grid)
    return numbers, points


def _too_many(path: Path, count: float, grid: float) -> RequestError:
    """The error of a map that is too large, with a grid that would fit."""
    fits = np.ceil(10.0 * grid * np.sqrt(count / MOST) * 1.001) / 10.0
    number = f"{count:,.0f}".replace(",", " ")
    return RequestError(
        f"{path}: --grid {grid:g}: {number} points are more than the million that a map has at most; "
        f"--grid {fits:g} would fit, or a smaller --within"
    )
