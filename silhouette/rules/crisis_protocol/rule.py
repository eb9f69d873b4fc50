"""JUDGE: Marvel: Crisis Protocol as a rule system: how its scenes are read, judged and shown."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from silhouette.errors import RequestError
from silhouette.files.cache import Cache
from silhouette.geometry import Floats
from silhouette.models.entries import ArcName
from silhouette.rules.abilities import (
    HasDescription,
    HasFigures,
    HasFirstScene,
    HasMaps,
    HasOverview,
    HasStage,
    Movers,
    WhatIf,
)
from silhouette.rules.base import Figure, Pieces, Rule, Settings
from silhouette.rules.crisis_protocol.figures import figures
from silhouette.rules.crisis_protocol.judge import ruling
from silhouette.rules.crisis_protocol.moving import PlanPlaces, length_of_unit, moved_scene, one_way, scene_without
from silhouette.rules.crisis_protocol.phrases import PHRASES, short_reason
from silhouette.rules.crisis_protocol.results import (
    LEVELS,
    NAME,
    VERDICTS,
    CrisisProtocolVerdict,
)
from silhouette.rules.crisis_protocol.scene import Character, PlanEntry, PlanScene, Readings, load_plan_scene
from silhouette.rules.crisis_protocol.stage import stage
from silhouette.rules.expectations import check_expectations
from silhouette.scenes.places import Mobility
from silhouette.scenes.scene import Check, everyone
from silhouette.text import coordinates

LOOKERS = "characters"
"""The plural by which messages call the pieces that look."""


class CrisisProtocol(
    Rule[PlanScene, CrisisProtocolVerdict],
    WhatIf[PlanScene],
    HasMaps[PlanScene],
    HasFigures[PlanScene],
    HasOverview[PlanScene],
    HasStage[PlanScene],
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
    mobility = Mobility(walkers=("character",), flat=True)

    def load(self, path: Path, document: dict[str, Any], cache: Cache) -> PlanScene:
        """The scene that a document describes; nothing of it is worth keeping in a cache.

        Raises:
            FileError: where the scene is not valid, or expects a result that no check has.
        """
        scene = load_plan_scene(path, document)
        check_expectations(path, scene.checks, CrisisProtocolVerdict.fields, {"verdict": VERDICTS})
        return scene

    def everyone(self, scene: PlanScene) -> tuple[Check, ...]:
        """The checks of every character against every other, and against every object."""
        names = [character.name for character in scene.characters]
        objects = tuple(Check(name, piece.name) for name in names for piece in scene.objects)
        if len(names) == 1 and objects:
            return objects
        return everyone(scene.path, names, LOOKERS) + objects

    def between(self, scene: PlanScene, attacker: str, target: str | None, arc: ArcName | None) -> tuple[Check, ...]:
        """The check of a character against a target, or, without one, against every other character and object."""
        if arc is not None:
            raise RequestError(f"{scene.path}: a character of {self.title} has no arcs; leave the arc out")
        scene.character(attacker)
        if target is not None:
            scene.target(target)
            return (Check(attacker, target),)
        others = [character.name for character in scene.characters if character.name != attacker]
        others += [piece.name for piece in scene.objects]
        if not others:
            raise RequestError(f"{scene.path}: nobody but '{attacker}' stands there; add another to look at")
        return tuple(Check(attacker, name) for name in others)

    short_reason = staticmethod(short_reason)

    def judge(self, requests: Sequence[tuple[PlanScene, Check]], settings: Settings) -> list[CrisisProtocolVerdict]:
        """The rulings on checks, in their order; nothing is measured, so that no setting matters."""
        return [ruling(scene, check) for scene, check in requests]

    def places(self, scene: PlanScene, name: str) -> PlanPlaces:
        """Where a character could stand.

        Raises:
            RequestError: where no character has the name, or the length of the scene's units is not known.
        """
        return PlanPlaces(scene, scene.character(name))

    moved = staticmethod(moved_scene)
    without = staticmethod(scene_without)

    def movers(self, scene: PlanScene, check: Check) -> Movers:
        """Characters can move, and terrain that is not the target can be taken away.

        Raises:
            RequestError: where the length of the scene's units is not known.
        """
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

    figures = staticmethod(figures)

    def overview(self, scene: PlanScene) -> Figure:
        """The table from above, with sizes, in the scene's units."""
        from silhouette.rules.crisis_protocol.overview import PAGE, draw_table_plan

        return Figure("table", lambda sheet: draw_table_plan(sheet, scene), width=PAGE)

    def map_ground(self, scene: PlanScene) -> Figure:
        """The table from above, with the outlines of terrain and objects on top."""
        from silhouette.rules.crisis_protocol.overview import PAGE, draw_table_plan

        return Figure("map", lambda sheet: draw_table_plan(sheet, scene, as_ground=True), width=PAGE)

    stage = staticmethod(stage)

    def units(self, scene: PlanScene) -> str:
        """The scene's own label for lengths."""
        return scene.units

    def basis(self, scene: PlanScene) -> list[tuple[str, str]]:
        """The lengths of ranges 1 and 2."""
        return [("ranges", f"range 1 is {scene.ranges.one:g}, range 2 is {scene.ranges.two:g} {scene.units}")]

    def pieces(self, scene: PlanScene) -> Pieces:
        """Characters, terrain and objects with their sizes and places."""
        rows = [
            (character.name, "character", str(character.size), _base_in_words(scene, character))
            for character in scene.characters
        ]
        for kind, features in (("terrain", scene.terrain), ("object", scene.objects)):
            for feature in features:
                corners = " ".join(coordinates(corner) for corner in feature.outline.corners)
                rows.append((feature.name, kind, str(feature.size), corners))
        return Pieces(("name", "kind", "size", "where"), rows)


CRISIS_PROTOCOL = CrisisProtocol()


def _base_in_words(scene: PlanScene, character: Character) -> str:
    """A character's base: how wide it is, where it stands, and what gives it cover apart from terrain."""
    on = f", on {character.on}" if character.on else ""
    card = ", cover from a card" if character.granted_cover else ""
    return f"base {2 * character.base.radius:g} {scene.units} at {coordinates(character.base.centre)}{on}{card}"
