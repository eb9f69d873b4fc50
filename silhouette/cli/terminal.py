"""How things reach the terminal: results on standard output, one line per error and the progress on standard error."""

from __future__ import annotations

import io
import json
import os
import sys
import threading
import time
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, Any, TextIO

from silhouette.text import printable, strict

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.progress import Progress, TaskID

PATIENCE = 2.0
"""Seconds that pass before a progress bar appears."""

UNBOUNDED = 1000
"""Columns where no terminal sets the width: nothing is folded, so that a line of a log can be searched."""


def tolerate_any_text() -> None:
    """What the terminal's encoding cannot say becomes a question mark instead of an error."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def complain(line: str) -> None:
    """One line ``error: ...`` on standard error, if anybody reads there."""
    with suppress(BrokenPipeError):
        print(f"error: {printable(line)}", file=sys.stderr, flush=True)


def show_json(document: dict[str, Any]) -> None:
    """One JSON document on standard output: strict, and ASCII alone."""
    print(json.dumps(strict(document), indent=2, allow_nan=False), flush=True)


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
