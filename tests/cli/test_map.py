"""``silhouette map``: files of every kind, what is printed, and bad input in one line."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from silhouette.cli.map import map_report
from silhouette.cli.terminal import show
from tests.support.commands import Ran
from tests.support.mapped_tables import gantry_table, made

NEAR = ("--within", "60", "--no-cache", "--quiet")


@pytest.fixture
def scene(tmp_path: Path) -> Path:
    """The scene file of the table with the gantry."""
    file = tmp_path / "table.json"
    file.write_text(json.dumps(gantry_table()))
    return file


def ran(capsys: pytest.CaptureFixture[str], *words: object) -> Ran:
    """What the command line does."""
    from silhouette.cli.app import main

    status = main(["map", *map(str, words)])
    told = capsys.readouterr()
    return Ran(status, told.out, told.err)


@pytest.mark.long
def test_every_kind_of_file(scene: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for ending, start in (
        (".png", b"\x89PNG"),
        (".svg", b"<?xml"),
        (".pdf", b"%PDF"),
        (".csv", b"x,y,z"),
        (".json", b"{"),
    ):
        file = scene.with_name(f"map{ending}")
        done = ran(capsys, scene, "--move", "Vex", "--out", file, *NEAR)
        assert done.status == 0, done.err
        assert file.read_bytes().startswith(start)
        assert "Vex, seen by Kal, Yar" in done.out
    document = json.loads(scene.with_name("map.json").read_text())
    rows = list(csv.DictReader(scene.with_name("map.csv").read_text().splitlines()))
    assert len(rows) == len(document["cells"])
    for row, cell in zip(rows, document["cells"], strict=True):
        assert (float(row["x"]), row["verdict"] or None) == (cell["at"][0], cell["verdict"])
        assert [row[f"verdict from {one['attacker']}"] for one in cell["by"]] == [one["verdict"] for one in cell["by"]]
    printed = ran(capsys, scene, "--move", "Vex", "--json", *NEAR)
    assert json.loads(printed.out) == document


def test_another_place_is_tried_of_who_looks(scene: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = gantry_table()
    words = ("--move", "Vex", "--from", "Kal", "--json", *NEAR)
    tried = json.loads(ran(capsys, scene, *words, "--at", "Kal=40,-90,60").out)["cells"]
    there = next(one for one in document["fighter"] if one["name"] == "Kal")
    before = json.loads(ran(capsys, scene, *words).out)["cells"]
    there |= {"at": [40, -90], "facing": 60}
    scene.write_text(json.dumps(document))
    assert tried == json.loads(ran(capsys, scene, *words).out)["cells"] != before


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "a map needs a file; say --out FILE"),
        (["--out", "map.gif"], "'.gif' is no known ending"),
        (["--out", "nowhere/map.png"], "there is no folder nowhere"),
        (["--json", "--from", "Kal", "--to", "Yar"], "--from and --to"),
        (["--json", "--within", "-2"], "--within -2: give mm"),
        (["--json", "--under", "-5"], "--under -5: nothing to stand on lies so low"),
        (["--json", "--grid", "0.2"], "no grid is finer than 1 mm"),
        (["--json", "--layer", "heat"], "no such layer"),
        (["--json", "--style", "drak"], "no style 'drak'; did you mean 'dark'?"),
        (["--json", "--lang", "xx"], "no language 'xx'"),
        (["--json", "--at", "Kol=0,0"], "--at: nothing is called 'Kol'"),
        (["--json", "--from", "Kol"], "nothing is called 'Kol'; did you mean 'Kal'?"),
    ],
)
def test_bad_input_is_one_line(scene: Path, capsys: pytest.CaptureFixture[str], words: list[str], told: str) -> None:
    done = ran(capsys, scene, "--move", "Vex", *words, "--no-cache")
    assert done.status == 2
    assert told in done.err
    assert done.err.count("\n") == 1
    assert not done.out


def test_a_game_without_maps_says_which_have_them(capsys: pytest.CaptureFixture[str]) -> None:
    done = ran(capsys, Path(__file__).parents[2] / "scenes/ikosa/corner_to_corner.toml", "--move", "A", "--json")
    assert done.status == 2
    assert "there are no maps of Ikosa Framework, but of" in done.err


def test_what_is_printed_counts_the_marginal_places_of_each_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    document = gantry_table()
    document["fighter"][0]["facing"] = "unknown"  # so that all that it might see is marginal
    document["terrain"].append({"name": "wall 2", "at": [-60, -95], "turn": 90, "parts": [{"box": [30, 4, 90]}]})
    drawn = made(document, "Vex", attackers=("Kal",), within=55.0)
    show(*map_report(drawn, quiet=True))
    rows = [line.split("  ") for line in capsys.readouterr().out.splitlines()]
    told = {row[0].strip(): [int(cell) for cell in row[1:] if cell.strip().isdigit()] for row in rows}
    counts = {word: int((drawn.verdict == number).sum()) for number, word in enumerate(drawn.verdicts)}
    assert {word: told[word][:2] for word in counts} == {word: [count, count] for word, count in counts.items()}
    assert sum(count > 0 for count in counts.values()) > 1
