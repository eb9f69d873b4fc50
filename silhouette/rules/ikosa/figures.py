"""DRAW: an Ikosa check as a view of its cells from above and one side: the corners used, and the lines between them.

Corners, lines and the solids in their way come from the verdict. Lines are thin where they are many, else strong.

    from where to look -> solids, the furthest first -> creatures' cells -> lines -> corners, gravity, names
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from silhouette.drawing.captions import BOLD, HAIRLINE, LINE, SMALL, THIN, Swatch
from silhouette.drawing.sheet import Sheet
from silhouette.drawing.strokes import area, arrow, disc, line, short, tint, title
from silhouette.drawing.words.words import why
from silhouette.geometry import Floats
from silhouette.renderers.protocol import Renderer
from silhouette.rules.base import Figure
from silhouette.rules.ikosa.cell_frames import SeenFace, Solid, best_viewpoint, faces_of, inside_stretch, solids_of
from silhouette.rules.ikosa.cell_lines import Cell, Face, Point
from silhouette.rules.ikosa.judge import IkosaVerdict
from silhouette.rules.ikosa.scene import CellScene, Creature
from silhouette.scenes.scene import Check

FEW = 12
"""The number of lines of a kind up to which they are drawn strong."""

BLOCKED = "--"

LEFT_OUT = "////"


def figures(scene: CellScene, check: Check, verdict: IkosaVerdict, renderer: Renderer | None = None) -> list[Figure]:
    """The one figure of a check, the view of its cells."""
    return [Figure("cells", lambda sheet: draw_cell_view(sheet, scene, check, verdict), "The cells")]


def draw_cell_view(sheet: Sheet, scene: CellScene, check: Check, verdict: IkosaVerdict) -> None:
    """Draws one Ikosa check.

    Args:
        sheet: the sheet to draw on.
        scene, check: the check that was judged, and its scene.
        verdict: the ruling on it; nothing is ruled on here.
    """
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
        used = _floats([*self.drawn.sources, *self.drawn.targets])
        self.view = best_viewpoint(used, _floats(attacker.cells) + 0.5, _floats(target.cells) + 0.5, self.solids)
        boxes = [
            *self.solids,
            *(Solid.of_cell(cell) for creature in (attacker, target, *self.others) for cell in creature.cells),
        ]
        self.corners = self.view.flat(np.concatenate([used, *(creature.corners for creature in boxes)]))
        (left, bottom), (right, top) = self.corners.min(axis=0), self.corners.max(axis=0)
        (x, y), (across, upright) = (
            (self.corners.min(axis=0) + self.corners.max(axis=0)) / 2,
            (right - left, top - bottom),
        )
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
            area(self.sheet, self.view.flat(face.corners), fill=shade, edge=edge, width=THIN, zorder=2.0)
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
            for face in faces_of(Solid.of_cell(cell), self.view, both=True):
                if face.face.beyond(cell) in cells:
                    continue
                if face.front:
                    area(self.sheet, self.view.flat(face.corners), fill=fill, alpha=0.16, zorder=4.0)
                self._draw_edges(cell, face, cells, edge, (1.0 if bold else THIN) if face.front else HAIRLINE)
        flat = self.view.flat(np.concatenate([Solid.of_cell(cell).corners for cell in creature.cells]))
        low, high = flat.min(axis=0), flat.max(axis=0)
        (x, y), (across, upright) = (low + high) / 2, (high - low) / 2
        self.sheet.label(creature.name, (float(x), float(y)), clear=(float(across), float(upright)), bold=bold)
        self.sheet.avoid(flat)

    def _draw_edges(self, cell: Cell, face: SeenFace, cells: set[Cell], colour: str, width: float) -> None:
        """The edges of a face of a creature: thin between two of its cells, dashed where they are at its back."""
        ring = self.view.flat(face.corners)
        first, second = Face((face.face.axis + 1) % 3, False), Face((face.face.axis + 2) % 3, False)
        sides = (second, first._replace(high=True), second._replace(high=True), first)
        for number, side in enumerate(sides):
            neighbour = side.beyond(cell)
            flush = neighbour in cells and face.face.beyond(neighbour) not in cells
            if face.front or not flush:
                look: dict[str, Any] = {"dashes": "-", "zorder": 4.0} if face.front else {"dashes": "--", "zorder": 3.0}
                line(
                    self.sheet, ring[number], ring[(number + 1) % 4], colour, width=HAIRLINE if flush else width, **look
                )

    def draw_lines(self) -> None:
        """Every line from corner to corner: clear ones thin, blocked ones dashed, and bold inside the terrain."""
        style, drawn = self.sheet.style, self.drawn
        sources, targets = (self.view.flat(_floats(points)) for points in (drawn.sources, drawn.targets))
        clear = drawn.count - drawn.blocked
        strong = clear <= FEW
        width, colour = (LINE, style.blue) if strong else (HAIRLINE, tint(style.blue, style.paper, 0.6))
        for i, j in np.argwhere(~drawn.hindered):
            line(self.sheet, sources[i], targets[j], colour, width=width, zorder=8.0, mark=f"clear-{i}-{j}")
        if clear:
            self.sheet.legend(Swatch(self.words("clear lines", count=clear), edge=colour, line=True))
        width = BOLD if drawn.blocked <= FEW else THIN
        for i, j in np.argwhere(drawn.hindered):
            look: dict[str, Any] = {"width": width, "dashes": BLOCKED, "zorder": 9.0}
            line(self.sheet, sources[i], targets[j], style.red, mark=f"blocked-{i}-{j}", **look)
            self._draw_inside(drawn.sources[i], drawn.targets[j], width)
            self.sheet.avoid_line(sources[i], targets[j])
        if drawn.blocked:
            words = self.words("blocked lines", count=drawn.blocked)
            self.sheet.legend(Swatch(words, edge=style.red, line=True, dashes=BLOCKED))

    def _draw_inside(self, source: Point, target: Point, width: float) -> None:
        """A broad band under the stretch of a blocked line that lies inside the terrain."""
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
            look: dict[str, Any] = {"fill": style.seen, "edge": style.seen_edge, "width": LINE, "zorder": 14.0}
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
            faces = faces_of(Solid.of_cell(cell), self.view, both=True)
            [left_out] = [seen for seen in faces if seen.face == face]
            look: dict[str, Any] = {"edge": style.purple, "hatch": LEFT_OUT}
            area(sheet, self.view.flat(left_out.corners), width=LINE, zorder=7.0, mark="left-out", **look)
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
        arrow(sheet, start, end, style.ink, width=LINE, zorder=20.0, mark="gravity")
        below = min(start[1], end[1]) - sheet.paper(2.0)
        sheet.text(float(middle[0]), float(below), self.words("gravity"), size=SMALL, ha="center")
        sheet.avoid(
            np.linspace(start, (middle[0], below), 12) + np.linspace(-1, 1, 5)[:, None, None] * (sheet.paper(4.0), 0.0)
        )


def _floats(points: Iterable[Point] | Iterable[Cell]) -> Floats:
    """Points as an array (n, 3)."""
    return np.array([[float(number) for number in point] for point in points], dtype=np.float64).reshape(-1, 3)
