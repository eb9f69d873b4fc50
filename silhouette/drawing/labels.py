"""DRAW: the places of names in a figure: next to the things they name, inside the frame, without overlaps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from silhouette.drawing import typeface
from silhouette.geometry import Floats

GAP = 0.7
"""The margin of free paper round a name, mm."""

STEPS = (0.0, 2.0, 4.5, 7.5, 11.0, 15.0, 20.0, 26.0)
"""The distances, mm, by which a name is moved away where it has no room next to its thing."""

LED = 3.0
"""The distance, mm, from which a line leads from a name to its thing."""

DIRECTIONS = ((0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (-1, 1), (1, -1), (-1, -1))
"""The places of a name, the best first: above, below, to the right and left, at the corners."""

OVERLAP, ON_LINES, ON_OTHERS, OUTSIDE = 1000.0, 1.5, 12.0, 300.0
"""The costs of a place: of the share of the name on other names, of each obstacle covered, of the share on the things
of other names, of each mm outside the frame."""

ON_ITSELF = 70.0
"""The cost of the middle of a name's own thing, for a name that stands next to it: better than on other names."""

TOO_DEAR = 14.0
"""The cost from which an optional name is left out."""

Box = tuple[float, float, float, float]
"""Left, bottom, right, top."""

Point = tuple[float, float]


@dataclass(frozen=True)
class Label:
    """A name to be placed: the arguments of `silhouette.drawing.sheet.Sheet.label`."""

    text: str
    at: Point
    clear: Point
    size: float
    bold: bool
    colour: str
    inside: bool
    optional: bool


@dataclass(frozen=True)
class PlacedLabel:
    """A name with the place of its middle, and the line that leads to it from its thing, or None."""

    label: Label
    at: Point
    leader: tuple[Point, Point] | None


def place_labels(
    labels: Sequence[Label], obstacles: Sequence[Floats], reserved: Sequence[Box], bounds: Box, unit: float
) -> list[PlacedLabel]:
    """The places of all names; an earlier name has the better choice.

    Args:
        labels: the names, in units of the drawing.
        obstacles: the points (n, 2) to keep free where that is possible, in the same units.
        reserved: the boxes on which no name may stand.
        bounds: left, bottom, right, top of the frame.
        unit: the number of units of the drawing in one mm.
    """
    corner = np.array(bounds[:2])
    size = (np.array(bounds[2:]) - corner) / unit
    kept_free = (np.concatenate([np.empty((0, 2)), *obstacles]) - corner) / unit
    taken_boxes = (np.array(reserved).reshape(-1, 4) - np.tile(corner, 2)) / unit
    named = np.array([_named(label) for label in labels]).reshape(-1, 4)
    named = (named - np.tile(corner, 2)) / unit
    placed = []
    for number, label in enumerate(labels):
        middle = (np.array(label.at) - corner) / unit
        clear = np.array(label.clear) / unit
        half = np.array([typeface.width(label.text, label.size, label.bold), 0.8 * typeface.height(label.size)]) / 2
        places, costs = _candidates(middle, clear, half, label.inside)
        boxes = np.concatenate([places - half - GAP, places + half + GAP], axis=1)
        costs = costs + OVERLAP * _overlap(boxes, taken_boxes) + OUTSIDE * _outside(places, half + 0.4, size)
        costs = costs + ON_LINES * _within(kept_free, boxes)
        costs = costs + ON_OTHERS * _overlap(boxes, np.delete(named, number, axis=0))
        best = int(costs.argmin())
        if label.optional and costs[best] > TOO_DEAR:
            continue
        taken_boxes = np.concatenate([taken_boxes, boxes[best : best + 1]])
        at = places[best] * unit + corner
        placed.append(
            PlacedLabel(label, (float(at[0]), float(at[1])), _leader(label, places[best], middle, half, clear, at))
        )
    return placed


def _within(points: Floats, boxes: Floats) -> NDArray[np.intp]:
    """(n,) how many of the points (m, 2) lie within each box (n, 4), not on its border.

    >>> _within(np.array([[1.0, 1.0], [2.0, 1.0], [9.0, 1.0]]), np.array([[0.0, 0.0, 2.0, 2.0], [8.0, 0.0, 9.5, 2.0]]))
    array([1, 1])
    >>> _within(np.empty((0, 2)), np.array([[0.0, 0.0, 2.0, 2.0]]))
    array([0])
    """
    low, high = boxes[:, :2].min(axis=0), boxes[:, 2:].max(axis=0)
    x, y = points[((points > low) & (points < high)).all(axis=1)].T
    left, bottom, right, top = boxes.T[..., None]
    inside = (x > left) & (x < right) & (y > bottom) & (y < top)
    count: NDArray[np.intp] = np.count_nonzero(inside, axis=1)
    return count


def _named(label: Label) -> Box:
    """The box round the thing of a name; a point where the name may stand on the thing."""
    (x, y), (wide, high) = label.at, label.clear
    return (x, y, x, y) if label.inside else (x - wide, y - high, x + wide, y + high)


def _candidates(middle: Floats, clear: Floats, half: Floats, inside: bool) -> tuple[Floats, Floats]:
    """Places (n, 2) in mm for the middle of a name, and (n,) their costs by the distance from its thing."""
    directions = np.array(DIRECTIONS, dtype=np.float64)
    steps = np.array(STEPS)
    away = clear + half + GAP
    slanted = np.abs(directions).sum(axis=1) == 2.0
    reach = np.where(slanted[:, None], away * [1.0, 0.8], away)
    places = middle + directions * reach + steps[:, None, None] * (directions / np.hypot(*directions.T)[:, None])
    costs = steps[:, None] * 2.5 + np.arange(len(directions)) * 0.35
    places, costs = places.reshape(-1, 2), costs.reshape(-1)
    return np.concatenate([middle[None], places]), np.concatenate([[-1.0 if inside else ON_ITSELF], costs])


def _overlap(boxes: Floats, taken_boxes: Floats) -> Floats:
    """The share of each box (n, 4) that lies on boxes that are taken (m, 4)."""
    low = np.maximum(boxes[:, None, :2], taken_boxes[None, :, :2])
    high = np.minimum(boxes[:, None, 2:], taken_boxes[None, :, 2:])
    shared = np.prod(np.clip(high - low, 0.0, None), axis=2).sum(axis=1)
    area: Floats = np.prod(boxes[:, 2:] - boxes[:, :2], axis=1)
    share: Floats = shared / area
    return share


def _outside(places: Floats, half: Floats, size: Floats) -> Floats:
    """The mm by which each name sticks out of the frame, and a little more where it does at all."""
    out = np.clip(half - places, 0.0, None) + np.clip(places + half - size, 0.0, None)
    total: Floats = out.sum(axis=1)
    return total + 0.1 * (total > 0.0)


def _leader(
    label: Label, place: Floats, middle: Floats, half: Floats, clear: Floats, at: Floats
) -> tuple[Point, Point] | None:
    """The line from a thing to its name, in units of the drawing, where the name is far from it; else None."""
    gap = np.clip(np.abs(place - middle) - half - clear, 0.0, None)
    if np.hypot(*gap) <= LED:
        return None
    unit = (at - np.array(label.at)) / np.where(place == middle, 1.0, place - middle)
    scale = float(unit[np.argmax(np.abs(place - middle))])
    end = place - np.clip(place - middle, -half - GAP / 3, half + GAP / 3)
    start = middle + np.clip(end - middle, -clear, clear)
    first, last = (np.array(label.at) + (point - middle) * scale for point in (start, end))
    return (float(first[0]), float(first[1])), (float(last[0]), float(last[1]))
