"""DRAW: meshes made simpler and coloured, for display alone; verdicts never use them.

Mesh -> few triangles (quadric edge collapse, by fast-simplification) -> `Shape`
coloured points on the surface of the file that a model came from -> the colour of each triangle
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from silhouette.common.installation import package_command
from silhouette.errors import RequestError
from silhouette.files.cache import Arrays, Cache
from silhouette.geometry import Floats
from silhouette.meshes.formats.colours import LIGHT, Bytes, as_bytes
from silhouette.meshes.mesh import Mesh, merge_equal
from silhouette.meshes.stored import POINTS, display_colours
from silhouette.models.model import Model

# ---- colours

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


# ---- shapes

MOST_TRIANGLES = 24_000
"""The most triangles of one mesh on a page; with these a sculpt keeps its face and fingers."""

MOST_IN_ALL = 260_000
"""The most triangles of all meshes of a page: some two megabytes."""

MIN_TRIANGLES = 60
"""The fewest triangles that a mesh is simplified to."""

AGGRESSION = 5.0
"""The speed at which edges are collapsed: a lower one keeps the outline better."""


@dataclass(frozen=True, eq=False)
class Shape:
    """A surface for display, in its own frame.

    Attributes:
        vertices: (n, 3) float64.
        faces: (m, 3) int64; those that do not count come last.
        ghosts: how many of the faces do not count.
        flat: whether it is a plain solid, whose edges are drawn.
        colours: (m - ghosts, 3) uint8, of the faces that count; None where it is shown in the colour of its part.
    """

    vertices: Floats
    faces: NDArray[np.int64]
    ghosts: int = 0
    flat: bool = False
    colours: Bytes | None = None

    @classmethod
    def of(
        cls, counting: Mesh, ignored: Mesh, cache: Cache, most: int, flat: bool, painter: Painter | None = None
    ) -> Shape:
        """The shape of a model.

        Args:
            counting: what of it counts.
            ignored: what does not: base and insignificant parts.
            cache: keeps what was made simpler.
            most: triangles; each of the two keeps its part of them.
            flat: whether it is a plain solid.
            painter: what colours it, if anything does.
        """
        total = len(counting.faces) + len(ignored.faces)
        share = min(most / max(total, 1), 1.0)
        surfaces = [
            simplified(mesh, max(round(share * len(mesh.faces)), MIN_TRIANGLES), cache) if len(mesh.faces) else None
            for mesh in (counting, ignored)
        ]
        present = [surface for surface in surfaces if surface is not None]
        starts = np.cumsum([0, *(len(vertices) for vertices, _ in present)])
        vertices = np.concatenate([surface[0] for surface in present]) if present else np.zeros((0, 3))
        faces = [faces + start for (_, faces), start in zip(present, starts, strict=False)]
        joined = np.concatenate(faces) if faces else np.zeros((0, 3), np.int64)
        colours = None
        if painter is not None and surfaces[0] is not None:
            colours = painter(f"{len(surfaces[0][1])} {counting.digest}", *surfaces[0])
        return cls(vertices, joined, 0 if surfaces[1] is None else len(surfaces[1][1]), flat, colours)


def simplified(mesh: Mesh, most: int, cache: Cache) -> tuple[Floats, NDArray[np.int64]]:
    """Vertices (n, 3) and faces (m, 3) of a mesh with about ``most`` triangles, or fewer.

    Raises:
        RequestError: where fast-simplification is not installed; it says how to install it.
    """
    if len(mesh.faces) <= most:
        return mesh.vertices, mesh.faces.astype(np.int64)
    kept = cache.fetch(f"simple {most} {mesh.digest}", lambda: _collapsed(mesh, most))
    return kept["vertices"].astype(np.float64), kept["faces"].astype(np.int64)


def check_available() -> None:
    """Checks, before anything is judged, that meshes can be simplified.

    Raises:
        RequestError: where fast-simplification is not installed; it says how to install it.
    """
    try:
        import fast_simplification  # noqa: F401
    except ImportError:
        raise RequestError(
            "a page of this scene needs fast-simplification, which is not installed; "
            f"install it with: {package_command('fast-simplification')}"
        ) from None


def _collapsed(mesh: Mesh, most: int) -> Arrays:
    check_available()
    from fast_simplification import simplify

    low = mesh.bounds[0]
    points, faces = simplify((mesh.vertices - low).astype(np.float32), mesh.faces, target_count=most, agg=AGGRESSION)
    vertices, merged = merge_equal(np.asarray(points, dtype=np.float64) + low)
    corners = merged[np.asarray(faces, dtype=np.int64)]
    first, second, third = corners.T
    whole = corners[(first != second) & (second != third) & (third != first)]
    return {"vertices": vertices.astype(np.float32), "faces": whole.astype(np.int32)}
