"""JUDGE, maps: where on its table a model could stand, and what the verdict on it would be at each place.

a scene and a `MapRequest` -> a grid of points -> those at which its base stands -> a verdict with each other model
-> `Map`

A place is judged as `silhouette check` judges the scene with the model there, or it is marginal. Most places are far
from where the verdict changes: there a few rays are enough (`silhouette.doubt.cells`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from silhouette.doubt.cells import Cells, Role, judged_cells
from silhouette.doubt.grid import check_grid, grid_points
from silhouette.errors import RequestError
from silhouette.groups import shared
from silhouette.lazy import cached_property
from silhouette.rules import RULES, rule_called
from silhouette.rules.abilities import HasMaps, meshes_of
from silhouette.rules.base import Rule, Settings, Verdict
from silhouette.scenes.places import Places
from silhouette.scenes.scene import Check, Scene
from silhouette.scenes.table import TableScene
from silhouette.text import Progress, in_a_row
from silhouette.units import INCH
from silhouette.version import document

TOGETHER = 2400
"""The most checks that are judged at once, as far as a place with all of its checks is one."""

PIECES_EACH = 6
"""The least number of groups of places for each process: none waits long for the last one."""

DIGITS = 6
"""Decimals of mm to which places are rounded before they are judged, so that they can be typed."""


@dataclass(frozen=True)
class MapRequest:
    """What a map is asked for.

    Attributes:
        move: the name of the model that is moved.
        attackers: who look at it; where neither attackers nor targets are given, everyone who is not of its own gang.
        targets: whom it looks at, facing each.
        grid: mm between two points.
        within: mm: keeps to points so near, in plan, to where it stands; None for all of the table.
        under: mm: nothing higher than this counts to stand on; None for no limit.
    """

    move: str
    attackers: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    grid: float = INCH
    within: float | None = None
    under: float | None = None

    def __post_init__(self) -> None:
        if self.attackers and self.targets:
            raise RequestError(
                "--from and --to: a map is of one who is looked at, or of one who looks; give one of them"
            )
        check_grid(self.grid, self.within)
        if self.under is not None and not np.isfinite(self.under):
            raise RequestError(f"--under {self.under:g}: give a height in mm")

    @property
    def role(self) -> Role:
        """Whether the model that is moved looks or is looked at."""
        return "attacker" if self.targets else "target"


@dataclass(frozen=True, eq=False)
class Map:
    """The verdicts on a model at the points of a grid.

    Attributes:
        scene: whose table it is.
        request: what was asked.
        checks: the k checks that were judged at each place, in order.
        verdicts: the game's verdicts, from exposed to covered.
        table: (2, 2) mm, the least and the greatest x and y of the table's top.
        start: (2,) mm, where the model stands in the scene.
        index: (q, 2) the number of each point along x and along y, from the least corner of the table.
        cells: what was found at each of the q points.
    """

    scene: Scene
    request: MapRequest
    checks: tuple[Check, ...]
    verdicts: tuple[str, ...]
    table: Any
    start: Any
    index: Any
    cells: Cells

    @cached_property
    def verdict(self) -> Any:
        """(q,) the number of the most exposed verdict at each point; -1 where the model does not stand."""
        return np.where(self.cells.stands, self.cells.verdict.min(axis=1), -1)

    @cached_property
    def could_be(self) -> Any:
        """(q, v) which verdicts could be the most exposed one at each point."""
        possible = self.cells.possible
        last = len(self.verdicts) - 1 - possible[:, :, ::-1].argmax(axis=2)
        numbers = np.arange(len(self.verdicts))
        found = possible.any(axis=1) & (numbers <= last.min(axis=1)[:, None])
        return found & self.cells.stands[:, None]

    @cached_property
    def marginal(self) -> Any:
        """(q,) whether another verdict is too near to rule out."""
        doubtful = (self.could_be.sum(axis=1) > 1) | self.cells.marginal.all(axis=1)
        return doubtful & self.cells.stands

    @cached_property
    def seen_by(self) -> Any:
        """(q,) how many see it there, or how many it sees from there; 0 where it does not stand."""
        seen = (self.cells.verdict >= 0) & (self.cells.verdict < len(self.verdicts) - 1)
        return seen.sum(axis=1)

    @cached_property
    def nearest(self) -> dict[str, tuple[int, float]]:
        """For a target: the number of the nearest point at least so well covered from all, and its distance, mm.

        By verdict, without the most exposed one; a verdict that no point has is left out.
        """
        if self.request.role != "target":
            return {}
        away = np.hypot(*(self.cells.at[:, :2] - self.start).T)
        found = {}
        for number, verdict in enumerate(self.verdicts[1:], 1):
            (enough,) = np.nonzero(self.verdict >= number)
            if len(enough):
                best = int(enough[np.argmin(away[enough])])
                found[verdict] = best, float(away[best])
        return found

    @property
    def others(self) -> tuple[str, ...]:
        """The names of those who look at it, or are looked at by it, in the order of the checks."""
        return tuple(check.target if self.request.role == "attacker" else check.attacker for check in self.checks)

    def document(self) -> dict[str, Any]:
        """The map as the contract names its keys, ready for JSON."""
        request = self.request
        head = {
            "scene": str(self.scene.path),
            "rules": self.scene.rules_as_written,
            "move": request.move,
            "as": request.role,
            "grid": request.grid,
            "within": request.within,
            "under": request.under,
            "verdicts": list(self.verdicts),
            "cells": [self.cell(number) for number in range(len(self.cells.at))],
        }
        if request.role == "target":
            head["nearest"] = {
                verdict: {"at": self._at(number), "mm": round(mm, 3)} for verdict, (number, mm) in self.nearest.items()
            }
        return document(head)

    def cell(self, number: int) -> dict[str, Any]:
        """A point of the grid, as the contract names its keys."""
        stands = bool(self.cells.stands[number])
        words = self.verdicts
        return {
            "at": self._at(number),
            "stands": stands,
            "seen_by": int(self.seen_by[number]),
            "verdict": words[self.verdict[number]] if stands else None,
            "marginal": bool(self.marginal[number]),
            "could_be": [words[one] for one in np.flatnonzero(self.could_be[number])],
            "by": [self._ruling(number, one) for one in range(len(self.checks))] if stands else [],
        }

    def _ruling(self, number: int, one: int) -> dict[str, Any]:
        share = float(self.cells.occluded[number, one])
        return {
            "attacker": self.checks[one].attacker,
            "target": self.checks[one].target,
            "verdict": self.verdicts[self.cells.verdict[number, one]],
            "occluded": None if np.isnan(share) else round(share, DIGITS),
            "marginal": bool(self.cells.marginal[number, one]),
        }

    def _at(self, number: int) -> list[float | None]:
        return [round(place, DIGITS) + 0.0 if np.isfinite(place) else None for place in self.cells.at[number].tolist()]


def map_of(
    scene: Scene,
    request: MapRequest,
    settings: Settings,
    workers: int = 1,
    step: Progress = lambda done, total: None,
) -> Map:
    """The map that is asked for.

    Args:
        scene: from `silhouette.judging.load_scene`.
        request: what is asked.
        settings: of the exact measurement.
        workers: processes that judge at the same time, where there is much to judge.
        step: called with the number of points that are done, and of all.

    Raises:
        RequestError: where a model is not there, the game has no maps, or the grid is too fine or too coarse.
    """
    rule: Rule[Any, Verdict] = rule_called(scene.rules)
    if not isinstance(rule, HasMaps):
        raise RequestError(f"{scene.path}: there are no maps of {rule.title}, but of {_with_maps()}")
    places = rule.places(scene, request.move)
    checks = checks_of_map(rule, scene, request)
    index, points = grid_points(scene.path, places.table, places.start, request.grid, request.within)
    points = points.round(DIGITS)
    size = max(1, min(TOGETHER // len(checks), -(-len(points) // (PIECES_EACH * workers))))
    groups = [points[first : first + size] for first in range(0, len(points), size)]
    verdicts_alone = replace(settings, remarks=False)
    judge = partial(judged_cells, rule, scene, places, request.role, checks, request.under, verdicts_alone)
    found = list[Cells]()
    done = 0
    for part in _mapped(rule, scene, places, judge, groups, settings, workers):
        found.append(part)
        done += len(part.at)
        step(done, len(points))
    verdicts = tuple(rule.levels)
    cells = Cells.joined(found)
    if request.under is not None and not np.isfinite(cells.at[:, 2]).any():
        raise RequestError(f"{scene.path}: --under {request.under:g}: nothing to stand on lies so low; give more mm")
    return Map(scene, request, checks, verdicts, places.table, places.start, index, cells)


def _mapped(
    rule: Any, scene: Scene, places: Places, judge: Any, groups: Sequence[Any], settings: Settings, workers: int
) -> Any:
    """What is found in each group of points, by several processes where that is possible."""
    forks = workers > 1 and len(groups) > 1 and (not meshes_of(rule, scene) or shared(scene, settings.renderer))
    if not forks:
        return map(judge, groups)
    places.prepare()
    from silhouette.workers import parallel_map

    return parallel_map(judge, groups, workers)


def checks_of_map(rule: Rule[Any, Verdict], scene: Scene, request: MapRequest) -> tuple[Check, ...]:
    """The checks at each place: each other model against the one that is moved, or the other way round."""
    move = request.move
    if request.targets:
        asked = [rule.between(scene, move, name, None) for name in dict.fromkeys(request.targets)]
    elif request.attackers:
        asked = [rule.between(scene, name, move, None) for name in dict.fromkeys(request.attackers)]
    else:
        gangs = _gangs(scene)
        everyone = [check for check in rule.everyone(scene) if check.target == move]
        own = gangs.get(move)
        asked = [(check,) for check in everyone if own is None or gangs.get(check.attacker) != own]
        if not asked:
            raise RequestError(f"{scene.path}: nobody is of another gang than '{move}'; say --from NAME")
    return tuple(check for checks in asked for check in checks)


def _gangs(scene: Scene) -> Mapping[str, str | None]:
    """The gang of each piece, where there are gangs."""
    return {piece.name: piece.gang for piece in scene.pieces} if isinstance(scene, TableScene) else {}


def _with_maps() -> str:
    """The games that have maps, in words."""
    return in_a_row([rule.title for rule in map(rule_called, RULES) if isinstance(rule, HasMaps)])
