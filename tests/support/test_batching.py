"""The clock that tests of pools set: no second passes for what the pool has not heard of yet."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from silhouette.workers import CAN_FORK, Event, WorkerPool
from tests.support.batching import SteppedClock, force_forking, wait_until


@pytest.mark.skipif(not CAN_FORK, reason="processes are not forked on this system")
def test_time_passes_only_when_the_pool_has_heard_what_was_told_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    force_forking(monkeypatch)
    clock = SteppedClock.of_pools(monkeypatch, tmp_path)

    def work(number: int) -> Iterator[int]:
        if number == 1:
            wait_until((tmp_path / "the pool is busy").exists)
        yield number
        if number == 1:
            clock.let_pass(1.1)
            time.sleep(60.0)

    left, found = [0, 1], list[Event]()
    with WorkerPool(partial(lambda same: same, work), 2, timeout=1.0) as pool:
        for event in pool.events(lambda last: left.pop(0) if left else None):
            if not found:  # worker 1 tells something and asks for time, of which the pool hears nothing yet
                (tmp_path / "the pool is busy").touch()
                wait_until(lambda: any((tmp_path / "seconds that pass").glob("worker *")))
            found.append(event)
    assert [(event.task, event.kind) for event in found if event.kind == "lost"] == [(1, "lost")]
    assert [event.task for event in found if event.kind == "done"] == [0]
