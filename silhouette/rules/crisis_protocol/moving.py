"""PLACE, for Crisis Protocol: the table a little otherwise: what would change a verdict, or why it holds one way.

PlanScene -> the same with characters moved, or without some terrain; the places where a character could stand
two verdicts, of which one sees and the other does not -> a sentence that says why
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import shapely

from silhouette.errors import RequestError
from silhouette.geometry import Flags, Floats
from silhouette.relations.plane_geometry import Disc, epsilon_of
from silhouette.rules.base import Settings
from silhouette.rules.crisis_protocol.figures import millimetres
from silhouette.rules.crisis_protocol.results import CrisisProtocolVerdict
from silhouette.rules.crisis_protocol.scene import Character, PlanScene
from silhouette.scenes.ground import Indices
from silhouette.scenes.places import Move
from silhouette.scenes.standing import ALLOWED
from silhouette.text import did_you_mean, in_a_sentence

# ---- scenes and places


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


class PlanPlaces:
    """`silhouette.scenes.places.Places` of a character: lengths in mm, whatever the units of the scene are.

    Args:
        scene: where it stands.
        character: whose places these are.

    Raises:
        RequestError: where the length of the scene's units is not known.
    """

    def __init__(self, scene: PlanScene, character: Character) -> None:
        unit = millimetres(scene.units)
        if unit is None:
            raise RequestError(f'{scene.path}: units is \'{scene.units}\', and a map is in mm; write "mm" or "inch"')
        self._scene, self._character, self._unit = scene, character, unit
        self.start = np.array(character.base.centre) * unit
        points = [one.base.bounds for one in scene.characters]
        points += [feature.outline.corners for feature in (*scene.terrain, *scene.objects)]
        every = np.concatenate(points) * unit
        self.table = np.stack([every.min(axis=0), every.max(axis=0)])

    def prepare(self) -> None:
        """Nothing takes long."""

    def heights(self, points: Floats, under: float | None) -> Floats:
        """(q,) zeros: in a plan nothing has a height.

        Raises:
            RequestError: where a floor is asked for.
        """
        if under is not None:
            raise RequestError(f"{self._scene.path}: --under {under:g}: in a plan there are no floors; leave it out")
        return np.zeros(len(points))

    def stands(self, points: Floats, heights: Floats) -> Flags:
        """(q,) whether its base stands at points (q, 2), mm."""
        centres, radius, slip = points / self._unit, self._character.base.radius, ALLOWED / self._unit
        on, is_partly = self._under(centres)
        free = ~is_partly
        shapes = shapely.points(centres)
        for feature in self._scene.objects:
            free &= shapely.distance(shapes, feature.outline.polygons[0]) >= radius - slip
        names = [feature.name for feature in self._scene.terrain]
        for other in self._scene.characters:
            if other.name == self._character.name:
                continue
            level = names.index(other.on) if other.on is not None else -1
            apart = np.hypot(*(centres - np.array(other.base.centre)).T)
            free &= (on != level) | (apart >= radius + other.base.radius - slip)
        return free

    def boxes(self, points: Floats, heights: Floats) -> Floats:
        """(q, 8, 3) the points themselves: nothing is measured, and there are no arcs."""
        return np.repeat(np.column_stack([points, heights])[:, None], 8, axis=1)

    def facing_to(self, point: Floats, other: str) -> None:
        """Nothing: characters look all round."""

    def scene_at(self, point: Floats, height: float, facing: float | None = None) -> PlanScene:
        """The scene with it at a point (2,), mm, on the terrain that holds its base there."""
        centre = point / self._unit
        ((on,), _) = self._under(centre[None])
        x, y = centre.tolist()
        there = replace(
            self._character,
            base=Disc((x, y), self._character.base.radius),
            on=None if on < 0 else self._scene.terrain[on].name,
        )
        return self._scene.with_character(there)

    def _under(self, centres: Floats) -> tuple[Indices, Flags]:
        """(q,) the number of the terrain that holds the base, -1 for the table; and whether it lies partly on any.

        Of several that hold it, the one of the greatest size.
        """
        radius, slip = self._character.base.radius, ALLOWED / self._unit
        on, greatest = np.full(len(centres), -1), np.zeros(len(centres))
        is_partly = np.zeros(len(centres), np.bool_)
        shapes = shapely.points(centres)
        for number, feature in enumerate(self._scene.terrain):
            polygon = feature.outline.polygons[0]
            inside = shapely.covers(polygon, shapes)
            rim = shapely.distance(shapes, polygon.exterior)
            holds = inside & (rim >= radius - epsilon_of(feature.outline.corners))
            is_partly |= ~holds & (inside | (rim < radius - slip))
            higher = holds & (feature.size > greatest)
            on[higher], greatest[higher] = number, feature.size
        return on, is_partly


# ---- one sees, and the other does not


def one_way(
    scene: PlanScene, seeing: CrisisProtocolVerdict, blind: CrisisProtocolVerdict, settings: Settings | None = None
) -> str:
    """The sentence: terrain blocks one way alone by the size of the target (R4, R6), or by who stands on it (R7).

    Args:
        scene: of both checks.
        seeing: the verdict of the one that sees.
        blind: the verdict of the other one, on the way back.
    """
    seer, seen = seeing.attacker, seeing.target
    sizes = dict(zip(scene.names, scene.sizes.tolist(), strict=True))
    own = scene.character(seer).on
    below = scene.character(seen).on
    reasons = []
    for name in blind.in_the_way[:2]:
        words = in_a_sentence(name)
        if name == own:
            reasons.append(f"{seer} stands on {words}, which is in {seen}'s way and never in its own (R7)")
        else:
            on = f" on {in_a_sentence(below)}" if below is not None else ""
            reasons.append(
                f"{words} (size {sizes[name]}) is larger than {seer}, who counts as size {blind.target_size}, and not "
                f"than {seen}, who{on} counts as size {seeing.target_size}"
            )
    return f"{seer} sees {seen}, but not the other way round: {'; '.join(reasons)}"
