"""TELL: one change of a scene's document: a piece placed elsewhere, renamed, copied, deleted or added.

request -> Edit, checked by its schema -> document, edit -> the document after it; the one before stays as it was
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from pydantic import Field

from silhouette.errors import RequestError
from silhouette.files.schema import Entry, Location, Name, Number, validated
from silhouette.geometry import Floats
from silhouette.live.names import Document, check_free, free_name, renamed, table_and_number, with_entry
from silhouette.models.entries import ArcName, FigureEntry, Kind
from silhouette.rules import rule_called
from silhouette.scenes.entries import Facing
from silhouette.scenes.pieces import Piece
from silhouette.scenes.places import Trial, entry_at, turns
from silhouette.scenes.standing import TABLE_TOP, Standing
from silhouette.scenes.surfaces import underside_of
from silhouette.scenes.table import MILLIMETRES, SURFACE, TableScene

DECIMALS = {"mm": 2, "inch": 6}
"""Decimals of the places that are written, by the scene's units: a hundredth of a mm, or finer."""

FLOORS = 50
"""The most floors above each other that are looked through."""

FLOOR_SPACING = 1.0
"""mm by which two floors differ in height, at least."""


class PieceEdit(Entry):
    """What becomes of a piece; keys that are left out stay as they are."""

    piece: Name = Field(description="the name of a piece")
    at: tuple[Number, ...] | None = Field(None, min_length=2, max_length=3, description="two or three numbers of mm")
    facing: Facing = None
    on: Name | None = Field(None, description='the name of a piece of terrain, "surface" or null')
    under: Number | None = Field(None, description="a number of mm or null")
    floor: Literal[1, -1] | None = Field(None, description="1 for the next floor up, -1 for the next one down")
    name: Name | None = Field(None, description="a unique name")
    gang: str | None = Field(None, description="a name, or null for none")
    arcs: tuple[ArcName, ...] | None = Field(
        None, min_length=1, description='a list of one or more of "front", "left", "right", "rear"'
    )


class CopyEdit(Entry):
    """Another piece like one that is there."""

    copy_of: Name = Field(alias="copy", description="the name of a piece")
    name: Name | None = Field(None, alias="as", description="a unique name")
    at: tuple[Number, Number] | None = Field(None, description="two numbers of mm")


class DeleteEdit(Entry):
    """A piece taken off the table, with the checks that name it."""

    delete: Name = Field(description="the name of a piece")


class AddEdit(Entry):
    """A new piece: of a mesh or model file of the scene's folder, or a stand-in."""

    add: Kind = Field(description='"fighter", "vehicle" or "terrain"')
    name: Name = Field(description="a unique name")
    at: tuple[Number, Number] = Field(description="two numbers of mm")
    mesh: Name | None = Field(None, description="the path of a mesh file, seen from the scene's folder")
    model: Name | None = Field(None, description="the path of a model file, seen from the scene's folder")
    figure: FigureEntry | None = Field(None, description="{ base = 32, height = 38 } in mm")
    gang: Name | None = Field(None, description="a name")


Edit = PieceEdit | CopyEdit | DeleteEdit | AddEdit

EDITS: Mapping[str, type[Entry]] = {"piece": PieceEdit, "copy": CopyEdit, "delete": DeleteEdit, "add": AddEdit}
"""The schema of an edit by the key that only it has."""


def edit_of(data: object, scene: TableScene) -> Edit:
    """The edit that a request describes.

    Raises:
        FileError: where it describes none; one line, with the path of the scene.
    """
    location = Location(scene.path, "edit")
    kinds = [key for key in EDITS if isinstance(data, Mapping) and key in data]
    if len(kinds) != 1:
        raise location.error(f"it must be a table with one of {', '.join(EDITS)}")
    edit: Any = validated(EDITS[kinds[0]], data, location)
    return edit  # type: ignore[no-any-return]


def edited(document: Document, scene: TableScene, edit: Edit) -> Document:
    """The document after an edit.

    Args:
        document: of the scene; it is not changed.
        scene: that the document describes.
        edit: the change.

    Raises:
        RequestError: where a piece is not there, a name is taken, or the edit makes no sense for the piece.
    """
    if isinstance(edit, PieceEdit):
        return _changed(document, scene, edit)
    if isinstance(edit, CopyEdit):
        return _copied(document, scene, edit)
    if isinstance(edit, DeleteEdit):
        return _without(document, scene, edit.delete)
    return _added(document, scene, edit)


def _changed(document: Document, scene: TableScene, edit: PieceEdit) -> Document:
    """The document with a piece changed."""
    table, number = table_and_number(document, scene, edit.piece)
    entry = dict(document[table][number])
    given = edit.model_fields_set
    entry = _placed(document, scene, edit, table, entry)
    for key in ("gang", "arcs"):
        if key in given:
            value = getattr(edit, key)
            entry[key] = list(value) if isinstance(value, tuple) else value
            if not value:
                del entry[key]
    if edit.name is None or edit.name == edit.piece:
        return with_entry(document, table, number, entry)
    check_free(document, scene, edit.name)
    entry["name"] = edit.name
    return renamed(with_entry(document, table, number, entry), scene, edit.piece, edit.name)


def _placed(document: Document, scene: TableScene, edit: PieceEdit, table: str, entry: Document) -> Document:
    """The entry of a piece with the place and the facing of an edit.

    Raises:
        RequestError: where two keys of the edit say different heights.
    """
    given, units = edit.model_fields_set, document.get("units", "mm")
    heights = [key for key in ("floor", "on") if getattr(edit, key) is not None]
    if len(heights) + (edit.at is not None and len(edit.at) == 3) > 1:
        raise RequestError(f"{scene.path}: '{edit.piece}': give floor, on, or a third number of at, and no two of them")
    if edit.at is not None:
        entry["at"] = [*(in_units(number, units) for number in edit.at[:2]), *entry["at"][2:]]
    if edit.facing is not None:
        entry = _facing(scene, edit, table, entry)
    if edit.at is not None and len(edit.at) == 3:
        entry["at"] = [*entry["at"][:2], in_units(edit.at[2], units)]
        entry.pop("on", None)
        entry.pop("under", None)
    elif "on" in given:
        entry = _lowered(scene, edit, units, entry)
    if "under" in given:
        entry["under"] = None if edit.under is None else in_units(edit.under, units)
        if edit.under is None:
            del entry["under"]
    return entry if edit.floor is None else _on_floor(scene, edit, units, entry)


def _facing(scene: TableScene, edit: PieceEdit, table: str, entry: Document) -> Document:
    """The entry of a piece that faces elsewhere; where nobody knows any longer where, it stands as it stood."""
    schema, front = rule_called(scene.rules).scene_entry, scene.piece(edit.piece).model.front
    before, facing = entry.get("facing"), edit.facing
    if not isinstance(facing, float):
        turned = {} if before is None or "turn" in entry or before == facing else {"turn": _degrees(before - front)}
        return {**entry, "facing": facing, **turned}
    if not turns(schema, table):
        return {**entry, "turn": _degrees(facing - front)}
    faced = entry_at(scene.path, entry, Trial(edit.piece, entry["at"][:2], _degrees(facing)), schema, table)
    return {**faced, "turn": _degrees(faced["turn"])} if "turn" in faced else faced


def _degrees(angle: float) -> float:
    """An angle as it is written: from 0 up to 360 degrees, to a hundredth.

    >>> _degrees(-90.0), _degrees(359.999)
    (270.0, 0.0)
    """
    return round(angle % 360.0, 2) % 360.0


def _lowered(scene: TableScene, edit: PieceEdit, units: str, entry: Document) -> Document:
    """The entry of a piece that is lowered onto something, or onto nothing any longer.

    What stands below a roof stays below it: ``under`` is then as high as its head.
    """
    piece, before = scene.piece(edit.piece), entry.get("on")
    if edit.on is None and before is None:
        return entry
    if edit.on is None:
        lowered = {key: value for key, value in entry.items() if key not in ("on", "under")}
        return {**lowered, "at": [*entry["at"][:2], in_units(float(piece.pose.translation[2]), units)]}
    lowered = {**entry, "on": edit.on, "at": entry["at"][:2]}
    if edit.on == SURFACE and before is None and "under" not in edit.model_fields_set:
        bottom = _bottom(piece)
        (highest,) = Standing(scene.pieces, piece).heights(piece.pose.translation[None, :2], None)
        if highest > bottom + FLOOR_SPACING:
            lowered["under"] = in_units(bottom + _height(piece), units)
    return lowered


def _on_floor(scene: TableScene, edit: PieceEdit, units: str, entry: Document) -> Document:
    """The entry of a piece on the next floor up or down.

    Raises:
        RequestError: where there is none.
    """
    piece = scene.piece(edit.piece)
    floors = floors_at(scene, edit.piece, np.array(entry["at"][:2], np.float64) * MILLIMETRES[units])
    further = [floor for floor in floors if (floor - _bottom(piece)) * (edit.floor or 0) > FLOOR_SPACING]
    if not further:
        way = "above" if edit.floor == 1 else "below"
        raise RequestError(f"{scene.path}: there is no floor {way} '{edit.piece}' to stand on")
    floor = further[-1] if edit.floor == 1 else further[0]
    moved = {**entry, "at": entry["at"][:2], "on": SURFACE}
    moved.pop("under", None)
    if floor != floors[0]:
        above = floors[floors.index(floor) - 1]
        moved["under"] = in_units(floor + min(_height(piece), (above - floor) / 2.0), units)
    return moved


def _bottom(piece: Piece) -> float:
    """mm: the height of the underside of what a piece stands on."""
    return float(piece.pose.translation[2]) + underside_of(piece).bottom


def _height(piece: Piece) -> float:
    """mm: from the lowest to the highest point of a piece."""
    return float(np.ptp(piece.whole_box[:, 2]))


def floors_at(scene: TableScene, name: str, place: Floats) -> list[float]:
    """The heights, mm, at which the underside of a piece comes to rest at a place (2,) in mm, the highest first."""
    standing = Standing(scene.pieces, scene.piece(name))
    floors = list[float]()
    under: float | None = None
    while len(floors) < FLOORS:
        (height,) = standing.heights(place[None], under).tolist()
        if not np.isfinite(height):
            break
        floors.append(height)
        if height <= TABLE_TOP:
            break
        under = height - FLOOR_SPACING
    return floors


def _copied(document: Document, scene: TableScene, edit: CopyEdit) -> Document:
    """The document with a copy at the end of the list, beside what it is a copy of."""
    table, number = table_and_number(document, scene, edit.copy_of)
    entry = dict(document[table][number])
    entry["name"] = edit.name or free_name(document, edit.copy_of)
    check_free(document, scene, entry["name"])
    units, box = document.get("units", "mm"), scene.piece(edit.copy_of).whole_box
    place = edit.at
    if place is None:
        x, y = (number * MILLIMETRES[units] for number in entry["at"][:2])
        place = (x + float(np.ptp(box[:, 0])) + 5.0, y)
    entry["at"] = [*(in_units(number, units) for number in place), *entry["at"][2:]]
    return {**document, table: [*document[table], entry]}


def _without(document: Document, scene: TableScene, name: str) -> Document:
    """The document without a piece and what names it; what stood on it is lowered onto whatever is there."""
    table, number = table_and_number(document, scene, name)
    left = {**document, table: [*document[table][:number], *document[table][number + 1 :]]}
    for key, entries in left.items():
        if not isinstance(entries, list):
            continue
        if key == "check":
            left[key] = [one for one in entries if name not in (one.get("attacker"), one.get("target"))]
        elif key == "base_contact":
            left[key] = [pair for pair in entries if name not in pair]
        elif any(isinstance(entry, dict) and entry.get("on") == name for entry in entries):
            left[key] = [{**entry, "on": SURFACE} if entry.get("on") == name else entry for entry in entries]
    # An empty list of contacts says that nobody touches; without the list, the distances say who does.
    return {key: value for key, value in left.items() if value != [] or key == "base_contact" or document[key] == []}


def _added(document: Document, scene: TableScene, edit: AddEdit) -> Document:
    """The document with a new piece at the end of its list."""
    if edit.add not in rule_called(scene.rules).scene_entry.model_fields:
        raise RequestError(f"{scene.path}: {rule_called(scene.rules).title} has no [[{edit.add}]] to add to")
    check_free(document, scene, edit.name)
    units = document.get("units", "mm")
    entry: Document = {"name": edit.name}
    entry |= {key: value for key in ("mesh", "model", "gang") if (value := getattr(edit, key)) is not None}
    if edit.figure is not None:
        entry["figure"] = edit.figure.model_dump(exclude_unset=True)
    entry["at"] = [in_units(number, units) for number in edit.at]
    if edit.add != "terrain":
        entry |= {"on": SURFACE, "facing": 90}
    return {**document, edit.add: [*document.get(edit.add, []), entry]}


def in_units(length: float, units: str) -> int | float:
    """A length in mm, as a scene in ``units`` writes it: a whole number where it is one.

    >>> in_units(12.3456, "mm"), in_units(25.4, "inch"), in_units(-0.001, "mm")
    (12.35, 1, 0)
    """
    written = round(length / MILLIMETRES[units], DECIMALS[units])
    return int(written) if written == int(written) else written
