"""A client of a live table inside the tests' process, and what `silhouette check` says of the scene that it saves."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from silhouette.common.text import strict
from silhouette.files.cache import Cache
from silhouette.judging.checking import JudgingOptions, judge_scene
from silhouette.judging.loading import Selection
from silhouette.live.judges import Judges
from silhouette.live.live_table import LiveTable
from silhouette.live.protocol import Session
from silhouette.renderers import choose
from tests.support.batching import wait_until
from tests.support.live_edits import table_of

PATIENCE = 60.0
"""Seconds until a test gives up: two busy cores."""


class Client:
    """What a session is asked, and what it has told."""

    def __init__(self, table: LiveTable, judges: Judges) -> None:
        self.table, self.judges = table, judges
        self.events = list[dict[str, Any]]()
        self._heard = asyncio.Event()
        self.session = Session(table, judges, self._tell)

    def _tell(self, event: dict[str, Any]) -> None:
        self.events.append(json.loads(json.dumps(event, allow_nan=False)))
        self._heard.set()

    async def ask(self, do: object, **more: Any) -> dict[str, Any]:
        """The answer to a request, as JSON carries it."""
        request = json.loads(json.dumps({"id": 1, "do": do, **more}))
        answer = await asyncio.wait_for(self.session.answer(request), PATIENCE)
        said: dict[str, Any] = json.loads(json.dumps(answer, allow_nan=False))
        assert said.pop("id") == 1
        assert "\n" not in said.get("error", "")
        assert "internal:" not in said.get("error", ""), said
        return said

    async def done(self, do: str, **more: Any) -> dict[str, Any]:
        """The answer to a request that can be met."""
        answer = await self.ask(do, **more)
        assert "error" not in answer, answer
        return answer

    async def settled(self, since: int = 0) -> dict[tuple[str, str], dict[str, Any]]:
        """The results of the present pose by their pairs, once they are settled; of events from one on."""
        async with asyncio.timeout(PATIENCE):
            while True:
                found = [one for one in self.events[since:] if one["event"] == "results"]
                now = [one for one in found if one["pose"] == self.table.pose]
                if any(one["settled"] for one in now):
                    return {
                        (pair[0], pair[1]): row
                        for one in now
                        for pair, row in zip(one["pairs"], one["results"], strict=True)
                    }
                self._heard.clear()
                await self._heard.wait()


@asynccontextmanager
async def client_of(path: Path, workers: int = 1, **how: Any) -> AsyncIterator[Client]:
    """A client of the table of a scene file."""
    table = table_of(path)
    async with Judges(table.scene, table.cache, workers=workers, **how) as judges:
        client = Client(table, judges)
        yield client
        client.session.close()


def processes_of(judges: Judges) -> list[int]:
    """The numbers of the processes that judge, when all of them are there; the pool's thread starts them."""
    found = list[int]()
    wait_until(lambda: len(found.clear() or found.extend(_workers(judges)) or found) == judges.workers)
    return found


def _workers(judges: Judges) -> list[int]:
    return [worker.pid for slot in judges._pool._slots if (worker := slot.worker) is not None]


def checked(path: Path, attacker: str | None = None, *, everyone: bool = False, **how: Any) -> list[dict[str, Any]]:
    """The rows of `silhouette check --json`."""
    options = JudgingOptions(choose("auto"), Cache.default(), **how)
    result = judge_scene(path, Selection(attacker, everyone=everyone), options)
    assert result.error is None, result.error
    rows: list[dict[str, Any]] = json.loads(json.dumps([strict(one.row()) for one in result.judged]))
    return rows


def by_pair(rows: Sequence[dict[str, Any]]) -> dict[tuple[str, str], dict[str, Any]]:
    """Rows by attacker and target."""
    return {(row["attacker"], row["target"]): row for row in rows}
