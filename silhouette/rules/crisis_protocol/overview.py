"""DRAW: a whole Crisis Protocol table from above, without any check: bases, terrain and objects with their sizes.

PlanScene -> rectangle round all pieces -> terrain, objects, bases -> names, numbers along the edges
"""

from __future__ import annotations

import numpy as np

from silhouette.drawing.captions import LINE, THIN
from silhouette.drawing.rulers import draw_grid, draw_numbers, draw_rulers, room_round
from silhouette.drawing.sheet import Sheet
from silhouette.drawing.strokes import area, disc
from silhouette.geometry import INCH, Floats
from silhouette.rules.crisis_protocol.scene import PlanScene, millimetres

PAGE = 170.0
"""The width of the page, and the most height of its drawing: two columns of print, mm."""

ROOM = 0.06
"""The room round the pieces, as a share of their extent."""


def draw_table_plan(sheet: Sheet, scene: PlanScene, *, as_ground: bool = False) -> None:
    """Draws the plan of a whole table on a grid in inches; in the scene's own units, where their length is not known.

    Args:
        sheet: the sheet to draw on.
        scene: any scene, with or without checks.
        as_ground: whether it is the ground of a map: the outlines of terrain and objects are then drawn once more, over
            what is painted on them, and characters have no colours that a map may have.
    """
    points = [_round(one.base.centre, one.base.radius) for one in scene.characters]
    points += [feature.outline.corners for feature in (*scene.terrain, *scene.objects)]
    every = np.concatenate([*points, np.zeros((0 if points else 1, 2))])
    low, high = every.min(axis=0), every.max(axis=0)
    room = max(ROOM * float((high - low).max()), 1e-9)
    left, bottom, right, top = box = (*(low - room).tolist(), *(high + room).tolist())
    sheet.tallest = PAGE
    sheet.frame(*room_round(box, sheet.width, PAGE), ground=sheet.style.paper, line=False)
    style, words = sheet.style, sheet.words.of(scene.rules)
    corners = np.array([(left, bottom), (right, bottom), (right, top), (left, top)])
    area(sheet, corners, fill=style.ground, edge=style.rule, width=LINE, zorder=0.1, mark="table")
    mm = millimetres(scene.units)
    if mm is None:
        draw_numbers(sheet, box)
        sheet.note(words("whole table", units=scene.units))
    else:
        inches = round(draw_grid(sheet, box, mm=mm) / INCH)
        draw_rulers(sheet, box, mm=mm)
        sheet.note(sheet.words("table", inches=sheet.words("inches", number=inches)))
    for number, feature in enumerate(scene.terrain):
        shape = feature.outline.corners
        area(
            sheet, shape, fill=style.terrain, edge=style.terrain_edge, width=LINE, zorder=2.0, mark=f"terrain-{number}"
        )
    for number, feature in enumerate(scene.objects):
        shape = feature.outline.corners
        area(sheet, shape, fill=style.blocker, edge=style.blocker_edge, width=LINE, zorder=3.0, mark=f"object-{number}")
    for feature in (*scene.terrain, *scene.objects) if as_ground else ():
        area(sheet, feature.outline.corners, edge=style.ink, width=THIN, zorder=4.5)
    for number, character in enumerate(scene.characters):
        centre, radius = character.base.centre, character.base.radius
        mark = f"base-{number}"
        fill, edge = (style.model, style.ink) if as_ground else (style.seen, style.seen_edge)
        disc(sheet, centre, radius, fill=fill, edge=edge, width=THIN, zorder=6.0, mark=mark)
        name = words("sized", name=character.name, size=character.size)
        sheet.label(name, (float(centre[0]), float(centre[1])), clear=(radius, radius), bold=True)
    for feature in (*scene.terrain, *scene.objects):
        shape = feature.outline.corners
        middle, half = (shape.min(axis=0) + shape.max(axis=0)) / 2, np.ptp(shape, axis=0) / 2
        name = words("sized", name=feature.name, size=feature.size)
        sheet.label(name, tuple(middle.tolist()), clear=tuple(half.tolist()), inside=True)
    sheet.caption(scene.title or scene.path.stem, "")
    sheet.data["frame"] = {"kind": "table", "bounds": list(sheet.bounds), "table": list(box), "unit": sheet.unit}
    if mm is not None:
        sheet.data["frame"]["mm"] = mm


def _round(centre: tuple[float, float], radius: float) -> Floats:
    """(4, 2) the ends of a circle along x and y."""
    x, y = centre
    return np.array([(x - radius, y), (x + radius, y), (x, y - radius), (x, y + radius)])
