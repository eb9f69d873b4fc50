"""TELL: worker processes that judge the poses of a table; of several poses the newest.

questions about documents -> tasks, the most urgent first, none that is cancelled -> processes with the meshes in memory
a task that is cancelled, or a patient one where something urgent comes -> its process stops in the middle of it
"""

from __future__ import annotations

import asyncio
import gc
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import count
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Lock
from typing import Any, cast

from silhouette.errors import RequestError, SilhouetteError
from silhouette.files.cache import Cache
from silhouette.groups import TOGETHER
from silhouette.judging.loading import content_with
from silhouette.live.live_table import Pose
from silhouette.live.names import Document
from silhouette.live.processes import CLOSED, Processes, Start
from silhouette.live.questions import Answer, CheckQuestion, Desk, Question
from silhouette.live.stopping import STOP, StoppableRenderer, Stopped
from silhouette.renderers import choose
from silhouette.rules import rule_of
from silhouette.scenes.table import TableScene
from silhouette.text import problem
from silhouette.workers.starting import cores

KEPT = 4
"""Scenes that a process keeps: the newest pose, and what is asked of others in between."""

FEWEST, GROUPS_EACH = 4, 2
"""How many checks a group has at least, and into how many groups for each process the checks of a request are cut.

A group has at most `TOGETHER` checks: a more urgent question makes its process begin the group again.
"""

PATIENT = 5
"""The urgency from which on a question gives way: its process answers the more urgent one, and begins it again."""

LOST = "a process ended in the middle of a check, out of memory or killed; ask again"

TRIES = 2
"""Processes that are asked a question: one may have been killed for another reason."""


@dataclass(order=True)
class _Task:
    """A question in the queue, the most urgent first."""

    urgency: int
    number: int
    pose: Pose = field(compare=False)
    question: Question = field(compare=False)
    done: asyncio.Future[Any] = field(compare=False)


class Judges:
    """Processes that judge; an asynchronous context manager, at the end of which they are gone.

    They are started at once: before the event loop has threads, so that they may be forked.

    Args:
        scene: as it is at first; its meshes are loaded once for all processes.
        cache: of meshes.
        renderer: "auto" or the name of a renderer.
        device: the name of its device.
        workers: the number of processes; by default that of the cores.
        error, pixel: in place of the scene's own.
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
        start = Start(Cache(cache.directory), renderer, device, error, pixel)
        self._processes = Processes(scene, start, cache, self.workers, serve_questions)
        self._threads = ThreadPoolExecutor(self.workers)
        self._sent: list[list[int]] = [[] for _ in range(self.workers)]
        self._locks = [Lock() for _ in range(self.workers)]
        self._running: list[_Task | None] = [None] * self.workers
        self._queue: asyncio.PriorityQueue[_Task] = asyncio.PriorityQueue()
        self._is_closed = False
        self._numbers = count()
        self._waiting = set[asyncio.Future[Any]]()
        self._loops: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> Judges:
        self._loops = [asyncio.create_task(self._work(number)) for number in range(self.workers)]
        return self

    async def __aexit__(self, *_: object) -> None:
        for loop in self._loops:
            loop.cancel()
        self.close()
        for done in self._waiting:
            _fail(done, SilhouetteError(CLOSED))

    def close(self) -> None:
        """Ends the processes."""
        self._is_closed = True
        self._processes.close()
        self._threads.shutdown(wait=False, cancel_futures=True)

    def ask(self, pose: Pose, question: Question, urgency: int = 0) -> asyncio.Future[Any]:
        """What the question's ``answered`` returns; cancelled, it is not begun, or not gone on with.

        Args:
            pose: of the table.
            question: what is asked about it.
            urgency: less urgent questions, with higher numbers, wait for more urgent ones.
        """
        task = _Task(urgency, next(self._numbers), pose, question, asyncio.get_running_loop().create_future())
        if self._is_closed:
            _fail(task.done, SilhouetteError(CLOSED))
            return task.done
        self._waiting.add(task.done)
        task.done.add_done_callback(self._waiting.discard)
        task.done.add_done_callback(lambda done: self._stop(task) if done.cancelled() else None)
        self._queue.put_nowait(task)
        running = [one for one in self._running if one is not None]
        if urgency < PATIENT and len(running) == self.workers and (last := max(running)).urgency >= PATIENT:
            self._stop(last)
        return task.done

    def drop(self, answer: asyncio.Future[Any]) -> None:
        """Cancels what `ask` gave, and has its process stop now: a future alone tells of it when the loop goes on."""
        answer.cancel()
        for task in self._running:
            if task is not None and task.done is answer:
                self._stop(task)

    def _stop(self, task: _Task) -> None:
        """Has a process stop if this is what it answers."""
        for number, lock in enumerate(self._locks):
            with lock:
                if self._running[number] is task:
                    with suppress(OSError):  # that it has died is noticed when the answer is read
                        self._processes[number].pipe.send(STOP)

    async def ask_all(self, pose: Pose, question: CheckQuestion, urgency: int = PATIENT) -> list[Answer]:
        """The answers to a question of many checks, shared out among the processes."""
        checks, groups = question.checks, self._groups(question)
        asked = [
            self.ask(pose, replace(question, checks=tuple(checks[number] for number in group)), urgency)
            for group in groups
        ]
        try:
            found = await asyncio.gather(*asked)
        finally:
            for one in asked:
                one.cancel()
        answers = {
            number: answer
            for group, of_group in zip(groups, found, strict=True)
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
        return min(TOGETHER, max(FEWEST, -(-checks // (GROUPS_EACH * self.workers))))

    def tried(self, document: Document, path: Path) -> Pose:
        """A pose that the table is not in; its number is below 0."""
        return Pose(-1 - next(self._numbers), document, path)

    async def _work(self, number: int) -> None:
        """Has one process answer question after question."""
        loop = asyncio.get_running_loop()
        while True:
            task = await self._queue.get()
            if task.done.done():
                continue
            try:
                kind, answer = await loop.run_in_executor(self._threads, self._asked, number, task)
            except Exception as error:
                _fail(task.done, error)
                continue
            if task.done.done():
                continue
            if kind == STOPPED:
                self._queue.put_nowait(task)
            elif kind == PROBLEM:
                _fail(task.done, RequestError(answer))
            else:
                task.done.set_result(answer)

    def _asked(self, number: int, task: _Task) -> tuple[str, Any]:
        """What one process sends back; another takes its place where it ends without that.

        Raises:
            SilhouetteError: where it has ended.
        """
        for _ in range(TRIES):
            with suppress(EOFError, OSError):
                return self._sent_back(number, task)
            self._processes.replace(number)
            self._sent[number] = []
        raise SilhouetteError(LOST)

    def _sent_back(self, number: int, task: _Task) -> tuple[str, Any]:
        """What one process sends back.

        Raises:
            OSError, EOFError: where it ends, or has ended, without an answer.
        """
        sent, process, pose = self._sent[number], self._processes[number], task.pose
        content = None if pose.number in sent else self._content(number, pose)
        try:
            with self._locks[number]:
                if task.done.done():
                    return STOPPED, None
                self._running[number] = task
                process.pipe.send((pose.number, pose.path, content, task.question))
            kind, answer = process.pipe.recv()
        finally:
            with self._locks[number]:
                self._running[number] = None
        if kind == PROBLEM:
            self._sent[number] = [one for one in sent if one != pose.number]
        elif content is not None:
            self._sent[number] = [*sent, pose.number][-KEPT:]
        return kind, answer

    def _content(self, number: int, pose: Pose) -> bytes | Document:
        """A pose as it is sent to a process: its scene, where the process has the models, else its document."""
        carrier = self._processes.carrier(number)
        packed = None if carrier is None or pose.scene is None else carrier.packed(pose.scene)
        return pose.document if packed is None else packed


def _fail(done: asyncio.Future[Any], error: Exception) -> None:
    """Tells that there is no answer; where nobody waits for it any longer, that is no mistake."""
    if not done.done():
        done.set_exception(error)
        done.exception()


ANSWER, PROBLEM, STOPPED = "answer", "problem", "stopped"
"""What a process sends back, each with a value: the answer; one line that says why there is none; None."""


def serve_questions(pipe: Connection, start: Start) -> None:
    """Answers questions that come through a pipe, until it breaks: what a process of `Judges` does."""
    gc.freeze()  # what is there already stays, and need not be looked through again and again
    cache = start.cache.remembering()
    renderer = choose(start.renderer, start.device) if isinstance(start.renderer, str) else start.renderer
    stoppable = StoppableRenderer(renderer, pipe)
    scenes: dict[int, TableScene] = {}
    try:
        while True:
            message = pipe.recv()
            if message == STOP:  # it came too late
                continue
            number, path, content, question = message
            try:
                if content is not None:
                    if isinstance(content, bytes) and start.carrier is not None:
                        loaded = start.carrier.unpacked(content)
                    else:
                        loaded = rule_of(path, content).load(path, content, cache)
                    scenes[number] = cast("TableScene", content_with(loaded, start.error))
                    for old in list(scenes)[:-KEPT]:
                        del scenes[old]
                pipe.send((ANSWER, question.answered(Desk(scenes[number], stoppable, cache, start.pixel))))
            except Stopped:
                pipe.send((STOPPED, None))
            except Exception as error:
                pipe.send((PROBLEM, problem(error, path)))
                scenes.pop(number, None)
    except (EOFError, OSError):
        return
