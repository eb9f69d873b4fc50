"""How the page of the live table looks: colours and signs of figures, in both schemes, without a complaint of axe."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
import trimesh

from silhouette.drawing.styles import DARK, PRINT, Style, verdict_colours
from silhouette.pages.html.page import LEVEL_SIGNS
from silhouette.rules import rule_called
from silhouette.rules.base import Level
from tests.conftest import PROJECT
from tests.pages.test_contrast import LEAST, contrast
from tests.support.browsing import DESKTOP, PHONE, Browser
from tests.support.live_pages import FILES, NO_WEBGL, SCENE, TableVisit, asking, table_page
from tests.support.report_pages import like


@pytest.fixture
def scene(tmp_path: Path) -> Path:
    file = tmp_path / "scene.toml"
    file.write_text(SCENE, encoding="utf-8")
    return file


def variables(part: str) -> dict[str, str]:
    return dict(re.findall(r"--([a-z-]+):\s*(#[0-9a-f]+)", part))


def test_its_colours_are_those_of_the_figures() -> None:
    sheet = (FILES / "table.css").read_text(encoding="utf-8")
    light, dark = sheet.split("@media (prefers-color-scheme: dark)")[:2]
    for style, part in ((PRINT, light), (DARK, dark)):
        wanted = {field.name.replace("_", "-"): getattr(style, field.name) for field in fields(style)}
        assert variables(part) == wanted


@pytest.mark.parametrize("style", [PRINT, DARK], ids=["light", "dark"])
def test_its_texts_can_be_read(style: Style) -> None:
    pairs = [
        (style.ink, style.paper),
        (style.soft_ink, style.paper),
        (style.soft_ink, style.ground),
        (style.paper, style.ink),
        (style.paper, style.obscured_edge),
        (style.obscured_edge, style.paper),
        ("#ffffff", "#0072b2"),
        *((style.ink, ground) for ground in (style.seen, style.blocker, style.obscured, style.ground)),
    ]
    for text, ground in pairs:
        assert contrast(text, ground) >= LEAST, (text, ground)


def test_signs_are_those_of_reports() -> None:
    script = (PROJECT / "silhouette/pages/viewer/source/verdicts.js").read_text(encoding="utf-8")
    for level in Level:
        kind, sign = LEVEL_SIGNS[level]
        assert f'{level.value}: "{sign}"' in script
        assert f'{level.value}: "{kind}"' in script


@pytest.mark.parametrize(
    ("size", "scheme", "before"),
    [
        pytest.param(DESKTOP, "light", "", id="desktop-light", marks=pytest.mark.long),
        pytest.param(PHONE, "dark", "", id="phone-dark"),
        pytest.param(PHONE, "light", NO_WEBGL, id="phone-light-plan", marks=pytest.mark.long),
        pytest.param(DESKTOP, "dark", NO_WEBGL, id="desktop-dark-plan", marks=pytest.mark.long),
    ],
)
def test_axe_finds_nothing(browser: Browser, scene: Path, size: tuple[int, int], scheme: str, before: str) -> None:
    with table_page(browser, scene, size, before, color_scheme=scheme) as table:
        for name in ("null", "'Kal'"):
            table.do(f"select({name})")
            check_with_axe(table)


def check_with_axe(table: TableVisit) -> None:
    """Finds what stands in the way of people with disabilities, as far as a program can."""
    found = pytest.importorskip("axe_playwright_python.sync_playwright").Axe().run(table.page)
    assert found.violations_count == 0, found.generate_report()
    assert table.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


HEADER = """(() => {
  const box = (one) => one.getBoundingClientRect();
  const buttons = [...document.querySelectorAll("header > .buttons > button, #files > summary")];
  const { height, right } = box(document.querySelector("header"));
  const tops = new Set(buttons.map((one) => Math.round(box(one).top)));
  const [title, state] = ["title", "saving"].map((id) => box(document.getElementById(id)));
  return { height, rows: tops.size, within: Math.max(...buttons.map((one) => box(one).right)) <= right,
           apart: title.bottom <= state.top + 1 && state.right <= box(buttons[0]).left };
})()"""
"""How high the header is, in how many rows its buttons are, and whether nothing of it covers anything else."""


@pytest.mark.parametrize("width", [320, 390])
def test_on_a_phone_the_header_is_as_high_whatever_it_says(browser: Browser, scene: Path, width: int) -> None:
    with table_page(browser, scene, (width, 844), NO_WEBGL) as table:
        before = table.page.evaluate(HEADER)
        assert before["height"] <= 60
        table.page.evaluate("document.getElementById('title').textContent = 'The last stand at the old pump station'")
        for words in ("Saved", "Changing …", "Not saved yet", "Not connected"):
            table.page.evaluate(f"document.getElementById('saving').textContent = '{words}'")
            assert table.page.evaluate(HEADER) == before
        assert (before["rows"], before["within"], before["apart"]) == (1, True, True)
        assert table.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_to_roll_off_has_a_row_of_its_own(browser: Browser, scene: Path, size: tuple[int, int]) -> None:
    with table_page(browser, scene, size, NO_WEBGL) as table:
        table.do("select('Kal')")
        row = next(row for row in table.settled()["results"] if row["target"] == "Vex")
        plate, share = (table.page.locator(one).bounding_box() for one in ("#verdict-plate", "#share"))
        assert size != PHONE or share["y"] >= plate["y"] + plate["height"]
        close = {**row, "marginal": True, "could_be": ["partial cover", "full cover"]}
        event = {"event": "results", "pose": 0, "pairs": [["Kal", "Vex"]], "results": [close], "settled": True}
        table.served.say(event)
        table.until("!document.getElementById('close').hidden")
        assert table.page.inner_text("#close strong") == "Too close to call: roll off."
        assert table.page.inner_text("#close span") == "It could be partial cover or full cover."
        first, second = (table.page.locator(f"#close {one}").bounding_box() for one in ("strong", "span"))
        assert second["y"] >= first["y"] + first["height"]
        assert first["height"] < 30


RINGS = """[...document.querySelectorAll(".plan .mark")].filter((one, index) => index % 2)
  .map((one) => [one.getAttribute("stroke"), one.getAttribute("stroke-dasharray")])"""
"""The colours and the dashes of the rings of gangs, each drawn over a wider one of ink, while nothing is selected."""
BANDS = """[...document.querySelectorAll(".label.gang")]
  .map((one) => [one.dataset.name, getComputedStyle(one).backgroundImage])"""


def test_gangs_differ_by_colour_and_by_dashes_and_terrain_is_named_in_the_plan(browser: Browser, scene: Path) -> None:
    names = ("Kal", "Vex", "Zil", "Tor", "Una")
    gangs = ("Orlock", "Escher", "Escher", "Goliath", "Delaque")
    figures = (
        f'\n[[fighter]]\nname = "{name}"\ngang = "{gang}"\nfigure = {{ base = 32, height = 38 }}\nat = [{50 * n}, 60]\n'
        for n, (name, gang) in enumerate(zip(names, gangs, strict=True), -2)
    )
    scene.write_text(SCENE.split("[[fighter]]")[0] + "".join(figures), encoding="utf-8")
    with table_page(browser, scene, before=NO_WEBGL) as table:
        table.until("document.querySelectorAll('.label.gang').length === 5")
        bands = dict(table.page.evaluate(BANDS))
        assert bands["Vex"] == bands["Zil"]
        lengths = {name: tuple(re.findall(r"[0-9]+px", band)) for name, band in bands.items()}
        assert len(set(bands.values())) == len(set(lengths.values())) == 4
        colours, dashes = zip(*table.page.evaluate(RINGS), strict=True)
        assert [colour[6:-1] for colour in colours] == ["green", "purple", "purple", "yellow", "paper"]
        assert dashes[1] == dashes[2]
        assert len(set(dashes)) == 4
        for name in ("wall", "tower"):
            assert table.page.locator(f'.labels [data-name="{name}"]').is_visible()
            assert table.page.locator(f'.plan [data-piece="{name}"] .body').count() == 1
        check_with_axe(table)


SIGNS = """[...document.querySelectorAll("#legend-signs li")].map((one) => one.textContent)"""
UNEXPLAINED = """(() => {
  const strokes = (selector) => [...document.querySelectorAll(selector)].map((one) => one.getAttribute("stroke"));
  const bars = [...document.querySelectorAll("#legend-signs .gang")];
  const gangs = bars.map(({ className }) => `var(--${/in-(\\w+)/.exec(className)[1]})`);
  const explained = [...strokes("#legend-signs .mark"), ...gangs, "var(--paper)"];
  return strokes(".plan .mark").filter((one) => !explained.includes(one));
})()"""
"""The colours of lines in the plan that the legend does not have; gangs have bars there, paper is under others."""


@pytest.mark.parametrize(("size", "scheme"), [(PHONE, "dark"), (DESKTOP, "light")], ids=["phone-dark", "desktop-light"])
def test_the_legend_says_what_every_line_means_and_no_more(
    browser: Browser, scene: Path, size: tuple[int, int], scheme: str
) -> None:
    with table_page(browser, scene, size, NO_WEBGL, color_scheme=scheme) as table:
        assert table.page.locator("#legend-signs").is_hidden()
        table.page.focus("#legend summary")
        table.page.keyboard.press("Enter")
        bare = ["Other models", "Terrain", "Ring and bar of Orlock", "Ring and bar of Escher"]
        table.until(f"{SIGNS}.length === 4")
        assert table.page.evaluate(SIGNS) == bare
        table.do("select('Kal')")
        table.until(f"{SIGNS}.length > 4")
        signs = table.page.evaluate(SIGNS)
        assert signs[-4:] == bare
        assert {"◐ partial cover", "Edge of what Kal faces", "Kal, who looks", "In the way"} <= set(signs)
        assert not any("ruler" in sign.lower() or "○" in sign for sign in signs)
        assert table.page.evaluate(UNEXPLAINED) == []
        check_with_axe(table)
        table.press("r", "Enter", "ArrowRight", "Enter")
        table.until(f"{SIGNS}.includes('Ruler')")
        assert table.page.evaluate(UNEXPLAINED) == []
        scene_box, box = (table.page.locator(one).bounding_box() for one in ("#scene", "#legend"))
        assert box["y"] + box["height"] < scene_box["y"] + scene_box["height"]
        table.page.click("#legend summary")
        assert table.page.locator("#legend-signs").is_hidden()


@pytest.fixture
def scene_of_parts(scene: Path) -> Path:
    """The scene with a figure whose mesh has parts."""
    body = trimesh.creation.cylinder(16.0, segment=[[0, 0, 0], [0, 0, 3]]) + trimesh.creation.cylinder(
        7.0, segment=[[0, 0, 3], [0, 0, 34]]
    )
    parts = {
        "body": body,
        "banner": trimesh.creation.box((2.0, 10.0, 38.0), trimesh.transformations.translation_matrix((9, 0, 22))),
    }
    (scene.parent / "kal.obj").write_text(trimesh.Scene(parts).export(file_type="obj"), encoding="utf-8")
    text = SCENE.replace("figure = { base = 32, height = 38 }", 'mesh = "kal.obj"\nunits = "mm"', 1)
    scene.write_text(text, encoding="utf-8")
    return scene


@pytest.mark.long
@pytest.mark.parametrize(
    ("size", "scheme", "before", "kinds"),
    [
        pytest.param(PHONE, "dark", NO_WEBGL, ("eye", "part"), id="phone-dark-plan"),
        pytest.param(DESKTOP, "light", "", ("base", "eye", "box", "part"), id="desktop-light", marks=pytest.mark.long),
    ],
)
def test_axe_finds_nothing_in_cards_and_forms(
    browser: Browser, scene_of_parts: Path, size: tuple[int, int], scheme: str, before: str, kinds: tuple[str, ...]
) -> None:
    with table_page(browser, scene_of_parts, size, before, color_scheme=scheme) as table:
        table.do("select('Kal')")
        for kind in kinds:
            if not table.page.locator("#tag-base").is_visible():
                table.page.click("#tags summary")
            table.page.click(f"#tag-{kind}")
            table.until("document.querySelectorAll('#tag-fields :is(input, option)').length > 1")
            if kind == "part":
                table.page.select_option("#tag-parts", "banner")
                table.page.click("#tag-take")
                table.until("document.querySelectorAll('#left-out li').length === 1")
                assert table.page.inner_text("#left-out span") == "part banner"
            check_with_axe(table)
        table.page.click("#tags summary")
        asking(table)
        table.served.say({"event": "wanted", "file": "table.glb", "answer": None})
        table.page.focus("#measure")
        for key in ("Enter", "Enter", "ArrowRight", "Enter"):
            table.page.keyboard.press(key)
        table.until("!document.getElementById('length').hidden && !document.getElementById('arrivals').hidden")
        check_with_axe(table)


def test_the_eye_shows_the_target_in_its_colours_and_names_what_is_pointed_at(browser: Browser, scene: Path) -> None:
    with table_page(browser, scene) as table:
        table.do("select('Kal')")
        table.page.locator("#list tbody tr", has_text="Vex").locator("button.verdict").first.click()
        table.settled()
        canvas = table.page.locator("#eye-view")
        canvas.scroll_into_view_if_needed()
        table.until(COLOURED)
        picture = table.picture("#eye-view")
        seen, obscured = like(picture, blue=True), like(picture, blue=False)
        share = obscured.sum() / (seen.sum() + obscured.sum())
        row = next(row for row in table.settled()["results"] if row["target"] == "Vex")
        assert share == pytest.approx(row["occluded"], abs=0.2)
        rows, columns = np.nonzero(seen)
        width = seen.shape[1]
        assert abs(columns.mean() / width - 0.5) < 0.06
        box = canvas.bounding_box()
        table.page.mouse.move(box["x"] + columns.mean(), box["y"] + rows.mean())
        table.until("document.getElementById('eye-told').textContent === 'Vex'")
        rows, columns = np.nonzero(obscured)
        table.page.mouse.move(box["x"] + columns.mean(), box["y"] + rows.mean())
        table.until("document.getElementById('eye-told').textContent === 'wall'")


def test_what_lies_beyond_the_arc_has_a_colour_of_its_own_and_a_line_of_the_legend(
    browser: Browser, scene: Path
) -> None:
    with table_page(browser, scene) as table:
        table.do("move('Vex', [108, 8], 270)")
        table.do("select('Kal')")
        table.page.locator("#list tbody tr", has_text="Vex").locator("button.verdict").first.click()
        table.settled()
        table.page.locator("#eye-view").scroll_into_view_if_needed()
        table.until(COLOURED)
        colours = table.page.locator("#eye-colours")
        assert "Beyond the vision arc" in colours.inner_text()
        assert colours.locator(".swatch.outside").evaluate("(one) => getComputedStyle(one).backgroundColor") == YELLOW
        red, green, blue = np.moveaxis(table.picture("#eye-view"), -1, 0)
        yellow = (red > blue + 60) & (abs(red - green) < 40)
        assert yellow.sum() > 200
        assert like(table.picture("#eye-view"), blue=True).sum() > 200


YELLOW = "rgb(240, 228, 66)"

COLOURED = """(() => {
  const canvas = document.getElementById("eye-view");
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  let blue = 0;
  for (let at = 0; at < data.length; at += 4) if (data[at + 2] > data[at] + 60) blue += 1;
  return blue > 200;
})()"""
"""Whether something is seen in the eye's picture."""


@pytest.mark.long
def test_without_webgl_lines_and_pieces_are_in_the_plan(browser: Browser, scene: Path) -> None:
    with table_page(browser, scene, before=NO_WEBGL) as table:
        table.do("select('Kal')")
        assert table.page.locator(".plan .figure").count() == 5
        assert table.page.locator(".plan .mark").count() > 4
        assert table.page.locator("#eye").is_hidden()
        dashes = table.page.evaluate(
            "[...document.querySelectorAll('.plan .mark')].map((mark) => mark.getAttribute('stroke-dasharray'))"
        )
        assert len(set(dashes)) > 2


@pytest.mark.long
def test_the_map_of_cover_and_the_way_to_the_nearest(browser: Browser, scene: Path) -> None:
    with table_page(browser, scene, before=NO_WEBGL) as table:
        table.do("select('Vex')")
        table.press("m")
        table.until("!document.getElementById('nearest').hidden")
        assert table.page.locator(".plan rect").count() > 30
        colours = verdict_colours(rule_called("necromunda").levels)
        legend = table.page.evaluate(
            "[...document.querySelectorAll('#map-legend li')].map("
            "(li) => [li.textContent, li.querySelector('.swatch').style.background])"
        )
        verdicts = [(word, colour) for word, colour in legend if word in colours]
        assert len(verdicts) > 1
        for word, colour in verdicts:
            channels = tuple(int(colours[word][at : at + 2], 16) for at in (1, 3, 5))
            assert colour == f"rgb{channels}"
        drawn = table.page.evaluate(
            "[...document.querySelectorAll('.plan rect')].map((rect) => rect.getAttribute('fill'))"
        )
        assert {colours[word] for word, _ in verdicts} <= set(drawn)
        table.page.locator("#nearest button:enabled").last.click()
        rows = [row for row in table.settled()["results"] if row["target"] == "Vex" and row["attacker"] == "Kal"]
        word = table.page.locator("#nearest button").last.inner_text()
        assert rows[0]["verdict"] in word
        assert table.page.get_attribute("#map", "aria-pressed") == "true"
        table.do("move('Zil', [-100, 60])")
        assert table.page.get_attribute("#map", "aria-pressed") == "false"
        assert "changed since" in table.page.inner_text("#map-told")


@pytest.mark.long
def test_the_scene_is_copied_as_text_and_the_figure_comes_as_a_file(browser: Browser, scene: Path) -> None:
    stub = "Object.defineProperty(navigator, 'clipboard', {value: {writeText: async (text) => {window.copied = text}}})"
    with table_page(browser, scene, before=stub) as table:
        table.do("select('Kal')")
        table.page.click("#files summary")
        table.page.click("#copy-text")
        table.until("window.copied !== undefined")
        assert table.page.evaluate("window.copied") == SCENE
        table.page.evaluate(
            "() => { window.clicked = [];"
            " HTMLAnchorElement.prototype.click = function () { clicked.push(this.download) } }"
        )
        table.page.click("#files summary")
        table.page.click("#figure")
        table.until("window.clicked.length > 0")
        assert table.page.evaluate("window.clicked") == ["scene.png"]


@pytest.mark.long
def test_a_plan_can_be_had_instead_of_3d_and_the_eye_looks_on(browser: Browser, scene: Path) -> None:
    with table_page(browser, scene) as table:
        table.do("select('Kal')")
        table.page.click("#view-plan")
        table.until("document.querySelectorAll('.plan .mark').length > 4")
        assert table.page.locator("#table > canvas").is_hidden()
        canvas = table.page.locator("#eye-view")
        canvas.scroll_into_view_if_needed()
        table.until(COLOURED)
        x, y = table.label("Kal")
        table.page.mouse.move(x, y)
        table.page.mouse.down()
        table.page.mouse.move(x + 50, y, steps=3)
        table.page.mouse.up()
        assert table.piece("Kal")["at"][0] > 10
        table.press("v")
        assert table.page.locator(".plan").is_hidden()
        assert table.page.locator("#table > canvas").is_visible()


def test_terrain_is_as_notched_in_the_plan_as_it_is(browser: Browser, scene: Path) -> None:
    parts = "[{ box = [100, 10, 30] }, { box = [10, 100, 30], at = [-45, 45, 0] }]"
    corner = f'[[terrain]]\nname = "corner"\nparts = {parts}\nat = [-60, -60]'
    scene.write_text(f"{SCENE}\n{corner}\n", encoding="utf-8")
    with table_page(browser, scene, before=NO_WEBGL) as table:
        table.until("document.querySelector('[data-piece=corner] .rimmed') !== null")
        box = table.page.locator("[data-piece=corner]").bounding_box()
        x, y, width, height = (box[key] for key in ("x", "y", "width", "height"))
        places = {"wing": (0.05, 0.3), "arm": (0.8, 0.95), "court": (0.6, 0.5)}
        over = {
            name: table.page.evaluate(OVER, [x + across * width, y + down * height])
            for name, (across, down) in places.items()
        }
        assert over == {"wing": "corner", "arm": "corner", "court": None}


OVER = "([x, y]) => document.elementFromPoint(x, y).closest('.figure')?.dataset.piece ?? null"
