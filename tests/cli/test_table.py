"""``silhouette table`` as a process: its address, its end, and what it says of input that it cannot use."""

from __future__ import annotations

import asyncio
import io
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from silhouette.cli import table as table_command
from silhouette.live.live_table import autosave_name
from silhouette.live.server import doors
from tests.support.commands import QUICK, run, scene

ADDRESS = re.compile(r"http://127\.0\.0\.1:(\d+)/#([\w-]{22})")
EXAMPLES = Path(__file__).resolve().parents[2] / "scenes"
PATIENCE = 60.0  # s: two busy cores

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals as other systems send them")


@contextmanager
def started(file: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], int, str]]:
    """The command as a process in a group of its own, its port and its token."""
    words = [sys.executable, "-m", "silhouette", "table", str(file), "--no-browser", *QUICK, *options]
    process = subprocess.Popen(
        words,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    try:
        assert process.stdout is not None
        found = ADDRESS.fullmatch(process.stdout.readline().strip())
        if found is None:
            raise AssertionError(process.communicate())
        yield process, int(found[1]), found[2]
    finally:
        process.kill()
        process.communicate()


async def asked(connection: object, content: object) -> dict[str, object]:
    """The answer to a request; events before it are left out."""
    await connection.send(json.dumps(content))  # type: ignore[attr-defined]
    while True:
        heard: dict[str, object] = json.loads(await asyncio.wait_for(connection.recv(), PATIENCE))  # type: ignore[attr-defined]
        if "id" in heard:
            return heard


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_within_a_second_and_leaves_nothing(number: signal.Signals, tmp_path: Path) -> None:
    """As a terminal sends it: to the command and its workers alike."""
    file = scene(tmp_path)

    async def scenario(process: subprocess.Popen[str], port: int, token: str) -> float:
        address, origin = f"ws://127.0.0.1:{port}/socket", f"http://127.0.0.1:{port}"
        async with (
            connect(address, origin=origin, proxy=None) as one,
            connect(address, origin=origin, proxy=None) as two,
        ):
            for connection in (one, two):
                await connection.send(json.dumps({"token": token}))
                assert json.loads(await connection.recv())["event"] == "welcome"
            checked = await asked(one, {"id": 1, "do": "check", "from": "Kal", "to": "Vex"})
            assert checked["results"][0]["attacker"] == "Kal"  # type: ignore[index]
            for attacker in ("Kal", "Vex"):
                await one.send(json.dumps({"id": attacker, "do": "check", "from": attacker, "odds": True}))
            await asked(two, {"id": 2, "do": "state"})
            begun = time.monotonic()
            os.killpg(process.pid, number)
            for connection in (one, two):
                with suppress(ConnectionClosed):
                    while True:
                        await asyncio.wait_for(connection.recv(), PATIENCE)
                assert connection.close_code == 1001
            await asyncio.to_thread(process.wait, PATIENCE)
            return time.monotonic() - begun

    with started(file) as (process, port, token):
        took = asyncio.run(scenario(process, port, token))
        assert process.stderr is not None
        assert process.stderr.read() == ""
        assert process.returncode == 0
        assert took < 3.0  # a second on a machine that does nothing else
        with pytest.raises(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port)):
            pass
        with pytest.raises(ProcessLookupError):
            os.killpg(process.pid, 0)  # no worker is left of its group
    assert [path.name for path in tmp_path.iterdir()] == [file.name]


def test_what_is_not_saved_is_kept_and_is_there_again(tmp_path: Path) -> None:
    file = scene(tmp_path)
    before = file.read_text(encoding="utf-8")

    async def moved(port: int, token: str) -> dict[str, object]:
        address, origin = f"ws://127.0.0.1:{port}/socket", f"http://127.0.0.1:{port}"
        async with (
            connect(address, origin=origin, proxy=None) as one,
            connect(address, origin=origin, proxy=None) as two,
        ):
            for connection in (one, two):
                await connection.send(json.dumps({"token": token}))
                assert json.loads(await connection.recv())["event"] == "welcome"
            answer = await asked(one, {"id": 1, "do": "edit", "edits": [{"piece": "Vex", "at": [30, 200]}]})
            told = json.loads(await asyncio.wait_for(two.recv(), PATIENCE))
            assert told["event"] == "edited"
            assert told["pieces"] == answer["pieces"]
            outside = [{"add": "terrain", "name": "rock", "at": [0, 0], "mesh": "../rock.stl"}]
            refused = await asked(two, {"id": 2, "do": "edit", "edits": outside})
            assert "lies outside the scene's folder" in str(refused["error"])
            deadline = time.monotonic() + PATIENCE
            while not (tmp_path / autosave_name(file)).is_file():
                assert time.monotonic() < deadline
                await asyncio.sleep(0.05)
            return answer

    with started(file) as (process, port, token):
        answer = asyncio.run(moved(port, token))
        os.killpg(process.pid, signal.SIGKILL)
    assert file.read_text(encoding="utf-8") == before

    async def state(port: int, token: str) -> dict[str, object]:
        async with connect(f"ws://127.0.0.1:{port}/socket", origin=f"http://127.0.0.1:{port}", proxy=None) as one:
            await one.send(json.dumps({"token": token}))
            return await asked(one, {"id": 1, "do": "state"})

    with started(file) as (_, port, token):
        again = asyncio.run(state(port, token))
    assert again["pieces"] == answer["pieces"]
    assert again["saved"] is False


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
    monkeypatch.setattr(doors, "ELSEWHERE", ("127.0.0.9", 9))
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
    assert len(code) > 15
    assert max(map(len, code)) <= 80


def test_a_browser_that_would_take_the_terminal_is_not_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    opened = []

    class Window(webbrowser.BaseBrowser):
        def open(self, url: str, new: int = 0, autoraise: bool = True) -> bool:
            opened.append(url)
            return True

    monkeypatch.setattr(webbrowser, "get", lambda: webbrowser.GenericBrowser("lynx"))
    monkeypatch.setattr(webbrowser.GenericBrowser, "open", lambda *_: opened.append("in the terminal"))
    table_command._open("http://127.0.0.1:1/#x")
    assert opened == []
    monkeypatch.setattr(webbrowser, "get", Window)
    table_command._open("http://127.0.0.1:1/#x")
    assert opened == ["http://127.0.0.1:1/#x"]
