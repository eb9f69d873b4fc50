"""glTF: the tree of nodes of the default scene, each once, in the order in which the scene visits them.

A node is shown unless ``KHR_node_visibility`` hides it or one above it, or it is a coarse level (``MSFT_lod``) of
another, or hangs below one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from silhouette.geometry import Floats
from silhouette.meshes.formats.base import Refused
from silhouette.meshes.formats.gltf_tree import MOST_NODES, Tree, item, matrix_of, roots_of

LONGEST_NAME = 200
"""Letters of a name."""

MAX_NODE_LEVELS = 200
"""Levels of nodes below each other."""

SINGULAR = 1e-12
"""The least volume, in cubes of its longest edge, of what a matrix makes of a cube."""

_PLACED = frozenset({"matrix", "rotation", "scale", "translation"})
_UNMOVED = np.eye(4)

HIDDEN = "is hidden (KHR_node_visibility)"
COARSE = "is a coarse level of detail (MSFT_lod)"
FLAT = "has no place: it is scaled to nothing, or its numbers are too large"


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
        wrong: why nothing can stand there; empty where it has a place.
        unseen: why it is not shown; empty where it is.
    """

    index: int
    name: str
    told: Tree
    extras: Mapping[str, Any]
    local: Floats
    world: Floats | None
    above: tuple[int, ...]
    wrong: str = ""
    unseen: str = ""

    @property
    def called(self) -> str:
        """Its name, or its number where it has none."""
        return self.name or f"node {self.index}"

    @property
    def is_shown(self) -> bool:
        """Whether its mesh is to be seen: it is not hidden, and has a place or a skeleton."""
        return not self.unseen and (not self.wrong or "skin" in self.told)


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


def nodes_of(tree: Tree) -> dict[int, Node]:
    """The nodes of the default scene, by index, in the order in which it visits them.

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
        if parent is not None and len(parent.above) >= MAX_NODE_LEVELS:
            raise Refused(f"has nodes over {MAX_NODE_LEVELS} levels deep; it must be flatter")
        found[index] = _node(index, told, parent)
        children = told.get("children", [])
        pending += [(child, found[index]) for child in reversed(children if isinstance(children, list) else [])]
    coarse = _coarse_levels(found)
    for index, node in found.items() if coarse else ():
        if not node.unseen and not coarse.isdisjoint((index, *node.above)):
            found[index] = replace(node, unseen=COARSE)
    return found


def not_shown(nodes: Mapping[int, Node]) -> str:
    """The nodes with meshes that are not shown, each with the reason; empty without any."""
    reasons: dict[str, list[str]] = {}
    for node in nodes.values():
        if "mesh" in node.told and not node.is_shown:
            reasons.setdefault(node.unseen or node.wrong, []).append(f"{node.called!r}")
    sentences = []
    for why, names in reasons.items():
        more = f" and {len(names) - 4} more" if len(names) > 4 else ""
        plural = why.replace("is ", "are ", 1).replace("has ", "have ", 1)
        sentences.append(f"{', '.join(names[:4])}{more} {why if len(names) == 1 else plural}")
    return "; ".join(sentences)


def _coarse_levels(nodes: Mapping[int, Node]) -> set[int]:
    """The nodes that are coarse levels of others in the scene: of two that name each other, the second."""
    coarse: set[int] = set()
    for index, node in nodes.items():
        levels = table_of(table_of(node.told, "extensions"), "MSFT_lod").get("ids")
        if isinstance(levels, list) and index not in coarse:
            coarse.update(level for level in levels if type(level) is int and level not in (index, *node.above))
    return coarse


def _node(index: int, told: Tree, parent: Node | None) -> Node:
    local, world, wrong = _UNMOVED, None, ""
    if _PLACED.isdisjoint(told):
        world, wrong = (_UNMOVED, "") if parent is None else (parent.world, parent.wrong)
    if parent is not None and parent.world is None:
        wrong = f"hangs below {parent.called}, whose place cannot be told"
    elif world is None:
        try:
            local = matrix_of(told)
            with np.errstate(all="ignore"):
                world = local if parent is None or parent.world is None else parent.world @ local
        except (ValueError, TypeError, OverflowError):
            wrong = "has no place: its matrix, rotation, scale or translation are not numbers as they should be"
        if world is not None and not is_usable(world):
            wrong = FLAT
            world = world if np.isfinite(world).all() else None
    above = () if parent is None else (parent.index, *parent.above)
    unseen = parent.unseen if parent is not None else ""
    visibility = table_of(table_of(told, "extensions"), "KHR_node_visibility")
    if not unseen and visibility.get("visible", True) in (False, 0):
        unseen = HIDDEN
    return Node(index, shown(told.get("name")), told, table_of(told, "extras"), local, world, above, wrong, unseen)


def is_usable(world: Floats) -> bool:
    """Whether a matrix (4, 4) is an affine one that flattens nothing."""
    with np.errstate(all="ignore"):
        if not np.isfinite(world).all() or not np.array_equal(world[3], (0.0, 0.0, 0.0, 1.0)):
            return False
        longest = float(np.linalg.norm(world[:3, :3], axis=0).max())
        return bool(1e-30 < longest < 1e30 and abs(np.linalg.det(world[:3, :3] / longest)) > SINGULAR)
