"""PLACE: a scene with pieces moved is judged as the scene whose file has them there."""

from __future__ import annotations

from typing import Any

import pytest

from silhouette.common.errors import RequestError
from silhouette.renderers import choose
from silhouette.rules import rule_called
from silhouette.rules.abilities import what_if
from silhouette.rules.base import Settings
from silhouette.scenes.places import Move, moved_piece
from silhouette.scenes.scene import Scene
from tests.support.duels import duel, loaded, skirmish


def rows(scene: Scene) -> list[dict[str, Any]]:
    rule = rule_called(scene.rules)
    settings = Settings(choose(), 0.2)
    return [dict(verdict.row()) for verdict in rule.judge([(scene, check) for check in rule.everyone(scene)], settings)]


def close(one: list[dict[str, Any]], other: list[dict[str, Any]]) -> None:
    for first, second in zip(one, other, strict=True):
        for key in ("verdict", "occluded", "in_arc", "could_be"):
            assert first.get(key) == pytest.approx(second.get(key)), (key, first, second)


@pytest.mark.parametrize(
    ("place", "moves"),
    [
        (
            ([3.0, -2.0], 100.0, [0.0, 203.0], [4.0, 170.0], 20.0),
            {"Kal": Move((3.0, -2.0, 0.0), 10.0), "Vex": Move((0.0, 3.0, 0.0)), "wall": Move((4.0, -5.0, 0.0), 20.0)},
        ),
        # Into base contact with a friend, which is then disregarded; and round, so that nothing is in the arc.
        (([0.3, 0.0], 90.0, [0.0, 200.0], [0.0, 175.0], 0.0), {"Kal": Move((0.3, 0.0, 0.0))}),
        (([0.0, 0.0], 220.0, [0.0, 200.0], [0.0, 175.0], 0.0), {"Kal": Move(turn=130.0)}),
        (
            ([0.0, 0.0, 40.0], 90.0, [0.0, 200.0, 5.0], [0.0, 175.0], 0.0),
            {
                "Kal": Move((0.0, 0.0, 40.0)),
                "Vex": Move((0.0, 0.0, 5.0)),
            },
        ),
    ],
)
def test_necromunda(place: Any, moves: dict[str, Move]) -> None:
    rule = rule_called("necromunda")
    close(
        rows(rule.moved(loaded(duel([0.0, 0.0], 90.0, [0.0, 200.0], [0.0, 175.0], 0.0)), moves)),
        rows(loaded(duel(*place))),
    )


@pytest.mark.parametrize(
    ("place", "moves"),
    [
        (
            ([3.0, -2.0], [0.0, 203.0], [4.0, 170.0], 20.0),
            {
                "Kal": Move((3.0, -2.0, 0.0)),
                "Vex": Move((0.0, 3.0, 0.0)),
                "wall": Move((4.0, -5.0, 0.0), 20.0),
            },
        ),
        # Into contact with the cover, which then protects; and both, far from it.
        (([0.0, 0.0], [0.0, 187.2], [0.0, 175.0], 0.0), {"Vex": Move((0.0, -12.8, 0.0))}),
        (([0.0, 162.8], [0.0, 200.0], [0.0, 175.0], 0.0), {"Kal": Move((0.0, 162.8, 0.0))}),
    ],
)
def test_skirmishcorps(place: Any, moves: dict[str, Move]) -> None:
    rule = rule_called("skirmishcorps")
    close(
        rows(rule.moved(loaded(skirmish([0.0, 0.0], [0.0, 200.0], [0.0, 175.0], 0.0)), moves)),
        rows(loaded(skirmish(*place))),
    )


def test_terrain_of_any_shape_moves_with_its_surface() -> None:
    rule, scene = rule_called("skirmishcorps"), loaded(skirmish([0.0, 0.0], [0.0, 200.0], [0.0, 175.0], 0.0))
    moved = rule.moved(scene, {"rock": Move((1.0, 2.0, 3.0), 90.0)})
    (before,), (after,) = ([cover for cover in one.covers if cover.name == "rock"] for one in (scene, moved))
    assert after.standing.low == before.standing.low + 3.0
    assert after.standing.surface[:, :, 2].max() == before.standing.surface[:, :, 2].max() + 3.0
    wide, deep = after.standing.surface.max(axis=(0, 1))[:2] - after.standing.surface.min(axis=(0, 1))[:2]
    assert (wide, deep) == pytest.approx((10.0, 30.0))
    assert after.standing.footprint.middle == pytest.approx([21.0, 102.0])


def test_an_eye_moves_along_the_axes_of_its_model_and_nothing_else_does() -> None:
    scene = loaded(duel([0.0, 0.0], 180.0, [0.0, 200.0], [0.0, 175.0], 0.0))
    kal = scene.piece("Kal")
    moved = moved_piece(kal, Move(eye=(0.0, 2.0, 1.0)))
    # It faces 180 degrees, and so its y lies along the world's -x.
    assert moved.eye - kal.eye == pytest.approx([-2.0, 0.0, 1.0])
    assert (moved.pose.translation == kal.pose.translation).all()
    assert moved.facing == 180.0
    assert moved_piece(kal, Move()) is kal


def test_moving_nothing_that_is_there() -> None:
    scene = loaded(duel([0.0, 0.0], 90.0, [0.0, 200.0], [0.0, 175.0], 0.0))
    with pytest.raises(RequestError, match="nothing is called 'Kel'; did you mean 'Kal'"):
        rule_called("necromunda").moved(scene, {"Kel": Move(turn=3.0)})
    with pytest.raises(RequestError, match="in Ikosa Framework nothing stands a little elsewhere"):
        what_if(rule_called("ikosa"), scene)
