"""Many questions at once: the same answers in the same order, and a plain error where a process dies."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from silhouette.common.errors import FileError, SilhouetteError
from silhouette.files.cache import Cache
from silhouette.judging import JudgingOptions, Selection, judge_scene
from silhouette.judging.run import CHECKS_WORTH_FORKING as WORTH_FORKING
from silhouette.renderers import choose
from silhouette.workers import CAN_FORK, parallel_map
from tests.support.batching import force_forking, wait_until

pytestmark = pytest.mark.skipif(not CAN_FORK, reason="processes are not forked on this system")


@pytest.fixture(autouse=True)
def _forked(monkeypatch: pytest.MonkeyPatch) -> None:
    force_forking(monkeypatch)


def test_answers_come_in_the_order_of_the_questions_from_several_processes() -> None:
    def answer(number: int) -> tuple[int, int]:
        time.sleep(0.01)
        return number, os.getpid()

    answers = list(parallel_map(answer, range(60), workers=3))
    assert [number for number, _ in answers] == list(range(60))
    assert len({process for _, process in answers}) == 3


def test_an_error_in_an_answer_reaches_the_asker_after_what_came_before() -> None:
    def answer(number: int) -> int:
        if number == 7:
            raise FileError("duel.toml", "is not what it was")
        return number

    answers = parallel_map(answer, range(16), workers=2)
    assert [next(answers) for _ in range(7)] == list(range(7))
    with pytest.raises(FileError, match=r"^duel\.toml: is not what it was$"):
        next(answers)


def test_a_process_that_is_killed_is_an_error_and_not_a_wait() -> None:
    asker, found = os.getpid(), list[int]()

    def answer(number: int) -> int:
        time.sleep(0.05)
        if os.getpid() != asker and number > 2:
            os.kill(os.getpid(), signal.SIGKILL)
        return number

    with pytest.raises(SilhouetteError, match="a worker process ended in the middle of a check"):
        found.extend(parallel_map(answer, range(100), workers=2))
    assert found == list(range(len(found)))
    assert 2 < len(found) < 90, "told when its turn comes, and not after all that others can still answer"


def test_a_free_process_takes_the_next_item(tmp_path: Path) -> None:
    """One long item keeps one process until the other has done all the rest."""

    def process_of(number: int) -> int:
        if number == 0:
            wait_until(lambda: len(list(tmp_path.iterdir())) == 30)
        else:
            (tmp_path / str(number)).touch()
        return os.getpid()

    processes = list(parallel_map(process_of, range(31), workers=2))
    assert processes.count(processes[0]) == 1
    assert len(set(processes)) == 2


def test_large_results_do_not_make_a_process_wait_for_the_consumer(tmp_path: Path) -> None:
    """More than a pipe holds, while another process is busy with a long item."""

    def result(number: int) -> tuple[int, bytes]:
        if number == 0:
            wait_until(lambda: len(list(tmp_path.iterdir())) == 19)
        else:
            (tmp_path / str(number)).touch()
        return os.getpid(), bytes(200_000)

    processes = [process for process, _ in parallel_map(result, range(20), workers=2)]
    assert processes.count(processes[0]) == 1


def scene_of_blocks(tmp_path: Path, models: int) -> Path:
    """Blocks in two rows, some behind others: enough pairs for processes to be worth it."""
    pieces = [
        f'{{ name = "M{number}", at = [{60 * (number % 4)}, {150 * (number // 4)}], '
        f"facing = {90 + 180 * (number // 4)}, "
        "eye = [0, 6, 24], parts = [{ box = [12, 12, 28] }] }"
        for number in range(models)
    ]
    wall = '{ name = "wall", at = [60, 75], parts = [{ box = [80, 4, 18] }] }'
    path = tmp_path / "crowd.toml"
    path.write_text(f'rules = "necromunda"\nfighter = [{", ".join(pieces)}]\nterrain = [{wall}]\n', encoding="utf-8")
    return path


@pytest.mark.thinned(quick=50, ci=50)
@pytest.mark.parametrize("renderer", ["embree", "reference"])
def test_a_matrix_is_the_same_by_one_process_and_by_several(tmp_path: Path, renderer: str) -> None:
    path = scene_of_blocks(tmp_path, 6)
    steps: list[tuple[int, int]] = []

    def rows(workers: int) -> Sequence[dict[str, Any]]:
        found = judge_scene(
            path,
            Selection(everyone=True),
            JudgingOptions(choose(renderer), Cache(None), pixel=0.3, workers=workers),
            step=lambda done, total: steps.append((done, total)),
        )
        assert found.error is None
        return [one.row() for one in found.judged]

    alone = rows(1)
    assert len(alone) == 30 >= WORTH_FORKING
    assert {row["verdict"] for row in alone} >= {"open", "hidden", "partial cover"}
    assert rows(2) == alone
    assert steps == [(number, 30) for number in range(31)] * 2


def test_an_error_that_cannot_travel_is_told_in_its_own_words() -> None:
    asker = os.getpid()

    class NeedsTwo(Exception):
        def __init__(self, one: int, other: int) -> None:
            super().__init__(f"{one} and {other}")
            self.kept = threading.Lock()

    def answer(number: int) -> int:
        time.sleep(0.02)
        if os.getpid() != asker:
            raise NeedsTwo(number, 2)
        return number

    with pytest.raises(RuntimeError, match=r"^NeedsTwo: .* and 2$"):
        list(parallel_map(answer, range(20), workers=2))


def test_an_answer_that_cannot_travel_is_told() -> None:
    asker = os.getpid()

    def answer(number: int) -> object:
        time.sleep(0.02)
        return number if os.getpid() == asker else threading.Lock()

    with pytest.raises(RuntimeError, match=r"a result that pickle cannot carry: .*lock"):
        list(parallel_map(answer, range(20), workers=2))


def test_nothing_is_left_behind_where_a_process_cannot_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    fork, count = os.fork, iter(range(9))

    def failing() -> int:
        if next(count) == 2:
            raise BlockingIOError(11, "Resource temporarily unavailable")
        return fork()

    monkeypatch.setattr(os, "fork", failing)
    with pytest.raises(BlockingIOError):
        list(parallel_map(lambda number: time.sleep(0.1), range(400), workers=4))
    assert multiprocessing.active_children() == []


def test_whoever_is_left_ends_when_the_asker_is_killed(tmp_path: Path) -> None:
    """Also those who are at an answer that their pipe does not hold."""
    log = tmp_path / "log"
    script = f"""
import os, time
from silhouette.workers import parallel_map
def answer(number):
    time.sleep(0.02)
    with open({str(log)!r}, "a") as file:
        print(os.getpid(), file=file)
    return bytes(30_000_000)
list(parallel_map(answer, range(1000), workers=3))
"""
    asker = subprocess.Popen([sys.executable, "-c", script])
    while not log.is_file() or len(set(log.read_text().split())) < 3:
        time.sleep(0.01)
    asker.kill()
    asker.wait()
    left, end = {int(process) for process in log.read_text().split()} - {asker.pid}, time.monotonic() + 60.0
    while any(Path("/proc", str(process)).exists() for process in left) and time.monotonic() < end:
        time.sleep(0.02)
    assert not [process for process in left if Path("/proc", str(process)).exists()]


@pytest.mark.parametrize("workers", [1, 3])
def test_what_was_asked_before_an_error_is_answered_before_it_is_raised(workers: int) -> None:
    found = list[float]()
    with pytest.raises(ZeroDivisionError):
        found.extend(parallel_map(lambda number: 1 / (30 - number), range(60), workers))
    assert found == [1 / (30 - number) for number in range(30)]
