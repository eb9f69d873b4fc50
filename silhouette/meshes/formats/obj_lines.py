"""OBJ: lines that are all written alike, as a program writes millions of them, read by numpy at one stroke.

What is not plain and even is left to the readers of single lines, which are the measure: these here give what those
would, in a quarter of the time, or nothing.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from silhouette.common.geometry import Floats
from silhouette.meshes.formats.polygons import Indices

Signs = NDArray[np.uint8]

_NEWLINE_BYTE, _SLASH_BYTE, _MINUS_BYTE, _SPACE_BYTE = 10, 47, 45, 32


def _code(word: bytes) -> int:
    return word[0] << 8 | word[1]


_VERTEX_CODE, _PLACE_CODE, _FACE_CODE = _code(b"v "), _code(b"vt"), _code(b"f ")
_PASSED_OVER = (_code(b"vn"), _code(b"vp"), _code(b"s "), 0)
_COMMENT_BYTE = ord("#")


@dataclass(frozen=True, eq=False)
class EvenLines:
    """The lines of a block that holds nothing but vertices, places, normals and faces, each kind written evenly."""

    vertices: Floats  # (n, c) the numbers of the ``v`` lines, at least three of each
    places: Floats  # (k, c) those of the ``vt`` lines; none where they are not wanted
    corners: Indices  # (m, s) of the ``f`` lines the numbers of vertices, from 1
    textures: Indices | None  # (m, s) the numbers of places, or None where the corners name none


def even(block: bytes, *, textured: bool = True) -> EvenLines | None:
    """What a block of whole lines holds; None where it holds other things, or where its lines are not all alike.

    Nothing of the ``vt`` lines is looked at unless they are wanted.

    >>> lines = even(b"v 1 2 3\\nv 4 5 6.5\\nvt 0 1\\nf 1/1 2/1 2/1\\n")
    >>> lines.vertices.tolist(), lines.places.tolist(), lines.corners.tolist(), lines.textures.tolist()
    ([[1.0, 2.0, 3.0], [4.0, 5.0, 6.5]], [[0.0, 1.0]], [[1, 2, 2]], [[1, 1, 1]])
    >>> even(b"v 1 2 3\\ng hull\\n")
    """
    signs = np.frombuffer(block if block.endswith(b"\n") else block + b"\n", np.uint8)
    ends = np.flatnonzero(signs == _NEWLINE_BYTE)
    starts = np.concatenate([[0], ends[:-1] + 1])
    second = signs[np.minimum(starts + 1, ends)]
    code = np.where(ends > starts, signs[starts].astype(np.int64) << 8 | np.where(second == 9, _SPACE_BYTE, second), 0)
    is_plain = np.isin(code, (_VERTEX_CODE, _PLACE_CODE, _FACE_CODE, *_PASSED_OVER)) | (code >> 8 == _COMMENT_BYTE)
    if not is_plain.all():
        return None
    faces = _faces(_those(signs, starts, ends, code == _FACE_CODE, 1))
    vertices = _table(_those(signs, starts, ends, code == _VERTEX_CODE, 1), np.float64)
    places = _table(_those(signs, starts, ends, (code == _PLACE_CODE) & textured, 2), np.float64)
    if faces is None or vertices is None or places is None or 0 < vertices.size < 3 * len(vertices):
        return None
    return EvenLines(vertices, places, *faces)


def _those(signs: Signs, starts: Indices, ends: Indices, chosen: NDArray[np.bool_], word: int) -> Signs:
    """The characters of some lines, without the first word, which has the same length in all of them."""
    if not chosen.any():
        return signs[:0]
    copied = signs[np.repeat(chosen, ends - starts + 1)]
    first = np.cumsum(np.append(0, (ends - starts + 1)[chosen][:-1]))
    for letter in range(word):
        copied[first + letter] = _SPACE_BYTE
    return copied


def _table(signs: Signs, kind: type) -> NDArray[Any] | None:
    """The numbers of lines, as many in each line; None where they are not, or are no numbers."""
    if not len(signs):
        return np.zeros((0, 3), kind)
    lines = np.flatnonzero(signs == _NEWLINE_BYTE)
    counts = np.diff(np.searchsorted(_begins(signs), lines), prepend=0)
    if counts[0] == 0 or (counts != counts[0]).any():
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)  # so says numpy of what is no number
        try:
            numbers: NDArray[Any] = np.fromstring(signs.tobytes(), kind, sep=" ")
        except (DeprecationWarning, ValueError, OverflowError):
            return None
    return numbers.reshape(len(lines), -1) if len(numbers) == len(lines) * counts[0] else None


def _faces(signs: Signs) -> tuple[Indices, Indices | None] | None:
    """The vertices of corners (m, s) and their places (m, s) or None; nothing where they are not all written alike."""
    if (signs == _MINUS_BYTE).any():
        return None
    slash = np.flatnonzero(signs == _SLASH_BYTE)
    numbers, has_places = 1, False  # of each corner, and whether the second is a place
    corners = 0
    if len(slash):
        begins = _begins(signs)
        corners = len(begins)
        slashes, over = divmod(len(slash), corners)
        doubled = np.count_nonzero(np.diff(slash) == 1)
        if over or slashes not in (1, 2) or doubled not in (0, corners):
            return None
        of_corner = slash.reshape(corners, slashes)
        if (of_corner[:, 0] < begins).any() or (of_corner[:-1, -1] > begins[1:]).any():
            return None
        numbers, has_places = (2, False) if doubled else (slashes + 1, True)
        signs = np.where(signs == _SLASH_BYTE, _SPACE_BYTE, signs).astype(np.uint8)
    table = _table(signs, np.int64)
    if table is None or table.shape[1] % numbers or 0 < table.size < 3 * numbers * len(table):
        return None
    if len(slash) and table.size != corners * numbers:
        return None
    rows = table.reshape(len(table), table.shape[1] // numbers, numbers)
    return rows[:, :, 0], rows[:, :, 1] if has_places else None


def _begins(signs: Signs) -> Indices:
    blank = signs <= _SPACE_BYTE
    begins = ~blank
    begins[1:] &= blank[:-1]
    return np.flatnonzero(begins)
