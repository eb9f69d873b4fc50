"""MEASURE, for Crisis Protocol: everything that its rules need to know of one attacker and one target.

bases and polygons -> a free line, the terrain between them and its distances -> Evidence
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from silhouette.geometry import Flags, Floats
from silhouette.relations.free_lines import find_free_line
from silhouette.relations.plane_geometry import crossed, disc_distance, epsilon_of, outline_distances
from silhouette.rules.crisis_protocol.scene import Character, Feature, PlanScene, Readings


@dataclass(frozen=True, eq=False)
class Evidence:
    """The measurements of one check, which hold under every reading; the ladder of rules decides by them.

    Attributes:
        scene: the scene of the check.
        attacker, target: the two pieces of the check.
        size: the size that the target counts as for line of sight (R6).
        sight_line: (2, 2) a free line, or None.
        blockers: the names of the terrain that obstructs every line; first the pieces that each do so alone.
        alone: the number of blockers that each obstruct every line alone.
        distance: the distance from the attacker's base to the target, in the units of the scene.
        epsilon: lengths no further apart than this are equal.
        between: (terrain,) whether a line from base to base passes through each piece (R12).
        apart: (terrain,) the distance of each piece from the target's base.
    """

    scene: PlanScene
    attacker: Character
    target: Character | Feature
    size: int
    sight_line: Floats | None
    blockers: tuple[str, ...]
    alone: int
    distance: float
    epsilon: float
    between: Flags
    apart: Floats

    @property
    def too_close(self) -> bool:
        """Whether the attacker is within range 2 (R13)."""
        return self.distance <= self.scene.ranges.two + self.epsilon

    @property
    def large_enough(self) -> Flags:
        """(terrain,) whether each piece has the target's own size or a larger one (R11, A2)."""
        flags: Flags = self.scene.sizes >= self.target.size
        return flags

    @property
    def within_one(self) -> Flags:
        """(terrain,) whether each piece is within range 1 of the target (R10)."""
        flags: Flags = self.apart <= self.scene.ranges.one + self.epsilon
        return flags

    def cover_from(self, readings: Readings) -> tuple[str, ...]:
        """The names of the terrain that gives cover, the nearest first: one piece meets all conditions (R14, A5)."""
        if self.too_close or not isinstance(self.target, Character):
            return ()
        gives = self.between & self.large_enough & self.within_one
        if not readings.attacker_terrain_gives_cover:
            gives &= self.scene.names != self.attacker.on
        return tuple(sorted(self.scene.names[gives], key=lambda name: (self._apart_from(name), name)))

    def _apart_from(self, name: str) -> float:
        return float(self.apart[self.scene.names == name][0])


def evidence_for(scene: PlanScene, attacker: Character, target: Character | Feature) -> Evidence:
    """Everything that is measured for one check."""
    size = target.size
    between, apart = np.zeros(len(scene.terrain), dtype=bool), np.full(len(scene.terrain), np.inf)
    if isinstance(target, Character):
        below = scene.standing_on(target)
        size += 0 if below is None else below.size
        epsilon = epsilon_of(attacker.base.bounds, target.base.bounds)
        distance = disc_distance(attacker.base, target.base)
        between = crossed(attacker.base, target.base, scene.outlines, epsilon)
        apart = scene.terrain_distances(target)
    else:
        epsilon = epsilon_of(attacker.base.bounds, target.outline.corners)
        distance = 0.0 if attacker.on == target.name else float(outline_distances(attacker.base, target.outline)[0])
    # R4 and R6, R7, and A8: a feature does not hide itself.
    larger = (scene.sizes > size) & (scene.names != attacker.on) & (scene.names != target.name)
    aim = target.base if isinstance(target, Character) else target.outline
    free_line = find_free_line(attacker.base, aim, scene.outlines.chosen(larger), epsilon)
    alone = sorted(scene.names[larger][free_line.alone])
    others = sorted(scene.names[larger][free_line.blocking & ~free_line.alone])
    blockers = (*alone, *others)
    return Evidence(
        scene, attacker, target, size, free_line.line, blockers, len(alone), distance, epsilon, between, apart
    )
