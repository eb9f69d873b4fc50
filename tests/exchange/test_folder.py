"""The folder of an imported table: a scene that loads, its meshes once each, whole or not at all."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from silhouette import load_scene
from silhouette.common.errors import FileError
from silhouette.exchange import folder as folders
from silhouette.exchange.folder import WrittenTable, write_table
from silhouette.exchange.imported import ImportedPiece, ImportedTable
from silhouette.files.cache import Cache
from silhouette.meshes.primitives import Box, Solid, solid
from silhouette.models.entries import FigureEntry
from silhouette.models.stand_ins import stand_in
from tests.exchange.unity import address, kept
from tests.support.kept_files import without_digest

BOX = solid(Solid(Box((20.0, 20.0, 30.0))))
INCH = {"units": "inch", "up": "y", "scale": 1.0}


def table(*pieces: ImportedPiece, **keys: Any) -> ImportedTable:
    return ImportedTable("A table", "Tabletop Simulator", Path("save.json"), pieces, (), **keys)


def written(tmp_path: Path, *pieces: ImportedPiece, **keys: Any) -> WrittenTable:
    return write_table(table(*pieces, **keys), tmp_path / "game", Cache(None))


def test_the_record_is_the_contracts(tmp_path: Path) -> None:
    file = kept(tmp_path / "Models", 1)
    kal = ImportedPiece("Kal", "fighter", (1.0, 2.0, 0.0), 30.0, 300.0, "Orlock", file=file, keys=INCH)
    crate = ImportedPiece("crate", "terrain", (50.0, 0.0, 0.0), mesh=BOX, keys={"units": "mm", "up": "z"})
    vex = ImportedPiece(
        "Vex", "fighter", (9.0, 9.0, 0.0), 0.0, "unknown", keys={"figure": {"base": 32.0, "height": 38.0}}
    )
    record = written(tmp_path, kal, crate, vex, addresses={file: address(1)}).record()
    assert [list(piece) for piece in record["pieces"]] == [
        ["name", "kind", "at", "turn", "facing", "mesh", "baked"]
    ] * 3
    pieces = [{**piece, "mesh": without_digest(piece["mesh"])} for piece in record["pieces"]]
    assert [tuple(piece.values()) for piece in pieces] == [
        ("Kal", "fighter", [1.0, 2.0, 0.0], 30.0, 300.0, "meshes/kal.obj", False),
        ("crate", "terrain", [50.0, 0.0, 0.0], 0.0, None, "meshes/crate.ply", True),
        ("Vex", "fighter", [9.0, 9.0, 0.0], 0.0, "unknown", None, False),
    ]
    document = tomllib.loads((tmp_path / "game" / "scene.toml").read_text())
    assert document["source"]["meshes"] == [{"mesh": record["pieces"][0]["mesh"], "address": address(1)}]
    assert {piece["origin"] for kind in ("fighter", "terrain") for piece in document[kind] if "mesh" in piece} == {
        "keep"
    }
    scene = load_scene(tmp_path / "game" / "scene.toml", cache=Cache(None))
    assert (scene.title, scene.piece("Kal").gang, scene.piece("Vex").facing) == ("A table", "Orlock", None)  # type: ignore[attr-defined]


def test_equal_meshes_are_written_once_and_names_of_files_differ(tmp_path: Path) -> None:
    first, second = kept(tmp_path / "Models", 1), kept(tmp_path / "Models", 2)
    second.write_bytes(second.read_bytes() + b"# another\n")
    pieces = [
        ImportedPiece(name, "terrain", (0.0, 0.0, 0.0), file=file, mesh=mesh, keys=INCH)
        for name, file, mesh in (
            ("Kal!", first, None), ("kal", second, None), ("KAL?", None, BOX), ("again", first, None),
            ("more", None, BOX),
        )
    ]  # fmt: skip
    names = [one.mesh for one in written(tmp_path, *pieces).pieces]
    assert [*map(without_digest, names)] == [f"meshes/kal.{ending}" for ending in ("obj", "obj", "ply", "obj", "ply")]
    assert (names[0], names[2]) == (names[3], names[4])
    assert len(set(names)) == 3 == len(list((tmp_path / "game" / "meshes").iterdir()))


def test_a_mesh_that_no_scene_can_use_is_left_out(tmp_path: Path) -> None:
    file = kept(tmp_path / "Models", 1)
    tiny = ImportedPiece("speck", "terrain", (0.0, 0.0, 0.0), file=file, keys=INCH | {"scale": 1e-6})
    record = written(tmp_path, tiny, ImportedPiece("crate", "terrain", (0.0, 0.0, 0.0), file=file, keys=INCH)).record()
    assert [piece["name"] for piece in record["pieces"]] == ["crate"]
    assert "mm across" in record["left_out"][0]["why"]


def test_more_pieces_than_a_scene_can_have_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(folders.MAX_ENTRIES, "terrain", 2)
    crates = [ImportedPiece(f"crate {number}", "terrain", (0.0, 0.0, 0.0), mesh=BOX) for number in range(3)]
    result = written(tmp_path, *crates)
    assert [one.name for one in result.left_out] == ["crate 2"]


def test_what_cannot_be_used_takes_nobodys_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(folders.MAX_ENTRIES, "terrain", 2)
    tiny = INCH | {"scale": 1e-6}
    kinds = {"a": tiny, "b": {}, "c": tiny, "d": {}, "e": tiny, "f": {}}
    figure = ImportedPiece("Vex", "fighter", (9.0, 9.0, 0.0), keys={"figure": {"base": 32.0, "height": 38.0}})
    crates = [ImportedPiece(name, "terrain", (0.0, 0.0, 0.0), mesh=BOX, keys=keys) for name, keys in kinds.items()]
    result = written(tmp_path, *crates[:5], figure, *crates[5:])
    assert [one.piece.name for one in result.pieces] == ["b", "d", "Vex"]
    assert [(one.name, one.why[:8]) for one in result.left_out] == [
        ("a", "its mesh"), ("c", "its mesh"), ("e", "a scene "), ("f", "a scene "),
    ]  # fmt: skip


@pytest.mark.parametrize(("base", "is_odd"), [(32.0, False), (31.7, False), (37.0, True)])
def test_a_base_of_no_size_that_exists_is_a_warning(tmp_path: Path, base: float, is_odd: bool) -> None:
    figure = stand_in(FigureEntry(base=base, height=45.0), "fighter").mesh
    kal = ImportedPiece("Kal", "fighter", (0.0, 0.0, 0.0), 0.0, 0.0, mesh=figure, keys={"units": "mm", "up": "z"})
    warnings = written(tmp_path, kal).warnings
    assert bool(warnings) == is_odd
    assert not is_odd or "its base is 37.0 mm across" in warnings[0]


def test_importing_again_keeps_other_files_and_the_scene_that_was_there(tmp_path: Path) -> None:
    crate = ImportedPiece("crate", "terrain", (0.0, 0.0, 0.0), mesh=BOX)
    written(tmp_path, crate)
    game = tmp_path / "game"
    (game / "scene.toml").write_text("# mine\n")
    (game / "notes.txt").write_text("mine")
    written(tmp_path, crate)
    assert sorted(file.name for file in game.iterdir()) == ["meshes", "notes.txt", "scene.before.toml", "scene.toml"]
    assert (game / "scene.before.toml").read_text() == "# mine\n"


def test_the_same_import_twice_keeps_what_was_edited_before_the_first(tmp_path: Path) -> None:
    """The scene as it was made is no work of the user's; it takes no place of one that is."""
    crate = ImportedPiece("crate", "terrain", (0.0, 0.0, 0.0), mesh=BOX)
    written(tmp_path, crate)
    scene, before = tmp_path / "game" / "scene.toml", tmp_path / "game" / "scene.before.toml"
    scene.write_text(scene.read_text() + "# edited for hours\n")
    for _ in range(3):
        written(tmp_path, crate)
        assert "edited for hours" in before.read_text()
        assert "edited for hours" not in scene.read_text()


def test_a_file_in_place_of_the_folder_stays(tmp_path: Path) -> None:
    (tmp_path / "game").write_text("mine")
    with pytest.raises(FileError, match="is a file; give the name of a folder"):
        written(tmp_path)
    assert (tmp_path / "game").read_text() == "mine"


def test_where_it_fails_the_earlier_folder_is_unchanged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    crate = ImportedPiece("crate", "terrain", (0.0, 0.0, 0.0), mesh=BOX)
    written(tmp_path, crate)
    before = (tmp_path / "game" / "scene.toml").read_text()

    def full(*_: Any) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(folders, "scene_text", full)
    with pytest.raises(FileError, match="no space left"):
        written(tmp_path)
    assert (tmp_path / "game" / "scene.toml").read_text() == before
    assert [file.name for file in tmp_path.iterdir()] == ["game"]


def test_odd_names_and_addresses_are_read_back(tmp_path: Path) -> None:
    file = kept(tmp_path / "Models", 1)
    name = 'Kal "the\\n" # Ünï ☠'
    written(tmp_path, ImportedPiece(name, "terrain", (0.0, 0.0, 0.0), file=file, keys=INCH), addresses={file: 'a"\n\\'})
    document = tomllib.loads((tmp_path / "game" / "scene.toml").read_text(encoding="utf-8"))
    assert document["terrain"][0]["name"] == name
    assert document["source"]["meshes"][0]["address"] == 'a"\n\\'


@pytest.mark.parametrize("kept_file", [True, False])
def test_a_mesh_that_cannot_be_written_is_no_fault_of_the_piece(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept_file: bool
) -> None:
    file = kept(tmp_path / "Models", 1) if kept_file else None
    crate = ImportedPiece("crate", "terrain", (0.0, 0.0, 0.0), file=file, mesh=None if kept_file else BOX, keys={})

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(FileError) as caught:
        written(tmp_path, crate)
    path, _, problem = str(caught.value).partition(": ")
    assert (without_digest(path), problem) == (
        str(tmp_path / "game" / "meshes" / ("crate.obj" if kept_file else "crate.ply")),
        "cannot be written (no space left on device)",
    )
    assert not (tmp_path / "game").exists()


def test_addresses_of_an_earlier_table_give_way_to_those_of_this_one(tmp_path: Path) -> None:
    file = kept(tmp_path / "Models", 1)
    earlier = {"rules": "necromunda", "source": {"meshes": [{"mesh": "old.obj", "address": "old"}], "by": "Ada"}}
    piece = ImportedPiece("crate", "terrain", (0.0, 0.0, 0.0), file=file, keys=INCH)
    written(tmp_path, piece, addresses={file: address(1)}, keys=earlier)
    source = tomllib.loads((tmp_path / "game" / "scene.toml").read_text())["source"]
    assert (source["by"], [mesh["address"] for mesh in source["meshes"]]) == ("Ada", [address(1)])
