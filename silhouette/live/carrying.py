"""TELL: a scene on its way to a process that has the same models in memory: all of it but these.

scene -> bytes with numbers in place of models -> the scene; None where it has a model that is not known there
"""

from __future__ import annotations

import pickle
from dataclasses import fields
from io import BytesIO
from typing import Any

from silhouette.models.model import Model
from silhouette.scenes.pieces import Piece
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
        file = BytesIO()
        _Packer(file, self._numbers).dump(scene)
        return file.getvalue()

    def unpacked(self, content: bytes) -> TableScene:
        """The scene, with this process's models."""
        scene: TableScene = _Unpacker(BytesIO(content), self._models).load()
        return scene


class _Packer(pickle.Pickler):
    """Pickles a scene: of it and of its pieces what they were made of, not what was worked out since."""

    def __init__(self, file: BytesIO, numbers: dict[int, int]) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self._numbers = numbers

    def persistent_id(self, value: Any) -> int | None:
        return self._numbers[id(value)] if isinstance(value, Model) else None

    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, TableScene | Piece):
            return _made, (type(value), tuple(getattr(value, field.name) for field in fields(value)))
        return NotImplemented


class _Unpacker(pickle.Unpickler):
    def __init__(self, file: BytesIO, models: list[Model]) -> None:
        super().__init__(file)
        self._models = models

    def persistent_load(self, number: Any) -> Model:
        model: Model = self._models[number]
        return model


def _made(kind: type, values: tuple[Any, ...]) -> Any:
    return kind(*values)
