"""JUDGE: Ikosa Framework, cover in a grid of cells by straight lines between corners.

The numbers R1 to R15 and A1 to A9 are those of the specification, ../shared/rules/ikosa.md; its source is the article
"Covering Melee Corners". Everything is exact: whole numbers and fractions, nothing is measured.

    creatures, solids -> the corners that face each other -> Lines -> the first rule of the ladder that holds
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from silhouette.errors import RequestError
from silhouette.files.cache import Cache
from silhouette.files.schema import Location
from silhouette.models.entries import ArcName
from silhouette.renderers.protocol import Renderer
from silhouette.rules.base import Level, Rule, RuleReference, Settings, Verdict, expectable
from silhouette.rules.ikosa.cell_lines import Point
from silhouette.rules.ikosa.entries import CellSceneEntry, Exposure, Readings, in_words
from silhouette.rules.ikosa.lines import How, Lines, lines_between
from silhouette.rules.ikosa.phrases import PHRASES, short_reason
from silhouette.rules.ikosa.scene import CellCheck, CellScene, Creature, load_cell_scene
from silhouette.scenes.scene import Check, between, everyone
from silhouette.text import as_written, did_you_mean, in_a_sentence

LEVELS: Mapping[str, Level] = {
    "no cover": Level.CLEAR,
    "cover": Level.PARTIAL,
    "no line of effect": Level.BLOCKED,
}
"""Each verdict's level, from exposed to covered."""

VERDICTS = tuple(LEVELS)

SOURCE = "Covering Melee Corners"

KIND = "creatures"

RESULTS = (
    *("attacker", "target", "rules", "verdict", "cover", "line_of_effect", "source_points", "target_points", "lines"),
    *("blocked", "gravity_face_excluded", "cover_value", "rule", "rule_number", "reason", "other_readings"),
)
"""The keys of a result, in order; those of `IkosaVerdict.row`."""

LISTS = ("other_readings",)
"""Those of which the value is a list."""

GRADES = ((8, Fraction(3, 4)), (4, Fraction(1, 4)), (2, Fraction(0)))
"""The value of graded cover, and the share of hindered lines above which it is worth that; else it is worth nothing."""

OTHER: dict[Exposure, Exposure] = {"cells": "point", "point": "cells"}

MOST_NAMED = 3


@dataclass(frozen=True)
class IkosaVerdict(Verdict):
    """An Ikosa ruling with its evidence.

    Attributes:
        drawn: the lines that decided.
        cover: at least one line is hindered.
        line_of_effect: at least one line is free, or none is needed.
        cover_value: 0, 2, 4 or 8 where the scene asks for graded cover, else None.
        other_readings: what would be otherwise under another reading of the rules, if anything.
    """

    drawn: Lines
    cover: bool
    line_of_effect: bool
    cover_value: int | None = None
    other_readings: tuple[dict[str, Any], ...] = ()

    def row(self) -> dict[str, Any]:
        """The result as the contract names its keys, ready for JSON."""
        common = super().row()
        explained = {key: common.pop(key) for key in ("rule", "rule_number", "reason")}
        graded = {} if self.cover_value is None else {"cover_value": self.cover_value}
        return {
            **common,
            "cover": self.cover,
            "line_of_effect": self.line_of_effect,
            "source_points": len(self.drawn.sources),
            "target_points": len(self.drawn.targets),
            "lines": self.drawn.count,
            "blocked": self.drawn.blocked,
            "gravity_face_excluded": self.drawn.gravity_face_excluded,
            **graded,
            **explained,
            "other_readings": list(self.other_readings),
        }


class Ikosa(Rule[CellScene, IkosaVerdict]):
    """The Ikosa Framework's rules for cover; see `silhouette.rules.base.Rule`."""

    name = "ikosa"
    title = "Ikosa Framework"
    reads = ("solid_cells", "boxes", "creature", "check")
    example = "scenes/ikosa/down_from_a_block.toml"
    scene_entry = CellSceneEntry
    readings_entry = Readings
    phrases = PHRASES
    levels = LEVELS

    def load(self, path: Path, document: dict[str, Any], cache: Cache) -> CellScene:
        """The scene of cells that a document describes.

        Raises:
            FileError: where it does not describe one, or expects a result that there is not.
        """
        scene = load_cell_scene(path, document)
        for number, check in enumerate(scene.checks, 1):
            _expectable(Location(path, f"check {number}"), check.expect or {})
        return scene

    def everyone(self, scene: CellScene) -> tuple[Check, ...]:
        """Every creature against every other."""
        return everyone(scene.path, [one.name for one in scene.creatures], KIND)

    def between(self, scene: CellScene, attacker: str, target: str | None, arc: ArcName | None) -> tuple[Check, ...]:
        """One against one, or, without a target, against every other creature."""
        if arc is not None:
            raise RequestError(f"{scene.path}: creatures in cells have no vision arcs; ask without an arc")
        return between(scene.path, [one.name for one in scene.creatures], KIND, attacker, target)

    def short_reason(self, row: Mapping[str, Any], words: Callable[..., str]) -> str:
        """Why a verdict is as it is, in one short sentence in another language than English."""
        return short_reason(row, words)

    def judge(self, scene: CellScene, checks: Sequence[Check], settings: Settings) -> list[IkosaVerdict]:
        """The rulings on checks of the scene, in their order; see `silhouette.rules.base.Rule`."""
        return [self._judge(scene, check, settings.renderer, settings.pixel) for check in checks]

    def _judge(self, scene: CellScene, check: Check, renderer: Renderer, pixel: float) -> IkosaVerdict:
        """Draws the lines and rules on cover; nothing is rendered.

        Raises:
            RequestError: where the check names a creature that is not there.
        """
        attacker, target = scene.creature(check.attacker), scene.creature(check.target)
        point = check.source_point if isinstance(check, CellCheck) else None
        readings = Readings.model_validate(scene.readings)
        verdict = _ruling(scene, attacker, target, point, readings.exposure)
        verdict = _compared(verdict, _ruling(scene, attacker, target, point, OTHER[readings.exposure]), readings)
        if not readings.graded_cover:
            return verdict
        value = graded(verdict.drawn.share)
        return replace(verdict, cover_value=value, reason=f"{verdict.reason}; graded, the cover is worth {value}")


IKOSA = Ikosa()


def _expectable(location: Location, expect: Mapping[str, Any]) -> None:
    """Refuses an expectation of a result, or of a verdict, that no check can give."""
    expectable(location, expect, RESULTS, LISTS)
    verdict = expect.get("verdict", VERDICTS[0])
    if verdict not in VERDICTS:
        raise location.error(f"expect: no verdict is {as_written(verdict)}; {did_you_mean(str(verdict), VERDICTS)}")


def _ruling(
    scene: CellScene, attacker: Creature, target: Creature, point: Point | None, exposure: Exposure
) -> IkosaVerdict:
    """The verdict under one reading of which faces are exposed to a point."""
    how, drawn = lines_between(scene, attacker, target, point, exposure)
    verdict, number, reason = _ladder(_Words(scene, attacker, target, point, how, drawn))
    return IkosaVerdict(
        attacker=attacker.name,
        target=target.name,
        rules=IKOSA.name,
        verdict=verdict,
        level=LEVELS[verdict],
        rule=RuleReference(SOURCE, number),
        reason=reason,
        drawn=drawn,
        cover=verdict != "no cover",
        line_of_effect=verdict != "no line of effect",
    )


def _compared(verdict: IkosaVerdict, other: IkosaVerdict, readings: Readings) -> IkosaVerdict:
    """The verdict, with what would be otherwise under the other reading of which faces are exposed to a point (A9)."""
    mine, theirs = verdict.row(), other.row()
    changed = {key: theirs[key] for key in ("verdict", "cover", "line_of_effect") if theirs[key] != mine[key]}
    if not changed:
        return verdict
    exposure = OTHER[readings.exposure]
    told = {"reading": f"exposure = {exposure}", **changed}
    chosen = {"cells": "by the attacker's cell", "point": "by the source point itself"}[exposure]
    reason = f"{verdict.reason}; were the faces of {verdict.target} chosen {chosen}: {other.verdict} (A9)"
    return replace(verdict, reason=reason, other_readings=(told,))


def graded(share: Fraction) -> int:
    """The value of cover by the share of hindered lines, as the author's later code grades it.

    >>> [graded(Fraction(part, 4)) for part in range(5)]
    [0, 2, 4, 4, 8]
    """
    return next((value for value, above in GRADES if share > above), 0)


def _ladder(words: _Words) -> tuple[str, str, str]:
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


@dataclass(frozen=True)
class _Words:
    """What the sentences are made of."""

    scene: CellScene
    attacker: Creature
    target: Creature
    point: Point | None
    how: How
    drawn: Lines

    @property
    def lines(self) -> str:
        """The lines, counted, and where they run."""
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
        """What is in the way."""
        cells = self.scene.solid_cells
        crossed = [in_words(cells[number]) for number in self.drawn.solids if number < len(cells)]
        boxes = [str(number - len(cells) + 1) for number in self.drawn.solids if number >= len(cells)]
        found = []
        if crossed:
            found.append(f"the solid {'cell' if len(crossed) == 1 else 'cells'} {_listed(crossed)}")
        if boxes:
            found.append(f"{'box' if len(boxes) == 1 else 'boxes'} {_listed(boxes)}")
        return " and ".join(found)

    @property
    def notes(self) -> str:
        """What else decided: which lines were drawn, and which were not."""
        drawn, attacker, target = self.drawn, self.attacker, self.target
        one, other = in_a_sentence(attacker.name), in_a_sentence(target.name)
        notes = []
        if drawn.gravity_face_excluded:
            notes.append(f"terrain supports {one}, so its gravity face is left out (R9)")
        if self.how == "out of reach":
            notes.append(f"{one} and {other} are not adjacent, so the ranged rule applies (R15)")
        if len(attacker.cells) > 1 and drawn.source_cell is not None and self.point is None:
            best = in_words(drawn.source_cell)
            notes.append(f"of its {len(attacker.cells)} cells {one} attacks from the best, {best}")
        if len(target.cells) > 1 and drawn.target_cell is not None:
            notes.append(f"of {other}'s {len(target.cells)} cells the best is attacked, {in_words(drawn.target_cell)}")
        return "".join(f"; {note}" for note in notes)


def _listed(names: Sequence[str]) -> str:
    """Names in a sentence, the first few of them.

    >>> _listed(["1"]), _listed(["1", "2"]), _listed(["1", "2", "3"]), _listed(["1", "2", "3", "4", "5"])
    ('1', '1 and 2', '1, 2 and 3', '1, 2, 3 and 2 more')
    """
    told = list(names[:MOST_NAMED])
    if len(names) > MOST_NAMED:
        told.append(f"{len(names) - MOST_NAMED} more")
    return " and ".join([part for part in (", ".join(told[:-1]), told[-1]) if part])
