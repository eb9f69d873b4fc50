"""DRAW: the ground of a hex map: terrain and levels, contours of hills, addresses and units.

Hexes stand on a corner, and the distance between neighbours is 1: q grows to the right, r upwards and half as much to
the right.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from silhouette.drawing.captions import BOLD, LINE, SMALL, THIN, Swatch
from silhouette.drawing.sheet import Sheet
from silhouette.drawing.strokes import area, areas, disc, lines, tint
from silhouette.drawing.typeface import height as line_height
from silhouette.drawing.typeface import width as text_width
from silhouette.geometry import Floats
from silhouette.rules.tide_of_iron.hexes import NEIGHBOURS, Address
from silhouette.rules.tide_of_iron.scene import HexScene

HATCHES = {"woods": "....", "building": "++++", "smoke": "oo"}

ROW = float(np.sqrt(3.0) / 2.0)
"""The distance from one row of hexes to the next, in widths of a hex."""

RADIUS = float(1.0 / np.sqrt(3.0))
"""The distance from the middle of a hex to its corners, in widths of a hex."""

MIN_HEXES = 5.0
"""The least width of a drawing, in hexes, so that a small board is not drawn too large."""

LEGIBLE = 9.0
"""The width of a hex, mm, from which every hex has room for an address."""

TIGHT = 6.6
"""The width of a hex, mm, from which the hexes that matter have room for an address."""

HILL = "#a8742a"
"""The earth of hills, as on maps; a level more is a shade more of it."""

CONTOUR = 0.2
"""The greatest width of lines, in points for each mm that a hex is wide."""

PLACES = ((0.0, -0.3), (-0.22, -0.25), (0.22, -0.25), (0.0, 0.3))
"""The places of an address from the middle of its hex, in widths of a hex, the best first; the last at its top."""

ADDRESS_MARGIN = 0.6
"""The free paper on both sides of an address, mm."""

UNIT = 0.19
"""Half the width of a unit's counter."""


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
    """Some hexes of a map on a sheet.

    Attributes:
        hexes: the hexes that are drawn.
        words: the words of the sheet, with the phrases of the game.
        width: the width of a hex on paper, mm.
    """

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
        for terrain in HATCHES:
            self._draw_terrain(terrain, [at for at, ground in grounds.items() if ground.terrain == terrain])
        contours = []
        for at, ground in grounds.items():
            for side, (q, r) in enumerate(NEIGHBOURS):
                neighbour = grounds.get((at[0] + q, at[1] + r), ground)
                if neighbour.elevation < ground.elevation:
                    ring = corners(at)
                    contours.append((ring[side - 1], ring[side]))
        if contours:
            lines(self.sheet, contours, self._earth(9), width=min(BOLD, CONTOUR * self.width), zorder=4.0)

    def _draw_level(self, level: int, hexes: Sequence[Address]) -> None:
        """The hexes of a level, with its number in each where there is room."""
        sheet, fill = self.sheet, self._earth(level)
        areas(sheet, [corners(at) for at in hexes], fill=fill, edge=sheet.style.rule, width=THIN, zorder=1.0)
        if not level:
            return
        words = self.words("level", level=level)
        sheet.legend(Swatch(words, fill=fill, edge=self._earth(9)))
        for x, y in map(middle, hexes) if self.width >= LEGIBLE else ():
            sheet.reserve(x - 0.08, y + 0.32, x + 0.08, y + 0.48)
            sheet.text(x, y + 0.4, self.words("level mark", level=level), ha="center", zorder=21.0)

    def _draw_terrain(self, terrain: str, hexes: Sequence[Address]) -> None:
        """A patch of a terrain in each of its hexes."""
        sheet, style = self.sheet, self.sheet.style
        if not hexes:
            return
        edge = {"woods": style.green, "building": style.purple, "smoke": style.soft_ink}[terrain]
        look: dict[str, Any] = {"fill": tint(edge, style.ground, 0.28), "edge": edge, "hatch": HATCHES[terrain]}
        areas(sheet, [corners(at, 0.8) for at in hexes], width=min(LINE, CONTOUR * self.width), zorder=2.0, **look)
        sheet.legend(Swatch(self.words(terrain), **look))

    def _earth(self, level: int) -> str:
        """The colour of a level."""
        return tint(HILL, self.sheet.style.ground, 1.0 - 0.72 ** min(level, 9))

    def draw_addresses(
        self, most_telling: Iterable[Address], occupied: Iterable[Address], lines_drawn: Sequence[Floats] = ()
    ) -> None:
        """The addresses of hexes, as small print in them: of all, or, where hexes are small, of the most telling.

        Args:
            most_telling: the hexes that a reason may name.
            occupied: the hexes in which the name of a unit stands.
            lines_drawn: (2, 2) the ends of lines that addresses keep off, where their hexes have another place.
        """
        legible = set(self.hexes) if self.width >= LEGIBLE else set(self.hexes) & set(most_telling)
        for q, r in sorted(legible - set(occupied)) if self.width >= TIGHT else ():
            text, colour = self.words("address", q=q, r=r), self.sheet.style.soft_ink
            half = (
                np.array([text_width(text, SMALL) / 2 + ADDRESS_MARGIN, line_height(SMALL) / 2 * 0.8]) * self.sheet.unit
            )
            raised = bool(self.scene.ground((q, r)).elevation)  # the number of a level stands at the top of its hex
            places = middle((q, r)) + np.array(PLACES if not raised else PLACES[:3])
            x, y = min(places, key=lambda place: sum(_crosses(ends, place, half) for ends in lines_drawn))
            self.sheet.text(float(x), float(y), text, color=colour, ha="center")
            self.sheet.reserve(float(x - half[0]), float(y - half[1]), float(x + half[0]), float(y + half[1]))

    def draw_units(self, attacker: Address, target: Address | None, names: tuple[str, str | None]) -> None:
        """Counters and names of all units that are shown, and of attacker and target."""
        style, drawn = self.sheet.style, set(self.hexes)
        self._counter(attacker, style.attacker, style.attacker_edge, "unit-attacker")
        self._name(attacker, names[0], bold=True)
        if target is not None and target != attacker:
            self._counter(target, style.seen, style.seen_edge, "unit-target")
            self._name(target, names[1] or "", bold=True)
        for number, (name, address) in enumerate(self.scene.units.items()):
            if name in names or address not in drawn:
                continue
            if address not in (attacker, target):
                self._counter(address, style.model, style.model_edge, f"unit-{number}")
            self._name(address, name)

    def draw_all_units(self) -> None:
        """Counters and names of all units that are shown, alike."""
        for number, (name, address) in enumerate(self.scene.units.items()):
            if address in set(self.hexes):
                self._counter(address, self.sheet.style.model, self.sheet.style.model_edge, f"unit-{number}")
                self._name(address, name, bold=True)

    def _counter(self, address: Address, fill: str, edge: str, mark: str) -> None:
        """A counter: round for the attacker, square for every other unit."""
        at = middle(address)
        if mark == "unit-attacker":
            disc(self.sheet, (at[0], at[1]), UNIT, fill=fill, edge=edge, width=LINE, zorder=20.0, mark=mark)
        else:
            square = at + UNIT * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
            area(self.sheet, square, fill=fill, edge=edge, width=LINE, zorder=20.0, mark=mark)
        self.sheet.reserve(*(at - UNIT).tolist(), *(at + UNIT).tolist())

    def _name(self, address: Address, name: str, *, bold: bool = False) -> None:
        at = middle(address)
        size = SMALL if not bold else SMALL + 0.6
        self.sheet.label(name, (float(at[0]), float(at[1])), clear=(UNIT, UNIT), bold=bold, size=size)
