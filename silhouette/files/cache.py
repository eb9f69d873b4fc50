"""Caches: on disk, arrays under a key, safe against damage and concurrent writers; in memory, objects made of files.

The folder is the user's cache folder, or the one that the environment variable ``SILHOUETTE_CACHE_DIR`` names.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import time
import zipfile
import zlib
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from platformdirs import user_cache_path

from silhouette.common.lazy import LRU
from silhouette.files.fingerprints import Fingerprints
from silhouette.files.writing import PARTIAL, replacing

Arrays = dict[str, NDArray[Any]]
Made = TypeVar("Made")
Result = TypeVar("Result")

# Part of every key: raise it whenever what is stored under a key changes its meaning.
FORMAT_VERSION = 5
DIRECTORY_VARIABLE = "SILHOUETTE_CACHE_DIR"
MAX_CACHE_BYTES = 2 * 1024**3
CACHED_TRIANGLES = 4_000_000  # triangles of models that stay in the memory of a process from scene to scene, at most

_STALE_SECONDS = 3600.0
_DAMAGE = (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile, zlib.error, NotImplementedError)


class MemoryCache:
    """Objects made of files, kept in memory while the files stay the same; the least recently used are dropped.

    ``fingerprint`` gives a text for a file, which changes when the file, or a file that it names, changes; ``most`` is
    the largest total of the sizes that `get` is given; the object used last is kept whatever its size.

    >>> memory = MemoryCache(lambda path: path.name, most=3)
    >>> make = lambda word: memory.get(Path(word), "upper", lambda: (word.upper(), print("made"))[0], len)
    >>> [make("ab"), make("ab"), make("cd"), memory.size]
    made
    made
    ['AB', 'AB', 'CD', 2]
    """

    def __init__(self, fingerprint: Callable[[Path], str], most: int) -> None:
        self._fingerprint = fingerprint
        self._made = LRU[Any](most)
        self._lock = Lock()

    @property
    def size(self) -> int:
        """The total of the sizes of all objects that are kept."""
        return self._made.size

    def get(self, file: Path, key: Hashable, make: Callable[[], Made], size: Callable[[Made], int]) -> Made:
        """The object that ``make`` makes of a file, made only where it is not kept, and not kept if the file changes
        meanwhile.

        The key names the kind of object, and everything else that it depends on; sizes are in the unit of ``most``.
        """
        before = self._fingerprint(file)
        entry = (os.path.abspath(file), before, key)
        made: Made | None = self._alone(lambda: self._made.get(entry))
        if made is None:
            made = make()
            if self._fingerprint(file) == before:
                self._alone(partial(self._made.put, entry, made, size(made)))
                self._alone(lambda: self._made.trim(keep=(entry,)))
        return made

    def _alone(self, action: Callable[[], Result]) -> Result | None:
        """What an action gives; None, undone, if another thread is at one, or was when this process was forked."""
        if not self._lock.acquire(blocking=False):
            return None
        try:
            return action()
        finally:
            self._lock.release()


@dataclass(frozen=True)
class Cache:
    """Named arrays kept in a folder, one file per key, and in memory objects made of files; either None keeps nothing.

    Entries are written whole (`silhouette.files.writing`): two processes may write at once, and nobody reads half an
    entry. A damaged entry is built again. A folder that cannot be written to is no error: then everything is built each
    time. When the folder exceeds ``MAX_CACHE_BYTES`` bytes, the least recently used entries are deleted.

    >>> Cache(None).fetch("ones", lambda: {"ones": np.ones(3)})["ones"].tolist()
    [1.0, 1.0, 1.0]
    """

    directory: Path | None
    memory: MemoryCache | None = field(default=None, compare=False)

    def __reduce__(self) -> tuple[type[Cache], tuple[Path | None]]:
        """Pickled without its memory, which is this process's own."""
        return Cache, (self.directory,)

    @classmethod
    def default(cls) -> Cache:
        """The user's cache: ``SILHOUETTE_CACHE_DIR`` where it is set, else the system's folder for caches."""
        named = os.environ.get(DIRECTORY_VARIABLE)
        if named:
            return cls(Path(named).expanduser())
        return cls(user_cache_path("silhouette", appauthor=False))

    def remembering(self) -> Cache:
        """The same cache, which also keeps in memory what it makes of files, for one process that reads many scenes."""
        if self.memory is not None:
            return self

        return replace(self, memory=MemoryCache(Fingerprints().of, CACHED_TRIANGLES))

    def in_memory(self, file: Path, key: Hashable, make: Callable[[], Made], size: Callable[[Made], int]) -> Made:
        """The object of `MemoryCache.get`; made each time where there is no memory."""
        return make() if self.memory is None else self.memory.get(file, key, make, size)

    def fetch(self, key: str, build: Callable[[], Arrays]) -> Arrays:
        """The arrays kept under ``key``, which names all that they depend on; else those of ``build``, kept from then
        on.
        """
        if self.directory is None:
            return build()
        name = hashlib.blake2b(f"{FORMAT_VERSION}\0{key}".encode(), digest_size=20).hexdigest()
        path = self.directory / f"{name}.npz"
        stored = _read(path)
        if stored is not None:
            return stored
        built = build()
        with contextlib.suppress(OSError):  # a full disk or a folder without permission costs time, never the verdict
            path.parent.mkdir(parents=True, exist_ok=True)
            with replacing(path, sync=False) as file:
                _write(file, built)
            _make_room(path.parent)
        return built


UNCACHED = Cache(None)  # what keeps nothing


def _read(path: Path) -> Arrays | None:
    """The arrays of an entry, or None where there is none or it is damaged; reading it marks it as used."""
    try:
        with zipfile.ZipFile(path) as archive:
            arrays = {name.removesuffix(".npy"): _member(archive, name) for name in archive.namelist()}
    except _DAMAGE:
        return None
    with contextlib.suppress(OSError):
        os.utime(path)
    return arrays


def _member(archive: zipfile.ZipFile, name: str) -> NDArray[Any]:
    with archive.open(name) as member:
        array: NDArray[Any] = np.lib.format.read_array(member, allow_pickle=False)
        # The checksum is compared when the end is read, and an array's reader stops short of it.
        if member.read(1):
            raise ValueError("more bytes than the array has")
    return array


def _write(file: Any, arrays: Arrays) -> None:
    # Its checksums show damage later. `numpy.savez` cannot hold an array named "file".
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.ascontiguousarray(array), allow_pickle=False)


def _make_room(directory: Path) -> None:
    """Deletes the least recently used entries until the folder is small enough, and old files of killed processes."""
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
        if total <= MAX_CACHE_BYTES:
            break
        with contextlib.suppress(OSError):
            path.unlink()
            total -= size
