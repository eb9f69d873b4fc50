"""``silhouette table`` as a process: its address, its end, and what it says of input that it cannot use."""

from __future__ import annotations

import asyncio
import io
import json
import os
import signal
import socket
import sys
import time
import webbrowser
from contextlib import suppress
from pathlib import Path

import pytest
import segno
from websockets.exceptions import ConnectionClosed

from silhouette.cli import table as table_command
from silhouette.cli.table import open_window
from silhouette.live.live_table import autosave_name
from silhouette.live.server import running
from tests.conftest import PROJECT
from tests.support.commands import QUICK, run, scene
from tests.support.table_process import PATIENCE, Started, asked, started

EXAMPLES = PROJECT / "scenes"

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals as other systems send them")


@pytest.mark.thinned(quick=50)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_within_a_second_and_leaves_nothing(number: signal.Signals, tmp_path: Path) -> None:
    """As a terminal sends it: to the command and its workers alike."""
    file = scene(tmp_path)

    async def scenario(running: Started) -> float:
        async with running.client() as one, running.client() as two:
            checked = await asked(one, "check", **{"from": "Kal", "to": "Vex"})
            assert checked["results"][0]["attacker"] == "Kal"
            for attacker in ("Kal", "Vex"):
                await one.send(json.dumps({"id": attacker, "do": "check", "from": attacker, "odds": True}))
            await asked(two, "state")
            begun = time.monotonic()
            os.killpg(running.process.pid, number)
            for connection in (one, two):
                with suppress(ConnectionClosed):
                    while True:
                        await asyncio.wait_for(connection.recv(), PATIENCE)
                assert connection.close_code == 1001
            await asyncio.to_thread(running.process.wait, PATIENCE)
            return time.monotonic() - begun

    with started(file) as running:
        took = asyncio.run(scenario(running))
        assert running.process.stderr is not None
        assert running.process.stderr.read() == ""
        assert running.process.returncode == 0
        assert took < 10.0  # a second on a machine that does nothing else
        with pytest.raises(ConnectionRefusedError), socket.create_connection(("127.0.0.1", running.port)):
            pass
        with pytest.raises(ProcessLookupError):
            os.killpg(running.process.pid, 0)  # no worker is left of its group
    assert [path.name for path in tmp_path.iterdir()] == [file.name]


@pytest.mark.slow
def test_what_is_not_saved_is_kept_and_is_there_again(tmp_path: Path) -> None:
    file = scene(tmp_path)
    before = file.read_text(encoding="utf-8")

    async def moved(running: Started) -> dict[str, object]:
        async with running.client() as one, running.client() as two:
            answer = await asked(one, "edit", edits=[{"piece": "Vex", "at": [30, 200]}])
            told = json.loads(await asyncio.wait_for(two.recv(), PATIENCE))
            assert told["event"] == "edited"
            assert told["pieces"] == answer["pieces"]
            outside = [{"add": "terrain", "name": "rock", "at": [0, 0], "mesh": "../rock.stl"}]
            refused = await asked(two, "edit", edits=outside)
            assert "lies outside the scene's folder" in refused["error"]
            deadline = time.monotonic() + PATIENCE
            while not (tmp_path / autosave_name(file)).is_file():
                assert time.monotonic() < deadline
                await asyncio.sleep(0.05)
            return answer

    with started(file) as running:
        answer = asyncio.run(moved(running))
        os.killpg(running.process.pid, signal.SIGKILL)
    assert file.read_text(encoding="utf-8") == before

    async def state(running: Started) -> dict[str, object]:
        async with running.client() as one:
            return await asked(one, "state")

    with started(file) as running:
        again = asyncio.run(state(running))
    assert again["pieces"] == answer["pieces"]
    assert again["saved"] is False


@pytest.mark.long
def test_a_file_that_is_handed_over_lies_beside_the_scene(tmp_path: Path) -> None:
    async def scenario(running: Started) -> None:
        async with running.client() as one, running.client() as two:
            assert (await asked(two, "hand-over", name="table.glb", size=5))["chunk"] == 2**18
            await two.send(b"12345")
            told = json.loads(await asyncio.wait_for(one.recv(), PATIENCE))
            assert told == {"event": "handed-over", "name": "table.glb", "file": "table.glb"}
            assert "table.glb" in (await asked(one, "scan", file="table.glb"))["error"]
            assert "error" not in await asked(one, "state")

    with started(scene(tmp_path)) as running:
        asyncio.run(scenario(running))
    assert (tmp_path / "table.glb").read_bytes() == b"12345"


BAD = {
    "a scene that is not there": (["nowhere.toml"], "nowhere.toml: there is no such file"),
    "a game without a table": ([str(EXAMPLES / "ikosa/round_a_corner.toml")], "has no live table"),
    "a folder": (["."], ".: is a folder without scene.toml or meshes; give a scene file, such as walled.toml"),
    "a mesh": (["minis/kal.stl"], "kal.stl: is a mesh, not a scene"),
    "a port that is none": (["walled.toml", "--port", "70000"], '--port is "70000"'),
    "a port that is a word": (["walled.toml", "--port", "http"], '--port is "http"; it must be a whole number'),
}


@pytest.mark.parametrize("mistake", BAD)
def test_bad_usage_is_one_line(
    mistake: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    scene(tmp_path)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "minis").mkdir()
    (tmp_path / "minis/kal.stl").write_bytes(b"")
    words, answer = BAD[mistake]
    ran = run(capsys, "table", *words, "--no-browser", *QUICK)
    (line,) = ran.complaints
    assert answer in line
    assert (ran.status, ran.out) == (2, "")


def test_a_port_in_use_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ran = run(capsys, "table", scene(tmp_path), "--no-browser", "--port", str(port), "--workers", "1", *QUICK)
    (line,) = ran.complaints
    assert (
        line == f"error: port {port} of 127.0.0.1 is in use; take another --port, or leave it out for any that is free"
    )
    assert (ran.status, ran.out) == (2, "")


def test_lan_without_a_network_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "EXAMPLE_ADDRESS", ("127.0.0.9", 9))
    ran = run(capsys, "table", scene(tmp_path), "--no-browser", "--lan", "--workers", "1", *QUICK)
    (line,) = ran.complaints
    assert "--lan needs a network" in line
    assert (ran.status, ran.out) == (2, "")


class Terminal(io.StringIO):
    """A terminal of an encoding."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


def test_a_terminal_shows_the_address_of_a_second_device_as_a_code() -> None:
    address = "http://192.168.178.25:54321/#v66ZOsVXeLOR1ByDwEnBhA"
    terminal, log = Terminal(), io.StringIO()
    table_command._show_to_a_phone(address, terminal)
    table_command._show_to_a_phone(address, log)
    first, *code = terminal.getvalue().splitlines()
    assert log.getvalue().splitlines() == [first]
    assert first.endswith(address)
    assert all(line.startswith("\033[97;40m") and line.endswith("\033[0m") for line in code)
    rows = [line.removeprefix("\033[97;40m").removesuffix("\033[0m") for line in code]
    light = [[sign in signs for sign in row] for row in rows for signs in ("█▀", "█▄")]
    matrix = segno.make(address, error="m", micro=False).matrix_iter(border=4)
    assert [[not dark for dark in row] for row in matrix] == light[: len(light) // 2 * 2 - 1]


def test_a_browser_that_would_take_the_terminal_is_not_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    opened = []

    class Window(webbrowser.BaseBrowser):
        def open(self, url: str, new: int = 0, autoraise: bool = True) -> bool:
            opened.append(url)
            return True

    monkeypatch.setattr(webbrowser, "get", lambda: webbrowser.GenericBrowser("lynx"))
    monkeypatch.setattr(webbrowser.GenericBrowser, "open", lambda *_: opened.append("in the terminal"))
    open_window("http://127.0.0.1:1/#x")
    assert opened == []
    monkeypatch.setattr(webbrowser, "get", Window)
    open_window("http://127.0.0.1:1/#x")
    assert opened == ["http://127.0.0.1:1/#x"]
