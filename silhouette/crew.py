"""MANY: worker processes that are given one task after another. One that dies or dawdles costs its task, nothing else.

tasks -> processes, each with a pipe -> messages, as they come -> done, or lost with the reason
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, Literal

from silhouette.workers import forks_safely

Work = Callable[[Any], Iterator[Any]]
"""Does a task, and yields what is to be told of it, as it goes on."""

Next = Callable[[Any], Any]
"""The next task for a process whose last one is given (None at first); None where there is none for now."""

ORPHANED = 1.0
"""Seconds after which a process looks again whether there is still anybody to work for."""

_DONE = "done"


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


class Crew:
    """So many processes, each made ready once by ``start()``, which gives the function that does a task.

    They are forked where that is safe, and share what is in memory; else ``start`` must be what pickle can carry.
    Used as a context: at its end all processes are gone, whatever they were at.

    >>> from functools import partial
    >>> start = partial(partial, range)  # its tasks are numbers; range yields what is told of them
    >>> tasks = [2]
    >>> with Crew(start, workers=1) as crew:
    ...     events = list(crew.events(lambda last: tasks.pop() if tasks else None))
    >>> [(event.kind, event.value) for event in events]
    [('told', 0), ('told', 1), ('done', None)]
    """

    def __init__(self, start: Callable[[], Work], workers: int, patience: float | None = None) -> None:
        self._hands = [_Hand(start, patience) for _ in range(workers)]

    def __enter__(self) -> Crew:
        return self

    def __exit__(self, *_: object) -> None:
        for hand in self._hands:
            hand.dismiss()

    def events(self, next_task: Next) -> Iterator[Event]:
        """Everything that happens until no process is at work and there is no task left."""
        while True:
            for hand in self._hands:
                if hand.task is None:
                    hand.take(next_task(hand.last))
            busy = [hand for hand in self._hands if hand.task is not None]
            if not busy:
                return
            ready = wait([hand.pipe for hand in busy], _seconds_until(min(hand.deadline for hand in busy)))
            for hand in busy:
                if hand.pipe in ready:
                    yield hand.heard()
                elif hand.deadline <= time.monotonic() and not hand.pipe.poll():
                    yield hand.gave_up()


def _seconds_until(deadline: float) -> float | None:
    return None if deadline == float("inf") else max(0.0, deadline - time.monotonic())


class _Hand:
    """One process, hired when there is something to do, and another in its place when it is lost."""

    pipe: Connection

    def __init__(self, start: Callable[[], Work], patience: float | None) -> None:
        self._start = start
        self._patience = patience
        self._process: BaseProcess | None = None
        self.task: Any = None
        self.last: Any = None
        self.deadline = float("inf")

    def _hire(self) -> None:
        self.dismiss()
        forks = forks_safely()
        context = multiprocessing.get_context("fork" if forks else "spawn")
        self.pipe, far = context.Pipe()
        near = self.pipe if forks else None
        process = context.Process(  # type: ignore[attr-defined]
            target=_serve, args=(far, near, os.getpid(), self._start), daemon=True
        )
        with warnings.catch_warnings():
            # Other threads draw the progress, and hold no lock that a worker takes.
            warnings.filterwarnings("ignore", "This process .* is multi-threaded", DeprecationWarning)
            process.start()
        self._process = process
        far.close()

    def take(self, task: Any) -> None:
        """Begins a task; None leaves it idle."""
        self.task = task
        if task is None:
            return
        if self._process is None or not self._process.is_alive():
            self._hire()
        self._wait_again()
        try:
            self.pipe.send(task)
        except OSError:  # it is found to be dead when it is next listened to
            return

    def _wait_again(self) -> None:
        self.deadline = float("inf") if self._patience is None else time.monotonic() + self._patience

    def heard(self) -> Event:
        """What it tells, now that there is something to read, or nothing will come any more."""
        task = self.task
        try:
            kind, value = self.pipe.recv()
        except (EOFError, OSError):
            return self._lost(f"the process that was at it ended ({self._ending()})")
        if kind == _DONE:
            self.task, self.last = None, task
            return Event(task, "done")
        self._wait_again()
        return Event(task, "told", value)

    def gave_up(self) -> Event:
        """What to say of a task that has not got on for too long."""
        return self._lost(f"not done within {self._patience:g} s, the --timeout")

    def _lost(self, why: str) -> Event:
        task = self.task
        self.dismiss()
        self.task, self.last = None, None
        return Event(task, "lost", why)

    def _ending(self) -> str:
        assert self._process is not None
        self._process.join()
        status = self._process.exitcode
        if status is None or status >= 0:
            return f"exit status {status}"
        try:
            return f"killed by {signal.Signals(-status).name}"
        except ValueError:
            return f"killed by signal {-status}"

    def dismiss(self) -> None:
        """Ends the process, whatever it is at."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._process.close()
            self.pipe.close()
            self._process = None


def _serve(pipe: Connection, near: Connection | None, parent: int, start: Callable[[], Work]) -> None:
    """What a process does all its life. Ctrl-C is for the one that hired it, and whose death is its end as well.

    A forked process holds copies of its elder siblings' pipes, so that no pipe breaks when the parent dies.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    if near is not None:
        near.close()
    work = start()
    try:
        while True:
            for told in work(pipe.recv()):
                pipe.send(("told", told))
            pipe.send((_DONE, None))
    except (EOFError, OSError):
        return


def _end_with(parent: int) -> None:
    """Ends this process, whatever it is at, soon after its parent."""
    while os.getppid() == parent:
        time.sleep(ORPHANED)
    os._exit(1)
