"""DRAW: the attacker's eye view in a vector frame: each blocker outlined, with its name and share of the target."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from silhouette.drawing.sheet import Sheet, Swatch
from silhouette.drawing.styles import PRINT
from silhouette.drawing.table.eye_image import FIRST_PIECE
from silhouette.drawing.table.eye_view import coloured
from silhouette.drawing.table.sightlines import Sightline
from silhouette.drawing.table.table_parts import caption
from silhouette.drawing.table.tracing import path_of, ring_area, traced
from silhouette.drawing.words.reasons import share_of_blocker
from silhouette.geometry import Flags, Floats
from silhouette.measure.observe import OBSCURED, OUTSIDE, SEEN

NAMED = 4
"""Blockers that are outlined and named, at most: those with the largest shares."""

SMALL_HOLE = 1500.0
"""Pixels: smaller parts of a blocker, and smaller holes in it, are not outlined."""

COLOURS = np.array([[0, 0, 0, 0], [86, 180, 233, 48], [213, 94, 0, 60], [110, 110, 118, 48]], np.uint8)
"""Red, green, blue and opacity of the kinds of pixel, as they are laid over the picture."""

COARSE = 4
"""Pixels to a cell in which room for a name is looked for."""


def draw_eye_frame(sheet: Sheet, line: Sightline, overlay: Callable[[Sheet, Sightline], None] | None = None) -> None:
    """The picture that the verdict rests on, with the names and shares of what is in the way.

    Args:
        sheet: to draw on.
        line: what was judged.
        overlay: draws over the picture what only one game shows.
    """
    image = line.image
    sheet.lettering = PRINT
    height, width = image.kinds.shape
    sheet.frame(0.0, 0.0, width, height)
    sheet.picture(coloured(image, line.scene, line.sight.target, line.blocking))
    _draw_counted(sheet, line)
    numbers = {piece.name: number for number, piece in enumerate(line.scene.pieces, FIRST_PIECE)}
    target = (image.kinds > 0) | (image.ghosts.ids == numbers[line.sight.target.name])
    _name_target(sheet, line, target)
    for name, share in list(line.shares.items())[:NAMED]:
        area = image.front.ids == numbers[name]
        if area.any():
            _outline(sheet, area)
            _name_area(sheet, area & ~target, target, share_of_blocker(sheet.words, name, share))
    for piece in line.sight.disregarded:
        area = image.disregarded.ids == numbers[piece.name]
        if area.sum() > 1500:
            _name_area(sheet, area & ~target, target, piece.name)
    if overlay is not None:
        overlay(sheet, line)
    _legend(sheet, line)
    caption(sheet, line, warned=True)


def _draw_counted(sheet: Sheet, line: Sightline) -> None:
    """The pixels that the verdict counted, each one as it was sampled, laid over the picture in the colour of its kind.

    They lie askew: the grid of the measurement is turned against the upright. Round the eye only those ahead are shown.
    """
    from matplotlib.transforms import Affine2D

    mask = line.observation.masks[0]
    view, kinds = mask.view, mask.kinds
    across, upward = view.axes[:2] @ line.image.view.axes[:2].T
    picture = line.image.view
    turn = np.array([across, upward]).T * view.step / picture.step * [1.0, -1.0]
    start = np.array([across, upward]).T @ [view.left, view.top] / picture.step
    corner = start - [picture.left / picture.step, picture.top / picture.step - picture.height]
    place = Affine2D(np.vstack([np.column_stack([turn, corner]), [0.0, 0.0, 1.0]]))
    shown = sheet.axes.imshow(
        COLOURS[kinds],
        extent=(0.0, view.width, view.height, 0.0),
        transform=place + sheet.axes.transData,
        interpolation="none",
        aspect="auto",
        zorder=1,
    )
    shown.set_gid("counted")


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
    for colour, width in ((sheet.lettering.paper, 1.9), (sheet.style.orange, 0.9)):
        patch = PathPatch(path, facecolor="none", edgecolor=colour, linewidth=width, joinstyle="round", zorder=10)
        sheet.axes.add_artist(patch)


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
        (SEEN in kinds, Swatch(sheet.words("seen"), "#58b1e4", "#0a2842")),
        (OBSCURED in kinds, Swatch(sheet.words("obscured"), "#d98547", "#a84600", "////")),
        (OUTSIDE in kinds, Swatch(sheet.words("outside"), "#84848c", "#c4c4c8", "\\\\\\\\")),
        (bool(line.blocking), Swatch(sheet.words("in the way"), "#debe98", sheet.style.orange)),
        (image.ghosts.ids.any(), Swatch(sheet.words("ignored"), "#f0f1f1", "#6e7684", "....")),
        (image.disregarded.ids.any(), Swatch(sheet.words("disregarded"), "#f1dee9", "#843e68", dashes="--")),
    ]
    sheet.legend(*(swatch for used, swatch in entries if used))
