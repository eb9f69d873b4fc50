"""EXCHANGE: what pieces of glTF hang below, such as a collection of Blender, becomes their gang.

Which group names the gang of a fighter or a vehicle that does not say one itself, the first that there is:

1. the nearest node above it that says ``gang``;
2. the nearest in which two or more models are, but not all of them;
3. the outermost in which not all of them are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from silhouette.exchange.gltf_extras import MARK
from silhouette.exchange.gltf_pieces import Marked
from silhouette.meshes.formats.gltf_nodes import Node


def name_gangs(models: Sequence[Marked], nodes: Mapping[int, Node]) -> str:
    """Gives models the gang that they say, or that a group above them names; a sentence about the latter, or nothing.

    Args:
        models: the fighters and vehicles.
        nodes: of the scene, by index.
    """
    held = Counter(index for model in models for index in _groups(model, nodes))
    taken: Counter[str] = Counter()
    for model in models:
        said = [model.keys.get("gang"), *(_said(nodes[index].extras) for index in model.node.above)]
        model.gang = next((gang for gang in said if gang), None)
        if model.gang is None:
            some = [index for index in _groups(model, nodes) if held[index] < len(models)]
            several = [index for index in some if held[index] > 1]
            if some:
                model.gang = nodes[(several or some[-1:])[0]].name
                taken[model.gang] += 1
    if not taken:
        return ""
    gangs = ", ".join(f"{gang} ({count})" for gang, count in taken.items())
    return f"gangs that no property says are named after collections, or empties: {gangs}"


def _groups(model: Marked, nodes: Mapping[int, Node]) -> list[int]:
    """The nodes above a model that may be groups, the nearest first: they have a name, no mesh, and are no piece."""
    above = [nodes[index] for index in model.node.above]
    return [node.index for node in above if node.name and "mesh" not in node.told and MARK not in node.extras]


def _said(extras: Mapping[str, Any]) -> str | None:
    gang = extras.get("gang")
    return gang if isinstance(gang, str) else None
