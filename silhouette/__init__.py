"""Silhouette: can he see me, and am I in cover? Line of sight for miniature wargames, measured on 3D meshes.

    file -> Mesh -> Model -> Scene -> View -> Samples -> Observation -> Verdict -> table, JSON, picture, page
            load    tag      place    look    render     count          judge      tell

    from silhouette import changes, check, load_scene, map_of, odds

    scene = load_scene("scenes/necromunda/example_2_partial_cover.toml")
    print(check(scene, "Kal", "Vex").reason)

A name is imported when it is first used, so that ``import silhouette`` costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from silhouette.batches.rows import batch, matrix
    from silhouette.errors import FileError, MeshError, RendererUnavailable, RequestError, SilhouetteError
    from silhouette.files.cache import Cache
    from silhouette.judging import check, load_scene
    from silhouette.models.model import Model, load_model
    from silhouette.renderers import choose
    from silhouette.renderers.protocol import Renderer
    from silhouette.rules.base import Level, RuleReference, Verdict
    from silhouette.rules.crisis_protocol.judge import CrisisProtocolVerdict
    from silhouette.rules.data.results import DataVerdict
    from silhouette.rules.ikosa.judge import IkosaVerdict
    from silhouette.rules.necromunda.judge import NecromundaVerdict
    from silhouette.rules.skirmishcorps.entries import SkirmishCorpsVerdict
    from silhouette.rules.tide_of_iron.judge import TideOfIronVerdict
    from silhouette.scenes.scene import Check, Scene
    from silhouette.scenes.table import Piece

__all__ = [
    "Cache",
    "Check",
    "CrisisProtocolVerdict",
    "DataVerdict",
    "FileError",
    "IkosaVerdict",
    "Level",
    "MeshError",
    "Model",
    "NecromundaVerdict",
    "Piece",
    "Renderer",
    "RendererUnavailable",
    "RequestError",
    "RuleReference",
    "Scene",
    "SilhouetteError",
    "SkirmishCorpsVerdict",
    "TideOfIronVerdict",
    "Verdict",
    "batch",
    "changes",
    "check",
    "choose",
    "load_model",
    "load_scene",
    "map_of",
    "matrix",
    "odds",
]

_HOMES = {
    "files.cache": ("Cache",),
    "errors": ("FileError", "MeshError", "RendererUnavailable", "RequestError", "SilhouetteError"),
    "judging": ("changes", "check", "load_scene", "map_of", "odds"),
    "models.model": ("Model", "load_model"),
    "renderers": ("choose",),
    "renderers.protocol": ("Renderer",),
    "batches.rows": ("batch", "matrix"),
    "rules.base": ("Level", "RuleReference", "Verdict"),
    "rules.crisis_protocol.judge": ("CrisisProtocolVerdict",),
    "rules.data.results": ("DataVerdict",),
    "rules.ikosa.judge": ("IkosaVerdict",),
    "rules.necromunda.judge": ("NecromundaVerdict",),
    "rules.skirmishcorps.entries": ("SkirmishCorpsVerdict",),
    "rules.tide_of_iron.judge": ("TideOfIronVerdict",),
    "scenes.scene": ("Check", "Scene"),
    "scenes.table": ("Piece",),
}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"silhouette.{home}"), name)
    raise AttributeError(f"module 'silhouette' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
