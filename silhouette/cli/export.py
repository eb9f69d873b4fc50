"""The command line, tables for other programs: parsing and printing of ``silhouette export``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from silhouette.cli.options import AsJson, ExitStatus, NoCache, Quiet, SceneFile
from silhouette.cli.scene_job import mesh_cache
from silhouette.cli.terminal import show, show_json
from silhouette.cli.waiting import Waiting
from silhouette.errors import RequestError

FORMATS = ("tts",)
"""What a scene can be written as."""


def export(
    scene: SceneFile,
    to: Annotated[str, typer.Option("--to", metavar="FORMAT", help="tts: a saved object of Tabletop Simulator.")],
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="It ends in .json.")],
    as_json: AsJson = False,
    no_cache: NoCache = False,
    quiet: Quiet = False,
) -> int:
    """Write a scene as a table of another program: FILE, and beside it a folder of the meshes that it names."""
    from silhouette.exchange.tts_export import write_saved_object
    from silhouette.judging.loading import load_scene
    from silhouette.text import did_you_mean

    if to not in FORMATS:
        raise RequestError(f"no format '{to}'; {did_you_mean(to, FORMATS)}")
    cache = mesh_cache(no_cache)
    with Waiting(f"exporting {scene}", quiet=quiet or as_json):
        written = write_saved_object(load_scene(scene, cache=cache), out, cache)
    if as_json:
        show_json({"file": str(written.file), "meshes": str(written.meshes), "pieces": written.pieces})
    else:
        show(f"{written.file}: pieces: {written.pieces}; their meshes are in {written.meshes}")
    return ExitStatus.OK
