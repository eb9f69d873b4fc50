"""What ``silhouette inspect`` prints to paste is read where it says that it goes."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.support.commands import run

Capture = pytest.CaptureFixture[str]

FIGHTER = '[[fighter]]\nname = "{name}"\nat = [0, {y}]\nfacing = 0\n'
MODEL = 'mesh = "mini_spearman.stl"\n[[insignificant]]\nsphere = { centre = [0, 0, 99], radius = 1 }\n'


@pytest.fixture
def spearman(shared: Path, tmp_path: Path) -> Path:
    shutil.copy(shared / "meshes/miniatures/rpg.scad/mini_spearman.stl", tmp_path)
    (tmp_path / "spearman.toml").write_text(MODEL, encoding="utf-8")
    return tmp_path / "mini_spearman.stl"


def to_paste(path: Path, capsys: Capture) -> str:
    """The lines that both the document and the printed words of ``inspect`` have: for one thing, the spear."""
    found = run(capsys, "inspect", path, "--json").document
    told = run(capsys, "inspect", path).out
    (spear,) = found["suggested"]
    assert spear["toml"] == found["suggested_toml"]
    assert all(line in told for line in spear["toml"].splitlines())
    return str(spear["toml"])


def insignificant(path: Path, capsys: Capture) -> int:
    """The number of triangles that are insignificant."""
    parts = run(capsys, "inspect", path, "--json").document["parts"]
    return sum(part["triangles"] for part in parts if part["role"] == "insignificant")


@pytest.mark.long
def test_lines_for_a_mesh_go_into_a_piece_of_a_scene_and_into_a_model_file(spearman: Path, capsys: Capture) -> None:
    lines = to_paste(spearman, capsys)
    scene = spearman.with_name("duel.toml")
    kal = FIGHTER.format(name="Kal", y=0) + f'mesh = "{spearman.name}"\n{lines}'
    vex = FIGHTER.format(name="Vex", y=200) + "parts = [{ box = [5, 5, 30] }]\n"
    scene.write_text(f'rules = "necromunda"\n{kal}{vex}', encoding="utf-8")
    assert run(capsys, "matrix", scene, "--json").status == 0
    model = spearman.with_name("new.toml")
    model.write_text(f'mesh = "{spearman.name}"\n{lines}', encoding="utf-8")
    assert insignificant(model, capsys) > 100


@pytest.mark.long
def test_lines_for_a_model_file_go_to_its_end(spearman: Path, capsys: Capture) -> None:
    model = spearman.with_name("spearman.toml")
    model.write_text(MODEL + to_paste(model, capsys), encoding="utf-8")
    assert insignificant(model, capsys) > 100


@pytest.mark.long
def test_lines_for_a_model_file_in_json_are_json(spearman: Path, capsys: Capture) -> None:
    model = spearman.with_name("spearman.json")
    model.write_text(f'{{"mesh": "{spearman.name}"}}', encoding="utf-8")
    model.write_text(f'{{{to_paste(model, capsys)}"mesh": "{spearman.name}"}}', encoding="utf-8")
    assert insignificant(model, capsys) > 100


@pytest.mark.long
def test_lines_for_a_model_file_with_a_list_go_into_it(spearman: Path, capsys: Capture) -> None:
    model, rest = spearman.with_name("listed.toml"), "{ sphere = { centre = [0, 0, 99], radius = 1 } }]\n"
    start = f'mesh = "{spearman.name}"\ninsignificant = ['
    model.write_text(start + rest, encoding="utf-8")
    model.write_text(f"{start}\n{to_paste(model, capsys)}{rest}", encoding="utf-8")
    assert insignificant(model, capsys) > 100
