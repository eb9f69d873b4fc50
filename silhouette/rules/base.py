"""JUDGE: the types that all rule systems share: `Rule`, which a game implements, `Verdict`, and their parts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from importlib import resources
from pathlib import Path
from typing import Any, ClassVar, Generic, NamedTuple, Self, TypeVar

import numpy as np

from silhouette.errors import RequestError
from silhouette.files.cache import Cache
from silhouette.files.schema import Entry
from silhouette.geometry import Flags, Floats
from silhouette.measure.observation import Observation
from silhouette.measure.observe import Observer, observe_many
from silhouette.meshes.mesh import Mesh
from silhouette.models.entries import ArcName
from silhouette.renderers.protocol import Renderer
from silhouette.rules.otherwise import Otherwise
from silhouette.scenes.entries import SceneEntry
from silhouette.scenes.motion import Mobility
from silhouette.scenes.places import Elsewhere, Move, Places
from silhouette.scenes.scene import Check, Scene


@dataclass(frozen=True)
class RuleReference:
    """The rule that a verdict rests on: the section of the source text, and the number in the project's specification.

    >>> str(RuleReference("Cover", "R14"))
    'Cover (R14)'
    """

    section: str
    number: str

    def __str__(self) -> str:
        return f"{self.section} ({self.number})"


class Level(StrEnum):
    """How exposed a target is, in every game; colours and symbols depend on it."""

    CLEAR = "clear"
    PARTIAL = "partial"
    FULL = "full"
    BLOCKED = "blocked"


@dataclass(frozen=True)
class Verdict:
    """The answer to a check.

    Attributes:
        attacker, target: the name of a piece of the scene; empty where the check has none.
        rules: the name of the rule system.
        verdict: the rule system's word for the answer.
        level: how exposed the target is; None where the check is about something else.
        rule: the rule that decides.
        reason: one sentence with the names and numbers of the scene.
    """

    attacker: str
    target: str
    rules: str
    verdict: str
    level: Level | None
    rule: RuleReference
    reason: str

    def row(self) -> Mapping[str, Any]:
        """The verdict as JSON has it, under the contract's keys; each game declares its row as a TypedDict."""
        return {
            "attacker": self.attacker,
            "target": self.target,
            "rules": self.rules,
            "verdict": self.verdict,
            "rule": self.rule.section,
            "rule_number": self.rule.number,
            "reason": self.reason,
        }

    def without_evidence(self) -> Self:
        """The same answer without what only figures need."""
        return self

    def could_also_be(self, others: Sequence[str], why: str) -> Self:
        """The same answer, which says that it could be another as well; itself where the game has no such word.

        Args:
            others: the other verdicts, the likeliest first.
            why: what decides, such as "where Kal's eye is".
        """
        return self


def decides(others: Sequence[str], why: str) -> str:
    """The end of a reason: what decides between its verdict and others.

    >>> decides(["hidden"], "where Kal's eye is")
    "; where Kal's eye is decides, which is not sure: it could be hidden"
    """
    return f"; {why} decides, which is not sure: it could be {' or '.join(others)}"


@dataclass(frozen=True)
class MeasuredVerdict(Verdict):
    """A verdict that rests on a measurement.

    Attributes:
        observation: the measurement, with its masks; None where it was not kept.
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

    def without_evidence(self) -> Self:
        """The same answer without its observation, whose masks take megabytes."""
        return replace(self, observation=None)


Phrase = str | tuple[str, str]
"""An English text with names in braces, as for `str.format`; or the singular and the plural text of a counted thing."""

OfScene = TypeVar("OfScene", bound=Scene)
OfVerdict = TypeVar("OfVerdict", bound=Verdict, covariant=True)


@dataclass(frozen=True)
class Settings:
    """The settings of a measurement.

    Attributes:
        renderer: renders the views that are counted, with so many mm per pixel at the target: ``pixel``.
        keep: whether verdicts keep their `Observation`, for figures.
        observe: measures: `observe_many`, or `silhouette.measure.estimate.Estimate` where a rough answer will do.
        remarks: whether what stands beside a verdict is worked out: other readings that change it, windows.
    """

    renderer: Renderer
    pixel: float
    keep: bool = False
    observe: Observer = observe_many
    remarks: bool = True


@dataclass(frozen=True)
class Figure:
    """One figure of a verdict.

    Attributes:
        name: such as "plan"; part of the file's name.
        draw: draws the figure on a `silhouette.drawing.sheet.Sheet`.
        caption: a sentence for pages about what the figure shows; empty where the pages have one for the name.
        width: the width of its page, mm; None for a column of print.
    """

    name: str
    draw: Callable[[Any], None]
    caption: str = ""
    width: float | None = None


class Band(NamedTuple):
    """A range of obscured shares, from 0 to 1, with the verdict and the level that it gives."""

    low: float
    high: float
    verdict: str
    level: Level


@dataclass(frozen=True)
class Scale:
    """The shares at which a measured verdict changes.

    Attributes:
        marks: the shares, from 0 to 1.
        bands: the ranges between them with their verdicts; none where the share alone does not decide.
    """

    marks: tuple[float, ...] = (0.0, 1.0)
    bands: tuple[Band, ...] = ()


@dataclass(frozen=True)
class Pieces:
    """The pieces of a scene, as a table for people.

    Attributes:
        headings: of the columns.
        rows: one for each piece, with a text for each column.
        caption: a sentence or two about the table.
        code: the headings of columns without words, such as hashes.
    """

    headings: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    caption: str = "Everything on the board, and where it stands."
    code: frozenset[str] = frozenset()


class Rule(Otherwise, ABC, Generic[OfScene, OfVerdict]):
    """A rule system: reads, judges and shows its scenes. The abstract methods are required; the others are optional.

    Attributes:
        name: the value of the key ``rules`` in its scenes.
        title: the name for people.
        reads: the tables of a scene file that it reads.
        example: the path of an example scene, relative to the project's folder.
        levels: the level of each of its verdicts, from exposed to covered.
        scene_entry: the schema of its scene files.
        readings_entry: the schema of their table ``[readings]``; None where the rules leave no choice.
        unmeasured: what verdicts rest on for which nothing was measured from an eye, for a report.
        row_type: the type of its verdicts' rows: a TypedDict, or a union of them.
        check_entries: the schemas of ``[[check]]`` by the value of ``ask``, where checks ask different questions.
        phrases: the phrases of its figures, by name, besides those of all systems. The package of the class has their
            translations, and those of its verdicts, in ``locale/``; a phrase without a translation stays English.
        mobility: which pieces can move in an animation, and how.
        naming: the keys of its results that name pieces.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    reads: ClassVar[tuple[str, ...]]
    example: ClassVar[str]
    levels: ClassVar[Mapping[str, Level]]
    scene_entry: ClassVar[type[SceneEntry]] = SceneEntry
    readings_entry: ClassVar[type[Entry] | None] = None
    unmeasured: ClassVar[str] = "nothing: this game is judged exactly, by its geometry"
    check_entries: ClassVar[Mapping[str, type[Entry]]] = {}
    row_type: ClassVar[Any] = dict[str, Any]
    phrases: ClassVar[Mapping[str, Phrase]] = {}
    mobility: ClassVar[Mobility] = Mobility()
    naming: ClassVar[tuple[str, ...]] = ("blockers",)

    @abstractmethod
    def load(self, path: Path, document: dict[str, Any], cache: Cache) -> OfScene:
        """The scene that a document describes.

        Args:
            path: of the scene file, for messages; paths in the document are relative to its folder.
            document: the content of the file.
            cache: keeps results about meshes that take long to compute.

        Raises:
            FileError: where the document is not a valid scene; one line, with the place.
        """

    @abstractmethod
    def everyone(self, scene: OfScene) -> tuple[Check, ...]:
        """The checks of every piece against every other.

        Raises:
            RequestError: where the scene has fewer than two pieces that can look or be looked at.
        """

    @abstractmethod
    def between(self, scene: OfScene, attacker: str, target: str | None, arc: ArcName | None) -> tuple[Check, ...]:
        """The check of one piece against another, or, without a target, its checks against every other.

        Raises:
            RequestError: where no such piece has the name.
        """

    @abstractmethod
    def judge(self, requests: Sequence[tuple[OfScene, Check]], settings: Settings) -> list[OfVerdict]:
        """The verdicts on checks, each with its scene: one for all, or each its own, such as one with pieces moved.

        A system that measures, measures all of them together, as far as their scenes ask for the same error.

        Raises:
            RequestError: where a check names a piece that does not exist, or that cannot look or be looked at.
        """

    def elsewhere(self, scene: OfScene, check: Check) -> Sequence[Elsewhere]:
        """How the attacker of a check may stand or look otherwise, without anybody having said so: most often not."""
        return ()

    def from_elsewhere(
        self, requests: Sequence[tuple[OfScene, Check]], verdicts: Sequence[OfVerdict], settings: Settings
    ) -> list[OfVerdict]:
        """Verdicts, each with the others that hold from `elsewhere`; all else of them stays as it is.

        Args:
            requests: each a check and its scene.
            verdicts: on them, in their order.
            settings: of the measurement.
        """
        ways = [self.elsewhere(scene, check) for scene, check in requests]
        asked = [
            (
                self.moved(
                    scene if way.absent is None else self.without(scene, way.absent), {check.attacker: way.move}
                ),
                check,
            )
            for (scene, check), of_one in zip(requests, ways, strict=True)
            for way in of_one
        ]
        found = iter(self.judge(asked, replace(settings, keep=False)) if asked else ())
        widened = []
        for verdict, of_one in zip(verdicts, ways, strict=True):
            others: dict[str, dict[str, None]] = {}
            for way in of_one:
                word = next(found).verdict
                if word != verdict.verdict:
                    others.setdefault(way.why, {})[word] = None
            for why, words in others.items():
                verdict = verdict.could_also_be(list(words), why)
            widened.append(verdict)
        return widened

    def briefly(self, requests: Sequence[tuple[OfScene, Check]], settings: Settings) -> Sequence[Verdict]:
        """`judge` for odds, which read of a verdict its word and its share alone: all else may be left out."""
        return self.judge(requests, settings)

    def has_odds(self, check: Check) -> bool:
        """Whether the answer to a check may differ where pieces stand a little elsewhere: then its odds can be told."""
        return False

    def moved(self, scene: OfScene, moves: Mapping[str, Move]) -> OfScene:
        """The scene with pieces moved, by their names; nothing is loaded again, and nothing lowered.

        Raises:
            RequestError: where no piece has a name, or where pieces do not move in these rules.
        """
        raise RequestError(f"{scene.path}: in {self.title} nothing stands a little elsewhere; leave the option out")

    def places(self, scene: OfScene, name: str) -> Places:
        """Where a model could stand on its table, for maps.

        Raises:
            RequestError: where no model has the name, or where the system has no maps.
        """
        raise RequestError(f"{scene.path}: there are no maps of {self.title}")

    def beyond_arcs(self, scene: OfScene, attacker: str, boxes: Floats) -> Flags:
        """(q,) whether a target in each of some boxes (q, 8, 3), mm, gets the last verdict whatever is in the way.

        So it is where the box lies out of every arc of the attacker; False says nothing.
        """
        return np.zeros(len(boxes), np.bool_)

    def meshes(self, scene: OfScene) -> Mapping[str, Mesh]:
        """The meshes that are rendered when the scene is judged, by the names of their pieces; none by default.

        They are prepared once for all workers, and checks of targets with the same mesh are judged in a row.
        """
        return {}

    def figures(self, scene: OfScene, check: Check, verdict: Any, renderer: Renderer) -> list[Figure]:
        """The figures of a verdict judged with ``Settings(keep=True)``, the most telling first; none by default."""
        return []

    def first_scene(self, meshes: Sequence[str] = ()) -> str:
        """A first scene to edit, with a comment on every key: the file ``first_scene.toml`` beside the game's rule.

        Args:
            meshes: the paths of the user's own miniatures, as the scene names them, in place of stand-in pieces.

        Raises:
            RequestError: where the game takes no meshes.
        """
        if meshes:
            raise RequestError(f"a first scene of {self.title} takes no meshes; leave them out")
        return self._first_scene()

    def _first_scene(self) -> str:
        package = type(self).__module__.rpartition(".")[0]
        return resources.files(package).joinpath("first_scene.toml").read_text(encoding="utf-8")

    def overview(self, scene: OfScene) -> Figure | None:
        """The figure of a whole scene, whether or not it has checks; None where the system has none."""
        return None

    def map_ground(self, scene: OfScene) -> Figure | None:
        """The figure of a whole scene as the ground of a map; None where the system has none.

        The outlines of terrain and all models are drawn above matplotlib's zorder 4, and everything else below 3.5.
        Where the unit of the drawing is not a mm, the data of the sheet say its length (``frame``, ``mm``).
        """
        return None

    def picture(self, scene: OfScene, verdict: Any, renderer: Renderer, path: Path) -> bool:
        """Writes a picture of a verdict as a PNG, without matplotlib; False where the system has none, only figures."""
        return False

    def stage(self, scene: OfScene, judged: Sequence[tuple[Check, Any]], cache: Cache) -> Any:
        """The scene in 3D, a `silhouette.drawing.in_3d.stage.Stage`; None where the system has none."""
        return None

    def check_stage(self, scene: OfScene) -> None:
        """Checks that the stage can be made, before anything is judged: RequestError where it cannot."""

    def scale(self, scene: OfScene) -> Scale:
        """The shares at which a verdict changes, for the plot of an animation; 0 and 1 by default."""
        return Scale()

    def share(self, scene: OfScene, verdict: Any) -> tuple[float | None, float]:
        """The obscured share, from 0 to 1, that a verdict rests on, and its error; None and 0 without a measurement."""
        row = verdict.row()
        return row.get("occluded"), row.get("error", 0.0)

    def units(self, scene: OfScene) -> str | None:
        """The unit of lengths in the scene, in words; None for millimetres, which pages give in inches as well."""
        return None

    def basis(self, scene: OfScene) -> list[tuple[str, str]]:
        """The settings that all verdicts of the scene rest on: a name, and words about it, for each."""
        return []

    def pieces(self, scene: OfScene) -> Pieces | None:
        """The pieces of the scene as a table; None where the system has none."""
        return None

    def short_reason(self, row: Mapping[str, Any], words: Callable[..., str]) -> str:
        """The reason of a verdict in one short sentence, for figures in another language than English.

        Args:
            row: the verdict's row.
            words: gives a phrase of `phrases` in that language: ``words("why clear", attacker="Kal")``.

        Returns:
            The sentence; empty where the system has none. A measured share is then written in the words of all systems,
            and any other reason in English.
        """
        return ""

    def facts(self, scene: OfScene, verdict: Any, words: Mapping[str, str]) -> dict[str, str]:
        """Texts about a verdict, by name, for tutorials, besides its row; ``words`` are the tutorial's own."""
        return {}
