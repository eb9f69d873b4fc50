"""What the page of the live table does when answers are late, wrong or missing, and when the connection is lost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.browsing import Browser
from tests.support.live_pages import NO_WEBGL, SCENE, TableVisit, table_page

STATE = "window.silhouette.state()"


@pytest.fixture
def scene(tmp_path: Path) -> Path:
    file = tmp_path / "scene.toml"
    file.write_text(SCENE, encoding="utf-8")
    return file


def chosen(table: TableVisit, attacker: str, target: str) -> dict[str, Any]:
    """The result of a pair that is chosen."""
    table.do(f"select('{attacker}')")
    row = table.page.locator("#list tbody tr", has_text=target)
    row.locator("button.verdict").first.click()
    results: list[dict[str, Any]] = table.settled()["results"]
    return next(row for row in results if (row["attacker"], row["target"]) == (attacker, target))


def shown(table: TableVisit) -> tuple[str, str, str]:
    """The title, the verdict with its share, and whether it is told as being under way."""
    page = table.page
    return page.inner_text("#pair-title"), page.inner_text("#verdict"), page.get_attribute("#pair", "aria-busy")


def test_a_stale_verdict_is_never_shown(browser: Browser, scene: Path) -> None:
    with table_page(browser, scene) as table:
        row = chosen(table, "Kal", "Vex")
        table.served.holds = lambda message: message.get("event") == "results"
        table.page.evaluate("void window.silhouette.move('Kal', [100, -100])")
        assert table.page.evaluate(f"{STATE}.settled") is False
        table.until(f"{STATE}.pieces.find(({{name}}) => name === 'Kal').at[0] === 100")
        assert table.page.evaluate(f"[{STATE}.settled, {STATE}.results.length]") == [False, 0]
        title, verdict, busy = shown(table)
        assert (title, verdict.strip(), busy) == ("Kal looks at Vex", "…", "true")
        assert set(table.page.locator("#list .verdict").all_inner_texts()) == {"…"}
        table.served.release()
        state = table.settled()
        assert len(state["results"]) == 4
        now = shown(table)
        assert now[2] == "false"
        stale = {"event": "results", "pose": 0, "pairs": [["Kal", "Vex"]], "results": [row], "settled": True}
        table.served.say(stale)
        state = table.settled()
        assert shown(table) == now
        assert row not in state["results"]


@pytest.mark.long
def test_while_a_hand_moves_one_place_is_under_way_and_the_newest_follows(browser: Browser, scene: Path) -> None:
    with table_page(browser, scene) as table:
        table.do("select('Kal')")
        table.served.holds = lambda message: "pieces" in message
        x, y = table.label("Kal")
        table.page.mouse.move(x, y)
        table.page.mouse.down()
        for step in range(1, 13):
            table.page.mouse.move(x + 5 * step, y)
        edits = [request for request in table.served.asked if request["do"] == "edit"]
        assert len(edits) == 1
        table.until(f"{STATE}.settled === false")
        table.page.mouse.up()
        while not table.served.held:
            table.until("true")
        table.served.release()
        state = table.settled()
        edits = [request for request in table.served.asked if request["do"] == "edit"]
        assert len(edits) == 2
        assert len({request["drag"] for request in edits}) == 1
        kal = next(piece for piece in state["pieces"] if piece["name"] == "Kal")
        assert kal["at"][:2] == pytest.approx(edits[-1]["edits"][0]["at"], abs=0.01)


def test_a_lost_connection_is_said_and_made_again(browser: Browser, scene: Path) -> None:
    with table_page(browser, scene) as table:
        table.do("select('Kal')")
        table.do("move('Kal', [50, -100])")
        table.served.welcomes = False
        table.served.cut()
        table.until("!document.getElementById('lost').hidden")
        assert "connection is lost" in table.page.inner_text("#lost")
        assert table.page.inner_text("#saving") == "Not connected"
        assert table.page.evaluate(f"{STATE}.settled") is False
        table.served.welcomes = True
        state = table.settled()
        assert table.page.locator("#lost").is_hidden()
        assert table.piece("Kal")["at"][0] == 50
        assert state["selected"] == "Kal"
        assert len(state["results"]) == 4


@pytest.mark.long
def test_a_change_that_cannot_be_is_said_and_nothing_moves(browser: Browser, scene: Path) -> None:
    with table_page(browser, scene) as table:
        table.do("select('Kal')")
        table.page.fill("#name", "Vex")
        table.page.press("#name", "Enter")
        table.until("!document.getElementById('hint').hidden")
        assert "called 'Vex' already" in table.page.inner_text("#hint")
        assert [piece["name"] for piece in table.settled()["pieces"]] == ["wall", "tower", "Kal", "Vex", "Zil"]
        assert table.page.input_value("#name") == "Kal"


@pytest.mark.long
def test_what_another_client_does_is_shown(browser: Browser, scene: Path) -> None:
    with table_page(browser, scene) as table:
        table.served.say({"id": 900, "event": "edited", **edited(table, "Kal", [20.0, -60.0, 0.0])})
        assert table.piece("Kal")["at"] == [20.0, -60.0, 0.0]


def edited(table: TableVisit, name: str, at: list[float]) -> dict[str, Any]:
    """The answer to an edit, from the session, with a piece elsewhere, one pose later."""
    kept: list[dict[str, Any]] = []
    table.served.holds = lambda message: "pieces" in message and not kept.append(message)
    table.page.evaluate("void window.silhouette.move('Zil', [-100, 90])")
    while not kept:
        table.until("true")
    table.served.release()
    table.settled()
    told = {key: value for key, value in kept[0].items() if key != "id"}
    pieces = [{**piece, "at": at} if piece["name"] == name else piece for piece in told["pieces"]]
    return {**told, "pose": told["pose"] + 1, "pieces": pieces}


@pytest.mark.long
def test_a_server_that_begins_anew_is_followed(browser: Browser, scene: Path) -> None:
    """Its poses are counted from 0 again: what comes then is not older than what was there."""
    with table_page(browser, scene) as table:
        table.do("select('Kal')")
        for x in (10, 20, 30):
            table.do(f"move('Kal', [{x}, -100])")
        table.served.restart()
        table.until("!document.getElementById('lost').hidden")
        table.until("document.getElementById('lost').hidden")
        assert table.piece("Kal")["at"] == [0, -100, 0]
        assert len(table.settled()["results"]) == 4


def test_pieces_that_are_on_their_way_are_counted_until_all_are_there(browser: Browser, scene: Path) -> None:
    with table_page(browser, scene, before=NO_WEBGL) as table:
        table.until("document.querySelectorAll('.plan .figure').length === 5")
        assert table.page.locator("#loading").is_hidden()
        figures = (
            f'\n[[fighter]]\nname = "New {n}"\nfigure = {{ base = {40 + n}, height = 60 }}\nat = [{50 * n}, 0]\n'
            for n in range(3)
        )
        scene.write_text(SCENE + "".join(figures), encoding="utf-8")
        table.served.holds = lambda message: "shapes" in message
        table.served.restart()
        for words in ("Loading 3 pieces …", "Loading 2 pieces …", "Loading 1 piece …"):
            table.until(f"{LOADING}.innerText.trim() === '{words}'")
            if words.startswith("Loading 3"):
                table.until(f"document.getElementById('told').textContent.trim() === '{words}'")
            while not table.served.held:
                table.until("true")
            table.served.say(table.served.held.pop())
        table.until(f"{LOADING}.hidden")
        assert table.page.inner_text("#told") == "All pieces are there."
        assert table.page.locator(".plan .model").count() == 6


def test_what_could_not_be_loaded_is_not_waited_for(browser: Browser, scene: Path) -> None:
    with table_page(browser, scene, before=NO_WEBGL) as table:
        table.until("document.querySelectorAll('.plan .figure').length === 5")
        table.served.answers["shapes"] = {"error": "no room"}
        figure = '\n[[fighter]]\nname = "New"\nfigure = { base = 40, height = 60 }\nat = [50, 0]\n'
        scene.write_text(SCENE + figure, encoding="utf-8")
        table.served.restart()
        table.until("document.getElementById('told').textContent.includes('no room')")
        table.page.wait_for_timeout(500)
        assert table.page.locator("#loading").is_hidden()


LOADING = "document.getElementById('loading')"
