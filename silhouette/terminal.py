"""How things reach the terminal: results on standard output, one line per error and the progress on standard error."""

from __future__ import annotations

import io
import json
import math
import os
import sys
import threading
import time
import traceback
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, TextIO

from silhouette.errors import SilhouetteError

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.progress import Progress, TaskID

DEBUG_VARIABLE = "SILHOUETTE_DEBUG"

PATIENCE = 2.0
"""Seconds that pass before a progress bar appears."""

UNBOUNDED = 1000
"""Columns where no terminal sets the width: nothing is folded, so that a line of a log can be searched."""


def tolerate_any_text() -> None:
    """What the terminal's encoding cannot say becomes a question mark instead of an error."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def printable(text: str) -> str:
    """The text on one line and without control characters: names come from users' files and are not to be trusted.

    >>> printable("Kal\\x1b[31m\\nthe  Red")
    'Kal?[31m the  Red'
    """
    return "".join(each if each.isprintable() else " " if each.isspace() else "?" for each in text)


def complain(line: str) -> None:
    """One line ``error: ...`` on standard error, if anybody reads there."""
    with suppress(BrokenPipeError):
        print(f"error: {printable(line)}", file=sys.stderr, flush=True)


def problem(error: Exception, path: Path | None = None) -> str:
    """What went wrong, as one line for a user; the traceback as well where ``SILHOUETTE_DEBUG`` is set.

    >>> problem(SilhouetteError("duel.toml: not TOML"))
    'duel.toml: not TOML'
    >>> problem(ZeroDivisionError("division by zero"))
    'internal: ZeroDivisionError: division by zero; please report it, with what it prints after SILHOUETTE_DEBUG=1'
    """
    if os.environ.get(DEBUG_VARIABLE):
        traceback.print_exception(error, file=sys.stderr)
    if isinstance(error, SilhouetteError):
        return str(error)
    where = f"{path}: " if path is not None else ""
    if isinstance(error, MemoryError):
        return f"{where}needs more memory than there is; take a larger --pixel or simpler meshes"
    if isinstance(error, OSError):
        return f"{where}{error.filename or 'what was to be read or written'}: {error.strerror or error}"
    what = " ".join(f"{type(error).__name__}: {error}".split())
    return f"{where}internal: {what}; please report it, with what it prints after {DEBUG_VARIABLE}=1"


def show_json(document: dict[str, Any]) -> None:
    """One JSON document on standard output: strict, and ASCII alone."""
    print(json.dumps(strict(document), indent=2, allow_nan=False), flush=True)


def strict(value: Any) -> Any:
    """The value with null in place of every number that JSON cannot hold.

    >>> strict({"shares": [0.5, math.nan, (math.inf, 1)]})
    {'shares': [0.5, None, [None, 1]]}
    """
    if isinstance(value, dict):
        return {key: strict(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [strict(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def show(*parts: RenderableType) -> None:
    """Tables and lines on standard output; without colour, and unfolded, where that is no terminal.

    Written in one go: rich would answer a reader that has gone away by exiting with a status of its own.
    """
    console = _console(sys.stdout)
    with console.capture() as captured:
        for part in parts:
            console.print(part)
    sys.stdout.write(captured.get())
    sys.stdout.flush()


def _console(stream: TextIO) -> Console:
    from rich.console import Console

    free = not stream.isatty() and not os.environ.get("COLUMNS")
    return Console(file=stream, width=UNBOUNDED if free else None, highlight=False, markup=False, emoji=False)


class Waiting:
    """A progress bar on standard error, if that is a terminal and it takes longer than `PATIENCE`.

    ``rated``, it also says how many steps are done a second, and the time left.
    """

    def __init__(self, words: str, *, quiet: bool, rated: bool = False) -> None:
        self._rated = rated
        self._words = printable(words)
        self._shown = not quiet and sys.stderr.isatty()
        self._started = 0.0
        self._before: int | None = None
        self._lock = threading.Lock()
        self._timer = threading.Timer(PATIENCE, self._appear)
        self._timer.daemon = True
        self._bar: tuple[Progress, TaskID] | None = None
        self._done: tuple[int, int | None] = (0, None)

    def __enter__(self) -> Waiting:
        if self._shown:
            self._timer.start()
        return self

    def step(self, done: int, total: int) -> None:
        """So much is done, of so much."""
        with self._lock:
            if self._before is None:
                self._before, self._started = done, time.monotonic()
            self._done = (done, total)
            if self._bar is not None:
                bar, task = self._bar
                seconds = max(time.monotonic() - self._started, 1e-3)
                rate = f"{(done - self._before) / seconds:.0f}/s"
                bar.update(task, completed=done, total=total, rate=rate)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._timer.cancel()
        with self._lock:
            self._shown = False
            if self._bar is not None:
                self._bar[0].stop()

    def _appear(self) -> None:
        from rich.progress import MofNCompleteColumn, Progress, TextColumn

        with self._lock:
            if not self._shown:
                return
            columns = list(Progress.get_default_columns())
            if self._rated:
                columns += [MofNCompleteColumn(), TextColumn("{task.fields[rate]}")]
            bar = Progress(
                *columns, console=_console(sys.stderr), transient=True, redirect_stdout=False, redirect_stderr=False
            )
            done, total = self._done
            self._bar = bar, bar.add_task(self._words, completed=done, total=total, rate="")
            bar.start()
