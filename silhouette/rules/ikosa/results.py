"""JUDGE: Ikosa, the verdict, and the row of a result that is made of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from silhouette.rules.base import Level, Verdict
from silhouette.rules.fields import GROUNDS, OTHER_READINGS, VERDICT, WHO, ResultField
from silhouette.rules.ikosa.lines import Lines

NAME = "ikosa"

LEVELS: Mapping[str, Level] = {
    "no cover": Level.CLEAR,
    "cover": Level.PARTIAL,
    "no line of effect": Level.BLOCKED,
}
"""Each verdict's level, from exposed to covered."""

VERDICTS = tuple(LEVELS)


@dataclass(frozen=True)
class IkosaVerdict(Verdict):
    """An Ikosa ruling with its evidence.

    Attributes:
        drawn: the lines that decided.
        cover: whether at least one line is hindered.
        line_of_effect: whether at least one line is free, or none is needed.
        cover_value: 0, 2, 4 or 8 where the scene asks for graded cover, else None.
    """

    drawn: Lines
    cover: bool
    line_of_effect: bool
    cover_value: int | None = None

    fields: ClassVar[tuple[ResultField, ...]] = (
        *(*WHO, VERDICT),
        ResultField("cover", bool, "whether at least one line is hindered"),
        ResultField("line_of_effect", bool, "whether at least one line is free, or none is needed"),
        ResultField("source_points", int, "how many corners lines start from", at="drawn.sources", value=len),
        ResultField("target_points", int, "how many corners lines end at", at="drawn.targets", value=len),
        ResultField("lines", int, "how many are drawn", at="drawn.count"),
        ResultField("blocked", int, "how many of them pass through terrain", at="drawn.blocked"),
        ResultField(
            "gravity_face_excluded", bool, "whether a face is left out for gravity", at="drawn.gravity_face_excluded"
        ),
        ResultField("cover_value", int, "0, 2, 4 or 8, if the scene asks for graded cover", optional=True),
        *(*GROUNDS, OTHER_READINGS),
    )
