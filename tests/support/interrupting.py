"""Whatever changes files is interrupted at its k-th step, for every k: by an error, by Ctrl-C, or killed."""

from __future__ import annotations

import builtins
import errno
import io
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Literal

import pytest

from silhouette.workers.starting import fork_warning_silenced

How = Literal["disk is full", "ctrl-c", "killed"]
HOWS: tuple[How, ...] = ("disk is full", "ctrl-c", "killed")
"""The first instead of a step; the second after it, since Python looks for signals between two; the third before it."""

STEPS = ("replace", "rename", "unlink", "remove", "mkdir", "rmdir", "fsync", "chmod", "link", "symlink")
"""The functions of `os` that change files."""

KILLED = -signal.SIGKILL


class _Steps:
    """Counts the steps, and interrupts at one of them."""

    def __init__(self, at: int, how: How) -> None:
        self.count = 0
        self._at = at
        self._how = how

    def do(self, real: Callable[..., Any], *given: Any, **named: Any) -> Any:
        """Does a step, or is interrupted there."""
        self.count += 1
        if self.count != self._at:
            return real(*given, **named)
        if self._how == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        if self._how == "disk is full":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        made = real(*given, **named)
        if isinstance(made, io.IOBase):
            made.close()
        raise KeyboardInterrupt


class _Written:
    """A file that is open for writing, of which each write is a step."""

    def __init__(self, file: Any, steps: _Steps) -> None:
        self._file = file
        self._steps = steps

    def write(self, data: Any) -> Any:
        return self._steps.do(self._file.write, data)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def __enter__(self) -> _Written:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()


@contextmanager
def counted(at: int = 0, how: How = "ctrl-c") -> Iterator[_Steps]:
    """Counts the steps of a block that change files: opening for writing, writing, `STEPS`; interrupts at one."""
    steps, really_open = _Steps(at, how), io.open

    def opened(file: Any, mode: str = "r", *given: Any, **named: Any) -> Any:
        if not set(mode) & set("wxa+"):
            return really_open(file, mode, *given, **named)
        found = steps.do(really_open, file, mode, *given, **named)
        return _Written(found, steps) if "b" in mode else found

    with pytest.MonkeyPatch.context() as patch:
        for module in (builtins, io):
            patch.setattr(module, "open", opened)
        for name in STEPS:
            patch.setattr(os, name, partial(steps.do, getattr(os, name)))
        yield steps


def number_of_steps(work: Callable[[], object]) -> int:
    """The number of steps in which something changes files."""
    with counted() as steps:
        work()
    return steps.count


def interrupted(work: Callable[[], object], at: int, how: How) -> str:
    """Interrupts something at a step, and says how it ended: "done", the name of its exception, or "killed"."""
    if how == "killed":
        with fork_warning_silenced():
            child = os.fork()
        if not child:
            with counted(at, how):
                work()
            os._exit(0)
        return "killed" if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == KILLED else "done"
    try:
        with counted(at, how):
            work()
    except (Exception, KeyboardInterrupt) as error:
        return type(error).__name__
    return "done"
