"""Scenes of too much of anything are refused in one line, and none takes minutes or gigabytes."""

from __future__ import annotations

import time
import tomllib
from pathlib import Path

import pytest

from silhouette.common.errors import FileError
from silhouette.files.cache import Cache
from silhouette.files.documents import MAX_ENTRIES, MAX_SCENE_SOLIDS, MAX_TEXT_LENGTH, read_document
from silhouette.rules.necromunda.rule import NECROMUNDA as NECROMUNDA_RULE
from tests.support.commands import run

NECROMUNDA = 'rules = "necromunda"\n'
FIGHTER = '[[fighter]]\nname = "{0}"\nat = [{0}, 0]\nparts = [{{ box = [10, 10, 30] }}]\n'
SOLIDS = ", ".join(["{ box = [1, 1, 1] }"] * 2000)


@pytest.mark.parametrize(
    "text, says",
    [
        (NECROMUNDA + "".join(FIGHTER.format(at) for at in range(2001)), "fighter has 2001 entries; 2000 are the most"),
        ('rules = "ikosa"\n[[creature]]\ncells = [' + "[0, 0, 0], " * 100_000 + "]", "cells has 100000 entries"),
        (
            NECROMUNDA + f"[[terrain]]\nparts = [{SOLIDS}]\n" * 6,
            f"12000 solids in parts; {MAX_SCENE_SOLIDS} are the most",
        ),
        (f'rules = "necromunda"\ntitle = "{"x" * (MAX_TEXT_LENGTH + 1)}"', "has 10001 letters"),
        ("[[insignificant]]\nbox = [[0, 0, 0], [1, 1, 1]]\n" * 501, "insignificant has 501 entries"),
    ],
    ids=["fighters", "cells", "solids", "title", "tags"],
)
def test_too_much_of_anything_is_refused(text: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "much.toml"
    path.write_text(text)
    with pytest.raises(FileError, match=says):
        read_document(path)


def test_lists_that_are_as_long_as_they_may_be_are_read(tmp_path: Path) -> None:
    path = tmp_path / "long.json"
    path.write_text("{" + ", ".join(f'"{key}": [{", ".join(["0"] * most)}]' for key, most in MAX_ENTRIES.items()) + "}")
    assert len(read_document(path)) == len(MAX_ENTRIES)


def test_a_map_of_hexes_far_apart_is_answered_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    far = tmp_path / "far.toml"
    unit = '[[unit]]\nname = "{}"\nat = [{}, 0]\n'
    check = '[[check]]\nattacker = "A"\ntarget = "B"\n'
    far.write_text('rules = "tide-of-iron"\n' + unit.format("A", -10_000) + unit.format("B", 10_000) + check)
    assert run(capsys, "check", far, "--quiet").status == 0
    (line,) = run(capsys, "matrix", far, "--quiet").complaints
    assert "20001 x 1 apart" in line
    drawn = run(capsys, "draw", far, "--out", tmp_path / "figures", "--quiet")
    assert (drawn.status, drawn.complaints) == (0, [])


def test_a_map_beyond_every_board_is_refused_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    far = tmp_path / "far.toml"
    far.write_text('rules = "tide-of-iron"\n' + "".join(f"[[map.hex]]\nat = [{at}, 0]\n" for at in (-(10**9), 10**9)))
    for command in ("check", "matrix"):
        (line,) = run(capsys, command, far, "--quiet").complaints
        assert line.startswith(f"error: {far}: map, hex 1, at is [-1000000000, 0]")


@pytest.mark.parametrize(
    ("part", "is_beyond"),
    [
        *(("{ sphere = { diameter = 1e7 } }", True), ("{ box = [1e12, 1, 1] }", True)),
        *(("{ box = [9, 9, 9], at = [-1e9, 0, 0] }", True), ("{ sphere = { diameter = -1 } }", False)),
    ],
)
def test_a_number_beyond_its_bound_is_called_that(part: str, is_beyond: bool, tmp_path: Path) -> None:
    wall = {"name": "wall", "at": [0, 0], "parts": [tomllib.loads(f"part = {part}")["part"]]}
    document = {"rules": "necromunda", "terrain": [wall]}
    with pytest.raises(FileError) as refused:
        NECROMUNDA_RULE.load(tmp_path / "a.toml", document, Cache(None))
    assert str(refused.value).endswith("and no number may be beyond 1000000") == is_beyond


def stacked(on: str, count: int, order: int = 1) -> dict[str, object]:
    """A scene with a stack of boxes, 3 mm high, each on ``on``, in which {} is the number of the box below."""
    boxes = [
        {"name": f"box {number}", "at": [0, 0], "on": on.format(number - 1), "parts": [{"box": [9, 9, 3]}]}
        for number in range(1, count)
    ]
    lowest = {"name": "box 0", "at": [0, 0], "parts": [{"box": [9, 9, 3]}]}
    return {"rules": "necromunda", "terrain": [lowest, *boxes][::order]}


def test_a_stack_of_hundreds_of_pieces_is_lowered_in_seconds() -> None:
    """Before, each piece was tried on all others below it, and 500 took more than 30 s."""
    start = time.process_time()
    for on in ("surface", "box {}"):
        table = NECROMUNDA_RULE.load(Path("stack.toml"), stacked(on, 300), Cache(None))
        assert [round(piece.pose.translation[2], 6) for piece in table.pieces] == [3.0 * at for at in range(300)]
    assert time.process_time() - start < 6.0
    with pytest.raises(
        FileError, match="terrain 'box 99': over 200 pieces wait for it to be lowered; write them after"
    ):
        NECROMUNDA_RULE.load(Path("stack.toml"), stacked("box {}", 300, -1), Cache(None))
