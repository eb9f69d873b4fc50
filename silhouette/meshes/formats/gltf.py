"""glTF and GLB: one reader for all who look at such a file: nodes over meshes over buffers.

A primitive's vertices -> moved by shape keys (morph targets) that are on and by skeletons (skins) in their pose
-> coloured by their own colours, a picture and places in it, and the factor of the material

Hidden nodes and coarse levels of detail are left out.

Read here, because trimesh drops what hangs below a camera, shows nothing if no scene is named or nodes go in a circle,
applies neither shape keys nor skeletons, ignores sparse and normalised accessors, and decodes textures too.

Sources: glTF 2.0, 3.7.2.2 (morph targets: a vertex and the sum of its weighted offsets) and 3.7.3 (skins: over the
joints of a vertex, the sum of weight times the joint's global transform times its inverse bind matrix; the transform of
the node itself is ignored).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from silhouette.common.geometry import Floats, corners
from silhouette.common.text import as_written
from silhouette.meshes.formats.base import (
    MAX_MESH_PARTS,
    MAX_MESH_TRIANGLES,
    MAX_MESH_VERTICES,
    MAX_PART_NAME_LENGTH,
    MeshRefused,
    PartSurface,
    Skin,
    carried,
    no_triangles,
    too_many_parts,
)
from silhouette.meshes.formats.colours import as_bytes
from silhouette.meshes.formats.gltf_tree import (
    DRACO,
    Accessors,
    Buffers,
    GltfNode,
    Numbers,
    Tree,
    check_version_and_extensions,
    inline,
    is_usable,
    item,
    nodes_of,
    not_shown,
    open_container,
    parse_tree,
    strip_triangles,
    table_of,
    whole_number,
)

# ---- what moves vertices

AS_BOUND = 1e-4
"""How far a skeleton may put the vertices of a mesh apart that it carries as it was bound, in sizes of the mesh."""

_VERTICES_AT_ONCE = 1 << 17
_NO_SKELETON = "has a skeleton that cannot be used"


def weights_of(entry: Tree, mesh: Tree) -> list[float]:
    """How far each shape key of a mesh is on: as its node says, or else as the mesh itself says.

    >>> weights_of({"weights": [0, 1]}, {"weights": [1, 1]}), weights_of({}, {})
    ([0.0, 1.0], [])
    """
    weights = entry.get("weights") or mesh.get("weights") or []
    if not isinstance(weights, list) or not all(
        isinstance(weight, int | float) and not isinstance(weight, bool) and math.isfinite(weight) for weight in weights
    ):
        raise MeshRefused("is malformed: how far its shape keys are on (weights) is no list of numbers")
    return [float(weight) for weight in weights]


def posed(
    matrices: Floats, points: Sequence[Numbers], moving: Sequence[tuple[Numbers, Numbers] | None], node: GltfNode
) -> tuple[Floats, list[Numbers], str]:
    """The points of primitives as a skeleton puts them, in a frame that moves with it.

    A skeleton that has its mesh as it was bound carries it whole; else the frame is that of one of its joints.

    Args:
        matrices: (j, 4, 4) from the frame of the mesh to that of the scene, for each joint.
        points: (n, 3) of each primitive.
        moving: for each the joints (n, k) that its points follow, and how much (n, k); None if it follows none.
        node: with the mesh; what follows no joint stands where it does.

    Returns:
        The matrix (4, 4) of that frame to the scene's, the points (n, 3) in it, and a sentence if some follow no joint.
    """
    frame = next((matrix for matrix in matrices if is_usable(matrix)), np.eye(4))
    relative = np.linalg.solve(frame, matrices)
    placed: list[Numbers] = []
    without = 0
    for rows, follows in zip(points, moving, strict=True):
        if follows is not None:
            joints, shares, free = _shares(*follows, len(matrices))
            placed.append(_skinned(rows, joints, shares, relative))
        elif node.world is None:
            raise MeshRefused(f"is malformed: {node.called} {node.wrong}")
        else:
            stay, free = np.linalg.solve(frame, node.world), len(rows)
            placed.append(rows @ stay[:3, :3].T + stay[:3, 3])
        without += free
    sentence = f"{without} vertices of {node.called!r} follow no joint of its skeleton" if without else ""
    size = max((float(np.ptp(rows, axis=0).max()) for rows in points if len(rows)), default=0.0)
    apart = [np.abs(new - old).max(initial=0.0) for new, old in zip(placed, points, strict=True)]
    if not all(distance <= AS_BOUND * size for distance in apart):
        return frame, placed, sentence
    if node.world is not None and _near(frame, node.world, points, AS_BOUND * size):
        frame = node.world
    return frame, list(points), sentence


def _shares(joints: Numbers, weights: Numbers, count: int) -> tuple[Numbers, Floats, int]:
    """The joints (n, k) of points, the share (n, k) of each, which together are 1, and how many points follow none.

    Those follow the first joint that is named for them.
    """
    shares = np.asarray(weights, dtype=np.float64)
    if not np.isfinite(shares).all() or (shares < 0.0).any():
        raise MeshRefused("is malformed: how much its vertices follow joints is no number, or below 0")
    numbers = np.asarray(joints).astype(np.int64)
    total = shares.sum(axis=1, keepdims=True)
    without = total[:, 0] == 0.0
    if without.any():
        shares = shares.copy()
        shares[without, 0] = 1.0
        total = shares.sum(axis=1, keepdims=True)
    numbers = np.where(shares > 0.0, numbers, 0)
    if len(numbers) and int(numbers.max()) >= count:
        raise MeshRefused(f"is malformed: a vertex follows joint {int(numbers.max())} of {count} (counted from 0)")
    return numbers, shares / total, int(np.count_nonzero(without))


def _skinned(points: Numbers, joints: Numbers, shares: Floats, matrices: Floats) -> Floats:
    """Points (n, 3), each moved by the matrices (j, 4, 4) of its joints (n, k) in their shares (n, k)."""
    moved = np.zeros((len(points), 3))
    for start in range(0, len(points), _VERTICES_AT_ONCE):
        some = slice(start, start + _VERTICES_AT_ONCE)
        rows = np.asarray(points[some], dtype=np.float64)
        for column in range(joints.shape[1]):
            share = shares[some, column]
            if not share.any():
                continue
            matrix = matrices[joints[some, column]]
            placed = np.einsum("nij,nj->ni", matrix[:, :3, :3], rows) + matrix[:, :3, 3]
            moved[some] += share[:, None] * placed
    return moved


def _near(first: Floats, second: Floats, points: Sequence[Numbers], most: float) -> bool:
    """Whether two matrices (4, 4) put the corners of the box round points in the same places, but for ``most``."""
    low = np.min([rows.min(axis=0) for rows in points if len(rows)], axis=0)
    high = np.max([rows.max(axis=0) for rows in points if len(rows)], axis=0)
    box = np.column_stack([corners(low, high), np.ones(8)])
    return bool(np.abs((box @ (first - second).T)[:, :3]).max() <= most * float(np.abs(second[:3, :3]).max()))


# ---- what colours a primitive

_COLOUR = "COLOR_0"
# What a whole number of each size stands for in full; numbers with a point stand for themselves.
_FULL = {1: 255.0, 2: 65535.0}


@dataclass(frozen=True)
class _GltfMaterial:
    """The colours of a primitive: the index of its picture or None, which set of places in it, how these are moved, and
    its factor."""

    picture: int | None = None
    places: str = ""
    moved: NDArray[np.float64] | None = None
    factor: tuple[float, float, float] | None = None


class Painter:
    """Knows what colours the primitives of one file, and fetches their pictures; what is wrong with it is a warning."""

    def __init__(self, tree: Tree, buffer: Callable[[int], bytes], fetch: Callable[[str], bytes]) -> None:
        self._tree = tree
        self._buffer = buffer
        self._fetch = fetch
        self._materials: dict[str, _GltfMaterial] = {}
        self.warnings: list[str] = []

    def attributes(self, key: str, primitive: Tree) -> dict[str, tuple[int, str]]:
        """The attributes that colour a primitive, known by ``key`` from now on: of each its accessor and its shape."""
        needed: dict[str, tuple[int, str]] = {}
        stored = primitive["attributes"]
        try:
            self._materials[key] = self._material(primitive)
            if _COLOUR in stored:
                shape = item(self._tree.get("accessors"), stored[_COLOUR], "accessor").get("type")
                needed[_COLOUR] = stored[_COLOUR], "VEC3" if shape == "VEC3" else "VEC4"
            if self._materials[key].places in stored:
                needed[self._materials[key].places] = stored[self._materials[key].places], "VEC2"
        except (MeshRefused, LookupError, TypeError, ValueError, AttributeError):
            self._materials[key] = _GltfMaterial()
            self.warnings.append(f"the material of mesh {key} is malformed; it is shown without")
        return needed

    def _material(self, primitive: Tree) -> _GltfMaterial:
        if "material" not in primitive:
            return _GltfMaterial()
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
            return _GltfMaterial(factor=factor)
        entry = shading[names[1]]
        texture = item(self._tree.get("textures"), entry["index"], "texture")
        packed = texture.get("extensions", {})
        source = next((packed[name]["source"] for name in ("EXT_texture_webp",) if name in packed), None)
        source = texture.get("source", source)
        if source is None:
            self.warnings.append("a picture is compressed in a way that is not supported; it is shown without")
            return _GltfMaterial(factor=factor)
        transform = entry.get("extensions", {}).get("KHR_texture_transform", {})
        places = f"TEXCOORD_{transform.get('texCoord', entry.get('texCoord', 0))}"
        return _GltfMaterial(source, places, _moved(transform) if transform else None, factor)

    def see_through(self, primitive: Tree) -> str:
        """The name of the material of a primitive, if pixels of it may be transparent; empty if it is opaque."""
        try:
            index = primitive.get("material")
            material = item(self._tree.get("materials"), index, "material") if index is not None else {}
        except MeshRefused:
            return ""
        if material.get("alphaMode") not in ("MASK", "BLEND"):
            return ""
        return str(material.get("name") or f"material {index}")[:MAX_PART_NAME_LENGTH]

    def skin(self, key: str, arrays: Mapping[str, NDArray[Any]], count: int) -> Skin | None:
        """The skin of a primitive of ``count`` vertices from its `attributes`; None if it has no colour of any kind."""
        material = self._materials.get(key, _GltfMaterial())
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
        """The bytes of a picture, PNG or JPEG."""
        image = item(self._tree.get("images"), int(name), "image")
        if "bufferView" in image:
            view = item(self._tree.get("bufferViews"), image["bufferView"], "bufferView")
            start = whole_number(view.get("byteOffset", 0), "a bufferView's byteOffset")
            length = whole_number(view.get("byteLength"), "a bufferView's byteLength")
            item(self._tree.get("buffers"), view.get("buffer"), "buffer")
            return self._buffer(view["buffer"])[start : start + length]
        uri = image.get("uri")
        if not isinstance(uri, str):
            raise MeshRefused(f"is malformed: image {name} has neither data nor a reference to a file")
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


# ---- the reader

GLTF = ("glb", "gltf")
"""The endings of glTF files: GLB is binary, glTF is JSON with the data inside it or in files beside it."""

INSTANCING = "EXT_mesh_gpu_instancing"

_POINTS_AND_LINES = (0, 1, 2, 3)
_TRIANGLES_MODE, _STRIP_MODE = 4, 5
_JOINTS_PREFIX, _WEIGHTS_PREFIX = "JOINTS_", "WEIGHTS_"
# Vertices times the shape keys and joints that move them, of all that is placed.
_MAX_MOVED_VERTICES = 10 * MAX_MESH_VERTICES


@dataclass(frozen=True, eq=False)
class _GltfPrimitive:
    """A primitive of triangles: its JSON, points (n, 3), faces (m, 3), skin, and what Draco has packed of it."""

    entry: Tree
    points: Numbers
    faces: Numbers
    skin: Skin | None
    unpacked: dict[str, Numbers]


class Gltf:
    """A glTF or GLB file: its tree of JSON, and the nodes of its default scene, by index, in the order of visits."""

    def __init__(self, data: bytes, fetch: Callable[[str], bytes], binary: bool, whole: bool = False) -> None:
        """Takes a file apart, but for its meshes.

        ``fetch`` gives the bytes of a file that it refers to; ``whole`` if colours are wanted, and vertices that no
        triangle uses or that are not shown.
        """
        self.tree, blob = open_container(data) if binary else (parse_tree(data), None)
        check_version_and_extensions(self.tree)
        self.nodes = nodes_of(self.tree)
        self.warnings: list[str] = []
        self._buffers = Buffers(self.tree, blob, fetch)
        self.painter = Painter(self.tree, self._buffers.of, fetch)
        self._accessors = Accessors(self.tree, self._buffers)
        self._whole = whole
        self._checked: dict[int, list[tuple[int, Tree]]] = {}
        self._primitives: dict[int, list[_GltfPrimitive]] = {}
        self._broken: set[int] = set()
        self._moved = 0
        self._shapes: dict[tuple[int, tuple[float, ...]], tuple[PartSurface, ...]] = {}

    @property
    def external(self) -> dict[str, bytes]:
        """The bytes of other files that were fetched, by the reference to each."""
        return self._buffers.external

    def check(self) -> None:
        """Looks whether all is there that the default scene shows, and fetches it."""
        triangles = placed = vertices = 0
        for node in self.nodes.values():
            if "mesh" not in node.entry or not self._is_wanted(node):
                continue
            try:
                primitives = self.check_node(node)
            except MeshRefused:
                if node.is_shown:
                    raise
                self._broken.add(node.index)  # which nobody sees
                continue
            placed += len(primitives)
            for _, primitive in primitives:
                triangles += self._corners(primitive)
                vertices += self._accessors.count(primitive["attributes"]["POSITION"])
            if placed > MAX_MESH_PARTS:
                raise too_many_parts(placed)
        if not placed:
            left = not_shown(self.nodes)
            raise no_triangles(left or ("points, lines or empty nodes" if self.tree.get("meshes") else ""))
        _check_triangles(triangles // 3)
        if self._whole and vertices > MAX_MESH_VERTICES:
            raise MeshRefused(f"holds {vertices} vertices; {MAX_MESH_VERTICES} are the most that can be looked at")

    def _is_wanted(self, node: GltfNode) -> bool:
        if node.index in self._broken:
            return False
        if self._whole and node.world is not None:
            return True
        if not node.unseen and node.world is None and "skin" not in node.entry:
            raise MeshRefused(f"is malformed: {node.called} {node.wrong}")
        return node.is_shown

    def check_node(self, node: GltfNode) -> list[tuple[int, Tree]]:
        """Looks whether a node has its mesh and skeleton; answers its primitives of triangles, with their numbers."""
        if INSTANCING in table_of(node.entry, "extensions"):
            raise MeshRefused(f"uses {INSTANCING}, which is not supported; export every copy as a node")
        index = node.entry["mesh"]
        mesh = item(self.tree.get("meshes", []), index, "mesh")
        if index not in self._checked:
            if len(mesh["primitives"]) > MAX_MESH_PARTS:
                raise too_many_parts(len(mesh["primitives"]))
            self._checked[index] = [
                (number, primitive)
                for number, primitive in enumerate(mesh["primitives"])
                if self._has_triangles(primitive)
            ]
        if any(weights_of(node.entry, mesh)):
            for target in (target for _, entry in self._checked[index] for target in entry.get("targets", [])):
                if "POSITION" in target:
                    self._accessors.check(target["POSITION"], "VEC3", bare=True)
        if "skin" in node.entry:
            self._check_skin(node.entry["skin"], self._checked[index])
        return self._checked[index]

    def _check_skin(self, index: Any, primitives: list[tuple[int, Tree]]) -> None:
        skin = item(self.tree.get("skins"), index, "skin")
        if "inverseBindMatrices" in skin:
            self._accessors.check(skin["inverseBindMatrices"], "MAT4")
        for _, primitive in primitives:
            is_packed = DRACO in primitive.get("extensions", {})
            for name, accessor in primitive["attributes"].items():
                if name.startswith((_JOINTS_PREFIX, _WEIGHTS_PREFIX)):
                    self._accessors.check(accessor, "VEC4", bare=is_packed)

    def _has_triangles(self, primitive: Tree) -> bool:
        mode, attributes = primitive.get("mode", _TRIANGLES_MODE), primitive["attributes"]
        if mode in _POINTS_AND_LINES or "POSITION" not in attributes:
            return False
        if mode not in (_TRIANGLES_MODE, _STRIP_MODE):
            raise MeshRefused(f"holds primitives of mode {as_written(mode)}; export it as plain triangles")
        draco = primitive.get("extensions", {}).get(DRACO)
        bare = draco is not None
        self._accessors.check(attributes["POSITION"], "VEC3", bare=bare)
        if "indices" in primitive:
            self._accessors.check(primitive["indices"], "SCALAR", bare=bare)
        corners = self._corners(primitive)
        if mode == _TRIANGLES_MODE and corners % 3:
            raise MeshRefused(
                f"is malformed: it announces {corners} corners of triangles, which is no multiple of three"
            )
        if draco is not None:
            self._accessors.packed(draco)
        return True

    def _corners(self, primitive: Tree) -> int:
        return self._accessors.count(primitive.get("indices", primitive["attributes"]["POSITION"]))

    def surfaces(self) -> list[PartSurface]:
        """All that the default scene shows, in its place; `check` comes first.

        Where vertices are wanted that are not shown, their surfaces come too, without faces.
        """
        surfaces: list[PartSurface] = []
        for node in self.nodes.values():
            if "mesh" not in node.entry or not self._is_wanted(node):
                continue
            part = self._part(node)
            if node.is_shown:
                shown, world = self.shape(node)
            else:
                points = [primitive.points for primitive in self._primitives_of(node.entry["mesh"], node)]
                shown = tuple(PartSurface("", each, np.zeros((0, 3), np.int64)) for each in points)
                world = np.eye(4) if node.world is None else node.world
            surfaces += [carried(replace(surface, part=part), world, self._whole) for surface in shown]
        left = not_shown(self.nodes)
        if left:
            self.warnings.append(f"left out: {left}")
        total = sum(len(surface.faces) for surface in surfaces)
        _check_triangles(total)
        if not total:
            raise no_triangles(left)
        return surfaces

    def _part(self, node: GltfNode) -> str:
        """The name of the part that a node is: its own, its mesh's, or that of the nearest node above with a name."""
        named = [
            node.entry,
            self.tree["meshes"][node.entry["mesh"]],
            *(self.nodes[above].entry for above in node.above),
        ]
        names = (str(entry.get("name") or "").strip()[:MAX_PART_NAME_LENGTH] for entry in named)
        return next(filter(None, names), f"mesh {node.entry['mesh']}")

    def shape(self, node: GltfNode) -> tuple[tuple[PartSurface, ...], Floats]:
        """What a node shows: its mesh with the shape keys that are on, in the pose of its skeleton (`posed`).

        Surfaces of one part in a frame of their own, and the matrix (4, 4) from that to the scene's.
        """
        index = node.entry["mesh"]
        primitives = self._primitives_of(index, node)
        weights = weights_of(node.entry, self.tree["meshes"][index])
        key = index, tuple(weights) if any(weights) else ()
        if key not in self._shapes:
            self._shapes[key] = tuple(self._morphed(primitive, weights) for primitive in primitives)
        surfaces = self._shapes[key]
        if "skin" not in node.entry:
            assert node.world is not None
            return surfaces, node.world
        moving = list(map(self._moving, primitives))
        matrix, points, sentence = posed(self._pose(node), [surface.vertices for surface in surfaces], moving, node)
        if sentence and sentence not in self.warnings:
            self.warnings.append(sentence)
        return tuple(replace(each, vertices=rows) for each, rows in zip(surfaces, points, strict=True)), matrix

    def _morphed(self, primitive: _GltfPrimitive, weights: list[float]) -> PartSurface:
        points, targets = primitive.points, primitive.entry.get("targets", [])
        if any(weights):
            self._count(len(points) * sum(map(bool, weights)))
            for target, weight in zip(targets, weights, strict=False):
                if "POSITION" in target and weight:
                    offsets = self._rows(primitive, self._accessors.read(target["POSITION"]))
                    points = points + weight * np.asarray(offsets, dtype=np.float64)
            if targets and any(weights[len(targets) :]):
                raise MeshRefused(
                    f"is malformed: its weights are for {len(weights)} shape keys, and it has {len(targets)}"
                )
        see_through = self.painter.see_through(primitive.entry)
        return PartSurface("mesh", points, primitive.faces, primitive.skin, see_through=see_through)

    def _moving(self, primitive: _GltfPrimitive) -> tuple[Numbers, Numbers] | None:
        """The joints (n, k) that each point of a primitive follows, and how much (n, k); None if it follows none."""
        attributes = primitive.entry["attributes"]
        sets = sorted(name.removeprefix(_JOINTS_PREFIX) for name in attributes if name.startswith(_JOINTS_PREFIX))
        if not sets:
            return None
        self._count(len(primitive.points) * 4 * len(sets))
        both = []
        for kind in (_JOINTS_PREFIX, _WEIGHTS_PREFIX):
            names = [f"{kind}{number}" for number in sets]
            if missing := [name for name in names if name not in attributes]:
                raise MeshRefused(f"is malformed: a mesh with a skeleton has no {missing[0]}")
            columns = [
                primitive.unpacked[name] if name in primitive.unpacked else self._accessors.read(attributes[name])
                for name in names
            ]
            both.append(np.concatenate([self._rows(primitive, rows) for rows in columns], axis=1))
        return both[0], both[1]

    def _rows(self, primitive: _GltfPrimitive, rows: Numbers) -> Numbers:
        """What each point of a primitive has."""
        if len(rows) != len(primitive.points):
            raise MeshRefused(
                f"is malformed: a mesh has {len(primitive.points)} vertices, and {len(rows)} rows of what moves them"
            )
        return rows

    def _count(self, moved: int) -> None:
        self._moved += moved
        if self._moved > _MAX_MOVED_VERTICES:
            raise MeshRefused(
                f"has shape keys and skeletons that move vertices over {_MAX_MOVED_VERTICES} times; apply them"
            )

    def _pose(self, node: GltfNode) -> Floats:
        """(j, 4, 4) from the frame of a node's mesh to that of the scene, for each joint of its skeleton."""
        skin = item(self.tree.get("skins"), node.entry["skin"], "skin")
        joints, bound = skin.get("joints"), None
        if "inverseBindMatrices" in skin:
            bound = self._accessors.read(skin["inverseBindMatrices"]).reshape(-1, 4, 4).transpose(0, 2, 1)
        if not isinstance(joints, list) or not joints:
            raise MeshRefused(f"{_NO_SKELETON}: it has no joints")
        if bound is not None and len(bound) < len(joints):
            raise MeshRefused(f"{_NO_SKELETON}: of {len(joints)} joints {len(bound)} have a matrix")
        matrices = []
        for number, joint in enumerate(joints):
            place = self.nodes.get(joint) if type(joint) is int else None
            if place is None or place.world is None:
                raise MeshRefused(f"{_NO_SKELETON}: a joint is not in the scene, or has no place")
            with np.errstate(all="ignore"):
                matrices.append(place.world if bound is None else place.world @ bound[number].astype(np.float64))
        if not np.isfinite(matrices).all():
            raise MeshRefused(f"{_NO_SKELETON}: its matrices are no numbers")
        return np.array(matrices)

    def _primitives_of(self, index: int, node: GltfNode) -> list[_GltfPrimitive]:
        if index not in self._primitives:
            self._primitives[index] = [
                self._primitive(f"{index}.{number}", primitive, self._part(node))
                for number, primitive in self.check_node(node)
            ]
        return self._primitives[index]

    def _primitive(self, key: str, primitive: Tree, part: str) -> _GltfPrimitive:
        attributes = primitive["attributes"]
        draco = primitive.get("extensions", {}).get(DRACO)
        arrays: dict[str, Numbers] = {}
        if draco is not None:
            unpacked = self._accessors.decoded(draco, attributes)
            if unpacked is None:
                raise MeshRefused(f"holds compressed data for {part!r} that cannot be decoded; export it uncompressed")
            arrays = unpacked
        points = arrays["POSITION"] if "POSITION" in arrays else self._accessors.read(attributes["POSITION"])
        corners = arrays.get("indices")
        if corners is None:
            has = "indices" in primitive
            corners = self._accessors.read(primitive["indices"]) if has else np.arange(len(points))
        is_strip = draco is None and primitive.get("mode", _TRIANGLES_MODE) == _STRIP_MODE
        faces = strip_triangles(corners) if is_strip else corners.reshape(-1, 3)
        skin = self._skin(key, primitive, arrays, len(points)) if self._whole else None
        return _GltfPrimitive(primitive, points, faces, skin, arrays)

    def _skin(self, key: str, primitive: Tree, arrays: dict[str, Numbers], count: int) -> Skin | None:
        stored: dict[str, Any] = {}
        for name, (accessor, shape) in self.painter.attributes(key, primitive).items():
            try:
                if name not in arrays:
                    self._accessors.check(accessor, shape)
                stored[name] = arrays[name] if name in arrays else self._accessors.read(accessor, as_stored=True)
            except MeshRefused as refused:
                self.painter.warnings.append(f"{name} of mesh {key} {refused}; it is shown without")
        return self.painter.skin(key, stored, count)


def _check_triangles(count: int) -> None:
    if count > MAX_MESH_TRIANGLES:
        raise MeshRefused(f"holds {count} triangles; {MAX_MESH_TRIANGLES} are the most that can be looked at")
