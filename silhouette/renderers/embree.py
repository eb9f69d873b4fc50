"""RENDER with rays on the CPU: Embree through embreex, one acceleration structure per distinct mesh."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from silhouette.errors import RendererUnavailable
from silhouette.geometry import Floats, Integers, corners
from silhouette.meshes import Mesh
from silhouette.renderers.base import Body, Layer
from silhouette.views import View

FACES_PER_CHUNK = 1 << 18
"""A larger mesh is indexed in pieces of this many neighbouring faces, each only when a ray comes near it."""

RAYS_WORTH_A_THREAD = 4096
"""So many rays and more are cast in two halves at once."""

FACES_KEPT = 20_000_000
"""Acceleration structures for up to this many faces stay in memory, the latest used first."""


class EmbreeRenderer:
    """Casts one ray per pixel, carried into the frame of each distinct mesh.

    The surfaces that Embree (float32) finds are met again in float64, in the plane of the face that was hit,
    so that two faces in one plane are at equal depth and the lower id is in front, every time.

    Raises:
        RendererUnavailable: where embreex is not installed.
    """

    name = "embree"
    sparse = True

    def __init__(self) -> None:
        try:
            import embreex
        except ImportError as missing:
            raise RendererUnavailable(
                f"embree: the package embreex is not installed ({missing}); "
                "it has wheels for Linux x86-64, macOS and Windows: pip install embreex"
            ) from None
        self.device = f"CPU, embreex {getattr(embreex, '__version__', '')}".rstrip()
        self._indexes: OrderedDict[str, list[_Chunk]] = OrderedDict()

    def render(self, view: View, bodies: Sequence[Body], pixels: Any = None) -> Layer:
        """What is in front, at every pixel or at ``pixels``; see `silhouette.renderers.base.Renderer`."""
        if pixels is None:
            rows, columns = np.indices((view.height, view.width)).reshape(2, -1)
            shape: tuple[int, ...] = (view.height, view.width)
        else:
            rows, columns = np.asarray(pixels).reshape(-1, 2).T
            shape = (len(rows),)
        plane = np.empty((len(rows), 3))
        plane[:, 0] = view.left + (columns + 0.5) * view.step
        plane[:, 1] = view.top - (rows + 0.5) * view.step
        plane[:, 2] = 1.0
        front = Layer.empty((len(rows),))
        for body in sorted(bodies, key=lambda one: one.id):
            for chunk in self._index(body.mesh):
                _trace(view, body, chunk, plane, front)
        return Layer(front.ids.reshape(shape), front.depth.reshape(shape))

    def _index(self, mesh: Mesh) -> list[_Chunk]:
        """The mesh's chunks, cut when it is first met; the structures themselves are built when rays come near."""
        if mesh.digest not in self._indexes:
            starts = range(0, len(mesh.faces), FACES_PER_CHUNK)
            self._indexes[mesh.digest] = [_Chunk.cut(mesh, start, start + FACES_PER_CHUNK) for start in starts]
            kept = sum(len(chunk.faces) for chunks in self._indexes.values() for chunk in chunks)
            while kept > FACES_KEPT and len(self._indexes) > 1:
                _, dropped = self._indexes.popitem(last=False)
                kept -= sum(len(chunk.faces) for chunk in dropped)
        self._indexes.move_to_end(mesh.digest)
        return self._indexes[mesh.digest]


@dataclass(eq=False)
class _Chunk:
    """Some neighbouring faces of a mesh with their bounding box, their planes and their acceleration structure."""

    vertices: Floats
    faces: Integers
    box: Floats
    _structure: Any = field(default=None, repr=False)
    _planes: Floats | None = field(default=None, repr=False)

    @classmethod
    def cut(cls, mesh: Mesh, start: int, stop: int) -> _Chunk:
        inside = np.zeros(len(mesh.faces), dtype=np.bool_)
        inside[start:stop] = True
        part = mesh if inside.all() else mesh.subset(inside)
        return cls(part.vertices, part.faces, corners(part.vertices.min(axis=0), part.vertices.max(axis=0)))

    def structure(self) -> Any:
        """The Embree scene, built at the first call. Robust: no ray slips between two faces that share an edge."""
        if self._structure is None:
            from embreex.mesh_construction import TriangleMesh
            from embreex.rtcore_scene import EmbreeScene

            self._structure = EmbreeScene(robust=True)
            TriangleMesh(self._structure, np.array(self.vertices, np.float32), np.array(self.faces, np.int32))
        return self._structure

    def planes(self) -> Floats:
        """(m, 4): the normal of each face, not scaled, and its product with a corner of the face."""
        if self._planes is None:
            first, second, third = (self.vertices[self.faces[:, corner]] for corner in range(3))
            (x, y, z), (u, v, w) = (second - first).T, (third - first).T
            normals = np.column_stack([y * w - z * v, z * u - x * w, x * v - y * u])
            self._planes = np.column_stack([normals, np.einsum("ij,ij->i", normals, first)])
        return self._planes


def _trace(view: View, body: Body, chunk: _Chunk, plane: Floats, front: Layer) -> None:
    """Casts the rays that come near the chunk, and enters in ``front`` what they meet before what is there.

    ``plane`` (n, 3) is where the rays pass the picture, at distance one: across, upward, and one.
    """
    near = _near(view, body, chunk, plane)
    if near is not None:
        if len(near) == 0:
            return
        plane = plane[near]
    eye = body.pose.localise(view.eye[None])[0]
    axes = view.axes @ body.pose.rotation
    rays = plane.astype(np.float32) @ axes.astype(np.float32)
    origins = np.broadcast_to(eye.astype(np.float32), rays.shape)
    faces, found = _cast(chunk.structure(), origins, rays)
    met = np.flatnonzero(faces >= 0)
    if len(met) == 0:
        return
    depth = _exact_depth(chunk.planes()[faces[met]], eye, plane[met] @ axes, found[met])
    where = met if near is None else near[met]
    closer = depth < front.depth[where]
    front.depth[where[closer]] = depth[closer]
    front.ids[where[closer]] = body.id


def _near(view: View, body: Body, chunk: _Chunk, plane: Floats) -> NDArray[np.intp] | None:
    """Which rays pass through the rectangle round the chunk in the picture; None where all of them may."""
    across, upward, depth = ((body.pose.place(chunk.box) - view.eye) @ view.axes.T).T
    if depth.max() <= 0.0:
        return np.empty(0, np.intp)
    if depth.min() <= 0.0:
        return None
    across, upward = across / depth, upward / depth
    inside = (plane[:, 0] >= across.min() - view.step) & (plane[:, 0] <= across.max() + view.step)
    inside &= (plane[:, 1] >= upward.min() - view.step) & (plane[:, 1] <= upward.max() + view.step)
    return None if inside.all() else np.flatnonzero(inside)


def _cast(
    structure: Any, origins: NDArray[np.float32], rays: NDArray[np.float32]
) -> tuple[Integers, NDArray[np.float32]]:
    """The face that each ray meets first, -1 for none, and how far along; two halves at once where there are many.

    Embree releases the interpreter's lock while it casts.
    """
    if len(rays) < RAYS_WORTH_A_THREAD:
        met = structure.run(origins, rays, output=True)
        return met["primID"], met["tfar"]
    half = len(rays) // 2
    later = _helper().submit(structure.run, origins[half:], rays[half:], output=True)
    first, second = structure.run(origins[:half], rays[:half], output=True), later.result()
    return (
        np.concatenate([first["primID"], second["primID"]]),
        np.concatenate([first["tfar"], second["tfar"]]),
    )


@cache
def _helper() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1, thread_name_prefix="embree")


def _exact_depth(planes: Floats, eye: Floats, rays: Floats, found: NDArray[np.float32]) -> NDArray[np.float32]:
    """Where rays (n, 3) meet the planes (n, 4) of the faces they hit, as depth; Embree's where one is seen edge-on."""
    facing = np.einsum("ij,ij->i", planes[:, :3], rays)
    with np.errstate(divide="ignore", invalid="ignore"):
        depth = (planes @ np.array([-eye[0], -eye[1], -eye[2], 1.0])) / facing
    trusted = np.abs(depth - found) <= 1e-4 * (1.0 + found)
    return np.where(trusted, depth, found).astype(np.float32)
