"""TELL: the verdicts that a client watches: those of the selected model, the chosen pair first, after every change."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from silhouette.common.errors import RequestError
from silhouette.common.geometry import Flags
from silhouette.common.text import problem, strict
from silhouette.judging.maps import Map, MapCells, MapRequest, checks_of_map, grid_points
from silhouette.live.judges import Answer, CheckQuestion, Judges, MapQuestion
from silhouette.live.live_table import LiveTable, TablePose
from silhouette.rules import rule_called
from silhouette.rules.abilities import maps_of
from silhouette.scenes.ground import Indices
from silhouette.scenes.scene import Check
from silhouette.scenes.table import TableScene
from silhouette.workers import PATIENT

FIRST_STEP_STRIDE = 8  # the first step takes one point in so many, along x and along y; each further one half as many
VERDICTS_AT_ONCE = 48  # verdicts that one process is asked for at a time; an urgent question costs as many
MAX_LIVE_MAP_PLACES = 50_000  # places of a map: a quarter of an inch on a table of 44 by 60 inches
URGENCY = PATIENT + 5  # of the first step; all of a map waits for verdicts


def steps(index: Indices, grid: float) -> Iterator[tuple[float, Flags]]:
    """The steps of a map, each point in one of them, from the numbers (q, 2) of the points along x and y, ``grid`` mm
    apart: mm between the points of a step and those of steps before, and (q,) which of the points of the map.

    >>> numbers = np.indices((3, 1)).reshape(2, -1).T
    >>> [(apart, chosen.tolist()) for apart, chosen in steps(numbers, 10.0) if chosen.any()]
    [(80.0, [True, False, False]), (20.0, [False, False, True]), (10.0, [False, True, False])]
    """
    left = np.ones(len(index), np.bool_)
    every = FIRST_STEP_STRIDE
    while every:
        chosen = left & (index % every == 0).all(axis=1)
        yield every * grid, chosen
        left &= ~chosen
        every //= 2


async def mapped(
    scene: TableScene, pose: TablePose, request: MapRequest, judges: Judges, tell: Callable[[dict[str, Any]], None]
) -> dict[str, Any]:
    """The map that is asked for, told step by step, and at the end its nearest places.

    ``tell`` is called with the ``grid`` of a step and some of its ``cells``: for each [x, y, z, number of the verdict,
    None where it does not stand, whether it is marginal, how many see it there]. RequestError where the map is not
    possible, or has more than `MAX_LIVE_MAP_PLACES` places.
    """
    rule = rule_called(scene.rules)
    places = maps_of(rule, scene).places(scene, request.move)
    checks = checks_of_map(rule, scene, request)
    index, points = grid_points(scene.path, places.table, places.start, request.grid, request.within)
    if len(points) > MAX_LIVE_MAP_PLACES:
        raise RequestError(
            f"a grid of {request.grid:g} mm has {len(points)} places; a live map has {MAX_LIVE_MAP_PLACES} at most"
        )
    points = points.round(3)
    words = tuple(rule.levels)

    def as_map(numbers: Indices, cells: MapCells) -> Map:
        return Map(scene, request, checks, words, places.table, places.start, index[numbers], cells)

    size = max(1, VERDICTS_AT_ONCE // len(checks))
    parts: dict[int, tuple[Indices, MapCells]] = {}
    points_of: dict[asyncio.Future[MapCells], tuple[float, Indices]] = {}
    for urgency, (apart, chosen) in enumerate(steps(index, request.grid), URGENCY):
        numbers = np.flatnonzero(chosen)
        for start in range(0, len(numbers), size):
            some = numbers[start : start + size]
            question = MapQuestion(request, tuple((float(x), float(y)) for x, y in points[some]))
            points_of[judges.ask(pose, question, urgency)] = apart, some
    left = set(points_of)
    try:
        while left:
            done, left = await asyncio.wait(left, return_when=asyncio.FIRST_COMPLETED)
            for future in done:
                grid, some = points_of[future]
                parts[int(some[0])] = some, future.result()
                tell({"grid": grid, "cells": _cells(as_map(some, future.result()))})
    finally:
        for future in left:
            future.cancel()
    numbers = np.concatenate([some for some, _ in parts.values()])
    whole = as_map(numbers, MapCells.joined([cells for _, cells in parts.values()]))
    nearest = {
        word: {"at": whole.cells.at[number].round(2).tolist(), "mm": round(away, 2)}
        for word, (number, away) in whole.nearest.items()
    }
    return {"verdicts": list(words), "nearest": nearest}


def _cells(part: Map) -> list[list[Any]]:
    cells = []
    columns = (part.cells.at, part.verdict, part.marginal, part.seen_by)
    for (x, y, z), verdict, marginal, seen_by in zip(*columns, strict=True):
        height = round(float(z), 2) if np.isfinite(z) else None
        word = int(verdict) if verdict >= 0 else None
        cells.append([round(float(x), 2), round(float(y), 2), height, word, bool(marginal), int(seen_by)])
    return cells


Pair = tuple[str, str]

CHOSEN, OTHERS = 0, 1  # the urgency of the chosen pair, and of all others

MOVING, REST = 0.15, 0.06
"""Seconds: poses that follow each other within the first are of a moving hand; it rests when none came for the second.

While it moves only the chosen pair is judged: the others would be stopped by the next pose, and slow it down till then.
"""

Group = tuple[int, list[Check]]  # checks that are judged together, and their urgency


class Watching:
    """What one client watches of a table; ``tell`` is called with each event."""

    def __init__(self, table: LiveTable, judges: Judges, tell: Callable[[dict[str, Any]], None]) -> None:
        self._table, self._judges, self._tell = table, judges, tell
        self._selected: str | None = None
        self._chosen: Pair | None = None
        self._answers: dict[Pair, Answer] = {}
        self._pose, self._posed = -1, -MOVING
        self._rest = asyncio.Event()
        self._work: asyncio.Task[None] | None = None
        self._futures: dict[asyncio.Future[list[Answer]], list[Check]] = {}

    def watch(self, selected: str | None, chosen: Pair | None) -> None:
        """Watches the verdicts of a model as attacker and as target, and one pair with the view of it.

        Said again while a hand moves it means that the hand rests.
        """
        is_resting = not self._rest.is_set() and (selected, chosen) == (self._selected, self._chosen)
        self._selected, self._chosen = selected, chosen
        self._rest.set()
        if not is_resting:
            self.begin()
        elif self._pose == self._table.pose:
            answered = [check for check in self._checks() if self._is_answered(check)]
            self._tell_results(self._pose, answered, settled=False)

    def stop(self) -> None:
        """Drops what is under way; at once, so that no process goes on with it."""
        if self._work is not None:
            self._work.cancel()
        self._work = None
        for future in self._futures:
            self._judges.drop(future)
        self._futures = {}

    async def settled(self) -> None:
        """Waits until all that is watched is told."""
        while self._work is not None and not self._work.done():
            await asyncio.wait([self._work])

    def go_on(self) -> None:
        """Judges what is watched, unless that has begun since it was stopped."""
        if self._work is None:
            self.begin()

    def begin(self) -> None:
        """Judges what is watched in the present pose; what was under way for another one is dropped."""
        self.stop()
        if self._pose != self._table.pose:
            before, self._posed = self._posed, time.monotonic()
            if self._posed - before < MOVING:
                self._rest.clear()
            else:
                self._rest.set()
            self._pose, self._answers = self._table.pose, {}
        if self._selected is not None or self._chosen is not None:
            self._work = asyncio.get_running_loop().create_task(self._judge())

    def _checks(self) -> list[Check]:
        """What is watched, the chosen pair first; then the selected model as attacker, then as target."""
        scene = self._table.scene
        rule = rule_called(scene.rules)
        try:
            everyone = rule.everyone(scene)
        except RequestError:  # fewer than two models
            return []
        chosen = [check for check in everyone if (check.attacker, check.target) == self._chosen]
        looking = [check for check in everyone if check.attacker == self._selected]
        seen = [check for check in everyone if check.target == self._selected]
        return list({(check.attacker, check.target): check for check in (*chosen, *looking, *seen)}.values())

    async def _judge(self) -> None:
        pose, checks = self._pose, self._checks()
        new = [check for check in checks if not self._is_answered(check)]
        self._tell_results(pose, [check for check in checks if self._is_answered(check)], settled=not new)
        groups = self._groups(new)
        if not self._rest.is_set():
            first = [group for group in groups if group[0] == CHOSEN]
            groups = [group for group in groups if group[0] != CHOSEN]
            await self._ask(pose, first, is_last=not groups)
            with suppress(TimeoutError):  # not by wait_for, which may go on when it is cancelled (until Python 3.12)
                async with asyncio.timeout(self._posed + REST - time.monotonic()):
                    await self._rest.wait()
            self._rest.set()
        await self._ask(pose, groups, is_last=True)

    async def _ask(self, pose: int, groups: Sequence[Group], *, is_last: bool) -> None:
        """Asks groups of checks, and tells their results as they come; ``is_last`` if nothing is asked after them."""
        now = self._table.now
        futures = {}
        for urgency, checks in groups:
            views = any(_pair(check) == self._chosen for check in checks)
            futures[self._judges.ask(now, CheckQuestion(tuple(checks), views=views), urgency)] = checks
        self._futures, left = futures, set(futures)
        while left:
            done, left = await asyncio.wait(left, return_when=asyncio.FIRST_COMPLETED)
            for number, future in enumerate(done, 1):
                settled = is_last and not left and number == len(done)
                self._take(pose, futures.pop(future), future, settled=settled)
                if self._futures is not futures:  # who was told has changed the table
                    return

    def _take(self, pose: int, checks: list[Check], answers: asyncio.Future[list[Answer]], *, settled: bool) -> None:
        """Keeps and tells the answers to some checks, or why there are none."""
        try:
            self._answers.update(zip(map(_pair, checks), answers.result(), strict=True))
        except Exception as error:
            event = {"event": "results", "pose": pose, "pairs": [list(_pair(check)) for check in checks], "results": []}
            self._tell({**event, "error": problem(error, self._table.path), "settled": settled})
        else:
            self._tell_results(pose, checks, settled=settled)

    def _is_answered(self, check: Check) -> bool:
        """Whether the answer is there, with its view where it is that of the chosen pair."""
        answer = self._answers.get(_pair(check))
        return answer is not None and (_pair(check) != self._chosen or answer.view is not None)

    def _groups(self, checks: list[Check]) -> list[Group]:
        """The checks in groups, each with its urgency; the chosen pair alone."""
        first = [check for check in checks if _pair(check) == self._chosen]
        others = [check for check in checks if _pair(check) != self._chosen]
        size = self._judges.together(len(others))
        groups = [(OTHERS, others[start : start + size]) for start in range(0, len(others), size)]
        return [(CHOSEN, first), *groups] if first else groups

    def _tell_results(self, pose: int, checks: list[Check], *, settled: bool) -> None:
        if not checks and not settled:
            return
        answers = [self._answers[_pair(check)] for check in checks]
        event: dict[str, Any] = {
            "event": "results",
            "pose": pose,
            "pairs": [list(_pair(check)) for check in checks],
            "results": [strict(answer.row) for answer in answers],
            "settled": settled,
        }
        for check, answer in zip(checks, answers, strict=True):
            if _pair(check) == self._chosen:
                event["view"] = answer.view
        self._tell(event)


def _pair(check: Check) -> Pair:
    return check.attacker, check.target
