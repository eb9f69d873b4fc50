"""TELL: what the page of a live table needs to judge by itself while a hand moves: how the table stands, whole meshes.

What it says by them is a first answer, and shown as such; the verdicts are those of `silhouette.live.watching`.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from silhouette.drawing.in_3d.shapes import DisplayShape
from silhouette.drawing.in_3d.stage import models_of, packed
from silhouette.live.by_hand import is_scanned
from silhouette.live.live_table import LiveTable
from silhouette.models.model import Model
from silhouette.rules import rule_called
from silhouette.rules.abilities import HasPlay
from silhouette.scenes.table import ANY_SURFACE

MAX_TRIANGLES = 1_000_000
"""Triangles of all shapes of a table that a page judges by: with more its answers come no sooner than the desk's."""


def play_of_table(table: LiveTable) -> dict[str, Any] | None:
    """What the rules say of the table and of each piece, as of `silhouette.rules.abilities.HasPlay`; None where no page
    can judge: of another game, of a scan, which puts in doubt whatever a hand moves, and of too large a table.

    A model that a hand moves is lowered onto whatever is there: its entry says so by ``stands``.
    """
    scene = table.scene
    rule = rule_called(scene.rules)
    is_small = sum(len(model.mesh.faces) for model in models_of(scene)[0]) <= MAX_TRIANGLES
    if not isinstance(rule, HasPlay) or is_scanned(table.document) or not is_small:
        return None
    play = rule.play(scene)
    for piece, entry in zip(scene.pieces, play["pieces"], strict=True):
        entry["stands"] = None if piece.kind == "terrain" else ANY_SURFACE
    return play


def whole_shapes(shapes: dict[str, Model], present: Collection[str], most: int | None) -> dict[str, Any]:
    """The shapes of models by their names, with all triangles, but for the ``present``; the first ``most`` of them."""
    new = dict([(name, model) for name, model in shapes.items() if name not in present][:most])
    entries, text = packed([DisplayShape.exactly(model) for model in new.values()])
    return {"shapes": [{**entry, "id": name} for entry, name in zip(entries, new, strict=True)], "packed": text}
