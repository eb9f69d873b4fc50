"""The limits of connections: how many there are, and how much a client may ask for, hold open and leave unread."""

from __future__ import annotations

import asyncio
import socket
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from websockets.asyncio.server import ServerConnection

from silhouette.common.text import json_text

# ---- connections

NOT_GET = (
    b"HTTP/1.1 405 Method Not Allowed\r\nAllow: GET\r\nContent-Length: 0\r\nConnection: close\r\n"
    b"X-Content-Type-Options: nosniff\r\n\r\n"
)
"""The answer to other methods, given before their body, which websockets would not read."""


class Connections:
    """All connections of a server, and which of them have shown no token yet, the oldest first."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._all: set[CountedConnection] = set()
        self._newcomers: dict[CountedConnection, None] = {}

    def begin(self, connection: CountedConnection) -> None:
        """A connection begins; where too many have shown no token, the oldest of them ends."""
        self._all.add(connection)
        self._newcomers[connection] = None
        if len(self._newcomers) > self.limits.newcomers:
            oldest = next(iter(self._newcomers))
            del self._newcomers[oldest]
            oldest.drop()

    def is_new(self, connection: CountedConnection) -> bool:
        """Whether it has shown no token yet."""
        return connection in self._newcomers

    def welcome(self, connection: CountedConnection) -> None:
        """A connection has shown its token."""
        self._newcomers.pop(connection, None)

    def forget(self, connection: CountedConnection) -> None:
        """A connection has ended."""
        self._all.discard(connection)
        self._newcomers.pop(connection, None)

    async def end(self) -> None:
        """Ends all connections when they have had a moment to say farewell."""
        waiting = [asyncio.ensure_future(connection.wait_closed()) for connection in self._all]
        if waiting:
            await asyncio.wait(waiting, timeout=self.limits.farewell)
        for connection in list(self._all):
            connection.drop()
        await asyncio.gather(*waiting)


class CountedConnection(ServerConnection):
    """A connection that is counted, and that ends when it sends too much before its token."""

    def __init__(self, connections: Connections, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.limits = connections.limits
        self._connections = connections
        self._received = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """See `asyncio.Protocol`."""
        super().connection_made(transport)
        # asyncio leaves it to sockets that name their protocol; without it a short message waits 40 ms behind another.
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, True)
        self._connections.begin(self)

    def data_received(self, data: bytes) -> None:
        """See `asyncio.Protocol`."""
        if self._connections.is_new(self):
            if not self._received and not b"GET ".startswith(data[:4]):
                self.transport.write(NOT_GET)
                self.transport.close()
                return
            self._received += len(data)
            if self._received > self.limits.head:
                self.drop()
                return
        super().data_received(data)

    def connection_lost(self, error: Exception | None) -> None:
        """See `asyncio.Protocol`."""
        self._connections.forget(self)
        super().connection_lost(error)

    def drop(self) -> None:
        """Ends the connection at once, whatever waits to be sent."""
        if not self.connection_lost_waiter.done():  # a transport that is closed raises where it is aborted
            self.transport.abort()

    async def dismiss(self, code: int, reason: str) -> None:
        """Closes the WebSocket; one whose client does not read ends without the closing handshake."""
        try:
            async with asyncio.timeout(self.limits.closing):
                await self.close(code, reason)
        except TimeoutError:
            self.drop()


# ---- what a client may do

MIB = 2**20


@dataclass(frozen=True)
class Limits:
    """What the server bears; times in seconds, sizes in bytes."""

    clients: int = 16  # that are served at the same time; others are refused
    # Connections that have not shown a token yet. Where there are more, the oldest gives way, so that who opens many
    # and says nothing keeps nobody out.
    newcomers: int = 64
    head: int = 2**16  # that a connection may send before it has shown a token
    handshake: float = 10.0  # from the first byte until the file is sent, or the WebSocket open
    token: float = 5.0  # from the open WebSocket until the token
    message: int = MIB  # the largest text message
    rate: float = 240.0  # requests of one client in a second, on average; a long one counts as several
    burst: float = 480.0  # requests of one client at once
    # For how long a client may go on asking for more than that before it is closed; it is slowed down first
    overrun: float = 5.0
    in_flight: int = 64  # requests of one client that are answered at the same time; further ones wait
    unsent: int = 32 * MIB  # what may wait for a client that does not read
    stalled: float = 10.0  # for how long a client may read nothing while something waits for it
    nonsense: int = 8  # messages that are no requests, until the client is closed
    chunk: int = MIB // 4  # the largest piece of a file that is handed over
    file: int = 512 * MIB  # the largest file that is handed over
    files: int = 4096 * MIB  # all files that are handed over, together
    pause: float = 30.0  # between two pieces of such a file
    closing: float = 5.0  # for a client to end its connection when it is told to
    farewell: float = 0.4  # for all clients to do so when the server ends


COUNTS_ONCE = 2**16  # the bytes of a message that count as one request


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


# ---- what waits to be sent

DATED = frozenset({"results", "edited"})
"""The events that nobody wants any more when there is one of the same kind about a later pose."""

OVERHEAD = 200  # the bytes that a message takes besides its text


@dataclass
class _Message:
    text: str | None
    size: int


class Outbox:
    """The messages of one client. Putting one in never waits: who does not read delays nobody else."""

    def __init__(self, connection: CountedConnection, limits: Limits) -> None:
        self._connection = connection
        self._limits = limits
        self._waiting: deque[_Message] = deque()
        self._dated: dict[str, tuple[int, list[_Message]]] = {}
        self._unsent = 0
        self._is_any = asyncio.Event()

    def put(self, content: Mapping[str, Any]) -> None:
        """Adds a message; events about earlier poses that it replaces go, and so does a client that left too much."""
        kind, pose = content.get("event"), content.get("pose")
        text = encoded(content)
        message = _Message(text, len(text) + OVERHEAD)
        if kind in DATED and isinstance(pose, int) and not self._is_of_the_latest_pose(str(kind), pose, message):
            return
        self._waiting.append(message)
        self._unsent += message.size
        self._is_any.set()
        if self._unsent > self._limits.unsent:
            self._connection.drop()

    async def pour(self) -> None:
        """Sends what is put in, until it is cancelled or the connection ends."""
        while True:
            await self._is_any.wait()
            message = self._waiting.popleft()
            if not self._waiting:
                self._is_any.clear()
            self._unsent -= message.size
            text, message.text = message.text, None
            if text is not None and not await self._is_sent(text):
                self._connection.drop()
                return

    async def _is_sent(self, text: str) -> bool:
        """Sends a message; gives False where the client reads nothing of it for too long. A slow one may take long."""
        sending = asyncio.create_task(self._connection.send(text))
        try:
            await asyncio.sleep(0)
            while True:
                left = self._connection.transport.get_write_buffer_size()
                await asyncio.wait([sending], timeout=self._limits.stalled)
                if sending.done():
                    sending.result()
                    return True
                if self._connection.transport.get_write_buffer_size() >= left:
                    return False
        finally:
            sending.cancel()
            await asyncio.gather(sending, return_exceptions=True)

    def _is_of_the_latest_pose(self, kind: str, pose: int, message: _Message) -> bool:
        """Whether no event of its kind is about a later pose; those about earlier ones are emptied."""
        latest, events = self._dated.get(kind, (pose, []))
        if pose < latest:
            return False
        if pose > latest:
            for event in events:
                self._unsent -= event.size
                event.text, event.size = None, 0
            events = []
        self._dated[kind] = pose, [*(event for event in events if event.text is not None), message]
        return True


def encoded(content: Mapping[str, Any]) -> str:
    """A message as JSON; null in place of numbers that JSON cannot hold.

    >>> encoded({"id": 1, "error": float("nan")})
    '{"id":1,"error":null}'
    """
    return json_text(content, separators=(",", ":"))
