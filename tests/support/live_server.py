"""The server of the live table with sessions that answer at once, and clients that behave or do not."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.protocol import State

from silhouette.live.server.connections import Limits
from silhouette.live.server.gate import Door, PageFile
from silhouette.live.server.running import opened_doors
from silhouette.live.server.serving import TableServer

PATIENCE = 60.0  # s: two busy cores

FILES = {
    "/": PageFile(b"<!doctype html><title>The live table</title>", "text/html; charset=utf-8"),
    "/main.js": PageFile(b"'use strict';", "text/javascript; charset=utf-8"),
}


@dataclass
class FakeSession:
    """Answers each request with what it asks for; ``long`` waits, ``fail`` raises, ``tell`` gives events."""

    tell: Callable[[dict[str, Any]], None]
    closed: bool = False

    async def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        if request.get("do") == "long":
            await asyncio.sleep(request["seconds"])
        if request.get("do") == "fail":
            raise ZeroDivisionError("a bug")
        for event in request.get("tell", ()):
            self.tell(event)
        return {"id": request.get("id"), "done": request.get("do"), "filled": "x" * request.get("fill", 0)}

    def close(self) -> None:
        self.closed = True


@dataclass
class Serving:
    """A server that runs, with the sessions that it has started."""

    server: TableServer
    doors: list[Door]
    sessions: list[FakeSession]

    @property
    def port(self) -> int:
        return int(self.doors[0].listening.getsockname()[1])

    @property
    def host(self) -> str:
        return f"{self.doors[0].listening.getsockname()[0]}:{self.port}"

    @property
    def token(self) -> str:
        return token_of(self.doors[0])

    @asynccontextmanager
    async def knocking(self, **headers: str) -> AsyncIterator[ClientConnection]:
        """An open WebSocket, as the page opens it but for what is given, that has shown no token."""
        origin = headers.pop("Origin", f"http://{self.host}")
        connection = await connect(
            f"ws://{self.host}/socket", origin=origin or None, additional_headers=headers, proxy=None, max_size=None
        )
        try:
            yield connection
        finally:
            if connection.state is State.OPEN and connection.transport.is_reading():
                await connection.close()
            elif connection.state is not State.CLOSED:
                connection.transport.abort()
                await connection.wait_closed()

    @asynccontextmanager
    async def good(self, token: str | None = None) -> AsyncIterator[Guest]:
        """A client that is welcome."""
        async with self.knocking() as connection:
            guest = Guest(connection)
            await guest.say({"token": token or self.token})
            assert (await guest.hear())["event"] == "welcome"
            yield guest

    async def asked(self, request: bytes) -> bytes:
        """All that the server answers to these bytes."""
        reader, writer = await asyncio.open_connection(*self.doors[0].listening.getsockname())
        try:
            writer.write(request)
            async with asyncio.timeout(PATIENCE):
                return await reader.read()
        except ConnectionResetError:
            return b""
        finally:
            writer.close()

    async def got(self, path: str = "/", host: str | None = None, method: str = "GET", more: str = "") -> bytes:
        """The answer to a request of a file."""
        return await self.asked(f"{method} {path} HTTP/1.1\r\nHost: {host or self.host}\r\n{more}\r\n".encode())


@dataclass
class Guest:
    """A client that is welcome."""

    connection: ClientConnection

    async def say(self, content: object) -> None:
        await self.connection.send(json.dumps(content))

    async def hear(self) -> dict[str, Any]:
        async with asyncio.timeout(PATIENCE):
            heard: dict[str, Any] = json.loads(await self.connection.recv())
            return heard

    async def ask(self, do: object, **more: Any) -> dict[str, Any]:
        """The answer to a request, whatever events come before it."""
        await self.say({"id": do, "do": do, **more})
        while "event" in (heard := await self.hear()):
            pass
        return heard

    def stops_reading(self) -> None:
        self.connection.transport.pause_reading()

    async def still_answers(self) -> None:
        """The session goes on: it answers, and soon, even on two busy cores."""
        async with asyncio.timeout(20.0):
            assert await self.ask("state") == {"id": "state", "done": "state", "filled": ""}

    async def closed(self) -> int | None:
        """The code with which the server ends the connection, whatever it says before."""
        async with asyncio.timeout(PATIENCE):
            with suppress(ConnectionClosed):
                while True:
                    await self.connection.recv()
        return self.connection.close_code


@asynccontextmanager
async def serving(
    limits: Limits | None = None, files: Mapping[str, PageFile] = FILES, **more: Any
) -> AsyncIterator[Serving]:
    """A server on a port of its own; ``more`` as `TableServer` takes it."""
    sessions: list[FakeSession] = []

    def start(tell: Callable[[dict[str, Any]], None]) -> FakeSession:
        sessions.append(FakeSession(tell))
        return sessions[-1]

    doors = opened_doors(0, lan=False)
    async with TableServer(doors, start, files, limits=limits, **more) as server:
        yield Serving(server, doors, sessions)


def token_of(door: Door) -> str:
    """The token in the address of a door."""
    (role,) = set(door.roles.values())
    return door.address(role).partition("#")[2]
