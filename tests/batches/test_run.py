"""Many scenes: which they are, the same file by any number of workers, what is asked, expected and told."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from silhouette.batches import chunks as chunks_module
from silhouette.batches import run as run_module
from silhouette.batches.chunks import Chunk, ChunkJudge, ChunkRequirements
from silhouette.batches.run import make_pool
from silhouette.batches.schedule import RowsInMemory, Schedule
from silhouette.batches.settings import BatchSettings
from silhouette.files.cache import Cache, MemoryCache
from silhouette.files.fingerprints import Fingerprints
from silhouette.files.reading import examples_folder
from silhouette.judging import load_scene
from silhouette.workers import CAN_FORK
from tests.support.batching import (
    FAST,
    folder_of_scenes,
    folder_of_scenes_with_meshes,
    force_forking,
    rows_of,
    scene_of_blocks,
    write_block,
)
from tests.support.commands import CHECK, run, scene

EXPECTED = CHECK + 'expect = { verdict = "partial cover" }\n'
NOT_EXPECTED = CHECK + 'expect = { verdict = "hidden" }\n'


@pytest.mark.thinned(quick=20, ci=20)
@pytest.mark.parametrize("ending", ["jsonl", "csv", "parquet"])
def test_the_file_is_the_same_by_one_worker_and_by_several(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], ending: str
) -> None:
    if ending == "parquet":
        pytest.importorskip("pyarrow")
    folder = folder_of_scenes(tmp_path / "pack", models=4, across=2)
    (folder / "bad.toml").write_text("rules = ")
    files = []
    for workers in (1, 3):
        out = tmp_path / f"by {workers}.{ending}"
        ran = run(capsys, "batch", folder, "--everyone", "--out", out, "--workers", workers, *FAST)
        assert ran.status == 2
        files.append(out.read_bytes())
    assert len(set(files)) == 1
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_file()) == [
        f"by {workers}.{ending}" for workers in (1, 3)
    ]


@pytest.mark.slow
def test_a_row_is_what_check_answers_with_its_scene(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = scene(tmp_path, EXPECTED)
    out = tmp_path / "out.jsonl"
    assert run(capsys, "batch", path, "--out", out, *FAST).status == 0
    (answer,) = run(capsys, "check", path, "--json", *FAST).document["scenes"][0]["results"]
    assert rows_of(out) == [{"scene": path.as_posix(), **answer}]


@pytest.mark.slow
def test_everyone_is_asked_instead_of_the_scene(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out.jsonl"
    assert (
        run(capsys, "batch", scene_of_blocks(tmp_path / "crowd.toml", 4), "--everyone", "--out", out, *FAST).status == 0
    )
    asked = [(row["attacker"], row["target"]) for row in rows_of(out)]
    assert asked == [(f"M{a}", f"M{b}") for a in range(4) for b in range(4) if a != b]


@pytest.mark.slow
def test_names_with_everything_in_them_are_read_back_from_csv(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = 'Kąl, "the\nRed" 🎲'
    path = scene(tmp_path, name="pack, 🎲.toml")
    text = path.read_text(encoding="utf-8").replace('"Kal"', json.dumps(name, ensure_ascii=False))
    path.write_text(
        text + f'[[check]]\nattacker = {json.dumps(name, ensure_ascii=False)}\ntarget = "Vex"\n', encoding="utf-8"
    )
    out = tmp_path / "out.csv"
    assert run(capsys, "batch", path, "--out", out, *FAST).status == 0
    with out.open(encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    assert (row["scene"], row["attacker"], row["verdict"]) == (path.as_posix(), name, "partial cover")
    assert json.loads(row["blockers"])[0]["name"] == "wall"


@pytest.mark.slow
def test_expectations_set_the_status_and_go_into_junit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = scene(tmp_path, EXPECTED, CHECK, name="good.toml")
    wrong = scene(tmp_path, NOT_EXPECTED, name="wrong.toml")
    junit = tmp_path / "junit.xml"
    options = ("--out", tmp_path / "out.jsonl", "--junit", junit, *FAST)
    held = run(capsys, "batch", good, *options)
    assert (held.status, held.out) == (0, f"2 rows in {tmp_path / 'out.jsonl'}, every expectation held\n")
    broken = run(capsys, "batch", good, wrong, "--expect", *options)
    assert broken.status == 1
    assert f"NOT AS EXPECTED: {wrong.as_posix()}: Kal to Vex: verdict is 'partial cover', not 'hidden'" in broken.out
    assert "1 not as expected" in broken.out
    suites = ElementTree.parse(junit).getroot()
    assert [suites.get(key) for key in ("tests", "failures", "errors", "skipped")] == ["3", "1", "0", "1"]
    document = run(capsys, "batch", wrong, "--json", *options).document
    assert (document["rows"], document["kept"], document["failed"]) == (1, 0, [])
    (sentence,) = document["unmet"]
    assert sentence.startswith(wrong.as_posix())


def test_junit_says_how_long_each_check_took(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scene(tmp_path, CHECK, EXPECTED, name="good.toml")
    (tmp_path / "bad.toml").write_text("rules = ")
    junit = tmp_path / "junit.xml"
    run(capsys, "batch", tmp_path, "--out", tmp_path / "out.jsonl", "--junit", junit, *FAST)
    suites = ElementTree.parse(junit).getroot()
    cases = {(case.get("classname", "")[-8:], case.get("name")): case.get("time") for case in suites.iter("testcase")}
    times = [time for time in cases.values() if time is not None]
    assert cases["bad.toml", "check 1"] is None  # it never came to be judged
    assert len(times) == 2
    assert float(suites.get("time", 0.0)) == pytest.approx(sum(map(float, times)), abs=1e-3)
    assert all(0.0 < float(time) < 60.0 for time in times)
    assert "seconds" not in (tmp_path / "out.jsonl").read_text()


def test_rows_are_the_same_wherever_the_folder_lies(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    mesh = 'rules = "necromunda"\nfighter = [{ name = "Kal", at = [0, 0], mesh = "models/%s" }]'
    contents = []
    for place in ("here", "over/there"):
        folder = tmp_path / place
        (folder / "scenes" / "models").mkdir(parents=True)
        monkeypatch.chdir(folder)
        scene(folder / "scenes", CHECK, name="good.toml")
        Path("scenes/models/bad.stl").write_text("no mesh")
        for name, text in {
            "no_toml": "rules = ",
            "no_mesh": mesh % "none.stl",
            "bad_mesh": mesh % "bad.stl",
            "no_game": 'rules = "none.toml"',
        }.items():
            Path("scenes", f"{name}.toml").write_text(text)
        ran = run(capsys, "batch", "scenes", "--out", "out.jsonl", "--junit", "junit.xml", *FAST)
        junit = re.sub(' time="[^"]*"', "", Path("junit.xml").read_text(encoding="utf-8"))
        contents.append((ran, Path("out.jsonl").read_text(encoding="utf-8"), junit))
    assert contents[0] == contents[1]
    assert str(tmp_path) not in contents[0][1]
    assert contents[0][1].count('"problem"') == 4


@pytest.mark.long
def test_no_two_test_cases_of_the_shipped_scenes_have_one_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = examples_folder() / "scenes" / "skirmishcorps"
    run(capsys, "batch", folder, "--out", tmp_path / "out.jsonl", "--junit", tmp_path / "junit.xml", *FAST)
    cases = list(ElementTree.parse(tmp_path / "junit.xml").getroot().iter("testcase"))
    assert len({(case.get("classname"), case.get("name")) for case in cases}) == len(cases) > 40


@pytest.mark.slow
def test_bad_scenes_are_rows_among_the_good_ones(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.toml").write_text("rules = ")
    (tmp_path / "b.toml").write_text('rules = "necromunda"\nfighter = [{ name = "Kal", at = [0, 0], mesh = "no.stl" }]')
    scene(tmp_path, EXPECTED, name="c.toml")
    scene(tmp_path, name="d.toml")
    out = tmp_path / "out.jsonl"
    ran = run(capsys, "batch", tmp_path, tmp_path / "e.toml", "--out", out, "--workers", 2, *FAST)
    assert ran.status == 2
    rows = rows_of(out)
    assert [Path(row["scene"]).name for row in rows] == ["a.toml", "b.toml", "c.toml", "d.toml", "e.toml"]
    assert [isinstance(row["error"], str) for row in rows] == [True, True, False, True, True]
    assert ran.complaints == [f"error: {row['error']}" for row in rows if isinstance(row["error"], str)]
    assert "not TOML" in rows[0]["error"]
    assert "no.stl" in rows[1]["error"]
    assert rows[3]["error"].endswith("has no [[check]]; add one, or say --everyone")
    assert "there is no such file" in rows[4]["error"]


@pytest.mark.slow
def test_where_out_is_a_link_it_stays_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    scene(tmp_path, EXPECTED)
    Path("disk").mkdir()
    for name in ("rows.jsonl", "junit.xml"):
        try:
            Path(name).symlink_to(Path("disk", name))
        except OSError as error:
            pytest.skip(f"links cannot be made here ({error})")
    Path("lost.jsonl").symlink_to(Path("gone", "rows.jsonl"))
    assert run(capsys, "batch", "walled.toml", "--out", "rows.jsonl", "--junit", "junit.xml", *FAST).status == 0
    assert Path("rows.jsonl").is_symlink()
    assert Path("junit.xml").is_symlink()
    assert len(rows_of(Path("disk", "rows.jsonl"))) == 1
    assert sorted(path.name for path in Path("disk").iterdir()) == ["junit.xml", "rows.jsonl"]
    (line,) = run(capsys, "batch", "walled.toml", "--out", "lost.jsonl", *FAST).complaints
    assert "there is no folder" in line
    assert "gone" in line


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--out", "out.csv", "--junit", "rows.xml"], "rows.xml: is the file for the rows as well"),
        (
            ["--out", "out.csv", "--junit", "scene.xml"],
            "scene.xml: is a link to walled.toml, which would be written over",
        ),
        (["--out", "scene.csv"], "scene.csv: is a link to walled.toml, which would be written over"),
    ],
)
def test_no_output_is_written_over_another_or_over_a_scene(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    options: list[str],
    complaint: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    scene(tmp_path, EXPECTED)
    before = Path("walled.toml").read_bytes()
    for link, leads_to in (("rows.xml", "out.csv"), ("scene.xml", "walled.toml"), ("scene.csv", "walled.toml")):
        Path(link).symlink_to(leads_to)
    ran = run(capsys, "batch", "walled.toml", *options)
    assert ran.status == 2
    (line,) = ran.complaints
    assert complaint in line
    assert Path("walled.toml").read_bytes() == before
    assert not Path("out.csv").exists()


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--out", "out.xlsx"], "'.xlsx' is no known ending"),
        (["--out", "no/out.csv"], "there is no folder no"),
        (["--out", "folder.csv"], "is a folder"),
        (["--out", "out.csv", "--junit", "no/out.xml"], "there is no folder no"),
        (["--out", "out.csv", "--junit", "out.csv"], "out.csv: '.csv' is no known ending; a JUnit file ends in .xml"),
        (["--out", "out.csv", "--junit", "walled.toml"], "walled.toml: '.toml' is no known ending"),
        (["--out", "out.csv", "--renderer", "refrence"], "did you mean 'reference'?"),
        (["--out", "out.csv", "--pixel", "-1"], "pixel is -1"),
        (["--out", "out.csv", "--error", "0.2"], "error is 0.2; it must be a share above 0 and at most 0.05"),
        (["--out", "out.csv", "--timeout", "0"], "timeout is 0; it must be seconds above 0"),
        (["--out", "out.csv", "--workers", "0"], "--workers"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_judged(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    options: list[str],
    complaint: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    scene(tmp_path, EXPECTED)
    Path("folder.csv").mkdir()
    ran = run(capsys, "batch", "walled.toml", *options)
    assert ran.status == 2
    (line,) = ran.complaints
    assert complaint in line
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder.csv", "walled.toml"]


def test_a_renderer_that_cannot_run_here_ends_the_batch(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "embreex", None)
    force_forking(monkeypatch)
    options = ("--out", tmp_path / "out.csv", "--renderer", "embree", "--workers", "2")
    ran = run(capsys, "batch", folder_of_scenes(tmp_path / "pack"), "--everyone", *options)
    assert ran.status == 2
    (line,) = ran.complaints
    assert "embreex is not installed" in line
    assert [path.name for path in tmp_path.iterdir()] == ["pack"]


@pytest.mark.slow
def test_scenes_that_share_meshes_come_out_the_same_by_any_number_of_workers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = folder_of_scenes_with_meshes(tmp_path / "pack", models=4, across=2)
    (folder / "no mesh.toml").write_text((folder / "crowd 1.toml").read_text().replace("own 1.toml", "gone.toml"))
    files = []
    for workers, is_forked in ((1, CAN_FORK), (2, CAN_FORK), (3, CAN_FORK), (2, False)):
        force_forking(monkeypatch, is_forked)
        out = tmp_path / f"by {workers}.jsonl"
        ran = run(capsys, "batch", folder, "--everyone", "--out", out, "--workers", workers, *FAST)
        assert ran.status == 2
        (complaint,) = ran.complaints
        assert "gone.toml: there is no such file" in complaint
        files.append(out.read_bytes())
    assert len(set(files)) == 1
    assert len(rows_of(out)) == 4 * 12 + 1


@pytest.mark.slow
def test_workers_that_are_not_forked_do_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = scene(tmp_path, EXPECTED)
    assert run(capsys, "batch", path, "--out", tmp_path / "forked.jsonl", *FAST).status == 0
    force_forking(monkeypatch, False)
    assert run(capsys, "batch", path, "--out", tmp_path / "anew.jsonl", *FAST).status == 0
    assert (tmp_path / "anew.jsonl").read_bytes() == (tmp_path / "forked.jsonl").read_bytes()


def test_scenes_with_the_same_meshes_are_kept_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, mesh in {"1": "a", "2": "b", "3": "a", "4": "b", "5": "b"}.items():
        Path(f"{name}.toml").write_text(f'[[terrain]]\nmesh = "{mesh}.stl"\n[[fighter]]\nmodel = "both.toml"\n')
    plan = Schedule([f"{name}.toml" for name in "12345"], RowsInMemory())
    first, second = plan.next_chunk(None), plan.next_chunk(None)
    assert (first, second) == (Chunk("1.toml"), Chunk("2.toml"))
    assert plan.next_chunk(second) == Chunk("4.toml")
    assert plan.next_chunk(first) == Chunk("3.toml")
    assert plan.next_chunk(Chunk("3.toml")) == Chunk("5.toml")
    assert plan.next_chunk(None) is None


def test_a_fingerprint_changes_with_every_file_that_the_scene_is_made_of(tmp_path: Path) -> None:
    buffer = {"buffers": [{"uri": "deep/the%20buffer.bin", "byteLength": 4}, {"uri": "data:,x", "byteLength": 1}]}
    files = {
        "scene.toml": '[[fighter]]\nmodel = "model.toml"\n[[terrain]]\nmesh = "wall.stl"\n',
        "model.toml": 'mesh = "figure.gltf"',
        "wall.stl": "solid",
        "figure.gltf": json.dumps(buffer),
        "deep/the buffer.bin": "1234",
    }
    (tmp_path / "deep").mkdir()
    for name, content in files.items():
        (tmp_path / name).write_text(content)
    prints = Fingerprints()
    seen = [prints.of(tmp_path / "scene.toml")]
    assert prints.of(tmp_path / "scene.toml") == seen[0] == Fingerprints().of(tmp_path / "scene.toml")
    for name, content in files.items():
        (tmp_path / name).write_text(content + "\n")
        seen.append(prints.of(tmp_path / "scene.toml"))
        (tmp_path / name).unlink()
        seen.append(prints.of(tmp_path / "scene.toml") if name != "scene.toml" else "gone")
        (tmp_path / name).write_text(content)
        assert prints.of(tmp_path / "scene.toml") == seen[0]
    assert len(set(seen)) == len(seen) == 11


def test_what_scenes_read_is_what_fingerprints_know(shared: Path, tmp_path: Path) -> None:
    """A real glTF file with its buffer beside it, and the same again after the buffer changed."""
    mesh = next(path for path in sorted(shared.rglob("*.gltf")) if Fingerprints().named(path))
    names = {path.resolve() for path in Fingerprints().named(mesh)}
    assert all(path.is_file() for path in names)
    path = tmp_path / "scene.toml"
    path.write_text(f'rules = "necromunda"\n[[terrain]]\nname = "it"\nmesh = {json.dumps(str(mesh))}\nat = [0, 0]\n')
    assert load_scene(path).title == ""


def test_a_scene_that_was_judged_is_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = scene(tmp_path, CHECK)
    digest = Fingerprints().of(path)
    monkeypatch.setattr("silhouette.batches.chunks.load_scene", lambda *_, **__: pytest.fail("read again"))
    assert list(ChunkJudge(BatchSettings())(Chunk(str(path), digest))) == [{"digest": digest}]


def test_scenes_of_one_process_have_their_models_in_common(tmp_path: Path) -> None:
    folder = folder_of_scenes_with_meshes(tmp_path / "pack", scenes=2)
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "crowd 2.toml").write_text(
        (folder / "crowd 1.toml").read_text().replace('model = "', 'model = "../pack/')
    )
    cache = Cache(None, MemoryCache(Fingerprints().of, 1000))
    paths = (folder / "crowd 0.toml", folder / "crowd 1.toml", tmp_path / "deep" / "crowd 2.toml")
    first, second, third = (load_scene(path, cache=cache).piece for path in paths)  # type: ignore[attr-defined]
    assert first("shared").model is second("shared").model is third("shared").model
    assert first("own 0").model is not second("own 1").model
    assert second("own 1").model is third("own 1").model
    write_block(folder / "shared.obj", 21.0)
    (changed,) = (load_scene(path, cache=cache).piece("shared") for path in paths[:1])  # type: ignore[attr-defined]
    assert changed.model is not first("shared").model
    assert changed.model.mesh.bounds[1, 2] == 21.0


def test_chunks_require_the_files_of_their_scene_as_they_are(tmp_path: Path) -> None:
    folder = folder_of_scenes_with_meshes(tmp_path / "pack", scenes=2)
    scenes, needs = [str(folder / f"crowd {number}.toml") for number in range(2)], ChunkRequirements()
    one, other = (needs(Chunk(scene, "digest", 0, 3)) for scene in scenes)
    assert sorted(Path(file).name for file, _ in one) == ["own 0.obj", "own 0.toml", "shared.obj", "shared.toml"]
    assert len(one & other) == 2
    assert needs(Chunk(scenes[0])) == one
    assert needs(Chunk(scenes[0], "digest")) == frozenset()
    assert needs(Chunk(str(scene_of_blocks(tmp_path / "crowd.toml", 2)))) == frozenset()
    assert needs(Chunk("gone.toml")) == frozenset()
    write_block(folder / "shared.obj", 21.5)
    (folder / "own 0.toml").unlink()
    assert len(needs(Chunk(scenes[0], "digest", 3, 6)) & one) == 1


def test_loading_says_whether_there_is_room_for_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("silhouette.batches.chunks.drivers_are_loaded", lambda: False)
    folder = folder_of_scenes_with_meshes(tmp_path / "pack", scenes=2)
    chunks = [Chunk(str(folder / f"crowd {number}.toml")) for number in range(2)]
    for kept, expected in ((100, ["room", "room"]), (72, ["room", "full"]), (24, ["full", "full"])):
        monkeypatch.setattr("silhouette.batches.chunks.CACHED_TRIANGLES", kept)
        judge = ChunkJudge(BatchSettings("reference", everyone=True, cached=False))
        assert [judge.load(chunk) for chunk in chunks] == expected
    monkeypatch.setattr("silhouette.batches.chunks.drivers_are_loaded", lambda: True)
    assert judge.load(chunks[0]) == "unshared"


def test_with_a_time_limit_each_check_is_judged_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that the limit is that of each check."""
    path, right, together = scene_of_blocks(tmp_path / "crowd.toml", 3), chunks_module.judge_all, list[int]()

    def judge_all(requests: Any, options: Any) -> Any:
        together.append(len(requests))
        return right(requests, options)

    monkeypatch.setattr(chunks_module, "judge_all", judge_all)
    monkeypatch.setattr(run_module, "WorkerPool", lambda start, *_: start)
    settings = BatchSettings("reference", 2.0, everyone=True, cached=False)
    for timeout in (None, 60.0):
        start: Any = make_pool(settings, workers=1, timeout=timeout)
        assert len(list(start()(Chunk(str(path), Fingerprints().of(path), 0, 6)))) == 6
    assert together == [6, *[1] * 6]
