"""Worker processes: each task once, whatever becomes of those who are at it."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from silhouette.workers import CAN_FORK, Event, WorkerPool
from silhouette.workers import clock as clock_module
from silhouette.workers.clock import RunningClock
from silhouette.workers.process import Work, is_stopped
from tests.support.batching import SteppedClock, force_forking, wait_until

pytestmark = pytest.mark.skipif(not CAN_FORK, reason="processes are not forked on this system")


@pytest.fixture(autouse=True)
def _forked(monkeypatch: pytest.MonkeyPatch) -> None:
    force_forking(monkeypatch)


def doing(work: Work) -> Callable[[], Work]:
    return partial(lambda same: same, work)


def events(pool: WorkerPool, tasks: list[Any]) -> list[Event]:
    left = list(tasks)
    with pool as pool:
        return list(pool.events(lambda last: left.pop(0) if left else None))


def square(number: int) -> Iterator[int]:
    yield number * number


def test_every_task_is_done_once_by_any_number_of_processes() -> None:
    for workers in (1, 2, 3, 12):
        found = events(WorkerPool(doing(square), workers), list(range(8)))
        assert sorted(event.value for event in found if event.kind == "result") == [n * n for n in range(8)]
        assert sorted(event.task for event in found if event.kind == "done") == list(range(8))


def test_nothing_to_do_starts_no_process() -> None:
    assert events(WorkerPool(lambda: pytest.fail("started"), 3), []) == []


def test_a_task_is_chosen_by_the_last_one_of_the_process() -> None:
    asked: list[Any] = []

    def next_task(last: Any) -> Any:
        asked.append(last)
        return None if last == 2 else (last or 0) + 1

    with WorkerPool(doing(square), 1) as pool:
        list(pool.events(next_task))
    assert asked == [None, 1, 2]


def test_a_process_that_dies_loses_its_task_alone_and_another_takes_its_place() -> None:
    def work(number: int) -> Iterator[int]:
        yield number
        if number == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        if number == 2:
            os._exit(3)
        yield number

    found = events(WorkerPool(doing(work), 2), list(range(5)))
    lost = {event.task: event.value for event in found if event.kind == "lost"}
    assert lost == {
        1: "the process that was at it ended (killed by SIGKILL)",
        2: "the process that was at it ended (exit status 3)",
    }
    assert [event.task for event in found if event.kind == "result"].count(1) == 1
    assert sorted(event.task for event in found if event.kind == "done") == [0, 3, 4]


def test_a_process_that_died_idle_loses_nothing() -> None:
    def who(_: int) -> Iterator[int]:
        yield os.getpid()

    pool = WorkerPool(doing(who), 1)
    first = []

    def next_task(last: Any) -> Any:
        if last == 2:
            return None
        if last == 1:
            os.kill(first[0], signal.SIGKILL)
            os.waitid(os.P_PID, first[0], os.WEXITED | os.WNOWAIT)  # it is gone, and whoever asks sees it
        return 1 if last is None else 2

    with pool as pool:
        for event in pool.events(next_task):
            assert event.kind != "lost"
            if event.kind == "result":
                first.append(event.value)
    assert len(set(first)) == 2


def test_patience_is_for_each_thing_told_and_ends_what_tells_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = SteppedClock.of_pools(monkeypatch, tmp_path)

    def work(number: int) -> Iterator[int]:
        while number == 1:
            time.sleep(60.0)
        for step in range(4):
            clock.let_pass(0.4)
            yield step

    left = [0, 1]

    def next_task(last: Any) -> Any:  # the third task follows the first, so that only one worker lets time pass
        return 2 if last == 0 else left.pop(0) if left else None

    with WorkerPool(doing(work), 2, timeout=0.6) as pool:
        found = list(pool.events(next_task))
    lost = [(event.task, event.value, event.may_retry) for event in found if event.kind == "lost"]
    assert lost == [(1, "not done within 0.6 s, the --timeout", False)]
    assert sorted(event.task for event in found if event.kind == "done") == [0, 2]
    assert [event.value for event in found if event.kind == "result"] == [0, 1, 2, 3] * 2


def test_time_for_which_the_pool_was_stopped_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("silhouette.workers.pool.CLOCK_INTERVAL_S", 0.02)
    stopped, real = [0.0], time.monotonic
    monkeypatch.setattr(clock_module, "time", SimpleNamespace(monotonic=lambda: real() + stopped[0]))

    def work(number: int) -> Iterator[int]:
        for _ in range(3):
            yield number
            time.sleep(0.1)

    left, found = [0, 1], []
    with WorkerPool(doing(work), 2, timeout=60.0) as pool:
        for event in pool.events(lambda last: left.pop() if left else None):
            found.append(event.kind)
            stopped[0] += 3600.0  # as though Ctrl-Z were typed here, and fg an hour later
    assert sorted(found) == ["done"] * 2 + ["result"] * 6


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the system does not tell which process is stopped")
def test_time_for_which_a_worker_was_stopped_does_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = SteppedClock.of_pools(monkeypatch, tmp_path)
    process = tmp_path / "process"

    def work(number: int) -> Iterator[str]:
        if number == 0:  # stops the other worker, lets an hour pass, and has it go on
            wait_until(process.exists)
            other = int(process.read_text())
            os.kill(other, signal.SIGSTOP)
            wait_until(lambda: is_stopped(other))
            for _ in range(60):
                clock.let_pass(60.0)
                yield "a minute"
            os.kill(other, signal.SIGCONT)
        else:
            (tmp_path / "partial").write_text(str(os.getpid()))
            (tmp_path / "partial").replace(process)
            wait_until(lambda: not process.exists())
        process.unlink(missing_ok=True)
        yield "done"

    found = events(WorkerPool(doing(work), 2, timeout=90.0), [0, 1])
    assert [event.kind for event in found if event.kind != "result"] == ["done"] * 2


def test_a_clock_counts_short_gaps_and_not_long_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter([0.0, 0.5, 2.0, 3602.0, 3602.5])
    monkeypatch.setattr(clock_module, "time", SimpleNamespace(monotonic=lambda: next(times)))
    clock = RunningClock()
    assert [clock.now() for _ in range(4)] == [0.5, 2.0, 2.0, 2.5]


def test_no_process_is_left_where_the_crew_is_left_in_the_middle() -> None:
    def work(_: int) -> Iterator[int]:
        yield os.getpid()
        time.sleep(60.0)

    with WorkerPool(doing(work), 2) as pool:
        left = [1, 2]
        told = pool.events(lambda last: left.pop() if left else None)
        processes = [next(told).value, next(told).value]
    for process in processes:
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)


@pytest.mark.slow
def test_processes_that_are_started_anew_do_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    force_forking(monkeypatch, False)
    found = events(WorkerPool(partial(_identity, divmod_by_seven), 1), [20, 50])
    assert [event.value for event in found if event.kind == "result"] == [(2, 6), (7, 1)]


def _identity(work: Work) -> Work:
    return work


def divmod_by_seven(number: int) -> Iterator[tuple[int, int]]:
    yield divmod(number, 7)
