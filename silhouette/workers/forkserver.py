"""A process that loads what many tasks require, and forks workers, which share that memory.

A file that crashes whatever reads it brings down the fork server and not the caller: a worker then reads it by itself.
"""

from __future__ import annotations

import gc
import os
import select
import signal
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from multiprocessing.reduction import recv_handle, send_handle
from typing import Any, Literal, Protocol

from silhouette.workers import starting
from silhouette.workers.clock import NEVER, RunningClock
from silhouette.workers.process import DONE, RESULT, ChildProcess, EndOfTasks, is_stopped, serve, worker_pipe

Requirements = frozenset[Any]  # the requirements of a task in memory, such as files with their states

NO_REQUIREMENTS: Requirements = frozenset()

Loaded = Literal["room", "full", "unshared"]
"""The outcome of loading: there is room for more, there is not, or a fork could not use the loaded content."""

ENDS_WITHIN = 1.0  # seconds that an idle fork server is given to end by itself


class SharedWork(Protocol):
    """A `silhouette.workers.process.Work` that can load what tasks require before they are given."""

    def load(self, task: Any) -> Loaded:
        """Loads what a task requires, so that processes forked from this one share it."""
        ...

    def __call__(self, task: Any) -> Iterator[Any]:
        """Does a task."""
        ...


def can_serve() -> bool:
    """Whether fork servers work on this system: it forks, and a process that is no child can be watched (Linux 5.3)."""
    try:
        os.close(os.pidfd_open(os.getpid()))
    except (AttributeError, OSError):
        return False
    return starting.CAN_FORK


class ForkedWorker:
    """A worker that was forked from a fork server, with the members of a `silhouette.workers.process.ChildProcess`."""

    def __init__(self, server: ForkServer, pid: int, pipe: Connection) -> None:
        self.pipe = pipe
        self.server = server
        self.pid = pid
        self._pidfd = os.pidfd_open(pid)  # the number is not given to another before the fork server reaps it

    def is_alive(self) -> bool:
        """Whether it still runs."""
        return not select.select([self._pidfd], [], [], 0.0)[0]

    def is_stopped(self) -> bool:
        """See `silhouette.workers.process.is_stopped`."""
        return is_stopped(self.pid)

    def interrupt(self) -> None:
        """Ends it, and leaves its pipe to a thread that may be at it; `kill` comes after that."""
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)

    def kill(self) -> None:
        """Ends it, whatever it is doing."""
        self.interrupt()
        self.close()
        self.server.reap(self.pid)

    def close(self) -> None:
        """Lets go of a worker that has ended."""
        os.close(self._pidfd)
        self.pipe.close()


@dataclass(frozen=True)
class Order:
    """A worker that is ordered for a slot, with the requirements of its task."""

    slot: Any
    requirements: Requirements
    task: Any


class ForkServer(ChildProcess):
    """A fork server as its pool sees it. It gets one request at a time; others wait.

    Attributes:
        deadline: the time by which the answer must come, on the clock of the pool; None for one without a timeout.
        full: whether it should load nothing more.
        orders: workers that are still to be forked.
    """

    def __init__(self, start: Callable[[], SharedWork], clock: RunningClock, timeout: float | None) -> None:
        super().__init__(_serve_forks, (start, os.getpid()))
        self._clock = clock
        self._timeout = timeout
        self.deadline = NEVER
        self.loaded: Requirements = frozenset()
        self.full = False
        self.orders: list[Order] = []
        self._to_reap: list[tuple[int, Any]] = []
        self._request: tuple[str, Any] | None = None

    @property
    def is_busy(self) -> bool:
        """Whether an answer will come."""
        return self._request is not None

    @property
    def is_wanted(self) -> bool:
        """Whether any slot waits for it."""
        return bool(self.is_busy or self.orders or any(slot is not None for _, slot in self._to_reap))

    def requirements(self) -> Requirements:
        """The requirements that it has loaded or is going to load."""
        return self.loaded.union(*(order.requirements for order in self.orders))

    def reap(self, pid: int, slot: Any = None) -> None:
        """Has a worker that has ended removed from the process table; a slot that is given gets its exit status."""
        self._to_reap.append((pid, slot))

    def send_next_request(self) -> None:
        """Sends the next request where none is pending: the quick ones come first."""
        if self.is_busy:
            return
        if self._to_reap:
            pid, slot = self._to_reap.pop(0)
            self._send("reaped", slot, pid)
        elif self.orders:
            ready = [order for order in self.orders if order.requirements <= self.loaded]
            order = (ready or self.orders)[0]
            if ready:
                self._send("forked", order.slot, None)
            else:
                self._send("loaded", order.slot, order.task)
                self.deadline = NEVER if self._timeout is None else self._clock.now() + self._timeout

    def _send(self, kind: str, slot: Any, argument: Any) -> None:
        self._request = kind, slot
        with suppress(OSError):  # that it has died is noticed when the answer is read
            self.pipe.send(((kind, argument), {}, ()))

    def receive(self) -> tuple[str, Any, Any]:
        """The answer to the request; called when the pipe is readable or broken.

        It is "loaded", with a `Loaded`; "forked", with the `ForkedWorker`; "reaped", with the exit status of a worker;
        or "died": the fork server itself did. In between, the slot of the pool that the request was made for.
        """
        assert self._request is not None
        (kind, slot), self._request, self.deadline = self._request, None, NEVER
        try:
            message, value = self.pipe.recv()
            if kind == "forked" and message == RESULT:
                value = ForkedWorker(self, value, Connection(recv_handle(self.pipe)))
            if message != RESULT or self.pipe.recv()[0] != DONE:
                return "died", slot, None
        except (EOFError, OSError):
            return "died", slot, None
        if kind == "loaded":
            (order,) = (order for order in self.orders if order.slot is slot)
            self.loaded, self.full = self.loaded | order.requirements, value == "full"
        if kind == "forked":
            self.orders = [order for order in self.orders if order.slot is not slot]
        return kind, slot, value

    def stop(self) -> None:
        """Ends it; its forks are ended by the slots that hold them."""
        if not self.is_busy:
            with suppress(OSError):
                self.pipe.send((("end", None), {}, ()))
                self.wait(ENDS_WITHIN)
        self.kill()


def _serve_forks(pipe: Connection, argument: tuple[Callable[[], SharedWork], int]) -> None:
    """What a fork server does: requests are its tasks, see `silhouette.workers.process.serve`.

    Its one other Python thread, which watches its parent, holds no lock: so it can be forked.
    """
    start, pool = argument
    serve(pipe, _Forking(start(), pool))
    with suppress(ChildProcessError):  # all of its forks have ended by now, or will soon
        while True:
            os.waitpid(-1, 0)


class _Forking:
    """The work that a fork server loads for, and its forks do; these end with the process of the pool."""

    def __init__(self, work: SharedWork, pool: int) -> None:
        self._work, self._pool, self._pool_pidfd = work, pool, os.pidfd_open(pool)

    def __call__(self, request: tuple[str, Any]) -> Iterator[Any]:
        kind, argument = request
        if kind == "loaded":
            yield _load(self._work, argument)
        elif kind == "forked":
            pool_end, worker_end = Pipe()
            with starting.fork_warning_silenced():
                pid = os.fork()
            if not pid:
                pool_end.close()
                self._serve_in_fork(worker_end)
            worker_end.close()
            yield pid
            send_handle(worker_pipe(), pool_end.fileno(), self._pool)
            pool_end.close()
        elif kind == "reaped":
            yield os.waitstatus_to_exitcode(os.waitpid(argument, 0)[1])
        else:
            raise EndOfTasks

    def _serve_in_fork(self, pipe: Connection) -> None:
        """Does tasks in a new process, which never returns from here."""
        status = 1
        try:
            worker_pipe().close()  # of the fork server
            threading.Thread(target=_end_with, args=(self._pool_pidfd,), daemon=True).start()
            serve(pipe, self._work)
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)


def _load(work: SharedWork, task: Any) -> Loaded:
    try:
        loaded = work.load(task)
    except Exception:
        return "room"  # the worker that is given the task meets the same error, and reports it
    gc.collect()
    gc.freeze()  # else the next collection in each fork writes to, and so copies, the pages of everything
    return loaded


def _end_with(pidfd: int) -> None:
    """Ends this process, whatever it is doing, as soon as the process of the pidfd has ended."""
    select.select([pidfd], [], [])
    os._exit(1)
