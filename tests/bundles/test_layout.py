"""Which files a scene rests on, and where they lie in a bundle."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from silhouette.bundles.layout import check_inside, layout_of, unusable
from silhouette.common.errors import FileError


def write(path: Path, text: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def places(scene: Path) -> set[str]:
    return {"/".join(place) for place in layout_of(scene).files}


def test_folders_keep_their_places_from_the_highest_that_a_path_goes_through(tmp_path: Path) -> None:
    scene = write(
        tmp_path / "home/a/scenes/duel.toml", 'fighter = [{ mesh = "here.stl" }, { model = "../m/kal.toml" }]'
    )
    write(tmp_path / "home/a/scenes/here.stl")
    write(tmp_path / "home/a/m/kal.toml", 'mesh = "kal.gltf"')
    write(tmp_path / "home/a/m/kal.gltf", '{"buffers": [{"uri": "data/kal%201.bin"}, {"uri": "data:,x"}]}')
    write(tmp_path / "home/a/m/data/kal 1.bin")
    write(tmp_path / "home/a/m/unused.stl")
    assert places(scene) == {
        *("scenes/duel.toml", "scenes/here.stl", "m/kal.toml", "m/kal.gltf", "m/data/kal 1.bin"),
    }
    alone = write(tmp_path / "home/a/scenes/alone.toml", 'fighter = [{ mesh = "here.stl" }]')
    assert places(alone) == {"alone.toml", "here.stl"}


def test_a_path_that_leaves_a_folder_and_comes_back_still_leads_there(tmp_path: Path) -> None:
    scene = write(tmp_path / "a/duel.toml", 'fighter = [{ mesh = "../a/x.stl" }, { mesh = "none/../../b/../a/y.stl" }]')
    write(tmp_path / "a/x.stl")
    write(tmp_path / "a/y.stl")
    (tmp_path / "a/none").mkdir()
    (tmp_path / "b").mkdir()
    layout = layout_of(scene)
    assert {"/".join(place) for place in layout.files} == {"a/duel.toml", "a/x.stl", "a/y.stl"}
    assert {("a", "none"), ("b",)} <= layout.folders


def test_what_is_not_there_is_named(tmp_path: Path) -> None:
    scene = write(tmp_path / "duel.toml", 'fighter = [{ mesh = "gone.stl" }]')
    assert layout_of(scene).missing == ('"gone.stl", named in duel.toml',)


@pytest.mark.parametrize("name", ["/x/kal.stl", "//host/kal.stl", "C:/kal.stl", "c:kal.stl", r"\\host\kal.stl"])
def test_an_absolute_path_cannot_be_carried(name: str, tmp_path: Path) -> None:
    scene = write(tmp_path / "duel.toml", f"fighter = [{{ mesh = '{name}' }}]")
    with pytest.raises(FileError, match=r"duel.toml: names .* by an absolute path, which is of one machine; write it"):
        layout_of(scene)


@pytest.mark.skipif(os.name == "nt", reason="no such name there")
@pytest.mark.parametrize("name", ["nul.stl", "ab:c.stl", "a\\\\b.stl", "what?.stl", "end./x.stl"])
def test_a_name_that_some_system_does_not_allow(name: str, tmp_path: Path) -> None:
    scene = write(tmp_path / "duel.toml", f'fighter = [{{ mesh = "{name}" }}]')
    write(tmp_path / name.replace("\\\\", "\\"))
    with pytest.raises(FileError, match="rename it"):
        layout_of(scene)


def test_names_that_some_systems_take_for_one(tmp_path: Path) -> None:
    scene = write(tmp_path / "duel.toml", 'fighter = [{ mesh = "Kal.stl" }, { mesh = "kal.STL" }]')
    write(tmp_path / "Kal.stl", "one")
    if (tmp_path / "kal.STL").exists():
        pytest.skip("this is one of them")
    write(tmp_path / "kal.STL", "two")
    with pytest.raises(FileError, match="rename it"):
        layout_of(scene)


def test_a_link_that_leads_elsewhere_and_back(tmp_path: Path) -> None:
    scene = write(tmp_path / "a/duel.toml", 'fighter = [{ mesh = "kal.stl" }, { mesh = "link/../kal.stl" }]')
    write(tmp_path / "a/kal.stl", "one")
    write(tmp_path / "far/kal.stl", "two")
    (tmp_path / "far/in").mkdir()
    (tmp_path / "a/link").symlink_to(tmp_path / "far/in", target_is_directory=True)
    with pytest.raises(FileError, match="leads elsewhere through a link"):
        layout_of(scene)


@pytest.mark.parametrize("name", ["../x.stl", "none/../../x.stl", "/etc/passwd", "../../../etc/passwd", "../x.toml"])
def test_a_bundled_scene_names_no_file_outside(name: str, tmp_path: Path) -> None:
    write(tmp_path / "x.stl")
    write(tmp_path / "in/duel.toml", f'fighter = [{{ mesh = "{name}" }}]')
    with pytest.raises(FileError, match=r"names .* (which leads out of the bundle|by an absolute path)"):
        check_inside(tmp_path / "in", ("duel.toml",))


def test_names_in_a_bundle() -> None:
    assert unusable("models/Zoë's Ganger (1).stl") == unusable("桌/桌子.toml") == unusable("ok.con/x") == ""
    for name in ("", "a//b", "a/../b", "/a", "a/.", "COM1", "lpt9.txt", "aux/x.stl", "a\x7f", "a\n", "a|b", "x" * 201):
        assert unusable(name), name
    assert unusable("/".join(["d"] * 40))
    assert unusable("ü" * 100) == ""
    assert unusable("ü" * 101)  # 202 bytes
    assert unusable("\ud800.stl")
