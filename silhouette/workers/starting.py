"""The methods of starting a worker process from this one, and the one place that chooses among them."""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

CAN_FORK = sys.platform == "linux"
"""Whether forked processes work on this system. macOS can fork, but its system libraries do not survive it."""

DRIVERS = ("OpenGL", "warp")  # the modules that load a graphics driver; a test holds that the renderers name no others


@dataclass(frozen=True)
class StartMethod:
    """A method of starting worker processes."""

    # "fork": a copy of this process, which shares its memory and may run any closure; "execute": a fresh Python, which
    # is sent what pickle can carry; "none": no process can be started, and the work is done here
    name: Literal["fork", "execute", "none"]
    reason: str = ""  # the reason against the method before it in this list; empty for "fork"


def start_method() -> StartMethod:
    """The method by which a worker process can be started from this process now, safely.

    A fork copies the calling thread alone: a lock that another thread holds at that moment stays locked in the copy for
    ever. So a process with several Python threads is never forked: not from a notebook, whose kernel has threads, nor
    from a task of a Dask worker. Threads of native libraries do not count: numpy's BLAS, the only one that has some
    here, takes care of forks itself.

    >>> start_method().name in ("fork", "execute")
    True
    """
    if not sys.executable or sys.platform in ("emscripten", "wasi"):
        return StartMethod("none", "there is no Python interpreter that could be started as another process")
    if not CAN_FORK:
        return StartMethod("execute", f"the system libraries of {sys.platform} do not survive a fork")
    if drivers_are_loaded():
        return StartMethod("execute", "graphics drivers that are loaded do not survive a fork")
    if python_threads() > 1:
        return StartMethod("execute", "a lock that another thread holds would stay locked in a fork")
    if multiprocessing.current_process().daemon:
        return StartMethod("execute", "multiprocessing lets a daemonic process fork no others")
    return StartMethod("fork")


def drivers_are_loaded() -> bool:
    """Whether this process has loaded a graphics driver, and so must not be forked."""
    return any(driver in sys.modules for driver in DRIVERS)


def python_threads() -> int:
    """The Python threads of this process, with those that were started without the module `threading`, at least 1.

    >>> python_threads() >= 1
    True
    """
    return max(threading.active_count(), len(sys._current_frames()))


def cores() -> int:
    """The processor cores that this process may use, at least 1."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def fork_warning_silenced() -> Iterator[None]:
    """Silences Python's warning (3.12) that a process with threads is forked, for a fork that was found to be safe.

    The warning counts native threads as well, such as those of numpy's BLAS; see `start_method`.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "This process .* is multi-threaded", DeprecationWarning)
        yield
