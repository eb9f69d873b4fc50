"""KEEP: the rows that a bundle has against those that its scene gives here: to the bit, within the error, or not.

Words, yes or no, and names must be the same. Shares are the same where they lie as far apart as their two errors
together allow: renderers, and machines, round in different places. Of some numbers no error is stated:

- the share of a blocker may differ by one per cent more than that of all of them;
- counts of pixels, which are right to two per cent each, may differ by five, as areas;
- per cent in a sentence may differ by one more than shares may, where these differ or are told nowhere else;
- coordinates and lengths may differ by a thousand-millionth.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from silhouette.judging import Judged
from silhouette.rules.fields import SHARED, Comparison

Row = Mapping[str, Any]
Sameness = Literal["to the bit", "within the error", "differs"]

ALONE = 0.01
"""By how much the shares of single blockers may differ beyond the error."""
AREA = 0.05
"""By how much areas of pixels may differ, as a share of the target's."""
ROUNDING = 1e-9
"""By how much coordinates and lengths may differ, as a share of their size."""
_TINY = 25
"""Pixels by which counts of few may differ."""

_COMPARED: Mapping[str, Comparison] = {
    field.key: field.compared for field in (*SHARED.values(), *Judged.fields) if field.compared != "exactly"
}
"""How the values of keys are compared that need not be the same."""
_PERCENT = re.compile(r"\d+(?:\.\d+)?(?= ?%)")


@dataclass(frozen=True)
class Difference:
    """A key of a row whose value is another one.

    Attributes:
        key: of the row.
        then: the value in the bundle.
        now: the value here; None where there is no such key.
    """

    key: str
    then: Any
    now: Any


@dataclass(frozen=True)
class Compared:
    """One check, judged twice.

    Attributes:
        number: of the check, from 1.
        label: who looks at whom, or what is asked.
        sameness: of its two rows.
        differences: the keys that differ, by more than the errors allow; empty where the rows are the same.
    """

    number: int
    label: str
    sameness: Sameness
    differences: tuple[Difference, ...] = ()


def compared(then: Sequence[Row], now: Sequence[Row], *, alike: bool = True) -> list[Compared]:
    """Each check of a bundle, compared.

    Args:
        then: the rows in the bundle.
        now: the rows here.
        alike: whether both were asked for with the same pixel and error; elsewhere stated errors may differ at will.

    >>> row = {"attacker": "Kal", "target": "Vex", "verdict": "open", "occluded": 0.20, "error": 0.001}
    >>> compared([row], [row])[0].sameness
    'to the bit'
    >>> compared([row], [{**row, "occluded": 0.2015}])[0].sameness
    'within the error'
    >>> compared([row], [{**row, "occluded": 0.21}])[0].differences
    (Difference(key='occluded', then=0.2, now=0.21),)
    """
    done = []
    for number in range(max(len(then), len(now))):
        one = then[number] if number < len(then) else None
        other = now[number] if number < len(now) else None
        if one is None or other is None:
            what = Difference("verdict", None if one is None else one.get("verdict"), (other or {}).get("verdict"))
            done.append(Compared(number + 1, _label(one or other or {}), "differs", (what,)))
        else:
            done.append(_compared(number + 1, one, other, alike))
    return done


def _compared(number: int, then: Row, now: Row, alike: bool) -> Compared:
    label = _label(now)
    keys = list(dict.fromkeys([*then, *now]))
    unequal = [key for key in keys if key not in then or key not in now or not _is_equal(then[key], now[key])]
    if isinstance(then.get("renderer"), str) and isinstance(now.get("renderer"), str):
        unequal = [key for key in unequal if _COMPARED.get(key) != "setting"]
    if not unequal:
        return Compared(number, label, "to the bit")
    # A row may tell of a share in its sentence alone.
    shares = any(_COMPARED.get(key) in ("share", "blockers") for key in unequal)
    shares = shares or not any(_COMPARED.get(key) == "share" for key in keys)
    tolerance = _error(then) + _error(now)
    wrong = [key for key in unequal if not _within(key, then, now, tolerance, shares=shares, alike=alike)]
    differences = tuple(Difference(key, then.get(key), now.get(key)) for key in wrong)
    return Compared(number, label, "differs" if wrong else "within the error", differences)


def _is_equal(one: Any, other: Any) -> bool:
    """Whether two values of JSON are the same, where true is not 1."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_is_equal(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_is_equal, one, other))
    return bool(one == other)


def _error(row: Row) -> float:
    error: Any = row.get("error")
    return float(error) if _is_number(error) and 0.0 <= error <= 1.0 else 0.0


def _within(key: str, then: Row, now: Row, tolerance: float, *, shares: bool, alike: bool) -> bool:
    """Whether two unequal values of a key may be so unequal."""
    if key not in then or key not in now:
        return False
    one, other = then[key], now[key]
    match _COMPARED.get(key, "exactly"):
        case "manner":
            return isinstance(one, type(other)) or (_is_number(one) and _is_number(other))
        case "error":
            return _is_number(one) and _is_number(other) and (not alike or abs(one - other) <= _slack(one, other))
        case "share":
            return _near(one, other, tolerance)
        case "area":
            return _areas_alike(key, then, now, tolerance)
        case "blockers":
            return _blockers_alike(one, other, tolerance + ALONE)
        case "sentence":
            return shares and _sentences_alike(one, other, 100.0 * tolerance + 1.0)
    return _all_near(one, other, lambda a, b: math.isclose(a, b, rel_tol=ROUNDING, abs_tol=ROUNDING))


def _slack(one: float, other: float) -> float:
    """By how much two stated errors of one measurement may differ: renderers sample, and prove, different things."""
    return 0.005 + 0.5 * min(one, other)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _near(one: Any, other: Any, tolerance: float) -> bool:
    return _is_number(one) and _is_number(other) and abs(one - other) <= tolerance + ROUNDING


def _areas_alike(key: str, then: Row, now: Row, tolerance: float) -> bool:
    areas, wholes = list[float](), list[float]()
    size: Any
    for row in (then, now):
        size, count, whole = (row.get(name) for name in ("pixel", key, "target_pixels"))
        if not (_is_number(size) and _is_number(count) and _is_number(whole)):
            return False
        areas.append(count * size**2)
        wholes.append(whole * size**2)
    finest = min(then["pixel"], now["pixel"])
    return bool(abs(areas[0] - areas[1]) <= (AREA + tolerance) * max(wholes) + _TINY * finest**2)


def _blockers_alike(one: Any, other: Any, tolerance: float) -> bool:
    """Whether each blocker hides about as much in both; one that hides next to nothing may be missing."""
    if not all(isinstance(row, dict) for blockers in (one, other) for row in blockers):
        return _is_equal(one, other)
    tables = [{str(row.get("name")): row for row in blockers} for blockers in (one, other)]
    for name in tables[0].keys() | tables[1].keys():
        rows = [table.get(name, {"occluded": 0.0, "alone": 0.0}) for table in tables]
        if any(not _near(rows[0].get(key), rows[1].get(key), tolerance) for key in ("occluded", "alone")):
            return False
    return True


def _sentences_alike(one: Any, other: Any, slack: float) -> bool:
    """Whether sentences are the same but for per cent that are about the same."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(_sentences_alike(a, b, slack) for a, b in zip(one, other, strict=True))
    if not isinstance(one, str) or not isinstance(other, str) or _PERCENT.sub("#", one) != _PERCENT.sub("#", other):
        return False
    pairs = zip(_PERCENT.findall(one), _PERCENT.findall(other), strict=True)
    return all(abs(float(a) - float(b)) <= slack for a, b in pairs)


def _all_near(one: Any, other: Any, near: Callable[[float, float], bool]) -> bool:
    """Whether two values are the same but for their numbers, and these are near each other."""
    if _is_number(one) and _is_number(other):
        return near(one, other)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(_all_near(a, b, near) for a, b in zip(one, other, strict=True))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_all_near(value, other[key], near) for key, value in one.items())
    return _is_equal(one, other)


def _label(row: Row) -> str:
    who = [str(name) for name in (row.get("attacker"), row.get("target")) if name]
    return " to ".join(who) or str(row.get("ask", ""))
