"""RENDER: what every renderer on a device has in common, whether this process holds the device or another does."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from silhouette.errors import RequestError
from silhouette.geometry import Floats, Integers
from silhouette.meshes.mesh import Mesh
from silhouette.renderers.cuda.rows import BodyRows, meshes_of, view_rows
from silhouette.renderers.protocol import Body, Cast, Layer
from silhouette.renderers.rays import layer_of_rays
from silhouette.views import View

BYTES_PER_FACE = 320
"""What a face is taken to need on a device: 220 bytes on the CPU, and more on a GPU while its hierarchy is built."""


class DeviceRenderer(ABC):
    """Casts one ray per pixel on a device, carried into the frame of each distinct mesh.

    Attributes:
        far: that a few rays take as long as a million: proofs cast theirs on the CPU.
        counts: that what is counted stays on the device: see `silhouette.measure.sampled`.
        device: what it is, with the versions of what drives it, in words.
        device_name: as ``--device`` takes it.
        driver: the version of CUDA that the GPU's driver serves; empty on the CPU.
        hardware: whether a GPU casts the rays.
        memory: bytes, of the GPU; 0 on the CPU.
        room: bytes that meshes may take on the device.
        together: the number of checks that are best judged together; only on a GPU.
        pixels_at_hand: the most pixels that are counted together; only on a GPU.
    """

    name = "cuda"
    sparse = True
    far = True
    counts = True
    device: str
    device_name: str
    driver: str
    hardware: bool
    memory: int
    room: int

    @abstractmethod
    def cast(
        self, views: Floats, bodies: BodyRows, meshes: Mapping[str, Mesh], of_ray: Integers, places: Floats
    ) -> NDArray[np.float32]:
        """(n,) mm, the depth at which each ray first meets its body, infinite for none.

        Args:
            views: (k, 5, 3) of each cast: see `silhouette.renderers.cuda.rows.view_rows`.
            bodies: k, the one at which each cast's rays are aimed.
            meshes: of these, by their digests.
            of_ray: (n,) int32, the number of each ray's cast.
            places: (n, 2) row and column in the picture of each ray.
        """

    def render(self, view: View, bodies: Sequence[Body], pixels: Any = None) -> Layer:
        """The bodies in front, at every pixel or at ``pixels``; see `silhouette.renderers.protocol.Renderer`."""
        return layer_of_rays(view, bodies, pixels, self.depths)

    def depths(self, casts: Sequence[Cast]) -> NDArray[np.float32]:
        """See `silhouette.renderers.protocol.depths`: all casts in one go."""
        counts = [len(cast.places) for cast in casts]
        if not sum(counts):
            return np.empty(0, dtype=np.float32)
        of_ray = np.repeat(np.arange(len(casts), dtype=np.int32), counts)
        places = np.concatenate([cast.places for cast in casts], dtype=np.float64)
        bodies = [cast.body for cast in casts]
        views = view_rows([cast.view for cast in casts])
        return self.cast(views, BodyRows.of(bodies), meshes_of(bodies), of_ray, places)

    def share(self, meshes: Sequence[Mesh]) -> bool:
        """See `Renderer.share`: the connection to a device does not survive a fork."""
        return False

    def refuse_too_large(self, meshes: Mapping[str, Mesh]) -> None:
        """See `silhouette.renderers.protocol.refuse_too_large`: a mesh, or all, for which there is not `room`."""
        distinct = {mesh.digest: (size_of(mesh), name) for name, mesh in meshes.items()}
        largest, name = max(distinct.values(), default=(0, ""))
        whole = f" of {_in_words(self.memory)}" if self.memory else ""
        has_room = f"{self.device_name} has room for {_in_words(self.room)} of meshes{whole}"
        if largest > self.room:
            raise RequestError(f"cuda: {name} takes {_in_words(largest)}; {has_room}")
        together = sum(size for size, _ in distinct.values())
        if together > self.room:
            raise RequestError(
                f"cuda: the {len(distinct)} meshes of this table take {_in_words(together)}, the largest, {name}, "
                f"{_in_words(largest)}; {has_room}"
            )


def size_of(mesh: Mesh) -> int:
    """Bytes that a mesh is taken to need on a device."""
    return BYTES_PER_FACE * len(mesh.faces)


def _in_words(size: int) -> str:
    """A size in words.

    >>> _in_words(85_899_345_920), _in_words(2_600_000)
    ('80.0 GiB', '2.5 MiB')
    """
    return f"{size / 2**30:.1f} GiB" if size >= 2**30 else f"{size / 2**20:.1f} MiB"
