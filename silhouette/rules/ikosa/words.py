"""JUDGE: Ikosa, the parts of the sentences that give the reason for a verdict."""

from __future__ import annotations

from dataclasses import dataclass

from silhouette.rules.ikosa.cell_lines import Point
from silhouette.rules.ikosa.entries import in_words
from silhouette.rules.ikosa.lines import LineRule, Lines
from silhouette.rules.ikosa.scene import CellScene, Creature
from silhouette.text import in_a_row, in_a_sentence

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
