"""The connections of the server, from their first byte: those that have not shown a token yet are few and short."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

from websockets.asyncio.server import ServerConnection

from silhouette.live.server.limits import Limits

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
