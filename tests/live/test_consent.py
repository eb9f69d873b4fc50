"""A scan of a second device takes the place of the table only where a player allows it, or there is nobody to ask."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from silhouette.common.errors import RequestError
from silhouette.live.server.gate import Role
from silhouette.live.server.hand_over import Consent, kept_beside
from silhouette.live.server.running import opened_doors
from silhouette.live.server.serving import TableServer
from tests.support.live_server import FILES, FakeSession, Guest, Serving

TOKENS = {"of a player": Role.PLAYER, "of a looker": Role.LOOKER}


@dataclass
class TableSession(FakeSession):
    """Tells of a table as well, which is a file's, or a first scene that is in no file yet."""

    saved: bool = True

    async def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        return {**await super().answer(request), "pose": 0, "saved": self.saved}


@asynccontextmanager
async def serving(folder: Path, *, saved: bool = True) -> AsyncIterator[Serving]:
    """A server for players and lookers."""

    def start(tell: Callable[[dict[str, Any]], None]) -> FakeSession:
        return TableSession(tell, saved=saved)

    (door,) = opened_doors(0, lan=False)
    door = replace(door, roles=TOKENS)
    async with TableServer([door], start, FILES, scans=(lambda: folder, kept_beside)) as server:
        yield Serving(server, [door], [])


def player(here: Serving) -> Any:
    return here.good("of a player")


@asynccontextmanager
async def phone(here: Serving, *others: Guest) -> AsyncIterator[Guest]:
    """A second device that has handed over a scan, of which the others have heard."""
    async with here.good("of a looker") as guest:
        assert "chunk" in await guest.ask("hand-over", name="table.glb", size=4)
        await guest.connection.send(b"mesh")
        for one in (guest, *others):
            assert (await one.hear())["event"] == "handed-over"
        yield guest


def wanted(answer: bool | None) -> dict[str, Any]:
    return {"event": "wanted", "file": "table.glb", "answer": answer}


@pytest.mark.parametrize("answer", [True, False])
def test_players_are_asked_and_the_first_answer_counts(tmp_path: Path, answer: bool) -> None:
    async def scenario() -> None:
        async with serving(tmp_path) as here, player(here) as one, player(here) as two, phone(here, one, two) as guest:
            await guest.say({"id": 1, "do": "scan", "file": "table.glb"})
            for each in (one, two, guest):
                assert await each.hear() == wanted(None)
            assert (await guest.ask("watch"))["done"] == "watch"
            assert await one.ask("allow", file="table.glb", answer=answer) == {
                "id": "allow",
                "file": "table.glb",
                "answer": answer,
            }
            assert await two.hear() == wanted(answer)
            assert "nobody waits" in (await two.ask("allow", file="table.glb", answer=not answer))["error"]
            assert await guest.hear() == wanted(answer)
            done = await guest.hear()
            if answer:
                assert done["done"] == "scan"
            else:
                assert done == {"id": 1, "error": "a player keeps the table as it is; the scan lies in its folder"}
                assert "was not handed over" in (await guest.ask("scan", file="table.glb"))["error"]

    asyncio.run(scenario())


def test_nobody_is_asked_where_no_player_is_or_nothing_was_done_yet(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with serving(tmp_path) as here, phone(here) as guest:
            assert (await guest.ask("scan", file="table.glb"))["done"] == "scan"
        (tmp_path / "table.glb").unlink()
        async with serving(tmp_path, saved=False) as here, player(here) as one, phone(here, one) as guest:
            assert (await guest.ask("scan", file="table.glb"))["done"] == "scan"

    asyncio.run(scenario())


def test_a_player_who_comes_is_asked_too_and_no_longer_when_the_device_has_gone(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with serving(tmp_path) as here, player(here) as two:
            async with phone(here, two) as guest:
                await guest.say({"id": 1, "do": "scan", "file": "table.glb"})
                assert await two.hear() == wanted(None)
                assert await guest.hear() == wanted(None)
                async with player(here) as late:
                    assert await late.hear() == wanted(None)
                assert "asked already" in (await guest.ask("scan", file="table.glb"))["error"]
                assert "a second device only looks" in (await guest.ask("allow", file="table.glb"))["error"]
            assert await two.hear() == wanted(False)
            assert "nobody waits" in (await two.ask("allow", file="table.glb", answer=True))["error"]

    asyncio.run(scenario())


@pytest.mark.parametrize("answer", [None, 1, "yes"])
def test_an_answer_is_true_or_false(answer: object) -> None:
    with pytest.raises(RequestError, match="must be true or false"):
        Consent().answer({"file": "table.glb", "answer": answer})
