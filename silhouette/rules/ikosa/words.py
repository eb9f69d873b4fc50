"""JUDGE: Ikosa, the parts of the sentences that say why a ruling is as it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from silhouette.rules.ikosa.cell_lines import Point
from silhouette.rules.ikosa.entries import in_words
from silhouette.rules.ikosa.lines import How, Lines
from silhouette.rules.ikosa.scene import CellScene, Creature
from silhouette.text import in_a_sentence

MOST_NAMED = 3
"""Cells or boxes that a sentence names, at most."""


@dataclass(frozen=True)
class Words:
    """What the sentences about one check are made of.

    Attributes:
        scene: that is judged.
        attacker, target: of the check.
        point: from which a ranged attack comes; None for the best corner.
        how: by which rule the lines are drawn.
        drawn: the lines.
    """

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


def _listed(names: Sequence[str]) -> str:
    """Names in a sentence, the first few of them.

    >>> _listed(["1"]), _listed(["1", "2"]), _listed(["1", "2", "3"]), _listed(["1", "2", "3", "4", "5"])
    ('1', '1 and 2', '1, 2 and 3', '1, 2, 3 and 2 more')
    """
    shown = list(names[:MOST_NAMED])
    if len(names) > MOST_NAMED:
        shown.append(f"{len(names) - MOST_NAMED} more")
    return " and ".join([part for part in (", ".join(shown[:-1]), shown[-1]) if part])
