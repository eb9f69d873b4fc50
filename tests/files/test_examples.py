"""The example scenes and models lie where the program looks for them, in a checkout and in an installed package."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path, PurePosixPath
from zipfile import ZipFile

import pytest

from silhouette.common.errors import RequestError
from silhouette.common.installation import VERSION
from silhouette.files.fingerprints import Fingerprints
from silhouette.files.reading import PACKAGE, example, examples_folder
from silhouette.rules import RULES, rule_called
from tests.support.games import BY_CODE, FILES

PROJECT = Path(__file__).resolve().parents[2]
INSIDE = PurePosixPath("silhouette/examples")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built by hatchling alone: nothing is downloaded."""
    pytest.importorskip("hatchling")
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=PROJECT, check=True, capture_output=True)
    (file,) = folder.iterdir()
    return file


@pytest.mark.long
def test_the_wheel_has_every_example_and_nothing_of_how_they_were_made(wheel: Path) -> None:
    names = set(ZipFile(wheel).namelist())
    shipped = [*PROJECT.glob("models/*.glb"), *PROJECT.glob("models/*.toml")]
    shipped += [*PROJECT.glob("scenes/*/*.toml"), *PROJECT.glob("scenes/*/*.glb")]
    assert len(shipped) > 100
    assert {str(INSIDE / file.relative_to(PROJECT).as_posix()) for file in shipped} <= names
    assert not [name for name in names if name.startswith(("models", "tests", "scenes", f"{INSIDE}/models/source"))]
    assert {PurePosixPath(name).suffix for name in names if name.startswith(f"{INSIDE}/models")} == {".glb", ".toml"}


def test_the_wheel_has_what_commands_read_and_both_of_their_names(wheel: Path) -> None:
    with ZipFile(wheel) as archive:
        names = set(archive.namelist())
        (entry_points,) = (name for name in names if name.endswith(".dist-info/entry_points.txt"))
        scripts = archive.read(entry_points).decode()
    read = [f"silhouette/drawing/fonts/OpenSans-{weight}.ttf" for weight in ("Regular", "Bold")]
    read += ["silhouette/drawing/fonts/LICENSE.txt"]
    read += [f"silhouette/rules/{name.replace('-', '_')}/first_scene.toml" for name in BY_CODE]
    read += [f"silhouette/rules/data/{name.replace('-', '_')}.toml" for name in FILES]
    read += ["silhouette/rules/data/grammar.lark"]
    assert set(read) <= names
    assert wheel.name.startswith("silhouette_los-")
    assert "silhouette = silhouette.cli:main" in scripts
    assert "silhouette-los = silhouette.cli:main" in scripts


def test_every_scene_in_the_wheel_finds_its_models_there(wheel: Path, tmp_path: Path) -> None:
    with ZipFile(wheel) as archive:
        archive.extractall(tmp_path, [name for name in archive.namelist() if name.startswith(str(INSIDE))])
    scenes = sorted(tmp_path.glob(f"{INSIDE}/scenes/*/*.toml"))
    named = [other for scene in scenes for file in Fingerprints().named(scene) for other in _all_named(file)]
    assert len(named) > 20
    assert [file for file in named if not file.is_file()] == []


def _all_named(file: Path) -> list[Path]:
    return [file, *Fingerprints().named(file)] if file.is_file() else [file]


def test_the_version_has_one_source(wheel: Path) -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))
    assert "version" not in project["project"]
    assert "version" in project["project"]["dynamic"]
    assert wheel.name.split("-")[1] == VERSION
    with ZipFile(wheel) as archive:
        (metadata,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        assert f"\nVersion: {VERSION}\n" in archive.read(metadata).decode()


def test_what_the_source_distribution_lists_is_there() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))
    listed = project["tool"]["hatch"]["build"]["targets"]["sdist"]
    assert [name for name in listed["include"] if not (PROJECT / name).exists()] == []
    assert listed["exclude"] == ["models/source"]


def test_the_example_of_every_rule_system_is_found_from_any_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(PROJECT)
    names = [rule_called(name).example for name in RULES]
    assert [example(name) for name in names] == list(map(Path, names))
    monkeypatch.chdir(tmp_path)
    assert [example(name) for name in names] == [examples_folder() / name for name in names]
    assert all(example(name).is_file() for name in names)


def test_an_installed_package_looks_inside_itself_and_never_beside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert examples_folder() == PROJECT == PACKAGE.parent
    package = tmp_path / "silhouette"
    (tmp_path / "scenes").mkdir()  # somebody else's
    monkeypatch.setattr("silhouette.files.reading.PACKAGE", package)
    with pytest.raises(RequestError, match="the example scenes are not installed"):
        examples_folder()
    (package / "examples").mkdir(parents=True)
    assert examples_folder() == package / "examples"
