"""The page of the live table: models of the shelf put on a scanned table, how exactly they stand, what they are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from silhouette.files.documents import read_document
from tests.live.test_by_hand import game
from tests.live.test_page_looks import check_with_axe
from tests.support.browsing import DESKTOP, PHONE, Browser
from tests.support.live_pages import NO_WEBGL, TableVisit, table_page

BASE = (50.0, 50.0)


@pytest.fixture
def scene(tmp_path: Path) -> Path:
    return game(tmp_path)


def place(table: TableVisit, x: float, y: float) -> tuple[float, float]:
    """Where a point of the table is in the window, where a plan is shown: CSS pixels."""
    matrix = "document.querySelector('.plan > g').getScreenCTM()"
    point = f"new DOMPoint({x}, {y}).matrixTransform({matrix})"
    found: dict[str, float] = table.page.evaluate(f"{point}.toJSON()")
    return found["x"], found["y"]


def chip(table: TableVisit, name: str) -> Any:
    table.until("document.querySelectorAll('#shelf-models button').length > 0")
    found = table.page.locator("#shelf-models button", has_text=name)
    found.scroll_into_view_if_needed()
    return found


def drag(table: TableVisit, start: tuple[float, float], end: tuple[float, float]) -> None:
    mouse = table.page.mouse
    mouse.move(*start)
    mouse.down()
    mouse.move(start[0] - 12, start[1])
    mouse.move(*end, steps=4)
    mouse.up()


def doubt(table: TableVisit) -> tuple[str, str]:
    """What is shown of how exactly the selected figure stands: mm and degrees."""
    table.settled()
    return table.page.input_value("#doubt-place"), table.page.input_value("#doubt-facing")


def test_a_figure_is_dragged_from_the_shelf_onto_a_base_and_off_it(browser: Browser, scene: Path) -> None:
    with table_page(browser, scene, before=NO_WEBGL) as table:
        missing = chip(table, "scout")
        assert "not found" in missing.inner_text()
        assert "1 was not found" in table.page.inner_text("#shelf-told")
        assert table.page.locator(".plan image").get_attribute("href").startswith("data:image/jpeg;base64,")
        box = missing.bounding_box()
        drag(table, (box["x"] + 12, box["y"] + 9), place(table, BASE[0] + 5, BASE[1] - 4))
        table.until("window.silhouette.state().selected === 'scout'")
        assert table.piece("scout")["at"] == [50, 50, 0], "the base has drawn it to it"
        assert "on a base that the scan shows" in table.page.inner_text("#hint")
        assert doubt(table) == ("2", "5")
        assert "on a base that the scan shows" in table.page.text_content("#standing-told")
        assert "Drag one" in table.page.inner_text("#shelf-told"), "nothing is missing any longer"
        table.until("document.getElementById('close').textContent.includes('placed by hand: the odds decide')")
        assert table.page.locator("#close").is_visible()
        (odds,) = (request for request in table.served.asked if request.get("odds"))
        assert odds["pairs"] == [["scout", "Kal"]]
        assert "Assumed, one standard deviation each: places off by" in table.page.text_content("#odds-shown")
        drag(table, table.foot("scout"), place(table, 90, 60))
        assert table.piece("scout")["at"][:2] == pytest.approx([90, 60], abs=2)
        assert doubt(table) == ("5", "10")
        assert "placed by hand. It may stand 5 mm and face 10° off" in table.page.text_content("#standing-told")
        table.do("undo()")
        assert doubt(table) == ("2", "5")
        table.do("undo()")
        assert [piece["name"] for piece in table.settled()["pieces"]].count("scout") == 0
        assert "1 was not found" in table.page.inner_text("#shelf-told")


def test_a_figure_is_put_by_keys_and_its_doubt_is_given(browser: Browser, scene: Path) -> None:
    with table_page(browser, scene, before=NO_WEBGL) as table:
        chip(table, "scout").focus()
        for key in ("Enter", "Tab", "Enter"):
            table.page.keyboard.press(key)
        table.until("window.silhouette.state().selected === 'scout'")
        assert table.piece("scout")["at"] == [50, 50, 0]
        table.page.evaluate("document.getElementById('standing').open = true")
        table.page.fill("#doubt-place", "0.5")
        table.page.press("#doubt-place", "Enter")
        assert doubt(table) == ("0.5", "5")
        chip(table, "brute").focus()
        for key in ("Enter", "ArrowLeft", "Escape"):
            table.page.keyboard.press(key)
        assert len(table.settled()["pieces"]) == 5, "left on the shelf"
        chip(table, "brute").click()
        table.page.mouse.click(*place(table, 100, 0))
        table.until("document.getElementById('hint').textContent.includes('what was scanned of brute, delete crate')")
        assert table.piece("brute")["at"][2] == pytest.approx(30)
        check_with_axe(table)


@pytest.mark.long
def test_a_figure_is_put_by_fingers(browser: Browser, scene: Path) -> None:
    with table_page(browser, scene, PHONE, NO_WEBGL, has_touch=True) as table:
        chip(table, "brute").tap()
        table.page.touchscreen.tap(*place(table, -100, 50))
        table.until("window.silhouette.state().selected === 'brute'")
        assert table.piece("brute")["at"][:2] == pytest.approx([-100, 50], abs=3)
        assert doubt(table) == ("5", "10")
        check_with_axe(table)
        box = chip(table, "scout").locator(".grip").bounding_box()
        finger = table.page.context.new_cdp_session(table.page)
        start, end = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2), place(table, BASE[0] + 3, BASE[1])
        steps = [
            (start[0] + (end[0] - start[0]) * step / 6, start[1] + (end[1] - start[1]) * step / 6) for step in range(7)
        ]
        for number, (x, y) in enumerate(steps):
            points = [{"x": x, "y": y}]
            finger.send(
                "Input.dispatchTouchEvent", {"type": "touchMove" if number else "touchStart", "touchPoints": points}
            )
        finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        table.until("window.silhouette.state().selected === 'scout'")
        assert table.piece("scout")["at"] == [50, 50, 0]


def test_readings_of_a_ruler_place_it_and_the_scan_is_corrected(browser: Browser, scene: Path) -> None:
    with table_page(browser, scene, DESKTOP, NO_WEBGL) as table:
        table.do("move('Kal', [3, -2])")
        table.do("select('Kal')")
        table.page.evaluate("for (const id of ['standing', 'scanned']) document.getElementById(id).open = true")
        assert doubt(table) == ("5", "1")
        for row, (name, mm) in enumerate((("crate", "64"), ("wall", "79"))):
            line = table.page.locator("#readings-rows li").nth(row)
            line.locator("select").select_option(name)
            line.locator("input").fill(mm)
        table.page.click("#readings button")
        table.until("document.getElementById('doubt-place').value === '1.1'")
        assert table.piece("Kal")["at"][:2] == pytest.approx([0, 0], abs=0.4)
        table.served.answers["answer"] = {"error": "no scan here"}
        table.do("select('crate')")
        table.page.click("#split")
        for x, y in ((100, -30), (100, 30)):
            table.page.mouse.click(*place(table, x, y))
        table.page.click("#split-take")
        table.until("document.getElementById('hint').textContent.includes('no scan here')")
        table.page.select_option("#join-with", "wall")
        table.page.click("#join")
        table.until("window.silhouette.state().settled")
        split, join = (request for request in table.served.asked if request["do"] == "answer")
        assert split["along"][1] == pytest.approx([100, 30], abs=2)
        assert (split["split"], join["join"], join["with"]) == ("crate", "crate", "wall")
        table.page.select_option("#kind", "fighter")
        table.until("window.silhouette.state().pieces.some(({ name, kind }) => name === 'crate' && kind === 'fighter')")
        table.do("save()")
        said = read_document(scene)["question"]
        assert [(one["key"], one["answer"]) for one in said] == [("piece at 100,0", "a figure")]


@pytest.mark.long
def test_the_picture_of_the_scan_lies_under_the_table_in_3d(browser: Browser, scene: Path) -> None:
    with table_page(browser, scene) as table:
        chip(table, "scout")
        table.page.click("#view-above")

        def red() -> float:
            seen = table.picture("#table canvas")
            return float((seen[..., 0] - seen[..., 1] > 60).mean())

        table.until("document.querySelector('#table canvas').dataset.drawing === 'false'")
        shown = red()
        table.page.click("#own")
        table.page.wait_for_timeout(300)
        table.until("document.querySelector('#table canvas').dataset.drawing === 'false'")
        assert (shown > 0.3, red() < 0.05) == (True, True)
