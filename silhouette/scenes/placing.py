"""PLACE: what ``units``, ``on`` and ``under`` say, worked out: places in mm, and pieces lowered onto what is there.

entries -> places in mm -> pieces on the table's top -> those with ``on`` lowered, each after what it may stand on
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np

from silhouette.files.schema import Location
from silhouette.geometry import Floats, Pose
from silhouette.scenes.pieces import Piece
from silhouette.scenes.standing import TABLE_TOP
from silhouette.scenes.surfaces import Surface
from silhouette.scenes.underside import underside_of
from silhouette.text import did_you_mean
from silhouette.units import INCH

if TYPE_CHECKING:
    from pydantic import BaseModel


MILLIMETRES: Mapping[str, float] = {"mm": 1.0, "inch": INCH}
"""The length of each of the units of a scene, mm."""

DECIMALS = 9
"""Decimals of mm that inches are rounded to, so that 3.5 of them are 88.9 mm."""

SURFACE = "surface"
"""The value of ``on`` that stands for whatever is there: all terrain, and the table's top."""

OfEntry = TypeVar("OfEntry", bound="BaseModel")


class Placed(Protocol):
    """An entry of a scene file that says where its piece stands."""

    @property
    def name(self) -> str:
        """The name of the piece."""

    @property
    def at(self) -> tuple[float, ...]:
        """Its place, two or three numbers."""

    @property
    def on(self) -> str | None:
        """What it is lowered onto, if anything."""

    @property
    def under(self) -> float | None:
        """The height above which nothing counts to stand on."""


def in_millimetres(entry: OfEntry, units: str) -> OfEntry:
    """An entry of a scene, its lengths among ``at``, ``under`` and the plan sizes of cover in mm instead of units.

    >>> from silhouette.scenes.entries import TerrainEntry
    >>> wall = TerrainEntry(name="wall", mesh="wall.stl", at=(4.0, 10.0), on="surface", under=3.5)
    >>> in_millimetres(wall, "inch").at, in_millimetres(wall, "inch").under, in_millimetres(wall, "mm") is wall
    ((101.6, 254.0), 88.9, True)
    """
    factor = MILLIMETRES[units]
    if factor == 1.0:
        return entry
    plan_size = {"size"} if "defence" in type(entry).model_fields else set()
    values, changes = dict(entry), dict[str, Any]()
    for key in {"at", "under", "table"} | plan_size:
        value = values.get(key)
        if isinstance(value, tuple):
            changes[key] = tuple(round(number * factor, DECIMALS) for number in value)
        elif value is not None:
            changes[key] = round(value * factor, DECIMALS)
    return entry.model_copy(update=changes)


MOST_WAITING = 200
"""Pieces that wait for each other to be lowered, because each stands in the file before the one that it stands on."""

CLEARLY = 0.001
"""The mm by which a piece must be lower than a height to have no part in it, rounding included."""


def settled(
    path: Path, entries: Sequence[Placed], pieces: Sequence[Piece], tables_of: Mapping[str, str]
) -> tuple[Piece, ...]:
    """The pieces, each that says ``on`` lowered from above, upright, until its base touches.

    A piece is lowered after the piece that it names. With ``on = "surface"`` it is lowered after all terrain that
    does not say ``on``, and after terrain that does and that stands before it in the file; fighters and vehicles
    after all terrain.

    Args:
        path: of the scene file, for messages.
        entries: the entry of each piece, its lengths in mm.
        pieces: on the table's top where their entries say ``on``.
        tables_of: the table in which a piece stands, by the piece's name, for messages; by default its kind.

    Raises:
        FileError: where there is no terrain of the name, nothing of it is under the base, or pieces stand on each other
            in a circle.
    """
    if all(entry.on is None for entry in entries):
        return tuple(pieces)
    settling = _Settling(path, entries, pieces, tables_of)
    for number in range(len(pieces)):
        settling.settle(number, ())
    return tuple(settling.pieces)


class _Settling:
    """The pieces of a scene while they are lowered one after the other."""

    def __init__(
        self, path: Path, entries: Sequence[Placed], pieces: Sequence[Piece], tables_of: Mapping[str, str]
    ) -> None:
        self.pieces = list(pieces)
        self._path, self._entries, self._tables_of = path, entries, tables_of
        self._terrain = {piece.name: number for number, piece in enumerate(pieces) if piece.kind == "terrain"}
        self._settled = {number for number, entry in enumerate(entries) if entry.on is None}
        # In plan nothing moves when it is lowered, so that its box is worked out once.
        self._boxes = np.array([[*low, *high] for low, high in map(plan_box, pieces)]).reshape(-1, 4)
        self._tops = np.array([piece.whole_box[:, 2].max() for piece in pieces])

    def settle(self, number: int, above: tuple[int, ...]) -> None:
        """Lowers a piece, after those that it may stand on; ``above`` are the pieces that wait for it."""
        if number in self._settled:
            return
        entry, chain = self._entries[number], (*above, number)
        if len(chain) > MOST_WAITING:
            raise self._location(number).error(
                f"over {MOST_WAITING} pieces wait for it to be lowered; write them after the piece that they stand on"
            )
        if entry.on == SURFACE:
            below = [
                other
                for other in self._terrain.values()
                if other not in chain and (other < number or self._entries[other].on is None)
            ]
        else:
            below = [self._named(number)]
            if below[0] in chain:
                names = [f"'{self._entries[one].name}'" for one in chain[chain.index(below[0]) :]]
                circle = " on ".join([*names, names[0]])
                raise self._location(number).error(f"{circle}: pieces stand on each other in a circle")
        for other in below:
            self.settle(other, chain)
        self._lower(number, [other for other in below if other in self._settled])
        self._settled.add(number)

    def _named(self, number: int) -> int:
        """The number of the terrain that a piece says it stands on."""
        name = str(self._entries[number].on)
        if name in self._terrain:
            return self._terrain[name]
        kinds = {piece.name: piece.kind for piece in self.pieces}
        if name in kinds:
            raise self._location(number).error(
                f'on = "{name}" is a {kinds[name]}; name a piece of terrain, or write on = "{SURFACE}"'
            )
        known = did_you_mean(name, [*self._terrain, SURFACE], "on must be one of")
        raise self._location(number).error(f"on: no terrain is called '{name}'; {known}")

    def _lower(self, number: int, below: Sequence[int]) -> None:
        piece, entry = self.pieces[number], self._entries[number]
        underside = underside_of(piece)
        place = piece.pose.translation[:2]
        least, greatest = place + underside.outline.min(axis=0), place + underside.outline.max(axis=0)
        highest = TABLE_TOP if entry.on == SURFACE and (entry.under is None or entry.under >= TABLE_TOP) else -np.inf
        boxes = self._boxes[below]
        near = np.array(below)[((boxes[:, :2] <= greatest) & (boxes[:, 2:] >= least)).all(axis=1)] if below else []
        # The tallest first: of a stack, whose pieces all lie below the base, most need not be looked at.
        for other in sorted(near, key=lambda other: -self._tops[other]):
            if self._tops[other] + CLEARLY < highest:
                break
            (height,) = Surface.of(self.pieces[other]).heights(underside.outline, place[None], entry.under)
            highest = max(highest, float(height))
        if not np.isfinite(highest):
            raise self._location(number).error(self._nowhere(entry))
        x, y = place
        self.pieces[number] = replace(
            piece, pose=Pose(piece.pose.rotation, np.array([x, y, highest - underside.bottom]))
        )
        self._tops[number] = self.pieces[number].whole_box[:, 2].max()

    def _nowhere(self, entry: Placed) -> str:
        if entry.under is not None:
            what = "the table's top or terrain" if entry.on == SURFACE else f"'{entry.on}'"
            return f"under = {entry.under:g} mm: nothing of {what} below its base is as low as that"
        low, high = (np.round(corner, 1) for corner in plan_box(self.pieces[self._terrain[str(entry.on)]]))
        return (
            f"its base is nowhere over '{entry.on}', which reaches from x = {low[0]:g} to {high[0]:g} mm and from "
            f"y = {low[1]:g} to {high[1]:g} mm; change at"
        )

    def _location(self, number: int) -> Location:
        piece = self.pieces[number]
        return Location(self._path, f"{self._tables_of.get(piece.name, piece.kind)} '{piece.name}'")


def plan_box(piece: Piece) -> tuple[Floats, Floats]:
    """The least and the greatest x and y, both (2,), of the box in the world round a whole piece, mm."""
    plan = piece.whole_box[:, :2]
    return plan.min(axis=0), plan.max(axis=0)
