"""What is found of the models of an imported table is the same by however many processes, and each is made once."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from silhouette.common.errors import FileError
from silhouette.exchange import folder, imported
from silhouette.exchange.folder import Keys, ModelFacts, SceneModels
from silhouette.files.cache import Cache
from silhouette.models.entries import FigureEntry
from silhouette.models.model import model_of_mesh
from silhouette.models.stand_ins import stand_in
from silhouette.scans.meshes import ply_bytes
from silhouette.workers import CAN_FORK
from tests.support.batching import force_forking


def pieces(folder: Path) -> list[Keys]:
    """A fighter with a base, twice, the same as terrain, one that is too small, and a mesh that is damaged."""
    figure = stand_in(FigureEntry(base=37.0, height=45.0), "fighter").mesh
    (folder / "kal.ply").write_bytes(ply_bytes(figure.vertices, figure.faces))
    (folder / "damaged.ply").write_bytes(b"ply\n")
    kal = {"mesh": "kal.ply", "units": "mm", "up": "z"}
    return [
        ("fighter", kal),
        ("terrain", kal),
        ("fighter", {**kal, "scale": 1e-6}),
        ("fighter", {**kal, "mesh": "damaged.ply"}),
        ("fighter", dict(kal)),
    ]


def found(folder: Path, cache: Cache) -> list[Any]:
    """What is found of them, with errors as texts."""
    models = SceneModels(folder / "scene.toml", cache).of(pieces(folder))
    return [one.problem if isinstance(one, FileError) else one for one in models]


def test_bases_and_grounds_and_what_cannot_be_used(tmp_path: Path) -> None:
    kal, wall, tiny, damaged, again = found(tmp_path, Cache(None))
    assert isinstance(kal, ModelFacts)
    assert kal.base is not None
    assert (round(kal.base.diameter, 2), kal.ground, again) == (37.0, 0.0, kal)
    assert (wall.base, wall.ground) == (None, 0.0)
    assert "kal.ply comes out" in tiny
    assert "truncated" in damaged


@pytest.mark.skipif(not CAN_FORK, reason="no process is forked here")
def test_several_processes_find_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = found(tmp_path, Cache(None))
    force_forking(monkeypatch)
    monkeypatch.setattr(imported, "MIN_PARALLEL_BYTES", 0)
    monkeypatch.setattr(imported, "cores", lambda: 2)
    seen = tmp_path / "seen"
    seen.mkdir()

    def noted(*arguments: Any) -> Any:
        (seen / str(os.getpid())).touch()
        return model_of_mesh(*arguments)

    monkeypatch.setattr(folder, "model_of_mesh", noted)
    assert found(tmp_path, Cache(tmp_path / "cache")) == alone
    assert str(os.getpid()) not in {file.name for file in seen.iterdir()}


def test_each_model_is_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    def noted(*arguments: Any) -> Any:
        made.append(arguments)
        return model_of_mesh(*arguments)

    monkeypatch.setattr(folder, "model_of_mesh", noted)
    models = SceneModels(tmp_path / "scene.toml", Cache(None))
    first = models.of(pieces(tmp_path))
    assert (len(first), len(made)) == (5, 4)
    assert models.of(pieces(tmp_path)[1:3]) == first[1:3]
    assert len(made) == 4
