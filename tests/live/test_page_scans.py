"""The page of the live table: what a scan asks, files that come, and the second device that hands them over."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import trimesh

from tests.support.browsing import DESKTOP, PHONE, Browser
from tests.support.live_pages import NO_WEBGL, SCENE, TableVisit, asking, table_page

DROP = """([name, bytes, x, y]) => {
  const data = new DataTransfer();
  data.items.add(new File([new Uint8Array(bytes)], name));
  const told = { bubbles: true, cancelable: true, dataTransfer: data, clientX: x, clientY: y };
  document.elementFromPoint(x, y).dispatchEvent(new DragEvent("drop", told));
}"""


@pytest.fixture
def scene(tmp_path: Path) -> Path:
    file = tmp_path / "scene.toml"
    file.write_text(SCENE, encoding="utf-8")
    return file


def asked(table: TableVisit, do: str) -> list[dict[str, Any]]:
    return [request for request in table.served.asked if request["do"] == do]


@pytest.mark.parametrize("size", [DESKTOP, pytest.param(PHONE, marks=pytest.mark.long)], ids=["desktop", "phone"])
def test_questions_of_a_scan_are_asked_at_the_piece_and_answered(
    browser: Browser, scene: Path, size: tuple[int, int]
) -> None:
    with table_page(browser, scene, size, NO_WEBGL) as table:
        assert table.page.locator("#questions").is_hidden()
        asking(table)
        cards = table.page.locator("#questions-list li")
        assert "likeliest" in cards.first.locator("button").first.inner_text()
        assert table.page.locator(".pins .pin:visible").all_inner_texts() == ["1"]
        pin, (x, _) = table.page.locator(".pins .pin").first, table.label("Vex")
        box = pin.bounding_box()
        assert box["x"] + box["width"] / 2 == pytest.approx(x, abs=3.0)
        pin.click()
        assert table.page.evaluate("document.activeElement.textContent").startswith("1Is this one figure")
        table.served.holds = lambda message: "error" in message
        table.page.click("#questions-list >> text=Several")
        table.until("!document.getElementById('reading').hidden")
        assert table.page.locator("#questions button:enabled").count() == 0
        table.served.answers["undo"] = {"error": "nothing"}
        table.page.click("#list >> text=Kal")  # the page goes on meanwhile
        assert table.page.evaluate("window.silhouette.state().selected") == "Kal"
        while not table.served.held:
            table.until("true")
        table.served.release()
        table.until("document.getElementById('reading').hidden")
        assert "was not read again" in table.page.inner_text("#hint")
        assert table.page.locator("#questions-list button:enabled").count() > 3
        (request,) = asked(table, "answer")
        assert (request["question"], request["answer"]) == ("odd at 3,4", "several")


@pytest.mark.long
def test_a_length_is_drawn_and_written_in_inches(browser: Browser, scene: Path) -> None:
    with table_page(browser, scene, before=NO_WEBGL) as table:
        asking(table)
        table.page.click("#measure")
        (sx, sy), (ex, ey) = map(table.foot, ("Vex", "Zil"))
        table.page.mouse.move(sx, sy)
        table.page.mouse.down()
        table.page.mouse.move(ex, ey, steps=3)
        table.page.mouse.up()
        table.until("!document.getElementById('length').hidden")
        table.page.fill("#length-number", "2")
        table.page.select_option("#length-unit", "25.4")
        table.page.press("#length-number", "Enter")
        table.until("document.getElementById('hint').textContent.includes('not read again')")
        (request,) = asked(table, "answer")
        assert request["length"]["mm"] == pytest.approx(50.8)
        assert request["length"]["from"][:2] == pytest.approx([0, 100], abs=2.0)
        assert request["length"]["to"][:2] == pytest.approx([-120, 90], abs=2.0)


@pytest.mark.parametrize("keys", [pytest.param(False, marks=pytest.mark.long), True], ids=["clicks", "keys"])
def test_a_length_is_measured_without_a_drag(browser: Browser, scene: Path, keys: bool) -> None:
    with table_page(browser, scene, before=NO_WEBGL) as table:
        table.do("select('Vex')")
        asking(table)
        table.page.focus("#measure")
        table.page.keyboard.press("Enter")
        if keys:
            for key in ("Enter", "Tab", "Enter"):
                table.page.keyboard.press(key)
        else:
            for name in ("Vex", "Zil"):
                table.page.mouse.click(*table.foot(name))
        table.until("!document.getElementById('length').hidden")
        if keys:
            assert table.page.evaluate("document.activeElement.id") == "length-number"
        table.page.fill("#length-number", "120")
        table.page.press("#length-number", "Enter")
        table.until("document.getElementById('hint').textContent.includes('not read again')")
        (request,) = asked(table, "answer")
        assert request["length"]["mm"] == pytest.approx(120.0)
        assert request["length"]["from"][:2] == pytest.approx([0, 100], abs=2.0)
        assert request["length"]["to"][:2] == pytest.approx([-120, 90], abs=2.0)


@pytest.mark.parametrize("size", [pytest.param(DESKTOP, marks=pytest.mark.long), PHONE], ids=["desktop", "phone"])
def test_a_mesh_that_is_dropped_becomes_a_piece_there(browser: Browser, scene: Path, size: tuple[int, int]) -> None:
    crate = trimesh.creation.box((30.0, 30.0, 30.0)).export(file_type="stl")
    with table_page(browser, scene, size, NO_WEBGL) as table:
        (scene.parent / "crate 2.stl").write_bytes(crate)  # as the server would keep it
        table.served.answers["hand-over"] = {"chunk": 300}
        x, y = table.label("Zil")
        table.page.evaluate(DROP, ["crate.stl", list(crate), x, y])
        table.until("document.querySelectorAll('#arrivals li button').length > 0")
        assert "12 triangles." in table.page.inner_text("#arrivals")
        assert not asked(table, "hand-over")
        flag = trimesh.Trimesh([[0, 0, 0], [9, 0, 0], [0, 0, 9]], [[0, 1, 2]]).export(file_type="stl")
        table.page.evaluate(DROP, ["flag.stl", list(flag), x, y])
        table.until("document.getElementById('arrivals').textContent.includes('1 triangle.')")
        table.page.click("#arrivals li:last-child >> text=Cancel")
        table.page.click("#arrivals >> text=Terrain")
        while sum(map(len, table.served.pieces)) < len(crate):
            table.until("true")
        assert b"".join(table.served.pieces) == crate
        (request,) = asked(table, "hand-over")
        assert (request["name"], request["size"]) == ("crate.stl", len(crate))
        table.served.say({"event": "handed-over", "name": "crate.stl", "file": "crate 2.stl"})
        table.until("document.getElementById('hint').textContent.includes('is on the table')")
        (request,) = asked(table, "edit")
        (edit,) = request["edits"]
        assert (edit["add"], edit["name"], edit["mesh"]) == ("terrain", "crate", "crate 2.stl")
        assert edit["at"][0] == pytest.approx(-120, abs=12.0)
        assert table.settled()["selected"] == "crate"
        assert table.page.locator("#arrivals").is_hidden()


PLY = b"ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nend_header\n"


@pytest.mark.long
def test_points_alone_are_a_scan_and_what_goes_wrong_is_said_at_the_file(browser: Browser, scene: Path) -> None:
    with table_page(browser, scene, before=NO_WEBGL) as table:
        table.served.answers["hand-over"] = {"chunk": 1000}
        files = [("table.ply", PLY), ("notes.txt", b"notes"), ("empty.stl", b"")]
        for name, content in files:
            table.page.evaluate(DROP, [name, list(content), 200, 200])
        table.until("document.querySelectorAll('#arrivals li button').length === 4")
        cards = table.page.locator("#arrivals li")
        assert cards.nth(0).locator("button").all_inner_texts() == ["A scan of the table", "Cancel"]
        assert "no mesh file" in cards.nth(1).inner_text()
        assert "empty" in cards.nth(2).inner_text()
        cards.nth(0).locator("button").first.click()
        table.until("document.querySelector('#arrivals progress').value === 1")
        table.served.say({"event": "handed-over", "name": "table.ply", "error": "/tmp/table.ply: no table in it"})
        table.until("document.getElementById('arrivals').textContent.includes('no table in it')")
        assert re.search(r"\ntable.ply: no table in it", cards.nth(0).inner_text())
        while cards.count():
            cards.first.get_by_role("button", name="Close").click()
        assert table.page.locator("#arrivals").is_hidden()


@pytest.mark.long
def test_a_phone_hands_its_scan_over_and_answers(browser: Browser, scene: Path) -> None:
    with table_page(browser, scene, PHONE, NO_WEBGL, role="looker") as table:
        table.served.answers |= {"hand-over": {"chunk": 1000}, "scan": {"error": "no table in it"}}
        table.page.set_input_files("#file", {"name": "table.ply", "mimeType": "model/ply", "buffer": PLY})
        table.until("document.querySelector('#arrivals progress')?.value === 1")
        table.served.say({"event": "handed-over", "name": "table.ply", "file": "table 2.ply"})
        table.until("document.getElementById('arrivals').textContent.includes('no table in it')")
        assert [request["file"] for request in asked(table, "scan")] == ["table 2.ply"]
        assert table.page.inner_text("#open-file") == "Hand over a scan …"
        asking(table)
        table.page.click("#questions-list >> text=Several")
        table.until("document.getElementById('hint').textContent.includes('not read again')")
        assert [request["answer"] for request in asked(table, "answer")] == ["several"]


@pytest.mark.long
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


def test_a_player_is_asked_before_a_second_devices_scan_becomes_the_table(browser: Browser, scene: Path) -> None:
    with table_page(browser, scene, before=NO_WEBGL) as table:
        table.served.answers["allow"] = {"file": "table.glb", "answer": False}
        for word, answer in (("No, keep", False), ("Yes, replace", True)):
            table.served.say({"event": "wanted", "file": "table.glb", "answer": None})
            table.until("document.querySelectorAll('#arrivals li').length === 1")
            assert "wants table.glb to become the table" in table.page.inner_text("#arrivals")
            assert "wants table.glb" in table.page.inner_text("#told")
            table.page.click(f"#arrivals >> text={word}")
            table.until("document.getElementById('arrivals').hidden")
            assert asked(table, "allow")[-1]["answer"] is answer
        table.served.say({"event": "wanted", "file": "table.glb", "answer": None})
        table.until("!document.getElementById('arrivals').hidden")
        table.served.say({"event": "wanted", "file": "table.glb", "answer": True})  # another player has answered
        table.until("document.getElementById('arrivals').hidden")


@pytest.mark.long
def test_a_phone_is_told_that_it_waits_for_a_player_and_what_was_answered(browser: Browser, scene: Path) -> None:
    with table_page(browser, scene, PHONE, NO_WEBGL, role="looker") as table:
        table.served.answers["hand-over"] = {"chunk": 1000}
        table.served.holds = lambda message: "error" in message  # the answer to scan, of the session
        table.page.set_input_files("#file", {"name": "table.ply", "mimeType": "model/ply", "buffer": PLY})
        table.until("document.querySelector('#arrivals progress')?.value === 1")
        table.served.say({"event": "handed-over", "name": "table.ply", "file": "table.ply"})
        table.until("document.getElementById('arrivals').textContent.includes('Reading the scan')")
        table.served.say({"event": "wanted", "file": "table.ply", "answer": None})
        table.until("document.getElementById('arrivals').textContent.includes('A player is asked')")
        table.served.say({"event": "wanted", "file": "table.ply", "answer": True})
        table.until("document.getElementById('arrivals').textContent.includes('Reading the scan')")
        while not table.served.held:
            table.until("true")
        table.served.release()
        table.until("document.getElementById('arrivals').textContent.includes('no file')")
