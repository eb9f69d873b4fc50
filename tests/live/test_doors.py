"""The addresses of the live table: this machine alone, or one interface of the network, where one can only look."""

from __future__ import annotations

import asyncio
import socket
from contextlib import closing

import pytest

from silhouette.common.errors import RequestError
from silhouette.live.server import running
from silhouette.live.server.gate import LOOKING, Role
from silhouette.live.server.running import lan_address, opened_doors
from silhouette.live.server.serving import TableServer
from tests.support.live_server import FILES, FakeSession, Guest, Serving, token_of

SECOND = "127.0.0.2"
"""Another address of this machine, in place of that in a network: nothing reaches it from elsewhere."""


def two_doors(monkeypatch: pytest.MonkeyPatch) -> list[running.Door]:
    monkeypatch.setattr(running, "lan_address", lambda: SECOND)
    try:
        return opened_doors(0, lan=True)
    except RequestError:
        pytest.skip(f"this system has no {SECOND}")


def test_only_this_machine_is_listened_to() -> None:
    (door,) = opened_doors(0, lan=False)
    with closing(door.listening):
        host, port = door.listening.getsockname()
        assert host == "127.0.0.1"
        assert port > 0
        address = door.address(Role.PLAYER)
        assert address.startswith(f"http://127.0.0.1:{port}/#")
        assert len(address.partition("#")[2]) == 22  # 128 bits, 6 in a sign
        assert token_of(door) not in repr(door)


def test_a_port_that_is_taken_is_one_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(RequestError, match=f"port {port} of 127.0.0.1 is in use; take another --port"):
            opened_doors(port, lan=False)


def test_a_machine_in_no_network_has_no_second_door(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "EXAMPLE_ADDRESS", ("127.0.0.9", 9))
    with pytest.raises(RequestError, match="--lan needs a network"):
        lan_address()
    with pytest.raises(RequestError, match="--lan needs a network"):
        opened_doors(0, lan=True)


def test_the_second_device_looks_and_does_not_touch(monkeypatch: pytest.MonkeyPatch) -> None:
    sessions = []

    def start(tell: object) -> FakeSession:
        sessions.append(FakeSession(lambda event: None))
        return sessions[-1]

    async def scenario() -> None:
        doors = two_doors(monkeypatch)
        here, there = doors
        async with TableServer(doors, start, FILES) as server:
            second = Serving(server, [there], [])
            assert b"200 OK" in await second.got("/")
            async with second.good() as looker:
                for do in sorted(LOOKING - {"hand-over", "scan"}):
                    assert (await looker.ask(do))["done"] == do
                assert "was not handed over" in (await looker.ask("scan", file="table.glb"))["error"]
                for do in (
                    "edit",
                    "undo",
                    "redo",
                    "save",
                    "open",
                    "text",
                    "report",
                    "figure",
                    "tags",
                    "picture",
                    "Edit",
                    "edit ",
                    None,
                    ["edit"],
                ):
                    assert "a second device only looks" in (await looker.ask(do))["error"]
            async with second.knocking() as connection:  # the player's token is not taken there
                await Guest(connection).say({"token": token_of(here)})
                assert await Guest(connection).closed() == 4401
            assert b" 403 " in await second.got("/", host="127.0.0.1:1")
            async with Serving(server, [here], []).good() as player:
                assert (await player.ask("edit"))["done"] == "edit"

    asyncio.run(scenario())
