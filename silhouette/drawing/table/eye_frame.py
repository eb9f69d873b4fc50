"""DRAW: the eye view as a figure: the image in a frame of vectors, each blocker outlined, with its name and share."""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import Any

import numpy as np

from silhouette.drawing.captions import Swatch
from silhouette.drawing.sheet import Sheet
from silhouette.drawing.table.eye_image import FIRST_PIECE
from silhouette.drawing.table.eye_view import DAY, NIGHT, Scenery, coloured
from silhouette.drawing.table.sightlines import Sightline
from silhouette.drawing.table.table_parts import caption
from silhouette.drawing.table.tracing import path_of, ring_area, traced
from silhouette.drawing.words.reasons import share_of_blocker
from silhouette.geometry import Flags, Floats
from silhouette.measure.observation import OBSCURED, OUTSIDE, SEEN

NAMED = 4
"""The most blockers that are outlined and named: those with the largest shares."""

SMALL_HOLE = 1500.0
"""Square pixels: smaller parts of a blocker, and smaller holes in it, are not outlined."""

COLOURS = np.array([[0, 0, 0, 0], [86, 180, 233, 48], [213, 94, 0, 60], [110, 110, 118, 48]], np.uint8)
"""(4, 4) uint8: red, green, blue and opacity of NOTHING, SEEN, OBSCURED and OUTSIDE, laid over the image."""

AVOIDED_STEP = 12
"""Pixels between those of the target that names keep off."""

SMALLEST_NAMED = 1500
"""Pixels: a disregarded piece that shows no more is not named."""

COARSE = 4
"""Pixels across a cell of the grid on which room for a name is sought."""


def draw_eye_frame(sheet: Sheet, line: Sightline, overlay: Callable[[Sheet, Sightline], None] | None = None) -> None:
    """Draws the image from the eye, the pixels that were counted, and the names and shares of the blockers.

    Args:
        sheet: the sheet to draw on.
        line: the check.
        overlay: draws what only one game shows over the image; names keep off what it reserves.
    """
    image = line.image
    height, width = image.kinds.shape
    sheet.frame(0.0, 0.0, width, height)
    sheet.picture(coloured(image, line.scene, line.sight.target, line.blocking, scenery_of(sheet)))
    _draw_counted(sheet, line)
    numbers = {piece.name: number for number, piece in enumerate(line.scene.pieces, FIRST_PIECE)}
    target = (image.kinds > 0) | (image.ghosts.ids == numbers[line.sight.target.name])
    if overlay is not None:
        overlay(sheet, line)
    _name_target(sheet, line, target)
    for name, share in list(line.shares.items())[:NAMED]:
        area = image.front.ids == numbers[name]
        if area.any():
            _outline(sheet, area)
            _name_area(sheet, area & ~target, target, share_of_blocker(sheet.words, name, share))
    for piece in line.sight.disregarded:
        area = image.disregarded.ids == numbers[piece.name]
        if area.sum() > SMALLEST_NAMED:
            _name_area(sheet, area & ~target, target, piece.name)
    _legend(sheet, line)
    caption(sheet, line, warned=True)


def scenery_of(sheet: Sheet) -> Scenery:
    """The colours round the target: those of the night on dark paper."""
    return NIGHT if int(sheet.style.paper[1:3], 16) < 128 else DAY


def _draw_counted(sheet: Sheet, line: Sightline) -> None:
    r"""Lays the pixels that were counted over the image, in the colours of their kinds.

    They lie askew, since the pixel grid of a measurement is turned against the upright (`views.ROLL`):

        +-------------------+
        |     /\           |      image: upright, the window of the figure
        |    /  \  mask    |      mask: turned; an affine map takes its pixels to those of the image
        |    \  /          |
        |     \/           |
        +-------------------+

    Where the target reaches round the eye only the first mask is shown, the one ahead.
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
    overlaid = sheet.axes.imshow(
        COLOURS[kinds],
        extent=(0.0, view.width, view.height, 0.0),
        transform=place + sheet.axes.transData,
        interpolation="none",
        aspect="auto",
        zorder=1,
    )
    overlaid.set_gid("counted")


def _name_target(sheet: Sheet, line: Sightline, target: Flags) -> None:
    """Writes the name of the target beside its pixels (height, width), and keeps other names off them."""
    if not target.any():
        return
    rows, columns = np.nonzero(target)
    low, high = np.array([columns.min(), rows.min()]), np.array([columns.max(), rows.max()])
    middle, half = (low + high) / 2, (high - low) / 2
    height = target.shape[0]
    at = float(middle[0]), float(height - middle[1])
    sheet.label(line.sight.target.name, at, clear=(float(half[0]), float(half[1])), bold=True)
    coarse_rows, coarse_columns = np.nonzero(target[::AVOIDED_STEP, ::AVOIDED_STEP])
    sheet.avoid(np.column_stack([coarse_columns * float(AVOIDED_STEP), height - coarse_rows * float(AVOIDED_STEP)]))


def _outline(sheet: Sheet, area: Flags) -> None:
    """Draws the outline of an area (height, width), dark on a wider light line, so that it stands out on any ground."""
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
    """Writes a name into an area (height, width), where there is most room near the target.

    The score of a cell is its distance from the area's edge, in cells and at most 14, less 12 for each width, or
    height, of the image that it is away from the target.
    """
    from scipy.ndimage import distance_transform_edt

    free = area.copy()
    for left, bottom, right, top in sheet.reserved:
        free[area.shape[0] - round(top) : area.shape[0] - round(bottom), round(left) : round(right)] = False
    small = np.pad(free[COARSE // 2 :: COARSE, COARSE // 2 :: COARSE], 1)
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
    """(2,) x and y of the middle of the target's pixels; of the image, where it has none."""
    if not target.any():
        return np.array(target.shape[::-1]) / 2
    rows, columns = np.nonzero(target)
    return np.array([columns.mean(), rows.mean()])


def target_swatches(sheet: Sheet, kinds: Container[int]) -> list[Swatch]:
    """The legend's entries for the kinds of pixel of a target in the image from the eye."""
    entries = {
        SEEN: Swatch(sheet.words("seen"), "#58b1e4", "#0a2842"),
        OBSCURED: Swatch(sheet.words("obscured"), "#d98547", "#a84600", "////"),
        OUTSIDE: Swatch(sheet.words("outside"), "#84848c", "#c4c4c8", "\\\\\\\\"),
    }
    return [swatch for kind, swatch in entries.items() if kind in kinds]


def _legend(sheet: Sheet, line: Sightline) -> None:
    """Draws the legend: the colours that this image has; those of the target are the same in every style."""
    image, kinds = line.image, line.image.kinds
    blocking = [number for number, piece in enumerate(line.scene.pieces, FIRST_PIECE) if piece.name in line.blocking]
    blocker, veil = ("#debe98", "#f1dee9") if scenery_of(sheet) is DAY else ("#a67c42", "#4f434f")
    sheet.legend(*target_swatches(sheet, np.unique(kinds).tolist()))
    entries = [
        (np.isin(image.front.ids, blocking).any(), Swatch(sheet.words("in the way"), blocker, sheet.style.orange)),
        (image.ghosts.ids.any(), Swatch(sheet.words("ignored"), "#f0f1f1", "#6e7684", "....")),
        (image.disregarded.ids.any(), Swatch(sheet.words("disregarded"), veil, "#843e68", dashes="--")),
    ]
    sheet.legend(*(swatch for used, swatch in entries if used))
