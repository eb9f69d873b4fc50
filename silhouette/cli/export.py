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
from silhouette.exchange.gltf_export import write_glb
from silhouette.exchange.tts_export import write_saved_object
from silhouette.judging.loading import load_scene
from silhouette.text import did_you_mean

FORMATS = ("glb", "tts")
"""What a scene can be written as."""


def export(
    scene: SceneFile,
    to: Annotated[
        str,
        typer.Option("--to", metavar="FORMAT", help="glb: a glTF scene. tts: a saved object of Tabletop Simulator."),
    ],
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="It ends in .glb, or in .json for tts.")],
    as_json: AsJson = False,
    no_cache: NoCache = False,
    quiet: Quiet = False,
) -> int:
    """Write a scene as a table of another program: FILE, and for tts beside it a folder of the meshes that it names.

    glb is one file with all meshes, for Blender and others; silhouette import gives the scene back.
    """
    if to not in FORMATS:
        raise RequestError(f"no format '{to}'; {did_you_mean(to, FORMATS)}")
    cache = mesh_cache(no_cache)
    with Waiting(f"exporting {scene}", quiet=quiet or as_json):
        loaded = load_scene(scene, cache=cache)
        if to == "glb":
            count = write_glb(loaded, out)
        else:
            written = write_saved_object(loaded, out, cache)
    if to == "glb":
        if as_json:
            show_json({"file": str(out), "pieces": count})
        else:
            show(f"{out}: pieces: {count}")
    elif as_json:
        show_json({"file": str(written.file), "meshes": str(written.meshes), "pieces": written.pieces})
    else:
        show(f"{written.file}: pieces: {written.pieces}; their meshes are in {written.meshes}")
    return ExitStatus.OK
