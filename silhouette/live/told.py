"""TELL: a table as the protocol tells it: its state, its pieces and their shapes, ready for JSON."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from silhouette.drawing.in_3d.stage import packed
from silhouette.drawing.in_3d.table_stage import models_of, shape_of
from silhouette.drawing.verdict_colours import verdict_colours
from silhouette.live.live_table import LiveTable
from silhouette.live.scanning import questions_of
from silhouette.models.model import Model
from silhouette.rules import rule_called
from silhouette.scenes.pieces import Piece

DECIMALS = 2
"""Decimals of mm and degrees that are told."""


def state_of(table: LiveTable) -> dict[str, Any]:
    """All that a client needs to show a table, but for the shapes."""
    scene = table.scene
    levels = rule_called(scene.rules).levels
    return {
        "scene": str(table.path),
        "title": scene.title,
        "rules": scene.rules_as_written,
        "verdicts": {word: str(level) for word, level in levels.items()},
        "colours": verdict_colours(levels),
        **edited_state_of(table),
    }


def edited_state_of(table: LiveTable) -> dict[str, Any]:
    """What an edit may have changed."""
    scene = table.scene
    return {
        "pose": table.pose,
        "can_undo": table.can_undo,
        "can_redo": table.can_redo,
        "saved": table.is_saved,
        "table": scene.table_top.round(DECIMALS).tolist(),
        "warnings": [*table.notices, *scene.warnings],
        "questions": questions_of(table.document),
        "pieces": [_piece(piece) for piece in scene.pieces],
    }


def _piece(piece: Piece) -> dict[str, Any]:
    matrix = np.column_stack([piece.pose.rotation, piece.pose.translation])
    return {
        "name": piece.name,
        "kind": piece.kind,
        "at": _rounded(piece.pose.translation),
        "facing": None if piece.facing is None else round(piece.facing % 360.0, DECIMALS),
        "ahead": round(piece.ahead % 360.0, DECIMALS),
        "gang": piece.gang,
        "arcs": list(piece.arcs),
        "eye": _rounded(piece.eye),
        "shape": shape_name(piece.model),
        "pose": [round(float(value), 6) for value in matrix.ravel()],
    }


def _rounded(point: Any) -> list[float]:
    """Places as they are told: whole hundredths, and no -0."""
    return [round(float(value), DECIMALS) + 0.0 for value in point]


def shape_name(model: Model) -> str:
    """A name for what is shown of a model: the same for models that look the same."""
    return f"{model.significant.digest[:12]}-{model.ignored.digest[:12]}"


def shapes_of(table: LiveTable, known: Collection[str] = (), triangles: int | None = None) -> dict[str, Any]:
    """The shapes of a table, simplified for display; those that the client has already are left out.

    Args:
        table: its scene's models are told.
        known: names of shapes.
        triangles: about so many that all pieces together may have; None for those of a report.
    """
    models, most = models_of(table.scene)
    if triangles is not None:
        most = min(most, max(triangles // max(len(table.scene.pieces), 1), 1))
    wanted = {shape_name(model): model for model in models}
    new = {name: model for name, model in wanted.items() if name not in known}
    entries, text = packed([shape_of(model, table.cache, most) for model in new.values()])
    for entry, (name, model) in zip(entries, new.items(), strict=True):
        low, high = model.mesh.bounds
        entry |= {"id": name, "height": round(float(high[2] - low[2]), DECIMALS), "base": None}
        if model.kind != "terrain":
            entry["base"] = model.base_outline.round(DECIMALS).tolist()
    return {"shapes": entries, "packed": text}
