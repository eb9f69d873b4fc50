"""COUNT, roughly: how many rays an estimate takes, and why; each of its constants moves one of these."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from silhouette.measure import grids, outlines, slivers
from silhouette.measure.estimate import Estimate
from silhouette.renderers.embree import EmbreeRenderer
from silhouette.renderers.protocol import Cast
from silhouette.rules import rule_called
from silhouette.rules.base import Settings
from silhouette.scenes.places import Move
from silhouette.scenes.scene import Check
from tests.support.duels import loaded

RULE = rule_called("necromunda")
PLAIN = Estimate()


class Counting(EmbreeRenderer):
    """Embree, counting the rays towards the plate."""

    def __init__(self) -> None:
        super().__init__()
        self.rays = 0

    def depths(self, casts: Sequence[Cast]) -> NDArray[np.float32]:
        self.rays += sum(len(cast.places) for cast in casts if len(cast.body.mesh.faces) == 12 and cast.body.id == 1)
        return super().depths(casts)


def rays_for(moves: Sequence[dict[str, Move]], observe: Estimate = PLAIN, **keys: Any) -> int:
    """Rays at a plate 40 mm wide, of which a wall half way to the eye hides the left half."""
    kal = {"name": "Kal", "at": [0, 0], "facing": 90, "parts": [{"box": [8, 8, 20]}], "eye": [0, 0, 20]}
    vex = {"name": "Vex", "at": [0, 400], "turn": 0, "facing": -90, "parts": [{"box": [40, 0.01, 40]}]}
    wall = {"name": "wall", "at": [-50, 200], "parts": [{"box": [100, 0.01, 90]}]}
    scene = loaded({"rules": "necromunda", "fighter": [{**kal, **keys}, vex], "terrain": [wall]})
    renderer = Counting()
    asked = [(RULE.moved(scene, move), Check("Kal", "Vex", None, None)) for move in moves]
    RULE.judge(asked, Settings(renderer, 0.1, observe=observe))
    return renderer.rays


PICTURE = 1.96
"""The picture of the plate, as so many times the plate."""


def beside(share: float) -> dict[str, Move]:
    """The wall moved so that it hides this share of the plate."""
    return {"wall": Move(((share - 0.5) * 20.0, 0.0, 0.0))}


@pytest.mark.parametrize(
    ("share", "grids"),
    [
        (0.25, [16]),  # a grid of 16 by 16 cells tells it from a half, and from nothing
        (0.42, [16]),
        (0.46, [16, 20, 24]),  # its error reaches to a half; that of 24 cells does not
        (0.48, [16, 28]),  # its error is more than the goal, 3 %; that of 28 cells is not
        (0.5, [16, 28]),
        (0.97, [16, 20, 28]),  # its error reaches to nothing
        (0.9996, [16, 24]),  # it shows nothing, which is to be known to 0.8 %
        (1.02, [16, 24]),
    ],
)
def test_near_a_threshold_the_grid_is_as_fine_as_the_goal_asks(share: float, grids: list[int]) -> None:
    assert rays_for([beside(share)]) == sum(across**2 for across in grids)


@pytest.mark.parametrize(
    ("goal", "grids"), [(0.01, [16, 32, 60]), (0.006, [16, 32, 64, 80]), (0.002, [16, 32, 64, 128])]
)
def test_a_grid_is_at_most_twice_as_fine_as_the_one_before(goal: float, grids: list[int]) -> None:
    assert rays_for([beside(0.5)], Estimate(goal=goal)) == sum(across**2 for across in grids)


def test_how_many_rays_look_for_a_sliver() -> None:
    """Two sights show a sliver of 2 %, and one nothing.

    The two are looked at on grids that show sixteen places of it, about 40 by 40; then the one with 512 rays.
    """
    one, none = beside(0.98), beside(1.02)
    each, hidden = rays_for([one]), rays_for([none])
    more = rays_for([one, one, none]) - 2 * each - hidden - 512
    assert more % 2 == 0
    assert np.sqrt(more / 2) == pytest.approx(np.sqrt(16 / 0.02 * PICTURE), abs=3.0)
    # Of many sights with a sliver eight are looked at.
    assert rays_for([one] * 20 + [none]) - 20 * each - hidden == 8 * more / 2 + 512


def test_no_grid_that_looks_for_a_sliver_is_finer_than_the_finest(monkeypatch: pytest.MonkeyPatch) -> None:
    one, none = beside(0.98), beside(1.02)
    alone = 2 * rays_for([one]) + rays_for([none])
    monkeypatch.setattr(slivers, "SPOTS", 1000)
    assert rays_for([one, one, none]) - alone == 2 * grids.FINEST**2 + 512 == 33_280


def test_what_counts_as_a_sliver() -> None:
    nothing = beside(1.02)
    for share, is_sliver in ((0.96, True), (0.93, False)):
        alone = rays_for([beside(share)]) + rays_for([nothing])
        assert (rays_for([beside(share), nothing]) > alone) is is_sliver


def test_rays_at_corners_pass_just_inside_their_faces() -> None:
    """The right rim of the plate reaches into the arc, which begins there: two of its corners, of two faces each."""
    border = 90.0 - 45.0 - float(np.degrees(np.arctan(19.99 / 400.0)))
    plain = rays_for([beside(-1.0)], facing=border - 1.0)
    asked = rays_for([beside(-1.0)], facing=border)
    assert asked > plain
    assert pytest.approx(0.02) == slivers.INSIDE


def test_eight_rays_on_a_circle_move_a_straight_outline_by_as_much_on_average() -> None:
    angles = np.linspace(0.0, 2.0 * np.pi, 4001)[:, None] + 2.0 * np.pi * np.arange(8) / 8
    assert np.cos(angles).max(axis=1).mean() == pytest.approx(outlines.REACH, abs=1e-4)
