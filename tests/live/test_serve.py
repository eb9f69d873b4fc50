"""Tests of `silhouette serve --stdio` as programs talk to it, and of the clients on the page of the protocol."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.commands import run
from tests.support.live_clients import by_pair, checked
from tests.support.live_edits import DUEL, PROJECT, table_of, written
from tests.support.warm_processes import Process

PATIENCE = 90.0
SERVE = [sys.executable, "-m", "silhouette", "serve", "--stdio", "--workers", "2"]
PROTOCOL = PROJECT / "silhouette/live/protocol.md"


class Served:
    """The program, with a thread that reads what it says."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process, self.heard = process, list[dict[str, Any]]()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.heard.append(json.loads(line, parse_constant=pytest.fail))

    def say(self, *lines: Any) -> None:
        assert self.process.stdin is not None
        for line in lines:
            self.process.stdin.write(line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n")
        self.process.stdin.flush()

    def until(self, holds: Any) -> None:
        end = time.monotonic() + PATIENCE
        while not holds(list(self.heard)):
            assert time.monotonic() < end, self.heard
            time.sleep(0.01)

    def ended(self) -> tuple[int, str]:
        """The exit status and what was complained of, once its input has ended; and nothing of it runs any longer."""
        assert self.process.stdin is not None
        assert self.process.stderr is not None
        self.process.stdin.close()
        status = self.process.wait(PATIENCE)
        self._thread.join(PATIENCE)
        return status, self.process.stderr.read().decode()


@contextmanager
def served(scene: Path, *options: str) -> Iterator[Served]:
    process = Process(
        [*SERVE, *options, str(scene)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stdin is not None
    try:
        yield Served(process)
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            assert stream is not None
            stream.close()


def _is_gone(group: int) -> bool:
    """Whether no process of a group runs any longer."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.02)
    return False


def test_many_requests_in_flight_are_answered_by_their_ids(tmp_path: Path) -> None:
    path = written(tmp_path)
    of_a_page = table_of(path)  # what a page has not saved is not what a program is answered about
    of_a_page.edit([{"piece": "Kal", "at": [90, 90]}])
    of_a_page.autosave()
    garbage = [b"\n", b"   \n", b"no json\n", b"[[[\n", b"[" * 100_000 + b"\n", b"\xff\n", b"NaN\n", b'{"id": NaN}\n']
    garbage += [b'{"id": 1, "do": "' + b"x" * (17 << 20) + b'"}\n']  # longer than a line may be
    with served(path) as program:
        pairs = [["Kal", "Vex"], ["Vex", "Bo"], ["Bo", "Kal"]]
        for number in range(60):
            program.say({"id": f"é{number}", "do": "check", "pairs": [pairs[number % 3]]})
            if number < len(garbage):
                program.say(garbage[number])
        program.say({"do": "state"}, {"id": 1, "do": "edit", "edits": [{"piece": "Vex", "at": [5, 200]}]})
        program.say({"id": 2, "do": "watch", "selected": "Vex"}, b'{"id": 3, "do": "text"}')  # without an end
        status, complaints = program.ended()
    assert (status, complaints) == (0, "")
    answers = {one["id"]: one for one in program.heard if one.get("id") is not None}
    assert set(answers) == {*(f"é{number}" for number in range(60)), 1, 2, 3}
    expected = by_pair(checked(path, everyone=True))
    for number in range(60):
        assert answers[f"é{number}"]["results"] == [expected[tuple(pairs[number % 3])]]
    strays = [one for one in program.heard if "event" not in one and one["id"] is None]
    assert len([one for one in strays if "error" in one]) == len(garbage) - 2
    assert all("\n" not in one["error"] and "Traceback" not in one["error"] for one in strays if "error" in one)
    assert answers[3]["text"] == DUEL.replace("[0, 200]", "[5, 200]")
    watched = [one for one in program.heard if one.get("event") == "results"]  # the end waits for what is watched
    assert watched[-1]["settled"]
    moved = by_pair(checked(written(tmp_path, answers[3]["text"], "moved.toml"), everyone=True))
    told = {tuple(pair): row for one in watched for pair, row in zip(one["pairs"], one["results"], strict=True)}
    assert told == {pair: row for pair, row in moved.items() if "Vex" in pair}
    assert path.read_text(encoding="utf-8") == DUEL
    assert of_a_page.autosave_path.exists()


@pytest.mark.long
def test_a_client_that_reads_late_loses_nothing(tmp_path: Path) -> None:
    process = Process([*SERVE, str(written(tmp_path))], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    asked = b"".join(json.dumps({"id": number, "do": "state"}).encode() + b"\n" for number in range(2000))
    out, _ = process.communicate(asked, PATIENCE)  # it reads while it writes; the pipe alone holds 64 KiB
    assert [json.loads(line)["id"] for line in out.splitlines()] == list(range(2000))


@pytest.mark.slow
@pytest.mark.parametrize("is_busy", [pytest.param(False, marks=pytest.mark.slow), True])
def test_ctrl_c_ends_it_while_it_waits_or_judges(tmp_path: Path, is_busy: bool) -> None:
    with served(written(tmp_path)) as program:
        program.say({"id": 1, "do": "state"})
        if is_busy:
            program.say({"id": 2, "do": "check", "pairs": [["Kal", "Vex"]] * 5000})
        program.until(lambda heard: heard)
        group = os.getpgid(program.process.pid)
        program.process.send_signal(signal.SIGINT)
        assert program.process.wait(PATIENCE) == 130
        assert program.process.stderr is not None
        assert program.process.stderr.read() == b"error: interrupted; nothing further was judged\n"
        assert _is_gone(group)


def test_it_ends_where_nobody_reads(tmp_path: Path) -> None:
    process = Process(
        [*SERVE, str(written(tmp_path))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    group = os.getpgid(process.pid)
    process.stdout.close()
    process.stdin.write(b'{"id": 1, "do": "state"}\n')  # and its input stays open
    process.stdin.flush()
    assert process.wait(PATIENCE) == 141
    assert process.stderr.read() == b""
    process.stdin.close()
    process.stderr.close()
    assert _is_gone(group)


@pytest.mark.slow
def test_it_leaves_no_process_where_it_is_killed(tmp_path: Path) -> None:
    with served(written(tmp_path)) as program:
        program.say({"id": 1, "do": "check", "everyone": True})
        program.until(lambda heard: heard)
        group = os.getpgid(program.process.pid)
        program.process.kill()
        program.process.wait()
        assert _is_gone(group)


def test_what_cannot_be_opened_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hexes = PROJECT / "scenes/tide_of_iron/adjacent_units.toml"
    for words in (["--stdio", tmp_path / "no.toml"], ["--stdio", hexes], ["--stdio", tmp_path], [written(tmp_path)]):
        ran = run(capsys, "serve", *words)
        assert (ran.status, ran.out, len(ran.complaints)) == (2, "", 1)


def _client(language: str) -> str:
    """The client of the protocol's page in a language."""
    (found,) = re.findall(rf"```{language}\n(.*?)```", PROTOCOL.read_text(encoding="utf-8"), re.DOTALL)
    assert len(found.splitlines()) <= 20
    return str(found)


@pytest.mark.slow
@pytest.mark.parametrize(
    "language, program, name", [("python", sys.executable, "client.py"), ("js", "node", "client.mjs")]
)
def test_the_clients_of_the_readme_print_what_check_says(
    tmp_path: Path, language: str, program: str, name: str
) -> None:
    found = shutil.which(program)
    if found is None:
        pytest.skip(f"needs {program}, which is not here")
    path, file = written(tmp_path), tmp_path / name
    file.write_text(_client(language), encoding="utf-8")
    places = [os.path.dirname(sys.executable), os.environ["PATH"]]
    ran = subprocess.run(
        [found, str(file), str(path)],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        env={**os.environ, "PATH": os.pathsep.join(places), "PYTHONPATH": str(PROJECT)},
    )
    assert ran.returncode == 0, ran.stderr
    expected = []
    table = table_of(path)
    for x in range(0, 50, 10):
        table.edit([{"piece": "Vex", "at": [x, 200]}])
        saved = written(tmp_path, table.text, "saved.toml")
        expected += [f"{x} mm: {by_pair(checked(saved, everyone=True))['Kal', 'Vex']['reason']}"]
    assert ran.stdout.splitlines() == expected
