"""DRAW: what the figures of games by data say, except their clauses; translated in ``locale/``."""

from __future__ import annotations

from collections.abc import Mapping

from silhouette.rules.base import Phrase

PHRASES: Mapping[str, Phrase] = {
    "plan of clauses": "Seen from above, x to the right and y up; numbers in inches.",
    "plan in squares": "Seen from above, x to the right and y up; numbers in squares.",
    "line crosses": "lines with something in the way",
    "line is free": "lines with nothing in the way",
    "corners clear": "lines from corner to corner, which are clear",
    "corners blocked": "lines from corner to corner, which are blocked",
    "sight line": "line of sight",
    "line is blocked": "the best line of sight, which is blocked",
    "no line": "where no line of sight gets through",
    "nearest points": "nearest points: {length}",
    "touch": "where they touch",
    "decides": "decides",
    "hides": "hides something",
    "models": "Each model as it was measured, from the eye that looked at it.",
    "row": "{name}: {some} of {count}",
    "counts": "counts for clause {number}",
    "counts not": "does not count for clause {number}",
    "counted": (
        "Counted for clause {number}: {some} of {count} model: {names}.",
        "Counted for clause {number}: {some} of {count} models: {names}.",
    ),
    "counted none": (
        "Counted for clause {number}: none of {count} model.",
        "Counted for clause {number}: none of {count} models.",
    ),
}
