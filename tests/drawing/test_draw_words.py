"""The words of figures: in every language all of them, with the same names and numbers in them."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from string import Formatter
from xml.etree import ElementTree

import pytest

pytest.importorskip("matplotlib")

from silhouette.cli.app import main
from silhouette.drawing import typeface
from silhouette.drawing.sheet import settings
from silhouette.drawing.words.phrases import PHRASES, VERDICTS
from silhouette.drawing.words.reasons import why
from silhouette.drawing.words.words import LANGUAGES, Words
from silhouette.errors import RequestError
from silhouette.judging import Selection, judged, load_scene
from silhouette.renderers.reference import ReferenceRenderer
from silhouette.rules.crisis_protocol import judge as crisis_protocol
from silhouette.rules.ikosa import judge as ikosa
from silhouette.rules.necromunda import judge as necromunda
from silhouette.rules.skirmishcorps import shooting
from silhouette.rules.skirmishcorps.classes import CLASSES
from silhouette.rules.tide_of_iron import judge as tide_of_iron
from silhouette.rules.tide_of_iron.hexes import in_words

PROJECT = Path(__file__).resolve().parents[2]
SVG = "{http://www.w3.org/2000/svg}"

COMPOSED = {
    *(f"band {kind}" for kind in CLASSES),
    *("range 1", "range 2", "range 1 here", "range 2 here"),
    *(f"why {cause}" for cause in (*tide_of_iron.CAUSES, "one side clear")),
    *("woods", "building", "smoke", "left", "right", "blind", "plateau", "hidden"),
}
"""Phrases whose keys are put together, or come from a verdict."""


@pytest.mark.parametrize("key", PHRASES)
def test_every_language_has_every_phrase_with_the_same_placeholders(key: str) -> None:
    phrases = PHRASES[key]
    assert len(phrases) == len(LANGUAGES)
    placeholders = [sorted(name for _, name, _, _ in Formatter().parse(one) if name is not None) for one in phrases]
    assert all(one == placeholders[0] for one in placeholders), phrases
    assert all(one.strip() for one in phrases)


def test_every_verdict_of_every_system_has_a_word_in_every_language() -> None:
    verdicts = {
        *necromunda.VERDICTS,
        *shooting.VERDICTS,
        *tide_of_iron.VERDICTS,
        *("hidden", "cover", "open"),
        *("no cover", "cover", "no line of effect"),
    }
    assert crisis_protocol.CRISIS_PROTOCOL.name == "crisis-protocol"
    assert ikosa.IKOSA.name == "ikosa"
    assert set(VERDICTS) == verdicts
    for verdict, others in VERDICTS.items():
        assert len(others) == len(LANGUAGES) - 1
        for language in LANGUAGES[1:]:
            assert verdict in Words(language).verdict(verdict), "the rules' own word stays"


def test_every_phrase_is_drawn_somewhere_and_no_other() -> None:
    literals = set()
    for file in [*(PROJECT / "silhouette/drawing").rglob("*.py"), *(PROJECT / "silhouette/rules").rglob("*.py")]:
        if not file.name.endswith("phrases.py"):
            tree = ast.parse(file.read_text(encoding="utf-8"))
            literals |= {one.value for one in ast.walk(tree) if isinstance(one, ast.Constant)}
    assert set(PHRASES) - COMPOSED <= literals
    assert set(PHRASES) >= COMPOSED


def test_no_word_stands_in_the_code_of_a_figure() -> None:
    """Legends and notes take what they say from the table."""
    for file in [*(PROJECT / "silhouette/drawing").rglob("*.py"), *(PROJECT / "silhouette/rules").rglob("*.py")]:
        for call in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call) and getattr(call.func, "attr", getattr(call.func, "id", "")) in (
                "Swatch",
                "_Swatch",
                "note",
            ):
                assert not any(isinstance(one, ast.Constant) and isinstance(one.value, str) for one in call.args[:1]), (
                    f"{file.name}:{call.lineno}"
                )


def test_the_type_has_every_sign_of_every_phrase() -> None:
    with settings():
        for phrases in (*PHRASES.values(), *VERDICTS.values()):
            for one in phrases:
                plain = " ".join(re.sub(r"\{[^}]*\}", "", one).split())
                assert typeface.printable(plain) == plain


def test_an_unknown_language_is_one_line_that_lists_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(RequestError, match="the languages are en, de, fr, es"):
        Words("it")
    scene = PROJECT / "scenes" / "ikosa" / "face_to_face.toml"
    assert main(["draw", str(scene), "--out", str(tmp_path / "out"), "--lang", "klingon"]) == 2
    assert capsys.readouterr().err == "error: no language 'klingon'; the languages are en, de, fr, es\n"
    assert not (tmp_path / "out").exists()


SPOKEN = [
    ("necromunda/example_2_partial_cover", "de", ["Kal → Vex: Teildeckung (partial cover)", "42 % von Vex verdeckt:"]),
    ("necromunda/example_2_partial_cover", "es", ["visto", "oculto", "se interpone"]),
    ("skirmishcorps/elevation", "fr", ["couvert bas (low cover), \N{MINUS SIGN}2 pour toucher", "très bas"]),
    ("crisis_protocol/in_cover", "de", ["gibt Deckung", "Range 1 um Captain Marvel: 70 mm"]),
    ("tide_of_iron/same_elevation", "fr", ["ligne bloquée", "bois", "caché (hidden)"]),
    ("ikosa/round_a_corner", "es", ["líneas bloqueadas: 2", "gravedad"]),
]


@pytest.mark.parametrize(("name", "language", "words"), SPOKEN, ids=lambda one: str(one).replace("/", "-")[:24])
def test_a_figure_speaks_its_language(name: str, language: str, words: list[str], tmp_path: Path) -> None:
    scene = PROJECT / "scenes" / f"{name}.toml"
    options = ["--lang", language, "--check", "1", "--pixel", "0.3", "--no-cache"]
    assert main(["draw", str(scene), "--out", str(tmp_path), *options]) == 0
    files = sorted(tmp_path.iterdir())
    said = " ".join("".join(text.itertext()) for file in files for text in ElementTree.parse(file).iter(f"{SVG}text"))
    for word in words:
        assert word in said
    if language != "en" and "necromunda" in name:
        assert re.search(r"± \d+,\d+ %", said)
        assert not re.search(r"\d\.\d", said)


def test_addresses_are_the_same_in_every_language() -> None:
    assert {Words(language)("address", q=2, r=-1) for language in LANGUAGES} == {in_words((2, -1)).strip("[]")}


@pytest.mark.parametrize("system", ["crisis_protocol", "ikosa", "tide_of_iron"])
@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_reasons_of_boards_are_told_in_every_language(system: str, language: str) -> None:
    """Whoever is asked about, and what is in the way, is named as the verdict names it."""
    words = Words(language)
    for file in sorted((PROJECT / "scenes" / system).glob("*.toml")):
        scene = load_scene(file)
        for check in Selection().checks(scene):
            row = judged(scene, check, ReferenceRenderer()).row()
            told = why(words, row)
            assert told.endswith(".")
            assert told != why(Words(), row)
            if system == "crisis_protocol":
                named = [row["attacker"], row["target"], *row["cover_from" if row["cover"] else "blockers"]]
                assert all(name in told for name in named)
            elif system == "ikosa":
                assert {str(row["lines"]), str(row["blocked"])} <= set(re.findall(r"\d+", told))
            elif row["cause"] == "blind_hex":
                lower = "target" if row["elevations"][0] > row["elevations"][1] else "attacker"
                assert told.lower().startswith(str(row[lower]).lower())
            elif row["obstruction"] is not None and not (row["line_of_sight"] or row["along_edge"]):
                assert str(row["obstruction"]) in told


@pytest.mark.parametrize(("rule", "said"), [("A7", "in derselben Zelle"), ("R12", "keine Linien gezogen")])
def test_where_no_line_is_drawn_the_reason_says_why_not(rule: str, said: str) -> None:
    row = {"rules": "ikosa", "attacker": "ogre", "target": "goblin", "lines": 0, "blocked": 0, "rule_number": rule}
    assert said in why(Words("de"), {**row, "gravity_face_excluded": False})


@pytest.mark.parametrize(("rule", "said"), [("R14", "Deckung durch: barrier"), ("R15", "eine Karte")])
def test_cover_by_a_card_is_not_told_as_that_of_terrain(rule: str, said: str) -> None:
    row = {"rules": "crisis-protocol", "attacker": "Zemo", "target": "Marvel", "line_of_sight": True, "cover": True}
    assert said in why(Words("de"), {**row, "cover_from": ["barrier"], "rule_number": rule})
