"""``silhouette table`` as a process, and clients of it that are no browsers."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

from tests.support.commands import QUICK
from tests.support.warm_processes import Process

SECOND = re.compile(r"A second device in this network looks on at (http://[\d.]+:\d+)/#([\w-]{22})")
ADDRESS = re.compile(r"http://127\.0\.0\.1:(\d+)/#([\w-]{22})")
PATIENCE = 60.0  # s: two busy cores


@dataclass(frozen=True)
class Started:
    """The command, which has printed its address.

    Attributes:
        second: the address for a second device, where there is one.
    """

    process: subprocess.Popen[str]
    port: int
    token: str
    second: str = ""

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def address(self) -> str:
        return f"{self.origin}/#{self.token}"

    @asynccontextmanager
    async def client(self) -> AsyncIterator[ClientConnection]:
        """A client that is welcome."""
        address = f"ws://127.0.0.1:{self.port}/socket"
        async with connect(address, origin=self.origin, proxy=None, max_size=None) as connection:  # type: ignore[arg-type]
            await connection.send(json.dumps({"token": self.token}))
            assert json.loads(await connection.recv())["event"] == "welcome"
            yield connection


@contextmanager
def started(file: Path, *options: str, folder: Path | None = None) -> Iterator[Started]:
    """The command as a process in a group of its own, in a folder."""
    words = [sys.executable, "-m", "silhouette", "table", str(file), "--no-browser", *QUICK, *options]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = Process(words, cwd=folder, text=True, start_new_session=True, **pipes)
    try:
        assert process.stdout is not None
        found = ADDRESS.fullmatch(process.stdout.readline().strip())
        if found is None:
            raise AssertionError(process.communicate())
        second = SECOND.fullmatch(process.stdout.readline().strip()) if "--lan" in options else None
        yield Started(process, int(found[1]), found[2], f"{second[1]}/#{second[2]}" if second else "")
    finally:
        process.kill()
        process.communicate()


async def asked(connection: ClientConnection, do: str, **more: Any) -> dict[str, Any]:
    """The answer to a request; events before it are left out."""
    await connection.send(json.dumps({"id": do, "do": do, **more}))
    while True:
        heard: dict[str, Any] = json.loads(await asyncio.wait_for(connection.recv(), PATIENCE))
        if "id" in heard:
            return heard
