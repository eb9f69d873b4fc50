"""EXCHANGE: the text of an imported table's scene.toml, for people to read and edit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from silhouette.exchange.imported import ImportedPiece, ImportedTable
from silhouette.files.toml_text import toml, toml_key
from silhouette.rules import FIRST

_BLOCKS = ("check", "question")
"""The keys of a scene whose entries are written as tables of their own."""


def scene_text(
    table: ImportedTable,
    pieces: Iterable[tuple[ImportedPiece, Mapping[str, Any]]],
    addresses: Mapping[str, str],
    keys_of_all: Mapping[str, Any],
) -> str:
    """The scene of an imported table.

    Args:
        table: what it was made of.
        pieces: those that stand in the scene, each with the keys that say what it looks like.
        addresses: where the other program has a mesh from, by its path in the scene: `export` gives it back.
        keys_of_all: those of the scene itself.
    """
    order = sorted(pieces, key=lambda pair: pair[0].kind != "terrain")
    names = [piece.name for piece, _ in order if piece.kind != "terrain"][:2]
    blocks = [_head(table, keys_of_all), _source(table, addresses, keys_of_all)]
    blocks += [_piece(piece, keys) for piece, keys in order]
    blocks += [_block(key, entry) for key in _BLOCKS for entry in keys_of_all.get(key, ())]
    if len(names) == 2 and not keys_of_all.get("check"):
        lines = ["# Who looks at whom; silhouette matrix judges everyone against everyone without.", "# [[check]]"]
        blocks.append("\n".join([*lines, f"# attacker = {toml(names[0])}", f"# target = {toml(names[1])}"]))
    return "\n\n".join(blocks) + "\n"


def _head(table: ImportedTable, keys_of_all: Mapping[str, Any]) -> str:
    lines = [
        f"# Made from a table of {table.program}. Lengths are mm, angles degrees anticlockwise from x from above.",
        "# Names, gangs, facings, eyes and checks are yours to edit; importing again writes this file anew, and keeps",
        "# the one that is here as scene.before.toml.",
        f"title = {toml(table.title)}",
        f"rules = {toml(keys_of_all.get('rules', FIRST))}",
    ]
    lines += [
        f"{toml_key(key)} = {toml(value)}"
        for key, value in keys_of_all.items()
        if key not in ("rules", "source", *_BLOCKS)
    ]
    return "\n".join(lines)


def _source(table: ImportedTable, addresses: Mapping[str, str], keys_of_all: Mapping[str, Any]) -> str:
    lines = ["[source]", f"program = {toml(table.program)}", f"file = {toml(_one_line(table.file.name))}"]
    earlier = keys_of_all.get("source", {})
    lines += [f"{toml_key(key)} = {toml(earlier[key])}" for key in earlier if key not in ("program", "file", "meshes")]
    if addresses:
        rows = [f"    {toml({'mesh': mesh, 'address': _one_line(address)})}," for mesh, address in addresses.items()]
        lines += ["meshes = [", *rows, "]"]
    return "\n".join(lines)


def _block(key: str, entry: Any) -> str:
    """An entry of a list of tables."""
    lines = [f"{toml_key(name)} = {toml(value)}" for name, value in entry.items()]
    return "\n".join([f"[[{key}]]", *lines])


def _piece(piece: ImportedPiece, keys: Mapping[str, Any]) -> str:
    """A piece's table."""
    lines = [f"[[{piece.kind}]]", f"name = {toml(piece.name)}"]
    if piece.gang is not None:
        lines.append(f"gang = {toml(piece.gang)}")
    lines += [f"{key} = {toml(value)}" for key, value in keys.items()]
    lines.append(f"at = {toml(list(piece.at))}")
    lines.append(f"turn = {toml(piece.turn)}")
    if piece.facing is not None:
        lines.append(f"facing = {toml(piece.facing)}")
    return "\n".join(lines)


def _one_line(text: str) -> str:
    """A text without what no file in UTF-8 can hold."""
    return text.encode("utf-8", errors="replace").decode()
