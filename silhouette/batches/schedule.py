"""MANY: the tasks of a batch that are left, the worker for each, and the storing of the results.

A worker goes on with the scene that it has read. Then it opens another, rather one with the same meshes. Only when all
are opened does it take chunks of scenes that others have read. So few workers read and hold the same scene.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from silhouette.batches.chunks import ROW_SECONDS, Chunk, chunks_of
from silhouette.batches.export import failed_row
from silhouette.batches.journal import Journal, SceneProgress
from silhouette.common.errors import RendererUnavailable, SilhouetteError
from silhouette.common.text import Row
from silhouette.files.fingerprints import Fingerprints
from silhouette.workers import Event

LOOKAHEAD = 32  # the number of scenes to come among which one is looked for that has the meshes of the last


class RowsInMemory:
    """The rows of a batch as a `Journal` has them, by scene and number of the check; in memory alone."""

    def __init__(self) -> None:
        self.scenes: dict[str, SceneProgress] = {}
        self.rows: dict[tuple[str, int], Row] = {}

    def open_scene(self, scene: str, digest: str, checks: int) -> None:
        """See `Journal`."""
        self.scenes[scene] = SceneProgress(digest, checks)

    def add(self, scene: str, check: int, row: Row, seconds: float | None = None) -> None:
        """See `Journal`; how long it took is not kept."""
        self.scenes[scene].judged[check] = 0
        self.rows[scene, check] = row


@dataclass
class Schedule:
    """The tasks of a batch that are left."""

    scenes: list[str]
    store: Journal | RowsInMemory  # checks that have a row in it are not judged again
    done: int = field(init=False, default=0)  # the number of checks with a row
    # The number of all checks as far as it is known; a scene that is not opened yet counts as one
    total: int = field(init=False, default=0)
    judged: int = field(init=False, default=0)  # the number of rows that were added since this schedule was made

    def __post_init__(self) -> None:
        self._unopened = list(self.scenes)
        self._chunks: dict[str, list[Chunk]] = {}
        self._rows: dict[Chunk, int] = {}
        self._files: dict[str, set[Path]] = {}
        self._retried: set[tuple[str, int | None]] = set()
        self._uncounted = {scene for scene in self.scenes if scene not in self.store.scenes}
        for scene in self.scenes:
            self._count(scene, 1)

    def _count(self, scene: str, sign: int) -> None:
        progress = self.store.scenes.get(scene)
        self.done += sign * (len(progress.judged) if progress else 0)
        self.total += sign * (progress.checks if progress else 1)

    @property
    def is_total_known(self) -> bool:
        """Whether the number of checks of every scene is known."""
        return not self._uncounted

    def next_chunk(self, last: Chunk | None) -> Chunk | None:
        """The next chunk for a worker, given its last one; None where there is none for now."""
        if last is not None and last.scene in self._chunks:
            return self._take(last.scene)
        if self._unopened:
            scene = self._unopened.pop(self._most_alike(last))
            progress = self.store.scenes.get(scene)
            return Chunk(scene, progress.digest if progress else "")
        return self._take(next(iter(self._chunks))) if self._chunks else None

    def _take(self, scene: str) -> Chunk:
        left = self._chunks[scene]
        chunk = left.pop(0)
        if not left:
            del self._chunks[scene]
        return chunk

    def _most_alike(self, last: Chunk | None) -> int:
        """Which of the next scenes names the most files that the last one names; the first where none does."""
        last_files = self._files_of(last.scene) if last is not None else set()
        if not last_files:
            return 0
        shared = [len(last_files & self._files_of(scene)) for scene in self._unopened[:LOOKAHEAD]]
        return shared.index(max(shared))

    def _files_of(self, scene: str) -> set[Path]:
        if scene not in self._files:
            try:
                self._files[scene] = set(Fingerprints().named(Path(scene)))
            except (OSError, SilhouetteError):
                self._files[scene] = set()
        return self._files[scene]

    def record(self, event: Event) -> None:
        """Stores the row of an event, and schedules the tasks that follow from it.

        Raises RendererUnavailable if nothing can be judged with the renderer of the settings.
        """
        chunk: Chunk = event.task
        if event.kind == "lost" and event.may_retry and self._retry(chunk):
            return
        if event.kind == "result" and "unavailable" in event.value:
            raise RendererUnavailable(event.value["unavailable"])
        if chunk.stop is None:
            self._record_opening(chunk.scene, event)
        elif event.kind == "result":
            self._add_next_row(chunk, event.value)
        elif event.kind == "lost":
            self._record_loss(chunk, chunk.stop, event.value)

    def _retry(self, chunk: Chunk) -> bool:
        """Schedules a chunk again whose process ended, from the check that was not finished; once for each check.

        False where it was tried before, where the process was not yet at a check, or where every check was finished.
        """
        count = self._rows.get(chunk, 0)
        if chunk.failure and count == 0:
            return False
        check = None if chunk.stop is None else chunk.start + count
        if (chunk.scene, check) in self._retried or check == chunk.stop is not None:
            return False
        self._retried.add((chunk.scene, check))
        if check is None:
            self._unopened.insert(0, chunk.scene)
        else:
            self._chunks.setdefault(chunk.scene, []).insert(0, replace(chunk, start=check, failure="", one_by_one=True))
        return True

    def _record_opening(self, scene: str, event: Event) -> None:
        if event.kind == "done":
            return
        self._uncounted.discard(scene)
        opened: Row = event.value if event.kind == "result" else failed_row(f"{scene}: {event.value}")
        if "problem" in opened:
            self._open(scene, "", 1)
            self._add(scene, 0, opened)
            return
        digest = opened["digest"]
        if "checks" in opened:
            before = self.store.scenes.get(scene)
            if before is None or (before.digest, before.checks) != (digest, opened["checks"]):
                self._open(scene, digest, opened["checks"])
        progress = self.store.scenes[scene]
        missing = [check for check in range(progress.checks) if check not in progress.judged]
        if missing:
            self._chunks[scene] = chunks_of(scene, digest, missing)

    def _open(self, scene: str, digest: str, checks: int) -> None:
        self._count(scene, -1)
        self.store.open_scene(scene, digest, checks)
        self._count(scene, 1)

    def _add_next_row(self, chunk: Chunk, row: Row) -> None:
        count = self._rows.get(chunk, 0)
        self._rows[chunk] = count + 1
        seconds = row.get(ROW_SECONDS)
        self._add(chunk.scene, chunk.start + count, {key: row[key] for key in row if key != ROW_SECONDS}, seconds)

    def _add(self, scene: str, check: int, row: Row, seconds: float | None = None) -> None:
        self.store.add(scene, check, row, seconds)
        self.done += 1
        self.judged += 1

    def _record_loss(self, chunk: Chunk, stop: int, reason: str) -> None:
        """Schedules the rest of a chunk whose worker was lost, and not for the first time or by taking too long.

        The next worker makes the row of the check that was not finished, with the names of its models, and judges the
        rest. Where that worker is lost as well before it gives a row, the row is made here, without names.
        """
        count = self._rows.get(chunk, 0)
        start = chunk.start + count
        if chunk.failure and count == 0:
            self._add_next_row(chunk, failed_row(f"{chunk.scene}: {reason}"))
            reason, start = "", start + 1
        if start < stop:
            rest = Chunk(chunk.scene, chunk.digest, start, stop, reason, one_by_one=True)
            self._chunks.setdefault(chunk.scene, []).insert(0, rest)
