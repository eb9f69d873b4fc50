"""LOAD: what is worked out of a mesh alone: kept in memory as long as the mesh, and in a cache folder from run to run.

mesh, kind -> in memory? -> in the cache folder that the mesh was read with? -> worked out, and kept in both
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, TypeVar, get_type_hints
from weakref import WeakKeyDictionary

import numpy as np

from silhouette.files.cache import Arrays, Cache
from silhouette.lazy import derived
from silhouette.meshes.mesh import Mesh

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
    """What ``work_out`` finds of a mesh: a dataclass of arrays, floats, and other such dataclasses.

    It is the same whether it was kept or not: arrays are laid out in memory row by row either way, so that sums over
    them are rounded alike.

    Args:
        mesh: what it is worked out of, and of nothing else.
        kind: the dataclass.
        version: raised whenever what is worked out changes.
        work_out: works it out.

    >>> from dataclasses import dataclass
    >>> from silhouette.meshes.primitives import Box, Solid, solid
    >>> @dataclass
    ... class Size:
    ...     faces: float
    >>> box = solid(Solid(Box((1.0, 1.0, 1.0))))
    >>> def size_of(mesh):
    ...     print("worked out")
    ...     return Size(float(len(mesh.faces)))
    >>> recorded(box, Size, 1, size_of), recorded(box, Size, 1, size_of)
    worked out
    (Size(faces=12.0), Size(faces=12.0))
    """
    task = _Task(kind, version, work_out)
    record: Record = _recorded(mesh, task)
    task.work_out = None  # it may hold the mesh
    return record


@dataclass(eq=False)
class _Task:
    """A kind of record, with what works it out; two are equal if their dataclasses are."""

    record: type
    version: int
    work_out: Callable[[Mesh], Any] | None

    def __hash__(self) -> int:
        return hash(self.record)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Task) and self.record is other.record


@derived
def _recorded(mesh: Mesh, task: _Task) -> Any:
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
