"""MANY: a process that reads what many tasks need, and is forked into workers, which share in memory what it read.

needs of a task -> loaded once -> forked, as often as there are workers; a worker that dies costs its task alone

What cannot even be read brings down the fork server and not the batch: then a worker reads it by itself.
"""

from __future__ import annotations

import gc
import os
import select
import signal
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from multiprocessing.reduction import recv_handle, send_handle
from typing import Any, Literal, Protocol

from silhouette.batches.serving import child, serve
from silhouette.workers import forks_safely, unwarned

Requirements = frozenset[Any]
"""What a task needs in memory: files as they are now, for instance."""

Loaded = Literal["room", "full", "unshared"]
"""What came of loading: there is room for more, or there is not, or no fork could make use of it."""

ENDS_WITHIN = 1.0
"""Seconds that an idle fork server takes to end."""


class SharedWork(Protocol):
    """A `silhouette.batches.serving.Work` that can be made ready for tasks before they are given."""

    def __call__(self, task: Any) -> Iterator[Any]:
        """Does a task."""
        ...

    def load(self, task: Any) -> Loaded:
        """Reads what a task needs, so that processes forked from this one share it."""
        ...


def can_serve() -> bool:
    """Whether there can be fork servers of this process."""
    return forks_safely() and can_watch()


def can_watch() -> bool:
    """Whether a process that is no child can be watched, as Linux can from 5.3."""
    try:
        os.close(os.pidfd_open(os.getpid()))
    except (AttributeError, OSError):
        return False
    return True


class ForkedWorker:
    """A worker that was forked from a fork server: see `silhouette.batches.serving.Worker`."""

    def __init__(self, server: ForkServer, number: int, pipe: Connection) -> None:
        self.pipe = pipe
        self.server = server
        self.number = number
        self._watched = os.pidfd_open(number)  # nobody else has its number until its parent asks how it ended

    def is_alive(self) -> bool:
        """See `Worker`."""
        return not select.select([self._watched], [], [], 0.0)[0]

    def dismiss(self) -> None:
        """See `Worker`."""
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._watched, signal.SIGKILL)
        self.gone()
        self.server.reap(self.number)

    def gone(self) -> None:
        """Lets go of it, now that it has ended."""
        os.close(self._watched)
        self.pipe.close()


@dataclass(frozen=True)
class Answer:
    """What a fork server says.

    Attributes:
        kind: "loaded", with a `Loaded`; "forked", with the worker; "ended", with the exit status of a worker; or
            "died": the server did.
        owner: for whom it was asked.
        value: see there.
    """

    kind: Literal["loaded", "forked", "ended", "died"]
    owner: Any
    value: Any = None


class ForkServer:
    """The process, as the one that started it holds it. It is asked one thing at a time; others wait.

    Args:
        start: makes it ready, and gives the work of its forks.
        patience: seconds that loading may take; None is for ever.

    Attributes:
        pipe: has something to be heard when an answer has come.
        deadline: of what it is at, as `time.monotonic` tells it.
        known: what it has loaded.
        full: whether it should load nothing more.
        expecting: for whom a worker is to be forked, with what that one needs and the task that needs it.
    """

    def __init__(self, start: Callable[[], SharedWork], patience: float | None) -> None:
        self.pipe, self._process = child(_serve_forks, (start, os.getpid()))
        self._patience = patience
        self.deadline = float("inf")
        self.known: Requirements = frozenset()
        self.full = False
        self.expecting: list[tuple[Any, Requirements, Any]] = []
        self._ended: list[tuple[int, Any]] = []
        self._asked: tuple[str, Any] | None = None

    def is_alive(self) -> bool:
        """Whether it still runs."""
        return self._process.is_alive()

    @property
    def is_busy(self) -> bool:
        """Whether an answer will come."""
        return self._asked is not None

    @property
    def is_wanted(self) -> bool:
        """Whether anybody waits for it."""
        return bool(self.is_busy or self.expecting or any(owner is not None for _, owner in self._ended))

    def coming(self) -> Requirements:
        """What it has loaded or is going to load."""
        return self.known.union(*(needs for _, needs, _ in self.expecting))

    def reap(self, number: int, owner: Any = None) -> None:
        """Has the system forget a worker that has ended; the owner, where there is one, is told how it ended."""
        self._ended.append((number, owner))

    def go_on(self) -> None:
        """Asks the next thing, where nothing is asked: first what is quick."""
        if self.is_busy:
            return
        if self._ended:
            number, owner = self._ended.pop(0)
            self._ask("ended", owner, number)
        elif self.expecting:
            ready = [each for each in self.expecting if each[1] <= self.known]
            owner, _, task = (ready or self.expecting)[0]
            if ready:
                self._ask("forked", owner, None)
            else:
                self._ask("loaded", owner, task)
                self.deadline = float("inf") if self._patience is None else time.monotonic() + self._patience

    def _ask(self, kind: str, owner: Any, word: Any) -> None:
        self._asked = kind, owner
        with suppress(OSError):  # that it has died is found out when it is next listened to
            self.pipe.send((kind, word))

    def heard(self) -> Answer:
        """The answer, now that it has come, or nothing will come any more."""
        assert self._asked is not None
        (kind, owner), self._asked, self.deadline = self._asked, None, float("inf")
        try:
            value = self.pipe.recv()
            if kind == "forked":
                value = ForkedWorker(self, value, Connection(recv_handle(self.pipe)))
        except (EOFError, OSError):
            return Answer("died", owner)
        if kind == "loaded":
            self.known |= next(needs for each, needs, _ in self.expecting if each is owner)
            self.full = value == "full"
        if kind == "forked":
            self.expecting = [each for each in self.expecting if each[0] is not owner]
        return Answer(kind, owner, value)  # type: ignore[arg-type]

    def dismiss(self) -> None:
        """Ends it. Its forks are ended by those who hold them."""
        if not self.is_busy:
            with suppress(OSError):
                self.pipe.send(("end", None))
                self._process.join(ENDS_WITHIN)
        self._process.kill()
        self._process.join()
        self._process.close()
        self.pipe.close()


def _serve_forks(pipe: Connection, words: tuple[Callable[[], SharedWork], int]) -> None:
    """What a fork server does all its life."""
    start, leader = words
    watched = os.pidfd_open(leader)
    work = start()
    with suppress(EOFError, OSError):
        while True:
            asked, word = pipe.recv()
            if asked == "loaded":
                pipe.send(_load(work, word))
            elif asked == "forked":
                _fork(pipe, work, leader, watched)
            elif asked == "ended":
                pipe.send(os.waitstatus_to_exitcode(os.waitpid(word, 0)[1]))
            else:
                break
    with suppress(ChildProcessError):  # all of its forks are ended by now, or will be soon
        while True:
            os.waitpid(-1, 0)


def _load(work: SharedWork, task: Any) -> Loaded:
    try:
        done = work.load(task)
    except Exception:
        return "room"  # the worker that is given the task meets the same, and tells of it
    gc.collect()
    gc.freeze()  # else the next collection in each fork writes to, and so copies, the pages of everything
    return done


def _fork(pipe: Connection, work: SharedWork, leader: int, watched: int) -> None:
    """Says the number of the new process, and pool over the pipe to it; the new process never returns."""
    near, far = Pipe()
    with unwarned():
        number = os.fork()
    if number:
        far.close()
        pipe.send(number)
        send_handle(pipe, near.fileno(), leader)
        near.close()
        return
    status = 1
    try:
        near.close()
        pipe.close()
        threading.Thread(target=_end_with, args=(watched,), daemon=True).start()
        serve(far, work)
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)


def _end_with(watched: int) -> None:
    """Ends this process, whatever it is at, as soon as a watched one has ended."""
    select.select([watched], [], [])
    os._exit(1)
