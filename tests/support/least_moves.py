"""The least move, or turn, alone of all that would change a verdict, however far it is looked for."""

from __future__ import annotations

from dataclasses import replace

from silhouette.judging.counterfactuals import MAX_MOVE_MM, MOVE_FIELD, TURN_FIELD, _DisplacementJudge
from silhouette.judging.nearest import Nearest
from silhouette.rules.base import Settings
from silhouette.scenes.scene import Check, Scene


def nearest_place(
    scene: Scene, check: Check, now: str, name: str, settings: Settings, reach: float = MAX_MOVE_MM
) -> Nearest | None:
    """The least move of a piece, up to ``reach`` mm, with which the verdict of a check is another than ``now``."""
    return _DisplacementJudge(scene, check, now, settings).nearest(name, replace(MOVE_FIELD, reach=reach))


def nearest_turn(scene: Scene, check: Check, now: str, settings: Settings, reach: float = 180.0) -> Nearest | None:
    """The least turn of the attacker, up to ``reach`` degrees, with which the verdict is another than ``now``."""
    return _DisplacementJudge(scene, check, now, settings).nearest(check.attacker, replace(TURN_FIELD, reach=reach))
