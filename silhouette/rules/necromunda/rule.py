"""JUDGE: Necromunda as a rule system: how its scenes are read, judged and shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from silhouette.files.cache import Cache
from silhouette.files.schema import Location
from silhouette.geometry import INCH, Flags, Floats
from silhouette.meshes.mesh import Mesh
from silhouette.models.entries import ArcName
from silhouette.renderers.protocol import Renderer
from silhouette.rules.base import Band, Figure, Pieces, Rule, Scale, Settings
from silhouette.rules.expectations import OF_ODDS, expectable, expectable_word, keys_of, list_keys_of
from silhouette.rules.necromunda.first_scene import with_meshes
from silhouette.rules.necromunda.judge import judge
from silhouette.rules.necromunda.one_way import one_way
from silhouette.rules.necromunda.results import LEVELS, NAME, VERDICTS, NecromundaRow, NecromundaVerdict
from silhouette.rules.necromunda.scene import NecromundaScene, Readings, load_scene
from silhouette.rules.necromunda.sight import arcs_of
from silhouette.rules.otherwise import Movers
from silhouette.rules.table import places_of_attacker, table_basis, table_meshes, table_pieces
from silhouette.scenes.entries import TableEntry
from silhouette.scenes.motion import Mobility
from silhouette.scenes.places import Elsewhere, Move, TablePlaces, moved, without
from silhouette.scenes.scene import Check, between, everyone

if TYPE_CHECKING:
    from silhouette.drawing.in_3d.stage import Stage

LOOKERS = "fighters or vehicles"
"""The pieces that look and are looked at, in messages."""


class Necromunda(Rule[NecromundaScene, NecromundaVerdict]):
    """Necromunda's rules for line of sight and cover; see `silhouette.rules.base.Rule`."""

    name = NAME
    title = "Necromunda"
    reads = ("terrain", "fighter", "vehicle", "check")
    example = "scenes/necromunda/example_2_partial_cover.toml"
    scene_entry = TableEntry
    readings_entry = Readings
    row_type = NecromundaRow
    levels = LEVELS
    mobility = Mobility(walkers=("fighter", "vehicle"), turns=True)

    def load(self, path: Path, document: dict[str, Any], cache: Cache) -> NecromundaScene:
        """The table scene that a document describes.

        Raises:
            FileError: where it does not describe one, or expects a result or a verdict that does not exist.
        """
        scene = load_scene(path, document, cache)
        for number, check in enumerate(scene.checks, 1):
            _expectable(Location(path, f"check {number}"), check.expect or {})
        return scene

    def first_scene(self, meshes: Sequence[str] = ()) -> str:
        """Two stand-in fighters and a wall; with meshes, a fighter for each of them."""
        text = self._first_scene()
        return with_meshes(text, meshes) if meshes else text

    def everyone(self, scene: NecromundaScene) -> tuple[Check, ...]:
        """Every fighter and vehicle against every other."""
        return everyone(scene.path, scene.models, LOOKERS)

    def between(
        self, scene: NecromundaScene, attacker: str, target: str | None, arc: ArcName | None
    ) -> tuple[Check, ...]:
        """One against one, or, without a target, against every other fighter and vehicle."""
        for name in (attacker, target):
            if name is not None:
                scene.model(name)
        return between(scene.path, scene.models, LOOKERS, attacker, target, arc)

    judge = staticmethod(judge)

    def elsewhere(self, scene: NecromundaScene, check: Check) -> Sequence[Elsewhere]:
        """Where else its eye may be, and where else it may face; see `places_of_attacker`."""
        blocks = scene.whole_pieces if scene.readings.ignored_parts_block else scene.significant_parts
        return places_of_attacker(scene.model(check.attacker).with_eye_for(check.arc), blocks)

    def has_odds(self, check: Check) -> bool:
        """Every check has odds."""
        return True

    def moved(self, scene: NecromundaScene, moves: Mapping[str, Move]) -> NecromundaScene:
        """The scene with pieces moved; base contact and vision arcs follow.

        Raises:
            RequestError: where no piece has a name.
        """
        return moved(scene, moves)

    def places(self, scene: NecromundaScene, name: str) -> TablePlaces:
        """Where a fighter or vehicle could stand.

        Raises:
            RequestError: where nothing has the name, or terrain has it.
        """
        return TablePlaces(scene, scene.model(name), moved)

    def beyond_arcs(self, scene: NecromundaScene, attacker: str, boxes: Floats) -> Flags:
        """(q,) whether each of some boxes (q, 8, 3), mm, lies out of every vision arc of the attacker (R6)."""
        arcs = arcs_of(scene.model(attacker))
        if arcs is None:
            return np.zeros(len(boxes), np.bool_)
        reached = [arc.reaches(boxes) for arc in arcs]
        return ~np.any(reached, axis=0) if reached else np.ones(len(boxes), np.bool_)

    def movers(self, scene: NecromundaScene, check: Check) -> Movers:
        """Both models can move; the attacker can turn where it is known where it faces."""
        attacker = scene.model(check.attacker)
        others = tuple(piece.name for piece in scene.pieces if piece.name not in (check.attacker, check.target))
        return Movers(True, True, attacker.facing is not None, others)

    def without(self, scene: NecromundaScene, name: str) -> NecromundaScene:
        """The scene without a piece.

        Raises:
            RequestError: where no piece has the name.
        """
        return without(scene, name)

    def leeway(self, scene: NecromundaScene, verdict: NecromundaVerdict) -> tuple[float, float]:
        """How far the obscured share is from a half and, in partial cover, from nothing; and what is seen from nothing.

        nan where nothing is obscured, or nothing seen.
        """
        share, error = self.share(scene, verdict)
        if verdict.verdict in (VERDICTS[0], VERDICTS[-1]) or share is None:
            return float(np.nan), 0.0
        nearest = min(abs(share - 0.5), verdict.seen / verdict.counts.total)
        return nearest if share >= 0.5 else min(nearest, share), error

    def middle(self, scene: NecromundaScene, name: str) -> Floats:
        """(2,) mm: the centre of a piece's base, or of its footprint."""
        return scene.piece(name).base_centre

    def one_way(
        self, scene: NecromundaScene, seeing: NecromundaVerdict, blind: NecromundaVerdict, settings: Settings
    ) -> str:
        """By arcs, by the heights of eyes and of what is in the way, or by how large the two are."""
        return one_way(scene, seeing, blind, settings)

    def meshes(self, scene: NecromundaScene) -> dict[str, Mesh]:
        """The significant parts of every piece."""
        return table_meshes(scene)

    def basis(self, scene: NecromundaScene) -> list[tuple[str, str]]:
        """The distance from a threshold within which a verdict is too close to call."""
        return table_basis(scene)

    def pieces(self, scene: NecromundaScene) -> Pieces:
        """Every piece: where it stands, where it looks from, and what its mesh is."""
        return table_pieces(scene)

    def scale(self, scene: NecromundaScene) -> Scale:
        """Partial cover below a half, full cover from a half on (R14, R15)."""
        bands = ((0.0, 0.5, "partial cover"), (0.5, 1.0, "full cover"))
        return Scale((0.0, 0.5, 1.0), tuple(Band(*band, self.levels[band[2]]) for band in bands))

    def share(self, scene: NecromundaScene, verdict: NecromundaVerdict) -> tuple[float | None, float]:
        """The obscured share and its error: of the whole target, or of its part in the arc, by the reading (A1)."""
        if scene.readings.share == "in arc":
            return verdict.occluded_in_arc, verdict.counts.error_in_arc
        return verdict.occluded, verdict.counts.error

    def figures(
        self, scene: NecromundaScene, check: Check, verdict: NecromundaVerdict, renderer: Renderer
    ) -> list[Figure]:
        """Eye view, plan and side view."""
        from silhouette.drawing.table.figures import table_figures  # not before something is drawn

        return table_figures(scene, verdict, renderer)

    def overview(self, scene: NecromundaScene) -> Figure:
        """The table from above, on a grid in inches."""
        from silhouette.drawing.table.table_view import PAGE, draw_table

        return Figure("table", lambda sheet: draw_table(sheet, scene), width=PAGE)

    def map_ground(self, scene: NecromundaScene) -> Figure:
        """The table from above, with the outlines of terrain on top."""
        from silhouette.drawing.table.table_view import PAGE, draw_table

        return Figure("map", lambda sheet: draw_table(sheet, scene, as_ground=True), width=PAGE)

    def picture(self, scene: NecromundaScene, verdict: NecromundaVerdict, renderer: Renderer, path: Path) -> bool:
        """The eye view with its caption."""
        from silhouette.rules.necromunda.picture import draw_eye_view

        draw_eye_view(scene, verdict, renderer, path)
        return True

    def stage(self, scene: NecromundaScene, judged: Sequence[tuple[Check, NecromundaVerdict]], cache: Cache) -> Stage:
        """The table with its models, and the line of sight, arcs and blockers of each check."""
        from silhouette.drawing.in_3d.table_stage import stage_of_table

        return stage_of_table(scene, [verdict for _, verdict in judged], cache)

    def check_stage(self, scene: NecromundaScene) -> None:
        """Checks that the stage can be made: RequestError where the library that simplifies meshes is missing."""
        from silhouette.drawing.in_3d.table_stage import check_table

        check_table(scene)

    def facts(self, scene: NecromundaScene, verdict: NecromundaVerdict, words: Mapping[str, str]) -> dict[str, str]:
        """The distance of the bases' centres, the height of the eye, and how much of the target lies in the arc."""
        attacker, target = scene.piece(verdict.attacker).with_eye_for(verdict.arc), scene.piece(verdict.target)
        apart = float(np.hypot(*(target.base_centre - attacker.base_centre)))
        counts = verdict.counts
        arc = "arc_none" if not counts.in_arc else "arc_all" if counts.in_arc == counts.total else "arc_part"
        return {
            "distance": f'{apart / INCH:.1f}" ({apart:.0f} mm)',
            "eye_height": f"{attacker.eye[2]:.0f} mm",
            "arc_words": words[arc],
        }


NECROMUNDA = Necromunda()


def _expectable(location: Location, expect: Mapping[str, Any]) -> None:
    """Refuses an expectation of a result, or of a verdict, that no check can give.

    Raises:
        FileError: with the known words that are nearest.
    """
    for key in ("verdict", "could_be"):
        wanted = expect.get(key, [])
        for word in wanted if isinstance(wanted, list) else [wanted]:
            expectable_word(location, key, word, VERDICTS)
    expectable(location, expect, (*keys_of(NecromundaRow), *OF_ODDS), list_keys_of(NecromundaRow))
