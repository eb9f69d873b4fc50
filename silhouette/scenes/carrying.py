"""PLACE: a scene on its way to another process as bytes, apart from its models, which many scenes share."""

from __future__ import annotations

import copyreg
import hashlib
import pickle
from collections.abc import Callable
from dataclasses import fields
from io import BytesIO
from typing import Any

from silhouette.files.cache import Cache
from silhouette.meshes.mesh import Mesh, keep_in
from silhouette.models.model import Model
from silhouette.scenes.pieces import Piece
from silhouette.scenes.scene import Scene

Name = str | int  # by which both processes know a model


def packed_scene(scene: Scene, name_of: Callable[[Model], Name]) -> bytes:
    """A scene without its models, of which it holds the names that ``name_of`` gives; fails where pickle does."""
    file = BytesIO()
    _Packer(file, name_of).dump(scene)
    return file.getvalue()


def unpacked_scene(content: bytes, model_called: Callable[[Name], Model]) -> Any:
    """The scene, with the models that ``model_called`` gives for the names."""
    return _Unpacker(BytesIO(content), model_called).load()


WORKED_OUT = ("thick_from", "balls_from")  # fields of a model that say nothing but how to work out what its mesh has


def model_digest(model: Model) -> str:
    """The name of a model, which is that of every model with the same content."""
    given = (getattr(model, field.name) for field in fields(model) if field.name not in WORKED_OUT)
    content = [
        [getattr(value, field.name) for field in fields(Mesh)] if isinstance(value, Mesh) else value for value in given
    ]
    return hashlib.blake2b(_bytes_of(content), digest_size=16).hexdigest()


def packed_model(model: Model) -> bytes:
    """The model itself, with what has been worked out of it."""
    return _bytes_of((model, dict(vars(model))))  # at one stroke: other threads may work something out meanwhile


def unpacked_model(content: bytes, cache: Cache) -> Model:
    """The model; what is worked out of its meshes is kept in that cache."""
    model, worked_out = pickle.loads(content)
    vars(model).update(worked_out)
    keep_in(cache, model.mesh, model.significant)
    return model  # type: ignore[no-any-return]


def _bytes_of(value: Any) -> bytes:
    file = BytesIO()
    _Packer(file, None).dump(value)
    return file.getvalue()


def _made(kind: type, values: dict[str, Any]) -> Any:
    return kind(**values)


class _Packer(pickle.Pickler):
    """Pickles a scene, its pieces and models: what they were made of, not what was worked out since."""

    def __init__(self, file: BytesIO, name_of: Callable[[Model], Name] | None) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self._name_of = name_of

    def persistent_id(self, value: Any) -> Name | None:
        return self._name_of(value) if self._name_of is not None and isinstance(value, Model) else None

    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, Scene | Piece | Model):
            return _made, (type(value), {field.name: getattr(value, field.name) for field in fields(value)})
        if isinstance(value, Mesh):
            return copyreg.__newobj__, (Mesh,), dict(vars(value))  # type: ignore[attr-defined]
        return NotImplemented


class _Unpacker(pickle.Unpickler):
    def __init__(self, file: BytesIO, model_called: Callable[[Name], Model]) -> None:
        super().__init__(file)
        self._model_called = model_called

    def persistent_load(self, name: Any) -> Model:
        return self._model_called(name)
