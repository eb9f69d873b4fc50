"""Mutants of a source file: the small changes that cosmic-ray's operators make to it, one at a time.

Left out are changes inside annotations, which are never evaluated, the operators of `SKIPPED`, the keywords of `FLAGS`,
what sets the size of a batch, and the order of words.
"""

from __future__ import annotations

import ast
import difflib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cosmic_ray.plugins
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code

SKIPPED = (
    *("no_op", "variable_inserter", "variable_replacer", "RemoveDecorator", "ExceptionReplacer", "BitAnd_Mul"),
    *("Eq_Is", "Lt_Is", "LtE_Is", "Gt_Is", "GtE_Is"),
)
"""Parts of names of operators that are not used.

The first changes nothing. The two of variables need arguments. Removing a decorator breaks at import where it is a
dataclass or a property and changes only speed where it is a cache. An exception of another kind is caught by nobody.
Of flags the product is the conjunction. Whether two numbers or words are one object is nothing that rules ask.
"""

ORDERS = ("Eq_Lt", "Eq_LtE", "Eq_Gt", "Eq_GtE")
"""The ends of the names of operators that ask for an order in place of equality; of words there is none to ask for."""

FLAGS = ("strict", "frozen", "eq")
"""Keyword arguments whose values are left alone: of ``zip``, which only guards, and of ``dataclass``."""

BATCH_SIZES = "AT_ONCE"
"""The end of the names of constants that say how much is handled together: what they stand in bounds memory only."""

Position = tuple[int, int]
"""Line from 1, column from 0."""


@dataclass(frozen=True)
class Mutant:
    """One small change of one file.

    Attributes:
        path: of the file.
        operator: cosmic-ray's name of the change.
        occurrence: which of the places where the operator applies, from 0.
        line: where it is, from 1.
    """

    path: Path
    operator: str
    occurrence: int
    line: int

    def source(self) -> str:
        """The file's content with the change made."""
        operator = cosmic_ray.plugins.get_operator(self.operator)()
        mutated = mutate_code(self.path.read_text(encoding="utf-8"), operator, self.occurrence)
        assert mutated is not None, f"{self} does not apply"
        return str(mutated)

    def difference(self) -> list[str]:
        """The lines that change, with ``-`` and ``+`` before them."""
        before = self.path.read_text(encoding="utf-8").splitlines()
        lines = difflib.unified_diff(before, self.source().splitlines(), lineterm="", n=0)
        return [line for line in lines if line[:1] in "+-" and line[:3] not in ("+++", "---")]


def mutants_of(path: Path) -> list[Mutant]:
    """Every mutant of a file, in the order of its lines."""
    text = path.read_text(encoding="utf-8")
    nodes = list(ast_nodes(get_ast(text)))
    left_alone, words = _left_alone(text), _comparisons_with_words(text)
    found = []
    for name in cosmic_ray.plugins.operator_names():
        if any(skipped in name for skipped in SKIPPED):
            continue
        operator_class: Any = cosmic_ray.plugins.get_operator(name)
        if operator_class.arguments():
            continue
        operator = operator_class()
        places = [start for node in nodes for start, _ in operator.mutation_positions(node)]
        not_here = [*left_alone, *words] if name.endswith(ORDERS) else left_alone
        found += [
            Mutant(path, name, occurrence, start[0])
            for occurrence, start in enumerate(places)
            if not any(first <= start < last for first, last in not_here)
        ]
    return sorted(found, key=lambda mutant: (mutant.line, mutant.operator, mutant.occurrence))


def _left_alone(text: str) -> list[tuple[Position, Position]]:
    """From where to where annotations reach, which are not evaluated, flags, and what sets the size of a batch."""
    expressions: list[ast.expr | None] = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.arg | ast.AnnAssign):
            expressions.append(node.annotation)
        elif isinstance(node, ast.FunctionDef):
            expressions.append(node.returns)
        elif isinstance(node, ast.keyword) and node.arg in FLAGS:
            expressions.append(node.value)
        elif isinstance(node, ast.Assign | ast.BinOp) and _sets_a_batch(node):
            expressions.append(node.value if isinstance(node, ast.Assign) else node)
    return [_reach(each) for each in expressions if each is not None]


def _comparisons_with_words(text: str) -> list[tuple[Position, Position]]:
    """From where to where comparisons with a text reach."""
    compared = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Compare)]
    return [
        _reach(node)
        for node in compared
        if any(isinstance(other, ast.Constant) and isinstance(other.value, str) for other in node.comparators)
    ]


def _reach(node: ast.expr) -> tuple[Position, Position]:
    return (node.lineno, node.col_offset), (node.end_lineno or 0, node.end_col_offset or 0)


def _sets_a_batch(node: ast.AST) -> bool:
    return any(isinstance(name, ast.Name) and name.id.endswith(BATCH_SIZES) for name in ast.walk(node))
