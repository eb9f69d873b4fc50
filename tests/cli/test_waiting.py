"""Signs of life: a progress bar on a terminal, one line after some seconds where there is none."""

from __future__ import annotations

import io
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from silhouette.batches.schedule import RowsInMemory, Schedule
from silhouette.cli import waiting as waiting_module
from silhouette.cli.waiting import Waiting, _Alarm
from silhouette.workers import Event
from tests.support.batching import environment, scene_of_blocks, wait_until


class Screen(io.StringIO):
    """A terminal that remembers what was written to it."""

    def isatty(self) -> bool:
        return True


by_timer = pytest.mark.skipif(not _Alarm.works_here(), reason="this system has no such timer")
forking = pytest.mark.parametrize("forking", [False, pytest.param(True, marks=by_timer)])


def shown_on(monkeypatch: pytest.MonkeyPatch, stream: io.StringIO) -> io.StringIO:
    """The stream, which is standard error from now on; signs of life come soon."""
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setattr(waiting_module, "PATIENCE", 0.01)
    monkeypatch.setattr(waiting_module, "LINE_AFTER", 0.01)
    return stream


@forking
def test_a_bar_is_shown_on_a_terminal(monkeypatch: pytest.MonkeyPatch, forking: bool) -> None:
    stream = shown_on(monkeypatch, Screen())
    with Waiting("judging duel.toml", quiet=False, forking=forking) as waiting:
        waiting.step(1, 4)
        wait_until(lambda: "judging duel.toml" in stream.getvalue())
        waiting.step(2, 4)
        wait_until(lambda: "50%" in stream.getvalue())


@forking
def test_one_line_is_printed_where_there_is_no_terminal(monkeypatch: pytest.MonkeyPatch, forking: bool) -> None:
    stream = shown_on(monkeypatch, io.StringIO())
    for step, words in ((None, "still at it"), ((1, 4000), "1 of 4 000"), ((1, 4, True), "1 of at least 4")):
        with Waiting("judging duel.toml", quiet=False, forking=forking) as waiting:
            if step:
                waiting.step(*step)  # type: ignore[arg-type]
            wait_until(lambda: stream.getvalue() != "")
            time.sleep(0.05)
        assert stream.getvalue() == f"judging duel.toml: {words} after 0.01 s\n"
        stream.seek(0)
        stream.truncate()


@forking
@pytest.mark.parametrize("make", [io.StringIO, Screen])
def test_the_quiet_and_the_quick_show_nothing(
    monkeypatch: pytest.MonkeyPatch, make: Callable[[], io.StringIO], forking: bool
) -> None:
    stream = shown_on(monkeypatch, make())
    with Waiting("judging duel.toml", quiet=True, forking=forking) as waiting:
        waiting.step(1, 1)
        time.sleep(0.05)
    for name in ("PATIENCE", "LINE_AFTER"):
        monkeypatch.setattr(waiting_module, name, 60.0)
    with Waiting("judging duel.toml", quiet=False, forking=forking) as waiting:
        waiting.step(1, 1)
    assert stream.getvalue() == ""


@by_timer
def test_a_command_that_forks_has_no_thread_and_leaves_the_timer_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = shown_on(monkeypatch, Screen())
    before = threading.active_count(), signal.getsignal(signal.SIGALRM), signal.getitimer(signal.ITIMER_REAL)
    with Waiting("judging duel.toml", quiet=False, forking=True):
        wait_until(lambda: "judging" in stream.getvalue())
        assert threading.active_count() == before[0]
        child = os.fork()
        if not child:
            os._exit(int(signal.getitimer(signal.ITIMER_REAL) != (0.0, 0.0)))
        assert os.waitpid(child, 0)[1] == 0
    assert before == (
        threading.active_count(),
        signal.getsignal(signal.SIGALRM),
        signal.getitimer(signal.ITIMER_REAL),
    )


def test_a_total_that_may_grow_shows_no_share_and_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = shown_on(monkeypatch, Screen())
    with Waiting("judging", quiet=False, rated=True) as waiting:
        waiting.step(5998, 7200, True)
        wait_until(lambda: "5 998 of at least 7 200" in stream.getvalue())
        assert "%" not in stream.getvalue()
        assert {*re.findall(r"(\d+)/s", stream.getvalue())} == {"0"}  # the rate is of those that were done since
        waiting.step(7200, 14400)
        wait_until(lambda: "7 200 of 14 400" in stream.getvalue() and "50%" in stream.getvalue())


def test_a_batch_knows_its_total_when_every_scene_is_opened() -> None:
    schedule = Schedule(["a.toml", "b.toml"], RowsInMemory())
    chunks = [schedule.next_chunk(None), schedule.next_chunk(None)]
    for chunk, checks, known in zip(chunks, (40, 2), (False, True), strict=True):
        assert not schedule.is_total_known
        schedule.record(Event(chunk, "result", {"digest": "d", "checks": checks}))
        assert schedule.is_total_known == known
    assert schedule.total == 42


SLOW = """
import sys, time
import silhouette.judging.checking as judging
right = judging.load_scene
def load_scene(*words, **options):
    time.sleep(60.0)
    return right(*words, **options)
judging.load_scene = load_scene
from silhouette.cli import waiting
waiting.LINE_AFTER = 0.2
from silhouette.cli.app import main
sys.exit(main())
"""


@pytest.mark.thinned(quick=0, ci=35)
@pytest.mark.parametrize("command", ["check", "matrix", "batch", "draw", "report"])
def test_every_command_that_takes_long_gives_a_sign_of_life(tmp_path: Path, command: str) -> None:
    path = scene_of_blocks(tmp_path / "crowd.toml", 24)
    out: dict[str, Callable[[], list[str]]] = {
        "batch": lambda: ["--everyone", "--out", str(tmp_path / "rows.csv")],
        "draw": lambda: ["--out", str(tmp_path / "figures")],
        "report": lambda: ["--out", str(tmp_path / "report.html")],
    }
    words = [sys.executable, "-c", SLOW, command, str(path), *out.get(command, list)()]
    with subprocess.Popen(
        words, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, env=environment()
    ) as ran:
        assert ran.stderr is not None
        line = ran.stderr.readline()
        ran.kill()
    assert line.endswith(" after 0.2 s\n")
    assert not line.startswith("error")
