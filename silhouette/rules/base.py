"""JUDGE: the types that all rule systems share: `Rule`, which a game implements, `Verdict`, and their parts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import permutations
from pathlib import Path
from typing import Any, ClassVar, Generic, NamedTuple, Self, TypeVar

from silhouette.common.errors import RequestError
from silhouette.common.text import did_you_mean, obscured, parts_in_words, verdict_in_words
from silhouette.files.cache import Cache
from silhouette.files.schema import Entry, Location
from silhouette.measure.observation import DecidedBy, Observation, OcclusionCounts
from silhouette.measure.observe import Observer, observe_many
from silhouette.meshes.mesh import Mesh
from silhouette.models.entries import ArcName
from silhouette.renderers.protocol import Renderer
from silhouette.renderers.views import Projection
from silhouette.rules.fields import GROUNDS, Blocker, OtherReading, Record, ResultField, check_expectations, shared
from silhouette.scenes.entries import SceneEntry
from silhouette.scenes.places import Mobility
from silhouette.scenes.scene import Agreement, Check, Scene


@dataclass(frozen=True)
class RuleReference:
    """The section of the source text that a verdict rests on, and its number in the project's specification.

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


def pixels(area: float) -> int:
    """An area in whole pixels; at least one for what is not nothing.

    >>> pixels(41.7), pixels(0.01), pixels(0.0)
    (42, 1, 0)
    """
    return max(1, round(area)) if area else 0


@dataclass(frozen=True)
class Measurement:
    """What was measured from an eye, without its masks: the target's pixels as counted for cover, and those seen, in a
    vision arc and not obscured; ``pixel`` is mm per pixel at the target, the rest as of `Observation`.
    """

    counts: OcclusionCounts
    seen: float
    renderer: str
    pixel: float
    decided_by: DecidedBy
    projection: Projection

    @classmethod
    def of(cls, observed: Observation, renderer: Renderer, seen: float | None = None) -> Measurement:
        """What a renderer observed; ``seen`` replaces the observation's own count."""
        seen = observed.counts.seen if seen is None else seen
        return cls(observed.counts, seen, renderer.name, observed.pixel, observed.decided_by, observed.projection)

    @property
    def target_pixels(self) -> int:
        """Pixels of the target."""
        return pixels(self.counts.total)

    @property
    def occluded_pixels(self) -> int:
        """Those of them that are obscured."""
        return pixels(self.counts.occluded)

    @property
    def seen_pixels(self) -> int:
        """Those in a vision arc and not obscured."""
        return pixels(self.seen)

    @property
    def occluded(self) -> float:
        """The obscured share of the target, from 0 to 1; 0 if it shows no pixel."""
        return self.counts.occluded / self.counts.total if self.counts.total else 0.0

    @property
    def occluded_in_arc(self) -> float | None:
        """The obscured share of the target's part in the vision arcs, from 0 to 1; None if no part is in them."""
        return self.counts.occluded_in_arc / self.counts.in_arc if self.counts.in_arc else None

    @property
    def error(self) -> float:
        """The true share lies within ``occluded`` ± this."""
        return self.counts.error

    @property
    def words(self) -> str:
        """The obscured share, and how far it may be off if at all: "31.2 % ± 0.2 %"."""
        return obscured(self.counts.occluded, self.counts.total, self.counts.error)


@dataclass(frozen=True, repr=False)
class Verdict(Record):
    """The answer to a check. `fields`, which each game lists, say what the attributes mean, and are the keys of its
    row.

    Attributes:
        attacker, target: empty where the check has none.
        level: how exposed the target is; None where the check is about something else.
        line_of_sight: None in games that do not tell.
        could_be: this verdict among them; empty where all is exact.
        measurement: what was measured from an eye; None where nothing was.
        agreed: what the players agreed on instead; None where they did not.
        order: the words of verdicts, from exposed to covered, if they are told in this order.
    """

    attacker: str
    target: str
    rules: str
    verdict: str
    level: Level | None
    rule: RuleReference
    reason: str
    line_of_sight: bool | None = field(default=None, kw_only=True)
    blockers: tuple[Blocker, ...] = field(default=(), kw_only=True)
    could_be: tuple[str, ...] = field(default=(), kw_only=True)
    warnings: tuple[str, ...] = field(default=(), kw_only=True)
    other_readings: tuple[OtherReading, ...] = field(default=(), kw_only=True)
    measurement: Measurement | None = field(default=None, kw_only=True)
    agreed: Agreement | None = field(default=None, kw_only=True)

    fields: ClassVar[tuple[ResultField, ...]] = (*shared("attacker", "target", "rules", "verdict"), *GROUNDS)
    order: ClassVar[tuple[str, ...]] = ()

    def __repr__(self) -> str:
        """In a line, as a notebook shows it; too close to call with a question mark, as tables have it."""
        pair = " to ".join(filter(None, (self.attacker, self.target)))
        share = f", {self.measurement.words} obscured" if self.measurement else ""
        words = ": ".join(filter(None, (pair, self.words + "?" * self.marginal)))
        return f"<{type(self).__name__} {words}{share}>"

    @property
    def in_the_way(self) -> tuple[str, ...]:
        """The names of the blockers."""
        return tuple(blocker.name for blocker in self.blockers)

    @property
    def possible(self) -> tuple[str, ...]:
        """The verdicts that it could be, this one among them."""
        return self.could_be or (self.verdict,)

    @property
    def words(self) -> str:
        """The verdict, and why it is hidden if the reason is the vision arc: "hidden, out of arc"."""
        return verdict_in_words(self.verdict, self.in_arc)

    @property
    def share(self) -> tuple[float | None, float]:
        """The obscured share, from 0 to 1, that it rests on, and its error; None and 0 without a measurement."""
        measured = self.measurement
        return (None, 0.0) if measured is None else (measured.occluded, measured.error)

    @property
    def marginal(self) -> bool:
        """Whether it is too close to call: another verdict holds within the errors."""
        return len(self.could_be) > 1

    @property
    def modifier(self) -> int | None:
        """What is added to the roll to hit; None in games that do not tell, and without a line of sight."""
        return None

    @property
    def in_arc(self) -> bool | None:
        """Whether some of the target lies in a vision arc; None where that cannot be known, or there are no arcs."""
        return None

    def without_evidence(self) -> Self:
        """The same answer without what only figures need."""
        return self

    def could_also_be(self, others: Mapping[str, float], why: str) -> Self:
        """The same answer, which by ``why`` ("where Kal's eye is") could be one of ``others`` too: the likeliest first,
        each with how likely it is, 0 to 1; 0 where nobody knows.
        """
        words = dict.fromkeys([*self.could_be, *others])
        could_be = tuple(sorted(words, key=self.order.index) if self.order else words)
        named = [word if not part else f"{word} ({100 * part:.0f} % likely)" for word, part in others.items()]
        end = f"; {why} decides, which is not sure: it could be {' or '.join(named)}"
        return replace(self, could_be=could_be, reason=self.reason + end)


def blockers_in_words(verdict: Verdict) -> list[str]:
    """The pieces in the way of a verdict, with their shares; their names alone if nothing was measured."""
    return [
        blocker.name if blocker.occluded is None else f"{blocker.name} {share}"
        for blocker, share in blocker_shares(verdict)
        if blocker.occluded != 0.0
    ]


def blocker_shares(verdict: Verdict) -> list[tuple[Blocker, str]]:
    """The blockers of a verdict, each with its share in words: they add up to the obscured share if they make it up."""
    whole = 0.0 if verdict.measurement is None else verdict.measurement.occluded
    shares = parts_in_words([blocker.share for blocker in verdict.blockers], whole)
    return list(zip(verdict.blockers, shares, strict=True))


def too_close(verdict: str, could_be: Sequence[str]) -> str:
    """The end of a reason of which the verdict is too close to call.

    >>> too_close("open", ["open", "partial cover", "hidden"])
    '; too close to call, it could be partial cover or hidden'
    """
    return f"; too close to call, it could be {' or '.join(word for word in could_be if word != verdict)}"


@dataclass(frozen=True, repr=False)
class MeasuredVerdict(Verdict):
    """A verdict that rests on a measurement, whose `observation` has the masks; None where it was not kept."""

    observation: Observation | None = field(default=None, repr=False, compare=False, kw_only=True)

    @property
    def evidence(self) -> Observation:
        """The observation, for figures. ValueError if it was not kept."""
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
    """The settings of a measurement."""

    renderer: Renderer
    pixel: float  # mm per pixel at the target, of the views that are counted
    keep: bool = False  # whether verdicts keep their `Observation`, for figures
    # `observe_many`, or `silhouette.measure.estimate.Estimate` where a rough answer will do
    observe: Observer = observe_many
    remarks: bool = True  # whether what stands beside a verdict is worked out: other readings that change it, windows


class Band(NamedTuple):
    """A range of obscured shares, from 0 to 1, with the verdict and the level that it gives."""

    low: float
    high: float
    verdict: str
    level: Level


@dataclass(frozen=True)
class VerdictScale:
    """The shares, 0 to 1, at which a measured verdict changes; no ``bands`` where the share alone does not decide."""

    marks: tuple[float, ...] = (0.0, 1.0)
    bands: tuple[Band, ...] = ()


@dataclass(frozen=True)
class PieceTable:
    """The pieces of a scene, as a table for people; ``code`` are the headings of columns without words."""

    headings: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    caption: str = "Everything on the board, and where it stands."
    code: frozenset[str] = frozenset()


class Rule(ABC, Generic[OfScene, OfVerdict]):
    """A rule system: reads and judges its scenes. What else it can do are abilities: see `silhouette.rules.abilities`.

    Attributes:
        name: the value of the key ``rules`` in its scenes.
        reads: the tables of a scene file that it reads.
        example: the path of an example scene, relative to the project's folder.
        levels: the level of each of its verdicts, from exposed to covered.
        readings_entry: the schema of the table ``[readings]``; None where the rules leave no choice.
        unmeasured: what verdicts rest on for which nothing was measured from an eye, for a report.
        check_entries: the schemas of ``[[check]]`` by the value of ``ask``, where checks ask different questions.
        phrases: of its figures, by name, besides those of all systems. The package of the class has their
            translations, and those of its verdicts, in ``locale/``; a phrase without a translation stays English.
        mobility: which pieces can move in an animation, and how.
        naming: the keys of its results that name pieces.
        kind_of_lookers: the plural by which messages call the pieces that look and are looked at.
        without_arcs: the message to whoever asks for an arc, with {title} and {arc}; empty in a game with arcs.
        expectable: what scenes can expect besides the fields of verdicts, such as odds.
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
    verdict_type: ClassVar[type[Verdict]] = Verdict
    phrases: ClassVar[Mapping[str, Phrase]] = {}
    mobility: ClassVar[Mobility] = Mobility()
    naming: ClassVar[tuple[str, ...]] = ("blockers",)
    kind_of_lookers: ClassVar[str] = "pieces"
    without_arcs: ClassVar[str] = ""
    expectable: ClassVar[tuple[ResultField, ...]] = ()

    def short_reason(self, verdict: Any, words: Callable[..., str]) -> str:
        """A verdict's reason in one short sentence, for figures in other languages than English, by ``words("why
        clear", attacker="Kal")``, which gives a phrase of the game; empty if the game has none for it.
        """
        return ""

    @abstractmethod
    def read(self, path: Path, document: dict[str, Any], cache: Cache) -> OfScene:
        """The scene that a document, the content of the file at a path, describes; paths in it are relative to the
        file's folder. FileError where it is not a valid scene: one line, with the place.
        """

    @abstractmethod
    def lookers(self, scene: OfScene) -> Sequence[str]:
        """The names of the pieces that look and are looked at."""

    @abstractmethod
    def judge(self, requests: Sequence[tuple[OfScene, Check]], settings: Settings) -> list[OfVerdict]:
        """The verdicts on checks, each with its scene: one for all, or each its own. A system that measures, measures
        all together, as far as their scenes ask for the same error. RequestError where a check names no fitting piece.
        """

    def meshes(self, scene: OfScene) -> Mapping[str, Mesh]:
        """The meshes that are rendered when the scene is judged, by the names of their pieces; none if it is exact."""
        return {}

    def scale(self, scene: OfScene) -> VerdictScale:
        """The shares of what is obscured at which a verdict changes, for plots."""
        return VerdictScale()

    def units(self, scene: OfScene) -> str | None:
        """The unit of lengths in the scene, in words; None for millimetres, which pages give in inches as well."""
        return None

    def load(self, path: Path, document: dict[str, Any], cache: Cache) -> OfScene:
        """What `read` gives. FileError also where the scene expects a result or a word that no check gives."""
        scene = self.read(path, document, cache)
        fields = (*self.verdict_type.fields, *self.expectable)
        keys = {field.key for field in fields}
        words = {key: words for key, words in self.expectable_words().items() if key in keys}
        check_expectations(path, scene.checks, fields, words)
        return replace(scene, agreements=self._agreements(path, document, scene))

    def _agreements(self, path: Path, document: Mapping[str, Any], scene: OfScene) -> tuple[Agreement, ...]:
        """What the players agreed on. FileError where that is about nobody, or is no verdict of the game."""
        agreements = tuple(Agreement(**entry) for entry in document.get("agreed", ()))
        for number, agreement in enumerate(agreements, 1):
            location = Location(path, f"agreed {number}")
            if agreement.verdict not in self.levels:
                near = did_you_mean(agreement.verdict, self.levels)
                raise location.error(f"no verdict is '{agreement.verdict}'; {near}")
            try:
                self.between(scene, agreement.attacker, agreement.target, agreement.arc)
            except RequestError as error:
                raise location.error(str(error).removeprefix(f"{path}: ")) from None
        return agreements

    def expectable_words(self) -> Mapping[str, Sequence[str]]:
        """All words that a result may have, by its key; a scene that expects another one is refused."""
        return dict.fromkeys(("verdict", "could_be"), tuple(self.levels))

    def everyone(self, scene: OfScene) -> tuple[Check, ...]:
        """The checks of every piece against every other. RequestError where fewer than two can take part."""
        names = self.lookers(scene)
        if len(names) < 2:
            raise self._too_few(scene)
        return tuple(Check(*pair) for pair in permutations(names, 2))

    def between(self, scene: OfScene, attacker: str, target: str | None, arc: ArcName | None) -> tuple[Check, ...]:
        """The checks of one piece against another, or every other. RequestError for unknown names and arcs."""
        self.refuse(scene, attacker, target, arc)
        names = self.lookers(scene)
        for name in (attacker, target):
            if name is not None and name not in names:
                raise RequestError(f"{scene.path}: nothing is called '{name}'; {did_you_mean(name, names)}")
        if target == attacker:
            raise RequestError(f"{scene.path}: '{attacker}' would check itself; name another piece as target")
        others = [name for name in names if name != attacker] if target is None else [target]
        if not others:
            raise self._too_few(scene)
        return tuple(Check(attacker, name, arc) for name in others)

    def _too_few(self, scene: OfScene) -> RequestError:
        few = f"fewer than two {self.kind_of_lookers} stand there; add another to look at"
        return RequestError(f"{scene.path}: {few}")

    def refuse(self, scene: OfScene, attacker: str, target: str | None, arc: ArcName | None) -> None:
        """Refuses an arc in a game without arcs, and, in games that can say more of it, who cannot look or be seen."""
        if arc is not None and self.without_arcs:
            raise RequestError(f"{scene.path}: {self.without_arcs.format(title=self.title, arc=arc)}")


class ExactRule(Rule[OfScene, OfVerdict]):
    """A rule system that is judged exactly, check by check: nothing is measured, so that no setting matters."""

    @abstractmethod
    def ruling(self, scene: OfScene, check: Check) -> OfVerdict:
        """The verdict on a check; see `judge`.

        Raises RequestError if the check names a piece that does not exist, or that cannot look or be looked at.
        """

    def judge(self, requests: Sequence[tuple[OfScene, Check]], settings: Settings) -> list[OfVerdict]:
        """The verdicts on checks, in their order."""
        return [self.ruling(scene, check) for scene, check in requests]
