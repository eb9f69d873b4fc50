"""In every game, what ``other_readings`` says of a check is what judging it by each other reading gives."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from silhouette.files.cache import Cache
from silhouette.files.documents import read_document
from silhouette.renderers import choose
from silhouette.rules import rule_called
from silhouette.rules.base import Rule, Settings, Verdict
from silhouette.rules.data.rule import GameRule
from silhouette.rules.fields import Alternative, alternatives
from tests.support.worked_cases import CASES, cases_of

SHIPPED = Path(__file__).resolve().parents[2] / "scenes"
FOLDERS = ("necromunda", "skirmishcorps", "tide_of_iron", "ikosa", "crisis_protocol")


def verdicts_on(rule: Rule[Any, Any], path: Path, document: dict[str, Any], *, remarks: bool = True) -> list[Verdict]:
    scene = rule.load(path, document, Cache.default())
    settings = Settings(choose(), 0.4, remarks=remarks)
    return list(rule.judge([(scene, check) for check in scene.checks], settings))


def switched(document: dict[str, Any], key: str, value: Any) -> dict[str, Any]:
    """With another reading; of checks that choose it themselves, there."""
    checks = [
        {name: value if name == key == "basis" else given for name, given in check.items() if name != "expect"}
        for check in document["check"]
    ]
    return {**document, "readings": {**document.get("readings", {}), key: value}, "check": checks}


def others(rule: Rule[Any, Any], document: dict[str, Any]) -> list[Alternative]:
    """Each single reading that a document does not choose; of a game by data, those that its file lists."""
    assert rule.readings_entry is not None
    readings = rule.readings_entry(**document.get("readings", {}))
    if not isinstance(rule, GameRule):
        return list(alternatives(readings))
    chosen = {name: document.get("readings", {}).get(name, entry.default) for name, entry in rule.game.readings.items()}
    return [
        Alternative(name, value)
        for name, entry in rule.game.readings.items()
        for value in (entry.choices or ((True, False) if isinstance(chosen[name], bool) else ()))
        if value != chosen[name]
    ]


def differing(path: Path, document: dict[str, Any]) -> Iterator[str]:
    """Each check of which ``other_readings`` are not those that give another verdict when they are chosen."""
    rule = rule_called(document["rules"])
    if rule.readings_entry is None:
        return
    verdicts = verdicts_on(rule, path, document)
    right: list[set[tuple[str, str]]] = [set() for _ in verdicts]
    for other in others(rule, document):
        judged = verdicts_on(rule, path, switched(document, other.key, other.value), remarks=False)
        for rows, verdict, otherwise, check in zip(right, verdicts, judged, document["check"], strict=True):
            if otherwise.verdict != verdict.verdict and check.get(other.key) != other.value:
                rows.add((str(other), otherwise.verdict))
    for number, (verdict, rows) in enumerate(zip(verdicts, right, strict=True), 1):
        named = {(row["reading"], row["verdict"]) for row in verdict.other_readings}
        own = {key for key in document["check"][number - 1] if key in rule.readings_entry.model_fields}
        if {row for row in named ^ rows if row[0].split(" = ")[0] not in own}:
            yield f"{path.name}, check {number}: {named} for {rows}"


@pytest.mark.thinned(quick=0, ci=30)
@pytest.mark.parametrize("folder", FOLDERS)
def test_of_each_scene_that_ships(folder: str) -> None:
    paths = sorted((SHIPPED / folder).glob("*.toml"))
    assert paths
    assert [line for path in paths for line in differing(path, read_document(path))] == []


@pytest.mark.thinned(quick=0, ci=10)
@pytest.mark.parametrize("part", range(4))
@pytest.mark.parametrize("game", sorted(path.stem for path in CASES.glob("*.toml")))
def test_of_each_worked_case(game: str, part: int) -> None:
    name = game.replace("_", "-")
    cases = cases_of(name)[part::4]
    assert [line for case in cases for line in differing(Path(f"{case.name}.toml"), case.scene(name))] == []


@pytest.mark.parametrize(("facing", "friends"), [(90, "disregarded"), (46, "disregarded"), (90, "block sight")])
def test_of_a_friend_in_front_of_a_wall(facing: float, friends: str) -> None:
    body = [{"cylinder": {"diameter": 25, "height": 3}, "base": True}, {"box": [12, 10, 30], "at": [0, 0, 3]}]
    people = [("Kal", "A", [0, 0]), ("Jax", "A", [0, 25.5]), ("Vex", "B", [0, 160])]
    document = {
        "rules": "necromunda",
        "readings": {"friends_in_contact": friends},
        "fighter": [
            {"name": name, "gang": gang, "at": at, "turn": 0, "facing": facing, "eye": [0, 0, 27], "parts": body}
            for name, gang, at in people
        ],
        "terrain": [{"name": "wall", "at": [-30, 100], "parts": [{"box": [60, 4, 40]}]}],
        "check": [{"attacker": "Kal", "target": "Vex"}],
    }
    assert list(differing(Path("friend.toml"), document)) == []
