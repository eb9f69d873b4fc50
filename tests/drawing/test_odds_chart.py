"""DRAW: the figure of a verdict's odds shows all trials, each in the colour of its verdict."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle

from silhouette.drawing.odds_chart import BAR, BARS, CHART_WIDTH, draw_odds, figures_of_odds
from silhouette.drawing.sheet import Sheet, settings
from silhouette.drawing.styles import LEVEL_COLOURS
from silhouette.judging import JudgingOptions, judge_all, load_scene
from silhouette.judging.monte_carlo import Odds, TrialOutcomes
from silhouette.renderers import choose
from silhouette.rules import rule_called
from silhouette.rules.base import Level, RuleReference, Verdict, VerdictScale
from silhouette.scenes.entries import LengthUnits
from silhouette.scenes.table import TableScene
from tests.conftest import PROJECT
from tests.support.commands import run

LEVELS = rule_called("necromunda").levels
VERDICT = Verdict("Kal", "Vex", "necromunda", "full cover", Level.FULL, RuleReference("Cover", "R15"), "half")


def drawn(levels: list[int], shares: list[float], **said: str) -> tuple[Sheet, list[Rectangle]]:
    """The sheet of trials, and the boxes that are drawn on it."""
    found = TrialOutcomes(np.array(levels).reshape(8, -1), np.array(shares).reshape(8, -1))
    odds = {word: levels.count(number) / len(levels) for number, word in enumerate(LEVELS)}
    one = Odds(odds, 0.02, len(levels), None, said.get("call", "roll off"), "place", found)
    with settings():
        sheet = Sheet(language=said.get("language", "en"))
        draw_odds(sheet, VERDICT, one, LEVELS, VerdictScale((0.0, 0.5, 1.0)))
        sheet.finish()
        return sheet, [patch for patch in sheet.axes.patches if isinstance(patch, Rectangle)]


def test_each_trial_is_in_a_bar_of_its_verdict_on_its_side_of_the_threshold() -> None:
    shares = np.linspace(0.405, 0.615, 64).tolist()
    sheet, boxes = drawn([2 if share >= 0.5 else 1 for share in shares], shares)
    bars = [box for box in boxes if box.get_y() < BARS[1]]
    for level, side in ((Level.PARTIAL, -1), (Level.FULL, 1)):
        colour = "#{:02x}{:02x}{:02x}".format(*LEVEL_COLOURS[level])
        mine = [bar for bar in bars if to_hex(bar.get_facecolor()) == colour]
        (line,) = {line.get_xdata()[0] for line in sheet.axes.lines if line.get_linestyle() == "--"}
        assert all(side * (bar.get_x() + bar.get_width() / 2 - line) > 0.0 for bar in mine)
    tallest = BARS[1] - BARS[0]
    one = min(bar.get_height() for bar in bars)
    assert sum(round(bar.get_height() / one) for bar in bars) == 64
    assert max(bar.get_height() for bar in bars) <= tallest + 1e-9
    assert sheet.title == "Kal → Vex: roll off"
    assert "Dashed" in sheet.about


def test_the_bar_of_the_odds_is_as_wide_as_they_are() -> None:
    _, boxes = drawn([0] * 8 + [3] * 24, [0.0] * 8 + [1.0] * 24)
    parts = [box.get_width() for box in boxes if box.get_y() >= BAR[0]]
    assert parts == pytest.approx([0.25 * CHART_WIDTH, 0.75 * CHART_WIDTH])


@pytest.mark.thinned(quick=51)
@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("few", [1, 3, 5, 9, 16, 24, 32])
def test_words_lie_within_their_part_of_the_bar(few: int, language: str) -> None:
    sheet, boxes = drawn([1] * few + [2] * (64 - few), np.linspace(0.4, 0.6, 64).tolist(), language=language)
    ends = {round(x, 6) for box in boxes if box.get_y() >= BAR[0] for x in (box.get_x(), box.get_x() + box.get_width())}
    told = [text for text in sheet.axes.texts if text.get_position()[1] > BAR[0]]
    for text in told:
        extent = text.get_window_extent().transformed(sheet.axes.transData.inverted())
        assert max(end for end in ends if end < text.get_position()[0]) <= extent.x0
        assert min(end for end in ends if end > text.get_position()[0]) >= extent.x1
    assert len(told) == (1 if few < 3 else 2)


def test_numbers_are_written_as_the_language_writes_them() -> None:
    sheet, _ = drawn([1] * 2047 + [2], np.linspace(0.0, 0.0001, 2048).tolist(), call="partial cover", language="de")
    numbers = dict.fromkeys(text.get_text() for text in sheet.axes.texts if "%" in text.get_text())
    assert list(numbers) == ["0 %", "0,5 %", "1 %", "1,5 %", "2 %"]
    told = f"{sheet.reason} {sheet.about}"
    assert "Teildeckung (partial cover) über 99." in told
    assert "2048 Versuche" in told
    assert "auf 2,0 % sicher" in told


def test_where_the_arc_alone_decides_there_are_no_shares_to_show() -> None:
    sheet, boxes = drawn([3] * 8, [np.nan] * 8, call="hidden", language="de")
    assert [box.get_y() for box in boxes] == [BAR[0]]
    assert sheet.title == "Kal → Vex: verborgen (hidden)"


@pytest.mark.long
def test_draw_tells_the_call_where_it_draws_odds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "duel.toml"
    file.write_text("""
        rules = "necromunda"
        doubt = { place = 2.0 }
        fighter = [
          { name = "Kal", at = [0, 0], facing = 90, parts = [{ box = [12, 12, 30] }], eye = [0, 6, 15] },
          { name = "Vex", at = [0, 200], parts = [{ box = [12, 12, 30] }] },
        ]
        terrain = [{ name = "wall", at = [-30, 185], parts = [{ box = [60, 5, 40] }] }]
        check = [{ attacker = "Kal", target = "Vex" }]
    """)
    ran = run(capsys, "draw", file, "--figure", "odds", "--out", tmp_path / "figures")
    assert ran.status == 0
    assert ran.out.splitlines()[0] == "Kal to Vex: roll off, as measured too close to call"
    assert [path.name for path in (tmp_path / "figures").iterdir()] == ["01-kal-vex-odds.svg"]


@pytest.mark.parametrize(
    ("units", "deviations"),
    [("mm", "places off by 1 mm, facings by 2°"), ("inch", 'places off by 0.039", facings by 2°')],
)
def test_a_figure_of_odds_says_what_was_assumed(units: LengthUnits, deviations: str) -> None:
    scene = load_scene(PROJECT / "scenes/necromunda/skirmish.toml")
    assert isinstance(scene, TableScene)
    (result,) = judge_all([(scene, scene.checks[0])], JudgingOptions(choose("reference"), pixel=1.0))
    trials = TrialOutcomes(np.ones((8, 4), dtype=int), np.full((8, 4), 0.42))
    odds = Odds({"open": 0.0, "partial cover": 1.0}, 0.02, 32, None, "partial cover", "place", trials)
    (figure,) = figures_of_odds(replace(scene, unit_of_places=units), replace(result, odds=odds))
    with settings():
        sheet = Sheet()
        figure.draw(sheet)
    assert f"Assumed, one standard deviation each: {deviations}." in sheet.notes
