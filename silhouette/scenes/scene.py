"""PLACE: the parts that the scenes of all rule systems share: checks, and the names that checks may use."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from silhouette.common.text import as_written, counted, did_you_mean, differently_spelt
from silhouette.files.documents import read_document
from silhouette.files.schema import Entry, Location, validated
from silhouette.models.entries import ArcName
from silhouette.scenes.entries import SceneEntry

__all__ = ["Agreement", "Check", "Scene", "fields_of", "read_document", "rules_of", "similar_names"]


@dataclass(frozen=True)
class Check:
    """One question that a scene asks: can the attacker see the target, and is the target in cover?"""

    # attacker, target: their names in the scene, in words; empty where a question is about neither
    attacker: str
    target: str
    arc: ArcName | None = None  # that the attacker looks from, or None for any that it has
    # Result keys with a value each, or with [least, most]; None where nothing is expected
    expect: dict[str, Any] | None = None

    @property
    def label(self) -> str:
        """Who looks at whom, in words.

        >>> Check("Kal", "Vex").label, Check("Ridgehauler", "Vex", "left").label
        ('Kal to Vex', 'Ridgehauler (left arc) to Vex')
        """
        return f"{self.attacker} ({self.arc} arc) to {self.target}" if self.arc else f"{self.attacker} to {self.target}"


@dataclass(frozen=True)
class Agreement:
    """What the players agreed on for a pair, whatever the rules say; see `silhouette.scenes.entries.AgreedEntry`."""

    attacker: str
    target: str
    verdict: str
    why: str = ""
    arc: ArcName | None = None  # that it is about; None for any

    def __str__(self) -> str:
        """The verdict and why.

        >>> str(Agreement("Kal", "Vex", "open", "we saw it")), str(Agreement("Kal", "Vex", "open"))
        ('open (we saw it)', 'open')
        """
        return f"{self.verdict} ({self.why})" if self.why else self.verdict

    def is_about(self, check: Check) -> bool:
        """Whether it is about the pair and the vision arc of a check.

        >>> Agreement("Kal", "Vex", "open").is_about(Check("Kal", "Vex", "left"))
        True
        >>> Agreement("Kal", "Vex", "open", arc="left").is_about(Check("Kal", "Vex"))
        False
        """
        return (self.attacker, self.target) == (check.attacker, check.target) and self.arc in (None, check.arc)


@dataclass(frozen=True, eq=False, repr=False)
class Scene:
    """A scene with its checks; every rule system adds the fields that it reads."""

    path: Path
    title: str
    rules: str
    checks: tuple[Check, ...]
    # Which of the possible readings of the rules is taken, validated; each rule system has its own kind of value, which
    # gives pairs of a name and a reading one by one
    readings: Any
    pixel: float | None  # mm per pixel that the file asks for where anything is measured, or None
    source: dict[str, Any]  # the sources of the scene and of its expected results
    warnings: tuple[str, ...]
    agreements: tuple[Agreement, ...] = field(default=(), kw_only=True)

    def __repr__(self) -> str:
        """In a line, as a notebook shows it; pieces have hundreds of numbers."""
        checks = counted(len(self.checks), "check")
        return f"<{type(self).__name__} {self.path.as_posix()}: {self.title or 'without a title'}, {checks}>"

    def agreement_on(self, check: Check) -> Agreement | None:
        """What the players agreed on for a check; of several the last."""
        return next((each for each in reversed(self.agreements) if each.is_about(check)), None)

    @property
    def rules_as_written(self) -> str:
        """The rule system as the scene's file names it; ``rules`` has the path of a game file seen from elsewhere."""
        return self.rules


def fields_of(path: Path, entry: SceneEntry, readings: type[Entry], checks: Iterable[Check]) -> dict[str, Any]:
    """The fields that all scenes have, by name, without warnings, for the file's entry and its checks. FileError where
    its readings are none of these.
    """
    return {
        "path": path,
        "title": entry.title,
        "rules": entry.rules,
        "checks": tuple(checks),
        "readings": validated(readings, entry.readings, Location(path, "readings")),
        "pixel": None,
        "source": dict(entry.source),
        "warnings": (),
    }


def rules_of(path: Path, document: Mapping[str, Any], systems: Sequence[str]) -> str:
    """The rule system that a scene's document names, one of ``systems``.

    >>> rules_of(Path("duel.toml"), {"rules": "necromnda"}, ["ikosa", "necromunda"])
    Traceback (most recent call last):
    ...
    silhouette.common.errors.FileError: duel.toml: unknown rules 'necromnda'; did you mean 'necromunda'?
    """
    rules = document.get("rules")
    must = "it must be one of " + ", ".join(f'"{system}"' for system in systems)
    if rules is None:
        raise Location(path).error(_without_rules(document, must))
    if not isinstance(rules, str):
        raise Location(path).error(f"rules is {as_written(rules)}; {must}")
    if rules not in systems:
        raise Location(path).error(f"unknown rules '{rules}'; {did_you_mean(rules, systems, 'the systems are')}")
    return rules


def _without_rules(document: Mapping[str, Any], must: str) -> str:
    """What is wrong with a document that has no key ``rules``."""
    if "mesh" in document:
        return "is a model file, not a scene; silhouette inspect looks at it, a scene names it"
    if {"clause", "verdict"} <= document.keys():
        return "is a game file, not a scene; silhouette rules prints it, a scene names it in rules"
    for key, value in document.items():
        if isinstance(value, dict) and "rules" in value:
            return f"rules is missing: it stands below [{key}]; write it above the first table"
    others = (key for key in document if key != "rules")
    misspelt = next((key for key in others if did_you_mean("rules", [key]).startswith("did")), None)
    return "rules is missing; " + (must if misspelt is None else f"is '{misspelt}' meant?")


def similar_names(names: Iterable[str]) -> list[tuple[frozenset[str], str]]:
    """The names in a scene that are one but for case and blanks, with a warning for each such group.

    >>> similar_names(["Kal", "Vex", "vex "])[0][1]
    '"Vex" and "vex " differ by case or blanks alone; give each a name that nobody mistakes'
    """
    warnings = []
    for group in differently_spelt(names):
        every = " and ".join(as_written(name) for name in group)
        text = f"{every} differ by case or blanks alone; give each a name that nobody mistakes"
        warnings.append((frozenset(group), text))
    return warnings
