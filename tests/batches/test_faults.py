"""Whatever happens in the middle of a batch: nothing is lost, nothing is judged twice, and it is said in a line."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from silhouette.batches.chunks import ChunkJudge
from silhouette.workers import CAN_FORK
from tests.support.batching import (
    FAST,
    alive_in_group,
    before_each_check,
    die,
    finished,
    folder_of_scenes,
    folder_of_scenes_with_meshes,
    journaled,
    rows_of,
    running,
    scene_of_blocks,
    wait_until,
)
from tests.support.commands import CHECK, run, scene

pytestmark = pytest.mark.skipif(not CAN_FORK, reason="signals and forked processes are others on this system")

SLOW = 0.02
SOLIDS, MESHES = pytest.param(folder_of_scenes, id="solids"), pytest.param(folder_of_scenes_with_meshes, id="meshes")
"""Workers of scenes with meshes are forked from a process that has loaded them."""


def packs(*cases: Any, rest: tuple[Any, ...] = ()) -> pytest.MarkDecorator:
    """Packs of such scenes; before a release those as well that are the rest."""
    later = [pytest.param(*case.values, id=case.id, marks=pytest.mark.long) for case in rest]
    return pytest.mark.parametrize("undisturbed", [*cases, *later], indirect=True)


COUNTING = """
from silhouette.batches import chunks
uncounted = chunks.judge_all
def counted(requests, options):
    open({file!r}, "a").write("x" * len(requests))
    return uncounted(requests, options)
chunks.judge_all = counted
"""
MODELS = 4
ROWS = 4 * MODELS * (MODELS - 1)


@pytest.fixture
def undisturbed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], request: pytest.FixtureRequest
) -> tuple[Path, bytes]:
    """A pack of four scenes, in each of which all look at all, and the file that it becomes."""
    folder = getattr(request, "param", folder_of_scenes)(tmp_path / "pack", models=MODELS, across=2)
    run(capsys, "batch", folder, "--everyone", "--out", tmp_path / "undisturbed.jsonl", *FAST)
    return folder, (tmp_path / "undisturbed.jsonl").read_bytes()


@pytest.mark.long
@packs(MESHES, rest=(SOLIDS,))
def test_a_batch_killed_again_and_again_is_the_same_file_and_judges_nothing_twice(
    tmp_path: Path, undisturbed: tuple[Path, bytes]
) -> None:
    folder, expected = undisturbed
    out = tmp_path / "out.jsonl"
    words = ("batch", folder, "--everyone", "--out", out, "--workers", 2, *FAST)
    random = np.random.default_rng(5)
    before, leaders = 0, []
    for goal in sorted(random.integers(1, ROWS - 12, 4)):
        with running(*words, *(["--resume"] if before else []), seconds=SLOW, still=(out, goal)) as batch:
            leaders.append(batch.pid)
            wait_until(lambda goal=goal: len(journaled(out)) >= goal)
        journal = journaled(out)
        assert ROWS > len(set(journal)) == len(journal) >= max(before, goal)
        before = len(journal)
    judged = tmp_path / "judged"
    last = finished(*words, "--resume", before=COUNTING.format(file=str(judged)))
    assert (last.returncode, last.stderr) == (0, "")
    assert f"{before} judged before" in last.stdout
    assert len(judged.read_text()) == ROWS - before
    assert out.read_bytes() == expected
    assert sorted(path.name for path in tmp_path.iterdir()) == ["judged", "out.jsonl", "pack", "undisturbed.jsonl"]
    time.sleep(1.5)
    assert [alive_in_group(leader) for leader in leaders] == [[]] * 4


@pytest.mark.thinned(quick=50)
@pytest.mark.parametrize(
    ("make", "processes"), [(folder_of_scenes, 3), (folder_of_scenes_with_meshes, 4)], ids=["solids", "meshes"]
)
def test_workers_go_though_they_are_in_the_middle_of_something(
    tmp_path: Path, make: Callable[[Path], Path], processes: int
) -> None:
    words = ("batch", make(tmp_path / "pack"), "--everyone", "--out", tmp_path / "a.csv", "--workers", 2, *FAST)
    with running(*words, seconds=60.0) as batch:
        wait_until(lambda: len(alive_in_group(batch.pid)) >= processes)
    wait_until(lambda: not alive_in_group(batch.pid))


@pytest.mark.long
@packs(SOLIDS, rest=(MESHES,))
def test_ctrl_c_ends_it_at_once_and_says_how_to_go_on(tmp_path: Path, undisturbed: tuple[Path, bytes]) -> None:
    folder, expected = undisturbed
    out = tmp_path / "out.jsonl"
    words = ("batch", folder, "--everyone", "--out", out, *FAST)
    with running(*words, seconds=0.05) as batch:
        wait_until(lambda: len(journaled(out)) > 5)
        os.killpg(batch.pid, signal.SIGINT)  # as a terminal sends it: to the workers as well
        told, complained = batch.communicate(timeout=60)
    assert (batch.returncode, told) == (130, "")
    assert complained == (
        f"error: interrupted; what was judged is kept beside {out}: the same command with --resume goes on\n"
    )
    assert alive_in_group(batch.pid) == []
    refused = finished(*words)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "an unfinished batch is kept there; go on with it by --resume" in refused.stderr
    for option, value in (("--pixel", "3"), ("--error", "0.01")):
        otherwise = finished(*words, "--resume", option, value)
        assert otherwise.returncode == 2
        before = "--pixel 2" if option == "--pixel" else "no --error"
        assert f"it was begun with {before}, not with {option} {value}; give the options as" in otherwise.stderr
    assert finished(*words, "--resume").returncode == 0
    assert out.read_bytes() == expected


@pytest.mark.slow
@packs(SOLIDS, rest=(MESHES,))
def test_a_worker_that_dies_costs_one_row(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    undisturbed: tuple[Path, bytes],
) -> None:
    folder, _ = undisturbed
    expected = rows_of(tmp_path / "undisturbed.jsonl")
    before_each_check(monkeypatch, lambda check: die(check, "M1", "M3"))
    for workers in (1, 3):
        out = tmp_path / f"by {workers}.jsonl"
        ran = run(capsys, "batch", folder, "--everyone", "--out", out, "--workers", workers, *FAST)
        assert ran.status == 2
        assert len(ran.complaints) == 4
        for row, other in zip(rows_of(out), expected, strict=True):
            if (other["attacker"], other["target"]) == ("M1", "M3"):
                sentence = f"{other['scene']}: M1 to M3: the process that was at it ended (killed by SIGKILL)"
                named = {key: other[key] for key in ("scene", "attacker", "target", "rules")}
                assert row == named | {"problem": sentence, "error": sentence}
            else:
                assert row == other
    assert (tmp_path / "by 1.jsonl").read_bytes() == (tmp_path / "by 3.jsonl").read_bytes()


@pytest.mark.slow
@packs(MESHES, rest=(SOLIDS,))
@pytest.mark.parametrize("moment", ["opening", "judging"])
def test_a_worker_that_is_killed_once_costs_nothing(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    undisturbed: tuple[Path, bytes],
    moment: str,
) -> None:
    """As where the system is out of memory for a moment; the worker after it begins where it was."""
    folder, expected = undisturbed
    killed = tmp_path / "killed"
    killed.mkdir()

    def die_once(name: str) -> None:
        with suppress(FileExistsError):
            (killed / name).touch(exist_ok=False)
            os.kill(os.getpid(), signal.SIGKILL)

    def opening(judge: ChunkJudge, chunk: Any) -> Any:
        die_once(Path(chunk.scene).stem)
        return opened(judge, chunk)

    opened = ChunkJudge._opened
    if moment == "opening":
        before_each_check(monkeypatch, lambda check: None)
        monkeypatch.setattr(ChunkJudge, "_opened", opening)
    else:
        before_each_check(monkeypatch, lambda check: die_once(f"{check.attacker} {check.target}"))
    out = tmp_path / "out.jsonl"
    ran = run(capsys, "batch", folder, "--everyone", "--out", out, "--workers", 2, *FAST)
    assert (ran.status, ran.complaints) == (0, [])
    assert len(list(killed.iterdir())) == (4 if moment == "opening" else ROWS // 4)
    assert out.read_bytes() == expected


@pytest.mark.long
def test_the_time_after_ctrl_z_does_not_count(tmp_path: Path, undisturbed: tuple[Path, bytes]) -> None:
    """Ctrl-Z stops the group; its own signal is ignored by a group that no shell looks after, hence the other one."""
    folder, expected = undisturbed
    out = tmp_path / "out.jsonl"
    words = ("batch", folder, "--everyone", "--out", out, "--workers", 2, "--timeout", 3, *FAST)
    with running(*words, seconds=0.02) as batch:
        wait_until(lambda: len(journaled(out)) > 5)
        os.killpg(batch.pid, signal.SIGSTOP)
        time.sleep(3.5)
        assert batch.poll() is None
        os.killpg(batch.pid, signal.SIGCONT)
        told, complained = batch.communicate(timeout=60)
    assert (batch.returncode, complained) == (0, "")
    assert "with an error" not in told
    assert out.read_bytes() == expected


@pytest.mark.long
def test_a_check_that_hangs_is_a_row_after_the_timeout(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def hang(check: Any) -> None:
        while (check.attacker, check.target) == ("M0", "M1"):
            pass

    path = scene_of_blocks(tmp_path / "crowd.toml", 3)
    before_each_check(monkeypatch, hang)
    out = tmp_path / "out.jsonl"
    ran = run(capsys, "batch", path, "--everyone", "--out", out, "--timeout", "2", *FAST)
    assert ran.status == 2
    assert ran.complaints == [f"error: {path}: M0 to M1: not done within 2 s, the --timeout"]
    assert [isinstance(row["error"], str) for row in rows_of(out)] == [True] + [False] * 5


@pytest.mark.parametrize("ending", ["hang", "die"])
def test_a_scene_that_cannot_even_be_read_is_a_row(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    bad = scene(tmp_path, CHECK, name="bad.toml")
    good = scene(tmp_path, CHECK, name="good.toml")
    right = __import__("silhouette.judging", fromlist=["load_scene"]).load_scene

    def load_scene(path: Path, **words: Any) -> Any:
        if path == bad:
            time.sleep(60.0 if ending == "hang" else 0.0)
            os._exit(7)
        return right(path, **words)

    before_each_check(monkeypatch, lambda check: None)
    monkeypatch.setattr("silhouette.batches.chunks.load_scene", load_scene)
    ran = run(capsys, "batch", tmp_path, "--out", tmp_path / "out.jsonl", "--timeout", "2", *FAST)
    why = (
        "not done within 2 s, the --timeout" if ending == "hang" else "the process that was at it ended (exit status 7)"
    )
    assert ran.complaints == [f"error: {bad}: {why}"]
    first, second = rows_of(tmp_path / "out.jsonl")
    assert first == {"scene": bad.as_posix(), "problem": f"{bad}: {why}", "error": f"{bad}: {why}"}
    assert (second["scene"], second["verdict"]) == (good.as_posix(), "partial cover")


@pytest.mark.long
def test_a_full_disk_is_one_line_and_the_batch_goes_on_when_there_is_room(
    tmp_path: Path, undisturbed: tuple[Path, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, expected = undisturbed
    monkeypatch.delenv("COVERAGE_PROCESS_CONFIG", raising=False)  # coverage's own data would not fit either
    out = tmp_path / "out.jsonl"
    words = ("batch", folder, "--everyone", "--out", out, *FAST)

    def stops(*options: str, before: str = "") -> str:
        ran = finished(*words, *options, before=before)
        assert (ran.returncode, ran.stdout) == (2, "")
        (line,) = ran.stderr.splitlines()
        assert line.startswith(f"error: {out}")
        assert line.endswith("; put that right, then go on with --resume")
        assert not out.exists()
        return line

    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))\n"
    assert "out.jsonl.unfinished: cannot be written (File too large)" in stops(before=limit)
    assert 10 < len(journaled(out)) < ROWS
    # The rows still fit, the finished file does not: only that file is waited for until it is on the disk.
    full = "import os\ndef full(number): raise OSError(28, os.strerror(28))\nos.fsync = full\n"
    assert "out.jsonl: cannot be written (No space left on device)" in stops("--resume", before=full)
    assert len(journaled(out)) == ROWS
    kept = len(journaled(out))
    ran = finished(*words, "--resume")
    assert ran.returncode == 0
    assert f"{kept} judged before" in ran.stdout
    assert out.read_bytes() == expected


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Callable[[str], Path]]:
    """A disk of its own: called with a size, it has that size from then on, and says where it is."""
    folder = tmp_path / "disk"
    folder.mkdir()

    def sized(size: str) -> Path:
        again = "remount," if folder.is_mount() else ""
        words = ["mount", "-t", "tmpfs", "-o", f"{again}size={size}", "none", str(folder)]
        try:
            subprocess.run(words, check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError) as error:
            pytest.skip(f"a small disk cannot be mounted here ({error})")
        return folder

    yield sized
    if folder.is_mount():
        subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.long
def test_a_disk_that_fills_loses_no_row(undisturbed: tuple[Path, bytes], small_disk: Callable[[str], Path]) -> None:
    folder, expected = undisturbed
    before = 0
    for size, full in (("12k", "out.jsonl.unfinished"), ("24k", "out.jsonl.unfinished"), ("64k", "out.jsonl")):
        out = small_disk(size) / "out.jsonl"
        words = ("batch", folder, "--everyone", "--out", out, *FAST)
        ran = finished(*words, *(["--resume"] if before else []))
        assert (ran.returncode, ran.stdout) == (2, "")
        assert ran.stderr == (
            f"error: {out.with_name(full)}: cannot be written (No space left on device); "
            "put that right, then go on with --resume\n"
        )
        kept = journaled(out)
        assert len(set(kept)) == len(kept) > before
        assert [path.name for path in out.parent.iterdir()] == ["out.jsonl.unfinished"]
        before = len(kept)
    assert before == ROWS
    small_disk("2m")
    ran = finished(*words, "--resume")
    assert ran.returncode == 0
    assert f"{ROWS} judged before" in ran.stdout
    assert out.read_bytes() == expected
    assert [path.name for path in out.parent.iterdir()] == ["out.jsonl"]


@pytest.mark.slow
def test_an_output_folder_that_goes_away_is_one_line(tmp_path: Path) -> None:
    folder = tmp_path / "results"
    folder.mkdir()
    words = ("batch", folder_of_scenes(tmp_path / "pack"), "--everyone", "--out", folder / "out.jsonl", *FAST)
    with running(*words, seconds=0.1) as batch:
        wait_until(lambda: len(journaled(folder / "out.jsonl")) > 5)
        shutil.rmtree(folder)
        told, complained = batch.communicate(timeout=60)
    assert (batch.returncode, told) == (2, "")
    (line,) = complained.splitlines()
    assert line.startswith(f"error: {folder / 'out.jsonl.unfinished'}: cannot be written")
    assert alive_in_group(batch.pid) == []


@pytest.mark.long
def test_of_two_batches_that_write_one_file_the_second_is_refused(
    tmp_path: Path, undisturbed: tuple[Path, bytes]
) -> None:
    folder, expected = undisturbed
    out = tmp_path / "out.jsonl"
    words = ("batch", folder, "--everyone", "--out", out, *FAST)
    with running(*words, seconds=0.02) as first:
        wait_until(lambda: len(journaled(out)) > 0)
        first.send_signal(signal.SIGSTOP)  # however long the second takes to start, the first still writes
        second = finished(*words, "--resume")
        first.send_signal(signal.SIGCONT)
        _, complained = first.communicate(timeout=60)
    assert second.returncode == 2
    assert second.stderr == f"error: {out}: another batch is writing it now; wait for it, or name another file\n"
    assert (first.returncode, complained) == (0, "")
    assert out.read_bytes() == expected
