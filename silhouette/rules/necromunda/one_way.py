"""TELL: Necromunda, why one model sees another that does not see it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from silhouette.geometry import Floats
from silhouette.rules.base import Settings
from silhouette.rules.necromunda.judge import judge
from silhouette.rules.necromunda.results import NecromundaVerdict
from silhouette.rules.necromunda.scene import NecromundaScene
from silhouette.rules.necromunda.sight import is_friend_in_contact
from silhouette.rules.one_way import behind, by_bodies, by_eyes, one_way_words
from silhouette.scenes.pieces import Piece
from silhouette.scenes.places import moved
from silhouette.scenes.scene import Check
from silhouette.text import in_a_sentence


def one_way(scene: NecromundaScene, seeing: NecromundaVerdict, blind: NecromundaVerdict, settings: Settings) -> str:
    """The sentence: by vision arcs, by friends in base contact, by eyes or by bodies; the first that decides.

    Args:
        scene: of both checks.
        seeing: the verdict of the one that sees.
        blind: the verdict of the other one, on the way back.
        settings: of the measurement; what is named as the reason is judged once more, without it.
    """
    seer = scene.model(seeing.attacker).with_eye_for(seeing.arc)
    other = scene.model(blind.attacker).with_eye_for(blind.arc)
    why = _by_arcs(seer, other, blind) or _by_friends(scene, seer, blind)
    blockers = [blocker.name for blocker in blind.blockers if blocker.occluded]

    def sees(there: NecromundaScene) -> bool:
        (verdict,) = judge([(there, Check(blind.attacker, blind.target, blind.arc))], settings)
        return verdict.line_of_sight

    tests: tuple[Callable[[], str | None], ...] = (
        lambda: by_eyes(scene, seer, other, blockers, lambda moves: sees(moved(scene, moves))),
        lambda: by_bodies(scene, seer, other, blockers, sees),
    )
    for test in tests:
        why = why or test()
    return one_way_words(seer, other, why or behind(seer, other, blockers))


def _by_arcs(seer: Piece, other: Piece, blind: NecromundaVerdict) -> str | None:
    """Where the one that does not see has the other in no vision arc."""
    if blind.counts.in_arc:
        return None
    if other.facing is None:
        return None
    to_seer, to_other = seer.base_centre - other.base_centre, other.base_centre - seer.base_centre
    off = _angle_between(to_seer, other.facing)
    if seer.facing is None:
        return f"{seer.name} lies in none of {other.name}'s vision arcs, {off:.0f}° off where that faces"
    own = _angle_between(to_other, seer.facing)
    has = f"{other.name} lies in {seer.name}'s vision arc, {own:.0f}° off where it faces"
    return f"{has}, and {seer.name} in none of {other.name}'s, {off:.0f}° off where that faces"


def _angle_between(step: Floats, facing: float) -> float:
    """Degrees between a step in plan and a direction, 0 to 180."""
    angle = float(np.degrees(np.arctan2(step[1], step[0])))
    return abs((angle - facing + 180.0) % 360.0 - 180.0)


def _by_friends(scene: NecromundaScene, seer: Piece, blind: NecromundaVerdict) -> str | None:
    """Where a friend of the one that sees, in base contact, is in the way of the other alone (R17)."""
    names = [
        blocker.name
        for blocker in blind.blockers
        if blocker.occluded and is_friend_in_contact(scene, seer, scene.piece(blocker.name))
    ]
    if not names:
        return None
    friend = in_a_sentence(names[0])
    return f"{friend}, {seer.name}'s friend in base contact, is in {blind.attacker}'s way and not in {seer.name}'s"
