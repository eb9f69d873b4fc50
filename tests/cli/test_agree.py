"""What the players agreed on: written into the scene, shown beside the verdict everywhere, kept in bundles."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

import silhouette
from silhouette.common.errors import FileError
from silhouette.files.documents import read_document
from silhouette.rules import RULES, rule_called
from tests.support.commands import CHECK, run, scene

Capture = pytest.CaptureFixture[str]
ROOT = Path(__file__).resolve().parents[2]
PAIR = ("--from", "Kal", "--to", "Vex")


def test_it_stands_in_the_file_beside_all_that_stood_there(tmp_path: Path, capsys: Capture) -> None:
    path = scene(tmp_path, CHECK)
    before = path.read_text()
    answer = run(capsys, "agree", path, *PAIR, "open: we saw it")
    assert answer.status == 0
    assert answer.out == "Kal to Vex: the players agreed: open (we saw it)\n"
    assert path.read_text().startswith(before.rstrip("\n"))
    assert read_document(path)["agreed"] == [
        {"attacker": "Kal", "target": "Vex", "verdict": "open", "why": "we saw it"}
    ]
    again = run(capsys, "agree", path, *PAIR, "hidden", "--json").document
    assert (again["agreed"]["verdict"], again["before"][0]["verdict"]) == ("hidden", "open")
    assert run(capsys, "agree", path, *PAIR, "--withdraw").status == 0
    assert path.read_text() == before


def test_a_scene_in_json_keeps_its_form(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "duel.json"
    path.write_text(json.dumps(read_document(scene(tmp_path, CHECK)), indent=4))
    before = path.read_text()
    assert run(capsys, "agree", path, *PAIR, "open: we saw it").status == 0
    assert json.loads(path.read_text())["agreed"][0]["why"] == "we saw it"
    assert run(capsys, "agree", path, *PAIR, "--withdraw").status == 0
    assert json.loads(path.read_text()) == json.loads(before)


def test_what_is_judged_stays_and_what_was_agreed_stands_beside_it(tmp_path: Path, capsys: Capture) -> None:
    path = scene(tmp_path, CHECK)
    (before,) = run(capsys, "check", path, "--json").document["scenes"][0]["results"]
    run(capsys, "agree", path, *PAIR, "hidden: the door is shut")
    (after,) = run(capsys, "check", path, "--json").document["scenes"][0]["results"]
    assert after == {**before, "agreed": {"verdict": "hidden", "why": "the door is shut"}}
    words = "Kal to Vex: the players agreed: hidden (the door is shut)"
    assert words in run(capsys, "check", path).out
    assert words in run(capsys, "matrix", path).out
    (row,) = silhouette.batch(path)
    assert row["agreed"] == after["agreed"]
    verdict = silhouette.check(path, "Kal", "Vex")
    assert str(verdict.agreed) == "hidden (the door is shut)"
    assert "agreed: hidden" in verdict._repr_html_()
    assert silhouette.check(path, "Vex", "Kal").agreed is None


def test_pictures_reports_and_bundles_have_it(tmp_path: Path, capsys: Capture) -> None:
    path = scene(tmp_path, CHECK)
    run(capsys, "agree", path, *PAIR, "hidden: the door is <shut>")
    figure = silhouette.check(path, "Kal", "Vex").figure("plan")
    assert re.search(r'aria-label="[^"]*the players agreed: hidden"', figure)
    page = silhouette.report(path, tmp_path / "page.html").read_text()
    assert "the players agreed: hidden (the door is &lt;shut&gt;)" in page
    kept = silhouette.bundle(path, tmp_path / "kal.zip", pictures=False)
    path.unlink()
    replayed = run(capsys, "check", kept, "--json")
    assert replayed.status == 0
    assert replayed.document["scenes"][0]["results"][0]["agreed"]["why"] == "the door is <shut>"


@pytest.mark.thinned(quick=36)
@pytest.mark.parametrize("game", sorted(RULES))
def test_players_of_every_game_agree(game: str, tmp_path: Path, capsys: Capture) -> None:
    rule = rule_called(game)
    shutil.copytree(ROOT / "models", tmp_path / "models", ignore=shutil.ignore_patterns("source", "*.png"))
    path = tmp_path / rule.example
    path.parent.mkdir(parents=True)
    for other in (ROOT / rule.example).parent.glob("*"):
        if other.is_file():
            shutil.copy(other, path.parent)
    first, second = silhouette.load_scene(path).names[:2]
    verdict = list(rule.levels)[-1]
    assert run(capsys, "agree", path, "--from", first, "--to", second, f"{verdict}: so be it").status == 0
    row = silhouette.check(path, first, second)
    assert row["agreed"] == {"verdict": verdict, "why": "so be it"}


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ([*PAIR, "opne"], "no verdict is 'opne'; did you mean 'open'?"),
        ([*PAIR, ""], "no verdict is ''"),
        ([*PAIR], "say what was agreed"),
        ([*PAIR, "open", "--withdraw"], "not both"),
        ([*PAIR, "--withdraw"], "nothing is agreed on Kal to Vex"),
        (["--from", "Kal", "open"], "say --from NAME and --to NAME"),
        (["--from", "Kal", "--to", "Wex", "open"], "nothing is called 'Wex'; did you mean 'Vex'?"),
        (["--from", "Kal", "--to", "Kal", "open"], "would check itself"),
    ],
)
def test_mistakes_change_nothing(words: list[str], problem: str, tmp_path: Path, capsys: Capture) -> None:
    path = scene(tmp_path, CHECK)
    before = path.read_text()
    answer = run(capsys, "agree", path, *words)
    assert answer.status == 2
    assert problem in answer.err
    assert path.read_text() == before


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        ('attacker = "Kal"\ntarget = "Wex"\nverdict = "open"', "agreed 1: nothing is called 'Wex'"),
        ('attacker = "Kal"\ntarget = "Vex"\nverdict = "opne"', "agreed 1: no verdict is 'opne'; did you mean 'open'?"),
        ('attacker = "Kal"\ntarget = "Vex"', "verdict"),
    ],
)
def test_a_file_with_a_mistake_in_it_is_refused(entry: str, problem: str, tmp_path: Path) -> None:
    path = scene(tmp_path, CHECK)
    path.write_text(f"{path.read_text()}\n[[agreed]]\n{entry}\n")
    with pytest.raises(FileError, match=re.escape(problem)):
        silhouette.load_scene(path)
