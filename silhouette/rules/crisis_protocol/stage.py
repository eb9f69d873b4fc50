"""DRAW: a Crisis Protocol table on a stage: terrain and characters, each as high as its size.

The rules know sizes and a plan, no heights: the page says that heights are for display alone.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from silhouette.drawing.in_3d.simplifying import Shape
from silhouette.drawing.in_3d.solids import pawn, prism
from silhouette.drawing.in_3d.stage import Item, Line, Sight, Stage
from silhouette.files.cache import Cache
from silhouette.geometry import INCH, Floats, Pose
from silhouette.rules.crisis_protocol.judge import CrisisProtocolVerdict
from silhouette.rules.crisis_protocol.scene import PlanScene
from silhouette.scenes.scene import Check

SIZE_HEIGHT = 0.55
"""The height of a size, in diameters of a usual base."""


REMARK = (
    "This game is judged in the plan, by sizes: bodies are drawn as high as their sizes for display alone, "
    "and where one can see from somewhere in this picture is no verdict."
)


def stage(scene: PlanScene, judged: Sequence[tuple[Check, CrisisProtocolVerdict]], cache: Cache | None = None) -> Stage:
    """The stage of a Crisis Protocol scene.

    Args:
        scene: the scene that was judged.
        judged: its checks with their verdicts, in the order of the page.
    """
    bases = [character.base.radius * 2.0 for character in scene.characters]
    step = SIZE_HEIGHT * float(np.median(bases)) if bases else 0.25 * scene.ranges.one
    tops = {feature.name: feature.size * step for feature in (*scene.terrain, *scene.objects)}
    shapes, items = list[Shape](), list[Item]()
    for kind, features in (("terrain", scene.terrain), ("object", scene.objects)):
        for feature in features:
            items.append(Item(feature.name, kind, len(shapes), Pose.standing()))
            shapes.append(prism(feature.outline.corners, 0.0, tops[feature.name]))
    known: dict[tuple[float, int], int] = {}
    for character in scene.characters:
        key = character.base.radius, character.size
        if key not in known:
            known[key] = len(shapes)
            shapes.append(pawn(2.0 * character.base.radius, 1.3 * character.size * step))
        ground = tops.get(character.on or "", 0.0)
        items.append(Item(character.name, "character", known[key], Pose.standing((*character.base.centre, ground))))
    heads = {item.name: _head(shapes[item.shape], item) for item in items}
    number = {item.name: index for index, item in enumerate(items)}
    sights = tuple(_sight(index, *pair, number, heads, step) for index, pair in enumerate(judged))
    unit = INCH if scene.units == "mm" else scene.ranges.one / 5.0
    return Stage(tuple(shapes), tuple(items), sights, (REMARK,), unit=unit)


def _head(shape: Shape, item: Item) -> Floats:
    low, high = shape.vertices.min(axis=0), shape.vertices.max(axis=0)
    middle = (low + high) / 2.0
    head: Floats = item.pose.place(np.array([[middle[0], middle[1], low[2] + 0.9 * (high[2] - low[2])]]))[0]
    return head


def _sight(
    place: int,
    check: Check,
    verdict: CrisisProtocolVerdict,
    number: dict[str, int],
    heads: dict[str, Floats],
    step: float,
) -> Sight:
    """The lines and colours that a check shows in 3D; ``place`` is its place on the page."""
    attacker, target = check.attacker, check.target
    ends = verdict.sight_line or [heads[attacker][:2], heads[target][:2]]
    height = 0.25 * step
    points = tuple((float(x), float(y), height) for x, y in ends)
    lines = (Line("free" if verdict.line_of_sight else "blocked", points),) if attacker != target else ()
    ways = verdict.in_the_way or verdict.cover_from
    return Sight(
        place,
        number[attacker],
        number[target],
        tuple(number[name] for name in ways),
        eye=heads[attacker] if attacker != target else None,
        free=bool(verdict.line_of_sight),
        lines=lines,
    )
