"""The figures of rules on boards and plans say what their verdicts say: read back from the SVG."""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from silhouette.common.geometry import Floats
from silhouette.files.cache import Cache
from silhouette.rules.crisis_protocol.judge import CrisisProtocolVerdict
from silhouette.rules.crisis_protocol.rule import CRISIS_PROTOCOL
from silhouette.rules.ikosa.judge import IkosaVerdict
from silhouette.rules.ikosa.rule import IKOSA
from silhouette.rules.tide_of_iron.hexes import Address
from silhouette.rules.tide_of_iron.judge import TideOfIronVerdict
from silhouette.rules.tide_of_iron.rule import TIDE_OF_IRON
from silhouette.scenes.scene import Check
from tests.support.rulings import ruled

pytest.importorskip("matplotlib")

from silhouette.drawing.games.crisis_protocol import draw_bases_plan
from silhouette.drawing.games.ikosa import (
    TerrainBox,
    Viewpoint,
    best_viewpoint,
    draw_cell_view,
    faces_of,
    inside_stretch,
)
from silhouette.drawing.games.tide_of_iron import draw_blind_hex_map, draw_hex_board, middle
from silhouette.drawing.saving import FIGURE_NAMESPACE, FigureDescription, save
from silhouette.drawing.sheet import Sheet, settings
from silhouette.drawing.styles import DARK, PRINT

SCENES = Path(__file__).resolve().parents[2] / "scenes"
SVG = "{http://www.w3.org/2000/svg}"

SYSTEMS: dict[str, tuple[Any, Callable[..., None]]] = {
    "crisis-protocol": (CRISIS_PROTOCOL, draw_bases_plan),
    "tide-of-iron": (TIDE_OF_IRON, draw_hex_board),
    "ikosa": (IKOSA, draw_cell_view),
}

NASTY = ["<b> & \"quotes\" '$x^2$' {0} \\ → <script>", "😀" * 80, "a" * 80, "$\\frac{"]


class Drawn:
    """A figure read back from its file."""

    def __init__(self, path: Path, sheet: Sheet) -> None:
        self.root = ElementTree.parse(path).getroot()
        self.sheet = sheet
        self.marks = Counter(each.get("id", "") for each in self.root.iter(f"{SVG}g"))
        self.texts = ["".join(each.itertext()) for each in self.root.iter(f"{SVG}text")]

    def marked(self, start: str) -> list[str]:
        """The marks that begin so."""
        return [mark for mark in self.marks for _ in range(self.marks[mark]) if mark.startswith(start)]

    def ends(self, mark: str) -> Floats:
        """(2, 2) from where to where a marked line runs, in units of the drawing."""
        [group] = [each for each in self.root.iter(f"{SVG}g") if each.get("id") == mark]
        numbers = re.findall(r"-?\d+\.?\d*(?:e-?\d+)?", group.find(f"{SVG}path").get("d"))  # type: ignore[union-attr,arg-type]
        points = np.array([float(each) for each in numbers]).reshape(-1, 2)
        figure = self.sheet.figure
        figure.dpi = 72.0
        points[:, 1] = figure.get_size_inches()[1] * 72.0 - points[:, 1]
        found: Floats = self.sheet.axes.transData.inverted().transform(points)
        return found

    @property
    def rounding(self) -> float:
        """How far the file may lie from the truth, in units of the drawing: it has thousandths of a point."""
        inverse = self.sheet.axes.transData.inverted()
        one_point = inverse.transform([[0.0, 0.0], [self.sheet.figure.dpi / 72.0, 0.0]])
        return 0.0005 * float(np.ptp(one_point[:, 0])) + 1e-9

    def says(self, text: str) -> bool:
        """Whether some text of it holds this."""
        return any(text in one for one in self.texts)


def loaded(document: dict[str, Any] | Path) -> tuple[Any, Any, Callable[..., None]]:
    path = document if isinstance(document, Path) else Path("scene.toml")
    if isinstance(document, Path):
        document = tomllib.loads(document.read_text(encoding="utf-8"))
    rule, draw = SYSTEMS[document["rules"]]
    return rule.load(path, document, Cache(None)), rule, draw


def drawn(folder: Path, draw: Callable[[Sheet], None], verdict: Any, **options: Any) -> Drawn:
    with settings():
        sheet = Sheet(**options)
        draw(sheet)
        save(
            sheet.finish(), folder / "figure.svg", FigureDescription("a figure", sheet.about, verdict.row()), text=True
        )
    return Drawn(folder / "figure.svg", sheet)


def figure(folder: Path, document: dict[str, Any] | Path, number: int = 0, **options: Any) -> tuple[Any, Any, Drawn]:
    scene, rule, draw = loaded(document)
    check: Check = scene.checks[number]
    verdict = ruled(rule, scene, check, None, 0.1)
    return scene, verdict, drawn(folder, lambda sheet: draw(sheet, scene, check, verdict), verdict, **options)


def checks_of(folder: str) -> list[Any]:
    return [
        pytest.param(path, number, id=f"{path.stem}-{number + 1}")
        for path in sorted((SCENES / folder).glob("*.toml"))
        for number in range(len(tomllib.loads(path.read_text(encoding="utf-8"))["check"]))
    ]


@pytest.mark.thinned(quick=10, ci=10)
@pytest.mark.parametrize("path, number", checks_of("crisis_protocol"))
def test_a_plan_shows_the_line_the_blockers_and_the_cover_of_its_verdict(
    path: Path, number: int, tmp_path: Path
) -> None:
    scene, verdict, plan = figure(tmp_path, path, number)
    assert isinstance(verdict, CrisisProtocolVerdict)
    if verdict.sight_line is None:
        assert plan.marks["blocked-line"] == 1
        assert not plan.marks["sight-line"]
    else:
        assert plan.ends("sight-line") == pytest.approx(np.array(verdict.sight_line), abs=plan.rounding)
        assert not plan.marks["blocked-line"]
    kinds = {mark.split("-", 2)[1]: mark.split("-", 2)[2:] for mark in plan.marked("terrain-")}
    names = [one.name for one in scene.terrain]
    assert {names[int(at)] for at, kind in kinds.items() if kind and kind[0] in ("blocker", "both")} == set(
        verdict.in_the_way
    )
    assert {names[int(at)] for at, kind in kinds.items() if kind and kind[0] in ("cover", "both")} == set(
        verdict.cover_from
    )
    assert len(plan.marked("base-")) == len(scene.characters)
    assert bool(plan.marks["range-1"]) == bool(plan.marks["range-2"]) == (verdict.cover is not None)
    assert plan.says(f"{verdict.attacker}, size ")
    assert plan.says(f"{verdict.attacker} → {verdict.target}: {verdict.verdict}")
    if verdict.distance:
        assert plan.says(f"{verdict.distance:.4g} {scene.units}")


def test_ranges_are_drawn_from_the_edge_of_the_base_as_they_are_measured(tmp_path: Path) -> None:
    scene, verdict, plan = figure(tmp_path, SCENES / "crisis_protocol" / "in_cover.toml")
    for mark, name, reach in (
        ("range-1", verdict.target, scene.ranges.first),
        ("range-2", verdict.attacker, scene.ranges.second),
    ):
        base = scene.character(name).base
        away = np.hypot(*(plan.ends(mark) - base.centre).T)
        assert away == pytest.approx(np.full(len(away), base.radius + reach), rel=3e-4)  # 180 corners


def test_who_stands_on_terrain_is_told_to_count_for_more(tmp_path: Path) -> None:
    _, verdict, plan = figure(tmp_path, SCENES / "crisis_protocol" / "ultron_on_terrain.toml")
    assert verdict.target_size == 6
    assert plan.says("Ultron, size 3, as 6")


def test_terrain_that_is_itself_looked_at_is_drawn_as_the_target(tmp_path: Path) -> None:
    document = {
        "rules": "crisis-protocol",
        "ranges": {"1": 60, "2": 120},
        "character": [{"name": "Hulk", "size": 4, "at": [0, 0], "base": 65}],
        "terrain": [{"name": "crate", "size": 3, "polygon": [[160, -90], [190, -90], [190, 90], [160, 90]]}],
        "check": [{"attacker": "Hulk", "target": "crate"}],
    }
    _, verdict, plan = figure(tmp_path, document)
    assert verdict.cover is None
    assert plan.marks["terrain-0"] == 1
    assert plan.says("what is looked at")


@pytest.mark.thinned(quick=4, ci=4)
@pytest.mark.parametrize("path, number", checks_of("tide_of_iron"))
def test_a_board_shows_the_lines_and_the_hexes_of_its_verdict(path: Path, number: int, tmp_path: Path) -> None:
    scene, verdict, board = figure(tmp_path, path, number)
    assert isinstance(verdict, TideOfIronVerdict)
    start, end = (middle(scene.address(who)) for who in (verdict.attacker, verdict.target))
    assert len(board.marked("line-")) == len(verdict.lines)
    for one in verdict.lines:
        ends = board.ends(f"line-{one.side or 'straight'}-{'clear' if one.clear else 'blocked'}")
        way = (end - start) / np.hypot(*(end - start))
        aside = (ends - [start, end]) @ [-way[1], way[0]]
        assert (ends - [start, end]) @ way == pytest.approx([0.0, 0.0], abs=1e-4)
        assert np.sign(np.round(aside, 4)).tolist() == [one.shift, one.shift]
    assert {address(mark) for mark in board.marked("blind_")} == set(verdict.blind_hexes)
    assert {address(mark) for mark in board.marked("entered_")} == {at for one in verdict.lines for at in one.hexes}
    obstructions = {one.finding.obstruction for one in verdict.lines} - {None}
    assert {address(mark) for mark in board.marked("obstruction_")} == obstructions
    assert len(board.marked("plateau_")) == (verdict.cause == "plateau")
    assert board.says(f"{verdict.attacker} → {verdict.target}: {verdict.verdict}")
    assert board.marks["adjacent"] == (verdict.cause == "adjacent")


def address(mark: str) -> Address:
    _, q, r = mark.split("_")
    return int(q), int(r)


@pytest.mark.parametrize("name", ["blind_hexes_from_level_1", "blind_hexes_from_level_2", "different_elevation"])
def test_a_map_of_blind_hexes_shows_those_that_the_verdicts_name(name: str, tmp_path: Path) -> None:
    scene, rule, _ = loaded(SCENES / "tide_of_iron" / f"{name}.toml")
    attacker = scene.checks[0].attacker
    verdicts = [ruled(rule, scene, check, None, 0.0) for check in rule.between(scene, attacker, None, None)]
    board = drawn(tmp_path, lambda sheet: draw_blind_hex_map(sheet, scene, verdicts), verdicts[0])
    hidden = {
        scene.address(one.target): {line.finding.cause for line in one.lines}
        for one in verdicts
        if not one.line_of_sight
    }
    plateau = {at for at, causes in hidden.items() if causes == {"plateau"}}
    blind = {at for at, causes in hidden.items() if causes <= {"blind_hex", "plateau"}} - plateau
    assert {address(mark) for mark in board.marked("plateau_")} == plateau
    assert {address(mark) for mark in board.marked("blind_")} == blind
    assert {address(mark) for mark in board.marked("hidden_")} == set(hidden) - blind - plateau
    assert blind
    counted = f"Of {len(verdicts)} hexes, not seen: {len(hidden)}; blind: {len(blind)}, blind by the plateau"
    assert board.says(counted[:50])
    assert board.says("Not seen from")


@pytest.mark.thinned(quick=13, ci=13)
@pytest.mark.parametrize("path, number", checks_of("ikosa"))
def test_a_view_of_cells_shows_every_corner_and_every_line_of_its_verdict(
    path: Path, number: int, tmp_path: Path
) -> None:
    scene, verdict, view = figure(tmp_path, path, number)
    assert isinstance(verdict, IkosaVerdict)
    lines = verdict.drawn
    hindered, word = lines.blocked + lines.induced, "hindered" if lines.induced else "blocked"
    assert len(view.marked("clear-")) == lines.count - hindered
    assert len(view.marked("blocked-")) == hindered
    assert len(view.marked("source-")) == len(lines.sources)
    assert len(view.marked("target-")) == len(lines.targets)
    assert view.marks["left-out"] == lines.gravity_face_excluded
    assert view.marks["gravity"] == 1
    for i, j in np.argwhere(lines.hindered):
        first, last = view.ends(f"blocked-{i}-{j}")
        for mark, at in ((f"source-{i}", first), (f"target-{j}", last)):
            corner = view.ends(mark)[:-1] if mark.startswith("target") else view.ends(mark)
            assert (corner.min(axis=0) + corner.max(axis=0)) / 2 == pytest.approx(at, abs=1e-3)
    for count, told in ((hindered, f"{word} lines: {{}}"), (lines.count - hindered, "clear lines: {}")):
        assert view.says(told.format(count)) == (count > 0)
    assert scene.creature(verdict.attacker).name in view.texts


ONE_OF_EACH = [
    SCENES / "crisis_protocol" / "ultron_on_terrain.toml",
    SCENES / "tide_of_iron" / "different_elevation.toml",
    SCENES / "ikosa" / "hovering_over_a_block.toml",
]


@pytest.mark.thinned(quick=12, ci=40)
@pytest.mark.parametrize("name", NASTY, ids=["signs", "emoji", "one long word", "mathematics"])
@pytest.mark.parametrize("path", ONE_OF_EACH, ids=lambda path: path.stem)
def test_no_name_breaks_a_figure_or_becomes_markup(path: Path, name: str, tmp_path: Path) -> None:
    document = tomllib.loads(path.read_text(encoding="utf-8"))
    renamed = {document["check"][0][role]: f"{name} {role}" for role in ("attacker", "target")}
    for kind in ("character", "unit", "creature"):
        for one in document.get(kind, []):
            one["name"] = renamed.get(one["name"], one["name"])
    check = {role: renamed[who] for role, who in document["check"][0].items() if role != "expect"}
    _, verdict, view = figure(tmp_path, document | {"check": [check]})
    assert verdict.attacker == f"{name} attacker"
    assert not list(view.root.iter(f"{SVG}script"))
    [data] = view.root.iter(f"{{{FIGURE_NAMESPACE}}}figure")
    assert json.loads(data.text or "")["attacker"] == f"{name} attacker"
    assert all(re.fullmatch(r"[A-Za-z0-9_.-]*", mark) for mark in view.marks)
    if name.isascii() and len(name) < 40:
        assert view.says(name[:12])


@pytest.mark.thinned(quick=23, ci=23)
@pytest.mark.parametrize("style", [PRINT, DARK], ids=["print", "dark"])
@pytest.mark.parametrize("path", ONE_OF_EACH, ids=lambda path: path.stem)
def test_a_figure_is_the_same_every_time_and_smaller_without_words(path: Path, style: Any, tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("one", "two", "bare")]
    for folder in folders:
        folder.mkdir()
    for folder in folders[:2]:
        figure(folder, path, style=style)
    contents = [(folder / "figure.svg").read_bytes() for folder in folders[:2]]
    assert contents[0] == contents[1]
    *_, bare = figure(folders[2], path, style=style, captions=False, names=False)
    assert not bare.texts


def test_creatures_that_share_a_cell_have_a_view_without_lines(tmp_path: Path) -> None:
    document = {
        "rules": "ikosa",
        "mode": "melee",
        "creature": [{"name": "ogre", "cells": [[0, 0, 0], [1, 0, 0]]}, {"name": "flea", "cells": [[0, 0, 0]]}],
        "check": [{"attacker": "flea", "target": "ogre"}],
    }
    _, verdict, view = figure(tmp_path, document)
    assert verdict.drawn.count == 0
    assert not view.marked("clear-")
    assert view.says("flea")


def test_a_check_of_one_hex_with_itself_and_of_a_character_with_itself_are_drawn(tmp_path: Path) -> None:
    board = {"rules": "tide-of-iron", "check": [{"attacker": [2, 2], "target": [2, 2]}]}
    assert figure(tmp_path, board)[2].marks["unit-attacker"] == 1
    hulk = {"name": "Hulk", "size": 4, "at": [0, 0], "base": 65}
    plan = {"rules": "crisis-protocol", "ranges": {"1": 60, "2": 120}, "character": [hulk]}
    _, verdict, seen = figure(tmp_path, plan | {"check": [{"attacker": "Hulk", "target": "Hulk"}]})
    assert seen.marks["base-0"] == 1
    assert seen.says(f": {verdict.verdict}")


def test_a_far_shot_across_a_large_board_shows_what_matters_and_no_more(tmp_path: Path) -> None:
    ground = [{"at": [q, r], "terrain": "woods"} for q in range(0, 60, 3) for r in range(0, 60, 3)]
    document = {
        "rules": "tide-of-iron",
        "map": {"hex": ground},
        "check": [{"attacker": [1, 1], "target": [7, 1]}],
    }
    _, _, board = figure(tmp_path, document)
    assert len(board.marked("entered_")) == 5
    assert len(list(board.root.iter(f"{SVG}path"))) < 600


def test_a_viewpoint_keeps_the_corners_of_a_cube_apart_and_nobody_behind_terrain() -> None:
    cube = TerrainBox.of_cell((0, 0, 0))
    middles = np.array([[0.5, 0.5, 0.5]]), np.array([[1.5, 1.5, 0.5]])
    wall = TerrainBox.of_cell((1, 0, 0))
    view = best_viewpoint(cube.corners, *middles, [wall])
    flat = view.flat(cube.corners)
    gaps = np.hypot(*(flat[:, None] - flat[None]).transpose(2, 0, 1)) + np.eye(8)
    assert gaps.min() > 0.1
    assert all((at - wall.corners.mean(axis=0)) @ view.towards > 0.0 for [at] in middles)


def test_three_faces_of_a_box_look_at_the_viewer_and_the_top_is_one_of_them() -> None:
    faces = faces_of(TerrainBox.of_cell((2, 3, 4)), Viewpoint(-50.0, 30.0))
    assert [(one.face.axis, one.face.high) for one in faces] == [(0, True), (1, False), (2, True)]
    assert sorted(one.turn for one in faces) == [0, 1, 2]
    assert len(faces_of(TerrainBox.of_cell((2, 3, 4)), Viewpoint(-50.0, 30.0), both=True)) == 6


def test_the_stretch_of_a_line_inside_terrain_is_found_in_boxes_and_in_seams() -> None:
    pair = [TerrainBox.of_cell((1, 0, 0)), TerrainBox.of_cell((1, 1, 0))]
    across = inside_stretch(np.array([0.0, 0.5, 0.5]), np.array([4.0, 0.5, 0.5]), pair)
    assert across == pytest.approx([0.25, 0.5], abs=1e-6)
    seam = inside_stretch(np.array([0.0, 1.0, 0.5]), np.array([4.0, 1.0, 0.5]), pair)
    assert seam == pytest.approx([0.25, 0.5], abs=1e-6)
    assert inside_stretch(np.array([0.0, 0.5, 2.0]), np.array([4.0, 0.5, 2.0]), pair) is None
