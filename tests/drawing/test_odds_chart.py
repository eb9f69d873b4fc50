"""DRAW: the figure of a verdict's odds shows all trials, each in the colour of its verdict."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle

from silhouette.doubt.odds import Found, Odds
from silhouette.drawing.animation.words import COLOURS
from silhouette.drawing.odds_chart import BAR, BARS, WIDE, draw_odds
from silhouette.drawing.sheet import Sheet, settings
from silhouette.rules import rule_called
from silhouette.rules.base import Level, RuleReference, Scale, Verdict

LEVELS = rule_called("necromunda").levels
VERDICT = Verdict("Kal", "Vex", "necromunda", "full cover", Level.FULL, RuleReference("Cover", "R15"), "half")


def drawn(levels: list[int], shares: list[float], **said: str) -> tuple[Sheet, list[Rectangle]]:
    """The sheet of trials, and the boxes that are drawn on it."""
    found = Found(np.array(levels).reshape(8, -1), np.array(shares).reshape(8, -1))
    odds = {word: levels.count(number) / len(levels) for number, word in enumerate(LEVELS)}
    one = Odds(odds, 0.02, len(levels), None, said.get("call", "roll off"), "place", found)
    with settings():
        sheet = Sheet(language=said.get("language", "en"))
        draw_odds(sheet, VERDICT, one, LEVELS, Scale((0.0, 0.5, 1.0)))
        sheet.finish()
        return sheet, [patch for patch in sheet.axes.patches if isinstance(patch, Rectangle)]


def test_each_trial_is_in_a_bar_of_its_verdict_on_its_side_of_the_threshold() -> None:
    shares = np.linspace(0.405, 0.615, 64).tolist()
    sheet, boxes = drawn([2 if share >= 0.5 else 1 for share in shares], shares)
    bars = [box for box in boxes if box.get_y() < BARS[1]]
    for level, side in ((Level.PARTIAL, -1), (Level.FULL, 1)):
        colour = "#{:02x}{:02x}{:02x}".format(*COLOURS[level])
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
    assert parts == pytest.approx([0.25 * WIDE, 0.75 * WIDE])


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
