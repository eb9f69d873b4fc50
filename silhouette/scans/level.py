"""LEVEL: which way is up, where the table is and how large."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import scipy
from numpy.typing import NDArray
from scipy.spatial import ConvexHull, QhullError

from silhouette.common.errors import FileError, RequestError
from silhouette.common.geometry import Floats
from silhouette.common.text import counted
from silhouette.scans.keep import Question
from silhouette.scans.planes import BRIDGE, TablePlane, Tabletop, deviation, frame, large_planes, moved, table_among
from silhouette.scans.read import Scan
from silhouette.scans.surface import Surfels, rectangle_round, surfels_of

# ---- upright

TOUCH = 0.012
"""How far from a side of the hull a point touches it, as a share of the thing's size: a frayed rim of 1 mm of 80."""

LEAST_FOOT_SHARE = 0.12
"""The least area of a foot as a share of the thing's shadow on the ground: on less it would not have been stood, and a
ball has 0.05 (what lies within `TOUCH` of the ground it touches)."""

LEAN = float(np.cos(np.radians(25.0)))
"""Cosine of the angle up to which a foot's normal is the file's upright: phones and people are nearer than that."""

CLEARLY = 1.5  # how many times larger than the next a foot must be to be taken without the file's upright agreeing


@dataclass(frozen=True, eq=False)
class Foot:
    """A side on which a thing can stand."""

    normal: Floats  # (3,) float64 unit vector, up
    offset: float  # of the ground along it
    share: float  # area of what touches the ground, filled up to its convex outline, by that of the thing's shadow


def foot_of(surfels: Surfels, up: Floats) -> Foot | None:
    """What a thing stands on, or None where it could stand on several sides or on none.

    Of the sides of the convex hull on which it would not tip over (its middle is over what touches the ground) the one
    nearest to the file's upright is taken, if it is near; else the largest, if it is by far.
    """
    points = surfels.points
    low, high = np.percentile(points, [0.1, 99.9], axis=0)
    size = float(np.linalg.norm(high - low))
    points = points[((points > low - 0.05 * size) & (points < high + 0.05 * size)).all(axis=1)]
    try:
        hull = ConvexHull(points)
    except (QhullError, ValueError):
        return None
    corners, middle = points[hull.vertices], points.mean(axis=0)
    samples = surfels.samples[
        ((surfels.samples > low - 0.05 * size) & (surfels.samples < high + 0.05 * size)).all(axis=1)
    ]
    feet = [
        foot
        for normal in _sides(hull)
        if (foot := _foot_below(samples, corners, middle, normal, TOUCH * size)) is not None
    ]
    feet = [foot for foot in feet if foot.share >= LEAST_FOOT_SHARE]
    if not feet:
        return None
    lean = [foot for foot in feet if foot.normal @ up > LEAN]
    if lean:
        return max(lean, key=lambda foot: foot.share * foot.normal @ up)
    feet = sorted((foot for foot in feet if foot.normal @ up > -0.5), key=lambda foot: -foot.share)
    if not feet:
        return None  # files lie on a side more often than on their heads
    apart = [foot for foot in feet if foot.normal @ feet[0].normal < LEAN]
    return feet[0] if not apart or feet[0].share > CLEARLY * apart[0].share else None


def _sides(hull: ConvexHull) -> Floats:
    """(k, 3) the upward normals of the hull's sides: triangles within a few degrees of one plane together."""
    corners = hull.points[hull.simplices]
    area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1) / 2
    normals = -hull.equations[:, :3]
    sides = []
    left = area.copy()
    for _ in range(24):
        k = int(np.argmax(left))
        if left[k] < 1e-3 * area.sum():
            break
        near = normals @ normals[k] > np.cos(np.radians(6.0))
        mean = (area[near, None] * normals[near]).sum(axis=0)
        sides.append(mean / np.linalg.norm(mean))
        left[near] = 0.0
    return np.array(sides).reshape(-1, 3)


def _foot_below(points: Floats, corners: Floats, middle: Floats, normal: Floats, touch: float) -> Foot | None:
    """The foot on the side that faces against a normal, fitted to what touches; None where the thing would tip over."""
    offset = float((corners @ normal).min())
    # A side of the hull is found within a few degrees: the feet lie within so much of it.
    points = points[np.abs(points @ normal - offset) < 6 * touch]
    for _ in range(4):
        near = points[points @ normal - offset < touch]
        axes = np.linalg.svd(np.eye(3) - np.outer(normal, normal))[0][:, :2].T
        lowest = near[_lowest(near @ axes.T, near @ normal, middle @ axes.T)]
        if len(lowest) < 3:
            return None
        fitted = _plane_through(lowest, normal)
        if fitted is None or fitted[0] @ normal < np.cos(np.radians(10.0)):
            return None
        normal, offset = fitted
    axes = np.linalg.svd(np.eye(3) - np.outer(normal, normal))[0][:, :2].T
    near = points[np.abs(points @ normal - offset) < touch]
    try:
        foot, shadow = ConvexHull(near @ axes.T), ConvexHull(corners @ axes.T)
    except (QhullError, ValueError):
        return None
    if (foot.equations[:, :2] @ (axes @ middle) + foot.equations[:, 2] > 0).any():
        return None
    return Foot(normal, offset, float(foot.volume / shadow.volume))


def _lowest(flat: Floats, height: Floats, middle: Floats) -> NDArray[np.int64]:
    """The lowest point in each of 72 sectors about the middle: the ground, not what lies within or rounds a rim."""
    away = flat - middle
    sector = np.floor((np.arctan2(away[:, 1], away[:, 0]) / (2 * np.pi) % 1.0) * 72)
    order = np.lexsort((height, sector))
    return order[np.unique(sector[order], return_index=True)[1]]


def _plane_through(points: Floats, normal: Floats) -> tuple[Floats, float] | None:
    """The plane near some points, those far from it left out by degrees (Tukey's weights)."""
    weight = np.ones(len(points))
    for _ in range(8):
        middle = (points * weight[:, None]).sum(axis=0) / weight.sum()
        spread = (points - middle) * np.sqrt(weight)[:, None]
        direction = np.linalg.svd(spread, full_matrices=False)[2][-1]
        direction = direction if direction @ normal > 0 else -direction
        rest = (points - middle) @ direction
        far = 4.685 * 1.4826 * float(np.median(np.abs(rest))) + 1e-12
        weight = np.maximum(0, 1 - (rest / far) ** 2) ** 2
        if weight.sum() < 3:
            return None
    return direction, float(middle @ direction)


# ---- levelling

TABLE_FIT_CELLS = 80
"""Cells along a table's side for the fit: 7 mm on one of 600 mm, smaller than a base and larger than the noise."""

UNDER = -0.3  # cosine of the angle to the table's normal below which a surface faces down; walls and rough parts do not
FEWEST_CLOUD_POINTS = 30  # with fewer points of a cloud there is no telling which of them are neighbours


LARGE_CLOUD_POINTS, MOST_SPACE_SHARE = 100_000, 0.6
"""A cloud of more points is refused if more of its surfels than this share lie on no surface: of tables a tenth lies on
none, of clouds whose noise is a quarter of a surfel's width a half. To tell such a cloud apart takes minutes."""


@dataclass(frozen=True, eq=False)
class Levelling:
    """How a scan lies, in the file's units.

    The levelled frame has z up and the table's top at z = 0, the origin at the middle of the table, x along its longer
    edge. Without a table: what the scan stands on at z = 0, the origin at the middle of the box round it.
    """

    to_level: Floats  # (4, 4) float64, rigid, from the file's coordinates to the levelled frame; its unit is the file's
    size: tuple[float, float] | None  # lengths of the table's edges along x and y, or None where there is no table
    tilt: float  # degrees between the plane's normal and the axis that the file has up
    flatness: float  # standard deviation of the table's slow unevenness (over more than a few centimetres)
    noise: float  # standard deviation of its surface about that: the scan's noise
    spacing: float  # the median distance between neighbouring points
    on_table: NDArray[np.bool_]  # (n,) bool, vertices of the table's surface; none without a table
    questions: tuple[Question, ...] = ()  # what could not be told, such as which side is up


def level(scan: Scan, choice: int = 0) -> Levelling:
    """How a scan lies: its table, or what it stands on; ``choice`` is which of tables side by side.

    Raises:
        FileError: the scan has too few points, or a cloud's fill a space, or nothing tells which way is up.
    """
    surfels = _checked(scan)
    up = np.array([0.0, 1.0, 0.0] if scan.up == "y" else [0.0, 0.0, 1.0])
    planes = large_planes(surfels, np.random.default_rng(0))
    table = table_among(planes, surfels, up, choice)
    if table is not None:
        return _on_table(scan, surfels, table, up)
    foot = foot_of(surfels, up)
    if foot is None:
        raise FileError(
            scan.path,
            "it shows no table and nothing flat to stand on, so which way is up cannot be told; "
            "scan it with the table that it stands on",
        )
    return _on_foot(scan, surfels, foot, up)


def _on_foot(scan: Scan, surfels: Surfels, foot: Foot, up: Floats) -> Levelling:
    """How a thing without a table lies; its noise is what its surfels' neighbourhoods say."""
    to_level = frame(foot.normal, foot.offset)
    points = moved(to_level, surfels.points)
    turn = rectangle_round(points[:, :2], surfels.cell).turn
    turned = _turned_to(turn, (0.0, 0.0)) @ to_level
    low, high = np.percentile(moved(turned, surfels.points), [0.1, 99.9], axis=0)
    turn = _longer_first((high[0] - low[0], high[1] - low[1]), turn, to_level)[1]
    turned = _turned_to(turn, (0.0, 0.0)) @ to_level
    low, high = np.percentile(moved(turned, surfels.points), [0.1, 99.9], axis=0)
    turned[:2, 3] -= (low[:2] + high[:2]) / 2
    on_table = np.zeros(len(scan.vertices), dtype=bool)
    tilt = _tilt(foot.normal, up)
    questions = (_LEANS,) if tilt > LEANING else ()
    return Levelling(turned, None, tilt, 0.0, surfels.roughness(), surfels.spacing, on_table, questions)


def _checked(scan: Scan) -> Surfels:
    """The surfels of a scan that has triangles, or `FEWEST_CLOUD_POINTS` in as many places."""
    points = scan.vertices[scan.usable]
    some = points[:: max(1, len(points) // 1000)]
    if len(np.unique(some, axis=0)) < (3 if len(scan.faces) else FEWEST_CLOUD_POINTS):
        raise FileError(scan.path, "it has no surface: a scan needs some thousand points, or triangles")
    surfels = surfels_of(scan)
    if len(scan.faces) == 0 and len(points) > LARGE_CLOUD_POINTS and surfels.share_of_space() > MOST_SPACE_SHARE:
        raise FileError(
            scan.path,
            f"its {len(points):,} points fill a space: about {surfels.share_of_space():.0%} of them lie on no surface; "
            "a scan is a surface: smooth it, or remove what is no part of the table",
        )
    return surfels


def _on_table(scan: Scan, surfels: Surfels, table: TablePlane, up: Floats) -> Levelling:
    plane = table.plane
    to_level = frame(plane.normal, plane.offset)
    seen = surfels.samples
    if surfels.out is not None and plane.facing > 0.5:
        seen = seen[surfels.out @ plane.normal > UNDER]  # the underside of a closed mesh is another surface
    reach, floor = 1.5 * surfels.cell, 2 * surfels.spacing
    for _ in range(4):
        samples = moved(to_level, seen)
        surface = Tabletop.of(samples, plane.extent / TABLE_FIT_CELLS, reach)
        two = surface.step()
        if two is not None:
            to_level[2, 3] -= two[0]
            reach = floor = two[1]
            continue
        to_level = surface.plane() @ to_level
        reach = max(min(reach, 6 * surface.rough()), floor)
    samples = moved(to_level, seen)
    surface = Tabletop.of(samples, plane.extent / TABLE_FIT_CELLS, reach)
    vertices = moved(to_level, scan.vertices)
    rest, near = surface.rest(vertices)
    near &= scan.usable
    noise = deviation(rest[near & (np.abs(rest) < reach)])
    far = max(reach, 0.006 * plane.extent) if floor == 2 * surfels.spacing else reach
    apart = np.ones(len(samples), dtype=bool)
    for wall in table.walls:
        apart &= np.abs(seen @ wall.normal - wall.offset) > 0.75 * surfels.cell
    for other in table.beside:
        apart &= ~other.inside(seen)
    edge = samples[apart & (np.abs(samples[:, 2]) < far), :2]
    over = samples[apart & (samples[:, 2] > far) & (samples[:, 2] < BRIDGE * plane.extent), :2]
    rectangle = rectangle_round(edge, max(2 * surfels.spacing, surfels.cell), over)
    size, turn = _longer_first(rectangle.size, rectangle.turn, to_level)
    to_level = _turned_to(turn, rectangle.middle) @ to_level
    inside = (np.abs(moved(to_level, scan.vertices)[:, :2]) < np.array(size) / 2 + 2 * surfels.spacing).all(axis=1)
    on_table = near & inside & (np.abs(rest) < max(3.5 * noise, min(0.3 * surfels.spacing, 0.002 * plane.extent)))
    questions = (WHICH_SIDE,) * (not table.sure) + (which_table(table.count),) * (table.count > 1)
    return Levelling(
        to_level, size, _tilt(to_level[2, :3], up), surface.flatness(), noise, surfels.spacing, on_table, questions
    )


def level_of_table(scan: Scan, number: int) -> Levelling:
    """How a scan lies on the number-th of its tables, from 1, that with most on it.

    Raises:
        RequestError: there are not so many.
    """
    first = level(scan)
    count = next((len(question.answers) for question in first.questions if question.key == WHICH_TABLE), 1)
    if not 1 <= number <= count:
        raise RequestError(f"--table {number}: things stand on {counted(count, 'table')} of the scan")
    return _settled(first if number == 1 else level(scan, number - 1))


def _settled(lie: Levelling) -> Levelling:
    """The same without the question which table it is."""
    return replace(lie, questions=tuple(question for question in lie.questions if question.key != WHICH_TABLE))


LEANING = 8.0  # degrees between a foot and the file's upright from which on one asks: phones know it within two

_LEANS = Question("leaning", "Does it stand level on its lowest parts? They are not level in the file.", ("yes", "no"))
WHICH_SIDE = Question("up", "Which side of the table is up?", ("as taken", "the other side"))
"""What is asked where neither the pieces nor the file tell it; the second answer turns it over."""


WHICH_TABLE = "table"  # the key of the question which of several is the table


def which_table(count: int) -> Question:
    """What is asked where things stand upright on so many tables side by side.

    >>> which_table(3).answers
    ('that with most on it', 'the second, by how much stands on it', 'the third, by how much stands on it')
    """
    ranks = ("second", "third", "fourth", "fifth")[: count - 1]
    answers = ("that with most on it", *(f"the {rank}, by how much stands on it" for rank in ranks))
    return Question(WHICH_TABLE, "Things stand on more than one table: which is it?", answers)


def as_answered(lie: Levelling, scan: Scan, answers: Mapping[str, str]) -> Levelling:
    """The level as a player has said that it is: another table, the other side up, or as upright as in the file.

    Args:
        lie: as it was found.
        scan: of which it is.
        answers: by the keys of the questions.
    """
    for question in lie.questions:
        chosen = answers.get(question.key)
        if question.key == WHICH_TABLE and chosen in question.answers[1:]:
            return as_answered(_settled(level(scan, question.answers.index(chosen))), scan, answers)
    if answers.get(WHICH_SIDE.key) == WHICH_SIDE.answers[1]:
        return replace(lie, to_level=np.diag([1.0, -1.0, -1.0, 1.0]) @ lie.to_level)
    if answers.get(_LEANS.key) != _LEANS.answers[1]:
        return lie

    upright = lie.to_level[:3, 1 if scan.up == "y" else 2]
    turned = np.eye(4)
    turned[:3, :3] = scipy.spatial.transform.Rotation.align_vectors([[0.0, 0.0, 1.0]], [upright])[0].as_matrix()
    to_level = turned @ lie.to_level
    to_level[2, 3] -= float(moved(to_level, scan.vertices[scan.usable])[:, 2].min())
    return replace(lie, to_level=to_level, tilt=0.0)


def _tilt(normal: Floats, up: Floats) -> float:
    """Degrees between a normal and the file's up axis, or the nearest axis where that one is plainly not upright."""
    along = abs(normal @ up) if abs(normal @ up) > 0.7 else np.abs(normal).max()
    return float(np.degrees(np.arccos(min(1.0, along))))


def _longer_first(size: tuple[float, float], turn: float, to_level: Floats) -> tuple[tuple[float, float], float]:
    """The sizes with the longer one first, and the turn of that edge nearest to the file's x.

    Edges that differ by less than 1 %, which a scan cannot tell, are equally long: then any of the four will do.
    """
    if size[1] > size[0]:
        size, turn = (size[1], size[0]), turn + np.pi / 2
    square = size[0] - size[1] < 0.01 * size[0]
    file_x = to_level[:2, 0] if np.hypot(*to_level[:2, 0]) > 0.1 else to_level[:2, 1]
    step = np.pi / 2 if square else np.pi
    turns = turn + step * np.arange(round(2 * np.pi / step))
    best = int(np.argmax(np.round(np.cos(turns) * file_x[0] + np.sin(turns) * file_x[1], 9)))
    return (size[::-1] if square and best % 2 else size), float(turns[best])


def _turned_to(turn: float, middle: tuple[float, float]) -> Floats:
    c, s = np.cos(turn), np.sin(turn)
    move = np.eye(4)
    move[:2, :2] = [[c, s], [-s, c]]
    move[:2, 3] = -move[:2, :2] @ np.array(middle)
    return move
