"""DRAW: why a verdict is as it is, in one sentence below a figure, in the language of the figure.

In English it is the sentence of the rules. In the other languages it is composed from the keys of the result: who, what
is in the way, how many lines; it says what decided, and less of how.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from silhouette.drawing.words.words import Words

Row = Mapping[str, Any]

BY_CARD = "R15"
"""The rule of Crisis Protocol by which a card gives cover, whatever terrain does."""

IN_ONE_CELL = "A7"
"""The rule of Ikosa for two who share a cell."""


def why(words: Words, row: Row) -> str:
    """The sentence for a result, from its row.

    >>> seen = {"rules": "tide-of-iron", "attacker": "A", "target": [2, 0], "cause": "clear", "along_edge": False}
    >>> why(Words("de"), {**seen, "obstruction": None, "reason": "nothing blocks the line"})
    'A sieht [2, 0]; nichts blockiert die Linie.'
    >>> why(Words(), {**seen, "reason": "nothing blocks the line"}), why(Words(), {"reason": ""})
    ('Nothing blocks the line.', '')
    """
    if words.language == "en":
        reason = str(row["reason"])
        reason += "." * bool(reason)
    else:
        reason = _COMPOSED.get(row["rules"], _of_table)(words, row)
    return reason[:1].upper() + reason[1:]


def share_of_blocker(words: Words, name: str, share: float) -> str:
    """A blocker's name with its share."""
    return words("blocker", name=name, share=words.share(round(share * 1e9), 10**9))


def _of_table(words: Words, row: Row) -> str:
    by = ", ".join(share_of_blocker(words, one["name"], one["occluded"]) for one in row["blockers"] if one["occluded"])
    share = words.share(row["occluded_pixels"], row["target_pixels"])
    if not row.get("in_arc", True):
        return words("why out of arc", target=row["target"])
    key = "why nothing" if not row["occluded_pixels"] else "why some" if row["line_of_sight"] else "why all"
    return words(key, share=share, target=row["target"], by=by)


def _of_plan(words: Words, row: Row) -> str:
    if not row["line_of_sight"]:
        key, by = "why no free line", row["blockers"]
    elif row["cover"]:
        key, by = "why granted" if row["rule_number"] == BY_CARD else "why cover", row["cover_from"]
    else:
        key, by = "why seen" if row["cover"] is None else "why a free line", ()
    return words(key, attacker=row["attacker"], target=row["target"], by=", ".join(by))


def _of_cells(words: Words, row: Row) -> str:
    told = {key: row[key] for key in ("attacker", "target", "lines", "blocked")}
    without = "why one cell" if row["rule_number"] == IN_ONE_CELL else "why no face"
    reason = words("why lines" if row["lines"] else without, **told)
    return words("why gravity", why=reason) if row["gravity_face_excluded"] else reason


def _of_hexes(words: Words, row: Row) -> str:
    key = "why one side clear" if row["along_edge"] and row["cause"] == "clear" else f"why {row['cause']}"
    who = {key: row[key] for key in ("attacker", "target")}
    if row["cause"] == "blind_hex" and row["elevations"][0] < row["elevations"][1]:
        who["target"] = row["attacker"]  # the lower of the two is the one in the blind hex
    return words(key, **who, at=row["obstruction"])


_COMPOSED: Mapping[str, Callable[[Words, Row], str]] = {
    "crisis-protocol": _of_plan,
    "ikosa": _of_cells,
    "tide-of-iron": _of_hexes,
}
