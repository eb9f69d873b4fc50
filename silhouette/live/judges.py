"""TELL: worker processes that judge the poses of a table; of several poses the newest."""

from __future__ import annotations

import asyncio
import gc
import os
import pickle
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import cache as cached
from functools import partial
from itertools import count
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol, cast
from weakref import WeakKeyDictionary

import numpy as np

from silhouette.common.errors import RequestError, SilhouetteError
from silhouette.common.installation import VERSION
from silhouette.common.text import problem
from silhouette.drawing.in_3d.stage import sight_entry, sight_of
from silhouette.files.cache import Cache
from silhouette.judging.judge import JudgingOptions, judge_all
from silhouette.judging.loading import Selection, content_with
from silhouette.judging.maps import MapCells, MapRequest, checks_of_map, judged_cells
from silhouette.judging.run import shared
from silhouette.live.by_hand import Document
from silhouette.live.live_table import TablePose
from silhouette.models.model import Model
from silhouette.renderers import choose
from silhouette.renderers.protocol import ForwardingRenderer, Renderer
from silhouette.renderers.registry import survives_fork
from silhouette.rules import rule_called, rule_of
from silhouette.rules.abilities import maps_of
from silhouette.scenes.carrying import Name, model_digest, packed_model, packed_scene, unpacked_model, unpacked_scene
from silhouette.scenes.scene import Check
from silhouette.scenes.table import TableScene
from silhouette.scenes.warnings import prepare
from silhouette.workers import PATIENT, WorkerPool, cores, start_method
from silhouette.workers.content import CONTENT_ROOM, Content, content_of
from silhouette.workers.forkserver import Loaded
from silhouette.workers.process import Stopped, send_result, worker_pipe
from silhouette.workers.slots import Event


@dataclass(frozen=True)
class Desk:
    """What a process answers with.

    Attributes:
        pixel: mm at the target, None for the scene's own.
        on_progress: is called with the share of an answer that is worked out.
    """

    scene: TableScene
    renderer: Renderer
    cache: Cache
    pixel: float | None
    on_progress: Callable[[float], None] = lambda share: None

    @property
    def options(self) -> JudgingOptions:
        """How it judges."""
        return JudgingOptions(self.renderer, self.cache, self.pixel)


class SceneQuestion(Protocol):
    """A question about a scene, for one process; what pickle can carry, as its answer is."""

    def answered(self, desk: Desk) -> Any:
        """The answer; SilhouetteError where there is none."""


@dataclass(frozen=True)
class Answer:
    """What a check found: its row, as of `silhouette check --json`, and its view, as of a stage's views, or None."""

    row: dict[str, Any]
    view: dict[str, Any] | None = None


@dataclass(frozen=True)
class AnswerProgress:
    """How much of an answer is worked out: what a process tells before it."""

    share: float


@dataclass(frozen=True)
class CheckQuestion:
    """Checks of a scene: a `SceneQuestion` whose answer is a list of `Answer`, in their order.

    With ``views`` each has the view that a picture of it is drawn from; with a seed odds.
    """

    checks: tuple[Check, ...]
    views: bool = False
    seed: int | None = None
    what_if: bool = False

    def answered(self, desk: Desk) -> list[Answer]:
        """See `SceneQuestion`."""
        scene = desk.scene
        options = replace(desk.options, keep=self.views, seed=self.seed, what_if=self.what_if)
        requests = [(scene, check) for check in self.checks]
        verdicts = len(requests)  # they come first, and take little of the time of what is wanted besides

        def step(done: float, total: int) -> None:
            desk.on_progress(max(done - verdicts, 0.0) / max(total - verdicts, 1))

        results = judge_all(requests, options, step)
        sights = [sight_of(scene, n, result.verdict) if self.views else None for n, result in enumerate(results)]
        return [
            Answer(result.row(), None if sight is None else sight_entry(sight))
            for result, sight in zip(results, sights, strict=True)
        ]


@dataclass(frozen=True)
class MapQuestion:
    """Some points (mm, x and y) of a map: a `SceneQuestion` whose answer is `silhouette.judging.maps.MapCells`."""

    request: MapRequest
    points: tuple[tuple[float, float], ...]

    def answered(self, desk: Desk) -> MapCells:
        """See `SceneQuestion`."""
        scene, request, settings = desk.scene, self.request, desk.options.settings(desk.scene)
        rule = rule_called(scene.rules)
        places = maps_of(rule, scene).places(scene, request.move)
        checks = checks_of_map(rule, scene, request)
        points = np.array(self.points)
        return judged_cells(rule, scene, places, request.role, checks, request.under, settings, points)


@dataclass(frozen=True)
class PageQuestion:
    """The report of one check, or of the scene's own: a `SceneQuestion` whose answer is the page, in UTF-8."""

    attacker: str | None
    target: str | None
    text: str

    def answered(self, desk: Desk) -> bytes:
        """See `SceneQuestion`."""
        from silhouette.pages.report.page import judged_and_drawn, report_page
        from silhouette.pages.report.sections import on_page

        selection, writing = Selection(self.attacker, self.target), on_page(desk.cache)
        drawn = judged_and_drawn(desk.scene, desk.renderer, desk.pixel, selection=selection, writing=writing)
        return report_page(desk.scene, drawn, self.text, VERSION, writing).encode()


@dataclass(frozen=True)
class PictureQuestion:
    """The picture of a check: a `SceneQuestion` whose answer is a PNG file's content."""

    check: Check

    def answered(self, desk: Desk) -> bytes:
        """See `SceneQuestion`."""
        from silhouette.drawing.figures import write_main_figure

        (ruling,) = judge_all([(desk.scene, self.check)], replace(desk.options, keep=True))
        with TemporaryDirectory() as folder:
            file = Path(folder, "figure.png")
            if not write_main_figure(desk.scene, self.check, ruling.verdict, desk.renderer, file):
                raise RequestError(f"{desk.scene.path}: this check has no picture")
            return file.read_bytes()


class StoppableRenderer(ForwardingRenderer):
    """A renderer, a measurement with which ends with `Stopped` at the first look after a message has come by the pipe.

    In a process that is forked from this one nothing is read from the pipe.
    """

    def __init__(self, renderer: Renderer, pipe: Connection) -> None:
        super().__init__(renderer)
        self._pipe, self._process = pipe, os.getpid()

    def go_on(self) -> None:
        """See `Renderer.go_on`."""
        if self._process == os.getpid() and self._pipe.poll():
            self._pipe.recv()
            raise Stopped


SCENE_BYTES = CONTENT_ROOM // 4
"""Bytes that a scene takes in a process: it keeps four, the newest pose and what is asked of others in between."""

MIN_GROUP_CHECKS, MOST_GROUP_CHECKS, LIVE_GROUPS_PER_PROCESS = 4, 64, 2
"""How many checks a group has at least and at most, and into how many groups for each process those of a request are
cut: a more urgent question makes its process begin the group again.
"""

TRIES = 2  # processes that are asked a question: one may have been killed for another reason

TABLE_CLOSED_REASON = "the table is closed"


@dataclass(frozen=True)
class Start:
    """What a process needs before the first question. Pickled, for a fresh Python, it comes without what is shared: the
    started renderer, the scene whose meshes are made ready once for all processes that are forked from one, its models
    by their digests, and what the cache has in memory.

    ``error`` and ``pixel`` (mm) are None for the scene's own.
    """

    cache: Cache
    renderer: str
    device: str | None = None
    error: float | None = None
    pixel: float | None = None
    started: Renderer | None = None
    scene: TableScene | None = None
    models: Mapping[str, Model] | None = None

    def __call__(self) -> AnsweringWork:
        """The work of a process."""
        return AnsweringWork(self)

    def __reduce__(self) -> Any:
        return Start, (Cache(self.cache.directory), self.renderer, self.device, self.error, self.pixel)


class _ProgressSender:
    """Sends the share of an answer that is worked out to the process that waits for it, each hundredth once."""

    def __init__(self) -> None:
        self._hundredths = 0

    def __call__(self, share: float) -> None:
        if int(100 * share) > self._hundredths:
            self._hundredths = int(100 * share)
            send_result(AnswerProgress(self._hundredths / 100))


class AnsweringWork:
    """Answers questions in one process: a `silhouette.workers.forkserver.SharedWork`."""

    def __init__(self, start: Start) -> None:
        self._start = start
        self._cache = start.cache.remembering()
        self._renderer: Renderer | None = None

    def load(self, _: Any) -> Loaded:
        """Makes the meshes of the scene ready to be looked at, and its pieces to be moved.

        This process, and what is forked of it, is ended by the one that began it alone, which waits until all are gone.
        """
        scene, renderer = self._start.scene, self._start.started
        if scene is None or renderer is None:
            return "unshared"
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        shared(scene, renderer)
        prepare(scene.pieces)
        return "full"

    def __call__(self, task: tuple[str, Path, SceneQuestion]) -> Iterator[Any]:
        """The answer to a question; RequestError if there is none."""
        name, path, question = task
        try:
            if self._renderer is None:
                gc.freeze()  # what is there already stays, and need not be looked through again and again
                renderer = self._start.started or choose(self._start.renderer, self._start.device)
                self._renderer = StoppableRenderer(renderer, worker_pipe())
            scene = content_of(name, partial(self._scene, path, is_document=name.startswith("document")))
            answer = question.answered(Desk(scene, self._renderer, self._cache, self._start.pixel, _ProgressSender()))
        except Exception as error:
            raise RequestError(problem(error, path)) from None
        yield answer

    def _scene(self, path: Path, content: bytes, *, is_document: bool) -> TableScene:
        if is_document:
            document = pickle.loads(content)
            loaded: Any = rule_of(path, document).load(path, document, self._cache)
        else:
            loaded = unpacked_scene(content, self._model)
        return cast("TableScene", content_with(loaded, self._start.error))

    def _model(self, name: Name) -> Model:
        shared_model = (self._start.models or {}).get(str(name))
        model: Model = shared_model or content_of(str(name), lambda content: unpacked_model(content, self._cache))
        return model


class Judges:
    """Processes that judge; an asynchronous context manager, at the end of which they are gone.

    They are started at once: before the event loop has threads, so that they may be forked. The meshes of the first
    scene are loaded once for all. Their number is by default that of the cores.
    """

    def __init__(
        self,
        scene: TableScene,
        cache: Cache,
        renderer: str = "auto",
        device: str | None = None,
        workers: int | None = None,
        error: float | None = None,
        pixel: float | None = None,
    ) -> None:
        self.workers = cores() if workers is None else workers
        self._numbers = count()
        self._digests: WeakKeyDictionary[Model, str] = WeakKeyDictionary()
        self._contents: tuple[int, Mapping[str, Content]] = -1, {}
        self._futures: dict[asyncio.Future[Any], Future[Any]] = {}
        self._is_waking = False
        start, started = Start(cache, renderer, device, error, pixel), choose(renderer, device)
        requirements = None
        if start_method() == "fork" and survives_fork(started.name):
            models = {self._digest(piece.model): piece.model for piece in scene.pieces}
            start = replace(start, started=started, scene=scene, models=models)
            digests = frozenset({"meshes", *models})

            def requirements(task: Any) -> frozenset[str]:
                return digests

        self._pool = WorkerPool(start, self.workers, requirements=requirements, tries=TRIES)
        self._pool.start_all(None)

    async def __aenter__(self) -> Judges:
        self._pool.start_thread()
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the processes."""
        self._pool.close(SilhouetteError(TABLE_CLOSED_REASON))

    def ask(
        self,
        pose: TablePose,
        question: SceneQuestion,
        urgency: int = 0,
        on_progress: Callable[[float], None] | None = None,
    ) -> asyncio.Future[Any]:
        """What the question's ``answered`` returns; cancelled, it is not begun, or not gone on with.

        Less urgent questions, with higher numbers, wait for more urgent ones. ``on_progress`` is called with the share
        of the answer that is worked out.
        """
        contents, loop = self._contents_of(pose), asyncio.get_running_loop()

        def forward(event: Event) -> None:  # by the thread of the pool
            if on_progress is not None and isinstance(event.value, AnswerProgress):
                loop.call_soon_threadsafe(on_progress, event.value.share)

        future = self._pool.submit((next(iter(contents)), pose.path, question), contents, urgency, forward)
        answer = asyncio.wrap_future(future)
        self._futures[answer] = future
        answer.add_done_callback(self._forget)
        if not self._is_waking:  # once for all that are asked now, so that the most urgent of them comes first
            self._is_waking = True
            loop.call_soon(self._wake)
        return answer

    def _wake(self) -> None:
        self._is_waking = False
        self._pool.wake()

    def _forget(self, answer: asyncio.Future[Any]) -> None:
        del self._futures[answer]
        if not answer.cancelled():
            answer.exception()  # if nobody waits for it any longer, that is no mistake

    def drop(self, answer: asyncio.Future[Any]) -> None:
        """Cancels what `ask` gave, and has its process stop now: a future alone does so when the loop goes on."""
        if answer in self._futures:
            self._futures[answer].cancel()
        answer.cancel()

    def _contents_of(self, pose: TablePose) -> Mapping[str, Content]:
        """What is needed to judge a pose, the scene first, then its models; or its document, if it is not loaded."""
        number, contents = self._contents
        if number == pose.number:
            return contents
        scene = pose.scene
        if scene is None:
            return {f"document {pose.number}": Content(lambda: pickle.dumps(pose.document), SCENE_BYTES)}
        models = {self._digest(piece.model): piece.model for piece in scene.pieces}
        packed = cached(lambda: packed_scene(scene, self._digest))
        contents = {f"scene {pose.number}": Content(packed, SCENE_BYTES)}
        contents |= {name: Content(partial(packed_model, model)) for name, model in models.items()}
        self._contents = pose.number, contents
        return contents

    def _digest(self, model: Model) -> str:
        """The digest of a model, by which processes know it; worked out once for each."""
        if model not in self._digests:
            self._digests[model] = model_digest(model)
        return self._digests[model]

    async def ask_all(
        self, pose: TablePose, question: CheckQuestion, on_progress: Callable[[float], None] = lambda share: None
    ) -> list[Answer]:
        """The answers to a question of many checks, shared out among the processes; ``on_progress`` as of `ask`."""
        checks, groups = question.checks, self._groups(question)
        shares = [0.0] * len(checks)

        def group_progress(group: Sequence[int], share: float) -> None:
            for number in group:
                shares[number] = max(shares[number], share)  # a process may have begun it again
            on_progress(sum(shares) / len(shares))

        futures = [
            self.ask(
                pose,
                replace(question, checks=tuple(checks[number] for number in group)),
                PATIENT,
                partial(group_progress, group),
            )
            for group in groups
        ]
        try:
            answers_of_groups = await asyncio.gather(*futures)
        finally:
            for future in futures:
                future.cancel()
        answers = {
            number: answer
            for group, of_group in zip(groups, answers_of_groups, strict=True)
            for number, answer in zip(group, of_group, strict=True)
        }
        return [answers[number] for number in range(len(checks))]

    def _groups(self, question: CheckQuestion) -> list[list[int]]:
        """The numbers of the checks that each process judges together.

        What takes long is asked one by one; what would change a verdict, with the way back: it may tell why one of two
        does not see the other.
        """
        checks = question.checks
        if question.what_if:
            pairs: dict[frozenset[str], list[int]] = {}
            for number, check in enumerate(checks):
                pairs.setdefault(frozenset((check.attacker, check.target)), []).append(number)
            return list(pairs.values())
        size = 1 if question.seed is not None else self.together(len(checks))
        return [list(range(start, min(start + size, len(checks)))) for start in range(0, len(checks), size)]

    def together(self, checks: int) -> int:
        """The number of checks in a group, for a request of so many ``checks``."""
        return min(MOST_GROUP_CHECKS, max(MIN_GROUP_CHECKS, -(-checks // (LIVE_GROUPS_PER_PROCESS * self.workers))))

    def tried(self, document: Document, path: Path) -> TablePose:
        """A pose that the table is not in; its number is below 0."""
        return TablePose(-1 - next(self._numbers), document, path)
