"""LOAD: the XML of a mesh: vertices and triangles that are plainly written are read by numpy, all else by expat.

bytes -> a list opens, as expat says -> the plain elements at its beginning -> numbers, three for each
                                     -> the rest, up to the next list -> expat, element by element

Expat calls Python for each element, which takes 5 µs; so read, an element takes 1.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable
from functools import lru_cache
from itertools import chain
from typing import Any

import numpy as np

_LIST = re.compile(rb"<((?:[\w.-]{1,64}:)?)(vertices|triangles)\s*>")
_NUMBER = rb'"([-+]?+(?:[0-9]{1,40}+(?:\.[0-9]{0,40}+)?+|\.[0-9]{1,40}+)(?:[eE][-+]?+[0-9]{1,3}+)?+)"'
_INDEX = rb'"([0-9]{1,9}+)"'
# Colours, or what a slicer paints; no namespace, in which the element would be another, and no corner once more.
_MORE = rb'(?:\s++(?!xmlns|v[123]=)[\w:.-]{1,64}+="[^"<&]{0,1024}+"){0,8}+'
_ATTRIBUTES = {
    b"vertices": (rb"vertex", rb"\s++".join(name + rb"=" + _NUMBER for name in (b"x", b"y", b"z")), rb""),
    b"triangles": (rb"triangle", rb"\s++".join(name + rb"=" + _INDEX for name in (b"v1", b"v2", b"v3")), _MORE),
}
_LONGEST = 16_384
"""Bytes: an element that is longer is not plain."""

Opened = tuple[int, "array[Any]"]
"""The byte at which the last tag begins, of those that expat got, and the array that the list fills which it opens."""


@lru_cache(maxsize=8)
def _plain(prefix: bytes, listed: bytes) -> tuple[re.Pattern[bytes], re.Pattern[bytes]]:
    """What matches one plain element of a list, its numbers in groups, and what matches many."""
    name, numbers, more = _ATTRIBUTES[listed]
    one = rb"\s*+<" + re.escape(prefix) + name + rb"\s++" + numbers + more + rb"\s*+/>"
    return re.compile(one), re.compile(rb"(?:" + one + rb")*+")


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
        data, at = self._left + chunk, 0
        while True:
            if self._list is not None:
                at = self._filled(data, at, *self._list)
                if len(data) - at < _LONGEST:
                    break
                self._list = None
            tag = _LIST.search(data, at)
            if tag is None:
                end = max(at, len(data) - _LONGEST)
                self._parse(data[at:end])
                at = end
                break
            begins = self.fed + tag.start() - at
            self._parse(data[at : tag.end()])
            at, opened = tag.end(), self._opened()
            if opened is not None and opened[0] == begins:  # by what expat says: no comment, nor another namespace
                self._list = tag[1], tag[2], opened[1]
        self._left = data[at:]

    def end(self) -> None:
        """No more bytes come."""
        self._parser.Parse(self._left, True)

    def _filled(self, data: bytes, at: int, prefix: bytes, listed: bytes, numbers: array[Any]) -> int:
        """Adds the plain elements at a place of ``data``; where they end."""
        one, many = _plain(prefix, listed)
        run = many.match(data, at)
        end = at if run is None else run.end()
        elements = one.findall(data, at, end)
        if elements:
            self._counted(len(elements))
            dtype = np.dtype(np.float64 if numbers.typecode == "d" else np.int64)
            numbers.frombytes(np.fromstring(b" ".join(chain.from_iterable(elements)), dtype, sep=" ").tobytes())
            self._parse(b"\n" * data.count(b"\n", at, end))  # so that expat knows the line
        return end

    def _parse(self, data: bytes) -> None:
        self._parser.Parse(data, False)
        self.fed += len(data)
