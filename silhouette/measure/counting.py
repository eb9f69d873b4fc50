"""COUNT: the areas of what is obscured and seen of targets, in fixed point; by what; and masks for figures.

pictures -> polygons (`occlusion`) -> areas, shares of one whole number -> counts, and a bound of their error
-> where several blockers are before the target, rays at places there tell which is the nearest
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, hypot, sqrt

import manifold3d
import numpy as np

from silhouette.common.geometry import Floats, Integers, spread
from silhouette.measure.observation import (
    NOTHING,
    OBSCURED,
    OUTSIDE,
    SEEN,
    DecidedBy,
    Mask,
    OcclusionCounts,
)
from silhouette.measure.occlusion import Occlusion, joined, occlusion
from silhouette.measure.sampling import Picture, sample
from silhouette.measure.silhouettes import Polygons, polygons
from silhouette.renderers.areas import CoveredAreas
from silhouette.renderers.protocol import NEAREST_DEPTH_MM, Renderer
from silhouette.renderers.views import View

PARTS_OF_PIXEL = 2**20  # of whose areas counts are whole numbers

ROUNDED = 2e-7
"""Pixels by which a contour may be off, and more: corners of polygons are rounded to 1e-8, several times."""

THINNEST_PART = 1e-6  # pixels: what is narrower is what rounding leaves between two contours that are the same

ORDER_PLACES = 1000  # places at which rays tell which of several blockers is the nearest
MOST_ACROSS = 4000  # squares along each side of a part of a picture in which places are chosen


@dataclass(frozen=True, eq=False)
class Measured:
    """What was found of one target.

    Attributes:
        counts: its counts.
        decided_by: what they rest on.
        masks: one for each picture, if they were kept.
    """

    counts: OcclusionCounts
    decided_by: DecidedBy
    masks: tuple[Mask, ...]


def measured(pictures: Sequence[Picture], renderer: Renderer, keep: bool = False) -> Measured:
    """What is obscured and seen of a target.

    Args:
        pictures: one flat picture, or the six faces of a cube, which together show it once.
        renderer: casts the few rays that tell which of several blockers is the nearest.
        keep: whether masks are made.
    """
    occlusions = [occlusion(picture, len(pictures) > 1, renderer.go_on) for picture in pictures]
    areas = _areas(pictures, occlusions)
    parts = [_of_each(picture, each, renderer) for picture, each in zip(pictures, occlusions, strict=True)]
    nearest, alone = np.sum(parts, axis=0) * (areas.obscured > 0.0)
    counts = _counts(areas, nearest, alone)
    masks = tuple(_mask(*pair, renderer) for pair in zip(pictures, occlusions, strict=True)) if keep else ()
    return Measured(counts, _decided_by(pictures, areas, counts), masks)


def measured_by_areas(
    pictures: Sequence[Picture], covered: Sequence[CoveredAreas], renderer: Renderer
) -> list[Measured | None]:
    """What is obscured and seen of the target of each picture, of whose bodies a renderer gives the areas.

    None where what is left, or obscured, may be so narrow that its outlines tell whether it counts.
    """
    areas = [_areas_given(*each) for each in zip(pictures, covered, strict=True)]
    shared = [THINNEST_PART * each.several_sides < 2.0 * each.several for each in covered]
    rays = [number for number, some in enumerate(areas) if some is not None and shared[number]]
    places = [covered[number].places for number in rays]
    owner = np.repeat(np.arange(len(rays)), [len(some) for some in places])
    met = sample([pictures[number] for number in rays], owner, np.concatenate([np.empty((0, 2)), *places]), renderer)
    ends = np.cumsum([0, *map(len, places)])
    nearest_of = {number: met.nearest[start:end] for number, start, end in zip(rays, ends, ends[1:], strict=False)}
    measured = list[Measured | None]()
    for number, some in enumerate(areas):
        if some is None:
            measured.append(None)
            continue
        each = covered[number]
        alone, nearest = each.lone + each.shared, each.lone
        if number in nearest_of:
            nearest = nearest + each.several * _parts_by_rays(nearest_of[number], each.weights, alone)
        counts = _counts(some, nearest, alone)
        measured.append(Measured(counts, _decided_by([pictures[number]], some, counts), ()))
    return measured


def _parts_by_rays(nearest: Integers, weights: Floats, alone: Floats) -> Floats:
    """(blockers,) which part of a place before which several are each is the nearest in, by rays of some weights.

    ``nearest`` (n,) are the blockers that were met, -1 for none; where all are that, the largest takes it all.
    """
    met = np.bincount(nearest[nearest >= 0], weights[nearest >= 0], len(alone))
    met = met if met.any() else (alone == alone.max()).astype(np.float64)
    parts: Floats = met / met.sum()
    return parts


def _areas_given(picture: Picture, covered: CoveredAreas) -> _Areas | None:
    """The areas of a target; None where something may be so narrow that its outlines tell whether it counts."""
    free, obscured = covered.free, covered.obscured
    whole = free + obscured
    is_wide = 2.0 * free > _gap(picture) * covered.free_sides or not free
    is_wide &= 2.0 * obscured > THINNEST_PART * covered.obscured_sides or not obscured
    if not is_wide or not whole:
        return None
    rounded = ROUNDED * (2.0 * covered.rim + covered.obscured_rim)
    obscured = _half(obscured, whole, rounded) if free else whole
    in_arc, seen = (whole, whole - obscured) if picture.arcs is None else (0.0, 0.0)
    return _Areas(whole, obscured, in_arc, seen, 0.0, rounded)


def _decided_by(pictures: Sequence[Picture], areas: _Areas, counts: OcclusionCounts) -> DecidedBy:
    """Whether it is certain that nothing is seen, or that nothing that may stand before the target obscures it."""
    is_blocked = any(picture.blockers for picture in pictures)
    nothing = counts.seen == 0.0 or (is_blocked and counts.occluded == 0.0)
    return "proof" if nothing and counts.total > 0.0 and not areas.doubt else "count"


@dataclass(frozen=True)
class _Areas:
    """Pixels: of all of a target, and of parts of it."""

    whole: float
    obscured: float
    in_arc: float
    seen: float
    doubt: float  # how much more may be obscured
    rounded: float  # by how much any of these may be off that is neither nothing nor all

    @property
    def error_seen(self) -> float:
        """By how much what is seen may be off, as a share of the whole: where no part lies in an arc, by nothing."""
        return self.error(self.seen, self.whole) if self.in_arc or not self.whole else 0.0

    def error(self, part: float, whole: float) -> float:
        """By how much a part of a whole may be off, as a share of it."""
        return min((self.doubt + (self.rounded if 0.0 < part < whole else 0.0)) / whole, 1.0) if whole else 1.0


def _areas(pictures: Sequence[Picture], occlusions: Sequence[Occlusion]) -> _Areas:
    """The areas of a target in all its pictures together; nothing, half and all of it are exactly that."""
    whole = float(sum(each.whole.area() for each in occlusions))
    rounded = ROUNDED * sum(_rims(each) for each in occlusions)
    pairs = [(each, _gap(picture)) for picture, each in zip(pictures, occlusions, strict=True)]
    free = sum(_shown(each.whole, each.obscured, gap) for each, gap in pairs)
    obscured = _half(sum(_real(each.obscured) for each in occlusions), whole, rounded) if free else whole
    in_arc, seen = whole, whole - obscured
    if any(picture.arcs is not None for picture in pictures):
        in_arc = _half(sum(_real(each.in_arc) for each in occlusions), whole, rounded)
        seen = sum(_shown(each.in_arc, each.obscured, gap) for each, gap in pairs)
        seen = whole - obscured if in_arc == whole else in_arc - _half(in_arc - seen, in_arc, rounded)
    doubt, touching = (
        float(sum(parts)) for parts in zip(*((each.doubt, each.touching) for each in occlusions), strict=True)
    )
    return _Areas(whole, obscured, in_arc, seen, doubt, rounded + touching)


def _counts(areas: _Areas, nearest: Floats, alone: Floats) -> OcclusionCounts:
    """Areas as counts: shares of the whole, in fixed units of it."""
    whole = areas.whole
    total = 2 * round(whole * PARTS_OF_PIXEL / 2)
    if total == 0:
        none = (0.0,) * len(nearest)
        return OcclusionCounts(0.0, 0.0, 0.0, 0.0, none, none, 1.0, 1.0, 1.0)

    def fixed(area: float) -> float:
        return min(round(area / whole * total), total) / PARTS_OF_PIXEL

    occluded, by = fixed(areas.obscured), [*map(fixed, nearest.tolist())]
    if any(by):  # they add up to what is obscured
        by[int(nearest.argmax())] += occluded - sum(by)
    return OcclusionCounts(
        total=total / PARTS_OF_PIXEL,
        occluded=occluded,
        in_arc=fixed(areas.in_arc),
        occluded_in_arc=fixed(areas.in_arc - areas.seen),
        nearest=tuple(by),
        alone=tuple(map(fixed, alone.tolist())),
        error=areas.error(areas.obscured, whole),
        error_in_arc=areas.error(areas.seen, areas.in_arc),
        error_seen=areas.error_seen,
    )


def _real(part: Polygons) -> float:
    """Pixels: the area of a part of a picture; 0 where it is nothing but what rounding leaves along contours."""
    return float(part.area()) if _is_wider(part, THINNEST_PART) else 0.0


def _half(part: float, whole: float, rounded: float) -> float:
    """The part of a whole, exactly half where rounding alone may keep it from that."""
    return whole / 2.0 if abs(part - whole / 2.0) <= rounded else part


def _shown(part: Polygons, obscured: Polygons, gap: float) -> float:
    """Pixels: the area of a part that is not obscured; 0 where only gaps narrower than ``gap`` are left open."""
    left = part - obscured
    if left.area() > 0.0 and not _is_wider(left, gap):
        left -= obscured.offset(gap, manifold3d.JoinType.Miter).offset(-gap, manifold3d.JoinType.Miter)
    return _real(left)


def _gap(picture: Picture) -> float:
    """Pixels: the width of a gap that counts as none, `NEAREST_DEPTH_MM` as far away as the target."""
    corners = picture.target.pose.place(picture.target.mesh.bounds)
    middle, reach = corners.mean(axis=0), float(np.linalg.norm(corners[1] - corners[0])) / 2
    return NEAREST_DEPTH_MM / (picture.view.step * (float(np.linalg.norm(middle - picture.view.eye)) + reach))


def _is_wider(part: Polygons, width: float) -> bool:
    """Whether some loop of polygons is on the whole wider than ``width`` pixels; see `_widths`.

    Where 2 area / rim of all loops together is larger, that of one of them is; no side is longer than the diagonal of
    their bounds.
    """
    left, top, right, bottom = part.bounds()
    longest = part.num_vert() * hypot(right - left, bottom - top)
    return 2.0 * part.area() > width * longest > 0.0 or bool((_widths(part) > width).any())


def _widths(part: Polygons) -> Floats:
    """(n,) how wide each loop of some polygons is on the whole: as a thin strip with its area and rim would be."""
    start, end, first = _sides(part)
    if not len(first):
        return np.empty(0)
    rim = np.add.reduceat(np.hypot(*(end - start)), first)
    origin = np.repeat(start[:, first], np.diff(first, append=start.shape[1]), axis=1)
    (x, y), (u, v) = start - origin, end - origin
    area = np.abs(np.add.reduceat(x * v - y * u, first)) / 2.0
    return np.divide(2.0 * area, rim, out=np.zeros_like(rim), where=rim > 0.0)


def _rims(occluded: Occlusion) -> float:
    """Pixels: the length of the rims of a target, of what lies of it in an arc, and of what is obscured."""
    whole = _rim(occluded.whole)
    return whole + (whole if occluded.in_arc is occluded.whole else _rim(occluded.in_arc)) + _rim(occluded.obscured)


def _rim(part: Polygons) -> float:
    """Pixels: the length of the rim of polygons."""
    start, end, _ = _sides(part)
    return float(np.hypot(*(end - start)).sum())


def _sides(part: Polygons) -> tuple[Floats, Floats, Integers]:
    """(2, n) and (2, n) where the sides of polygons begin and end; (k,) the first side of each loop."""
    loops = part.to_polygons()
    first = np.cumsum([0, *map(len, loops)])
    start = np.concatenate([np.empty((0, 2)), *loops]).T
    end = np.concatenate([start[:, 1:], start[:, :1]], axis=1)
    end[:, first[1:] - 1] = start[:, first[:-1]]
    return start, end, first[:-1]


def _of_each(picture: Picture, occluded: Occlusion, renderer: Renderer) -> Floats:
    """(2, blockers) pixels of the target before which each is the nearest; and those that each is before."""
    alone = np.array([part.area() for part in occluded.hidden])
    several, some = polygons(), polygons()
    for part in occluded.hidden if np.count_nonzero(alone) > 1 else ():
        several, some = joined([several, part ^ some]), joined([some, part])
    nearest = alone if several.is_empty() else np.array([(part - several).area() for part in occluded.hidden])
    shared = _real(several)
    if shared > 0.0:
        places = centres(several, sqrt(shared / ORDER_PLACES))
        number = sample([picture], np.zeros(len(places), np.intp), places, renderer).nearest
        met = np.bincount(number[number >= 0], minlength=len(alone)).astype(np.float64)
        met = met if met.any() else alone == alone.max()
        nearest = nearest + shared * met / met.sum()
    return np.stack([nearest, alone])


def centres(part: Polygons, pitch: float) -> Floats:
    """(n, 2) rows and columns, a pixel's middle at its index, of the middles of squares that lie in polygons."""
    left, top, right, bottom = part.bounds()
    size = max(pitch, (right - left) / MOST_ACROSS, (bottom - top) / MOST_ACROSS)
    inside = raster(
        part.translate((-left, -top)).scale((1.0 / size, 1.0 / size)),
        *(max(1, ceil(span / size)) for span in (bottom - top, right - left)),
    )
    rows, columns = np.nonzero(inside)
    return np.column_stack([(rows + 0.5) * size + top - 0.5, (columns + 0.5) * size + left - 0.5])


def raster(part: Polygons, height: int, width: int) -> Integers:
    """(height, width) bool, the pixels whose middles lie in polygons.

    >>> import manifold3d
    >>> raster(manifold3d.CrossSection.square((2.0, 1.0)), 2, 3).tolist()
    [[True, True, False], [False, False, False]]
    """
    winding = np.zeros((height, width + 1), dtype=np.int32)
    start, end, _ = _sides(part)
    upper, lower = np.where(start[1] <= end[1], start, end), np.where(start[1] <= end[1], end, start)
    sign = np.where(start[1] <= end[1], 1, -1)
    first = np.clip(np.ceil(upper[1] - 0.5), 0, height).astype(np.int64)
    last = np.clip(np.ceil(lower[1] - 0.5), 0, height).astype(np.int64)
    row, line = spread(first, np.maximum(last - first, 0))
    across, down = lower - upper
    slope = np.divide(across, down, out=np.zeros_like(down), where=down > 0.0)
    column = upper[0, line] + (row + 0.5 - upper[1, line]) * slope[line]
    np.add.at(winding, (row, np.clip(np.ceil(column - 0.5), 0, width).astype(np.int64)), sign[line])
    inside: Integers = np.cumsum(winding, axis=1)[:, :width] != 0
    return inside


def _mask(picture: Picture, occluded: Occlusion, renderer: Renderer) -> Mask:
    """The pixels of a picture whose middles lie in the polygons."""
    view: View = picture.view
    size = view.height, view.width
    kinds = np.full(size, NOTHING, dtype=np.uint8)
    kinds[raster(occluded.whole, *size)] = OUTSIDE
    kinds[raster(occluded.in_arc, *size)] = SEEN
    before = [raster(part, *size) for part in occluded.hidden]
    blocker, count = np.full(size, -1, dtype=np.int32), np.zeros(size, dtype=np.int32)
    for number, part in enumerate(before):
        blocker[part] = number
        count += part
    kinds[count > 0] = OBSCURED
    rows, columns = np.nonzero(count > 1)
    if len(rows):
        places = np.column_stack([rows, columns]).astype(np.float64)
        nearest = sample([picture], np.zeros(len(rows), np.intp), places, renderer).nearest
        met = nearest >= 0
        blocker[rows[met], columns[met]] = nearest[met]
    return Mask(view, kinds, blocker)
