"""Tables fit the terminal without a broken word, for every scene that ships."""

from __future__ import annotations

import io
import re
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some
from rich.console import Console
from rich.text import Text

from silhouette.cli.tables import (
    COLUMN_GAP,
    TABLE_EDGE_COLUMNS,
    FittedTable,
    fitted,
    matrix_report,
    scene_report,
    total,
)
from silhouette.files.cache import Cache
from silhouette.judging import JudgingOptions, SceneResult, Selection, judge_scene
from silhouette.renderers import choose
from tests.support.commands import run

SCENES = Path(__file__).resolve().parents[2] / "scenes"
NAMES = ("necromunda/skirmish", "skirmishcorps/elevation", "crisis_protocol/in_cover", "tide_of_iron/same_elevation")


def drawn(table: object, width: int) -> list[str]:
    """The lines of a table on a terminal of some width."""
    console = Console(file=io.StringIO(), width=width, highlight=False, markup=False)
    with console.capture() as captured:
        console.print(table)
    return captured.get().splitlines()


@cache
def judged(name: str, everyone: bool, renderer: str = "auto") -> SceneResult:
    selection = Selection(everyone=everyone)
    options = JudgingOptions(choose(renderer), Cache.default(), pixel=4.0, error=0.05)
    return judge_scene(SCENES / f"{name}.toml", selection, options)


@pytest.mark.thinned(quick=10, ci=10)
@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("everyone", [False, True])
@pytest.mark.parametrize("name", NAMES[:3])
def test_no_word_of_a_shipped_scene_is_broken(name: str, everyone: bool, width: int) -> None:
    pytest.importorskip("embreex")
    result = judged(name, everyone)
    _, table, *_ = (matrix_report if everyone else scene_report)(result)
    lines = drawn(table, width)
    assert all(len(line) <= width for line in lines)
    words = set(" ".join(lines).split())
    for one in result.judged:
        row = one.row()
        verdict = row["verdict"] if not everyone or row["verdict"] == "open" else row["verdict"].removesuffix(" cover")
        for text in (one.check.attacker, one.check.target, verdict):
            assert {word for word in text.split() if f"{word}?" not in words} <= words


@pytest.mark.thinned(quick=51, ci=51)
@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("name", NAMES)
def test_verdicts_and_names_stay_on_one_line(name: str, width: int) -> None:
    pytest.importorskip("embreex")
    result = judged(name, False)
    lines = drawn(scene_report(result)[1], width)
    for one in result.judged:
        assert any(one.row()["verdict"] in line and str(one.check.target) in line for line in lines)


def headed(lines: list[str]) -> list[str]:
    return re.split(r"  +", next(line for line in lines if line.strip()).strip())


@pytest.mark.parametrize("name", NAMES[:2])
def test_a_renderer_that_nobody_chose_has_no_column(name: str) -> None:
    pytest.importorskip("embreex")
    columns = [headed(drawn(scene_report(judged(name, False, by))[1], 500)) for by in ("auto", "reference")]
    assert "renderer" not in columns[0]
    assert [word for word in columns[1] if word != "renderer"] == columns[0]
    assert "  reference  " in "\n".join(drawn(scene_report(judged(name, False, "reference"))[1], 500))


def test_the_renderer_gives_way_first_and_then_what_was_expected() -> None:
    table = scene_report(judged("skirmishcorps/elevation", False, "reference"))[1]
    every = ["attacker", "target", "verdict", "obscured", "blockers", "renderer", "expected"]
    natural = max(map(len, drawn(table, 500)))
    assert headed(drawn(table, natural)) == every
    assert headed(drawn(table, natural - 1)) == [*every[:5], "expected"]
    assert headed(drawn(table, 60)) == every[:5]


def test_a_matrix_that_is_too_wide_becomes_several(capsys: pytest.CaptureFixture[str]) -> None:
    table = FittedTable([Text(""), *(Text(f"fighter {number}") for number in range(9))], parted=True)
    table.add_row(Text("Kal"), *(Text(f"verdict-{number}") for number in range(9)))
    lines = drawn(table, 60)
    assert sum("Kal" in line for line in lines) == 3
    for number in range(9):
        assert sum(f"verdict-{number}" in line for line in lines) == 1
        assert sum(f"fighter {number}" in line for line in lines) == 1


@pytest.mark.slow
@given(
    some.lists(some.tuples(some.integers(1, 40), some.integers(1, 40)), min_size=1, max_size=7), some.integers(1, 90)
)
def test_widths_share_the_room(columns: list[tuple[int, int]], room: int) -> None:
    natural, least = [max(pair) for pair in columns], [min(pair) for pair in columns]
    widths = fitted(natural, least, room)
    assert len(widths) == len(columns)
    assert all(width >= 1 for width in widths)
    assert sum(widths) <= max(room, len(widths))
    if sum(least) <= room:
        assert all(one <= width <= want for one, width, want in zip(least, widths, natural, strict=True))
    if sum(natural) <= room:
        assert widths == natural
    assert total(widths) == sum(widths) + COLUMN_GAP * (len(widths) - 1) + TABLE_EDGE_COLUMNS


def test_a_spare_column_is_left_out_before_a_word_is_broken() -> None:
    table = FittedTable([Text("name"), Text("spare"), Text("why")], spare=("spare",))
    table.add_row(Text("a-long-name"), Text("a-spare-word"), Text("some words of a reason"))
    assert "a-spare-word" in "".join(drawn(table, 41))
    narrow = drawn(table, 30)
    assert "spare" not in "".join(narrow)
    assert any("a-long-name" in line for line in narrow)


def test_a_single_long_word_is_folded_and_nothing_is_lost() -> None:
    table = FittedTable([Text("name"), Text("verdict")])
    table.add_row(Text("x" * 100), Text("open"))
    lines = drawn(table, 40)
    assert all(len(line) <= 40 for line in lines)
    assert sum(line.count("x") for line in lines) == 100


def test_pipes_get_every_column(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    ran = run(capsys, "check", SCENES / "skirmishcorps" / "elevation.toml", "--renderer", "reference", "--pixel", "1")
    assert "renderer" in ran.out
    assert "expected" in ran.out


def test_a_number_keeps_its_unit() -> None:
    table = FittedTable([Text("obscured"), Text("blockers")])
    table.add_row(Text("42.0 % ± 0.15 %"), Text("east barricade 24.8 %, gantry 17.2 %"))
    lines = "\n".join(drawn(table, 24))
    assert all(part in lines for part in ("42.0 %", "± 0.15 %", "24.8 %,", "17.2 %"))


def test_the_list_of_rules_breaks_no_name_and_no_path(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    told = run(capsys, "rules").out
    for system in run(capsys, "rules", "--json").document["rules"]:
        assert {system["name"], *system["title"].split(), system["example"]} <= set(told.split())
