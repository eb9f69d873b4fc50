"""An assistant as the server of tools meets one: the SDK's own client, with the server as a process of its own."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from mcp import Client
from mcp.client.stdio import StdioServerParameters

PATIENCE_S = 90.0


class Assistant:
    """A client with an event loop in a thread, so that tests need none; a context manager, at whose end all is gone."""

    def __init__(self, folder: Path, *options: str) -> None:
        words = ["-m", "silhouette", "serve", "--mcp", "--no-cache", str(folder), *options]
        self._server = StdioServerParameters(command=sys.executable, args=words)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._ended = asyncio.Event()

    def __enter__(self) -> Self:
        self._thread.start()
        started: asyncio.Future[Client] = asyncio.Future(loop=self._loop)
        self._life = asyncio.run_coroutine_threadsafe(self._live(started), self._loop)
        self.client = self.wait(_value(started))
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._ended.set)
        with suppress(Exception):  # the test may have killed the server
            self._life.result(PATIENCE_S)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(PATIENCE_S)
        self._loop.close()

    async def _live(self, started: asyncio.Future[Client]) -> None:
        try:
            async with Client(self._server) as client:
                started.set_result(client)
                await self._ended.wait()
        except BaseException as error:
            if not started.done():
                started.set_exception(RuntimeError(repr(error)))
            raise

    def wait(self, work: Coroutine[Any, Any, Any]) -> Any:
        """What a coroutine returns, in the client's loop."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(PATIENCE_S)

    def call(self, tool: str, progress: Callable[..., Any] | None = None, **arguments: Any) -> Any:
        """The result of a call, as the SDK has it."""
        return self.wait(self.client.call_tool(tool, arguments, progress_callback=progress))

    def content(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The document of an answer that is no error."""
        result = self.call(tool, **arguments)
        assert not result.is_error, result.content[0].text
        content: dict[str, Any] = result.structured_content
        return content

    def error(self, tool: str, **arguments: Any) -> str:
        """The line of an error."""
        result = self.call(tool, **arguments)
        assert result.is_error, result.content
        (only,) = result.content
        text: str = only.text
        assert "\n" not in text
        assert "Traceback" not in text
        assert not text.startswith("internal")
        return text


async def _value(future: asyncio.Future[Any]) -> Any:
    return await future
