"""TELL: what is said of a model by clicking it: its eye, its base, parts that do not count.

tag, the document, what is known of model files -> both after it; model files are written when the scene is saved
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import Field

from silhouette.errors import FileError, RequestError
from silhouette.files.documents import read_document
from silhouette.files.schema import Entry, Location, Name, Number, validated
from silhouette.geometry import Floats
from silhouette.live.names import Document, entries_of, table_and_number, with_entry
from silhouette.scenes.table import TableScene

Models = Mapping[str, Document]
"""Keys of model files that are not written yet, by the path that the scene gives of each."""

TAGS = ("eye", "base", "front", "insignificant")
"""The keys of a model that a tag may change."""


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
    """The tag that a request describes.

    Raises:
        FileError: where it describes none; one line, with the path of the scene.
    """
    return validated(TagEdit, data, Location(scene.path, "edit"))


def tagged(document: Document, models: Models, scene: TableScene, edit: TagEdit) -> tuple[Document, Models]:
    """The document and the keys of model files after a tag.

    A model file of the scene's folder gets the keys. Of any other, and of a mesh, all pieces that name it get them, and
    so does a piece that says itself what its model file says otherwise.

    Raises:
        RequestError: where the piece is not there, or its mesh has no part that could be named.
    """
    table, number = table_and_number(document, scene, edit.tag)
    of_piece = document[table][number]
    tags: Document = {key: _plain(getattr(edit, key)) for key in TAGS if key in edit.model_fields_set}
    if edit.part_at is not None or edit.box is not None:
        tags.setdefault("insignificant", _insignificant(scene.path, models, of_piece))
    if edit.part_at is not None:
        tags["insignificant"] = [*tags["insignificant"], {"part": part_at(scene, edit.tag, np.array(edit.part_at))}]
    if edit.box is not None:
        tags["insignificant"] = [*tags["insignificant"], {"box": _plain(edit.box)}]
    file = of_piece.get("model")
    if file is not None and is_inside(scene.path.parent, file):
        inline = {key: value for key, value in tags.items() if key in of_piece}
        new = {**models.get(file, {}), **{key: value for key, value in tags.items() if key not in inline}}
        return with_entry(document, table, number, {**of_piece, **inline}), {**models, file: new}
    named = next((key for key in ("model", "mesh") if key in of_piece), None)
    changed = document
    for other, place, entry in entries_of(document):
        if entry is of_piece or (named is not None and entry.get(named) == of_piece[named]):
            new = {key: value for key, value in {**entry, **tags}.items() if value is not None}
            changed = with_entry(changed, other, place, new)
    return changed, models


def model_file(document: Document, scene: TableScene, name: str) -> str:
    """The model file of a piece, as the scene names it, whose keys its tags become; empty where it has none there.

    Raises:
        RequestError: where the piece is not there.
    """
    table, number = table_and_number(document, scene, name)
    file = str(document[table][number].get("model", ""))
    return file if file and is_inside(scene.path.parent, file) else ""


def said_of(document: Document, models: Models, scene: TableScene, name: str) -> dict[str, Any]:
    """What is said of the model of a piece by now, ready for JSON; lengths in mm, in the model's frame.

    Returns:
        ``file``: what the tags are written into; ``eye`` and whether it is ``eye_given``; ``base``: {height, diameter}
        or None; ``parts``: the names of those that the mesh has, [] where it is in one; ``insignificant``, as in a
        model file.

    Raises:
        RequestError: where the piece is not there.
    """
    table, number = table_and_number(document, scene, name)
    piece, entry = scene.piece(name), document[table][number]
    model, base = piece.model, piece.model.base
    eye = (piece.eye - piece.pose.translation) @ piece.pose.rotation
    is_given = "eye" in {**entry, **models.get(entry.get("model", ""), {})}
    return {
        "file": model_file(document, scene, name) or scene.path.name,
        "eye": [round(float(one), 2) + 0.0 for one in eye],
        "eye_given": is_given or model.eye_given is not None,
        "base": base and {"height": round(base.height, 2), "diameter": round(base.diameter, 2)},
        "parts": list(model.mesh.part_names) if len(model.mesh.part_names) > 1 else [],
        "insignificant": _insignificant(scene.path, models, entry),
    }


def with_models(document: Document, models: Models) -> Document:
    """The document to be judged: pieces say themselves what their model files are to say."""
    if not models:
        return document
    for table, place, entry in entries_of(document):
        keys = models.get(entry.get("model", ""), {})
        if keys:
            given = {key: value for key, value in keys.items() if value is not None}
            document = with_entry(document, table, place, {**given, **entry})
    return document


def is_inside(folder: Path, file: str) -> bool:
    """Whether a file that a scene names lies in the scene's folder, or in one within it.

    >>> is_inside(Path("/tables"), "models/kal.toml"), is_inside(Path("/tables"), "../kal.toml")
    (True, False)
    """
    place = (folder / file).resolve()
    return place.is_relative_to(folder.resolve())


def _plain(value: Any) -> Any:
    """A value as documents have it."""
    return [_plain(one) for one in value] if isinstance(value, tuple | list) else value


def _insignificant(scene: Path, models: Models, entry: Document) -> list[Document]:
    """What a piece leaves out already, as its own entry says, or its model file."""
    if "insignificant" in entry or "model" not in entry:
        return list(entry.get("insignificant", []))
    known = models.get(entry["model"], {})
    source = known if "insignificant" in known else read_document(scene.parent / entry["model"])
    return list(source.get("insignificant") or [])


def part_at(scene: TableScene, name: str, point: Floats) -> str:
    """The name of the part of a piece's mesh that lies nearest to a point (3,) of the model's frame.

    Raises:
        RequestError: where the mesh has only one part.
    """
    mesh = scene.piece(name).model.mesh
    if len(mesh.part_names) < 2:
        raise RequestError(f"{scene.path}: the mesh of '{name}' is in one part; draw a box round what does not count")
    middles = mesh.vertices[mesh.faces].mean(axis=1)
    return str(mesh.part_names[mesh.part[np.linalg.norm(middles - point, axis=1).argmin()]])


def written_models(scene: Path, models: Models) -> dict[Path, str]:
    """The texts of model files with their new keys, by their paths.

    Raises:
        FileError: where one of them cannot be read, or lies out of the scene's folder.
    """
    from silhouette.files.documents import read_text
    from silhouette.live.rewriting import rewritten

    texts = {}
    for file, keys in models.items():
        place = scene.parent / file
        if not is_inside(scene.parent, file):
            raise FileError(place, "lies out of the scene's folder, and is not written")
        document = {**read_document(place), **keys}
        document = {key: value for key, value in document.items() if value is not None}
        texts[place] = rewritten(place, read_text(place, with_mark=True), document)
    return texts
