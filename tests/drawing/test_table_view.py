"""`silhouette draw --figure`: the whole table on its grid, and one figure of a check by its name."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from PIL import Image

from silhouette import load_scene
from silhouette.common.geometry import INCH
from silhouette.drawing.games import drawing_of
from silhouette.drawing.marks import (
    INCHES,
    MAX_RULER_MARKS,
    TICK_STEPS_MM,
    draw_grid,
    draw_rulers,
    draw_ticks,
    multiples,
    step_of,
)
from silhouette.drawing.sheet import TWO_COLUMNS, Sheet, settings
from silhouette.drawing.table.sightlines import shown_box
from silhouette.drawing.table.table_view import ROOM_ROUND, draw_table, table_box
from silhouette.scenes.table import TableScene
from tests.support.commands import CHECK, run, scene

SCENES = Path(__file__).resolve().parents[2] / "scenes"
SKIRMISH = SCENES / "necromunda" / "skirmish.toml"
QUICK = ("--renderer", "reference", "--pixel", "0.5", "--no-cache")


@pytest.fixture(scope="module")
def skirmish() -> TableScene:
    loaded = load_scene(SKIRMISH)
    assert isinstance(loaded, TableScene)
    return loaded


def words_in(svg: str) -> list[str]:
    """The texts of a figure, each once."""
    return list(dict.fromkeys(unescape(words) for words in re.findall(r'<g aria-label="([^"]*)"', svg)))


@pytest.mark.long
def test_the_table_shows_every_piece_on_the_page(skirmish: TableScene) -> None:
    left, bottom, right, top = table_box(skirmish)
    assert all(abs(edge / INCH - round(edge / INCH)) < 1e-9 for edge in (left, bottom, right, top))
    for piece in skirmish.pieces:
        x, y = piece.whole_box[:, 0], piece.whole_box[:, 1]
        assert left + ROOM_ROUND <= x.min() + 1e-6
        assert x.max() <= right - ROOM_ROUND + 1e-6
        assert bottom + ROOM_ROUND <= y.min() + 1e-6
        assert y.max() <= top - ROOM_ROUND + 1e-6
    with settings():
        sheet = Sheet(TWO_COLUMNS)
        draw_table(sheet, skirmish)
        sheet.finish()
    assert sheet.bounds[0] < left < right < sheet.bounds[2]
    assert sheet.bounds[1] < bottom < top < sheet.bounds[3]


def test_the_table_has_names_numbers_and_gangs(skirmish: TableScene) -> None:
    with settings():
        sheet = Sheet(TWO_COLUMNS)
        draw_table(sheet, skirmish)
        figure = sheet.finish()
        said = {text.get_text() for text in (*sheet.axes.texts, *figure.texts)}
    stands = {piece.name: piece.base_span[0] for piece in skirmish.pieces if piece.kind != "terrain"}
    for piece in skirmish.pieces:
        raised = f" {stands[piece.name]:+.0f} mm" if abs(stands.get(piece.name, 0.0)) >= 1.0 else ""
        assert piece.name + raised in said
    assert {'0"', '2"', '−2"', "0 mm", "50", "−50", "Orlock", "Escher", skirmish.title} <= said
    assert 'grid lines 1" apart' in " ".join(said)


def test_ticks_stand_where_their_numbers_say() -> None:
    with settings():
        sheet = Sheet(TWO_COLUMNS)
        box = (-300.0, -200.0, 500.0, 250.0)
        sheet.frame(-400.0, -300.0, 600.0, 350.0)
        draw_rulers(sheet, box)
        inches = {text.get_text(): text.get_position() for text in sheet.axes.texts if '"' in text.get_text()}
        metric = [text for text in sheet.axes.texts if text.get_text().endswith("00")]
    assert len(inches) >= 8
    for words, (x, y) in inches.items():
        place = INCH * int(words.rstrip('"').replace("−", "-"))
        assert place == pytest.approx(x if y < box[1] else y)
    assert metric
    for text in metric:
        x, y = text.get_position()
        assert int(text.get_text().replace("−", "-")) == pytest.approx(x if y > box[3] else y)


def test_numbers_inside_stay_inside() -> None:
    with settings():
        sheet = Sheet()
        box = (0.0, 0.0, 400.0, 200.0)
        sheet.frame(*box)
        draw_ticks(sheet, box)
        places = [text.get_position() for text in sheet.axes.texts]
    assert places
    assert all(box[0] <= x <= box[2] and box[1] <= y <= box[3] for x, y in places)


@pytest.mark.parametrize("size", [30.0, 1220.0, 2.0e5, 1.0e9])
def test_a_grid_can_be_told_apart_whatever_the_size(size: float) -> None:
    with settings():
        sheet = Sheet(TWO_COLUMNS)
        sheet.frame(0.0, 0.0, size, size)
        apart = draw_grid(sheet, (0.0, 0.0, size, size))
        draw_rulers(sheet, (0.0, 0.0, size, size))
        assert sheet.paper(1.0) <= apart
        assert len(multiples(apart, 0.0, size)) <= MAX_RULER_MARKS + 1
        for steps in (INCHES, TICK_STEPS_MM):
            assert step_of(sheet, steps, 9.0, size) >= sheet.paper(9.0)


def test_a_scene_without_checks_is_drawn_as_a_whole(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, out = scene(tmp_path), tmp_path / "figures"
    ran = run(capsys, "draw", file, "--out", out, "--format", "png", "--json", *QUICK)
    assert ran.status == 0
    assert ran.document["figures"] == [str(out / "table.png")]
    assert ran.document["checks"] == []
    with Image.open(out / "table.png") as picture:
        assert len(np.unique(np.asarray(picture.convert("L")))) > 8
        assert json.loads(picture.info["silhouette"])["figure"] == "table"


@pytest.mark.thinned(quick=74)
@pytest.mark.parametrize(
    "name",
    [
        "skirmishcorps/gangers_at_the_barricade",
        "necromunda/example_1_open",
        "crisis_protocol/an_object",
        "tide_of_iron/same_elevation",
    ],
)
def test_figure_table_of_a_scene_with_checks_judges_nothing(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("silhouette.judging.judge_all", lambda *_, **__: pytest.fail("judged in vain"))
    ran = run(capsys, "draw", SCENES / f"{name}.toml", "--out", tmp_path, "--figure", "table", "--lang", "de", *QUICK)
    assert (ran.status, ran.complaints) == (0, [])
    assert [file.name for file in tmp_path.iterdir()] == ["table.svg"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("crisis_protocol/in_cover", {"Baron Zemo, size 2", "Captain Marvel, size 2", "barrier, size 2", "20", "−20"}),
        ("tide_of_iron/same_elevation", {"American squad", "squad A", "squad E", "0, 2"}),
    ],
)
def test_boards_have_names_and_places(name: str, said: set[str]) -> None:
    scene = load_scene(SCENES / f"{name}.toml")
    figure = drawing_of(scene.rules).overview(scene)
    assert figure is not None
    with settings():
        sheet = Sheet(TWO_COLUMNS)
        figure.draw(sheet)
        drawn = sheet.finish()
        assert said <= {text.get_text() for text in (*sheet.axes.texts, *drawn.texts)}


def test_a_game_without_such_a_figure_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ran = run(capsys, "draw", SCENES / "ikosa" / "face_to_face.toml", "--out", tmp_path, "--figure", "table", *QUICK)
    assert ran.status == 2
    assert "Ikosa Framework has no figure of a whole scene; draw its checks" in ran.complaints[0]


def test_one_figure_of_a_check_by_its_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, out = scene(tmp_path, CHECK), tmp_path / "figures"
    assert run(capsys, "draw", file, "--out", out, "--figure", "plan", *QUICK).status == 0
    (figure,) = out.iterdir()
    assert figure.name.endswith("-plan.svg")


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("--figure", "pln"), "no figure 'pln'; did you mean 'plan'?"),
        (("--figure", "x"), "no figure 'x'; its figures are 'eye', 'plan', 'side', 'table', 'odds'"),
        (("--figure", "table", "--check", "1"), "leave --check, --from and --to out"),
        (("--figure", "table", "--from", "Kal"), "leave --check, --from and --to out"),
    ],
)
def test_a_figure_that_cannot_be_drawn_is_one_line(
    words: tuple[str, ...], problem: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ran = run(capsys, "draw", scene(tmp_path, CHECK), "--out", tmp_path / "figures", *words, *QUICK)
    assert ran.status == 2
    (line,) = ran.complaints
    assert problem in line


def test_what_stands_beside_the_table_is_on_the_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = scene(tmp_path)
    file.write_text(
        file.read_text(encoding="utf-8").replace("title = ", "table = [300, 200]\ntitle = "), encoding="utf-8"
    )
    loaded = load_scene(file)
    assert isinstance(loaded, TableScene)
    assert table_box(loaded) == (-150.0, -100.0, 150.0, 100.0)
    with settings():
        sheet = Sheet(TWO_COLUMNS)
        draw_table(sheet, loaded)
    left, bottom, right, top = sheet.bounds
    for piece in loaded.pieces:
        assert left < piece.whole_box[:, 0].min() <= piece.whole_box[:, 0].max() < right
        assert bottom < piece.whole_box[:, 1].min() <= piece.whole_box[:, 1].max() < top


def test_what_lies_across_a_corner_of_a_frame_is_not_shown_there() -> None:
    frame = cast("Sheet", SimpleNamespace(bounds=(0.0, 0.0, 10.0, 10.0)))
    wall = np.array([[-5.0, 4.0], [4.0, -5.0], [4.2, -4.7], [-4.7, 4.2]])
    assert shown_box(frame, (wall,)) is None
    assert shown_box(frame, (wall + 1.0,)) == pytest.approx(np.array([[0.0, 0.0], [1.5, 1.5]]))
    assert shown_box(frame, (wall * 20.0 - 20.0, np.empty((0, 2)))) is None
    floor = np.array([[-9.0, -9.0], [90.0, -9.0], [90.0, 90.0], [-9.0, 90.0]])
    assert shown_box(frame, (floor,)) == pytest.approx(np.array([[0.0, 0.0], [10.0, 10.0]]))
