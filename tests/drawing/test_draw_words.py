"""The words of figures: in every language all of them, with the same names and numbers in them."""

from __future__ import annotations

import ast
import re
from fractions import Fraction
from itertools import product
from pathlib import Path
from string import Formatter
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from silhouette.cli.app import main
from silhouette.common.errors import RequestError
from silhouette.drawing import typeface
from silhouette.drawing.sheet import settings
from silhouette.drawing.words.words import LANGUAGES, PHRASES, Words, why
from silhouette.judging import JudgingOptions, Selection, judge_all, load_scene
from silhouette.renderers.reference import ReferenceRenderer
from silhouette.rules import RULES, rule_called
from silhouette.rules.base import Phrase, RuleReference
from silhouette.rules.crisis_protocol.judge import CrisisProtocolVerdict
from silhouette.rules.fields import Blocker
from silhouette.rules.ikosa.judge import CornerLines, IkosaVerdict
from silhouette.rules.necromunda import judge as necromunda
from silhouette.rules.skirmishcorps.classes import CLASSES
from silhouette.rules.tide_of_iron import judge as tide_of_iron
from silhouette.rules.tide_of_iron.hexes import in_words
from tests.support.games import BY_CODE, FILES

if TYPE_CHECKING:
    from babel.messages.catalog import Message
from tests.support.figures import drawn, texts

PROJECT = Path(__file__).resolve().parents[2]
SVG = "{http://www.w3.org/2000/svg}"

COMPOSED = {
    *(f"band {kind}" for kind in CLASSES),
    *("range 1", "range 2", "range 1 here", "range 2 here"),
    *(f"why {cause}" for cause in (*tide_of_iron.CAUSES, "one side clear")),
    *("woods", "building", "smoke", "left", "right", "blind", "plateau", "hidden"),
}
"""Phrases whose keys are put together, or come from a verdict."""


def messages() -> list[tuple[str, Message]]:
    """Every message of every .po file, with the file's name for people."""
    pytest.importorskip("babel")
    from tests.catalogues import read, sources

    return [
        (f"{folder.parent.name}, {language}, {message.context}", message)
        for folder in sources()
        for language in LANGUAGES[1:]
        for message in read(folder / f"{language}.po")
        if message.id
    ]


def test_every_phrase_and_verdict_is_translated_into_every_language_and_no_other() -> None:
    pytest.importorskip("babel")
    from tests.catalogues import read, sources

    assert len(sources()) == 2 + len(set(RULES.values()))
    for folder, template in sources().items():
        wanted = {(message.context, message.id) for message in template if message.id}
        for language in LANGUAGES[1:]:
            found = [message for message in read(folder / f"{language}.po") if message.id]
            assert {(message.context, message.id) for message in found} == wanted, "python -m tests.catalogues"
    for name, message in messages():
        assert not message.fuzzy, name
        assert all(text.strip() for text in _several(message.string)), name


def test_what_is_put_into_a_phrase_is_the_same_in_every_language() -> None:
    for name, message in messages():
        placeholders = {_placeholders(text) for text in (*_several(message.id), *_several(message.string))}
        assert len(placeholders) == 1, name
        for sign in '"%':
            assert len({text.count(sign) for text in (*_several(message.id), *_several(message.string))}) == 1, name


def test_what_is_compiled_is_what_the_translators_wrote() -> None:
    pytest.importorskip("babel")
    from tests.catalogues import compiled, messages_in, read, sources

    for folder in sources():
        files = {file.name for file in folder.iterdir()}
        assert files == {f"{language}{ending}" for language in LANGUAGES[1:] for ending in (".po", ".mo")}
        for language in LANGUAGES[1:]:
            wanted = messages_in(compiled(read(folder / f"{language}.po")))
            found = messages_in((folder / f"{language}.mo").read_bytes())
            assert found == wanted, f"{folder}: python -m tests.catalogues"


def in_cells(lines: int, blocked: int, rule: str = "R2") -> IkosaVerdict:
    """A verdict of Ikosa with so many lines from one corner, of which so many are blocked."""
    hindered = np.arange(lines)[None] < blocked
    drawn = CornerLines(sources=((Fraction(0),) * 3,), targets=((Fraction(1),) * 3,) * lines, stopped=hindered)
    return IkosaVerdict("A", "B", "ikosa", "cover", None, RuleReference("", rule), "", drawn, True, True)


def in_plan(rule: str, cover: bool = False, cover_from: tuple[str, ...] = (), **how: Any) -> CrisisProtocolVerdict:
    """A verdict of Crisis Protocol."""
    verdict = ("A", "B", "crisis-protocol", "cover", None, RuleReference("", rule), "")
    return CrisisProtocolVerdict(*verdict, cover, None, cover_from, 1.0, 2, **how)


def test_what_is_counted_has_the_form_of_its_number() -> None:
    """French takes the singular for nothing as well, German and Spanish do not."""
    german, spanish = ([why(Words(one), in_cells(4, n)) for n in (0, 1, 2)] for one in ("de", "es"))
    assert [text.split(" durch")[0][-7:] for text in german] == ["gehen 0", " geht 1", "gehen 2"]
    assert [text.split(" ")[-2] for text in spanish] == ["pasan", "pasa", "pasan"]
    french = [
        why(Words("fr"), in_plan("R4", line_of_sight=False, blockers=tuple(map(Blocker, names))))
        for names in ("x", "xy")
    ]
    assert french == ["A ne voit pas B ; fait obstacle : x.", "A ne voit pas B ; font obstacle : x, y."]


def _several(text: str | tuple[str, ...]) -> tuple[str, ...]:
    return (text,) if isinstance(text, str) else tuple(text)


def _placeholders(text: str) -> tuple[str, ...]:
    return tuple(sorted(name for _, name, _, _ in Formatter().parse(text) if name is not None))


def phrases_of_all() -> dict[str, Phrase]:
    """Of all figures and of every game."""
    games = {key: phrase for name in RULES for key, phrase in rule_called(name).phrases.items()}
    assert not games.keys() & PHRASES.keys()
    return {**PHRASES, **games}


def test_every_verdict_of_every_system_is_known() -> None:
    words: dict[str, tuple[str, ...]] = {
        "necromunda": necromunda.VERDICTS,
        "skirmishcorps": ("open", *(f"{kind} cover" for kind in CLASSES[1:]), "hidden"),
        "tide-of-iron": tide_of_iron.VERDICTS,
        "crisis-protocol": ("hidden", "cover", "open"),
        "ikosa": ("no cover", "cover", "no line of effect"),
    }
    assert words.keys() == set(BY_CODE)
    words |= {name: tuple(rule_called(name).levels) for name in FILES}
    for name, verdicts in words.items():
        assert set(rule_called(name).levels) == set(verdicts)
        for language, verdict in product(LANGUAGES[1:], verdicts):
            assert verdict in Words(language, name).verdict(verdict), "the rules' own word stays"


@pytest.mark.slow
def test_every_phrase_is_drawn_somewhere_and_no_other() -> None:
    literals = set()
    for file in [*(PROJECT / "silhouette/drawing").rglob("*.py"), *(PROJECT / "silhouette/rules").rglob("*.py")]:
        tree = ast.parse(file.read_text(encoding="utf-8"))
        tables = (node for node in ast.walk(tree) if isinstance(node, ast.AnnAssign))
        keys = {id(key) for table in tables if getattr(table.target, "id", "") == "PHRASES"
                for key in ast.walk(table)}  # fmt: skip
        literals |= {n.value for n in ast.walk(tree) if isinstance(n, ast.Constant) and id(n) not in keys}
    phrases = set(phrases_of_all())
    assert phrases - COMPOSED <= literals
    assert phrases >= COMPOSED


@pytest.mark.slow
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
        for _, message in messages():
            for text in (*_several(message.id), *_several(message.string)):
                plain = " ".join(re.sub(r"\{[^}]*\}", "", text).split())
                assert typeface.printable(plain) == plain


def test_an_unknown_language_is_one_line_that_lists_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(RequestError, match="the languages are en, de, fr, es"):
        Words("it")
    scene = PROJECT / "scenes" / "ikosa" / "face_to_face.toml"
    assert main(["draw", str(scene), "--out", str(tmp_path / "out"), "--lang", "klingon"]) == 2
    assert capsys.readouterr().err == "error: no language 'klingon'; the languages are en, de, fr, es\n"
    assert not (tmp_path / "out").exists()


SPOKEN = [
    (
        "necromunda/example_2_partial_cover",
        "de",
        ["Kal → Vex: Teildeckung (partial cover)", "42,4 % von Vex verdeckt:"],
    ),
    ("necromunda/example_2_partial_cover", "es", ["visto", "oculto", "se interpone"]),
    ("skirmishcorps/elevation", "fr", ["couvert bas (low cover), \N{MINUS SIGN}2 pour toucher", "très bas"]),
    ("crisis_protocol/in_cover", "de", ["gibt Deckung", "Range 1 um Captain Marvel: 70 mm"]),
    ("tide_of_iron/same_elevation", "fr", ["ligne bloquée", "bois", "caché (hidden)"]),
    ("ikosa/round_a_corner", "es", ["líneas bloqueadas: 2", "gravedad"]),
]


@pytest.mark.thinned(quick=20, ci=67)
@pytest.mark.parametrize(("name", "language", "words"), SPOKEN, ids=lambda one: str(one).replace("/", "-")[:24])
def test_a_figure_speaks_its_language(name: str, language: str, words: list[str], tmp_path: Path) -> None:
    scene = PROJECT / "scenes" / f"{name}.toml"
    options = ["--lang", language, "--check", "1", "--pixel", "0.3", "--no-cache"]
    assert main(["draw", str(scene), "--out", str(tmp_path), *options]) == 0
    files = sorted(tmp_path.iterdir())
    said = " ".join(text for file in files for text in texts(file))
    for word in words:
        assert word in said
    if language != "en" and "necromunda" in name:
        assert re.search(r"± \d+,\d+ %", said)
        assert not re.search(r"\d\.\d", said)


def test_addresses_are_the_same_in_every_language() -> None:
    addresses = {Words(language, "tide-of-iron")("address", q=2, r=-1) for language in LANGUAGES}
    assert addresses == {in_words((2, -1)).strip("[]")}


@pytest.mark.thinned(quick=58)
@pytest.mark.parametrize("system", ["crisis_protocol", "ikosa", "tide_of_iron"])
@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_reasons_of_boards_are_told_in_every_language(system: str, language: str) -> None:
    """Whoever is asked about, and what is in the way, is named as the verdict names it."""
    words = Words(language)
    for file in sorted((PROJECT / "scenes" / system).glob("*.toml")):
        scene = load_scene(file)
        for check in Selection().checks(scene):
            (result,) = judge_all([(scene, check)], JudgingOptions(ReferenceRenderer()))
            row, told = result.row(), why(words, result.verdict)
            assert told.endswith(".")
            assert told != why(Words(), result.verdict)
            if system == "crisis_protocol":
                named = [
                    row["attacker"],
                    row["target"],
                    *(row["cover_from"] if row["cover"] else [blocker["name"] for blocker in row["blockers"]]),
                ]
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
    assert said in why(Words("de"), in_cells(0, 0, rule))


@pytest.mark.parametrize(("rule", "said"), [("R14", "Deckung durch: barrier"), ("R15", "eine Karte")])
def test_cover_by_a_card_is_not_told_as_that_of_terrain(rule: str, said: str) -> None:
    assert said in why(Words("de"), in_plan(rule, line_of_sight=True, cover=True, cover_from=("barrier",)))


@pytest.mark.thinned(quick=52)
@pytest.mark.parametrize("solid", ["true", '"filled"'])
def test_a_piece_whose_windows_are_filled_is_told_of_since_its_mesh_is_drawn(solid: str, tmp_path: Path) -> None:
    frame = [[10, 5, 60, -25], [10, 5, 60, 25], [60, 5, 10, 0, 0], [60, 5, 10, 0, 0, 50]]
    parts = ", ".join(f"{{ box = {size[:3]}, at = {[size[3], 0, size[5] if len(size) > 5 else 0]} }}" for size in frame)
    (tmp_path / "ruin.toml").write_text(
        f"""
        rules = "necromunda"
        fighter = [
            {{ name = "Kal", at = [0, 0], parts = [{{ box = [12, 12, 30] }}], eye = [0, 6, 25] }},
            {{ name = "Vex", at = [0, 200], parts = [{{ box = [12, 12, 30] }}], eye = [0, 6, 25] }},
        ]
        terrain = [{{ name = "window", at = [0, 100], solid = {solid}, parts = [{parts}] }}]
        check = [{{ attacker = "Kal", target = "Vex" }}]
        """
    )
    scene = load_scene(tmp_path / "ruin.toml")
    for only in ("eye", "side"):
        (file,) = drawn(scene, 1, tmp_path, 0.5, only=only).values()
        sentence = "window: drawn as the mesh is; what its outline encloses hides as well."
        assert (sentence in " ".join(texts(file))) == (solid != "true")
