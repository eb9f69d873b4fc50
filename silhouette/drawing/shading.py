"""DRAW: light, creases and outlines from a depth image alone, so that a picture looks the same with every renderer.

All of it works on nearness, one over depth: over a flat surface in a flat picture nearness changes evenly, so that any
uneven change is a curve, a crease or an edge.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from silhouette.geometry import Flags, unit
from silhouette.views import View

Values = NDArray[np.float32]

LIGHT = unit([-0.46, 0.56, -0.69]).astype(np.float32)
"""The direction to the light, along the picture's right, its up, and forward: upper left, behind the viewer."""

SHADE = np.array([0.50, 0.52, 0.57], np.float32)
"""The part of a colour that is left where no light falls: a little cooler than in the light."""

JUMP = 1.2
"""The step in depth, mm, from which an edge is drawn within one piece."""

CREASE = 0.80
"""Cosine of the angle between two faces from which their common edge is drawn."""

COARSE = 4
"""Pixels from one point to the next of the grid on which hollows are looked for."""

REACHES = (1, 2, 4, 6, 9, 13)
"""The distances at which the surroundings of a point are compared with it, in steps of that grid."""

AROUND = 5
"""The number of directions, each with its opposite; at each distance they are turned a little further."""

DEEPEST = 0.7
"""The steepness from which a hollow is a gap between two things: the nearer does not darken the farther."""


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
    """The unit normals (height, width, 3) towards the viewer, along the picture's right, up and forward.

    At each pixel the slope is taken from the side on which the surface goes on more evenly, and never across a change
    of ``ids``, so that nothing is smeared over an outline.
    """
    across = _slope(nearness, ids, 1) / np.float32(view.step)
    upward = _slope(nearness, ids, 0) / np.float32(-view.step)
    u, v = plane(view)
    facing = np.stack([-across, -upward, across * u + upward * v - nearness])
    length = np.sqrt((facing * facing).sum(axis=0))
    length[length == 0.0] = 1.0
    facing /= length
    return np.moveaxis(facing, 0, 2)  # one plane of the picture after the other in memory: twice as quick to work on


def _slope(nearness: Values, ids: NDArray[np.int32], axis: int) -> Values:
    """The change of nearness from one pixel to the next along an axis; 0 where a pixel stands alone."""
    rows, names = np.moveaxis(nearness, axis, 1), np.moveaxis(ids, axis, 1)
    # Of pixel n, step n + 1 leads to it and step n + 2 away from it; outside, and across a change of ids, is no step.
    steps = np.full((rows.shape[0], rows.shape[1] + 3), np.nan, np.float32)
    steps[:, 2:-2] = np.where(names[:, 1:] == names[:, :-1], rows[:, 1:] - rows[:, :-1], np.float32(np.nan))
    behind, ahead = steps[:, 1:-2], steps[:, 2:-1]
    uneven = np.abs(steps[:, 1:] - steps[:, :-1])
    before, after = uneven[:, :-2], uneven[:, 2:]
    either = np.where(np.isnan(after), np.fmin(behind, ahead), ahead)
    slope = np.where(np.isnan(before), either, np.where(after < before, ahead, behind))
    slopes: Values = np.moveaxis(np.nan_to_num(slope), 1, axis)
    return slopes


def light(view: View, facing: Values) -> Values:
    """The light (height, width) on surfaces with these normals, from 0 to 1: a lamp and an open sky."""
    up = (view.axes @ np.array([0.0, 0.0, 1.0])).astype(np.float32)
    lamp = np.maximum(_product(facing, LIGHT), 0.0)
    return (0.23 + 0.13 * _product(facing, up) + 0.74 * lamp).astype(np.float32, copy=False)


def _product(first: Values, second: Values) -> Values:
    """The scalar products (...) of vectors (..., 3)."""
    (a, b, c), (x, y, z) = np.moveaxis(first, -1, 0), np.moveaxis(second, -1, 0)
    product: Values = a * x + b * y + c * z
    return product


def hollows(view: View, nearness: Values) -> Values:
    """The darkness (height, width) of creases and of places where things stand on others, from 0 to less than 1.

    Two points on opposite sides of a third have its nearness as their mean where all lie in one plane, and a greater
    one where the surface is hollow: an ambient occlusion that leaves flat things flat, however slanted.
    """
    points = nearness[COARSE // 2 :: COARSE, COARSE // 2 :: COARSE]
    height, width = points.shape
    dark = np.zeros_like(points)
    depth = np.divide(1.0, points, out=np.zeros_like(points), where=points > 0.0)
    for turn, reach in enumerate(REACHES):
        wide = _carried_on(points, reach)
        size = np.float32(reach * COARSE * view.step)
        for step in range(AROUND):
            angle = np.pi * (step + turn / len(REACHES)) / AROUND
            y, x = round(reach * np.sin(angle)), round(reach * np.cos(angle))
            first = wide[reach + y : reach + y + height, reach + x : reach + x + width]
            second = wide[reach - y : reach - y + height, reach - x : reach - x + width]
            rise = np.maximum((first + second) * np.float32(0.5) * depth - 1.0, 0.0) / size
            dark += rise / (1.0 + (rise / DEEPEST) ** 2)
    return _resized(np.minimum(dark * np.float32(1.6 / (AROUND * len(REACHES))), 0.6), nearness.shape)


def _carried_on(points: Values, reach: int) -> Values:
    """The grid with a margin into which flat surfaces continue."""
    if min(points.shape) < 2:
        return np.pad(points, reach, mode="edge")
    return np.pad(points, reach, mode="reflect", reflect_type="odd")


def _resized(points: Values, shape: tuple[int, ...]) -> Values:
    """The coarse grid spread smoothly over the picture; only ever of shading, never of ids."""
    rows, columns = (size * COARSE for size in points.shape)
    smooth = np.asarray(Image.fromarray(points).resize((columns, rows), Image.Resampling.BILINEAR))
    missing = [max(size - have, 0) for size, have in zip(shape, smooth.shape, strict=True)]
    return np.pad(smooth, [(0, missing[0]), (0, missing[1])], mode="edge")[: shape[0], : shape[1]]


def outlines(ids: NDArray[np.int32], nearness: Values, facing: Values) -> Values:
    """The darkness (height, width) of the drawn lines, from 0 to 1.

    Darkest where ``ids`` change, lighter where depth jumps within a piece, lightest where faces meet at an angle.
    """
    lines = np.zeros(ids.shape, np.float32)
    for axis in (0, 1):
        change, jump, crease = _edges(ids, nearness, facing, axis)
        weight = np.maximum(np.maximum(change * np.float32(0.85), jump * np.float32(0.6)), crease * np.float32(0.26))
        here, there = (lines[:-1], lines[1:]) if axis == 0 else (lines[:, :-1], lines[:, 1:])
        np.maximum(here, weight, out=here)
        np.maximum(there, weight, out=there)
    return lines


def _edges(ids: NDArray[np.int32], nearness: Values, facing: Values, axis: int) -> tuple[Flags, Flags, Flags]:
    """Flags for each two neighbours along an axis: whether ids change, depth jumps, or faces meet at an angle."""
    first: tuple[slice, ...] = (slice(None, -1), slice(None))
    second: tuple[slice, ...] = (slice(1, None), slice(None))
    if axis == 1:
        first, second = first[::-1], second[::-1]
    change = ids[first] != ids[second]
    step = np.abs(nearness[second] - nearness[first])
    pad = [(0, 0), (0, 0)]
    pad[axis] = (1, 1)
    padded = np.pad(step, pad, mode="edge")
    expected = np.minimum(
        np.take(padded, range(step.shape[axis]), axis=axis), np.take(padded, range(2, step.shape[axis] + 2), axis=axis)
    )
    nearest = np.maximum(nearness[first], nearness[second])
    jump = ~change & (ids[first] != 0) & (step - expected > JUMP * nearest * nearest)
    turn = _product(facing[first], facing[second])
    crease = ~change & ~jump & (turn < CREASE) & (ids[first] != 0)
    return change, jump, crease


def lit(albedo: Values, brightness: Values) -> Values:
    """Colours (..., 3) from 0 to 1 under a light (...): cool in the shade, as they are in the light."""
    colours = np.empty_like(albedo)
    for channel, shade in enumerate(SHADE):  # over all pixels three times: thrice as quick as three values at a time
        tint = shade + (np.float32(1.04) - shade) * brightness
        np.clip(albedo[..., channel] * tint, 0.0, 1.0, out=colours[..., channel])
    return colours


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
