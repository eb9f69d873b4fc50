"""Tables on which the games that are files once said something else than their rules: each verdict, and its roll."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from silhouette.files.cache import Cache
from silhouette.renderers import choose
from silhouette.rules import rule_called
from silhouette.rules.base import Settings


def figure(name: str, at: list[float], base: float = 32, height: float = 38, **more: Any) -> dict[str, Any]:
    return {
        "name": name,
        "figure": {"base": base, "height": height},
        "at": at,
        "facing": 90 if at[1] < 150 else 270,
        **more,
    }


def box(name: str, size: list[float], at: list[float], **more: Any) -> dict[str, Any]:
    return {"name": name, "parts": [{"box": size}], "at": at, **more}


KNIGHT = figure("Knight", [0, 0], 100, 150, keywords=["vehicle", "towering"])
FRIENDS = [figure(name, [x, 100], 25, 30, gang="a", unit="u2") for name, x in (("Fr1", 0), ("Fr2", -30), ("Fr3", 30))]
OVER_A_KERB = {
    "terrain": [
        box("roof", [100, 110, 150], [0, -40], cover="heavy"),
        box("kerb", [100, 4, 6], [0, 75], cover="heavy"),
    ],
    "fighter": [
        figure("Lead", [0, 0], 27, 35, on="roof", gang="a"),
        {**figure("T", [0, 120], 27, 35, gang="b"), "facing": 270},
    ],
}
THROUGH_FRIENDS = {
    "fighter": [figure("A", [0, 0], 25, 30, gang="a", unit="u1"), figure("M", [0, 300], 25, 30), *FRIENDS]
}
RUIN = {"terrain": [box("ruin", [300, 100, 2], [0, 300], type="ruin")], "fighter": [KNIGHT, figure("M", [0, 600])]}


@pytest.mark.parametrize(
    ("rules", "table", "check", "verdict", "roll"),
    [
        ("warhammer-40000-10", RUIN, ("Knight", "M"), "not visible", None),
        ("warhammer-40000-10", RUIN, ("M", "Knight"), "not visible", None),
        (
            "legion",
            {
                "fighter": [figure("Lead", [0, 0], gang="a"), figure("T", [0, 400], gang="b")],
                "vehicle": [box("Tank", [150, 80, 70], [0, 200], facing=90, gang="a")],
            },
            ("Lead", "T"),
            "no line of sight",
            None,
        ),
        ("legion", OVER_A_KERB, ("Lead", "T"), "no cover", None),
        ("legion", {**OVER_A_KERB, "readings": {"lines": "in plan"}}, ("Lead", "T"), "heavy cover", None),
        (
            "infinity-n5",
            {"fighter": [figure("A", [0, 0], 25), figure("B", [0, 300], 40, 45, silhouette="SX")]},
            ("A", "B"),
            "open",
            None,
        ),
        (
            "the-old-world",
            {
                "terrain": [box("w", [60, 4, 14], [0, 270])],
                "fighter": [figure("A", [0, 0], 25, 30), figure("M", [0, 300], 25, 30)],
            },
            ("A", "M"),
            "partial cover",
            "-1 to hit",
        ),
        ("bolt-action-3", THROUGH_FRIENDS, ("A", "M"), "no cover", None),
        (
            "bolt-action-3",
            {**THROUGH_FRIENDS, "readings": {"through_friends": "not on the line"}},
            ("A", "M"),
            "friends in the way",
            None,
        ),
        (
            "trench-crusade",
            {
                "terrain": [box("roof", [80, 80, 80], [0, 0])],
                "fighter": [figure("A", [0, 0], on="roof"), figure("M", [0, 300])],
            },
            ("A", "M"),
            "in the open",
            "+1 dice from above",
        ),
    ],
)
def test_the_verdict_is_that_of_the_rules(
    rules: str, table: dict[str, Any], check: tuple[str, str], verdict: str, roll: str | None
) -> None:
    rule = rule_called(rules)
    document = {"rules": rules, **table, "check": [{"attacker": check[0], "target": check[1]}]}
    scene = rule.load(Path("table.toml"), document, Cache(None))
    (judged,) = rule.judge([(scene, one) for one in scene.checks], Settings(choose("embree"), 0.1))
    row = judged.row()
    assert (row["verdict"], row["roll"], row["could_be"]) == (verdict, roll, [verdict]), row["reason"]
