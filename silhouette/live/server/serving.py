"""The server of the live table: files and WebSockets of one page, on sockets that listen already."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from pathlib import Path
from types import TracebackType
from typing import Any, Self, cast

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from silhouette.common.version import VERSION
from silhouette.errors import RequestError
from silhouette.live.server.client import Answering, Client, Tell, decoded
from silhouette.live.server.connections import Connections, CountedConnection, Limits
from silhouette.live.server.files import PageFile
from silhouette.live.server.gate import Door, Refusal, security_headers
from silhouette.live.server.hand_over import HandOver, Received

WRONG_TOKEN, BUSY, GOING = 4401, 1013, 1001
"""The codes that close a connection: without a token, where there are too many, and when the server ends."""

TOO_MANY = "The live table is open in too many places; close one of them."


class TableServer:
    """Serves a page and the sessions of those who open it, from ``async with`` until its end.

    Args:
        doors: where it listens; it closes them at its end.
        start: starts the session of one client, given what tells it of events.
        files: of the page, by their paths.
        scans: gives the scene's folder; and what happens with a file that is handed over. None where none are taken.
        limits: what it bears.
    """

    def __init__(
        self,
        doors: Sequence[Door],
        start: Callable[[Tell], Answering],
        files: Mapping[str, PageFile],
        *,
        scans: tuple[Callable[[], Path], Received] | None = None,
        limits: Limits | None = None,
    ) -> None:
        self._doors = doors
        self._start = start
        self._files = files
        self._limits = limits or Limits()
        self._hand_over = HandOver(*scans, self._limits, self._tell_all) if scans else None
        self._connections = Connections(self._limits)
        self._clients = set[Client]()
        self._servers: list[Server] = []

    async def __aenter__(self) -> Self:
        for door in self._doors:
            self._servers.append(await self._serving(door))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        """Tells the clients that it ends, waits a moment for them, and ends all the same."""
        for server in self._servers:
            server.close(code=GOING, reason="The live table has ended.")
        await self._connections.end()
        for server in self._servers:
            await server.wait_closed()
        if self._hand_over is not None:
            await self._hand_over.close()

    async def _serving(self, door: Door) -> Server:
        limits = self._limits

        def asked(connection: ServerConnection, request: Request) -> Response | None:
            return self._asked(door, request)

        def answered(connection: ServerConnection, request: Request, response: Response) -> None:
            host = request.headers.get_all("Host")
            for name, value in security_headers(host[0] if host[:1] and host[0] in door.hosts else None).items():
                response.headers[name] = value

        return await serve(
            lambda connection: self._serve(door, connection),
            sock=door.listening,
            process_request=asked,
            process_response=answered,
            compression=None,
            server_header=None,
            open_timeout=limits.handshake,
            close_timeout=limits.closing,
            max_size=limits.message,
            max_queue=4,
            create_connection=cast(type[ServerConnection], partial(CountedConnection, self._connections)),
        )

    def _asked(self, door: Door, request: Request) -> Response | None:
        answer = door.answer(request, self._files)
        if answer is None and len(self._clients) >= self._limits.clients:
            answer = Refusal(HTTPStatus.SERVICE_UNAVAILABLE, TOO_MANY)
        if answer is None:
            return None
        if isinstance(answer, PageFile):
            response = _response(HTTPStatus.OK, answer.type, answer.content)
            if answer.links:
                response.headers["Link"] = answer.links
            return response
        body = b"" if request.method == "HEAD" else f"{answer.words}\n".encode()
        response = _response(answer.status, "text/plain; charset=utf-8", body)
        if answer.status is HTTPStatus.METHOD_NOT_ALLOWED:
            response.headers["Allow"] = "GET"
        return response

    async def _serve(self, door: Door, connection: ServerConnection) -> None:
        """One WebSocket, from its opening to its end."""
        assert isinstance(connection, CountedConnection)
        with suppress(ConnectionClosed):
            token = await self._token(connection)
            is_lasting = isinstance(token, str) and token in door.roles
            role = door.role_of(token)
            if role is None:
                await connection.dismiss(
                    WRONG_TOKEN, "This is not the address that silhouette table printed last; open that one."
                )
                return
            if len(self._clients) >= self._limits.clients:
                await connection.dismiss(BUSY, TOO_MANY)
                return
            self._connections.welcome(connection)
            client = Client(connection, role, self._limits, self._start, self._hand_over)
            self._clients.add(client)
            try:
                lasting = {} if is_lasting else {"token": door.token_of(role)}
                await client.serve({"event": "welcome", "version": VERSION, "role": role, **lasting})
            finally:
                self._clients.discard(client)

    def _tell_all(self, event: dict[str, Any]) -> None:
        for client in self._clients:
            client.tell(event)

    async def _token(self, connection: ServerConnection) -> object:
        """The token in the first message; None where there is none, or it does not come in time."""
        with suppress(TimeoutError, RequestError):
            async with asyncio.timeout(self._limits.token):
                first = await connection.recv()
            if isinstance(first, str):
                return decoded(first).get("token")
        return None


def _response(status: HTTPStatus, kind: str, body: bytes) -> Response:
    headers = Headers({"Content-Type": kind, "Content-Length": str(len(body)), "Connection": "close"})
    return Response(status.value, status.phrase, headers, body)
