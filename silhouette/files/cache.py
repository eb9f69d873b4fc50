"""What took long to work out once is kept: on disk, arrays under a key, safe against damage and against each other; and
in the memory of a process that reads many scenes, whatever was made of a file.

The folder is the user's cache folder, or the one that the environment variable ``SILHOUETTE_CACHE_DIR`` names.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import time
import zipfile
import zlib
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from silhouette.files.writing import PARTIAL, replacing

Arrays = dict[str, NDArray[Any]]
Made = TypeVar("Made")

# Part of every key: raise it whenever what is stored under a key changes its meaning.
FORMAT_VERSION = 2
DIRECTORY_VARIABLE = "SILHOUETTE_CACHE_DIR"
LARGEST_TOTAL = 2 * 1024**3
_STALE_SECONDS = 3600.0
_DAMAGE = (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile, zlib.error, NotImplementedError)


class MemoryCache:
    """Whatever was made of files, in memory as long as the files are the same; the latest used, up to some size.

    Args:
        fingerprint: of a file and of all that it names: the same as long as nothing would be made otherwise of it.
        most: so much is kept, by the sizes that `get` is told; the one used last whatever its size.

    Attributes:
        size: of all that is kept.

    >>> memory = MemoryCache(lambda path: path.name, most=3)
    >>> make = lambda word: memory.get(Path(word), "upper", lambda: (word.upper(), print("made"))[0], len)
    >>> [make("ab"), make("ab"), make("cd"), memory.size]
    made
    made
    ['AB', 'AB', 'CD', 2]
    """

    def __init__(self, fingerprint: Callable[[Path], str], most: int) -> None:
        self._fingerprint = fingerprint
        self._most = most
        self._kept: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self.size = 0

    def get(self, file: Path, key: Hashable, make: Callable[[], Made], size: Callable[[Made], int]) -> Made:
        """What ``make`` makes of a file; ``key`` says what, and what else it depends on. What it raises passes through.

        A file that changes while it is read is made anew the next time.
        """
        before = self._fingerprint(file)
        place = (os.path.abspath(file), before, key)
        if place in self._kept:
            self._kept.move_to_end(place)
            found: Made = self._kept[place][0]
            return found
        made = make()
        if self._fingerprint(file) == before:
            self._kept[place] = made, size(made)
            self.size += self._kept[place][1]
            while self.size > self._most and len(self._kept) > 1:
                self.size -= self._kept.popitem(last=False)[1][1]
        return made


@dataclass(frozen=True)
class Cache:
    """Named arrays kept in a folder, one file per key.

    An entry is written beside its place and then moved there in one step, so that two processes may write at once
    and nobody reads half an entry. A damaged entry is built anew. A folder that cannot be written to is no error:
    then everything is built each time. When the folder passes ``LARGEST_TOTAL`` bytes, what was used longest ago goes.

    Attributes:
        directory: where the entries lie; None keeps nothing.
        memory: keeps what was made of files, for a process that reads many scenes; None keeps nothing.

    >>> Cache(None).fetch("ones", lambda: {"ones": np.ones(3)})["ones"].tolist()
    [1.0, 1.0, 1.0]
    """

    directory: Path | None
    memory: MemoryCache | None = field(default=None, compare=False)

    @classmethod
    def default(cls) -> Cache:
        """The user's cache: ``SILHOUETTE_CACHE_DIR`` where it is set, else the system's folder for caches."""
        named = os.environ.get(DIRECTORY_VARIABLE)
        if named:
            return cls(Path(named).expanduser())
        from platformdirs import user_cache_path

        return cls(user_cache_path("silhouette", appauthor=False))

    def in_memory(self, file: Path, key: Hashable, make: Callable[[], Made], size: Callable[[Made], int]) -> Made:
        """As `MemoryCache.get`; made each time where there is no memory."""
        return make() if self.memory is None else self.memory.get(file, key, make, size)

    def fetch(self, key: str, build: Callable[[], Arrays]) -> Arrays:
        """The arrays kept under ``key``, or else those that ``build`` makes, which are kept for the next time.

        ``key`` must name the content: whatever the arrays depend on. What ``build`` raises passes through, and
        nothing is kept then.
        """
        if self.directory is None:
            return build()
        place = self.directory / f"{_name(key)}.npz"
        kept = _read(place)
        if kept is not None:
            return kept
        built = build()
        self._keep(place, built)
        return built

    def _keep(self, place: Path, arrays: Arrays) -> None:
        with contextlib.suppress(OSError):  # a full disk or a folder of somebody else's costs time, never the verdict
            place.parent.mkdir(parents=True, exist_ok=True)
            with replacing(place, sync=False) as file:
                _write(file, arrays)
            _make_room(place.parent)


def _name(key: str) -> str:
    return hashlib.blake2b(f"{FORMAT_VERSION}\0{key}".encode(), digest_size=20).hexdigest()


def _read(place: Path) -> Arrays | None:
    """The arrays of an entry, or None where there is none or it is damaged; reading it marks it as used."""
    try:
        with zipfile.ZipFile(place) as archive:
            arrays = {name.removesuffix(".npy"): _member(archive, name) for name in archive.namelist()}
    except _DAMAGE:
        return None
    with contextlib.suppress(OSError):
        os.utime(place)
    return arrays


def _member(archive: zipfile.ZipFile, name: str) -> NDArray[Any]:
    with archive.open(name) as member:
        array: NDArray[Any] = np.lib.format.read_array(member, allow_pickle=False)
        # The checksum is compared when the end is read, and an array's reader stops short of it.
        if member.read(1):
            raise ValueError("more bytes than the array has")
    return array


def _write(file: Any, arrays: Arrays) -> None:
    """An uncompressed .npz; its checksums are what betrays damage later. `numpy.savez` cannot hold an array "file"."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.ascontiguousarray(array), allow_pickle=False)


def _make_room(directory: Path) -> None:
    """Drop what was used longest ago until the folder is small enough, and what a killed process left half written."""
    entries: list[tuple[float, int, Path]] = []
    for path in directory.iterdir():
        with contextlib.suppress(OSError):
            status = path.stat()
            if path.suffix == ".npz":
                entries.append((status.st_mtime, status.st_size, path))
            elif path.suffix == PARTIAL and time.time() - status.st_mtime > _STALE_SECONDS:
                path.unlink()
    total = sum(size for _, size, _ in entries)
    for _, size, path in sorted(entries)[:-1]:
        if total <= LARGEST_TOTAL:
            break
        with contextlib.suppress(OSError):
            path.unlink()
            total -= size
