"""The command line, maps: ``silhouette map``, and the file that a map becomes, by its ending JSON, CSV or a picture."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.console import RenderableType

from silhouette.batches.export import cell
from silhouette.cli.commands import MapOptions
from silhouette.cli.options import ExitStatus
from silhouette.cli.scene_job import cache_of, places_of, processes_of, renderer_of
from silhouette.cli.tables import headed_table, plain_line
from silhouette.cli.terminal import show
from silhouette.cli.waiting import Waiting
from silhouette.common.errors import FileError, RequestError
from silhouette.common.geometry import INCH
from silhouette.common.text import coordinates, json_text
from silhouette.drawing.maps import MapLook, write_map_picture
from silhouette.files.writing import check_place, write_file
from silhouette.judging import check_numbers, content_with, load_scene, mapped
from silhouette.judging.maps import Map, MapRequest

# ---- files

MAP_PICTURE_ENDINGS = (".png", ".svg", ".pdf")
ENDINGS = (*MAP_PICTURE_ENDINGS, ".csv", ".json")


def check_map_path(path: Path) -> None:
    """Refuses a path that `write_map` could not write, before anything is judged.

    >>> check_map_path(Path("map.gif"))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    silhouette.common.errors.FileError: map.gif: '.gif' is no known ending; a map is written to ...
    """
    if path.suffix.lower() not in ENDINGS:
        endings = f"{', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}"
        raise FileError(path, f"'{path.suffix}' is no known ending; a map is written to {endings}")
    check_place(path)


def write_map(drawn: Map, path: Path, look: MapLook) -> None:
    """Writes a map to a file, whose ending says what it is; FileError where it cannot be written."""
    ending = path.suffix.lower()
    if ending == ".json":
        write_file(path, f"{map_json(drawn)}\n")
    elif ending == ".csv":
        text = io.StringIO(newline="")
        csv.writer(text).writerows([cell(value) for value in row] for row in _rows(drawn))
        write_file(path, text.getvalue())
    else:
        write_map_picture(drawn, path, look)


def map_json(drawn: Map) -> str:
    """The document of a map, in ASCII; each place has a line of its own."""
    content = drawn.document()
    cells = ",\n  ".join(_line(cell) for cell in content.pop("cells"))
    nearest = content.pop("nearest", None)
    lines = [f" {json_text(key)}: {_line(value)}" for key, value in content.items()]
    lines.append(f' "cells": [\n  {cells}\n ]')
    if nearest is not None:
        lines.append(f' "nearest": {_line(nearest)}')
    return "{\n" + ",\n".join(lines) + "\n}"


def _rows(drawn: Map) -> Iterator[list[Any]]:
    others = drawn.others
    way = "to" if drawn.request.role == "attacker" else "from"
    named = [f"{what} {way} {name}" for name in others for what in ("verdict", "occluded")]
    yield ["x", "y", "z", "stands", "seen_by", "verdict", "marginal", "could_be", *named]
    for number in range(len(drawn.cells.at)):
        cell_row = drawn.cell(number)
        each = [value for row in cell_row["by"] for value in (row["verdict"], row["occluded"])] or [None] * len(named)
        keys = ("stands", "seen_by", "verdict", "marginal", "could_be")
        yield [*cell_row["at"], *(cell_row[key] for key in keys), *each]


def _line(value: Any) -> str:
    return json_text(value)


# ---- the command


def map_(given: MapOptions) -> int:
    """Judges a model at each place, and writes the map."""
    if given.out is None and not given.as_json:
        raise RequestError("a map needs a file; say --out FILE, such as --out map.png, or --json")
    if given.out is not None:
        check_map_path(given.out)
    look = MapLook.called(given.layer, given.style, given.language)
    attackers, targets = tuple(given.attackers or ()), tuple(given.targets or ())
    request = MapRequest(given.move, attackers, targets, given.grid, given.within, given.under)
    with Waiting(f"mapping {given.scene}", quiet=given.quiet, rated=True, forking=True) as waiting:
        check_numbers(given.pixel, given.error)
        renderer, places = renderer_of(given), places_of(given)
        scene = content_with(load_scene(given.scene, cache=cache_of(given), at=places), given.error)
        drawn = mapped(scene, request, renderer, given.pixel, workers=processes_of(given), step=waiting.step)
    if given.out is not None:
        with Waiting(f"writing {given.out}", quiet=given.quiet):
            write_map(drawn, given.out, look)
    if given.as_json:
        print(map_json(drawn), flush=True)
    else:
        show(*map_report(drawn, quiet=given.quiet), *([] if given.out is None else [str(given.out)]))
    return ExitStatus.OK


def map_report(drawn: Map, *, quiet: bool) -> list[RenderableType]:
    """How many places have each verdict, and the nearest one at least so well covered."""
    standing = int(drawn.cells.stands.sum())
    way = "sees" if drawn.request.role == "attacker" else "seen by"
    others = ", ".join(drawn.others)
    lines: list[RenderableType] = [plain_line(f"{drawn.request.move}, {way} {others}: {standing} places", "bold")]
    table = headed_table("verdict", "places", "marginal", *(["nearest, inches", "at"] if drawn.nearest else []))
    for number, verdict in enumerate(drawn.verdicts):
        here = drawn.verdict == number
        near = list[str]()
        if drawn.nearest:
            place, mm = drawn.nearest.get(verdict, (None, 0.0))
            near = ["", ""] if place is None else [f"{mm / INCH:.1f}", coordinates(drawn.cells.at[place])]
        counts = [str(int(here.sum())), str(int((here & drawn.marginal).sum()))]
        table.add_row(verdict, *counts, *near)
    lines.append(table)
    if not quiet and drawn.request.role == "target":
        lines.append(
            plain_line("Each verdict is that of the one who sees most; nearest: at least so well covered.", "dim")
        )
    return lines
