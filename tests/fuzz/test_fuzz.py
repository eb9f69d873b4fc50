"""The fuzzing command itself: it makes the same again, most of its meshes load, and it knows a bad answer."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from silhouette.common.errors import MeshError
from silhouette.files.cache import Cache
from silhouette.files.reading import examples_folder
from silhouette.meshes.mesh import read_mesh

pytest.importorskip("resource", reason="this system has no limits for a process")
from tests.fuzz import shapes, tables
from tests.fuzz.damage import damaged, varied
from tests.fuzz.limits import limited
from tests.fuzz.trials import Tally, Trials, answer, in_short, summary, unfit


@pytest.fixture(scope="module")
def seeds() -> list[shapes.Shape]:
    return shapes.seeds(examples_folder() / "models")[:3]


def loads(path: Path) -> bool:
    try:
        return len(read_mesh(path, Cache(None)).mesh.faces) > 0
    except MeshError:
        return False


def test_every_format_is_written_so_that_it_loads(seeds: list[shapes.Shape], tmp_path: Path) -> None:
    for number, (ending, write) in enumerate(shapes.WRITERS):
        path = tmp_path / f"{number}{ending}"
        path.write_bytes(write(seeds[0]))
        assert loads(path), path


@pytest.mark.slow
def test_more_than_one_changed_mesh_in_three_loads(seeds: list[shapes.Shape], tmp_path: Path) -> None:
    loaded = 0
    for number in range(40):
        random = Random(f"1 {number}")
        ending, write = random.choice(shapes.WRITERS)
        path = tmp_path / f"{number}{ending}"
        path.write_bytes(write(shapes.changed(random.choice(seeds), random)))
        loaded += loads(path)
    assert 40 > loaded > 40 / 3


def test_the_same_number_makes_the_same(seeds: list[shapes.Shape]) -> None:
    def made() -> list[bytes]:
        random = Random("7 7")
        content = shapes.WRITERS[2][1](shapes.changed(seeds[0], random))
        return [content, damaged(content, random), varied(b"at = [1, 2.5]", random)]

    assert made() == made()


def test_a_trial_is_run_and_what_fails_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trials = Trials(1, tmp_path)
    monkeypatch.setattr(Trials, "_shapes", seeds_of_one())
    tally = trials.run(0)
    assert tally.tried.total() == tally.loaded.total() + tally.refused.total() == 1
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setattr("tests.fuzz.trials.answer", lambda _: "2\ntwo lines\nand no name\n")
    tally = trials.run(0)
    assert "2 lines" in tally.failures[0]
    assert [path.name for path in tmp_path.iterdir()] == ["1-0"]
    assert "1 failed" in summary(tally)


def seeds_of_one() -> list[shapes.Shape]:
    return shapes.seeds(Path("no models there"))


@pytest.mark.parametrize(
    "status, said, why",
    [
        ("0", "", ""),
        ("2", "error: scene.toml: not TOML\n", ""),
        ("2", "error: not TOML\n", "names no file"),
        ("2", "error: scene.toml: not\nTOML\n", "2 lines"),
        ("2", "error: scene.toml: internal: KeyError: 'x'\n", "Python's words"),
        ("2", "", "0 lines"),
        ("0", "Warning: x\n", "lines without an error"),
        ("139", "", "status 139"),
    ],
)
def test_an_answer_is_judged(status: str, said: str, why: str) -> None:
    assert unfit(status, said, ["/tmp/scene.toml"]).startswith(why)
    assert bool(unfit(status, said, ["/tmp/scene.toml"])) == bool(why)


def test_refusals_are_counted_by_their_first_words() -> None:
    said = "error: /tmp/a.stl: reaches 3.4e+38 units far, and 1e+07 is the most"
    assert in_short(said, [Path("/tmp/a.stl")]) == "reaches N units far, and N"
    assert Tally().failures == []


@pytest.mark.slow
def test_tables_and_bundles_are_whole_before_they_are_damaged(tmp_path: Path) -> None:
    (tmp_path / "save.json").write_bytes(tables.save())
    meshes = tables.with_meshes(tmp_path / "Models")
    told = answer(["import", str(tmp_path / "save.json"), "--meshes", str(meshes), "--out", str(tmp_path / "game")])
    assert told == "0\n"
    (tmp_path / "table.glb").write_bytes(tables.gltf_scene())
    assert answer(["import", str(tmp_path / "table.glb"), "--out", str(tmp_path / "scene")]) == "0\n"
    scene = next(examples_folder().glob("scenes/necromunda/*.toml"))
    whole = tables.bundle(scene)
    (tmp_path / "duel.zip").write_bytes(whole)
    assert answer(["check", "--quiet", str(tmp_path / "duel.zip")]) == "0\n"
    answers = set()
    for number in range(4):
        (tmp_path / "duel.zip").write_bytes(tables.with_damage_inside(whole, Random(number)))
        answers.add(answer(["check", "--quiet", str(tmp_path / "duel.zip")])[0])
    assert answers - {"0"}


@pytest.mark.slow
def test_limits_stop_what_goes_beyond_them() -> None:
    def endless() -> None:
        while True:
            pass

    assert limited(lambda: 6 * 7).text == "42"
    assert limited(endless, cpu=1).kind == "cpu"
    assert "MemoryError" in limited(lambda: bytes(1 << 30), memory=100 << 20).text
    assert limited(lambda: __import__("time").sleep(9), wall=0.3).kind == "hung"
    assert limited(lambda: 1 / 0).kind == "raised"
