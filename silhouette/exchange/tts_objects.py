"""EXCHANGE: the objects of a save of Tabletop Simulator, as its JSON has them.

bytes -> document; objects -> the objects in them, the addresses and files of their meshes
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from silhouette.errors import FileError
from silhouette.exchange.tts_meshes import KeptMeshes
from silhouette.files.documents import parsed_json
from silhouette.files.reading import read_file

PROGRAM = "Tabletop Simulator"

LARGEST_SAVE = 128 * 1024**2
"""Bytes of a save."""

MOST_OBJECTS = 20_000
"""Objects of a save, those in bags and other states among them."""


def document_of(path: Path) -> dict[str, Any]:
    """The content of a save.

    Raises:
        FileError: where it is none.
    """
    needs = f"give a save or a saved object of {PROGRAM}"
    try:
        document = parsed_json(read_file(path, LARGEST_SAVE))
    except ValueError as error:
        raise FileError(path, f"is no JSON that can be read: {error}; {needs}") from None
    states = document.get("ObjectStates") if isinstance(document, dict) else None
    if not isinstance(document, dict) or not isinstance(states, list):
        raise FileError(path, f"has no list ObjectStates; {needs}")
    count = sum(1 for _ in _all_objects(states))
    if count > MOST_OBJECTS:
        raise FileError(path, f"holds over {MOST_OBJECTS} objects, the most that are read; save a part of the table")
    return document


def _all_objects(states: list[Any]) -> Iterator[object]:
    """Every object of a save, wherever it lies; at most one more than are allowed."""
    todo, count = list(states), 0
    while todo and count <= MOST_OBJECTS:
        count += 1
        state = todo.pop()
        yield state
        if isinstance(state, Mapping):
            for key in ("ChildObjects", "ContainedObjects", "States"):
                todo += objects_in(state, key)


def objects_in(state: Mapping[str, Any], key: str) -> list[Any]:
    """The objects that stand under a key of an object: a list, or a table by number."""
    inner = state.get(key)
    if isinstance(inner, Mapping):
        return list(inner.values())
    return inner if isinstance(inner, list) else []


def kept_files(states: list[Any], kept: KeptMeshes) -> list[Path]:
    """The mesh files of all objects on the table and of their parts, each once."""
    todo, found = list(states), dict[Path, None]()
    while todo:
        state = todo.pop()
        if isinstance(state, Mapping):
            todo += objects_in(state, "ChildObjects")
            with suppress(FileError):
                file = kept.find(mesh_address(state))
                if file is not None:
                    found[file] = None
    return list(found)


def mesh_address(state: Mapping[str, Any]) -> str:
    """The address of an object's mesh; empty where it has none."""
    custom = state.get("CustomMesh")
    address = custom.get("MeshURL") if isinstance(custom, Mapping) else None
    return address if isinstance(address, str) else ""
