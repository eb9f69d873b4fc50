"""JUDGE: the Ikosa Framework as a rule system: how its scenes are read, judged and shown."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from silhouette.errors import RequestError
from silhouette.files.cache import Cache
from silhouette.models.entries import ArcName
from silhouette.rules.abilities import HasDescription, HasFirstScene
from silhouette.rules.base import Pieces, Rule, Settings
from silhouette.rules.expectations import check_expectations
from silhouette.rules.ikosa.entries import CellSceneEntry, Readings
from silhouette.rules.ikosa.judge import ruling
from silhouette.rules.ikosa.phrases import PHRASES, short_reason
from silhouette.rules.ikosa.results import LEVELS, NAME, VERDICTS, IkosaVerdict
from silhouette.rules.ikosa.scene import CellScene, Creature, load_cell_scene
from silhouette.scenes.scene import Check, between, everyone
from silhouette.text import coordinates

LOOKERS = "creatures"
"""The plural by which messages call the pieces that look and are looked at."""


class Ikosa(
    Rule[CellScene, IkosaVerdict],
    HasDescription[CellScene],
    HasFirstScene,
):
    """The Ikosa Framework's rules for cover; see `silhouette.rules.base.Rule`."""

    name = NAME
    title = "Ikosa Framework"
    reads = ("solid_cells", "boxes", "creature", "check")
    example = "scenes/ikosa/down_from_a_block.toml"
    scene_entry = CellSceneEntry
    readings_entry = Readings
    verdict_type = IkosaVerdict
    phrases = PHRASES
    levels = LEVELS

    def load(self, path: Path, document: dict[str, Any], cache: Cache) -> CellScene:
        """The scene of cells that a document describes.

        Raises:
            FileError: where the scene is not valid, or expects a result that no check has.
        """
        scene = load_cell_scene(path, document)
        check_expectations(path, scene.checks, IkosaVerdict.fields, {"verdict": VERDICTS})
        return scene

    def everyone(self, scene: CellScene) -> tuple[Check, ...]:
        """The checks of every creature against every other."""
        return everyone(scene.path, _names(scene), LOOKERS)

    def between(self, scene: CellScene, attacker: str, target: str | None, arc: ArcName | None) -> tuple[Check, ...]:
        """The check of a creature against a target, or, without one, against every other creature."""
        if arc is not None:
            raise RequestError(f"{scene.path}: creatures in cells have no vision arcs; ask without an arc")
        return between(scene.path, _names(scene), LOOKERS, attacker, target)

    short_reason = staticmethod(short_reason)

    def judge(self, requests: Sequence[tuple[CellScene, Check]], settings: Settings) -> list[IkosaVerdict]:
        """The rulings on checks, in their order; nothing is measured, so that no setting matters."""
        return [ruling(scene, check) for scene, check in requests]

    def basis(self, scene: CellScene) -> list[tuple[str, str]]:
        """How creatures attack."""
        return [("mode", scene.mode)]

    def pieces(self, scene: CellScene) -> Pieces:
        """Creatures, then solid cells and boxes, with their places."""
        rows = [_creature_row(creature) for creature in scene.creatures]
        whole = len(scene.solid_cells)
        for number, (low, high) in enumerate(scene.solids.boxes, 1):
            name = "solid cell" if number <= whole else f"box {number - whole}"
            rows.append((name, "solid", f"{coordinates(low)} to {coordinates(high)}", ""))
        return Pieces(("name", "kind", "where", "how"), rows)


IKOSA = Ikosa()


def _names(scene: CellScene) -> list[str]:
    return [creature.name for creature in scene.creatures]


def _creature_row(creature: Creature) -> tuple[str, ...]:
    cells = " ".join(f"[{', '.join(map(str, cell))}]" for cell in creature.cells)
    gravity = f"{'+' if creature.gravity.high else '-'}{'xyz'[creature.gravity.axis]}"
    return creature.name, "creature", cells, f"gravity {gravity}{', flying' if creature.flying else ''}"
