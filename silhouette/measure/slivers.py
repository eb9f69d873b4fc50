"""COUNT, roughly: where one of many like sights shows a sliver of the target, those that show nothing look again.

The sights of one target from one attacker, with pieces a little elsewhere in each, differ little: a sliver of the
target that is seen past a blocker lies at nearly the same place of all their pictures. A grid that is coarse enough for
thousands of sights meets it in some of them and misses it in others. So the places where it was met are asked of the
others too, many rays round each. Where a vision arc ends at the target, it differs from sight to sight which sliver
lies in it: there rays go to corners of the target that do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, sqrt

import numpy as np

from silhouette.common.geometry import Flags, Floats
from silhouette.measure.framing import Framed
from silhouette.measure.grids import FINEST, drawn_for, grids, size_of
from silhouette.measure.observation import Observation, OcclusionCounts
from silhouette.measure.sampling import IN_ARC, OCCLUDED, TARGET, Kinds, Picture, sample
from silhouette.renderers.protocol import Renderer
from silhouette.renderers.views import in_any

MAX_SLIVER_SHARE = 0.05  # a share above nothing and up to this is a sliver: larger ones a grid does not miss
SHOWING = 8  # the sights with a sliver that are looked at again, to know where it lies
SPOTS = 16  # the places at which each of them is to show it: so fine are their grids, `FINEST` at most
SLIVER_RAYS = 512  # the rays with which a sight that shows nothing looks for the sliver
INSIDE = 0.02  # how far from the corner of a face to its middle a ray is aimed that is to meet the face near its corner


@dataclass(frozen=True)
class Sliver:
    """What there may be a sliver of: what is seen of the target, or what is obscured."""

    bits: int  # of a sample's kind that decide
    value: int  # their value where a sample shows it

    def shown(self, kind: Kinds) -> Flags:
        """(n,) which samples show it."""
        shown: Flags = (kind & self.bits) == self.value
        return shown

    def pixels(self, counts: OcclusionCounts) -> float:
        """How much of it there is."""
        return counts.occluded if self is OBSCURED_SLIVER else counts.seen

    def added(self, counts: OcclusionCounts) -> OcclusionCounts:
        """The counts with one pixel of it, where they have none.

        A pixel that is seen was obscured before, or outside the arcs; one that is obscured was seen, or outside them.
        """
        if self is SEEN_SLIVER and not counts.in_arc:
            return replace(counts, in_arc=1)
        by = 1 if self is OBSCURED_SLIVER else -1
        inside = by if counts.in_arc else 0
        return replace(counts, occluded=counts.occluded + by, occluded_in_arc=counts.occluded_in_arc + inside)


SEEN_SLIVER = Sliver(TARGET | IN_ARC | OCCLUDED, TARGET | IN_ARC)
OBSCURED_SLIVER = Sliver(TARGET | OCCLUDED, TARGET | OCCLUDED)


def with_slivers(frames: Sequence[Framed], looks: Sequence[Observation], renderer: Renderer) -> list[Observation]:
    """The looks, with one pixel of what others of the same pair of pieces show a sliver of, where it is there too.

    Args:
        frames: what was looked at; those of one attacker and one target are taken for one question.
        looks: what was found for each; of a target of which nothing was met it stays as it is.
        renderer: casts the rays.
    """
    completed = list(looks)
    pairs: dict[tuple[int, int], list[int]] = {}
    for number, frame in enumerate(frames):
        if looks[number].counts.total and frame.projection == "flat":
            pairs.setdefault((frame.sight.attacker.index, frame.sight.target.index), []).append(number)
    for numbers in pairs.values():
        for sliver in (SEEN_SLIVER, OBSCURED_SLIVER):
            share = {number: sliver.pixels(looks[number].counts) / looks[number].counts.total for number in numbers}
            showing = [number for number in numbers if 0.0 < share[number] <= MAX_SLIVER_SHARE]
            without = [number for number in numbers if not share[number] and _is_possible(looks[number], sliver)]
            if not without:
                continue
            spots = _spots([(frames[number], looks[number]) for number in _some(showing, SHOWING)], sliver, renderer)
            probes = [(frames[number], _round_spots(frames[number], spots)) for number in without if len(spots)]
            probed = [number for number in without if len(spots)]
            if sliver is SEEN_SLIVER:
                probes += [(frames[number], _corners_in_arcs(frames[number].pictures[0])) for number in without]
                probed += without
            for place in _showing_it(probes, sliver, renderer):
                look = looks[probed[place]]
                completed[probed[place]] = replace(look, counts=sliver.added(look.counts))
    return completed


def _is_possible(look: Observation, sliver: Sliver) -> bool:
    """Whether it is not known that there is nothing of it: no blocker reaches the picture, or no arc the target."""
    return bool(look.blockers) if sliver is OBSCURED_SLIVER else look.counts.error_seen > 0.0


def _some(numbers: Sequence[int], most: int) -> list[int]:
    """No more than ``most`` of the numbers, from all over the list."""
    return [numbers[place * len(numbers) // most] for place in range(most)] if len(numbers) > most else list(numbers)


def _spots(showing: Sequence[tuple[Framed, Observation]], sliver: Sliver, renderer: Renderer) -> Floats:
    """(k, 2) where frames show it: heights and widths of their pictures, 0 to 1; `SLIVER_RAYS` at most.

    Args:
        showing: frames, each with what was found there: some of it.
        sliver: what is looked for.
        renderer: casts the rays.
    """
    probes, parts = list[tuple[Framed, Floats]](), [np.empty((0, 2))]
    for frame, look in showing:
        (picture,) = frame.pictures
        size = size_of(picture)
        across = ceil(sqrt(SPOTS * size.prod() / sliver.pixels(look.counts)))
        probes.append((frame, grids([picture], min(across, FINEST))[0]))
        parts.append((probes[-1][1] + 0.5) / size)
    spots: Floats = np.concatenate(parts)[sliver.shown(_kinds(probes, renderer))]
    return spots[_some(range(len(spots)), SLIVER_RAYS)]


def _round_spots(frame: Framed, spots: Floats) -> Floats:
    """(SLIVER_RAYS, 2) rows and columns of rays round the spots (k, 2), up to two cells of the finest grid away."""
    (picture,) = frame.pictures
    (drawn,) = drawn_for([picture], SLIVER_RAYS)
    places: Floats = (np.resize(spots, (SLIVER_RAYS, 2)) + (drawn - 0.5) * (4.0 / FINEST)) * size_of(picture) - 0.5
    return places


def _corners_in_arcs(picture: Picture) -> Floats:
    """(k, 2) rows and columns of corners of the target's faces that lie in its arcs, `SLIVER_RAYS` at most.

    They lie a little inside their faces, so that rays meet these. None where no arc ends at the target.
    """
    if not picture.arcs:
        return np.empty((0, 2))
    mesh = picture.target.mesh
    vertices = picture.target.pose.place(mesh.vertices)
    faces = vertices[mesh.faces[in_any(picture.arcs, vertices)[mesh.faces].any(axis=1)]]
    corners = (faces + INSIDE * (faces.mean(axis=1, keepdims=True) - faces)).reshape(-1, 3)
    corners = corners[in_any(picture.arcs, corners, edges=False)]
    columns, rows, _ = picture.view.project(corners[_some(range(len(corners)), SLIVER_RAYS)])
    return np.column_stack([rows, columns]) - 0.5


def _showing_it(probes: Sequence[tuple[Framed, Floats]], sliver: Sliver, renderer: Renderer) -> list[int]:
    """The numbers of the frames that show it at one of their places (k, 2)."""
    kind = _kinds(probes, renderer)
    of = np.repeat(np.arange(len(probes)), [len(places) for _, places in probes])
    showing: list[int] = np.unique(of[sliver.shown(kind)]).tolist()
    return showing


def _kinds(probes: Sequence[tuple[Framed, Floats]], renderer: Renderer) -> Kinds:
    """(n,) the kinds of samples at places of frames, one frame after the other."""
    places = np.concatenate([np.empty((0, 2)), *(places for _, places in probes)])
    of = np.repeat(np.arange(len(probes)), [len(places) for _, places in probes])
    return sample([frame.pictures[0] for frame, _ in probes], of, places, renderer).kind
