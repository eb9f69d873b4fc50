"""TELL: a session through standard input and output, a line for each message: for programs that have a table.

lines in -> requests, many in flight -> lines out, each as soon as it is ready
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import Any, BinaryIO, TextIO

from silhouette.live.judges import Judges
from silhouette.live.live_table import LiveTable
from silhouette.live.protocol import Session
from silhouette.text import json_text

MAX_LINE_BYTES = 1 << 24
"""Bytes of a line."""


def serve_lines(table: LiveTable, judges: Judges, lines: BinaryIO, out: TextIO) -> None:
    """Answers the requests of a stream, each as soon as it can be, until the stream ends and all are answered.

    Args:
        table: what they are about.
        judges: judge it; they end with this.
        lines: JSON objects, one a line, in UTF-8; a thread reads it, which may still wait for a line at the end.
        out: takes answers and events, one a line, in ASCII.

    Raises:
        OSError: where nothing can be written any longer.
    """
    try:
        asyncio.run(_serve(table, judges, lines, out))
    except* OSError as errors:
        raise errors.exceptions[0] from None


async def _serve(table: LiveTable, judges: Judges, lines: BinaryIO, out: TextIO) -> None:
    broken = asyncio.get_running_loop().create_future()

    def tell(message: dict[str, Any]) -> None:
        try:
            out.write(json_text(message) + "\n")
            out.flush()
        except OSError as error:
            if not broken.done():
                broken.set_exception(error)

    async with judges:
        session = Session(table, judges, tell)
        answering = asyncio.create_task(_answer_all(session, lines, tell))
        try:
            await asyncio.wait([answering, broken], return_when=asyncio.FIRST_COMPLETED)
            if broken.done():
                broken.result()
            answering.result()
        finally:
            session.close()
            answering.cancel()
            broken.cancel()
            with suppress(asyncio.CancelledError):
                await answering


async def _answer_all(session: Session, lines: BinaryIO, tell: Callable[[dict[str, Any]], None]) -> None:
    """Answers all lines, and waits until what is watched is judged too."""
    async with asyncio.TaskGroup() as running:
        async for line in _lines(lines):
            running.create_task(_answer(session, line, tell))
            await asyncio.sleep(0)  # begins: an edit is made before what follows it is read
    await session.settled()


async def _lines(stream: BinaryIO) -> AsyncIterator[bytes]:
    """The lines of a stream that are not empty; of one that is too long, its beginning.

    They are read by a thread that does not keep the program from ending.
    """
    loop, queue = asyncio.get_running_loop(), asyncio.Queue[bytes]()

    def read() -> None:
        is_inside = False
        with suppress(RuntimeError, OSError, ValueError):  # the loop, or the stream, is closed
            while line := stream.readline(MAX_LINE_BYTES):
                if not is_inside and line.strip():
                    loop.call_soon_threadsafe(queue.put_nowait, line)
                is_inside = not line.endswith(b"\n")
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(queue.put_nowait, b"")

    threading.Thread(target=read, daemon=True).start()
    while line := await queue.get():
        yield line


async def _answer(session: Session, line: bytes, tell: Callable[[dict[str, Any]], None]) -> None:
    """Answers one line."""
    if len(line) >= MAX_LINE_BYTES:
        tell({"id": None, "error": f"a line of more than {MAX_LINE_BYTES} bytes; send less at once"})
        return
    try:
        request = json.loads(line.strip())
    except (ValueError, RecursionError) as error:
        what = str(error) if isinstance(error, ValueError) else "its values lie too deep in each other"
        tell({"id": None, "error": f"not JSON: {what}"})
        return
    tell(await session.answer(request))
