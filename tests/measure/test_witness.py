"""The counter by rays says what is true; and what is counted by default holds before it, on whatever table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from silhouette.common.geometry import Floats
from silhouette.files.cache import Cache
from silhouette.judging.loading import load_scene, pixel_of
from silhouette.measure import observe as observe_module
from silhouette.measure import witness
from silhouette.measure.framing import framed
from silhouette.measure.observation import NOTHING, OBSCURED, OUTSIDE, SEEN, Observation, OcclusionCounts, Sight
from silhouette.measure.observe import PLAIN, ObservationRequest, observe_many
from silhouette.measure.witness import RayCounts, counted_by_rays
from silhouette.renderers import choose
from silhouette.renderers.protocol import Body, Capabilities, Layer, Renderer
from silhouette.renderers.reference import ReferenceRenderer
from silhouette.renderers.views import View, fighter_arc
from silhouette.rules import rule_called
from silhouette.rules.base import Settings
from silhouette.scenes.scene import Check
from tests.conftest import PROJECT, started
from tests.support import shapes
from tests.support.confirmed import SURELY, Confirmed, table_of_real_meshes
from tests.support.duels import loaded
from tests.support.hard_sights import KINDS, case, faults
from tests.support.sight_cases import Case

EYE = np.array([0.0, 0.0, 25.0])
FRONT = shapes.box((300, -10, 3), (320, 10, 33))
SCENES = sorted((PROJECT / "scenes").glob("*/*.toml"))
TWO_BLOCKERS = PROJECT / "scenes" / "necromunda" / "two_blockers.toml"
QUICK = ("across_the_arc", "friend_in_base_contact", "gangers_at_the_barricade", "two_blockers", "through_the_window")
"""Scenes that README's command has."""

TABLES = 500


def by_rays(one: Case, renderer: Renderer, keep: bool = False) -> RayCounts:
    return counted_by_rays(framed(one.sight, one.pixel).pictures, renderer, keep, SURELY)


# ---- what rays say is true


@pytest.mark.thinned(quick=5, ci=20)
@pytest.mark.parametrize("number", range(4))
@pytest.mark.parametrize("kind", KINDS)
def test_what_rays_say_is_true(kind: str, number: int) -> None:
    one = case(kind, number)
    said, exact = by_rays(one, started("embree")), one.exact(each=True)
    if not said.counts.total:  # bits may lie between the places of all rays, and what is seen edge-on has no area
        assert (said.counts.error, said.counts.error_seen) == (1.0, 1.0)
        return
    assert faults(said.counts, exact) == []
    for each, truth in ((said.nearest, exact.nearest), (said.alone, exact.alone)):
        numbers = [int(piece.name.removeprefix("blocker ")) - 1 for piece in framed(one.sight, one.pixel).blockers]
        for blocker, share in zip(numbers, each, strict=True):
            assert share.value == pytest.approx(truth[blocker], abs=share.error)


def test_every_renderer_says_the_same(renderer: Renderer) -> None:
    walls = shapes.box((150, -20, 0), (152, 20, 22)), shapes.box((200, -20, 0), (202, 1, 40))
    exact = Case(FRONT, walls, EYE).exact(each=True)
    said = by_rays(Case(FRONT, walls, EYE), renderer)
    assert faults(said.counts, exact) == []
    assert 0.0 < said.counts.error < 0.002
    for each, truth in ((said.nearest, exact.nearest), (said.alone, exact.alone)):
        assert [share.value for share in each] == pytest.approx(truth, abs=max(share.error for share in each))


def test_where_two_surfaces_nearly_touch_every_renderer_tells_which_is_in_front(renderer: Renderer) -> None:
    """A sheet a thousandth of a millimetre before half of the target's face, and one behind it."""
    sheets = shapes.box((299.999, -20, 0), (299.9995, 0, 40)), shapes.box((300.001, 0, 0), (300.002, 20, 40))
    said = by_rays(Case(FRONT, sheets, EYE), renderer)
    assert said.counts.occluded / said.counts.total == pytest.approx(0.5, abs=said.counts.error)
    assert said.alone[1].value == 0.0


def test_what_is_missed_by_all_rays_is_stated() -> None:
    """A slit of a thousandth of a pixel: no ray goes through it, and none of them says that nothing does."""
    walls = shapes.box((150, -20, 0), (152, 0, 60)), shapes.box((150, 0.00005, 0), (152, 20, 60))
    one = Case(FRONT, walls, EYE)
    counts, exact = by_rays(one, started("embree")).counts, one.exact()
    assert exact.seen > 0.0
    assert counts.seen == 0
    assert exact.seen < counts.error_seen < 0.001


def test_nothing_in_the_way_is_certain() -> None:
    counts = by_rays(Case(FRONT, (), EYE), started("embree")).counts
    assert (counts.occluded, counts.seen) == (0, counts.total)
    assert (counts.error, counts.error_in_arc, counts.error_seen) == (0.0, 0.0, 0.0)
    blind = by_rays(Case(FRONT, (), EYE, arcs=()), started("embree")).counts
    assert (blind.in_arc, blind.seen, blind.error, blind.error_in_arc, blind.error_seen) == (0, 0, 0.0, 1.0, 0.0)


def test_an_arc_parts_a_target() -> None:
    """Its right edge runs along x, through the middle of the target."""
    one = Case(FRONT, (), EYE, arcs=(fighter_arc((0.0, 0.0), 45.0),))
    counts, exact = by_rays(one, started("embree")).counts, one.exact()
    assert faults(counts, exact) == []
    assert counts.in_arc / counts.total == pytest.approx(0.5, abs=counts.error_seen)
    assert counts.error == counts.error_in_arc == 0.0 < counts.error_seen


def test_the_masks_are_what_was_counted() -> None:
    wall = shapes.box((150, -20, 0), (152, 20, 22))
    said = by_rays(Case(FRONT, (wall,), EYE, arcs=(fighter_arc((0.0, 0.0), 45.0),)), started("embree"), keep=True)
    (mask,) = said.masks
    counts = said.counts
    pixels = [np.count_nonzero(mask.kinds == kind) for kind in (SEEN, OBSCURED, OUTSIDE, NOTHING)]
    assert pixels[:2] == [counts.seen, counts.occluded]
    assert sum(pixels[:3]) == counts.total
    assert (mask.blocker >= 0).sum() == counts.nearest[0]
    assert mask.kinds.shape == (mask.view.height, mask.view.width)


def test_a_target_round_the_eye_is_counted_in_six_pictures() -> None:
    shell, plate = shapes.box((-40, -40, -40), (40, 40, 40)), shapes.box((20, -10, -10), (21, 10, 10))
    one = Case(shell, (plate,), np.zeros(3), pixel=0.4)
    said = by_rays(one, started("embree"), keep=True)
    assert len(said.masks) == 6
    assert faults(said.counts, one.exact()) == []
    assert 0 < said.counts.occluded == sum((mask.blocker == 0).sum() for mask in said.masks)


def test_an_outline_that_lies_farther_out_is_counted_there(renderer: Renderer) -> None:
    (picture,) = framed(Case(FRONT, (), EYE).sight, 0.1).pictures
    wall = Body(2, shapes.box((150, -20, 0), (152, 0, 60)), picture.target.pose)
    plain, grown = (
        counted_by_rays([replace(picture, blockers=[body])], renderer) for body in (wall, replace(wall, outline=1.0))
    )
    # The wall reaches 1 mm farther at half the distance of the target's face, which is 20 mm wide.
    shares = [said.counts.occluded / said.counts.total for said in (plain, grown)]
    assert shares[1] - shares[0] == pytest.approx(2.0 / 20.0, abs=0.01)


def test_a_large_picture_is_counted_in_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    """With pixels half as wide it is counted no finer."""
    one = Case(FRONT, (shapes.box((150, -20, 0), (152, 20, 22)),), EYE)
    monkeypatch.setattr(witness, "MOST_SAMPLED_CELLS", 120_000)
    plain, fine = (by_rays(replace(one, pixel=pixel), started("embree"), keep=True) for pixel in (0.1, 0.05))
    assert fine.counts.total == pytest.approx(4 * plain.counts.total, rel=0.01)
    assert fine.counts.occluded / fine.counts.total == pytest.approx(one.exact().occluded, abs=fine.counts.error)
    assert fine.counts.error == pytest.approx(plain.counts.error, rel=0.3)
    (mask,) = fine.masks
    assert mask.kinds.shape == (mask.view.height, mask.view.width)
    assert (mask.kinds == OBSCURED).sum() == fine.counts.occluded
    assert (mask.kinds[::2] == mask.kinds[1::2]).all()
    assert (mask.kinds[:, ::2] == mask.kinds[:, 1::2]).all()


class WholePictures(ReferenceRenderer):
    """Draws whole pictures, as OpenGL does, and remembers which places were read of them."""

    capabilities = Capabilities()

    def __init__(self) -> None:
        self.read: list[tuple[View, Floats]] = []

    def render(self, view: View, bodies: Sequence[Body], pixels: Any = None) -> Layer:
        if pixels is None:
            return super().render(view, bodies)
        self.read.append((view, np.asarray(pixels)))
        return super().render(view, bodies, np.round(pixels))


def test_of_a_whole_picture_one_quarter_of_each_pixel_is_read() -> None:
    """The quarters are pixels of a finer picture; those of opposite pixels are opposite each other."""
    renderer = WholePictures()
    (picture,) = framed(Case(FRONT, (), EYE, pixel=1.0).sight, 1.0).pictures
    counted_by_rays([picture], renderer)
    ((view, both),) = renderer.read
    places, others = np.split(both, 2)
    assert 0.2 < (places == others).all(axis=1).mean() < 0.3
    assert view.step == picture.view.step / 2
    quarters = np.zeros((view.height, view.width), np.bool_)
    quarters[tuple(places.astype(np.intp).T)] = True
    assert (quarters.reshape(picture.view.height, 2, picture.view.width, 2).sum(axis=(1, 3)) == 1).all()
    assert (quarters == quarters[::-1, ::-1]).all()
    assert 0.4 < quarters[::2].mean() * 2 < 0.6


@pytest.mark.parametrize(("apart", "is_before"), [(-2.5e-5, False), (0.0, False), (2.5e-5, True), (3.5e-5, True)])
def test_in_a_whole_picture_rays_tell_which_of_two_close_surfaces_is_before(apart: float, is_before: bool) -> None:
    """Within three hundred-thousandths of the distance."""
    target, blocker = (shapes.box((x, -2, 23), (x + 1, 2, 27)) for x in (300.0, 300.0 * (1 - apart)))
    counts = by_rays(Case(target, (blocker,), EYE, pixel=0.4), WholePictures()).counts
    assert (counts.occluded > 0) == is_before


@pytest.mark.thinned(quick=21, ci=53)
@pytest.mark.parametrize("away, turned", [(60.0, 0.0), (200.0, 19.0005), (900.0, 55.0)])
@pytest.mark.parametrize(
    "gap, tilt", [(1e-4, 0.0), (1e-3, 0.0), (1e-2, 0.01), (0.0, 0.01), (-1e-3, 0.0), (-1e-2, 0.01)]
)
def test_opengl_counts_a_sheet_a_micrometre_before_the_target(
    away: float, turned: float, gap: float, tilt: float
) -> None:
    """Float32 does not tell which of the two faces is nearer: rays between the pixels do."""
    towards = np.radians(0.7 * turned)
    at = (away * np.array([np.cos(towards), np.sin(towards), 0.0])).tolist()
    sheet = {"name": "sheet", "parts": [{"box": [4, 18, 33], "at": [-3.0 - gap, 3, 0], "turn": tilt}]}
    target = {"name": "Vex", "parts": [{"box": [10, 30, 40]}], "facing": 180, "eye": [0, 0, 30]}
    kal = {"name": "Kal", "parts": [{"box": [10, 8, 30]}], "at": [0, 0], "facing": 0.7 * turned, "eye": [0, 0, 25]}
    places = {"at": at, "turn": turned}
    scene = loaded({"rules": "necromunda", "terrain": [{**sheet, **places}], "fighter": [kal, {**target, **places}]})
    exact, drawn = (
        rule_called("necromunda").judge([(scene, Check("Kal", "Vex", None, None))], Settings(renderer, 0.2))[0]
        for renderer in (choose(), started("gl"))
    )
    assert abs(exact.occluded - drawn.occluded) <= exact.counts.error + drawn.counts.error
    assert exact.verdict in drawn.could_be


# ---- whom it serves


def test_what_rays_cannot_tell_is_proven_by_another(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hidden, in the open beside a wall, and too small to count; what is between is counted by the renderer itself."""
    walls = [shapes.box((150, -60, 0), (152, y, 60)) for y in (60.0, -10.0, 1.0)]
    sights = [Case(FRONT, (wall,), EYE).sight for wall in walls]
    hidden, open_, part = observe_many(sights, started("reference"), 0.4)
    assert (hidden.counts.seen, hidden.counts.error_seen, hidden.decided_by) == (0, 0.0, "proof")
    assert (open_.counts.occluded, open_.counts.error) == (0, 0.0)
    assert (part.decided_by, part.pixel) == ("count", 0.4)
    assert faults(part.counts, Case(FRONT, (walls[2],), EYE).exact()) == []
    monkeypatch.setattr(observe_module, "measured", lambda *arguments: pytest.fail("layers are asked"))
    assert observe_many(sights[2:], started("reference"), 0.4)[0].counts.total == part.counts.total
    with pytest.raises(pytest.fail.Exception, match="layers are asked"):
        observe_many(sights[:1], started("reference"), 0.4)


# ---- what is counted by default holds before it


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=f"{path.parent.name}-{path.stem}", marks=() if path.stem in QUICK else pytest.mark.slow)
        for path in SCENES
    ],
)
def test_rays_confirm_every_scene_that_ships(path: Path) -> None:
    scene = load_scene(path, cache=Cache.default())
    assert confirmed(scene, Confirmed()).faults == []


@pytest.mark.parametrize(
    "seeds",
    [
        pytest.param(range(3), id="0 to 2"),
        pytest.param(range(3, 30), id="3 to 29", marks=pytest.mark.slow),
        *(
            pytest.param(range(start, start + 47), id=f"{start} to {start + 46}", marks=pytest.mark.long)
            for start in range(30, TABLES, 47)
        ),
    ],
)
def test_rays_confirm_random_tables(seeds: range) -> None:
    """Of 500 tables the shares differ by 0.08 of both errors together where the median is."""
    untrue, used = dict[int, list[str]](), list[float]()
    for seed in seeds:
        judged = confirmed(table_of_real_meshes(seed), Confirmed())
        untrue |= {seed: judged.faults} if judged.faults else {}
        used += judged.used
    assert untrue == {}
    some = [share for share in used if share > 1e-9]
    assert 0.001 < np.median(some) < 0.3, "errors so large that all lies within them say nothing"


@pytest.mark.parametrize("untrue", [{"occluded": -0.01}, {"nearest": -0.03}, {"alone": 0.03}, {"total": 0.05}])
def test_rays_contradict_what_is_untrue(untrue: dict[str, float]) -> None:
    """Counts of which one is off by a share of the target."""
    (key, share), scene = untrue.popitem(), load_scene(TWO_BLOCKERS, cache=Cache.default())

    def observe(
        sights: Sequence[Sight], renderer: Renderer, pixel: float, request: ObservationRequest = PLAIN
    ) -> list[Observation]:
        observations = observe_many(sights, renderer, pixel, request)
        return [replace(one, counts=replace(one.counts, **off(one.counts))) for one in observations]

    def off(counts: OcclusionCounts) -> dict[str, Any]:
        before = {"nearest": counts.nearest, "alone": counts.alone}.get(key)
        if before is None:
            return {key: (counts.occluded if key == "occluded" else counts.total) + round(share * counts.total)}
        return {key: (before[0] + round(share * counts.total), *before[1:])}

    assert confirmed(scene, Confirmed(observe)).faults


def test_one_ray_contradicts_a_proof() -> None:
    """A dot that hides less than any error of the rays."""
    dot = shapes.box((150, 0, 20), (150.1, 0.06, 20.06))
    sight, renderer = Case(FRONT, (dot,), EYE).sight, choose()
    (truth,) = observe_many([sight], renderer, 0.1)
    counts = replace(truth.counts, occluded=0, nearest=(0,), alone=(0,), error=0.0)
    judge = Confirmed(lambda sights, renderer, pixel, request=PLAIN: [replace(truth, counts=counts)])
    judge([sight], renderer, 0.1)
    assert any(fault.startswith("attacker looks at target: obscured") for fault in judge.faults)


def confirmed(scene: Any, judge: Confirmed) -> Confirmed:
    """All checks of a scene, judged by what is asked, and each share by rays."""
    rule = rule_called(scene.rules)
    settings = Settings(choose(), pixel_of(scene, None), observe=judge)
    rule.judge([(scene, check) for check in scene.checks or rule.everyone(scene)], settings)
    return judge
