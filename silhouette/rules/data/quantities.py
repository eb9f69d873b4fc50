"""JUDGE, games by data: arithmetic of quantities that may be off; two that rest on one share are off together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isclose

from silhouette.rules.data.values import Evaluation, Key, Scaled
from silhouette.rules.data.worlds import World, signed

# Exact quantities that differ by no more than this share of themselves are equal: no mesh is more exact
EQUALITY_TOLERANCE = 1e-4
INFINITE = float("inf")
Range = tuple[float, float]


def range_of(quantity: Evaluation) -> Range:
    """The least and the greatest that a quantity may be.

    >>> range_of(Evaluation(3.0)), range_of(Evaluation(0.5, of=Scaled(("seen",), 0.4, 0.6, factor=-1.0, shift=1.0)))
    ((3.0, 3.0), (0.4, 0.6))
    """
    if quantity.of is None or quantity.of.factor == 0.0:
        return quantity.value, quantity.value
    least, most = sorted(quantity.of.factor * end + quantity.of.shift for end in (quantity.of.least, quantity.of.most))
    return least, most


def with_interval(answer: Evaluation, what: Key, most: float = INFINITE) -> Evaluation:
    """The answer of a primitive, with the interval in which it lies where it may be off, under the key ``what`` of the
    primitive with its arguments; no answer is less than 0, or more than ``most``.

    >>> with_interval(Evaluation(0.05, error=0.1), ("seen",), most=1.0).of
    Scaled(what=('seen',), least=0.0, most=0.15000000000000002, factor=1.0, shift=0.0)
    """
    if answer.error == 0.0 or answer.of is not None:
        return answer
    # Plain numbers: what compares them with numpy's would give truths of numpy's own.
    value, error = float(answer.value), float(answer.error)
    least, greatest = (value - error, value + error) if error < INFINITE else (0.0, most)
    return replace(answer, of=Scaled(what, max(least, 0.0), min(greatest, most)))


def within_all(answers: Sequence[Evaluation], what: Key) -> Evaluation:
    """The first of several answers, one of which is right: a truth is sure where all say the same, and a quantity may
    be anything between them.

    >>> within_all([Evaluation(2.0), Evaluation(5.0)], ("distance",)).of
    Scaled(what=('distance',), least=2.0, most=5.0, factor=1.0, shift=0.0)
    >>> within_all([Evaluation(True), Evaluation(False)], ("line",)).sure
    False
    """
    first = answers[0]
    if len(answers) == 1 or not isinstance(first.value, bool | float):
        return first
    if isinstance(first.value, bool):
        return replace(first, sure=all(answer.sure and answer.value is first.value for answer in answers), of=None)
    least, most = zip(*map(range_of, answers), strict=True)
    return replace(first, of=Scaled(what, min(least), max(most)) if min(least) < max(most) else None)


def compared(left: Evaluation, right: Evaluation, sign: str, world: World) -> Evaluation:
    """Whether one quantity is less, or greater, than another, or as large: <, <=, > or >=, "is" or "is not". Two that
    are exact are equal within `EQUALITY_TOLERANCE`: a wall of half an inch is that high in a file of 32-bit numbers as
    well.

    >>> share = Evaluation(0.5, of=Scaled(("seen",), 0.4, 0.6))
    >>> compared(share, Evaluation(0.55), "<", World()).sure, compared(share, Evaluation(0.65), "<", World()).sure
    (False, True)
    >>> almost, half_an_inch = Evaluation(12.6999998), Evaluation(12.7)
    >>> [compared(almost, half_an_inch, sign, World()).value for sign in ("<", "<=", ">", ">=", "is")]
    [False, True, False, True, True]
    >>> compared(Evaluation(1e-9), Evaluation(0.0), ">", World()).value
    True
    """
    apart = put_together(left, right, "-")
    if apart.of is None:
        same = isclose(left.value, right.value, rel_tol=EQUALITY_TOLERANCE)
        return replace(apart, value=signed(0.0 if same else apart.value, sign))
    before = world.doubts
    value = world.holds(apart.of, sign, apart.value)
    return replace(apart, value=value, sure=apart.sure and world.doubts == before, of=None)


def put_together(left: Evaluation, right: Evaluation, sign: str) -> Evaluation:
    """A sum of quantities or of pieces, a difference, a product or a quotient.

    >>> share = Evaluation(0.5, of=Scaled(("seen",), 0.4, 0.6))
    >>> put_together(share, Evaluation(1.0), "-").of
    Scaled(what=('seen',), least=0.4, most=0.6, factor=1.0, shift=-1.0)
    >>> put_together(Evaluation(2.0), share, "*").of
    Scaled(what=('seen',), least=0.4, most=0.6, factor=2.0, shift=0.0)
    """
    sure = left.sure and right.sure
    if isinstance(left.value, tuple):
        return Evaluation(tuple(dict.fromkeys((*left.value, *right.value))), sure).resting_on([left, right])
    value, error = _value_of(left, right, sign)
    quantity = Evaluation(value, sure).resting_on([left, right])
    if left.of is None and right.of is None:
        return quantity
    if sign in ("+", "-"):
        of = _sum(left, right, 1.0 if sign == "+" else -1.0)
    elif right.of is None:
        of = _times(left.of, right.value if sign == "*" else 1.0 / right.value if right.value else None)
    else:
        of = _times(right.of, left.value) if left.of is None and sign == "*" else None
    # A quantity that is no multiple of one measurement is taken for a measurement by itself.
    ends = (value - error, value + error) if error < INFINITE else (-INFINITE, INFINITE)
    return replace(quantity, of=of or Scaled((sign, *_parts_of(left, right)), *ends))


def _value_of(left: Evaluation, right: Evaluation, sign: str) -> tuple[float, float]:
    """What a sum, a difference, a product or a quotient comes to, and by how much the last two may be off."""
    if sign in ("+", "-"):
        return left.value + right.value if sign == "+" else left.value - right.value, 0.0
    left_error, right_error = (max(abs(end - side.value) for end in range_of(side)) for side in (left, right))
    if sign == "*":
        error = abs(left.value) * right_error + abs(right.value) * left_error + left_error * right_error
        return left.value * right.value, error
    least = abs(right.value) - right_error
    if least <= 0.0:
        return INFINITE, INFINITE
    return left.value / right.value, (abs(left.value) * right_error / abs(right.value) + left_error) / least


def _times(of: Scaled | None, factor: float | None) -> Scaled | None:
    if of is None or factor is None:
        return None
    return replace(of, factor=of.factor * factor, shift=of.shift * factor)


def _sum(left: Evaluation, right: Evaluation, sign: float) -> Scaled | None:
    """What a sum or a difference rests on: one measurement, or two, of which the order does not matter."""
    first, second = left.of, _times(right.of, sign)
    if first is None or second is None:
        of, exact = (second, left.value) if first is None else (first, sign * right.value)
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


def _parts_of(*operands: Evaluation) -> Key:
    return tuple(operand.value if operand.of is None else operand.of for operand in operands)


def extreme(parts: Sequence[Evaluation], how: str) -> Evaluation:
    """The least or the greatest of quantities; of none it is as far as nothing can be.

    >>> share = Evaluation(2.0, of=Scaled(("distance",), 1.5, 3.5))
    >>> extreme([share, Evaluation(3.0)], "least").of.most, extreme([], "least").value
    (3.0, inf)
    """
    pick = min if how == "least" else max
    nearest: Evaluation = pick(
        parts, key=lambda part: part.value, default=Evaluation(INFINITE if how == "least" else -INFINITE)
    )
    if len(parts) < 2 or all(part.of is None for part in parts):
        return nearest
    least, most = map(pick, zip(*map(range_of, parts), strict=True))
    return replace(nearest, of=Scaled((how, *_parts_of(*parts)), least, most) if least < most else None)
