"""JUDGE, games by data: a game file as a rule system: how its scenes are read, judged and shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from silhouette.errors import FileError, RequestError
from silhouette.files.cache import Cache
from silhouette.files.schema import Location
from silhouette.geometry import Floats
from silhouette.meshes.mesh import Mesh
from silhouette.models.entries import ArcName
from silhouette.renderers.protocol import Renderer
from silhouette.rules.base import Figure, Level, Pieces, Rule, Settings, Verdict
from silhouette.rules.data.game import Game, read_game
from silhouette.rules.data.judge import judge
from silhouette.rules.data.phrases import PHRASES
from silhouette.rules.data.results import DataRow, DataVerdict
from silhouette.rules.data.scene import DataScene, load_scene, readings_entry, scene_entry
from silhouette.rules.expectations import expectable, expectable_word, keys_of, list_keys_of
from silhouette.rules.otherwise import Movers
from silhouette.rules.table import places_of_attacker, table_basis, table_meshes, table_pieces
from silhouette.scenes.motion import Mobility
from silhouette.scenes.places import Elsewhere, Move, TablePlaces, moved, without
from silhouette.scenes.scene import Check, between, everyone

if TYPE_CHECKING:
    from silhouette.drawing.in_3d.stage import Stage

LOOKERS = "fighters or vehicles"
"""The pieces that look and are looked at, in messages."""


class GameRule(Rule[DataScene, DataVerdict]):
    """A game by data; see `silhouette.rules.base.Rule`. Each game has a class of its own, made by `rule_at`.

    Attributes:
        game: that it judges by.
    """

    game: ClassVar[Game]
    row_type = DataRow
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
        for number, check in enumerate(scene.checks, 1):
            self._expectable(Location(path, f"check {number}"), check.expect or {})
        return scene

    def _expectable(self, location: Location, expect: Mapping[str, Any]) -> None:
        for key in ("verdict", "could_be"):
            wanted = expect.get(key, [])
            for word in wanted if isinstance(wanted, list) else [wanted]:
                expectable_word(location, key, word, list(self.levels))
        expectable(location, expect, keys_of(DataRow), list_keys_of(DataRow))

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

    def briefly(self, requests: Sequence[tuple[DataScene, Check]], settings: Settings) -> Sequence[Verdict]:
        """The words of verdicts, by what tells soonest; those of a game that measures from an eye are judged in full.

        Raises:
            RequestError: where a check names a piece that is not there, or terrain.
        """
        from silhouette.rules.data.brief import brief_verdict, is_brief  # not before odds are asked for

        if not is_brief(self.game):
            return judge(requests, settings)
        return [brief_verdict(scene, check) for scene, check in requests]

    def has_odds(self, check: Check) -> bool:
        """Every check has odds."""
        return True

    def moved(self, scene: DataScene, moves: Mapping[str, Move]) -> DataScene:
        """The scene with pieces moved.

        Raises:
            RequestError: where no piece has a name.
        """
        return moved(scene, moves)

    def places(self, scene: DataScene, name: str) -> TablePlaces:
        """Where a fighter or vehicle could stand.

        Raises:
            RequestError: where nothing has the name, or terrain has it.
        """
        return TablePlaces(scene, scene.model(name), moved)

    def movers(self, scene: DataScene, check: Check) -> Movers:
        """Both models can move; the attacker can turn where it is known where it faces."""
        attacker = scene.model(check.attacker)
        others = tuple(piece.name for piece in scene.pieces if piece.name not in (check.attacker, check.target))
        return Movers(True, True, attacker.facing is not None, others)

    def without(self, scene: DataScene, name: str) -> DataScene:
        """The scene without a piece.

        Raises:
            RequestError: where no piece has the name.
        """
        return without(scene, name)

    def middle(self, scene: DataScene, name: str) -> Floats:
        """(2,) mm: the centre of a piece's base, or of its footprint."""
        return scene.piece(name).base_centre

    def meshes(self, scene: DataScene) -> dict[str, Mesh]:
        """The significant parts of every piece."""
        return table_meshes(scene)

    def basis(self, scene: DataScene) -> list[tuple[str, str]]:
        """The game file, and the distance from a threshold within which a share is too close to call."""
        return [("game", f"{self.title}; {self.game.source}"), *table_basis(scene)]

    def pieces(self, scene: DataScene) -> Pieces:
        """Every piece: where it stands, where it looks from, and what its mesh is."""
        return table_pieces(scene)

    def figures(self, scene: DataScene, check: Check, verdict: DataVerdict, renderer: Renderer) -> list[Figure]:
        """What decided, in plan; and the eye view where something was measured from an eye."""
        from silhouette.rules.data.figures import figures  # not before something is drawn

        return figures(scene, check, verdict, renderer)

    def overview(self, scene: DataScene) -> Figure:
        """The table from above, on a grid in inches."""
        from silhouette.drawing.table.table_view import PAGE, draw_table

        return Figure("table", lambda sheet: draw_table(sheet, scene), width=PAGE)

    def map_ground(self, scene: DataScene) -> Figure:
        """The table from above, with the outlines of terrain on top."""
        from silhouette.drawing.table.table_view import PAGE, draw_table

        return Figure("map", lambda sheet: draw_table(sheet, scene, as_ground=True), width=PAGE)

    def stage(self, scene: DataScene, judged: Sequence[tuple[Check, DataVerdict]], cache: Cache) -> Stage:
        """The table with its models, and the line of sight of each check."""
        from silhouette.drawing.in_3d.table_stage import stage_of_table

        return stage_of_table(scene, [verdict for _, verdict in judged], cache)

    def check_stage(self, scene: DataScene) -> None:
        """Checks that the stage can be made: RequestError where the library that simplifies meshes is missing."""
        from silhouette.drawing.in_3d.table_stage import check_table

        check_table(scene)

    def first_scene(self, meshes: Sequence[str] = ()) -> str:
        """A first scene to edit, made of the game's keys.

        Raises:
            RequestError: where meshes are given.
        """
        from silhouette.rules.data.first_scene import first_scene

        if meshes:
            raise RequestError(f"a first scene of {self.title} takes no meshes; leave them out")
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
