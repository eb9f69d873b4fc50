"""TELL: a picture of a model as it is tagged, kept beside its model file.

PNG of the page -> marked as ours -> written with the model file; a picture of anybody else's stays as it is
"""

from __future__ import annotations

import zlib
from base64 import b64decode
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from silhouette.errors import FileError, RequestError
from silhouette.files.writing import write_file
from silhouette.live.names import Document

SIGNATURE = b"\x89PNG\r\n\x1a\n"
"""The first bytes of every PNG."""

MAX_PICTURE_BYTES = 2**20
"""The bytes of the largest picture."""

_HEAD = len(SIGNATURE) + 25
"""Where the first chunk of a PNG, its size and colours, ends."""
_MARK = b"Software\0Silhouette: a model as it is tagged"


@dataclass(frozen=True)
class Picture:
    """A picture that waits to be written.

    Attributes:
        png: the file, marked as ours.
        keys: what was tagged when it was made; of anything else it is no evidence.
    """

    png: bytes
    keys: Document


class Pictures:
    """The pictures of a table that wait for it to be saved."""

    def __init__(self) -> None:
        self._waiting = dict[str, Picture]()

    def take(self, folder: Path, file: str, keys: Document | None, data: object) -> Path | None:
        """Takes a picture, and gives the place where it will lie; None where nothing was tagged.

        Args:
            folder: of the scene.
            file: the model file, as the scene names it.
            keys: what is tagged.
            data: a PNG in base 64.

        Raises:
            RequestError: where it is no PNG, or too large.
            FileError: where a picture lies there that is not ours.
        """
        png = picture_of(data)
        if keys is None:
            return None
        place = place_of(folder / file)
        self._waiting[file] = Picture(png, keys)
        return place

    def write(self, folder: Path, models: Mapping[str, Document]) -> None:
        """Writes the pictures of models that are tagged as they were then; the others show what holds no longer."""
        for file, picture in self._waiting.items():
            if models.get(file) == picture.keys:
                with suppress(FileError):  # somebody else's by now; no reason not to save the scene
                    write_file(place_of(folder / file), picture.png)
        self._waiting.clear()


def picture_of(data: object) -> bytes:
    """The PNG that a request holds, marked as ours.

    Args:
        data: base 64.

    Raises:
        RequestError: where it is no PNG, or too large.
    """
    try:
        png = b64decode(data if isinstance(data, str) else "", validate=True)
    except ValueError:
        png = b""
    if len(png) > MAX_PICTURE_BYTES:
        raise RequestError(f"a picture of {len(png)} bytes; {MAX_PICTURE_BYTES} are the most")
    if png[:16] != SIGNATURE + b"\0\0\0\rIHDR" or len(png) < _HEAD:
        raise RequestError("data must be a PNG in base 64")
    return png[:_HEAD] + _chunk(b"tEXt", _MARK) + png[_HEAD:]


def _chunk(kind: bytes, content: bytes) -> bytes:
    """A part of a PNG: its length, its kind, what it holds, and the sum that proves it."""
    return len(content).to_bytes(4, "big") + kind + content + zlib.crc32(kind + content).to_bytes(4, "big")


def is_ours(file: Path) -> bool:
    """Whether a picture was written by `silhouette table`: it says so in its second chunk."""
    mark = _chunk(b"tEXt", _MARK)
    with file.open("rb") as stream:
        return stream.read(_HEAD + len(mark))[_HEAD:] == mark


def place_of(model: Path) -> Path:
    """Where the picture of a model file is written.

    Raises:
        FileError: where another picture lies there, which is not ours.

    >>> place_of(Path("models/kal.toml")).name
    'kal.png'
    """
    place = model.with_suffix(".png")
    if place.is_symlink() or (place.exists() and not (place.is_file() and is_ours(place))):
        raise FileError(place, "is there already, and not of a live table; rename it to keep a picture of the model")
    return place
