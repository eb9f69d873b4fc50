"""JUDGE: what a rule system can do besides judging: abstract classes that its `silhouette.rules.base.Rule` inherits or
not (``isinstance(rule, HasMaps)``), each with all of its methods.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib import resources
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

import numpy as np

from silhouette.common.errors import RequestError
from silhouette.common.geometry import Flags, Floats
from silhouette.rules.base import Level, PieceTable, Rule, Settings, Verdict
from silhouette.scenes.places import Displacement, Move, Places
from silhouette.scenes.scene import Check

S = TypeVar("S")  # the scenes of a game


class Movers(NamedTuple):
    """What of a check can be otherwise: what moves, whether a ``turn`` matters, and what can be taken away."""

    target: bool
    attacker: bool
    turns: bool
    others: tuple[str, ...]


def one_way_words(seer: str, blind: str, why: str) -> str:
    """The sentence that one sees another that does not see it, and why."""
    return f"{seer} sees {blind}, but not the other way round: {why}"


class WhatIf(ABC, Generic[S]):
    """A game of which it can be told what would change a verdict: pieces move, or are taken away."""

    @abstractmethod
    def moved(self, scene: S, moves: Mapping[str, Move]) -> S:
        """The scene with pieces moved, by their names; nothing is lowered. RequestError if no piece has a name."""

    @abstractmethod
    def without(self, scene: S, name: str) -> S:
        """The scene without a piece; nothing else moves. RequestError if no piece has the name."""

    @abstractmethod
    def movers(self, scene: S, check: Check) -> Movers:
        """What of a check can be otherwise. RequestError if no move of anyone changes the answer, or makes sense."""

    @abstractmethod
    def middle(self, scene: S, name: str) -> Floats:
        """(2,) mm: where a piece stands in plan; for words such as "to the left"."""

    def margin(self, scene: S, verdict: Any) -> tuple[float, float]:
        """How far what was measured lies from the nearest threshold of the verdict, as a share, and the error of that.
        It changes evenly as pieces move; nan if nothing tells, as in what is exact, or if nothing is obscured or seen.
        """
        return float(np.nan), 0.0

    def one_way(self, scene: S, seeing: Any, blind: Any, settings: Settings) -> str:
        """Why one sees another that does not see it, in one sentence, by the verdicts there and back; what is named as
        the reason is judged again, with the settings.
        """
        return one_way_words(seeing.attacker, seeing.target, blind.reason)


class HasOdds(WhatIf[S]):
    """A game whose pieces may stand a little elsewhere than where the scene has them: its verdicts have odds."""

    levels: ClassVar[Mapping[str, Level]]

    @abstractmethod
    def judge(self, requests: Sequence[tuple[S, Check]], settings: Settings) -> Sequence[Verdict]:
        """See `silhouette.rules.base.Rule.judge`."""

    def has_odds(self, check: Check) -> bool:
        """Whether the answer to a check may differ if pieces stand a little elsewhere."""
        return True

    def judge_quickly(self, requests: Sequence[tuple[S, Check]], settings: Settings) -> Sequence[Verdict]:
        """`judge` for odds, which read of a verdict its word and its share alone: all else may be left out."""
        return self.judge(requests, settings)

    @abstractmethod
    def elsewhere(self, scene: S, check: Check) -> Sequence[Displacement]:
        """How the attacker of a check may stand or look otherwise, without anybody having said so: most often not."""

    def from_elsewhere(
        self, requests: Sequence[tuple[S, Check]], verdicts: Sequence[Verdict], settings: Settings
    ) -> list[Verdict]:
        """Verdicts on requests, in their order, each with the others that hold from `elsewhere`."""
        ways = [self.elsewhere(scene, check) for scene, check in requests]
        trials = [
            (self.moved(self.without(scene, way.absent) if way.absent else scene, {check.attacker: way.move}), check)
            for (scene, check), of_request in zip(requests, ways, strict=True)
            for way in of_request
        ]
        others = iter(self.judge(trials, replace(settings, keep=False)) if trials else ())
        widened = []
        for verdict, of_request in zip(verdicts, ways, strict=True):
            words: dict[str, dict[str, float]] = {}
            for way in of_request:
                word = next(others).verdict
                if word != verdict.verdict:
                    of_why = words.setdefault(way.why, {})
                    of_why[word] = of_why.get(word, 0.0) + (way.likelihood or 0.0)
            for why, possible in words.items():
                verdict = verdict.could_also_be(possible, why)
            widened.append(verdict)
        return widened


class HasMaps(ABC, Generic[S]):
    """A game with maps: the verdict at each place where a model could stand."""

    @abstractmethod
    def places(self, scene: S, name: str) -> Places:
        """Where a model could stand on its table. RequestError if no model has the name."""

    def certainly_out_of_arc(self, scene: S, attacker: str, boxes: Floats) -> Flags:
        """(q,) whether a target in each of some boxes (q, 8, 3), mm, lies out of every arc of the attacker, and so gets
        the last verdict whatever is in the way; False says nothing.
        """
        return np.zeros(len(boxes), np.bool_)


class HasDescription(ABC, Generic[S]):
    """A game whose scenes are described on pages."""

    @abstractmethod
    def basis(self, scene: S) -> list[tuple[str, str]]:
        """The settings that all verdicts of the scene rest on: a name, and words about it, for each."""

    @abstractmethod
    def pieces(self, scene: S) -> PieceTable:
        """The pieces of the scene as a table."""

    def facts(self, scene: S, verdict: Any, words: Mapping[str, str]) -> dict[str, str]:
        """Texts about a verdict, by name, for tutorials, besides its row; ``words`` are the tutorial's own."""
        return {}


class HasPlay(ABC, Generic[S]):
    """A game of which a page can judge, while its reader moves the pieces: see ``pages/viewer/source/judge.js``."""

    @abstractmethod
    def play(self, scene: S) -> dict[str, Any]:
        """What the page's judge must know of the scene besides its meshes, ready for JSON."""


class HasFirstScene:
    """A game with a first scene to edit: the file ``first_scene.toml`` beside its rule."""

    def first_scene(self) -> str:
        """The scene, with a comment on every key."""
        package = type(self).__module__.rpartition(".")[0]
        return resources.files(package).joinpath("first_scene.toml").read_text(encoding="utf-8")


class HasFirstSceneOfMeshes(HasFirstScene, ABC):
    """A game whose first scene can be made of the user's own miniatures."""

    @abstractmethod
    def first_scene_of(self, meshes: Sequence[str]) -> str:
        """A scene with the miniatures in place of stand-ins; ``meshes`` are their paths as the scene names them."""


def first_scene_of(rule: Rule[Any, Any], meshes: Sequence[str] = ()) -> str:
    """A first scene to edit, with meshes at these paths in place of stand-ins. RequestError if the game has none."""
    if not isinstance(rule, HasFirstScene):
        raise RequestError(f"there is no first scene of {rule.title}")
    if not meshes:
        return rule.first_scene()
    if not isinstance(rule, HasFirstSceneOfMeshes):
        raise RequestError(f"a first scene of {rule.title} takes no meshes; leave them out")
    return rule.first_scene_of(meshes)


def what_if(rule: Rule[Any, Any], scene: Any) -> WhatIf[Any]:
    """The game of a scene as one with `WhatIf`. RequestError if nothing stands a little elsewhere in it."""
    if not isinstance(rule, WhatIf):
        raise RequestError(f"{scene.path}: in {rule.title} nothing stands a little elsewhere; leave --what-if out")
    return rule


def maps_of(rule: Rule[Any, Any], scene: Any) -> HasMaps[Any]:
    """The game of a scene, as one with maps. RequestError if it has none."""
    if not isinstance(rule, HasMaps):
        raise RequestError(f"{scene.path}: there are no maps of {rule.title}")
    return rule
