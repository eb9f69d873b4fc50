"""The command line, a first scene: parsing and printing of ``silhouette new``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from silhouette.cli.completion import complete_rules
from silhouette.cli.games import is_game_file, rule_named
from silhouette.cli.options import AsJson, ExitStatus
from silhouette.cli.scene_job import mesh_cache
from silhouette.cli.schema import schema_of
from silhouette.cli.terminal import show, show_json
from silhouette.cli.waiting import Waiting
from silhouette.errors import FileError
from silhouette.files.fingerprints import MESHES
from silhouette.files.reading import DOCUMENTS
from silhouette.files.writing import make_folder, write_file
from silhouette.models.inspection import doubts, model_at
from silhouette.rules import FIRST
from silhouette.rules.abilities import first_scene_of
from silhouette.text import json_text

SCENE, SCHEMA = "scene.toml", ".scene.schema.json"
"""The files that are written; the schema is hidden, so that a folder of scenes has no other file in it."""


SCHEMA_LINE = f"#:schema ./{SCHEMA}"
"""The line by which an editor finds the schema, and then completes and checks keys."""


def new(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="For the scene; made where it is not there.")],
    meshes: Annotated[
        list[Path] | None, typer.Argument(metavar="[MESH]...", help="Your miniatures, in place of stand-in figures.")
    ] = None,
    rules: Annotated[
        str | None,
        typer.Option(
            "--rules", metavar="GAME", help="See silhouette rules; or a game file.", autocompletion=complete_rules
        ),
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Write a first scene to edit, FOLDER/scene.toml, with a comment on every key. Nothing is overwritten."""

    rules = FIRST if rules is None else rules
    rule = rule_named(rules, _seen_from(folder, Path(rules)) if is_game_file(rules) else None)
    if folder.suffix.lower() in (*DOCUMENTS, *MESHES):
        raise FileError(folder, "is the name of a file; give that of a folder first, such as: silhouette new duel")
    for name in (SCENE, SCHEMA):
        if (folder / name).exists() or (folder / name).is_symlink():
            raise FileError(folder / name, "is there already and is not overwritten; give another folder")
    warnings = list[str]()
    with Waiting(f"making {folder / SCENE}", quiet=False) as waiting:
        for number, mesh in enumerate(meshes or ()):
            waiting.step(number, len(meshes or ()))
            warnings += doubts(model_at(mesh, {}, mesh_cache(False)))
    warnings = list(dict.fromkeys(warnings))
    named = [_seen_from(folder, mesh) for mesh in meshes or ()]
    text = f"{SCHEMA_LINE}\n\n{first_scene_of(rule, named)}"
    make_folder(folder)
    write_file(folder / SCHEMA, (json_text(schema_of("scene"), indent=1) + "\n").encode())
    write_file(folder / SCENE, text.encode())
    if as_json:
        answer = {"scene": str(folder / SCENE), "editor_schema": str(folder / SCHEMA), "rules": rules}
        show_json({**answer, "warnings": warnings})
    else:
        show(*(f"warning: {warning}" for warning in warnings))
        show(f"{folder / SCENE}: a first scene to edit; judge it with: silhouette check {_typed(folder / SCENE)}")
    return ExitStatus.OK


def _seen_from(folder: Path, mesh: Path) -> str:
    """A mesh's path as a scene in a folder names it, with / on every system; absolute where it is on another disk."""
    try:
        seen = os.path.relpath(mesh.absolute(), folder.absolute())
    except ValueError:
        seen = str(mesh.absolute())
    return Path(seen).as_posix()


def _typed(path: Path) -> str:
    """A path as a shell takes it."""
    return f'"{path}"' if " " in str(path) else str(path)
