"""SCAN: the file of a scan becomes points, as they are stored, with their triangles and colours."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from silhouette.common.geometry import Floats, Integers
from silhouette.files.reading import LARGEST_FILE, read_file
from silhouette.meshes.formats.base import Refused
from silhouette.meshes.opening import Source, opened, plainly
from silhouette.meshes.stored import read_stored
from silhouette.scans.archive import NO_USD, USD, mesh_in

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
    units: str | None  # the unit that the format declares, "m" for glTF and what a 3MF file says; None for the others
    warnings: tuple[str, ...] = ()  # a sentence for each thing that the user should know


FEWEST_OF_A_TEXT = 2000  # vertices of a scan: fewer may well lie on whole numbers by their own nature

MOST_DECIMALS = 5

# glTF says so; OBJ says nothing, but scanning apps and most modelling programs write it so.
_Y_UP = ("glb", "gltf", "obj")
_UNITS = {"meter": "m"}
# What laser scanners and photogrammetry write, which no library of this project reads.
_CLOUDS = ("las", "laz", "e57", "xyz", "pts", "ptx", "pcd")


def read_scan(path: Path) -> Scan:
    """The scan in a file: STL, OBJ, PLY (points alone too), GLB, glTF, 3MF or OFF, as the ending says, or a zip of one.

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
        units=_UNITS.get(stored.units or "", stored.units),
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
        raise Refused(
            f"is a cloud of points in a format that is not read ('.{ending}'); export it as PLY, or as a mesh"
        )
    if ending not in ("zip", *USD):
        return opened(path)
    if not path.is_file():
        raise Refused("is no file; a scan is one file" if path.exists() else "is not there; check the path")
    if ending in USD:
        raise Refused(NO_USD)
    return mesh_in(read_file(path, LARGEST_FILE))
