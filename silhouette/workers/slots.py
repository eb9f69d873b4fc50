"""A place for one worker process of a pool, and what becomes of the tasks that are given to it."""

from __future__ import annotations

import signal
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

from silhouette.workers.clock import NEVER, RunningClock
from silhouette.workers.forkserver import ForkedWorker, ForkServer, Requirements
from silhouette.workers.process import DONE, ChildProcess, Worker


@dataclass(frozen=True)
class Event:
    """A result of a task, or its end.

    Attributes:
        task: the task.
        kind: "result", with a value that the worker yielded; "done"; or "lost", with the reason in words: the task got
            no further.
        value: the value that ``kind`` names.
        may_retry: whether a lost task may be tried again: its process ended, which need not be the fault of the task,
            as where the system is out of memory. A task that took too long would do so again.
    """

    task: Any
    kind: Literal["result", "done", "lost"]
    value: Any = None
    may_retry: bool = False


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


class Slot:
    """A place for one worker process: started when there is a task, replaced when it is lost.

    Attributes:
        worker: the process, if there is one.
        loaded: the requirements that it has in memory.
        reaper: the fork server that is to send the exit status of the process, which has ended; else None.
        task: the task that it is doing, or that waits until there is a process for it.
        ahead: the task that its process was given for when it has done this one; done by the next, where it is lost.
        last: the task before.
        deadline: the time by which its next message must come, on the clock of the pool.
        is_retired: whether its process has died without a successor.
    """

    def __init__(self, clock: RunningClock, timeout: float | None) -> None:
        self._clock = clock
        self._timeout = timeout
        self.worker: Worker | None = None
        self.loaded: Requirements = frozenset()
        self.reaper: ForkServer | None = None
        self.task: Any = None
        self.ahead: Any = None
        self.last: Any = None
        self.deadline = NEVER
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

    def is_stopped(self) -> bool:
        """Whether its process is stopped, so that time does not count."""
        return self.worker is not None and self.worker.is_stopped()

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

    def send_ahead(self, task: Any) -> None:
        """Sends a task to the process for when it has done the one that it is at."""
        self.ahead = task
        with suppress(OSError):  # as in `begin`
            self.pipe.send(task)

    def _restart_clock(self) -> None:
        self.deadline = NEVER if self._timeout is None else self._clock.now() + self._timeout

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
            self.task, self.ahead, self.last = self.ahead, None, task
            self._restart_clock()
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
        return self.lose_process(worker.wait())

    def time_out(self) -> Event:
        """The event of a task whose next result has taken too long."""
        return self._lose(f"not done within {self._timeout:g} s, the --timeout", may_retry=False)

    def lose_process(self, status: int | None) -> Event:
        """The event of a task whose process has ended, with that exit status if it is known."""
        return self._lose(_exit_in_words(status), may_retry=True)

    def _lose(self, reason: str, *, may_retry: bool) -> Event:
        """The event of a task that gets no further; its process is ended."""
        task = self.task
        self.kill()
        self.task, self.last, self.reaper = None, None, None
        return Event(task, "lost", reason, may_retry)

    def kill(self) -> None:
        """Ends the process, whatever it is doing."""
        if self.worker is not None:
            self.worker.kill()
            self.worker = None
