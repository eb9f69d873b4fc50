"""Games that have a folder of their own, as data: on worked cases and example scenes both say the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import shapely

from silhouette.common.geometry import Pose
from silhouette.files.cache import Cache
from silhouette.files.documents import read_document
from silhouette.files.reading import examples_folder
from silhouette.models.entries import FigureEntry
from silhouette.models.stand_ins import stand_in
from silhouette.renderers import choose
from silhouette.rules import rule_called
from silhouette.rules.base import Settings
from silhouette.rules.data.scene import DataScene
from silhouette.rules.skirmishcorps.classes import BRICK
from silhouette.rules.skirmishcorps.entries import Readings
from silhouette.rules.skirmishcorps.scene import SkirmishScene
from silhouette.rules.skirmishcorps.shooting import look_at
from silhouette.scenes.pieces import Piece
from silhouette.scenes.scene import Check
from tests.relations.pieces import piece
from tests.support.shapes import mesh

GAMES = Path(__file__).parent / "games"
CASES = Path(__file__).resolve().parents[4] / "shared" / "rules" / "cases"

ONLY_HERE = ("arc", "expect")
"""Keys of checks that a game by data does not take, or that only one of the two has."""


def examples(game: str) -> list[Path]:
    """The example scenes and the worked cases of a game."""
    return [
        *sorted(examples_folder().glob(f"scenes/{game}/*.toml")),
        *sorted((CASES / game.replace("_", "-")).glob("*.json")),
    ]


def as_data(document: dict[str, Any], game: str) -> dict[str, Any]:
    """The same scene, of the game as data."""
    checks = [{key: value for key, value in one.items() if key not in ONLY_HERE} for one in document.get("check", [])]
    kept = {key: value for key, value in document.items() if key != "readings"}
    return {**kept, "rules": str(GAMES / f"{game}.toml"), "check": checks}


def can_be_said(document: dict[str, Any]) -> bool:
    """Whether the game as data says all that a scene asks: no other readings, no crew with arcs of their own."""
    arcs = any("arc" in check for check in document.get("check", []))
    return not document.get("readings") and not arcs and not document.get("vehicle")


@pytest.mark.thinned(quick=15, ci=15)
@pytest.mark.parametrize("path", examples("necromunda"), ids=lambda path: path.stem)
def test_necromunda_as_data_says_the_same(path: Path) -> None:
    document = read_document(path)
    if not can_be_said(document):
        pytest.skip("the game as data has neither this scene's readings nor vehicles")
    plain = rule_called("necromunda")
    game = rule_called(str(GAMES / "necromunda.toml"))
    one = plain.load(path, document, Cache.default())
    other = game.load(path, as_data(document, "necromunda"), Cache.default())
    assert isinstance(other, DataScene)
    settings = Settings(choose("embree"), one.pixel or 0.1)
    checks = one.checks or plain.everyone(one)
    pairs = zip(
        plain.judge([(one, check) for check in checks], settings),
        game.judge([(other, check) for check in checks], settings),
        strict=True,
    )
    for found, said in pairs:
        row, own = said.row(), found.row()
        assert (said.verdict, said.level) == (found.verdict, found.level)
        assert row["line_of_sight"] == own["line_of_sight"]
        assert set(row["could_be"]) == set(own["could_be"])
        assert row["occluded"] == own["occluded"]
        assert row["blockers"] == own["blockers"]


# Of games whose scenes have no meshes, the pieces are put on a table of the game as data one by one.


def on_the_table(game: str, path: Path, says: Mapping[str, Any], pieces: Iterable[Piece], readings: Any) -> DataScene:
    """A scene of a game as data.

    Args:
        game: after which its file is called.
        path: of the scene that it is like.
        says: what each piece says under the game's keys, by its name.
        pieces: all of them.
        readings: of the rules.
    """
    pieces = tuple(pieces)
    place_holders = {"fighter": {"figure": {"base": 32.0, "height": 38.0}}, "terrain": {"parts": [{"box": [1, 1, 1]}]}}
    document: dict[str, Any] = {"rules": str(GAMES / f"{game}.toml"), "readings": readings}
    for kind, model in place_holders.items():
        document[kind] = [
            {"name": one.name, "at": [0.0, 0.0], **model, **says[one.name]} for one in pieces if one.kind == kind
        ]
    scene = rule_called(document["rules"]).load(path, document, Cache.default())
    assert isinstance(scene, DataScene)
    by_name = {one.name: one for one in pieces}
    return replace(scene, pieces=tuple(by_name[one.name] for one in scene.pieces))


def agree(game: str, scene: DataScene, verdicts: Sequence[Any], settings: Settings) -> None:
    """Holds if a game as data gives the same verdicts."""
    checks = [Check(verdict.attacker, verdict.target) for verdict in verdicts]
    for own, said in zip(
        verdicts,
        rule_called(str(GAMES / f"{game}.toml")).judge([(scene, check) for check in checks], settings),
        strict=True,
    ):
        assert (said.verdict, said.level) == (own.verdict, own.level)
        assert said.row()["line_of_sight"] == own.row()["line_of_sight"]
        assert said.row()["could_be"] == own.row().get("could_be", [own.verdict])


def standing(name: str, at: Sequence[float], base: float) -> Piece:
    """A model 30 mm high on a base that is exactly round."""
    model = stand_in(FigureEntry(base=base, height=30.0), "fighter")
    assert model.base is not None
    model = replace(model, base=replace(model.base, is_round=True))
    return Piece(name, "fighter", model, Pose.standing((*at, 0.0)), None, 0.0, ("front",), None, {}, 0)


def prism(name: str, outline: Sequence[Sequence[float]]) -> Piece:
    """Terrain 30 mm high on an outline, which may be concave."""
    area = shapely.orient_polygons(shapely.Polygon(outline))
    ring = shapely.get_coordinates(area)[:-1]
    flat = shapely.get_parts(shapely.constrained_delaunay_triangles(area))
    caps = [np.column_stack([shapely.get_coordinates(one)[:3], np.full(3, z)]) for one in flat for z in (0.0, 30.0)]
    low, high = (np.column_stack([ring, np.full(len(ring), z)]) for z in (0.0, 30.0))
    onward, above = np.roll(low, -1, axis=0), np.roll(high, -1, axis=0)
    sides = [np.stack(corners, axis=1) for corners in ((low, onward, above), (low, above, high))]
    triangles = np.concatenate([np.array(caps), *sides]).reshape(-1, 3)
    return piece(mesh(triangles, np.arange(len(triangles))), name)[0]


@pytest.mark.thinned(quick=15, ci=15)
@pytest.mark.parametrize("path", examples("crisis_protocol"), ids=lambda path: path.stem)
def test_crisis_protocol_as_data_says_the_same(path: Path) -> None:
    document = read_document(path)
    rule = rule_called("crisis-protocol")
    scene = rule.load(path, document, Cache.default())
    characters, terrain = document["character"], document.get("terrain", [])
    names = {one["name"] for one in characters}
    checks = [one for one in scene.checks or rule.everyone(scene) if one.target in names - {one.attacker}]
    if not checks:
        pytest.skip("targets of the game as data are characters, and others than who looks")
    pieces = [prism(one["name"], one["polygon"]) for one in terrain]
    pieces += [standing(one["name"], one["at"], one["base"]) for one in characters]
    says = {one["name"]: {"size": one["size"]} for one in terrain}
    for one in characters:
        stands_on, granted = one.get("on", ""), one.get("granted_cover", False)
        says[one["name"]] = {"size": one["size"], "stands_on": stands_on, "granted_cover": granted}
    ranges = {"range_one": document["ranges"]["1"], "range_two": document["ranges"]["2"]}
    table = on_the_table("crisis_protocol", path, says, pieces, {**ranges, **document.get("readings", {})})
    settings = Settings(choose("embree"), 0.1)
    agree("crisis_protocol", table, rule.judge([(scene, check) for check in checks], settings), settings)


SAID_BY_DATA: dict[str, Any] = {"protection_within": "any distance", "peeking": False}
"""The readings of SkirmishCorps that the game as data has: it asks for no nearness, and moves no eye."""


def asks_for_protection(path: Path) -> bool:
    return any(check.get("ask", "protection") == "protection" for check in read_document(path).get("check", []))


@pytest.mark.thinned(quick=15, ci=15)
@pytest.mark.parametrize("path", [*filter(asks_for_protection, examples("skirmishcorps"))], ids=lambda path: path.stem)
def test_protection_of_skirmishcorps_as_data_says_the_same(path: Path) -> None:
    rule = rule_called("skirmishcorps")
    document = read_document(path)
    readings = document.get("readings", {}) | SAID_BY_DATA
    scene = rule.load(path, {**document, "readings": readings}, Cache.default())
    assert isinstance(scene, SkirmishScene)
    checks = [one for one in scene.checks or rule.everyone(scene) if is_plain_protection(scene, one)]
    if not checks:
        pytest.skip("an eye is raised over cover or held down behind it, or the readings are others")
    says: dict[str, Any] = {cover.name: {} for cover in scene.covers}
    says |= {unit.name: {"tall": unit.bricks * BRICK, "posture": unit.posture} for unit in scene.units}
    table = on_the_table("skirmishcorps", path, says, scene.pieces, {})
    settings = Settings(choose("embree"), scene.pixel or 0.1)
    agree("skirmishcorps", table, rule.judge([(scene, check) for check in checks], settings), settings)


def is_plain_protection(scene: SkirmishScene, check: Check) -> bool:
    """Whether a check is about protection, under the first readings, and from the attacker's own eye."""
    question = getattr(check, "question", None)
    if question is not None and question.ask != "protection":
        return False
    attacker, target = scene.unit(check.attacker), scene.unit(check.target)
    look = look_at(scene, attacker, target.piece, target.standing)
    return (
        scene.readings == Readings(**SAID_BY_DATA)
        and not look.blind
        and bool((look.sight.eye == attacker.piece.eye).all())
    )
