"""JUDGE: Necromunda, the verdict type, and its row for JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Self

from silhouette.measure.observation import OcclusionCounts
from silhouette.models.entries import ArcName
from silhouette.rules.base import Level, MeasuredVerdict, Measurement, decides
from silhouette.rules.fields import (
    ARC,
    BLOCKERS,
    COULD_BE,
    ERROR,
    GROUNDS,
    IN_ARC,
    LINE_OF_SIGHT,
    MANNER,
    MARGINAL,
    OCCLUDED,
    OCCLUDED_IN_ARC,
    OCCLUDED_PIXELS,
    OTHER_READINGS,
    PIXEL,
    RENDERER,
    SEEN_PIXELS,
    TARGET_PIXELS,
    VERDICT,
    WARNINGS,
    WHO,
    ResultField,
)

NAME = "necromunda"

LEVELS: Mapping[str, Level] = {
    "open": Level.CLEAR,
    "partial cover": Level.PARTIAL,
    "full cover": Level.FULL,
    "hidden": Level.BLOCKED,
}
"""Each verdict's level, from exposed to covered."""

VERDICTS = tuple(LEVELS)
"""The verdicts, from exposed to covered."""


@dataclass(frozen=True)
class NecromundaVerdict(MeasuredVerdict):
    """A Necromunda verdict with its evidence. What could be lies within the error or the tolerance.

    Attributes:
        arc: the vision arc that the check names, or that of the crew member who sees best; None for any.
        is_facing_known: whether it is known where the attacker faces; where it is not, the verdict is that of a target
            in the vision arc.
        is_share_in_arc: whether the share that decides is that of the target's part in the arc, by the reading (A1).
    """

    measurement: Measurement = field(kw_only=True)
    arc: ArcName | None = None
    is_facing_known: bool = True
    is_share_in_arc: bool = False

    fields: ClassVar[tuple[ResultField, ...]] = (
        *(*WHO, VERDICT, LINE_OF_SIGHT, IN_ARC, OCCLUDED, OCCLUDED_IN_ARC, ERROR),
        *(TARGET_PIXELS, OCCLUDED_PIXELS, SEEN_PIXELS, BLOCKERS, MARGINAL, COULD_BE, OTHER_READINGS),
        *(*GROUNDS, RENDERER, PIXEL, *MANNER, WARNINGS, ARC),
    )

    @property
    def counts(self) -> OcclusionCounts:
        """The pixels and errors as measured for cover."""
        return self.measurement.counts

    @property
    def occluded(self) -> float:
        """The obscured share of the target's significant parts, from 0 to 1; 0 where they show no pixel."""
        return self.measurement.occluded

    @property
    def occluded_in_arc(self) -> float | None:
        """The obscured share of the target's part in the vision arcs, from 0 to 1; None where no part is in them."""
        return self.measurement.occluded_in_arc

    @property
    def share(self) -> tuple[float | None, float]:
        """The obscured share that decides, and its error: of the whole target, or of its part in the arc."""
        if self.is_share_in_arc:
            return self.occluded_in_arc, self.counts.error_in_arc
        return self.occluded, self.counts.error

    @property
    def in_arc(self) -> bool | None:
        """Whether some of the target lies in a vision arc; None where that cannot be known.

        So it is where it is unknown where the attacker faces, and where the target has no area in the picture.
        """
        return self.counts.in_arc > 0 if self.is_facing_known and self.counts.total else None

    @property
    def marginal(self) -> bool:
        """Whether another verdict holds within the error or the tolerance: the players should roll off (R20).

        Always where it is unknown where the attacker faces (contract, section 3).
        """
        return len(self.could_be) > 1 or not self.is_facing_known

    def could_also_be(self, others: Sequence[str], why: str) -> Self:
        """See `silhouette.rules.base.Verdict`."""
        possible = tuple(word for word in VERDICTS if word in self.could_be or word in others)
        return replace(self, could_be=possible, reason=self.reason + decides(others, why))
