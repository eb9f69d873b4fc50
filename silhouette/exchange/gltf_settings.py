"""EXCHANGE: what the custom properties of a whole glTF scene say: units, what is up, and the keys of a table's scene.

The property ``silhouette`` of the scene holds all keys of a scene file but its pieces, as a table or as text in TOML:
``title``, ``rules``, ``check`` and more. `export` writes it.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any, Literal

from silhouette.errors import FileError
from silhouette.exchange.gltf_extras import MARK
from silhouette.exchange.imported import ImportedPiece
from silhouette.exchange.names import plain_name
from silhouette.files.documents import LARGEST_DOCUMENT
from silhouette.models.units import IN_WORDS, MILLIMETRES
from silhouette.text import as_written

UNITS = ("mm", "cm", "m", "inch")

PIECES = ("terrain", "fighter", "vehicle", "unit", "cover")
"""The keys of a scene file that hold pieces."""

LEAST_HEIGHT, GREATEST_HEIGHT, USUAL_HEIGHT = 8.0, 300.0, (15.0, 120.0)
"""mm: what no fighter's height is on a table, and what one's usually is."""


@dataclass(frozen=True)
class FileSettings:
    """What a file says of itself as a whole.

    Attributes:
        units: what one unit of it is.
        up: the axis that is up.
        title: for people; empty where it has none.
        keys: of a scene file, but for its pieces.
    """

    units: str = "m"
    up: Literal["y", "z"] = "y"
    title: str = ""
    keys: Mapping[str, Any] = field(default_factory=dict)


def settings_of(extras: Mapping[str, Any], path: Path) -> FileSettings:
    """The settings that the custom properties of a scene say.

    Raises:
        FileError: where they are none that can be.

    >>> settings_of({"units": "mm", "silhouette": "title = 'Ambush'"}, Path("a.glb"))
    FileSettings(units='mm', up='y', title='Ambush', keys={})
    """
    units, up = extras.get("units", "m"), extras.get("up", "y")
    if units not in UNITS:
        raise FileError(path, f"its scene says units = {as_written(units)}; it must be {_listed(UNITS)}")
    if up not in ("y", "z"):
        raise FileError(path, f'its scene says up = {as_written(up)}; it must be "y" or "z"')
    said = extras.get(MARK, {})
    if isinstance(said, str):
        if len(said) > LARGEST_DOCUMENT:
            raise FileError(path, f"the property {MARK} of its scene is a text of over {LARGEST_DOCUMENT} letters")
        try:
            said = tomllib.loads(said)
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            raise FileError(path, f"the property {MARK} of its scene is no TOML: {error}") from None
    if not isinstance(said, Mapping):
        raise FileError(path, f"its scene says {MARK} = {as_written(said)}; it must be a table, or text in TOML")
    for key in said:
        if key in (*PIECES, "units"):
            raise FileError(path, f"the property {MARK} of its scene has '{key}', which the nodes are to say")
    title = said.get("title", extras.get("title", ""))
    for key in ("check", "question"):
        if not all(isinstance(entry, Mapping) for entry in _list(said.get(key, []))):
            raise FileError(path, f"the property {MARK} of its scene has '{key}', which must be a list of tables")
    if not isinstance(said.get("source", {}), Mapping):
        raise FileError(path, f"the property {MARK} of its scene has 'source', which must be a table")
    keys = {key: json.loads(json.dumps(value, default=str)) for key, value in said.items() if key != "title"}
    return FileSettings(
        str(units), "z" if up == "z" else "y", plain_name(title) if isinstance(title, str) else "", keys
    )


def units_in_doubt(pieces: Sequence[ImportedPiece]) -> str:
    """A sentence where fighters are far from any size that one has on a table; else nothing."""
    heights = [
        float(piece.mesh.bounds[1, 2] - piece.mesh.bounds[0, 2]) * float(piece.keys.get("scale", 1.0))
        for piece in pieces
        if piece.kind == "fighter" and piece.mesh is not None
    ]
    if not heights or LEAST_HEIGHT <= median(heights) <= GREATEST_HEIGHT:
        return ""
    height = median(heights)
    fits = [
        units
        for units in UNITS
        if units != "m" and USUAL_HEIGHT[0] <= height * MILLIMETRES[units] / MILLIMETRES["m"] <= USUAL_HEIGHT[1]
    ]
    better = (
        f"; its numbers look like {IN_WORDS.get(fits[0], fits[0])}: import it with --units {fits[0]}" if fits else ""
    )
    return f"fighters are {height:.3g} mm tall, taken in metres as glTF has it{better}"


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _listed(words: Sequence[str]) -> str:
    quoted = [f'"{word}"' for word in words]
    return f"{', '.join(quoted[:-1])} or {quoted[-1]}"
