"""JUDGE: what else a verdict could be where pieces with a ``doubt`` of their own stand or face otherwise.

Each such piece is shifted along and across the line between the two bases, turned, and made larger and smaller where
its surface is a scan's, by `DEVIATIONS` of its standard deviations. Besides, all of them move at once, no less likely
together than each of them alone: so that the target's bearing changes most, and so that the share does, if that may
reach a threshold (the design point of the first-order reliability method: A. M. Hasofer and N. C. Lind, "Exact and
Invariant Second-Moment Code Format", 1974).

All of that is looked at with a few rays; only where another word comes of it, it is judged as the verdict was.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import atan2, cos, hypot, radians, sin
from typing import Any

import numpy as np

from silhouette.common.geometry import Floats
from silhouette.common.text import in_a_row, in_a_sentence
from silhouette.measure.estimate import Estimate
from silhouette.rules.abilities import HasOdds
from silhouette.rules.base import Settings, Verdict
from silhouette.scenes.entries import PieceDoubtEntry
from silhouette.scenes.pieces import Piece
from silhouette.scenes.places import Move
from silhouette.scenes.scene import Check
from silhouette.scenes.table import TableScene

DEVIATIONS = 2.0  # standard deviations by which pieces are displaced (contract, section 3)

SHIFT_ESTIMATE = Estimate(
    goal=0.01, nothing=0.008, everywhere=0.015
)  # what looks at displacements: some hundred rays each

OUTLINE_ESTIMATE = Estimate(goal=0.003, nothing=0.003)  # what judges those by which an outline moves

SHARE_NOISE = 0.01
"""By how much, as a share, what displacements change together may be off: by so much farther a threshold is tried."""

NEGLIGIBLE = 0.1  # what changes less than this part of what changes most is left where it is

Request = tuple[Any, Check]


@dataclass(frozen=True)
class Shift:
    """One number of a piece that is in doubt, as the move by `DEVIATIONS` standard deviations of it."""

    piece: str
    x: float = 0.0  # mm
    y: float = 0.0  # mm
    turn: float = 0.0  # degrees anticlockwise
    outline: float = 0.0  # mm, outwards

    @property
    def why(self) -> str:
        """What decides, where that alone changes the verdict: "where Kal faces"."""
        if self.outline:
            return f"where the surface of {in_a_sentence(self.piece)}, as it was scanned, lies"
        return f"where {in_a_sentence(self.piece)} {'faces' if self.turn else 'stands'}"


@dataclass(frozen=True, eq=False)
class _Displaced:
    """A scene of a request with pieces elsewhere: how they move, and what decides if the verdict there is another."""

    moves: Mapping[str, Move]
    why: str
    shift: Shift | None = None  # where it is one alone

    @property
    def is_outlined(self) -> bool:
        """Whether an outline lies elsewhere."""
        return any(move.outline for move in self.moves.values())


def with_own_doubts(
    rule: HasOdds[Any], requests: Sequence[Request], verdicts: Sequence[Verdict], settings: Settings
) -> list[Verdict]:
    """Verdicts on requests, in their order, each with the others that hold where pieces with a doubt of their own stand
    or face otherwise. Where no piece has one, they are returned as they are.
    """
    scenes = {id(scene): scene for scene, _ in requests}
    doubtful = {key for key, scene in scenes.items() if any(piece.doubt is not None for piece in scene.pieces)}
    widened = list(verdicts)
    if not doubtful:
        return widened
    judge = _DisplacedJudge(rule, settings)
    trials = [
        _ShiftTrials(request, shifts_of(*request), verdict, rule.margin(request[0], verdict))
        if id(request[0]) in doubtful and rule.has_odds(request[1])
        else None
        for request, verdict in zip(requests, verdicts, strict=True)
    ]
    single = [[] if trial is None else trial.singles() for trial in trials]
    rough = judge.roughly([(request, way) for request, ways in zip(requests, single, strict=True) for way in ways])
    tried: list[tuple[int, _Displaced]] = []
    for number, (trial, ways) in enumerate(zip(trials, single, strict=True)):
        looks = [next(rough) for _ in ways]
        tried += [] if trial is None else [(number, way) for way in trial.worth_judging(ways, looks)]
    for (number, way), word in zip(tried, judge.words([(requests[n], way) for n, way in tried]), strict=True):
        if word not in widened[number].possible:
            widened[number] = widened[number].could_also_be({word: 0.0}, way.why)
    return widened


# ---- what is in doubt


def shifts_of(scene: TableScene, check: Check) -> tuple[Shift, ...]:
    """What of a check is in doubt by its pieces' own doubts: of the attacker, of the target, and of what stands
    between; across the line from one to the other, along it, the turn, and the outline of what is a scan's. Empty where
    no piece has a doubt of its own.
    """
    attacker, target = scene.piece(check.attacker), scene.piece(check.target)
    apart = target.base_centre - attacker.base_centre
    ahead = atan2(float(apart[1]), float(apart[0]))
    own = [piece for piece in scene.pieces if piece.doubt is not None]
    other = [piece for piece in own if piece.name not in (check.attacker, check.target)]
    pieces = [piece for piece in (attacker, target) if piece.doubt is not None]
    pieces += [piece for piece in other if _may_stand_between(piece, attacker, target)]
    shifts = (shift for piece in pieces for shift in _shifts(piece, ahead))
    return tuple(shift for shift in shifts if not (shift.outline and shift.piece == check.attacker))


def _shifts(piece: Piece, ahead: float) -> Iterator[Shift]:
    """What of a piece is in doubt by itself; ``ahead`` is the direction of the line, radians."""
    doubt = piece.doubt or PieceDoubtEntry()
    place, turn, surface = (DEVIATIONS * (size or 0.0) for size in (doubt.place, doubt.facing, doubt.surface))
    if place:
        yield Shift(piece.name, -place * sin(ahead), place * cos(ahead))
        yield Shift(piece.name, place * cos(ahead), place * sin(ahead))
    if turn and (piece.kind == "terrain" or piece.facing is not None):
        yield Shift(piece.name, turn=turn)
    if surface and piece.model.scan:
        yield Shift(piece.name, outline=surface)


def _may_stand_between(piece: Piece, attacker: Piece, target: Piece) -> bool:
    """Whether a piece may stand between two others, in plan, where it stands or within its doubt."""
    doubt = piece.doubt or PieceDoubtEntry()
    start, middle = attacker.eye[:2], _middle(target)
    line = middle - start
    along = float(np.clip((_middle(piece) - start) @ line / max(float(line @ line), 1e-9), 0.0, 1.0))
    reach = (
        _radius(piece) + along * _radius(target) + 2.0 * DEVIATIONS * ((doubt.place or 0.0) + (doubt.surface or 0.0))
    )
    return hypot(*(start + along * line - _middle(piece))) <= reach


def _middle(piece: Piece) -> Floats:
    middle: Floats = piece.whole_box[:, :2].mean(axis=0)
    return middle


def _radius(piece: Piece) -> float:
    """mm: of the circle round a piece in plan."""
    return float(np.linalg.norm(piece.whole_box[:, :2] - _middle(piece), axis=1).max())


# ---- displacements


def _moves(shifts: Sequence[Shift], weights: Sequence[float]) -> dict[str, Move]:
    """The moves of pieces by parts of shifts: a weight of 1 is all of one, of -1 the same to the other side."""
    moves: dict[str, Move] = {}
    for shift, weight in zip(shifts, weights, strict=True):
        before = moves.get(shift.piece, Move())
        by = (before.by[0] + weight * shift.x, before.by[1] + weight * shift.y, 0.0)
        turn, outline = before.turn + weight * shift.turn, before.outline + weight * shift.outline
        moves[shift.piece] = Move(by, turn, outline=outline)
    return moves


@dataclass(frozen=True, eq=False)
class _ShiftTrials:
    """The displacements that are tried of a request, by what is in doubt; ``margin`` is how far the share lies from a
    threshold, and its error, nan where the share does not tell.
    """

    request: Request
    shifts: Sequence[Shift]
    verdict: Verdict
    margin: tuple[float, float]

    @property
    def is_linear(self) -> bool:
        """Whether the share tells how near another verdict is: then one side of a shift tells of the other."""
        return self.verdict.in_arc is not False and self.margin[0] == self.margin[0]

    def singles(self) -> list[_Displaced]:
        """One shift at a time, to one side or to both; then those of the bearing. Where the target lies in no vision
        arc, of single shifts only turns.
        """
        some = [shift for shift in self.shifts if shift.turn or self.verdict.in_arc is not False]
        alone = [
            _Displaced(_moves([shift], [side]), shift.why, shift)
            for shift in some
            for side in ((1.0, -1.0) if shift.turn or not self.is_linear else (1.0,))
        ]
        return [*alone, *self._bearings()]

    def worth_judging(self, ways: Sequence[_Displaced], looks: Sequence[Verdict]) -> Iterator[_Displaced]:
        """Of the displacements that were looked at, and of all shifts at once, those where another word may come."""
        for way, look in zip(ways, looks, strict=True):
            words = look.possible if way.shift is not None and way.shift.turn else (look.verdict,)
            if not set(words) <= set(self.verdict.possible):
                yield way
        if self.is_linear:
            yield from self._joint(ways, looks)

    def _bearings(self) -> Iterator[_Displaced]:
        """Attacker and target moved at once so that the bearing of the target from where the attacker faces changes
        most, to one side and to the other.
        """
        scene, check = self.request
        apart = scene.piece(check.target).base_centre - scene.piece(check.attacker).base_centre
        distance = float(np.linalg.norm(apart))
        if not distance:
            return
        changes = []
        for shift in self.shifts:
            across = float(apart[0] * shift.y - apart[1] * shift.x) / distance**2
            sign = {check.attacker: -1.0, check.target: 1.0}.get(shift.piece, 0.0)
            changes.append(sign * across - (radians(shift.turn) if shift.piece == check.attacker else 0.0))
        yield from _at_once(self.shifts, changes)

    def _joint(self, ways: Sequence[_Displaced], looks: Sequence[Verdict]) -> Iterator[_Displaced]:
        """All moved at once so that the share changes most, to one side and to the other, if that may reach a
        threshold.
        """
        own, _ = self.verdict.share
        changes = dict.fromkeys(self.shifts, 0.0)
        for way, look in zip(ways, looks, strict=True):
            share, _ = look.share
            if way.shift is None or share is None or own is None or look.in_arc is False:
                continue
            first = _moves([way.shift], [1.0]) == way.moves
            changes[way.shift] += (share - own if first else own - share) / (2.0 if way.shift.turn else 1.0)
        apart, error = self.margin
        if apart - error - SHARE_NOISE <= hypot(*changes.values()):
            yield from _at_once(self.shifts, list(changes.values()))


def _at_once(shifts: Sequence[Shift], changes: Sequence[float]) -> Iterator[_Displaced]:
    """Shifts, each as far as it changes something, together as likely as one of them alone, to either side."""
    least = NEGLIGIBLE * max(map(abs, changes), default=0.0)
    used = [(shift, change) for shift, change in zip(shifts, changes, strict=True) if abs(change) > least]
    whole = hypot(*(change for _, change in used))
    names = in_a_row([in_a_sentence(name) for name in dict.fromkeys(shift.piece for shift, _ in used)])
    why = used[0][0].why if len(used) == 1 else f"how {names} {'stand' if ' and ' in names else 'stands'}"
    for side in (1.0, -1.0) if used else ():
        yield _Displaced(_moves([shift for shift, _ in used], [side * change / whole for _, change in used]), why)


# ---- judging


@dataclass(frozen=True, eq=False)
class _DisplacedJudge:
    """Judges requests with pieces elsewhere."""

    rule: HasOdds[Any]
    settings: Settings

    def roughly(self, tried: Sequence[tuple[Request, _Displaced]]) -> Iterator[Verdict]:
        """The verdicts by a few rays."""
        settings = replace(self.settings, keep=False, remarks=False, observe=SHIFT_ESTIMATE)
        return iter(self.rule.judge_quickly(self._requests(tried), settings) if tried else ())

    def words(self, tried: Sequence[tuple[Request, _Displaced]]) -> list[str]:
        """The words of the verdicts, judged as any; where an outline moves, by many rays: nothing is proven then."""
        words: dict[int, str] = {}
        for is_outlined in (False, True):
            numbers = [n for n, (_, way) in enumerate(tried) if way.is_outlined == is_outlined]
            settings = replace(self.settings, keep=False, remarks=False)
            settings = replace(settings, observe=OUTLINE_ESTIMATE) if is_outlined else settings
            requests = self._requests([tried[number] for number in numbers])
            verdicts = self.rule.judge(requests, settings) if requests else []
            words |= {number: verdict.verdict for number, verdict in zip(numbers, verdicts, strict=True)}
        return [words[number] for number in range(len(tried))]

    def _requests(self, tried: Sequence[tuple[Request, _Displaced]]) -> list[Request]:
        return [(self.rule.moved(scene, way.moves), check) for (scene, check), way in tried]
