"""LOAD: a mesh file becomes a Mesh with named parts, checked for health. Only its formats import trimesh."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any, TypeVar, get_type_hints
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from silhouette.common.geometry import Flags, Floats, Integers
from silhouette.common.lazy import cached_property, derived
from silhouette.files.cache import Arrays, Cache
from silhouette.meshes.formats.base import (
    MAX_MESH_PARTS,
    MAX_MESH_TRIANGLES,
    MAX_MESH_VERTICES,
    MeshRefused,
    PartSurface,
    too_many_parts,
)
from silhouette.meshes.formats.gltf import Gltf
from silhouette.meshes.formats.usd import USD
from silhouette.meshes.health import absurd, extremes, has_area, inspect, misdirected, proper, used_vertices
from silhouette.meshes.opening import Source, opened, plainly
from silhouette.meshes.stored import content, opened_gltf, transparency

# Every export has a few slivers, which are dropped; more than this share of all triangles gives a warning.
_WARNED_SLIVER_SHARE = 0.01


@dataclass(frozen=True, eq=False)
class Mesh:
    """A triangle mesh with named parts; immutable, and identified by its content."""

    vertices: Floats  # (n, 3) float64
    faces: Integers  # (m, 3) int32, rows of vertex indices
    part: Integers  # (m,) int32, for each face the index of its part in ``part_names``
    part_names: tuple[str, ...] = ("mesh",)  # the names of the parts, each once

    @cached_property
    def digest(self) -> str:
        """A hash of the geometry alone: meshes with the same digest are the same surface and share an index."""
        hashed = hashlib.blake2b(np.ascontiguousarray(self.vertices).tobytes(), digest_size=16)
        hashed.update(np.ascontiguousarray(self.faces).tobytes())
        return hashed.hexdigest()

    @cached_property
    def bounds(self) -> Floats:
        """(2, 3) float64: the least and greatest coordinates of the vertices that faces use."""
        used = used_vertices(self.faces, len(self.vertices))
        return np.array(extremes(self.vertices if used.all() else self.vertices[used]))

    def subset(self, chosen: Flags) -> Mesh:
        """The mesh of the faces chosen by ``chosen`` (m,) bool, without the vertices that none of them uses."""
        faces = self.faces[chosen]
        used = used_vertices(faces, len(self.vertices))
        return Mesh(self.vertices[used], _renumbered(faces, used), self.part[chosen], self.part_names)


@dataclass(frozen=True, eq=False)
class MeshFile:
    """The content of a mesh file, in the file's units and axes."""

    path: Path
    format: str
    mesh: Mesh  # with equal vertices merged, no degenerate triangles, and neighbouring faces near each other in memory
    watertight: bool
    holes: int  # how many boundary loops there are; slits without width are none
    warnings: tuple[str, ...]
    digest: str  # of the file's bytes, its format, and the other files that it refers to
    # "micron", "millimeter", "centimeter", "inch", "foot" or "meter", which 3MF and USD (in metres) declare; or None
    declared_units: str | None = None


def read_mesh(path: Path, cache: Cache) -> MeshFile:
    """The mesh of a file: STL, OBJ, PLY, GLB, glTF, 3MF, OFF or USD, as the ending says; from the cache if it is known.

    Transforms of the file's scene are applied, instances included, and so are shape keys that are on and skeletons in
    their pose. What the file says is no body, such as a slicer's modifier or a hidden node, is left out with a warning.
    Parts are the scene's nodes (glTF), meshes (USD), groups, objects or materials (OBJ), objects (3MF) or solids (STL);
    parts of equal names are one part. Colours are ignored. Nothing is read outside the file's folder.
    What no verdict could rest on raises MeshError.
    """
    with plainly(path):
        source = opened(path)
        gltf = opened_gltf(source, whole=False) if source.format in ("glb", "gltf") else None
        digest = _digest(source.format, source.data, gltf.external if gltf else {})
        entry = cache.fetch(f"mesh {digest}", lambda: _build(source, gltf))
        notes = json.loads(entry["notes"].tobytes())
        see_through = transparency(source, notes["libraries"], notes["areas"])
    return MeshFile(
        path=path,
        format=source.format,
        mesh=Mesh(entry["vertices"], entry["faces"], entry["part"], tuple(notes["parts"])),
        watertight=notes["holes"] == 0,
        holes=notes["holes"],
        warnings=(*see_through, *notes["warnings"]),
        digest=digest,
        declared_units=notes["units"],
    )


def _digest(ending: str, data: bytes, external: dict[str, bytes]) -> str:
    hashed = hashlib.blake2b(ending.encode(), digest_size=16)
    for name, held in [("", data), *sorted(external.items())]:
        hashed.update(f"\0{name}\0{len(held)}\0".encode(errors="surrogatepass"))
        hashed.update(held)
    return hashed.hexdigest()


def _build(source: Source, gltf: Gltf | None) -> Arrays:
    """Everything that the cache keeps about a file, from its bytes."""
    held = content(source, whole=False, gltf=gltf)
    vertices, faces, part, names = joined(held.surfaces)
    mesh, notes = _cleaned(vertices, faces, part, names)
    notes["warnings"] = [*held.warnings, *notes["warnings"]]
    units = held.units if source.format in ("3mf", *USD) else None
    materials = {"libraries": list(held.libraries), "areas": dict(held.areas)}
    text = json.dumps({**notes, **materials, "units": units, "parts": mesh.part_names}).encode()
    return {
        "vertices": mesh.vertices,
        "faces": mesh.faces,
        "part": mesh.part,
        "notes": np.frombuffer(text, dtype=np.uint8),
    }


def joined(surfaces: list[PartSurface]) -> tuple[Floats, NDArray[np.int64], Integers, tuple[str, ...]]:
    """All surfaces as one, with for each face its part; parts of equal names become one. Faces are checked first.

    Surfaces that share their vertices, as the groups of an OBJ file do, share them still. The list is emptied on the
    way: large meshes are not kept twice.
    """
    if len(surfaces) > MAX_MESH_PARTS:
        raise too_many_parts(len(surfaces))
    names = tuple(dict.fromkeys(surface.part for surface in surfaces))
    number = {name: index for index, name in enumerate(names)}
    starts: dict[int, int] = {}
    end = 0
    vertices, faces, part = [], [], []
    for surface in surfaces:
        if len(surface.faces) == 0:
            continue
        corners = np.asarray(surface.faces).astype(np.int64)
        if problem := misdirected(corners, len(surface.vertices)):
            raise MeshRefused(problem)
        if id(surface.vertices) not in starts:
            starts[id(surface.vertices)] = end
            vertices.append(surface.vertices)
            end += len(surface.vertices)
        corners += starts[id(surface.vertices)]
        faces.append(corners)
        part.append(np.full(len(corners), number[surface.part], dtype=np.int32))
    surfaces.clear()
    if not faces:
        raise MeshRefused("holds no triangles; a mesh needs at least one")
    total = sum(map(len, faces))
    if total > MAX_MESH_TRIANGLES or end > 2 * MAX_MESH_VERTICES:
        raise MeshRefused(f"holds {total} triangles over {end} vertices; {MAX_MESH_TRIANGLES} triangles are the most")
    return _concatenated(vertices).astype(np.float64, copy=False), _concatenated(faces), _concatenated(part), names


def _concatenated(arrays: list[NDArray[Any]]) -> NDArray[Any]:
    joined = arrays[0] if len(arrays) == 1 else np.concatenate(arrays)
    arrays.clear()
    return joined


def _cleaned(
    vertices: Floats, faces: NDArray[Any], part: Integers, names: tuple[str, ...]
) -> tuple[Mesh, dict[str, Any]]:
    """The mesh without doubles and degenerate triangles, in an order that keeps neighbours together; and its health."""
    used = used_vertices(faces, len(vertices))
    if not used.all():
        vertices, faces = vertices[used], _renumbered(faces, used)
    if problem := absurd(vertices):
        raise MeshRefused(problem)
    vertices, merged = merge_equal(vertices)
    corners = merged[faces]
    cornered = proper(corners)
    whole = cornered & has_area(vertices, corners)
    if not whole.any():
        raise MeshRefused("holds only triangles without area; a mesh needs at least one with some")
    health = inspect(corners[whole], vertices, slivers=corners[cornered & ~whole])
    a, b, c = (np.take(vertices, corners[whole, corner], axis=0) for corner in range(3))
    order = np.flatnonzero(whole)[morton_order(a + b + c)]
    corners, part = corners[order], part[order]
    used = used_vertices(corners, len(vertices))
    used_parts = np.flatnonzero(np.bincount(part, minlength=len(names)))
    mesh = Mesh(
        vertices[used],
        _renumbered(corners, used),
        np.searchsorted(used_parts, part).astype(np.int32),
        tuple(names[index] for index in used_parts),
    )
    warnings = list(health.warnings)
    dropped = len(faces) - len(corners)
    if dropped > _WARNED_SLIVER_SHARE * len(faces):
        warnings.append(f"{dropped} of {len(faces)} triangles have no area and were dropped")
    return mesh, {"holes": health.holes, "warnings": warnings}


def merge_equal(vertices: Floats) -> tuple[Floats, Integers]:
    """The distinct ones of vertices (n, 3) in order of first appearance, and for each (n,) int32 which of them it is.

    Rows are sorted by a hash, which is many times as fast as sorting by rows; should two different rows ever have the
    same hash, they are sorted by rows after all.

    >>> merge_equal(np.array([[0.0, 1, 2], [3, 4, 5], [-0.0, 1, 2]]))[1].tolist()
    [0, 1, 0]
    """
    points = np.ascontiguousarray(vertices, dtype=np.float64) + 0.0  # makes -0.0 equal to 0.0 in its bits too
    bits = points.view(np.uint64)
    mixed = bits[:, 0] * np.uint64(0x9E3779B97F4A7C15)
    for axis in (1, 2):
        mixed ^= mixed >> np.uint64(29)
        mixed = (mixed + bits[:, axis]) * np.uint64(0xBF58476D1CE4E5B9)
    order = np.argsort(mixed)
    ranked = mixed[order]
    del mixed
    equal = np.flatnonzero(ranked[1:] == ranked[:-1])
    new = np.ones(len(points), dtype=np.bool_)
    new[equal + 1] = False
    first_of, second_of = order[equal], order[equal + 1]
    if not all(np.array_equal(points[first_of, axis], points[second_of, axis]) for axis in range(3)):
        order = np.lexsort(points.T)
        new[1:] = (points[order[1:]] != points[order[:-1]]).any(axis=1)
    first = np.minimum.reduceat(order, np.flatnonzero(new))
    is_first = np.zeros(len(points), dtype=np.bool_)
    is_first[first] = True
    number = (np.cumsum(is_first) - 1).astype(np.int32)
    merged = np.empty(len(points), dtype=np.int32)
    merged[order] = number[first][np.cumsum(new) - 1]
    return points[is_first], merged


def morton_order(points: Floats) -> NDArray[np.int64]:
    """An order of points (n, 3) along a curve that fills space, so that near ones come near each other.

    >>> morton_order(np.array([[0.0, 0, 0], [9, 9, 9], [1, 0, 0]])).tolist()
    [0, 2, 1]
    """
    low, high = extremes(points)
    cell = max(float((high - low).max()), 1e-300) / 1023.0
    code = np.zeros(len(points), dtype=np.int64)
    for axis in range(3):
        spread = ((points[:, axis] - low[axis]) / cell).astype(np.int64)
        for shift, mask in ((16, 0x030000FF), (8, 0x0300F00F), (4, 0x030C30C3), (2, 0x09249249)):
            spread = (spread | spread << shift) & mask
        code |= spread << axis
    # The index is packed below the code: plain sorting is faster than argsort, and equal codes keep their order.
    return np.sort(code << 32 | np.arange(len(points))) & 0xFFFFFFFF


def stable_order(numbers: NDArray[Any]) -> NDArray[np.int64]:
    """The order of whole numbers (n,), none below 0, that sorts them and leaves equal ones in their order.

    That of ``argsort(kind="stable")``, in an eighth of the time: the numbers are sorted with their places below them,
    where 63 bits hold both.

    >>> stable_order(np.array([5, 3, 5, 3], dtype=np.int32)).tolist()
    [1, 3, 0, 2]
    """
    bits = len(numbers).bit_length()
    if int(numbers.max(initial=0)).bit_length() + bits > 63:
        return np.argsort(numbers, kind="stable")
    order: NDArray[np.int64] = np.sort(numbers.astype(np.int64) << bits | np.arange(len(numbers))) & (1 << bits) - 1
    return order


def _renumbered(faces: NDArray[Any], used: Flags) -> Integers:
    """Faces (m, 3) that index all vertices, for the used ones alone."""
    numbers: Integers = (np.cumsum(used) - 1).astype(np.int32)
    renumbered: Integers = numbers[faces]
    return renumbered


Record = TypeVar("Record")

_caches: WeakKeyDictionary[Mesh, Cache] = WeakKeyDictionary()


def keep_in(cache: Cache, *meshes: Mesh) -> None:
    """Has what is worked out of these meshes kept in a cache folder too."""
    for mesh in meshes:
        _caches[mesh] = cache


def keep_beside(mesh: Mesh, part: Mesh) -> None:
    """Has what is worked out of a part of a mesh kept where that of the whole mesh is."""
    if mesh in _caches:
        _caches[part] = _caches[mesh]


def recorded(mesh: Mesh, kind: type[Record], version: int, work_out: Callable[[Mesh], Record]) -> Record:
    """What ``work_out`` finds of a mesh alone: a dataclass of arrays, floats, and other such dataclasses.

    It is the same whether it was kept or not: arrays are laid out in memory row by row either way, so that sums over
    them are rounded alike. ``version`` is raised whenever what is worked out changes.
    """
    task = _RecordKind(kind, version, work_out)
    record: Record = _recorded(mesh, task)
    task.work_out = None  # it may hold the mesh
    return record


@dataclass(eq=False)
class _RecordKind:
    """A kind of record, with what works it out; two are equal if their dataclasses are."""

    record: type
    version: int
    work_out: Callable[[Mesh], Any] | None

    def __hash__(self) -> int:
        return hash(self.record)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _RecordKind) and self.record is other.record


@derived
def _recorded(mesh: Mesh, task: _RecordKind) -> Any:
    """The record of `recorded`, made of arrays from the cache folder."""
    work_out = task.work_out
    assert work_out is not None
    key = f"{task.record.__module__}.{task.record.__qualname__} {task.version} {mesh.digest}"
    arrays = _caches.get(mesh, Cache(None)).fetch(key, lambda: _arrays(work_out(mesh)))
    return _record(task.record, arrays)


def _arrays(record: Any, prefix: str = "") -> Arrays:
    """The arrays of a record, under the names of its fields; those of a record in it as ``field.field``."""
    arrays: Arrays = {}
    for each in fields(record):
        value = getattr(record, each.name)
        if is_dataclass(value):
            arrays |= _arrays(value, f"{prefix}{each.name}.")
        else:
            arrays[prefix + each.name] = np.asarray(value, order="C")
    return arrays


def _record(kind: Any, arrays: Arrays, prefix: str = "") -> Any:
    """The record whose arrays these are."""
    values = dict[str, Any]()
    for name, hint in get_type_hints(kind).items():
        if is_dataclass(hint):
            values[name] = _record(hint, arrays, f"{prefix}{name}.")
        else:
            values[name] = arrays[prefix + name].item() if hint is float else arrays[prefix + name]
    return kind(**values)
