"""Mesh files that are read side by side lie in the cache, and what cannot be read is left to who wants it."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from silhouette.common.errors import MeshError
from silhouette.exchange import imported
from silhouette.exchange.imported import MIN_PARALLEL_BYTES, Size, read_ahead, side_by_side
from silhouette.files.cache import UNCACHED, Cache
from silhouette.meshes import mesh as meshes
from silhouette.meshes.mesh import read_mesh
from silhouette.workers import CAN_FORK
from tests.support.batching import force_forking
from tests.support.mesh_files import obj as pyramid


def test_what_is_read_ahead_is_in_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(imported, "MIN_PARALLEL_BYTES", 0)
    cache = Cache(tmp_path / "cache")
    files = [tmp_path / f"{name}.obj" for name in ("one", "damaged", "missing", "two")]
    for file in files[:2] + files[3:]:
        file.write_text(f"# {file.name}\n" + ("v 1 2\n" if file.stem == "damaged" else pyramid()))
    expected = [read_mesh(file, UNCACHED).mesh for file in (files[0], files[3])]
    ahead = read_ahead(files, cache)
    assert list(ahead) == files[:2] + files[3:]
    for file, mesh in zip((files[0], files[3]), expected, strict=True):
        size = ahead[file]
        assert isinstance(size, Size)
        assert (size.bounds.tolist(), size.triangles) == (mesh.bounds.tolist(), len(mesh.faces))
    damaged = ahead[files[1]]
    assert isinstance(damaged, MeshError)
    assert "three numbers" in damaged.problem
    monkeypatch.setattr(meshes, "_build", lambda *_: pytest.fail("a mesh is read again"))
    assert [read_mesh(file, cache).mesh.digest for file in (files[0], files[3])] == [one.digest for one in expected]


@pytest.mark.parametrize(("worth_it", "cached"), [(1000, True), (0, False)])
def test_little_is_not_read_ahead_nor_without_a_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, worth_it: int, cached: bool
) -> None:
    file = tmp_path / "one.obj"
    file.write_text(pyramid())
    monkeypatch.setattr(imported, "MIN_PARALLEL_BYTES", worth_it)
    monkeypatch.setattr(imported, "parallel_map", lambda *_: pytest.fail("processes are started"))
    assert not read_ahead([file], Cache(tmp_path / "cache") if cached else UNCACHED)


def test_no_more_is_read_ahead_than_allowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(imported, "MIN_PARALLEL_BYTES", 0)
    files = [tmp_path / f"{name}.obj" for name in ("one", "two", "three")]
    for file in files:
        file.write_text(f"# {file.name}\n" + pyramid())
    monkeypatch.setattr(imported, "MAX_BYTES_AHEAD", 2 * files[2].stat().st_size)
    read_ahead(files, Cache(tmp_path / "cache"))
    assert len(list((tmp_path / "cache").glob("*.npz"))) == 2


@pytest.mark.skipif(not CAN_FORK, reason="no process is forked here")
def test_what_a_lost_process_had_to_do_is_done_here(monkeypatch: pytest.MonkeyPatch) -> None:
    force_forking(monkeypatch)
    monkeypatch.setattr(imported, "cores", lambda: 2)
    asker = os.getpid()

    def answer(number: int) -> tuple[int, bool]:
        if number == 3 and os.getpid() != asker:
            os.kill(os.getpid(), signal.SIGKILL)
        return number, os.getpid() == asker

    answers = side_by_side(answer, range(9), MIN_PARALLEL_BYTES)
    assert [number for number, _ in answers] == list(range(9))
    assert [here for _, here in answers][:4] == [False, False, False, True]
    assert all(here for _, here in side_by_side(answer, range(9), MIN_PARALLEL_BYTES - 1))
