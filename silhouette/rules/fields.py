"""JUDGE: the keys of results, each declared once: where its value lies, what it means, how it is read and compared.

A verdict lists its fields in the order of its row (`Record.fields`). What a scene expects is checked twice: when it is
read, whether any check can give that, and when it is judged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from types import GenericAlias
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, NotRequired, Required, TypeVar, get_args, get_origin

import pydantic
from typing_extensions import TypedDict  # pydantic needs it below Python 3.12

from silhouette.common.text import as_written, did_you_mean, in_quotes
from silhouette.files.schema import Entry, Location
from silhouette.measure.observation import DecidedBy
from silhouette.models.entries import ArcName
from silhouette.renderers.views import Projection
from silhouette.scenes.scene import Check

OfReadings = TypeVar("OfReadings", bound=Entry)


class OtherReading(TypedDict, total=False):
    """A reading that the scene did not choose, with the verdict that it gives and the other results that it changes."""

    reading: Required[str]
    """The key of ``[readings]`` and its other value: "hills = literal"."""
    verdict: Required[str]
    could_be: list[str]
    """The verdicts that it could be, this one among them, if that verdict is too close to call itself."""
    line_of_sight: bool
    line_of_effect: bool
    cover: bool | str | None
    cover_from: list[str]
    modifier: int | None
    wounds: int


class Alternative(NamedTuple):
    """One value of one reading that a scene did not choose, such as "literal" of ``hills``."""

    key: str
    value: str | bool

    def __str__(self) -> str:
        """As results name it, and as a scene's ``[readings]`` says it but for the quotes.

        >>> str(Alternative("hills", "literal")), str(Alternative("ignored_parts_block", True))
        ('hills = literal', 'ignored_parts_block = true')
        """
        return f"{self.key} = {str(self.value).lower() if isinstance(self.value, bool) else self.value}"

    def taken(self, readings: OfReadings) -> OfReadings:
        """The readings of a scene with this value in place of the one that it chose."""
        return readings.model_copy(update={self.key: self.value})


def alternatives(readings: Entry) -> Iterator[Alternative]:
    """Each single value that a scene's readings did not choose, key by key; of numbers there is no list.

    >>> class Readings(Entry):
    ...     hills: Literal["above the lower", "literal"] = "literal"
    ...     infantry_hides: bool = False
    ...     tolerance: float = 1.0
    >>> [str(one) for one in alternatives(Readings())]
    ['hills = above the lower', 'infantry_hides = true']
    """
    for key, field in type(readings).model_fields.items():
        chosen = getattr(readings, key)
        values = get_args(field.annotation) if get_origin(field.annotation) is Literal else ()
        for value in (not chosen,) if isinstance(chosen, bool) else values:
            if value != chosen:
                yield Alternative(key, value)


Form = Literal["", "share", "code", "address"]
"""What a value is for people: a share from 0 to 1, a word of the program such as blind_hex, the address of a hex."""

DoubtFrom = Literal["", "place", "facing", "eye", "surface", "measuring"]  # what may weigh most in odds

Comparison = Literal["exactly", "share", "area", "sentence", "blockers", "error", "manner", "setting"]
"""How the value of one run is compared with that of another; see `silhouette.bundles.comparing`."""


def plain(value: Any) -> Any:
    """A value as JSON has it: records become tables, tuples lists.

    >>> plain((Blocker("wall"), (0, 1), {"between": ("open", "hidden")}))
    [{'name': 'wall'}, [0, 1], {'between': ['open', 'hidden']}]
    """
    if isinstance(value, Record):
        return value.row()
    if isinstance(value, tuple | list):
        return [plain(part) for part in value]
    if isinstance(value, Mapping):
        return {key: plain(part) for key, part in value.items()}
    return value


@dataclass(frozen=True)
class ResultField:
    """A key of results, with the type of its JSON value and its meaning for the schema.

    Attributes:
        at: the attribute of the record that has the value, or the way to it, such as "rule.section"; else the key.
        optional: whether a row is without the key if there is no value; else it has null then.
        label: its name for people, if the words of the key say too little.
        is_detail: whether pages list it among all else that is known; of other keys they speak elsewhere.
        parts: the fields of the tables of which the value is a list, if these are not those of the result itself.
        value: makes the value of JSON from the attribute.
    """

    key: str
    type: Any
    meaning: str
    at: str = ""
    optional: bool = False
    label: str = ""
    form: Form = ""
    is_detail: bool = True
    compared: Comparison = "exactly"
    parts: tuple[ResultField, ...] = ()
    value: Callable[[Any], Any] = plain

    def value_in(self, record: Any) -> Any:
        """The value that a record has, as JSON has it; None if there is none."""
        value = record
        for name in (self.at or self.key).split("."):
            value = value.get(name) if isinstance(value, Mapping) else getattr(value, name)
            if value is None:
                break
        return self.value(value)

    @property
    def is_list(self) -> bool:
        """Whether the value is a list, or may be one.

        >>> BLOCKERS.is_list, OCCLUDED_FIELD.is_list, ResultField("odds", dict[str, list[int]] | None, "").is_list
        (True, False, False)
        """
        return _may_be_list(self.type)

    @property
    def name(self) -> str:
        """The name for people.

        >>> IN_ARC_FIELD.name, ResultField("protected_by", str, "").name
        ('some of it in the vision arc', 'protected by')
        """
        return self.label or self.key.replace("_", " ")


def _may_be_list(kind: Any) -> bool:
    return get_origin(kind) is list or (any(map(_may_be_list, get_args(kind))) and get_origin(kind) is not dict)


class Record:
    """What has a row: a verdict, or a part of it that is a table of its own."""

    fields: ClassVar[tuple[ResultField, ...]] = ()
    """The keys of its rows, in their order."""

    def row(self) -> dict[str, Any]:
        """The record as JSON has it."""
        return row_of(self, self.fields)


def row_of(record: Record, fields: Iterable[ResultField]) -> dict[str, Any]:
    """The values of some fields of a record, by their keys."""
    row = {}
    for field in fields:
        value = field.value_in(record)
        if value is not None or not field.optional:
            row[field.key] = value
    return row


@lru_cache(maxsize=64)
def row_type(name: str, fields: tuple[ResultField, ...], *, closed: bool = False) -> Any:
    """The type of a row, for pydantic: a TypedDict; ``closed`` says that there are no other keys."""
    keys: dict[str, Any] = {}
    for field in fields:
        declared: Any = field.type
        described: Any = Annotated[declared, pydantic.Field(description=field.meaning)]
        keys[field.key] = NotRequired[described] if field.optional else described
    build: Any = TypedDict
    made = build(name, keys)
    if closed:
        made.__pydantic_config__ = pydantic.ConfigDict(extra="forbid")
    return made


def list_of(name: str, record: type[Record]) -> Any:
    """The type of a list of the rows of a record, by a name for the schema."""
    return GenericAlias(list, (row_type(name, record.fields),))


@dataclass(frozen=True)
class Blocker(Record):
    """A piece in the way, in every game. Shares are from 0 to 1; None if nothing was measured."""

    name: str
    occluded: float | None = None
    alone: float | None = None

    fields: ClassVar[tuple[ResultField, ...]] = (
        ResultField("name", str, "of the piece"),
        ResultField("occluded", float, "the share of which it is the nearest blocker", optional=True, form="share"),
        ResultField("alone", float, "the share that it alone would obscure", optional=True, form="share"),
    )

    @property
    def share(self) -> float:
        """`occluded`; 0 if nothing was measured."""
        return self.occluded or 0.0

    @property
    def obscures(self) -> bool:
        """Whether it would obscure some of the target with nothing else on the table, as measured."""
        return bool(self.alone)


def largest_first(blockers: Iterable[Blocker]) -> tuple[Blocker, ...]:
    """Measured blockers, the largest share first, those of equal shares by their names."""
    return tuple(sorted(blockers, key=lambda blocker: (-blocker.share, -(blocker.alone or 0.0), blocker.name)))


ATTACKER_FIELD = ResultField("attacker", str, "who looks", is_detail=False)
TARGET_FIELD = ResultField("target", str, "who is looked at", is_detail=False)
RULES_FIELD = ResultField("rules", str, "the game, as the scene names it", is_detail=False)
VERDICT = ResultField("verdict", str, "the game's word for the answer", is_detail=False)
WHO_FIELDS = (ATTACKER_FIELD, TARGET_FIELD, RULES_FIELD)
RULE = ResultField("rule", str, "the section of the rules that decides", at="rule.section", is_detail=False)
RULE_NUMBER = ResultField("rule_number", str, "its number in the specification", at="rule.number", is_detail=False)
REASON = ResultField("reason", str, "why, in one sentence", is_detail=False, compared="sentence")
GROUNDS = (RULE, RULE_NUMBER, REASON)
LINE_OF_SIGHT = ResultField("line_of_sight", bool, "whether the attacker sees something of the target")
IN_ARC_FIELD = ResultField(
    "in_arc",
    bool | None,
    "whether some of the target lies in a vision arc; null if that cannot be known",
    label="some of it in the vision arc",
)


def _measured(key: str, kind: Any, meaning: str, at: str, compared: Comparison) -> ResultField:
    """What was measured from an eye; pages speak of it by itself."""
    form: Form = "share" if compared in ("share", "error") else ""
    return ResultField(key, kind, meaning, f"measurement.{at}", form=form, is_detail=False, compared=compared)


OCCLUDED_FIELD = _measured(
    "occluded", float, "the share of the target's silhouette that is obscured", "occluded", "share"
)
OCCLUDED_IN_ARC = _measured(
    "occluded_in_arc",
    float | None,
    "that of its part in the vision arcs; null if no part is in them",
    "occluded_in_arc",
    "share",
)
ERROR = _measured("error", float, "the true share lies within occluded ± error", "error", "error")
TARGET_PIXELS = _measured("target_pixels", int, "pixels of the target", "counts.total", "area")
OCCLUDED_PIXELS = _measured("occluded_pixels", int, "those obscured", "counts.occluded", "area")
SEEN_PIXELS = replace(
    _measured("seen_pixels", int, "those in a vision arc and not obscured", "seen", "area"),
    label="pixels seen",
    is_detail=True,
)
SHARE_FIELDS = (OCCLUDED_FIELD, ERROR, TARGET_PIXELS, OCCLUDED_PIXELS)
RENDERER = _measured("renderer", str, "what counted", "renderer", "setting")
PIXEL = _measured("pixel", float, "mm per pixel at the target", "pixel", "manner")
MANNER = (
    _measured(
        "decided_by", DecidedBy, "proof: it is certain that nothing is seen, or obscured", "decided_by", "manner"
    ),
    _measured("projection", Projection, "cube: the target reaches round the eye", "projection", "manner"),
)

BLOCKERS = ResultField(
    "blockers",
    list_of("BlockerRow", Blocker),
    "the pieces in the way, the largest share first",
    is_detail=False,
    compared="blockers",
    parts=Blocker.fields,
)
MARGINAL = ResultField("marginal", bool, "whether it is too close to call: the players roll off", is_detail=False)
COULD_BE = ResultField("could_be", list[str], "the verdicts that hold within the errors", is_detail=False)
OTHER_READINGS = ResultField(
    "other_readings", list[OtherReading], "each other reading of the rules that changes the result"
)
WARNINGS = ResultField("warnings", list[str], "a sentence each", is_detail=False, compared="sentence")
EFFECT_ON_ROLL = ResultField(
    "roll", str | None, "what cover does to a roll, as the rules say; null if nothing", label="the roll"
)
ARC = ResultField("arc", ArcName | None, "the vision arc that was asked for; null for any", label="vision arc")

ODDS = (
    ResultField("odds", dict[str, float] | None, "--odds: of each verdict, from exposed to covered", "odds.odds"),
    ResultField("odds_error", float, "half the width of the 95 % interval of the largest of the odds", "odds.error"),
    ResultField("trials", int, "the number of trials that the odds come from", "odds.trials"),
    ResultField(
        "occluded_interval",
        tuple[float, float] | None,
        "the middle 95 % of the obscured share; null if the arc alone decides",
        "odds.occluded_interval",
    ),
    ResultField("call", str, 'the verdict that stands, or "roll off"', "odds.call"),
    ResultField("doubt_from", DoubtFrom, "what weighs most in the odds", "odds.doubt_from"),
)
"""The keys that a result with odds has."""

OF_ODDS = tuple(field for field in ODDS if field.key not in ("odds", "occluded_interval"))
"""Those of which something can be expected."""

SHARED_FIELDS: Mapping[str, ResultField] = {  # those that mean the same in every game
    field.key: field
    for field in (
        *(*WHO_FIELDS, VERDICT, *GROUNDS, LINE_OF_SIGHT, IN_ARC_FIELD, *SHARE_FIELDS, OCCLUDED_IN_ARC, SEEN_PIXELS),
        *(BLOCKERS, MARGINAL, COULD_BE, OTHER_READINGS, WARNINGS, EFFECT_ON_ROLL, ARC, RENDERER, PIXEL, *MANNER, *ODDS),
    )
}


def shared(*keys: str) -> tuple[ResultField, ...]:
    """The fields of `SHARED_FIELDS` with these keys, in this order.

    >>> [field.label for field in shared("verdict", "in_arc")]
    ['', 'some of it in the vision arc']
    """
    return tuple(SHARED_FIELDS[key] for key in keys)


def check_expectations(
    path: Path, checks: Sequence[Check], fields: Sequence[ResultField], words: Mapping[str, Sequence[str]]
) -> None:
    """Refuses an expectation of a key that no row has, or of a word such as a verdict that no check gives (``words`` by
    key). FileError with the nearest one.

    >>> check_expectations(Path("duel.toml"), [Check("Kal", "Vex", expect={"verdict": None})], [VERDICT],
    ...     {"verdict": ["open", "hidden"]})
    Traceback (most recent call last):
    ...
    silhouette.common.errors.FileError: duel.toml: check 1: expect: no verdict is null; there are 'open', 'hidden'
    """
    for number, check in enumerate(checks, 1):
        location, expect = Location(path, f"check {number}"), check.expect or {}
        for key in [key for key in words if key in expect]:
            value = expect[key]
            for word in value if isinstance(value, list) and COULD_BE in fields else [value]:
                if word not in words[key]:
                    near = did_you_mean(word if isinstance(word, str) else "", words[key])
                    raise location.error(f"expect: no {key} is {in_quotes(word)}; {near}")
        expectable(location, expect, fields)


def expectable(location: Location, expect: Mapping[str, Any], fields: Sequence[ResultField]) -> None:
    """Refuses an expectation under a key that no row has, or of a list that is neither a value nor a range. FileError
    where there is one, with the nearest key.

    >>> expect = {"occludd": 0.3}
    >>> expectable(Location(Path("duel.toml"), "check 1"), expect, [VERDICT, OCCLUDED_FIELD])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    silhouette.common.errors.FileError: duel.toml: check 1: expect: no result is called 'occludd'; ...
    """
    by_key = {field.key: field for field in fields}
    for key, value in expect.items():
        if key not in by_key:
            raise location.error(f"expect: no result is called '{key}'; {did_you_mean(key, list(by_key))}")
        if isinstance(value, list) and not by_key[key].is_list and _range(value) is None:
            raise location.error(f"expect: {key} is {as_written(value)}; it must be a value, or [least, most]")


def _range(expected: Sequence[object]) -> tuple[float, float] | None:
    """The least and the most of a range of numbers; None for anything else."""
    match expected:
        case [bool(), _] | [_, bool()]:
            return None
        case [int() | float() as least, int() | float() as most]:
            return least, most
    return None


def _names_of(value: Any, expected: Any) -> Any:
    """The names of pieces, if nothing but names is expected of them; any other value as it is."""
    are_pieces = (
        isinstance(value, list) and value and all(isinstance(part, Mapping) and "name" in part for part in value)
    )
    if not are_pieces or not isinstance(expected, list) or any(isinstance(part, Mapping) for part in expected):
        return value
    return [piece["name"] for piece in value]


def unmet_expectations(row: Mapping[str, Any], expect: Mapping[str, Any]) -> list[str]:
    """The expectations that a row does not meet, a few words each; none where it meets all. An expectation is a value,
    or ``[least, most]`` for a number; of pieces with a ``name`` their names will do.

    >>> unmet_expectations({"verdict": "open", "occluded": 0.0}, {"verdict": "open", "occluded": [0, 0.1]})
    []
    >>> unmet_expectations({"verdict": "open"}, {"verdict": "hidden", "colour": "red"})
    ["verdict is 'open', not 'hidden'", "there is no result 'colour'"]
    >>> unmet_expectations({"occluded": None}, {"occluded": [0.2, 0.3]})
    ['occluded is null, not 0.2 to 0.3']
    >>> unmet_expectations({"blockers": [{"name": "wall", "occluded": 0.3}]}, {"blockers": ["wall"]})
    []
    >>> unmet_expectations({"marginal": True}, {"marginal": 1})
    ['marginal is true, not 1']
    """
    texts = (_unmet(key, row, expected) for key, expected in expect.items())
    return [text for text in texts if text]


def _unmet(key: str, row: Mapping[str, Any], expected: Any) -> str:
    """In what a row does not meet an expectation; empty where it does."""
    if key not in row:
        return f"there is no result {in_quotes(key)}"
    value = _names_of(row[key], expected)
    bounds = _range(expected) if isinstance(expected, list) and not isinstance(value, list) else None
    if bounds is not None:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        is_met = is_number and bounds[0] <= value <= bounds[1]
    else:
        is_met = value == expected and isinstance(value, bool) == isinstance(expected, bool)
    words = in_quotes(expected) if bounds is None else f"{bounds[0]} to {bounds[1]}"
    return "" if is_met else f"{key} is {in_quotes(value)}, not {words}"
