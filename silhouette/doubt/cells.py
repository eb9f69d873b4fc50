"""JUDGE, maps: the points of a group: whether the model stands there, and the verdict of each check with it there.

points -> those where it stands -> pairs out of every arc: the last verdict, no ray is cast
       -> a rough look at all others -> the exact measurement of those whose verdict that leaves open
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

import numpy as np

from silhouette.geometry import Flags, Floats
from silhouette.measure.estimate import Estimate
from silhouette.measure.observe import observe_many
from silhouette.measure.proven import ProvenEstimate
from silhouette.rules.abilities import maps_of, meshes_of
from silhouette.rules.base import MeasuredVerdict, Rule, Settings, Verdict
from silhouette.scenes.ground import Indices
from silhouette.scenes.places import Places
from silhouette.scenes.scene import Check, Scene
from silhouette.scenes.table import TableScene

Role = Literal["target", "attacker"]

ROUGH = ProvenEstimate(Estimate(goal=0.015, nothing_is_proven=True))
"""A rough look: where it leaves the verdict open, the exact measurement answers, which costs as much as some 20 of it.
That nothing is seen, or nothing obscured, is proven: that costs a third of a measurement."""


@dataclass(frozen=True, eq=False)
class Cells:
    """What is found at q points with k checks each, of a game with v verdicts.

    Attributes:
        at: (q, 3) mm, the place of the model; its height is -inf where nothing is to stand on.
        stands: (q,) whether the model stands there.
        verdict: (q, k) int8, the number of the verdict of each check, from exposed to covered; -1 where it does not
            stand.
        possible: (q, k, v) which verdicts it could be.
        marginal: (q, k) whether another verdict is too near to rule out.
        occluded: (q, k) the share that is obscured, roughly where no threshold is near; nan where an arc alone decides.
    """

    at: Floats
    stands: Flags
    verdict: Any
    possible: Flags
    marginal: Flags
    occluded: Floats

    @classmethod
    def joined(cls, parts: Sequence[Cells]) -> Cells:
        """The points of several groups, in their order."""
        return cls(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(cls)))


def judged_cells(
    rule: Rule[Any, Verdict],
    scene: Scene,
    places: Places,
    role: Role,
    checks: Sequence[Check],
    under: float | None,
    settings: Settings,
    points: Floats,
) -> Cells:
    """What is found at some points.

    Args:
        rule: the game.
        scene: whose model is moved.
        places: where it can stand.
        role: whether it looks or is looked at.
        checks: the k checks that are judged at each point.
        under: mm: nothing higher than this counts to stand on.
        settings: of the exact measurement.
        points: (q, 2) mm.
    """
    heights = places.heights(points, under)
    stands = places.stands(points, heights)
    shape = len(points), len(checks)
    words = list(rule.levels)
    found = Cells(
        at=np.column_stack([points, heights]),
        stands=stands,
        verdict=np.full(shape, -1, np.int8),
        possible=np.zeros((*shape, len(words)), np.bool_),
        marginal=np.zeros(shape, np.bool_),
        occluded=np.full(shape, np.nan),
    )
    asked = np.repeat(stands[:, None], len(checks), axis=1)
    if role == "target" and stands.any():
        boxes = places.boxes(points[stands], heights[stands])
        for number, check in enumerate(checks):
            beyond = np.zeros(len(points), np.bool_)
            beyond[stands] = maps_of(rule, scene).certainly_out_of_arc(scene, check.attacker, boxes)
            found.verdict[beyond, number] = len(words) - 1
            found.possible[beyond, number, -1] = True
            asked[beyond, number] = False
    pairs = np.argwhere(asked.T)[:, ::-1]  # one attacker after the other: what is worked out for its eye is kept
    questions = _questions(scene, places, role, checks, found.at, pairs)
    if meshes_of(rule, scene) and settings.observe is observe_many:
        rough = rule.judge(questions, replace(settings, observe=ROUGH, keep=True))
        _fill(found, pairs, rough, rule, scene, words)
        possible = found.possible[tuple(pairs.T)].sum(axis=1)
        left = [n for n, one in enumerate(rough) if possible[n] > 1 and not (possible[n] == 2 and _is_near(one, scene))]
        pairs, questions = pairs[left], [questions[number] for number in left]
    _fill(found, pairs, rule.judge(questions, settings), rule, scene, words)
    return found


def _questions(
    scene: Scene, places: Places, role: Role, checks: Sequence[Check], at: Floats, pairs: Indices
) -> list[tuple[Any, Check]]:
    """A scene with the model at a point, and a check in it, for each pair of a point and a check."""
    if role == "target":
        there = {
            point: places.scene_at(at[point, :2], float(at[point, 2])) for point in np.unique(pairs[:, 0]).tolist()
        }
        return [(there[point], checks[one]) for point, one in pairs.tolist()]
    return [
        (
            places.scene_at(at[point, :2], float(at[point, 2]), places.facing_to(at[point, :2], checks[one].target)),
            checks[one],
        )
        for point, one in pairs.tolist()
    ]


def _fill(
    found: Cells, pairs: Indices, verdicts: Sequence[Verdict], rule: Rule[Any, Verdict], scene: Scene, words: list[str]
) -> None:
    """Enters verdicts on pairs of a point and a check."""
    for (point, one), verdict in zip(pairs.tolist(), verdicts, strict=True):
        possible = verdict.possible
        found.verdict[point, one] = words.index(verdict.verdict)
        found.possible[point, one] = [word in possible for word in words]
        found.marginal[point, one] = len(possible) > 1 or verdict.marginal
        share, _ = verdict.share
        found.occluded[point, one] = np.nan if share is None else share


def _is_near(verdict: Any, scene: Scene) -> bool:
    """Whether more than nothing is obscured, or seen, but less than the tolerance: marginal, however well measured."""
    observation = verdict.observation if isinstance(verdict, MeasuredVerdict) else None
    if observation is None or not isinstance(scene, TableScene):
        return False
    counts, most = observation.counts, scene.tolerance
    total, in_arc = max(counts.total, 1), max(counts.in_arc, 1)
    obscured = counts.occluded / total + counts.error, counts.occluded_in_arc / in_arc + counts.error_in_arc
    is_obscured = counts.occluded_in_arc > 0 and max(obscured) <= most
    return bool(is_obscured or 0.0 < counts.seen / total <= most - counts.error_seen)
