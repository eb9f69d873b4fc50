"""TELL: a folder of pages that is written whole or not at all, and never over files of the user."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from silhouette.errors import FileError
from silhouette.files.writing import replacing_folder, write_file
from silhouette.text import strict
from silhouette.version import document

FACTS = "tutorial.json"
"""The file by which a tutorial's folder is recognised: all results on its pages, and the names of its files."""

MAKER = "silhouette tutorial"


@contextmanager
def whole_folder(out: Path) -> Iterator[Path]:
    """A new folder to write a tutorial into, which takes the name ``out`` at the end of the block, unless it raises.

    Args:
        out: a folder that is not there, is empty, or holds an earlier tutorial and nothing else.

    Raises:
        FileError: where it holds anything else, or cannot be written; its files then stay as they were.
    """
    _check(out, out.resolve())
    with replacing_folder(out) as folder:
        yield folder


def write_facts(folder: Path, facts: dict[str, Any]) -> None:
    """Writes the results on the pages, with the names of all files, into a folder whose other files are written."""
    names = [*files_in(folder), FACTS]
    content = strict(document({"maker": MAKER, **facts, "files": sorted(names)}))
    write_file(folder / FACTS, json.dumps(content, indent=1, allow_nan=False) + "\n")


def files_in(folder: Path) -> list[str]:
    """The files in a folder and in those in it, by their paths from it with ``/``."""
    return sorted(file.relative_to(folder).as_posix() for file in folder.rglob("*") if not file.is_dir())


def _check(out: Path, place: Path) -> None:
    """Refuses a place where anything would be lost."""
    if place.exists() and not place.is_dir():
        raise FileError(out, "is a file; give the name of a folder")
    there = set(files_in(place)) if place.exists() else set()
    if not there:
        return
    own = _own_files(place / FACTS)
    if own is None:
        raise FileError(out, "holds files, and no tutorial; give a folder that is empty or not there yet")
    others = sorted(there - own)
    if others:
        raise FileError(
            out, f"holds {others[0]}, which is no part of the tutorial there; move it, or give another folder"
        )


def _own_files(facts: Path) -> set[str] | None:
    """The files of the tutorial that facts belong to; None where there is none."""
    try:
        earlier = json.loads(facts.read_text(encoding="utf-8"))
        return set(map(str, earlier["files"])) if earlier["maker"] == MAKER else None
    except (OSError, ValueError, KeyError, TypeError):
        return None
