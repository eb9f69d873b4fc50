"""TAG: the facts about a model: parts, size, units, base, eye, holes, and parts that might be insignificant."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from silhouette.errors import RequestError
from silhouette.files.cache import Cache
from silhouette.files.documents import read_text
from silhouette.files.reading import DOCUMENTS
from silhouette.files.schema import Location, validated
from silhouette.geometry import Floats
from silhouette.models.entries import ModelOptions
from silhouette.models.model import BASE, BODY, INSIGNIFICANT, Model, load_model
from silhouette.models.scenery import scenery_mistake
from silhouette.models.thin_parts import Suggestion, suggest_insignificant

DECIMALS = 2
"""The decimals of lengths in mm: a hundredth is finer than anybody prints or casts."""

ROLES = {BODY: "body", BASE: "base", INSIGNIFICANT: "insignificant"}


def model_at(path: Path, options: dict[str, Any], cache: Cache) -> Model:
    """The model of a model file or of a bare mesh.

    Args:
        path: the path of the file.
        options: keys of a model file for a bare mesh: kind, units, up, scale.
        cache: keeps slow results, such as a closed mesh.

    Raises:
        FileError: where the file or an option cannot be used.
        RequestError: where options are given with a model file, which has them as keys.
    """
    if options and is_model_file(path):
        keys = " and ".join(options)
        raise RequestError(f"{path}: is a model file; say {keys} in it, options are for a bare mesh")
    checked = validated(ModelOptions, options, Location(path))
    overrides = {key: getattr(checked, key) for key in options if key != "kind"}
    return load_model(path, cache, checked.kind, overrides)


def suggestions(model: Model) -> tuple[Suggestion, ...]:
    """Thin protruding parts that could be tagged as insignificant; none of terrain, which blocks whole."""
    return () if model.kind == "terrain" else suggest_insignificant(model.mesh, model.role == BODY)


def inspection(path: Path, model: Model, suggested: Sequence[Suggestion]) -> dict[str, Any]:
    """The facts about a model, under the contract's keys (section 2), ready for JSON; mm, in the model's frame."""
    low, high = model.mesh.bounds
    return {
        "file": str(path),
        "format": model.format,
        "triangles": len(model.mesh.faces),
        "extents": _rounded(high - low),
        "units": model.units,
        "units_from": model.units_from,
        "up": model.up,
        "front": model.front,
        "front_from": model.front_from,
        "kind": model.kind,
        "parts": _parts(model),
        "base": _base(model),
        "eye": None if model.kind == "terrain" else _rounded(model.eye),
        "eye_from": None if model.kind == "terrain" else model.eye_from,
        "eye_candidates": [
            {"eye": _rounded(place.eye), "likelihood": round(place.likelihood, 3)}
            for place in (() if model.kind == "terrain" else model.eye_candidates)
        ],
        "eyes": {arc: _rounded(point) for arc, point in model.eyes.items()},
        "watertight": model.watertight,
        "holes": model.holes,
        "solid": model.solid,
        "suggested": [_suggestion(suggestion, path) for suggestion in suggested],
        "suggested_toml": _to_paste(suggested, path),
        "warnings": doubts(model),
    }


def doubts(model: Model) -> list[str]:
    """A sentence for each thing to know of a model: that it is none of a figure, what its file has, and about eyes.

    Of eyes, which a table or a wall has none of: what makes one doubtful that is estimated, and what is wrong with
    those that are given.
    """
    scenery = scenery_mistake(model)
    about = [*([] if scenery is None else [scenery]), *model.warnings]
    if model.kind == "terrain" or scenery is not None:
        return about
    given = [*([] if model.eye_given is None else [model.eye_given]), *model.eyes.values()]
    of_eyes = [model.mistake_of(eye) for eye in given]
    if model.eye_from == "estimated":
        of_eyes.append(model.eye_estimate.doubt)
    return [*about, *(f"{model.source}: {doubt}" for doubt in dict.fromkeys(of_eyes) if doubt is not None)]


def _parts(model: Model) -> list[dict[str, Any]]:
    """Each part with its triangles, once for every role that it has: of a one-piece figure base and body apart."""
    part = model.mesh.part.astype(np.int64)
    pairs, counts = np.unique(part * len(ROLES) + model.role, return_counts=True)
    return [
        {
            "name": model.mesh.part_names[pair // len(ROLES)],
            "triangles": int(count),
            "role": "terrain" if model.kind == "terrain" else ROLES[int(pair % len(ROLES))],
        }
        for pair, count in zip(pairs, counts, strict=True)
    ]


def _base(model: Model) -> dict[str, Any] | None:
    base = model.base
    if base is None:
        return None
    return {
        "from": base.source,
        "height": round(base.height, DECIMALS),
        "diameter": round(base.diameter, DECIMALS),
    }


def _suggestion(suggestion: Suggestion, path: Path) -> dict[str, Any]:
    """With the lines to paste for it alone, and the boxes that they name."""
    return {
        "box": [_rounded(suggestion.low), _rounded(suggestion.high)],
        "boxes": [[_rounded(low), _rounded(high)] for low, high in suggestion.boxes],
        "share": round(suggestion.share, 4),
        "toml": _to_paste([suggestion], path),
    }


def is_model_file(path: Path) -> bool:
    """Whether a path is that of a model file, by its ending; else it is that of a mesh."""
    return path.suffix.lower() in DOCUMENTS


def has_list(path: Path) -> bool:
    """Whether a model file in TOML says ``insignificant = [...]``, beside which no ``[[insignificant]]`` may stand."""
    return re.search(r"^\s*insignificant\s*=", read_text(path), flags=re.MULTILINE) is not None


def _to_paste(suggested: Sequence[Suggestion], path: Path) -> str:
    """The lines to paste for suggestions: at the end of a model file; beside the mesh, for a mesh or in JSON.

    Beside a mesh they are one list, which can stand in a model file and in a piece of a scene alike; there
    TOML would read ``[[insignificant]]`` as a table of the scene. For a model file that already has the list they are
    further lines of it, since TOML allows no table of the same name.
    """
    if path.suffix.lower() == ".json":
        boxes = ",\n".join(suggestion.json for suggestion in suggested)
        return f'"insignificant": [\n{boxes}\n],\n' if boxes else ""
    if is_model_file(path) and not has_list(path):
        return "".join(suggestion.toml for suggestion in suggested)
    listed = "".join(suggestion.inline for suggestion in suggested)
    if is_model_file(path):
        return listed
    return f"insignificant = [\n{listed}]\n" if listed else ""


def _rounded(point: Floats) -> list[float]:
    """Coordinates for people and JSON; -0.0 becomes 0.0."""
    return [round(float(value), DECIMALS) + 0.0 for value in point]
