"""PLACE: a first scene of Necromunda, with the user's own meshes in place of the stand-in figures."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import PurePath

from silhouette.files.reading import DOCUMENTS

APART = 9
"""Inches between the two lines in which the models stand: two more than the wall is away, room for a wide base."""

BESIDE = 4
"""Inches between two models of a line."""

GANGS = ("Orlock", "Escher")
"""The gang of the near line, and of the line opposite."""


def with_meshes(text: str, meshes: Sequence[str]) -> str:
    """The first scene with a fighter for each mesh, in two lines that look at each other.

    A single mesh has the second stand-in as its target.

    Args:
        text: the scene with two stand-in fighters, in blocks with an empty line between them.
        meshes: paths of meshes or model files as the scene names them, at least one.
    """
    blocks = text.rstrip("\n").split("\n\n")
    fighters = [number for number, block in enumerate(blocks) if block.startswith("[[fighter]]")]
    names = _names(meshes)
    made = [_fighter(number, name, mesh) for number, (name, mesh) in enumerate(zip(names, meshes, strict=True))]
    if len(meshes) == 1:
        made.append(blocks[fighters[1]])
        names.append("Vex" if names != ["Vex"] else "stand-in")
        made[1] = made[1].replace('"Vex"', json.dumps(names[1]))
    checks = [
        f"[[check]]\nattacker = {_quoted(one)}\ntarget = {_quoted(other)}" for one, other in (names[:2], names[1::-1])
    ]
    return "\n\n".join([*blocks[: fighters[0]], *made, *checks]) + "\n"


def _names(meshes: Sequence[str]) -> list[str]:
    """The names of the files without their endings; of equal ones the later ones have a number."""
    names = list[str]()
    for mesh in meshes:
        stem = PurePath(mesh).stem
        name, number = stem, 1
        while name in (*names, "wall"):
            number += 1
            name = f"{stem} {number}"
        names.append(name)
    return names


def _fighter(number: int, name: str, mesh: str) -> str:
    """One fighter's table: even numbers stand in the near line and look away, odd ones opposite; comments explain 0."""
    far, place = number % 2, number // 2
    across = BESIDE * ((place + 1) // 2) * (1 if place % 2 else -1)
    key = "model" if mesh.lower().endswith(DOCUMENTS) else "mesh"
    lines = [
        (f"name = {_quoted(name)}", "every piece has a unique name"),
        (f'gang = "{GANGS[far]}"', "models of one gang are friends"),
        (f"{key} = {_quoted(mesh)}", "seen from this folder"),
        (f"at = [{across}, {APART * far}]", "where the centre of its base stands"),
        (f"facing = {(90, 270)[far]}", "where it looks, degrees anticlockwise from x: 0 is right, 90 away from you"),
    ]
    return "\n".join(["[[fighter]]", *(f"{line:26}  # {what}" if number == 0 else line for line, what in lines)])


def _quoted(text: str) -> str:
    """A TOML string."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
