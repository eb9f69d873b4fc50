"""LOAD: the colours of a mesh file for display, as coloured points on its surface. No verdict knows of them.

A mesh is cleaned, closed, cut and simplified before it is shown. Points outlast all of that: what is shown takes the
colour of the points near it.
"""

from __future__ import annotations

import hashlib
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from silhouette.errors import MeshError
from silhouette.files.cache import Arrays, Cache
from silhouette.files.reading import LARGEST_FILE
from silhouette.meshes.formats.base import Content, Refused
from silhouette.meshes.formats.colours import Bytes
from silhouette.meshes.formats.gltf import GLTF
from silhouette.meshes.formats.gltf_tree import open_container, parse_tree
from silhouette.meshes.formats.obj import Colouring
from silhouette.meshes.opening import Source, opened, plainly
from silhouette.meshes.skins import WHITE, face_colours
from silhouette.meshes.stored import content, pictures_of

POINTS = np.array([[2, 2, 2], [4, 1, 1], [1, 4, 1], [1, 1, 4]], np.float32) / np.float32(6.0)
"""(4, 3) how much of each corner of a triangle is in each of the points that stand for it: its middle, and three more.

              2
             / \\
            / 3 \\            Each stands for a quarter of the triangle. All lie within, where no neighbour's
           /  0  \\           colour is as near: a seam between two colours stays where it is.
          / 1   2 \\
         0---------1
"""

FINE = 60_000
"""Triangles of a file up to which each has all of these points; those of a finer mesh are small, and have the first."""


@dataclass(frozen=True, eq=False)
class Paint:
    """Coloured points on a surface, in the units and axes of its file.

    Attributes:
        points: (n, 3) float64.
        colours: (n, 3) uint8, sRGB.
        digest: of the content of the file, and of those that it refers to.
    """

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
            kept = cache.fetch(f"colours {digest}", lambda: _build(source))
    except MeshError:
        return None
    if len(kept["points"]) == 0:
        return None
    return Paint(kept["points"].astype(np.float64), kept["colours"], digest)


def _digest(source: Source) -> str:
    """A hash of the file's bytes, and of all those of other files that its colours depend on."""
    hashed = hashlib.blake2b(f"{source.format} {len(source.data)}\0".encode(), digest_size=16)
    hashed.update(source.data)
    left = LARGEST_FILE
    for name in _references(source):
        content = b"missing"
        if left > 0:  # what comes after that is not shown either
            with suppress(Refused):
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


def _painted(held: Content) -> tuple[NDArray[np.float32], Bytes]:
    """Points (n, 3) on all faces, and their colours; white where a surface has no colour."""
    pictures = pictures_of(held)
    total = sum(len(surface.faces) for surface in held.surfaces)
    weights = POINTS if total <= FINE else POINTS[:1]
    points, colours = list[NDArray[np.float32]](), list[Bytes]()
    # Surfaces of one picture follow each other, so that it is decoded once.
    for surface in sorted(held.surfaces, key=lambda one: (one.skin.picture or "") if one.skin else ""):
        if len(surface.faces) == 0:
            continue
        corners = np.asarray(surface.vertices, dtype=np.float32)[surface.faces]
        places = np.einsum("sc,mck->smk", weights, corners).reshape(-1, 3)
        found = face_colours(surface, weights, pictures)
        if found is None:
            found = np.full((len(places), 3), WHITE, np.uint8)
        finite = np.isfinite(places).all(axis=1)
        points.append(places[finite])
        colours.append(found[finite])
    return np.concatenate(points), np.concatenate(colours)
