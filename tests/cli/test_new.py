"""`silhouette new` writes a first scene that judges at once; shells complete commands, scenes, games, renderers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import silhouette.cli.schema as schemas
from silhouette import load_scene
from silhouette.cli.app import COMPLETE_VARIABLE, main
from silhouette.cli.completion import complete_files, complete_scene
from silhouette.cli.new import FIRST_SCENE_FILE, SCENE_SCHEMA_FILE, SCHEMA_LINE
from silhouette.rules import RULES, rule_called
from silhouette.rules.abilities import first_scene_of
from tests.cli.test_schemas import validator
from tests.support.commands import Ran, run

PROJECT = Path(__file__).resolve().parents[2]
MODELS = PROJECT / "models"
QUICK = ("--renderer", "reference", "--pixel", "1", "--no-cache")


@pytest.fixture(scope="module", autouse=True)
def _one_schema() -> Iterator[None]:
    """Each command of this file would make the schema of all games anew, in a second."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(schemas, "schema_of", cache(schemas.schema_of))
        yield


def keys_of(document: Any) -> Iterator[str]:
    """The keys of a document, at any depth."""
    if isinstance(document, dict):
        for key, value in document.items():
            yield key
            yield from keys_of(value)
    elif isinstance(document, list):
        for value in document:
            yield from keys_of(value)


BEGUN: dict[str, tuple[Path, Ran]] = {}


@pytest.fixture
def begun(game: str, tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]) -> tuple[Path, Ran]:
    """The folder that the command makes for a game, and what it says: once for all tests of it."""
    if game not in BEGUN:
        folder = tmp_path_factory.mktemp("new") / "duel"
        BEGUN[game] = folder, run(capsys, "new", folder, "--rules", game)
    return BEGUN[game]


@pytest.mark.thinned(quick=0, ci=12)
@pytest.mark.parametrize("game", RULES)
def test_a_first_scene_judges_at_once(game: str, begun: tuple[Path, Ran], capsys: pytest.CaptureFixture[str]) -> None:
    folder, ran = begun
    assert (ran.status, ran.complaints) == (0, [])
    assert f"silhouette check {folder / FIRST_SCENE_FILE}" in ran.out
    judged = run(capsys, "check", folder, "--json", *QUICK)
    assert judged.status == 0
    (found,) = judged.document["scenes"]
    assert found["rules"] == game
    assert len(found["results"]) >= 1
    assert not any(key in result for result in found["results"] for key in ("expected_not", "unmet"))


@pytest.mark.parametrize("game", RULES)
def test_every_key_of_a_first_scene_is_explained_where_it_first_stands(game: str) -> None:
    text = first_scene_of(rule_called(game))
    explained = {line.split("#")[0].strip() or line.split("#")[1].strip() for line in text.splitlines() if "#" in line}
    without = {"title", "rules", "terrain", "fighter", "unit", "cover", "character", "creature", "check", "map"}
    inside = {"size", "box", "base", "height", "1", "2", "terrain", "elevation", "hex", "readings"}
    for key in set(keys_of(tomllib.loads(text))) - without - inside:
        assert any(line.startswith(key) or f"{key} =" in line for line in explained), key


@pytest.mark.long
@pytest.mark.parametrize("game", RULES)
def test_editors_find_a_schema_that_the_scene_fits(begun: tuple[Path, Ran]) -> None:
    folder, _ = begun
    text = (folder / FIRST_SCENE_FILE).read_text(encoding="utf-8")
    assert text.splitlines()[0] == SCHEMA_LINE
    assert (folder / SCHEMA_LINE.partition(" ")[2]).samefile(folder / SCENE_SCHEMA_FILE)
    schema = json.loads((folder / SCENE_SCHEMA_FILE).read_text(encoding="utf-8"))
    assert schema == schemas.schema_of("scene")
    validator("scene").validate(tomllib.loads(text))


@pytest.mark.parametrize("name", [FIRST_SCENE_FILE, SCENE_SCHEMA_FILE])
def test_nothing_is_overwritten(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / name).write_text("mine", encoding="utf-8")
    ran = run(capsys, "new", tmp_path)
    assert ran.status == 2
    assert ran.complaints == [f"error: {tmp_path / name}: is there already and is not overwritten; give another folder"]
    assert [(file.name, file.read_text(encoding="utf-8")) for file in tmp_path.iterdir()] == [(name, "mine")]


@pytest.mark.thinned(quick=0, ci=20)
@pytest.mark.parametrize("count", [1, 2, 5])
def test_meshes_take_the_places_of_the_stand_ins(
    count: int, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "my minis").mkdir()
    meshes = []
    for number in range(count):
        mesh = tmp_path / "my minis" / f"{'Vex' if number == 0 else f'ganger {number}'}.glb"
        mesh.write_bytes((MODELS / "ganger_blade.glb").read_bytes())
        meshes.append(mesh)
    monkeypatch.chdir(tmp_path)
    assert run(capsys, "new", "duel", *(mesh.relative_to(tmp_path) for mesh in meshes)).status == 0
    scene = load_scene("duel/scene.toml")
    fighters = [piece for piece in scene.pieces if piece.kind == "fighter"]  # type: ignore[attr-defined]
    assert [piece.name for piece in fighters][:count] == [mesh.stem for mesh in meshes]
    assert len(fighters) == max(count, 2)
    assert len({tuple(piece.pose.translation) for piece in fighters}) == len(fighters)
    assert '"../my minis/' in Path("duel/scene.toml").read_text(encoding="utf-8")
    assert run(capsys, "check", "duel", *QUICK).status == 0


@pytest.mark.parametrize("name", ["duel.toml", "kal.stl", "duel.JSON"])
def test_a_file_in_the_place_of_the_folder_is_refused(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ran = run(capsys, "new", tmp_path / name)
    assert ran.status == 2
    assert "is the name of a file; give that of a folder first" in ran.complaints[0]
    assert not list(tmp_path.iterdir())


def test_equal_names_are_told_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mesh = MODELS / "ganger_blade.glb"
    assert run(capsys, "new", tmp_path / "duel", mesh, mesh, "--json").status == 0
    names = [
        piece["name"] for piece in tomllib.loads((tmp_path / "duel" / FIRST_SCENE_FILE).read_text("utf-8"))["fighter"]
    ]
    assert names == ["ganger_blade", "ganger_blade 2"]


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("--rules", "necromnda"), "no rules 'necromnda'; did you mean 'necromunda'?"),
        (("missing.stl",), "missing.stl: "),
        (("--rules", "ikosa", str(MODELS / "leader.glb")), "takes no meshes; leave them out"),
    ],
)
def test_what_cannot_be_written_is_one_line_and_leaves_nothing(
    words: tuple[str, ...], problem: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ran = run(capsys, "new", tmp_path / "duel", *words)
    assert ran.status == 2
    (line,) = ran.complaints
    assert problem in line
    assert not (tmp_path / "duel").exists()


def completions(words: str, folder: Path = PROJECT) -> list[str]:
    """What bash offers for the last of some words."""
    typed = words.split(" ")
    environment = {**os.environ, COMPLETE_VARIABLE: "complete_bash"}
    environment |= {"COMP_WORDS": words, "COMP_CWORD": str(len(typed) - 1)}
    command = [sys.executable, "-m", "silhouette"]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True)
    assert not done.stderr
    return done.stdout.split()


@pytest.mark.thinned(quick=36, ci=62)
@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("silhouette ch", ["check"]),
        ("silhouette check scenes/ne", ["scenes/necromunda/"]),
        ("silhouette new duel --rules ik", ["ikosa"]),
        ("silhouette check --renderer emb", ["embree"]),
        ("silhouette inspect models/leader.g", ["models/leader.glb"]),
    ],
)
def test_the_shell_completes(words: str, offered: list[str]) -> None:
    assert completions(words) == offered


@pytest.mark.long
@pytest.mark.parametrize("shell", ["zsh", "fish", "pwsh"])
def test_other_shells_complete_the_options_of_a_command(shell: str) -> None:
    environment = {**os.environ, COMPLETE_VARIABLE: f"complete_{shell}", "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    environment |= {"_TYPER_COMPLETE_ARGS": "silhouette check --ren", "_TYPER_COMPLETE_WORD_TO_COMPLETE": "--ren"}
    done = subprocess.run([sys.executable, "-m", "silhouette"], env=environment, capture_output=True, text=True)
    assert "--renderer" in done.stdout


def test_scene_files_and_folders_are_offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("duel.toml", "duel.json", "dust.stl", ".hidden.toml", "other.toml"):
        (tmp_path / name).touch()
    (tmp_path / "duels").mkdir()
    monkeypatch.chdir(tmp_path)
    assert complete_scene("du") == ["duel.json", "duel.toml", "duels/"]
    assert complete_scene("") == ["duel.json", "duel.toml", "duels/", "other.toml"]
    assert complete_scene("./o") == ["./other.toml"]
    assert complete_scene(f"{tmp_path}/o") == [f"{tmp_path}/other.toml"]
    assert complete_scene("no such/") == []
    assert complete_files("d", (".stl",)) == ["duels/", "dust.stl"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "powershell"])
def test_completion_can_be_shown_for_each_shell(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    ran = run(capsys, "--show-completion", shell)
    assert ran.status == 0
    assert COMPLETE_VARIABLE in ran.out


def test_wide_bases_and_model_files_stand_in_a_first_scene_without_a_mistake(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    models = [str(MODELS / f"{name}.toml") for name in ("leader", "brute")]
    assert run(capsys, "new", tmp_path / "duel", *models).status == 0
    (scene,) = run(capsys, "check", tmp_path / "duel", "--json", *QUICK).document["scenes"]
    assert [result["attacker"] for result in scene["results"]] == ["leader", "brute"]
    assert not [text for result in scene["results"] for text in result["warnings"] if "wall" in text]


def test_a_path_that_is_not_there_is_said_to_be_missing_whatever_its_ending(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("duel", "duel.scene", "duel.toml"):
        assert "there is no such file" in run(capsys, "check", tmp_path / name).complaints[0]


def test_a_mesh_that_takes_long_gives_a_sign_of_life(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("silhouette.cli.waiting.LINE_AFTER", 0.02)
    monkeypatch.setattr("silhouette.cli.new.model_at", lambda *_: time.sleep(0.3))
    monkeypatch.setattr("silhouette.cli.new.doubts", lambda _: [])
    assert main(["new", str(tmp_path / "duel"), "scout.glb"]) == 0
    assert "making" in capsys.readouterr().err


def test_a_game_file_has_first_scenes_as_well(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game = tmp_path / "games" / "mine.toml"
    game.parent.mkdir()
    shipped = PROJECT / "silhouette" / "rules" / "data" / "legion.toml"
    game.write_bytes(shipped.read_bytes())
    ran = run(capsys, "new", tmp_path / "duel", "--rules", game)
    assert (ran.status, ran.complaints) == (0, [])
    assert tomllib.loads((tmp_path / "duel" / FIRST_SCENE_FILE).read_text())["rules"] == "../games/mine.toml"
    assert run(capsys, "check", tmp_path / "duel", "--json", *QUICK).status == 0
    (line,) = run(capsys, "new", tmp_path / "other", "--rules", tmp_path / "yours.toml").complaints
    assert line == f"error: {tmp_path / 'yours.toml'}: there is no such file; give the path of a game file"
    assert not (tmp_path / "other").exists()
    (line,) = run(capsys, "check", game).complaints
    assert line.startswith(f"error: {game}: is a game file, not a scene")
