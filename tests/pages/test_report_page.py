"""The report as a document: whole, closed to the network, true to the verdicts; and the command that writes it."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from silhouette.cli.app import main
from silhouette.common.text import obscured
from silhouette.files.cache import Cache
from silhouette.judging import load_scene
from silhouette.scenes.table import TableScene
from tests.conftest import PROJECT
from tests.pages.test_report_view import HOSTILE
from tests.support.commands import CHECK, QUICK, run, scene
from tests.support.markup import Document

SCENES = PROJECT / "scenes"

SYSTEMS = (
    "crisis_protocol/on_a_rooftop",
    "ikosa/shot_at_a_giant",
    "necromunda/example_1_open",
    "skirmishcorps/classes",
    "skirmishcorps/behind_the_crates",
    "tide_of_iron/hex_edge_clear",
)


def reported(capsys: pytest.CaptureFixture[str], file: Path, folder: Path, *options: str) -> tuple[str, Any]:
    out = folder / "report.html"
    ran = run(capsys, "report", file, "--out", out, "--json", "--workers", "1", *options)
    assert ran.status == 0, ran.err
    return out.read_text(encoding="utf-8"), ran.document


@pytest.fixture(scope="module", params=SYSTEMS)
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Any]:
    """A report and what its command printed, of a scene of each system."""
    out = tmp_path_factory.mktemp("report") / "report.html"
    words = ["report", str(SCENES / f"{request.param}.toml"), "--out", str(out), "--json", "--pixel", "0.4"]
    with redirect_stdout(StringIO()) as printed:
        assert main(words) == 0
    return out.read_text(encoding="utf-8"), json.loads(printed.getvalue())


@pytest.mark.thinned(quick=18, ci=18)
def test_a_report_is_whole_and_closed_and_says_what_was_found(made: tuple[str, Any]) -> None:
    content, printed = made
    assert content.startswith("<!DOCTYPE html>\n<html lang=")
    document = Document(content)
    assert len(set(document.ids)) == len(document.ids)
    for _, attributes in document.elements:
        for key, value in attributes.items():
            if key in ("href", "xlink:href", "src") and value is not None:
                assert value.startswith(("#", "data:image/")), f"{key} leads to {value[:60]}"
                assert not value.startswith("#") or value[1:] in document.ids
            for mark in re.findall(r"url\(#([^)]*)\)", value or ""):
                assert mark in document.ids
    assert not re.search(r"@import|url\((?!#|data:|&quot;)", "".join(document.scripts[:1]))
    for row in printed["checks"]:
        assert row["verdict"] in document.words
        assert " ".join((row["reason"][:1].upper() + row["reason"][1:]).split()) in document.words
        if row.get("target_pixels") is not None:
            assert obscured(row["occluded_pixels"], row["target_pixels"], row["error"]) in document.words
    assert len(content.encode()) == printed["bytes"] < 8_000_000


@pytest.mark.thinned(quick=18, ci=18)
def test_its_policy_lets_one_script_run_and_nothing_be_fetched(made: tuple[str, Any]) -> None:
    content, _ = made
    document = Document(content)
    rules = dict(rule.strip().split(" ", 1) for rule in document.policy.split(";"))
    (script,) = re.findall(r"<script>(.*?)</script>", content, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert rules["script-src"] == f"'sha256-{digest}'"
    assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == "'none'"
    assert rules["img-src"] == "data: blob:"
    assert not [key for _, attributes in document.elements for key in attributes if key.startswith("on")]


@pytest.mark.long
def test_verdicts_are_those_of_check_within_the_error(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Shown meshes are simplified, judged ones never: the page says what ``check`` says."""
    file = SCENES / "necromunda/two_blockers.toml"
    _, printed = reported(capsys, file, tmp_path)
    (checked,) = run(capsys, "check", file, "--json").document["scenes"]
    for row, other in zip(printed["checks"], checked["results"], strict=True):
        assert row["verdict"] == other["verdict"]
        assert abs(row["occluded"] - other["occluded"]) <= row["error"] + other["error"]


def test_it_names_what_verdicts_rest_on(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = SCENES / "necromunda/example_1_open.toml"
    content, printed = reported(capsys, file, tmp_path, "--pixel", "0.4", "--renderer", "embree")
    words = Document(content).words
    loaded = load_scene(file, cache=Cache(None))
    assert isinstance(loaded, TableScene)
    for piece in loaded.pieces:
        assert piece.name in words
        assert piece.model.mesh.digest in words
        assert f"{len(piece.model.mesh.faces):,}".replace(",", " ") in words
    assert "renderer embree" in words
    assert "0.4 mm per pixel" in words
    assert "tolerance 1 %" in words
    assert "share: whole target" in words
    assert file.read_text(encoding="utf-8").splitlines()[0] in words
    assert printed["report"].endswith("report.html")


@pytest.mark.long
def test_hostile_names_are_shown_as_they_are(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "scene.toml"
    file.write_text(HOSTILE, encoding="utf-8")
    content, printed = reported(capsys, file, tmp_path, "--pixel", "0.5")
    document = Document(content)
    assert [tag for tag, _ in document.elements].count("script") == 3  # the stage, the results, the viewer
    assert not [1 for tag, _ in document.elements if tag in ("img", "b")]
    for row in printed["checks"]:
        assert row["attacker"] in document.words
        assert row["target"] in document.words


def test_names_that_only_json_can_hold_do_not_break_it(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A bell, and a mark that turns the direction of writing."""
    box = [{"box": [12, 12, 30]}]
    names = ["Kal", "bell \x07 and \u202eback"]
    places = [[0, 0], [0, 150]]
    document = {
        "rules": "necromunda",
        "fighter": [{"name": n, "at": at, "parts": box} for n, at in zip(names, places, strict=True)],
        "check": [{"attacker": names[0], "target": names[1]}],
    }
    file = tmp_path / "scene.json"
    file.write_text(json.dumps(document), encoding="utf-8")
    content, _ = reported(capsys, file, tmp_path, *QUICK)
    assert "bell ? and ?back" in Document(content).words


@pytest.mark.long
def test_the_same_scene_gives_the_same_page(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = scene(tmp_path, CHECK)
    first, _ = reported(capsys, file, tmp_path, *QUICK)
    second, _ = reported(capsys, file, tmp_path, *QUICK)
    assert first == second
    several = tmp_path / "several.html"
    assert run(capsys, "report", file, "--out", several, "--workers", "2", *QUICK).status == 0
    assert several.read_text(encoding="utf-8") == first


@pytest.mark.parametrize(
    ("out", "wrong"),
    [
        ("report.pdf", "pages are HTML; give a name that ends in .html"),
        ("none/report.html", "there is no folder"),
        ("folder.html", "is a folder; give the name of a file"),
    ],
)
def test_a_page_that_cannot_be_written_is_told_at_once(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, out: str, wrong: str
) -> None:
    (tmp_path / "folder.html").mkdir()
    ran = run(capsys, "report", scene(tmp_path, CHECK), "--out", tmp_path / out, *QUICK)
    (line,) = ran.complaints
    assert (ran.status, ran.out) == (2, "")
    assert wrong in line


@pytest.mark.parametrize(
    ("words", "wrong"),
    [
        (("--pixel", "99"), "pixel is 99"),
        (("--renderer", "embre"), "did you mean 'embree'"),
    ],
)
def test_wrong_options_leave_nothing(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, words: tuple[str, ...], wrong: str
) -> None:
    out = tmp_path / "report.html"
    ran = run(capsys, "report", scene(tmp_path, CHECK), "--out", out, *words)
    assert ran.status == 2
    assert wrong in ran.complaints[0]
    assert not out.exists()


def test_a_scene_without_checks_is_shown_as_a_table(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    ran = run(capsys, "report", scene(tmp_path), "--out", out, *QUICK)
    page = out.read_text(encoding="utf-8")
    assert ran.status == 0
    assert all(words in page for words in ("no checks", "The whole table", "--figure table", 'id="view-canvas"'))
    assert "judged exactly" not in page


def test_a_scene_without_checks_or_a_table_leaves_what_was_there(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    out, cells = tmp_path / "report.html", tmp_path / "cells.toml"
    out.write_text("before", encoding="utf-8")
    cells.write_text('rules = "ikosa"\nmode = "melee"\nsolid_cells = [[0, 0, 0]]\n', encoding="utf-8")
    ran = run(capsys, "report", cells, "--out", out, *QUICK)
    assert ran.status == 2
    assert "has no [[check]]" in ran.complaints[0]
    assert out.read_text(encoding="utf-8") == "before"
    assert not list(tmp_path.glob(".silhouette*"))


def test_a_page_does_not_tell_where_files_lie(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file, out = tmp_path / "duel.toml", tmp_path / "report.html"
    model = (SCENES.parent / "models/scout.toml").resolve()
    fighter = f'[[fighter]]\nname = "Kal"\nat = [0, 0]\nmodel = "{model.as_posix()}"\n'
    file.write_text(f'rules = "necromunda"\n{fighter}', encoding="utf-8")
    assert run(capsys, "report", file, "--out", out, *QUICK).status == 0
    page = out.read_text(encoding="utf-8")
    assert "scout.toml" in page
    assert not [folder for folder in (*model.parents, tmp_path) if len(folder.parts) > 2 and str(folder) in page]


@pytest.mark.parametrize("library", ["matplotlib", "fast_simplification"])
def test_what_is_not_installed_is_told_before_anything_is_judged(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, library: str
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    monkeypatch.setattr("silhouette.pages.report.page.judge_all", lambda *_: pytest.fail("judged in vain"))
    out = tmp_path / "report.html"
    ran = run(capsys, "report", SCENES / "necromunda/example_1_open.toml", "--out", out, "--no-cache")
    assert ran.status == 2
    assert f"install {library.replace('_', '-')}" in ran.complaints[0]
    assert not out.exists()


@pytest.mark.slow
def test_an_expectation_that_does_not_hold_is_said(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    file = scene(tmp_path, CHECK, 'expect = { verdict = "hidden" }\n')
    assert run(capsys, "report", file, "--out", out, *QUICK).status == 1
    assert "not as expected: verdict is 'partial cover', not 'hidden'" in Document(out.read_text("utf-8")).words
