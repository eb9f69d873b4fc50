"""JUDGE, games by data: the text of a condition becomes a tree, by the grammar in ``grammar.lark``."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from silhouette.common.geometry import INCH
from silhouette.rules.data.nodes import Attribute, Binary, Call, Literal, Lookup, Name, Node, Quantified, Those, Unary

if TYPE_CHECKING:
    from lark import Lark

MAX_LETTERS = 4000  # letters of a condition
DEEPEST = 60  # levels of a condition
# To mm, degrees or ones
UNIT_FACTORS = {"mm": 1.0, "cm": 10.0, "inch": INCH, "inches": INCH, "degrees": 1.0, "%": 0.01, "": 1.0}

_SIGNS = {"either": "or", "both": "and", "equal": "is", "unequal": "is not", "contained": "in", "plus": "+",
          "minus": "-", "times": "*", "over": "/"}  # fmt: skip

_TERMINALS = {  # terminals of the grammar in words; others are named only where none of these may come next
    "NAME": "a name", "NUMBER": "a number", "STRING": "a text in quotes", "LPAR": "(", "RPAR": ")", "COLON": ":",
    "COMMA": ",", "RSQB": "]", "_IN": "in", "_WHERE": "where", "$END": "the end",
}  # fmt: skip


_ELSEWHERE = {  # what is written here for signs of other languages
    "&": "write 'and'", "|": "write 'or'", "!": "write 'not', or 'is not'", "=": "to compare, write 'is'",
    ";": "one condition ends where its text ends", "{": "use ( )", "}": "use ( )",
}  # fmt: skip


class ConditionError(Exception):
    """What is wrong with a condition, what would be right, and the place of the first letter that is wrong."""

    def __init__(self, at: int, problem: str) -> None:
        super().__init__(problem)
        self.at = at
        self.problem = problem


def parsed(text: str) -> Node:
    """The tree of a condition. ConditionError where it is none.

    >>> node = parsed("distance(attacker, target) <= 2 inch")
    >>> node.sign, node.left.name, node.right.value
    ('<=', 'distance', 50.8)
    >>> parsed("distance(attacker, ")
    Traceback (most recent call last):
    ...
    silhouette.rules.data.parsing.ConditionError: the condition ends too early; a name, a number, ...
    """
    from lark.exceptions import UnexpectedCharacters, UnexpectedToken

    if len(text) > MAX_LETTERS:
        raise ConditionError(0, f"has over {MAX_LETTERS} letters; give parts of it clauses of their own")
    try:
        tree = _grammar().parse(text)
    except UnexpectedToken as wrong:
        if wrong.token.type == "$END":
            advice = _terminals_in_words(wrong.accepts or wrong.expected)
            raise ConditionError(len(text), f"the condition ends too early; {advice}") from None
        at = wrong.token.start_pos or 0
        raise ConditionError(at, _out_of_place(text, at, str(wrong.token), wrong.accepts or wrong.expected)) from None
    except UnexpectedCharacters as wrong:
        at = wrong.pos_in_stream or 0
        advice = _ELSEWHERE.get(text[at]) or _terminals_in_words(wrong.allowed or set())
        raise ConditionError(at, f"{text[at]!r} stands in no condition; {advice}") from None
    return _node(tree, 0)


@cache
def _grammar() -> Lark:
    from lark import Lark

    grammar = resources.files(__package__).joinpath("grammar.lark").read_text(encoding="utf-8")
    return Lark(grammar, parser="lalr", start="condition", propagate_positions=True, maybe_placeholders=True)


def _out_of_place(text: str, at: int, token: str, accepted: set[str]) -> str:
    """What is wrong with a word or a sign that cannot stand where it does."""
    if token[:1].isalpha() and re.search(r"(?<![\w.])[\d.]+\s*$", text[:at]):
        return f"{token!r} is no unit; lengths are in mm, cm or inch, and a share may be in %"
    return f"{token!r} is out of place; {_ELSEWHERE.get(token[:1]) or _terminals_in_words(accepted)}"


def _terminals_in_words(kinds: set[str]) -> str:
    words = [words for kind, words in _TERMINALS.items() if kind in kinds] or sorted(kind.lower() for kind in kinds)
    listed = f"{', '.join(words[:-1])} or {words[-1]}" if len(words) > 1 else "".join(words)
    return f"{listed} can stand there"


def _node(tree: Any, depth: int) -> Node:  # noqa: C901  # a case for each kind of node
    start, end = tree.meta.start_pos, tree.meta.end_pos
    if depth > DEEPEST:
        raise ConditionError(start, f"is over {DEEPEST} levels deep; give parts of it clauses of their own")
    inner: list[Any] = [
        _node(child, depth + 1) if hasattr(child, "children") and child.data != "arguments" else child
        for child in tree.children
    ]
    match tree.data:
        case "either" | "both" | "equal" | "unequal" | "contained" | "plus" | "minus" | "times" | "over":
            return Binary(start, end, _SIGNS[tree.data], inner[0], inner[1])
        case "comparison":
            return Binary(start, end, str(inner[1]), inner[0], inner[2])
        case "negation" | "negative":
            return Unary(start, end, "not" if tree.data == "negation" else "-", inner[0])
        case "number":
            unit = str(inner[1] or "")
            return Literal(start, end, float(inner[0]) * UNIT_FACTORS[unit], unit)
        case "text":
            return Literal(start, end, str(inner[0])[1:-1])
        case "yes" | "no":
            return Literal(start, end, tree.data == "yes")
        case "name":
            return Name(start, end, str(inner[0]))
        case "attribute":
            return Attribute(start, end, inner[0], str(inner[1]))
        case "lookup":
            return Lookup(start, end, str(inner[0]), inner[1])
        case "quantified":
            return Quantified(start, end, str(inner[0]), str(inner[1]), inner[2], inner[3], inner[4])
        case "those":
            return Those(start, end, str(inner[0]), inner[1], inner[2])
    return _call(start, end, inner, depth)


def _call(start: int, end: int, inner: list[Any], depth: int) -> Call:
    given: list[Node] = []
    settings: dict[str, Node] = {}
    for child in inner[1].children if inner[1] is not None else ():
        if child.data == "setting":
            name, value = str(child.children[0]), _node(child.children[1], depth + 1)
            if name in settings:
                raise ConditionError(child.meta.start_pos, f"gives {name} twice; give it once")
            settings[name] = value
        elif settings:
            raise ConditionError(
                child.meta.start_pos, "an argument without a name follows on one with a name; swap them"
            )
        else:
            given.append(_node(child, depth + 1))
    return Call(start, end, str(inner[0]), tuple(given), settings)
