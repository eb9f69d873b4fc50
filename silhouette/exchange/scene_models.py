"""EXCHANGE: the models that a scene will make of the meshes that are written, by several processes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from silhouette.errors import FileError
from silhouette.exchange.reading_ahead import side_by_side
from silhouette.files.cache import Cache
from silhouette.files.schema import Location, validated
from silhouette.models.bases import Base
from silhouette.models.entries import Kind, ModelOptions
from silhouette.models.model import model_of_mesh


@dataclass(frozen=True)
class Found:
    """What is wanted of a model: no more, since it comes from another process.

    Attributes:
        base: its base, or None.
        ground: the lowest z of its mesh, mm.
    """

    base: Base | None
    ground: float


Keys = tuple[Kind, Mapping[str, Any]]
"""The kind of a piece, and the keys of its table in the scene that say what it looks like, ``mesh`` among them."""


class SceneModels:
    """The models of a scene, each made once.

    Args:
        scene: the file of the scene, from which its meshes are named; it need not be there yet.
        cache: of meshes, in which they and the bases that are found stay.
    """

    def __init__(self, scene: Path, cache: Cache) -> None:
        self._scene = scene
        self._cache = cache
        self._found: dict[tuple[Any, ...], Found | FileError] = {}

    def of(self, pieces: Sequence[Keys]) -> list[Found | FileError]:
        """What is found of the model of each piece, or why there could be none."""
        known = [(kind, *sorted((key, repr(value)) for key, value in keys.items())) for kind, keys in pieces]
        new = {name: piece for name, piece in zip(known, pieces, strict=True) if name not in self._found}
        files = {keys["mesh"] for _, keys in new.values()}
        together = sum((self._scene.parent / file).stat().st_size for file in files)
        looked_at = side_by_side(partial(_looked_at, self._scene, self._cache), list(new.values()), together)
        self._found |= zip(new, looked_at, strict=True)
        return [self._found[name] for name in known]


def _looked_at(scene: Path, cache: Cache, piece: Keys) -> Found | FileError:
    kind, keys = piece
    place = Location(scene, "")
    try:
        of_model = {key: value for key, value in keys.items() if key in ModelOptions.model_fields}
        model = model_of_mesh(validated(ModelOptions, of_model, place), place, cache, kind)
    except FileError as error:
        return error
    return Found(model.base, float(model.mesh.bounds[0, 2]))
