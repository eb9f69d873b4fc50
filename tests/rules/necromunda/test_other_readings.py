"""Necromunda: a result names each single other reading that gives another verdict, as judging again with it does."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from silhouette.files.cache import Cache
from silhouette.measure.observation import Observation, Sight
from silhouette.measure.observe import PLAIN, ObservationRequest, observe_many
from silhouette.renderers import choose
from silhouette.renderers.protocol import Renderer
from silhouette.rules.base import Settings
from silhouette.rules.fields import alternatives
from silhouette.rules.necromunda.judge import NecromundaVerdict
from silhouette.rules.necromunda.rule import NECROMUNDA
from silhouette.rules.necromunda.scene import NecromundaScene, Readings
from tests.support.commands import run

EMBREE = choose()
FRIEND_IN_FRONT = Path(__file__).resolve().parents[4] / "shared" / "reports" / "scenes" / "ne_friend_in_front.json"
READINGS: dict[str, list[Any]] = {
    "share": ["whole target", "in arc"],
    "friends_in_contact": ["disregarded", "block sight"],
    "ignored_parts_block": [False, True],
}
BASE = {"cylinder": {"diameter": 25, "height": 3}, "base": True}


def figure(name: str, x: float, y: float, **more: Any) -> dict[str, Any]:
    parts = [BASE, {"box": [10, 20, 30], "at": [0, 0, 3]}]
    return {"name": name, "at": [x, y, 0], "facing": 0, "gang": name, "eye": [0, 0, 25], "parts": parts, **more}


class Counting:
    """An `Observer` that counts the sights that it is asked to measure."""

    def __init__(self) -> None:
        self.sights = 0

    def __call__(
        self, sights: Sequence[Sight], renderer: Renderer, pixel: float, request: ObservationRequest = PLAIN
    ) -> list[Observation]:
        self.sights += len(sights)
        return observe_many(sights, renderer, pixel, request)


def loaded(document: dict[str, Any]) -> NecromundaScene:
    asked = {"rules": "necromunda", "check": [{"attacker": "Kal", "target": "Vex"}]}
    return NECROMUNDA.load(Path("table.toml"), {**asked, **document}, Cache(None))


def judged(scene: NecromundaScene, observe: Any = observe_many, *, readings: bool = True) -> NecromundaVerdict:
    (verdict,) = NECROMUNDA.judge(
        [(scene, check) for check in scene.checks], Settings(EMBREE, 0.8, observe=observe, remarks=readings)
    )
    return verdict


def by_judging_again(scene: NecromundaScene) -> list[dict[str, Any]]:
    """What ``other_readings`` must be: the scene judged with each single other value."""
    now, rows = judged(scene, readings=False), list[dict[str, Any]]()
    for key, values in READINGS.items():
        (value,) = set(values) - {getattr(scene.readings, key)}
        changed = Readings(**{**scene.readings.model_dump(), key: value})
        other = judged(replace(scene, readings=changed), readings=False)
        if other.verdict != now.verdict:
            name = str(value).lower() if isinstance(value, bool) else value
            row: dict[str, Any] = {"reading": f"{key} = {name}", "verdict": other.verdict}
            rows.append({**row, "could_be": list(other.could_be)} if len(other.could_be) > 1 else row)
    return rows


def random_table(chance: random.Random) -> dict[str, Any]:
    """Two models, the target in the arc or at its edge; friends in contact, banners and bases in the way, a wall."""
    off = chance.choice([0.0, 44.0, 45.0])
    target = figure("Vex", chance.uniform(120, 250), chance.uniform(-15, 15), facing=180)
    fighters = [target]
    kal = figure("Kal", 0, 0, facing=chance.choice([-off, off]), gang="A")
    document: dict[str, Any] = {"fighter": fighters}
    if chance.random() < 0.25:
        eyes = {"front": [10, 0, 25], "left": [0, 10, chance.choice([12, 40])]}
        hull = {"parts": [{"box": [40, 40, 20]}], "arcs": ["front", "left"], "eyes": eyes}
        document["vehicle"] = [{key: kal[key] for key in ("name", "at", "facing", "gang")} | hull]
    else:
        fighters.append(kal)
    for number in range(chance.choice([0, 1, 1])):  # a friend, most often in base contact
        body = [BASE, {"box": [8, chance.choice([20, 90]), chance.choice([20, 45])], "at": [0, 0, 3]}]
        place = (chance.choice([25.5, 25.5, 60]), chance.uniform(-8, 8))
        fighters.append(figure(f"friend {number}", *place, gang="A", parts=body))
    for number in range(chance.choice([0, 1, 1])):  # a stranger on high ground: its base, or a banner, is in the way
        banner = {"box": [2, chance.choice([15, 30, 200]), chance.choice([30, 60])], "at": [0, 0, -10]}
        parts = [BASE, {"box": [4, 4, 10], "at": [0, 0, 3]}, {**banner, "insignificant": True}]
        place = (100.0, chance.uniform(-15, 15))
        fighters.append(figure(f"stranger {number}", *place, parts=parts) | {"at": [*place, chance.uniform(0, 25)]})
    if chance.random() < 0.5:
        height = chance.choice([12, 20, 26])
        wall = {"box": [2, chance.choice([20, 200]), height]}
        document["terrain"] = [{"name": "wall", "at": [115, chance.uniform(-20, 20), 0], "parts": [wall]}]
    document["readings"] = {key: chance.choice(values) for key, values in READINGS.items()}
    return document


WALL = {"name": "wall", "at": [100, 0], "parts": [{"box": [2, 200, 60]}]}
KAL, VEX = figure("Kal", 0, 0, gang="A"), figure("Vex", 200, 0, facing=180)
FRIEND = figure("Ann", 25.5, 0, gang="A")
BANNER = {"box": [2, 200, 60], "insignificant": True}
TELLING: dict[str, dict[str, Any]] = {
    "share": {
        "fighter": [KAL | {"facing": -45}, VEX],  # half of it in the arc, and most of that behind a pole
        "terrain": [{"name": "pole", "at": [187, -3, 0], "parts": [{"box": [0.5, 5, 60]}]}],
    },
    "friends_in_contact": {"fighter": [KAL, VEX, FRIEND]},
    "ignored_parts_block": {"fighter": [KAL, VEX, figure("Ann", 100, 0, parts=[BASE, {"box": [4, 4, 4]}, BANNER])]},
}
"""A table for each reading that decides there."""


def is_told(scene: NecromundaScene) -> NecromundaVerdict:
    """The verdict, of which ``other_readings`` are as they must be, the reason tells them, and nothing else differs."""
    verdict, alone = judged(scene), judged(scene, readings=False)
    assert list(verdict.other_readings) == by_judging_again(scene)
    row, plain = verdict.row(), alone.row()
    assert {key for key in row if row[key] != plain[key]} <= {"other_readings", "reason"}  # type: ignore[literal-required]
    assert verdict.reason.startswith(alone.reason)
    told = verdict.reason.removeprefix(alone.reason)
    assert ("if " in told) == bool(verdict.other_readings)
    assert not told or verdict.other_readings or "disregarded" in told
    for other in verdict.other_readings:
        assert f" ({other['reading']}): {other['verdict']}" in verdict.reason
    return verdict


@pytest.mark.parametrize("seed", range(24))
def test_each_other_reading_gives_what_judging_again_with_it_gives(seed: int) -> None:
    is_told(loaded(random_table(random.Random(seed))))


@pytest.mark.parametrize("key", READINGS)
@pytest.mark.parametrize("chosen", [0, 1])
def test_a_reading_that_decides_is_told_whichever_is_chosen(key: str, chosen: int) -> None:
    verdict = is_told(loaded({**TELLING[key], "readings": {key: READINGS[key][chosen]}}))
    assert [other["reading"].split(" = ")[0] for other in verdict.other_readings] == [key]


IN_THE_WAY: dict[str, tuple[dict[str, Any], int]] = {
    "nobody else": ({"fighter": [KAL, VEX]}, 1),
    "a friend before it": ({"fighter": [KAL, VEX, FRIEND]}, 2),
    "a friend beside it": ({"fighter": [KAL, VEX, FRIEND | {"at": [0, 25.5]}]}, 1),
    "a friend behind who looks": ({"fighter": [KAL, VEX, FRIEND | {"at": [-25.5, 0]}]}, 1),
    "hidden already": ({"fighter": [KAL, VEX, FRIEND], "terrain": [WALL]}, 1),
    "a stranger's base, below what is seen": ({"fighter": [KAL, VEX, figure("Ann", 100, 0)]}, 1),
    "a stranger's base, above that": ({"fighter": [KAL, VEX, figure("Ann", 100, 0) | {"at": [100, 0, 12]}]}, 2),
    "a target half in the arc": ({"fighter": [KAL | {"facing": 45}, VEX]}, 1),
}
"""Tables with how many sights are measured: two if a reading can matter that asks for another one, else one."""


@pytest.mark.parametrize("name", IN_THE_WAY)
def test_a_reading_that_cannot_matter_is_not_measured(name: str) -> None:
    document, sights = IN_THE_WAY[name]
    counting = Counting()
    judged(loaded(document), counting)
    assert counting.sights == sights


def test_a_reading_that_is_itself_too_close_says_what_it_could_be() -> None:
    """Half of the arc's part of the target is obscured, and a quarter of the target."""
    kal, vex = figure("Kal", 0, 0, facing=-45), figure("Vex", 200, 0, facing=180)
    wall = {"name": "wall", "at": [187, -5, 0], "parts": [{"box": [0.5, 10, 18.1]}]}  # to half its height
    document = {"fighter": [kal | {"eye": [0, 0, 18]}, vex], "terrain": [wall], "tolerance": 0.03}
    verdict = judged(loaded(document))
    (other,) = verdict.other_readings
    assert (verdict.verdict, verdict.marginal) == ("partial cover", False)
    assert other["could_be"] == ["partial cover", "full cover"]
    assert verdict.reason.endswith("(share = in arc): full cover, too close to call itself")


@pytest.mark.skipif(not FRIEND_IN_FRONT.is_file(), reason="needs ../shared (reports), which is not here")
def test_a_friend_in_front_is_told_in_json_csv_and_expected(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hidden = [{"reading": "friends_in_contact = block sight", "verdict": "hidden"}]
    document = json.loads(FRIEND_IN_FRONT.read_text())
    document["check"][0]["expect"] = {"verdict": "open", "other_readings": hidden}
    scene = tmp_path / "friend.json"
    scene.write_text(json.dumps(document))
    told = run(capsys, "check", str(scene), "--json")
    assert told.status == 0
    assert json.loads(told.out)["scenes"][0]["results"][0]["other_readings"] == hidden
    assert "blocked line of sight (friends_in_contact = block sight): hidden" in " ".join(
        run(capsys, "check", str(scene)).out.split()
    )
    rows = tmp_path / "rows.csv"
    assert run(capsys, "batch", str(scene), "--out", str(rows)).status == 0
    assert json.dumps(hidden).replace('"', '""') in rows.read_text()


def test_alternatives_are_all_values_but_the_chosen() -> None:
    assert NECROMUNDA.readings_entry is not None
    told = [str(one) for one in alternatives(NECROMUNDA.readings_entry())]
    assert told == ["share = in arc", "friends_in_contact = block sight", "ignored_parts_block = true"]
