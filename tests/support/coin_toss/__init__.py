"""A sixth rule system, whole, for tests: who tosses the same side of a coin sees each other, unless a curtain is drawn.

It shows what a new game takes: a scene, a judge, a figure, a stage, and one entry in `silhouette.rules.RULES`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from pydantic import Field

from silhouette.common.geometry import Pose
from silhouette.drawing.games import GameDrawing
from silhouette.drawing.in_3d.shapes import pawn
from silhouette.drawing.in_3d.stage import Stage, StageCheck, StageItem, StageLine
from silhouette.drawing.marks import disc, line, title
from silhouette.drawing.sheet import Figure, Sheet
from silhouette.drawing.words.words import why
from silhouette.files.cache import Cache
from silhouette.files.schema import Entry, Location, Name, Number, validated
from silhouette.renderers.protocol import Renderer
from silhouette.rules.abilities import HasDescription
from silhouette.rules.base import Level, PieceTable, Rule, RuleReference, Settings, Verdict
from silhouette.rules.fields import GROUNDS, VERDICT, WHO_FIELDS, ResultField
from silhouette.scenes.entries import CheckEntry, SceneEntry
from silhouette.scenes.scene import Check, Scene

LEVELS = {"lucky": Level.CLEAR, "curtained": Level.PARTIAL, "unlucky": Level.BLOCKED}


class Readings(Entry):
    """``[readings]``: whether a curtain is drawn."""

    curtain: bool = Field(False, description="true or false")


class Player(Entry):
    """A ``[[player]]``."""

    name: Name = Field(description="a unique name, in quotes")
    at: tuple[Number, Number] = Field(description="two numbers, [x, y]")
    side: Literal["heads", "tails"] = Field(description='"heads" or "tails"')


class CoinTossEntry(SceneEntry):
    """A scene, whole."""

    player: tuple[Player, ...] = Field((), description="tables [[player]]")
    check: tuple[CheckEntry, ...] = Field((), description="tables [[check]]")


@dataclass(frozen=True, eq=False)
class CoinTossScene(Scene):
    """Players, by their names."""

    readings: Readings
    players: dict[str, Player]


@dataclass(frozen=True)
class CoinTossVerdict(Verdict):
    """A ruling, and whether both tossed the same side."""

    same: bool

    fields = (*WHO_FIELDS, VERDICT, *GROUNDS, ResultField("same", bool, "whether both tossed the same side"))


class CoinToss(
    Rule[CoinTossScene, CoinTossVerdict],
    GameDrawing[CoinTossScene],
    HasDescription[CoinTossScene],
):
    """The rules of the game."""

    name = "coin-toss"
    title = "Coin toss"
    reads = ("player", "check")
    example = "scenes/coin_toss.toml"
    levels = LEVELS
    verdict_type = CoinTossVerdict
    scene_entry = CoinTossEntry
    readings_entry = Readings
    kind_of_lookers = "players"

    def read(self, path: Path, document: dict[str, Any], cache: Cache) -> CoinTossScene:
        entry = validated(CoinTossEntry, document, Location(path))
        readings = validated(Readings, entry.readings, Location(path, "readings"))
        checks = tuple(Check(check.attacker, check.target, expect=check.expect) for check in entry.check)
        players = {player.name: player for player in entry.player}
        return CoinTossScene(path, entry.title, self.name, checks, readings, None, entry.source, (), players)

    def lookers(self, scene: CoinTossScene) -> list[str]:
        return list(scene.players)

    def judge(self, requests: Sequence[tuple[CoinTossScene, Check]], settings: Settings) -> list[CoinTossVerdict]:
        return [self._ruling(scene, check.attacker, check.target) for scene, check in requests]

    def _ruling(self, scene: CoinTossScene, attacker: str, target: str) -> CoinTossVerdict:
        same = scene.players[attacker].side == scene.players[target].side
        verdict = "unlucky" if not same else "curtained" if scene.readings.curtain else "lucky"
        reason = f"{attacker} and {target} tossed {'the same side' if same else 'different sides'}: {verdict}"
        rule = RuleReference("Tossing", "R1")
        return CoinTossVerdict(attacker, target, self.name, verdict, LEVELS[verdict], rule, reason, same)

    def figures(self, scene: CoinTossScene, check: Check, verdict: Any, renderer: Renderer) -> list[Figure]:
        def draw(sheet: Sheet) -> None:
            points = np.array([player.at for player in scene.players.values()])
            sheet.frame(*(points.min(axis=0) - 10.0).tolist(), *(points.max(axis=0) + 10.0).tolist())
            for number, (name, player) in enumerate(scene.players.items()):
                disc(sheet, player.at, 3.0, fill=sheet.style.seen, edge=sheet.style.ink, mark=f"player-{number}")
                sheet.label(name, player.at, clear=(3.0, 3.0))
            ends = [np.array(scene.players[name].at) for name in (check.attacker, check.target)]
            line(sheet, *ends, sheet.style.ink, mark="toss")
            sheet.caption(title(sheet, verdict), why(sheet.words, verdict))

        return [Figure("toss", draw, "The toss")]

    def stage(self, scene: CoinTossScene, judged: Sequence[tuple[Check, Any]], cache: Cache) -> Stage:
        numbers = {name: number for number, name in enumerate(scene.players)}
        items = tuple(
            StageItem(name, "player", 0, Pose.standing((*player.at, 0.0))) for name, player in scene.players.items()
        )
        sights = []
        for place, (check, verdict) in enumerate(judged):
            ends = tuple((*scene.players[name].at, 5.0) for name in (check.attacker, check.target))
            way = StageLine("free" if verdict.same else "blocked", ends)
            sights.append(
                StageCheck(place, numbers[check.attacker], numbers[check.target], free=verdict.same, lines=(way,))
            )
        return Stage((pawn(6.0, 12.0),), items, tuple(sights), ())

    def basis(self, scene: CoinTossScene) -> list[tuple[str, str]]:
        return [("coins", "one each")]

    def pieces(self, scene: CoinTossScene) -> PieceTable:
        return PieceTable(("name", "side"), [(player.name, player.side) for player in scene.players.values()])


RULE = CoinToss()
