"""TELL: what players say of the pieces of a scan at the live table, written into the scene so that the next run has it.

Other kinds and pieces that are taken off are edits, and stand in the scene at once; of two pieces that are one, or one
that is two, the scan makes new meshes. See `silhouette.scans.corrections`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from silhouette.common.errors import RequestError
from silhouette.files.confinement import is_inside
from silhouette.files.documents import document_of, read_text
from silhouette.live.by_hand import Document, is_scanned
from silhouette.live.edits import DeleteEdit, Edit, PieceEdit, entries_of
from silhouette.scans.corrections import join_entry, kind_entry, split_entry
from silhouette.scans.keep import RECORD, SOURCE_RECORD, earlier_record, rows_of
from silhouette.scans.place import FIGURE_ANSWER, LEFT_OUT, TERRAIN_ANSWER


def record_of(document: Document, folder: Path) -> dict[str, Any] | None:
    """What the scan has found of which a document was made, whose scene lies in a folder; None where no scan made it.

    Raises:
        FileError: where it cannot be read.
    """
    source = document.get("source", {})
    name = source.get(SOURCE_RECORD) if isinstance(source, dict) else None
    if isinstance(name, str) and is_inside(folder, name) and (folder / name).is_file():
        return document_of(folder / RECORD, read_text(folder / name))
    return earlier_record(folder)


def with_correction(folder: Path, before: Document, after: Document, edit: Edit) -> Document:
    """The document after an edit, with what the next run of the scan is to know of it."""
    if isinstance(edit, DeleteEdit):
        name, answer = edit.delete, LEFT_OUT
    elif isinstance(edit, PieceEdit) and edit.kind is not None:
        name, answer = edit.piece, TERRAIN_ANSWER if edit.kind == "terrain" else FIGURE_ANSWER
    else:
        return after
    place = _scanned_place(folder, before, name) if is_scanned(before) else None
    return after if place is None else with_answer(after, kind_entry(name, place, answer))


def with_answer(document: Document, entry: Document) -> Document:
    """The document with an answered question, as the last one; one of the same key goes."""
    others = [other for other in document.get("question", []) if other.get("key") != entry["key"]]
    return {**document, "question": [*others, entry]}


def split_answer(folder: Path, document: Document, name: str, along: object) -> Document:
    """The entry by which a piece of a scan is two, on both sides of a line [[x, y], [x, y]] on the table, mm."""
    place, moved = _place_and_move(folder, document, name)
    match along:
        case [[int() | float(), int() | float()] as start, [int() | float(), int() | float()] as end] if start != end:
            ends = np.array([start, end], np.float64) - moved
            return split_entry(name, place, ends.tolist())
    raise RequestError("along must be [[x, y], [x, y]], two places that a line goes through")


def join_answer(folder: Path, document: Document, name: str, other: str) -> Document:
    """The entry by which another piece of a scan is a part of one."""
    place, _ = _place_and_move(folder, document, name)
    there, _ = _place_and_move(folder, document, other)
    if name == other:
        raise RequestError(f"'{name}' is one with itself already; name two pieces")
    return join_entry(name, place, there)


def _place_and_move(folder: Path, document: Document, name: str) -> tuple[list[float], list[float]]:
    """Where the scan has a piece, and by how much it has been moved since, (x, y) mm."""
    place = _scanned_place(folder, document, name)
    if place is None:
        raise RequestError(f"'{name}' was not scanned; only what a scan has found can be split or joined")
    here = _entry(document, name)["at"]
    return place, [here[0] - place[0], here[1] - place[1]]


def _entry(document: Document, name: str) -> Document:
    return next(entry for _, _, entry in entries_of(document) if entry["name"] == name)


def _scanned_place(folder: Path, document: Document, name: str) -> list[float] | None:
    """Where the scan has a piece (x, y, mm), by its name or by where it stands; None for one that a hand added."""
    row = rows_by_name(document, record_of(document, folder) or {}).get(name)
    return None if row is None else [float(place) for place in row["at"][:2]]


def rows_by_name(document: Document, record: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """What the scan has found of each piece of its scene, by the name that it has there; of none that a hand added."""
    entries = [entry for _, _, entry in entries_of(document)]
    rows = rows_of(entries, record.get("pieces", []))
    return {entry["name"]: row for entry, row in zip(entries, rows, strict=True) if row is not None}
