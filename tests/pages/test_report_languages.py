"""A report in four languages: nothing of the page stays English but what is marked as such."""

from __future__ import annotations

import re
from gettext import NullTranslations
from html import unescape
from pathlib import Path

import pytest

pytest.importorskip("matplotlib")

from silhouette.drawing.words.words import Words
from silhouette.judging import load_scene
from silhouette.pages.report import words as report_words
from silhouette.rules import rule_called
from silhouette.scenes.table import TableScene
from tests.conftest import PROJECT
from tests.support.commands import QUICK, run

SCENES = PROJECT / "scenes"
GAMES = (
    ("necromunda/two_blockers", "--map", "Kal"),
    ("necromunda/example_3_vehicle_in_partial_cover",),
    ("crisis_protocol/in_cover",),
    ("tide_of_iron/hex_edge_clear",),
    ("ikosa/round_a_corner",),
    ("bolt_action_3/example",),
)
IN_NO_LANGUAGE = re.compile(
    r"\b(Silhouette|mm|px|layers|reference|embree|glb|stl|obj|xyz|three\.js|[\w.]+\.(glb|stl))\b"
)


class Bracketed(NullTranslations):
    """A language in which each phrase of a catalogue is itself, in brackets that nothing else has."""

    def __init__(self, phrases: set[str]) -> None:
        super().__init__()
        self.phrases = phrases

    def pgettext(self, context: str, message: str) -> str:
        return f"⟦{message}⟧" if message in self.phrases else message

    def npgettext(self, context: str, msgid1: str, msgid2: str, n: int) -> str:
        return f"⟦{msgid1 if n == 1 else msgid2}⟧"


def texts_of(html: str) -> list[str]:
    """What a page says, in its elements and in attributes for screen readers; without figures, the scene's file, the
    reasons, which are those of figures, and what is marked as English.
    """
    shown = re.sub(r"<(script|style|pre|svg|code|title)\b.*?</\1>", "", html, flags=re.DOTALL)
    shown = re.sub(r'<(\w+)[^>]* (?:lang="en"|class="reason")[^>]*>.*?</\1>', "", shown, flags=re.DOTALL)
    attributes = re.findall(r' (?:aria-label|title|data-label|alt)="([^"]*)"', shown)
    return [unescape(text) for text in (*re.findall(r">([^<]+)<", shown), *attributes)]


def without_brackets(text: str) -> str:
    """A text without its translated parts, also those in one another."""
    while (inner := re.sub(r"⟦[^⟦⟧]*⟧", "", text)) != text:
        text = inner
    return text


@pytest.mark.thinned(quick=2, ci=3)
@pytest.mark.parametrize("given", GAMES, ids=lambda given: given[0])
def test_nothing_of_a_page_stays_english(
    given: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("babel")
    from tests.catalogues import page_texts

    phrases = {message.id for message in page_texts() if isinstance(message.id, str)}
    monkeypatch.setattr(report_words, "translations", lambda package, language: Bracketed(phrases))
    file, options, page = SCENES / f"{given[0]}.toml", given[1:], tmp_path / "report.html"
    run(capsys, "report", file, "--out", page, "--lang", "de", *options, *QUICK)
    scene = load_scene(file)
    rule = rule_called(scene.rules)
    names = {scene.title, scene.rules, rule.title, file.name}
    names |= {name for check in scene.checks for name in (check.attacker, check.target)}
    names |= {Words("de", scene.rules).verdict(verdict) for verdict in rule.levels}
    names |= {row[0] for row in rule.pieces(scene).rows}
    if isinstance(scene, TableScene):
        names |= {piece.gang for piece in scene.pieces if piece.gang}
    html = page.read_text(encoding="utf-8")
    assert '<html lang="de">' in html
    for text in texts_of(html):
        left = without_brackets(text)
        for name in sorted(names, key=len, reverse=True):
            left = left.replace(name, "")
        left = IN_NO_LANGUAGE.sub("", left)
        assert not re.search(r"[A-Za-z]{2}", left), f"not translated: {text!r}"


@pytest.mark.parametrize(("language", "heading"), [("de", "Urteile"), ("fr", "Verdicts"), ("es", "Veredictos")])
def test_a_page_speaks_the_language_of_its_figures(
    language: str, heading: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "report.html"
    run(capsys, "report", SCENES / "tide_of_iron/hex_edge_clear.toml", "--out", page, "--lang", language, *QUICK)
    html = page.read_text(encoding="utf-8")
    assert f'<html lang="{language}">' in html
    assert f"<h2>{heading}</h2>" in html
    assert "The table in 3D" not in re.sub(r"<script.*?</script>", "", html, flags=re.DOTALL)
