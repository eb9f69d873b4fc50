"""RENDER: what renderers that cast rays share: meshes in chunks with their planes, and pictures made of rays.

A chunk's frame is its mesh's, moved to the middle of the chunk, so that float32 is as fine as it can be there. What a
query in float32 meets is met again in float64, in the plane of the face, so that two faces in one plane are at equal
depth.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, Generic, Self, TypeVar
from weakref import WeakSet

import numpy as np
from numpy.typing import NDArray

from silhouette.common.geometry import Floats, Integers, corners
from silhouette.common.lazy import LRU
from silhouette.meshes.mesh import Mesh
from silhouette.renderers.protocol import Body, Capabilities, Cast, Layer, Renderer
from silhouette.renderers.views import View

FACES_PER_CHUNK = 1 << 18  # a larger mesh is indexed in chunks of this many neighbouring faces

MAX_RAY_ATTEMPTS = 32
"""How often at most a ray is sent again that meets faces which the eye only touches: at one corner they may be many."""

BYTES_KEPT, BYTES_SPARE = 4_000_000_000, 200_000_000
"""Acceleration structures of so many bytes stay in memory, the latest used first: of meshes that are in use, and of
those that are gone."""

INDEX_BYTES_PER_CHUNK, INDEX_BYTES_PER_FACE = 8_000, 200
"""What an acceleration structure takes, with all that belongs to it, as measured: a box takes little but the former."""

TRUSTED_DEPTH_SHARE = 1e-4
"""A depth in a face's plane is trusted as far as it differs by this share of it, and of 1 mm, from that in float32: it
is worth nothing where the face is seen edge-on."""


@dataclass(eq=False)
class FaceChunk:
    """Some neighbouring faces of a mesh with their bounding box and their planes."""

    middle: Floats  # (3,) mm, of the box, in the mesh's frame
    vertices: Floats  # (n, 3) mm, in the chunk's frame
    faces: Integers  # (m, 3)
    box: Floats  # (8, 3) mm, its corners, in the mesh's frame
    _planes: Floats | None = field(default=None, repr=False)

    @classmethod
    def all_of(cls, mesh: Mesh) -> list[Self]:
        """The chunks of a mesh: none where it has no faces."""
        starts = range(0, len(mesh.faces), FACES_PER_CHUNK)
        return [cls._cut(mesh, start, start + FACES_PER_CHUNK) for start in starts]

    @classmethod
    def _cut(cls, mesh: Mesh, start: int, stop: int) -> Self:
        inside = np.zeros(len(mesh.faces), dtype=np.bool_)
        inside[start:stop] = True
        part = mesh if inside.all() else mesh.subset(inside)
        low, high = part.vertices.min(axis=0), part.vertices.max(axis=0)
        middle = (low + high) / 2
        return cls(middle, part.vertices - middle, part.faces, corners(low, high))

    def planes(self) -> Floats:
        """(m, 4): the unit normal of each face and its product with a corner; zeros where a face has no area."""
        if self._planes is None:
            first, second, third = (self.vertices.take(self.faces[:, corner], axis=0) for corner in range(3))
            (x, y, z), (u, v, w) = (second - first).T, (third - first).T
            normals = np.column_stack([y * w - z * v, z * u - x * w, x * v - y * u])
            lengths = np.linalg.norm(normals, axis=1, keepdims=True)
            normals = np.divide(normals, lengths, out=np.zeros_like(normals), where=lengths > 0.0)
            self._planes = np.column_stack([normals, np.einsum("ij,ij->i", normals, first)])
        return self._planes


def indexed_size(chunks: Sequence[FaceChunk]) -> int:
    """The bytes that chunks take with their acceleration structures."""
    return sum(INDEX_BYTES_PER_CHUNK + INDEX_BYTES_PER_FACE * len(chunk.faces) for chunk in chunks)


Made = TypeVar("Made")


class MeshMemo(Generic[Made]):
    """What is made of meshes, kept by their content up to a size in all: an LRU that several threads may ask at once.

    What was made of meshes that are gone goes first, and little of it is kept: which are gone is looked up whenever as
    much is new as a quarter of what may be kept of them.

    Args:
        make: makes it of a mesh.
        size: its size, when it was just made.
        room: for all that is kept; what was made last is kept whatever its size.
        spare: for what is kept of meshes that are gone: another scene may load them again. None for as much.
    """

    def __init__(
        self, make: Callable[[Mesh], Made], size: Callable[[Made], int], room: int, spare: int | None = None
    ) -> None:
        self._make, self._size = make, size
        self._spare = room if spare is None else spare
        self._memo, self._new = LRU[Made](room), 0
        self._meshes: dict[str, WeakSet[Mesh]] = {}
        self._lock = Lock()

    def forked(self) -> None:
        """In a process that was just forked: no thread is here that could hold the lock."""
        self._lock = Lock()

    def clear(self) -> None:
        """Keeps nothing any more."""
        with self._lock:
            self._memo.clear()
            self._meshes.clear()

    @property
    def made(self) -> Mapping[str, Made]:
        """What is kept, by the digests of the meshes."""
        return dict(self._memo.items())

    def of(self, mesh: Mesh) -> Made:
        """What was made of the mesh, made now if it is not there."""
        with self._lock:
            made = self._memo.get(mesh.digest)
            if made is None:
                made = self._make(mesh)
                self._memo.put(mesh.digest, made, size := self._size(made))
                self._meshes[mesh.digest] = WeakSet()
                self._new += size
            self._meshes[mesh.digest].add(mesh)
            self._make_room(mesh.digest)
            return made

    def _make_room(self, latest: str) -> None:
        if self._new <= self._spare / 4 and self._memo.size <= self._memo.room:
            return
        self._new = 0
        in_use = [digest for digest, _ in self._memo.items() if self._meshes[digest]]
        self._forget(self._memo.trim(in_use, room=self._memo.size_of(in_use) + self._spare))
        self._forget(self._memo.trim([latest]))

    def _forget(self, digests: Iterable[str]) -> None:
        for digest in digests:
            del self._meshes[digest]


class RayRenderer(Renderer):
    """A renderer that casts rays, many at once: what it sees is what `depths` meets first."""

    capabilities = Capabilities(sparse=True)

    @abstractmethod
    def depths(self, casts: Sequence[Cast]) -> NDArray[np.float32]:
        """See `Renderer.depths`: the rays of all casts are cast in one go."""

    def render(self, view: View, bodies: Sequence[Body], pixels: Any = None) -> Layer:
        """See `Renderer.render`: one cast at each body."""
        shape: tuple[int, ...] = (view.height, view.width)
        if pixels is None:
            places = np.indices(shape, dtype=np.float64).reshape(2, -1).T
        else:
            places = np.asarray(pixels, dtype=np.float64).reshape(-1, 2)
            shape = (len(places),)
        front = Layer.empty((len(places),))
        for body in sorted(bodies, key=lambda body: body.id):
            depth = self.depths([Cast(view, body, places)])
            closer = depth < front.depth
            front.depth[closer], front.ids[closer] = depth[closer], body.id
        return Layer(front.ids.reshape(shape), front.depth.reshape(shape))
