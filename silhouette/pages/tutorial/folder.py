"""TELL: a folder of pages that is changed in place when all are there, and never has files of the user in it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from silhouette.errors import FileError
from silhouette.files.changing import changing_folder, check_folder
from silhouette.files.writing import PARTIAL, write_file
from silhouette.text import strict
from silhouette.version import document

FACTS = "tutorial.json"
"""The file by which a tutorial's folder is recognised: all results on its pages, and the names of its files."""

MAKER = "silhouette tutorial"


@contextmanager
def whole_folder(out: Path, inputs: Iterable[Path] = ()) -> Iterator[Path]:
    """A new folder to write a tutorial into, whose files go to ``out`` at the end of the block, unless it raises.

    Args:
        out: a folder that is not there, is empty, or holds an earlier tutorial and nothing else.
        inputs: what is read for it.

    Raises:
        FileError: where it holds anything else, or cannot be written; its files then stay as they were.
    """
    check_folder(out, inputs)
    earlier = _check(out)
    making = TemporaryDirectory(prefix="silhouette-tutorial-", ignore_cleanup_errors=True)
    with making as made, changing_folder(out, out / FACTS) as change:
        folder = Path(made)
        try:
            yield folder
        except FileError as error:
            raise FileError(error.path.replace(made, str(out)), error.problem) from None
        names = files_in(folder)
        for name in names:
            if name != FACTS:
                change.put(out / name, (folder / name).read_bytes())
        for name in earlier.difference(names):
            change.drop(out / name)
        change.commit((folder / FACTS).read_bytes())


def write_facts(folder: Path, facts: dict[str, Any]) -> None:
    """Writes the results on the pages, with the names of all files, into a folder whose other files are written."""
    names = [*files_in(folder), FACTS]
    content = strict(document({"maker": MAKER, **facts, "files": sorted(names)}))
    write_file(folder / FACTS, json.dumps(content, indent=1, allow_nan=False) + "\n")


def files_in(folder: Path) -> list[str]:
    """The files in a folder and in those in it, by their paths from it with ``/``; none of those of a killed run."""
    files = (file for file in folder.rglob("*") if not file.is_dir() and file.suffix != PARTIAL)
    return sorted(file.relative_to(folder).as_posix() for file in files)


def _check(out: Path) -> set[str]:
    """Refuses a folder that holds anything else than an earlier tutorial; gives the names of its files."""
    there = set(files_in(out)) if out.exists() else set()
    if not there:
        return there
    own = _own_files(out / FACTS)
    if own is None:
        raise FileError(out, "holds files, and no tutorial; give a folder that is empty or not there yet")
    others = sorted(there - own)
    if others:
        raise FileError(
            out, f"holds {others[0]}, which is no part of the tutorial there; move it, or give another folder"
        )
    return there


def _own_files(facts: Path) -> set[str] | None:
    """The files of the tutorial that facts belong to; None where there is none."""
    try:
        earlier = json.loads(facts.read_text(encoding="utf-8"))
        return set(map(str, earlier["files"])) if earlier["maker"] == MAKER else None
    except (OSError, ValueError, KeyError, TypeError):
        return None
