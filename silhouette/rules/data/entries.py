"""JUDGE, games by data: the keys of a game file."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, field_validator, model_validator

from silhouette.files.schema import Entry, Name, plain
from silhouette.rules.data.kinds import ATTRIBUTES, Kind

KeyType = Literal["yes or no", "number", "length", "text", "words"]

KIND_OF_TYPE: dict[str, Kind] = {  # of a key's value in conditions, by its type
    "yes or no": Kind.TRUTH,
    "number": Kind.NUMBER,
    "length": Kind.LENGTH,
    "text": Kind.TEXT,
    "words": Kind.WORDS,
}

MOST_CLAUSES = 200  # clauses of a game
MOST_VERDICTS = 40  # verdicts of a game


class ReadingEntry(Entry):
    """A ``[readings.NAME]``: a choice between readings of the rules, or a ``[keys.terrain.NAME]``."""

    type: KeyType = Field(description='"yes or no", "number", "length", "text" or "words"')
    """What its value is: true or false, a number, a length, a text, or a list of words."""
    default: Any = Field(None, description="a value of its type")
    """Its value where a scene says nothing. Without it false, 0, "" or []; a text with `choices` needs one of these."""
    choices: tuple[str, ...] | None = Field(None, min_length=1, description="a list of texts")
    """What a text, or each of its words, may be. Without it, anything."""
    unit: Literal["mm", "inch"] = Field("mm", description='"mm" or "inch"')
    """The unit in which scenes write a length."""
    means: Name = Field(description="a sentence in quotes")
    """What it means, for people."""

    @model_validator(mode="after")
    def _fits(self) -> ReadingEntry:
        if self.choices is not None and self.type not in ("text", "words"):
            raise plain(f'choices go with type = "text" or "words", and type is "{self.type}"')
        if self.default is not None and not is_value(self, self.default):
            raise plain(f"default is {self.default!r}; it must be {words_of(self)}")
        if self.default is None and self.choices is not None and self.type == "text":
            raise plain("default is missing; it must be one of choices")
        return self


def is_value(entry: ReadingEntry, value: object) -> bool:
    """Whether a value of TOML is of a key's type, and one of its choices where it has some."""
    allowed = entry.choices
    match entry.type:
        case "yes or no":
            return isinstance(value, bool)
        case "text":
            return isinstance(value, str) and (allowed is None or value in allowed)
        case "words":
            if not isinstance(value, list | tuple) or not all(isinstance(word, str) for word in value):
                return False
            return allowed is None or set(value) <= set(allowed)
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= 1e6


def words_of(entry: ReadingEntry) -> str:
    """What a value of a key must be, in words."""
    if entry.choices is not None:
        listed = ", ".join(f'"{choice}"' for choice in entry.choices)
        return f"a list of some of {listed}" if entry.type == "words" else f"one of {listed}"
    return {
        "yes or no": "true or false",
        "number": "a number",
        "length": f"a number, a length in {entry.unit}",
        "text": "a text in quotes",
        "words": "a list of words in quotes",
    }[entry.type]


class KeysEntry(Entry):
    """``[keys.terrain.NAME]`` and ``[keys.model.NAME]``: what pieces say in scenes of the game."""

    terrain: dict[Name, ReadingEntry] = Field({}, description="tables [keys.terrain.NAME]")
    """What terrain says."""
    model: dict[Name, ReadingEntry] = Field({}, description="tables [keys.model.NAME]")
    """What fighters and vehicles say."""


class ClauseEntry(Entry):
    """A ``[[clause]]``: something that holds or not, with its source."""

    name: Name = Field(description="a name of letters, digits and _")
    """By which verdicts and other clauses call it."""
    number: Name = Field(description="a number or a name in quotes")
    """Its number in the game's specification, as results give it."""
    when: Name = Field(description="a condition")
    """When it holds: a condition."""
    text: Name = Field(description="a sentence in quotes")
    """What it says where it holds. {attacker}, {target}, what a quantifier calls its pieces, and what was measured,
    stand for their names and values: "a line crosses {wall}, which is {distance} from {target}". {hidden_by} stands for
    the pieces that are in the way.
    """
    otherwise: Name = Field(description="a sentence in quotes")
    """What it says where it does not hold."""
    source: Name = Field(description="a text in quotes")
    """Where it stands: the page, or the section."""
    roll: Name | None = Field(None, description="a text in quotes")
    """What it does to a roll where it holds, beside the verdict if that is not blocked; the reason tells it as well."""

    @field_validator("name")
    @classmethod
    def _name(cls, value: str) -> str:
        if not value.isidentifier() or not value.isascii():
            raise plain(f"name is '{value}'; it must be a name of letters, digits and _")
        return value


class VerdictEntry(Entry):
    """A ``[[verdict]]``: what is ruled where its condition holds and that of none before it."""

    name: Name = Field(description="a text in quotes")
    """The verdict, as results give it."""
    level: Literal["clear", "partial", "full", "blocked"] = Field(description='"clear", "partial", "full" or "blocked"')
    """How exposed the target is: its colour and its symbol."""
    when: str | None = Field(None, description="a condition of clauses")
    """When it is ruled: a condition of clauses and readings. The last verdict has none: it is given last."""
    chooses: str | None = Field(None, description='"attacker" or "target"')
    """Whose player chooses between the verdicts of `between`, where the rules let someone choose."""
    between: tuple[Name, ...] | None = Field(None, min_length=2, description="a list of two or more verdicts")
    """The verdicts between which that player chooses."""
    roll: Name | None = Field(None, description="a text in quotes")
    """What it does to a roll, where the rules say so: "-1 to hit". Results give it under `roll`."""

    @model_validator(mode="after")
    def _chosen(self) -> VerdictEntry:
        if (self.chooses is None) != (self.between is None):
            raise plain("chooses and between go together; give both or none")
        if self.chooses not in (None, "attacker", "target"):
            raise plain(f'chooses is \'{self.chooses}\'; it must be "attacker" or "target"')
        return self


class GameEntry(Entry):
    """A game file, whole."""

    title: Name = Field(description="a text in quotes")
    """The name of the game, for people."""
    about: str = Field("", description="a text in quotes")
    """What of the game it rules, and what it leaves out."""
    source: Name = Field(description="a text in quotes")
    """Where its rules were read."""
    unit: Literal["mm", "inch"] = Field("inch", description='"mm" or "inch"')
    """The unit in which reasons give lengths."""
    line_of_sight: Name = Field(description="the name of a clause")
    """The clause by which the attacker has line of sight to the target."""
    keys: KeysEntry = Field(KeysEntry(), description="tables [keys.terrain.NAME] and [keys.model.NAME]")
    """What pieces say in scenes of the game."""
    readings: dict[Name, ReadingEntry] = Field({}, description="tables [readings.NAME]")
    """Choices where the rules can be read in more than one way; scenes take them in `[readings]`."""
    tables: dict[Name, dict[Name, str | float]] = Field({}, description="tables [tables.NAME]")
    """Tables of numbers, or of lengths such as "20 mm", by a text: ``height_of[target.size]``."""
    clause: tuple[ClauseEntry, ...] = Field(min_length=1, description="tables [[clause]]")
    """What the rules say, each with its source."""
    verdict: tuple[VerdictEntry, ...] = Field(min_length=2, description="two or more tables [[verdict]]")
    """The verdicts, of which the first whose condition holds is given. Two of one name and level are one verdict."""

    @field_validator("keys")
    @classmethod
    def _no_attributes(cls, value: KeysEntry) -> KeysEntry:
        for table in (value.terrain, value.model):
            for name in table:
                if name in ATTRIBUTES:
                    raise plain(f"every game knows {name}; give the key another name")
                if not name.isidentifier() or not name.isascii():
                    raise plain(f"'{name}' must be a name of letters, digits and _")
        return value
