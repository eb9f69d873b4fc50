"""EXCHANGE: a scene of glTF, such as Blender exports it, becomes an ImportedTable.

file -> nodes -> those whose properties say ``silhouette``, with what hangs below them -> pieces; all else is left out
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from silhouette.errors import FileError
from silhouette.exchange.gltf_extras import MARK, Entries, NoPiece, entries_of, keys_of, kind_of
from silhouette.exchange.gltf_frame import read_as
from silhouette.exchange.gltf_groups import name_gangs
from silhouette.exchange.gltf_meshes import GltfMeshes
from silhouette.exchange.gltf_nodes import GltfScene, Node, read_scene, shown, table_of
from silhouette.exchange.gltf_pieces import Marked, Pieces
from silhouette.exchange.gltf_settings import settings_of, units_in_doubt
from silhouette.exchange.imported import ImportedTable, LeftOut
from silhouette.exchange.names import UniqueNames, plain_name
from silhouette.meshes.opening import plainly
from silhouette.models.units import FRONT
from silhouette.rules import FIRST, RULES
from silhouette.text import as_written, did_you_mean

PROGRAM = "glTF"

LIGHTS = "KHR_lights_punctual"

NOTHING_MARKED = (
    f'has no object with the property {MARK} = "fighter", "vehicle" or "terrain"; give objects that custom property, '
    "and export with Include > Custom Properties ticked"
)


def read_gltf(path: Path, units: str | None = None) -> ImportedTable:
    """The table of a GLB or glTF file.

    Args:
        path: of the file; nothing is read outside its folder.
        units: what one unit of the file is: "mm", "cm", "m" or "inch"; None where the file says, or else metres.

    Raises:
        FileError: where it is no such file, or no node of it says that it is a piece.
    """
    with plainly(path):
        scene = read_scene(path)
    settings = settings_of(scene.extras, path)
    rules = str(settings.keys.get("rules", FIRST))
    if rules not in RULES and not rules.lower().endswith(".toml"):
        raise FileError(
            path, f"its scene says rules = {as_written(rules)}; {did_you_mean(rules, RULES, 'the games are')}"
        )
    walk = _Walk(scene, GltfMeshes(path, scene), entries_of(rules))
    if not walk.marked:
        raise FileError(path, NOTHING_MARKED)
    frame = read_as(units or settings.units, settings.up, 1.0)
    generator = str(table_of(scene.tree, "asset").get("generator", ""))
    maker = Pieces(walk.meshes, scene.nodes, frame, FRONT[settings.up], "Blender" in generator)
    _name(walk.marked, walk.meshes)
    gangs = name_gangs([one for one in walk.marked if one.kind != "terrain" and not one.wrong], scene.nodes)
    pieces, left_out = [], []
    for marked in walk.marked:
        try:
            if marked.wrong:
                raise NoPiece(marked.wrong)
            pieces.append(maker.piece(marked))
        except NoPiece as wrong:
            left_out.append(LeftOut(marked.name, str(wrong)))
            why = f"is a part of {marked.name}, which is left out"
            left_out += [LeftOut(_called(part), why) for part in marked.parts if part is not marked.node]
    doubt = "" if units else units_in_doubt(pieces)
    return ImportedTable(
        title=settings.title or plain_name(path.stem) or PROGRAM,
        program=f"glTF ({plain_name(generator)})" if generator else PROGRAM,
        file=path,
        pieces=tuple(pieces),
        left_out=(*left_out, *walk.left_out, *_whole_file(scene)),
        keys=settings.keys,
        warnings=tuple(sentence for sentence in (doubt, gangs) if sentence),
        has_its_table=True,
    )


class _Walk:
    """The nodes of a scene, sorted: those that say they are pieces, with their parts, and all others."""

    def __init__(self, scene: GltfScene, meshes: GltfMeshes, entries: Entries) -> None:
        self.meshes = meshes
        self.marked: list[Marked] = []
        self.left_out: list[LeftOut] = []
        self._joints = _joints(scene)
        owners: dict[int, Marked | None] = {}
        for node in scene.nodes.values():
            own = _marked(node, entries)
            owner = own or (owners[node.above[0]] if node.above else None)
            owners[node.index] = owner
            if own is not None:
                self.marked.append(own)
            if owner is not None and "mesh" in node.told:
                owner.parts.append(node)
        groups = {index for one in self.marked for index in one.node.above}
        groups |= {index for one in self.marked for part in one.parts for index in part.above}
        for node in scene.nodes.values():
            owner = owners[node.index]
            is_placed = owner is not None and (owner.node is node or "mesh" in node.told)
            if not is_placed and (why := self._why(node, node.index in groups)):
                whose = "" if owner is None else f" (below {_called(owner.node)})"
                self.left_out.append(LeftOut(_called(node), f"{why}{whose}"))

    def _why(self, node: Node, is_group: bool) -> str:
        """Why a node is no piece and no part of one; nothing where it is left out of nothing."""
        if "camera" in node.told:
            return "is a camera"
        if LIGHTS in table_of(node.told, "extensions"):
            return "is a light"
        if "mesh" not in node.told:
            return (
                "" if is_group or node.index in self._joints else "is empty: it has no mesh, and no piece is below it"
            )
        if self.meshes.is_marked(node, MARK):
            return f"has the property {MARK} in its mesh data; give it to the object itself"
        also = " or ".join(sorted({"gang", "facing", "base"} & node.extras.keys()))
        return f"has no property {MARK}, and is below no piece that has{f', though it has {also}' if also else ''}"


def _marked(node: Node, entries: Entries) -> Marked | None:
    """A node that says it is a piece, rightly or wrongly; None for any other."""
    try:
        kind = kind_of(node.extras)
    except NoPiece as wrong:
        return Marked(node, None, {}, wrong=str(wrong))
    if kind is None:
        return None
    if node.wrong:
        return Marked(node, kind, {}, wrong=node.wrong)
    try:
        return Marked(node, kind, keys_of(node.extras, kind, entries))
    except NoPiece as wrong:
        return Marked(node, kind, {}, wrong=str(wrong))


def _name(marked: list[Marked], meshes: GltfMeshes) -> None:
    """Gives each piece a name that no other has; those without one are called after their mesh, or their kind."""
    names = UniqueNames()
    for one in marked:
        if one.node.name:
            one.name = names.of(one.node.name)
    for one in marked:
        if not one.node.name:
            one.name = names.of(meshes.name_of(one.node) or f"{one.kind or 'piece'} of node {one.node.index}")


def _called(node: Node) -> str:
    return node.name or f"node {node.index}"


def _joints(scene: GltfScene) -> set[int]:
    """The nodes that are joints of skeletons."""
    skins = scene.tree.get("skins", [])
    lists = [skin.get("joints") for skin in skins if isinstance(skin, dict)] if isinstance(skins, list) else []
    return {joint for joints in lists if isinstance(joints, list) for joint in joints if type(joint) is int}


def _whole_file(scene: GltfScene) -> list[LeftOut]:
    """What a file has beside the nodes of its default scene."""
    animations: Any = scene.tree.get("animations", [])
    rows = [LeftOut(name, why) for name, why in scene.others]
    for number, animation in enumerate(animations if isinstance(animations, list) else []):
        name = shown(animation.get("name")) if isinstance(animation, Mapping) else ""
        why = "is an animation: pieces stand as their nodes say"
        rows.append(LeftOut(name or f"animation {number}", why))
    return rows
