"""PLACE: mistakes in what a scene says of its pieces that it can be judged with, and that its author should know of.

entries, and the pieces that they became -> names and gangs, angles, sizes, places on the table
                                         -> PlacementWarnings: sentences, and the pieces or checks that they touch
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np

from silhouette.geometry import Floats
from silhouette.meshes.primitives import solid
from silhouette.models.entries import SolidEntry
from silhouette.models.mistakes import angle_mistake, point
from silhouette.scenes.entries import FighterEntry, GangerEntry, PieceEntry, TableEntry, VehicleEntry
from silhouette.scenes.pieces import Piece
from silhouette.scenes.placement_warnings import MOST_WARNINGS, ONLY_PLACES, PlacementWarning
from silhouette.scenes.scene import similar_names
from silhouette.text import as_written, differently_spelt
from silhouette.units import INCH

THIN = 3.0
"""mm: no terrain of the table is thinner in two directions, as a wire is."""

SMALLEST_TABLE = 300.0
"""mm: no table is smaller along either edge; the smallest that games are played on is a foot wide."""

SCAN_DECIMALS = 2
"""Decimals of degrees that a scan writes; more of them are a person's."""


def entry_warnings(
    entry: TableEntry, pieces: Sequence[Piece], table: tuple[float, float] | None, tables_of: Mapping[str, str]
) -> tuple[PlacementWarning, ...]:
    """The mistakes in what a scene says of its pieces, at most `MOST_WARNINGS`.

    Args:
        entry: the scene as its file has it.
        pieces: terrain, fighters, vehicles, each in the order of the entry.
        table: (x, y) mm, the size of the table's top that the entry gives, or None.
        tables_of: the table of the user's scene in which a piece stands, by the piece's name; by default its kind.
    """
    return tuple(islice(_all(entry, pieces, table, tables_of), MOST_WARNINGS))


def _all(
    entry: TableEntry, pieces: Sequence[Piece], table: tuple[float, float] | None, tables_of: Mapping[str, str]
) -> Iterator[PlacementWarning]:
    pairs = list(zip((*entry.terrain, *entry.fighter, *entry.vehicle), pieces, strict=True))
    if table is not None:
        yield from _table(entry, table, pieces)
    for names, text in similar_names(piece.name for piece in pieces):
        yield PlacementWarning(text, names)
    yield from _gangs([*entry.fighter, *entry.vehicle])
    for said, piece in pairs:
        yield from _angles(said, piece, entry.source)
        if isinstance(said, VehicleEntry) and "front" not in said.arcs:
            arcs = as_written(list(said.arcs))
            text = f'{piece.name} has no front arc: arcs = {arcs}; add "front" if any of its crew looks ahead'
            yield PlacementWarning(text, frozenset({piece.name}), as_attacker=True)
        if piece.kind == "terrain" and entry.units == "inch" and tables_of.get(piece.name) != "cover":
            yield from _thin(said, piece)


def _table(entry: TableEntry, table: tuple[float, float], pieces: Sequence[Piece]) -> Iterator[PlacementWarning]:
    """A table that is too small for one, and pieces whose base lies beyond it."""
    everyone = frozenset(piece.name for piece in pieces)
    size = f"{table[0]:g} x {table[1]:g} mm"
    if min(table) < SMALLEST_TABLE:
        hint = '; write units = "inch" if it is in inches' if entry.units == "mm" else ""
        yield PlacementWarning(f"the table is {size}, and none is below {SMALLEST_TABLE:g} mm{hint}", everyone)
    for piece in pieces:
        # As where a base stands: its middle is on the table, if not all of it.
        if (np.abs(piece.base_centre) > np.array(table) / 2.0).any():
            x, y = piece.base_centre
            where = f"the base of {piece.name} lies beyond the table: its middle is x = {x:.4g}, y = {y:.4g} mm"
            reach = f"and from the table's middle, x = y = 0, to its edges are {table[0] / 2:g} and {table[1] / 2:g} mm"
            names = everyone if piece.kind == "terrain" else frozenset({piece.name})
            yield PlacementWarning(f"{where}, {reach}; move it, or give the table its size", names)


def _gangs(entries: Sequence[GangerEntry]) -> Iterator[PlacementWarning]:
    """Gangs that are probably one, and fighters without one where others have one."""
    gangs = dict.fromkeys(entry.gang for entry in entries if entry.gang is not None)
    yield from groups_alike("gangs", {entry.name: entry.gang for entry in entries if entry.gang is not None})
    if gangs:
        for entry in entries:
            if isinstance(entry, FighterEntry) and entry.gang is None:
                text = f"{entry.name} has no gang, while others have one, and is nobody's friend; give gang"
                yield PlacementWarning(text, frozenset({entry.name}))


def groups_alike(what: str, groups: Mapping[str, str]) -> Iterator[PlacementWarning]:
    """A warning for groups of models, such as gangs, whose names are one but for case and blanks.

    Args:
        what: the groups in words.
        groups: the name of the group of each model, by the name of the model.

    >>> [one.text for one in groups_alike("gangs", {"Kal": "red", "Vex": "Red"})]
    ['the gangs "red" and "Red" differ by case or blanks alone, and count as 2; write the same for all if they are one']
    """
    for names in differently_spelt(groups.values()):
        members = frozenset(model for model, group in groups.items() if group in names)
        every = " and ".join(as_written(name) for name in names)
        text = f"the {what} {every} differ by case or blanks alone, and count as {len(names)}"
        yield PlacementWarning(f"{text}; write the same for all if they are one", members)


def _angles(entry: PieceEntry, piece: Piece, source: Mapping[str, Any]) -> Iterator[PlacementWarning]:
    """Angles in radians; not those that were measured, of which any may come near."""
    angles = [("facing", entry.facing), ("turn", entry.turn), *(("turn", part.turn) for part in entry.parts or ())]
    is_imported = "program" in source or entry.origin == "keep"
    if entry.turn is not None and (is_imported or entry.doubt is not None):
        is_measured = is_imported or not isinstance(entry.facing, float) or _is_rounded(entry.facing)
        angles = [] if is_measured else angles[:1]
    for key, angle in angles:
        mistake = angle_mistake(key, angle) if isinstance(angle, float) else None
        if mistake is not None:
            # Terrain that stands turned by mistake may be in the way if it is turned as it should be.
            around = _reach(piece, 1.0) if piece.kind == "terrain" else None
            yield PlacementWarning(f"{piece.name}: {mistake}", frozenset({piece.name}), around=around)


def _is_rounded(angle: float) -> bool:
    return round(angle, SCAN_DECIMALS) == angle


def _thin(entry: PieceEntry, piece: Piece) -> Iterator[PlacementWarning]:
    """Terrain that is no thicker than a wire in a scene of inches."""
    sizes = [_size(part) for part in entry.parts] if entry.parts else [np.ptp(piece.model.mesh.bounds, axis=0)]
    if any(np.count_nonzero(size < THIN) < 2 for size in sizes):
        return
    largest = max(sizes, key=np.prod)
    what = "all its parts are" if len(sizes) > 1 else "it is"
    mm = f"{piece.name}: {what} thinner than {THIN:g} mm in two directions"
    meant = f"if {point(largest)} are inches, write {point(largest * INCH)}"
    if not entry.parts:
        meant = f'it is {point(largest)} mm; say units = "inch" in the piece if its mesh is in inches'
    yield PlacementWarning(f"{mm}; {ONLY_PLACES}; {meant}", frozenset({piece.name}), around=_reach(piece, INCH))


def _size(part: SolidEntry) -> Floats:
    """(3,) mm, of a solid along its own axes."""
    low, high = solid(replace(part.solid(), turn=0.0)).bounds
    size: Floats = high - low
    return size


def _reach(piece: Piece, factor: float) -> tuple[float, float, float]:
    """The circle in plan, x, y and radius in mm, that a piece may reach if it is turned, and larger by a factor."""
    x, y = piece.pose.translation[:2].tolist()
    radius = float(np.hypot(*(piece.whole_box[:, :2] - [x, y]).T).max())
    return x, y, radius * factor
