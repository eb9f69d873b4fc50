"""A function applied to many items by several processes: the results in the order of the items.

Python lets one thread at a time work, and a check is hundreds of short steps in numpy: threads gain nothing. A forked
process starts within milliseconds, with the meshes and their acceleration structures in place.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from silhouette.errors import SilhouetteError
from silhouette.workers import starting
from silhouette.workers.pool import WorkerPool

Item = TypeVar("Item")
Result = TypeVar("Result")

WORKER_LOST = (
    "a worker process ended in the middle of a check, out of memory or killed; "
    "take fewer with --workers, or a larger --pixel"
)


def parallel_map(
    function: Callable[[Item], Result], items: Sequence[Item], workers: int, order: Sequence[int] | None = None
) -> Iterator[Result]:
    """Yields ``function(item)`` for each item, in the order of the items.

    The work is done by processes forked from this one, which end with the iterator. Each takes the next item as soon as
    it is free. Where this process cannot be forked (see `silhouette.workers.starting.start_method`), and for one
    worker or one item, it does the work itself, with the same results.

    Args:
        function: any closure; its results must be what pickle can carry, and wait in memory for their turn.
        items: the items to which it is applied.
        workers: the number of processes.
        order: the indices of the items, each once, in the order in which they are to be taken; by default ascending.

    Raises:
        SilhouetteError: where a worker process ends without a result; the results before that item are yielded first.
        Exception: the error that ``function`` raises, after the results before that item.

    >>> from fractions import Fraction
    >>> list(parallel_map(lambda share: share * 2, [Fraction(1, 3), Fraction(1, 2)], workers=2))
    [Fraction(2, 3), Fraction(1, 1)]
    >>> list(parallel_map(str, [5, 6, 7], workers=1, order=[2, 0, 1]))
    ['5', '6', '7']
    >>> list(parallel_map(str, [], workers=2))
    []
    """
    indices = range(len(items)) if order is None else order
    waiting: dict[int, _Outcome] = {}
    due = 0
    for index, outcome in _outcomes(function, items, indices, min(workers, len(items))):
        waiting[index] = outcome
        while due in waiting:
            yield waiting.pop(due).unwrap()
            due += 1


@dataclass(frozen=True)
class _Outcome:
    """A result, or the error that was raised instead."""

    result: Any = None
    error: Exception | None = None

    @classmethod
    def of(cls, function: Callable[[Any], Any], item: Any) -> _Outcome:
        try:
            return cls(function(item))
        except Exception as error:
            return cls(error=error)

    def unwrap(self) -> Any:
        if self.error is not None:
            raise self.error
        return self.result

    def pickled(self) -> bytes:
        """The outcome as bytes; where pickle cannot carry it, an error that says so, or that repeats the error's words.

        Some exceptions can be pickled but not be read back, hence the second step.
        """
        try:
            data = pickle.dumps(self)
            if self.error is not None:
                pickle.loads(data)
            return data
        except Exception as problem:
            message = f"a result that pickle cannot carry: {problem}"
            if self.error is not None:
                message = f"{type(self.error).__name__}: {self.error}"
            return pickle.dumps(_Outcome(error=RuntimeError(message)))


def _outcomes(
    function: Callable[[Any], Any], items: Sequence[Any], indices: Sequence[int], workers: int
) -> Iterator[tuple[int, _Outcome]]:
    """The outcome of each item with its index, as they come."""
    if workers < 2 or starting.start_method().name != "fork":
        for index in indices:
            yield index, _Outcome.of(function, items[index])
        return

    def work(index: int) -> Iterator[bytes]:
        yield _Outcome.of(function, items[index]).pickled()

    left = iter(indices)
    lost = _Outcome(error=SilhouetteError(WORKER_LOST))
    with WorkerPool(lambda: work, workers, replace=False) as pool:
        for event in pool.events(lambda last: next(left, None)):
            if event.kind == "result":
                yield event.task, pickle.loads(event.value)
            elif event.kind == "lost":
                yield event.task, lost
    for index in left:  # no worker is left
        yield index, lost
