"""Which known model a scanned piece is: on samples of the project's own models."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from silhouette.files.cache import Cache
from silhouette.geometry import Floats
from silhouette.scans.discs import Disc
from silhouette.scans.matching import Known, known_models, match

MODELS = Path(__file__).resolve().parents[2] / "models"
FIGURES = ("brute", "ganger_blade", "ganger_rifle", "heavy", "leader", "scout")
Seen = tuple[Floats, Floats]


@pytest.fixture(scope="module")
def figures() -> tuple[Known, ...]:
    return known_models([str(MODELS / f"{name}.toml") for name in FIGURES], "fighter", Cache.default()).models


def scanned(known: Known, turn: float, noise: float, seed: int = 0, count: int = 1500) -> Seen:
    """Points and normals of what is seen of a model that stands at (100, 50, 0), turned and noisy."""
    chance = np.random.default_rng(seed)
    surface = known.surface
    chosen = chance.choice(len(surface.points), count, replace=False, p=surface.openness / surface.openness.sum())
    cosine, sine = np.cos(np.radians(turn)), np.sin(np.radians(turn))
    rotation = np.array([[cosine, -sine, 0.0], [sine, cosine, 0.0], [0.0, 0.0, 1.0]])
    points = surface.points[chosen] @ rotation.T + [100.0, 50.0, 0.0] + chance.normal(0.0, noise, (count, 3))
    return points, surface.normals[chosen] @ rotation.T


def disc_of(known: Known) -> Disc:
    assert known.model.base is not None
    return Disc((100.3, 49.8), 0.0, 3.0, known.model.base.diameter + 0.5, 0.5, 1.0)


def angle(one: float, other: float) -> float:
    return abs((one - other + 180.0) % 360.0 - 180.0)


@pytest.mark.parametrize("noise", [0.2, 0.5])
@pytest.mark.parametrize("number", range(len(FIGURES)))
def test_a_figure_is_named_placed_and_turned(figures: Sequence[Known], number: int, noise: float) -> None:
    turn = 50.0 * number + 13.0
    points, normals = scanned(figures[number], turn, noise)
    found = match(points, normals, figures, disc_of(figures[number]), 0.0, noise)
    assert found is not None
    assert found.known is figures[number]
    assert np.hypot(found.at[0] - 100.0, found.at[1] - 50.0) < 0.5
    assert found.at[2] == 0.0
    assert angle(found.turn, turn) < 2.0


def test_the_files_of_a_folder_are_each_one_model(figures: Sequence[Known]) -> None:
    names = [Path(known.path).name for known in figures]
    assert names == [f"{name}.toml" for name in FIGURES]
