"""JUDGE: SkirmishCorps as a rule system: how its scenes are read, judged and shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from silhouette.errors import RequestError
from silhouette.files.cache import Cache
from silhouette.geometry import Floats
from silhouette.meshes.mesh import Mesh
from silhouette.models.entries import ArcName
from silhouette.renderers.protocol import Renderer
from silhouette.rules.base import Figure, Pieces, Rule, Scale, Settings
from silhouette.rules.one_way import by_eyes, one_way_words
from silhouette.rules.otherwise import Movers
from silhouette.rules.skirmishcorps.entries import ASKS, Readings, SkirmishEntry
from silhouette.rules.skirmishcorps.height_bands import draw_height_bands
from silhouette.rules.skirmishcorps.judge import judge
from silhouette.rules.skirmishcorps.moving import moved_scene, places_of, scene_without
from silhouette.rules.skirmishcorps.phrases import PHRASES
from silhouette.rules.skirmishcorps.results import LEVELS, NAME, SkirmishCorpsRow, SkirmishCorpsVerdict
from silhouette.rules.skirmishcorps.scene import SkirmishCheck, SkirmishScene, load_scene
from silhouette.rules.table import places_of_attacker, table_basis, table_meshes, table_pieces
from silhouette.scenes.motion import Mobility
from silhouette.scenes.places import Elsewhere, Move, TablePlaces
from silhouette.scenes.scene import Check, between, everyone
from silhouette.scenes.table import Occluders

if TYPE_CHECKING:
    from silhouette.drawing.in_3d.stage import Stage

LOOKERS = "units"
"""The plural by which messages call the pieces that look and are looked at."""


class SkirmishCorps(Rule[SkirmishScene, SkirmishCorpsVerdict]):
    """SkirmishCorps' rules for cover; see `silhouette.rules.base.Rule`."""

    name = NAME
    title = "SkirmishCorps"
    reads = ("unit", "cover", "terrain", "check")
    example = "scenes/skirmishcorps/elevation.toml"
    scene_entry = SkirmishEntry
    readings_entry = Readings
    check_entries = ASKS
    row_type = SkirmishCorpsRow
    phrases = PHRASES
    levels = LEVELS
    naming = ("protected_by", "in_contact_with", "blockers")
    mobility = Mobility(walkers=("unit",), ask="protection")

    def load(self, path: Path, document: dict[str, Any], cache: Cache) -> SkirmishScene:
        """The table scene that a document describes.

        Raises:
            FileError: where the scene is not valid, or expects a result that no check has.
        """
        return load_scene(path, document, cache)

    def everyone(self, scene: SkirmishScene) -> tuple[Check, ...]:
        """The checks of the protection of every unit from every other."""
        return everyone(scene.path, _names(scene), LOOKERS)

    def between(
        self, scene: SkirmishScene, attacker: str, target: str | None, arc: ArcName | None
    ) -> tuple[Check, ...]:
        """The checks of the protection of one unit, or, without a target, of every other, from the attacker.

        Raises:
            RequestError: where a name is not that of a unit, or an arc is given.
        """
        if arc is not None:
            raise RequestError(f"{scene.path}: units of SkirmishCorps look all round; ask without an arc")
        for name in (attacker, target):
            if name is not None:
                scene.unit(name)
        return between(scene.path, _names(scene), LOOKERS, attacker, target)

    judge = staticmethod(judge)

    def elsewhere(self, scene: SkirmishScene, check: Check) -> Sequence[Elsewhere]:
        """Where else the eye of a mesh may be, for protection; where a unit faces plays no part."""
        if not self.has_odds(check):
            return ()
        blocks = Occluders.of((cover.piece, cover.piece.model.mesh) for cover in scene.covers)
        return [
            way
            for way in places_of_attacker(scene.unit(check.attacker).piece, blocks)
            if any(way.move.eye) or way.absent is not None
        ]

    def has_odds(self, check: Check) -> bool:
        """Checks on protection have odds."""
        question = check.question if isinstance(check, SkirmishCheck) else None
        return question is None or question.ask == "protection"

    def moved(self, scene: SkirmishScene, moves: Mapping[str, Move]) -> SkirmishScene:
        """The scene with units, cover or terrain moved; the room that they take moves with them.

        Raises:
            RequestError: where no piece has a name.
        """
        return moved_scene(scene, moves)

    def places(self, scene: SkirmishScene, name: str) -> TablePlaces:
        """Where a unit could stand, or lie.

        Raises:
            RequestError: where no unit has the name.
        """
        return places_of(scene, scene.unit(name))

    def movers(self, scene: SkirmishScene, check: Check) -> Movers:
        """Both units can move; where they face plays no part.

        Raises:
            RequestError: where the check asks for something else than protection.
        """
        ask = "protection" if not isinstance(check, SkirmishCheck) or check.question is None else check.question.ask
        if ask != "protection":
            raise RequestError(
                f"{scene.path}: a check asks '{ask}', and --what-if is about protection; name --from and --to"
            )
        others = tuple(piece.name for piece in scene.pieces if piece.name not in (check.attacker, check.target))
        return Movers(True, True, False, others)

    def without(self, scene: SkirmishScene, name: str) -> SkirmishScene:
        """The scene without a unit, a section of cover or a piece of terrain.

        Raises:
            RequestError: where no piece has the name.
        """
        return scene_without(scene, name)

    def leeway(self, scene: SkirmishScene, verdict: SkirmishCorpsVerdict) -> tuple[float, float]:
        """How far what is seen is from nothing, and what each piece obscures from where it begins to protect.

        nan where nothing is obscured, or nothing seen.
        """
        answers = verdict.answers
        if verdict.verdict == "hidden" or not answers["blockers"]:
            return float(np.nan), 0.0
        limit = scene.readings.share_practically_all
        nearest = min(1.0 - answers["occluded"], *(abs(one["alone"] - limit) for one in answers["blockers"]))
        return float(nearest), float(answers["error"])

    def middle(self, scene: SkirmishScene, name: str) -> Floats:
        """(2,) mm: the middle of the room that a unit takes."""
        return scene.unit(name).middle

    def one_way(
        self, scene: SkirmishScene, seeing: SkirmishCorpsVerdict, blind: SkirmishCorpsVerdict, settings: Settings
    ) -> str:
        """By the heights of eyes, where that decides; else by what hides the one from the other."""
        check = Check(blind.attacker, blind.target)

        def sees(moves: dict[str, Move]) -> bool:
            (verdict,) = judge([(moved_scene(scene, moves), check)], settings)
            return bool(verdict.answers["line_of_sight"])

        seer, other = scene.unit(seeing.attacker).piece, scene.unit(blind.attacker).piece
        names = [blocker["name"] for blocker in blind.answers["blockers"] if blocker["occluded"]]
        why = by_eyes(scene, seer, other, names, sees)
        return super().one_way(scene, seeing, blind, settings) if why is None else one_way_words(seer, other, why)

    def meshes(self, scene: SkirmishScene) -> dict[str, Mesh]:
        """The significant parts of every piece."""
        return table_meshes(scene)

    def basis(self, scene: SkirmishScene) -> list[tuple[str, str]]:
        """The tolerance: the distance from a threshold within which a verdict is marginal."""
        return table_basis(scene)

    def pieces(self, scene: SkirmishScene) -> Pieces:
        """Every piece, with its place, its eye and its mesh."""
        return table_pieces(scene)

    def scale(self, scene: SkirmishScene) -> Scale:
        """The share that counts as practically all of a target, and half of it."""
        return Scale((scene.readings.share_practically_all, 0.5, 1.0))

    def figures(
        self, scene: SkirmishScene, check: Check, verdict: SkirmishCorpsVerdict, renderer: Renderer
    ) -> list[Figure]:
        """Eye view with the classes of cover as bands of height, plan and side view; none for other questions."""
        if verdict.ask != "protection":
            return []
        from silhouette.drawing.table.figures import table_figures  # not before something is drawn

        return table_figures(scene, verdict, renderer, draw_height_bands)

    def overview(self, scene: SkirmishScene) -> Figure:
        """The table from above, on a grid in inches."""
        from silhouette.drawing.table.table_view import PAGE, draw_table

        return Figure("table", lambda sheet: draw_table(sheet, scene, facings=False), width=PAGE)

    def map_ground(self, scene: SkirmishScene) -> Figure:
        """The table from above, with the outlines of terrain on top."""
        from silhouette.drawing.table.table_view import PAGE, draw_table

        return Figure("map", lambda sheet: draw_table(sheet, scene, facings=False, as_ground=True), width=PAGE)

    def stage(self, scene: SkirmishScene, judged: Sequence[tuple[Check, SkirmishCorpsVerdict]], cache: Cache) -> Stage:
        """The table with its bodies, and the view of each check."""
        from silhouette.drawing.in_3d.table_stage import stage_of_table

        return stage_of_table(scene, [verdict for _, verdict in judged], cache)

    def check_stage(self, scene: SkirmishScene) -> None:
        """Refuses a scene of which meshes must be simplified where the package for that is not installed."""
        from silhouette.drawing.in_3d.table_stage import check_table

        check_table(scene)


SKIRMISHCORPS = SkirmishCorps()


def _names(scene: SkirmishScene) -> list[str]:
    return [unit.name for unit in scene.units]
