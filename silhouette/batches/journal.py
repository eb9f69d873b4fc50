"""MANY: the rows of an unfinished batch, kept beside the file that they will become, so that a kill loses none.

A line of JSON each: first what was asked, then scenes as they are opened, and rows as they are judged. The last line
may be half a line: it is dropped. Only when all is judged does the finished file appear, whole, under its name.
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

from silhouette.errors import FileError, RequestError

Row = dict[str, Any]

PATIENCE = 3.0
"""Seconds that the workers of a killed batch may take to let go of its file."""


@dataclass
class SceneProgress:
    """What is known of one scene.

    Attributes:
        digest: its fingerprint; empty where it could not be read.
        checks: how many there are to judge.
        judged: by the number of the check, from 0: where its row begins in the journal.
    """

    digest: str
    checks: int
    judged: dict[int, int] = field(default_factory=dict)


class Journal:
    """Appends to the file beside ``out``; used as a context that holds it against a second batch.

    Args:
        out: the finished file's path.
        asked: how it is judged: a journal begun otherwise is not gone on with.
        resume: go on with what is there, instead of refusing.

    Raises:
        FileError: where ``out`` cannot be written, or another batch writes it now.
        RequestError: where an unfinished batch is there and is not to be resumed, or was asked otherwise.
    """

    def __init__(self, out: Path, asked: Mapping[str, Any], *, resume: bool) -> None:
        self.out = out
        self.path = out.with_name(f"{out.name}.unfinished")
        self._asked = dict(asked)
        self._resume = resume
        self.scenes: dict[str, SceneProgress] = {}

    def __enter__(self) -> Journal:
        from filelock import FileLock, Timeout

        if not self.out.parent.is_dir():
            raise FileError(self.out, f"there is no folder {self.out.parent} to write it into; make it first")
        self._lock = FileLock(self.out.with_name(f"{self.out.name}.lock"))
        try:
            self._lock.acquire(timeout=PATIENCE, poll_interval=0.1)
        except Timeout:
            raise FileError(self.out, "another batch is writing it now; wait for it, or name another file") from None
        except OSError as error:
            raise FileError(self.out, f"cannot be written ({error.strerror}); name another file") from None
        try:
            self._open()
        except OSError as error:
            self._let_go()
            raise self._stopped(error) from None
        except BaseException:
            self._let_go()
            raise
        return self

    def _open(self) -> None:
        end = 0
        if self.path.exists():
            if not self._resume:
                raise RequestError(
                    f"{self.path}: an unfinished batch is kept there; go on with it by --resume, or delete it"
                )
            end = self._read()
        self._file = self.path.open("r+b" if end else "w+b")
        self._file.truncate(end)
        self._file.seek(end)
        if not end:
            self._append({"asked": self._asked})

    def _read(self) -> int:
        """Takes up what is there; says where its last whole line ends."""
        end = 0
        with self.path.open("rb") as file:
            for line in file:
                entry = _entry(line)
                if entry is None:
                    break
                if end == 0 and entry.get("asked") != self._asked:
                    raise RequestError(
                        f"{self.path}: it was begun with {_told(entry.get('asked'))}, not with {_told(self._asked)}; "
                        "ask as before, or delete it"
                    )
                self._take(entry, end)
                end += len(line)
        return end

    def _take(self, entry: Row, place: int) -> None:
        if "digest" in entry:
            self.scenes[entry["scene"]] = SceneProgress(entry["digest"], entry["checks"])
        elif "row" in entry and entry["scene"] in self.scenes:
            self.scenes[entry["scene"]].judged[entry["check"]] = place

    def open_scene(self, scene: str, digest: str, checks: int) -> None:
        """A scene is opened, or opened anew because it changed: what was judged of it before is dropped."""
        self._append({"scene": scene, "digest": digest, "checks": checks})

    def add(self, scene: str, check: int, row: Row) -> None:
        """A check of a scene is judged."""
        self._append({"scene": scene, "check": check, "row": row})

    def _append(self, entry: Row) -> None:
        try:
            place = self._file.seek(0, os.SEEK_END)
            self._file.write(json.dumps(entry, allow_nan=False).encode() + b"\n")
            self._file.flush()
            if not os.fstat(self._file.fileno()).st_nlink:
                raise FileNotFoundError(errno.ENOENT, "it was removed")
        except OSError as error:
            raise self._stopped(error) from None
        self._take(entry, place)

    def _stopped(self, error: OSError) -> FileError:
        return FileError(
            self.path, f"cannot be written ({error.strerror or error}); put that right, then go on with --resume"
        )

    def row(self, scene: str, check: int) -> Row:
        """The row of a check that is judged."""
        self._file.seek(self.scenes[scene].judged[check])
        row: Row = json.loads(self._file.readline())["row"]
        return row

    def finished(self) -> None:
        """All is judged and the finished file is there: what was kept beside it goes."""
        self._file.close()
        self.path.unlink(missing_ok=True)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        with suppress(OSError):  # what could not be flushed was told of when it was written
            self._file.close()
        if kind is not None and not any(kept.judged for kept in self.scenes.values()):
            with suppress(OSError):  # there is nothing to go on with
                self.path.unlink()
        self._let_go()

    def _let_go(self) -> None:
        """Removes the lock's file while it is held: whoever opened it in the meantime finds that it has no name."""
        with suppress(OSError):
            Path(self._lock.lock_file).unlink(missing_ok=True)
        self._lock.release()


@dataclass(frozen=True)
class Rows:
    """All rows of a journal, in the order of the scenes and of their checks; read as often as they are asked for."""

    journal: Journal
    scenes: Sequence[str]

    def __iter__(self) -> Iterator[Row]:
        for scene in self.scenes:
            for check in sorted(self.journal.scenes[scene].judged):
                yield {"scene": scene, **self.journal.row(scene, check)}


def _entry(line: bytes) -> Row | None:
    """What a line says; None where it was not written to its end."""
    try:
        entry = json.loads(line) if line.endswith(b"\n") else None
    except ValueError:
        return None
    return entry if isinstance(entry, dict) else None


def _told(asked: Any) -> str:
    if not isinstance(asked, dict):
        return "nothing that can be read"
    return ", ".join(f"{key} {value}" for key, value in asked.items())
