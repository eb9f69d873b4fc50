"""JUDGE, games by data: all ways in which what is in doubt may turn out, one after the other, each without doubt.

What was measured lies somewhere in an interval. Each threshold with which it is compared parts the interval in two, and
in a world it lies in one of the parts: all conditions that rest on it are answered alike.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from math import nextafter

from silhouette.measure.observation import Sight
from silhouette.rules.data.found import Key, Scaled, Unmeasured

MOST_WORLDS = 64  # for one check: six things in doubt that have nothing to do with each other have so many
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


class World:
    """One way in which all that is in doubt may turn out, what and how as it is first asked. ``turned`` says of the
    first things in doubt whether they turn out otherwise than is likely; the rest do not.
    """

    def __init__(self, turned: Sequence[bool] = ()) -> None:
        self._given = turned
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
        number = len(self._turned)
        self._turned.append(number < len(self._given) and self._given[number])
        return likely is not self._turned[number]

    def truth(self, what: Key, likely: bool) -> bool:
        """Whether something holds of which nobody is sure, but for how it was measured."""
        if what not in self._truths:
            self._truths[what] = self._choice(likely)
        return self._truths[what]

    def holds(self, quantity: Scaled | None, sign: str, likely: bool) -> bool:
        """Whether a quantity in doubt is below 0 (``sign`` is "<"), or "<=", ">", ">=", "is", "is not".

        >>> share, world = Scaled(("seen",), 0.2, 0.4, shift=-0.3), World()
        >>> world.holds(share, ">=", likely=True), world.holds(share, "<", likely=True)
        (True, False)
        >>> world.following().holds(share, ">=", likely=True), world.following().following()
        (False, None)
        """
        if sign in ("is", "is not"):
            reaches = self.holds(quantity, ">=", likely=True)
            is_same = reaches and self.holds(quantity, "<=", likely=True)
            return is_same is (sign == "is")
        assert quantity is not None
        if quantity.factor == 0.0:
            return {"<": quantity.shift < 0.0, "<=": quantity.shift <= 0.0, ">": quantity.shift > 0.0}.get(
                sign, quantity.shift >= 0.0
            )
        if quantity.factor < 0.0:
            sign = _TURNED[sign]
        return self._reaches(quantity, sign in (">=", "<"), likely is (sign in (">", ">="))) is (sign in (">", ">="))

    def _reaches(self, quantity: Scaled, is_reached: bool, likely: bool) -> bool:
        """Whether a measurement lies in the upper of the two parts of its interval, where it was measured if
        ``likely``. The quantity is 0 at the threshold that parts them, which itself belongs to the upper part if
        ``is_reached``.
        """
        threshold = -quantity.shift / quantity.factor
        border = threshold if is_reached else nextafter(threshold, float("inf"))
        least, most = self._ranges.get(quantity.what, (quantity.least, quantity.most))
        upper = self._choice(likely) if least < border <= most else least >= border
        below = nextafter(border, -float("inf"))
        self._ranges[quantity.what] = (max(least, border), most) if upper else (least, min(most, below))
        return upper


def possible_in(answer: Callable[[World], str], candidates: Collection[str]) -> set[str]:
    """The answers that are given in some world, out of the candidates.

    Where there are more than `MOST_WORLDS`, all candidates: then it is only promised that no answer is left out. A
    world may be one that cannot be, where a condition compares two measurements, or the least of several: how these
    turn out is then chosen for them together, besides each by itself. Unmeasured where some rest on sights that have
    not been measured: on all of these together.

    >>> share = Scaled(("obscured",), 0.2, 0.4)
    >>> def verdict(world):
    ...     return "cover" if world.holds(replace(share, shift=-0.25), ">=", likely=True) else "open"
    >>> from dataclasses import replace
    >>> sorted(possible_in(verdict, ["hidden", "cover", "open"]))
    ['cover', 'open']
    """
    found, sights = set[str](), dict[Key, Sight]()
    world: World | None = World()
    for _ in range(MOST_WORLDS):
        assert world is not None
        try:
            found.add(answer(world))
        except Unmeasured as missing:
            sights |= missing.sights
        world = world.following()
        if world is None or found.issuperset(candidates):
            break
    if sights and not found.issuperset(candidates):
        raise Unmeasured(sights)
    return found if world is None else set(candidates)
