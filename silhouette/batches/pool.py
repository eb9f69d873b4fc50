"""MANY: worker processes that are given one task after another. One that dies or dawdles costs its task, nothing else.

tasks -> processes, each with a pipe -> messages, as they come -> done, or lost with the reason

Where several are to share what their tasks need, they are forked from processes that have loaded it: see
`silhouette.batches.forkserver`.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import wait
from typing import Any, Literal, cast

from silhouette.batches.forkserver import Answer, ForkedWorker, ForkServer, Requirements, SharedWork, can_serve
from silhouette.batches.serving import DONE, ChildWorker, Work, Worker
from silhouette.workers import seated

Next = Callable[[Any], Any]
"""The next task for a process whose last one is given (None at first); None where there is none for now."""

NOTHING: Requirements = frozenset()


@dataclass(frozen=True)
class Event:
    """Something that a process told, or that happened to it.

    Attributes:
        task: what it was at.
        kind: "told", with what it told; "done"; or "lost", with the reason in words: the task got no further.
        value: see there.
    """

    task: Any
    kind: Literal["told", "done", "lost"]
    value: Any = None


class WorkerPool:
    """So many processes, each made ready once by ``start()``, which gives the function that does a task.

    They are forked where that is safe, and share what is in memory; else ``start`` must be what pickle can carry.
    Used as a context: at its end all processes are gone, whatever they were at.

    Args:
        start: see above.
        workers: how many.
        patience: seconds that a process may take until it tells the next thing; None is for ever.
        needs: what a task needs in memory. Where it is given, ``start`` gives a
            `silhouette.batches.forkserver.SharedWork`, and processes whose tasks need the same share it, where
            that can be.

    >>> from functools import partial
    >>> start = partial(partial, range)  # its tasks are numbers; range yields what is told of them
    >>> tasks = [2]
    >>> with WorkerPool(start, workers=1) as pool:
    ...     events = list(pool.events(lambda last: tasks.pop() if tasks else None))
    >>> [(event.kind, event.value) for event in events]
    [('told', 0), ('told', 1), ('done', None)]
    """

    def __init__(
        self,
        start: Callable[[], Work],
        workers: int,
        patience: float | None = None,
        needs: Callable[[Any], Requirements] | None = None,
    ) -> None:
        self._start = start
        self._patience = patience
        self._slots = [_Slot(patience) for _ in range(workers)]
        self._servers: list[ForkServer] = []
        self._needs = needs if workers > 1 else None
        self._unshared: Requirements = NOTHING

    def __enter__(self) -> WorkerPool:
        if not can_serve():
            self._needs = None
        return self

    def __exit__(self, *_: object) -> None:
        for slot in self._slots:
            slot.dismiss()
        for server in self._servers:
            server.dismiss()

    def events(self, next_task: Next) -> Iterator[Event]:
        """Everything that happens until no process is at work and there is no task left."""
        while True:
            for slot in self._slots:
                if slot.task is None:
                    self._give(slot, next_task(slot.last))
            yield from self._go_on()
            busy = [slot for slot in self._slots if slot.is_listened_to]
            asked = [server for server in self._servers if server.is_busy]
            if not busy and not asked:
                return
            heard: list[_Slot | ForkServer] = [*busy, *asked]
            ready = wait([one.pipe for one in heard], _seconds_until(min(one.deadline for one in heard)))
            for server in asked:
                if server.pipe in ready or server.deadline <= time.monotonic():
                    yield from self._served(server, server.heard() if server.pipe.poll() else Answer("died", None))
            for slot in busy:
                if slot.pipe in ready:
                    event = slot.heard()
                    if event is None and slot.reaping not in self._servers:
                        event = slot.lost(_ended(None))
                    if event is not None:
                        yield event
                elif slot.deadline <= time.monotonic() and not slot.pipe.poll():
                    yield slot.gave_up()

    def _give(self, slot: _Slot, task: Any) -> None:
        """Has a task done by a process that has what it needs."""
        slot.task = task
        if task is None:
            return
        needs = NOTHING if self._needs is None else self._needs(task) - self._unshared
        if slot.worker is not None and slot.worker.is_alive() and needs <= slot.has:
            slot.begin()
            return
        before = slot.worker.server if isinstance(slot.worker, ForkedWorker) else None
        slot.dismiss()
        if needs:
            self._server_for(needs, before).expecting.append((slot, needs, task))
        else:
            slot.take(ChildWorker(partial(seated, self._slots.index(slot), self._start)), NOTHING)

    def _server_for(self, needs: Requirements, before: ForkServer | None) -> ForkServer:
        """One that has loaded most of it, at least half; else the one of before, if nobody else uses it; or a new one.

        So what many tasks need is loaded once, and what has nothing in common is loaded side by side.
        """
        best = max(self._servers, key=lambda server: len(needs & server.coming()), default=None)
        if best is not None:
            common = len(needs & best.coming())
            if common == len(needs) or (2 * common >= len(needs) and not best.full):
                return best
        if before in self._servers and not before.full and not self._is_used(before):
            return before
        server = ForkServer(cast("Callable[[], SharedWork]", self._start), self._patience)
        self._servers.append(server)
        return server

    def _is_used(self, server: ForkServer) -> bool:
        workers = [slot.worker for slot in self._slots]
        return server.is_wanted or any(isinstance(one, ForkedWorker) and one.server is server for one in workers)

    def _go_on(self) -> Iterator[Event]:
        """Ends fork servers that nobody uses, drops those that others ended, and asks the rest for what is due."""
        for server in list(self._servers):
            if not self._is_used(server):
                self._servers.remove(server)
                server.dismiss()
            elif not server.is_busy and not server.is_alive():
                yield from self._without(server)
        for server in self._servers:
            server.go_on()

    def _served(self, server: ForkServer, answer: Answer) -> Iterator[Event]:
        """What follows from what a fork server says, or from its silence."""
        slot: _Slot = answer.owner
        if answer.kind == "forked":
            slot.take(answer.value, server.known)
        elif answer.kind == "ended" and slot is not None:
            yield slot.lost(_ended(answer.value))
        elif answer.kind == "died":
            self._unshared = self._unshared.union(*(needs for _, needs, _ in server.expecting))
            yield from self._without(server)
        elif answer.value == "unshared":
            self._needs = None
            yield from self._without(server)

    def _without(self, server: ForkServer) -> Iterator[Event]:
        """Goes on without a fork server: those who waited for it turn elsewhere."""
        self._servers.remove(server)
        server.dismiss()
        for slot, _, task in server.expecting:
            self._give(slot, task)
        for slot in self._slots:
            if slot.reaping is server:
                yield slot.lost(_ended(None))


def _ended(status: int | None) -> str:
    """Why a task got no further, whose process ended with a status; below 0 that is a signal.

    >>> _ended(3), _ended(-9), _ended(-99)  # doctest: +NORMALIZE_WHITESPACE
    ('the process that was at it ended (exit status 3)', 'the process that was at it ended (killed by SIGKILL)',
     'the process that was at it ended (killed by signal 99)')
    >>> _ended(None)
    'the process that was at it ended'
    """
    ended = "the process that was at it ended"
    if status is None:
        return ended
    if status >= 0:
        return f"{ended} (exit status {status})"
    try:
        return f"{ended} (killed by {signal.Signals(-status).name})"
    except ValueError:
        return f"{ended} (killed by signal {-status})"


def _seconds_until(deadline: float) -> float | None:
    return None if deadline == float("inf") else max(0.0, deadline - time.monotonic())


class _Slot:
    """A place for one process: hired when there is something to do, and another in its place when it is lost.

    Attributes:
        worker: the process, if there is one.
        has: what it has in memory.
        reaping: the fork server that is asked how the process ended; None where nothing is asked.
        task: what it is at, or what waits until there is a process for it.
        last: what was given to it before.
    """

    def __init__(self, patience: float | None) -> None:
        self._patience = patience
        self.worker: Worker | None = None
        self.has = NOTHING
        self.reaping: ForkServer | None = None
        self.task: Any = None
        self.last: Any = None
        self.deadline = float("inf")

    @property
    def pipe(self) -> Any:
        """Of its process."""
        assert self.worker is not None
        return self.worker.pipe

    @property
    def is_listened_to(self) -> bool:
        """Whether its process is at a task."""
        return self.worker is not None and self.task is not None

    def take(self, worker: Worker, has: Requirements) -> None:
        """Takes on a process, which begins with the task."""
        self.worker, self.has = worker, has
        self.begin()

    def begin(self) -> None:
        """Gives the task to the process."""
        self._wait_again()
        try:
            self.pipe.send(self.task)
        except OSError:  # it is found to be dead when it is next listened to
            return

    def _wait_again(self) -> None:
        self.deadline = float("inf") if self._patience is None else time.monotonic() + self._patience

    def heard(self) -> Event | None:
        """What it tells, now that there is something to read, or nothing will come any more.

        None where it is not known yet how it ended.
        """
        task = self.task
        try:
            kind, value = self.pipe.recv()
        except (EOFError, OSError):
            return self._broken()
        if kind == DONE:
            self.task, self.last = None, task
            return Event(task, "done")
        self._wait_again()
        return Event(task, "told", value)

    def _broken(self) -> Event | None:
        worker = self.worker
        if isinstance(worker, ForkedWorker):
            self.worker, self.reaping = None, worker.server
            worker.gone()
            worker.server.reap(worker.number, self)
            return None
        assert isinstance(worker, ChildWorker)
        return self.lost(_ended(worker.ending()))

    def gave_up(self) -> Event:
        """What to say of a task that has not got on for too long."""
        return self.lost(f"not done within {self._patience:g} s, the --timeout")

    def lost(self, why: str) -> Event:
        """What to say of a task that gets no further."""
        task = self.task
        self.dismiss()
        self.task, self.last, self.reaping = None, None, None
        return Event(task, "lost", why)

    def dismiss(self) -> None:
        """Ends the process, whatever it is at."""
        if self.worker is not None:
            self.worker.dismiss()
            self.worker = None
