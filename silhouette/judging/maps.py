"""JUDGE, maps: where on its table a model could stand, and what the verdict on it would be at each place.

The grid is square and lies over the top of the table, or over the part of it round the place where a model stands. A
place is judged as `silhouette check` judges the scene with the model there, or it is marginal. Most places are far from
where the verdict changes, and there a few rays are enough: pairs out of every arc get the last verdict, for which no
ray is cast; of all others a rough look is taken, and measured exactly are those whose verdict that leaves open.

`MapRecord` is what ``map --json`` prints and a map's .json file holds (contract, section 10).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cache, partial
from pathlib import Path
from typing import Annotated, Any, Literal, NotRequired

import numpy as np
from pydantic import Field
from typing_extensions import TypedDict  # pydantic needs it below Python 3.12

from silhouette.common.errors import RequestError
from silhouette.common.geometry import INCH, Flags, Floats
from silhouette.common.installation import document
from silhouette.common.lazy import cached_property
from silhouette.common.text import Progress, counted, in_a_row
from silhouette.judging.run import shared
from silhouette.measure.estimate import Estimate
from silhouette.measure.observe import observe_many
from silhouette.rules import RULES, rule_called
from silhouette.rules.abilities import HasMaps, maps_of
from silhouette.rules.base import MeasuredVerdict, Rule, Settings, Verdict
from silhouette.scenes.ground import Indices
from silhouette.scenes.places import Places
from silhouette.scenes.scene import Check, Scene
from silhouette.scenes.table import TableScene
from silhouette.workers import parallel_map

# ---- what is printed and written

Mm = Annotated[float, Field(description="mm")]
Place = Annotated[
    tuple[float, float, float | None], Field(description="x, y and z in mm; z is null where nothing is to stand on")
]


class ByRecord(TypedDict):
    """The verdict on one pair of models."""

    attacker: str
    target: str
    verdict: str
    occluded: Annotated[
        float | None,
        Field(description="share obscured, roughly where no threshold is near; null where an arc or a plan decides"),
    ]
    marginal: Annotated[bool, Field(description="whether another verdict is too near to rule out")]


class CellRecord(TypedDict):
    """A place of the map."""

    at: Place
    stands: Annotated[bool, Field(description="whether its base stands there")]
    seen_by: Annotated[int, Field(description="how many see it there; or how many it sees, where it is the attacker")]
    verdict: Annotated[str | None, Field(description="the most exposed of all; null where it does not stand")]
    marginal: Annotated[bool, Field(description="whether another verdict is too near to rule out")]
    could_be: Annotated[list[str], Field(description="the verdicts that it could be, from exposed to covered")]
    by: Annotated[list[ByRecord], Field(description="one for each other model; none where it does not stand")]


class NearestRecord(TypedDict):
    """The nearest place at least so well covered from all."""

    at: Place
    mm: Annotated[float, Field(description="mm in plan from where the model stands")]


class MapRecord(TypedDict):
    """A map."""

    scene: Annotated[str, Field(description="the path of the scene, as it was given")]
    rules: str
    move: Annotated[str, Field(description="the model that is moved")]
    as_: Annotated[Literal["target", "attacker"], Field(alias="as", description="what it is")]
    grid: Annotated[float, Field(description="mm between two places")]
    within: Annotated[float | None, Field(description="mm from where it stands; null for all of the table")]
    under: Annotated[float | None, Field(description="mm: the floor below that height; null for the highest")]
    verdicts: Annotated[list[str], Field(description="of the game, from exposed to covered")]
    cells: list[CellRecord]
    nearest: NotRequired[
        Annotated[
            dict[str, NearestRecord],
            Field(description="by verdict, for a target; a verdict that no place has is left out"),
        ]
    ]


# ---- what stands and is seen at each place

Role = Literal["target", "attacker"]

ROUGH = Estimate(goal=0.003, proves=True, leap=4.0)
"""A rough look: where it leaves the verdict open, the exact measurement answers, which costs as much as some 20 of it.
That nothing is seen, or nothing obscured, is proven: that costs a third of a measurement."""


@dataclass(frozen=True, eq=False)
class MapCells:
    """What is found at q points with k checks each, of a game with v verdicts."""

    at: Floats  # (q, 3) mm, the place of the model; its height is -inf where nothing is to stand on
    stands: Flags  # (q,) whether the model stands there
    # (q, k) int8, the number of the verdict of each check, from exposed to covered; -1 where it does not stand
    verdict: Any
    possible: Flags  # (q, k, v) which verdicts it could be
    marginal: Flags  # (q, k) whether another verdict is too near to rule out
    # (q, k) the share that is obscured, roughly where no threshold is near; nan where an arc alone decides
    occluded: Floats

    @classmethod
    def joined(cls, parts: Sequence[MapCells]) -> MapCells:
        """The points of several groups, in their order."""
        return cls(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(cls)))


def judged_cells(
    rule: Rule[Any, Verdict],
    scene: Scene,
    places: Places,
    role: Role,
    checks: Sequence[Check],
    under: float | None,
    settings: Settings,
    points: Floats,
) -> MapCells:
    """What is found at points (q, 2) mm for the k checks at each, of a model on nothing higher than ``under`` mm that
    looks or is looked at; the settings are those of the exact measurement.
    """
    heights = places.heights(points, under)
    stands = places.stands(points, heights)
    shape = len(points), len(checks)
    words = list(rule.levels)
    cells = MapCells(
        at=np.column_stack([points, heights]),
        stands=stands,
        verdict=np.full(shape, -1, np.int8),
        possible=np.zeros((*shape, len(words)), np.bool_),
        marginal=np.zeros(shape, np.bool_),
        occluded=np.full(shape, np.nan),
    )
    is_judged = np.repeat(stands[:, None], len(checks), axis=1)
    if role == "target" and stands.any():
        boxes = places.boxes(points[stands], heights[stands])
        for number, check in enumerate(checks):
            beyond = np.zeros(len(points), np.bool_)
            beyond[stands] = maps_of(rule, scene).certainly_out_of_arc(scene, check.attacker, boxes)
            cells.verdict[beyond, number] = len(words) - 1
            cells.possible[beyond, number, -1] = True
            is_judged[beyond, number] = False
    pairs = np.argwhere(is_judged.T)[:, ::-1]  # one attacker after the other: what is worked out for its eye is kept
    questions = _questions(scene, places, role, checks, cells.at, pairs)
    if rule.meshes(scene) and settings.observe is observe_many:
        rough = rule.judge(questions, replace(settings, observe=ROUGH, keep=True))
        _fill(cells, pairs, rough, rule, scene, words)
        possible = cells.possible[tuple(pairs.T)].sum(axis=1)
        left = [
            n
            for n, verdict in enumerate(rough)
            if possible[n] > 1 and not (possible[n] == 2 and _is_near(verdict, scene))
        ]
        pairs, questions = pairs[left], [questions[number] for number in left]
    _fill(cells, pairs, rule.judge(questions, settings), rule, scene, words)
    return cells


def _questions(
    scene: Scene, places: Places, role: Role, checks: Sequence[Check], at: Floats, pairs: Indices
) -> list[tuple[Any, Check]]:
    @cache
    def moved(point: int, toward: str | None) -> Any:
        return places.scene_at(at[point, :2], float(at[point, 2]), toward)

    toward = [None if role == "target" else check.target for check in checks]
    return [(moved(point, toward[number]), checks[number]) for point, number in pairs.tolist()]


def _fill(
    cells: MapCells,
    pairs: Indices,
    verdicts: Sequence[Verdict],
    rule: Rule[Any, Verdict],
    scene: Scene,
    words: list[str],
) -> None:
    """Enters verdicts on pairs of a point and a check."""
    for (point, number), verdict in zip(pairs.tolist(), verdicts, strict=True):
        possible = verdict.possible
        cells.verdict[point, number] = words.index(verdict.verdict)
        cells.possible[point, number] = [word in possible for word in words]
        cells.marginal[point, number] = len(possible) > 1 or verdict.marginal
        share, _ = verdict.share
        cells.occluded[point, number] = np.nan if share is None else share


def _is_near(verdict: Any, scene: Scene) -> bool:
    """Whether more than nothing is obscured, or seen, but less than the tolerance: marginal, however well measured."""
    observation = verdict.observation if isinstance(verdict, MeasuredVerdict) else None
    if observation is None or not isinstance(scene, TableScene):
        return False
    counts, most = observation.counts, scene.tolerance
    total, in_arc = max(counts.total, 1), max(counts.in_arc, 1)
    obscured = counts.occluded / total + counts.error, counts.occluded_in_arc / in_arc + counts.error_in_arc
    is_obscured = counts.occluded_in_arc > 0 and max(obscured) <= most
    return bool(is_obscured or 0.0 < counts.seen / total <= most - counts.error_seen)


# ---- the grid

MIN_GRID_MM = 1.0  # mm: no grid is finer
MAX_MAP_POINTS = 1_000_000  # the most points of a map
NEXT_TO = 1e-9  # steps of the grid by which a point may lie beyond the edge of the table, where sizes are rounded


def check_grid(grid: float, within: float | None) -> None:
    """Refuses a grid finer than a millimetre or no number, or a distance below 0. RequestError.

    >>> check_grid(0.5, None)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    silhouette.common.errors.RequestError: --grid 0.5: no grid is finer than 1 mm; give the mm ...
    """
    if not MIN_GRID_MM <= grid < np.inf:
        raise RequestError(
            f"--grid {grid:g}: no grid is finer than {MIN_GRID_MM:g} mm; give the mm between two points, such as 25.4"
        )
    if within is not None and not 0.0 <= within < np.inf:
        raise RequestError(f"--within {within:g}: give mm from where it stands, 0 or more")


def grid_points(path: Path, table: Floats, start: Floats, grid: float, within: float | None) -> tuple[Indices, Floats]:
    """The points at which a map is made: their numbers (q, 2) along x and y, and where they lie (q, 2), mm.

    Point (i, j) lies (i + 1/2, j + 1/2) steps from the least corner of the table (2, 2), mm; rows of x follow each
    other. With ``within`` only points so near to the start (2,) are among them. RequestError where no point is left, or
    more than a million.

    >>> square = np.array([[0.0, 0.0], [20.0, 10.0]])
    >>> numbers, points = grid_points(Path("duel.toml"), square, np.zeros(2), 10.0, None)
    >>> numbers.tolist(), points.tolist()
    ([[0, 0], [1, 0]], [[5.0, 5.0], [15.0, 5.0]])
    >>> grid_points(Path("duel.toml"), square, np.zeros(2), 10.0, 7.0)
    Traceback (most recent call last):
    ...
    silhouette.common.errors.RequestError: duel.toml: --within 7: no point of a grid of 10 mm is so near; give more
    """
    low, high = table
    counts = np.floor((high - low) / grid + 0.5 + NEXT_TO)
    if not counts.all():
        raise RequestError(
            f"{path}: --grid {grid:g}: no point of it lies on the table, which is {high[0] - low[0]:g} by "
            f"{high[1] - low[1]:g} mm; give less"
        )
    first, last = np.zeros(2), counts - 1.0
    if within is not None:
        first = np.maximum(first, np.ceil((start - within - low) / grid - 0.5 - NEXT_TO))
        last = np.minimum(last, np.floor((start + within - low) / grid - 0.5 + NEXT_TO))
    sides = np.maximum(last - first + 1.0, 0.0)
    # A circle fills its square by more than three quarters: a square of more is refused before it is made.
    if sides.prod() > (MAX_MAP_POINTS if within is None else 4 * MAX_MAP_POINTS / np.pi + 8 * np.sqrt(MAX_MAP_POINTS)):
        raise _too_many(path, float(sides.prod()), grid)
    x, y = (np.arange(int(side)) + int(begin) for side, begin in zip(sides, first, strict=True))
    across, up = np.meshgrid(x, y)
    numbers = np.column_stack([across.ravel(), up.ravel()])
    points = low + (numbers + 0.5) * grid
    if within is not None:
        near = np.hypot(*(points - start).T) <= within + NEXT_TO * grid
        numbers, points = numbers[near], points[near]
        if not len(points):
            raise RequestError(f"{path}: --within {within:g}: no point of a grid of {grid:g} mm is so near; give more")
    if len(points) > MAX_MAP_POINTS:
        raise _too_many(path, float(len(points)), grid)
    return numbers, points


def _too_many(path: Path, count: float, grid: float) -> RequestError:
    fits = np.ceil(10.0 * grid * np.sqrt(count / MAX_MAP_POINTS) * 1.001) / 10.0
    number = f"{count:,.0f}".replace(",", " ")
    return RequestError(
        f"{path}: --grid {grid:g}: {number} points are more than the million that a map has at most; "
        f"--grid {fits:g} would fit, or a smaller --within"
    )


# ---- maps

CHECKS_AT_ONCE = 2400  # the most checks that are judged at once, as far as a place with all of its checks is one
PIECES_EACH = 6  # the least number of groups of places for each process: none waits long for the last one
MAP_PLACE_DECIMALS = 6  # decimals of mm to which places are rounded before they are judged, so that they can be typed


@dataclass(frozen=True)
class MapRequest:
    """What a map is asked for."""

    move: str  # the name of the model that is moved
    # Who look at it; where neither attackers nor targets are given, everyone who is not of its own gang
    attackers: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()  # whom it looks at, facing each
    grid: float = INCH  # mm between two points
    within: float | None = None  # mm: keeps to points so near, in plan, to where it stands; None for all of the table
    under: float | None = None  # mm: nothing higher than this counts to stand on; None for no limit

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


@dataclass(frozen=True, eq=False, repr=False)
class Map:
    """The verdicts on a model at the points of a grid.

    Attributes:
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
    cells: MapCells

    def __repr__(self) -> str:
        """In a line, as a notebook shows it."""
        places, checks = counted(len(self.index), "place"), counted(len(self.checks), "check")
        return f"<Map of {self.request.move} in {self.scene.path.as_posix()}: {places}, {checks} at each>"

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
        could_be = possible.any(axis=1) & (numbers <= last.min(axis=1)[:, None])
        return could_be & self.cells.stands[:, None]

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
        """For a target: the number of the nearest point at least so well covered from all, and its distance, mm; by
        verdict, without the most exposed one, and those that no point has.
        """
        if self.request.role != "target":
            return {}
        away = np.hypot(*(self.cells.at[:, :2] - self.start).T)
        nearest = {}
        for number, verdict in enumerate(self.verdicts[1:], 1):
            (enough,) = np.nonzero(self.verdict >= number)
            if len(enough):
                best = int(enough[np.argmin(away[enough])])
                nearest[verdict] = best, float(away[best])
        return nearest

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
            "could_be": [words[level] for level in np.flatnonzero(self.could_be[number])],
            "by": [self._ruling(number, level) for level in range(len(self.checks))] if stands else [],
        }

    def _ruling(self, number: int, check: int) -> dict[str, Any]:
        share = float(self.cells.occluded[number, check])
        return {
            "attacker": self.checks[check].attacker,
            "target": self.checks[check].target,
            "verdict": self.verdicts[self.cells.verdict[number, check]],
            "occluded": None if np.isnan(share) else round(share, MAP_PLACE_DECIMALS),
            "marginal": bool(self.cells.marginal[number, check]),
        }

    def _at(self, number: int) -> list[float | None]:
        return [
            round(place, MAP_PLACE_DECIMALS) + 0.0 if np.isfinite(place) else None
            for place in self.cells.at[number].tolist()
        ]


def map_of(
    scene: Scene, request: MapRequest, settings: Settings, workers: int = 1, step: Progress = lambda done, total: None
) -> Map:
    """The map asked for. RequestError where a model is not there, the game has no maps, or the grid does not fit."""
    rule: Rule[Any, Verdict] = rule_called(scene.rules)
    if not isinstance(rule, HasMaps):
        with_maps = in_a_row([rule.title for rule in map(rule_called, RULES) if isinstance(rule, HasMaps)])
        raise RequestError(f"{scene.path}: there are no maps of {rule.title}, but of {with_maps}")
    places = rule.places(scene, request.move)
    checks = checks_of_map(rule, scene, request)
    index, points = grid_points(scene.path, places.table, places.start, request.grid, request.within)
    points = points.round(MAP_PLACE_DECIMALS)
    size = max(1, min(CHECKS_AT_ONCE // len(checks), -(-len(points) // (PIECES_EACH * workers))))
    groups = [points[first : first + size] for first in range(0, len(points), size)]
    verdicts_alone = replace(settings, remarks=False)
    judge = partial(judged_cells, rule, scene, places, request.role, checks, request.under, verdicts_alone)
    parts = list[MapCells]()
    done = 0
    forks = workers > 1 and len(groups) > 1 and (not rule.meshes(scene) or shared(scene, settings.renderer))
    if forks:
        places.prepare()
    for part in parallel_map(judge, groups, workers) if forks else map(judge, groups):
        parts.append(part)
        done += len(part.at)
        step(done, len(points))
    verdicts = tuple(rule.levels)
    cells = MapCells.joined(parts)
    if request.under is not None and not np.isfinite(cells.at[:, 2]).any():
        raise RequestError(f"{scene.path}: --under {request.under:g}: nothing to stand on lies so low; give more mm")
    return Map(scene, request, checks, verdicts, places.table, places.start, index, cells)


def checks_of_map(rule: Rule[Any, Verdict], scene: Scene, request: MapRequest) -> tuple[Check, ...]:
    """The checks at each place: each other model against the one that is moved, or the other way round."""
    move = request.move
    pairs = [(move, name) for name in request.targets] + [(name, move) for name in request.attackers]
    if pairs:
        return tuple(check for pair in dict.fromkeys(pairs) for check in rule.between(scene, *pair, None))
    gangs = {piece.name: piece.gang for piece in scene.pieces} if isinstance(scene, TableScene) else {}
    own = gangs.get(move)
    at_it = [check for check in rule.everyone(scene) if check.target == move]
    checks = tuple(check for check in at_it if own is None or gangs.get(check.attacker) != own)
    if not checks:
        raise RequestError(f"{scene.path}: nobody is of another gang than '{move}'; say --from NAME")
    return checks
