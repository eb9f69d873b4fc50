"""Submitted tasks: by urgency, cancelled in the middle, with contents that are sent once, whoever drives the pool."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import wait
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from silhouette.common.errors import SilhouetteError
from silhouette.workers import CAN_FORK, PATIENT, WORKER_LOST, WorkerPool
from silhouette.workers.content import CONTENT_ROOM, Content, content_of
from silhouette.workers.process import Stopped, worker_pipe
from tests.support.batching import children_of, force_forking, wait_until

pytestmark = pytest.mark.skipif(not CAN_FORK, reason="processes are not forked on this system")

PATIENCE = 60.0


@pytest.fixture(autouse=True)
def _forked(monkeypatch: pytest.MonkeyPatch) -> None:
    force_forking(monkeypatch)


@contextmanager
def driven(work: Callable[[Any], Iterator[Any]], workers: int = 1, tries: int = 1) -> Iterator[WorkerPool]:
    """A pool that a thread drives."""
    with WorkerPool(partial(lambda same: same, work), workers, tries=tries) as pool:
        pool.start_all(None)
        pool.start_thread()
        yield pool


def submitted(pool: WorkerPool, *tasks: Any, **how: Any) -> list[Any]:
    futures = [pool.submit(task, **how) for task in tasks]
    pool.wake()
    return futures


def until_stopped(log: Path, times: int = 1) -> Iterator[str]:
    """Writes down that it was begun; so many times it looks for a message until one comes."""
    with log.open("a", encoding="utf-8") as file:
        file.write(f"{os.getpid()} ")
    if len(log.read_text(encoding="utf-8").split()) <= times:
        while not worker_pipe().poll(PATIENCE):
            pass
        worker_pipe().recv()
        raise Stopped
    yield "the second time"


def doing(task: Any) -> Iterator[Any]:
    if isinstance(task, Path):
        yield from until_stopped(task)
    else:
        yield task, os.getpid()


def test_what_is_cancelled_in_the_middle_ends_there_and_its_process_goes_on(tmp_path: Path) -> None:
    with driven(doing) as pool:
        (endless,) = submitted(pool, tmp_path / "log")
        wait_until((tmp_path / "log").exists)
        (next_one,) = submitted(pool, 5)
        assert endless.cancel()
        task, process = next_one.result(PATIENCE)
    assert (task, [str(process)]) == (5, (tmp_path / "log").read_text().split())


@pytest.mark.parametrize(("urgency", "begun"), [(PATIENT - 1, 2), (PATIENT, 1)])
def test_a_patient_task_gives_way_to_an_urgent_one_and_is_begun_again(tmp_path: Path, urgency: int, begun: int) -> None:
    log = tmp_path / "log"
    with driven(doing) as pool:
        (patient,) = submitted(pool, log, urgency=PATIENT)
        wait_until(log.exists)
        (urgent,) = submitted(pool, 5, urgency=urgency)
        if begun == 1:
            time.sleep(0.2)
            assert not urgent.done()
            pool._slots[0].pipe.send("stop")
        assert urgent.result(PATIENCE)[0] == 5
        assert patient.result(PATIENCE) == "the second time"


def test_the_most_urgent_is_first_and_of_two_the_one_that_was_submitted_first() -> None:
    order = list[int]()
    with WorkerPool(partial(lambda same: same, doing), 1) as pool:
        futures = []
        for number, urgency in enumerate((3, 0, 3, 1, 0)):
            futures.append(pool.submit(number, urgency=urgency))
            futures[-1].add_done_callback(lambda future: order.append(future.result()[0]))
        for future in futures:
            pool.result(future)
    assert order == [1, 4, 3, 0, 2]


def dying(folder: Path, times: int) -> Iterator[str]:
    if len(list(folder.iterdir())) < times:
        (folder / str(time.monotonic_ns())).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    yield "done"


@pytest.mark.parametrize(("times", "tries"), [(1, 2), (2, 2), (1, 1)])
def test_a_task_whose_process_ends_is_tried_by_as_many_as_may_be_lost(tmp_path: Path, times: int, tries: int) -> None:
    with driven(lambda task: dying(tmp_path, times), tries=tries) as pool:
        (future,) = submitted(pool, "task")
        if times < tries:
            assert future.result(PATIENCE) == "done"
        else:
            with pytest.raises(SilhouetteError, match=WORKER_LOST):
                future.result(PATIENCE)
        assert submitted(pool, "next")[0].result(PATIENCE) == "done"
    assert len(list(tmp_path.iterdir())) == times


def test_contents_are_sent_to_a_process_once_and_again_after_they_were_dropped() -> None:
    made, unpacked = list[str](), "unpacked"

    def work(digests: str) -> Iterator[list[tuple[str, int]]]:
        yield [(content_of(digest, lambda data: (data.decode(), time.monotonic_ns())), 0)[0] for digest in digests]

    def content(digest: str) -> Content:
        def make() -> bytes:
            made.append(digest)
            return f"{unpacked} {digest}".encode()

        return Content(make, CONTENT_ROOM // 3)

    contents = {digest: content(digest) for digest in "abcd"}
    seen = dict[str, set[int]]()
    with WorkerPool(partial(lambda same: same, work), 1) as pool:
        for digests in ("a", "ab", "ba", "abc", "d", "abcd"):
            values = pool.result(pool.submit(digests, {digest: contents[digest] for digest in digests}))
            assert [value for value, _ in values] == [f"{unpacked} {digest}" for digest in digests]
            for digest, (_, when) in zip(digests, values, strict=True):
                seen.setdefault(digest, set()).add(when)
    # Two have room. With c they are three, all needed; with d, which is alone, a and b make room, and come again.
    assert "".join(made) == "abcdab"
    assert {digest: len(times) for digest, times in seen.items()} == {"a": 2, "b": 2, "c": 1, "d": 1}


def test_a_process_that_was_lost_is_sent_its_contents_again() -> None:
    here = os.getpid()

    def work(task: str) -> Iterator[str]:
        data: str = content_of("a", bytes.decode)
        if task == "die" and os.getpid() != here:
            os.kill(os.getpid(), signal.SIGKILL)
        yield data

    made = list[int]()
    content = {"a": Content(lambda: made.append(1) or b"text")}  # type: ignore[func-returns-value]
    with WorkerPool(partial(lambda same: same, work), 1) as pool:
        assert pool.result(pool.submit("go", content)) == "text"
        with pytest.raises(SilhouetteError, match=WORKER_LOST):
            pool.result(pool.submit("die", content))
        assert pool.result(pool.submit("go", content)) == "text"
    assert len(made) == 2


@pytest.mark.parametrize("kind", [SilhouetteError, OSError])
def test_a_content_that_cannot_be_made_is_the_error_of_its_task_alone(kind: type[Exception]) -> None:
    def fail() -> bytes:
        raise kind("it cannot be packed")

    def work(task: str) -> Iterator[str]:
        yield content_of("good", bytes.decode)

    contents = {"good": Content(lambda: b"text"), "bad": Content(fail)}
    with driven(work) as pool:
        good, bad = pool.submit("", {"good": contents["good"]}), pool.submit("", contents)
        again = pool.submit("", {"good": contents["good"]})
        pool.wake()
        assert [good.result(PATIENCE), again.result(PATIENCE)] == ["text", "text"]
        with pytest.raises(kind, match="it cannot be packed"):
            bad.result(PATIENCE)


def test_of_a_task_that_cannot_be_packed_nothing_counts_as_sent() -> None:
    def work(task: Any) -> Iterator[str]:
        yield content_of("text", bytes.decode)

    contents = {"text": Content(lambda: b"text")}
    with driven(work) as pool:
        bad, good = pool.submit(lambda: 0, contents), pool.submit("", contents)
        pool.wake()
        with pytest.raises(Exception, match="pickle"):
            bad.result(PATIENCE)
        assert good.result(PATIENCE) == "text"


def test_two_urgent_tasks_have_two_patient_ones_give_way(tmp_path: Path) -> None:
    logs = [tmp_path / "a", tmp_path / "b"]
    with driven(doing, workers=2) as pool:
        patient = submitted(pool, *logs, urgency=PATIENT)
        wait_until(lambda: all(log.exists() for log in logs))
        urgent = submitted(pool, 5, 6)
        assert [future.result(PATIENCE)[0] for future in urgent] == [5, 6]
        assert [future.result(PATIENCE) for future in patient] == ["the second time"] * 2
        assert [log.read_text().count(" ") for log in logs] == [2, 2]


def test_the_least_urgent_of_patient_tasks_gives_way(tmp_path: Path) -> None:
    more, less = tmp_path / "more", tmp_path / "less"
    with driven(doing, workers=2) as pool:
        (more_urgent,), (less_urgent,) = (
            submitted(pool, log, urgency=urgency) for log, urgency in ((more, PATIENT), (less, PATIENT + 1))
        )
        wait_until(lambda: more.exists() and less.exists())
        (urgent,) = submitted(pool, 5)
        assert urgent.result(PATIENCE)[0] == 5
        assert less_urgent.result(PATIENCE) == "the second time"
        assert not more_urgent.done()


def test_a_task_gives_way_as_often_as_it_must(tmp_path: Path) -> None:
    log = tmp_path / "log"

    def work(task: Any) -> Iterator[Any]:
        yield from until_stopped(task, times=2) if isinstance(task, Path) else doing(task)

    with driven(work) as pool:
        (patient,) = submitted(pool, log, urgency=PATIENT)
        for number in (1, 2):
            wait_until(lambda number=number: log.exists() and log.read_text().count(" ") == number)  # type: ignore[misc]
            (urgent,) = submitted(pool, number)
            assert urgent.result(10.0)[0] == number
        assert patient.result(PATIENCE) == "the second time"


def test_nobody_gives_way_to_a_task_that_was_cancelled_before_it_was_begun(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with driven(doing, workers=2) as pool:
        (patient,) = submitted(pool, log, urgency=PATIENT)
        wait_until(log.exists)
        assert pool.submit(5).cancel()
        urgent = pool.submit(6)  # the other process is free for it
        assert not patient.is_giving_way
        pool.wake()
        assert urgent.result(PATIENCE)[0] == 6
        assert not patient.done()


def test_an_error_of_the_work_is_that_of_the_future_and_the_process_goes_on() -> None:
    def work(number: int) -> Iterator[tuple[float, int]]:
        yield 1 / number, os.getpid()

    with driven(work) as pool:
        first, second, third = submitted(pool, 2, 0, 4)
        with pytest.raises(ZeroDivisionError):
            second.result(PATIENCE)
        assert first.result(PATIENCE)[1] == third.result(PATIENCE)[1]


def test_closing_ends_every_process_and_every_task_whatever_they_are_at() -> None:
    def work(task: Any) -> Iterator[Any]:
        time.sleep(600.0)
        yield task

    before = children_of(os.getpid())
    with driven(work, workers=2) as pool:
        futures = submitted(pool, *range(4), bytes(10_000_000))
        wait_until(lambda: all(slot.is_busy for slot in pool._slots))
        pool.close(SilhouetteError("it is closed"))
        futures += submitted(pool, "too late")
        assert wait(futures, PATIENCE).not_done == set()
    for future in futures:
        with pytest.raises(SilhouetteError, match="it is closed"):
            future.result()
    assert children_of(os.getpid()) == before


def test_where_no_process_can_be_started_the_task_says_so_and_the_next_one_may_be_done(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with driven(doing) as pool:
        os.kill(pool._slots[0].worker.pid, signal.SIGKILL)  # type: ignore[union-attr]
        wait_until(lambda: not pool._slots[0].worker.is_alive())  # type: ignore[union-attr]
        with monkeypatch.context() as patch:
            patch.setattr("silhouette.workers.pool.start_worker", lambda *given, **named: 1 / 0)
            with pytest.raises(ZeroDivisionError):
                submitted(pool, 1)[0].result(PATIENCE)
        assert submitted(pool, 2)[0].result(PATIENCE)[0] == 2


def test_many_threads_submit_and_cancel_at_once_and_each_gets_its_own() -> None:
    found = dict[int, int]()

    def work(number: int) -> Iterator[int]:
        yield number * number

    with driven(work, workers=2) as pool:

        def ask(first: int) -> None:
            futures = {number: pool.submit(number, urgency=number % 7) for number in range(first, first + 100)}
            pool.wake()
            for number, future in futures.items():
                if number % 5 == 0:
                    future.cancel()
                else:
                    found[number] = future.result(PATIENCE)

        threads = [threading.Thread(target=ask, args=(first,)) for first in range(0, 400, 100)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert found == {number: number * number for number in range(400) if number % 5}
