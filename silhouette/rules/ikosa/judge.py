"""JUDGE: Ikosa Framework, cover in a grid of cells by straight lines between corners.

    creatures, solids -> the corners that face each other -> Lines -> the first rule of the ladder that holds
    -> verdict, with its reason in words

The numbers R1 to R15 and A1 to A9 are those of the specification, ../shared/rules/ikosa.md; its source is the article
"Covering Melee Corners". Everything is exact: whole numbers and fractions, nothing is measured.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from silhouette.common.time_limit import OutOfTime, time_limit
from silhouette.errors import RequestError
from silhouette.rules.base import RuleReference
from silhouette.rules.ikosa.cell_lines import Point
from silhouette.rules.ikosa.entries import Exposure, Readings, in_words
from silhouette.rules.ikosa.lines import LineRule, Lines, lines_between
from silhouette.rules.ikosa.results import LEVELS, NAME, IkosaVerdict
from silhouette.rules.ikosa.scene import CellCheck, CellScene, Creature
from silhouette.rules.readings import OtherReading
from silhouette.scenes.scene import Check
from silhouette.text import in_a_row, in_a_sentence

# ---- reasons

MOST_NAMED = 3
"""The greatest number of cells or boxes that a sentence names."""


@dataclass(frozen=True)
class Words:
    """The parts of the sentences about one check.

    Attributes:
        scene: the scene of the check.
        attacker, target: the two creatures of the check.
        point: the point from which a ranged attack comes; None for the best corner.
        how: the rule by which the lines are drawn.
        drawn: the lines.
    """

    scene: CellScene
    attacker: Creature
    target: Creature
    point: Point | None
    how: LineRule
    drawn: Lines

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
            parts.append(f"the solid {'cell' if len(crossed) == 1 else 'cells'} {in_a_row(crossed, MOST_NAMED)}")
        if boxes:
            parts.append(f"{'box' if len(boxes) == 1 else 'boxes'} {in_a_row(boxes, MOST_NAMED)}")
        return " and ".join(parts)

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

CHECK_SECONDS = 10.0
"""Seconds of CPU time that a check may take: of creatures of a few cells it takes some milliseconds."""

OTHER: dict[Exposure, Exposure] = {"cells": "point", "point": "cells"}


def ruling(scene: CellScene, check: Check) -> IkosaVerdict:
    """The ruling on cover for a check, within `CHECK_SECONDS`; exact, nothing is rendered.

    Raises:
        RequestError: if the check names a creature that the scene does not have, or takes too long.
    """
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
    verdict = _compared(verdict, _ruling(scene, attacker, target, point, OTHER[readings.exposure]), readings)
    if not readings.graded_cover:
        return verdict
    value = graded(verdict.drawn.share)
    return replace(verdict, cover_value=value, reason=f"{verdict.reason}; graded, the cover is worth {value}")


def _ruling(
    scene: CellScene, attacker: Creature, target: Creature, point: Point | None, exposure: Exposure
) -> IkosaVerdict:
    """The verdict under one reading of which faces are exposed to a point."""
    how, drawn = lines_between(scene, attacker, target, point, exposure)
    verdict, number, reason = _ladder(Words(scene, attacker, target, point, how, drawn))
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
        line_of_effect=verdict != "no line of effect",
    )


def _compared(verdict: IkosaVerdict, otherwise: IkosaVerdict, readings: Readings) -> IkosaVerdict:
    """The verdict, with the results that differ under the other reading of which faces are exposed to a point (A9)."""
    if otherwise.verdict == verdict.verdict:  # of which cover and line of effect follow
        return verdict
    exposure = OTHER[readings.exposure]
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


def _ladder(words: Words) -> tuple[str, str, str]:
    """Verdict, number of the rule and reason: the first test that holds."""
    drawn, attacker, target = words.drawn, words.attacker.name, words.target.name
    if words.how == "one cell":
        return "no cover", "A7", f"{attacker} and {target} share a cell, so no lines are drawn: no cover"
    number = {"melee": "R2", "ranged": "R12", "out of reach": "R15"}[words.how]
    if drawn.count == 0:
        return "no cover", number, f"no face of {target} is exposed to the point, so no lines are drawn: no cover"
    if drawn.blocked == 0:
        number = "R9" if drawn.gravity_face_excluded else number
        return "no cover", number, f"none of the {words.lines} passes through terrain: no cover{words.notes}"
    if drawn.blocked == drawn.count:
        reason = f"all {words.lines} pass through {words.solids}: no line of effect{words.notes}"
        return "no line of effect", "A6", reason
    some = "1 of the {} passes" if drawn.blocked == 1 else f"{drawn.blocked} of the {{}} pass"
    return "cover", number, f"{some.format(words.lines)} through {words.solids}: cover{words.notes}"
