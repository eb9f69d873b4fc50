"""RENDER with rays on the CPU: Embree through embreex, one acceleration structure per distinct mesh."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from silhouette.common.errors import RendererUnavailable
from silhouette.common.geometry import Flags, Floats, Integers
from silhouette.common.installation import package_command
from silhouette.meshes.mesh import Mesh
from silhouette.renderers.protocol import NEAREST_DEPTH_MM, Body, Cast
from silhouette.renderers.rays import (
    BYTES_KEPT,
    BYTES_SPARE,
    MAX_RAY_ATTEMPTS,
    TRUSTED_DEPTH_SHARE,
    FaceChunk,
    MeshMemo,
    RayRenderer,
    indexed_size,
)
from silhouette.renderers.views import View

RAYS_WORTH_A_THREAD = 2048  # the least number of rays that are cast in two halves at once
RAYS_WORTH_A_LOOK = 256  # fewer rays are cast all, without a look at which of them come near
AIMS_KEPT = 4096  # views whose aims at chunks are remembered, as long as they and the bodies are in use


class EmbreeRenderer(RayRenderer):
    """Casts one ray per pixel, carried into the frame of each distinct mesh.

    The surfaces that Embree (float32) finds are met again in float64, in the plane of the face that was hit,
    so that two faces in one plane are at equal depth and the lower id is in front, every time. A face that the eye only
    touches (`NEAREST_DEPTH_MM`) is passed through, which float32 alone cannot tell: the ray goes on behind it.

    Raises:
        RendererUnavailable: where embreex is not installed.
    """

    name = "embree"

    def __init__(self) -> None:
        try:
            import embreex
        except ImportError as missing:
            raise RendererUnavailable(
                f"embree: the package embreex is not installed ({missing}); "
                f"it has wheels for Linux x86-64, macOS and Windows: {package_command('embreex')}"
            ) from None
        self.device = f"CPU, embreex {getattr(embreex, '__version__', '')}".rstrip()
        self._aims: WeakKeyDictionary[View, WeakKeyDictionary[Body, dict[_IndexedChunk, _Aim]]] = WeakKeyDictionary()

    def share(self, meshes: Sequence[Mesh]) -> bool:
        """See `Renderer.share`: builds every acceleration structure that is not there yet, and ends its thread."""
        _end_second_thread()
        ray = np.zeros((2, 1, 3), np.float32)
        ray[1, 0, 2] = 1.0
        for mesh in meshes:
            for chunk in _chunks.of(mesh):
                chunk.structure().run(*ray)  # embreex builds the structure when the first ray is cast
                chunk.planes()
        return True

    def depths(self, casts: Sequence[Cast]) -> NDArray[np.float32]:
        """See `Renderer.depths`: the rays of all casts at one mesh are cast in one go."""
        ends = np.cumsum([0, *(len(cast.places) for cast in casts)]).tolist()
        depth = np.full(ends[-1], np.inf, dtype=np.float32)
        chunks = {mesh: _chunks.of(mesh) for mesh in {cast.body.mesh for cast in casts}}
        at_chunks = [(number, chunk) for number, cast in enumerate(casts) for chunk in chunks[cast.body.mesh]]
        aims = self._aims_at([(casts[number].view, casts[number].body, chunk) for number, chunk in at_chunks])
        together: dict[_IndexedChunk, list[_Aimed]] = {}
        for (number, chunk), aim in zip(at_chunks, aims, strict=True):
            places, start = casts[number].places, ends[number]
            nearby = _rays_near(aim, places)
            if nearby is None:
                together.setdefault(chunk, []).append(_Aimed(aim, places, slice(start, ends[number + 1])))
            elif len(nearby):
                together.setdefault(chunk, []).append(_Aimed(aim, places[nearby], nearby + start))
        for chunk, aimed in together.items():
            met, stop = _first_met(chunk, aimed), 0
            for some in aimed:
                start, stop = stop, stop + len(some.places)
                depth[some.rays] = np.minimum(depth[some.rays], met[start:stop])
        return depth

    def _aims_at(self, sent: Sequence[tuple[View, Body, _IndexedChunk]]) -> list[_Aim]:
        """The aims at chunks, computed once for each view and body: a measurement sends its rays in several rounds.

        A view that is kept keeps no body, nor the structures of its mesh.
        """
        of_each = [self._kept_aims(view, body) for view, body, _ in sent]
        new = [number for number, (_, _, chunk) in enumerate(sent) if chunk not in of_each[number]]
        for number, aim in zip(new, _aims([sent[number] for number in new]) if new else (), strict=True):
            of_each[number][sent[number][2]] = aim
        return [aims[chunk] for aims, (_, _, chunk) in zip(of_each, sent, strict=True)]

    def _kept_aims(self, view: View, body: Body) -> dict[_IndexedChunk, _Aim]:
        """The aims of a view at a body that are kept, by chunks: those that are put there are kept too."""
        bodies = self._aims.get(view)
        if bodies is None:
            if len(self._aims) >= AIMS_KEPT:
                self._aims.clear()
            bodies = self._aims[view] = WeakKeyDictionary()
        aims = bodies.get(body)
        if aims is None:
            aims = bodies[body] = {}
        return aims


_building = threading.Lock()  # several threads may want a structure at once


@cache
def _device() -> Any:
    """The one Embree device of the process: a scene without it makes its own, and the thousandth ends the process.

    None where embreex is not installed.
    """
    try:
        from embreex.rtcore import EmbreeDevice
    except ImportError:
        return None
    return EmbreeDevice()


@dataclass(eq=False)
class _IndexedChunk(FaceChunk):
    """A chunk of a mesh with its acceleration structure, which is built when rays first come near it."""

    _structure: Any = field(default=None, repr=False)

    def structure(self) -> Any:
        """The Embree scene, built at the first call. Robust: no ray slips between two faces that share an edge."""
        if self._structure is None:
            from embreex.mesh_construction import TriangleMesh
            from embreex.rtcore_scene import EmbreeScene

            with _building:
                if self._structure is None:
                    structure = EmbreeScene(_device(), robust=True)
                    TriangleMesh(structure, np.array(self.vertices, np.float32), np.array(self.faces, np.int32))
                    self._structure = structure
        return self._structure


_chunks: MeshMemo[list[_IndexedChunk]] = MeshMemo(_IndexedChunk.all_of, indexed_size, BYTES_KEPT, BYTES_SPARE)
"""The chunks of meshes, which all of the process that casts rays shares."""


def met_by_embree(mesh: Mesh, starts: Floats, ends: Floats) -> Flags | None:
    """(n,) whether segments meet a mesh, in float32, so but for a hair; None where embreex is not installed.

    Args:
        mesh: that is met, from either side.
        starts, ends: (n, 3) mm of the segments, in the mesh's frame.
    """
    if _device() is None:
        return None
    met = np.zeros(len(starts), dtype=np.bool_)
    for chunk in _chunks.of(mesh):
        origins = (starts - chunk.middle).astype(np.float32)
        along = (ends - starts).astype(np.float32)
        farthest = np.ones(len(starts), np.float32)
        met |= chunk.structure().run(origins, along, farthest, query="OCCLUDED") >= 0
    return met


@dataclass(frozen=True, eq=False)
class _Aim:
    """The eye and the rays of a view in the frame of a body's chunk, and the chunk's place in the picture.

    The ray through the place at a row and a column is row * ``downward`` + column * ``across`` + ``first``, as long as
    one unit of depth.
    """

    eye: Floats  # (3,) float64
    per_place: Floats  # (2, 3) float64: ``downward`` and ``across``
    first: Floats  # (3,) float64
    # (2, 2) the first row and column of the chunk in the picture, and the last ones; None where its box reaches behind
    # the eye
    window: Floats | None
    behind: bool  # whether all of it lies behind the eye


def _aims(sent: Sequence[tuple[View, Body, _IndexedChunk]]) -> list[_Aim]:
    """The aims of views at chunks of bodies."""
    views, poses = [view for view, _, _ in sent], [body.pose for _, body, _ in sent]
    eyes, axes = np.array([view.eye for view in views])[:, None], np.array([view.axes for view in views])
    at, rotation = np.array([pose.translation for pose in poses])[:, None], np.array([pose.rotation for pose in poses])
    left, top, step = np.array([(view.left, view.top, view.step) for view in views]).T[..., None]
    boxes = np.array([chunk.box for _, _, chunk in sent]) @ rotation.swapaxes(1, 2) + at
    across, upward, depth = np.moveaxis((boxes - eyes) @ axes.swapaxes(1, 2), -1, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        columns, rows = (across / depth - left) / step, (top - upward / depth) / step
    # The middle of a pixel lies at its index, half a pixel before that of `View.project`; and a pixel is left free.
    low, high = (np.array([end(rows, axis=1), end(columns, axis=1)]).T - 0.5 for end in (np.min, np.max))
    windows = np.stack([low - 1.0, high + 1.0], axis=1)
    own_eyes = ((eyes - at) @ rotation)[:, 0] - np.array([chunk.middle for _, _, chunk in sent])
    right, up, forward = (axes @ rotation).swapaxes(0, 1)
    first = (left + 0.5 * step) * right + (top - 0.5 * step) * up + forward
    per_place = np.stack([-step * up, step * right], axis=1)
    ahead, behind = (depth.min(axis=1) > 0.0).tolist(), (depth.max(axis=1) <= 0.0).tolist()
    return [
        _Aim(own_eyes[n], per_place[n], first[n], windows[n] if ahead[n] else None, behind[n]) for n in range(len(sent))
    ]


def _rays_near(aim: _Aim, places: Floats) -> NDArray[np.intp] | None:
    """(k,) which of the rays through ``places`` (n, 2) come near the chunk; None for all."""
    if aim.behind:
        return np.empty(0, dtype=np.intp)
    if aim.window is None or len(places) <= RAYS_WORTH_A_LOOK:
        return None
    rows, columns = places.T
    (top, left), (bottom, right) = aim.window
    inside: Flags = (columns >= left) & (columns <= right) & (rows >= top) & (rows <= bottom)
    return None if inside.all() else inside.nonzero()[0]


@dataclass(frozen=True, eq=False)
class _Aimed:
    """Rays of a cast at a chunk."""

    aim: _Aim  # of the cast's view at the chunk
    places: Floats  # (n, 2) row and column of each ray in the picture
    rays: slice | NDArray[np.intp]  # which of all the rays that are cast these are: n of them


def _first_met(chunk: _IndexedChunk, aimed: Sequence[_Aimed]) -> NDArray[np.float32]:
    """(n,) the depth of the face that each ray meets first, inf for none; no face that the eye only touches.

    A ray that meets such faces is sent again from a point beside the eye, on that side of them to which it goes. Each
    weighs the same: else, at a sharp edge, that side of one would be the wrong side of the other.
    """
    counts = [len(rays.places) for rays in aimed]
    each_eye, of_ray = np.array([rays.aim.eye for rays in aimed]), np.repeat(np.arange(len(aimed)), counts)
    along, stop = np.empty((len(of_ray), 3)), 0
    for some, count in zip(aimed, counts, strict=True):
        start, stop = stop, stop + count
        np.dot(some.places, some.aim.per_place, out=along[start:stop])
    along += np.array([rays.aim.first for rays in aimed]).take(of_ray, axis=0)
    structure, planes = chunk.structure(), chunk.planes()
    rays = along.astype(np.float32)
    faces, depth = _cast(structure, each_eye.astype(np.float32).take(of_ray, axis=0), rays)
    missed = faces < 0
    depth[missed] = np.inf
    among = np.flatnonzero(~missed)
    towards = np.zeros((len(among), 3))
    for attempt in range(1, MAX_RAY_ATTEMPTS + 1):
        eyes, of_faces = each_eye.take(of_ray.take(among), axis=0), planes.take(faces.take(among), axis=0)
        depth[among], touched = _exact_depth(of_faces, eyes, along.take(among, axis=0), depth.take(among))
        if not touched.any():
            return depth
        among, towards, normals, eyes = among[touched], towards[touched], of_faces[touched, :3], eyes[touched]
        towards += normals * np.copysign(1.0, np.einsum("ij,ij->i", normals, rays[among]))[:, None]
        origins = (eyes + attempt * NEAREST_DEPTH_MM * towards).astype(np.float32)
        faces[among], depth[among] = _cast(structure, origins, rays[among])
        met = faces[among] >= 0
        depth[among[~met]] = np.inf
        among, towards = among[met], towards[met]
    depth[among] = np.inf
    return depth


def _cast(
    structure: Any, origins: NDArray[np.float32], rays: NDArray[np.float32]
) -> tuple[Integers, NDArray[np.float32]]:
    """The face that each ray meets first, -1 for none, and how far along; two halves at once where there are many.

    Embree releases the interpreter's lock while it casts.
    """
    if len(rays) < RAYS_WORTH_A_THREAD or _is_forked:
        met = structure.run(origins, rays, output=True)
        return met["primID"], met["tfar"]
    half = len(rays) // 2
    later = _second_thread().submit(structure.run, origins[half:], rays[half:], output=True)
    first, second = structure.run(origins[:half], rays[:half], output=True), later.result()
    return (
        np.concatenate([first["primID"], second["primID"]]),
        np.concatenate([first["tfar"], second["tfar"]]),
    )


@cache
def _second_thread() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1, thread_name_prefix="embree")


def _end_second_thread() -> None:
    """Ends the second thread where no other runs, so that the process can be forked; else another may be using it."""
    if _second_thread.cache_info().currsize and threading.active_count() == 2:
        _second_thread().shutdown()
        _second_thread.cache_clear()


_is_forked = False


def _after_fork() -> None:
    """Notes the fork: the new process has none of the threads, and its siblings use the other cores."""
    global _is_forked, _building
    _is_forked, _building = True, threading.Lock()
    _chunks.forked()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def _exact_depth(
    planes: Floats, eyes: Floats, along: Floats, hit_depth: NDArray[np.float32]
) -> tuple[NDArray[np.float32], Flags]:
    """(n,) depths at which rays from eyes (n, 3) meet the planes (n, 4) of the faces hit; Embree's if one is edge-on.

    Also whether the eye only touches the face (`NEAREST_DEPTH_MM`); the depth is Embree's there, whatever it is worth.
    ``along`` (n, 3) are the rays in the chunk's frame, as long as one unit of depth.
    """
    normals = planes[:, :3]
    ahead = planes[:, 3] - np.einsum("ij,ij->i", normals, eyes)
    facing = np.einsum("ij,ij->i", normals, along)
    with np.errstate(divide="ignore", invalid="ignore"):
        depth = ahead / facing
    touched: Flags = (np.abs(ahead) < NEAREST_DEPTH_MM) | (hit_depth < NEAREST_DEPTH_MM)
    trusted = (np.abs(depth - hit_depth) <= TRUSTED_DEPTH_SHARE * (1.0 + hit_depth)) & ~touched
    return np.where(trusted, depth, hit_depth).astype(np.float32), touched
