"""MANY: what a worker process does all its life, and how it is held by the one that gives it tasks.

tasks -> a process with a pipe -> messages, as they come -> done; whatever happens, none outlives who started it
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any, Protocol

from silhouette.workers import forks_safely, unwarned

Work = Callable[[Any], Iterator[Any]]
"""Does a task, and yields what is to be told of it, as it goes on."""

ORPHANED = 1.0
"""Seconds after which a process looks again whether there is still anybody to work for."""

DONE, TOLD = "done", "told"
"""What a message begins with: the task is done, or something of it is told."""


class Worker(Protocol):
    """A process that does tasks, as the one that gives them holds it.

    Attributes:
        pipe: takes tasks, and gives (TOLD, value) or (DONE, None); broken where the process has ended.
    """

    pipe: Connection

    def is_alive(self) -> bool:
        """Whether it still runs."""
        ...

    def dismiss(self) -> None:
        """Ends it, whatever it is at."""
        ...


class ChildWorker:
    """A worker that is a child of this process: forked where that is safe, else started anew.

    Args:
        start: makes it ready, and gives the function that does a task.
    """

    def __init__(self, start: Callable[[], Work]) -> None:
        self.pipe, self._process = child(_begin, start)

    def is_alive(self) -> bool:
        """See `Worker`."""
        return self._process.is_alive()

    def ending(self) -> int | None:
        """Its exit status, now that it ends; below 0 the signal that killed it."""
        self._process.join()
        return self._process.exitcode

    def dismiss(self) -> None:
        """See `Worker`."""
        self._process.kill()
        self._process.join()
        self._process.close()
        self.pipe.close()


def child(target: Callable[[Connection, Any], None], word: Any) -> tuple[Connection, BaseProcess]:
    """A process that does ``target(pipe, word)`` and ends with this one; and the other end of the pipe.

    It is forked where that is safe; else ``target`` and ``word`` must be what pickle can carry.
    """
    forks = forks_safely()
    context = multiprocessing.get_context("fork" if forks else "spawn")
    pipe, far = context.Pipe()
    words = far, pipe if forks else None, os.getpid(), target, word
    process = context.Process(target=_live, args=words, daemon=True)  # type: ignore[attr-defined]
    with unwarned():
        process.start()
    far.close()
    return pipe, process


def _live(
    pipe: Connection, near: Connection | None, parent: int, target: Callable[[Connection, Any], None], word: Any
) -> None:
    """Ctrl-C is for the parent, and whose death is the end of this process as well.

    A forked process holds copies of its elder siblings' pipes, so that no pipe breaks when the parent dies.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    if near is not None:
        near.close()
    target(pipe, word)


def _end_with(parent: int) -> None:
    """Ends this process, whatever it is at, soon after its parent."""
    while os.getppid() == parent:
        time.sleep(ORPHANED)
    os._exit(1)


def _begin(pipe: Connection, start: Callable[[], Work]) -> None:
    serve(pipe, start())


def serve(pipe: Connection, work: Work) -> None:
    """Does the tasks that come through a pipe, until it breaks."""
    try:
        while True:
            for told in work(pipe.recv()):
                pipe.send((TOLD, told))
            pipe.send((DONE, None))
    except (EOFError, OSError):
        return
