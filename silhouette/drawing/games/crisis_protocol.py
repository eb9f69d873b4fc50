"""DRAW: Crisis Protocol: a check as a plan, a whole table from above, and the table on a stage.

The rules know sizes and a plan, no heights: on the stage terrain and characters are as high as their sizes, and the
page says that heights are for display alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import shapely

from silhouette.common.geometry import INCH, Floats, Pose
from silhouette.drawing.captions import (
    BOLD_LINE_PT,
    HAIRLINE_PT,
    LINE_PT,
    NAME_PT,
    PAGE_EDGE_MM,
    SMALL_PT,
    THIN_LINE_PT,
    Swatch,
)
from silhouette.drawing.games import GameDrawing
from silhouette.drawing.in_3d.shapes import DisplayShape, pawn, prism
from silhouette.drawing.in_3d.stage import Stage, StageCheck, StageItem, StageLine
from silhouette.drawing.marks import AreaStyle, area, arrow, cross, disc, draw_table_top, draw_ticks, line, short, title
from silhouette.drawing.sheet import COLUMN, MAX_NAME_WIDTH_SHARE, TWO_COLUMNS, Figure, Sheet
from silhouette.drawing.styles import tint
from silhouette.drawing.typeface import elided, printable, width
from silhouette.drawing.words.words import why
from silhouette.files.cache import Cache
from silhouette.relations.plane_geometry import tangent_quadrilateral
from silhouette.renderers.protocol import Renderer
from silhouette.rules.crisis_protocol.judge import CrisisProtocolVerdict
from silhouette.rules.crisis_protocol.scene import METRIC, Character, Feature, PlanScene, millimetres
from silhouette.scenes.scene import Check

BLOCKING_HATCH, COVER_HATCH = "////", "...."  # hatches of terrain that blocks, and of terrain that gives cover
FRAME_MARGIN = 0.22  # round attacker and target, for terrain without a part in the verdict, a share of their distance
TICKS = 4.5  # the room along the upper and the right edge for the numbers of the ticks, mm on paper
DASHED_LINE, DOTTED_LINE = "--", ":"


def draw_bases_plan(sheet: Sheet, scene: PlanScene, check: Check, verdict: CrisisProtocolVerdict) -> None:
    """Draws one Crisis Protocol check, which was judged, from above."""
    plan = _PlanFigure(sheet, scene, scene.character(check.attacker), scene.target(check.target), verdict)
    sheet.frame(*plan.frame())
    plan.draw_terrain()
    plan.draw_between()
    plan.draw_ranges()
    plan.draw_distance()
    plan.draw_bases()
    plan.draw_line()
    plan.name_terrain()
    mm = millimetres(scene.units)
    draw_ticks(sheet, sheet.bounds, mm=mm)
    sheet.caption(title(sheet, verdict), why(sheet.words, verdict))
    sheet.note(plan.words("plan in inches") if mm else plan.words("whole table", units=scene.units))


@dataclass
class _PlanFigure:
    """One figure while it is drawn."""

    sheet: Sheet
    scene: PlanScene
    attacker: Character
    target: Character | Feature
    verdict: CrisisProtocolVerdict

    def __post_init__(self) -> None:
        self.words = self.sheet.words.of(self.verdict.rules)

    def frame(self) -> tuple[float, float, float, float]:
        """Left, bottom, right and top of both pieces, range 1 of the target, and the terrain near them that decided."""
        both = [_outline(self.attacker), _outline(self.target)]
        if isinstance(self.target, Character):
            both.append(_round(self.target.base.centre, self.target.base.radius + self.scene.ranges.first))
        if self.verdict.sight_line is not None:
            both.append(np.array(self.verdict.sight_line))
        points = np.concatenate(both)
        (left, bottom), (right, top) = points.min(axis=0), points.max(axis=0)
        more = FRAME_MARGIN * max(right - left, top - bottom)
        part = {*self.verdict.in_the_way, *self.verdict.cover_from}
        for feature in self.scene.terrain:
            corners = feature.outline.corners
            grown = more * (1.5 if feature.name in part else 1.0)
            clipped = np.clip(corners, (left - grown, bottom - grown), (right + grown, top + grown))
            points = np.concatenate([points, clipped[(clipped == corners).any(axis=1)]])
        (left, bottom), (right, top) = points.min(axis=0), points.max(axis=0)
        edge = 0.04 * max(right - left, top - bottom)
        name_room = 0.15 * (right - left)  # so that names have room above those whom they name
        across = [_middle(piece)[0] for piece in (self.attacker, self.target)]
        left, right = min(left - edge, min(across) - name_room), max(right + edge, max(across) + name_room)
        strip = TICKS * (right - left) / (COLUMN - 2 * PAGE_EDGE_MM)
        return left, bottom - edge, right + strip, top + edge + strip

    def draw_terrain(self) -> None:
        """The terrain and the objects, each coloured by its part in the verdict."""
        sheet, style = self.sheet, self.sheet.style
        left_over = False
        for feature in self.scene.terrain:
            ring = shapely.segmentize(feature.outline.polygons[0].exterior, sheet.paper(1.5))
            sheet.avoid(shapely.get_coordinates(ring))
        for number, feature in enumerate(self.scene.terrain):
            corners, mark = feature.outline.corners, f"terrain-{number}"
            if feature.name in (*self.verdict.in_the_way, *self.verdict.cover_from):
                self._draw_obstacle(feature, mark)
            elif feature is self.target:
                area(sheet, corners, fill=style.seen, edge=style.seen_edge, width=BOLD_LINE_PT, mark=mark)
                sheet.legend(Swatch(self.words("looked at"), fill=style.seen, edge=style.seen_edge))
            else:
                area(sheet, corners, fill=style.terrain, edge=style.terrain_edge, width=LINE_PT, mark=mark)
                left_over = True
        if left_over:
            sheet.legend(Swatch(self.words("other terrain"), fill=style.terrain, edge=style.terrain_edge))
        for number, piece in enumerate(self.scene.objects):
            chosen = piece is self.target
            fill, edge = (style.seen, style.seen_edge) if chosen else (style.model, style.model_edge)
            area(sheet, piece.outline.corners, fill=fill, edge=edge, width=LINE_PT, zorder=3.0, mark=f"object-{number}")
            self._name(piece, bold=chosen)

    def _draw_obstacle(self, feature: Feature, mark: str) -> None:
        style = self.sheet.style
        blocks, covers = feature.name in self.verdict.in_the_way, feature.name in self.verdict.cover_from
        fill = style.blocker if blocks else style.terrain
        edge = style.green if covers else style.blocker_edge
        hatch = BLOCKING_HATCH * blocks + COVER_HATCH * covers
        part = "both" if blocks and covers else "blocker" if blocks else "cover"
        phrase = {"both": "blocks and covers", "blocker": "larger", "cover": "gives cover"}[part]
        look = AreaStyle(fill=fill, edge=edge, hatch=hatch, width=1.8 if covers else LINE_PT, mark=f"{mark}-{part}")
        area(self.sheet, feature.outline.corners, **look)
        self.sheet.legend(Swatch(self.words(phrase), fill=fill, edge=edge, hatch=hatch))

    def draw_bases(self) -> None:
        """The base, name and size of every character; the attacker and the target have colours of their own."""
        sheet, style = self.sheet, self.sheet.style
        looks = {
            self.attacker.name: (style.attacker, style.attacker_edge),
            self.target.name: (style.seen, style.seen_edge),
        }
        for number, character in enumerate(self.scene.characters):
            fill, edge = looks.get(character.name, (style.model, style.model_edge))
            look: dict[str, Any] = {
                "fill": fill,
                "edge": edge,
                "width": BOLD_LINE_PT if character.name in looks else THIN_LINE_PT,
            }
            disc(sheet, character.base.centre, character.base.radius, zorder=6.0, mark=f"base-{number}", **look)
            self._name(character, bold=character.name in looks)

    def draw_between(self) -> None:
        """The strip of all lines from base to base; terrain between the two reaches into it."""
        style = self.sheet.style
        corners = self._strip()
        if len(corners):
            area(self.sheet, corners, fill=style.blue, alpha=0.1, zorder=4.0, mark="between")
            for start, end in (corners[:2], corners[2:]):
                line(self.sheet, start, end, style.blue, width=HAIRLINE_PT, zorder=4.0)
                self.sheet.avoid_line(start, end)
            self.sheet.legend(Swatch(self.words("between"), fill=tint(style.blue, style.ground, 0.1), edge=style.blue))

    def draw_ranges(self) -> None:
        """Range 1 round the target and range 2 round the attacker, from the edge of the base as they are measured."""
        if not isinstance(self.target, Character):
            return
        sheet, style, ranges = self.sheet, self.sheet.style, self.scene.ranges
        away = np.array(self.target.base.centre) - np.array(self.attacker.base.centre)
        ahead = float(np.arctan2(away[1], away[0]))
        for key, piece, reach, colour, dashes, turns in (
            ("range 1", self.target, ranges.first, style.green, DOTTED_LINE, ahead + np.array([0.9, -0.9, 2.2, -2.2])),
            (
                "range 2",
                self.attacker,
                ranges.second,
                style.purple,
                DASHED_LINE,
                ahead + np.array([-0.75, 0.75, -0.45, 0.45]),
            ),
        ):
            rim = piece.base.radius + reach
            look: dict[str, Any] = {"edge": colour, "width": LINE_PT, "dashes": dashes, "mark": key.replace(" ", "-")}
            disc(sheet, piece.base.centre, rim, zorder=5.0, **look)
            sheet.avoid(_round(piece.base.centre, rim)[::2])
            steps = np.column_stack([np.cos(turns), np.sin(turns)])
            visible_steps = [step for step in steps if self._holds(np.array(piece.base.centre) + 1.02 * rim * step)]
            for step in visible_steps[:1]:
                start, end = np.array(piece.base.centre) + np.outer([piece.base.radius, rim], step)
                arrow(sheet, start, end, colour, width=THIN_LINE_PT, heads="<|-|>")
                sheet.avoid_line(start, (3.0 * start + 2.0 * end) / 5.0)
                sheet.avoid_line((2.0 * start + 3.0 * end) / 5.0, end)
                sheet.label(self.words(f"{key} here"), tuple((start + end) / 2), size=SMALL_PT, inside=True)
            words = self.words(key, name=short(sheet, piece.name), length=self._length(reach))
            sheet.legend(Swatch(words, edge=colour, line=True, dashes=dashes))

    def draw_distance(self) -> None:
        """The distance of the two, edge to edge, next to the lines between them."""
        if self.verdict.distance <= 0.0:
            return
        sheet, style = self.sheet, self.sheet.style
        start, end = self._nearest()
        along = (end - start) / max(float(np.hypot(*(end - start))), 1e-12)
        sideways = np.array([along[1], -along[0]])
        sideways = sideways if sideways[1] < 0.0 or (sideways[1] == 0.0 and sideways[0] > 0.0) else -sideways
        widest = max(float(((_outline(piece) - start) @ sideways).max()) for piece in (self.attacker, self.target))
        shift = sideways * (widest + sheet.paper(2.6))
        for point in (start, end):
            line(sheet, point, point + shift * 1.04, style.soft_ink, width=HAIRLINE_PT)
        arrow(sheet, start + shift, end + shift, style.soft_ink, width=THIN_LINE_PT, heads="<|-|>", mark="distance")
        sheet.avoid_line(start + shift, end + shift)
        sheet.label(self._length(self.verdict.distance), tuple((start + end) / 2 + shift), size=SMALL_PT, inside=True)

    def draw_line(self) -> None:
        """The verdict's free line; where there is none, the line between the middles and where it ends."""
        sheet, style, ends = self.sheet, self.sheet.style, self.verdict.sight_line
        if ends is not None:
            line(sheet, *ends, style.paper, width=2.6, zorder=11.0)
            line(sheet, *ends, style.blue, width=BOLD_LINE_PT, zorder=11.0, mark="sight-line")
            for end in ends:
                disc(sheet, end, sheet.paper(0.55), fill=style.blue, zorder=12.0)
            sheet.avoid_line(*ends)
            sheet.legend(Swatch(self.words("a free line"), edge=style.blue, line=True))
            return
        first, last = _middle(self.attacker), _middle(self.target)
        line(sheet, first, last, style.red, width=BOLD_LINE_PT, dashes=DASHED_LINE, zorder=11.0, mark="blocked-line")
        sheet.avoid_line(first, last)
        for at in self._stops(first, last):
            cross(sheet, at, style.red)
        sheet.legend(Swatch(self.words("no free line"), edge=style.red, line=True, dashes=DASHED_LINE))

    def _stops(self, start: Floats, end: Floats) -> list[Floats]:
        """The point where the line meets the blockers of the verdict: the middle of the stretch inside the first."""
        path = shapely.LineString([start, end])
        inside = [
            shapely.intersection(path, feature.outline.polygons[0])
            for feature in self.scene.terrain
            if feature.name in self.verdict.in_the_way
        ]
        stretches = [part for crossing in inside for part in shapely.get_parts(crossing) if part.length > 0.0]
        middles = [np.array(part.interpolate(0.5, normalized=True).coords[0]) for part in stretches]
        return sorted(middles, key=lambda at: float(np.hypot(*(at - start))))[:1]

    def _nearest(self) -> tuple[Floats, Floats]:
        shapes = [_shape(self.attacker), _shape(self.target)]
        start, end = np.array(shapely.shortest_line(*shapes).coords)
        way = (end - start) / max(float(np.hypot(*(end - start))), 1e-12)
        start = start + way * _radius(self.attacker)
        return start, end - way * _radius(self.target)

    def name_terrain(self) -> None:
        """The name and size of every piece, where most of it is free."""
        left, bottom, right, top = self.sheet.bounds
        busy = [_shape(character).buffer(_radius(character)) for character in self.scene.characters]
        strip = self._strip()
        busy += [shapely.Polygon(strip)] if len(strip) else []
        for feature in self.scene.terrain:
            visible = shapely.clip_by_rect(feature.outline.polygons[0], left, bottom, right, top)
            free = shapely.difference(visible, shapely.union_all(busy))
            free = free if free.area > 0.15 * visible.area else visible
            if visible.area > 0.0:
                widest = max(shapely.get_parts(free), key=lambda part: float(part.area))
                centre = shapely.get_coordinates(shapely.maximum_inscribed_circle(widest))[0]
                at = (float(centre[0]), float(centre[1]))
                name, bold = self._sized(feature), feature is self.target
                # A name wider than its piece would stand on the edges of it: it stands next to the piece instead.
                low_x, low_y, high_x, high_y = visible.bounds
                fits = self.sheet.paper(width(printable(name), NAME_PT, bold) + 1.0) < self._span(widest, at)
                middle = at if fits else ((low_x + high_x) / 2, (low_y + high_y) / 2)
                clear = (0.0, 0.0) if fits else ((high_x - low_x) / 2, (high_y - low_y) / 2)
                self.sheet.label(name, middle, clear=clear, inside=fits, bold=bold)

    @staticmethod
    def _span(shape: Any, at: tuple[float, float]) -> float:
        left, _, right, _ = shape.bounds
        across = shapely.intersection(shape, shapely.LineString([(left, at[1]), (right, at[1])]))
        return float(across.length)

    def _strip(self) -> Floats:
        """(4, 2) the corners of the strip between the two bases; (0, 2) for an object."""
        if not isinstance(self.target, Character):
            return np.empty((0, 2))
        return tangent_quadrilateral(self.attacker.base, self.target.base)

    def _holds(self, point: Floats) -> bool:
        left, bottom, right, top = self.sheet.bounds
        return bool(left <= point[0] <= right and bottom <= point[1] <= top)

    def _name(self, piece: Character | Feature, *, bold: bool) -> None:
        at, corners = _middle(piece), _outline(piece)
        if self._holds(at):
            across, upright = np.abs(corners - at).max(axis=0)
            self.sheet.label(self._sized(piece), (float(at[0]), float(at[1])), clear=(across, upright), bold=bold)
            self.sheet.avoid(at + np.linspace(0.1, 1.0, 6)[:, None, None] * (corners - at))

    def _sized(self, piece: Character | Feature) -> str:
        counted = self.verdict.target_size
        raised = piece is self.target and counted != piece.size
        name = (
            elided(piece.name, MAX_NAME_WIDTH_SHARE * self.sheet.width / 2, NAME_PT, bold=True)
            if raised
            else piece.name
        )
        return self.words("raised" if raised else "sized", name=name, size=piece.size, counted=counted)

    def _length(self, length: float) -> str:
        """A length in the scene's unit, and in inches where that unit is known."""
        in_units = self.words("length", length=self.words.number(f"{length:.4g}"), units=self.scene.units)
        mm = METRIC.get(self.scene.units)
        if mm is None:
            return in_units
        inches = self.words("inches", number=self.words.number(f"{length * mm / INCH:.3g}"))
        return f"{in_units} ({inches})"


def _radius(piece: Character | Feature) -> float:
    return piece.base.radius if isinstance(piece, Character) else 0.0


def _shape(piece: Character | Feature) -> Any:
    return shapely.Point(piece.base.centre) if isinstance(piece, Character) else piece.outline.polygons[0]


def _middle(piece: Character | Feature) -> Floats:
    """A point inside a piece, its middle where that is inside."""
    shape = _shape(piece)
    middle = shape.centroid if shape.covers(shape.centroid) else shape.representative_point()
    return np.array(middle.coords[0])


def _outline(piece: Character | Feature) -> Floats:
    return _round(piece.base.centre, piece.base.radius) if isinstance(piece, Character) else piece.outline.corners


def _round(centre: tuple[float, float], radius: float) -> Floats:
    turn = np.linspace(0.0, 2.0 * np.pi, 120, endpoint=False)
    points: Floats = np.array(centre) + radius * np.column_stack([np.cos(turn), np.sin(turn)])
    return points


CROSS = np.array([(-1.0, 0.0), (1.0, 0.0), (0.0, -1.0), (0.0, 1.0)])  # the ends of a circle of radius 1 along x and y
PIECES_MARGIN_SHARE = 0.06  # the room round the pieces, as a share of their extent


def draw_table_plan(sheet: Sheet, scene: PlanScene, *, as_ground: bool = False) -> None:
    """Draws the plan of a whole table on a grid in inches; in the scene's own units, where their length is not known.
    As the ground of a map the outlines of terrain and objects are drawn once more, over what is painted on them, and
    characters have no colours that a map may have.
    """
    points = [np.array(character.base.centre) + character.base.radius * CROSS for character in scene.characters]
    points += [feature.outline.corners for feature in (*scene.terrain, *scene.objects)]
    every = np.concatenate([*points, np.zeros((0 if points else 1, 2))])  # without pieces, round the origin
    low, high = every.min(axis=0), every.max(axis=0)
    room = max(PIECES_MARGIN_SHARE * float((high - low).max()), 1e-9)
    (left, bottom), (right, top) = (low - room).tolist(), (high + room).tolist()
    box, style, words = (left, bottom, right, top), sheet.style, sheet.words.of(scene.rules)
    mm = millimetres(scene.units)
    draw_table_top(sheet, box, box, mm=mm)
    if mm is None:
        sheet.note(words("whole table", units=scene.units))
    else:
        sheet.data["frame"]["mm"] = mm
    for kind, features, fill, edge, zorder in (
        ("terrain", scene.terrain, style.terrain, style.terrain_edge, 2.0),
        ("object", scene.objects, style.blocker, style.blocker_edge, 3.0),
    ):
        for number, feature in enumerate(features):
            look = AreaStyle(fill=fill, edge=edge, width=LINE_PT, zorder=zorder, mark=f"{kind}-{number}")
            area(sheet, feature.outline.corners, **look)
            if as_ground:
                area(sheet, feature.outline.corners, edge=style.ink, width=THIN_LINE_PT, zorder=4.5)
    for number, character in enumerate(scene.characters):
        centre, radius = character.base.centre, character.base.radius
        fill, edge = (style.model, style.ink) if as_ground else (style.seen, style.seen_edge)
        disc(sheet, centre, radius, fill=fill, edge=edge, width=THIN_LINE_PT, zorder=6.0, mark=f"base-{number}")
        name = words("sized", name=character.name, size=character.size)
        sheet.label(name, (float(centre[0]), float(centre[1])), clear=(radius, radius), bold=True)
    for feature in (*scene.terrain, *scene.objects):
        sheet.name(words("sized", name=feature.name, size=feature.size), feature.outline.corners, inside=True)
    sheet.caption(scene.title or scene.path.stem, "")


SIZE_HEIGHT = 0.55  # the height of a size, in diameters of a usual base

REMARK = (
    "This game is judged in the plan, by sizes: bodies are drawn as high as their sizes for display alone, "
    "and where one can see from somewhere in this picture is no verdict."
)


def stage(scene: PlanScene, judged: Sequence[tuple[Check, CrisisProtocolVerdict]], cache: Cache) -> Stage:
    """The stage of a Crisis Protocol scene, with checks in the order of the page."""
    step = _step(scene)
    tops = {feature.name: feature.size * step for feature in (*scene.terrain, *scene.objects)}
    shapes, items = list[DisplayShape](), list[StageItem]()
    for kind, features in (("terrain", scene.terrain), ("object", scene.objects)):
        for feature in features:
            items.append(StageItem(feature.name, kind, len(shapes), Pose.standing()))
            shapes.append(prism(feature.outline.corners, 0.0, tops[feature.name]))
    _add_pawns(scene.characters, step, tops, shapes, items)
    heads = {item.name: _head(shapes[item.shape], item) for item in items}
    number = {item.name: index for index, item in enumerate(items)}

    def sight(place: int, check: Check, verdict: CrisisProtocolVerdict) -> StageCheck:
        """The lines and colours that a check shows in 3D; ``place`` is its place on the page."""
        attacker, target, free = check.attacker, check.target, bool(verdict.line_of_sight)
        ways = tuple(number[name] for name in verdict.in_the_way or verdict.cover_from)
        if attacker == target:
            return StageCheck(place, number[attacker], number[target], ways, free=free)
        ends = verdict.sight_line or [heads[attacker][:2], heads[target][:2]]
        line = StageLine("free" if free else "blocked", [(*end, 0.25 * step) for end in ends])
        return StageCheck(place, number[attacker], number[target], ways, eye=heads[attacker], free=free, lines=(line,))

    sights = tuple(sight(place, *pair) for place, pair in enumerate(judged))
    unit = INCH if scene.units == "mm" else scene.ranges.first / 5.0
    return Stage(tuple(shapes), tuple(items), sights, (REMARK,), unit=unit)


def _step(scene: PlanScene) -> float:
    """The height of what has size 1, in the units of the scene."""
    bases = [character.base.radius * 2.0 for character in scene.characters]
    return SIZE_HEIGHT * float(np.median(bases)) if bases else 0.25 * scene.ranges.first


def _add_pawns(
    characters: Sequence[Character],
    step: float,
    tops: Mapping[str, float],
    shapes: list[DisplayShape],
    items: list[StageItem],
) -> None:
    """Adds a pawn for each character, on the ground or on what it stands on; those of one size share a shape."""
    pawns: dict[tuple[float, int], int] = {}
    for character in characters:
        key = character.base.radius, character.size
        if key not in pawns:
            pawns[key] = len(shapes)
            shapes.append(pawn(2.0 * character.base.radius, 1.3 * character.size * step))
        ground = tops.get(character.on or "", 0.0)
        items.append(
            StageItem(character.name, "character", pawns[key], Pose.standing((*character.base.centre, ground)))
        )


def _head(shape: DisplayShape, item: StageItem) -> Floats:
    low, high = shape.vertices.min(axis=0), shape.vertices.max(axis=0)
    middle = (low + high) / 2.0
    head: Floats = item.pose.place(np.array([[middle[0], middle[1], low[2] + 0.9 * (high[2] - low[2])]]))[0]
    return head


class CrisisProtocolDrawing(GameDrawing[PlanScene]):
    """What is drawn of Crisis Protocol."""

    def figures(
        self, scene: PlanScene, check: Check, verdict: CrisisProtocolVerdict, renderer: Renderer
    ) -> list[Figure]:
        """The one figure of a check, its plan."""
        return [Figure("plan", lambda sheet: draw_bases_plan(sheet, scene, check, verdict))]

    def overview(self, scene: PlanScene, *, as_ground: bool = False) -> Figure:
        """The table from above, with sizes, in the scene's units."""
        return Figure("table", lambda sheet: draw_table_plan(sheet, scene, as_ground=as_ground), width=TWO_COLUMNS)

    stage = staticmethod(stage)


DRAWING = CrisisProtocolDrawing()
