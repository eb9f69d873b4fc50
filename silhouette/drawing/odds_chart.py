"""DRAW: the odds of a verdict as parts of a whole, and its trials by obscured share, coloured by their verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from silhouette.drawing import plotting, typeface
from silhouette.drawing.captions import HAIRLINE_PT, SMALL_PT, THIN_LINE_PT
from silhouette.drawing.captions import NAME_PT as NAMED
from silhouette.drawing.sheet import Figure, Sheet
from silhouette.drawing.styles import LEVEL_COLOURS, hexadecimal, ink_on
from silhouette.drawing.words.words import Words, assumed_in_words, noted
from silhouette.judging import Judged
from silhouette.judging.calls import ROLL_OFF, by_odds, hundredths
from silhouette.judging.monte_carlo import Odds
from silhouette.rules import rule_called
from silhouette.rules.base import Level, Verdict, VerdictScale
from silhouette.scenes.scene import Scene
from silhouette.scenes.table import TableScene

ODDS_FIGURE = "odds"  # the name of the figure
CHART_WIDTH, CHART_HEIGHT = 100.0, 52.0  # the drawing, in hundredths of its width
CHART_MARGIN = 4.0  # free room on both sides, for the numbers at the ends
BAR, BARS = (42.0, 51.0), (7.0, 38.0)  # height at which the bar of the odds begins and ends, and the bars of the trials
HISTOGRAM_BINS = 50  # the bars of the trials
# mm free on both sides of words in the bar: a part too narrow for a name has its number, or nothing.
BAR_TEXT_MARGIN = 1.0
SPARE = 0.15  # free room on both sides of the shares, as a part of their range; and the least range itself

LEVEL_HATCHES: Mapping[Level, str | None] = {
    Level.CLEAR: None,
    Level.PARTIAL: "...",
    Level.FULL: "////",
    Level.BLOCKED: None,
}
"""The hatch of each level, so that a copy in grey tells the same."""

DOUBT_PHRASES: Mapping[str, str] = {  # the phrase for each doubt that may weigh most
    "place": "from place",
    "facing": "from facing",
    "eye": "from eye",
    "surface": "from surface",
    "measuring": "from measuring",
}


def figures_of_odds(scene: Scene, judged: Judged) -> list[Figure]:
    """The figure of a verdict's odds, with what was assumed of the scene; none where they were not worked out."""
    verdict, odds, rule = judged.verdict, judged.odds, rule_called(scene.rules)
    if odds is None:
        return []
    assert isinstance(scene, TableScene), "each game with odds has models on a table"
    return [Figure(ODDS_FIGURE, lambda sheet: draw_odds(sheet, verdict, odds, rule.levels, rule.scale(scene), scene))]


def draw_odds(
    sheet: Sheet,
    verdict: Verdict,
    odds: Odds,
    levels: Mapping[str, Level],
    scale: VerdictScale,
    scene: TableScene | None = None,
) -> None:
    """Draws the odds of a verdict on a sheet, with the level of each verdict, from exposed to covered, and with what
    was assumed, where the scene is given.
    """
    sheet.frame(-CHART_MARGIN, 0.0, CHART_WIDTH + CHART_MARGIN, CHART_HEIGHT, ground=sheet.style.paper, line=False)
    words, shares = sheet.words.of(verdict.rules), odds.outcomes.shares.ravel()
    _draw_bar(sheet, odds, levels, words)
    trials = words("trials", count=odds.trials, target=verdict.target)
    if not np.isnan(shares).all() and _draw_trials(sheet, odds, levels, scale):
        trials += f" {words('changes')}"
    call = words("roll off") if odds.call == ROLL_OFF else words.verdict(odds.call)
    parts = ", ".join(_named(words, word, part) for word, part in by_odds(odds.odds))
    title = words("title", attacker=verdict.attacker, target=verdict.target, verdict=call)
    if odds.call == verdict.verdict and verdict.in_arc is False:
        title = words("out of arc", title=title)
    sheet.caption(noted(words, title, verdict), words("odds", odds=parts))
    sheet.note(trials)
    if scene is not None:
        sheet.note(assumed_in_words(words, scene))
    error = words.number(f"{100.0 * odds.error:.1f} %")
    sheet.note(f"{words('sure', error=error)} {words(DOUBT_PHRASES[odds.doubt_from])}")


def _draw_bar(sheet: Sheet, odds: Odds, levels: Mapping[str, Level], words: Words) -> None:
    left, (bottom, top) = 0.0, BAR
    for verdict, part in odds.odds.items():
        if part:
            level = levels[verdict]
            fill, ink = (hexadecimal(colour) for colour in (LEVEL_COLOURS[level], ink_on(LEVEL_COLOURS[level])))
            _box(sheet, level, left, bottom, CHART_WIDTH * part, top - bottom)
            texts = (_named(words, verdict, part), _in_hundred(words, part))
            fitting = [text for text in texts if sheet.paper(_wide(text)) <= CHART_WIDTH * part]
            if fitting:
                sheet.axes.text(
                    left + CHART_WIDTH * part / 2, (bottom + top) / 2, fitting[0],
                    ha="center", va="center_baseline", color=ink, parse_math=False,
                    fontproperties=typeface.face(NAMED, True),
                    bbox={"boxstyle": "round,pad=0.2", "facecolor": fill, "edgecolor": "none"},
                )  # fmt: skip
        left += CHART_WIDTH * part


def _named(words: Words, verdict: str, part: float) -> str:
    return f"{words.verdict(verdict)} {_in_hundred(words, part)}"


def _in_hundred(words: Words, part: float) -> str:
    return hundredths(part, words("nearly all"))


def _wide(text: str) -> float:
    return typeface.width(text, NAMED, True) + 2.0 * BAR_TEXT_MARGIN


def _draw_trials(sheet: Sheet, odds: Odds, levels: Mapping[str, Level], scale: VerdictScale) -> bool:
    """Trials by obscured share, verdict on verdict. Whether a share at which the verdict changes is among them."""
    shares, (bottom, top) = odds.outcomes.shares.ravel(), BARS
    least, most = float(np.nanmin(shares)), float(np.nanmax(shares))
    spare = SPARE * max(most - least, SPARE)
    low, high = max(0.0, least - spare), min(1.0, most + spare)
    marks = [mark for mark in scale.marks if low < mark < high]
    # A bar ends where the verdict changes; the last one may reach beyond.
    wide = (high - low) / HISTOGRAM_BINS
    edges = (low + wide * np.arange(HISTOGRAM_BINS + 2) - ((low - marks[0]) % -wide if marks else 0.0)).astype(
        np.float64
    )
    inside = np.minimum(shares, high - wide / 2)  # so is what is wholly obscured
    counts = np.array([
        np.histogram(inside[odds.outcomes.levels.ravel() == number], edges)[0] for number in range(len(levels))
    ])  # fmt: skip
    tall = (top - bottom) / max(1, int(counts.sum(axis=0).max()))
    x = CHART_WIDTH * np.clip((edges - low) / (high - low), 0.0, 1.0)
    below = np.full(len(edges) - 1, bottom)
    for level, count in zip(levels.values(), counts, strict=True):
        for number in np.flatnonzero(count).tolist():
            left, wide = x[number], x[number + 1] - x[number]
            _box(sheet, level, float(left), float(below[number]), float(wide), float(tall * count[number]))
        below = below + tall * count
    sheet.axes.plot([0.0, CHART_WIDTH], [bottom, bottom], color=sheet.style.soft_ink, linewidth=THIN_LINE_PT)
    for mark in marks:
        place = CHART_WIDTH * (mark - low) / (high - low)
        sheet.axes.plot(
            [place] * 2, [bottom, top + 2.0], color=sheet.style.ink, linewidth=2 * THIN_LINE_PT, linestyle="--"
        )
    for share in _ticks(low, high):
        place = CHART_WIDTH * (share - low) / (high - low)
        sheet.axes.plot([place] * 2, [bottom, bottom - 0.8], color=sheet.style.soft_ink, linewidth=THIN_LINE_PT)
        sheet.text(place, bottom - 3.0, sheet.words.number(f"{100.0 * share:g} %"), size=SMALL_PT, ha="center")
    return bool(marks)


def _ticks(low: float, high: float) -> list[float]:
    """Round shares between two others, about five of them.

    >>> _ticks(0.41, 0.59)
    [0.45, 0.5, 0.55]
    """
    step = next(step for step in (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2) if (high - low) / step <= 5.5)
    numbers = np.arange(np.ceil(low / step - 1e-9), np.floor(high / step + 1e-9) + 1.0)
    return [round(float(number * step), 6) + 0.0 for number in numbers]


def _box(sheet: Sheet, level: Level, left: float, bottom: float, wide: float, high: float) -> None:
    look: dict[str, Any] = {
        "facecolor": hexadecimal(LEVEL_COLOURS[level]),
        "edgecolor": hexadecimal(ink_on(LEVEL_COLOURS[level])),
        "hatch": LEVEL_HATCHES[level],
    }
    if level is Level.BLOCKED:  # which is as dark as a dark page
        look |= {"edgecolor": sheet.style.soft_ink, "linewidth": HAIRLINE_PT}
    sheet.axes.add_patch(plotting.patches.Rectangle((left, bottom), wide, high, **{"linewidth": 0.0, **look}))
