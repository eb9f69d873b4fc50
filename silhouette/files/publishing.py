"""Folders that a command writes whole or not at all: the tutorial and the site. A file in each says which it is."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from silhouette.common.errors import FileError
from silhouette.common.installation import document
from silhouette.common.text import json_text
from silhouette.files.changing import changing_folder, check_folder
from silhouette.files.writing import PARTIAL, write_file


@dataclass(frozen=True)
class Publication:
    """What a command writes whole into a folder, by its name.

    >>> Publication("tutorial").facts_file, Publication("tutorial").maker
    ('tutorial.json', 'silhouette tutorial')
    """

    name: str
    guests: tuple[str, ...] = ()  # names of folders in it that another program writes, such as a manual's: they stay

    @property
    def facts_file(self) -> str:
        """The file by which such a folder is recognised: what stands in it, and the names of its files."""
        return f"{self.name}.json"

    @property
    def maker(self) -> str:
        """The command."""
        return f"silhouette {self.name}"

    @contextmanager
    def whole_folder(self, out: Path, inputs: Iterable[Path] = ()) -> Iterator[Path]:
        """A new folder to write into, whose files go to ``out`` at the end of the block, unless it raises.

        Raises FileError where ``out`` holds anything else than an earlier one of these, or cannot be written; its files
        then stay.
        """
        check_folder(out, inputs)
        earlier = self._check(out)
        making = TemporaryDirectory(prefix=f"silhouette-{self.name}-", ignore_cleanup_errors=True)
        with making as made, changing_folder(out, out / self.facts_file) as change:
            folder = Path(made)
            try:
                yield folder
            except FileError as error:
                raise FileError(error.path.replace(made, str(out)), error.problem) from None
            names = files_in(folder)
            for name in names:
                if name != self.facts_file:
                    change.put(out / name, (folder / name).read_bytes())
            for name in earlier.difference(names):
                change.drop(out / name)
            change.commit((folder / self.facts_file).read_bytes())

    def write_facts(self, folder: Path, facts: Mapping[str, Any]) -> None:
        """Writes what stands in a folder whose other files are written, with the names of all files."""
        names = [*files_in(folder), self.facts_file]
        content = document({"maker": self.maker, **facts, "files": sorted(names)})
        write_file(folder / self.facts_file, json_text(content, indent=1) + "\n")

    def _check(self, out: Path) -> set[str]:
        """Refuses a folder that holds anything else than an earlier one; gives the names of its files."""
        there = set(files_in(out)) if out.exists() else set()
        there = {name for name in there if name.split("/")[0] not in self.guests}
        if not there:
            return there
        own = self._own_files(out / self.facts_file)
        if own is None:
            raise FileError(out, f"holds files, and no {self.name}; give a folder that is empty or not there yet")
        others = sorted(there - own)
        if others:
            raise FileError(
                out, f"holds {others[0]}, which is no part of the {self.name} there; move it, or give another folder"
            )
        return there

    def _own_files(self, facts: Path) -> set[str] | None:
        """The files of what facts belong to; None where there is none."""
        try:
            earlier = json.loads(facts.read_text(encoding="utf-8"))
            return set(map(str, earlier["files"])) if earlier["maker"] == self.maker else None
        except (OSError, ValueError, KeyError, TypeError):
            return None


def files_in(folder: Path) -> list[str]:
    """The files in a folder and in those in it, by their paths from it with ``/``; none of those of a killed run."""
    files = (file for file in folder.rglob("*") if not file.is_dir() and file.suffix != PARTIAL)
    return sorted(file.relative_to(folder).as_posix() for file in files)
