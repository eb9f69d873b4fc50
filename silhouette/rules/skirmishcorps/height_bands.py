"""DRAW: SkirmishCorps' classes of cover as bands of height over the eye view, where the target stands."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from silhouette.drawing.sheet import SMALL, THIN, Sheet
from silhouette.drawing.strokes import line as stroke
from silhouette.drawing.table.sightlines import Sightline
from silhouette.drawing.typeface import height as line_height
from silhouette.drawing.typeface import width as text_width
from silhouette.rules.skirmishcorps.classes import BRICK, CLASSES

STEPS = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Shares of a unit's height: cover that reaches above one of them is of the next class (R4, A4)."""

LEFT = 1.0
"""The distance from the frame to the letters, mm."""

BEYOND = 3.0
"""The length of the lines beyond the target, mm."""


def draw_height_bands(sheet: Sheet, line: Sightline) -> None:
    """Lines at the heights, above the target's feet, at which the class of cover changes, the classes between them.

    Nothing where the chosen reading takes the class from the share obscured, or the target reaches round the eye.
    """
    scene: Any = line.scene
    if scene.readings.cover_class != "piece" or line.image.surrounds:
        return
    target = scene.unit(line.row["target"])
    heights = target.standing.low + np.array(STEPS) * target.bricks * BRICK
    points = np.column_stack([np.tile(target.middle, (len(heights), 1)), heights])
    columns, rows, depth = line.image.view.project(points)
    _, bottom, _, top = sheet.bounds
    if (depth <= 0.0).any():
        return
    levels = line.image.view.height - rows
    there = np.flatnonzero(line.image.target.ids.any(axis=0))
    right = float(there[-1] if len(there) else columns[0]) + sheet.paper(BEYOND)
    letters = sheet.lettering
    for number, level in enumerate(levels):
        if bottom < level < top:
            for colour, width, dashes in ((letters.paper, 1.6, "-"), (letters.ink, THIN, (0, (4, 2)))):
                mark = f"band-{number}" if colour == letters.ink else None
                stroke(sheet, (0.0, level), (right, level), colour, width=width, dashes=dashes, zorder=12.0, mark=mark)
            sheet.avoid_line((0.0, level), (right, level))
    for kind, (low, high) in zip(CLASSES, pairwise([*levels, top]), strict=True):
        low, high = max(float(low), bottom), min(float(high), top)
        if high - low > sheet.paper(line_height(SMALL)):
            name = sheet.words.of(scene.rules)(f"band {kind}")
            _name(sheet, name, (low + min(high, low + sheet.paper(9.0))) / 2, bold=kind == line.row["cover"])
    sheet.note(sheet.words.of(scene.rules)("bands", target=target.name))


def _name(sheet: Sheet, text: str, level: float, *, bold: bool) -> None:
    """The name of a class at the left, bold where it is the one that protects."""
    left, half = sheet.paper(LEFT), sheet.paper(line_height(SMALL)) / 2
    sheet.text(left, level, text, ha="left", bold=bold)
    sheet.reserve(0.0, level - half, left + sheet.paper(text_width(text, SMALL, bold)), level + half)
