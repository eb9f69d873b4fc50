"""JUDGE, games by data: the kinds of values in conditions, and the table of everything that a condition can ask."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """The kind of a value, in words for messages."""

    TRUTH = "yes or no"
    NUMBER = "a number"
    LENGTH = "a length"
    TEXT = "a text"
    WORDS = "a list of words"
    TERRAIN = "a piece of terrain"
    MODEL = "a model"
    PIECE = "a piece"
    ALL_TERRAIN = "pieces of terrain"
    MODELS = "models"
    PIECES = "pieces"
    POINTS = "points of a piece"
    PARTS = "parts of pieces"
    STRAIGHT = "a straight line"
    CORNERS = "corner points"

    @property
    def single(self) -> Kind:
        """The kind of one of several pieces; of anything else its own.

        >>> Kind.MODELS.single, Kind.LENGTH.single
        (<Kind.MODEL: 'a model'>, <Kind.LENGTH: 'a length'>)
        """
        return {Kind.ALL_TERRAIN: Kind.TERRAIN, Kind.MODELS: Kind.MODEL, Kind.PIECES: Kind.PIECE}.get(self, self)


SINGLE_KINDS = (Kind.MODEL, Kind.TERRAIN, Kind.PIECE)  # the kinds of one piece
GROUP_KINDS = (Kind.MODELS, Kind.ALL_TERRAIN, Kind.PIECES)  # the kinds of several pieces
QUANTITIES = (Kind.NUMBER, Kind.LENGTH)  # the kinds that are compared by size

BUILTIN_NAMES: Mapping[str, tuple[Kind, str]] = {  # what every game knows, and what it means
    "attacker": (Kind.MODEL, "the model that looks"),
    "target": (Kind.MODEL, "the model that is looked at"),
    "terrain": (Kind.ALL_TERRAIN, "all terrain"),
    "models": (Kind.MODELS, "all models"),
    "others": (Kind.PIECES, "all pieces but the attacker and the target"),
    "square": (Kind.LENGTH, "the side of a square, as the scene says: `square`"),
}

ATTRIBUTES: Mapping[str, tuple[Kind, tuple[Kind, ...], str]] = {
    "name": (Kind.TEXT, SINGLE_KINDS, "its name"),
    "kind": (Kind.TEXT, SINGLE_KINDS, 'what it is: "fighter", "vehicle" or "terrain"'),
    "height": (Kind.LENGTH, SINGLE_KINDS, "how far it rises above what it stands on, base and all"),
    "top": (Kind.LENGTH, SINGLE_KINDS, "the height of its highest point above the table"),
    "ground": (Kind.LENGTH, SINGLE_KINDS, "the height of its lowest point above the table"),
    "width": (Kind.LENGTH, SINGLE_KINDS, "the shorter side of the smallest rectangle round its footprint"),
    "length": (Kind.LENGTH, SINGLE_KINDS, "the longer side of that rectangle"),
    "base_height": (Kind.LENGTH, (Kind.MODEL,), "how far its base rises above its underside; 0 without a base"),
    "base_width": (Kind.LENGTH, (Kind.MODEL,), "the greatest width of its base, or of its footprint without a base"),
    "gang": (Kind.TEXT, (Kind.MODEL,), "the gang that it belongs to; empty where it has none"),
    "eye": (Kind.POINTS, (Kind.MODEL,), "the point that it looks from"),
    "head": (Kind.POINTS, (Kind.MODEL,), "its head"),
    "body": (Kind.POINTS, SINGLE_KINDS, "its surface without base and insignificant parts"),
    "whole": (Kind.POINTS, SINGLE_KINDS, "its surface, base and all"),
    "base": (Kind.POINTS, (Kind.MODEL,), "the surface of its base"),
}
"""What every piece has: the kind of the value, the kinds of pieces that have it, and what it means."""

SIZES = ("height", "width", "length", "base_height", "base_width")  # the lengths among them that are never less than 0
POINT_SETS = tuple(name for name, (kind, _, _) in ATTRIBUTES.items() if kind is Kind.POINTS)  # of a piece


@dataclass(frozen=True)
class Parameter:
    """An argument that a primitive takes."""

    name: str  # by which it may be given
    kinds: tuple[Kind, ...]  # that it may have
    default: str | None = None  # the text of a condition that stands for it; None where it must be given
    words: tuple[str, ...] = ()  # that a text may be, where only some are known
    parts: tuple[str, ...] = ()  # the sets of points that it may be, where only some are; "cylinder" is one


@dataclass(frozen=True)
class Primitive:
    """What a condition can ask of the table: its arguments, the kind of the answer, what that means in words, and the
    greatest answer; none is less than 0.
    """

    takes: tuple[Parameter, ...]
    gives: Kind
    means: str
    most: float = float("inf")


def _length(name: str, default: str = "0 mm") -> Parameter:
    return Parameter(name, (Kind.LENGTH,), default)


def _words(name: str, *words: str) -> Parameter:
    """A text that may be one of some, the first where nothing is given."""
    return Parameter(name, (Kind.TEXT,), f'"{words[0]}"', words)


_POINTS = (Kind.POINTS,)
_EYE = Parameter("a", _POINTS, parts=("eye", "head"))
_SURFACE = Parameter("b", _POINTS, parts=("body", "whole", "cylinder"))
_PAST = Parameter("past", (*GROUP_KINDS, *SINGLE_KINDS), "others")
_OF = _words("of", "base", "hull")
_PAIR = (Parameter("a", SINGLE_KINDS), Parameter("b", (*SINGLE_KINDS, *GROUP_KINDS)))
_MODEL_PAIR = (Parameter("a", (Kind.MODEL,)), Parameter("b", (Kind.MODEL,)))
_CORNERS = (Parameter("a", (Kind.CORNERS,)), Parameter("b", (Kind.CORNERS,)))
_PART_KINDS = (*SINGLE_KINDS, *GROUP_KINDS, Kind.PARTS)
_PLAN_OR_SPACE, _TOUCHING = _words("measured", "in plan", "in space"), _words("touching", "clear", "blocked")

PRIMITIVES: Mapping[str, Primitive] = {
    "line": Primitive(
        (Parameter("a", _POINTS), Parameter("b", _POINTS), _length("thick"), _PAST),
        Kind.TRUTH,
        "whether a straight line of that thickness leads from a point of a to a point of b and meets nothing of past",
    ),
    "patch": Primitive(
        (Parameter("a", _POINTS), _SURFACE, _PAST),
        Kind.LENGTH,
        "the side of the largest square of b that is seen from a point of a, past what is in the way",
    ),
    "obscured": Primitive(
        (_EYE, _SURFACE, _PAST, Parameter("arc", (Kind.NUMBER,), "360 degrees")),
        Kind.NUMBER,
        "the share of b, as seen from the point a, that is behind something of past",
        most=1.0,
    ),
    "seen": Primitive(
        (_EYE, _SURFACE, _PAST, Parameter("arc", (Kind.NUMBER,), "360 degrees")),
        Kind.NUMBER,
        "the share of b, as seen from the point a, that is in the front arc of these degrees and behind nothing",
        most=1.0,
    ),
    "visible": Primitive(
        (Parameter("a", _POINTS), _SURFACE, _PAST),
        Kind.NUMBER,
        "the share of the side of b which faces a that is seen from some point of a",
        most=1.0,
    ),
    "cylinder": Primitive(
        (_MODEL_PAIR[0], Parameter("height", (Kind.LENGTH,)), _length("width")),
        Kind.POINTS,
        "an upright cylinder of that height and width, where the base of a stands; without a width, the width of that",
    ),
    "crossed": Primitive(
        (
            Parameter("a", (Kind.MODEL, Kind.POINTS)),
            Parameter("b", (Kind.MODEL, Kind.POINTS)),
            Parameter("what", _PART_KINDS),
            _words("by", "any", "all", "centre", "facing"),
            _PLAN_OR_SPACE,
            _TOUCHING,
            _OF,
        ),
        Kind.TRUTH,
        "whether straight lines from base to base cross what: any of them, all of them, the one between the centres, "
        "or from every point of the base of a, one of those to all of the side of b that faces it. Seen from above; or "
        "in space, with their heights, from upper side to upper side (to a facing side level, as the lower, where both "
        "stand level), or from points to points, and then not all. Seen from above, what a line only touches leaves it "
        "clear, or blocks it; of a hull, lines begin and end anywhere in its convex outline",
    ),
    "parts": Primitive(
        (
            Parameter("what", _PART_KINDS[:-1]),
            _length("above"),
            _length("within", "1000000 mm"),
            _length("beyond"),
            _length("square"),
        ),
        Kind.PARTS,
        "for crossed and clear_lines: what of some pieces rises higher than above their lowest point, lies within that "
        "distance of the base where lines end, and beyond that of both bases; as if each filled a square of that side, "
        "if one is given, along the table's axes round the middle of its base; parts + parts are both together",
    ),
    "corners": Primitive(
        (_PAIR[0], _length("square"), _length("cell")),
        Kind.CORNERS,
        "for clear_lines: the corners of a square of that side along the table's axes round the middle of the base of "
        "a; without one, of the smallest rectangle round its base, or its footprint; of all cells of that side in it, "
        "if given",
    ),
    "clear_lines": Primitive(
        (
            *_CORNERS,
            Parameter("past", _PART_KINDS, "others"),
            _words("by", "best", "all"),
            _TOUCHING,
        ),
        Kind.NUMBER,
        "how many straight lines, seen from above, pass through nothing of past: of those from one corner of a to all "
        "corners of one cell of b, from the corner and to the cell where most do, or of all lines; what one only "
        "touches leaves it clear, or blocks it",
    ),
    "distance": Primitive(
        (
            Parameter("a", (*SINGLE_KINDS, Kind.STRAIGHT)),
            _PAIR[1],
            _words("of", "base", "body", "whole", "hull"),
            _PLAN_OR_SPACE,
        ),
        Kind.LENGTH,
        "the distance between the nearest points of a and b: of the bases of models and the footprints of terrain "
        "seen from above, or of their surfaces in space; of a straight line, what lies on it is 0 from it. Of 'hull', "
        "all of vehicles counts, hull and base, and of other models the base",
    ),
    "straight": Primitive(
        _MODEL_PAIR,
        Kind.STRAIGHT,
        "for distance: the straight line from the middle of the base of a to that of b, in space from upper side to "
        "upper side; neither of the two lies near it",
    ),
    "contact": Primitive(
        (*_PAIR, _length("gap", "1 mm")),
        Kind.TRUTH,
        "whether a and b touch: at most that far apart seen from above, and overlapping in height",
    ),
    "wholly_within": Primitive(
        (*_PAIR, _length("by"), _OF),
        Kind.TRUTH,
        "whether all of the base of a, or its hull, lies within that distance of b, seen from above; without one, on b",
    ),
    "over": Primitive(
        (*_PAIR, _OF),
        Kind.NUMBER,
        "the share of the base of a, or its hull, that lies over b, seen from above; 0 of one that only touches it",
        most=1.0,
    ),
    "in_arc": Primitive(
        (*_MODEL_PAIR, Parameter("degrees", (Kind.NUMBER,), "90 degrees"), _OF),
        Kind.TRUTH,
        "whether some of the base of b, or its hull, lies in the front arc of a",
    ),
    "unit": Primitive((Parameter("a", (Kind.MODEL,)),), Kind.MODELS, "all models of the unit of a, a among them"),
    "friends": Primitive((Parameter("a", (Kind.MODEL,)),), Kind.MODELS, "all other models of the gang of a"),
    "enemies": Primitive((Parameter("a", (Kind.MODEL,)),), Kind.MODELS, "all models of other gangs than that of a"),
    "number": Primitive((Parameter("a", GROUP_KINDS),), Kind.NUMBER, "how many there are"),
}

# Answers that are due to what is in the way
HIDING = frozenset({"line", "patch", "obscured", "seen", "visible", "crossed", "clear_lines"})
HIDDEN_BY = "hidden_by"  # what stands in a clause's texts for the pieces to which the answers of these are due
