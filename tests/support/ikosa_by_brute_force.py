"""Ikosa a second time, straight from a scene's document: slow, obvious, in fractions, sharing nothing with the package.

Every line is cut at every plane of every box; the middle of each piece is moved a hair to every side, and a piece is
inside the terrain where all of these lie in some box.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, product
from random import Random
from typing import Any

EPSILON = Fraction(1, 10**15)
Vector = tuple[Fraction, ...]
Pair = tuple[Vector, Vector]

GRAVITIES = ("-x", "+x", "-y", "+y", "-z", "+z")


def number(value: Any) -> Fraction:
    return Fraction(str(value))


def vector(values: Any) -> Vector:
    return tuple(number(value) for value in values)


def boxes_of(document: dict[str, Any]) -> list[Pair]:
    cells = [(vector(cell), tuple(value + 1 for value in vector(cell))) for cell in document["solid_cells"]]
    return cells + [(vector(low), vector(high)) for low, high in document["boxes"]]


def in_some_box(point: Vector, boxes: list[Pair]) -> bool:
    return any(all(a <= x <= b for a, x, b in zip(low, point, high, strict=True)) for low, high in boxes)


def is_hindered(start: Vector, end: Vector, boxes: list[Pair]) -> bool:
    cuts = {Fraction(0), Fraction(1)}
    for box in boxes:
        for plane in box:
            for axis in range(3):
                if start[axis] != end[axis]:
                    cuts.add((plane[axis] - start[axis]) / (end[axis] - start[axis]))
    ordered = sorted(cut for cut in cuts if 0 <= cut <= 1)
    for before, after in pairwise(ordered):
        part = (before + after) / 2
        middle = tuple(a + (b - a) * part for a, b in zip(start, end, strict=True))
        if in_some_box(middle, boxes):
            moved = product(*((value - EPSILON, value + EPSILON) for value in middle))
            if all(in_some_box(point, boxes) for point in moved):
                return True
    return False


def corners(cell: Vector, faces: list[tuple[int, int]]) -> set[Vector]:
    """Corners of a cell on any of some faces, each an axis and 0 or 1 for the lower or the higher one."""
    every = product(*((value, value + 1) for value in cell))
    return {corner for corner in every if any(corner[axis] == cell[axis] + side for axis, side in faces)}


def faces(cell: Vector, other: Vector) -> list[tuple[int, int]]:
    return [(axis, int(other[axis] > cell[axis])) for axis in range(3) if other[axis] != cell[axis]]


def is_supported(cell: Vector, axis: int, side: int, boxes: list[Pair]) -> bool:
    plane = cell[axis] + side
    for low, high in boxes:
        if low[axis] <= plane <= high[axis]:
            widths = [min(high[a], cell[a] + 1) - max(low[a], cell[a]) for a in range(3) if a != axis]
            if min(widths) > 0:
                return True
    return False


def counted(sources: set[Vector], targets: set[Vector], excluded: bool, boxes: list[Pair]) -> dict[str, Any]:
    blocked = sum(is_hindered(source, target, boxes) for source in sources for target in targets)
    return {
        "source_points": len(sources),
        "target_points": len(targets),
        "lines": len(sources) * len(targets),
        "blocked": blocked,
        "gravity_face_excluded": excluded,
    }


def melee(attacker: dict[str, Any], source: Vector, target: Vector, boxes: list[Pair]) -> dict[str, Any]:
    gravity = attacker.get("gravity", "-z")
    down = ("xyz".index(gravity[1]), int(gravity[0] == "+"))
    used = faces(source, target)
    excluded = False
    if not attacker.get("flying") and down in used and len(used) > 1 and is_supported(source, *down, boxes):
        used.remove(down)
        excluded = True
    return counted(corners(source, used), corners(target, faces(target, source)), excluded, boxes)


def ranged(source: Vector, point: Vector, cells: list[Vector], boxes: list[Pair]) -> dict[str, Any]:
    targets: set[Vector] = set()
    for cell in cells:
        for axis, side in faces(cell, source):
            neighbour = tuple(value + (2 * side - 1) * (a == axis) for a, value in enumerate(cell))
            if neighbour not in cells:
                targets |= corners(cell, [(axis, side)])
    return counted({point}, targets, False, boxes)


def answer(document: dict[str, Any], number_of_check: int = 0) -> dict[str, Any]:
    """The counts and the verdict of one check."""
    check = document["check"][number_of_check]
    attacker, target = (
        next(each for each in document["creature"] if each["name"] == check[role]) for role in ("attacker", "target")
    )
    mine, theirs = ([vector(cell) for cell in each["cells"]] for each in (attacker, target))
    boxes = boxes_of(document)
    point = check.get("source_point", "best corner")
    neighbours = [(a, b) for a in mine for b in theirs if max(abs(x - y) for x, y in zip(a, b, strict=True)) == 1]
    if any(cell in theirs for cell in mine):
        possible = [counted(set(), set(), False, [])]
    elif document["mode"] == "melee" and neighbours:
        possible = [melee(attacker, a, b, boxes) for a, b in neighbours]
    elif point == "best corner":
        possible = [
            ranged(cell, corner, theirs, boxes)
            for cell in mine
            for corner in product(*((value, value + 1) for value in cell))
        ]
    else:
        at = vector(point)
        holding = [cell for cell in mine if all(0 <= x - value <= 1 for x, value in zip(at, cell, strict=True))]
        possible = [ranged(cell, at, theirs, boxes) for cell in holding or mine]

    def share(one: dict[str, Any]) -> Fraction:
        return Fraction(one["blocked"], one["lines"]) if one["lines"] else Fraction(0)

    best = min(possible, key=lambda one: (share(one), one["lines"], one["source_points"], one["gravity_face_excluded"]))
    verdict = "no cover" if share(best) == 0 else "no line of effect" if share(best) == 1 else "cover"
    return {
        **best,
        "verdict": verdict,
        "cover": verdict != "no cover",
        "line_of_effect": verdict != "no line of effect",
    }


def random_document(random: Random) -> dict[str, Any]:
    """A scene of one check: creatures of one or a few cells among a few solid cells and boxes."""
    mode = random.choice(["melee", "ranged"])
    reach = 1 if mode == "melee" and random.random() < 0.9 else 4
    at = [random.randint(-1, 1) for _ in range(3)]
    off = [random.randint(-reach, reach) for _ in range(3)]
    attacker = block(random, at, 0.1)
    target = block(random, [a + b for a, b in zip(at, off, strict=True)], 0.1 if mode == "melee" else 0.5)
    check: dict[str, Any] = {"attacker": "ogre", "target": "goblin"}
    if mode == "ranged":
        corner = [value + random.randint(0, 1) for value in at]
        inside = [f"{12 * value + random.randint(0, 12)}/12" for value in at]
        check["source_point"] = random.choices(["best corner", corner, inside], [1, 4, 2])[0]
    gravity = random.choice(GRAVITIES)
    near = [[a + random.randint(*sorted((-1, o + 1))) for a, o in zip(at, off, strict=True)] for _ in range(6)]
    solid = near[: random.choice([0, 1, 1, 2, 3, 6])]
    if random.random() < 0.5:
        solid.append(
            [a + (axis == gravity[1]) * (1 if gravity[0] == "+" else -1) for a, axis in zip(at, "xyz", strict=True)]
        )
    return {
        "rules": "ikosa",
        "mode": mode,
        "solid_cells": solid,
        "boxes": [box(random, at, off) for _ in range(random.choice([0, 0, 1, 2]))],
        "creature": [
            {
                "name": "ogre",
                "cells": attacker,
                "gravity": gravity,
                "flying": random.random() < 0.2,
            },
            {"name": "goblin", "cells": target},
        ],
        "check": [check],
    }


def block(random: Random, at: list[int], chance: float) -> list[list[int]]:
    """One cell, or, with some chance, a block of up to 2 x 2 x 2 with one cell perhaps missing."""
    if random.random() >= chance:
        return [at]
    sizes = [random.randint(1, 2) for _ in range(3)]
    cells = [[a + s for a, s in zip(at, step, strict=True)] for step in product(*(range(size) for size in sizes))]
    if len(cells) > 2 and random.random() < 0.5:
        cells.pop(random.randrange(len(cells)))
    random.shuffle(cells)
    return cells


def box(random: Random, at: list[int], off: list[int]) -> list[list[str]]:
    """A box with corners on a grid of twelfths, often on whole cells."""
    low, high = [], []
    for a, o in zip(at, off, strict=True):
        parts = random.choice([1, 2, 3, 4, 12])
        least, most = parts * (a + min(o, 0)), parts * (a + max(o, 0) + 1)
        one, other = sorted(random.sample(range(least, most + 1), 2))
        low.append(f"{one}/{parts}")
        high.append(f"{other}/{parts}")
    return [low, high]
