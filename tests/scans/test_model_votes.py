"""Which pieces and scales are tried for a scale by known models."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from silhouette.scans import votes
from silhouette.scans.votes import PIECES, pieces_apart, scale_by_models
from tests.support.scanned_tables import Box, figure, scanned_table

UNIT = 25.4


def table() -> Any:
    things = (*figure((-200, -100)), *figure((120, 120), 40, 60), Box((50, -80), (120, 80), 70, 20))
    return scanned_table(things=things, spacing=1.5, noise=0.1).points / UNIT


def known(*heights: float) -> list[Any]:
    corners = [np.array([[0.0, 0.0, 0.0], [10.0, 10.0, height]]) for height in heights]
    return [SimpleNamespace(model=SimpleNamespace(mesh=SimpleNamespace(vertices=one))) for one in corners]


def test_pieces_stand_apart_the_slender_first_with_their_points_down_to_the_table() -> None:
    found = pieces_apart(table(), 1.5 / UNIT, 0.1 / UNIT)
    assert [round(float(piece[:, 2].max()) * UNIT) for piece in found] == [38, 60, 70]
    assert all(piece[:, 2].min() * UNIT < 3.5 for piece in found)


def test_only_models_and_pieces_of_one_height_at_some_scale_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(votes, "match_scale", lambda *given: asked.append(given))
    points = table()
    models = known(38.0, 200.0)
    everything = np.ones(len(points), dtype=bool)
    scale_by_models(points, everything, 1.5 / UNIT, 0.1 / UNIT, models, [UNIT, 1.01 * UNIT, 2 * UNIT])
    ((pieces, chosen, scales, noise),) = asked
    assert [round(float(piece[:, 2].max()) * UNIT) for piece in pieces] == [38]
    assert chosen == models[:1]
    assert scales == [UNIT, 2 * UNIT]
    assert noise == 0.1 / UNIT
    scale_by_models(points, everything, 1.5 / UNIT, 0.1 / UNIT, models, [])
    assert len(asked[1][0]) <= PIECES
    assert any(abs(mm / UNIT - 1) < 0.05 for mm in asked[1][2])


def test_nothing_to_try_is_no_scale() -> None:
    points = table()
    everything = np.ones(len(points), dtype=bool)
    assert scale_by_models(points, everything, 1.5 / UNIT, 0.1 / UNIT, [], [UNIT]) is None
    assert scale_by_models(points, everything, 1.5 / UNIT, 0.1 / UNIT, known(500.0), [UNIT]) is None
    assert scale_by_models(points, ~everything, 1.5 / UNIT, 0.1 / UNIT, known(38.0), [UNIT]) is None
