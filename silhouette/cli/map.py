"""The command line, maps: parsing and printing of ``silhouette map``, and the file that a map becomes.

The ending of the file says its format: JSON, a table as CSV, or a picture.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import RenderableType

from silhouette.batches.export import cell
from silhouette.cli.options import (
    AsJson,
    Device,
    ErrorSize,
    ExitStatus,
    Language,
    NoCache,
    PixelSize,
    Quiet,
    RendererName,
    SceneFile,
    StyleName,
    Tried,
    Workers,
    tried,
)
from silhouette.cli.scene_job import mesh_cache
from silhouette.cli.tables import headed_table, plain_line
from silhouette.cli.terminal import show
from silhouette.cli.waiting import Waiting
from silhouette.doubt.maps import Map, MapRequest
from silhouette.drawing.maps import MapLook, write_map_picture
from silhouette.errors import FileError, RequestError
from silhouette.files.writing import check_place, write_file
from silhouette.geometry import INCH
from silhouette.judging import check_numbers, content_with, load_scene, mapped
from silhouette.renderers import choose
from silhouette.text import coordinates, json_text
from silhouette.workers import cores

# ---- files

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


def map_csv(drawn: Map) -> str:
    """A row for each place, with a column for the verdict and one for the obscured share of each other model."""
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
    return json_text(value)


# ---- the command

Moved = Annotated[str, typer.Option("--move", metavar="NAME", help="The model that is moved over the table.")]
Attackers = Annotated[
    list[str] | None,
    typer.Option("--from", metavar="NAME", help="Who looks at it; again for others.  [default: everyone but its gang]"),
]
Targets = Annotated[
    list[str] | None,
    typer.Option("--to", metavar="NAME", help="It looks: whom it looks at, facing each; again for others."),
]
Grid = Annotated[float, typer.Option("--grid", metavar="MM", help="Between two places.")]
Within = Annotated[
    float | None, typer.Option("--within", metavar="MM", help="Only places so near to where it stands, in plan.")
]
Under = Annotated[
    float | None, typer.Option("--under", metavar="MM", help="On the floor below that height.  [default: the highest]")
]
MapFile = Annotated[
    Path | None, typer.Option("--out", metavar="FILE", help="A picture, .png, .svg or .pdf; or .csv or .json.")
]
LayerName = Annotated[str, typer.Option("--layer", metavar="LAYER", help="Of the picture: verdict or seen-by.")]


def map_(
    scene: SceneFile,
    move: Moved,
    out: MapFile = None,
    attackers: Attackers = None,
    targets: Targets = None,
    grid: Grid = INCH,
    within: Within = None,
    under: Under = None,
    at: Tried = None,
    layer: LayerName = "verdict",
    style: StyleName = "print",
    language: Language = "en",
    as_json: AsJson = False,
    renderer: RendererName = "auto",
    device: Device = None,
    pixel: PixelSize = None,
    error: ErrorSize = None,
    workers: Workers = None,
    no_cache: NoCache = False,
    quiet: Quiet = False,
) -> int:
    """Show where a model could stand, and the verdict on it at each place of a grid.

    It is put on each place, on whatever is there, keeps its facing, and is judged as by silhouette check. With --to it
    looks, and faces what it looks at.
    """
    if out is None and not as_json:
        raise RequestError("a map needs a file; say --out FILE, such as --out map.png, or --json")
    if out is not None:
        check_map_path(out)
    look = MapLook.called(layer, style, language)
    request = MapRequest(move, tuple(attackers or ()), tuple(targets or ()), grid, within, under)
    with Waiting(f"mapping {scene}", quiet=quiet, rated=True, forking=True) as waiting:
        made = _made(
            scene,
            request,
            at=tried(at),
            renderer=(renderer, device),
            sizes=(pixel, error),
            workers=cores() if workers is None else workers,
            no_cache=no_cache,
            waiting=waiting,
        )
    if out is not None:
        with Waiting(f"writing {out}", quiet=quiet):
            write_map(made, out, look)
    if as_json:
        print(map_json(made), flush=True)
    else:
        show(*_told(made, quiet=quiet), *([] if out is None else [str(out)]))
    return ExitStatus.OK


def _made(
    scene: Path,
    request: MapRequest,
    *,
    at: Mapping[str, Sequence[float]],
    renderer: tuple[str, str | None],
    sizes: tuple[float | None, float | None],
    workers: int,
    no_cache: bool,
    waiting: Waiting,
) -> Map:
    """The map of a scene file; ``renderer`` is its name and device, ``sizes`` the pixel and the error."""
    check_numbers(*sizes)
    measuring = choose(*renderer)
    table = content_with(load_scene(scene, cache=mesh_cache(no_cache), at=at), sizes[1])
    return mapped(table, request, measuring, sizes[0], workers=workers, step=waiting.step)


def _told(made: Map, *, quiet: bool) -> list[RenderableType]:
    """How many places have each verdict, and the nearest one at least so well covered."""
    standing = int(made.cells.stands.sum())
    way = "sees" if made.request.role == "attacker" else "seen by"
    others = ", ".join(made.others)
    lines: list[RenderableType] = [plain_line(f"{made.request.move}, {way} {others}: {standing} places", "bold")]
    table = headed_table("verdict", "places", "marginal", *(["nearest, inches", "at"] if made.nearest else []))
    for number, verdict in enumerate(made.verdicts):
        here = made.verdict == number
        near = []
        if made.nearest:
            place, mm = made.nearest.get(verdict, (None, 0.0))
            near = ["", ""] if place is None else [f"{mm / INCH:.1f}", coordinates(made.cells.at[place])]
        counts = [str(int(here.sum())), str(int((here & made.marginal).sum()))]
        table.add_row(*map(plain_line, [verdict, *counts, *near]))
    lines.append(table)
    if not quiet and made.request.role == "target":
        lines.append(
            plain_line("Each verdict is that of the one who sees most; nearest: at least so well covered.", "dim")
        )
    return lines
