"""TAG: thin parts that stick out of a figure, such as gun barrels, spikes, plumes and spear shafts.

They are suggested to the player, who decides; nothing is tagged automatically. The figure is filled with small cubes,
and a ball a good deal thinner than its trunk is moved through it: the cubes that the ball cannot reach are thin. (In
mathematical morphology, that is what an opening removes.)

    faces -> surface points -> solid cubes -> cubes that the ball cannot reach -> pieces that reach away -> boxes

         .------.
         |(  )  |                          ( ) the ball reaches all of the trunk,
         |      |========== barrel         and none of the barrel
         | trunk|
         '------'
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from silhouette.common.geometry import Flags, Floats
from silhouette.files.documents import toml
from silhouette.meshes.mesh import Mesh
from silhouette.models.cubes import MARGIN_CUBES, Cubes, depths, pieces

Indices = NDArray[np.intp]
BoxCorners = tuple[Floats, Floats]  # the least and the greatest corner of a box, (3,) each, mm in the model's frame

PART_CUBES_ALONG = 144  # along the longest side of the figure
LIMB_BALL_SHARE = 0.3  # of the trunk's thickness: what a ball of this size reaches is thick
# Of the trunk's thickness, at most, for a part as even as a barrel or a shaft, which limbs are not.
EVEN_THICKNESS_SHARE = 0.2
THIN_ROUND = 0.165  # the same for a part that is not even but round and unbent, such as a plume
VERY_THIN = 0.13  # the same for any other
# 15th and 85th percentile of a part's cross-section over its median, where it is even.
EVEN_SECTION_RATIOS = (0.75, 1.3)
SLENDER = 3.0  # least length over thickness
SLENDER_ALONE = 5.0  # the same for a part that is not very thin
SLENDER_SHAFT = 12.0  # the same for two parts in line, such as a shaft above and below the hand
MAX_THICKNESS_RATIO = 1.7  # greatest thickness anywhere along a part over its median
STRAIGHT = 2.0  # spread along a part over its spread across, above which it is a rod and not a sheet
ROUNDNESS = 1.6  # spread across a part over its spread through, at most, where it is round: a hand is not
UNBENT = 3.0  # spread along a part over its spread across, at least, where it is unbent: an elbow is not
SHEET_SPREAD_RATIO = 4.0  # spread across a part over its spread through, below which it is a rod and not a sheet
MIN_LENGTH_SHARE = 0.08  # of the figure's height: 2.4 mm on a figure of 30 mm
MIN_REACH_SHARE = 0.05  # of the figure's height: how far a part must get away from everything thick
BULKY = 0.015  # of all thick cubes: a part that joins two pieces of this size is a neck or a limb
GROUND_HEIGHT_SHARE = 0.08  # of the figure's height: nothing lower is looked at, and what begins there may be a leg
FOREIGN = 0.2  # the greatest share of the faces in a box that belong to something else
PADDING = 0.1  # mm round the box
MAX_THIN_PARTS = 8  # suggestions
MAX_PARTS_MEASURED = 64  # that are looked at, the largest; a figure has a dozen


@dataclass(frozen=True, eq=False)
class Suggestion:
    """A thin part that a player may want to tag as insignificant: one thing, such as a spear above and below the
    hand.
    """

    # low, high: (3,) float64, mm in the model's frame: the box round all of it
    low: Floats
    high: Floats
    faces: Flags  # (m,) bool, the faces of the body whose centroid lies in one of its boxes
    share: float  # their share of the body's surface area
    # thickness, length: mm, of the part that the boxes were drawn round
    thickness: float
    length: float
    # Several boxes, (low, high) each, along a part that no single box holds without much else; else empty
    parts: tuple[BoxCorners, ...] = ()

    @property
    def boxes(self) -> tuple[BoxCorners, ...]:
        """The boxes that tag the part: those along it, or the one round all of it."""
        return self.parts or ((self.low, self.high),)

    @property
    def toml(self) -> str:
        """The lines to paste at the end of a model file: a table for each box."""
        first, *others = (f"box = {_as_toml(box)}\n" for box in self.boxes)
        return f"[[insignificant]]  # {self._words}\n{first}" + "".join(f"[[insignificant]]\n{box}" for box in others)

    @property
    def inline(self) -> str:
        """The lines to paste into the list ``insignificant = [...]`` beside a mesh, in a scene or a model file."""
        return f"    # {self._words}\n" + "".join(f"    {{ box = {_as_toml(box)} }},\n" for box in self.boxes)

    @property
    def json(self) -> str:
        """The lines to paste into the list ``"insignificant": [...]`` of a model file in JSON, without comments."""
        return ",\n".join(f'    {{ "box": {_as_toml(box)} }}' for box in self.boxes)

    @property
    def _words(self) -> str:
        return f"thin part, {self.thickness:.1f} mm thick, {self.length:.0f} mm long"


def _as_toml(box: BoxCorners) -> str:
    return toml([corner.tolist() for corner in box])


def suggest_insignificant(mesh: Mesh, body: Flags) -> tuple[Suggestion, ...]:
    """Thin parts that stick out of the faces ``body`` (m,) bool of a mesh in its model's frame; the largest part first.

    A part is suggested where it is at most a fifth as thick as the trunk, long for its thickness, reaches away from
    everything thicker, and has a free end that is not on the ground. Limbs, necks and sheets such as cloaks do not.

    >>> triangle = Mesh(np.eye(3), np.array([[0, 1, 2]], np.int32), np.zeros(1, np.int32))
    >>> suggest_insignificant(triangle, np.array([True])), suggest_insignificant(triangle, np.array([False]))
    ((), ())
    """
    triangles = mesh.vertices[mesh.faces[body]]
    solid = Cubes.of(triangles, PART_CUBES_ALONG)
    if solid is None:
        return ()
    areas = np.linalg.norm(np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]), axis=1)
    centroids = triangles.mean(axis=1)
    suggestions = []
    for parts in _things(_thin_parts(solid)):
        boxes = _boxes(parts, solid, centroids)
        if not boxes:
            continue
        inside = np.any([_within_box(centroids, box) for box in boxes], axis=0)
        faces = np.zeros(len(mesh.faces), dtype=np.bool_)
        faces[np.flatnonzero(body)[inside]] = True
        low, high = np.min([low for low, _ in boxes], axis=0), np.max([high for _, high in boxes], axis=0)
        share = float(areas[inside].sum() / areas.sum())
        axis = parts[0].axis
        ends = [part.middle @ axis + side * part.length / 2 for part in parts for side in (-1, 1)]
        thickness, length = max(part.thickness for part in parts), float(max(ends) - min(ends))
        along = tuple(boxes) if len(boxes) > 1 else ()
        suggestions.append(Suggestion(low, high, faces, share, thickness, length, along))
    return tuple(sorted(suggestions, key=lambda suggestion: -suggestion.share)[:MAX_THIN_PARTS])


def _things(parts: list[_ThinPart]) -> list[list[_ThinPart]]:
    """The parts that lie on one line, as of one shaft, together; each other part alone."""
    things: list[list[_ThinPart]] = []
    for part in parts:
        joined = [
            thing for thing in things if any(part.makes_shaft(other) or other.makes_shaft(part) for other in thing)
        ]
        things = [thing for thing in things if thing not in joined] + [
            [part, *(other for thing in joined for other in thing)]
        ]
    return things


# ---- the parts that a ball cannot enter


@dataclass(frozen=True, eq=False)
class _ThinPart:
    """A thin part."""

    cubes: Indices
    # middle, axis: (3,) float64, mm: its middle, and the direction that it is long in
    middle: Floats
    axis: Floats
    thickness: float
    length: float
    alone: bool  # whether it can only be a barrel, a shaft, a spike: even and slender, or very thin
    even: bool  # whether its cross-section hardly changes along it
    grounded: bool  # whether it reaches down to the ground, as legs do

    def makes_shaft(self, other: _ThinPart) -> bool:
        """Whether the two lie on one line and at least one of them is a piece of a shaft and one is free."""
        apart = self.middle - other.middle
        off_axis = np.linalg.norm(apart - (apart @ other.axis) * other.axis)
        whole = np.linalg.norm(apart) + (self.length + other.length) / 2.0
        return bool(
            self is not other
            and (self.even or other.even)
            and not (self.grounded and other.grounded)
            and abs(self.axis @ other.axis) > 0.95
            and off_axis < 2.0 * other.thickness
            and whole >= SLENDER_SHAFT * max(self.thickness, other.thickness)
        )


def _thin_parts(solid: Cubes) -> list[_ThinPart]:
    """The thin parts of a figure that reach away from it and are free at one end."""
    # The thick cubes are those within a ball that fits into the figure: cubes deeper than the radius of the ball, grown
    # by that radius again. The other cubes, more than two cubes away from these, are candidates: nearer, everything is
    # surface that the ball does not quite reach. A piece that touches two large thick pieces is a neck or a limb.
    # Half of its thickness, as depths are.
    trunk = 2.0 * float(depths(solid.cubes[::2, ::2, ::2], PART_CUBES_ALONG // 4).max())
    ball = max(LIMB_BALL_SHARE * trunk, 1.5)
    depth = depths(solid.cubes, int(ball) + 2)
    thick = solid.cubes & (depths(depth <= ball, int(ball) + 2) <= ball)
    tall = solid.cubes.shape[2] - 2 * MARGIN_CUBES
    far = round(MIN_REACH_SHARE * tall) + 3
    away = depths(~thick, far)
    bulky = np.zeros(thick.shape, dtype=np.intp)
    for number, piece in enumerate(pieces(thick)):
        bulky[tuple(piece.T)] = number + 1 if len(piece) >= BULKY * thick.sum() else 0
    candidates = solid.cubes & (away > 2.0)
    candidates[:, :, : _ground(solid)] = False  # else a shaft on the ground would be connected with a boot
    parts = []
    for piece in pieces(candidates):
        part = _measured(piece, solid, depth, trunk)
        if part is None or part.length < MIN_LENGTH_SHARE * tall * solid.pitch or away[tuple(piece.T)].max() < far:
            continue
        if len(np.setdiff1d(bulky[_around(piece)], [0])) < 2:
            parts.append(part)
    del parts[MAX_PARTS_MEASURED:]  # the largest come first
    return [part for part in parts if part.alone or any(part.makes_shaft(other) for other in parts)]


def _ground(solid: Cubes) -> int:
    return MARGIN_CUBES + round(GROUND_HEIGHT_SHARE * float(solid.cubes.shape[2] - 2 * MARGIN_CUBES))


def _measured(piece: Indices, solid: Cubes, depth: Floats, trunk: float) -> _ThinPart | None:
    """The part that the cubes (n, 3) form; None unless it is thin, long for its thickness, and a rod."""
    if len(piece) < 12:
        return None
    middles = solid.low + (piece + 0.5) * solid.pitch
    spread, axes = np.linalg.eigh(np.cov(middles.T))
    place = middles @ axes[:, 2]
    rung = ((place - place.min()) / solid.pitch).astype(np.intp)
    deepest = np.zeros(rung.max() + 1)
    np.maximum.at(deepest, rung, depth[tuple(piece.T)])
    lean = deepest <= MAX_THICKNESS_RATIO * np.median(deepest)
    if not lean.all():  # a hand or a hilt is part of the piece: only the longest thin stretch of it is measured
        stretch = np.cumsum(~lean)
        longest = np.bincount(stretch[lean]).argmax()
        return _measured(piece[(lean & (stretch == longest))[rung]], solid, depth, trunk)
    thickness = (2.0 * float(np.median(deepest)) - 1.0) * solid.pitch
    length = float(np.ptp(place)) + solid.pitch
    share = thickness / (2.0 * trunk * solid.pitch)
    is_rod = spread[2] >= STRAIGHT**2 * spread[1] and spread[1] <= SHEET_SPREAD_RATIO**2 * spread[0]
    is_rim_of_sheet = len(piece) < 3.5 * len(deepest)
    if share > EVEN_THICKNESS_SHARE or length / thickness < SLENDER or not is_rod or is_rim_of_sheet:
        return None
    least, middle, most = np.percentile(np.bincount(rung), [15, 50, 85])
    even = bool(least >= EVEN_SECTION_RATIOS[0] * middle and most <= EVEN_SECTION_RATIOS[1] * middle)
    grounded = bool(piece[:, 2].min() == _ground(solid))
    is_round = spread[1] <= ROUNDNESS**2 * spread[0] and spread[2] >= UNBENT**2 * spread[1]
    is_smooth = even or (share <= THIN_ROUND and is_round)
    alone = not grounded and (share <= VERY_THIN or (length / thickness >= SLENDER_ALONE and bool(is_smooth)))
    return _ThinPart(piece, middles.mean(axis=0), axes[:, 2], thickness, length, alone, even, grounded)


def _around(cubes: Indices) -> tuple[Indices, ...]:
    """What lies less than `MARGIN_CUBES` from cubes (n, 3) along an axis, as three index arrays."""
    steps = np.arange(1 - MARGIN_CUBES, MARGIN_CUBES)
    ways = np.concatenate([np.eye(3, dtype=np.intp)[axis] * steps[:, None] for axis in range(3)])
    return tuple((cubes[:, None] + ways).reshape(-1, 3).T)


# ---- boxes round them


def _boxes(parts: list[_ThinPart], solid: Cubes, centroids: Floats) -> list[BoxCorners]:
    """The boxes round the parts of one thing, in their order along it, with few faces in them that are not its own.

    As few as can be: neighbouring boxes become one where that holds few other faces as well. A stretch for which there
    is no such box, such as the end that lies against the body, is left out.
    """
    own = np.zeros(solid.cubes.shape, dtype=np.bool_)
    for part in parts:
        own[_around(part.cubes)] = True
    belongs = own[solid.cells(centroids)]

    def is_close(box: BoxCorners) -> bool:
        inside = _within_box(centroids, box)
        return bool(inside.any() and (inside & ~belongs).sum() <= FOREIGN * inside.sum())

    axis = parts[0].axis
    boxes = [box for part in parts for box in _boxes_along(part, solid, is_close)]
    boxes.sort(key=lambda box: float((box[0] + box[1]) @ axis))
    merged: list[BoxCorners] = []
    for low, high in boxes:
        merged.append((low, high))
        while len(merged) > 1:
            (first_low, first_high), (last_low, last_high) = merged[-2:]
            both = np.minimum(first_low, last_low), np.maximum(first_high, last_high)
            if not is_close(both):
                break
            merged[-2:] = [both]
    return merged


def _boxes_along(part: _ThinPart, solid: Cubes, is_close: Callable[[BoxCorners], bool]) -> list[BoxCorners]:
    """One box round a part, or up to four along it; those that are close round it."""
    own = np.zeros(solid.cubes.shape, dtype=np.bool_)
    own[_around(part.cubes)] = True
    points = solid.points[own[solid.cells(solid.points)]]
    if len(points) == 0:
        return []
    place = points @ part.axis
    boxes: list[BoxCorners] = []
    for count in (1, 2, 3, 4):
        edges = np.linspace(place.min(), place.max(), count + 1)
        stretches = [points[(place >= start) & (place <= end)] for start, end in pairwise(edges)]
        boxes = [box for box in (_box_round(stretch) for stretch in stretches if len(stretch)) if is_close(box)]
        if len(boxes) == count:
            break
    return boxes


def _box_round(points: Floats) -> BoxCorners:
    """The corners of the box round points (n, 3), a little wider, in whole tenths of a mm, as the text says them."""
    low, high = points.min(axis=0) - PADDING, points.max(axis=0) + PADDING
    return np.floor(low * 10.0) / 10.0, np.ceil(high * 10.0) / 10.0


def _within_box(points: Floats, box: BoxCorners) -> Flags:
    low, high = box
    inside: Flags = np.all((points >= low) & (points <= high), axis=1)
    return inside
