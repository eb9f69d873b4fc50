"""Zip archives from strangers: their plain files by name, in memory. What an archive says of itself is not believed."""

from __future__ import annotations

import io
import posixpath
import stat
import struct
import unicodedata
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

from silhouette.files.reading import MAX_FILE_BYTES

MAX_ARCHIVE_ENTRIES = 10_000  # entries of an archive: an app writes ten, a scene rests on fewer than a hundred
MAX_UNPACKED_BYTES = MAX_FILE_BYTES  # bytes of all that is unpacked together: meshes and pictures
SMALL_FILE_BYTES = 16 * 1024**2  # bytes of a file that may be as dense as it likes

# What a computer adds to an archive by itself.
_LITTER = ("__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini")
_BROKEN = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, RuntimeError)


class ArchiveError(Exception):
    """The error for an archive that is not read; the text says what is wrong, and what would be right."""


class SafeZip:
    """A zip archive of which no more is unpacked than it may hold.

    Args:
        most: headers of files that it may have, before zipfile makes an object of each; and what the error calls it.
        broken: the error about one that cannot be opened.
        again: what to do about one that is damaged, such as "export the scan again".
        total: bytes of all that is unpacked together.
        densest: how much larger than packed a file may be that is larger than 16 MiB.

    Raises ArchiveError if it cannot be opened, or has too many files.
    """

    def __init__(
        self, data: bytes, most: tuple[int, int], broken: str, again: str, *, total: int, densest: int
    ) -> None:
        self._again, self._left, self._densest = again, total, densest
        if data.count(b"PK\x01\x02") > most[0]:
            raise ArchiveError(f"is an archive of more than {most[1]} files; {again}")
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(data))
        except (*_BROKEN, ValueError):
            raise ArchiveError(broken) from None
        self.infos = self._archive.infolist()

    @staticmethod
    def check(info: zipfile.ZipInfo, encrypted: str, unusual: str) -> None:
        """Refuses, in these words, a file that is encrypted, or packed in a way that cannot be bounded."""
        if info.flag_bits & 0x1:
            raise ArchiveError(f"is encrypted; export it without {encrypted}")
        # What zipfile unpacks of the others may be gigabytes at one stroke, of a few kilobytes.
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise ArchiveError(unusual)

    def check_size(self, info: zipfile.ZipInfo) -> None:
        """Refuses a file that is suspiciously dense, or larger than what is left of what an archive may hold."""
        dense = info.file_size > SMALL_FILE_BYTES and info.file_size > self._densest * info.compress_size
        if info.file_size > self._left or dense:
            size = info.file_size >> 20
            raise ArchiveError(f"is a zip bomb or too large: {info.filename[:80]!r} would unpack to {size} MiB")

    @contextmanager
    def opened(self, info: zipfile.ZipInfo) -> Iterator[IO[bytes]]:
        """The content of a file; ArchiveError if it is damaged."""
        self._left -= info.file_size
        try:
            with self._archive.open(info) as stream:
                yield stream
        except _BROKEN:
            again = "export it again" if self._again.startswith("export") else self._again
            raise ArchiveError(f"is truncated or damaged: {info.filename[:80]!r} cannot be unpacked; {again}") from None


class Archive:
    """The files of an archive by their names, and how much of them may still be unpacked; ``again`` is as of `SafeZip`.

    Raises ArchiveError where it is no zip archive, is encrypted, compressed in an unusual way, has too many files, two
    files of one name, or is made to harm: names that lead out of it, links.
    """

    def __init__(self, data: bytes, again: str) -> None:
        self._again = again
        # Text packs to a tenth and seldom to a fiftieth; deflate cannot do better than a thousandth, which is a bomb.
        broken = f"is truncated or no zip archive; {again}"
        most = 2 * MAX_ARCHIVE_ENTRIES, MAX_ARCHIVE_ENTRIES
        self._zip = SafeZip(data, most, broken, again, total=MAX_UNPACKED_BYTES, densest=200)
        infos = self._zip.infos
        if len(infos) > MAX_ARCHIVE_ENTRIES:
            raise ArchiveError(f"is an archive of {len(infos)} files, more than {MAX_ARCHIVE_ENTRIES}; {again}")
        self._infos: dict[str, zipfile.ZipInfo] = {}
        for info in infos:
            if info.is_dir() or any(part in _LITTER or part.startswith("._") for part in info.filename.split("/")):
                continue
            name = _checked(info)
            if collision_key(name) in self._infos:
                raise ArchiveError(f"is an archive that holds {name[:80]!r} twice; {again}")
            self._infos[collision_key(name)] = info

    def names(self) -> dict[str, str]:
        """The names of all files as the archive has them, by their `collision_key`, in the archive's order."""
        return {key: info.filename for key, info in self._infos.items()}

    def read(self, name: str) -> bytes:
        """The bytes of a file: no more than it announces, and than is left of what an archive may hold.

        Raises KeyError if there is no such file; ArchiveError if it is too large, suspiciously dense, or damaged.
        """
        info = self._infos[collision_key(name)]
        self._zip.check_size(info)
        with self._zip.opened(info) as stream:
            content = stream.read(info.file_size + 1)
        if len(content) != info.file_size:
            again = "export it again" if self._again.startswith("export") else self._again
            raise ArchiveError(f"is damaged: {info.filename[:80]!r} is not as long as its archive says; {again}")
        return content


def collision_key(name: str) -> str:
    """What two names have in common that some file systems take for one: large and small letters, composed accents.

    >>> collision_key("Scans\\\\Scan.OBJ"), collision_key("e\\u0301.stl") == collision_key("\\u00e9.stl")
    ('scans/scan.obj', True)
    """
    return unicodedata.normalize("NFC", posixpath.normpath(name.replace("\\", "/"))).lower()


def _checked(info: zipfile.ZipInfo) -> str:
    name = info.filename.replace("\\", "/")
    if name.startswith("/") or ".." in name.split("/") or name[1:2] == ":" or "\0" in name:
        raise ArchiveError(f"is an archive with a name that leads out of it, {name[:80]!r}; it is not read")
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind not in (0, stat.S_IFREG):
        raise ArchiveError(f"is an archive with something that is no plain file, {name[:80]!r}; it is not read")
    SafeZip.check(
        info, "a password", f"is compressed in an unusual way ({name[:80]!r}); pack it as a plain zip archive"
    )
    return posixpath.normpath(name)
