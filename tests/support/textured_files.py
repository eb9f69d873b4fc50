"""A square of two triangles with colours, written in every way in which a mesh file can hold these."""

from __future__ import annotations

import base64
import io
import json
import struct
from typing import Any

import numpy as np
from PIL import Image

SQUARE = np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
HALVES = np.array([[0, 1, 2], [0, 2, 3]])
# The colours of the quarters of the picture, as it is looked at.
UPPER_LEFT, UPPER_RIGHT = (200, 0, 0), (0, 200, 0)
LOWER_LEFT, LOWER_RIGHT = (0, 0, 200), (200, 200, 200)
# Of the square's corners, which lie in the picture as in the world: x to the right, y up.
CORNERS_SHOWN = np.array([LOWER_LEFT, LOWER_RIGHT, UPPER_RIGHT, UPPER_LEFT])
COMPONENTS = {"<f4": 5126, "u1": 5121, "<u2": 5123, "<u4": 5125}


def picture(form: str = "PNG", side: int = 8) -> bytes:
    """A picture of four quarters."""
    quarters = np.array([[UPPER_LEFT, UPPER_RIGHT], [LOWER_LEFT, LOWER_RIGHT]], np.uint8)
    packed = io.BytesIO()
    Image.fromarray(quarters.repeat(side // 2, axis=0).repeat(side // 2, axis=1)).save(packed, form)
    return packed.getvalue()


def places(inset: float = 0.1) -> np.ndarray:
    """(4, 2) places in the picture of the square's corners, from the lower left, a little within."""
    return SQUARE[:, :2] * (1 - 2 * inset) + inset


def textured_obj(library: str = "square.mtl", material: str = "skin") -> str:
    lines = [f"mtllib {library}"] + [f"v {x} {y} {z}" for x, y, z in SQUARE]
    lines += [f"vt {u:g} {v:g}" for u, v in places()] + [f"usemtl {material}"]
    lines += ["f " + " ".join(f"{corner}/{corner}" for corner in face) for face in HALVES + 1]
    return "\n".join([*lines, ""])


def square_glb(
    colours: np.ndarray | None = None,
    image: bytes | str | None = None,
    factor: list[float] | None = None,
    more: dict[str, Any] | None = None,
) -> bytes:
    """The square as GLB.

    Args:
        colours: of its corners (COLOR_0), of a type that glTF knows.
        image: its picture: the bytes, or the name of another file.
        factor: of its material.
        more: added to the reference to the texture.
    """
    uv = places().astype("<f4")
    uv[:, 1] = 1 - uv[:, 1]
    arrays = {"POSITION": SQUARE.astype("<f4"), "TEXCOORD_0": uv}
    if colours is not None:
        arrays["COLOR_0"] = colours
    material: dict[str, Any] = {"pbrMetallicRoughness": {} if factor is None else {"baseColorFactor": factor}}
    tree: dict[str, Any] = {
        "asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
        "accessors": [], "bufferViews": [], "materials": [material],
    }  # fmt: skip
    blob = b""

    def kept(data: bytes) -> int:
        nonlocal blob
        tree["bufferViews"].append({"buffer": 0, "byteOffset": len(blob), "byteLength": len(data)})
        blob += data + b"\0" * (-len(data) % 4)
        return len(tree["bufferViews"]) - 1

    def accessor(array: np.ndarray, shape: str) -> int:
        kind = COMPONENTS[array.dtype.str.replace("|", "")]
        told = {"componentType": kind, "count": len(array), "type": shape, "normalized": array.dtype.kind == "u"}
        tree["accessors"].append({"bufferView": kept(array.tobytes()), **told})
        return len(tree["accessors"]) - 1

    attributes = {name: accessor(array, f"VEC{array.shape[1]}") for name, array in arrays.items()}
    indices = accessor(HALVES.astype("<u2").ravel(), "SCALAR")
    tree["accessors"][indices]["normalized"] = False
    tree["meshes"] = [{"primitives": [{"attributes": attributes, "indices": indices, "material": 0}]}]
    if image is not None:
        material["pbrMetallicRoughness"]["baseColorTexture"] = {"index": 0, **(more or {})}
        tree["textures"] = [{"source": 0}]
        tree["images"] = [{"uri": image} if isinstance(image, str) else {"bufferView": kept(image)}]
    tree["buffers"] = [{"byteLength": len(blob)}]
    text = json.dumps(tree).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(blob), b"BIN\0") + blob
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


def inline_picture() -> str:
    """The picture as a reference that holds it."""
    return "data:image/png;base64," + base64.b64encode(picture()).decode()
