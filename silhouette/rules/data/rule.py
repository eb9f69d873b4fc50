"""JUDGE, games by data: a game file as a rule system: how its scenes are read, judged and shown."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

from silhouette.common.errors import FileError
from silhouette.files.cache import Cache
from silhouette.rules.abilities import HasFirstScene
from silhouette.rules.base import Level, Settings, Verdict
from silhouette.rules.data.first_scene import first_scene
from silhouette.rules.data.game import Game, read_game
from silhouette.rules.data.judge import judge
from silhouette.rules.data.phrases import PHRASES
from silhouette.rules.data.results import DataVerdict
from silhouette.rules.data.ruling import brief_verdict, is_brief
from silhouette.rules.data.scene import DataScene, load_scene, readings_entry, scene_entry
from silhouette.rules.on_table import OnTable, places_of_attacker
from silhouette.scenes.places import Displacement
from silhouette.scenes.scene import Check


class GameRule(OnTable[DataScene, DataVerdict], HasFirstScene):
    """A game by data; see `silhouette.rules.base.Rule`. Each game has a class of its own, made by `rule_at`."""

    game: ClassVar[Game]
    verdict_type = DataVerdict
    phrases = PHRASES
    unmeasured = "lines, distances and outlines, on the meshes of the table"
    without_arcs = "{title} has no arcs to ask for; leave the arc out"

    def read(self, path: Path, document: dict[str, Any], cache: Cache) -> DataScene:
        """The table of models that a document describes, with what they say under the keys of the game."""
        return load_scene(self.game, self.name, path, document, cache)

    judge = staticmethod(judge)

    def elsewhere(self, scene: DataScene, check: Check) -> Sequence[Displacement]:
        """Where else its eye may be, where the game looks from it; see `places_of_attacker`."""
        is_eyeless = is_brief(self.game)
        return () if is_eyeless else places_of_attacker(scene.model(check.attacker), scene.significant_parts)

    def judge_quickly(self, requests: Sequence[tuple[DataScene, Check]], settings: Settings) -> Sequence[Verdict]:
        """The words of verdicts, by what tells soonest; those of a game that measures from an eye are judged in full.
        RequestError where a check names a piece that is not there, or terrain.
        """
        if not is_brief(self.game):
            return judge(requests, settings)
        return [brief_verdict(scene, check) for scene, check in requests]

    def basis(self, scene: DataScene) -> list[tuple[str, str]]:
        """The game file, and the distance from a threshold within which a share is too close to call."""
        return [("game", f"{self.title}; {self.game.source}"), *super().basis(scene)]

    def first_scene(self) -> str:
        """A first scene to edit, made of the game's keys."""
        return first_scene(self.game, self.name)


def rule_at(path: Path, name: str | None = None) -> GameRule:
    """The rule system of a game file, by its path or its name in scenes. FileError where it is missing or no game."""
    try:
        status = path.stat()
    except OSError:
        raise FileError(path, "there is no such file; rules names a game, or the path of a game file") from None
    return _rule_of(path, name or str(path), status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=32)
def _rule_of(path: Path, name: str, changed: int, size: int) -> GameRule:
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
