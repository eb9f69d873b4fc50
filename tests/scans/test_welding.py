"""A scan whose file stores its triangles apart is the same table, and each vertex as stored has its label."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from silhouette.common.geometry import Floats, Integers
from silhouette.files.cache import Cache
from silhouette.scans.meshes import ply_bytes
from silhouette.scans.read import Scan, welded
from silhouette.scans.scale import SizeHints
from silhouette.scans.scan import ScanRequest, scan_table

RNG = np.random.default_rng(2)


def hill(side: int = 70) -> tuple[Floats, Integers]:
    """A scanned table of 360 x 360 mm with a block on it, as a surface with noise; vertices and faces."""
    across = np.linspace(-180.0, 180.0, side)
    x, y = np.meshgrid(across, across, indexing="ij")
    z = np.where((np.abs(x - 40) < 45) & (np.abs(y + 30) < 30), 40.0, 0.0) + RNG.normal(0, 0.3, x.shape)
    number = np.arange(side * side).reshape(side, side)
    a, b, c, d = (part.ravel() for part in (number[:-1, :-1], number[1:, :-1], number[1:, 1:], number[:-1, 1:]))
    faces = np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)]).astype(np.int32)
    return np.stack([x, y, z], axis=-1).reshape(-1, 3).astype(np.float32).astype(np.float64), faces


def scan_of(vertices: Floats, faces: Integers, colours: np.ndarray | None = None) -> Scan:
    usable = np.isfinite(vertices).all(axis=1)
    if len(faces):
        used = np.zeros(len(vertices), dtype=bool)
        used[faces] = True
        usable &= used
    return Scan(Path("scan.glb"), "glb", vertices, faces, colours, None, usable, "y", "m")


def apart(vertices: Floats, faces: Integers) -> tuple[Floats, Integers]:
    return vertices[faces].reshape(-1, 3), np.arange(faces.size, dtype=np.int32).reshape(-1, 3)


def test_triangles_that_are_stored_apart_hang_together_again() -> None:
    vertices, faces = hill(40)
    joined, number = welded(scan_of(*apart(vertices, faces)))
    assert len(joined.vertices) == len(vertices)
    assert np.array_equal(joined.vertices[number], vertices[faces].reshape(-1, 3))
    assert np.array_equal(joined.vertices[joined.faces], vertices[faces])
    assert joined.usable.all()


def test_what_is_joined_already_stays_itself() -> None:
    scan = scan_of(*hill(40))
    joined, number = welded(scan)
    assert joined is scan
    assert np.array_equal(number, np.arange(len(scan.vertices)))


def test_chunks_that_differ_by_rounding_are_joined() -> None:
    """Each chunk of a glTF is moved by its own node."""
    vertices, faces = hill(40)
    shaken = vertices[faces].reshape(-1, 3) + RNG.uniform(-1, 1, (faces.size, 3)) * 1e-9
    joined, _ = welded(scan_of(shaken, np.arange(faces.size, dtype=np.int32).reshape(-1, 3)))
    assert len(joined.vertices) <= 1.001 * len(vertices)


def test_chunks_on_grids_of_their_own_are_sewn_along_their_rims() -> None:
    """As Draco stores them; what lies apart, and what is one patch, stays as it is."""
    vertices, faces = hill(40)
    middle = vertices[faces][:, :, :2].mean(axis=1)
    chunk = (middle[:, 0] > 0).astype(int) + 2 * (middle[:, 1] > 0)
    parts, numbered, start = [], [], 0
    for number in range(4):
        used, corners = np.unique(faces[chunk == number], return_inverse=True)
        grid = 0.15 + 0.05 * number
        parts.append(np.round(vertices[used] / grid) * grid)
        numbered.append(corners.reshape(-1, 3) + start)
        start += len(used)
    far = vertices[faces[:1]][0] + np.array([0.0, 0.0, 50.0])
    stored = np.concatenate([*parts, far])
    every = np.concatenate([*numbered, [[start, start + 1, start + 2]]]).astype(np.int32)
    joined, number = welded(scan_of(stored, every))
    assert len(joined.vertices) == len(vertices) + 3
    assert len(joined.faces) == len(faces) + 1
    assert np.abs(joined.vertices[number] - stored).max() < 0.5
    alone, _ = welded(scan_of(vertices, faces))
    assert len(alone.vertices) == len(vertices)


def test_a_heap_of_triangles_is_not_sewn() -> None:
    size = np.where(np.arange(3000) < 1700, 100.0, 0.5)[:, None, None]
    heap = (RNG.normal(size=(3000, 3, 3)) * size).reshape(-1, 3)
    joined, number = welded(scan_of(heap, np.arange(9000, dtype=np.int32).reshape(-1, 3)))
    assert len(joined.vertices) == 9000
    assert np.array_equal(number, np.arange(9000))


def test_colours_come_from_what_is_usable_and_numbers_that_are_none_join_nothing() -> None:
    vertices = np.array([[0.0, 0, 0], [0, 0, 0], [1, 0, 0], [0, 1, 0], [np.nan, 0, 0], [np.nan, 0, 0]])
    faces = np.array([[1, 2, 3]], np.int32)
    colours = np.arange(18, dtype=np.uint8).reshape(6, 3)
    joined, number = welded(scan_of(vertices, faces, colours))
    assert joined.colours is not None
    assert np.array_equal(joined.colours[number][1:4], colours[1:4])
    assert np.array_equal(joined.vertices[number], vertices, equal_nan=True)
    assert joined.usable[number].tolist() == [False, True, True, True, False, False]


def test_a_cloud_with_doubles_loses_them() -> None:
    points = RNG.normal(size=(100, 3))
    joined, number = welded(scan_of(np.repeat(points, 2, axis=0), np.zeros((0, 3), np.int32)))
    assert len(joined.vertices) == 100
    assert joined.usable.all()
    assert np.array_equal(number, np.repeat(np.arange(100), 2))


@pytest.mark.slow
def test_an_stl_is_the_same_table_as_a_ply(tmp_path: Path) -> None:
    vertices, faces = hill()
    (tmp_path / "scan.ply").write_bytes(ply_bytes(vertices, faces))
    rows = np.zeros(len(faces), np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("spare", "<u2")]))
    rows["corners"] = vertices[faces]
    (tmp_path / "scan.stl").write_bytes(b" " * 80 + np.uint32(len(faces)).tobytes() + rows.tobytes())
    ply, stl = (scan_table(ScanRequest(tmp_path / f"scan.{ending}"), Cache(None)) for ending in ("ply", "stl"))
    assert len(ply.pieces) == len(stl.pieces) == 1
    assert len(stl.labels) == len(stl.scan.vertices) == 3 * len(faces)
    assert (ply.labels[faces.ravel()] == stl.labels).mean() > 0.995


@pytest.mark.parametrize(("offset", "step"), [(0.0, 0.0), (5000.0, 0.48828125)])
def test_numbers_that_are_stored_far_apart_are_a_doubt_and_a_warning(
    tmp_path: Path, offset: float, step: float
) -> None:
    """In metres and 32 bits, so far from the origin: the doubt of every piece is a third of the step at least."""
    vertices, faces = hill()
    moved = (vertices / 1000.0 + [offset, offset / 2.0, 0.0]).astype(np.float32)
    (tmp_path / "scan.ply").write_bytes(ply_bytes(moved, faces))
    table = scan_table(ScanRequest(tmp_path / "scan.ply", size_hints=SizeHints(scale=1000.0)), Cache(None))
    told = [sentence for sentence in table.warnings if "mm apart, as it is stored" in sentence]
    assert len(told) == (1 if step else 0)
    if step:
        assert f"its numbers are {step:.2g} mm apart" in told[0]
    assert table.pieces
    assert all(min(piece.place, piece.surface) >= step / 3.0 for piece in table.pieces)
    assert step or all(max(piece.place, piece.surface) < 0.5 for piece in table.pieces)
