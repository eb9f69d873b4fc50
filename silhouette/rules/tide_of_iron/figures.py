"""DRAW: a Tide of Iron check on its board, and all that is blind from one hex.

Blind hexes are red, and yellow where the rule of the plateau hides them, as on the maps of the rulebook. Everything
but the ground is the verdict's.

    which hexes are shown -> ground -> blind hexes -> lines -> units, addresses, legend
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from silhouette.drawing.captions import BOLD, LINE, Swatch
from silhouette.drawing.sheet import Sheet
from silhouette.drawing.strokes import area, areas, cross, line, tint, title
from silhouette.drawing.words.words import why
from silhouette.errors import RequestError
from silhouette.geometry import Floats
from silhouette.renderers.protocol import Renderer
from silhouette.rules.base import Figure
from silhouette.rules.tide_of_iron.hex_ground import ROW, Board, corners, in_rectangle, middle
from silhouette.rules.tide_of_iron.hexes import Address, distance
from silhouette.rules.tide_of_iron.judge import TideOfIronVerdict, ruling
from silhouette.rules.tide_of_iron.scene import LONGEST_MAP, HexScene
from silhouette.scenes.scene import Check

BLIND, PLATEAU, HIDDEN = "xxxx", "////", "----"
"""Hatches of blind hexes, of those behind a plateau, and of those that are hidden otherwise."""

PLATEAU_EDGE = "#8a7a00"
"""The hatching on yellow, which by itself is too light for lines."""

LINE_SHIFT = 0.14
"""The distance of a shifted line from the middle."""

WHOLE = 7.0
"""A board no wider than this, in hexes, is drawn whole; of a wider one the part that matters."""

MIN_WIDTH = 5.0
"""The least width of the part of a board that is drawn, in hexes."""

DASHED = "--"

PAGE = 170.0
"""The width of the page of a whole board, and the most height of its drawing, mm."""

MOST_HEXES = 1000
"""The most hexes on the map of blind ones, those round the attacker: more would be too small in print."""


def figures(
    scene: HexScene, check: Check, verdict: TideOfIronVerdict, renderer: Renderer | None = None
) -> list[Figure]:
    """The board of a check, and, with the first check of each attacker, a map of all hexes that are blind to it.

    No map where it is too large to be judged as a whole, and nothing where the two hexes lie so far apart.
    """
    if distance(scene.address(check.attacker), scene.address(check.target)) > LONGEST_MAP:
        return []
    figures_of_check = [Figure("board", lambda sheet: draw_hex_board(sheet, scene, check, verdict), "The board")]
    first = next((earlier for earlier in scene.checks if earlier.attacker == check.attacker), check)
    try:
        checks = scene.checks_from(check.attacker) if first == check else ()
    except RequestError:
        checks = ()
    if len(checks) > 1:

        def draw_map(sheet: Sheet) -> None:
            verdicts = [ruling(scene, other) for other in _nearest(scene, check.attacker, checks)]
            draw_blind_hex_map(sheet, scene, verdicts, len(checks))

        figures_of_check.append(Figure("map", draw_map, "All that the attacker does not see"))
    return figures_of_check


def _nearest(scene: HexScene, attacker: str, checks: Sequence[Check]) -> Sequence[Check]:
    """The checks of all hexes of a board; where there are more than `MOST_HEXES`, those nearest to the attacker."""
    if len(checks) <= MOST_HEXES:
        return checks
    start = scene.address(attacker)
    away = [distance(start, scene.address(check.target)) for check in checks]
    reach = sorted(away)[MOST_HEXES]
    return [check for check, steps in zip(checks, away, strict=True) if steps < max(reach, 2)]


def draw_hex_board(sheet: Sheet, scene: HexScene, check: Check, verdict: TideOfIronVerdict) -> None:
    """Draws one Tide of Iron check on its part of the board.

    Args:
        sheet: the sheet to draw on.
        scene, check: the check that was judged, and its scene.
        verdict: the ruling on it; nothing is ruled on here.
    """
    start, end = scene.address(check.attacker), scene.address(check.target)
    board = Board(sheet, scene, _hexes_drawn(scene, verdict, start, end))
    board.draw_ground()
    _draw_entered(board, verdict)
    _draw_blind(board, verdict, start, end)
    drawn = [_ends(traced, start, end) for traced in verdict.lines]
    board.draw_addresses([at for traced in verdict.lines for at in traced.hexes], [start, end], drawn)
    _draw_lines(board, verdict, start, end)
    board.draw_units(start, end, (verdict.attacker, verdict.target))
    sheet.caption(title(sheet, verdict), why(sheet.words, verdict))


def draw_blind_hex_map(
    sheet: Sheet, scene: HexScene, verdicts: Sequence[TideOfIronVerdict], whole: int | None = None
) -> None:
    """Draws what one hex sees of a whole board: one verdict for each hex of it, all with the same attacker.

    Args:
        sheet: the sheet to draw on.
        scene: the scene of the board.
        verdicts: the rulings on the hexes to draw, at least one; nothing is ruled on here.
        whole: the number of hexes of the board, where that may be more.
    """
    start = scene.address(verdicts[0].attacker)
    targets = [scene.address(verdict.target) for verdict in verdicts]
    board = Board(sheet, scene, dict.fromkeys([*targets, start]))
    board.draw_ground()
    kinds = [_hidden_how(verdict) for verdict in verdicts]
    for kind in ("blind", "plateau", "hidden"):
        _shade(board, [at for at, how in zip(targets, kinds, strict=True) if how == kind], kind)
    board.draw_addresses([], [start])
    board.draw_units(start, None, (verdicts[0].attacker, None))
    hidden, plateau = kinds.count("hidden"), kinds.count("plateau")
    unseen = len(kinds) - kinds.count(None)
    counted = {"all": len(kinds), "unseen": unseen, "blind": kinds.count("blind"), "plateau": plateau}
    reason = board.words("map reason", hidden=hidden, **counted)
    sheet.caption(board.words("map title", attacker=verdicts[0].attacker), reason)
    if whole is not None and whole > len(verdicts):
        steps = max(verdict.distance for verdict in verdicts)
        sheet.note(board.words("map part", attacker=verdicts[0].attacker, steps=steps, all=whole))


def draw_whole_board(sheet: Sheet, scene: HexScene) -> None:
    """Draws a whole board with its units, without any check; of a very large one the hexes next to its middle.

    Args:
        sheet: the sheet to draw on.
        scene: any scene, with or without checks.
    """
    hexes = list(scene.map()) or [(0, 0)]
    if len(hexes) > MOST_HEXES:
        q, r = hexes[len(hexes) // 2]
        hexes = sorted(hexes, key=lambda at: distance(at, (q, r)))[:MOST_HEXES]
    sheet.tallest = PAGE
    board = Board(sheet, scene, hexes)
    board.draw_ground()
    board.draw_addresses([], scene.units.values())
    board.draw_all_units()
    sheet.caption(scene.title or scene.path.stem, "")


def _hexes_drawn(scene: HexScene, verdict: TideOfIronVerdict, start: Address, end: Address) -> list[Address]:
    """The hexes of the whole board where it is small, else those round the line and its blind hexes."""
    part = [start, end, *verdict.blind_hexes, *(at for traced in verdict.lines for at in traced.hexes)]
    whole = [*part, *scene.described, *scene.units.values()]
    edge = 1.0
    points = np.array([middle(address) for address in whole])
    if np.ptp(points, axis=0).max() > WHOLE:
        points, edge = np.array([middle(address) for address in part]), 1.5
    (left, bottom), (right, top) = points.min(axis=0), points.max(axis=0)
    sides = max(edge, (MIN_WIDTH - (right - left)) / 2)
    upright = max(edge, (0.5 * (right - left + 2 * sides) - (top - bottom)) / 2, ROW)
    return in_rectangle(left - sides, bottom - upright, right + sides, top + upright)


def _draw_entered(board: Board, verdict: TideOfIronVerdict) -> None:
    """The hexes that the lines enter, and on each line the hex that blocks or is closest to the lower unit."""
    sheet, style = board.sheet, board.sheet.style
    entered = dict.fromkeys(at for traced in verdict.lines for at in traced.hexes)
    crossings = [traced.finding for traced in verdict.lines]
    obstructions = dict.fromkeys(crossing.obstruction for crossing in crossings)
    for q, r in entered:
        look: dict[str, Any] = {"edge": style.ink, "width": LINE, "dashes": ":"}
        area(sheet, corners((q, r), 0.9), zorder=5.0, mark=f"entered_{q}_{r}", **look)
        if (q, r) not in obstructions:  # whose stronger edge covers it
            sheet.legend(Swatch(board.words("entered"), edge=style.ink, dashes=":"))
    for at in obstructions:
        if at is not None:
            mark = f"obstruction_{at[0]}_{at[1]}"
            area(sheet, corners(at, 0.93), edge=style.blocker_edge, width=2.2, zorder=6.0, mark=mark)
            blocks = any(crossing.obstruction == at and crossing.behind is None for crossing in crossings)
            sheet.legend(Swatch(board.words("blocks" if blocks else "obstruction"), edge=style.blocker_edge))


def _draw_blind(board: Board, verdict: TideOfIronVerdict, start: Address, end: Address) -> None:
    """The blind hexes of the verdict; behind a plateau the lower one's own hex."""
    _shade(board, verdict.blind_hexes, "blind")
    if _hidden_how(verdict) == "plateau":
        _shade(board, [end if verdict.elevations[0] > verdict.elevations[1] else start], "plateau")


def _hidden_how(verdict: TideOfIronVerdict) -> str | None:
    """Whether the target is "blind", so by the "plateau", or "hidden" otherwise; None where it is seen."""
    if verdict.line_of_sight:
        return None
    causes = {traced.finding.cause for traced in verdict.lines}
    if causes == {"plateau"}:
        return "plateau"
    return "blind" if causes <= {"plateau", "blind_hex"} else "hidden"


def _shade(board: Board, hexes: Sequence[Address], kind: str) -> None:
    """Shades and hatches the hexes of one kind that are not seen."""
    if not hexes:
        return
    style = board.sheet.style
    fill, edge, hatch, alpha = {
        "blind": (style.red, style.red, BLIND, 0.45),
        "plateau": (style.yellow, PLATEAU_EDGE, PLATEAU, 0.75),
        "hidden": (style.soft_ink, style.soft_ink, HIDDEN, 0.25),
    }[kind]
    rings = [corners(at, 0.97) for at in hexes]
    for (q, r), ring in zip(hexes, rings, strict=True):
        area(board.sheet, ring, fill=fill, alpha=alpha, zorder=1.5, mark=f"{kind}_{q}_{r}")
    areas(board.sheet, rings, edge=edge, hatch=hatch, width=0.0, zorder=1.5)
    board.sheet.avoid(np.concatenate([corners(at, 0.5) for at in hexes]))
    board.sheet.legend(Swatch(board.words(kind), fill=tint(fill, style.ground, alpha), edge=edge, hatch=hatch))


def _ends(traced: Any, start: Address, end: Address) -> Floats:
    """(2, 2) the ends of a traced line as it is drawn: one that was shifted lies beside the middles."""
    ends = np.array([middle(start), middle(end)])
    along = (ends[1] - ends[0]) / max(float(np.hypot(*(ends[1] - ends[0]))), 1e-12)
    shifted: Floats = ends + traced.shift * LINE_SHIFT * np.array([-along[1], along[0]])
    return shifted


def _draw_lines(board: Board, verdict: TideOfIronVerdict, start: Address, end: Address) -> None:
    """The traced lines: clear ones solid, blocked ones dashed, with a cross."""
    sheet, style = board.sheet, board.sheet.style
    first, last = middle(start), middle(end)
    if verdict.cause == "adjacent":
        line(sheet, first, last, style.blue, width=BOLD, mark="adjacent")
        sheet.legend(Swatch(board.words("adjacent"), edge=style.blue, line=True))
    for traced in verdict.lines:
        along = (last - first) / np.hypot(*(last - first))
        shift = _ends(traced, start, end)[0] - first
        colour, dashes = (style.blue, "-") if traced.clear else (style.red, DASHED)
        mark = f"line-{traced.side or 'straight'}-{'clear' if traced.clear else 'blocked'}"
        line(sheet, first + shift, last + shift, style.paper, width=3.0, zorder=10.0)
        line(sheet, first + shift, last + shift, colour, width=1.6, dashes=dashes, zorder=11.0, mark=mark)
        sheet.avoid_line(first + shift, last + shift)
        if not traced.clear and traced.finding.obstruction is not None:
            reach = (middle(traced.finding.obstruction) - first - shift) @ along
            cross(sheet, first + shift + along * reach, style.red)
        words = board.words("clear line" if traced.clear else "blocked line")
        sheet.legend(Swatch(words, edge=colour, line=True, dashes=dashes))
        if traced.side is not None:
            at = first + shift * 1.0 + 0.34 * (last - first)
            sheet.label(board.words(traced.side), (float(at[0]), float(at[1])), clear=(0.05, 0.05), size=6.2)
