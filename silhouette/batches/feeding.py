"""MANY: one process for each device launches, and others read and judge for it: it never waits for a file.

Chunk that opens a scene -> read by any reader -> `CarriedScene` -> its chunks, with those of others -> `Load`, judged
by a process that has been sent the next one meanwhile -> rows

Where more processes judge than there are devices, they have what is counted counted by the process that holds a device:
see `silhouette.batches.holding`. Else each holds its own.

A reader that dies costs the scene that it was reading, which is read again. Of a load whose process dies, what is left
is judged again, each chunk by itself; a chunk that is lost then is lost as it is to any worker.
"""

from __future__ import annotations

from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial

from silhouette.batches.carried import CarriedScene, Load, Parcel, Told
from silhouette.batches.chunks import Chunk
from silhouette.batches.holding import HeldDevice
from silhouette.batches.load_judging import LoadJudge
from silhouette.batches.scene_reading import SceneReader
from silhouette.batches.settings import BatchSettings
from silhouette.groups import TOGETHER
from silhouette.renderers.registry import gpus_of, may_launch_for_others
from silhouette.workers import Event, NextTask, WorkerPool, events_of
from silhouette.workers.clock import RunningClock
from silhouette.workers.starting import start_method

LOADS_READ = 4
"""Reading pauses while this many loads are ready for each process that judges."""

READING = 4
"""Of so many processes one reads scenes, and the others judge."""

MODEL_BYTES = 1 << 30
"""Bytes of models that are kept to be sent to further processes that judge; the latest used first."""


class FeedingPool:
    """Processes of which some read scenes, and the others judge on devices what those have read.

    The events are those of a `silhouette.workers.WorkerPool`. Entered as a context manager, it gives itself, or the
    pool that ``ordinary`` makes where no process should launch for others.

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
        self._together = 1 if timeout else TOGETHER
        self._to_read: deque[Chunk] = deque()
        self._opened: deque[Chunk] = deque()
        self._ready: deque[Chunk] = deque()
        self._waiting = 0
        self._held: dict[str, list[Chunk]] = {}
        self._carried: dict[str, CarriedScene] = {}
        self._left: Counter[str] = Counter()
        self._rows: Counter[Chunk] = Counter()
        self._alone: set[Chunk] = set()
        self._models: OrderedDict[str, bytes] = OrderedDict()
        self._known: list[set[str]] = []

    def __enter__(self) -> FeedingPool | WorkerPool:
        devices = self._found_devices() if self._devices is None else self._devices
        if not devices or start_method().name == "none":
            return self._stack.enter_context(self._ordinary())
        with ExitStack() as stack:
            self._start(devices, stack)
            self._stack = stack.pop_all()
        return self

    def _start(self, devices: Sequence[str | None], stack: ExitStack) -> None:
        """Starts the processes; at the end of the stack they end."""
        reading = max(1, self._workers // READING)
        self._judging, held = max(1, self._workers - reading), list[HeldDevice]()
        if self._judging > len(devices) and may_launch_for_others(self._settings.renderer, self._settings.device):
            clients = -(-self._judging // len(devices))
            held = [stack.enter_context(HeldDevice(device, clients)) for device in devices]
        else:
            self._judging = min(len(devices), self._judging)
            reading = max(1, self._workers - self._judging)
        clock, addresses = RunningClock(), [(one.address, one.key) for one in held]
        read = partial(SceneReader, self._settings)
        judge = partial(LoadJudge, self._settings, devices, addresses, apart=self._timeout is not None)
        self._readers = stack.enter_context(WorkerPool(read, reading, self._timeout, clock=clock))
        self._judges = stack.enter_context(WorkerPool(judge, self._judging, self._timeout, ahead=True, clock=clock))

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _found_devices(self) -> Sequence[str | None]:
        """The names of the devices; a GPU that is the only one is left to the renderer. None where "auto" finds none.

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
            return self._load(last) if self._ready else None

        for event in events_of([(self._readers, read), (self._judges, judge)]):
            yield from self._judged(event) if isinstance(event.task, Load) else self._read(event)

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
        """Whether enough checks wait to be judged."""
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
            self._models.update(event.value.new)
            while sum(map(len, self._models.values())) > MODEL_BYTES:
                self._models.popitem(last=False)
        elif chunk.stop is None:
            yield event
            if event.kind != "result":
                self._opened.append(chunk)
        else:  # a reader that was lost over it is no reason to give it up: the one that judges it may read it
            for held in self._held.pop(chunk.scene):
                self._put(held)

    def _load(self, last: Load | None) -> Load:
        """What a process that judges is given next: as many checks as it judges best, or its share of what is ready."""
        room = min(self._together, -(-self._waiting // self._judging))
        chunks = [self._next()]
        room -= _checks(chunks[0])
        while self._ready and room >= _checks(self._ready[0]):
            if self._is_alone(chunks[0]) or self._is_alone(self._ready[0]):
                break
            chunks.append(self._next())
            room -= _checks(chunks[-1])
        if last is None:
            self._known.append(set())
        judge = len(self._known) - 1 if last is None else last.judge
        carried = {chunk.scene: self._carried.get(chunk.scene) for chunk in chunks}
        wanted = {name for one in carried.values() if one is not None for name in one.models} - self._known[judge]
        models = {name: self._models[name] for name in sorted(wanted & self._models.keys())}
        self._known[judge] |= models.keys()
        for name in models:
            self._models.move_to_end(name)
        return Load(judge, [Parcel.of(chunk, carried[chunk.scene]) for chunk in chunks], models)

    def _is_alone(self, chunk: Chunk) -> bool:
        """Whether a chunk is a load by itself: what ends the process, or takes too long, is then known."""
        return self._timeout is not None or chunk.one_by_one or bool(chunk.failure) or chunk in self._alone

    def _judged(self, event: Event) -> Iterator[Event]:
        """The events of the batch that follow from one of a process that judges."""
        load: Load = event.task
        if isinstance(event.value, Told):
            self._together = event.value.together
            self._known[load.judge] -= event.value.lacking
        elif event.kind == "result":
            number, row = event.value
            chunk = load.parcels[number].chunk
            self._rows[chunk] += 1
            yield Event(chunk, "result", row)
        else:
            yield from self._ended(load, event)

    def _ended(self, load: Load, event: Event) -> Iterator[Event]:
        chunks = [parcel.chunk for parcel in load.parcels]
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


def _checks(chunk: Chunk) -> int:
    """The number of checks of a chunk."""
    assert chunk.stop is not None
    return chunk.stop - chunk.start


def _gpu_teller() -> Callable[[str], Iterator[list[str]]]:
    """The work of a process that tells the GPUs of a renderer."""
    return lambda name: iter([gpus_of(name)])
