"""JUDGE: what would change a verdict: the least moves and the least turn, and the pieces without which it is another;
and why one sees what does not see it. A `Change` is told under the keys of the contract, and in a player's words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from math import ceil
from types import GenericAlias
from typing import Annotated, Any, Literal, Union

import numpy as np
import pydantic

from silhouette.common.errors import OutOfTime, RequestError, go_on, time_limit
from silhouette.common.geometry import INCH, Floats
from silhouette.common.text import in_a_sentence
from silhouette.judging.nearest import Effort, Field, Nearest, Seen, nearest_change
from silhouette.judging.run import IN_PROCESS_RUN, Run
from silhouette.measure.estimate import Estimate
from silhouette.rules import rule_called
from silhouette.rules.abilities import Movers, WhatIf, what_if
from silhouette.rules.base import Rule, Settings, Verdict
from silhouette.rules.fields import Record, ResultField, row_of, row_type
from silhouette.scenes.places import Move
from silhouette.scenes.scene import Check, Scene
from silhouette.scenes.table import TableScene

# ---- one change

MAX_MOVE_MM = 50.0  # mm: the longest move that is looked at
What = Literal["move target", "move attacker", "turn attacker", "without"]


def _what(*kinds: What) -> ResultField:
    return ResultField("what", Literal[kinds], "the kind")


_BECOMES = ResultField("verdict", str, "the verdict that it becomes")

MOVE = (
    _what("move target", "move attacker"),
    ResultField(
        "mm", Annotated[float, pydantic.Field(ge=0.0, le=MAX_MOVE_MM)], "its length, in plan, at most 50", at="amount"
    ),
    ResultField("direction", Annotated[float, pydantic.Field(ge=0.0, lt=360.0)], "degrees anticlockwise from +x"),
    _BECOMES,
)
"""The keys of the least move that changes a verdict."""

TURN = (
    _what("turn attacker"),
    ResultField("degrees", Annotated[float, pydantic.Field(ge=-180.0, le=180.0)], "anticlockwise above 0", at="amount"),
    _BECOMES,
)
"""The keys of the least turn of the attacker that changes a verdict."""

WITHOUT = (_what("without"), ResultField("piece", str, "its name"), _BECOMES)
"""The keys of a piece without which a verdict is another."""

_CHANGE_ENTRIES = (("MoveEntry", MOVE), ("TurnEntry", TURN), ("WithoutEntry", WITHOUT))

CHANGES = GenericAlias(list, (Union[tuple(row_type(*kind, closed=True) for kind in _CHANGE_ENTRIES)],))  # noqa: UP007
"""The type of changes in results."""


@dataclass(frozen=True)
class Change(Record):
    """One thing that would change a verdict, and the verdict that it becomes.

    Attributes:
        amount: mm of a move; degrees of a turn, anticlockwise above 0; 0 without a piece.
        direction: of a move, degrees anticlockwise from +x; else None.
        piece: the one without which it changes; else None.
    """

    what: What
    verdict: str
    amount: float = 0.0
    direction: float | None = None
    piece: str | None = None

    def row(self) -> dict[str, Any]:
        """The change under the contract's keys."""
        return row_of(self, MOVE if self.direction is not None else TURN if self.piece is None else WITHOUT)


SIDE_NAMES = {
    "target": (
        *("farther away", "farther away and to the left", "to the left", "nearer and to the left"),
        *("nearer", "nearer and to the right", "to the right", "farther away and to the right"),
    ),
    "attacker": (
        *("forward", "forward and to the left", "to the left", "back and to the left"),
        *("back", "back and to the right", "to the right", "forward and to the right"),
    ),
}
"""Every 45 degrees from the direction in which the attacker looks at the target, anticlockwise: where a piece goes."""


def in_words(rule: WhatIf[Any], scene: Scene, check: Check, movers: Movers, changes: Sequence[Change]) -> str:
    """What would change a verdict, the least first; where no move does, that none does."""
    parts = [_of(rule, scene, check, change) for change in changes]
    if not any(change.direction is not None for change in changes) and (movers.target or movers.attacker):
        names = [name for name, can in ((check.target, movers.target), (check.attacker, movers.attacker)) if can]
        parts.insert(0, f"no move of {' or '.join(names)} up to {length(MAX_MOVE_MM, scene).replace('.0 mm', ' mm')}")
    return "; ".join(parts) or "nothing would change it"


def _of(rule: WhatIf[Any], scene: Scene, check: Check, change: Change) -> str:
    if change.piece is not None:
        return f"without {in_a_sentence(change.piece)}: {change.verdict}"
    if change.direction is None:
        side = "left" if change.amount > 0.0 else "right"
        return f"{check.attacker} turned {abs(change.amount):.1f}° to the {side}: {change.verdict}"
    role = change.what.removeprefix("move ")
    name = check.target if role == "target" else check.attacker
    way = side_of(rule.middle(scene, check.target) - rule.middle(scene, check.attacker), change.direction, role)
    seen = f", as {check.attacker} sees it" if role == "target" and ("left" in way or "right" in way) else ""
    return f"{name} {length(change.amount, scene)} {way}{seen}: {change.verdict}"


def length(mm: float, scene: Scene | None = None) -> str:
    """A length with a decimal, or more where it is small; in inches with one more if the places of a scene are in them.

    >>> length(1.42), length(0.004)
    ('1.4 mm', '0.004 mm')
    """
    if isinstance(scene, TableScene) and scene.unit_of_places == "inch":
        inches = mm / INCH
        return f'{inches:.2f}"' if inches >= 0.01 else f'{inches:.1g}"'
    return f"{mm:.1f} mm" if mm >= 0.1 else f"{mm:.1g} mm"


def side_of(sight: Any, direction: float, role: str) -> str:
    """Where a move of the "target" or "attacker", degrees anticlockwise from +x, goes as the attacker sees it; the
    target lies (2,) mm from it.

    >>> side_of([0.0, 300.0], 172.0, "target"), side_of([0.0, 300.0], 270.0, "attacker")
    ('to the left', 'back')
    >>> side_of([0.0, 0.0], 172.0, "target")
    'towards 172°'
    """
    if not np.any(sight):
        return f"towards {direction:.0f}°"
    ahead = float(np.degrees(np.arctan2(sight[1], sight[0])))
    return SIDE_NAMES[role][round((direction - ahead) % 360.0 / 45.0) % 8]


# ---- all changes of a check

MOVE_FIELD = Field(MAX_MOVE_MM, least=0.3, growth=0.1, widest=3.0, fine_within=1.0)
"""The places: cells of 0.3 mm close by, a tenth of the distance farther out, and 3 mm from 27 mm on. Where some
of a body is hidden or shown is hardly ever narrower in plan than the body, 10 mm and more; what is, shows in shares."""

TURN_FIELD = Field(180.0, least=0.25, growth=0.05, widest=2.0, fine_within=1.0, is_line=True)
"""The directions: a body of 25 mm takes 2 degrees at 700 mm, and as much turn passes while an arc's edge crosses it."""

# What measures far from now: a few rays, more of them near a threshold; the share of now is seldom far from one
ROUGHLY = Estimate(goal=0.018, nothing=0.008, coarsest=20, leap=4.0)
# What measures where those do not tell on which side of it a share is
FINELY = Estimate(goal=0.008, nothing=0.001, little=0.003, leap=8.0)
PLACES_AT_ONCE = 64  # the places that are judged exactly at once
SEARCH_SECONDS = 60.0  # of CPU time for one least change: of two figures it takes three


@dataclass(frozen=True)
class Changes:
    """What would change a verdict.

    Attributes:
        changes: moves first, the least of them first, then the turn, then pieces, in the scene's order.
        words: the same for players, in one sentence.
        one_way: why the target sees the attacker, which does not see it, in a sentence; None if that is not so, or was
            not judged.
    """

    changes: tuple[Change, ...]
    words: str
    one_way: str | None = None

    def rows(self) -> list[dict[str, Any]]:
        """The changes under the contract's keys."""
        return [change.row() for change in self.changes]


def changes_of(
    scene: Scene, check: Check, verdict: Verdict, settings: Settings, run: Run = IN_PROCESS_RUN
) -> Changes | None:
    """What would change a verdict; None where no move makes sense of it. Moves are in plan, and may overlap others."""
    try:
        tried = _DisplacementJudge(scene, check, verdict.verdict, settings)
        movers = tried.rule.movers(scene, check)
    except RequestError:
        return None
    searches = [_ChangeSearch("move target", check.target, MOVE_FIELD)] if movers.target else []
    searches += [_ChangeSearch("move attacker", check.attacker, MOVE_FIELD)] if movers.attacker else []
    searches += [_ChangeSearch("turn attacker", check.attacker, TURN_FIELD)] if movers.turns else []
    changes, silent = list[Change](), run.silent_when_forked()

    def least(number: int) -> Change | None:
        return tried.least(searches[number], lambda part: silent.step((number + part) / (len(searches) + 1)))

    if run.workers > 1:
        import_module("scipy.spatial")  # what every search would else load for itself
    for done, change in enumerate(run.parts(settings.renderer, range(len(searches)), least), 1):
        run.step(done / (len(searches) + 1))
        changes += [] if change is None else [change]
    changes.sort(key=lambda change: (change.direction is None, change.amount))
    changes += [Change("without", word, piece=name) for name, word in tried.without(movers.others)]
    return Changes(tuple(changes), in_words(tried.rule, scene, check, movers, changes))


def check_changes(scene: Scene, checks: Sequence[Check]) -> None:
    """Refuses checks none of which any move makes sense of, before anything is judged: RequestError that says why."""
    rule: Rule[Any, Verdict] = rule_called(scene.rules)
    refusal = None
    for check in checks:
        try:
            what_if(rule, scene).movers(scene, check)
        except RequestError as error:
            refusal = error
        else:
            return
    if refusal is not None:
        raise refusal


def changes_of_each(
    scene: Scene, checks: Sequence[Check], verdicts: Sequence[Verdict], settings: Settings, run: Run = IN_PROCESS_RUN
) -> Iterator[Changes | None]:
    """`changes_of` for checks of one scene, in their order."""
    settings = replace(settings, keep=False)
    pairs = list(zip(checks, verdicts, strict=True))
    yield from run.each(scene, settings.renderer, pairs, lambda pair, run: changes_of(scene, *pair, settings, run))


def _rounded_up(amount: float) -> float:
    """The amount, away from 0 to a thousandth: there it has surely changed.

    >>> _rounded_up(1.2341), _rounded_up(-12.5)
    (1.235, -12.5)
    """
    return ceil(round(abs(float(amount)) * 1000.0, 6)) / 1000.0 * (1.0 if amount >= 0.0 else -1.0)


@dataclass(frozen=True)
class _ChangeSearch:
    """A question: the least move, or turn, of a piece, and where it is looked for."""

    what: What
    name: str
    searched: Field


class _DisplacementJudge:
    """Judges a check with pieces elsewhere."""

    def __init__(self, scene: Scene, check: Check, now: str, settings: Settings) -> None:
        rule: Rule[Any, Verdict] = rule_called(scene.rules)
        self.rule, self._judge = what_if(rule, scene), rule.judge
        self._scene, self._check, self._now = scene, check, now
        self._exactly = replace(settings, keep=False, remarks=False)
        finely, roughly = (replace(self._exactly, observe=estimate) for estimate in (FINELY, ROUGHLY))
        self._settings: dict[Effort, Settings] = {"exact": self._exactly, "fine": finely, "rough": roughly}

    def nearest(self, name: str, searched: Field, step: Callable[[float], None] = lambda part: None) -> Nearest | None:
        """The least move, or turn, of a piece with which the verdict is another."""
        return nearest_change(self._now, partial(self._look, name, searched.is_line), searched, step)

    def least(self, search: _ChangeSearch, step: Callable[[float], None]) -> Change | None:
        """The least change of a kind; None where there is none within reach. RequestError where it takes too long."""
        try:
            with time_limit(SEARCH_SECONDS):
                nearest = self.nearest(search.name, search.searched, step)
        except OutOfTime:
            turns = "turn" if search.searched.is_line else "move"
            raise RequestError(
                f"{self._scene.path}: {self._check.label}: the least {turns} of '{search.name}' that would change the "
                f"verdict takes more than {SEARCH_SECONDS:g} s of CPU time; leave out --what-if, or simplify the models"
            ) from None
        if nearest is None:
            return None
        if search.searched.is_line:
            return Change(search.what, nearest.verdict, _rounded_up(nearest.point[0]))
        direction = float(np.degrees(np.arctan2(nearest.point[1], nearest.point[0]))) % 360.0
        mm = min(_rounded_up(nearest.distance), MAX_MOVE_MM)
        return Change(search.what, nearest.verdict, mm, round(direction, 3) % 360.0)

    def without(self, names: Sequence[str]) -> Iterator[tuple[str, str]]:
        """The pieces without which the verdict is another, each with that verdict."""
        scenes = (self.rule.without(self._scene, name) for name in names)
        for name, verdict in zip(names, self._judged(scenes, self._exactly), strict=True):
            if verdict.verdict != self._now:
                yield name, verdict.verdict

    def _look(self, name: str, turns: bool, points: Floats, effort: Effort) -> list[Seen]:
        moves = (Move(turn=float(x)) if turns else Move(by=(float(x), float(y), 0.0)) for x, y in points)
        scenes = (self.rule.moved(self._scene, {name: move}) for move in moves)
        verdicts = self._judged(scenes, self._settings[effort])
        return [Seen(verdict.verdict, *self.rule.margin(self._scene, verdict)) for verdict in verdicts]

    def _judged(self, scenes: Iterator[Any], settings: Settings) -> Iterator[Verdict]:
        questions = [(scene, self._check) for scene in scenes]
        most = PLACES_AT_ONCE if settings is self._exactly else len(questions)
        for start in range(0, len(questions), max(most, 1)):
            go_on()
            yield from self._judge(questions[start : start + most], settings)


# ---- who is seen and does not see


def one_way_of_each(
    scene: Scene, checks: Sequence[Check], verdicts: Sequence[Verdict], settings: Settings
) -> list[str | None]:
    """For each check in which nothing is seen while something is on the way back, which is judged if need be: why; None
    for the others, and for a check of one vision arc alone: the attacker may see through another.
    """
    rule: Rule[Any, Verdict] = rule_called(scene.rules)
    settings = replace(settings, keep=False)
    judged = list(zip(checks, verdicts, strict=True))
    blind = [pair for pair in judged if pair[1].line_of_sight is False and pair[0].arc is None]
    pairs, more = {(check.attacker, check.target) for check in checks}, list[Check]()
    for attacker, target in dict.fromkeys((check.target, check.attacker) for check, _ in blind):
        if (attacker, target) not in pairs:
            with suppress(RequestError):  # where the one cannot look, or the other be looked at
                more += rule.between(scene, attacker, target, None)
    judged += zip(more, rule.judge([(scene, check) for check in more], settings) if more else (), strict=True)
    seeing = {(check.attacker, check.target): verdict for check, verdict in judged if verdict.line_of_sight}
    why = {
        id(verdict): what_if(rule, scene).one_way(scene, seeing[check.target, check.attacker], verdict, settings)
        for check, verdict in blind
        if (check.target, check.attacker) in seeing
    }
    return [why.get(id(verdict)) for verdict in verdicts]
