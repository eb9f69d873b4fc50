"""glTF: what colours a primitive: its vertices' colours, a picture and places in it, the factor of its material."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from silhouette.meshes.formats.base import LONGEST_NAME, Refused, Skin
from silhouette.meshes.formats.colours import as_bytes
from silhouette.meshes.formats.gltf_tree import Tree, inline, item, whole_number

_COLOUR = "COLOR_0"
# What a whole number of each size stands for in full; numbers with a point stand for themselves.
_FULL = {1: 255.0, 2: 65535.0}


@dataclass(frozen=True)
class _Material:
    """The colours of a primitive: the index of its picture or None, which set of places in it, how these are moved, and
    its factor."""

    picture: int | None = None
    places: str = ""
    moved: NDArray[np.float64] | None = None
    factor: tuple[float, float, float] | None = None


class Painter:
    """Knows what colours the primitives of one file, and fetches their pictures.

    Attributes:
        warnings: a sentence for each thing that is wrong with the colours; the shape is right without them.
    """

    def __init__(self, tree: Tree, buffer: Callable[[int], bytes], fetch: Callable[[str], bytes]) -> None:
        self._tree = tree
        self._buffer = buffer
        self._fetch = fetch
        self._materials: dict[str, _Material] = {}
        self.warnings: list[str] = []

    def attributes(self, key: str, primitive: Tree) -> dict[str, tuple[int, str]]:
        """The attributes that colour a primitive, known by ``key`` from now on: of each its accessor and its shape."""
        found: dict[str, tuple[int, str]] = {}
        stored = primitive["attributes"]
        try:
            self._materials[key] = self._material(primitive)
            if _COLOUR in stored:
                shape = item(self._tree.get("accessors"), stored[_COLOUR], "accessor").get("type")
                found[_COLOUR] = stored[_COLOUR], "VEC3" if shape == "VEC3" else "VEC4"
            if self._materials[key].places in stored:
                found[self._materials[key].places] = stored[self._materials[key].places], "VEC2"
        except (Refused, LookupError, TypeError, ValueError, AttributeError):
            self._materials[key] = _Material()
            self.warnings.append(f"the material of mesh {key} is malformed; it is shown without")
        return found

    def broken(self, key: str, name: str, why: str) -> None:
        """Notes that an attribute cannot be read."""
        self.warnings.append(f"{name} of mesh {key} {why}; it is shown without")

    def _material(self, primitive: Tree) -> _Material:
        if "material" not in primitive:
            return _Material()
        material = item(self._tree.get("materials"), primitive["material"], "material")
        shading, names = material.get("pbrMetallicRoughness", {}), ("baseColorFactor", "baseColorTexture")
        older = material.get("extensions", {}).get("KHR_materials_pbrSpecularGlossiness", {})
        if older and not set(names) & shading.keys():
            shading, names = older, ("diffuseFactor", "diffuseTexture")
        if not isinstance(shading, dict):
            raise ValueError("the shading of a material is no object")
        factor = None
        if names[0] in shading:
            red, green, blue = map(float, shading[names[0]][:3])
            factor = red, green, blue
        if names[1] not in shading:
            return _Material(factor=factor)
        told = shading[names[1]]
        texture = item(self._tree.get("textures"), told["index"], "texture")
        packed = texture.get("extensions", {})
        source = next((packed[name]["source"] for name in ("EXT_texture_webp",) if name in packed), None)
        source = texture.get("source", source)
        if source is None:
            self.warnings.append("a picture is compressed in a way that is not supported; it is shown without")
            return _Material(factor=factor)
        transform = told.get("extensions", {}).get("KHR_texture_transform", {})
        places = f"TEXCOORD_{transform.get('texCoord', told.get('texCoord', 0))}"
        return _Material(source, places, _moved(transform) if transform else None, factor)

    def see_through(self, primitive: Tree) -> str:
        """The name of the material of a primitive, if pixels of it may be transparent; empty if it is opaque."""
        try:
            index = primitive.get("material")
            material = item(self._tree.get("materials"), index, "material") if index is not None else {}
        except Refused:
            return ""
        if material.get("alphaMode") not in ("MASK", "BLEND"):
            return ""
        return str(material.get("name") or f"material {index}")[:LONGEST_NAME]

    def skin(self, key: str, arrays: Mapping[str, NDArray[Any]], count: int) -> Skin | None:
        """The skin of a primitive of ``count`` vertices from its `attributes`; None if it has no colour of any kind."""
        material = self._materials.get(key, _Material())
        skin = Skin(factor=material.factor or (1.0, 1.0, 1.0))
        colours, places = arrays.get(_COLOUR), arrays.get(material.places)
        if colours is not None and len(colours) == count:
            skin = replace(skin, shades=as_bytes(_share(colours[:, :3])))
        if places is not None and len(places) == count and material.picture is not None:
            uv = _share(places)
            if material.moved is not None:
                uv = (uv @ material.moved[:, :2].T + material.moved[:, 2]).astype(np.float32)
            skin = replace(skin, picture=str(material.picture), uv=uv)
        return skin if skin.shades is not None or skin.picture is not None or material.factor else None

    def picture(self, name: str) -> bytes:
        """The bytes of a picture, PNG or JPEG.

        Raises:
            Refused: where it is not there.
        """
        image = item(self._tree.get("images"), int(name), "image")
        if "bufferView" in image:
            view = item(self._tree.get("bufferViews"), image["bufferView"], "bufferView")
            start = whole_number(view.get("byteOffset", 0), "a bufferView's byteOffset")
            length = whole_number(view.get("byteLength"), "a bufferView's byteLength")
            item(self._tree.get("buffers"), view.get("buffer"), "buffer")
            return self._buffer(view["buffer"])[start : start + length]
        uri = image.get("uri")
        if not isinstance(uri, str):
            raise Refused(f"is malformed: image {name} has neither data nor a reference to a file")
        return inline(uri) if uri.startswith("data:") else self._fetch(uri)


def _moved(transform: Tree) -> NDArray[np.float64]:
    """(2, 3) how places in a picture are scaled, turned anticlockwise as seen, and shifted."""
    angle = float(transform.get("rotation", 0.0))
    cosine, sine = np.cos(angle), np.sin(angle)
    turn = np.array([[cosine, sine], [-sine, cosine]])  # v points down
    scale = np.array(transform.get("scale", [1.0, 1.0]), dtype=np.float64).reshape(2)
    offset = np.array(transform.get("offset", [0.0, 0.0]), dtype=np.float64).reshape(2)
    return np.column_stack([turn * scale, offset])


def _share(values: NDArray[Any]) -> NDArray[Any]:
    """Whole numbers as shares of what they stand for in full; others as they are."""
    if values.dtype.kind == "f":
        return values
    return (values / _FULL.get(values.dtype.itemsize, 1.0)).astype(np.float32)
