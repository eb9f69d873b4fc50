"""MANY: some checks of a scene as the task of a worker, and the row for each check as its result.

Chunk -> the scene that it is of, read unless it was read last -> rows; what goes wrong is a row with ``problem``
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from silhouette.batches.export import failed_row
from silhouette.batches.opening import Opener
from silhouette.batches.row_making import RowMaker
from silhouette.batches.settings import BatchSettings
from silhouette.errors import RendererUnavailable
from silhouette.files.cache import CACHED_TRIANGLES
from silhouette.files.fingerprints import Fingerprints
from silhouette.renderers.registry import drivers_are_loaded
from silhouette.text import Row

if TYPE_CHECKING:
    from silhouette.workers.forkserver import Loaded

TOGETHER = 16
"""The most checks of a chunk that are judged at once."""

CHECKS_PER_CHUNK = 32
"""Checks of a scene that are given to a worker at once, at most."""


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
        folder: as of `silhouette.batches.opening.Opener`.
        number: the number of this worker, which decides its GPU; by default `silhouette.workers.worker_number`.
        together: the number of checks that are judged at once; 1 where each has a time limit of its own.
        starts: starts the renderer; by default it is that of the settings.
    """

    def __init__(
        self,
        settings: BatchSettings,
        folder: Path | None = None,
        number: int | None = None,
        together: int = 1,
        starts: Callable[[], Any] | None = None,
    ) -> None:
        self._settings = settings
        self._opener = Opener(settings, folder)
        self._number = number
        self._together = together
        self._starts = starts or self._chosen
        self._renderer: Any = None

    def start(self) -> Any:
        """The renderer of the settings, started when it is first asked for.

        Raises:
            RendererUnavailable: where it cannot run here.
        """
        if self._renderer is None:
            self._renderer = self._starts()
        return self._renderer

    def _chosen(self) -> Any:
        from silhouette.renderers import choose

        return choose(self._settings.renderer, self._device())

    def load(self, chunk: Chunk) -> Loaded:
        """Reads the models and meshes that a chunk requires, so that processes forked from this one share it.

        The answer is "full" at half of the cache's size: a cache that dropped a model would take it from the next fork.
        """
        from silhouette.groups import shared

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
        """The rows of the checks; for a scene that is to be opened, one with its digest and the number of its checks.

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
        checks = self._opener.checks[chunk.start : chunk.stop]
        requests = [(self._opener.scene, check) for check in checks]
        together = 1 if chunk.one_by_one else self._together
        yield from RowMaker(self._settings, renderer, self._opener).rows(requests, together, chunk.failure)

    def _opened(self, chunk: Chunk) -> Row:
        """The digest of a scene and the number of its checks; the digest alone where that number is known already."""
        digest = self._opener.digest(chunk.scene)
        if chunk.digest == digest:
            return {"digest": digest}
        self.start()
        self._opener.open(chunk.scene, digest)
        return {"digest": digest, "checks": len(self._opener.checks)}

    def _device(self) -> str | None:
        """The device of the settings; else this worker's share of the GPUs, where the renderer uses one."""
        from silhouette.renderers.registry import device_for_worker

        if self._settings.device is not None:
            return self._settings.device
        from silhouette.workers import worker_number

        return device_for_worker(self._settings.renderer, worker_number() if self._number is None else self._number)
