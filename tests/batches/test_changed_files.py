"""Files that change while a batch is judged, or between two runs of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from silhouette.workers import CAN_FORK
from tests.support.batching import (
    FAST,
    before_each_check,
    finished,
    folder_of_scenes,
    journaled,
    rows_of,
    running,
    scene_of_blocks,
    wait_until,
    write_block,
)
from tests.support.commands import run

pytestmark = pytest.mark.skipif(not CAN_FORK, reason="signals and forked processes are others on this system")


@pytest.mark.thinned(quick=20, ci=34)
@pytest.mark.parametrize("changed", ["scene", "model", "mesh"])
def test_what_changes_between_kill_and_resume_is_judged_anew(tmp_path: Path, changed: str) -> None:
    folder = folder_of_scenes(tmp_path / "pack", scenes=2)
    write_block(folder / "block.obj", 20.0)
    (folder / "block.toml").write_text('mesh = "block.obj"\nkind = "terrain"\nunits = "mm"\n')
    path = folder / "crowd 0.toml"
    piece = '{ name = "block", model = "block.toml", at = [0, 75] }'
    path.write_text(path.read_text().replace("terrain = [", f"terrain = [{piece}, "))
    out = tmp_path / "out.jsonl"
    words = ("batch", folder, "--everyone", "--workers", 1, *FAST)
    with running(*words, "--out", out, seconds=0.02, still=(out, 11)):
        wait_until(lambda: len(journaled(out)) > 10)
    if changed == "scene":
        path.write_text(path.read_text().replace("at = [0, 75]", "at = [-2, 75]"))
    elif changed == "model":
        (folder / "block.toml").write_text('mesh = "block.obj"\nkind = "terrain"\nunits = "mm"\nscale = 1.1\n')
    else:
        write_block(folder / "block.obj", 19.0)
    unchanged = sum(Path(scene) != path for scene, _ in journaled(out))
    ran = finished(*words, "--out", out, "--resume")
    assert ran.returncode == 0
    assert ("judged before" in ran.stdout) == (unchanged > 0)
    assert finished(*words, "--out", tmp_path / "fresh.jsonl").returncode == 0
    assert out.read_bytes() == (tmp_path / "fresh.jsonl").read_bytes()


def test_what_changes_while_it_is_judged_is_an_error_and_never_mixed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = scene_of_blocks(tmp_path / "crowd.toml", 8)

    def change(check: Any) -> None:
        if (check.attacker, check.target) == ("M3", "M0"):
            scene_of_blocks(path, 8, wall=25.0)

    before_each_check(monkeypatch, change)
    ran = run(capsys, "batch", path, "--everyone", "--out", tmp_path / "out.jsonl", "--workers", 1, *FAST)
    assert ran.status == 2
    wrong = [isinstance(row["error"], str) for row in rows_of(tmp_path / "out.jsonl")]
    assert wrong == [False] * 32 + [True] * 24
    assert set(ran.complaints) == {f"error: {path}: it was changed while it was judged; judge it again"}
