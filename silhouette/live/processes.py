"""TELL: the processes that judge a table: the meshes are made ready once, in one process, of which they are forked.

a scene -> a fork server, which makes its meshes ready while this process goes on -> processes that have them in memory
"""

from __future__ import annotations

import signal
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from threading import Lock
from typing import Any

from silhouette.errors import SilhouetteError
from silhouette.files.cache import Cache
from silhouette.groups import shared
from silhouette.live.carrying import Carrier
from silhouette.renderers import choose
from silhouette.renderers.protocol import Renderer
from silhouette.renderers.registry import survives_fork
from silhouette.scenes.table import TableScene
from silhouette.scenes.warnings import prepare
from silhouette.workers.clock import RunningClock
from silhouette.workers.forkserver import ForkServer, Loaded, Order, can_serve
from silhouette.workers.process import ChildProcess, Worker
from silhouette.workers.starting import start_method

CLOSED = "the table is closed"

READY = frozenset({"meshes"})
"""What the fork server has loaded when it may be forked."""


@dataclass(frozen=True)
class Start:
    """What a process needs before the first question.

    Attributes:
        cache: of meshes; with what is in memory where the process is forked.
        renderer: the name of a renderer; or one that is started, where the process is forked.
        device: the name of its device.
        error: the error goal in place of the scene's own; None for that.
        pixel: mm per pixel at the target; None for the scene's own.
        carrier: brings scenes, where the process is forked.
    """

    cache: Cache
    renderer: str | Renderer
    device: str | None = None
    error: float | None = None
    pixel: float | None = None
    carrier: Carrier | None = None


Serving = Callable[[Connection, Start], None]
"""What a process does: it answers what comes through a pipe, until that breaks."""


class Processes:
    """Processes that answer questions about a table; one that has ended can be replaced.

    Args:
        scene: as it is at first; its meshes are made ready once for all processes, where they can be forked.
        start: for processes that are not forked.
        cache: of meshes, with what is in memory.
        count: the number of processes.
        serve: what they do.
    """

    def __init__(self, scene: TableScene, start: Start, cache: Cache, count: int, serve: Serving) -> None:
        assert isinstance(start.renderer, str)
        renderer = choose(start.renderer, start.device)
        self._plain, self._serve = start, serve
        self._lock, self._is_closed = Lock(), False
        self._carrier: Carrier | None = None
        self._server: ForkServer | None = None
        self._running: list[Worker | None] = [None] * count
        self._carriers: list[Carrier | None] = [None] * count
        if can_serve() and start_method().name == "fork" and survives_fork(renderer.name):
            self._carrier = Carrier(scene)
            forked = Start(cache, renderer, start.device, start.error, start.pixel, self._carrier)
            self._server = ForkServer(
                lambda: _Meshes(scene, renderer), RunningClock(), None, lambda pipe, _: serve(pipe, forked)
            )
            self._server.orders = [Order(number, READY, None) for number in range(count)]
            self._server.send_next_request()
        else:
            self._running = [ChildProcess(serve, start) for _ in range(count)]

    def __getitem__(self, number: int) -> Worker:
        """A process; waits until it is there.

        Raises:
            SilhouetteError: where all are to end.
        """
        running = self._running[number]  # without the lock, which another thread may hold for long
        if running is not None:
            return running
        with self._lock:
            return self._started(number)

    def carrier(self, number: int) -> Carrier | None:
        """What brings scenes to a process that is there; None for one that was not forked."""
        return self._carriers[number]

    def replace(self, number: int) -> None:
        """Starts a process in place of one that has ended.

        Raises:
            SilhouetteError: where all are to end.
        """
        with self._lock:  # no process may begin while all of them end
            running, self._running[number] = self._running[number], None
            if running is not None and not self._is_closed:
                running.kill()
            if self._server is not None:
                self._server.orders.append(Order(number, READY, None))
            self._started(number)

    def close(self) -> None:
        """Ends the processes."""
        self._is_closed = True
        if self._server is not None and self._server.is_loading:
            self._server.interrupt()  # a thread may wait for it, with the lock
        with self._lock:
            for process in filter(None, self._running):
                process.kill()
            self._running = [None] * len(self._running)
            if self._server is not None:
                self._server.stop()
                self._server = None

    def _started(self, number: int) -> Worker:
        """The process, forked now if it is not there; where the fork server has died, begun without it."""
        while (running := self._running[number]) is None:
            if self._is_closed:
                raise SilhouetteError(CLOSED)
            if self._server is None:
                self._running[number], self._carriers[number] = ChildProcess(self._serve, self._plain), None
                continue
            self._server.send_next_request()
            answer = self._server.receive()
            if answer.kind == "forked":
                self._running[answer.slot], self._carriers[answer.slot] = answer.value, self._carrier
            elif answer.kind == "died" and not self._is_closed:
                self._server.stop()
                self._server = None
        return running


class _Meshes:
    """The meshes of a scene, which a fork server makes ready: see `silhouette.workers.forkserver.Loader`.

    It, and what is forked of it, is ended by the process that began it alone, which then waits until all are gone.
    """

    def __init__(self, scene: TableScene, renderer: Renderer) -> None:
        self._scene, self._renderer = scene, renderer
        signal.signal(signal.SIGTERM, signal.SIG_IGN)

    def load(self, _: Any) -> Loaded:
        """Makes them ready to be looked at, and pieces to be moved."""
        shared(self._scene, self._renderer)
        prepare(self._scene.pieces)
        return "full"
