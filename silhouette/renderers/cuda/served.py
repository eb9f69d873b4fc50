"""RENDER on a device that another process holds, and launches on for many: each question is a message and its answer.

process that judges -> task, with the meshes that are lacking there -> process that holds the device: see
`silhouette.measure.on_device.serving` -> result or error -> process that judges
"""

from __future__ import annotations

import pickle
import random
import time
from collections.abc import Mapping
from dataclasses import dataclass
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, Connection
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from silhouette.errors import DeviceLost, RendererUnavailable
from silhouette.geometry import Floats, Integers
from silhouette.meshes.mesh import Mesh
from silhouette.renderers.cuda.device_renderer import BodyRows, DeviceRenderer
from silhouette.renderers.protocol import Capabilities
from silhouette.workers.content import Lacking
from silhouette.workers.process import ask

PATIENCE = 120.0
"""Seconds in which the process must answer for the first time: it compiles its kernels, and starts its device."""

INTERVAL = 0.02
"""Seconds between two tries to reach it."""

PAUSE, LATELY = 0.5, 60.0
"""Seconds up to which is waited before a new process is asked, for each that was lost lately, and how long that is:
whoever has ended it, and will again, is not to meet the same others each time. On a busy machine, where a start takes
longer than a second, it is so many times as long, since questions take longer too."""


@dataclass(frozen=True)
class Facts:
    """What a process tells of its device: see the attributes of `DeviceRenderer`."""

    device: str
    device_name: str
    room: int
    capabilities: Capabilities


class ServedRenderer(DeviceRenderer):
    """A renderer whose device another process holds. Where that has ended, the next question is asked of a new one.

    Args:
        address: at which the process listens.
        key: that it asks for.

    Raises:
        RendererUnavailable: where the device cannot be started, or the process is not reached.
    """

    def __init__(self, address: str, key: bytes) -> None:
        self._address, self._key = address, key
        self._connection: Connection | None = None
        self._losses = list[float]()
        facts: Facts = self.ask("facts")
        self.device, self.device_name = facts.device, facts.device_name
        self.room, self.capabilities = facts.room, facts.capabilities

    def cast(
        self, views: Floats, bodies: BodyRows, meshes: Mapping[str, Mesh], of_ray: Integers, places: Floats
    ) -> NDArray[np.float32]:
        """See `DeviceRenderer.cast`."""
        depth: NDArray[np.float32] = self.ask_with(meshes, "cast", views, bodies, of_ray, places)
        return depth

    def ask_with(self, meshes: Mapping[str, Mesh], *question: Any) -> Any:
        """The answer to a question about meshes, by their digests, of which only those are sent that are lacking."""
        sent = dict[str, bytes]()
        while True:
            try:
                return self.ask(*question, sent=sent)
            except Lacking as lacking:
                sent |= {digest: pickle.dumps(_bare(meshes[digest])) for digest in lacking.args}

    def ask(self, *question: Any, sent: Mapping[str, bytes] = MappingProxyType({})) -> Any:
        """The answer to a question, with which contents are sent by their digests.

        Raises:
            DeviceLost: if the process ends before it has answered.
            RendererUnavailable: if it is not reached.
            Exception: that which the question meets there.
        """
        connection = self._reached()
        try:
            result, error = ask(connection, question, dict(sent))
        except (EOFError, OSError) as loss:
            connection.close()
            self._connection = None
            self._losses.append(time.monotonic())
            raise DeviceLost("cuda: the process that launches has ended in the middle of it") from loss
        if error is not None:
            raise error
        return result

    def _reached(self) -> Connection:
        """The connection to the process, made anew where there is none."""
        now = time.monotonic()
        self._losses = [lost for lost in self._losses if now - lost < LATELY]
        end, pause = now + PATIENCE, random.uniform(0.0, PAUSE * len(self._losses))
        while self._connection is None:
            try:
                connection = Client(self._address, authkey=self._key)
                if not pause:
                    self._connection = connection
                    break
                connection.close()  # that process may be lost to another in the meantime
                time.sleep(pause * max(1.0, time.monotonic() - now))
                pause = 0.0
            except AuthenticationError:
                raise RendererUnavailable("cuda: the process that launches does not take the key") from None
            except (EOFError, OSError):  # it starts, or another does
                pass
            if time.monotonic() > end:
                raise RendererUnavailable(f"cuda: the process that launches is not reached within {PATIENCE:.0f} s")
            time.sleep(INTERVAL)
        return self._connection


def _bare(mesh: Mesh) -> Mesh:
    """The mesh without what has been worked out of it."""
    return Mesh(mesh.vertices, mesh.faces, mesh.part, mesh.part_names)
