"""How long something may take: loops that can be slow ask before each round whether there is time left.

What counts is the time that the processor spends on the thread: on a busy machine, or while it waits, no work takes
longer. The limit belongs to the thread that sets it: another thread, or another process, has its own, or none.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager


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
    silhouette.common.time_limit.OutOfTime
    >>> go_on()
    """
    before = _limit.until
    _limit.until = min(before, time.thread_time() + seconds)
    try:
        yield
    finally:
        _limit.until = before


def go_on() -> None:
    """Does nothing as long as there is time left, or no limit.

    Raises:
        OutOfTime: where there is none left.
    """
    if time.thread_time() > _limit.until:
        raise OutOfTime
