"""Crisis Protocol once more, slowly and plainly: thousands of lines between the bases, held against the polygons."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

POINTS = 24  # on each rim
DEEP = 1e-6  # mm; a line that runs no deeper than this only touches
MARGIN = 1e-3  # mm


def disc_of(character: dict[str, Any]) -> shapely.Polygon:
    return shapely.Point(character["at"]).buffer(character["base"] / 2, quad_segs=256)


def rim(character: dict[str, Any]) -> NDArray[Any]:
    angles = np.linspace(0.0, 2.0 * math.pi, POINTS, endpoint=False) + 0.1
    radius = character["base"] / 2
    return np.array(character["at"]) + radius * np.stack([np.cos(angles), np.sin(angles)], axis=1)


def outline(feature: dict[str, Any]) -> NDArray[Any]:
    ring = shapely.LinearRing(feature["polygon"])
    shares = np.linspace(0.0, 1.0, POINTS, endpoint=False)
    return shapely.get_coordinates(shapely.line_interpolate_point(ring, shares, normalized=True))


def off(end: Any, piece: dict[str, Any]) -> float:
    """How far a point is from a base or an outline."""
    if "at" in piece:
        return math.dist(end, piece["at"]) - piece["base"] / 2
    return float(shapely.Polygon(piece["polygon"]).distance(shapely.Point(end)))


def lines_between(attacker: dict[str, Any], target: dict[str, Any]) -> NDArray[Any]:
    one, other = rim(attacker), rim(target) if "at" in target else outline(target)
    ends = np.stack([np.repeat(one, POINTS, axis=0), np.tile(other, (POINTS, 1))], axis=1)
    return shapely.linestrings(ends)


def some_line_is_free(attacker: dict[str, Any], target: dict[str, Any], blockers: list[Any]) -> bool:
    """Whether one of the lines tried meets no blocker; a narrow gap can be missed."""
    walls = shapely.union_all([shapely.Polygon(each["polygon"]) for each in blockers])
    shapely.prepare(walls)
    return not bool(shapely.intersects(walls, lines_between(attacker, target)).all())


def is_free(line: Any, attacker: dict[str, Any], target: dict[str, Any], blockers: list[Any]) -> bool:
    """Whether a line begins on the base, ends on the target and passes through no blocker."""
    if any(off(end, piece) > DEEP for end, piece in zip(line, (attacker, target), strict=True)):
        return False
    drawn = shapely.LineString(line)
    return not any(drawn.intersects(shapely.Polygon(each["polygon"]).buffer(-DEEP)) for each in blockers)


def lanes(attacker: dict[str, Any], target: dict[str, Any]) -> tuple[Any, Any]:
    """What all lines between the bases cover, a margin less and a margin more."""
    hull = shapely.convex_hull(shapely.union(disc_of(attacker), disc_of(target)))
    return hull.buffer(-MARGIN), hull.buffer(MARGIN)


def gives_cover(
    terrain: dict[str, Any],
    attacker: dict[str, Any],
    target: dict[str, Any],
    ranges: dict[str, float],
    lane: tuple[Any, Any],
) -> bool | None:
    """Whether one feature gives the target cover; None where it hangs on less than the margin."""
    polygon = shapely.Polygon(terrain["polygon"])
    apart = math.dist(attacker["at"], target["at"]) - (attacker["base"] + target["base"]) / 2
    reach = 0.0 if target.get("on") == terrain["name"] else polygon.distance(disc_of(target))
    if abs(max(apart, 0.0) - ranges["2"]) < MARGIN or abs(reach - ranges["1"]) < MARGIN:
        return None
    through, nearly = (polygon.intersects(each) for each in lane)
    if through != nearly:
        return None
    return bool(apart > ranges["2"] and reach < ranges["1"] and through and terrain["size"] >= target["size"])


def judged(document: dict[str, Any], attacker: str, target: str) -> tuple[bool, bool | None, list[Any]]:
    """Whether a free line was found, whether the target has cover (None: too close to call), and what blocks."""
    characters = {each["name"]: each for each in document["character"]}
    sizes = {each["name"]: each["size"] for each in document["terrain"]}
    one, other = characters[attacker], characters[target]
    size = other["size"] + sizes.get(other.get("on"), 0)
    blockers = [each for each in document["terrain"] if each["size"] > size and each["name"] != one.get("on")]
    lane = lanes(one, other)
    cover = [gives_cover(each, one, other, document["ranges"], lane) for each in document["terrain"]]
    covered = True if other.get("granted_cover") or True in cover else None if None in cover else False
    return some_line_is_free(one, other, blockers), covered, blockers
