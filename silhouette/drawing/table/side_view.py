"""DRAW: a check on a table, seen from the side: pieces cut along the line of sight, the target's sectors, rays."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import shapely

from silhouette.common.geometry import Floats
from silhouette.drawing.captions import LINE_PT, PAGE_EDGE_MM, THIN_LINE_PT, Swatch
from silhouette.drawing.marks import line as stroke
from silhouette.drawing.marks import rectangle, shape
from silhouette.drawing.sheet import COLUMN, MIN_HEIGHT, Sheet
from silhouette.drawing.table import sightlines
from silhouette.drawing.table.eye_image import solid_pieces
from silhouette.drawing.table.sightlines import Sightline
from silhouette.drawing.table.tracing import Rings, area_of, outline, rings_of
from silhouette.meshes.mesh import Mesh
from silhouette.scenes.table import Piece

UP = np.array([0.0, 0.0, 1.0])
CUT_OFFSET_MM = 1e-4  # mm by which the cut is moved to the left, so that it does not pass through the corners of boxes
CUT_HATCH = "\\\\\\\\\\\\"  # matplotlib's hatch for what the line of sight cuts
GROUND_STRIP_MM = 8.0  # mm on paper below the ground, for the scale bars


def draw_side_view(sheet: Sheet, line: Sightline) -> None:
    """Draws the side view: the heights between eye and target, and the bands of the target that are obscured."""
    attacker, target = line.sight.attacker, line.sight.target
    between = [(piece, mesh) for piece, mesh in solid_pieces(line.scene, line.sight) if _is_between(line, piece)]
    elevations = {piece.name: _elevation(line, piece, mesh) for piece, mesh in between}
    for piece in (attacker, target):
        elevations[piece.name] = _elevation(line, piece, piece.model.mesh)
    _frame(sheet, line, elevations)
    left, bottom, right, _ = sheet.bounds
    level = _ground(line)
    rectangle(sheet, left, bottom, right, level, fill=sheet.style.grid, zorder=2.0)
    stroke(sheet, (left, level), (right, level), sheet.style.ink, zorder=7.0)
    sheet.avoid(np.column_stack([np.linspace(left, right, 80), np.full(80, level)]))
    cuts, style = {piece.name: section(line, piece, mesh) for piece, mesh in between}, sheet.style
    for piece, _ in between:
        blocks = piece.name in line.blocking
        fill, edge = (style.blocker, style.blocker_edge) if blocks else (style.terrain, style.terrain_edge)
        shape(sheet, elevations[piece.name], fill, edge, 3.0, alpha=0.45)
        shape(sheet, cuts[piece.name], fill, edge, 4.0, hatch=CUT_HATCH, linewidth=LINE_PT)
    shape(sheet, elevations[attacker.name], style.attacker, style.attacker_edge, 6.0)
    shape(sheet, elevations[target.name], style.ignored, style.model_edge, 6.0)
    body = _elevation(line, target, target.model.significant)
    shape(sheet, body, style.seen, style.seen_edge, 6.1)
    _draw_bands(sheet, line, body)
    shape(sheet, body, "none", style.seen_edge, 6.6, linewidth=THIN_LINE_PT)
    _draw_rays(sheet, line)
    sightlines.draw_eye(sheet, (0.0, float(line.eye[2])))
    sightlines.draw_scale(sheet, left + sheet.paper(2.5), bottom + sheet.paper(1.6), style.grid)
    names = [(attacker, True), (target, True), *((piece, False) for piece, _ in between)]
    for piece, chief in names:
        _name(sheet, piece, elevations[piece.name], chief)
    _legend(sheet, line, elevations, cuts)
    sightlines.caption(sheet, line, sheet.words("side"))
    sightlines.world_frame(sheet, line, "side")


def _elevation(line: Sightline, piece: Piece, mesh: Mesh) -> Rings:
    """The outline of a piece from the side, in mm: along the line of sight from the eye, and height."""
    origin = np.array([float(line.eye @ line.along), 0.0])
    return tuple(ring - origin for ring in outline(mesh, piece.pose, line.along, UP))


def _is_between(line: Sightline, piece: Piece) -> bool:
    if piece.name in line.blocking:
        return True
    left, right = sightlines.stretch(line)
    points = line.in_plan(piece.pose.place(piece.model.mesh.vertices))
    inside = (points[:, 0] > left) & (points[:, 0] < right)
    return bool(inside.any() and points[inside, 1].min() < 0.0 < points[inside, 1].max() and piece.kind == "terrain")


def _ground(line: Sightline) -> float:
    """The height of the table top: that of the lowest point of any piece, and at most 0 mm."""
    pieces = line.scene.pieces
    return min(0.0, *(float(piece.pose.place(piece.model.mesh.bounds)[:, 2].min()) for piece in pieces))


def _frame(sheet: Sheet, line: Sightline, elevations: dict[str, Rings]) -> None:
    """Sets the frame: from attacker to target, and high enough for both and for blockers that are not very tall."""
    left, right = sightlines.stretch(line)
    paper = (right - left) / (COLUMN - 2 * PAGE_EDGE_MM)
    low = _ground(line)
    heights = [float(line.eye[2])]
    for name in (line.sight.attacker.name, line.sight.target.name):
        heights += [float(ring[:, 1].max()) for ring in elevations[name]]
    most = max(heights)
    for name in line.blocking & elevations.keys():
        for ring in elevations[name]:
            heights.append(min(float(ring[:, 1].max()), most + 0.3 * (right - left)))
    top = max(max(heights) + 6.5 * paper, low + (MIN_HEIGHT - GROUND_STRIP_MM) * paper)
    sheet.frame(left, low - GROUND_STRIP_MM * paper, right, top)


def section(line: Sightline, piece: Piece, mesh: Mesh) -> Rings:
    """The area in which the upright plane through eye and target cuts a mesh, as rings (n, 2) in mm: along, height;
    right for meshes whose parts overlap, too.
    """
    starts, ends = _cuts(line, piece, mesh)
    if not len(starts):
        return ()
    lines = shapely.linestrings(np.stack([starts, ends], axis=1))
    faces = shapely.get_parts(shapely.polygonize([shapely.node(shapely.multilinestrings(lines))]))
    if not len(faces):
        return ()
    points = shapely.get_coordinates(shapely.point_on_surface(faces))
    solid = [face for face, point in zip(faces, points, strict=True) if _is_inside(point, starts, ends)]
    return rings_of(shapely.simplify(shapely.union_all(solid), 0.05)) if solid else ()


def _cuts(line: Sightline, piece: Piece, mesh: Mesh) -> tuple[Floats, Floats]:
    r"""The starts and ends (n, 2) of the segments in which the plane cuts triangles, the solid on one side of all."""
    points = piece.pose.place(mesh.vertices)
    distance = (points - line.eye) @ line.across - CUT_OFFSET_MM
    sides = distance[mesh.faces] > 0.0
    crossing = sides.any(axis=1) & ~sides.all(axis=1)
    faces, sides = mesh.faces[crossing], sides[crossing]
    up = sides.sum(axis=1) == 1
    alone = np.where(up, sides.argmax(axis=1), (~sides).argmax(axis=1))
    number = np.arange(len(faces))
    tip, second, third = (faces[number, (alone + step) % 3] for step in range(3))
    flat = np.column_stack([(points - line.eye) @ line.along, points[:, 2]])

    def crossing_of(a: Any, b: Any) -> Floats:
        share = (distance[a] / (distance[a] - distance[b]))[:, None]
        crossed: Floats = flat[a] + share * (flat[b] - flat[a])
        return crossed

    towards_second, towards_third = crossing_of(tip, second), crossing_of(tip, third)
    starts = np.where(up[:, None], towards_second, towards_third)
    ends = np.where(up[:, None], towards_third, towards_second)
    rounded = np.round(np.stack([starts, ends]), 4)
    long = (rounded[0] != rounded[1]).any(axis=1)
    return rounded[0][long], rounded[1][long]


def _is_inside(point: Floats, starts: Floats, ends: Floats) -> bool:
    """Whether the directed segments wind round a point (2,): more of those above it run one way than the other."""
    x, y = point
    forward, backward = (starts[:, 0] <= x) & (ends[:, 0] > x), (ends[:, 0] <= x) & (starts[:, 0] > x)
    span = np.where(ends[:, 0] == starts[:, 0], 1.0, ends[:, 0] - starts[:, 0])
    height = starts[:, 1] + (x - starts[:, 0]) / span * (ends[:, 1] - starts[:, 1])
    above = height > y
    return int((forward & above).sum()) != int((backward & above).sum())


def _draw_bands(sheet: Sheet, line: Sightline, body: Rings) -> None:
    eye = np.array([0.0, float(line.eye[2])])
    area = area_of(body)
    far = 2.0 * float(np.abs(np.concatenate(body)).max()) if body else 0.0
    for sector in line.side_sectors:
        low, high = sector.angles[0], sector.angles[-1]
        tips = [eye + far * np.array([np.cos(angle), np.sin(angle)]) for angle in (low, high)]
        band = shapely.intersection(area, shapely.Polygon([eye, *tips]))
        sightlines.hatched(sheet, rings_of(band), sector.level, 6.3)
        near, end = eye + sightlines.rays(sector, sector.reach), eye + sightlines.rays(sector, sector.end)
        look: dict[str, Any] = {"alpha": 0.35, "linewidth": 0.0}
        towards = np.concatenate([[eye], near])
        shape(sheet, (towards,), sightlines.near_colour(sheet, line, sector), "none", 2.5, **look)
        if sector.level in (sightlines.PARTLY, sightlines.WHOLLY):
            shape(sheet, (np.concatenate([near, end[::-1]]),), sheet.style.obscured, "none", 2.5, **look)


def _draw_rays(sheet: Sheet, line: Sightline) -> None:
    """Draws the rays from the eye between sectors, over the edges of blockers, and to the target's foot and top."""
    sectors, style = line.side_sectors, sheet.style
    if not sectors:
        return
    eye = np.array([0.0, float(line.eye[2])])
    ends = [max(float(lower.end.max()), float(upper.end.max())) for lower, upper in pairwise(sectors)]
    limits = [(sector.angles[0], end) for sector, end in zip(sectors[1:], ends, strict=True)]
    rims = [(sectors[0].angles[0], float(sectors[0].end[0])), (sectors[-1].angles[-1], float(sectors[-1].end[-1]))]
    for number, (angle, end) in enumerate(limits + rims, 1):
        tip = eye + end * np.array([1.0, np.tan(angle)])
        limit = number <= len(limits)
        colour, width = (style.obscured_edge, LINE_PT) if limit else (style.seen_edge, THIN_LINE_PT)
        stroke(sheet, eye, tip, colour, width=width, zorder=8.0, mark=f"{'ray' if limit else 'rim'}-{number}")
        sheet.avoid_line(eye, tip)


def _name(sheet: Sheet, piece: Piece, rings: Rings, chief: bool) -> None:
    """Writes the name of a piece beside the part of it in the frame; bold for attacker and target, the ``chief``."""
    if rings:
        left, bottom, right, top = sheet.bounds
        sheet.name(piece.name, np.clip(np.concatenate(rings), (left, bottom), (right, top)), bold=chief)


def _legend(sheet: Sheet, line: Sightline, elevations: dict[str, Rings], cuts: dict[str, Rings]) -> None:
    style = sheet.style
    entries = sightlines.level_swatches(sheet, {sector.level for sector in line.side_sectors})
    if any(sightlines.is_shown(sheet, elevations[name]) for name in line.blocking & elevations.keys()):
        entries.append(Swatch(sheet.words("in the way"), style.blocker, style.blocker_edge))
    seen_cuts = [name for name, rings in cuts.items() if sightlines.is_shown(sheet, rings)]
    if seen_cuts:
        edge = style.blocker_edge if line.blocking & set(seen_cuts) else style.terrain_edge
        entries.append(Swatch(sheet.words("cut"), style.paper, edge, CUT_HATCH))
    if len(line.side_sectors) > 1:
        entries.append(Swatch(sheet.words("ray"), edge=style.obscured_edge, line=True))
    entries += [sightlines.rim_swatch(sheet)] if line.side_sectors else []
    entries.append(sightlines.eye_swatch(sheet))
    sheet.legend(*entries)
