"""SCAN: what nobody expects of a scan is a scene or one line, never a traceback."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from time import process_time

import numpy as np
import pytest

from silhouette.cli import main
from silhouette.common.geometry import Floats, Integers
from silhouette.scans import parts, scan
from silhouette.scans.meshes import ply_bytes
from silhouette.scans.parts import cells_of

NONE = np.zeros((0, 3), dtype=np.int32)
RNG = np.random.default_rng(5)


def plane(noise: float = 0.3) -> Floats:
    """Points of an empty table of 400 x 300 mm."""
    return np.column_stack([RNG.uniform(0, 400, 8000), RNG.uniform(0, 300, 8000), RNG.normal(0, noise, 8000)])


def with_gaps() -> Floats:
    points = plane()
    points[::7] = np.nan
    return points


def ball() -> Floats:
    points = RNG.normal(size=(20_000, 3))
    sphere: Floats = 50.0 * points / np.linalg.norm(points, axis=1)[:, None]
    return sphere


SCENES: dict[str, Callable[[], Floats]] = {
    "empty table": plane,
    "not a number": with_gaps,
    "far away": lambda: plane() + 1e6,
    "metres": lambda: plane() / 1000.0,
    "no noise at all": lambda: plane(noise=0.0),
    "every point twice": lambda: np.repeat(plane(), 2, axis=0),
}
REFUSED: dict[str, tuple[Callable[[], Floats], str]] = {
    "ball": (ball, "which way is up cannot be told"),
    "line": (lambda: np.linspace([0.0, 0, 0], [600.0, 0, 0], 5000), "it "),
    "one place": (lambda: np.ones((5000, 3)), "one point"),
    "three points": (lambda: np.eye(3), "no surface"),
    "nothing": (lambda: np.zeros((0, 3)), "no triangles"),
    "nothing but gaps": (lambda: np.full((500, 3), np.nan), ""),
}


def scanned(tmp_path: Path, points: Floats, faces: Integers = NONE) -> int:
    file = tmp_path / "scan.ply"
    file.write_bytes(ply_bytes(points, faces))
    return main(["scan", str(file), "--out", str(tmp_path / "game"), "--quiet"])


@pytest.mark.thinned(quick=0, ci=15)
@pytest.mark.parametrize("name", SCENES)
def test_a_table_without_pieces_is_a_scene(name: str, tmp_path: Path) -> None:
    assert scanned(tmp_path, SCENES[name]()) == 0
    record = json.loads((tmp_path / "game" / "scan.json").read_text())
    assert record["table"] is not None
    assert record["table"]["size"] == pytest.approx([400.0, 300.0], rel=0.02)
    assert record["pieces"] == []
    gaps = "1143 points with coordinates that are no numbers were left out"
    assert any(gaps in warning for warning in record["warnings"]) == (name == "not a number")
    assert main(["draw", str(tmp_path / "game" / "scene.toml"), "--figure", "table", "--out", str(tmp_path / "f")]) in (
        0,
        2,
    )


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_table_is_one_line(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make, problem = REFUSED[name]
    assert scanned(tmp_path, make()) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert len(error.splitlines()) == 1
    assert problem in error
    assert "internal" not in error
    assert not (tmp_path / "game").exists()


def spikes() -> tuple[Floats, Integers]:
    """100,000 thin triangles that stand on end all over a table."""
    count = 100_000
    foot = np.column_stack([RNG.uniform(0, 600, count), RNG.uniform(0, 400, count), np.zeros(count)])
    tip = foot + np.column_stack([RNG.normal(0, 1, (count, 2)), RNG.uniform(5, 80, count)])
    across = np.array([0.5, 0.1, 0.0])
    corners = np.stack([foot + across, foot - across, tip], axis=1)
    return corners.reshape(-1, 3), np.arange(3 * count, dtype=np.int32).reshape(-1, 3)


WHAT_IS_NO_SURFACE: dict[str, tuple[list[str], str]] = {
    "spikes": ([], "the scan is too jagged: at one height"),
    "spikes as large as nothing": (["--scale", "1e300"], "by --scale what was scanned would be"),
}
BUSY = 15.0
"""Seconds of CPU time, for what takes 10 at most where nothing else runs."""


@pytest.mark.long
@pytest.mark.parametrize("name", WHAT_IS_NO_SURFACE)
def test_what_is_no_surface_is_one_line_in_time(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options, problem = WHAT_IS_NO_SURFACE[name]
    file = tmp_path / "scan.ply"
    file.write_bytes(ply_bytes(*spikes()))
    begun = process_time()
    assert main(["scan", str(file), "--out", str(tmp_path / "game"), "--yes", "--quiet", *options]) == 2
    assert process_time() - begun < BUSY
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("error: ")
    assert problem in line
    assert not (tmp_path / "game").exists()


def points_on_a_table(above: Floats) -> Floats:
    """A table of 900 x 900 mm in 100,000 points, and what stands on it."""
    return np.concatenate([np.column_stack([RNG.uniform(-450, 450, (100_000, 2)), RNG.normal(0, 0.2, 100_000)]), above])


def stalks(count: int, height: float) -> Floats:
    """200,000 points of upright stalks all over a table."""
    feet = RNG.uniform(-300, 300, (count, 2))[RNG.integers(0, count, 200_000)]
    return np.column_stack([feet, RNG.uniform(0, height, 200_000)])


CLOUDS_OF_NO_SURFACE: dict[str, tuple[Callable[[], Floats], str]] = {
    "the corners of spikes": (lambda: spikes()[0], "lie on no surface"),
    "a space": (lambda: points_on_a_table(RNG.uniform(0, 1, (200_000, 3)) * [600, 400, 200]), "lie on no surface"),
    "a lawn": (lambda: points_on_a_table(stalks(60_000, 30.0)), "lie on no surface"),
    "reeds": (lambda: points_on_a_table(stalks(1000, 150.0)), "parts that nothing joins"),
    "posts": (lambda: points_on_a_table(stalks(400, 150.0)), "parts that nothing joins"),
}


STEPS = {"reeds": pytest.mark.long, "posts": pytest.mark.long}


@pytest.mark.parametrize("name", [pytest.param(name, marks=STEPS.get(name, ())) for name in CLOUDS_OF_NO_SURFACE])
def test_a_cloud_of_no_surface_is_one_line_in_time(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make, problem = CLOUDS_OF_NO_SURFACE[name]
    points = make()
    begun = process_time()
    assert scanned(tmp_path, points) == 2
    assert process_time() - begun < BUSY
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("error: ")
    assert problem in line
    assert not (tmp_path / "game").exists()


@pytest.mark.long
def test_points_that_fill_a_space_are_one_thing_that_may_be_several(tmp_path: Path) -> None:
    """They took a minute to be told apart, and what came out was as random as they are."""
    begun = process_time()
    assert scanned(tmp_path, RNG.uniform(0, 1, (15_000, 3)) * [600, 400, 200]) == 0
    assert process_time() - begun < BUSY
    scene = (tmp_path / "game" / "scene.toml").read_text()
    assert scene.count("[[terrain]]") == 1
    assert "# may be more than one piece" in scene


@pytest.mark.thinned(quick=50, ci=70)
@pytest.mark.parametrize("name", ["block", "a few of its points", "boards", "plane", "ball", "plane of any normals"])
def test_what_fills_a_space(name: str) -> None:
    block = RNG.uniform(0, 1, (30_000, 3)) * [600, 400, 200]
    anyhow = RNG.normal(size=block.shape)
    boards = block * [0.0, 1.0, 1.0] + np.outer(np.arange(30_000) % 20, [30.0, 0.0, 0.0])
    points, normals = {
        "block": (block, anyhow),
        "a few of its points": (block[:900], anyhow[:900]),
        "boards": (boards, np.where(anyhow[:, :1] > 0, [1.0, 0.0, 0.0], [-1.0, 0.0, 0.0])),
        "plane": (block * [1.0, 1.0, 0.0], np.tile([0.0, 0.0, 1.0], (30_000, 1))),
        "ball": (100.0 * anyhow / np.linalg.norm(anyhow, axis=1)[:, None], anyhow),
        "plane of any normals": (block * [1.0, 1.0, 0.01], anyhow),
    }[name]
    normals = normals / np.linalg.norm(normals, axis=1)[:, None]
    members = np.arange(len(points), dtype=np.int32)
    cells = cells_of(points, normals, np.zeros((0, 2), dtype=np.int32), members, 29.0 if name == "block" else 12.0)
    assert parts._fill_space(cells) == (name == "block")


@pytest.mark.slow
def test_what_takes_too_long_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(scan, "SECONDS", -100.0)
    assert scanned(tmp_path, RNG.uniform(0, 1, (3000, 3)) * [600, 400, 200]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"error: {tmp_path / 'scan.ply'}: to tell its pieces apart takes more than")
    assert not (tmp_path / "game").exists()
