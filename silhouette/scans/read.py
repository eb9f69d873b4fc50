"""READ: the file of a scan becomes points as they are stored, welded, with their triangles and colours.

Vertices in one place become one, so that a surface hangs together that its file stores in pieces.

STL stores three vertices for each triangle. Where a picture has a seam, and where an app writes a scan in chunks,
glTF stores what is one vertex several times. Steps that go from neighbour to neighbour need them joined.
"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from silhouette.common.geometry import Floats, Integers, components
from silhouette.files.archives import Archive, ArchiveError, collision_key
from silhouette.files.reading import MAX_FILE_BYTES, read_file
from silhouette.meshes.formats.base import MeshRefused, referred
from silhouette.meshes.formats.usd import USD
from silhouette.meshes.health import boundary, extremes, used_vertices
from silhouette.meshes.mesh import merge_equal
from silhouette.meshes.opening import MESH_FORMATS, Source, check_signature, opened, plainly
from silhouette.meshes.stored import read_stored

# ---- archive


def mesh_in(data: bytes) -> Source:
    """The one mesh of a zip archive, with what fetches its materials and pictures; of several the one OBJ.

    Raises:
        MeshRefused: where the archive holds no mesh or several, is encrypted or damaged, or is made to harm: names that
            lead out of it, links, far more than it seems to hold.
    """
    try:
        archive = Archive(data, "export the scan again")
        name = _mesh(archive.names())
        content = archive.read(name)
    except ArchiveError as error:
        raise MeshRefused(str(error)) from None
    ending = _ending(name)
    check_signature(content, ending)
    folder = posixpath.dirname(name)
    return Source(ending, content, lambda reference: _fetched(archive, folder, reference))


def _mesh(names: dict[str, str]) -> str:
    """The name of the one mesh, among names as `Archive.names` gives them."""
    every = sorted(name for name in names if _ending(name) in MESH_FORMATS)
    meshes = [name for name in every if _ending(name) == "obj"]
    meshes = meshes if len(meshes) == 1 else every  # an OBJ beside the same scan in other formats
    if len(meshes) > 1:
        listed = ", ".join(posixpath.basename(names[name])[:60] for name in meshes[:3])
        raise MeshRefused(f"is an archive of {len(meshes)} meshes ({listed}); unpack it and name the one that is meant")
    if not meshes:
        raise MeshRefused("is an archive without a mesh in it; an OBJ with its materials, a GLB or a PLY can be read")
    return meshes[0]


def _fetched(archive: Archive, folder: str, reference: str) -> bytes:
    """The bytes of a file that the mesh in a folder refers to: anywhere in the archive, by its path from there."""
    name = collision_key(posixpath.join(folder, referred(reference)))
    if name not in archive.names():
        raise MeshRefused(f"refers to {reference[:80]!r}, which its archive lacks")
    try:
        return archive.read(name)
    except ArchiveError as error:
        raise MeshRefused(str(error)) from None


def _ending(name: str) -> str:
    return posixpath.splitext(name)[1].lower().removeprefix(".")


# ---- reading

Colours = NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class Scan:
    """The surface or the cloud of points of a scan, in the file's own units and axes."""

    path: Path  # of the file
    format: str  # its ending without the dot: "ply", "glb", "obj" ("zip" for an archive of OBJ) and so on
    vertices: Floats  # (n, 3) float64, one for each vertex as stored, none merged and none left out
    faces: Integers  # (m, 3) int32, rows of vertex indices, without degenerate ones; (0, 3) for a cloud of points
    # (n, 3) uint8 red, green and blue of each vertex, from vertex colours or from a texture; None without
    colours: Colours | None
    # (n, 3) float64 unit vectors, of a cloud whose file has them; else None. A single point without is 0.
    normals: Floats | None
    # (n,) bool, vertices with finite coordinates that a face uses (all finite ones of a cloud)
    usable: NDArray[np.bool_]
    up: Literal["y", "z"]  # the axis that points up by the format
    units: str | None  # "m" for glTF, and for USD if it has a unit; what a 3MF file says; None for the others
    warnings: tuple[str, ...] = ()  # a sentence for each thing that the user should know


FEWEST_OF_A_TEXT = 2000  # vertices of a scan: fewer may well lie on whole numbers by their own nature

MOST_DECIMALS = 5

# glTF says so; OBJ says nothing, but scanning apps and most modelling programs write it so.
_Y_UP = ("glb", "gltf", "obj", *USD)
_UNIT_SYMBOLS = {"meter": "m"}
# What laser scanners and photogrammetry write, which no library of this project reads.
_CLOUDS = ("las", "laz", "e57", "xyz", "pts", "ptx", "pcd")


def read_scan(path: Path) -> Scan:
    """The scan in a file: STL, OBJ, PLY (points alone too), GLB, glTF, 3MF, OFF or USD, as the ending says, or a zip.

    Vertices come in the order of the file: OBJ ``v`` lines, PLY elements, OFF rows, three for each STL triangle, glTF
    primitives in the order in which the nodes of the default scene visit them, once for each visit and with the
    transforms of the nodes, 3MF objects in the order in which they are built. Faces without area are left out.

    Raises:
        MeshError: where the file is missing, of an unknown or another format, damaged, hostile, or holds nothing
            finite. One line that says what is wrong and what would be right.
    """
    is_archive = path.suffix.lower() == ".zip"
    with plainly(path):
        source = _opened(path)
        stored = read_stored(source)
    return Scan(
        path=path,
        format="zip" if is_archive else source.format,
        vertices=stored.vertices,
        faces=stored.faces,
        colours=stored.colours,
        normals=stored.normals,
        usable=stored.usable,
        up="y" if source.format in _Y_UP else "z",
        units=_UNIT_SYMBOLS.get(stored.units or "", stored.units),
        warnings=stored.warnings,
    )


def step_of(vertices: Floats) -> float:
    """How far apart the numbers are that a file can store of its vertices (n, 3) at most, in its own units.

    Those of 32 bits are the farther apart, the farther they are from the origin; those of a text have so many decimals.

    >>> step_of(np.array([[5000.25, 0.0, 30.5]])) * 1000.0
    0.48828125
    >>> step_of(np.random.default_rng(0).uniform(0, 1, (3000, 3)).round(3))
    0.001
    >>> step_of(np.zeros((0, 3)))
    0.0
    """
    step = 0.0
    with np.errstate(over="ignore"):
        single = vertices.astype(np.float32)
    if len(vertices) and np.array_equal(single, vertices):
        step = float(np.spacing(np.abs(single).max(axis=0)).max())
    if len(vertices) >= FEWEST_OF_A_TEXT:
        for decimals in range(MOST_DECIMALS):
            if np.allclose(vertices, np.round(vertices, decimals), rtol=1e-15, atol=1e-9 * 10.0**-decimals):
                return max(step, 10.0**-decimals)
    return step


def _opened(path: Path) -> Source:
    """The mesh that a file is, or that its archive holds."""
    ending = path.suffix.lower().removeprefix(".")
    if ending in _CLOUDS:
        raise MeshRefused(
            f"is a cloud of points in a format that is not read ('.{ending}'); export it as PLY, or as a mesh"
        )
    if ending != "zip":
        return opened(path)
    if not path.is_file():
        raise MeshRefused("is no file; a scan is one file" if path.exists() else "is not there; check the path")
    return mesh_in(read_file(path, MAX_FILE_BYTES))


# ---- welding

SAME_VERTEX_SHARE = 2.0**-20
"""The share of the scan's extent within which places are one: a millionth, 0.6 micrometres on a table.

Coordinates of 32 bits, moved by the transforms of several nodes, differ by less. Scans tell nothing so fine apart."""

RIM_GAP_SHARE = 0.1
"""The share of the median edge within which the rims of two patches are one line.

Draco stores each chunk of a surface on a grid of its own, of 11 to 14 bits, so that chunks meet only nearly. A scan
shows nothing that is a tenth as large as its triangles."""

LEAST_FACE_SHARE = 0.9
"""The least share of the triangles that is left: where sewing takes more than the slivers along rims, the patches are
no chunks of one surface."""

_RIM_NEIGHBOURS = 4
"""The neighbours of a vertex on a rim that are looked at: itself, one of each patch where three meet, and one to
spare."""


def welded(scan: Scan) -> tuple[Scan, NDArray[np.int32]]:
    """The scan with the vertices in one place joined, and for each vertex (n,) as stored which one it has become.

    A joined vertex has the place, the colour and the normal of the first that is usable. Triangles that lose their area
    are left out.

    >>> soup = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
    >>> path = __import__("pathlib").Path("soup.stl")
    >>> every = np.ones(6, bool)
    >>> faces = np.array([[0, 1, 2], [3, 4, 5]], np.int32)
    >>> joined, number = welded(Scan(path, "stl", soup, faces, None, None, every, "z", None))
    >>> len(joined.vertices), joined.faces.tolist(), number.tolist()
    (4, [[0, 1, 2], [1, 3, 2]], [0, 1, 2, 1, 3, 2])
    """
    low, high = extremes(scan.vertices[scan.usable])
    step = float((high - low).max()) * SAME_VERTEX_SHARE
    with np.errstate(invalid="ignore", over="ignore"):
        rounded = np.rint((scan.vertices - low) / step)
    rounded[~scan.usable] += 0.5  # what no face uses joins nothing that one does
    number = merge_equal(rounded)[1]
    joined = _joined(scan, number)
    if len(joined.faces) == 0:
        return joined, number
    patch = components(_edges(scan.faces), len(scan.vertices))[_first(number)]
    sewn = None if (patch[joined.usable] == patch[joined.usable][0]).all() else _sewn(joined, patch)
    stitched = joined if sewn is None else _joined(joined, sewn)
    if sewn is None or len(stitched.faces) < LEAST_FACE_SHARE * len(joined.faces):
        return joined, number
    return stitched, sewn[number]


def _joined(scan: Scan, number: NDArray[np.int32]) -> Scan:
    """The scan with those vertices as one that have one number; numbers are in the order in which they come first."""
    first = _first(number)
    count = len(first)
    if count == len(number):
        return scan
    faces = number[scan.faces]
    a, b, c = faces.T
    faces = faces[(a != b) & (b != c) & (c != a)]
    return replace(
        scan,
        vertices=scan.vertices[first],
        faces=faces,
        colours=None if scan.colours is None else scan.colours[first],
        normals=None if scan.normals is None else scan.normals[first],
        usable=used_vertices(faces, count) if len(faces) else scan.usable[first],
    )


def _first(number: NDArray[np.int32]) -> NDArray[np.int64]:
    """The first vertex of each number."""
    first = np.full(int(number.max()) + 1, -1, dtype=np.int64)
    first[number[::-1]] = np.arange(len(number))[::-1]
    return first


def _edges(faces: Integers) -> NDArray[np.int64]:
    """Two edges of each face: enough to hold it together."""
    edges: NDArray[np.int64] = np.concatenate([faces[:, :2], faces[:, 1:]]).astype(np.int64)
    return edges


def _sewn(scan: Scan, patch: NDArray[np.int64]) -> NDArray[np.int32] | None:
    """For each vertex which one it becomes where the rims of patches that nearly meet are joined; None where none do.

    Vertices (n,) of one ``patch`` hang together in the file; so they are apart because they should be.

    patch 1  \\ |  patch 2           each vertex of a rim, and those of other patches that are
              o|o                    nearer to it than a tenth of an edge, become one
    ---------/ |-------
    """
    count = len(scan.vertices)
    rim = np.unique(boundary(scan.faces, count))
    if len(rim) == 0:
        return None
    ends = scan.vertices[scan.faces[:, :2]]
    reach = RIM_GAP_SHARE * float(np.median(np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)))
    tree = cKDTree(scan.vertices[rim])
    distance, near = tree.query(scan.vertices[rim], k=min(_RIM_NEIGHBOURS, len(rim)), distance_upper_bound=reach)
    distance, near = distance.reshape(len(rim), -1), near.reshape(len(rim), -1)
    row, column = np.nonzero(np.isfinite(distance))
    pairs = np.column_stack([rim[row], rim[near[row, column]]])
    pairs = pairs[patch[pairs[:, 0]] != patch[pairs[:, 1]]]
    if len(pairs) == 0:
        return None
    return np.unique(components(pairs, count), return_inverse=True)[1].astype(np.int32)
