"""What is kept, of attributes and of functions: one value for all threads, one bound, no lock held after a fork."""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Iterator
from typing import Any
from weakref import ref

import numpy as np
import pytest
import shapely

import silhouette.relations.plane_geometry  # noqa: F401 - says how large shapes are
from silhouette.common import lazy
from silhouette.common.lazy import cached_property, derived, forget, kept_bytes, remembered, size_of


class Slow:
    """Two threads that read ``value`` meet while it is worked out."""

    def __init__(self) -> None:
        self.meeting = threading.Barrier(2, timeout=30.0)

    @cached_property
    def value(self) -> object:
        self.meeting.wait()
        return object()


def in_threads(*functions: Any) -> list[Any]:
    results: list[Any] = [None] * len(functions)

    def run(place: int) -> None:
        results[place] = functions[place]()

    threads = [threading.Thread(target=run, args=(place,)) for place in range(len(functions))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def test_threads_that_read_an_attribute_at_once_get_the_same_object() -> None:
    slow = Slow()
    one, other = in_threads(lambda: slow.value, lambda: slow.value)
    assert one is other is slow.value


def test_the_attribute_of_one_object_is_worked_out_while_that_of_another_is() -> None:
    one, other = Slow(), Slow()
    other.meeting = one.meeting  # under a lock of the class, the second would never come to the meeting
    first, second = in_threads(lambda: one.value, lambda: other.value)
    assert first is not second


class Owner:
    """Something frozen."""


@derived
def block(owner: Owner, size: int) -> bytes:
    return bytes(size)


@derived
def meeting_at(owner: Slow, number: int) -> object:
    owner.meeting.wait()
    return object()


@derived
def itself(owner: Owner) -> Owner:
    return owner


@pytest.fixture
def empty(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Nothing is kept, and there is room for some 100 kB."""
    forget()
    monkeypatch.setattr(lazy, "BYTES", 100_000)
    yield
    forget()


@pytest.mark.usefixtures("empty")
def test_what_was_used_longest_ago_goes_first_and_the_bound_holds_for_all_owners() -> None:
    owners = [Owner() for _ in range(30)]
    values = [block(owner, 9000) for owner in owners[:8]]
    assert block(owners[0], 9000) is values[0]  # used again
    for owner in owners[8:13]:
        block(owner, 9000)
        assert kept_bytes() <= 100_000
    assert block(owners[0], 9000) is values[0]
    assert block(owners[1], 9000) is not values[1]
    assert 4 <= block.count <= 11


@pytest.mark.usefixtures("empty")
def test_the_latest_value_stays_however_large_and_sizes_are_those_of_arrays() -> None:
    owner = Owner()
    small = block(owner, 10)
    large = block(owner, 10**6)
    assert block(owner, 10**6) is large
    assert block(owner, 10) is not small
    assert 800_000 <= size_of({"a": [np.zeros(10**5)]}) < 801_000
    assert size_of(shapely.Point(0.0, 0.0).buffer(1.0, quad_segs=250)) > 16_000


@pytest.mark.usefixtures("empty")
def test_what_an_owner_has_goes_with_it_and_forget_leaves_nothing() -> None:
    owner, other = Owner(), Owner()
    for number in range(5):
        block(owner, 1000 + number)
    block(other, 1000)
    assert (block.count, kept_bytes() > 6000) == (6, True)
    del owner
    assert (block.count, kept_bytes() < 2000) == (1, True)
    forget()
    assert (block.count, kept_bytes()) == (0, 0)


@derived
def between(owner: Owner, other: ref[Owner]) -> bytes:
    return bytes(5000)


@pytest.mark.usefixtures("empty")
@pytest.mark.parametrize("first", [0, 1])
def test_what_two_owners_have_goes_with_whichever_dies_first(first: int) -> None:
    owners = [Owner(), Owner()]
    last = Owner()
    between(owners[0], ref(owners[1]))
    between(owners[0], ref(last))
    assert between.count == 2
    del owners[first]
    assert (between.count, kept_bytes() > 5000) == ([0, 1][first], first == 1)
    assert between(last, ref(last)) is between(last, ref(last))


@pytest.mark.usefixtures("empty")
def test_what_arguments_alone_have_is_counted_and_forgotten() -> None:
    calls = []

    @remembered
    def zeros(size: int) -> bytes:
        calls.append(size)
        return bytes(size)

    assert zeros(9000) is zeros(9000)
    assert kept_bytes() > 9000
    forget()
    assert (kept_bytes(), len(zeros(9000)), calls) == (0, 9000, [9000, 9000])


@pytest.mark.usefixtures("empty")
def test_a_value_that_is_its_owner_keeps_it_not() -> None:
    owner = Owner()
    gone = ref(owner)
    assert itself(owner) is owner
    del owner
    assert gone() is None


def test_arguments_are_given_by_place() -> None:
    with pytest.raises(TypeError, match="block takes its arguments by place"):
        block(Owner(), size=3)


@pytest.mark.usefixtures("empty")
def test_threads_get_the_same_value_and_wait_for_no_other_owner() -> None:
    slow = Slow()
    one, other = in_threads(lambda: meeting_at(slow, 1), lambda: meeting_at(slow, 1))
    assert one is other is meeting_at(slow, 1)
    first, second = in_threads(lambda: meeting_at(slow, 2), lambda: meeting_at(slow, 3))
    assert first is not second


@pytest.mark.usefixtures("empty")
def test_the_sum_is_right_after_many_threads_whose_owners_die() -> None:
    def work(seed: int) -> None:
        random = np.random.default_rng(seed)
        owners = [Owner() for _ in range(20)]
        for _ in range(1500):
            place = int(random.integers(20))
            block(owners[place], int(random.integers(1, 40)) * 100)
            if random.random() < 0.2:
                owners[place] = Owner()

    in_threads(*(lambda seed=seed: work(seed) for seed in range(4)))
    block(Owner(), 1)  # has what was freed counted
    assert kept_bytes() == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.usefixtures("empty")
def test_a_forked_process_has_what_there_was_though_another_thread_held_the_lock() -> None:
    owner = Owner()
    value = block(owner, 100)
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with lazy._lock:
            held.set()
            done.wait(30.0)

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait(30.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of Python 3.12: this process has threads
        child = os.fork()
    if child == 0:
        os._exit(0 if block(owner, 100) is value and len(block(owner, 200)) == 200 else 1)
    done.set()
    thread.join()
    assert os.waitpid(child, 0)[1] == 0
