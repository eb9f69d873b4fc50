"""EXCHANGE: the tree of nodes of a glTF file, each once, in the order in which the default scene visits them.

file -> tree of JSON, with its buffers -> nodes with their names, properties and matrices
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from silhouette.geometry import Floats
from silhouette.meshes.formats.base import Refused
from silhouette.meshes.formats.gltf_tree import (
    MOST_NODES,
    Buffers,
    Tree,
    check_version_and_extensions,
    item,
    matrix_of,
    open_container,
    parse_tree,
    roots_of,
)
from silhouette.meshes.opening import opened

LONGEST_NAME = 200
"""Letters of a name."""

DEEPEST = 200
"""Levels of nodes below each other."""

SINGULAR = 1e-12
"""The least volume, in cubes of its longest edge, of what a matrix makes of a cube."""


@dataclass(frozen=True, eq=False)
class Node:
    """A node of the default scene.

    Attributes:
        index: in the file.
        name: in one line; empty where it has none.
        told: its JSON.
        extras: its custom properties.
        local: (4, 4) from its frame to that of the node above it, metres and y up.
        world: (4, 4) from its frame to the scene's; None where no place can be told.
        above: the nodes above it, by index, the nearest first.
        wrong: why it has no place; empty where it has one.
    """

    index: int
    name: str
    told: Tree
    extras: Mapping[str, Any]
    local: Floats
    world: Floats | None
    above: tuple[int, ...]
    wrong: str = ""


@dataclass(frozen=True, eq=False)
class GltfScene:
    """A glTF file that is open.

    Attributes:
        tree: its JSON.
        buffers: its buffers.
        extras: the custom properties of the default scene.
        nodes: those of the default scene, by index, in the order in which it visits them.
        others: the names of what is in other scenes, or in none.
    """

    tree: Tree
    buffers: Buffers
    extras: Mapping[str, Any]
    nodes: Mapping[int, Node]
    others: tuple[tuple[str, str], ...]


def read_scene(path: Path) -> GltfScene:
    """The scene of a GLB or glTF file.

    Raises:
        Refused: where it is none, or its nodes are no tree.
        FileError: where it cannot be read.
    """
    source = opened(path)
    tree, blob = open_container(source.data) if source.format == "glb" else (parse_tree(source.data), None)
    check_version_and_extensions(tree)
    nodes = _walked(tree)
    scenes = tree.get("scenes", [])
    told = item(scenes, tree.get("scene", 0), "scene") if scenes else {}
    return GltfScene(tree, Buffers(tree, blob, source.fetch), table_of(told, "extras"), nodes, _others(tree, nodes))


def table_of(told: Tree, key: str) -> dict[str, Any]:
    """A table of an object; an empty one where there is none."""
    value = told.get(key)
    return value if isinstance(value, dict) else {}


def shown(name: object) -> str:
    """A name in one line; empty where there is none.

    >>> shown("Kal\\n"), shown(None), shown("a  b")
    ('Kal', '', 'a  b')
    """
    if not isinstance(name, str):
        return ""
    return "".join(letter if letter.isprintable() else " " for letter in name[:LONGEST_NAME]).strip()


def _walked(tree: Tree) -> dict[int, Node]:
    """The nodes of the default scene, by index.

    Raises:
        Refused: where a node hangs below itself or below two others, or there are too many.
    """
    nodes = tree.get("nodes", [])
    found: dict[int, Node] = {}
    pending: list[tuple[int, Node | None]] = [(index, None) for index in reversed(roots_of(tree))]
    while pending:
        index, parent = pending.pop()
        told = item(nodes, index, "node")
        if index in found:
            raise Refused(f"is malformed: node {index} hangs below itself or below two others")
        if len(found) >= MOST_NODES:
            raise Refused(f"has more than {MOST_NODES} nodes; join them, or split the file")
        if parent is not None and len(parent.above) >= DEEPEST:
            raise Refused(f"has nodes over {DEEPEST} levels deep; it must be flatter")
        found[index] = _node(index, told, parent)
        children = told.get("children", [])
        pending += [(child, found[index]) for child in reversed(children if isinstance(children, list) else [])]
    return found


def _node(index: int, told: Tree, parent: Node | None) -> Node:
    local, world, wrong = np.eye(4), None, ""
    if parent is not None and parent.world is None:
        wrong = f"hangs below {parent.name or f'node {parent.index}'}, whose place cannot be told"
    else:
        try:
            local = matrix_of(told)
            world = local if parent is None or parent.world is None else parent.world @ local
        except (ValueError, TypeError, OverflowError):
            wrong = "has no place: its matrix, rotation, scale or translation are not numbers as they should be"
        if world is not None and not _usable(world):
            world, wrong = None, "has no place: it is scaled to nothing, or its numbers are too large"
    above = () if parent is None else (parent.index, *parent.above)
    return Node(index, shown(told.get("name")), told, table_of(told, "extras"), local, world, above, wrong)


def _usable(world: Floats) -> bool:
    """Whether a matrix (4, 4) is an affine one that flattens nothing."""
    with np.errstate(all="ignore"):
        if not np.isfinite(world).all() or not np.array_equal(world[3], (0.0, 0.0, 0.0, 1.0)):
            return False
        longest = float(np.linalg.norm(world[:3, :3], axis=0).max())
        return bool(1e-30 < longest < 1e30 and abs(np.linalg.det(world[:3, :3] / longest)) > SINGULAR)


def _others(tree: Tree, nodes: Mapping[int, Node]) -> tuple[tuple[str, str], ...]:
    """The names of scenes that are not the default one, and of nodes in no scene, each with the reason."""
    scenes = tree.get("scenes", [])
    default = tree.get("scene", 0)
    if not scenes:
        return ()
    name = shown(scenes[default].get("name")) or f"scene {default}"
    rows, known = [], set(nodes)
    for number, scene in enumerate(scenes):
        if number != default and isinstance(scene, dict):
            why = f"is another scene; the file's default scene, {name}, is what is read"
            rows.append((shown(scene.get("name")) or f"scene {number}", why))
            known |= _below(tree, scene.get("nodes", []))
    for index in range(len(tree.get("nodes", []))):
        if index not in known:
            rows.append((shown(item(tree["nodes"], index, "node").get("name")) or f"node {index}", "is in no scene"))
    return tuple(rows)


def _below(tree: Tree, roots: object) -> set[int]:
    """The nodes of another scene."""
    pending = list(roots) if isinstance(roots, list) else []
    found: set[int] = set()
    while pending:
        index = pending.pop()
        if type(index) is int and index not in found and 0 <= index < len(tree.get("nodes", [])):
            found.add(index)
            children = item(tree["nodes"], index, "node").get("children", [])
            pending += children if isinstance(children, list) else []
    return found
