"""The page of the live table: models tagged by clicking them, scans and their questions, and a second device."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
import trimesh

from tests.support.browsing import Browser
from tests.support.live_pages import NO_WEBGL, SCENE, TableVisit, table_page


@pytest.fixture
def scene(tmp_path: Path) -> Path:
    file = tmp_path / "scene.toml"
    file.write_text(SCENE, encoding="utf-8")
    return file


def saved(table: TableVisit, scene: Path) -> dict[str, Any]:
    """Kal, as the saved scene has him."""
    table.do("save()")
    document = tomllib.loads(scene.read_text(encoding="utf-8"))
    found: dict[str, Any] = next(piece for piece in document["fighter"] if piece["name"] == "Kal")
    return found


def test_an_eye_is_set_by_clicking_the_head(browser: Browser, scene: Path) -> None:
    with table_page(browser, scene) as table:
        table.do("select('Kal')")
        table.page.click("#tags summary")
        table.page.click("#tag-eye")
        x, y = table.label("Kal")
        table.page.mouse.click(x, y + 18)
        table.until("document.getElementById('hint').textContent.includes('are changed')")
        eye = saved(table, scene)["eye"]
        assert abs(eye[0]) < 16.0
        assert abs(eye[1]) < 16.0
        assert 20.0 < eye[2] <= 38.0
        assert table.page.get_attribute("#tag-eye", "aria-pressed") == "false"


LAYERS = ((16.0, 0.0, 3.0), (8.0, 3.0, 26.0), (5.0, 27.0, 38.0))
"""Of a figure: radius and heights of base, body and head, mm."""


def test_what_does_not_count_is_left_out_by_drawing_a_box_round_it(browser: Browser, scene: Path) -> None:
    figure = [trimesh.creation.cylinder(radius, segment=[[0, 0, low], [0, 0, high]]) for radius, low, high in LAYERS]
    trimesh.util.concatenate(figure).export(scene.parent / "kal.stl")
    scene.write_text(SCENE.replace("figure = { base = 32, height = 38 }", 'mesh = "kal.stl"', 1), encoding="utf-8")
    with table_page(browser, scene) as table:
        table.do("select('Kal')")
        table.page.click("#tags summary")
        table.page.click("#tag-box")
        x, y = table.label("Kal")
        table.page.mouse.move(x - 30, y - 5)
        table.page.mouse.down()
        table.page.mouse.move(x + 30, y + 26, steps=3)
        assert table.page.locator("#box").is_visible()
        table.page.mouse.up()
        table.until("document.getElementById('hint').textContent.includes('are changed')")
        ((low, high),) = [one["box"] for one in saved(table, scene)["insignificant"]]
        assert low[2] == pytest.approx(26.0, abs=1.2)
        assert high[2] == pytest.approx(38.05, abs=0.2)
        assert table.page.locator("#box").is_hidden()


def test_a_click_beside_the_model_says_so(browser: Browser, scene: Path) -> None:
    with table_page(browser, scene) as table:
        table.do("select('Kal')")
        table.page.click("#tags summary")
        table.page.click("#tag-eye")
        table.page.mouse.click(
            *table.label("tower") if table.page.locator('[data-name="tower"]').count() else (300, 300)
        )
        assert table.page.inner_text("#hint") == "That is not Kal."


QUESTIONS = [{"key": "odd at 3,4", "text": "Is this one figure or two?", "answers": ["one", "several"], "at": [30, 40]}]


def test_questions_of_a_scan_are_asked_and_answered(browser: Browser, scene: Path) -> None:
    with table_page(browser, scene, before=NO_WEBGL) as table:
        assert table.page.locator("#questions").is_hidden()
        state = told(table)
        table.served.say({"event": "edited", **state, "pose": state["pose"] + 1, "questions": QUESTIONS})
        table.until("!document.getElementById('questions').hidden")
        assert table.page.inner_text("#questions-title") == "One question about the scan"
        marks = table.page.locator(".plan .mark").count()
        table.page.click("text=Is this one figure or two?")
        table.until(f"document.querySelectorAll('.plan .mark').length > {marks}")
        table.page.click("#questions-list >> text=Several")
        table.until("true")
        asked = [request for request in table.served.asked if request["do"] == "answer"]
        assert [(request["question"], request["answer"]) for request in asked] == [("odd at 3,4", "several")]


def told(table: TableVisit) -> dict[str, Any]:
    """The state of the table, from the session."""
    kept: list[dict[str, Any]] = []
    table.served.holds = lambda message: message.get("id") == "state" and not kept.append(message)
    table.served.ask({"id": "state", "do": "state"})
    while not kept:
        table.until("true")
    table.served.holds = lambda _: False
    table.served.held.clear()
    return {key: value for key, value in kept[0].items() if key != "id"}


def test_a_scan_is_handed_over_in_pieces(browser: Browser, scene: Path) -> None:
    with table_page(browser, scene, before=NO_WEBGL) as table:
        table.served.answers["hand-over"] = {"chunk": 1000}
        table.page.set_input_files("#scan", {"name": "table.ply", "mimeType": "model/ply", "buffer": bytes(2500)})
        table.until("document.getElementById('hint').textContent.includes('is handed over')")
        assert [len(piece) for piece in table.served.pieces] == [1000, 1000, 500]
        (asked,) = (request for request in table.served.asked if request["do"] == "hand-over")
        assert (asked["name"], asked["size"]) == ("table.ply", 2500)
        table.served.say({"event": "handed-over", "name": "table.ply", "error": "nothing stands on it"})
        table.until("document.getElementById('hint').textContent === 'nothing stands on it'")


def test_a_second_device_only_looks(browser: Browser, scene: Path) -> None:
    with table_page(browser, scene, before=NO_WEBGL, role="looker") as table:
        at = table.piece("Kal")["at"]
        x, y = table.label("Kal")
        table.page.mouse.move(x, y)
        table.page.mouse.down()
        table.page.mouse.move(x + 60, y, steps=3)
        table.page.mouse.up()
        table.do("select('Kal')")
        table.press("ArrowRight", "[", "Delete")
        assert table.piece("Kal")["at"] == at
        assert len(table.settled()["results"]) == 4
        assert not [request for request in table.served.asked if request["do"] == "edit"]
        for name in ("save", "copy", "delete", "naming", "tags"):
            assert table.page.locator(f"#{name}").is_hidden()
        assert table.page.locator("#map").is_visible()
