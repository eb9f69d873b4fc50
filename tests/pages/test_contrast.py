"""The colours of pages: every text can be read on what it stands on, in the light and in the dark scheme."""

from __future__ import annotations

import re
from dataclasses import fields

import pytest

from silhouette.drawing.styles import DARK, PRINT, Style
from silhouette.pages.html.page import asset, style_sheet

LEAST = 4.5
"""The ratio that the Web Content Accessibility Guidelines 2.2 ask of text (1.4.3, level AA)."""

GROUNDS = ("paper", "ground")
"""On these stand texts, notes, cards of tables, buttons."""

TEXTS = ("ink", "soft_ink", "blue")
"""Text, small print, links and buttons."""

RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")


def luminance(colour: str) -> float:
    """The relative luminance of ``#rrggbb``, from 0 to 1, as the guidelines define it."""
    channels = [int(colour[at : at + 2], 16) / 255.0 for at in (1, 3, 5)]
    red, green, blue = (one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """The ratio of two colours, from 1 to 21.

    >>> round(contrast("#ffffff", "#000000"), 1), round(contrast("#777777", "#ffffff"), 2)
    (21.0, 4.48)
    """
    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


def colour_of(value: str, style: Style) -> str | None:
    """The colour of a value of the style sheet, ``#rrggbb``; None where it is not one."""
    token = re.fullmatch(r"var\(--([a-z-]+)\)", value)
    if token:
        return str(getattr(style, token[1].replace("-", "_"), None) or "") or None
    short = re.fullmatch(r"#([0-9a-f]{3})", value)
    if short:
        return "#" + "".join(2 * one for one in short[1])
    return value if re.fullmatch(r"#[0-9a-f]{6}", value) else None


@pytest.mark.parametrize("style", [PRINT, DARK], ids=["light", "dark"])
def test_text_can_be_read_on_every_ground(style: Style) -> None:
    for ground in GROUNDS:
        for text in TEXTS:
            assert contrast(getattr(style, text), getattr(style, ground)) >= LEAST, (text, ground)


@pytest.mark.parametrize("style", [PRINT, DARK], ids=["light", "dark"])
def test_text_can_be_read_in_every_rule_with_a_background(style: Style) -> None:
    """Such as the plates of verdicts: the colour of the rule, or the ink, on the background of the rule."""
    seen = set()
    for selector, body in RULE.findall(asset("signs.css") + asset("page.css") + asset("report.css")):
        values = dict(one.split(":", 1) for one in body.split(";") if ":" in one)
        ground = colour_of(values.get("background", ""), style)
        if ground is None or "swatch" in selector or selector.strip() == ".drawing":
            continue
        text = colour_of(values.get("color", "var(--ink)"), style) or style.ink
        assert contrast(text, ground) >= LEAST, (selector, text, ground)
        seen.add(selector.strip())
    assert {".verdict.free", ".verdict.part,.verdict.most", ".verdict.none", "button[aria-pressed=true]"} <= seen


def test_the_style_sheet_has_the_colours_of_both_schemes() -> None:
    for style in (PRINT, DARK):
        for field in fields(style):
            assert f"--{field.name.replace('_', '-')}:{getattr(style, field.name)};" in style_sheet()
