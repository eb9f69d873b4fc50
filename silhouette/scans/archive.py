"""SCAN: the mesh in a zip archive with its materials and pictures, as phones' apps export it; all stays in memory.

The archive is a table from names to bytes. What it says of itself is not believed.
"""

from __future__ import annotations

import io
import posixpath
import stat
import struct
import zipfile
import zlib

from silhouette.files.reading import LARGEST_FILE
from silhouette.meshes.formats.base import Refused, referred
from silhouette.meshes.formats.sniffing import FORMATS, check_signature
from silhouette.meshes.opening import Source

USD = ("usdz", "usd", "usdc", "usda")
"""The endings of what Apple's apps write."""

NO_USD = (
    "is USD, which is not read; export it as GLB: in the app, or in Blender by File, Import, USD, then Export, glTF"
)

MOST_ENTRIES = 10_000
"""Entries of an archive: an app writes ten."""

LARGEST_TOTAL = LARGEST_FILE
"""Bytes of all that is unpacked together: a mesh and its pictures."""

# Text packs to a tenth and seldom to a fiftieth; deflate cannot do better than a thousandth, which is a bomb.
_DENSEST = 200
_SMALL = 16 * 1024**2
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
# What a computer adds to an archive by itself.
_LITTER = ("__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini")
_BROKEN = (
    zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, ValueError, NotImplementedError, RuntimeError
)  # fmt: skip


def mesh_in(data: bytes) -> Source:
    """The one mesh of a zip archive, with what fetches its materials and pictures; of several the one OBJ.

    Raises:
        Refused: where the archive holds no mesh or several, is encrypted or damaged, or is made to harm: names that
            lead out of it, links, far more than it seems to hold.
    """
    if data.count(b"PK\x01\x02") > 2 * MOST_ENTRIES:  # before zipfile makes an object of each
        raise Refused(f"is an archive of more than {MOST_ENTRIES} files; export the scan again")
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except _BROKEN:
        raise Refused("is truncated or no zip archive; export the scan again") from None
    entries = _Entries(archive)
    name = entries.mesh()
    content = entries.read(name)
    ending = _ending(name)
    check_signature(content, ending)
    folder = posixpath.dirname(name)
    return Source(ending, content, lambda reference: entries.fetch(folder, reference))


class _Entries:
    """The files of an archive by their names, and how much of them may still be unpacked."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._left = LARGEST_TOTAL
        infos = archive.infolist()
        if len(infos) > MOST_ENTRIES:
            raise Refused(f"is an archive of {len(infos)} files, more than {MOST_ENTRIES}; export the scan again")
        self._infos: dict[str, zipfile.ZipInfo] = {}
        for info in infos:
            if info.is_dir() or any(part in _LITTER or part.startswith("._") for part in info.filename.split("/")):
                continue
            name = _checked(info)
            if name.lower() in self._infos:
                raise Refused(f"is an archive that holds {name[:80]!r} twice; export the scan again")
            self._infos[name.lower()] = info

    def mesh(self) -> str:
        """The name of the one mesh."""
        every = sorted(name for name in self._infos if _ending(name) in FORMATS)
        meshes = [name for name in every if _ending(name) == "obj"]
        meshes = meshes if len(meshes) == 1 else every  # an OBJ beside the same scan in other formats
        if len(meshes) > 1:
            listed = ", ".join(posixpath.basename(self._infos[name].filename)[:60] for name in meshes[:3])
            raise Refused(f"is an archive of {len(meshes)} meshes ({listed}); unpack it and name the one that is meant")
        if not meshes:
            if any(_ending(name) in USD for name in self._infos):
                raise Refused(NO_USD)
            raise Refused("is an archive without a mesh in it; an OBJ with its materials, a GLB or a PLY can be read")
        return meshes[0]

    def fetch(self, folder: str, reference: str) -> bytes:
        """The bytes of a file that the mesh in a folder refers to: anywhere in the archive, by its path from there."""
        name = posixpath.normpath(posixpath.join(folder, referred(reference))).lower()
        if name not in self._infos:
            raise Refused(f"refers to {reference[:80]!r}, which its archive lacks")
        return self.read(name)

    def read(self, name: str) -> bytes:
        """The bytes of a file: no more than it announces, and than is left of what an archive may hold."""
        info = self._infos[name]
        dense = info.file_size > _SMALL and info.file_size > _DENSEST * info.compress_size
        if info.file_size > self._left or dense:
            size = info.file_size >> 20
            raise Refused(f"is a zip bomb or too large: {info.filename[:80]!r} would unpack to {size} MiB")
        self._left -= info.file_size
        try:
            with self._archive.open(info) as stream:
                content = stream.read(info.file_size + 1)
        except _BROKEN:
            raise Refused(
                f"is truncated or damaged: {info.filename[:80]!r} cannot be unpacked; export it again"
            ) from None
        if len(content) != info.file_size:
            raise Refused(f"is damaged: {info.filename[:80]!r} is not as long as its archive says; export it again")
        return content


def _ending(name: str) -> str:
    return posixpath.splitext(name)[1].lower().removeprefix(".")


def _checked(info: zipfile.ZipInfo) -> str:
    """The name of an entry, if it is a plain file that lies within the archive."""
    name = info.filename.replace("\\", "/")
    if name.startswith("/") or ".." in name.split("/") or name[1:2] == ":" or "\0" in name:
        raise Refused(f"is an archive with a name that leads out of it, {name[:80]!r}; it is not read")
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind not in (0, stat.S_IFREG):
        raise Refused(f"is an archive with something that is no plain file, {name[:80]!r}; it is not read")
    if info.flag_bits & 0x1:
        raise Refused("is encrypted; export it without a password")
    # What zipfile unpacks of the others cannot be bounded: a few kilobytes may become gigabytes at one stroke.
    if info.compress_type not in _METHODS:
        raise Refused(f"is compressed in an unusual way ({name[:80]!r}); pack it as a plain zip archive")
    return posixpath.normpath(name)
