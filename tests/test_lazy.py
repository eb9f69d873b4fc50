"""Attributes that threads share: one value for all, and no lock that a fork could find held."""

from __future__ import annotations

import threading
from typing import Any

from silhouette.lazy import cached_property


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
