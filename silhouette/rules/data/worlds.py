"""JUDGE, games by data: all ways in which what is in doubt may turn out, one after the other, each without doubt.

What was measured lies somewhere in an interval. Each threshold with which it is compared parts the interval in two, and
in a world it lies in one of the parts: all conditions that rest on it are answered alike. Values and reasons are those
of the world in which all is as it was measured.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Sequence
from math import nextafter

from silhouette.measure.observation import Sight
from silhouette.rules.data.values import Key, Scaled, Unmeasured

MOST_WORLDS = 64  # for one check: six things in doubt that have nothing to do with each other make 64
_ORDERS: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "is": operator.eq, "is not": operator.ne,
}  # fmt: skip
_REVERSED_SIGNS = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


def signed(apart: float, sign: str) -> bool:
    """Whether a difference is below 0 (``sign`` is "<"), or "<=", ">", ">=", "is", "is not".

    >>> signed(0.0, "<="), signed(0.0, "is not")
    (True, False)
    """
    return bool(_ORDERS[sign](apart, 0.0))


class World:
    """One way in which all that is in doubt may turn out, what and how as it is first asked. ``turned`` says of the
    first things in doubt whether they turn out otherwise than is likely; the rest do not. Without it, all is as it was
    measured, and ``doubts`` counts how often something in doubt was asked; in another world that never happens.
    """

    def __init__(self, turned: Sequence[bool] | None = None) -> None:
        self.is_measured = turned is None
        self.doubts = 0
        self._given = turned or ()
        self._turned: list[bool] = []
        self._truths: dict[Key, bool] = {}
        self._ranges: dict[Key, tuple[float, float]] = {}

    def following(self) -> World | None:
        """The next world, once all has been asked in this one; None after the last."""
        left = list(self._turned)
        while left and left[-1]:
            left.pop()
        return World([*left[:-1], True]) if left else None

    def _choice(self, likely: bool) -> bool:
        if self.is_measured:
            self.doubts += 1
            return likely
        number = len(self._turned)
        self._turned.append(number < len(self._given) and self._given[number])
        return likely is not self._turned[number]

    def truth(self, what: Key, likely: bool) -> bool:
        """Whether something holds of which nobody is sure, but for how it was measured."""
        if self.is_measured or what not in self._truths:
            self._truths[what] = self._choice(likely)
        return self._truths[what]

    def holds(self, quantity: Scaled, sign: str, measured: float) -> bool:
        """Whether a quantity in doubt is below 0 (``sign`` is "<"), or "<=", ">", ">=", "is", "is not"; it was measured
        as ``measured``.

        >>> share, world = Scaled(("seen",), 0.2, 0.4, shift=-0.3), World(())
        >>> world.holds(share, ">=", 0.0), world.holds(share, "<", 0.0)
        (True, False)
        >>> world.following().holds(share, ">=", 0.0), world.following().following()
        (False, None)
        """
        if sign in ("is", "is not"):
            reaches = self.holds(quantity, ">=", measured)
            is_same = reaches and self.holds(quantity, "<=", measured)
            return is_same is (sign == "is")
        if quantity.factor == 0.0:
            return signed(quantity.shift, sign)
        if quantity.factor < 0.0:
            sign, measured = _REVERSED_SIGNS[sign], -measured
        border = ">=" if sign in (">=", "<") else ">"
        return self._reaches(quantity, border, signed(measured, border)) is (sign in (">", ">="))

    def _reaches(self, quantity: Scaled, border: str, likely: bool) -> bool:
        """Whether a measurement lies in the upper of the two parts of its interval, where it was measured if
        ``likely``. The quantity is 0 at the threshold that parts them, which itself belongs to the upper part if the
        border is ">=", and not if it is ">".
        """
        threshold = -quantity.shift / quantity.factor
        end = threshold if border == ">=" else nextafter(threshold, float("inf"))
        least, most = self._ranges.get(quantity.what, (quantity.least, quantity.most))
        upper = self._choice(likely) if least < end <= most else bool(least >= end)
        if not self.is_measured:
            below = nextafter(end, -float("inf"))
            self._ranges[quantity.what] = (max(least, end), most) if upper else (least, min(most, below))
        return upper


def possible_in(answer: Callable[[World], str], candidates: Collection[str]) -> set[str]:
    """The answers that are given in some world, out of the candidates.

    Where there are more than `MOST_WORLDS`, all candidates: then it is only promised that no answer is left out. A
    world may be one that cannot be, where a condition compares two measurements, or the least of several: how these
    turn out is then chosen for them together, besides each by itself. Unmeasured where some rest on sights that have
    not been measured: on all of these together.

    >>> share = Scaled(("obscured",), 0.2, 0.4)
    >>> def verdict(world):
    ...     return "cover" if world.holds(replace(share, shift=-0.25), ">=", 0.05) else "open"
    >>> from dataclasses import replace
    >>> sorted(possible_in(verdict, ["hidden", "cover", "open"]))
    ['cover', 'open']
    """
    possible, sights = set[str](), dict[Key, Sight]()
    world: World | None = World(())
    for _ in range(MOST_WORLDS):
        assert world is not None
        try:
            possible.add(answer(world))
        except Unmeasured as missing:
            sights |= missing.sights
        world = world.following()
        if world is None or possible.issuperset(candidates):
            break
    if sights and not possible.issuperset(candidates):
        raise Unmeasured(sights)
    return possible if world is None else set(candidates)
