"""The server of the live table: files and WebSockets of one page, and one client of it, from its token to its end."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from pathlib import Path
from types import TracebackType
from typing import Any, NoReturn, Self, cast

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from silhouette.common.errors import RequestError
from silhouette.common.installation import VERSION
from silhouette.common.text import as_written, problem
from silhouette.files.confinement import without_folders
from silhouette.live.protocol import Session
from silhouette.live.server.connections import Allowance, Connections, CountedConnection, Limits, Outbox
from silhouette.live.server.gate import LOOKING, Door, PageFile, Refusal, Role, security_headers
from silhouette.live.server.hand_over import HandOver, Received, Tell

POLICY = 1008  # the code that closes a connection which asks for too much, or for nothing that makes sense


class Client:
    """A client that has shown its token; ``start`` makes its session, given what tells it of events."""

    def __init__(
        self,
        connection: CountedConnection,
        role: Role,
        limits: Limits,
        start: Callable[[Tell], Session],
        hand_over: HandOver | None,
    ) -> None:
        self._connection, self._role, self._limits, self._hand_over = connection, role, limits, hand_over
        self._outbox = Outbox(connection, limits)
        self.tell = self._outbox.put
        self._session = start(self.tell)
        self._allowance = Allowance(limits, time.monotonic())
        self._free = asyncio.Semaphore(limits.in_flight)
        self._answering: set[asyncio.Task[None]] = set()
        self._nonsense = 0

    async def serve(self, welcome: Mapping[str, Any]) -> None:
        """Welcomes the client, and answers it until its connection ends."""
        self._outbox.put(welcome)
        pouring = asyncio.create_task(self._outbox.pour())
        if self._hand_over is not None and self._role is Role.PLAYER:
            self._hand_over.consent.join(self.tell)
        try:
            async for message in self._connection:
                await self._take(message)
        finally:
            self._session.close()
            if self._hand_over is not None:
                self._hand_over.drop(self)
                self._hand_over.consent.leave(self.tell)
            ending = [pouring, *self._answering]
            for task in ending:
                task.cancel()
            await asyncio.gather(*ending, return_exceptions=True)

    async def _take(self, message: str | bytes) -> None:
        if isinstance(message, bytes):
            await self._take_piece(message)
            return
        wait = self._allowance.wait(len(message), time.monotonic())
        if self._allowance.is_overrun(time.monotonic()):
            await self._connection.dismiss(POLICY, "The page asked for too much at once.")
            return
        if wait:
            await asyncio.sleep(wait)
        try:
            request = decoded(message)
        except RequestError as error:
            await self._refuse(error)
            return
        await self._free.acquire()
        task = asyncio.create_task(self._answer(request))
        self._answering.add(task)
        task.add_done_callback(self._answered)

    async def _take_piece(self, piece: bytes) -> None:
        try:
            if self._hand_over is None:
                raise RequestError("a message in bytes, but messages are text")
            await self._hand_over.take(self, piece)
        except (RequestError, OSError) as error:
            await self._refuse(error)

    async def _refuse(self, error: Exception) -> None:
        """Says what is wrong with a message that is no request; at last the client is closed."""
        self._nonsense += 1
        if self._nonsense > self._limits.nonsense:
            await self._connection.dismiss(POLICY, "The page sent too much that was no request.")
        else:
            self._outbox.put({"id": None, "error": without_folders(problem(error))})

    async def _answer(self, request: dict[str, Any]) -> None:
        do = request.get("do")
        try:
            if do == "hand-over":
                answer = {"id": request.get("id"), **self._files_taken().begin(self, request, self.tell)}
            elif do == "allow" and self._role is Role.PLAYER:
                answer = {"id": request.get("id"), **self._files_taken().consent.answer(request)}
            else:
                if self._role is Role.LOOKER:
                    await self._check_looking(request)
                answer = await self._session.answer(request)
        except Exception as error:
            answer = {"id": request.get("id"), "error": without_folders(problem(error))}
        self._outbox.put(answer)

    async def _check_looking(self, request: Mapping[str, Any]) -> None:
        """Refuses what a second device may not ask for; for some of it a player is asked."""
        do, file = request.get("do"), request.get("file")
        if not (isinstance(do, str) and do in LOOKING):
            raise RequestError(f"a second device only looks; it cannot ask for {as_written(do)}")
        if do != "scan":
            return
        if not (self._hand_over is not None and isinstance(file, str) and self._hand_over.has_come(file)):
            raise RequestError(f"{as_written(file)} was not handed over; a second device has no other scan read")
        await self._check_wanted(self._hand_over, file)

    async def _check_wanted(self, hand_over: HandOver, file: str) -> None:
        """Waits until a player allows that a scan takes the place of the table, unless nothing was done on it yet."""
        state = await self._session.answer({"do": "state"})
        untouched = state.get("pose") == 0 and not state.get("saved")  # a first scene, in no file
        if untouched or await hand_over.consent.given(file, self.tell):
            return
        hand_over.refuse(file)
        raise RequestError("a player keeps the table as it is; the scan lies in its folder")

    def _files_taken(self) -> HandOver:
        if self._hand_over is None:
            raise RequestError("this table takes no files")
        return self._hand_over

    def _answered(self, task: asyncio.Task[None]) -> None:
        self._answering.discard(task)
        self._free.release()


def decoded(message: str) -> dict[str, Any]:
    """The object that a message is, as strict JSON; RequestError where it is none.

    >>> decoded('{"id": 1, "do": "state"}')
    {'id': 1, 'do': 'state'}
    """
    try:
        content = json.loads(message, parse_constant=_no_number)
    except RecursionError:
        raise RequestError("a message that is nested too deeply") from None
    except ValueError as error:
        raise RequestError(f"a message that is not JSON: {error}") from None
    if not isinstance(content, dict):
        raise RequestError(f"a message must be an object, not {as_written(content)}")
    return content


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")


WRONG_TOKEN, BUSY, GOING = 4401, 1013, 1001
"""The codes that close a connection: without a token, where there are too many, and when the server ends."""

TOO_MANY = "The live table is open in too many places; close one of them."


class TableServer:
    """Serves a page and the sessions of those who open it, from ``async with`` until its end, when it closes the doors.

    Args:
        doors: where it listens.
        start: starts the session of one client, given what tells it of events.
        files: of the page, by their paths.
        scans: gives the scene's folder; and what happens with a file that is handed over. None where none are taken.
        limits: what it bears.
    """

    def __init__(
        self,
        doors: Sequence[Door],
        start: Callable[[Tell], Session],
        files: Mapping[str, PageFile],
        *,
        scans: tuple[Callable[[], Path], Received] | None = None,
        limits: Limits | None = None,
    ) -> None:
        self._doors, self._start, self._files, self._limits = doors, start, files, limits or Limits()
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

        def on_request(connection: ServerConnection, request: Request) -> Response | None:
            return self._refusal_of(door, request)

        def answered(connection: ServerConnection, request: Request, response: Response) -> None:
            host = request.headers.get_all("Host")
            for name, value in security_headers(host[0] if host[:1] and host[0] in door.hosts else None).items():
                response.headers[name] = value

        return await serve(
            lambda connection: self._serve(door, connection),
            sock=door.listening,
            process_request=on_request,
            process_response=answered,
            compression=None,
            server_header=None,
            open_timeout=limits.handshake,
            close_timeout=limits.closing,
            max_size=limits.message,
            max_queue=4,
            create_connection=cast(type[ServerConnection], partial(CountedConnection, self._connections)),
        )

    def _refusal_of(self, door: Door, request: Request) -> Response | None:
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
