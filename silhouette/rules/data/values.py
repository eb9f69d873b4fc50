"""JUDGE, games by data: what a part of a condition comes to: its value, how sure that is, and what it rests on."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from silhouette.measure.observation import Sight
from silhouette.relations.corners import Corners
from silhouette.relations.distances import Straight
from silhouette.relations.lines_in_space import CountedPart
from silhouette.relations.points import ErrorBound, Points
from silhouette.scenes.pieces import Piece

Key = tuple[Hashable, ...]


class Unmeasured(Exception):
    """Sights that must be measured before a condition can be answered, by the keys of their observations."""

    def __init__(self, sights: Mapping[Key, Sight]) -> None:
        super().__init__(*sights)
        self.sights = sights


def question_of(primitive: str, given: Mapping[str, Any]) -> Key:
    """The key of a primitive with its arguments: the same wherever the same is asked.

    >>> question_of("distance", {"b": (), "a": 2.0})
    ('distance', ('a', 2.0), ('b', ()))
    """
    return primitive, *((name, _hashable(value)) for name, value in sorted(given.items()))


def _hashable(value: Any) -> Hashable:
    if isinstance(value, Points | Straight | Corners | CountedPart):
        return value.key
    if isinstance(value, tuple):
        return tuple(sorted((_hashable(item) for item in value), key=repr))
    return value.name if isinstance(value, Piece) else value


@dataclass(frozen=True, eq=False)
class Use:
    """A primitive that was asked, or a clause, on which a value rests."""

    name: str
    measured: ErrorBound | None = None  # the answer of a primitive; None of a clause, and of what is no quantity
    holds: bool | None = None  # the answer that is a truth, else None
    unit: str = "mm"  # "mm", "share" or "number": how the quantity is told
    of: tuple[str, ...] = ()  # the names of the pieces that were asked about
    # Of each piece that the answer is due to, in their order, the share that it would hide alone; empty where that was
    # not measured
    hidden: tuple[float, ...] = ()


@dataclass(frozen=True, eq=False)
class Counted:
    """A piece that a quantifier asked about, whether its condition holds of it, by what, and all counted ``within``."""

    name: str
    holds: bool
    uses: tuple[Use, ...] = ()
    within: tuple[Tally, ...] = ()


@dataclass(frozen=True, eq=False)
class Tally:
    """What ``half`` or ``most`` counted: all pieces that it asked about, whether they count or not."""

    members: tuple[Counted, ...]

    @property
    def counting(self) -> tuple[str, ...]:
        """The names of those that count."""
        return tuple(member.name for member in self.members if member.holds)

    def every_use(self) -> Iterator[Use]:
        """What the answers for all members rest on."""
        for member in self.members:
            yield from member.uses
            for tally in member.within:
                yield from tally.every_use()


@dataclass(frozen=True)
class Scaled:
    """A quantity in doubt: ``factor`` times something measured, between ``least`` and ``most``, and ``shift`` more.
    ``what`` was measured is known by a primitive with its arguments, or by how several such are put together.
    """

    what: Key
    least: float
    most: float
    factor: float = 1.0
    shift: float = 0.0


@dataclass(frozen=True, eq=False)
class Evaluation:
    """What a part of a condition comes to."""

    value: Any  # a truth, a number, a length in mm, a text, words, a piece, pieces, points or parts
    # Whether nothing was in doubt that it rests on: then it is the same in every world. In a world that was chosen
    # nothing is in doubt.
    sure: bool = True
    error: float = 0.0  # of the answer to a primitive that is a quantity: by how much it may be off
    # What was measured, where a quantity may be off; and of a truth that is not sure, the quantity that is above 0
    # where it holds, if there is one
    of: Scaled | None = None
    uses: tuple[Use, ...] = ()  # what the value rests on, the most telling first
    # The names of the pieces for which a quantifier decided, by what it calls them
    bound: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    tallies: tuple[Tally, ...] = ()  # what was counted for it, the outermost first

    def resting_on(self, others: Iterable[Evaluation]) -> Evaluation:
        """The same, which rests on what others rest on as well."""
        others = [other for other in others if other.uses or other.bound or other.tallies]
        if not others:
            return self
        uses = dict.fromkeys((*self.uses, *(use for other in others for use in other.uses)))
        bound: dict[str, tuple[str, ...]] = {}
        for evaluation in (self, *others):
            for name, pieces in evaluation.bound.items():
                bound[name] = tuple(dict.fromkeys((*bound.get(name, ()), *pieces)))
        tallies = dict.fromkeys((*self.tallies, *(tally for other in others for tally in other.tallies)))
        return replace(self, uses=tuple(uses), bound=bound, tallies=tuple(tallies))


def all_of(parts: Iterable[Callable[[], Evaluation]]) -> list[Evaluation]:
    """All of some parts, none of which decides alone. Unmeasured where some rest on sights that have not been measured:
    on all of these together.
    """
    evaluations, sights = list[Evaluation](), dict[Key, Sight]()
    for part in parts:
        try:
            evaluations.append(part())
        except Unmeasured as missing:
            sights |= missing.sights
    if sights:
        raise Unmeasured(sights)
    return evaluations


def denied(truth: Evaluation) -> Evaluation:
    """The contrary of a truth."""
    return replace(truth, value=not truth.value)


def joined(parts: Iterable[Callable[[], Evaluation]], decides: bool) -> Evaluation:
    """Truths joined by "or" (``decides`` is true) or by "and" (it is false); once one of
    them decides for sure, no more are asked.

    >>> yes, no, doubtful = Evaluation(True), Evaluation(False), Evaluation(True, sure=False)
    >>> either = joined([lambda: no, lambda: doubtful, lambda: no], decides=True)
    >>> either.value, either.sure
    (True, False)
    >>> joined([], decides=True).value, joined([], decides=False).value
    (False, True)
    """
    others, deciding = list[Evaluation](), list[Evaluation]()
    for part in parts:
        truth = part()
        if truth.value is decides and truth.sure:
            return truth
        (deciding if truth.value is decides else others).append(truth)
    value = decides if deciding else not decides
    sure = all(truth.sure for truth in (*others, *deciding))
    return Evaluation(value, sure).resting_on(deciding or others)


def majority(parts: Sequence[tuple[Evaluation, Evaluation]], least: int) -> Evaluation:
    """Whether of the pieces that count at least half hold, or with ``least`` 1 most; it rests on those that decide. Of
    none that count, no. The parts say of each piece whether it counts, and whether it holds.

    >>> yes, no, doubtful = Evaluation(True), Evaluation(False), Evaluation(True, sure=False)
    >>> majority([(yes, yes), (yes, no)], 0).value, majority([(yes, yes), (yes, no)], 1).value
    (True, False)
    >>> majority([(yes, yes), (doubtful, no)], 0).sure, majority([(yes, yes), (doubtful, no)], 1).sure
    (True, False)
    """
    counting = [holds for counts, holds in parts if counts.value]
    holding = [holds for holds in counting if holds.value]
    value = bool(counting) and 2 * len(holding) - len(counting) >= least
    # What each may add to the balance: 1 where it holds, -1 where it does not, 0 where it does not count.
    ways = [_balance(counts, holds) for counts, holds in parts]
    best, worst = [max(way) for way in ways], [min(way) for way in ways]
    can_hold = any(best) and sum(best) >= least
    can_fail = all(0 in way for way in ways) or sum(worst) < least
    return Evaluation(value, not (can_hold and can_fail)).resting_on(
        holding if value else [holds for holds in counting if not holds.value]
    )


def _balance(counts: Evaluation, holds: Evaluation) -> set[int]:
    """What a piece may add: 1, -1 or 0."""
    ways = {0} if not counts.value or not counts.sure else set()
    if counts.value or not counts.sure:
        ways |= {1} if holds.value or not holds.sure else set()
        ways |= {-1} if not holds.value or not holds.sure else set()
    return ways
