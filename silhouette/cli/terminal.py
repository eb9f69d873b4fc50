"""Output to the terminal: results on standard output, one line per error on standard error."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TextIO

from silhouette.common.installation import document
from silhouette.common.text import json_text, printable

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

UNBOUNDED = 1000  # columns where no terminal sets the width: nothing is folded, so that a line of a log can be searched

MIN_COLUMNS, DEFAULT_COLUMNS = 30, 80
"""Columns below which no table can be read, and those of a terminal that does not say how many it has."""


def tolerate_any_text() -> None:
    """Makes characters that the terminal's encoding lacks question marks instead of errors."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def open_missing_streams() -> None:
    """Opens standard input, output and error onto nothing, if the shell has closed them.

    Their numbers are taken then: else the next file that is opened would have one, and a library of the system that
    writes to standard error would write into it.
    """
    for number, stream, mode in ((0, sys.stdin, "r"), (1, sys.stdout, "w"), (2, sys.stderr, "w")):
        if stream is None:  # type: ignore[comparison-overlap, unused-ignore]
            try:
                os.fstat(number)
            except OSError:
                opened = os.open(os.devnull, os.O_RDWR)
                if opened != number:
                    os.dup2(opened, number)
                    os.close(opened)
            setattr(sys, ("stdin", "stdout", "stderr")[number], open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115


def is_lost(stream: TextIO) -> bool:
    """Whether what was written to a stream cannot leave this process, as on a full disk."""
    try:
        stream.flush()
    except (OSError, ValueError):
        return True
    return False


def discard(stream: TextIO) -> None:
    """Sends the rest of a stream nowhere, so that the flush at the end of the process does not fail."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def complain(line: str) -> None:
    """One line ``error: ...`` on standard error, if that takes it."""
    _say(f"error: {printable(line)}")


def warn(line: str) -> None:
    """One line ``warning: ...`` on standard error, if that takes it."""
    _say(f"warning: {printable(line)}")


def _say(line: str) -> None:
    try:
        print(line, file=sys.stderr, flush=True)
    except (OSError, ValueError):
        discard(sys.stderr)


def show_json(content: Mapping[str, Any]) -> None:
    """One JSON document on standard output, with the version and the schema at its top: strict, and ASCII alone."""
    print(json_text(document(content), indent=2), flush=True)


def show(*parts: RenderableType) -> None:
    """Tables and lines on standard output; without colour, and unfolded, where that is no terminal.

    A line that says ``no_wrap`` is never folded: a path that the terminal itself breaks is still copied whole.
    Written in one go: where the reader has gone away, rich would end the process with an exit status of rich.
    """
    console = console_on(sys.stdout)
    with console.capture() as captured:
        for part in parts:
            console.print(part, soft_wrap=getattr(part, "no_wrap", None) is True)
    sys.stdout.write(captured.get())
    sys.stdout.flush()


def show_result(content: Mapping[str, Any], *parts: RenderableType, as_json: bool) -> None:
    """What a command found, as one JSON document or as tables and lines."""
    if as_json:
        show_json(content)
    else:
        show(*parts)


def console_on(stream: TextIO) -> Console:
    """A console that writes to a stream; lines are folded only where that is a terminal."""
    from rich.console import Console

    return Console(file=stream, width=_width(stream), highlight=False, markup=False, emoji=False)


def _width(stream: TextIO) -> int:
    """The columns of a stream: those of COLUMNS, if that is a number of them, else those of the terminal."""
    named = os.environ.get("COLUMNS", "")
    if named.isascii() and named.isdigit() and int(named[:6]) > 0:
        return min(max(int(named[:6]), MIN_COLUMNS), UNBOUNDED)
    if not stream.isatty():
        return UNBOUNDED
    try:
        columns = os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError):
        columns = 0
    return max(columns or DEFAULT_COLUMNS, MIN_COLUMNS)
