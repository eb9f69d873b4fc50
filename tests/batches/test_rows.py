"""Rows from Python: those of the command line, as they come, and nothing left behind."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable
from functools import partial
from itertools import islice
from pathlib import Path

import pytest

import silhouette
from silhouette import RequestError
from tests.support.batching import (
    FAST,
    children_of,
    folder_of_scenes,
    folder_of_scenes_with_meshes,
    force_forking,
    rows_of,
    scene_of_blocks,
)
from tests.support.commands import CHECK, run, scene

HOW = {"renderer": "reference", "pixel": 2.0}


@pytest.mark.long
def test_rows_are_those_of_the_command_line_in_their_order(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = folder_of_scenes(tmp_path / "pack", scenes=3, models=4, across=2)
    (folder / "a bad one.toml").write_text("rules = ")
    assert run(capsys, "batch", folder, "--everyone", "--out", tmp_path / "out.jsonl", *FAST).status == 2
    for workers in (1, 3):
        rows = list(silhouette.batch(folder, everyone=True, workers=workers, cached=False, **HOW))  # type: ignore[arg-type]
        assert rows == rows_of(tmp_path / "out.jsonl")


@pytest.mark.long
def test_a_matrix_is_the_batch_of_everyone(tmp_path: Path) -> None:
    path = scene_of_blocks(tmp_path / "crowd.toml", 6)
    rows = list(silhouette.batch([path], everyone=True, **HOW))  # type: ignore[arg-type]
    assert silhouette.matrix(path, **HOW).rows() == rows  # type: ignore[arg-type]
    assert silhouette.matrix(silhouette.load_scene(path), workers=1, **HOW).rows() == rows  # type: ignore[arg-type]


def test_a_matrix_is_the_same_where_this_process_cannot_be_forked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = scene_of_blocks(tmp_path / "crowd.toml", 6)
    expected = silhouette.matrix(path, workers=1, **HOW).rows()  # type: ignore[arg-type]
    force_forking(monkeypatch, False)
    assert silhouette.matrix(path, workers=2, **HOW).rows() == expected  # type: ignore[arg-type]


@pytest.mark.long
@pytest.mark.parametrize("make", [folder_of_scenes, folder_of_scenes_with_meshes], ids=["solids", "meshes"])
def test_whoever_stops_in_the_middle_leaves_no_process(tmp_path: Path, make: Callable[[Path], Path]) -> None:
    before = set(children_of(os.getpid()))
    rows = silhouette.batch(make(tmp_path / "pack"), everyone=True, workers=2, **HOW)  # type: ignore[arg-type]
    assert len(list(islice(rows, 5))) == 5
    assert set(children_of(os.getpid())) - before
    rows.close()  # type: ignore[attr-defined]
    assert not set(children_of(os.getpid())) - before


@pytest.mark.slow
def test_one_check_is_asked_of_a_scene_or_of_its_path(tmp_path: Path) -> None:
    path = scene(tmp_path, CHECK)
    rows = list(silhouette.batch(path, **HOW))  # type: ignore[arg-type]
    for asked in (path, str(path), silhouette.load_scene(path)):
        verdict = silhouette.check(asked, "Kal", "Vex", **HOW)  # type: ignore[arg-type]
        assert verdict.row().items() <= rows[0].items()


def test_what_cannot_be_is_refused_at_once(tmp_path: Path) -> None:
    path = scene(tmp_path, CHECK)
    with pytest.raises(RequestError, match="did you mean 'reference'"):
        silhouette.batch(path, renderer="refrence")
    with pytest.raises(RequestError, match="pixel is 0"):
        silhouette.batch(path, pixel=0.0)
    for ask in (silhouette.matrix, silhouette.batch, partial(silhouette.check, attacker="Kal", target="Vex")):
        with pytest.raises(RequestError, match="error is 0; it must be a share"):
            ask(path, error=0.0)  # type: ignore[operator]
    with pytest.raises(RequestError, match="workers is 0"):
        silhouette.batch(path, workers=0)
    with pytest.raises(RequestError, match="no file is like that"):
        silhouette.batch(tmp_path / "*.json")


def test_nothing_to_judge_is_no_row_and_starts_no_process() -> None:
    before = children_of(os.getpid())
    rows = silhouette.batch([])
    assert children_of(os.getpid()) == before
    assert list(rows) == []


@pytest.mark.skipif(importlib.util.find_spec("pandas") is None, reason="needs pandas")
def test_rows_become_a_data_frame(tmp_path: Path) -> None:
    import pandas

    frame = pandas.DataFrame(silhouette.matrix(scene_of_blocks(tmp_path / "crowd.toml", 4), **HOW).rows())  # type: ignore[arg-type]
    assert len(frame) == 12
    assert set(frame.groupby("verdict").size().index) <= {"open", "partial cover", "full cover", "hidden"}
    assert frame["occluded"].dtype == "float64"
