"""Many questions to what is in memory: answered by processes forked from this one, which share all that it has loaded.

Python lets one thread at a time work, and a check is hundreds of short steps in numpy: threads gain nothing. A forked
process starts within milliseconds, with the meshes and their acceleration structures in place.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from queue import SimpleQueue
from tempfile import TemporaryFile
from threading import Thread
from typing import IO, Any, TypeVar, cast

from silhouette.errors import SilhouetteError
from silhouette.renderers.registry import drivers_are_loaded

Asked = TypeVar("Asked")
Answered = TypeVar("Answered")

WIDE = 8
"""Bytes of a question's number."""

CAN_FORK = sys.platform == "linux"
"""macOS can fork as well, but its own libraries do not survive it."""


def forks_safely() -> bool:
    """Whether a process can be forked from this one: graphics drivers that are loaded do not survive it."""
    return CAN_FORK and not drivers_are_loaded()


@contextmanager
def unwarned() -> Iterator[None]:
    """For forking: other threads draw progress, wait or watch, and hold no lock that a forked process takes."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "This process .* is multi-threaded", DeprecationWarning)
        yield


def cores() -> int:
    """The processor cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def forked(
    answer: Callable[[Asked], Answered], questions: Sequence[Asked], workers: int, order: Sequence[int] | None = None
) -> Iterator[Answered]:
    """The answers, in the order of the questions, by this process and others that live as long as the iterator.

    Of ``workers`` processes, this one among them, each takes the next question as soon as it is free. ``answer`` may
    be any closure; the answers travel, and must be what pickle can carry. Those whose turn has not come wait in memory.
    ``order`` has the numbers of the questions, each once, as they are to be taken, where that is another order.

    Raises:
        SilhouetteError: where a process ends without an answer; what came before it has been yielded.
        Exception: what ``answer`` raises.

    >>> from fractions import Fraction
    >>> list(forked(lambda share: share * 2, [Fraction(1, 3), Fraction(1, 2)], workers=2)) if CAN_FORK else [1]
    [Fraction(2, 3), Fraction(1, 1)]
    >>> list(forked(str, [5, 6, 7], workers=1, order=[2, 0, 1]))
    ['5', '6', '7']
    >>> list(forked(str, [], workers=2))
    []
    """
    arrived: SimpleQueue[_Told | None] = SimpleQueue()
    processes, pipes = list[BaseProcess](), list[Connection]()
    listener = Thread(target=_listen, args=(pipes, arrived), daemon=True)
    with TemporaryFile() as numbers:
        asked = _Asked.all_of(answer, questions, range(len(questions)) if order is None else order, numbers)
        try:
            for _ in range(1, min(workers, len(questions))):
                process, pipe = _helper(asked, pipes)
                processes.append(process)
                pipes.append(pipe)
            listener.start()
            yield from _in_order(asked, arrived)
        finally:
            for process in processes:
                process.kill()
            for process in processes:
                process.join()
            if listener.is_alive():
                listener.join()


@dataclass(frozen=True)
class _Told:
    """The answer to the question of a number, or the error that it raised."""

    number: int
    is_answer: bool
    value: Any


@dataclass(frozen=True)
class _Asked:
    """What several processes are asked, by this one.

    The numbers of the questions stand in a file, from which each process reads the next: they share the place at
    which it is read, and the system moves that on, whoever is killed when.
    """

    answer: Callable[[Any], Any]
    questions: Sequence[Any]
    numbers: int
    asker: int

    @classmethod
    def all_of(
        cls, answer: Callable[[Any], Any], questions: Sequence[Any], order: Sequence[int], numbers: IO[bytes]
    ) -> _Asked:
        """All questions, none of them taken yet."""
        numbers.write(b"".join(number.to_bytes(WIDE, "big") for number in order))
        numbers.seek(0)
        return cls(answer, questions, numbers.fileno(), os.getpid())

    def taken(self) -> Iterator[int]:
        """The numbers of questions, none given to two processes, as long as there are any, and who asked is there."""
        while os.getpid() == self.asker or os.getppid() == self.asker:
            number = os.read(self.numbers, WIDE)
            if not number:
                return
            yield int.from_bytes(number, "big")

    def told(self, number: int) -> _Told:
        """What comes of a question."""
        try:
            return _Told(number, True, self.answer(self.questions[number]))
        except Exception as error:
            return _Told(number, False, error)


def _in_order(asked: _Asked, arrived: SimpleQueue[_Told | None]) -> Iterator[Any]:
    """The answers; this process works on questions itself as long as it would else wait."""
    known, mine = dict[int, _Told](), asked.taken()
    for number in range(len(asked.questions)):
        while number not in known:
            own = next(mine, None)
            one = arrived.get() if own is None else asked.told(own)
            for told in (one or _lost(number), *_waiting(arrived)):
                known[told.number] = told
        told = known.pop(number)
        if not told.is_answer:
            raise told.value
        yield told.value


def _waiting(arrived: SimpleQueue[_Told | None]) -> Iterator[_Told]:
    """What has arrived by now; that nothing more will stays to be told."""
    while not arrived.empty():
        told = arrived.get()
        if told is None:
            arrived.put(None)
            return
        yield told


def _helper(asked: _Asked, elder: Sequence[Connection]) -> tuple[BaseProcess, Connection]:
    """A process that answers questions, and the pipe through which it does; ``elder`` are those of others before it."""
    context = multiprocessing.get_context("fork")
    near, far = context.Pipe(duplex=False)
    process = context.Process(target=_help, args=(asked, far, (*elder, near)), daemon=True)
    with unwarned():
        process.start()
    far.close()
    return process, near


def _help(asked: _Asked, pipe: Connection, copies: Sequence[Connection]) -> None:
    """What such a process does. Ctrl-C is for the one that asked: it ends the others.

    A pipe breaks with the one that asked only where nobody holds a copy of its other end.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for copy in copies:
        copy.close()
    with suppress(BrokenPipeError):
        for number in asked.taken():
            pipe.send(number)
            pipe.send(_packed(asked.told(number)))


def _packed(told: _Told) -> bytes:
    """What is told, as it travels; where it cannot, an error that says so, or that says what the error said."""
    try:
        packed = pickle.dumps(told)
        if not told.is_answer:
            pickle.loads(packed)
        return packed
    except Exception as error:
        said = (
            f"an answer that cannot travel: {error}" if told.is_answer else f"{type(told.value).__name__}: {told.value}"
        )
        return pickle.dumps(_Told(told.number, False, RuntimeError(said)))


def _listen(pipes: list[Connection], arrived: SimpleQueue[_Told | None]) -> None:
    """Passes on what comes through the pipes until all are closed, and None then; takes it off the helpers' hands."""
    working_on = dict[Connection, int]()
    try:
        while pipes:
            for pipe in cast("list[Connection]", wait(pipes)):
                try:
                    told = pipe.recv()
                except (EOFError, OSError):
                    told = None
                if isinstance(told, int):
                    working_on[pipe] = told
                elif told is not None:
                    del working_on[pipe]
                    arrived.put(pickle.loads(told))
                else:
                    pipes.remove(pipe)
                    pipe.close()
                    if pipe in working_on:
                        arrived.put(_lost(working_on[pipe]))
    finally:
        arrived.put(None)


def _lost(number: int) -> _Told:
    return _Told(
        number,
        False,
        SilhouetteError(
            "a worker process ended in the middle of a check, out of memory or killed; "
            "take fewer with --workers, or a larger --pixel"
        ),
    )


_seat = 0


def seated(number: int, start: Callable[[], Answered]) -> Answered:
    """What ``start()`` gives, in a process that is the worker of that number from now on; see `seat`."""
    global _seat
    _seat = number
    return start()


def seat() -> int:
    """Which of several workers this process is, from 0, so that each takes its share; 0 where it is none."""
    return _seat
