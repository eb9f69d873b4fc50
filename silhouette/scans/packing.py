"""KEEP: what was recognised in a scan as named arrays, for the cache folder, and back from them.

Values are dataclasses of `PACKABLE`, arrays, and what JSON has; a known model is written as its number among those that
were looked for. A text says how they lie in each other, and the arrays stand beside it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from silhouette.files.cache import Arrays
from silhouette.scans.bases import Disc
from silhouette.scans.classify import Blob, Pieces
from silhouette.scans.keep import Question
from silhouette.scans.level import Level
from silhouette.scans.match import Match
from silhouette.scans.models import Known
from silhouette.scans.read import Scan
from silhouette.scans.scale import Scale

PACKABLE: dict[str, type] = {kind.__name__: kind for kind in (Blob, Disc, Level, Match, Pieces, Question, Scale)}
"""What can be packed, besides arrays, tuples and plain values, by the names under which it is written."""

STRUCTURE = "structure"  # the array that has the text


@cache
def recognition_version() -> str:
    """A text that is another one whenever how scans are read changes: what was packed before then counts no longer."""
    hashed = hashlib.blake2b(digest_size=16)
    for file in sorted(Path(__file__).parent.glob("*.py")):
        hashed.update(file.read_bytes())
    return hashed.hexdigest()


def digest_of(scan: Scan) -> str:
    """A text that is the same for two scans of the same content, wherever they lie."""
    hashed = hashlib.blake2b(repr((scan.format, scan.up, scan.units)).encode(), digest_size=16)
    for array in (scan.vertices, scan.faces, scan.colours, scan.normals, scan.usable):
        hashed.update(b"none" if array is None else repr((array.shape, array.dtype.str)).encode())
        if array is not None:
            hashed.update(np.ascontiguousarray(array).data)
    return hashed.hexdigest()


def packed(value: Any, models: Sequence[Known]) -> Arrays:
    """A value as arrays; ``models`` are those that it may name.

    >>> arrays = packed((Disc((1.0, 2.0), 0.0, 3.0, 25.0, 0.1, 0.9), np.arange(2), None), ())
    >>> disc, numbers, nothing = unpacked(arrays, ())
    >>> disc.diameter, numbers.tolist(), nothing
    (25.0, [0, 1], None)
    """
    arrays: Arrays = {}
    numbers = {id(model): number for number, model in enumerate(models)}

    def written(item: Any) -> Any:
        if isinstance(item, Known):
            return {"model": numbers[id(item)]}
        if isinstance(item, np.ndarray):
            name = f"array {len(arrays)}"
            arrays[name] = item
            return {"array": name}
        if is_dataclass(item):
            parts = {each.name: written(getattr(item, each.name)) for each in fields(item)}
            return {"class": type(item).__name__, "fields": parts}
        if isinstance(item, tuple | list):
            return [written(each) for each in item]
        return item.item() if isinstance(item, np.generic) else item

    text = json.dumps(written(value)).encode()
    return {STRUCTURE: np.frombuffer(text, np.uint8), **arrays}


def unpacked(arrays: Arrays, models: Sequence[Known]) -> Any:
    """The value that was packed, with tuples where it had lists; the models are those of then, in the same order."""

    def read(item: Any) -> Any:
        match item:
            case list():
                return tuple(map(read, item))
            case {"model": number}:
                return models[number]
            case {"array": name}:
                return arrays[name]
            case {"class": name, "fields": parts}:
                return PACKABLE[name](**{key: read(part) for key, part in parts.items()})
        return item

    return read(json.loads(arrays[STRUCTURE].tobytes()))
