"""What is written of a scan's piece is read back exactly: places, triangles, colours; the same bytes each time."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from silhouette.files.cache import Cache
from silhouette.meshes.mesh import read_mesh
from silhouette.models.model import load_model
from silhouette.scans.meshes import ply_bytes
from silhouette.scans.read import read_scan

RNG = np.random.default_rng(5)
VERTICES = RNG.normal(scale=40.0, size=(500, 3)) + np.array([1e3, -1e-7, 0.1])
FACES = RNG.permuted(np.tile(np.arange(500, dtype=np.int32), (300, 1)), axis=1)[:, :3]
COLOURS = RNG.integers(0, 256, size=(500, 3), dtype=np.uint8)


def test_a_written_mesh_reads_back_exactly(tmp_path: Path) -> None:
    path = tmp_path / "piece.ply"
    path.write_bytes(ply_bytes(VERTICES, FACES, COLOURS))
    scan = read_scan(path)
    assert np.array_equal(scan.vertices, VERTICES)
    assert np.array_equal(scan.faces, FACES)
    assert scan.colours is not None
    assert np.array_equal(scan.colours, COLOURS)
    assert (scan.up, scan.units, scan.warnings) == ("z", None, ())
    mesh = read_mesh(path, Cache(None)).mesh
    assert {tuple(row) for row in mesh.vertices.tolist()} <= {tuple(row) for row in VERTICES.tolist()}
    assert len(mesh.faces) == len(FACES)


def test_the_same_mesh_gives_the_same_bytes() -> None:
    assert ply_bytes(VERTICES, FACES, COLOURS) == ply_bytes(VERTICES.copy(), FACES.astype(np.int64), COLOURS.copy())


def test_without_colours_and_without_faces(tmp_path: Path) -> None:
    path = tmp_path / "cloud.ply"
    path.write_bytes(ply_bytes(VERTICES, np.zeros((0, 3), np.int32)))
    scan = read_scan(path)
    assert np.array_equal(scan.vertices, VERTICES)
    assert scan.faces.shape == (0, 3)
    assert scan.colours is None


def test_a_written_piece_is_a_model_in_mm_with_z_up(tmp_path: Path) -> None:
    path = tmp_path / "figure.ply"
    box = np.array([[x, y, z] for x in (0.0, 20) for y in (0.0, 20) for z in (0.0, 35)])
    sides = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    faces = np.array([triangle for a, b, c, d in sides for triangle in ((a, b, c), (a, c, d))])
    path.write_bytes(ply_bytes(box, faces))
    model = load_model(path, Cache(None), "terrain")
    assert (model.units, model.up) == ("mm", "z")
    assert np.ptp(model.mesh.vertices, axis=0).tolist() == [20, 20, 35]
