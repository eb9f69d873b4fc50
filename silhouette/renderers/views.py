"""LOOK: an eye and a target go in; flat pictures fitted to the target come out, and the vision arcs of the attacker."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from math import dist, sqrt
from typing import Any, Literal

import numpy as np

from silhouette.common.geometry import Flags, Floats, cosine_and_sine, groups_of_equals, unit

ROLL = float(np.degrees(np.arctan((np.sqrt(5.0) - 1.0) / 2.0)))
"""Degrees by which the sampling grid is turned against the upright, 31.7: the golden ratio's slope.

Walls and figures stand upright, and an edge that lies along the rows of a grid makes a whole row wrong, the same
way. Against this slope, the one worst approximated by fractions, upright and level edges cross the rows at phases
that are spread as evenly as can be, so that their errors cancel.
"""

MAX_SLOPE = float(np.tan(np.radians(75.0)))
"""A target reaching further than 75° from the middle of the picture is looked at through the six faces of a cube."""

MAX_VIEW_PIXELS = 4_000_000  # a picture that would have more pixels is taken with larger ones

MIN_PIXELS_ACROSS = 24
"""A picture that would have fewer pixels across is taken with smaller ones: the error of a handful cannot be stated."""

MIN_PIXEL = 1e-6
"""No pixel is narrower, in mm: where vertices lie, float64 itself says only to 1e-10 on a table of a metre or two."""

VIEW_MARGIN_PX = 4  # pixels left free round the target
MULTIPLE = 16  # width and height are multiples of this, so that a coarse grid of blocks fits into the picture


Projection = Literal["flat", "cube"]
"""How a target is looked at: in one flat picture, or in the six faces of a cube round the eye."""


@dataclass(frozen=True, eq=False)
class View:
    """A flat picture taken from an eye: a grid of sampled directions, one in the middle of each pixel.

    The picture lies in the plane at distance one before the eye, across the third axis. Row 0 is the top.
    """

    eye: Floats  # (3,) float64, mm, in the world
    axes: Floats  # (3, 3) float64; rows are the picture's right, its up, and forward: orthonormal, in the world
    left: float  # where the picture's left rim lies along right, in the plane at distance one
    top: float  # where its top rim lies along up
    step: float  # the width of a pixel in that plane: a pixel covers ``step * depth`` mm at a depth
    # width, height: in pixels
    width: int
    height: int

    def directions(self, rows: Any, columns: Any) -> Floats:
        """World directions (n, 3) through the middles of pixels, of length one *along the forward axis*.

        A point at depth d on such a ray is ``eye + d * direction``.
        """
        across = self.left + (np.asarray(columns, dtype=np.float64) + 0.5) * self.step
        upward = self.top - (np.asarray(rows, dtype=np.float64) + 0.5) * self.step
        right, up, forward = self.axes
        rays: Floats = across[..., None] * right + upward[..., None] * up + forward
        return rays

    def project(self, points: Any) -> tuple[Floats, Floats, Floats]:
        """Column, row and depth of world points (n, 3); fractional, a pixel's middle lying at its index + 0.5.

        Columns and rows mean nothing where the depth is not above zero: such a point is not before the eye.
        """
        seen = (np.asarray(points, dtype=np.float64) - self.eye) @ self.axes.T
        depth = seen[:, 2]
        with np.errstate(divide="ignore", invalid="ignore"):
            columns = (seen[:, 0] / depth - self.left) / self.step
            rows = (self.top - seen[:, 1] / depth) / self.step
        return columns, rows, depth

    def refined(self, factor: int) -> View:
        """The same picture with each pixel cut into ``factor`` by ``factor``."""
        return replace(self, step=self.step / factor, width=self.width * factor, height=self.height * factor)


@dataclass(frozen=True, eq=False)
class VisionArc:
    """A vision arc: a wedge in plan, without limit up or down."""

    name: str  # front, left, right or rear
    apex: Floats  # (2,) float64, mm: the centre of the attacker's base
    # right, left: (2,) unit vectors along its two edges; going anticlockwise from right to left, less than 180°
    right: Floats
    left: Floats

    def contains(self, points: Any, edges: bool = True) -> Flags:
        """Which of the world points (n, 3) lie in the wedge, its ``edges`` included or not.

        >>> front = fighter_arc((0.0, 0.0), facing=90)
        >>> front.contains([[0, 5, 0], [5, 5, 99], [5.1, 5, 0], [0, -5, 0]]).tolist()
        [True, True, False, False]
        """
        left_of_right, right_of_left = self._within(points, edges)
        inside: Flags = left_of_right & right_of_left
        return inside

    def misses(self, points: Any) -> bool:
        """Whether the convex hull of the world points (n, 3) lies wholly beyond one of the wedge's edges.

        >>> front = fighter_arc((0.0, 0.0), facing=90)
        >>> front.misses([[0, -5, 0], [9, 5, 0]]), front.misses([[-9, 5, 0], [9, 5, 0]])
        (True, False)
        """
        return not self.reaches(np.asarray(points)[None])[0]

    def reaches(self, hulls: Any) -> Flags:
        """(n,) which of the convex hulls of k points each (n, k, 3) do not lie wholly beyond one edge of the wedge.

        >>> front = fighter_arc((0.0, 0.0), facing=90)
        >>> front.reaches([[[0, -5, 0], [9, 5, 0]], [[-9, 5, 0], [9, 5, 0]]]).tolist()
        [False, True]
        """
        hulls = np.asarray(hulls, dtype=np.float64)
        left, right = (side.reshape(hulls.shape[:2]) for side in self._within(hulls.reshape(-1, 3)))
        reaching: Flags = np.any(left, axis=1) & np.any(right, axis=1)
        return reaching

    def beyond(self, points: Any) -> tuple[Flags, Flags]:
        """Which of the world points (n, 3) lie beyond the wedge's right edge, and which beyond its left one.

        >>> front = fighter_arc((0.0, 0.0), facing=90)
        >>> [side.tolist() for side in front.beyond([[9, 5, 0], [0, 5, 0], [0, -5, 0]])]
        [[True, False, True], [False, False, True]]
        """
        left_of_right, right_of_left = self._within(points)
        return ~left_of_right, ~right_of_left

    def _within(self, points: Any, edges: bool = True) -> tuple[Flags, Flags]:
        """Which of the points lie to the left of the right edge, and which to the right of the left one.

        Within a billionth of its distance a point lies on an edge; without ``edges`` within the precision of a depth.
        """
        x, y = (np.asarray(points, dtype=np.float64)[:, :2] - self.apex).T
        slack = (1e-9 if edges else -1e-6) * (np.abs(x) + np.abs(y))
        right, left = self.right, self.left
        return right[0] * y - right[1] * x >= -slack, left[1] * x - left[0] * y >= -slack


def fighter_arc(centre: Any, facing: float) -> VisionArc:
    """A fighter's vision arc: 90° to its front, from the centre of its base."""
    right, left = (np.array(cosine_and_sine(facing + turn)) for turn in (-45.0, 45.0))
    return VisionArc("front", np.asarray(centre, dtype=np.float64), right, left)


def vehicle_arc(name: str, centre: Any, facing: float, length: float, width: float) -> VisionArc:
    """One of a vehicle's arcs: bounded by the lines from its centre through its corners.

    ``length`` is measured along ``facing``, ``width`` across it; ``name`` is front, left, rear or right.

    >>> wide = vehicle_arc("front", (0, 0), facing=0, length=120, width=60)
    >>> wide.contains([[100, 49, 0], [100, 51, 0]]).tolist()
    [True, False]
    """
    cosine, sine = cosine_and_sine(facing)
    forward, sideways = np.array([cosine, sine]) * length, np.array([-sine, cosine]) * width
    corner = {
        "front left": forward + sideways,
        "rear left": sideways - forward,
        "rear right": -forward - sideways,
        "front right": forward - sideways,
    }
    right, left = {
        "front": ("front right", "front left"),
        "left": ("front left", "rear left"),
        "rear": ("rear left", "rear right"),
        "right": ("rear right", "front right"),
    }[name]
    return VisionArc(name, np.asarray(centre, dtype=np.float64), unit(corner[right]), unit(corner[left]))


def in_any(arcs: Sequence[VisionArc], points: Any, edges: bool = True) -> Flags:
    """Which of the world points (n, 3) lie in one of the arcs at least, their ``edges`` included or not.

    >>> in_any([], [[1, 2, 3]]).tolist()
    [False]
    """
    inside = np.zeros(len(points), dtype=np.bool_)
    for arc in arcs:
        inside |= arc.contains(points, edges)
    return inside


def fit_view(
    eye: Any,
    aim: Any,
    points: Floats,
    pixel: float,
    roll: float = ROLL,
    facing: float = 90.0,
    tighter: Callable[[Callable[[Floats], Flags]], Floats] | None = None,
) -> list[View]:
    """The picture of a target, or the six faces of a cube where it reaches round the eye.

    One flat picture is taken straight at ``aim``, upright but for ``roll``, fitted to the ``points`` with a margin
    (contract, section 3). Where a point lies more than 75° off the middle, or at the eye, no flat picture will do: the
    six faces of a cube round the eye are given, whose pixels together cover every direction once.

    Args:
        eye: (3,) mm, world.
        aim: (3,) the middle of the box round the target's significant parts. Where it is the eye, the picture is taken
            along ``facing``.
        points: (n, 3) every corner of those parts, or points in whose convex hull they lie.
        pixel: mm per pixel at the distance of ``aim``, for a cube at `target_distance`; larger where the picture would
            pass `MAX_VIEW_PIXELS`, smaller where it would have fewer than `MIN_PIXELS_ACROSS` across.
        roll: degrees by which the grid is turned against the upright.
        facing: what is up in the picture when the target is straight above or below.
        tighter: asked only where some of the ``points`` do not fit into a flat picture: points that hold the parts more
            tightly, which decide then. It is given a function that says which of some points (n, 3) fit. None where
            ``points`` are the corners themselves.

    A triangle before the eye; one that reaches behind it; points that hold the first, and reach behind it:

    >>> triangle = np.array([[9.0, 0.0, 0.0], [9.0, 1.0, 0.0], [9.0, 0.0, 1.0]])
    >>> projection_of(fit_view([0.0, 0.0, 0.0], triangle.mean(axis=0), triangle, 0.1))
    'flat'
    >>> projection_of(fit_view([9.0, 0.5, 0.5], triangle.mean(axis=0), triangle, 0.1))
    'cube'
    >>> loose = np.array([[-1.0, 0.0, 0.0], [19.0, 0.0, 0.0], [9.0, 2.0, 0.0], [9.0, 0.0, 2.0]])
    >>> projection_of(fit_view([0.0, 0.0, 0.0], triangle.mean(axis=0), loose, 0.1, tighter=lambda fits: triangle))
    'flat'
    """
    eye, aim = np.asarray(eye, dtype=np.float64), np.asarray(aim, dtype=np.float64)
    axes = _towards(eye, aim, facing)
    seen = (points - eye) @ axes.T
    if tighter is not None and not _fitting(seen).all():
        seen = (tighter(lambda some: _fitting((some - eye) @ axes.T)) - eye) @ axes.T
    if not _fitting(seen).all():
        return _cube(eye, axes, pixel / max(target_distance(eye, aim, points), MIN_PIXEL))
    distance = dist(aim, eye) or target_distance(eye, aim, points)
    return _flat([eye], [distance], axes[None], seen[None], pixel, roll)


def fit_views(
    eyes: Sequence[Floats],
    aims: Sequence[Floats],
    points: Sequence[Floats],
    pixel: float,
    facings: Sequence[float],
    tighter: Sequence[Callable[[Callable[[Floats], Flags]], Floats]],
) -> list[list[View]]:
    """The pictures that `fit_view` gives for each of several targets, which are looked at by one eye each."""
    fitted = list[list[View]]([] for _ in eyes)
    for numbers in groups_of_equals([len(some) for some in points]):
        of_group = np.array([eyes[number] for number in numbers])
        axes = np.array([_towards(eyes[number], aims[number], facings[number]) for number in numbers])
        seen = (np.array([points[number] for number in numbers]) - of_group[:, None]) @ axes.swapaxes(1, 2)
        distances = np.array([dist(aims[number], eyes[number]) for number in numbers])
        flat = np.flatnonzero(_fitting(seen).all(axis=1) & (distances > 0.0))
        looking = [eyes[numbers[place]] for place in flat]
        for place, view in zip(flat, _flat(looking, distances[flat], axes[flat], seen[flat], pixel, ROLL), strict=True):
            fitted[numbers[place]] = [view]
    for number, views in enumerate(fitted):
        if not views:
            sight = eyes[number], aims[number], points[number], pixel
            fitted[number] = fit_view(*sight, facing=facings[number], tighter=tighter[number])
    return fitted


def _flat(
    eyes: Sequence[Floats], distances: Iterable[float], axes: Floats, seen: Floats, pixel: float, roll: float
) -> list[View]:
    """Flat pictures, each fitted to points (n, k, 3), along right, up and forward of axes (n, 3, 3) of its eye.

    Args:
        eyes: (3,) of each.
        distances: mm, of what each has pixels of so many mm at.
        axes, seen, pixel, roll: see above, and `fit_view`.
    """
    cosine, sine = cosine_and_sine(roll)
    turn = np.array([[cosine, sine, 0.0], [-sine, cosine, 0.0], [0.0, 0.0, 1.0]])
    axes, (across, upward, depth) = turn @ axes, (turn @ seen.swapaxes(1, 2)).swapaxes(0, 1)
    slopes = across / depth, upward / depth
    ends = np.array([end for slope in slopes for end in (slope.min(axis=1), slope.max(axis=1))]).T.tolist()
    views = []
    for eye, distance, own_axes, (least, most, lowest, highest) in zip(eyes, distances, axes, ends, strict=True):
        spans = most - least, highest - lowest
        step = max(min(pixel, distance * max(spans) / MIN_PIXELS_ACROSS), MIN_PIXEL) / distance
        step = max(step, sqrt(spans[0] * spans[1] / MAX_VIEW_PIXELS))
        width, height = (int(-(-(span / step + 2 * VIEW_MARGIN_PX) // MULTIPLE) * MULTIPLE) for span in spans)
        left = (least + most) / 2 - width * step / 2
        top = (lowest + highest) / 2 + height * step / 2
        views.append(View(eye, own_axes, left, top, step, width, height))
    return views


def projection_of(views: Sequence[View]) -> Projection:
    """Which of the two `fit_view` took."""
    return "flat" if len(views) == 1 else "cube"


def target_distance(eye: Any, aim: Any, points: Floats) -> float:
    """The distance, mm, at which the pixels of a target's picture are measured: that of its middle, ``aim`` (3,).

    A target round the eye may have its middle at the eye, where no pixel is as wide as a mm. It lies, on the whole,
    half as far away as the farthest of the ``points`` (n, 3) in whose convex hull it is: that is the least distance.

    >>> cube = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
    >>> [round(target_distance([x, 0.0, 0.0], [0.0, 0.0, 0.0], cube), 2) for x in (0.0, 9.0)]
    [0.87, 9.0]
    >>> target_distance([0.0, 0.0, 0.0], [0.0, 0.0, 0.0], np.zeros((1, 3)))
    0.0
    """
    ways = points - np.asarray(eye, dtype=np.float64)
    return max(dist(aim, eye), sqrt(float(np.einsum("ij,ij->i", ways, ways).max())) / 2)


def _fitting(seen: Floats) -> Flags:
    """(...) which of the points (..., 3), along right, up and forward, lie before the eye, up to 75° off the middle."""
    across, upward, depth = np.moveaxis(seen, -1, 0)
    fitting: Flags = (depth > 0.0) & (across * across + upward * upward <= (MAX_SLOPE * depth) ** 2)
    return fitting


def _towards(eye: Floats, aim: Floats, facing: float) -> Floats:
    """Right, up and forward of a camera that looks at ``aim``, or along ``facing`` where that is the eye, and keeps the
    world's vertical upright.
    """
    distance = dist(aim, eye)
    forward = (aim - eye) / distance if distance > 0.0 else np.array([*cosine_and_sine(facing), 0.0])
    upward = np.array([0.0, 0.0, 1.0])
    if np.hypot(forward[0], forward[1]) < 1e-9:
        upward = np.array([*cosine_and_sine(facing), 0.0]) * -np.sign(forward[2])
    right = unit(_cross(forward, upward))
    return np.array([right, _cross(right, forward), forward])


def _cross(first: Floats, second: Floats) -> Floats:
    """The cross product of two vectors; numpy's takes as long as a hundred rays."""
    (a, b, c), (x, y, z) = first.tolist(), second.tolist()
    return np.array([b * z - c * y, c * x - a * z, a * y - b * x])


def _cube(eye: Floats, axes: Floats, step: float) -> list[View]:
    """Six square pictures, 90° wide, that together cover every direction from the eye once."""
    right, up, forward = axes
    across = int(np.clip(np.ceil(2.0 / step / MULTIPLE), 4, np.sqrt(MAX_VIEW_PIXELS / 6) // MULTIPLE)) * MULTIPLE
    sides = [(right, up, forward), (-forward, up, right), (forward, up, -right), (-right, up, -forward)]
    sides += [(right, -forward, up), (right, forward, -up)]
    return [View(eye, np.array(side), -1.0, 1.0, 2.0 / across, across, across) for side in sides]
