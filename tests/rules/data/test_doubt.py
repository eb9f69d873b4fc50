"""What may be right within the errors: doubt about pieces reaches the verdict, and what rests on one measurement turns
out alike everywhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from silhouette.measure.observation import Sight
from silhouette.relations.points import Points
from silhouette.rules.base import Level
from silhouette.rules.data import worlds
from silhouette.rules.data.game import Clause, Game, Ruling
from silhouette.rules.data.parsing import parsed
from silhouette.rules.data.ruling import ruled
from silhouette.rules.data.values import Evaluation, Unmeasured
from silhouette.scenes.pieces import Piece
from tests.rules.data.test_evaluating import HEDGE, KAL, VEX, WALL, standing

CRATE = standing("Crate")

Range = tuple[float, float]


class DoubtfulTable:
    """A table of which it is known within what shares lie, and of some truths nothing.

    Args:
        shares: for "obscured" and "visible", and the name of a piece, the least and the greatest share.
        doubtful: the names of pieces of which nobody knows whether the target touches them; it touches no other.
        terrain: that stands on it.
    """

    def __init__(
        self,
        shares: Mapping[tuple[str, str], Range],
        doubtful: Mapping[str, Evaluation] | None = None,
        terrain: Sequence[Piece] = (WALL, HEDGE),
    ) -> None:
        self.shares, self.doubtful, self.terrain = shares, doubtful or {}, tuple(terrain)
        self.asked: list[tuple[str, ...]] = []

    def pieces(self, name: str, attacker: Piece, target: Piece) -> tuple[Piece, ...]:
        return self.terrain if name in ("terrain", "others") else (KAL, VEX)

    def key(self, piece: Piece, name: str) -> Any:
        return {"light": piece is HEDGE}[name]

    def attribute(self, piece: Piece, name: str) -> Any:
        return piece.name

    def reading(self, name: str) -> Any:
        raise KeyError(name)

    def ask(self, primitive: str, given: Mapping[str, Any]) -> Evaluation:
        if primitive == "contact":
            return self.doubtful.get(given["b"].name, Evaluation(value=False))
        if primitive == "in_arc":
            return Evaluation(given["degrees"] >= 90.0)
        if primitive == "number":
            return Evaluation(float(len(given["a"])))
        if primitive == "seen":
            # Each piece in the way hides a part of its own.
            names = tuple(one.name for one in given["past"])
            self.asked.append(names)
            return Evaluation(1.0 - sum({"Wall": 0.5, "Hedge": 0.25, "Crate": 0.125}[name] for name in names))
        end = given["b"]
        assert isinstance(end, Points)
        least, most = self.shares[primitive, end.piece.name]
        return Evaluation((least + most) / 2, error=(most - least) / 2)


def game_of(**verdicts: str) -> Game:
    """A game with a clause for each verdict, and "else" where none holds."""
    clauses = {
        name: Clause(name, str(number), parsed(text), "", "", "")
        for number, (name, text) in enumerate(verdicts.items())
    }
    rulings = [Ruling(name, Level.PARTIAL, parsed(name), None, ()) for name in clauses]
    last = Ruling("else", Level.CLEAR, None, None, ())
    return Game(Path("game.toml"), "", "", "", "mm", "", {}, {}, {}, {}, clauses, (*rulings, last))


def could_be(table: DoubtfulTable, **verdicts: str) -> tuple[str, ...]:
    return ruled(game_of(**verdicts), table, KAL, VEX).could_be


SHARE = "obscured(attacker.eye, target.body)"


@pytest.mark.parametrize(
    ("share", "one", "other", "possible"),
    [
        # The same threshold, here and there: they turn over together.
        ((0.4, 0.6), f"{SHARE} >= 0.5", f"not {SHARE} >= 0.5", ("one", "other")),
        ((0.4, 0.6), f"{SHARE} >= 0.5", f"0.5 > {SHARE}", ("one", "other")),
        ((0.4, 0.6), f"{SHARE} > 0.5", f"2 * {SHARE} - 1 <= 0", ("one", "other")),
        # The threshold itself lies in the interval.
        ((0.4, 0.6), f"{SHARE} > 0.5", f"-{SHARE} > -0.5", ("one", "other", "else")),
        ((0.4, 0.6), f"{SHARE} > 0.5", f"{SHARE} < 0.5", ("one", "other", "else")),
        ((0.4, 0.6), f"{SHARE} > 0.5", f"{SHARE} is 0.5", ("one", "other", "else")),
        ((0.5, 0.75), f"{SHARE} <= 0.5", f"{SHARE} >= 0.5", ("one", "other")),
        # Two thresholds of one share.
        ((0.2, 0.8), f"{SHARE} >= 0.6", f"{SHARE} >= 0.3", ("one", "other", "else")),
        ((0.2, 0.8), f"{SHARE} >= 0.3", f"{SHARE} >= 0.6", ("one", "else")),
        ((0.2, 0.8), f"{SHARE} >= 0.3 and {SHARE} < 0.6", f"{SHARE} >= 0.3", ("one", "other", "else")),
        # A share is never more than all, and never less than nothing.
        ((0.98, 1.02), f"{SHARE} > 1", f"{SHARE} >= 0.99", ("other", "else")),
        ((-0.02, 0.02), f"{SHARE} < 0", f"{SHARE} <= 0", ("other", "else")),
        # A share less itself is nothing.
        ((0.2, 0.8), f"{SHARE} - {SHARE} > 0.1", f"{SHARE} / {SHARE} > 0", ("other", "else")),
    ],
)
def test_what_rests_on_one_share_turns_out_alike(share: Range, one: str, other: str, possible: tuple[str, ...]) -> None:
    assert could_be(DoubtfulTable({("obscured", "Vex"): share}), one=one, other=other) == possible


def test_what_compares_two_measurements_turns_out_alike_whichever_is_named_first() -> None:
    table = DoubtfulTable({("obscured", "Vex"): (0.2, 0.8), ("visible", "Vex"): (0.2, 0.8)})
    seen = "visible(attacker.eye, target.body)"
    assert could_be(table, one=f"{SHARE} < {seen}", other=f"{seen} <= {SHARE}") == ("one", "other")
    least = f"least(one in models where one is target: {SHARE} + {seen})"
    assert could_be(table, one=f"{least} > 1", other=f"not {least} > 1") == ("one", "other")
    no_share = f"{SHARE} - {SHARE} + {seen}"
    assert could_be(table, one=f"{no_share} > 0.5", other=f"{seen} <= 0.5") == ("one", "other")


def test_a_measurement_that_is_asked_with_leaves_its_doubt() -> None:
    table = DoubtfulTable({("obscured", "Vex"): (0.4, 0.6)})
    for degrees, possible in (("180", ("one", "other")), ("240", ("one",)), ("120", ("other",))):
        arc = f"in_arc(attacker, target, {degrees} * {SHARE})"
        assert could_be(table, one=arc, other=f"not {arc}") == possible


def test_a_truth_of_which_nobody_is_sure_turns_out_alike() -> None:
    table = DoubtfulTable({}, {"Wall": Evaluation(value=True, sure=False)}, [WALL])
    touched = "any(wall in terrain: contact(target, wall))"
    assert could_be(table, one=touched, other=f"not {touched}") == ("one", "other")


NEAR = "those(wall in terrain where obscured(attacker.eye, wall.body) >= 0.5)"
"""Pieces of which it may be in doubt whether they are among these."""


def near(wall: Range, hedge: Range) -> DoubtfulTable:
    return DoubtfulTable({("obscured", "Wall"): wall, ("obscured", "Hedge"): hedge})


SURELY, PERHAPS, PERHAPS_NOT, NEVER = (0.7, 0.8), (0.45, 0.65), (0.35, 0.55), (0.1, 0.2)


@pytest.mark.parametrize(
    ("condition", "wall", "hedge", "possible"),
    [
        (f"seen(attacker.eye, target.body, past = {NEAR}) > 0.6", PERHAPS, NEVER, ("one", "else")),
        (f"seen(attacker.eye, target.body, past = {NEAR}) > 0.6", PERHAPS_NOT, NEVER, ("one", "else")),
        (f"seen(attacker.eye, target.body, past = {NEAR}) > 0.6", NEVER, PERHAPS, ("one",)),
        (f"seen(attacker.eye, target.body, past = {NEAR} + {NEAR}) > 0.4", PERHAPS, PERHAPS_NOT, ("one", "else")),
        (f"number({NEAR}) > 1", PERHAPS, SURELY, ("one", "else")),
        (f"number({NEAR}) > 1", PERHAPS, NEVER, ("else",)),
        (f"number({NEAR}) is 1", PERHAPS_NOT, PERHAPS_NOT, ("one", "else")),
        (f"any(one in {NEAR}: one.light)", SURELY, PERHAPS_NOT, ("one", "else")),
        (f"any(one in {NEAR}: one.light)", PERHAPS_NOT, NEVER, ("else",)),
        (f"all(one in {NEAR}: one.light)", PERHAPS_NOT, NEVER, ("one", "else")),
        (f"none(one in {NEAR}: one.light)", NEVER, PERHAPS, ("one", "else")),
        (f"half(one in {NEAR}: one.light)", PERHAPS, SURELY, ("one",)),
        (f"most(one in {NEAR}: one.light)", PERHAPS, SURELY, ("one", "else")),
        (f"any(one in terrain: one in {NEAR} and one.light)", NEVER, PERHAPS_NOT, ("one", "else")),
        (f"any(one in those(two in {NEAR} where two.light): yes)", PERHAPS, PERHAPS, ("one", "else")),
        (f"any(one in those(two in {NEAR} where two.light): yes)", PERHAPS, NEVER, ("else",)),
        (f"number({NEAR} + terrain) > 1", PERHAPS, PERHAPS, ("one",)),
        (f"any(one in {NEAR}: yes) or none(one in {NEAR}: yes)", PERHAPS, NEVER, ("one",)),
        (f"not any(one in {NEAR}: yes)", PERHAPS_NOT, NEVER, ("one", "else")),
        (f"least(one in {NEAR}: visible(attacker.eye, one.body)) > 0.3", PERHAPS, SURELY, ("one", "else")),
        (f"least(one in {NEAR}: visible(attacker.eye, one.body)) > 0.3", PERHAPS_NOT, SURELY, ("one", "else")),
        (f"greatest(one in {NEAR}: visible(attacker.eye, one.body)) > 0.3", NEVER, PERHAPS, ("one", "else")),
        (f"greatest(one in {NEAR}: visible(attacker.eye, one.body)) > 0.3", PERHAPS, SURELY, ("one",)),
    ],
)
@pytest.mark.parametrize("most", [64, 1])
def test_doubt_about_pieces_reaches_the_verdict(
    condition: str,
    wall: Range,
    hedge: Range,
    possible: tuple[str, ...],
    most: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Also where each clause is taken by itself, which may name more."""
    monkeypatch.setattr(worlds, "MOST_WORLDS", most)
    table = near(wall, hedge)
    table.shares = {**table.shares, ("visible", "Wall"): (0.2, 0.2), ("visible", "Hedge"): (0.4, 0.4)}
    found = could_be(table, one=condition)
    assert set(found) >= set(possible)
    if most > 1:
        assert found == possible


def test_too_much_in_doubt_is_told_clause_by_clause(monkeypatch: pytest.MonkeyPatch) -> None:
    table = DoubtfulTable({("obscured", "Vex"): (0.4, 0.6)})
    conditions = {"one": f"{SHARE} >= 0.5", "other": f"not {SHARE} >= 0.5"}
    assert could_be(table, **conditions) == ("one", "other")
    monkeypatch.setattr(worlds, "MOST_WORLDS", 1)
    assert could_be(table, **conditions) == ("one", "other", "else")


def test_so_many_worlds_are_looked_at() -> None:
    """Six things in doubt at once are looked at together, more are not."""
    for count, is_told in ((6, True), (7, False)):
        crates = [standing(f"crate {number}") for number in range(count)]
        table = DoubtfulTable({("obscured", one.name): (0.4, 0.6) for one in crates}, terrain=crates)
        many = f"number({NEAR}) + number({NEAR}) is 3"
        assert could_be(table, one=many) == (("else",) if is_told else ("one", "else"))


def test_what_a_world_lacks_is_measured_for_all_worlds_together() -> None:
    """A table on which nothing has been measured past fewer or more pieces."""

    class Unmeasuring(DoubtfulTable):
        def ask(self, primitive: str, given: Mapping[str, Any]) -> Evaluation:
            if primitive == "visible":
                names = tuple(one.name for one in given["past"])
                raise Unmeasured({names: None})  # type: ignore[dict-item]
            return super().ask(primitive, given)

    table = Unmeasuring({("obscured", "Wall"): PERHAPS, ("obscured", "Hedge"): PERHAPS})
    with pytest.raises(Unmeasured) as missing:
        could_be(table, one=f"visible(attacker.eye, target.body, past = {NEAR}) > 0.5")
    assert set(missing.value.sights) == {("Wall", "Hedge")}
    found = worlds_lacking([("Wall",), ("Hedge",), ("Wall", "Hedge")])
    assert set(found) == {("Wall",), ("Hedge",)}


def worlds_lacking(sets: Sequence[tuple[str, ...]]) -> Mapping[Any, Sight]:
    """What is told to be measured where the first two of three worlds lack something."""
    left = iter(sets)

    def answer(world: worlds.World) -> str:
        world.truth(("a",), likely=True)
        if world.truth(("a",), likely=True):
            world.truth(("b",), likely=True)
        names = next(left)
        if len(names) == 1:
            raise Unmeasured({names: None})  # type: ignore[dict-item]
        return "one"

    with pytest.raises(Unmeasured) as missing:
        worlds.possible_in(answer, ["one", "other"])
    return missing.value.sights


# ---- by brute force: random conditions, and every combination of values

CONSTANTS = st.sampled_from(["0.25", "0.375", "0.5", "0.625"])
SIGNS = st.sampled_from(["<", "<=", ">", ">=", "is", "is not"])
NAMES = ("first", "second")


@st.composite
def conditions(draw: st.DrawFn, variables: tuple[str, ...] = (), depth: int = 3) -> str:
    """The text of a condition about what stands on a `DoubtfulTable`."""
    kinds = ["share", "share", "touch"] + ["not", "and", "or"] * (depth > 0)
    if depth > 0 and len(variables) < len(NAMES):
        kinds += ["quantifier", "seen", "number", "among"]
    kind = draw(st.sampled_from(kinds))
    inner = conditions(variables, depth - 1)
    if kind == "share":
        piece = draw(st.sampled_from(["target", *variables]))
        share = f"obscured(attacker.eye, {piece}.body)"
        share = draw(
            st.sampled_from([share, share, f"2 * {share} - 0.5", f"(1 - {share})", f"-{share} + {share} + 0.5"])
        )
        sides = [share, draw(CONSTANTS)]
        return f" {draw(SIGNS)} ".join(draw(st.permutations(sides)))
    if kind == "touch":
        return f"contact(target, {draw(st.sampled_from(['attacker', *variables]))})"
    if kind == "not":
        return f"not ({draw(inner)})"
    if kind in ("and", "or"):
        return f"(({draw(inner)}) {kind} ({draw(inner)}))"
    name = NAMES[len(variables)]
    of_each = conditions((*variables, name), depth - 1)
    some = f"those({name} in terrain where {draw(of_each)})"
    if kind == "number":
        return f"number({some}) {draw(SIGNS)} {draw(st.integers(0, 2))}"
    if kind == "seen":
        return f"seen(attacker.eye, target.body, past = {some}) {draw(SIGNS)} {draw(CONSTANTS)}"
    if kind == "among":
        return f"any({name} in terrain where {draw(of_each)}: {name} in {some.replace(name, 'other')})"
    members = draw(st.sampled_from(["terrain", some.replace(name, "third")]))
    how = draw(st.sampled_from(["any", "all", "none", "half", "most"]))
    where = draw(st.sampled_from(["", f" where {draw(of_each)}"]))
    return f"{how}({name} in {members}{where}: {draw(of_each)})"


STEP = 1 / 32
RANGES = st.tuples(st.integers(5, 20), st.integers(0, 5)).map(lambda pair: (pair[0] * STEP, (pair[0] + pair[1]) * STEP))
"""Intervals of shares, on a grid that is finer than that of the thresholds."""


def certain(table: DoubtfulTable) -> Iterator[DoubtfulTable]:
    """Tables without doubt: one for every combination of values on the grid."""
    names = list(table.shares)
    values = [
        [least + STEP * step for step in range(round((most - least) / STEP) + 1)]
        for least, most in table.shares.values()
    ]
    truths = [[False, True] if not found.sure else [found.value] for found in table.doubtful.values()]
    for shares in product(*values):
        for holds in product(*truths):
            exact = {name: Evaluation(value) for name, value in zip(table.doubtful, holds, strict=True)}
            yield DoubtfulTable({name: (x, x) for name, x in zip(names, shares, strict=True)}, exact, table.terrain)


DOUBTFUL = given(conditions(), conditions(), st.tuples(RANGES, RANGES, RANGES), st.tuples(st.booleans(), st.booleans()))


@pytest.mark.long
@settings(max_examples=12)
@DOUBTFUL
def test_the_verdicts_are_exactly_those_that_some_values_give(
    one: str, other: str, shares: tuple[Range, Range, Range], holds: tuple[bool, bool]
) -> None:
    assert_exact(one, other, shares, holds)


@pytest.mark.long
@settings(max_examples=50)
@DOUBTFUL
def test_so_they_are_of_many_more(
    one: str, other: str, shares: tuple[Range, Range, Range], holds: tuple[bool, bool]
) -> None:
    assert_exact(one, other, shares, holds)


def assert_exact(one: str, other: str, shares: tuple[Range, Range, Range], holds: tuple[bool, bool]) -> None:
    """That the verdicts of two conditions in doubt are those of all tables without doubt."""
    names = ("Wall", "Hedge", "Vex")
    doubtful = {"Wall": Evaluation(holds[0], sure=False), "Kal": Evaluation(holds[1], sure=False)}
    table = DoubtfulTable({("obscured", name): share for name, share in zip(names, shares, strict=True)}, doubtful)
    game = game_of(one=one, other=other)
    given_by_some = {ruled(game, exact, KAL, VEX).ruling.name for exact in certain(table)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(worlds, "MOST_WORLDS", 100_000)
        assert set(ruled(game, table, KAL, VEX).could_be) == given_by_some
        patch.setattr(worlds, "MOST_WORLDS", 1)
        assert set(ruled(game, table, KAL, VEX).could_be) >= given_by_some
