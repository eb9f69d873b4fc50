"""DRAW: the small plan of an animation: one stretch of table for all frames, the first line of sight upwards."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageChops, ImageDraw

from silhouette.common.geometry import INCH, Floats
from silhouette.drawing.page import SUPERSAMPLING, TypeFace
from silhouette.drawing.styles import DARK_INK, LEVEL_COLOURS, LIGHT_COLOUR, PRINT, Colour, channels, tint
from silhouette.drawing.table.sightlines import Sightline
from silhouette.drawing.table.tracing import Rings, ring_area, standing
from silhouette.measure.observation import Sight
from silhouette.scenes.table import Piece

GRID_COLOUR, PLAN_RIM_COLOUR = "#e8e5db", "#c8c5be"
PLAN_MARGIN_SHARE = 0.09  # the margin round the stretch that is shown, as a share of its size
# The least distance of the lines that are an inch apart, in pixels; nearer ones are left out.
MIN_GRID_PX = 7 * SUPERSAMPLING
PLAN_NAME_TYPE = TypeFace(16, "Bold")


@dataclass(frozen=True, eq=False)
class PlanExtent:
    """The stretch of table that the plan shows, and its scale."""

    up: Floats  # (2,) unit vector of the world that runs upwards in the plan
    middle: Floats  # (2,) the point of the world in the middle of the plan
    scale: float  # pixels, drawn `SUPERSAMPLING` times too large, for a mm
    size: tuple[int, int]  # width and height of the plan in such pixels
    path: Floats  # (n, 2) where the target's base stands in each frame
    # The latest picture of what stands still, by what it shows
    drawn: dict[bytes, Image.Image] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, sights: Sequence[Sight], width: int, height: int) -> PlanExtent:
        """The stretch that shows attacker and target in each frame, or in the first and the last."""
        first = sights[0]
        step = first.target.base_centre - first.attacker.eye[:2]
        length = float(np.hypot(*step))
        up = step / length if length > 1e-6 else np.array([0.0, 1.0])
        axes = np.array([[up[1], -up[0]], up])
        pieces = [piece for sight in sights for piece in (sight.attacker, sight.target)]
        points = np.concatenate([piece.base_outline for piece in pieces]) @ axes.T
        low, high = points.min(axis=0), points.max(axis=0)
        span = np.maximum(high - low, INCH) * (1.0 + 2.0 * PLAN_MARGIN_SHARE)
        size = width * SUPERSAMPLING, height * SUPERSAMPLING
        scale = float(min(size[0] / span[0], (size[1] - 2 * PLAN_NAME_TYPE.line) / span[1]))
        path = np.array([sight.target.base_centre for sight in sights])
        return cls(up, ((low + high) / 2) @ axes, scale, size, path)

    def pixels(self, points: Floats) -> list[tuple[float, float]]:
        """Points (n, 2) of the world in the plan, from its upper left corner."""
        right = np.array([self.up[1], -self.up[0]])
        away = (np.asarray(points, dtype=np.float64) - self.middle) * self.scale
        x = self.size[0] / 2 + away @ right
        y = self.size[1] / 2 - away @ self.up
        return list(zip(x.tolist(), y.tolist(), strict=True))


def drawn_plan(ground: PlanExtent, line: Sightline) -> NDArray[np.uint8]:
    """The plan of one frame as colours (height, width, 3), at the size in which it is shown."""
    plan = _PlanPainter(ground, line)
    plan.draw_still()
    plan.draw_path()
    plan.draw_sight()
    plan.draw_piece(line.sight.attacker)
    plan.draw_piece(line.sight.target)
    plan.draw_names()
    return plan.finished()


class _PlanPainter:
    """One plan while it is drawn."""

    def __init__(self, ground: PlanExtent, line: Sightline) -> None:
        self._ground, self._line = ground, line
        self._image = Image.new("RGB", ground.size, PRINT.ground)
        self._drawing = ImageDraw.Draw(self._image)

    def draw_still(self) -> None:
        """What stands still, which is the same in most frames, and drawn once for them."""
        both = (self._line.sight.attacker.name, self._line.sight.target.name)
        others = [piece for piece in self._line.scene.pieces if piece.name not in both]
        others.sort(key=lambda piece: (piece.kind != "terrain", float(piece.pose.translation[2])))
        arcs = [(arc.apex, arc.right, arc.left) for arc in self._line.drawn_arcs or ()]
        poses = [(piece.pose.rotation, piece.pose.translation, piece.base_outline) for piece in others]
        looks = [(piece.name, piece.model.mesh.digest, piece.name in self._line.blocking) for piece in others]
        key = pickle.dumps((arcs, poses, looks))
        if key not in self._ground.drawn:
            self.draw_table()
            self.draw_arcs()
            for piece in others:
                self.draw_piece(piece)
            self._ground.drawn.clear()
            self._ground.drawn[key] = self._image.copy()
        else:
            self._image.paste(self._ground.drawn[key])

    def draw_table(self) -> None:
        """Lines an inch apart, along the world's axes."""
        ground = self._ground
        if ground.scale * INCH < MIN_GRID_PX:
            return
        reach = float(np.hypot(*ground.size)) / ground.scale / 2
        for axis in (0, 1):
            first, last = (int((ground.middle[axis] + side * reach) // INCH) for side in (-1, 1))
            for number in range(first, last + 2):
                ends = np.empty((2, 2))
                ends[:, axis] = number * INCH
                ends[:, 1 - axis] = ground.middle[1 - axis] + reach * np.array([-1.0, 1.0])
                self._drawing.line(ground.pixels(ends), fill=GRID_COLOUR, width=SUPERSAMPLING)

    def draw_arcs(self) -> None:
        """The vision arcs as wedges without end; none where the attacker looks all round."""
        arcs = self._line.drawn_arcs
        if not arcs:
            return
        far = 4.0 * float(np.hypot(*self._ground.size)) / self._ground.scale
        veil = Image.new("L", self._image.size, 0)
        for arc in arcs:
            corners = np.array([arc.apex, arc.apex + far * arc.right, arc.apex + far * arc.left])
            ImageDraw.Draw(veil).polygon(self._ground.pixels(corners), fill=48)
        self._image.paste(PRINT.arc, mask=veil)
        for arc in arcs:
            for edge in (arc.right, arc.left):
                ends = self._ground.pixels(np.array([arc.apex, arc.apex + far * edge]))
                self._drawing.line(ends, fill=tint(PRINT.arc, PRINT.ground, 0.8), width=SUPERSAMPLING)

    def draw_piece(self, piece: Piece) -> None:
        """The base and the outline of a piece, in the colour of its part in the check."""
        line = self._line
        if piece.kind == "terrain":
            blocks = piece.name in line.blocking
            self._fill(
                standing(piece.pose, piece.model.mesh),
                *((PRINT.blocker, PRINT.blocker_edge) if blocks else (PRINT.terrain, PRINT.terrain_edge)),
            )
            return
        fill, edge = PRINT.model, PRINT.model_edge
        if piece.name == line.sight.attacker.name:
            fill, edge = PRINT.attacker, PRINT.attacker_edge
        elif piece.name == line.sight.target.name:
            fill, edge = (
                (PRINT.seen, PRINT.seen_edge) if line.verdict.line_of_sight else (PRINT.obscured, PRINT.obscured_edge)
            )
        elif piece.name in line.blocking:
            fill, edge = PRINT.blocker, PRINT.blocker_edge
        self._fill((piece.base_outline,), LIGHT_COLOUR, edge)
        self._fill(standing(piece.pose, piece.model.significant), fill, edge)

    def draw_path(self) -> None:
        """The way that the target walks, from its start to its end."""
        ends = self._ground.pixels(self._ground.path[[0, -1]])
        (x, y), (to_x, to_y) = ends
        length = float(np.hypot(to_x - x, to_y - y))
        dash = 5 * SUPERSAMPLING
        for start in np.arange(0.0, length, 2 * dash):
            shares = np.array([start, min(start + dash, length)]) / length
            points = [(x + share * (to_x - x), y + share * (to_y - y)) for share in shares]
            self._drawing.line(points, fill=PRINT.seen_edge, width=SUPERSAMPLING)
        for at in ends if length else ():
            self._dot(at, 2.5 * SUPERSAMPLING, PRINT.seen_edge)

    def draw_sight(self) -> None:
        """The line from the eye to the middle of the target, in the colour of the verdict."""
        line = self._line
        ends = self._ground.pixels(np.array([line.eye[:2], line.middle[:2]]))
        self._drawing.line(ends, fill=LIGHT_COLOUR, width=4 * SUPERSAMPLING)
        self._drawing.line(ends, fill=LEVEL_COLOURS[line.verdict.level], width=2 * SUPERSAMPLING)

    def draw_names(self) -> None:
        """The names: the attacker's below its base, the target's above it; within the plan."""
        sight = self._line.sight
        self._dot(self._ground.pixels(self._line.eye[None, :2])[0], 2 * SUPERSAMPLING, LIGHT_COLOUR)
        for piece, below in ((sight.attacker, True), (sight.target, False)):
            points = np.array(self._ground.pixels(piece.base_outline))
            name = PLAN_NAME_TYPE.elided(PLAN_NAME_TYPE.printable(piece.name), 0.9 * self._ground.size[0])
            wide, rim = PLAN_NAME_TYPE.width(name), 3 * SUPERSAMPLING
            x = float(np.clip(points[:, 0].mean() - wide / 2, rim, self._ground.size[0] - wide - rim))
            y = float(points[:, 1].max() + rim if below else points[:, 1].min() - PLAN_NAME_TYPE.line - rim)
            y = float(np.clip(y, 0, self._ground.size[1] - PLAN_NAME_TYPE.line))
            PLAN_NAME_TYPE.draw(self._drawing, (x, y), name, DARK_INK, channels(PRINT.ground))

    def finished(self) -> NDArray[np.uint8]:
        """The plan with a border, at the size in which it is shown."""
        width, height = self._ground.size
        self._drawing.rectangle((0, 0, width - 1, height - 1), outline=PLAN_RIM_COLOUR, width=SUPERSAMPLING)
        return np.asarray(
            self._image.resize((width // SUPERSAMPLING, height // SUPERSAMPLING), Image.Resampling.LANCZOS)
        )

    def _dot(self, at: tuple[float, float], radius: float, colour: Colour | str) -> None:
        x, y = at
        self._drawing.ellipse((x - radius, y - radius, x + radius, y + radius), fill=colour)

    def _fill(self, rings: Rings, fill: Colour | str, edge: str) -> None:
        """An outline with its holes, where any of it is shown."""
        points = [self._ground.pixels(ring) for ring in sorted(rings, key=lambda ring: -abs(ring_area(ring)))]
        if not points:
            return
        (left, top), (right, bottom) = (
            extreme([at for ring in points for at in ring], axis=0) for extreme in (np.min, np.max)
        )
        if left > self._ground.size[0] or top > self._ground.size[1] or right < 0 or bottom < 0:
            return
        mask = Image.new("1", self._image.size)
        for ring in points:
            ring_mask = Image.new("1", self._image.size)
            ImageDraw.Draw(ring_mask).polygon(ring, fill=1)
            mask = ImageChops.logical_xor(mask, ring_mask)
        self._image.paste(fill, mask=mask)
        for ring in points:
            self._drawing.line([*ring, ring[0]], fill=edge, width=SUPERSAMPLING, joint="curve")
