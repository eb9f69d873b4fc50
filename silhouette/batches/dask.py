"""MANY, on many machines: the same chunks of a batch, given to the workers of a Dask scheduler; the same rows.

The workers see the scenes under the same paths as this machine: on a disk that all of them share. Where the renderer
may take a GPU and any worker announces the resource GPU, only such workers get chunks, one at a time for each GPU.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import re
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from silhouette.batches.chunks import Chunk, ChunkJudge
from silhouette.batches.settings import BatchSettings
from silhouette.common.errors import RequestError, SilhouetteError
from silhouette.common.installation import DISTRIBUTION, VERSION, extra_command
from silhouette.common.text import Row, printable
from silhouette.renderers.registry import may_take_gpu
from silhouette.workers import Event, NextTask
from silhouette.workers.clock import RunningClock

CONNECTED_WITHIN = 5.0  # seconds in which a scheduler must answer

_SCHEDULER_ADDRESS = re.compile(r"(?:(?P<scheme>[a-z]+)://)?(?P<host>\[[^]]+\]|[^:/\[\]]+):(?P<port>\d{1,5})")

_SCHEMES = ("tcp", "tls", "ws", "wss", "ucx")


def place_of(address: str) -> tuple[str, int]:
    """The host and the port of the address of a scheduler.

    >>> place_of("tcp://10.0.0.5:8786"), place_of("login-1:8786")
    (('10.0.0.5', 8786), ('login-1', 8786))
    >>> place_of("nonsense")
    Traceback (most recent call last):
    ...
    silhouette.common.errors.RequestError: 'nonsense' is no address of a Dask scheduler; give one like tcp://10.0.0.5:8786
    """
    match = _SCHEDULER_ADDRESS.fullmatch(address)
    if not match or (match["scheme"] or "tcp") not in _SCHEMES or not 0 < int(match["port"]) < 1 << 16:
        raise RequestError(
            f"'{printable(address)}' is no address of a Dask scheduler; give one like tcp://10.0.0.5:8786"
        )
    return match["host"].strip("[]"), int(match["port"])


def client_of(address: str) -> Any:
    """A client of the scheduler at an address; SilhouetteError without distributed, or if none answers there."""
    host, port = place_of(address)
    try:
        distributed = import_module("distributed")
    except ImportError:
        raise SilhouetteError(
            f"--cluster needs Dask's distributed, which is not installed; install it with: {extra_command('cluster')}"
        ) from None
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    if not _within(CONNECTED_WITHIN, lambda: socket.getaddrinfo(host, port)):
        raise SilhouetteError(f"no host is called {printable(host)}; give the address of a Dask scheduler")
    kind = _kind_of_answer(address)
    if kind is None and not _is_open(host, port):
        raise SilhouetteError(
            f"no Dask scheduler answers at {address} (nothing listens there); start one with: dask scheduler"
        )
    if kind != "Scheduler":
        what = f"a Dask {kind.lower()}" if kind else "something else"
        raise SilhouetteError(f"{what} listens at {address}, and no Dask scheduler; give the address of the scheduler")
    try:
        return distributed.Client(address, timeout=CONNECTED_WITHIN, set_as_default=False)
    except (OSError, ValueError) as error:
        why = " ".join(str(error).split())[:120]
        raise SilhouetteError(f"the Dask scheduler at {address} does not take a client ({why})") from None


def _kind_of_answer(address: str) -> str | None:
    """What answers at an address: "Scheduler" or another part of Dask; None where nothing does, or no part of Dask.

    distributed's own client waits without end for an answer of something that is no part of Dask.
    """
    core, security = import_module("distributed.core"), import_module("distributed.security")

    async def identity() -> Any:
        options = security.Security().get_connection_args("client")
        async with core.rpc(address, timeout=CONNECTED_WITHIN, connection_args=options) as remote:
            return await asyncio.wait_for(remote.identity(), CONNECTED_WITHIN)

    answer = _within(CONNECTED_WITHIN + 1.0, lambda: asyncio.run(identity()))
    return str(answer["type"]) if isinstance(answer, dict) and "type" in answer else None


def _within(seconds: float, ask: Callable[[], Any]) -> Any:
    """What a function returns; None where it raises an error, or takes longer.

    It runs in a thread: the one that calls may run an event loop already, as in a notebook, and what takes longer is
    left alone.
    """
    answers: SimpleQueue[Any] = SimpleQueue()

    def run() -> None:
        answer = None
        with suppress(Exception):  # whatever is sent by what listens there
            answer = ask()
        answers.put(answer)

    threading.Thread(target=run, daemon=True).start()
    with suppress(Empty):
        return answers.get(timeout=seconds)
    return None


def _is_open(host: str, port: int) -> bool:
    try:
        socket.create_connection((host, port), timeout=1.0).close()
    except OSError:
        return False
    return True


def cannot_import(who: str) -> SilhouetteError:
    """The error about a part of the cluster in whose environment this package is not installed."""
    return SilhouetteError(
        f"{who} cannot import silhouette; install {DISTRIBUTION} {VERSION} in the environment of the scheduler and of "
        "every worker, and start them again"
    )


WORKERS_INTERVAL_S = 1.0  # seconds between two looks at which workers there are
WITHOUT_WORKERS = 60.0  # seconds that a batch waits for a worker when there is none
RESTARTED_WITHIN = 10.0  # seconds in which a worker that was given up must be there again
FETCHED_WITHIN = 5.0  # seconds in which the rows of a finished chunk must come from its worker; else it counts as lost
WORKERS_RISKED = 3  # number of workers that are lost over one check before it is given up


class _ThreadState(threading.local):
    """What a thread of a worker judges with, its settings, and the folder of its paths; None before the first chunk."""

    judge: ChunkJudge
    key: tuple[BatchSettings, str] | None = None


_thread = _ThreadState()
_threads = itertools.count()


def judge_chunk(chunk: Chunk, settings: BatchSettings, folder: str, version: str | None) -> list[Row]:
    """The rows of a chunk, judged by a worker of the cluster; each of its threads keeps a `ChunkJudge`.

    Raises RequestError where another version of this package is installed on the worker.
    """
    if version != VERSION:
        raise RequestError(f"a worker has silhouette {VERSION}, and this is {version}; install the same version there")
    if _thread.key != (settings, folder):
        _thread.judge, _thread.key = ChunkJudge(settings, Path(folder), _gpu_number()), (settings, folder)
    return list(_thread.judge(chunk))


def _gpu_number() -> int:
    """The GPU on which a thread of a worker judges: each thread takes the next of those that the worker announces."""
    distributed = import_module("distributed")
    gpus = int(distributed.get_worker().state.total_resources.get("GPU", 1))
    return next(_threads) % max(gpus, 1)


@dataclass(eq=False)
class _DaskSlot:
    """A thread of a worker, or one of its GPUs: it does one task at a time."""

    worker: str
    last: Chunk | None = None


@dataclass(eq=False)
class _RunningChunk:
    """A chunk that a worker is judging, since that time on the clock of the cluster."""

    chunk: Chunk
    slot: _DaskSlot
    future: Any
    since: float


class Cluster:
    """The workers of a Dask scheduler, with the events of a `silhouette.workers.WorkerPool`.

    A worker that is lost costs only time: what it was doing is done by another, check by check. A check over which
    several are lost, one after the other, is a row with ``problem``; so is one after ``timeout`` seconds, and its
    worker is started anew. As `client_of`, it raises an error where there is no scheduler.
    """

    def __init__(self, address: str, settings: BatchSettings, timeout: float | None = None) -> None:
        place_of(address)
        self._address = address
        self._settings = settings
        self._timeout = timeout
        self._slots: list[_DaskSlot] = []
        self._resources: dict[str, int] | None = None
        self._probes: dict[str, Any] = {}
        self._sound: set[str] = set()
        self._tasks: dict[Any, _RunningChunk] = {}
        self._retries: list[Chunk] = []
        self._lost: Counter[Chunk] = Counter()
        self._ended: SimpleQueue[Any] = SimpleQueue()
        self._looked = float("-inf")
        self._staffed = time.monotonic()
        self._clock = RunningClock()

    def __enter__(self) -> Cluster:
        self._client: Any = client_of(self._address)
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(Exception):  # a scheduler that is gone was reported before, or does not matter any more
            self._client.cancel([task.future for task in self._tasks.values()])
        with suppress(Exception):
            self._client.close(timeout=2)

    def events(self, next_task: NextTask) -> Iterator[Event]:
        """The events until all is done; see `silhouette.workers.WorkerPool.events`.

        Raises SilhouetteError if the scheduler is gone, if it or a worker lacks this package, or there is no worker for
        a minute.
        """
        while True:
            yield from self._look_for_workers()
            self._submit_next(next_task)
            if not self._tasks and self._slots:
                return
            with suppress(Empty):
                task = self._tasks.pop(self._ended.get(timeout=WORKERS_INTERVAL_S), None)
                if task is not None:
                    yield from self._collect(task)
            yield from self._time_out()

    def _look_for_workers(self) -> Iterator[Event]:
        """Looks, once in an interval, which workers have come or gone."""
        now = time.monotonic()
        if now - self._looked < WORKERS_INTERVAL_S:
            return
        self._looked = now
        if self._client.status != "running":
            raise self._gone_error()
        counts = {name: count for name, count in self._counts().items() if count and self._can_import(name)}
        self._slots = [slot for slot in self._slots if slot.worker in counts]
        there = Counter(slot.worker for slot in self._slots)
        self._slots += [_DaskSlot(name) for name, count in counts.items() for _ in range(count - there[name])]
        if self._slots:
            self._staffed = now
        elif now - self._staffed > WITHOUT_WORKERS:
            raise SilhouetteError(
                f"the scheduler at {self._address} has no workers; start some with: dask worker {self._address}"
            )
        yield from self._retry_lost(counts)

    def _retry_lost(self, workers: Collection[str]) -> Iterator[Event]:
        """Tries the tasks again whose workers are not among those that are there."""
        for task in [task for task in self._tasks.values() if task.slot.worker not in workers]:
            self._withdraw(task)
            yield from self._retry(task.chunk)

    def _counts(self) -> dict[str, int]:
        """How many tasks each worker does at a time: one for each GPU, if the renderer may take one, or thread."""
        workers = self._client.scheduler_info(n_workers=-1)["workers"]
        gpus = {name: int(worker["resources"].get("GPU", 0)) for name, worker in workers.items()}
        on_gpus = any(gpus.values()) and may_take_gpu(self._settings.renderer, self._settings.device)
        self._resources = {"GPU": 1} if on_gpus else None
        return gpus if on_gpus else {name: worker["nthreads"] for name, worker in workers.items()}

    def _can_import(self, worker: str) -> bool:
        """Whether a worker is known to have this package.

        A worker that lacks it dies of the first chunk, without a word. So it is first given a question that Python
        itself can answer.
        """
        if worker in self._sound:
            return True
        probe = self._probes.get(worker)
        if probe is None or probe.status in ("lost", "cancelled"):
            probe = self._client.submit(find_spec, judge_chunk.__module__, workers=[worker], pure=False)
            self._probes[worker] = probe
            probe.add_done_callback(self._look_soon)
        if probe.status == "pending":
            return False
        has = False
        if probe.status == "finished":
            try:
                has = probe.result(timeout=FETCHED_WITHIN) is not None
            except Exception:  # it has gone meanwhile
                del self._probes[worker]
                return False
        if not has:
            raise cannot_import(f"the worker {worker}")
        self._sound.add(worker)
        del self._probes[worker]
        return True

    def _look_soon(self, future: Any) -> None:
        self._looked = float("-inf")
        self._ended.put(future)

    def _gone_error(self) -> SilhouetteError:
        return SilhouetteError(f"the scheduler at {self._address} is gone; start it, then go on with --resume")

    def _submit_next(self, next_task: NextTask) -> None:
        busy = {task.slot for task in self._tasks.values()}
        for slot in self._slots:
            if slot in busy:
                continue
            chunk = self._retries.pop(0) if self._retries else next_task(slot.last)
            if chunk is None:
                continue
            if self._timeout is not None and chunk.stop is not None and chunk.stop - chunk.start > 1:
                first, *rest = _split(chunk)
                self._retries += rest
                chunk = first
            self._submit(chunk, slot)

    def _submit(self, chunk: Chunk, slot: _DaskSlot) -> None:
        slot.last = chunk
        future = self._client.submit(
            judge_chunk,
            chunk,
            self._settings,
            str(Path.cwd()),
            VERSION,
            pure=False,
            workers=[slot.worker],
            resources=self._resources,
        )
        self._tasks[future] = _RunningChunk(chunk, slot, future, self._clock.now())
        future.add_done_callback(self._ended.put)

    def _collect(self, task: _RunningChunk) -> Iterator[Event]:
        """The events of a task that has ended; its worker may have been lost nevertheless."""
        try:
            rows = task.future.result(timeout=FETCHED_WITHIN)
        except SilhouetteError:
            raise
        except Exception as error:
            if self._client.status != "running":
                raise self._gone_error() from None
            if "deserialization of the task graph" in str(error):
                raise cannot_import(f"the scheduler at {self._address}") from None
            if task.future.status == "error" and type(error).__name__ != "KilledWorker":
                yield Event(task.chunk, "lost", " ".join(f"{type(error).__name__}: {error}".split()))
            else:
                self._looked = float("-inf")
                yield from self._retry(task.chunk)
            return
        for row in rows:
            yield Event(task.chunk, "result", row)
        yield Event(task.chunk, "done")

    def _retry(self, chunk: Chunk) -> Iterator[Event]:
        """Retries each check by itself, or a single one some times more."""
        if chunk.stop is not None and chunk.stop - chunk.start > 1:
            self._retries += _split(chunk)
            return
        self._lost[chunk] += 1
        if self._lost[chunk] < WORKERS_RISKED:
            self._retries.append(chunk)
        else:
            yield Event(chunk, "lost", "the workers that were at it ended, one after the other")

    def _time_out(self) -> Iterator[Event]:
        """Gives up tasks that take too long; their workers are started anew where they have a nanny."""
        now = self._clock.now()
        if self._timeout is None:
            return
        for task in [task for task in self._tasks.values() if now - task.since > self._timeout]:
            self._withdraw(task)
            with suppress(Exception):
                self._client.restart_workers([task.slot.worker], timeout=RESTARTED_WITHIN, raise_for_error=False)
            yield Event(task.chunk, "lost", f"not done within {self._timeout:g} s, the --timeout")

    def _withdraw(self, task: _RunningChunk) -> None:
        del self._tasks[task.future]
        with suppress(Exception):
            self._client.cancel([task.future], force=True)


def _split(chunk: Chunk) -> list[Chunk]:
    assert chunk.stop is not None
    numbers = range(chunk.start, chunk.stop)
    lost = [chunk.failure, *[""] * (len(numbers) - 1)]
    return [
        Chunk(chunk.scene, chunk.digest, number, number + 1, why) for number, why in zip(numbers, lost, strict=True)
    ]
