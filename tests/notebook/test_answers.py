"""Verdicts, matrices, odds and maps that show themselves: they draw what the commands draw."""

from __future__ import annotations

import base64
import re
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PIL import Image

import silhouette
from silhouette import RequestError
from tests.support.commands import run

EXAMPLE = Path(__file__).resolve().parents[2] / "scenes" / "necromunda" / "example_2_partial_cover.toml"


@pytest.fixture(scope="module")
def scene() -> silhouette.Scene:
    return silhouette.load_scene(EXAMPLE)


def test_a_picture_is_that_of_the_command(
    scene: silhouette.Scene, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(capsys, "check", EXAMPLE, "--picture", tmp_path / "kal.png")
    verdict = scene.check("Kal", "Vex")
    with Image.open(tmp_path / "kal.png") as expected:
        assert verdict.picture().tobytes() == expected.tobytes()
    content = verdict._repr_png_()
    assert content is not None
    assert base64.b64encode(content).decode() in verdict._repr_html_()


def test_a_figure_is_that_of_the_command(
    scene: silhouette.Scene, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = silhouette.draw(EXAMPLE, tmp_path / "here", figure="plan")
    run(capsys, "draw", EXAMPLE, "--figure", "plan", "--out", tmp_path / "there")
    assert [file.name for file in files] == ["01-kal-vex-plan.svg"]
    for file in files:
        content = (tmp_path / "there" / file.name).read_text()
        assert file.read_text() == content == scene.check("Kal", "Vex").figure("plan")
    verdict = scene.check("Kal", "Vex")
    assert verdict.figure_names()[:2] == ("eye", "plan")
    assert verdict.picture("plan").width > 500
    assert verdict.figure("plan", language="de", style="dark") != verdict.figure("plan")


def test_its_row_is_that_of_the_command(scene: silhouette.Scene, capsys: pytest.CaptureFixture[str]) -> None:
    (expected,) = run(capsys, "check", EXAMPLE, "--json").document["scenes"][0]["results"]
    verdict = scene.check("Kal", "Vex")
    assert dict(verdict) == {**expected, "expected": None}
    assert verdict["verdict"] == verdict.verdict


def test_a_matrix_holds_what_check_gives(scene: silhouette.Scene) -> None:
    matrix = scene.matrix()
    assert matrix == scene.matrix()
    assert matrix != scene.moved({"Vex": (60, 216)}).matrix()
    assert [(verdict.attacker, verdict.target) for verdict in matrix] == [("Kal", "Vex"), ("Vex", "Kal")]
    assert matrix["Kal", "Vex"] == matrix[0] == scene.check("Kal", "Vex")
    assert matrix[:1] == (matrix[0],)
    assert matrix[0].picture().tobytes() == scene.check("Kal", "Vex").picture().tobytes()
    assert matrix.rows()[0]["scene"] == EXAMPLE.as_posix()
    html = matrix._repr_html_()
    assert re.findall(r"<th>(\w+)</th>", html) == ["Kal", "Vex", "Kal", "Vex"]
    assert "partial cover</span> <small>42.4 %</small>" in html


def test_odds_and_maps_show_themselves(scene: silhouette.Scene) -> None:
    odds = scene.odds("Kal", "Vex")
    assert ElementTree.fromstring(odds.figure()).tag.endswith("svg")
    assert odds._repr_svg_() == odds.figure()
    assert all(word in odds._repr_html_() for word in odds.odds)
    drawn = scene.map_of("Vex", grid=50.0)
    assert ElementTree.fromstring(drawn.figure("seen-by")).tag.endswith("svg")
    assert drawn._repr_svg_() == drawn.figure()
    (data,) = re.findall(r"data:image/png;base64,([^\"]+)", drawn._repr_html_())
    with Image.open(BytesIO(base64.b64decode(data))) as shown:
        assert shown.size == drawn.picture().size
    with pytest.raises(RequestError, match=r"^layer: no such layer|layer sene"):
        drawn.figure("sene")  # type: ignore[arg-type]


def test_what_was_changed_since_has_no_picture(scene: silhouette.Scene) -> None:
    other = replace(scene.check("Kal", "Vex"), reason="because")
    with pytest.raises(RequestError, match="was changed since it was judged; ask for it again"):
        other.picture()
    assert "because" in other._repr_html_()
    assert other["reason"] == "because"


def test_names_are_no_markup() -> None:
    fighters = [{"name": name, "at": at, "parts": [{"box": (12, 12, 30)}]} for name, at in NAMES.items()]
    scene = silhouette.Scene.build(fighter=fighters)
    shown = [scene._repr_html_(), scene.matrix()._repr_html_(), scene.check(*NAMES)._repr_html_()]
    assert all("<script>" not in html and "&lt;script&gt;" in html for html in shown)


NAMES = {"<script>": (0, 0), "<b>Vex": (0, 200)}
