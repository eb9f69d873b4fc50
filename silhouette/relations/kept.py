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
        size: of a value.
        in_all: the sizes that are kept of all meshes together: what was used longest ago goes first, never the latest.

    >>> from silhouette.meshes.primitives import Box, Solid, solid
    >>> crate, kept = solid(Solid(Box((2.0, 2.0, 2.0)))), KeptByMesh[float](1)
    >>> kept.of(crate, "height", lambda: 2.0), kept.of(crate, "height", lambda: 3.0)
    (2.0, 2.0)
    >>> kept.of(crate, "width", lambda: 4.0), kept.of(crate, "height", lambda: 3.0)
    (4.0, 3.0)
    """

    def __init__(self, most: int, size: Callable[[Value], int] = lambda value: 0, in_all: int = 0) -> None:
        self._most, self._size, self._in_all = most, size, in_all
        self._kept: WeakKeyDictionary[Mesh, dict[Hashable, tuple[Value]]] = WeakKeyDictionary()

    def of(self, mesh: Mesh, key: Hashable, work_out: Callable[[], Value]) -> Value:
        """The value of a mesh under a key, worked out where it is not known."""
        known = self._kept.pop(mesh, {})  # and in again, as the last one that was used
        self._kept[mesh] = known
        entry = known.pop(key, None)
        value = work_out() if entry is None else entry[0]
        for oldest in list(known)[: max(0, len(known) + 1 - self._most)]:
            known.pop(oldest, None)
        known[key] = (value,)
        if entry is None:
            self._make_room()
        return value

    def _make_room(self) -> None:
        """Drops what was used longest ago, where too much is kept."""
        try:
            there = [(known, key, value[0]) for known in self._kept.values() for key, value in known.items()]
        except RuntimeError:  # another thread works something out just now, and will look itself
            return
        sizes = [self._size(value) for _, _, value in there]
        kept = sum(sizes)
        for (known, key, _), size in zip(there[:-1], sizes, strict=False):
            if kept <= self._in_all:
                return
            known.pop(key, None)
            kept -= size

    def forget(self) -> None:
        """Keeps nothing any more."""
        self._kept.clear()
