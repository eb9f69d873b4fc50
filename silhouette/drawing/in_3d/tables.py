"""TELL: a table of models on a stage: Necromunda, SkirmishCorps. Each model once, wherever it stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from silhouette.drawing.in_3d.simplifying import MOST_IN_ALL, MOST_TRIANGLES, Shape, check_available
from silhouette.drawing.in_3d.stage import Item, Line, Sight, Stage
from silhouette.files.cache import Cache
from silhouette.geometry import Floats
from silhouette.judging import Judged
from silhouette.measure.observe import arcs_of
from silhouette.models.model import Model
from silhouette.rules.necromunda.judge import is_friend_in_contact
from silhouette.rules.skirmishcorps.protection import sight
from silhouette.rules.skirmishcorps.scene import SkirmishScene
from silhouette.scenes.table import Piece, TableScene
from silhouette.views import VisionArc

ARC_LENGTH = 0.4
"""Of the table's size: how long the edges of a vision arc are drawn."""


def stage_of_table(scene: TableScene, judged: Sequence[Judged], cache: Cache) -> Stage:
    """The stage of a table scene.

    Args:
        scene: that was judged.
        judged: its checks, in the page's order.
        cache: keeps meshes that were made simpler.
    """
    models, most = _models(scene)
    shapes = tuple(_shape(model, cache, most) for model in models)
    number = {id(model): index for index, model in enumerate(models)}
    items = tuple(Item(piece.name, piece.kind, number[id(piece.model)], piece.pose) for piece in scene.pieces)
    sights = [_sight(scene, index, one) for index, one in enumerate(judged)]
    told = sum(len(model.mesh.faces) for model in models)
    kept = sum(len(shape.faces) for shape in shapes)
    sentence = (
        f"For display the meshes are simplified from {_thousands(told)} to {_thousands(kept)} triangles. "
        "No verdict rests on the simplified ones: what is judged is always the whole mesh."
        if kept < told
        else "The meshes are shown as they were judged, but for the rounding of their coordinates."
    )
    floor = min((float(piece.whole_box[:, 2].min()) for piece in scene.pieces), default=0.0)
    there = tuple(sight for sight in sights if sight is not None)
    return Stage(shapes, items, there, (sentence,), floor=floor, unit=25.4)


def check_table(scene: TableScene) -> None:
    """Says at once, before anything is judged, where the stage of a scene cannot be made.

    Raises:
        RequestError: where its meshes must be made simpler, and what that takes is not installed.
    """
    models, most = _models(scene)
    if any(len(model.mesh.faces) > most for model in models):
        check_available()


def _models(scene: TableScene) -> tuple[list[Model], int]:
    """The models of a scene, each once, and how many triangles each of them may have."""
    models = list({id(piece.model): piece.model for piece in scene.pieces}.values())
    return models, min(MOST_TRIANGLES, MOST_IN_ALL // max(len(models), 1))


def _shape(model: Model, cache: Cache, most: int) -> Shape:
    return Shape.of(model.significant, model.ignored, cache, most, flat=model.format == "parts")


def _sight(scene: TableScene, check: int, judged: Judged) -> Sight | None:
    """What a check shows; None where it is about no two pieces."""
    names = {piece.name: piece.index for piece in scene.pieces}
    row = judged.row()
    if judged.check.attacker not in names or judged.check.target not in names:
        return None
    target = scene.piece(judged.check.target)
    attacker = scene.piece(judged.check.attacker).looking(row.get("arc"))
    shown = Sight(check, names[attacker.name], names[target.name])
    if "target_pixels" not in row:
        return replace(shown, eye=attacker.eye, lines=(_line(attacker.eye, target.body_box.mean(axis=0)),))
    blockers = [one["name"] for one in row["blockers"] if one["alone"] > 0.0]
    eye, aside = _look(scene, judged, attacker)
    arcs = arcs_of(attacker, row.get("arc")) if scene.rules == "necromunda" else None
    lines = [_line(eye, target.body_box.mean(axis=0))]
    return replace(
        shown,
        blockers=tuple(names[name] for name in blockers if name in names),
        aside=aside,
        eye=eye,
        measured=True,
        free=bool(row["line_of_sight"]),
        apex=None if arcs is None else attacker.base_centre,
        arcs=None if arcs is None else tuple((*map(float, arc.right), *map(float, arc.left)) for arc in arcs),
        lines=(*lines, *(_arc(scene, attacker, arc) for arc in arcs or ())),
    )


def _look(scene: TableScene, judged: Judged, attacker: Piece) -> tuple[Floats, tuple[int, ...]]:
    """Where a check looks from, and the pieces that its rules leave out of the way."""
    if not isinstance(scene, SkirmishScene):
        friends = [piece.index for piece in scene.pieces if is_friend_in_contact(scene, attacker, piece)]
        return attacker.eye, tuple(friends)
    one, other = scene.unit(judged.check.attacker), scene.unit(judged.check.target)
    seen = sight(scene, one, other.piece, other.standing)
    blocking = {cover.name for cover, _ in seen.obstacles}
    own = [cover.piece.name for cover in scene.touched_by(one.standing) if cover.name not in blocking]
    units = [unit.name for unit in scene.units if unit is not one and unit is not other]
    return seen.eye, tuple(scene.piece(name).index for name in (*own, *units))


def _line(start: Floats, end: Floats) -> Line:
    return Line("sight", (_point(start), _point(end)))


def _arc(scene: TableScene, attacker: Piece, arc: VisionArc) -> Line:
    """The edges of a vision arc on the table, through the place from which it begins."""
    points = scene.whole_boxes.reshape(-1, 3)
    length = ARC_LENGTH * float(np.ptp(points[:, :2], axis=0).max())
    height = float(attacker.whole_box[:, 2].min()) + 0.5
    ends = [arc.apex + length * edge for edge in (arc.right, arc.left)]
    return Line("arc", tuple((float(x), float(y), height) for x, y in (ends[0], arc.apex, ends[1])))


def _point(values: Any) -> tuple[float, float, float]:
    x, y, z = map(float, values)
    return x, y, z


def _thousands(number: int) -> str:
    return f"{number:,}".replace(",", " ")
