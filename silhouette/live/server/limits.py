"""How much a client of the live table may ask for, hold open and leave unread."""

from __future__ import annotations

from dataclasses import dataclass

MIB = 2**20


@dataclass(frozen=True)
class Limits:
    """What the server bears; times in seconds, sizes in bytes.

    Attributes:
        clients: that are served at the same time; others are refused.
        newcomers: connections that have not shown a token yet. Where there are more, the oldest gives way, so that who
            opens many and says nothing keeps nobody out.
        head: that a connection may send before it has shown a token.
        handshake: from the first byte until the file is sent, or the WebSocket open.
        token: from the open WebSocket until the token.
        message: the largest text message.
        rate: requests of one client in a second, on average; a long one counts as several.
        burst: requests of one client at once.
        overrun: for how long a client may go on asking for more than that before it is closed; it is slowed down first.
        in_flight: requests of one client that are answered at the same time; further ones wait.
        unsent: what may wait for a client that does not read.
        stalled: for how long a client may read nothing while something waits for it.
        nonsense: messages that are no requests, until the client is closed.
        chunk: the largest piece of a file that is handed over.
        file: the largest file that is handed over.
        files: all files that are handed over, together.
        pause: between two pieces of such a file.
        closing: for a client to end its connection when it is told to.
        farewell: for all clients to do so when the server ends.
    """

    clients: int = 16
    newcomers: int = 64
    head: int = 2**16
    handshake: float = 10.0
    token: float = 5.0
    message: int = MIB
    rate: float = 240.0
    burst: float = 480.0
    overrun: float = 5.0
    in_flight: int = 64
    unsent: int = 32 * MIB
    stalled: float = 10.0
    nonsense: int = 8
    chunk: int = MIB // 4
    file: int = 512 * MIB
    files: int = 4096 * MIB
    pause: float = 30.0
    closing: float = 5.0
    farewell: float = 0.4


COUNTS_ONCE = 2**16
"""The bytes of a message that count as one request."""


class Allowance:
    """How many requests a client has left: so many at once, and so many more every second.

    >>> allowance = Allowance(Limits(rate=10.0, burst=2.0, overrun=1.0), now=0.0)
    >>> [allowance.wait(100, now=0.0) for _ in range(3)]
    [0.0, 0.0, 0.1]
    >>> allowance.wait(100, now=5.0)
    0.0
    """

    def __init__(self, limits: Limits, now: float) -> None:
        self._limits = limits
        self._left = limits.burst
        self._at = now
        self._over_since: float | None = None

    def wait(self, size: int, now: float) -> float:
        """Takes the share of a message of so many bytes, and gives the seconds to wait before it is answered."""
        limits = self._limits
        self._left = min(self._left + (now - self._at) * limits.rate, limits.burst)
        self._at = now
        if self._left >= min(limits.burst, limits.rate) / 2:
            self._over_since = None
        self._left -= 1.0 + size // COUNTS_ONCE
        if self._left >= 0.0:
            return 0.0
        if self._over_since is None:
            self._over_since = now
        return -self._left / limits.rate

    def is_overrun(self, now: float) -> bool:
        """Whether the client has been slowed down for longer than it may be, and goes on all the same."""
        return self._over_since is not None and now - self._over_since > self._limits.overrun
