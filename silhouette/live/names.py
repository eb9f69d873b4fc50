"""TELL: the pieces of a scene's document by their names: where each stands in it, what names it, which names are free.

document, name -> its entry; document, old name, new name -> the document with the new one everywhere
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from silhouette.errors import RequestError
from silhouette.rules import GAME_FILE, rule_called
from silhouette.scenes.entries import TableEntry
from silhouette.scenes.table import SURFACE, TableScene
from silhouette.text import did_you_mean, numbered

Document = dict[str, Any]

Names = Mapping[str, str | None]
"""The name that a piece has in the scene's file, by its name now; None for one that is not in the file.

Pieces that are not listed have the same name in both.
"""

NAMING = ("on", "attacker", "target", "about")
"""The keys of entries that name pieces."""


def entries_of(document: Document) -> Iterator[tuple[str, int, Document]]:
    """The entries of all pieces, each with the list that has it and its place there."""
    rules = str(document["rules"])
    known = (TableEntry if rules.endswith(GAME_FILE) else rule_called(rules).scene_entry).model_fields
    for table, entries in document.items():
        if isinstance(entries, list) and table in known:
            for number, entry in enumerate(entries):
                if isinstance(entry, dict) and "name" in entry and "at" in entry:
                    yield table, number, entry


def piece_names(document: Document) -> list[str]:
    """The names of all pieces."""
    return [entry["name"] for _, _, entry in entries_of(document)]


def with_entry(document: Document, table: str, number: int, entry: Document) -> Document:
    """The document with another entry in one place of a list."""
    return {**document, table: [*document[table][:number], entry, *document[table][number + 1 :]]}


def table_and_number(document: Document, scene: TableScene, name: str) -> tuple[str, int]:
    """The key of the list that has a piece, such as "fighter", and its place in it.

    Raises:
        RequestError: where no piece has the name.
    """
    places = {entry["name"]: (table, number) for table, number, entry in entries_of(document)}
    if name not in places:
        raise RequestError(f"{scene.path}: nothing is called '{name}'; {did_you_mean(name, places)}")
    return places[name]


def renamed(document: Document, scene: TableScene, old: str, new: str) -> Document:
    """The document with everything that names a piece by its old name."""

    def named(value: Any) -> Any:
        if isinstance(value, list):
            return [named(one) for one in value]
        if isinstance(value, dict):
            return {key: named(one) for key, one in value.items()}
        return new if value == old else value

    def with_names(entry: Any) -> Any:
        if not isinstance(entry, dict):
            return entry
        renamed = {key: named(value) if key in naming else value for key, value in entry.items()}
        if isinstance(expected := entry.get("expect"), dict):
            expect = {key: named(value) if key in naming_results else value for key, value in expected.items()}
            renamed["expect"] = expect
        return renamed

    naming = NAMING if old != SURFACE else [key for key in NAMING if key != "on"]
    naming_results = rule_called(scene.rules).naming
    changed = dict(document)
    for table, entries in document.items():
        if table == "base_contact":
            changed[table] = named(entries)
        elif isinstance(entries, list):
            changed[table] = [with_names(entry) for entry in entries]
    return changed


def free_name(document: Document, like: str) -> str:
    """A name that no piece has, such as "wall 2" for another "wall"."""
    taken = {entry["name"] for _, _, entry in entries_of(document)}
    stem, _, last = like.rpartition(" ")
    stem = stem if stem and last.isdigit() else like
    return numbered(stem, taken)


def check_free(document: Document, scene: TableScene, name: str) -> None:
    """Refuses a name that a piece has, or that means something else.

    Raises:
        RequestError: with one that is free.
    """
    if name == SURFACE:
        raise RequestError(f"{scene.path}: '{name}' stands for whatever is below a piece; give another name")
    if any(entry["name"] == name for _, _, entry in entries_of(document)):
        free = free_name(document, name)
        raise RequestError(f"{scene.path}: a piece is called '{name}' already; give another name, such as '{free}'")


def names_after(names: Names, renamed: str | None, before: Document, after: Document) -> Names:
    """The names in the scene's file after an edit.

    Args:
        names: before it.
        renamed: the name that the piece had which the edit gave another one, if it did.
        before, after: the documents.
    """
    old, new = set(piece_names(before)), set(piece_names(after))
    kept = {name: names.get(name, name) for name in old & new if name in names}
    was = None if renamed is None else names.get(renamed, renamed)
    return {**kept, **dict.fromkeys(new - old, was)}
