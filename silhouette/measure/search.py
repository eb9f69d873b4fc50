"""COUNT, before it says "nothing": rays to where something could still be seen, or still be in the way.

Samples on a grid miss what is smaller than a pixel. So rays are sent to corners of triangles, along long edges, and
between the samples at the target's rim; what they find replaces the samples there.
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
"""In so many steps the way across the rim is searched before a share is called exactly nothing."""

EDGE_STEP = 6.0
"""Pixels between the places along a blocker's edge at which it is looked for before the target."""

FINER = 4
"""How much finer a renderer that cannot look between pixels is asked to look instead."""

BEHIND = np.uint8(16)


def search_for_seen(one: SampledView, request: SampleRequest) -> SampledView:
    """The survey with rays to corners of the target, wherever that shows something of it.

    Corners two pixels and more inside the sampled outline are left out: round them the target and what hides it were
    sampled.
    """
    columns, rows, depth = _projected_corners(one.view, request.target)
    target = one.mask(one.samples.target)
    within = _inside(one.view, columns, rows) & (depth > 0.0)
    places = np.column_stack([rows[within], columns[within]])
    places = _thinned(places[~_at(_eroded(target, 2 // one.block), places, one.block)])
    if request.renderer.sparse:
        places = places[~_wholly_hidden(one, request, places, depth[within].min(initial=np.inf))]
    return _replaced(one, request, places, lambda samples: samples.seen)


def _wholly_hidden(one: SampledView, request: SampleRequest, places: Floats, foremost: float) -> Flags:
    """At which places (n, 2) something is before all of the target, no part of which is nearer than ``foremost``, mm.

    Blockers that hide most are asked first, and the others only about what these leave.
    """
    hidden = np.zeros(len(places), dtype=np.bool_)
    for number in np.argsort(-(one.samples.blocked @ one.weight), kind="stable"):
        left = np.flatnonzero(~hidden)
        layer = request.renderer.render(one.view, [request.blockers[number]], places[left] - 0.5)
        hidden[left[layer.depth < foremost]] = True
    return hidden


def search_for_occluded(one: SampledView, request: SampleRequest) -> SampledView:
    """The survey with rays to those corners of blockers, and places along their edges, that may lie before the target.

    Where they do, the blocker is thinner than a pixel, and every pixel is sampled.
    """
    met = one.samples.depth[one.samples.target]
    if len(met) == 0:
        return one
    near_target = ~_eroded(~one.mask(one.samples.target), 1)
    places = [np.empty((0, 2))]
    for blocker in request.blockers:
        columns, rows, depth = _projected_corners(one.view, blocker)
        before = (depth > 0.0) & (depth < met.max())
        places.append(np.column_stack([rows[before], columns[before]]))
        places.append(_along_edges(one.view, long_edges(blocker.mesh), np.array([rows, columns, depth])))
    found = np.concatenate(places)
    found = found[_inside(one.view, found[:, 1], found[:, 0])]
    found = found[_at(near_target, found, one.block)]
    searched = _replaced(one, request, _thinned(found), lambda samples: samples.occluded)
    if searched is one or not request.renderer.sparse:
        return searched
    every = sample_every_pixel(one, request)
    return every if every.samples.occluded.any() else searched


def _along_edges(view: View, ends: Integers, corners: Floats) -> Floats:
    """(k, 2) rows and columns of places along the edges (e, 2) of a blocker, a few pixels apart, within the picture.

    ``corners`` (3, n) are row, column and depth of each; only edges wholly before the eye are followed.
    """
    size = np.array([view.height, view.width])[:, None]
    beside = _sides(corners, size)
    start_beside, end_beside = beside[ends[:, 0]], beside[ends[:, 1]]
    crossing = np.flatnonzero(((start_beside & end_beside) == 0) & ((start_beside | end_beside) < BEHIND))
    start, end = corners[:, ends[crossing, 0]], corners[:, ends[crossing, 1]]
    long = np.abs(end - start)[:2].max(axis=0) > EDGE_STEP
    start, way = start[:2, long], (end - start)[:2, long]
    with np.errstate(divide="ignore", invalid="ignore"):
        one, other = -start / way, (size - start) / way
    enter = np.nanmax(np.vstack([np.minimum(one, other), np.zeros(way.shape[1])]), axis=0)
    leave = np.nanmin(np.vstack([np.maximum(one, other), np.ones(way.shape[1])]), axis=0)
    pieces = np.ceil(np.maximum(leave - enter, 0.0) * np.abs(way).max(axis=0) / EDGE_STEP).astype(np.intp)
    owner = np.repeat(np.arange(len(pieces)), pieces)
    number = np.arange(len(owner)) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    share = enter[owner] + (number + 0.5) / pieces[owner] * (leave - enter)[owner]
    places: Floats = (start[:, owner] + share * way[:, owner]).T
    return places


def _sides(corners: Floats, size: NDArray[np.intp]) -> NDArray[np.uint8]:
    """(n,) bits that say beside which sides of the picture a corner (row, column, depth) lies, and `BEHIND` the eye."""
    left, top, right, bottom = (sides.view(np.uint8) for sides in (*(corners[:2] <= 0.0), *(corners[:2] >= size)))
    sides: NDArray[np.uint8] = left | top << 1 | right << 2 | bottom << 3 | (corners[2] <= 0.0) * BEHIND
    return sides


def _projected_corners(view: View, body: Body) -> tuple[Floats, Floats, Floats]:
    """Column, row and depth of every corner of a body, each nudged into one of its faces; float32 will do."""
    axes = view.axes @ body.pose.rotation
    eye = body.pose.localise(view.eye[None])[0].astype(np.float32)
    across, upward, depth = turned(axes, inset_vertices(body.mesh) - eye[:, None])
    with np.errstate(divide="ignore", invalid="ignore"):
        return (across / depth - view.left) / view.step, (view.top - upward / depth) / view.step, depth


def _inside(view: View, columns: Floats, rows: Floats) -> Flags:
    inside: Flags = (columns >= 0) & (columns < view.width) & (rows >= 0) & (rows < view.height)
    return inside


def _eroded(mask: Flags, blocks: int) -> Flags:
    """The mask without those of its blocks that are so near to one beside it, row by row and then across."""
    for rows in (True, False):
        kept = mask.copy()
        for shift in range(1, blocks + 1):
            later, sooner = np.s_[shift:], np.s_[:-shift]
            one, other = (later, sooner) if rows else ((slice(None), later), (slice(None), sooner))
            kept[one] &= mask[other]
            kept[other] &= mask[one]
        mask = kept
    return mask


def _at(mask: Flags, places: Floats, block: int) -> Flags:
    """(n,) what a mask, in blocks so wide, says of places (n, 2) within the picture."""
    rows, columns = places.astype(np.int32).T // block
    flags: Flags = mask.ravel().take(rows * mask.shape[1] + columns)
    return flags


def _thinned(places: Floats) -> Floats:
    """The places (n, 2), none below 0, without those in whose half of a pixel, across and down, there is one before.

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
    one: SampledView, inside: Floats, outside: Floats, request: SampleRequest, wanted: Callable[[Samples], Flags]
) -> SampledView:
    """The survey with rays to places between samples ``inside`` and ``outside`` (n, 2) of the rim, where wanted."""
    steps: Floats = np.arange(1, SEARCH) / SEARCH
    places = inside[:, None] + steps[:, None] * (outside - inside)[:, None]
    return _replaced(one, request, places.reshape(-1, 2) + 0.5, wanted)


def _replaced(
    one: SampledView, request: SampleRequest, places: Floats, wanted: Callable[[Samples], Flags]
) -> SampledView:
    """The survey with samples at the places (n, 2), in rows and columns of the image's plane, where wanted."""
    if len(places) == 0:
        return one
    view, scale = one.view, 1
    if not request.renderer.sparse:
        view, scale = one.view.refined(FINER), FINER
    samples = sample(view, request, places * scale - 0.5)
    samples = replace(samples, places=places - 0.5)
    found = wanted(samples)
    if not found.any():
        return one
    pixels = np.floor(places[found]).astype(np.int32)
    pixels = np.clip(pixels, 0, [one.view.height - 1, one.view.width - 1]).astype(np.int32)
    return one.with_samples(pixels, samples.selected(found))
