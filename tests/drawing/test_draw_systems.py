"""Every kind of figure of every rule system: names that bite, shares, ends of lines, and ``check --picture``."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from lxml import etree
from PIL import Image

pytest.importorskip("matplotlib")

from silhouette.cli.app import main
from silhouette.common.geometry import INCH
from silhouette.common.text import share_in_words
from silhouette.drawing import typeface
from silhouette.drawing.games.tide_of_iron import MAX_MAP_HEXES as MOST_HEXES
from silhouette.drawing.sheet import COLUMN, settings
from silhouette.drawing.table.sightlines import Sightline
from silhouette.rules import rule_called
from silhouette.rules.tide_of_iron.hexes import distance
from silhouette.rules.tide_of_iron.rule import TIDE_OF_IRON
from tests.drawing.test_draw import TAGS, points_of
from tests.support.figures import (
    SCENES,
    SVG,
    cpu_renderer,
    document_of,
    drawn,
    loaded,
    renamed,
    scene_at,
    texts,
    verdict_in,
)
from tests.support.rulings import ruled

ONE_OF_EACH = [
    "necromunda/two_blockers",
    "skirmishcorps/behind_the_crates",
    "crisis_protocol/ultron_on_terrain",
    "tide_of_iron/blind_hexes_from_level_2",
    "ikosa/hovering_over_a_block",
]

HOSTILE = {
    "markup": "</text><script>alert('1')</script>&amp;\"",
    "mathematics": "$\\frac{x}{0}$ {0} %s {name}",
    "emoji": "\N{SKULL}\N{GRINNING FACE}" * 20 + "\u202e",
    "80 characters": "W" * 79,
}


@pytest.mark.thinned(quick=2, ci=2)
@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("place", ONE_OF_EACH)
def test_no_name_breaks_a_figure_or_leaves_its_page(place: str, name: str, tmp_path: Path) -> None:
    path = SCENES / f"{place}.toml"
    scene = loaded(renamed(document_of(path), name), path.parent)
    for figure, file in drawn(scene, 1, tmp_path, pixel=0.6, language="fr").items():
        tree = etree.parse(str(file), etree.XMLParser(resolve_entities=False))
        assert {etree.QName(one).localname for one in tree.iter(etree.Element)} <= set(TAGS.split()), figure
        row = verdict_in(file)
        assert row["attacker"] == scene.checks[0].attacker
        assert row["attacker"].startswith(name) or place.startswith("tide")
        page = COLUMN / INCH * 72.0
        for text in tree.iter(f"{SVG}text"):
            said = "".join(text.itertext())
            size = float(re.findall(r"([\d.]+)px", text.get("style") or "")[0])
            assert size >= typeface.MIN_TYPE_SIZE
            left = float(text.get("x") or 0.0)
            assert left > -1.0, (figure, said)
            if "middle" not in (text.get("style") or ""):
                with settings():
                    wide = typeface.width(said, size, "700" in (text.get("style") or "")) * 72.0 / INCH
                right = left if "text-anchor: end" in (text.get("style") or "") else left + wide
                assert right - wide > -1.0, (figure, said)
                assert right < page * 1.01, (figure, said)


@pytest.mark.thinned(quick=16, ci=16)
@pytest.mark.parametrize("place", ["elevation", "over_his_own_wall", "prone_behind_walls"])
def test_a_look_of_skirmishcorps_tells_and_shows_its_verdict(place: str, tmp_path: Path) -> None:
    scene = scene_at(SCENES / "skirmishcorps" / f"{place}.toml")
    files = drawn(scene, 1, tmp_path, pixel=0.3)
    assert list(files) == ["eye", "plan", "side"]
    row = verdict_in(files["eye"])
    share = share_in_words(row["occluded_pixels"], row["target_pixels"])
    target = scene.unit(row["target"])
    for name, file in files.items():
        said = texts(file)
        assert {row["attacker"], row["target"]} <= set(said) or name == "eye"
        assert f"{share} ± " in " ".join(said) or f"{share} obscured" in " ".join(said)
        assert row["target"] in said
    for one in row["blockers"]:
        if one["occluded"] > 0.02:
            assert f"{one['name']} {share_in_words(round(one['occluded'] * 1e9), 10**9)}" in texts(files["eye"])
    start, end = points_of(files["plan"], "sight-line")
    eye = np.array(verdict_in(files["plan"])["frame"]["eye"])
    assert start == pytest.approx([0.0, 0.0], abs=0.02)
    assert end == pytest.approx([np.hypot(*(target.piece.body_middle - eye)[:2]), 0.0], abs=0.02)
    rim = points_of(files["side"], "rim-" + str(1 + max(rims(files["side"]))))
    assert rim[0] == pytest.approx([0.0, eye[2]], abs=0.05)


def rims(file: Path) -> list[int]:
    """The numbers of the rays past foot and top of the target, but the last."""
    numbers = sorted(int(one) for one in re.findall(r'id="rim-(\d+)"', file.read_text(encoding="utf-8")))
    assert len(numbers) == 2
    return numbers[:-1]


def test_the_modifier_is_told_where_there_is_sight(tmp_path: Path) -> None:
    scene = scene_at(SCENES / "skirmishcorps" / "elevation.toml")
    title = next(one for one in texts(drawn(scene, 1, tmp_path, pixel=0.4, only="plan")["plan"]) if " → " in one)
    assert title == "Guardian A → Acolyte: low cover, \N{MINUS SIGN}2 to hit"


def board(width: int, height: int) -> dict[str, Any]:
    hexes = [
        {"at": [q - r // 2, r], "terrain": "woods" if (q * 7 + r * 3) % 11 == 0 else "clear"}
        for r in range(height)
        for q in range(width)
    ]
    units = [{"name": "squad", "at": [2, 4]}]
    return {
        "rules": "tide-of-iron",
        "map": {"hex": hexes},
        "unit": units,
        "check": [{"attacker": "squad", "target": [6, 4]}],
    }


@pytest.mark.thinned(quick=50, ci=50)
@pytest.mark.parametrize(("width", "height", "whole"), [(22, 24, True), (50, 40, False)])
def test_the_map_of_a_large_board_is_drawn_and_says_what_of_it(
    width: int, height: int, whole: bool, tmp_path: Path
) -> None:
    scene = loaded(board(width, height), tmp_path)
    file = drawn(scene, 1, tmp_path, only="map")["map"]
    said = " ".join(texts(file))
    number = int(re.findall(r"Of (\d+) hexes", said)[0])
    every = len(TIDE_OF_IRON.between(scene, "squad", None, None))
    assert (number == every) is whole
    assert number <= max(MOST_HEXES, every * whole)
    assert ("Only the hexes up to " in said) is not whole
    if not whole:
        steps, all_of_them = map(int, re.findall(r"up to (\d+) from squad are drawn; the board has (\d+)", said)[0])
        assert all_of_them == every
        checks = TIDE_OF_IRON.between(scene, "squad", None, None)
        start = scene.address("squad")
        assert number == sum(distance(start, scene.address(one.target)) <= steps for one in checks)
    text = file.read_text(encoding="utf-8")
    hidden = TIDE_OF_IRON.between(scene, "squad", None, None)[:40]
    for check in hidden:
        q, r = scene.address(check.target)
        verdict = ruled(TIDE_OF_IRON, scene, check)
        near = whole or distance(scene.address("squad"), (q, r)) <= steps
        assert bool(re.search(rf'id="(blind|plateau|hidden)_{q}_{r}"', text)) is (near and not verdict.line_of_sight)


@pytest.mark.thinned(quick=20, ci=21)
@pytest.mark.parametrize("place", ONE_OF_EACH)
def test_check_draws_the_main_figure_of_every_system(
    place: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["check", str(SCENES / f"{place}.toml"), "--json", "--pixel", "0.4", "--no-cache"]
    main([*words, "--picture", str(tmp_path / "it.png")])
    [scene] = json.loads(capsys.readouterr().out)["scenes"]
    assert "error" not in scene
    pictures = [Path(row["picture"]) for row in scene["results"]]
    assert sorted(pictures) == sorted(tmp_path.iterdir())
    for row, picture in zip(scene["results"], pictures, strict=True):
        with Image.open(picture) as image:
            carried = json.loads(image.info["silhouette"])
            assert image.width >= 1000
        kept = {key: value for key, value in row.items() if key not in ("expected", "unmet", "picture", "arc")}
        assert {key: carried[key] for key in kept} == kept


def test_what_cannot_be_drawn_has_no_picture_and_is_judged_all_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scene = SCENES / "skirmishcorps" / "penalties.toml"
    assert main(["check", str(scene), "--json", "--picture", str(tmp_path / "it.png")]) == 0
    [found] = json.loads(capsys.readouterr().out)["scenes"]
    assert found["results"]
    assert all("picture" not in row for row in found["results"])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.long
def test_without_matplotlib_a_board_has_no_picture_and_an_eye_view_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "matplotlib", None)
    options = ["--pixel", "0.5", "--no-cache", "--quiet", "--picture", str(tmp_path / "it.png")]
    assert main(["check", str(SCENES / "ikosa" / "face_to_face.toml"), *options]) == 2
    assert "drawing needs matplotlib, which is not installed" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
    assert main(["check", str(SCENES / "necromunda" / "example_1_open.toml"), *options]) == 0
    assert list(tmp_path.iterdir()) == [tmp_path / "it.png"]


def test_a_sightline_knows_who_looks_from_where(tmp_path: Path) -> None:
    scene = scene_at(SCENES / "skirmishcorps" / "over_his_own_wall.toml")
    verdict = ruled(rule_called("skirmishcorps"), scene, scene.checks[0], cpu_renderer(), 0.5, keep=True)
    line = Sightline(scene, verdict, verdict.evidence, cpu_renderer())
    assert line.observation.masks[0].view.eye == pytest.approx(line.eye)
