"""Bundles: scenes of every game there and back, changed ones, and archives that are made to harm."""

from __future__ import annotations

import io
import json
import shutil
import stat
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from silhouette.batches.settings import BatchSettings
from silhouette.bundles import reading, replaying, writing
from silhouette.bundles.manifest import FileRecord
from silhouette.bundles.replaying import Replay, replay
from silhouette.common.errors import FileError, RendererUnavailable, SilhouetteError
from silhouette.files import archives
from silhouette.files.cache import Cache
from silhouette.judging import JudgingOptions, Selection
from silhouette.renderers import Renderer, choose
from tests.support.model_files import as_obj
from tests.support.shapes import box

CACHE = Cache(None)
SCENES = Path(__file__).resolve().parents[2] / "scenes"
WALL = as_obj(box((-30.0, -2.5, 0.0), (30.0, 2.5, 10.0)))
SCENE = """
title = "Hinter der Mauer"
rules = "necromunda"
pixel = 0.5

[[terrain]]
name = "wall"
model = "../Gelände/mauer.toml"
at = [0, 185]

[[fighter]]
name = "Kal"
at = [0, 0]
eye = [0, 6, 15]
parts = [{ box = [12, 12, 30] }]

[[fighter]]
name = "Zoë"
at = [0, 200]
facing = 270
parts = [{ box = [12, 12, 30] }]

[[check]]
attacker = "Kal"
target = "Zoë"
expect = { verdict = "partial cover" }
"""


@pytest.fixture
def scene(tmp_path: Path) -> Path:
    """A scene that rests on a model and a mesh in the folder beside its own, under names beyond ASCII."""
    for folder in ("tisch", "Gelände"):
        (tmp_path / folder).mkdir()
    (tmp_path / "Gelände/mauer.toml").write_text('mesh = "mauer.obj"\nkind = "terrain"\nunits = "mm"\n')
    (tmp_path / "Gelände/mauer.obj").write_text(WALL)
    (tmp_path / "Gelände/unbenutzt.obj").write_text(WALL)
    path = tmp_path / "tisch/duell ①.toml"
    path.write_text(SCENE, encoding="utf-8")
    return path


def options(renderer: str = "reference", pixel: float | None = None) -> JudgingOptions:
    return JudgingOptions(choose(renderer), CACHE, pixel)


def bundle(scene: Path, out: Path, *, pictures: bool = False, pixel: float | None = None) -> Path:
    out.write_bytes(writing.bundled(scene, Selection(), options(pixel=pixel), pictures=pictures).content)
    return out


def again(path: Path, **asked: Any) -> Replay:
    return replay(path, BatchSettings(cached=False, **asked))


def contents(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", method) as made:
        for name, content in files.items():
            made.writestr(name, content)
    return held.getvalue()


def retold(path: Path, change: Callable[[dict[str, Any]], object]) -> Path:
    """The bundle with a change to its manifest."""
    files = contents(path)
    told = json.loads(files["bundle.json"])
    change(told)
    path.write_bytes(packed({**files, "bundle.json": json.dumps(told).encode()}))
    return path


SHIPPED = (
    *("necromunda/two_blockers", "necromunda/across_the_arc", "skirmishcorps/gangers_at_the_barricade"),
    *("skirmishcorps/penalties", "crisis_protocol/through_a_gap", "crisis_protocol/an_object"),
    *("tide_of_iron/hex_edge_clear", "tide_of_iron/smoke_and_building"),
    *("ikosa/edge_to_edge", "ikosa/shot_from_a_point"),
)


@pytest.mark.thinned(quick=8, ci=8)
@pytest.mark.parametrize("name", SHIPPED)
def test_scenes_of_every_game_there_and_back(name: str, tmp_path: Path) -> None:
    path = bundle(SCENES / f"{name}.toml", tmp_path / "a.zip", pixel=0.4)
    found = again(path)
    assert found.same
    assert {check.sameness for check in found.checks} == {"to the bit"}
    assert found.reasons == ()
    assert all(judged.expected is not False for judged in found.result.judged)
    held = contents(path)
    told = json.loads(held["bundle.json"])
    assert held[told["bundle"]] == (SCENES / f"{name}.toml").read_bytes()


@pytest.mark.long
def test_what_a_bundle_holds(scene: Path, tmp_path: Path) -> None:
    files = contents(bundle(scene, tmp_path / "a.zip", pictures=True))
    table = {
        "table/tisch/duell ①.toml": scene.read_bytes(),
        "table/Gelände/mauer.toml": (tmp_path / "Gelände/mauer.toml").read_bytes(),
        "table/Gelände/mauer.obj": WALL.encode(),
    }
    assert {name: content for name, content in files.items() if name.startswith("table/")} == table
    pictures = [name for name in files if name.startswith("pictures/")]
    assert "pictures/01-kal-zoe-eye.svg" in pictures
    assert files.keys() == {"bundle.json", *table, *pictures}
    told = json.loads(files["bundle.json"])
    assert list(told)[:2] == ["silhouette", "schema"]
    assert {file["path"] for file in told["files"]} == {*table, *pictures}
    assert {file["role"] for file in told["files"]} == {"scene", "model", "mesh", "picture"}
    assert told["results"][0]["verdict"] == "partial cover"
    assert told["settings"]["renderer"] == "reference"
    assert str(tmp_path) not in files["bundle.json"].decode()


@pytest.mark.long
def test_the_same_scene_gives_the_same_bytes(scene: Path, tmp_path: Path) -> None:
    one = bundle(scene, tmp_path / "a.zip", pictures=True).read_bytes()
    shutil.copytree(tmp_path / "Gelände", tmp_path / "copy/Gelände")
    shutil.copytree(tmp_path / "tisch", tmp_path / "copy/tisch")
    assert bundle(tmp_path / "copy/tisch/duell ①.toml", tmp_path / "b.zip", pictures=True).read_bytes() == one


def test_it_replays_where_nothing_else_is_left(scene: Path, tmp_path: Path) -> None:
    path = bundle(scene, tmp_path / "a.zip")
    shutil.rmtree(tmp_path / "Gelände")
    shutil.rmtree(tmp_path / "tisch")
    found = again(path)
    assert found.same
    assert found.result.title == "Hinter der Mauer"
    with zipfile.ZipFile(path) as archive:
        archive.extractall(tmp_path / "unpacked")
    assert bundle(tmp_path / "unpacked/table/tisch/duell ①.toml", tmp_path / "b.zip").read_bytes() == path.read_bytes()


def test_another_renderer_is_the_same_within_the_error(scene: Path, tmp_path: Path) -> None:
    found = again(bundle(scene, tmp_path / "a.zip"), renderer="embree", pixel=0.1)
    assert found.same
    assert [check.sameness for check in found.checks] == ["within the error"]
    assert found.reasons[:2] == ("the renderer reference then, embree here", "pixel as the scene has it then, 0.1 here")


def test_other_content_of_the_same_size_is_another_file_whatever_its_digest() -> None:
    record, others = FileRecord.of("scene/a.obj", "mesh", b"0"), [b"%d" % number for number in range(1, 10)]
    assert {FileRecord.of("a", "mesh", other).sha256 < record.sha256 for other in others} == {False, True}
    assert reading._is(record, b"0")
    assert not any(reading._is(record, other) for other in others)


@pytest.mark.long
def test_a_mesh_that_was_changed_is_named(scene: Path, tmp_path: Path) -> None:
    path = bundle(scene, tmp_path / "a.zip", pictures=True)
    higher = as_obj(box((-30.0, -2.5, 0.0), (30.0, 2.5, 40.0))).encode()
    files = contents(path)
    path.write_bytes(packed({**files, "table/Gelände/mauer.obj": higher}))
    found = again(path)
    assert not found.same
    assert found.changed == ("table/Gelände/mauer.obj was changed",)
    keys = [difference.key for difference in found.checks[0].differences]
    assert {"verdict", "occluded", "seen_pixels"} <= set(keys)
    # A change without any effect is one as well, and so is a picture that is changed, missing or new.
    path.write_bytes(packed({**files, "table/Gelände/mauer.obj": files["table/Gelände/mauer.obj"] + b"# nothing\n"}))
    assert (again(path).same, again(path).differing) == (False, [])
    picture = "pictures/01-kal-zoe-eye.svg"
    path.write_bytes(packed({**{name: c for name, c in files.items() if name != picture}, "pictures/new.svg": b""}))
    assert again(path).changed == (f"{picture} is missing", "pictures/new.svg was added")


@pytest.mark.parametrize("key, value", [("verdict", "hidden"), ("occluded", 0.9), ("reason", "so it is")])
def test_a_record_that_was_changed_differs(key: str, value: Any, scene: Path, tmp_path: Path) -> None:
    path = retold(bundle(scene, tmp_path / "a.zip"), lambda told: told["results"][0].update({key: value}))
    found = again(path)
    assert not found.same
    ((difference,),) = [check.differences for check in found.differing]
    assert (difference.key, difference.then) == (key, value)
    assert (found.changed, found.reasons) == ((), ())


def test_other_versions_are_named(scene: Path, tmp_path: Path) -> None:
    def older(told: dict[str, Any]) -> None:
        told["silhouette"] = "0.1.0"
        told["versions"] |= {"numpy": "1.0", "warp-lang": "0.1", "python": "3.9.1"}

    found = again(retold(bundle(scene, tmp_path / "a.zip"), older))
    assert found.same
    assert found.written_by == "0.1.0"
    told = " ".join(found.reasons)
    assert all(words in told for words in ("Silhouette 0.1.0 then", "python 3.9.1 then", "numpy 1.0 then"))
    assert "warp" not in told  # the renderer makes no use of it


@pytest.mark.thinned(quick=55)
@pytest.mark.parametrize("error", [0.02, None])
def test_it_is_judged_again_with_its_error(scene: Path, tmp_path: Path, error: float | None) -> None:
    path = tmp_path / "a.zip"
    asked = JudgingOptions(choose("reference"), CACHE, 0.4, error)
    path.write_bytes(writing.bundled(scene, Selection(), asked).content)
    assert again(path).reasons == ()
    assert again(path, error=0.03).reasons == (f"error {error or 'as the scene has it'} then, 0.03 here",)


def test_it_is_judged_again_on_its_device(scene: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A renderer that runs on one device alone, which the bundle names, is not another one here."""
    path = retold(bundle(scene, tmp_path / "a.zip", pixel=0.4), lambda told: told["settings"].update(device="attic"))

    def only_in_the_attic(name: str = "auto", device: str | None = None) -> Renderer:
        if device != "attic" and name != "auto":
            raise RendererUnavailable("it runs in the attic alone")
        return choose("embree" if name == "auto" else name)

    monkeypatch.setattr(replaying, "choose", only_in_the_attic)
    found = again(path)
    assert (found.result.judged[0].verdict.measurement.renderer, found.reasons) == ("reference", ())
    assert {check.sameness for check in found.checks} == {"to the bit"}


def test_a_device_that_is_not_here_is_told(scene: Path, tmp_path: Path) -> None:
    path = retold(bundle(scene, tmp_path / "a.zip", pixel=0.4), lambda told: told["settings"].update(device="attic"))
    found = again(path)
    assert (found.same, found.reasons) == (True, ("device attic then, the default here",))


def test_what_cannot_be_bundled_is_one_line(scene: Path, tmp_path: Path) -> None:
    (tmp_path / "Gelände/mauer.obj").unlink()
    with pytest.raises(FileError, match=r"mauer.obj: is not there; mauer.toml has mesh = .mauer.obj."):
        writing.bundled(scene, Selection(), options())
    scene.write_text(SCENE.replace("../Gelände/mauer.toml", "/Gelände/mauer.toml"))
    with pytest.raises(FileError, match=r"duell ①.toml: names ./Gelände/mauer.toml. by an absolute path"):
        writing.bundled(scene, Selection(), options())
    scene.write_text(SCENE.partition("[[terrain]]")[0])
    with pytest.raises(SilhouetteError) as refused:
        writing.bundled(scene, Selection(), options())
    assert str(scene) in str(refused.value)


def with_entry(change: Callable[[zipfile.ZipInfo], object], content: bytes = b"x") -> Callable[[bytes], bytes]:
    def made(whole: bytes) -> bytes:
        held = io.BytesIO(whole)
        with zipfile.ZipFile(held, "a") as archive:
            entry = zipfile.ZipInfo("pictures/x.svg")
            change(entry)
            archive.writestr(entry, content)
        return held.getvalue()

    return made


def linked(entry: zipfile.ZipInfo) -> None:
    entry.external_attr = (stat.S_IFLNK | 0o777) << 16


def named(name: str) -> Callable[[bytes], bytes]:
    return with_entry(lambda entry: setattr(entry, "filename", name))


def encrypted(whole: bytes) -> bytes:
    data = bytearray(whole)
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    return bytes(data)


def told_as(change: Callable[[dict[str, Any]], object]) -> Callable[[bytes], bytes]:
    def made(whole: bytes) -> bytes:
        with zipfile.ZipFile(io.BytesIO(whole)) as archive:
            files = {name: archive.read(name) for name in archive.namelist()}
        told = json.loads(files["bundle.json"])
        change(told)
        return packed({**files, "bundle.json": json.dumps(told).encode()})

    return made


def of_scene(text: str) -> Callable[[bytes], bytes]:
    def made(whole: bytes) -> bytes:
        with zipfile.ZipFile(io.BytesIO(whole)) as archive:
            files = {name: archive.read(name) for name in archive.namelist()}
        (path,) = (name for name in files if "duell" in name)
        return packed({**files, path: files[path].replace("../Gelände/mauer.toml".encode(), text.encode())})

    return made


def shrunk(whole: bytes) -> bytes:
    """With a mesh that says it is smaller than what it unpacks to."""
    data = bytearray(whole)
    name = "table/Gelände/mauer.obj".encode()
    place = data.index(name, data.index(b"PK\x01\x02")) - 46
    data[place + 24 : place + 28] = struct.pack("<I", 10)
    return bytes(data)


HOSTILE: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "empty": (lambda whole: b"", "is truncated or no zip archive; bundle the scene again"),
    "no zip": (lambda whole: b"not a zip archive", "is truncated or no zip archive"),
    "truncated": (lambda whole: whole[:-40], "is truncated or no zip archive"),
    "somebody else's": (lambda whole: packed({"readme.txt": b"hello"}), "is no bundle: it has no bundle.json"),
    "somebody else's record": (lambda whole: packed({"bundle.json": b"{}"}), "silhouette is missing"),
    "no record": (lambda whole: packed({"bundle.json": b"\xff"}), "not UTF-8"),
    "no JSON": (lambda whole: packed({"bundle.json": b"{"}), "not JSON at line 1"),
    "a list": (lambda whole: packed({"bundle.json": b"[]"}), "holds no table of keys"),
    "leads up": (named("../x.svg"), "leads out of it"),
    "leads up inside": (named("table/../../x.svg"), "leads out of it"),
    "absolute": (named("/etc/x.svg"), "leads out of it"),
    "a drive": (named("C:/x.svg"), "leads out of it"),
    "backslashes": (named("..\\x.svg"), "leads out of it"),
    "a backslash": (named("pictures\\x.svg"), "has a letter that not every system allows"),
    "a device": (named("pictures/NUL.svg"), "is the name of a device on Windows"),
    "a stream": (named("pictures/x.svg:y"), "has a letter that not every system allows"),
    "a dot": (named("pictures/x."), "ends in a dot or a space"),
    "a line break": (named("pictures/x\ny.svg"), "has a letter that not every system allows"),
    "long": (named(f"pictures/{'x' * 300}.svg"), "is longer than 200 bytes"),
    "deep": (named("/".join(["d"] * 60)), "lies in too many folders"),
    "a link": (with_entry(linked, b"/etc/passwd"), "no plain file"),
    "twice": (named("TABLE/gelände/MAUER.obj"), "twice"),
    "a file and a folder": (named("table/Gelände/mauer.obj/x"), "is a file and a folder"),
    "an archive within": (named("pictures/more.zip"), "holds another archive"),
    "encrypted": (encrypted, "is encrypted"),
    "a bomb": (with_entry(lambda entry: setattr(entry, "compress_type", zipfile.ZIP_DEFLATED), bytes(64 << 20)), ""),
    "lies of a size": (shrunk, "damaged"),
    "lists a path that leads up": (
        told_as(lambda told: told["files"].append({**told["files"][0], "path": "table/../../x"})),
        "leads out of its folder",
    ),
    "lists one twice": (told_as(lambda told: told["files"].append(told["files"][0])), "twice"),
    "lists itself": (told_as(lambda told: told["files"][0].update(path="bundle.json")), "twice"),
    "another scene": (told_as(lambda told: told.update(bundle="table/x.toml")), "without the scene"),
    "a scene elsewhere": (told_as(lambda told: told.update(bundle="../../etc/x.toml")), "without the scene"),
    "a later kind": (told_as(lambda told: told.update(schema=2, silhouette="9.0")), "a later Silhouette, 9.0"),
    "a size below 0": (told_as(lambda told: told["files"][0].update(bytes=-1)), "bytes is -1"),
    "no renderer": (told_as(lambda told: told["settings"].pop("renderer")), "renderer is missing"),
    "a pixel of 0": (told_as(lambda told: told["settings"].update(pixel=0)), "mm above 0"),
    "a scene that reads elsewhere": (of_scene("/etc/passwd"), "by an absolute path"),
    "a scene that leads out": (of_scene("../../../../etc/x.stl"), "leads out of the bundle"),
    "a scene that leads out by another ending": (of_scene("../../../etc/passwd"), "leads out of the bundle"),
}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A bundle that replays."""
    folder = tmp_path_factory.mktemp("whole")
    for inner in ("tisch", "Gelände"):
        (folder / inner).mkdir()
    (folder / "Gelände/mauer.toml").write_text('mesh = "mauer.obj"\nkind = "terrain"\nunits = "mm"\n')
    (folder / "Gelände/mauer.obj").write_text(WALL)
    (folder / "tisch/duell.toml").write_text(SCENE, encoding="utf-8")
    return writing.bundled(folder / "tisch/duell.toml", Selection(), options(), pictures=False).content


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_archive_is_refused_in_one_line(name: str, whole: bytes, tmp_path: Path) -> None:
    make, problem = HOSTILE[name]
    path = tmp_path / "in/a.zip"
    path.parent.mkdir()
    path.write_bytes(make(whole))
    if not problem:  # what no manifest lists is not unpacked at all
        assert again(path).changed == ("pictures/x.svg was added",)
        return
    with pytest.raises(FileError, match=problem) as refused:
        again(path)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 400
    assert str(refused.value).startswith(str(path))
    assert [file.name for file in tmp_path.rglob("*")] == ["in", "a.zip"]


def test_a_bomb_that_is_listed_is_refused(whole: bytes, tmp_path: Path) -> None:
    held = io.BytesIO(told_as(lambda told: told["files"].append({**told["files"][0], "path": "pictures/x.svg"}))(whole))
    with zipfile.ZipFile(held, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("pictures/x.svg", bytes(64 << 20))
    (tmp_path / "a.zip").write_bytes(held.getvalue())
    with pytest.raises(FileError, match=r"is a zip bomb or too large: 'pictures/x\.svg' would unpack to 64 MiB"):
        again(tmp_path / "a.zip")


@pytest.mark.slow
def test_a_bundle_has_limits(whole: bytes, scene: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(whole)
    monkeypatch.setattr(archives, "MAX_ARCHIVE_ENTRIES", 2)
    with pytest.raises(FileError, match="of 4 files, more than 2; bundle the scene again"):
        again(path)
    monkeypatch.undo()
    monkeypatch.setattr(archives, "MAX_UNPACKED_BYTES", 500)
    with pytest.raises(FileError, match="a zip bomb or too large"):
        again(path)
    monkeypatch.undo()
    monkeypatch.setattr(reading, "MAX_FILE_BYTES", 500)
    with pytest.raises(FileError, match="is larger than"):
        again(path)
    monkeypatch.setattr(writing, "MAX_UNPACKED_BYTES", 3000)
    with pytest.raises(FileError, match=r"comes to more than 0 MiB|is larger than"):
        writing.bundled(scene, Selection(), options(), pictures=True)


def test_everybody_may_read_what_is_unpacked(whole: bytes) -> None:
    with zipfile.ZipFile(io.BytesIO(whole)) as archive:
        assert {entry.external_attr >> 16 for entry in archive.infolist()} == {0o100644}


def test_what_was_added_is_told_by_its_name(whole: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(whole)
    path.write_bytes(packed({**contents(path), "Notes/Élan.TXT": b"mine"}))
    assert again(path).changed == ("Notes/Élan.TXT was added",)


def test_what_is_missing_in_a_bundle_is_told_by_its_name(whole: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(whole)
    files = contents(path)
    path.write_bytes(packed({name: content for name, content in files.items() if not name.endswith(".obj")}))
    found = again(path)
    assert found.result.error is not None
    assert str(path) in found.result.error
    assert "mauer.obj: is not there" in found.result.error
    assert "/tmp/silhouette-bundle" not in found.result.error
    path.write_bytes(packed({name: content for name, content in files.items() if "duell" not in name}))
    with pytest.raises(FileError, match="lacks its scene"):
        again(path)
