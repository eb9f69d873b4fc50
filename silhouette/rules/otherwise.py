"""JUDGE: what a rule system knows of its scenes a little otherwise: who can move, and who can be taken away."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np

from silhouette.errors import RequestError
from silhouette.geometry import Floats
from silhouette.scenes.scene import Check


class Movers(NamedTuple):
    """What of a check can be otherwise.

    Attributes:
        target, attacker: whether they can stand elsewhere.
        turns: whether the attacker can look elsewhere, and that matters.
        others: the names of the pieces that can be taken away.
    """

    target: bool
    attacker: bool
    turns: bool
    others: tuple[str, ...]


class Otherwise:
    """The part of a `silhouette.rules.base.Rule` by which is found what would change a verdict; all of it optional.

    A system that says nothing here has no scenes in which anything stands a little elsewhere.
    """

    title: ClassVar[str]

    def movers(self, scene: Any, check: Check) -> Movers:
        """What of a check can be otherwise.

        Raises:
            RequestError: where no move of anyone changes the answer, or makes sense.
        """
        raise RequestError(f"{scene.path}: in {self.title} nothing stands a little elsewhere; leave --what-if out")

    def without(self, scene: Any, name: str) -> Any:
        """The scene without a piece; nobody else moves, nor what stands on it.

        Raises:
            RequestError: where no piece has the name, or where pieces cannot be taken away.
        """
        raise RequestError(f"{scene.path}: in {self.title} nothing can be taken away")

    def leeway(self, scene: Any, verdict: Any) -> tuple[float, float]:
        """How far what was measured lies from the nearest threshold of the verdict, as a share, and the error of that.

        It grows and shrinks evenly as pieces move. nan where nothing tells: what is exact has no leeway, nor a target
        of which nothing is obscured, or nothing seen.
        """
        return float(np.nan), 0.0

    def middle(self, scene: Any, name: str) -> Floats:
        """(2,) mm: where a piece stands in plan; for words such as "to the left"."""
        raise NotImplementedError

    def one_way(self, scene: Any, seeing: Any, blind: Any, settings: Any) -> str:
        """Why one sees another that does not see it, in one sentence.

        Args:
            scene: of both checks.
            seeing: the verdict of the one that sees.
            blind: the verdict of the other one, on the way back.
            settings: of the measurement, to judge again what is to be named as the reason.
        """
        return f"{seeing.attacker} sees {seeing.target}, but not the other way round: {blind.reason}"
