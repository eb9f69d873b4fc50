"""Output to the terminal: results on standard output, one line per error and the progress on standard error."""

from __future__ import annotations

import io
import json
import os
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, Any, TextIO

from silhouette.text import printable, strict
from silhouette.version import document

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.progress import Progress, TaskID

PATIENCE = 2.0
"""Seconds that pass before a progress bar appears."""

REDRAWN_EVERY = 0.1
"""Seconds between two drawings of a progress bar."""

UNBOUNDED = 1000
"""Columns where no terminal sets the width: nothing is folded, so that a line of a log can be searched."""


def tolerate_any_text() -> None:
    """Makes characters that the terminal's encoding lacks question marks instead of errors."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def complain(line: str) -> None:
    """One line ``error: ...`` on standard error, if it is open."""
    with suppress(BrokenPipeError):
        print(f"error: {printable(line)}", file=sys.stderr, flush=True)


def show_json(content: Mapping[str, Any]) -> None:
    """One JSON document on standard output, with the version and the schema at its top: strict, and ASCII alone."""
    print(json.dumps(strict(document(content)), indent=2, allow_nan=False), flush=True)


def show(*parts: RenderableType) -> None:
    """Tables and lines on standard output; without colour, and unfolded, where that is no terminal.

    Written in one go: where the reader has gone away, rich would end the process with an exit status of rich.
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

    A thread draws it. But a process with threads is not forked into workers. So the thread of a command that forks
    ends with the first step, which precedes the fork, and from then on each step draws.

    Args:
        words: the task in words.
        quiet: whether to show nothing.
        rated: whether it also says how many steps are done a second, and the time left.
        forking: whether the command forks worker processes.
    """

    def __init__(self, words: str, *, quiet: bool, rated: bool = False, forking: bool = False) -> None:
        self._words = printable(words)
        self._rated = rated
        self._forking = forking
        self._visible = not quiet and sys.stderr.isatty()
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._draw_on, daemon=True)
        self._bar: tuple[Progress, TaskID] | None = None
        self._entered = self._drawn = time.monotonic()
        self._first: tuple[int, float] | None = None
        self._done: tuple[int, int | None] = (0, None)

    def __enter__(self) -> Waiting:
        if self._visible:
            self._thread.start()
        return self

    def step(self, done: int, total: int) -> None:
        """Shows that ``done`` steps of ``total`` are done."""
        if not self._visible:
            return
        if self._forking:
            self._end_thread()
        with self._lock:
            if self._first is None:
                self._first = done, time.monotonic()
            self._done = done, total
        now = time.monotonic()
        if self._forking and now - self._entered > PATIENCE and now - self._drawn > REDRAWN_EVERY:
            self._drawn = now
            self._draw()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._visible:
            self._end_thread()
        if self._bar is not None:
            self._bar[0].stop()

    def _end_thread(self) -> None:
        self._ended.set()
        self._thread.join()

    def _draw_on(self) -> None:
        """Draws the bar until the end of the wait; runs in the thread."""
        wait = PATIENCE
        while not self._ended.wait(wait):
            self._draw()
            wait = REDRAWN_EVERY

    def _draw(self) -> None:
        with self._lock:
            (done, total), (before, since) = self._done, self._first or (0, self._entered)
        if self._bar is None:
            self._bar = self._new_bar()
        bar, task = self._bar
        rate = (done - before) / max(time.monotonic() - since, 1e-3)
        bar.update(task, completed=done, total=total, rate=f"{rate:.0f}/s")
        bar.refresh()

    def _new_bar(self) -> tuple[Progress, TaskID]:
        from rich.progress import MofNCompleteColumn, Progress, TextColumn

        columns = list(Progress.get_default_columns())
        if self._rated:
            columns += [MofNCompleteColumn(), TextColumn("{task.fields[rate]}")]
        bar = Progress(
            *columns,
            console=_console(sys.stderr),
            auto_refresh=False,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        task = bar.add_task(self._words, total=None, rate="")
        bar.start()
        return bar, task
