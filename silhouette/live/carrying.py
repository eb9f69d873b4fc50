"""TELL: a scene on its way to a process that has the same models in memory: all of it but these.

scene -> bytes with numbers in place of models -> the scene; None where it has a model that is not known there
"""

from __future__ import annotations

from silhouette.models.model import Model
from silhouette.scenes.carrying import Name, packed_scene, unpacked_scene
from silhouette.scenes.table import TableScene


class Carrier:
    """What this process and those that are forked from it know of each other's models.

    Args:
        scene: whose models both have.
    """

    def __init__(self, scene: TableScene) -> None:
        self._models = list({id(piece.model): piece.model for piece in scene.pieces}.values())
        self._numbers = {id(model): number for number, model in enumerate(self._models)}

    def packed(self, scene: TableScene) -> bytes | None:
        """A scene without its models, which are quicker to name than to load; None where one of them is new."""
        if not all(id(piece.model) in self._numbers for piece in scene.pieces):
            return None
        return packed_scene(scene, lambda model: self._numbers[id(model)])

    def unpacked(self, content: bytes) -> TableScene:
        """The scene, with this process's models."""
        scene: TableScene = unpacked_scene(content, self._called)
        return scene

    def _called(self, number: Name) -> Model:
        return self._models[int(number)]
