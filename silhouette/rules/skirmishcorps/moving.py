"""PLACE: SkirmishCorps, units and cover a little elsewhere than they stand, with the room that they take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import shapely

from silhouette.geometry import Floats, Pose
from silhouette.rules.skirmishcorps.contact import Standing
from silhouette.rules.skirmishcorps.scene import Cover, SkirmishScene, Unit
from silhouette.scenes.places import Move, TablePlaces, moved, without
from silhouette.scenes.table import Piece


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
