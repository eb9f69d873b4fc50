"""The report in a real browser: it opens from a file without a network, and everything in it can be used."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from silhouette.files.cache import Cache
from silhouette.judging import load_scene
from silhouette.scenes.table import TableScene
from tests.conftest import PROJECT
from tests.support.browsing import DESKTOP, PHONE, Browser, Visit
from tests.support.report_pages import canvas, like, made, quiet

ATTACKER = "<img src=x onerror=\"window.harmed='tag'\"> 'Kal' & \U0001f480"
TARGET = "</script><script>window.harmed='script'</script>"
LONG = "Long-" + "w" * 75
BLOCKER = 'wall "of" <b>bricks</b>'


def quoted(name: str) -> str:
    """As TOML writes a string."""
    return json.dumps(name, ensure_ascii=False)


HOSTILE = f"""
title = {quoted("A <title> & its </title><script>window.harmed='title'</script>")}
rules = "necromunda"
terrain = [{{ name = {quoted(BLOCKER)}, at = [0, 160], parts = [{{ box = [90, 5, 16] }}] }}]

[[fighter]]
name = {quoted(ATTACKER)}
at = [0, 0]
eye = [0, 6, 26]
parts = [{{ box = [14, 14, 30] }}]

[[fighter]]
name = {quoted(TARGET)}
at = [0, 200]
facing = 270
parts = [
    {{ cylinder = {{ diameter = 25, height = 3 }}, base = true }},
    {{ box = [16, 16, 30], at = [0, 0, 3] }},
]

[[fighter]]
name = {quoted(LONG)}
at = [90, 120]
facing = 200
parts = [{{ box = [14, 14, 30] }}]

[[check]]
attacker = {quoted(ATTACKER)}
target = {quoted(TARGET)}

[[check]]
attacker = {quoted(LONG)}
target = {quoted(ATTACKER)}
"""

BOARDS = ("crisis_protocol/on_a_rooftop", "tide_of_iron/woods_in_the_valley", "ikosa/shot_at_a_giant")


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile")
    (folder / "scene.toml").write_text(HOSTILE, encoding="utf-8")
    return made(folder / "scene.toml", folder)


@pytest.fixture(scope="module")
def opened(browser: Browser, hostile: Path) -> Iterator[Visit]:
    """That page, open, for tests that leave it as it is, or put it right first."""
    with browser.visit(hostile) as visit:
        visit.settled()
        yield visit


@pytest.fixture(scope="module", params=[BOARDS[0], *(pytest.param(one, marks=pytest.mark.long) for one in BOARDS[1:])])
def board(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(PROJECT / "scenes" / f"{request.param}.toml", tmp_path_factory.mktemp("board"))


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A scene of sculpted models."""
    return made(PROJECT / "scenes/necromunda/example_2_partial_cover.toml", tmp_path_factory.mktemp("models"))


@pytest.mark.parametrize("size", [pytest.param(DESKTOP, marks=pytest.mark.long), PHONE], ids=["desktop", "phone"])
def test_it_opens_without_a_network_and_shows_the_table(browser: Browser, hostile: Path, size: tuple[int, int]) -> None:
    with browser.visit(hostile, size) as visit:
        picture = canvas(visit)
        background = picture[2, 2]
        assert (np.abs(picture - background).sum(axis=-1) > 30).mean() > 0.05
        assert visit.page.locator("#view-missing").is_hidden()
        quiet(visit)


@pytest.mark.long
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_boards_are_shown_too(browser: Browser, board: Path, size: tuple[int, int]) -> None:
    with browser.visit(board, size) as visit:
        before = canvas(visit)
        assert (np.abs(before - before[2, 2]).sum(axis=-1) > 30).mean() > 0.05
        visit.page.click("#view-eye")
        after = canvas(visit)
        assert before.shape != after.shape or (np.abs(before - after).sum(axis=-1) > 30).mean() > 0.05
        quiet(visit)


@pytest.mark.long
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_from_the_eye_the_target_is_in_the_middle_in_its_colours(
    browser: Browser, models: Path, size: tuple[int, int]
) -> None:
    with browser.visit(models, size) as visit:
        before = canvas(visit)
        visit.page.click("#view-eye")
        after = canvas(visit)
        assert visit.page.get_attribute("#view-eye", "aria-pressed") == "true"
        assert "Seen from Kal's eye" in visit.page.inner_text("#view-told")
        assert before.shape != after.shape or (np.abs(before - after).sum(axis=-1) > 30).mean() > 0.2
        seen, obscured = like(after, blue=True), like(after, blue=False)
        rows, columns = np.nonzero(seen | obscured)
        height, width = seen.shape
        assert abs(columns.mean() / width - 0.5) < 0.1
        assert abs(rows.mean() / height - 0.5) < 0.15
        # 42 % of this target is obscured; what is obscured shows through its blocker in two lines of three.
        assert 0.12 < obscured.sum() / (obscured.sum() + seen.sum()) < 0.5
        quiet(visit)


@pytest.mark.long
def test_hiding_the_blocker_frees_the_target_and_is_said(browser: Browser, models: Path) -> None:
    with browser.visit(models) as visit:
        visit.page.click("#view-eye")
        before = canvas(visit)
        visit.page.click("#view-pieces > summary")
        box = visit.page.get_by_label("barricade in the way")
        assert box.is_checked()
        box.uncheck()
        after = canvas(visit)
        assert (np.abs(before - after).sum(axis=-1) > 30).mean() > 0.05
        assert like(after, blue=False).sum() < 0.02 * like(before, blue=False).sum() + 20
        assert like(after, blue=True).sum() > 1.3 * like(before, blue=True).sum()
        assert visit.page.inner_text("#view-told") == (
            "barricade is hidden in this picture. The verdict stays as it is."
        )
        assert visit.page.get_attribute("#view-told", "aria-live") == "polite"
        visit.page.click("#view-all")
        assert box.is_checked()
        assert np.abs(canvas(visit) - before).mean() < 1.0


@pytest.mark.long
def test_each_check_can_be_chosen_and_seen(opened: Visit) -> None:
    opened.page.locator("#check-2 button").click()
    opened.settled()
    assert opened.page.input_value("#view-check") == "1"
    assert opened.page.inner_text("#view-told").startswith(f"Seen from {LONG}'s eye")
    position = opened.page.evaluate("window.silhouette.viewer.camera.position.toArray()")
    eye = opened.page.evaluate("window.silhouette.stage.view.eye")
    assert np.allclose(position, eye, atol=1e-6)
    opened.page.select_option("#view-check", "0")
    opened.settled()
    position = opened.page.evaluate("window.silhouette.viewer.camera.position.toArray()")
    assert np.allclose(position, [0.0, 6.0, 26.0], atol=1e-6)


@pytest.mark.long
def test_what_is_shown_stands_where_the_scene_says(browser: Browser, models: Path) -> None:
    """The bytes of the page, unpacked by the viewer, are the meshes in their places, to a tenth of a millimetre."""
    scene = load_scene(PROJECT / "scenes/necromunda/example_2_partial_cover.toml", cache=Cache(None))
    assert isinstance(scene, TableScene)
    script = "() => window.silhouette.stage.pieces.map((p) => [p.name, p.body.min.toArray(), p.body.max.toArray()])"
    with browser.visit(models) as visit:
        visit.settled()
        shown = {name: (low, high) for name, low, high in visit.page.evaluate(script)}
    assert set(shown) == {piece.name for piece in scene.pieces}
    for piece in scene.pieces:
        points = piece.pose.place(piece.model.significant.vertices)
        assert np.allclose(shown[piece.name], [points.min(axis=0), points.max(axis=0)], atol=0.35), piece.name


@pytest.mark.long
def test_keys_turn_the_view_and_come_nearer(opened: Visit) -> None:
    place = "window.silhouette.viewer.camera.position.toArray()"
    opened.page.click("#view-table")
    opened.settled()
    opened.page.focus("#view-canvas")
    before = np.array(opened.page.evaluate(place))
    opened.page.keyboard.press("ArrowLeft")
    turned = np.array(opened.page.evaluate(place))
    assert turned[2] == pytest.approx(before[2])
    assert np.linalg.norm(turned - before) > 10.0
    opened.page.keyboard.press("ArrowUp")
    assert np.array(opened.page.evaluate(place))[2] > turned[2] + 5.0
    away = "window.silhouette.viewer.camera.position.distanceTo(window.silhouette.viewer.controls.target)"
    far = opened.page.evaluate(away)
    opened.page.keyboard.press("+")
    near = opened.page.evaluate(away)
    opened.page.keyboard.press("-")
    assert near < 0.95 * far
    assert opened.page.evaluate(away) == pytest.approx(far)


@pytest.mark.long
def test_everything_is_reached_by_the_keyboard_and_has_a_name(browser: Browser, hostile: Path) -> None:
    told = """() => { const e = document.activeElement;
        return [e.id || e.dataset.piece || e.dataset.view || e.className || e.tagName,
                (e.getAttribute('aria-label') || e.labels?.[0]?.textContent || e.textContent).trim()]; }"""
    with browser.visit(hostile) as visit:
        visit.settled()
        visit.page.evaluate("document.getElementById('view-pieces').open = true")
        reached = {}
        for _ in range(60):
            visit.page.keyboard.press("Tab")
            mark, name = visit.page.evaluate(told)
            if mark in reached and mark == "skip":
                break
            reached[mark] = name
        assert next(iter(reached)) == "skip"
        buttons = {"view-eye", "view-table", "view-above", "view-nearer", "view-farther", "view-all", "copy-scene"}
        boxes = {str(number) for number in range(4)}
        assert buttons | boxes | {"view-canvas", "view-check", "scene-text"} <= set(reached)
        assert all(reached.values())
        visit.page.focus("#view-eye")
        visit.page.keyboard.press("Enter")
        assert visit.page.get_attribute("#view-eye", "aria-pressed") == "true"


@pytest.mark.long
def test_headings_go_down_step_by_step_and_pictures_have_words(opened: Visit) -> None:
    levels = opened.page.evaluate("[...document.querySelectorAll('h1,h2,h3,h4')].map((h) => Number(h.tagName[1]))")
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    labels = opened.page.evaluate(
        "[...document.querySelectorAll('svg')].map((s) => [s.getAttribute('role'), s.getAttribute('aria-label')])"
    )
    assert len(labels) == 6
    assert all(role == "img" and label for role, label in labels)
    assert opened.page.get_attribute("html", "lang") == "en"


@pytest.mark.long
def test_the_scene_is_copied(browser: Browser, hostile: Path) -> None:
    stub = "Object.defineProperty(navigator, 'clipboard', {value: {writeText: async (text) => {window.copied = text}}})"
    with browser.visit(hostile, before=stub) as visit:
        visit.settled()
        visit.page.click("#copy-scene")
        visit.until("document.getElementById('copy-told').textContent !== ''")
        assert visit.page.evaluate("window.copied") == HOSTILE
        assert visit.page.inner_text("#copy-told") == "The scene file is copied."


@pytest.mark.long
def test_without_a_clipboard_the_scene_is_selected(browser: Browser, hostile: Path) -> None:
    stub = "Object.defineProperty(navigator, 'clipboard', {value: undefined}); document.execCommand = () => false"
    with browser.visit(hostile, before=stub) as visit:
        visit.settled()
        visit.page.click("#copy-scene")
        assert visit.page.evaluate("getSelection().toString().trim()") == HOSTILE.strip()
        assert "Ctrl+C" in visit.page.inner_text("#copy-told")


def test_without_scripts_verdicts_and_figures_are_there(browser: Browser, hostile: Path) -> None:
    with browser.visit(hostile, java_script_enabled=False) as visit:
        page = visit.page
        assert page.locator("table.verdicts tbody tr").count() == 2
        assert page.locator("svg.drawing").count() == 6
        assert all(page.locator("svg.drawing").nth(number).is_visible() for number in range(6))
        assert "needs JavaScript" in page.inner_text("#view-missing")
        assert page.locator("#view-shown").is_hidden()
        assert page.locator("#copy-scene").is_hidden()


def test_without_webgl_a_sentence_says_so(browser: Browser, hostile: Path) -> None:
    with browser.visit(hostile, before="HTMLCanvasElement.prototype.getContext = () => null") as visit:
        visit.until("document.documentElement.dataset.view !== undefined")
        assert "cannot show the 3D view" in visit.page.inner_text("#view-missing")
        assert visit.page.locator("#view-shown").is_hidden()
        assert visit.page.locator("#check-1 button").is_hidden()
        assert visit.page.locator("#copy-scene").is_visible()


@pytest.mark.long
def test_motion_is_left_out_for_who_asks_and_shown_otherwise(browser: Browser, hostile: Path) -> None:
    place = "() => window.silhouette.viewer.camera.position.toArray()"
    with browser.visit(hostile) as visit:
        for motion, at_once in (("reduce", True), ("no-preference", False)):
            visit.page.emulate_media(reduced_motion=motion)
            visit.page.reload()
            visit.settled()
            script = f"() => {{ document.getElementById('view-eye').click(); return ({place})(); }}"
            assert np.allclose(visit.page.evaluate(script), [0.0, 6.0, 26.0], atol=1e-6) is at_once
            visit.until(f"Math.abs(({place})()[2] - 26) < 1e-6")


@pytest.mark.long
def test_it_prints_without_buttons_and_with_everything_else(opened: Visit) -> None:
    opened.page.emulate_media(media="print")
    assert not [button for button in opened.page.locator("button").all() if button.is_visible()]
    assert opened.page.locator("svg.drawing").first.is_visible()
    assert opened.page.locator("#scene-text").is_visible()
    document = opened.page.pdf(format="A4")
    opened.page.emulate_media(media="screen")
    assert document.startswith(b"%PDF")
    assert document.count(b"/Type /Page\n") + document.count(b"/Type /Page ") >= 2


@pytest.mark.long
def test_dark_pages_are_dark(browser: Browser, hostile: Path) -> None:
    with browser.visit(hostile) as visit:
        for scheme, dark in (("light", False), ("dark", True)):
            visit.page.emulate_media(color_scheme=scheme)
            visit.page.reload()
            assert bool(canvas(visit)[2, 2].mean() < 60) is dark
            colour = visit.page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
            assert (sum(map(int, colour[4:-1].split(","))) < 180) is dark


A_CARD = """const told = WebGL2RenderingContext.prototype.getParameter;
WebGL2RenderingContext.prototype.getParameter = function (what) {
    const name = told.call(this, what);
    return typeof name === 'string' ? name.replaceAll(/swiftshader|software/gi, 'card') : name;
};
const start = HTMLCanvasElement.prototype.getContext;
HTMLCanvasElement.prototype.getContext = function (kind, how) {
    return start.call(this, kind, { ...how, failIfMajorPerformanceCaveat: false });
};"""
FINE = """(() => {
    const { pace, renderer } = silhouette.viewer;
    return [pace.slow, renderer.shadowMap.enabled, renderer.getContext().getContextAttributes().antialias];
})()"""

SLOW = "silhouette.viewer.before = () => { for (const start = performance.now(); performance.now() < start + 100; ); }"


def test_pictures_are_plain_without_a_graphics_card_and_where_it_is_slow(
    browser: Browser, hostile: Path, opened: Visit
) -> None:
    """Smoothing is chosen once; shadows are left out from the first slow pictures on."""
    assert opened.page.evaluate(FINE) == [True, False, False]
    with browser.visit(hostile, before=A_CARD) as visit:
        visit.until("window.silhouette !== undefined")
        is_slow, has_shadows, _ = visit.page.evaluate(FINE)
        assert has_shadows is not is_slow  # a busy machine may have been slow by now
        visit.page.evaluate(SLOW)
        while not visit.page.evaluate("silhouette.viewer.pace.slow"):
            visit.page.evaluate("silhouette.viewer.draw()")
        assert visit.page.evaluate(FINE) == [True, False, True]
        quiet(visit)


def test_without_colours_there_is_nothing_to_take_away(opened: Visit) -> None:
    assert opened.page.locator("#view-own").count() == 0
