"""JUDGE: SkirmishCorps as a rule system: how its scenes are read, judged and shown, and how their pieces move."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from silhouette.common.errors import RequestError
from silhouette.common.geometry import Floats
from silhouette.rules.abilities import HasFirstScene, Movers, one_way_words
from silhouette.rules.base import Settings, VerdictScale
from silhouette.rules.fields import OF_ODDS
from silhouette.rules.on_table import OnTable, by_eyes, places_of_attacker
from silhouette.rules.skirmishcorps.entries import ASKS, LEVELS, NAME, Readings, SkirmishCorpsVerdict, SkirmishEntry
from silhouette.rules.skirmishcorps.judge import judge
from silhouette.rules.skirmishcorps.phrases import PHRASES
from silhouette.rules.skirmishcorps.scene import SkirmishCheck, SkirmishScene, load_scene
from silhouette.scenes.places import Displacement, Mobility, Move, TablePlaces, moved
from silhouette.scenes.scene import Check
from silhouette.scenes.table import BlockingPieces


class SkirmishCorps(OnTable[SkirmishScene, SkirmishCorpsVerdict], HasFirstScene):
    """SkirmishCorps' rules for cover; see `silhouette.rules.base.Rule`."""

    name = NAME
    title = "SkirmishCorps"
    reads = ("unit", "cover", "terrain", "check")
    example = "scenes/skirmishcorps/elevation.toml"
    scene_entry = SkirmishEntry
    readings_entry = Readings
    check_entries = ASKS
    verdict_type = SkirmishCorpsVerdict
    phrases = PHRASES
    levels = LEVELS
    naming = ("protected_by", "in_contact_with", "blockers")
    mobility = Mobility(walkers=("unit",), ask="protection")
    kind_of_lookers = "units"
    without_arcs = "units of SkirmishCorps look all round; ask without an arc"
    expectable = OF_ODDS

    read = staticmethod(load_scene)

    def lookers(self, scene: SkirmishScene) -> list[str]:
        """The names of the units."""
        return [unit.name for unit in scene.units]

    def expectable_words(self) -> dict[str, Sequence[str]]:
        """Any word can be expected: what a result may say depends on the question."""
        return {}

    judge = staticmethod(judge)

    def elsewhere(self, scene: SkirmishScene, check: Check) -> Sequence[Displacement]:
        """Where else the eye of a mesh may be, for protection."""
        if not self.has_odds(check):
            return ()
        blocks = BlockingPieces.of((cover.piece, cover.piece.model.mesh) for cover in scene.covers)
        return places_of_attacker(scene.unit(check.attacker).piece, blocks)

    def has_odds(self, check: Check) -> bool:
        """Checks on protection have odds."""
        question = check.question if isinstance(check, SkirmishCheck) else None
        return question is None or question.ask == "protection"

    def places(self, scene: SkirmishScene, name: str) -> TablePlaces:
        """Where a unit could stand; one that lies has the middle of its body at its place, and keeps lying so."""
        unit = scene.unit(name)
        if unit.posture != "prone":
            return TablePlaces(scene, unit.piece)
        plan = unit.piece.pose.place(unit.piece.model.significant.vertices)[:, :2]
        return TablePlaces(scene, unit.piece, (plan.min(axis=0) + plan.max(axis=0)) / 2, turns=False)

    def movers(self, scene: SkirmishScene, check: Check) -> Movers:
        """Both units can move; where they face plays no part, nor does any other question than protection."""
        if isinstance(check, SkirmishCheck) and check.question is not None and not self.has_odds(check):
            ask = check.question.ask
            raise RequestError(
                f"{scene.path}: a check asks '{ask}', and --what-if is about protection; name --from and --to"
            )
        return super().movers(scene, check)._replace(turns=False)

    def margin(self, scene: SkirmishScene, verdict: SkirmishCorpsVerdict) -> tuple[float, float]:
        """How far what is seen is from nothing, and what each piece obscures from where it begins to protect."""
        share, error = verdict.share
        if verdict.verdict == "hidden" or not verdict.blockers or share is None:
            return float(np.nan), 0.0
        limit = scene.readings.share_practically_all
        return min(1.0 - share, *(abs((blocker.alone or 0.0) - limit) for blocker in verdict.blockers)), error

    def middle(self, scene: SkirmishScene, name: str) -> Floats:
        """(2,) mm: the middle of the room that a unit takes."""
        return scene.unit(name).middle

    def one_way(
        self, scene: SkirmishScene, seeing: SkirmishCorpsVerdict, blind: SkirmishCorpsVerdict, settings: Settings
    ) -> str:
        """By the heights of eyes, where that decides; else by what hides the one from the other."""
        check = Check(blind.attacker, blind.target)

        def sees(moves: dict[str, Move]) -> bool:
            (verdict,) = judge([(moved(scene, moves), check)], settings)
            return bool(verdict.line_of_sight)

        seer, other = scene.unit(seeing.attacker).piece, scene.unit(blind.attacker).piece
        names = [blocker.name for blocker in blind.blockers if blocker.share]
        why = by_eyes(scene, seer, other, names, sees) or blind.reason
        return one_way_words(seer.name, other.name, why)

    def scale(self, scene: SkirmishScene) -> VerdictScale:
        """The share that counts as practically all of a target, and half of it."""
        return VerdictScale((scene.readings.share_practically_all, 0.5, 1.0))


SKIRMISHCORPS = SkirmishCorps()
