"""A folder is changed in place: whenever the program is interrupted or killed, what lies there is of one version."""

from __future__ import annotations

import json
import os
import shutil
import stat
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from silhouette.cli import main
from silhouette.common.errors import FileError
from silhouette.exchange.folder import write_table
from silhouette.exchange.imported import ImportedPiece, ImportedTable
from silhouette.exchange.tts_export import write_saved_object
from silhouette.files.cache import Cache
from silhouette.files.changing import changing_folder, check_folder
from silhouette.files.documents import read_document
from silhouette.files.publishing import files_in
from silhouette.judging.loading import load_scene
from silhouette.meshes.primitives import Box, Solid, solid
from silhouette.pages.tutorial.pages import TUTORIAL
from silhouette.scans.keep import earlier_record, earlier_run
from silhouette.scans.place import ScannedTable
from silhouette.scans.write import write_folder
from tests.support.interrupting import HOWS, How, interrupted, number_of_steps
from tests.support.scanned import matched, scanned_table

NOTHING = Cache(None)
MODELS = Path(__file__).resolve().parents[2] / "models"


@dataclass(frozen=True)
class Case:
    """Something that changes a folder.

    Attributes:
        first, second: write it once, and once more with other content, below a folder.
        main: the file that names the others, from that folder.
        named: the files that the main file names, from that folder.
        beside: files that tell of one version, and may be missing for a while.
    """

    first: Callable[[Path], object]
    second: Callable[[Path], object]
    main: str
    named: Callable[[Path], list[str]]
    beside: tuple[str, ...] = ()


def table(size: float) -> ImportedTable:
    boxes = [solid(Solid(Box((size, 20.0 + number, 30.0)))) for number in range(2)]
    pieces = [ImportedPiece(f"crate {n}", "terrain", (0.0, 40.0 * n, 0.0), mesh=mesh) for n, mesh in enumerate(boxes)]
    return ImportedTable(f"Table {size}", "Tabletop Simulator", Path("..", "save.json"), tuple(pieces), ())


def imported(size: float) -> Callable[[Path], object]:
    return lambda top: write_table(table(size), top / "game", NOTHING)


TABLES: dict[tuple[bool, str], ScannedTable] = {}
"""Scanned tables, by whether they are the second version and the scene before: they are the same again and again."""


def scanned(second: bool) -> Callable[[Path], object]:
    def write(top: Path) -> None:
        scene, earlier = top / "game" / "scene.toml", earlier_run(top / "game")
        key = second, scene.read_text() if scene.is_file() else ""
        if key not in TABLES:
            found = matched(sure=True, path=str(top.parent / "orc.stl")) if second else None
            TABLES[key] = scanned_table(found, odd=not second, earlier=earlier)
        write_folder(TABLES[key], top / "game")
        if not second:
            (top / "game" / "ruling.png").write_bytes(b"of the first scene")

    return write


def exported(size: float) -> Callable[[Path], object]:
    def write(top: Path) -> None:
        scene = load_scene(top.parent / f"scene {size:g}.json", cache=NOTHING)
        write_saved_object(scene, top / "game.json", NOTHING)

    return write


def tutorial(version: int) -> Callable[[Path], object]:
    def write(top: Path) -> None:
        with TUTORIAL.whole_folder(top / "game") as folder:
            (folder / "figures" / str(version)).mkdir(parents=True)
            for name in ("index.html", "same.html", f"figures/{version}/one.svg"):
                (folder / name).write_text(name if name == "same.html" else f"version {version}")
            TUTORIAL.write_facts(folder, {"version": version})

    return write


def meshes_of_scene(top: Path) -> list[str]:
    document = read_document(top / "game" / "scene.toml")
    entries = [*document.get("terrain", ()), *document.get("fighter", ())]
    record = document.get("source", {}).get("record")
    return [f"game/{name}" for name in (*(entry["mesh"] for entry in entries), record) if name]


def meshes_of_save(top: Path) -> list[str]:
    states = json.loads((top / "game.json").read_text())["ObjectStates"]
    return [f"game_meshes/{state['CustomMesh']['MeshURL'].rpartition('/')[2]}" for state in states]


RECORDS = ("game/scan.json", "game/labels.npy", "game/scan.png", "game/ruling.png")
PAGES = ("game/index.html", "game/same.html", "game/figures/1/one.svg", "game/figures/2/one.svg")
CASES = {
    "import": Case(imported(20.0), imported(25.0), "game/scene.toml", meshes_of_scene),
    "scan": Case(scanned(False), scanned(True), "game/scene.toml", meshes_of_scene, RECORDS),
    "export": Case(exported(20.0), exported(25.0), "game.json", meshes_of_save),
    "tutorial": Case(tutorial(1), tutorial(2), f"game/{TUTORIAL.facts_file}", lambda top: [], PAGES),
}
USERS = {"game/notes.txt": b"years of notes", "game/minis/kal.obj": b"v 0 0 0", "game/meshes/mine.obj": b"v 1 1 1"}


def prepared(name: str, folder: Path) -> tuple[Path, dict[str, bytes]]:
    """A folder that was written once, and the files of the user in it, which a tutorial may not have."""
    for height in (20, 25):
        fighter = {"name": "Kal", "at": [0, 0], "figure": {"base": 25, "height": height}}
        (folder / f"scene {height}.json").write_text(json.dumps({"rules": "necromunda", "fighter": [fighter]}))
    shutil.copy(MODELS / "ganger_rifle.glb", folder / "orc.stl")
    top = folder / "top"
    top.mkdir()
    CASES[name].first(top)
    place = "game_meshes" if name == "export" else "game"
    own = {} if name == "tutorial" else {f"{place}/{file}": content for file, content in USERS.items()}
    for file, content in own.items():
        (top / file).parent.mkdir(parents=True, exist_ok=True)
        (top / file).write_bytes(content)
    return top, own


def version_of(case: Case, top: Path) -> dict[str, bytes | None]:
    """The main file, all that it names, and what lies beside it, or None for what does not."""
    files = [case.main, *case.named(top), *case.beside]
    return {file: (top / file).read_bytes() if (top / file).is_file() else None for file in files}


def is_of(found: dict[str, bytes | None], version: dict[str, bytes | None], beside: tuple[str, ...]) -> bool:
    """Whether what lies there is of a version, of which some files may be missing."""
    return found.keys() == version.keys() and all(
        found[file] == content or (file in beside and found[file] is None) for file, content in version.items()
    )


@pytest.fixture(autouse=True)
def _quick_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    """The picture of a scan takes most of the time, and its content is of no interest here."""
    monkeypatch.setattr("silhouette.scans.write.draw_table", lambda table: f"{len(table.questions)}")


@pytest.mark.thinned(quick=9, ci=9)
@pytest.mark.skipif(sys.platform == "win32", reason="processes are killed and forked otherwise there")
@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("name", CASES)
def test_whenever_it_is_interrupted_all_is_of_one_version(tmp_path: Path, name: str, how: How) -> None:
    case = CASES[name]
    top, own = prepared(name, tmp_path)
    old = version_of(case, top)
    shutil.copytree(top, tmp_path / "first")
    steps = number_of_steps(lambda: case.second(top))
    new = version_of(case, top)
    assert old != new
    ends = set()
    for step in range(1, steps + 1, 2 if how == "killed" else 1):  # a process for each takes longer
        shutil.rmtree(top)
        shutil.copytree(tmp_path / "first", top)
        ended = interrupted(lambda: case.second(top), step, how)
        ends.add(ended)
        found = version_of(case, top)
        assert is_of(found, old, case.beside) or is_of(found, new, case.beside), (step, steps)
        if how != "killed":
            assert found in (old, new), (step, steps)
        for file, content in own.items():
            assert (top / file).read_bytes() == content, (step, steps)
        if name == "scan":
            record = earlier_record(top / "game")
            assert record == json.loads((old if found[case.main] == old[case.main] else new)["game/scan.json"] or b"")
        if step % 4 == 0:
            case.second(top)
            assert version_of(case, top) == new, (step, steps)
    assert ends - {"done"} <= {"disk is full": {"FileError", "OSError"}, "ctrl-c": {"KeyboardInterrupt"}}.get(
        how, {"killed"}
    )
    assert len(ends - {"done"}) > 0


def test_what_is_kept_is_never_written_over(tmp_path: Path) -> None:
    game = tmp_path / "game"

    def kept(content: bytes) -> str:
        with changing_folder(game, game / "scene.toml") as change:
            name = change.keep("meshes", "kal", {".obj": content})
            change.commit(name)
        return name

    first, other = kept(b"one"), kept(b"two")
    assert first != other
    assert kept(b"one") == first
    (game / first).write_bytes(b"mended by its owner")
    again = kept(b"one")
    assert again == first.replace(".obj", "_2.obj") == kept(b"one")
    assert [(game / name).read_bytes() for name in (first, other, again)] == [b"mended by its owner", b"two", b"one"]


def test_a_folder_that_is_kept_is_completed_after_a_kill(tmp_path: Path) -> None:
    files = {"/orc.gltf": b"{}", "/textures/orc.bin": b"\0"}
    for lost in (None, "textures/orc.bin", "orc.gltf"):
        with changing_folder(tmp_path, tmp_path / "scene.toml") as change:
            place = change.keep("meshes", "orc", files)
            change.commit(place)
        assert {f"/{name}": (tmp_path / place / name).read_bytes() for name in files_in(tmp_path / place)} == files
        if lost is not None:
            (tmp_path / place / lost).unlink()
    assert len(list((tmp_path / "meshes").iterdir())) == 1


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(28, "No space left on device"), ValueError("no")])
def test_what_is_not_finished_leaves_nothing(tmp_path: Path, error: BaseException | type[BaseException]) -> None:
    def write(folder: Path) -> None:
        with changing_folder(folder, folder / "scene.toml") as change:
            change.keep("meshes", "kal", {".obj": b"new"})
            change.put(folder / "pictures" / "scan.png", b"new")
            raise error

    with pytest.raises((KeyboardInterrupt, FileError, ValueError)):
        write(tmp_path / "deep" / "game")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "game" / "meshes").mkdir(parents=True)
    (tmp_path / "game" / "scene.toml").write_text("mine")
    with pytest.raises((KeyboardInterrupt, FileError, ValueError)):
        write(tmp_path / "game")
    assert sorted(file.name for file in tmp_path.rglob("*")) == ["game", "meshes", "scene.toml"]


def test_meshes_that_another_process_has_begun_to_name_stay(tmp_path: Path) -> None:
    def write(*, whole: bool, meanwhile: Callable[[], object] = str) -> str:
        with changing_folder(tmp_path, tmp_path / "scene.toml") as change:
            mesh = change.keep("meshes", "kal", {".obj": b"new"})
            meanwhile()
            if not whole:
                raise KeyboardInterrupt
            change.commit(mesh)
        return mesh

    with pytest.raises(KeyboardInterrupt):
        write(whole=False, meanwhile=lambda: write(whole=True))
    mesh = (tmp_path / "scene.toml").read_text()
    assert (tmp_path / mesh).read_bytes() == b"new"


def test_a_folder_in_the_place_of_a_file_stays_and_is_named(tmp_path: Path) -> None:
    (tmp_path / "scan.png").mkdir()
    (tmp_path / "scan.png" / "mine.txt").write_text("mine")
    with (
        pytest.raises(FileError, match=r"scan\.png: cannot be written \(is a directory\)"),
        changing_folder(tmp_path, tmp_path / "scene.toml") as change,
    ):
        change.put(tmp_path / "scan.png", b"new")
    assert files_in(tmp_path) == ["scan.png/mine.txt"]


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_links_to_the_folder_and_in_it_are_written_through(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "scan.png").write_bytes(b"old")
    (tmp_path / "game").symlink_to("disk")
    (tmp_path / "disk" / "scan.png").symlink_to("../pictures/scan.png")
    with changing_folder(tmp_path / "game", tmp_path / "game" / "scene.toml") as change:
        change.put(tmp_path / "game" / "scan.png", b"new")
        change.commit("scene")
    assert (tmp_path / "game").readlink() == Path("disk")
    assert (tmp_path / "disk" / "scan.png").is_symlink()
    assert (tmp_path / "pictures" / "scan.png").read_bytes() == b"new"
    assert files_in(tmp_path) == ["disk/scan.png", "disk/scene.toml", "pictures/scan.png"]


@pytest.mark.skipif(os.name == "nt", reason="it has no such permissions")
def test_the_scene_that_was_there_is_kept_with_its_permissions(tmp_path: Path) -> None:
    scene, before = tmp_path / "scene.toml", tmp_path / "scene.before.toml"
    scene.write_text("secret")
    scene.chmod(0o600)
    with changing_folder(tmp_path, scene) as change:
        change.commit("new", before=before)
    assert [(file.read_text(), stat.S_IMODE(file.stat().st_mode)) for file in (scene, before)] == [
        ("new", 0o600), ("secret", 0o600),
    ]  # fmt: skip


def test_the_shell_stays_in_a_folder_that_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = tmp_path / "game"
    write_table(table(20.0), game, NOTHING)
    monkeypatch.chdir(game)
    write_table(table(25.0), Path("."), NOTHING)
    assert Path.cwd().samefile(game)
    assert load_scene("scene.toml", cache=NOTHING).title == "Table 25.0"


@pytest.mark.parametrize(
    ("out", "says"),
    [
        ("/", "is the root of the file system"),
        ("home/kal", "is your home folder"), ("home", "holds your home folder"),
        ("home/kal/..", "holds your home folder"), ("link to home", "is your home folder"),
        ("scans", "holds scans/old/table.glb, which is to be read"), ("scans/old", "holds scans/old/table.glb, which"),
        ("scans/old/..", "holds scans/old/table.glb, which"),
        ("linked", "holds linked/minis, which is to be read"), ("minis", "holds linked/minis, which"),
        ("notes.txt", "is a file"), ("game", ""), ("home/kal/game", ""),
        ("scans/game", ""), ("scans/old/game", ""), ("scan", ""),
    ],
)  # fmt: skip
def test_a_folder_where_nothing_is_to_be_written_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, out: str, says: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for folder in ("home/kal", "scans/old", "linked", "minis"):
        Path(folder).mkdir(parents=True)
    monkeypatch.setenv("HOME", str(tmp_path / "home" / "kal"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "home" / "kal"))
    Path("scans/old/table.glb").touch()
    Path("notes.txt").touch()
    try:
        Path("link to home").symlink_to("home/kal")
        Path("linked/minis").symlink_to("../minis")
    except OSError as error:
        pytest.skip(f"links cannot be made here ({error})")
    inputs = [Path("scans/old/table.glb"), Path("linked/minis")]
    before = sorted(tmp_path.rglob("*"))
    if not says:
        check_folder(Path(out), inputs)
    else:
        with pytest.raises(FileError) as caught:
            check_folder(Path(out), inputs)
        assert str(caught.value).startswith(f"{Path(out)}: {says}")
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("command", ["scan", "import", "import --meshes"])
def test_every_command_refuses_it_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in").mkdir()
    (tmp_path / "save.json").write_text('{"ObjectStates": []}')
    (tmp_path / "in" / "table.ply").touch()
    words = {
        "scan": ["scan", "in/table.ply", "--out", "in"],
        "import": ["import", "save.json", "--out", "."],
        "import --meshes": ["import", "save.json", "--meshes", "in", "--out", "in"],
    }[command]
    before = {file: file.stat().st_mtime_ns for file in tmp_path.rglob("*")}
    assert main(words) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"error: {words[-1]}: holds ")
    assert {file: file.stat().st_mtime_ns for file in tmp_path.rglob("*")} == before
