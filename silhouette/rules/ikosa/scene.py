"""PLACE: an Ikosa scene file becomes a CellScene: creatures in their cells among solids, and its checks.

document -> entries checked by the schema -> creatures and one union of solids -> CellScene
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from silhouette.errors import RequestError
from silhouette.files.schema import Location, validated
from silhouette.rules.ikosa.cell_lines import Box, Cell, Face, Point, Solids, holds
from silhouette.rules.ikosa.entries import (
    CellCheckEntry,
    CellSceneEntry,
    CreatureEntry,
    Mode,
    Readings,
    first_repeated,
    in_words,
)
from silhouette.scenes.scene import Check, Scene, similar_names
from silhouette.text import did_you_mean

MAX_CELL_PAIRS = 100_000
"""Pairs of a cell that attacks and one that is attacked, of all checks of a scene together: some 10 s of CPU."""


@dataclass(frozen=True)
class Creature:
    """A creature in the grid.

    Attributes:
        name: its name, unique in the scene.
        cells: the cells that it fills, sorted; at least one.
        gravity: the face of each of its cells towards which it falls.
        flying: whether it stays up without support.
    """

    name: str
    cells: tuple[Cell, ...]
    gravity: Face
    flying: bool


@dataclass(frozen=True)
class CellCheck(Check):
    """A check that may say from which point a ranged attack comes; None is the best corner."""

    source_point: Point | None = None


@dataclass(frozen=True, eq=False)
class CellScene(Scene):
    """Creatures among solid cells and boxes.

    Attributes:
        readings: which of the possible readings of the rules is taken.
        mode: how creatures attack: in melee or at range.
        creatures: the creatures, in the order of the file.
        solid_cells: whole cells of terrain, each once.
        solids: all terrain as one: the solid cells, then the boxes of the file.
    """

    readings: Readings
    mode: Mode
    creatures: tuple[Creature, ...]
    solid_cells: tuple[Cell, ...]
    solids: Solids

    def creature(self, name: str) -> Creature:
        """The creature of a name.

        Raises:
            RequestError: where no creature has that name.
        """
        for creature in self.creatures:
            if creature.name == name:
                return creature
        names = [creature.name for creature in self.creatures]
        raise RequestError(f"{self.path}: nothing is called '{name}'; {did_you_mean(name, names)}")


def load_cell_scene(path: Path, document: Mapping[str, Any]) -> CellScene:
    """The scene of cells that a document describes.

    Raises:
        FileError: where it does not describe one; one line, with the place.
    """
    entry = validated(CellSceneEntry, document, Location(path))
    readings = validated(Readings, entry.readings, Location(path, "readings"))
    creatures = _creatures(path, entry.creature)
    checks = tuple(
        _check(Location(path, f"check {number}"), check, entry.mode, creatures)
        for number, check in enumerate(entry.check, 1)
    )
    pairs = sum(len(creatures[check.attacker].cells) * len(creatures[check.target].cells) for check in checks)
    if pairs > MAX_CELL_PAIRS:
        raise Location(path).error(
            f"its {len(checks):,} checks look from cell to cell {pairs:,} times; {MAX_CELL_PAIRS:,} are the most: give "
            "creatures fewer cells, or ask less at once"
        )
    cells = tuple(dict.fromkeys(entry.solid_cells))
    return CellScene(
        path=path,
        title=entry.title,
        rules=entry.rules,
        checks=checks,
        readings=readings,
        pixel=None,
        source=dict(entry.source),
        warnings=_warnings(entry, creatures, checks),
        mode=entry.mode,
        creatures=tuple(creatures.values()),
        solid_cells=cells,
        solids=Solids([*map(Box.of_cell, cells), *entry.boxes]),
    )


def _creatures(path: Path, entries: Sequence[CreatureEntry]) -> dict[str, Creature]:
    by_name: dict[str, Creature] = {}
    for entry in entries:
        if entry.name in by_name:
            raise Location(path).error(f"two creatures are called '{entry.name}'; give each a different name")
        gravity = Face("xyz".index(entry.gravity[1]), entry.gravity[0] == "+")
        by_name[entry.name] = Creature(entry.name, tuple(sorted(entry.cells)), gravity, entry.flying)
    return by_name


def _check(location: Location, entry: CellCheckEntry, mode: Mode, creatures: dict[str, Creature]) -> CellCheck:
    for role, name in (("attacker", entry.attacker), ("target", entry.target)):
        if name not in creatures:
            raise location.error(f"{role} '{name}' is no creature of this scene; {did_you_mean(name, creatures)}")
    if entry.attacker == entry.target:
        raise location.error(f"'{entry.attacker}' would check itself; name another creature as target")
    if mode == "melee" and entry.source_point is not None:
        raise location.error('source_point is a point, which goes with mode = "ranged"; leave it out')
    return CellCheck(entry.attacker, entry.target, expect=entry.expect, source_point=entry.source_point)


def _warnings(entry: CellSceneEntry, creatures: dict[str, Creature], checks: Sequence[CellCheck]) -> tuple[str, ...]:
    """The warnings: each names something that is allowed, but is probably a mistake."""
    warnings = [text for _, text in similar_names(creatures)]
    twice = first_repeated(entry.solid_cells)
    if twice is not None:
        warnings.append(f"solid_cells: {in_words(twice)} stands there twice")
    solid = set(entry.solid_cells)
    for creature in creatures.values():
        warnings += [
            f"{creature.name} stands in the solid cell {in_words(cell)}" for cell in creature.cells if cell in solid
        ]
    for number, check in enumerate(checks, 1):
        point = check.source_point
        if point is not None and not any(holds(cell, point) for cell in creatures[check.attacker].cells):
            warnings.append(f"check {number}: source_point {in_words(point)} is no point of {check.attacker}")
    return tuple(warnings)
