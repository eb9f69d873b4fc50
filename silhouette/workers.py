"""Many questions to what is in memory: answered by processes forked from this one, which share all that it has loaded.

Python lets one thread at a time work, and a check is hundreds of short steps in numpy: threads gain nothing. A forked
process starts within milliseconds, with the meshes and their acceleration structures in place.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, TypeVar

from silhouette.errors import SilhouetteError

Asked = TypeVar("Asked")
Answered = TypeVar("Answered")

CAN_FORK = sys.platform == "linux"
"""macOS can fork as well, but its own libraries do not survive it."""

AT_ONCE = 4
"""Questions handed to a process together."""

_answer: Callable[[Any], Any] | None = None


def cores() -> int:
    """The processor cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def forked(answer: Callable[[Asked], Answered], questions: Sequence[Asked], workers: int) -> Iterator[Answered]:
    """The answers, in the order of the questions, from so many processes that live as long as the iterator.

    ``answer`` may be any closure; the questions and the answers travel, and must be what pickle can carry.

    Raises:
        SilhouetteError: where a process ends without an answer; what came before it has been yielded.
        Exception: what ``answer`` raises.

    >>> from fractions import Fraction
    >>> list(forked(lambda share: share * 2, [Fraction(1, 3), Fraction(1, 2)], workers=2)) if CAN_FORK else [1]
    [Fraction(2, 3), Fraction(1, 1)]
    >>> list(forked(str, [], workers=2))
    []
    """
    global _answer
    _answer = answer
    with ProcessPoolExecutor(workers, multiprocessing.get_context("fork"), initializer=_leave_interrupts) as processes:
        try:
            with warnings.catch_warnings():
                # Other threads wait, and hold no lock that an answer takes.
                warnings.filterwarnings("ignore", "This process .* is multi-threaded", DeprecationWarning)
                answers = processes.map(_answered, questions, chunksize=AT_ONCE)
            yield from answers
        except BrokenProcessPool:
            raise SilhouetteError(
                "a worker process ended in the middle of a check, out of memory or killed; "
                "take fewer with --workers, or a larger --pixel"
            ) from None
        finally:
            _answer = None
            processes.shutdown(wait=True, cancel_futures=True)


def _leave_interrupts() -> None:
    """Ctrl-C is for the process that asked: it ends the others."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _answered(question: Any) -> Any:
    assert _answer is not None
    return _answer(question)
