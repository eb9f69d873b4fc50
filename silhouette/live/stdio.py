"""TELL: a session through standard input and output, a line for each message: for programs that have a table.

lines in -> requests, many in flight -> lines out, each as soon as it is ready
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any, BinaryIO, TextIO

from silhouette.live.judges import Judges
from silhouette.live.live_table import LiveTable
from silhouette.live.protocol import Session

LONGEST = 1 << 24
"""Bytes of a line."""


def serve_lines(table: LiveTable, judges: Judges, lines: BinaryIO, out: TextIO) -> None:
    """Answers the requests of a stream, each as soon as it can be, until the stream ends and all are answered.

    Args:
        table: what they are about.
        judges: judge it; they end with this.
        lines: JSON objects, one a line, in UTF-8.
        out: takes answers and events, one a line, in ASCII.
    """
    asyncio.run(_serve(table, judges, lines, out))


async def _serve(table: LiveTable, judges: Judges, lines: BinaryIO, out: TextIO) -> None:
    def tell(message: dict[str, Any]) -> None:
        out.write(json.dumps(message, allow_nan=False) + "\n")
        out.flush()

    async with judges:
        session = Session(table, judges, tell)
        try:
            async with asyncio.TaskGroup() as running:
                async for line in _lines(lines):
                    running.create_task(_answer(session, line, tell))
                    await asyncio.sleep(0)  # begins: an edit is made before what follows it is read
        finally:
            session.close()


async def _lines(stream: BinaryIO) -> Any:
    """The lines of a stream that are not empty, read by a thread."""
    while line := await asyncio.to_thread(stream.readline, LONGEST):
        if line.strip():
            yield line


async def _answer(session: Session, line: bytes, tell: Callable[[dict[str, Any]], None]) -> None:
    """Answers one line."""
    if len(line) >= LONGEST:
        tell({"id": None, "error": f"a line of more than {LONGEST} bytes; send less at once"})
        return
    try:
        request = json.loads(line)
    except ValueError as error:
        tell({"id": None, "error": f"not JSON: {error}"})
        return
    tell(await session.answer(request))
