"""DRAW: what is drawn of each game: by its rule, if that is a `GameDrawing` too, or else by a file here, in `GAMES`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Generic, TypeVar

from silhouette.drawing.in_3d.stage import Stage
from silhouette.drawing.sheet import Figure
from silhouette.files.cache import Cache
from silhouette.renderers.protocol import Renderer
from silhouette.rules import BY_DATA, RULES, rule_called
from silhouette.scenes.scene import Check

S = TypeVar("S")  # the scenes of a game

GAMES: Mapping[str, str] = {  # packages of games, and modules that have ``DRAWING``
    "silhouette.rules.crisis_protocol": "silhouette.drawing.games.crisis_protocol",
    "silhouette.rules.ikosa": "silhouette.drawing.games.ikosa",
    "silhouette.rules.necromunda": "silhouette.drawing.games.necromunda",
    "silhouette.rules.skirmishcorps": "silhouette.drawing.games.skirmishcorps",
    "silhouette.rules.tide_of_iron": "silhouette.drawing.games.tide_of_iron",
    BY_DATA: "silhouette.drawing.games.by_data",
}


class GameDrawing(Generic[S]):
    """What is drawn of a game: as it stands here, nothing."""

    def figures(self, scene: S, check: Check, verdict: Any, renderer: Renderer) -> list[Figure]:
        """The figures of a verdict judged with ``Settings(keep=True)``, the most telling first, by any renderer."""
        return []

    def overview(self, scene: S, *, as_ground: bool = False) -> Figure | None:
        """The figure of a whole scene, whether or not it has checks. As the ground of a map it has the outlines of
        terrain and all models above matplotlib's zorder 4, everything else below 3.5. If the unit of the drawing is not
        a mm, the data of the sheet say its length (``frame``, ``mm``).
        """
        return None

    def picture(self, scene: S, verdict: Any, renderer: Renderer, path: Path) -> bool:
        """Writes a picture of a verdict as a PNG, for which no matplotlib is needed; False if the game has none."""
        return False

    def stage(self, scene: S, judged: Sequence[tuple[Check, Any]], cache: Cache) -> Stage | None:
        """The scene in 3D, with its checks and verdicts in the order of the page; None if there is too much of it."""
        return None

    def check_stage(self, scene: S) -> None:
        """Checks that the stage can be made, before anything is judged: RequestError if it cannot."""


def drawing_of(rules: str) -> GameDrawing[Any]:
    """What is drawn of a game, by its name or the path of its file."""
    rule = rule_called(rules)
    if isinstance(rule, GameDrawing):
        return rule
    module = GAMES.get(RULES.get(rules, BY_DATA))
    if module is None:
        return GameDrawing()
    drawing: GameDrawing[Any] = import_module(module).DRAWING
    return drawing
