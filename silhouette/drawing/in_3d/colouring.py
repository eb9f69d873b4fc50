"""DRAW: the colours of shapes for display, from coloured points on the surface of the file that a model came from."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from silhouette.files.cache import Cache
from silhouette.geometry import Floats
from silhouette.meshes.display import POINTS, display_colours
from silhouette.meshes.formats.colours import LIGHT, Bytes, as_bytes
from silhouette.models.model import Model

Painter = Callable[[str, Floats, NDArray[np.int64]], Bytes]
"""Given a name for a surface, its vertices (n, 3) and its faces (m, 3), the colours (m, 3) of these."""


def painter(model: Model, cache: Cache) -> Painter | None:
    """What colours the faces of shapes in a model's frame; None where its file has no colours to show."""
    origin = model.drawn_from
    paint = None if origin is None else display_colours(origin.path, cache)
    if origin is None or paint is None:
        return None
    place = f"{paint.digest} {origin.up} {origin.factor!r} {origin.shift.tolist()}"

    def painted(name: str, vertices: Floats, faces: NDArray[np.int64]) -> Bytes:
        def build() -> dict[str, Bytes]:
            return {"colours": nearest_colours(vertices, faces, origin.placed(paint.points), paint.colours)}

        return cache.fetch(f"painted {name} {place}", build)["colours"]

    return painted


def nearest_colours(vertices: Floats, faces: NDArray[np.int64], points: Floats, colours: Bytes) -> Bytes:
    """The colours (m, 3) of faces, each the mean, in light, of those that lie nearest to four of its points.

    Args:
        vertices: (n, 3).
        faces: (m, 3).
        points: (p, 3), at least one, of which the colours are known.
        colours: (p, 3).

    >>> square = np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
    >>> halves = np.array([[0, 1, 2], [0, 2, 3]])
    >>> colours = np.array([[200, 0, 0], [0, 200, 0]], np.uint8)
    >>> nearest_colours(square, halves, np.array([[0.7, 0.3, 0], [0.3, 0.7, 0]]), colours).tolist()
    [[200, 0, 0], [0, 200, 0]]
    """
    from scipy.spatial import cKDTree

    places = np.einsum("sc,mck->smk", POINTS.astype(np.float64), vertices[faces])
    nearest = cKDTree(points, balanced_tree=False, compact_nodes=False).query(places.reshape(-1, 3))[1]
    return as_bytes(LIGHT[colours[nearest]].reshape(len(POINTS), -1, 3).mean(axis=0))
