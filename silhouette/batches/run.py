"""MANY: scenes -> rows, the same in the same order by any number of workers. A failure is a row, not an exit."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import partial
from os import PathLike, getcwd
from os.path import lexists
from pathlib import Path
from typing import Any, Protocol

from silhouette.batches.chunks import CHUNK_CHECKS_TOGETHER, ChunkJudge, ChunkRequirements
from silhouette.batches.export import (
    SCENE_FIELD,
    check_outputs,
    check_table_path,
    pair_of,
    problem_of,
    write_junit,
    write_table,
)
from silhouette.batches.finished import FinishedRecord, Repair, content_of, fingerprint, read_rows, record_of
from silhouette.batches.journal import Journal, JournalRows, journal_of
from silhouette.batches.schedule import RowsInMemory, Schedule
from silhouette.batches.settings import BatchSettings
from silhouette.common.errors import RequestError
from silhouette.common.installation import VERSION
from silhouette.common.text import Row
from silhouette.files.fingerprints import Fingerprints
from silhouette.files.writing import check_place
from silhouette.judging import check_numbers
from silhouette.judging.judge import EXPECTED, UNMET
from silhouette.renderers.registry import check_name, survives_fork
from silhouette.rules.fields import MARGINAL, RULES_FIELD, VERDICT
from silhouette.scenes.finding import identity, scenes_of
from silhouette.workers import Event, NextTask, WorkerPool, cores


class Pool(Protocol):
    """Processes that judge, here (`silhouette.workers`) or on many machines (`silhouette.batches.dask`)."""

    def events(self, next_task: NextTask) -> Iterator[Event]:
        """The events until there is no chunk left."""
        ...


@dataclass(frozen=True)
class BatchSummary:
    """The outcome of a finished batch: its rows, those that had been judged before it was resumed, a sentence for each
    row with an error and for each check that is not as expected, whether all had been done before, and by game how many
    ``scenes`` and ``checks`` were judged, how often each of its ``verdicts`` was given, and how many were ``marginal``.
    """

    rows: int
    kept: int
    failed: tuple[str, ...]
    unmet: tuple[str, ...]
    complete: bool = False
    games: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def write_batch(
    paths: Iterable[str | PathLike[str]],
    out: Path,
    settings: BatchSettings,
    workers: AbstractContextManager[Pool],
    *,
    resume: bool = False,
    retry_errors: bool = False,
    junit: Path | None = None,
    progress: Callable[[int, int, bool], None] = lambda done, total, at_least: None,
) -> BatchSummary:
    """Judges scenes and writes a row for each check into a file, which appears when all is done.

    Until then the rows are in a journal in the same folder: see `silhouette.batches.journal`.

    Args:
        out: the path of the file, with the ending .jsonl, .csv or .parquet.
        workers: the pool from `make_pool`, with the same settings.
        resume: whether to go on with a batch that was not finished. One that is finished is left as it is, where its
            scenes and the settings are still the same.
        retry_errors: whether only the failed rows of a finished file are judged, and all others kept as they are.
        progress: called with the number of checks that are done, that of all known checks, and whether there may be
            more.

    Raises SilhouetteError if the paths mean no scene, or the file cannot be written.
    """
    check_table_path(out)
    for file in (out, junit):
        if file is not None:
            check_place(file)
    check_settings(settings)
    scenes = scenes_of(paths)
    check_outputs(out, junit, scenes)
    options = _plain_settings(settings)
    plan = Repair(out, options, scenes) if retry_errors else Whole(out, options, scenes)
    if not plan.scenes or (resume and plan.is_complete()):
        finished = read_rows(out)
        if junit is not None:
            write_junit(junit, finished)
        return _summary(finished, 0, complete=True)
    with Journal(out, plan.options, resume=resume, scenes=scenes) as journal:
        judged = 0
        for schedule in judge_scenes(plan.scenes, workers, plan.store(journal)):
            progress(schedule.done, schedule.total, not schedule.is_total_known)
            judged = schedule.judged
        rows = plan.rows(journal)
        write_table(out, rows)
        if junit is not None:
            write_junit(junit, rows, journal.seconds)
        summary = _summary(rows, judged)
        record = plan.record(journal)
        if record is not None:
            record.keep(out)
        journal.finished()
    return summary


@dataclass(frozen=True)
class Whole:
    """A batch of all scenes, from the beginning or from where it stopped; see `silhouette.batches.finished.Repair`."""

    out: Path
    options: dict[str, Any]
    scenes: list[str]

    def is_complete(self) -> bool:
        """Whether there is a finished file of these scenes, in their present state, and no unfinished one."""
        if lexists(journal_of(self.out)):
            return False
        record = record_of(self.out)
        return record is not None and record.is_of(self.options, self.scenes)

    def store(self, journal: Journal) -> Journal:
        """The journal itself."""
        return journal

    def rows(self, journal: Journal) -> Iterable[Row]:
        """All rows, in the order of the scenes."""
        return JournalRows(journal, self.scenes)

    def record(self, journal: Journal) -> FinishedRecord:
        """The record of the finished file."""
        prints = Fingerprints()
        digests = {identity(scene): journal.scenes[scene].digest or fingerprint(prints, scene) for scene in self.scenes}
        return FinishedRecord(content_of(self.out), self.options, digests, getcwd())


def _plain_settings(settings: BatchSettings) -> dict[str, Any]:
    """The settings on which verdicts depend, as plain values."""
    options: dict[str, Any] = {"silhouette": VERSION, "renderer": settings.renderer}
    options |= {"pixel": settings.pixel, "everyone": settings.everyone}
    further = {"error": settings.error, "odds": settings.seed, "what_if": settings.what_if or None}
    return options | {key: value for key, value in further.items() if value is not None}


def _summary(rows: Iterable[Row], judged: int, *, complete: bool = False) -> BatchSummary:
    count, failures, unexpected = 0, list[str](), list[str]()
    games, scenes = dict[str, dict[str, Any]](), defaultdict[str, set[str]](set)
    for row in rows:
        count += 1
        if row.get(VERDICT.key):
            game = games.setdefault(row[RULES_FIELD.key], {"scenes": 0, "checks": 0, "verdicts": {}, "marginal": 0})
            scenes[row[RULES_FIELD.key]].add(row[SCENE_FIELD.key])
            game["checks"] += 1
            game["marginal"] += bool(row.get(MARGINAL.key))
            game["verdicts"][row[VERDICT.key]] = game["verdicts"].get(row[VERDICT.key], 0) + 1
        if (problem := problem_of(row)) is not None:
            failures.append(problem)
        if row.get(EXPECTED.key) is False:
            unexpected.append(f"{row.get(SCENE_FIELD.key, '')}: {pair_of(row)}: {'; '.join(row.get(UNMET.key) or ())}")
    for name, game in games.items():
        game["scenes"] = len(scenes[name])
    return BatchSummary(count, count - judged, tuple(failures), tuple(unexpected), complete, games)


def check_settings(settings: BatchSettings) -> None:
    """Refuses settings with which no scene could be judged."""
    check_name(settings.renderer, settings.device)
    check_numbers(settings.pixel, settings.error)


def make_pool(
    settings: BatchSettings, workers: int | None = None, timeout: float | None = None, cluster: str | None = None
) -> AbstractContextManager[Pool]:
    """The processes that judge, by default as many as there are cores of this machine; or those of a cluster.

    After ``timeout`` seconds of reading one scene, or of one check, that is a row with ``problem``. RequestError where
    a number is not above 0, or both workers and a cluster are given.
    """
    if workers is not None and workers < 1:
        raise RequestError(f"workers is {workers}; it must be at least 1")
    if timeout is not None and not timeout > 0.0:
        raise RequestError(f"timeout is {timeout:g}; it must be seconds above 0")
    if cluster is None:
        requirements = ChunkRequirements() if survives_fork(settings.renderer) else None
        judge = partial(ChunkJudge, settings, together=1 if timeout else CHUNK_CHECKS_TOGETHER)
        processes = cores() if workers is None else workers
        return WorkerPool(judge, processes, timeout, requirements)
    if workers is not None:
        raise RequestError("a cluster has the workers that were started for it; leave --workers out")
    from silhouette.batches.dask import Cluster

    return Cluster(cluster, settings, timeout)


def judge_scenes(
    scenes: Iterable[str], workers: AbstractContextManager[Pool], store: Journal | RowsInMemory
) -> Iterator[Schedule]:
    """Judges every check that has no row in the store yet, and adds the rows to it as they come."""
    schedule = Schedule(list(scenes), store)
    yield schedule
    with workers as pool:
        for event in pool.events(schedule.next_chunk):
            schedule.record(event)
            yield schedule
