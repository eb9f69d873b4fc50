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
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any, TypeVar

from silhouette.errors import SilhouetteError

Asked = TypeVar("Asked")
Answered = TypeVar("Answered")

CAN_FORK = sys.platform == "linux"
"""macOS can fork as well, but its own libraries do not survive it."""


def forks_safely() -> bool:
    """Whether a process can be forked from this one: graphics drivers that are loaded do not survive it."""
    return CAN_FORK and "OpenGL" not in sys.modules


@contextmanager
def unwarned() -> Iterator[None]:
    """For forking: other threads draw progress, wait or watch, and hold no lock that a forked process takes."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "This process .* is multi-threaded", DeprecationWarning)
        yield


def cores() -> int:
    """The processor cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def forked(answer: Callable[[Asked], Answered], questions: Sequence[Asked], workers: int) -> Iterator[Answered]:
    """The answers, in the order of the questions, by this process and others that live as long as the iterator.

    Of ``workers`` processes, this one among them, each answers every so-manieth question. ``answer`` may be any
    closure; the answers travel, and must be what pickle can carry.

    Raises:
        SilhouetteError: where a process ends without an answer; what came before it has been yielded.
        Exception: what ``answer`` raises.

    >>> from fractions import Fraction
    >>> list(forked(lambda share: share * 2, [Fraction(1, 3), Fraction(1, 2)], workers=2)) if CAN_FORK else [1]
    [Fraction(2, 3), Fraction(1, 1)]
    >>> list(forked(str, [], workers=2))
    []
    """
    helpers = [_helper(answer, questions[number::workers]) for number in range(1, min(workers, len(questions)))]
    try:
        for number, question in enumerate(questions):
            turn = number % workers
            yield answer(question) if turn == 0 else _answer_of(helpers[turn - 1][1])
    finally:
        for process, pipe in helpers:
            process.kill()
            process.join()
            pipe.close()


def _helper(answer: Callable[[Any], Any], questions: Sequence[Any]) -> tuple[BaseProcess, Connection]:
    """A process that answers these questions, and the pipe through which it does."""
    context = multiprocessing.get_context("fork")
    near, far = context.Pipe(duplex=False)
    process = context.Process(target=_answer_all, args=(answer, questions, far), daemon=True)
    with unwarned():
        process.start()
    far.close()
    return process, near


def _answer_all(answer: Callable[[Any], Any], questions: Sequence[Any], pipe: Connection) -> None:
    """What such a process does. Ctrl-C is for the one that asked: it ends the others."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(BrokenPipeError):
        for question in questions:
            try:
                told = True, answer(question)
            except Exception as error:
                told = False, error
            pipe.send(told)


def _answer_of(pipe: Connection) -> Any:
    try:
        is_answer, value = pipe.recv()
    except EOFError:
        raise SilhouetteError(
            "a worker process ended in the middle of a check, out of memory or killed; "
            "take fewer with --workers, or a larger --pixel"
        ) from None
    if not is_answer:
        raise value
    return value


_seat = 0


def seated(number: int, start: Callable[[], Answered]) -> Answered:
    """What ``start()`` gives, in a process that is the worker of that number from now on; see `seat`."""
    global _seat
    _seat = number
    return start()


def seat() -> int:
    """Which of several workers this process is, from 0, so that each takes its share; 0 where it is none."""
    return _seat
