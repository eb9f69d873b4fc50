"""What a page is made of: packed meshes, stages, inlined figures, text, the viewer."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from silhouette.drawing.in_3d.shapes import DisplayShape, simplified
from silhouette.drawing.in_3d.stage import packed
from silhouette.files.cache import Cache
from silhouette.judging import Judged, JudgingOptions, Selection, judge_all, load_scene
from silhouette.judging.calls import CALL_WORDS
from silhouette.judging.monte_carlo import Odds, TrialOutcomes
from silhouette.pages.html.page import Head, element, inlined, page, plate, table, text
from silhouette.pages.report.page import stage_of
from silhouette.pages.report.sections import about_checks, view_section
from silhouette.pages.report.words import PageWords
from silhouette.pages.tutorial.parts import CheckResult
from silhouette.renderers import choose
from silhouette.rules.base import Level, RuleReference, Verdict
from silhouette.rules.skirmishcorps.scene import SkirmishScene
from silhouette.rules.skirmishcorps.shooting import look_at
from silhouette.scenes.scene import Check
from silhouette.scenes.table import TableScene
from tests.support.markup import Document

PROJECT = Path(__file__).resolve().parents[2]


SCENES = PROJECT / "scenes"


VIEWER = PROJECT / "silhouette/pages/viewer/source"


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


@settings(max_examples=60)
@given(seed=st.integers(0, 2**32 - 1), count=st.integers(3, 400), scale=st.floats(1e-2, 1e4))
def test_what_is_packed_comes_out_again(seed: int, count: int, scale: float) -> None:
    """Corners of every face come out within half a step of the box, in the same order, whatever else is packed."""
    random = np.random.default_rng(seed)
    shapes = []
    for _ in range(2):
        vertices = scale * random.normal(size=(count, 3))
        shapes.append(DisplayShape(vertices, random.integers(0, count, (count, 3)), int(random.integers(0, count + 1))))
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


@pytest.mark.thinned(quick=62)
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
    renderer = choose()
    options = JudgingOptions(renderer, pixel=0.5, keep=True)
    found = judge_all([(loaded, check) for check in loaded.checks], options)
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
    section = str(view_section(stage, about_checks(found, PageWords()), PageWords()))
    labels = [f"{shown.check + 1}. {found[shown.check].check.label}" for shown in stage.sights]
    assert re.findall(r"<option[^>]*>([^<]*)</option>", section) == labels
    names = re.findall(r'<span class="name">([^<]*)</span>', section)
    kinds = {item.name: item.kind for item in stage.items}
    assert [kinds[name] == "terrain" for name in names] == sorted(kinds[name] == "terrain" for name in names)
    assert len(names) == sum(item.listed for item in stage.items) > 2


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
    markup, fonts = inlined(drawn, "f7-", "A plan")
    assert "no" not in re.sub(r"<[^>]*>", "", markup)
    assert "onload" not in markup
    assert "example.org" not in markup
    assert "file:" not in markup
    assert '<use xlink:href="#f7-m"' in markup
    assert "url(#f7-m)" in markup
    assert fonts == ("@font-face{font-family: 'X'; src: url(data:font/woff;base64,AA)}",)


@given(words=st.text())
def test_text_comes_out_of_a_page_as_it_went_in(words: str) -> None:
    """But for what cannot be shown; and no text opens or closes anything."""
    document = Document(page(Head("t"), element("p", words, title=words)))
    shown = "".join(sign if sign.isprintable() else " " if sign.isspace() else "?" for sign in words)
    assert [attributes["title"] for tag, attributes in document.elements if tag == "p"] == [shown]
    assert shown in "".join(document.texts)
    assert text(words) == text(text(words))


def test_where_a_tutorial_has_odds_the_plate_is_that_of_the_call() -> None:
    rule, could_be = RuleReference("Cover", "R15"), ("partial cover", "full cover")
    verdict = Verdict("Kal", "Vex", "necromunda", "full cover", Level.FULL, rule, "half", could_be=could_be)
    check = CheckResult("Kal to Vex", Judged(Check("Kal", "Vex"), verdict, None), ())
    assert "full cover</span> <span" in plate(check.judged, "too close to call")
    found = TrialOutcomes(np.zeros((8, 16), np.intp), np.zeros((8, 16)))
    for call, kind in (("roll off", "verdict"), ("partial cover", "verdict part")):
        odds = Odds({"partial cover": 0.5, "full cover": 0.5}, 0.01, 128, None, call, "place", found)
        said = plate(replace(check.judged, odds=odds), "too close to call")
        assert said.startswith(f'<span class="{kind}">')
        assert f"{call}</span> <span" in said
        assert said.endswith("as measured too close to call</span>")


def test_the_judge_of_pages_says_the_words_of_the_command() -> None:
    script = (VIEWER / "judge_necromunda.js").read_text(encoding="utf-8")
    assert f'export const TOO_CLOSE = "{CALL_WORDS["close"]}";' in script
    assert f'export const ASK = "{CALL_WORDS["ask"]}";' in script


def test_the_viewer_is_built_from_its_sources() -> None:
    bundle = files("silhouette.pages.html").joinpath("assets", "viewer.min.js").read_text(encoding="utf-8")
    digest = hashlib.sha256()
    words = [
        PROJECT / "silhouette" / name
        for name in ("pages/html/assets/keys.json", "pages/html/assets/refusals.json", "judging/calls.json")
    ]
    for file in (*sorted(VIEWER.glob("*.js")), *words):
        digest.update(file.read_bytes().replace(b"\r\n", b"\n"))
    for name in ("viewer", "judge", "own"):
        first, _, _ = (
            files("silhouette.pages.html").joinpath("assets", f"{name}.min.js").read_text("utf-8").partition("\n")
        )
        assert f"sources sha256 {digest.hexdigest()}" in first, "run npm run build in silhouette/pages/viewer"
    pinned = json.loads((VIEWER.parent / "package.json").read_text(encoding="utf-8"))["dependencies"]["three"]
    assert f"three.js {pinned}" in bundle
    assert "</script" not in bundle.lower()
    assert "<!--" not in bundle
    assert bundle.isascii()
    assert (
        "Permission is hereby granted"
        in files("silhouette.pages.html").joinpath("assets", "three.LICENSE.txt").read_text()
    )


def test_each_cell_of_a_table_stands_once_below_its_heading() -> None:
    written = str(table("Two rows", ["name", "share"], [["Kal", "one"], ["Vex", "two"]]))
    assert re.findall(r"<t[hd]\b[^>]*>([^<]*)<", written) == ["name", "share", "Kal", "one", "Vex", "two"]
    assert re.findall(r'data-label="(\w+)"', written) == 2 * ["name", "share"]
