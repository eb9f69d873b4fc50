"""JUDGE, games by data: a game file as a rule system: how its scenes are read, judged and shown."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

from silhouette.errors import FileError, RequestError
from silhouette.files.cache import Cache
from silhouette.models.entries import ArcName
from silhouette.renderers.protocol import Renderer
from silhouette.rules.abilities import HasFirstScene
from silhouette.rules.base import Figure, Level, Rule, Settings, Verdict
from silhouette.rules.data.game import Game, read_game
from silhouette.rules.data.judge import judge
from silhouette.rules.data.phrases import PHRASES
from silhouette.rules.data.results import DataVerdict
from silhouette.rules.data.scene import DataScene, load_scene, readings_entry, scene_entry
from silhouette.rules.expectations import check_expectations
from silhouette.rules.on_table import OnTable
from silhouette.rules.table import places_of_attacker
from silhouette.scenes.places import Elsewhere, Mobility, TablePlaces, moved
from silhouette.scenes.scene import Check, between, everyone

LOOKERS = "fighters or vehicles"
"""The pieces that look and are looked at, in messages."""


class GameRule(Rule[DataScene, DataVerdict], OnTable[DataScene], HasFirstScene):
    """A game by data; see `silhouette.rules.base.Rule`. Each game has a class of its own, made by `rule_at`.

    Attributes:
        game: that it judges by.
    """

    game: ClassVar[Game]
    verdict_type = DataVerdict
    phrases = PHRASES
    unmeasured = "lines, distances and outlines, on the meshes of the table"
    reads = ("terrain", "fighter", "vehicle", "check")
    mobility = Mobility(walkers=("fighter", "vehicle"), turns=True)

    def load(self, path: Path, document: dict[str, Any], cache: Cache) -> DataScene:
        """The table scene that a document describes.

        Raises:
            FileError: where it does not describe one, or expects a result or a verdict that does not exist.
        """
        scene = load_scene(self.game, self.name, path, document, cache)
        words = list(self.levels)
        check_expectations(path, scene.checks, DataVerdict.fields, {"verdict": words, "could_be": words})
        return scene

    def everyone(self, scene: DataScene) -> tuple[Check, ...]:
        """Every fighter and vehicle against every other."""
        return everyone(scene.path, scene.models, LOOKERS)

    def between(self, scene: DataScene, attacker: str, target: str | None, arc: ArcName | None) -> tuple[Check, ...]:
        """One against one, or, without a target, against every other fighter and vehicle.

        Raises:
            RequestError: where a name is not that of a model, or an arc is given.
        """
        if arc is not None:
            raise RequestError(f"{scene.path}: {self.title} has no arcs to ask for; leave the arc out")
        for name in (attacker, target):
            if name is not None:
                scene.model(name)
        return between(scene.path, scene.models, LOOKERS, attacker, target)

    judge = staticmethod(judge)

    def elsewhere(self, scene: DataScene, check: Check) -> Sequence[Elsewhere]:
        """Where else its eye may be, and where else it may face; see `places_of_attacker`."""
        from silhouette.rules.data.brief import is_brief  # not before something is judged

        places = places_of_attacker(scene.model(check.attacker), scene.significant_parts)
        if not is_brief(self.game):
            return places
        return [place for place in places if not any(place.move.eye) and place.absent is None]

    def judge_quickly(self, requests: Sequence[tuple[DataScene, Check]], settings: Settings) -> Sequence[Verdict]:
        """The words of verdicts, by what tells soonest; those of a game that measures from an eye are judged in full.

        Raises:
            RequestError: where a check names a piece that is not there, or terrain.
        """
        from silhouette.rules.data.brief import brief_verdict, is_brief  # not before odds are asked for

        if not is_brief(self.game):
            return judge(requests, settings)
        return [brief_verdict(scene, check) for scene, check in requests]

    def places(self, scene: DataScene, name: str) -> TablePlaces:
        """Where a fighter or vehicle could stand.

        Raises:
            RequestError: if nothing has the name, or terrain has it.
        """
        return TablePlaces(scene, scene.model(name), moved)

    def basis(self, scene: DataScene) -> list[tuple[str, str]]:
        """The game file, and the distance from a threshold within which a share is too close to call."""
        return [("game", f"{self.title}; {self.game.source}"), *super().basis(scene)]

    def figures(self, scene: DataScene, check: Check, verdict: DataVerdict, renderer: Renderer) -> list[Figure]:
        """What decided, in plan; and the eye view where something was measured from an eye."""
        from silhouette.rules.data.figures import figures  # not before something is drawn

        return figures(scene, check, verdict, renderer)

    def first_scene(self) -> str:
        """A first scene to edit, made of the game's keys."""
        from silhouette.rules.data.first_scene import first_scene

        return first_scene(self.game, self.name)


def rule_at(path: Path, name: str | None = None) -> GameRule:
    """The rule system of a game file.

    Args:
        path: of the file.
        name: by which scenes call it; by default its path.

    Raises:
        FileError: where there is no such file, or it is no game.
    """
    try:
        status = path.stat()
    except OSError:
        raise FileError(path, "there is no such file; rules names a game, or the path of a game file") from None
    return _rule_of(path, name or str(path), status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=32)
def _rule_of(path: Path, name: str, changed: int, size: int) -> GameRule:
    """The rule system of a file as it is now."""
    game = read_game(path)
    levels = {ruling.name: ruling.level for ruling in game.rulings}
    about = {
        "__module__": __name__,
        "__doc__": f"{game.title}; see `GameRule`.",
        "game": game,
        "name": name,
        "title": game.title,
        "example": f"scenes/{path.stem}/example.toml",
        "levels": dict(sorted(levels.items(), key=lambda pair: list(Level).index(pair[1]))),
        "scene_entry": scene_entry(game),
        "readings_entry": readings_entry(game) if game.readings else None,
    }
    made: GameRule = type("GameRuleOf", (GameRule,), about)()
    return made
