"""DOUBT: which of several doubts weighs most: the part of what differs between trials that each explains alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from silhouette.doubt.deviations import Deviation
from silhouette.geometry import Floats

BINS = 8
"""The trials are put in so many groups by the number that was drawn."""

SELDOM = 0.05
"""Where fewer trials than this have another verdict than most, the verdict says too little of what it hangs on."""


def weights(deviations: Sequence[Deviation], drawn: Floats, levels: Any, shares: Floats) -> dict[Any, float]:
    """The part, 0 to 1, of the variance among trials that each source of doubt explains by itself.

    These are Sobol's indices of first order, from the trials at hand: the variance of the means of groups of trials
    with like numbers, less what the mean of so few trials varies anyway; those of one source are added up. What varies
    is the verdict; where nearly all trials agree in that, the share.

    Args:
        deviations: d of them.
        drawn: (s, n, d) the numbers drawn.
        levels: (s, n) the verdicts as numbers, from exposed to covered.
        shares: (s, n) the shares; nan where there is none.
    """
    value = levels.ravel().astype(np.float64)
    if np.bincount(levels.ravel()).max() > (1.0 - SELDOM) * len(value) and not np.isnan(shares).all():
        value = np.nan_to_num(shares.ravel(), nan=float(np.nanmean(shares)))
    found: dict[Any, float] = dict.fromkeys((deviation.source for deviation in deviations), 0.0)
    whole = float(value.var())
    if whole > 0.0:
        explained = _explained(drawn.reshape(len(value), -1), value) / whole
        for deviation, part in zip(deviations, explained.tolist(), strict=True):
            found[deviation.source] += part
    return found


def _explained(drawn: Floats, value: Floats) -> Floats:
    """(d,) the variance of values (n,) that each of the numbers drawn (n, d) explains."""
    groups = np.array_split(np.argsort(drawn, axis=0, kind="stable"), BINS)
    means = np.array([value[group].mean(axis=0) for group in groups])
    within = np.array([value[group].var(axis=0, ddof=1) / len(group) for group in groups])
    explained: Floats = ((means - value.mean()) ** 2).mean(axis=0) - (1.0 - 1.0 / BINS) * within.mean(axis=0)
    return explained
