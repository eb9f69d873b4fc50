"""A clock for timeouts, which stands still while this process is stopped."""

from __future__ import annotations

import time

CLOCK_INTERVAL_S = 0.5
"""Seconds between two looks at the clock, at most, as long as this process runs and waits for something."""

# Seconds between two looks from which on this process was stopped, as by Ctrl-Z, and not merely slow.
MAX_CLOCK_GAP_S = 2.0
NEVER = float("inf")  # a time that no clock reaches


class RunningClock:
    """The seconds that this process has been running, for deadlines.

    Whoever uses it looks at it at least every `CLOCK_INTERVAL_S` seconds. A gap of more than `MAX_CLOCK_GAP_S` seconds
    between two looks means that the process was stopped, or that the computer slept: such a gap does not count.

    >>> clock = RunningClock()
    >>> 0.0 <= clock.now() <= clock.now()
    True
    """

    def __init__(self) -> None:
        self._now = 0.0
        self._looked = time.monotonic()

    def now(self) -> float:
        """The seconds that count, since the clock was made."""
        looked = time.monotonic()
        gap, self._looked = looked - self._looked, looked
        if gap <= MAX_CLOCK_GAP_S:
            self._now += gap
        return self._now
