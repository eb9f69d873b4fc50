"""JUDGE: what a scene expects of a check: whether any check can give that, and whether this one gave it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Required, get_args, get_origin, get_type_hints

from typing_extensions import TypedDict

from silhouette.files.schema import Location
from silhouette.text import as_written, did_you_mean, in_quotes


class BlockerRow(TypedDict, total=False):
    """A piece in the way, in the results of every game: its name, and what is known of it. Shares are from 0 to 1."""

    name: Required[str]
    occluded: float
    """The share of the target of which it is the nearest blocker."""
    alone: float
    """The share that it would obscure with nothing else on the table."""


OF_ODDS = ("odds_error", "trials", "call", "doubt_from")
"""The keys of odds of which something can be expected."""


def keys_of(row_type: Any) -> tuple[str, ...]:
    """The keys of a row that is declared as a TypedDict, in order, those of its bases first.

    >>> keys_of(BlockerRow)
    ('name', 'occluded', 'alone')
    """
    return tuple(get_type_hints(row_type))


def list_keys_of(row_type: Any) -> tuple[str, ...]:
    """The keys of such a row whose values are lists, or may be.

    >>> class Row(TypedDict):
    ...     name: str
    ...     lines: list[float] | None
    >>> list_keys_of(Row), list_keys_of(BlockerRow)
    (('lines',), ())
    """
    return tuple(key for key, kind in get_type_hints(row_type).items() if _may_be_list(kind))


def _may_be_list(kind: Any) -> bool:
    return get_origin(kind) is list or (any(map(_may_be_list, get_args(kind))) and get_origin(kind) is not dict)


def expectable(location: Location, expect: Mapping[str, Any], results: Sequence[str], lists: Sequence[str]) -> None:
    """Refuses an expectation under a key that no row has, or of a list that is neither a value nor a range.

    Args:
        location: of the check, for messages.
        expect: the expectations: a value, or ``[least, most]``, by key.
        results: the keys that a row may have.
        lists: the keys whose values are lists, so that a list is a value and not a range.

    Raises:
        FileError: one line, with the nearest key.

    >>> from pathlib import Path
    >>> expectable(Location(Path("duel.toml"), "check 1"), {"occludd": 0.3}, ["verdict", "occluded"], [])
    Traceback (most recent call last):
    ...
    silhouette.errors.FileError: duel.toml: check 1: expect: no result is called 'occludd'; did you mean 'occluded'?
    """
    for key, wanted in expect.items():
        if key not in results:
            raise location.error(f"expect: no result is called '{key}'; {did_you_mean(key, results)}")
        if isinstance(wanted, list) and key not in lists and _range(wanted) is None:
            raise location.error(f"expect: {key} is {as_written(wanted)}; it must be a value, or [least, most]")


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
