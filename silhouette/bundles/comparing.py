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
from itertools import zip_longest
from typing import Any, Literal

from silhouette.batches.export import pair_of
from silhouette.common.text import Row
from silhouette.judging import Judged
from silhouette.rules.fields import ERROR, PIXEL, SHARED_FIELDS, TARGET_PIXELS, VERDICT, Blocker, Comparison

Sameness = Literal["to the bit", "within the error", "differs"]

ALONE_TOLERANCE = 0.01  # by how much the shares of single blockers may differ beyond the error
AREA = 0.05  # by how much areas of pixels may differ, as a share of the target's
ROUNDING_SHARE = 1e-9  # by how much coordinates and lengths may differ, as a share of their size
_FEW_PIXELS = 25  # pixels by which counts of few may differ

_COMPARED: Mapping[str, Comparison] = {
    field.key: field.compared for field in (*SHARED_FIELDS.values(), *Judged.fields) if field.compared != "exactly"
}
"""How the values of keys are compared that need not be the same."""
_PERCENT = re.compile(r"\d+(?:\.\d+)?(?= ?%)")


@dataclass(frozen=True)
class Difference:
    """A key of a row whose value is another one: that in the bundle, and that here, None where there is no such key."""

    key: str
    then: Any
    now: Any


@dataclass(frozen=True)
class Compared:
    """One check, judged twice: its number, from 1, who looks at whom, and how far its two rows are the same."""

    number: int
    label: str
    sameness: Sameness
    differences: tuple[Difference, ...] = ()


def compared(then: Sequence[Row], now: Sequence[Row], *, same_settings: bool = True) -> list[Compared]:
    """Each check of a bundle, compared.

    ``same_settings`` if both were asked for with the same pixel and error; elsewhere stated errors may differ at will.

    >>> row = {"attacker": "Kal", "target": "Vex", "verdict": "open", "occluded": 0.20, "error": 0.001}
    >>> compared([row], [row])[0].sameness
    'to the bit'
    >>> compared([row], [{**row, "occluded": 0.2015}])[0].sameness
    'within the error'
    >>> compared([row], [{**row, "occluded": 0.21}])[0].differences
    (Difference(key='occluded', then=0.2, now=0.21),)
    """
    done = []
    for number, (before, after) in enumerate(zip_longest(then, now), 1):
        if before is None or after is None:
            verdicts = (None if row is None else row.get(VERDICT.key) for row in (before, after))
            missing = Difference(VERDICT.key, *verdicts)
            done.append(Compared(number, _label(before or after or {}), "differs", (missing,)))
        else:
            done.append(_RowPair(before, after, same_settings).compared(number))
    return done


@dataclass(frozen=True)
class _RowPair:
    """Two rows of one check; ``same_settings`` as of `compared`."""

    then: Row
    now: Row
    same_settings: bool

    def compared(self, number: int) -> Compared:
        """How much the rows differ; ``number`` is the check's."""
        unequal = [key for key in dict.fromkeys([*self.then, *self.now]) if not self._is_same(key)]
        if not unequal:
            return Compared(number, _label(self.now), "to the bit")
        wrong = [key for key in unequal if not self._is_within(key, self._tells_a_share(unequal))]
        differences = tuple(Difference(key, self.then.get(key), self.now.get(key)) for key in wrong)
        return Compared(number, _label(self.now), "differs" if wrong else "within the error", differences)

    def _is_same(self, key: str) -> bool:
        if self._has(key, lambda value: isinstance(value, str)) and _COMPARED.get(key) == "setting":
            return True
        return self._has(key, lambda value: True) and _is_equal(self.then[key], self.now[key])

    def _has(self, key: str, fits: Callable[[Any], bool]) -> bool:
        return all(key in row and fits(row[key]) for row in (self.then, self.now))

    def _tells_a_share(self, unequal: Sequence[str]) -> bool:
        """Whether a share differs that a sentence may tell; one that no key has may differ in the sentence alone."""
        shares = any(_COMPARED.get(key) in ("share", "blockers") for key in unequal)
        return shares or not any(_COMPARED.get(key) == "share" for key in (*self.then, *self.now))

    @property
    def _tolerance(self) -> float:
        return _error(self.then) + _error(self.now)

    def _is_within(self, key: str, tells_a_share: bool) -> bool:
        """Whether two unequal values of a key may be so unequal."""
        if not self._has(key, lambda value: True):
            return False
        before, after, tolerance = self.then[key], self.now[key], self._tolerance
        numbers = _is_number(before) and _is_number(after)
        match _COMPARED.get(key, "exactly"):
            case "manner":
                return numbers or isinstance(before, type(after))
            case "error":
                return numbers and (not self.same_settings or abs(before - after) <= 0.005 + 0.5 * min(before, after))
            case "share":
                return _near(before, after, tolerance)
            case "area":
                return _areas_alike(key, self.then, self.now, tolerance)
            case "blockers":
                return _blockers_alike(before, after, tolerance + ALONE_TOLERANCE)
            case "sentence":
                return tells_a_share and _sentences_alike(before, after, 100.0 * tolerance + 1.0)
        return _all_near(before, after)


def _is_equal(before: Any, after: Any) -> bool:
    if isinstance(before, bool) or isinstance(after, bool):
        return before is after
    if isinstance(before, dict) and isinstance(after, dict):
        return before.keys() == after.keys() and all(_is_equal(value, after[key]) for key, value in before.items())
    if isinstance(before, list) and isinstance(after, list):
        return len(before) == len(after) and all(map(_is_equal, before, after))
    return bool(before == after)


def _error(row: Row) -> float:
    error: Any = row.get(ERROR.key)
    return float(error) if _is_number(error) and 0.0 <= error <= 1.0 else 0.0


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _near(before: Any, after: Any, tolerance: float) -> bool:
    return _is_number(before) and _is_number(after) and abs(before - after) <= tolerance + ROUNDING_SHARE


def _areas_alike(key: str, then: Row, now: Row, tolerance: float) -> bool:
    areas, wholes = list[float](), list[float]()
    size: Any
    for row in (then, now):
        size, count, whole = (row.get(name) for name in (PIXEL.key, key, TARGET_PIXELS.key))
        if not (_is_number(size) and _is_number(count) and _is_number(whole)):
            return False
        areas.append(count * size**2)
        wholes.append(whole * size**2)
    finest = min(then[PIXEL.key], now[PIXEL.key])
    return bool(abs(areas[0] - areas[1]) <= (AREA + tolerance) * max(wholes) + _FEW_PIXELS * finest**2)


def _blockers_alike(before: Any, after: Any, tolerance: float) -> bool:
    """Whether each blocker hides about as much in both; one that hides next to nothing may be missing."""
    if not all(isinstance(row, dict) for blockers in (before, after) for row in blockers):
        return _is_equal(before, after)
    name, *shares = (field.key for field in Blocker.fields)
    then, now = ({str(row.get(name)): row for row in blockers} for blockers in (before, after))
    nothing = dict.fromkeys(shares, 0.0)
    return all(
        _near(then.get(blocker, nothing).get(share), now.get(blocker, nothing).get(share), tolerance)
        for blocker in then.keys() | now.keys()
        for share in shares
    )


def _sentences_alike(before: Any, after: Any, slack: float) -> bool:
    """Whether sentences are the same but for per cent that are about the same."""
    if isinstance(before, list) and isinstance(after, list):
        return len(before) == len(after) and all(
            _sentences_alike(a, b, slack) for a, b in zip(before, after, strict=True)
        )
    if (
        not isinstance(before, str)
        or not isinstance(after, str)
        or _PERCENT.sub("#", before) != _PERCENT.sub("#", after)
    ):
        return False
    pairs = zip(_PERCENT.findall(before), _PERCENT.findall(after), strict=True)
    return all(abs(float(a) - float(b)) <= slack for a, b in pairs)


def _all_near(before: Any, after: Any) -> bool:
    """Whether two values are the same but for their numbers, and these differ by rounding alone."""
    if _is_number(before) and _is_number(after):
        return math.isclose(before, after, rel_tol=ROUNDING_SHARE, abs_tol=ROUNDING_SHARE)
    if isinstance(before, list) and isinstance(after, list):
        return len(before) == len(after) and all(map(_all_near, before, after))
    if isinstance(before, dict) and isinstance(after, dict):
        return before.keys() == after.keys() and all(_all_near(value, after[key]) for key, value in before.items())
    return _is_equal(before, after)


def _label(row: Row) -> str:
    return pair_of(row) or str(row.get("ask", ""))
