"""COUNT on a device: the process that holds it, and launches for all that judge.

many connections -> one question after the other, since warp is not made for threads -> the device -> answers

A question and its answers are a task and its results, as between a pool and its workers: see
`silhouette.workers.process.serve`. Who asks describes pictures, and keeps what was described last: its cells stay on
the device until then. Meshes are contents, which are sent when they are lacking, and kept for all.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing.connection import Connection, Listener, Pipe, wait
from pathlib import Path
from threading import Thread
from typing import Any

from silhouette.errors import DeviceFull, RendererUnavailable, SilhouetteError
from silhouette.files.cache import CACHED_TRIANGLES
from silhouette.lazy import LRU
from silhouette.measure.on_device.described import Described
from silhouette.measure.on_device.device_cells import DeviceCells
from silhouette.meshes.mesh import Mesh
from silhouette.renderers.cuda.device_renderer import BodyRows
from silhouette.renderers.cuda.renderer import CudaRenderer
from silhouette.renderers.cuda.served import Facts
from silhouette.workers.content import check_sent, content_of, receive
from silhouette.workers.process import answer

MIN_CHECKS_TOGETHER = 256
"""The fewest checks that one process judges together on a GPU: each launch costs some 20 microseconds."""


@dataclass(eq=False)
class Client:
    """A process that asks.

    Attributes:
        cells: those that it described last; None before that.
        number: theirs: the number of times that it has described some.
    """

    cells: DeviceCells | None = None
    number: int = 0


class DeviceService:
    """Answers the questions of `silhouette.renderers.cuda.served.ServedRenderer`.

    Args:
        start: starts the renderer that holds the device.
        clients: the number of processes that ask, and share its memory.

    Attributes:
        has_failed: whether the device can be used no longer, and another process is to take the place of this one.
    """

    def __init__(self, start: Callable[[], CudaRenderer], clients: int) -> None:
        self._clients, self.has_failed = clients, False
        self._renderer: CudaRenderer | SilhouetteError
        try:
            self._renderer = start()
        except SilhouetteError as error:
            self._renderer = error
        self._sent = LRU[None](CACHED_TRIANGLES)

    def work(self, client: Client, question: tuple[Any, ...]) -> Iterator[Any]:
        """The answer to a question.

        Raises:
            Lacking: if meshes that it is about must be sent with it.
            SilhouetteError: if the device does not start, each time; or if it fails.
        """
        name, *given = question
        if isinstance(self._renderer, SilhouetteError):
            raise self._renderer
        try:
            if name == "facts":
                yield self._facts(self._renderer)
            elif name == "cells":
                yield self._of_cells(client, *given)
            elif name == "describe":
                yield self._describe(self._renderer, client, *given)
            else:
                yield self._cast(self._renderer, *given)
        except RendererUnavailable as error:
            self.has_failed = not isinstance(error, DeviceFull)
            raise

    def _facts(self, renderer: CudaRenderer) -> Facts:
        shared = renderer.capabilities
        if shared.checks_together is not None:
            least = min(shared.checks_together, MIN_CHECKS_TOGETHER)
            shared = replace(shared, checks_together=max(shared.checks_together // self._clients, least))
        if shared.pixels_together is not None:
            shared = replace(shared, pixels_together=shared.pixels_together // self._clients)
        return Facts(renderer.device, renderer.device_name, renderer.room, shared)

    def _of_cells(self, client: Client, number: int, method: str, arguments: tuple[Any, ...]) -> tuple[Any, Any]:
        assert client.cells is not None
        assert number == client.number, "cells that were described before others are asked about"
        return getattr(client.cells, method)(*arguments), client.cells.last

    def _describe(self, renderer: CudaRenderer, client: Client, described: Described) -> tuple[int, Any]:
        meshes = self._meshes(described.bodies)
        client.cells = None  # what it holds on the device is free before more is taken
        client.cells, client.number = DeviceCells(described, meshes, renderer), client.number + 1
        return client.number, client.cells.last

    def _cast(self, renderer: CudaRenderer, views: Any, bodies: BodyRows, of_ray: Any, places: Any) -> Any:
        return renderer.cast(views, bodies, self._meshes(bodies), of_ray, places)

    def _meshes(self, bodies: BodyRows) -> Mapping[str, Mesh]:
        """The meshes of bodies. Others are let go of if there is no more room."""
        check_sent(bodies.digests)
        meshes: dict[str, Mesh] = {digest: content_of(digest, pickle.loads) for digest in bodies.digests}
        for digest, mesh in meshes.items():
            self._sent.put(digest, None, len(mesh.faces))
        receive({}, self._sent.trim(keep=meshes))
        return meshes


def serve(address: str, key: bytes, device: str | None, clients: int) -> None:
    """Answers whoever connects, until a GPU has failed.

    Args:
        address: of the socket, or of the named pipe.
        key: that whoever connects must know.
        device: its name, as of `silhouette.renderers.choose`; if it does not start, every answer says why.
        clients: the number of processes that will ask.
    """
    if not address.startswith("\\\\"):
        Path(address).unlink(missing_ok=True)
    listener = Listener(address, authkey=key)
    news, tell = Pipe(duplex=False)
    new = list[Connection]()
    Thread(target=_accept, args=(listener, new, tell), daemon=True).start()
    service = DeviceService(partial(CudaRenderer.create, device), clients)
    connected = dict[Connection, Client]()
    while not service.has_failed:
        for connection in wait([news, *connected]):
            if connection is news:
                news.recv()
                connected[new.pop()] = Client()
            elif not service.has_failed:
                answer_next(connection, connected, service)  # type: ignore[arg-type]


def _accept(listener: Listener, new: list[Connection], tell: Connection) -> None:
    """Lets in whoever knows the key, one after the other."""
    while True:
        with suppress(Exception):  # a wrong key, or one that has gone again
            new.append(listener.accept())
            tell.send(None)


def answer_next(connection: Connection, connected: dict[Connection, Client], service: DeviceService) -> None:
    """Answers the next question of a process, or notes that it has gone."""
    try:
        answer(connection, partial(service.work, connected[connection]), connection.recv())
    except (EOFError, OSError):
        connection.close()
        del connected[connection]
