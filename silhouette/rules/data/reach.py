"""JUDGE, games by data: which conditions can be true at all, and which verdicts are ever reached.

What is measured can be anything: each primitive, key and reading is taken for independent of all others. Numbers are
compared with constants only at a few places, so that a few values of each stand for all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from silhouette.rules.data.kinds import PRIMITIVES, SIZES
from silhouette.rules.data.nodes import Attribute, Binary, Call, Literal, Name, Node, Quantified, Those, Unary

MOST_CASES = 1 << 18  # combinations of values that are looked at; of conditions that have more, nothing is said
ANY = (-np.inf, np.inf)  # the range of a number of which nothing is known
_COMPARE = {"<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal}
Truths = NDArray[np.bool_]


def key_of(node: Node) -> str:
    """The condition's text in one spelling, by which equal ones are found wherever they stand.

    >>> from silhouette.rules.data.parsing import parsed
    >>> key_of(parsed("distance(a,b)<=25.4 mm")) == key_of(parsed("distance( a, b ) <= 1 inch"))
    True
    """
    values = []
    for field in fields(node):
        if field.name in ("start", "end", "unit"):
            continue
        value = getattr(node, field.name)
        if isinstance(value, Node):
            values.append(key_of(value))
        elif isinstance(value, tuple):
            values.append(",".join(key_of(item) for item in value))
        elif isinstance(value, Mapping):
            values.append(",".join(f"{name}={key_of(item)}" for name, item in value.items()))
        else:
            values.append(repr(value))
    return f"{type(node).__name__}({';'.join(values)})"


def can_be_true(condition: Node, clauses: Mapping[str, Node]) -> bool:
    """Whether a condition can be true; yes as well where it is too long to tell.

    >>> from silhouette.rules.data.parsing import parsed
    >>> can_be_true(parsed("distance(a, b) < 1 inch and distance(a, b) > 30 mm"), {})
    False
    >>> can_be_true(parsed("near and not near"), {"near": parsed("distance(a, b) < 1 inch")})
    False
    """
    return reached([condition], clauses)[0]


def reached(conditions: Sequence[Node], clauses: Mapping[str, Node]) -> list[bool]:
    """For each condition, in the order in which they are asked, whether it can be the first of them that is true; all
    are where it is too long to tell. Clauses are without circles.
    """
    variables = _variables(conditions, clauses)
    sizes = [len(values) for values in variables.values()]
    if np.prod(sizes, dtype=np.float64) > MOST_CASES:
        return [True] * len(conditions)
    grids = np.meshgrid(*(np.arange(size) for size in sizes), indexing="ij") if sizes else [np.zeros(1, np.int64)]
    cases = _Cases(variables, dict(zip(variables, (grid.ravel() for grid in grids), strict=False)), clauses)
    left: Truths = np.ones(grids[0].size, np.bool_)
    reachable = []
    for condition in conditions:
        true = cases.truths(condition)
        reachable.append(bool((left & true).any()))
        left &= ~true
    return reachable


def _variables(conditions: Iterable[Node], clauses: Mapping[str, Node]) -> dict[str, list[Any]]:
    """Everything that is not known beforehand, by its key, with the values that stand for all it can have."""
    constants: dict[str, list[Any]] = {}
    ranges: dict[str, tuple[float, float]] = {}
    todo, seen = list(conditions), set[str]()
    while todo:
        node = todo.pop()
        match node:
            case Literal():
                pass
            case Name() if node.name in clauses:
                if node.name not in seen:
                    seen.add(node.name)
                    todo.append(clauses[node.name])
            case Unary(sign="not") | Binary(sign="and" | "or"):
                todo += node.parts()
            case Binary(sign="is" | "is not" | "<" | "<=" | ">" | ">=") if _compared(node) is not None:
                subject, constant, _ = _compared(node) or (node, 0, "")
                constants.setdefault(key_of(subject), []).append(constant)
                ranges[key_of(subject)] = _range_of(subject)
            case _:
                constants.setdefault(key_of(node), [])
    return {key: _standing_for_all(values, *ranges.get(key, ANY)) for key, values in constants.items()}


def _range_of(subject: Node) -> tuple[float, float]:
    if isinstance(subject, Call):
        return 0.0, PRIMITIVES[subject.name].most
    return (0.0, np.inf) if isinstance(subject, Attribute) and subject.name in SIZES else ANY


def _standing_for_all(constants: list[Any], least: float, most: float) -> list[Any]:
    """The values of something that is compared with these constants: they, one between each two, and one beyond."""
    if not constants or isinstance(constants[0], bool):
        return [False, True]
    if isinstance(constants[0], str):
        return [*dict.fromkeys(constants), None]
    numbers = sorted(set(constants))
    between = [(low + high) / 2 for low, high in pairwise(numbers)]
    ends = [numbers[0] - 1.0, numbers[0] / 2, numbers[-1] + 1.0]
    return sorted({value for value in (*numbers, *between, *ends, least, most) if least <= value <= most})


def _compared(node: Binary) -> tuple[Node, Any, str] | None:
    """What is compared with a constant, the constant, and how; None where neither side is one, or both are."""
    turned = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "is": "is", "is not": "is not"}
    if node.sign not in turned:
        return None
    if isinstance(node.right, Literal) and not isinstance(node.left, Literal):
        return node.left, node.right.value, node.sign
    if isinstance(node.left, Literal) and not isinstance(node.right, Literal):
        return node.right, node.left.value, turned[node.sign]
    return None


class _Cases:
    """All combinations of values: those of each variable, by its key, and (cases,) the position of the one chosen."""

    def __init__(
        self, variables: Mapping[str, list[Any]], chosen: Mapping[str, NDArray[np.int64]], clauses: Mapping[str, Node]
    ) -> None:
        self._variables, self._chosen, self._clauses = variables, chosen, clauses
        self._count = len(next(iter(chosen.values()), [0]))

    def truths(self, node: Node) -> Truths:
        """(cases,) where a condition is true."""
        match node:
            case Literal():
                return np.full(self._count, bool(node.value))
            case Name() if node.name in self._clauses:
                return self.truths(self._clauses[node.name])
            case Unary(sign="not"):
                return ~self.truths(node.of)
            case Binary(sign="and"):
                return self.truths(node.left) & self.truths(node.right)
            case Binary(sign="or"):
                return self.truths(node.left) | self.truths(node.right)
            case Binary() if (compared := _compared(node)) is not None and key_of(compared[0]) in self._variables:
                return self._comparison(*compared)
        return np.asarray(self._chosen[key_of(node)] == 1, np.bool_)

    def _comparison(self, subject: Node, constant: Any, sign: str) -> Truths:
        key = key_of(subject)
        values = self._variables[key]
        if sign in ("is", "is not"):
            equal = np.array([value == constant for value in values], np.bool_)
            return (equal if sign == "is" else ~equal)[self._chosen[key]]
        true = np.asarray(_COMPARE[sign](np.array(values, np.float64), float(constant)), np.bool_)
        return true[self._chosen[key]]


def inner_conditions(condition: Node) -> list[Node]:
    """The conditions inside quantifiers, which are looked at on their own."""
    conditions: list[Node] = []
    for node in condition.everything():
        if isinstance(node, Quantified):
            conditions += [] if node.where is None else [node.where]
            conditions += [] if node.how in ("least", "greatest", "each") else [node.body]
        elif isinstance(node, Those):
            conditions.append(node.where)
    return conditions
