"""The methods of starting a worker process from this one, and the one place that chooses among them."""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

CAN_FORK = sys.platform == "linux"
"""Whether forked processes work on this system. macOS can fork, but its system libraries do not survive it."""

DRIVERS = ("OpenGL", "warp")  # the modules that load a graphics driver; a test holds that the renderers name no others

StartMethod = Literal["fork", "execute", "none"]
"""A copy of this process, which shares its memory and may run any closure; a fresh Python, which is sent what pickle
can carry; or no process can be started, and the work is done here."""


def start_method() -> StartMethod:
    """The method by which a worker process can be started from this process now, safely.

    A fork copies the calling thread alone: a lock that another thread holds at that moment stays locked in the copy for
    ever. So a process with several Python threads is never forked: not from a notebook, whose kernel has threads, nor
    from a task of a Dask worker. Threads of native libraries do not count: numpy's BLAS, the only one that has some
    here, takes care of forks itself.

    >>> start_method() in ("fork", "execute")
    True
    """
    if not sys.executable or sys.platform in ("emscripten", "wasi"):
        return "none"
    # Drivers do not survive a fork either, and multiprocessing lets a daemonic process fork no others.
    is_daemonic = multiprocessing.current_process().daemon
    return "fork" if CAN_FORK and not drivers_are_loaded() and python_threads() == 1 and not is_daemonic else "execute"


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
