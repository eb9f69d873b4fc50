"""DRAW: light, creases and outlines from a depth image alone, so that a picture looks the same with every renderer.

All of it works on nearness, one over depth: over a flat surface in a flat picture nearness changes evenly, so that any
uneven change is a curve, a crease or an edge.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from silhouette.common.geometry import unit
from silhouette.renderers.views import View

Values = NDArray[np.float32]
LIGHT_DIRECTION = unit([-0.46, 0.56, -0.69]).astype(np.float32)  # right, up, forward: upper left, behind the viewer
SHADE = np.array([0.50, 0.52, 0.57], np.float32)  # left where no light falls: a little cooler than in it
JUMP = 1.2  # the step in depth, mm, from which an edge is drawn within one piece
CREASE = 0.80  # cosine of the angle between two faces from which their common edge is drawn
HOLLOW_GRID_PX = 4  # pixels from one point to the next of the grid on which hollows are looked for
REACHES = (1, 2, 4, 6, 9, 13)  # steps of that grid to what a point is compared with
# The number of directions, each with its opposite; at each distance they are turned a little further.
HOLLOW_DIRECTIONS = 5
GAP_STEEPNESS = 0.7  # steepness from which a hollow is a gap between two things: the nearer does not darken the farther


def nearness_of(depth: NDArray[np.float32]) -> Values:
    """The nearness (height, width), one over depth, per mm; 0 where nothing is."""
    with np.errstate(divide="ignore"):
        return (np.float32(1.0) / depth).astype(np.float32)


def plane(view: View) -> tuple[Values, Values]:
    """The places of the pixels in the plane at distance one: across (1, width) and upward (height, 1)."""
    across = view.left + (np.arange(view.width) + 0.5) * view.step
    upward = view.top - (np.arange(view.height) + 0.5) * view.step
    return across[None].astype(np.float32), upward[:, None].astype(np.float32)


def normals(view: View, ids: NDArray[np.int32], nearness: Values) -> Values:
    """The unit normals (height, width, 3) along the picture's right, up and forward, from the slope on the side on
    which the surface goes on more evenly, never across a change of ``ids``.
    """
    return _normals(*plane(view), view.step, ids, nearness)


def _normals(u: Values, v: Values, pixel: float, ids: NDArray[np.int32], nearness: Values) -> Values:
    """`normals`, for pixels at these places in the plane at distance one, across (1, width) and upward (height, 1)."""
    facing = np.empty((3, *ids.shape), np.float32)
    across, upward = _slope(nearness, ids, 1), _slope(nearness, ids, 0)
    across /= np.float32(pixel)
    upward /= np.float32(-pixel)
    np.negative(across, out=facing[0])
    np.negative(upward, out=facing[1])
    across *= u
    upward *= v
    np.add(across, upward, out=facing[2])
    facing[2] -= nearness
    length = facing[0] * facing[0]
    for part in facing[1:]:
        length += part * part
    np.sqrt(length, out=length)
    length[length == 0.0] = 1.0
    facing /= length
    return np.moveaxis(facing, 0, 2)  # one plane of the picture after the other in memory: twice as quick to work on


def _slope(nearness: Values, ids: NDArray[np.int32], axis: int) -> Values:
    """The change of nearness from one pixel to the next along an axis; 0 where a pixel stands alone."""
    # Of pixel n, step n + 1 leads to it and step n + 2 away from it; outside, and across a change of ids, is no step.
    shape = list(ids.shape)
    shape[axis] += 3
    steps = np.empty(shape, np.float32)
    steps[_along(axis, 0, 2)] = steps[_along(axis, -2, None)] = np.nan
    within = steps[_along(axis, 2, -2)]
    np.subtract(nearness[_along(axis, 1, None)], nearness[_along(axis, 0, -1)], out=within)
    within[ids[_along(axis, 1, None)] != ids[_along(axis, 0, -1)]] = np.nan
    behind, ahead = steps[_along(axis, 1, -2)], steps[_along(axis, 2, -1)]
    uneven = np.abs(steps[_along(axis, 1, None)] - steps[_along(axis, 0, -1)])
    before, after = uneven[_along(axis, 0, -2)], uneven[_along(axis, 2, None)]
    slope = np.where(after < before, ahead, behind)
    rim = np.isnan(before)
    there, forth = behind[rim], ahead[rim]
    slope[rim] = np.nan_to_num(np.where(np.isnan(after[rim]), np.fmin(there, forth), forth))
    return slope


Strip = tuple[slice, Values, Values]
"""Columns of some rows of a picture; there the normals (height, width, 3) and the darkness of lines (height, width)."""


def relief(view: View, ids: NDArray[np.int32], nearness: Values, rows: slice) -> Strip:
    """`normals` and `outlines` of some rows of the picture, in only those columns in which anything is drawn."""
    above, below = max(rows.start - 3, 0), min(rows.stop + 3, view.height)
    filled = np.flatnonzero(ids[above:below].any(axis=0))
    if not len(filled):
        height = rows.stop - rows.start
        return slice(0, 0), np.empty((height, 0, 3), np.float32), np.empty((height, 0), np.float32)
    columns = slice(max(int(filled[0]) - 2, 0), min(int(filled[-1]) + 3, view.width))
    part = slice(above, below), columns
    across, upward = plane(view)
    facing = _normals(across[:, columns], upward[above:below], view.step, ids[part], nearness[part])
    lines = outlines(ids[part], nearness[part], facing)
    own = slice(rows.start - above, rows.stop - above)
    return columns, facing[own], lines[own]


def light(view: View, facing: Values) -> Values:
    """The light (height, width) on surfaces with these normals, from 0 to 1: a lamp and an open sky."""
    up = (view.axes @ np.array([0.0, 0.0, 1.0])).astype(np.float32)
    lamp = np.maximum(_product(facing, LIGHT_DIRECTION), 0.0)
    return (0.23 + 0.13 * _product(facing, up) + 0.74 * lamp).astype(np.float32, copy=False)


def _product(first: Values, second: Values) -> Values:
    (a, b, c), (x, y, z) = np.moveaxis(first, -1, 0), np.moveaxis(second, -1, 0)
    product: Values = a * x + b * y + c * z
    return product


def hollows(view: View, nearness: Values) -> Values:
    """The darkness (height, width), 0 to less than 1, of creases and of where things stand on others: an ambient
    occlusion that leaves flat things flat, however slanted.
    """
    points = nearness[HOLLOW_GRID_PX // 2 :: HOLLOW_GRID_PX, HOLLOW_GRID_PX // 2 :: HOLLOW_GRID_PX]
    height, width = points.shape
    dark = np.zeros_like(points)
    depth = np.divide(1.0, points, out=np.zeros_like(points), where=points > 0.0)
    pad: dict[str, Any] = {"mode": "reflect", "reflect_type": "odd"} if min(points.shape) > 1 else {"mode": "edge"}
    for turn, reach in enumerate(REACHES):
        wide = np.pad(points, reach, **pad)
        size = np.float32(reach * HOLLOW_GRID_PX * view.step)
        for step in range(HOLLOW_DIRECTIONS):
            angle = np.pi * (step + turn / len(REACHES)) / HOLLOW_DIRECTIONS
            y, x = round(reach * np.sin(angle)), round(reach * np.cos(angle))
            first = wide[reach + y : reach + y + height, reach + x : reach + x + width]
            second = wide[reach - y : reach - y + height, reach - x : reach - x + width]
            rise = np.maximum((first + second) * np.float32(0.5) * depth - 1.0, 0.0) / size
            dark += rise / (1.0 + (rise / GAP_STEEPNESS) ** 2)
    return _resized(np.minimum(dark * np.float32(1.6 / (HOLLOW_DIRECTIONS * len(REACHES))), 0.6), nearness.shape)


def _resized(points: Values, shape: tuple[int, ...]) -> Values:
    """The coarse grid spread smoothly over the picture; only ever of shading, never of ids."""
    rows, columns = (size * HOLLOW_GRID_PX for size in points.shape)
    smooth = np.asarray(Image.fromarray(points).resize((columns, rows), Image.Resampling.BILINEAR))
    missing = [max(size - have, 0) for size, have in zip(shape, smooth.shape, strict=True)]
    if any(missing):
        smooth = np.pad(smooth, [(0, missing[0]), (0, missing[1])], mode="edge")
    return smooth[: shape[0], : shape[1]]


EDGE_STRENGTHS = np.array([0.0, 0.26, 0.6, 0.85], np.float32)  # none, crease, jump in depth, change of ids


def outlines(ids: NDArray[np.int32], nearness: Values, facing: Values) -> Values:
    """The darkness (height, width), 0 to 1, of lines: darkest where ``ids`` change, then jumps of depth, then edges."""
    kinds = np.zeros(ids.shape, np.uint8)
    for axis in (0, 1):
        edges = _edges(ids, nearness, facing, axis)
        here, there = (kinds[:-1], kinds[1:]) if axis == 0 else (kinds[:, :-1], kinds[:, 1:])
        np.maximum(here, edges, out=here)
        np.maximum(there, edges, out=there)
    lines: Values = EDGE_STRENGTHS.take(kinds)
    return lines


def _edges(ids: NDArray[np.int32], nearness: Values, facing: Values, axis: int) -> NDArray[np.uint8]:
    """Between each two neighbours along an axis, 3 where ids change, 2 where depth jumps, 1 at an edge, 0 elsewhere."""
    first: tuple[slice, ...] = (slice(None, -1), slice(None))
    second: tuple[slice, ...] = (slice(1, None), slice(None))
    if axis == 1:
        first, second = first[::-1], second[::-1]
    change = ids[first] != ids[second]
    step = np.abs(nearness[second] - nearness[first])
    lesser = np.empty_like(step)  # of the steps before and after it; at the rim itself stands for the missing one
    lesser[_along(axis, 1, None)], lesser[_along(axis, 0, 1)] = step[_along(axis, 0, -1)], step[_along(axis, 0, 1)]
    for own, after in ((_along(axis, 0, -1), _along(axis, 1, None)), (_along(axis, -1, None),) * 2):
        np.minimum(lesser[own], step[after], out=lesser[own])
    nearest = np.maximum(nearness[first], nearness[second])
    jump = step - lesser > JUMP * nearest * nearest
    turn = _product(facing[first], facing[second])
    edges = (turn < CREASE).view(np.uint8)
    edges[jump] = 2
    edges[ids[first] == 0] = 0
    edges[change] = 3
    return edges


def _along(axis: int, start: int, stop: int | None) -> tuple[slice, ...]:
    return (slice(None),) * axis + (slice(start, stop),)


def lit(albedo: Values, brightness: Values) -> Values:
    """Colours (..., 3) from 0 to 1 under a light (...): cool in the shade, as they are in the light."""
    colours = np.empty_like(albedo)
    for channel in range(3):  # over all pixels three times: thrice as quick as three values at a time
        colours[..., channel] = lit_channel(albedo[..., channel], brightness, channel)
    return colours


def lit_channel(albedo: Values, brightness: Values, channel: int) -> Values:
    """`lit` for red, green or blue alone; the albedo may be one number for all pixels."""
    tint: Values = SHADE[channel] + (np.float32(1.04) - SHADE[channel]) * brightness
    tint *= albedo
    np.clip(tint, 0.0, 1.0, out=tint)
    return tint


def mixed(under: Values, over: Values, share: Values | float) -> Values:
    """Colours with others laid over them, which cover a share (...) from 0 to 1; one colour is a colour for all."""
    covering = np.asarray(share, np.float32)
    if not covering.ndim:
        return under + (over - under) * covering
    colours = np.empty((*covering.shape, 3), np.float32)
    for channel in range(3):
        below = under[..., channel]
        colours[..., channel] = below + (over[..., channel] - below) * covering
    return colours
