"""COUNT, before it says "nothing": rays to the places at which something may still be seen, or still be in the way.

Samples on a grid miss what is smaller than a pixel. Before a share is called exactly nothing, rays go to three kinds of
places, and the samples that find something replace those of the grid:

    corners                 edges                          the contour
    a needle's tip ends     a wire crosses the picture:    target and occluder end between the same two samples: the
    between the rays        both its ends lie outside      way from the inner to the outer one is searched in steps

    .   .   .   .           .   .   .   .                  .   .   .   .
        A                   ------x-----x---               # x x x x x x o      # target, occluded   o outside
    .   ^   .   .           .   .   .   .                  #   #   .   .        x the places searched
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from silhouette.geometry import Flags, Floats, Integers, turned
from silhouette.measure.refine import SampledView, sample_every_pixel
from silhouette.measure.samples import SampleRequest, Samples, sample
from silhouette.meshes.bounds import inset_vertices, long_edges
from silhouette.renderers.protocol import Body
from silhouette.views import View

SEARCH = 8
"""The number of steps in which the way across the contour is searched before a share is called exactly nothing."""

EDGE_STEP = 6.0
"""Pixels between the places along a blocker's edge to which rays go."""

FINER = 4
"""The factor by which the view is refined for a renderer that draws whole pictures and cannot look between pixels."""

BEHIND = np.uint8(16)
"""The bit of a corner level with the eye or behind it; the lower four are the sides of the picture, as in `_sides`."""


def search_for_seen(sampled: SampledView, request: SampleRequest) -> SampledView:
    """The view with rays to the vertices of the target, at those places where they show something of it.

    Vertices two pixels and more inside the sampled image of the target are left out: all round them the target, and
    what hides it, was sampled already.
    """
    columns, rows, depth = _projected_corners(sampled.view, request.target)
    target = sampled.mask(sampled.samples.target)
    within = _inside(sampled.view, columns, rows) & (depth > 0.0)
    places = np.column_stack([rows[within], columns[within]])
    places = _thinned(places[~_at(_eroded(target, 2 // sampled.block), places, sampled.block)])
    if request.renderer.sparse:
        places = places[~_wholly_hidden(sampled, request, places, depth[within].min(initial=np.inf))]
    return _with_wanted(sampled, request, places, lambda samples: samples.seen)


def _wholly_hidden(sampled: SampledView, request: SampleRequest, places: Floats, foremost: float) -> Flags:
    """(n,) whether a blocker is nearer at these places (n, 2) than ``foremost`` mm, where the target begins.

    The blockers that hide most come first; the rays to the others are only those that are not settled then.
    """
    hidden = np.zeros(len(places), dtype=np.bool_)
    for number in np.argsort(-(sampled.samples.blocked @ sampled.weight), kind="stable"):
        left = np.flatnonzero(~hidden)
        layer = request.renderer.render(sampled.view, [request.blockers[number]], places[left] - 0.5)
        hidden[left[layer.depth < foremost]] = True
    return hidden


def search_for_occluded(sampled: SampledView, request: SampleRequest) -> SampledView:
    """The view with rays to those vertices of blockers, and places along their edges, that may lie before the target.

    Where one does, that blocker is thinner than a pixel, cannot be followed, and every pixel is sampled.
    """
    met = sampled.samples.depth[sampled.samples.target]
    if len(met) == 0:
        return sampled
    near_target = ~_eroded(~sampled.mask(sampled.samples.target), 1)
    places = [np.empty((0, 2))]
    for blocker in request.blockers:
        columns, rows, depth = _projected_corners(sampled.view, blocker)
        before = (depth > 0.0) & (depth < met.max())
        places.append(np.column_stack([rows[before], columns[before]]))
        places.append(_along_edges(sampled.view, long_edges(blocker.mesh), np.array([rows, columns, depth])))
    edges = np.concatenate(places)
    edges = edges[_inside(sampled.view, edges[:, 1], edges[:, 0])]
    edges = edges[_at(near_target, edges, sampled.block)]
    searched = _with_wanted(sampled, request, _thinned(edges), lambda samples: samples.occluded)
    if searched is sampled or not request.renderer.sparse:
        return searched
    every = sample_every_pixel(sampled, request)
    return every if every.samples.occluded.any() else searched


def _along_edges(view: View, ends: Integers, corners: Floats) -> Floats:
    """(k, 2) rows and columns of places along a blocker's edges, `EDGE_STEP` pixels apart, within the picture.

    Args:
        view: the picture.
        ends: (e, 2) the vertices at the ends of each edge.
        corners: (3, n) row, column and depth of every vertex.

    Edges that reach behind the eye are left out, and so are those that lie wholly beyond one side of the picture:

              |         |
        a-----+---------+---b    the part between the sides, from enter to leave (as shares of the way from a to b)
              |         |
    """
    size = np.array([view.height, view.width])[:, None]
    sides = _sides(corners, size)
    start_sides, end_sides = sides[ends[:, 0]], sides[ends[:, 1]]
    # An edge may cross the picture unless both its ends lie beyond the same side.
    crossing = np.flatnonzero(((start_sides & end_sides) == 0) & ((start_sides | end_sides) < BEHIND))
    start, end = corners[:, ends[crossing, 0]], corners[:, ends[crossing, 1]]
    long = np.abs(end - start)[:2].max(axis=0) > EDGE_STEP
    start, way = start[:2, long], (end - start)[:2, long]
    # Where each edge crosses the lines of the sides; nan where it lies in such a line, which does not bound it.
    with np.errstate(divide="ignore", invalid="ignore"):
        to_low_side, to_high_side = -start / way, (size - start) / way
    enter = np.nanmax(np.vstack([np.minimum(to_low_side, to_high_side), np.zeros(way.shape[1])]), axis=0)
    leave = np.nanmin(np.vstack([np.maximum(to_low_side, to_high_side), np.ones(way.shape[1])]), axis=0)
    pieces = np.ceil(np.maximum(leave - enter, 0.0) * np.abs(way).max(axis=0) / EDGE_STEP).astype(np.intp)
    owner = np.repeat(np.arange(len(pieces)), pieces)
    number = np.arange(len(owner)) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    share = enter[owner] + (number + 0.5) / pieces[owner] * (leave - enter)[owner]
    places: Floats = (start[:, owner] + share * way[:, owner]).T
    return places


def _sides(corners: Floats, size: NDArray[np.intp]) -> NDArray[np.uint8]:
    """(n,) bits for the sides of the picture beyond which a corner (row, column, depth) lies, and `BEHIND` the eye."""
    left, top, right, bottom = (sides.view(np.uint8) for sides in (*(corners[:2] <= 0.0), *(corners[:2] >= size)))
    sides: NDArray[np.uint8] = left | top << 1 | right << 2 | bottom << 3 | (corners[2] <= 0.0) * BEHIND
    return sides


def _projected_corners(view: View, body: Body) -> tuple[Floats, Floats, Floats]:
    """Column, row and depth of every vertex of a body, each moved a little into one of its faces; in float32."""
    axes = view.axes @ body.pose.rotation
    eye = body.pose.localise(view.eye[None])[0].astype(np.float32)
    across, upward, depth = turned(axes, inset_vertices(body.mesh) - eye[:, None])
    with np.errstate(divide="ignore", invalid="ignore"):
        return (across / depth - view.left) / view.step, (view.top - upward / depth) / view.step, depth


def _inside(view: View, columns: Floats, rows: Floats) -> Flags:
    inside: Flags = (columns >= 0) & (columns < view.width) & (rows >= 0) & (rows < view.height)
    return inside


def _eroded(mask: Flags, blocks: int) -> Flags:
    """The mask without the ``blocks`` outermost of its blocks, along the rows and then along the columns."""
    for rows in (True, False):
        kept = mask.copy()
        for shift in range(1, blocks + 1):
            later, sooner = np.s_[shift:], np.s_[:-shift]
            later_blocks, sooner_blocks = (later, sooner) if rows else ((slice(None), later), (slice(None), sooner))
            kept[later_blocks] &= mask[sooner_blocks]
            kept[sooner_blocks] &= mask[later_blocks]
        mask = kept
    return mask


def _at(mask: Flags, places: Floats, block: int) -> Flags:
    """(n,) the flags of a mask, in blocks of ``block`` pixels, at places (n, 2) within the picture."""
    rows, columns = places.astype(np.int32).T // block
    flags: Flags = mask.ravel().take(rows * mask.shape[1] + columns)
    return flags


def _thinned(places: Floats) -> Floats:
    """The places (n, 2), none below 0, only the first of those in the same quarter of a pixel.

    >>> _thinned(np.array([[1.0, 2.0], [1.4, 2.4], [1.5, 2.0], [1.2, 2.1]])).tolist()
    [[1.0, 2.0], [1.5, 2.0]]
    >>> _thinned(np.empty((0, 2))).tolist()
    []
    """
    rows, columns = (places * 2.0).astype(np.int64).T
    cell, number = rows * (columns.max(initial=0) + 1) + columns, np.arange(len(places))
    first = np.empty(cell.max(initial=0) + 1, dtype=np.int32)
    first[cell[::-1]] = number[::-1]
    kept: Floats = places[first[cell] == number]
    return kept


def search_contour(
    sampled: SampledView, inside: Floats, outside: Floats, request: SampleRequest, wanted: Callable[[Samples], Flags]
) -> SampledView:
    """The view with rays to places between samples ``inside`` and ``outside`` (n, 2) of the contour, where wanted."""
    steps: Floats = np.arange(1, SEARCH) / SEARCH
    places = inside[:, None] + steps[:, None] * (outside - inside)[:, None]
    return _with_wanted(sampled, request, places.reshape(-1, 2) + 0.5, wanted)


def _with_wanted(
    sampled: SampledView, request: SampleRequest, places: Floats, wanted: Callable[[Samples], Flags]
) -> SampledView:
    """The view with new samples at those of the places (n, 2), in rows and columns of the picture, that are wanted."""
    if len(places) == 0:
        return sampled
    view, scale = sampled.view, 1
    if not request.renderer.sparse:
        view, scale = sampled.view.refined(FINER), FINER
    samples = sample(view, request, places * scale - 0.5)
    samples = replace(samples, places=places - 0.5)
    is_wanted = wanted(samples)
    if not is_wanted.any():
        return sampled
    pixels = np.floor(places[is_wanted]).astype(np.int32)
    pixels = np.clip(pixels, 0, [sampled.view.height - 1, sampled.view.width - 1]).astype(np.int32)
    return sampled.with_samples(pixels, samples.selected(is_wanted))
