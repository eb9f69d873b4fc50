"""COUNT: outlines that lie farther out or in than those of the meshes, against closed forms."""

from __future__ import annotations

from typing import Any

import pytest

from silhouette.measure.estimate import Estimate
from silhouette.measure.grids import FINEST
from silhouette.renderers import choose
from silhouette.rules import rule_called
from silhouette.rules.base import Settings
from silhouette.rules.necromunda.judge import NecromundaVerdict
from silhouette.scenes.places import Move
from silhouette.scenes.scene import Check
from tests.support.duels import loaded

ROUGH = Settings(choose(), 0.1, observe=Estimate(coarsest=FINEST))


def seen(target: dict[str, Any], outlines: dict[str, float], **more: Any) -> NecromundaVerdict:
    """The verdict from an eye 400 mm straight above the middle of the table."""
    kal = {"name": "Kal", "at": [0, 0], "facing": 90, "parts": [{"box": [8, 8, 20]}], "eye": [0, 0, 400]}
    vex = {"name": "Vex", "at": [0, 0.1], "facing": 90, **target}
    scene = loaded({"rules": "necromunda", "fighter": [kal, vex], **more})
    rule = rule_called("necromunda")
    moved = rule.moved(scene, {name: Move(outline=outline) for name, outline in outlines.items()})
    (verdict,) = rule.judge([(moved, Check("Kal", "Vex", None, None))], ROUGH)
    assert isinstance(verdict, NecromundaVerdict)
    return verdict


def area(verdict: NecromundaVerdict) -> float:
    """mm², of the target in the plane of its middle."""
    return verdict.counts.total * verdict.measurement.pixel**2


@pytest.mark.parametrize("out", [-3.0, -0.7, -0.05, 0.05, 0.7, 3.0])
def test_a_disc_grows_and_shrinks_by_as_much_all_round(out: float) -> None:
    disc = {"parts": [{"cylinder": {"diameter": 20, "height": 0.2}}]}
    grown, plain = area(seen(disc, {"Vex": out})), area(seen(disc, {}))
    assert grown == pytest.approx(plain * ((10.0 + out) / 10.0) ** 2, rel=0.012)


def test_what_is_thinner_than_twice_as_much_as_its_outline_moves_in_goes() -> None:
    rod = {"parts": [{"box": [30, 1, 0.2]}]}
    assert area(seen(rod, {"Vex": -0.45})) == pytest.approx(29.1 * 0.1, rel=0.35)
    assert area(seen(rod, {"Vex": 0.6})) == pytest.approx(31.2 * 2.2, rel=0.03)
    assert seen(rod, {"Vex": -0.6}).verdict == "hidden"


@pytest.mark.parametrize("out", [-2.0, -0.3, 0.3, 2.0])
def test_a_walls_edge_moves_by_as_much_at_the_distance_of_the_wall(out: float) -> None:
    plate = {"parts": [{"box": [40, 40, 0.2]}]}
    # Half way between the eye and the target, the left half of which it hides.
    wall = {"name": "wall", "at": [-50, 0, 200], "parts": [{"box": [100, 200, 0.001]}]}
    verdict = seen(plate, {"wall": out}, terrain=[wall])
    assert verdict.occluded == pytest.approx((20.0 + 2.0 * out) / 40.0, abs=0.006)
    assert seen(plate, {}, terrain=[wall]).occluded == pytest.approx(0.5, abs=0.003)


@pytest.mark.parametrize(("of_wall", "of_plate"), [(2.0, 0.0), (0.0, 4.0), (1.5, 1.0)])
def test_outlines_meet_where_the_meshes_do_not(of_wall: float, of_plate: float) -> None:
    plate = {"parts": [{"box": [40, 40, 0.2]}]}
    # Its shadow on the table ends 2 mm beside the plate.
    wall = {"name": "wall", "at": [-61, 0, 200], "parts": [{"box": [100, 200, 0.001]}]}
    assert seen(plate, {}, terrain=[wall]).occluded == 0.0
    hidden = 2.0 * of_wall + of_plate - 2.0
    verdict = seen(plate, {"wall": of_wall, "Vex": of_plate}, terrain=[wall])
    assert verdict.occluded == pytest.approx(hidden / (40.0 + 2.0 * of_plate), abs=0.006)


@pytest.mark.parametrize("out", [-4.0, -1.0, 1.0, 4.0])
def test_a_thick_walls_edge_moves_by_as_much_at_the_distance_of_the_edge(out: float) -> None:
    plate = {"parts": [{"box": [40, 40, 0.2]}]}
    # Its side is seen, and so its edge lies at its underside, half way to the target: its top is nearer by a half.
    wall = {"name": "wall", "at": [-50, 0, 200], "parts": [{"box": [98, 200, 100]}]}
    verdict, edge = seen(plate, {"wall": out}, terrain=[wall]), -1.0 + out
    assert verdict.occluded == pytest.approx((20.0 + 2.0 * edge) / 40.0, abs=0.006)


def test_an_outline_does_not_reach_what_stands_before_it() -> None:
    plate = {"parts": [{"box": [40, 40, 0.2]}]}
    floor = {"name": "floor", "at": [0, 0, -5], "parts": [{"box": [200, 200, 1]}]}
    assert seen(plate, {"floor": 3.0}, terrain=[floor]).occluded == 0.0
