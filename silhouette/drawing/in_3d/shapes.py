"""DRAW: shapes for display alone, never for verdicts: meshes made simpler and coloured, and plain bodies for boards."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from silhouette.common.errors import RequestError
from silhouette.common.geometry import Floats
from silhouette.common.installation import package_command
from silhouette.files.cache import Arrays, Cache
from silhouette.meshes.bounds import bounding_points
from silhouette.meshes.formats.colours import LINEAR_LIGHT, Bytes, as_bytes
from silhouette.meshes.formats.polygons import fans, mended
from silhouette.meshes.mesh import Mesh, merge_equal
from silhouette.meshes.stored import POINT_WEIGHTS, display_colours
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
    """The colours (m, 3) of faces, each the mean, in light, of those of the points (p, 3), at least one, that lie
    nearest to four of its own.

    >>> square = np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
    >>> halves = np.array([[0, 1, 2], [0, 2, 3]])
    >>> colours = np.array([[200, 0, 0], [0, 200, 0]], np.uint8)
    >>> nearest_colours(square, halves, np.array([[0.7, 0.3, 0], [0.3, 0.7, 0]]), colours).tolist()
    [[200, 0, 0], [0, 200, 0]]
    """
    places = np.einsum("sc,mck->smk", POINT_WEIGHTS.astype(np.float64), vertices[faces])
    nearest = scipy.spatial.cKDTree(points, balanced_tree=False, compact_nodes=False).query(places.reshape(-1, 3))[1]
    return as_bytes(LINEAR_LIGHT[colours[nearest]].reshape(len(POINT_WEIGHTS), -1, 3).mean(axis=0))


# ---- shapes

# The most triangles of one mesh on a page; with these a sculpt keeps its face and fingers.
MAX_DISPLAY_TRIANGLES = 24_000
MAX_PAGE_TRIANGLES = 260_000  # the most triangles of all meshes of a page: some two megabytes
MIN_TRIANGLES = 60  # the fewest triangles that a mesh is simplified to
AGGRESSION = 5.0  # the speed at which edges are collapsed: a lower one keeps the outline better


@dataclass(frozen=True, eq=False)
class DisplayShape:
    """A surface for display, in its own frame."""

    vertices: Floats  # (n, 3) float64
    faces: NDArray[np.int64]  # (m, 3) int64; those that do not count, ``ghosts`` of them, come last
    ghosts: int = 0
    flat: bool = False  # whether it is a plain solid, whose edges are drawn
    # (m - ghosts, 3) uint8, of the faces that count; None where it is shown in the colour of its part
    colours: Bytes | None = None
    # (h, 3) points in whose convex hull lies what counts, of a shape that is judged in the page; None of any other
    hull: Floats | None = None

    @classmethod
    def exactly(cls, model: Model) -> DisplayShape:
        """A model with all of its triangles, for a page that judges."""
        counting, ignored = model.significant, model.ignored
        vertices, merged = merge_equal(np.concatenate([counting.vertices, ignored.vertices]))
        every = merged[np.concatenate([counting.faces, ignored.faces + len(counting.vertices)])].astype(np.int64)
        hull = bounding_points(counting) if len(counting.faces) else np.zeros((0, 3))
        return cls(vertices, every, len(ignored.faces), model.format == "parts", hull=hull)

    @classmethod
    def of(cls, model: Model, cache: Cache, most: int) -> DisplayShape:
        """A model with at most so many triangles, in the colours of its file; what counts, base and all else stay apart
        in it. Solids of the scene have flat faces.
        """
        counting, ignored, paint = model.significant, model.ignored, painter(model, cache)
        share = min(most / max(len(counting.faces) + len(ignored.faces), 1), 1.0)
        (points, faces), (other_points, other_faces) = (
            simplified(mesh, max(round(share * len(mesh.faces)), MIN_TRIANGLES), cache) for mesh in (counting, ignored)
        )
        colours = None
        if paint is not None and len(faces):
            colours = paint(f"{len(faces)} {counting.digest}", points, faces)
        vertices, every = np.concatenate([points, other_points]), np.concatenate([faces, other_faces + len(points)])
        return cls(vertices, every, len(other_faces), model.format == "parts", colours)


def simplified(mesh: Mesh, most: int, cache: Cache) -> tuple[Floats, NDArray[np.int64]]:
    """Vertices (n, 3) and faces (m, 3) of a mesh with about ``most`` triangles, or fewer; as of `check_available`."""
    if not len(mesh.faces):
        return np.zeros((0, 3)), np.zeros((0, 3), np.int64)
    if len(mesh.faces) <= most:
        return mesh.vertices, mesh.faces.astype(np.int64)
    arrays = cache.fetch(f"simple {most} {mesh.digest}", lambda: _collapsed(mesh, most))
    return arrays["vertices"].astype(np.float64), arrays["faces"].astype(np.int64)


def check_available() -> None:
    """Refuses, before anything is judged, where fast-simplification is not installed: RequestError that says how."""
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


DISPLAY_SIDES = 36


def prism(polygon: Any, low: float, high: float) -> DisplayShape:
    """A prism that stands upright over a simple polygon (n, 2), which may be concave.

    >>> shape = prism([[0, 0], [4, 0], [1, 1], [0, 4]], 0.0, 2.0)
    >>> shape.vertices.shape, len(shape.faces), shape.flat
    ((8, 3), 12, True)
    """
    corners = np.asarray(polygon, dtype=np.float64)
    count = len(corners)
    below = np.column_stack([corners, np.full(count, low)])
    above = np.column_stack([corners, np.full(count, high)])
    cap = fans(np.arange(count), np.array([count]))
    cap = np.asarray(mended(above, cap, np.zeros(len(cap), dtype=np.int64)), dtype=np.int64)
    here, after = np.arange(count), np.roll(np.arange(count), -1)
    sides = np.concatenate(
        [np.stack([here, after, after + count], axis=1), np.stack([here, after + count, here + count], axis=1)]
    )
    faces = np.concatenate([cap[:, ::-1], cap + count, sides])
    return DisplayShape(np.concatenate([below, above]), faces, flat=True)


def turned(profile: Sequence[tuple[float, float]], sides: int = DISPLAY_SIDES) -> DisplayShape:
    """A solid of revolution, from the radius and height of each ring, the lowest first.

    >>> turned([(1.0, 0.0), (1.0, 2.0)], sides=4).vertices.shape
    (10, 3)
    """
    angle = 2.0 * np.pi * np.arange(sides) / sides
    ring = np.column_stack([np.cos(angle), np.sin(angle)])
    levels = [(0.0, profile[0][1]), *profile, (0.0, profile[-1][1])]
    rings = [np.column_stack([radius * ring, np.full(sides, height)]) for radius, height in levels[1:-1]]
    ends = np.array([[0.0, 0.0, levels[0][1]], [0.0, 0.0, levels[-1][1]]])
    here, after = np.arange(sides), np.roll(np.arange(sides), -1)
    faces = []
    for number in range(len(rings) - 1):
        low, high = number * sides, (number + 1) * sides
        faces += [np.stack([low + here, low + after, high + after], axis=1)]
        faces += [np.stack([low + here, high + after, high + here], axis=1)]
    bottom, top = len(rings) * sides, len(rings) * sides + 1
    last = (len(rings) - 1) * sides
    faces += [np.stack([after, here, np.full(sides, bottom)], axis=1)]
    faces += [np.stack([last + here, last + after, np.full(sides, top)], axis=1)]
    return DisplayShape(np.concatenate([*rings, ends]), np.concatenate(faces), flat=True)


def together(*shapes: DisplayShape, at: Sequence[Any] = ()) -> DisplayShape:
    """Several shapes as one; ``at`` gives the place (x, y, z) of each, by default the origin.

    >>> one = prism([[0, 0], [1, 0], [0, 1]], 0.0, 1.0)
    >>> together(one, one, at=[(0, 0, 0), (5, 0, 0)]).vertices[:, 0].max()
    np.float64(6.0)
    """
    places = [np.asarray(place, dtype=np.float64) for place in at] or [np.zeros(3)] * len(shapes)
    starts = np.cumsum([0, *(len(shape.vertices) for shape in shapes)])
    vertices = np.concatenate([shape.vertices + place for shape, place in zip(shapes, places, strict=True)])
    faces = np.concatenate([shape.faces + start for shape, start in zip(shapes, starts, strict=False)])
    return DisplayShape(vertices, faces, flat=True)


def pawn(diameter: float, height: float) -> DisplayShape:
    """A game piece on a round base."""
    radius, body = diameter / 2.0, height
    foot = min(0.12 * diameter, 0.12 * height)
    head = min(0.42 * radius, 0.16 * height)
    neck = body - 2.2 * head
    arcs = np.linspace(-0.4 * np.pi, 0.5 * np.pi, 9)
    ball = [(head * float(np.cos(arc)), body - head + head * float(np.sin(arc))) for arc in arcs]
    ball[-1] = (0.02 * head, body)
    waist = [(0.62 * radius, foot), (0.34 * radius, 0.45 * neck), (0.3 * radius, neck)]
    return turned([(radius, 0.0), (radius, 0.8 * foot), (0.94 * radius, foot), *waist, *ball])


def box(low: Floats, high: Floats) -> DisplayShape:
    """A box along the axes, from its least to its greatest corner."""
    (left, front, bottom), (right, back, top) = low, high
    return prism([[left, front], [right, front], [right, back], [left, back]], float(bottom), float(top))
