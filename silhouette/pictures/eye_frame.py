"""DRAW: the attacker's eye view in a vector frame: each blocker outlined, with its name and share of the target."""

from __future__ import annotations

from typing import Any

import numpy as np

from silhouette.geometry import Flags, Floats
from silhouette.pictures.eye_image import FIRST_PIECE, OBSCURED, OUTSIDE, SEEN
from silhouette.pictures.eye_view import coloured
from silhouette.pictures.sightlines import Sightline
from silhouette.pictures.table_parts import caption, share_of_blocker
from silhouette.pictures.tracing import path_of, ring_area, traced
from silhouette.pictures.vector import Sheet, Swatch
from silhouette.pictures.words import word

NAMED = 4
"""Blockers that are outlined and named, at most: those with the largest shares."""

SMALL_HOLE = 1500.0
"""Pixels: smaller parts of a blocker, and smaller holes in it, are not outlined."""

COARSE = 4
"""Pixels to a cell in which room for a name is looked for."""


def draw_eye_frame(sheet: Sheet, line: Sightline) -> None:
    """The picture that the verdict rests on, with the names and shares of what is in the way."""
    image = line.image
    height, width = image.kinds.shape
    sheet.frame(0.0, 0.0, width, height)
    sheet.picture(coloured(image, line.scene, line.sight.target, line.blocking))
    numbers = {piece.name: number for number, piece in enumerate(line.scene.pieces, FIRST_PIECE)}
    target = (image.kinds > 0) | (image.ghosts.ids == numbers[line.sight.target.name])
    _name_target(sheet, line, target)
    for name, share in list(line.shares.items())[:NAMED]:
        area = image.front.ids == numbers[name]
        if area.any():
            _outline(sheet, area)
            _name_area(sheet, area & ~target, target, share_of_blocker(name, share))
    for piece in line.sight.friends:
        area = image.friends.ids == numbers[piece.name]
        if area.sum() > 1500:
            _name_area(sheet, area & ~target, target, piece.name)
    _legend(sheet, line)
    caption(sheet, line, warned=True)


def _name_target(sheet: Sheet, line: Sightline, target: Flags) -> None:
    if not target.any():
        return
    rows, columns = np.nonzero(target)
    low, high = np.array([columns.min(), rows.min()]), np.array([columns.max(), rows.max()])
    middle, half = (low + high) / 2, (high - low) / 2
    height = target.shape[0]
    at = float(middle[0]), float(height - middle[1])
    sheet.label(line.sight.target.name, at, clear=(float(half[0]), float(half[1])), bold=True)
    inner = target[::12, ::12]
    found_rows, found_columns = np.nonzero(inner)
    sheet.avoid(np.column_stack([found_columns * 12.0, height - found_rows * 12.0]))


def _outline(sheet: Sheet, area: Flags) -> None:
    """Round a blocker, dark with a light rim, so that it is seen on whatever lies beside it."""
    from matplotlib.patches import PathPatch

    height = area.shape[0]
    rings = tuple(ring for ring in traced(area, tolerance=0.6) if abs(ring_area(ring)) > SMALL_HOLE)
    if not rings:
        return
    path = path_of(tuple(ring * [1.0, -1.0] + [0.0, height] for ring in rings))
    for colour, width in ((sheet.style.paper, 1.9), (sheet.style.orange, 0.9)):
        patch = PathPatch(path, facecolor="none", edgecolor=colour, linewidth=width, joinstyle="round", zorder=10)
        sheet.axes.add_patch(patch)


def _name_area(sheet: Sheet, area: Flags, target: Flags, text: str) -> None:
    """Names what covers an area, in the roomiest part of it that is near the target."""
    from scipy.ndimage import distance_transform_edt

    small = np.pad(area[COARSE // 2 :: COARSE, COARSE // 2 :: COARSE], 1)
    if not small.any():
        return
    room: Floats = distance_transform_edt(small)[1:-1, 1:-1]
    rows, columns = np.indices(room.shape)
    centre = _centre(target)
    away = np.hypot((columns * COARSE - centre[0]) / target.shape[1], (rows * COARSE - centre[1]) / target.shape[0])
    score = np.minimum(room, 14.0) - 12.0 * away
    score[room < 1.0] = -np.inf
    row, column = np.unravel_index(int(np.argmax(score)), room.shape)
    at = float(column * COARSE + COARSE / 2), float(area.shape[0] - row * COARSE - COARSE / 2)
    sheet.label(text, at, inside=True)


def _centre(target: Flags) -> Any:
    if not target.any():
        return np.array(target.shape[::-1]) / 2
    rows, columns = np.nonzero(target)
    return np.array([columns.mean(), rows.mean()])


def _legend(sheet: Sheet, line: Sightline) -> None:
    """The colours that are used in this picture; those of the picture itself, whatever the style."""
    image, kinds = line.image, line.image.kinds
    entries = [
        (SEEN in kinds, Swatch(word("seen"), "#8fcbef", "#0a2842")),
        (OBSCURED in kinds, Swatch(word("obscured"), "#ecaa7c", "#c05400", "////")),
        (OUTSIDE in kinds, Swatch(word("outside"), "#96969d", "#d4d4d7", "\\\\\\\\")),
        (bool(line.blocking), Swatch(word("in the way"), "#debe98", sheet.style.orange)),
        (image.ghosts.ids.any(), Swatch(word("ignored"), "#f0f1f1", "#6e7684", "....")),
        (image.friends.ids.any(), Swatch(word("disregarded"), "#f1dee9", "#843e68", dashes="--")),
    ]
    sheet.legend(*(swatch for used, swatch in entries if used))
