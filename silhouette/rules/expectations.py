"""JUDGE: what a scene expects of a check: whether any check can give that, and whether this one gave it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from silhouette.files.schema import Location
from silhouette.rules.fields import COULD_BE, ResultField
from silhouette.scenes.scene import Check
from silhouette.text import as_written, did_you_mean, in_quotes


def expectable(location: Location, expect: Mapping[str, Any], fields: Sequence[ResultField]) -> None:
    """Refuses an expectation under a key that no row has, or of a list that is neither a value nor a range.

    Args:
        location: of the check, for messages.
        expect: the expectations: a value, or ``[least, most]``, by key.
        fields: those that a row may have.

    Raises:
        FileError: one line, with the nearest key.

    >>> from pathlib import Path
    >>> from silhouette.rules.fields import OCCLUDED, VERDICT
    >>> expectable(Location(Path("duel.toml"), "check 1"), {"occludd": 0.3}, [VERDICT, OCCLUDED])
    Traceback (most recent call last):
    ...
    silhouette.errors.FileError: duel.toml: check 1: expect: no result is called 'occludd'; did you mean 'occluded'?
    """
    known = {field.key: field for field in fields}
    for key, value in expect.items():
        if key not in known:
            raise location.error(f"expect: no result is called '{key}'; {did_you_mean(key, list(known))}")
        if isinstance(value, list) and not known[key].is_list and _range(value) is None:
            raise location.error(f"expect: {key} is {as_written(value)}; it must be a value, or [least, most]")


def expectable_word(location: Location, key: str, word: object, known: Sequence[str]) -> None:
    """Refuses the expectation of a word, such as a verdict, that no check can give.

    Raises:
        FileError: one line, with the nearest word.

    >>> from pathlib import Path
    >>> expectable_word(Location(Path("duel.toml"), "check 1"), "verdict", None, ["open", "hidden"])
    Traceback (most recent call last):
    ...
    silhouette.errors.FileError: duel.toml: check 1: expect: no verdict is null; there are 'open', 'hidden'
    """
    if word not in known:
        near = did_you_mean(word if isinstance(word, str) else "", known)
        raise location.error(f"expect: no {key} is {in_quotes(word)}; {near}")


def check_expectations(
    path: Path, checks: Sequence[Check], fields: Sequence[ResultField], words: Mapping[str, Sequence[str]]
) -> None:
    """Refuses an expectation of a key, or of a word such as a verdict, that no check can give.

    Args:
        path: of the scene.
        checks: with what they expect.
        fields: those that a row may have.
        words: those that there are, by the keys that have them.

    Raises:
        FileError: one line, with the known words that are nearest.
    """
    for number, check in enumerate(checks, 1):
        location, expect = Location(path, f"check {number}"), check.expect or {}
        for key in [key for key in words if key in expect]:
            value = expect[key]
            for word in value if isinstance(value, list) and COULD_BE in fields else [value]:
                expectable_word(location, key, word, words[key])
        expectable(location, expect, fields)


def _range(wanted: Sequence[object]) -> tuple[float, float] | None:
    """The least and the most of a range of numbers; None for anything else."""
    match wanted:
        case [bool(), _] | [_, bool()]:
            return None
        case [int() | float() as least, int() | float() as most]:
            return least, most
    return None


def _names_of(value: Any) -> Any:
    """The names of pieces with a name; any other value as it is."""
    if isinstance(value, list) and value and all(isinstance(one, Mapping) and "name" in one for one in value):
        return [one["name"] for one in value]
    return value


def unmet_expectations(row: Mapping[str, Any], expect: Mapping[str, Any]) -> list[str]:
    """The expectations that a row does not meet, a few words each; none where it meets all.

    An expectation is a value, or ``[least, most]`` for a number; of pieces with a ``name`` their names will do.

    >>> unmet_expectations({"verdict": "open", "occluded": 0.0}, {"verdict": "open", "occluded": [0, 0.1]})
    []
    >>> unmet_expectations({"verdict": "open"}, {"verdict": "hidden", "colour": "red"})
    ["verdict is 'open', not 'hidden'", "there is no result 'colour'"]
    >>> unmet_expectations({"occluded": None}, {"occluded": [0.2, 0.3]})
    ['occluded is null, not 0.2 to 0.3']
    >>> unmet_expectations({"blockers": [{"name": "wall", "occluded": 0.3}]}, {"blockers": ["wall"]})
    []
    >>> unmet_expectations({"marginal": True}, {"marginal": 1})
    ['marginal is true, not 1']
    """
    unmet = []
    for key, wanted in expect.items():
        if key not in row:
            unmet.append(f"there is no result {in_quotes(key)}")
            continue
        value = row[key]
        if isinstance(wanted, list) and not any(isinstance(one, Mapping) for one in wanted):
            value = _names_of(value)
        if isinstance(wanted, list) and not isinstance(value, list):
            bounds = _range(wanted)
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            if bounds is None:
                unmet.append(f"{key} is {in_quotes(value)}, not {in_quotes(wanted)}")
            elif not (is_number and bounds[0] <= value <= bounds[1]):
                unmet.append(f"{key} is {in_quotes(value)}, not {bounds[0]} to {bounds[1]}")
        elif value != wanted or isinstance(value, bool) != isinstance(wanted, bool):
            unmet.append(f"{key} is {in_quotes(value)}, not {in_quotes(wanted)}")
    return unmet
