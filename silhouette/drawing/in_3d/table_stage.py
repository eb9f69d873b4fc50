"""DRAW: the 3D stage of a table scene: each model once, every piece with its pose, a sight for each check."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from silhouette.drawing.in_3d.simplifying import MOST_IN_ALL, MOST_TRIANGLES, Shape, check_available, painter
from silhouette.drawing.in_3d.stage import Item, Line, Sight, Stage
from silhouette.files.cache import Cache
from silhouette.geometry import INCH, Floats
from silhouette.models.model import Model
from silhouette.rules.base import MeasuredVerdict, Verdict
from silhouette.scenes.table import Piece, TableScene
from silhouette.views import VisionArc

ARC_LENGTH = 0.4
"""The length of the edges of a vision arc, as a share of the size of the table."""


def stage_of_table(scene: TableScene, verdicts: Sequence[Verdict], cache: Cache) -> Stage:
    """The stage of a table scene.

    Args:
        scene: the scene that was judged.
        verdicts: the verdicts on its checks, in the order of the page; measured ones with their observations.
        cache: keeps simplified meshes.
    """
    models, most = models_of(scene)
    shapes = tuple(shape_of(model, cache, most) for model in models)
    number = {id(model): index for index, model in enumerate(models)}
    items = tuple(Item(piece.name, piece.kind, number[id(piece.model)], piece.pose) for piece in scene.pieces)
    sights = [sight_of(scene, number, verdict) for number, verdict in enumerate(verdicts)]
    total = sum(len(model.mesh.faces) for model in models)
    simplified = sum(len(shape.faces) for shape in shapes)
    sentence = (
        f"For display the meshes are simplified from {_thousands(total)} to {_thousands(simplified)} triangles. "
        "No verdict rests on the simplified ones: what is judged is always the whole mesh."
        if simplified < total
        else "The meshes are shown as they were judged, but for the rounding of their coordinates."
    )
    floor = min((float(piece.whole_box[:, 2].min()) for piece in scene.pieces), default=0.0)
    drawn = tuple(sight for sight in sights if sight is not None)
    return Stage(shapes, items, drawn, (sentence,), floor=floor, unit=INCH)


def check_table(scene: TableScene) -> None:
    """Checks, before anything is judged, that the stage of a scene can be made.

    Raises:
        RequestError: where its meshes must be simplified, and the library for that is not installed.
    """
    models, most = models_of(scene)
    if any(len(model.mesh.faces) > most for model in models):
        check_available()


def models_of(scene: TableScene) -> tuple[list[Model], int]:
    """The models of a scene, each once, and the most triangles that one of them may have."""
    models = list({id(piece.model): piece.model for piece in scene.pieces}.values())
    return models, min(MOST_TRIANGLES, MOST_IN_ALL // max(len(models), 1))


def shape_of(model: Model, cache: Cache, most: int) -> Shape:
    """A model with at most ``most`` triangles, in the colours of its file; solids of the scene have flat faces."""
    flat = model.format == "parts"
    return Shape.of(model.significant, model.ignored, cache, most, flat, painter(model, cache))


def sight_of(scene: TableScene, check: int, verdict: Verdict) -> Sight | None:
    """The sight of a check; None where the check is not about two pieces.

    Args:
        scene: the scene that was judged.
        check: the position of the check on the page, from 0.
        verdict: the verdict on it.
    """
    numbers = {piece.name: piece.index for piece in scene.pieces}
    if verdict.attacker not in numbers or verdict.target not in numbers:
        return None
    attacker, target = scene.piece(verdict.attacker), scene.piece(verdict.target)
    base = Sight(check, attacker.index, target.index)
    if not (isinstance(verdict, MeasuredVerdict) and verdict.observation):
        return replace(base, eye=attacker.eye, lines=(_line(attacker.eye, target.body_middle),))
    sight = verdict.observation.sight
    blockers = [blocker.name for blocker in verdict.blockers if blocker.obscures]
    arcs = sight.arcs
    return replace(
        base,
        blockers=tuple(numbers[name] for name in blockers if name in numbers),
        aside=tuple(piece.index for piece in (*sight.left_out, *sight.disregarded)),
        eye=sight.eye,
        measured=True,
        free=bool(verdict.line_of_sight),
        apex=None if arcs is None else attacker.base_centre,
        arcs=None if arcs is None else tuple((*map(float, arc.right), *map(float, arc.left)) for arc in arcs),
        lines=(
            _line(sight.eye, target.body_middle),
            *(_arc(scene, attacker, arc) for arc in arcs or ()),
        ),
    )


def _line(start: Floats, end: Floats) -> Line:
    """A line of sight between two points (3,) of the world."""
    return Line("sight", (_point(start), _point(end)))


def _arc(scene: TableScene, attacker: Piece, arc: VisionArc) -> Line:
    """The edges of a vision arc, half a millimetre above the attacker's ground, through the point where it begins."""
    points = scene.whole_pieces.boxes.reshape(-1, 3)
    length = ARC_LENGTH * float(np.ptp(points[:, :2], axis=0).max())
    height = float(attacker.whole_box[:, 2].min()) + 0.5
    ends = [arc.apex + length * edge for edge in (arc.right, arc.left)]
    return Line("arc", tuple((float(x), float(y), height) for x, y in (ends[0], arc.apex, ends[1])))


def _point(values: Any) -> tuple[float, float, float]:
    """A point (3,) as plain numbers."""
    x, y, z = map(float, values)
    return x, y, z


def _thousands(number: int) -> str:
    """A number with its digits in groups of three.

    >>> _thousands(1234567), _thousands(0)
    ('1 234 567', '0')
    """
    return f"{number:,}".replace(",", " ")
