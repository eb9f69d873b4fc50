"""What the files of figures say besides the drawing: sentences for people, data for programs, and no path."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from lxml import etree

pytest.importorskip("matplotlib")

from PIL import Image

from silhouette.drawing import saving
from silhouette.drawing.saving import FigureDescription, Writing, save, svg
from silhouette.drawing.sheet import Sheet, settings
from silhouette.files.cache import Cache
from tests.support.commands import CHECK, QUICK, run, scene
from tests.support.figures import SCENES, SVG, drawn, texts, verdict_in

ELEVATION = SCENES / "skirmishcorps" / "elevation.toml"


def test_an_svg_is_one_picture_with_a_title_and_a_sentence(tmp_path: Path) -> None:
    for text in (False, True):
        file = drawn(ELEVATION, 1, tmp_path, pixel=0.5, only="side", text=text)["side"]
        root = etree.parse(str(file)).getroot()
        assert root.get("role") == "img"
        title, about = (root.find(f"{SVG}{name}") for name in ("title", "desc"))
        assert root.get("aria-labelledby") == f"{title.get('id')} {about.get('id')}"
        assert title.text == "side"
        assert about.text.startswith("Guardian A → Acolyte: low cover, \N{MINUS SIGN}2 to hit. 4")
        assert "{" not in about.text
        assert verdict_in(file)["verdict"] == "low cover"


def test_words_are_outlines_and_the_same_words(tmp_path: Path) -> None:
    """Outlines need no type where they are shown: not even its name is in the file."""
    files = [tmp_path / "outlined", tmp_path / "text"]
    for folder, text in zip(files, (False, True), strict=True):
        folder.mkdir()
        drawn(ELEVATION, 1, folder, pixel=0.5, only="side", text=text)
    outlined, kept = (folder / "side.svg" for folder in files)
    assert texts(outlined) == texts(kept)
    assert {"Acolyte", "wall", "seen"} <= set(texts(outlined))
    svg = outlined.read_text(encoding="utf-8")
    assert "<text" not in svg
    assert "font" not in svg
    assert "<!--" not in svg
    whole = kept.read_text(encoding="utf-8")
    assert "data:font/woff;base64," in whole
    assert re.search(r"font-family: 'Open Sans', 'DejaVu Sans', sans-serif", whole)


def test_figures_of_a_page_have_one_type_and_signs_of_their_own_another() -> None:
    faces = []
    for word in ("Kal", "Vex", "Žižka"):
        with settings():
            sheet = Sheet()
            sheet.caption(word, "x")
            page = svg(sheet.finish(), FigureDescription(word), Writing(text=True, signs="KalVexŽik"[:6]))
        faces.append(re.findall(r"@font-face.*?}", page))
    assert [len(face) for face in faces] == [2, 2, 2]
    assert faces[0] == faces[1] != faces[2]


def test_kept_type_is_the_type_that_would_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def made(cache: Cache) -> str:
        saving._type_with.cache_clear()
        with settings():
            sheet = Sheet()
            sheet.caption("Kal", "x")
            return svg(sheet.finish(), FigureDescription("x"), Writing(text=True, signs="Kalx", cache=cache))

    fresh, first = made(Cache(None)), made(Cache(tmp_path))
    monkeypatch.setattr(saving, "_made_type", lambda signs: pytest.fail("it was kept"))
    assert fresh == first == made(Cache(tmp_path))
    assert "font/woff" in fresh


def test_a_cache_remembers_a_model_until_its_file_changes(tmp_path: Path) -> None:
    file, made = tmp_path / "box.stl", list[int]()
    file.write_bytes(b"one")
    cache = Cache(None).remembering()
    assert cache.remembering() is cache

    def fetch() -> int:
        return cache.in_memory(file, "key", lambda: made.append(1) or len(made), lambda _: 1)

    assert [fetch(), fetch()] == [1, 1]
    file.write_bytes(b"another")
    assert fetch() == 2


def test_words_of_every_kind_stay_words(tmp_path: Path) -> None:
    name = "<b>--> \"Käl\" & 'co' --"
    with settings():
        sheet = Sheet()
        sheet.caption(name, "x")
        save(sheet.finish(), tmp_path / "a.svg", FigureDescription(name, name, {name: name}))
    assert texts(tmp_path / "a.svg") == [name, "x"]
    assert verdict_in(tmp_path / "a.svg") == {name: name}


def test_every_format_has_a_sentence_apart_from_its_data(tmp_path: Path) -> None:
    with settings():
        sheet = Sheet()
        sheet.caption("Kal sees Vex", "Why.")
        for ending in ("png", "pdf"):
            save(sheet.finish(), tmp_path / f"a.{ending}", FigureDescription("title", sheet.about, {"verdict": "open"}))
    with Image.open(tmp_path / "a.png") as picture:
        assert picture.info["Description"] == "Kal sees Vex. Why."
        assert picture.info["silhouette"] == '{"verdict": "open"}'
    pdf = (tmp_path / "a.pdf").read_bytes()
    assert b"/Subject (Kal sees Vex. Why.)" in pdf
    assert b"/Keywords" not in pdf


@pytest.mark.long
@pytest.mark.parametrize("ending", ["svg", "png", "pdf"])
def test_no_figure_tells_where_it_was_made(ending: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    home = tmp_path / "home of somebody"
    home.mkdir()
    place = scene(home, CHECK)
    assert run(capsys, "draw", place, "--out", tmp_path / "out", "--format", ending, *QUICK).status == 0
    assert run(capsys, "draw", place, "--figure", "table", "--out", tmp_path / "out", "--format", ending).status == 0
    files = sorted((tmp_path / "out").iterdir())
    assert len(files) == 4
    for file in files:
        assert b"home of somebody" not in file.read_bytes()
        assert str(tmp_path).encode() not in file.read_bytes()


@pytest.mark.long
def test_no_picture_and_no_page_tells_where_it_was_made(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    home = tmp_path / "home of somebody"
    home.mkdir()
    place, out = scene(home, CHECK), tmp_path / "out"
    out.mkdir()
    assert run(capsys, "check", place, "--picture", out / "a.png", *QUICK).status == 0
    assert run(capsys, "report", place, "--out", out / "a.html", *QUICK).status == 0
    assert run(capsys, "draw", place, "--animate", out / "a.gif", "--turn", "20", "--frames", "2", *QUICK).status == 0
    model = SCENES.parent / "models" / "ganger.toml"
    assert run(capsys, "inspect", model, "--picture", out / "b.png", *QUICK[:2]).status in (0, 2)
    files = sorted(out.iterdir())
    assert len(files) >= 3
    for file in files:
        assert b"home of somebody" not in file.read_bytes()
        assert str(SCENES.parent).encode() not in file.read_bytes()


def test_kept_type_is_of_the_files_of_the_type(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def made() -> str:
        saving._type_with.cache_clear()
        with settings():
            sheet = Sheet()
            sheet.caption("Kal", "x")
            return svg(sheet.finish(), FigureDescription("x"), Writing(text=True, signs="Kalx", cache=Cache(tmp_path)))

    first, (regular, bold) = made(), saving.typeface.files().items()
    monkeypatch.setattr(saving.typeface, "files", lambda: {regular[0]: bold[1], bold[0]: regular[1]})
    assert made() != first
