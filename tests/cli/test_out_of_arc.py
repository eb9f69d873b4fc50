"""A target that is hidden because of the vision arc is called so wherever a share stands next to the verdict."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import PROJECT
from tests.support.commands import QUICK, run
from tests.support.figures import texts

SCENE = PROJECT / "scenes/necromunda/across_the_arc.toml"
WORDS = "hidden, out of arc"


@pytest.mark.long
def test_table_figures_and_page_say_why(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ran = run(capsys, "check", SCENE, *QUICK)
    assert ran.out.count(WORDS) == 1
    figures = tmp_path / "figures"
    ran = run(capsys, "draw", SCENE, "--check", "2", "--out", figures, *QUICK)
    assert f"Kal to Yar: {WORDS}" in ran.out
    for file in figures.iterdir():
        assert f"Kal → Yar: {WORDS}" in texts(file)
    page = tmp_path / "report.html"
    ran = run(capsys, "report", SCENE, "--from", "Kal", "--to", "Yar", "--out", page, *QUICK)
    assert ran.status == 0
    assert page.read_text(encoding="utf-8").count(f"</span> {WORDS}</span>") >= 2


def test_the_verdict_itself_stays_a_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    rows = run(capsys, "check", SCENE, "--json", *QUICK).document["scenes"][0]["results"]
    assert [row["verdict"] for row in rows] == ["partial cover", "hidden"]
