"""MANY: what of a batch is left to do, who is to do it, and what comes of it.

A worker goes on with the scene that it has read; then it opens another, rather one with the same meshes; only when
all are opened does it help others with theirs. So a scene is read by few workers, and lies in memory as seldom.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from silhouette.batches.chunks import Chunk, chunks_of
from silhouette.batches.journal import Row, SceneProgress
from silhouette.errors import RendererUnavailable, SilhouetteError
from silhouette.files.fingerprints import Fingerprints
from silhouette.workers import Event

AHEAD = 32
"""Among so many scenes that come next, one is looked for that has the meshes of the last."""


class RowStore(Protocol):
    """Where the rows go: a journal on the disk, or memory."""

    scenes: dict[str, SceneProgress]

    def open_scene(self, scene: str, digest: str, checks: int) -> None:
        """A scene is opened, or opened anew because it changed: what was judged of it before is dropped."""
        ...

    def add(self, scene: str, check: int, row: Row) -> None:
        """A check of a scene is judged."""
        ...


@dataclass
class Plan:
    """What is left to do, and what comes of it.

    Attributes:
        scenes: all of them.
        store: where the rows go; what it holds already is not judged again.
        done: checks that are judged.
        total: checks that are known of; a scene that is not opened yet counts one.
        judged: checks that were judged since this plan was made.
    """

    scenes: list[str]
    store: RowStore
    done: int = field(init=False, default=0)
    total: int = field(init=False, default=0)
    judged: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        self._unopened = list(self.scenes)
        self._chunks: dict[str, list[Chunk]] = {}
        self._told: dict[Chunk, int] = {}
        self._names: dict[str, set[Path]] = {}
        for scene in self.scenes:
            self._count(scene, 1)

    def _count(self, scene: str, sign: int) -> None:
        kept = self.store.scenes.get(scene)
        self.done += sign * (len(kept.judged) if kept else 0)
        self.total += sign * (kept.checks if kept else 1)

    def next_chunk(self, last: Chunk | None) -> Chunk | None:
        """What a worker does next, whose last chunk that was; None where there is nothing for now."""
        if last is not None and last.scene in self._chunks:
            return self._take(last.scene)
        if self._unopened:
            scene = self._unopened.pop(self._alike(last))
            kept = self.store.scenes.get(scene)
            return Chunk(scene, kept.digest if kept else "")
        return self._take(next(iter(self._chunks))) if self._chunks else None

    def _take(self, scene: str) -> Chunk:
        left = self._chunks[scene]
        chunk = left.pop(0)
        if not left:
            del self._chunks[scene]
        return chunk

    def _alike(self, last: Chunk | None) -> int:
        """Which of the next scenes names the most files that the last one names; the first where none does."""
        known = self._named(last.scene) if last is not None else set()
        if not known:
            return 0
        shared = [len(known & self._named(scene)) for scene in self._unopened[:AHEAD]]
        return shared.index(max(shared))

    def _named(self, scene: str) -> set[Path]:
        if scene not in self._names:
            try:
                self._names[scene] = set(Fingerprints().named(Path(scene)))
            except (OSError, SilhouetteError):
                self._names[scene] = set()
        return self._names[scene]

    def heard(self, event: Event) -> None:
        """Takes note of what a worker told, or of what became of it.

        Raises:
            RendererUnavailable: where nothing can be judged with the renderer that was asked for.
        """
        chunk: Chunk = event.task
        if event.kind == "result" and "unavailable" in event.value:
            raise RendererUnavailable(event.value["unavailable"])
        if chunk.stop is None:
            self._opened(chunk.scene, event)
        elif event.kind == "result":
            self._told_row(chunk, event.value)
        elif event.kind == "lost":
            self._lost(chunk, chunk.stop, event.value)

    def _opened(self, scene: str, event: Event) -> None:
        if event.kind == "done":
            return
        found: Row = event.value if event.kind == "result" else {"error": f"{scene}: {event.value}"}
        if "error" in found:
            self._open(scene, "", 1)
            self._add(scene, 0, found)
            return
        digest = found["digest"]
        if "checks" in found:
            kept = self.store.scenes.get(scene)
            if kept is None or (kept.digest, kept.checks) != (digest, found["checks"]):
                self._open(scene, digest, found["checks"])
        kept = self.store.scenes[scene]
        missing = [check for check in range(kept.checks) if check not in kept.judged]
        if missing:
            self._chunks[scene] = chunks_of(scene, digest, missing)

    def _open(self, scene: str, digest: str, checks: int) -> None:
        self._count(scene, -1)
        self.store.open_scene(scene, digest, checks)
        self._count(scene, 1)

    def _told_row(self, chunk: Chunk, row: Row) -> None:
        told = self._told.get(chunk, 0)
        self._told[chunk] = told + 1
        self._add(chunk.scene, chunk.start + told, row)

    def _add(self, scene: str, check: int, row: Row) -> None:
        self.store.add(scene, check, row)
        self.done += 1
        self.judged += 1

    def _lost(self, chunk: Chunk, stop: int, why: str) -> None:
        """The check that a worker was at is named by another, which judges the rest; or not even that can be done."""
        told = self._told.get(chunk, 0)
        start = chunk.start + told
        if chunk.lost and told == 0:
            self._told_row(chunk, {"error": f"{chunk.scene}: {why}"})
            why, start = "", start + 1
        if start < stop:
            rest = Chunk(chunk.scene, chunk.digest, start, stop, why)
            self._chunks.setdefault(chunk.scene, []).insert(0, rest)
