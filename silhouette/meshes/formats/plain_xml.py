"""LOAD: the XML of a mesh: vertices and triangles that are plainly written are read by numpy, all else by expat.

bytes -> a list opens, as expat says -> the plain elements at its beginning -> numbers, three for each
                                     -> the rest, up to the next list -> expat, element by element

Expat calls Python for each element, which takes 5 µs; so read, an element takes 1.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Any

import numpy as np

_LIST = re.compile(rb"<((?:[\w.-]{1,64}:)?)(vertices|triangles)\s*>")
_DECIMAL = rb'"([-+]?+(?:[0-9]{1,40}+(?:\.[0-9]{0,40}+)?+|\.[0-9]{1,40}+)(?:[eE][-+]?+[0-9]{1,3}+)?+)"'
_CORNER_PATTERN = rb'"([0-9]{1,9}+)"'
# Colours, or what a slicer paints; no namespace, in which the element would be another, and no corner once more.
_MORE = rb'(?:\s++(?!xmlns|v[123]=)[\w:.-]{1,64}+="[^"<&]{0,1024}+"){0,8}+'
_ELEMENTS = {
    b"vertices": (b"vertex", (b"x=", b"y=", b"z="), _DECIMAL, b""),
    b"triangles": (b"triangle", (b"v1=", b"v2=", b"v3="), _CORNER_PATTERN, _MORE),
}
_WITHOUT_QUOTES = bytes.maketrans(b'"', b" ")
_MAX_ELEMENT_BYTES = 16_384  # bytes: an element that is longer is not plain

Opened = tuple[int, "array[Any]"]
"""The byte at which the last tag begins, of those that expat got, and the array that the list fills which it opens."""


@dataclass(frozen=True)
class _Plain:
    """How the plain elements of a list are written."""

    words: tuple[bytes, ...]  # what stands between their numbers, but for quotes, blanks and ``/>``
    bare: re.Pattern[bytes]  # matches many that have nothing but their numbers
    many: re.Pattern[bytes]  # matches many of them
    single: re.Pattern[bytes]  # matches a single one, its numbers in groups

    @classmethod
    @lru_cache(maxsize=8)
    def of(cls, prefix: bytes, listed: bytes) -> _Plain:
        """Those of a list called ``vertices`` or ``triangles``, after the prefix of their namespace."""
        name, keys, number, more = _ELEMENTS[listed]
        start = rb"\s*+<" + re.escape(prefix) + name + rb"\s++" + rb"\s++".join(key + number for key in keys)
        bare, single = start + rb"\s*+/>", start + more + rb"\s*+/>"
        bares, ones = (re.compile(rb"(?:" + pattern + rb")*+") for pattern in (bare, single))
        return cls((b"<" + prefix + name, *keys), bares, ones, re.compile(single))

    def numbers(self, data: bytes, at: int) -> tuple[list[bytes], int]:
        """The numbers of the elements that begin at a place of ``data``, blanks between them, and where these end."""
        texts, bare = list[bytes](), _end(self.bare, data, at)
        if bare > at:
            text = data[at:bare]
            for word in self.words:
                text = text.replace(word, b"")
            texts.append(text.translate(_WITHOUT_QUOTES, b"/>"))
        end = _end(self.many, data, bare)
        texts.append(b" ".join(chain.from_iterable(self.single.findall(data, bare, end))))
        return texts, end


def _end(pattern: re.Pattern[bytes], data: bytes, at: int) -> int:
    """Where a match at a place ends; the place, if there is none."""
    match = pattern.match(data, at)
    return at if match is None else match.end()


class MeshFeed:
    """Feeds XML to expat but for the plain elements of lists of vertices and of triangles.

    Args:
        parser: expat's.
        opened: the list of a mesh that the last tag opened, or None where it opened none.
        counted: is told how many elements did not go through expat.
    """

    def __init__(self, parser: Any, opened: Callable[[], Opened | None], counted: Callable[[int], None]) -> None:
        self._parser, self._opened, self._counted = parser, opened, counted
        self._left = b""
        self._list: tuple[bytes, bytes, array[Any]] | None = None  # whose elements are next
        self.fed = 0  # bytes that expat got

    def feed(self, chunk: bytes) -> None:
        """Some more bytes."""
        self._take(chunk, _MAX_ELEMENT_BYTES)

    def end(self) -> None:
        """No more bytes come."""
        self._take(b"", 0)
        self._parser.Parse(b"", True)

    def _take(self, chunk: bytes, cut_off: int) -> None:
        """Some more bytes, of which the last ``cut_off`` may be the beginning of something."""
        data, at = self._left + chunk, 0
        while True:
            if self._list is not None:
                at = self._filled(data, at, *self._list)
                if len(data) - at < cut_off:
                    break
                self._list = None
            tag = _LIST.search(data, at)
            if tag is None:
                end = max(at, len(data) - cut_off)
                self._parse(data[at:end])
                at = end
                break
            begins = self.fed + tag.start() - at
            self._parse(data[at : tag.end()])
            at, opened = tag.end(), self._opened()
            if opened is not None and opened[0] == begins:  # by what expat says: no comment, nor another namespace
                self._list = tag[1], tag[2], opened[1]
        self._left = data[at:]

    def _filled(self, data: bytes, at: int, prefix: bytes, listed: bytes, numbers: array[Any]) -> int:
        """Adds the plain elements at a place of ``data``; where they end."""
        texts, end = _Plain.of(prefix, listed).numbers(data, at)
        dtype = np.dtype(np.float64 if numbers.typecode == "d" else np.int64)
        for text in filter(None, texts):
            values = np.fromstring(text, dtype, sep=" ")
            self._counted(len(values) // 3)
            numbers.frombytes(values.tobytes())
        self._parse(b"\n" * data.count(b"\n", at, end))  # so that expat knows the line
        return end

    def _parse(self, data: bytes) -> None:
        self._parser.Parse(data, False)
        self.fed += len(data)
