"""PLACE, games by data: a scene of such a game: a table of models, with what its pieces say under the game's keys."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, PlainValidator, WithJsonSchema, create_model

from silhouette.common.geometry import INCH
from silhouette.common.text import as_written
from silhouette.files.cache import Cache
from silhouette.files.schema import Entry, Location, Name, validated
from silhouette.rules.data.entries import ReadingEntry, is_value, words_of
from silhouette.rules.data.game import Game
from silhouette.rules.data.kinds import PRIMITIVES
from silhouette.rules.data.nodes import Call
from silhouette.rules.on_table import ModelScene
from silhouette.scenes.entries import FighterEntry, TableEntry, TerrainEntry, VehicleEntry
from silhouette.scenes.table import load_table_scene, looked_over, table_fields
from silhouette.scenes.warnings import PlacementWarning, groups_alike

UNSET_VALUES: Mapping[str, Any] = {"yes or no": False, "number": 0.0, "length": 0.0, "text": "", "words": ()}
"""The value of a key that says nothing and has no default, by its type."""

_JSON: Mapping[str, dict[str, Any]] = {"yes or no": {"type": "boolean"}, "text": {"type": "string"},
         "words": {"type": "array", "items": {"type": "string"}}}  # fmt: skip


class UnitEntry(Entry):
    """What every model of a game by data may say."""

    unit: Name | None = Field(None, description="a name in quotes")
    """The unit that a model belongs to; without it, it is a unit of its own."""


@dataclass(frozen=True, eq=False, repr=False)
class DataScene(ModelScene):
    """A table of fighters, vehicles and terrain, of a game by data.

    Attributes:
        game: by which it is judged.
        written: the game as the scene file names it.
        says: for each piece, by its name, its value under every key of the game; lengths in mm.
        units: the unit of each model, by its name.
        readings: (of `Scene`) pairs of the name of each reading and its value, as the scene writes it.
    """

    game: Game
    written: str
    says: Mapping[str, Mapping[str, Any]]
    units: Mapping[str, str]

    @property
    def rules_as_written(self) -> str:
        """The name of the game, or the path of its file seen from the scene's folder."""
        return self.written

    def reading(self, name: str) -> Any:
        """The value of a reading; a length in mm."""
        return value_of(self.game.readings[name], dict(self.readings)[name])


def value_of(entry: ReadingEntry, value: Any) -> Any:
    """A value as conditions know it, or the default where it is None.

    >>> inches = ReadingEntry(type="length", unit="inch", default=2, means="how high it counts")
    >>> value_of(inches, None), value_of(inches, 0.5)
    (50.8, 12.7)
    """
    if value is None:
        value = default_of(entry)
    if entry.type == "words":
        return frozenset(value)
    if entry.type in ("number", "length"):
        return float(value) * (INCH if entry.type == "length" and entry.unit == "inch" else 1.0)
    return value


def default_of(entry: ReadingEntry) -> Any:
    """The value of a key where a scene says nothing, as a scene would write it."""
    return UNSET_VALUES[entry.type] if entry.default is None else entry.default


@lru_cache(maxsize=64)
def scene_entry(game: Game) -> type[TableEntry]:
    """The schema of a game's scenes."""
    pieces: dict[str, Any] = {}
    for kind, base, keys in (
        ("terrain", (TerrainEntry,), game.terrain),
        ("fighter", (UnitEntry, FighterEntry), game.model),
        ("vehicle", (UnitEntry, VehicleEntry), game.model),
    ):
        entry: Any = _made(f"{kind.title()}Of", base, keys)
        pieces[kind] = (tuple[entry, ...], Field((), description=f"tables [[{kind}]]"))
    return create_model("SceneOf", __base__=TableEntry, **pieces)


@lru_cache(maxsize=64)
def readings_entry(game: Game) -> type[Entry]:
    """The schema of the table ``[readings]`` in a game's scenes."""
    return _made("Readings", (Entry,), game.readings)


def _made(class_name: str, bases: tuple[type[Entry], ...], keys: Mapping[str, ReadingEntry]) -> type[Entry]:
    fields = {name: (_field(key) | None, Field(None, description=words_of(key))) for name, key in keys.items()}
    build: Any = create_model
    made: type[Entry] = build(class_name, __base__=bases, **fields)
    made.own_meanings = {name: _sentence(key) for name, key in keys.items()}
    return made


def _sentence(key: ReadingEntry) -> str:
    """What a key means, and what it is without a word, in sentences."""
    default: Any = value_of(key, None) if key.type != "length" else key.default or 0
    default = sorted(default) if key.type == "words" else default
    return f"{key.means[:1].upper()}{key.means[1:]}. Without it, {as_written(default)}."


def _field(key: ReadingEntry) -> Any:
    def checked(value: Any) -> Any:
        if not is_value(key, value):
            raise ValueError
        return value

    schema = _JSON.get(key.type, {"type": "number"})
    if key.choices is not None:
        schema = {"enum": list(key.choices)} if key.type == "text" else {**schema, "items": {"enum": list(key.choices)}}
    return Annotated[Any, PlainValidator(checked), WithJsonSchema(schema)]


def load_scene(game: Game, rules: str, path: Path, document: Mapping[str, Any], cache: Cache) -> DataScene:
    """The scene of a game that a document describes. FileError where it or a model file is not valid: the place."""
    entry = validated(scene_entry(game), document, Location(path))
    says: dict[str, dict[str, Any]] = {}
    units: dict[str, str] = {}
    plain = dict(document)
    for kind, keys in (("terrain", game.terrain), ("fighter", game.model), ("vehicle", game.model)):
        for piece in getattr(entry, kind):
            says[piece.name] = {name: value_of(key, getattr(piece, name)) for name, key in keys.items()}
            if kind != "terrain":
                units[piece.name] = piece.name if piece.unit is None else piece.unit
        own = {*keys, *([] if kind == "terrain" else ["unit"])}
        if kind in plain:
            plain[kind] = [{key: value for key, value in table.items() if key not in own} for table in plain[kind]]
    scene = load_table_scene(path, plain, readings_entry(game), cache)
    # As plain values: a process that the scene is sent to has no class for the readings of this game.
    given = {name: value for name, value in scene.readings if value is not None}
    readings = tuple((name, given.get(name, default_of(key))) for name, key in game.readings.items())
    doubts = (*scene.placement_warnings, *_spelling_warnings(game, entry))
    fields = {**table_fields(scene), "rules": rules, "readings": readings, "placement_warnings": doubts}
    whole = DataScene(**fields, game=game, written=entry.rules, says=says, units=units)
    return looked_over(whole, faces=_looks(game))


def _spelling_warnings(game: Game, entry: TableEntry) -> Iterator[PlacementWarning]:
    """A warning where pieces that say the same in a text of their own, such as their unit, differ by case or blanks."""
    models = (*entry.fighter, *entry.vehicle)
    for pieces, keys in ((models, {"unit": None, **game.model}), (entry.terrain, game.terrain)):
        for name, key in keys.items():
            if key is None or (key.type == "text" and key.choices is None):
                texts = {piece.name: text for piece in pieces if (text := piece.model_dump(include={name})[name])}
                yield from groups_alike(f"texts of {name}", texts)


def _looks(game: Game) -> bool:
    """Whether it matters in a game where a model faces."""
    calls = (node for clause in game.clauses.values() for node in clause.when.everything() if isinstance(node, Call))
    return any(
        call.name == "in_arc"
        or "arc" in call.settings
        or "arc" in [parameter.name for parameter in PRIMITIVES[call.name].takes[: len(call.given)]]
        for call in calls
    )
