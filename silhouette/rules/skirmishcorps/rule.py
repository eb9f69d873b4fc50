"""JUDGE: SkirmishCorps as a rule system: how its scenes are read, judged and shown, and how their pieces move."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import shapely

from silhouette.errors import RequestError
from silhouette.files.cache import Cache
from silhouette.geometry import Floats, Pose
from silhouette.models.entries import ArcName
from silhouette.renderers.protocol import Renderer
from silhouette.rules.abilities import HasFirstScene, HasThresholds, Movers
from silhouette.rules.base import Figure, Rule, Scale, Settings
from silhouette.rules.on_table import OnTable
from silhouette.rules.one_way import by_eyes, one_way_words
from silhouette.rules.skirmishcorps.contact import Standing
from silhouette.rules.skirmishcorps.entries import ASKS, Readings, SkirmishEntry
from silhouette.rules.skirmishcorps.height_bands import draw_height_bands
from silhouette.rules.skirmishcorps.judge import judge
from silhouette.rules.skirmishcorps.phrases import PHRASES
from silhouette.rules.skirmishcorps.results import LEVELS, NAME, SkirmishCorpsVerdict
from silhouette.rules.skirmishcorps.scene import Cover, SkirmishCheck, SkirmishScene, Unit, load_scene
from silhouette.rules.table import places_of_attacker
from silhouette.scenes.places import Elsewhere, Mobility, Move, TablePlaces, moved, without
from silhouette.scenes.scene import Check, between, everyone
from silhouette.scenes.table import Occluders, Piece

# ---- scenes and places


def moved_scene(scene: SkirmishScene, moves: Mapping[str, Move]) -> SkirmishScene:
    """The scene with pieces moved, and the room that they take.

    Raises:
        RequestError: where no piece has a name.
    """
    changed = moved(scene, moves)
    units = tuple(
        replace(
            unit, piece=changed.piece(unit.name), standing=_moved_standing(unit.standing, unit.piece, moves[unit.name])
        )
        if unit.name in moves
        else unit
        for unit in scene.units
    )
    covers = tuple(
        _moved_cover(cover, changed.piece(cover.name), moves[cover.name]) if cover.name in moves else cover
        for cover in scene.covers
    )
    return replace(changed, units=units, covers=covers)


def places_of(scene: SkirmishScene, unit: Unit) -> TablePlaces:
    """Where a unit could stand, or lie: one that lies has the middle of its body at its place, and keeps lying so."""
    if unit.posture != "prone":
        return TablePlaces(scene, unit.piece, moved_scene)
    plan = unit.piece.pose.place(unit.piece.model.significant.vertices)[:, :2]
    return TablePlaces(scene, unit.piece, moved_scene, (plan.min(axis=0) + plan.max(axis=0)) / 2, turns=False)


def scene_without(scene: SkirmishScene, name: str) -> SkirmishScene:
    """The scene without a unit, a section of cover or a piece of terrain.

    Raises:
        RequestError: where no piece has the name.
    """
    left = without(scene, name)
    pieces = {piece.name: piece for piece in left.pieces}
    units = tuple(replace(unit, piece=pieces[unit.name]) for unit in scene.units if unit.name in pieces)
    covers = tuple(replace(cover, piece=pieces[cover.name]) for cover in scene.covers if cover.name in pieces)
    return replace(left, units=units, covers=covers)


def _moved_cover(cover: Cover, piece: Piece, move: Move) -> Cover:
    corners = np.column_stack([cover.corners, np.zeros(len(cover.corners))])
    standing = _moved_standing(cover.standing, cover.piece, move)
    return replace(cover, piece=piece, standing=standing, corners=_carried(corners, cover.piece, move)[:, :2])


def _moved_standing(standing: Standing, piece: Piece, move: Move) -> Standing:
    """The room that a piece takes after a move."""
    core = shapely.transform(
        standing.footprint.core,
        lambda plan: _carried(np.column_stack([plan, np.zeros(len(plan))]), piece, move)[:, :2],
    )
    surface = standing.surface
    if surface is not None:
        surface = _carried(surface.reshape(-1, 3), piece, move).reshape(surface.shape)
    up = move.by[2]
    return Standing(replace(standing.footprint, core=core), standing.low + up, standing.high + up, surface)


def _carried(points: Floats, piece: Piece, move: Move) -> Floats:
    """Points (n, 3) of the world, mm, that move with a piece."""
    origin = piece.pose.translation
    return Pose.standing(origin + move.by, move.turn).place(points - origin)


# ---- the rule system

LOOKERS = "units"
"""The plural by which messages call the pieces that look and are looked at."""


class SkirmishCorps(
    Rule[SkirmishScene, SkirmishCorpsVerdict], OnTable[SkirmishScene], HasThresholds[SkirmishScene], HasFirstScene
):
    """SkirmishCorps' rules for cover; see `silhouette.rules.base.Rule`."""

    name = NAME
    title = "SkirmishCorps"
    reads = ("unit", "cover", "terrain", "check")
    example = "scenes/skirmishcorps/elevation.toml"
    scene_entry = SkirmishEntry
    readings_entry = Readings
    check_entries = ASKS
    verdict_type = SkirmishCorpsVerdict
    phrases = PHRASES
    levels = LEVELS
    naming = ("protected_by", "in_contact_with", "blockers")
    mobility = Mobility(walkers=("unit",), ask="protection")
    are_facings_shown = False

    def load(self, path: Path, document: dict[str, Any], cache: Cache) -> SkirmishScene:
        """The table scene that a document describes.

        Raises:
            FileError: where the scene is not valid, or expects a result that no check has.
        """
        return load_scene(path, document, cache)

    def everyone(self, scene: SkirmishScene) -> tuple[Check, ...]:
        """The checks of the protection of every unit from every other."""
        return everyone(scene.path, _names(scene), LOOKERS)

    def between(
        self, scene: SkirmishScene, attacker: str, target: str | None, arc: ArcName | None
    ) -> tuple[Check, ...]:
        """The checks of the protection of one unit, or, without a target, of every other, from the attacker.

        Raises:
            RequestError: where a name is not that of a unit, or an arc is given.
        """
        if arc is not None:
            raise RequestError(f"{scene.path}: units of SkirmishCorps look all round; ask without an arc")
        for name in (attacker, target):
            if name is not None:
                scene.unit(name)
        return between(scene.path, _names(scene), LOOKERS, attacker, target)

    judge = staticmethod(judge)

    def elsewhere(self, scene: SkirmishScene, check: Check) -> Sequence[Elsewhere]:
        """Where else the eye of a mesh may be, for protection; where a unit faces plays no part."""
        if not self.has_odds(check):
            return ()
        blocks = Occluders.of((cover.piece, cover.piece.model.mesh) for cover in scene.covers)
        return [
            way
            for way in places_of_attacker(scene.unit(check.attacker).piece, blocks)
            if any(way.move.eye) or way.absent is not None
        ]

    def has_odds(self, check: Check) -> bool:
        """Checks on protection have odds."""
        question = check.question if isinstance(check, SkirmishCheck) else None
        return question is None or question.ask == "protection"

    moved = staticmethod(moved_scene)
    without = staticmethod(scene_without)

    def places(self, scene: SkirmishScene, name: str) -> TablePlaces:
        """Where a unit could stand, or lie.

        Raises:
            RequestError: where no unit has the name.
        """
        return places_of(scene, scene.unit(name))

    def movers(self, scene: SkirmishScene, check: Check) -> Movers:
        """Both units can move; where they face plays no part.

        Raises:
            RequestError: where the check asks for something else than protection.
        """
        ask = "protection" if not isinstance(check, SkirmishCheck) or check.question is None else check.question.ask
        if ask != "protection":
            raise RequestError(
                f"{scene.path}: a check asks '{ask}', and --what-if is about protection; name --from and --to"
            )
        others = tuple(piece.name for piece in scene.pieces if piece.name not in (check.attacker, check.target))
        return Movers(True, True, False, others)

    def margin(self, scene: SkirmishScene, verdict: SkirmishCorpsVerdict) -> tuple[float, float]:
        """How far what is seen is from nothing, and what each piece obscures from where it begins to protect.

        nan where nothing is obscured, or nothing seen.
        """
        share, error = verdict.share
        if verdict.verdict == "hidden" or not verdict.blockers or share is None:
            return float(np.nan), 0.0
        limit = scene.readings.share_practically_all
        return min(1.0 - share, *(abs((blocker.alone or 0.0) - limit) for blocker in verdict.blockers)), error

    def middle(self, scene: SkirmishScene, name: str) -> Floats:
        """(2,) mm: the middle of the room that a unit takes."""
        return scene.unit(name).middle

    def one_way(
        self, scene: SkirmishScene, seeing: SkirmishCorpsVerdict, blind: SkirmishCorpsVerdict, settings: Settings
    ) -> str:
        """By the heights of eyes, where that decides; else by what hides the one from the other."""
        check = Check(blind.attacker, blind.target)

        def sees(moves: dict[str, Move]) -> bool:
            (verdict,) = judge([(moved_scene(scene, moves), check)], settings)
            return bool(verdict.line_of_sight)

        seer, other = scene.unit(seeing.attacker).piece, scene.unit(blind.attacker).piece
        names = [blocker.name for blocker in blind.blockers if blocker.share]
        why = by_eyes(scene, seer, other, names, sees)
        return super().one_way(scene, seeing, blind, settings) if why is None else one_way_words(seer, other, why)

    def scale(self, scene: SkirmishScene) -> Scale:
        """The share that counts as practically all of a target, and half of it."""
        return Scale((scene.readings.share_practically_all, 0.5, 1.0))

    def figures(
        self, scene: SkirmishScene, check: Check, verdict: SkirmishCorpsVerdict, renderer: Renderer
    ) -> list[Figure]:
        """Eye view with the classes of cover as bands of height, plan and side view; none for other questions."""
        if verdict.ask != "protection":
            return []
        from silhouette.drawing.table.figures import table_figures  # not before something is drawn

        return table_figures(scene, verdict, renderer, draw_height_bands)


SKIRMISHCORPS = SkirmishCorps()


def _names(scene: SkirmishScene) -> list[str]:
    return [unit.name for unit in scene.units]
