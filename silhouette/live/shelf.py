"""TELL: the shelf: the models that can be put on a table by hand, and what of a scan lies under them.

First come figures that a scan looked for and did not find, then the others that it looked for, those of the pieces on
the table, and the meshes and model files of the scene's folder and of those in it; terrain comes last.
"""

from __future__ import annotations

import os
from base64 import b64encode
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from silhouette.common.errors import SilhouetteError
from silhouette.files.confinement import is_inside
from silhouette.files.reading import DOCUMENTS, read_file
from silhouette.live.by_hand import ON_A_BASE
from silhouette.live.corrections import record_of
from silhouette.live.edits import entries_of
from silhouette.live.live_table import LiveTable
from silhouette.live.scanning import located
from silhouette.rules import rule_called
from silhouette.scans.keep import MESHES
from silhouette.scans.models import files_below, kind_of_file, models_among

MOST_MODELS = 200  # on a shelf: nobody looks through more
MOST_FOLDERS, MOST_FILES = 20, 2000  # in the scene's folder, and in each of these: it may be anybody's home
MOST_PICTURE_BYTES = 8 << 20  # of the picture from above: larger ones are not what a scan has written
FILE_NAME_KEYS = ("mesh", "model")  # the keys of a piece, or of an edit, that name a file


@dataclass(frozen=True)
class ShelfModel:
    """A model on the shelf."""

    name: str  # that a piece of it would have
    kind: str  # fighter, vehicle or terrain
    file: str  # its mesh or model file, as the scene would name it
    is_missing: bool  # whether a scan looked for it and did not find it

    @property
    def key(self) -> str:
        """The key of a piece that names its file."""
        return "model" if Path(self.file).suffix.lower() in DOCUMENTS else "mesh"


def shelf_of(table: LiveTable) -> dict[str, Any]:
    """The shelf, ready for JSON.

    ``models``, each with ``name``, ``kind``, ``missing`` and its file under ``mesh`` or ``model``; ``bases``: [{at,
    diameter}] on which a figure is in ``doubt``; ``above``: the picture of the scan, {low, high, type, data}, with data
    in base 64, or None.
    """
    record = _record(table)
    models = [
        {"name": model.name, "kind": model.kind, "missing": model.is_missing, model.key: model.file}
        for model in models_of_shelf(table, record)
    ]
    return {
        "models": models,
        "bases": record.get("bases", []),
        "doubt": ON_A_BASE,
        "above": _above(record, table.path.parent),
    }


def models_of_shelf(table: LiveTable, record: Mapping[str, Any] | None = None) -> list[ShelfModel]:
    """The models on the shelf of a table, each once; what cannot be read is left out."""
    record = _record(table) if record is None else record
    missing, folder = set(record.get("missing", [])), table.path.parent
    kinds = rule_called(table.scene.rules).scene_entry.model_fields
    models: dict[str, ShelfModel] = {}
    for file, kind in _files(table, record):
        real, names = os.path.realpath(file), {model.name for model in models.values()}
        is_copy = MESHES in file.parts and file.stem in names  # of one that the scan looked for
        if real in models or is_copy or len(models) == MOST_MODELS or kind not in kinds:
            continue
        is_missing = file.stem in missing and kind != "terrain"
        models[real] = ShelfModel(file.stem, kind, Path(os.path.relpath(file, folder)).as_posix(), is_missing)
    return sorted(models.values(), key=lambda model: (not model.is_missing, model.kind == "terrain"))


def _files(table: LiveTable, record: Mapping[str, Any]) -> Iterator[tuple[Path, str]]:
    """The files, each with the kind of the piece that it would be."""
    folder = table.path.parent
    for key, kind in (("figures", "fighter"), ("terrain", "terrain")):
        for name in record.get(key, []):
            with suppress(SilhouetteError):
                place = located(str(name), folder)
                for file in models_among(files_below(place)) if place.is_dir() else [place]:
                    yield file, kind_of_file(file) or kind
    for entries, _, entry in entries_of(table.document):
        if entry.get("scan") is True:
            continue  # what was scanned is there once
        for key in FILE_NAME_KEYS:
            if isinstance(name := entry.get(key), str) and (folder / name).is_file():
                yield folder / name, entries
    for place in _folders(folder):
        for file in models_among(_listed(place)):
            yield file, kind_of_file(file) or "fighter"


def _folders(folder: Path) -> list[Path]:
    """The folder and those in it, but for hidden ones and that of a scan's pieces and copies; no more and no deeper."""
    inner = sorted(place for place in _listed(folder) if place.is_dir() and place.name != MESHES)
    return [folder, *inner[:MOST_FOLDERS]]


def _listed(folder: Path) -> list[Path]:
    """What lies in a folder, but for hidden files and documents in JSON, which may be large; a part of a huge one."""
    with suppress(OSError):
        files = list(islice(folder.iterdir(), MOST_FILES))
        return [file for file in files if file.name[0] != "." and file.suffix.lower() != ".json"]
    return []


def _record(table: LiveTable) -> Mapping[str, Any]:
    """What a scan has found of the table; nothing where no scan made it, or that cannot be read."""
    with suppress(SilhouetteError):
        return record_of(table.document, table.path.parent) or {}
    return {}


def _above(record: Mapping[str, Any], folder: Path) -> dict[str, Any] | None:
    """The picture of a scan from above; None where there is none."""
    match record.get("above"):
        case {"picture": str() as name, "low": [left, near], "high": [right, far]} if is_inside(folder, name):
            with suppress(SilhouetteError):
                data = b64encode(read_file(folder / name, MOST_PICTURE_BYTES)).decode()
                return {"low": [left, near], "high": [right, far], "type": "image/jpeg", "data": data}
    return None
