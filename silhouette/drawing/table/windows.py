"""DRAW: layers of large views, whose rays are cast only where they tell something that is not known without them.

    body -> tiles of the view that it reaches -> rays through those that edges cross; planes in those that a face fills

The box of a whole figure or ruin is mostly empty: of the rays that meet it, four in five meet nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from silhouette.drawing.table.filled import Reach, reach_of
from silhouette.drawing.table.tiles import TILE
from silhouette.geometry import Flags, Floats, corners
from silhouette.renderers.protocol import Body, Layer, Renderer
from silhouette.views import View

STRIP = 40
"""Rows of pixels that are worked on at a time, so that they stay in the processor's cache."""

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
    reaches and none of its faces fills, but for pixels that already show something nearer than all of the body.

    Args:
        renderer: renders the bodies.
        view: the view.
        bodies: all bodies in it.
        known: layers that are rendered already: of the first body alone, of the second alone, and so on, for as many
            bodies as there are layers.
    """
    if not renderer.capabilities.sparse:
        return renderer.render(view, bodies)
    layer = Layer.empty((view.height, view.width))
    for one in known:
        _enter(layer.ids, layer.depth, one)
    ids, depth = layer.ids.reshape(-1), layer.depth.reshape(-1)
    further = [(_least_depth(view, body), body.id, body) for body in bodies[len(known) :]]
    for least, _, body in sorted(further, key=lambda one: one[:2]):
        reach = reach_of(view, body)
        _fill(ids, depth, view, body.id, reach)
        pixels = _pixels_of(reach.cast, view)
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


def _fill(ids: NDArray[np.int32], depth: NDArray[np.float32], view: View, body: int, reach: Reach) -> None:
    """Enters the tiles that faces of a body fill into the layer of a view, one row of pixels after the other."""
    if not len(reach.filled):
        return
    rows, columns = (reach.filled[:, axis, None] * TILE + np.arange(TILE) for axis in (0, 1))
    across, upward = view.left + (columns + 0.5) * view.step, view.top - (rows + 0.5) * view.step
    x, y, ahead = reach.planes.T[..., None]
    near = (y * upward + ahead)[:, :, None] + (x * across)[:, None]
    within = (rows < view.height)[:, :, None] & (columns < view.width)[:, None]
    place = (rows[:, :, None] * view.width + columns[:, None])[within]
    found = Layer(ids.take(place), depth.take(place))
    there = (1.0 / near[within]).astype(np.float32)
    _enter(found.ids, found.depth, Layer(np.full(len(place), body, np.int32), there))
    ids[place], depth[place] = found.ids, found.depth


def _least_depth(view: View, body: Body) -> float:
    """A depth, mm, that every point of a body exceeds, by a thousandth of a millimetre at least."""
    return float(((body.pose.place(corners(*body.mesh.bounds)) - view.eye) @ view.axes[2]).min()) - 1e-3


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
