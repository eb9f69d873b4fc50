"""Changing a folder in place: what import, scan, export and the tutorial write, of one version at every moment."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

from silhouette.common.errors import FileError
from silhouette.files.reading import MAX_FILE_BYTES, read_file
from silhouette.files.writing import Content, Staged, make_folder, temporary, unwritable, write_file, write_to


def check_folder(folder: Path, inputs: Iterable[Path]) -> None:
    """Refuses a folder into which no command is to write a table, before the work for it begins.

    It is a file, the root of the file system, the user's home or a folder above that, or one in which an input lies,
    directly or further down, links followed or not.

    >>> check_folder(Path("game"), [Path("game/scans/table.glb")])
    Traceback (most recent call last):
    ...
    silhouette.common.errors.FileError: game: holds game/scans/table.glb, which is to be read; give a folder of its own
    """
    place, own = Path(os.path.realpath(folder)), "give a folder of its own"
    if place.exists() and not place.is_dir():
        raise FileError(folder, "is a file; give the name of a folder")
    if place == place.parent:
        raise FileError(folder, f"is the root of the file system; {own}")
    with suppress(RuntimeError):  # nobody's home
        home = Path(os.path.realpath(Path.home()))
        if home.is_relative_to(place):
            raise FileError(folder, f"{'is' if home == place else 'holds'} your home folder; {own}")
    for given in inputs:
        named = Path(os.path.realpath(given.parent), given.name)
        if any(each.is_relative_to(place) for each in (named, Path(os.path.realpath(given)))):
            raise FileError(folder, f"holds {given}, which is to be read; {own}")


DIGEST_DIGITS = 16  # hexadecimal digits of a digest in the name of a file


@contextmanager
def changing_folder(folder: Path, main: Path) -> Iterator[FolderChange]:
    """Changes a folder in place, so that its main file and all that this names are of one version at every moment.

    Files that the main file names get names by their content (`FolderChange.keep`), and none is ever written over.
    Other files of the new version wait under temporary names (`put`). `commit`, the last statement of the block, gives
    the main file its name in one step, in the folder or elsewhere. Whatever else lies in the folder stays. If the block
    raises, the folder is as before. If the process is killed, files of ours may be left over, or those of `put` be
    missing: never does one lie there that tells of another version than the main file.

    >>> from tempfile import TemporaryDirectory
    >>> top = TemporaryDirectory()
    >>> game = Path(top.name) / "game"
    >>> with changing_folder(game, game / "scene.toml") as change:
    ...     mesh = change.keep("meshes", "kal", {".obj": b"v 0 0 0"})
    ...     change.commit(f"mesh = '{mesh}'")
    >>> mesh, sorted(file.name for file in game.iterdir())
    ('meshes/kal-f9257900d1d5af89.obj', ['meshes', 'scene.toml'])
    >>> top.cleanup()
    """
    change = FolderChange(folder, main)
    try:
        change.make_folder(folder)
        yield change
    except OSError as error:
        raise unwritable(folder, error) from None
    finally:
        change.end()


class FolderChange:
    """What is written by `changing_folder`, which has the parameters."""

    def __init__(self, folder: Path, main: Path) -> None:
        self._folder = folder
        self._main = main
        self._last: Staged | None = None
        self._staged: list[Staged] = []
        self._dropped: list[Path] = []
        self._aside: list[tuple[Path, Path]] = []
        self._new_files: dict[Path, str] = {}
        self._new_folders: list[Path] = []

    def make_folder(self, folder: Path) -> None:
        """Makes a folder, which goes again if the block raises and nothing else lies in it."""
        self._new_folders += reversed([each for each in (folder, *folder.parents) if not each.exists()])
        make_folder(folder)

    def keep(self, place: str, stem: str, files: Mapping[str, bytes]) -> str:
        """Writes files under a name by their content, unless they are there already.

        ``place`` is the folder for them in the folder, ``stem`` the part of the name that people know; ``files`` has
        the content of one file, by the ending of its name, or of several that name each other, by their paths in a
        folder of that name, each with ``/`` before it. Answers with the name, and the ending of a single file, as the
        path from the folder, with ``/``.

        Raises FileError if one cannot be written.
        """
        hashed = hashlib.blake2b(digest_size=DIGEST_DIGITS // 2)
        for inner, content in sorted(files.items()):
            hashed.update(f"{len(content)} {inner}\n".encode() + content)
        for number in count(1):
            name = f"{place}{'/' if place else ''}{stem}-{hashed.hexdigest()}{'' if number == 1 else f'_{number}'}"
            paths = {self._folder / f"{name}{inner}": content for inner, content in files.items()}
            # Somebody may have put something else there since: that stays, and the name gets a number.
            if all(_holds(path, content) or not os.path.lexists(path) for path, content in paths.items()):
                break
        for path, content in paths.items():
            if not os.path.lexists(path):
                self.make_folder(path.parent)
                self._new_files[path] = hashed.hexdigest()
                write_file(path, content)
        (first,) = [*files][:1]
        return name if first.startswith("/") else f"{name}{first}"

    def put(self, path: Path, content: Content, like: Path | None = None) -> None:
        """Writes a file that takes its name in `commit`; one that holds the same already stays. Folders on the way are
        made.

        Raises FileError if it cannot be written.
        """
        if not (isinstance(content, bytes) and _holds(path, content)):
            self._stage(path, content, like)

    def _stage(self, path: Path, content: Content, like: Path | None = None) -> Staged:
        self.make_folder(path.parent)
        try:
            staged = Staged(path, like)
            self._staged.append(staged)
            with staged.opened() as file:
                write_to(file, content)
        except OSError as error:
            raise unwritable(path, error) from None
        return staged

    def drop(self, path: Path) -> None:
        """Has a file of an earlier version, if it is there, be gone after `commit`."""
        if path.is_file():
            self._dropped.append(path)

    def commit(self, content: Content, before: Path | None = None) -> None:
        """Gives all files their names, the main file, whose content is given, first.

        The earlier ones of the others go before that: a file that tells of another version never lies beside it. The
        earlier main file is kept as ``before``, if it says something else: what was written twice takes no place of
        what somebody edited.

        Raises FileError if one cannot be written.
        """
        others = [*self._staged]
        self._last = last = self._stage(self._main, content)
        if before is not None and self._main.is_file() and not _holds(self._main, last.partial.read_bytes()):
            earlier = self._stage(before, read_file(self._main, MAX_FILE_BYTES), like=self._main)
            _take_place(earlier)
        for path in [*self._dropped, *(staged.final for staged in others if os.path.lexists(staged.final))]:
            self._aside.append((path, temporary(path.parent)))
            os.replace(*self._aside[-1])
        for staged in (last, *others):
            _take_place(staged)

    def end(self) -> None:
        """Removes what is left over; without a commit, takes back what was done."""
        is_committed = self._last is not None and not os.path.lexists(self._last.partial)
        for path, aside in self._aside:
            with suppress(OSError):
                if is_committed:
                    aside.unlink(missing_ok=True)
                elif os.path.lexists(aside):
                    os.replace(aside, path)
        for staged in self._staged:
            if is_committed and os.path.lexists(staged.partial):  # it was interrupted in between
                with suppress(OSError):
                    staged.take_place()
            staged.drop()
        if not is_committed:
            self._take_back()

    def _take_back(self) -> None:
        """Removes the new files and folders, but those that another process has begun to use."""
        with suppress(OSError):
            named = self._main.read_bytes() if self._main.is_file() else b""
            for path, digest in self._new_files.items():
                if digest.encode() not in named:
                    path.unlink(missing_ok=True)
        for folder in reversed(self._new_folders):
            with suppress(OSError):
                folder.rmdir()


def _take_place(staged: Staged) -> None:
    try:
        staged.take_place()
    except OSError as error:
        raise unwritable(staged.path, error) from None


def _holds(path: Path, content: bytes) -> bool:
    """Whether a file is there and has that content."""
    try:
        return path.is_file() and path.stat().st_size == len(content) and path.read_bytes() == content
    except OSError:
        return False
