"""RENDER on a device that another process holds, and launches on for many: each question is a message and its answer.

process that judges -> (question, what it is about) -> process that holds the device: see
`silhouette.measure.on_device.serving` -> (whether it succeeded, answer or error) -> process that judges
"""

from __future__ import annotations

import random
import time
from collections.abc import Mapping
from dataclasses import dataclass
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, Connection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from silhouette.errors import DeviceLost, RendererUnavailable
from silhouette.geometry import Floats, Integers
from silhouette.meshes.mesh import Mesh
from silhouette.renderers.cuda.device_renderer import BodyRows, DeviceRenderer
from silhouette.renderers.protocol import Capabilities

PATIENCE = 120.0
"""Seconds in which the process must answer for the first time: it compiles its kernels, and starts its device."""

INTERVAL = 0.02
"""Seconds between two tries to reach it."""

PAUSE, LATELY = 0.5, 60.0
"""Seconds up to which is waited before a new process is asked, for each that was lost lately, and how long that is:
whoever has ended it, and will again, is not to meet the same others each time. On a busy machine, where a start takes
longer than a second, it is so many times as long, since questions take longer too."""


@dataclass(frozen=True)
class Lacking:
    """The answer of a process that has not all of the meshes: the digests of those that it lacks."""

    digests: frozenset[str]


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
        sent = dict[str, Mesh]()
        while isinstance(answer := self.ask(*question, sent), Lacking):
            sent |= {digest: _bare(meshes[digest]) for digest in answer.digests}
        return answer

    def ask(self, *question: Any) -> Any:
        """The answer to a question.

        Raises:
            DeviceLost: where the process ends before it has answered.
            RendererUnavailable: where it is not reached.
            Exception: that which the question meets there.
        """
        connection = self._reached()
        try:
            connection.send(question)
            succeeded, answer = connection.recv()
        except (EOFError, OSError) as error:
            connection.close()
            self._connection = None
            self._losses.append(time.monotonic())
            raise DeviceLost("cuda: the process that launches has ended in the middle of it") from error
        if succeeded:
            return answer
        raise answer

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
