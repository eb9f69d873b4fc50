"""RENDER with rays on an NVIDIA GPU: all casts of a call in one launch; on the CPU with the same kernels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from silhouette.common.errors import DeviceFull, RendererUnavailable, RequestError
from silhouette.common.geometry import Floats, Integers
from silhouette.meshes.mesh import Mesh
from silhouette.renderers.areas import CoveredAreas, LayeredPicture
from silhouette.renderers.cuda.devices import Device, chosen_device, silenced, warp
from silhouette.renderers.protocol import Body, Capabilities, Cast
from silhouette.renderers.rays import FaceChunk, MeshMemo, RayRenderer
from silhouette.renderers.views import View

# ---- views and bodies


@dataclass(frozen=True, eq=False)
class BodyRows:
    """Bodies in an order of their own."""

    turn: Floats  # (n, 3, 3) the rotations of their poses
    at: Floats  # (n, 3) mm, the translations
    mesh: Integers  # (n,) the number of each one's mesh in ``digests``
    digests: tuple[str, ...]  # of the meshes, each once

    @classmethod
    def of(cls, bodies: Sequence[Body]) -> BodyRows:
        """The rows of bodies.

        >>> BodyRows.of([]).turn.shape
        (0, 3, 3)
        """
        numbers = dict[str, int]()
        mesh = np.array([numbers.setdefault(body.mesh.digest, len(numbers)) for body in bodies], np.int32)
        turn = np.array([body.pose.rotation for body in bodies], np.float64).reshape(-1, 3, 3)
        at = np.array([body.pose.translation for body in bodies], np.float64).reshape(-1, 3)
        return cls(turn, at, mesh, tuple(numbers))


def meshes_of(bodies: Sequence[Body]) -> dict[str, Mesh]:
    """The meshes of bodies by their digests, in the order of `BodyRows.digests`."""
    return {body.mesh.digest: body.mesh for body in bodies}


def view_rows(views: Sequence[View]) -> Floats:
    """(k, 5, 3) views as a device reads them: see `silhouette.renderers.cuda.kernels.DeviceView`."""
    rows = np.empty((len(views), 5, 3))
    rows[:, 0] = [view.eye for view in views]
    rows[:, 1:4] = [view.axes for view in views]
    rows[:, 4] = [(view.left, view.top, view.step) for view in views]
    return rows


# ---- the renderer

DEVICE_BYTES_PER_FACE = 320
"""What a face is taken to need on a device: 220 bytes on the CPU, and more on a GPU while its hierarchy is built."""

SHARE_OF_MEMORY = 0.6
"""Meshes take up to this share of what is free on a GPU when it is started; the rest is for rays, and for others."""

PROCESSES_ON_A_GPU = 16
"""So many processes may share a GPU: each keeps meshes that are not in use up to that fraction of its memory."""

TOGETHER_ON_GPU = 512  # checks that are judged at once: each launch has threads for all of them

BYTES_ON_CPU = 5 << 30  # the most that meshes take on the CPU
RAYS_PER_LAUNCH = 1 << 22  # more rays than these are cast in several launches; with its answer each takes 24 bytes


class CudaRenderer(RayRenderer):
    """Casts one ray per pixel on a device, carried into the frame of each distinct mesh: a thread for each ray.

    The surfaces that warp (float32) finds are met again in float64 on the device itself, in the plane of the face that
    was hit: see `silhouette.renderers.rays`. Meshes stay on the device, the latest used first, up to a bound.

    Attributes:
        device_name: as ``--device`` takes it.
        room: bytes that meshes may take on the device.
        warp: the module of that name, with which arrays are made.

    Raises:
        RendererUnavailable: if the kernels cannot be compiled for the device.
    """

    name = "cuda"
    capabilities = Capabilities(sparse=True, counts_areas=True)

    def __init__(self, device: Device) -> None:
        self.warp, self._device = warp(), device
        self.device = ", ".join([*([device.name] if device.is_gpu else []), device.title, f"warp {_version()}"])
        self.device_name = device.name
        with self._plainly("does not start"):
            from silhouette.renderers.cuda import kernels

            self._kernels: Any = kernels
            self.warp.load_module(kernels, device=device.handle)
            self.room = int(SHARE_OF_MEMORY * device.free) if device.is_gpu else BYTES_ON_CPU
            if device.is_gpu:
                self.capabilities = replace(
                    self.capabilities,
                    hardware=True,
                    driver=device.driver,
                    memory=device.memory,
                    together=TOGETHER_ON_GPU,
                )
        room = min(self.room, device.memory // PROCESSES_ON_A_GPU) if device.is_gpu else self.room
        self._room_for_edges = room // 4
        self._meshes: MeshMemo[_OnDevice] = MeshMemo(self._upload, lambda mesh: mesh.size, room)
        self._listed = dict[str, _OnDevice]()
        self._numbers = dict[str, tuple[int, int]]()
        self._chunks: Any = None
        self._sweep: Any = None
        self._listing = Lock()  # threads share the renderer of a process

    @classmethod
    def create(cls, device: str | None = None) -> CudaRenderer:
        """The renderer on the device of that name, as ``silhouette doctor`` lists them; for None on the first GPU.

        Raises:
            RendererUnavailable: where there is no such device, or it does not work.
        """
        return cls(chosen_device(device))

    def cast(
        self, views: Floats, bodies: BodyRows, meshes: Mapping[str, Mesh], of_ray: Integers, places: Floats
    ) -> NDArray[np.float32]:
        """(n,) mm, the depth at which each ray first meets its body, infinite for none; one launch for all rays.

        Args:
            views: (k, 5, 3) of each cast: see `view_rows`.
            bodies: k, the one at which each cast's rays are aimed.
            meshes: of these, by their digests.
            of_ray: (n,) int32, the number of each ray's cast.
            places: (n, 2) row and column in the picture of each ray.
        """
        depth = np.empty(len(places), dtype=np.float32)
        with self._plainly("failed"):
            placed = self.placed(bodies, meshes)
            on_device = self.given(views, self._kernels.DeviceView)
            for start in range(0, len(depth), RAYS_PER_LAUNCH):
                some = slice(start, start + RAYS_PER_LAUNCH)
                answers = self.warp.empty(len(depth[some]), dtype=self.warp.float32, device=self._device.handle)
                rays = [self.given(of_ray[some], self.warp.int32), self.given(places[some], self.warp.vec2d)]
                given = [on_device, placed.bodies, placed.chunks, *rays, answers]
                self.launch(self._kernels.cast_rays, len(answers), given)
                depth[some] = self.read(answers)
        return depth

    def depths(self, casts: Sequence[Cast]) -> NDArray[np.float32]:
        """See `Renderer.depths`: all casts in one go."""
        counts = [len(cast.places) for cast in casts]
        if not sum(counts):
            return np.empty(0, dtype=np.float32)
        of_ray = np.repeat(np.arange(len(casts), dtype=np.int32), counts)
        places = np.concatenate([cast.places for cast in casts], dtype=np.float64)
        bodies = [cast.body for cast in casts]
        views = view_rows([cast.view for cast in casts])
        return self.cast(views, BodyRows.of(bodies), meshes_of(bodies), of_ray, places)

    def areas(self, pictures: Sequence[LayeredPicture]) -> list[CoveredAreas]:
        """See `Renderer.areas`: a launch for each step, for all pictures."""
        with self._listing, self._plainly("failed"):
            if self._sweep is None:
                from silhouette.renderers.cuda.areas import AreaSweep

                self._sweep = AreaSweep(self, self._room_for_edges)
            areas: list[CoveredAreas] = self._sweep.areas(pictures)
            return areas

    def refuse_too_large(self, meshes: Mapping[str, Mesh]) -> None:
        """See `Renderer.refuse_too_large`: a mesh, or all, for which there is not `room`."""
        distinct = {mesh.digest: (size_of(mesh), name) for name, mesh in meshes.items()}
        largest, name = max(distinct.values(), default=(0, ""))
        whole = f" of {_in_words(memory)}" if (memory := self.capabilities.memory) else ""
        has_room = f"{self.device_name} has room for {_in_words(self.room)} of meshes{whole}"
        if largest > self.room:
            raise RequestError(f"cuda: {name} takes {_in_words(largest)}; {has_room}")
        together = sum(size for size, _ in distinct.values())
        if together > self.room:
            raise RequestError(
                f"cuda: the {len(distinct)} meshes of this table take {_in_words(together)}, the largest, {name}, "
                f"{_in_words(largest)}; {has_room}"
            )

    def placed(self, bodies: BodyRows, meshes: Mapping[str, Mesh]) -> DeviceBodies:
        """The bodies on the device; their meshes are given by their digests.

        Raises:
            RendererUnavailable: where they cannot be put there, as where its memory is full.
        """
        with self._listing, self._plainly("failed"):
            held = {digest: self._meshes.of(meshes[digest]) for digest in bodies.digests}
            self._list_chunks(held)
            numbers = np.array([self._numbers[digest] for digest in bodies.digests], np.int32).reshape(-1, 2)
            chunks = self._chunks
        rows: Any = np.zeros(len(bodies.at), self._kernels.DeviceBody.numpy_dtype())
        rows["turn"], rows["at"] = bodies.turn, bodies.at
        rows["first"], rows["last"] = numbers[bodies.mesh].T
        return DeviceBodies(self.given(rows, self._kernels.DeviceBody, copy=True), chunks, held)

    def _list_chunks(self, meshes: Mapping[str, _OnDevice]) -> None:
        """Lists the chunks of these meshes, and of all that are kept, on the device, unless they are listed already."""
        if all(self._listed.get(digest) is mesh for digest, mesh in meshes.items()):
            return
        self._listed = {**self._meshes.made, **meshes}
        ends = accumulate((len(mesh.rows) for mesh in self._listed.values()), initial=0)
        self._numbers = dict(zip(self._listed, pairwise(ends), strict=True))
        rows = [row for mesh in self._listed.values() for row in mesh.rows]
        kind = self._kernels.DeviceChunk
        self._chunks = self.given(np.array(rows, kind.numpy_dtype()), kind, copy=True)

    def _upload(self, mesh: Mesh) -> _OnDevice:
        """The mesh on the device, each chunk with its hierarchy and its planes."""
        with silenced() if self.capabilities.hardware else nullcontext():
            held = [self._indexed(chunk) for chunk in FaceChunk.all_of(mesh)]
        return _OnDevice(size_of(mesh), [on_device.numpy_value() for _, on_device in held], held)

    def _indexed(self, chunk: FaceChunk) -> tuple[Any, Any]:
        """A chunk's hierarchy on the device, and its `DeviceChunk`."""
        indexed = self.warp.Mesh(
            self.given(chunk.vertices.astype(np.float32), self.warp.vec3, copy=True),
            self.given(chunk.faces.astype(np.int32).ravel(), self.warp.int32, copy=True),
        )
        on_device = self._kernels.DeviceChunk()
        on_device.mesh = indexed.id
        on_device.middle = self.warp.vec3d(*chunk.middle)
        on_device.planes = self.given(chunk.planes(), self.warp.vec4d, copy=True)
        return indexed, on_device

    def given(self, values: NDArray[Any], kind: Any, copy: bool = False) -> Any:
        """An array of a kind of warp's on the device; without ``copy`` the CPU reads the values where they lie."""
        with self._plainly("failed"):
            return self.warp.array(np.ascontiguousarray(values), dtype=kind, device=self._device.handle, copy=copy)

    def read(self, array: Any) -> NDArray[Any]:
        """An array of the device, here; a kernel that failed on the way to it is told now."""
        with self._plainly("failed"):
            values: NDArray[Any] = array.numpy()
            return values

    def zeros(self, size: int, kind: Any) -> Any:
        """An array of zeros on the device, of a kind of warp's."""
        with self._plainly("failed"):
            return self.warp.zeros(size, dtype=kind, device=self._device.handle)

    def empty(self, size: int, kind: Any) -> Any:
        """An array on the device, of a kind of warp's, that is still to be filled."""
        with self._plainly("failed"):
            return self.warp.empty(size, dtype=kind, device=self._device.handle)

    def launch(self, kernel: Any, threads: int | tuple[int, ...], given: Sequence[Any]) -> None:
        """Runs a kernel on the device: one thread for each number below ``threads``, or for each tuple of such."""
        with self._plainly("failed"):
            self.warp.launch(kernel, threads, list(given), device=self._device.handle)

    @contextmanager
    def _plainly(self, what: str) -> Iterator[None]:
        """Errors of warp in one line; that memory is full, plainly."""
        try:
            yield
        except (RuntimeError, MemoryError, OSError) as error:
            if "allocate" in str(error).lower() or isinstance(error, MemoryError):
                raise DeviceFull(
                    f"cuda: the memory of {self._device.name} is full; fewer --workers, or other programs on it, help"
                ) from error
            raise RendererUnavailable(f"cuda: {self._device.name} {what}: {error}") from error


@dataclass(frozen=True, eq=False)
class _OnDevice:
    """A mesh on a device."""

    size: int  # bytes that it is taken to need
    rows: Sequence[Any]  # its chunks as the device reads them, each the numbers of a `DeviceChunk`
    held: Sequence[Any]  # what must not be freed as long as the rows are in use


@dataclass(frozen=True, eq=False)
class DeviceBodies:
    """Bodies on a device, as its kernels take them."""

    bodies: Any  # an array of `silhouette.renderers.cuda.kernels.DeviceBody`
    chunks: Any  # an array of `silhouette.renderers.cuda.kernels.DeviceChunk`, to which they point
    held: Any  # what must not be freed as long as they are in use


def size_of(mesh: Mesh) -> int:
    """Bytes that a mesh is taken to need on a device."""
    return DEVICE_BYTES_PER_FACE * len(mesh.faces)


def _in_words(size: int) -> str:
    """A size in words.

    >>> _in_words(85_899_345_920), _in_words(2_600_000)
    ('80.0 GiB', '2.5 MiB')
    """
    return f"{size / 2**30:.1f} GiB" if size >= 2**30 else f"{size / 2**20:.1f} MiB"


def _version() -> str:
    return str(warp().config.version)
