"""A report whose pieces can be moved: what it says is what the command says of the same places, in a real browser."""

from __future__ import annotations

import itertools
import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from silhouette.cli.app import main
from silhouette.drawing.words.words import LANGUAGES
from silhouette.judging import load_scene
from silhouette.pages.html.page import LEVEL_SIGNS
from silhouette.pages.report.sections import viewer_texts
from silhouette.pages.report.words import PageWords
from silhouette.rules.base import blocker_shares
from silhouette.rules.necromunda.rule import NECROMUNDA
from silhouette.scenes.scene import Check
from tests.conftest import PROJECT
from tests.support.browsing import DESKTOP, PHONE, Browser, Visit
from tests.support.report_pages import quiet
from tests.support.rulings import ruled

SCENE = PROJECT / "scenes" / "necromunda" / "two_blockers.toml"
ANSWERED = "silhouette.play && !silhouette.play.isBusy && document.getElementById('play-answer').textContent"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    page = tmp_path_factory.mktemp("playable") / "report.html"
    given = ["report", str(SCENE), "--out", str(page), "--pixel", "0.5", "--workers", "1", "--quiet", "--playable"]
    assert main(given) == 0
    return page


@pytest.fixture(scope="module", params=[DESKTOP, PHONE], ids=["desktop", "phone"])
def opened(request: pytest.FixtureRequest, report: Path, browser: Browser) -> Iterator[Visit]:
    """The page, opened once for all tests: that takes longer than all that they do on it."""
    with browser.visit(report, request.param) as visit:
        visit.settled()
        visit.until(ANSWERED)
        yield visit
        quiet(visit)


ON_DESKTOP = pytest.mark.parametrize(
    "opened", [DESKTOP, pytest.param(PHONE, marks=pytest.mark.long)], indirect=True, ids=["desktop", "phone"]
)
"""What another size of the page changes nothing of."""


@pytest.fixture
def visit(opened: Visit) -> Visit:
    """The page as it was opened: the scene as it is written, its first check, seen from where that begins."""
    opened.page.click("#play-back")
    opened.page.evaluate("silhouette.check(0)")
    opened.settled()
    opened.until(ANSWERED)
    return opened


def answer(visit: Visit) -> str:
    visit.until(ANSWERED)
    return str(visit.page.locator("#play-answer").inner_text())


def moved(visit: Visit, button: str) -> str:
    visit.page.evaluate("document.getElementById('play-answer').textContent = ''")
    visit.page.click(f"#play-{button}")
    return answer(visit)


def test_what_it_says_first_is_the_scenes_verdict(visit: Visit) -> None:
    (check, *_) = load_scene(SCENE).checks
    assert check.expect is not None
    assert str(check.expect["verdict"]) in answer(visit)


def test_a_moved_figure_is_judged_as_the_command_judges_it_there(visit: Visit) -> None:
    for button in ("left", "left", "away", "anticlockwise", "right", "left", "left"):
        words = moved(visit, button)
    visit.page.click("#play-copy")
    command = shlex.split(visit.page.locator("#play-command").inner_text())
    assert command[:2] == ["silhouette", "check"]
    tried = {}
    for option, value in itertools.pairwise(command):
        if option == "--at":
            name, _, numbers = value.partition("=")
            tried[name] = tuple(map(float, numbers.split(",")))
    assert len(tried) == 1
    check = Check(command[command.index("--from") + 1], command[command.index("--to") + 1])
    verdict = ruled(NECROMUNDA, load_scene(SCENE, at=tried), check)
    assert f"{check.attacker} → {check.target}: {verdict.verdict}" in words or verdict.marginal
    assert verdict.marginal == ("roll off" in words)


def test_keys_move_and_turn_the_chosen_figure(visit: Visit) -> None:
    place = "(({ at, turn }) => [...at, turn])(silhouette.play.pieces[silhouette.play.attacker])"
    x, y, z, turn = visit.page.evaluate(place)
    visit.page.locator("#view-canvas").focus()
    for key in ("ArrowLeft", "ArrowUp", "ArrowUp", "Shift+ArrowUp", "PageUp", "Comma", "Control+ArrowLeft"):
        visit.page.keyboard.press(key)
    assert visit.page.evaluate(place) == pytest.approx([x - 12.7, y + 27.94, z + 12.7, turn + 15.0])
    visit.page.keyboard.press("]")
    assert visit.page.evaluate(place)[3] == pytest.approx(turn)
    visit.page.keyboard.press("Alt+[")
    visit.page.keyboard.press("Shift+.")
    visit.page.keyboard.press("Shift+.")
    assert visit.page.evaluate(place)[3] == pytest.approx(turn - 1.0)
    answer(visit)


@ON_DESKTOP
@pytest.mark.parametrize("way", ["up", "down"])
def test_what_is_copied_of_a_raised_figure_is_judged_as_the_page_judges_it(
    visit: Visit, way: str, tmp_path: Path
) -> None:
    """The command knows no heights: they come as lines of the scene file, with the command in a comment below them."""
    visit.page.select_option("#play-piece", label="Brak")
    moved(visit, "right")
    visit.page.select_option("#play-piece", label="Kal")
    moved(visit, "anticlockwise")
    words = moved(visit, way)
    assert visit.page.locator("#play-heights").is_hidden()
    visit.page.click("#play-copy")
    assert visit.page.locator("#play-heights").is_visible()
    *lines, command = visit.page.locator("#play-command").inner_text().splitlines()
    assert lines[0] == "# Kal"
    text = "\n".join(lines)
    assert tomllib.loads(text) == {"at": [0, 0, 12.7 if way == "up" else -12.7], "facing": 105}
    assert shlex.split(command)[:6] == ["#", "silhouette", "check", SCENE.name, "--at", "Brak=31.7,110,90"]
    written = SCENE.read_text(encoding="utf-8").replace("../../models", (PROJECT / "models").as_posix())
    (tmp_path / SCENE.name).write_text(written.replace("at = [0, 0]\nfacing = 90", text), encoding="utf-8")
    verdict = ruled(
        NECROMUNDA, load_scene(tmp_path / SCENE.name, at={"Brak": (31.7, 110.0, 90.0)}), Check("Kal", "Vex")
    )
    assert f"Kal → Vex: {verdict.verdict}" in words or verdict.marginal
    assert verdict.marginal == ("roll off" in words)
    visit.page.click("#play-down" if way == "up" else "#play-up")
    answer(visit)
    visit.page.click("#play-copy")
    assert visit.page.locator("#play-heights").is_hidden()
    assert visit.page.locator("#play-command").inner_text().startswith("silhouette check")


CAMERA = "silhouette.viewer.camera.position.toArray()"


def test_where_no_figure_is_chosen_arrows_turn_the_view(visit: Visit) -> None:
    """Tab goes from piece to piece, and past the last one on; Esc chooses none, and then leaves the table."""
    picked = "[document.getElementById('play-piece').selectedOptions[0].textContent, document.activeElement.id]"
    names = visit.page.evaluate("silhouette.play.movable.map((number) => silhouette.play.pieces[number].name)")
    visit.page.locator("#view-canvas").focus()
    visit.page.keyboard.press("Escape")
    assert visit.page.evaluate(picked) == ["nothing", "view-canvas"]
    assert visit.page.locator("#play-left").is_disabled()
    places, camera = visit.page.evaluate("silhouette.play.pieces.map(({ at }) => [...at])"), visit.page.evaluate(CAMERA)
    for key in ("ArrowLeft", "PageUp", "["):
        visit.page.keyboard.press(key)
    assert visit.page.evaluate("silhouette.play.pieces.map(({ at }) => at)") == places
    assert visit.page.evaluate(CAMERA) != pytest.approx(camera)
    for name in names:
        visit.page.keyboard.press("Tab")
        assert visit.page.evaluate(picked) == [name, "view-canvas"]
    visit.page.keyboard.press("Shift+Tab")
    assert visit.page.evaluate(picked) == [names[-2], "view-canvas"]
    visit.page.keyboard.press("Tab")
    visit.page.keyboard.press("Tab")
    assert visit.page.evaluate("document.activeElement.id") != "view-canvas"
    visit.page.locator("#view-canvas").focus()
    visit.page.keyboard.press("Escape")
    visit.page.keyboard.press("Escape")
    assert visit.page.evaluate("document.activeElement.id") == "play-attacker"
    visit.page.select_option("#play-piece", label=names[0])
    assert visit.page.locator("#play-left").is_enabled()


def test_keys_choose_another_pair(visit: Visit) -> None:
    pair = "[silhouette.play.attacker, silhouette.play.target]"
    attacker, target = visit.page.evaluate(pair)
    visit.page.locator("#view-canvas").focus()
    visit.page.keyboard.press("x")
    assert visit.page.evaluate(pair) == [target, attacker]
    visit.page.keyboard.press("x")
    others = visit.page.evaluate("silhouette.play.models.filter((number) => number !== silhouette.play.attacker)")
    for _ in others:
        visit.page.keyboard.press("n")
        assert visit.page.evaluate(pair)[0] == attacker
    assert visit.page.evaluate(pair) == [attacker, target]
    if len(others) > 1:
        visit.page.keyboard.press("p")
        assert visit.page.evaluate(pair)[1] == others[others.index(target) - 1]
    answer(visit)


def test_programs_are_told_what_those_of_a_live_table_are(visit: Visit) -> None:
    """The pieces, and of the selected model all verdicts, as attacker, then as target, those of the command."""
    scene = load_scene(SCENE)
    visit.page.evaluate("silhouette.select('Vex')")
    visit.until("silhouette.state().settled")
    state = visit.page.evaluate("silhouette.state()")
    assert state["selected"] == "Vex"
    assert [(piece["name"], piece["kind"]) for piece in state["pieces"]] == [
        (piece.name, piece.kind) for piece in scene.pieces
    ]
    pairs = [(row["attacker"], row["target"]) for row in state["results"]]
    assert pairs == [("Vex", "Kal"), ("Vex", "Brak"), ("Kal", "Vex"), ("Brak", "Vex")]
    for row in state["results"]:
        verdict = ruled(NECROMUNDA, scene, Check(row["attacker"], row["target"]))
        assert (row["verdict"] or verdict.verdict, row["marginal"]) == (verdict.verdict, verdict.marginal)
        assert row["verdict"] or "ask the desk" in row["ask"]
        measured = verdict.measurement
        if row["verdict"] and measured and measured.counts.total:
            share = measured.counts.occluded / measured.counts.total
            assert abs(row["occluded"] - share) <= row["error"] + measured.error + 1e-9
            assert [blocker["name"] for blocker in row["blockers"]] == [
                blocker.name for blocker, _ in blocker_shares(verdict) if blocker.share
            ]
    visit.page.evaluate("silhouette.move('Vex', [30, 250], 200)")
    vex = next(piece for piece in visit.page.evaluate("silhouette.state()")["pieces"] if piece["name"] == "Vex")
    assert (vex["at"][:2], vex["facing"]) == ([30, 250], 200)
    visit.page.evaluate("silhouette.select('Kal')")
    visit.until("silhouette.state().settled")


NO_WEBGL = "HTMLCanvasElement.prototype.getContext = () => null"


def test_without_webgl_it_judges_all_the_same(report: Path, browser: Browser) -> None:
    with browser.visit(report, before=NO_WEBGL) as visit:
        visit.until("document.documentElement.dataset.view !== undefined")
        assert "cannot show the 3D view" in visit.page.inner_text("#view-missing")
        first = answer(visit)
        assert visit.page.locator("#play-answer").is_visible()
        for part in ("#view-canvas", "#view-check", "#play-turns"):
            assert visit.page.locator(part).is_hidden()
        assert moved(visit, "left")
        assert moved(visit, "back") == first


def test_an_error_of_the_view_is_not_taken_for_a_lack_of_webgl(report: Path, browser: Browser) -> None:
    with browser.visit(report, before="delete window.ResizeObserver") as visit:
        visit.until("document.documentElement.dataset.view !== undefined")
        assert visit.page.inner_text("#view-missing").startswith("Something went wrong in the 3D view.")
        assert answer(visit)


def test_its_help_tells_of_the_keys_that_it_has(visit: Visit) -> None:
    rows = visit.page.locator("#play-keys dt").all_text_contents()
    assert "Arrows" in rows
    assert "N P" in rows
    assert "R" not in rows


def test_keys_move_it_as_the_view_is_turned(visit: Visit) -> None:
    """As on the live table, along the table's axis that is nearest to the key's direction in the view."""
    place = "silhouette.play.pieces[silhouette.play.attacker].at"
    x, y, z = visit.page.evaluate(place)
    visit.page.evaluate("silhouette.viewer.turned(Math.PI, 0)")
    visit.page.locator("#view-canvas").focus()
    for key in ("ArrowLeft", "ArrowUp", "ArrowUp"):
        visit.page.keyboard.press(key)
    assert visit.page.evaluate(place) == pytest.approx([x + 12.7, y - 25.4, z])
    answer(visit)


LOOKS = """() => {
    const { target } = silhouette.stage;
    const { look } = target;
    window.looks = 0;
    target.look = (...how) => ((window.looks += 1), look.apply(target, how));
}"""


@ON_DESKTOP
def test_what_the_eye_sees_is_drawn_anew_where_something_has_moved_alone(visit: Visit) -> None:
    visit.page.evaluate(LOOKS)
    for button, looks in (("#play-left", 1), ("#view-nearer", 1), ("#view-table", 1), ("#play-right", 2)):
        visit.page.click(button)
        visit.until(ANSWERED)
        visit.settled()
        visit.until(f"window.looks === {looks}")
    visit.page.evaluate("silhouette.play.acts.reverse()")
    answer(visit)
    visit.until("window.looks === 3")
    visit.page.evaluate("delete silhouette.stage.target.look")


GANGS = ("Orlock", "Escher")
SHARES = (0.0, 1e-9, 4e-5, 0.0004, 0.123, 1 / 3, 0.4999, 0.49999, 0.5, 0.50001, 2 / 3, 0.9994, 0.99996, 1 - 1e-9, 1.0)


@pytest.mark.parametrize("language", LANGUAGES)
def test_shares_read_as_those_of_the_command(visit: Visit, language: str) -> None:
    """The live table's, and in every language a report's, of the same code."""
    words = PageWords(language)
    shown = visit.page.evaluate(
        "([shares, words, language]) => shares.map((each) => silhouetteViewer.share(each, words, language))",
        [SHARES, viewer_texts(words)["play"], language],
    )
    assert [one.replace("\u00a0", " ") for one in shown] == [
        words.fraction(each).replace("\u00a0", " ") if each else words.number("0 %") for each in SHARES
    ]


def test_lines_and_signs_of_the_others_are_in_the_legend(visit: Visit) -> None:
    """Each verdict has the sign and the line of its level, as on the live table."""
    visit.until("![...document.querySelectorAll('#play-others li')].some((row) => row.textContent.endsWith('…'))")
    rows = visit.page.locator("#play-others li").all_inner_texts()
    signs = {sign: level for level, (_, sign) in LEVEL_SIGNS.items() if sign}
    verdicts = [row.split(": ")[1].split(" ", 1) for row in rows if row.split(": ")[1][0] in signs]
    assert verdicts
    for sign, word in verdicts:
        assert NECROMUNDA.levels[word] is signs[sign]
    legend = visit.page.locator("#play-legend li").all_inner_texts()
    assert set(legend) == {*(f"{sign} {word}" for sign, word in verdicts), *map("Ring and bar of {}".format, GANGS)}
    looks = visit.page.evaluate("silhouette.stage.lines.children.map(({ material }) => material.dashed)")
    assert looks
    assert not visit.page.evaluate("silhouette.stage.view.lines.some(({ colour }) => colour === 'rule')")


LISTED = """(results) => {
    const { play } = silhouette;
    const name = (number) => play.pieces[number].name;
    for (const [index, other] of play.models.filter((number) => number !== play.attacker).entries()) {
        const result = { could: [], blockers: [], share: 0, bound: 0, ...results[index] };
        play.asking.answered([name(play.attacker), name(other)], result);
    }
    return [...document.querySelectorAll('#play-others li')].map(({ textContent }) => textContent);
}"""
DOUBTFUL = [
    {"word": "hidden", "verdict": "hidden", "inArc": 0},
    {"word": "too close to call", "verdict": "full cover", "inArc": 1},
]


def test_what_it_sees_of_the_others_reads_as_on_the_live_table(visit: Visit) -> None:
    """Out of arc is said where the arc alone hides; what is too close to call has its verdict with a question mark."""
    rows = visit.page.evaluate(LISTED, DOUBTFUL)
    assert [row.split(": ")[1] for row in rows] == ["● out of arc", "◕ full cover?"]
    words = "silhouetteViewer.inAWord({ verdict: 'hidden', in_arc: false, marginal: false })"
    assert visit.page.evaluate(words) == "out of arc"
    visit.page.evaluate("document.getElementById('play-attacker').dispatchEvent(new Event('change'))")
    answer(visit)


def test_a_check_that_is_chosen_is_the_pair_that_is_judged(visit: Visit) -> None:
    (check, *_) = load_scene(SCENE).checks
    visit.page.select_option("#play-target", index=0)
    visit.page.evaluate("silhouette.check(0)")
    visit.until(f"document.getElementById('play-answer').textContent.includes('→ {check.target}')")


def test_nothing_is_said_of_a_model_that_looks_at_itself(visit: Visit) -> None:
    visit.page.select_option("#play-target", index=0)
    visit.page.select_option("#play-attacker", index=0)
    visit.until("!silhouette.play.isBusy")
    assert visit.page.locator("#play-answer").inner_text() == ""
    visit.page.select_option("#play-attacker", index=1)
    first, second = (visit.page.evaluate(f"silhouette.play.pieces[silhouette.play.models[{n}]].name") for n in (1, 0))
    assert answer(visit).startswith(f"{first} → {second}: ")


def test_back_to_the_scene_says_what_it_said_first(visit: Visit) -> None:
    first = answer(visit)
    assert moved(visit, "clockwise")
    assert moved(visit, "up")
    assert moved(visit, "back") == first


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(report: Path, browser: Browser, scheme: str) -> None:
    with browser.visit(report, PHONE, color_scheme=scheme) as visit:
        visit.settled()
        visit.until(ANSWERED)
        found = pytest.importorskip("axe_playwright_python.sync_playwright").Axe().run(visit.page)
        assert found.violations_count == 0, found.generate_report()


MIDDLE = """() => {
    const { play, viewer, stage } = silhouette;
    const { min, max } = stage.pieces[play.attacker].body;
    const point = stage.pieces[play.attacker].group.position.clone();
    point.set((min.x + max.x) / 2, (min.y + max.y) / 2, (min.z + max.z) / 2).project(viewer.camera);
    const box = viewer.canvas.getBoundingClientRect();
    return [box.left + box.width * (1 + point.x) / 2, box.top + box.height * (1 - point.y) / 2];
}"""


def test_a_figure_is_dragged_by_hand(visit: Visit) -> None:
    """A press that hardly moves chooses it, and leaves it where it is."""
    visit.page.locator("#view-canvas").scroll_into_view_if_needed()
    x, y = visit.page.evaluate(MIDDLE)
    before = visit.page.evaluate("silhouette.play.pieces[silhouette.play.attacker].at")
    visit.page.mouse.move(x, y)
    visit.page.mouse.down()
    visit.page.mouse.move(x + 2, y)
    assert visit.page.evaluate("silhouette.play.pieces[silhouette.play.attacker].at") == before
    visit.page.mouse.move(x + 20, y + 4, steps=4)
    visit.page.mouse.up()
    after = visit.page.evaluate("silhouette.play.pieces[silhouette.play.attacker].at")
    assert after[2] == before[2]
    assert abs(after[0] - before[0]) + abs(after[1] - before[1]) > 1.0
    visit.settled()
    assert visit.page.evaluate(MIDDLE) == pytest.approx([x + 20, y + 4], abs=6.0)


@ON_DESKTOP
def test_a_figure_is_turned_by_the_wheel_or_with_shift_and_chosen_by_a_click(visit: Visit) -> None:
    visit.page.locator("#view-canvas").scroll_into_view_if_needed()
    place = "(({ at, turn }) => [...at, turn])(silhouette.play.pieces[silhouette.play.attacker])"
    *at, turn = visit.page.evaluate(place)
    x, y = visit.page.evaluate(MIDDLE)
    visit.page.locator("#view-canvas").focus()
    visit.page.mouse.move(x, y)
    visit.page.mouse.wheel(0, -60)
    visit.until(f"{place}[3] === {turn + 15}")
    visit.page.keyboard.down("Shift")
    visit.page.mouse.down()
    visit.page.mouse.move(x + 30, y - 2, steps=3)
    visit.page.mouse.move(x + 30, y - 60, steps=6)
    visit.page.mouse.up()
    *after, turned = visit.page.evaluate(place)
    assert after == at
    assert turned != turn + 15
    assert (turned - turn) % 15 == 0
    target = visit.page.evaluate("silhouette.play.target")
    visit.page.evaluate("document.getElementById('play-target').value = silhouette.play.models.at(-1)")
    visit.page.mouse.click(*visit.page.evaluate(MIDDLE.replace("play.attacker", str(target))))
    visit.page.keyboard.up("Shift")
    assert visit.page.evaluate("silhouette.play.target") == target
    visit.page.mouse.click(*visit.page.evaluate(MIDDLE.replace("play.attacker", str(target))))
    assert visit.page.evaluate("Number(document.getElementById('play-piece').value)") == target
    visit.page.select_option("#play-piece", index=0)
    answer(visit)


def test_two_fingers_turn_a_figure_in_steps(report: Path, browser: Browser) -> None:
    with browser.visit(report, PHONE, has_touch=True) as visit:
        visit.settled()
        visit.until(ANSWERED)
        visit.page.locator("#view-canvas").scroll_into_view_if_needed()
        x, y = visit.page.evaluate(MIDDLE)
        fingers = visit.page.context.new_cdp_session(visit.page)
        first, second, third = (
            {"x": x, "y": y, "id": 1},
            {"x": x + 60, "y": y, "id": 2},
            {"x": x + 50, "y": y - 33, "id": 2},
        )
        for kind, held in (
            ("touchStart", [first]),
            ("touchStart", [first, second]),
            ("touchMove", [first, third]),
            ("touchEnd", [first]),
            ("touchMove", [{**first, "x": x + 40}]),
            ("touchEnd", []),
        ):
            fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": held})
        turned = "silhouette.play.pieces[silhouette.play.attacker]"
        visit.until(f"{turned}.turn")
        assert visit.page.evaluate(f"[{turned}.turn, {turned}.at]") == [
            30,
            visit.page.evaluate(f"[3, 7, 11].map((place) => {turned}.pose[place])"),
        ]
        quiet(visit)


def test_other_games_are_refused_before_anything_is_judged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scene = PROJECT / "scenes" / "ikosa"
    file = sorted(scene.glob("*.toml"))[0]
    assert main(["report", str(file), "--out", str(tmp_path / "page.html"), "--playable"]) == 2
    assert "--playable: a page judges necromunda alone" in capsys.readouterr().err
    assert not (tmp_path / "page.html").exists()


@pytest.mark.parametrize(
    "language", [one if one == "de" else pytest.param(one, marks=pytest.mark.long) for one in LANGUAGES]
)
def test_the_view_from_an_eye_is_called_by_who_looks(language: str, browser: Browser, tmp_path: Path) -> None:
    """Also when another looks than the scene's check says, and in every language."""
    page, words = tmp_path / "report.html", PageWords(language)
    given = ["report", str(SCENE), "--out", str(page), "--pixel", "0.5", "--workers", "1", "--quiet", "--playable"]
    assert main([*given, "--lang", language]) == 0
    with browser.visit(page) as visit:
        visit.settled()
        answer(visit)
        for name, other in (("Kal", "Vex"), ("Vex", "Kal")):
            visit.page.select_option("#play-attacker", label=name)
            visit.page.select_option("#play-target", label=other)
            answer(visit)
            assert visit.page.inner_text("#view-eye") == words.phrase("From {name}'s eye", name=name)
            visit.page.click("#view-eye")
            said = visit.page.inner_text("#view-told")
            seen = words.phrase("Seen from {name}'s eye.", name=name)
            assert said.startswith(f"{seen} {name} → {other}")
            assert "{" not in visit.page.inner_text("#view")
            visit.page.click("#view-table")


@ON_DESKTOP
def test_what_each_blocker_obscures_adds_up_as_printed_or_is_left_out(visit: Visit) -> None:
    """The crate obscures alone, then Brak beside it, then both in the same place: there names stand without shares."""
    told = set[bool]()
    for button in ("left", "right", "right"):
        words = moved(visit, button)
        whole, _, parts = words.partition(", by: ")
        shares = [float(share) for share in re.findall(r"([\d.]+)\s%", parts)]
        if not parts or "±" in whole:
            continue
        (share,) = re.findall(r"([\d.]+)\s%", whole)
        told.add(bool(shares))
        assert not shares or sum(shares) == pytest.approx(float(share), abs=1e-9), words
    assert told == {True, False}
