"""SCAN: the folder of a scanned table can be judged as it is, is written whole, and keeps what a person wrote."""

from __future__ import annotations

import json
import shutil
import tomllib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from silhouette import check, load_scene
from silhouette.cli.schema import schema_of
from silhouette.common.errors import FileError
from silhouette.files.changing import changing_folder
from silhouette.scans.keep import Earlier, earlier_run
from silhouette.scans.write import write_folder
from tests.support.kept_files import without_digest
from tests.support.scanned import matched, scanned_table

MODELS = Path(__file__).resolve().parents[2] / "models"


@pytest.mark.slow
def test_the_scene_is_judged_as_it_is(tmp_path: Path) -> None:
    folder = tmp_path / "game"
    write_folder(scanned_table(colours=True), folder)
    scene = load_scene(folder / "scene.toml")
    assert {piece.name for piece in scene.pieces} == {"figure 1", "terrain 1"}
    figure = scene.piece("figure 1")
    assert figure.model.scan
    assert figure.model.base is not None
    assert figure.base_centre == pytest.approx([70.0, -30.0])
    assert figure.facing is None
    assert figure.model.significant.bounds[0, 2] > 3.0


def test_the_files_are_those_of_the_contract(tmp_path: Path) -> None:
    import jsonschema

    table = scanned_table(matched(sure=False), odd=True)
    write_folder(table, tmp_path / "game")
    record = json.loads((tmp_path / "game" / "scan.json").read_text())
    jsonschema.validate(record, schema_of("scan"))
    assert record["pieces"][0]["match"] == {"residual": 0.41, "runner_up": 1.3, "sure": False}
    assert record["pieces"][0]["facing"] == 121.0
    assert record["pieces"][0]["base"] == {"diameter": 25.1}
    assert record["pieces"][1]["base"] is None
    assert record["questions"] == [question.text for question in table.questions]
    assert record["table"] == {"size": [300.0, 200.0], "tilt": 0.4, "flatness": 0.2, "noise": 0.3}
    labels = np.load(tmp_path / "game" / "labels.npy")
    assert labels.dtype == np.int32
    assert labels.tolist() == table.labels.tolist()
    with Image.open(tmp_path / "game" / "scan.png") as picture:
        assert picture.width == 1200
    document = tomllib.loads((tmp_path / "game" / "scene.toml").read_text())
    assert [question["key"] for question in document["question"]] == ["model at 70,-30", "odd at -60,20"]
    assert "answer" not in document["question"][0]


def test_a_sure_figure_is_a_copy_of_its_mesh_with_the_keys_of_its_model_file(tmp_path: Path) -> None:
    for name in ("ganger_rifle.toml", "ganger_rifle.glb"):
        shutil.copy(MODELS / name, tmp_path / name)
    table = scanned_table(matched(sure=True, path=str(tmp_path / "ganger_rifle.toml")))
    write_folder(table, tmp_path / "game")
    (tmp_path / "ganger_rifle.glb").unlink()
    scene = load_scene(tmp_path / "game" / "scene.toml")
    original = tomllib.loads((MODELS / "ganger_rifle.toml").read_text())
    entry = tomllib.loads((tmp_path / "game" / "scene.toml").read_text())["fighter"][0]
    assert without_digest(entry["mesh"]) == "meshes/ganger_rifle/ganger_rifle.glb"
    assert {key: entry[key] for key in original if key not in ("mesh", "kind")} == {
        key: value for key, value in original.items() if key not in ("mesh", "kind")
    }
    assert scene.piece("ganger_rifle").facing == pytest.approx(121.0)


def test_two_meshes_of_one_name_are_both_kept(tmp_path: Path) -> None:
    from silhouette.scans.write import _copied

    paths = []
    with changing_folder(tmp_path / "game", tmp_path / "game" / "scene.toml") as change:
        for number in (1, 2, 1):
            (tmp_path / str(number)).mkdir(exist_ok=True)
            mesh = tmp_path / str(number) / "orc.stl"
            mesh.write_bytes(b"solid %d" % number)
            paths.append(_copied(mesh, change)["mesh"])
        change.commit("")
    assert [*map(without_digest, paths)] == ["meshes/orc/orc.stl"] * 3
    assert paths[0] == paths[2] != paths[1]
    assert [(tmp_path / "game" / path).read_bytes() for path in paths] == [b"solid 1", b"solid 2", b"solid 1"]


@pytest.mark.long
def test_pieces_whose_names_make_the_same_file_name_have_meshes_of_their_own(tmp_path: Path) -> None:
    from silhouette.scans.keep import EarlierPiece

    names = {(70.0, -30.0): "Kal!", (-60.0, 20.0): "kal"}
    earlier = Earlier(
        tuple(EarlierPiece(name, "terrain", np.array([*at, 0.0]), None, {}) for at, name in names.items())
    )
    write_folder(scanned_table(earlier=earlier), tmp_path / "game")
    scene = load_scene(tmp_path / "game" / "scene.toml")
    heights = {piece.name: piece.model.mesh.bounds[1, 2] for piece in scene.pieces}
    assert heights == pytest.approx({"Kal!": 33.0, "kal": 25.0})


def test_a_name_that_a_player_has_given_twice_gets_a_number(tmp_path: Path) -> None:
    from silhouette.scans.keep import EarlierPiece

    places = (np.array([70.0, -30.0, 0.0]), np.array([-60.0, 20.0, 0.0]))
    earlier = Earlier(tuple(EarlierPiece("Kal", "terrain", at, None, {}) for at in places))
    assert [piece.name for piece in scanned_table(earlier=earlier).pieces] == ["Kal", "terrain 1"]


@pytest.mark.long
def test_what_players_have_settled_of_doubt_is_kept(tmp_path: Path) -> None:
    folder = tmp_path / "game"
    write_folder(scanned_table(), folder)
    text = (folder / "scene.toml").read_text()
    (folder / "scene.toml").write_text(text.replace("[doubt]\n", '[doubt]\nrule = "attacker"\nguard = 0.9\n'))
    write_folder(scanned_table(earlier=earlier_run(folder)), folder)
    doubt = tomllib.loads((folder / "scene.toml").read_text())["doubt"]
    assert (doubt["rule"], doubt["guard"], doubt["place"]) == ("attacker", 0.9, 0.3)
    assert load_scene(folder / "scene.toml").pieces


@pytest.mark.slow
def test_a_second_run_keeps_names_answers_checks_and_other_files(tmp_path: Path) -> None:
    folder = tmp_path / "game"
    write_folder(scanned_table(odd=True), folder)
    text = (folder / "scene.toml").read_text()
    text = text.replace('name = "figure 1"', 'name = "Kal"\ngang = "Orlock"').replace(
        'facing = "unknown"', "facing = 45"
    )
    text = text.replace('# answer = "terrain"', 'answer = "terrain" #')
    text += '\n[[check]]\nattacker = "Kal"\ntarget = "Kal"\nexpect = { verdict = "open" }\n'
    (folder / "scene.toml").write_text(text)
    (folder / "notes.txt").write_text("mine")
    (folder / "link").symlink_to("nowhere")
    earlier = earlier_run(folder)
    write_folder(scanned_table(earlier=earlier, odd=True), folder)
    document = tomllib.loads((folder / "scene.toml").read_text())
    assert document["fighter"][0]["name"] == "Kal"
    assert document["fighter"][0]["gang"] == "Orlock"
    assert document["fighter"][0]["facing"] == 45.0
    assert document["question"][0]["answer"] == "terrain"
    assert document["check"][0]["expect"] == {"verdict": "open"}
    assert (folder / "notes.txt").read_text() == "mine"
    assert (folder / "link").readlink() == Path("nowhere")
    assert (folder / "scene.before.toml").read_text() == text
    again = earlier_run(folder)
    write_folder(scanned_table(earlier=again, odd=True), folder)
    assert (folder / "scene.toml").read_text() == tomllib_text(document, folder)


def test_what_a_person_has_added_stays_where_the_scan_has_not_found_it(tmp_path: Path) -> None:
    folder = tmp_path / "game"
    write_folder(scanned_table(), folder)
    entry = '\n[[fighter]]\nname = "{}"\nfigure = {{ base = 32, height = 40 }}\nat = [{}]\n'
    entry += "doubt = {{ place = 5, facing = 10 }}\n"
    with (folder / "scene.toml").open("a") as scene:
        scene.write(entry.format("Vex", "-20, 60") + entry.format("Kal", "70, -30"))
    write_folder(scanned_table(earlier=earlier_run(folder)), folder)
    fighters = {one["name"]: one for one in tomllib.loads((folder / "scene.toml").read_text())["fighter"]}
    assert fighters["Vex"]["at"] == [-20.0, 60.0]
    assert fighters["Vex"]["doubt"] == {"place": 5, "facing": 10}
    assert len(fighters) == 2, "the other one stands where the scan has found one"
    text = (folder / "scene.toml").read_text()
    write_folder(scanned_table(earlier=earlier_run(folder)), folder)
    assert (folder / "scene.toml").read_text() == text


def tomllib_text(document: dict[str, object], folder: Path) -> str:
    """The scene of the folder, after a look that it says the same."""
    text = (folder / "scene.toml").read_text()
    assert tomllib.loads(text) == document
    return text


def test_where_the_folder_cannot_be_written_the_earlier_one_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "game"
    write_folder(scanned_table(), folder)
    before = {file.name: file.stat().st_mtime_ns for file in folder.iterdir()}

    def fails(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("silhouette.scans.write.draw_table", fails)
    with pytest.raises(FileError, match="no space left"):
        write_folder(scanned_table(), folder)
    assert {file.name: file.stat().st_mtime_ns for file in folder.iterdir()} == before
    assert [file.name for file in tmp_path.iterdir()] == ["game"]


@pytest.mark.long
def test_names_that_are_no_file_names_are_kept_in_the_scene(tmp_path: Path) -> None:
    from silhouette.scans.keep import EarlierPiece

    odd = 'K"al / \\ \N{SNOWMAN}'
    piece = EarlierPiece(odd, "fighter", np.array([70.0, -30.0, 0.0]), 10.0, {})
    earlier = Earlier((piece,))
    write_folder(scanned_table(earlier=earlier), tmp_path / "game")
    scene = load_scene(tmp_path / "game" / "scene.toml")
    assert scene.piece(odd).facing == 10.0
    with pytest.raises(Exception, match="nothing is called"):
        check(scene, odd, "Vex")
