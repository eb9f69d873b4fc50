"""The plan colours as deciding what the reason names; what only hides something is paler, and the legend says which."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from silhouette.drawing.games.by_data import decisive, draw_clauses, hiding_only
from silhouette.drawing.sheet import Sheet, settings
from silhouette.drawing.styles import DARK, PRINT, Style
from silhouette.files.cache import Cache
from silhouette.judging import load_scene
from silhouette.renderers import choose
from silhouette.rules import rule_called
from silhouette.rules.base import Settings
from silhouette.rules.data.results import DataVerdict
from silhouette.rules.data.scene import DataScene

SCENES = Path(__file__).resolve().parents[2] / "scenes"
EMBREE = choose()


def ruled(scene: Any, number: int = 0) -> DataVerdict:
    checks = scene.checks[number : number + 1]
    (verdict,) = rule_called(scene.rules).judge([(scene, check) for check in checks], Settings(EMBREE, 0.2, keep=True))
    assert isinstance(verdict, DataVerdict)
    return verdict


def plan(scene: Any, verdict: DataVerdict, style: Style = PRINT) -> Sheet:
    with settings():
        sheet = Sheet(style=style)
        draw_clauses(sheet, scene, verdict)
        sheet.finish()
    return sheet


def shipped(name: str) -> DataScene:
    scene = load_scene(SCENES / f"{name}.toml")
    assert isinstance(scene, DataScene)
    return scene


@pytest.mark.thinned(quick=20, ci=20)
@pytest.mark.parametrize(
    ("name", "number", "deciding", "hiding"),
    [
        ("trench_crusade/example", 0, ("barricade",), ()),
        ("trench_crusade/example", 1, (), ("barricade",)),
        ("trench_crusade/example", 2, (), ()),
        ("trench_crusade/the_other_wall", 0, (), ("container",)),
        ("the_old_world/example", 0, ("crate", "second crate"), ()),
        ("the_old_world/example", 1, ("third crate",), ()),
        ("the_old_world/hill_and_woods", 1, ("Brute",), ()),
        ("legion/example", 0, ("barricade",), ()),
        ("warhammer_40000_10/example", 0, ("ruin",), ()),
        ("warhammer_40000_10/example", 1, ("ruin",), ()),
        ("infinity_n5/example", 0, ("barricade",), ()),
        ("infinity_n5/three_millimetres", 0, ("slit",), ()),
        ("kill_team_2024/cover_or_obscured", 1, ("sandbags", "broken wall"), ()),
        ("dnd_5e/example", 0, ("wall",), ()),
        ("dnd_5e/example", 2, (), ()),
        ("pathfinder_2e/example", 0, ("wall",), ()),
        ("pathfinder_2e/example", 1, ("Brute",), ()),
    ],
)
def test_what_the_reason_names_decides(
    name: str, number: int, deciding: tuple[str, ...], hiding: tuple[str, ...]
) -> None:
    scene = shipped(name)
    verdict = ruled(scene, number)
    assert set(decisive(verdict)) == set(deciding)
    assert set(hiding_only(verdict)) == set(hiding)
    told = {swatch.words for swatch in plan(scene, verdict).legend_entries}
    assert ("decides" in told, "hides something" in told) == (bool(deciding), bool(hiding))


def test_lines_from_corner_to_corner_are_drawn_clear_and_blocked() -> None:
    scene = shipped("dnd_5e/example")
    legend = {swatch.words for swatch in plan(scene, ruled(scene, 0)).legend_entries}
    assert {f"lines from corner to corner, which are {how}" for how in ("clear", "blocked")} <= legend
    legend = {swatch.words for swatch in plan(scene, ruled(scene, 2)).legend_entries}
    assert "lines from corner to corner, which are clear" in legend
    assert "lines from corner to corner, which are blocked" not in legend


WALLS = [
    {"name": "left wall", "parts": [{"box": [40, 6, 20]}], "at": [-24, 180]},
    {"name": "right wall", "parts": [{"box": [40, 6, 20]}], "at": [24, 180]},
]


def test_of_several_pieces_that_would_do_the_one_that_is_named_decides() -> None:
    """Vex touches both walls, and either hides it in part: the reason rests on the first alone."""
    figure = {"base": 32, "height": 38}
    document: dict[str, Any] = {"rules": "trench-crusade", "terrain": WALLS, "fighter": [], "check": []}
    for name, y, facing in (("Kal", 0, 90), ("Vex", 199.5, 270)):
        document["fighter"].append({"name": name, "figure": figure, "at": [0, y], "facing": facing})
    document["check"].append({"attacker": "Kal", "target": "Vex"})
    rule = rule_called("trench-crusade")
    scene = rule.load(Path("scene.toml"), document, Cache(None))
    verdict = ruled(scene)
    assert verdict.verdict == "in cover"
    assert decisive(verdict) == ("left wall",)
    assert "right wall" not in verdict.reason


@pytest.mark.long
@pytest.mark.parametrize("style", [PRINT, DARK])
def test_the_two_colours_are_those_of_the_legend(style: Style) -> None:
    """Deciding pieces have the full colour and a whole edge, the others a paler one, which is dashed."""
    looks = {}
    for name, number, words in (("example", 0, "decides"), ("example", 1, "hides something")):
        scene = shipped(f"trench_crusade/{name}")
        sheet = plan(scene, ruled(scene, number), style)
        (swatch,) = (one for one in sheet.legend_entries if one.words == words)
        looks[words] = swatch
        edged = [one for one in sheet.axes.patches if _hex(one.get_edgecolor()) == style.blocker_edge]
        (patch,) = edged
        assert _hex(patch.get_facecolor()) == swatch.fill
        assert (patch.get_linestyle() in ("-", "solid")) is (swatch.dashes == "-")
    assert looks["decides"].fill == style.blocker
    assert looks["hides something"].fill not in (style.blocker, style.ground)
    assert looks["hides something"].dashes == "--"


def _hex(colour: Any) -> str:
    return "#" + "".join(f"{round(255 * channel):02x}" for channel in colour[:3])


def places(sheet: Sheet) -> dict[str, tuple[float, float]]:
    """Where each text of a drawing stands."""
    return {one.get_text(): one.get_position() for one in sheet.axes.texts}


def test_the_name_of_a_model_stands_above_its_base_and_on_no_small_terrain() -> None:
    scene = shipped("trench_crusade/high_and_wide_enough")
    at = places(plan(scene, ruled(scene, 1)))
    gor = scene.piece("Gor")
    assert at["Gor"][1] > gor.base_outline[:, 1].max()
    scene = shipped("trench_crusade/the_other_wall")
    wall, at = scene.piece("barricade"), places(plan(scene, ruled(scene, 0)))
    low, high = wall.whole_box[:, 1].min(), wall.whole_box[:, 1].max()
    assert not low < at["Vex"][1] < high
    assert not low < at["barricade"][1] < high


def test_names_and_pieces_keep_clear_of_the_numbers() -> None:
    """The numbers stand on the right: what decides lies beside them, and a strip dims whatever else does not."""
    scene = shipped("infinity_n5/example")
    sheet = plan(scene, ruled(scene))
    right = sheet.bounds[2]
    numbers = [one for one in sheet.axes.texts if one.get_ha() == "right"]
    assert len(numbers) > 4
    with settings():
        box = min(one.get_window_extent().x0 for one in numbers)
    edge = sheet.axes.transData.inverted().transform((box, 0.0))[0]
    for piece in (scene.piece("Kal"), scene.piece("Vex"), scene.piece("barricade")):
        assert piece.whole_box[:, 0].max() < edge < right
    strips = [one for one in sheet.axes.patches if one.get_zorder() == 25.0]
    assert len(strips) == 1
    assert strips[0].get_alpha() == pytest.approx(0.75)
    corners = strips[0].get_path().vertices[:, 0]
    assert corners.min() <= sheet.bounds[0]
    assert sorted(set(corners.tolist()))[1] <= edge, "it lies below all of the numbers"
