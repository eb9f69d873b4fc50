"""Reports and the pages of a site in four languages: nothing of them stays English but what is marked as such."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from gettext import NullTranslations
from html import unescape
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("matplotlib")

from silhouette.drawing.words.words import ROUNDED_SHARE_WORDS, Words
from silhouette.files.cache import Cache
from silhouette.judging import load_scene
from silhouette.pages.report import words as report_words
from silhouette.pages.report.words import PageWords
from silhouette.pages.site.games import gallery_page, games_page
from silhouette.pages.site.own import own_page
from silhouette.pages.site.tables import judged_tables, packed_table, table_page
from silhouette.pages.tutorial.parts import TutorialRun
from silhouette.renderers import choose
from silhouette.rules import RULES, rule_called
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
    r"\b(Silhouette|mm|px|layers|reference|embree|glb|stl|obj|xyz|three\.js|[\w.]+\.(glb|stl)|"
    r"Deutsch|English|Español|Français|cm|inch)\b"
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
    assert_nothing_english(page.read_text(encoding="utf-8"), names)


def assert_nothing_english(html: str, names: set[str]) -> None:
    """Nothing of a German page is left but what is translated, names, and what is in no language."""
    assert '<html lang="de">' in html
    for text in texts_of(html):
        left = without_brackets(text)
        for name in sorted(names, key=len, reverse=True):
            left = left.replace(name, "")
        left = IN_NO_LANGUAGE.sub("", left)
        assert not re.search(r"[A-Za-z]{2}", left), f"not translated: {text!r}"


@pytest.mark.slow
def test_nothing_of_a_site_s_pages_stays_english(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also of what its scripts say: every text of the data for them."""
    pytest.importorskip("babel")
    from tests.catalogues import page_texts

    phrases = {message.id for message in page_texts() if isinstance(message.id, str)}
    monkeypatch.setattr(report_words, "translations", lambda package, language: Bracketed(phrases))
    file, words = SCENES / "necromunda/two_blockers.toml", PageWords("de")
    run = TutorialRun(SCENES, choose("auto"), Cache.default(), 1, pixel=1.0)
    (shown,) = judged_tables([file], run)
    shown = replace(shown, path="index.html")
    pages = [table_page(packed_table(shown, run), {shown.path: shown.title}, words), own_page(shown.scene, words)]
    pages += [games_page([], words), gallery_page([], {"crate": ("crate.webp", shown.scene.pieces[0].model)}, words)]
    verdicts = {Words("de", name).verdict(verdict) for name in RULES for verdict in rule_called(name).levels}
    names = {shown.title, file.name, "crate", *RULES, *(rule_called(name).title for name in RULES)}
    names |= {piece.name for piece in shown.scene.pieces} | {piece.gang or "" for piece in shown.scene.pieces}
    for page in pages:
        assert_nothing_english(page.written(), names | verdicts)
        told = page.data or {}
        own, stage = told.get("own", {}), told.get("stage", {})
        asides = own.get("play", {}) if "words" not in own else {}  # else it is what the judge needs
        for texts in (told.get("offline-words", {}), stage.get("words", {}), own.get("own", {}), asides):
            for text in spoken(texts):
                assert not re.search(r"[A-Za-z]{2}", without_brackets(text)), f"not translated: {text!r}"


def spoken(texts: dict[str, Any]) -> Iterator[str]:
    """What scripts say; without what is in the catalogues of figures and games, which have tests of their own."""
    elsewhere = {*rule_called("necromunda").levels, *ROUNDED_SHARE_WORDS}
    for key, value in texts.items():
        if isinstance(value, dict):
            yield from spoken(value)
        elif key not in elsewhere:
            yield value


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
