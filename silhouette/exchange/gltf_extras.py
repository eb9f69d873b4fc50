"""EXCHANGE: the custom properties of a glTF file: of a node, keys of a piece; of its scene, units, what is up, ...

They are checked by the same schemas as a scene file. The property ``silhouette`` of the scene holds all keys of a scene
file but its pieces, as a table or as text in TOML. A text that is no value for its key may be one as TOML writes it:
Blender's own fields hold numbers and texts, so ``base`` is given there as the text ``{ part = "base" }``.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any, Literal, get_args

from silhouette.common.errors import FileError
from silhouette.common.text import as_written, did_you_mean, in_a_row
from silhouette.exchange.imported import ImportedPiece, plain_name
from silhouette.files.documents import MAX_DOCUMENT_BYTES, MAX_ENTRIES, MAX_TEXT_LENGTH
from silhouette.files.schema import Location, validated
from silhouette.models.entries import PIECE_KINDS, Kind
from silhouette.models.frame import IN_WORDS, MM_PER_MESH_UNIT
from silhouette.rules import rule_called
from silhouette.scenes.entries import FighterEntry, PieceEntry, TerrainEntry, VehicleEntry

# ---- properties of the whole scene

EXTRAS_UNITS = ("mm", "cm", "m", "inch")

PIECE_TABLE_KEYS = ("terrain", "fighter", "vehicle", "unit", "cover")  # the keys of a scene file that hold pieces

MIN_FIGHTER_HEIGHT_MM, MAX_FIGHTER_HEIGHT_MM, USUAL_HEIGHTS_MM = 8.0, 300.0, (15.0, 120.0)
"""mm: what no fighter's height is on a table, and what one's usually is."""


@dataclass(frozen=True)
class FileSettings:
    """What a file says of itself: its units, the axis that is up, its title, and further keys of a scene file."""

    units: str = "m"
    up: Literal["y", "z"] = "y"
    title: str = ""
    keys: Mapping[str, Any] = field(default_factory=dict)


def settings_of(extras: Mapping[str, Any], path: Path) -> FileSettings:
    """The settings that the custom properties of a scene say; FileError where they are none that can be.

    >>> settings_of({"units": "mm", "silhouette": "title = 'Ambush'"}, Path("a.glb"))
    FileSettings(units='mm', up='y', title='Ambush', keys={})
    """
    for key, default, choices in (("units", "m", EXTRAS_UNITS), ("up", "y", ("y", "z"))):
        value = extras.get(key, default)
        if value not in choices:
            choice = in_a_row([as_written(each) for each in choices], last="or")
            raise FileError(path, f"its scene says {key} = {as_written(value)}; it must be {choice}")
    keys = _keys_of_scene(extras.get(MARKER, {}), path)
    title = keys.pop("title", extras.get("title", ""))
    keys = {key: json.loads(json.dumps(value, default=str)) for key, value in keys.items()}
    units, up = str(extras.get("units", "m")), extras.get("up", "y")
    return FileSettings(units, up, plain_name(title) if isinstance(title, str) else "", keys)


def _keys_of_scene(stated: object, path: Path) -> dict[str, Any]:
    """The keys of a scene file that its property states, as a table or as text in TOML."""
    of_scene = f"the property {MARKER} of its scene"
    if isinstance(stated, str):
        if len(stated) > MAX_DOCUMENT_BYTES:
            raise FileError(path, f"{of_scene} is a text of over {MAX_DOCUMENT_BYTES} letters")
        try:
            stated = tomllib.loads(stated)
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            raise FileError(path, f"{of_scene} is no TOML: {error}") from None
    if not isinstance(stated, Mapping):
        raise FileError(path, f"its scene says {MARKER} = {as_written(stated)}; it must be a table, or text in TOML")
    for key in stated:
        if key in (*PIECE_TABLE_KEYS, "units"):
            raise FileError(path, f"{of_scene} has '{key}', which the nodes are to say")
    for key in ("check", "question"):
        if not all(isinstance(entry, Mapping) for entry in _list(stated.get(key, []))):
            raise FileError(path, f"{of_scene} has '{key}', which must be a list of tables")
    if not isinstance(stated.get("source", {}), Mapping):
        raise FileError(path, f"{of_scene} has 'source', which must be a table")
    return dict(stated)


def units_in_doubt(pieces: Sequence[ImportedPiece]) -> str:
    """A sentence where fighters are far from any size that one has on a table; else nothing."""
    heights = [
        float(piece.mesh.bounds[1, 2] - piece.mesh.bounds[0, 2]) * float(piece.keys.get("scale", 1.0))
        for piece in pieces
        if piece.kind == "fighter" and piece.mesh is not None
    ]
    if not heights or MIN_FIGHTER_HEIGHT_MM <= median(heights) <= MAX_FIGHTER_HEIGHT_MM:
        return ""
    height, (least, greatest) = median(heights), USUAL_HEIGHTS_MM
    fits = [
        units
        for units in EXTRAS_UNITS
        if units != "m" and least <= height * MM_PER_MESH_UNIT[units] / MM_PER_MESH_UNIT["m"] <= greatest
    ]
    better = ""
    if fits:
        better = f"; its numbers look like {IN_WORDS.get(fits[0], fits[0])}: import it with --units {fits[0]}"
    return f"fighters are {height:.3g} mm tall, taken in metres as glTF has it{better}"


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else [value]


# ---- properties of a node

MARKER = "silhouette"  # the property that makes a node a piece

Entries = Mapping[Kind, type[PieceEntry]]  # the schemas of pieces, by kind

ENTRIES: Entries = {"fighter": FighterEntry, "vehicle": VehicleEntry, "terrain": TerrainEntry}

OF_THE_NODE = ("name", "at", "on", "under", "turn", "mesh", "model", "parts", "kind", "origin")
"""The keys of a piece that the node itself is the answer to."""

_OF_OTHERS = ("_", "MSFT_")
"""What properties of other programs begin with, such as ``MSFT_screencoverage`` beside levels of detail."""

_TEXT_KEYS = ("gang",)  # the keys that are texts whatever they say


class NoPiece(Exception):
    """The reason why a node is no piece, or one that cannot stand in a scene."""


def kind_of(extras: Mapping[str, Any]) -> Kind | None:
    """The kind of piece that a node says it is; None where it says nothing of the sort.

    >>> kind_of({"silhouette": "fighter"}), kind_of({"cycles": 1})
    ('fighter', None)
    >>> kind_of({"silhouete": "fighter"})
    Traceback (most recent call last):
    ...
    silhouette.exchange.gltf_extras.NoPiece: has the property 'silhouete'; it must be 'silhouette'
    """
    if MARKER in extras:
        kind = extras[MARKER]
        if kind not in PIECE_KINDS:
            advice = (
                did_you_mean(kind, PIECE_KINDS) if isinstance(kind, str) else f"it must be {' or '.join(PIECE_KINDS)}"
            )
            raise NoPiece(f"says {MARKER} = {as_written(kind)}; {advice}")
        return PIECE_KINDS[PIECE_KINDS.index(kind)]
    for key in extras:
        if did_you_mean(key.lower(), [MARKER]).startswith("did"):
            raise NoPiece(f"has the property {as_written(key).replace(chr(34), chr(39))}; it must be '{MARKER}'")
    return None


def entries_of(rules: str) -> Entries:
    """The schemas of the pieces of a game, by its name or its file; those of any table where it has others.

    Raises FileError if there is no such game file.
    """
    entries = dict(ENTRIES)
    for kind in PIECE_KINDS:
        pieces = rule_called(rules).scene_entry.model_fields.get(kind)
        entry = get_args(pieces.annotation)[0] if pieces is not None else None
        if isinstance(entry, type) and issubclass(entry, PieceEntry):
            entries[kind] = entry
    return entries


def keys_of(extras: Mapping[str, Any], kind: Kind, entries: Entries = ENTRIES) -> dict[str, Any]:
    """The keys of a piece that a node gives: ``gang``, ``facing``, and any of a model file; others' are passed over.

    >>> keys_of({"silhouette": "fighter", "facing": 90, "base": "{ height = 3 }"}, "fighter")
    {'facing': 90, 'base': {'height': 3}}
    >>> keys_of({"silhouette": "fighter", "gagn": "Orlock"}, "fighter")
    Traceback (most recent call last):
    ...
    silhouette.exchange.gltf_extras.NoPiece: unknown property 'gagn'; did you mean 'gang'?
    """
    entry = entries[kind]
    given = {key: value for key, value in extras.items() if key != MARKER and not key.startswith(_OF_OTHERS)}
    keys = {key: _value(key, value) for key, value in given.items() if value is not None}
    possible = [key for key in entry.model_fields if key not in OF_THE_NODE]
    for key, value in keys.items():
        _check_key(key, value, kind, possible)
    if "auto" in (keys.get("units"), keys.get("up")):
        raise NoPiece(
            'units and up may not be "auto": the numbers of glTF are metres with y up unless they say otherwise'
        )
    shape = {} if "figure" in keys else {"mesh": "mesh.glb"}
    try:
        validated(entry, {**keys, **shape, "name": "piece", "at": [0, 0, 0]}, Location(Path("properties")))
    except FileError as error:
        raise NoPiece(error.problem) from None
    return keys


def _check_key(key: str, value: Any, kind: Kind, possible: Sequence[str]) -> None:
    if key in OF_THE_NODE:
        raise NoPiece(f"has the property '{key}', which the file itself says; leave it out")
    if key == "facing" and kind == "terrain":
        raise NoPiece("has the property 'facing', but terrain looks nowhere: it stands as its node does")
    if key not in possible:
        raise NoPiece(f"unknown property '{key}'; {did_you_mean(key, possible, 'those of a piece are', most=40)}")
    if isinstance(value, list) and len(value) > MAX_ENTRIES.get(key, len(value)):
        raise NoPiece(f"{key} has over {MAX_ENTRIES[key]} entries")
    if isinstance(value, str) and len(value) > MAX_TEXT_LENGTH:
        raise NoPiece(f"{key} has over {MAX_TEXT_LENGTH} letters")


def _value(key: str, value: Any) -> Any:
    """A value, or what a text says as TOML: a number, a list or a table."""
    if not isinstance(value, str) or key in _TEXT_KEYS or len(value) > MAX_TEXT_LENGTH:
        return value
    return read_toml(value)


def read_toml(text: str) -> Any:
    """The value that a text is as TOML writes it; the text itself where it is none.

    >>> read_toml("[0, 3, 27]"), read_toml("auto"), read_toml("1\\ny = 2")
    ([0, 3, 27], 'auto', '1\\ny = 2')
    """
    try:
        parsed = tomllib.loads(f"value = {text.strip()}")
    except (tomllib.TOMLDecodeError, RecursionError):
        return text
    value = parsed.get("value")
    return value if set(parsed) == {"value"} and isinstance(value, bool | int | float | list | dict) else text
