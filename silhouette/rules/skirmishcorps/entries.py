"""PLACE: SkirmishCorps, the keys of a scene: units, cover, readings; for each ``ask``, those of checks and results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field, StrictBool, model_validator

from silhouette.common.geometry import INCH
from silhouette.files import schema
from silhouette.files.schema import Entry, Error, Name, Number, Pixel, Point, Size
from silhouette.models.entries import FigureEntry, SolidEntry
from silhouette.rules.base import Level, MeasuredVerdict, RuleReference
from silhouette.rules.fields import GROUNDS, ResultField, row_of, shared
from silhouette.rules.skirmishcorps.classes import FIGURE_BRICKS, PACES, Basis, CoverClass, Pace, Posture, UnitType
from silhouette.scenes.entries import (
    DoubtEntry,
    Facing,
    LengthUnits,
    PieceDoubtEntry,
    QuestionEntry,
    SceneEntry,
    TerrainEntry,
    check_place,
)

MAX_BRICKS = 10_000.0
MAX_NUMBER = 1_000_000
MAX_DICE = 10_000
WHERE = "two or three finite numbers of mm, or of the scene's units: [x, y] or [x, y, z], up to a million"
ON = 'the name of a piece of terrain or cover, or "surface"'
CLASS = '"none", "very low", "low", "high" or "corner"'
UNIT_TYPE_FORM = '"foot", "mech" or "vehicle"'
PACE = '"sneaking", "jogging", "running" or "sprinting"; of a vehicle "cruising", "rushing" or "flat-out"'


def _whole(value: object) -> object:
    """A whole number as an int, 12.0 as well; anything else is refused."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value // 1:
        raise ValueError
    return int(value)


At = Annotated[tuple[Number, ...], Field(min_length=2, max_length=3)]
Bricks = Annotated[float, Field(strict=True, allow_inf_nan=False, gt=0, le=MAX_BRICKS)]
Count = Annotated[int, BeforeValidator(_whole), Field(ge=0, le=MAX_NUMBER)]
Defence = Annotated[int, BeforeValidator(_whole), Field(ge=1, le=MAX_NUMBER)]
Die = Annotated[int, BeforeValidator(_whole), Field(ge=1, le=6)]
Seed = Annotated[int, BeforeValidator(_whole), Field(ge=0, lt=2**63)]


class Readings(Entry):
    """``[readings]``: which possible reading is taken, and the numbers that the rules leave open; defaults first."""

    share_practically_all: Annotated[float, Field(strict=True, ge=0, lt=1)] = Field(
        0.05, description="a share from 0 to below 1"
    )
    """A piece that obscures less than this share of the target does not protect it: the attacker sees "practically all"
    of that, for which the text has no number (A2).
    """
    contact_tolerance: Annotated[float, Field(strict=True, ge=0, le=100)] = Field(
        0.5, description="a number of mm from 0 to 100"
    )
    """The widest gap that is still contact, since hands set models down no closer (A1)."""
    cover_class: Literal["piece", "obscured share"] = Field("piece", description='"piece" or "obscured share"')
    """Where a piece's class comes from (A15): its height, by which the text tells the classes; or the share that it
    obscures, since in the example "it does obscure nearly half of him", and so is low cover.
    """
    protection_within: (
        Literal["one base width", "any distance"]
        | Annotated[float, Field(strict=True, allow_inf_nan=False, ge=0, le=schema.MAX_LENGTH_MM)]
    ) = Field("one base width", description='"one base width", "any distance", or a number of mm from 0 up')
    """How far from a unit cover may stand that protects it: one width of its base, since "a unit is only in cover when
    they are in contact with the cover", and the Acolyte of the example, protected without contact, stands as near; or
    anywhere on the line, since only that is asked of protection itself (A1).
    """
    peeking: StrictBool = Field(True, description="true or false")
    """Whether who is in corner cover sees by leaning out half a base past the corner: it "can be peeked around", prone
    too, without a penalty (A16). Otherwise it sees from where it stands alone.
    """
    prone_body: Literal["as it lies", "raised"] = Field("as it lies", description='"as it lies" or "raised"')
    """What counts of a prone unit: its body as it lies, which very low cover "almost completely obscures"; or raised to
    half of its height, since the text gives a penalty to hit it over low cover, which a body of the standard size, a
    quarter of its height, never shows on level ground (A17).
    """
    close_combat_over: Literal["not taller than both", "any height"] = Field(
        "not taller than both", description='"not taller than both" or "any height"'
    )
    """Over which cover units fight hand to hand: not over a wall taller than both, past which they do not reach; or
    over any, since the text names no height (A13).
    """
    basis: Basis = Field("penetrating", description='"penetrating" or "total"')
    """Which damage enters the table of wounds to cover (A5): what penetrates, which alone gives the three wounds of the
    example; or all of it, as the table's own words say.
    """
    dive_distance: Annotated[float, Field(strict=True, ge=0, le=1000)] = Field(
        40.0, description="a number of mm from 0 to 1000"
    )
    """The length of a dive, of which the text says nothing (A14)."""
    dive_directions: Annotated[int, BeforeValidator(_whole), Field(ge=1, le=64)] = Field(
        16, description="a whole number from 1 to 64"
    )
    """The number of directions in which a dive is tried (A14)."""
    dive_hidden: Annotated[float, Field(strict=True, gt=0, le=1)] = Field(0.5, description="a share above 0, at most 1")
    """The share of the prone body that must be hidden for a dive to be safe (A14)."""


class UnitEntry(Entry):
    """A ``[[unit]]``: the standard figure, or a model of its own."""

    name: Name = Field(description="a unique name, in quotes")
    """The name of the unit."""
    type: UnitType = Field("foot", description=UNIT_TYPE_FORM)
    """What it is. Without `model` and `parts` it is the standard figure, 40 mm tall and 16 mm across."""
    at: At = Field(description=WHERE)
    """The middle of its base, in the scene's `units`. Without z it stands on the table, or where `on` says."""
    on: Name | None = Field(None, description=ON)
    """What it stands on: it is lowered from above, upright, until its base touches that piece, or with "surface"
    whatever is there. `at` then has two numbers.
    """
    under: Number | None = Field(None, description="a number")
    """With `on`: nothing higher than this counts. In the scene's `units`."""
    posture: Posture = Field("standing", description='"standing" or "prone"')
    """The posture. Vehicles do not lie prone."""
    lies_along: Number = Field(0.0, description="a number of degrees anticlockwise from +x")
    """Prone: the direction of the body, from the feet to the head."""
    height: Bricks | None = Field(None, description="a number of bricks above zero")
    """The height, in bricks of 9.6 mm. The default is the standard figure's 4, or the model's own height."""
    model: Name | None = Field(None, description="the path of a model file, seen from the scene's own folder")
    """A model file for a real mesh instead of the standard figure."""
    parts: tuple[SolidEntry, ...] | None = Field(
        None, min_length=1, description="a list of one or more solids, such as { box = [60, 5, 30] }"
    )
    """Plain solids instead of the standard figure."""
    figure: FigureEntry | None = Field(None, description="{ base = 32, height = 38 } in mm")
    """A stand-in of that base and height instead of the standard figure; the answer says that it is one."""
    facing: Facing = None
    """The direction in which it faces: a model is turned so that its front points there. Left out, it stands as it lies
    in its file.
    """
    turn: Number | None = Field(None, description="a number of degrees anticlockwise")
    """How far a model is turned from how it lies in its file; `facing` then turns nothing."""
    doubt: PieceDoubtEntry | None = Field(None, description="a table such as { place = 0.3, facing = 1 }")
    """How far this unit may lie from the truth, in place of the scene's `[doubt]`, key by key. A verdict that it would
    change within two deviations is marginal.
    """
    eye: Point | None = Field(None, description="three numbers of mm in the model's frame")
    """The eye. The default is the model's own, or the standard figure's."""

    @model_validator(mode="after")
    def _fits(self) -> UnitEntry:
        given = [key for key in ("model", "parts", "figure") if getattr(self, key) is not None]
        if len(given) > 1:
            raise schema.plain(
                f"it has {given[0]} and {given[1]}; it must have one of them, or none for the standard figure"
            )
        check_place(self.at, self.on, self.under)
        if self.type == "vehicle" and self.posture == "prone":
            raise schema.plain('a vehicle does not lie prone; posture must be "standing", or type "foot" or "mech"')
        return self


class CoverEntry(Entry):
    """A ``[[cover]]``: a section of cover, a box."""

    name: Name = Field(description="a unique name, in quotes")
    """The name of the section of cover."""
    at: At = Field(description=WHERE)
    """Its middle in plan, and the ground that it stands on, in the scene's `units`."""
    on: Name | None = Field(None, description=ON)
    """What it stands on, as for a unit."""
    under: Number | None = Field(None, description="a number")
    """With `on`: nothing higher than this counts. In the scene's `units`."""
    size: tuple[Size, Size] = Field(
        description="two sizes in mm, or in the scene's units, along x and y before turning, each above zero"
    )
    """Its sizes in plan, in the scene's `units`."""
    turn: Number = Field(0.0, description="a number of degrees anticlockwise")
    """The angle by which it is turned, anticlockwise."""
    height: Bricks = Field(description="a number of bricks above zero")
    """The height, in bricks of 9.6 mm."""
    defence: Defence | None = Field(None, description="a whole number, 1 or more: its DE")
    """Its DE, as a note for people: checks of damage do not read it, but have their own key `defence`."""

    @model_validator(mode="after")
    def _fits(self) -> CoverEntry:
        check_place(self.at, self.on, self.under)
        return self


class SkirmishEntry(SceneEntry):
    """A SkirmishCorps scene, whole; its checks are read by the schema of what each asks."""

    units: LengthUnits = Field("mm", description='"mm", "inch" or "square"')
    """The unit of `at`, `under`, `table` and the plan sizes of `[[cover]]`, and of places on the command line (`--at`,
    `--walk`). All other lengths are mm or bricks, whatever this says.
    """
    square: Size = Field(INCH, description="a number of mm above zero")
    """The side of a square, in mm, where places are in squares."""
    table: tuple[Size, Size] | None = Field(None, description="two sizes above zero, along x and y")
    """The size of the table's top, whose middle is the origin, in the scene's `units`. The default is the box round
    all pieces.
    """
    terrain: tuple[TerrainEntry, ...] = Field((), description="tables [[terrain]]")
    """Pieces of any shape, with meshes or `parts`; they obscure too. Their keys are those of any table's
    `[[terrain]]`.
    """
    unit: tuple[UnitEntry, ...] = Field((), description="tables [[unit]]")
    """The units."""
    cover: tuple[CoverEntry, ...] = Field((), description="tables [[cover]]")
    """Sections of cover: boxes."""
    check: tuple[dict[str, Any], ...] = Field((), description="tables [[check]]")
    """The questions, each with the keys of what it asks."""
    doubt: DoubtEntry | None = Field(None, description="a table [doubt]")
    """How far the pieces may lie from the truth, which the odds of verdicts say; verdicts themselves do not read it."""
    question: tuple[QuestionEntry, ...] = Field((), description="tables [[question]]")
    """What a scan of the table could not settle."""
    tolerance: Annotated[float, Field(strict=True, ge=0, le=0.5)] = Field(0.0, description="a share from 0 to 0.5")
    """A verdict is too close to call where the share lies within this of a threshold. By default only the error
    counts.
    """
    pixel: Pixel | None = Field(None, description=f"a number of mm above zero, at most {schema.MAX_PIXEL_MM:g}")
    """Millimetres per pixel at the target. The default is 0.1; the option `--pixel` overrides it."""
    error: Error | None = Field(None, description=f"a share above zero, at most {schema.MAX_ERROR_SHARE:g}")
    """The largest error that may be left where no other verdict is near. The default is 0.002; the option
    `--error` overrides it.
    """


class AskEntry(Entry):
    """The keys that every ``[[check]]`` may have."""

    ask: str
    """The question."""
    expect: dict[str, Any] | None = Field(None, description="a table of result keys, each a value or [least, most]")
    """What the result must be. Of protection, `call`, `doubt_from`, `odds_error` and `trials` count with odds."""


class PairEntry(AskEntry):
    """A check of one unit against another."""

    attacker: Name = Field(description="the name of a unit")
    """Who attacks."""
    target: Name = Field(description="the name of a unit")
    """Who is attacked."""


class ProtectionEntry(PairEntry):
    """Can the attacker see the target, and what protects it?"""

    ask: Literal["protection"] = "protection"
    """The question. `protection` is the default."""


class CloseCombatEntry(PairEntry):
    """Can they fight across cover?"""

    ask: Literal["close combat"]


class FlankedEntry(PairEntry):
    """Does the attacker flank the target?"""

    ask: Literal["flanked"]


class DamageEntry(AskEntry):
    """A check of damage to cover."""

    damage: Count = Field(description="a whole number from 0 up")
    """The damage to the cover."""
    defence: Defence = Field(description="a whole number, 1 or more: the DE of the cover")
    """The DE of the cover."""


class ClassifyEntry(AskEntry):
    """Which class of cover is a piece of this height for a unit of this height?"""

    ask: Literal["classify"]
    height: Annotated[float, Field(strict=True, allow_inf_nan=False, ge=0, le=MAX_BRICKS)] = Field(
        description="the height of the cover, a number of bricks from 0 up"
    )
    """The height of the cover above the unit's feet."""
    unit_height: Bricks = Field(FIGURE_BRICKS, description="a number of bricks above zero")
    """The height of the unit."""


class PenaltyEntry(AskEntry):
    """What is the penalty to hit a unit of this posture behind cover of this class?"""

    ask: Literal["penalty"]
    cover_class: CoverClass = Field(description=CLASS)
    """The class of the cover in front of the target."""
    posture: Posture = Field(description='"standing" or "prone"')
    """The posture of the target."""


class FromProneEntry(AskEntry):
    """What is the penalty for firing prone from cover of this class?"""

    ask: Literal["from prone"]
    cover_class: CoverClass = Field(description=CLASS)
    """The class of the cover that the unit fires from."""


class AttackCoverEntry(DamageEntry):
    """What does damage to cover do to it, and to the unit behind?"""

    ask: Literal["attack cover"]
    unit_defence: Count | None = Field(None, description="a whole number from 0 up: the DE of the unit behind")
    """The DE of the unit behind the cover, if there is one."""


class CoverWoundsEntry(DamageEntry):
    """How many wounds does damage give to a section of cover?"""

    ask: Literal["cover wounds"]
    basis: Basis | None = Field(None, description='"penetrating" or "total"')
    """Which damage enters the table, in place of the reading `basis`."""


class DestroyedEntry(AskEntry):
    """Do these dice, or as many as there are wounds, destroy the section?"""

    ask: Literal["destroyed"]
    dice: Annotated[tuple[Die, ...], Field(max_length=MAX_DICE)] | None = Field(
        None, description="a list of whole numbers from 1 to 6"
    )
    """The dice, as they fell. A check has `dice`, or `wounds` and `seed`."""
    wounds: Annotated[Count, Field(le=MAX_DICE)] | None = Field(
        None, description=f"a whole number from 0 to {MAX_DICE}: as many dice are rolled"
    )
    """The number of wounds of the section; one die is rolled for each."""
    seed: Seed | None = Field(None, description="a whole number from 0 up, from which the dice are drawn")
    """The seed that the dice are drawn from: the same seed gives the same dice."""

    @model_validator(mode="after")
    def _dice_or_seed(self) -> DestroyedEntry:
        given = [key for key in ("dice", "wounds", "seed") if getattr(self, key) is not None]
        if given not in (["dice"], ["wounds", "seed"]):
            raise schema.plain(f"it has {' and '.join(given) or 'no dice'}; it must have dice, or wounds and seed")
        return self


class VaultEntry(AskEntry):
    """Can a unit vault this cover, and what does it cost?"""

    ask: Literal["vault"]
    unit_type: UnitType = Field(description=UNIT_TYPE_FORM)
    """The type of the unit that vaults."""
    cover_class: CoverClass = Field(description=CLASS)
    """The class of the cover."""
    move_left: Annotated[float, Field(strict=True, allow_inf_nan=False, ge=0, le=schema.MAX_LENGTH_MM)] = Field(
        description="a number of inches from 0 up"
    )
    """The distance that the unit can still move."""


class PileThroughEntry(AskEntry):
    """Does a unit get through this cover by force?"""

    ask: Literal["pile through"]
    unit_type: UnitType = Field(description=UNIT_TYPE_FORM)
    """The type of the unit that piles through."""
    d6: Die | None = Field(None, description="a whole number from 1 to 6")
    """The die, as it fell. A check has `d6` or `seed`."""
    seed: Seed | None = Field(None, description="a whole number from 0 up, from which the die is drawn")
    """The seed that the die is drawn from: the same seed gives the same die."""
    strength: Count = Field(description="a whole number from 0 up: the ST of the unit")
    """The ST of the unit."""
    defence: Defence = Field(description="a whole number, 1 or more: the DE of the cover")
    """The DE of the cover."""
    pace: Pace = Field(description=PACE)
    """The pace of the unit."""

    @model_validator(mode="after")
    def _one_die(self) -> PileThroughEntry:
        if (self.d6 is None) == (self.seed is None):
            both = "both d6 and seed" if self.d6 is not None else "neither d6 nor seed"
            raise schema.plain(f"it has {both}; it must have exactly one of d6 or seed")
        if self.pace not in PACES[self.unit_type]:
            paces = ", ".join(f'"{pace}"' for pace in PACES[self.unit_type])
            raise schema.plain(f"no {self.unit_type} unit goes {self.pace}; pace must be one of {paces}")
        return self


ASKS: dict[str, type[AskEntry]] = {
    "protection": ProtectionEntry,
    "close combat": CloseCombatEntry,
    "flanked": FlankedEntry,
    "classify": ClassifyEntry,
    "penalty": PenaltyEntry,
    "from prone": FromProneEntry,
    "attack cover": AttackCoverEntry,
    "cover wounds": CoverWoundsEntry,
    "destroyed": DestroyedEntry,
    "vault": VaultEntry,
    "pile through": PileThroughEntry,
}


NAME = "skirmishcorps"

LEVELS: Mapping[str, Level] = {
    "open": Level.CLEAR,
    "very low cover": Level.PARTIAL,
    "low cover": Level.PARTIAL,
    "high cover": Level.FULL,
    "corner cover": Level.FULL,
    "hidden": Level.BLOCKED,
}
"""The level of each verdict on how exposed a target is, from exposed to covered; other answers have none."""


def _answer(key: str, kind: Any, meaning: str, **how: Any) -> ResultField:
    return ResultField(key, kind, meaning, at=f"answers.{key}", **how)


ASK = ResultField("ask", str, "the question")
POSSIBLE = _answer("possible", bool, "whether it can be done")
COVER_CLASS = _answer("cover", str | None, "the class of cover")
PENALTY = _answer("penalty", int | None, "to hit; null without a line of sight")

PROTECTION: tuple[ResultField, ...] = (
    *(*shared("line_of_sight"), COVER_CLASS),
    _answer("protected_by", str | None, "the piece that protects most"),
    _answer("in_contact_with", list[str], "the cover that the target touches"),
    ResultField("modifier", int | None, "to hit; null without a line of sight", label="modifier to hit"),
    *shared("roll"),
    *shared("occluded", "error", "target_pixels", "occluded_pixels", "blockers", "other_readings", "marginal"),
    *shared("could_be", "renderer", "pixel", "warnings", "decided_by", "projection"),
)
"""The keys that a check of protection has."""

ANSWERS: Mapping[str, tuple[ResultField, ...]] = {
    "protection": PROTECTION,
    "close combat": (
        POSSIBLE,
        _answer("to_hit", int | None, "modifier to hit; null if it cannot be done", label="modifier to hit"),
        _answer("dodge_parry", int | None, "modifier; null if it cannot be done", label="dodge and parry"),
        *shared("other_readings"),
    ),
    "flanked": (
        _answer("flanked", bool, "whether it can dive nowhere out of sight"),
        _answer("dive_penalty", int, "to its dive"),
        _answer("landing", list[float] | None, "mm: where it would lie out of sight; null if nowhere"),
        *shared("marginal", "could_be"),
        *(replace(field, at=f"answers.{field.key}") for field in shared("renderer", "pixel")),
        *shared("other_readings", "warnings"),
    ),
    "classify": (COVER_CLASS,),
    "penalty": (PENALTY,),
    "from prone": (PENALTY,),
    "attack cover": (
        _answer("effective", bool, "whether damage exceeds the cover's defence"),
        _answer("passed_on", int, "damage to the unit behind"),
        _answer("unit_wounded", bool | None, "whether that unit is; null if its defence is not given"),
    ),
    "cover wounds": (_answer("wounds", int, "of the cover"), *shared("other_readings")),
    "destroyed": (
        _answer("destroyed", bool, "whether a 6 is among the dice"),
        _answer("dice", list[int], "one for each wound"),
    ),
    "vault": (POSSIBLE, _answer("cost", float | None, "inches of movement; null if it cannot be done")),
    "pile through": (
        _answer("through", bool, "whether it gets through"),
        _answer("cover_destroyed", bool, "whether the section is"),
        _answer("consequence", str | None, "what befalls the unit otherwise"),
        _answer("d6", int, "what was rolled", label="die"),
    ),
}
"""The keys of each ``ask``, without those that every result has."""

RESULTS: Mapping[str, tuple[ResultField, ...]] = {  # the keys of a result
    ask: (
        *(replace(field, type=str | None, value=lambda name: name or None) for field in shared("attacker", "target")),
        *(*shared("rules"), ASK, *shared("verdict"), *answers, *GROUNDS),
    )
    for ask, answers in ANSWERS.items()
}


Ruled = tuple[str, RuleReference, str, dict[str, Any]]  # the verdict, the rule, the reason and the answers of a check


def _fields_of_any() -> tuple[ResultField, ...]:
    """The keys that a result of any ``ask`` may have; those that not every one has are optional."""
    every = {field.key: field for fields in RESULTS.values() for field in fields}
    asks = [{field.key for field in fields} for fields in RESULTS.values()]
    return tuple(
        field if all(key in keys for keys in asks) else replace(field, optional=True) for key, field in every.items()
    )


@dataclass(frozen=True, repr=False)
class SkirmishCorpsVerdict(MeasuredVerdict):
    """A SkirmishCorps ruling: the question, a key of `ANSWERS`, and the values of its own keys."""

    ask: str
    answers: Mapping[str, Any]

    fields: ClassVar[tuple[ResultField, ...]] = _fields_of_any()
    order = tuple(LEVELS)

    @classmethod
    def of(cls, ask: str, ruled: Ruled, attacker: str = "", target: str = "", **more: Any) -> SkirmishCorpsVerdict:
        """The ruling on a question about two units, or none; ``more`` are further fields."""
        verdict, rule, reason, answers = ruled
        return cls(attacker, target, NAME, verdict, LEVELS.get(verdict), rule, reason, ask, answers, **more)

    @property
    def modifier(self) -> int | None:
        """What is added to the roll to hit, if that was asked and there is a line of sight."""
        return self.answers.get("modifier")

    @property
    def roll(self) -> str | None:
        """The modifier as a word; None where there is none, or it changes nothing."""
        return str(self.modifier) if self.modifier else None

    def row(self) -> dict[str, Any]:
        """The result under the keys of its ``ask``; attacker and target are null where there are none."""
        return row_of(self, RESULTS[self.ask])
