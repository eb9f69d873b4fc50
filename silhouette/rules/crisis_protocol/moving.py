"""PLACE, for Crisis Protocol: characters a little elsewhere than they stand, and the table without some terrain."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from silhouette.errors import RequestError
from silhouette.relations.plane_geometry import Disc
from silhouette.rules.crisis_protocol.figures import millimetres
from silhouette.rules.crisis_protocol.scene import PlanScene
from silhouette.scenes.places import Move
from silhouette.text import did_you_mean


def moved_scene(scene: PlanScene, moves: Mapping[str, Move]) -> PlanScene:
    """The scene with characters moved in plan; terrain stays, and who stands on some still does.

    Whatever else a move says, heights and directions, plays no part in these rules.

    Raises:
        RequestError: where no character has a name, or the length of the scene's units is not known.
    """
    unit = length_of_unit(scene)
    for name, move in moves.items():
        character = scene.character(name)
        x, y = character.base.centre
        centre = (x + move.by[0] / unit, y + move.by[1] / unit)
        scene = scene.with_character(replace(character, base=Disc(centre, character.base.radius)))
    return scene


def length_of_unit(scene: PlanScene) -> float:
    """mm that the unit of the scene is long.

    Raises:
        RequestError: where that is not known.
    """
    unit = millimetres(scene.units)
    if unit is None:
        raise RequestError(f'{scene.path}: units is \'{scene.units}\', and moves are in mm; write "mm" or "inch"')
    return unit


def scene_without(scene: PlanScene, name: str) -> PlanScene:
    """The scene without a piece of terrain; who stands on it stays as high as that made it.

    Raises:
        RequestError: where no terrain has the name.
    """
    known = {feature.name: feature for feature in scene.terrain}
    if name not in known:
        raise RequestError(f"{scene.path}: no terrain is called '{name}'; {did_you_mean(name, known)}")
    left = tuple(feature for feature in scene.terrain if feature.name != name)
    return replace(scene, terrain=left, supports=(*scene.supports, known[name]), warnings=())
