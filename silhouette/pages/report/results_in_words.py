"""TELL: the values of a result in words, for people; programs find them as they are in the page's embedded JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from silhouette.rules.fields import ResultField
from silhouette.text import fraction_in_words


def result_in_words(row: Mapping[str, Any], fields: Sequence[ResultField]) -> list[tuple[str, str]]:
    """The name and the value of each key of a result that is a detail, without those that have no value.

    Args:
        row: of the result.
        fields: its keys.

    >>> from silhouette.rules.fields import ARC, LINE_OF_SIGHT, VERDICT
    >>> row = {"verdict": "open", "line_of_sight": True, "arc": None, "distance": 61.5}
    >>> result_in_words(row, (VERDICT, LINE_OF_SIGHT, ARC, ResultField("distance", float, "")))
    [('line of sight', 'yes'), ('distance', '61.5')]
    >>> sight_line = ResultField("sight_line", list, "", label="a free line")
    >>> result_in_words({"sight_line": [[0.0, 1.25], [3.0, 4.0]]}, [sight_line])
    [('a free line', '(0, 1.25), (3, 4)')]
    >>> lines = ResultField("lines", list, "", parts=(ResultField("hexes", list, "", form="address"),))
    >>> result_in_words({"lines": [{"hexes": [[0, 1], [0, 2]]}]}, [lines])
    [('lines', 'hexes: [0, 1], [0, 2]')]
    """
    known = {field.key: field for field in fields}
    details = [(field, _value_of(field, row[key], known)) for key, field in known.items() if key in row]
    order = list(row)
    details.sort(key=lambda detail: order.index(detail[0].key))
    return [(field.name, words) for field, words in details if words and field.is_detail]


def value_in_words(value: Any, known: Mapping[str, ResultField]) -> str:
    """A value; empty if there is none.

    Args:
        value: of JSON.
        known: the fields of the tables in it, by their keys.

    >>> [value_in_words(value, {}) for value in (False, None, [], -2, 1 / 3)]
    ['no', '', '', '-2', '0.3333']
    >>> from silhouette.rules.fields import OCCLUDED
    >>> value_in_words([{"reading": "hills = solid", "occluded": 0.25, "cover": None}], {"occluded": OCCLUDED})
    'reading: hills = solid, occluded: 25.0 %'
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, Mapping):
        fields = [known.get(key, ResultField(key, Any, "")) for key in value]
        pairs = [(field, _value_of(field, value[field.key], known)) for field in fields]
        return ", ".join(f"{field.name}: {words}" for field, words in pairs if words)
    if isinstance(value, list | tuple):
        if value and all(isinstance(part, list | tuple) for part in value):
            return ", ".join(f"({value_in_words(part, known)})" for part in value)
        between = "; " if any(isinstance(part, Mapping) for part in value) else ", "
        return between.join(value_in_words(part, known) for part in value)
    return str(value)


def _value_of(field: ResultField, value: Any, known: Mapping[str, ResultField]) -> str:
    """The value of a key: codes of the program in words, addresses of hexes as reasons write them."""
    if field.form == "share" and isinstance(value, float):
        return fraction_in_words(value)
    if field.form == "code" and isinstance(value, str):
        return value.replace("_", " ")
    if field.form == "address" and value:
        several = value if isinstance(value[0], list | tuple) else [value]
        return ", ".join(f"[{value_in_words(address, known)}]" for address in several)
    return value_in_words(value, {part.key: part for part in field.parts} or known)
