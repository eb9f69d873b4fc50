"""JUDGE: what every rule system takes and gives. A verdict is a level, a reason, and the rule it rests on."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

from silhouette.files.cache import Cache
from silhouette.files.schema import Place
from silhouette.models.entries import Arc
from silhouette.renderers.protocol import Renderer
from silhouette.scenes.scene import Check, Scene
from silhouette.text import near


@dataclass(frozen=True)
class RuleReference:
    """Where in a rule system's specification a ruling stands: its numbers there, and the section of the source text.

    >>> str(RuleReference("Cover", "R14"))
    'Cover (R14)'
    """

    section: str
    number: str

    def __str__(self) -> str:
        return f"{self.section} ({self.number})"


@dataclass(frozen=True)
class Verdict:
    """A ruling: its level, why in one sentence, and what it rests on.

    Attributes:
        attacker, target: names of pieces of the scene.
        rules: the rule system that was asked.
        verdict: its word for the level.
        rule: the rule that decided.
        reason: one sentence with the names and numbers of this scene.
    """

    attacker: str
    target: str
    rules: str
    verdict: str
    rule: RuleReference
    reason: str

    def row(self) -> dict[str, Any]:
        """The result as the contract names its keys, ready for JSON."""
        return {
            "attacker": self.attacker,
            "target": self.target,
            "rules": self.rules,
            "verdict": self.verdict,
            "rule": self.rule.section,
            "rule_number": self.rule.number,
            "reason": self.reason,
        }


OfSystem = TypeVar("OfSystem", bound=Scene)


class Rule(Protocol[OfSystem]):
    """A rule system: how its scenes are read and judged.

    Attributes:
        name: as the key ``rules`` of a scene spells it.
        title: for people.
        reads: the tables of a scene that it reads.
        example: an example scene, seen from the project's folder.
    """

    name: str
    title: str
    reads: tuple[str, ...]
    example: str

    def load(self, path: Path, document: dict[str, Any], cache: Cache) -> OfSystem:
        """The scene that a document describes; FileError where it does not describe one."""
        ...

    def everyone(self, scene: OfSystem) -> tuple[Check, ...]:
        """Everyone against everyone; RequestError where there are too few."""
        ...

    def asked(self, scene: OfSystem, attacker: str, target: str | None, arc: Arc | None) -> tuple[Check, ...]:
        """One against one, or, without a target, against all there are; RequestError where a name is not there."""
        ...

    def judge(self, scene: OfSystem, check: Check, renderer: Renderer, pixel: float) -> Verdict:
        """The ruling on one check of the scene, measured with ``pixel`` mm per pixel where anything is measured."""
        ...


def expectable(place: Place, expect: Mapping[str, Any], results: Sequence[str], lists: Sequence[str]) -> None:
    """Refuses an expectation of a result that no check of a rule system gives, or of no value and no range.

    Args:
        place: of the check, for messages.
        expect: what it expects.
        results: the keys that a result may have.
        lists: those of them that are lists, so that a list is a value and not [least, most].

    Raises:
        FileError: with what would be right.

    >>> expectable(Place(Path("duel.toml"), "check 1"), {"occludd": 0.3}, ["verdict", "occluded"], [])
    Traceback (most recent call last):
    ...
    silhouette.errors.FileError: duel.toml: check 1: expect: no result is called 'occludd'; did you mean 'occluded'?
    """
    for key, wanted in expect.items():
        if key not in results:
            raise place.error(f"expect: no result is called '{key}'; {near(key, results)}")
        if isinstance(wanted, list) and key not in lists and len(wanted) != 2:
            raise place.error(f"expect: {key} is {wanted}; it must be a value, or [least, most]")


def broken(row: Mapping[str, Any], expect: Mapping[str, Any]) -> list[str]:
    """What of an expectation does not hold: for each such key a few words; empty where all of it holds.

    An expectation is a value, or ``[least, most]`` for a number.

    >>> broken({"verdict": "open", "occluded": 0.0}, {"verdict": "open", "occluded": [0, 0.1]})
    []
    >>> broken({"verdict": "open"}, {"verdict": "hidden", "colour": "red"})
    ["verdict is 'open', not 'hidden'", "there is no result 'colour'"]
    >>> broken({"occluded": None}, {"occluded": [0.2, 0.3]})
    ['occluded is None, not 0.2 to 0.3']
    >>> broken({"marginal": True}, {"marginal": 1})
    ['marginal is True, not 1']
    """
    found = []
    for key, wanted in expect.items():
        if key not in row:
            found.append(f"there is no result {key!r}")
            continue
        value = row[key]
        if isinstance(wanted, list) and not isinstance(value, list):
            least, most = [*wanted, math.nan, math.nan][:2]
            number = isinstance(value, int | float) and not isinstance(value, bool)
            if not (number and len(wanted) == 2 and least <= value <= most):
                found.append(f"{key} is {value!r}, not {least} to {most}")
        elif value != wanted or isinstance(value, bool) != isinstance(wanted, bool):
            found.append(f"{key} is {value!r}, not {wanted!r}")
    return found
