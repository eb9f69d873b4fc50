"""COUNT: questions -> batches that memory holds -> surveys, refined -> claims proven -> counts and masks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from silhouette.measure.bits import FEW, measured_in_bits
from silhouette.measure.claims import claim_of
from silhouette.measure.observation import NOTHING, OBSCURED, OUTSIDE, SEEN, Mask, OcclusionCounts
from silhouette.measure.question import Measured, Question, occlusion_counts
from silhouette.measure.sampled import Sampled
from silhouette.measure.sampling import IN_ARC, OCCLUDED, TARGET
from silhouette.measure.survey import Survey
from silhouette.measure.witness import counted_by_rays
from silhouette.renderers.protocol import Renderer
from silhouette.renderers.registry import looking_between_pixels

PIXELS_TOGETHER = 12_000_000
"""The most pixels that are measured together, some 64 pictures and 200 MB, unless a renderer states another bound in
`Capabilities.pixels_together`."""


def measured(questions: Sequence[Question], renderer: Renderer, keep: bool = False) -> list[Measured]:
    """What is found for each question; it does not depend on the other questions.

    Args:
        questions: what is asked.
        renderer: casts the rays.
        keep: whether the masks are kept.
    """
    found: dict[int, Measured] = {}
    exact = looking_between_pixels() if renderer.capabilities.slow_launch else renderer
    for together in _batches(questions, renderer):
        survey = Survey([questions[number] for number in together], renderer)
        refuted = []
        for says, claimed in survey.is_claimed.items():
            for number in np.flatnonzero(claimed).tolist():
                # Where the attacker has no arc towards the target, only the share's error depends on it.
                claim = claim_of(survey.questions[number].pictures, says, exact, not survey.is_blind[number])
                survey.settle(number, claim)
                refuted += [(number, claim)] * claim.is_refuted
        while survey.refine():
            pass
        for number, claim in refuted:
            if survey.is_claimed[claim.says][number]:
                survey.show(number, claim.against)
        for number, one in zip(together, _results(survey, keep), strict=True):
            in_bits = measured_in_bits(questions[number], exact) if one.counts.total < FEW else None
            found[number] = one if in_bits is None else replace(in_bits, masks=one.masks)
    return [found[number] for number in range(len(questions))]


def measured_by_rays(questions: Sequence[Question], renderer: Renderer, keep: bool = False) -> list[Measured]:
    """What a witness counts for each question; the arguments are those of `measured`.

    Where all its rays show the same, or hardly any meets the target, nothing is certain by them: `measured` answers.
    """
    answers = list[Measured]()
    for question in questions:
        rays = counted_by_rays(question.pictures, renderer, keep)
        answers.append(Measured(rays.counts, question.pixel, "count", rays.masks))
    open_ = [number for number, answer in enumerate(answers) if _is_left_open(answer.counts)]
    if open_:
        exact = measured([questions[number] for number in open_], looking_between_pixels(), keep)
        for number, answer in zip(open_, exact, strict=True):
            answers[number] = answer
    return answers


def _is_left_open(counts: OcclusionCounts) -> bool:
    """Whether rays leave open whether anything is obscured, or seen, or do not meet enough of the target to tell."""
    unobscured, unseen = not counts.occluded and counts.error > 0.0, not counts.seen and counts.error_seen > 0.0
    return counts.total < FEW or unobscured or unseen


def _batches(questions: Sequence[Question], renderer: Renderer) -> Iterator[list[int]]:
    """The numbers of questions that are measured together: of one width of blocks, and not more than memory holds."""
    bound = renderer.capabilities.pixels_together
    most = PIXELS_TOGETHER if bound is None else bound
    by_block: dict[int, list[int]] = {}
    for number, question in enumerate(questions):
        by_block.setdefault(question.block, []).append(number)
    for numbers in by_block.values():
        batch, pixels = list[int](), 0
        for number in numbers:
            size = sum(picture.view.width * picture.view.height for picture in questions[number].pictures)
            if batch and pixels + size > most:
                yield batch
                batch, pixels = [], 0
            batch.append(number)
            pixels += size
        yield batch


def _results(survey: Survey, keep: bool) -> Iterator[Measured]:
    """What was found for each question of a survey."""
    nearest, alone = survey.sampled.blockers()
    first = np.cumsum([0, *(len(picture.blockers) for picture in survey.sampled.pictures)])
    errors = survey.errors
    for number, question in enumerate(survey.questions):
        mine = np.flatnonzero(survey.check == number).tolist()
        blockers = [slice(first[picture], first[picture + 1]) for picture in mine]
        counts = occlusion_counts(
            survey.counts[number],
            np.sum([nearest[part] for part in blockers], axis=0),
            np.sum([alone[part] for part in blockers], axis=0),
            errors[number],
        )
        masks = tuple(_mask(survey.sampled, picture) for picture in mine) if keep else ()
        yield Measured(counts, question.pixel, "proof" if survey.is_proven[number] else "count", masks)


def _mask(sampled: Sampled, picture: int) -> Mask:
    """The pixels of a picture, as they were counted."""
    view = sampled.pictures[picture].view
    kind, nearest = sampled.mask(picture)
    shown = np.s_[: view.height, : view.width]
    kind = kind[shown]
    free = np.where(kind & IN_ARC > 0, SEEN, np.where(kind & TARGET > 0, OUTSIDE, NOTHING))
    kinds = np.where(kind & OCCLUDED > 0, OBSCURED, free).astype(np.uint8)
    return Mask(view, kinds, nearest[shown])
