"""A place for one worker process of a pool, and the tasks that are given to it."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.reduction import ForkingPickler
from typing import Any, Literal

from silhouette.common.lazy import LRU
from silhouette.workers.clock import NEVER, RunningClock
from silhouette.workers.content import CONTENT_ROOM, Content
from silhouette.workers.forkserver import NO_REQUIREMENTS, ForkedWorker, ForkServer, Requirements
from silhouette.workers.process import STOP, ChildProcess

Worker = ChildProcess | ForkedWorker  # a process that does tasks: started by this one, or by a fork server


@dataclass(frozen=True)
class Event:
    """A result of a task, or its end."""

    task: Any
    # "result", with a value that the worker yielded; "done"; or "lost", with the reason in words: the task got no
    # further
    kind: Literal["result", "done", "lost"]
    value: Any = None
    # Whether a lost task may be tried again: its process ended, which need not be the fault of the task, as when the
    # system is out of memory. A task that took too long would do so again.
    may_retry: bool = False


class TaskFuture(Future[Any]):
    """What a task will give: the last value that its work yields, or the error that it meets.

    It stays pending, in the sense of `concurrent.futures`, until it is done: so it can be cancelled in the middle.

    Attributes:
        tell: is called with each `Event` of the task.
        losses: the number of processes that ended over it.
        is_giving_way: whether its process was told to stop for a more urgent one.
    """

    def __init__(
        self,
        task: Any,
        contents: Mapping[str, Content] | None = None,
        urgency: int = 0,
        tell: Callable[[Event], None] | None = None,
    ) -> None:
        super().__init__()
        self.task, self.contents, self.urgency = task, contents or {}, urgency
        self.tell = tell or (lambda event: None)
        self.number = self.losses = 0
        self.is_giving_way = False
        self.value: Any = None

    def finish(self, value: Any = None, error: BaseException | None = None) -> None:
        """Ends it with a value or an error, unless it was cancelled."""
        with suppress(InvalidStateError):
            if error is None:
                self.set_result(value)
            else:
                self.set_exception(error)


def exit_in_words(status: int | None) -> str:
    """The reason why a task was lost, from the exit status of its process; below 0 that is a signal.

    >>> exit_in_words(None), exit_in_words(-99)
    ('the process that was at it ended', 'the process that was at it ended (killed by signal 99)')
    >>> exit_in_words(3), exit_in_words(-9)  # doctest: +ELLIPSIS
    ('the process that was at it ended (exit status 3)', 'the process ... (killed by SIGKILL)')
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


class Slot:
    """A place for one worker process: started when there is a task, replaced when it is lost.

    Invariants: ``sent`` has what the process keeps, and is empty without one. ``running`` is ``future`` from when it is
    sent until its last message is read. The pipe is written to, and closed, with the lock alone, since
    a task may be cancelled from any thread; all else is changed by whoever drives the pool.

    Attributes:
        is_ordered: whether a fork server is to fork the process.
        reaper: the fork server that is to send the exit status of the process, which has ended; else None.
        future: of the task that it is doing, or that waits until there is a process for it.
        running: of the task that its process has been sent and is doing; read from any thread.
        deadline: the time by which its next message must come, on the clock of the pool.
        is_retired: whether its process has died without a successor.
    """

    def __init__(self, number: int, clock: RunningClock, timeout: float | None) -> None:
        self.number, self._clock, self._timeout = number, clock, timeout
        self.lock = threading.Lock()
        self.worker: Worker | None = None
        self.running: TaskFuture | None = None
        self.sent = LRU[None](CONTENT_ROOM)
        self.loaded: Requirements = NO_REQUIREMENTS
        self.reset()

    def reset(self) -> None:
        """As at first, without a process."""
        self.is_ordered = self.is_retired = False
        self.reaper: ForkServer | None = None
        self.future: TaskFuture | None = None
        self.last: Any = None
        self.deadline = NEVER

    @property
    def pipe(self) -> Any:
        """The pipe to its process."""
        assert self.worker is not None
        return self.worker.pipe

    @property
    def is_busy(self) -> bool:
        """Whether its process is doing a task."""
        return self.worker is not None and self.future is not None

    @property
    def is_free(self) -> bool:
        """Whether it has no task, and may be given one."""
        return not (self.future or self.is_ordered or self.reaper or self.is_retired)

    @property
    def current(self) -> TaskFuture:
        """That of its task, which there is."""
        assert self.future is not None
        return self.future

    def is_stopped(self) -> bool:
        """Whether its process is stopped by a signal, so that time does not count."""
        return self.worker is not None and self.worker.is_stopped()

    def assign(self, worker: Worker, loaded: Requirements) -> None:
        """Takes a process, which begins with the task, if there is one."""
        self.worker, self.loaded, self.is_ordered = worker, loaded, False
        if self.future is not None:
            self.begin()

    def begin(self) -> None:
        """Sends the process its task, with those of its contents that it lacks; what cannot be packed comes first.

        Raises Exception, that which the making of a content meets, or the packing of the task; then nothing is sent.
        """
        self._restart_clock()
        future = self.current
        contents = {digest: content for digest, content in future.contents.items() if digest not in self.loaded}
        new = {digest: content.make() for digest, content in contents.items() if digest not in self.sent}
        sent = self.sent.copy()
        for digest, content in contents.items():
            if digest in new:
                sent.put(digest, None, len(new[digest]) + content.extra)
            else:
                sent.touch(digest)
        message = ForkingPickler.dumps((future.task, new, list(sent.trim(keep=contents))))
        self.sent = sent
        with self.lock, suppress(OSError):  # it has died, which is noticed when something is read from it
            self.running = future
            self.pipe.send_bytes(message)

    def stop(self, future: TaskFuture) -> None:
        """Has the process stop if this is what it does; called from any thread."""
        if self.running is not future:  # without the lock, which a long message to another process may hold
            return
        with self.lock, suppress(OSError):
            if self.worker is not None and self.running is future:
                self.pipe.send(STOP)

    def _restart_clock(self) -> None:
        self.deadline = NEVER if self._timeout is None else self._clock.now() + self._timeout

    def receive(self) -> tuple[str, Any] | None:
        """The message of its process; called when the pipe is readable or broken.

        None if the process has ended and its exit status is not known yet; ("lost", status) if it is.
        """
        with suppress(EOFError, OSError):
            kind, value = self.pipe.recv()
            self._restart_clock()
            return kind, value
        worker = self.worker
        if isinstance(worker, ForkedWorker):
            with self.lock:
                self.worker, self.reaper = None, worker.server
                worker.close()
            worker.server.reap(worker.pid, self)
            return None
        assert isinstance(worker, ChildProcess)
        return "lost", worker.wait()

    def pop(self) -> TaskFuture:
        """The task that is done, or lost."""
        future = self.current
        with self.lock:
            self.future = self.running = None
        self.last = future.task
        return future

    def kill(self) -> None:
        """Ends the process, whatever it is doing."""
        with self.lock:
            if self.worker is not None:
                self.worker.kill()
            self.worker, self.running, self.sent = None, None, LRU(CONTENT_ROOM)
