"""COUNT on a device, or on the CPU with the same kernels: what is counted there is what polygons count."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from silhouette.common.geometry import Pose
from silhouette.files.cache import Cache
from silhouette.judging.loading import load_scene, pixel_of
from silhouette.measure import observe as observe_module
from silhouette.measure.counting import PARTS_OF_PIXEL, Measured
from silhouette.measure.framing import Framed, framed
from silhouette.measure.observation import Observation, OcclusionCounts, Sight
from silhouette.measure.observe import PLAIN, ObservationRequest, measured_on_device, observe_many
from silhouette.measure.occlusion import layered
from silhouette.renderers import choose
from silhouette.renderers.areas import NO_LINES, LayeredPicture, Lines
from silhouette.renderers.protocol import Renderer
from silhouette.rules import rule_called
from silhouette.rules.base import Settings
from tests.conftest import PROJECT, started
from tests.support import shapes
from tests.support.confirmed import table_of_real_meshes
from tests.support.hard_sights import KINDS, case, faults
from tests.support.sight_cases import Case

pytest.importorskip("warp")

EYE = np.array([0.0, 0.0, 25.0])
FRONT = shapes.box((300, -10, 3), (320, 10, 33))
SCENES = sorted((PROJECT / "scenes").glob("*/*.toml"))
QUICK = ("across_the_arc", "two_blockers", "through_the_window")
"""Scenes that README's command has."""

SAME = 1e-6  # of a target: the two counts differ by no more; those of the polygons are rounded
ROUNDED = 2.0 / PARTS_OF_PIXEL  # pixels: each count is a whole number of such parts; more than that of the tiniest ones
NEAREST = 0.02  # of a target: which of several blockers is the nearest, rays tell at some places


@pytest.fixture(scope="module")
def device() -> Renderer:
    """What counts by layers on the device."""
    return started("cuda")


def differences(counts: OcclusionCounts, truth: OcclusionCounts) -> list[str]:
    """By what counts differ from those of polygons: names of their fields."""
    pairs = {
        name: [(getattr(counts, name), getattr(truth, name))]
        for name in ("total", "occluded", "in_arc", "occluded_in_arc", "seen")
    }
    pairs |= {
        name: list(zip(getattr(counts, name), getattr(truth, name), strict=True)) for name in ("nearest", "alone")
    }
    return [
        name
        for name, values in pairs.items()
        if any(
            abs(one - other) > max((NEAREST if name == "nearest" else SAME) * truth.total, ROUNDED)
            for one, other in values
        )
    ]


def counted(*cases: Case, renderer: Renderer) -> list[OcclusionCounts]:
    """The counts of cases of one pixel, together."""
    return [one.counts for one in observe_many([one.sight for one in cases], renderer, cases[0].pixel)]


@pytest.mark.thinned(quick=10, ci=50)
@pytest.mark.parametrize("kind", KINDS)
def test_hard_cases_are_counted_as_by_polygons(device: Renderer, kind: str) -> None:
    for number in range(4):
        one = case(kind, number)
        (counts,), (truth,) = (counted(one, renderer=renderer) for renderer in (device, choose()))
        assert faults(counts, one.exact()) == []
        assert differences(counts, truth) == []


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_many_more_are(device: Renderer, kind: str) -> None:
    for number in range(4, 40):
        one = case(kind, number)
        (counts,), (truth,) = (counted(one, renderer=renderer) for renderer in (device, choose()))
        assert faults(counts, one.exact()) == []
        assert differences(counts, truth) == []


def test_most_are_counted_there() -> None:
    """Where polygons count after all, they say why: see `layered`."""
    one, renderer = case("many dots", 0), started("cuda")
    assert measured_on_device([framed(one.sight, one.pixel)], renderer)[0] is not None
    untold = [number for number in range(10) if layered(*framed(case("ordinary", number).sight, 0.1).pictures) is None]
    assert len(untold) < 5


def test_a_batch_gives_what_each_gives_alone(device: Renderer) -> None:
    cases = [case(kind, 1) for kind in ("many dots", "ordinary", "rods", "soups", "flipped faces", "holes")]
    frames = [framed(one.sight, one.pixel) for one in cases]
    together = measured_on_device(frames, device)
    assert any(together)
    for frame, expected in zip(frames, together, strict=True):
        (alone,) = measured_on_device([frame], device)
        assert (alone and vars(alone.counts)) == (expected and vars(expected.counts))


# ---- what compares exactly


@pytest.mark.parametrize("turn", [0.0, 17.0, 90.0, 233.3])
@pytest.mark.parametrize("x", [50.0, 290.0, 299.0])
def test_exactly_half_is_half_both_ways(device: Renderer, turn: float, x: float) -> None:
    """A target symmetric about the plane y = 0, and a wall whose edge lies in it, as seen from an eye in it."""
    pose = Pose.standing((123.4, -56.7, 8.9), turn)
    for wall in (shapes.box((x, 0, -99), (x + 0.05, 99, 99)), shapes.box((x, -99, -99), (x + 0.05, 0, 99))):
        one = Case(FRONT, (wall,), pose.place(EYE[None])[0], pose=pose)
        (counts,) = counted(one, renderer=device)
        assert 2.0 * counts.occluded == counts.total
        assert counts.error < 1e-6


def test_hidden_open_and_blind_are_certain(device: Renderer) -> None:
    wide, beside = shapes.box((150, -99, -99), (152, 99, 99)), shapes.box((150, 30, -99), (152, 99, 99))
    walls = shapes.box((150, -99, -99), (152, 0, 99)), shapes.box((150, -1, -99), (152, 99, 99))
    cases = [Case(FRONT, blockers, EYE) for blockers in ((wide,), (beside,), walls)]
    frames = [framed(one.sight, 0.1) for one in (*cases, Case(FRONT, (walls[0],), EYE, arcs=()))]
    hidden, open_, both, blind = measured_on_device(frames, device)
    for found in (hidden, both):
        assert found is not None
        assert (found.counts.seen, found.counts.error_seen, found.decided_by) == (0.0, 0.0, "proof")
    assert open_ is not None
    assert (open_.counts.occluded, open_.counts.error) == (0.0, 0.0)
    assert blind is not None
    assert (blind.counts.in_arc, blind.counts.seen) == (0.0, 0.0)
    assert 0.0 < blind.counts.occluded < blind.counts.total


@pytest.mark.parametrize("width", [1e-3, 2e-4, 5e-5, 1e-9, 0.0])
@pytest.mark.parametrize("is_level", [False, True])
def test_a_slit_is_seen_through_if_it_is_no_touch(device: Renderer, width: float, is_level: bool) -> None:
    """Upright, and level: whether it counts polygons say, where it is narrow."""
    low, high = shapes.box((295, -99, -99), (296, 0, 99)), shapes.box((295, width, -99), (296, 99, 99))
    if is_level:
        low, high = shapes.box((295, -99, -99), (296, 99, 25)), shapes.box((295, -99, 25 + width), (296, 99, 99))
    one = Case(FRONT, (low, high), EYE)
    (counts,), (truth,) = (counted(one, renderer=renderer) for renderer in (device, choose()))
    assert (counts.seen > 0.0) == (truth.seen > 0.0) == (width > 1e-4)
    assert differences(counts, truth) == []


def test_which_of_several_blockers_is_the_nearest_is_asked_at_places_that_are_spread_evenly(device: Renderer) -> None:
    walls = [shapes.box((x, -99, 3), (x + 1.0, 99, top)) for x, top in ((200.0, 20.0), (150.0, 15.0), (250.0, 25.0))]
    one = Case(FRONT, tuple(walls), EYE)
    (counts,), (truth,) = (counted(one, renderer=renderer) for renderer in (device, choose()))
    assert np.array(counts.nearest) == pytest.approx(np.array(truth.nearest), abs=0.005 * truth.total)
    assert sum(counts.nearest) == counts.occluded
    (areas,) = device.areas([layered(*framed(one.sight, one.pixel).pictures)])  # type: ignore[list-item]
    assert areas.weights.sum() == pytest.approx(areas.several, rel=0.01)
    assert 300 < len(areas.places) < 5000


# ---- how it is done changes nothing


@pytest.mark.parametrize(
    ("name", "value"),
    [("CELLS_FOR_LINE", 0.3), ("CELLS_AT_LEAST", 5), ("FACES_TOGETHER", 1), ("EDGES_OF_CONTOUR", 10**9)],
)
def test_cells_and_batches_change_nothing(
    device: Renderer, monkeypatch: pytest.MonkeyPatch, name: str, value: float
) -> None:
    cases = [case(kind, number) for kind in ("many dots", "combs", "foils", "soups") for number in (0, 1)]
    layers = [layered(*framed(one.sight, one.pixel).pictures) for one in cases]
    some = [layer for layer in layers if layer is not None]
    assert len(some) > 4
    before = device.areas(some)
    monkeypatch.setattr(import_module("silhouette.renderers.cuda.areas"), name, value)
    for one, other in zip(device.areas(some), before, strict=True):
        assert (one.free, one.obscured) == pytest.approx((other.free, other.obscured), rel=1e-11, abs=1e-9)
        assert one.lone + one.shared == pytest.approx(other.lone + other.shared, rel=1e-11, abs=1e-9)
        assert one.rim == pytest.approx(other.rim)


def test_a_blocker_that_reaches_past_the_target_is_parted_here_and_counted_there(device: Renderer) -> None:
    """What of it is before the target is given as lines: a wall along the line of sight."""
    wall = shapes.mesh(*_cut_along_x(shapes.box((100, -12, -99), (500, -6, 12)), 40))
    one = Case(FRONT, (wall,), EYE)
    (counts,), (truth,) = (counted(one, renderer=renderer) for renderer in (device, choose()))
    assert 0.0 < counts.occluded < counts.total
    assert differences(counts, truth) == []
    before = Case(FRONT, (shapes.box((100, -12, -99), (290, -6, 12)),), EYE)
    behind = Case(FRONT, (shapes.box((330, -12, -99), (500, -6, 12)),), EYE)
    kinds = [layered(*framed(each.sight, 0.1).pictures) for each in (before, behind)]
    assert [type(each.bodies[1]) is Lines for each in kinds if each is not None and len(each.bodies) > 1][:1] == [False]


def _cut_along_x(mesh: Any, count: int) -> tuple[Any, Any]:
    """The vertices and faces of a box, cut into so many along x."""
    (x, y, z), (u, v, w) = mesh.bounds
    steps = np.linspace(x, u, count + 1)
    boxes = [shapes.box((a, y, z), (b, v, w)) for a, b in pairwise(steps)]
    ends = np.cumsum([0, *(len(box.vertices) for box in boxes)])
    return (
        np.concatenate([box.vertices for box in boxes]),
        np.concatenate([box.faces + end for box, end in zip(boxes, ends, strict=False)]),
    )


def _round(left: float, top: float, right: float, bottom: float, border: int = 0) -> Lines:
    """The lines round a rectangle."""
    corners = np.array([[left, right, right, left], [top, top, bottom, bottom]])
    return Lines(corners, np.roll(corners, -1, axis=1), np.full(4, border, np.int32))


@pytest.mark.parametrize("margin", [0.0, 0.5, 3.3])
def test_level_and_upright_lines_on_the_borders_of_cells_wind_as_others_do(device: Renderer, margin: float) -> None:
    """Cells are a 32nd of the window wide; blockers reach beyond it on all sides, or not, and share sides."""
    window = np.array([0.0 - margin, 32.0 + margin, 0.0 - margin, 32.0 + margin])
    target = _round(0, 0, 32, 32)
    rectangles = [(4, 8, 12, 40), (-9, 5, 90, 7), (8, -5, 16, 16), (0, 0, 32, 1), (31, 31, 99, 99), (-9, -9, -1, 99)]
    pictures = [
        LayeredPicture(window, [target, *(_round(*rectangle, border) for rectangle in rectangles[:count])])
        for count in range(len(rectangles) + 1)
        for border in (0, 1)
    ]
    places = np.indices((32, 32)).reshape(2, -1) + 0.5
    rows, columns = places
    for picture, areas in zip(pictures, device.areas(pictures), strict=True):
        count = len(picture.bodies) - 1
        over = [
            (columns > left) & (columns < right) & (rows > top) & (rows < bottom)
            for left, top, right, bottom in rectangles[:count]
        ]
        number = np.sum([np.zeros(1024), *over], axis=0)
        assert areas.free == pytest.approx((number == 0).sum(), abs=1e-9)
        assert areas.several == pytest.approx((number > 1).sum(), abs=1e-9)
        assert areas.lone + areas.shared == pytest.approx([each.sum() for each in over], abs=1e-9)


def test_nothing_is_counted_of_no_pictures_and_of_no_lines(device: Renderer) -> None:
    assert device.areas([]) == []
    (areas,) = device.areas([LayeredPicture(np.array([0.0, 9.0, 0.0, 9.0]), [NO_LINES, NO_LINES])])
    assert (areas.free, areas.obscured, areas.rim) == (0.0, 0.0, 0.0)


# ---- tables


class Compared:
    """An observer that has each observation confirmed by polygons; ``there`` counts those that the device counted."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.faults, self.there, self.all = list[str](), 0, 0

        def watched(frames: Sequence[Framed], renderer: Renderer) -> list[Measured | None]:
            found = measured_on_device(frames, renderer)
            self.there += sum(one is not None for one in found)
            self.all += len(found)
            return found

        monkeypatch.setattr(observe_module, "measured_on_device", watched)

    def __call__(
        self, sights: Sequence[Sight], renderer: Renderer, pixel: float, request: ObservationRequest = PLAIN
    ) -> list[Observation]:
        observations = observe_many(sights, renderer, pixel, request)
        for one, truth in zip(observations, observe_many(sights, choose(), pixel, request), strict=True):
            self.faults += differences(one.counts, truth.counts)
        return observations

    def judge(self, scene: Any, renderer: Renderer) -> None:
        """Judges all checks of a scene."""
        rule = rule_called(scene.rules)
        settings = Settings(renderer, pixel_of(scene, None), observe=self)
        rule.judge([(scene, check) for check in scene.checks or rule.everyone(scene)], settings)


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=f"{path.parent.name}-{path.stem}", marks=() if path.stem in QUICK else pytest.mark.slow)
        for path in SCENES
    ],
)
def test_polygons_confirm_every_scene_that_ships(device: Renderer, monkeypatch: pytest.MonkeyPatch, path: Path) -> None:
    compared = Compared(monkeypatch)
    compared.judge(load_scene(path, cache=Cache.default()), device)
    assert compared.faults == []


@pytest.mark.parametrize(
    "seeds", [pytest.param(range(2), id="0 to 1"), pytest.param(range(2, 60), id="2 to 59", marks=pytest.mark.long)]
)
def test_polygons_confirm_random_tables(device: Renderer, monkeypatch: pytest.MonkeyPatch, seeds: range) -> None:
    compared = Compared(monkeypatch)
    for seed in seeds:
        compared.judge(table_of_real_meshes(seed), device)
    assert compared.faults == []
    assert compared.there > 0.5 * compared.all
