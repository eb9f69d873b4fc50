"""JUDGE, games by data: arithmetic of quantities that may be off; two that rest on one share are off together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isclose
from typing import Any

from silhouette.rules.data.found import Found, Key, Scaled

SAME = 1e-4  # exact quantities that differ by no more than this share of themselves are equal: no mesh is more exact
INFINITE = float("inf")
Range = tuple[float, float]


def range_of(found: Found) -> Range:
    """The least and the greatest that a quantity may be; of one of which nothing is known, anything.

    >>> range_of(Found(3.0, error=1.0)), range_of(Found(float("inf"))), range_of(Found(1.0, error=float("inf")))
    ((2.0, 4.0), (inf, inf), (-inf, inf))
    """
    return (found.value - found.error, found.value + found.error) if found.error < INFINITE else (-INFINITE, INFINITE)


def _error(value: float, ends: Range) -> float:
    """By how much a value may be off that lies between two ends."""
    return max(abs(value - end) if value != end else 0.0 for end in ends)


def known_by(found: Found, what: Key, most: float = INFINITE) -> Found:
    """The answer of a primitive, with what it is known by, the primitive with its arguments, where it may be off; no
    answer is less than 0, or more than ``most``.

    >>> known_by(Found(0.05, error=0.1), ("seen",), most=1.0).of
    Scaled(what=('seen',), least=0.0, most=0.15000000000000002, factor=1.0, shift=0.0)
    """
    if found.error == 0.0 or found.of is not None:
        return found
    least, greatest = range_of(found)
    return replace(found, of=Scaled(what, max(least, 0.0), min(greatest, most)))


def within_all(answers: Sequence[Found]) -> Found:
    """The first of several answers, one of which is right: a truth is sure where all say the same; a quantity is off by
    as much as they differ; and anything else may be what any of them is.

    >>> within_all([Found(2.0), Found(5.0, error=1.0)]).error, within_all([Found(True), Found(False)]).sure
    (4.0, False)
    >>> within_all([Found("a"), Found("b")]).ways
    ('b',)
    """
    first = answers[0]
    if len(answers) == 1:
        return first
    if isinstance(first.value, bool):
        return replace(first, sure=all(one.sure and one.value is first.value for one in answers), of=None)
    if isinstance(first.value, float):
        least, most = zip(*map(range_of, answers), strict=True)
        return replace(first, error=_error(first.value, (min(least), max(most))), of=None)
    return with_ways(first, [way for one in answers for way in (one.value, *one.ways)])


def with_ways(found: Found, ways: Sequence[Any]) -> Found:
    """The same, which may have other values as well."""
    return replace(found, ways=tuple(way for way in dict.fromkeys(ways) if way != found.value))


def compared(left: Found, right: Found, sign: str) -> Found:
    """Whether one quantity is less, or greater, than another, or as large: <, <=, > or >=, "is" or "is not". Two that
    are exact are equal within `SAME`: a wall of half an inch is that high in a file of 32-bit numbers as well.

    >>> compared(Found(1.0, error=0.2), Found(1.1), "<").sure, compared(Found(1.0), Found(1.0), "<=").value
    (False, True)
    >>> [compared(Found(12.6999998), Found(12.7), sign).value for sign in ("<", "<=", ">", ">=")]
    [False, True, False, True]
    >>> compared(Found(1e-9), Found(0.0), ">").value
    True
    """
    error = left.error + right.error
    same = error == 0.0 and isclose(left.value, right.value, rel_tol=SAME)
    apart = 0.0 if same else left.value - right.value
    value = {"<": apart < 0.0, "<=": apart <= 0.0, ">": apart > 0.0, ">=": apart >= 0.0}[sign]
    return Found(bool(value), error == 0.0 or abs(apart) > error).resting_on([left, right])


def difference(left: Found, right: Found) -> Scaled | None:
    """What the difference of two quantities rests on; None where it is exact."""
    return put_together(left, right, "-").of


def put_together(one: Found, other: Found, sign: str) -> Found:
    """A sum of quantities or of pieces, a difference, a product or a quotient.

    >>> share = Found(0.5, error=0.1, of=Scaled(("seen",), 0.4, 0.6))
    >>> put_together(share, Found(1.0), "-").of
    Scaled(what=('seen',), least=0.4, most=0.6, factor=1.0, shift=-1.0)
    >>> put_together(Found(2.0), share, "*").of
    Scaled(what=('seen',), least=0.4, most=0.6, factor=2.0, shift=0.0)
    """
    if isinstance(one.value, tuple):
        joined = [
            tuple(dict.fromkeys((*first, *second)))
            for first in (one.value, *one.ways)
            for second in (other.value, *other.ways)
        ]
        return with_ways(Found(joined[0]), joined).resting_on([one, other])
    value, error = _value_of(one, other, sign)
    found = Found(value, error=error).resting_on([one, other])
    if error == 0.0:
        return found
    if sign in ("+", "-"):
        of = _sum(one, other, 1.0 if sign == "+" else -1.0)
    elif other.of is None:
        of = _times(one.of, other.value if sign == "*" else 1.0 / other.value if other.value else None)
    else:
        of = _times(other.of, one.value) if one.of is None and sign == "*" else None
    return replace(found, of=of or _unlike((sign, *_parts_of(one, other)), found))


def _value_of(one: Found, other: Found, sign: str) -> tuple[float, float]:
    """What a sum, a difference, a product or a quotient comes to, and by how much that may be off."""
    if sign in ("+", "-"):
        return one.value + other.value if sign == "+" else one.value - other.value, one.error + other.error
    if sign == "*":
        error = abs(one.value) * other.error + abs(other.value) * one.error + one.error * other.error
        return one.value * other.value, error
    least = abs(other.value) - other.error
    if least <= 0.0:
        return INFINITE, INFINITE
    return one.value / other.value, (abs(one.value) * other.error / abs(other.value) + one.error) / least


def _times(of: Scaled | None, factor: float | None) -> Scaled | None:
    if of is None or factor is None:
        return None
    return replace(of, factor=of.factor * factor, shift=of.shift * factor)


def _sum(one: Found, other: Found, sign: float) -> Scaled | None:
    """What a sum or a difference rests on: one measurement, or two, of which the order does not matter."""
    first, second = one.of, _times(other.of, sign)
    if first is None or second is None:
        of, exact = (second, one.value) if first is None else (first, sign * other.value)
        return None if of is None else replace(of, shift=of.shift + exact)
    shift = first.shift + second.shift
    if first.what == second.what:
        return replace(first, factor=first.factor + second.factor, shift=shift)
    first, second = sorted((first, second), key=lambda of: repr(of.what))
    if first.factor == 0.0:
        return replace(second, shift=shift)
    ratio = second.factor / first.factor
    ends = sorted((ratio * second.least, ratio * second.most))
    what = ("+", first.what, second.what, ratio)
    return Scaled(what, first.least + ends[0], first.most + ends[1], first.factor, shift)


def _unlike(what: Key, found: Found) -> Scaled:
    """A quantity in doubt that is no multiple of one measurement: it is taken for a measurement by itself."""
    return Scaled(what, *range_of(found))


def _parts_of(*found: Found) -> Key:
    return tuple(one.value if one.of is None else one.of for one in found)


def extreme(parts: Sequence[tuple[Found, Found]], how: str) -> Found:
    """The least or the greatest of quantities; of none it is as far as nothing can be. The parts say of each piece
    whether it counts, and its quantity.

    >>> yes, perhaps = Found(True), Found(False, sure=False)
    >>> extreme([(yes, Found(2.0, error=0.5)), (yes, Found(3.0))], "least").error
    0.5
    >>> extreme([(perhaps, Found(2.0)), (yes, Found(3.0))], "least").error
    1.0
    >>> extreme([], "least").value
    inf
    """
    sign = 1.0 if how == "least" else -1.0
    counting = [found for counts, found in parts if counts.value]
    of_none = Found(sign * INFINITE)
    nearest = min(counting, key=lambda found: sign * found.value, default=of_none)
    ends = [(counts.sure and counts.value, sorted(sign * end for end in range_of(found))) for counts, found in parts]
    lowest = min((low for _, (low, _) in ends), default=INFINITE)
    highest = min((high for is_sure, (_, high) in ends if is_sure), default=INFINITE)
    error = _error(sign * nearest.value, (lowest, highest))
    found = replace(nearest, error=error)
    if error == 0.0 or (len(parts) == 1 and counting and parts[0][0].sure):
        return found
    what = (how, *((counts.value, counts.sure, *_parts_of(quantity)) for counts, quantity in parts))
    return replace(found, of=_unlike(what, found))
