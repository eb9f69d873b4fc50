"""Silhouette: can he see me, and am I in cover? Line of sight for miniature wargames, measured on 3D meshes.

    file -> Mesh -> Model -> Scene -> View -> Samples -> Observation -> Verdict -> table, JSON, picture, page
            load    tag      place    look    render     count          judge      tell

    from silhouette import load_scene

    scene = load_scene("scenes/necromunda/example_2_partial_cover.toml")
    verdict = scene.check("Kal", "Vex")
    print(verdict.reason)
    verdict.picture().show()

A name is imported when it is first used, so that ``import silhouette`` costs nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as type checkers take it: importing typing takes a moment, in which Ctrl-C may come
if TYPE_CHECKING:
    from typing import Any

    from silhouette.batches.rows import batch as batch
    from silhouette.common.errors import FileError as FileError
    from silhouette.common.errors import MeshError as MeshError
    from silhouette.common.errors import RendererUnavailable as RendererUnavailable
    from silhouette.common.errors import RequestError as RequestError
    from silhouette.common.errors import SilhouetteError as SilhouetteError
    from silhouette.files.cache import Cache as Cache
    from silhouette.models.model import Model as Model
    from silhouette.models.model import load_model as load_model
    from silhouette.notebook.answers import Matrix as Matrix
    from silhouette.notebook.answers import NotebookChanges as NotebookChanges
    from silhouette.notebook.answers import NotebookMap as NotebookMap
    from silhouette.notebook.answers import NotebookOdds as NotebookOdds
    from silhouette.notebook.answers import NotebookVerdict as NotebookVerdict
    from silhouette.notebook.files import bundle as bundle
    from silhouette.notebook.files import draw as draw
    from silhouette.notebook.files import export_scene as export_scene
    from silhouette.notebook.files import import_table as import_table
    from silhouette.notebook.files import report as report
    from silhouette.notebook.files import scan_table as scan_table
    from silhouette.notebook.questions import changes as changes
    from silhouette.notebook.questions import check as check
    from silhouette.notebook.questions import map_of as map_of
    from silhouette.notebook.questions import matrix as matrix
    from silhouette.notebook.questions import odds as odds
    from silhouette.notebook.scenes import Scene as Scene
    from silhouette.notebook.scenes import load_scene as load_scene
    from silhouette.renderers import choose as choose
    from silhouette.renderers.protocol import Renderer as Renderer
    from silhouette.rules.base import Level as Level
    from silhouette.rules.base import RuleReference as RuleReference
    from silhouette.rules.base import Verdict as Verdict
    from silhouette.rules.crisis_protocol.judge import CrisisProtocolVerdict as CrisisProtocolVerdict
    from silhouette.rules.data.results import DataVerdict as DataVerdict
    from silhouette.rules.ikosa.judge import IkosaVerdict as IkosaVerdict
    from silhouette.rules.necromunda.judge import NecromundaVerdict as NecromundaVerdict
    from silhouette.rules.skirmishcorps.entries import SkirmishCorpsVerdict as SkirmishCorpsVerdict
    from silhouette.rules.tide_of_iron.judge import TideOfIronVerdict as TideOfIronVerdict
    from silhouette.scenes.scene import Check as Check
    from silhouette.scenes.table import Piece as Piece

_HOMES = {
    "files.cache": ("Cache",),
    "common.errors": ("FileError", "MeshError", "RendererUnavailable", "RequestError", "SilhouetteError"),
    "models.model": ("Model", "load_model"),
    "notebook.answers": ("Matrix", "NotebookChanges", "NotebookMap", "NotebookOdds", "NotebookVerdict"),
    "notebook.files": ("bundle", "draw", "export_scene", "import_table", "report", "scan_table"),
    "notebook.questions": ("changes", "check", "map_of", "matrix", "odds"),
    "notebook.scenes": ("Scene", "load_scene"),
    "renderers": ("choose",),
    "renderers.protocol": ("Renderer",),
    "batches.rows": ("batch",),
    "rules.base": ("Level", "RuleReference", "Verdict"),
    "rules.crisis_protocol.judge": ("CrisisProtocolVerdict",),
    "rules.data.results": ("DataVerdict",),
    "rules.ikosa.judge": ("IkosaVerdict",),
    "rules.necromunda.judge": ("NecromundaVerdict",),
    "rules.skirmishcorps.entries": ("SkirmishCorpsVerdict",),
    "rules.tide_of_iron.judge": ("TideOfIronVerdict",),
    "scenes.scene": ("Check",),
    "scenes.table": ("Piece",),
}


__all__ = sorted(name for names in _HOMES.values() for name in names)


def __getattr__(name: str) -> Any:
    from importlib import import_module

    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"silhouette.{home}"), name)
    raise AttributeError(f"module 'silhouette' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
