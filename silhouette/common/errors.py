"""What a user can put right, one kind of error for each; and how long something may take.

    SilhouetteError
    ├── FileError              a scene, model or picture file: missing, unreadable, a wrong key or value
    │   └── MeshError          a mesh file: unknown format, truncated, empty, hostile, meaningless
    ├── RequestError           what was asked for: a name that is not there, a renderer that does not exist
    └── RendererUnavailable    a renderer that cannot run on this machine, and why
        └── DeviceFull         the memory of its device is full

The command line prints any of them as one line, ``error: ...``, and exits with status 2.

What counts against a limit of time is what the processor spends on the thread: on a busy machine, or while it waits, no
work takes longer. The limit belongs to the thread that sets it: another thread, or another process, has its own, or
none.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike, fspath


class SilhouetteError(Exception):
    """The base of everything that a user can put right; its text is one plain line.

    >>> str(SilhouetteError("two lines\\nbecome one"))
    'two lines become one'
    """

    def __str__(self) -> str:
        return " ".join(super().__str__().split())


class FileError(SilhouetteError):
    """A file that cannot be used: says which, what is wrong, and what would be right."""

    def __init__(self, path: str | PathLike[str], problem: str) -> None:
        self.path = fspath(path)
        self.problem = problem
        super().__init__(f"{self.path}: {problem}")

    def __reduce__(self) -> tuple[type[FileError], tuple[str, str]]:
        return type(self), (self.path, self.problem)


class MeshError(FileError):
    """A mesh file that does not hold a mesh on which a verdict could rest."""


class RequestError(SilhouetteError):
    """Something was asked for that is not there, such as a check of a name that no piece has."""


class RendererUnavailable(SilhouetteError):
    """A renderer that cannot run on this machine; the text says why and what would help."""


class DeviceFull(RendererUnavailable):
    """The memory of a device is full; with fewer checks at once it may suffice."""


class WrittenFileWarning(UserWarning):
    """Something about a file that was written which its owner should know, in one plain line that names it."""


# ---- how long something may take


class _Limit(threading.local):
    """Of each thread: when there is no time left, by the clock of the processor's time that it has had."""

    until = float("inf")


_limit = _Limit()


class OutOfTime(Exception):
    """What was asked for takes longer than it may. Whoever sets a limit catches this, and says what took so long."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """What is done inside may take so many seconds of the processor, and no longer than a limit round this one allows.

    >>> with time_limit(-1.0):
    ...     go_on()
    Traceback (most recent call last):
    ...
    silhouette.common.errors.OutOfTime
    >>> go_on()
    """
    before = _limit.until
    _limit.until = min(before, time.thread_time() + seconds)
    try:
        yield
    finally:
        _limit.until = before


def go_on() -> None:
    """Raises OutOfTime where there is a limit and no time left."""
    if time.thread_time() > _limit.until:
        raise OutOfTime
