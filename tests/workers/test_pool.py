"""Worker processes: each task once, whatever becomes of those who are at it."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

from silhouette.workers import CAN_FORK, Event, WorkerPool
from silhouette.workers.process import Work
from tests.support.batching import force_forking

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
            time.sleep(0.2)
        return 1 if last is None else 2

    with pool as pool:
        for event in pool.events(next_task):
            assert event.kind != "lost"
            if event.kind == "result":
                first.append(event.value)
    assert len(set(first)) == 2


def test_patience_is_for_each_thing_told_and_ends_what_tells_nothing() -> None:
    def work(number: int) -> Iterator[int]:
        for step in range(4):
            time.sleep(0.2)
            yield step
        while number == 1:
            pass

    start = time.monotonic()
    found = events(WorkerPool(doing(work), 2, timeout=0.6), [0, 1, 2])
    assert [event.value for event in found if event.kind == "lost"] == ["not done within 0.6 s, the --timeout"]
    assert sorted(event.task for event in found if event.kind == "done") == [0, 2]
    assert len([event for event in found if event.kind == "result"]) == 12
    assert time.monotonic() - start < 10.0


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


def test_processes_that_are_started_anew_do_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    force_forking(monkeypatch, False)
    found = events(WorkerPool(partial(_identity, divmod_by_seven), 1), [20, 50])
    assert [event.value for event in found if event.kind == "result"] == [(2, 6), (7, 1)]


def _identity(work: Work) -> Work:
    return work


def divmod_by_seven(number: int) -> Iterator[tuple[int, int]]:
    yield divmod(number, 7)
