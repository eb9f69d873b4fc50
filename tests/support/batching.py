"""Batches as the tests of them use them: packs of small scenes, and the command in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

import pytest

from silhouette.batches import chunks
from silhouette.workers import CAN_FORK
from tests.support.shapes import cube
from tests.support.warm_processes import Process, run_warm

FAST = ("--renderer", "reference", "--pixel", "2", "--no-cache", "--quiet")
"""Options with which a check of these scenes takes a millisecond or two."""

LONG_ENOUGH = 120.0
"""Seconds after which what was waited for will not come any more."""

SLOWLY = """
import signal, sys, time
from pathlib import Path
signal.signal(signal.SIGINT, signal.default_int_handler)
journal = {journal!r} and Path({journal!r})
from silhouette.batches import chunks
right = chunks.judge_all
def judge_all(requests, options):
    time.sleep({seconds} * len(requests))
    while journal and journal.exists() and journal.read_bytes().count(b'"row":') >= {rows}:
        time.sleep(0.1)
    return right(requests, options)
chunks.judge_all = judge_all
from silhouette.cli.app import main
sys.exit(main())
"""
"""The command line, where each check takes so long at least, and none begins once the journal has so many rows.

For processes that are forked.

A shell that started the tests in the background may have told its children to ignore Ctrl-C; it is obeyed again here.
"""


def scene_of_blocks(path: Path, models: int, wall: float = 18.0, across: int = 4) -> Path:
    """A scene of blocks, so many across, with a wall of that height behind the first row, in which nothing is asked."""
    fighters = [
        f'{{ name = "M{number}", at = [{60 * (number % across)}, {150 * (number // across)}], '
        f"facing = {90 + 180 * (number // across)}, eye = [0, 6, 24], parts = [{{ box = [12, 12, 28] }}] }}"
        for number in range(models)
    ]
    terrain = f'{{ name = "wall", at = [60, 75], parts = [{{ box = [80, 4, {wall}] }}] }}'
    text = f'rules = "necromunda"\nfighter = [{", ".join(fighters)}]\nterrain = [{terrain}]\n'
    path.write_text(text, encoding="utf-8")
    return path


def folder_of_scenes(folder: Path, scenes: int = 4, models: int = 6, across: int = 4) -> Path:
    """A folder of scenes that differ."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(scenes):
        scene_of_blocks(folder / f"crowd {number}.toml", models, 12.0 + 2 * number, across)
    return folder


def folder_of_scenes_with_meshes(folder: Path, scenes: int = 4, models: int = 6, across: int = 4) -> Path:
    """The same, where each scene has two blocks from mesh files: one that all share, and one that it has alone."""
    folder_of_scenes(folder, scenes, models, across)
    for number in range(scenes):
        pieces = []
        for name, at in (("shared", -60), (f"own {number}", 30)):
            write_block(folder / f"{name}.obj", 20.0 if name == "shared" else 15.0 + number)
            (folder / f"{name}.toml").write_text(f'mesh = "{name}.obj"\nkind = "terrain"\nunits = "mm"\n')
            pieces.append(f'{{ name = "{name}", model = "{name}.toml", at = [{at}, 70] }}')
        path = folder / f"crowd {number}.toml"
        path.write_text(path.read_text().replace("terrain = [", f"terrain = [{', '.join(pieces)}, "))
    return folder


def write_block(path: Path, side: float) -> None:
    """A cube as an OBJ file."""
    shape = cube(side)
    corners = "".join("v {} {} {}\n".format(*corner) for corner in shape.vertices)
    faces = "".join("f {} {} {}\n".format(*(face + 1)) for face in shape.faces)
    path.write_text(corners + faces)


def rows_of(path: Path) -> list[dict[str, Any]]:
    """The rows of a .jsonl file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _journal(out: Path) -> Path:
    return out.with_name(f"{out.name}.unfinished")


def journaled(out: Path) -> list[tuple[str, int]]:
    """Which checks the journal beside an unfinished file holds; its last line may be half a line."""
    journal = _journal(out)
    lines = journal.read_bytes().splitlines(keepends=True) if journal.exists() else []
    entries = [json.loads(line) for line in lines if line.endswith(b"\n")]
    return [(entry["scene"], entry["check"]) for entry in entries if "row" in entry]


def environment() -> dict[str, str]:
    """The environment in which no line of the output is folded."""
    return {name: value for name, value in os.environ.items() if name != "COLUMNS"}


def slowly(seconds: float, out: Path | None = None, rows: int = 0) -> str:
    """The Python of a command line whose checks take so long, and which stands still after so many journaled rows."""
    return SLOWLY.format(seconds=seconds, journal=str(_journal(out)) if out else "", rows=rows)


def command(*words: object, seconds: float = 0.0, still: tuple[Path, int] | None = None) -> list[str]:
    """The command line as a process; each check takes so long at least."""
    start = ["-c", slowly(seconds, *(still or ()))] if seconds else ["-m", "silhouette"]
    return [sys.executable, *start, *map(str, words)]


@contextmanager
def running(
    *words: object, seconds: float = 0.0, still: tuple[Path, int] | None = None
) -> Iterator[subprocess.Popen[str]]:
    """The same, running, in a process group of its own; it is killed at the end, where it still runs.

    `still` is an output and a number of rows: with so many in its journal, no further check begins. Who waits for
    that many rows and kills, kills in the middle, however busy the machine is.
    """
    pipe = subprocess.PIPE
    start = command(*words, seconds=seconds, still=still)
    batch = Process(start, stdout=pipe, stderr=pipe, text=True, start_new_session=True, env=environment())
    try:
        yield batch
    finally:
        batch.kill()
        batch.wait()
        for stream in (batch.stdout, batch.stderr):
            assert stream is not None
            stream.close()


def finished(*words: object, before: str = "") -> subprocess.CompletedProcess[str]:
    """The same, when it has ended; before it begins, some Python is run. A traceback is never right."""
    start = [sys.executable, "-c", before + slowly(0), *map(str, words)] if before else command(*words)
    ran = run_warm(start, text=True, env=environment())
    assert "Traceback" not in ran.stderr, ran.stderr
    return ran


def wait_until(holds: Callable[[], bool]) -> None:
    """Waits, but not for ever."""
    deadline = time.monotonic() + LONG_ENOUGH
    while not holds():
        assert time.monotonic() < deadline, "it did not come to that"
        time.sleep(0.01)


def alive_in_group(leader: int) -> list[int]:
    """The processes of a group that still run; empty where the system does not tell."""
    return [process for process, (state, _, group) in _processes() if group == leader and state != "Z"]


def children_of(parent: int) -> list[int]:
    """The processes that a process has started and that still run; empty where the system does not tell."""
    return [process for process, (state, above, _) in _processes() if above == parent and state != "Z"]


def _processes() -> Iterator[tuple[int, tuple[str, int, int]]]:
    """Every process, with its state, its parent and its group."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state, parent, group = (folder / "stat").read_text().rpartition(")")[2].split()[:3]
        except OSError:
            continue
        yield int(folder.name), (state, int(parent), int(group))


def force_forking(monkeypatch: pytest.MonkeyPatch, is_safe: bool = True) -> None:
    """Has workers forked, whatever was loaded into this process before; or else started anew."""
    method = "fork" if is_safe else "execute"
    monkeypatch.setattr("silhouette.workers.starting.start_method", lambda: method)


def before_each_check(monkeypatch: pytest.MonkeyPatch, before: Callable[[Any], None]) -> None:
    """Does something before each check, told which, in workers that are forked from this process."""
    if not CAN_FORK:
        pytest.skip("processes are not forked on this system")
    right = chunks.judge_all

    def judge_all(requests: Any, options: Any) -> Any:
        for _, check in requests:
            before(check)
        return right(requests, options)

    monkeypatch.setattr(chunks, "judge_all", judge_all)
    force_forking(monkeypatch)


def die(check: Any, attacker: str, target: str) -> None:
    """Ends the process at once, at a certain check."""
    if (check.attacker, check.target) == (attacker, target):
        os.kill(os.getpid(), 9)


class SteppedClock:
    """A clock of a pool on which time passes only when a worker says so: it does not matter how slow the machine is.

    Time passes only while the pool waits and nothing has come to it: so it has heard all that the worker told before.
    Else the pool would begin to count the time until the next message only after that time had passed.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._now = 0.0
        self._passed: list[Path] = []

    @classmethod
    def of_pools(cls, monkeypatch: pytest.MonkeyPatch, folder: Path) -> SteppedClock:
        """The clock of every pool that is made from now on, which looks at it often."""
        clock = cls(folder / "seconds that pass")
        clock._folder.mkdir()
        monkeypatch.setattr("silhouette.workers.pool.RunningClock", lambda: clock)
        monkeypatch.setattr("silhouette.workers.pool.CLOCK_INTERVAL_S", 0.02)
        monkeypatch.setattr("silhouette.workers.pool.wait", clock._wait)
        return clock

    def now(self) -> float:
        """The seconds that have passed."""
        return self._now

    def _wait(self, pipes: Sequence[Any], seconds: float | None = None) -> list[Any]:
        """Waits for messages as the pool does. Without any, the seconds pass that workers had asked for before."""
        for file in self._passed:  # the pool waits again: it has done what follows from the time that passed
            file.unlink()
        self._passed = []
        asked = sorted(self._folder.glob("worker *"))
        ready = wait(pipes, 0.0 if asked else seconds)
        if not ready:
            self._now += sum(float(file.read_text()) for file in asked)
            self._passed = asked
        return ready

    def let_pass(self, seconds: float) -> None:
        """Called by a worker: has that many seconds pass on the clock; returns when the pool has acted on them."""
        partial = self._folder / f"partial {os.getpid()}"
        partial.write_text(str(seconds))
        asked = partial.rename(self._folder / f"worker {os.getpid()}")
        wait_until(lambda: not asked.exists())
