"""PLACE: the keys of a table scene: its pieces, their places and how far from the truth these may lie; its checks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field, PlainValidator, WithJsonSchema, model_validator

from silhouette.common.geometry import INCH
from silhouette.files.schema import (
    MAX_ERROR_SHARE,
    MAX_LENGTH_MM,
    MAX_PIXEL_MM,
    Entry,
    Error,
    Name,
    Number,
    Pixel,
    Size,
    exactly_one,
    need_one,
    plain,
)
from silhouette.models.entries import ArcName, FigureEntry, ModelOptions, SolidEntry

Deviation = Annotated[float, Field(strict=True, allow_inf_nan=False, ge=0, le=MAX_LENGTH_MM)]  # a standard deviation

BenefitOfDoubt = Literal["roll off", "attacker", "target", "as measured"]  # the player who has the benefit of doubt


class PieceDoubtEntry(Entry):
    """``doubt = { place = 0.3, facing = 1 }``: a piece's own, in place of the scene's, key by key."""

    place: Deviation | None = Field(None, description="a number of mm, 0 or more")
    """The standard deviation, along x and along y, of where a model stands, in mm."""
    facing: Deviation | None = Field(None, description="a number of degrees, 0 or more")
    """The standard deviation of where a model faces, in degrees."""
    eye: Deviation | None = Field(None, description="a number of mm, 0 or more")
    """The standard deviation of an eye along each axis of the model, in mm."""
    surface: Deviation | None = Field(None, description="a number of mm, 0 or more")
    """The standard deviation of how far the outline of a scan may lie from the truth, all along it, in mm."""


class DoubtEntry(PieceDoubtEntry):
    """``[doubt]``: standard deviations for all pieces, and how a verdict in doubt is decided."""

    rule: BenefitOfDoubt = Field("roll off", description='"roll off", "attacker", "target" or "as measured"')
    """The player who has the benefit of doubt where no verdict is sure enough."""
    guard: Annotated[float, Field(strict=True, gt=0, le=1)] = Field(0.95, description="a share above 0, at most 1")
    """A verdict stands by itself where its odds are at least this."""


class QuestionEntry(Entry):
    """A ``[[question]]`` that a scan could not settle; it is read when the scan is made into a scene again."""

    key: Name = Field(description="a name in quotes")
    """The key by which the answer is found again."""
    text: Name = Field(description="a text in quotes")
    """The question."""
    answers: tuple[Name, ...] = Field((), description="a list of texts in quotes")
    """The answers that there are, the likeliest first."""
    answer: Name | None = Field(None, description="one of the answers, in quotes")
    """The answer of a player. Without it the likeliest is taken."""
    about: tuple[Name, ...] = Field((), description="a list of names of pieces")
    """The pieces that it is about."""
    at: tuple[Number, Number] | None = Field(None, description="two numbers of mm")
    """The place on the table where there is something to look at, in mm."""


LengthUnits = Literal["mm", "inch", "square"]  # the units of a scene's places

MODEL_KEYS = ("model", "mesh", "parts")  # the keys of which any piece has exactly one
# The keys that say how a mesh is read.
MESH_READING_KEYS = ("units", "up", "scale", "base", "origin", "scan", "insignificant")


def check_place(at: Sequence[float], on: str | None, under: float | None) -> None:
    """Refuses an ``at``, an ``on`` and an ``under`` that do not go together."""
    if on is None and under is not None:
        raise plain('under goes with on; write on = "surface" as well, or the height as a third number of at')
    if on is not None and len(at) > 2:
        raise plain(f'on = "{on}" gives the height, and at has three numbers; write at = [x, y]')


UNKNOWN_FACING: Literal["unknown"] = "unknown"  # what ``facing`` says where nobody knows which way a piece faces


def _facing(value: object) -> object:
    """A number of degrees or "unknown"; ValueError for anything else."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if value == UNKNOWN_FACING or (is_number and abs(value) <= MAX_LENGTH_MM):  # type: ignore[arg-type]
        return float(value) if is_number else value  # type: ignore[arg-type]
    raise ValueError


class HeadAndWeapon(NamedTuple):
    """``facing = { head = 90, weapon = 60 }``: where the head looks and where the weapon points, degrees."""

    head: float
    weapon: float


AnyFacing = float | Literal["unknown"] | HeadAndWeapon | None

_DIRECTION: dict[str, Any] = {"type": "number", "minimum": -MAX_LENGTH_MM, "maximum": MAX_LENGTH_MM}
_FACINGS: list[dict[str, Any]] = [_DIRECTION, {"const": UNKNOWN_FACING}]

Facing = Annotated[
    AnyFacing,
    PlainValidator(_facing),
    WithJsonSchema({"anyOf": _FACINGS}),
    Field(description='a number of degrees anticlockwise from +x, or "unknown"'),
]
"""The direction in which a piece faces; None where its table leaves it out. Only a fighter gives two."""


def _fighter_facing(value: object) -> object:
    """As `_facing`, or both directions."""
    if not isinstance(value, Mapping):
        return _facing(value)
    if value.keys() != set(HeadAndWeapon._fields) or UNKNOWN_FACING in value.values():
        raise ValueError
    return HeadAndWeapon(*(float(_facing(value[key])) for key in HeadAndWeapon._fields))  # type: ignore[arg-type]


_BOTH = {
    "type": "object",
    "properties": dict.fromkeys(HeadAndWeapon._fields, _DIRECTION),
    "required": list(HeadAndWeapon._fields),
    "additionalProperties": False,
}

FighterFacing = Annotated[
    AnyFacing,
    PlainValidator(_fighter_facing),
    WithJsonSchema({"anyOf": [*_FACINGS, _BOTH]}),
    Field(
        description='a number of degrees anticlockwise from +x, "unknown", or both such as { head = 90, weapon = 60 }'
    ),
]
"""The direction in which a fighter faces: with its head, and with its weapon if that points elsewhere."""


def facing_towards(before: Any, towards: float) -> Any:
    """The ``facing`` of a document after one that faces elsewhere with its head; a weapon turns with it.

    >>> facing_towards(90, 45.0), facing_towards({"head": 90, "weapon": 60}, 45.0)
    (45.0, {'head': 45.0, 'weapon': 15.0})
    """
    if not isinstance(before, Mapping):
        return towards
    return {**before, "head": towards, "weapon": before["weapon"] + (towards - before["head"])}


def direction_of(facing: Any) -> float | None:
    """The direction in degrees that a ``facing`` of a document gives, of both the head's; None where it gives none.

    >>> direction_of(90), direction_of({"head": 45, "weapon": 60}), direction_of("unknown"), direction_of(None)
    (90, 45, None, None)
    """
    facing = facing["head"] if isinstance(facing, Mapping) else facing
    return facing if isinstance(facing, int | float) else None


class PieceEntry(ModelOptions):
    """What a piece of any table may say: which model it is, and where it stands."""

    model_config = exactly_one(*MODEL_KEYS)

    name: Name = Field(description="a unique name, in quotes")
    """The name of the piece, unique in the scene."""
    model: Name | None = Field(None, description="the path of a model file, seen from the scene's own folder")
    """A model file, which gives the mesh and all that belongs to it. A piece has exactly one of `model`, `mesh`
    and `parts`.
    """
    parts: tuple[SolidEntry, ...] | None = Field(
        None, min_length=1, description="a list of one or more solids, such as { box = [60, 5, 30] }"
    )
    """Plain solids that stand in for a mesh, in the piece's own frame."""
    at: Annotated[tuple[Number, ...], Field(min_length=2, max_length=3)] = Field(
        description="two or three finite numbers of mm, or of the scene's units: [x, y] or [x, y, z], up to a million"
    )
    """The place of the model's origin, the middle of its base, in the scene's `units`. Without z it stands on the
    table, z = 0, or where `on` says.
    """
    on: Name | None = Field(None, description='the name of a piece of terrain, or "surface"')
    """What it is lowered onto from above, upright, until its base touches; "surface" is whatever is there. `at` then
    has two numbers.
    """
    under: Number | None = Field(None, description="a number")
    """With `on`: nothing higher than this counts, so that it stands on a lower floor. In the scene's `units`."""
    facing: Facing = None
    """Where it faces, for a fighter where the head or the weapon points: it is turned so that its front points there.
    Left out, it stands as it lies in its file. "unknown" turns nothing: the verdict is that of a target in the vision
    arc, too close to call between that and hidden. Terrain takes only a number.
    """
    turn: Number | None = Field(None, description="a number of degrees anticlockwise")
    """How far the piece is turned from how it lies in its file. `facing` then says only where it looks, and turns
    nothing; terrain has one of the two.
    """
    doubt: PieceDoubtEntry | None = Field(None, description="a table such as { place = 0.3, facing = 1 }")
    """How far this piece may lie from the truth, in place of the scene's `[doubt]`, key by key. A verdict that it
    would change within two deviations is marginal. Terrain has doubt about its place only where it says so itself.
    """

    @model_validator(mode="after")
    def _one_model(self) -> PieceEntry:
        need_one(self, *MODEL_KEYS, *(("figure",) if "figure" in type(self).model_fields else ()))
        check_place(self.at, self.on, self.under)
        given = [key for key in MESH_READING_KEYS if key in self.model_fields_set]
        if given and self.parts is not None:
            raise plain(f"{given[0]} goes with a mesh, not with parts; say base or insignificant in the solid itself")
        if given and dict(self).get("figure") is not None:
            raise plain(f"{given[0]} goes with a mesh, not with figure, which has only a base and a height")
        return self


class TerrainEntry(PieceEntry):
    """A ``[[terrain]]``."""

    @model_validator(mode="after")
    def _turned_once(self) -> TerrainEntry:
        if self.facing == UNKNOWN_FACING:
            raise plain('facing is "unknown", but terrain looks nowhere; leave facing out, or say turn')
        if self.turn is not None and self.facing is not None:
            raise plain("it has turn and facing; terrain must have one of them, or none to stand as it lies")
        return self


class GangerEntry(PieceEntry):
    """What fighters and vehicles both say."""

    gang: Name | None = Field(None, description="a name in quotes")
    """Fighters of one gang are friends."""


class FighterEntry(GangerEntry):
    """A ``[[fighter]]``."""

    model_config = exactly_one(*MODEL_KEYS, "figure")

    facing: FighterFacing = None
    """Where the head or the weapon points, as the player who controls it prefers: it is turned so that its front points
    there. Left out, it stands as it lies in its file. "unknown" turns nothing: the verdict is that of a target in the
    vision arc, too close to call between that and hidden. In a game that tells the two apart also both, such as
    { head = 90, weapon = 60 }: the head turns it, and of the two vision arcs the better one counts.
    """
    figure: FigureEntry | None = Field(None, description="{ base = 32, height = 38 } in mm")
    """A stand-in where no mesh is at hand, in place of `model`, `mesh` or `parts`: a round base of that diameter and on
    it a rounded body, the whole of that height. The answer says that it is a stand-in.
    """


class VehicleEntry(GangerEntry):
    """A ``[[vehicle]]``."""

    arcs: tuple[ArcName, ...] = Field(
        ("front",), min_length=1, description='a list of one or more of "front", "left", "right", "rear"'
    )
    """The vision arcs that it has crew for."""


class CheckEntry(Entry):
    """A ``[[check]]``."""

    attacker: Name = Field(description="the name of a fighter or vehicle")
    """Who looks."""
    target: Name = Field(description="the name of a fighter or vehicle")
    """Who is looked at."""
    arc: ArcName | None = Field(None, description='"front", "left", "right" or "rear"')
    """The vision arc that the attacker looks from. Without it, any that it has."""
    expect: dict[str, Any] | None = Field(None, description="a table of result keys, each a value or [least, most]")
    """What the result must be; `silhouette check` exits with status 1 where it is not. `call`, `doubt_from`,
    `odds_error` and `trials` count where odds are asked for."""


class AgreedEntry(Entry):
    """An ``[[agreed]]``: what the players agreed on, whatever the rules say."""

    attacker: Name = Field(description="the name of who looks")
    """Who looks."""
    target: Name = Field(description="the name of who is looked at")
    """Who is looked at."""
    arc: ArcName | None = Field(None, description='"front", "left", "right" or "rear"')
    """The vision arc that it is about. Without it, any."""
    verdict: Name = Field(description="a verdict of the game")
    """The verdict that they play by. It stands beside the one that is judged, and changes nothing of it."""
    why: str = Field("", description="a text in quotes")
    """Why, in their words."""


class SceneEntry(Entry):
    """What every scene has, whatever its rule system."""

    title: str = Field("", description="a text in quotes")
    """A title for people."""
    rules: Name = Field(description="the name of a rule system")
    """The game whose rules judge the scene."""
    source: dict[str, Any] = Field({}, description="a table")
    """Where the scene and what it expects come from; free keys that only people read."""
    readings: dict[str, Any] = Field({}, description="a table [readings]")
    """Which reading is taken where the rules can be read in more than one way; its keys are listed below."""
    agreed: tuple[AgreedEntry, ...] = Field((), description="tables [[agreed]]")
    """What the players agreed on for pairs; `silhouette agree` writes it."""


class TableEntry(SceneEntry):
    """A table scene, whole."""

    units: LengthUnits = Field("mm", description='"mm", "inch" or "square"')
    """The unit of `at`, `under` and `table`, and of places on the command line (`--at`, `--walk`). All other lengths
    are mm, whatever this says.
    """
    square: Size = Field(INCH, description="a number of mm above zero")
    """The side of a square, in mm: of places in squares, and of the spaces of games that are played on squares."""
    table: tuple[Size, Size] | None = Field(None, description="two sizes above zero, along x and y")
    """The size of the table's top, whose middle is the origin, in the scene's `units`. The default is the box round
    all pieces.
    """
    terrain: tuple[TerrainEntry, ...] = Field((), description="tables [[terrain]]")
    """The terrain."""
    fighter: tuple[FighterEntry, ...] = Field((), description="tables [[fighter]]")
    """The fighters."""
    vehicle: tuple[VehicleEntry, ...] = Field((), description="tables [[vehicle]]")
    """The vehicles."""
    check: tuple[CheckEntry, ...] = Field((), description="tables [[check]]")
    """Who looks at whom."""
    doubt: DoubtEntry | None = Field(None, description="a table [doubt]")
    """How far the pieces may lie from the truth, which the odds of verdicts say; verdicts themselves do not read it."""
    question: tuple[QuestionEntry, ...] = Field((), description="tables [[question]]")
    """What a scan of the table could not settle."""
    base_contact: tuple[tuple[Name, Name], ...] | None = Field(
        None, description='a list of pairs of names, [["Kal", "Vex"]]'
    )
    """The pairs in base contact, all of them. Without this key, models are in contact where their bases
    (footprints, where there is none) are at most 1 mm apart in plan and overlap in height.
    """
    tolerance: Annotated[float, Field(strict=True, ge=0, le=0.5)] = Field(0.01, description="a share from 0 to 0.5")
    """A verdict is too close to call where the share lies within this of a threshold."""
    pixel: Pixel | None = Field(None, description=f"a number of mm above zero, at most {MAX_PIXEL_MM:g}")
    """Millimetres per pixel at the target. The default is 0.1; the option `--pixel` overrides it."""
    error: Error | None = Field(None, description=f"a share above zero, at most {MAX_ERROR_SHARE:g}")
    """The largest error that may be left where no other verdict is near. The default is 0.002; the option
    `--error` overrides it.
    """
