"""How long something may take: loops that can be slow ask before each round whether there is time left.

The limit belongs to the context that sets it: another thread, or another process, has its own, or none.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_until: ContextVar[float] = ContextVar("until", default=float("inf"))
"""When there is no time left, by the monotonic clock."""


class OutOfTime(Exception):
    """What was asked for takes longer than it may. Whoever sets a limit catches this, and says what took so long."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """What is done inside may take so many seconds, and no longer than a limit round this one allows.

    >>> with time_limit(-1.0):
    ...     go_on()
    Traceback (most recent call last):
    ...
    silhouette.time_limit.OutOfTime
    >>> go_on()
    """
    before = _until.set(min(_until.get(), time.monotonic() + seconds))
    try:
        yield
    finally:
        _until.reset(before)


def go_on() -> None:
    """Does nothing as long as there is time left, or no limit.

    Raises:
        OutOfTime: where there is none left.
    """
    if time.monotonic() > _until.get():
        raise OutOfTime
