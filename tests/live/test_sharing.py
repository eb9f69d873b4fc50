"""Several clients of one table: what one asks holds up nobody else, and what one changes is told to the others."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any, cast

import pytest

from silhouette.files.cache import Cache
from silhouette.live import protocol
from silhouette.live.judges import Judges
from silhouette.live.live_table import LiveTable
from silhouette.live.protocol import Session
from tests.support.commands import scene

NO_JUDGES = cast(Judges, None)


@pytest.fixture
def table(tmp_path: Path) -> LiveTable:
    return LiveTable.opened(scene(tmp_path), Cache(None))


def test_shapes_that_take_long_hold_up_nobody(table: LiveTable, monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(*_: object) -> dict[str, Any]:
        time.sleep(0.5)
        return {"shapes": [], "packed": ""}

    async def scenario() -> list[object]:
        one, two = (Session(table, NO_JUDGES, lambda event: None) for _ in range(2))
        order = []

        async def ask(session: Session, do: str) -> None:
            order.append((await session.answer({"id": do, "do": do, "known": []}))["id"])

        await asyncio.gather(ask(one, "shapes"), ask(two, "state"))
        return order

    monkeypatch.setattr(protocol, "shapes_of", slow)
    assert asyncio.run(scenario()) == ["state", "shapes"]


def test_a_change_is_told_to_the_others_and_to_nobody_who_has_gone(table: LiveTable) -> None:
    async def scenario() -> None:
        told: list[list[dict[str, Any]]] = [[], [], []]
        one, _, gone = (Session(table, NO_JUDGES, events.append) for events in told)
        gone.close()
        answer = await one.answer({"id": 1, "do": "edit", "edits": [{"piece": "Vex", "at": [10, 200]}]})
        assert told == [[], [{"event": "edited", **{key: value for key, value in answer.items() if key != "id"}}], []]

    asyncio.run(scenario())
