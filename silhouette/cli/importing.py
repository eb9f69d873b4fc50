"""The command line, tables from elsewhere: parsing and printing of ``silhouette import``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from silhouette.cli.options import AsJson, ExitStatus, NoCache, Quiet
from silhouette.cli.scene_job import mesh_cache
from silhouette.cli.terminal import show, show_json
from silhouette.cli.waiting import Waiting
from silhouette.errors import RequestError
from silhouette.exchange.folder import SCENE, WrittenTable, read_table, write_table
from silhouette.exchange.gltf_extras import UNITS
from silhouette.files.changing import check_folder
from silhouette.text import did_you_mean


def import_(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A Tabletop Simulator save, .json, or a glTF scene, .glb or .gltf.")
    ],
    out: Annotated[Path, typer.Option("--out", metavar="FOLDER", help="For the scene; made where it is not there.")],
    meshes: Annotated[
        Path | None,
        typer.Option("--meshes", metavar="FOLDER", help="Where the game keeps its meshes: its Mods/Models."),
    ] = None,
    stand_ins: Annotated[
        bool,
        typer.Option("--stand-ins", help="Put a stand-in for a fighter without a mesh whose base is known."),
    ] = False,
    units: Annotated[
        str | None,
        typer.Option(
            "--units", metavar="UNIT", help="What one unit of a glTF scene is: mm, cm, m (the default) or inch."
        ),
    ] = None,
    as_json: AsJson = False,
    no_cache: NoCache = False,
    quiet: Quiet = False,
) -> int:
    """Make a scene of a table of Tabletop Simulator, or of a glTF scene, such as Blender exports.

    It is FOLDER/scene.toml, with its meshes. Every object is placed, or listed with the reason why it is not. Nothing
    is fetched: meshes are those in the glTF scene, or those that the game has kept in --meshes. In glTF, pieces are
    objects with the custom property silhouette = "fighter", "vehicle" or "terrain".
    """
    if units is not None and units not in UNITS:
        raise RequestError(f"no unit '{units}'; {did_you_mean(units, UNITS)}")
    check_folder(out, [file, *([] if meshes is None else [meshes])])
    cache = mesh_cache(no_cache)
    with Waiting(f"importing {file}", quiet=quiet or as_json, forking=True):
        table = read_table(file, meshes, cache, stand_ins=stand_ins, units=units)
        written = write_table(table, out, cache)
    if as_json:
        show_json(written.record())
    else:
        _tell(written, out, quiet=quiet)
    return ExitStatus.OK


def _tell(written: WrittenTable, out: Path, *, quiet: bool) -> None:
    """Prints what stands in the scene, and what was left out."""
    kinds = [one.piece.kind for one in written.pieces]
    counts = ", ".join(f"{kinds.count(kind)} {kind}" for kind in ("fighter", "vehicle", "terrain") if kind in kinds)
    show(f"{out / SCENE}: {counts or 'no piece at all'}; {len(written.left_out)} left out")
    if quiet:
        return
    show(*(f"left out: {one.name}: {one.why}" for one in written.left_out))
    show(*(f"warning: {warning}" for warning in written.warnings))
