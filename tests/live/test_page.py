"""The page of the live table in a real browser: what hands do to pieces, and what is shown of it."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from silhouette.files.cache import Cache
from silhouette.judging import load_scene
from tests.support.browsing import DESKTOP, PHONE, Browser
from tests.support.live_pages import NO_WEBGL, SCENE, TOKEN, TableVisit, table_page

INCH = 25.4


@pytest.fixture
def scene(tmp_path: Path) -> Path:
    file = tmp_path / "scene.toml"
    file.write_text(SCENE, encoding="utf-8")
    return file


def drag(table: TableVisit, start: tuple[float, float], by: tuple[float, float], steps: int = 4) -> None:
    table.page.mouse.move(*start)
    table.page.mouse.down()
    for step in range(1, steps + 1):
        table.page.mouse.move(start[0] + by[0] * step / steps, start[1] + by[1] * step / steps)
        table.served.carry()
    table.page.mouse.up()
    table.settled()


@pytest.mark.parametrize(
    ("before", "size"),
    [
        pytest.param("", DESKTOP, id="3d-desktop"),
        pytest.param("", PHONE, id="3d-phone", marks=pytest.mark.long),
        pytest.param(NO_WEBGL, DESKTOP, id="plan-desktop", marks=pytest.mark.long),
        pytest.param(NO_WEBGL, PHONE, id="plan-phone", marks=pytest.mark.long),
    ],
)
def test_a_dragged_model_follows_and_the_file_says_where_it_is(
    browser: Browser, scene: Path, size: tuple[int, int], before: str
) -> None:
    with table_page(browser, scene, size, before) as table:
        assert table.served.token == TOKEN
        at = table.piece("Kal")["at"]
        drag(table, table.label("Kal"), (60.0, 0.0))
        moved = table.piece("Kal")["at"]
        assert moved[0] > at[0] + 15.0
        assert moved[2] == at[2]
        assert table.settled()["selected"] == "Kal"
        table.do("save()")
        piece = next(piece for piece in load_scene(scene, cache=Cache(None)).pieces if piece.name == "Kal")
        assert piece.pose.translation.round(2).tolist() == moved
        assert "# the one with the rifle" in scene.read_text(encoding="utf-8")
        table.do("undo()")
        assert table.piece("Kal")["at"] == at
        assert table.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        assert not [line for line in table.said if line.startswith("error") and "WebGL" not in line]


# A picture that was begun is not done until ``window.held`` is false: as slow as a test needs it.
HELD_PICTURES = """
window.held = false;
window.begun = 0;
const { getSyncParameter, fenceSync } = WebGL2RenderingContext.prototype;
Object.assign(WebGL2RenderingContext.prototype, {
  fenceSync(...asked) {
    window.begun += 1;
    return fenceSync.apply(this, asked);
  },
  getSyncParameter(...asked) {
    return window.held ? this.UNSIGNALED : getSyncParameter.apply(this, asked);
  },
});
"""


@pytest.mark.long
def test_where_graphics_are_slow_what_moves_is_outlined_over_the_last_picture(browser: Browser, scene: Path) -> None:
    with table_page(browser, scene, before=HELD_PICTURES) as table:
        table.do("select('Kal')")
        drawing = "document.querySelector('#table canvas').dataset.drawing"
        table.until(f"{drawing} === 'false'")
        x, y = table.label("Kal")
        table.page.evaluate("window.begun = 0, window.held = true")
        table.page.mouse.move(x, y)
        table.page.mouse.down()
        table.page.mouse.move(x + 15, y)
        table.until("window.begun === 1")
        outlined = "Array.from(document.querySelectorAll('.sketch .moved'), (path) => path.getBoundingClientRect().x)"
        places = [0.0]
        for step in range(2, 6):
            table.page.mouse.move(x + 15 * step, y)
            table.until(f"{outlined}.some((x) => x > {places[-1] + 5})")
            assert table.page.evaluate(drawing) == "true"
            places.extend(table.page.evaluate(outlined))
        assert len(places) == 5
        assert places[-1] - places[1] > 30.0
        assert table.page.locator(".sketch .mark").count() > 4
        assert table.page.evaluate("window.begun") == 1
        table.page.mouse.up()
        table.page.evaluate("window.held = false")
        table.settled()
        table.until(f"{drawing} === 'false'")
        assert table.page.locator(".sketch .moved").count() == 0


@pytest.mark.long
def test_where_graphics_are_slow_a_picture_is_pale_until_it_has_followed_the_camera(
    browser: Browser, scene: Path
) -> None:
    with table_page(browser, scene, before=HELD_PICTURES) as table:
        canvas = "document.querySelector('#table > canvas')"
        table.until(f"{canvas}.dataset.drawing === 'false'")
        pale = f"Number(getComputedStyle({canvas}).opacity) < 0.5"
        assert not table.page.evaluate(pale)
        before = table.label("Zil")
        table.page.evaluate("window.begun = 0, window.held = true")
        table.press("Control+ArrowLeft")
        table.until(pale)
        table.until("window.begun === 1")
        assert table.label("Zil") != pytest.approx(before, abs=5.0)  # names do not wait for the picture
        table.press("Control+ArrowLeft")
        table.until(f"{canvas}.dataset.behind === 'true'")
        assert table.page.evaluate("window.begun") == 1
        table.page.evaluate("window.held = false")
        table.until(f"{canvas}.dataset.drawing === 'false'")
        assert table.page.evaluate(f"{canvas}.dataset.behind") == "false"
        assert not table.page.evaluate(pale)


@pytest.mark.long
def test_selecting_shows_the_verdicts_both_ways(browser: Browser, scene: Path) -> None:
    with table_page(browser, scene) as table:
        state = table.do("select('Kal')")
        pairs = [(row["attacker"], row["target"]) for row in state["results"]]
        assert pairs == [("Kal", "Vex"), ("Kal", "Zil"), ("Vex", "Kal"), ("Zil", "Kal")]
        row = state["results"][0]
        table.page.click("#list >> text=Vex")
        table.do("select('Kal')")
        table.page.locator("#list tbody tr", has_text="Vex").locator("button.verdict").first.click()
        table.settled()
        assert table.page.inner_text("#pair-title") == "Kal sees Vex"
        assert row["verdict"] in table.page.inner_text("#verdict")
        assert table.page.inner_text("#share").startswith(f"{100 * row['occluded']:.1f}")
        assert table.page.inner_text("#reason").lower() == row["reason"].lower()
        assert "Kal sees Vex: " in table.page.inner_text("#told")


@pytest.mark.long
def test_everything_by_keyboard(browser: Browser, scene: Path) -> None:
    with table_page(browser, scene) as table:
        table.press("Tab")
        assert table.settled()["selected"] == "Kal"
        at = table.piece("Kal")["at"]
        table.press("ArrowRight")
        right = table.piece("Kal")["at"]
        assert right == pytest.approx([at[0] + 0.5 * INCH, at[1], at[2]], abs=0.01)
        table.press("Shift+ArrowUp")
        up = table.piece("Kal")["at"]
        assert up == pytest.approx([right[0], right[1] + 0.1 * INCH, at[2]], abs=0.01)
        table.press("[")
        assert table.piece("Kal")["facing"] == 105.0
        table.press("Alt+]")
        assert table.piece("Kal")["facing"] == 104.0
        table.press("]")
        assert table.piece("Kal")["facing"] == 90.0
        table.press("Control+d")
        table.until("window.silhouette.state().selected === 'Kal 2'")
        table.settled()
        table.press("Delete")
        assert "Kal 2" not in [piece["name"] for piece in table.settled()["pieces"]]
        table.press("Control+z")
        assert "Kal 2" in [piece["name"] for piece in table.settled()["pieces"]]
        table.press("Control+y")
        assert "Kal 2" not in [piece["name"] for piece in table.settled()["pieces"]]
        table.press("Tab", "Tab")
        assert table.settled()["selected"] == "Vex"
        table.press("Escape")
        assert table.settled()["selected"] is None


@pytest.mark.long
def test_the_wheel_turns_the_selected_piece_alone(browser: Browser, scene: Path) -> None:
    with table_page(browser, scene) as table:
        for selected, facing in (("null", 90.0), ("'Kal'", 75.0)):
            table.do(f"select({selected})")
            table.page.mouse.move(*table.label("Kal"))
            table.page.mouse.wheel(0, 60)
            assert table.piece("Kal")["facing"] == facing


def test_with_shift_a_drag_turns_a_piece_where_it_stands(browser: Browser, scene: Path) -> None:
    with table_page(browser, scene) as table:
        at = table.piece("Kal")["at"]
        x, y = table.label("Kal")
        y += 25
        table.page.keyboard.down("Shift")
        table.page.mouse.move(x, y)
        table.page.mouse.down()
        table.page.mouse.move(x + 40, y, steps=4)
        table.page.mouse.move(x + 40, y - 60, steps=6)
        table.page.mouse.up()
        table.page.keyboard.up("Shift")
        kal = next(piece for piece in table.settled()["pieces"] if piece["name"] == "Kal")
        assert kal["at"] == at
        assert kal["facing"] != 90.0
        assert kal["facing"] % 15 == 0
        table.press("Control+z")
        assert table.piece("Kal")["facing"] == 90.0


@pytest.mark.long
def test_two_fingers_turn_what_the_first_one_holds(browser: Browser, scene: Path) -> None:
    with table_page(browser, scene, PHONE, has_touch=True) as table:
        x, y = table.label("Kal")
        touch = table.page.context.new_cdp_session(table.page)

        def fingers(kind: str, *points: tuple[float, float]) -> None:
            held = [{"x": px, "y": py, "id": number} for number, (px, py) in enumerate(points)]
            touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": held})

        fingers("touchStart", (x, y))
        fingers("touchStart", (x, y), (x + 80, y))
        for degrees in (15, 30, 44):
            angle = math.radians(degrees)
            fingers("touchMove", (x, y), (x + 80 * math.cos(angle), y - 80 * math.sin(angle)))
        fingers("touchEnd")
        assert table.piece("Kal")["facing"] == 135.0


@pytest.mark.long
def test_floors_are_climbed_and_left(browser: Browser, scene: Path) -> None:
    with table_page(browser, scene) as table:
        table.do("move('Kal', [130, 130], 200)")
        assert table.piece("Kal")["at"] == [130, 130, 60]
        table.do("select('Kal')")
        table.press("PageUp")
        table.until("document.getElementById('told').textContent.includes('no floor above')")
        assert table.piece("Kal")["facing"] == 200.0


@pytest.mark.long
def test_a_model_is_named_and_given_a_gang(browser: Browser, scene: Path) -> None:
    with table_page(browser, scene) as table:
        table.do("select('Kal')")
        table.page.fill("#name", "Kal the Red")
        table.page.press("#name", "Enter")
        table.until("window.silhouette.state().selected === 'Kal the Red'")
        state = table.settled()
        assert {row["attacker"] for row in state["results"]} == {"Kal the Red", "Vex", "Zil"}
        table.page.fill("#gang", "Van Saar")
        table.page.press("#gang", "Enter")
        table.settled()
        table.do("save()")
        text = scene.read_text(encoding="utf-8")
        assert 'name = "Kal the Red"' in text
        assert 'gang = "Van Saar"' in text


@pytest.mark.long
def test_the_ruler_measures_in_inches(browser: Browser, scene: Path) -> None:
    with table_page(browser, scene, before=NO_WEBGL) as table:
        table.page.click("#ruler")
        start, end = map(table.foot, ("Vex", "Zil"))
        drag(table, start, (end[0] - start[0], end[1] - start[1]))
        assert measured(table) == pytest.approx(math.hypot(120, 10) / INCH, abs=0.06)
        table.press("r")
        table.page.locator(".labels .length").wait_for(state="hidden")


def measured(table: TableVisit) -> float:
    """What the ruler says, inches."""
    return float(table.page.inner_text(".labels .length").rstrip("″"))


@pytest.mark.parametrize(
    ("size", "before"),
    [
        pytest.param(PHONE, NO_WEBGL, id="phone-plan"),
        pytest.param(DESKTOP, "", id="desktop-3d", marks=pytest.mark.long),
    ],
)
def test_the_ruler_measures_between_two_clicks(
    browser: Browser, scene: Path, size: tuple[int, int], before: str
) -> None:
    touch = size == PHONE
    with table_page(browser, scene, size, before, has_touch=touch) as table:
        table.page.click("#ruler")
        point = table.page.touchscreen.tap if touch else table.page.mouse.click
        if before:
            ends = [table.foot(name) for name in ("Vex", "Zil")]
        else:
            ends = [(x, y + 25) for x, y in map(table.label, ("Vex", "Zil"))]
        point(*ends[0])
        table.until("document.getElementById('hint').textContent === 'Now the other end.'")
        assert not touch or table.page.locator(".labels .length").is_hidden()  # a mouse draws it on already
        point(*ends[1])
        table.until("/″/.test(document.getElementById('told').textContent)")
        length = measured(table)
        assert length == pytest.approx(math.hypot(120, 10) / INCH, abs=0.06 if before else 0.6)
        table.page.mouse.move(ends[0][0] + 90, ends[0][1] + 90)
        table.settled()
        assert measured(table) == length
        assert table.settled()["selected"] is None


def test_the_ruler_measures_by_keyboard_and_says_what(browser: Browser, scene: Path) -> None:
    with table_page(browser, scene, before=NO_WEBGL) as table:
        at = table.piece("Kal")["at"]
        table.do("select('Kal')")
        table.press("r", "Enter", "ArrowRight", "ArrowRight", "Shift+ArrowUp")
        table.settled()
        assert measured(table) == pytest.approx(math.hypot(1.0, 0.1), abs=0.06)
        assert table.piece("Kal")["at"] == at
        table.until("document.getElementById('told').textContent.includes('1.0″.')")
        table.press("Tab")
        table.until("document.getElementById('told').textContent.includes('7.9″ to Vex.')")
        assert measured(table) == pytest.approx(200 / INCH, abs=0.06)
        table.press(*5 * ["PageUp"], "Enter")
        table.settled()
        assert table.page.inner_text(".labels .length") == "7.9″ (8.3″ in the air)"
        table.press("ArrowLeft")
        table.settled()
        assert table.page.inner_text(".labels .length") == "7.9″ (8.3″ in the air)"
        table.press("Escape")
        table.settled()
        assert table.page.locator(".labels .length").is_hidden()
        assert table.page.get_attribute("#ruler", "aria-pressed") == "false"
        assert table.settled()["selected"] == "Vex"


@pytest.mark.long
def test_the_distances_are_from_base_to_base(browser: Browser, scene: Path) -> None:
    with table_page(browser, scene) as table:
        table.do("select('Kal')")
        away = table.page.locator("#list tbody tr", has_text="Vex").locator(".away").inner_text()
        assert float(away.rstrip("″")) == pytest.approx((200 - 32) / INCH, abs=0.06)


@pytest.mark.long
def test_the_move_limit_says_when_it_is_passed(browser: Browser, scene: Path) -> None:
    with table_page(browser, scene) as table:
        table.do("select('Kal')")
        table.page.fill("#limit", "4")
        table.do("move('Kal', [90, -100])")
        assert "moved 3.5″ of 4.0″" in table.page.inner_text("#piece-told")
        assert "too far" not in table.page.inner_text("#piece-told")
        table.do("move('Kal', [110, -100])")
        assert "moved 4.3″ of 4.0″: too far" in table.page.inner_text("#piece-told")


CHANGES = "document.getElementById('changes')"


def stops(table: TableVisit) -> int:
    """How often the page has had a check stopped."""
    return sum(request["do"] == "stop" for request in table.served.asked)


@pytest.mark.parametrize(("units", "away"), [("mm", "12.7 mm"), ("inch", "0.50″")])
def test_what_would_change_it_is_looked_for_shown_and_stopped(
    browser: Browser, scene: Path, units: str, away: str
) -> None:
    moved = {"what": "move target", "mm": 12.7, "direction": 270.0, "verdict": "full cover"}
    others = [
        {"what": "turn attacker", "degrees": -47.7, "verdict": "hidden"},
        {"what": "without", "piece": "wall", "verdict": "open"},
    ]
    text = SCENE if units == "mm" else SCENE.replace("table = [400, 400]", 'table = [400, 400]\nunits = "inch"')
    if units == "inch":
        for mm, inches in (("[0, -100]", "[0, -4]"), ("[0, 100]", "[0, 4]"), ("[-120, 90]", "[-5, 3.5]")):
            text = text.replace(f"at = {mm}", f"at = {inches}")
        text = text.replace("[400, 400]", "[16, 16]").replace("at = [130, 130]", "at = [5, 5]")
    scene.write_text(text, encoding="utf-8")
    with table_page(browser, scene, before=NO_WEBGL) as table:
        table.do("select('Kal')")
        table.served.answers["check"] = {"pose": 0, "results": []}  # never comes: of another id
        table.served.answers["check"]["id"] = "of nobody"
        table.page.click("#what-if")
        assert table.page.locator("#changes progress").is_visible()
        number = next(request["id"] for request in table.served.asked if request["do"] == "check")
        bar = table.page.locator("#changes progress")
        for ask, share, shown in ((number, 0.25, 0.25), (number, 0.125, 0.25), (-1, 0.5, 0.25), (number, 0.75, 0.75)):
            table.served.say({"event": "progress", "ask": ask, "pose": 0, "share": share})
            table.served.say({"event": "results", "pose": -1, "pairs": [], "results": [], "settled": False})
            table.until(f"{CHANGES}.textContent.includes('{shown:.0%}'.replace('%', '\u00a0%'))")
            assert bar.evaluate("(bar) => bar.value") == shown
        assert table.page.inner_text("#what-if") == "Stop looking"
        table.page.click("#what-if")
        assert table.page.locator("#changes").is_hidden()
        assert table.page.inner_text("#what-if") == "What would change it?"
        table.until("true")
        assert stops(table) == 1
        table.page.click("#what-if")
        table.do("move('Zil', [-60, 90])")
        assert table.page.locator("#changes").is_hidden()
        assert stops(table) == 2
        row = {"attacker": "Kal", "target": "Vex", "verdict": "partial cover", "changes": [moved, *others]}
        table.served.answers["check"] = {"pose": 1, "results": [row]}
        table.page.click("#what-if")
        table.until(f"{CHANGES}.querySelectorAll('li').length === 3")
        lines = [line.replace("\u00a0", " ") for line in table.page.locator("#changes li").all_inner_texts()]
        assert lines[0] == f"Vex {away} nearer: full cover"
        assert lines[1:] == ["Kal turned by 47.7° to the right: hidden", "Without wall: open"]
        assert away in table.page.inner_text("#told").replace("\u00a0", " ")
        assert table.page.locator("#changes progress").count() == 0
        (asked, *_) = [request for request in table.served.asked if request["do"] == "check"]
        assert asked.items() >= {"pairs": [["Kal", "Vex"]], "what_if": True}.items()


def test_what_would_change_it_comes_from_the_judge(browser: Browser, scene: Path) -> None:
    with table_page(browser, scene, before=NO_WEBGL) as table:
        table.do("select('Kal')")
        table.page.click("#what-if")
        table.until(f"{CHANGES}.querySelectorAll('li').length > 0")
        assert "Without wall: open" in table.page.inner_text("#changes")


def test_what_was_saved_is_named_without_its_folder(browser: Browser, scene: Path) -> None:
    with table_page(browser, scene, before=NO_WEBGL) as table:
        table.do("move('Kal', [10, -100])")
        table.page.click("#save")
        table.until("document.getElementById('hint').textContent.startsWith('Saved')")
        assert table.page.inner_text("#hint") == "Saved as scene.toml."
