"""A sculpture's named parts as a GLB file: the same solids always give the same bytes.

glTF is y-up, faces +z and is in metres by its own words; the project's models are y-up and face +z, but are in
millimetres, as their model files say.
"""

import json
import struct
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import manifold3d
import numpy as np

Mesh = tuple[
    np.ndarray, np.ndarray
]  # vertices (n, 3) in mm, faces (m, 3) of vertex indices, anticlockwise from outside
Part: TypeAlias = manifold3d.Manifold | Mesh

GRID = 1 / 4096  # mm between neighbouring positions in the file
SLIVER = 0.002  # mm: edges and slivers of a solid smaller than this are collapsed before it is rounded to the grid

FLOAT, UNSIGNED_SHORT, UNSIGNED_INT = 5126, 5123, 5125
ARRAY_BUFFER, ELEMENT_ARRAY_BUFFER = 34962, 34963


@dataclass(frozen=True)
class Material:
    """How a viewer shades a part: linear red, green, blue from 0 to 1, roughness and metalness."""

    name: str
    colour: tuple[float, float, float]
    roughness: float = 0.8
    metalness: float = 0.0


PRIMER = Material("primer", (0.36, 0.36, 0.37))


@dataclass(frozen=True)
class Sculpture:
    """A sculpted piece: closed, outward solids by name, in millimetres, z up, the front at +y, standing on z = 0.

    `parts` become nodes of the file in their order. A part that is damaged on purpose (a scan) is plain arrays
    (vertices (n, 3), faces (m, 3)). `materials` shades parts by name; what it leaves out is primer grey.
    """

    name: str
    parts: dict[str, Part]
    materials: dict[str, Material] = field(default_factory=dict)


def count_triangles(sculpture: Sculpture) -> int:
    """The triangles of all parts together, as they are written."""
    return sum(len(_tidy(part)[1]) for part in sculpture.parts.values())


def glb(sculpture: Sculpture) -> bytes:
    """The bytes of the piece's GLB file: a node and a mesh per part, named after it, of positions and indices only."""
    document: dict[str, Any] = {
        "asset": {"version": "2.0", "generator": "silhouette sculpting"},
        "scene": 0,
        "scenes": [{"name": sculpture.name, "nodes": list(range(len(sculpture.parts)))}],
        "nodes": [{"name": name, "mesh": index} for index, name in enumerate(sculpture.parts)],
        "meshes": [],
        "materials": [],
        "accessors": [],
        "bufferViews": [],
    }
    buffer = bytearray()
    materials: list[Material] = []
    for name, part in sculpture.parts.items():
        material = sculpture.materials.get(name, PRIMER)
        if material not in materials:
            materials.append(material)
            document["materials"].append(_described(material))
        vertices, faces = _tidy(part)
        if len(faces) == 0:
            raise ValueError(f"{sculpture.name}: the part {name!r} has no triangles")
        primitive = {
            "attributes": {"POSITION": _add_positions(document, buffer, vertices)},
            "indices": _add_indices(document, buffer, faces),
            "material": materials.index(material),
        }
        document["meshes"].append({"name": name, "primitives": [primitive]})
    document["buffers"] = [{"byteLength": len(buffer)}]
    return _container(json.dumps(document, separators=(",", ":")).encode(), bytes(buffer))


def _tidy(part: Part) -> Mesh:
    """Vertices on the grid and in a fixed order, no two alike, and faces in a fixed order without collapsed ones."""
    if isinstance(part, manifold3d.Manifold):
        if part.status() != manifold3d.Error.NoError:
            raise ValueError(f"not a solid: {part.status()}")
        mesh = part.simplify(SLIVER).to_mesh64()
        vertices, faces = np.asarray(mesh.vert_properties)[:, :3], np.asarray(mesh.tri_verts, np.int64)
    else:
        vertices, faces = np.asarray(part[0], float), np.asarray(part[1], np.int64)
    steps, same = np.unique(np.rint(vertices / GRID).astype(np.int64), axis=0, return_inverse=True)
    faces = same.reshape(-1)[faces]
    faces = faces[(faces != np.roll(faces, 1, axis=1)).all(axis=1)]
    first = faces.argmin(axis=1)[:, None]
    faces = np.take_along_axis(faces, (first + np.arange(3)) % 3, axis=1)
    return steps * GRID, faces[np.lexsort(faces.T[::-1])]


def _described(material: Material) -> dict[str, Any]:
    shading = {
        "baseColorFactor": [*material.colour, 1.0],
        "metallicFactor": material.metalness,
        "roughnessFactor": material.roughness,
    }
    return {"name": material.name, "pbrMetallicRoughness": shading}


def _add_positions(document: dict[str, Any], buffer: bytearray, vertices: np.ndarray) -> int:
    # The sculptor's up, +z, becomes glTF's +y, and the sculptor's front, +y, glTF's +z.
    turned = np.stack([-vertices[:, 0] + 0.0, vertices[:, 2], vertices[:, 1]], axis=1).astype("<f4")
    limits = {"min": turned.min(axis=0).tolist(), "max": turned.max(axis=0).tolist()}
    accessor = {"componentType": FLOAT, "count": len(turned), "type": "VEC3", **limits}
    return _add(document, buffer, turned.tobytes(), ARRAY_BUFFER, accessor)


def _add_indices(document: dict[str, Any], buffer: bytearray, faces: np.ndarray) -> int:
    short = faces.max() < 0xFFFF  # the highest value is kept free: it restarts primitives
    accessor = {"componentType": UNSIGNED_SHORT if short else UNSIGNED_INT, "count": faces.size, "type": "SCALAR"}
    return _add(document, buffer, faces.astype("<u2" if short else "<u4").tobytes(), ELEMENT_ARRAY_BUFFER, accessor)


def _add(document: dict[str, Any], buffer: bytearray, data: bytes, target: int, accessor: dict[str, Any]) -> int:
    """Appends `data` to the buffer with its view and accessor, whose index is the answer."""
    view = {"buffer": 0, "byteOffset": len(buffer), "byteLength": len(data), "target": target}
    buffer += data + bytes(-len(data) % 4)
    document["bufferViews"].append(view)
    document["accessors"].append({"bufferView": len(document["bufferViews"]) - 1, **accessor})
    return len(document["accessors"]) - 1


def _container(text: bytes, binary: bytes) -> bytes:
    """The GLB container: header, JSON chunk padded with spaces, binary chunk."""
    text += b" " * (-len(text) % 4)
    header = struct.pack("<4sII", b"glTF", 2, 12 + 8 + len(text) + 8 + len(binary))
    return header + struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(binary), b"BIN\0") + binary
