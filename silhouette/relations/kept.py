"""RELATE: what is worked out of a mesh in its own frame and kept while it is moved: a few values for each mesh."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

from silhouette.meshes.mesh import Mesh

Value = TypeVar("Value")


class KeptByMesh(Generic[Value]):
    """Values that are worked out of meshes, by a key; kept as long as the mesh is, the last few keys of each.

    A mesh never changes: one of another shape is another mesh, and has values of its own.

    Args:
        most: keys of each mesh.

    >>> from silhouette.meshes.primitives import Box, Solid, solid
    >>> crate, kept = solid(Solid(Box((2.0, 2.0, 2.0)))), KeptByMesh[float](1)
    >>> kept.of(crate, "height", lambda: 2.0), kept.of(crate, "height", lambda: 3.0)
    (2.0, 2.0)
    >>> kept.of(crate, "width", lambda: 4.0), kept.of(crate, "height", lambda: 3.0)
    (4.0, 3.0)
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: WeakKeyDictionary[Mesh, dict[Hashable, tuple[Value]]] = WeakKeyDictionary()

    def of(self, mesh: Mesh, key: Hashable, work_out: Callable[[], Value]) -> Value:
        """The value of a mesh under a key, worked out where it is not known."""
        known = self._kept.setdefault(mesh, {})
        entry = known.pop(key, None)  # and in again, as the last one that was used
        value = work_out() if entry is None else entry[0]
        for oldest in list(known)[: max(0, len(known) + 1 - self._most)]:
            known.pop(oldest, None)
        known[key] = (value,)
        return value

    def forget(self) -> None:
        """Keeps nothing any more."""
        self._kept.clear()
