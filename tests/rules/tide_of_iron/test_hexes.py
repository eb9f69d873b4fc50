"""Hexes in whole numbers: against fractions, and by the symmetries of the map."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from silhouette.rules.tide_of_iron.hexes import (
    CORNER_STEPS,
    LEFT_SHIFT,
    NEIGHBOUR_STEPS,
    RIGHT_SHIFT,
    Address,
    along_edges,
    bounding_ranges,
    distance,
    entered,
    from_words,
    in_words,
)
from tests.support.tide_of_iron_by_brute_force import follows_edges, hexes_on

Move = Callable[[Address], Address]

FAR = 7  # every direction and length up to this is compared with the fractions

addresses = st.tuples(st.integers(-30, 30), st.integers(-30, 30))
shifts = st.sampled_from([LEFT_SHIFT, 0, RIGHT_SHIFT])


def turned(address: Address) -> Address:
    """Anticlockwise by 60 degrees."""
    q, r = address
    return -r, q + r


def mirrored(address: Address) -> Address:
    """In the line q = r."""
    return address[1], address[0]


def symmetry(turns: int, mirror: bool) -> Move:
    def move(address: Address) -> Address:
        for _ in range(turns):
            address = turned(address)
        return mirrored(address) if mirror else address

    return move


SYMMETRIES = [symmetry(turns, mirror) for mirror in (False, True) for turns in range(6)]


def neighbours(address: Address) -> list[Address]:
    """The six hexes that share an edge with one."""
    return [(address[0] + q, address[1] + r) for q, r in NEIGHBOUR_STEPS]


def test_the_neighbours_and_the_corners_go_round_anticlockwise() -> None:
    for steps in (NEIGHBOUR_STEPS, CORNER_STEPS):
        assert [turned(step) for step in steps] == [*steps[1:], steps[0]]
    assert all(distance((0, 0), step) == 1 for step in NEIGHBOUR_STEPS)


@pytest.mark.long
def test_every_line_enters_what_it_enters_in_fractions() -> None:
    for q in range(-FAR, FAR + 1):
        for r in range(-FAR, FAR + 1):
            assert along_edges((0, 0), (q, r)) == follows_edges((0, 0), (q, r))
            for shift in (LEFT_SHIFT, 0, RIGHT_SHIFT):
                assert tuple(entered((0, 0), (q, r), shift)) == hexes_on(q, r, shift), (q, r, shift)
            if not along_edges((0, 0), (q, r)):  # else two hexes are touched at once, in no order
                assert tuple(entered((0, 0), (q, r), touching=True)) == hexes_on(q, r, 0, points=True), (q, r)


@pytest.mark.parametrize("corner", CORNER_STEPS)
def test_a_line_along_edges_has_two_chains_of_flanks(corner: Address) -> None:
    whole = (3 * corner[0], 3 * corner[1])
    assert along_edges((0, 0), whole)
    left, right = (set(entered((0, 0), whole, shift)) for shift in (LEFT_SHIFT, RIGHT_SHIFT))
    on_it = {corner, (2 * corner[0], 2 * corner[1])}
    assert set(entered((0, 0), whole)) == on_it == left & right
    for k in range(3):
        base = (k * corner[0], k * corner[1])
        both = set(neighbours(base)) & set(neighbours((base[0] + corner[0], base[1] + corner[1])))
        assert len(both & left) == len(both & right) == 1
        assert both <= left | right


@given(start=addresses, end=addresses, shift=shifts, by=addresses)
def test_a_line_is_the_same_wherever_it_lies(start: Address, end: Address, shift: int, by: Address) -> None:
    moved = [(q + by[0], r + by[1]) for q, r in entered(start, end, shift)]
    assert entered((start[0] + by[0], start[1] + by[1]), (end[0] + by[0], end[1] + by[1]), shift) == moved


@given(start=addresses, end=addresses, shift=shifts, number=st.integers(0, 11))
def test_a_line_turns_and_mirrors_with_the_map(start: Address, end: Address, shift: int, number: int) -> None:
    move = SYMMETRIES[number]
    other = -shift if number >= 6 else shift
    assert entered(move(start), move(end), other) == [move(each) for each in entered(start, end, shift)]
    assert along_edges(move(start), move(end)) == along_edges(start, end)
    assert distance(move(start), move(end)) == distance(start, end)


@given(start=addresses, end=addresses, shift=shifts)
def test_a_line_back_enters_the_same_hexes_and_left_is_right(start: Address, end: Address, shift: int) -> None:
    assert entered(end, start, -shift) == entered(start, end, shift)[::-1]


@given(start=addresses, end=addresses, shift=shifts)
def test_a_line_goes_from_neighbour_to_neighbour(start: Address, end: Address, shift: int) -> None:
    way = [start, *entered(start, end, shift), end]
    gaps = {distance(a, b) for a, b in pairwise(way)}
    on_edges = along_edges(start, end) and shift == 0
    assert gaps <= ({2} if on_edges else {0, 1})
    assert len(set(way)) == len(way) or start == end


def test_far_ends_are_exact() -> None:
    far = 10_000
    assert along_edges((-far, -far), (far, far))
    assert not along_edges((-far, -far), (far, far - 1))
    assert (0, 0) in entered((-far, -far), (far, far))
    assert len(entered((-far, -far), (far, far), LEFT_SHIFT)) == 2 * 2 * far - 1
    assert entered((-far, far), (far, far)) == [(q, far) for q in range(1 - far, far)]


def test_addresses_in_words() -> None:
    assert from_words(in_words((-3, 12))) == (-3, 12)
    for text in (" 4 , 0 ", "[4,0]", "+4,0", "[ 4, 0 ]"):
        assert from_words(text) == (4, 0)
    for text in ("4", "4,0,0", "[4, 0", "4, 0]", "4.0, 0", "four, 0", "4,0x", "[]", "4," + "9" * 5000):
        assert from_words(text) is None


@given(st.lists(addresses, min_size=1))
def test_the_extent_holds_them_all_and_no_more(given_addresses: list[Address]) -> None:
    columns, rows = bounding_ranges(given_addresses)
    assert all(q in columns and r in rows for q, r in given_addresses)
    assert {q for q, _ in given_addresses} >= {columns[0], columns[-1]}
    assert {r for _, r in given_addresses} >= {rows[0], rows[-1]}
