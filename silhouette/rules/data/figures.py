"""DRAW, for games by data: the clauses that decided, in plan; and the view from the eye where something was measured.

verdict with its clauses -> the pieces and lines that they rest on -> frame round them -> plan, names, legend
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from silhouette.drawing.captions import BOLD, LINE, SMALL, THIN, Swatch
from silhouette.drawing.rulers import draw_ticks
from silhouette.drawing.sheet import COLUMN, Sheet
from silhouette.drawing.strokes import area, line, tint, title
from silhouette.drawing.table.figures import table_figures
from silhouette.drawing.table.table_parts import draw_facing, shape
from silhouette.drawing.table.tracing import Rings, standing
from silhouette.drawing.words.words import told_in_figures, why
from silhouette.geometry import Floats, cosine_and_sine
from silhouette.renderers.protocol import Renderer
from silhouette.rules.base import Figure
from silhouette.rules.data.counted import (
    counting_swatches,
    draw_models,
    draw_ring,
    first_tally,
    is_pictured,
    tell_counts,
)
from silhouette.rules.data.found import Use
from silhouette.rules.data.results import DataVerdict
from silhouette.rules.data.scene import DataScene
from silhouette.rules.data.words import hidden_by, quantity
from silhouette.scenes.pieces import Piece
from silhouette.scenes.scene import Check

ROOM = 0.12
"""The margin round all that matters, as a share of its size."""

STRIP = 7.0
"""mm on paper above and to the right of the drawing, for the numbers of the ticks."""

ROOMY = 3.0
"""mm on paper: terrain that is less than twice as wide has its name beside it, and keeps other names off."""

WITHIN = 0.98
"""The share of its size within which names keep off a base."""

VEIL = 0.75
"""The opacity of the strip for the numbers."""

PALE = 0.4
"""The share of the colour of a piece that decides in that of one which only hides something."""

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
    models = [
        Figure("models", lambda sheet: draw_models(sheet, scene, verdict, renderer), "Every model that was counted.")
    ] * is_pictured(scene, verdict)
    if verdict.observation is None:
        return [plan, *models]
    eye, plain, side = (_counting(figure, verdict) for figure in table_figures(scene, verdict, renderer))
    in_plan = any(use.name not in FROM_THE_EYE for use in _asked(verdict))
    return [plan, *models, eye, side] if in_plan else [eye, *models, plain, side]


def _counting(figure: Figure, verdict: DataVerdict) -> Figure:
    """A figure with the numbers of models that were counted in its small print."""

    def draw(sheet: Sheet) -> None:
        figure.draw(sheet)
        tell_counts(sheet, verdict)

    return replace(figure, draw=draw)


def draw_clauses(sheet: Sheet, scene: DataScene, verdict: DataVerdict) -> None:
    """Draws in plan what decided a verdict: pieces in the way, lines, and distances.

    Args:
        sheet: the sheet to draw on.
        scene: that was judged.
        verdict: nothing is ruled on here.
    """
    words = sheet.words.of(verdict.rules)
    ends = scene.piece(verdict.attacker), scene.piece(verdict.target)
    deciding, hiding = decisive(verdict), hiding_only(verdict)
    telling = [scene.piece(name) for name in (*deciding, *hiding)]
    found, uses = first_tally(scene, verdict), _asked(verdict)
    counted = [] if found is None else [(one, scene.piece(one.name)) for one in found[1].members]
    shown = [*ends, *telling, *(piece for _, piece in counted)]
    _frame(sheet, shown, [use.measured.lines[:MOST_LINES] for use in uses if use.measured is not None])
    colours = {
        **dict.fromkeys(deciding, (sheet.style.blocker, LINE, "-")),
        **dict.fromkeys(hiding, (tint(sheet.style.blocker, sheet.style.ground, PALE), THIN, "--")),
    }
    for piece in sorted(scene.pieces, key=lambda piece: (piece.kind != "terrain", piece.base_span)):
        _draw_piece(sheet, piece, verdict, colours.get(piece.name))
    for one, piece in counted:
        draw_ring(sheet, piece.base_outline, counts=one.holds, mark=f"counted-{piece.index + 1}")
    for use in uses:
        _draw_lines(sheet, scene, use)
    for piece in (*ends, *telling, *(one for one in scene.pieces if one not in (*ends, *telling))):
        _name(sheet, piece, bold=piece in ends)
    for key, names in (("decides", deciding), ("hides", hiding)):
        for fill, _, dashes in [colours[name] for name in names][:1]:
            sheet.legend(Swatch(words(key), fill=fill, edge=sheet.style.blocker_edge, dashes=dashes))
    if found is not None:
        sheet.legend(*counting_swatches(sheet, *found, verdict.rules))
    _draw_ticks(sheet)
    row = verdict.row()
    sheet.caption(title(sheet, verdict), why(words, row))
    for warning in filter(told_in_figures, row["warnings"]):
        sheet.note(f"{warning[:1].upper()}{warning[1:]}.")
    tell_counts(sheet, verdict)
    sheet.note(words("plan of clauses"))
    sheet.data["clauses"] = row["clauses"]


def decisive(verdict: DataVerdict) -> tuple[str, ...]:
    """The pieces that decide: those in the way, or touched, that the reason names."""
    named = {name for clause in verdict.clauses if clause.decides for name in clause.named}
    return tuple(name for name in verdict.blockers if name in named)


def hiding_only(verdict: DataVerdict) -> tuple[str, ...]:
    """The pieces that hide something and that the reason does not name: without them the clauses might hold as well."""
    hidden = hidden_by(_asked(verdict))
    measured = () if verdict.measurement is None else verdict.measurement.blocker_rows(())
    ends, deciding = (verdict.attacker, verdict.target), decisive(verdict)
    every = dict.fromkeys((*hidden, *(row["name"] for row in measured)))
    return tuple(name for name in every if name not in (*ends, *deciding))


def _asked(verdict: DataVerdict) -> list[Use]:
    """What was asked for the clauses that decided, each once: what they rest on, and all that they counted."""
    deciding = [clause for clause in verdict.clauses if clause.decides]
    uses = [use for clause in deciding for use in clause.uses if use.unit != "clause"]
    return list(
        dict.fromkeys([*uses, *(use for one in deciding for tally in one.tallies for use in tally.every_use())])
    )


def _frame(sheet: Sheet, pieces: list[Piece], lines: list[Floats]) -> None:
    """Sets the frame round some pieces and the ends of some lines."""
    points = [_round(piece) for piece in pieces]
    points += [one.reshape(-1, 3)[:, :2] for one in lines]
    every = np.concatenate(points)
    low, high = every.min(axis=0), every.max(axis=0)
    room = ROOM * float((high - low).max())
    paper = float((high - low).max()) / COLUMN * STRIP
    left, bottom = (low - room).tolist()
    right, top = (high + room + paper).tolist()
    sheet.frame(left, bottom, right, top)


def _draw_ticks(sheet: Sheet) -> None:
    """Draws the numbers along the upper and the right edge, on a strip through which pieces shine, free of names."""
    left, bottom, right, top = sheet.bounds
    across, upward = right - sheet.paper(STRIP), top - sheet.paper(STRIP / 2)
    corners = [(left, top), (left, upward), (across, upward), (across, bottom), (right, bottom), (right, top)]
    area(sheet, corners, fill=sheet.style.ground, alpha=VEIL, width=0.0, zorder=25.0)
    draw_ticks(sheet, sheet.bounds)
    sheet.reserve(across, bottom, right, top)


def _round(piece: Piece) -> Floats:
    """(n, 2) points of a piece in plan, which its outline does not leave."""
    points: Floats = piece.whole_box[:, :2]
    return points if piece.kind == "terrain" else np.concatenate([points, piece.base_outline])


def _draw_piece(
    sheet: Sheet, piece: Piece, verdict: DataVerdict, telling: tuple[str, float, str] | None = None
) -> None:
    """Draws terrain as its outline, a model as its base, its body and where it faces.

    Args:
        sheet: the sheet to draw on.
        piece: to be drawn.
        verdict: with the names of attacker and target.
        telling: the colour of a piece that decides or hides something, and the width and the dashes of its edge.
    """
    style = sheet.style
    rings: Rings = standing(piece.model.mesh if piece.kind == "terrain" else piece.model.significant, piece.pose)
    if piece.kind == "terrain":
        fill, width, dashes = telling or (style.terrain, THIN, "-")
        edge = style.blocker_edge if telling else style.terrain_edge
        shape(sheet, rings, fill, edge, 3.0 + bool(telling), linewidth=width, linestyle=dashes)
        return
    fill, edge = (telling[0], style.blocker_edge) if telling else (style.model, style.model_edge)
    if piece.name == verdict.attacker:
        fill, edge = style.attacker, style.attacker_edge
    elif piece.name == verdict.target:
        fill, edge = (style.seen if verdict.line_of_sight else style.obscured), style.seen_edge
    base = piece.base_outline
    shape(sheet, (base,), style.paper, edge, 5.0, linewidth=BOLD)
    shape(sheet, rings, fill, edge, 5.2, linewidth=THIN)
    if piece.facing is not None and piece.name == verdict.attacker:
        draw_facing(sheet, base, piece.base_centre, np.array(cosine_and_sine(piece.facing)), edge, 5.3)
    # A little within the base: the name of a model begins at its rim, and would be kept off it by rounding.
    sheet.avoid(piece.base_centre + WITHIN * (base - piece.base_centre))


def _draw_lines(sheet: Sheet, scene: DataScene, use: Use) -> None:
    """Draws the lines on which an answer was found, the length of a distance, and where pieces touch."""
    if use.measured is None or use.name not in IN_PLAN:
        return
    if use.name == "line" and use.holds is False and not len(use.measured.lines):
        start, end = (scene.piece(name).base_centre.tolist() for name in use.of)
        _draw_line(sheet, scene, use, start, end, mark="no-line", phrase="no line")
    for number, ((x, y, _), (to_x, to_y, _)) in enumerate(use.measured.lines[:MOST_LINES].tolist()):
        mark = f"{use.name}-{number + 1}"
        if use.name == "contact":
            _draw_contact(sheet, scene, ((x + to_x) / 2, (y + to_y) / 2), mark)
        elif use.name == "distance":
            _draw_distance(sheet, scene, use, (x, y), (to_x, to_y), mark)
        else:
            _draw_line(sheet, scene, use, (x, y), (to_x, to_y), mark)


def _draw_line(
    sheet: Sheet, scene: DataScene, use: Use, start: Place, end: Place, mark: str, phrase: str | None = None
) -> None:
    """Draws a line of sight, or one from base to base; with a phrase for the legend where it is none of `LINES`."""
    is_sight = use.name != "crossed"
    free = use.holds is not False if is_sight else not use.holds
    known, dashes = LINES[is_sight, free]
    colour = sheet.style.seen_edge if free else sheet.style.obscured_edge
    line(sheet, start, end, colour, width=LINE, dashes=dashes, mark=mark)
    sheet.avoid_line(start, end)
    sheet.legend(Swatch(sheet.words.of(scene.rules)(phrase or known), edge=colour, line=True, dashes=dashes))


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
    """Writes a piece's name, if it lies in the drawing; that of large terrain within it."""
    points = _round(piece)
    middle, half = (points.min(axis=0) + points.max(axis=0)) / 2, np.ptp(points, axis=0) / 2
    left, bottom, right, top = sheet.bounds
    if left <= middle[0] <= right and bottom <= middle[1] <= top:
        at, clear = (float(middle[0]), float(middle[1])), (float(half[0]), float(half[1]))
        is_roomy = piece.kind == "terrain" and bool(half.min() > sheet.paper(ROOMY))
        sheet.label(piece.name, at, clear=clear, bold=bold, inside=is_roomy)
