"""RENDER with rays on an NVIDIA GPU: all casts of a call in one launch; on the CPU with the same kernels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from silhouette.errors import RendererUnavailable, RequestError
from silhouette.geometry import Floats
from silhouette.meshes.mesh import Mesh
from silhouette.renderers.cuda.devices import Device, chosen_device, silenced, warp
from silhouette.renderers.protocol import Body, Cast, Layer
from silhouette.renderers.rays import Chunk, Kept, layer_of_rays
from silhouette.views import View

BYTES_PER_FACE = 320
"""What a face is taken to need on a device: 220 bytes on the CPU, and more on a GPU while its hierarchy is built."""

SHARE_OF_MEMORY = 0.6
"""Meshes take up to this share of what is free on a GPU when it is started; the rest is for rays, and for others."""

BYTES_ON_CPU = 5 << 30
"""Meshes take up to so many bytes on the CPU."""

RAYS_PER_LAUNCH = 1 << 22
"""More rays than these are cast in several launches; with its answer each takes 24 bytes."""


class CudaRenderer:
    """Casts one ray per pixel, carried into the frame of each distinct mesh, one thread of the device for each.

    The surfaces that warp (float32) finds are met again in float64 on the device itself, in the plane of the face that
    was hit: see `silhouette.renderers.rays`. Meshes stay on the device, the latest used first, up to a bound.

    Attributes:
        driver: the version of CUDA that the GPU's driver serves; empty on the CPU.
        hardware: whether a GPU casts the rays.
        memory: bytes, of the GPU; 0 on the CPU.
        room: bytes that meshes may take on the device.

    Raises:
        RendererUnavailable: where the kernels cannot be compiled for the device.
    """

    name = "cuda"
    sparse = True

    def __init__(self, device: Device) -> None:
        self._warp, self._device = warp(), device
        self.device = ", ".join([*([device.name] if device.is_gpu else []), device.title, f"warp {_version()}"])
        self.driver, self.hardware = device.driver, device.is_gpu
        with self._plainly("does not start"):
            from silhouette.renderers.cuda import kernels

            self._kernels: Any = kernels
            self._warp.load_module(kernels, device=device.handle)
            self.memory = device.memory
            self.room = int(SHARE_OF_MEMORY * device.free) if device.is_gpu else BYTES_ON_CPU
        self._meshes: Kept[_OnDevice] = Kept(self._upload, lambda mesh: mesh.size, self.room)
        self._listed = dict[str, _OnDevice]()
        self._numbers = dict[str, tuple[int, int]]()
        self._chunks: Any = None

    @classmethod
    def create(cls, device: str | None = None) -> CudaRenderer:
        """The renderer on the device of that name, as ``silhouette doctor`` lists them; for None on the first GPU.

        Raises:
            RendererUnavailable: where there is no such device, or it does not work.
        """
        return cls(chosen_device(device))

    def share(self, meshes: Sequence[Mesh]) -> bool:
        """See `Renderer.share`: the connection to a device does not survive a fork."""
        return False

    def refuse_too_large(self, meshes: Mapping[str, Mesh]) -> None:
        """See `silhouette.renderers.protocol.refuse_too_large`: a mesh, or all, for which there is not `room`."""
        distinct = {mesh.digest: (_size(mesh), name) for name, mesh in meshes.items()}
        largest, name = max(distinct.values(), default=(0, ""))
        if largest > self.room:
            raise RequestError(f"cuda: {name} takes {_in_words(largest)}; {self._has_room()}")
        together = sum(size for size, _ in distinct.values())
        if together > self.room:
            raise RequestError(
                f"cuda: the {len(distinct)} meshes of this table take {_in_words(together)}, the largest, {name}, "
                f"{_in_words(largest)}; {self._has_room()}"
            )

    def render(self, view: View, bodies: Sequence[Body], pixels: Any = None) -> Layer:
        """The bodies in front, at every pixel or at ``pixels``; see `silhouette.renderers.protocol.Renderer`."""
        return layer_of_rays(view, bodies, pixels, self.depths)

    def depths(self, casts: Sequence[Cast]) -> NDArray[np.float32]:
        """See `silhouette.renderers.protocol.depths`: one launch for all rays, each with the number of its cast."""
        counts = [len(cast.places) for cast in casts]
        depth = np.full(sum(counts), np.inf, dtype=np.float32)
        if not len(depth):
            return depth
        of_ray = np.repeat(np.arange(len(casts), dtype=np.int32), counts)
        places = np.concatenate([cast.places for cast in casts], dtype=np.float64)
        with self._plainly("failed"):
            meshes = {cast.body.mesh.digest: self._meshes.of(cast.body.mesh) for cast in casts}
            self._list_chunks(meshes)
            spans = np.array([self._numbers[cast.body.mesh.digest] for cast in casts], dtype=np.int32)
            of_casts = [self._given(_rows(casts), self._kernels.DeviceCast), self._given(spans, self._warp.vec2i)]
            for start in range(0, len(depth), RAYS_PER_LAUNCH):
                some = slice(start, start + RAYS_PER_LAUNCH)
                answers = self._warp.empty(len(depth[some]), dtype=self._warp.float32, device=self._device.handle)
                rays = [self._given(of_ray[some], self._warp.int32), self._given(places[some], self._warp.vec2d)]
                self._warp.launch(
                    self._kernels.cast_rays,
                    len(answers),
                    [*of_casts, self._chunks, *rays, answers],
                    device=self._device.handle,
                )
                depth[some] = answers.numpy()
        return depth

    def _list_chunks(self, meshes: Mapping[str, _OnDevice]) -> None:
        """Lists the chunks of these meshes, and of all that are kept, on the device, unless they are listed already."""
        if all(self._listed.get(digest) is mesh for digest, mesh in meshes.items()):
            return
        self._listed = {**self._meshes.kept, **meshes}
        ends = accumulate((len(mesh.rows) for mesh in self._listed.values()), initial=0)
        self._numbers = dict(zip(self._listed, pairwise(ends), strict=True))
        rows = [row for mesh in self._listed.values() for row in mesh.rows]
        kind = self._kernels.DeviceChunk
        self._chunks = self._given(np.array(rows, kind.numpy_dtype()), kind, copy=True)

    def _upload(self, mesh: Mesh) -> _OnDevice:
        """The mesh on the device, each chunk with its hierarchy and its planes."""
        with silenced() if self.hardware else nullcontext():
            held = [self._indexed(chunk) for chunk in Chunk.all_of(mesh)]
        return _OnDevice(_size(mesh), [on_device.numpy_value() for _, on_device in held], held)

    def _indexed(self, chunk: Chunk) -> tuple[Any, Any]:
        """A chunk's hierarchy on the device, and its `DeviceChunk`."""
        indexed = self._warp.Mesh(
            self._given(chunk.vertices.astype(np.float32), self._warp.vec3, copy=True),
            self._given(chunk.faces.astype(np.int32).ravel(), self._warp.int32, copy=True),
        )
        on_device = self._kernels.DeviceChunk()
        on_device.mesh = indexed.id
        on_device.middle = self._warp.vec3d(*chunk.middle)
        on_device.planes = self._given(chunk.planes(), self._warp.vec4d, copy=True)
        return indexed, on_device

    def _given(self, values: NDArray[Any], kind: Any, copy: bool = False) -> Any:
        """The values on the device; without ``copy`` the CPU reads them where they lie."""
        return self._warp.array(np.ascontiguousarray(values), dtype=kind, device=self._device.handle, copy=copy)

    def _has_room(self) -> str:
        whole = f" of {_in_words(self.memory)}" if self.memory else ""
        return f"{self._device.name} has room for {_in_words(self.room)} of meshes{whole}"

    @contextmanager
    def _plainly(self, what: str) -> Iterator[None]:
        """Errors of warp in one line; that memory is full, plainly."""
        try:
            yield
        except (RuntimeError, MemoryError, OSError) as error:
            if "allocate" in str(error).lower() or isinstance(error, MemoryError):
                raise RendererUnavailable(
                    f"cuda: the memory of {self._device.name} is full; fewer --workers, or other programs on it, help"
                ) from error
            raise RendererUnavailable(f"cuda: {self._device.name} {what}: {error}") from error


@dataclass(frozen=True, eq=False)
class _OnDevice:
    """A mesh on a device.

    Attributes:
        size: bytes that it is taken to need.
        rows: its chunks as the device reads them, each the numbers of a `DeviceChunk`.
        held: what must not be freed as long as the rows are in use.
    """

    size: int
    rows: Sequence[Any]
    held: Sequence[Any]


def _rows(casts: Sequence[Cast]) -> Floats:
    """(k, 9, 3) the casts as the device reads them: see `silhouette.renderers.cuda.kernels.DeviceCast`."""
    rows = np.empty((len(casts), 9, 3))
    rows[:, 0] = [cast.view.eye for cast in casts]
    rows[:, 1:4] = [cast.view.axes for cast in casts]
    rows[:, 4] = [(cast.view.left, cast.view.top, cast.view.step) for cast in casts]
    rows[:, 5:8] = [cast.body.pose.rotation for cast in casts]
    rows[:, 8] = [cast.body.pose.translation for cast in casts]
    return rows


def _size(mesh: Mesh) -> int:
    """Bytes that a mesh is taken to need on a device."""
    return BYTES_PER_FACE * len(mesh.faces)


def _in_words(size: int) -> str:
    """A size in words.

    >>> _in_words(85_899_345_920), _in_words(2_600_000)
    ('80.0 GiB', '2.5 MiB')
    """
    return f"{size / 2**30:.1f} GiB" if size >= 2**30 else f"{size / 2**20:.1f} MiB"


def _version() -> str:
    return str(warp().config.version)
