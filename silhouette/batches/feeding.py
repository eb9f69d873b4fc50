"""MANY: one process for each device launches, and others read and judge for it: it never waits for a file.

Chunk that opens a scene -> read by any reader -> `CarriedScene` -> its chunks, with those of others -> `Load`, judged
by a process that has been sent the next one meanwhile -> rows

Scenes and their models travel as contents of loads, each to a process once: see `silhouette.workers.content`. If more
processes judge than there are devices, they have what is counted counted by the process that holds a device. Else each
holds its own.

A reader that dies costs the scene that it was reading, which is read again. Of a load whose process dies, what is left
is judged again, each chunk by itself; a chunk that is lost then is lost as it is to any worker.
"""

from __future__ import annotations

import pickle
import secrets
import shutil
import sys
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing.connection import Connection, wait
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from weakref import WeakKeyDictionary

from silhouette.batches.chunks import CHECKS_PER_CHUNK, Chunk, ChunkJudge, Opener, RowMaker
from silhouette.batches.export import failed_row
from silhouette.batches.settings import BatchSettings
from silhouette.doubt.run import CHECKS_TOGETHER
from silhouette.errors import RendererUnavailable
from silhouette.judging import Request
from silhouette.lazy import LRU
from silhouette.models.model import Model
from silhouette.renderers.cuda.served import ServedRenderer
from silhouette.renderers.registry import gpus_of, may_launch_for_others
from silhouette.scenes.carrying import Name, model_digest, packed_model, packed_scene, unpacked_model, unpacked_scene
from silhouette.text import Row
from silhouette.workers import Event, NextTask, WorkerPool, worker_number
from silhouette.workers.content import CONTENT_ROOM, Content, Lacking, content_of
from silhouette.workers.process import ChildProcess
from silhouette.workers.starting import start_method

PATIENCE = 10.0
"""Seconds that the keeper has to end the other."""

LONGEST = 90
"""Characters of the longest path of a folder for a socket, whose path has some 100 at most."""


class HeldDevice:
    """A context manager: while it is entered, a process of its own holds a device, and answers those that ask.

    Args:
        device: its name; None leaves it to the renderer.
        clients: the number of processes that will ask.

    Attributes:
        address, key: where the process is reached: see `silhouette.renderers.cuda.served.ServedRenderer`.
    """

    address: str

    def __init__(self, device: str | None, clients: int) -> None:
        self._device, self._clients = device, clients
        self.key = secrets.token_bytes(16)

    def __enter__(self) -> HeldDevice:
        self._folder = _short_folder()
        self.address = str(Path(self._folder.name, "device"))
        if sys.platform == "win32":
            self.address = rf"\\.\pipe\silhouette-{secrets.token_hex(16)}"
        self._keeper = ChildProcess(_keep, (self.address, self.key, self._device, self._clients))
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):
            self._keeper.pipe.send(None)
        self._keeper.wait(PATIENCE)
        self._keeper.kill()
        self._folder.cleanup()


def _keep(pipe: Connection, given: tuple[Any, ...]) -> None:
    """Starts the process that holds the device, again and again; it ends with this one.

    Args:
        pipe: has something to read, or breaks, when the device is needed no longer.
        given: the arguments of `silhouette.measure.on_device.serving.serve`.
    """
    while True:
        holder = ChildProcess(_hold, given, fresh=True)
        ready = wait([pipe, holder.pipe])
        holder.kill()
        if pipe in ready:
            break
    if sys.platform != "win32":  # where the other process was killed it leaves its folder
        shutil.rmtree(Path(given[0]).parent, ignore_errors=True)


def _hold(pipe: Connection, given: tuple[Any, ...]) -> None:
    from silhouette.measure.on_device.serving import serve

    serve(*given)


def _short_folder() -> TemporaryDirectory[str]:
    folder = TemporaryDirectory(prefix="silhouette-", ignore_cleanup_errors=True)
    if len(folder.name) > LONGEST and Path("/tmp").is_dir():
        folder.cleanup()
        folder = TemporaryDirectory(prefix="silhouette-", dir="/tmp", ignore_cleanup_errors=True)
    return folder


LOADS_READ = 4
"""Reading pauses while this many loads are ready for each process that judges."""

READING = 4
"""Of so many processes one reads scenes, and the others judge."""

SCENE_BYTES = CONTENT_ROOM // 64
"""Bytes that a scene takes in a process that judges, for what is worked out of it."""


@dataclass(frozen=True, eq=False)
class CarriedScene:
    """A scene on its way from the process that has read it to those that judge it.

    Attributes:
        scene, digest: as in `silhouette.batches.chunks.Chunk`.
        content: the scene without its models and checks.
        models: the digests of its models.
        new: those models that its reader has not sent before, by their digests.
        checks: its checks, `CHECKS_PER_CHUNK` in each of these.
    """

    scene: str
    digest: str
    content: bytes
    models: frozenset[str]
    new: Mapping[str, bytes]
    checks: Sequence[bytes]


@dataclass(frozen=True, eq=False)
class Parcel:
    """A chunk with its checks.

    Attributes:
        chunk: which checks.
        scene: the digest of its scene as a content; empty if it could not be carried, and must be read.
        blocks: the checks, with some before and after them that are packed with them.
    """

    chunk: Chunk
    scene: str = ""
    blocks: Sequence[bytes] = ()

    @classmethod
    def of(cls, chunk: Chunk, carried: CarriedScene | None) -> Parcel:
        """The chunk with what is carried of its scene, if anything is."""
        if carried is None or carried.digest != chunk.digest:
            return cls(chunk)
        assert chunk.stop is not None
        first, last = chunk.start // CHECKS_PER_CHUNK, (chunk.stop - 1) // CHECKS_PER_CHUNK
        return cls(chunk, f"{chunk.digest} {chunk.scene}", carried.checks[first : last + 1])

    def checks(self) -> list[Any]:
        """The checks of the chunk."""
        packed = [check for block in self.blocks for check in pickle.loads(block)]
        skip = self.chunk.start % CHECKS_PER_CHUNK
        return packed[skip : skip + _checks(self.chunk)]


Load = tuple[Parcel, ...]
"""What a process judges at once: chunks of several scenes."""


def _checks(chunk: Chunk) -> int:
    assert chunk.stop is not None
    return chunk.stop - chunk.start


class SceneReader:
    """Reads scenes in one process; no renderer is started there.

    Args:
        settings: how every scene is judged.
    """

    def __init__(self, settings: BatchSettings) -> None:
        self._opener = Opener(settings)
        self._digests: WeakKeyDictionary[Model, str] = WeakKeyDictionary()
        self._sent: set[str] = set()

    def __call__(self, chunk: Chunk) -> Iterator[Row | CarriedScene]:
        """The scene, unless it cannot be carried; then, for one that is to be opened, the row of a `ChunkJudge`.

        A scene that an earlier run has opened is not read again: the row has its digest alone. If the chunk names a
        range of checks, the scene comes without a row.
        """
        try:
            digest = self._opener.digest(chunk.scene)
            if chunk.stop is None and chunk.digest == digest:
                yield {"digest": digest}
                return
            self._opener.open(chunk.scene, digest)
        except Exception as error:
            if chunk.stop is None:
                yield failed_row(self._opener.problem(chunk.scene, error))
            return  # who judges the checks meets the same error, and tells it for each
        carried = self._carried(chunk.scene, digest)
        if carried is not None:
            yield carried
        if chunk.stop is None:
            yield {"digest": digest, "checks": len(self._opener.checks)}

    def _carried(self, scene: str, digest: str) -> CarriedScene | None:
        """The scene that was read last; None if pickle cannot carry it."""
        models = dict[str, Model]()

        def digest_of(model: Model) -> str:
            if model not in self._digests:
                self._digests[model] = model_digest(model)
            models[self._digests[model]] = model
            return self._digests[model]

        checks = self._opener.checks
        starts = range(0, len(checks), CHECKS_PER_CHUNK)
        try:
            content = packed_scene(replace(self._opener.scene, checks=()), digest_of)
            blocks = [pickle.dumps(tuple(checks[start : start + CHECKS_PER_CHUNK])) for start in starts]
            new = {name: packed_model(model) for name, model in models.items() if name not in self._sent}
        except Exception:  # whatever a game's own scenes hold
            return None
        self._sent |= new.keys()
        return CarriedScene(scene, digest, content, frozenset(models), new, blocks)


class LoadJudge:
    """Judges loads in one process, on a device of its own, or on one that another process holds.

    Args:
        settings: how every scene is judged.
        devices: the names of the devices, one for each process; None leaves it to the renderer.
        held: if processes hold the devices, the address and the key of each; then several ask the same.
        apart: whether each check is judged by itself: if there is a timeout, it is that of one check.
    """

    def __init__(
        self,
        settings: BatchSettings,
        devices: Sequence[str | None],
        held: Sequence[tuple[str, bytes]] = (),
        *,
        apart: bool = False,
    ) -> None:
        settings = replace(settings, device=devices[worker_number() % len(devices)])
        self._settings, self._apart = settings, apart
        self._opener = Opener(settings)
        starts = partial(ServedRenderer, *held[worker_number() % len(held)]) if held else None
        self._judge = ChunkJudge(settings, number=0, together=1 if apart else CHECKS_TOGETHER, starts=starts)

    def __call__(self, load: Load) -> Iterator[int | tuple[int, Row]]:
        """The number of checks that it judges best at once, then the rows, each with the number of its parcel."""
        try:
            renderer = self._judge.start()
        except RendererUnavailable as error:
            yield 0, {"unavailable": str(error)}
            return
        yield 1 if self._apart else renderer.capabilities.checks_together or CHECKS_TOGETHER
        maker = RowMaker(self._settings, renderer, self._opener)
        together, apart = self._requests(load)
        if together:
            rows = maker.rows([request for _, request in together], len(together))
            yield from zip((number for number, _ in together), rows, strict=True)
        for number, requests in apart:
            chunk = load[number].chunk
            rows = self._judge(chunk) if requests is None else maker.rows(requests, 1, chunk.failure)
            yield from ((number, row) for row in rows)

    def _requests(self, load: Load) -> tuple[list[tuple[int, Request]], list[tuple[int, list[Request] | None]]]:
        """What is judged together, and what parcel by parcel, each with the number of its parcel."""
        together, apart = list[tuple[int, Request]](), list[tuple[int, list[Request] | None]]()
        for number, parcel in enumerate(load):
            requests, chunk = self._unpacked(parcel), parcel.chunk
            if requests and not (self._apart or chunk.one_by_one or chunk.failure):
                together += [(number, request) for request in requests]
            else:
                apart.append((number, requests))
        return together, apart

    def _unpacked(self, parcel: Parcel) -> list[Request] | None:
        """The checks of a parcel, with their scene; None if they must be read."""
        if not parcel.scene:
            return None
        try:
            scene = content_of(parcel.scene, lambda content: unpacked_scene(content, self._model))
        except Lacking:  # there was no more room for one of its models
            return None
        return [(scene, check) for check in parcel.checks()]

    def _model(self, digest: Name) -> Model:
        model: Model = content_of(str(digest), lambda content: unpacked_model(content, self._opener.cache))
        return model


def _start(
    settings: BatchSettings, devices: Sequence[str | None], held: Sequence[tuple[str, bytes]], *, apart: bool
) -> Callable[[Chunk | Load], Iterator[Any]]:
    reader, judge = SceneReader(settings), LoadJudge(settings, devices, held, apart=apart)
    return lambda task: reader(task) if isinstance(task, Chunk) else judge(task)


class FeedingPool:
    """Processes of which some read scenes, and the others judge on devices what those have read.

    The events are those of a `silhouette.workers.WorkerPool`. Entered as a context manager, it gives itself, or the
    pool that ``ordinary`` makes if no process should launch for others.

    Invariants: a chunk of a range is in one of ``_held`` (its scene is read first), ``_ready``, and a load; ``_left``
    counts these for each scene, which stays in ``_carried`` until none is left and it is not in ``_opened``.
    ``_waiting`` is the number of checks in ``_ready``.

    Args:
        settings: how every scene is judged, with a renderer that may launch for others.
        workers: the number of processes: at least one reads and one judges; with those that hold devices, and that
            wait for them most of the time, there are more.
        timeout: as of `silhouette.workers.WorkerPool`; then each check is judged by itself.
        ordinary: makes a pool whose processes read and judge.
        devices: the names of the devices; by default the one of the settings, or the GPUs of this machine.

    Attributes:
        by_meshes: see `silhouette.batches.run.Pool`: a mesh that one of them has read is sent to all who judge.
    """

    by_meshes = False

    def __init__(
        self,
        settings: BatchSettings,
        workers: int,
        timeout: float | None,
        ordinary: Callable[[], WorkerPool],
        devices: Sequence[str | None] | None = None,
    ) -> None:
        self._settings, self._workers, self._timeout = settings, workers, timeout
        self._ordinary = ordinary
        self._devices = devices
        self._stack = ExitStack()
        self._together = 1 if timeout else CHECKS_TOGETHER
        self._to_read: deque[Chunk] = deque()
        self._opened: deque[Chunk] = deque()
        self._ready: deque[Chunk] = deque()
        self._waiting = 0
        self._held: dict[str, list[Chunk]] = {}
        self._carried: dict[str, CarriedScene] = {}
        self._left: Counter[str] = Counter()
        self._rows: Counter[Chunk] = Counter()
        self._alone: set[Chunk] = set()
        self._models = LRU[bytes](CONTENT_ROOM)

    def __enter__(self) -> FeedingPool | WorkerPool:
        devices = self._found_devices() if self._devices is None else self._devices
        if not devices or start_method().name == "none":
            return self._stack.enter_context(self._ordinary())
        with ExitStack() as stack:
            self._start(devices, stack)
            self._stack = stack.pop_all()
        return self

    def _start(self, devices: Sequence[str | None], stack: ExitStack) -> None:
        self._reading = max(1, self._workers // READING)
        self._judging, held = max(1, self._workers - self._reading), list[HeldDevice]()
        if self._judging > len(devices) and may_launch_for_others(self._settings.renderer, self._settings.device):
            clients = -(-self._judging // len(devices))
            held = [stack.enter_context(HeldDevice(device, clients)) for device in devices]
        else:
            self._judging = min(len(devices), self._judging)
            self._reading = max(1, self._workers - self._judging)
        addresses = [(one.address, one.key) for one in held]
        start = partial(_start, self._settings, devices, addresses, apart=self._timeout is not None)
        pool = WorkerPool(start, self._judging + self._reading, self._timeout, ahead=self._judging)
        self._pool = stack.enter_context(pool)

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _found_devices(self) -> Sequence[str | None]:
        """The names of the devices; a GPU that is the only one is left to the renderer. None if "auto" finds none.

        Another process looks for them: this one could not be forked with a driver.
        """
        name, device = self._settings.renderer, self._settings.device
        if device is not None:
            return (device,)
        names = [name]
        with WorkerPool(_gpu_teller, 1) as pool:
            told = list(pool.events(lambda last: names.pop() if names else None))
        gpus: list[str] = next((event.value for event in told if event.kind == "result"), [])
        if len(gpus) > 1:
            return tuple(gpus)
        return () if name == "auto" and not gpus else (None,)

    def events(self, next_task: NextTask) -> Iterator[Event]:
        """The events until all is done; see `silhouette.workers.WorkerPool.events`."""

        def read(last: Chunk | None) -> Chunk | None:
            self._pull(next_task)
            return self._to_read.popleft() if self._to_read and not self._is_full() else None

        def judge(last: Load | None) -> Load | None:
            self._pull(next_task)
            return self._load() if self._ready else None

        sources: list[NextTask] = [judge] * self._judging + [read] * self._reading
        for event in self._pool.events(sources, self._contents_of):
            yield from self._judged(event) if isinstance(event.task, tuple) else self._read(event)

    def _contents_of(self, task: Chunk | Load) -> Mapping[str, Content]:
        """The scenes of a load, and those of their models for which there was room."""
        contents = dict[str, Content]()
        for parcel in () if isinstance(task, Chunk) else task:
            if parcel.scene and parcel.scene not in contents:
                carried = self._carried[parcel.chunk.scene]
                contents[parcel.scene] = Content(partial(bytes, carried.content), SCENE_BYTES)
                for digest in carried.models:
                    if (model := self._models.get(digest)) is not None:
                        contents[digest] = Content(partial(bytes, model))
        return contents

    def _pull(self, next_task: NextTask) -> None:
        """Takes the chunks of scenes that have been opened, and as many scenes to read as there is room for."""
        while self._opened:
            last = self._opened[0]
            chunk = next_task(last)
            if chunk is None or chunk.stop is None or chunk.scene != last.scene:
                self._opened.popleft()
                self._drop_if_done(last.scene)
            if chunk is not None:
                self._take(chunk)
        while len(self._to_read) < self._workers and not self._is_full():
            chunk = next_task(None)
            if chunk is None:
                return
            self._take(chunk)

    def _is_full(self) -> bool:
        return self._waiting >= LOADS_READ * self._judging * self._together

    def _put(self, chunk: Chunk) -> None:
        self._ready.append(chunk)
        self._waiting += _checks(chunk)

    def _next(self) -> Chunk:
        chunk = self._ready.popleft()
        self._waiting -= _checks(chunk)
        return chunk

    def _take(self, chunk: Chunk) -> None:
        if chunk.stop is None:
            self._to_read.append(chunk)
            return
        self._left[chunk.scene] += 1
        if chunk.scene in self._held:
            self._held[chunk.scene].append(chunk)
        elif chunk.scene in self._carried:
            self._put(chunk)
        else:
            self._held[chunk.scene] = [chunk]
            self._to_read.appendleft(chunk)

    def _read(self, event: Event) -> Iterator[Event]:
        """The events of the batch that follow from one of a reader."""
        chunk: Chunk = event.task
        if isinstance(event.value, CarriedScene):
            self._carried[chunk.scene] = event.value
            for digest, model in event.value.new.items():
                self._models.put(digest, model, len(model))
            self._models.trim()
        elif chunk.stop is None:
            yield event
            if event.kind != "result":
                self._opened.append(chunk)
        else:  # a reader that was lost over it is no reason to give it up: the one that judges it may read it
            for held in self._held.pop(chunk.scene):
                self._put(held)

    def _load(self) -> Load:
        """What a process that judges is given next: as many checks as it judges best, or its share of what is ready."""
        room = min(self._together, -(-self._waiting // self._judging))
        chunks = [self._next()]
        room -= _checks(chunks[0])
        while self._ready and room >= _checks(self._ready[0]):
            if self._is_alone(chunks[0]) or self._is_alone(self._ready[0]):
                break
            chunks.append(self._next())
            room -= _checks(chunks[-1])
        return tuple(Parcel.of(chunk, self._carried.get(chunk.scene)) for chunk in chunks)

    def _is_alone(self, chunk: Chunk) -> bool:
        """Whether a chunk is a load by itself: what ends the process, or takes too long, is then known."""
        return self._timeout is not None or chunk.one_by_one or bool(chunk.failure) or chunk in self._alone

    def _judged(self, event: Event) -> Iterator[Event]:
        """The events of the batch that follow from one of a process that judges."""
        load: Load = event.task
        if event.kind != "result":
            yield from self._ended(load, event)
        elif isinstance(event.value, int):
            self._together = event.value
        else:
            number, row = event.value
            chunk = load[number].chunk
            self._rows[chunk] += 1
            yield Event(chunk, "result", row)

    def _ended(self, load: Load, event: Event) -> Iterator[Event]:
        chunks = [parcel.chunk for parcel in load]
        for chunk in chunks:
            count = self._rows.pop(chunk, 0)
            self._left[chunk.scene] -= 1
            self._alone.discard(chunk)
            if event.kind == "done":
                yield Event(chunk, "done")
            elif len(chunks) == 1:
                yield Event(chunk, "lost", event.value, event.may_retry)
                self._opened.append(chunk)
            elif count < _checks(chunk):
                again = replace(chunk, start=chunk.start + count)
                self._alone.add(again)
                self._left[chunk.scene] += 1
                self._put(again)
            self._drop_if_done(chunk.scene)

    def _drop_if_done(self, scene: str) -> None:
        """Lets go of a scene of which no chunk is left."""
        if not self._left[scene] and all(chunk.scene != scene for chunk in self._opened):
            del self._left[scene]
            self._carried.pop(scene, None)


def _gpu_teller() -> Callable[[str], Iterator[list[str]]]:
    """The work of a process that tells the GPUs of a renderer."""
    return lambda name: iter([gpus_of(name)])
