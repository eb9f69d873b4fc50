"""MANY: the failed rows of a finished file, judged again among all others, which stay as they are.

finished file -> scenes with a failed row -> only their failed checks -> the same file, with new rows in their places
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from silhouette.batches.export import KeptRow, failed
from silhouette.batches.finished import Record, content_of, read_rows, record_of
from silhouette.batches.journal import Journal, SceneProgress, difference
from silhouette.errors import RequestError
from silhouette.scenes.finding import identity
from silhouette.text import Row

_KEPT = {"kept": True}
"""In the journal, the row of a check whose row in the finished file stays."""


class Repair:
    """A finished file whose failed rows are judged again.

    A scene that has another number of checks now, or that has changed since, as far as that is known, is judged anew
    with all of its checks.

    Args:
        out: the finished file.
        asked: how its scenes are judged.
        scenes: the paths of the scenes of this batch. Rows of other scenes stay as they are.

    Attributes:
        asked: how its scenes are judged, and the hash of the finished file: a journal is of one file alone.
        scenes: the paths, of this batch, of the scenes with a failed row.

    Raises:
        RequestError: where there is no such file, it is known to have been judged otherwise, or its failed rows are of
            other scenes.
        FileError: where it cannot be read.
    """

    def __init__(self, out: Path, asked: Mapping[str, Any], scenes: Sequence[str]) -> None:
        if not out.is_file():
            raise RequestError(
                f"{out}: there is no finished file whose failed rows could be judged again; leave --retry-errors out"
            )
        self._out = out
        self.asked = {**asked, "retried": content_of(out)}
        self._is_table = out.suffix.lower() != ".jsonl"
        self._record = record_of(out)
        if self._record is not None and self._record.settings != asked:
            otherwise = difference(self._record.settings, asked)
            raise RequestError(f"{out}: it was judged {otherwise}; give the options as before")
        self._rows: dict[str, list[KeptRow]] = {}
        for row in read_rows(out):
            self._rows.setdefault(row["scene"], []).append(row)
        bad = [name for name, rows in self._rows.items() if any(map(failed, rows))]
        folder = self._record.folder if self._record is not None else os.curdir
        paths = {identity(scene): scene for scene in scenes}
        self._names = {
            paths[one]: name for name, one in ((name, identity(Path(folder, name))) for name in bad) if one in paths
        }
        self.scenes = list(self._names)
        if bad and not self.scenes:
            raise RequestError(f"{out}: its failed rows are of other scenes, such as {bad[0]}; give these")

    def is_complete(self) -> bool:
        """Whether there is nothing to do; False where any row has failed."""
        return not self.scenes

    def store(self, journal: Journal) -> RepairStore:
        """The journal as the store of rows, in which checks that did not fail are judged already."""
        rows = {scene: self._rows[name] for scene, name in self._names.items()}
        digests = {} if self._record is None else self._record.scenes
        return RepairStore(journal, rows, {scene: digests.get(identity(scene), "") for scene in rows})

    def rows(self, journal: Journal) -> RepairedRows:
        """All rows of the file, in its order, with the new ones in their places."""
        header = dict.fromkeys(name for rows in self._rows.values() for row in rows for name in row)
        blank = header if self._is_table else {}
        return RepairedRows(self._rows, {name: scene for scene, name in self._names.items()}, journal, blank)

    def record(self, journal: Journal) -> Record | None:
        """The record of the repaired file; None where the state of the kept rows is not known."""
        if self._record is None:
            return None
        new = {identity(scene): journal.scenes[scene].digest for scene in self.scenes}
        scenes = {one: new.get(one) or digest for one, digest in self._record.scenes.items()}
        return replace(self._record, content=content_of(self._out), scenes=scenes)


class RepairStore:
    """A `silhouette.batches.schedule.RowStore`: a journal in which checks that need not be judged again are marked.

    Args:
        journal: the journal.
        rows: the rows of each scene in the finished file.
        digests: the fingerprint that each scene had when these rows were judged; empty where it is not known.
    """

    def __init__(self, journal: Journal, rows: Mapping[str, Sequence[KeptRow]], digests: Mapping[str, str]) -> None:
        self._journal = journal
        self._rows = rows
        self._digests = digests
        for scene in journal.scenes.keys() & rows.keys():  # a batch that was killed may not have marked all
            self._mark(scene)

    @property
    def scenes(self) -> dict[str, SceneProgress]:
        """The scenes that have been opened, by their paths."""
        return self._journal.scenes

    def open_scene(self, scene: str, digest: str, checks: int) -> None:
        """See `silhouette.batches.schedule.RowStore`."""
        self._journal.open_scene(scene, digest, checks)
        self._mark(scene)

    def add(self, scene: str, check: int, row: Row) -> None:
        """See `silhouette.batches.schedule.RowStore`."""
        self._journal.add(scene, check, row)

    def _mark(self, scene: str) -> None:
        progress, rows = self._journal.scenes[scene], self._rows[scene]
        is_as_before = not self._digests[scene] or progress.digest == self._digests[scene]
        if progress.digest and progress.checks == len(rows) and is_as_before:
            for check, row in enumerate(rows):
                if not failed(row) and check not in progress.judged:
                    self._journal.add(scene, check, _KEPT)


@dataclass(frozen=True)
class RepairedRows:
    """All rows of a repaired file, in its order; read anew by each iteration.

    Attributes:
        before: the rows of the finished file, by the name of their scene in it.
        scenes: the path in the journal of each scene that was judged again, by that name.
        journal: the journal with the new rows.
        blank: the columns of the finished file without values.
    """

    before: Mapping[str, Sequence[KeptRow]]
    scenes: Mapping[str, str]
    journal: Journal
    blank: Row

    def __iter__(self) -> Iterator[Row]:
        for name, rows in self.before.items():
            scene = self.scenes.get(name)
            progress = self.journal.scenes[scene] if scene is not None else None
            if scene is None or progress is None or (not progress.digest and not all(map(failed, rows))):
                yield from rows  # also where the scene cannot be opened now, but some of its checks were judged
                continue
            for check in sorted(progress.judged):
                row = self.journal.row(scene, check)
                yield rows[check] if row == _KEPT else {**self.blank, "scene": name, **row}
