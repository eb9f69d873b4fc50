"""DRAW: layers of large views, whose rays are cast only where they may meet something.

    body -> the box round each triangle's image -> tiles of the view that any box reaches -> rays through these tiles

The box of a whole figure or ruin is mostly empty: of the rays that meet it, four in five meet nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from silhouette.geometry import Flags, Floats, corners
from silhouette.renderers.protocol import NEAREST, Body, Layer, Renderer
from silhouette.views import View

STRIP = 40
"""Rows of pixels that are worked on at a time, so that they stay in the processor's cache."""

TILE = 8
"""Pixels across a tile."""

AT_ONCE = 40_000
"""The most rays that are cast at a time: Embree is five times faster so than with those of the whole view."""


def rendered(renderer: Renderer, view: View, bodies: Sequence[Body]) -> Layer:
    """The layer of bodies in a view, rendered only in the rectangle round them; empty where there are no bodies."""
    layer = Layer.empty((view.height, view.width))
    if not bodies:
        return layer
    points = np.concatenate([body.pose.place(corners(*body.mesh.bounds)) for body in bodies])
    rows, columns = _rectangle(view, points)
    if rows.start < rows.stop and columns.start < columns.stop:
        part = swept(renderer, cropped(view, rows, columns), bodies)
        layer.ids[rows, columns] = part.ids
        layer.depth[rows, columns] = part.depth
    return layer


def swept(renderer: Renderer, view: View, bodies: Sequence[Body], known: Sequence[Layer] = ()) -> Layer:
    """The layer of bodies in a view.

    A renderer that casts rays is asked body by body, from the nearest on, for the pixels of those tiles that the body
    reaches, but for pixels that already show something nearer than all of the body.

    Args:
        renderer: renders the bodies.
        view: the view.
        bodies: all bodies in it.
        known: layers that are rendered already: of the first body alone, of the second alone, and so on, for as many
            bodies as there are layers.
    """
    if not renderer.sparse:
        return renderer.render(view, bodies)
    layer = Layer.empty((view.height, view.width))
    for one in known:
        _enter(layer.ids, layer.depth, one)
    ids, depth = layer.ids.reshape(-1), layer.depth.reshape(-1)
    further = [(_least_depth(view, body), body.id, body) for body in bodies[len(known) :]]
    for least, _, body in sorted(further, key=lambda one: one[:2]):
        pixels = _pixels_of(reached(view, body), view)
        places = pixels[:, 0] * view.width + pixels[:, 1]
        free = depth.take(places) > least
        if not free.all():
            pixels, places = pixels[free], places[free]
        for start in range(0, len(pixels), AT_ONCE):
            place = places[start : start + AT_ONCE]
            found = Layer(ids.take(place), depth.take(place))
            _enter(found.ids, found.depth, renderer.render(view, [body], pixels[start : start + AT_ONCE]))
            ids[place], depth[place] = found.ids, found.depth
    return layer


def _enter(ids: NDArray[np.int32], depth: NDArray[np.float32], other: Layer) -> None:
    """Enters into a layer's arrays what is nearer in another layer; of two at one depth the lower id is in front."""
    closer = (other.depth < depth) | ((other.depth == depth) & (other.ids > 0) & (other.ids < ids))
    ids[closer], depth[closer] = other.ids[closer], other.depth[closer]


def _least_depth(view: View, body: Body) -> float:
    """A depth, mm, that every point of a body exceeds, by a thousandth of a millimetre at least."""
    return float(((body.pose.place(corners(*body.mesh.bounds)) - view.eye) @ view.axes[2]).min()) - 1e-3


def reached(view: View, body: Body) -> Flags:
    """(rows, columns) bool: the tiles of a view, from its upper left corner, that any triangle of a body may reach.

    Of each triangle the box round its image is taken, and a pixel more on each side; of one that reaches behind the
    eye only the part that lies `NEAREST` or farther before the eye. All boxes are entered at once, as +1 and -1 at
    their corners; running sums along both axes then count, for each tile, the boxes that it lies in:

        +1  .  .  -1        1  1  1  0
         .  .  .   .   ->   1  1  1  0
        -1  .  .  +1        0  0  0  0
    """
    shape = -(-view.width // TILE), -(-view.height // TILE)
    seen = (body.pose.place(body.mesh.vertices) - view.eye) @ view.axes.T
    behind, faces = seen[:, 2] < NEAREST, body.mesh.faces
    with np.errstate(divide="ignore", invalid="ignore"):
        low, high = _tiles_of(np.stack([seen[:, 0], -seen[:, 1]]) / seen[:, 2], view, shape)
    if behind.any():
        hidden = behind[faces]
        straddling = hidden.any(axis=1) & ~hidden.all(axis=1)
        low_cut, high_cut = (_tiles_of(image, view, shape) for image in _images_of_cut(seen[faces[straddling].T]))
        faces = faces[~hidden.any(axis=1)]
    first, second, third = faces.T
    least = np.minimum(np.minimum(low[:, first], low[:, second]), low[:, third])
    past = np.maximum(np.maximum(high[:, first], high[:, second]), high[:, third])
    if behind.any():
        least, past = np.hstack([least, low_cut[0]]), np.hstack([past, high_cut[1]])
    (left, top), (right, bottom) = least, past
    stride = shape[0] + 1
    changes = np.zeros((shape[1] + 1) * stride, np.int64)
    for row, column, sign in ((top, left, 1), (top, right, -1), (bottom, left, -1), (bottom, right, 1)):
        changes += sign * np.bincount(row * stride + column, minlength=len(changes))
    tiles: Flags = changes.reshape(-1, stride).cumsum(axis=0).cumsum(axis=1)[:-1, :-1] > 0
    return tiles


def _tiles_of(places: Floats, view: View, shape: tuple[int, int]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The tiles round places: columns and rows (2, n) of the first tiles, and of those just past the last ones.

    The first one holds what lies a pixel to the left of the place and above it, the last one what lies a pixel to the
    right and below.

    Args:
        places: (2, n) in the plane at distance one, to the right and down.
        view: the view.
        shape: the number of columns and of rows of tiles; what lies beyond counts as at their border.
    """
    tile = (places - np.array([[view.left], [-view.top]])) / (TILE * view.step)
    limit = np.array([[shape[0]], [shape[1]]])
    first, past = (np.clip(np.nan_to_num(tile + side), 0, limit) for side in (-1.0 / TILE, 1.0 + 1.0 / TILE))
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


def _pixels_of(tiles: Flags, view: View) -> NDArray[np.intp]:
    """(n, 2) row and column of the pixels of some tiles, tile by tile: neighbouring rays meet the same triangles."""
    within = np.indices((TILE, TILE)).reshape(2, 1, -1)
    rows, columns = (TILE * np.stack(tiles.nonzero())[..., None] + within).reshape(2, -1)
    inside = (rows < view.height) & (columns < view.width)
    return np.column_stack([rows[inside], columns[inside]])


def _rectangle(view: View, points: Floats) -> tuple[slice, slice]:
    """The rows and columns of a view that points (n, 3) of the world lie in, and a pixel more on each side.

    Empty where all points are behind the eye; all rows and columns where some are.
    """
    columns, rows, depth = view.project(points)
    if depth.max() <= 0.0:
        return slice(0, 0), slice(0, 0)
    if depth.min() <= 1e-3:
        return slice(0, view.height), slice(0, view.width)
    top, bottom = np.clip([np.floor(rows.min()) - 1, np.ceil(rows.max()) + 1], 0, view.height).astype(int)
    left, right = np.clip([np.floor(columns.min()) - 1, np.ceil(columns.max()) + 1], 0, view.width).astype(int)
    return slice(int(top), int(bottom)), slice(int(left), int(right))


def cropped(view: View, rows: slice, columns: slice) -> View:
    """The part of a view in a range of rows and one of columns; both with a start and a stop."""
    return replace(
        view,
        left=view.left + columns.start * view.step,
        top=view.top - rows.start * view.step,
        width=columns.stop - columns.start,
        height=rows.stop - rows.start,
    )
