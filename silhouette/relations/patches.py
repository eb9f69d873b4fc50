"""RELATE: the greatest patch of a surface that is seen whole from one eye: a square or a disc in its picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

import numpy as np

from silhouette.geometry import Flags, Floats
from silhouette.measure.observation import Observation
from silhouette.relations.looks import PIXEL, observed, seen_at, surface_points
from silhouette.relations.measured import Measured
from silhouette.relations.obstacles import Blocker
from silhouette.relations.points import PointSet
from silhouette.views import View

Shape = Literal["square", "disc"]

FINER = 3
"""So often are pixels halved at most, where the width that is compared with lies within the error."""

EYES_AT_ONCE = 8
"""Eyes that are looked from together, at most: first from one, which is often enough, then from twice as many."""

PIXELS_WRONG = 2.0
"""By so many pixels the side of a patch may be wrong: each of its borders by one."""

LOOKS_DOWN = 1e-6
"""The sine of an angle from the vertical below which a look has no upright."""


def widest_patch(
    eyes: Floats,
    target: PointSet,
    blockers: Sequence[Blocker],
    *,
    least: float = np.inf,
    pixel: float = PIXEL,
    shape: Shape = "square",
) -> Measured:
    """The side of the greatest upright square, or the diameter of the greatest disc, all of which is seen target.

    It is a square or a disc in the flat picture taken from an eye straight at the middle of the target, measured in mm
    at the depth of that middle. The best of all eyes counts, and the search stops at the first whose patch is surely
    ``least``. Where ``least`` lies within the error, smaller pixels are taken, down to an eighth. Where the target
    reaches round the eye, patches are looked for in each of six pictures. Things in the way that are thinner than a
    pixel may be missed.

    Args:
        eyes: (n, 3) mm, world.
        target: a set with a surface.
        blockers: pieces with the part of each that blocks.
        least: mm: the size that is compared with; ``inf`` looks from every eye.
        pixel: mm at the target.
        shape: of the patch.

    Returns:
        mm, within two pixels; ``lines`` leads from the eye to the middle of the patch; ``by`` are the pieces that
        obscure something of the target from the eyes looked from, most first.

    Raises:
        ValueError: where the target has no surface.
    """
    best, hidden = Measured(0.0), dict[str, int]()
    eyes = np.asarray(eyes, dtype=np.float64).reshape(-1, 3)
    for together in _portions(eyes):
        for observation in observed(together, target, blockers, pixel):
            found = _finest(observation, target, blockers, least, shape)
            for piece, count in zip(observation.blockers, observation.counts.alone, strict=True):
                hidden[piece.name] = hidden.get(piece.name, 0) + count
            if found.value > best.value or (found.value == best.value and found.error > best.error):
                best = found
            if best.value - best.error >= least:
                return best
    by = tuple(sorted((name for name in hidden if hidden[name]), key=lambda name: -hidden[name]))
    return Measured(best.value, best.error, best.lines, by)


def _portions(eyes: Floats) -> Iterator[Floats]:
    """Eyes (n, 3) in portions: one, two, four and so on, up to `EYES_AT_ONCE`."""
    first, count = 0, 1
    while first < len(eyes):
        yield eyes[first : first + count]
        first, count = first + count, min(2 * count, EYES_AT_ONCE)


def _finest(
    observation: Observation, target: PointSet, blockers: Sequence[Blocker], least: float, shape: Shape
) -> Measured:
    """The patch of one look, taken again with smaller pixels where it is not clear whether it is ``least``."""
    found = _patch(observation, blockers, shape)
    for _ in range(FINER):
        if abs(found.value - least) > found.error:
            break
        (observation,) = observed(observation.sight.eye[None], target, blockers, observation.pixel / 2)
        found = _patch(observation, blockers, shape)
    return found


def _patch(observation: Observation, blockers: Sequence[Blocker], shape: Shape) -> Measured:
    """The greatest patch in any of the pictures of a look."""
    if observation.counts.seen == 0 and observation.decided_by == "proof":
        return Measured(0.0)
    find = greatest_square if shape == "square" else greatest_disc
    target, error = observation.sight.target, PIXELS_WRONG * observation.pixel
    best = Measured(0.0, error)
    for mask in observation.masks:
        places = _upright(mask.view)
        seen = seen_at(target, blockers, mask.view, places.reshape(-1, 2)).reshape(places.shape[:2])
        size, *middle = find(seen)
        if size * observation.pixel > best.value:
            place = places[tuple(np.round(middle).astype(int))]
            point = surface_points(target, mask.view, place[:1], place[1:])
            lines = np.stack([np.broadcast_to(observation.sight.eye, point.shape), point], axis=1)
            best = Measured(size * observation.pixel, error, lines)
    return best


def _upright(view: View) -> Floats:
    """(h, w, 2) the rows and columns of a view that make up an upright picture of the same things, as fine.

    Views are tilted, so that no edge of the table runs along their rows.
    """
    right, _, ahead = view.axes
    level = np.cross(ahead, [0.0, 0.0, 1.0])
    if np.linalg.norm(level) < LOOKS_DOWN:
        level = right
    level = level / np.linalg.norm(level)
    cosine, sine = float(right @ level), float(right @ np.cross(level, ahead))
    turn = np.array([[cosine, sine], [-sine, cosine]])
    shape = np.array([view.height, view.width])
    across = np.ceil(np.abs(np.array([shape, shape * [1, -1]]) @ turn).max(axis=0)).astype(int)
    grid = np.moveaxis(np.indices(tuple(across)), 0, -1) - (across - 1) / 2
    places: Floats = grid @ turn.T + (shape - 1) / 2
    return places


def greatest_square(mask: Flags) -> tuple[float, float, float]:
    """The side of the greatest square of a mask (h, w), in pixels, and the row and column of its middle.

    >>> greatest_square(np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1]], dtype=bool))
    (2.0, 1.5, 1.5)
    >>> greatest_square(np.zeros((2, 2), dtype=bool))
    (0.0, 0.0, 0.0)
    """
    total = np.pad(np.cumsum(np.cumsum(mask, axis=0, dtype=np.int64), axis=1), ((1, 0), (1, 0)))
    low, high, where = 0, min(mask.shape), (0, 0)
    while low < high:
        side = (low + high + 1) // 2
        inside = total[side:, side:] - total[:-side, side:] - total[side:, :-side] + total[:-side, :-side]
        full = np.flatnonzero(inside == side * side)
        if len(full):
            low, where = side, divmod(int(full[len(full) // 2]), inside.shape[1])
        else:
            high = side - 1
    middle = max(low - 1, 0) / 2
    return float(low), where[0] + middle, where[1] + middle


def greatest_disc(mask: Flags) -> tuple[float, float, float]:
    """The diameter of the greatest disc of a mask (h, w), in pixels, and the row and column of its middle.

    >>> greatest_disc(np.pad(np.ones((3, 3), dtype=bool), 1))
    (3.0, 2.0, 2.0)
    """
    from scipy.ndimage import distance_transform_edt

    away = distance_transform_edt(np.pad(mask, 1))[1:-1, 1:-1]
    row, column = divmod(int(away.argmax()), mask.shape[1])
    return max(0.0, 2.0 * float(away[row, column]) - 1.0), float(row), float(column)
