"""A function applied to many items by several processes: the results in the order of the items.

Python lets one thread at a time work, and a check is hundreds of short steps in numpy: threads gain nothing. A forked
process starts within milliseconds, with the meshes and their acceleration structures in place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from silhouette.workers import starting
from silhouette.workers.pool import WorkerPool

Item = TypeVar("Item")
Result = TypeVar("Result")


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
    workers = min(workers, len(items))
    if workers < 2 or starting.start_method().name != "fork":
        yield from _here(function, items, indices)
        return

    def work(index: int) -> Iterator[Result]:
        yield function(items[index])

    with WorkerPool(lambda: work, workers, replace=False) as pool:
        futures = {index: pool.submit(index) for index in indices}
        for index in range(len(items)):
            yield pool.result(futures.pop(index))


def _here(function: Callable[[Item], Result], items: Sequence[Item], indices: Sequence[int]) -> Iterator[Result]:
    """The results by this process alone; of an error, after what is before it in the order of the items."""
    outcomes: dict[int, Result | Exception] = {}
    due = 0
    for index in indices:
        try:
            outcomes[index] = function(items[index])
        except Exception as error:
            outcomes[index] = error
        while due in outcomes:
            outcome = outcomes.pop(due)
            if isinstance(outcome, Exception):
                raise outcome
            yield outcome
            due += 1
