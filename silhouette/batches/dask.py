"""MANY, on many machines: the same chunks of a batch, given to the workers of a Dask scheduler; the same rows.

plan -> chunks, one at a time to each place of a worker -> rows, told when a chunk is done

The workers see the scenes under the paths that this machine sees them under: on a disk that all of them share. Where
any worker announces the resource GPU, only such workers are given something, one chunk at a time for each GPU.
"""

from __future__ import annotations

import itertools
import logging
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from silhouette.batches.chunks import BatchSettings, Chunk, Judge, Row
from silhouette.errors import RequestError, SilhouetteError
from silhouette.version import VERSION
from silhouette.workers import Event, NextTask

CONNECTED_WITHIN = 10.0
"""Seconds in which a scheduler answers."""

LOOK_AGAIN = 1.0
"""Seconds after which it is looked again which workers there are."""

WITHOUT_WORKERS = 60.0
"""Seconds that a batch waits for a worker when there is none."""

FETCHED_WITHIN = 5.0
"""Seconds in which rows come from a worker; else it is taken to be lost."""

WORKERS_RISKED = 3
"""Workers that may be lost over one check before it is given up."""

_judges = threading.local()
_threads = itertools.count()


def judged_there(chunk: Chunk, settings: BatchSettings, folder: str, version: str | None) -> list[Row]:
    """What a worker of the cluster does with a chunk; it keeps its renderer and the scene that it read last.

    Raises:
        RequestError: where another version of this package is installed there.
    """
    if version != VERSION:
        raise RequestError(f"a worker has silhouette {VERSION}, and this is {version}; install the same")
    if getattr(_judges, "asked", None) != (settings, folder):
        _judges.judge, _judges.asked = Judge(settings, Path(folder), _share()), (settings, folder)
    return list(_judges.judge(chunk))


def _share() -> int:
    """Which of its worker's GPUs a thread judges on: each takes the next, of as many as the worker announces."""
    distributed = import_module("distributed")
    gpus = int(distributed.get_worker().state.total_resources.get("GPU", 1))
    return next(_threads) % max(gpus, 1)


@dataclass(eq=False)
class _Place:
    """One task at a time: a thread of a worker, or one of its GPUs."""

    worker: str
    last: Chunk | None = None


@dataclass(eq=False)
class _Task:
    """A chunk under way."""

    chunk: Chunk
    place: _Place
    future: Any
    since: float


class Cluster:
    """The workers of a Dask scheduler, in place of a `silhouette.workers.WorkerPool`.

    A worker that is lost costs time alone: what it was at is done by another, check by check. A check over which
    several are lost, one after the other, is a row with ``error``.

    Args:
        address: of the scheduler, such as ``tcp://10.0.0.5:8786``.
        settings: everything is judged.
        patience: seconds that reading a scene and judging one check may take; then its worker is started anew.

    Raises:
        SilhouetteError: where distributed is not installed, or nobody answers at the address.
    """

    def __init__(self, address: str, settings: BatchSettings, patience: float | None = None) -> None:
        self._address = address
        self._settings = settings
        self._patience = patience
        self._places: list[_Place] = []
        self._resources: dict[str, int] | None = None
        self._tasks: dict[Any, _Task] = {}
        self._again: list[Chunk] = []
        self._lost: Counter[Chunk] = Counter()
        self._ended: SimpleQueue[Any] = SimpleQueue()
        self._looked = float("-inf")
        self._staffed = time.monotonic()

    def __enter__(self) -> Cluster:
        try:
            distributed = import_module("distributed")
        except ImportError:
            raise SilhouetteError(
                "--cluster needs Dask's distributed, which is not installed; pip install 'silhouette[cluster]'"
            ) from None
        logging.getLogger("distributed").setLevel(logging.CRITICAL)
        try:
            self._client: Any = distributed.Client(self._address, timeout=CONNECTED_WITHIN, set_as_default=False)
        except (OSError, ValueError) as error:
            raise SilhouetteError(
                f"no Dask scheduler answers at {self._address} ({' '.join(str(error).split())[:120]}); "
                "start one with: dask scheduler"
            ) from None
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(Exception):  # what became of the scheduler is told of elsewhere, or it does not matter any more
            self._client.cancel([task.future for task in self._tasks.values()])
        with suppress(Exception):
            self._client.close(timeout=2)

    def events(self, next_task: NextTask) -> Iterator[Event]:
        """Everything that happens until all is done; see `silhouette.workers.WorkerPool.events`.

        Raises:
            SilhouetteError: where the scheduler is gone, or there is no worker for a minute.
        """
        while True:
            yield from self._look()
            self._give(next_task)
            if not self._tasks and self._places:
                return
            with suppress(Empty):
                task = self._tasks.pop(self._ended.get(timeout=LOOK_AGAIN), None)
                if task is not None:
                    yield from self._came_of(task)
            yield from self._outrun()

    def _look(self) -> Iterator[Event]:
        """Takes note of workers that have come or gone, now and then."""
        now = time.monotonic()
        if now - self._looked < LOOK_AGAIN:
            return
        self._looked = now
        if self._client.status != "running":
            raise self._gone()
        workers = self._client.scheduler_info(n_workers=-1)["workers"]
        gpus = {name: int(worker["resources"].get("GPU", 0)) for name, worker in workers.items()}
        self._resources = {"GPU": 1} if any(gpus.values()) else None
        counts = gpus if any(gpus.values()) else {name: worker["nthreads"] for name, worker in workers.items()}
        kept = [place for place in self._places if place.worker in counts]
        for name, count in counts.items():
            kept += [_Place(name) for _ in range(count - sum(place.worker == name for place in kept))]
        self._places = kept
        if kept:
            self._staffed = now
        elif now - self._staffed > WITHOUT_WORKERS:
            raise SilhouetteError(
                f"the scheduler at {self._address} has no workers; start some with: dask worker {self._address}"
            )

        for task in [task for task in self._tasks.values() if task.place.worker not in counts]:
            self._withdraw(task)
            yield from self._without_worker(task.chunk)

    def _gone(self) -> SilhouetteError:
        return SilhouetteError(f"the scheduler at {self._address} is gone; start it, then go on with --resume")

    def _give(self, next_task: NextTask) -> None:
        busy = {task.place for task in self._tasks.values()}
        for place in self._places:
            if place in busy:
                continue
            chunk = self._again.pop(0) if self._again else next_task(place.last)
            if chunk is None:
                continue
            if self._patience is not None and chunk.stop is not None and chunk.stop - chunk.start > 1:
                first, *rest = _one_by_one(chunk)
                self._again += rest
                chunk = first
            self._submit(chunk, place)

    def _submit(self, chunk: Chunk, place: _Place) -> None:
        place.last = chunk
        future = self._client.submit(
            judged_there,
            chunk,
            self._settings,
            str(Path.cwd()),
            VERSION,
            pure=False,
            workers=[place.worker],
            resources=self._resources,
        )
        self._tasks[future] = _Task(chunk, place, future, time.monotonic())
        future.add_done_callback(self._ended.put)

    def _came_of(self, task: _Task) -> Iterator[Event]:
        """What a task that has ended tells; its worker may have been lost nevertheless."""
        try:
            rows = task.future.result(timeout=FETCHED_WITHIN)
        except SilhouetteError:
            raise
        except Exception as error:
            if self._client.status != "running":
                raise self._gone() from None
            if task.future.status == "error" and type(error).__name__ != "KilledWorker":
                yield Event(task.chunk, "lost", " ".join(f"{type(error).__name__}: {error}".split()))
            else:
                self._looked = float("-inf")
                yield from self._without_worker(task.chunk)
            return
        for row in rows:
            yield Event(task.chunk, "result", row)
        yield Event(task.chunk, "done")

    def _without_worker(self, chunk: Chunk) -> Iterator[Event]:
        """Of many checks, each is tried again by itself, of one or none the same, but not for ever."""
        if chunk.stop is not None and chunk.stop - chunk.start > 1:
            self._again += _one_by_one(chunk)
            return
        self._lost[chunk] += 1
        if self._lost[chunk] < WORKERS_RISKED:
            self._again.append(chunk)
        else:
            yield Event(chunk, "lost", "the workers that were at it ended, one after the other")

    def _outrun(self) -> Iterator[Event]:
        """Gives up on what takes too long; its worker is started anew, where it has a nanny."""
        if self._patience is None:
            return
        now = time.monotonic()
        for task in [task for task in self._tasks.values() if now - task.since > self._patience]:
            self._withdraw(task)
            with suppress(Exception):
                self._client.restart_workers([task.place.worker], timeout=CONNECTED_WITHIN, raise_for_error=False)
            yield Event(task.chunk, "lost", f"not done within {self._patience:g} s, the --timeout")

    def _withdraw(self, task: _Task) -> None:
        del self._tasks[task.future]
        with suppress(Exception):
            self._client.cancel([task.future], force=True)


def _one_by_one(chunk: Chunk) -> list[Chunk]:
    assert chunk.stop is not None
    numbers = range(chunk.start, chunk.stop)
    lost = [chunk.lost, *[""] * (len(numbers) - 1)]
    return [
        Chunk(chunk.scene, chunk.digest, number, number + 1, why) for number, why in zip(numbers, lost, strict=True)
    ]
