"""MANY: some checks of a scene as the task of a worker, and the row for each check as its result."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import Any

from silhouette.batches.export import failed_row
from silhouette.batches.settings import BatchSettings
from silhouette.common.errors import FileError, RendererUnavailable, RequestError
from silhouette.common.text import Row, json_text, problem
from silhouette.files.cache import CACHED_TRIANGLES, MemoryCache
from silhouette.files.fingerprints import Fingerprints
from silhouette.judging import JudgingOptions, Request, Selection, content_with, judge_all, load_scene
from silhouette.judging.run import shared
from silhouette.renderers import choose
from silhouette.renderers.registry import device_for_worker
from silhouette.rules import RULES as GAMES
from silhouette.rules.fields import ARC, ATTACKER_FIELD, RULES_FIELD, TARGET_FIELD
from silhouette.scenes.scene import Check, Scene
from silhouette.workers import worker_number
from silhouette.workers.forkserver import Loaded
from silhouette.workers.starting import drivers_are_loaded

ROW_SECONDS = "judged in seconds"
"""The key under which a row says, on its way from a worker, how long its check took; of several at once an equal part.
No row that is written has it: rows are the same on every machine."""


class Opener:
    """Reads scenes in one process, one after another. It keeps the last one, with its checks, and models for later
    ones.

    Paths are relative to the folder, None for the current one. Rows name files as the batch does, whatever the folder.
    """

    def __init__(self, settings: BatchSettings, folder: Path | None = None) -> None:
        GAMES.update(settings.rules)
        self._settings = settings
        self._folder = folder
        self._open_now = ("", "")
        self.scene: Any = None
        self.checks: Sequence[Any] = ()
        self.fingerprints = Fingerprints()
        self.memory = MemoryCache(self.fingerprints.of, CACHED_TRIANGLES)

    def digest(self, scene: str) -> str:
        """The fingerprint that a scene has now."""
        return self.fingerprints.of(self._place(scene))

    def open(self, scene: str, digest: str) -> None:
        """Reads a scene unless it was read last, and selects its checks.

        Raises SilhouetteError if the scene cannot be used, or its files no longer have that digest.
        """
        path = self._place(scene)
        changed = RequestError(f"{scene}: it was changed while it was judged; judge it again")
        if self.fingerprints.of(path) != digest:
            raise changed
        if self._open_now == (scene, digest):
            return
        self._open_now, self.scene = ("", ""), None  # frees the last scene first: two large ones may be too much
        loaded = replace(load_scene(path, cache=replace(self._settings.cache(), memory=self.memory)), path=Path(scene))
        self.scene = content_with(loaded, self._settings.error)
        self.checks = Selection(everyone=self._settings.everyone, instead="--everyone").checks(self.scene)
        if self.fingerprints.of(path) != digest:
            raise changed
        self._open_now = (scene, digest)

    def problem(self, scene: str, error: Exception) -> str:
        """The error as one line, with the name of the file as the batch would name it."""
        if self._folder is not None and not Path(scene).is_absolute():
            root = f"{self._folder.as_posix()}/"
            if isinstance(error, FileError):
                error = type(error)(Path(error.path).as_posix().removeprefix(root), error.problem)
            elif isinstance(error, OSError) and isinstance(error.filename, str):
                error = OSError(error.errno, error.strerror, Path(error.filename).as_posix().removeprefix(root))
        return problem(error, Path(scene))

    def _place(self, scene: str) -> Path:
        return Path(scene) if self._folder is None else self._folder / scene


def _failed(scene: Scene, check: Check, problem: str) -> Row:
    row = {
        ATTACKER_FIELD.key: check.attacker or None,
        TARGET_FIELD.key: check.target or None,
        RULES_FIELD.key: scene.rules_as_written,
    }
    arc = {} if check.arc is None else {ARC.key: check.arc}
    return {**row, **arc, **failed_row(problem)}


def _plain(row: Row) -> Row:
    """The row of plain values, whatever the rule system put into it."""
    plain: Row = json.loads(json_text(row, ensure_ascii=False))
    return plain


CHUNK_CHECKS_TOGETHER = 16  # the most checks of a chunk that are judged at once
CHECKS_PER_CHUNK = 32  # checks of a scene that are given to a worker at once, at most


@dataclass(frozen=True)
class Chunk:
    """Some checks of a scene, from ``start`` up to ``stop``, counted from 0; or the task to open it, with ``stop``
    None.
    """

    scene: str
    digest: str = ""  # the fingerprint that the scene had when it was opened, or had the last time, or ""
    start: int = 0
    stop: int | None = None
    # The reason why the worker before got no further than the first of these checks, which is not tried again; "" where
    # no worker was lost
    failure: str = ""
    one_by_one: bool = False  # whether the checks are judged one by one, so that it shows which of them ends a worker


def chunks_of(scene: str, digest: str, checks: Sequence[int]) -> list[Chunk]:
    """Chunks of checks that follow each other, in order.

    >>> [(chunk.start, chunk.stop) for chunk in chunks_of("duel.toml", "", [0, 1, 4, *range(10, 50)])]
    [(0, 2), (4, 5), (10, 42), (42, 50)]
    """
    runs: list[list[int]] = []
    for check in checks:
        if runs and runs[-1][1] == check and check - runs[-1][0] < CHECKS_PER_CHUNK:
            runs[-1][1] = check + 1
        else:
            runs.append([check, check + 1])
    return [Chunk(scene, digest, start, stop) for start, stop in runs]


class ChunkRequirements:
    """The models and meshes that a chunk requires in memory: see `silhouette.workers.WorkerPool`."""

    def __init__(self) -> None:
        self._fingerprints = Fingerprints()

    def __call__(self, chunk: Chunk) -> frozenset[Any]:
        """The models and meshes of the scene in their present state; nothing where the scene may be judged already."""
        if chunk.stop is None and chunk.digest:
            return frozenset()
        return self._fingerprints.pieces_of(Path(chunk.scene))


class ChunkJudge:
    """Judges chunks in one process. It keeps the renderer, the scene that it read last, and models for later scenes.

    The number of this worker decides its GPU; ``together`` is how many checks are judged at once, 1 where each has a
    time limit of its own.
    """

    def __init__(
        self, settings: BatchSettings, folder: Path | None = None, number: int | None = None, together: int = 1
    ) -> None:
        self._settings = settings
        self._opener = Opener(settings, folder)
        self._number = number
        self._together = together
        self._renderer: Any = None

    def start(self) -> Any:
        """The renderer of the settings, started when it is first asked for.

        Raises RendererUnavailable if it cannot run here.
        """
        if self._renderer is None:
            name, device = self._settings.renderer, self._settings.device
            if device is None:  # this worker's share of the GPUs, where the renderer uses one
                device = device_for_worker(name, worker_number() if self._number is None else self._number)
            self._renderer = choose(name, device)
        return self._renderer

    def load(self, chunk: Chunk) -> Loaded:
        """Reads the models and meshes that a chunk requires, so that processes forked from this one share it.

        The answer is "full" at half of the cache's size: a cache that dropped a model would take it from the next fork.
        """
        try:
            renderer = self.start()
        except RendererUnavailable:
            return "unshared"
        self._opener.open(chunk.scene, chunk.digest or self._opener.digest(chunk.scene))
        if drivers_are_loaded() or not renderer.share([]):  # looking for a GPU may have loaded its drivers
            return "unshared"
        shared(self._opener.scene, renderer)
        return "room" if self._opener.memory.size < CACHED_TRIANGLES // 2 else "full"

    def __call__(self, chunk: Chunk) -> Iterator[Row]:
        """The rows of the checks, with `ROW_SECONDS`; for a scene that is to be opened, one with its digest and the
        number of its checks.

        Where no check can be judged with the renderer, the row has one key, ``unavailable``: the reason.
        """
        try:
            if chunk.stop is None:
                yield self._opened(chunk)
                return
            renderer = self.start()
            self._opener.open(chunk.scene, chunk.digest)
        except RendererUnavailable as error:
            yield {"unavailable": str(error)}
            return
        except Exception as error:
            rows = 1 if chunk.stop is None else chunk.stop - chunk.start
            yield from [failed_row(self._opener.problem(chunk.scene, error))] * rows
            return
        scene, checks = self._opener.scene, self._opener.checks[chunk.start : chunk.stop]
        if chunk.failure:
            pair = " to ".join(filter(None, (checks[0].attacker, checks[0].target)))
            yield _failed(scene, checks[0], ": ".join(filter(None, (scene.path.as_posix(), pair, chunk.failure))))
            checks = checks[1:]
        settings, together = self._settings, 1 if chunk.one_by_one else self._together
        options = JudgingOptions(renderer, pixel=settings.pixel, seed=settings.seed, what_if=settings.what_if)
        for first in range(0, len(checks), together):
            began = perf_counter()
            judged = self._rows([(scene, check) for check in checks[first : first + together]], options)
            seconds = round((perf_counter() - began) / len(judged), 4)
            yield from ({**row, ROW_SECONDS: seconds} for row in judged)

    def _rows(self, requests: Sequence[Request], options: JudgingOptions) -> list[Row]:
        """The rows of checks that are judged at once; one by one if one of them cannot be judged."""
        if len(requests) > 1:
            with suppress(Exception):
                return [_plain(result.row()) for result in judge_all(requests, options)]
        return [self._row(request, options) for request in requests]

    def _row(self, request: Request, options: JudgingOptions) -> Row:
        try:
            (result,) = judge_all([request], options)
            return _plain(result.row())
        except Exception as error:
            scene, check = request
            return _failed(scene, check, self._opener.problem(scene.path.as_posix(), error))

    def _opened(self, chunk: Chunk) -> Row:
        """The digest of a scene and the number of its checks; the digest alone where that number is known already."""
        digest = self._opener.digest(chunk.scene)
        if chunk.digest == digest:
            return {"digest": digest}
        self.start()
        self._opener.open(chunk.scene, digest)
        return {"digest": digest, "checks": len(self._opener.checks)}
