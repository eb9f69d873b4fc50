"""Worker processes that take one task after another. One that dies or takes too long costs its task alone.

tasks -> processes, each with a pipe -> results, as they come -> done, or lost with the reason

Where several tasks require the same in memory, the workers are forked from processes that have loaded it: see
`silhouette.workers.forkserver`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import wait
from typing import Any, cast

from silhouette.workers import starting
from silhouette.workers.clock import LOOK_INTERVAL, NEVER, RunningClock
from silhouette.workers.forkserver import (
    Answer,
    ForkedWorker,
    ForkServer,
    Order,
    Requirements,
    SharedWork,
    can_serve,
)
from silhouette.workers.process import Work, start_worker
from silhouette.workers.slots import Event, Slot

NextTask = Callable[[Any], Any]
"""From the last task of a worker (None at first) to its next one; None where there is none for now."""

NOTHING: Requirements = frozenset()


def events_of(pools: Sequence[tuple[WorkerPool, NextTask]]) -> Iterator[Event]:
    """The events of pools that share a clock, until no process is busy and there is no task left.

    A pool may have tasks that follow from the events of another; of two, the one whose tasks feed the other is first.
    """
    first, _ = pools[0]
    while True:
        for pool, next_task in pools:
            yield from pool.give(next_task)
        busy = [(pool, pool.busy) for pool, _ in pools]
        sources = [source for _, some in busy for source in some]
        if not sources:
            return
        ready = first.wait(sources)
        for pool, some in busy:
            yield from pool.events_from(some, ready)


class WorkerPool:
    """A number of processes, each made ready once by ``start()``, which gives the function that does a task.

    They are forked where that is safe, and share what is in memory; else ``start`` must be what pickle can carry, and
    where no process can be started the work is done in this one, without a timeout: see
    `silhouette.workers.starting.start_method`. Used as a context manager: at its end all processes are gone.

    Args:
        start: returns the work; called in each process.
        workers: the number of processes.
        timeout: the seconds that may pass until the next result of a process; None is unlimited. Time for which this
            process or that one is stopped, as by Ctrl-Z, does not count.
        requirements: a function from a task to its requirements in memory. Where it is given, ``start`` gives a
            `silhouette.workers.forkserver.SharedWork`, and processes whose tasks require the same share it, where
            that is possible.
        replace: whether another process takes the place of one that has died.
        ahead: whether a process is given its next task while it is at one, so that it never waits for it.
        clock: that of another pool, for `events_of`; by default its own.

    Attributes:
        by_meshes: that a process gains by tasks with the same meshes one after the other: it has them in memory.

    >>> from functools import partial
    >>> start = partial(partial, range)  # its tasks are numbers; range yields the results
    >>> tasks = [2]
    >>> with WorkerPool(start, workers=1) as pool:
    ...     events = list(pool.events(lambda last: tasks.pop() if tasks else None))
    >>> [(event.kind, event.value) for event in events]
    [('result', 0), ('result', 1), ('done', None)]
    """

    by_meshes = True

    def __init__(
        self,
        start: Callable[[], Work],
        workers: int,
        timeout: float | None = None,
        requirements: Callable[[Any], Requirements] | None = None,
        *,
        replace: bool = True,
        ahead: bool = False,
        clock: RunningClock | None = None,
    ) -> None:
        self._start = start
        self._timeout = timeout
        self._clock = RunningClock() if clock is None else clock
        self._examined = 0.0
        self._replace = replace
        self._ahead = ahead
        self._slots = [Slot(self._clock, timeout) for _ in range(workers)]
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
        yield from events_of([(self, next_task)])

    def give(self, next_task: NextTask) -> Iterator[Event]:
        """Gives tasks to processes that have none; the events are those of fork servers that have died."""
        for slot in self._slots:
            if slot.task is None and not slot.is_retired:
                task, slot.ahead = slot.ahead, None
                self._give(slot, next_task(slot.last) if task is None else task)
            if self._ahead and slot.is_busy and slot.ahead is None:
                task = next_task(slot.task)
                if task is not None:
                    slot.send_ahead(task)
        yield from self._advance_servers()

    @property
    def busy(self) -> list[Slot | ForkServer]:
        """Those from which something will come."""
        serving = [server for server in self._servers if server.is_busy]
        return [*serving, *(slot for slot in self._slots if slot.is_busy)]

    def events_from(self, sources: Sequence[Slot | ForkServer], ready: Sequence[Any]) -> Iterator[Event]:
        """The events of those that were busy, of which the pipes in ``ready`` have sent something."""
        for source in sources:
            if isinstance(source, ForkServer):
                yield from self._events_of_server(source, source.pipe in ready)
        for source in sources:
            if isinstance(source, Slot):
                yield from self._events_of_slot(source, source.pipe in ready)

    def wait(self, sources: Sequence[Slot | ForkServer]) -> list[Any]:
        """The pipes of those that have sent something, or none where a deadline has passed.

        The time for which a process is stopped is added to its deadline.
        """
        pipes = [source.pipe for source in sources]
        if all(source.deadline == NEVER for source in sources):
            return wait(pipes)
        while True:
            left = min(source.deadline for source in sources) - self._clock.now()
            ready = wait(pipes, min(max(left, 0.0), LOOK_INTERVAL))
            now = self._clock.now()
            if now - self._examined >= LOOK_INTERVAL:
                for source in sources:
                    if source.is_stopped():
                        source.deadline += now - self._examined
                self._examined = now
            if ready or any(source.deadline <= now for source in sources):
                return ready

    def _is_late(self, source: Slot | ForkServer) -> bool:
        return source.deadline <= self._clock.now() and not source.pipe.poll()

    def _events_of_server(self, server: ForkServer, is_ready: bool) -> Iterator[Event]:
        """The events that follow from the answer of a fork server, if it has one or takes too long."""
        if is_ready or self._is_late(server):
            answer = server.receive() if server.pipe.poll() else Answer("died", None)
            yield from self._handle(server, answer)

    def _events_of_slot(self, slot: Slot, is_ready: bool) -> Iterator[Event]:
        """The event of a process that has sent something or has ended, or that takes too long."""
        if not is_ready:
            if self._is_late(slot):
                yield slot.time_out()
            return
        event = slot.receive()
        if event is None and slot.reaper not in self._servers:
            event = slot.lose_process(None)
        if event is not None:
            yield event
            slot.is_retired = event.kind == "lost" and not self._replace

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

    def _give(self, slot: Slot, task: Any) -> None:
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
            slot.assign(start_worker(self._start, self._slots.index(slot), ahead=self._ahead), NOTHING)

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
        server = ForkServer(cast("Callable[[], SharedWork]", self._start), self._clock, self._timeout)
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
        slot: Slot | None = answer.slot
        if answer.kind == "forked":
            assert slot is not None
            slot.assign(answer.value, server.loaded)
        elif answer.kind == "reaped" and slot is not None:
            yield slot.lose_process(answer.value)
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
                yield slot.lose_process(None)
