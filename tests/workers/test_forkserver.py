"""Workers that share what their tasks need: it is loaded once, and what cannot be loaded costs its tasks alone."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from silhouette.workers import Event, WorkerPool
from silhouette.workers.forkserver import Loaded, can_serve
from tests.support.batching import SteppedClock, force_forking, wait_until

pytestmark = pytest.mark.skipif(not can_serve(), reason="processes are not forked and watched on this system")

Task = tuple[int, str]
"""A number, and a letter for each thing that it needs."""


@pytest.fixture(autouse=True)
def _forked(monkeypatch: pytest.MonkeyPatch) -> None:
    force_forking(monkeypatch)


class Reader:
    """A work whose tasks tell in which process they are, by which it was forked, and what had been loaded there."""

    def __init__(self, log: Path, room: int, load: Callable[[str], None], work: Callable[[int], None]) -> None:
        self.log, self.room, self.on_load, self.on_work = log, room, load, work
        self.loaded = ""

    def load(self, task: Task) -> Loaded:
        for letter in task[1]:
            if letter not in self.loaded:
                self.on_load(letter)
                self.loaded += letter
                with self.log.open("a") as log:
                    log.write(f"{letter} {os.getpid()}\n")
        return "unshared" if "!" in task[1] else "room" if len(self.loaded) < self.room else "full"

    def __call__(self, task: Task) -> Iterator[tuple[int, int, str]]:
        yield os.getpid(), os.getppid(), self.loaded
        self.on_work(task[0])


def nothing(_: Any) -> None:
    pass


class Batch:
    """What came of some tasks."""

    def __init__(
        self,
        folder: Path,
        tasks: list[Task],
        workers: int = 2,
        *,
        room: int = 99,
        timeout: float | None = None,
        load: Callable[[str], None] = nothing,
        work: Callable[[int], None] = nothing,
        after: Callable[[Any], None] = nothing,
    ) -> None:
        log = folder / "loaded"
        log.touch()
        left = list(tasks)

        def next_task(last: Any) -> Any:
            after(last)
            return left.pop(0) if left else None

        pool = WorkerPool(partial(Reader, log, room, load, work), workers, timeout, lambda task: frozenset(task[1]))
        with pool as pool:
            self.events = list(pool.events(next_task))
        self.loads = [line.split()[0] for line in log.read_text().splitlines()]
        self.servers = {int(line.split()[1]) for line in log.read_text().splitlines()}

    def of(self, kind: str) -> dict[Task, Any]:
        found = [event for event in self.events if event.kind == kind]
        assert len({event.task for event in found}) == len(found)
        return {event.task: event.value for event in found}


@pytest.mark.thinned(quick=54)
@pytest.mark.parametrize("is_safe", [True, False], ids=["forked", "executed"])
def test_what_tasks_share_is_loaded_once_and_each_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_safe: bool
) -> None:
    """Also where the fork server itself is a fresh Python, because its parent has threads."""
    force_forking(monkeypatch, is_safe)
    tasks = [(number, needs) for number, needs in enumerate(["ab", "abc", "bc", "abcd", "a", "", "abc"])]
    ran = Batch(tmp_path, tasks, workers=3)
    assert set(ran.of("done")) == set(ran.of("result")) == set(tasks)
    assert sorted(ran.loads) == ["a", "b", "c", "d"]
    (server,) = ran.servers
    for (_, needs), (_, parent, loaded) in ran.of("result").items():
        assert set(needs) <= set(loaded)
        assert parent == server or not loaded
    for process in {process for process, _, _ in ran.of("result").values()} | {server}:
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)


@pytest.mark.slow
def test_what_has_nothing_in_common_is_loaded_side_by_side(tmp_path: Path) -> None:
    ran = Batch(tmp_path, [(0, "abcd"), (1, "bcxyz"), (2, "cde")], workers=3, work=lambda _: time.sleep(0.1))
    assert len(ran.servers) == 2
    assert sorted(ran.loads) == sorted("abcde" + "bcxyz")


@pytest.mark.slow
def test_one_that_is_full_makes_room_for_another(tmp_path: Path) -> None:
    ran = Batch(tmp_path, [(0, "ab"), (1, "bc"), (2, "cd"), (3, "de")], room=3)
    assert len(ran.of("done")) == 4
    assert len(ran.servers) >= 2
    assert all(set(needs) <= set(loaded) for (_, needs), (_, _, loaded) in ran.of("result").items())
    assert all(len(loaded) <= 4 for _, _, loaded in ran.of("result").values())


def test_one_worker_alone_shares_with_nobody(tmp_path: Path) -> None:
    ran = Batch(tmp_path, [(0, "ab"), (1, "ab")], workers=1)
    assert {parent for _, parent, _ in ran.of("result").values()} == {os.getpid()}
    assert ran.loads == []


def test_a_worker_that_dies_costs_its_task_and_how_it_ended_is_told(tmp_path: Path) -> None:
    def work(number: int) -> None:
        if number == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        if number == 3:
            os._exit(3)

    tasks = [(number, "ab") for number in range(6)]
    ran = Batch(tmp_path, tasks, work=work)
    assert ran.of("lost") == {
        (1, "ab"): "the process that was at it ended (killed by SIGKILL)",
        (3, "ab"): "the process that was at it ended (exit status 3)",
    }
    assert set(ran.of("done")) == {task for task in tasks if task[0] not in (1, 3)}
    assert sorted(ran.loads) == ["a", "b"]


def test_a_worker_that_dawdles_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = SteppedClock.of_pools(monkeypatch, tmp_path)

    def work(number: int) -> None:
        if number == 3:
            clock.let_pass(0.5)
            clock.let_pass(0.4)
        if number == 1:
            wait_until((tmp_path / "all others").exists)
            clock.let_pass(1.1)
            time.sleep(60.0)

    def after(last: Any) -> None:
        if last == (3, "ab"):
            (tmp_path / "all others").touch()

    ran = Batch(tmp_path, [(number, "ab") for number in range(4)], timeout=1.0, work=work, after=after)
    assert ran.of("lost") == {(1, "ab"): "not done within 1 s, the --timeout"}
    assert len(ran.of("done")) == 3


@pytest.mark.thinned(quick=44)
@pytest.mark.parametrize("ending", ["dies", "hangs", "raises"])
def test_what_cannot_be_loaded_is_left_to_the_worker_whose_task_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    clock = SteppedClock.of_pools(monkeypatch, tmp_path)

    def load(letter: str) -> None:
        if letter == "x" and ending == "dies":
            os.kill(os.getpid(), signal.SIGKILL)
        if letter == "x" and ending == "hangs":
            clock.let_pass(1.1)
            time.sleep(60.0)
        if letter == "x":
            raise MemoryError

    tasks = [(0, "abx"), (1, "ab"), (2, "abc"), (3, "abx"), (4, "x")]
    ran = Batch(tmp_path, tasks, timeout=1.0, load=load)
    assert set(ran.of("done")) == set(tasks)
    assert ran.of("lost") == {}
    assert "x" not in ran.loads


@pytest.mark.slow
def test_a_fork_server_that_is_killed_takes_nothing_with_it(tmp_path: Path) -> None:
    here = os.getpid()

    def work(number: int) -> None:
        server = os.getppid()
        if number in (1, 4) and server != here:
            os.kill(server, signal.SIGKILL)
        time.sleep(0.2)
        if number == 4:
            os._exit(1)

    tasks = [(number, "ab") for number in range(4)] + [(number, "abc") for number in range(4, 9)]
    ran = Batch(tmp_path, tasks, work=work)
    assert ran.of("lost") == {(4, "abc"): "the process that was at it ended"}
    assert set(ran.of("done")) == {task for task in tasks if task[0] != 4}
    assert "c" in ran.of("result")[4, "abc"][2]
    assert len(ran.servers) >= 2


@pytest.mark.slow
def test_where_forks_cannot_use_it_workers_are_started_without(tmp_path: Path) -> None:
    tasks = [(0, "a!"), (1, "b"), (2, "c"), (3, "a!")]
    ran = Batch(tmp_path, tasks)
    assert set(ran.of("done")) == set(tasks)
    assert not any("a" in loaded for _, _, loaded in ran.of("result").values())


def test_patience_is_for_the_work_and_not_for_the_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = SteppedClock.of_pools(monkeypatch, tmp_path)

    def slowly(_: Any) -> None:
        clock.let_pass(0.7)

    found: list[Event] = Batch(tmp_path, [(0, "a"), (1, "ab"), (2, "abc")], timeout=1.0, load=slowly).events
    assert [event.kind for event in found if event.kind == "lost"] == []
