"""The one executor: worker processes that take one task after another. One that dies or takes too long costs its task.

submit(task, content, urgency) -> queue, the most urgent first -> a process that has the content -> results -> future
a source of tasks, asked when a process is free (back-pressure) -> the same -> events

Who calls drives the pool, with no thread of its own, so that it may be forked; or a thread does, for an event loop.

If several tasks require the same in memory, the workers are forked from processes that have loaded it: see
`silhouette.workers.forkserver`.

Of the executors that there are, none holds half of what must hold here (tried in November 2026, on Linux):

| | `concurrent.futures` | `loky` 3.7 | `pebble` 5.2 |
|---|---|---|---|
| callers with threads, scripts without a guard | no: forks them, or runs the script again | yes | no: as before |
| daemonic callers | no: AssertionError | no: AssertionError | no: AssertionError |
| Windows | yes | yes | yes |
| a kill costs one task, others go on | no: BrokenProcessPool for all | no: TerminatedWorkerError for all | yes |
| a lost task is tried again | no | no | no |
| a check is cancelled within 4 ms of CPU, meshes kept | no: goes on | no: goes on | no: 90 ms, by killing the process |
| urgency, and giving way to it | no | no | no |
| meshes shared by fork | yes | no: copied into each | yes |
| ends when the caller is killed, in the middle too | no | no | no: idle ones alone |
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from heapq import heappop, heappush
from itertools import count
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from typing import Any, TypeVar, cast

from silhouette.common.errors import SilhouetteError
from silhouette.workers import starting
from silhouette.workers.clock import CLOCK_INTERVAL_S, NEVER, RunningClock
from silhouette.workers.content import Content
from silhouette.workers.forkserver import (
    NO_REQUIREMENTS,
    ForkedWorker,
    ForkServer,
    Order,
    Requirements,
    SharedWork,
    can_serve,
)
from silhouette.workers.process import DONE, FAILED, RESULT, STOPPED, Work, start_worker
from silhouette.workers.slots import Event, Slot, TaskFuture, exit_in_words

NextTask = Callable[[Any], Any]
"""From the last task of a worker (None at first) to its next one; None if there is none for now."""

PATIENT = 5  # the urgency from which on a task gives way: its process does the more urgent one, and begins it again

WORKER_LOST = (
    "a worker process ended in the middle of a check, out of memory or killed; "
    "take fewer with --workers, or a larger --pixel"
)


def is_patient(urgency: int) -> bool:
    """Whether a task of that urgency gives way to one that is not patient."""
    return urgency >= PATIENT


class WorkerPool:
    """A number of processes, each made ready once by ``start()``, which gives the function that does a task.

    They are forked if that is safe, and share what is in memory; else ``start`` must be what pickle can carry. Where
    this process may start none, `events` does the work itself, without a timeout: see
    `silhouette.workers.starting.start_method`. Used as a context manager: at its end all processes are gone.

    Args:
        start: returns the work; called in each process.
        timeout: the seconds that may pass until the next result of a process; None is unlimited. Time for which this
            process or that one is stopped, as by Ctrl-Z, does not count.
        requirements: a function from a task to its requirements in memory. If it is given, ``start`` gives a
            `silhouette.workers.forkserver.SharedWork`, and processes whose tasks require the same share it, if
            that is possible. Requirements that are digests of contents need not be sent.
        replace: whether another process takes the place of one that has died.
        tries: the number of processes that are given a submitted task, if those before have ended over it.

    >>> from functools import partial
    >>> start = partial(partial, range)  # its tasks are numbers; range yields the results
    >>> tasks = [2]
    >>> with WorkerPool(start, workers=1) as pool:
    ...     events = list(pool.events(lambda last: tasks.pop() if tasks else None))
    >>> [(event.kind, event.value) for event in events]
    [('result', 0), ('result', 1), ('done', None)]
    >>> with WorkerPool(start, workers=1) as pool:
    ...     futures = [pool.submit(task) for task in (3, 5)]
    ...     [pool.result(future) for future in futures]
    [2, 4]
    """

    def __init__(
        self,
        start: Callable[[], Work],
        workers: int,
        timeout: float | None = None,
        requirements: Callable[[Any], Requirements] | None = None,
        *,
        replace: bool = True,
        tries: int = 1,
    ) -> None:
        self._start = start
        self._timeout = timeout
        self._clock = RunningClock()
        self._examined = 0.0
        self._replace, self._tries = replace, tries
        self._slots = [Slot(number, self._clock, timeout) for number in range(workers)]
        self._servers: list[ForkServer] = []
        self._requirements = requirements if can_serve() else None
        self._unshared: Requirements = NO_REQUIREMENTS
        self._numbers = count()
        self._queue: list[tuple[int, int, TaskFuture]] = []
        self._queue_lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._alarm: tuple[Connection, Connection] | None = None
        self._closed: BaseException | None = None

    def __enter__(self) -> WorkerPool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close(SilhouetteError("the pool is closed"))

    def close(self, error: BaseException) -> None:
        """Ends all processes, whatever they are doing; tasks that are not done end with the error."""
        with self._queue_lock:  # what is submitted from now on ends at once
            self._closed = error
        if self._thread is not None:
            for slot in self._slots:
                if (worker := slot.worker) is not None:
                    with suppress(OSError, ValueError):  # it is gone already
                        worker.interrupt()  # the thread may wait for it, to take what it sends
            self.wake()
            self._thread.join()
            self._thread = None
        self._give_up(error)

    def _give_up(self, error: BaseException) -> None:
        """Ends all processes, and all tasks that are not done."""
        with self._queue_lock:
            left = [future for *_, future in self._queue]
            self._queue = []
        for slot in self._slots:
            slot.kill()
            left += [slot.future] if slot.future is not None else []
            slot.reset()
        for server in self._servers:
            server.stop()
        self._servers = []
        for future in left:
            future.finish(error=error)

    # Submitted tasks

    def submit(
        self,
        task: Any,
        contents: Mapping[str, Content] | None = None,
        urgency: int = 0,
        tell: Callable[[Event], None] | None = None,
    ) -> TaskFuture:
        """The future of a task, which is given to the next process that is free; cancelled, it is not gone on with.
        ``tell`` is called with each of its events, by whoever drives the pool.

        The task is what pickle can carry; ``contents`` are what it needs besides, by digest
        (`silhouette.workers.content.content_of`). Less urgent tasks, with higher numbers, wait for more urgent ones.
        Those from `PATIENT` on give way: the process of the least urgent one stops, and begins it again afterwards.
        """
        future = TaskFuture(task, contents or {}, urgency, tell)
        future.number = next(self._numbers)
        future.add_done_callback(lambda done: self._stop(cast("TaskFuture", done)) if done.cancelled() else None)
        self._put(future)
        if not is_patient(urgency):
            self._make_way()
        return future

    def _make_way(self) -> None:
        """Has a patient task stop if more urgent ones wait than processes are free, or will be by such a stop."""
        with self._queue_lock:
            waiting = sum(not is_patient(urgency) and not future.done() for urgency, _, future in self._queue)
        running = [future for slot in self._slots if (future := slot.running) is not None and not future.is_giving_way]
        patient = [future for future in running if is_patient(future.urgency)]
        if waiting > len(self._slots) - len(running) and patient:
            last = max(patient, key=lambda future: future.urgency)
            last.is_giving_way = True
            self._stop(last)

    def result(self, future: TaskFuture) -> Any:
        """The result of a future, for which the caller itself drives the pool; what the task raises passes through.

        Raises SilhouetteError if its processes have ended over it, or no process is left.
        """
        while not future.done():
            if not self._turn():
                future.finish(error=SilhouetteError(WORKER_LOST))
        return future.result()

    def start_all(self, task: Any) -> None:
        """Has all processes started, with what ``task`` requires, before there is a thread: see `start_thread`."""
        for slot in self._slots:
            self._order(slot, self._required(task), task)
        self._advance_servers()

    def start_thread(self) -> None:
        """Has a thread drive the pool until it is closed."""
        self._alarm = Pipe(duplex=False)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def wake(self) -> None:
        """Has the thread look at what was submitted."""
        if self._alarm is not None:
            self._alarm[1].send_bytes(b"")

    def _run(self) -> None:
        while self._closed is None:
            try:
                self._turn()
            except Exception as error:  # no process can be started, for now
                self._give_up(error)

    def _turn(self) -> bool:
        """Gives tasks to processes that are free, and takes what they send; False if nothing will come."""
        for slot in self._slots if self._queue else ():
            self._fill(slot)
        if self._advance_servers():
            return True  # tasks may have come back, and processes are free
        # Those from which something will come.
        serving = [server for server in self._servers if server.is_busy]
        sources: list[Slot | ForkServer] = [*serving, *(slot for slot in self._slots if slot.is_busy)]
        if not sources and self._alarm is None:
            return False
        ready = self._wait(sources)
        if self._alarm is not None and self._alarm[0] in ready:
            while self._alarm[0].poll():
                self._alarm[0].recv_bytes()
        self._handle_all(sources, ready)
        return True

    def _fill(self, slot: Slot) -> None:
        """Gives a free process the most urgent task; without one that can do it, has one started first."""
        while slot.is_free and self._queue:
            with self._queue_lock:
                future = self._queue[0][-1]
                if future.done():
                    heappop(self._queue)
                    continue
            if not self._can_do(slot, future.task):
                try:
                    self._order(slot, self._required(future.task), future.task)
                except Exception:
                    if self._thread is None or not any(other.is_busy for other in self._slots):
                        raise
                    return  # it is tried again when one of these is free
                continue
            with self._queue_lock:
                future = heappop(self._queue)[-1]
            self._begin(slot, future)

    def _put(self, future: TaskFuture) -> None:
        """Queues a task, which ends at once if the pool is closed."""
        with self._queue_lock:
            closed = self._closed
            if closed is None:
                heappush(self._queue, (future.urgency, future.number, future))
        if closed is not None:
            future.finish(error=closed)

    def _stop(self, future: TaskFuture) -> None:
        for slot in self._slots:
            slot.stop(future)

    # A source of tasks

    def events(self, next_task: NextTask) -> Iterator[Event]:
        """The events until no process is busy and no task left; ``next_task`` is asked when a process is free."""
        events = list[Event]()
        if starting.start_method() == "none":
            yield from self._events_here(next_task)
            return
        if len(self._slots) == 1:
            self._requirements = None  # one process shares with nobody
        goes_on = True
        while goes_on:
            self._pull(next_task, events.append)
            goes_on = self._turn()
            yield from events
            events.clear()

    def _pull(self, next_task: NextTask, tell: Callable[[Event], None]) -> None:
        """Gives tasks of a source to processes that have none."""
        for slot in self._slots:
            if slot.is_free and (task := next_task(slot.last)) is not None:
                slot.future = TaskFuture(task, tell=tell)
                if self._can_do(slot, task):
                    slot.begin()
                else:
                    self._order(slot, self._required(task), task)

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

    # Processes

    def _wait(self, sources: Sequence[Slot | ForkServer]) -> list[Any]:
        """The pipes of those that have sent something, or none if a deadline has passed."""
        pipes = [source.pipe for source in sources]
        if self._alarm is not None:
            pipes.append(self._alarm[0])
        if all(source.deadline == NEVER for source in sources):
            return wait(pipes)
        while True:
            left = min(source.deadline for source in sources) - self._clock.now()
            ready = wait(pipes, min(max(left, 0.0), CLOCK_INTERVAL_S))
            now = self._clock.now()
            if now - self._examined >= CLOCK_INTERVAL_S:  # the time for which processes are stopped does not count
                for source in filter(lambda source: source.is_stopped(), sources):
                    source.deadline += now - self._examined
                self._examined = now
            if ready or any(source.deadline <= now for source in sources):
                return ready

    def _handle_all(self, sources: Sequence[Slot | ForkServer], ready: Sequence[Any]) -> None:
        """Handles the messages of those that were busy, of which the pipes in ``ready`` have sent something."""
        for source in sources:
            is_ready = source.pipe in ready
            if not is_ready and (source.deadline > self._clock.now() or source.pipe.poll()):
                continue
            if isinstance(source, ForkServer):
                self._handle(source, *(source.receive() if source.pipe.poll() else ("died", None, None)))
            elif not is_ready:
                self._lose(source, f"not done within {self._timeout:g} s, the --timeout", may_retry=False)
            else:
                self._take(source)

    def _take(self, slot: Slot) -> None:
        message = slot.receive()
        if message is None:
            if slot.reaper not in self._servers:
                self._lose(slot, exit_in_words(None))
            return
        kind, value = message
        if kind == "lost":
            self._lose(slot, exit_in_words(value))
            return
        if kind == RESULT:
            future = slot.current
            future.value = value
            future.tell(Event(future.task, "result", value))
            return
        future = slot.pop()
        if kind == DONE:
            future.tell(Event(future.task, "done"))
            future.finish(future.value)
        elif kind == FAILED:
            future.tell(Event(future.task, "lost", f"{type(value).__name__}: {value}"))
            future.finish(error=value)
        elif kind == STOPPED and not future.done():  # it has given way
            self._put(future)

    def _lose(self, slot: Slot, reason: str, *, may_retry: bool = True) -> None:
        """Ends a process whose task gets no further; the task is tried again, or lost."""
        slot.kill()
        slot.reaper = None
        if slot.future is None:
            return
        future = slot.pop()
        slot.last = None
        future.losses += 1
        if may_retry and future.losses < self._tries:
            self._put(future)
        else:
            slot.is_retired = not self._replace
            future.tell(Event(future.task, "lost", reason, may_retry))
            future.finish(error=self._closed or SilhouetteError(WORKER_LOST))

    def _begin(self, slot: Slot, future: TaskFuture) -> None:
        slot.future = future
        future.is_giving_way = False
        try:
            slot.begin()
        except Exception as error:  # of a content that cannot be made
            slot.pop().finish(error=error)
            return
        if future.done():  # cancelled before it was sent
            slot.stop(future)

    def _can_do(self, slot: Slot, task: Any) -> bool:
        """Whether its process is there, and has what a task requires."""
        if slot.worker is None or not (slot.worker.is_alive() or not self._replace):
            return False
        return self._required(task) <= slot.loaded

    def _required(self, task: Any) -> Requirements:
        return NO_REQUIREMENTS if self._requirements is None else self._requirements(task) - self._unshared

    def _order(self, slot: Slot, required: Requirements, task: Any) -> None:
        """Has a process started that has loaded what a task requires."""
        previous = slot.worker.server if isinstance(slot.worker, ForkedWorker) else None
        slot.kill()
        if required:
            self._server_for(required, previous).orders.append(Order(slot, required, task))
            slot.is_ordered = True
        else:
            slot.assign(start_worker(self._start, slot.number), NO_REQUIREMENTS)

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

    def _advance_servers(self) -> bool:
        """Stops fork servers that are not used, drops those that have died, and sends the others their next request.

        True if any was dropped, and with it what it was asked for.
        """
        dropped = False
        for server in list(self._servers):
            if not self._is_used(server):
                self._servers.remove(server)
                server.stop()
            elif not server.is_busy and not server.is_alive():
                self._drop(server)
                dropped = True
        for server in self._servers:
            server.send_next_request()
        return dropped

    def _handle(self, server: ForkServer, kind: str, slot: Slot | None, value: Any) -> None:
        """What follows from the answer of a fork server, or from its death."""
        if kind == "forked":
            assert slot is not None
            slot.assign(value, server.loaded)
        elif kind == "reaped" and slot is not None:
            self._lose(slot, exit_in_words(value))
        elif kind == "died":
            self._unshared = self._unshared.union(*(order.requirements for order in server.orders))
            self._drop(server)
        elif value == "unshared":
            self._requirements = None
            self._drop(server)

    def _drop(self, server: ForkServer) -> None:
        """Goes on without a fork server: slots that waited for it get a worker elsewhere."""
        self._servers.remove(server)
        server.stop()
        for order in server.orders:
            order.slot.is_ordered = False
            self._order(order.slot, self._required(order.task), order.task)
        for slot in self._slots:
            if slot.reaper is server:
                self._lose(slot, exit_in_words(None))


Item = TypeVar("Item")
Result = TypeVar("Result")


def parallel_map(function: Callable[[Item], Result], items: Sequence[Item], workers: int) -> Iterator[Result]:
    """Yields ``function(item)`` for each item, in the order of the items.

    The work is done by processes forked from this one, which end with the iterator. Each takes the next item as soon as
    it is free. Where this process cannot be forked (see `silhouette.workers.starting.start_method`), and for one worker
    or one item, it does the work itself, with the same results.

    The function may be any closure; its results must be what pickle can carry, and wait in memory for their turn.

    Raises:
        SilhouetteError: where a worker process ends without a result; the results before that item are yielded first.
        Exception: the error that ``function`` raises, after the results before that item.

    >>> from fractions import Fraction
    >>> list(parallel_map(lambda share: share * 2, [Fraction(1, 3), Fraction(1, 2)], workers=2))
    [Fraction(2, 3), Fraction(1, 1)]
    """
    workers = min(workers, len(items))
    if workers < 2 or starting.start_method() != "fork":
        yield from map(function, items)
        return

    def work(index: int) -> Iterator[Result]:
        yield function(items[index])

    with WorkerPool(lambda: work, workers, replace=False) as pool:
        futures = deque(pool.submit(index) for index in range(len(items)))
        while futures:
            yield pool.result(futures.popleft())
