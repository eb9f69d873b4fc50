"""COUNT: the counts of many checks, and what they leave open, while the pictures are sampled finer and finer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from silhouette.common.geometry import Flags, Floats
from silhouette.measure.atlas import Atlas
from silhouette.measure.claims import Assertion, Claim
from silhouette.measure.error import (
    PARTS,
    SIGMAS,
    UNKNOWN,
    WHOLES,
    importance,
    share_errors,
    shares,
)
from silhouette.measure.question import Question
from silhouette.measure.reach import reached_blocks
from silhouette.measure.sampled import Along, Sampled
from silhouette.measure.sampled_here import SampledHere
from silhouette.measure.sampling import IN_ARC, KINDS, OCCLUDED, TARGET, Picture, Places
from silhouette.renderers.protocol import Renderer

NEAR = 5.0
"""An error that meets the goal is made smaller all the same where the share is less than this many errors away from a
threshold."""

LOOSE_SHARE = 0.5
"""The share of the goal that things smaller than a cell of the coarse grid may take; else that grid is made finer."""

MISSED_SHARE = 0.1
"""Contours are followed only as long as things smaller than a cell are at most so much of the goal: where some of them
are followed, and measured, and others are not met, the count is wrong the same way for each that is not met."""

THIN_GOAL = 0.0045  # largest goal of a picture with thin things in it, in which the error itself is the less certain

THIN_SHARE = 0.3
"""A picture has thin things in it where so many pairs of neighbours in the coarse grid, for each cell of the target,
are one seen and one hidden. One wall before a figure leaves one in ten."""

SIZE_ERROR = 0.02
"""The error, as a share of the target, to which its size is counted even where no other share depends on it."""

SEEN, HIDDEN = TARGET | IN_ARC, TARGET | IN_ARC | OCCLUDED
OUTLINE = ((np.arange(KINDS)[:, None] ^ np.arange(KINDS)) & TARGET > 0).ravel()
"""(KINDS²,) the pairs of kinds of which one is of the target and one is not."""


class Survey:
    """The pictures of n checks, sampled as finely as their shares ask for.

    Attributes:
        questions: what is asked of each check.
        sampled: their pictures.
        check: (k,) the check to which each picture belongs.
        first: (n,) the first picture of each check.
        counts: (n, KINDS) the pixels of each kind, for each check; of kind 0, which is no target, none.
        open: (n, KINDS²) pixels squared, for each pair of kinds at a step of one: the variance along that contour.
        settled: (n, KINDS²) the same along the contours that were not followed further.
        goals: (n,) the errors that are small enough where no threshold is near; 0 where every pixel is to be sampled.
        is_blocked: (n,) whether something may stand before the target.
        is_parted: (n,) whether an edge of an arc may part the target.
        is_coarse: (n,) whether all cells of the last level have a sample: that level is the check's coarse grid.
        alone: (n, KINDS²) the cells of the coarse grid that differ from all their neighbours, which are alike.
        cell: (n,) the pixels of a cell of the coarse grid.
        is_blind: (n,) whether the attacker has no arc in which the target may lie.
        is_thin: (n,) whether there are thin things in the picture.
        maybe_occluded, maybe_free, maybe_seen: (n,) pixels: the part of a target of which nothing was found to be
            obscured, to be free of blockers, or to be seen, for which that is not proven; inf where nobody asked, or it
            is untrue.
    """

    def __init__(self, questions: Sequence[Question], renderer: Renderer) -> None:
        """The survey of questions whose pictures have blocks of one width, sampled coarsely."""
        self.questions = questions
        pictures = [picture for question in questions for picture in question.pictures]
        sizes = [len(question.pictures) for question in questions]
        self.check: Places = np.repeat(np.arange(len(questions)), sizes)
        self.first: Places = np.cumsum([0, *sizes[:-1]])
        block = questions[0].block
        reached = [reached_blocks(picture.view, picture.target, block) for picture in pictures]
        self.sampled = _sampled(pictures, reached, block, renderer, self.check)
        size = len(questions)
        self.is_blocked = np.array([any(picture.blockers for picture in one.pictures) for one in questions])
        self.is_parted = np.array([any(picture.arcs for picture in one.pictures) for one in questions])
        self.goals = np.array([one.goal for one in questions])
        self.is_coarse = np.ones(size, dtype=np.bool_)
        self.maybe_occluded, self.maybe_free, self.maybe_seen = (np.full(size, np.inf) for _ in range(3))
        self.is_blind = np.array([_is_blind(one) for one in questions])
        self.maybe_seen[self.is_blind] = 0.0
        self.settled = np.zeros((size, KINDS**2))
        self.alone = np.zeros((size, KINDS**2))
        self.cell = np.zeros(size)
        pairs = self._look().pairs[:, [SEEN * KINDS + HIDDEN, HIDDEN * KINDS + SEEN]].sum(axis=1)
        self.is_thin = pairs * block**2 > THIN_SHARE * self.counts.sum(axis=1)

    def _look(self) -> Along:
        """Counts the pixels, and what is left open along the contours of the last level, which it returns."""
        along = self.sampled.along()
        self.counts = np.add.reduceat(self.sampled.counts, self.first)
        self.counts[:, 0] = 0.0
        self.alone[self.is_coarse] = along.alone[self.is_coarse]
        self.cell[self.is_coarse] = self.sampled.width**2
        self.open = along.variance
        return along

    @property
    def loose(self) -> Floats:
        """(n, KINDS²) pixels squared: the variance of things smaller than a cell of the coarse grid, met by chance."""
        loose = self.alone.copy()
        loose[self.is_blocked, SEEN * KINDS + HIDDEN] += UNKNOWN
        known = (self.maybe_occluded == 0.0) | (self.maybe_free == 0.0)
        loose *= ~known[:, None]
        in_arc = self.counts @ WHOLES[1]
        all_or_nothing = (in_arc == self.counts @ WHOLES[0]) | (in_arc == 0.0) & (self.maybe_seen > 0.0)
        loose[self.is_parted & all_or_nothing, SEEN * KINDS + TARGET] += UNKNOWN
        variance: Floats = loose * self.cell[:, None] ** 2
        return variance

    @property
    def variance(self) -> Floats:
        """(n, KINDS²) pixels squared, along all contours and of loose things, at a step of one."""
        return self.settled + self.open + self.loose

    @property
    def errors(self) -> Floats:
        """(n, 3) the errors of the shares occluded, occluded in the arc, and seen."""
        return self._errors(self.variance)

    def _errors(self, variance: Floats) -> Floats:
        errors: Floats = share_errors(variance, self.counts)
        total = np.maximum(self.counts.sum(axis=1), 1.0)
        occluded, seen = self.counts @ PARTS[0], self.counts @ PARTS[2]
        unseen = np.where(seen == 0.0, np.minimum(self.maybe_seen, self.maybe_free), np.inf)
        alike = np.where(occluded == 0.0, self.maybe_occluded, np.where(occluded == total, self.maybe_free, np.inf))
        errors[:, :2] = np.minimum(errors[:, :2], (alike / total)[:, None])
        errors[:, 2] = np.minimum(errors[:, 2], np.where(self.is_parted, unseen, np.minimum(unseen, alike)) / total)
        return errors

    @property
    def is_claimed(self) -> dict[Assertion, Flags]:
        """(n,) each: checks of which nothing was found to be obscured, to be free, or to be seen, if not certain."""
        total, occluded = self.counts.sum(axis=1), self.counts @ PARTS[0]
        unblocked, covered = self.is_blocked & (occluded == 0.0), (occluded == total) & (total > 0.0)
        unseen = (self.counts @ PARTS[2] == 0.0) & (self.maybe_seen > 0.0)
        return {"open": unblocked & (total > 0.0), "covered": covered, "hidden": unseen & ~covered & (total > 0.0)}

    @property
    def is_proven(self) -> Flags:
        """(n,) whether it is proven that nothing is seen, or that nothing is obscured."""
        proven: Flags = (self.maybe_occluded == 0.0) | (self.maybe_free == 0.0) | (self.maybe_seen == 0.0)
        return proven

    def settle(self, number: int, claim: Claim) -> None:
        """Notes what is left of a claim on a check; where it is untrue, every pixel will be sampled."""
        maybe = {"open": self.maybe_occluded, "covered": self.maybe_free, "hidden": self.maybe_seen}[claim.says]
        maybe[number] = np.inf if claim.is_refuted else claim.unproven
        self.goals[number] *= not claim.is_refuted

    def show(self, number: int, places: Sequence[Floats]) -> None:
        """Samples the first of these places, (k, 2) for each picture of a check, in place of that of its pixel."""
        for picture, mine in zip(np.flatnonzero(self.check == number).tolist(), places, strict=True):
            if len(mine):
                self.sampled.show(picture, mine[0])
                break
        self._look()

    def refine(self) -> bool:
        """Goes one level down with the checks whose errors ask for it; False where there is none any more."""
        if self.sampled.width == 1:
            return False
        going_on, everywhere = self._wanting()
        if not going_on.any():
            return False
        self.settled[~going_on] += self.open[~going_on]
        self.sampled.settle(~going_on[self.check])
        is_first = self.sampled.width == self.questions[0].block
        scattered = everywhere & ((self.alone * OUTLINE).any(axis=1) | (self.goals == 0.0) | is_first)
        self.settled += self.sampled.refine(everywhere[self.check], scattered[self.check])
        self.is_coarse &= everywhere
        self._look()
        return True

    def _wanting(self) -> tuple[Flags, Flags]:
        """The checks (n,) whose contours are followed one level further, and those of which all cells are cut."""
        share, wholes = shares(self.counts)
        step = importance(share, wholes)
        loose = self.loose
        variance = self.settled + self.open + loose
        allowed = (self._aims(share, self._errors(variance)) / SIGMAS) ** 2
        wanting = (step * variance).sum(axis=1) > allowed
        settled = np.minimum(self.maybe_occluded, self.maybe_free) <= self.goals * wholes[:, 0]
        wanting &= ~(settled & ~self.is_parted & ((share[:, 0] == 0.0) | (share[:, 0] == 1.0)))
        everywhere = (step * loose).sum(axis=1) > LOOSE_SHARE**2 * allowed
        missed = (np.sqrt(step) * self.alone).sum(axis=1) * self.cell
        everywhere |= missed > MISSED_SHARE * SIGMAS * np.sqrt(allowed)
        everywhere &= wanting & self.is_coarse
        size_error = SIGMAS * np.sqrt((variance * OUTLINE).sum(axis=1))
        return wanting | (size_error > SIZE_ERROR * wholes[:, 0]), everywhere

    def _aims(self, share: Floats, errors: Floats) -> Floats:
        """(n,) the errors to go for: smaller than the goal where that tells on which side of a threshold a share is."""
        aims = np.where(self.is_thin, np.minimum(self.goals, THIN_GOAL), self.goals)
        for number, question in enumerate(self.questions):
            for value, error in ((share[number, 0], errors[number, 0]), (1.0 - share[number, 2], errors[number, 2])):
                for limit in question.thresholds:
                    if question.tolerance < (away := abs(value - limit)) <= NEAR * error:
                        aims[number] = min(aims[number], away / NEAR)
        return aims


def _is_blind(question: Question) -> bool:
    """Whether the attacker has no arc in which the target may lie."""
    return all(picture.arcs is not None and not picture.arcs for picture in question.pictures)


def _sampled(
    pictures: Sequence[Picture], reached: Sequence[Flags], block: int, renderer: Renderer, check: Places
) -> Sampled:
    """Pictures with a sample in each cell that a target may reach; on the renderer's device, where it counts there.

    Args:
        pictures: one at least.
        reached: for each picture, (height, width) in blocks, where its target may be.
        block: the width of a block, in pixels.
        renderer: casts the rays.
        check: (k,) the check to which each picture belongs; never less than the one before.
    """
    if renderer.capabilities.counts_on_device:
        from silhouette.measure.on_device.sampled import SampledOnDevice

        if SampledOnDevice.takes(pictures):
            return SampledOnDevice(pictures, reached, block, renderer, check)
    return SampledHere(Atlas.sampled(pictures, reached, block, renderer), check)
