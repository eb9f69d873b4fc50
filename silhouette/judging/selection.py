"""The checks of a scene that a user selects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast, get_args

from silhouette.errors import RequestError
from silhouette.models.entries import ArcName
from silhouette.rules import rule_called
from silhouette.scenes.scene import Check, Scene
from silhouette.text import did_you_mean


@dataclass(frozen=True)
class Selection:
    """The checks to judge in a scene.

    Attributes:
        attacker: the name of the attacker; None for the scene's own checks.
        target: the name of the target; None for every other model.
        arc: the vision arc to look from; None for any that the attacker has.
        everyone: whether every model is checked against every other; the other attributes are ignored then.
        instead: the options that choose checks where a scene has none, for the message.
    """

    attacker: str | None = None
    target: str | None = None
    arc: str | None = None
    everyone: bool = False
    instead: str = "--from NAME --to NAME"

    def __post_init__(self) -> None:
        if self.arc is not None and self.arc not in get_args(ArcName):
            raise RequestError(f"no arc '{self.arc}'; {did_you_mean(self.arc, get_args(ArcName))}")
        if self.attacker is None and (self.target is not None or self.arc is not None):
            raise RequestError("a target or an arc without an attacker; say --from NAME as well")

    def checks(self, scene: Scene) -> tuple[Check, ...]:
        """The selected checks of a scene.

        Raises:
            RequestError: where no piece that can look or be looked at has a name, or where no check is left.
        """
        rule = rule_called(scene.rules)
        if self.everyone:
            return rule.everyone(scene)
        if self.attacker is not None:
            return rule.between(scene, self.attacker, self.target, cast("ArcName | None", self.arc))
        if not scene.checks:
            raise RequestError(f"{scene.path}: has no [[check]]; add one, or say {self.instead}")
        return scene.checks
