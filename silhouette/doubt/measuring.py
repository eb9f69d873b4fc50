"""DOUBT: what is left in doubt where every piece stands where it stands: the error of measuring, drawn again and again.

check -> its observations, measured once -> the same with other counts, within their errors -> a verdict for each
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from silhouette.doubt.trials import Trials
from silhouette.geometry import Floats
from silhouette.measure.error import SIGMAS
from silhouette.measure.observation import Observation, OcclusionCounts, Sight
from silhouette.measure.observe import PLAIN, Wanted
from silhouette.renderers.protocol import Renderer
from silhouette.rules.base import Settings, Verdict
from silhouette.scenes.scene import Check


def remeasured(trials: Trials, check: Check, settings: Settings, drawn: Floats) -> list[Verdict]:
    """The verdicts of a check as it might have been measured, one for each standard normal number (n,)."""
    recorder = Recorder(settings)
    trials.rule.judge([(trials.scene, check)], replace(settings, observe=recorder))
    played = Replay(recorder.observed, drawn)
    return list(trials.rule.judge([(trials.scene, check)] * len(drawn), replace(settings, observe=played)))


class Recorder:
    """An `Observer` that keeps what another one finds.

    Args:
        settings: whose observer measures.
    """

    def __init__(self, settings: Settings) -> None:
        self._observe = settings.observe
        self.observed: list[list[Observation]] = []

    def __call__(
        self, sights: Sequence[Sight], renderer: Renderer, pixel: float, wanted: Wanted = PLAIN
    ) -> list[Observation]:
        """What the other one finds."""
        found = self._observe(sights, renderer, pixel, wanted)
        self.observed.append(found)
        return found


@dataclass
class Replay:
    """An `Observer` that measures nothing: it gives what was found before, with other counts for each trial.

    Attributes:
        observed: what was found at each call, for one question.
        drawn: (n,) a standard normal number for each of the n questions that are asked now, all the same one.
    """

    observed: list[list[Observation]]
    drawn: Floats

    def __call__(
        self, sights: Sequence[Sight], renderer: Renderer, pixel: float, wanted: Wanted = PLAIN
    ) -> list[Observation]:
        """The observations of this call, for each question in turn."""
        found, *self.observed = self.observed
        return [replace(one, counts=redrawn(one.counts, number)) for number in self.drawn.tolist() for one in found]


def redrawn(counts: OcclusionCounts, number: float) -> OcclusionCounts:
    """The counts that another measurement might have given, with shares larger by ``number`` standard deviations.

    >>> counts = OcclusionCounts(10_000, 5_010, 10_000, 5_010, (), (), 0.003, 0.003, 0.003)
    >>> redrawn(counts, 0.0).occluded, redrawn(counts, 2.0).occluded, redrawn(counts, -2.0).seen
    (5010, 5030, 5010)
    >>> redrawn(OcclusionCounts(10_000, 0, 10_000, 0, (), (), 0.0, 0.0, 0.0), 2.0).occluded
    0
    """
    by = round(number * counts.error / SIGMAS * counts.total)
    within = round(number * counts.error_in_arc / SIGMAS * counts.in_arc)
    occluded_in_arc = int(np.clip(counts.occluded_in_arc + within, 0, counts.in_arc))
    return replace(
        counts,
        occluded=int(np.clip(counts.occluded + by, 0, counts.total)),
        occluded_in_arc=occluded_in_arc if counts.error_seen else counts.occluded_in_arc,
    )
