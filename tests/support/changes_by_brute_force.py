"""The least move or turn that changes a verdict, by judging place after place: slow and simple."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, pi
from typing import Any

import numpy as np

from silhouette.rules import rule_called
from silhouette.rules.base import MeasuredVerdict, Settings, Verdict
from silhouette.scenes.places import Move
from silhouette.scenes.scene import Check, Scene

TOGETHER = 64


def judged_after(scene: Scene, check: Check, moves: list[dict[str, Move]], settings: Settings) -> Iterator[Verdict]:
    """The verdict of a check after each of some moves."""
    rule = rule_called(scene.rules)
    for start in range(0, len(moves), TOGETHER):
        some = moves[start : start + TOGETHER]
        yield from rule.judge([(rule.moved(scene, move), check) for move in some], settings)


def is_sure(verdict: Verdict) -> bool:
    """Whether what was measured lies farther than its error from the thresholds of a table game."""
    if not isinstance(verdict, MeasuredVerdict):
        return True
    counts: Any = getattr(verdict, "counts", None)
    if counts is None or not counts.total:
        return True
    share, seen = counts.occluded / counts.total, counts.seen / counts.total
    return not (abs(share - 0.5) <= counts.error or 0.0 < share <= counts.error or 0.0 < seen <= counts.error_seen)


def least_move(
    scene: Scene, check: Check, now: str, name: str, reach: float, settings: Settings, apart: float = 0.2
) -> float | None:
    """mm of the least move in plan, up to ``reach``, that surely changes the verdict, on rings ``apart`` mm apart."""
    places: list[tuple[float, float, float]] = []
    for radius in np.arange(apart / 2.0, reach + 1e-9, apart):
        angles = np.arange(ceil(2.0 * pi * radius / apart)) * apart / radius
        places += [
            (float(radius), float(x), float(y)) for x, y in radius * np.column_stack([np.cos(angles), np.sin(angles)])
        ]
    moves = [{name: Move(by=(x, y, 0.0))} for _, x, y in places]
    for (radius, _, _), verdict in zip(places, judged_after(scene, check, moves, settings), strict=False):
        if verdict.verdict != now and is_sure(verdict):
            return radius
    return None


def least_turn(
    scene: Scene, check: Check, now: str, reach: float, settings: Settings, apart: float = 0.1
) -> float | None:
    """Degrees of the least turn of the attacker, up to ``reach``, that surely changes the verdict."""
    turns = [sign * degrees for degrees in np.arange(apart / 2.0, reach + 1e-9, apart).tolist() for sign in (1.0, -1.0)]
    moves = [{check.attacker: Move(turn=turn)} for turn in turns]
    for turn, verdict in zip(turns, judged_after(scene, check, moves, settings), strict=False):
        if verdict.verdict != now and is_sure(verdict):
            return turn
    return None
