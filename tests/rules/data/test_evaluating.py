"""What conditions come to: only as much is asked as decides, doubt is carried along, and what decided is told."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from itertools import product
from math import isclose
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from silhouette.common.errors import RequestError, go_on
from silhouette.common.geometry import Pose
from silhouette.files.schema import Location
from silhouette.models.entries import SolidEntry
from silhouette.models.model import model_of_solids
from silhouette.relations.points import ErrorBound
from silhouette.rules.data import evaluating
from silhouette.rules.data.evaluating import Evaluator
from silhouette.rules.data.game import Clause, Game
from silhouette.rules.data.parsing import parsed
from silhouette.rules.data.quantities import EQUALITY_TOLERANCE, compared, extreme, range_of, with_interval
from silhouette.rules.data.values import Evaluation, Unmeasured, Use, joined, majority
from silhouette.rules.data.worlds import World
from silhouette.scenes.pieces import Piece

BOX = model_of_solids((SolidEntry(box=(10.0, 10.0, 10.0)),), Location(Path()), "terrain")


def standing(name: str) -> Piece:
    return Piece(name, "terrain", BOX, Pose.standing(), None, None, (), None, {}, 0)


KAL, VEX, WALL, HEDGE = map(standing, ("Kal", "Vex", "Wall", "Hedge"))


class FakeTable:
    """A table that answers from a list, and notes what it is asked."""

    def __init__(self, **answers: Evaluation) -> None:
        self.answers = answers
        self.asked: list[str] = []

    def pieces(self, name: str, attacker: Piece, target: Piece) -> tuple[Piece, ...]:
        return (WALL, HEDGE) if name == "terrain" else (KAL, VEX)

    def key(self, piece: Piece, name: str) -> Any:
        return {"light": piece is HEDGE, "tall": 10.0, "traits": frozenset({"barred"})}[name]

    def attribute(self, piece: Piece, name: str) -> Any:
        return {"name": piece.name, "height": 38.0}[name]

    def reading(self, name: str) -> Any:
        return 2.0

    def ask(self, primitive: str, given: Mapping[str, Any]) -> Evaluation:
        names = [one.name for one in given.values() if isinstance(one, Piece)]
        self.asked.append(" ".join([primitive, *names]))
        return self.answers[self.asked[-1]] if self.asked[-1] in self.answers else self.answers[primitive]


def length(value: float, error: float = 0.0) -> Evaluation:
    return Evaluation(value, error=error, uses=(Use("distance", ErrorBound(value, error)),))


def evaluator(table: FakeTable, **clauses: str) -> Evaluator:
    named = {
        name: Clause(name, str(number), parsed(text), "", "", "") for number, (name, text) in enumerate(clauses.items())
    }
    game = Game(Path("game.toml"), "", "", "", "mm", "", {}, {}, {"reach": None}, {"size": {"S1": 20.0}}, named, ())  # type: ignore[dict-item]
    return Evaluator(game, table, KAL, VEX)


def truth(text: str, **answers: Evaluation) -> Evaluation:
    return evaluator(FakeTable(**answers), a=text).clause("a")


YES, NO = Evaluation(value=True), Evaluation(value=False)
PERHAPS, PERHAPS_NOT = Evaluation(value=True, sure=False), Evaluation(value=False, sure=False)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("yes and no", False),
        ("yes or no", True),
        ("not no", True),
        ("target.name is 'Vex'", True),
        ("attacker is target", False),
        ("attacker is not target", True),
        ("target.height - 8 mm >= 3 cm", True),
        ("1 + 2 * 3 > 7", False),
        ("-1 < -2", False),
        ("size['S1'] / 2 <= 10 mm", True),
        ("10 / 4 is 2.5", True),
        ("reach + 1 is 3", True),
        ("any(one in terrain: one.light)", True),
        ("all(one in terrain: one.light)", False),
        ("none(one in terrain where one.light: one.name is 'Wall')", True),
        ("half(one in terrain: one.light)", True),
        ("most(one in terrain: one.light)", False),
        ("most(one in terrain where one.light: yes)", True),
        ("any(one in those(x in terrain where no) : yes)", False),
        ("all(one in those(x in terrain where no) : no)", True),
        ("half(one in those(x in terrain where no) : yes)", False),
        ("'barred' in target.traits", True),
        ("target in those(x in models where x.name is 'Vex')", True),
        ("least(one in terrain: one.tall) < 11 mm", True),
        ("greatest(one in those(x in terrain where no): one.tall) < -1000000 mm", True),
    ],
)
def test_a_condition_comes_to_what_it_says(text: str, value: bool) -> None:
    found = truth(text)
    assert found.value is value
    assert found.sure


@pytest.mark.parametrize(
    ("left", "sign", "right", "value", "sure"),
    [
        (YES, "and", PERHAPS, True, False),
        (NO, "and", PERHAPS, False, True),
        (PERHAPS_NOT, "and", NO, False, True),
        (PERHAPS_NOT, "and", YES, False, False),
        (NO, "or", PERHAPS, True, False),
        (YES, "or", PERHAPS_NOT, True, True),
        (PERHAPS, "or", YES, True, True),
        (PERHAPS_NOT, "or", NO, False, False),
    ],
)
def test_doubt_is_carried_along(left: Evaluation, sign: str, right: Evaluation, value: bool, sure: bool) -> None:
    table = {"contact Kal Vex": left, "contact Vex Kal": right}
    found = truth(f"contact(attacker, target) {sign} contact(target, attacker)", **table)
    assert (found.value, found.sure) == (value, sure)


def test_what_is_decided_is_not_asked_any_more() -> None:
    table = FakeTable(contact=YES, distance=length(5.0))
    one = evaluator(
        table,
        a="contact(attacker, target) or distance(attacker, target) < 1 mm",
        b="not a and contact(target, attacker)",
    )
    assert one.clause("a").value
    assert not one.clause("b").value
    assert table.asked == ["contact Kal Vex"]
    assert list(one.clauses) == ["a", "b"]


def test_of_pieces_the_first_that_decides_is_told() -> None:
    table = FakeTable(**{"distance Vex Wall": length(30.0), "distance Vex Hedge": length(15.24)})
    found = evaluator(table, a="any(wall in terrain: distance(target, wall) <= 1 inch)").clause("a")
    assert found.bound == {"wall": ("Hedge",)}
    assert [use.measured.value for use in found.uses if use.measured] == [15.24]
    found = evaluator(table, a="all(wall in terrain: distance(target, wall) <= 2 inch)").clause("a")
    assert found.bound == {"wall": ("Wall", "Hedge")}


def test_a_piece_that_may_count_leaves_doubt() -> None:
    near, far = length(25.0, 1.0), length(99.0)
    text = "any(wall in terrain where distance(target, wall) < 1 inch: wall.light is no)"
    found = truth(text, **{"distance Vex Wall": near, "distance Vex Hedge": far})
    assert (found.value, found.sure) == (True, False)
    found = truth(text.replace("any", "none"), **{"distance Vex Wall": near, "distance Vex Hedge": far})
    assert (found.value, found.sure) == (False, False)
    # Without the Wall, which may be an inch away, most are the Hedge, which is light; with it, they are not.
    text = "most(wall in terrain where distance(target, wall) < 1 inch: wall.light)"
    for wall, value in ((length(25.0, 1.0), False), (length(26.0, 1.0), True)):
        found = truth(text, **{"distance Vex Wall": wall, "distance Vex Hedge": length(5.0)})
        assert (found.value, found.sure) == (value, False)


class UnmeasuredTable(FakeTable):
    """A table on which nothing has been measured."""

    def ask(self, primitive: str, given: Mapping[str, Any]) -> Evaluation:
        names = tuple(one.name for one in given.values() if isinstance(one, Piece))
        raise Unmeasured({names: None})  # type: ignore[dict-item]


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("half(wall in terrain: contact(target, wall))", ["Wall", "Hedge"]),
        ("most(wall in terrain where contact(target, wall): yes)", ["Wall", "Hedge"]),
        ("least(wall in terrain: distance(target, wall)) < 1 inch", ["Wall", "Hedge"]),
        ("any(wall in terrain: contact(target, wall))", ["Wall"]),
    ],
)
def test_what_is_not_measured_yet_is_told_together_unless_one_decides_alone(text: str, missing: list[str]) -> None:
    with pytest.raises(Unmeasured) as told:
        evaluator(UnmeasuredTable(), a=text).clause("a")
    assert list(told.value.sights) == [("Vex", name) for name in missing]


def test_a_verdict_rests_on_clauses_and_these_on_what_was_measured() -> None:
    table = FakeTable(distance=length(5.0))
    one = evaluator(table, near="distance(attacker, target) < 1 inch", far="not near")
    found = one.evaluate(parsed("not far"))
    assert [(use.name, use.unit) for use in found.uses] == [("far", "clause")]
    assert [(use.name, use.unit) for use in one.clauses["far"].uses] == [("near", "clause")]
    assert [use.name for use in one.clauses["near"].uses] == ["distance"]


@pytest.mark.parametrize(
    "text",
    [
        "contact(attacker, target)",
        "all(one in models: one.height > 1 mm)",
        "least(one in models: one.height) > 1 mm",
        "half(one in those(wall in terrain where wall.light): one.height > 1 mm)",
    ],
)
def test_a_clause_that_takes_too_long_is_one_line(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Quantifiers within quantifiers take long, whether they ask primitives or not."""
    monkeypatch.setattr(evaluating, "MAX_CPU_SECONDS", -1.0)
    with pytest.raises(RequestError) as refused:
        truth(text, contact=YES)
    assert str(refused.value).startswith("game.toml: clause 'a' (clause 0): takes more than")


def spend(seconds: float) -> None:
    """Keeps the processor busy for so long."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


class SlowTable(FakeTable):
    """A table on which one question takes longer than anybody waits."""

    def ask(self, primitive: str, given: Mapping[str, Any]) -> Evaluation:
        while True:
            go_on()


def test_a_primitive_that_takes_too_long_by_itself_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluating, "MAX_CPU_SECONDS", 0.1)
    one = evaluator(SlowTable(), a="b and yes", b="contact(attacker, target)")
    with pytest.raises(RequestError) as refused:
        one.clause("a")
    assert str(refused.value) == (
        "game.toml: clause 'b' (clause 1): takes more than 0.1 s of CPU time; "
        "'contact' alone takes most of it: a simpler mesh would be faster, above all of Kal (12 triangles)"
    )


def test_many_questions_that_take_too_long_together_are_to_be_fewer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluating, "MAX_CPU_SECONDS", 0.2)
    table = FakeTable(contact=NO, distance=length(5.0))
    table.ask = lambda primitive, given: spend(0.03) or NO  # type: ignore[func-returns-value, method-assign]
    text = " or ".join(f"contact(attacker, target, gap = {number} mm)" for number in range(20))
    with pytest.raises(RequestError, match=r"s of CPU time; ask about fewer pieces$"):
        evaluator(table, a=text).clause("a")


def test_one_question_about_very_many_pieces_is_to_be_about_fewer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluating, "MAX_CPU_SECONDS", 0.1)
    table = SlowTable()
    monkeypatch.setattr(table, "pieces", lambda *_: tuple(standing(f"wall {number}") for number in range(40)))
    with pytest.raises(RequestError, match=r"'contact' alone takes most of it: ask about fewer pieces$"):
        evaluator(table, a="contact(attacker, terrain)").clause("a")


def test_no_time_passes_while_a_question_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine, or one that sleeps, turns no verdict into an error."""
    monkeypatch.setattr(evaluating, "MAX_CPU_SECONDS", 0.1)
    table = FakeTable(contact=YES)
    table.ask = lambda primitive, given: time.sleep(0.3) or go_on() or YES  # type: ignore[func-returns-value, method-assign]
    assert evaluator(table, a="contact(attacker, target)").clause("a").value


def test_every_clause_has_its_own_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """But for those that rest on others: these are asked within the time of the first."""
    monkeypatch.setattr(evaluating, "MAX_CPU_SECONDS", 0.3)
    table = FakeTable(contact=YES)
    table.ask = lambda primitive, given: spend(0.2) or go_on() or YES  # type: ignore[func-returns-value, method-assign]
    one = evaluator(
        table,
        a="contact(attacker, target)",
        b="contact(target, attacker)",
        c="d and yes",
        d="a and e",
        e="contact(attacker, attacker)",
        f="g and contact(target, target)",
        g="contact(target, attacker)",
    )
    assert one.clause("a").value
    assert one.clause("b").value
    assert one.clause("c").value
    with pytest.raises(RequestError, match="clause 'f'"):
        one.clause("f")


def test_a_row_that_a_table_lacks_is_one_line() -> None:
    with pytest.raises(RequestError, match="the table size has no row 'Vex'; it has 'S1'"):
        truth("size[target.name] < 1 mm")


@given(st.lists(st.tuples(st.booleans(), st.booleans()), max_size=6))
def test_doubt_is_exactly_what_the_doubtful_ones_can_change(parts: list[tuple[bool, bool]]) -> None:
    """Against all ways in which those that are not sure may turn out."""
    found = [Evaluation(value, sure=sure) for value, sure in parts]
    free = [number for number, (_, sure) in enumerate(parts) if not sure]
    ways = []
    for mask in range(1 << len(free)):
        values = [value for value, _ in parts]
        for bit, number in enumerate(free):
            values[number] = bool(mask >> bit & 1)
        ways.append(values)
    for told, of in (
        (joined([lambda one=one: one for one in found], decides=True), any),
        (joined([lambda one=one: one for one in found], decides=False), all),
    ):
        assert told.value == of([value for value, _ in parts])
        assert told.sure == (len({of(values) for values in ways}) == 1)


TRUTH = st.builds(Evaluation, value=st.booleans(), sure=st.booleans())


@given(st.lists(st.tuples(TRUTH, TRUTH), max_size=4))
def test_doubt_about_halves_is_exactly_what_may_turn_out(parts: list[tuple[Evaluation, Evaluation]]) -> None:
    """Against all ways in which those of which it is not sure whether they count, or hold, may turn out."""
    truths = [found for part in parts for found in part]
    ways = list(product(*([found.value] if found.sure else [True, False] for found in truths)))
    for least in (0, 1):

        def of(values: Sequence[bool], least: int = least) -> bool:
            counted = [holds for counts, holds in zip(values[::2], values[1::2], strict=True) if counts]
            return bool(counted) and sum(counted) - sum(not one for one in counted) >= least

        told = majority(parts, least)
        assert told.value == of([found.value for found in truths])
        assert told.sure == (len({of(values) for values in ways}) == 1)


@given(st.floats(0, 10), st.floats(0, 3), st.floats(0, 10), st.floats(0, 3), st.floats(-1, 1), st.floats(-1, 1))
def test_a_sure_comparison_holds_wherever_the_truth_lies(
    one: float, error: float, other: float, other_error: float, here: float, there: float
) -> None:
    found = compared(doubtful("one", one, error), doubtful("other", other, other_error), "<", World())
    is_same = error == other_error == 0.0 and isclose(one, other, rel_tol=EQUALITY_TOLERANCE)
    if found.sure and not is_same:
        assert (max(one + here * error, 0.0) < max(other + there * other_error, 0.0)) == found.value


def doubtful(name: str, value: float, error: float) -> Evaluation:
    """A measurement, which is never less than 0."""
    return with_interval(Evaluation(value, error=error), (name,))


@pytest.mark.parametrize("almost", [float(np.float32(12.7)), 12.7 * (1 + 5e-5), 12.7 * (1 - 5e-5)])
def test_what_is_as_large_but_for_rounding_is_as_large(almost: float) -> None:
    found = {sign: compared(Evaluation(almost), Evaluation(12.7), sign, World()) for sign in ("<", "<=", ">", ">=")}
    assert {sign: one.value for sign, one in found.items()} == {"<": False, "<=": True, ">": False, ">=": True}
    assert all(one.sure for one in found.values())


@pytest.mark.parametrize("apart", [0.002, 12.7, float("inf")])
def test_what_differs_by_more_is_not(apart: float) -> None:
    assert compared(Evaluation(12.7), Evaluation(12.7 + apart), "<", World()).value
    assert not compared(Evaluation(12.7), Evaluation(12.7 + apart), ">=", World()).value


def test_what_was_measured_is_compared_as_it_is() -> None:
    half = Evaluation(0.5)
    found = compared(doubtful("share", 0.49999, 0.002), half, ">=", World())
    assert (found.value, found.sure) == (False, False)


def test_what_is_hardly_more_than_nothing_is_more() -> None:
    assert compared(Evaluation(1e-9), Evaluation(0.0), ">", World()).value


@given(st.lists(st.tuples(st.floats(0, 10), st.floats(0, 3), st.floats(-1, 1)), min_size=1, max_size=5))
def test_the_least_lies_within_its_error(parts: list[tuple[float, float, float]]) -> None:
    found = [doubtful(str(number), value, error) for number, (value, error, _) in enumerate(parts)]
    true = [max(value + where * error, 0.0) for value, error, where in parts]
    for how, of in (("least", min), ("greatest", max)):
        lowest, highest = range_of(extreme(found, how))
        assert lowest - 1e-9 <= of(true) <= highest + 1e-9


def test_those_who_do_not_count_are_kept_beside_those_who_do() -> None:
    """Of two pieces one touches Vex; of those that are not asked about, nothing is kept."""
    answers = {"contact Wall Vex": YES, "contact Hedge Vex": NO}
    found = truth("half(piece in terrain: contact(piece, target))", **answers)
    (tally,) = found.tallies
    assert [(one.name, one.holds) for one in tally.members] == [("Wall", True), ("Hedge", False)]
    found = truth("half(piece in terrain where piece.light: contact(piece, target))", **answers)
    assert [one.name for one in found.tallies[0].members] == ["Hedge"]


def test_what_was_counted_within_stays_with_the_one_for_whom_it_was() -> None:
    answers = {"contact Kal Wall": YES, "contact Vex Wall": NO, "contact Kal Hedge": YES, "contact Vex Hedge": YES}
    found = truth("half(x in models: most(y in terrain: contact(x, y)))", **answers)
    assert found.value
    first = found.tallies[0]
    assert [(one.name, one.holds) for one in first.members] == [("Kal", True), ("Vex", False)]
    inner = [[(y.name, y.holds) for y in one.within[0].members] for one in first.members]
    assert inner == [[("Wall", True), ("Hedge", True)], [("Wall", False), ("Hedge", True)]]
    assert first in Evaluation(value=True).resting_on([found]).tallies
