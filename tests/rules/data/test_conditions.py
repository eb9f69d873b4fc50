"""Conditions: what is parsed, what is refused and where, and what can be true at all."""

from __future__ import annotations

import pytest

from silhouette.rules.data.checking import Scope, check_condition, kind_of
from silhouette.rules.data.kinds import ATTRIBUTES, PRIMITIVES, Kind
from silhouette.rules.data.nodes import Binary, Call, Literal, Quantified, Unary
from silhouette.rules.data.parsing import DEEPEST, MAX_LETTERS, ConditionError, parsed
from silhouette.rules.data.reach import can_be_true, inner_conditions, key_of, reached

SCOPE = Scope(
    clauses=frozenset({"seen", "near"}),
    readings={"strict": Kind.TRUTH, "size": Kind.TEXT},
    terrain={"light": Kind.TRUTH, "traits": Kind.WORDS},
    model={"size": Kind.TEXT, "tall": Kind.LENGTH, "traits": Kind.WORDS},
    tables={"height_of": Kind.LENGTH},
    rows={"height_of": frozenset({"S1", "S2", "big"})},
    words={("model", "size"): ("S1", "S2")},
)


def test_what_binds_more_is_joined_first() -> None:
    node = parsed("a or b and not c < 1 + 2 * 3 mm")
    assert isinstance(node, Binary)
    assert node.sign == "or"
    right = node.right
    assert isinstance(right, Binary)
    assert right.sign == "and"
    assert isinstance(right.right, Unary)
    compared = right.right.of
    assert isinstance(compared, Binary)
    assert (compared.sign, compared.right.sign) == ("<", "+")  # type: ignore[attr-defined]
    left = parsed("3 - 2 - 1")
    assert isinstance(left, Binary)
    assert isinstance(left.left, Binary)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 inch", 25.4),
        ("2.5 cm", 25.0),
        ("50 %", 0.5),
        ("90 degrees", 90.0),
        ("'a b'", "a b"),
        ("yes", True),
        ("4", 4.0),
    ],
)
def test_literals_are_in_mm_shares_and_degrees(text: str, value: object) -> None:
    node = parsed(text)
    assert isinstance(node, Literal)
    assert node.value == value


def test_names_may_begin_like_words_of_the_grammar() -> None:
    for name in ("anyone", "norm", "order", "inner", "island", "yesterday", "those_two", "whereabouts", "any"):
        assert parsed(name).name == name  # type: ignore[attr-defined]


def test_lines_and_comments_are_free() -> None:
    node = parsed("crossed(attacker, target, # from base to base\n  terrain,\n  by = 'all')")
    assert isinstance(node, Call)
    assert list(node.settings) == ["by"]


@pytest.mark.parametrize(
    ("text", "at", "words"),
    [
        ("", 0, "ends too early"),
        ("a and", 5, "ends too early"),
        ("distance(attacker target)", 18, "'target' is out of place"),
        ("a $ b", 2, "'$' stands in no condition"),
        ("3 inchs", 2, "'inchs' is no unit; lengths are in mm, cm or inch"),
        ("any(x in y)", 10, "where can stand there"),
        ("a <= 3 in", 7, "'in' is no unit"),
        ("3 feet", 2, "'feet' is no unit"),
        ("a && b", 2, "write 'and'"),
        ("a || b", 2, "write 'or'"),
        ("a != b", 2, "write 'not', or 'is not'"),
        ("a == b", 2, "'=' is out of place; to compare, write 'is'"),
        ("f(a = 1, 2)", 9, "swap them"),
        ("f(a = 1, a = 2)", 9, "gives a twice"),
        ("x" * (MAX_LETTERS + 1), 0, "has over"),
        ("not " * (DEEPEST + 2) + "a", 4 * (DEEPEST + 1), "levels deep"),
        ("__import__('os').system('x')", 23, "'(' is out of place"),
    ],
)
def test_a_text_that_is_no_condition_is_refused_where_it_ends_to_be_one(text: str, at: int, words: str) -> None:
    with pytest.raises(ConditionError) as refused:
        check_condition(parsed(text), SCOPE)
    assert words in refused.value.problem
    assert refused.value.at == at


@pytest.mark.parametrize(
    "text",
    [
        "seen and not near",
        "line(attacker.eye, target.body, thick = 1 mm, past = terrain)",
        "crossed(attacker, target, those(wall in terrain where wall.light), by = 'all')",
        "any(wall in terrain where 'heavy' in wall.traits: distance(target, wall) <= 1 inch)",
        "half(one in unit(target): not crossed(attacker, one, terrain))",
        "least(one in unit(target): distance(attacker, one)) < 2 * 12 inch - 3 mm",
        "line(cylinder(attacker, height_of[attacker.size]), cylinder(target, target.tall))",
        "size is 'S1' or target.size is not 'S2'",
        "obscured(attacker.head, target.whole, past = terrain + models) >= 50 %",
        "all(piece in others: 'open' in piece.traits)",
        "attacker in friends(target) and number(enemies(attacker)) > 1",
        "distance(attacker, terrain, measured = 'in space') / distance(attacker, target) < 50 %",
        "strict is yes",
        "crossed(attacker, target, terrain, measured = 'in space')",
        "crossed(attacker, target, parts(terrain, within = 1 inch), by = 'facing', measured = size)",
        "crossed(attacker.whole, cylinder(target, 2 inch), terrain, by = 'centre', measured = 'in space')",
        "distance(straight(attacker, target), friends(attacker), measured = 'in space') <= 1 inch",
        "crossed(attacker, target, terrain, by = 'centre', touching = size)",
        "clear_lines(corners(attacker), corners(target)) >= 2",
        "clear_lines(corners(attacker, 2 * square), corners(target, square, square), terrain, touching = size) is 4",
        "clear_lines(corners(attacker), corners(target), parts(terrain, above = 1 inch), by = 'all') / 16 < 50 %",
        "crossed(attacker, target, each(one in models where one.tall > 1 mm: parts(one, square = one.tall)))",
        "crossed(attacker, target, parts(terrain) + each(one in models: parts(one, square = square)))",
        "crossed(attacker, target, parts(terrain, within = 1 inch), by = 'facing', of = 'hull')",
        "over(target, those(wall in terrain where wall.light), of = size) >= 50 % or over(target, models) is 0",
        "wholly_within(attacker, terrain, of = 'hull') and in_arc(attacker, target, of = 'hull')",
    ],
)
def test_conditions_of_all_kinds_pass(text: str) -> None:
    check_condition(parsed(text), SCOPE)


@pytest.mark.parametrize(
    ("text", "at", "words"),
    [
        ("sean", 0, "did you mean 'seen'"),
        ("distance(attacker, target)", 0, "this is a length; it must be yes or no"),
        ("distance(attacker, target) <= 1", 0, "give the number a unit"),
        ("distance(attacker, target) is 1", 0, "give the number a unit"),
        ("distanc(attacker, target) <= 1 mm", 0, "did you mean 'distance'"),
        ("crossed(attacker.eye, target, terrain)", 8, "lines from points run in space"),
        ("crossed(attacker, target.body, terrain, by = 'facing', measured = 'in space')", 18, "not to a facing side"),
        ("crossed(attacker, target, terrain, by = 'all', measured = 'in space')", 40, "in space ask 'not line(a, b"),
        ("crossed(attacker, target, terrain, measured = 'in room')", 46, "measured cannot be 'in room'"),
        ("distance(straight(attacker, terrain), models) <= 1 inch", 28, "it must be a model"),
        ("straight(attacker, target)", 0, "this is a straight line; it must be yes or no"),
        ("straight(attacker, target) is straight(attacker, target)", 0, "a straight line is never a straight line"),
        ("corners(attacker)", 0, "this is corner points; it must be yes or no"),
        ("corners(attacker) is corners(target)", 0, "corner points is never corner points"),
        ("clear_lines(corners(attacker), corners(target)) > 1 mm", 0, "give the number a unit"),
        ("clear_lines(attacker, corners(target)) > 1", 12, "this is a model; it must be corner points"),
        ("clear_lines(corners(attacker), corners(target), by = 'every') > 1", 53, "by cannot be 'every'"),
        ("clear_lines(corners(attacker), corners(target), touching = 'yes') > 1", 59, "touching cannot be 'yes'"),
        ("clear_lines(corners(models), corners(target)) > 1", 20, "this is models; it must be a model"),
        ("clear_lines(corners(attacker, 2), corners(target)) > 1", 30, "this is a number; it must be a length"),
        ("crossed(attacker, target, each(one in models: one))", 46, "this is a model; it must be parts of pieces"),
        ("number(each(one in models: parts(one))) > 1", 7, "this is parts of pieces; it must be pieces"),
        ("crossed(attacker, target, terrain, measured = 'in space', touching = 'clear')", 69, "leave it out in space"),
        ("crossed(attacker, target, terrain, touching = 'no')", 46, "touching cannot be 'no'"),
        ("any(square in models: yes)", 0, "'square' means something already"),
        ("square > 1", 0, "give the number a unit"),
        ("contact(straight(attacker, target), models)", 8, "this is a straight line"),
        ("distance(attacker) <= 1 mm", 0, "lacks its argument b"),
        ("distance(attacker, target, target, target, target) <= 1 mm", 0, "takes 4 arguments at most"),
        ("distance(attacker, target, off = 'base') <= 1 mm", 33, "did you mean 'of'"),
        ("distance(attacker, target, a = target) <= 1 mm", 31, "is given a twice"),
        ("crossed(attacker, target, terrain, by = 'al')", 40, "did you mean 'all'"),
        ("crossed(attacker, terrain, terrain)", 18, "it must be a model"),
        ("line(attacker, target.body)", 5, "it must be points of a piece"),
        ("obscured(attacker.body, target.body) > 0", 9, "one of eye, head"),
        ("obscured(attacker.eye, target.eye) > 0", 23, "one of body, whole, cylinder"),
        ("target.light", 7, "a model has no 'light'"),
        ("any(one in others: one.light)", 23, "a piece has no 'light'"),
        ("any(wall in terrain: wall.eye is 'x')", 26, "a piece of terrain has no 'eye'"),
        ("any(one in target: seen)", 11, "it must be pieces"),
        ("any(seen in terrain: yes)", 0, "means something already"),
        ("any(a in terrain: any(a in terrain: yes))", 18, "means something already"),
        ("target.size is 'S3'", 15, "it is never 'S3'"),
        ("any(wall in terrain: wall.kind is 'fighter')", 34, "it is never 'fighter'"),
        ("height_of['S3'] < 1 mm", 0, "height_of has no row 'S3'; it has 'S1', 'S2', 'big'"),
        ("obscured(attacker, target.body) > 0", 9, "it must be points of a piece, such as attacker.eye"),
        ("line(attacker.eye, target.body, past = 'wall')", 39, "it must be pieces or a piece"),
        ("target.size is 1", 0, "a text is never a number"),
        ("target.tall * target.tall < 1", 0, "an area"),
        ("1 / target.tall < 1", 0, "divide a length by a number"),
        ("target.name < 'b'", 0, "it must be a number or a length"),
        ("not target.tall", 4, "it must be yes or no"),
        ("'a' in 'abc'", 0, "is never in"),
        ("weight[target.size] < 1", 0, "no table is called 'weight'"),
        ("height_of[target.tall] < 1 mm", 10, "it must be a text"),
        ("distance", 0, "it is a primitive"),
        ("terrain", 0, "it must be yes or no"),
    ],
)
def test_what_a_game_does_not_know_is_refused(text: str, at: int, words: str) -> None:
    with pytest.raises(ConditionError) as refused:
        check_condition(parsed(text), SCOPE)
    assert words in refused.value.problem
    assert refused.value.at == at


def test_every_default_of_a_primitive_is_of_a_kind_that_it_takes() -> None:
    for primitive in PRIMITIVES.values():
        for one in primitive.takes:
            if one.default is not None:
                assert kind_of(parsed(one.default), Scope()) in one.kinds
    assert all(owners for _, owners, _ in ATTRIBUTES.values())


@pytest.mark.parametrize(
    ("text", "possible"),
    [
        ("a and not a", False),
        ("a or not a", True),
        ("distance(a, b) < 1 inch and distance(a, b) > 25.4 mm", False),
        ("distance(a, b) <= 1 inch and 25.4 mm <= distance(a,b)", True),
        ("distance(a, b) < 1 inch and distance(b, a) > 1 inch", True),
        ("distance(a, b) < 0 mm", False),
        ("obscured(a, b) > 1", False),
        ("obscured(a, b) >= 1", True),
        ("seen(a, b) > 100 %", False),
        ("visible(a, b) <= 0", True),
        ("number(a) > 1", True),
        ("clear_lines(a, b) < 0", False),
        ("clear_lines(a, b) >= 4 and clear_lines(a, b) < 2", False),
        ("clear_lines(a, b) >= 2 and clear_lines(a, b) < 4", True),
        ("0 mm > target.height", False),
        ("target.ground < 0 mm", True),
        ("target.base_height < 3 mm and target.base_height > 0 mm", True),
        ("target.level < 0", True),
        ("target.level < 1 and target.level > 0", True),
        ("target.size is 'S1' and target.size is 'S2'", False),
        ("target.size is not 'S1' and target.size is not 'S2'", True),
        ("no", False),
        ("seen(a, b) > 0 and not (seen(a, b) > 0)", False),
        ("any(x in terrain: x.light) and none(x in terrain: x.light)", True),  # each is taken for independent
    ],
)
def test_what_cannot_be_true_is_found(text: str, possible: bool) -> None:
    assert can_be_true(parsed(text), {}) is possible


def test_what_follows_on_everything_is_never_reached() -> None:
    clauses = {
        "near": parsed("distance(a, b) < 1 inch"),
        "far": parsed("distance(a, b) > 2 inch"),
        "both": parsed("near and far"),
    }
    conditions = [parsed(text) for text in ("near", "not far", "near or not near", "far")]
    assert reached(conditions, clauses) == [True, True, True, False]
    assert not can_be_true(parsed("both"), clauses)
    many = " and ".join(f"c{number}" for number in range(30))
    assert reached([parsed(many), parsed(many)], {}) == [True, True]  # too many to tell


def test_conditions_inside_quantifiers_are_found() -> None:
    node = parsed(
        "any(x in those(y in terrain where y.light) where x.heavy: x.a and no) and least(z in models: z.tall) < 1 mm"
        " and crossed(a, b, each(x in y where x.heavy: parts(x)))"
    )
    assert [key_of(inner) for inner in inner_conditions(node)] == [
        key_of(parsed("x.heavy")),
        key_of(parsed("x.a and no")),
        key_of(parsed("y.light")),
        key_of(parsed("x.heavy")),
    ]
    assert isinstance(parsed("any(x in y: z)"), Quantified)
