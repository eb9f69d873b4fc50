"""PLACE: the mesh of one piece, cut out of the scan, brought down to what it stands on and closed, and its file.

    labels -> its faces -> rim pulled down to the ground -> holes closed (terrain) or measured (figures) -> PieceMesh

No camera sees what terrain stands on, nor the bottom of a narrow gap in it: such holes are closed, so that nothing is
seen through them. Between the legs of a figure there may be body or nothing: those holes stay open, and are doubt.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from silhouette.common.geometry import Flags, Floats, Integers
from silhouette.meshes.health import boundary, used_vertices
from silhouette.meshes.holes import CLOSING, close
from silhouette.meshes.mesh import Mesh
from silhouette.scans.bases import Disc
from silhouette.scans.read import Colours

# ---- alpha shape


def alpha_shape(points: Floats, radius: float) -> Integers:
    """Triangles (m, 3) int32, rows of the points (n, 3), of the surface over which a ball of some radius rolls.

    It is larger than gaps between neighbouring points, and smaller than openings to be kept. None where there are too
    few points, or all lie in one plane.

    After alpha shapes (H. Edelsbrunner and E. P. Muecke, "Three-dimensional alpha shapes", 1994): of the triangles in
    the Delaunay triangulation those are kept whose circumscribed circle has no more than the radius, so that the ball
    does not fall through between them. Those inside a thick crust of noisy points are left out: both tetrahedra beside
    them are small too.

    >>> corners = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    >>> len(alpha_shape(corners, radius=2.0)), len(alpha_shape(corners, radius=0.1)), len(alpha_shape(corners[:3], 1.0))
    (4, 0, 0)
    """
    try:
        tetrahedra = scipy.spatial.Delaunay(points).simplices.astype(np.int64)
    except (scipy.spatial.QhullError, ValueError):
        return np.empty((0, 3), dtype=np.int32)
    is_body = np.repeat(_radii(points[tetrahedra]) <= radius, 4)
    faces = np.sort(tetrahedra[:, [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]]].reshape(-1, 3), axis=1)
    key = (faces[:, 0] * len(points) + faces[:, 1]) * len(points) + faces[:, 2]
    _, first, number = np.unique(key, return_index=True, return_inverse=True)
    faces = faces[first]
    inner = np.bincount(number, is_body) == 2
    surface: Integers = faces[~inner & (_radii(points[faces]) <= radius)].astype(np.int32)
    return surface


def _radii(corners: Floats) -> Floats:
    """The radii (n,) of the circles or balls through the corners (n, 3 or 4, 3) of triangles or tetrahedra."""
    sides = corners[:, 1:] - corners[:, :1]
    with np.errstate(divide="ignore", invalid="ignore"):
        if corners.shape[1] == 3:
            a, b, c = (np.linalg.norm(corners[:, k] - corners[:, k - 1], axis=1) for k in range(3))
            radii = a * b * c / (2.0 * np.linalg.norm(np.cross(sides[:, 0], sides[:, 1]), axis=1))
        else:
            turned = np.cross(sides[:, [1, 2, 0]], sides[:, [2, 0, 1]])
            across = ((sides**2).sum(axis=2)[:, :, None] * turned).sum(axis=1)
            radii = np.linalg.norm(across, axis=1) / (2.0 * np.abs(np.linalg.det(sides)))
    return np.where(np.isfinite(radii), radii, np.inf)  # flat ones


# ---- piece meshes

FILLET = 4.0
"""mm: a scan rounds off the seam between a piece and the table to about this height, three voxels of a coarse scan."""

BALL, LARGE_BALL = 2.5, 4.0
"""The radius of the ball that rolls over a cloud of points, in distances between neighbouring points: of a figure, and
of terrain, in which small gaps are those of the scan."""


@dataclass(frozen=True, eq=False)
class PieceMesh:
    """The surface of a piece as it was scanned, in its own frame: mm, z up, its origin where the piece stands."""

    vertices: Floats  # (n, 3) float64
    faces: Integers  # (m, 3) int32
    colours: Colours | None  # (n, 3) uint8, or None
    holes: int  # how many holes were closed, its underside among them
    largest: float  # mm, the diagonal of the box round the largest of them
    open_area: float  # mm2 of holes that were left open, because what lies behind them was never seen


def owners(faces: Integers, labels: NDArray[np.int32]) -> NDArray[np.int32]:
    """The piece (m,) that each face (m, 3) belongs to: 0 the table, -1 what is left out.

    A face between a piece and the table belongs to the piece, which it joins to the ground; one between two pieces to
    that of two of its corners, or to the lower number; one with a corner that is left out is left out.

    >>> owners(np.array([[0, 1, 2], [2, 3, 4], [3, 4, 5]], np.int32), np.array([0, 0, 1, 2, 2, -1], np.int32)).tolist()
    [1, 2, -1]
    """
    corners = np.sort(labels[faces], axis=1)
    least, middle, most = corners.T
    # Of three sorted labels the middle one is that of two corners, if any; the table gives way to a piece.
    owner = np.where((middle == most) | (middle == least), middle, least)
    owner = np.where(least == 0, np.where(middle == 0, most, middle), owner)
    return np.where(least < 0, -1, owner).astype(np.int32)


def piece_mesh(
    points: Floats,
    faces: Integers,
    colours: Colours | None,
    origin: Floats,
    spacing: float,
    is_terrain: bool,
    carries: Sequence[Disc] = (),
) -> PieceMesh:
    """The mesh of a piece in its own frame.

    Args:
        points: (n, 3) mm on the table, of the whole scan.
        faces: (m, 3) of this piece alone; of a cloud (k, 1) its points, which are joined into a surface.
        colours: (n, 3) of the scan's points, or None.
        origin: (3,) mm on the table, which becomes the origin; its z is what the piece stands on.
        spacing: mm between neighbouring points.
        is_terrain: whether its holes are to be closed.
        carries: bases that stand on it, mm on the table: it goes through below them, level.
    """
    used = used_vertices(faces, len(points))
    own = _below(points[used], carries) - origin
    tint = None if colours is None else colours[used]
    if faces.shape[1] == 1:
        return _of_cloud(own, tint, spacing * (LARGE_BALL if is_terrain else BALL))
    faces = (np.cumsum(used) - 1).astype(np.int32)[faces]
    mesh = Mesh(_grounded(own, faces), faces, np.zeros(len(faces), np.int32))
    if not is_terrain or len(faces) == 0:
        return PieceMesh(mesh.vertices, mesh.faces, tint, 0, 0.0, _open_area(mesh))
    closed = close(mesh)
    if closed.mesh is mesh:
        return PieceMesh(mesh.vertices, mesh.faces, tint, 0, 0.0, 0.0)
    if tint is not None:
        _, nearest = cKDTree(mesh.vertices).query(closed.mesh.vertices)
        tint = tint[nearest]
    return PieceMesh(closed.mesh.vertices, closed.mesh.faces, tint, closed.holes, closed.largest, 0.0)


def _of_cloud(points: Floats, tint: Colours | None, radius: float) -> PieceMesh:
    """The surface over which a ball rolls, with a wall from the lowest points to the ground."""
    low = (points[:, 2] > 0.0) & (points[:, 2] < FILLET)
    feet = points[low] * [1.0, 1.0, 0.0]
    points = np.concatenate([points, feet])
    tint = None if tint is None else np.concatenate([tint, tint[low]])
    return PieceMesh(points, alpha_shape(points, radius), tint, 0, 0.0, 0.0)


def _below(points: Floats, discs: Sequence[Disc]) -> Floats:
    """The points (n, 3) with the fillets round bases that stood there put down to what these stand on."""
    lowered = points.copy()
    for disc in discs:
        near = np.hypot(*(points[:, :2] - disc.centre).T) < disc.diameter / 2.0 + FILLET
        fillet = near & (points[:, 2] > disc.ground) & (points[:, 2] < disc.ground + disc.height + FILLET)
        lowered[fillet, 2] = disc.ground
    return lowered


def _grounded(points: Floats, faces: Integers) -> Floats:
    """The points (n, 3) with those on an open rim near the ground put on it: z = 0.

    A scan has no underside, and its seam with the table is a rounded fillet: without this one would look under a piece.
    """
    if len(faces) == 0:
        return points
    on_rim = np.zeros(len(points), dtype=np.bool_)
    on_rim[boundary(faces, len(points))[:, :2].ravel()] = True
    grounded = points.copy()
    grounded[on_rim & (np.abs(points[:, 2]) < FILLET), 2] = 0.0
    return grounded


def _open_area(mesh: Mesh) -> float:
    """mm2 of the holes above the ground that are left open; what a figure stands on is none."""
    if len(mesh.faces) == 0:
        return 0.0
    above: Flags = mesh.vertices[mesh.faces][:, :, 2].max(axis=1) > FILLET
    if not above.any() or len(boundary(mesh.faces, len(mesh.vertices))) == 0:
        return 0.0
    closed = close(mesh).mesh
    if CLOSING not in closed.part_names:
        return 0.0
    added = closed.vertices[closed.faces[closed.part == closed.part_names.index(CLOSING)]]
    added = added[added[:, :, 2].max(axis=1) > FILLET]
    return float(np.linalg.norm(np.cross(added[:, 1] - added[:, 0], added[:, 2] - added[:, 0]), axis=1).sum() / 2.0)


# ---- mesh writing


def ply_bytes(vertices: Floats, faces: Integers, colours: NDArray[np.uint8] | None = None) -> bytes:
    """A binary PLY file of a mesh in mm, z up, which reads back exactly; the same mesh gives the same bytes.

    The project takes a PLY file to be so. But what is of an odd size for its kind, such as terrain of 5 mm, is taken to
    be in other units: only ``units = "mm"`` beside its name is sure.

    Args:
        vertices: (n, 3) float64, which is what is stored.
        faces: (m, 3) rows of vertex indices; none for a cloud of points.
        colours: (n, 3) uint8 red, green and blue of each vertex.

    >>> ply_bytes(np.zeros((1, 3)), np.zeros((0, 3), np.int32)).splitlines()[:4]
    [b'ply', b'format binary_little_endian 1.0', b'element vertex 1', b'property double x']
    """
    columns = [(axis, "<f8", "double", values) for axis, values in zip("xyz", np.asarray(vertices).T, strict=True)]
    if colours is not None:
        columns += [(name, "u1", "uchar", tint) for name, tint in zip(("red", "green", "blue"), colours.T, strict=True)]
    rows = np.empty(len(vertices), np.dtype([(name, kind) for name, kind, _, _ in columns]))
    for name, _, _, values in columns:
        rows[name] = values
    triangles = np.empty(len(faces), np.dtype([("count", "u1"), ("corners", "<i4", (3,))]))
    triangles["count"], triangles["corners"] = 3, faces
    header = [
        "ply",
        "format binary_little_endian 1.0",
        f"element vertex {len(rows)}",
        *(f"property {word} {name}" for name, _, word, _ in columns),
        f"element face {len(triangles)}",
        "property list uchar int vertex_indices",
        "end_header",
        "",
    ]
    return "\n".join(header).encode("ascii") + rows.tobytes() + triangles.tobytes()
