"""JUDGE, games by data: arithmetic of quantities that may be off; two that rest on one share are off together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isclose

from silhouette.rules.data.found import Found, Key, Scaled
from silhouette.rules.data.worlds import World, signed

SAME = 1e-4  # exact quantities that differ by no more than this share of themselves are equal: no mesh is more exact
INFINITE = float("inf")
Range = tuple[float, float]


def range_of(found: Found) -> Range:
    """The least and the greatest that a quantity may be.

    >>> range_of(Found(3.0)), range_of(Found(0.5, of=Scaled(("seen",), 0.4, 0.6, factor=-1.0, shift=1.0)))
    ((3.0, 3.0), (0.4, 0.6))
    """
    if found.of is None or found.of.factor == 0.0:
        return found.value, found.value
    least, most = sorted(found.of.factor * end + found.of.shift for end in (found.of.least, found.of.most))
    return least, most


def known_by(found: Found, what: Key, most: float = INFINITE) -> Found:
    """The answer of a primitive, with what it is known by, the primitive with its arguments, where it may be off; no
    answer is less than 0, or more than ``most``.

    >>> known_by(Found(0.05, error=0.1), ("seen",), most=1.0).of
    Scaled(what=('seen',), least=0.0, most=0.15000000000000002, factor=1.0, shift=0.0)
    """
    if found.error == 0.0 or found.of is not None:
        return found
    # Plain numbers: what compares them with numpy's would give truths of numpy's own.
    value, error = float(found.value), float(found.error)
    least, greatest = (value - error, value + error) if error < INFINITE else (0.0, most)
    return replace(found, of=Scaled(what, max(least, 0.0), min(greatest, most)))


def within_all(answers: Sequence[Found], what: Key) -> Found:
    """The first of several answers, one of which is right: a truth is sure where all say the same, and a quantity may
    be anything between them.

    >>> within_all([Found(2.0), Found(5.0)], ("distance",)).of
    Scaled(what=('distance',), least=2.0, most=5.0, factor=1.0, shift=0.0)
    >>> within_all([Found(True), Found(False)], ("line",)).sure
    False
    """
    first = answers[0]
    if len(answers) == 1 or not isinstance(first.value, bool | float):
        return first
    if isinstance(first.value, bool):
        return replace(first, sure=all(answer.sure and answer.value is first.value for answer in answers), of=None)
    least, most = zip(*map(range_of, answers), strict=True)
    return replace(first, of=Scaled(what, min(least), max(most)) if min(least) < max(most) else None)


def compared(left: Found, right: Found, sign: str, world: World) -> Found:
    """Whether one quantity is less, or greater, than another, or as large: <, <=, > or >=, "is" or "is not". Two that
    are exact are equal within `SAME`: a wall of half an inch is that high in a file of 32-bit numbers as well.

    >>> share = Found(0.5, of=Scaled(("seen",), 0.4, 0.6))
    >>> compared(share, Found(0.55), "<", World()).sure, compared(share, Found(0.65), "<", World()).sure
    (False, True)
    >>> [compared(Found(12.6999998), Found(12.7), sign, World()).value for sign in ("<", "<=", ">", ">=", "is")]
    [False, True, False, True, True]
    >>> compared(Found(1e-9), Found(0.0), ">", World()).value
    True
    """
    apart = put_together(left, right, "-")
    if apart.of is None:
        same = isclose(left.value, right.value, rel_tol=SAME)
        return replace(apart, value=signed(0.0 if same else apart.value, sign))
    before = world.doubts
    value = world.holds(apart.of, sign, apart.value)
    return replace(apart, value=value, sure=apart.sure and world.doubts == before, of=None)


def put_together(one: Found, other: Found, sign: str) -> Found:
    """A sum of quantities or of pieces, a difference, a product or a quotient.

    >>> share = Found(0.5, of=Scaled(("seen",), 0.4, 0.6))
    >>> put_together(share, Found(1.0), "-").of
    Scaled(what=('seen',), least=0.4, most=0.6, factor=1.0, shift=-1.0)
    >>> put_together(Found(2.0), share, "*").of
    Scaled(what=('seen',), least=0.4, most=0.6, factor=2.0, shift=0.0)
    """
    sure = one.sure and other.sure
    if isinstance(one.value, tuple):
        return Found(tuple(dict.fromkeys((*one.value, *other.value))), sure).resting_on([one, other])
    value, error = _value_of(one, other, sign)
    found = Found(value, sure).resting_on([one, other])
    if one.of is None and other.of is None:
        return found
    if sign in ("+", "-"):
        of = _sum(one, other, 1.0 if sign == "+" else -1.0)
    elif other.of is None:
        of = _times(one.of, other.value if sign == "*" else 1.0 / other.value if other.value else None)
    else:
        of = _times(other.of, one.value) if one.of is None and sign == "*" else None
    # A quantity that is no multiple of one measurement is taken for a measurement by itself.
    ends = (value - error, value + error) if error < INFINITE else (-INFINITE, INFINITE)
    return replace(found, of=of or Scaled((sign, *_parts_of(one, other)), *ends))


def _value_of(one: Found, other: Found, sign: str) -> tuple[float, float]:
    """What a sum, a difference, a product or a quotient comes to, and by how much the last two may be off."""
    if sign in ("+", "-"):
        return one.value + other.value if sign == "+" else one.value - other.value, 0.0
    error, other_error = (max(abs(end - found.value) for end in range_of(found)) for found in (one, other))
    if sign == "*":
        far = abs(one.value) * other_error + abs(other.value) * error + error * other_error
        return one.value * other.value, far
    least = abs(other.value) - other_error
    if least <= 0.0:
        return INFINITE, INFINITE
    return one.value / other.value, (abs(one.value) * other_error / abs(other.value) + error) / least


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


def _parts_of(*found: Found) -> Key:
    return tuple(one.value if one.of is None else one.of for one in found)


def extreme(parts: Sequence[Found], how: str) -> Found:
    """The least or the greatest of quantities; of none it is as far as nothing can be.

    >>> share = Found(2.0, of=Scaled(("distance",), 1.5, 3.5))
    >>> extreme([share, Found(3.0)], "least").of.most, extreme([], "least").value
    (3.0, inf)
    """
    pick = min if how == "least" else max
    nearest: Found = pick(
        parts, key=lambda found: found.value, default=Found(INFINITE if how == "least" else -INFINITE)
    )
    if len(parts) < 2 or all(one.of is None for one in parts):
        return nearest
    least, most = map(pick, zip(*map(range_of, parts), strict=True))
    return replace(nearest, of=Scaled((how, *_parts_of(*parts)), least, most) if least < most else None)
