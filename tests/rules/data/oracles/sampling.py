"""Tables of boxes and of figures made of boxes, of which questions are answered by sampling.

Nothing of the package is used: figures and terrain are read from the worked case itself, lines are tried one by one,
and distances are those of closed forms. An answer is that of samples: a line that is found is there, and one that is
not found may be thinner than what lies between samples. Worked cases keep away from such thresholds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

INCH = 25.4

STEP = 1.0
"""mm between the points of a line that are looked at."""

AROUND = 64
"""Points of the rim of a base."""

MOST = 4000
"""Lines that are tried together."""

RAYS = 200
"""Rays across the picture of a figure, and as many up it."""


@dataclass(frozen=True)
class Box:
    """A box that stands upright.

    Attributes:
        middle: (x, y, z) mm, of its lowest face.
        size: mm along its own axes.
        turn: degrees anticlockwise.
    """

    middle: tuple[float, float, float]
    size: tuple[float, float, float]
    turn: float = 0.0

    def local(self, points: Floats) -> Floats:
        """(..., 3) points in the frame in which the box is upright and its middle is the origin."""
        angle = np.radians(-self.turn)
        turned = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        away = points - np.add(self.middle, (0.0, 0.0, self.size[2] / 2))
        return np.concatenate([away[..., :2] @ turned.T, away[..., 2:]], axis=-1)

    def distances(self, points: Floats) -> Floats:
        """(...) mm from points to the box; 0 inside."""
        beyond = np.maximum(np.abs(self.local(points)) - np.array(self.size) / 2, 0.0)
        return np.sqrt((beyond**2).sum(axis=-1))

    def distances_in_plan(self, points: Floats) -> Floats:
        """(...) mm from points (..., 2), seen from above; 0 inside."""
        flat = np.concatenate([points, np.full((*points.shape[:-1], 1), self.middle[2])], axis=-1)
        beyond = np.maximum(np.abs(self.local(flat))[..., :2] - np.array(self.size[:2]) / 2, 0.0)
        return np.sqrt((beyond**2).sum(axis=-1))

    def surface(self, step: float) -> Floats:
        """(n, 3) points of its surface, no farther apart than a step."""
        axes = [np.linspace(-side / 2, side / 2, max(2, int(np.ceil(side / step)) + 1)) for side in self.size]
        grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
        outer = grid[(np.abs(np.abs(grid) - np.array(self.size) / 2) < 1e-9).any(axis=1)]
        angle = np.radians(self.turn)
        turned = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        middle = np.add(self.middle, (0.0, 0.0, self.size[2] / 2))
        return np.concatenate([outer[:, :2] @ turned.T, outer[:, 2:]], axis=1) + middle


@dataclass(frozen=True)
class Terrain:
    """A piece of terrain, made of boxes.

    Attributes:
        name: its name.
        boxes: that it is made of.
        says: its other keys in the case.
    """

    name: str
    boxes: tuple[Box, ...]
    says: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Figure:
    """A figure on a round base: a trunk, and a post on which the eye lies, both boxes.

    Attributes:
        name: its name.
        at: (x, y, z) mm, of the middle of the lower side of its base.
        facing: degrees anticlockwise from x.
        base: mm, the diameter of its base, which is 3 mm high.
        height: mm, of what stands on the base.
        says: its other keys in the case.
    """

    name: str
    at: tuple[float, float, float]
    facing: float
    base: float = 32.0
    height: float = 30.0
    says: Mapping[str, Any] = field(default_factory=dict)

    @property
    def parts(self) -> list[dict[str, Any]]:
        """The same figure as the parts of a scene; it looks along y before it is turned."""
        h, b = self.height, self.base
        return [
            {"cylinder": {"diameter": b, "height": 3.0}, "base": True},
            {"box": [b / 2, b / 4, 2 * h / 3], "at": [0.0, 0.0, 3.0]},
            {"box": [h / 6, h / 6, h], "at": [0.0, 0.0, 3.0]},
        ]

    @property
    def boxes(self) -> tuple[Box, ...]:
        """Trunk and post."""
        turn, (x, y, z) = self.facing - 90.0, self.at
        h, b = self.height, self.base
        return Box((x, y, z + 3), (b / 2, b / 4, 2 * h / 3), turn), Box((x, y, z + 3), (h / 6, h / 6, h), turn)

    @property
    def eye(self) -> Floats:
        """(3,) on the front of the post, at nine tenths of its height."""
        angle = np.radians(self.facing)
        return np.add(self.at, (*(self.height / 12 * np.array([np.cos(angle), np.sin(angle)])), 3 + 0.9 * self.height))

    @property
    def head(self) -> Floats:
        """(n, 3) points of its head: the eye, the middle, and the surface of the upper fifth of the post."""
        x, y, z = self.at
        h = self.height
        top = Box((x, y, z + 3 + 0.8 * h), (h / 6, h / 6, 0.2 * h), self.facing - 90.0)
        middle = np.add(self.at, (0.0, 0.0, 3 + 0.9 * h))
        return np.concatenate([self.eye[None], middle[None], top.surface(h / 12)])

    @property
    def body(self) -> Floats:
        """(n, 3) points of its surface without the base."""
        return np.concatenate([box.surface(1.5) for box in self.boxes])

    @property
    def rim(self) -> Floats:
        """(AROUND, 2) the rim of its base."""
        angle = np.linspace(0.0, 2.0 * np.pi, AROUND, endpoint=False)
        return np.array(self.at[:2]) + self.base / 2 * np.column_stack([np.cos(angle), np.sin(angle)])

    def facing_rim(self, points: Floats) -> Flags:
        """(n, AROUND) which points of the rim face each of some points (n, 2) in plan."""
        out = self.rim - np.array(self.at[:2])
        return ((points[:, None] - self.rim) * out).sum(axis=-1) > 0.0


@dataclass(frozen=True)
class SampledTable:
    """A table of which questions are answered by sampling.

    Attributes:
        figures: by name.
        terrain: by name.
    """

    figures: Mapping[str, Figure]
    terrain: Mapping[str, Terrain]

    def line(self, starts: Floats, ends: Floats, thick: float, past: Iterable[Terrain | Figure]) -> bool:
        """Whether a line as thick as that leads from one of some points (n, 3) to one of others, past some pieces.

        A line is a stick with round ends whose tips are the points.
        """
        boxes = [box for piece in past for box in piece.boxes]
        pairs = np.stack(np.meshgrid(np.arange(len(starts)), np.arange(len(ends)), indexing="ij"), -1).reshape(-1, 2)
        for some in np.array_split(pairs, max(1, len(pairs) // MOST)):
            if _free(starts[some[:, 0]], ends[some[:, 1]], thick, boxes).any():
                return True
        return False

    def crossings(self, a: Figure, b: Figure, pieces: Sequence[Terrain], near: float, far: float) -> Flags:
        """(AROUND, n) from each point of the base of a, whether a line to the facing rim of b crosses each piece.

        Args:
            a, b: whose bases the lines join.
            pieces: (n,) that may be crossed.
            near: mm from the base of b beyond which nothing counts.
            far: mm from both bases within which nothing counts.
        """
        faces = b.facing_rim(a.rim)
        share = np.linspace(0.0, 1.0, 200)[:, None]
        found = np.zeros((AROUND, len(pieces)), np.bool_)
        for index, start in enumerate(a.rim):
            ends = b.rim[faces[index]]
            points = start + share * (ends[:, None] - start)
            to_a, to_b = (np.linalg.norm(points - np.array(one.at[:2]), axis=-1) - one.base / 2 for one in (a, b))
            counts = (to_b <= near) & (np.minimum(to_a, to_b) > far) if far else to_b <= near
            for number, piece in enumerate(pieces):
                inside = np.logical_or.reduce([box.distances_in_plan(points) == 0.0 for box in piece.boxes])
                found[index, number] = (inside & counts).any()
        return found

    def gap(self, a: Figure, b: Figure) -> float:
        """Mm between two bases, seen from above."""
        away = float(np.hypot(*np.subtract(a.at[:2], b.at[:2])))
        return max(away - (a.base + b.base) / 2, 0.0)


def free_lines(starts: Floats, ends: Floats, boxes: Sequence[Box]) -> Flags:
    """(n,) which lines without thickness from points (n, 3) to others meet no box."""
    return _free(starts, ends, 0.0, boxes)


def _free(starts: Floats, ends: Floats, thick: float, boxes: Sequence[Box]) -> Flags:
    """(n,) which lines meet no box."""
    long = np.linalg.norm(ends - starts, axis=1)
    count = int(np.ceil(float(long.max()) / STEP)) + 1
    # The round end of a stick lies within it: its axis ends half a thickness before the tip.
    cut = np.minimum(thick / 2 / np.maximum(long, 1e-9), 0.5)[:, None]
    share = cut + (1.0 - 2 * cut) * np.linspace(0.0, 1.0, count)
    points = starts[:, None] + share[..., None] * (ends - starts)[:, None]
    free = np.ones(len(starts), np.bool_)
    for box in boxes:
        free &= (box.distances(points) > thick / 2).all(axis=1)
    return free


def cylinder(at: tuple[float, float, float], width: float, height: float) -> Floats:
    """(n, 3) points of the surface of an upright cylinder on a place."""
    turn = np.linspace(0.0, 2.0 * np.pi, 24, endpoint=False)
    rim = np.column_stack([np.cos(turn), np.sin(turn)]) * width / 2
    heights = np.linspace(0.0, height, 7)
    side = np.column_stack([np.tile(rim, (len(heights), 1)), np.repeat(heights, len(rim))])
    return side + np.array(at)


def skin(one: Figure, step: float = 2.0) -> tuple[Floats, Floats]:
    """(n, 3) points of a figure's surface, base and all, spread evenly, and (n, 3) the way out at each."""
    points, ways = [], []
    for box in one.boxes:
        for axis in range(3):
            across = [other for other in range(3) if other != axis]
            counts = [max(1, round(box.size[other] / step)) for other in across]
            spots = [(np.arange(count) + 0.5) / count - 0.5 for count in counts]
            u, v = (grid.ravel() for grid in np.meshgrid(*spots, indexing="ij"))
            for side in (-1.0, 1.0):
                local = np.zeros((len(u), 3))
                local[:, axis] = side * box.size[axis] / 2
                local[:, across[0]], local[:, across[1]] = u * box.size[across[0]], v * box.size[across[1]]
                way = np.zeros(3)
                way[axis] = side
                points.append(_placed(box, local) + np.add(box.middle, (0.0, 0.0, box.size[2] / 2)))
                ways.append(np.tile(_placed(box, way[None]), (len(u), 1)))
    turn = np.linspace(0.0, 2.0 * np.pi, round(np.pi * one.base / step), endpoint=False)
    out = np.column_stack([np.cos(turn), np.sin(turn), np.zeros(len(turn))])
    points.append(out * one.base / 2 + np.add(one.at, (0.0, 0.0, 1.5)))
    ways.append(out)
    return np.concatenate(points), np.concatenate(ways)


def _placed(box: Box, local: Floats) -> Floats:
    angle = np.radians(box.turn)
    turned = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return np.concatenate([local[:, :2] @ turned.T, local[:, 2:]], axis=1)


def share_seen(a: Figure, b: Figure, past: Sequence[Terrain]) -> float:
    """The share of those points of b that face some point of a, past b itself, which are also seen past some pieces."""
    eyes = np.concatenate([box.surface(max(box.size) / 2) for box in a.boxes])
    points, ways = skin(b)
    faces, seen = np.zeros(len(points), np.bool_), np.zeros(len(points), np.bool_)
    others = [box for piece in past for box in piece.boxes]
    for eye in eyes:
        towards = ((eye - points) * ways).sum(axis=1) > 0.0
        starts = np.tile(eye, (int(towards.sum()), 1))
        # A little before the point, so that its own face does not hide it.
        ends = points[towards] + 0.3 * ways[towards]
        own = _free(starts, ends, 0.0, b.boxes)
        faces[towards] |= own
        seen[towards] |= own & _free(starts, ends, 0.0, others)
    return float(seen.sum() / faces.sum())


@dataclass(frozen=True)
class Picture:
    """The rays from an eye that meet a figure.

    Attributes:
        ends: the names of the two, who hide nothing.
        eye: (3,) where the rays start.
        ways: (n, 3) their directions.
        far: (n,) how far along them the figure begins.
    """

    ends: tuple[str, str]
    eye: Floats
    ways: Floats
    far: Floats

    @classmethod
    def of(cls, shooter: Figure, mini: Figure) -> Picture:
        """Of a figure, as a shooter sees it if nothing is in the way: evenly spread over a plane before it."""
        eye = shooter.eye
        middle = np.add(mini.at, (0.0, 0.0, 3.0 + mini.height / 2))
        ahead = (middle - eye) / np.linalg.norm(middle - eye)
        right = np.cross(ahead, (0.0, 0.0, 1.0))
        right /= np.linalg.norm(right)
        up = np.cross(right, ahead)
        reach = 0.75 * max(mini.base, mini.height)
        spots = ((np.arange(RAYS) + 0.5) / RAYS - 0.5) * 2 * reach
        across, along = (grid.ravel()[:, None] for grid in np.meshgrid(spots, spots, indexing="ij"))
        ways = middle + across * right + along * up - eye
        far = np.min([entered(box, eye, ways) for box in mini.boxes], axis=0)
        met = np.isfinite(far)
        return cls((shooter.name, mini.name), eye, ways[met], far[met])

    def hidden(self, *past: Sequence[Terrain | Figure]) -> float:
        """The share of the rays that meet one of some pieces before the figure."""
        behind: Flags = np.zeros(len(self.far), np.bool_)
        for piece in (piece for pieces in past for piece in pieces):
            if piece.name not in self.ends:
                for box in piece.boxes:
                    behind |= entered(box, self.eye, self.ways) < self.far
        return float(behind.mean())


def entered(box: Box, eye: Floats, ways: Floats) -> Floats:
    """(n,) how far along each ray, in its own lengths, a box begins; infinite where it is missed."""
    start = box.local(eye)
    ways = box.local(eye + ways) - start
    ways = np.where(np.abs(ways) < 1e-12, 1e-12, ways)
    half = np.array(box.size) / 2
    sides = np.sort([(-half - start) / ways, (half - start) / ways], axis=0)
    first, last = sides[0].max(axis=1), sides[1].min(axis=1)
    return np.where((first <= last) & (last > 0.0), np.maximum(first, 0.0), np.inf)
