"""LOAD: a mesh file or a cloud of points as it is stored: every vertex in its place, none merged, with its colours.

For display, colours become points on the surface, since a mesh is cleaned, closed, cut and simplified before it is
shown: what is shown takes the colour of the points near it. No verdict knows of them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from silhouette.common.errors import MeshError
from silhouette.common.geometry import Flags, Floats, Integers
from silhouette.files.cache import Arrays, Cache
from silhouette.files.reading import MAX_FILE_BYTES
from silhouette.meshes.formats import obj, off, ply, stl, threemf, usd
from silhouette.meshes.formats.base import (
    MAX_MESH_TRIANGLES,
    MAX_MESH_VERTICES,
    MeshContent,
    MeshRefused,
    PartSurface,
    Skin,
    see_through,
    see_through_shares,
)
from silhouette.meshes.formats.colours import Bytes
from silhouette.meshes.formats.gltf import GLTF, Gltf
from silhouette.meshes.formats.gltf_tree import open_container, parse_tree
from silhouette.meshes.formats.obj import Colouring
from silhouette.meshes.health import absurd, has_area, misdirected, proper, used_vertices
from silhouette.meshes.opening import Source, opened, plainly
from silhouette.meshes.skins import WHITE, PictureDecoder, face_colours, mixed, used_colours

# Every export has a few slivers; more than this share of all triangles gives a warning.
_STORED_SLIVER_SHARE = 0.01
_BARE = Skin()


@dataclass(frozen=True, eq=False)
class Stored:
    """The content of a mesh file, in its own units, axes and order."""

    vertices: Floats  # (n, 3) float64
    faces: Integers  # (m, 3) int32, without those that have no area
    colours: Bytes | None  # (n, 3) uint8, or None
    # (n, 3) float64 unit vectors, of a cloud of points whose file has them; else None. Those of single points that have
    # none are 0.
    normals: Floats | None
    # (n,) bool, vertices with finite coordinates that a face uses; of a cloud all finite ones that are not faint
    # (Gaussian splats)
    usable: Flags
    units: str | None  # that the file declares, as `MeshFile.declared_units`; "meter" for glTF
    warnings: tuple[str, ...]


def content(source: Source, *, whole: bool = True, gltf: Gltf | None = None) -> MeshContent:
    """All that a mesh file holds; those of an OBJ share their vertices.

    ``whole`` if colours are wanted, and vertices that no triangle uses; a PLY of points alone will do then. A glTF may
    come taken apart and checked.

    Raises MeshRefused, as the readers do.
    """
    match source.format:
        case "glb" | "gltf":
            gltf = gltf or opened_gltf(source, whole=whole)
            surfaces = gltf.surfaces()
            warnings = [*gltf.warnings, *gltf.painter.warnings, *see_through(surfaces)]
            return MeshContent(surfaces, warnings, "meter", gltf.painter.picture)
        case "obj":
            return obj.read(source.data, Colouring(source.fetch) if whole else None)
        case "3mf":
            return threemf.read(source.data, whole)
        case "stl":
            return stl.read(source.data)
        case "ply":
            return ply.read(source.data, whole)
        case "usdz" | "usd" | "usda" | "usdc":
            return usd.read(source.data, source.format, whole)
        case _:
            return off.read(source.data, whole)


def transparency(source: Source, libraries: Sequence[str], areas: Mapping[str, float]) -> list[str]:
    """A sentence if materials that may be transparent have much of the area of an OBJ file."""
    if not libraries or not areas:
        return []
    colouring = Colouring(source.fetch)
    colouring.load(libraries)
    solid = {name: area for name, area in areas.items() if not colouring.see_through(name)}
    return see_through_shares({"": sum(solid.values())} | {name: areas[name] for name in areas.keys() - solid.keys()})


def opened_gltf(source: Source, *, whole: bool) -> Gltf:
    """A glTF file, of which all is there that its default scene shows.

    Raises MeshRefused if it is not.
    """
    gltf = Gltf(source.data, source.fetch, binary=source.format == "glb", whole=whole)
    gltf.check()
    return gltf


def read_stored(source: Source) -> Stored:
    """The content of a mesh file, or of a PLY of points alone.

    Raises MeshRefused, as the readers do; if a face points past the vertices; if nothing finite is left.
    """
    held = content(source)
    surfaces, pictures = held.surfaces, PictureDecoder(held.picture)
    is_shared = source.format == "obj"
    blocks = surfaces[:1] if is_shared else surfaces
    starts = np.cumsum([0, *(len(surface.vertices) for surface in blocks)])
    if starts[-1] > MAX_MESH_VERTICES:
        raise MeshRefused(f"holds {starts[-1]} vertices; {MAX_MESH_VERTICES} are the most")
    offsets = [0] * len(surfaces) if is_shared else starts[:-1].tolist()
    vertices = np.concatenate([np.asarray(block.vertices, dtype=np.float64) for block in blocks])
    for surface in surfaces:
        if len(surface.faces) and (problem := misdirected(surface.faces, len(surface.vertices))):
            raise MeshRefused(problem)
    colours = _coloured(surfaces, offsets, len(vertices), pictures, is_shared)
    normals = _normals(surfaces, len(vertices))
    faces = _faces(surfaces, offsets)
    faint = surfaces[0].faint
    surfaces.clear()
    warnings = [*held.warnings, *pictures.warnings]
    present = np.isfinite(vertices).all(axis=1)
    finite = present if faint is None else present & ~faint
    usable = finite
    if len(faces):
        faces, sentences = _whole(vertices, faces, finite)
        warnings += sentences
        usable = used_vertices(faces, len(vertices))
    elif not present.all():
        lost = len(vertices) - np.count_nonzero(present)
        warnings.append(f"{lost} points with coordinates that are no numbers were left out")
    nothing = "holds no vertex with finite coordinates" + (" that is not faint" if faint is not None else "")
    problem = absurd(vertices[usable]) if usable.any() else f"{nothing}; export it again"
    if problem is not None:
        raise MeshRefused(problem)
    return Stored(vertices, faces, colours, normals, usable, held.units, tuple(dict.fromkeys(warnings)))


def _faces(surfaces: list[PartSurface], offsets: list[int]) -> Integers:
    own = [np.zeros((0, 3), np.int32)]
    for surface, offset in zip(surfaces, offsets, strict=True):
        if len(surface.faces):
            own.append((np.asarray(surface.faces).astype(np.int64) + offset).astype(np.int32))
    faces: Integers = np.concatenate(own)
    if len(faces) > MAX_MESH_TRIANGLES:
        raise MeshRefused(f"holds {len(faces)} triangles; {MAX_MESH_TRIANGLES} are the most")
    return faces


def _whole(vertices: Floats, faces: Integers, finite: Flags) -> tuple[Integers, list[str]]:
    """The faces that have finite corners and an area, and a sentence where many have not."""
    total, sentences = len(faces), list[str]()
    if not finite.all():
        sound = finite[faces].all(axis=1)
        faces = faces[sound]
        if len(faces) < total:
            sentences.append(f"{total - len(faces)} triangles with coordinates that are no numbers were left out")
    whole = proper(faces) & has_area(vertices, faces)
    if not whole.any():
        raise MeshRefused("holds only triangles without area; a mesh needs at least one with some")
    dropped = len(whole) - np.count_nonzero(whole)
    if dropped > _STORED_SLIVER_SHARE * total:
        sentences.append(f"{dropped} of {total} triangles have no area and were dropped")
    return (faces[whole] if dropped else faces), sentences


def _coloured(
    surfaces: list[PartSurface], offsets: list[int], count: int, pictures: PictureDecoder, is_shared: bool
) -> Bytes | None:
    """The colours (count, 3) of all vertices, white where a surface has none; None where no surface has any."""
    colours = np.full((count, 3), WHITE, np.uint8)
    skins = [surface.skin or _BARE for surface in surfaces]
    shades = next((skin.shades for skin in skins if is_shared and skin.shades is not None), None)
    if shades is not None:
        colours[:] = shades  # of vertices that no face uses, too
    has_colours = shades is not None
    # Surfaces of one picture follow each other, so that it is decoded once.
    for index in sorted(range(len(surfaces)), key=lambda index: skins[index].picture or ""):
        surface, skin, start = surfaces[index], surfaces[index].skin, offsets[index]
        if skin is None:
            continue
        if is_shared:
            where, own = used_colours(surface, pictures)
        else:
            where = np.arange(start, start + len(surface.vertices))
            own = mixed(skin, len(where), skin.shades, skin.uv, pictures)
        if own is not None:
            colours[where] = own
            has_colours = True
    return colours if has_colours else None


def _normals(surfaces: list[PartSurface], count: int) -> Floats | None:
    """The normals (count, 3) of a cloud of points, of unit length; None where most points have none."""
    if len(surfaces) != 1 or surfaces[0].normals is None or len(surfaces[0].faces):
        return None
    normals = np.asarray(surfaces[0].normals, dtype=np.float64)
    with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
        unit: Floats = normals / np.linalg.norm(normals, axis=1, keepdims=True)
    lost = ~np.isfinite(unit).all(axis=1)
    unit[lost] = 0.0
    return unit if 2 * np.count_nonzero(lost) < count else None


POINT_WEIGHTS = np.array([[2, 2, 2], [4, 1, 1], [1, 4, 1], [1, 1, 4]], np.float32) / np.float32(6.0)
"""(4, 3) how much of each corner of a triangle is in each of the points that stand for it: its middle, and three more.

              2
             / \\
            / 3 \\            Each stands for a quarter of the triangle. All lie within, where no neighbour's
           /  0  \\           colour is as near: a seam between two colours stays where it is.
          / 1   2 \\
         0---------1
"""

MAX_FULL_TRIANGLES = 60_000
"""Triangles of a file up to which each has all of these points; those of a finer mesh are small, and have the first."""


@dataclass(frozen=True, eq=False)
class Paint:
    """Coloured points (n, 3) on a surface, in its file's units and axes; sRGB (n, 3) uint8; the digest of all read."""

    points: NDArray[np.float64]
    colours: Bytes
    digest: str


def display_colours(path: Path, cache: Cache) -> Paint | None:
    """The colours of a mesh file that has pictures or colours of vertices.

    None for a file without (materials of one plain colour each are none), and for one that cannot be read any more.

    >>> display_colours(Path("no such mesh.glb"), Cache(None))
    """
    try:
        with plainly(path):
            source = opened(path)
            digest = _digest(source)
            entry = cache.fetch(f"colours {digest}", lambda: _build(source))
    except MeshError:
        return None
    if len(entry["points"]) == 0:
        return None
    return Paint(entry["points"].astype(np.float64), entry["colours"], digest)


def _digest(source: Source) -> str:
    """A hash of the file's bytes, and of all those of other files that its colours depend on."""
    hashed = hashlib.blake2b(f"{source.format} {len(source.data)}\0".encode(), digest_size=16)
    hashed.update(source.data)
    left = MAX_FILE_BYTES
    for name in _references(source):
        content = b"missing"
        if left > 0:  # what comes after that is not shown either
            with suppress(MeshRefused):
                content = source.fetch(name)
        left -= len(content)
        hashed.update(f"\0{name}\0{len(content)}\0".encode(errors="surrogatepass"))
        hashed.update(content)
    return hashed.hexdigest()


def _references(source: Source) -> list[str]:
    if source.format == "obj":
        return Colouring(source.fetch).references(source.data)
    if source.format not in GLTF:
        return []
    tree = open_container(source.data)[0] if source.format == "glb" else parse_tree(source.data)
    entries: list[Any] = [*tree.get("buffers", []), *tree.get("images", [])]
    names = [entry.get("uri") for entry in entries if isinstance(entry, dict)]
    return sorted({name for name in names if isinstance(name, str) and not name.startswith("data:")})


def _build(source: Source) -> Arrays:
    held = content(source)
    skins = [surface.skin for surface in held.surfaces]
    coloured = any(skin is not None and (skin.picture is not None or skin.shades is not None) for skin in skins)
    if coloured:
        points, colours = _painted(held)
        if (colours != WHITE).any():  # all white: its pictures cannot be read, or say nothing
            return {"points": points, "colours": colours}
    return {"points": np.zeros((0, 3), np.float32), "colours": np.zeros((0, 3), np.uint8)}


def _painted(held: MeshContent) -> tuple[NDArray[np.float32], Bytes]:
    """Points (n, 3) on all faces, and their colours; white where a surface has no colour."""
    pictures = PictureDecoder(held.picture)
    total = sum(len(surface.faces) for surface in held.surfaces)
    weights = POINT_WEIGHTS if total <= MAX_FULL_TRIANGLES else POINT_WEIGHTS[:1]
    points, colours = list[NDArray[np.float32]](), list[Bytes]()
    # Surfaces of one picture follow each other, so that it is decoded once.
    for surface in sorted(held.surfaces, key=lambda surface: (surface.skin.picture or "") if surface.skin else ""):
        if len(surface.faces) == 0:
            continue
        corners = np.asarray(surface.vertices, dtype=np.float32)[surface.faces]
        places = np.einsum("sc,mck->smk", weights, corners).reshape(-1, 3)
        parts = face_colours(surface, weights, pictures)
        if parts is None:
            parts = np.full((len(places), 3), WHITE, np.uint8)
        finite = np.isfinite(places).all(axis=1)
        points.append(places[finite])
        colours.append(parts[finite])
    return np.concatenate(points), np.concatenate(colours)
