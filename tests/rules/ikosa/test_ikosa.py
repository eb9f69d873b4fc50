"""Ikosa: every worked case, every numbered rule, every reading, and what is said about a scene that makes no sense."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from silhouette.common.errors import FileError
from silhouette.drawing.games import drawing_of
from silhouette.files.cache import Cache
from silhouette.files.documents import read_document
from silhouette.renderers.reference import ReferenceRenderer
from silhouette.rules.fields import unmet_expectations
from silhouette.rules.ikosa.judge import VERDICTS, IkosaVerdict, graded
from silhouette.rules.ikosa.rule import IKOSA
from silhouette.rules.ikosa.scene import CellScene
from tests.support.commands import run
from tests.support.rulings import ruled

PROJECT = Path(__file__).resolve().parents[3]
CASES = sorted((PROJECT.parent / "shared" / "rules" / "cases" / "ikosa").glob("*.json"))
SCENES = sorted((PROJECT / "scenes" / "ikosa").glob("*.toml"))

Document = dict[str, Any]
Cells = list[list[int]]

FLOOR = [[i, j, -1] for i in range(-1, 3) for j in range(-1, 3)]


def load(document: Document, path: Path = Path("cells.json")) -> CellScene:
    return IKOSA.load(path, document, Cache(None))


def judged(document: Document) -> list[IkosaVerdict]:
    scene = load(document)
    return [ruled(IKOSA, scene, check, ReferenceRenderer(), 0.1) for check in scene.checks]


def scene_of(attacker: Cells, target: Cells, mode: str = "melee", point: Any = None, **more: Any) -> Document:
    """A scene of an ogre who attacks a goblin; ``flying`` and ``gravity`` are the ogre's, the rest the scene's."""
    ogre = {"name": "ogre", "cells": attacker} | {key: more.pop(key) for key in ("flying", "gravity") if key in more}
    check = {"attacker": "ogre", "target": "goblin"} | ({} if point is None else {"source_point": point})
    both = [ogre, {"name": "goblin", "cells": target}]
    return {"rules": "ikosa", "mode": mode, "creature": both, "check": [check], **more}


def verdict_of(attacker: Cells, target: Cells, **more: Any) -> IkosaVerdict:
    (verdict,) = judged(scene_of(attacker, target, **more))
    return verdict


def counts(verdict: IkosaVerdict) -> tuple[int, int, int]:
    row = verdict.row()
    return row["source_points"], row["target_points"], row["blocked"]


# ---- worked cases and scenes


@pytest.mark.skipif(not CASES, reason="needs ../shared (worked cases), which is not here")
@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_a_worked_case_holds(path: Path) -> None:
    document = read_document(path)
    for check, verdict in zip(document["check"], judged(document), strict=True):
        assert not unmet_expectations(verdict.row(), check["expect"])


@pytest.mark.skipif(not CASES, reason="needs ../shared (worked cases), which is not here")
def test_worked_cases_hold_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    ran = run(capsys, "check", *CASES[::20], "--json")
    assert (ran.status, ran.err) == (0, "")
    assert all(row["expected"] for scene in ran.document["scenes"] for row in scene["results"])


@pytest.mark.parametrize("path", SCENES, ids=lambda path: path.stem)
def test_a_shipped_scene_gives_what_it_expects(path: Path) -> None:
    document = read_document(path)
    scene = load(document)
    assert scene.title
    assert {"text", "rules"} == scene.source.keys()
    assert path.read_text(encoding="utf-8").startswith("# ")
    for check, verdict in zip(scene.checks, judged(document), strict=True):
        assert check.expect
        assert not unmet_expectations(verdict.row(), check.expect)
    assert not scene.warnings


def test_there_is_a_scene_for_every_verdict() -> None:
    found = {check.expect["verdict"] for path in SCENES for check in load(read_document(path)).checks if check.expect}
    assert found == set(VERDICTS)
    assert PROJECT / IKOSA.example in SCENES


# ---- the rules by number


@pytest.mark.parametrize(
    "target, corners", [([1, 0, 0], 4), ([0, -1, 0], 4), ([1, 1, 0], 6), ([0, -1, 1], 6), ([1, -1, 1], 7)]
)
def test_r5_r6_r7_corners_that_face_each_other(target: list[int], corners: int) -> None:
    verdict = verdict_of([[0, 0, 0]], [target])
    assert counts(verdict) == (corners, corners, 0)
    assert verdict.row()["lines"] == corners**2


def test_r2_one_hindered_line_is_cover() -> None:
    speck = [[["6/5", "1/5", "1/5"], ["13/10", "3/10", "3/10"]]]
    verdict = verdict_of([[0, 0, 0]], [[1, 1, 0]], boxes=speck)
    assert (verdict.verdict, counts(verdict), verdict.rule.number) == ("cover", (6, 6, 1), "R2")
    assert verdict.reason == "1 of the 36 lines from the ogre's 6 corners to the goblin's 6 passes through box 1: cover"
    beside = [[["6/5", "1/5", "2/5"], ["13/10", "3/10", "1/2"]]]
    verdict = verdict_of([[0, 0, 0]], [[1, 1, 0]], boxes=beside)
    assert (verdict.verdict, counts(verdict), verdict.rule.number) == ("no cover", (6, 6, 0), "R2")


def test_r3_r9_r10_the_platform_of_the_attacker_gives_no_cover() -> None:
    down = verdict_of([[0, 0, 1]], [[1, 0, 0]], solid_cells=[[0, 0, 0]])
    assert (down.verdict, counts(down), down.rule.number) == ("no cover", (4, 6, 0), "R9")
    assert down.row()["gravity_face_excluded"]
    assert "terrain supports the ogre, so its gravity face is left out (R9)" in down.reason
    diagonally = verdict_of([[0, 0, 1]], [[1, 1, 0]], solid_cells=[[0, 0, 0]])
    assert (diagonally.verdict, counts(diagonally)) == ("no cover", (6, 7, 0))


def test_r8_a_creature_in_flight_is_held_by_nothing() -> None:
    verdict = verdict_of([[0, 0, 1]], [[1, 0, 0]], solid_cells=[[0, 0, 0]], flying=True)
    assert (verdict.verdict, counts(verdict)) == ("cover", (6, 6, 2))
    assert not verdict.row()["gravity_face_excluded"]
    assert verdict.reason == (
        "2 of the 36 lines from the ogre's 6 corners to the goblin's 6 pass through the solid cell [0, 0, 0]: cover"
    )


def test_r9_gravity_is_the_attackers_own() -> None:
    verdict = verdict_of([[0, 0, 1]], [[1, 0, 0]], solid_cells=[[0, 0, 0]], gravity="+y")
    assert (verdict.verdict, counts(verdict)) == ("cover", (6, 6, 2))


def test_r11_the_higher_target_has_cover() -> None:
    verdict = verdict_of([[0, 0, 0]], [[1, 0, 1]], solid_cells=[[1, 0, 0], [0, 0, -1]])
    assert (verdict.verdict, counts(verdict)) == ("cover", (6, 6, 2))
    assert not verdict.row()["gravity_face_excluded"]


def test_r12_a_ranged_attack_starts_from_one_point() -> None:
    verdict = verdict_of([[0, 0, 0]], [[4, 0, 0]], mode="ranged", point=[1, 0, 0])
    assert (verdict.verdict, counts(verdict), verdict.rule.number) == ("no cover", (1, 4, 0), "R12")
    assert "from the point [1, 0, 0]" in verdict.reason


def test_r13_r14_all_cells_of_a_large_target_but_only_outer_exposed_faces() -> None:
    giant = [[4 + i, j, k] for i in range(2) for j in range(2) for k in range(2)]
    assert counts(verdict_of([[0, 0, 0]], giant, mode="ranged")) == (1, 9, 0)
    hook = [[3, 0, 0], [3, 1, 0], [4, 0, 0]]
    assert counts(verdict_of([[0, 0, 0]], hook, mode="ranged")) == (1, 6, 0)


def test_r15_melee_with_a_creature_out_of_reach_is_judged_as_ranged() -> None:
    far = [[0, 0, 0]], [[3, 0, 0]]
    melee, ranged = (verdict_of(*far, mode=mode, solid_cells=[[1, 0, 0]]) for mode in ("melee", "ranged"))
    assert counts(melee) == counts(ranged) == (1, 4, 1)
    assert (melee.verdict, melee.rule.number) == ("cover", "R15")
    assert melee.reason.endswith("; the ogre and the goblin are not adjacent, so the ranged rule applies (R15)")


# ---- the readings by number


def test_a1_terrain_inside_the_two_cells_hinders_nothing() -> None:
    step = [[[1, 0, 0], [2, 1, "1/5"]]]
    assert verdict_of([[0, 0, 0]], [[1, 0, 0]], boxes=step).verdict == "no cover"
    for solid in ([[0, 0, 0]], [[1, 0, 0]]):
        assert verdict_of([[0, 0, 0]], [[1, 0, 0]], solid_cells=solid).verdict == "no cover"


def test_a2_to_touch_is_free_and_a_seam_is_inside() -> None:
    assert verdict_of([[0, 0, 0]], [[1, 1, 0]], solid_cells=FLOOR).verdict == "no cover"
    shot: Document = {"mode": "ranged", "point": [1, 0, "1/2"]}
    one = verdict_of([[0, 0, 0]], [[5, 0, 0]], solid_cells=[[3, 0, 0]], **shot)
    both = verdict_of([[0, 0, 0]], [[5, 0, 0]], solid_cells=[[3, 0, 0], [3, -1, 0]], **shot)
    assert (one.drawn.blocked, both.drawn.blocked) == (2, 4)
    # Along the edge where four blocks meet, three of them leave a way past, on whichever side the gap is.
    four = [[3, 0, 0], [3, -1, 0], [3, 0, -1], [3, -1, -1]]
    shot["point"] = [1, 0, 0]
    for number in range(4):
        three = four[:number] + four[number + 1 :]
        assert verdict_of([[0, 0, 0]], [[5, 0, 0]], solid_cells=three, **shot).line_of_effect
    assert verdict_of([[0, 0, 0]], [[5, 0, 0]], solid_cells=four, **shot).drawn.hindered[0, 0]


def test_a2_blocks_on_two_sides_one_after_the_other_are_no_seam() -> None:
    staggered = [[3, 0, 0], [4, -1, 0]]
    verdict = verdict_of([[0, 0, 0]], [[6, 0, 0]], mode="ranged", point=[1, 0, "1/2"], solid_cells=staggered)
    assert verdict.drawn.blocked == 2
    overlapping = [[[3, 0, 0], ["43/10", 1, 1]], [[4, -1, 0], [5, 0, 1]]]
    verdict = verdict_of([[0, 0, 0]], [[6, 0, 0]], mode="ranged", point=[1, 0, "1/2"], boxes=overlapping)
    assert verdict.drawn.blocked == 4


@pytest.mark.parametrize(
    "low, high, supported",
    [
        ([0, 0, 0], ["1/100", "1/100", 1], True),
        ([0, 0, 0], [1, 1, "9/10"], False),
        ([0, 0, 0], [1, 1, 0.99999], False),
        ([0, 0, 0], [1, 1, "11/10"], True),
        ([-1, 0, 0], [0, 1, 1], False),
        ([0, 0, 1], [1, 1, "3/2"], True),
    ],
)
def test_a3_support_is_contact_with_the_gravity_face_over_an_area(low: Any, high: Any, supported: bool) -> None:
    verdict = verdict_of([[0, 0, 1]], [[1, 0, 0]], boxes=[[low, high]])
    assert verdict.row()["gravity_face_excluded"] == supported


def test_a4_straight_down_the_gravity_face_is_kept() -> None:
    hatch = [[[0, 0, "19/20"], [1, 1, "21/20"]]]
    verdict = verdict_of([[0, 0, 1]], [[0, 0, 0]], boxes=hatch)
    assert (verdict.verdict, counts(verdict)) == ("cover", (4, 4, 4))
    assert not verdict.row()["gravity_face_excluded"]


def test_a5_the_best_corner_has_the_fewest_hindered_lines() -> None:
    scene: Document = {"mode": "ranged", "solid_cells": [[2, 3, 0]]}
    best = verdict_of([[0, 0, 0]], [[5, 5, 0]], point="best corner", **scene)
    assert best.verdict == "no cover"
    corners = [[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    blocked = [verdict_of([[0, 0, 0]], [[5, 5, 0]], point=at, **scene).drawn.blocked for at in corners]
    assert max(blocked) > min(blocked) == best.drawn.blocked == 0


def test_a6_where_every_line_is_hindered_there_is_no_line_of_effect() -> None:
    wall = [[3, j, k] for j in range(-1, 2) for k in range(-1, 2)]
    verdict = verdict_of([[0, 0, 0]], [[5, 0, 0]], mode="ranged", solid_cells=wall)
    assert (verdict.verdict, verdict.cover, verdict.line_of_effect) == ("no line of effect", True, False)
    assert verdict.rule.number == "A6"
    # In melee lines from a corner to the same corner have no length: one inside a wall is hindered all the same.
    thin = [[["19/20", -1, -1], ["21/20", 2, 2]]]
    verdict = verdict_of([[0, 0, 0]], [[1, 0, 0]], boxes=thin)
    assert (verdict.verdict, counts(verdict)) == ("no line of effect", (4, 4, 16))


@pytest.mark.parametrize("mode", ["melee", "ranged"])
def test_a7_in_one_cell_there_are_no_lines(mode: str) -> None:
    verdict = verdict_of([[0, 0, 0]], [[0, 0, 0]], mode=mode, solid_cells=[[0, 0, 0]])
    assert (verdict.verdict, counts(verdict), verdict.rule.number) == ("no cover", (0, 0, 0), "A7")
    assert verdict.line_of_effect


def test_a8_one_free_line_for_each_corner_is_not_enough() -> None:
    verdict = verdict_of([[0, 0, 0]], [[1, 0, 1]], solid_cells=[[1, 0, 0], [0, 0, -1]])
    assert not verdict.drawn.hindered.all(axis=1).any()
    assert verdict.cover


def test_a9_the_faces_may_be_chosen_by_the_point_and_the_result_says_where_that_matters() -> None:
    post = [[["31/10", "9/10", 0], ["39/10", "11/10", 1]]]
    scene = scene_of([[-1, 1, 0]], [[3, 0, 0]], mode="ranged", point=[0, 1, "1/2"], boxes=post)
    (by_cells,) = judged(scene)
    (by_point,) = judged(scene | {"readings": {"exposure": "point"}})
    assert (by_cells.verdict, counts(by_cells)) == ("cover", (1, 6, 2))
    assert (by_point.verdict, counts(by_point)) == ("no cover", (1, 4, 0))
    assert by_cells.row()["other_readings"] == [{"reading": "exposure = point", "verdict": "no cover", "cover": False}]
    assert by_point.row()["other_readings"] == [{"reading": "exposure = cells", "verdict": "cover", "cover": True}]
    assert by_cells.reason.endswith("; were the faces of goblin chosen by the source point itself: no cover (A9)")


def test_a9_a_point_in_the_planes_of_all_faces_sees_none() -> None:
    inside: Document = {"mode": "ranged", "point": [3, 0, 0], "readings": {"exposure": "point"}}
    verdict = verdict_of([[0, 0, 0]], [[3, 0, 0]], **inside)
    assert (verdict.verdict, counts(verdict)) == ("no cover", (1, 0, 0))
    assert verdict.reason == "no face of goblin is exposed to the point, so no lines are drawn: no cover"


def test_graded_cover_is_an_option() -> None:
    scene = scene_of([[0, 0, 1]], [[1, 0, 0]], solid_cells=[[0, 0, 0]], flying=True)
    (plain,) = judged(scene)
    (with_value,) = judged(scene | {"readings": {"graded_cover": True}})
    assert "cover_value" not in plain.row()
    assert with_value.row()["cover_value"] == 2
    assert with_value.reason == f"{plain.reason}; graded, the cover is worth 2"
    assert [graded(Fraction(part, 100)) for part in (0, 25, 26, 75, 76)] == [0, 2, 4, 4, 8]


# ---- creatures of several cells


def test_an_attacker_of_several_cells_attacks_from_the_best() -> None:
    wall = [[1, 0, 0]]
    alone = verdict_of([[0, 0, 0]], [[1, 1, 0]], solid_cells=wall)
    beside = verdict_of([[0, 0, 0], [0, 1, 0]], [[1, 1, 0]], solid_cells=wall)
    assert (alone.verdict, beside.verdict) == ("cover", "no cover")
    assert "of its 2 cells the ogre attacks from the best, [0, 1, 0]" in beside.reason
    far = verdict_of([[0, 0, 0], [0, 3, 0]], [[5, 0, 0]], mode="ranged", solid_cells=[[3, 0, 0], [3, -1, 0]])
    assert far.verdict == "no cover"


def test_in_melee_the_best_neighbouring_cell_of_the_target_is_attacked() -> None:
    verdict = verdict_of([[0, 0, 0]], [[1, 1, 0], [1, 0, 0], [2, 0, 0]], solid_cells=[[0, 1, 0]])
    assert (verdict.verdict, counts(verdict)) == ("no cover", (4, 4, 0))
    assert "of the goblin's 3 cells the best is attacked, [1, 0, 0]" in verdict.reason


# ---- the result, the scene, and what is wrong with it


def test_a_result_has_the_keys_of_the_contract() -> None:
    row = verdict_of([[0, 0, 0]], [[1, 0, 0]]).row()
    assert list(row) == [field.key for field in IkosaVerdict.fields if not field.optional]
    assert json.loads(json.dumps(row)) == row


# ---- effects, and boxes on nothing


WALL_OF_FOG = [[2, j, k] for j in (-1, 0, 1) for k in (-1, 0, 1)]


def test_r4_effects_give_cover_and_block_nothing() -> None:
    shot = {"mode": "ranged", "point": [1, 0, 1]}
    (fog,) = judged(scene_of([[0, 0, 0]], [[4, 0, 0]], effects=WALL_OF_FOG, **shot))
    assert (fog.verdict, fog.cover, fog.line_of_effect, fog.rule.number) == ("cover", True, True, "R4")
    assert (fog.row()["blocked"], fog.row()["induced"], fog.drawn.count) == (0, 4, 4)
    assert fog.reason.endswith(
        "through the effects in [2, -1, 0], [2, -1, 1], [2, 0, 0] and 1 more: cover, though nothing blocks"
    )
    (wall,) = judged(scene_of([[0, 0, 0]], [[4, 0, 0]], solid_cells=WALL_OF_FOG, **shot))
    assert (wall.verdict, wall.row()["blocked"]) == ("no line of effect", 4)
    assert "induced" not in wall.row()
    half = {"boxes": [[[3, -1, -1], [4, 2, "1/2"]]], "solid_cells": [[3, j, -2] for j in (-1, 0, 1)]}
    (both,) = judged(scene_of([[0, 0, 0]], [[5, 0, 0]], effects=WALL_OF_FOG, **half, **shot))
    assert (both.verdict, both.row()["blocked"], both.row()["induced"]) == ("cover", 2, 2)
    assert "2 of them through effects alone, which block nothing" in both.reason


@pytest.mark.parametrize("effects", [["troll"], [[2, 0, 0]]])
def test_r4_a_creature_gives_cover_if_effects_names_it(effects: Any) -> None:
    document = scene_of([[0, 0, 0]], [[4, 0, 0]], mode="ranged", point=[1, 0, 0], effects=effects)
    document["creature"].append({"name": "troll", "cells": [[2, 0, 0]]})
    (verdict,) = judged(document)
    assert (verdict.verdict, verdict.row()["induced"]) == ("cover", 1)
    assert ("the troll" in verdict.reason) == (effects == ["troll"])
    document["effects"] = ["ogre", "goblin"]  # who attacks and who is attacked
    assert judged(document)[0].verdict == "no cover"
    document["effects"] = []
    assert "induced" not in judged(document)[0].row()


def test_r4_an_attacker_chooses_a_corner_past_effects_too() -> None:
    document = scene_of([[0, 0, 0]], [[4, 0, 0]], mode="ranged", effects=[[2, 0, 0]])
    (verdict,) = judged(document)
    assert (verdict.verdict, verdict.row()["induced"]) == ("cover", 1)
    (naive,) = judged(scene_of([[0, 0, 0]], [[1, 1, 0]], effects=[[1, 0, 0]]))
    assert (naive.verdict, naive.row()["blocked"], naive.row()["induced"] > 0) == ("cover", 0, True)


def test_effects_name_cells_and_creatures() -> None:
    for effects, words in (
        (["trol"], "effects: 'trol' is no creature of this scene; did you mean 'troll'?"),
        ([[1, 2]], "a cell must be three whole numbers"),
        ([True], "a cell must be three whole numbers"),
    ):
        document = scene_of([[0, 0, 0]], [[4, 0, 0]], mode="ranged", effects=effects)
        document["creature"].append({"name": "troll", "cells": [[2, 0, 0]]})
        with pytest.raises(FileError) as refused:
            load(document)
        assert words in str(refused.value)


@pytest.mark.parametrize("gravity, low, high, ground", [("-z", 0, "1/2", [2, 0, -1]), ("+z", "1/2", 1, [2, 0, 1])])
def test_a_box_on_nothing_drawn_is_warned_of(gravity: str, low: Any, high: Any, ground: list[int]) -> None:
    box = [[2, 0, low], [3, 1, high]]
    document = scene_of([[0, 0, 0]], [[4, 0, 0]], mode="ranged", gravity=gravity, boxes=[box])
    document["creature"][1]["gravity"] = gravity
    (warning,) = load(document).warnings
    assert warning.startswith("box 1 stands on nothing that is drawn")
    assert f"the solid cell {ground}" in warning
    assert load({**document, "solid_cells": [ground]}).warnings == ()
    over = {**document, "check": [{"attacker": "ogre", "target": "goblin", "source_point": [1, 0, "1/2"]}]}
    assert load(over).warnings == (), "no line of these runs along the lower side"
    raised = {**document, "boxes": [[[2, 0, "1/4"], [3, 1, "3/4"]]]}
    assert load(raised).warnings == (), "what hangs above the floor, as a lintel does, is no mistake"


def test_effects_are_drawn_and_listed() -> None:
    path = PROJECT / "scenes/ikosa/through_the_fog.toml"
    scene = load(read_document(path), path)
    rulings = [(check, ruled(IKOSA, scene, check, ReferenceRenderer(), 0.1)) for check in scene.checks]
    stage = drawing_of("ikosa").stage(scene, rulings, Cache(None))
    assert stage is not None
    items = [item.name for item in stage.items]
    assert items.count("effect [2, 0, 0]") == 1
    rows = {row[0]: row for row in IKOSA.pieces(scene).rows}
    assert rows["effect"][2:] == ("[2, 0, 0]", "gives cover, blocks nothing")
    assert rows["ogre"][3].endswith(", gives cover")
