"""JUDGE: Tide of Iron as a rule system: how its scenes are read, judged and shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from silhouette.common.errors import RequestError
from silhouette.models.entries import ArcName
from silhouette.rules.abilities import HasDescription, HasFirstScene
from silhouette.rules.base import ExactRule, PieceTable
from silhouette.rules.tide_of_iron.hexes import in_words
from silhouette.rules.tide_of_iron.judge import CAUSES, LEVELS, NAME, TideOfIronVerdict, ruling
from silhouette.rules.tide_of_iron.phrases import PHRASES, short_reason
from silhouette.rules.tide_of_iron.scene import (
    HexScene,
    HexSceneEntry,
    Readings,
    as_spelt,
    load_hex_scene,
    refuse_too_long,
)
from silhouette.scenes.scene import Check

MAX_MATRIX_CHECKS = 100_000  # the greatest number of checks of everyone against everyone


class TideOfIron(ExactRule[HexScene, TideOfIronVerdict], HasDescription[HexScene], HasFirstScene):
    """Tide of Iron's rules for line of sight; see `silhouette.rules.base.Rule`."""

    name = NAME
    title = "Tide of Iron"
    reads = ("map", "unit", "check")
    example = "scenes/tide_of_iron/same_elevation.toml"
    scene_entry = HexSceneEntry
    readings_entry = Readings
    verdict_type = TideOfIronVerdict
    phrases = PHRASES
    levels = LEVELS
    without_arcs = "units of {title} look all round; leave the arc '{arc}' out"

    read = staticmethod(load_hex_scene)

    def expectable_words(self) -> Mapping[str, Sequence[str]]:
        """The verdicts and the causes."""
        return {**super().expectable_words(), "cause": CAUSES}

    def lookers(self, scene: HexScene) -> list[str]:
        """The units, or where there is none the addresses of the described hexes, in words."""
        return list(scene.units) or [in_words(address) for address in scene.described]

    def everyone(self, scene: HexScene) -> tuple[Check, ...]:
        """The checks from each unit, or where there is none from each described hex, to every hex of `HexScene.map`."""
        attackers = self.lookers(scene)
        if not attackers:
            raise RequestError(f"{scene.path}: no unit stands there and no hex is described; add a [[unit]] that looks")
        targets = [in_words(address) for address in scene.map()]
        if len(attackers) * len(targets) > MAX_MATRIX_CHECKS:
            raise RequestError(
                f"{scene.path}: {len(attackers)} attackers and {len(targets)} hexes are more than "
                f"{MAX_MATRIX_CHECKS} checks; say --from NAME to ask about one attacker"
            )
        checks = tuple(Check(attacker, target) for attacker in attackers for target in targets)
        refuse_too_long(scene, checks)
        return checks

    def between(self, scene: HexScene, attacker: str, target: str | None, arc: ArcName | None) -> tuple[Check, ...]:
        """The checks from a unit or an address to another, or, without a target, to every hex of `HexScene.map`."""
        self.refuse(scene, attacker, target, arc)
        if target is None:
            return scene.checks_from(attacker)
        return (Check(as_spelt(attacker), as_spelt(target)),)

    def refuse(self, scene: HexScene, attacker: str, target: str | None, arc: ArcName | None) -> None:
        """Refuses an arc, and what is neither a unit nor an address."""
        super().refuse(scene, attacker, target, arc)
        for words in filter(None, (attacker, target)):
            scene.address(words)

    short_reason = staticmethod(short_reason)

    ruling = staticmethod(ruling)

    def basis(self, scene: HexScene) -> list[tuple[str, str]]:
        """The terrain and level of every hex that the scene does not describe."""
        return [("other hexes", f"{scene.default.terrain}, level {scene.default.elevation}")]

    def pieces(self, scene: HexScene) -> PieceTable:
        """Units with their hexes, then the hexes of each terrain and level."""
        rows = [(name, "unit", in_words(address), "") for name, address in scene.units.items()]
        kinds: dict[tuple[str, int], list[str]] = {}
        for address, ground in scene.described.items():
            kinds.setdefault((ground.terrain, ground.elevation), []).append(in_words(address))
        rows += [
            (terrain, "hexes", " ".join(places), f"level {level}") for (terrain, level), places in sorted(kinds.items())
        ]
        return PieceTable(("name", "kind", "where", "how"), rows)


TIDE_OF_IRON = TideOfIron()
