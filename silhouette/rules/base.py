"""JUDGE: what every rule system takes and gives. A verdict is a level, a reason, and the rule it rests on."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

from silhouette.files.cache import Cache
from silhouette.files.schema import Entry, Location
from silhouette.measure.observe import Observation
from silhouette.meshes.mesh import Mesh
from silhouette.models.entries import ArcName
from silhouette.renderers.protocol import Renderer
from silhouette.scenes.entries import SceneEntry
from silhouette.scenes.motion import Mobility
from silhouette.scenes.scene import Check, Scene
from silhouette.text import did_you_mean


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


class Level(StrEnum):
    """How exposed a target is, whatever a game's word for it: what colours and symbols go by."""

    CLEAR = "clear"
    PARTIAL = "partial"
    FULL = "full"
    BLOCKED = "blocked"


@dataclass(frozen=True)
class Verdict:
    """A ruling: its level, why in one sentence, and what it rests on.

    Attributes:
        attacker, target: names of pieces of the scene.
        rules: the rule system that was asked.
        verdict: its word for it.
        level: how exposed the target is, whatever the rule system calls it; None where that is not what was asked.
        rule: the rule that decided.
        reason: one sentence with the names and numbers of this scene.
    """

    attacker: str
    target: str
    rules: str
    verdict: str
    level: Level | None
    rule: RuleReference
    reason: str

    def row(self) -> Mapping[str, Any]:
        """The result as the contract names its keys, ready for JSON; each game says with a TypedDict what is in it."""
        return {
            "attacker": self.attacker,
            "target": self.target,
            "rules": self.rules,
            "verdict": self.verdict,
            "rule": self.rule.section,
            "rule_number": self.rule.number,
            "reason": self.reason,
        }


@dataclass(frozen=True)
class MeasuredVerdict(Verdict):
    """A ruling that rests on what was seen from an eye.

    Attributes:
        observation: what was measured, with its masks; None where it was not kept.
    """

    observation: Observation | None = field(default=None, repr=False, compare=False, kw_only=True)

    @property
    def evidence(self) -> Observation:
        """The observation, for figures.

        Raises:
            ValueError: where it was not kept.
        """
        if self.observation is None:
            raise ValueError("the verdict has not kept its observation; judge with Settings(keep=True)")
        return self.observation


Phrase = str | tuple[str, str]
"""English text with names in braces, as of `str.format`; of what is counted, the text for one and for several."""

OfScene = TypeVar("OfScene", bound=Scene)
OfVerdict = TypeVar("OfVerdict", bound=Verdict, covariant=True)


@dataclass(frozen=True)
class Settings:
    """How checks are judged, where anything is measured.

    Attributes:
        renderer: measures.
        pixel: mm per pixel at the target.
        keep: whether verdicts keep their `Observation`, for figures; without it they are small enough for batches.
    """

    renderer: Renderer
    pixel: float
    keep: bool = False


@dataclass(frozen=True)
class Figure:
    """A figure that a verdict has.

    Attributes:
        name: such as "plan"; part of the file's name.
        draw: draws it on a `silhouette.drawing.sheet.Sheet`.
        caption: what it shows, in words, for pages; empty where the pages have words for the name.
    """

    name: str
    draw: Callable[[Any], None]
    caption: str = ""


class Band(NamedTuple):
    """A stretch of shares, from 0 to 1, that gives one verdict."""

    low: float
    high: float
    verdict: str
    level: Level


@dataclass(frozen=True)
class Scale:
    """The shares at which a measured verdict changes.

    Attributes:
        marks: the shares.
        bands: which verdict each stretch of shares gives; none where the share alone does not decide.
    """

    marks: tuple[float, ...] = (0.0, 1.0)
    bands: tuple[Band, ...] = ()


@dataclass(frozen=True)
class Pieces:
    """What stands in a scene, as a table for people.

    Attributes:
        headings: of the columns.
        rows: a text for each column.
        caption: what the table shows, in a sentence or two.
        code: the headings of columns that hold no words, such as hashes.
    """

    headings: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    caption: str = "Everything on the board, and where it stands."
    code: frozenset[str] = frozenset()


class Rule(ABC, Generic[OfScene, OfVerdict]):
    """A rule system: how its scenes are read, judged and shown. What must be there is abstract; the rest is optional.

    Attributes:
        name: as the key ``rules`` of a scene spells it.
        title: for people.
        reads: the tables of a scene that it reads.
        example: an example scene, seen from the project's folder.
        levels: the level of each of its verdicts, from exposed to covered.
        scene_entry: the schema of its scene files.
        readings_entry: the schema of their table ``[readings]``; None where there is nothing to choose.
        row_type: the type of its verdicts' rows: a TypedDict, or a union of them.
        check_entries: the schemas of ``[[check]]`` by the value of ``ask``, where checks ask different questions.
        phrases: what its figures say besides the phrases of all systems, by name. The package of the class has their
            translations, and those of its verdicts, in ``locale/``; what is not translated stays English.
        mobility: what can move in an animation of a scene.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    reads: ClassVar[tuple[str, ...]]
    example: ClassVar[str]
    levels: ClassVar[Mapping[str, Level]]
    scene_entry: ClassVar[type[SceneEntry]] = SceneEntry
    readings_entry: ClassVar[type[Entry] | None] = None
    check_entries: ClassVar[Mapping[str, type[Entry]]] = {}
    row_type: ClassVar[Any] = dict[str, Any]
    phrases: ClassVar[Mapping[str, Phrase]] = {}
    mobility: ClassVar[Mobility] = Mobility()

    @abstractmethod
    def load(self, path: Path, document: dict[str, Any], cache: Cache) -> OfScene:
        """The scene that a document describes; FileError where it does not describe one."""

    @abstractmethod
    def everyone(self, scene: OfScene) -> tuple[Check, ...]:
        """Everyone against everyone; RequestError where there are too few."""

    @abstractmethod
    def between(self, scene: OfScene, attacker: str, target: str | None, arc: ArcName | None) -> tuple[Check, ...]:
        """One against one, or, without a target, against all there are; RequestError where a name is not there."""

    @abstractmethod
    def judge(self, scene: OfScene, checks: Sequence[Check], settings: Settings) -> list[OfVerdict]:
        """The rulings on checks of the scene, in their order; RequestError where one names what is not there."""

    def meshes(self, scene: OfScene) -> Mapping[str, Mesh]:
        """What is rendered when the scene is judged, by the names of its pieces; none where nothing is.

        They are prepared once for processes that judge side by side, and checks of like targets are judged together.
        """
        return {}

    def figures(self, scene: OfScene, check: Check, verdict: Any, settings: Settings) -> list[Figure]:
        """The figures of a verdict that was judged with ``settings.keep``, the most telling first."""
        return []

    def picture(self, scene: OfScene, verdict: Any, settings: Settings, path: Path) -> bool:
        """Writes a picture of a verdict as PNG without matplotlib; False where there is none, and figures serve."""
        return False

    def stage(self, scene: OfScene, judged: Sequence[tuple[Check, Any]], cache: Cache) -> Any:
        """What the scene shows in 3D, a `silhouette.drawing.in_3d.stage.Stage`; None where there is nothing."""
        return None

    def check_stage(self, scene: OfScene) -> None:
        """Says at once, before anything is judged, where the stage cannot be made: RequestError."""

    def scale(self, scene: OfScene) -> Scale:
        """The shares at which a verdict changes, for the plot of an animation."""
        return Scale()

    def share(self, scene: OfScene, verdict: Any) -> tuple[float | None, float]:
        """The share obscured, from 0 to 1, on which a verdict rests, and its error; None where nothing is measured."""
        row = verdict.row()
        return row.get("occluded"), row.get("error", 0.0)

    def units(self, scene: OfScene) -> str | None:
        """What lengths of the scene are given in, in words; None for millimetres, which people read in inches too."""
        return None

    def basis(self, scene: OfScene) -> list[tuple[str, str]]:
        """What else every verdict of the scene rests on: names, and words about each."""
        return []

    def pieces(self, scene: OfScene) -> Pieces | None:
        """Everything that stands there, as a table; None where nothing does."""
        return None

    def short_reason(self, row: Mapping[str, Any], words: Callable[..., str]) -> str:
        """Why a verdict is as it is, in one short sentence, for figures in another language than English.

        Args:
            row: of the verdict.
            words: gives a phrase of `phrases` in that language: ``words("why clear", attacker="Kal")``.

        Returns:
            Nothing where the system has none: a measured share is then said in the words of all systems, and any other
            reason in English.
        """
        return ""

    def facts(self, scene: OfScene, verdict: Any, words: Mapping[str, str]) -> dict[str, str]:
        """What a tutorial can say of a verdict beside its row: a text by name."""
        return {}


def expectable(location: Location, expect: Mapping[str, Any], results: Sequence[str], lists: Sequence[str]) -> None:
    """Refuses an expectation of a result that no check of a rule system gives, or of no value and no range.

    Args:
        location: of the check, for messages.
        expect: what it expects.
        results: the keys that a result may have.
        lists: those of them that are lists, so that a list is a value and not [least, most].

    Raises:
        FileError: with what would be right.

    >>> expectable(Location(Path("duel.toml"), "check 1"), {"occludd": 0.3}, ["verdict", "occluded"], [])
    Traceback (most recent call last):
    ...
    silhouette.errors.FileError: duel.toml: check 1: expect: no result is called 'occludd'; did you mean 'occluded'?
    """
    for key, wanted in expect.items():
        if key not in results:
            raise location.error(f"expect: no result is called '{key}'; {did_you_mean(key, results)}")
        if isinstance(wanted, list) and key not in lists and len(wanted) != 2:
            raise location.error(f"expect: {key} is {wanted}; it must be a value, or [least, most]")


def unmet_expectations(row: Mapping[str, Any], expect: Mapping[str, Any]) -> list[str]:
    """What of an expectation does not hold: for each such key a few words; empty where all of it holds.

    An expectation is a value, or ``[least, most]`` for a number.

    >>> unmet_expectations({"verdict": "open", "occluded": 0.0}, {"verdict": "open", "occluded": [0, 0.1]})
    []
    >>> unmet_expectations({"verdict": "open"}, {"verdict": "hidden", "colour": "red"})
    ["verdict is 'open', not 'hidden'", "there is no result 'colour'"]
    >>> unmet_expectations({"occluded": None}, {"occluded": [0.2, 0.3]})
    ['occluded is None, not 0.2 to 0.3']
    >>> unmet_expectations({"marginal": True}, {"marginal": 1})
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
