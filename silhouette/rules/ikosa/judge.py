"""JUDGE: Ikosa Framework, cover in a grid of cells by straight lines between corners.

The numbers R1 to R15 and A1 to A9 are those of the specification, ../shared/rules/ikosa.md; its source is the article
"Covering Melee Corners". Everything is exact: whole numbers and fractions, nothing is measured.

The source text knows attackers of one cell. An attacker of several cells attacks from the best one for it, in melee
against the best neighbouring cell of the target, as in the rules of D&D 3.5 that Ikosa rests on; each of its cells is
supported, or not, by what lies under that cell.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from silhouette.common.errors import OutOfTime, RequestError, go_on, time_limit
from silhouette.common.geometry import Flags
from silhouette.common.text import in_a_row, in_a_sentence
from silhouette.rules.base import Level, RuleReference, Verdict
from silhouette.rules.fields import GROUNDS, OTHER_READINGS, VERDICT, WHO_FIELDS, OtherReading, ResultField
from silhouette.rules.ikosa import cell_lines
from silhouette.rules.ikosa.cell_lines import Cell, CellBox, CellSide, Point, Solids
from silhouette.rules.ikosa.scene import CellCheck, CellScene, Creature, Exposure, Readings, in_words
from silhouette.scenes.scene import Check

LineRule = Literal["one cell", "melee", "ranged", "out of reach"]
"""Lines: none within a cell; to a neighbouring cell in melee; from a point to the creature at range, out of reach."""

CellFace = tuple[Cell, CellSide]


@dataclass(frozen=True, eq=False)
class CornerLines:
    """The lines from every source point to every target point, both sorted, and what hinders which of them."""

    source_cell: Cell | None = None  # the attacker's cell from which the lines run; None where no lines are drawn
    target_cell: Cell | None = None  # the target's one cell that is attacked; None where it is the whole target
    sources: tuple[Point, ...] = ()
    targets: tuple[Point, ...] = ()
    stopped: Flags = field(default_factory=lambda: np.zeros((0, 0), dtype=bool))  # (sources, targets), by terrain
    solids: tuple[int, ...] = ()  # the numbers of the boxes in the way
    touched: Flags | None = None  # (sources, targets), by effects; None without any
    effects: tuple[int, ...] = ()  # the numbers of the cells with effects in the way (R4)
    # Whether the corners only on the attacker's gravity face are left out of the sources (R9)
    gravity_face_excluded: bool = False

    @property
    def count(self) -> int:
        """The number of lines."""
        return len(self.sources) * len(self.targets)

    @property
    def hindered(self) -> Flags:
        """(sources, targets) which lines pass through terrain or effects."""
        return self.stopped if self.touched is None else self.stopped | self.touched

    @property
    def blocked(self) -> int:
        """The number of lines that pass through terrain."""
        return int(self.stopped.sum())

    @property
    def induced(self) -> int:
        """The number of lines that pass through effects alone: they give cover, and block nothing."""
        return int((self.hindered & ~self.stopped).sum())

    @property
    def share(self) -> Fraction:
        """The share of the lines that is hindered; 0 where there are none."""
        return Fraction(self.blocked + self.induced, max(self.count, 1))


def lines_between(
    scene: CellScene, attacker: Creature, target: Creature, point: Point | None, exposure: Exposure
) -> tuple[LineRule, CornerLines]:
    """The rule by which lines are drawn, and the lines that decide; of several possible sets the attacker's best."""
    if set(attacker.cells) & set(target.cells):
        return "one cell", CornerLines()
    neighbours = [pair for pair in product(attacker.cells, target.cells) if cell_lines.are_adjacent(*pair)]
    effects = scene.effects_between(attacker.name, target.name)
    hindrance = _Hindrance(scene.solids, Solids([CellBox.of_cell(cell) for _, cell in effects]))
    if scene.mode == "melee" and neighbours:
        return "melee", _best([_melee(hindrance, attacker, *pair) for pair in neighbours])
    shot = _best(_shots(hindrance, attacker, target, point, exposure))
    return "ranged" if scene.mode == "ranged" else "out of reach", shot


class _Hindrance(NamedTuple):
    """What may hinder lines: terrain, which stops them, and effects, which only give cover."""

    terrain: Solids
    effects: Solids

    def of(
        self, sources: Sequence[Point], targets: Sequence[Point]
    ) -> tuple[Flags, tuple[int, ...], Flags, tuple[int, ...]]:
        """Of the lines from every source to every target, which are stopped, and by what; the same of effects."""
        return *self.terrain.crossings(sources, targets), *self.effects.crossings(sources, targets)


def _melee(hindrance: _Hindrance, attacker: Creature, source: Cell, target: Cell) -> CornerLines:
    """The lines from a cell to a neighbouring cell, between the faces that they turn to each other (R5 to R10)."""
    faces = cell_lines.faces_towards(source, target)
    down = attacker.gravity
    # The gravity face stays where it is the only one (A4): without it there would be no corners to attack from.
    needed = down in faces and len(faces) > 1
    excluded = needed and not attacker.flying and hindrance.terrain.touch(source, down)
    sources = tuple(sorted(cell_lines.corners_on(source, faces - {down} if excluded else faces)))
    targets = tuple(sorted(cell_lines.corners_on(target, cell_lines.faces_towards(target, source))))
    return CornerLines(source, target, sources, targets, *hindrance.of(sources, targets), excluded)


def _shots(
    hindrance: _Hindrance, attacker: Creature, target: Creature, point: Point | None, exposure: Exposure
) -> list[CornerLines]:
    """The lines from a point to the whole target (R12 to R14), from the best point for each set of exposed faces."""
    own = frozenset(target.cells)
    sources_of: dict[frozenset[CellFace], dict[Point, Cell]] = {}
    # An attack from a point comes from the cells that hold it, or all where none does.
    holding = [cell for cell in attacker.cells if point is not None and cell_lines.holds(cell, point)]
    for cell in holding or attacker.cells:
        go_on()
        to_cell = _exposed(own, partial(cell_lines.faces_towards, towards=cell)) if exposure == "cells" else None
        for corner in cell_lines.corners_of(cell) if point is None else [point]:
            faces = _exposed(own, partial(cell_lines.faces_seen_from, corner)) if to_cell is None else to_cell
            sources_of.setdefault(faces, {}).setdefault(corner, cell)
    shots = []
    for faces, sources in sources_of.items():
        targets = tuple(sorted({corner for cell, face in faces for corner in cell_lines.corners_on(cell, [face])}))
        points = sorted(sources)
        stopped, _, touched, _ = hindrance.of(points, targets)
        best = points[int((stopped | touched).sum(axis=1).argmin())]
        shots.append(CornerLines(sources[best], None, (best,), targets, *hindrance.of([best], targets)))
    return shots


def _exposed(own: frozenset[Cell], facing: Callable[[Cell], frozenset[CellSide]]) -> frozenset[CellFace]:
    """The faces of a target's own cells that are exposed to a cell or to a point (A9), none between two of them."""
    return frozenset((cell, face) for cell in own for face in facing(cell) if face.beyond(cell) not in own)


def _best(possible: Sequence[CornerLines]) -> CornerLines:
    """The attacker's choice: the smallest share of hindered lines (A5), then a fixed order among equals."""

    def preference(lines: CornerLines) -> tuple[Any, ...]:
        numbers = (lines.count == 0, lines.share, lines.count, len(lines.sources), lines.gravity_face_excluded)
        return (*numbers, lines.source_cell, lines.target_cell or (), lines.sources)

    return min(possible, key=preference)


NAME = "ikosa"
LEVELS: Mapping[str, Level] = {"no cover": Level.CLEAR, "cover": Level.PARTIAL, "no line of effect": Level.BLOCKED}
VERDICTS = tuple(LEVELS)


@dataclass(frozen=True, repr=False)
class IkosaVerdict(Verdict):
    """An Ikosa ruling, with the lines that decided; ``cover_value`` is None unless the scene asks for graded cover."""

    drawn: CornerLines
    cover: bool
    line_of_effect: bool
    cover_value: int | None = None
    induced: int | None = None  # the lines that pass through effects alone; None where the scene has no effects

    fields: ClassVar[tuple[ResultField, ...]] = (
        *(*WHO_FIELDS, VERDICT),
        ResultField("cover", bool, "whether at least one line is hindered"),
        ResultField("line_of_effect", bool, "whether at least one line is free, or none is needed"),
        ResultField("source_points", int, "how many corners lines start from", at="drawn.sources", value=len),
        ResultField("target_points", int, "how many corners lines end at", at="drawn.targets", value=len),
        ResultField("lines", int, "how many are drawn", at="drawn.count"),
        ResultField("blocked", int, "how many of them pass through terrain", at="drawn.blocked"),
        ResultField("induced", int, "how many pass through effects alone, if the scene has any", optional=True),
        ResultField(
            "gravity_face_excluded", bool, "whether a face is left out for gravity", at="drawn.gravity_face_excluded"
        ),
        ResultField("cover_value", int, "0, 2, 4 or 8, if the scene asks for graded cover", optional=True),
        *(*GROUNDS, OTHER_READINGS),
    )


# ---- reasons

MAX_NAMED_PLACES = 3  # the greatest number of cells or boxes that a sentence names


@dataclass(frozen=True)
class LineSentences:
    """Parts of the sentences about one check, by the point from which a ranged attack comes; None: the best corner."""

    scene: CellScene
    attacker: Creature
    target: Creature
    point: Point | None
    how: LineRule
    drawn: CornerLines

    @property
    def lines(self) -> str:
        """The number of lines, and their ends."""
        drawn, attacker, target = self.drawn, in_a_sentence(self.attacker.name), in_a_sentence(self.target.name)
        if self.how == "melee":
            ends = f"from {attacker}'s {len(drawn.sources)} corners to {target}'s {len(drawn.targets)}"
        else:
            at = in_words(drawn.sources[0])
            start = f"{attacker}'s best corner {at}" if self.point is None else f"the point {at}"
            ends = f"from {start} to {target}'s {len(drawn.targets)} corners"
        return f"{drawn.count} lines {ends}"

    @property
    def solids(self) -> str:
        """The solids in the way, by their cells and numbers."""
        cells = self.scene.solid_cells
        crossed = [in_words(cells[number]) for number in self.drawn.solids if number < len(cells)]
        boxes = [str(number - len(cells) + 1) for number in self.drawn.solids if number >= len(cells)]
        parts = []
        if crossed:
            parts.append(f"the solid {'cell' if len(crossed) == 1 else 'cells'} {in_a_row(crossed, MAX_NAMED_PLACES)}")
        if boxes:
            parts.append(f"{'box' if len(boxes) == 1 else 'boxes'} {in_a_row(boxes, MAX_NAMED_PLACES)}")
        return " and ".join(parts)

    @property
    def effects(self) -> str:
        """The effects in the way, by the names of creatures, and by cells."""
        between = self.scene.effects_between(self.attacker.name, self.target.name)
        places = [between[number] for number in self.drawn.effects]
        names = dict.fromkeys(in_a_sentence(name) for name, _ in places if name)
        cells = [in_words(cell) for name, cell in places if not name]
        parts = [in_a_row(list(names), MAX_NAMED_PLACES)] if names else []
        if cells:
            effects = "the effect in" if len(cells) == 1 else "the effects in"
            parts.append(f"{effects} {in_a_row(cells, MAX_NAMED_PLACES)}")
        return " and ".join(parts)

    @property
    def hindering(self) -> str:
        """All that is in the way."""
        return " and ".join(filter(None, (self.solids, self.effects)))

    @property
    def notes(self) -> str:
        """The remarks on which lines were drawn and which were not, each after a semicolon."""
        drawn, attacker, target = self.drawn, self.attacker, self.target
        looker, looked_at = in_a_sentence(attacker.name), in_a_sentence(target.name)
        notes = []
        if drawn.gravity_face_excluded:
            notes.append(f"terrain supports {looker}, so its gravity face is left out (R9)")
        if self.how == "out of reach":
            notes.append(f"{looker} and {looked_at} are not adjacent, so the ranged rule applies (R15)")
        if len(attacker.cells) > 1 and drawn.source_cell is not None and self.point is None:
            best = in_words(drawn.source_cell)
            notes.append(f"of its {len(attacker.cells)} cells {looker} attacks from the best, {best}")
        if len(target.cells) > 1 and drawn.target_cell is not None:
            notes.append(
                f"of {looked_at}'s {len(target.cells)} cells the best is attacked, {in_words(drawn.target_cell)}"
            )
        return "".join(f"; {note}" for note in notes)


# ---- the verdict

SOURCE = "Covering Melee Corners"

GRADES = ((8, Fraction(3, 4)), (4, Fraction(1, 4)), (2, Fraction(0)))
"""The value of graded cover, and the share of hindered lines above which it is worth that; else it is worth nothing."""

CHECK_SECONDS = 10.0  # of CPU time that a check may take: of creatures of a few cells it takes milliseconds
OTHER_EXPOSURE: dict[Exposure, Exposure] = {"cells": "point", "point": "cells"}


def ruling(scene: CellScene, check: Check) -> IkosaVerdict:
    """The ruling for a check, within `CHECK_SECONDS`; exact. RequestError for unknown creatures, or after that."""
    try:
        with time_limit(CHECK_SECONDS):
            return _judged(scene, check)
    except OutOfTime:
        own, others = (len(scene.creature(name).cells) for name in (check.attacker, check.target))
        lines = f"the lines from {own} to {others} cells past {len(scene.solids.boxes)} solids"
        raise RequestError(
            f"{scene.path}: {check.label}: {lines} take more than {CHECK_SECONDS:g} s of CPU time; "
            "give creatures fewer cells, or leave out terrain that is not between them"
        ) from None


def _judged(scene: CellScene, check: Check) -> IkosaVerdict:
    """The ruling under the scene's readings, with the result under the other reading where it differs."""
    attacker, target = scene.creature(check.attacker), scene.creature(check.target)
    point = check.source_point if isinstance(check, CellCheck) else None
    readings = scene.readings
    verdict = _ruling(scene, attacker, target, point, readings.exposure)
    verdict = _compared(verdict, _ruling(scene, attacker, target, point, OTHER_EXPOSURE[readings.exposure]), readings)
    if not readings.graded_cover:
        return verdict
    value = graded(verdict.drawn.share)
    return replace(verdict, cover_value=value, reason=f"{verdict.reason}; graded, the cover is worth {value}")


def _ruling(
    scene: CellScene, attacker: Creature, target: Creature, point: Point | None, exposure: Exposure
) -> IkosaVerdict:
    """The verdict under one reading of which faces are exposed to a point."""
    how, drawn = lines_between(scene, attacker, target, point, exposure)
    verdict, number, reason = _ladder(LineSentences(scene, attacker, target, point, how, drawn))
    return IkosaVerdict(
        attacker=attacker.name,
        target=target.name,
        rules=NAME,
        verdict=verdict,
        level=LEVELS[verdict],
        rule=RuleReference(SOURCE, number),
        reason=reason,
        drawn=drawn,
        cover=verdict != "no cover",
        induced=drawn.induced if scene.effect_cells or scene.effect_names else None,
        line_of_effect=verdict != "no line of effect",
    )


def _compared(verdict: IkosaVerdict, otherwise: IkosaVerdict, readings: Readings) -> IkosaVerdict:
    """The verdict, with the results that differ under the other reading of which faces are exposed to a point (A9)."""
    if otherwise.verdict == verdict.verdict:  # of which cover and line of effect follow
        return verdict
    exposure = OTHER_EXPOSURE[readings.exposure]
    changed: OtherReading = {"reading": f"exposure = {exposure}", "verdict": otherwise.verdict}
    if otherwise.cover != verdict.cover:
        changed["cover"] = otherwise.cover
    if otherwise.line_of_effect != verdict.line_of_effect:
        changed["line_of_effect"] = otherwise.line_of_effect
    chosen = {"cells": "by the attacker's cell", "point": "by the source point itself"}[exposure]
    reason = f"{verdict.reason}; were the faces of {verdict.target} chosen {chosen}: {otherwise.verdict} (A9)"
    return replace(verdict, reason=reason, other_readings=(changed,))


def graded(share: Fraction) -> int:
    """The value of cover by the share of hindered lines, as the author's later code grades it.

    >>> [graded(Fraction(part, 4)) for part in range(5)]
    [0, 2, 4, 4, 8]
    """
    return next((value for value, above in GRADES if share > above), 0)


def _ladder(words: LineSentences) -> tuple[str, str, str]:
    """Verdict, number of the rule and reason: the first test that holds."""
    drawn, attacker, target = words.drawn, words.attacker.name, words.target.name
    if words.how == "one cell":
        return "no cover", "A7", f"{attacker} and {target} share a cell, so no lines are drawn: no cover"
    number = {"melee": "R2", "ranged": "R12", "out of reach": "R15"}[words.how]
    if drawn.count == 0:
        return "no cover", number, f"no face of {target} is exposed to the point, so no lines are drawn: no cover"
    hindered = drawn.blocked + drawn.induced
    if hindered == 0:
        number = "R9" if drawn.gravity_face_excluded else number
        what = "terrain or effects" if words.scene.effect_cells or words.scene.effect_names else "terrain"
        return "no cover", number, f"none of the {words.lines} passes through {what}: no cover{words.notes}"
    if drawn.blocked == drawn.count:
        reason = f"all {words.lines} pass through {words.solids}: no line of effect{words.notes}"
        return "no line of effect", "A6", reason
    some = "1 of the {} passes" if hindered == 1 else f"{hindered} of the {{}} pass"
    passed = f"{some.format(words.lines)} through {words.hindering}"
    if not drawn.blocked:
        return "cover", "R4", f"{passed}: cover, though nothing blocks{words.notes}"
    if drawn.induced:
        passed += f", {drawn.induced} of them through effects alone, which block nothing"
    return "cover", number, f"{passed}: cover{words.notes}"
