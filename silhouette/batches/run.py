"""MANY: scenes -> rows. A failure is a row, not an exit; what is judged stays judged; the same rows by any number of
workers, in the same order.

paths -> scenes -> opened by a worker: how many checks -> chunks of them, to workers that know the scene -> rows
"""

from __future__ import annotations

import glob
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from os import PathLike
from os.path import abspath
from pathlib import Path
from typing import Protocol

from silhouette.batches.chunks import BatchSettings, Judge, Requirements
from silhouette.batches.export import check_table_path, failed, whose, write_junit, write_table
from silhouette.batches.journal import Journal, Row, Rows
from silhouette.batches.schedule import Plan, RowStore
from silhouette.errors import FileError, RequestError, SilhouetteError
from silhouette.files.documents import read_document
from silhouette.files.fingerprints import DOCUMENTS
from silhouette.judging import check_numbers
from silhouette.renderers.registry import check_name, survives_fork
from silhouette.text import Progress
from silhouette.workers import Event, NextTask, WorkerPool, cores


class Workers(Protocol):
    """Processes that judge, on this machine (`silhouette.workers`) or on many (`silhouette.batches.dask`)."""

    def events(self, next_task: NextTask) -> Iterator[Event]:
        """Everything that happens until all is done."""
        ...


def scenes_of(paths: Iterable[str | PathLike[str]]) -> list[str]:
    """The scene files that paths mean, each once, in the order given: files, folders (searched deeply, sorted), globs.

    In folders and among what a glob finds, model files are passed over, and in folders whatever is hidden as well.

    Raises:
        RequestError: where there is nothing of that kind.

    >>> scenes_of(["no such folder/*.toml"])
    Traceback (most recent call last):
    ...
    silhouette.errors.RequestError: no such folder/*.toml: no file is like that; give scene files, folders or globs
    """
    found: dict[str, str] = {}
    for path in map(Path, paths):
        if path.is_dir():
            files = _in_folder(path)
            if not files:
                raise RequestError(f"{path}: no scene is in that folder; scenes end in .toml or .json")
        elif glob.has_magic(str(path)) and not path.exists():
            like = [Path(file) for file in sorted(glob.glob(str(path), recursive=True))]
            files = [file for each in like for file in (_in_folder(each) if each.is_dir() else _scenes([each]))]
            if not files:
                raise RequestError(f"{path}: no file is like that; give scene files, folders or globs")
        else:
            files = [path]
        for file in files:
            found.setdefault(abspath(file), file.as_posix())
    return list(found.values())


def _scenes(files: Iterable[Path]) -> list[Path]:
    documents = [file for file in files if file.suffix.lower() in DOCUMENTS and file.is_file()]
    return [file for file in documents if not _is_model(file)]


def _in_folder(folder: Path) -> list[Path]:
    shown = (path for path in folder.rglob("*") if not _is_hidden(path.relative_to(folder)))
    return sorted(_scenes(shown))


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def _is_model(file: Path) -> bool:
    """Whether a file names a mesh and no rules: then it is a model, which scenes beside it name."""
    try:
        if b"rules" in file.read_bytes():
            return False
        return "mesh" in read_document(file)
    except (OSError, SilhouetteError):
        return False


@dataclass(frozen=True)
class BatchSummary:
    """What came of a batch.

    Attributes:
        rows: how many there are.
        kept: how many had been judged before it was resumed.
        failed: what went wrong, a sentence each.
        broken: what is not as expected, a sentence each.
    """

    rows: int
    kept: int
    failed: tuple[str, ...]
    broken: tuple[str, ...]


def write_batch(
    paths: Iterable[str | PathLike[str]],
    out: Path,
    settings: BatchSettings,
    workers: AbstractContextManager[Workers],
    *,
    resume: bool = False,
    junit: Path | None = None,
    progress: Progress = lambda done, total: None,
) -> BatchSummary:
    """Judges scenes and writes a row for each check into a file, which appears when all is done.

    Until then the rows are kept beside it: see `silhouette.batches.journal`.

    Args:
        paths: files, folders, globs.
        out: .jsonl, .csv or .parquet.
        settings: everything is judged.
        workers: from `workers_of`, asked to judge as ``settings`` says.
        resume: go on with a batch that was not finished.
        junit: a file for CI systems, or None.
        progress: is told how many checks are done, of how many that are known of.

    Raises:
        SilhouetteError: where the paths mean no scene, or the file cannot be written.
    """
    check_table_path(out)
    for file in (out, junit):
        if file is not None and (file.is_dir() or not file.parent.is_dir()):
            wrong = "is a folder" if file.is_dir() else f"there is no folder {file.parent} to write it into"
            raise FileError(file, f"{wrong}; name a file in a folder that is there")
    check_settings(settings)
    scenes = scenes_of(paths)
    asked = {
        "silhouette": version(),
        "renderer": settings.renderer,
        "pixel": settings.pixel,
        "everyone": settings.everyone,
    }
    if settings.error is not None:
        asked["error"] = settings.error
    with Journal(out, asked, resume=resume) as journal:
        judged = 0
        for plan in steps(scenes, workers, journal):
            progress(plan.done, plan.total)
            judged = plan.judged
        rows = Rows(journal, scenes)
        write_table(out, rows)
        if junit is not None:
            write_junit(junit, rows)
        done = _summed(rows, judged)
        journal.finished()
    return done


def _summed(rows: Iterable[Row], judged: int) -> BatchSummary:
    count, wrong, broken = 0, [], []
    for row in rows:
        count += 1
        if failed(row):
            wrong.append(row["error"])
        if row.get("expected") is False:
            broken.append(f"{row['scene']}: {whose(row)}: {'; '.join(row.get('broken', ()))}")
    return BatchSummary(count, count - judged, tuple(wrong), tuple(broken))


def version() -> str:
    """Of this package, as it is installed."""
    from importlib.metadata import version as installed

    return installed("silhouette")


def check_settings(settings: BatchSettings) -> None:
    """Refuses what no scene could be judged with.

    Raises:
        SilhouetteError: see above.
    """
    check_name(settings.renderer, settings.device)
    check_numbers(settings.pixel, settings.error)


def workers_of(
    settings: BatchSettings, workers: int | None = None, timeout: float | None = None, cluster: str | None = None
) -> AbstractContextManager[Workers]:
    """Whoever judges: processes of this machine, or those of a cluster.

    Args:
        settings: everything is judged.
        workers: so many processes; by default as many as there are cores.
        timeout: seconds that reading one scene, or one check, may take; then it is a row with ``error``.
        cluster: the address of a Dask scheduler, whose workers are taken instead.

    Raises:
        RequestError: where a number is not above 0, or both workers and a cluster are asked for.
    """
    if workers is not None and workers < 1:
        raise RequestError(f"workers is {workers}; it must be at least 1")
    if timeout is not None and not timeout > 0.0:
        raise RequestError(f"timeout is {timeout:g}; it must be seconds above 0")
    if cluster is None:
        needs = Requirements() if survives_fork(settings.renderer) else None
        return WorkerPool(partial(Judge, settings), cores() if workers is None else workers, timeout, needs)
    if workers is not None:
        raise RequestError("a cluster has the workers that were started for it; leave --workers out")
    from silhouette.batches.dask import Cluster

    return Cluster(cluster, settings, timeout)


def steps(scenes: Iterable[str], workers: AbstractContextManager[Workers], store: RowStore) -> Iterator[Plan]:
    """Judges all that the store does not hold yet, and puts every row into it as it comes.

    Yields the plan before any process is started, and after each event.
    """
    plan = Plan(list(scenes), store)
    yield plan
    with workers as pool:
        for event in pool.events(plan.next_chunk):
            plan.heard(event)
            yield plan
