"""DRAW: SkirmishCorps' classes of cover as an upright scale at each piece in the way, over the eye view.

The class of a piece follows from the height of its own top above the target's feet (R4, A4). The scale stands in the
depth of the piece's top: a line of sight over it meets the target lower or higher, so that heights can be compared with
the top only there.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from silhouette.common.geometry import Floats
from silhouette.drawing.captions import NAME_PT, SMALL_PT, THIN_LINE_PT
from silhouette.drawing.games.on_table import TableDrawing, table_figures
from silhouette.drawing.marks import area
from silhouette.drawing.marks import line as stroke
from silhouette.drawing.sheet import Figure, Sheet
from silhouette.drawing.table.eye_image import FIRST_PIECE_ID
from silhouette.drawing.table.eye_view import MAX_OUTLINED_BLOCKERS
from silhouette.drawing.table.sightlines import Sightline
from silhouette.drawing.typeface import height as line_height
from silhouette.drawing.typeface import printable
from silhouette.drawing.typeface import width as text_width
from silhouette.renderers.protocol import Renderer
from silhouette.rules.skirmishcorps.classes import BRICK, CLASSES
from silhouette.rules.skirmishcorps.entries import SkirmishCorpsVerdict
from silhouette.rules.skirmishcorps.scene import Cover, SkirmishScene, Unit
from silhouette.scenes.scene import Check

HEIGHT_SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)  # of a unit's height, above each of which cover is of the next class
LAST = 1.25  # the share of a unit's height at which the scale ends; its highest class has no upper limit
TOP_DEPTH = 0.2  # mm: what lies no lower below the highest point of a piece belongs to its top
TOP_EDGE_SAMPLES = 400  # the number of points on each edge of a top from which the place of a scale is chosen
OUTLINE_TOLERANCE = 2.0  # pixels by which a point of a top may lie off the upper outline of its piece
SCALE_DISTANCE_MM = 3.0  # the distance of a scale from the target, mm on paper
SCALE_WIDTH_MM = 1.0  # the width of a scale, mm on paper
SCALE_TICK_MM = 0.6  # the length by which the cuts of a scale stand out, mm on paper
LETTER_GAP = 0.8  # the distance of the letters from the scale, mm on paper


@dataclass(frozen=True, eq=False)
class _PaperScale:
    """A scale on the drawing, in its units."""

    cuts: Floats  # (6, 2) the points at `HEIGHT_SHARES` and `LAST`; the first is lower where the top of the piece is
    top: Floats  # (2,) the point at the height of the piece's top
    seen_top: Floats  # (2,) the point of the top itself, in whose depth the scale stands
    side: int  # -1 where the letters stand to the left of it, 1 to the right


def draw_height_bands(sheet: Sheet, line: Sightline) -> None:
    """Draws a scale of the classes of cover at each piece in the way, the first protector first; none by shares."""
    scene: Any = line.scene
    if scene.readings.cover_class != "piece" or line.image.surrounds:
        return
    target: Unit = scene.unit(line.verdict.target)
    # Cover that a prone attacker cannot look over is measured higher than it is, and has no top to compare with.
    as_built = {cover.name: cover for cover in scene.covers if cover.piece in line.sight.occluders.pieces}
    protecting = line.verdict.answers["protected_by"] if isinstance(line.verdict, SkirmishCorpsVerdict) else None
    names = sorted(list(line.shares)[:MAX_OUTLINED_BLOCKERS], key=lambda name: name != protecting)
    scales = list[_PaperScale]()
    for name in names:
        scale = _scale(sheet, line, target, as_built[name], scales) if name in as_built else None
        if scale is not None:
            _draw(sheet, line, scale, as_built[name].class_for(target), len(scales))
            scales.append(scale)
    if scales:
        sheet.note(sheet.words.of(scene.rules)("bands", target=target.name))


def _scale(sheet: Sheet, line: Sightline, target: Unit, cover: Cover, others: list[_PaperScale]) -> _PaperScale | None:
    """The scale of a piece; None where the highest part of it cannot be seen in the picture."""
    points, places = _seen_top(line, cover)
    if not len(points):
        return None
    there = np.flatnonzero(line.image.target.ids.any(axis=0))
    if not len(there):
        return None
    room = sheet.paper(SCALE_DISTANCE_MM + SCALE_WIDTH_MM + LETTER_GAP) + max(
        _width(sheet, line, kind) for kind in CLASSES
    )
    left, _, right, _ = sheet.bounds
    # The name of the target is to have room above it, between the scales.
    half_name = sheet.paper(text_width(printable(target.name), NAME_PT, True) / 2 + SCALE_DISTANCE_MM)
    middle, beside = float(there[0] + there[-1]) / 2, sheet.paper(SCALE_DISTANCE_MM)
    low, high = min(there[0] - beside, middle - half_name), max(there[-1] + beside, middle + half_name)
    wished = ((-1, min(max(float(low), left + room), right)), (1, max(min(float(high), right - room), left)))
    taken = {scale.side for scale in others}
    choices = []
    for side, wish in wished:
        away = np.abs(places[:, 0] - wish)
        number = int(away.argmin())
        # A top that does not reach beyond the target has its scale beside the target, with a line to it.
        choices.append((side in taken, float(away[number]), side, number, wish))
    _, _, side, number, wish = min(choices)
    feet = target.standing.low
    heights = feet + np.array([*HEIGHT_SHARES, LAST]) * target.bricks * BRICK
    heights[0] = min(heights[0], cover.standing.high)
    x, y = points[number, :2]
    columns, rows, depth = line.image.view.project(np.column_stack([np.full(6, x), np.full(6, y), heights]))
    if not (depth > 0.0).all():
        return None
    cuts = np.column_stack([columns, line.image.view.height - rows])
    beyond = (places[number, 0] - wish) * side
    shift = np.array([0.0 if beyond >= 0.0 else wish - places[number, 0], 0.0])
    return _PaperScale(cuts + shift, places[number] + shift, places[number], side)


def _seen_top(line: Sightline, cover: Cover) -> tuple[Floats, Floats]:
    """The points (n, 3) mm of the highest part of a piece at its upper outline in the picture, and their places (n, 2);
    of a top seen from above, not its nearer edges.
    """
    mesh = cover.piece.model.mesh
    vertices = cover.piece.pose.place(mesh.vertices)
    is_top = vertices[:, 2] >= cover.standing.high - TOP_DEPTH
    edges = np.concatenate([mesh.faces[:, [0, 1]], mesh.faces[:, [1, 2]], mesh.faces[:, [2, 0]]])
    edges = np.unique(np.sort(edges[is_top[edges].all(axis=1)], axis=1), axis=0)
    share = np.linspace(0.0, 1.0, TOP_EDGE_SAMPLES)[:, None]
    along = [vertices[a] * (1.0 - share) + vertices[b] * share for a, b in edges[:TOP_EDGE_SAMPLES]]
    points = np.concatenate([vertices[is_top], *along])
    columns, rows, depth = line.image.view.project(points)
    number = FIRST_PIECE_ID + next(place for place, piece in enumerate(line.scene.pieces) if piece.name == cover.name)
    shown = line.image.front.ids == number
    height, width = shown.shape
    inside = (depth > 0.0) & (columns >= 0.0) & (columns < width) & (rows >= 0.0) & (rows < height)
    points, columns, rows = points[inside], columns[inside], rows[inside]
    uppermost = np.where(shown.any(axis=0), shown.argmax(axis=0), height + OUTLINE_TOLERANCE)[columns.astype(int)]
    at_top = np.abs(rows - uppermost) <= OUTLINE_TOLERANCE
    return points[at_top], np.column_stack([columns, height - rows])[at_top]


def _width(sheet: Sheet, line: Sightline, kind: str) -> float:
    return sheet.paper(text_width(sheet.words.of(line.scene.rules)(f"band {kind}"), SMALL_PT, True))


def _draw(sheet: Sheet, line: Sightline, scale: _PaperScale, own: str, number: int) -> None:
    """Draws a scale, dark and light by turns, with the names of the classes, that of the piece in bold, and a mark at
    its top; ``number`` scales were drawn before.
    """
    letters, of = sheet.lettering, "" if number == 0 else f"-of-{number}"
    half, tick = np.array([sheet.paper(SCALE_WIDTH_MM) / 2, 0.0]), np.array([sheet.paper(SCALE_TICK_MM), 0.0])
    for place, (low, high) in enumerate(pairwise(scale.cuts)):
        corners = np.array([low - half, low + half, high + half, high - half])
        fill = letters.paper if place % 2 else letters.ink
        area(sheet, corners, fill=fill, edge=letters.ink, width=THIN_LINE_PT, zorder=12.0)
    for place, cut in enumerate(scale.cuts[: len(HEIGHT_SHARES)]):
        ends = cut - half - tick, cut + half + tick
        stroke(sheet, *ends, letters.paper, width=1.6, zorder=12.1)
        stroke(sheet, *ends, letters.ink, width=THIN_LINE_PT, zorder=12.2, mark=f"band-{place}{of}")
    if abs(scale.top[0] - scale.seen_top[0]) > 1.0:
        stroke(sheet, scale.seen_top, scale.top, letters.paper, width=1.6, zorder=12.1)
        stroke(sheet, scale.seen_top, scale.top, sheet.style.orange, width=0.9, zorder=12.2)
    tip, size = scale.top - half * scale.side, sheet.paper(1.1)
    head = np.array([tip, tip - [size * 1.5 * scale.side, size * 0.8], tip - [size * 1.5 * scale.side, -size * 0.8]])
    area(sheet, head, fill=sheet.style.orange, edge=letters.ink, width=THIN_LINE_PT, zorder=12.3, mark=f"top{of}")
    low, high = scale.cuts.min(axis=0), scale.cuts.max(axis=0)
    reach = sheet.paper(SCALE_WIDTH_MM / 2 + SCALE_TICK_MM)
    sheet.reserve(float(low[0]) - reach, float(low[1]), float(high[0]) + reach, float(high[1]))
    _name_classes(sheet, line, scale, own)


def _name_classes(sheet: Sheet, line: Sightline, scale: _PaperScale, own: str) -> None:
    """Writes the name of each class beside its part of the scale, where there is room; that of ``own`` in any case."""
    _, bottom, _, top = sheet.bounds
    high = sheet.paper(line_height(SMALL_PT))
    written = list[float]()
    parts = sorted(zip(CLASSES, pairwise(scale.cuts), strict=True), key=lambda part: part[0] != own)
    for kind, (start, end) in parts:
        least, most = max(float(start[1]), bottom + high / 2), min(float(end[1]), top - high / 2)
        level = (least + most) / 2
        if most < least or any(abs(level - other) < high for other in written):
            continue
        written.append(level)
        share = np.clip((level - start[1]) / max(end[1] - start[1], 1e-9), 0.0, 1.0)
        x = float(start[0] + share * (end[0] - start[0])) + scale.side * sheet.paper(
            SCALE_WIDTH_MM / 2 + SCALE_TICK_MM + LETTER_GAP
        )
        text = sheet.words.of(line.scene.rules)(f"band {kind}")
        sheet.text(x, level, text, ha="left" if scale.side > 0 else "right", bold=kind == own, zorder=32.0)
        wide = _width(sheet, line, kind) * scale.side
        sheet.reserve(min(x, x + wide), level - high / 2, max(x, x + wide), level + high / 2)


class SkirmishCorpsDrawing(TableDrawing[SkirmishScene]):
    """What is drawn of SkirmishCorps, in which models have no front."""

    are_facings_shown = False

    def figures(
        self, scene: SkirmishScene, check: Check, verdict: SkirmishCorpsVerdict, renderer: Renderer
    ) -> list[Figure]:
        """Eye view with the classes of cover as bands of height, plan and side view; none for other questions."""
        if verdict.ask != "protection":
            return []
        return table_figures(scene, verdict, renderer, draw_height_bands)


DRAWING = SkirmishCorpsDrawing()
