"""DRAW: Ikosa: a check as a view of its cells from above and one side, and the scene on a stage; lengths in cells."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from silhouette.common.geometry import Floats, Pose
from silhouette.drawing.captions import BOLD_LINE_PT, HAIRLINE_PT, LINE_PT, SMALL_PT, THIN_LINE_PT, Swatch
from silhouette.drawing.games import GameDrawing
from silhouette.drawing.in_3d.shapes import DisplayShape, box, together
from silhouette.drawing.in_3d.stage import LineKind, Stage, StageCheck, StageItem, StageLine
from silhouette.drawing.marks import area, arrow, disc, line, short, title
from silhouette.drawing.sheet import Figure, Sheet
from silhouette.drawing.styles import tint
from silhouette.drawing.words.words import why
from silhouette.files.cache import Cache
from silhouette.renderers.protocol import Renderer
from silhouette.rules.ikosa.cell_lines import Cell, CellSide, Point, Solids
from silhouette.rules.ikosa.judge import IkosaVerdict
from silhouette.rules.ikosa.scene import CellScene, Creature, in_words
from silhouette.scenes.scene import Check

AZIMUTHS = tuple(quarter + turn for quarter in (-90, 180, 0, 90) for turn in (28, 62, 40))
HEIGHTS = (24, 32)
"""The directions of view, in degrees. None is a true isometric, in which opposite corners of a cube fall together."""

CORNER_SPACING = 0.16  # the distance in the picture at which corners are far enough apart, in sides of a cell
# Sides of a cell round creatures and lines: for terrain, and for that in the way.
TERRAIN_REACH_CELLS, BLOCKER_REACH_CELLS = 1.5, 4.0
SAME_PLACE_CELLS = 1e-9  # a length, in sides of a cell, below which two places count as one


@dataclass(frozen=True, eq=False)
class TerrainBox:
    """A box of terrain, by its least and greatest corner (3,), and whether some line of the verdict passes through."""

    low: Floats
    high: Floats
    in_the_way: bool = False

    @classmethod
    def of_cell(cls, cell: Cell) -> TerrainBox:
        """The cube that a cell is."""
        low = np.array(cell, dtype=np.float64)
        return cls(low, low + 1.0)

    @property
    def corners(self) -> Floats:
        """The corners (8, 3)."""
        steps = np.indices((2, 2, 2)).reshape(3, 8).T
        corners: Floats = self.low + steps * (self.high - self.low)
        return corners


class SeenFace(NamedTuple):
    """A face of a box as it is drawn."""

    face: CellSide
    corners: Floats  # (4, 3) in order round it
    turn: int  # 0 for faces that look up, 1 and 2 for those to the sides; each number has a shade
    depth: float  # the position of its middle towards the viewer, in sides of a cell; the least is drawn first
    front: bool  # whether it is turned towards the viewer


@dataclass(frozen=True)
class Viewpoint:
    """The direction of a viewer infinitely far away, in degrees: anticlockwise from +x, seen from above, and above the
    ground.
    """

    azimuth: float
    height: float

    @property
    def towards(self) -> Floats:
        """The direction (3,) to the viewer."""
        around, up = np.radians([self.azimuth, self.height])
        return np.array([np.cos(up) * np.cos(around), np.cos(up) * np.sin(around), np.sin(up)])

    def flat(self, points: Floats) -> Floats:
        """The places (n, 2) in the picture of points (n, 3).

        >>> Viewpoint(-90.0, 0.0).flat(np.array([[1.0, 5.0, 2.0]])).round(9).tolist()
        [[1.0, 2.0]]
        """
        around, up = np.radians([self.azimuth, self.height])
        right = np.array([-np.sin(around), np.cos(around), 0.0])
        upward = np.array([-np.sin(up) * np.cos(around), -np.sin(up) * np.sin(around), np.cos(up)])
        flat: Floats = np.asarray(points) @ np.column_stack([right, upward])
        return flat


def solids_of(solids: Solids, in_the_way: Iterable[int], low: Floats, high: Floats) -> list[TerrainBox]:
    """The boxes of terrain round creatures and lines, cut to the space drawn; lines pass through those numbered."""
    lows, highs = solids.boxes[:, 0], solids.boxes[:, 1]
    blocking = np.isin(np.arange(len(lows)), list(in_the_way))
    reach = np.where(blocking, BLOCKER_REACH_CELLS, TERRAIN_REACH_CELLS)[:, None]
    lows, highs = np.maximum(lows, low - reach), np.minimum(highs, high + reach)
    numbers = np.flatnonzero((lows < highs).all(axis=1))
    return [TerrainBox(lows[number], highs[number], bool(blocking[number])) for number in numbers]


def faces_of(solid: TerrainBox, view: Viewpoint, *, both: bool = False) -> list[SeenFace]:
    """The three faces of a box that are turned towards the viewer; with ``both``, all six."""
    faces = []
    towards = view.towards
    for axis, high in product(range(3), (False, True)):
        front = bool((towards[axis] > 0.0) == high)
        if front or both:
            across, along = (axis + 1) % 3, (axis + 2) % 3
            corners = np.tile(solid.low, (4, 1))
            corners[:, axis] = solid.high[axis] if high else solid.low[axis]
            corners[1:3, across] = solid.high[across]
            corners[2:, along] = solid.high[along]
            turn = 0 if axis == 2 else 1 + int(abs(towards[axis]) > abs(towards[1 - axis]))
            depth = float(corners.mean(axis=0) @ towards)
            faces.append(SeenFace(CellSide(axis, high), corners, turn, depth, front))
    return faces


def best_viewpoint(used: Floats, attacker: Floats, target: Floats, solids: Sequence[TerrainBox]) -> Viewpoint:
    """The viewpoint that shows most: no creature, by the middles of its cells (n, 3), behind terrain, used corners (n,
    3) apart, the attacker on the left.
    """
    corners = np.unique(used, axis=0)

    def cost(view: Viewpoint) -> float:
        hidden = sum(_lies_before(solid, at, view.towards) for solid in solids for at in (*attacker, *target))
        flat = view.flat(corners)
        gaps = np.hypot(*(flat[:, None] - flat[None]).transpose(2, 0, 1)) + 9.0 * np.eye(len(flat))
        close = int((gaps < CORNER_SPACING).sum()) if len(flat) else 0
        way = view.flat(target).mean(axis=0) - view.flat(attacker).mean(axis=0)
        across = float(way[0] / max(np.hypot(*way), SAME_PLACE_CELLS))
        return round(3.0 * hidden + close + 4.0 * (1.0 - abs(across)) + 0.8 * (across < 0.0), 6)

    return min((Viewpoint(azimuth, height) for azimuth in AZIMUTHS for height in HEIGHTS), key=cost)


def _stretch(low: Floats, high: Floats, start: Floats, way: Floats) -> tuple[float, float]:
    """The least and the greatest share of a way (3,) from a point at which it lies in a box; nothing between them where
    it passes the box by.
    """
    stays = way == 0.0
    if (stays & ((start < low) | (start > high))).any():
        return np.inf, -np.inf
    with np.errstate(divide="ignore", invalid="ignore"):
        to_low, to_high = (low - start) / way, (high - start) / way
    enter = np.where(stays, -np.inf, np.minimum(to_low, to_high)).max()
    return float(enter), float(np.where(stays, np.inf, np.maximum(to_low, to_high)).min())


def _lies_before(solid: TerrainBox, at: Floats, towards: Floats) -> bool:
    enter, leave = _stretch(solid.low, solid.high, at, towards)
    return max(enter, 0.0) + SAME_PLACE_CELLS < leave


def inside_stretch(start: Floats, end: Floats, solids: Sequence[TerrainBox]) -> Floats | None:
    """The shares (2,) of a line between which it lies in some of the boxes; None where it passes them by."""
    for shrunk in (SAME_PLACE_CELLS, -SAME_PLACE_CELLS):  # through the inside of one; else along a seam between two
        ways = (_stretch(solid.low + shrunk, solid.high - shrunk, start, end - start) for solid in solids)
        stretches = [(max(enter, 0.0), min(leave, 1.0)) for enter, leave in ways]
        stretches = [(first, last) for first, last in stretches if first + 1e-6 < last]
        if stretches:
            return np.array([min(first for first, _ in stretches), max(last for _, last in stretches)])
    return None


MAX_STRONG_LINES = 12  # the number of lines of a kind up to which they are drawn strong
BLOCKED = "--"
LEFT_OUT_HATCH = "////"


def draw_cell_view(sheet: Sheet, scene: CellScene, check: Check, verdict: IkosaVerdict) -> None:
    """Draws one Ikosa check, which was judged."""
    attacker, target = scene.creature(check.attacker), scene.creature(check.target)
    view = _CellView(sheet, scene, attacker, target, verdict)
    view.draw_solids()
    view.draw_creatures()
    view.draw_lines()
    view.draw_corners()
    view.draw_gravity()
    sheet.caption(title(sheet, verdict), why(sheet.words, verdict))


class _CellView:
    """One figure while it is drawn."""

    def __init__(
        self, sheet: Sheet, scene: CellScene, attacker: Creature, target: Creature, verdict: IkosaVerdict
    ) -> None:
        self.sheet, self.attacker, self.target, self.drawn = sheet, attacker, target, verdict.drawn
        self.words = sheet.words.of(verdict.rules)
        cells = np.array([*attacker.cells, *target.cells], dtype=np.float64)
        points = np.concatenate([cells, cells + 1.0, _floats(self.drawn.sources), _floats(self.drawn.targets)])
        low, high = points.min(axis=0), points.max(axis=0)
        self.solids = solids_of(scene.solids, self.drawn.solids, low, high)
        self.others = [
            creature
            for creature in scene.creatures
            if creature not in (attacker, target) and (np.clip(creature.cells, low - 1.0, high) == creature.cells).all()
        ]
        near = tuple(cell for cell in scene.effect_cells if (np.clip(cell, low - 1.0, high) == cell).all())
        if near:
            self.others.append(Creature(self.words("effect"), near, attacker.gravity, True))
        used = _floats([*self.drawn.sources, *self.drawn.targets])
        self.view = best_viewpoint(used, _floats(attacker.cells) + 0.5, _floats(target.cells) + 0.5, self.solids)
        boxes = [
            *self.solids,
            *(TerrainBox.of_cell(cell) for creature in (attacker, target, *self.others) for cell in creature.cells),
        ]
        self.corners = self.view.flat(np.concatenate([used, *(creature.corners for creature in boxes)]))
        (left, bottom), (right, top) = self.corners.min(axis=0), self.corners.max(axis=0)
        x, y, across, upright = (left + right) / 2, (bottom + top) / 2, right - left, top - bottom
        across, upright = max(1.2 * across, 1.3 * upright), max(1.25 * upright, 0.5 * across)
        sheet.frame(x - across / 2, y - upright / 2, x + across / 2, y + upright / 2, ground=sheet.style.paper)

    def draw_solids(self) -> None:
        """Terrain, each face shaded by its direction, the furthest first; solids in the way have another colour."""
        style = self.sheet.style
        faces = [(solid, face) for solid in self.solids for face in faces_of(solid, self.view)]
        for solid, face in sorted(faces, key=lambda pair: pair[1].depth):
            fill = style.blocker if solid.in_the_way else style.terrain
            edge = style.blocker_edge if solid.in_the_way else style.terrain_edge
            shade = tint(style.ink, fill, (0.02, 0.2, 0.1)[face.turn])
            area(self.sheet, self.view.flat(face.corners), fill=shade, edge=edge, width=THIN_LINE_PT, zorder=2.0)
            words = self.words("solid in the way" if solid.in_the_way else "solid")
            self.sheet.legend(Swatch(words, fill=fill, edge=edge))

    def draw_creatures(self) -> None:
        """The outlines of the cells of every creature, with names."""
        style = self.sheet.style
        for creature in self.others:
            self._draw_creature(creature, style.model, style.model_edge, "creature")
        self._draw_creature(self.attacker, style.attacker, style.attacker_edge, "attacker")
        self._draw_creature(self.target, style.seen, style.seen_edge, "target")

    def _draw_creature(self, creature: Creature, fill: str, edge: str, mark: str) -> None:
        cells = set(creature.cells)
        bold = mark != "creature"
        for cell in creature.cells:
            for face in faces_of(TerrainBox.of_cell(cell), self.view, both=True):
                if face.face.beyond(cell) in cells:
                    continue
                if face.front:
                    area(self.sheet, self.view.flat(face.corners), fill=fill, alpha=0.16, zorder=4.0)
                self._draw_edges(
                    cell, face, cells, edge, (1.0 if bold else THIN_LINE_PT) if face.front else HAIRLINE_PT
                )
        flat = self.view.flat(np.concatenate([TerrainBox.of_cell(cell).corners for cell in creature.cells]))
        self.sheet.name(creature.name, flat, bold=bold)
        self.sheet.avoid(flat)

    def _draw_edges(self, cell: Cell, face: SeenFace, cells: set[Cell], colour: str, width: float) -> None:
        """The edges of a face of a creature: thin between two of its cells, dashed where they are at its back."""
        ring = self.view.flat(face.corners)
        first, second = CellSide((face.face.axis + 1) % 3, False), CellSide((face.face.axis + 2) % 3, False)
        sides = (second, first._replace(high=True), second._replace(high=True), first)
        for number, side in enumerate(sides):
            neighbour = side.beyond(cell)
            flush = neighbour in cells and face.face.beyond(neighbour) not in cells
            if face.front or not flush:
                look: dict[str, Any] = {"dashes": "-", "zorder": 4.0} if face.front else {"dashes": "--", "zorder": 3.0}
                line(
                    self.sheet,
                    ring[number],
                    ring[(number + 1) % 4],
                    colour,
                    width=HAIRLINE_PT if flush else width,
                    **look,
                )

    def draw_lines(self) -> None:
        """Every line from corner to corner: clear ones thin, blocked ones dashed, and bold inside the terrain."""
        style, drawn = self.sheet.style, self.drawn
        sources, targets = (self.view.flat(_floats(points)) for points in (drawn.sources, drawn.targets))
        hindered = drawn.blocked + drawn.induced
        clear = drawn.count - hindered
        strong = clear <= MAX_STRONG_LINES
        width, colour = (LINE_PT, style.blue) if strong else (HAIRLINE_PT, tint(style.blue, style.paper, 0.6))
        for i, j in np.argwhere(~drawn.hindered):
            line(self.sheet, sources[i], targets[j], colour, width=width, zorder=8.0, mark=f"clear-{i}-{j}")
        if clear:
            self.sheet.legend(Swatch(self.words("clear lines", count=clear), edge=colour, line=True))
        width = BOLD_LINE_PT if hindered <= MAX_STRONG_LINES else THIN_LINE_PT
        for i, j in np.argwhere(drawn.hindered):
            look: dict[str, Any] = {"width": width, "dashes": BLOCKED, "zorder": 9.0}
            line(self.sheet, sources[i], targets[j], style.red, mark=f"blocked-{i}-{j}", **look)
            self._draw_inside(drawn.sources[i], drawn.targets[j], width)
            self.sheet.avoid_line(sources[i], targets[j])
        if hindered:
            words = self.words("hindered lines" if drawn.induced else "blocked lines", count=hindered)
            self.sheet.legend(Swatch(words, edge=style.red, line=True, dashes=BLOCKED))

    def _draw_inside(self, source: Point, target: Point, width: float) -> None:
        ends = _floats([source, target])
        stretch = inside_stretch(ends[0], ends[1], [solid for solid in self.solids if solid.in_the_way])
        if stretch is not None:
            first, last = self.view.flat(ends[0] + np.outer(stretch, ends[1] - ends[0]))
            band = tint(self.sheet.style.red, self.sheet.style.paper, 0.45)
            line(self.sheet, first, last, band, width=3.0 * width, zorder=8.5)

    def draw_corners(self) -> None:
        """The corners between which lines are drawn: round ones of the attacker, square ones of the target."""
        sheet, style, drawn = self.sheet, self.sheet.style, self.drawn
        small = sheet.paper(0.62)
        square = small * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
        for number, at in enumerate(self.view.flat(_floats(drawn.targets))):
            look: dict[str, Any] = {"fill": style.seen, "edge": style.seen_edge, "width": LINE_PT, "zorder": 14.0}
            area(sheet, at + 1.25 * square, mark=f"target-{number}", **look)
        for number, at in enumerate(self.view.flat(_floats(drawn.sources))):
            disc(sheet, (at[0], at[1]), small, fill=style.attacker_edge, zorder=15.0, mark=f"source-{number}")
        if drawn.count:
            phrase = "source point" if len(drawn.sources) == 1 else "sources"
            words = self.words(phrase, attacker=short(sheet, self.attacker.name), count=len(drawn.sources))
            sheet.legend(Swatch(words, fill=style.attacker_edge, edge=style.attacker_edge, point="o"))
            words = self.words("targets", target=short(sheet, self.target.name), count=len(drawn.targets))
            sheet.legend(Swatch(words, fill=style.seen, edge=style.seen_edge, point="s"))

    def draw_gravity(self) -> None:
        """The direction of the attacker's gravity, and the face that is left out because terrain lies there."""
        sheet, style, face = self.sheet, self.sheet.style, self.attacker.gravity
        cell = self.drawn.source_cell or self.attacker.cells[0]
        if self.drawn.gravity_face_excluded:
            faces = faces_of(TerrainBox.of_cell(cell), self.view, both=True)
            [left_out] = [seen for seen in faces if seen.face == face]
            look: dict[str, Any] = {"edge": style.purple, "hatch": LEFT_OUT_HATCH}
            area(sheet, self.view.flat(left_out.corners), width=LINE_PT, zorder=7.0, mark="left-out", **look)
            sheet.legend(Swatch(self.words("left out"), **look))
        down = np.zeros(3)
        down[face.axis] = 1.0 if face.high else -1.0
        step = self.view.flat(down[None])[0] - self.view.flat(np.zeros((1, 3)))[0]
        step = step / max(float(np.hypot(*step)), 1e-9)
        left, bottom, right, top = sheet.bounds
        places = np.array([[x, y] for y in (top, bottom) for x in (left, right)])
        inward = np.sign(self.corners.mean(axis=0) - places) * sheet.paper(8.0)
        rooms = [float(np.hypot(*(self.corners - place).T).min()) for place in places + inward]
        middle = (places + inward)[int(np.argmax(np.round(rooms, 6)))]
        start, end = middle - sheet.paper(3.0) * step, middle + sheet.paper(3.0) * step
        arrow(sheet, start, end, style.ink, width=LINE_PT, zorder=20.0, mark="gravity")
        below = min(start[1], end[1]) - sheet.paper(2.0)
        sheet.text(float(middle[0]), float(below), self.words("gravity"), size=SMALL_PT, ha="center")
        sheet.avoid(
            np.linspace(start, (middle[0], below), 12) + np.linspace(-1, 1, 5)[:, None, None] * (sheet.paper(4.0), 0.0)
        )


def _floats(points: Iterable[Point] | Iterable[Cell]) -> Floats:
    return np.array([[float(number) for number in point] for point in points], dtype=np.float64).reshape(-1, 3)


SHRUNK = 0.03  # the gap between a creature and the borders of its cells: its faces must not lie in those of its ground
MAX_DRAWN_LINES = 64  # the most lines of one kind in one check; of more lines an even selection is drawn
REMARK = "Creatures fill their cells; the lines are those from corner to corner by which cover is judged."


def stage(scene: CellScene, judged: Sequence[tuple[Check, IkosaVerdict]], cache: Cache) -> Stage:
    """The stage of an Ikosa scene, with checks in the order of the page."""
    shapes, items = list[DisplayShape](), list[StageItem]()
    for box_number, (low, high) in enumerate(scene.solids.boxes, 1):
        boxes = box_number - len(scene.solid_cells)
        name = f"box {boxes}" if boxes > 0 else f"solid cell [{', '.join(f'{value:g}' for value in low)}]"
        items.append(StageItem(name, "terrain", len(shapes), Pose.standing()))
        shapes.append(box(low, high))
    solids = len(items)
    for creature in scene.creatures:
        items.append(StageItem(creature.name, "creature", len(shapes), Pose.standing(), opacity=0.5))
        shapes.append(together(*(_cell(creature, cell) for cell in creature.cells)))
    for cell in scene.effect_cells:
        items.append(StageItem(f"effect {in_words(cell)}", "creature", len(shapes), Pose.standing(), opacity=0.25))
        low = np.array(cell, dtype=np.float64)
        shapes.append(box(low + SHRUNK, low + 1.0 - SHRUNK))
    numbers = {creature.name: solids + index for index, creature in enumerate(scene.creatures)}
    sights = tuple(_sight(scene, numbers, place, *ruling) for place, ruling in enumerate(judged))
    remarks = [REMARK]
    if any(len(sight.lines) < verdict.drawn.hindered.size for sight, (_, verdict) in zip(sights, judged, strict=True)):
        remarks.append(f"Of many lines, {MAX_DRAWN_LINES} of a kind are drawn.")
    floor = min(float(shape.vertices[:, 2].min()) for shape in shapes) if shapes else 0.0
    return Stage(tuple(shapes), tuple(items), sights, tuple(remarks), floor=floor)


def _sight(scene: CellScene, numbers: dict[str, int], place: int, check: Check, verdict: IkosaVerdict) -> StageCheck:
    cell = verdict.drawn.source_cell or scene.creature(check.attacker).cells[0]
    return StageCheck(
        place,
        numbers[check.attacker],
        numbers[check.target],
        tuple(int(index) for index in verdict.drawn.solids),
        eye=np.array(cell, dtype=np.float64) + 0.5,
        free=verdict.line_of_effect,
        lines=(*_lines(verdict, "free"), *_lines(verdict, "blocked")),
    )


def _cell(creature: Creature, cell: Cell) -> DisplayShape:
    """One cell of a creature, smaller by `SHRUNK` on the sides where no other of its cells lies."""
    low, high = np.array(cell, dtype=np.float64), np.array(cell, dtype=np.float64) + 1.0
    cells = set(creature.cells)
    for axis in range(3):
        for step, side, sign in ((-1, low, 1.0), (1, high, -1.0)):
            neighbour = list(cell)
            neighbour[axis] += step
            if tuple(neighbour) not in cells:
                side[axis] += sign * SHRUNK
    return box(low, high)


def _lines(verdict: IkosaVerdict, kind: LineKind) -> list[StageLine]:
    drawn = verdict.drawn
    ends = [(drawn.sources[i], drawn.targets[j]) for i, j in np.argwhere(drawn.hindered == (kind == "blocked"))]
    return [StageLine(kind, pair) for pair in ends[:: -(-len(ends) // MAX_DRAWN_LINES) or 1]]


class IkosaDrawing(GameDrawing[CellScene]):
    """What is drawn of Ikosa."""

    def figures(self, scene: CellScene, check: Check, verdict: IkosaVerdict, renderer: Renderer) -> list[Figure]:
        """The one figure of a check, the view of its cells."""
        return [Figure("cells", lambda sheet: draw_cell_view(sheet, scene, check, verdict), "The cells")]

    stage = staticmethod(stage)


DRAWING = IkosaDrawing()
