"""MANY: scenes -> rows. A failure is a row, not an exit; what is judged stays judged; the same rows by any number of
workers, in the same order.

paths -> scenes -> opened by a worker: how many checks -> portions of them, to workers that know the scene -> rows
"""

from __future__ import annotations

import glob
import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

from silhouette.crew import Crew, Event
from silhouette.errors import RequestError, SilhouetteError
from silhouette.journal import Journal, Row
from silhouette.tables import check_table_path, failed, write_junit, write_table
from silhouette.terminal import problem, strict

PORTION = 32
"""So many checks of a scene are given to a worker at once."""

SCENE_ENDINGS = (".toml", ".json")

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class How:
    """How everything in a batch is judged.

    Attributes:
        renderer: "auto" or the name of one.
        pixel: mm per pixel at the target; None is what each scene says, else 0.1.
        everyone: everyone against everyone, instead of the checks that a scene asks for.
        cached: whether meshes are kept on disk.
    """

    renderer: str = "auto"
    pixel: float | None = None
    everyone: bool = False
    cached: bool = True


@dataclass(frozen=True)
class Portion:
    """Some checks of a scene, for a worker: from ``start`` up to ``stop``; of a scene not opened yet, ``stop`` is None.

    A worker opens it then, says how many checks there are, and judges none.
    """

    scene: str
    digest: str = ""
    start: int = 0
    stop: int | None = None


def scenes_of(paths: Iterable[str | PathLike[str]]) -> list[str]:
    """The scene files that paths mean, each once, in the order given: files, folders (searched deeply, sorted), globs.

    Raises:
        RequestError: where there is nothing of that kind.

    >>> scenes_of(["no such folder/*.toml"])
    Traceback (most recent call last):
    ...
    silhouette.errors.RequestError: no such folder/*.toml: no file is like that; give scene files, folders or globs
    """
    found: dict[str, None] = {}
    for path in map(Path, paths):
        if path.is_dir():
            files = sorted(file for file in path.rglob("*") if file.suffix.lower() in SCENE_ENDINGS and file.is_file())
            if not files:
                raise RequestError(f"{path}: no scene is in that folder; scenes end in .toml or .json")
        elif glob.has_magic(str(path)) and not path.exists():
            files = [Path(file) for file in sorted(glob.glob(str(path), recursive=True))]
            if not files:
                raise RequestError(f"{path}: no file is like that; give scene files, folders or globs")
        else:
            files = [path]
        found |= dict.fromkeys(file.as_posix() for file in files)
    return list(found)


@dataclass(frozen=True)
class Done:
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
    how: How,
    *,
    workers: int,
    timeout: float | None = None,
    resume: bool = False,
    junit: Path | None = None,
    progress: Progress = lambda done, total: None,
) -> Done:
    """Judges scenes and writes a row for each check into a file, which appears when all is done.

    Until then the rows are kept beside it: see `silhouette.journal`.

    Raises:
        SilhouetteError: where the paths mean no scene, or the file cannot be written.
    """
    check_table_path(out)
    scenes = scenes_of(paths)
    asked = {"silhouette": version(), "renderer": how.renderer, "pixel": how.pixel, "everyone": how.everyone}
    with Journal(out, asked, resume=resume) as journal:
        kept = sum(len(journal.scenes[scene].rows) for scene in scenes if scene in journal.scenes)
        judge_all(scenes, how, journal, workers=workers, timeout=timeout, progress=progress)
        rows = list(journal.rows(scenes))
        write_table(out, rows)
        if junit is not None:
            write_junit(junit, rows)
        journal.finished()
    return Done(
        len(rows),
        kept,
        failed=tuple(row["error"] for row in rows if failed(row)),
        broken=tuple(_not_as_expected(row) for row in rows if row.get("expected") is False),
    )


def _not_as_expected(row: Row) -> str:
    who = " to ".join(str(row[key]) for key in ("attacker", "target") if row.get(key))
    return f"{row['scene']}: {who}: {'; '.join(row.get('broken', ()))}"


def version() -> str:
    """Of this package, as it is installed."""
    from importlib.metadata import version as installed

    return installed("silhouette")


def judge_all(
    scenes: Sequence[str],
    how: How,
    journal: Journal,
    *,
    workers: int,
    timeout: float | None = None,
    progress: Progress = lambda done, total: None,
) -> None:
    """Judges all that the journal does not hold yet, and puts every row into it as it comes.

    Args:
        scenes: paths, from `scenes_of`.
        how: they are judged.
        journal: open.
        workers: processes that judge at the same time.
        timeout: seconds that reading one scene, or one check, may take; then it is a row with ``error``.
        progress: is told how many checks are done, of how many that are known of.
    """
    plan = _Plan(list(scenes), journal)
    with Crew(lambda: _Worker(how).work, workers, timeout) as crew:
        for event in crew.events(plan.next_portion):
            plan.heard(event)
            progress(*plan.progress())


@dataclass
class _Plan:
    """What is left to do, and what comes of it."""

    scenes: list[str]
    journal: Journal
    unopened: list[str] = field(init=False)
    portions: list[Portion] = field(init=False, default_factory=list)
    told: dict[Portion, int] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.unopened = list(self.scenes)

    def next_portion(self, last: Portion | None) -> Portion | None:
        """Of the scene that the worker knows already, if there is any; else of the first one; else a scene to open."""
        for portion in self.portions:
            if last is not None and portion.scene == last.scene:
                break
        else:
            if not self.portions:
                return Portion(self.unopened.pop(0)) if self.unopened else None
            portion = self.portions[0]
        self.portions.remove(portion)
        return portion

    def heard(self, event: Event) -> None:
        portion: Portion = event.task
        if portion.stop is None:
            self._opened(portion, event)
        elif event.kind == "told":
            self._judged(portion, event.value)
        elif event.kind == "lost":
            self._judged(portion, {"error": f"{portion.scene}: {event.value}"})
            rest = portion.start + self.told[portion]
            if rest < portion.stop:
                self.portions.insert(0, Portion(portion.scene, portion.digest, rest, portion.stop))

    def _opened(self, portion: Portion, event: Event) -> None:
        if event.kind == "done":
            return
        scene = portion.scene
        found: Row = event.value if event.kind == "told" else {"error": f"{scene}: {event.value}"}
        kept = self.journal.scenes.get(scene)
        if "error" in found:
            self.journal.open_scene(scene, "", 1)
            self.journal.add(scene, 0, found)
            return
        digest, checks = found["digest"], found["checks"]
        if kept is None or (kept.digest, kept.checks) != (digest, checks):
            self.journal.open_scene(scene, digest, checks)
        missing = [check for check in range(checks) if check not in self.journal.scenes[scene].rows]
        self.portions += _portions(scene, digest, missing)

    def _judged(self, portion: Portion, row: Row) -> None:
        done = self.told.get(portion, 0)
        self.told[portion] = done + 1
        self.journal.add(portion.scene, portion.start + done, row)

    def progress(self) -> tuple[int, int]:
        """Checks done, and all that are known of; a scene that is not opened yet counts one."""
        known = [self.journal.scenes[scene] for scene in self.scenes if scene in self.journal.scenes]
        done = sum(len(scene.rows) for scene in known)
        return done, sum(scene.checks for scene in known) + len(self.scenes) - len(known)


def _portions(scene: str, digest: str, checks: Sequence[int]) -> list[Portion]:
    """Runs of checks, none longer than `PORTION`.

    >>> [(one.start, one.stop) for one in _portions("duel.toml", "", [0, 1, 4, *range(10, 50)])]
    [(0, 2), (4, 5), (10, 42), (42, 50)]
    """
    found: list[Portion] = []
    for check in checks:
        last = found[-1] if found else None
        if last is not None and last.stop == check and check - last.start < PORTION:
            found[-1] = Portion(scene, digest, last.start, check + 1)
        else:
            found.append(Portion(scene, digest, check, check + 1))
    return found


class _Worker:
    """What one process keeps: its renderer, and the scene that it read last."""

    def __init__(self, how: How) -> None:
        self._how = how
        self._renderer: Any = None
        self._scene: Any = None
        self._checks: Sequence[Any] = ()
        self._read = ("", "")

    def work(self, portion: Portion) -> Iterator[Row]:
        """Opens a scene and says how many checks there are, or judges some; what goes wrong is a row with ``error``."""
        try:
            self._open(portion.scene, portion.digest)
        except Exception as error:
            rows = 1 if portion.stop is None else portion.stop - portion.start
            yield from [{"error": problem(error, Path(portion.scene))}] * rows
            return
        if portion.stop is None:
            yield {"digest": self._read[1], "checks": len(self._checks)}
            return
        for number in range(portion.start, portion.stop):
            yield self._row(self._checks[number])

    def _open(self, scene: str, digest: str) -> None:
        """Reads a scene unless it was read last, and finds out which checks it is about.

        Raises:
            SilhouetteError: where that cannot be, or where its files are not those of the digest any more.
        """
        from silhouette.cache import Cache
        from silhouette.judging import Ask, load_scene
        from silhouette.renderers import choose

        now = digest_of(Path(scene))
        if digest and now != digest:
            raise RequestError(f"{scene}: it was changed while it was judged; judge it again")
        if self._read == (scene, now):
            return
        if self._renderer is None:
            self._renderer = choose(self._how.renderer)
        self._scene = load_scene(scene, cache=Cache.default() if self._how.cached else Cache(None))
        self._checks = Ask(everyone=self._how.everyone).checks(self._scene)
        self._read = (scene, now)

    def _row(self, check: Any) -> Row:
        from silhouette.judging import judged

        try:
            row: Row = strict(judged(self._scene, check, self._renderer, self._how.pixel).row())
        except Exception as error:
            asked = {"attacker": check.attacker or None, "target": check.target or None, "rules": self._scene.rules}
            return {**asked, "error": problem(error, self._scene.path)}
        return row


def digest_of(scene: Path) -> str:
    """A fingerprint of a scene's file and of every file that it, or a model file of it, names.

    Raises:
        SilhouetteError: where the scene cannot be read.
    """
    from silhouette.questions import read_document

    digest = hashlib.blake2b(digest_size=16)
    todo, seen = [scene], set()
    while todo:
        path = todo.pop()
        if path in seen:
            continue
        seen.add(path)
        try:
            digest.update(_file_digest(path))
        except OSError:
            digest.update(b"missing")
            continue
        if path.suffix.lower() in SCENE_ENDINGS:
            try:
                document = read_document(path)
            except SilhouetteError:
                if path == scene:
                    raise
                continue
            todo += [path.parent / name for name in sorted(_files_named(document), reverse=True)]
        elif path.suffix.lower() == ".gltf":
            todo += sorted(path.parent.glob("*.bin"), reverse=True)
    return digest.hexdigest()


_digests: dict[tuple[Path, int, int], bytes] = {}


def _file_digest(path: Path) -> bytes:
    """Of its content; worked out once for a file that keeps its size and its time of change."""
    status = path.stat()
    key = (path, status.st_size, status.st_mtime_ns)
    if key not in _digests:
        with path.open("rb") as file:
            _digests[key] = hashlib.file_digest(file, "blake2b").digest()
    return _digests[key]


def _files_named(document: Any) -> set[str]:
    """The values of ``mesh`` and ``model`` keys, at any depth."""
    if isinstance(document, list):
        return set().union(*map(_files_named, document))
    if not isinstance(document, dict):
        return set()
    here = {value for key, value in document.items() if key in ("mesh", "model") and isinstance(value, str)}
    return here.union(*map(_files_named, document.values()))
