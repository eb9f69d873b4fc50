"""JUDGE: SkirmishCorps as a rule system: how its scenes are read, judged and shown."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from silhouette.errors import RequestError
from silhouette.files.cache import Cache
from silhouette.meshes.mesh import Mesh
from silhouette.models.entries import ArcName
from silhouette.renderers.protocol import Renderer
from silhouette.rules.base import Figure, Pieces, Rule, Scale, Settings
from silhouette.rules.skirmishcorps.entries import ASKS, Readings, SkirmishEntry
from silhouette.rules.skirmishcorps.height_bands import draw_height_bands
from silhouette.rules.skirmishcorps.judge import judge
from silhouette.rules.skirmishcorps.phrases import PHRASES
from silhouette.rules.skirmishcorps.results import LEVELS, NAME, SkirmishCorpsRow, SkirmishCorpsVerdict
from silhouette.rules.skirmishcorps.scene import SkirmishScene, load_scene
from silhouette.rules.table import table_basis, table_meshes, table_pieces
from silhouette.scenes.motion import Mobility
from silhouette.scenes.scene import Check, between, everyone

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

    def judge(self, scene: SkirmishScene, checks: Sequence[Check], settings: Settings) -> list[SkirmishCorpsVerdict]:
        """The ruling on the question of each check; a plain check is about protection.

        Raises:
            RequestError: where a check names a unit that the scene does not have.
        """
        return judge(scene, checks, settings)

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
