"""The command line, a first scene: ``silhouette new``."""

from __future__ import annotations

import os
from pathlib import Path

from silhouette.cli.commands import NewOptions
from silhouette.cli.options import ExitStatus
from silhouette.cli.schema import schema_of
from silhouette.cli.terminal import show_result
from silhouette.cli.waiting import Waiting
from silhouette.common.errors import FileError
from silhouette.common.text import json_text
from silhouette.files.cache import Cache
from silhouette.files.fingerprints import MESH_ENDINGS
from silhouette.files.reading import DOCUMENTS
from silhouette.files.writing import make_folder, write_file
from silhouette.models.inspection import doubts, model_at
from silhouette.rules import DEFAULT_GAME, is_game_file, rule_named
from silhouette.rules.abilities import first_scene_of

FIRST_SCENE_FILE, SCENE_SCHEMA_FILE = "scene.toml", ".scene.schema.json"
"""The files that are written; the schema is hidden, so that a folder of scenes has no other file in it."""

SCHEMA_LINE = f"#:schema ./{SCENE_SCHEMA_FILE}"
"""The line by which an editor finds the schema, and then completes and checks keys."""


def new(given: NewOptions) -> int:
    """Writes a first scene."""
    folder, scene = given.folder, given.folder / FIRST_SCENE_FILE
    rules = DEFAULT_GAME if given.rules is None else given.rules
    rule = rule_named(rules, _seen_from(folder, Path(rules)) if is_game_file(rules) else None)
    if folder.suffix.lower() in (*DOCUMENTS, *MESH_ENDINGS):
        raise FileError(folder, "is the name of a file; give that of a folder first, such as: silhouette new duel")
    for name in (FIRST_SCENE_FILE, SCENE_SCHEMA_FILE):
        if os.path.lexists(folder / name):
            raise FileError(folder / name, "is there already and is not overwritten; give another folder")
    meshes = given.meshes or ()
    warnings: dict[str, None] = {}
    with Waiting(f"making {scene}", quiet=False) as waiting:
        for number, mesh in enumerate(meshes):
            waiting.step(number, len(meshes))
            warnings |= dict.fromkeys(doubts(model_at(mesh, {}, Cache.default())))
    text = f"{SCHEMA_LINE}\n\n{first_scene_of(rule, [_seen_from(folder, mesh) for mesh in meshes])}"
    make_folder(folder)
    write_file(folder / SCENE_SCHEMA_FILE, (json_text(schema_of("scene"), indent=1) + "\n").encode())
    write_file(scene, text.encode())
    answer = {
        "scene": str(scene),
        "editor_schema": str(folder / SCENE_SCHEMA_FILE),
        "rules": rules,
        "warnings": list(warnings),
    }
    typed = f'"{scene}"' if " " in str(scene) else scene
    last = f"{scene}: a first scene to edit; judge it with: silhouette check {typed}"
    show_result(answer, *(f"warning: {warning}" for warning in warnings), last, as_json=given.as_json)
    return ExitStatus.OK


def _seen_from(folder: Path, mesh: Path) -> str:
    """A mesh's path as a scene in a folder names it, with / on every system; absolute where it is on another disk."""
    try:
        seen = os.path.relpath(mesh.absolute(), folder.absolute())
    except ValueError:
        seen = str(mesh.absolute())
    return Path(seen).as_posix()
