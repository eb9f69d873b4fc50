"""MANY: the rows of an unfinished batch, kept in the folder of the finished file, so that a kill loses none.

Each line is a JSON object: the settings, then scenes as they are opened and rows as they are judged, under paths as
seen from the folder that was named last. The last line may be cut off: then it is dropped. Only when all is judged does
the finished file appear, whole, under its name.
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from os.path import realpath
from pathlib import Path
from types import TracebackType
from typing import Any

from filelock import FileLock, Timeout

from silhouette.batches.export import SCENE_FIELD
from silhouette.common.errors import FileError, RequestError
from silhouette.common.text import Row, json_text
from silhouette.files.writing import check_place, open_own
from silhouette.scenes.finding import identity

LOCKED_WITHIN = 3.0  # seconds to wait for the lock: the workers of a killed batch hold it until they have ended


def journal_of(out: Path) -> Path:
    """The place of the journal of a finished file."""
    return out.with_name(f"{out.name}.unfinished")


@dataclass
class SceneProgress:
    """The progress of one scene of a batch: its fingerprint, empty if it could not be read, and how many checks it has.

    ``judged`` has for each check that has a row, counted from 0, the offset of that row in the journal.
    """

    digest: str
    checks: int
    judged: dict[int, int] = field(default_factory=dict)


class Journal:
    """Appends rows to a file next to ``out``; used as a context, which locks it against a second batch.

    Args:
        settings: how the scenes are judged; a journal begun with other settings is not resumed.
        resume: whether to go on with an unfinished batch, instead of refusing.
        scenes: the paths of the scenes of this batch, by which rows that were judged under other paths of the same
            files are known: relative ones, from another folder, or absolute ones. None leaves all paths as they are.

    Raises:
        FileError: where ``out`` cannot be written, or another batch writes it now.
        RequestError: where an unfinished batch is there and is not to be resumed, or has other settings.
    """

    def __init__(
        self, out: Path, settings: Mapping[str, Any], *, resume: bool, scenes: Iterable[str] | None = None
    ) -> None:
        self.out = out
        self.path = journal_of(out)
        self._settings = dict(settings)
        self._resume = resume
        self._batch = scenes
        self.scenes: dict[str, SceneProgress] = {}
        self.seconds: dict[
            tuple[str, int], float
        ] = {}  # how long checks took, by scene and number, where that is known
        self.opened: Callable[[str], None] = lambda scene: None  # is told of each scene that is opened

    def __enter__(self) -> Journal:
        check_place(self.out)
        lock = self.out.with_name(f"{self.out.name}.lock")
        if os.path.lexists(lock) and (lock.is_symlink() or not lock.is_file()):
            raise FileError(lock, "is no regular file, and so no lock of a batch; delete it")
        self._lock = FileLock(lock)
        try:
            self._lock.acquire(timeout=LOCKED_WITHIN, poll_interval=0.1)
        except Timeout:
            busy = "another batch is writing it now; wait for it, or name another file"
            shut = f"nothing can be written in the folder {self.out.parent}; name another file"
            raise FileError(self.out, busy if lock.exists() else shut) from None
        except OSError as error:
            raise FileError(self.out, f"cannot be written ({error.strerror}); name another file") from None
        try:
            self._open()
        except OSError as error:
            self._unlock()
            raise self._stopped(error) from None
        except BaseException:
            self._unlock()
            raise
        return self

    def _open(self) -> None:
        exists = os.path.lexists(self.path)
        if exists and (self.path.is_symlink() or not self.path.is_file()):
            raise FileError(self.path, "is no regular file, and so no unfinished batch; delete it")
        if exists and not self._resume:
            raise RequestError(
                f"{self.path}: an unfinished batch is kept there; go on with it by --resume, or delete it"
            )
        self._file = open_own(self.path, new=not exists)
        try:
            end, folder = self._read()
            self._file.truncate(end)
            self._file.seek(end)
            here = _relative(os.getcwd(), self.out.parent)
            if not end:
                self._append({"asked": self._settings, "folder": here})
            elif folder != here:
                self._append({"folder": here})
        except BaseException:
            self._file.close()
            raise

    def _read(self) -> tuple[int, str]:
        """Reads the journal: where its last whole line ends, and the folder from which that was written."""
        end, names = 0, _Names(self.out.parent, self._batch)
        for line in self._file:
            entry = _entry(line)
            if entry is None:
                break
            if end == 0 and entry.get("asked") != self._settings:
                raise RequestError(
                    f"{self.path}: it was begun {difference(entry.get('asked'), self._settings)}; "
                    "give the options as before, or delete it"
                )
            names.folder = entry.get("folder", names.folder)
            if "scene" in entry:
                entry = {**entry, "scene": names.of(entry["scene"])}
            self._apply(entry, end)
            end += len(line)
        return end, names.folder

    def _apply(self, entry: Row, place: int) -> None:
        if "digest" in entry:
            self.scenes[entry["scene"]] = SceneProgress(entry["digest"], entry["checks"])
        elif "row" in entry and entry["scene"] in self.scenes:
            self.scenes[entry["scene"]].judged[entry["check"]] = place
            if "seconds" in entry:
                self.seconds[entry["scene"], entry["check"]] = entry["seconds"]

    def open_scene(self, scene: str, digest: str, checks: int) -> None:
        """Adds a scene with the number of its checks; rows that it had before, of another state, are dropped."""
        self._append({"scene": scene, "digest": digest, "checks": checks})
        self.opened(scene)

    def add(self, scene: str, check: int, row: Row, seconds: float | None = None) -> None:
        """Adds the row of a check, and how long it took."""
        timed = {} if seconds is None else {"seconds": seconds}
        self._append({"scene": scene, "check": check, "row": row, **timed})

    def _append(self, entry: Row) -> None:
        try:
            place = self._file.seek(0, os.SEEK_END)
            self._file.write(json_text(entry).encode() + b"\n")
            self._file.flush()
            if not os.fstat(self._file.fileno()).st_nlink:
                raise FileNotFoundError(errno.ENOENT, "it was removed")
        except OSError as error:
            raise self._stopped(error) from None
        self._apply(entry, place)

    def _stopped(self, error: OSError) -> FileError:
        return FileError(
            self.path, f"cannot be written ({error.strerror or error}); put that right, then go on with --resume"
        )

    def row(self, scene: str, check: int) -> Row:
        """The row of a check that has one."""
        self._file.seek(self.scenes[scene].judged[check])
        row: Row = json.loads(self._file.readline())["row"]
        return row

    def finished(self) -> None:
        """Removes the journal, now that the finished file is there."""
        self._file.close()
        self.path.unlink(missing_ok=True)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        with suppress(OSError):  # an error in flushing was raised when the row was written
            self._file.close()
        if kind is not None and not any(progress.judged for progress in self.scenes.values()):
            with suppress(OSError):  # there is nothing to go on with
                self.path.unlink()
        self._unlock()

    def _unlock(self) -> None:
        """Removes the lock's file while it is locked: a process that opened it meanwhile finds it without a name."""
        with suppress(OSError):
            Path(self._lock.lock_file).unlink(missing_ok=True)
        self._lock.release()


@dataclass(frozen=True)
class JournalRows:
    """All rows of a journal, in the order of the scenes and of their checks; read anew by each iteration."""

    journal: Journal
    scenes: Sequence[str]

    def __iter__(self) -> Iterator[Row]:
        for scene in self.scenes:
            for check in sorted(self.journal.scenes[scene].judged):
                yield {SCENE_FIELD.key: scene, **self.journal.row(scene, check)}


class _Names:
    """The paths of scenes in a journal, as this batch writes them; None leaves all paths as they are."""

    def __init__(self, root: Path, scenes: Iterable[str] | None) -> None:
        self.folder = os.curdir
        self._root = realpath(root)
        self._new = None if scenes is None else {identity(scene): scene for scene in scenes}
        self._identities: dict[tuple[str, str], str] = {}

    def of(self, scene: str) -> str:
        """The path in this batch of the scene that a session from ``folder`` called so; where it has none, one path."""
        if self._new is None:
            return scene
        key = self.folder, scene
        if key not in self._identities:
            path = identity(os.path.join(self._root, self.folder, scene))
            self._identities[key] = self._new.get(path, path)
        return self._identities[key]


def _relative(folder: str, root: Path) -> str:
    """The path of a folder as seen from another one; the path itself where they are on different drives."""
    try:
        return Path(os.path.relpath(realpath(folder), realpath(root))).as_posix()
    except ValueError:
        return folder


def _entry(line: bytes) -> Row | None:
    """The object of a line; None where the line was not written to its end."""
    try:
        entry = json.loads(line) if line.endswith(b"\n") else None
    except ValueError:
        return None
    return entry if isinstance(entry, dict) else None


def difference(before: Any, now: Mapping[str, Any]) -> str:
    """In what the settings of an earlier batch and of this one differ, as options: "with ..., not with ...".

    >>> difference({"pixel": 2.0, "everyone": True, "device": 1}, {"pixel": None, "everyone": False, "device": 1})
    'with --pixel 2, --everyone, not with no --pixel, no --everyone'
    >>> difference(None, {"pixel": None})
    'with nothing that can be read, not with no --pixel'
    """
    if not isinstance(before, dict):
        return f"with nothing that can be read, not with {', '.join(_option(*item) for item in now.items())}"
    keys = [key for key in {**before, **now} if before.get(key) != now.get(key)]
    was, is_now = (", ".join(_option(key, settings.get(key)) for key in keys) for settings in (before, now))
    return f"with {was}, not with {is_now}"


def _option(key: str, value: Any) -> str:
    """A setting as the option of the command that chooses it."""
    option = "--retry-errors" if key == "retried" else f"--{key}"
    if key == "silhouette":
        return f"silhouette {value}"
    if value is None or value is False:
        return f"no {option}"
    if value is True or key == "retried":
        return option
    return f"{option} {value:g}" if isinstance(value, float) else f"{option} {value}"
