"""A surface that lies over itself thousands of times is looked through only as far as that takes no time."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from silhouette.common.errors import FileError
from silhouette.files.cache import Cache
from silhouette.files.schema import Location
from silhouette.meshes.mesh import Mesh
from silhouette.models.bases import find_base
from silhouette.models.cubes import Cubes
from silhouette.models.entries import ModelOptions
from silhouette.models.model import model_of_mesh
from silhouette.models.surfaces import FOOTPRINT_CELLS_ACROSS, TooManyLayers, Window

pytest.importorskip("resource", reason="this system has no limits for a process")
from tests.fuzz.limits import limited

RNG = np.random.default_rng(1)


def of_triangles(triangles: np.ndarray) -> Mesh:
    faces = np.arange(3 * len(triangles), dtype=np.int32).reshape(-1, 3)
    return Mesh(triangles.reshape(-1, 3), faces, np.zeros(len(faces), np.int32))


def sheets(count: int) -> np.ndarray:
    """Level triangles 40 mm across, in each other from the ground to 10 mm, and one that stands up to 40 mm."""
    level = np.tile([[0.0, 0, 0], [40, 0, 0], [0, 40, 0]], (count, 1, 1))
    level[:, :, 2] = np.linspace(0.0, 10.0, count)[:, None]
    level[:, :, :2] += RNG.random((count, 1, 2))
    return np.concatenate([level, [[[0, 0, 0], [1, 0, 0], [0, 1, 40]]]])


def walls(count: int) -> np.ndarray:
    """Triangles of some metres, that cross a small footprint."""
    large = RNG.random((count, 3, 3)) * [4000, 4000, 40] - [2000, 2000, 0]
    return np.concatenate([large, [[[0, 0, 0], [30, 0, 0], [0, 30, 0]]]])


@pytest.mark.thinned(quick=53)
@pytest.mark.parametrize("triangles", [sheets(5000), walls(20_000)], ids=["sheets", "walls"])
def test_no_base_and_no_cubes_are_looked_for(triangles: np.ndarray) -> None:
    def base() -> str:
        try:
            return str(find_base(of_triangles(triangles)))
        except TooManyLayers:
            return "too many layers"

    find_base(of_triangles(sheets(9)))  # loads the libraries
    outcome = limited(base, cpu=6, memory=700 << 20)
    assert (outcome.kind, outcome.text) in (("done", "too many layers"), ("done", "None"))
    outcome = limited(lambda: Cubes.of(triangles, 144), cpu=6, memory=700 << 20)
    assert (outcome.kind, outcome.text) == ("done", "None")


def test_the_refusal_says_what_to_give(tmp_path: Path) -> None:
    path = tmp_path / "sheets.stl"
    triangles = sheets(5000)
    rows = np.zeros(len(triangles), dtype=[("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("more", "<u2")])
    rows["corners"] = triangles
    path.write_bytes(bytes(80) + len(rows).to_bytes(4, "little") + rows.tobytes())
    with pytest.raises(FileError, match='give base = "none" or its height'):
        model_of_mesh(ModelOptions(mesh=path.name, units="mm"), Location(path), Cache(None))


@pytest.mark.slow
def test_segments_are_cut_at_the_borders_of_the_window() -> None:
    window = Window(np.array([0.0, 0.0]), 1.0, 100.0)
    segments = RNG.random((5000, 2, 2)) * 400 - 150
    segments[:500, 1, 0] = segments[:500, 0, 0]  # upright
    segments[500:600, 1] = segments[500:600, 0]  # points
    cut = window.clipped(segments)
    assert ((cut >= -1e-9) & (cut <= FOOTPRINT_CELLS_ACROSS + 1e-9)).all()
    whole = ((segments >= 0.0) & (segments <= FOOTPRINT_CELLS_ACROSS)).all(axis=(1, 2))
    assert {segment.tobytes() for segment in segments[whole]} <= {segment.tobytes() for segment in cut}
    share = np.linspace(0.0, 1.0, 2001)
    along = segments[:, 0, None] + share[:, None] * (segments[:, 1] - segments[:, 0])[:, None]
    inside = ((along >= 0.0) & (along <= FOOTPRINT_CELLS_ACROSS)).all(axis=2).mean(axis=1)
    lengths = np.linalg.norm(segments[:, 1] - segments[:, 0], axis=1)
    assert np.linalg.norm(cut[:, 1] - cut[:, 0], axis=1).sum() == pytest.approx((inside * lengths).sum(), rel=1e-2)
