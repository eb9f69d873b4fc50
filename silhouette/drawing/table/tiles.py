"""DRAW: the tiles of a view that the faces of a body reach.

A view is cut into tiles of `TILE` by `TILE` pixels from its upper left corner; places in it are columns and rows in
tiles, as fractions.

    vertices -> places -> the box round each face -> the tiles that any box holds
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from silhouette.geometry import Flags, Floats
from silhouette.renderers.protocol import NEAREST, Body
from silhouette.views import View

TILE = 8
"""Pixels across a tile."""

RIM = 1.0 / TILE
"""Tiles: a pixel, by which boxes are widened on each side: far more than what float32 of rays may differ."""

Tiles = NDArray[np.int32]
"""Columns and rows (2, n) of tiles."""


@dataclass(frozen=True, eq=False)
class Boxes:
    """The faces of a body in a view, each with a box of tiles.

    Attributes:
        shape: the number of columns and of rows of tiles.
        seen: (v, 3) mm, the vertices, to the right, up and forward from the eye.
        places: (2, v) columns and rows of the vertices, in tiles; they mean nothing for those behind the eye.
        faces: (n, 3) without those that reach behind the eye.
        least, past: (2, n) the first tiles of their boxes within the view, and those just past the last ones.
        cut: (rows, columns) the tiles reached by faces that reach behind the eye, by the part that lies before it.
    """

    shape: tuple[int, int]
    seen: Floats
    places: Floats
    faces: NDArray[np.integer]
    least: Tiles
    past: Tiles
    cut: Flags

    def some(self, chosen: NDArray[np.intp]) -> Boxes:
        """The same of some of the faces, by their numbers (k,)."""
        least, past = self.least.take(chosen, axis=1), self.past.take(chosen, axis=1)
        return replace(self, faces=self.faces.take(chosen, axis=0), least=least, past=past)


def boxes_of(view: View, body: Body) -> Boxes:
    """The faces of a body in a view, with their boxes: behind the eye begins `NEAREST` before it."""
    shape = -(-view.width // TILE), -(-view.height // TILE)
    seen = (body.pose.place(body.mesh.vertices) - view.eye) @ view.axes.T
    behind, faces = seen[:, 2] < NEAREST, body.mesh.faces
    with np.errstate(divide="ignore", invalid="ignore"):
        places = _in_tiles(np.stack([seen[:, 0], -seen[:, 1]]) / seen[:, 2], view)
        low, high = _bounds(places, shape)
    cut = np.zeros(shape[::-1], np.bool_)
    if behind.any():
        hidden = behind[faces]
        straddling = hidden.any(axis=1) & ~hidden.all(axis=1)
        first, last = (_bounds(_in_tiles(one, view), shape) for one in _images_of_cut(seen[faces[straddling].T]))
        cut = in_boxes(first[0], last[1], shape)
        faces = faces[~hidden.any(axis=1)]
    first, second, third = faces.T
    least = np.minimum(np.minimum(low[:, first], low[:, second]), low[:, third])
    past = np.maximum(np.maximum(high[:, first], high[:, second]), high[:, third])
    return Boxes(shape, seen, places, faces, least, past, cut)


def in_boxes(least: Tiles, past: Tiles, shape: tuple[int, int]) -> Flags:
    """(rows, columns) the tiles that lie in any box, from its first column and row to those past it.

    All boxes are entered at once, as +1 and -1 at their corners; running sums along both axes then count, for each
    tile, the boxes that it lies in:

        +1  .  .  -1        1  1  1  0
         .  .  .   .   ->   1  1  1  0
        -1  .  .  +1        0  0  0  0
    """
    (left, top), (right, bottom) = least, past
    stride = shape[0] + 1
    changes = np.zeros((shape[1] + 1) * stride, np.int64)
    for row, column, sign in ((top, left, 1), (top, right, -1), (bottom, left, -1), (bottom, right, 1)):
        changes += sign * np.bincount(row * stride + column, minlength=len(changes))
    tiles: Flags = changes.reshape(-1, stride).cumsum(axis=0).cumsum(axis=1)[:-1, :-1] > 0
    return tiles


def _in_tiles(images: Floats, view: View) -> Floats:
    """(2, n) columns and rows, in tiles, of points to the right and down (2, n) in the plane at distance one."""
    tiles: Floats = (images - np.array([[view.left], [-view.top]])) / (TILE * view.step)
    return tiles


def _bounds(places: Floats, shape: tuple[int, int]) -> tuple[Tiles, Tiles]:
    """The tiles round places (2, n): the first ones, and those just past the last ones.

    The first one holds what lies a pixel to the left of the place and above it, the last one what lies a pixel to the
    right and below. What lies beyond the view counts as at its border.
    """
    limit = np.array([[shape[0]], [shape[1]]])
    first, past = (np.clip(np.nan_to_num(places + side), 0, limit) for side in (-RIM, 1.0 + RIM))
    return first.astype(np.int32), np.minimum(past, limit).astype(np.int32)


def _images_of_cut(corners: Floats) -> tuple[Floats, Floats]:
    """The least and the greatest, right and down (2, n), of the images of triangles cut `NEAREST` before the eye.

    Args:
        corners: (3, n, 3) the corners of each triangle, to the right, up and forward from the eye; some of its corners,
            but not all, lie nearer than `NEAREST` or behind the eye.
    """
    points = [*corners]
    for one, other in ((0, 1), (1, 2), (2, 0)):
        depth = corners[[one, other], :, 2]
        with np.errstate(divide="ignore", invalid="ignore"):
            share = ((NEAREST - depth[0]) / (depth[1] - depth[0]))[:, None]
            crossing = corners[one] + share * (corners[other] - corners[one])
        crossing[:, 2] = NEAREST
        crossing[(depth[0] < NEAREST) == (depth[1] < NEAREST)] = np.nan
        points.append(crossing)
    every = np.stack(points)
    every[every[..., 2] < NEAREST] = np.nan
    images = np.stack([every[..., 0], -every[..., 1]]) / every[..., 2]
    return np.nanmin(images, axis=1), np.nanmax(images, axis=1)
