"""The report as a document: whole, closed to the network, true to the verdicts; and the command that writes it."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
import sys
from contextlib import redirect_stdout
from html.parser import HTMLParser
from importlib.resources import files
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from silhouette.cli.app import main
from silhouette.drawing.in_3d.packing import packed
from silhouette.drawing.in_3d.simplifying import Shape, simplified
from silhouette.files.cache import Cache
from silhouette.judging import Selection, judged, load_scene
from silhouette.pages.html.inlining import inlined
from silhouette.pages.html.markup import VOID, element, text
from silhouette.pages.html.skeleton import Head, page
from silhouette.pages.report.page import stage_of
from silhouette.renderers import choose
from silhouette.rules.skirmishcorps.protection import look_at
from silhouette.rules.skirmishcorps.scene import SkirmishScene
from silhouette.scenes.table import TableScene
from silhouette.text import obscured
from tests.conftest import PROJECT
from tests.pages.test_report_view import HOSTILE
from tests.support.commands import CHECK, QUICK, run, scene

SCENES = PROJECT / "scenes"
VIEWER = PROJECT / "silhouette/pages/viewer/source"

SYSTEMS = (
    "crisis_protocol/on_a_rooftop",
    "ikosa/shot_at_a_giant",
    "necromunda/example_1_open",
    "skirmishcorps/classes",
    "skirmishcorps/behind_the_crates",
    "tide_of_iron/hex_edge_clear",
)


class Document(HTMLParser):
    """What a page holds: its elements, all properly closed, its ids, texts, references, scripts."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.ids: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.scripts: list[str] = []
        self.feed(page)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self.ids += [value for key, value in attrs if key == "id" and value]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        (self.scripts if self.open and self.open[-1] in ("script", "style") else self.texts).append(data)

    @property
    def words(self) -> str:
        return " ".join(" ".join(self.texts).split())

    @property
    def policy(self) -> str:
        return next(a["content"] or "" for tag, a in self.elements if a.get("http-equiv") == "Content-Security-Policy")


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
        assert obscured(row) in document.words
    assert len(content.encode()) == printed["bytes"] < 8_000_000


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
    monkeypatch.setattr("silhouette.pages.report.page.judged", lambda *_: pytest.fail("judged in vain"))
    out = tmp_path / "report.html"
    ran = run(capsys, "report", SCENES / "necromunda/example_1_open.toml", "--out", out, "--no-cache")
    assert ran.status == 2
    assert f"install {library.replace('_', '-')}" in ran.complaints[0]
    assert not out.exists()


def test_an_expectation_that_does_not_hold_is_said(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    file = scene(tmp_path, CHECK, 'expect = { verdict = "hidden" }\n')
    assert run(capsys, "report", file, "--out", out, *QUICK).status == 1
    assert "not as expected: verdict is 'partial cover', not 'hidden'" in Document(out.read_text("utf-8")).words


def unpacked(told: dict[str, Any], data: bytes) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The vertices and faces of a packed shape: a second reading, as simple as can be, of what the viewer reads."""

    def numbers(at: int, count: int, width: int) -> list[int]:
        planes = [data[at + place * count : at + (place + 1) * count] for place in range(width)]
        return [sum(plane[index] << 8 * place for place, plane in enumerate(planes)) for index in range(count)]

    count, columns = told["vertices"], []
    for axis in range(3):
        steps = np.cumsum(numbers(told["at"] + 2 * axis * count, count, 2)) % 65536
        columns.append(told["low"][axis] + steps / 65535 * (told["high"][axis] - told["low"][axis]))
    found, unused = [], 0
    for step in numbers(told["at"] + 6 * count, 3 * told["faces"], told["width"]):
        found.append(unused - step)
        unused += step == 0
    return np.column_stack(columns), np.array(found, dtype=np.int64).reshape(-1, 3)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), count=st.integers(3, 400), scale=st.floats(1e-2, 1e4))
def test_what_is_packed_comes_out_again(seed: int, count: int, scale: float) -> None:
    """Corners of every face come out within half a step of the box, in the same order, whatever else is packed."""
    random = np.random.default_rng(seed)
    shapes = []
    for _ in range(2):
        vertices = scale * random.normal(size=(count, 3))
        shapes.append(Shape(vertices, random.integers(0, count, (count, 3)), int(random.integers(0, count + 1))))
    told, packed_text = packed(shapes)
    data = gzip.decompress(base64.b64decode(packed_text))
    for shape, one in zip(shapes, told, strict=True):
        vertices, faces = unpacked(one, data)
        assert one["ghosts"] == shape.ghosts
        step = (np.array(one["high"]) - one["low"]).max() / 65535
        assert np.abs(vertices[faces] - shape.vertices[shape.faces]).max() <= 0.51 * step + 1e-4


def test_simplified_meshes_keep_their_outline() -> None:
    loaded = load_scene(SCENES / "necromunda/example_1_open.toml", cache=Cache(None))
    assert isinstance(loaded, TableScene)
    mesh = max((piece.model.mesh for piece in loaded.pieces), key=lambda mesh: len(mesh.faces))
    vertices, faces = simplified(mesh, 5000, Cache(None))
    assert 3000 < len(faces) <= 5100 < len(mesh.faces)
    assert np.abs(vertices.min(axis=0) - mesh.bounds[0]).max() < 0.5
    assert np.abs(vertices.max(axis=0) - mesh.bounds[1]).max() < 0.5
    same_vertices, same_faces = simplified(mesh, len(mesh.faces), Cache(None))
    assert same_vertices is mesh.vertices
    assert np.array_equal(same_faces, mesh.faces)


@pytest.mark.parametrize("name", ["necromunda/skirmish", "tide_of_iron/blind_hexes_from_level_1"])
def test_each_distinct_mesh_is_there_once(name: str) -> None:
    loaded = load_scene(SCENES / f"{name}.toml", cache=Cache(None))
    stage = stage_of(loaded, [], Cache(None))
    assert stage is not None
    assert len({item.shape for item in stage.items}) == len(stage.shapes) < len(stage.items)


def test_the_view_looks_from_where_the_rules_do_past_what_they_leave_out() -> None:
    """Over its own wall a unit looks from above that, which is not in its way; nor are other units."""
    loaded = load_scene(SCENES / "skirmishcorps/over_his_own_wall.toml", cache=Cache(None))
    assert isinstance(loaded, SkirmishScene)
    renderer = choose("embree")
    found = [judged(loaded, check, renderer, 0.5, keep=True) for check in loaded.checks]
    stage = stage_of(loaded, found, Cache(None))
    assert stage is not None
    measured = [one for one in stage.sights if one.measured]
    assert measured
    for shown in measured:
        one, other = loaded.unit(found[shown.check].check.attacker), loaded.unit(found[shown.check].check.target)
        look = look_at(loaded, one, other.piece, other.standing)
        assert shown.eye is not None
        assert np.array_equal(shown.eye, look.sight.eye)
        obstacles = {cover.name for cover in look.covers}
        assert not obstacles & {stage.items[index].name for index in shown.aside}
        units = {unit.name for unit in loaded.units} - {one.name, other.name}
        assert units <= {stage.items[index].name for index in shown.aside}


def test_a_scene_of_questions_alone_has_no_stage() -> None:
    loaded = load_scene(SCENES / "skirmishcorps/classes.toml", cache=Cache(None))
    assert Selection().checks(loaded)
    assert stage_of(loaded, [], Cache(None)) is None


def test_figures_are_inlined_without_what_a_page_must_not_have() -> None:
    drawn = (
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 1 1">'
        "<style>@font-face{font-family: 'X'; src: url(data:font/woff;base64,AA)}*{fill: red}</style>"
        '<script>no()</script><foreignObject><b>no</b></foreignObject><defs><path id="m" d="M 0 0"/></defs>'
        '<use xlink:href="#m" onload="no()"/><image xlink:href="https://example.org/x.png"/><a xlink:href="file:///"/>'
        '<g style="clip-path: url(#m)"/></svg>'
    )
    found = inlined(drawn, "f7-", "A plan")
    assert "no" not in re.sub(r"<[^>]*>", "", found.markup)
    assert "onload" not in found.markup
    assert "example.org" not in found.markup
    assert "file:" not in found.markup
    assert '<use xlink:href="#f7-m"' in found.markup
    assert "url(#f7-m)" in found.markup
    assert found.fonts == ("@font-face{font-family: 'X'; src: url(data:font/woff;base64,AA)}",)


@given(words=st.text())
def test_text_comes_out_of_a_page_as_it_went_in(words: str) -> None:
    """But for what cannot be shown; and no text opens or closes anything."""
    document = Document(page(Head("t"), element("p", words, title=words)))
    shown = "".join(sign if sign.isprintable() else " " if sign.isspace() else "?" for sign in words)
    assert [attributes["title"] for tag, attributes in document.elements if tag == "p"] == [shown]
    assert shown in "".join(document.texts)
    assert text(words) == text(text(words))


def test_the_viewer_is_built_from_its_sources() -> None:
    bundle = files("silhouette.pages.html").joinpath("assets", "viewer.min.js").read_text(encoding="utf-8")
    digest = hashlib.sha256()
    for file in sorted(VIEWER.glob("*.js")):
        digest.update(file.read_bytes().replace(b"\r\n", b"\n"))
    assert f"sources sha256 {digest.hexdigest()}" in bundle, "run npm run build in silhouette/pages/viewer"
    pinned = json.loads((VIEWER.parent / "package.json").read_text(encoding="utf-8"))["dependencies"]["three"]
    assert f"three.js {pinned}" in bundle
    assert "</script" not in bundle.lower()
    assert "<!--" not in bundle
    assert bundle.isascii()
    assert (
        "Permission is hereby granted"
        in files("silhouette.pages.html").joinpath("assets", "three.LICENSE.txt").read_text()
    )
