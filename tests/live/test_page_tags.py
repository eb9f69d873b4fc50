"""The page of the live table: models tagged by clicking them, or by numbers."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh
from PIL import Image

from tests.support.browsing import DESKTOP, PHONE, Browser
from tests.support.live_pages import NO_WEBGL, SCENE, TableVisit, table_page

LAYERS = ((16.0, 0.0, 3.0), (8.0, 3.0, 26.0), (5.0, 27.0, 38.0))
"""Of a figure: radius and heights of base, body and head, mm."""


@pytest.fixture
def scene(tmp_path: Path) -> Path:
    figure = [trimesh.creation.cylinder(radius, segment=[[0, 0, low], [0, 0, high]]) for radius, low, high in LAYERS]
    trimesh.util.concatenate(figure).export(tmp_path / "kal.stl")
    (tmp_path / "kal.toml").write_text('mesh = "kal.stl" # by hand\nunits = "mm"\n', encoding="utf-8")
    file = tmp_path / "scene.toml"
    text = SCENE.replace("figure = { base = 32, height = 38 }", 'model = "kal.toml"', 1)
    file.write_text(text, encoding="utf-8")
    return file


def saved(table: TableVisit, scene: Path) -> dict[str, Any]:
    """The model file, as it is saved."""
    table.do("save()")
    return tomllib.loads((scene.parent / "kal.toml").read_text(encoding="utf-8"))


def close(table: TableVisit) -> tuple[float, float]:
    """Has Kal looked at closely; where his name stands then."""
    table.do("select('Kal')")
    before = table.label("Kal")
    table.page.click("#tags summary")
    table.until("!document.getElementById('tags-into').textContent.includes('null')")
    if table.page.evaluate("document.documentElement.dataset.view") == "3d":
        here = "document.querySelector('.labels [data-name=Kal]').getBoundingClientRect()"
        table.until(f"{here}.height > 0 && Math.abs({here}.y + {here}.height / 2 - {before[1]}) > 20")
        table.until("window.silhouette.state().settled")
    return table.label("Kal")


def said(table: TableVisit, words: str) -> None:
    table.until(f"document.getElementById('hint').textContent.includes({words!r})")
    table.settled()


def test_eye_and_base_are_set_by_clicks_and_a_picture_lies_beside_the_model_file(browser: Browser, scene: Path) -> None:
    with table_page(browser, scene, color_scheme="dark") as table:
        x, y = close(table)
        assert table.page.locator("#pair").is_hidden()
        table.page.click("#tag-eye")
        table.page.mouse.click(x, y + 60)
        said(table, "The eye is set")
        box = table.page.locator("#table").bounding_box()
        found = [request for request in table.served.asked if request["do"] == "edit"]
        eye = found[-1]["edits"][0]["eye"]
        assert max(abs(eye[0]), abs(eye[1])) < 8.5
        assert 20.0 < eye[2] <= 38.0
        table.page.click("#tag-base")
        height = next(y for y in range(int(box["y"] + box["height"]) - 110, int(y), -6) if over(table, x, y))
        table.page.mouse.click(x, height - 2)
        said(table, "The base is set")
        table.until("true")
        while not [request for request in table.served.asked if request["do"] == "picture"]:
            table.until("true")
        table.settled()
        model = saved(table, scene)
        assert model["eye"] == eye
        assert model["base"]["height"] == pytest.approx(3.0, abs=0.05)
        assert model["base"]["diameter"] == pytest.approx(32.0, abs=0.2)
        assert "# by hand" in (scene.parent / "kal.toml").read_text(encoding="utf-8")
        with Image.open(scene.parent / "kal.png") as image:
            picture = np.asarray(image.convert("RGB"))
        assert np.median(picture[: picture.shape[1] // 2], axis=(0, 1)).min() > 225  # on paper, dark as the page is


def over(table: TableVisit, x: float, y: float) -> bool:
    """Whether a piece is at a place of the window."""
    table.page.mouse.move(x, y)
    table.page.wait_for_timeout(60)
    return bool(table.page.evaluate("document.getElementById('table').dataset.over"))


@pytest.mark.long
@pytest.mark.parametrize(("size", "before"), [(DESKTOP, ""), (PHONE, NO_WEBGL)], ids=["desktop in 3d", "phone as plan"])
def test_a_box_is_shown_before_what_is_in_it_is_left_out(
    browser: Browser, scene: Path, size: tuple[int, int], before: str
) -> None:
    with table_page(browser, scene, size, before) as table:
        close(table)
        table.page.click("#tag-box")
        deep = not before
        for taken in (False, True):
            x, y = table.label("Kal")
            table.page.mouse.move(x - 90, y - 5)
            table.page.mouse.down()
            table.page.mouse.move(*((x + 90, y + 190) if deep else (x, y + 40)), steps=3)
            assert table.page.locator("#box").is_visible()
            table.page.mouse.up()
            table.until("document.getElementById('tag-asked').textContent.includes('would be left out')")
            assert not [request for request in table.served.asked if request["do"] == "edit"]
            if not taken:
                table.page.click("#tag-cancel")
                assert table.page.locator("#tag-form").is_hidden()
                table.page.click("#tag-box")
        table.page.click("#tag-take")
        said(table, "left out")
        assert "box of" in table.page.inner_text("#left-out")
        ((low, high),) = [one["box"] for one in saved(table, scene)["insignificant"]]
        assert high[2] == pytest.approx(38.05, abs=0.2)
        assert low[2] == pytest.approx(26.0 if deep else 2.95, abs=1.2)
        assert deep or high[0] < 1.0
        table.page.click("#left-out button")
        said(table, "counts again")
        assert not saved(table, scene)["insignificant"]


@pytest.mark.long
def test_all_of_it_can_be_written(browser: Browser, scene: Path) -> None:
    with table_page(browser, scene, before=NO_WEBGL) as table:
        table.do("select('Kal')")
        table.page.focus("#tags summary")
        table.page.keyboard.press("Enter")
        table.until("document.getElementById('left-out-title').textContent !== ''")
        table.page.focus("#tag-eye")
        table.page.keyboard.press("Enter")
        fields = table.page.locator("#tag-fields input")
        assert fields.count() == 3
        assert float(fields.nth(2).input_value()) > 20.0
        for index, value in enumerate(("1", "2", "33.5")):
            fields.nth(index).fill(value)
        fields.nth(2).press("Enter")
        said(table, "The eye is set")
        table.page.keyboard.press("Escape")
        assert table.page.locator("#tag-form").is_hidden()
        assert table.page.evaluate("document.activeElement.id") == "tag-eye"
        table.page.click("#tag-box")
        for index, value in enumerate((-20, -20, 26, 20, 20, 50)):
            fields.nth(index).fill(str(value))
        assert "would be left out" in table.page.inner_text("#tag-asked")
        table.page.click("#tag-take")
        said(table, "left out")
        model = saved(table, scene)
        assert (model["eye"], model["insignificant"]) == ([1, 2, 33.5], [{"box": [[-20, -20, 26], [20, 20, 50]]}])


@pytest.mark.long
def test_a_click_beside_the_model_says_so(browser: Browser, scene: Path) -> None:
    with table_page(browser, scene, before=NO_WEBGL) as table:
        close(table)
        table.page.click("#tag-eye")
        box = table.page.locator("#table").bounding_box()
        table.page.mouse.click(box["x"] + 30, box["y"] + 30)
        assert table.page.inner_text("#hint") == "That is not Kal."
