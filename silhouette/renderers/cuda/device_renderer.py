"""RENDER: what every renderer on a device has in common, whether this process holds the device or another does.

Views and bodies become arrays: so a device takes them, and so they are sent to the process that holds it.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from silhouette.errors import RequestError
from silhouette.geometry import Floats, Integers
from silhouette.meshes.mesh import Mesh
from silhouette.renderers.protocol import Body, Capabilities, Cast
from silhouette.renderers.rays import RayRenderer
from silhouette.views import View

# ---- views and bodies


@dataclass(frozen=True, eq=False)
class BodyRows:
    """Bodies in an order of their own.

    Attributes:
        turn: (n, 3, 3) the rotations of their poses.
        at: (n, 3) mm, the translations.
        mesh: (n,) the number of each one's mesh in ``digests``.
        digests: of the meshes, each once.
    """

    turn: Floats
    at: Floats
    mesh: Integers
    digests: tuple[str, ...]

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

BYTES_PER_FACE = 320
"""What a face is taken to need on a device: 220 bytes on the CPU, and more on a GPU while its hierarchy is built."""


class DeviceRenderer(RayRenderer):
    """Casts one ray per pixel on a device, carried into the frame of each distinct mesh.

    Attributes:
        device: what it is, with the versions of what drives it, in words.
        device_name: as ``--device`` takes it.
        room: bytes that meshes may take on the device.
    """

    name = "cuda"
    capabilities = Capabilities(sparse=True, slow_launch=True, counts_on_device=True)
    device_name: str
    room: int

    @abstractmethod
    def cast(
        self, views: Floats, bodies: BodyRows, meshes: Mapping[str, Mesh], of_ray: Integers, places: Floats
    ) -> NDArray[np.float32]:
        """(n,) mm, the depth at which each ray first meets its body, infinite for none.

        Args:
            views: (k, 5, 3) of each cast: see `silhouette.renderers.cuda.device_renderer.view_rows`.
            bodies: k, the one at which each cast's rays are aimed.
            meshes: of these, by their digests.
            of_ray: (n,) int32, the number of each ray's cast.
            places: (n, 2) row and column in the picture of each ray.
        """

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


def size_of(mesh: Mesh) -> int:
    """Bytes that a mesh is taken to need on a device."""
    return BYTES_PER_FACE * len(mesh.faces)


def _in_words(size: int) -> str:
    """A size in words.

    >>> _in_words(85_899_345_920), _in_words(2_600_000)
    ('80.0 GiB', '2.5 MiB')
    """
    return f"{size / 2**30:.1f} GiB" if size >= 2**30 else f"{size / 2**20:.1f} MiB"
