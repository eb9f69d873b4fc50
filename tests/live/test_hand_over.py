"""Files that are handed over: in pieces, with plain names, into one folder, and nothing is left of them."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from silhouette.common.errors import RequestError
from silhouette.live.server.connections import Limits
from silhouette.live.server.hand_over import kept_beside, plain_name
from tests.support.live_server import PATIENCE, Guest, Serving, serving

SMALL = Limits(chunk=1000, file=10_000, nonsense=100)


class Kept:
    """What has come: names, contents, and where it lay."""

    def __init__(self, wait: float = 0.0) -> None:
        self.names: list[str] = []
        self.contents: list[bytes] = []
        self.paths: list[Path] = []
        self.wait = wait

    async def received(self, path: Path, name: str) -> str:
        await asyncio.sleep(self.wait)
        self.names.append(name)
        self.paths.append(path)
        self.contents.append(path.read_bytes())
        return f"kept {name}"


@asynccontextmanager
async def taking(folder: Path, kept: Kept, limits: Limits = SMALL) -> AsyncIterator[Serving]:
    """A server that takes files."""
    async with serving(limits, scans=(lambda: folder, kept.received)) as here:
        yield here


async def sent(guest: Guest, content: bytes, piece: int = 1000) -> dict[str, Any]:
    """Hands over a file, and gives what the server says of it."""
    assert await guest.ask("hand-over", name="table.glb", size=len(content)) == {"id": "hand-over", "chunk": 1000}
    for start in range(0, len(content), piece):
        await guest.connection.send(content[start : start + piece])
    return await guest.hear()


def test_a_file_comes_whole_and_is_gone_when_it_has_been_dealt_with(tmp_path: Path) -> None:
    async def scenario() -> None:
        kept, content = Kept(), os.urandom(9_500)
        async with taking(tmp_path, kept) as here, here.good() as guest, here.good() as good:
            for _ in range(2):
                told = {"event": "handed-over", "name": "table.glb", "file": "kept table.glb"}
                assert await sent(guest, content) == told
                assert await good.hear() == told
                await good.still_answers()
        assert (kept.names, kept.contents) == (["table.glb"] * 2, [content] * 2)
        assert {path.parent for path in kept.paths} == {tmp_path}
        assert {path.suffix for path in kept.paths} == {".glb"}
        assert os.listdir(tmp_path) == []

    asyncio.run(scenario())


def test_a_piece_too_large_or_too_many_or_of_nothing_is_refused(tmp_path: Path) -> None:
    async def scenario() -> None:
        kept = Kept()
        async with taking(tmp_path, kept) as here, here.good() as guest:
            for size, piece in ((2000, b"x" * 1001), (5, b"123456")):
                assert (await guest.ask("hand-over", name="table.glb", size=size))["chunk"]
                await guest.connection.send(piece)
                assert f"a piece of {len(piece)} bytes" in (await guest.hear())["error"]
                await guest.connection.send(b"x")
                assert "none is being handed over" in (await guest.hear())["error"]
            await guest.still_answers()
        assert kept.names == []
        assert os.listdir(tmp_path) == []

    asyncio.run(scenario())


@pytest.mark.parametrize("size", [0, -1, 10_001, 2.5, True, None, "7"])
def test_sizes_that_will_not_do_are_refused(tmp_path: Path, size: object) -> None:
    async def scenario() -> None:
        async with taking(tmp_path, Kept()) as here, here.good() as guest:
            answer = await guest.ask("hand-over", name="table.glb", size=size)
            assert "size is" in answer["error"]
            assert os.listdir(tmp_path) == []

    asyncio.run(scenario())


@pytest.mark.parametrize(
    "name",
    [
        "../table.glb",
        "/etc/table.glb",
        "a/b.glb",
        "a\\b.glb",
        "C:table.glb",
        ".glb",
        ".hidden.glb",
        "table",
        "table.exe",
        "table.glb.sh",
        "table.glb\0",
        "ta\nble.glb",
        "x" * 200 + ".glb",
        "con.glb",
        "--out.glb",
        "",
        None,
        7,
        ["table.glb"],
        "table.glb ",
        "..",
    ],
)
def test_names_that_are_not_plain_are_refused(name: object) -> None:
    with pytest.raises(RequestError, match="mesh file without a folder"):
        plain_name(name)


@pytest.mark.parametrize("name", ["table.glb", "Mein Tisch (2).PLY", "テーブル.obj", "a..b.stl"])
def test_names_of_mesh_files_are_taken(name: str) -> None:
    assert plain_name(name) == name


def test_one_file_comes_at_a_time_and_only_from_who_hands_it_over(tmp_path: Path) -> None:
    async def scenario() -> None:
        kept = Kept(wait=0.3)
        async with taking(tmp_path, kept) as here, here.good() as guest, here.good() as other:
            assert (await guest.ask("hand-over", name="table.glb", size=2000))["chunk"]
            assert "another file" in (await other.ask("hand-over", name="table.glb", size=5))["error"]
            await other.connection.send(b"12345")
            assert "none is being handed over" in (await other.hear())["error"]
            await guest.connection.send(b"x" * 1000)
            await guest.connection.send(b"y" * 1000)
            await guest.still_answers()
            assert "another file" in (await other.ask("hand-over", name="table.glb", size=5))["error"]
            assert "error" not in await guest.hear()
            assert "error" not in await other.hear()
            assert (await other.ask("hand-over", name="table.glb", size=5))["chunk"]
        assert kept.contents == [b"x" * 1000 + b"y" * 1000]
        assert os.listdir(tmp_path) == []

    asyncio.run(scenario())


def test_a_client_that_goes_leaves_no_file(tmp_path: Path) -> None:
    async def scenario() -> None:
        kept = Kept()
        async with taking(tmp_path, kept) as here, here.good() as good:
            async with here.good() as guest:
                assert (await guest.ask("hand-over", name="table.glb", size=2000))["chunk"]
                await guest.connection.send(b"x" * 1000)
                await guest.still_answers()
                assert len(os.listdir(tmp_path)) == 1
            async with asyncio.timeout(PATIENCE):
                while os.listdir(tmp_path):
                    await asyncio.sleep(0.01)
            assert (await good.ask("hand-over", name="table.glb", size=2000))["chunk"]
        assert kept.names == []

    asyncio.run(scenario())


def test_a_client_that_pauses_for_too_long_leaves_no_file(tmp_path: Path) -> None:
    async def scenario() -> None:
        kept = Kept()
        async with taking(tmp_path, kept, Limits(pause=0.2)) as here, here.good() as guest:
            assert (await guest.ask("hand-over", name="table.glb", size=2000))["chunk"]
            await guest.connection.send(b"x" * 1000)
            told = await guest.hear()
            assert told == {"event": "handed-over", "name": "table.glb", "error": "no piece of it has come for 0.2 s"}
            assert os.listdir(tmp_path) == []
            await guest.still_answers()
        assert kept.names == []

    asyncio.run(scenario())


def test_what_goes_wrong_with_a_file_is_told(tmp_path: Path) -> None:
    async def broken(path: Path, name: str) -> str:
        raise RequestError("table.glb is no table")

    async def scenario() -> None:
        async with serving(SMALL, scans=(lambda: tmp_path, broken)) as here, here.good() as guest:
            assert (await sent(guest, b"x"))["error"] == "table.glb is no table"
        missing = tmp_path / "missing"
        async with serving(SMALL, scans=(lambda: missing, broken)) as here, here.good() as guest:
            assert "No such file" in (await guest.ask("hand-over", name="table.glb", size=5))["error"]
            await guest.still_answers()

    asyncio.run(scenario())


def test_the_end_of_the_server_leaves_no_file(tmp_path: Path) -> None:
    async def scenario() -> None:
        kept = Kept(wait=60.0)
        async with taking(tmp_path, kept) as here, here.good() as guest:
            assert (await guest.ask("hand-over", name="table.glb", size=5))["chunk"]
            await guest.connection.send(b"12345")
            await guest.still_answers()
            assert len(os.listdir(tmp_path)) == 1
        assert os.listdir(tmp_path) == []

    asyncio.run(scenario())


def test_a_file_is_kept_under_its_name_or_the_next_free_one(tmp_path: Path) -> None:
    async def scenario() -> None:
        scans = (lambda: tmp_path), kept_beside
        async with serving(SMALL, scans=scans) as here, here.good() as guest:
            for name in ("table.glb", "table 2.glb", "table 3.glb"):
                content = name.encode()
                assert (await sent(guest, content))["file"] == name
                assert (tmp_path / name).read_bytes() == content
        assert len(os.listdir(tmp_path)) == 3

    asyncio.run(scenario())


def test_files_have_a_size_in_all(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with taking(tmp_path, Kept(), Limits(chunk=1000, files=5000)) as here, here.good() as guest:
            assert "file" in await sent(guest, b"x" * 3000)
            answer = await guest.ask("hand-over", name="table.glb", size=3000)
            assert "start the table again" in answer["error"]
            assert "file" in await sent(guest, b"x" * 2000)

    asyncio.run(scenario())


def test_a_table_that_takes_no_files_says_so(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with serving() as here, here.good() as guest:
            answer = await guest.ask("hand-over", name="table.glb", size=5)
            assert answer == {"id": "hand-over", "error": "this table takes no files"}

    asyncio.run(scenario())
