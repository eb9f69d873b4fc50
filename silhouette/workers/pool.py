"""Worker processes that take one task after another. One that dies or takes too long costs its task alone.

tasks -> processes, each with a pipe -> results, as they come -> done, or lost with the reason

Where several tasks require the same in memory, the workers are forked from processes that have loaded it: see
`silhouette.workers.forkserver`.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import wait
from typing import Any, Literal, cast

from silhouette.workers import starting
from silhouette.workers.forkserver import (
    Answer,
    ForkedWorker,
    ForkServer,
    Order,
    Requirements,
    SharedWork,
    can_serve,
)
from silhouette.workers.process import DONE, ChildProcess, Work, Worker, start_worker

NextTask = Callable[[Any], Any]
"""From the last task of a worker (None at first) to its next one; None where there is none for now."""

NOTHING: Requirements = frozenset()


@dataclass(frozen=True)
class Event:
    """A result of a task, or its end.

    Attributes:
        task: the task.
        kind: "result", with a value that the worker yielded; "done"; or "lost", with the reason in words: the task got
            no further.
        value: the value that ``kind`` names.
    """

    task: Any
    kind: Literal["result", "done", "lost"]
    value: Any = None


class WorkerPool:
    """A number of processes, each made ready once by ``start()``, which gives the function that does a task.

    They are forked where that is safe, and share what is in memory; else ``start`` must be what pickle can carry, and
    where no process can be started the work is done in this one, without a timeout: see
    `silhouette.workers.starting.start_method`. Used as a context manager: at its end all processes are gone.

    Args:
        start: returns the work; called in each process.
        workers: the number of processes.
        timeout: the seconds that may pass until the next result of a process; None is unlimited.
        requirements: a function from a task to its requirements in memory. Where it is given, ``start`` gives a
            `silhouette.workers.forkserver.SharedWork`, and processes whose tasks require the same share it, where
            that is possible.
        replace: whether another process takes the place of one that has died.

    >>> from functools import partial
    >>> start = partial(partial, range)  # its tasks are numbers; range yields the results
    >>> tasks = [2]
    >>> with WorkerPool(start, workers=1) as pool:
    ...     events = list(pool.events(lambda last: tasks.pop() if tasks else None))
    >>> [(event.kind, event.value) for event in events]
    [('result', 0), ('result', 1), ('done', None)]
    """

    def __init__(
        self,
        start: Callable[[], Work],
        workers: int,
        timeout: float | None = None,
        requirements: Callable[[Any], Requirements] | None = None,
        *,
        replace: bool = True,
    ) -> None:
        self._start = start
        self._timeout = timeout
        self._replace = replace
        self._slots = [_Slot(timeout) for _ in range(workers)]
        self._servers: list[ForkServer] = []
        self._requirements = requirements if workers > 1 else None
        self._unshared: Requirements = NOTHING

    def __enter__(self) -> WorkerPool:
        if not can_serve():
            self._requirements = None
        return self

    def __exit__(self, *_: object) -> None:
        for slot in self._slots:
            slot.kill()
        for server in self._servers:
            server.stop()

    def events(self, next_task: NextTask) -> Iterator[Event]:
        """The events until no process is busy and there is no task left."""
        if starting.start_method().name == "none":
            yield from self._events_here(next_task)
            return
        while True:
            for slot in self._slots:
                if slot.task is None and not slot.is_retired:
                    self._give(slot, next_task(slot.last))
            yield from self._advance_servers()
            busy = [slot for slot in self._slots if slot.is_busy]
            serving = [server for server in self._servers if server.is_busy]
            if not busy and not serving:
                return
            waited_for: list[_Slot | ForkServer] = [*busy, *serving]
            deadline = min(source.deadline for source in waited_for)
            ready = wait([source.pipe for source in waited_for], _seconds_until(deadline))
            for server in serving:
                if server.pipe in ready or server.deadline <= time.monotonic():
                    answer = server.receive() if server.pipe.poll() else Answer("died", None)
                    yield from self._handle(server, answer)
            for slot in busy:
                if slot.pipe in ready:
                    event = slot.receive()
                    if event is None and slot.reaper not in self._servers:
                        event = slot.lose(_exit_in_words(None))
                    if event is not None:
                        yield event
                        slot.is_retired = event.kind == "lost" and not self._replace
                elif slot.deadline <= time.monotonic() and not slot.pipe.poll():
                    yield slot.time_out()

    def _events_here(self, next_task: NextTask) -> Iterator[Event]:
        """The events of tasks that this process does itself."""
        work: Work | None = None
        task = next_task(None)
        while task is not None:
            work = work or self._start()
            for value in work(task):
                yield Event(task, "result", value)
            yield Event(task, "done")
            task = next_task(task)

    def _give(self, slot: _Slot, task: Any) -> None:
        """Has a task done by a process that has loaded its requirements."""
        slot.task = task
        if task is None:
            return
        required = NOTHING if self._requirements is None else self._requirements(task) - self._unshared
        if slot.worker is not None and (slot.worker.is_alive() or not self._replace) and required <= slot.loaded:
            slot.begin()
            return
        previous = slot.worker.server if isinstance(slot.worker, ForkedWorker) else None
        slot.kill()
        if required:
            self._server_for(required, previous).orders.append(Order(slot, required, task))
        else:
            slot.assign(start_worker(self._start, self._slots.index(slot)), NOTHING)

    def _server_for(self, required: Requirements, previous: ForkServer | None) -> ForkServer:
        """The server that has loaded most of it, at least half; else the previous one, if unused; else a new one.

        So what many tasks require is loaded once, and what has nothing in common is loaded side by side.
        """
        best = max(self._servers, key=lambda server: len(required & server.requirements()), default=None)
        if best is not None:
            common = len(required & best.requirements())
            if common == len(required) or (2 * common >= len(required) and not best.full):
                return best
        if previous in self._servers and not previous.full and not self._is_used(previous):
            return previous
        server = ForkServer(cast("Callable[[], SharedWork]", self._start), self._timeout)
        self._servers.append(server)
        return server

    def _is_used(self, server: ForkServer) -> bool:
        workers = [slot.worker for slot in self._slots]
        return server.is_wanted or any(
            isinstance(worker, ForkedWorker) and worker.server is server for worker in workers
        )

    def _advance_servers(self) -> Iterator[Event]:
        """Stops fork servers that are not used, drops those that have died, and sends the others their next request."""
        for server in list(self._servers):
            if not self._is_used(server):
                self._servers.remove(server)
                server.stop()
            elif not server.is_busy and not server.is_alive():
                yield from self._drop(server)
        for server in self._servers:
            server.send_next_request()

    def _handle(self, server: ForkServer, answer: Answer) -> Iterator[Event]:
        """The events that follow from the answer of a fork server, or from its death."""
        slot: _Slot | None = answer.slot
        if answer.kind == "forked":
            assert slot is not None
            slot.assign(answer.value, server.loaded)
        elif answer.kind == "reaped" and slot is not None:
            yield slot.lose(_exit_in_words(answer.value))
        elif answer.kind == "died":
            self._unshared = self._unshared.union(*(order.requirements for order in server.orders))
            yield from self._drop(server)
        elif answer.value == "unshared":
            self._requirements = None
            yield from self._drop(server)

    def _drop(self, server: ForkServer) -> Iterator[Event]:
        """Goes on without a fork server: slots that waited for it get a worker elsewhere."""
        self._servers.remove(server)
        server.stop()
        for order in server.orders:
            self._give(order.slot, order.task)
        for slot in self._slots:
            if slot.reaper is server:
                yield slot.lose(_exit_in_words(None))


def _exit_in_words(status: int | None) -> str:
    """The reason why a task was lost, from the exit status of its process; below 0 that is a signal.

    >>> _exit_in_words(3), _exit_in_words(-9), _exit_in_words(-99)  # doctest: +NORMALIZE_WHITESPACE
    ('the process that was at it ended (exit status 3)', 'the process that was at it ended (killed by SIGKILL)',
     'the process that was at it ended (killed by signal 99)')
    >>> _exit_in_words(None)
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
    """A place for one worker process: started when there is a task, replaced when it is lost.

    Attributes:
        worker: the process, if there is one.
        loaded: the requirements that it has in memory.
        reaper: the fork server that is to send the exit status of the process, which has ended; else None.
        task: the task that it is doing, or that waits until there is a process for it.
        last: the task before.
        deadline: the time by which its next message must come, on the clock of `time.monotonic`.
        is_retired: whether its process has died without a successor.
    """

    def __init__(self, timeout: float | None) -> None:
        self._timeout = timeout
        self.worker: Worker | None = None
        self.loaded = NOTHING
        self.reaper: ForkServer | None = None
        self.task: Any = None
        self.last: Any = None
        self.deadline = float("inf")
        self.is_retired = False

    @property
    def pipe(self) -> Any:
        """The pipe to its process."""
        assert self.worker is not None
        return self.worker.pipe

    @property
    def is_busy(self) -> bool:
        """Whether its process is doing a task."""
        return self.worker is not None and self.task is not None

    def assign(self, worker: Worker, loaded: Requirements) -> None:
        """Takes a process, which begins with the task."""
        self.worker, self.loaded = worker, loaded
        self.begin()

    def begin(self) -> None:
        """Sends the task to the process."""
        self._restart_clock()
        try:
            self.pipe.send(self.task)
        except OSError:  # it has died, which is noticed when something is read from it
            return

    def _restart_clock(self) -> None:
        self.deadline = float("inf") if self._timeout is None else time.monotonic() + self._timeout

    def receive(self) -> Event | None:
        """The event of its message; called when the pipe is readable or broken.

        None where the process has ended and its exit status is not known yet.
        """
        task = self.task
        try:
            kind, value = self.pipe.recv()
        except (EOFError, OSError):
            return self._ended()
        if kind == DONE:
            self.task, self.last = None, task
            return Event(task, "done")
        self._restart_clock()
        return Event(task, "result", value)

    def _ended(self) -> Event | None:
        worker = self.worker
        if isinstance(worker, ForkedWorker):
            self.worker, self.reaper = None, worker.server
            worker.close()
            worker.server.reap(worker.pid, self)
            return None
        assert isinstance(worker, ChildProcess)
        return self.lose(_exit_in_words(worker.wait()))

    def time_out(self) -> Event:
        """The event of a task whose next result has taken too long."""
        return self.lose(f"not done within {self._timeout:g} s, the --timeout")

    def lose(self, reason: str) -> Event:
        """The event of a task that gets no further; its process is ended."""
        task = self.task
        self.kill()
        self.task, self.last, self.reaper = None, None, None
        return Event(task, "lost", reason)

    def kill(self) -> None:
        """Ends the process, whatever it is doing."""
        if self.worker is not None:
            self.worker.kill()
            self.worker = None
