"""A function under the limits that hostile files are tried under: 10 s of CPU, 2 GB of memory, in a process apart."""

from __future__ import annotations

import os
import pickle
import resource
import select
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

CPU_SECONDS = 10
MEMORY = 2 * 1024**3
_WALL_SECONDS = 30.0


@dataclass(frozen=True)
class Outcome:
    """How a function ended.

    Attributes:
        kind: "done", "raised" (any exception), "cpu" (over the limit), "hung" (no CPU, no end) or "died" (a signal).
        text: what the function returned, as text; else the exception, or the number of the signal.
        cpu: seconds of CPU that it took.
        memory: bytes by which the process grew, at its greatest.
    """

    kind: str
    text: str
    cpu: float
    memory: int


def limited(
    function: Callable[[], object], *, cpu: int = CPU_SECONDS, memory: int = MEMORY, wall: float = _WALL_SECONDS
) -> Outcome:
    """Calls a function in a fork of this process.

    Args:
        function: what to call; its result is turned into text.
        cpu: seconds of CPU after which the fork is killed.
        memory: bytes of address space that the fork may take beyond what this process has.
        wall: seconds after which it counts as hung.
    """
    reading, writing = os.pipe()
    sys.stdout.flush()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forking where threads idle
        child = os.fork()
    if child == 0:
        os.close(reading)
        _run(function, writing, cpu, memory)
    os.close(writing)
    return _wait(child, reading, wall)


def _run(function: Callable[[], object], writing: int, cpu: int, memory: int) -> None:
    """The fork's side: never returns."""
    try:
        before = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (before + memory, before + memory))
        resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        try:
            kind, text = "done", str(function())
        except BaseException as error:
            kind, text = "raised", "".join(traceback.format_exception(error, limit=-4))
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - grown
        with open(writing, "wb") as pipe:
            pickle.dump((kind, text[-4000:], grown * 1024), pipe)
    finally:
        os._exit(0)


def _wait(child: int, reading: int, wall: float) -> Outcome:
    start = time.monotonic()
    answer = b""
    with open(reading, "rb", buffering=0) as pipe:
        while (left := start + wall - time.monotonic()) > 0.0:
            if select.select([pipe], [], [], left)[0]:
                piece = pipe.read(1 << 16)
                answer += piece
                if not piece:
                    break
    hung = not answer and time.monotonic() - start >= wall
    if hung:
        os.kill(child, signal.SIGKILL)
    _, status, usage = os.wait4(child, 0)
    cpu = usage.ru_utime + usage.ru_stime
    if hung:
        return Outcome("hung", f"no end after {wall:g} s", cpu, 0)
    if answer:
        kind, text, grown = pickle.loads(answer)
        return Outcome(kind, text, cpu, grown)
    number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    over = number in (signal.SIGXCPU, signal.SIGKILL)
    return Outcome("cpu" if over else "died", f"signal {number}", cpu, 0)
