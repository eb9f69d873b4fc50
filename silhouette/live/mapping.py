"""TELL: a map of the table that comes in steps: a few places first, then those between them.

model, grid -> points, the coarse ones first -> questions, less urgent than verdicts -> map events -> the nearest cover
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from silhouette.doubt.maps import Cells, Map, MapRequest, checks_of_map, grid_points
from silhouette.errors import RequestError
from silhouette.geometry import Flags, Floats
from silhouette.live.judges import Judges
from silhouette.live.live_table import Pose
from silhouette.live.questions import MapQuestion
from silhouette.rules import rule_called
from silhouette.rules.abilities import maps_of
from silhouette.scenes.ground import Indices
from silhouette.scenes.table import TableScene
from silhouette.workers import PATIENT

COARSEST = 8
"""The first step takes one point in so many, along x and along y; each further one half as many."""

VERDICTS_AT_ONCE = 48
"""Verdicts that one process is asked for at a time; an urgent question costs as many."""

MAX_LIVE_MAP_PLACES = 50_000
"""Places of a map: a quarter of an inch on a table of 44 by 60 inches."""

URGENCY = PATIENT + 5
"""Of the first step; all of a map waits for verdicts."""


@dataclass(frozen=True, eq=False)
class Step:
    """The points of one step.

    Attributes:
        grid: mm between them and those of the steps before.
        chosen: (q,) which of the points of the map these are.
    """

    grid: float
    chosen: Flags


def steps(index: Indices, grid: float) -> Iterator[Step]:
    """The steps of a map, each point in one of them.

    Args:
        index: (q, 2) the numbers of the points along x and y.
        grid: mm between two of them.

    >>> numbers = np.indices((3, 1)).reshape(2, -1).T
    >>> [(step.grid, step.chosen.tolist()) for step in steps(numbers, 10.0) if step.chosen.any()]
    [(80.0, [True, False, False]), (20.0, [False, False, True]), (10.0, [False, True, False])]
    """
    left = np.ones(len(index), np.bool_)
    every = COARSEST
    while every:
        chosen = left & (index % every == 0).all(axis=1)
        yield Step(every * grid, chosen)
        left &= ~chosen
        every //= 2


async def mapped(
    scene: TableScene, pose: Pose, request: MapRequest, judges: Judges, tell: Callable[[dict[str, Any]], None]
) -> dict[str, Any]:
    """The map that is asked for, told step by step, and at the end its nearest places.

    Args:
        scene: that is mapped.
        pose: of the table, which describes the scene.
        request: what the map is of.
        judges: judge its points.
        tell: is called with the ``grid`` of a step and some of its ``cells``: for each [x, y, z, number of the verdict,
            None where it does not stand, whether it is marginal, how many see it there].

    Raises:
        RequestError: where the map is not possible, or has more than `MAX_LIVE_MAP_PLACES` places.
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

    def as_map(numbers: Indices, cells: Cells) -> Map:
        return Map(scene, request, checks, words, places.table, places.start, index[numbers], cells)

    size = max(1, VERDICTS_AT_ONCE // len(checks))
    found: dict[int, tuple[Indices, Cells]] = {}
    asked: dict[asyncio.Future[Cells], tuple[float, Indices]] = {}
    for urgency, step in enumerate(steps(index, request.grid), URGENCY):
        numbers = np.flatnonzero(step.chosen)
        for start in range(0, len(numbers), size):
            some = numbers[start : start + size]
            question = MapQuestion(request, _pairs(points[some]))
            asked[judges.ask(pose, question, urgency)] = step.grid, some
    left = set(asked)
    try:
        while left:
            done, left = await asyncio.wait(left, return_when=asyncio.FIRST_COMPLETED)
            for one in done:
                grid, some = asked[one]
                found[int(some[0])] = some, one.result()
                tell({"grid": grid, "cells": _cells(as_map(some, one.result()))})
    finally:
        for one in left:
            one.cancel()
    numbers = np.concatenate([some for some, _ in found.values()])
    whole = as_map(numbers, Cells.joined([cells for _, cells in found.values()]))
    nearest = {
        word: {"at": whole.cells.at[number].round(2).tolist(), "mm": round(away, 2)}
        for word, (number, away) in whole.nearest.items()
    }
    return {"verdicts": list(words), "nearest": nearest}


def _pairs(points: Floats) -> tuple[tuple[float, float], ...]:
    return tuple((float(x), float(y)) for x, y in points)


def _cells(part: Map) -> list[list[Any]]:
    """The cells of a part of a map, as they are told."""
    told = []
    columns = (part.cells.at, part.verdict, part.marginal, part.seen_by)
    for (x, y, z), verdict, marginal, seen_by in zip(*columns, strict=True):
        height = round(float(z), 2) if np.isfinite(z) else None
        word = int(verdict) if verdict >= 0 else None
        told.append([round(float(x), 2), round(float(y), 2), height, word, bool(marginal), int(seen_by)])
    return told
