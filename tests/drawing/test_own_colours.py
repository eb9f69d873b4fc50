"""Models are shown in the colours of their files: these find their place on whatever a mesh has become meanwhile."""

from __future__ import annotations

import base64
import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from silhouette.drawing.in_3d.shapes import DisplayShape, nearest_colours
from silhouette.drawing.in_3d.stage import COLOUR_STEPS, packed
from silhouette.files.cache import Cache
from silhouette.meshes.stored import display_colours
from silhouette.models.model import Model, load_model
from silhouette.scans.meshes import ply_bytes
from tests.support.mesh_files import glb, gltf, off
from tests.support.textured_files import CORNERS_SHOWN, picture, square_glb, textured_obj

NONE = Cache(None)


def ball(steps: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A ball of 20 units, its faces, and its colours: red above; below blue on the left and green on the right."""
    polar, round_ = np.meshgrid(np.linspace(0, np.pi, steps), np.linspace(0, 2 * np.pi, 2 * steps), indexing="ij")
    points = 10 * np.stack([np.sin(polar) * np.cos(round_), np.sin(polar) * np.sin(round_), np.cos(polar)], axis=-1)
    number = np.arange(steps * 2 * steps).reshape(steps, 2 * steps)
    a, b, c, d = (part.ravel() for part in (number[:-1, :-1], number[1:, :-1], number[1:, 1:], number[:-1, 1:]))
    vertices = points.reshape(-1, 3)
    return vertices, np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)]), coloured(vertices)


def coloured(points: np.ndarray) -> np.ndarray:
    left, right = np.array([0, 0, 255]), np.array([0, 255, 0])
    return np.where(
        points[:, 2:] > 0, np.array([255, 0, 0]), np.where(points[:, :1] < 0, left, right)
    ).astype(np.uint8)  # fmt: skip


def shape_of(model: Model, most: int) -> DisplayShape:
    return DisplayShape.of(model, NONE, most)


def right(shape: DisplayShape, middle: np.ndarray) -> float:
    """The share of the faces, away from where colours meet, that have the ball's colour at their place."""
    assert shape.colours is not None
    centres = shape.vertices[shape.faces].mean(axis=1) - middle
    clear = (np.abs(centres[:, 2]) > 2) & ((centres[:, 2] > 0) | (np.abs(centres[:, 0]) > 2))
    return float((shape.colours[clear] == coloured(centres[clear])).all(axis=1).mean())


@pytest.mark.parametrize("most", [500, 10**6])
def test_a_simplified_mesh_has_the_colours_of_its_file(most: int, tmp_path: Path) -> None:
    vertices, faces, colours = ball(60)
    path = tmp_path / "ball.ply"
    path.write_bytes(ply_bytes(vertices + np.array([30, 40, 50]), faces, colours))
    shape = shape_of(load_model(path, NONE, "terrain"), most)
    assert shape.colours is not None
    assert len(shape.colours) == len(shape.faces) <= max(most, len(faces))
    assert right(shape, np.array([0, 0, 10.0])) > 0.99


def test_units_scale_axes_and_origin_are_those_of_the_model(tmp_path: Path) -> None:
    vertices, faces, colours = ball(24)
    upright = vertices[:, [0, 2, 1]] * [1, 1, -1]  # as glTF lies: y up
    (tmp_path / "ball.ply").write_bytes(ply_bytes(upright / 25.4 + 3, faces, colours))
    (tmp_path / "ball.toml").write_text(
        'mesh = "ball.ply"\nunits = "inch"\nup = "y"\nscale = 0.5\nkind = "terrain"\norigin = "keep"\n'
    )
    shape = shape_of(load_model(tmp_path / "ball.toml", NONE), 10**6)
    middle = np.array([3, -3, 3]) * 12.7
    grown = DisplayShape(middle + 2 * (shape.vertices - middle), shape.faces, colours=shape.colours)
    assert right(grown, middle) > 0.99


def test_colours_change_neither_the_mesh_nor_its_digest(tmp_path: Path) -> None:
    vertices, faces, colours = ball(12)
    (tmp_path / "plain.ply").write_bytes(ply_bytes(vertices, faces))
    (tmp_path / "painted.ply").write_bytes(ply_bytes(vertices, faces, colours))
    plain, painted = (load_model(tmp_path / f"{name}.ply", NONE, "terrain") for name in ("plain", "painted"))
    assert plain.mesh.digest == painted.mesh.digest
    assert plain.warnings == tuple(warning.replace("painted", "plain") for warning in painted.warnings)
    assert shape_of(plain, 10**6).colours is None
    assert shape_of(painted, 10**6).colours is not None


def test_the_base_has_no_colours_of_its_own(tmp_path: Path) -> None:
    vertices, faces, colours = ball(12)
    (tmp_path / "ball.ply").write_bytes(ply_bytes(vertices, faces, colours))
    (tmp_path / "ball.toml").write_text('mesh = "ball.ply"\nkind = "fighter"\nbase = { height = 3 }\nunits = "mm"\n')
    shape = shape_of(load_model(tmp_path / "ball.toml", NONE), 10**6)
    assert shape.ghosts > 0
    assert shape.colours is not None
    assert len(shape.colours) == len(shape.faces) - shape.ghosts


def test_which_files_have_colours_to_show(tmp_path: Path) -> None:
    (tmp_path / "square.mtl").write_text("newmtl skin\nmap_Kd skin.png\n")
    (tmp_path / "skin.png").write_bytes(picture())
    files: dict[str, tuple[bytes | str, bool]] = {
        "picture.glb": (square_glb(image=picture()), True),
        "vertices.glb": (square_glb(np.full((4, 4), 99, np.uint8)), True),
        "factor.glb": (square_glb(factor=[1, 0, 0, 1]), False),  # one plain colour tells no pieces apart
        "plain.glb": (glb(gltf()), False),
        "picture.obj": (textured_obj(), True),
        "plain.off": (off(), False),
        "cloud.ply": (b"ply\nformat ascii 1.0\nelement vertex 0\nend_header\n", False),
        "broken.glb": (b"glTF", False),
    }
    for name, (content, expected) in files.items():
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        assert (display_colours(tmp_path / name, NONE) is not None) == expected, name
    assert display_colours(tmp_path / "missing.glb", NONE) is None


def test_colours_are_kept_until_any_of_their_files_changes(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    (tmp_path / "square.mtl").write_text("newmtl skin\nmap_Kd skin.png\nnewmtl other\nmap_Kd other.png\n")
    (tmp_path / "skin.png").write_bytes(picture())
    path = tmp_path / "square.obj"
    path.write_text(textured_obj())
    first, again = display_colours(path, cache), display_colours(path, cache)
    assert first is not None
    assert again is not None
    assert first.digest == again.digest
    assert np.array_equal(first.colours, again.colours)
    assert {tuple(row) for row in first.colours.tolist()} <= {tuple(row) for row in CORNERS_SHOWN.tolist()}
    (tmp_path / "skin.png").write_bytes(picture()[:60])
    assert display_colours(path, cache) is None  # a broken picture shows nothing
    (tmp_path / "skin.png").write_bytes(picture())
    assert display_colours(path, cache) is not None
    (tmp_path / "square.mtl").write_text("newmtl skin\nKd 1 0 0\n")
    assert display_colours(path, cache) is None


def test_the_nearest_points_decide_in_light() -> None:
    triangle = np.array([[0.0, 0, 0], [6, 0, 0], [0, 6, 0]])
    face = np.array([[0, 1, 2]])
    points = np.array([[2.0, 2, 0], [4, 1, 0], [1, 4, 0], [1, 1, 0]])  # as its four points lie
    colours = np.array([[0, 0, 0], [0, 0, 0], [255, 255, 255], [255, 255, 255]], np.uint8)
    assert nearest_colours(triangle, face, points, colours).tolist() == [[188] * 3]  # half of the light


def test_colours_are_packed_behind_the_corners() -> None:
    faces = np.array([[0, 1, 2], [0, 2, 3], [0, 3, 1]])
    vertices = np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
    colours = np.array([[255, 0, 130], [4, 250, 131]], np.uint8)
    (plain, entry), text = packed(
        [DisplayShape(vertices, faces, ghosts=1), DisplayShape(vertices, faces, 1, colours=colours)]
    )
    assert "coloured" not in plain
    assert entry["coloured"] is True
    held = gzip.decompress(base64.b64decode(text))
    channels = np.frombuffer(held[-6:], np.uint8).reshape(3, 2)
    steps = np.cumsum(channels, axis=1) % 256
    assert np.array_equal(steps.T, np.rint(colours / 255 * COLOUR_STEPS))


def test_colours_are_those_of_the_buffer_beside_a_gltf_file(tmp_path: Path) -> None:
    cache, path = Cache(tmp_path / "cache"), tmp_path / "square.gltf"
    reds = list[int]()
    for shade in (99, 199):
        whole = square_glb(np.full((4, 4), shade, np.uint8))
        length = int.from_bytes(whole[12:16], "little")
        tree = json.loads(whole[20 : 20 + length])
        tree["buffers"][0]["uri"] = "square.bin"
        path.write_text(json.dumps(tree))
        (tmp_path / "square.bin").write_bytes(whole[28 + length :])
        paint = display_colours(path, cache)
        assert paint is not None
        reds.append(int(paint.colours[0, 0]))
    assert reds[0] < reds[1]


def test_a_face_one_corner_of_which_has_no_place_in_the_picture_is_white(tmp_path: Path) -> None:
    (tmp_path / "square.mtl").write_text("newmtl skin\nmap_Kd skin.png\n")
    (tmp_path / "skin.png").write_bytes(picture())
    path = tmp_path / "square.obj"
    path.write_text(textured_obj().replace("f 1/1 2/2 3/3", "f 1/1 2/2 3"))
    paint = display_colours(path, NONE)
    assert paint is not None
    first, second = paint.colours.reshape(4, 2, 3).transpose(1, 0, 2)
    assert (first == 255).all()
    assert not (second == 255).all()
