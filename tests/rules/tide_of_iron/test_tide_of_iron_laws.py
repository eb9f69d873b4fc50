"""Tide of Iron: laws that hold whatever the map, and a second, slow implementation."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from silhouette.files.cache import Cache
from silhouette.rules.tide_of_iron.hexes import CORNER_STEPS, Address, in_words
from silhouette.rules.tide_of_iron.judge import CAUSES, SECTIONS
from silhouette.rules.tide_of_iron.rule import TIDE_OF_IRON
from silhouette.scenes.scene import Check
from tests.rules.tide_of_iron.test_hexes import SYMMETRIES
from tests.support.rulings import ruled
from tests.support.tide_of_iron_by_brute_force import Board
from tests.support.tide_of_iron_maps import READINGS, Described, judged

small = st.tuples(st.integers(-3, 3), st.integers(-3, 3))
ground = st.tuples(st.sampled_from(["clear", "clear", "woods", "building", "smoke"]), st.integers(0, 3))
maps = st.dictionaries(small, ground, max_size=30)
readings = st.fixed_dictionaries({key: st.sampled_from(values) for key, values in READINGS.items()})


class TestLaws:
    """What must hold whatever the map."""

    @given(described=maps, start=small, end=small, chosen=readings)
    def test_attacker_and_target_are_alike(
        self, described: Described, start: Address, end: Address, chosen: dict[str, str]
    ) -> None:
        there, back = (judged(described, *pair, readings=chosen) for pair in ((start, end), (end, start)))
        assert (there.verdict, there.cause, there.rule.number) == (back.verdict, back.cause, back.rule.number)
        assert there.other_readings == back.other_readings
        if there.elevations[0] != there.elevations[1] and not there.along_edge:
            assert (there.obstruction, there.blind_hexes) == (back.obstruction, back.blind_hexes)

    @given(described=maps, start=small, end=small, chosen=readings, number=st.integers(0, 11), by=small)
    def test_a_map_can_be_turned_mirrored_and_moved(
        self, described: Described, start: Address, end: Address, chosen: dict[str, str], number: int, by: Address
    ) -> None:
        def move(address: Address) -> Address:
            q, r = SYMMETRIES[number](address)
            return q + by[0], r + by[1]

        before = judged(described, start, end, readings=chosen)
        moved = {move(address): what for address, what in described.items()}
        after = judged(moved, move(start), move(end), readings=chosen)
        assert (after.verdict, after.cause, after.rule.number) == (before.verdict, before.cause, before.rule.number)
        assert after.other_readings == before.other_readings
        if not before.along_edge:
            assert after.obstruction == (before.obstruction and move(before.obstruction))
            assert after.blind_hexes == tuple(move(each) for each in before.blind_hexes)

    @given(described=maps, start=small, end=small, chosen=readings, at=small)
    def test_woods_never_open_a_line(
        self, described: Described, start: Address, end: Address, chosen: dict[str, str], at: Address
    ) -> None:
        level = described.get(at, ("clear", 0))[1]
        before = judged(described, start, end, readings=chosen)
        after = judged({**described, at: ("woods", level)}, start, end, readings=chosen)
        assert after.line_of_sight <= before.line_of_sight

    @given(described=maps, start=small, end=small, random=st.randoms())
    def test_the_order_of_the_hexes_does_not_matter(
        self, described: Described, start: Address, end: Address, random: random.Random
    ) -> None:
        items = list(described.items())
        random.shuffle(items)
        assert judged(dict(items), start, end) == judged(described, start, end)

    @given(described=maps, start=small, end=small, levels=st.integers(1, 4))
    def test_only_differences_of_level_matter(
        self, described: Described, start: Address, end: Address, levels: int
    ) -> None:
        raised = [
            {"at": list(at), "terrain": terrain, "elevation": level + levels}
            for at, (terrain, level) in described.items()
        ]
        document = {"rules": "tide-of-iron", "map": {"default": {"elevation": levels}, "hex": raised}}
        higher = TIDE_OF_IRON.load(Path("hexes.toml"), document, Cache(None))
        after = ruled(TIDE_OF_IRON, higher, Check(in_words(start), in_words(end)))
        before = judged(described, start, end)
        assert (after.verdict, after.cause, after.obstruction) == (before.verdict, before.cause, before.obstruction)

    @given(described=maps, start=small, end=small, chosen=readings)
    def test_the_lower_unit_is_hidden_where_it_stands_in_a_blind_hex(
        self, described: Described, start: Address, end: Address, chosen: dict[str, str]
    ) -> None:
        verdict = judged(described, start, end, readings=chosen)
        lower = end if verdict.elevations[0] >= verdict.elevations[1] else start
        for line in verdict.lines:
            assert (lower in line.blind_hexes) == (line.finding.cause == "blind_hex")

    @given(described=maps, start=small, end=small, chosen=readings)
    def test_other_readings_are_what_they_say(
        self, described: Described, start: Address, end: Address, chosen: dict[str, str]
    ) -> None:
        verdict = judged(described, start, end, readings=chosen)
        told = {other["reading"]: other["verdict"] for other in verdict.other_readings}
        for key, values in READINGS.items():
            (value,) = set(values) - {chosen[key]}
            other = judged(described, start, end, readings={**chosen, key: value})
            assert told.get(f"{key} = {value}", verdict.verdict) == other.verdict


def random_scene(rng: random.Random) -> tuple[Described, Address, Address]:
    """A map and two hexes of it; one line in five runs along edges."""
    size, density = rng.choice([3, 5, 7]), rng.choice([0.2, 0.4, 0.8])
    every = [(q, r) for q in range(-size, size + 1) for r in range(-size, size + 1)]
    kinds, levels = [*["clear"] * 8, "woods", "building", "smoke"], [0, 0, 1, 1, 2, 3]
    described: Described = {
        at: (rng.choice(kinds), rng.choice(levels[: rng.choice([2, 4, 6])])) for at in every if rng.random() < density
    }
    start, end = rng.sample(every, 2)
    if rng.random() < 0.2:
        start, (q, r) = (0, 0), rng.choice(CORNER_STEPS)
        length = rng.randint(1, size // 2)
        end = (q * length, r * length)
    for address in (start, end):
        described[address] = (rng.choice(kinds), rng.choice(levels))
    return described, start, end


@pytest.mark.parametrize(
    ("count", "least"), [pytest.param(200, 1, marks=pytest.mark.slow), pytest.param(2000, 25, marks=pytest.mark.long)]
)
def test_it_agrees_with_brute_force_on_random_scenes(count: int, least: int) -> None:
    rng = random.Random(20_240_611)
    causes: Counter[str] = Counter()
    for _ in range(count):
        described, start, end = random_scene(rng)
        chosen = {key: rng.choice(values) for key, values in READINGS.items()}
        board = Board(described, chosen)
        verdict = judged(described, start, end, readings=chosen)
        assert verdict.line_of_sight == board.sees(start, end), (described, chosen, start, end)
        for line in verdict.lines:
            assert list(line.hexes) in board.lines(start, end)
            assert line.clear == board.free(start, end, list(line.hexes))
        causes[verdict.cause] += 1
        causes[verdict.rule.number] += 1
    seldom = ("same_hex", "adjacent", "A7")
    assert min(causes[each] for each in (*CAUSES, *SECTIONS) if each not in seldom) >= least, causes
