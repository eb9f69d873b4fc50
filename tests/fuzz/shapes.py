"""Meshes that are changed as meshes and then written well-formed, so that most of them load: what is behind the readers
is tried as well."""

from __future__ import annotations

import io
import json
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from random import Random

import numpy as np
from numpy.typing import NDArray

from silhouette.files.cache import Cache
from silhouette.meshes.mesh import read_mesh
from silhouette.meshes.primitives import Cylinder, Solid, solid
from silhouette.scans.meshes import ply_bytes
from tests.support.textured_files import picture, square_glb, textured_obj

Points = NDArray[np.float64]
Faces = NDArray[np.int64]
Shape = tuple[Points, Faces, NDArray[np.int64], list[str]]
MOST_FACES = 4000


def seeds(models: Path) -> list[Shape]:
    """The shapes to start from: those of the example models that are small enough, and a figure on a base."""
    shapes: list[Shape] = []
    figure = solid(Solid(Cylinder(25.0, 3.0)), Solid(Cylinder(12.0, 27.0), at=(0.0, 0.0, 3.0)))
    for mesh in [figure, *(read_mesh(path, Cache(None)).mesh for path in sorted(models.glob("*.glb")))]:
        kept = mesh.subset(np.arange(len(mesh.faces)) % max(1, len(mesh.faces) // MOST_FACES) == 0)
        shapes.append((kept.vertices, kept.faces.astype(np.int64), kept.part.astype(np.int64), list(kept.part_names)))
    return shapes


def changed(shape: Shape, random: Random) -> Shape:
    """The shape after a few changes, each of a random kind."""
    for _ in range(random.randint(1, 4)):
        shape = random.choice(CHANGES)(shape, random)
    return shape


def _some(count: int, random: Random) -> NDArray[np.int64]:
    size = max(1, int(count * random.choice([0.001, 0.01, 0.1, 0.5])))
    return np.array([random.randrange(count) for _ in range(min(size, 2000))])


def _moved(shape: Shape, random: Random) -> Shape:
    vertices = shape[0].copy()
    chosen = _some(len(vertices), random)
    reach = random.choice([1e-9, 1e-3, 0.1, 1.0, 10.0]) * float(np.ptp(vertices, axis=0).max())
    vertices[chosen] += [[random.uniform(-reach, reach) for _ in range(3)] for _ in chosen]
    return vertices, *shape[1:]


def _scaled(shape: Shape, random: Random) -> Shape:
    factors = [random.choice([1.0, 1.0, 0.0, -1.0, 1e-6, 0.001, 0.0394, 2.54, 1000.0]) for _ in range(3)]
    return shape[0] * factors, *shape[1:]


def _snapped(shape: Shape, random: Random) -> Shape:
    step = random.choice([0.5, 2.0, 10.0])
    return np.round(shape[0] / step) * step, *shape[1:]


def _odd_numbers(shape: Shape, random: Random) -> Shape:
    vertices = shape[0].copy()
    odd = random.choice([np.nan, np.inf, -np.inf, 1e30, 1e7, 1e-300])
    vertices[random.randrange(len(vertices)), random.randrange(3)] = odd
    return vertices, *shape[1:]


def _picked(shape: Shape, rows: NDArray[np.int64]) -> Shape:
    return shape[0], shape[1][rows], shape[2][rows], shape[3]


def _deleted(shape: Shape, random: Random) -> Shape:
    kept = np.ones(len(shape[1]), dtype=bool)
    kept[_some(len(kept), random)] = False
    kept[0] = True
    return _picked(shape, np.flatnonzero(kept))


def _doubled(shape: Shape, random: Random) -> Shape:
    return _picked(shape, np.concatenate([np.arange(len(shape[1])), _some(len(shape[1]), random)]))


def _flipped(shape: Shape, random: Random) -> Shape:
    faces = shape[1].copy()
    chosen = _some(len(faces), random)
    faces[chosen] = faces[chosen][:, ::-1]
    return shape[0], faces, *shape[2:]


def _tangled(shape: Shape, random: Random) -> Shape:
    faces = shape[1].copy()
    for row in _some(len(faces), random):
        faces[row, random.randrange(3)] = random.randrange(len(shape[0]))
    return shape[0], faces, *shape[2:]


def _renamed(shape: Shape, random: Random) -> Shape:
    names = ["", "base", "=1+1", "\x1b[31m", "x" * 500, "*", "Kąl 🎲", "<script>", "../../x"]
    return *shape[:3], [random.choice([name, random.choice(names)]) for name in shape[3]]


def _parted(shape: Shape, random: Random) -> Shape:
    count = random.choice([2, 7, 60])
    part = np.array([random.randrange(count) for _ in shape[1]])
    return shape[0], shape[1], part, [f"part {number}" for number in range(count)]


CHANGES: list[Callable[[Shape, Random], Shape]] = [
    _moved, _moved, _scaled, _snapped, _odd_numbers, _deleted, _doubled, _flipped, _tangled, _renamed, _parted,
]  # fmt: skip


def _stl(shape: Shape) -> bytes:
    rows = np.zeros(len(shape[1]), dtype=[("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("more", "<u2")])
    with np.errstate(over="ignore"):
        rows["corners"] = shape[0][shape[1]]
    return bytes(80) + struct.pack("<I", len(rows)) + rows.tobytes()


def _rows(points: Points, form: str) -> list[str]:
    return [form.format(x, y, z) for x, y, z in points.tolist()]


def _stl_text(shape: Shape) -> bytes:
    form = "facet normal 0 0 0\nouter loop\nvertex {}\nvertex {}\nvertex {}\nendloop\nendfacet"
    words = [f"{x!r} {y!r} {z!r}" for x, y, z in shape[0].tolist()]
    facets = [form.format(words[a], words[b], words[c]) for a, b, c in shape[1].tolist()]
    return "\n".join(["solid figure", *facets, "endsolid figure"]).encode()


def _obj(shape: Shape) -> bytes:
    lines, last = _rows(shape[0], "v {!r} {!r} {!r}"), -1
    for face, part in zip((shape[1] + 1).tolist(), shape[2].tolist(), strict=True):
        if part != last:
            lines.append(f"g {shape[3][part]}")
        lines.append("f {} {} {}".format(*face))
        last = part
    return "\n".join(lines).encode()


def _off(shape: Shape) -> bytes:
    head = f"OFF\n{len(shape[0])} {len(shape[1])} 0"
    faces = ["3 {} {} {}".format(*face) for face in shape[1].tolist()]
    return "\n".join([head, *_rows(shape[0], "{!r} {!r} {!r}"), *faces]).encode()


def _ply(shape: Shape) -> bytes:
    axes = "".join(f"property double {axis}\n" for axis in "xyz")
    head = f"ply\nformat binary_little_endian 1.0\nelement vertex {len(shape[0])}\n{axes}"
    head += f"element face {len(shape[1])}\nproperty list uchar int vertex_indices\nend_header\n"
    rows = np.zeros(len(shape[1]), dtype=[("count", "u1"), ("corners", "<i4", 3)])
    rows["count"], rows["corners"] = 3, shape[1]
    return head.encode() + shape[0].astype("<f8").tobytes() + rows.tobytes()


def _glb(shape: Shape) -> bytes:
    with np.errstate(over="ignore"):
        points = shape[0].astype("<f4").tobytes()
    order = np.argsort(shape[2], kind="stable")
    faces = shape[1][order].astype("<u4").tobytes()
    counts = np.bincount(shape[2], minlength=len(shape[3])).tolist()
    used = [(number, count, sum(counts[:number])) for number, count in enumerate(counts) if count]
    tree = {
        "asset": {"version": "2.0"},
        "scenes": [{"nodes": list(range(len(used)))}],
        "nodes": [{"mesh": at, "name": shape[3][number]} for at, (number, _, _) in enumerate(used)],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": at + 1}]} for at in range(len(used))],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": len(shape[0]), "type": "VEC3"},
            *(
                {"bufferView": 1, "byteOffset": 12 * start, "componentType": 5125, "count": 3 * count, "type": "SCALAR"}
                for _, count, start in used
            ),
        ],
        "bufferViews": [
            {"buffer": 0, "byteLength": len(points)},
            {"buffer": 0, "byteOffset": len(points), "byteLength": len(faces)},
        ],
        "buffers": [{"byteLength": len(points) + len(faces)}],
    }
    text = json.dumps(tree).encode()
    text += b" " * (-len(text) % 4)
    body = struct.pack("<I4s", len(text), b"JSON") + text
    body += struct.pack("<I4s", len(points) + len(faces), b"BIN\0") + points + faces
    return b"glTF" + struct.pack("<II", 2, 12 + len(body)) + body


def _three_mf(shape: Shape) -> bytes:
    vertices = "".join(_rows(shape[0], '<vertex x="{!r}" y="{!r}" z="{!r}"/>'))
    faces = "".join('<triangle v1="{}" v2="{}" v3="{}"/>'.format(*face) for face in shape[1].tolist())
    mesh = f"<mesh><vertices>{vertices}</vertices><triangles>{faces}</triangles></mesh>"
    space = "http://schemas.microsoft.com/3dmanufacturing/core/2015/02"
    resources = f'<resources><object id="1">{mesh}</object></resources><build><item objectid="1"/></build>'
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo("3D/3dmodel.model"), f'<model xmlns="{space}">{resources}</model>')
    return packed.getvalue()


WRITERS: list[tuple[str, Callable[[Shape], bytes]]] = [
    (".stl", _stl), (".stl", _stl_text), (".obj", _obj), (".off", _off), (".ply", _ply), (".glb", _glb),
    (".3mf", _three_mf),
]  # fmt: skip
"""How a shape is written, with the ending."""


def table_cloud() -> bytes:
    """A cloud of the points of a small table with a block on it, as PLY."""
    across = np.linspace(-100.0, 100.0, 60)
    x, y = np.meshgrid(across, across)
    z = np.where((np.abs(x) < 20) & (np.abs(y) < 15), 30.0, 0.0) + 0.2 * np.sin(7 * x + 3 * y)
    points = np.stack([x, y, z], axis=-1).reshape(-1, 3)
    return ply_bytes(points, np.zeros((0, 3), np.int32), np.full((len(points), 3), 99, np.uint8))


def _archive() -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("scan/square.obj", textured_obj())
        archive.writestr("scan/square.mtl", "newmtl skin\nKd 1 1 1\nmap_Kd skin.jpg\n")
        archive.writestr("scan/skin.jpg", picture("JPEG", 32))
    return held.getvalue()


SCANS: tuple[tuple[str, Callable[[], bytes]], ...] = (
    ("scan.zip", _archive),
    ("cloud.ply", table_cloud),
    ("square.glb", lambda: square_glb(np.full((4, 4), 99, np.uint8), picture())),
    ("square.obj", lambda: textured_obj().encode()),
)
"""Scans by their names, and what writes each."""
