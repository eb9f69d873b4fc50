"""MANY: some checks of a scene, as they are given to a worker, and what the worker makes of them: a row for each.

Chunk -> the scene that it is of, read unless it was read last -> rows; what goes wrong is a row with ``error``
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from silhouette.errors import RendererUnavailable, RequestError
from silhouette.files.cache import Cache, MemoryCache
from silhouette.files.fingerprints import Fingerprints
from silhouette.renderers.registry import drivers_are_loaded
from silhouette.rules import RULES
from silhouette.text import problem, strict
from silhouette.workers import worker_number
from silhouette.workers.forkserver import Loaded

CHECKS_PER_CHUNK = 32
"""So many checks of a scene are given to a worker at once."""

CACHED_TRIANGLES = 4_000_000
"""Models of up to so many triangles stay in the memory of a process, from scene to scene."""

Row = dict[str, Any]


@dataclass(frozen=True)
class BatchSettings:
    """How everything in a batch is judged.

    Attributes:
        renderer: "auto" or the name of one.
        pixel: mm per pixel at the target; None is what each scene says, else 0.1.
        everyone: everyone against everyone, instead of the checks that a scene asks for.
        cached: whether meshes are kept on disk.
        device: the number of the EGL device; None shares out the GPUs, where there are several of one kind.
        error: to be content with, as a share of the target; None is what each scene says, else 0.002.
        rules: the rule systems of the process that starts the batch, as `silhouette.rules.RULES` lists them: a worker
            that begins as a fresh Python knows those that were added, too.
    """

    renderer: str = "auto"
    pixel: float | None = None
    everyone: bool = False
    cached: bool = True
    device: int | None = None
    error: float | None = None
    rules: Mapping[str, str] = field(default_factory=lambda: dict(RULES))


@dataclass(frozen=True)
class Chunk:
    """Some checks of a scene.

    Attributes:
        scene: its path.
        digest: the fingerprint that it had when it was opened; of a scene not opened yet, when it was last, or "".
        start, stop: the checks, by number from 0. ``stop`` is None for a scene to be opened: then the worker says
            how many checks there are, and judges none.
        lost: what became of the worker that was at the first of these checks; it is not tried again.
    """

    scene: str
    digest: str = ""
    start: int = 0
    stop: int | None = None
    lost: str = ""


def chunks_of(scene: str, digest: str, checks: Sequence[int], longest: int = CHECKS_PER_CHUNK) -> list[Chunk]:
    """Runs of checks, in order, none longer than so many.

    >>> [(one.start, one.stop) for one in chunks_of("duel.toml", "", [0, 1, 4, *range(10, 50)])]
    [(0, 2), (4, 5), (10, 42), (42, 50)]
    """
    runs: list[list[int]] = []
    for check in checks:
        if runs and runs[-1][1] == check and check - runs[-1][0] < longest:
            runs[-1][1] = check + 1
        else:
            runs.append([check, check + 1])
    return [Chunk(scene, digest, start, stop) for start, stop in runs]


class Requirements:
    """What chunks need in memory: for `silhouette.workers.WorkerPool`."""

    def __init__(self) -> None:
        self._prints = Fingerprints()

    def __call__(self, chunk: Chunk) -> frozenset[Any]:
        """The models and meshes of the scene, as they are now; nothing, where it was known before and may be done."""
        if chunk.stop is None and chunk.digest:
            return frozenset()
        return self._prints.pieces_of(Path(chunk.scene))


class Judge:
    """What one process keeps: its renderer, the scene that it read last, and models for the scenes to come.

    Args:
        settings: everything is judged.
        folder: that the paths of scenes are seen from; they stay as they are in what is told.
        number: of the GPU that it takes where several are shared out; by default `silhouette.workers.worker_number`.
    """

    def __init__(self, settings: BatchSettings, folder: Path | None = None, number: int | None = None) -> None:
        RULES.update(settings.rules)
        self._settings = settings
        self._folder = folder
        self._number = number
        self._prints = Fingerprints()
        self._memory = MemoryCache(self._prints.of, CACHED_TRIANGLES)
        self._renderer: Any = None
        self._scene: Any = None
        self._checks: Sequence[Any] = ()
        self._read = ("", "")

    def load(self, chunk: Chunk) -> Loaded:
        """Reads what a chunk needs, so that processes forked from this one share it.

        Half of what is kept is as much as it should come to: nothing must go that a fork relies on.
        """
        from silhouette.judging import shared

        try:
            self._open(chunk.scene, chunk.digest or self._prints.of(self._place(chunk.scene)))
        except RendererUnavailable:
            return "unshared"
        if drivers_are_loaded() or not self._renderer.share([]):  # looking for a GPU may have loaded its drivers
            return "unshared"
        shared(self._scene, self._renderer)
        return "room" if self._memory.size < CACHED_TRIANGLES // 2 else "full"

    def __call__(self, chunk: Chunk) -> Iterator[Row]:
        """Opens a scene and says how many checks there are, or judges some."""
        path = self._place(chunk.scene)
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
            yield from [{"error": self._told(chunk.scene, problem(error, path))}] * rows
            return
        for number in range(chunk.start, chunk.stop):
            lost = chunk.lost if number == chunk.start else ""
            yield self._row(chunk.scene, self._checks[number], lost)

    def _place(self, scene: str) -> Path:
        return Path(scene) if self._folder is None else self._folder / scene

    def _told(self, scene: str, text: str) -> str:
        """The text with paths as they were asked for."""
        if self._folder is None or Path(scene).is_absolute():
            return text
        return text.replace(f"{self._folder.as_posix()}/", "")

    def _opened(self, chunk: Chunk) -> Row:
        """What is to be known of a scene before it is judged; nothing is loaded where that is known already."""
        now = self._prints.of(self._place(chunk.scene))
        if chunk.digest == now:
            return {"digest": now}
        self._open(chunk.scene, now)
        return {"digest": now, "checks": len(self._checks)}

    def _open(self, scene: str, digest: str) -> None:
        """Reads a scene unless it was read last, and finds out which checks it is about.

        Raises:
            SilhouetteError: where that cannot be, or where its files are not those of the digest any more.
        """
        from silhouette.judging import Selection, content_with, load_scene
        from silhouette.renderers import choose

        path = self._place(scene)
        changed = RequestError(f"{scene}: it was changed while it was judged; judge it again")
        if self._prints.of(path) != digest:
            raise changed
        if self._read == (scene, digest):
            return
        if self._renderer is None:
            self._renderer = choose(self._settings.renderer, self._device())
        self._read, self._scene = ("", ""), None  # what was read before goes first: two large scenes may be too much
        disk = Cache.default() if self._settings.cached else Cache(None)
        self._scene = content_with(load_scene(path, cache=replace(disk, memory=self._memory)), self._settings.error)
        self._checks = Selection(everyone=self._settings.everyone).checks(self._scene)
        if self._prints.of(path) != digest:
            raise changed
        self._read = (scene, digest)

    def _device(self) -> int | None:
        """The device asked for; else this one's share, where it is on GPUs that is judged."""
        from silhouette.renderers.registry import device_for_worker

        if self._settings.device is not None:
            return self._settings.device
        return device_for_worker(self._settings.renderer, worker_number() if self._number is None else self._number)

    def _row(self, scene: str, check: Any, lost: str) -> Row:
        """The row as it will be read back: of plain values, whatever the rule system put into it."""
        from silhouette.judging import judged

        asked = {"attacker": check.attacker or None, "target": check.target or None, "rules": self._scene.rules}
        if lost:
            who = " to ".join(filter(None, (check.attacker, check.target)))
            return {**asked, "error": ": ".join(filter(None, (scene, who, lost)))}
        try:
            found = strict(judged(self._scene, check, self._renderer, self._settings.pixel).row())
            row: Row = json.loads(self._told(scene, json.dumps(found, ensure_ascii=False, allow_nan=False)))
        except Exception as error:
            return {**asked, "error": self._told(scene, problem(error, self._place(scene)))}
        return row
