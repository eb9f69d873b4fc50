"""RELATE: what takes long is stopped where its time is over: every loop that can be slow looks at the clock."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from silhouette.common.errors import OutOfTime, go_on, time_limit
from silhouette.common.geometry import Pose
from silhouette.meshes.mesh import Mesh
from silhouette.relations import distances, obstacles, outlines_in_plan
from silhouette.relations.distances import nearest_points
from silhouette.relations.free_lines import find_free_line
from silhouette.relations.lines import widest_line
from silhouette.relations.outlines_in_plan import shadow
from silhouette.relations.plane_geometry import Outlines, PlaneDisc
from silhouette.relations.visible import share_visible, widest_patch
from tests.relations.pieces import block, point, surface
from tests.support.shapes import joined, moved, sphere

EYES = np.array([[0.0, -80.0, 5.0], [10.0, -80.0, 5.0]])
NEAR, FAR = surface((-9, -60, 0), (9, -50, 20)), surface((-9, 50, 0), (9, 60, 20))
SLIT = [block((-60, 0, -60), (-1, 5, 60), "left"), block((1, 0, -60), (60, 5, 60), "right")]


def crates(count: int) -> Outlines:
    """Squares that leave no line from left to right, in rows of ten."""
    rows, columns = np.divmod(np.arange(count), 10)
    least = np.column_stack([10.0 + 3.0 * rows, 2.2 * columns - 11.0 + 1.1 * (rows % 2)])
    corners = np.array([[0, 0], [2, 0], [2, 2], [0, 2]])
    return Outlines.of(list(least[:, None] + corners))


def nearest() -> Any:
    ball = sphere(20.0, 24, 12)
    return nearest_points(ball, Pose.standing(), sphere(10.0, 24, 12), Pose.standing())


def free_line() -> Any:
    return find_free_line(PlaneDisc((0.0, 0.0), 4.0), PlaneDisc((60.0, 0.0), 4.0), crates(100), 1e-8)


QUESTIONS: dict[str, Callable[[], Any]] = {
    "how near": nearest,
    "a free line": free_line,
    "a wide line": lambda: widest_line(NEAR, FAR, SLIT, least=np.inf, effort=0.01),
    "any line": lambda: widest_line(point(0, -40, 0), FAR, [block((-90, 0, -90), (90, 5, 90))]),
    "how much is visible": lambda: share_visible(EYES, FAR, SLIT),
    "the largest patch": lambda: widest_patch(EYES, FAR, SLIT),
}

LOOPS = {
    "distances": {"_DistanceSearch.nearest", "_DistanceSearch._nearest_of"},
    "free_lines": {"_Problem._blocked", "_bitangents", "LineCells._parts"},
    "lines": {"_BeamSearch.run"},
    "obstacles": {
        *("Obstacles.nearest", "Obstacles._nearest", "Obstacles.faces_near"),
        *("meets", "_meets_slowly"),
    },
    "visible": {"observed", "_faced_and_seen"},
    "beams": {"_on_faces"},
}
"""The functions that look at the clock, by their modules."""


@pytest.mark.parametrize("question", QUESTIONS)
def test_what_may_take_no_time_is_stopped(question: str) -> None:
    with pytest.raises(OutOfTime), time_limit(-1.0):
        QUESTIONS[question]()


@pytest.mark.long
def test_all_of_these_loops_look_at_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, set[str]] = {}
    for module in LOOPS:

        def note(module: str = module) -> None:
            asked.setdefault(module, set()).add(sys._getframe(1).f_code.co_qualname)

        monkeypatch.setattr(import_module(f"silhouette.relations.{module}"), "go_on", note)
    for ask in QUESTIONS.values():
        ask()
    monkeypatch.setattr(obstacles, "met_by_embree", lambda *_: None)
    QUESTIONS["how much is visible"]()
    assert asked == LOOPS


def test_a_limit_is_that_of_its_thread() -> None:
    def limited() -> bool:
        with time_limit(-1.0):
            inner.submit(go_on).result()
            try:
                go_on()
            except OutOfTime:
                return True
        return False

    with ThreadPoolExecutor(1) as outer, ThreadPoolExecutor(1) as inner:
        assert outer.submit(limited).result()
        assert outer.submit(go_on).result() is None


def test_a_limit_ends_with_what_it_is_for_and_is_never_longer_than_one_round_it() -> None:
    with time_limit(60.0):
        with pytest.raises(OutOfTime), time_limit(-1.0), time_limit(60.0):
            go_on()
        go_on()


def test_only_work_takes_time() -> None:
    """Neither a thread that sleeps or waits, nor what another does meanwhile, uses a limit up; work does."""

    def work() -> None:
        end = time.thread_time() + 0.3
        while time.thread_time() < end:
            pass

    with time_limit(0.1):
        time.sleep(0.3)
        go_on()
        with ThreadPoolExecutor(1) as other:
            other.submit(work).result()
        go_on()
        work()
        with pytest.raises(OutOfTime):
            go_on()
    go_on()


def test_a_clock_of_the_wall_that_is_set_ends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    with time_limit(60.0):
        for clock in ("time", "monotonic", "perf_counter"):
            monkeypatch.setattr(time, clock, lambda: 1e12)
        go_on()


@pytest.mark.thinned(quick=50, ci=50)
@pytest.mark.parametrize("finer", [1, 2])
def test_two_balls_one_inside_the_other_are_stopped_in_time(finer: int) -> None:
    outer, inner = (sphere(radius, 300 * finer, 150 * finer) for radius in (30.0, 10.0))
    begun = time.process_time()
    with pytest.raises(OutOfTime), time_limit(1.0):
        nearest_points(outer, Pose.standing(), inner, Pose.standing())
    assert time.process_time() - begun < 3.0


def test_pairs_are_the_same_however_many_are_cut_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = nearest()
    monkeypatch.setattr(distances, "BOXES_AT_ONCE", 3)
    assert (nearest() == whole).all()


def balls(count: int) -> Mesh:
    """Balls that overlap in plan, in rows of eight."""
    places = [(float(8 * (number % 8)), float(8 * (number // 8)), 0.0) for number in range(count)]
    return joined(*(moved(sphere(6.0, 16, 12), place) for place in places))


def test_the_area_of_thousands_of_triangles_is_stopped_in_time() -> None:
    with pytest.raises(OutOfTime), time_limit(0.0):
        shadow(balls(24))


def test_an_area_that_is_united_in_portions_is_that_of_all_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    areas = [outlines_in_plan._union(balls(12).vertices[balls(12).faces][:, :, :2])]
    monkeypatch.setattr(outlines_in_plan, "PORTION_TRIANGLES", 150)
    areas.append(outlines_in_plan._union(balls(12).vertices[balls(12).faces][:, :, :2]))
    assert areas[0].area > 500.0
    assert areas[0].symmetric_difference(areas[1]).area < 1e-9
