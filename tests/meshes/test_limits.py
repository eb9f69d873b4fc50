"""Hostile meshes stay within 10 s of CPU and 2 GB, and are read or refused in one line; the cases here in far less."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from silhouette.errors import MeshError
from silhouette.files.cache import Cache
from silhouette.geometry import Floats
from silhouette.meshes.formats import base, obj, polygons
from silhouette.meshes.formats.polygons import fans, mended, origins
from silhouette.meshes.mesh import read_mesh

pytest.importorskip("resource", reason="this system has no limits for a process")
from tests.fuzz.limits import limited


def within(path: Path, content: bytes | None = None, *, cpu: int = 3, megabytes: int = 300) -> str:
    """What comes of reading a file within limits: "N triangles, M parts", or the refusal without the file's name."""
    if content is not None:
        path.write_bytes(content)

    def told() -> str:
        try:
            mesh = read_mesh(path, Cache(None)).mesh
        except MeshError as error:
            return error.problem if len(str(error).splitlines()) == 1 else "more than one line"
        return f"{len(mesh.faces)} triangles, {len(mesh.part_names)} parts"

    outcome = limited(told, cpu=cpu, memory=megabytes << 20)
    assert outcome.kind == "done", outcome
    return outcome.text


@pytest.fixture(autouse=True, scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Loads the libraries that readers load on demand, so that they do not count against the limits."""
    path = tmp_path_factory.mktemp("first") / "dent.obj"
    path.write_text("v 0 0 0\nv 4 0 0\nv 4 4 0\nv 2 1 0\nv 0 4 0\nf 1 2 3 4 5\n")
    assert len(read_mesh(path, Cache(None)).mesh.faces) == 3


def grid(side: int) -> tuple[Floats, Floats]:
    """Vertices and faces of a bumpy square of ``side`` x ``side`` vertices."""
    x, y = np.meshgrid(np.arange(float(side)), np.arange(float(side)), indexing="ij")
    first = (np.arange(side - 1)[:, None] * side + np.arange(side - 1)).ravel()
    faces = [[first, first + 1, first + side], [first + 1, first + side + 1, first + side]]
    points = np.stack([x, y, np.sin(x / 9) * np.cos(y / 7) * 5], axis=-1).reshape(-1, 3)
    return points, np.concatenate([np.stack(corners, axis=1) for corners in faces])


def obj_lines(points: Floats, groups: list[Floats]) -> bytes:
    lines = [f"v {x:.3f} {y:.3f} {z:.3f}" for x, y, z in points.tolist()]
    for number, faces in enumerate(groups):
        lines += [f"g part {number}", *(f"f {a} {b} {c}" for a, b, c in (faces + 1).tolist())]
    return "\n".join(lines).encode()


@pytest.mark.parametrize("groups", [399, 5000])
def test_groups_that_share_vertices_do_not_take_them_each(tmp_path: Path, groups: int) -> None:
    points, faces = grid(180)
    content = obj_lines(points, np.array_split(faces, groups))
    assert within(tmp_path / "groups.obj", content, megabytes=150) == f"{len(faces)} triangles, {groups} parts"


def test_so_many_parts_and_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "MOST_PARTS", 9)
    points, faces = grid(4)
    assert within(tmp_path / "nine.obj", obj_lines(points, np.array_split(faces, 9))) == "18 triangles, 9 parts"
    refused = within(tmp_path / "ten.obj", obj_lines(points, np.array_split(faces, 10)))
    assert refused == "has 10 parts or copies of them, more than 9; join them, or split the file"


def comb(teeth: int) -> Floats:
    """The outline of a comb with two corners a tooth, (2 * teeth + 2, 3)."""
    x = np.arange(2.0 * teeth)
    y = np.where(np.arange(2 * teeth) % 2, 1.0, 9.0)
    return np.column_stack([np.append(x, [2.0 * teeth, 0.0]), np.append(y, [-1.0, -1.0]), np.zeros(len(x) + 2)])


def star(points: int) -> Floats:
    angle, radius = np.arange(2 * points) * np.pi / points, np.where(np.arange(2 * points) % 2, 10.0, 100.0)
    return np.column_stack([radius * np.cos(angle), np.zeros(2 * points), radius * np.sin(angle)])


def spiral(corners: int) -> Floats:
    angle = np.arange(corners // 2) * 0.05
    out, back = (
        np.column_stack([0 * angle, (r + angle) * np.cos(angle), (r + angle) * np.sin(angle)]) for r in (1, 1.5)
    )
    return np.concatenate([out, back[::-1]])


def area(outline: Floats) -> float:
    return float(np.linalg.norm(np.cross(outline, np.roll(outline, -1, axis=0)).sum(axis=0))) / 2.0


@pytest.mark.parametrize("make", [comb, star, spiral], ids=lambda make: make.__name__)
@pytest.mark.parametrize("turned", [False, True])
def test_a_concave_face_of_a_thousand_corners_is_cut_into_exactly_itself(
    make: Callable[[int], Floats], turned: bool
) -> None:
    outline = make(1000)[:: -1 if turned else 1]
    count = len(outline)
    origin = origins(np.array([count]))
    triangles = mended(outline, fans(np.arange(count), np.array([count])), origin)
    a, b, c = (outline[triangles[:, corner]] for corner in range(3))
    normals = np.cross(b - a, c - a)
    whole = np.cross(outline, np.roll(outline, -1, axis=0)).sum(axis=0)
    assert len(triangles) == count - 2
    assert np.linalg.norm(normals, axis=1).sum() / 2 == pytest.approx(area(outline))  # covered once
    assert ((normals * whole).sum(axis=1) >= 0.0).all()  # and turned as the face is
    edges = {
        tuple(edge)
        for edge in np.sort(
            np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]), axis=1
        ).tolist()
    }
    assert all(tuple(sorted((corner, (corner + 1) % count))) in edges for corner in range(count))


def test_corners_on_a_straight_edge_keep_it_closed() -> None:
    outline = np.array([[0.0, 0, 0], [1, 0, 0], [2, 0, 0], [4, 0, 0], [4, 4, 0], [2, 1, 0], [0, 4, 0]])
    triangles = mended(outline, fans(np.arange(7), np.array([7])), origins(np.array([7])))
    edges = {frozenset(edge) for row in triangles.tolist() for edge in zip(row, [*row[1:], row[0]], strict=True)}
    assert all(frozenset((corner, (corner + 1) % 7)) in edges for corner in range(7))


def test_many_small_concave_faces_take_no_time(tmp_path: Path) -> None:
    dart = "v {0} 0 0\nv {1} 0 0\nv {2} 1 0\nv {0} 4 0\nf -3 -2 -1 -4\n"
    content = "".join(dart.format(10 * at, 10 * at + 4, 10 * at + 1) for at in range(20_000)).encode()
    assert within(tmp_path / "darts.obj", content, cpu=2) == "40000 triangles, 1 parts"


def test_faces_that_would_take_too_long_to_cut_are_refused(tmp_path: Path) -> None:
    rows = "".join(f"v {x:.3f} {y:.3f} {z:.3f}\n" for x, y, z in spiral(polygons.MOST_CORNERS + 2).tolist())
    face = "f " + " ".join(str(corner) for corner in range(1, polygons.MOST_CORNERS + 3))
    refused = within(tmp_path / "spiral.obj", f"{rows}{face}".encode())
    assert (
        refused == "has a concave face of 20002 corners, too many to be cut into triangles here; export it as triangles"
    )


def test_the_reader_of_obj_counts_what_it_holds(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(obj, "MOST_LINES", 20)
    assert within(tmp_path / "a.obj", b"v 0 0 0\n" * 30 + b"f 1 2 3\n").startswith("holds over")
    assert within(tmp_path / "b.obj", b"v 0 0 0\n" + b"g a\n" * 30 + b"f 1 2 3\n").startswith("names over 20 groups")
