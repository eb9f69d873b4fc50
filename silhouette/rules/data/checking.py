"""JUDGE, games by data: a condition is checked against what its game knows: names, kinds of values, units."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from silhouette.common.text import did_you_mean, in_quotes
from silhouette.rules.data.kinds import (
    ATTRIBUTES,
    BUILTIN_NAMES,
    GROUP_KINDS,
    PRIMITIVES,
    QUANTITIES,
    SINGLE_KINDS,
    Kind,
    Parameter,
)
from silhouette.rules.data.nodes import Attribute, Binary, Call, Literal, Lookup, Name, Node, Quantified, Those, Unary
from silhouette.rules.data.parsing import ConditionError

Attributes = Mapping[str, Kind]
OF_KIND = {"terrain": ("terrain",), "model": ("fighter", "vehicle")}  # what ``kind`` may be


@dataclass(frozen=True)
class Scope:
    """What a condition of a game may name, besides what every game knows."""

    clauses: frozenset[str] = frozenset()
    readings: Attributes = field(default_factory=dict)
    terrain: Attributes = field(default_factory=dict)
    model: Attributes = field(default_factory=dict)
    tables: Attributes = field(default_factory=dict)
    rows: Mapping[str, frozenset[str]] = field(default_factory=dict)  # the rows of its tables, by name
    # What the texts of readings and keys may be, by "reading", "terrain" or "model", and the name; not all have an
    # entry
    words: Mapping[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)
    variables: Attributes = field(default_factory=dict)  # what quantifiers call their pieces

    def within(self, node: Quantified | Those) -> Scope:
        """The same inside a quantifier, which names its pieces. ConditionError where the name is taken."""
        taken = {*BUILTIN_NAMES, *self.clauses, *self.readings, *self.variables}
        if node.variable in taken:
            raise ConditionError(node.start, f"'{node.variable}' means something already; take another name")
        members = kind_of(node.members, self)
        if members not in GROUP_KINDS:
            raise _expected(node.members, "pieces, such as terrain or models", members)
        variables = {**self.variables, node.variable: members.single}
        return replace(self, variables=variables)


def check_condition(node: Node, scope: Scope) -> None:
    """Refuses a tree that is no condition: its value is no truth, or it names what is not known. ConditionError at the
    first mistake.

    >>> from silhouette.rules.data.parsing import parsed
    >>> check_condition(parsed("distance(attacker, target) <= 1 inch"), Scope())
    >>> check_condition(parsed("distance(attacker, target) <= 1"), Scope())
    Traceback (most recent call last):
    ...
    silhouette.rules.data.parsing.ConditionError: a length is compared with a number; give the number a unit...
    """
    kind = kind_of(node, scope)
    if kind is not Kind.TRUTH:
        raise _expected(node, "yes or no", kind)


def kind_of(node: Node, scope: Scope) -> Kind:
    """The kind of a node's value. ConditionError: at the first mistake in it."""
    match node:
        case Literal():
            return _of_literal(node)
        case Name():
            return _of_name(node, scope)
        case Attribute():
            return _of_attribute(node, scope)
        case Call():
            return _of_call(node, scope)
        case Lookup():
            return _of_lookup(node, scope)
        case Quantified():
            return _of_quantified(node, scope)
        case Those():
            _need(node.where, scope.within(node), (Kind.TRUTH,))
            return kind_of(node.members, scope)
        case Unary(sign="not"):
            return _need(node.of, scope, (Kind.TRUTH,))
        case Unary():
            return _need(node.of, scope, QUANTITIES)
    assert isinstance(node, Binary)
    return _of_binary(node, scope)


def _of_literal(node: Literal) -> Kind:
    if isinstance(node.value, bool):
        return Kind.TRUTH
    if isinstance(node.value, str):
        return Kind.TEXT
    return Kind.LENGTH if node.unit in ("mm", "cm", "inch", "inches") else Kind.NUMBER


def _of_name(node: Name, scope: Scope) -> Kind:
    if node.name in BUILTIN_NAMES:
        return BUILTIN_NAMES[node.name][0]
    for table in (scope.variables, scope.readings):
        if node.name in table:
            return table[node.name]
    if node.name in scope.clauses:
        return Kind.TRUTH
    names = [*scope.variables, *scope.clauses, *scope.readings, *BUILTIN_NAMES]
    also = "; it is a primitive: give its arguments in ( )" if node.name in PRIMITIVES else ""
    raise ConditionError(node.start, f"nothing is called '{node.name}'{also or '; ' + did_you_mean(node.name, names)}")


def _of_attribute(node: Attribute, scope: Scope) -> Kind:
    owner = _need(node.of, scope, SINGLE_KINDS)
    tables = {Kind.TERRAIN: [scope.terrain], Kind.MODEL: [scope.model], Kind.PIECE: [scope.terrain, scope.model]}[owner]
    if node.name in ATTRIBUTES:
        kind, owners, _ = ATTRIBUTES[node.name]
        if owner in owners:
            return kind
    elif all(node.name in table for table in tables):
        return tables[0][node.name]
    shared = set.intersection(*(set(table) for table in tables))
    have = [name for name, (_, owners, _) in ATTRIBUTES.items() if owner in owners]
    near = did_you_mean(node.name, [*sorted(shared), *have], "it has")
    raise ConditionError(node.end - len(node.name), f"{owner} has no '{node.name}'; {near}")


def _of_call(node: Call, scope: Scope) -> Kind:
    primitive = PRIMITIVES.get(node.name)
    if primitive is None:
        raise ConditionError(node.start, f"no primitive is called '{node.name}'; {did_you_mean(node.name, PRIMITIVES)}")
    takes = {parameter.name: parameter for parameter in primitive.takes}
    if len(node.given) > len(takes):
        raise ConditionError(node.start, f"{node.name} takes {len(takes)} arguments at most: {', '.join(takes)}")
    given = dict(zip(takes, node.given, strict=False))
    for name, value in node.settings.items():
        if name not in takes:
            raise ConditionError(value.start, f"{node.name} takes no '{name}'; {did_you_mean(name, takes)}")
        if name in given:
            raise ConditionError(value.start, f"{node.name} is given {name} twice; give it once")
        given[name] = value
    for name, parameter in takes.items():
        if name in given:
            _check_argument(given[name], parameter, scope)
        elif parameter.default is None:
            raise ConditionError(node.start, f"{node.name} lacks its argument {name}: {parameter.kinds[0]}")
    if node.name == "crossed":
        _check_lines(node, given, scope)
    return primitive.gives


def _check_lines(node: Call, given: Mapping[str, Node], scope: Scope) -> None:
    """Refuses lines that nobody can draw: from points, seen from above or to a facing side; all of them in space."""
    by, measured = given.get("by", Literal(0, 0, "any")), given.get("measured", Literal(0, 0, "in plan"))
    points = [given[end] for end in ("a", "b") if kind_of(given[end], scope) is Kind.POINTS]
    words = {word.value for word in (by, measured) if isinstance(word, Literal)}
    if points and words & {"in plan", "facing"}:
        advice = "give models, or measured = 'in space' and by = 'any' or 'centre'"
        raise ConditionError(points[0].start, f"lines from points run in space, and not to a facing side; {advice}")
    for name, advice in (("touching", "leave it out in space"), ("of", "in space give points, such as target.whole")):
        if name in given and "in space" in words:
            raise ConditionError(given[name].start, f"{name} is for lines seen from above; {advice}")
    if "all" in words and "in plan" not in words:
        raise ConditionError(by.start, "by = 'all' is seen from above; in space ask 'not line(a, b, past = ...)'")


def _check_argument(node: Node, parameter: Parameter, scope: Scope) -> None:
    _need(node, scope, parameter.kinds)
    part = node.name if isinstance(node, Attribute | Call) else ""
    if parameter.parts and part not in parameter.parts:
        listed = ", ".join(parameter.parts)
        raise ConditionError(node.start, f"argument {parameter.name} cannot be {part or 'this'}; it is one of {listed}")
    if parameter.words and isinstance(node, Literal) and node.value not in parameter.words:
        near = did_you_mean(str(node.value), parameter.words)
        raise ConditionError(node.start, f"{parameter.name} cannot be {in_quotes(node.value)}; {near}")


def _of_lookup(node: Lookup, scope: Scope) -> Kind:
    if node.table not in scope.tables:
        near = did_you_mean(node.table, scope.tables, "the tables are")
        raise ConditionError(node.start, f"no table is called '{node.table}'; {near}")
    _need(node.key, scope, (Kind.TEXT,))
    rows = scope.rows[node.table]
    lacking = [word for word in _words_of(node.key, scope) if word not in rows]
    if lacking:
        listed = ", ".join(map(in_quotes, sorted(rows)))
        raise ConditionError(node.start, f"{node.table} has no row {in_quotes(lacking[0])}; it has {listed}")
    return scope.tables[node.table]


def _words_of(node: Node, scope: Scope) -> tuple[str, ...]:
    """What a text may be; empty where that may be anything."""
    match node:
        case Literal(value=str(word)):
            return (word,)
        case Name():
            return scope.words.get(("reading", node.name), ())
        case Attribute():
            owner = kind_of(node.of, scope)
            kinds = {Kind.TERRAIN: ["terrain"], Kind.MODEL: ["model"], Kind.PIECE: ["terrain", "model"]}[owner]
            if node.name == "kind":
                return tuple(word for kind in kinds for word in OF_KIND[kind])
            choices = [scope.words.get((kind, node.name), ()) for kind in kinds]
            return tuple(dict.fromkeys(word for words in choices for word in words)) if all(choices) else ()
    return ()


def _of_quantified(node: Quantified, scope: Scope) -> Kind:
    inside = scope.within(node)
    if node.where is not None:
        _need(node.where, inside, (Kind.TRUTH,))
    kinds = {"least": QUANTITIES, "greatest": QUANTITIES, "each": (Kind.PARTS,)}.get(node.how, (Kind.TRUTH,))
    return _need(node.body, inside, kinds)


def _of_binary(node: Binary, scope: Scope) -> Kind:
    if node.sign in ("and", "or"):
        _need(node.left, scope, (Kind.TRUTH,))
        return _need(node.right, scope, (Kind.TRUTH,))
    left, right = kind_of(node.left, scope), kind_of(node.right, scope)
    if node.sign in ("is", "is not"):
        return _equality(node, left, right, scope)
    if node.sign == "in":
        if (left, right) == (Kind.TEXT, Kind.WORDS) or (left in SINGLE_KINDS and right in GROUP_KINDS):
            return Kind.TRUTH
        raise ConditionError(node.start, f"{left} is never in {right}; 'in' asks for a word in a list, or a piece")
    return _of_arithmetic(node, left, right)


def _of_arithmetic(node: Binary, left: Kind, right: Kind) -> Kind:
    if node.sign == "+" and (left is right is Kind.PARTS or (left in GROUP_KINDS and right in GROUP_KINDS)):
        return left if left is right else Kind.PIECES
    for side, kind in ((node.left, left), (node.right, right)):
        if kind not in QUANTITIES:
            raise _expected(side, "a number or a length", kind)
    if (node.sign, left, right) == ("*", Kind.LENGTH, Kind.LENGTH):
        raise ConditionError(node.start, "a length times a length is an area, which nothing is compared with")
    if (node.sign, left, right) == ("/", Kind.NUMBER, Kind.LENGTH):
        raise ConditionError(node.start, "a number is divided by a length; divide a length by a number")
    if node.sign in ("*", "/"):
        return Kind.NUMBER if left is right else Kind.LENGTH
    _check_units(node, left, right)
    return left if node.sign in ("+", "-") else Kind.TRUTH


def _equality(node: Binary, left: Kind, right: Kind, scope: Scope) -> Kind:
    if left in SINGLE_KINDS and right in SINGLE_KINDS:
        return Kind.TRUTH
    if left is not right or left in (Kind.WORDS, Kind.POINTS, Kind.PARTS, Kind.STRAIGHT, Kind.CORNERS, *GROUP_KINDS):
        if left in QUANTITIES and right in QUANTITIES:
            _check_units(node, left, right)
        raise ConditionError(node.start, f"{left} is never {right}")
    for side, other in ((node.left, node.right), (node.right, node.left)):
        words = () if isinstance(side, Literal) else _words_of(side, scope)
        if words and isinstance(other, Literal) and other.value not in words:
            near = did_you_mean(str(other.value), words)
            raise ConditionError(other.start, f"it is never {in_quotes(other.value)}; {near}")
    return Kind.TRUTH


def _check_units(node: Binary, left: Kind, right: Kind) -> None:
    if left is not right:
        first, second = sorted((left, right))
        advice = "give the number a unit, such as 1 inch or 3 mm"
        raise ConditionError(node.start, f"{first} is compared with {second}; {advice}")


def _need(node: Node, scope: Scope, kinds: tuple[Kind, ...]) -> Kind:
    """The kind of a node, which must be one of some."""
    kind = kind_of(node, scope)
    if (
        kind in kinds
        or (kind in SINGLE_KINDS and Kind.PIECE in kinds)
        or (kind in GROUP_KINDS and Kind.PIECES in kinds)
    ):
        return kind
    if Kind.PIECES in kinds:
        narrower = {*SINGLE_KINDS, *GROUP_KINDS} - {Kind.PIECE, Kind.PIECES}
        kinds = tuple(other for other in kinds if other not in narrower)
    names = list(dict.fromkeys(kinds))
    listed = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"
    raise _expected(node, listed + (", such as attacker.eye or target.body" if kinds == (Kind.POINTS,) else ""), kind)


def _expected(node: Node, requirement: str, kind: Kind) -> ConditionError:
    return ConditionError(node.start, f"this is {kind}; it must be {requirement}")
