"""Finished files: complete at once when they are resumed, and only their failed rows judged when that is asked."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from silhouette.batches import finished as finished_module
from silhouette.batches.export import failed, write_table
from silhouette.batches.finished import FinishedRecord, Repair, content_of, read_rows, record_of
from silhouette.batches.journal import Journal
from silhouette.common.errors import FileError
from silhouette.files.cache import DIRECTORY_VARIABLE
from silhouette.scenes.finding import identity
from tests.batches.test_export import ROWS
from tests.support.batching import (
    FAST,
    before_each_check,
    die,
    finished,
    folder_of_scenes,
    journaled,
    rows_of,
    running,
    scene_of_blocks,
    wait_until,
)
from tests.support.commands import CHECK, Ran, run, scene

endings = pytest.mark.parametrize("ending", ["jsonl", "csv", "parquet"])

MODELS = 4
PAIRS = MODELS * (MODELS - 1)
"""Of each of the three scenes."""

Batch = Callable[..., Ran]


@pytest.fixture
def batch(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Batch:
    """The command in a folder of its own, on the scenes in ``pack``, into a file of that ending."""
    monkeypatch.chdir(tmp_path)
    folder_of_scenes(Path("pack"), scenes=3, models=MODELS, across=2)

    def judged(*options: object, ending: str = "jsonl", path: object = "pack") -> Ran:
        words = ("batch", path, "--everyone", "--out", f"out.{ending}", "--workers", 2, *FAST)
        return run(capsys, *map(str, (*words, *options)))

    return judged


def without_times(junit: str) -> str:
    """A JUnit file but for how long its checks took, which alone no two runs have in common."""
    return re.sub(r' time="[^"]*"', "", Path(junit).read_text(encoding="utf-8"))


def no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("silhouette.batches.run.judge_scenes", lambda *_: pytest.fail("judged again"))


@endings
def test_a_finished_batch_counts_the_same_verdicts(batch: Batch, ending: str) -> None:
    if ending == "parquet":
        pytest.importorskip("pyarrow")
    first, again = (json.loads(batch("--json", *more, ending=ending).out) for more in ((), ("--resume",)))
    assert again["complete"]
    assert first["games"] == again["games"]
    (game,) = first["games"].values()
    assert (game["scenes"], game["checks"], sum(game["verdicts"].values())) == (3, 3 * PAIRS, 3 * PAIRS)
    assert game["marginal"] < 3 * PAIRS


@pytest.mark.long
@endings
def test_a_finished_batch_is_resumed_at_once_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, batch: Batch, ending: str
) -> None:
    if ending == "parquet":
        pytest.importorskip("pyarrow")
    scene(Path("pack"), CHECK + 'expect = { verdict = "hidden" }\n', name="walled.toml")
    (tmp_path / "pack" / "bad.toml").write_text("rules = ")
    everyone = [path for path in sorted(Path("pack").iterdir()) if path.stem != "walled"]
    first = batch(*everyone[1:], "--junit", "a.xml", ending=ending, path=everyone[0])
    assert first.status == 2
    content = Path(f"out.{ending}").read_bytes()
    with monkeypatch.context() as patch:
        no_worker(patch)
        again = batch(*everyone[1:], "--resume", "--junit", "b.xml", ending=ending, path=f"./{everyone[0]}")
        assert (again.status, again.complaints) == (2, first.complaints)
        assert again.out.startswith(
            f"already complete: {3 * PAIRS + 1} rows in out.{ending}, every expectation held, 1 with an error"
        )
        assert without_times("a.xml") == without_times("b.xml")
        monkeypatch.chdir("pack")
        elsewhere = ["batch", *(path.name for path in everyone), "--everyone", "--out", f"../out.{ending}", "--resume"]
        assert "already complete" in finished(*elsewhere, *FAST).stdout
    assert (tmp_path / f"out.{ending}").read_bytes() == content


@pytest.mark.thinned(quick=20, ci=20)
@pytest.mark.parametrize("changed", ["scene", "scenes", "settings", "file", "record"])
def test_a_finished_batch_is_judged_again_where_anything_has_changed(
    monkeypatch: pytest.MonkeyPatch, batch: Batch, changed: str
) -> None:
    batch()
    options: list[object] = ["--resume"]
    if changed == "scene":
        scene_of_blocks(Path("pack", "crowd 1.toml"), MODELS, wall=40.0, across=2)
    elif changed == "scenes":
        scene_of_blocks(Path("pack", "crowd 3.toml"), MODELS, across=2)
    elif changed == "settings":
        options += ["--pixel", 1]
    elif changed == "file":
        Path("out.jsonl").write_text("{}\n")
    else:
        monkeypatch.setattr(finished_module, "_place", lambda out: Path("no", "such", "record"))
    before = Path("out.jsonl").read_bytes()
    ran = batch(*options)
    assert ran.status == 0
    assert "already complete" not in ran.out
    assert (Path("out.jsonl").read_bytes() == before) == (changed == "record")
    assert len(rows_of(Path("out.jsonl"))) == (4 if changed == "scenes" else 3) * PAIRS


def _without_problem(row: Mapping[str, Any]) -> dict[str, Any]:
    """The row but for a column that goes with the last failure."""
    return {key: value for key, value in row.items() if key != "problem"}


@pytest.mark.thinned(quick=0, ci=34)
@endings
def test_only_failed_rows_are_judged_again_and_all_others_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, batch: Batch, ending: str
) -> None:
    if ending == "parquet":
        pytest.importorskip("pyarrow")
    batch("--junit", "undisturbed.xml", ending=ending)
    out, undisturbed = Path(f"out.{ending}"), Path(f"undisturbed.{ending}")
    out.rename(undisturbed)
    with monkeypatch.context() as patch:
        before_each_check(patch, lambda check: die(check, "M1", "M3"))
        assert batch(ending=ending).status == 2
    bad = [number for number, row in enumerate(read_rows(out)) if failed(row)]
    assert len(bad) == 3
    before = [_without_problem(row) for row in read_rows(out)]
    log = tmp_path / "judged"
    log.touch()

    def judged(check: Any) -> None:
        with log.open("a") as file:
            file.write(f"{check.attacker} {check.target}\n")
        die(check, "M9", "M9")

    with monkeypatch.context() as patch:
        before_each_check(patch, judged)
        ran = batch("--retry-errors", "--junit", "out.xml", ending=ending)
    assert (ran.status, ran.out) == (
        0,
        f"{3 * PAIRS} rows in out.{ending}, {3 * PAIRS - 3} judged before, every expectation held\n",
    )
    assert log.read_text() == "M1 M3\n" * 3
    after = [_without_problem(row) for row in read_rows(out)]
    assert [number for number, row in enumerate(after) if row != before[number]] == bad
    assert out.read_bytes() == undisturbed.read_bytes()
    assert without_times("out.xml") == without_times("undisturbed.xml")
    no_worker(monkeypatch)
    assert f"already complete: {3 * PAIRS} rows" in batch("--retry-errors", ending=ending).out
    assert f"already complete: {3 * PAIRS} rows" in batch("--resume", ending=ending).out


@pytest.mark.slow
def test_a_scene_that_could_not_be_read_gets_all_of_its_rows(batch: Batch) -> None:
    path = Path("pack", "crowd 1.toml")
    right = path.read_text()
    path.write_text("rules = ")
    assert batch().status == 2
    before = Path("out.jsonl").read_text().splitlines()
    assert len(before) == 2 * PAIRS + 1
    path.write_text(right)
    assert batch("--retry-errors").status == 0
    after = Path("out.jsonl").read_text().splitlines()
    assert len(after) == 3 * PAIRS
    assert (after[:PAIRS], after[2 * PAIRS :]) == (before[:PAIRS], before[PAIRS + 1 :])
    assert {row["scene"] for row in rows_of(Path("out.jsonl"))[PAIRS : 2 * PAIRS]} == {"pack/crowd 1.toml"}


@pytest.mark.long
@pytest.mark.parametrize("change", ["gone", "other"])
def test_rows_of_two_states_of_a_scene_are_never_mixed(
    monkeypatch: pytest.MonkeyPatch, batch: Batch, change: str
) -> None:
    with monkeypatch.context() as patch:
        before_each_check(patch, lambda check: die(check, "M1", "M3"))
        batch()
    before = rows_of(Path("out.jsonl"))
    if change == "gone":  # what was judged of it stays, and the error as well
        Path("pack", "crowd 1.toml").unlink()
        assert batch("--retry-errors", "pack/crowd 1.toml", path="pack/crowd 0.toml").status == 2
        assert rows_of(Path("out.jsonl"))[PAIRS:] == before[PAIRS:]
        assert not any(map(failed, rows_of(Path("out.jsonl"))[:PAIRS]))
        return
    scene_of_blocks(Path("pack", "crowd 1.toml"), MODELS, wall=40.0, across=2)
    assert batch("--retry-errors").status == 0
    after = Path("out.jsonl").read_bytes()
    assert batch().status == 0
    assert Path("out.jsonl").read_bytes() == after


@pytest.mark.long
def test_a_repair_that_is_killed_goes_on(monkeypatch: pytest.MonkeyPatch, batch: Batch) -> None:
    batch()
    undisturbed = Path("out.jsonl").read_bytes()
    with monkeypatch.context() as patch:
        before_each_check(patch, lambda check: die(check, check.attacker, "M3"))
        batch()
    out, words = Path("out.jsonl"), ("batch", "pack", "--everyone", "--out", "out.jsonl", "--workers", 1, *FAST)
    damaged = out.read_bytes()
    with running(*words, "--retry-errors", seconds=0.1, still=(out, 3 * PAIRS - 8)):
        wait_until(lambda: len(journaled(out)) > 3 * PAIRS - 9)  # all but those of M3 are there at once
    assert out.read_bytes() == damaged
    refused = batch("--resume")
    assert (refused.status, len(refused.complaints)) == (2, 1)
    assert "it was begun with" in refused.complaints[0]
    assert batch("--retry-errors", "--resume").status == 0
    assert out.read_bytes() == undisturbed


@pytest.mark.long
def test_what_cannot_be_judged_again_is_refused(monkeypatch: pytest.MonkeyPatch, batch: Batch) -> None:
    def refused(*options: object, **words: Any) -> str:
        (line,) = batch("--retry-errors", *options, **words).complaints
        return line

    assert "there is no finished file whose failed rows could be judged again" in refused()
    with monkeypatch.context() as patch:
        before_each_check(patch, lambda check: die(check, "M1", "M3"))
        batch()
    assert "it was judged with --pixel 2, not with --pixel 1; give the options as before" in refused("--pixel", 1)
    shutil.copytree("pack", "other")
    assert "its failed rows are of other scenes, such as pack/crowd 0.toml" in refused(path="other")
    Path("out.csv").write_text("a,b\n1,2\n")
    assert "is no file that a batch wrote" in refused(ending="csv")
    assert sorted(os.listdir()) == ["other", "out.csv", "out.jsonl", "pack"]


@endings
@pytest.mark.parametrize("content", [b"\xff\xfe", b"{}\n", b"[1]\n", b"scene\n1,2\n", b"PAR1", b'scene\n"a'])
def test_what_no_batch_wrote_is_no_file_of_rows(tmp_path: Path, ending: str, content: bytes) -> None:
    if ending == "parquet":
        pytest.importorskip("pyarrow")
    path = tmp_path / f"out.{ending}"
    path.write_bytes(content)
    with pytest.raises(FileError, match="is no file that a batch wrote"):
        read_rows(path)


@endings
def test_rows_that_are_read_back_are_written_as_they_were(tmp_path: Path, ending: str) -> None:
    """Whatever stands in them."""
    if ending == "parquet":
        pytest.importorskip("pyarrow")
    one, other = tmp_path / f"one.{ending}", tmp_path / f"other.{ending}"
    write_table(one, ROWS)
    rows = read_rows(one)
    write_table(other, rows)
    assert one.read_bytes() == other.read_bytes()
    assert [row["scene"] for row in rows] == [row["scene"] for row in ROWS]
    assert [failed(row) for row in rows] == [False, False, False, True]
    assert [row.get("expected") for row in rows] == [row.get("expected") for row in ROWS]
    assert rows[2]["unmet"] == ROWS[2]["unmet"]


def test_new_columns_come_after_those_that_were_there(tmp_path: Path) -> None:
    write_table(tmp_path / "out.csv", [{"scene": "a.toml", "error": "a.toml: gone"}])
    kept = read_rows(tmp_path / "out.csv")
    new = {"scene": "b.toml", "verdict": "open", "seen": [1, True], "error": 0.5}
    write_table(tmp_path / "out.csv", [*kept, new])
    assert (tmp_path / "out.csv").read_text().splitlines() == [
        "scene,verdict,error,seen",
        "a.toml,,a.toml: gone,",
        'b.toml,open,0.5,"[1, true]"',
    ]


def test_junit_of_a_file_is_that_of_its_rows(tmp_path: Path) -> None:
    from silhouette.batches.export import write_junit

    write_table(tmp_path / "out.csv", ROWS)
    write_junit(tmp_path / "read.xml", read_rows(tmp_path / "out.csv"))
    root = ElementTree.parse(tmp_path / "read.xml").getroot()
    assert [root.get(key) for key in ("tests", "failures", "errors", "skipped")] == ["4", "1", "1", "1"]
    names = [case.get("name") for case in root.iter("testcase")]
    assert names[1:] == [json.dumps([0, 1]) + " to " + json.dumps([2, -1]), "Kal", "check 1"]


@pytest.mark.parametrize("share", [True, False])
def test_a_parquet_file_of_an_earlier_version_is_read_as_well(tmp_path: Path, share: bool) -> None:
    """Where some rows have the error of a share, and others a sentence, all are JSON, and nothing marks the column."""
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    sentence = "b.toml: not TOML"
    errors = ["0.002", json.dumps(sentence), None] if share else [None, sentence, None]
    table = {"scene": ["a.toml", "b.toml", "c.toml"], "attacker": ["1", None, "2"], "error": errors}
    parquet.write_table(pyarrow.table(table), tmp_path / "out.parquet")
    rows = read_rows(tmp_path / "out.parquet")
    assert [failed(row) for row in rows] == [False, True, False]
    assert [row["attacker"] for row in rows] == ["1", None, "2"]
    assert rows[1]["error"] == sentence


def test_of_many_records_the_latest_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(DIRECTORY_VARIABLE, str(tmp_path / "cache"))
    monkeypatch.setattr(finished_module, "MAX_RECORDS", 2)
    outs = [tmp_path / f"{number}.jsonl" for number in range(3)]
    for number, out in enumerate(outs):
        out.write_text(f"{number}\n")
        before = list((tmp_path / "cache").rglob("*.json"))
        FinishedRecord(content_of(out), {}, {}, ".").keep(out)
        for record in {*(tmp_path / "cache").rglob("*.json")}.difference(before):
            os.utime(record, (number, number))
    assert [record_of(out) is not None for out in outs] == [False, True, True]


def test_a_scene_that_cannot_be_opened_for_a_repair_keeps_the_state_of_its_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(DIRECTORY_VARIABLE, str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    out = Path("out.jsonl")
    write_table(out, [{"scene": f"{name}.toml", "problem": "lost", "error": "lost"} for name in "ab"])
    states = {identity(f"{name}.toml"): f"state of {name}" for name in "ab"}
    FinishedRecord(content_of(out), {}, states, str(tmp_path)).keep(out)
    repair = Repair(out, {}, ["a.toml", "b.toml"])
    with Journal(out, repair.options, resume=False) as journal:
        journal.open_scene("a.toml", "", 1)
        journal.open_scene("b.toml", "new state of b", 1)
        record = repair.record(journal)
    assert record is not None
    assert dict(record.scenes) == {identity("a.toml"): "state of a", identity("b.toml"): "new state of b"}
