"""Signs of life while a command works: a progress bar on a terminal, one line where there is none."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, Any

from silhouette.cli.terminal import console_on
from silhouette.common.text import printable

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

PATIENCE = 0.4
"""Seconds that pass before a progress bar appears; Python itself and its libraries have taken some before."""

REDRAWN_EVERY = 0.1  # seconds between two drawings of a progress bar
LINE_AFTER = 5.0  # seconds that pass before the one line where standard error is no terminal


class Waiting:
    """Signs of life on standard error: a progress bar on a terminal, else one line when it has taken `LINE_AFTER`.

    The bar appears when it takes longer than `PATIENCE`, and goes when it is done.

    Args:
        words: the task in words.
        quiet: whether to show nothing.
        rated: whether it also says how many steps are done a second.
        forking: whether the command forks worker processes. A process with threads cannot be forked safely, so the bar
            is then drawn by a timer of the system, which interrupts what the process is doing.
    """

    def __init__(self, words: str, *, quiet: bool, rated: bool = False, forking: bool = False) -> None:
        self._words = printable(words)
        self._rated = rated
        self._visible = not quiet
        self._on_terminal = sys.stderr.isatty()
        self._ticker = (_Alarm if forking and _Alarm.works_here() else _Thread)(self._show)
        self._bar: tuple[Progress, TaskID] | None = None
        self._entered = time.monotonic()
        self._first: tuple[float, float] | None = None
        # Steps done, with a part of the next; all of them, None where unknown; and whether there may be more.
        self._state: tuple[float, int | None, bool] = 0.0, None, False
        self._is_drawing = False

    def __enter__(self) -> Waiting:
        if self._visible:
            first, then = (PATIENCE, REDRAWN_EVERY) if self._on_terminal else (LINE_AFTER, 0.0)
            self._ticker.start(first, then)
        return self

    def step(self, done: float, total: int, at_least: bool = False) -> None:
        """Shows how many steps are done (with a part of the next one), of ``total`` or of at least so many."""
        if self._first is None:
            self._first = done, time.monotonic()
        self._state = done, total, at_least

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._visible:
            self._ticker.end()
        if self._bar is not None:
            self._bar[0].stop()

    def _show(self) -> None:
        """Shows how far it has come; called by the ticker, maybe in the middle of whatever the process is doing."""
        if self._is_drawing:
            return
        self._is_drawing = True
        try:
            # A timer may come while standard error is being written to, or rich imported. The next drawing is soon.
            with suppress(Exception):
                if self._on_terminal:
                    self._draw()
                else:
                    words = _counts(*self._state) or "still at it"
                    print(f"{self._words}: {words} after {LINE_AFTER:g} s", file=sys.stderr, flush=True)
        finally:
            self._is_drawing = False

    def _draw(self) -> None:
        (done, total, at_least), (before, since) = self._state, self._first or (0, self._entered)
        if self._bar is None:
            self._bar = self._new_bar()
        bar, task = self._bar
        rate = (done - before) / max(time.monotonic() - since, 1e-3)
        # Without a total rich shows neither a share nor a time: both would be wrong as long as the total may grow.
        bar.update(task, completed=done, total=None if at_least else total)
        bar.update(task, counts=_counts(done, total, at_least), rate=f"{rate:.0f}/s")
        bar.refresh()

    def _new_bar(self) -> tuple[Progress, TaskID]:
        from rich.progress import Progress, TextColumn

        columns = list(Progress.get_default_columns())
        if self._rated:
            columns += [TextColumn("{task.fields[counts]}"), TextColumn("{task.fields[rate]}")]
        bar = Progress(
            *columns,
            console=console_on(sys.stderr),
            auto_refresh=False,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        task = bar.add_task(self._words, total=None, counts="", rate="")
        bar.start()
        return bar, task


def _counts(done: float, total: int | None, at_least: bool) -> str:
    """The steps in words; empty where their number is not known."""
    return "" if total is None else f"{int(done):,} of {'at least ' * at_least}{total:,}".replace(",", " ")


class _Thread:
    """A thread that calls a function after some time, and then again and again."""

    def __init__(self, call: Callable[[], None]) -> None:
        self._call = call
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._first = self._then = 0.0

    def start(self, first: float, then: float) -> None:
        """Calls after ``first`` seconds, then every ``then`` seconds; only once where ``then`` is 0."""
        self._first, self._then = first, then
        self._thread.start()

    def end(self) -> None:
        """Returns when the function is not called any more."""
        self._ended.set()
        self._thread.join()

    def _run(self) -> None:
        wait = self._first
        while not self._ended.wait(wait):
            self._call()
            wait = self._then
            if not wait:
                return


class _Alarm:
    """The same by the system's timer, in the main thread: Python calls the function between two of its steps.

    A forked process has the function but not the timer.
    """

    def __init__(self, call: Callable[[], None]) -> None:
        self._call = call
        self._before: tuple[Any, tuple[float, float]] | None = None

    @staticmethod
    def works_here() -> bool:
        """Whether this system has such a timer, and this is the main thread."""
        return hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()

    def start(self, first: float, then: float) -> None:
        handler = signal.signal(signal.SIGALRM, lambda *_: self._call())
        signal.siginterrupt(signal.SIGALRM, False)  # native code that waits for a file or a pipe goes on waiting
        self._before = handler, signal.setitimer(signal.ITIMER_REAL, first, then)

    def end(self) -> None:
        assert self._before is not None
        handler, (left, interval) = self._before
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL if handler is None else handler)
        signal.setitimer(signal.ITIMER_REAL, left, interval)
