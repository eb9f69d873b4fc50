"""JUDGE: Marvel: Crisis Protocol as a rule system: how its scenes are read, judged and shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import shapely

from silhouette.common.errors import RequestError
from silhouette.common.geometry import Flags, Floats
from silhouette.common.text import coordinates, did_you_mean, in_a_sentence
from silhouette.models.entries import ArcName
from silhouette.relations.plane_geometry import PlaneDisc, epsilon_of
from silhouette.rules.abilities import HasDescription, HasFirstScene, HasMaps, Movers, WhatIf, one_way_words
from silhouette.rules.base import ExactRule, PieceTable, Settings
from silhouette.rules.crisis_protocol.judge import LEVELS, NAME, CrisisProtocolVerdict, ruling
from silhouette.rules.crisis_protocol.phrases import PHRASES, short_reason
from silhouette.rules.crisis_protocol.scene import (
    Character,
    PlanEntry,
    PlanScene,
    Readings,
    load_plan_scene,
    millimetres,
)
from silhouette.scenes.ground import Indices
from silhouette.scenes.places import Mobility, Move
from silhouette.scenes.scene import Check
from silhouette.scenes.standing import ALLOWED

# ---- scenes and places


def moved_scene(scene: PlanScene, moves: Mapping[str, Move]) -> PlanScene:
    """The scene with characters moved in plan; terrain stays, and who stands on some still does; heights and directions
    play no part. RequestError where no character has a name, or the length of the scene's units is not known.
    """
    unit = length_of_unit(scene)
    for name, move in moves.items():
        character = scene.character(name)
        x, y = character.base.centre
        centre = (x + move.by[0] / unit, y + move.by[1] / unit)
        scene = scene.with_character(replace(character, base=PlaneDisc(centre, character.base.radius)))
    return scene


def length_of_unit(scene: PlanScene, what: str = "moves are") -> float:
    """mm that the unit of the scene is long. RequestError if that is not known; it says what is in mm."""
    unit = millimetres(scene.units)
    if unit is None:
        raise RequestError(f'{scene.path}: units is \'{scene.units}\', and {what} in mm; write "mm" or "inch"')
    return unit


def scene_without(scene: PlanScene, name: str) -> PlanScene:
    """The scene without a piece of terrain; who stands on it stays as high as that made it."""
    terrain = {feature.name: feature for feature in scene.terrain}
    if name not in terrain:
        raise RequestError(f"{scene.path}: no terrain is called '{name}'; {did_you_mean(name, terrain)}")
    left = tuple(feature for feature in scene.terrain if feature.name != name)
    return replace(scene, terrain=left, supports=(*scene.supports, terrain[name]), warnings=())


class PlanPlaces:
    """The places of a character: lengths in mm, whatever the units of the scene are, if their length is known."""

    def __init__(self, scene: PlanScene, character: Character) -> None:
        unit = length_of_unit(scene, "a map is")
        self._scene, self._character, self._unit = scene, character, unit
        self.start = np.array(character.base.centre) * unit
        points = [other.base.bounds for other in scene.characters]
        points += [feature.outline.corners for feature in (*scene.terrain, *scene.objects)]
        every = np.concatenate(points) * unit
        self.table = np.stack([every.min(axis=0), every.max(axis=0)])

    def prepare(self) -> None:
        """Nothing takes long."""

    def heights(self, points: Floats, under: float | None) -> Floats:
        """(q,) zeros: in a plan nothing has a height, and there is no floor to ask for."""
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

    def scene_at(self, point: Floats, height: float, toward: str | None = None) -> PlanScene:
        """The scene with it at a point (2,), mm, on the terrain that holds its base there; it looks all round."""
        centre = point / self._unit
        ((on,), _) = self._under(centre[None])
        x, y = centre.tolist()
        there = replace(
            self._character,
            base=PlaneDisc((x, y), self._character.base.radius),
            on=None if on < 0 else self._scene.terrain[on].name,
        )
        return self._scene.with_character(there)

    def _under(self, centres: Floats) -> tuple[Indices, Flags]:
        """(q,) the greatest terrain that holds the base, -1 for the table; and whether it lies partly on any."""
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
    """The sentence: terrain blocks one way alone by the size of the target (R4, R6), or by who stands on it (R7)."""
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
    return one_way_words(seer, seen, "; ".join(reasons))


class CrisisProtocol(
    ExactRule[PlanScene, CrisisProtocolVerdict],
    WhatIf[PlanScene],
    HasMaps[PlanScene],
    HasDescription[PlanScene],
    HasFirstScene,
):
    """Crisis Protocol's rules for line of sight and cover; see `silhouette.rules.base.Rule`."""

    name = NAME
    title = "Marvel: Crisis Protocol"
    reads = ("ranges", "character", "terrain", "object", "check")
    example = "scenes/crisis_protocol/red_skull_behind_terrain.toml"
    scene_entry = PlanEntry
    readings_entry = Readings
    verdict_type = CrisisProtocolVerdict
    phrases = PHRASES
    levels = LEVELS
    kind_of_lookers = "characters"
    without_arcs = "a character of {title} has no arcs; leave the arc out"
    mobility = Mobility(walkers=("character",), flat=True)

    read = staticmethod(load_plan_scene)

    def lookers(self, scene: PlanScene) -> list[str]:
        """The names of the characters."""
        return [character.name for character in scene.characters]

    def everyone(self, scene: PlanScene) -> tuple[Check, ...]:
        """The checks of every character against every other, and against every object."""
        names = self.lookers(scene)
        objects = tuple(Check(name, piece.name) for name in names for piece in scene.objects)
        return objects if len(names) == 1 and objects else super().everyone(scene) + objects

    def between(self, scene: PlanScene, attacker: str, target: str | None, arc: ArcName | None) -> tuple[Check, ...]:
        """The check of a character against a target, or, without one, against every other character and object."""
        self.refuse(scene, attacker, target, arc)
        scene.character(attacker)
        if target is not None:
            scene.target(target)
            return (Check(attacker, target),)
        others = [name for name in self.lookers(scene) if name != attacker]
        others += [piece.name for piece in scene.objects]
        if not others:
            raise RequestError(f"{scene.path}: nobody but '{attacker}' stands there; add another to look at")
        return tuple(Check(attacker, name) for name in others)

    short_reason = staticmethod(short_reason)

    ruling = staticmethod(ruling)

    def places(self, scene: PlanScene, name: str) -> PlanPlaces:
        """Where a character could stand, if the length of the scene's units is known."""
        return PlanPlaces(scene, scene.character(name))

    moved = staticmethod(moved_scene)
    without = staticmethod(scene_without)

    def movers(self, scene: PlanScene, check: Check) -> Movers:
        """Characters can move, if the length of units is known, and terrain but the target can be taken away."""
        length_of_unit(scene)
        others = tuple(feature.name for feature in scene.terrain if feature.name != check.target)
        is_pair = check.attacker != check.target
        return Movers(is_pair and isinstance(scene.target(check.target), Character), is_pair, False, others)

    def middle(self, scene: PlanScene, name: str) -> Floats:
        """(2,) mm: the middle of a base, or of the corners of a polygon."""
        piece, unit = scene.target(name), length_of_unit(scene)
        middle = piece.base.centre if isinstance(piece, Character) else piece.outline.corners.mean(axis=0)
        return np.array(middle) * unit

    one_way = staticmethod(one_way)

    def units(self, scene: PlanScene) -> str:
        """The scene's own label for lengths."""
        return scene.units

    def basis(self, scene: PlanScene) -> list[tuple[str, str]]:
        """The lengths of ranges 1 and 2."""
        return [("ranges", f"range 1 is {scene.ranges.first:g}, range 2 is {scene.ranges.second:g} {scene.units}")]

    def pieces(self, scene: PlanScene) -> PieceTable:
        """Characters, terrain and objects with their sizes and places."""
        rows = []
        for character in scene.characters:
            on = f", on {character.on}" if character.on else ""
            card = ", cover from a card" if character.granted_cover else ""
            at = f"{scene.units} at {coordinates(character.base.centre)}"
            words = f"base {2 * character.base.radius:g} {at}{on}{card}"
            rows.append((character.name, "character", str(character.size), words))
        for kind, features in (("terrain", scene.terrain), ("object", scene.objects)):
            for feature in features:
                corners = " ".join(coordinates(corner) for corner in feature.outline.corners)
                rows.append((feature.name, kind, str(feature.size), corners))
        return PieceTable(("name", "kind", "size", "where"), rows)


CRISIS_PROTOCOL = CrisisProtocol()
