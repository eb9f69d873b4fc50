"""While a hand moves, the page's own judge answers first; what is shown as settled is the desk's alone."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from silhouette.files.cache import Cache
from silhouette.judging import load_scene
from silhouette.rules.necromunda.rule import NECROMUNDA
from silhouette.scenes.scene import Check
from tests.conftest import PROJECT
from tests.support.browsing import Browser
from tests.support.live_pages import NO_WEBGL, SCENE, TableVisit, table_page
from tests.support.rulings import ruled

# ``window.plates`` keeps what is shown of the chosen pair, and what of it is settled, whenever that changes. While
# ``window.holds`` is true, the answers of the judge are kept back.
WATCHED = f"""{NO_WEBGL};
window.plates = [];
window.holds = false;
window.kept = [];
window.Worker = class extends Worker {{
  set onmessage(act) {{
    window.hand = () => window.kept.splice(0).forEach((event) => act(event));
    super.onmessage = (event) => (window.holds ? window.kept.push(event) : act(event));
  }}
}};
addEventListener("DOMContentLoaded", () => {{
  const pair = document.getElementById("pair");
  const shown = () => {{
    const plate = document.getElementById("verdict-plate");
    const share = document.getElementById("share").textContent;
    const first = plate.classList.contains("first");
    const busy = pair.getAttribute("aria-busy");
    const settled = window.silhouette?.state().results || [];
    const kal = window.silhouette?.state().pieces.find(({{ name }}) => name === "Kal")?.at;
    window.plates.push({{ word: plate.textContent, share, first, busy, settled, kal }});
  }};
  const all = {{ subtree: true, childList: true, characterData: true, attributes: true }};
  new MutationObserver(shown).observe(pair, all);
}});
"""


@pytest.fixture
def scene(tmp_path: Path) -> Path:
    file = tmp_path / "scene.toml"
    file.write_text(SCENE, encoding="utf-8")
    return file


def asked(table: TableVisit, do: str, **more: Any) -> list[dict[str, Any]]:
    """The requests of the page so far."""
    return [one for one in table.served.asked if one["do"] == do and all(one.get(key) == more[key] for key in more)]


def prepared(table: TableVisit) -> None:
    """Selects Kal, who looks at Vex, and waits until the judge knows how the table stands."""
    table.do("select('Kal')")
    table.until("document.getElementById('pair').dataset.pair === '[\"Kal\",\"Vex\"]'")
    table.until("document.documentElement.dataset.judge === 'ready'")


def results_of(message: dict[str, Any]) -> bool:
    return message.get("event") == "results"


def shown(table: TableVisit) -> dict[str, Any]:
    (*_, last) = table.page.evaluate("window.plates")
    found: dict[str, Any] = last
    return found


def test_the_judge_of_the_page_says_first_what_the_desk_then_says(browser: Browser, scene: Path) -> None:
    with table_page(browser, scene, before=WATCHED) as table:
        prepared(table)
        x, y = table.foot("Kal")
        table.page.mouse.move(x, y)
        table.page.mouse.down()
        found = set()
        for step in (8, 40, 120, 315):
            table.served.holds = results_of
            table.page.mouse.move(x + step, y)
            table.until("document.getElementById('verdict-plate').classList.contains('first')")
            table.until("!window.silhouette.state().results.some(({ target }) => target === 'Vex')")
            first = shown(table)
            assert first["busy"] == "true"
            assert not first["settled"]
            assert not table.page.evaluate("window.silhouette.state().settled")
            assert first["word"].endswith(" …")
            text = asked(table, "edit")[-1]["edits"][0]["at"]
            there = load_scene(scene, at={"Kal": tuple(text)}, cache=Cache(None))
            verdict = ruled(NECROMUNDA, there, Check("Kal", "Vex"))
            share, _ = verdict.share
            assert share is not None
            assert first["word"] == f"{first['word'][0]} {verdict.verdict} …"
            assert float(re.sub(r"[^\d.]", "", first["share"]) or 0.0) == pytest.approx(100 * share, abs=0.06)
            found.add(verdict.verdict)
            table.served.release()
            table.until("!document.getElementById('verdict-plate').classList.contains('first')")
            last = shown(table)
            assert last["word"] == first["word"].removesuffix(" …")
            assert last["busy"] == "false"
        table.page.mouse.up()
        table.settled()
        assert len(found) > 1


def test_what_is_settled_is_the_desks_alone(browser: Browser, scene: Path) -> None:
    """Even where the judge of the page says something else, and says it late."""
    with table_page(browser, scene, before=WATCHED) as table:
        prepared(table)
        x, y = table.foot("Kal")
        table.page.evaluate("window.holds = true")
        table.page.mouse.move(x, y)
        table.page.mouse.down()
        table.page.mouse.move(x + 60, y)
        table.until("window.kept.length > 0")
        table.page.mouse.up()
        table.settled()
        before = (
            table.page.inner_text("#verdict-plate"),
            table.page.inner_text("#share"),
            table.page.inner_text("#list"),
        )
        (row,) = [row for row in table.settled()["results"] if (row["attacker"], row["target"]) == ("Kal", "Vex")]
        assert row["verdict"] in before[0]
        # The judge's answer comes now, and is another one.
        table.page.evaluate(
            "kept.map(({ data }) => data.result).filter(Boolean)"
            ".forEach((result) => Object.assign(result, { word: 'open', verdict: 'open', share: 0.123 }))"
        )
        table.page.evaluate("window.holds = false, window.hand()")
        table.page.wait_for_timeout(100)
        assert table.settled()["results"]
        after = table.page.inner_text("#verdict-plate"), table.page.inner_text("#share"), table.page.inner_text("#list")
        assert after == before
        plates = table.page.evaluate("window.plates")
        assert not [one for one in plates if one["first"] and one["busy"] != "true"]
        assert not [one for one in plates if any(row.get("isFirst") for row in one["settled"])]


def test_a_late_answer_of_the_judge_gives_way_to_a_newer_one(browser: Browser, scene: Path) -> None:
    with table_page(browser, scene, before=WATCHED) as table:
        prepared(table)
        x, y = table.foot("Kal")
        table.served.holds = results_of
        table.page.mouse.move(x, y)
        table.page.mouse.down()
        table.page.evaluate("window.holds = true")
        for step in (30, 60, 90):
            table.page.mouse.move(x + step, y)
        table.until("window.kept.length > 0")
        # Of three places the judge has been asked for one alone: the others wait, and the last is asked next.
        assert table.page.evaluate("kept.filter(({ data }) => data.result).length") == 1
        table.page.evaluate("window.holds = false, window.hand()")
        table.until("document.getElementById('verdict-plate').classList.contains('first')")
        there = load_scene(scene, at={"Kal": tuple(shown_at(table))}, cache=Cache(None))
        share, _ = ruled(NECROMUNDA, there, Check("Kal", "Vex")).share
        assert share is not None
        table.until(f"Math.abs(parseFloat(document.getElementById('share').textContent) - {100 * share}) < 0.2")
        assert shown(table)["first"]
        table.served.release()
        table.page.mouse.up()
        table.settled()


def shown_at(table: TableVisit) -> list[float]:
    """Where the hand has Kal, mm: as the plan shows it."""
    figure = "document.querySelector('[data-piece=\"Kal\"]').transform.baseVal.consolidate().matrix"
    return [table.page.evaluate(f"{figure}.e"), table.page.evaluate(f"{figure}.f")]


def test_meshes_come_once_and_not_before_a_model_is_chosen(browser: Browser, scene: Path) -> None:
    with table_page(browser, scene, before=WATCHED) as table:
        assert not asked(table, "play")
        assert not asked(table, "shapes", whole=True)
        prepared(table)
        many = len(asked(table, "shapes", whole=True))
        table.do("move('Zil', [-60, 90])")
        while len(asked(table, "play")) < 2:
            table.until("true")
        table.settled()
        assert len(asked(table, "shapes", whole=True)) == many


def test_where_the_judge_asks_the_desk_the_page_is_as_it_was(browser: Browser, scene: Path) -> None:
    """Below the tower nobody but the desk knows how high Kal then stands."""
    with table_page(browser, scene, before=WATCHED) as table:
        prepared(table)
        start, tower = table.foot("Kal"), table.page.locator('[data-piece="tower"]').bounding_box()
        table.served.holds = results_of
        table.page.mouse.move(*start)
        table.page.mouse.down()
        table.page.mouse.move(tower["x"] + tower["width"] / 2, tower["y"] + tower["height"] / 2)
        table.page.wait_for_timeout(200)
        table.until("document.getElementById('verdict-plate').textContent === '…'")
        assert not shown(table)["first"]
        table.served.release()
        table.page.mouse.up()
        table.settled()


def test_games_that_no_page_judges_are_the_desks(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "scene.toml"
    file.write_text((PROJECT / "scenes/skirmishcorps/over_his_own_wall.toml").read_text("utf-8"), encoding="utf-8")
    with table_page(browser, file, before=WATCHED) as table:
        name = next(piece["name"] for piece in table.settled()["pieces"] if piece["kind"] != "terrain")
        table.do(f"select({json.dumps(name)})")
        while not asked(table, "play"):
            table.until("true")
        table.settled()
        assert not asked(table, "shapes", whole=True)
        assert len(asked(table, "play")) == 1
