"""OcclusionBench: both methods agree on its scenes, which are the same for a seed; what is untrue in a set is found."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from silhouette.judging import load_scene
from silhouette.scenes.table import TableScene
from tests.benchmarks import occlusion
from tests.benchmarks.chart import error_against_time
from tests.benchmarks.tables import Options, Table
from tests.support import occlusion_set, shapes
from tests.support.exact_shares import exact_shares
from tests.support.hard_sights import case
from tests.support.occlusion_set import AGREEMENT, FILE, faults, main, make_set, read_set
from tests.support.shares_by_clipper import share_by_clipper

SCENES, QUICK = 10, ("shapes", "fine things")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A set without models, whose exact shares take seconds each."""
    folder = tmp_path_factory.mktemp("set")
    make_set(folder, SCENES, processes=1, kinds=QUICK)
    return folder


def test_two_methods_agree(made: Path) -> None:
    known = read_set(made)
    assert (known["format"], known["unit"], known["seed"]) == ("OcclusionBench 1", "mm", 1)
    assert len(known["scenes"]) == SCENES
    assert known["licence"].startswith("MIT")
    for entry in known["scenes"]:
        assert entry.shares["geos"] == pytest.approx(entry.shares["clipper"], abs=AGREEMENT / 1e4)
        assert entry.share == entry.shares["geos"]
        scene = load_scene(made / entry.scene)
        assert isinstance(scene, TableScene)
        pieces = {piece.name: piece for piece in scene.pieces}
        assert pieces[entry.attacker].eye == pytest.approx(entry.eye)
        assert entry.target in pieces
    assert np.mean([0.0 < entry.share < 1.0 for entry in known["scenes"]]) > 0.6


def test_a_set_is_the_same_for_the_same_seed_and_begins_as_a_larger_one(made: Path, tmp_path: Path) -> None:
    first, other = tmp_path / "first", tmp_path / "other"
    again = make_set(first, 4, processes=1, kinds=QUICK)
    assert again["scenes"] == read_set(made)["scenes"][:4]
    for entry in again["scenes"]:
        assert (first / entry.scene).read_bytes() == (made / entry.scene).read_bytes()
    for mesh in (first / "meshes").iterdir():
        assert mesh.read_bytes() == (made / "meshes" / mesh.name).read_bytes()
    assert make_set(made, 4)["scenes"] == again["scenes"], "it is not made again"
    assert make_set(other, 1, seed=2, processes=1, kinds=QUICK)["scenes"][0].share != again["scenes"][0].share


@pytest.mark.long
def test_models_of_the_project_are_in_a_set(tmp_path: Path) -> None:
    (entry,) = make_set(tmp_path, 1, processes=1)["scenes"]
    assert (entry.kind, faults(tmp_path)) == ("models", [])


def test_a_share_that_was_changed_is_found(made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert faults(made) == []
    document = json.loads((made / FILE).read_text())
    document["scenes"][3]["shares"]["clipper"] += 1e-6
    document["scenes"][5]["share"] += 2e-4
    changed = tmp_path / FILE
    changed.write_text(json.dumps(document))
    for folder in ("scenes", "meshes"):
        (tmp_path / folder).symlink_to(made / folder)
    assert main([str(tmp_path), "--check"]) == 1
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith(document["scenes"][3]["scene"])
    assert "by clipper, and is" in first
    assert (
        second
        == f"{document['scenes'][5]['scene']}: the share {document['scenes'][5]['share']:.9f} is that of no method"
    )


def test_a_scene_on_which_methods_differ_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shares = iter([0.5, 0.5, 0.5, 0.5002, 0.5, 0.50001])
    both = {name: lambda target, others, eye: next(shares) for name in ("geos", "clipper")}
    monkeypatch.setattr(occlusion_set, "METHODS", both)
    known = make_set(tmp_path, 2, processes=1, kinds=QUICK)
    assert [len(known["scenes"]), [entry.reason for entry in known["left_out"]]] == [2, ["the methods differ"]]


@pytest.mark.parametrize("kind", ["ordinary", "soups", "piercing", "one behind another", "interleaved", "shells"])
def test_the_second_method_has_the_shares_of_the_first(kind: str) -> None:
    """Also where things reach through each other, and through the plane of the eye."""
    for number in range(3):
        one = case(kind, number)
        meshes = [shapes.mesh(one.pose.place(mesh.vertices), mesh.faces) for mesh in (one.target, *one.blockers)]
        exact = exact_shares(meshes[0], meshes[1:], one.eye).occluded
        assert share_by_clipper(meshes[0], meshes[1:], one.eye) == pytest.approx(exact, abs=1e-8)


def test_our_shares_are_those_and_within_their_errors(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(occlusion, "FOLDER", made)
    monkeypatch.setattr(occlusion, "MAKERS", {occlusion.OURS: occlusion.MAKERS[occlusion.OURS]})
    table, by_kind = occlusion.tables(Options(scenes=6))
    (row,) = table.rows
    assert isinstance(table, Table)
    assert float(row[table.columns.index("error, worst")].split()[0]) < 1e-4
    assert [row[table.columns.index(name)] for name in ("within its stated error", "untrue")] == ["6 of 6", "0"]
    assert by_kind.columns == ("", *occlusion_set.KINDS)
    assert by_kind.rows[0][1] == "none"


def test_a_chart_has_a_mark_for_each_row_that_has_an_error() -> None:
    rows = ("a <b>", "10", "1 %"), ("ours", "20", "0.001 %"), ("never wrong", "30", "0 %")
    chart = error_against_time(Table("T", ("", "ms", "off"), rows), "ms", "off", "ours")
    assert [name in chart for name in ("1  a &lt;b&gt;", "2  ours", "never wrong")] == [True, True, False]
    assert chart == error_against_time(Table("T", ("", "ms", "off"), rows), "ms", "off", "ours")
