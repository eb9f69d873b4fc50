"""A map becomes a file, by its ending: JSON, a table as CSV, or a picture."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from silhouette.errors import FileError
from silhouette.files.writing import check_place, write_file

if TYPE_CHECKING:
    from silhouette.doubt.maps import Map
    from silhouette.drawing.maps import MapLook

PICTURES = (".png", ".svg", ".pdf")
ENDINGS = (*PICTURES, ".csv", ".json")


def check_map_path(path: Path) -> None:
    """Refuses a path that `write_map` could not write, before anything is judged.

    Raises:
        FileError: where the ending is not known, or no file can be written there.

    >>> check_map_path(Path("map.gif"))
    Traceback (most recent call last):
    ...
    silhouette.errors.FileError: map.gif: '.gif' is no known ending; a map is written to .png, .svg, .pdf, .csv or .json
    """
    if path.suffix.lower() not in ENDINGS:
        known = f"{', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}"
        raise FileError(path, f"'{path.suffix}' is no known ending; a map is written to {known}")
    check_place(path)


def write_map(drawn: Map, path: Path, look: MapLook) -> None:
    """Writes a map.

    Args:
        drawn: the map.
        path: of the file, whose ending says what it is.
        look: of a picture.

    Raises:
        FileError: where it cannot be written.
    """
    ending = path.suffix.lower()
    if ending == ".json":
        write_file(path, f"{map_json(drawn)}\n")
    elif ending == ".csv":
        write_file(path, map_csv(drawn))
    else:
        from silhouette.drawing.maps import write_map_picture

        write_map_picture(drawn, path, look)


def map_json(drawn: Map) -> str:
    """The document of a map, in ASCII; each place has a line of its own."""
    content = drawn.document()
    cells = ",\n  ".join(_line(cell) for cell in content.pop("cells"))
    nearest = content.pop("nearest", None)
    lines = [f" {json.dumps(key)}: {_line(value)}" for key, value in content.items()]
    lines.append(f' "cells": [\n  {cells}\n ]')
    if nearest is not None:
        lines.append(f' "nearest": {_line(nearest)}')
    return "{\n" + ",\n".join(lines) + "\n}"


def map_csv(drawn: Map) -> str:
    """A row for each place, with a column for the verdict and one for the obscured share of each other model."""
    from silhouette.batches.export import cell

    text = io.StringIO(newline="")
    writer = csv.writer(text)
    for row in _rows(drawn):
        writer.writerow([cell(value) for value in row])
    return text.getvalue()


def _rows(drawn: Map) -> Iterator[list[Any]]:
    others = drawn.others
    way = "to" if drawn.request.role == "attacker" else "from"
    named = [f"{what} {way} {name}" for name in others for what in ("verdict", "occluded")]
    yield ["x", "y", "z", "stands", "seen_by", "verdict", "marginal", "could_be", *named]
    for number in range(len(drawn.cells.at)):
        found = drawn.cell(number)
        each = [value for one in found["by"] for value in (one["verdict"], one["occluded"])] or [None] * len(named)
        keys = ("stands", "seen_by", "verdict", "marginal", "could_be")
        yield [*found["at"], *(found[key] for key in keys), *each]


def _line(value: Any) -> str:
    return json.dumps(value, allow_nan=False)
