"""TELL: the values of a result in words, for people; programs find them as they are in the page's embedded JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from silhouette.text import fraction_in_words

NAMES = {
    "in_arc": "some of it in the vision arc",
    "seen_pixels": "pixels seen",
    "modifier": "modifier to hit",
    "sight_line": "a free line",
    "to_hit": "modifier to hit",
    "dodge_parry": "dodge and parry",
    "along_edge": "along the edges of hexes",
    "d6": "die",
    "arc": "vision arc",
}
"""The names of keys whose own words say too little; all others are written with spaces."""

ELSEWHERE = frozenset(
    {
        *("attacker", "target", "rules", "verdict", "reason", "rule", "rule_number", "warnings", "expected", "unmet"),
        *("occluded", "occluded_in_arc", "error", "target_pixels", "occluded_pixels", "blockers"),
        *("marginal", "could_be", "renderer", "pixel", "decided_by", "projection"),
    }
)
"""The keys of which the page speaks in other places."""

SHARES = frozenset({"occluded", "alone", "occluded_in_arc", "error"})
"""The keys whose values are shares, from 0 to 1."""


CODES = frozenset({"cause"})
"""The keys whose values are one of a few words of the program, such as blind_hex."""

ADDRESSES = frozenset({"obstruction", "hexes", "blind_hexes"})
"""The keys whose values are addresses of hexes, which reasons write as [0, 3]."""


def result_in_words(row: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The name and the value of each key of a result that is not `ELSEWHERE`, without those that have no value.

    >>> result_in_words({"verdict": "open", "line_of_sight": True, "arc": None, "cover_from": [], "distance": 61.5})
    [('line of sight', 'yes'), ('distance', '61.5')]
    >>> result_in_words({"sight_line": [[0.0, 1.25], [3.0, 4.0]], "in_contact_with": ["wall", "hedge"]})
    [('a free line', '(0, 1.25), (3, 4)'), ('in contact with', 'wall, hedge')]
    >>> result_in_words({"cause": "blind_hex", "obstruction": [0, 2], "lines": [{"hexes": [[0, 1], [0, 2]]}]})
    [('cause', 'blind hex'), ('obstruction', '[0, 2]'), ('lines', 'hexes: [0, 1], [0, 2]')]
    """
    told = [(key, _value_of(key, value)) for key, value in row.items() if key not in ELSEWHERE]
    return [(name_in_words(key), words) for key, words in told if words]


def name_in_words(key: str) -> str:
    """The name of a key.

    >>> name_in_words("protected_by"), name_in_words("in_arc")
    ('protected by', 'some of it in the vision arc')
    """
    return NAMES.get(key, key.replace("_", " "))


def value_in_words(value: Any) -> str:
    """A value; empty where there is none.

    >>> value_in_words(False), value_in_words(None), value_in_words([]), value_in_words(-2), value_in_words(1 / 3)
    ('no', '', '', '-2', '0.3333')
    >>> value_in_words([{"reading": "hills = solid", "occluded": 0.25, "cover": None}])
    'reading: hills = solid, occluded: 25.0 %'
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, Mapping):
        pairs = [(key, _share(part) if key in SHARES else _value_of(key, part)) for key, part in value.items()]
        return ", ".join(f"{name_in_words(key)}: {words}" for key, words in pairs if words)
    if isinstance(value, list | tuple):
        if value and all(isinstance(part, list | tuple) for part in value):
            return ", ".join(f"({value_in_words(part)})" for part in value)
        return ("; " if any(isinstance(part, Mapping) for part in value) else ", ").join(map(value_in_words, value))
    return str(value)


def _value_of(key: str, value: Any) -> str:
    """The value of a key: codes of the program in words, addresses of hexes as reasons write them."""
    if key in CODES and isinstance(value, str):
        return value.replace("_", " ")
    if key in ADDRESSES and value:
        several = value if isinstance(value[0], list | tuple) else [value]
        return ", ".join(f"[{value_in_words(address)}]" for address in several)
    return value_in_words(value)


def _share(value: Any) -> str:
    return fraction_in_words(value) if isinstance(value, float) else value_in_words(value)
