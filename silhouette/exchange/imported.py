"""EXCHANGE: what a reader of another program's tables gives, whatever the program: pieces, and what was left out.

file of another program -> ImportedTable -> FOLDER/scene.toml, FOLDER/meshes

Names of objects as other programs have them become names that a scene and files may have.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from silhouette.meshes.mesh import Mesh
from silhouette.models.entries import Kind

MAX_NAME_LETTERS = 80
"""Letters of a name."""

_COLOURS = re.compile(r"\[(?:[0-9a-fA-F]{6}|-|/?[bius]|/?su[bp])\]")
"""Marks of colour and style in names of Tabletop Simulator."""


def plain_name(name: str) -> str:
    """A name in one line that can be shown anywhere, without marks of colour and style; empty where nothing is left.

    >>> plain_name("[ff0000]Kal[-]\\n the  [b]Red[/b]"), plain_name("\\ud800\\x07")
    ('Kal the Red', '')
    """
    text = _COLOURS.sub("", name[: 20 * MAX_NAME_LETTERS])
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())[
        :MAX_NAME_LETTERS
    ].strip()


class UniqueNames:
    """Names that are given once each: a second "Kal" is called "Kal 2".

    >>> names = UniqueNames()
    >>> names.of("Kal"), names.of("Kal 2"), names.of("Kal"), names.of("Kal")
    ('Kal', 'Kal 2', 'Kal 3', 'Kal 4')
    """

    def __init__(self) -> None:
        self._given: set[str] = set()
        self._count: dict[str, int] = {}

    def of(self, name: str) -> str:
        """The name itself, or with the next number that is free."""
        unique = name
        while unique in self._given:
            number = self._count.get(name, 1) + 1
            self._count[name] = number
            unique = f"{name} {number}"
        self._given.add(unique)
        return unique


def file_stem(name: str) -> str:
    """A name for a file without its ending, of letters and digits of ASCII.

    >>> file_stem("Kal / 2"), file_stem("..."), file_stem("CON")
    ('kal_2', 'piece', 'con_')
    """
    stem = re.sub(r"[^a-z0-9-]+", "_", name.lower()).strip("_")[:60] or "piece"
    return f"{stem}_" if re.fullmatch(r"con|prn|aux|nul|com\d|lpt\d", stem) else stem


@dataclass(frozen=True, eq=False)
class ImportedPiece:
    """A piece of a table from elsewhere, in the scene's frame: mm, z up.

    Exactly one of ``file``, ``mesh`` and the key ``figure`` says what it looks like.

    Attributes:
        name: its name, unique in the table.
        kind: fighter, vehicle or terrain.
        at: (x, y, z) mm, where the origin of its mesh file, or of its mesh, comes to stand.
        turn: degrees anticlockwise from how it lies in its file, once z is up.
        facing: the direction in which it looks, degrees anticlockwise from +x; "unknown"; or None of terrain.
        gang: the gang that it belongs to, or None.
        file: the mesh file that it keeps.
        mesh: a mesh of its own in mm, z up, about its origin: one that is tilted, mirrored or unevenly scaled, has
            parts from several files, or is one of many in a file.
        keys: further keys of its table in the scene: ``units``, ``up`` and ``scale`` of a file, or ``figure``.
        shared: whether ``mesh`` stands as it lies in its file, so that ``turn`` and ``scale`` place it.
    """

    name: str
    kind: Kind
    at: tuple[float, float, float]
    turn: float = 0.0
    facing: float | Literal["unknown"] | None = None
    gang: str | None = None
    file: Path | None = None
    mesh: Mesh | None = None
    keys: Mapping[str, Any] = field(default_factory=dict)
    shared: bool = False

    @property
    def baked(self) -> bool:
        """Whether it has a mesh of its own, in which its pose is contained but for its place."""
        return self.mesh is not None and not self.shared


@dataclass(frozen=True)
class LeftOut:
    """An object that is not in the scene.

    Attributes:
        name: of the object.
        why: the reason, in words.
    """

    name: str
    why: str


@dataclass(frozen=True, eq=False)
class ImportedTable:
    """A table from elsewhere.

    Attributes:
        title: for people.
        program: that it was made with.
        file: that it was read from.
        pieces: those that can stand in a scene.
        left_out: all other objects.
        addresses: where the program has a mesh file from, by the file.
        keys: those of the whole scene, such as ``rules`` and ``check``; without any, the scene asks nothing.
        warnings: sentences about what may be otherwise than its maker thinks.
        has_its_table: whether the table's top is in the file, where there is one.
    """

    title: str
    program: str
    file: Path
    pieces: tuple[ImportedPiece, ...]
    left_out: tuple[LeftOut, ...]
    addresses: Mapping[Path, str] = field(default_factory=dict)
    keys: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    has_its_table: bool = False
