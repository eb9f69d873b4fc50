"""DRAW: layers of large views, whose rays are cast only where they may meet something.

A view is cut into tiles of `TILE_PX` by `TILE_PX` pixels from its upper left corner; places in it are columns and rows
in tiles, as fractions. The box of a whole figure or ruin is mostly empty: of the rays that meet it, four in five meet
nothing else. So the tiles that a body reaches are those that the boxes round its faces hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from silhouette.common.geometry import Flags, Floats, corners
from silhouette.renderers.protocol import NEAREST_DEPTH_MM, Body, Cast, Layer, Renderer
from silhouette.renderers.views import View

# ---- the tiles that faces reach

TILE_PX = 8  # pixels across a tile
# Tiles: a pixel, by which boxes are widened on each side: far more than float32 rays differ.
BOX_RIM_TILES = 1.0 / TILE_PX
Tiles = NDArray[np.int32]  # columns and rows (2, n) of tiles


def reached(view: View, body: Body) -> Flags:
    """(rows, columns) the tiles of a view that a body may be seen in; of a face that reaches behind the eye,
    `NEAREST_DEPTH_MM` before which it begins, those of the part that lies before it.
    """
    shape = -(-view.width // TILE_PX), -(-view.height // TILE_PX)
    if _passes_by((body.pose.place(corners(*body.mesh.bounds)) - view.eye) @ view.axes.T, view):
        return np.zeros(shape[::-1], np.bool_)
    seen = (body.pose.place(body.mesh.vertices) - view.eye) @ view.axes.T
    hidden, faces = (seen[:, 2] < NEAREST_DEPTH_MM)[body.mesh.faces], body.mesh.faces
    with np.errstate(divide="ignore", invalid="ignore"):
        low, high = _bounds(_in_tiles(np.stack([seen[:, 0], -seen[:, 1]]) / seen[:, 2], view), shape)
    first, second, third = faces[~hidden.any(axis=1)].T
    least = np.minimum(np.minimum(low[:, first], low[:, second]), low[:, third])
    past = np.maximum(np.maximum(high[:, first], high[:, second]), high[:, third])
    tiles = _in_boxes(least, past, shape)
    straddling = hidden.any(axis=1) & ~hidden.all(axis=1)
    if straddling.any():
        near, far = (_bounds(_in_tiles(images, view), shape) for images in _images_of_cut(seen[faces[straddling].T]))
        tiles |= _in_boxes(near[0], far[1], shape)
    return tiles


def _passes_by(box: Floats, view: View) -> bool:
    """Whether all of a box, of corners (8, 3) to the right, up and forward from the eye, lies behind it or beyond
    one side of the view: with two pixels to spare, so that no ray of the view comes near.
    """
    right, up, forward = box.T
    spare = 2.0 * view.step
    sides = (
        forward < NEAREST_DEPTH_MM,
        right < (view.left - spare) * forward,
        right > (view.left + view.width * view.step + spare) * forward,
        up > (view.top + spare) * forward,
        up < (view.top - view.height * view.step - spare) * forward,
    )
    return any(bool(side.all()) for side in sides)


def _in_boxes(least: Tiles, past: Tiles, shape: tuple[int, int]) -> Flags:
    """(rows, columns) the tiles that lie in any box, from its first column and row to those past it: each is entered as
    +1 and -1 at its corners, so that running sums along both axes count the boxes of each tile.
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
    tiles: Floats = (images - np.array([[view.left], [-view.top]])) / (TILE_PX * view.step)
    return tiles


def _bounds(places: Floats, shape: tuple[int, int]) -> tuple[Tiles, Tiles]:
    """The tiles round places (2, n), widened by a pixel: the first ones, and those just past the last ones. What lies
    beyond the view counts as at its border.
    """
    limit = np.array([[shape[0]], [shape[1]]])
    first, past = (np.clip(np.nan_to_num(places + side), 0, limit) for side in (-BOX_RIM_TILES, 1.0 + BOX_RIM_TILES))
    return first.astype(np.int32), np.minimum(past, limit).astype(np.int32)


def _images_of_cut(corners: Floats) -> tuple[Floats, Floats]:
    """The least and the greatest, right and down (2, n), of the images of triangles (3, n, 3), to the right, up and
    forward from the eye, cut `NEAREST_DEPTH_MM` before it, on both sides of which their corners lie.
    """
    points = [*corners]
    for here, there in ((0, 1), (1, 2), (2, 0)):
        depth = corners[[here, there], :, 2]
        with np.errstate(divide="ignore", invalid="ignore"):
            share = ((NEAREST_DEPTH_MM - depth[0]) / (depth[1] - depth[0]))[:, None]
            crossing = corners[here] + share * (corners[there] - corners[here])
        crossing[:, 2] = NEAREST_DEPTH_MM
        crossing[(depth[0] < NEAREST_DEPTH_MM) == (depth[1] < NEAREST_DEPTH_MM)] = np.nan
        points.append(crossing)
    every = np.stack(points)
    every[every[..., 2] < NEAREST_DEPTH_MM] = np.nan
    images = np.stack([every[..., 0], -every[..., 1]]) / every[..., 2]
    return np.nanmin(images, axis=1), np.nanmax(images, axis=1)


# ---- layers

TILE_STRIP_ROWS = 40  # rows of pixels that are worked on at a time, so that they stay in the processor's cache
RAYS_AT_ONCE = 40_000  # Embree is five times faster so than with those of the whole view


def rendered(renderer: Renderer, view: View, bodies: Sequence[Body], front: Layer | None = None) -> Layer:
    """The layer of bodies in a view, rendered only in the rectangle round them; empty where there are no bodies, and
    where they do not lie before ``front``.
    """
    layer = Layer.empty((view.height, view.width))
    if not bodies:
        return layer
    points = np.concatenate([body.pose.place(corners(*body.mesh.bounds)) for body in bodies])
    rows, columns = _rectangle(view, points)
    if rows.start < rows.stop and columns.start < columns.stop:
        nearest = None if front is None else front.depth[rows, columns]
        part = swept(renderer, cropped(view, rows, columns), bodies, nearest=nearest)
        if nearest is not None:
            behind = part.depth >= nearest
            part.ids[behind], part.depth[behind] = 0, np.inf
        layer.ids[rows, columns] = part.ids
        layer.depth[rows, columns] = part.depth
    return layer


def swept(
    renderer: Renderer,
    view: View,
    bodies: Sequence[Body],
    layers: Sequence[Layer] = (),
    nearest: NDArray[np.float32] | None = None,
) -> Layer:
    """The layer of bodies in a view. A renderer that casts rays is asked body by body, from the nearest on, for the
    pixels of reached tiles that show nothing nearer yet. ``layers`` are those rendered already, from the first on, of
    each body alone; beyond depths that are given as ``nearest`` (height, width) it may show nothing.
    """
    if not renderer.capabilities.sparse:
        return renderer.render(view, bodies)
    layer = Layer.empty((view.height, view.width))
    if nearest is not None:
        layer.depth[:] = nearest
    for other in layers:
        _enter(layer.ids, layer.depth, other)
    ids, depth = layer.ids.reshape(-1), layer.depth.reshape(-1)
    further = []
    for body in bodies[len(layers) :]:  # each is farther than this everywhere, by a thousandth of a millimetre at least
        depths = (body.pose.place(corners(*body.mesh.bounds)) - view.eye) @ view.axes[2]
        further.append((float(depths.min()) - 1e-3, body.id, body))
    for least, _, body in sorted(further, key=lambda other: other[:2]):
        pixels = _pixels_of(reached(view, body), view)
        places = pixels[0] * np.intp(view.width) + pixels[1]
        free = depth.take(places) > least
        if not free.all():
            pixels, places = pixels[:, free], places[free]
        for start in range(0, len(places), RAYS_AT_ONCE):
            rays = slice(start, start + RAYS_AT_ONCE)
            through = np.ascontiguousarray(pixels[:, rays].T, np.float64)
            met = renderer.depths([Cast(view, body, through)])
            before = depth.take(places[rays])
            closer = (met < before) | ((met == before) & (ids.take(places[rays]) > body.id))
            entered = places[rays][closer]
            ids[entered], depth[entered] = body.id, met[closer]
    return layer


def _enter(ids: NDArray[np.int32], depth: NDArray[np.float32], other: Layer) -> None:
    """Enters into a layer's arrays what is nearer in another layer; of two at one depth the lower id is in front."""
    closer = (other.depth < depth) | ((other.depth == depth) & (other.ids > 0) & (other.ids < ids))
    ids[closer], depth[closer] = other.ids[closer], other.depth[closer]


def _pixels_of(tiles: Flags, view: View) -> NDArray[np.int32]:
    """Rows and columns (2, n) of the pixels of some tiles, tile by tile: neighbouring rays meet the same triangles."""
    within = np.indices((TILE_PX, TILE_PX), np.int32).reshape(2, 1, -1)
    pixels = (TILE_PX * np.stack(tiles.nonzero()).astype(np.int32)[..., None] + within).reshape(2, -1)
    inside = (pixels[0] < view.height) & (pixels[1] < view.width)
    return pixels if inside.all() else pixels[:, inside]


def _rectangle(view: View, points: Floats) -> tuple[slice, slice]:
    """The rows and columns of a view that points (n, 3) of the world lie in, and a pixel more on each side; empty where
    all points are behind the eye, all of them where some are.
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
