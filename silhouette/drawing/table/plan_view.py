"""DRAW: a check seen from above, its line of sight to the right: outlines, arcs, obscured sectors of the target."""

from __future__ import annotations

import numpy as np

from silhouette.common.geometry import cosine_and_sine
from silhouette.drawing.captions import HAIRLINE_PT, PAGE_EDGE_MM, THIN_LINE_PT, Swatch
from silhouette.drawing.marks import draw_ticks, shape
from silhouette.drawing.marks import line as stroke
from silhouette.drawing.sheet import COLUMN, Sheet
from silhouette.drawing.styles import tint
from silhouette.drawing.table import sightlines
from silhouette.drawing.table.sightlines import Sightline
from silhouette.drawing.table.tracing import Rings, insignificant, standing
from silhouette.scenes.table import Piece

MAX_WIDENING = 0.3  # most that the frame widens for blockers on each side of the line of sight, a share of its length
DASHES = (8.0, 4.0)  # the dashes of the line of sight, and their distance, in widths of the line
ARC_OPACITY = 0.13  # the opacity of the area within a vision arc
SCALE_BAR_STRIP_MM = 7.5  # mm on paper below the drawing, for the scale bars


def draw_plan_view(sheet: Sheet, line: Sightline) -> None:
    """Draws the plan: the pieces where they stand, the line of sight, and the sectors of the target."""
    outlines = {piece.name: _outline(line, piece) for piece in line.scene.pieces}
    _frame(sheet, line, outlines)
    inside = [piece for piece in line.scene.pieces if sightlines.is_shown(sheet, outlines[piece.name])]
    _draw_arcs(sheet, line)
    for piece in sorted(inside, key=lambda piece: float(piece.pose.translation[2])):
        _draw_piece(sheet, line, piece, outlines[piece.name])
    _draw_sight(sheet, line)
    models = (line.sight.attacker.name, line.sight.target.name)
    style, blocking = sheet.style, line.blocking
    for piece in inside:  # once more over the sectors, which would hide it; attacker and target lie above or apart
        edge = style.terrain_edge if piece.kind == "terrain" else style.model_edge
        if piece.name not in models:
            shape(sheet, outlines[piece.name], "none", style.blocker_edge if piece.name in blocking else edge, 8.15)
    sightlines.draw_eye(sheet, (0.0, 0.0))
    left, bottom, _, _ = sheet.bounds
    draw_ticks(sheet, sheet.bounds)
    sightlines.draw_scale(sheet, left + sheet.paper(2.5), bottom + sheet.paper(2.0), sheet.style.ground)
    order = dict.fromkeys(blocking, 1) | dict.fromkeys(models, 0)  # in which room is found for names
    for piece in sorted(inside, key=lambda piece: (order.get(piece.name, 2), piece.index)):
        _name(sheet, line, piece, outlines[piece.name])
    _legend(sheet, line, inside)
    sightlines.caption(sheet, line, sheet.words("plan"))
    sightlines.world_frame(sheet, line, "plan")


def _outline(line: Sightline, piece: Piece) -> Rings:
    rings = standing(piece.pose, piece.model.mesh)
    if not rings:
        return ()
    return tuple(np.split(line.in_plan(np.concatenate(rings)), np.cumsum([len(ring) for ring in rings[:-1]])))


def _frame(sheet: Sheet, line: Sightline, outlines: dict[str, Rings]) -> None:
    """Sets the frame: from attacker to target, and wide enough for both and for the blockers between them."""
    left, right = sightlines.stretch(line)
    length = right - left
    models = (line.sight.attacker, line.sight.target)
    rings = [ring for piece in models for ring in (*outlines[piece.name], line.in_plan(piece.base_outline))]
    across = np.concatenate(rings)[:, 1]
    low, high = across.min(), across.max()
    for name in line.blocking:
        for ring in outlines[name]:
            inside = ring[(ring[:, 0] > left) & (ring[:, 0] < right), 1]
            if len(inside):
                low = min(low, max(inside.min(), -MAX_WIDENING * length))
                high = max(high, min(inside.max(), MAX_WIDENING * length))
    room = 0.05 * length
    paper = length / (COLUMN - 2 * PAGE_EDGE_MM)
    sheet.frame(left, float(low) - room - SCALE_BAR_STRIP_MM * paper, right, float(high) + room)


def _draw_arcs(sheet: Sheet, line: Sightline) -> None:
    left, bottom, right, top = sheet.bounds
    far = 3.0 * (right - left + top - bottom)
    for number, arc in enumerate(line.drawn_arcs, 1):
        apex = line.in_plan(arc.apex[None])[0]
        ends = line.in_plan(np.array([arc.apex + far * arc.right, arc.apex + far * arc.left]))
        wedge = (np.array([apex, *ends]),)
        shape(sheet, wedge, sheet.style.arc, "none", 1.0, f"arc-{number}", alpha=ARC_OPACITY, linewidth=0.0)
        for end in ends:
            stroke(sheet, apex, end, sheet.style.arc, dashes="--", zorder=2.0)


def _draw_piece(sheet: Sheet, line: Sightline, piece: Piece, rings: Rings) -> None:
    style = sheet.style
    if piece.kind == "terrain":
        blocks = piece.name in line.blocking
        fill, edge = (style.blocker, style.blocker_edge) if blocks else (style.terrain, style.terrain_edge)
        shape(sheet, rings, fill, edge, 3.0 + blocks)
        return
    fill, edge, order = style.model, style.model_edge, 5.0
    if piece.name == line.sight.attacker.name:
        fill, edge, order = style.attacker, style.attacker_edge, 6.0
    elif piece.name == line.sight.target.name:
        fill = style.seen if line.verdict.line_of_sight else style.outside if line.outside else style.obscured
        edge, order = style.seen_edge, 9.0
    elif piece.name in line.blocking:
        fill, edge = style.blocker, style.blocker_edge
    elif any(piece.name == friend.name for friend in line.sight.disregarded):
        fill = style.ignored
    base = line.in_plan(piece.base_outline)
    shape(sheet, (base,), style.paper, edge, min(order, 6.0))
    ignored = tuple(line.in_plan(ring) for ring in standing(piece.pose, insignificant(piece.model)))
    body = tuple(line.in_plan(ring) for ring in standing(piece.pose, piece.model.significant))
    shape(sheet, ignored, style.ignored, edge, order + 0.1)
    shape(sheet, body, fill, edge, order + 0.2)
    if piece.facing is not None and line.sight.arcs is not None:  # else models have no front that matters
        ahead = np.array([*cosine_and_sine(piece.facing), 0.0])
        step = np.array([ahead @ line.along, ahead @ line.across])
        sightlines.draw_facing(sheet, base, line.in_plan(piece.base_centre[None])[0], step, edge, order + 0.3)


def _draw_sight(sheet: Sheet, line: Sightline) -> None:
    """Draws the sectors from the eye to the target: plain up to a blocker, hatched behind; and the line of sight."""
    sectors, style = line.plan_sectors, sheet.style
    for sector in sectors:
        near, far = sightlines.rays(sector, sector.reach), sightlines.rays(sector, sector.end)
        open_to = np.concatenate([[[0.0, 0.0]], near])
        shape(sheet, (open_to,), sightlines.near_colour(sheet, line, sector), "none", 8.0, alpha=0.45, linewidth=0.0)
        if sector.level == sightlines.BEYOND:
            sightlines.hatched(sheet, (open_to,), sector.level, 8.1, pale=True)
        elif sector.level != sightlines.UNOBSCURED:
            sightlines.hatched(sheet, (np.concatenate([near, far[::-1]]),), sector.level, 8.1)
    angles = [sectors[0].angles[0], sectors[-1].angles[-1]] if sectors else []
    ends = [sectors[0].end[0], sectors[-1].end[-1]] if sectors else []
    for number, (angle, end) in enumerate(zip(angles, ends, strict=True), 1):
        tip = (float(end), float(end * np.tan(angle)))
        stroke(sheet, (0.0, 0.0), tip, style.seen_edge, width=THIN_LINE_PT, zorder=8.2, mark=f"edge-{number}")
        sheet.avoid_line((0.0, 0.0), tip)
    middle = line.in_plan(line.middle[None])[0]
    dashes = (0.0, DASHES)
    stroke(sheet, (0.0, 0.0), middle, style.ink, width=HAIRLINE_PT, dashes=dashes, zorder=8.3, mark="sight-line")
    sheet.avoid_line((0.0, 0.0), middle)


def _name(sheet: Sheet, line: Sightline, piece: Piece, rings: Rings) -> None:
    box = sightlines.shown_box(sheet, rings if piece.kind == "terrain" else (*rings, line.in_plan(piece.base_outline)))
    if box is not None:
        chief = piece.name in (line.sight.attacker.name, line.sight.target.name)
        inside = piece.kind == "terrain" and bool(np.ptp(box, axis=0).min() > sheet.paper(6.0))
        sheet.name(piece.name, box, bold=chief, inside=inside, optional=not chief and piece.name not in line.blocking)


def _legend(sheet: Sheet, line: Sightline, pieces: list[Piece]) -> None:
    style = sheet.style
    levels = {sector.level for sector in line.plan_sectors}
    if levels and line.verdict.line_of_sight:  # the target has that colour
        levels.add(sightlines.UNOBSCURED)
    entries = sightlines.level_swatches(sheet, levels)
    names = {piece.name for piece in pieces}
    if line.blocking & names:
        entries.append(Swatch(sheet.words("in the way"), style.blocker, style.blocker_edge))
    if any(friend.name in names for friend in line.sight.disregarded):
        entries.append(Swatch(sheet.words("disregarded"), style.ignored, style.model_edge))
    if line.drawn_arcs:
        entries.append(Swatch(sheet.words("arc"), tint(style.arc, style.ground, ARC_OPACITY), style.arc, dashes="--"))
    entries.append(
        Swatch(sheet.words("line of sight"), edge=style.ink, line=True, dashes=(0.0, DASHES), width=HAIRLINE_PT)
    )
    entries += [sightlines.rim_swatch(sheet)] if line.plan_sectors else []
    entries.append(sightlines.eye_swatch(sheet))
    if line.sight.attacker.facing is not None and line.sight.arcs is not None:
        entries.append(sightlines.facing_swatch(sheet, style.attacker_edge))
    sheet.legend(*entries)
