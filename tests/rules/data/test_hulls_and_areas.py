"""What games measure from the hull of a vehicle, and where a unit stands in an area: whole, in part, at its border."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from silhouette.common.errors import FileError
from silhouette.files.cache import Cache
from silhouette.renderers import choose
from silhouette.rules import rule_called
from silhouette.rules.base import Settings
from silhouette.rules.data.results import DataVerdict
from tests.support.commands import run

GAME = """
title = "Hulls and areas"
source = "none"
line_of_sight = "so"
unit = "mm"

[keys.terrain.wood]
type = "yes or no"
means = "whether it is a wood"

[[clause]]
name = "so"
number = "1"
when = \"\"\"
WHEN
\"\"\"
text = "TEXT"
otherwise = "not: TEXT"
source = "none"

[[verdict]]
name = "yes"
level = "partial"
when = "so"

[[verdict]]
name = "no"
level = "clear"
"""

HULL = [{"cylinder": {"diameter": 60, "height": 4}, "base": True}, {"box": [120, 60, 30], "at": [0, 0, 20]}]
"""A hull of 120 x 60 mm that hovers over a round base of 60 mm: it reaches 30 mm out at both ends."""
TANK = {"name": "tank", "at": [0, 0], "facing": 0, "front": 0, "parts": HULL}
VEX = {"name": "Vex", "at": [160, 0], "facing": 180, "figure": {"base": 32, "height": 30}}


def wood(name: str, left: float, right: float, low: float = -100.0, high: float = 100.0, tall: float = 1) -> Any:
    box = {"box": [right - left, high - low, tall]}
    return {"name": name, "at": [(left + right) / 2, (low + high) / 2], "parts": [box], "wood": True}


def document(folder: Path, when: str, *terrain: dict[str, Any], **keys: Any) -> dict[str, Any]:
    """A scene in which a tank and Vex look at each other, and a game of one condition beside it."""
    text = keys.pop("text", "so it is")
    (folder / "game.toml").write_text(GAME.replace("WHEN", when).replace("TEXT", text), encoding="utf-8")
    both = [{"attacker": "tank", "target": "Vex"}, {"attacker": "Vex", "target": "tank"}]
    pieces = {"vehicle": [TANK], "fighter": [VEX], "terrain": list(terrain), "check": both}
    return {"rules": "game.toml", **pieces, **keys}


def judged(folder: Path, when: str, *terrain: dict[str, Any], **keys: Any) -> DataVerdict:
    """The verdict on the tank that looks at Vex."""
    entries = document(folder, when, *terrain, **keys)
    rule = rule_called(str(folder / "game.toml"))
    scene = rule.load(folder / "scene.toml", entries, Cache(None))
    (verdict,) = rule.judge([(scene, scene.checks[0])], Settings(choose(), 0.1))
    assert isinstance(verdict, DataVerdict)
    return verdict


def holds(folder: Path, when: str, *terrain: dict[str, Any], **keys: Any) -> bool:
    verdict = judged(folder, when, *terrain, **keys)
    assert verdict.could_be == (verdict.verdict,)
    return verdict.verdict == "yes"


def odds_of(folder: Path, capsys: pytest.CaptureFixture[str], when: str, *terrain: Any, **keys: Any) -> list[str]:
    """The verdicts on the tank that looks at Vex which have odds."""
    entries = document(folder, when, *terrain, **keys)
    path = folder / "scene.json"
    path.write_text(json.dumps({**entries, "check": entries["check"][:1]}), encoding="utf-8")
    (scene,) = run(capsys, "check", path, "--odds", "--json").document["scenes"]
    (row,) = scene["results"]
    return sorted(name for name, share in row["odds"].items() if share)


# ---- hulls


@pytest.mark.parametrize(
    ("of", "measured", "millimetres"),
    [
        ("base", "in plan", 160 - 30 - 16),
        ("hull", "in plan", 160 - 60 - 16),
        ("whole", "in plan", 160 - 60 - 16 - 24),  # to the spear
        ("hull", "in space", np.hypot(160 - 60 - 16, 20 - 3)),  # from the lower edge of the hull to the base of Vex
    ],
)
def test_a_distance_is_measured_from_the_hull_of_a_vehicle_to_the_base_of_a_fighter(
    tmp_path: Path, of: str, measured: str, millimetres: float
) -> None:
    spear = {"name": "Vex", "at": [160, 0], "facing": 180, "front": 0, "parts": [
        {"cylinder": {"diameter": 32, "height": 3}, "base": True}, {"box": [80, 2, 2], "at": [0, 0, 30]}]}  # fmt: skip
    (clause,) = judged(tmp_path, f"distance(attacker, target, of = '{of}', measured = '{measured}') < 1 mm",
                       fighter=[spear]).clauses  # fmt: skip
    assert clause.values["distance"] == pytest.approx(millimetres, abs=0.01)


def test_lines_begin_anywhere_in_the_outline_of_a_hull(tmp_path: Path) -> None:
    under_its_bow = wood("fence", 45, 50)
    assert holds(tmp_path, "crossed(attacker, target, terrain, by = 'all')", under_its_bow)
    assert not holds(tmp_path, "crossed(attacker, target, terrain, by = 'all', of = 'hull')", under_its_bow)
    assert holds(tmp_path, "crossed(attacker, target, terrain, of = 'hull')", under_its_bow)
    beside = wood("fence", 55, 60, low=25)  # beside all lines between the bases
    assert not holds(tmp_path, "crossed(attacker, target, terrain)", wood("fence", 57, 60, low=27.5))
    assert holds(tmp_path, "crossed(attacker, target, terrain, of = 'hull')", wood("fence", 57, 60, low=27.5))
    assert holds(tmp_path, "crossed(attacker, target, terrain, of = 'hull')", beside)


def test_what_lies_near_to_a_hull_counts_from_the_hull(tmp_path: Path) -> None:
    fence = wood("fence", 75, 80)  # 15 mm from the hull, 45 mm from the base
    near = "crossed(target, attacker, parts(terrain, within = 1 inch), by = 'facing'"
    assert not holds(tmp_path, f"{near})", fence)
    assert holds(tmp_path, f"{near}, of = 'hull')", fence)
    far = "crossed(attacker, target, parts(terrain, beyond = 30 mm)"
    assert holds(tmp_path, f"{far})", fence)
    assert not holds(tmp_path, f"{far}, of = 'hull')", fence)


@pytest.mark.parametrize(
    ("question", "by_base", "by_hull"),
    [
        ("wholly_within(attacker, terrain{})", True, False),
        ("over(attacker, terrain{}) >= 100 %", True, False),
        ("over(attacker, terrain{}) > 60 %", True, True),
        ("in_arc(target, attacker, 20{})", False, True),
    ],
)
def test_areas_and_arcs_may_count_the_hull(tmp_path: Path, question: str, by_base: bool, by_hull: bool) -> None:
    area = wood("wood", -40, 40)
    aside = [{**VEX, "at": [90, 0], "facing": 90 + 45}]
    assert holds(tmp_path, question.format(""), area, fighter=aside) is by_base
    assert holds(tmp_path, question.format(", of = 'hull'"), area, fighter=aside) is by_hull


def test_between_fighters_the_hull_is_the_base(tmp_path: Path) -> None:
    fence, kal = wood("fence", 100, 105), {**VEX, "name": "tank", "at": [0, 0]}
    for question in ("distance(attacker, target{}) < 128.01 mm", "not distance(attacker, target{}) < 127.99 mm",
                     "crossed(attacker, target, terrain, by = 'all'{})"):  # fmt: skip
        for of in ("", ", of = 'hull'"):
            assert holds(tmp_path, question.format(of), fence, fighter=[VEX, kal], vehicle=[])


def test_a_mistake_about_hulls_is_told_with_its_line_and_column(tmp_path: Path) -> None:
    for question, words in (
        ("crossed(attacker, target, terrain, of = 'hul')", "line 15, column 41: clause 'so': of cannot be 'hul'"),
        ("crossed(attacker, target, terrain, measured = 'in space', of = 'hull')",
         "line 15, column 64: clause 'so': of is for lines seen from above; in space give points, such as"),
        ("over(attacker, terrain, of = 'body') > 0", "line 15, column 30: clause 'so': of cannot be 'body'"),
        ("over(attacker, terrain) > 1 mm", "line 15, column 1: clause 'so': a length is compared with a number"),
        ("over(attacker, terrain) > 120 %", "line 15, column 1: clause 'so': cannot be true"),
    ):  # fmt: skip
        with pytest.raises(FileError) as refused:
            judged(tmp_path, question)
        assert words in str(refused.value)


def test_odds_and_the_plan_measure_from_the_hull(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    near = "distance(attacker, target, of = 'hull') <= 84.1 mm"
    assert odds_of(tmp_path, capsys, near) == ["no", "yes"]
    assert odds_of(tmp_path, capsys, near.replace("84.1", "60")) == ["no"]
    crossed = "crossed(attacker, target, terrain, of = 'hull') and distance(attacker, target, of = 'hull') < 90 mm"
    path = tmp_path / "scene.json"
    path.write_text(json.dumps(document(tmp_path, crossed, wood("fence", 57, 60, low=27.5))), encoding="utf-8")
    run(capsys, "draw", path, "--check", "1", "--out", tmp_path / "figures")
    (plan,) = (tmp_path / "figures").glob("*-plan.svg")
    drawn = plan.read_text(encoding="utf-8")
    assert 'id="crossed-1"' in drawn
    assert "nearest points: 84 mm" in drawn


# ---- areas


def square(x: float) -> dict[str, Any]:
    """A model on a square base of 32 mm."""
    parts = [{"box": [32, 32, 3], "base": True}, {"box": [10, 10, 30], "at": [0, 0, 3]}]
    return {"name": "Vex", "at": [x, 0], "facing": 180, "parts": parts}


STANDS = {"wholly": "over(target, terrain) >= 100 %", "mostly": "over(target, terrain) > 50 %",
          "in part": "over(target, terrain) > 0 %", "near": "distance(target, terrain) <= 1 inch"}  # fmt: skip


@pytest.mark.parametrize(
    ("left", "ways"),
    [
        (140.0, ["wholly", "mostly", "in part", "near"]),
        (144.0, ["wholly", "mostly", "in part", "near"]),  # its base touches the border from within
        (144.1, ["mostly", "in part", "near"]),
        (159.9, ["mostly", "in part", "near"]),
        (160.1, ["in part", "near"]),
        (175.99, ["in part", "near"]),
        (176.0, ["near"]),  # its base touches the border from outside
        (201.3, ["near"]),
        (201.5, []),
    ],
)
def test_a_model_stands_in_an_area_wholly_mostly_or_in_part(tmp_path: Path, left: float, ways: list[str]) -> None:
    area = wood("wood", left, 300)
    assert [way for way, question in STANDS.items() if holds(tmp_path, question, area)] == ways
    assert holds(tmp_path, "wholly_within(target, terrain)", area) is ("wholly" in ways)
    assert holds(tmp_path, "over(target, terrain) > 0 %", area, fighter=[square(160)]) is ("in part" in ways)
    assert holds(tmp_path, "wholly_within(target, terrain)", area, fighter=[square(160)]) is ("wholly" in ways)


def test_a_base_across_two_areas_is_in_both_together_and_in_neither_wholly(tmp_path: Path) -> None:
    for seam in (160.0, 155.0):
        halves = wood("west", 100, seam), wood("east", seam, 220)
        assert holds(tmp_path, "over(target, terrain) >= 100 %", *halves)
        assert holds(tmp_path, "wholly_within(target, terrain)", *halves)
        assert not holds(tmp_path, "any(one in terrain: over(target, one) >= 100 %)", *halves)
        assert holds(tmp_path, "all(one in terrain: over(target, one) > 0)", *halves)
    shares = judged(tmp_path, "all(one in terrain: over(target, one) < 80 %)", *halves, text="{over}")
    (clause,) = shares.clauses
    assert sum(clause.values.values()) == pytest.approx(1.0)
    overlapping = wood("west", 100, 170), wood("east", 150, 220)
    assert judged(tmp_path, "over(target, terrain) < 100 %", *overlapping).clauses[0].values["over"] == 1.0


def test_what_covers_most_of_a_base_is_named_first_in_results(tmp_path: Path) -> None:
    halves = wood("west", 100, 155), wood("east", 155, 220)
    verdict = judged(tmp_path, "over(target, terrain) > 0", *halves, wood("far", 300, 310), text="in, with {over}")
    assert verdict.reason == "yes: in, with 100 % (clause 1)"
    assert verdict.deciding == ("east", "west")


@pytest.mark.parametrize(("height", "on_top"), [(0.0, False), (40.0, True)])
def test_on_top_of_a_piece_is_over_it_at_its_height(tmp_path: Path, height: float, on_top: bool) -> None:
    hill = wood("hill", 120, 220, tall=40)
    standing = [{**VEX, "at": [160, 0, height]}]
    question = "any(one in terrain: over(target, one) >= 100 % and target.ground >= one.top - 1 mm)"
    assert holds(tmp_path, question, hill, fighter=standing) is on_top
    assert holds(tmp_path, "wholly_within(target, terrain)", hill, fighter=standing)


def test_all_of_a_unit_and_some_of_it(tmp_path: Path) -> None:
    mate = {**VEX, "name": "Yar", "at": [160, 50], "unit": "squad"}
    unit = {"fighter": [{**VEX, "unit": "squad"}, mate]}
    every = "all(one in unit(target): over(one, terrain) >= 100 %)"
    assert holds(tmp_path, every, wood("wood", 100, 220), **unit)
    assert not holds(tmp_path, every, wood("wood", 100, 220, high=20), **unit)
    assert holds(tmp_path, every.replace("all", "half", 1), wood("wood", 100, 220, high=20), **unit)
    assert not holds(tmp_path, every.replace("all", "most", 1), wood("wood", 100, 220, high=20), **unit)


def test_near_the_border_odds_have_both_and_an_area_in_doubt_leaves_both(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert odds_of(tmp_path, capsys, STANDS["in part"], wood("wood", 176, 300)) == ["no", "yes"]
    assert odds_of(tmp_path, capsys, STANDS["wholly"], wood("wood", 144, 300)) == ["no", "yes"]
    assert odds_of(tmp_path, capsys, STANDS["mostly"], wood("wood", 140, 300)) == ["yes"]
    doubtful = "those(one in terrain where obscured(attacker.eye, target.body, past = one) > OF %)"
    screen = wood("screen", 100, 200, tall=13)
    exact = judged(tmp_path, "obscured(attacker.eye, target.body, past = terrain) > 0", screen).clauses[0]
    share = 100 * exact.values["obscured"]
    question = f"over(target, {doubtful.replace('OF', f'{share:.1f}')}) > 0"
    assert set(judged(tmp_path, question, screen).could_be) == {"yes", "no"}
