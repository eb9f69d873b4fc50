"""JUDGE, games by data: the parts of a condition, as a tree; each knows where it stands in its text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields


@dataclass(frozen=True, eq=False)
class Node:
    """A part of a condition, and where it stands in its text."""

    start: int
    end: int

    def parts(self) -> Iterator[Node]:
        """The nodes directly inside, in the order of the text."""
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, Node):
                yield value
            elif isinstance(value, tuple):
                yield from (item for item in value if isinstance(item, Node))
            elif isinstance(value, Mapping):
                yield from value.values()

    def everything(self) -> Iterator[Node]:
        """The node and all nodes inside, the outer ones first."""
        yield self
        for part in self.parts():
            yield from part.everything()


@dataclass(frozen=True, eq=False)
class Literal(Node):
    """A number in mm, degrees or ones, with its unit as written, if any; a text; or a truth."""

    value: float | str | bool
    unit: str = ""


@dataclass(frozen=True, eq=False)
class Name(Node):
    """A name: who looks, a reading, a clause, or what a quantifier calls its pieces."""

    name: str


@dataclass(frozen=True, eq=False)
class Attribute(Node):
    """What a piece is or has: ``target.height``."""

    of: Node
    name: str


@dataclass(frozen=True, eq=False)
class Call(Node):
    """A primitive: ``distance(attacker, target)``, with arguments in their order, and settings by name."""

    name: str
    given: tuple[Node, ...]
    settings: Mapping[str, Node]


@dataclass(frozen=True, eq=False)
class Lookup(Node):
    """A row of a table of the game: ``height_of[target.size]``."""

    table: str
    key: Node


@dataclass(frozen=True, eq=False)
class Quantified(Node):
    """A quantifier over pieces: ``any(wall in terrain where wall.light: contact(target, wall))``."""

    how: str  # any, all, none, half (at least half), most (more than half), least, greatest or each
    variable: str  # what a piece is called in the body
    members: Node
    where: Node | None  # which of the members count; None where all do
    body: Node


@dataclass(frozen=True, eq=False)
class Those(Node):
    """Pieces of which something holds: ``those(wall in terrain where wall.light)``."""

    variable: str
    members: Node
    where: Node


@dataclass(frozen=True, eq=False)
class Unary(Node):
    """``not a`` or ``-a``; ``sign`` is "not" or "-"."""

    sign: str
    of: Node


@dataclass(frozen=True, eq=False)
class Binary(Node):
    """Two nodes with a sign between: and, or, is, is not, in, <, <=, >, >=, +, -, * or /."""

    sign: str
    left: Node
    right: Node
