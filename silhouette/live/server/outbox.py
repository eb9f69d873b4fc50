"""What waits to be sent to one client: nothing that is out of date, and no more than a client may leave unread."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from silhouette.live.server.limits import Limits
from silhouette.text import strict

if TYPE_CHECKING:
    from silhouette.live.server.connections import CountedConnection

DATED = frozenset({"results", "edited"})
"""The events that nobody wants any more when there is one of the same kind about a later pose."""

OVERHEAD = 200
"""The bytes that a message takes besides its text."""


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
    try:
        return json.dumps(content, allow_nan=False, separators=(",", ":"))
    except ValueError:
        return json.dumps(strict(dict(content)), allow_nan=False, separators=(",", ":"))
