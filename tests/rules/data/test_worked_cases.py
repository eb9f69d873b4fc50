"""Worked cases of the games that are files: the rules' verdict, that of the oracle, and that of the package are one."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import silhouette
from silhouette.files.cache import Cache
from silhouette.renderers import choose
from silhouette.rules import rule_called
from silhouette.rules.base import Settings
from tests.support.games import FILES
from tests.support.worked_cases import WorkedCase, agreed, cases_of, digest, disagreeing, stem_of

CASES = [pytest.param(game, case, id=f"{game}: {case.name}") for game in FILES for case in cases_of(game)]
PACKAGE = Path(silhouette.__file__).parent


@pytest.mark.parametrize("game", FILES)
def test_the_oracle_has_agreed_with_all_cases_as_they_are(game: str) -> None:
    assert agreed().get(stem_of(game)) == digest(game), "run python -m tests.support.worked_cases, and commit the file"


@pytest.mark.long
@pytest.mark.parametrize("game", FILES)
def test_the_oracle_agrees_with_all_cases(game: str) -> None:
    assert disagreeing(game) == []


@pytest.mark.thinned(quick=4, ci=20)
@pytest.mark.parametrize(("game", "case"), CASES)
def test_the_package_agrees_with_the_case(game: str, case: WorkedCase) -> None:
    found = judged(game, case)
    assert (found.verdict, found.chooser) == (case.verdict, case.chooser), found.reason
    assert found.could_be == (case.verdict,)
    assert case.more.get("roll", found.roll or "") == (found.roll or "")
    if case.because:
        assert tuple(clause.number for clause in found.clauses if clause.decides) == case.because, found.reason


@pytest.mark.parametrize("game", FILES)
def test_there_are_cases_enough(game: str) -> None:
    cases = cases_of(game)
    rule = rule_called(game)
    assert len(cases) >= 20
    assert {case.verdict for case in cases} == set(rule.levels)
    numbers = {clause.number for clause in rule.game.clauses.values()}  # type: ignore[attr-defined]
    assert {number for case in cases for number in case.clauses} == numbers


@pytest.mark.parametrize("game", FILES)
def test_the_specification_has_every_clause_and_source(game: str) -> None:
    text = (PACKAGE / "rules" / "data" / f"{stem_of(game)}.md").read_text(encoding="utf-8")
    clauses = rule_called(game).game.clauses.values()  # type: ignore[attr-defined]
    assert re.findall(r"^\| (\d+) \|", text, re.MULTILINE) == [clause.number for clause in clauses]
    assert "https://" in text
    assert [clause.name for clause in clauses if f"`{clause.name}`" not in text] == []


def judged(game: str, case: WorkedCase) -> Any:
    """The verdict of the package on the first figure's look at the second."""
    rule = rule_called(game)
    scene = rule.load(Path(f"{case.name}.toml"), case.scene(game), Cache.default())
    return rule.judge([(scene, check) for check in scene.checks], Settings(choose(), 0.1))[0]
