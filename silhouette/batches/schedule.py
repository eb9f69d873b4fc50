"""MANY: what of a batch is left to do, who is to do it, and what comes of it.

A worker goes on with the scene that it has read; then it opens another, rather one with the same meshes; only when
all are opened does it help others with theirs. So a scene is read by few workers, and lies in memory as seldom.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from silhouette.batches.chunks import Portion, portions
from silhouette.batches.crew import Event
from silhouette.batches.journal import Kept, Row
from silhouette.errors import RendererUnavailable, SilhouetteError
from silhouette.files.fingerprints import Fingerprints

AHEAD = 32
"""Among so many scenes that come next, one is looked for that has the meshes of the last."""


class Ledger(Protocol):
    """Where the rows go: a journal on the disk, or memory."""

    scenes: dict[str, Kept]

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
        ledger: where the rows go; what it holds already is not judged again.
        done: checks that are judged.
        total: checks that are known of; a scene that is not opened yet counts one.
        judged: checks that were judged since this plan was made.
    """

    scenes: list[str]
    ledger: Ledger
    done: int = field(init=False, default=0)
    total: int = field(init=False, default=0)
    judged: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        self._unopened = list(self.scenes)
        self._portions: dict[str, list[Portion]] = {}
        self._told: dict[Portion, int] = {}
        self._names: dict[str, set[Path]] = {}
        for scene in self.scenes:
            self._count(scene, 1)

    def _count(self, scene: str, sign: int) -> None:
        kept = self.ledger.scenes.get(scene)
        self.done += sign * (len(kept.judged) if kept else 0)
        self.total += sign * (kept.checks if kept else 1)

    def next_portion(self, last: Portion | None) -> Portion | None:
        """What a worker does next, whose last portion that was; None where there is nothing for now."""
        if last is not None and last.scene in self._portions:
            return self._take(last.scene)
        if self._unopened:
            scene = self._unopened.pop(self._alike(last))
            kept = self.ledger.scenes.get(scene)
            return Portion(scene, kept.digest if kept else "")
        return self._take(next(iter(self._portions))) if self._portions else None

    def _take(self, scene: str) -> Portion:
        left = self._portions[scene]
        portion = left.pop(0)
        if not left:
            del self._portions[scene]
        return portion

    def _alike(self, last: Portion | None) -> int:
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
        portion: Portion = event.task
        if event.kind == "told" and "unavailable" in event.value:
            raise RendererUnavailable(event.value["unavailable"])
        if portion.stop is None:
            self._opened(portion.scene, event)
        elif event.kind == "told":
            self._told_row(portion, event.value)
        elif event.kind == "lost":
            self._lost(portion, portion.stop, event.value)

    def _opened(self, scene: str, event: Event) -> None:
        if event.kind == "done":
            return
        found: Row = event.value if event.kind == "told" else {"error": f"{scene}: {event.value}"}
        if "error" in found:
            self._open(scene, "", 1)
            self._add(scene, 0, found)
            return
        digest = found["digest"]
        if "checks" in found:
            kept = self.ledger.scenes.get(scene)
            if kept is None or (kept.digest, kept.checks) != (digest, found["checks"]):
                self._open(scene, digest, found["checks"])
        kept = self.ledger.scenes[scene]
        missing = [check for check in range(kept.checks) if check not in kept.judged]
        if missing:
            self._portions[scene] = portions(scene, digest, missing)

    def _open(self, scene: str, digest: str, checks: int) -> None:
        self._count(scene, -1)
        self.ledger.open_scene(scene, digest, checks)
        self._count(scene, 1)

    def _told_row(self, portion: Portion, row: Row) -> None:
        told = self._told.get(portion, 0)
        self._told[portion] = told + 1
        self._add(portion.scene, portion.start + told, row)

    def _add(self, scene: str, check: int, row: Row) -> None:
        self.ledger.add(scene, check, row)
        self.done += 1
        self.judged += 1

    def _lost(self, portion: Portion, stop: int, why: str) -> None:
        """The check that a worker was at is named by another, which judges the rest; or not even that can be done."""
        told = self._told.get(portion, 0)
        start = portion.start + told
        if portion.lost and told == 0:
            self._told_row(portion, {"error": f"{portion.scene}: {why}"})
            why, start = "", start + 1
        if start < stop:
            rest = Portion(portion.scene, portion.digest, start, stop, why)
            self._portions.setdefault(portion.scene, []).insert(0, rest)
