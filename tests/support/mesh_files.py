"""One pyramid, written in every mesh format that is read."""

from __future__ import annotations

import base64
import io
import json
import struct
import zipfile
from pathlib import Path

import numpy as np

from silhouette.files.cache import Cache
from silhouette.meshes.mesh import Mesh, read_mesh

# A pyramid of four faces, small enough to write down in every format.
CORNERS = np.array([[0.0, 0, 0], [4, 0, 0], [0, 3, 0], [0, 0, 5]])
FACES = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])


def read(path: Path, content: bytes | str):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_mesh(path, Cache(None))


def triangles_of(mesh: Mesh, part: str | None = None) -> set[frozenset[tuple[float, ...]]]:
    chosen = slice(None) if part is None else mesh.part == mesh.part_names.index(part)
    return {frozenset(map(tuple, corners.round(5).tolist())) for corners in mesh.vertices[mesh.faces[chosen]]}


def expected(offset=(0.0, 0.0, 0.0)) -> set[frozenset[tuple[float, ...]]]:
    return {frozenset(map(tuple, (corners + offset).tolist())) for corners in CORNERS[FACES]}


def binary_stl(faces=FACES, header=b"") -> bytes:
    body = b"".join(struct.pack("<12fH", 0, 0, 0, *CORNERS[face].ravel(), 0) for face in faces)
    return header.ljust(80, b" ") + struct.pack("<I", len(faces)) + body


def solid(name: str, offset=(0.0, 0.0, 0.0)) -> str:
    facets = "".join(
        "facet normal 0 0 0\n outer loop\n"
        + "".join("  vertex {} {} {}\n".format(*(corner + offset)) for corner in CORNERS[face])
        + " endloop\nendfacet\n"
        for face in FACES
    )
    return f"solid {name}\n{facets}endsolid {name}\n"


def off() -> str:
    return (
        "OFF\n4 4 6\n"
        + "".join(f"{x} {y} {z}\n" for x, y, z in CORNERS)
        + "".join(f"3 {a} {b} {c}\n" for a, b, c in FACES)
    )


def obj(faces=FACES + 1) -> str:
    return "".join(f"v {x} {y} {z}\n" for x, y, z in CORNERS) + "".join(f"f {a} {b} {c}\n" for a, b, c in faces)


def ply(form: str, newline: bytes = b"\n", polygons=FACES, corners=CORNERS) -> bytes:
    lines = ["ply", f"format {form} 1.0", "comment made here", f"element vertex {len(corners)}"]
    lines += [f"property float {axis}" for axis in "xyz"] + ["property uchar red", f"element face {len(polygons)}"]
    header = newline.join(
        line.encode() for line in [*lines, "property list uchar int vertex_indices", "end_header", ""]
    )
    if form == "ascii":
        rows = [" ".join(map(str, [*corner, 7])) for corner in corners]
        rows += [" ".join(map(str, [len(polygon), *polygon])) for polygon in polygons]
        return header + newline.join(row.encode() for row in rows) + newline
    order = "<" if "little" in form else ">"
    body = b"".join(struct.pack(order + "3fB", *corner, 7) for corner in corners)
    return header + body + b"".join(struct.pack(f"{order}B{len(row)}i", len(row), *row) for row in polygons)


def gltf(nodes=None, scenes=True, uri=None, **more) -> dict:
    buffer = CORNERS.astype("<f4").tobytes() + FACES.astype("<u2").tobytes()
    tree = {
        "asset": {"version": "2.0"},
        "nodes": nodes or [{"name": "figure", "mesh": 0}],
        "meshes": [{"name": "Cube.125", "primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"},
            {"bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR"},
        ],
        "bufferViews": [
            {"buffer": 0, "byteLength": 48},
            {"buffer": 0, "byteOffset": 48, "byteLength": 24},
        ],
        "buffers": [{"byteLength": 72, "uri": uri or "data:;base64," + base64.b64encode(buffer).decode()}],
    } | more
    if scenes:
        tree["scenes"] = [{"nodes": [0]}]
    return tree


def glb(tree: dict) -> bytes:
    blob = base64.b64decode(tree["buffers"][0].pop("uri").partition(",")[2])
    text = json.dumps(tree).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(blob), b"BIN\0") + blob
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


def model(objects: str, build: str, unit="millimeter", more="") -> str:
    spaces = (
        'xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02" '
        'xmlns:p="http://schemas.microsoft.com/3dmanufacturing/production/2015/06"'
    )
    inner = f"<resources>{objects}</resources><build>{build}</build>"
    return f'<?xml version="1.0"?><model unit="{unit}" {spaces} {more}>{inner}</model>'


def pyramid(number=1, name="pyramid", kind="model") -> str:
    vertices = "".join(f'<vertex x="{x}" y="{y}" z="{z}"/>' for x, y, z in CORNERS)
    triangles = "".join(f'<triangle v1="{a}" v2="{b}" v3="{c}"/>' for a, b, c in FACES)
    inner = f"<mesh><vertices>{vertices}</vertices><triangles>{triangles}</triangles></mesh>"
    return f'<object id="{number}" name="{name}" type="{kind}">{inner}</object>'


def threemf(root: str | bytes, **others: str) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("3D/3dmodel.model", root)
        for name, content in others.items():
            archive.writestr(f"3D/{name}.model", content)
    return packed.getvalue()


ALL_FORMATS = {
    "binary.stl": binary_stl(),
    "solid-in-header.STL": binary_stl(header=b"solid made by a tool that says so"),
    "trailing.stl": binary_stl() + b"\0\0",
    "ascii.stl": solid("pyramid"),
    "plain.obj": obj(),
    "negative.obj": obj(FACES - 4) + "v 9 9 9\n",
    "textured.obj": "".join(f"  v\t{x} {y} {z} # here\n" for x, y, z in CORNERS)
    + "vt 0 0\nvn 0 0 1\nmtllib none.mtl\n"
    + "".join(f"f {a}/1/1 {b}/1/1 \\\n {c}/1/1\n" for a, b, c in FACES + 1),
    "latin.obj": "# G\xf6tz\n".encode("latin-1") + obj().encode(),
    "wide.obj": obj().encode("utf-16"),
    "ascii.ply": ply("ascii"),
    "little.ply": ply("binary_little_endian"),
    "big.ply": ply("binary_big_endian"),
    "macintosh.ply": ply("binary_little_endian", b"\r"),
    "windows.ply": ply("binary_little_endian", b"\r\n"),
    "plain.off": off(),
    "embedded.gltf": json.dumps(gltf()),
    "binary.glb": glb(gltf()),
    "plain.3mf": threemf(model(pyramid(), '<item objectid="1"/>')),
}
