"""COUNT, by another way: one plain counter by rays, a witness of what is counted otherwise.

Each pixel of a picture is sampled once, at a place drawn at random in it; nothing is proven, cut finer or left out.

    +-----+-----+      Two pixels side by side are a pair. The sum over pairs of the squared differences of what their
    | .   |   . |      samples show is on average at least the variance of the count, whatever there is to see: with
    +-----+-----+      shares p and q of the two pixels it is p (1 - p) + q (1 - q) + (p - q)^2. Of a share it is that
     one pair          of (part - share * whole), over the whole squared.

The places are symmetric about the middle of the picture, and so what is exactly half counts as exactly half: a pixel
and the one opposite it count as one, with the sum of what both show. The error is `DEVIATIONS` standard deviations,
and, since what no sample met may be there all the same, half of `DEVIATIONS` squared such sums more (Bernstein's
inequality). Where nothing can be in the way it is 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from silhouette.common.geometry import Flags, Floats
from silhouette.measure.observation import NOTHING, OBSCURED, OUTSIDE, SEEN, Mask, OcclusionCounts
from silhouette.measure.outlines import outlined_depths
from silhouette.measure.sampling import Picture
from silhouette.renderers.protocol import Cast, Renderer
from silhouette.renderers.registry import looking_between_pixels
from silhouette.renderers.views import in_any

DEVIATIONS = 4.5
"""Standard deviations that an error has: of a hundred thousand shares one lies outside."""

RAYS_TOGETHER = 1 << 20  # rays that are cast together at most, but for a single row of pixels; some 200 MB

FINER = 2
"""A renderer that draws whole pictures draws them so many times finer: of the middles of four pixels one is drawn."""

ROUNDING = 3e-5
"""The share of a depth by which what is drawn in float32 may be off: which of two nearer to each other is in front,
rays tell."""

Depths = NDArray[np.float32]


@dataclass(frozen=True)
class Share:
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


def counted_by_rays(pictures: Sequence[Picture], renderer: Renderer, keep: bool = False) -> RayCounts:
    """What rays say of a target that one picture shows, or the six of a cube together.

    Args:
        pictures: of the target and what may stand before it.
        renderer: casts the rays, or draws.
        keep: whether the masks are kept.
    """
    blockers = len(pictures[0].blockers)
    tallies = np.zeros((3 + 2 * blockers, 5))
    masks = list[Mask]()
    for picture in pictures:
        bands = list[_Met]()
        for met in _bands(picture, renderer):
            tallies += [_tally(part, whole) for part, whole in met.parts(blockers)]
            bands += [met] if keep else []
        masks += [_mask(picture, bands)] if keep else []
    return RayCounts(
        _counts(pictures, tallies),
        tuple(_share(tally) for tally in tallies[3 : 3 + blockers]),
        tuple(_share(tally) for tally in tallies[3 + blockers :]),
        tuple(masks),
    )


def _counts(pictures: Sequence[Picture], tallies: Floats) -> OcclusionCounts:
    """The counts of a target by its `_tally` of what is obscured, obscured in the arc, seen, and of its blockers."""
    blockers = (len(tallies) - 3) // 2
    occluded, occluded_in_arc, seen = (_share(tally).error for tally in tallies[:3])
    if not blockers:
        occluded, occluded_in_arc = 0.0, occluded_in_arc if tallies[1, 1] == 0.0 else 0.0
    is_blind = all(picture.arcs is not None and not picture.arcs for picture in pictures)
    is_free = not blockers and all(picture.arcs is None for picture in pictures)
    return OcclusionCounts(
        total=round(tallies[0, 1]),
        occluded=round(tallies[0, 0]),
        in_arc=round(tallies[1, 1]),
        occluded_in_arc=round(tallies[1, 0]),
        nearest=tuple(map(round, tallies[3 : 3 + blockers, 0].tolist())),
        alone=tuple(map(round, tallies[3 + blockers :, 0].tolist())),
        error=occluded,
        error_in_arc=occluded_in_arc,
        error_seen=0.0 if is_blind or is_free else seen,
    )


def _tally(part: Flags, whole: Flags) -> Floats:
    """(5,) pixels: the part and the whole, and over pairs of pixels the products of their differences: of the part
    squared, of both, and of the whole squared; (2, n) the pixels of the upper half, and those opposite them.
    """
    sums = np.array([part.reshape(2, -1, 2).sum(axis=0), whole.reshape(2, -1, 2).sum(axis=0)], dtype=np.float64)
    of_part, of_whole = sums[..., 0] - sums[..., 1]
    return np.array([*sums.sum(axis=(1, 2)), of_part @ of_part, of_part @ of_whole, of_whole @ of_whole])


def _share(tally: Floats) -> Share:
    """The share of a `_tally`; that of nothing is 0 ± 1.

    >>> _share(np.array([250.0, 1000.0, 4.0, 0.0, 0.0])), _share(np.zeros(5))
    (Share(value=0.25, error=0.02925), Share(value=0.0, error=1.0))
    """
    part, whole, of_part, of_both, of_whole = tally.tolist()
    if not whole:
        return Share(0.0, 1.0)
    value = part / whole
    variance = max(0.0, of_part - 2.0 * value * of_both + value * value * of_whole)
    return Share(value, min(1.0, (DEVIATIONS * variance**0.5 + DEVIATIONS**2) / whole))


@dataclass(frozen=True, eq=False)
class _Met:
    """What n rays through one picture meet."""

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

    def kinds(self) -> NDArray[np.uint8]:
        """(2 n,) as of `Mask`."""
        free = np.where(self.in_arc, SEEN, np.where(np.isfinite(self.target), OUTSIDE, NOTHING))
        return np.where(self.nearest >= 0, OBSCURED, free).astype(np.uint8)


def _mask(picture: Picture, bands: Sequence[_Met]) -> Mask:
    """The pixels of a picture, by what its bands met."""
    images = []
    for values in ([met.kinds() for met in bands], [met.nearest for met in bands]):
        upper, opposite = np.concatenate([each.reshape(2, -1) for each in values], axis=1)
        images.append(np.concatenate([upper, opposite[::-1]]).reshape(picture.view.height, picture.view.width))
    return Mask(picture.view, *images)


def _bands(picture: Picture, renderer: Renderer) -> Iterator[_Met]:
    """What is met at a place in each pixel, some rows after others; other eyes and poses have other places."""
    view = picture.view
    bodies = picture.target, *picture.blockers
    content = [
        view.eye,
        view.axes,
        *(array for body in bodies for array in (body.pose.translation, body.pose.rotation)),
    ]
    generator = np.random.default_rng(crc32(b"".join(array.tobytes() for array in content)))
    outlined = any(body.outline for body in bodies)
    casts = renderer.capabilities.sparse or outlined
    caster = looking_between_pixels() if outlined and not renderer.capabilities.sparse else renderer
    height, last = view.height // 2, np.array([view.height - 1.0, view.width - 1.0])
    rows = max(1, RAYS_TOGETHER // (2 * view.width))
    for first in range(0, height, rows):
        pixels = np.indices((min(rows, height - first), view.width), dtype=np.float64).reshape(2, -1).T
        pixels[:, 0] += first
        within = generator.random(pixels.shape)
        if casts:
            places = pixels + within - 0.5
            yield _cast(picture, np.concatenate([places, last - places]), caster)
        else:
            places = (FINER * pixels + np.floor(FINER * within) + 0.5) / FINER - 0.5
            yield _drawn(picture, np.concatenate([places, last - places]), renderer)


def _cast(picture: Picture, places: Floats, renderer: Renderer) -> _Met:
    """What rays through places (n, 2) meet: blockers are asked about only where the target is."""
    target = outlined_depths(renderer, [Cast(picture.view, picture.target, places)])
    there = np.flatnonzero(np.isfinite(target))
    casts = [Cast(picture.view, body, places[there]) for body in picture.blockers]
    blockers = np.full((len(casts), len(target)), np.inf, np.float32)
    depths = outlined_depths(renderer, casts, np.tile(target[there], len(casts)))
    blockers[:, there] = depths.reshape(len(casts), len(there))
    return _met(picture, places, target, blockers, blockers < target)


def _drawn(picture: Picture, places: Floats, renderer: Renderer) -> _Met:
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


def _met(picture: Picture, places: Floats, target: Depths, blockers: Depths, nearer: Flags) -> _Met:
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
    return _Met(target, in_arc, list(nearer), nearest)
