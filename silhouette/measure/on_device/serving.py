"""COUNT on a device: the process that holds it, and launches for all that judge.

many connections -> one question after the other, since warp is not made for threads -> the device -> answers

Who asks describes pictures, and keeps what was described last: its cells stay on the device until then. Meshes are sent
when they are lacking, and kept for all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
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
from silhouette.renderers.cuda.served import Facts, Lacking

FEWEST = 256
"""The fewest checks that one process judges together on a GPU: each launch costs some 20 microseconds."""


@dataclass(eq=False)
class _Client:
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
        renderer: holds the device.
        clients: the number of processes that ask, and share its memory.
    """

    def __init__(self, renderer: CudaRenderer, clients: int) -> None:
        self._renderer, self._clients = renderer, clients
        self._meshes = LRU[Mesh](CACHED_TRIANGLES)

    def answer(self, client: _Client, name: str, *given: Any) -> Any:
        """The answer to a question."""
        if name == "facts":
            return self._facts()
        if name == "cells":
            number, method, arguments = given
            assert client.cells is not None
            assert number == client.number, "cells that were described before others are asked about"
            return getattr(client.cells, method)(*arguments), client.cells.last
        if name == "describe":
            described, sent = given
            meshes = self._known(described.bodies, sent)
            return meshes if isinstance(meshes, Lacking) else self._described(client, described, meshes)
        views, bodies, of_ray, places, sent = given
        meshes = self._known(bodies, sent)
        return meshes if isinstance(meshes, Lacking) else self._renderer.cast(views, bodies, meshes, of_ray, places)

    def _facts(self) -> Facts:
        renderer, shared = self._renderer, self._renderer.capabilities
        if shared.checks_together is not None:
            each = max(shared.checks_together // self._clients, min(shared.checks_together, FEWEST))
            shared = replace(shared, checks_together=each)
        if shared.pixels_together is not None:
            shared = replace(shared, pixels_together=shared.pixels_together // self._clients)
        return Facts(renderer.device, renderer.device_name, renderer.room, shared)

    def _described(self, client: _Client, described: Described, meshes: Mapping[str, Mesh]) -> Any:
        client.cells = None  # what it holds on the device is free before more is taken
        client.cells, client.number = DeviceCells(described, meshes, self._renderer), client.number + 1
        return client.number, client.cells.last

    def _known(self, bodies: BodyRows, sent: Mapping[str, Mesh]) -> dict[str, Mesh] | Lacking:
        """The meshes of bodies, of which some were sent with the question; or those that are lacking."""
        known = {digest: sent.get(digest) or self._meshes.get(digest) for digest in bodies.digests}
        lacking = frozenset(digest for digest, mesh in known.items() if mesh is None)
        if lacking:
            return Lacking(lacking)
        found = {digest: mesh for digest, mesh in known.items() if mesh is not None}
        for digest, mesh in found.items():
            self._meshes.put(digest, mesh, len(mesh.faces))
        if sent:
            self._meshes.trim(keep=found)
        return found


def serve(address: str, key: bytes, device: str | None, clients: int) -> None:
    """Answers whoever connects, until a GPU has failed.

    Args:
        address: of the socket, or of the named pipe.
        key: that whoever connects must know.
        device: its name, as of `silhouette.renderers.choose`; where it does not start, every answer says why.
        clients: the number of processes that will ask.
    """
    if not address.startswith("\\\\"):
        Path(address).unlink(missing_ok=True)
    listener = Listener(address, authkey=key)
    news, tell = Pipe(duplex=False)
    new = list[Connection]()
    Thread(target=_accept, args=(listener, new, tell), daemon=True).start()
    answered = _answerer(device, clients)
    connected = dict[Connection, _Client]()
    while True:
        for connection in wait([news, *connected]):
            if connection is news:
                news.recv()
                connected[new.pop()] = _Client()
            elif not _one_answered(connection, connected, answered):  # type: ignore[arg-type]
                return


def _accept(listener: Listener, new: list[Connection], tell: Connection) -> None:
    """Lets in whoever knows the key, one after the other."""
    while True:
        with suppress(Exception):  # a wrong key, or one that has gone again
            new.append(listener.accept())
            tell.send(None)


def _answerer(device: str | None, clients: int) -> Callable[..., Any]:
    """What answers a client's question; where the renderer does not start, it says why, each time."""
    try:
        return DeviceService(CudaRenderer.create(device), clients).answer
    except SilhouetteError as error:
        problem = error

    def refused(*question: Any) -> Any:
        raise problem

    return refused


def _one_answered(connection: Connection, connected: dict[Connection, _Client], answered: Callable[..., Any]) -> bool:
    """Answers one question, or notes that its process has gone; False where the device can be used no longer."""
    try:
        question = connection.recv()
    except (EOFError, OSError):
        connection.close()
        del connected[connection]
        return True
    answer: tuple[bool, Any]
    goes_on = True
    try:
        answer = True, answered(connected[connection], *question)
    except SilhouetteError as error:
        answer = False, error
        goes_on = not isinstance(error, RendererUnavailable) or isinstance(error, DeviceFull) or question[0] == "facts"
    except Exception as error:
        answer = False, RuntimeError(f"{type(error).__name__}: {error}")
    with suppress(OSError):  # it has gone meanwhile
        connection.send(answer)
    return goes_on
