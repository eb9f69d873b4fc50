"""DRAW: games by data: the clauses that decided, in plan, and each model that ``half`` and ``most`` counted."""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import shapely

from silhouette.common.geometry import Floats
from silhouette.drawing.captions import BOLD_LINE_PT, LINE_PT, NAME_PT, PAGE_EDGE_MM, SMALL_PT, THIN_LINE_PT, Swatch
from silhouette.drawing.games.on_table import TableDrawing, table_figures
from silhouette.drawing.marks import AreaStyle, area, draw_ticks, line, rectangle, shape, title
from silhouette.drawing.sheet import COLUMN, Figure, Sheet
from silhouette.drawing.styles import tint
from silhouette.drawing.table.eye_image import image_of
from silhouette.drawing.table.eye_view import coloured, scenery_of, target_swatches
from silhouette.drawing.table.table_view import draw_model, outline_of, points_of
from silhouette.drawing.typeface import elided, printable, width
from silhouette.drawing.words.words import told_in_figures, why
from silhouette.measure.observation import OBSCURED, SEEN, Observation
from silhouette.renderers.protocol import Renderer
from silhouette.rules.data.results import AskedClause, DataVerdict
from silhouette.rules.data.scene import DataScene
from silhouette.rules.data.values import Counted, Tally, Use
from silhouette.rules.data.words import hidden_by, quantity
from silhouette.scenes.pieces import Piece
from silhouette.scenes.scene import Check

PER_LINE, BARS_PER_LINE = 5, 10  # the most panels side by side, with pictures and without
MAX_PANELS = 20  # the most models of which pictures are shown; where there are more, their shares alone
# The greatest width of a panel, and the height of one without a picture, mm on paper.
MAX_PANEL_WIDTH_MM, PLAIN_PANEL_HEIGHT_MM = 27.0, 5.0
PANEL_GAP_MM, TYPE_HEIGHT_MM = 2.2, 3.1  # the room between panels, and the height of a line of type, mm on paper
INSET = 0.4  # the room for the frames of the outermost panels, mm on paper
WINDOW, SHOWN = 420, 300  # pixels: the side of what is rendered, and of its middle, which is shown
RING_GAP = 0.8  # the distance of a ring from the base that it marks, mm on paper


@dataclass(frozen=True)
class Row:
    """Models that were counted for one who looks; without a name where nothing says for whom."""

    name: str
    members: tuple[Counted, ...]


def first_tally(scene: DataScene, verdict: DataVerdict) -> tuple[AskedClause, Tally] | None:
    """The first clause, in the game file, that decided by counting several models, and what it counted; None if none
    did.
    """
    order = [clause.number for clause in scene.game.clauses.values()]
    for clause in sorted(verdict.clauses, key=lambda clause: order.index(clause.number)):
        if clause.decides and clause.tallies:
            tally = clause.tallies[0]
            if sum(len(row.members) for row in rows_of(tally)) > 1:
                return clause, tally
    return None


def rows_of(tally: Tally) -> list[Row]:
    """What was counted in rows: one for each member within which others were counted, or a single one. A member for
    which nobody had to be counted, since something else decided, has a row of its own.

    >>> inner = Tally((Counted("Vex", True), Counted("Yar", False)))
    >>> rows_of(inner) == [Row("", inner.members)]
    True
    >>> rows = rows_of(Tally((Counted("Kal", True, within=(inner,)), Counted("Ash", False))))
    >>> [(row.name, [one.name for one in row.members]) for row in rows]
    [('Kal', ['Vex', 'Yar']), ('Ash', ['Ash'])]
    """
    if not any(member.within for member in tally.members):
        return [Row("", tally.members)]
    return [Row(member.name, member.within[0].members if member.within else (member,)) for member in tally.members]


def tell_counts(sheet: Sheet, verdict: DataVerdict) -> None:
    """Adds to the small print how many models each deciding clause counted, and which."""
    words = sheet.words.of(verdict.rules)
    for clause in verdict.clauses:
        for tally in clause.tallies[:1] if clause.decides else ():
            some, count = tally.counting, len(tally.members)
            key = "counted" if some else "counted none"
            sheet.note(words(key, number=clause.number, some=len(some), count=count, names=", ".join(some)))


def counting_swatches(sheet: Sheet, clause: AskedClause, tally: Tally, rules: str) -> list[Swatch]:
    """The entries of the legend for the frames and rings that this tally needs."""
    words = sheet.words.of(rules)
    holding = {member.holds for row in rows_of(tally) for member in (*row.members, *tally.members)}
    texts = {True: words("counts", number=clause.number), False: words("counts not", number=clause.number)}
    return [_swatch(sheet, text, counts=counts) for counts, text in texts.items() if counts in holding]


def draw_models(sheet: Sheet, scene: DataScene, verdict: DataVerdict, renderer: Renderer) -> None:
    """Draws each model that the first counting clause asked about, with its seen and obscured parts; from its look."""
    counting = first_tally(scene, verdict)
    assert counting is not None
    clause, tally = counting
    words, rows = sheet.words.of(verdict.rules), rows_of(tally)
    panels = _Panels(sheet, scene, verdict, renderer, rows)
    kinds = {kind for row in panels.placed() for kind in panels.draw_row(*row, outer=tally)}
    sheet.legend(*(target_swatches if panels.pictured else _bar_swatches)(sheet, kinds))
    sheet.legend(*counting_swatches(sheet, clause, tally, verdict.rules))
    sheet.caption(title(sheet, verdict), why(words, verdict))
    tell_counts(sheet, verdict)
    sheet.note(words("models"))


def _bar_swatches(sheet: Sheet, kinds: Container[int]) -> list[Swatch]:
    style = sheet.style
    entries = {
        SEEN: Swatch(sheet.words("seen"), style.seen, style.seen_edge),
        OBSCURED: Swatch(sheet.words("obscured"), style.obscured, style.obscured_edge, "////"),
    }
    return [swatch for kind, swatch in entries.items() if kind in kinds]


def _swatch(sheet: Sheet, text: str, *, counts: bool) -> Swatch:
    return Swatch(text, edge=sheet.style.purple if counts else sheet.style.soft_ink, dashes="-" if counts else "--")


class _Panels:
    """The panels of a figure on a sheet, whose frame is set to hold all, in mm on paper."""

    def __init__(
        self, sheet: Sheet, scene: DataScene, verdict: DataVerdict, renderer: Renderer, rows: list[Row]
    ) -> None:
        self._sheet, self._scene, self._verdict, self._renderer, self._rows = sheet, scene, verdict, renderer, rows
        room = sheet.width - 2 * PAGE_EDGE_MM - 2 * INSET
        self._drawn = 0
        self.pictured = sum(len(row.members) for row in rows) <= MAX_PANELS
        self._per_line = PER_LINE if self.pictured else BARS_PER_LINE
        columns = min(max(len(row.members) for row in rows), self._per_line)
        self._wide = min(MAX_PANEL_WIDTH_MM, (room - PANEL_GAP_MM * (columns - 1)) / columns)
        longest = sheet.words("share", share=sheet.words.share(8888, 10000))
        self._says_obscured = width(printable(longest), SMALL_PT) <= self._wide + PANEL_GAP_MM
        self._high = self._wide if self.pictured else PLAIN_PANEL_HEIGHT_MM
        heights = [self._height(row) for row in rows]
        high = sum(heights) - PANEL_GAP_MM
        sheet.tallest = max(high + INSET, sheet.tallest)
        sheet.frame(-INSET, 0.0, room + INSET, high + INSET, ground=sheet.style.paper, line=False)
        self._tops = (high - np.cumsum([0.0, *heights[:-1]])).tolist()

    def _height(self, row: Row) -> float:
        lines = -(-len(row.members) // self._per_line)
        return (TYPE_HEIGHT_MM + 0.8) * bool(row.name) + lines * (self._high + 2 * TYPE_HEIGHT_MM + PANEL_GAP_MM)

    def placed(self) -> Iterator[tuple[Row, float]]:
        """The rows, each with the height of its upper edge."""
        yield from zip(self._rows, self._tops, strict=True)

    def draw_row(self, row: Row, top: float, *, outer: Tally) -> set[int]:
        """Draws a row; gives the kinds of pixel that its pictures have."""
        sheet, kinds = self._sheet, set[int]()
        if row.name:
            words = sheet.words.of(self._verdict.rules)
            some = sum(member.holds for member in row.members)
            line = words("row", name=row.name, some=some, count=len(row.members))
            line = elided(line, sheet.width - 5.0, NAME_PT, bold=True)
            sheet.text(3.2, top - TYPE_HEIGHT_MM / 2, line, size=NAME_PT, bold=True, ha="left")
            counts = row.name in outer.counting
            edge, fill = _swatch(sheet, "", counts=counts).edge, sheet.style.purple if counts else None
            rectangle(sheet, 0.4, top - 2.4, 2.2, top - 0.6, edge=edge, fill=fill)
            top -= TYPE_HEIGHT_MM + 0.8
        for number, member in enumerate(row.members):
            down, across = divmod(number, self._per_line)
            left = across * (self._wide + PANEL_GAP_MM)
            kinds |= self._draw(
                member, left, top - down * (self._high + 2 * TYPE_HEIGHT_MM + PANEL_GAP_MM), led=bool(row.name)
            )
        return kinds

    def _draw(self, member: Counted, left: float, top: float, *, led: bool) -> set[int]:
        sheet, look = self._sheet, look_of(member, self._verdict)
        right, bottom = left + self._wide, top - self._high
        kinds = set[int]()
        if look is not None:
            kinds = (self._picture if self.pictured else self._bar)(look, (left, right, bottom, top))
        swatch = _swatch(sheet, "", counts=member.holds)
        self._drawn += 1
        mark = f"{'counts' if member.holds else 'does-not-count'}-{self._drawn}"
        frame = AreaStyle(edge=swatch.edge, dashes=str(swatch.dashes), width=BOLD_LINE_PT, zorder=9.0, mark=mark)
        rectangle(sheet, left, bottom, right, top, **frame)
        name, share = member.name, ", ".join(hidden_by(member.uses))
        if look is not None:
            counts = look.counts
            share = sheet.words.share(counts.occluded, counts.total)
            share = sheet.words("share", share=share) if self._says_obscured else share
            is_known = led or look.sight.attacker.name == self._verdict.attacker
            if not is_known or look.sight.target.name != member.name:
                name = f"{look.sight.attacker.name} → {look.sight.target.name}"
        for text, down, bold in ((name, 0.5, True), (share, 1.5, False)):
            line = elided(text, self._wide + PANEL_GAP_MM, SMALL_PT, bold)
            sheet.text((left + right) / 2, bottom - down * TYPE_HEIGHT_MM, line, size=SMALL_PT, bold=bold, ha="center")
        return kinds

    def _bar(self, look: Observation, extent: tuple[float, float, float, float]) -> set[int]:
        """Draws the obscured share as a bar on the left; gives the kinds of pixel that it stands for."""
        left, right, bottom, top = extent
        style, counts = self._sheet.style, look.counts
        middle = left + (right - left) * (counts.occluded / max(counts.total, 1))
        for start, end, fill, edge, hatch in (
            (left, middle, style.obscured, style.obscured_edge, "////"),
            (middle, right, style.seen, style.seen_edge, None),
        ):
            if end > start:
                rectangle(self._sheet, start, bottom, end, top, fill=fill, edge=edge, hatch=hatch, width=0.0)
        return {kind for kind, shown in ((OBSCURED, middle > left), (SEEN, middle < right)) if shown}

    def _picture(self, look: Observation, extent: tuple[float, float, float, float]) -> set[int]:
        """Draws what was measured, in its surroundings; gives the kinds of pixel in it."""
        middle = slice((WINDOW - SHOWN) // 2, (WINDOW + SHOWN) // 2)
        image = image_of(self._scene, look, self._renderer, WINDOW, WINDOW, (middle, middle))
        pairs = zip(look.blockers, look.counts.alone, strict=True)
        blocking = {piece.name for piece, alone in pairs if alone}
        colours = coloured(image, self._scene, look.sight.target, blocking, scenery_of(self._sheet))
        self._sheet.axes.imshow(colours, extent=extent, interpolation="antialiased", aspect="auto", zorder=1)
        return set(np.unique(image.kinds).tolist())


def look_of(member: Counted, verdict: DataVerdict) -> Observation | None:
    """The measurement by which a model counts or does not: where several were made, that in which most is seen; first
    what says how much is obscured, since this is the share that is told.
    """
    uses = [use for use in member.uses if use in verdict.looks]

    def order(use: Use) -> tuple[bool, float]:
        counts = verdict.looks[use].counts
        return use.name != "obscured", counts.occluded / max(counts.total, 1)

    return verdict.looks[min(uses, key=order)] if uses else None


PIECE_MARGIN_SHARE = 0.12  # the margin round all that matters, as a share of its size
TICK_STRIP_MM = 7.0  # mm on paper above and to the right of the drawing, for the numbers of the ticks
ROOMY = 3.0  # mm on paper: terrain that is less than twice as wide has its name beside it, and keeps other names off
WITHIN = 0.98  # the share of its size within which names keep off a base
VEIL_OPACITY = 0.75  # the opacity of the strip for the numbers
PALE_SHARE = 0.4  # the share of the colour of a piece that decides in that of one which only hides something
MAX_PRIMITIVE_LINES = 12  # lines of one primitive that are drawn: more of them hide what they cross
SHORTEST_LINE_MM = 0.3  # mm on paper: the least length of a line that can be seen
RING_DIAMETER_PT = 5.0  # the diameter of the ring where pieces touch, in points

LINE_PHRASES = {  # by whether a line is one of sight, and free
    (False, True): ("line is free", "-."),
    (False, False): ("line crosses", "--"),
    (True, True): ("sight line", "-"),
    (True, False): ("line is blocked", "--"),
}

CORNER_PHRASES = {True: ("corners clear", "-."), False: ("corners blocked", "--")}  # by whether such a line is clear
# The primitives whose lines the plan shows
IN_PLAN = ("line", "patch", "visible", "crossed", "clear_lines", "distance", "contact")
FROM_THE_EYE = ("obscured", "seen", "line", "patch", "visible", "in_arc")  # what the view from the eye shows
Place = tuple[float, float]  # mm in plan


def _counting(figure: Figure, verdict: DataVerdict) -> Figure:
    def draw(sheet: Sheet) -> None:
        figure.draw(sheet)
        tell_counts(sheet, verdict)

    return replace(figure, draw=draw)


def draw_clauses(sheet: Sheet, scene: DataScene, verdict: DataVerdict) -> None:
    """Draws in plan what decided a verdict: pieces in the way, lines, and distances."""
    ends = [scene.piece(verdict.attacker), scene.piece(verdict.target)]
    looks = _looks(sheet, verdict)
    telling = [scene.piece(name) for name in looks]
    counting, uses = first_tally(scene, verdict), _decisive_uses(verdict)
    members = () if counting is None else counting[1].members
    counted = [scene.piece(member.name) for member in members]
    _frame(
        sheet,
        [*ends, *telling, *counted],
        [use.measured.lines[:MAX_PRIMITIVE_LINES] for use in uses if use.measured is not None],
    )
    for piece in sorted(scene.pieces, key=lambda piece: (piece.kind != "terrain", piece.base_span)):
        _draw_piece(sheet, piece, verdict, looks.get(piece.name))
    for member, piece in zip(members, counted, strict=True):
        look = _swatch(sheet, "", counts=member.holds)
        ring = np.array(shapely.Polygon(piece.base_outline).buffer(sheet.paper(RING_GAP)).exterior.coords)
        mark = f"counted-{piece.index + 1}"
        area(sheet, ring, edge=look.edge, dashes=str(look.dashes), width=BOLD_LINE_PT, zorder=5.1, mark=mark)
    for use in uses:
        _draw_lines(sheet, scene, use)
    others = [piece for piece in scene.pieces if piece not in ends and piece not in telling]
    for piece in (*ends, *telling, *others):
        _name(sheet, piece, bold=piece in ends)
    for of_piece in dict.fromkeys(looks.values()):
        words = sheet.words.of(verdict.rules)(of_piece.phrase)
        sheet.legend(Swatch(words, fill=of_piece.fill, edge=sheet.style.blocker_edge, dashes=of_piece.dashes))
    if counting is not None:
        sheet.legend(*counting_swatches(sheet, *counting, verdict.rules))
    left, bottom, right, top = sheet.bounds
    across, upward = right - sheet.paper(TICK_STRIP_MM), top - sheet.paper(TICK_STRIP_MM / 2)
    corners = [(left, top), (left, upward), (across, upward), (across, bottom), (right, bottom), (right, top)]
    area(sheet, corners, fill=sheet.style.ground, alpha=VEIL_OPACITY, width=0.0, zorder=25.0)
    square = scene.square if scene.unit_of_places == "square" else 0.0
    draw_ticks(sheet, sheet.bounds, square=square)
    sheet.reserve(across, bottom, right, top)
    _tell(sheet, verdict, "plan in squares" if square else "plan of clauses")


class _PieceLook(NamedTuple):
    """How a piece is drawn that decides, or only hides something, and the phrase for it."""

    phrase: str
    fill: str
    width: float
    dashes: str


def _looks(sheet: Sheet, verdict: DataVerdict) -> dict[str, _PieceLook]:
    """The looks of the pieces that decide, and after them of those that only hide something, by their names."""
    blocker, pale = sheet.style.blocker, tint(sheet.style.blocker, sheet.style.ground, PALE_SHARE)
    decides = dict.fromkeys(decisive(verdict), _PieceLook("decides", blocker, LINE_PT, "-"))
    return decides | dict.fromkeys(hiding_only(verdict), _PieceLook("hides", pale, THIN_LINE_PT, "--"))


def _tell(sheet: Sheet, verdict: DataVerdict, plan: str) -> None:
    words = sheet.words.of(verdict.rules)
    sheet.caption(title(sheet, verdict), why(words, verdict))
    for warning in filter(told_in_figures, verdict.warnings):
        sheet.note(f"{warning[:1].upper()}{warning[1:]}.")
    tell_counts(sheet, verdict)
    sheet.note(words(plan))
    sheet.data["clauses"] = [clause.row() for clause in verdict.clauses]


def decisive(verdict: DataVerdict) -> tuple[str, ...]:
    """The pieces that decide: those in the way, or touched, that the reason names."""
    named = {name for clause in verdict.clauses if clause.decides for name in clause.named}
    return tuple(name for name in verdict.deciding if name in named)


def hiding_only(verdict: DataVerdict) -> tuple[str, ...]:
    """The pieces that hide something and that the reason does not name: without them the clauses might hold as well."""
    hidden = hidden_by(_decisive_uses(verdict))
    ends, deciding = (verdict.attacker, verdict.target), decisive(verdict)
    every = dict.fromkeys((*hidden, *(blocker.name for blocker in verdict.blockers if blocker.obscures)))
    return tuple(name for name in every if name not in (*ends, *deciding))


def _decisive_uses(verdict: DataVerdict) -> list[Use]:
    """What was asked for the clauses that decided, each once: what they rest on, and all that they counted."""
    deciding = [clause for clause in verdict.clauses if clause.decides]
    uses = [use for clause in deciding for use in clause.uses if use.unit != "clause"]
    return list(
        dict.fromkeys([*uses, *(use for clause in deciding for tally in clause.tallies for use in tally.every_use())])
    )


def _frame(sheet: Sheet, pieces: list[Piece], lines: list[Floats]) -> None:
    points = [points_of(piece) for piece in pieces]
    points += [ends.reshape(-1, 3)[:, :2] for ends in lines]
    every = np.concatenate(points)
    low, high = every.min(axis=0), every.max(axis=0)
    room = PIECE_MARGIN_SHARE * float((high - low).max())
    paper = float((high - low).max()) / COLUMN * TICK_STRIP_MM
    left, bottom = (low - room).tolist()
    right, top = (high + room + paper).tolist()
    sheet.frame(left, bottom, right, top)


def _draw_piece(sheet: Sheet, piece: Piece, verdict: DataVerdict, look: _PieceLook | None = None) -> None:
    """Draws terrain as its outline, a model as its base, body and facing, with the look of one that decides."""
    style = sheet.style
    if piece.kind == "terrain":
        edge, look = (
            (style.blocker_edge, look)
            if look
            else (style.terrain_edge, _PieceLook("", style.terrain, THIN_LINE_PT, "-"))
        )
        zorder = 4.0 if look.phrase else 3.0
        shape(sheet, outline_of(piece), look.fill, edge, zorder, linewidth=look.width, linestyle=look.dashes)
        return
    fill, edge = (look.fill, style.blocker_edge) if look else (style.model, style.model_edge)
    if piece.name == verdict.attacker:
        fill, edge = style.attacker, style.attacker_edge
    elif piece.name == verdict.target:
        fill, edge = (style.seen if verdict.line_of_sight else style.obscured), style.seen_edge
    draw_model(sheet, piece, fill, edge, facing=piece.name == verdict.attacker)
    # A little within the base: the name of a model begins at its rim, and would be kept off it by rounding.
    sheet.avoid(piece.base_centre + WITHIN * (piece.base_outline - piece.base_centre))


def _draw_lines(sheet: Sheet, scene: DataScene, use: Use) -> None:
    """Draws the lines on which an answer was found, the length of a distance, and where pieces touch."""
    if use.measured is None or use.name not in IN_PLAN:
        return
    if use.name == "line" and use.holds is False and not len(use.measured.lines):
        start, end = (scene.piece(name).base_centre.tolist() for name in use.of)
        _draw_line(sheet, scene, use, start, end, mark="no-line", phrase="no line")
    for number, ((x, y, _), (to_x, to_y, _)) in enumerate(use.measured.lines[:MAX_PRIMITIVE_LINES].tolist()):
        mark = f"{use.name}-{number + 1}"
        if use.name == "contact":
            paper, red = sheet.style.paper, sheet.style.red
            look: dict[str, Any] = {
                "color": paper,
                "mec": red,
                "mew": BOLD_LINE_PT,
                "ms": RING_DIAMETER_PT,
                "zorder": 7.0,
                "gid": mark,
            }
            sheet.axes.plot((x + to_x) / 2, (y + to_y) / 2, "o", **look)
            sheet.legend(Swatch(sheet.words.of(scene.rules)("touch"), fill=paper, edge=red, point="o"))
        elif use.name == "distance":
            if np.hypot(to_x - x, to_y - y) < sheet.paper(SHORTEST_LINE_MM):
                continue
            colour, length = sheet.style.green, quantity(use.measured, use.unit, scene.game.unit)
            line(sheet, (x, y), (to_x, to_y), colour, width=BOLD_LINE_PT, dashes=":", mark=mark)
            sheet.avoid_line((x, y), (to_x, to_y))
            sheet.label(length, ((x + to_x) / 2, (y + to_y) / 2), size=SMALL_PT, inside=True)
            words = sheet.words.of(scene.rules)("nearest points", length=length)
            sheet.legend(Swatch(words, edge=colour, line=True, dashes=":"))
        else:
            is_clear = number < use.measured.value if use.name == "clear_lines" else None
            _draw_line(sheet, scene, use, (x, y), (to_x, to_y), mark, is_clear=is_clear)


def _draw_line(
    sheet: Sheet,
    scene: DataScene,
    use: Use,
    start: Place,
    end: Place,
    mark: str,
    *,
    phrase: str | None = None,
    is_clear: bool | None = None,
) -> None:
    """Draws a line of sight, or one from base to base; or where it says whether it ``is_clear``, one from corner to
    corner; with a phrase for the legend where it is none of `LINE_PHRASES`.
    """
    is_sight = use.name != "crossed"
    free = use.holds is not False if is_sight else not use.holds
    own_phrase, dashes = LINE_PHRASES[is_sight, free]
    if is_clear is not None:
        free, (own_phrase, dashes) = is_clear, CORNER_PHRASES[is_clear]
    colour = sheet.style.seen_edge if free else sheet.style.obscured_edge
    line(sheet, start, end, colour, width=LINE_PT, dashes=dashes, mark=mark)
    sheet.avoid_line(start, end)
    sheet.legend(Swatch(sheet.words.of(scene.rules)(phrase or own_phrase), edge=colour, line=True, dashes=dashes))


def _name(sheet: Sheet, piece: Piece, *, bold: bool) -> None:
    points = points_of(piece)
    x, y = (points.min(axis=0) + points.max(axis=0)) / 2
    left, bottom, right, top = sheet.bounds
    if left <= x <= right and bottom <= y <= top:
        is_roomy = piece.kind == "terrain" and bool(np.ptp(points, axis=0).min() > 2.0 * sheet.paper(ROOMY))
        sheet.name(piece.name, points, bold=bold, inside=is_roomy)


class DataDrawing(TableDrawing[DataScene]):
    """What is drawn of games by data."""

    def figures(self, scene: DataScene, check: Check, verdict: DataVerdict, renderer: Renderer) -> list[Figure]:
        """What decided, in plan; and the eye view where something was measured from an eye."""
        plan = Figure("plan", lambda sheet: draw_clauses(sheet, scene, verdict))
        counting, models = first_tally(scene, verdict), list[Figure]()
        if counting is not None and any(use in verdict.looks for use in counting[1].every_use()):
            draw = partial(draw_models, scene=scene, verdict=verdict, renderer=renderer)
            models.append(Figure("models", draw, "Every model that was counted."))
        if verdict.observation is None:
            return [plan, *models]
        eye, plain, side = (_counting(figure, verdict) for figure in table_figures(scene, verdict, renderer))
        in_plan = any(use.name not in FROM_THE_EYE for use in _decisive_uses(verdict))
        return [plan, *models, eye, side] if in_plan else [eye, *models, plain, side]


DRAWING = DataDrawing()
