"""TELL: one change of a scene's document: a piece placed elsewhere, renamed, copied, deleted, added; a model tagged."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np
from pydantic import Field

from silhouette.common.errors import FileError, RequestError
from silhouette.common.geometry import Floats
from silhouette.common.text import did_you_mean, numbered
from silhouette.files.confinement import is_inside
from silhouette.files.documents import read_document, read_text
from silhouette.files.schema import Entry, Location, Name, Number, validated
from silhouette.live.by_hand import (
    BY_HAND,
    MOST_READINGS,
    Document,
    RulerReading,
    is_scanned,
    placed_by_hand,
    placed_by_readings,
    with_doubt,
)
from silhouette.live.rewriting import Names, rewritten
from silhouette.models.entries import ArcName, FigureEntry, Kind
from silhouette.rules import GAME_FILE, rule_called
from silhouette.scenes.entries import Facing, PieceDoubtEntry, TableEntry, direction_of
from silhouette.scenes.pieces import Piece
from silhouette.scenes.places import Trial, entry_at, turns
from silhouette.scenes.standing import TABLE_TOP, StandingTest
from silhouette.scenes.surfaces import underside_of
from silhouette.scenes.table import ANY_SURFACE, TableScene, unit_in

# ---- the pieces of a document, by their names

PIECE_NAME_KEYS = ("on", "attacker", "target", "about")  # the keys of entries that name pieces


def entries_of(document: Document) -> Iterator[tuple[str, int, Document]]:
    """The entries of all pieces, each with the list that has it and its place there."""
    rules = str(document["rules"])
    lists = (TableEntry if rules.endswith(GAME_FILE) else rule_called(rules).scene_entry).model_fields
    for table, entries in document.items():
        if isinstance(entries, list) and table in lists:
            for number, entry in enumerate(entries):
                if isinstance(entry, dict) and "name" in entry and "at" in entry:
                    yield table, number, entry


def without(entry: Document, *keys: str) -> Document:
    """An entry without some of its keys."""
    return {key: value for key, value in entry.items() if key not in keys}


def piece_names(document: Document) -> list[str]:
    """The names of all pieces."""
    return [entry["name"] for _, _, entry in entries_of(document)]


def with_entry(document: Document, table: str, number: int, entry: Document) -> Document:
    """The document with another entry in one place of a list."""
    return {**document, table: [*document[table][:number], entry, *document[table][number + 1 :]]}


def table_and_number(document: Document, scene: TableScene, name: str) -> tuple[str, int]:
    """The key of the list that has a piece, such as "fighter", and its place in it."""
    places = {entry["name"]: (table, number) for table, number, entry in entries_of(document)}
    if name not in places:
        raise RequestError(f"{scene.path}: nothing is called '{name}'; {did_you_mean(name, places)}")
    return places[name]


def renamed(document: Document, scene: TableScene, old: str, new: str) -> Document:
    """The document with everything that names a piece by its old name."""

    naming = PIECE_NAME_KEYS if old != ANY_SURFACE else [key for key in PIECE_NAME_KEYS if key != "on"]
    naming_results = rule_called(scene.rules).naming

    def with_names(entry: Any) -> Any:
        if not isinstance(entry, dict):
            return entry
        changed = _renamed_in(entry, naming, old, new)
        if isinstance(expected := entry.get("expect"), dict):
            changed["expect"] = _renamed_in(expected, naming_results, old, new)
        return changed

    changed = dict(document)
    for table, entries in document.items():
        if table == "base_contact":
            changed[table] = _replaced(entries, old, new)
        elif isinstance(entries, list):
            changed[table] = [with_names(entry) for entry in entries]
    return changed


def _renamed_in(entry: Mapping[str, Any], naming: Container[str], old: str, new: str) -> dict[str, Any]:
    """An entry in which the keys that name pieces have the new name for the old one."""
    return {key: _replaced(value, old, new) if key in naming else value for key, value in entry.items()}


def _replaced(value: Any, old: str, new: str) -> Any:
    """A value of a document, at any depth, with one text for another."""
    if isinstance(value, list):
        return [_replaced(item, old, new) for item in value]
    if isinstance(value, dict):
        return {key: _replaced(item, old, new) for key, item in value.items()}
    return new if value == old else value


def free_name(document: Document, like: str) -> str:
    """A name that no piece has, such as "wall 2" for another "wall"."""
    taken = {entry["name"] for _, _, entry in entries_of(document)}
    stem, _, last = like.rpartition(" ")
    stem = stem if stem and last.isdigit() else like
    return numbered(stem, taken)


def check_free(document: Document, scene: TableScene, name: str) -> None:
    """Refuses a name that a piece has, or that means something else."""
    if name == ANY_SURFACE:
        raise RequestError(f"{scene.path}: '{name}' stands for whatever is below a piece; give another name")
    if any(entry["name"] == name for _, _, entry in entries_of(document)):
        free = free_name(document, name)
        raise RequestError(f"{scene.path}: a piece is called '{name}' already; give another name, such as '{free}'")


def names_after(names: Names, renamed: str | None, before: Document, after: Document) -> Names:
    """The names in the scene's file after an edit, which gave the piece ``renamed``, if any, another name."""
    old, new = set(piece_names(before)), set(piece_names(after))
    unchanged = {name: names.get(name, name) for name in old & new if name in names}
    was = None if renamed is None else names.get(renamed, renamed)
    return {**unchanged, **dict.fromkeys(new - old, was)}


# ---- tags: what is said of a model by clicking it

Models = Mapping[str, Document]
"""Keys of model files that are not written yet, by the path that the scene gives of each."""

TAGS = ("eye", "base", "front", "insignificant")  # the keys of a model that a tag may change


class TagEdit(Entry):
    """What is said of the model of a piece, and with it of all pieces that name the same file; null for no more."""

    tag: Name = Field(description="the name of a piece")
    eye: tuple[Number, Number, Number] | None = Field(None, description="three numbers of mm in the model's frame")
    base: Any = Field(None, description='"auto", "none" or a table, as in a model file')
    front: Number | None = Field(None, description="a number of degrees in the model's frame")
    insignificant: tuple[dict[str, Any], ...] | None = Field(None, description="tables, as in a model file")
    part_at: tuple[Number, Number, Number] | None = Field(
        None, description="three numbers of mm in the model's frame, on the part that does not count"
    )
    box: tuple[tuple[Number, Number, Number], tuple[Number, Number, Number]] | None = Field(
        None, description="two opposite corners, in the model's frame, round what does not count"
    )


def tag_of(data: object, scene: TableScene) -> TagEdit:
    """The tag that a request describes."""
    return validated(TagEdit, data, Location(scene.path, "edit"))


def tagged(document: Document, models: Models, scene: TableScene, edit: TagEdit) -> tuple[Document, Models]:
    """The document and the keys of model files after a tag.

    A model file of the scene's folder gets the keys. Of any other, and of a mesh, all pieces that name it get them, and
    so does a piece that says itself what its model file says otherwise.
    """
    table, number = table_and_number(document, scene, edit.tag)
    of_piece = document[table][number]
    tags = _tags_of(edit, models, scene, of_piece)
    file = of_piece.get("model")
    if file is not None and is_inside(scene.path.parent, file):
        inline = {key: value for key, value in tags.items() if key in of_piece}
        changed = with_entry(document, table, number, {**of_piece, **inline})
        return changed, {**models, file: {**models.get(file, {}), **without(tags, *inline)}}
    key = "model" if "model" in of_piece else "mesh"  # whose other pieces are tagged too
    changed = document
    for other, place, entry in entries_of(document):
        if entry is of_piece or (key in of_piece and entry.get(key) == of_piece[key]):
            changed = with_entry(changed, other, place, _given({**entry, **tags}))
    return changed, models


def _tags_of(edit: TagEdit, models: Models, scene: TableScene, entry: Document) -> Document:
    """The keys that a tag changes, None for one that goes."""
    tags: Document = {key: _plain(getattr(edit, key)) for key in TAGS if key in edit.model_fields_set}
    if edit.part_at is not None or edit.box is not None:
        tags.setdefault("insignificant", _insignificant(scene.path, models, entry))
    if edit.part_at is not None:
        tags["insignificant"] = [*tags["insignificant"], {"part": part_at(scene, edit.tag, np.array(edit.part_at))}]
    if edit.box is not None:
        tags["insignificant"] = [*tags["insignificant"], {"box": _plain(edit.box)}]
    return tags


def _given(keys: Document) -> Document:
    return {key: value for key, value in keys.items() if value is not None}


def model_file(document: Document, scene: TableScene, name: str) -> str:
    """The model file of a piece, as the scene names it, whose keys its tags become; empty where it has none there."""
    table, number = table_and_number(document, scene, name)
    file = str(document[table][number].get("model", ""))
    return file if file and is_inside(scene.path.parent, file) else ""


def said_of(document: Document, models: Models, scene: TableScene, name: str) -> dict[str, Any]:
    """What is said of the model of a piece by now, ready for JSON; lengths in mm, in the model's frame.

    ``file``: what the tags are written into; ``eye`` and whether it is ``eye_given``; ``base``: {height, diameter} or
    None; ``parts``: the names of those that the mesh has, [] where it is in one; ``insignificant``, as in a model file.
    """
    table, number = table_and_number(document, scene, name)
    piece, entry = scene.piece(name), document[table][number]
    model, base = piece.model, piece.model.base
    eye = (piece.eye - piece.pose.translation) @ piece.pose.rotation
    is_given = {**entry, **models.get(entry.get("model", ""), {})}.get("eye") is not None
    return {
        "file": model_file(document, scene, name) or scene.path.name,
        "eye": [round(float(number), 2) + 0.0 for number in eye],
        "eye_given": is_given or model.eye_given is not None,
        "base": base and {"height": round(base.height, 2), "diameter": round(base.diameter, 2)},
        "parts": list(model.mesh.part_names) if len(model.mesh.part_names) > 1 else [],
        "insignificant": _insignificant(scene.path, models, entry),
    }


def with_models(scene: Path, document: Document, models: Models) -> Document:
    """The document to be judged: pieces say themselves what their model files are to say.

    A piece cannot say that a key of its model file does not count. Where one goes, the piece says all that is left in
    the place of its model file.
    """
    for table, place, entry in entries_of(document):
        file = entry.get("model", "")
        keys = models.get(file)
        if keys and None in keys.values():
            whole = read_document(scene.parent / file)
            mesh = (Path(file).parent / str(whole.get("mesh", ""))).as_posix()
            keys, entry = {**whole, "mesh": mesh, **keys}, without(entry, "model")
        if keys:
            document = with_entry(document, table, place, {**_given(keys), **entry})
    return document


def laid_over(models: Models, others: Models) -> Models:
    """The keys of model files, with others over them."""
    return {file: {**models.get(file, {}), **others.get(file, {})} for file in {**models, **others}}


def _plain(value: Any) -> Any:
    return [_plain(item) for item in value] if isinstance(value, tuple | list) else value


def _insignificant(scene: Path, models: Models, entry: Document) -> list[Document]:
    """What a piece leaves out already, as its own entry says, or its model file."""
    if "insignificant" in entry or "model" not in entry:
        return list(entry.get("insignificant", []))
    keys = models.get(entry["model"], {})
    source = keys if "insignificant" in keys else read_document(scene.parent / entry["model"])
    return list(source.get("insignificant") or [])


def part_at(scene: TableScene, name: str, point: Floats) -> str:
    """The name of the part of a piece's mesh that lies nearest to a point (3,) of the model's frame."""
    mesh = scene.piece(name).model.mesh
    if len(mesh.part_names) < 2:
        raise RequestError(f"{scene.path}: the mesh of '{name}' is in one part; draw a box round what does not count")
    middles = mesh.vertices[mesh.faces].mean(axis=1)
    return str(mesh.part_names[mesh.part[np.linalg.norm(middles - point, axis=1).argmin()]])


def written_models(scene: Path, models: Models) -> tuple[dict[Path, str], Models]:
    """The texts of model files with their new keys, by their paths; and what they say of these keys by now, or None."""
    texts, before = dict[Path, str](), dict[str, Document]()
    for file, keys in models.items():
        place = scene.parent / file
        if not is_inside(scene.parent, file):
            raise FileError(place, "lies out of the scene's folder, and is not written")
        document = read_document(place)
        before[file] = {key: document.get(key) for key in keys}
        texts[place] = rewritten(place, read_text(place, with_mark=True), _given({**document, **keys}))
    return texts, before


# ---- edits of pieces

PLACE_DECIMALS, UNIT_DECIMALS = 2, 6
"""Decimals of the places that are written in mm, a hundredth, and in other units of a scene, finer."""

FLOORS = 50  # the most floors above each other that are looked through
FLOOR_SPACING = 1.0  # mm by which two floors differ in height, at least


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
    kind: Kind | None = Field(None, description='"fighter", "vehicle" or "terrain"')
    doubt: PieceDoubtEntry | None = Field(None, description="a table such as { place = 2, facing = 5 }, or null")
    readings: tuple[RulerReading, ...] | None = Field(
        None, min_length=1, max_length=MOST_READINGS, description='a list of { to = "crate", mm = 120 }'
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
    facing: Facing = None
    doubt: PieceDoubtEntry | None = Field(None, description="a table such as { place = 2, facing = 5 }")


Edit = PieceEdit | CopyEdit | DeleteEdit | AddEdit

EDITS: Mapping[str, type[Entry]] = {"piece": PieceEdit, "copy": CopyEdit, "delete": DeleteEdit, "add": AddEdit}
"""The schema of an edit by the key that only it has."""


def edit_of(data: object, scene: TableScene) -> Edit:
    """The edit that a request describes."""
    location = Location(scene.path, "edit")
    kinds = [key for key in EDITS if isinstance(data, Mapping) and key in data]
    if len(kinds) != 1:
        raise location.error(f"it must be a table with one of {', '.join(EDITS)}")
    edit: Any = validated(EDITS[kinds[0]], data, location)
    return edit  # type: ignore[no-any-return]


def edited(document: Document, scene: TableScene, edit: Edit) -> Document:
    """The document after an edit; that given, which describes the scene, is not changed."""
    if isinstance(edit, PieceEdit):
        return _changed(document, scene, edit)
    if isinstance(edit, CopyEdit):
        return _copied(document, scene, edit)
    if isinstance(edit, DeleteEdit):
        return _without(document, scene, edit.delete)
    return _added(document, scene, edit)


def _changed(document: Document, scene: TableScene, edit: PieceEdit) -> Document:
    table, number = table_and_number(document, scene, edit.piece)
    entry = dict(document[table][number])
    if edit.readings is not None:
        edit = _read_off(scene, edit)
    given = edit.model_fields_set
    entry = _placed(document, scene, edit, table, entry)
    if table != "terrain" and is_scanned(document):
        entry = placed_by_hand(document[table][number], entry)
    if "doubt" in given:
        entry = with_doubt(entry, _doubt_of(edit))
    for key in ("gang", "arcs"):
        if key in given:
            value = getattr(edit, key)
            entry[key] = list(value) if isinstance(value, tuple) else value
            if not value:
                del entry[key]
    if edit.kind is not None and edit.kind != table:
        document, entry = _of_kind(document, scene, edit.kind, table, entry)
        table, number = edit.kind, len(document[edit.kind]) - 1
    if edit.name is None or edit.name == edit.piece:
        return with_entry(document, table, number, entry)
    check_free(document, scene, edit.name)
    entry["name"] = edit.name
    return renamed(with_entry(document, table, number, entry), scene, edit.piece, edit.name)


def _doubt_of(edit: PieceEdit | AddEdit) -> dict[str, float] | None:
    """The doubt that an edit gives, key by key; None for none."""
    return None if edit.doubt is None else edit.doubt.model_dump(exclude_none=True)


def _read_off(scene: TableScene, edit: PieceEdit) -> PieceEdit:
    """The edit that moves a figure to where readings of a ruler have it, which is in doubt by so much less."""
    piece, readings = scene.piece(edit.piece), edit.readings or ()
    if piece.kind == "terrain" or edit.at is not None or edit.doubt is not None:
        raise RequestError(f"{scene.path}: readings place a figure, and say themselves where and how exactly")
    own = None if piece.doubt is None else piece.doubt.place
    doubt = BY_HAND["place"] if own is None else own
    (x, y), left = placed_by_readings(scene, edit.piece, readings, doubt)
    at = (float(piece.pose.translation[0]) + x, float(piece.pose.translation[1]) + y)
    return edit.model_copy(update={"at": at, "on": ANY_SURFACE, "doubt": PieceDoubtEntry(place=left)})


def _of_kind(
    document: Document, scene: TableScene, kind: str, table: str, entry: Document
) -> tuple[Document, Document]:
    """The document in which a piece of a list is of another kind, the last of these, and its entry.

    What only figures have goes where it becomes terrain, and so do checks that name it; what stood on it while it was
    terrain is lowered onto whatever is there.
    """
    _check_kind(scene, kind)
    name = entry["name"]
    if "terrain" in (kind, table):
        document = _without(document, scene, name)
    else:
        left = [other for other in document[table] if other["name"] != name]
        document = {**without(document, table), **({table: left} if left else {})}
    if kind == "terrain":
        piece = scene.piece(name)
        if "on" in entry:
            height = in_units(float(piece.pose.translation[2]), unit_in(document))
            entry = {**entry, "at": [*entry["at"][:2], height]}
        if "turn" not in entry and (facing := direction_of(entry.get("facing"))) is not None:
            entry = {**entry, "turn": _degrees(facing - piece.model.front)}
        entry = without(entry, *FIGURE_KEYS)
    else:
        facing = entry.get("facing", "unknown")  # of a weapon that points elsewhere, only a fighter's entry tells
        entry = {
            **entry,
            "facing": facing if direction_of(facing) is None or kind == "fighter" else direction_of(facing),
        }
    return {**document, kind: [*document.get(kind, []), entry]}, entry


FIGURE_KEYS = ("gang", "facing", "arcs", "eye", "eyes", "doubt", "base", "on", "under")
"""The keys that a piece loses where it becomes terrain."""


def _check_kind(scene: TableScene, kind: str) -> None:
    """Refuses a kind of piece that a game does not have."""
    if kind not in rule_called(scene.rules).scene_entry.model_fields:
        raise RequestError(f"{scene.path}: {rule_called(scene.rules).title} has no [[{kind}]] to add to")


def _placed(document: Document, scene: TableScene, edit: PieceEdit, table: str, entry: Document) -> Document:
    """The entry of a piece with the place and the facing of an edit."""
    given, unit = edit.model_fields_set, unit_in(document)
    height = edit.at[2] if edit.at is not None and len(edit.at) == 3 else None
    if [edit.floor, edit.on, height].count(None) < 2:
        raise RequestError(f"{scene.path}: '{edit.piece}': give floor, on, or a third number of at, and no two of them")
    if edit.at is not None:
        entry["at"] = [*(in_units(number, unit) for number in edit.at[:2]), *entry["at"][2:]]
    if edit.facing is not None:
        entry = _facing(scene, edit, table, entry)
    if height is not None:
        entry = {**without(entry, "on", "under"), "at": [*entry["at"][:2], in_units(height, unit)]}
    elif "on" in given:
        entry = _lowered(scene, edit, unit, entry)
    if "under" in given:
        entry = without(entry, "under") if edit.under is None else {**entry, "under": in_units(edit.under, unit)}
    return entry if edit.floor is None else _on_floor(scene, edit, unit, entry)


def _facing(scene: TableScene, edit: PieceEdit, table: str, entry: Document) -> Document:
    """The entry of a piece that faces elsewhere; where nobody knows any longer where, it stands as it stood."""
    schema, front = rule_called(scene.rules).scene_entry, scene.piece(edit.piece).model.front
    before, facing = direction_of(entry.get("facing")), edit.facing
    if not isinstance(facing, float):
        turned = {} if before is None or "turn" in entry else {"turn": _degrees(before - front)}
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


def _lowered(scene: TableScene, edit: PieceEdit, unit: float, entry: Document) -> Document:
    """The entry of a piece that is lowered onto something, or onto nothing any longer.

    What stands below a roof stays below it: ``under`` is then as high as its head.
    """
    piece, before = scene.piece(edit.piece), entry.get("on")
    if edit.on is None and before is None:
        return entry
    if edit.on is None:
        return {
            **without(entry, "on", "under"),
            "at": [*entry["at"][:2], in_units(float(piece.pose.translation[2]), unit)],
        }
    lowered = {**entry, "on": edit.on, "at": entry["at"][:2]}
    if edit.on == ANY_SURFACE and before is None and "under" not in edit.model_fields_set:
        bottom = _bottom(piece)
        (highest,) = StandingTest(scene.pieces, piece).heights(piece.pose.translation[None, :2], None)
        if highest > bottom + FLOOR_SPACING:
            lowered["under"] = in_units(bottom + _height(piece), unit)
    return lowered


def _on_floor(scene: TableScene, edit: PieceEdit, unit: float, entry: Document) -> Document:
    """The entry of a piece on the next floor up or down."""
    piece = scene.piece(edit.piece)
    floors = floors_at(scene, edit.piece, np.array(entry["at"][:2], np.float64) * unit)
    further = [floor for floor in floors if (floor - _bottom(piece)) * (edit.floor or 0) > FLOOR_SPACING]
    if not further:
        way = "above" if edit.floor == 1 else "below"
        raise RequestError(f"{scene.path}: there is no floor {way} '{edit.piece}' to stand on")
    floor = further[-1] if edit.floor == 1 else further[0]
    moved = {**without(entry, "under"), "at": entry["at"][:2], "on": ANY_SURFACE}
    if floor != floors[0]:
        above = floors[floors.index(floor) - 1]
        moved["under"] = in_units(floor + min(_height(piece), (above - floor) / 2.0), unit)
    return moved


def _bottom(piece: Piece) -> float:
    return float(piece.pose.translation[2]) + underside_of(piece).bottom


def _height(piece: Piece) -> float:
    """mm: from the lowest to the highest point of a piece."""
    return float(np.ptp(piece.whole_box[:, 2]))


def floors_at(scene: TableScene, name: str, place: Floats) -> list[float]:
    """The heights, mm, at which the underside of a piece comes to rest at a place (2,) in mm, the highest first."""
    standing = StandingTest(scene.pieces, scene.piece(name))
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
    table, number = table_and_number(document, scene, edit.copy_of)
    entry = dict(document[table][number])
    entry["name"] = edit.name or free_name(document, edit.copy_of)
    check_free(document, scene, entry["name"])
    unit, box = unit_in(document), scene.piece(edit.copy_of).whole_box
    place = edit.at
    if place is None:
        x, y = (number * unit for number in entry["at"][:2])
        place = (x + float(np.ptp(box[:, 0])) + 5.0, y)
    entry["at"] = [*(in_units(number, unit) for number in place), *entry["at"][2:]]
    if table != "terrain" and is_scanned(document):
        entry = with_doubt(entry, BY_HAND)
    return {**document, table: [*document[table], entry]}


def _without(document: Document, scene: TableScene, name: str) -> Document:
    """The document without a piece and what names it; what stood on it is lowered onto whatever is there."""
    table, number = table_and_number(document, scene, name)
    left = {**document, table: [*document[table][:number], *document[table][number + 1 :]]}
    left = {key: _unnamed(key, value, name) if isinstance(value, list) else value for key, value in left.items()}
    # An empty list of contacts says that nobody touches; without the list, the distances say who does.
    return {key: value for key, value in left.items() if value != [] or key == "base_contact" or document[key] == []}


def _unnamed(key: str, entries: list[Any], name: str) -> list[Any]:
    """The entries of a list that do not name a piece; what stood on it is lowered."""
    if key == "check":
        return [check for check in entries if name not in (check.get("attacker"), check.get("target"))]
    if key == "base_contact":
        return [pair for pair in entries if name not in pair]
    return [
        {**entry, "on": ANY_SURFACE} if isinstance(entry, dict) and entry.get("on") == name else entry
        for entry in entries
    ]


def _added(document: Document, scene: TableScene, edit: AddEdit) -> Document:
    _check_kind(scene, edit.add)
    check_free(document, scene, edit.name)
    unit = unit_in(document)
    entry: Document = {"name": edit.name}
    entry |= {key: value for key in ("mesh", "model", "gang") if (value := getattr(edit, key)) is not None}
    if edit.figure is not None:
        entry["figure"] = edit.figure.model_dump(exclude_unset=True)
    entry["at"] = [in_units(number, unit) for number in edit.at]
    if edit.add != "terrain":
        entry |= {"on": ANY_SURFACE, "facing": 90 if edit.facing is None else edit.facing}
        doubt = BY_HAND if edit.doubt is None and is_scanned(document) else _doubt_of(edit)
        entry |= {"doubt": dict(doubt)} if doubt else {}
    return {**document, edit.add: [*document.get(edit.add, []), entry]}


def in_units(length: float, unit: float) -> int | float:
    """A length in mm, as a scene whose unit is so many mm long writes it: a whole number where it is one.

    >>> in_units(12.3456, 1.0), in_units(25.4, 25.4), in_units(-0.001, 1.0)
    (12.35, 1, 0)
    """
    written = round(length / unit, PLACE_DECIMALS if unit == 1.0 else UNIT_DECIMALS)
    return int(written) if written == int(written) else written
