"""DRAW: a look on a table, prepared for its figures: the picture from the eye, and what of it each direction shows.

verdict with its Observation -> EyeImage -> directions in plan and in elevation, each clear or obscured
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, get_args

import numpy as np

from silhouette.drawing.table.eye_image import EyeImage, image_of
from silhouette.geometry import Floats, cosine_and_sine
from silhouette.measure.observe import OBSCURED, OUTSIDE, Observation, Sight
from silhouette.models.entries import ArcName
from silhouette.renderers.protocol import Renderer
from silhouette.rules.base import Verdict
from silhouette.scenes.table import TableScene
from silhouette.views import VisionArc

PICTURE = (1180, 740)
"""Pixels: width and height of the eye view."""

DIRECTIONS = 160
"""Into so many directions the target is cut, from one side of it to the other, and from its foot to its top."""

CLEAR, PARTLY, WHOLLY, BEYOND = 0, 1, 2, 3
"""What of the target is obscured in a direction; or that it lies beyond the vision arc there."""

SLIVER = 7
"""Fewer directions than this are not told from their neighbours."""

MOST_SECTORS = 5
"""Into so many sectors a target is divided at most: behind a grating no figure could show all of them."""

NEARLY = 0.02
"""A share of a direction that is nothing in a figure: single pixels at an edge."""


@dataclass(frozen=True)
class Sector:
    """Neighbouring directions in which the same is obscured.

    Attributes:
        level: CLEAR, PARTLY, WHOLLY or BEYOND.
        angles: (n + 1,) radians from the line of sight: the edges of the directions.
        reach: (n,) how far along the line of sight the nearest of what obscures is; where nothing does, the target.
        end: (n,) how far the target is.
    """

    level: int
    angles: Floats
    reach: Floats
    end: Floats


@dataclass(frozen=True, eq=False)
class Sightline:
    """All that the figures of one check on a table are drawn from.

    Attributes:
        scene, verdict: what was judged, and the ruling.
        observation: its evidence, with the masks that were counted.
        renderer: draws what stands round the target.
    """

    scene: TableScene
    verdict: Verdict
    observation: Observation
    renderer: Renderer

    @property
    def sight(self) -> Sight:
        """Who looks at whom, past what."""
        return self.observation.sight

    @property
    def drawn_arcs(self) -> tuple[VisionArc, ...]:
        """The vision arcs to draw; none where the attacker looks all round, with or without four arcs."""
        arcs = self.sight.arcs
        return () if arcs is None or len(arcs) == len(get_args(ArcName)) else arcs

    @cached_property
    def row(self) -> Mapping[str, Any]:
        """The result, as it was printed."""
        return self.verdict.row()

    @cached_property
    def shares(self) -> dict[str, float]:
        """What is nearest in the way of some of the target, and of how much, the largest share first."""
        return {one["name"]: one["occluded"] for one in self.row["blockers"] if one["occluded"] > 0.0}

    @cached_property
    def blocking(self) -> set[str]:
        """The names of all that is in the way."""
        return {one["name"] for one in self.row["blockers"] if one["alone"] > 0.0}

    @cached_property
    def image(self) -> EyeImage:
        """The picture from the eye."""
        return image_of(self.scene, self.observation, self.renderer, *PICTURE)

    @property
    def eye(self) -> Floats:
        """(3,) in the world."""
        return self.sight.eye

    @property
    def outside(self) -> bool:
        """Whether all of the target lies beyond the vision arcs."""
        return not self.row.get("in_arc", True)

    @cached_property
    def middle(self) -> Floats:
        """(3,) of the target's significant parts, in the world."""
        middle: Floats = self.sight.target.body_box.mean(axis=0)
        return middle

    @cached_property
    def along(self) -> Floats:
        """(3,) a level unit vector from the eye towards the target; ahead, where that is straight above or below."""
        step = (self.middle - self.eye)[:2]
        length = float(np.hypot(*step))
        cosine, sine = step / length if length > 1e-6 else cosine_and_sine(self.sight.facing)
        return np.array([cosine, sine, 0.0])

    @cached_property
    def across(self) -> Floats:
        """(3,) a level unit vector to the left of the line of sight."""
        return np.array([-self.along[1], self.along[0], 0.0])

    def in_plan(self, points: Any) -> Floats:
        """World points (n, 2 or 3) from above, (n, 2): along the line of sight from the eye, and to its left."""
        level = np.asarray(points, dtype=np.float64).reshape(len(points), -1)[:, :2] - self.eye[:2]
        turned: Floats = level @ np.array([self.along[:2], self.across[:2]]).T
        return turned

    def in_elevation(self, points: Any) -> Floats:
        """World points (n, 3) from the side, (n, 2): along the line of sight from the eye, and their height."""
        points = np.asarray(points, dtype=np.float64)
        return np.column_stack([(points - self.eye) @ self.along, points[:, 2]])

    @cached_property
    def plan_sectors(self) -> list[Sector]:
        """The target's directions in plan, from right to left."""
        return self._sectors(self.across)

    @cached_property
    def side_sectors(self) -> list[Sector]:
        """The target's directions in elevation, from the lowest up."""
        return self._sectors(np.array([0.0, 0.0, 1.0]))

    def _sectors(self, upward: Floats) -> list[Sector]:
        """The target cut into directions by their angle from the line of sight towards ``upward``."""
        image = self.image
        rows, columns = np.nonzero(image.kinds)
        if image.surrounds or not len(rows):
            return []
        rays = image.view.directions(rows, columns)
        along, rising = rays @ self.along, rays @ upward
        angles = np.arctan2(rising, along)
        edges = np.linspace(angles.min(), angles.max() + 1e-9, DIRECTIONS + 1)
        number = np.clip(np.searchsorted(edges, angles, "right") - 1, 0, DIRECTIONS - 1)
        kinds = image.kinds[rows, columns]
        levels = _levels(number, kinds)
        end = _least(number, along * image.target.depth[rows, columns])
        hidden = kinds == OBSCURED
        reach = _least(number[hidden], (along * image.front.depth[rows, columns])[hidden])
        reach = np.where((levels == CLEAR) | ~np.isfinite(reach), end, np.minimum(reach, end))
        there = np.isfinite(end)
        end = np.interp(np.arange(DIRECTIONS), np.flatnonzero(there), end[there])
        reach = np.minimum(np.where(np.isfinite(reach), reach, end), end)
        return [
            Sector(int(levels[start]), edges[start : stop + 1], _evened(reach[start:stop]), _evened(end[start:stop]))
            for start, stop in _runs(levels)
        ]


def _levels(number: Any, kinds: Any) -> Any:
    """For each direction what of the target is obscured in it; short runs between equal ones are taken for these."""
    total = np.bincount(number, minlength=DIRECTIONS)
    hidden = np.bincount(number, kinds == OBSCURED, DIRECTIONS) / np.maximum(total, 1)
    beyond = np.bincount(number, kinds == OUTSIDE, DIRECTIONS) / np.maximum(total, 1)
    levels = np.where(hidden > NEARLY, PARTLY, CLEAR)
    levels = np.where(hidden > 1.0 - NEARLY, WHOLLY, levels)
    levels = np.where(beyond > 1.0 - NEARLY, BEYOND, levels)
    return _without_slivers(levels)


def _without_slivers(levels: Any) -> Any:
    """The same in few runs: the shortest are taken for what lies beside them, or make one that is obscured in part."""
    runs = _runs(levels)
    while len(runs) > 1:
        number = min(range(len(runs)), key=lambda one: runs[one][1] - runs[one][0])
        start, stop = runs[number]
        if stop - start >= SLIVER and len(runs) <= MOST_SECTORS:
            break
        beside = [runs[one] for one in (number - 1, number + 1) if 0 <= one < len(runs)]
        first, last = max(beside, key=lambda run: run[1] - run[0])
        if stop - start < SLIVER or BEYOND in (levels[start], levels[first]):
            levels[start:stop] = levels[first]
        else:
            levels[min(start, first) : max(stop, last)] = PARTLY
        runs = _runs(levels)
    return levels


def _runs(levels: Any) -> list[tuple[int, int]]:
    cuts = [0, *(np.flatnonzero(np.diff(levels)) + 1).tolist(), len(levels)]
    return list(pairwise(cuts))


def _least(number: Any, values: Floats) -> Floats:
    """The least value of each direction; infinite where there is none."""
    found = np.full(DIRECTIONS, np.inf)
    np.minimum.at(found, number, values)
    return found


def _evened(values: Floats) -> Floats:
    """The same without single values that stick out."""
    wide = np.pad(values, 3, mode="edge")
    evened: Floats = np.median(np.lib.stride_tricks.sliding_window_view(wide, 7), axis=1)
    return evened
