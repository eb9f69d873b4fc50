"""DRAW, for games by data: the clauses that decided, in plan; and the view from the eye where something was measured.

verdict with its clauses -> the pieces and lines that they rest on -> frame round them -> plan, names, legend
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from silhouette.drawing.captions import BOLD, LINE, SMALL, THIN, Swatch
from silhouette.drawing.rulers import draw_ticks
from silhouette.drawing.sheet import COLUMN, Sheet
from silhouette.drawing.strokes import line, title
from silhouette.drawing.table.figures import table_figures
from silhouette.drawing.table.table_parts import draw_facing, shape
from silhouette.drawing.table.tracing import Rings, standing
from silhouette.drawing.words.reasons import told_in_figures, why
from silhouette.geometry import Floats, cosine_and_sine
from silhouette.renderers.protocol import Renderer
from silhouette.rules.base import Figure
from silhouette.rules.data.found import Use
from silhouette.rules.data.results import DataVerdict
from silhouette.rules.data.scene import DataScene
from silhouette.rules.data.words import quantity
from silhouette.scenes.pieces import Piece
from silhouette.scenes.scene import Check

ROOM = 0.12
"""The margin round all that matters, as a share of its size."""

STRIP = 7.0
"""mm on paper below and beside the drawing, for the numbers of the ticks."""

MOST_LINES = 12
"""Lines of one primitive that are drawn: more of them hide what they cross."""

RING = 5.0
"""The diameter of the ring where pieces touch, in points."""

LINES = {
    (False, True): ("line is free", "-."),
    (False, False): ("line crosses", "--"),
    (True, True): ("sight line", "-"),
    (True, False): ("line is blocked", "--"),
}
"""The phrase for a line and its dashes, by whether it is one of sight, and whether it is free."""

IN_PLAN = ("line", "patch", "visible", "crossed", "distance", "contact")
"""The primitives whose lines the plan shows."""

FROM_THE_EYE = ("obscured", "seen", "line", "patch", "visible", "in_arc")
"""The primitives whose answers the view from the eye shows, and the plan and the side view that go with it."""

Place = tuple[float, float]
"""mm in plan."""


def figures(scene: DataScene, check: Check, verdict: DataVerdict, renderer: Renderer) -> list[Figure]:
    """The figures of a check."""
    plan = Figure("plan", lambda sheet: draw_clauses(sheet, scene, verdict))
    if verdict.observation is None:
        return [plan]
    eye, plain, side = table_figures(scene, verdict, renderer)
    in_plan = any(use.name not in FROM_THE_EYE for use in _deciding(verdict))
    return [plan, eye, side] if in_plan else [eye, plain, side]


def draw_clauses(sheet: Sheet, scene: DataScene, verdict: DataVerdict) -> None:
    """Draws in plan what decided a verdict: pieces in the way, lines, and distances.

    Args:
        sheet: the sheet to draw on.
        scene: that was judged.
        verdict: nothing is ruled on here.
    """
    words = sheet.words.of(verdict.rules)
    ends = scene.piece(verdict.attacker), scene.piece(verdict.target)
    telling = [scene.piece(name) for name in verdict.blockers]
    uses = list(_deciding(verdict))
    _frame(sheet, [*ends, *telling], [use.measured.lines[:MOST_LINES] for use in uses if use.measured is not None])
    for piece in sorted(scene.pieces, key=lambda piece: (piece.kind != "terrain", piece.base_span)):
        _draw_piece(sheet, piece, verdict, is_telling=piece in telling)
    for use in uses:
        _draw_lines(sheet, scene, use)
    for piece in (*ends, *telling, *(one for one in scene.pieces if one not in (*ends, *telling))):
        _name(sheet, piece, bold=piece in ends)
    if telling:
        sheet.legend(Swatch(words("decides"), fill=sheet.style.blocker, edge=sheet.style.blocker_edge))
    draw_ticks(sheet, sheet.bounds)
    row = verdict.row()
    sheet.caption(title(sheet, verdict), why(words, row))
    for warning in filter(told_in_figures, row["warnings"]):
        sheet.note(f"{warning[:1].upper()}{warning[1:]}.")
    sheet.note(words("plan of clauses"))
    sheet.data["clauses"] = row["clauses"]


def _deciding(verdict: DataVerdict) -> Iterator[Use]:
    """What was asked for the clauses that decided."""
    for clause in verdict.clauses:
        if clause.decides:
            yield from (use for use in clause.uses if use.unit != "clause")


def _frame(sheet: Sheet, pieces: list[Piece], lines: list[Floats]) -> None:
    """Sets the frame round some pieces and the ends of some lines."""
    points = [_round(piece) for piece in pieces]
    points += [one.reshape(-1, 3)[:, :2] for one in lines]
    every = np.concatenate(points)
    low, high = every.min(axis=0), every.max(axis=0)
    room = ROOM * float((high - low).max())
    paper = float((high - low).max()) / COLUMN * STRIP
    left, bottom = (low - room - paper).tolist()
    right, top = (high + room).tolist()
    sheet.frame(left, bottom, right, top)


def _round(piece: Piece) -> Floats:
    """(n, 2) points of a piece in plan, which its outline does not leave."""
    points: Floats = piece.whole_box[:, :2]
    return points if piece.kind == "terrain" else np.concatenate([points, piece.base_outline])


def _draw_piece(sheet: Sheet, piece: Piece, verdict: DataVerdict, *, is_telling: bool) -> None:
    """Draws terrain as its outline, a model as its base, its body and where it faces."""
    style = sheet.style
    rings: Rings = standing(piece.model.mesh if piece.kind == "terrain" else piece.model.significant, piece.pose)
    if piece.kind == "terrain":
        fill, edge = (style.blocker, style.blocker_edge) if is_telling else (style.terrain, style.terrain_edge)
        shape(sheet, rings, fill, edge, 3.0 + is_telling, linewidth=LINE if is_telling else THIN)
        return
    fill, edge = (style.blocker, style.blocker_edge) if is_telling else (style.model, style.model_edge)
    if piece.name == verdict.attacker:
        fill, edge = style.attacker, style.attacker_edge
    elif piece.name == verdict.target:
        fill, edge = (style.seen if verdict.line_of_sight else style.obscured), style.seen_edge
    base = piece.base_outline
    shape(sheet, (base,), style.paper, edge, 5.0, linewidth=BOLD)
    shape(sheet, rings, fill, edge, 5.2, linewidth=THIN)
    if piece.facing is not None and piece.name == verdict.attacker:
        draw_facing(sheet, base, piece.base_centre, np.array(cosine_and_sine(piece.facing)), edge, 5.3)
    sheet.avoid(base)


def _draw_lines(sheet: Sheet, scene: DataScene, use: Use) -> None:
    """Draws the lines on which an answer was found, the length of a distance, and where pieces touch."""
    if use.measured is None or use.name not in IN_PLAN:
        return
    for number, ((x, y, _), (to_x, to_y, _)) in enumerate(use.measured.lines[:MOST_LINES].tolist()):
        mark = f"{use.name}-{number + 1}"
        if use.name == "contact":
            _draw_contact(sheet, scene, ((x + to_x) / 2, (y + to_y) / 2), mark)
        elif use.name == "distance":
            _draw_distance(sheet, scene, use, (x, y), (to_x, to_y), mark)
        else:
            _draw_line(sheet, scene, use, (x, y), (to_x, to_y), mark)


def _draw_line(sheet: Sheet, scene: DataScene, use: Use, start: Place, end: Place, mark: str) -> None:
    """Draws a line of sight, or one from base to base."""
    is_sight = use.name != "crossed"
    free = use.holds is not False if is_sight else not use.holds
    phrase, dashes = LINES[is_sight, free]
    colour = sheet.style.seen_edge if free else sheet.style.obscured_edge
    line(sheet, start, end, colour, width=LINE, dashes=dashes, mark=mark)
    sheet.avoid_line(start, end)
    sheet.legend(Swatch(sheet.words.of(scene.rules)(phrase), edge=colour, line=True, dashes=dashes))


def _draw_distance(sheet: Sheet, scene: DataScene, use: Use, start: Place, end: Place, mark: str) -> None:
    """Draws the shortest line between two pieces, with its length."""
    assert use.measured is not None
    colour, told = sheet.style.green, quantity(use.measured, use.unit, scene.game.unit)
    line(sheet, start, end, colour, width=BOLD, dashes=":", mark=mark)
    sheet.avoid_line(start, end)
    sheet.label(told, ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2), size=SMALL, inside=True)
    words = sheet.words.of(scene.rules)
    sheet.legend(Swatch(words("nearest points", length=told), edge=colour, line=True, dashes=":"))


def _draw_contact(sheet: Sheet, scene: DataScene, place: Place, mark: str) -> None:
    """Draws a ring where two pieces touch."""
    paper, red = sheet.style.paper, sheet.style.red
    sheet.axes.plot(*place, "o", color=paper, mec=red, mew=BOLD, ms=RING, zorder=7.0, gid=mark)
    sheet.legend(Swatch(sheet.words.of(scene.rules)("touch"), fill=paper, edge=red, point="o"))


def _name(sheet: Sheet, piece: Piece, *, bold: bool) -> None:
    """Writes a piece's name, if it lies in the drawing; terrain's within it."""
    points = _round(piece)
    middle, half = (points.min(axis=0) + points.max(axis=0)) / 2, np.ptp(points, axis=0) / 2
    left, bottom, right, top = sheet.bounds
    if left <= middle[0] <= right and bottom <= middle[1] <= top:
        at, clear = (float(middle[0]), float(middle[1])), (float(half[0]), float(half[1]))
        sheet.label(piece.name, at, clear=clear, bold=bold, inside=piece.kind == "terrain")
