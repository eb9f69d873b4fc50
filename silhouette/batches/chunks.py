"""MANY: some checks of a scene as the task of a worker, and the row for each check as its result.

Chunk -> the scene that it is of, read unless it was read last -> rows; what goes wrong is a row with ``error``
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from silhouette.errors import FileError, RendererUnavailable, RequestError
from silhouette.files.cache import CACHED_TRIANGLES, Cache, MemoryCache
from silhouette.files.fingerprints import Fingerprints
from silhouette.renderers.registry import drivers_are_loaded
from silhouette.rules import RULES, rule_called
from silhouette.text import Row, problem, strict

if TYPE_CHECKING:
    from silhouette.workers.forkserver import Loaded

TOGETHER = 16
"""The most checks of a chunk that are judged at once."""

CHECKS_PER_CHUNK = 32
"""Checks of a scene that are given to a worker at once, at most."""


@dataclass(frozen=True)
class BatchSettings:
    """The settings for the judgement of every scene of a batch.

    Attributes:
        renderer: "auto" or the name of a renderer.
        pixel: mm per pixel at the target; None for the value in each scene, else 0.1.
        everyone: everyone against everyone, instead of the checks in the scene file.
        cached: whether meshes are kept on disk.
        rules: the rule systems of the process that starts the batch, as `silhouette.rules.RULES` lists them: a worker
            that begins as a fresh Python knows those that were added, too.
        device: the name of the renderer's device; None shares out the GPUs, where there are several of one kind.
        error: the error goal, a share of the target; None for the value in each scene, else 0.002.
        seed: of the odds of each verdict; None where they are not asked for.
        what_if: whether it is asked what would change each verdict.
    """

    renderer: str = "auto"
    pixel: float | None = None
    everyone: bool = False
    cached: bool = True
    device: str | None = None
    error: float | None = None
    rules: Mapping[str, str] = field(default_factory=lambda: dict(RULES))
    seed: int | None = None
    what_if: bool = False


@dataclass(frozen=True)
class Chunk:
    """Some checks of a scene, or the task to open it.

    Attributes:
        scene: the path of the scene.
        digest: the fingerprint that the scene had when it was opened; for a scene that is to be opened, the one that it
            had the last time, or "".
        start, stop: the range of the checks, from 0. ``stop`` is None for a scene that is to be opened: then the worker
            gives the number of its checks, and judges none.
        failure: the reason why the worker before got no further than the first of these checks, which is not tried
            again; "" where no worker was lost.
        one_by_one: whether the checks are judged one by one, so that it shows which of them ends a worker.
    """

    scene: str
    digest: str = ""
    start: int = 0
    stop: int | None = None
    failure: str = ""
    one_by_one: bool = False


def chunks_of(scene: str, digest: str, checks: Sequence[int], longest: int = CHECKS_PER_CHUNK) -> list[Chunk]:
    """Chunks of checks that follow each other, in order.

    Args:
        scene, digest: as in `Chunk`.
        checks: the numbers of the checks, ascending.
        longest: the number of checks of a chunk, at most.

    >>> [(chunk.start, chunk.stop) for chunk in chunks_of("duel.toml", "", [0, 1, 4, *range(10, 50)])]
    [(0, 2), (4, 5), (10, 42), (42, 50)]
    """
    runs: list[list[int]] = []
    for check in checks:
        if runs and runs[-1][1] == check and check - runs[-1][0] < longest:
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

    Args:
        settings: how every scene is judged.
        folder: the folder to which paths of scenes are relative; None is the current one. Rows name files as the batch
            does, whatever the folder.
        number: the number of this worker, which decides its GPU; by default `silhouette.workers.worker_number`.
        together: the number of checks that are judged at once; 1 where each has a time limit of its own.
    """

    def __init__(
        self, settings: BatchSettings, folder: Path | None = None, number: int | None = None, together: int = 1
    ) -> None:
        RULES.update(settings.rules)
        self._settings = settings
        self._folder = folder
        self._number = number
        self._together = together
        self._fingerprints = Fingerprints()
        self._memory = MemoryCache(self._fingerprints.of, CACHED_TRIANGLES)
        self._renderer: Any = None
        self._scene: Any = None
        self._checks: Sequence[Any] = ()
        self._open_now = ("", "")

    def load(self, chunk: Chunk) -> Loaded:
        """Reads the models and meshes that a chunk requires, so that processes forked from this one share it.

        The answer is "full" at half of the cache's size: a cache that dropped a model would take it from the next fork.
        """
        from silhouette.groups import shared

        try:
            self._open(chunk.scene, chunk.digest or self._fingerprints.of(self._place(chunk.scene)))
        except RendererUnavailable:
            return "unshared"
        if drivers_are_loaded() or not self._renderer.share([]):  # looking for a GPU may have loaded its drivers
            return "unshared"
        shared(self._scene, self._renderer)
        return "room" if self._memory.size < CACHED_TRIANGLES // 2 else "full"

    def __call__(self, chunk: Chunk) -> Iterator[Row]:
        """The rows of the checks; for a scene that is to be opened, one with its digest and the number of its checks.

        Where no check can be judged with the renderer, the row has one key, ``unavailable``: the reason.
        """
        try:
            if chunk.stop is None:
                yield self._opened(chunk)
                return
            self._open(chunk.scene, chunk.digest)
        except RendererUnavailable as error:
            yield {"unavailable": str(error)}
            return
        except Exception as error:
            rows = 1 if chunk.stop is None else chunk.stop - chunk.start
            yield from [{"error": self._problem(chunk.scene, error)}] * rows
            return
        start = chunk.start
        if chunk.failure:
            yield self._row(chunk.scene, self._checks[start], chunk.failure)
            start += 1
        together = 1 if chunk.one_by_one else self._together
        for first in range(start, chunk.stop, together):
            yield from self._rows(chunk.scene, self._checks[first : min(first + together, chunk.stop)])

    def _place(self, scene: str) -> Path:
        return Path(scene) if self._folder is None else self._folder / scene

    def _problem(self, scene: str, error: Exception) -> str:
        """The error as one line, with the name of the file as the batch would name it.

        Only an error raised while a scene is read names the file by its place; afterwards the scene has its path.
        """
        if self._folder is not None and not Path(scene).is_absolute():
            root = f"{self._folder.as_posix()}/"
            if isinstance(error, FileError):
                error = type(error)(Path(error.path).as_posix().removeprefix(root), error.problem)
            elif isinstance(error, OSError) and isinstance(error.filename, str):
                error = OSError(error.errno, error.strerror, Path(error.filename).as_posix().removeprefix(root))
        return problem(error, Path(scene))

    def _opened(self, chunk: Chunk) -> Row:
        """The digest of a scene and the number of its checks; the digest alone where that number is known already."""
        digest = self._fingerprints.of(self._place(chunk.scene))
        if chunk.digest == digest:
            return {"digest": digest}
        self._open(chunk.scene, digest)
        return {"digest": digest, "checks": len(self._checks)}

    def _open(self, scene: str, digest: str) -> None:
        """Reads a scene unless it was read last, and selects its checks.

        Raises:
            SilhouetteError: where the scene cannot be used, or its files no longer have that digest.
        """
        from silhouette.judging import Selection, content_with, load_scene
        from silhouette.renderers import choose
        from silhouette.renderers.protocol import refuse_too_large

        path = self._place(scene)
        changed = RequestError(f"{scene}: it was changed while it was judged; judge it again")
        if self._fingerprints.of(path) != digest:
            raise changed
        if self._open_now == (scene, digest):
            return
        if self._renderer is None:
            self._renderer = choose(self._settings.renderer, self._device())
        self._open_now, self._scene = ("", ""), None  # frees the last scene first: two large ones may be too much
        disk = Cache.default() if self._settings.cached else Cache(None)
        loaded = replace(load_scene(path, cache=replace(disk, memory=self._memory)), path=Path(scene))
        refuse_too_large(self._renderer, rule_called(loaded.rules).meshes(loaded))
        self._scene = content_with(loaded, self._settings.error)
        self._checks = Selection(everyone=self._settings.everyone, instead="--everyone").checks(self._scene)
        if self._fingerprints.of(path) != digest:
            raise changed
        self._open_now = (scene, digest)

    def _device(self) -> str | None:
        """The device of the settings; else this worker's share of the GPUs, where the renderer uses one."""
        from silhouette.renderers.registry import device_for_worker

        if self._settings.device is not None:
            return self._settings.device
        from silhouette.workers import worker_number

        return device_for_worker(self._settings.renderer, worker_number() if self._number is None else self._number)

    def _rows(self, scene: str, checks: Sequence[Any]) -> list[Row]:
        """The rows of checks that are judged at once; where one of them cannot be judged, of each by itself."""
        from silhouette.judging import judged_together

        if len(checks) > 1:
            with suppress(Exception):
                asked = self._settings
                together = judged_together(
                    self._scene, checks, self._renderer, asked.pixel, seed=asked.seed, what_if=asked.what_if
                )
                return [self._plain(one.row()) for one in together]
        return [self._row(scene, check) for check in checks]

    @staticmethod
    def _plain(row: Row) -> Row:
        """The row of plain values, whatever the rule system put into it."""
        plain: Row = json.loads(json.dumps(strict(row), ensure_ascii=False, allow_nan=False))
        return plain

    def _row(self, scene: str, check: Any, failure: str = "") -> Row:
        """The row of a check; of one with a ``failure``, with that as its error."""
        from silhouette.judging import judged

        named = {"attacker": check.attacker or None, "target": check.target or None, "rules": self._scene.rules}
        if check.arc is not None:
            named["arc"] = check.arc
        if failure:
            pair = " to ".join(filter(None, (check.attacker, check.target)))
            return {**named, "error": ": ".join(filter(None, (scene, pair, failure)))}
        try:
            asked = self._settings
            result = judged(self._scene, check, self._renderer, asked.pixel, seed=asked.seed, what_if=asked.what_if)
            return self._plain(result.row())
        except Exception as error:
            return {**named, "error": self._problem(scene, error)}
