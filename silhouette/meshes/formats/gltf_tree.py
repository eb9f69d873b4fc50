"""glTF and GLB: the container, the tree of JSON in it, and what its values may be; hostile ones are refused."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any
from urllib.parse import unquote_to_bytes

import numpy as np

from silhouette.files.documents import parsed_json
from silhouette.files.reading import LARGEST_FILE
from silhouette.geometry import Floats
from silhouette.installation import package_command
from silhouette.meshes.formats.base import Refused
from silhouette.text import as_written

Tree = dict[str, Any]

DRACO = "KHR_draco_mesh_compression"
MESHOPT = ("EXT_meshopt_compression", "KHR_meshopt_compression")
MOST_NODES = 100_000
_HARMLESS = re.compile(
    r"KHR_mesh_quantization|KHR_node_visibility|MSFT_lod|(KHR|EXT|MSFT|ADOBE)_(texture|materials?|lights?|xmp|animation|audio|node_selectability)_?.*"
)


def open_container(data: bytes) -> tuple[Tree, bytes | None]:
    """The tree and the binary chunk of a GLB file."""
    if data[:4] != b"glTF":
        raise Refused("is no GLB file: one begins with 'glTF'")
    if len(data) < 20:
        raise Refused("is truncated: a GLB file begins with 12 bytes of header and a chunk")
    version, length = (int(number) for number in np.frombuffer(data, "<u4", 2, 4))
    if version != 2:
        raise Refused(f"is GLB version {version}; version 2 is what can be read")
    if length > len(data):
        raise Refused(f"is truncated: it announces {length} bytes and has {len(data)}")
    chunks: list[tuple[bytes, bytes]] = []
    place = 12
    while place + 8 <= length and len(chunks) < 2:  # what comes after the tree and its data is for extensions
        size = int.from_bytes(data[place : place + 4], "little")
        if place + 8 + size > len(data):
            raise Refused(f"is truncated: a chunk announces {size} bytes and has {len(data) - place - 8}")
        chunks.append((data[place + 4 : place + 8], data[place + 8 : place + 8 + size]))
        place += 8 + size
    if not chunks or chunks[0][0] != b"JSON":
        raise Refused("is malformed: the first chunk of a GLB file is JSON")
    blob = chunks[1][1] if len(chunks) > 1 and chunks[1][0] == b"BIN\0" else None
    return parse_tree(chunks[0][1]), blob


def parse_tree(data: bytes) -> Tree:
    """The tree of JSON; refused where it is no object."""
    try:
        tree = parsed_json(data)
    except ValueError as error:
        raise Refused(f"is malformed: its JSON cannot be read ({error})") from None
    if not isinstance(tree, dict):
        raise Refused("is malformed: its JSON is no object")
    return tree


def check_version_and_extensions(tree: Tree) -> None:
    """Refuses a file of another version, or that requires what is not known here."""
    version = tree.get("asset", {}).get("version", "2.0")
    if not str(version).startswith("2"):
        shown = as_written(version).strip('"')
        raise Refused(f"is glTF version {shown}; version 2 is what can be read")
    for name in tree.get("extensionsRequired", []):
        if name in MESHOPT:
            raise Refused("is compressed with meshopt, which is not supported; export it uncompressed or with Draco")
        if name != DRACO and not _HARMLESS.fullmatch(name):
            raise Refused(f"requires the extension {name[:80]}, which is not supported; export it without")


def need_draco() -> None:
    """Refuses a compressed file where the library that reads it is not installed."""
    if find_spec("DracoPy") is None:
        command = package_command("DracoPy")
        raise Refused(f"is compressed with Draco; export it uncompressed, or install what reads it with: {command}")


def item(items: Any, index: Any, what: str) -> Tree:
    """An object of a list of the tree; refused where there is none of that index."""
    if not isinstance(items, list) or type(index) is not int or not 0 <= index < len(items):
        count = len(items) if isinstance(items, list) else 0
        raise Refused(f"is malformed: it refers to {what} {as_written(index)} and has {count} of them")
    item = items[index]
    if not isinstance(item, dict):
        raise Refused(f"is malformed: {what} {index} is no object")
    return item


def whole_number(value: Any, what: str) -> int:
    """A number of bytes; refused where it is none that a file can have."""
    if type(value) is not int or not 0 <= value <= LARGEST_FILE:
        raise Refused(f"is malformed: {what} is {as_written(value)}, which should be a whole number of bytes")
    return value


def inline(uri: str) -> bytes:
    """The bytes that a reference itself holds."""
    head, _, body = uri.partition(",")
    try:
        return base64.b64decode(body) if head.endswith(";base64") else unquote_to_bytes(body)
    except (binascii.Error, ValueError):
        raise Refused("is malformed: a buffer's data: reference is no base64") from None


def matrix_of(node: Tree) -> Floats:
    """A node's transform (4, 4): its matrix, or translation after rotation after scale."""
    if "matrix" in node:
        return np.array(node["matrix"], dtype=np.float64).reshape(4, 4).T
    matrix = np.eye(4)
    if "rotation" in node:
        x, y, z, w = np.array(node["rotation"], dtype=np.float64) / (np.linalg.norm(node["rotation"]) or 1.0)
        matrix[:3, :3] = [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    if "scale" in node:
        matrix[:3, :3] *= np.array(node["scale"], dtype=np.float64).reshape(3)
    if "translation" in node:
        matrix[:3, 3] = np.array(node["translation"], dtype=np.float64).reshape(3)
    return matrix


def roots_of(tree: Tree) -> list[int]:
    """The nodes of the default scene that hang below no other; of a file without scenes, all such nodes."""
    nodes, scenes = tree.get("nodes", []), tree.get("scenes", [])
    if scenes:
        return list(item(scenes, tree.get("scene", 0), "scene").get("nodes", []))
    children = {child for node in nodes for child in node.get("children", [])}
    return [index for index in range(len(nodes)) if index not in children]


class Buffers:
    """The bytes of the buffers of a file, each fetched once.

    Attributes:
        external: the bytes of other files, by the reference to each.
    """

    def __init__(self, tree: Tree, blob: bytes | None, fetch: Callable[[str], bytes]) -> None:
        """Fetches nothing yet.

        Args:
            tree: of the file.
            blob: the binary chunk of its container.
            fetch: the bytes of a file that it refers to; raises Refused.
        """
        self.external: dict[str, bytes] = {}
        self._tree = tree
        self._blob = blob
        self._fetch = fetch
        self._known: dict[int, bytes] = {}

    def of(self, index: int) -> bytes:
        """The bytes of a buffer: those of the container, in the tree itself, or of another file.

        Raises:
            Refused: where they are not there, or fewer than announced.
        """
        buffer = self._tree["buffers"][index]
        if index not in self._known:
            uri = buffer.get("uri")
            if uri is None:
                if index != 0 or self._blob is None:
                    raise Refused(f"is malformed: buffer {index} has neither data nor a reference to a file")
                self._known[index] = self._blob
            elif uri.startswith("data:"):
                self._known[index] = inline(uri)
            else:
                self._known[index] = self.external[uri] = self._fetch(uri)
            if sum(map(len, self._known.values())) > LARGEST_FILE:
                raise Refused(f"has buffers of more than {LARGEST_FILE >> 20} MiB together; split the file")
        data = self._known[index]
        if len(data) < buffer["byteLength"]:
            raise Refused(f"is truncated: buffer {index} announces {buffer['byteLength']} bytes and has {len(data)}")
        return data
