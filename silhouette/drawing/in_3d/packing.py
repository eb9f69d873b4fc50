"""DRAW: shapes become a short text in a page, which ``viewer/source/meshes.js`` unpacks.

Coordinates are 16-bit steps of the shape's box, each written as its difference from the one before. Vertices stand in
the order in which faces use them first, so that an index is written as its distance below the next unused one. Bytes of
one weight stand together; the whole is compressed with gzip and written in base 64. Colours follow, where a shape has
some: a red, a green and a blue for each face that counts, of six bits each, as differences from the face before.
"""

from __future__ import annotations

import gzip
from base64 import b64encode
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from silhouette.drawing.in_3d.simplifying import Shape

STEPS = 65535
LEVEL = 6
"""Of the compression: the highest one saves another three thousandths, and takes thrice as long."""

COLOUR_STEPS = 63
"""The steps of red, green and blue: the eye tells no finer ones apart on a lit surface, and they would not pack."""


def packed(shapes: Sequence[Shape]) -> tuple[list[dict[str, Any]], str]:
    """An entry for each shape, ready for JSON, and the text that holds all of them.

    >>> square = Shape(np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0]]), np.array([[0, 1, 2]]))
    >>> entries, text = packed([square, square])
    >>> entries[1]["at"], entries[0]["vertices"], entries[0]["faces"], entries[0]["width"]
    (24, 3, 1, 2)
    >>> len(gzip.decompress(__import__("base64").b64decode(text)))
    48
    """
    entries, chunks, at = list[dict[str, Any]](), list[bytes](), 0
    for shape in shapes:
        vertices, faces = _ordered(shape)
        low = vertices.min(axis=0) if len(vertices) else np.zeros(3)
        high = vertices.max(axis=0) if len(vertices) else np.zeros(3)
        width = 2 if len(vertices) <= STEPS else 4
        chunk = _positions(vertices, low, high) + _indices(faces, width)
        coloured = {}
        if shape.colours is not None:
            chunk += _colours(shape.colours)
            coloured = {"coloured": True}
        entries.append(
            {
                "at": at,
                "vertices": len(vertices),
                "faces": len(faces),
                "ghosts": shape.ghosts,
                "flat": shape.flat,
                "width": width,
                "low": [round(float(value), 4) for value in low],
                "high": [round(float(value), 4) for value in high],
                **coloured,
            }
        )
        chunks.append(chunk)
        at += len(chunk)
    return entries, b64encode(gzip.compress(b"".join(chunks), LEVEL, mtime=0)).decode("ascii")


def _ordered(shape: Shape) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Vertices in the order in which faces use them, without those that none uses; and the faces."""
    flat = shape.faces.ravel()
    used, first, inverse = np.unique(flat, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return shape.vertices[used[order]], rank[inverse.ravel()].reshape(-1, 3)


def _positions(vertices: NDArray[np.float64], low: NDArray[np.float64], high: NDArray[np.float64]) -> bytes:
    span = np.where(high > low, high - low, 1.0)
    steps = np.rint((vertices - low) / span * STEPS).astype(np.int64)
    return b"".join(_planes(np.diff(steps[:, axis], prepend=0) % (STEPS + 1), 2) for axis in range(3))


def _indices(faces: NDArray[np.int64], width: int) -> bytes:
    flat = faces.ravel()
    highest = np.maximum.accumulate(np.concatenate([[-1], flat]))[:-1] if len(flat) else flat
    return _planes(highest + 1 - flat, width)


def _colours(colours: NDArray[np.uint8]) -> bytes:
    steps = np.rint(colours.astype(np.float64) / 255.0 * COLOUR_STEPS).astype(np.int64)
    return b"".join(_planes(np.diff(steps[:, channel], prepend=0) % 256, 1) for channel in range(3))


def _planes(values: NDArray[np.int64], width: int) -> bytes:
    """The lowest bytes of all, then the next higher ones."""
    return b"".join(((values >> 8 * place) & 0xFF).astype(np.uint8).tobytes() for place in range(width))
