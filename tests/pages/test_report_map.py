"""The map of a report: a tap on a place, and the arrow keys, tell who sees it and how much."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from silhouette.cli.app import main
from tests.support.browsing import PHONE, Browser
from tests.support.mapped_tables import gantry_table, made
from tests.support.report_pages import quiet

HOSTILE = "Kal</script><script>window.harmed='map'</script>"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of the table with the gantry, with a map of Vex."""
    folder = tmp_path_factory.mktemp("report")
    document = gantry_table()
    document["fighter"][0]["name"] = HOSTILE
    scene, file = folder / "table.json", folder / "report.html"
    scene.write_text(json.dumps(document))
    options = ["--map", "Vex", "--pixel", "0.5", "--workers", "1", "--quiet"]
    assert main(["report", str(scene), "--out", str(file), *options]) == 0
    return file


@pytest.mark.long
def test_the_page_says_the_nearest_cover_without_a_script(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert "Where Vex could stand" in text
    assert "The nearest places at least so well covered" in text
    for verdict, (_, mm) in made(gantry_table(), "Vex").nearest.items():
        assert verdict in text
        assert f"{mm / 25.4:.1f}&quot;" in text


@pytest.mark.long
def test_letters_of_a_map_are_nine_pixels_high_on_a_phone(page: Path, browser: Browser) -> None:
    sizes = "[...document.querySelectorAll('#map-shown text')].map((text) => "
    sizes += "parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a)"
    with browser.visit(page, PHONE) as visit:
        found = visit.page.evaluate(sizes)
        assert len(found) > 10
        assert min(found) >= 9.0


@pytest.mark.long
def test_a_tap_and_the_arrow_keys_tell_of_a_place(page: Path, browser: Browser) -> None:
    drawn = made(gantry_table(), "Vex")
    number = next(n for n in range(len(drawn.index)) if drawn.seen_by[n] == 1)
    cell = drawn.cell(number)
    for size in ((1280, 900), PHONE):
        with browser.visit(page, size) as visit:
            told = visit.page.locator("#map-told")
            assert told.inner_text().startswith("Tap a place")
            visit.page.locator("#map-shown").scroll_into_view_if_needed()
            box = visit.page.locator('#map-shown [id$="-table"]').bounding_box()
            x, y = cell["at"][0] / 300.0 + 0.5, 0.5 - cell["at"][1] / 240.0
            visit.page.mouse.click(box["x"] + x * box["width"], box["y"] + y * box["height"])
            words = told.inner_text()
            assert f'At {cell["at"][0] / 25.4:.1f}"'.replace("-", "\N{MINUS SIGN}") in words
            assert f"{cell['verdict']}" in words
            assert "Seen by 1 of 2." in words
            assert f"{HOSTILE}: {cell['by'][0]['verdict']}" in words
            visit.page.locator("#map-shown").press("ArrowRight")
            assert told.inner_text() != words
            quiet(visit)
