"""JUDGE: SkirmishCorps, cover: what protects a unit from an attacker, and what cover costs, stops and suffers.

The numbers R1 to R36 and A1 to A15 are those of the specification, ../shared/rules/skirmishcorps.md; its source is the
page "Cover" of the SkirmishCorps rules.

    check -> its question -> a measured silhouette, geometry in plan, or a table -> SkirmishCorpsVerdict
"""

from __future__ import annotations

from collections.abc import Sequence

from silhouette.rules.base import Settings
from silhouette.rules.skirmishcorps.close import close_combat, flanked
from silhouette.rules.skirmishcorps.entries import CloseCombatEntry, FlankedEntry, PairEntry
from silhouette.rules.skirmishcorps.lookups import look_up
from silhouette.rules.skirmishcorps.results import NAME, SkirmishCorpsVerdict
from silhouette.rules.skirmishcorps.scene import SkirmishCheck, SkirmishScene, Unit
from silhouette.rules.skirmishcorps.shooting import protections
from silhouette.rules.table import in_like_groups
from silhouette.scenes.scene import Check


def judge(requests: Sequence[tuple[SkirmishScene, Check]], settings: Settings) -> list[SkirmishCorpsVerdict]:
    """The ruling on the question of each check; a plain check is about protection, and these are measured together.

    Args:
        requests: each a check and its scene; of scenes that differ in the error or in what share hides practically
            all, each is measured with those that do not.
        settings: of the measurement.

    Raises:
        RequestError: where a check names a unit that the scene does not have.
    """
    return in_like_groups(
        requests,
        lambda scene: (scene.error, scene.readings.share_practically_all),
        lambda group: _judge(group, settings),
    )


def _judge(requests: Sequence[tuple[SkirmishScene, Check]], settings: Settings) -> list[SkirmishCorpsVerdict]:
    rulings, shots = dict[int, SkirmishCorpsVerdict](), dict[int, tuple[SkirmishScene, Unit, Unit]]()
    for number, (scene, check) in enumerate(requests):
        found = _ruling_on(scene, check, settings)
        if isinstance(found, SkirmishCorpsVerdict):
            rulings[number] = found
        else:
            shots[number] = found
    rulings |= zip(shots, protections(list(shots.values()), settings), strict=True)
    return [rulings[number] for number in range(len(requests))]


def _ruling_on(
    scene: SkirmishScene, check: Check, settings: Settings
) -> SkirmishCorpsVerdict | tuple[SkirmishScene, Unit, Unit]:
    """The ruling on a check; or, where it is about protection, what is to be measured."""
    question = check.question if isinstance(check, SkirmishCheck) else None
    if question is not None and not isinstance(question, PairEntry):
        return look_up(question, scene.readings, NAME)
    attacker, target = scene.unit(check.attacker), scene.unit(check.target)
    if isinstance(question, CloseCombatEntry):
        return close_combat(scene, attacker, target)
    if isinstance(question, FlankedEntry):
        return flanked(scene, attacker, target, settings)
    return scene, attacker, target
