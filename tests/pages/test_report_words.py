"""What a report says of a result: words for people, what matters first, and the exact data for programs."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

pytest.importorskip("matplotlib")

from tests.conftest import PROJECT
from tests.support.browsing import PHONE, Browser
from tests.support.commands import CHECK, QUICK, WALLED, run

SCENES = PROJECT / "scenes"
GAMES = ("necromunda/two_blockers", "crisis_protocol/in_cover", "tide_of_iron/hex_edge_clear", "ikosa/round_a_corner")

ESTIMATED = """
title = "Estimated"
rules = "necromunda"
terrain = [{ name = "rock", mesh = "rock.stl", at = [0, 160] }]
fighter = [
  { name = "Oswald", at = [0, 0], facing = 90, figure = { base = 25, height = 32 } },
  { name = "Vex", at = [0, 200], facing = 270, figure = { base = 25, height = 32 } },
]
check = [{ attacker = "Oswald", target = "Vex" }]
"""

TANGLED = """solid rock
{}
endsolid rock
"""


def facet(*corners: tuple[float, float, float]) -> str:
    """A triangle of an ASCII STL."""
    lines = "\n".join(f"vertex {x} {y} {z}" for x, y, z in corners)
    return f"facet normal 0 0 0\nouter loop\n{lines}\nendloop\nendfacet"


@pytest.fixture
def estimated(tmp_path: Path) -> Path:
    """A scene with an estimated eye, and with terrain of three sheets that meet at one edge."""
    foot, top = (0.0, 0.0, 0.0), (0.0, 0.0, 40.0)
    sheets = [facet(foot, top, (30.0 * x, 30.0 * y, 0.0)) for x, y in ((1, 0), (-1, 1), (-1, -1))]
    (tmp_path / "rock.stl").write_text(TANGLED.format("\n".join(sheets)), encoding="utf-8")
    (tmp_path / "scene.toml").write_text(ESTIMATED, encoding="utf-8")
    return tmp_path / "scene.toml"


@pytest.mark.long
def test_what_a_verdict_rests_on_comes_first_and_trifles_never(
    estimated: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "report.html"
    ran = run(capsys, "report", estimated, "--out", page, "--json", *QUICK)
    (row,) = ran.document["checks"]
    assert any("more than two faces meet" in warning for warning in row["warnings"])
    text = re.sub(r"<script.*?</script>", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    known = re.findall(r"<li>(.*?)</li>", text.partition("To know before trusting them")[2].partition("</ul>")[0])
    assert "eye of Oswald is estimated" in known[0]
    assert len(known) == len(set(known))
    assert "more than two faces" not in text


@pytest.mark.thinned(quick=12, ci=13)
@pytest.mark.parametrize("name", GAMES)
def test_everything_is_in_words_and_the_data_is_embedded(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "report.html"
    ran = run(capsys, "report", SCENES / f"{name}.toml", "--out", page, "--json", *QUICK)
    html = page.read_text(encoding="utf-8")
    data = re.search(r'<script type="application/json" id="results">(.*?)</script>', html, re.DOTALL)
    assert data is not None
    assert json.loads(data[1])["results"] == ran.document["checks"]
    shown = re.sub(r"<(script|style|pre|svg).*?</\1>", "", html, flags=re.DOTALL)
    for key in {key for row in ran.document["checks"] for key in row if "_" in key}:
        assert key not in re.sub(r"<[^>]*>", " ", shown)
    assert not re.search(r">\s*(null|None|true|false|\[\]|\{\})\s*<", shown)


@pytest.mark.long
def test_a_long_report_is_short_on_a_phone(
    browser: Browser, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "report.html"
    run(capsys, "report", SCENES / "necromunda/skirmish.toml", "--out", page, "--renderer", "auto", "--pixel", "0.5")
    for width, most in ((390, 10_000), (1280, 9_600)):
        with browser.visit(page, (width, 844)) as visit:
            visit.settled()
            tall, wide = visit.page.evaluate(
                "[document.documentElement.scrollHeight, document.documentElement.scrollWidth]"
            )
            assert tall < most
            assert wide == width
            boxes = visit.page.locator("input[type=checkbox]")
            assert boxes.count() == 22
            assert not boxes.first.is_visible()


def test_shares_add_up_and_places_have_a_unit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The parts of a share as a page prints them; the places of pieces in the unit of the scene."""
    page = tmp_path / "report.html"
    for name, unit in (("skirmish", "mm"), ("stand_ins_in_inches", "inches")):
        run(capsys, "report", SCENES / f"necromunda/{name}.toml", "--out", page, "--renderer", "auto", "--pixel", "0.5")
        html = page.read_text(encoding="utf-8")
        places = re.findall(r'data-label="(?:stands at|eye)">([^<]+)<', html)
        assert places
        assert all(f"] {unit}, " in place for place in places)
        rows = re.findall(r'data-label="obscured">([\d.]+) %[^<]*</td><td[^>]*>([^<]*)<', html)
        for whole, parts in rows:
            if shares := re.findall(r"([\d.]+) %", parts):
                assert sum(map(float, shares)) == pytest.approx(float(whole), abs=1e-9)


@pytest.mark.long
def test_on_a_phone_the_head_is_two_lines_and_what_players_do_has_a_row_of_its_own(
    browser: Browser, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scene, page = tmp_path / "a_scene_whose_name_is_much_longer_than_a_phone_is_wide.toml", tmp_path / "report.html"
    document = WALLED.replace("Behind the wall", "Behind the wall of the old pump station, at night, in the rain")
    scene.write_text("tolerance = 0.45\n" + document + CHECK, encoding="utf-8")
    run(capsys, "report", scene, "--out", page, *QUICK)
    with browser.visit(page, PHONE) as visit:
        for selector in (".head h1", ".head p"):
            lines = "(element) => element.offsetHeight / parseFloat(getComputedStyle(element).lineHeight)"
            assert visit.page.locator(selector).evaluate(lines) == pytest.approx(1.0, abs=0.2)
        for mark in ("td", "h3"):
            verdict, close = (
                visit.page.locator(f"{mark} > .{part}").first.bounding_box() for part in ("verdict", "close")
            )
            assert close["y"] >= verdict["y"] + verdict["height"] - 1
            assert visit.page.locator(f"{mark} > .close").first.inner_text() == "too close to call: roll off"
        assert visit.page.evaluate("document.documentElement.scrollWidth") == PHONE[0]
