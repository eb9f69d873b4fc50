"""EXCHANGE: a scene of glTF, such as Blender exports it, becomes an ImportedTable.

file -> nodes -> those whose properties say ``silhouette``, with what hangs below them -> pieces; all else is left out

A group of nodes, such as a collection of Blender, may name a gang. A fighter or a vehicle that does not say its gang
itself is of the first of these that there is:

1. the nearest node above it that says ``gang``;
2. the nearest in which two or more models are, but not all of them;
3. the outermost in which not all of them are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from silhouette.common.errors import FileError
from silhouette.common.text import as_written, did_you_mean
from silhouette.exchange.gltf_extras import (
    MARKER,
    Entries,
    NoPiece,
    entries_of,
    keys_of,
    kind_of,
    settings_of,
    units_in_doubt,
)
from silhouette.exchange.gltf_pieces import GltfMeshes, Marked, PieceMaker, read_as
from silhouette.exchange.imported import ImportedPiece, ImportedTable, OmittedObject, UniqueNames, plain_name
from silhouette.meshes.formats.gltf import Gltf
from silhouette.meshes.formats.gltf_tree import GltfNode, Tree, item, shown, table_of
from silhouette.meshes.opening import opened, plainly
from silhouette.models.entries import Kind
from silhouette.models.frame import DEFAULT_FRONT_DEG
from silhouette.rules import DEFAULT_GAME, RULES

# ---- gangs


def name_gangs(models: Sequence[Marked], nodes: Mapping[int, GltfNode]) -> str:
    """Gives models the gang that they say, or that a group above them names; a sentence about the latter, or none."""
    held = Counter(index for model in models for index in _groups(model, nodes))
    taken: Counter[str] = Counter()
    for model in models:
        model.gang = _stated_gang(model, nodes)
        some = [index for index in _groups(model, nodes) if held[index] < len(models)]
        if model.gang is None and some:
            several = [index for index in some if held[index] > 1]
            model.gang = nodes[(several or some[-1:])[0]].name
            taken[model.gang] += 1
    if not taken:
        return ""
    gangs = ", ".join(f"{gang} ({count})" for gang, count in taken.items())
    return f"gangs that no property says are named after collections, or empties: {gangs}"


def _stated_gang(model: Marked, nodes: Mapping[int, GltfNode]) -> str | None:
    stated = [model.keys.get("gang"), *(nodes[index].extras.get("gang") for index in model.node.above)]
    return next((gang for gang in stated if isinstance(gang, str) and gang), None)


def _groups(model: Marked, nodes: Mapping[int, GltfNode]) -> list[int]:
    """The nodes above a model that may be groups, the nearest first: they have a name, no mesh, and are no piece."""
    above = [nodes[index] for index in model.node.above]
    return [node.index for node in above if node.name and "mesh" not in node.entry and MARKER not in node.extras]


# ---- the scene

GLTF_PROGRAM = "glTF"

LIGHTS = "KHR_lights_punctual"

NOTHING_MARKED = (
    f'has no object with the property {MARKER} = "fighter", "vehicle" or "terrain"; give objects that custom property, '
    "and export with Include > Custom Properties ticked"
)


def read_gltf(path: Path, units: str | None = None) -> ImportedTable:
    """The table of a GLB or glTF file; nothing is read outside its folder.

    A unit of the file is "mm", "cm", "m" or "inch"; None where the file says, or else metres. FileError where it is no
    such file, or no node of it says that it is a piece.
    """
    with plainly(path):
        source = opened(path)
        scene = Gltf(source.data, source.fetch, binary=source.format == "glb")
        scenes = scene.tree.get("scenes", [])
        extras = table_of(item(scenes, scene.tree.get("scene", 0), "scene"), "extras") if scenes else {}
    settings = settings_of(extras, path)
    rules = str(settings.keys.get("rules", DEFAULT_GAME))
    if rules not in RULES and not rules.lower().endswith(".toml"):
        raise FileError(
            path, f"its scene says rules = {as_written(rules)}; {did_you_mean(rules, RULES, 'the games are')}"
        )
    walk = _Walk(scene, GltfMeshes(path, scene), entries_of(rules))
    if not walk.marked:
        raise FileError(path, NOTHING_MARKED)
    frame = read_as(units or settings.units, settings.up, 1.0)
    generator = str(table_of(scene.tree, "asset").get("generator", ""))
    maker = PieceMaker(walk.meshes, scene.nodes, frame, DEFAULT_FRONT_DEG[settings.up], "Blender" in generator)
    _name(walk.marked, walk.meshes)
    models = [marked for marked in walk.marked if marked.kind != "terrain" and not marked.wrong]
    gangs = name_gangs(models, scene.nodes)
    pieces, left_out = _made(walk.marked, maker)
    doubts = ["" if units else units_in_doubt(pieces), gangs, *maker.warnings, *scene.warnings]
    return ImportedTable(
        title=settings.title or plain_name(path.stem) or GLTF_PROGRAM,
        program=f"glTF ({plain_name(generator)})" if generator else GLTF_PROGRAM,
        file=path,
        pieces=tuple(pieces),
        left_out=(*left_out, *walk.left_out, *_whole_file(scene)),
        keys=settings.keys,
        warnings=tuple(filter(None, doubts)),
        has_its_table=True,
    )


def _made(marked: Sequence[Marked], maker: PieceMaker) -> tuple[list[ImportedPiece], list[OmittedObject]]:
    """The pieces that can stand in a scene, and what is left out of the others."""
    pieces, left_out = list[ImportedPiece](), list[OmittedObject]()
    for each in marked:
        try:
            if each.wrong:
                raise NoPiece(each.wrong)
            pieces.append(maker.piece(each))
        except NoPiece as wrong:
            why = f"is a part of {each.name}, which is left out"
            parts = [OmittedObject(part.called, why) for part in each.parts if part is not each.node]
            left_out += [OmittedObject(each.name, str(wrong)), *parts]
    return pieces, left_out


class _Walk:
    """The nodes of a scene, sorted: those that say they are pieces, with their parts, and all others."""

    def __init__(self, scene: Gltf, meshes: GltfMeshes, entries: Entries) -> None:
        self.meshes = meshes
        self.marked: list[Marked] = []
        self.left_out: list[OmittedObject] = []
        self._joints = _joints(scene)
        owners: dict[int, Marked | None] = {}
        for node in scene.nodes.values():
            own = _marked(node, entries)
            owner = owners[node.index] = own or (owners[node.above[0]] if node.above else None)
            if own is not None:
                self.marked.append(own)
            if owner is not None and _is_shown(node):
                owner.parts.append(node)
        nodes = [node for marked in self.marked for node in (marked.node, *marked.parts)]
        self._leave_out(scene, owners, {index for node in nodes for index in node.above})

    def _leave_out(self, scene: Gltf, owners: Mapping[int, Marked | None], groups: set[int]) -> None:
        """Notes the nodes that are no piece or part of one, given the piece above each, and the nodes above pieces."""
        for node in scene.nodes.values():
            owner = owners[node.index]
            is_placed = owner is not None and (owner.node is node or _is_shown(node))
            if not is_placed and (why := self._why(node, node.index in groups)):
                whose = "" if owner is None else f" (below {owner.node.called})"
                self.left_out.append(OmittedObject(node.called, f"{why}{whose}"))

    def _why(self, node: GltfNode, is_group: bool) -> str:
        """Why a node is no piece and no part of one; nothing where it is left out of nothing."""
        if "mesh" in node.entry and (why := _unseen(node)):
            return why
        if "camera" in node.entry:
            return "is a camera"
        if LIGHTS in table_of(node.entry, "extensions"):
            return "is a light"
        if "mesh" not in node.entry:
            is_needed = is_group or node.index in self._joints
            return "" if is_needed else "is empty: it has no mesh, and no piece is below it"
        if self.meshes.is_marked(node, MARKER):
            return f"has the property {MARKER} in its mesh data; give it to the object itself"
        also = " or ".join(sorted({"gang", "facing", "base"} & node.extras.keys()))
        return f"has no property {MARKER}, and is below no piece that has{f', though it has {also}' if also else ''}"


def _is_shown(node: GltfNode) -> bool:
    return "mesh" in node.entry and not _unseen(node)


def _unseen(node: GltfNode) -> str:
    """Why nothing of a node is to be seen: it is hidden, or scaled to nothing; empty where something may be."""
    return node.unseen or ("" if node.is_shown or node.world is None else node.wrong)


def _marked(node: GltfNode, entries: Entries) -> Marked | None:
    """A node that says it is a piece, rightly or wrongly; None for any other."""
    kind: Kind | None = None
    try:
        kind = kind_of(node.extras)
        if kind is None:
            return None
        if node.unseen or node.wrong:
            raise NoPiece(node.unseen or node.wrong)
        return Marked(node, kind, keys_of(node.extras, kind, entries))
    except NoPiece as wrong:
        return Marked(node, kind, {}, wrong=str(wrong))


def _name(marked: list[Marked], meshes: GltfMeshes) -> None:
    """Gives each piece a name that no other has; those without one are called after their mesh, or their kind."""
    names = UniqueNames()
    for each in sorted(marked, key=lambda each: not each.node.name):
        own = each.node.name or meshes.name_of(each.node)
        each.name = names.of(own or f"{each.kind or 'piece'} of node {each.node.index}")


def _joints(scene: Gltf) -> set[int]:
    skins = scene.tree.get("skins", [])
    lists = [skin.get("joints") for skin in skins if isinstance(skin, dict)] if isinstance(skins, list) else []
    return {joint for joints in lists if isinstance(joints, list) for joint in joints if type(joint) is int}


def _whole_file(scene: Gltf) -> list[OmittedObject]:
    """What a file has beside the nodes of its default scene."""
    animations: Any = scene.tree.get("animations", [])
    rows = _others(scene.tree, scene.nodes)
    for number, animation in enumerate(animations if isinstance(animations, list) else []):
        name = shown(animation.get("name")) if isinstance(animation, Mapping) else ""
        rows.append(OmittedObject(name or f"animation {number}", "is an animation: pieces stand as their nodes say"))
    return rows


def _others(tree: Tree, nodes: Mapping[int, GltfNode]) -> list[OmittedObject]:
    scenes, default = tree.get("scenes", []), tree.get("scene", 0)
    if not scenes:
        return []
    name = shown(scenes[default].get("name")) or f"scene {default}"
    why = f"is another scene; the file's default scene, {name}, is what is read"
    rows, in_scenes = list[OmittedObject](), set(nodes)
    for number, scene in enumerate(scenes):
        if number != default and isinstance(scene, dict):
            rows.append(OmittedObject(shown(scene.get("name")) or f"scene {number}", why))
            in_scenes |= _below(tree, scene.get("nodes", []))
    for index in range(len(tree.get("nodes", []))):
        if index not in in_scenes:
            called = shown(item(tree["nodes"], index, "node").get("name")) or f"node {index}"
            rows.append(OmittedObject(called, "is in no scene"))
    return rows


def _below(tree: Tree, roots: object) -> set[int]:
    pending = list(roots) if isinstance(roots, list) else []
    below: set[int] = set()
    while pending:
        index = pending.pop()
        if type(index) is int and index not in below and 0 <= index < len(tree.get("nodes", [])):
            below.add(index)
            children = item(tree["nodes"], index, "node").get("children", [])
            pending += children if isinstance(children, list) else []
    return below
