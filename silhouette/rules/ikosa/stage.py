"""DRAW: an Ikosa scene on a stage: solids, creatures in their cells, and the lines from corner to corner."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from silhouette.drawing.in_3d.simplifying import Shape
from silhouette.drawing.in_3d.solids import box, together
from silhouette.drawing.in_3d.stage import Item, Line, Sight, Stage
from silhouette.files.cache import Cache
from silhouette.geometry import Pose
from silhouette.rules.ikosa.cell_lines import Cell, Point
from silhouette.rules.ikosa.judge import IkosaVerdict
from silhouette.rules.ikosa.scene import CellScene, Creature
from silhouette.scenes.scene import Check

SHRUNK = 0.03
"""The gap between a creature and the borders of its cells: its faces must not lie in those of its ground."""

MOST_LINES = 64
"""The most lines of one kind in one check; of more lines an even selection is drawn."""

REMARK = "Creatures fill their cells; the lines are those from corner to corner by which cover is judged."


def stage(scene: CellScene, judged: Sequence[tuple[Check, IkosaVerdict]], cache: Cache | None = None) -> Stage:
    """The stage of an Ikosa scene.

    Args:
        scene: the scene that was judged.
        judged: its checks with their verdicts, in the order of the page.
    """
    shapes, items = list[Shape](), list[Item]()
    for box_number, (low, high) in enumerate(scene.solids.boxes, 1):
        boxes = box_number - len(scene.solid_cells)
        name = f"box {boxes}" if boxes > 0 else f"solid cell [{', '.join(f'{value:g}' for value in low)}]"
        items.append(Item(name, "terrain", len(shapes), Pose.standing()))
        shapes.append(box(low, high))
    solids = len(items)
    for creature in scene.creatures:
        items.append(Item(creature.name, "creature", len(shapes), Pose.standing(), opacity=0.5))
        shapes.append(together(*(_cell(creature, cell) for cell in creature.cells)))
    numbers = {creature.name: solids + index for index, creature in enumerate(scene.creatures)}
    sights = tuple(_sight(scene, numbers, place, *ruling) for place, ruling in enumerate(judged))
    remarks = [REMARK]
    if any(len(sight.lines) < verdict.drawn.hindered.size for sight, (_, verdict) in zip(sights, judged, strict=True)):
        remarks.append(f"Of many lines, {MOST_LINES} of a kind are drawn.")
    floor = min(float(shape.vertices[:, 2].min()) for shape in shapes) if shapes else 0.0
    return Stage(tuple(shapes), tuple(items), sights, tuple(remarks), floor=floor)


def _sight(scene: CellScene, numbers: dict[str, int], place: int, check: Check, verdict: IkosaVerdict) -> Sight:
    """A check on the stage, by its place on the page; ``numbers`` are those of the creatures' items."""
    cell = verdict.drawn.source_cell or scene.creature(check.attacker).cells[0]
    return Sight(
        place,
        numbers[check.attacker],
        numbers[check.target],
        tuple(int(index) for index in verdict.drawn.solids),
        eye=np.array(cell, dtype=np.float64) + 0.5,
        free=verdict.line_of_effect,
        lines=(*_lines("free", _ends(verdict, False)), *_lines("blocked", _ends(verdict, True))),
    )


def _cell(creature: Creature, cell: Cell) -> Shape:
    """One cell of a creature, smaller by `SHRUNK` on the sides where no other of its cells lies."""
    low, high = np.array(cell, dtype=np.float64), np.array(cell, dtype=np.float64) + 1.0
    cells = set(creature.cells)
    for axis in range(3):
        for step, side, sign in ((-1, low, 1.0), (1, high, -1.0)):
            neighbour = list(cell)
            neighbour[axis] += step
            if tuple(neighbour) not in cells:
                side[axis] += sign * SHRUNK
    return box(low, high)


def _ends(verdict: IkosaVerdict, hindered: bool) -> list[tuple[Point, Point]]:
    drawn = verdict.drawn
    return [
        (source, target)
        for row, source in enumerate(drawn.sources)
        for column, target in enumerate(drawn.targets)
        if bool(drawn.hindered[row, column]) is hindered
    ]


def _lines(kind: str, ends: Sequence[tuple[Point, Point]]) -> list[Line]:
    every = -(-len(ends) // MOST_LINES) or 1
    return [Line(kind, (_floats(source), _floats(target))) for source, target in ends[::every]]  # type: ignore[arg-type]


def _floats(point: Point) -> tuple[float, float, float]:
    x, y, z = (float(value) for value in point)
    return x, y, z
