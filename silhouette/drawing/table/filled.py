"""DRAW: layers of large views, whose rays are cast only where they tell something that is not known without them.

A view is cut into tiles of `TILE` by `TILE` pixels from its upper left corner; places in it are columns and rows in
tiles, as fractions. The box of a whole figure or ruin is mostly empty: of the rays that meet it, four in five meet
nothing else. So the tiles that a body reaches are those that the boxes round its faces hold.

A wall near the eye is a face or two over most of the view, and ten thousand faces behind them. A face that covers all
of a tile, and in its four corners is nearer than everything of the body that reaches the tile, is in front in all of
it: over a face nearness, one over depth, is linear. Such a tile needs no rays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from silhouette.common.geometry import Flags, Floats, corners
from silhouette.renderers.protocol import NEAREST, Body, Layer, Renderer
from silhouette.renderers.views import View

# ---- the tiles that faces reach

TILE = 8  # pixels across a tile
RIM = 1.0 / TILE  # tiles: a pixel, by which boxes are widened on each side: far more than float32 rays differ
Tiles = NDArray[np.int32]  # columns and rows (2, n) of tiles


@dataclass(frozen=True, eq=False)
class Boxes:
    """The faces of a body in a view, each with a box of tiles."""

    shape: tuple[int, int]  # the number of columns and of rows of tiles
    seen: Floats  # (v, 3) mm, the vertices, to the right, up and forward from the eye
    places: Floats  # (2, v) columns and rows of the vertices, in tiles; they mean nothing for those behind the eye
    faces: NDArray[np.integer]  # (n, 3) without those that reach behind the eye
    # least, past: (2, n) the first tiles of their boxes within the view, and those just past the last ones
    least: Tiles
    past: Tiles
    cut: Flags  # (rows, columns) the tiles reached by faces that reach behind the eye, by the part that lies before it

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
        first, last = (_bounds(_in_tiles(images, view), shape) for images in _images_of_cut(seen[faces[straddling].T]))
        cut = in_boxes(first[0], last[1], shape)
        faces = faces[~hidden.any(axis=1)]
    first, second, third = faces.T
    least = np.minimum(np.minimum(low[:, first], low[:, second]), low[:, third])
    past = np.maximum(np.maximum(high[:, first], high[:, second]), high[:, third])
    return Boxes(shape, seen, places, faces, least, past, cut)


def in_boxes(least: Tiles, past: Tiles, shape: tuple[int, int]) -> Flags:
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
    tiles: Floats = (images - np.array([[view.left], [-view.top]])) / (TILE * view.step)
    return tiles


def _bounds(places: Floats, shape: tuple[int, int]) -> tuple[Tiles, Tiles]:
    """The tiles round places (2, n), widened by a pixel: the first ones, and those just past the last ones. What lies
    beyond the view counts as at its border.
    """
    limit = np.array([[shape[0]], [shape[1]]])
    first, past = (np.clip(np.nan_to_num(places + side), 0, limit) for side in (-RIM, 1.0 + RIM))
    return first.astype(np.int32), np.minimum(past, limit).astype(np.int32)


def _images_of_cut(corners: Floats) -> tuple[Floats, Floats]:
    """The least and the greatest, right and down (2, n), of the images of triangles (3, n, 3), to the right, up and
    forward from the eye, cut `NEAREST` before it, on both sides of which their corners lie.
    """
    points = [*corners]
    for here, there in ((0, 1), (1, 2), (2, 0)):
        depth = corners[[here, there], :, 2]
        with np.errstate(divide="ignore", invalid="ignore"):
            share = ((NEAREST - depth[0]) / (depth[1] - depth[0]))[:, None]
            crossing = corners[here] + share * (corners[there] - corners[here])
        crossing[:, 2] = NEAREST
        crossing[(depth[0] < NEAREST) == (depth[1] < NEAREST)] = np.nan
        points.append(crossing)
    every = np.stack(points)
    every[every[..., 2] < NEAREST] = np.nan
    images = np.stack([every[..., 0], -every[..., 1]]) / every[..., 2]
    return np.nanmin(images, axis=1), np.nanmax(images, axis=1)


# ---- the tiles that one face fills

SMALL_FACE_TILES = 3  # the most across the box of a face that is taken to reach all: it could fill one

MAX_TILE_ROWS, MAX_TILES = 100_000, 1_000_000
"""The most rows and tiles of larger faces, of 200 bytes each: with more, as of slivers, no tile counts as filled."""

WORTH_IT = 24  # the least tiles that faces cover where it is worth to look for filled ones: rays take as long
AT_ONE_DEPTH = 1e-9  # the share by which a nearness may exceed another and count as equal, from rounding
Numbers = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Reach:
    """The tiles of a view in which a body may be seen; in all others it is not."""

    cast: Flags  # (rows, columns) the tiles, from the view's upper left corner, in which rays tell what is seen of it
    filled: Numbers  # (k, 2) row and column of the other tiles, each filled by one face of the body
    planes: Floats  # (k, 3) the nearness of that face, per mm, along the ray (across, up, 1): the product of both


def reach_of(view: View, body: Body) -> Reach:
    """The tiles that a body may be seen in, and what fills some of them."""
    boxes = boxes_of(view, body)
    wide, tall = boxes.past - boxes.least
    least, most = np.minimum(wide, tall), np.maximum(wide, tall)
    numbers = np.flatnonzero((most > SMALL_FACE_TILES) & (least > 0))
    if not (least > SMALL_FACE_TILES).any() or int(tall[numbers].sum()) > MAX_TILE_ROWS:
        return _none_filled(boxes)
    large = boxes.some(numbers)
    runs = _runs(large)
    if not WORTH_IT <= int((runs.cover_past - runs.cover_first).sum()) <= MAX_TILES:
        return _none_filled(boxes)
    small = boxes.some(np.flatnonzero((most <= SMALL_FACE_TILES) & (least > 0)))
    least = np.hstack([small.least, np.stack([runs.first, runs.row])])
    past = np.hstack([small.past, np.stack([runs.past, runs.row + 1])])
    cast = boxes.cut | in_boxes(least, past, boxes.shape)
    planes = _planes(large)
    tile, face = _filling(view, large, small, runs, planes)
    cast.reshape(-1)[tile] = False
    return Reach(cast, np.column_stack(np.divmod(tile, boxes.shape[0])), planes[face])


def _none_filled(boxes: Boxes) -> Reach:
    cast = boxes.cut | in_boxes(boxes.least, boxes.past, boxes.shape)
    return Reach(cast, np.empty((0, 2), np.intp), np.empty((0, 3)))


@dataclass(frozen=True, eq=False)
class _Runs:
    """Runs of tiles in a row that a face reaches, from the first column to the one after the last, and the same for
    those that it covers: (n,) each, by the number of the face.
    """

    face: Numbers
    row: Numbers
    first: Numbers
    past: Numbers
    cover_first: Numbers
    cover_past: Numbers


def _runs(boxes: Boxes) -> _Runs:
    """The runs of faces in the rows of their boxes. A tile, widened by `RIM`, is reached where none of the three edges
    has all of it on its outer side, and covered where each has all of it on its inner side.
    """
    tall = boxes.past[1] - boxes.least[1]
    face = np.repeat(np.arange(len(tall)), tall)
    row = np.arange(len(face)) - np.repeat(np.cumsum(tall) - tall - boxes.least[1], tall)
    corners = boxes.places[:, boxes.faces]
    step = np.roll(corners, -1, axis=2) - corners
    turn = np.sign(step[0, :, 0] * step[1, :, 1] - step[1, :, 0] * step[0, :, 1])
    first, end = boxes.least[0][face].astype(np.float64), boxes.past[0][face].astype(np.float64)
    cover_first = np.where(turn[face] == 0.0, end, first)
    past, cover_past = end.copy(), end.copy()
    for corner in range(3):
        x, y = corners[:, :, corner]
        across, down = turn * step[:, :, corner]
        half = (np.abs(across) + np.abs(down)) * (0.5 + RIM)
        # The middle of a tile is on the inner side where its column times -down is at least this:
        inner = (across * (y - 0.5) - down * (x - 0.5))[face] - across[face] * row
        slope, half = -down[face], half[face]
        _limit(first, past, slope, inner - half)
        _limit(cover_first, cover_past, slope, inner + half)
    first, cover_first = np.minimum(first, end), np.minimum(cover_first, end)
    past, cover_past = np.clip(past, first, end), np.clip(cover_past, cover_first, end)
    return _Runs(face, row, *(limit.astype(np.intp) for limit in (first, past, cover_first, cover_past)))


def _limit(first: Floats, past: Floats, slope: Floats, least: Floats) -> None:
    """Shortens runs of columns (n,), in place, to those columns that times ``slope`` are at least ``least``."""
    with np.errstate(divide="ignore", invalid="ignore"):
        column = least / slope
    rising, falling, none = slope > 0.0, slope < 0.0, (slope == 0.0) & (least > 0.0)
    np.maximum(first, np.ceil(column), out=first, where=rising)
    np.minimum(past, np.floor(column) + 1.0, out=past, where=falling)
    past[none] = first[none]


def _planes(boxes: Boxes) -> Floats:
    """(n, 3) the nearness of faces along the ray (across, up, 1) as a product; NaN for those that the eye touches."""
    corners = boxes.seen[boxes.faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    away = np.einsum("ij,ij->i", normals, corners[:, 0])
    met = np.abs(away) >= NEAREST * np.linalg.norm(normals, axis=1)
    planes: Floats = normals / np.where(met & (away != 0.0), away, np.nan)[:, None]
    return planes


def _nearness(view: View, planes: Floats, row: Numbers, column: Numbers) -> Floats:
    """(n, 4) the nearness of planes (n, 3) at the corners of tiles: the middles of the pixels that lie there."""
    ends = np.array([0, TILE - 1]) + 0.5
    across = planes[:, :1] * (view.left + (column[:, None] * TILE + ends) * view.step)
    upward = planes[:, 1:2] * (view.top - (row[:, None] * TILE + ends) * view.step)
    return (across[:, None] + upward[:, :, None]).reshape(-1, 4) + planes[:, 2:]


def _expanded(first: Numbers, count: Numbers) -> tuple[Numbers, Numbers]:
    """The numbers of runs (n,) and the columns of all their tiles: ``count`` from ``first`` on."""
    run = np.repeat(np.arange(len(count)), count)
    return run, np.arange(len(run)) - np.repeat(np.cumsum(count) - count - first, count)


def _filling(view: View, large: Boxes, small: Boxes, runs: _Runs, planes: Floats) -> tuple[Numbers, Numbers]:
    """(k,) the tiles, row by row, that a large face fills, and the numbers of these faces: of those that cover a tile,
    the one whose least nearness in its corners is the greatest, if no other is nearer in any of the corners; a small
    one, wherever it has its nearest corner.
    """
    run, column = _expanded(runs.cover_first, runs.cover_past - runs.cover_first)
    wide = large.shape[0]
    face, row = runs.face[run], runs.row[run]
    tile, near = row * wide + column, _nearness(view, planes[face], row, column)
    score = near.min(axis=1)
    best, filler = np.zeros(wide * large.shape[1]), np.full(wide * large.shape[1], -1, np.intp)
    np.fmax.at(best, tile, score)
    chosen = score == best[tile]
    at_corners = np.empty((len(best), 4))
    filler[tile[chosen]], at_corners[tile[chosen]] = face[chosen], near[chosen]
    best[large.cut.reshape(-1)] = 0.0  # what reaches behind the eye may be as near as can be
    run, tile = _nearer(best, large, runs.face, runs.row, runs.first, runs.past)
    face = runs.face[run]
    behind = _nearness(view, planes[face], *np.divmod(tile, wide)) <= at_corners[tile] * (1.0 + AT_ONE_DEPTH)
    best[tile[~behind.all(axis=1)]] = 0.0
    face, row = _expanded(small.least[1], small.past[1] - small.least[1])
    best[_nearer(best, small, face, row, small.least[0][face], small.past[0][face])[1]] = 0.0
    tile = np.flatnonzero(best)
    return tile, filler[tile]


def _nearer(
    best: Floats, boxes: Boxes, face: Numbers, row: Numbers, first: Numbers, past: Numbers
) -> tuple[Numbers, Numbers]:
    """The tiles of runs (n,) in which a face might be nearer than what may fill them: the run, and the tile, (k,) each.
    ``best`` (tiles,) is the least nearness in the corners of what may fill a tile; 0 where nothing does.
    """
    wide = boxes.shape[0]
    nearest = 1.0 / boxes.seen[boxes.faces, 2].min(axis=1)
    count = np.concatenate([[0], np.cumsum(best > 0.0)])
    some = count[row * wide + past] > count[row * wide + first]
    chosen = np.flatnonzero(some & (nearest[face] > best.min(where=best > 0.0, initial=np.inf)))
    run, column = _expanded(first[chosen], past[chosen] - first[chosen])
    run = chosen[run]
    tile = row[run] * wide + column
    nearer = (best[tile] > 0.0) & (nearest[face[run]] > best[tile])
    return run[nearer], tile[nearer]


# ---- layers

STRIP = 40  # rows of pixels that are worked on at a time, so that they stay in the processor's cache
RAYS_AT_ONCE = 40_000  # Embree is five times faster so than with those of the whole view


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


def swept(renderer: Renderer, view: View, bodies: Sequence[Body], layers: Sequence[Layer] = ()) -> Layer:
    """The layer of bodies in a view. A renderer that casts rays is asked body by body, from the nearest on, for the
    pixels of reached tiles that nothing fills or already shows nearer. ``layers`` are those rendered already, from the
    first on, of each body alone.
    """
    if not renderer.capabilities.sparse:
        return renderer.render(view, bodies)
    layer = Layer.empty((view.height, view.width))
    for other in layers:
        _enter(layer.ids, layer.depth, other)
    ids, depth = layer.ids.reshape(-1), layer.depth.reshape(-1)
    further = []
    for body in bodies[len(layers) :]:  # each is farther than this everywhere, by a thousandth of a millimetre at least
        depths = (body.pose.place(corners(*body.mesh.bounds)) - view.eye) @ view.axes[2]
        further.append((float(depths.min()) - 1e-3, body.id, body))
    for least, _, body in sorted(further, key=lambda other: other[:2]):
        reach = reach_of(view, body)
        _fill(ids, depth, view, body.id, reach)
        pixels = _pixels_of(reach.cast, view)
        places = pixels[:, 0] * view.width + pixels[:, 1]
        free = depth.take(places) > least
        if not free.all():
            pixels, places = pixels[free], places[free]
        for start in range(0, len(pixels), RAYS_AT_ONCE):
            place = places[start : start + RAYS_AT_ONCE]
            part = Layer(ids.take(place), depth.take(place))
            _enter(part.ids, part.depth, renderer.render(view, [body], pixels[start : start + RAYS_AT_ONCE]))
            ids[place], depth[place] = part.ids, part.depth
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
    part = Layer(ids.take(place), depth.take(place))
    there = (1.0 / near[within]).astype(np.float32)
    _enter(part.ids, part.depth, Layer(np.full(len(place), body, np.int32), there))
    ids[place], depth[place] = part.ids, part.depth


def _pixels_of(tiles: Flags, view: View) -> NDArray[np.intp]:
    """(n, 2) row and column of the pixels of some tiles, tile by tile: neighbouring rays meet the same triangles."""
    within = np.indices((TILE, TILE)).reshape(2, 1, -1)
    rows, columns = (TILE * np.stack(tiles.nonzero())[..., None] + within).reshape(2, -1)
    inside = (rows < view.height) & (columns < view.width)
    return np.column_stack([rows[inside], columns[inside]])


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
