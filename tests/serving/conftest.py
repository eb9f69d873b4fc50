"""The folder that is served in these tests, and one client of one server for all of them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.assistants import Assistant

FIGHTERS = """
fighter = [
  { name = "Kal", gang = "Orlock", at = [0, 0], facing = 90, parts = [{ box = [12, 12, 30] }], eye = [0, 6, 15] },
  { name = "Vex", gang = "Escher", at = [0, 206], facing = 270, parts = [{ box = [20, 10, 30] }], eye = [0, 5, 15] },
]
"""
DUEL = f'title = "A duel"\nrules = "necromunda"\ntable = [600, 600]\n{FIGHTERS}'


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that is served, and beside it what must stay out of reach."""
    place = tmp_path_factory.mktemp("place")
    folder, secret = place / "served", place / "secret"
    (folder / "deep").mkdir(parents=True)
    secret.mkdir()
    (secret / "duel.toml").write_text(DUEL)
    (secret / "kal.toml").write_text('mesh = "kal.stl"')
    (secret / "kal.stl").write_text("a secret")
    (folder / "duel.toml").write_text(DUEL + '\n[[check]]\nattacker = "Kal"\ntarget = "Vex"\n')
    (folder / "deep" / "other.json").write_text(json.dumps({"rules": "tide-of-iron", "map": {}, "unit": []}))
    (folder / "broken.toml").write_text('rules = "necromunda"\nfighter = [')
    (folder / "notes.json").write_text('{"rules": ["none"]}')
    (folder / ".hidden.toml").write_text(DUEL)
    for name, line in {
        "model.toml": 'model = "../secret/kal.toml"',
        "mesh.toml": 'mesh = "../secret/kal.stl"',
        "absolute.toml": f'mesh = "{(secret / "kal.stl").as_posix()}"',
        "through_a_model.toml": 'model = "deep/model.toml"',
    }.items():
        piece = f'terrain = [{{ name = "wall", at = [0, 100], {line} }}]'
        (folder / name).write_text(f"{DUEL}\n{piece}\n")
    (folder / "deep" / "model.toml").write_text('mesh = "../../secret/kal.stl"')
    (folder / "game.toml").write_text(DUEL.replace("necromunda", "../secret/game.toml"))
    crowd = ", ".join(f'{{ name = "{n}", at = [{40 * n}, 0], parts = [{{ box = [9, 9, 30] }}] }}' for n in range(40))
    (folder / "crowd.toml").write_text(f'rules = "necromunda"\ntable = [2000, 2000]\nfighter = [{crowd}]\n')
    if os.name != "nt":
        (folder / "link.toml").symlink_to(secret / "duel.toml")
        (folder / "linked").symlink_to(secret)
        (folder / "circle.toml").symlink_to(folder / "circle.toml")
        os.mkfifo(folder / "pipe.toml")
    return place


@pytest.fixture(scope="session")
def assistant(place: Path) -> Iterator[Assistant]:
    with Assistant(place / "served") as one:
        yield one
