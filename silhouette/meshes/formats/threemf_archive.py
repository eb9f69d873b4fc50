"""3MF: the zip archive and the streams of XML in it; what is damaged, encrypted or without bound is refused."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from typing import Any
from xml.parsers import expat

from silhouette.meshes.formats.base import Refused

# All XML of an archive together: three million triangles have half of it.
_LARGEST_XML = 256 * 1024**2
_MOST_ELEMENTS = 6_000_000
_SMALL_XML = 16 * 1024**2
_NO_ELEMENTS = (b"</", b"<!", b"<?", b"<\0/", b"<\0!", b"<\0?")  # how else XML begins with <, in UTF-16 as well
# XML of meshes packs to a tenth; content that packs to a hundredth is a bomb.
_DENSEST = 100
_CHUNK = 1 << 18
# A tag with its attributes; expat looks at an unfinished one again with each chunk.
_LONGEST_TAG = 1 << 20
_MOST_FILES = 10_000


def open_archive(data: bytes) -> zipfile.ZipFile:
    """The zip archive that a 3MF file is.

    Raises:
        Refused: if it is none, or one of too many files.
    """
    if data.count(b"PK\x01\x02") > _MOST_FILES:
        raise Refused(f"is an archive of more than {_MOST_FILES} files; export it again")
    try:
        return zipfile.ZipFile(io.BytesIO(data))
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, struct.error, UnicodeDecodeError):
        raise Refused("is truncated or no 3MF file: 3MF is a zip archive, and this one cannot be opened") from None


class Archive:
    """The zip archive, and how much of it may still be unpacked.

    Attributes:
        names: of its entries, in lower case.
    """

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._entries = {info.filename.lstrip("/").lower(): info for info in reversed(archive.infolist())}
        self.names = tuple(self._entries)
        self._left = _LARGEST_XML
        self._elements = _MOST_ELEMENTS

    def __contains__(self, path: str) -> bool:
        return path.lower() in self._entries

    def parse(
        self, path: str, start: Any, end: Any, prefix: Any = None, text: Any = None, separator: str | None = " "
    ) -> None:
        """Stream an entry through expat; tags and attributes of a namespace come as ``namespace name``.

        ``text`` gets the characters after the elements for which ``start`` gives something true. Without a separator
        they come as they are written, ``prefix:name``, whether or not the prefix is declared.

        Raises:
            Refused: where the entry is missing, encrypted, damaged, no XML, has a DOCTYPE, or is too large in any way.
        """
        info = self._entries.get(path.lower())
        if info is None:
            raise Refused(f"is incomplete: it refers to {path[:80]!r}, which its archive lacks")
        dense = info.file_size > _SMALL_XML and info.file_size > _DENSEST * info.compress_size
        if info.file_size > self._left or dense:
            raise Refused(f"is a zip bomb or too large: {path[:80]!r} would unpack to {info.file_size >> 20} MiB")
        if info.flag_bits & 1:
            raise Refused("is encrypted; export it without protection")
        # What zipfile unpacks of the others cannot be bounded: a few kilobytes may become gigabytes at one stroke.
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise Refused(f"is malformed: {path[:80]!r} is compressed in a way that 3MF does not know; export it again")
        self._left -= info.file_size
        parser = self._parser(start, end, prefix, text, separator)
        fed = 0
        try:
            if info.file_size > _SMALL_XML:
                self._refuse_many(info)
            with self._archive.open(info) as stream:
                while chunk := stream.read(_CHUNK):
                    parser.Parse(chunk, False)
                    fed += len(chunk)
                    if fed - parser.CurrentByteIndex > _LONGEST_TAG:
                        raise Refused(f"is malformed: {path[:80]!r} has a tag of more than {_LONGEST_TAG >> 20} MiB")
                parser.Parse(b"", True)
        except expat.ExpatError as error:
            place = f"it goes wrong at line {error.lineno}, column {error.offset + 1}"
            raise Refused(f"is malformed or encrypted: {path[:80]!r} is no XML; {place}") from None
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError, struct.error):
            raise Refused(f"is truncated or damaged: {path[:80]!r} cannot be unpacked; export it again") from None

    def _refuse_many(self, info: zipfile.ZipInfo) -> None:
        """Refuses an entry that has too many elements before they are parsed, which takes ten times as long."""
        there = 0
        with self._archive.open(info) as stream:
            while chunk := stream.read(_CHUNK):
                there += chunk.count(b"<") - sum(map(chunk.count, _NO_ELEMENTS)) - 1  # one may lie at its end
        if there > self._elements:
            raise _too_many()

    def _parser(self, start: Any, end: Any, prefix: Any, text: Any, separator: str | None) -> Any:
        def refuse(*_: Any) -> None:
            raise Refused("is malformed: XML with a DOCTYPE is not allowed in 3MF")

        def count(tag: str, attributes: dict[str, str]) -> None:
            self._elements -= 1
            if self._elements < 0:
                raise _too_many()
            parser.CharacterDataHandler = text if start(tag, attributes) else None

        parser = expat.ParserCreate(namespace_separator=separator)
        parser.buffer_text = True
        parser.StartElementHandler = count
        parser.EndElementHandler = end
        parser.StartNamespaceDeclHandler = prefix
        parser.StartDoctypeDeclHandler = refuse
        return parser


def _too_many() -> Refused:
    return Refused(f"has more than {_MOST_ELEMENTS} XML elements; reduce its triangles")
