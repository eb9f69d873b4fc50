"""The scene files that paths mean: each once, and what cannot be read is never passed over in silence."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from silhouette.common.errors import RequestError
from silhouette.scenes.finding import identity, scenes_of
from tests.support.batching import FAST, rows_of
from tests.support.commands import CHECK, run, scene


def test_scenes_are_files_folders_and_globs_each_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("b.toml", "a.JSON", "deep/c.toml", "deep/.hidden/d.toml", "notes.txt", "deep/with rules.toml"):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text('rules = "necromunda"' if name.endswith("toml") else "{}")
    (tmp_path / "deep" / "model.toml").write_text('mesh = "ganger.stl"')
    monkeypatch.chdir(tmp_path)
    everything = ["a.JSON", "b.toml", "deep/c.toml", "deep/with rules.toml"]
    assert scenes_of(["."]) == everything
    assert scenes_of(["deep", "b.toml", "./b.toml", tmp_path / "b.toml", "deep/../b.toml"]) == [
        *everything[2:],
        "b.toml",
    ]
    assert scenes_of(["*"]) == everything
    assert scenes_of(["**/*.toml"]) == ["b.toml", "deep/c.toml", "deep/with rules.toml"]
    assert scenes_of(["notes.txt", "no.toml"]) == ["notes.txt", "no.toml"]
    (tmp_path / "one[1].toml").write_text("")
    assert scenes_of(["one[1].toml"]) == ["one[1].toml"]
    (tmp_path / "empty").mkdir()
    with pytest.raises(RequestError, match="is a folder without a scene"):
        scenes_of(["empty"])
    with pytest.raises(RequestError, match="no file is like that"):
        scenes_of(["*.tml"])


@pytest.fixture
def linked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A pack with links: to a scene, to folders, to where the search came from, and to what is not there."""
    monkeypatch.chdir(tmp_path)
    for folder in ("pack/deep", "elsewhere"):
        Path(folder).mkdir(parents=True)
    for name in ("pack/a.toml", "pack/deep/b.toml", "elsewhere/c.toml"):
        scene(Path(name).parent, CHECK, name=Path(name).name)
    links = {
        "another name.toml": "a.toml",
        "all": "../elsewhere",
        "again": "deep",
        "up": "..",
        "deep/round": "../deep",
        "gone.toml": "../no/such.toml",
        "gone": "../no",
        "gone.png": "../no.png",
    }
    try:
        for name, target in links.items():
            Path("pack", name).symlink_to(target)
    except OSError as error:
        pytest.skip(f"links cannot be made here ({error})")
    return Path("pack")


def test_links_are_followed_and_those_that_lead_nowhere_are_rows(
    linked: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = ["a.toml", "all/c.toml", "another name.toml", "deep/b.toml", "gone", "gone.toml"]
    assert scenes_of([linked]) == [f"pack/{name}" for name in found]
    assert scenes_of(["pack/*"]) == [f"pack/{name}" for name in ["a.toml", "again/b.toml", *found[1:3], *found[4:]]]
    ran = run(capsys, "batch", linked, "--out", "out.jsonl", *FAST)
    assert ran.status == 2
    assert ran.complaints == [
        f"error: pack/{name}: is a link to {target}, which is not there; give the path of a file that is"
        for name, target in (("gone", "../no"), ("gone.toml", "../no/such.toml"))
    ]
    assert len(rows_of(Path("out.jsonl"))) == len(found)


def test_check_finds_the_scenes_that_batch_finds(linked: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In folders of folders as well."""
    ran = run(capsys, "check", linked, "--json", *FAST)
    assert [each["scene"] for each in ran.document["scenes"]] == [str(Path(scene)) for scene in scenes_of([linked])]
    assert (ran.status, len(ran.complaints)) == (2, 2)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="whoever may read everything sees all")
def test_a_folder_that_may_not_be_read_is_a_row(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    scene(tmp_path, CHECK)
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o000)
    ran = run(capsys, "batch", tmp_path, "--out", tmp_path / "out.jsonl", *FAST)
    closed.chmod(0o700)
    assert ran.complaints == [f"error: {closed}: is a folder that you may not read; give yourself the right to"]


def test_a_path_is_the_same_however_it_is_written(linked: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = identity("pack/all/c.toml")
    assert one == identity("./pack//deep/../all/c.toml") == identity(Path("elsewhere", "c.toml").absolute())
    assert identity("pack/a.toml") != identity("pack/another name.toml")
    monkeypatch.chdir("pack/deep")
    assert one == identity("../all/c.toml")
    assert identity(".") == identity("../deep") == os.path.normcase(os.path.realpath("."))
