"""Places that the command line and `load_scene` try in place of a scene's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from silhouette.common.errors import RequestError
from silhouette.files.cache import Cache
from silhouette.judging import load_scene
from silhouette.notebook.questions import check, matrix
from silhouette.scenes.places import Mobility, Motion, Trial, poses
from silhouette.scenes.scene import read_document
from silhouette.scenes.table import TableScene
from tests.support.commands import run

DUEL = """
rules = "necromunda"
units = "inch"
terrain = [
  { name = "crate", at = [4, 8], parts = [{ box = [40, 40, 25] }] },
  { name = "wall", at = [20, 8, 1], parts = [{ box = [40, 40, 25] }], turn = 30 },
]
fighter = [
  { name = "Kal", at = [4, 0, 1], figure = { base = 32, height = 38 }, facing = 90 },
  { name = "Vex = 2", at = [4, 8], figure = { base = 32, height = 38 }, facing = 270, turn = 10, on = "surface" },
]
check = [{ attacker = "Kal", target = "Vex = 2", expect = { verdict = "open" } }]
"""


@pytest.fixture
def duel(tmp_path: Path) -> Path:
    path = tmp_path / "duel.toml"
    path.write_text(DUEL)
    return path


def tried(path: Path, **at: list[float]) -> TableScene:
    scene = load_scene(path, cache=Cache(None), at={name.replace("_", " = "): place for name, place in at.items()})
    assert isinstance(scene, TableScene)
    return scene


def test_a_piece_stands_where_it_is_tried_and_keeps_its_height_or_what_it_stands_on(duel: Path) -> None:
    scene = tried(duel, Kal=[1, 2], Vex_2=[4, 9.5, 300], wall=[1, 1, 0])
    assert scene.piece("Kal").pose.translation.tolist() == pytest.approx([25.4, 50.8, 25.4])
    assert scene.piece("Kal").facing == 90.0
    assert scene.piece("Vex = 2").pose.translation.tolist() == pytest.approx([101.6, 241.3, 0.0])
    assert scene.piece("Vex = 2").facing == 300.0
    assert scene.piece("wall").facing == 0.0
    assert tried(duel, Vex_2=[4, 8.5]).piece("Vex = 2").pose.translation[2] == 25.0
    assert [check.expect for check in scene.checks] == [None]
    assert tried(duel).checks[0].expect == {"verdict": "open"}


def test_a_piece_that_says_how_it_is_turned_is_turned_on(duel: Path) -> None:
    before, after = tried(duel).piece("Vex = 2"), tried(duel, Vex_2=[4, 8, 315]).piece("Vex = 2")
    assert float(before.pose.rotation[:, 0] @ after.pose.rotation[:, 0]) == pytest.approx(0.5**0.5)


@pytest.mark.parametrize(
    "text", ["Kal", "Kal=", "=1,2", "Kal=1", "Kal=1,2,3,4", "Kal=1,nan", "Kal=1,1e9", "Kal=a,b", ""]
)
def test_what_spells_no_place_gets_one_line(text: str) -> None:
    with pytest.raises(RequestError, match="give NAME=X,Y or NAME=X,Y,FACING, such as"):
        Trial.of(text)


def test_a_name_may_have_an_equals_sign() -> None:
    assert Trial.of("Vex = 2=1,2") == Trial("Vex = 2", (1.0, 2.0))


def test_unknown_names_and_pieces_that_face_nowhere_get_one_line(tmp_path: Path, duel: Path) -> None:
    with pytest.raises(RequestError, match=r"duel.toml: --at: nothing is called 'Kel'; did you mean 'Kal'\?"):
        tried(duel, Kel=[1, 2])
    cells = tmp_path / "cells.toml"
    cells.write_text('rules = "ikosa"\nmode = "melee"\n[[creature]]\nname = "ogre"\ncells = [[0, 0, 0]]\n')
    with pytest.raises(RequestError, match="'ogre' has no place at"):
        load_scene(cells, at={"ogre": [1, 2]})
    cover = tmp_path / "cover.toml"
    cover.write_text('rules = "skirmishcorps"\ncover = [{ name = "wall", at = [0, 0], size = [8, 9], height = 2 }]\n')
    with pytest.raises(RequestError, match="'wall' has no facing"):
        load_scene(cover, at={"wall": [1, 2, 90]})


def test_a_piece_that_stands_on_something_walks_in_plan(duel: Path) -> None:
    document, mobility = read_document(duel), Mobility(("fighter",))
    steps = poses(duel, document, 1, Motion(walk=(4.0, 12.0), frames=3), mobility)
    assert [step.at for step in steps] == [[4, 8], [4.0, 10.0], [4.0, 12.0]]
    with pytest.raises(RequestError, match="'Vex = 2' is lowered onto what it stands on; say --walk X,Y"):
        poses(duel, document, 1, Motion(walk=(4.0, 12.0, 3.0), frames=3), mobility)


@pytest.mark.parametrize("command", ["check", "matrix"])
def test_commands_try_places(command: str, duel: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings = ["--json", "--renderer", "reference", "--pixel", "1", "--no-cache"]
    plain = run(capsys, command, duel, *settings).document["scenes"][0]["results"][0]
    there = run(capsys, command, duel, "--at", "Vex = 2=4,9.5", "--at", "Kal=4,1", *settings)
    moved = there.document["scenes"][0]["results"][0]
    assert plain["occluded"] != moved["occluded"]
    assert moved["expected"] is None
    assert run(capsys, command, duel, "--at", "Kel=1,2", *settings).status == 2
    assert run(capsys, command, duel, "--at", "Kal=1,", *settings).complaints == [
        "error: --at Kal=1,: give NAME=X,Y or NAME=X,Y,FACING, such as Kal=60,216,90"
    ]


def test_from_python_a_scene_with_tried_places_goes_to_check_and_matrix(duel: Path) -> None:
    there = tried(duel, Vex_2=[4, 9.5])
    verdict = check(there, "Kal", "Vex = 2", renderer="reference", pixel=1.0)
    (row,) = [row for row in matrix(there, renderer="reference", pixel=1.0, workers=1) if row["attacker"] == "Kal"]
    assert verdict.verdict == row["verdict"] != check(duel, "Kal", "Vex = 2", renderer="reference", pixel=1.0).verdict
