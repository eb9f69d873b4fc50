"""DRAW: Tide of Iron: a check on its board, all that is blind from one hex, and the map on a stage.

Hexes stand on a corner, and the distance between neighbours is 1: q grows to the right, r upwards and half as much to
the right. Blind hexes are red, and yellow where the rule of the plateau hides them, as on the maps of the rulebook.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from silhouette.common.errors import RequestError
from silhouette.common.geometry import Floats, Pose
from silhouette.drawing.captions import BOLD_LINE_PT, LINE_PT, SMALL_PT, THIN_LINE_PT, Swatch
from silhouette.drawing.games import GameDrawing
from silhouette.drawing.in_3d.shapes import DisplayShape, box, prism, together, turned
from silhouette.drawing.in_3d.stage import LineKind, Stage, StageCheck, StageItem, StageLine
from silhouette.drawing.marks import area, areas, cross, disc, line, lines, title
from silhouette.drawing.sheet import TWO_COLUMNS, Figure, Sheet
from silhouette.drawing.styles import tint
from silhouette.drawing.typeface import height as line_height
from silhouette.drawing.typeface import width as text_width
from silhouette.drawing.words.words import why
from silhouette.files.cache import Cache
from silhouette.renderers.protocol import Renderer
from silhouette.rules.tide_of_iron.hexes import NEIGHBOUR_STEPS, Address, distance, in_words
from silhouette.rules.tide_of_iron.judge import TideOfIronVerdict, ruling
from silhouette.rules.tide_of_iron.scene import MAX_MAP_LENGTH_HEXES, HexScene
from silhouette.scenes.scene import Check

TERRAIN_HATCHES = {"woods": "....", "building": "++++", "smoke": "oo"}
ROW = float(np.sqrt(3.0) / 2.0)  # the distance from one row of hexes to the next, in widths of a hex
RADIUS = float(1.0 / np.sqrt(3.0))  # the distance from the middle of a hex to its corners, in widths of a hex
MIN_HEXES = 5.0  # the least width of a drawing, in hexes, so that a small board is not drawn too large
LEGIBLE = 9.0  # the width of a hex, mm, from which every hex has room for an address
TIGHT = 6.6  # the width of a hex, mm, from which the hexes that matter have room for an address
HILL = "#a8742a"  # the earth of hills, as on maps; a level more is a shade more of it
CONTOUR = 0.2  # the greatest width of lines, in points for each mm that a hex is wide

ADDRESS_PLACES = ((0.0, -0.3), (-0.22, -0.25), (0.22, -0.25), (0.0, 0.3))
"""The places of an address from the middle of its hex, in widths of a hex, the best first; the last at its top."""

ADDRESS_MARGIN = 0.6  # the free paper on both sides of an address, mm
UNIT = 0.19  # half the width of a unit's counter


def middle(address: Address) -> Floats:
    """The middle (2,) of a hex.

    >>> middle((2, 0)).tolist(), middle((0, 2)).round(3).tolist()
    ([2.0, 0.0], [1.0, 1.732])
    """
    q, r = address
    return np.array([q + r / 2.0, r * ROW])


def corners(address: Address, share: float = 1.0) -> Floats:
    """The corners (6, 2) of a hex, or of one that is smaller by ``share``."""
    turn = np.pi / 6.0 + np.arange(6) * np.pi / 3.0
    points: Floats = middle(address) + share * RADIUS * np.column_stack([np.cos(turn), np.sin(turn)])
    return points


def in_rectangle(left: float, bottom: float, right: float, top: float) -> list[Address]:
    """The hexes with their middles in a rectangle, row by row.

    >>> in_rectangle(0.0, 0.0, 1.0, 1.0)
    [(0, 0), (1, 0), (0, 1)]
    """
    rows = range(int(np.ceil(bottom / ROW - 1e-9)), int(np.floor(top / ROW + 1e-9)) + 1)
    return [
        (q, r)
        for r in rows
        for q in range(int(np.ceil(left - r / 2.0 - 1e-9)), int(np.floor(right - r / 2.0 + 1e-9)) + 1)
    ]


def _crosses(ends: Floats, place: Floats, half: Floats) -> bool:
    """Whether a line between two ends (2, 2) passes through a box round a place, with half its width and height.

    >>> half = np.array([0.2, 0.1])
    >>> ends = np.array([[0.0, 0.0], [2.0, 2.0]])
    >>> _crosses(ends, np.array([1.0, 1.1]), half), _crosses(ends, np.array([1.0, 1.5]), half)
    (True, False)
    """
    points = ends[0] + np.linspace(0.0, 1.0, 400)[:, None] * (ends[1] - ends[0])
    return bool((np.abs(points - place) < half).all(axis=1).any())


class Board:
    """Some hexes of a map on a sheet, with the phrases of the game and the width of a hex on paper, mm."""

    def __init__(self, sheet: Sheet, scene: HexScene, hexes: Iterable[Address]) -> None:
        self.sheet, self.scene, self.hexes = sheet, scene, list(hexes)
        self.words = sheet.words.of(scene.rules)
        points = np.concatenate([corners(address) for address in self.hexes])
        (left, bottom), (right, top) = points.min(axis=0), points.max(axis=0)
        margin = max(MIN_HEXES - (right - left), 0.0) / 2
        left, right = left - margin, right + margin
        sheet.frame(left - 0.12, bottom - 0.12, right + 0.12, top + 0.12, ground=sheet.style.paper)
        self.width = 1.0 / sheet.unit

    def draw_ground(self) -> None:
        """Levels as shades, terrain as hatched patches, and contours where the level changes."""
        grounds = {address: self.scene.ground(address) for address in self.hexes}
        for level in sorted({ground.elevation for ground in grounds.values()}):
            self._draw_level(level, [at for at, ground in grounds.items() if ground.elevation == level])
        for terrain in TERRAIN_HATCHES:
            self._draw_terrain(terrain, [at for at, ground in grounds.items() if ground.terrain == terrain])
        self._draw_contours({at: ground.elevation for at, ground in grounds.items()})

    def _draw_contours(self, levels: Mapping[Address, int]) -> None:
        contours = []
        for at, level in levels.items():
            for side, (q, r) in enumerate(NEIGHBOUR_STEPS):
                if levels.get((at[0] + q, at[1] + r), level) < level:
                    ring = corners(at)
                    contours.append((ring[side - 1], ring[side]))
        if contours:
            lines(self.sheet, contours, self._earth(9), width=min(BOLD_LINE_PT, CONTOUR * self.width), zorder=4.0)

    def _draw_level(self, level: int, hexes: Sequence[Address]) -> None:
        sheet, fill = self.sheet, self._earth(level)
        areas(sheet, [corners(at) for at in hexes], fill=fill, edge=sheet.style.rule, width=THIN_LINE_PT, zorder=1.0)
        if not level:
            return
        words = self.words("level", level=level)
        sheet.legend(Swatch(words, fill=fill, edge=self._earth(9)))
        for x, y in map(middle, hexes) if self.width >= LEGIBLE else ():
            sheet.reserve(x - 0.08, y + 0.32, x + 0.08, y + 0.48)
            sheet.text(x, y + 0.4, self.words("level mark", level=level), ha="center", zorder=21.0)

    def _draw_terrain(self, terrain: str, hexes: Sequence[Address]) -> None:
        sheet, style = self.sheet, self.sheet.style
        if not hexes:
            return
        edge = {"woods": style.green, "building": style.purple, "smoke": style.soft_ink}[terrain]
        look: dict[str, Any] = {"fill": tint(edge, style.ground, 0.28), "edge": edge, "hatch": TERRAIN_HATCHES[terrain]}
        areas(sheet, [corners(at, 0.8) for at in hexes], width=min(LINE_PT, CONTOUR * self.width), zorder=2.0, **look)
        sheet.legend(Swatch(self.words(terrain), **look))

    def _earth(self, level: int) -> str:
        return tint(HILL, self.sheet.style.ground, 1.0 - 0.72 ** min(level, 9))

    def draw_addresses(
        self, most_telling: Iterable[Address], occupied: Iterable[Address], lines_drawn: Sequence[Floats] = ()
    ) -> None:
        """The addresses of hexes, as small print in them: of all, or, where hexes are small, of the most telling; none
        where the name of a unit stands. They keep off lines with these ends (2, 2), if their hexes have another place.
        """
        legible = set(self.hexes) if self.width >= LEGIBLE else set(self.hexes) & set(most_telling)
        for q, r in sorted(legible - set(occupied)) if self.width >= TIGHT else ():
            text, colour = self.words("address", q=q, r=r), self.sheet.style.soft_ink
            half = (
                np.array([text_width(text, SMALL_PT) / 2 + ADDRESS_MARGIN, line_height(SMALL_PT) / 2 * 0.8])
                * self.sheet.unit
            )
            raised = bool(self.scene.ground((q, r)).elevation)  # the number of a level stands at the top of its hex
            places = middle((q, r)) + np.array(ADDRESS_PLACES if not raised else ADDRESS_PLACES[:3])
            x, y = min(places, key=lambda place: sum(_crosses(ends, place, half) for ends in lines_drawn))
            self.sheet.text(float(x), float(y), text, color=colour, ha="center")
            self.sheet.reserve(float(x - half[0]), float(y - half[1]), float(x + half[0]), float(y + half[1]))

    def draw_units(
        self, attacker: Address | None = None, target: Address | None = None, names: tuple[str, str] = ("", "")
    ) -> None:
        """Counters and names of all units that are shown, alike but for those of attacker and target."""
        style, drawn = self.sheet.style, set(self.hexes)
        if attacker is not None:
            self._counter(attacker, style.attacker, style.attacker_edge, "unit-attacker")
            self._name(attacker, names[0], bold=True)
        if target is not None and target != attacker:
            self._counter(target, style.seen, style.seen_edge, "unit-target")
            self._name(target, names[1], bold=True)
        for number, (name, address) in enumerate(self.scene.units.items()):
            if name in names or address not in drawn:
                continue
            if address not in (attacker, target):
                self._counter(address, style.model, style.model_edge, f"unit-{number}")
            self._name(address, name, bold=attacker is None)

    def _counter(self, address: Address, fill: str, edge: str, mark: str) -> None:
        at = middle(address)
        if mark == "unit-attacker":
            disc(self.sheet, (at[0], at[1]), UNIT, fill=fill, edge=edge, width=LINE_PT, zorder=20.0, mark=mark)
        else:
            square = at + UNIT * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
            area(self.sheet, square, fill=fill, edge=edge, width=LINE_PT, zorder=20.0, mark=mark)
        self.sheet.reserve(*(at - UNIT).tolist(), *(at + UNIT).tolist())

    def _name(self, address: Address, name: str, *, bold: bool = False) -> None:
        at = middle(address)
        size = SMALL_PT if not bold else SMALL_PT + 0.6
        self.sheet.label(name, (float(at[0]), float(at[1])), clear=(UNIT, UNIT), bold=bold, size=size)


BLIND_HATCH, PLATEAU_HATCH, HIDDEN_HATCH = "xxxx", "////", "----"  # blind hexes, behind a plateau, hidden otherwise
PLATEAU_EDGE = "#8a7a00"  # the hatching on yellow, which by itself is too light for lines
LINE_SHIFT = 0.14  # the distance of a shifted line from the middle
WHOLE_BOARD_HEXES = 7.0  # a board no wider than this, in hexes, is drawn whole; of a wider one the part that matters
MIN_WIDTH = 5.0  # the least width of the part of a board that is drawn, in hexes
BLOCKED_LINE_DASHES = "--"
MAX_MAP_HEXES = 1000  # most hexes on the map of blind ones, those round the attacker: more would be too small in print


def _nearest(scene: HexScene, attacker: str, checks: Sequence[Check]) -> Sequence[Check]:
    """The checks of all hexes of a board; where there are more than `MAX_MAP_HEXES`, those nearest to the attacker."""
    if len(checks) <= MAX_MAP_HEXES:
        return checks
    start = scene.address(attacker)
    away = [distance(start, scene.address(check.target)) for check in checks]
    reach = sorted(away)[MAX_MAP_HEXES]
    return [check for check, steps in zip(checks, away, strict=True) if steps < max(reach, 2)]


def draw_hex_board(sheet: Sheet, scene: HexScene, check: Check, verdict: TideOfIronVerdict) -> None:
    """Draws one Tide of Iron check, which was judged, on its part of the board."""
    start, end = scene.address(check.attacker), scene.address(check.target)
    board = Board(sheet, scene, _hexes_drawn(scene, verdict, start, end))
    board.draw_ground()
    _draw_entered(board, verdict)
    _shade(board, verdict.blind_hexes, "blind")
    if _hidden_how(verdict) == "plateau":  # the lower one's own hex
        _shade(board, [end if verdict.elevations[0] > verdict.elevations[1] else start], "plateau")
    drawn = [_ends(traced, start, end) for traced in verdict.lines]
    board.draw_addresses([at for traced in verdict.lines for at in traced.hexes], [start, end], drawn)
    _draw_lines(board, verdict, start, end)
    board.draw_units(start, end, (verdict.attacker, verdict.target))
    sheet.caption(title(sheet, verdict), why(sheet.words, verdict))


def draw_blind_hex_map(
    sheet: Sheet, scene: HexScene, verdicts: Sequence[TideOfIronVerdict], whole: int | None = None
) -> None:
    """Draws what one hex sees of a board of ``whole`` hexes: one verdict for each hex to draw, from one attacker."""
    start = scene.address(verdicts[0].attacker)
    targets = [scene.address(verdict.target) for verdict in verdicts]
    board = Board(sheet, scene, dict.fromkeys([*targets, start]))
    board.draw_ground()
    kinds = [_hidden_how(verdict) for verdict in verdicts]
    for kind in ("blind", "plateau", "hidden"):
        _shade(board, [at for at, how in zip(targets, kinds, strict=True) if how == kind], kind)
    board.draw_addresses([], [start])
    board.draw_units(start, None, (verdicts[0].attacker, ""))
    hidden, plateau = kinds.count("hidden"), kinds.count("plateau")
    unseen = len(kinds) - kinds.count(None)
    counted = {"all": len(kinds), "unseen": unseen, "blind": kinds.count("blind"), "plateau": plateau}
    reason = board.words("map reason", hidden=hidden, **counted)
    sheet.caption(board.words("map title", attacker=verdicts[0].attacker), reason)
    if whole is not None and whole > len(verdicts):
        steps = max(verdict.distance for verdict in verdicts)
        sheet.note(board.words("map part", attacker=verdicts[0].attacker, steps=steps, all=whole))


def draw_whole_board(sheet: Sheet, scene: HexScene) -> None:
    """Draws a whole board with its units, without any check; of a very large one the hexes next to its middle."""
    hexes = list(scene.map()) or [(0, 0)]
    if len(hexes) > MAX_MAP_HEXES:
        q, r = hexes[len(hexes) // 2]
        hexes = sorted(hexes, key=lambda at: distance(at, (q, r)))[:MAX_MAP_HEXES]
    sheet.tallest = TWO_COLUMNS
    board = Board(sheet, scene, hexes)
    board.draw_ground()
    board.draw_addresses([], scene.units.values())
    board.draw_units()
    sheet.caption(scene.title or scene.path.stem, "")


def _hexes_drawn(scene: HexScene, verdict: TideOfIronVerdict, start: Address, end: Address) -> list[Address]:
    part = [start, end, *verdict.blind_hexes, *(at for traced in verdict.lines for at in traced.hexes)]
    whole = [*part, *scene.described, *scene.units.values()]
    edge = 1.0
    points = np.array([middle(address) for address in whole])
    if np.ptp(points, axis=0).max() > WHOLE_BOARD_HEXES:
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
        look: dict[str, Any] = {"edge": style.ink, "width": LINE_PT, "dashes": ":"}
        area(sheet, corners((q, r), 0.9), zorder=5.0, mark=f"entered_{q}_{r}", **look)
        if (q, r) not in obstructions:  # whose stronger edge covers it
            sheet.legend(Swatch(board.words("entered"), edge=style.ink, dashes=":"))
    for at in obstructions:
        if at is not None:
            mark = f"obstruction_{at[0]}_{at[1]}"
            area(sheet, corners(at, 0.93), edge=style.blocker_edge, width=2.2, zorder=6.0, mark=mark)
            blocks = any(crossing.obstruction == at and crossing.behind is None for crossing in crossings)
            sheet.legend(Swatch(board.words("blocks" if blocks else "obstruction"), edge=style.blocker_edge))


def _hidden_how(verdict: TideOfIronVerdict) -> str | None:
    """Whether the target is "blind", so by the "plateau", or "hidden" otherwise; None where it is seen."""
    if verdict.line_of_sight:
        return None
    causes = {traced.finding.cause for traced in verdict.lines}
    if causes == {"plateau"}:
        return "plateau"
    return "blind" if causes <= {"plateau", "blind_hex"} else "hidden"


def _shade(board: Board, hexes: Sequence[Address], kind: str) -> None:
    if not hexes:
        return
    style = board.sheet.style
    fill, edge, hatch, alpha = {
        "blind": (style.red, style.red, BLIND_HATCH, 0.45),
        "plateau": (style.yellow, PLATEAU_EDGE, PLATEAU_HATCH, 0.75),
        "hidden": (style.soft_ink, style.soft_ink, HIDDEN_HATCH, 0.25),
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
    sheet, style = board.sheet, board.sheet.style
    first, last = middle(start), middle(end)
    if verdict.cause == "adjacent":
        line(sheet, first, last, style.blue, width=BOLD_LINE_PT, mark="adjacent")
        sheet.legend(Swatch(board.words("adjacent"), edge=style.blue, line=True))
    for traced in verdict.lines:
        along = (last - first) / np.hypot(*(last - first))
        shift = _ends(traced, start, end)[0] - first
        colour, dashes = (style.blue, "-") if traced.clear else (style.red, BLOCKED_LINE_DASHES)
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


LEVEL_HEIGHT = 0.34  # the height of a level, in widths of a hex
BOARD_THICKNESS = 0.12
MAX_STAGE_HEXES = 1200  # the most hexes in 3D; a larger map is shown as a plan alone

GROUND_COLOURS = ("#dcd9c4", "#d3bb8e", "#c09a61", "#a97b41", "#8d6130", "#6f4a24")
"""The colour of the ground by level: the earth of hills, darker the higher it lies."""

FEATURE_COLOURS = {"woods": "#3f7d53", "building": "#8d8a88", "smoke": "#b9bfc7"}
EYES = np.array([0.0, 0.0, 0.3])  # from a hex to the point above it where a line begins

REMARK = (
    "This game is judged hex by hex, in whole levels: heights and the things on the hexes are drawn for display alone, "
    "and where one can see from somewhere in this picture is no verdict."
)


@dataclass
class _Board:
    """The shapes and items gathered so far, and the numbers of the items of grounds, of features and of units."""

    shapes: list[DisplayShape] = field(default_factory=list)
    items: list[StageItem] = field(default_factory=list)
    numbers: dict[object, int] = field(default_factory=dict)
    ground: dict[Address, int] = field(default_factory=dict)
    features: dict[Address, int] = field(default_factory=dict)
    units: dict[str, int] = field(default_factory=dict)

    def shape(self, key: object, make: Callable[[], DisplayShape]) -> int:
        """The number of a shape by its key; it is made once."""
        if key not in self.numbers:
            self.numbers[key] = len(self.shapes)
            self.shapes.append(make())
        return self.numbers[key]


def stage(scene: HexScene, judged: Sequence[tuple[Check, TideOfIronVerdict]], cache: Cache) -> Stage | None:
    """The stage of a scene, with checks in the order of the page; None where its map is too large for it."""
    try:
        hexes = scene.map()
    except RequestError:
        return None
    if not 0 < len(hexes) <= MAX_STAGE_HEXES:
        return None
    board = _Board()
    board.ground = {address: _hex(board, scene, address) for address in hexes}
    board.features = {address: _feature(board, scene, address) for address in hexes if scene.ground(address).blocks}
    board.units = {name: _unit(board, scene, name) for name in scene.units}
    sights = tuple(_sight(board, scene, place, *ruling) for place, ruling in enumerate(judged))
    return Stage(tuple(board.shapes), tuple(board.items), sights, (REMARK,), floor=None)


def _sight(board: _Board, scene: HexScene, place: int, check: Check, verdict: TideOfIronVerdict) -> StageCheck:
    start, end = scene.address(check.attacker), scene.address(check.target)
    at = verdict.obstruction
    blocker = None if at is None else board.features.get(at, board.ground.get(at))
    kind: LineKind = "free" if verdict.line_of_sight else "blocked"
    points = [_top(scene, address) + EYES for address in (start, end)]
    return StageCheck(
        place,
        board.units.get(check.attacker, board.ground[start]),
        board.units.get(check.target, board.ground[end]),
        () if blocker is None else (blocker,),
        eye=points[0] if start != end else None,
        free=bool(verdict.line_of_sight),
        lines=(StageLine(kind, points),) if start != end else (),
    )


def _hex(board: _Board, scene: HexScene, address: Address) -> int:
    """The ground of a hex; only one that is higher than the rest of the map can be hidden."""
    level = scene.ground(address).elevation
    rim = corners((0, 0), 0.985)
    shape = board.shape(("hex", level), lambda: prism(rim, -BOARD_THICKNESS, level * LEVEL_HEIGHT))
    colour = GROUND_COLOURS[min(level, len(GROUND_COLOURS) - 1)]
    name = f"level {level} {in_words(address)}"
    listed = level > scene.default.elevation
    pose = Pose.standing((*middle(address), 0.0))
    board.items.append(StageItem(name, "terrain", shape, pose, colour, listed=listed))
    return len(board.items) - 1


def _feature(board: _Board, scene: HexScene, address: Address) -> int:
    terrain = scene.ground(address).terrain
    shape = board.shape(terrain, lambda: _TERRAIN_MAKERS[terrain]())
    pose = Pose.standing(_top(scene, address))
    opacity = 0.75 if terrain == "smoke" else 1.0
    name = f"{terrain} {in_words(address)}"
    board.items.append(StageItem(name, "terrain", shape, pose, FEATURE_COLOURS[terrain], opacity))
    return len(board.items) - 1


def _unit(board: _Board, scene: HexScene, name: str) -> int:
    shape = board.shape("unit", lambda: box(np.array([-0.22, -0.22, 0.0]), np.array([0.22, 0.22, 0.14])))
    board.items.append(StageItem(name, "unit", shape, Pose.standing(_top(scene, scene.units[name]))))
    return len(board.items) - 1


def _top(scene: HexScene, address: Address) -> Floats:
    return np.array([*middle(address), scene.ground(address).elevation * LEVEL_HEIGHT])


def _woods() -> DisplayShape:
    tree = turned([(0.04, 0.0), (0.04, 0.07), (0.15, 0.08), (0.09, 0.24), (0.005, 0.42)], sides=9)
    turn = np.radians([30.0, 100.0, 170.0, 240.0, 310.0])
    return together(tree, *[tree] * 5, at=[(0, 0, 0), *((0.3 * np.cos(a), 0.3 * np.sin(a), 0) for a in turn)])


def _building() -> DisplayShape:
    walls = box(np.array([-0.28, -0.2, 0.0]), np.array([0.28, 0.2, 0.26]))
    roof = turned([(0.37, 0.0), (0.01, 0.16)], sides=4)
    angle = np.pi / 4
    turn = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
    shaped = (roof.vertices @ turn.T) * [1.15, 0.85, 1.0]
    return together(walls, DisplayShape(shaped, roof.faces, flat=True), at=[(0, 0, 0), (0, 0, 0.26)])


def _smoke() -> DisplayShape:
    arcs = np.linspace(-0.48 * np.pi, 0.48 * np.pi, 9)
    puff = turned([(0.17 * float(np.cos(a)), 0.17 + 0.17 * float(np.sin(a))) for a in arcs], sides=16)
    places = [(0, 0, 0.12), (0.2, 0.08, 0), (-0.16, 0.14, 0.02), (-0.06, -0.2, 0), (0.1, -0.08, 0.2)]
    return together(*[puff] * len(places), at=places)


_TERRAIN_MAKERS = {"woods": _woods, "building": _building, "smoke": _smoke}


class TideOfIronDrawing(GameDrawing[HexScene]):
    """What is drawn of Tide of Iron."""

    def figures(self, scene: HexScene, check: Check, verdict: TideOfIronVerdict, renderer: Renderer) -> list[Figure]:
        """The board of a check, unless its hexes lie too far apart; with each attacker's first, all it is blind to."""
        if distance(scene.address(check.attacker), scene.address(check.target)) > MAX_MAP_LENGTH_HEXES:
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

    def overview(self, scene: HexScene, *, as_ground: bool = False) -> Figure:
        """The whole board, with its units; there are no maps whose ground it could be."""
        return Figure("table", lambda sheet: draw_whole_board(sheet, scene), width=TWO_COLUMNS)

    stage = staticmethod(stage)


DRAWING = TideOfIronDrawing()
