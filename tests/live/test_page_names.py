"""The page of the live table: names, signs, the length and words over the table, none of which covers another."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest

from tests.support.browsing import DESKTOP, PHONE, Browser
from tests.support.live_pages import NO_WEBGL, SCENE, TableVisit, asking, table_page

NAMES = (
    *("Kal", "Vex", "Zil", "Sergeant Harrow", "Ganger with flamer", "Juve 1", "Juve 2", "Juve 3"),
    *("Champion Ysolde", "Leader Brannigan", "Stimmer", "Prospect Odo", "Specialist Renn", "Ganger 2"),
    *("Ganger 3", "Ganger 4", "Bounty hunter", "Crew 1", "Crew 2", "Hanger-on"),
)
"""Of twenty figures, in two gangs that stand close together."""

SHOWN = """Array.from(document.querySelectorAll(".labels > span, .pins > .pin"))
  .filter((one) => one.getClientRects().length)
  .map((one) => {
    const { left, top, right, bottom } = one.getBoundingClientRect();
    return { name: one.dataset.name || "", text: one.textContent, box: [left, top, right, bottom] };
  })"""
"""Names, signs, pins and the length: what is written over the table, and where."""


def figure(name: str, gang: str, x: float, y: float) -> str:
    return (
        f'\n[[fighter]]\nname = "{name}"\ngang = "{gang}"\nfigure = {{ base = 32, height = 38 }}\n'
        f"at = [{x}, {y}]\nfacing = {90 if y < 0 else 270}\n"
    )


@pytest.fixture
def crowd(tmp_path: Path) -> Path:
    file = tmp_path / "scene.toml"
    text = SCENE.split("[[fighter]]")[0].replace("table = [400, 400]", "table = [900, 900]")
    for number, name in enumerate(NAMES):
        gang, place = divmod(number, 10)
        x, y = 48.0 * (place % 5 - 2), 50.0 * (place // 5) + (100.0 if gang else -150.0)
        text += figure(name, ("Orlock", "Escher")[gang], x, y)
    file.write_text(text, encoding="utf-8")
    return file


def written(table: TableVisit) -> dict[str, str]:
    """What is written over each model: its name, its sign, or both; nothing of it covers anything else."""
    found = table.page.evaluate(SHOWN)
    for one, other in combinations(found, 2):
        (left, top, right, bottom), (west, north, east, south) = one["box"], other["box"]
        apart = right <= west or east <= left or bottom <= north or south <= top
        assert apart, f"{one} and {other} cover each other"
    return {one["name"]: one["text"] for one in found if one["name"]}


@pytest.mark.long
@pytest.mark.parametrize(
    ("size", "before"),
    [
        pytest.param(PHONE, "", id="phone-3d"),
        pytest.param(DESKTOP, "", id="desktop-3d"),
        pytest.param(PHONE, NO_WEBGL, id="phone-plan"),
        pytest.param(DESKTOP, NO_WEBGL, id="desktop-plan"),
    ],
)
def test_of_twenty_figures_close_together_no_name_covers_another(
    browser: Browser, crowd: Path, size: tuple[int, int], before: str
) -> None:
    with table_page(browser, crowd, size, before) as table:
        names = written(table)
        assert len(names) >= 11
        assert all(text == name for name, text in names.items())
        table.do("select('Ganger with flamer')")
        names = written(table)
        assert names["Ganger with flamer"] == "Ganger with flamer"
        signs = {name for name, text in names.items() if name not in text}
        assert signs
        assert all(text in "○◐◕●" for name, text in names.items() if name in signs)
        assert len(names) >= 8
        for name in sorted(signs)[:2]:
            table.do(f"select('{name}')")
            assert written(table)[name] == name
        asking(table)
        assert table.page.locator(".pins .pin:visible").count() == 1
        assert written(table)


@pytest.mark.long
def test_what_is_pointed_at_is_named_where_names_have_no_room(browser: Browser, crowd: Path) -> None:
    with table_page(browser, crowd, before=NO_WEBGL) as table:
        table.do("select('Ganger with flamer')")
        names = written(table)
        left_out = next(name for name in NAMES if name not in names.get(name, ""))
        for _ in range(2):
            table.page.mouse.move(*table.foot(left_out))
            shown = f"document.querySelector('.labels [data-name=\"{left_out}\"]').textContent"
            table.until(f"{shown}.includes({left_out!r})")
            table.settled()
            assert left_out in written(table)[left_out]
            table.page.mouse.move(5, 5)
            table.until("document.getElementById('table').dataset.over === ''")
            table.settled()
            assert written(table) == names


@pytest.fixture
def scene(tmp_path: Path) -> Path:
    file = tmp_path / "scene.toml"
    between = figure("The one who stands between", "Orlock", -60, 70)
    file.write_text(SCENE + between, encoding="utf-8")
    return file


@pytest.mark.parametrize(
    ("size", "before"),
    [
        pytest.param(PHONE, NO_WEBGL, id="phone-plan"),
        pytest.param(DESKTOP, "", id="desktop-3d", marks=pytest.mark.long),
    ],
)
def test_names_give_way_to_the_length_of_the_ruler_and_words_go_at_the_first_click(
    browser: Browser, scene: Path, size: tuple[int, int], before: str
) -> None:
    with table_page(browser, scene, size, before) as table:
        stood = table.label("The one who stands between")
        table.do("select('Vex')")
        table.press("r", "Enter", "Tab", "Enter")
        table.settled()
        assert "″" in table.page.inner_text(".labels .length")
        assert "The one" in written(table)["The one who stands between"]
        assert table.label("The one who stands between") != pytest.approx(stood, abs=2.0)
        table.press("Escape")
        table.do("select(null)")
        assert table.label("The one who stands between") == pytest.approx(stood, abs=0.2)
        words_go_at_the_first_click(table)


def words_go_at_the_first_click(table: TableVisit) -> None:
    """What the ruler says over the table goes when somebody begins to measure there, be it under the words."""
    hidden = "document.getElementById('hint').hidden"
    table.page.click("#ruler")
    table.until(f"!{hidden}")
    words = table.page.locator("#hint").bounding_box()
    x, y = words["x"] + words["width"] / 2, words["y"] + words["height"] / 2
    table.page.mouse.move(x, y)
    table.page.mouse.down()
    assert table.page.evaluate(hidden)
    table.page.mouse.move(x, y + 120, steps=2)
    table.page.mouse.up()
    table.until("!document.querySelector('.labels .length').hidden")
    for _ in range(2):
        table.press("r")
    table.until(f"!{hidden}")
    table.press("ArrowRight")
    table.until(hidden)
