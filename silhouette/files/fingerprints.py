"""Fingerprints: a short hash of a scene's file and of every file that it names, directly or through another.

Only what a reader would read is opened: scenes, models and meshes by their endings, and in the folder of the file that
names them the buffers of glTF files and the materials of OBJ files.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from silhouette.common.errors import SilhouetteError
from silhouette.files.confinement import is_inside
from silhouette.files.documents import parsed_json, read_document
from silhouette.files.reading import DOCUMENTS, MAX_FILE_BYTES, open_file

_REFERRING_ENDINGS = (".gltf", ".glb", ".obj")
_LIBRARY_LINE = re.compile(rb"^[ \t]*mtllib[ \t]+([^\r\n#]*)", re.MULTILINE)
# Bytes of an OBJ file before its first vertex, where the libraries of its materials are named.
_OBJ_HEAD_BYTES = 1 << 16

# How mesh files end.
MESH_ENDINGS = (".stl", ".obj", ".ply", ".glb", ".gltf", ".3mf", ".off", ".usdz", ".usd", ".usda", ".usdc")

_Stamp = tuple[int, int, int]


class Fingerprints:
    """Reads each file once, and again only when its size, its time of change or its inode changes."""

    def __init__(self) -> None:
        self._contents: dict[Path, tuple[_Stamp, bytes]] = {}
        self._names: dict[Path, tuple[_Stamp, tuple[Path, ...]]] = {}

    def of(self, scene: Path) -> str:
        """The fingerprint of a scene, which must be there (SilhouetteError); that another file is not is part of it."""
        self.named(scene)
        hashed = hashlib.blake2b(digest_size=16)
        for path in self._every(scene):
            try:
                hashed.update(self._content(path))
            except (OSError, ValueError, SilhouetteError):
                hashed.update(b"not to be read")
        return hashed.hexdigest()

    def pieces_of(self, scene: Path) -> frozenset[tuple[str, _Stamp]]:
        """The files that a scene names, directly or through another, each with its state; unreadable ones left out."""
        own, pieces = os.path.abspath(scene), set()
        for path in self._every(scene):
            with suppress(OSError, ValueError):
                pieces.add((os.path.abspath(path), _stamp(path)))
        return frozenset(piece for piece in pieces if piece[0] != own)

    def _every(self, scene: Path) -> Iterator[Path]:
        """The file itself, and every file that it names, directly or through another; each once."""
        todo, seen = [scene], set()
        while todo:
            path = todo.pop()
            if path not in seen:
                seen.add(path)
                yield path
                with suppress(OSError, ValueError, SilhouetteError):
                    todo += reversed(self.named(path))

    def named(self, path: Path) -> tuple[Path, ...]:
        """The files that a scene, model, glTF or OBJ file names itself, sorted; nothing for other files.

        Raises SilhouetteError if a scene or model file cannot be read.
        """
        ending = path.suffix.lower()
        if ending not in (*DOCUMENTS, *_REFERRING_ENDINGS):
            return ()
        stamp = _stamp(path) if path.is_file() else None
        entry = self._names.get(path)
        if entry is not None and entry[0] == stamp:
            return entry[1]
        if ending in DOCUMENTS:
            names = {text for text in references(path) if Path(text).suffix.lower() in (*DOCUMENTS, *MESH_ENDINGS)}
        else:
            names = {uri for uri in references(path) if is_inside(path.parent, uri)}  # no other is read
        named = tuple(path.parent / name for name in sorted(names))
        if stamp is not None:
            self._names[path] = stamp, named
        return named

    def _content(self, path: Path) -> bytes:
        stamp = _stamp(path)
        entry = self._contents.get(path)
        if entry is None or entry[0] != stamp:
            if stamp[0] > MAX_FILE_BYTES:
                raise ValueError("too large for any reader")
            with open_file(path) as file:
                entry = self._contents[path] = stamp, hashlib.file_digest(file, "blake2b").digest()
        return entry[1]


def references(path: Path) -> tuple[str, ...]:
    """What a scene, model, glTF or OBJ file has as the paths of other files; nothing for other files.

    Raises SilhouetteError if a scene or model file cannot be read.
    """
    ending = path.suffix.lower()
    if ending in DOCUMENTS:
        return tuple(_values(read_document(path), ("mesh", "model", "rules")))
    if ending == ".obj":
        return tuple(_libraries(path))
    return tuple(map(unquote, _buffers(path))) if ending in _REFERRING_ENDINGS else ()


def _libraries(path: Path) -> Iterator[str]:
    """The files of materials that an OBJ file names in its head, those that are there: many an OBJ comes without."""
    with suppress(OSError, ValueError, SilhouetteError), open_file(path) as file:
        for line in _LIBRARY_LINE.findall(file.read(_OBJ_HEAD_BYTES)):
            whole = line.decode(errors="replace").strip().replace("\\", "/")
            for name in {whole, *whole.split()}:
                is_relative = not name.startswith("/") and ":" not in name and ".." not in name.split("/")
                if name and is_relative and (path.parent / name).is_file() and is_inside(path.parent, name):
                    yield name


def _stamp(path: Path) -> _Stamp:
    status = path.stat()
    return status.st_size, status.st_mtime_ns, status.st_ino


def _values(document: Any, keys: Sequence[str]) -> Iterator[str]:
    """The texts that stand under these keys, at any depth.

    >>> sorted(_values({"fighter": [{"mesh": "a.stl", "at": [0, 0]}, {"model": "b.toml"}]}, ("mesh", "model")))
    ['a.stl', 'b.toml']
    """
    if isinstance(document, list):
        for item in document:
            yield from _values(item, keys)
    elif isinstance(document, dict):
        for key, value in document.items():
            if isinstance(value, str):
                if key in keys:
                    yield value
            else:
                yield from _values(value, keys)


def _buffers(path: Path) -> Iterator[str]:
    """What a glTF or GLB file says of where its buffers lie; nothing where that cannot be read."""
    try:
        with open_file(path) as file:
            size = os.fstat(file.fileno()).st_size
            start = file.read(20)
            is_container = start[:4] == b"glTF"
            size = min(size, int.from_bytes(start[12:16], "little") if is_container else MAX_FILE_BYTES)
            document = parsed_json(file.read(size) if is_container else start + file.read(size))
    except (OSError, ValueError, SilhouetteError):
        return
    buffers = document.get("buffers") if isinstance(document, dict) else None
    for buffer in buffers if isinstance(buffers, list) else ():
        uri = buffer.get("uri") if isinstance(buffer, dict) else None
        if isinstance(uri, str) and not uri.startswith("data:"):
            yield uri
