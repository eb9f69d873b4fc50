"""SCAN: what a person wrote into the scene of an earlier run is found again: names, facings, gangs, answers, checks."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from silhouette.common.errors import FileError
from silhouette.scans.keep import Earlier, EarlierPiece, earlier_run

SCENE = """
title = "Game night"
rules = "necromunda"
table = [600, 600]

[[question]]
key = "scale"
text = "Which bases are these?"
answers = ["25 mm", "32 mm"]
answer = "32 mm"

[[question]]
key = "open"
text = "Is it?"
answers = ["yes", "no"]

[[fighter]]
name = "Kal"
gang = "Orlock"
mesh = "meshes/figure_1.ply"
at = [10.0, 20.0, 0.0]
turn = 0.0
facing = 45

[[fighter]]
name = "figure 2"
mesh = "meshes/figure_2.ply"
at = [100, 20]
turn = 300.0
facing = 30.0

[[check]]
attacker = "Kal"
target = "figure 2"
"""


def folder_with(tmp_path: Path, scene: str = SCENE) -> Path:
    (tmp_path / "scene.toml").write_text(scene)
    rows = [{"at": [10.0, 20.0, 0.0], "facing": 40.0, "facing_from": "scan"}]
    rows.append({"at": [100, 20], "facing": 30.0, "facing_from": "scan"})
    (tmp_path / "scan.json").write_text(json.dumps({"pieces": rows}))
    return tmp_path


def test_names_gangs_checks_answers_and_facings_are_found(tmp_path: Path) -> None:
    found = earlier_run(folder_with(tmp_path))
    kal, other = found.pieces
    assert (kal.name, kal.kind, kal.facing, kal.keys) == ("Kal", "fighter", 45.0, {"gang": "Orlock"})
    assert other.facing is None, "the scan itself has found it"
    assert other.at.tolist() == [100.0, 20.0, 0.0]
    assert {key: question["answer"] for key, question in found.answers_by_key.items()} == {"scale": "32 mm"}
    assert found.keys["title"] == "Game night"
    assert found.keys["check"] == [{"attacker": "Kal", "target": "figure 2"}]


def test_each_piece_is_that_which_stood_nearest(tmp_path: Path) -> None:
    found = earlier_run(folder_with(tmp_path))
    places = [
        np.array([95.0, 20.0, 0.0]),
        np.array([12.0, 20.0, 0.0]),
        np.array([11.0, 20.0, 0.0]),
        np.zeros(3) + 300.0,
    ]
    matched = found.matched(places)
    assert [None if piece is None else piece.name for piece in matched] == ["figure 2", None, "Kal", None]
    assert Earlier().matched(places) == [None] * 4
    assert found.matched([]) == []


def test_a_piece_on_a_roof_is_not_the_one_below_it() -> None:
    kal = EarlierPiece("Kal", "fighter", np.array([0.0, 0.0, 75.0]), None, {})
    assert Earlier((kal,)).matched([np.zeros(3)]) == [None]


def test_a_piece_that_is_lowered_onto_a_roof_has_the_height_that_the_scan_has_found(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, '[[fighter]]\nname = "Kal"\non = "container"\nat = [10.0, 20.0]\n')
    rows = [{"at": [10.0, 20.0, 49.75], "facing": "unknown", "facing_from": "scan"}]
    (folder / "scan.json").write_text(json.dumps({"pieces": rows}))
    assert earlier_run(folder).pieces[0].at.tolist() == [10.0, 20.0, 49.75]


def test_a_new_folder_and_an_empty_one_have_nothing_to_keep(tmp_path: Path) -> None:
    assert earlier_run(tmp_path / "new") == Earlier()
    assert earlier_run(tmp_path) == Earlier()


def test_a_folder_that_no_scan_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "holiday.jpg").write_bytes(b"")
    with pytest.raises(FileError, match="is a folder with other files in it"):
        earlier_run(tmp_path)
    (tmp_path / "scene.toml").write_text(SCENE)
    with pytest.raises(FileError, match="no scan wrote"):
        earlier_run(tmp_path)


def test_a_file_in_the_place_of_the_folder_is_refused_and_stays(tmp_path: Path) -> None:
    (tmp_path / "table.glb").write_bytes(b"mine")
    with pytest.raises(FileError, match="is a file, and is not overwritten"):
        earlier_run(tmp_path / "table.glb")


def test_a_scene_that_is_broken_is_named_and_kept(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, "title = \n")
    with pytest.raises(FileError, match=r"scene\.toml"):
        earlier_run(folder)
    assert (folder / "scene.toml").read_text() == "title = \n"


@pytest.mark.parametrize(
    "answer, is_one", [('"32 mm"', True), ("25.4", True), ('"25.4"', True), ('"about 32"', False), ('"32 MM"', False)]
)
def test_an_answer_that_is_none_is_refused_with_those_that_are(tmp_path: Path, answer: str, is_one: bool) -> None:
    scene = f'[[question]]\nkey = "scale"\ntext = "Which?"\nanswers = ["25 mm", "32 mm"]\nanswer = {answer}\n'
    folder = folder_with(tmp_path, scene)
    if is_one:
        assert earlier_run(folder).answers_by_key["scale"]["answer"] == answer.strip('"')
        return
    with pytest.raises(FileError, match='no answer to it; the answers are "25 mm", "32 mm"'):
        earlier_run(folder)


@pytest.mark.parametrize("scene", ['fighter = "Kal"', "[[fighter]]\nname = 3\nat = 4", "question = [1]", "terrain = 7"])
def test_tables_of_other_forms_are_passed_over_or_named(tmp_path: Path, scene: str) -> None:
    assert earlier_run(folder_with(tmp_path, scene)).pieces == ()


def test_a_facing_that_a_player_gave_once_stays_given(tmp_path: Path) -> None:
    folder = folder_with(tmp_path)
    rows = [{"at": [10.0, 20.0, 0.0], "facing": 45.0, "facing_from": "scene"}]
    (folder / "scan.json").write_text(json.dumps({"pieces": rows}))
    assert earlier_run(folder).pieces[0].facing == 45.0
