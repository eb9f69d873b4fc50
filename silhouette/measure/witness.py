"""COUNT, by another way: one plain counter by rays, a witness of what is counted otherwise.

Each pixel of a picture is sampled twice, at places drawn at random in it; nothing is proven, cut finer or left out. Of
a picture with more than `MOST_SAMPLED_CELLS` pixels, cells of two by two pixels are sampled instead, or four by four.

    +-----+-----+      The first samples (o) count, and the second ones (.) tell how far that may be off: half of the
    |   . |o    |      squared difference of the two is on average the variance of the first, whatever there is to see.
    | o   |   . |      Of a share it is that of (part - share * whole), summed over all pixels, over the whole squared.
    +-----+-----+

The places are symmetric about the middle of the picture, and so what is exactly half counts as exactly half: a pixel
and the one opposite it count as one, with the sum of what both show. The error is d standard deviations and, since what
no sample met may be there all the same, d² / 2 such sums (Bernstein's inequality), 0 where nothing can be in the way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from silhouette.common.geometry import Flags, Floats
from silhouette.measure.observation import NOTHING, OBSCURED, OUTSIDE, SEEN, Mask, OcclusionCounts
from silhouette.measure.outlines import outlined_depths
from silhouette.measure.sampling import Picture
from silhouette.renderers.protocol import Cast, Renderer
from silhouette.renderers.registry import looking_between_pixels
from silhouette.renderers.views import MULTIPLE, View, in_any

STATED_DEVIATIONS = 3.0  # standard deviations that an error has, as elsewhere

MOST_SAMPLED_CELLS = 600_000  # the error of a figure's share is then some 0.03 %

FINER = 2  # whole pictures are drawn so many times finer: of the middles of a pixel's quarters one is drawn

ROUNDING = 3e-5  # the share of a depth by which surfaces drawn in float32 may be off: rays tell which of two is nearer

Depths = NDArray[np.float32]


class Share(NamedTuple):
    """A part of a target, 0 to 1; the true one lies within ``value`` ± ``error``."""

    value: float
    error: float


@dataclass(frozen=True, eq=False)
class RayCounts:
    """What rays say of one target."""

    counts: OcclusionCounts  # the pixels, with the errors of what is obscured, obscured in the arc, and seen
    # nearest, alone: of each blocker, the share of the target before which it is the nearest thing, and that which it
    # would obscure with nothing else there
    nearest: tuple[Share, ...]
    alone: tuple[Share, ...]
    masks: tuple[Mask, ...]  # one for each picture, if they are kept


def counted_by_rays(
    pictures: Sequence[Picture], renderer: Renderer, keep: bool = False, deviations: float = STATED_DEVIATIONS
) -> RayCounts:
    """What rays say of a target that one picture shows, or the six of a cube together.

    Args:
        pictures: of the target and what may stand before it.
        renderer: casts the rays, or draws.
        keep: whether the masks are kept.
        deviations: standard deviations that errors have: of so many shares that some would lie outside, more.
    """
    blockers = len(pictures[0].blockers)
    width = _width(pictures)
    tallies = np.zeros((3 + 2 * blockers, 5))
    masks = list[Mask]()
    for picture in pictures:
        view, step = picture.view, picture.view.step * width
        cells = replace(view, step=step, width=view.width // width, height=view.height // width)
        first, second = _samples(replace(picture, view=cells), renderer)
        tallies += [_tally(*both) for both in zip(first.parts(blockers), second.parts(blockers), strict=True)]
        masks += [_mask(view, first, width)] if keep else []
    return RayCounts(
        _counts(pictures, tallies, deviations, width**2),
        tuple(_share(tally, deviations) for tally in tallies[3 : 3 + blockers]),
        tuple(_share(tally, deviations) for tally in tallies[3 + blockers :]),
        tuple(masks),
    )


def _counts(pictures: Sequence[Picture], tallies: Floats, deviations: float, area: int) -> OcclusionCounts:
    """The counts of a target by its `_tally` of what is obscured, obscured in the arc, seen, and of its blockers.

    A cell has an ``area`` in pixels.
    """
    pixels = np.rint(area * tallies).astype(np.int64)
    blockers = (len(tallies) - 3) // 2
    occluded, occluded_in_arc, seen = (_share(tally, deviations).error for tally in tallies[:3])
    if not blockers:
        occluded, occluded_in_arc = 0.0, occluded_in_arc if tallies[1, 1] == 0.0 else 0.0
    is_blind = all(picture.arcs is not None and not picture.arcs for picture in pictures)
    is_free = not blockers and all(picture.arcs is None for picture in pictures)
    return OcclusionCounts(
        total=int(pixels[0, 1]),
        occluded=int(pixels[0, 0]),
        in_arc=int(pixels[1, 1]),
        occluded_in_arc=int(pixels[1, 0]),
        nearest=tuple(pixels[3 : 3 + blockers, 0].tolist()),
        alone=tuple(pixels[3 + blockers :, 0].tolist()),
        error=occluded,
        error_in_arc=occluded_in_arc,
        error_seen=0.0 if is_blind or is_free else seen,
    )


def _tally(first: tuple[Flags, Flags], second: tuple[Flags, Flags]) -> Floats:
    """(5,) pixels: a part and its whole, and of the differences of both samples the products, halved: of the part
    squared, of part and whole, and of the whole squared.

    Args:
        first, second: the samples: a part and its whole, (2 n,) the pixels of the upper half and those opposite them.
    """
    part, whole = (np.sum(each.reshape(2, -1), axis=0, dtype=np.float64) for each in first)
    of_part, of_whole = (np.sum(each.reshape(2, -1), axis=0) for each in second)
    of_part, of_whole = part - of_part, whole - of_whole
    products = of_part @ of_part, of_part @ of_whole, of_whole @ of_whole
    return np.array([part.sum(), whole.sum(), *(0.5 * product for product in products)])


def _share(tally: Floats, deviations: float) -> Share:
    """The share of a `_tally`; that of nothing is 0 ± 1.

    >>> _share(np.array([250.0, 1000.0, 4.0, 0.0, 0.0]), 3.0), _share(np.zeros(5), 3.0)
    (Share(value=0.25, error=0.015), Share(value=0.0, error=1.0))
    """
    part, whole, of_part, of_both, of_whole = tally.tolist()
    if not whole:
        return Share(0.0, 1.0)
    value = part / whole
    variance = max(0.0, of_part - 2.0 * value * of_both + value * value * of_whole)
    return Share(value, min(1.0, (deviations * variance**0.5 + deviations**2) / whole))


@dataclass(frozen=True, eq=False)
class _RaysMet:
    """What n rays through one picture meet: (n / 2) of its upper half, and those opposite them."""

    target: Depths  # (n,) mm, inf where it is not met
    in_arc: Flags  # (n,) whether the target is met in a vision arc
    blockers: list[Flags]  # for each blocker (n,) whether it is nearer than the target
    nearest: NDArray[np.int32]  # (n,) the blocker that is the nearest of them, -1 for none

    def parts(self, blockers: int) -> Iterator[tuple[Flags, Flags]]:
        """The shares that are asked about, as parts (n,) of wholes (n,), in the order of `_counts`."""
        target, occluded = np.isfinite(self.target), self.nearest >= 0
        yield occluded, target
        yield occluded & self.in_arc, self.in_arc
        yield self.in_arc & ~occluded, target
        yield from ((self.nearest == number, target) for number in range(blockers))
        yield from ((nearer, target) for nearer in self.blockers)


def _mask(view: View, met: _RaysMet, width: int) -> Mask:
    """The pixels of a picture, by what was met in its cells, which are so wide."""
    free = np.where(met.in_arc, SEEN, np.where(np.isfinite(met.target), OUTSIDE, NOTHING))
    images = []
    for values in (np.where(met.nearest >= 0, OBSCURED, free).astype(np.uint8), met.nearest):
        upper, opposite = values.reshape(2, -1)
        cells = np.concatenate([upper, opposite[::-1]]).reshape(view.height // width, view.width // width)
        images.append(cells.repeat(width, axis=0).repeat(width, axis=1))
    return Mask(view, *images)


def _width(pictures: Sequence[Picture]) -> int:
    """Of a cell of some pictures, in pixels: their sides are multiples of any."""
    pixels = sum(picture.view.width * picture.view.height for picture in pictures)
    return next((width for width in (1, 2, 4) if pixels <= MOST_SAMPLED_CELLS * width**2), MULTIPLE // 2)


def _samples(picture: Picture, renderer: Renderer) -> tuple[_RaysMet, _RaysMet]:
    """What is met at two places in each pixel; other eyes and poses have other places."""
    view, bodies = picture.view, [picture.target, *picture.blockers]
    content = [
        view.eye,
        view.axes,
        *(body.pose.translation for body in bodies),
        *(body.pose.rotation for body in bodies),
    ]
    seed = crc32(b"".join(array.tobytes() for array in content))
    outlined, is_sparse = any(body.outline for body in bodies), renderer.capabilities.sparse
    pixels = np.indices((view.height // 2, view.width), dtype=np.float64).reshape(2, -1).T
    within = np.random.default_rng(seed).random((2, *pixels.shape))
    if not is_sparse:  # the middle of a quarter
        within = (np.floor(FINER * within) + 0.5) / FINER
    opposite_each = np.array([view.height - 1.0, view.width - 1.0])
    places = [np.concatenate([some, opposite_each - some]) for some in pixels + within - 0.5]
    if is_sparse or outlined:
        caster = renderer if is_sparse else looking_between_pixels()
        return _cast(picture, places[0], caster), _cast(picture, places[1], caster)
    return _drawn(picture, places[0], renderer), _drawn(picture, places[1], renderer)


def _cast(picture: Picture, places: Floats, renderer: Renderer) -> _RaysMet:
    """What rays through places (n, 2) meet: blockers are asked about only where the target is."""
    target = outlined_depths(renderer, [Cast(picture.view, picture.target, places)])
    there = np.flatnonzero(np.isfinite(target))
    casts = [Cast(picture.view, body, places[there]) for body in picture.blockers]
    blockers = np.full((len(casts), len(target)), np.inf, np.float32)
    depths = outlined_depths(renderer, casts, np.tile(target[there], len(casts)))
    blockers[:, there] = depths.reshape(len(casts), len(there))
    return _met(picture, places, target, blockers, blockers < target)


def _drawn(picture: Picture, places: Floats, renderer: Renderer) -> _RaysMet:
    """What a renderer that draws whole pictures shows at places (n, 2), middles of finer pixels; where two bodies come
    close to each other, rays tell which is nearer.
    """
    view = picture.view.refined(FINER)
    finer = FINER * (places + 0.5) - 0.5
    bodies = [picture.target, *picture.blockers]
    renderer.draw_ahead(view, bodies)
    target, *others = (layer.depth for layer in renderer.render_separately(view, bodies, finer))
    blockers = np.array(others, np.float32).reshape(len(others), len(target))
    nearer = blockers < target
    rays = looking_between_pixels()
    for number, body in enumerate(picture.blockers):
        with np.errstate(invalid="ignore"):
            close = np.flatnonzero(np.abs(blockers[number] - target) <= np.float32(ROUNDING) * target)
        close = close[np.isfinite(target[close])]
        own, other = (rays.depths([Cast(view, each, finer[close])]) for each in (picture.target, body))
        nearer[number, close] = other < own
    return _met(picture, places, target, blockers, nearer)


def _met(picture: Picture, places: Floats, target: Depths, blockers: Depths, nearer: Flags) -> _RaysMet:
    """What is met at places (n, 2): the target at depths (n,), blockers at (k, n), and which are nearer than it."""
    there = np.isfinite(target)
    in_arc = there.copy()
    if picture.arcs is not None:
        points = picture.view.eye + picture.view.directions(*places[there].T) * target[there, None]
        in_arc[there] = in_any(picture.arcs, points, edges=False)
    nearer = nearer & there
    front = np.full(len(target), np.inf, np.float32)
    nearest = np.full(len(target), -1, np.int32)
    for number, (depth, is_nearer) in enumerate(zip(blockers, nearer, strict=True)):
        first = is_nearer & (depth < front)
        front[first], nearest[first] = depth[first], number
    return _RaysMet(target, in_arc, list(nearer), nearest)
