"""TELL: one change of a scene's document: a piece placed elsewhere, renamed, copied, deleted or added.

request -> Edit, checked by its schema -> document, edit -> the document after it; the one before stays as it was
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

import numpy as np
from pydantic import Field

from silhouette.errors import RequestError
from silhouette.files.schema import Entry, Location, Name, Number, validated
from silhouette.geometry import Floats
from silhouette.models.entries import ArcName, FigureEntry, Kind
from silhouette.rules import rule_called
from silhouette.scenes.entries import Facing
from silhouette.scenes.pieces import Piece
from silhouette.scenes.placing import MILLIMETRES, SURFACE
from silhouette.scenes.standing import TABLE_TOP, Standing
from silhouette.scenes.table import TableScene
from silhouette.scenes.trying import Trial, entry_at
from silhouette.scenes.underside import underside_of
from silhouette.text import did_you_mean

DECIMALS = {"mm": 2, "inch": 6}
"""Decimals of the places that are written, by the scene's units: a hundredth of a mm, or finer."""

FLOORS = 50
"""The most floors above each other that are looked through."""

APART = 1.0
"""mm by which two floors differ in height, at least."""

Document = dict[str, Any]


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


def table_and_number(document: Document, scene: TableScene, name: str) -> tuple[str, int]:
    """The key of the list that has a piece, such as "fighter", and its place in it.

    Raises:
        RequestError: where no piece has the name.
    """
    places = {entry["name"]: (table, number) for table, number, entry in entries_of(document)}
    if name not in places:
        raise RequestError(f"{scene.path}: nothing is called '{name}'; {did_you_mean(name, places)}")
    return places[name]


def entries_of(document: Document) -> Iterator[tuple[str, int, Document]]:
    """The entries of all pieces, each with the list that has it and its place there."""
    known = rule_called(document["rules"]).scene_entry.model_fields
    for table, entries in document.items():
        if isinstance(entries, list) and table in known:
            for number, entry in enumerate(entries):
                if isinstance(entry, dict) and "name" in entry and "at" in entry:
                    yield table, number, entry


def with_entry(document: Document, table: str, number: int, entry: Document) -> Document:
    """The document with another entry in one place of a list."""
    return {**document, table: [*document[table][:number], entry, *document[table][number + 1 :]]}


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
    _check_free(document, scene, edit.name)
    entry["name"] = edit.name
    return _renamed(with_entry(document, table, number, entry), edit.piece, edit.name)


def _placed(document: Document, scene: TableScene, edit: PieceEdit, table: str, entry: Document) -> Document:
    """The entry of a piece with the place and the facing of an edit."""
    given = edit.model_fields_set
    units = document.get("units", "mm")
    if edit.at is not None or isinstance(edit.facing, float):
        place = entry["at"][:2] if edit.at is None else [in_units(number, units) for number in edit.at[:2]]
        facing = round(edit.facing % 360.0, 2) if isinstance(edit.facing, float) else None
        trial = Trial(edit.piece, (place[0], place[1]), facing)
        entry = entry_at(scene.path, entry, trial, rule_called(scene.rules).scene_entry, table)
    if edit.facing == "unknown":
        entry["facing"] = edit.facing
    if edit.at is not None and len(edit.at) == 3:
        entry["at"] = [*entry["at"][:2], in_units(edit.at[2], units)]
        entry.pop("on", None)
        entry.pop("under", None)
    if "on" in given:
        entry = _lowered(scene, edit, units, entry)
    if "under" in given:
        entry["under"] = None if edit.under is None else in_units(edit.under, units)
        if edit.under is None:
            del entry["under"]
    return entry if edit.floor is None else _on_floor(scene, edit, units, entry)


def _lowered(scene: TableScene, edit: PieceEdit, units: str, entry: Document) -> Document:
    """The entry of a piece that is lowered onto something, or onto nothing any longer.

    What stands below a roof stays below it: ``under`` is then as high as its head.
    """
    piece, before = scene.piece(edit.piece), entry.get("on")
    if edit.on is None:
        lowered = {key: value for key, value in entry.items() if key not in ("on", "under")}
        return {**lowered, "at": [*entry["at"][:2], in_units(float(piece.pose.translation[2]), units)]}
    lowered = {**entry, "on": edit.on, "at": entry["at"][:2]}
    if edit.on == SURFACE and before is None and "under" not in edit.model_fields_set:
        bottom = _bottom(piece)
        (highest,) = Standing(scene.pieces, piece).heights(piece.pose.translation[None, :2], None)
        if highest > bottom + APART:
            lowered["under"] = in_units(bottom + _height(piece), units)
    return lowered


def _on_floor(scene: TableScene, edit: PieceEdit, units: str, entry: Document) -> Document:
    """The entry of a piece on the next floor up or down.

    Raises:
        RequestError: where there is none.
    """
    piece = scene.piece(edit.piece)
    floors = floors_at(scene, edit.piece, np.array(entry["at"][:2], np.float64) * MILLIMETRES[units])
    further = [floor for floor in floors if (floor - _bottom(piece)) * (edit.floor or 0) > APART]
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
        under = height - APART
    return floors


def _renamed(document: Document, old: str, new: str) -> Document:
    """The document with everything that names a piece by its old name."""

    def named(value: Any) -> Any:
        return new if value == old else value

    changed = dict(document)
    for table, entries in document.items():
        if not isinstance(entries, list):
            continue
        if table == "base_contact":
            changed[table] = [[named(name) for name in pair] for pair in entries]
        elif any(isinstance(entry, dict) and old in (entry.get(key) for key in _NAMING) for entry in entries):
            changed[table] = [
                {key: named(value) if key in _NAMING else value for key, value in entry.items()} for entry in entries
            ]
    return changed


_NAMING = ("on", "attacker", "target")
"""The keys of entries that name a piece."""


def _copied(document: Document, scene: TableScene, edit: CopyEdit) -> Document:
    """The document with a copy at the end of the list, beside what it is a copy of."""
    table, number = table_and_number(document, scene, edit.copy_of)
    entry = dict(document[table][number])
    entry["name"] = edit.name or free_name(document, scene, edit.copy_of)
    _check_free(document, scene, entry["name"])
    units, box = document.get("units", "mm"), scene.piece(edit.copy_of).whole_box
    place = edit.at
    if place is None:
        x, y = (number * MILLIMETRES[units] for number in entry["at"][:2])
        place = (x + float(np.ptp(box[:, 0])) + 5.0, y)
    entry["at"] = [*(in_units(number, units) for number in place), *entry["at"][2:]]
    return {**document, table: [*document[table], entry]}


def _without(document: Document, scene: TableScene, name: str) -> Document:
    """The document without a piece; what stood on it is lowered onto whatever is there."""
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
    return {key: value for key, value in left.items() if value != [] or document.get(key) == []}


def _added(document: Document, scene: TableScene, edit: AddEdit) -> Document:
    """The document with a new piece at the end of its list."""
    if edit.add not in rule_called(scene.rules).scene_entry.model_fields:
        raise RequestError(f"{scene.path}: {rule_called(scene.rules).title} has no [[{edit.add}]] to add to")
    _check_free(document, scene, edit.name)
    units = document.get("units", "mm")
    entry: Document = {"name": edit.name}
    entry |= {key: value for key in ("mesh", "model", "gang") if (value := getattr(edit, key)) is not None}
    if edit.figure is not None:
        entry["figure"] = edit.figure.model_dump(exclude_unset=True)
    entry["at"] = [in_units(number, units) for number in edit.at]
    if edit.add != "terrain":
        entry |= {"on": SURFACE, "facing": 90}
    return {**document, edit.add: [*document.get(edit.add, []), entry]}


def free_name(document: Document, scene: TableScene, like: str) -> str:
    """A name that no piece has, such as "wall 2" for another "wall"."""
    taken = {entry["name"] for _, _, entry in entries_of(document)}
    stem, _, last = like.rpartition(" ")
    stem = stem if stem and last.isdigit() else like
    number = 2
    while f"{stem} {number}" in taken:
        number += 1
    return f"{stem} {number}"


def _check_free(document: Document, scene: TableScene, name: str) -> None:
    """Refuses a name that a piece has.

    Raises:
        RequestError: with one that is free.
    """
    if any(entry["name"] == name for _, _, entry in entries_of(document)):
        free = free_name(document, scene, name)
        raise RequestError(f"{scene.path}: a piece is called '{name}' already; give another name, such as '{free}'")


def in_units(length: float, units: str) -> int | float:
    """A length in mm, as a scene in ``units`` writes it: a whole number where it is one.

    >>> in_units(12.3456, "mm"), in_units(25.4, "inch"), in_units(-0.001, "mm")
    (12.35, 1, 0)
    """
    written = round(length / MILLIMETRES[units], DECIMALS[units])
    return int(written) if written == int(written) else written
