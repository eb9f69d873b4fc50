"""JUDGE: what else a verdict could be where pieces with a ``doubt`` of their own stand or face otherwise.

Each such piece is shifted along and across the line between the two bases, and turned, by `DEVIATIONS` of its standard
deviations. Besides, all of them move at once, no less likely together than each of them alone: so that the target's
bearing changes most, and so that the share does, if that may reach a threshold (the design point of the first-order
reliability method: A. M. Hasofer and N. C. Lind, "Exact and Invariant Second-Moment Code Format", 1974).

All of that is looked at with a few rays; only where another word may come of it, it is judged as the verdict was.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import atan2, cos, hypot, radians, sin
from typing import Any

import numpy as np

from silhouette.common.geometry import Floats
from silhouette.common.text import in_a_row
from silhouette.measure.estimate import Estimate
from silhouette.rules.abilities import HasOdds
from silhouette.rules.base import Settings, Verdict
from silhouette.scenes.pieces import Piece
from silhouette.scenes.places import FACING_DEVIATIONS as DEVIATIONS
from silhouette.scenes.places import Move
from silhouette.scenes.scene import Check
from silhouette.scenes.table import TableScene

SHIFT_ESTIMATE = Estimate(goal=0.01, nothing=0.008)  # what looks at displacements: some hundred rays each

SHARE_NOISE = 0.01
"""By how much, as a share, what displacements change together may be off: by so much farther a threshold is tried."""

Request = tuple[Any, Check]


@dataclass(frozen=True)
class Shift:
    """One number of a piece that is in doubt, as the move by `DEVIATIONS` standard deviations of it."""

    piece: str
    x: float = 0.0  # mm
    y: float = 0.0  # mm
    turn: float = 0.0  # degrees anticlockwise

    @property
    def why(self) -> str:
        """What decides, where that alone changes the verdict: "where Kal faces"."""
        return f"where {self.piece} {'faces' if self.turn else 'stands'}"


@dataclass(frozen=True, eq=False)
class _Displaced:
    """A scene of a request with pieces elsewhere: how they move, and what decides if the verdict there is another."""

    moves: Mapping[str, Move]
    why: str


def with_own_doubts(
    rule: HasOdds[Any], requests: Sequence[Request], verdicts: Sequence[Verdict], settings: Settings
) -> list[Verdict]:
    """Verdicts on requests, in their order, each with the others that hold where pieces with a doubt of their own stand
    or face otherwise. The same verdicts, and nothing is looked at, where no piece has one.
    """
    shifts = [shifts_of(scene, check) if rule.has_odds(check) else () for scene, check in requests]
    widened = list(verdicts)
    doubtful = [number for number, each in enumerate(shifts) if each]
    if not doubtful:
        return widened
    judge = _DisplacedJudge(rule, settings)
    single = {n: _singles(requests[n], shifts[n], verdicts[n]) for n in doubtful}
    rough = judge.roughly([(requests[n], way) for n in doubtful for way in single[n]])
    tried: list[tuple[int, _Displaced]] = []
    for number in doubtful:
        looks = [next(rough) for _ in single[number]]
        tried += [
            (number, way)
            for way, look in zip(single[number], looks, strict=True)
            if not set(look.possible) <= set(verdicts[number].possible)
        ]
        scene, _ = requests[number]
        margin = rule.margin(scene, verdicts[number])
        tried += [(number, way) for way in _joint(shifts[number], looks, verdicts[number], margin)]
    for (number, way), word in zip(tried, judge.words([(requests[n], way) for n, way in tried]), strict=True):
        if word not in widened[number].possible:
            widened[number] = widened[number].could_also_be({word: 0.0}, way.why)
    return widened


# ---- what is in doubt


def shifts_of(scene: Any, check: Check) -> tuple[Shift, ...]:
    """What of a check is in doubt by its pieces' own doubts: of the attacker, of the target, and of what stands
    between; across the line from one to the other, along it, and the turn. Empty where no piece has a doubt of its own.
    """
    if not isinstance(scene, TableScene) or all(piece.doubt is None for piece in scene.pieces):
        return ()
    attacker, target = scene.piece(check.attacker), scene.piece(check.target)
    apart = target.base_centre - attacker.base_centre
    ahead = atan2(float(apart[1]), float(apart[0]))
    own = [piece for piece in scene.pieces if piece.doubt is not None]
    other = [piece for piece in own if piece.name not in (check.attacker, check.target)]
    pieces = [piece for piece in (attacker, target) if piece.doubt is not None]
    pieces += [piece for piece in other if _may_stand_between(piece, attacker, target)]
    return tuple(shift for piece in pieces for shift in _shifts(piece, ahead))


def _shifts(piece: Piece, ahead: float) -> Iterator[Shift]:
    """What of a piece is in doubt by itself; ``ahead`` is the direction of the line, radians."""
    assert piece.doubt is not None
    place, turn = (DEVIATIONS * (size or 0.0) for size in (piece.doubt.place, piece.doubt.facing))
    if place:
        yield Shift(piece.name, -place * sin(ahead), place * cos(ahead))
        yield Shift(piece.name, place * cos(ahead), place * sin(ahead))
    if turn and (piece.kind == "terrain" or piece.facing is not None):
        yield Shift(piece.name, turn=turn)


def _may_stand_between(piece: Piece, attacker: Piece, target: Piece) -> bool:
    """Whether a piece may stand between two others, in plan, where it stands or within its doubt."""
    assert piece.doubt is not None
    start, middle = attacker.eye[:2], _middle(target)
    line = middle - start
    along = float(np.clip((_middle(piece) - start) @ line / max(float(line @ line), 1e-9), 0.0, 1.0))
    reach = _radius(piece) + along * _radius(target) + 2.0 * DEVIATIONS * (piece.doubt.place or 0.0)
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
        moves[shift.piece] = Move(by, before.turn + weight * shift.turn)
    return moves


def _singles(request: Request, shifts: Sequence[Shift], verdict: Verdict) -> list[_Displaced]:
    """One shift at a time, to one side and to the other; then those of the bearing. Where the target lies in no vision
    arc, of the single shifts only turns.
    """
    some = [shift for shift in shifts if shift.turn] if verdict.in_arc is False else shifts
    alone = [_Displaced(_moves([shift], [side]), shift.why) for shift in some for side in (1.0, -1.0)]
    return [*alone, *_bearings(request, shifts)]


def _bearings(request: Request, shifts: Sequence[Shift]) -> Iterator[_Displaced]:
    """Attacker and target moved at once so that the bearing of the target from where the attacker faces changes most,
    to one side and to the other: nothing where a single shift does that.
    """
    scene, check = request
    apart = scene.piece(check.target).base_centre - scene.piece(check.attacker).base_centre
    distance = float(np.linalg.norm(apart))
    if not distance:
        return
    changes = []
    for shift in shifts:
        across = float(apart[0] * shift.y - apart[1] * shift.x) / distance**2
        sign = {check.attacker: -1.0, check.target: 1.0}.get(shift.piece, 0.0)
        changes.append(sign * across - (radians(shift.turn) if shift.piece == check.attacker else 0.0))
    yield from _at_once(shifts, changes)


def _joint(
    shifts: Sequence[Shift], looks: Sequence[Verdict], verdict: Verdict, margin: tuple[float, float]
) -> Iterator[_Displaced]:
    """All moved at once so that the share changes most, to one side and to the other, if that may reach a threshold.

    ``looks`` begin with the verdicts of one shift to each side, for each shift in turn; ``margin`` is how far the share
    lies from a threshold, and its error. Nothing where the target lies in no vision arc, whatever its share.
    """
    if verdict.in_arc is False:
        return
    apart, error = margin
    changes = []
    for number in range(len(shifts)):
        more, less = looks[2 * number], looks[2 * number + 1]
        shares = [look.share[0] for look in (more, less) if look.in_arc is not False]
        first, last = (shares * 2)[:2] if len(shares) == 2 else (0.0, 0.0)
        changes.append(0.0 if first is None or last is None else (first - last) / 2.0)
    if apart - error - SHARE_NOISE <= hypot(*changes):
        yield from _at_once(shifts, changes)


def _at_once(shifts: Sequence[Shift], changes: Sequence[float]) -> Iterator[_Displaced]:
    """Shifts, each as far as it changes something, together as likely as one of them alone, to either side; nothing
    where no more than one changes anything.
    """
    whole = hypot(*changes)
    if sum(change != 0.0 for change in changes) < 2:
        return
    used = [(shift, change / whole) for shift, change in zip(shifts, changes, strict=True) if change]
    names = in_a_row(list(dict.fromkeys(shift.piece for shift, _ in used)))
    for side in (1.0, -1.0):
        moves = _moves([shift for shift, _ in used], [side * weight for _, weight in used])
        yield _Displaced(moves, f"how {names} {'stand' if len(moves) > 1 else 'stands'}")


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
        """The words of the verdicts, judged as any."""
        settings = replace(self.settings, keep=False, remarks=False)
        return [verdict.verdict for verdict in self.rule.judge(self._requests(tried), settings)] if tried else []

    def _requests(self, tried: Sequence[tuple[Request, _Displaced]]) -> list[Request]:
        return [(self.rule.moved(scene, way.moves), check) for (scene, check), way in tried]
