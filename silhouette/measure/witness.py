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

from silhouette.common.geometry import Flags, Floats, Integers
from silhouette.measure.observation import NOTHING, OBSCURED, OUTSIDE, SEEN, Mask, OcclusionCounts
from silhouette.measure.sampling import IN_ARC, OCCLUDED, TARGET, Kinds, Picture, sample
from silhouette.renderers.protocol import Renderer
from silhouette.renderers.registry import looking_between_pixels
from silhouette.renderers.views import MULTIPLE, View

STATED_DEVIATIONS = 3.0  # standard deviations that an error has, as elsewhere

MOST_SAMPLED_CELLS = 600_000  # the error of a figure's share is then some 0.03 %

FINER = 2  # whole pictures are drawn so many times finer: of the middles of a pixel's quarters one is drawn


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
        first, second = _sampled(replace(picture, view=cells), renderer)
        tallies += [_tally(*both) for both in zip(first.parts(), second.parts(), strict=True)]
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


class _Sampled(NamedTuple):
    """What n rays through one picture meet: (n / 2) of its upper half, and those opposite them."""

    kind: Kinds  # (n,) as of `Samples`
    nearest: Integers  # (n,) the blocker that is the nearest one before the target, -1 for none
    nearer: Flags  # (blockers, n) whether each is nearer than the target

    def parts(self) -> Iterator[tuple[Flags, Flags]]:
        """The shares that are asked about, as parts (n,) of wholes (n,), in the order of `_counts`."""
        target, in_arc, occluded = (self.kind & bit > 0 for bit in (TARGET, IN_ARC, OCCLUDED))
        yield occluded, target
        yield occluded & in_arc, in_arc
        yield in_arc & ~occluded, target
        yield from ((self.nearest == number, target) for number in range(len(self.nearer)))
        yield from ((nearer, target) for nearer in self.nearer)


def _mask(view: View, met: _Sampled, width: int) -> Mask:
    """The pixels of a picture, by what was met in its cells, which are so wide."""
    free = np.where(met.kind & IN_ARC > 0, SEEN, np.where(met.kind > 0, OUTSIDE, NOTHING))
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


def _sampled(picture: Picture, renderer: Renderer) -> list[_Sampled]:
    """What is met at two places in each pixel; other eyes and poses have other places."""
    view, bodies = picture.view, [picture.target, *picture.blockers]
    content = [
        view.eye,
        view.axes,
        *(body.pose.translation for body in bodies),
        *(body.pose.rotation for body in bodies),
    ]
    seed = crc32(b"".join(array.tobytes() for array in content))
    pixels = np.indices((view.height // 2, view.width), dtype=np.float64).reshape(2, -1).T
    within = np.random.default_rng(seed).random((2, *pixels.shape))
    if not renderer.capabilities.sparse:  # the middle of a quarter
        within = (np.floor(FINER * within) + 0.5) / FINER
    some = pixels + within - 0.5
    places = np.concatenate([some, np.array([view.height - 1.0, view.width - 1.0]) - some], axis=1).reshape(-1, 2)
    if any(body.outline for body in bodies):
        renderer = renderer if renderer.capabilities.sparse else looking_between_pixels()
    elif not renderer.capabilities.sparse:
        picture, places = replace(picture, view=view.refined(FINER)), FINER * (places + 0.5) - 0.5
    samples = sample([picture], np.zeros(len(places), np.intp), places, renderer)
    nearer = np.zeros((len(picture.blockers), len(places)), np.bool_)
    nearer[samples.blocked[1], samples.blocked[0]] = True
    halves = (np.split(each, 2, axis=-1) for each in (samples.kind, samples.nearest, nearer))
    return [_Sampled(*half) for half in zip(*halves, strict=True)]
