"""TELL, for Crisis Protocol: the parts of the sentence that gives the reason for a verdict."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from silhouette.geometry import Flags
from silhouette.rules.crisis_protocol.evidence import Evidence
from silhouette.rules.crisis_protocol.scene import Character
from silhouette.text import in_a_sentence

MOST_NAMES = 3


@dataclass(frozen=True, eq=False)
class Words:
    """The parts of sentences about one check."""

    evidence: Evidence

    @property
    def target(self) -> str:
        """The name of the target, as it stands in a sentence."""
        name = self.evidence.target.name
        return name if isinstance(self.evidence.target, Character) else in_a_sentence(name)

    @property
    def plain(self) -> str:
        """The target with its own size."""
        return f"{self.target} (size {self.evidence.target.size})"

    @property
    def counted(self) -> str:
        """The target with the size that it counts as for line of sight."""
        target, size = self.evidence.target, self.evidence.size
        if isinstance(target, Character) and target.on is not None:
            return f"{self.target} (size {size} with {in_a_sentence(target.on)})"
        return f"{self.target} (size {size})"

    @property
    def hidden(self) -> str:
        """The clause that says why no line is free: the terrain in the way, and sizes."""
        evidence = self.evidence
        blame = evidence.blockers[: evidence.alone] or evidence.blockers
        joint = "and" if evidence.alone else "or"
        larger = "larger" if len(blame) == 1 else "each larger"
        names = _few([f"{in_a_sentence(name)} (size {self._size_of(name)})" for name in blame], joint)
        return (
            f"{evidence.attacker.name} does not see {self.target}: "
            f"every line passes through {names}, {larger} than {self.counted}: hidden"
        )

    def sees(self, unnamed: Sequence[str] = ()) -> str:
        """The clause that says that a line is free, past or over what terrain; ``unnamed`` terrain is left out."""
        evidence, scene = self.evidence, self.evidence.scene
        target = evidence.target
        below = (evidence.attacker.on, target.on if isinstance(target, Character) else target.name)
        others = evidence.between & np.array([name not in (*below, *unnamed) for name in scene.names], dtype=bool)
        larger = scene.sizes > evidence.size
        past, over = self._sized(others & larger), self._sized(others & ~larger)
        way = " and".join(f" {word} {names}" for word, names in (("past", past), ("over", over)) if names)
        return f"{evidence.attacker.name} sees {self.counted if over else self.target}{way}"

    @property
    def away(self) -> str:
        """The attacker's distance, compared with range 2."""
        evidence, limit = self.evidence, self.evidence.scene.ranges.two
        side = "within" if evidence.too_close else "beyond"
        return f"{self.compared(evidence.distance, limit)} away, {side} range 2 ({self.length(limit)})"

    def in_cover(self, names: Sequence[str]) -> str:
        """The sentence that says that the target is seen, what gives it cover, and that every condition is met."""
        scene = self.evidence.scene
        features = []
        for name in names:
            apart = float(self.evidence.apart[scene.names == name][0])
            how = "it stands on it" if self._stood_on(name) else f"{self.compared(apart, scene.ranges.one)} off"
            features.append(f"{in_a_sentence(name)} (size {self._size_of(name)}, {how})")
        return (
            f"{self.sees(names)}; {self.target} has cover from {_few(features, 'and')}: between them, within range 1 "
            f"({self.length(scene.ranges.one)}), no smaller than {self.plain}, "
            f"and {self.evidence.attacker.name} is {self.away}"
        )

    def those(self, names: Iterable[str]) -> str:
        """The names of terrain in a sentence: the first few, then a count of the rest."""
        return _few([in_a_sentence(name) for name in names], "and")

    def length(self, length: float, digits: int = 4) -> str:
        """A length with its unit."""
        return f"{length:.{digits}g} {self.evidence.scene.units}"

    def compared(self, length: float, limit: float) -> str:
        """A length with its unit, in enough digits to show on which side of a limit it lies."""
        if abs(length - limit) <= self.evidence.epsilon:
            return self.length(limit)
        telling_digits = (
            digits for digits in range(4, 17) if (float(f"{length:.{digits}g}") > limit) == (length > limit)
        )
        return self.length(length, next(telling_digits, 17))

    def _sized(self, which: Flags) -> str:
        scene = self.evidence.scene
        return _few([f"{in_a_sentence(name)} (size {self._size_of(name)})" for name in scene.names[which]], "and")

    def _size_of(self, name: str) -> int:
        scene = self.evidence.scene
        return int(scene.sizes[scene.names == name][0])

    def _stood_on(self, name: str) -> bool:
        target = self.evidence.target
        return isinstance(target, Character) and target.on == name


def _few(names: Sequence[str], joint: str) -> str:
    """The first few of several things in a sentence, then a count of the rest.

    >>> _few(["a", "b", "c"], "and"), _few(["a"], "or"), _few([], "and"), _few(list("abcde"), "or")
    ('a, b and c', 'a', '', 'a, b, c or 2 more')
    """
    rest = len(names) - MOST_NAMES
    parts = [*names[:MOST_NAMES], *([f"{rest} more"] if rest > 0 else [])]
    return f" {joint} ".join(filter(None, (", ".join(parts[:-1]), *parts[-1:])))
