"""SCAN: the meshes and model files that a user names to be looked for in a scan."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from silhouette.common.errors import FileError, SilhouetteError
from silhouette.common.lazy import cached_property
from silhouette.files.cache import Cache
from silhouette.files.documents import read_document
from silhouette.files.fingerprints import MESHES
from silhouette.files.reading import DOCUMENTS, missing
from silhouette.models.entries import Kind
from silhouette.models.inspection import is_model_file
from silhouette.models.model import Model, load_model
from silhouette.scans.visible import Surface, visible_surface


@dataclass(frozen=True, eq=False)
class Known:
    """A mesh or model file to look for."""

    path: str  # as the user gave it, or as the folder that was given names it
    model: Model  # as loaded: mm, z up, standing on z = 0 with the middle of its base at the origin

    @cached_property
    def surface(self) -> Surface:
        """What a camera round the model and above it can see of its surface."""
        return visible_surface(self.model.mesh)


@dataclass(frozen=True, eq=False)
class KnownModels:
    """The models that were named, and what is to be said about those that could not be read."""

    models: tuple[Known, ...]  # in the order given, those of a folder sorted; none twice
    warnings: tuple[str, ...]  # a sentence for each file of a folder that cannot be read


def known_models(paths: Sequence[str], kind: Kind, cache: Cache) -> KnownModels:
    """The models to look for: meshes, model files, and all those in folders, searched deeply.

    A mesh in a folder that a model file in the same folder names stands for the same model, and is left out.

    Args:
        paths: as the user gave them.
        kind: of all of them; among figures, model files of vehicles stay vehicles. Model files of another kind are an
            error where named, and passed over in folders.
        cache: keeps what takes long to work out.

    Raises:
        FileError: where a file that is named itself cannot be read, or a folder has no mesh and no model file.

    >>> known_models([], "fighter", Cache(None))
    KnownModels(models=(), warnings=())
    """
    models: list[Known] = []
    warnings: list[str] = []
    seen: set[str] = set()
    for path in paths:
        named = Path(path)
        if not named.exists():
            raise missing(named)
        files = [named]
        if named.is_dir():
            files = _in_folder(named)
            if not files:
                raise FileError(path, "is a folder without a mesh or a model file")
        for file in files:
            real = os.path.realpath(file)
            if real in seen:
                continue
            seen.add(real)
            try:
                is_vehicle = kind == "fighter" and _kind_of(file) == "vehicle"
                models.append(Known(str(file), load_model(file, cache, "vehicle" if is_vehicle else kind)))
            except SilhouetteError as problem:
                if not named.is_dir():
                    raise
                if _kind_of(file) in (None, kind):
                    warnings.append(f"{problem}; it is not looked for")
    return KnownModels(tuple(models), tuple(warnings))


def _in_folder(folder: Path) -> list[Path]:
    """The meshes and model files in a folder and below it, sorted; no hidden ones, no scenes, no meshes of models."""
    files = sorted(file for file in _visible(folder) if file.suffix.lower() in (*MESHES, *DOCUMENTS))
    meshes = {file: _mesh_of(file) for file in files if is_model_file(file)}
    taken = {os.path.realpath(mesh) for mesh in meshes.values() if mesh is not None}
    return [file for file in files if meshes.get(file, file) is not None and os.path.realpath(file) not in taken]


def _visible(folder: Path) -> Iterator[Path]:
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (Path(place, name) for name in names if not name.startswith("."))


def _mesh_of(file: Path) -> Path | None:
    """The mesh that a model file names; None for a document that is no model."""
    mesh = _document(file).get("mesh")
    return file.parent / mesh if isinstance(mesh, str) else None


def _kind_of(file: Path) -> Any:
    return _document(file).get("kind") if is_model_file(file) else None


def _document(file: Path) -> dict[str, Any]:
    """What a document says; nothing for one that cannot be read, or that is a scene."""
    try:
        document = read_document(file)
    except SilhouetteError:
        return {}
    return {} if "rules" in document else document
