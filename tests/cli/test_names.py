"""Files whose names are no UTF-8 are read, judged and named like all others."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.support.commands import run

MESH = "v 0 0 0\nv 30 0 0\nv 0 30 0\nv 0 0 30\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"
SCENE = """rules = "necromunda"
fighter = [
  { name = "Kal", at = [0, 0], parts = [{ box = [12, 12, 30] }] },
  { name = "Vex", at = [0, 200], parts = [{ box = [12, 12, 30] }] },
]
check = [{ attacker = "Kal", target = "Vex" }]
"""


@pytest.mark.long
@pytest.mark.skipif(sys.platform in ("darwin", "win32"), reason="every name is Unicode there")
def test_a_name_that_is_no_utf_8_is_a_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / os.fsdecode(b"minis\xff")
    folder.mkdir()
    mesh, scene = (folder / os.fsdecode(name) for name in (b"kal\xfe.obj", b"duel\xfe.toml"))
    mesh.write_text(MESH)
    scene.write_text(SCENE)
    for command in (
        ["inspect", mesh],
        ["check", scene],
        ["matrix", scene],
        ["batch", folder, "--out", folder / "r.csv"],
    ):
        ran = run(capsys, *command, "--quiet")
        assert (ran.status, ran.complaints) == (0, []), command
    gone = run(capsys, "inspect", folder / os.fsdecode(b"gone\xfe.stl"))
    assert gone.status == 2
    assert len(gone.complaints) == 1
    assert "internal" not in gone.complaints[0]
